//! Which generation's rules apply, and the settings that the hardware leaves to software.

/// A generation of AMD GPUs, as far as its memory rules differ from its neighbours'.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generation {
    /// GCN 5 (Vega): gfx900, gfx906.
    Gcn5,
    /// CDNA 1: gfx908.
    Cdna1,
    /// CDNA 2: gfx90a.
    Cdna2,
    /// CDNA 3: gfx942.
    Cdna3,
    /// CDNA 4: gfx950.
    Cdna4,
    /// RDNA 1: gfx1010.
    Rdna1,
    /// RDNA 2: gfx1030.
    Rdna2,
    /// RDNA 3: gfx1100.
    Rdna3,
    /// RDNA 3.5: gfx1150.
    Rdna3_5,
    /// RDNA 4: gfx1200, gfx1201.
    Rdna4,
    /// CDNA 5: gfx1250, gfx1251.
    Cdna5,
}

impl Generation {
    /// All generations, oldest first within each family.
    pub const ALL: [Self; 11] = [
        Self::Gcn5,
        Self::Cdna1,
        Self::Cdna2,
        Self::Cdna3,
        Self::Cdna4,
        Self::Rdna1,
        Self::Rdna2,
        Self::Rdna3,
        Self::Rdna3_5,
        Self::Rdna4,
        Self::Cdna5,
    ];

    /// Whether this is one of the gfx9 generations (GCN 5, CDNA 1 to 4), which share most rules.
    #[inline]
    pub const fn is_gfx9(self) -> bool {
        matches!(
            self,
            Self::Gcn5 | Self::Cdna1 | Self::Cdna2 | Self::Cdna3 | Self::Cdna4
        )
    }

    /// Whether this is RDNA 4 or CDNA 5 (gfx12).
    pub const fn is_gfx12(self) -> bool {
        matches!(self, Self::Rdna4 | Self::Cdna5)
    }

    /// Bytes of LDS that a workgroup can have: 64 KiB (Vega ISA 2.2.1, RDNA 4 ISA 2.3), 160 KiB on CDNA 4
    /// (CDNA 4 ISA 2.2.1), 320 KiB on CDNA 5 (CDNA 5 ISA 2.2).
    pub const fn lds_bytes(self) -> u32 {
        match self {
            Self::Cdna4 => 160 << 10,
            Self::Cdna5 => 320 << 10,
            _ => 64 << 10,
        }
    }

    /// What an LDS access that is partly out of range does.
    ///
    /// RDNA 4 and CDNA 5 check each dword (RDNA 4 ISA 3.3.5.1); RDNA 3's manual lets one bad part
    /// zero the whole load (RDNA 3 ISA 3.3.4.1). The older manuals only say that an access outside
    /// `[0, LDS_SIZE-1]` reads zero or is dropped (Vega ISA 9.6); they are read as RDNA 3.
    pub const fn lds_range(self) -> LdsRange {
        if self.is_gfx12() {
            LdsRange::PerDword
        } else {
            LdsRange::Whole
        }
    }

    /// How a float minimum or maximum atomic treats NaN.
    pub const fn min_max(self) -> MinMaxRule {
        if self.is_gfx12() {
            MinMaxRule::Number
        } else {
            MinMaxRule::NanOrdered
        }
    }
}

/// `SH_MEM_CONFIG.alignment_mode`: what a misaligned load or store does (RDNA 4 ISA 9.5).
///
/// Atomics must be naturally aligned in every mode; only [`AlignmentMode::Dword`] aligns them by
/// force instead of reporting a violation, and not on RDNA 3 and 3.5.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AlignmentMode {
    /// 0: the address is aligned down to the smaller of the element size and a dword.
    Dword,
    /// 1: an address that is not aligned to the smaller of element size and dword is a violation.
    DwordStrict,
    /// 2: an address that is not aligned to the data size is a violation.
    Strict,
    /// 3: any alignment. What ROCm runs with.
    #[default]
    Unaligned,
}

impl AlignmentMode {
    /// Decodes the two-bit field.
    pub const fn from_bits(bits: u32) -> Self {
        match bits & 3 {
            0 => Self::Dword,
            1 => Self::DwordStrict,
            2 => Self::Strict,
            _ => Self::Unaligned,
        }
    }

