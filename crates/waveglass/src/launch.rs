//! Loading a code object and launching a kernel of it.

mod hidden;
mod module;
mod shape;
mod trap_handler;

pub(crate) use hidden::{Hidden, queue_bytes};
pub(crate) use shape::{Shape, registers, setup};
pub use trap_handler::TrapHandler;

use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};
use waveglass_exec::dispatch::memory_generation;
use waveglass_exec::{
    Code, Dispatch, Exceptions, Limits, MemoryConfig, Options, Outcome, Packet, Program, Registers,
    RunError, ScratchArena, Trace, Watch, run, scratch_needed,
};
use waveglass_isa::Target;
use waveglass_mem::{GlobalMemory, MapError, Permission};
use waveglass_object::{CodeObject, SymbolKind};

/// Why a kernel cannot be launched.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The file is no code object that Waveglass reads.
    #[error(transparent)]
    Object(#[from] waveglass_object::Error),
    /// The code is for a target that Waveglass does not have.
    #[error("{gfx} is no target of Waveglass; `waveglass targets` lists them")]
    UnknownTarget {
        /// The target's name.
        gfx: String,
    },
    /// The file holds code for several targets, or none that was asked for.
    #[error("{what}; it has: {}", choices.join(", "))]
    Choose {
        /// What is wrong.
        what: String,
        /// What there is.
        choices: Vec<String>,
    },
    /// The launch does not fit the kernel.
    #[error("{0}")]
    Bad(String),
    /// The address space does not hold what the launch needs.
    #[error(transparent)]
    Map(#[from] MapError),
}

/// A code object, ready to launch kernels from.
#[derive(Debug)]
pub struct Module {
    code: Contents,
    target: Target,
    /// The wave size of raw code.
    wave_size: u32,
}

#[derive(Debug)]
enum Contents {
    Object(Box<CodeObject>),
    Raw(Vec<u8>),
}

/// An argument of a launch, in the order of the kernel's explicit parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// Bytes that go into the kernarg segment at the parameter's offset.
    Value(Vec<u8>),
    /// Memory whose address goes there. The kernel may write it; [`Report::buffers`] has its
    /// content after the run.
    Buffer(Vec<u8>),
}

/// A launch under construction.
pub struct Launch<'a> {
    module: &'a Module,
    kernel: String,
    grid: Grid,
    block: [u32; 3],
    args: Vec<(Option<String>, Arg)>,
    dynamic_lds: u32,
    limits: Limits,
    watch: Watch<'a>,
    trap_handler: Option<TrapHandler>,
    exceptions: Exceptions,
    memory: MemoryConfig,
    ordered_append: bool,
}

/// What a run gives.
#[derive(Debug)]
pub struct Report {
    /// Counters and memory violations.
    pub outcome: Outcome,
    /// Why the run ended early, if it did.
    pub error: Option<RunError>,
    /// The buffers, in the order of the buffer arguments.
    pub buffers: Vec<Vec<u8>>,
    /// The trap handler's memory, where there is any.
    pub trap_memory: Vec<u8>,
    /// Wall time of the run itself.
    pub time: Duration,
    /// Where the code was loaded: addresses in errors less this are offsets in the code object, but for
    /// those of a trap handler: see [`Report::location`].
    pub load_address: u64,
    /// Where the trap handler's code was loaded, where there is one.
    pub handler: Option<std::ops::Range<u64>>,
}

/// A place in the code of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Bytes from the start of the code object, or of the trap handler's.
    pub offset: u64,
    /// Whether it is in the trap handler.
    pub in_trap_handler: bool,
}

impl Report {
    /// Where an address that the run names lies in the code.
    pub fn location(&self, address: u64) -> Location {
        match &self.handler {
            Some(handler) if handler.contains(&address) => Location {
                offset: address - handler.start,
                in_trap_handler: true,
            },
            _ => Location {
                offset: address.wrapping_sub(self.load_address),
                in_trap_handler: false,
            },
        }
    }
}

