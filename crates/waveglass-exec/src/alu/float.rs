//! What the float instructions share: NaN propagation, denormal flushing, the
//! 16-bit formats and rounding.
//!
//! # NaN
//!
//! Host processors differ in which NaN an operation returns, so results are
//! chosen here: the first NaN among the sources, made quiet; where no source is
//! a NaN, the default NaN `0xffc00000`, which is what the manuals' examples
//! show for invalid operations (`V_SQRT_F32(0xff800000) => 0xffc00000`).
//! The manuals do not state the order of preference for addition,
//! multiplication and FMA; source order is the choice made here.
//!
//! # Rounding
//!
//! The plain functions round to nearest even. [`Round`] names the other modes
//! of MODE.round for the functions that take one.

/// MODE.round: how inexact results are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Round {
    /// Mode 0: to nearest, ties to even.
    #[default]
    NearestEven,
    /// Mode 1: toward plus infinity.
    PlusInfinity,
    /// Mode 2: toward minus infinity.
    MinusInfinity,
    /// Mode 3: toward zero.
    TowardZero,
}

impl Round {
    /// The mode of a two-bit MODE.round field.
    #[must_use]
    pub fn from_bits(bits: u32) -> Self {
        match bits & 3 {
            0 => Self::NearestEven,
            1 => Self::PlusInfinity,
            2 => Self::MinusInfinity,
            _ => Self::TowardZero,
        }
    }
}

/// The NaN of invalid single-precision operations.
pub const DEFAULT_NAN_F32: f32 = f32::from_bits(0xffc0_0000);
/// The NaN of invalid double-precision operations.
pub const DEFAULT_NAN_F64: f64 = f64::from_bits(0xfff8_0000_0000_0000);
/// The NaN of invalid half-precision operations.
pub const DEFAULT_NAN_F16: u16 = 0xfe00;

/// The quiet form of a single-precision NaN.
#[inline(always)]
pub fn quiet_f32(x: f32) -> f32 {
    f32::from_bits(x.to_bits() | 0x0040_0000)
}

/// The quiet form of a double-precision NaN.
#[inline(always)]
pub fn quiet_f64(x: f64) -> f64 {
    f64::from_bits(x.to_bits() | 0x0008_0000_0000_0000)
}

/// Whether `x` is a signalling NaN.
#[inline(always)]
pub fn is_signaling_f32(x: f32) -> bool {
    x.is_nan() && x.to_bits() & 0x0040_0000 == 0
}

/// Whether `x` is a signalling NaN.
#[inline(always)]
pub fn is_signaling_f64(x: f64) -> bool {
    x.is_nan() && x.to_bits() & 0x0008_0000_0000_0000 == 0
}

/// `r`, or where it is a NaN the NaN that an operation on `a` gives.
#[inline(always)]
pub fn nan1_f32(r: f32, a: f32) -> f32 {
    let nan = if a.is_nan() {
        quiet_f32(a)
    } else {
        DEFAULT_NAN_F32
    };
    if r.is_nan() { nan } else { r }
}

/// `r`, or where it is a NaN the NaN that an operation on `a` and `b` gives.
#[inline(always)]
pub fn nan2_f32(r: f32, a: f32, b: f32) -> f32 {
    let nan = if b.is_nan() {
        quiet_f32(b)
    } else {
        DEFAULT_NAN_F32
    };
    let nan = if a.is_nan() { quiet_f32(a) } else { nan };
    if r.is_nan() { nan } else { r }
}

/// `r`, or where it is a NaN the NaN that an operation on `a`, `b`, `c` gives.
#[inline(always)]
pub fn nan3_f32(r: f32, a: f32, b: f32, c: f32) -> f32 {
    let nan = if c.is_nan() {
        quiet_f32(c)
    } else {
        DEFAULT_NAN_F32
    };
    let nan = if b.is_nan() { quiet_f32(b) } else { nan };
    let nan = if a.is_nan() { quiet_f32(a) } else { nan };
    if r.is_nan() { nan } else { r }
}

/// `r`, or where it is a NaN the NaN that an operation on `a` gives.
#[inline(always)]
pub fn nan1_f64(r: f64, a: f64) -> f64 {
    let nan = if a.is_nan() {
        quiet_f64(a)
    } else {
        DEFAULT_NAN_F64
    };
    if r.is_nan() { nan } else { r }
}

/// `r`, or where it is a NaN the NaN that an operation on `a` and `b` gives.
#[inline(always)]
pub fn nan2_f64(r: f64, a: f64, b: f64) -> f64 {
    let nan = if b.is_nan() {
        quiet_f64(b)
    } else {
        DEFAULT_NAN_F64
    };
    let nan = if a.is_nan() { quiet_f64(a) } else { nan };
    if r.is_nan() { nan } else { r }
}

