//! The state that an access is shown on.

use super::AccessError;
use crate::exec::Wave;
use crate::isa::{Reg, RegFile, Target};
use crate::mem::{GlobalMemory, Lds, Permission, Rules, ScratchWindow};
use waveglass_exec::dispatch;
use waveglass_exec::machine::Env;
use waveglass_exec::wave::sreg;

/// VGPRs of the wave, and AGPRs where the target has them.
const VGPRS: usize = 256;
/// Where the wave's scratch lies.
const SCRATCH: u64 = 0x4000_0000_0000;
/// Most bytes that a scene maps: what it holds is shown, not computed with.
const MOST: u64 = 1 << 30;

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
        let mut wave = Wave::new(target, wave_size, VGPRS, agprs);
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
            rules: dispatch::rules(target),
            env: Env {
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
    /// [`AccessError::Scene`]: too large, or over what is mapped.
    pub fn map(
        &mut self,
        base: u64,
        size: u64,
        writable: bool,
        name: &str,
    ) -> Result<(), AccessError> {
        if size > MOST {
            return Err(AccessError::Scene(format!(
                "a region of {size} bytes; at most {MOST} can be shown"
            )));
        }
        let mut bytes = vec![0; size as usize];
        fill(&mut bytes, base);
        let permission = if writable {
            Permission::ReadWrite
        } else {
            Permission::ReadOnly
        };
        self.memory
            .map_bytes(base, &bytes, permission, name)
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

    /// The wave, to set its registers and EXEC.
    pub fn wave_mut(&mut self) -> &mut Wave {
        &mut self.wave
    }

    /// The wave.
    pub fn wave(&self) -> &Wave {
        &self.wave
    }

    /// The LDS aperture's and the scratch aperture's first addresses.
    pub fn apertures(&self) -> (u64, u64) {
        let a = self.env.apertures;
        (a.shared_base(), a.private_base())
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
