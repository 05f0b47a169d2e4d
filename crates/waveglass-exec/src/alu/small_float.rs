//! The 8-, 6- and 4-bit floats and their conversions.
//!
//! FP8 and BF8 mean E4M3 and E5M2. On gfx940 to gfx942 they are the FNUZ
//! variants (no infinity, one NaN in place of -0), from gfx950 and gfx12 on the
//! OCP ones. FP6 is E2M3, BF6 is E3M2, FP4 is E2M1: none of them has infinity
//! or NaN.

use super::float::{DEFAULT_NAN_F32, nan1_f32, narrow_bf16, narrow_f16, widen_bf16, widen_f16};
use super::float32::v_ldexp_f32;
use super::rounding::Format;

/// What the top codes of a format mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Special {
    /// The top exponent holds infinity and NaN.
    Ieee,
    /// Only the code of all ones is a NaN.
    NanOnly,
    /// Only the code of minus zero is a NaN.
    Fnuz,
    /// Every code is a number.
    None,
}

/// A float format of at most eight bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmallFormat {
    bits: u32,
    mantissa: u32,
    bias: i32,
    special: Special,
}

/// OCP E4M3: up to 448.
pub const FP8: SmallFormat = SmallFormat {
    bits: 8,
    mantissa: 3,
    bias: 7,
    special: Special::NanOnly,
};
/// E5M3 without a sign, a scale of CDNA 5's matrix operations: up to 114688. The ninth bit stands
/// for the sign that it has not.
pub const E5M3: SmallFormat = SmallFormat {
    bits: 9,
    mantissa: 3,
    bias: 15,
    special: Special::NanOnly,
};
/// OCP E5M2: up to 57344.
pub const BF8: SmallFormat = SmallFormat {
    bits: 8,
    mantissa: 2,
    bias: 15,
    special: Special::Ieee,
};
/// FNUZ E4M3 of gfx940 to gfx942: up to 240.
pub const FP8_FNUZ: SmallFormat = SmallFormat {
    bits: 8,
    mantissa: 3,
    bias: 8,
    special: Special::Fnuz,
};
/// FNUZ E5M2 of gfx940 to gfx942: up to 57344.
pub const BF8_FNUZ: SmallFormat = SmallFormat {
    bits: 8,
    mantissa: 2,
    bias: 16,
    special: Special::Fnuz,
};
/// E2M3: up to 7.5.
pub const FP6: SmallFormat = SmallFormat {
    bits: 6,
    mantissa: 3,
    bias: 1,
    special: Special::None,
};
/// E3M2: up to 28.
pub const BF6: SmallFormat = SmallFormat {
    bits: 6,
    mantissa: 2,
    bias: 3,
    special: Special::None,
};
/// E2M1: up to 6.
pub const FP4: SmallFormat = SmallFormat {
    bits: 4,
    mantissa: 1,
    bias: 1,
    special: Special::None,
};

impl SmallFormat {
    const fn sign(self) -> u32 {
        1 << (self.bits - 1)
    }

    /// The code of the largest finite magnitude.
    #[must_use]
    pub const fn max_code(self) -> u32 {
        match self.special {
            Special::Ieee => self.sign() - (1 << self.mantissa) - 1,
            Special::NanOnly => self.sign() - 2,
            Special::Fnuz | Special::None => self.sign() - 1,
        }
    }

    /// The NaN of a sign; formats without one give the largest magnitude.
    const fn nan_code(self, sign: u32) -> u32 {
        match self.special {
            Special::Fnuz => self.sign(),
            Special::Ieee | Special::NanOnly | Special::None => sign | (self.sign() - 1),
        }
    }

    /// What an overflow gives where it does not saturate.
    const fn overflow_code(self, sign: u32) -> u32 {
        match self.special {
            Special::Ieee => sign | (self.max_code() + 1),
            Special::NanOnly | Special::Fnuz | Special::None => self.nan_code(sign),
        }
    }