/// `r`, or where it is a NaN the NaN that an operation on `a`, `b`, `c` gives.
#[inline(always)]
pub fn nan3_f64(r: f64, a: f64, b: f64, c: f64) -> f64 {
    let nan = if c.is_nan() {
        quiet_f64(c)
    } else {
        DEFAULT_NAN_F64
    };
    let nan = if b.is_nan() { quiet_f64(b) } else { nan };
    let nan = if a.is_nan() { quiet_f64(a) } else { nan };
    if r.is_nan() { nan } else { r }
}

/// A denormal becomes the zero of its sign; anything else passes unchanged.
#[inline(always)]
pub fn flush_f32(x: f32) -> f32 {
    let bits = x.to_bits();
    let tiny = bits & 0x7f80_0000 == 0;
    f32::from_bits(if tiny { bits & 0x8000_0000 } else { bits })
}

/// A denormal becomes the zero of its sign; anything else passes unchanged.
#[inline(always)]
pub fn flush_f64(x: f64) -> f64 {
    let bits = x.to_bits();
    let tiny = bits & 0x7ff0_0000_0000_0000 == 0;
    f64::from_bits(if tiny { bits & (1 << 63) } else { bits })
}

/// A half-precision denormal becomes the zero of its sign.
#[inline(always)]
pub fn flush_f16(x: u16) -> u16 {
    if x & 0x7c00 == 0 { x & 0x8000 } else { x }
}

/// The value of a half-precision number as an `f32`, exactly; a signalling NaN
/// stays signalling.
#[inline(always)]
pub fn widen_f16(x: u16) -> f32 {
    const REBIAS: u32 = (127 - 15) << 23;
    let sign = u32::from(x & 0x8000) << 16;
    let magnitude = u32::from(x & 0x7fff) << 13;
    let exponent = magnitude & 0x0f80_0000;
    let normal = magnitude + REBIAS;
    let special = magnitude + 2 * REBIAS;
    // A denormal is its fraction with the implicit one of exponent 1 taken off.
    let denormal = (f32::from_bits(magnitude + REBIAS + (1 << 23))
        - f32::from_bits(REBIAS + (1 << 23)))
    .to_bits();
    let bits = if exponent == 0 { denormal } else { normal };
    let bits = if exponent == 0x0f80_0000 {
        special
    } else {
        bits
    };
    f32::from_bits(bits | sign)
}

/// `x` rounded to half precision, to nearest even, overflow to infinity. A NaN
/// keeps the upper bits of its payload and whether it signals.
#[inline(always)]
pub fn narrow_f16(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 16) & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    // Round at bit 13: adding half a unit, less one where the kept part is
    // even, carries into the exponent where it must.
    let odd = magnitude >> 13 & 1;
    let normal = magnitude
        .wrapping_sub((127 - 15) << 23)
        .wrapping_add(0xfff + odd)
        >> 13;
    // A sum with 0.5 aligns the units of 2^-24 and rounds by the host's rule.
    let denormal = (f32::from_bits(magnitude) + 0.5)
        .to_bits()
        .wrapping_sub(0x3f00_0000);
    let payload = magnitude >> 13 & 0x3ff;
    let nan = 0x7c00 | if payload == 0 { 0x200 } else { payload };
    let half = if magnitude < (127 - 14) << 23 {
        denormal
    } else {
        normal
    };
    let half = if magnitude >= (127 + 16) << 23 {
        0x7c00
    } else {
        half
    };
    let half = if magnitude > 0x7f80_0000 { nan } else { half };
    (half | sign) as u16
}

/// `x` rounded to half precision in the given mode.
///
/// Overflow gives infinity or the largest finite number as the mode demands.
#[inline(always)]
pub fn narrow_f16_round(x: f32, round: Round) -> u16 {
    if x.is_nan() {
        return narrow_f16(x);
    }
    let nearest = narrow_f16(x);
    let back = widen_f16(nearest);
    // One step of the magnitude moves to the neighbour on the other side of x.
    let negative = x.is_sign_negative();
    let (too_high, too_low) = (back > x, back < x);
    let step = match round {
        Round::NearestEven => 0,
        Round::PlusInfinity if too_low => {
            if negative {
                -1
            } else {
                1
            }
        }
        Round::MinusInfinity if too_high => {
            if negative {
                1
            } else {
                -1
            }
        }
        Round::TowardZero if back.abs() > x.abs() => -1,
        _ => 0,
    };
    nearest.wrapping_add_signed(step)
}

/// The value of a BF16 number as an `f32`.
#[inline(always)]
pub fn widen_bf16(x: u16) -> f32 {
    f32::from_bits(u32::from(x) << 16)
}