/// Where things lie in the address space of a launch. Every region has unmapped space behind it,
/// so that an access past its end is seen.
mod place {
    pub(super) const IMAGE: u64 = 0x4000_0000;
    pub(super) const PACKET: u64 = 0x3000_0000;
    pub(super) const QUEUE: u64 = 0x3000_1000;
    pub(super) const KERNARG: u64 = 0x3001_0000;
    pub(super) const HANDLER: u64 = 0x2000_0000;
    pub(super) const TRAP_MEMORY: u64 = 0x2800_0000;
    pub(super) const BUFFERS: u64 = 0x1_0000_0000;
    /// Where flat addresses have 32 bits.
    pub(super) const LOW_BUFFERS: u64 = 0x8000_0000;
    pub(super) const SCRATCH: u64 = 0x4000_0000_0000;
    pub(super) const GAP: u64 = 0x1_0000;
}

/// Stack beyond the fixed frame for kernels whose metadata says that their stack grows.
const DYNAMIC_STACK: u32 = 16 << 10;

/// A grid in the unit in which it was given.
#[derive(Clone, Copy)]
pub(crate) enum Grid {
    Groups([u32; 3]),
    Items([u32; 3]),
}

impl Grid {
    /// Work-items in each dimension, of which the dispatch packet has 32 bits.
    pub(crate) fn work_items(self, block: [u32; 3]) -> Result<[u32; 3], LaunchError> {
        let group: u64 = block
            .iter()
            .fold(1, |n: u64, &b| n.saturating_mul(b as u64));
        if group == 0 || group > MAX_GROUP {
            return Err(LaunchError::Bad(format!(
                "a block of {group} work-items is not possible; it must have 1 to {MAX_GROUP}"
            )));
        }
        let mut items = match self {
            Grid::Groups(groups) | Grid::Items(groups) => groups,
        };
        if items.contains(&0) {
            return Err(LaunchError::Bad("the grid is empty".into()));
        }
        if let Grid::Groups(groups) = self {
            for (n, (g, b)) in items.iter_mut().zip(groups.iter().zip(block)) {
                *n = g.checked_mul(b).ok_or_else(|| {
                    LaunchError::Bad(format!(
                        "{g} workgroups of {b} work-items are too many; a grid has at most {} work-items in a dimension",
                        u32::MAX
                    ))
                })?;
            }
        }
        Ok(items)
    }
}

/// Work-items that a workgroup may have.
const MAX_GROUP: u64 = 1024;

impl<'a> Launch<'a> {
    /// Workgroups in each dimension (HIP's grid).
    #[must_use]
    pub fn grid(mut self, groups: [u32; 3]) -> Self {
        self.grid = Grid::Groups(groups);
        self
    }

    /// Work-items of a workgroup in each dimension.
    #[must_use]
    pub fn block(mut self, items: [u32; 3]) -> Self {
        self.block = items;
        self
    }

    /// Work-items of the whole grid in each dimension: the last workgroups may be partial.
    #[must_use]
    pub fn work_items(mut self, items: [u32; 3]) -> Self {
        self.grid = Grid::Items(items);
        self
    }

    /// The next explicit argument.
    #[must_use]
    pub fn arg(mut self, arg: Arg) -> Self {
        self.args.push((None, arg));
        self
    }

    /// The explicit argument of that name.
    #[must_use]
    pub fn named_arg(mut self, name: &str, arg: Arg) -> Self {
        self.args.push((Some(name.to_owned()), arg));
        self
    }

    /// Bytes of LDS beyond the kernel's fixed size.
    #[must_use]
    pub fn dynamic_lds(mut self, bytes: u32) -> Self {
        self.dynamic_lds = bytes;
        self
    }

    /// Limits on steps, time and threads.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sees every instruction before it is executed.
    #[must_use]
    pub fn trace(mut self, trace: Trace<'a>) -> Self {
        self.watch.trace = Some(trace);
        self
    }

    /// Gives the waves a trap handler: `s_trap`, enabled exceptions, memory violations (on gfx9 where
    /// they are enabled) and illegal instructions enter it.
    #[must_use]
    pub fn trap_handler(mut self, handler: TrapHandler) -> Self {
        self.trap_handler = Some(handler);
        self
    }

