//! Machine code started the way a command processor starts it.

use waveglass_exec::{Dispatch, Limits, Packet, Registers, ScratchArena, Setup, scratch_needed};
use waveglass_isa::Target;
use waveglass_mem::Permission;
use waveglass_object::{KernelDescriptor, TargetId};

use super::kernel::{Scratch, check_lds};
use super::memory::map_gaps;
use super::programs::{Key, Programs};
use super::{HostMemory, HostReport};
use crate::LaunchError;
use crate::launch::{Grid, registers, setup};

/// COMPUTE_PGM_RSRC1 to 3 (AMDGPUUsage, "compute_pgm_rsrc1" and so on).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rsrc {
    /// COMPUTE_PGM_RSRC1: registers, MODE.
    pub rsrc1: u32,
    /// COMPUTE_PGM_RSRC2: user SGPRs, workgroup ids, work-item ids, LDS, scratch.
    pub rsrc2: u32,
    /// COMPUTE_PGM_RSRC3: where AGPRs begin, on CDNA 2 to 4. GCN 5 and CDNA 1 have no such register,
    /// and it must be zero.
    pub rsrc3: u32,
}

impl Rsrc {
    /// Every register that a wave can have, MODE as compilers set it (round to nearest even, all
    /// denormals, DX10_CLAMP, and IEEE where there is that), and nothing in RSRC2.
    pub fn all_registers(target: Target, wave_size: u32) -> Self {
        let wave32_granule_of_8 = target.major() >= 10 && wave_size == 32;
        // 256 VGPRs in granules of 4, or of 8 in wave32 from gfx10 on; 512 of CDNA 2 to 4 in
        // granules of 8; 1024 of gfx1250 in granules of 16.
        let blocks = if wave32_granule_of_8 && !target.has_gfx1250_insts() {
            31
        } else {
            63
        };
        let float_mode = 0xf0 << 12;
        let clamp_and_ieee = if target.major() < 12 {
            1 << 21 | 1 << 23
        } else {
            0
        };
        Self {
            rsrc1: blocks | float_mode | clamp_and_ieee,
            rsrc2: 0,
            // ACCUM_OFFSET: AGPRs from register 256 on.
            rsrc3: if target.has_gfx90a_insts() { 63 } else { 0 },
        }
    }

    /// Bytes that one unit of RSRC2.LDS_SIZE stands for (AMDGPUUsage, `GRANULATED_LDS_SIZE`).
    pub fn lds_granule(target: Target) -> u32 {
        if target == Target::Gfx950 {
            320 * 4
        } else if target.has_gfx1250_insts() {
            512 * 4
        } else {
            128 * 4
        }
    }
}

/// Memory that the caller has set aside for scratch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchPlace {
    /// Its address, a multiple of 256. The memory must be registered.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
}

/// Machine code with the register values of a command processor.
///
/// Waves start at the code's first byte. SGPRs 0 and on hold [`RawDispatch::user_data`], as many as
/// RSRC2.USER_SGPR says; the workgroup ids that RSRC2 asks for follow (gfx12 has them in TTMP
/// registers), then the workgroup info and, where scratch is not architected, the wave's scratch
/// offset. VGPRs hold the work-item ids, in one register on CDNA 2 and later and RDNA 3 and later.
/// All else is zero.
#[derive(Clone, Debug)]
pub struct RawDispatch {
    /// The target.
    pub target: Target,
    /// Whether the processor runs with SRAM error correction, where the target has it: 16-bit loads
    /// then write whole registers (CDNA 1 ISA 9.1.6).
    pub sramecc: bool,
    /// Lanes in a wave; the target's usual number where that is `None`.
    pub wave_size: Option<u32>,
    /// Where the code is. Programs may read it there.
    pub code: *const u8,
    /// Its size in bytes.
    pub code_size: usize,
    /// Workgroups in each dimension.
    pub groups: [u32; 3],
    /// Work-items of a workgroup in each dimension.
    pub block: [u32; 3],
    /// The values of COMPUTE_PGM_RSRC1 to 3.
    pub rsrc: Rsrc,
    /// COMPUTE_USER_DATA: values past RSRC2.USER_SGPR are not loaded, missing ones are zero.
    pub user_data: Vec<u32>,
    /// Scratch bytes of a lane.
    pub scratch_bytes: u32,
    /// Where scratch is to lie; allocated for the run if that is `None`.
    pub scratch: Option<ScratchPlace>,
    /// LDS bytes of a workgroup; RSRC2.LDS_SIZE says where that is `None`.
    pub lds_bytes: Option<u32>,
}

