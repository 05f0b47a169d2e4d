//! Kernels of a code object, by name.

use waveglass_exec::{Dispatch, Limits, Packet, Registers, ScratchArena, scratch_needed};
use waveglass_isa::Target;
use waveglass_mem::{GlobalMemory, MapError, Permission};
use waveglass_object::CodeObject;

use super::block::Block;
use super::programs::{Key, Programs};
use super::{HostMemory, HostReport};
use crate::launch::{Grid, Hidden, Module, Shape, entries, queue_bytes};
use crate::{LaunchError, SourceLines, TargetFacts};

/// A code object, loaded. Its writable data keeps what launches wrote, as on a device.
#[derive(Debug)]
pub struct HostModule {
    module: Module,
    image: Block,
    parts: Vec<Part>,
    load_address: u64,
    /// The executable segment.
    code: Vec<u8>,
    code_address: u64,
    entries: Vec<u64>,
}

/// A segment in the image.
#[derive(Debug)]
struct Part {
    offset: u64,
    size: u64,
    permission: Permission,
    name: &'static str,
}

/// How a kernel is launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostLaunch {
    /// Workgroups in each dimension.
    pub groups: [u32; 3],
    /// Work-items of a workgroup in each dimension.
    pub block: [u32; 3],
    /// The kernarg segment's bytes. Pointers in them are host addresses. Hidden arguments that start
    /// past its end are filled in; the rest of the segment is zero.
    pub kernarg: Vec<u8>,
    /// Bytes of LDS beyond the kernel's fixed size.
    pub dynamic_lds: u32,
}

impl HostModule {
    /// Reads a code object, or picks the one for `target` from a fat binary, and loads it.
    ///
    /// # Errors
    ///
    /// [`LaunchError`]: a malformed file, an unknown target, a choice that is left open, no memory.
    pub fn load(bytes: &[u8], target: Option<&str>) -> Result<Self, LaunchError> {
        let module = Module::load(bytes, target)?;
        let Some(object) = module.object() else {
            return Err(LaunchError::Bad(
                "the file is no code object; a raw dispatch runs code without one".into(),
            ));
        };
        let place = Placed::of(object)?;
        Ok(Self {
            entries: entries(object, place.load_address),
            image: place.image,
            parts: place.parts,
            load_address: place.load_address,
            code: place.code,
            code_address: place.code_address,
            module,
        })
    }

    /// The target.
    pub fn target(&self) -> Target {
        self.module.target()
    }

    /// The names of the kernels.
    pub fn kernels(&self) -> Vec<&str> {
        self.module.kernels()
    }

    /// Size of a kernel's kernarg segment in bytes, hidden arguments included.
    pub fn kernarg_size(&self, kernel: &str) -> Option<usize> {
        Shape::of(&self.module, kernel).ok().map(|s| s.kernarg_size)
    }

    /// The host address at which the code object's address 0 lies.
    pub fn load_address(&self) -> u64 {
        self.load_address
    }

    /// Runs a kernel on `memory`.
    ///
    /// # Errors
    ///
    /// [`LaunchError`] when it cannot start. What goes wrong while it runs is in the report.
    pub fn launch(
        &self,
        kernel: &str,
        launch: &HostLaunch,
        memory: &HostMemory,
        programs: &Programs,
        limits: &Limits,
    ) -> Result<HostReport, LaunchError> {
        // `Module::launch` says which kernels there are.
        self.module.launch(Some(kernel))?;
        let shape = Shape::of(&self.module, kernel)?;
        let target = self.target();
        let items = Grid::Groups(launch.groups).work_items(launch.block)?;
        let lds = shape.group_segment.saturating_add(launch.dynamic_lds);
        check_lds(target, lds)?;

        let queue = Block::of(
            &queue_bytes(waveglass_exec::dispatch::apertures(target)),
            64,
        )?;
        let kernarg = self.kernarg(&shape, launch, items, queue.address());
        let kernarg_block = Block::of(&kernarg, 64)?;
        let packet = Packet {
            block: launch.block,
            grid: items,
            private_segment: shape.private_segment,
            group_segment: lds,
            kernel_object: self.load_address + shape.descriptor_address,
            kernarg: kernarg_block.address(),
        };
        let packet_block = Block::of(&packet.bytes(), 64)?;
        let dispatch = Dispatch {
            target,
            wave_size: shape.wave_size,
            entry: self.load_address + shape.entry,
            setup: shape.setup,
            packet,
            packet_address: packet_block.address(),
            queue_address: queue.address(),
            vgprs: shape.vgprs,
            agprs: shape.agprs,
            kernarg: dwords(&kernarg),
        };
        let scratch = Scratch::for_run(&dispatch, limits)?;
        let space = memory.space(|space| {
            self.map_image(space)?;
            for (block, name) in [
                (&packet_block, "dispatch packet"),
                (&queue, "queue"),
                (&kernarg_block, "kernarg segment"),
            ] {
                // SAFETY: the blocks are dropped after the space, which was made later.
                unsafe { block.map(space, Permission::ReadOnly, name) }?;
            }
            scratch.map(space)?;
            Ok(())
        })?;
        let key = Key {
            target,
            wave_size: shape.wave_size,
            base: self.code_address,
            registers: Registers {
                vgprs: shape.vgprs,
                agprs: shape.agprs,
            },
            sramecc: self.module.sramecc(),
            exceptions: shape.setup.exceptions,
        };
        let program = programs.get(key, &self.code, &self.entries);
        let arena = scratch.arena();
        let at = self.load_address;
        let mut report = HostReport::of_run(&dispatch, &program, &space, arena, limits, at);
        report.kernel = Some(kernel.to_owned());
        if !report.outcome.faults.is_empty()
            && let Some(lines) = self.module.object().and_then(SourceLines::of)
        {
            let sites = report.outcome.faults.iter();
            report.fault_lines = sites
                .map(|site| lines.find(site.address.wrapping_sub(at)))
                .collect();
        }
        Ok(report)
    }