    /// Has exceptions trap from the start, beyond those that the kernel's descriptor enables. Without a
    /// trap handler the first of them ends the run with [`RunError::Exception`], which names it and
    /// the instruction.
    #[must_use]
    pub fn trap_on(mut self, exceptions: Exceptions) -> Self {
        self.exceptions |= exceptions;
        self
    }

    /// Sets SH_MEM_CONFIG and SH_MEM_BASES.
    #[must_use]
    pub fn memory_config(mut self, memory: MemoryConfig) -> Self {
        self.memory = memory;
        self
    }

    /// Gives waves ordered ids, as a dispatch with ordered append on does: see
    /// [`Setup::ordered_append`](waveglass_exec::Setup::ordered_append).
    #[must_use]
    pub fn ordered_append(mut self, on: bool) -> Self {
        self.ordered_append = on;
        self
    }

    /// Counts the workgroups that have ended, for whoever shows progress.
    #[must_use]
    pub fn progress(mut self, groups_done: &'a AtomicU64) -> Self {
        self.watch.groups_done = Some(groups_done);
        self
    }

    /// Runs the kernel.
    ///
    /// # Errors
    ///
    /// [`LaunchError`] when it cannot start. What goes wrong while it runs is in the report.
    pub fn run(mut self) -> Result<Report, LaunchError> {
        let mut shape = Shape::of(self.module, &self.kernel)?;
        self.traps(&mut shape)?;
        let items = self.grid.work_items(self.block)?;
        let mut memory = GlobalMemory::new();
        let (kernarg, buffers) = self.arguments(&shape, items, &mut memory)?;
        let packet = Packet {
            block: self.block,
            grid: items,
            private_segment: shape.private_segment,
            group_segment: shape.group_segment.saturating_add(self.dynamic_lds),
            kernel_object: place::IMAGE + shape.descriptor_address,
            kernarg: place::KERNARG,
        };
        let target = self.module.target;
        let most = memory_generation(target).lds_bytes();
        if packet.group_segment > most {
            return Err(LaunchError::Bad(format!(
                "{} bytes of LDS are more than a workgroup of {target} can have ({} KiB)",
                packet.group_segment,
                most >> 10
            )));
        }
        memory.map_bytes(
            place::PACKET,
            &packet.bytes(),
            Permission::ReadOnly,
            "dispatch packet",
        )?;
        memory.map_bytes(
            place::QUEUE,
            &queue_bytes(self.memory.apertures(self.module.target)),
            Permission::ReadOnly,
            "queue",
        )?;
        memory.map_bytes(
            place::KERNARG,
            &kernarg,
            Permission::ReadOnly,
            "kernarg segment",
        )?;
        let (code, base, entries) = map_code(self.module, place::IMAGE, &mut memory)?;
        let handler = match &mut self.trap_handler {
            Some(handler) => Some(handler.map(&mut memory)?),
            None => None,
        };
        shape.setup.trap_handler = handler.as_ref().map(|h| h.vector);
        let program = Program::build(
            self.module.target,
            shape.wave_size,
            Code {
                bytes: &code,
                base,
                entries: &entries,
            },
            handler.as_ref().map(|h| h.code()),
            Registers {
                vgprs: shape.vgprs,
                agprs: shape.agprs,
            },
            Options {
                sramecc: self.module.sramecc(),
                exceptions: shape.setup.exceptions,
                ..Options::default()
            },
        );
        let dispatch = Dispatch {
            target: self.module.target,
            wave_size: shape.wave_size,
            entry: place::IMAGE + shape.entry,
            setup: shape.setup,
            packet,
            packet_address: place::PACKET,
            queue_address: place::QUEUE,
            vgprs: shape.vgprs,
            agprs: shape.agprs,
            kernarg: kernarg
                .chunks_exact(4)
                .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                .collect(),
        };
        let scratch = ScratchArena {
            base: place::SCRATCH,
            size: scratch_needed(&dispatch, self.limits.threads),
        };
        if scratch.size > 0 {
            memory.map_zeroed(scratch.base, scratch.size, Permission::ReadWrite, "scratch")?;
        }
        let start = Instant::now();
        let (outcome, error) = run(
            &dispatch,
            &program,
            &memory,
            scratch,
            &self.limits,
            self.watch,
        );
        let time = start.elapsed();
        // The buffers' memory is the caller's own, handed there and back; empty ones have none.
        let buffers = buffers
            .iter()
            .map(|&address| memory.take(address).unwrap_or_default())
            .collect();
        let trap_memory = memory.take(place::TRAP_MEMORY).unwrap_or_default();
        Ok(Report {
            outcome,
            error,
            buffers,
            trap_memory,
            time,
            load_address: place::IMAGE,
            handler: handler.as_ref().map(|h| h.range()),
        })
    }

