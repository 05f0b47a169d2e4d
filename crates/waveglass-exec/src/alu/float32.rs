//! Single-precision arithmetic, in the order of the manual's VOP2, VOP1 and
//! VOP3 chapters. Minimum and maximum are in [`minmax`](super::minmax), the
//! division macro in [`division`](super::division).

use super::float::{Round, add_odd_f64, flush_f32, nan1_f32, nan2_f32, nan3_f32, narrow_f32_round};

/// `v_add_f32`.
#[inline(always)]
pub fn v_add_f32(a: f32, b: f32) -> f32 {
    nan2_f32(a + b, a, b)
}

/// `v_sub_f32`: `a - b`.
#[inline(always)]
pub fn v_sub_f32(a: f32, b: f32) -> f32 {
    nan2_f32(a - b, a, b)
}

/// `v_subrev_f32`: `b - a`.
#[inline(always)]
pub fn v_subrev_f32(a: f32, b: f32) -> f32 {
    nan2_f32(b - a, a, b)
}

/// `v_mul_f32`.
#[inline(always)]
pub fn v_mul_f32(a: f32, b: f32) -> f32 {
    nan2_f32(a * b, a, b)
}

/// `v_mul_dx9_zero_f32` (`v_mul_legacy_f32`): a factor of zero gives +0
/// whatever the other is.
#[inline(always)]
pub fn v_mul_dx9_zero_f32(a: f32, b: f32) -> f32 {
    if a == 0.0 || b == 0.0 {
        0.0
    } else {
        v_mul_f32(a, b)
    }
}

/// `v_mac_f32` and `v_mad_f32` (`v_madmk_f32`, `v_madak_f32`): the product is
/// rounded before the sum, and denormals are always flushed.
#[inline(always)]
pub fn v_mad_f32(a: f32, b: f32, c: f32) -> f32 {
    let (a, b, c) = (flush_f32(a), flush_f32(b), flush_f32(c));
    flush_f32(nan3_f32(flush_f32(a * b) + c, a, b, c))
}

/// [`v_mad_f32`] where it gives no NaN; which NaN it gives is left open.
#[inline(always)]
pub fn mad_flushed(a: f32, b: f32, c: f32) -> f32 {
    let product = flush_f32(flush_f32(a) * flush_f32(b));
    flush_f32(product + flush_f32(c))
}

/// `v_mad_legacy_f32` (`v_mac_legacy_f32`): [`v_mad_f32`] with the DirectX 9
/// rule that zero times anything is zero.
#[inline(always)]
pub fn v_mad_legacy_f32(a: f32, b: f32, c: f32) -> f32 {
    let (a, b, c) = (flush_f32(a), flush_f32(b), flush_f32(c));
    let product = flush_f32(v_mul_dx9_zero_f32(a, b));
    flush_f32(nan2_f32(product + c, product, c))
}

/// `v_fma_f32` (`v_fmac_f32`, `v_fmamk_f32`, `v_fmaak_f32`): one rounding.
#[inline(always)]
pub fn v_fma_f32(a: f32, b: f32, c: f32) -> f32 {
    nan3_f32(a.mul_add(b, c), a, b, c)
}

/// `v_fma_dx9_zero_f32` (`v_fma_legacy_f32`, `v_fmac_legacy_f32`,
/// `v_fmac_dx9_zero_f32`): a factor of zero leaves `c`.
#[inline(always)]
pub fn v_fma_dx9_zero_f32(a: f32, b: f32, c: f32) -> f32 {
    if a == 0.0 || b == 0.0 {
        c
    } else {
        v_fma_f32(a, b, c)
    }
}

/// `v_fma_f32` in any rounding mode; `v_add_f32` is its case `b = 1`,
/// `v_mul_f32` its case `c = -0`.
#[inline(always)]
pub fn v_fma_f32_round(a: f32, b: f32, c: f32, round: Round) -> f32 {
    let nearest = v_fma_f32(a, b, c);
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return nearest;
    }
    // The product is exact in double precision; a sum rounded to odd keeps
    // enough to round once more. An exact zero sum is -0 when rounding down.
    let product = f64::from(a) * f64::from(b);
    let sum = add_odd_f64(product, f64::from(c));
    let opposite = product.is_sign_negative() != c.is_sign_negative();
    if sum == 0.0 && opposite {
        return if round == Round::MinusInfinity {
            -0.0
        } else {
            0.0
        };
    }
    narrow_f32_round(sum, round)
}

/// `v_fract_f32`: `a - floor(a)`, clamped to 0x3f7fffff, the largest value
/// below one.
#[inline(always)]
pub fn v_fract_f32(a: f32) -> f32 {
    const BELOW_ONE: f32 = f32::from_bits(0x3f7f_ffff);
    let fraction = a - a.floor();
    nan1_f32(
        if fraction > BELOW_ONE {
            BELOW_ONE
        } else {
            fraction
        },
        a,
    )
}

/// `v_trunc_f32`.
#[inline(always)]
pub fn v_trunc_f32(a: f32) -> f32 {
    nan1_f32(a.trunc(), a)
}