    /// The value of a code, exactly.
    #[must_use]
    #[inline(always)]
    pub fn decode(self, code: u32) -> f32 {
        let sign = code & self.sign();
        let magnitude = code & (self.sign() - 1);
        let rebias = ((127 - self.bias) as u32) << 23;
        let shifted = magnitude << (23 - self.mantissa);
        // A denormal is its fraction with the implicit one of exponent 1 taken off.
        let one = rebias + (1 << 23);
        let denormal = (f32::from_bits(shifted | one) - f32::from_bits(one)).to_bits();
        let value = if magnitude >> self.mantissa == 0 {
            denormal
        } else {
            shifted + rebias
        };
        let negative = (sign != 0) as u32 * (1 << 31);
        let signed = f32::from_bits(value | negative);
        match self.special {
            Special::Ieee => {
                let infinity = f32::from_bits(f32::INFINITY.to_bits() | negative);
                let r = if magnitude > self.max_code() {
                    infinity
                } else {
                    signed
                };
                if magnitude > self.max_code() + 1 {
                    DEFAULT_NAN_F32
                } else {
                    r
                }
            }
            Special::NanOnly if magnitude > self.max_code() => DEFAULT_NAN_F32,
            Special::Fnuz if code & (2 * self.sign() - 1) == self.sign() => DEFAULT_NAN_F32,
            _ => signed,
        }
    }

    /// The code of `x`, rounded to nearest even. Overflow and infinities give
    /// the largest magnitude where `saturate` (MODE.FP16_OVFL) or where the
    /// format has nothing else, or else infinity or NaN.
    #[must_use]
    #[inline(always)]
    pub fn encode(self, x: f32, saturate: bool) -> u32 {
        let (exponent, units, _) = self.nearest_units(x);
        self.code(x, exponent, units, saturate)
    }

    /// As [`encode`](Self::encode), rounded toward zero.
    #[must_use]
    #[inline(always)]
    pub fn encode_truncated(self, x: f32, saturate: bool) -> u32 {
        let (exponent, units, is_larger) = self.nearest_units(x);
        self.code(x, exponent, units - u32::from(is_larger), saturate)
    }

    /// The magnitude of `x` in units of its last place in the format, to nearest even; the exponent that
    /// has this place, and whether the units are more than the magnitude.
    #[inline(always)]
    fn nearest_units(self, x: f32) -> (u32, u32, bool) {
        let magnitude = bounded(x);
        let exponent = self.exponent(magnitude);
        // Beside a number whose last place is the result's, the host's sum is rounded to that place.
        let beside = exponent + ((23 - self.mantissa) << 23);
        let sum = f32::from_bits(magnitude) + f32::from_bits(beside);
        let is_larger = sum - f32::from_bits(beside) > f32::from_bits(magnitude);
        (exponent, sum.to_bits() - beside, is_larger)
    }

    /// The exponent in which a number is counted, as a single's bits: its own, or that of the smallest
    /// normal number.
    #[inline(always)]
    const fn exponent(self, magnitude: u32) -> u32 {
        let (own, smallest) = (magnitude & 0x7f80_0000, self.smallest_exponent());
        if own > smallest { own } else { smallest }
    }

    const fn smallest_exponent(self) -> u32 {
        ((128 - self.bias) as u32) << 23
    }

    /// The code of `x`, which is so many units of the last place that an exponent has.
    #[inline(always)]
    fn code(self, x: f32, exponent: u32, units: u32, saturate: bool) -> u32 {
        let sign = (x.to_bits() >> 31) << (self.bits - 1);
        let limit = if saturate || self.special == Special::None {
            sign | self.max_code()
        } else {
            self.overflow_code(sign)
        };
        // The codes of one exponent follow on from those of the one before.
        let code = units + ((exponent - self.smallest_exponent()) >> (23 - self.mantissa));
        // There is no minus zero in the FNUZ kind.
        let zero = code == 0 && self.special == Special::Fnuz;
        let r = if zero { 0 } else { sign | code };
        // Choices rather than branches, for the lanes of a row at once.
        let r = if code > self.max_code() { limit } else { r };
        let nan = self.nan_code(sign);
        if x.is_nan() { nan } else { r }
    }

    /// The code of `x`, rounded stochastically: the top bits of `seed` are added
    /// below the last kept bit of the significand, and the sum is truncated.
    ///
    /// Results that are denormal in the format have the seed added at the same
    /// place of the source, not at their own last place.
    #[must_use]
    #[inline(always)]
    pub fn encode_stochastic(self, x: f32, seed: u32, saturate: bool) -> u32 {
        self.encode_truncated(self.moved(x, seed), saturate)
    }