impl RawDispatch {
    /// A dispatch of one workgroup of one wave's lanes with [`Rsrc::all_registers`].
    pub fn new(target: Target, code: *const u8, code_size: usize) -> Self {
        Self {
            target,
            sramecc: true,
            wave_size: None,
            code,
            code_size,
            groups: [1; 3],
            block: [target.default_wave_size(), 1, 1],
            rsrc: Rsrc::all_registers(target, target.default_wave_size()),
            user_data: Vec::new(),
            scratch_bytes: 0,
            scratch: None,
            lds_bytes: None,
        }
    }

    /// Bytes of scratch memory that a run takes, for callers that set it aside.
    ///
    /// # Errors
    ///
    /// What [`RawDispatch::run`] would refuse the registers for.
    pub fn scratch_size(&self, limits: &Limits) -> Result<u64, LaunchError> {
        Ok(scratch_needed(&self.dispatch()?, limits.threads))
    }

    /// Runs the code on `memory`.
    ///
    /// # Errors
    ///
    /// [`LaunchError`] when it cannot start: sizes or register values that the target does not have,
    /// and what Waveglass does not model about them. What goes wrong while it runs is in the report.
    ///
    /// # Safety
    ///
    /// [`RawDispatch::code`] points to [`RawDispatch::code_size`] readable bytes, which nobody else
    /// changes meanwhile.
    pub unsafe fn run(
        &self,
        memory: &HostMemory,
        programs: &Programs,
        limits: &Limits,
    ) -> Result<HostReport, LaunchError> {
        let dispatch = self.dispatch()?;
        let scratch = self.scratch(&dispatch, limits)?;
        let size = self.code_size as u64;
        let end = dispatch.entry.checked_add(size);
        let (Some(end), false) = (end, self.code.is_null() || size == 0) else {
            return bad("there is no code");
        };
        if !dispatch.entry.is_multiple_of(4) {
            return bad("instructions start at multiples of 4; the code's address is none");
        }
        let space = memory.space(|space| {
            // Memory that is registered keeps what was said of it.
            // SAFETY: the caller vouches for the code.
            unsafe { map_gaps(space, dispatch.entry, end, Permission::ReadOnly, "code") }?;
            scratch.map(space)?;
            Ok(())
        })?;
        let key = Key {
            target: self.target,
            wave_size: dispatch.wave_size,
            base: dispatch.entry,
            registers: Registers {
                vgprs: dispatch.vgprs,
                agprs: dispatch.agprs,
            },
            sramecc: self.sramecc,
            exceptions: dispatch.setup.exceptions,
        };
        // SAFETY: the caller vouches for the code, and no wave runs yet.
        let code = unsafe { std::slice::from_raw_parts(self.code, self.code_size) };
        let program = programs.get(key, code, &[dispatch.entry]);
        let arena = scratch.arena();
        Ok(HostReport::of_run(
            &dispatch,
            &program,
            &space,
            arena,
            limits,
            dispatch.entry,
        ))
    }

