//! The fourteen targets and the generations that they belong to.

use std::fmt;
use std::str::FromStr;

/// A generation of the instruction set, in the order in which AMD released them per line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Generation {
    Gcn5,
    Cdna1,
    Cdna2,
    Cdna3,
    Cdna4,
    Rdna1,
    Rdna2,
    Rdna3,
    Rdna3_5,
    Rdna4,
    Cdna5,
}

impl Generation {
    /// AMD's name, as in "CDNA 3".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gcn5 => "GCN 5",
            Self::Cdna1 => "CDNA 1",
            Self::Cdna2 => "CDNA 2",
            Self::Cdna3 => "CDNA 3",
            Self::Cdna4 => "CDNA 4",
            Self::Cdna5 => "CDNA 5",
            Self::Rdna1 => "RDNA 1",
            Self::Rdna2 => "RDNA 2",
            Self::Rdna3 => "RDNA 3",
            Self::Rdna3_5 => "RDNA 3.5",
            Self::Rdna4 => "RDNA 4",
        }
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

macro_rules! targets {
    ($($variant:ident $name:literal $generation:ident $major:literal $mach:literal $xnack:literal $sramecc:literal,)*) => {
        /// A chip's instruction set, by LLVM's gfx name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        #[repr(u8)]
        pub enum Target { $($variant,)* }

        impl Target {
            /// Every target, GCN first.
            pub const ALL: &'static [Target] = &[$(Target::$variant,)*];

            /// LLVM's name, as in "gfx90a".
            pub const fn name(self) -> &'static str {
                match self { $(Target::$variant => $name,)* }
            }

            /// The generation that this target belongs to.
            pub const fn generation(self) -> Generation {
                match self { $(Target::$variant => Generation::$generation,)* }
            }

            /// The gfx major version: 9, 10, 11 or 12.
            pub const fn major(self) -> u8 {
                match self { $(Target::$variant => $major,)* }
            }

            /// `EF_AMDGPU_MACH` in the `e_flags` of a code object for this target (AMDGPUUsage, "ELF Header").
            pub const fn elf_mach(self) -> u32 {
                match self { $(Target::$variant => $mach,)* }
            }

            /// Whether code objects of this target may be built for XNACK replay on or off.
            pub const fn supports_xnack(self) -> bool {
                match self { $(Target::$variant => $xnack,)* }
            }

            /// Whether code objects of this target may be built for SRAM ECC on or off.
            pub const fn supports_sramecc(self) -> bool {
                match self { $(Target::$variant => $sramecc,)* }
            }
        }
    };
}

targets! {
    Gfx900  "gfx900"  Gcn5    9  0x02c true  false,
    Gfx906  "gfx906"  Gcn5    9  0x02f true  true,
    Gfx908  "gfx908"  Cdna1   9  0x030 true  true,
    Gfx90a  "gfx90a"  Cdna2   9  0x03f true  true,
    Gfx942  "gfx942"  Cdna3   9  0x04c true  true,
    Gfx950  "gfx950"  Cdna4   9  0x04f true  true,
    Gfx1010 "gfx1010" Rdna1   10 0x033 true  false,
    Gfx1030 "gfx1030" Rdna2   10 0x036 false false,
    Gfx1100 "gfx1100" Rdna3   11 0x041 false false,
    Gfx1150 "gfx1150" Rdna3_5 11 0x043 false false,
    Gfx1200 "gfx1200" Rdna4   12 0x048 false false,
    Gfx1201 "gfx1201" Rdna4   12 0x04e false false,
    Gfx1250 "gfx1250" Cdna5   12 0x049 true  true,
    Gfx1251 "gfx1251" Cdna5   12 0x05a true  true,
}

impl Target {
    /// How many targets there are.
    pub const COUNT: usize = Self::ALL.len();

    /// The position in [`Target::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The target whose `EF_AMDGPU_MACH` is `mach`.
    pub fn from_elf_mach(mach: u32) -> Option<Self> {
        Self::ALL.iter().copied().find(|t| t.elf_mach() == mach)
    }

    /// GCN 5 and CDNA 1 to 4.
    pub const fn is_gfx9(self) -> bool {
        self.major() == 9
    }

    /// CDNA 2, 3 and 4: unified VGPRs and AGPRs, 64-bit aligned register tuples.
    pub const fn has_gfx90a_insts(self) -> bool {
        matches!(self, Self::Gfx90a | Self::Gfx942 | Self::Gfx950)
    }

    /// CDNA 3 and 4.
    pub const fn has_gfx940_insts(self) -> bool {
        matches!(self, Self::Gfx942 | Self::Gfx950)
    }

    /// CDNA 5.
    pub const fn has_gfx1250_insts(self) -> bool {
        matches!(self, Self::Gfx1250 | Self::Gfx1251)
    }

    /// Whether VGPR and AGPR tuples start at an even register (CDNA 2 and later).
    pub const fn has_aligned_vgprs(self) -> bool {
        self.has_gfx90a_insts() || self.has_gfx1250_insts()
    }

    /// Whether waves of 32 lanes exist.
    pub const fn has_wave32(self) -> bool {
        self.major() >= 10
    }

    /// Whether waves of 64 lanes exist.
    pub const fn has_wave64(self) -> bool {
        !self.has_gfx1250_insts()
    }

    /// The wave size that compilers use unless told otherwise.
    pub const fn default_wave_size(self) -> u32 {
        if self.has_wave32() { 32 } else { 64 }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name given is no target that Waveglass knows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown target {0:?}")]
pub struct UnknownTarget(pub String);

impl FromStr for Target {
    type Err = UnknownTarget;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|t| t.name().eq_ignore_ascii_case(s))
            .ok_or_else(|| UnknownTarget(s.to_owned()))
    }
}