    /// `x` with the top bits of `seed` added below the last bit that the format keeps of it.
    #[must_use]
    #[inline(always)]
    pub fn moved(self, x: f32, seed: u32) -> f32 {
        let discarded = 23 - self.mantissa;
        let moved = f32::from_bits(x.to_bits().wrapping_add(seed >> (32 - discarded)));
        let overflowed = x.is_finite() && !moved.is_finite();
        let value = if overflowed {
            f32::INFINITY.copysign(x)
        } else {
            moved
        };
        if x.is_finite() { value } else { x }
    }

    /// The format as arithmetic rounds to it.
    #[must_use]
    pub const fn rounded(self) -> Format {
        Format::small(self.mantissa + 1, 1 - self.bias, self.max_code() as u64)
    }

    /// Whether a code is that of a subnormal number.
    #[must_use]
    pub const fn is_subnormal(self, code: u32) -> bool {
        let magnitude = code & (self.sign() - 1);
        magnitude != 0 && magnitude >> self.mantissa == 0
    }

    /// Whether it has NaN.
    #[must_use]
    pub const fn has_nan(self) -> bool {
        !matches!(self.special, Special::None)
    }

    /// Whether it has infinities.
    #[must_use]
    pub const fn has_infinity(self) -> bool {
        matches!(self.special, Special::Ieee)
    }
}

/// The steps of [`SmallFormat::encode`] for the OCP formats of eight bits, by which the codes of a row's lanes
/// are found at once; of numbers, not of NaN.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    mantissa: u32,
    /// As a single's bits.
    smallest_exponent: u32,
    /// The largest magnitude that is told from others, as a single's bits.
    limit: u32,
}

impl Nearest {
    /// The steps for [`FP8`] or [`BF8`].
    #[inline(always)]
    pub const fn of(format: SmallFormat, saturate: bool) -> Self {
        // What overflows has the code after the largest number's.
        let top = format.max_code() + if saturate { 0 } else { 1 };
        Self {
            mantissa: format.mantissa,
            smallest_exponent: format.smallest_exponent(),
            limit: (top << (23 - format.mantissa)) + (((127 - format.bias) as u32) << 23),
        }
    }

    #[inline(always)]
    fn magnitude_and_exponent(self, x: u32) -> (u32, u32) {
        let magnitude = (x & 0x7fff_ffff).min(self.limit);
        (
            magnitude,
            (magnitude & 0x7f80_0000).max(self.smallest_exponent),
        )
    }

    /// The bits of the sum of a single's magnitude and the number whose last place is that of the code:
    /// above the exponent, below the magnitude in units of this place.
    #[inline(always)]
    pub fn sum(self, x: u32) -> u32 {
        let (magnitude, exponent) = self.magnitude_and_exponent(x);
        let beside = exponent + ((23 - self.mantissa) << 23);
        (f32::from_bits(magnitude) + f32::from_bits(beside)).to_bits()
    }

    /// [`sum`](Self::sum) for hosts with a fused multiply-add.
    #[inline(always)]
    pub fn fused_sum(self, x: u32) -> u32 {
        let (magnitude, exponent) = self.magnitude_and_exponent(x);
        let places = f32::from_bits((127 + 23 - self.mantissa) << 23);
        f32::from_bits(exponent)
            .mul_add(places, f32::from_bits(magnitude))
            .to_bits()
    }

    /// By what the words of a sum are multiplied so that they add up to a code, seven bits less those of
    /// the fraction further up: the exponent stands seven bits up in its word.
    #[inline(always)]
    pub const fn factors(self) -> u32 {
        1 << 16 | 1 << (7 - self.mantissa)
    }

    /// Two codes without their signs, from the sums' multiplied words.
    #[inline(always)]
    pub fn codes(self, low: u32, high: u32) -> u32 {
        let shift = 7 - self.mantissa;
        let beside = (self.smallest_exponent >> 16) + ((23 - self.mantissa) << 7);
        let none = (beside >> shift) + (beside << (8 - shift));
        ((low >> shift) + (high << (8 - shift))).wrapping_sub(none)
    }
}

/// The bits of the magnitude of `x`; of what is larger than any format's numbers, infinity too, of 2^31.
#[inline(always)]
fn bounded(x: f32) -> u32 {
    (x.to_bits() & 0x7fff_ffff).min(0x4f00_0000)
}

/// The E5M3 code of `x` by `encode`: negative numbers become zero, since the format has none; what
/// the hardware makes of them is not documented.
#[inline(always)]
pub fn e5m3(x: f32, encode: impl Fn(SmallFormat, f32) -> u32) -> u32 {
    let code = encode(E5M3, x) & 0xff;
    if x < 0.0 { 0 } else { code }
}

