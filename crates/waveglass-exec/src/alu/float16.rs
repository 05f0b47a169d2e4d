//! Half-precision arithmetic on raw bits.
//!
//! Addition and multiplication go through single precision: its 24 bits are at
//! least twice half precision's 11 and two more, so the second rounding cannot
//! change the result. The product of two halves is exact in single precision,
//! so FMA needs only a sum that is rounded to odd before it is narrowed.

use super::float::{Round, add_odd_f32, nan3_f32, narrow_f16, narrow_f16_round, widen_f16};
use super::{float::flush_f16, float32};

/// `v_add_f16`.
#[inline(always)]
pub fn v_add_f16(a: u16, b: u16) -> u16 {
    narrow_f16(float32::v_add_f32(widen_f16(a), widen_f16(b)))
}

/// `v_sub_f16`: `a - b`.
#[inline(always)]
pub fn v_sub_f16(a: u16, b: u16) -> u16 {
    narrow_f16(float32::v_sub_f32(widen_f16(a), widen_f16(b)))
}

/// `v_subrev_f16`: `b - a`.
#[inline(always)]
pub fn v_subrev_f16(a: u16, b: u16) -> u16 {
    narrow_f16(float32::v_subrev_f32(widen_f16(a), widen_f16(b)))
}

/// `v_mul_f16`.
#[inline(always)]
pub fn v_mul_f16(a: u16, b: u16) -> u16 {
    narrow_f16(float32::v_mul_f32(widen_f16(a), widen_f16(b)))
}

/// `v_fma_f16` (`v_fmac_f16`, `v_fmamk_f16`, `v_fmaak_f16`,
/// `v_fma_legacy_f16`): one rounding.
#[inline(always)]
pub fn v_fma_f16(a: u16, b: u16, c: u16) -> u16 {
    narrow_f16(fma_odd(widen_f16(a), widen_f16(b), widen_f16(c)))
}

/// `v_fma_f16` in any rounding mode; `v_add_f16` is its case `b = 1`,
/// `v_mul_f16` its case `c = -0`.
#[inline(always)]
pub fn v_fma_f16_round(a: u16, b: u16, c: u16, round: Round) -> u16 {
    let (a, b, c) = (widen_f16(a), widen_f16(b), widen_f16(c));
    let sum = fma_odd(a, b, c);
    let opposite = (a * b).is_sign_negative() != c.is_sign_negative();
    if sum == 0.0 && opposite {
        return if round == Round::MinusInfinity {
            0x8000
        } else {
            0
        };
    }
    narrow_f16_round(sum, round)
}

#[inline(always)]
fn fma_odd(a: f32, b: f32, c: f32) -> f32 {
    nan3_f32(add_odd_f32(a * b, c), a, b, c)
}

/// `v_mad_f16` (`v_mac_f16`, `v_madmk_f16`, `v_madak_f16`, `v_mad_legacy_f16`):
/// the product is rounded before the sum.
///
/// Denormals follow MODE, unlike [`v_mad_f32`](float32::v_mad_f32).
#[inline(always)]
pub fn v_mad_f16(a: u16, b: u16, c: u16) -> u16 {
    let product = widen_f16(narrow_f16(widen_f16(a) * widen_f16(b)));
    let (a, b, c) = (widen_f16(a), widen_f16(b), widen_f16(c));
    narrow_f16(nan3_f32(product + c, a, b, c))
}

/// [`v_mad_f16`] with half-precision denormals flushed, the product's too.
#[inline(always)]
pub fn v_mad_f16_flush(a: u16, b: u16, c: u16) -> u16 {
    let (a, b, c) = (flush_f16(a), flush_f16(b), flush_f16(c));
    let product = widen_f16(flush_f16(narrow_f16(widen_f16(a) * widen_f16(b))));
    let (a, b, c) = (widen_f16(a), widen_f16(b), widen_f16(c));
    flush_f16(narrow_f16(nan3_f32(product + c, a, b, c)))
}

/// `v_floor_f16`.
#[inline(always)]
pub fn v_floor_f16(a: u16) -> u16 {
    narrow_f16(float32::v_floor_f32(widen_f16(a)))
}

/// `v_ceil_f16`.
#[inline(always)]
pub fn v_ceil_f16(a: u16) -> u16 {
    narrow_f16(float32::v_ceil_f32(widen_f16(a)))
}

