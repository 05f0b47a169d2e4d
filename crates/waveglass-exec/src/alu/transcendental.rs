//! Reciprocals, roots, base-two exponential and logarithm, sine and cosine,
//! hyperbolic tangent.
//!
//! The manuals promise 1 ULP (0.51 ULP in half precision on some generations)
//! and not the bits, so these are approximate against hardware. Here they are
//! computed in double precision by the polynomials of `elementary`, whose relative error
//! is under 2^-48, and rounded once: at most 0.5001 ULP from the exact value,
//! the same on every host.
//!
//! Single-precision reciprocals, roots, exponential and logarithm flush
//! denormals on both sides whatever MODE says ("denormals are flushed");
//! sine and cosine do not, nor do the half- and double-precision forms.
//!
//! Sine and cosine take revolutions, not radians.

use super::elementary::{cos_revolutions, exp2_f32, log2, log2_f32, rsqrt, sin_revolutions, tanh};
use super::float::{
    DEFAULT_NAN_F32, DEFAULT_NAN_F64, flush_f32, nan1_f32, nan1_f64, narrow_bf16, narrow_f16,
    widen_bf16, widen_f16,
};

/// `v_exp_f32` (`v_exp_legacy_f32`): 2 to the power of `a`.
#[inline(always)]
pub fn v_exp_f32(a: f32) -> f32 {
    // A denormal is to one as nothing, flushed or not.
    let r = flush_f32(exp2_f32(a));
    if a.is_nan() { nan1_f32(a, a) } else { r }
}

/// `v_log_f32` (`v_log_legacy_f32`): the base-two logarithm.
#[inline(always)]
pub fn v_log_f32(a: f32) -> f32 {
    let x = flush_f32(a);
    let r = flush_f32(log2_f32(x) as f32);
    let r = if x == f32::INFINITY { x } else { r };
    let r = if x < 0.0 { DEFAULT_NAN_F32 } else { r };
    let r = if x == 0.0 { f32::NEG_INFINITY } else { r };
    if a.is_nan() { nan1_f32(a, a) } else { r }
}

/// [`v_log_f32`] of a positive normal number, and whether `a` is one.
#[inline(always)]
pub fn usual_log_f32(a: f32) -> (f32, bool) {
    let normal = a.to_bits().wrapping_sub(0x80_0000) < 0x7f00_0000;
    (log2_f32(a) as f32, normal)
}

/// `v_rcp_f32` (`v_rcp_iflag_f32`): `1 / a`, correctly rounded.
#[inline(always)]
pub fn v_rcp_f32(a: f32) -> f32 {
    flush_f32(nan1_f32(1.0 / flush_f32(a), a))
}

/// `v_rsq_f32`: `1 / sqrt(a)`.
#[inline(always)]
pub fn v_rsq_f32(a: f32) -> f32 {
    let x = flush_f32(a);
    nan1_f32(rsqrt(x) as f32, a)
}

/// `v_sqrt_f32`, correctly rounded.
#[inline(always)]
pub fn v_sqrt_f32(a: f32) -> f32 {
    nan1_f32(flush_f32(a).sqrt(), a)
}

/// `v_sin_f32`: the sine of `a` revolutions.
#[inline(always)]
pub fn v_sin_f32(a: f32) -> f32 {
    let r = sin_revolutions(a) as f32;
    // A zero keeps its sign, whole turns give +0; of infinity there is nothing but a NaN beyond.
    nan1_f32(if a == 0.0 { a } else { r }, a)
}

/// `v_cos_f32`: the cosine of `a` revolutions.
#[inline(always)]
pub fn v_cos_f32(a: f32) -> f32 {
    nan1_f32(cos_revolutions(a) as f32, a)
}

/// `v_tanh_f32` (CDNA5): `a` itself below 1/1024 and one from 8 on, as the
/// manual has it; between them hardware uses a cubic approximation that the
/// manual does not give, here the exact function rounded.
#[inline(always)]
pub fn v_tanh_f32(a: f32) -> f32 {
    let magnitude = a.abs();
    let r = tanh(f64::from(a)) as f32;
    let r = if magnitude < 1.0 / 1024.0 || a.is_nan() {
        a
    } else {
        r
    };
    let r = if magnitude >= 8.0 {
        1f32.copysign(a)
    } else {
        r
    };
    nan1_f32(r, a)
}

/// `v_rcp_f64`: `1 / a`, correctly rounded.
///
/// Hardware gives some 2^29 ULP; programs refine its result.
#[inline(always)]
pub fn v_rcp_f64(a: f64) -> f64 {
    nan1_f64(1.0 / a, a)
}