    /// The kernarg segment's bytes.
    fn kernarg(
        &self,
        shape: &Shape<'_>,
        launch: &HostLaunch,
        items: [u32; 3],
        queue: u64,
    ) -> Vec<u8> {
        let given = launch.kernarg.len();
        let size = shape.kernarg_size.max(given).next_multiple_of(16).max(16);
        let mut kernarg = launch.kernarg.clone();
        kernarg.resize(size, 0);
        if let Some(kernel) = shape.kernel {
            let hidden = Hidden {
                items,
                block: launch.block,
                dynamic_lds: launch.dynamic_lds,
                queue,
                apertures: waveglass_exec::dispatch::apertures(self.target()),
            };
            hidden.fill(kernel, given, &mut kernarg);
        }
        kernarg
    }

    fn map_image(&self, space: &mut GlobalMemory) -> Result<(), MapError> {
        for p in &self.parts {
            // SAFETY: the space is gone before `launch` gives `self` back.
            unsafe {
                self.image
                    .map_part(space, p.offset, p.size, p.permission, p.name)
            }?;
        }
        Ok(())
    }
}

/// An image at its load address.
struct Placed {
    image: Block,
    parts: Vec<Part>,
    load_address: u64,
    code: Vec<u8>,
    code_address: u64,
}

impl Placed {
    fn of(object: &CodeObject) -> Result<Self, LaunchError> {
        let none = || LaunchError::Bad("the code object has no executable segment".into());
        let layout = object.image();
        let lowest = layout.segments().first().ok_or_else(none)?.address;
        let mut image = Block::zeroed(layout.span(), PAGE)?;
        let Some(load_address) = image.address().checked_sub(lowest) else {
            return Err(LaunchError::Bad(format!(
                "the code object starts at {lowest:#x}, past what this host can place"
            )));
        };
        let address = image.address();
        let bytes = image.bytes_mut();
        let (mut code, mut parts) = (None, Vec::new());
        for s in layout.relocated(load_address)?.segments {
            let offset = s.address - address;
            // The reader has made sure that no segment has more data than memory.
            bytes[offset as usize..][..s.data.len()].copy_from_slice(&s.data);
            if s.size > 0 {
                parts.push(Part {
                    offset,
                    size: s.size,
                    permission: if s.writable {
                        Permission::ReadWrite
                    } else {
                        Permission::ReadOnly
                    },
                    name: if s.executable {
                        "code"
                    } else {
                        "data of the code object"
                    },
                });
            }
            if s.executable && code.is_none() {
                code = Some((s.data, s.address));
            }
        }
        let (code, code_address) = code.ok_or_else(none)?;
        Ok(Self {
            image,
            parts,
            load_address,
            code,
            code_address,
        })
    }
}

/// What segments are aligned to in the code objects that LLVM's linker writes.
const PAGE: usize = 4096;

/// Refuses more LDS than a workgroup of the target can have.
pub(super) fn check_lds(target: Target, bytes: u32) -> Result<(), LaunchError> {
    let most = TargetFacts::of(target).lds_bytes;
    if bytes > most {
        return Err(LaunchError::Bad(format!(
            "{bytes} bytes of LDS are more than a workgroup of {target} can have ({most})"
        )));
    }
    Ok(())
}

/// Little-endian dwords; bytes past the last whole one do not count.
fn dwords(bytes: &[u8]) -> Vec<u32> {
    let (whole, _) = bytes.as_chunks::<4>();
    whole.iter().map(|&b| u32::from_le_bytes(b)).collect()
}

/// Scratch memory of a run: ours, or the caller's.
pub(super) enum Scratch {
    /// None is needed.
    None,
    /// Allocated for the run.
    Own(Block),
    /// In memory that is registered.
    Given(ScratchArena),
}

impl Scratch {
    /// As much as the dispatch needs.
    pub(super) fn for_run(dispatch: &Dispatch, limits: &Limits) -> Result<Self, LaunchError> {
        let size = scratch_needed(dispatch, limits.threads);
        if size == 0 {
            return Ok(Self::None);
        }
        // 256 bytes are what hardware aligns a wave's scratch to; more does no harm.
        Ok(Self::Own(Block::zeroed(size, PAGE)?))
    }

    pub(super) fn arena(&self) -> ScratchArena {
        match self {
            Self::None => ScratchArena { base: 0, size: 0 },
            Self::Own(b) => ScratchArena {
                base: b.address(),
                size: b.size(),
            },
            Self::Given(arena) => *arena,
        }
    }

    pub(super) fn map(&self, space: &mut GlobalMemory) -> Result<(), MapError> {
        match self {
            // SAFETY: the scratch of a run is dropped after its space, which is made later.
            Self::Own(b) => unsafe { b.map(space, Permission::ReadWrite, "scratch") },
            Self::None | Self::Given(_) => Ok(()),
        }
    }
}