    /// What of the setup is about traps and memory.
    fn traps(&self, shape: &mut Shape<'_>) -> Result<(), LaunchError> {
        let target = self.module.target;
        let setup = &mut shape.setup;
        setup.memory = self.memory;
        setup.ordered_append = self.ordered_append;
        let arithmetic = self.exceptions.and(Exceptions::ARITHMETIC);
        if target.major() == 11 && setup.dx10_clamp && !arithmetic.is_empty() {
            return Err(LaunchError::Bad(format!(
                "{target} raises no exceptions while MODE.DX10_CLAMP is set, as the kernel's \
                 descriptor has it (.amdhsa_dx10_clamp 0 clears it)"
            )));
        }
        let masked = self.exceptions.and(Exceptions::MEMORY_VIOLATION);
        if !target.is_gfx9() && !masked.is_empty() && self.trap_handler.is_none() {
            return Err(LaunchError::Bad(format!(
                "{target} cannot enable or mask memory violations: with a trap handler they trap"
            )));
        }
        setup.exceptions |= self.exceptions;
        if let Some(handler) = &self.trap_handler
            && handler.module.target != target
        {
            return Err(LaunchError::Bad(format!(
                "the trap handler is for {}, the kernel for {target}",
                handler.module.target
            )));
        }
        Ok(())
    }