    /// Applies the mode to a load or store of `bytes` bytes: the address to use, or `None` where
    /// the access is a violation.
    ///
    /// A "data size" of 12 bytes is held to 4 in the strict mode, since 12 is no alignment; 16 for
    /// it is LDS's own rule and stands there.
    pub const fn align(self, address: u64, bytes: u32) -> Option<u64> {
        let dword = if bytes < 4 { bytes as u64 } else { 4 };
        match self {
            Self::Unaligned => Some(address),
            Self::Dword => Some(address & !(dword - 1)),
            Self::DwordStrict if address & (dword - 1) == 0 => Some(address),
            Self::Strict => {
                let need = if bytes.is_power_of_two() {
                    bytes as u64
                } else {
                    dword
                };
                if address & (need - 1) == 0 {
                    Some(address)
                } else {
                    None
                }
            }
            Self::DwordStrict => None,
        }
    }
}

/// How LDS treats an access of which only a part is in range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LdsRange {
    /// Any part out of range: the whole load is zero, the whole store dropped.
    Whole,
    /// Loads are judged dword by dword; bytes of a store that are in range are written.
    PerDword,
}

/// How a float minimum or maximum atomic treats NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MinMaxRule {
    /// Before gfx12: a signalling NaN of either operand wins, quieted (memory's first); a quiet NaN is
    /// ordered below -inf for maximum and above +inf for minimum, so that a number beats it.
    NanOrdered,
    /// gfx12 and later: IEEE 754-2019 minimumNumber and maximumNumber.
    Number,
}

/// The rules that one wave's accesses follow: generation and software-visible settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The generation.
    pub generation: Generation,
    /// `SH_MEM_CONFIG.alignment_mode`.
    pub alignment: AlignmentMode,
    /// Whether an LDS access out of range is reported as a violation
    /// (`LDS_CONFIG.ADDR_OUT_OF_RANGE_REPORTING`). What the access reads or writes is the same either
    /// way. On by default: an access that hardware would hide is what a checker is asked to find.
    pub report_lds_range: bool,
    /// Whether M0 bounds LDS accesses on gfx9.
    ///
    /// The Vega and CDNA manuals give the LDS range as `[0, MIN(M0, LDS_SIZE)-1]` (Vega ISA 9.6).
    /// LLVM stopped initialising M0 before LDS instructions at gfx9, and its code runs on that
    /// hardware, so the default is off: the allocation alone is the bound. With this on, the manual's
    /// reading holds and [`Port::m0`](crate::Port::m0) is the further bound.
    pub m0_bounds_lds: bool,
    /// Bits of the pending count of CDNA 5's barriers in LDS: 21, 28, 29, 31 or 32 (CDNA 5 ISA 11.2.2).
    ///
    /// The manual says that the width is configurable and not where, nor what it is by default; 29 is
    /// what compilers generate code for (Triton's AMD back end).
    pub lds_barrier_width: u8,
}

impl Rules {
    /// The generation's rules with ROCm's settings.
    pub const fn new(generation: Generation) -> Self {
        Self {
            generation,
            alignment: AlignmentMode::Unaligned,
            report_lds_range: true,
            m0_bounds_lds: false,
            lds_barrier_width: 29,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // points: 5

    // RDNA 4 ISA 9.5: DWORD aligns to min(element, dword); STRICT wants the data size.
    // claims: set.alignment
    #[test]
    fn alignment_modes_follow_the_table() {
        assert_eq!(AlignmentMode::Dword.align(0x1007, 8), Some(0x1004));
        assert_eq!(AlignmentMode::Dword.align(0x1007, 2), Some(0x1006));
        assert_eq!(AlignmentMode::Dword.align(0x1007, 1), Some(0x1007));
        assert_eq!(AlignmentMode::DwordStrict.align(0x1004, 8), Some(0x1004));
        assert_eq!(AlignmentMode::DwordStrict.align(0x1002, 8), None);
        assert_eq!(AlignmentMode::DwordStrict.align(0x1002, 2), Some(0x1002));
        assert_eq!(AlignmentMode::Strict.align(0x1004, 8), None);
        assert_eq!(AlignmentMode::Strict.align(0x1008, 8), Some(0x1008));
        assert_eq!(AlignmentMode::Strict.align(0x1008, 16), None);
        assert_eq!(AlignmentMode::Strict.align(0x1004, 12), Some(0x1004));
        assert_eq!(AlignmentMode::Unaligned.align(0x1001, 16), Some(0x1001));
    }

    // claims: set.alignment
    #[test]
    fn alignment_codes_are_the_register_field() {
        assert_eq!(AlignmentMode::from_bits(0), AlignmentMode::Dword);
        assert_eq!(AlignmentMode::from_bits(1), AlignmentMode::DwordStrict);
        assert_eq!(AlignmentMode::from_bits(2), AlignmentMode::Strict);
        assert_eq!(AlignmentMode::from_bits(7), AlignmentMode::Unaligned);
    }
}