/// `v_cvt_f32_fp8`, `v_cvt_f32_bf8` and the lane of `v_cvt_pk_f32_fp8`,
/// `v_cvt_pk_f32_bf8`: the selected byte as single precision.
#[inline(always)]
pub fn v_cvt_f32_fp8(format: SmallFormat, code: u8) -> f32 {
    format.decode(code.into())
}

/// `v_cvt_f16_fp8`, `v_cvt_f16_bf8` and their packed forms; exact.
#[inline(always)]
pub fn v_cvt_f16_fp8(format: SmallFormat, code: u8) -> u16 {
    narrow_f16(format.decode(code.into()))
}

/// `v_cvt_pk_fp8_f32`, `v_cvt_pk_bf8_f32`: two codes, `a` in the low byte.
#[inline(always)]
pub fn v_cvt_pk_fp8_f32(format: SmallFormat, a: f32, b: f32, saturate: bool) -> u16 {
    (format.encode(b, saturate) << 8 | format.encode(a, saturate)) as u16
}

/// `v_cvt_pk_fp8_f16`, `v_cvt_pk_bf8_f16` (CDNA5): two codes from a packed pair.
#[inline(always)]
pub fn v_cvt_pk_fp8_f16(format: SmallFormat, a: u32, saturate: bool) -> u16 {
    v_cvt_pk_fp8_f32(
        format,
        widen_f16(a as u16),
        widen_f16((a >> 16) as u16),
        saturate,
    )
}

/// `v_cvt_sr_fp8_f32`, `v_cvt_sr_bf8_f32`: stochastic rounding with seed data.
#[inline(always)]
pub fn v_cvt_sr_fp8_f32(format: SmallFormat, a: f32, seed: u32, saturate: bool) -> u8 {
    format.encode_stochastic(a, seed, saturate) as u8
}

/// `v_cvt_sr_fp8_f16`, `v_cvt_sr_bf8_f16` (CDNA5).
#[inline(always)]
pub fn v_cvt_sr_fp8_f16(format: SmallFormat, a: u16, seed: u32, saturate: bool) -> u8 {
    format.encode_stochastic(widen_f16(a), seed, saturate) as u8
}

/// The lane of `v_cvt_scalef32_*_f32_{fp8,bf8,fp6,bf6,fp4}`: the code's value
/// times the power of two of the biased exponent `scale`.
///
/// The exponent is that of the scale operand (bits 30:23 of a float, or an E8M0
/// byte); 255 gives a NaN.
#[inline(always)]
pub fn scale_to_f32(format: SmallFormat, code: u32, scale: u8) -> f32 {
    let value = v_ldexp_f32(format.decode(code), (i32::from(scale) - 127) as u32);
    if scale == 255 { DEFAULT_NAN_F32 } else { value }
}

/// As [`scale_to_f32`], to half precision.
#[inline(always)]
pub fn scale_to_f16(format: SmallFormat, code: u32, scale: u8) -> u16 {
    // At most four significant bits: only the last rounding can be inexact, but
    // for values far below the half denormals.
    narrow_f16(scale_to_f32(format, code, scale))
}

/// As [`scale_to_f32`], to BF16.
#[inline(always)]
pub fn scale_to_bf16(format: SmallFormat, code: u32, scale: u8) -> u16 {
    narrow_bf16(scale_to_f32(format, code, scale))
}

/// The lane of `v_cvt_scalef32_*_{fp8,bf8,fp6,bf6,fp4}_f32`: `x` divided by the
/// power of two of the biased exponent `scale`, as a code.
#[inline(always)]
pub fn scale_from_f32(format: SmallFormat, x: f32, scale: u8, saturate: bool) -> u32 {
    format.encode(unscaled(x, scale), saturate)
}

/// The lane of `v_cvt_scalef32_sr_*_f32`: [`scale_from_f32`] with stochastic
/// rounding.
#[inline(always)]
pub fn scale_from_f32_sr(format: SmallFormat, x: f32, seed: u32, scale: u8, saturate: bool) -> u32 {
    format.encode_stochastic(unscaled(x, scale), seed, saturate)
}