/// `v_rsq_f64`: `1 / sqrt(a)`, within 1 ULP; hardware gives some 2^29 ULP.
#[inline(always)]
pub fn v_rsq_f64(a: f64) -> f64 {
    let r = 1.0 / a.sqrt();
    nan1_f64(if a < 0.0 { DEFAULT_NAN_F64 } else { r }, a)
}

/// [`v_rsq_f64`] without a division, for hosts with a fused multiply-add: the root's reciprocal by Newton's
/// iteration, and whether this is the quotient correctly rounded.
///
/// That it is where the root's significand is not all ones is a theorem of Markstein's (Handbook of
/// Floating-Point Arithmetic, on division by Newton-Raphson iteration): the last step takes an
/// approximation within one unit of the last place, which the one before it leaves.
#[inline(always)]
pub fn fused_rsq_f64(a: f64) -> (f64, bool) {
    let root = a.sqrt();
    // A linear guess at the exponent and the first bits, whose relative error is below 2^-4.8.
    let mut y = f64::from_bits(0x5fe6_eb50_c7b5_37a9u64.wrapping_sub(a.to_bits() >> 1));
    for _ in 0..2 {
        // 1 / (1 - e) = 1 + e + e^2 + e^3 + e^4 and what is below e^5.
        let e = (-root).mul_add(y, 1.0);
        let sum = e.mul_add(e, e);
        y = y.mul_add(sum.mul_add(e * e, sum), y);
    }
    let e = (-root).mul_add(y, 1.0);
    let r = e.mul_add(y, y);
    let significand = (1 << 52) - 1;
    let positive = a.to_bits().wrapping_sub(1 << 52) < 0x7fe << 52;
    (r, positive & (root.to_bits() & significand != significand))
}

/// `v_sqrt_f64`, correctly rounded; hardware gives some 2^29 ULP.
#[inline(always)]
pub fn v_sqrt_f64(a: f64) -> f64 {
    nan1_f64(a.sqrt(), a)
}

