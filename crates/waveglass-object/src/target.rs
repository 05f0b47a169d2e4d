//! Targets as files name them: the ELF machine number, the gfx name and the target features.

use std::fmt;

/// `EF_AMDGPU_MACH_AMDGCN_*` (AMDGPUUsage, "AMDGPU EF_AMDGPU_MACH Values"); r600 has no HSA.
const MACHS: &[(u32, &str)] = &[
    (0x20, "gfx600"),
    (0x21, "gfx601"),
    (0x22, "gfx700"),
    (0x23, "gfx701"),
    (0x24, "gfx702"),
    (0x25, "gfx703"),
    (0x26, "gfx704"),
    (0x28, "gfx801"),
    (0x29, "gfx802"),
    (0x2a, "gfx803"),
    (0x2b, "gfx810"),
    (0x2c, "gfx900"),
    (0x2d, "gfx902"),
    (0x2e, "gfx904"),
    (0x2f, "gfx906"),
    (0x30, "gfx908"),
    (0x31, "gfx909"),
    (0x32, "gfx90c"),
    (0x33, "gfx1010"),
    (0x34, "gfx1011"),
    (0x35, "gfx1012"),
    (0x36, "gfx1030"),
    (0x37, "gfx1031"),
    (0x38, "gfx1032"),
    (0x39, "gfx1033"),
    (0x3a, "gfx602"),
    (0x3b, "gfx705"),
    (0x3c, "gfx805"),
    (0x3d, "gfx1035"),
    (0x3e, "gfx1034"),
    (0x3f, "gfx90a"),
    (0x41, "gfx1100"),
    (0x42, "gfx1013"),
    (0x43, "gfx1150"),
    (0x44, "gfx1103"),
    (0x45, "gfx1036"),
    (0x46, "gfx1101"),
    (0x47, "gfx1102"),
    (0x48, "gfx1200"),
    (0x49, "gfx1250"),
    (0x4a, "gfx1151"),
    (0x4c, "gfx942"),
    (0x4e, "gfx1201"),
    (0x4f, "gfx950"),
    (0x51, "gfx9-generic"),
    (0x52, "gfx10-1-generic"),
    (0x53, "gfx10-3-generic"),
    (0x54, "gfx11-generic"),
    (0x55, "gfx1152"),
    (0x58, "gfx1153"),
    (0x59, "gfx12-generic"),
    (0x5a, "gfx1251"),
    (0x5f, "gfx9-4-generic"),
];

/// The gfx name of an `EF_AMDGPU_MACH` number, for example `gfx90a` for 0x3f.
///
/// ```
/// assert_eq!(waveglass_object::gfx_name(0x3f), Some("gfx90a"));
/// ```
pub fn gfx_name(mach: u32) -> Option<&'static str> {
    MACHS.iter().find(|m| m.0 == mach).map(|m| m.1)
}

/// The `EF_AMDGPU_MACH` number of a gfx name: the inverse of [`gfx_name`].
pub fn mach_of(gfx: &str) -> Option<u32> {
    MACHS.iter().find(|m| m.1 == gfx).map(|m| m.0)
}

/// Setting of a target feature (AMDGPUUsage, "Target Features").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Feature {
    /// The processor does not have it (code object V3: off or not there, which V3 cannot tell).
    #[default]
    Unsupported,
    /// The code works with either setting.
    Any,
    /// The code needs it off.
    Off,
    /// The code needs it on.
    On,
}

/// Processor and features that code was compiled for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TargetId {
    /// `EF_AMDGPU_MACH` number.
    pub mach: u32,
    /// The gfx name.
    pub gfx: &'static str,
    /// XNACK (page fault replay).
    pub xnack: Feature,
    /// SRAM error correction.
    pub sramecc: Feature,
    /// Version of a generic target (code object V6), 0 where there is none.
    pub generic_version: u8,
}

