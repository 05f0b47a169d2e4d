//! What a program may count on in each target.

use serde::Serialize;
use waveglass_isa::Target;

/// Sizes and features of a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TargetFacts {
    /// LLVM's name.
    pub name: &'static str,
    /// AMD's name of the generation.
    pub generation: &'static str,
    /// The wave sizes, the default first.
    pub wave_sizes: &'static [u32],
    /// VGPRs that one wave can address, AGPRs not counted.
    pub vgprs: u32,
    /// AGPRs that one wave can address.
    pub agprs: u32,
    /// SGPRs that a wave can address by number, VCC and the like not counted.
    pub sgprs: u32,
    /// LDS that a workgroup can have, in bytes.
    pub lds_bytes: u32,
    /// Whether code is built for XNACK on or off.
    pub xnack: bool,
    /// Whether code is built for SRAM ECC on or off.
    pub sramecc: bool,
}

impl TargetFacts {
    /// The facts of `target`: AMDGPUUsage, "Processors", and each manual's chapter "Kernel
    /// State".
    pub fn of(target: Target) -> Self {
        Self {
            name: target.name(),
            generation: target.generation().name(),
            wave_sizes: match (target.has_wave32(), target.has_wave64()) {
                (true, true) => &[32, 64],
                (true, false) => &[32],
                _ => &[64],
            },
            vgprs: if target.has_gfx1250_insts() {
                1024
            } else {
                256
            },
            agprs: match target {
                Target::Gfx908 | Target::Gfx90a | Target::Gfx942 | Target::Gfx950 => 256,
                _ => 0,
            },
            // gfx9 gives 102 to 105 to FLAT_SCRATCH and XNACK_MASK.
            sgprs: if target.is_gfx9() { 102 } else { 106 },
            lds_bytes: match target {
                Target::Gfx950 => 160 << 10,
                Target::Gfx1250 | Target::Gfx1251 => 320 << 10,
                _ => 64 << 10,
            },
            xnack: target.supports_xnack(),
            sramecc: target.supports_sramecc(),
        }
    }
}
