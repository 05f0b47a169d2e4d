//! The state that an access is shown on.

use super::AccessError;
use crate::exec::{MemoryConfig, Wave};
use crate::isa::{Reg, RegFile, Target};
use crate::mem::{
    Apertures, Generation, GlobalMemory, Lds, Permission, Port, Rules, ScratchWindow,
};
use waveglass_exec::dispatch;
use waveglass_exec::machine::Env;
use waveglass_exec::wave::sreg;

/// VGPRs of the wave, and AGPRs where the target has them, unless the scene says so.
const VGPRS: usize = 256;
/// Faults that are kept: a wave's, of each dword that a lane accesses.
const FAULTS: usize = 64 * 32;
/// Where the wave's scratch lies.
const SCRATCH: u64 = 0x4000_0000_0000;
/// Most bytes that a scene maps: what it holds is shown, not computed with.
const MOST: u64 = 1 << 28;

/// Settings of a [`Scene`] that are the driver's or the kernel's, not the instruction's.
#[derive(Clone, Copy, Debug, Default)]
pub struct SceneConfig {
    /// SH_MEM_CONFIG, SH_MEM_BASES and LDS_CONFIG.
    pub memory: MemoryConfig,
    /// The VGPRs that the wave is allocated; 256 where not given.
    pub vgprs: Option<u32>,
}

/// A wave with registers, memory, LDS and scratch. Mapped memory, LDS and scratch hold, in each
/// dword, the low 32 bits of that dword's own address, so that a loaded value says where it is from.
#[derive(Debug)]
pub struct Scene {
    pub(super) wave: Wave,
    pub(super) lds: Lds,
    pub(super) memory: GlobalMemory,
    pub(super) rules: Rules,
    pub(super) env: Env,
}

impl Scene {
    /// A wave of `wave_size` lanes, all on, with zero in its registers, `lds` bytes of LDS and
    /// `scratch` bytes of scratch a lane. M0 holds `0xffff_ffff`, as before gfx9's LDS operations.
    ///
    /// # Errors
    ///
    /// [`AccessError::Scene`]: a wave or sizes that the target does not have.
    pub fn new(
        target: Target,
        wave_size: u32,
        lds: u32,
        scratch: u32,
    ) -> Result<Self, AccessError> {
        Self::configured(target, wave_size, (lds, scratch), &SceneConfig::default())
    }

    /// [`Scene::new`] with settings; `lds_scratch` are the sizes.
    ///
    /// # Errors
    ///
    /// As [`Scene::new`], and for more registers than a wave can have.
    pub fn configured(
        target: Target,
        wave_size: u32,
        (lds, scratch): (u32, u32),
        config: &SceneConfig,
    ) -> Result<Self, AccessError> {
        let has = match wave_size {
            32 => target.has_wave32(),
            64 => target.has_wave64(),
            _ => false,
        };
        if !has {
            return Err(AccessError::Scene(format!(
                "{target} has no waves of {wave_size} lanes"
            )));
        }
        let most = dispatch::memory_generation(target).lds_bytes();
        if lds > most {
            return Err(AccessError::Scene(format!(
                "{lds} bytes of LDS are more than a workgroup of {target} can have ({} KiB)",
                most >> 10
            )));
        }
        let agprs = if target.is_gfx9() && target >= Target::Gfx908 {
            VGPRS
        } else {
            0
        };
        let vgprs = config.vgprs.map_or(VGPRS, |n| n as usize);
        let most = if target.has_gfx1250_insts() {
            1024
        } else {
            VGPRS
        };
        if vgprs == 0 || vgprs > most {
            return Err(AccessError::Scene(format!(
                "{vgprs} VGPRs: a wave of {target} has 1 to {most}"
            )));
        }
        let mut wave = Wave::new(target, wave_size, vgprs, agprs);
        wave.ptr32 = config.memory.ptr32;
        wave.set_exec(wave.full_mask());
        wave.sgpr[sreg::M0] = u32::MAX;
        wave.scratch_base = SCRATCH;
        wave.scratch_size = scratch;
        if target.is_gfx9() {
            wave.set_s64(sreg::FLAT_SCRATCH_LO, SCRATCH);
        }
        let mut scene = Self {
            wave,
            lds: Lds::new(lds),
            memory: GlobalMemory::new(),
            rules: config.memory.rules(target),
            env: Env {
                apertures: config.memory.apertures(target),
                fault_limit: FAULTS,
                ordered_append: true,
                ..Env::alone(target, lds)
            },
        };
        fill(scene.lds.bytes_mut(), 0);
        let bytes = scene.window().bytes();
        if bytes > 0 {
            scene.map(SCRATCH, bytes, true, "scratch")?;
        }
        Ok(scene)
    }

    /// Maps memory.
    ///
    /// # Errors
    ///
    /// [`AccessError::Scene`]: too large, over what is mapped, or in the aperture of LDS or scratch.
    pub fn map(
        &mut self,
        base: u64,
        size: u64,
        writable: bool,
        name: &str,
    ) -> Result<(), AccessError> {
        self.map_with(base, size, writable, name, &[])
    }