/// As [`scale_from_f32`], from half precision.
#[inline(always)]
pub fn scale_from_f16(format: SmallFormat, x: u16, scale: u8, saturate: bool) -> u32 {
    scale_from_f32(format, widen_f16(x), scale, saturate)
}

/// As [`scale_from_f32`], from BF16.
#[inline(always)]
pub fn scale_from_bf16(format: SmallFormat, x: u16, scale: u8, saturate: bool) -> u32 {
    scale_from_f32(format, widen_bf16(x), scale, saturate)
}

/// `x` without its scale. What is denormal in single precision is far below
/// the formats' smallest numbers, so its rounding there does not show.
#[inline(always)]
pub fn unscaled(x: f32, scale: u8) -> f32 {
    let value = v_ldexp_f32(x, (127 - i32::from(scale)) as u32);
    if scale == 255 {
        nan1_f32(f32::NAN, x)
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [SmallFormat; 7] = [FP8, BF8, FP8_FNUZ, BF8_FNUZ, FP6, BF6, FP4];

    #[test]
    fn known_values_of_each_format() {
        assert_eq!(FP8.decode(0x7e), 448.0);
        assert_eq!(FP8.decode(0x01), 2f32.powi(-9));
        assert_eq!(FP8.decode(0x38), 1.0);
        assert!(FP8.decode(0xff).is_nan());
        assert_eq!(BF8.decode(0x7b), 57344.0);
        assert_eq!(BF8.decode(0xfc), f32::NEG_INFINITY);
        assert_eq!(BF8.decode(0x01), 2f32.powi(-16));
        assert_eq!(FP8_FNUZ.decode(0x7f), 240.0);
        assert_eq!(FP8_FNUZ.decode(0x40), 1.0);
        assert_eq!(FP8_FNUZ.decode(0x01), 2f32.powi(-10));
        assert!(FP8_FNUZ.decode(0x80).is_nan());
        assert_eq!(BF8_FNUZ.decode(0xff), -57344.0);
        assert_eq!(BF8_FNUZ.decode(0x01), 2f32.powi(-17));
        assert_eq!(FP6.decode(0x1f), 7.5);
        assert_eq!(BF6.decode(0x1f), 28.0);
        let fp4: Vec<f32> = (0..8).map(|c| FP4.decode(c)).collect();
        assert_eq!(fp4, [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]);
        assert_eq!(FP4.decode(0xf), -6.0);
    }

    #[test]
    fn every_code_is_the_encoding_of_its_value() {
        for format in ALL {
            for code in 0..1u32 << format.bits {
                let value = format.decode(code);
                if !value.is_nan() {
                    assert_eq!(
                        format.encode(value, value.is_finite() && code & 1 == 0),
                        code,
                        "{format:?} {code:#x}"
                    );
                }
            }
        }
    }

    #[test]
    fn midpoints_go_to_the_even_code() {
        for format in ALL {
            for code in 0..format.max_code() {
                let (low, high) = (format.decode(code), format.decode(code + 1));
                let middle = (low + high) / 2.0;
                assert_eq!(format.encode(middle, true), code + (code & 1), "{format:?}");
                assert_eq!(format.encode(middle.next_up(), true), code + 1);
                assert_eq!(format.encode(middle.next_down(), true), code);
                assert_eq!(format.encode_truncated(high.next_down(), true), code);
            }
        }
    }

    #[test]
    fn overflow_follows_the_table_of_the_manual() {
        for x in [1e9, f32::INFINITY] {
            assert_eq!(FP8.encode(x, true), 0x7e);
            assert_eq!(FP8.encode(-x, false), 0xff);
            assert_eq!(BF8.encode(x, true), 0x7b);
            assert_eq!(BF8.encode(-x, false), 0xfc);
            assert_eq!(FP8_FNUZ.encode(x, false), 0x80);
            assert_eq!(FP8_FNUZ.encode(-x, true), 0xff);
            assert_eq!(FP4.encode(-x, false), 0xf);
        }
        assert_eq!(FP8.encode(464.0, false), 0x7e);
        assert_eq!(FP8.encode(465.0, false), 0x7f);
        assert_eq!(FP8_FNUZ.encode(-0.0, false), 0);
        assert_eq!(FP8_FNUZ.encode(-1e-9, false), 0);
        assert_eq!(FP8.encode(-0.0, false), 0x80);
        assert!(FP8.decode(FP8.encode(f32::NAN, true)).is_nan());
    }

    #[test]
    fn packed_and_half_forms() {
        assert_eq!(v_cvt_pk_fp8_f32(FP8, 1.0, -448.0, false), 0xfe38);
        assert_eq!(v_cvt_pk_fp8_f16(BF8, 0x4000_3c00, false), 0x403c);
        assert_eq!(v_cvt_f16_fp8(FP8, 0x38), 0x3c00);
        assert_eq!(v_cvt_f32_fp8(BF8, 0xbc), -1.0);
        // Every FP8 and BF8 value is a half.
        for code in 0..=255u8 {
            let value = BF8.decode(code.into());
            let half = widen_f16(v_cvt_f16_fp8(BF8, code));
            assert!(value == half || (value.is_nan() && half.is_nan()));
        }
    }

    #[test]
    fn stochastic_rounding_goes_up_as_often_as_the_fraction() {
        // A quarter of the way from 1.0 to the next code.
        let x = 1.0 + 0.125 / 4.0;
        let seeds = (0..1024).map(|i| i << 22);
        let ups = seeds
            .filter(|&s| v_cvt_sr_fp8_f32(FP8, x, s, false) == 0x39)
            .count();
        assert_eq!(ups, 256);
        assert_eq!(v_cvt_sr_fp8_f32(FP8, 1.0, u32::MAX, false), 0x38);
        assert_eq!(v_cvt_sr_fp8_f32(BF8, f32::INFINITY, u32::MAX, false), 0x7c);
        assert_eq!(v_cvt_sr_fp8_f32(FP8, f32::MAX, u32::MAX, true), 0x7e);
        assert_eq!(v_cvt_sr_fp8_f16(FP8, 0x3c00, u32::MAX, true), 0x38);
    }

    #[test]
    fn scales_are_powers_of_two() {
        assert_eq!(scale_to_f32(FP4, 0x7, 130), 48.0);
        assert_eq!(scale_to_f16(FP6, 0x1f, 127), 0x4780);
        assert_eq!(scale_to_bf16(BF6, 0x1f, 126), 0x4160);
        assert!(scale_to_f32(FP8, 0x38, 255).is_nan());
        assert_eq!(scale_from_f32(FP4, 48.0, 130, true), 7);
        assert_eq!(scale_from_f16(FP8, 0x4000, 128, false), 0x38);
        assert_eq!(scale_from_bf16(BF8, 0x4000, 127, false), 0x40);
        assert_eq!(scale_from_f32_sr(FP4, 6.0, 0, 127, true), 7);
    }

    /// The code of a finite `x` by counting in double precision.
    fn counted(f: SmallFormat, x: f32, round: impl Fn(f64) -> f64) -> u32 {
        let sign = if x.is_sign_negative() { f.sign() } else { 0 };
        let exponent = (x.to_bits() >> 23 & 0xff) as i32 - 127;
        let level = (exponent - (1 - f.bias)).max(0);
        let unit = 1 - f.bias - f.mantissa as i32 + level;
        let units = round(f64::from(x.abs()) * 2f64.powi(-unit)) as u32;
        let code = units + ((level as u32) << f.mantissa);
        if code > f.max_code() {
            f.overflow_code(sign)
        } else if code == 0 && f.special == Special::Fnuz {
            0
        } else {
            sign | code
        }
    }

    #[test]
    fn codes_are_counted_units() {
        for f in [FP8, E5M3, BF8, FP8_FNUZ, BF8_FNUZ, FP6, BF6, FP4] {
            // All signs and exponents with the first bits of significands, and what lies beside them.
            for upper in 0..=u16::MAX {
                for lower in [0, 1, 0x7fff, 0x8000, 0x8001, 0xffff] {
                    let x = f32::from_bits(u32::from(upper) << 16 | lower);
                    if !x.is_finite() {
                        continue;
                    }
                    let overflow = |code| match f.special {
                        // There is nothing but the largest number.
                        Special::None if code & (f.sign() - 1) == f.sign() - 1 => {
                            code & f.sign() | f.max_code()
                        }
                        _ => code,
                    };
                    let nearest = overflow(counted(f, x, f64::round_ties_even));
                    assert_eq!(f.encode(x, false), nearest, "{f:?} {x:e}");
                    let truncated = overflow(counted(f, x, f64::trunc));
                    assert_eq!(f.encode_truncated(x, false), truncated, "{f:?} {x:e}");
                }
            }
        }
    }
}