    /// What the register values ask for.
    fn dispatch(&self) -> Result<Dispatch, LaunchError> {
        let target = self.target;
        let wave_size = self.wave_size.unwrap_or(target.default_wave_size());
        let has = match wave_size {
            32 => target.has_wave32(),
            64 => target.has_wave64(),
            _ => false,
        };
        if !has {
            return bad(format!("{target} has no waves of {wave_size} lanes"));
        }
        let items = Grid::Groups(self.groups).work_items(self.block)?;
        let d = self.descriptor(wave_size)?;
        let lds = match self.lds_bytes {
            Some(bytes) => bytes,
            None => d.granulated_lds_size() * Rsrc::lds_granule(target),
        };
        check_lds(target, lds)?;
        let Registers { vgprs, agprs } = registers(&d, target);
        let loaded = self.user_data.len().min(d.user_sgpr_count() as usize);
        Ok(Dispatch {
            target,
            wave_size,
            entry: self.code.expose_provenance() as u64,
            setup: Setup {
                // User SGPRs are loaded from the values given here as preloaded arguments would be.
                preload_length: loaded as u32,
                preload_offset: 0,
                // "If trap_en == 0, all traps and exceptions are ignored" (Vega ISA 3.10).
                exceptions: waveglass_exec::Exceptions::NONE,
                ..setup(&d, target)
            },
            packet: Packet {
                block: self.block,
                grid: items,
                private_segment: self.scratch_bytes,
                group_segment: lds,
                kernel_object: 0,
                kernarg: 0,
            },
            packet_address: 0,
            queue_address: 0,
            vgprs,
            agprs,
            kernarg: self.user_data[..loaded].to_vec(),
        })
    }

    /// The register values as a kernel descriptor, whose reader knows each target's fields.
    fn descriptor(&self, wave_size: u32) -> Result<KernelDescriptor, LaunchError> {
        let target = self.target;
        let Some(id) = TargetId::from_name(target.name()) else {
            return Err(LaunchError::UnknownTarget {
                gfx: target.name().into(),
            });
        };
        let mut rsrc1 = self.rsrc.rsrc1;
        if target.major() >= 10 {
            // SGPRS does nothing from gfx10 on: every wave has 128.
            rsrc1 &= !(0xf << 6);
        }
        let wave32 = target.major() >= 10 && wave_size == 32;
        let mut bytes = [0; 64];
        bytes[44..48].copy_from_slice(&self.rsrc.rsrc3.to_le_bytes());
        bytes[48..52].copy_from_slice(&rsrc1.to_le_bytes());
        bytes[52..56].copy_from_slice(&self.rsrc.rsrc2.to_le_bytes());
        bytes[56..58].copy_from_slice(&(u16::from(wave32) << 10).to_le_bytes());
        let d = KernelDescriptor::parse(&bytes, 0, &id).map_err(|e| {
            let text = match e {
                waveglass_object::Error::Malformed { what, .. } => what,
                other => other.to_string(),
            };
            LaunchError::Bad(text)
        })?;
        let traps = d.exceptions() != 0 || d.exception_address_watch() || d.exception_memory();
        if d.enable_trap_handler() && traps {
            return bad(
                "RSRC2 has exceptions trap, which is not modelled: there is no trap handler",
            );
        }
        if d.enable_trap_handler() && d.debug_mode() {
            return bad(
                "RSRC1 has waves go step by step, which is not modelled: there is no trap handler",
            );
        }
        if d.trap_on_start() || d.trap_on_end() {
            return bad("RSRC3 has waves trap, which is not modelled: there is no trap handler");
        }
        if d.dynamic_vgpr() {
            return bad("dynamic VGPR allocation is not modelled");
        }
        Ok(d)
    }

    fn scratch(&self, dispatch: &Dispatch, limits: &Limits) -> Result<Scratch, LaunchError> {
        let Some(place) = self.scratch else {
            return Scratch::for_run(dispatch, limits);
        };
        let needed = scratch_needed(dispatch, limits.threads);
        if place.size < needed {
            return bad(format!(
                "{} bytes of scratch memory are set aside, the dispatch takes {needed}",
                place.size
            ));
        }
        if !place.address.is_multiple_of(256) {
            return bad("scratch memory starts at a multiple of 256");
        }
        Ok(Scratch::Given(ScratchArena {
            base: place.address,
            size: place.size,
        }))
    }
}

fn bad<T>(what: impl Into<String>) -> Result<T, LaunchError> {
    Err(LaunchError::Bad(what.into()))
}