/// `v_ceil_f32`.
#[inline(always)]
pub fn v_ceil_f32(a: f32) -> f32 {
    nan1_f32(a.ceil(), a)
}

/// `v_rndne_f32`: to the nearest integer, ties to even.
#[inline(always)]
pub fn v_rndne_f32(a: f32) -> f32 {
    nan1_f32(a.round_ties_even(), a)
}

/// `v_floor_f32`.
#[inline(always)]
pub fn v_floor_f32(a: f32) -> f32 {
    nan1_f32(a.floor(), a)
}

/// `v_frexp_exp_i32_f32`: the exponent `e` with `a = m * 2^e`, `0.5 <= |m| < 1`;
/// zero for zero, infinities and NaN.
///
/// A denormal gives its true exponent; the caller flushes it first where MODE
/// says so.
#[inline(always)]
pub fn v_frexp_exp_i32_f32(a: f32) -> u32 {
    let finite = a.is_finite() && a != 0.0;
    // A denormal is normal after scaling by 2^24.
    let denormal = a.abs() < f32::MIN_POSITIVE;
    let scaled = if denormal { a * 16_777_216.0 } else { a };
    let biased = (scaled.to_bits() >> 23 & 0xff) as i32;
    let exponent = biased - 126 - if denormal { 24 } else { 0 };
    if finite { exponent as u32 } else { 0 }
}

/// `v_frexp_mant_f32`: the significand `m` with `a = m * 2^e`, `0.5 <= |m| < 1`;
/// zeros, infinities and NaN pass through.
#[inline(always)]
pub fn v_frexp_mant_f32(a: f32) -> f32 {
    let finite = a.is_finite() && a != 0.0;
    let denormal = a.abs() < f32::MIN_POSITIVE;
    let scaled = if denormal { a * 16_777_216.0 } else { a };
    let mantissa = f32::from_bits(scaled.to_bits() & 0x807f_ffff | 0x3f00_0000);
    if finite { mantissa } else { nan1_f32(a, a) }
}

/// `v_ldexp_f32`: `a * 2^exponent`, rounded once.
#[inline(always)]
pub fn v_ldexp_f32(a: f32, exponent: u32) -> f32 {
    // Beyond 300 every finite value has over- or underflowed, and a double
    // holds the product exactly.
    let exponent = (exponent as i32).clamp(-300, 300);
    let scale = f64::from_bits(((exponent + 1023) as u64) << 52);
    nan1_f32((f64::from(a) * scale) as f32, a)
}

/// [`v_ldexp_f32`] of a zero, or of a normal number with a normal result; else a NaN.
#[inline(always)]
pub fn moderate_ldexp_f32(a: f32, exponent: u32) -> f32 {
    let own = a.to_bits() >> 23 & 0xff;
    let moved = own.wrapping_add(exponent);
    let normal = |e: u32| e.wrapping_sub(1) < 254;
    let r = f32::from_bits(a.to_bits().wrapping_add(exponent << 23));
    let r = if normal(own) & normal(moved) {
        r
    } else {
        f32::NAN
    };
    if a == 0.0 { a } else { r }
}