    /// Maps memory that begins with `content`; the rest holds its own addresses.
    ///
    /// # Errors
    ///
    /// As [`Scene::map`], and for more content than there is room.
    pub fn map_with(
        &mut self,
        base: u64,
        size: u64,
        writable: bool,
        name: &str,
        content: &[u8],
    ) -> Result<(), AccessError> {
        let error = |why: String| Err(AccessError::Scene(why));
        let mapped: u64 = self.memory.regions().map(|r| r.size).sum();
        if size > MOST || mapped.saturating_add(size) > MOST {
            return error(format!(
                "{size} bytes are more than can be shown: {} bytes in all, scratch included",
                MOST
            ));
        }
        let last = base.saturating_add(size.saturating_sub(1));
        if let Some((what, from, to)) = self.in_the_way(base, last) {
            return error(format!(
                "{base:#x} to {last:#x} lie in {what}, {from:#x} to {to:#x}, where no memory can be: {}",
                if what.contains("hole") {
                    "an access there is a violation"
                } else {
                    "a flat access there is one of LDS or scratch"
                }
            ));
        }
        if content.len() as u64 > size {
            return error(format!(
                "{} bytes of content for {size} bytes of memory",
                content.len()
            ));
        }
        let mut bytes = vec![0; size as usize];
        fill(&mut bytes, base);
        bytes[..content.len()].copy_from_slice(content);
        let permission = if writable {
            Permission::ReadWrite
        } else {
            Permission::ReadOnly
        };
        self.memory
            .map_vec(base, bytes, permission, name)
            .map_err(|e| AccessError::Scene(e.to_string()))
    }

    /// Makes the wave the one that M0\[15:0\] says, and it its turn.
    pub(super) fn give_turn(&mut self) {
        let id = u64::from(self.wave.sgpr[sreg::M0] & dispatch::ORDERED_ID_MASK);
        self.wave.ordered_id = id;
        for older in 0..id {
            let _ = self.env.gds.in_turn(older, true, || ());
        }
    }

    /// What of the address space, memory aside, lies within two addresses, and where.
    fn in_the_way(&self, first: u64, last: u64) -> Option<(&'static str, u64, u64)> {
        let (a, generation) = (self.apertures_of_wave(), self.rules.generation);
        let mut taken = Vec::new();
        if a.shared_base != 0 {
            taken.push(("the aperture of LDS", a.shared_base(), a.shared_limit()));
        }
        if a.private_base != 0 {
            let wide = generation == Generation::Cdna5 && !a.ptr32;
            let range = match (wide, u64::from(a.private_base) >> 10) {
                (false, _) => Some((a.private_base(), a.private_limit())),
                (true, 0) => None,
                (true, top) => Some((top << 58, (top << 58) | ((1 << 58) - 1))),
            };
            taken.extend(range.map(|(from, to)| ("the aperture of scratch", from, to)));
        }
        if !a.ptr32 {
            let top = match generation {
                Generation::Cdna5 => 56,
                _ => 47,
            };
            let hole = "the hole of the address space";
            taken.push((hole, 1 << top, (u64::MAX << top) - 1));
        }
        taken
            .into_iter()
            .find(|&(_, from, to)| first <= to && last >= from)
    }

    /// The flat address of a lane's private offset. On CDNA 5 it says which lane's and where in memory (CDNA 5 ISA
    /// 10.2.1).
    pub fn scratch_address(&self, lane: u32, offset: u64) -> u64 {
        let a = self.apertures_of_wave();
        match self.rules.generation {
            Generation::Cdna5 if !a.ptr32 => a
                .flat_scratch_base(self.window().base)
                .wrapping_add(offset)
                .wrapping_add(u64::from(lane) << 52),
            _ => a.private_base().wrapping_add(offset),
        }
    }

    /// The wave, to set its registers and EXEC.
    pub fn wave_mut(&mut self) -> &mut Wave {
        &mut self.wave
    }

    /// The mapped memory, scratch included.
    pub fn memory(&self) -> &GlobalMemory {
        &self.memory
    }

    /// The workgroup's LDS.
    pub fn lds_mut(&mut self) -> &mut Lds {
        &mut self.lds
    }

    /// The wave.
    pub fn wave(&self) -> &Wave {
        &self.wave
    }

    /// The LDS aperture's and the scratch aperture's first addresses.
    pub fn apertures(&self) -> (u64, u64) {
        let a = self.apertures_of_wave();
        (a.shared_base(), a.private_base())
    }

    /// The apertures in the wave's address mode.
    pub(super) fn apertures_of_wave(&self) -> Apertures {
        Apertures {
            ptr32: self.wave.ptr32,
            ..self.env.apertures
        }
    }

    /// The bytes of LDS that accesses may touch.
    pub(super) fn lds_limit(&self) -> u32 {
        let mut port = Port::new(self.rules);
        port.m0 = self.wave.sgpr[sreg::M0];
        self.lds.limit(&port)
    }

    /// What sets them.
    pub(super) fn lds_limit_name(&self) -> &'static str {
        if self.lds_limit() < self.lds.size() {
            "M0, which bounds LDS"
        } else {
            "the workgroup's LDS"
        }
    }

    pub(super) fn window(&self) -> ScratchWindow {
        let base = if self.wave.target.is_gfx9() {
            self.wave.s64(sreg::FLAT_SCRATCH_LO)
        } else {
            self.wave.scratch_base
        };
        ScratchWindow {
            base,
            size: self.wave.scratch_size.into(),
            wave_size: self.wave.lanes() as u32,
        }
    }

    /// The place of a vector register in the wave's file.
    pub(super) fn register(&self, r: Reg) -> usize {
        match r.file {
            RegFile::Agpr => self.wave.agpr_base + usize::from(r.index),
            _ => usize::from(r.index),
        }
    }

    /// How many vector registers there are.
    pub(super) fn registers(&self) -> usize {
        self.wave.temp_base
    }
}

fn fill(bytes: &mut [u8], base: u64) {
    for (i, dword) in bytes.chunks_mut(4).enumerate() {
        let value = (base.wrapping_add(4 * i as u64) as u32).to_le_bytes();
        dword.copy_from_slice(&value[..dword.len()]);
    }
}
