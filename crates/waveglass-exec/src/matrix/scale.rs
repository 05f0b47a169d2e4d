//! Scale factors of the block-scaled formats.

use crate::machine::Machine;
use crate::program::Src;

/// The format of a scale (CDNA5 ISA 7.12.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaleFormat {
    /// A power of two with bias 127; 0xff is NaN.
    E8m0,
    /// Five exponent bits with bias 15 and three fraction bits; 0xff is NaN.
    E5m3,
    /// Four exponent bits with bias 7 and three fraction bits; 0x7f is NaN.
    E4m3,
}

impl ScaleFormat {
    /// The value of a code.
    pub fn decode(self, code: u32) -> f64 {
        // All exponents here are far inside f64's.
        let power = |e: i32| f64::from_bits(((e + 1023) as u64) << 52);
        let minifloat = |exponent: u32, bias: i32| {
            let fraction = (code & 7) as f64;
            let significand = if exponent == 0 {
                fraction
            } else {
                8.0 + fraction
            };
            significand * power(exponent.max(1) as i32 - bias - 3)
        };
        match self {
            Self::E8m0 if code & 0xff == 0xff => f64::NAN,
            Self::E8m0 => power((code & 0xff) as i32 - 127),
            Self::E5m3 if code & 0xff == 0xff => f64::NAN,
            Self::E5m3 => minifloat(code >> 3 & 31, 15),
            Self::E4m3 if code & 0x7f == 0x7f => f64::NAN,
            Self::E4m3 => minifloat(code >> 3 & 15, 7),
        }
    }
}

/// Where a matrix's scales come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaleSource {
    /// A vector register, a scalar register, or the constant zero for 1.0.
    pub src: Src,
    /// MFMA: which byte of the register; WMMA: the first lane.
    pub offset: usize,
    /// Their format.
    pub format: ScaleFormat,
}

/// The scales of an instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Values of K that share a scale.
    pub block: usize,
    /// The scales of successive blocks of K lie in successive groups of lanes (MFMA, CDNA4 ISA
    /// 7.2.1), not in successive bytes (WMMA, CDNA5 ISA 7.12.6.2).
    pub by_lane: bool,
    /// Lanes of the wave.
    pub lanes: usize,
    /// Those of A.
    pub a: ScaleSource,
    /// Those of B.
    pub b: ScaleSource,
}

/// A matrix's scales: `[block of K][row of A or column of B]`.
pub type Values = [[f64; 32]; 8];

impl Scale {
    /// The scales of one side, which has `rows` rows and `k` values in each.
    pub fn values(&self, m: &Machine<'_>, side: ScaleSource, rows: usize, k: usize) -> Values {
        let mut out = [[1.0; 32]; 8];
        let regs = m.wave.vgpr.as_flattened();
        let uniform = match side.src {
            // "When a source is an SGPR, only bits [7:0] are used, and when the inline constant
            // zero is used, the value supplied is 0x7F (scale by 1.0)" (CDNA5 ISA 7.12.6.2).
            Src::Sgpr(_) => Some(side.format.decode(m.s32(side.src) & 0xff)),
            Src::Vgpr(_) => None,
            _ => Some(1.0),
        };
        for (block, scales) in out.iter_mut().enumerate().take(k / self.block) {
            for (i, value) in scales.iter_mut().enumerate().take(rows) {
                *value = match (uniform, side.src) {
                    (Some(x), _) => x,
                    (None, Src::Vgpr(r)) => {
                        let (register, lane, byte) = if self.by_lane {
                            (0, i + rows * block, side.offset)
                        } else {
                            (block / 4, side.offset + i, block % 4)
                        };
                        let at = (r as usize + register) * self.lanes + lane;
                        side.format.decode(regs[at] >> (8 * byte))
                    }
                    _ => 1.0,
                };
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::ScaleFormat::{E4m3, E5m3, E8m0};

    #[test]
    fn scale_formats_have_the_extremes_of_the_manual() {
        // CDNA5 ISA 7.12.6, table of scale formats.
        assert_eq!(E8m0.decode(0), 2f64.powi(-127));
        assert_eq!(E8m0.decode(0xfe), 2f64.powi(127));
        assert_eq!(E8m0.decode(127), 1.0);
        assert!(E8m0.decode(0xff).is_nan());
        assert_eq!(E5m3.decode(0xfe), 114_688.0);
        assert_eq!(E5m3.decode(0x08), 2f64.powi(-14));
        assert_eq!(E5m3.decode(0x01), 2f64.powi(-17));
        assert!(E5m3.decode(0xff).is_nan());
        assert_eq!(E4m3.decode(0x7e), 448.0);
        assert_eq!(E4m3.decode(0x08), 2f64.powi(-6));
        assert_eq!(E4m3.decode(0x01), 2f64.powi(-9));
        assert!(E4m3.decode(0x7f).is_nan());
    }
}