/// `x` rounded to BF16, to nearest even. A NaN keeps the upper bits of its
/// payload and whether it signals.
#[inline(always)]
pub fn narrow_bf16(x: f32) -> u16 {
    let bits = x.to_bits();
    let odd = bits >> 16 & 1;
    let rounded = bits.wrapping_add(0x7fff + odd) >> 16;
    let payload = bits >> 16 & 0x7f;
    let nan = bits >> 16 | if payload == 0 { 0x40 } else { 0 };
    (if x.is_nan() { nan } else { rounded }) as u16
}

/// `a + b` in single precision, rounded to odd: inexact sums get their lowest
/// bit set, so that a second rounding to a narrower format is exact.
///
/// Sound where the sum does not overflow, which holds for sums of half
/// precision products and addends.
#[inline(always)]
pub fn add_odd_f32(a: f32, b: f32) -> f32 {
    let sum = a + b;
    // Two-sum: `error` is what the rounded sum misses, exactly.
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    odd_f32(sum, error)
}

#[inline(always)]
fn odd_f32(sum: f32, error: f32) -> f32 {
    let bits = sum.to_bits();
    let even = bits & 1 == 0;
    // Toward the exact value: away from zero where the error has the sum's sign.
    let away = (error > 0.0) == (sum > 0.0);
    let moved = if away {
        bits.wrapping_add(1)
    } else {
        bits.wrapping_sub(1)
    };
    f32::from_bits(if error.abs() > 0.0 && even {
        moved
    } else {
        bits
    })
}

/// `a + b` in double precision, rounded to odd; the sum must not overflow.
#[inline(always)]
pub fn add_odd_f64(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    let bits = sum.to_bits();
    let even = bits & 1 == 0;
    let away = (error > 0.0) == (sum > 0.0);
    let moved = if away {
        bits.wrapping_add(1)
    } else {
        bits.wrapping_sub(1)
    };
    f64::from_bits(if error.abs() > 0.0 && even {
        moved
    } else {
        bits
    })
}

