//! What a target has of registers, which resource expressions and kernel descriptors ask for.

use super::expression::Function;
use waveglass_isa::Target;

/// Register file sizes and granules of a target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) target: Target,
    pub(super) wave_size: u32,
    pub(super) xnack: bool,
}

impl Limits {
    pub(super) fn new(target: Target, wave_size: u32) -> Self {
        Self {
            target,
            wave_size,
            xnack: false,
        }
    }

    /// VGPRs are counted in granules of this size in the kernel descriptor (AMDGPUUsage,
    /// GRANULATED_WORKITEM_VGPR_COUNT).
    pub(super) fn vgpr_encoding_granule(&self) -> u32 {
        if self.target.has_gfx90a_insts() {
            8
        } else if self.target.has_gfx1250_insts() {
            16
        } else if self.target.major() >= 10 && self.wave_size == 32 {
            8
        } else {
            4
        }
    }

    /// The most SGPRs that a wave may name.
    pub(super) fn addressable_sgprs(&self) -> u32 {
        if self.target.major() >= 10 { 106 } else { 102 }
    }

    pub(super) fn addressable_vgprs(&self) -> u32 {
        if self.target.has_gfx90a_insts() {
            512
        } else if self.target.has_gfx1250_insts() {
            1024
        } else {
            256
        }
    }

    /// SGPRs that VCC, FLAT_SCRATCH and XNACK_MASK take at the end of the allocation.
    pub(super) fn extra_sgprs(&self, vcc: bool, flat_scratch: bool, xnack: bool) -> u32 {
        let vcc = 2 * vcc as u32;
        if self.target.major() >= 10 {
            return vcc;
        }
        let architected = matches!(self.target, Target::Gfx942 | Target::Gfx950);
        if flat_scratch || architected {
            6
        } else if xnack {
            4
        } else {
            vcc
        }
    }

    /// VGPRs and AGPRs together: on CDNA 2 and later the AGPRs stand behind the VGPRs.
    fn total_vgprs(&self, agprs: i64, vgprs: i64) -> i64 {
        if self.target.has_gfx90a_insts() && agprs > 0 {
            ((vgprs + 3) & !3) + agprs
        } else {
            vgprs.max(agprs)
        }
    }

    pub(super) fn function(&self, f: Function, v: &[i64; 8]) -> Option<i64> {
        Some(match f {
            Function::ExtraSgprs => self.extra_sgprs(v[0] != 0, v[1] != 0, v[2] != 0) as i64,
            Function::TotalVgprs => self.total_vgprs(v[0], v[1]),
            Function::AlignTo => {
                let (value, align) = (v[0], v[1]);
                if align <= 0 {
                    return None;
                }
                value.checked_add(align - 1)? / align * align
            }
            Function::Occupancy => {
                // Most waves, granules and pools, then the kernel's registers.
                let [max, granule, pool, old, sgprs, vgprs, _, _] = *v;
                let mut waves = old.min(max);
                if vgprs > 0 && granule > 0 {
                    let need = vgprs.checked_add(granule - 1)? / granule * granule;
                    waves = waves.min((pool / need.max(1)).max(1));
                }
                if sgprs > 0 && self.target.major() < 10 {
                    waves = waves.min(match sgprs {
                        0..=80 => 10,
                        81..=88 => 9,
                        89..=100 => 8,
                        _ => 7,
                    });
                }
                waves
            }
            Function::InstPrefSize => {
                let (bytes, max) = match self.target.major() {
                    11 => (v[0], 63),
                    _ => (v[0], 255),
                };
                (bytes.checked_add(127)? / 128).clamp(0, max)
            }
            Function::Max | Function::Or => return None,
        })
    }
}