/// `f` in double precision on a 16-bit float, narrowed once more from single
/// precision.
macro_rules! sixteen {
    ($widen:ident $narrow:ident; $($name:ident = |$a:ident| $value:expr;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`; see the single-precision form. Denormals are kept.")]
        #[inline(always)]
        pub fn $name(a: u16) -> u16 {
            let $a = $widen(a);
            let r: f32 = $value;
            $narrow(nan1_f32(r, $a))
        }
    )*};
}

sixteen! { widen_f16 narrow_f16;
    v_rcp_f16 = |a| 1.0 / a;
    v_sqrt_f16 = |a| a.sqrt();
    v_rsq_f16 = |a| rsq_wide(a);
    v_exp_f16 = |a| exp_wide(a);
    v_log_f16 = |a| log_wide(a);
    v_sin_f16 = |a| v_sin_f32(a);
    v_cos_f16 = |a| v_cos_f32(a);
    v_tanh_f16 = |a| v_tanh_f32(a);
}

sixteen! { widen_bf16 narrow_bf16;
    v_rcp_bf16 = |a| 1.0 / a;
    v_sqrt_bf16 = |a| a.sqrt();
    v_rsq_bf16 = |a| rsq_wide(a);
    v_exp_bf16 = |a| exp_wide(a);
    v_log_bf16 = |a| log_wide(a);
    v_sin_bf16 = |a| v_sin_f32(a);
    v_cos_bf16 = |a| v_cos_f32(a);
    v_tanh_bf16 = |a| v_tanh_f32(a);
}

/// The reciprocal square root without the flushing of [`v_rsq_f32`].
#[inline(always)]
pub fn rsq_wide(a: f32) -> f32 {
    rsqrt(a) as f32
}

/// The exponential without the flushing of [`v_exp_f32`].
#[inline(always)]
pub fn exp_wide(a: f32) -> f32 {
    let r = exp2_f32(a);
    if a.is_nan() { a } else { r }
}

/// The logarithm without the flushing of [`v_log_f32`].
#[inline(always)]
pub fn log_wide(a: f32) -> f32 {
    let r = log2(f64::from(a)) as f32;
    let r = if a == f32::INFINITY { a } else { r };
    let r = if a < 0.0 || a.is_nan() { f32::NAN } else { r };
    if a == 0.0 { f32::NEG_INFINITY } else { r }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;

    fn bits(f: fn(f32) -> f32, x: u32) -> u32 {
        f(f32::from_bits(x)).to_bits()
    }

    #[test]
    fn the_manuals_functional_examples() {
        type Example = (fn(f32) -> f32, u32, u32);
        let examples: [Example; 28] = [
            (v_exp_f32, 0xff80_0000, 0x0000_0000),
            (v_exp_f32, 0x8000_0000, 0x3f80_0000),
            (v_exp_f32, 0x7f80_0000, 0x7f80_0000),
            (v_log_f32, 0xff80_0000, 0xffc0_0000),
            (v_log_f32, 0xbf80_0000, 0xffc0_0000),
            (v_log_f32, 0x8000_0000, 0xff80_0000),
            (v_log_f32, 0x0000_0000, 0xff80_0000),
            (v_log_f32, 0x3f80_0000, 0x0000_0000),
            (v_log_f32, 0x7f80_0000, 0x7f80_0000),
            (v_rcp_f32, 0xff80_0000, 0x8000_0000),
            (v_rcp_f32, 0xc000_0000, 0xbf00_0000),
            (v_rcp_f32, 0x8000_0000, 0xff80_0000),
            (v_rcp_f32, 0x0000_0000, 0x7f80_0000),
            (v_rcp_f32, 0x7f80_0000, 0x0000_0000),
            (v_rsq_f32, 0xff80_0000, 0xffc0_0000),
            (v_rsq_f32, 0x8000_0000, 0xff80_0000),
            (v_rsq_f32, 0x4080_0000, 0x3f00_0000),
            (v_rsq_f32, 0x7f80_0000, 0x0000_0000),
            (v_sqrt_f32, 0xff80_0000, 0xffc0_0000),
            (v_sqrt_f32, 0x8000_0000, 0x8000_0000),
            (v_sqrt_f32, 0x4080_0000, 0x4000_0000),
            (v_sin_f32, 0xff80_0000, 0xffc0_0000),
            (v_sin_f32, 0xff7f_ffff, 0x0000_0000),
            (v_sin_f32, 0x8000_0000, 0x8000_0000),
            (v_sin_f32, 0x3e80_0000, 0x3f80_0000),
            (v_cos_f32, 0xff7f_ffff, 0x3f80_0000),
            (v_cos_f32, 0x8000_0000, 0x3f80_0000),
            (v_cos_f32, 0x3e80_0000, 0x0000_0000),
        ];
        for (i, (f, x, expected)) in examples.into_iter().enumerate() {
            assert_eq!(bits(f, x), expected, "example {i}: {x:#x}");
        }
    }

    #[test]
    fn single_precision_flushes_denormals() {
        assert_eq!(bits(v_rcp_f32, 0x0000_0001), 0x7f80_0000);
        assert_eq!(bits(v_rcp_f32, 0x7f00_0001), 0);
        assert_eq!(bits(v_rcp_f32, 0xff7f_ffff), 0x8000_0000);
        assert_eq!(bits(v_sqrt_f32, 0x807f_ffff), 0x8000_0000);
        assert_eq!(bits(v_rsq_f32, 0x0000_0001), 0x7f80_0000);
        assert_eq!(bits(v_log_f32, 0x0000_0001), 0xff80_0000);
        assert_eq!(v_exp_f32(-126.0), f32::MIN_POSITIVE);
        assert_eq!(v_exp_f32(-126.5), 0.0);
        assert_eq!(v_exp_f32(-2000.0), 0.0);
        assert_eq!(v_exp_f32(128.0), f32::INFINITY);
        assert_eq!(v_exp_f32(2000.0), f32::INFINITY);
        assert_ne!(v_sin_f32(f32::from_bits(1)), 0.0);
    }

    /// Results that lie within 2^-52 of the middle of two singles, by arithmetic of 300 bits.
    #[test]
    fn the_hardest_results_are_the_nearest() {
        for (f, x, expected) in [
            (v_exp_f32 as fn(f32) -> f32, 0xb8d3_d026, 0x3f7f_fb69),
            (v_exp_f32, 0xbcf3_a937, 0x3f7a_c6b0),
            (v_cos_f32, 0x3907_21a7, 0x3f7f_fffb),
            (v_cos_f32, 0xb907_21a7, 0x3f7f_fffb),
        ] {
            assert_eq!(bits(f, x), expected, "{x:#x}");
        }
    }

    /// A sum over every 4099th single, which other polynomials gave too: results are the same from one
    /// version and one host to the next.
    #[test]
    fn results_stay_what_they_were() {
        for (f, expected) in [
            (v_exp_f32 as fn(f32) -> f32, 0xca87_67d3_ed66_37b5),
            (v_log_f32, 0x1741_2e62_9f22_61c8),
            (v_sin_f32, 0x1eb5_4748_6444_2975),
            (v_cos_f32, 0x2c85_1c41_1239_f1a9),
        ] {
            let mut sum = 0u64;
            for i in 0..1u32 << 20 {
                let r = bits(f, i.wrapping_mul(4099));
                sum = (sum.rotate_left(5) ^ u64::from(r)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            }
            assert_eq!(sum, expected);
        }
    }

    #[test]
    fn the_usual_logarithm_is_that_of_all_exponents() {
        for exponent in 0..256u32 {
            for mantissa in [0, 1, 0x35_04f2, 0x35_04f3, 0x35_04f4, 0x7f_ffff] {
                let x = f32::from_bits(exponent << 23 | mantissa);
                let (r, holds) = usual_log_f32(x);
                assert_eq!(holds, x.is_normal(), "{x:e}");
                if holds {
                    assert_eq!(r.to_bits(), v_log_f32(x).to_bits(), "{x:e}");
                }
                assert!(!usual_log_f32(-x).1);
            }
        }
    }

    #[test]
    fn the_roots_reciprocal_without_a_division_is_the_quotient() {
        let mut held = 0;
        let mut state = 0x9e37_79b9_7f4a_7c15;
        for _ in 0..200_000 {
            let bits = crate::testing::xorshift(&mut state) & 0xffff_ffff;
            let x = f32::from_bits(bits as u32);
            // Any number, and what lies around squares of numbers whose last bits are ones or zeros.
            let few = f64::from_bits(0x3ff0 << 48 | bits << 20 << (bits & 31) & ((1 << 52) - 1));
            let ones = f64::from_bits(0x3fff_ffff_ffff_ffff ^ bits << 20 >> (bits & 31).min(20));
            for near in [f64::from(x.abs()), few * few, ones * ones] {
                for step in 0..5 {
                    let a = f64::from_bits(near.to_bits().wrapping_add(step).wrapping_sub(2));
                    if let (r, true) = fused_rsq_f64(a) {
                        held += 1;
                        assert_eq!(r.to_bits(), v_rsq_f64(a).to_bits(), "{a:e}");
                    }
                }
            }
        }
        assert!(held > 1_000_000);
        // The root's significand is all ones.
        let below_four = f64::from_bits(4f64.to_bits() - 1);
        assert!(!fused_rsq_f64(below_four).1);
    }

    #[test]
    fn all_halves_are_the_nearest_to_the_host_value() {
        type Pair = (fn(u16) -> u16, fn(f64) -> f64);
        let functions: [Pair; 5] = [
            (v_rcp_f16, |x| 1.0 / x),
            (v_sqrt_f16, f64::sqrt),
            (v_rsq_f16, |x| 1.0 / x.sqrt()),
            (v_exp_f16, f64::exp2),
            (v_log_f16, f64::log2),
        ];
        for bits in 0..=u16::MAX {
            let x = f16::from_bits(bits).to_f64();
            for (i, (f, host)) in functions.into_iter().enumerate() {
                let (got, exact) = (f16::from_bits(f(bits)).to_f64(), host(x));
                if exact.is_nan() {
                    assert!(got.is_nan(), "{i} {x:e}");
                } else if exact.abs() >= 65520.0 {
                    assert_eq!(got, f64::INFINITY.copysign(exact));
                } else {
                    let unit = 2f64.powi((exact.abs().log2().floor() as i32).max(-14) - 10);
                    assert!(
                        (got - exact).abs() <= unit * 0.5001,
                        "{i} {x:e}: {got:e} {exact:e}"
                    );
                }
            }
        }
    }

    #[test]
    fn half_and_double_special_values() {
        assert_eq!(v_rcp_f16(0xfc00), 0x8000);
        assert_eq!(v_rcp_f16(0xc000), 0xb800);
        assert_eq!(v_exp_f16(0x8000), 0x3c00);
        assert_eq!(v_sin_f16(0x3400), 0x3c00);
        assert_eq!(v_cos_f16(0x3800), 0xbc00);
        assert_eq!(v_sqrt_f16(0xbc00), 0xfe00);
        assert_eq!(v_rcp_f16(0x7c01), 0x7e01);
        assert_eq!(v_rcp_bf16(0x4000), 0x3f00);
        assert_eq!(v_exp_bf16(0x4040), 0x4100);
        assert_eq!(v_tanh_bf16(0x7f80), 0x3f80);
        assert_eq!(v_tanh_bf16(0x7fc1), 0x7fc1);
        assert_eq!(
            v_tanh_f32(f32::from_bits(0xff80_0001)).to_bits(),
            0xffc0_0001
        );
        assert_eq!(v_rcp_f64(-0.0), f64::NEG_INFINITY);
        assert_eq!(v_rsq_f64(4.0), 0.5);
        assert_eq!(v_rsq_f64(-0.0), f64::NEG_INFINITY);
        assert_eq!(v_sqrt_f64(-1.0).to_bits(), 0xfff8 << 48);
        assert_eq!(v_tanh_f32(-0.0).to_bits(), 0x8000_0000);
        assert_eq!(v_tanh_f32(f32::INFINITY), 1.0);
        assert_eq!(v_tanh_f32(-8.0), -1.0);
        assert_eq!(v_tanh_f32(9e-4), 9e-4);
        assert_eq!(v_tanh_f32(0.5), 0.462_117_16);
    }
}