/// `x` rounded to single precision in the given mode.
#[inline(always)]
pub fn narrow_f32_round(x: f64, round: Round) -> f32 {
    let nearest = x as f32;
    let back = f64::from(nearest);
    let step_up = match round {
        Round::NearestEven => return nearest,
        Round::PlusInfinity => back < x,
        Round::MinusInfinity => false,
        Round::TowardZero => x < 0.0 && back < x,
    };
    let step_down = match round {
        Round::MinusInfinity => back > x,
        Round::TowardZero => x > 0.0 && back > x,
        _ => false,
    };
    if step_up {
        nearest.next_up()
    } else if step_down {
        nearest.next_down()
    } else {
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;

    /// The nearest half to `x` by search over all halves, ties to the even one.
    fn nearest_half(x: f64) -> u16 {
        let magnitude = x.abs();
        let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
        if magnitude >= 65520.0 {
            return sign | 0x7c00;
        }
        // Halves of one sign are ordered as their bits.
        let (mut low, mut high) = (0u16, 0x7bffu16);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if f16::from_bits(middle).to_f64() <= magnitude {
                low = middle
            } else {
                high = middle - 1
            }
        }
        let below = magnitude - f16::from_bits(low).to_f64();
        let next = if low == 0x7bff {
            65536.0
        } else {
            f16::from_bits(low + 1).to_f64()
        };
        let above = next - magnitude;
        let up = above < below || (above == below && low & 1 == 1);
        sign | (low + u16::from(up))
    }

    #[test]
    fn every_half_widens_to_its_value_and_back() {
        for bits in 0..=u16::MAX {
            let wide = widen_f16(bits);
            let (sign, exponent, fraction) = (bits >> 15, bits >> 10 & 31, f64::from(bits & 0x3ff));
            let magnitude = match exponent {
                0 => fraction * 2f64.powi(-24),
                31 if fraction == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                e => (1024.0 + fraction) * 2f64.powi(i32::from(e) - 25),
            };
            if magnitude.is_nan() {
                assert!(wide.is_nan());
                assert_eq!(is_signaling_f32(wide), bits & 0x200 == 0);
            } else {
                assert_eq!(f64::from(wide.abs()), magnitude, "{bits:#06x}");
                assert_eq!(wide.is_sign_negative(), sign == 1);
            }
            assert_eq!(narrow_f16(wide), bits, "{bits:#06x}");
        }
    }

    #[test]
    fn narrowing_agrees_with_a_search_over_all_halves() {
        // Every half, every midpoint, and the neighbours of each.
        for bits in 0..0x7c00u16 {
            let here = f16::from_bits(bits).to_f32();
            let next = if bits == 0x7bff {
                65536.0
            } else {
                f16::from_bits(bits + 1).to_f32()
            };
            for x in [here, (here + next) / 2.0] {
                for x in [x.next_down(), x, x.next_up()] {
                    assert_eq!(narrow_f16(x), nearest_half(x.into()), "{x:e}");
                    assert_eq!(narrow_f16(-x), nearest_half((-x).into()), "{x:e}");
                }
            }
        }
        assert_eq!(narrow_f16(f32::MAX), 0x7c00);
        assert_eq!(narrow_f16(f32::from_bits(1)), 0);
        assert_eq!(narrow_f16(f32::from_bits(0xff80_0001)), 0xfe00);
    }

    #[test]
    fn directed_narrowing_brackets_the_value() {
        let third = 1.0f32 / 3.0;
        assert_eq!(narrow_f16_round(third, Round::PlusInfinity), 0x3556);
        assert_eq!(narrow_f16_round(third, Round::TowardZero), 0x3555);
        assert_eq!(narrow_f16_round(-third, Round::PlusInfinity), 0xb555);
        assert_eq!(narrow_f16_round(-third, Round::MinusInfinity), 0xb556);
        assert_eq!(narrow_f16_round(1e6, Round::TowardZero), 0x7bff);
        assert_eq!(narrow_f16_round(1e6, Round::MinusInfinity), 0x7bff);
        assert_eq!(narrow_f16_round(-1e6, Round::MinusInfinity), 0xfc00);
        assert_eq!(narrow_f16_round(f32::INFINITY, Round::TowardZero), 0x7c00);
        assert_eq!(narrow_f16_round(1e-30, Round::PlusInfinity), 1);
        assert_eq!(narrow_f16_round(-1e-30, Round::PlusInfinity), 0x8000);
        assert_eq!(narrow_f16_round(-1e-30, Round::MinusInfinity), 0x8001);
    }

    #[test]
    fn bf16_rounds_to_nearest_even_and_keeps_nans() {
        assert_eq!(narrow_bf16(1.0), 0x3f80);
        assert_eq!(narrow_bf16(f32::from_bits(0x3f80_8000)), 0x3f80);
        assert_eq!(narrow_bf16(f32::from_bits(0x3f81_8000)), 0x3f82);
        assert_eq!(narrow_bf16(f32::from_bits(0x3f80_8001)), 0x3f81);
        assert_eq!(narrow_bf16(f32::MAX), 0x7f80);
        assert_eq!(narrow_bf16(f32::from_bits(0x7f80_0001)), 0x7fc0);
        assert_eq!(narrow_bf16(f32::from_bits(0xffff_ffff)), 0xffff);
    }

    #[test]
    fn flushing_keeps_the_sign_and_the_smallest_normal() {
        assert_eq!(
            flush_f32(f32::from_bits(0x807f_ffff)).to_bits(),
            0x8000_0000
        );
        assert_eq!(flush_f32(f32::MIN_POSITIVE), f32::MIN_POSITIVE);
        assert_eq!(flush_f64(f64::from_bits(1)).to_bits(), 0);
        assert_eq!(flush_f16(0x83ff), 0x8000);
        assert_eq!(flush_f16(0x0400), 0x0400);
    }

    #[test]
    fn directed_single_rounding() {
        let x = 1.0 + 2f64.powi(-40);
        assert_eq!(narrow_f32_round(x, Round::NearestEven), 1.0);
        assert_eq!(narrow_f32_round(x, Round::PlusInfinity), 1.0f32.next_up());
        assert_eq!(
            narrow_f32_round(-x, Round::MinusInfinity),
            -1.0f32.next_up()
        );
        assert_eq!(narrow_f32_round(1e300, Round::TowardZero), f32::MAX);
        assert_eq!(narrow_f32_round(-1e300, Round::PlusInfinity), f32::MIN);
        assert_eq!(narrow_f32_round(1e-300, Round::PlusInfinity).to_bits(), 1);
    }

    #[test]
    fn odd_sums_keep_what_was_lost() {
        assert_eq!(add_odd_f32(1.0, 2f32.powi(-60)).to_bits(), 0x3f80_0001);
        assert_eq!(add_odd_f32(1.0, -2f32.powi(-60)).to_bits(), 0x3f7f_ffff);
        assert_eq!(add_odd_f32(-1.0, 2f32.powi(-60)).to_bits(), 0xbf7f_ffff);
        assert_eq!(add_odd_f32(1.0, 1.0), 2.0);
        assert_eq!(add_odd_f64(1.0, 2f64.powi(-90)).to_bits() & 1, 1);
    }
}