impl TargetId {
    /// Reads a target ID as bundle entries and metadata spell it: `gfx90a:sramecc+:xnack-`.
    /// A feature that is not named is [`Feature::Any`]. `None` if the processor or a feature is
    /// not known.
    pub fn from_name(id: &str) -> Option<Self> {
        let mut parts = id.split(':');
        let name = parts.next()?;
        let mach = mach_of(name)?;
        let mut target = TargetId {
            mach,
            gfx: gfx_name(mach)?,
            xnack: Feature::Any,
            sramecc: Feature::Any,
            generic_version: 0,
        };
        for part in parts {
            match part {
                "xnack+" => target.xnack = Feature::On,
                "xnack-" => target.xnack = Feature::Off,
                "sramecc+" => target.sramecc = Feature::On,
                "sramecc-" => target.sramecc = Feature::Off,
                _ => return None,
            }
        }
        Some(target)
    }

    /// Major, minor and stepping of the processor: `gfx90a` is (9, 0, 10), `gfx1150` (11, 5, 0).
    /// Generic targets give what all their members share: `gfx10-3-generic` is (10, 3, 0).
    pub fn version(&self) -> (u32, u32, u32) {
        let digits = &self.gfx[3..];
        if let Some(generic) = digits.strip_suffix("-generic") {
            let mut parts = generic.split('-').map(|p| p.parse().unwrap_or(0));
            return (parts.next().unwrap_or(0), parts.next().unwrap_or(0), 0);
        }
        let (major, rest) = digits.split_at(digits.len() - 2);
        let hex = |s: &str| u32::from_str_radix(s, 16).unwrap_or(0);
        (major.parse().unwrap_or(0), hex(&rest[..1]), hex(&rest[1..]))
    }

    /// gfx90a, gfx942, gfx950 and gfx9-4-generic: one register file for VGPRs and AGPRs.
    pub fn has_unified_vgprs(&self) -> bool {
        matches!(self.gfx, "gfx90a" | "gfx942" | "gfx950" | "gfx9-4-generic")
    }

    /// gfx1250 and gfx1251.
    pub fn is_gfx125x(&self) -> bool {
        matches!(self.gfx, "gfx1250" | "gfx1251")
    }

    /// Parts with 1536 VGPRs a lane and SIMD in wave32, which allocate in larger blocks
    /// (LLVM's `1536-vgprs` feature).
    pub fn has_1536_vgprs(&self) -> bool {
        matches!(
            self.gfx,
            "gfx1100" | "gfx1101" | "gfx1151" | "gfx1200" | "gfx1201" | "gfx12-generic"
        )
    }

    /// Scratch base set up by hardware, without a private segment buffer (AMDGPUUsage,
    /// "Target Properties", architected flat scratch).
    pub fn has_architected_flat_scratch(&self) -> bool {
        matches!(self.gfx, "gfx942" | "gfx950" | "gfx9-4-generic") || self.version().0 >= 11
    }
}

impl fmt::Display for TargetId {
    /// The canonical target ID: `gfx90a:sramecc+:xnack-`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.gfx)?;
        for (name, feature) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            match feature {
                Feature::On => write!(f, ":{name}+")?,
                Feature::Off => write!(f, ":{name}-")?,
                Feature::Any | Feature::Unsupported => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_follow_the_gfx_name() {
        let version = |n| TargetId::from_name(n).unwrap().version();
        assert_eq!(version("gfx90a"), (9, 0, 10));
        assert_eq!(version("gfx942"), (9, 4, 2));
        assert_eq!(version("gfx1030"), (10, 3, 0));
        assert_eq!(version("gfx1251"), (12, 5, 1));
        assert_eq!(version("gfx10-3-generic"), (10, 3, 0));
        assert_eq!(version("gfx9-4-generic"), (9, 4, 0));
    }

    #[test]
    fn target_ids_print_features_in_canonical_order() {
        let id = TargetId::from_name("gfx90a:xnack+:sramecc-").unwrap();
        assert_eq!(id.to_string(), "gfx90a:sramecc-:xnack+");
        assert_eq!(TargetId::from_name("gfx90a:turbo+"), None);
    }
}