/// `v_mullit_f32`: the product for specular lighting, `-MAX` where `b` or `c`
/// rule it out.
#[inline(always)]
pub fn v_mullit_f32(a: f32, b: f32, c: f32) -> f32 {
    if b == f32::MIN || b == f32::NEG_INFINITY || b.is_nan() || c <= 0.0 || c.is_nan() {
        f32::MIN
    } else {
        v_mul_dx9_zero_f32(a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f32 = f32::INFINITY;

    #[test]
    fn invalid_operations_give_the_default_nan() {
        assert_eq!(v_add_f32(INF, -INF).to_bits(), 0xffc0_0000);
        assert_eq!(v_sub_f32(INF, INF).to_bits(), 0xffc0_0000);
        assert_eq!(v_mul_f32(0.0, INF).to_bits(), 0xffc0_0000);
        assert_eq!(v_fma_f32(INF, 1.0, -INF).to_bits(), 0xffc0_0000);
        assert_eq!(v_fract_f32(INF).to_bits(), 0xffc0_0000);
    }

    #[test]
    fn the_first_nan_is_returned_made_quiet() {
        let first = f32::from_bits(0x7f80_0005);
        let second = f32::from_bits(0xffc0_0007);
        assert_eq!(v_add_f32(first, second).to_bits(), 0x7fc0_0005);
        assert_eq!(v_mul_f32(second, first).to_bits(), 0xffc0_0007);
        assert_eq!(v_subrev_f32(1.0, first).to_bits(), 0x7fc0_0005);
        assert_eq!(v_fma_f32(0.0, INF, second).to_bits(), 0xffc0_0007);
        assert_eq!(v_floor_f32(first).to_bits(), 0x7fc0_0005);
    }

    #[test]
    fn dx9_zero_wins_over_infinity_and_nan() {
        assert_eq!(v_mul_dx9_zero_f32(-0.0, INF).to_bits(), 0);
        assert_eq!(v_mul_dx9_zero_f32(f32::NAN, 0.0).to_bits(), 0);
        assert_eq!(v_fma_dx9_zero_f32(0.0, INF, 3.0), 3.0);
        assert_eq!(v_mad_legacy_f32(0.0, INF, 3.0), 3.0);
        assert_eq!(v_mullit_f32(2.0, 3.0, 1.0), 6.0);
        assert_eq!(v_mullit_f32(2.0, 3.0, 0.0), f32::MIN);
    }

    #[test]
    fn mad_rounds_twice_and_flushes_where_fma_does_not() {
        let x = 1.0 + f32::EPSILON;
        // x * x = 1 + 2e + e^2: only the fused form sees e^2.
        assert_eq!(v_mad_f32(x, x, -(1.0 + 2.0 * f32::EPSILON)), 0.0);
        assert_eq!(v_fma_f32(x, x, -(1.0 + 2.0 * f32::EPSILON)), 2f32.powi(-46));
        assert_eq!(v_mad_f32(1e-40, 1e10, 0.0), 0.0);
        assert_eq!(v_mad_f32(1e-20, 1e-20, -0.0).to_bits(), 0);
        assert_ne!(v_fma_f32(1e-40, 1e10, 0.0), 0.0);
    }

    #[test]
    fn directed_rounding_brackets_the_exact_result() {
        use Round::*;
        let tiny = f32::from_bits(1);
        assert_eq!(
            v_fma_f32_round(1.0, 1.0, tiny, PlusInfinity),
            1.0f32.next_up()
        );
        assert_eq!(v_fma_f32_round(1.0, 1.0, tiny, TowardZero), 1.0);
        assert_eq!(
            v_fma_f32_round(1.0, 1.0, -tiny, MinusInfinity),
            1.0f32.next_down()
        );
        assert_eq!(
            v_fma_f32_round(1.0, 1.0, -1.0, MinusInfinity).to_bits(),
            0x8000_0000
        );
        assert_eq!(v_fma_f32_round(1.0, 1.0, -1.0, PlusInfinity).to_bits(), 0);
        assert_eq!(v_fma_f32_round(f32::MAX, 2.0, 0.0, TowardZero), f32::MAX);
        assert_eq!(v_fma_f32_round(f32::MAX, 2.0, 0.0, NearestEven), INF);
        assert_eq!(
            v_fma_f32_round(0.0, -1.0, -0.0, NearestEven).to_bits(),
            0x8000_0000
        );
        assert_eq!(v_fma_f32_round(tiny, tiny, 0.0, PlusInfinity), tiny);
    }

    #[test]
    fn rounding_to_integers() {
        assert_eq!(v_rndne_f32(2.5), 2.0);
        assert_eq!(v_rndne_f32(-0.5).to_bits(), 0x8000_0000);
        assert_eq!(v_rndne_f32(0.500_000_06), 1.0);
        assert_eq!(v_floor_f32(-0.25), -1.0);
        assert_eq!(v_ceil_f32(-0.25).to_bits(), 0x8000_0000);
        assert_eq!(v_trunc_f32(-1.75), -1.0);
        assert_eq!(v_fract_f32(-1.25), 0.75);
        assert_eq!(v_fract_f32(3.25), 0.25);
        assert_eq!(v_fract_f32(-1e-30).to_bits(), 0x3f7f_ffff);
    }

    #[test]
    fn frexp_splits_and_ldexp_joins() {
        for x in [1.0, -3.5, f32::MAX, f32::MIN_POSITIVE, 1e-45, -1e-40] {
            let (m, e) = (v_frexp_mant_f32(x), v_frexp_exp_i32_f32(x));
            assert!((0.5..1.0).contains(&m.abs()), "{x:e}");
            assert_eq!(v_ldexp_f32(m, e), x);
        }
        assert_eq!(v_frexp_exp_i32_f32(1.0), 1);
        assert_eq!(v_frexp_exp_i32_f32(f32::from_bits(1)) as i32, -148);
        assert_eq!(v_frexp_exp_i32_f32(0.0), 0);
        assert_eq!(v_frexp_exp_i32_f32(INF), 0);
        assert_eq!(v_frexp_mant_f32(-INF), -INF);
        assert_eq!(v_frexp_mant_f32(-0.0).to_bits(), 0x8000_0000);
    }

    #[test]
    fn ldexp_rounds_once_and_saturates_its_count() {
        // 1.5 * 2^-149 + a little: a tie broken by bits that a two-step scaling loses.
        assert_eq!(
            v_ldexp_f32(f32::from_bits(0x3fc0_0001), -149i32 as u32).to_bits(),
            2
        );
        assert_eq!(v_ldexp_f32(1.5, -149i32 as u32).to_bits(), 2);
        assert_eq!(v_ldexp_f32(2.5, -149i32 as u32).to_bits(), 2);
        assert_eq!(v_ldexp_f32(f32::from_bits(1), i32::MAX as u32), INF);
        assert_eq!(v_ldexp_f32(-1.0, i32::MIN as u32).to_bits(), 0x8000_0000);
        assert_eq!(v_ldexp_f32(0.0, 5000), 0.0);
    }
}