    /// The kernarg segment's bytes, and the address of each buffer, whose bytes move from the
    /// arguments to `memory`.
    fn arguments(
        &mut self,
        shape: &Shape<'_>,
        items: [u32; 3],
        memory: &mut GlobalMemory,
    ) -> Result<(Vec<u8>, Vec<u64>), LaunchError> {
        let mut kernarg = vec![0u8; shape.kernarg_size.next_multiple_of(16).max(16)];
        let mut buffers = Vec::new();
        let mut next = match self.memory.ptr32 {
            true => place::LOW_BUFFERS,
            false => place::BUFFERS,
        };
        let explicit: Vec<&waveglass_object::Argument> = shape
            .kernel
            .and_then(|k| k.metadata.as_ref())
            .map(|m| m.args.iter().filter(|a| !a.kind.is_hidden()).collect())
            .unwrap_or_default();
        let described = shape.kernel.is_some_and(|k| k.metadata.is_some());
        if described && self.args.len() != explicit.len() {
            let list: Vec<String> = explicit
                .iter()
                .map(|a| {
                    let name = a.name.as_deref().unwrap_or("(unnamed)");
                    format!("{name}: {} bytes, {}", a.size, a.kind.name())
                })
                .collect();
            return Err(LaunchError::Bad(format!(
                "{} takes {} arguments, {} are given; its parameters: {}",
                self.kernel,
                explicit.len(),
                self.args.len(),
                list.join("; ")
            )));
        }
        let mut taken = vec![false; explicit.len()];
        let mut raw_offset = 0;
        let mut position = 0;
        for (given, (name, arg)) in self.args.iter_mut().enumerate() {
            let mut label = match name {
                Some(n) => format!("{n:?}"),
                None => given.to_string(),
            };
            // Without metadata, arguments lie one after the other at their natural alignment.
            let (offset, size) = if described {
                let i = match name {
                    Some(n) => explicit
                        .iter()
                        .position(|a| a.name.as_deref() == Some(n))
                        .ok_or_else(|| {
                            LaunchError::Bad(format!("{} has no parameter {n:?}", self.kernel))
                        })?,
                    None => {
                        while taken.get(position) == Some(&true) {
                            position += 1;
                        }
                        position
                    }
                };
                if std::mem::replace(&mut taken[i], true) {
                    return Err(LaunchError::Bad(format!("argument {label} is given twice")));
                }
                label = match &explicit[i].name {
                    Some(n) if !n.is_empty() => format!("{n:?}"),
                    _ => i.to_string(),
                };
                (explicit[i].offset as usize, explicit[i].size as usize)
            } else {
                let size = match arg {
                    Arg::Value(b) => b.len(),
                    Arg::Buffer(_) => 8,
                };
                raw_offset = usize::next_multiple_of(raw_offset, size.clamp(1, 8));
                let at = raw_offset;
                raw_offset += size;
                (at, size)
            };
            let bytes = match arg {
                Arg::Value(b) => b.clone(),
                Arg::Buffer(data) => {
                    let (address, size) = (next, data.len() as u64);
                    // An empty buffer has an address, and no memory there.
                    if size != 0 {
                        let title = format!("argument {label}");
                        let data = std::mem::take(data);
                        memory.map_vec(next, data, Permission::ReadWrite, title)?;
                    }
                    buffers.push(address);
                    next = (next + size + place::GAP).next_multiple_of(place::GAP);
                    if self.memory.ptr32 && next > 1 << 32 {
                        return Err(LaunchError::Bad(
                            "the buffers do not fit into 32-bit addresses".into(),
                        ));
                    }
                    address.to_le_bytes().to_vec()
                }
            };
            if bytes.len() != size {
                return Err(LaunchError::Bad(format!(
                    "argument {label} has {} bytes, the parameter has {size}",
                    bytes.len()
                )));
            }
            if kernarg.len() < offset + size {
                kernarg.resize((offset + size).next_multiple_of(16), 0);
            }
            kernarg[offset..offset + size].copy_from_slice(&bytes);
        }
        if let Some(k) = shape.kernel {
            let hidden = Hidden {
                items,
                block: self.block,
                dynamic_lds: self.dynamic_lds,
                queue: place::QUEUE,
                apertures: self.memory.apertures(self.module.target),
            };
            hidden.fill(k, 0, &mut kernarg);
        }
        Ok((kernarg, buffers))
    }
}

/// Maps the image; gives the code's bytes, their address, and where instructions start.
fn map_code(
    module: &Module,
    base: u64,
    memory: &mut GlobalMemory,
) -> Result<(Vec<u8>, u64, Vec<u64>), LaunchError> {
    let object = match &module.code {
        Contents::Raw(code) => {
            memory.map_bytes(base, code, Permission::ReadOnly, "code")?;
            return Ok((code.clone(), base, vec![base]));
        }
        Contents::Object(o) => o,
    };
    let loaded = object.image().relocated(base)?;
    let mut code = None;
    for s in &loaded.segments {
        let address = s.address;
        // Regions start at a multiple of 16; a segment may not.
        let lead = (address % 16) as usize;
        let mut bytes = vec![0u8; lead];
        bytes.extend_from_slice(&s.data);
        bytes.resize(lead + s.size as usize, 0);
        let permission = if s.writable {
            Permission::ReadWrite
        } else {
            Permission::ReadOnly
        };
        let name = if s.executable {
            "code"
        } else {
            "data of the code object"
        };
        memory.map_bytes(address - lead as u64, &bytes, permission, name)?;
        if s.executable && code.is_none() {
            code = Some((s.data.clone(), address));
        }
    }
    let (code, start) =
        code.ok_or_else(|| LaunchError::Bad("the code object has no executable segment".into()))?;
    Ok((code, start, entries(object, base)))
}

/// Where instructions start in a code object that is loaded at `base`.
pub(crate) fn entries(object: &CodeObject, base: u64) -> Vec<u64> {
    let functions = object
        .symbols()
        .iter()
        .filter(|s| s.kind == SymbolKind::Function)
        .map(|s| base + s.address);
    let kernels = object.kernels().iter().map(|k| base + k.entry);
    functions.chain(kernels).collect()
}