/// `v_trunc_f16`.
#[inline(always)]
pub fn v_trunc_f16(a: u16) -> u16 {
    narrow_f16(float32::v_trunc_f32(widen_f16(a)))
}

/// `v_rndne_f16`: to the nearest integer, ties to even.
#[inline(always)]
pub fn v_rndne_f16(a: u16) -> u16 {
    narrow_f16(float32::v_rndne_f32(widen_f16(a)))
}

/// `v_fract_f16`: `a - floor(a)`, clamped to the largest value below one, as
/// the manual says of the wider forms (of this one it is silent).
#[inline(always)]
pub fn v_fract_f16(a: u16) -> u16 {
    let fraction = narrow_f16(float32::v_fract_f32(widen_f16(a)));
    if fraction == 0x3c00 { 0x3bff } else { fraction }
}

/// `v_frexp_mant_f16`.
#[inline(always)]
pub fn v_frexp_mant_f16(a: u16) -> u16 {
    narrow_f16(float32::v_frexp_mant_f32(widen_f16(a)))
}

/// `v_frexp_exp_i16_f16`.
#[inline(always)]
pub fn v_frexp_exp_i16_f16(a: u16) -> u16 {
    float32::v_frexp_exp_i32_f32(widen_f16(a)) as u16
}

/// `v_ldexp_f16`: `a * 2^exponent` for a signed 16-bit exponent, rounded once.
#[inline(always)]
pub fn v_ldexp_f16(a: u16, exponent: u16) -> u16 {
    // Within 60 the scaled value is exact in single precision, beyond it every
    // half has over- or underflowed.
    let exponent = i32::from(exponent as i16).clamp(-60, 60);
    narrow_f16(float32::v_ldexp_f32(widen_f16(a), exponent as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;

    /// The half nearest to `units * 2^-48`, by integer arithmetic alone.
    fn round_units(units: i128) -> u16 {
        let sign = if units < 0 { 0x8000 } else { 0 };
        let magnitude = units.unsigned_abs();
        if magnitude == 0 {
            return 0;
        }
        let top = 127 - magnitude.leading_zeros() as i32;
        // The unit of the result: eleven bits, but not below 2^-24.
        let lowest = (top - 10).max(24);
        let kept = magnitude >> lowest;
        let rest = magnitude & ((1 << lowest) - 1);
        let half = 1u128 << (lowest - 1);
        let up = rest > half || (rest == half && kept & 1 == 1);
        let rounded = kept + u128::from(up);
        let bits = rounded + ((lowest - 24) as u128) * 1024;
        if bits >= 0x7c00 {
            sign | 0x7c00
        } else {
            sign | bits as u16
        }
    }

    /// A finite half as a multiple of 2^-24.
    fn units(x: u16) -> i128 {
        let (exponent, fraction) = (i32::from(x >> 10 & 31), i128::from(x & 0x3ff));
        let magnitude = if exponent == 0 {
            fraction
        } else {
            (fraction | 0x400) << (exponent - 1)
        };
        if x & 0x8000 != 0 {
            -magnitude
        } else {
            magnitude
        }
    }

    fn samples() -> impl Iterator<Item = (u16, u16, u16)> {
        let mut state = 0x1234_5678_9abc_def0u64;
        std::iter::repeat_with(move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99_991);
            (
                (state >> 16) as u16,
                (state >> 32) as u16,
                (state >> 48) as u16,
            )
        })
        .filter(|(a, b, c)| [a, b, c].iter().all(|&&x| x & 0x7c00 != 0x7c00))
    }

    #[test]
    fn arithmetic_agrees_with_integers() {
        for (a, b, c) in samples().take(400_000) {
            let (x, y, z) = (units(a), units(b), units(c));
            let same = |got: u16, exact: i128, what| {
                let expected = round_units(exact);
                let ok = got == expected || (exact == 0 && got == 0x8000);
                assert!(
                    ok,
                    "{what} {a:#06x} {b:#06x} {c:#06x}: {got:#06x}, not {expected:#06x}"
                );
            };
            same(v_add_f16(a, b), (x + y) << 24, "add");
            same(v_sub_f16(a, b), (x - y) << 24, "sub");
            same(v_mul_f16(a, b), x * y, "mul");
            same(v_fma_f16(a, b, c), x * y + (z << 24), "fma");
        }
    }

    #[test]
    fn fused_sums_near_ties_round_by_the_lost_part() {
        // 1 + 2^-11 is a tie; a product of 2^-48 decides it.
        let one_and_tie = (0x3c00u16, 0x3c01u16);
        let tiny = 0x0001;
        assert_eq!(v_fma_f16(tiny, tiny, one_and_tie.0), 0x3c00);
        // 0x3c01 * 0x3c01 = 1 + 2^-9 + 2^-20.
        assert_eq!(v_fma_f16(0x3c01, 0x3c01, 0x0000), 0x3c02);
        assert_eq!(
            v_fma_f16(0x3c01, 0x3c01, 0x1000),
            round_units((units(0x3c01) * units(0x3c01)) + (units(0x1000) << 24))
        );
        assert_eq!(v_mad_f16(0x3c01, 0x3c01, 0xbc02), 0);
        assert_eq!(
            v_fma_f16(0x3c01, 0x3c01, 0xbc02),
            f16::from_f32(2f32.powi(-20)).to_bits()
        );
    }

    #[test]
    fn special_values() {
        assert_eq!(v_add_f16(0x7c00, 0xfc00), 0xfe00);
        assert_eq!(v_mul_f16(0x7c00, 0x0000), 0xfe00);
        assert_eq!(v_add_f16(0x7c01, 0x3c00), 0x7e01);
        assert_eq!(v_fma_f16(0x7c00, 0x3c00, 0xfc00), 0xfe00);
        assert_eq!(v_fma_f16(0x7bff, 0x7bff, 0x3c00), 0x7c00);
        assert_eq!(v_add_f16(0x7bff, 0x7bff), 0x7c00);
        assert_eq!(v_add_f16(0x8000, 0x8000), 0x8000);
        assert_eq!(v_fma_f16(0x7c00, 0x3c00, 0x3c00), 0x7c00);
        assert_eq!(v_mad_f16_flush(0x0001, 0x3c00, 0x0001), 0);
    }

    #[test]
    fn directed_rounding_of_halves() {
        assert_eq!(
            v_fma_f16_round(0x3c00, 0x3c00, 0x0001, Round::PlusInfinity),
            0x3c01
        );
        assert_eq!(
            v_fma_f16_round(0x3c00, 0x3c00, 0x0001, Round::TowardZero),
            0x3c00
        );
        assert_eq!(
            v_fma_f16_round(0x3c00, 0x3c00, 0x8001, Round::TowardZero),
            0x3bff
        );
        assert_eq!(
            v_fma_f16_round(0x3c00, 0x3c00, 0xbc00, Round::MinusInfinity),
            0x8000
        );
        assert_eq!(
            v_fma_f16_round(0x7bff, 0x4000, 0, Round::TowardZero),
            0x7bff
        );
    }

    #[test]
    fn unary_functions_over_all_halves() {
        for bits in 0..=u16::MAX {
            let x = f16::from_bits(bits).to_f64();
            if x.is_nan() {
                assert_eq!(v_floor_f16(bits), bits | 0x200);
                continue;
            }
            let half = |value: f64| f16::from_f64(value).to_bits();
            // Every result is a half already, so that from_f64 does not round.
            assert_eq!(v_floor_f16(bits), half(x.floor()), "{bits:#06x}");
            assert_eq!(v_ceil_f16(bits), half(x.ceil()));
            assert_eq!(v_trunc_f16(bits), half(x.trunc()));
            assert_eq!(v_rndne_f16(bits), half(x.round_ties_even()));
            if x.is_finite() {
                let nearest = f16::from_f32((x - x.floor()) as f32).to_bits();
                assert_eq!(v_fract_f16(bits), nearest.min(0x3bff), "{bits:#06x}");
            }
            if x.is_finite() && x != 0.0 {
                let m = f16::from_bits(v_frexp_mant_f16(bits)).to_f64();
                let e = v_frexp_exp_i16_f16(bits) as i16;
                assert!((0.5..1.0).contains(&m.abs()));
                assert_eq!(m * 2f64.powi(e.into()), x);
                assert_eq!(v_ldexp_f16(v_frexp_mant_f16(bits), e as u16), bits);
                assert_eq!(v_ldexp_f16(bits, 0x7fff) & 0x7fff, 0x7c00);
                assert_eq!(v_ldexp_f16(bits, 0x8000) & 0x7fff, 0);
            }
        }
    }
}
