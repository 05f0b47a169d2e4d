//! Double-precision arithmetic. Minimum and maximum are in
//! [`minmax`](super::minmax), the division macro in
//! [`division`](super::division).

use super::float::{nan1_f64, nan2_f64, nan3_f64};

/// `v_add_f64`.
#[inline(always)]
pub fn v_add_f64(a: f64, b: f64) -> f64 {
    nan2_f64(a + b, a, b)
}

/// `v_mul_f64`.
#[inline(always)]
pub fn v_mul_f64(a: f64, b: f64) -> f64 {
    nan2_f64(a * b, a, b)
}

/// `v_fma_f64` (`v_fmac_f64`, `v_fmamk_f64`, `v_fmaak_f64`): one rounding.
#[inline(always)]
pub fn v_fma_f64(a: f64, b: f64, c: f64) -> f64 {
    nan3_f64(a.mul_add(b, c), a, b, c)
}

/// `v_trunc_f64`.
#[inline(always)]
pub fn v_trunc_f64(a: f64) -> f64 {
    nan1_f64(a.trunc(), a)
}

/// `v_ceil_f64`.
#[inline(always)]
pub fn v_ceil_f64(a: f64) -> f64 {
    nan1_f64(a.ceil(), a)
}

/// `v_rndne_f64`: to the nearest integer, ties to even.
#[inline(always)]
pub fn v_rndne_f64(a: f64) -> f64 {
    nan1_f64(a.round_ties_even(), a)
}

/// `v_floor_f64`.
#[inline(always)]
pub fn v_floor_f64(a: f64) -> f64 {
    nan1_f64(a.floor(), a)
}

/// `v_fract_f64`: `a - floor(a)`, clamped to 0x3fefffffffffffff, the largest
/// value below one.
#[inline(always)]
pub fn v_fract_f64(a: f64) -> f64 {
    const BELOW_ONE: f64 = f64::from_bits(0x3fef_ffff_ffff_ffff);
    let fraction = a - a.floor();
    nan1_f64(
        if fraction > BELOW_ONE {
            BELOW_ONE
        } else {
            fraction
        },
        a,
    )
}

/// `v_frexp_exp_i32_f64`; see
/// [`v_frexp_exp_i32_f32`](super::float32::v_frexp_exp_i32_f32).
#[inline(always)]
pub fn v_frexp_exp_i32_f64(a: f64) -> u32 {
    let finite = a.is_finite() && a != 0.0;
    let denormal = a.abs() < f64::MIN_POSITIVE;
    let scaled = if denormal { a * 2f64.powi(54) } else { a };
    let biased = (scaled.to_bits() >> 52 & 0x7ff) as i32;
    let exponent = biased - 1022 - if denormal { 54 } else { 0 };
    if finite { exponent as u32 } else { 0 }
}

/// `v_frexp_mant_f64`; see
/// [`v_frexp_mant_f32`](super::float32::v_frexp_mant_f32).
#[inline(always)]
pub fn v_frexp_mant_f64(a: f64) -> f64 {
    let finite = a.is_finite() && a != 0.0;
    let denormal = a.abs() < f64::MIN_POSITIVE;
    let scaled = if denormal { a * 2f64.powi(54) } else { a };
    let bits = scaled.to_bits() & 0x800f_ffff_ffff_ffff | 0x3fe0_0000_0000_0000;
    if finite {
        f64::from_bits(bits)
    } else {
        nan1_f64(a, a)
    }
}

/// `v_ldexp_f64`: `a * 2^exponent`, rounded once.
#[inline(always)]
pub fn v_ldexp_f64(a: f64, exponent: u32) -> f64 {
    let power = |e: i32| f64::from_bits(((e + 1023) as u64) << 52);
    let exponent = (exponent as i32).clamp(-2200, 2200);
    // The steps down stop at 2^-968, so that a value that is going to be
    // denormal is still normal, hence exact, before the last step.
    let up = exponent.clamp(0, 1023);
    let rest = exponent - up;
    let up2 = rest.clamp(0, 1023);
    let up3 = (rest - up2).clamp(0, 1023);
    let down = rest.clamp(-968, 0);
    let rest = (rest - down).min(0);
    let down2 = rest.clamp(-968, 0);
    let down3 = rest - down2;
    let raised = a * power(up) * power(up2) * power(up3);
    nan1_f64(scale_down(raised, [down, down2, down3]), a)
}

/// [`v_ldexp_f64`] where the result is far from over- and underflow; else a NaN.
#[inline(always)]
pub fn moderate_ldexp_f64(a: f64, exponent: u32) -> f64 {
    let by = exponent as i32;
    let from = (a.to_bits() >> 52 & 0x7ff) as i32;
    let moderate = (by > -500) & (by < 500) & (from > 500) & (from < 1500);
    let power = f64::from_bits((i64::from(by).wrapping_add(1023) as u64) << 52);
    if moderate | (a == 0.0) & (by > -500) & (by < 500) {
        a * power
    } else {
        f64::NAN
    }
}

/// `x` times the powers of two, which are at most one, rounded once.
#[inline(always)]
fn scale_down(x: f64, steps: [i32; 3]) -> f64 {
    let total: i32 = steps.iter().sum();
    if total == 0 {
        return x;
    }
    let (mantissa, exponent) = (v_frexp_mant_f64(x), v_frexp_exp_i32_f64(x) as i32);
    let target = exponent + total;
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let power = |e: i32| f64::from_bits(((e + 1023) as u64) << 52);
    if target > -1021 {
        // A normal result: two exact steps.
        let first = target.max(-500);
        mantissa * power(first) * power(target - first)
    } else {
        // The only rounding is in the last product.
        let last = (target + 500).max(-1000);
        mantissa * power(-500) * power(last)
    }
}

/// The first 1201 bits of the fraction of 2/pi, most significant bit first,
/// followed by zeros.
const TWO_OVER_PI: [u64; 20] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_0000,
    0x0000_0000_0000_0000,
];

/// `v_trig_preop_f64`: the 53 bits of 2/pi that matter for reducing `a`, segment
/// `segment[4:0]` of them, as a double of their weight.
///
/// Bits past the 1201 of the hardware's table are zero. "Rounding is round-to-zero", which shows where the
/// weight is so small that the result is denormal.
#[inline(always)]
pub fn v_trig_preop_f64(a: f64, segment: u32) -> f64 {
    let (bits, scale) = trig_segment(a, segment);
    // To nearest is toward zero: the bit that would decide, of weight 2^-1075, is zero.
    v_ldexp_f64(bits as f64, scale as u32)
}

/// The bits of [`v_trig_preop_f64`], and the power of two that they are of.
pub fn trig_segment(a: f64, segment: u32) -> (u64, i32) {
    let exponent = (a.to_bits() >> 52 & 0x7ff) as u32;
    let shift = (segment & 31) * 53 + exponent.saturating_sub(1077);
    let word = |index: u32| TWO_OVER_PI.get(index as usize).copied().unwrap_or(0);
    let pair = u128::from(word(shift / 64)) << 64 | u128::from(word(shift / 64 + 1));
    let bits = (pair << (shift % 64) >> (128 - 53)) as u64;
    let scale = -53 - shift as i32 + if exponent >= 1968 { 128 } else { 0 };
    (bits, scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_operations_and_nan_order() {
        let nan = f64::from_bits(0x7ff0_0000_0000_0003);
        assert_eq!(
            v_add_f64(f64::INFINITY, f64::NEG_INFINITY).to_bits(),
            0xfff8 << 48
        );
        assert_eq!(v_mul_f64(1.0, nan).to_bits(), 0x7ff8_0000_0000_0003);
        assert_eq!(
            v_fma_f64(nan, f64::NAN, 0.0).to_bits(),
            0x7ff8_0000_0000_0003
        );
    }

    #[test]
    fn rounding_to_integers() {
        assert_eq!(v_rndne_f64(2.5), 2.0);
        assert_eq!(v_floor_f64(-0.25), -1.0);
        assert_eq!(v_ceil_f64(-0.25).to_bits(), 1 << 63);
        assert_eq!(v_trunc_f64(1e300), 1e300);
        assert_eq!(v_fract_f64(-1.25), 0.75);
        assert_eq!(v_fract_f64(-1e-300).to_bits(), 0x3fef_ffff_ffff_ffff);
    }

    #[test]
    fn frexp_splits_and_ldexp_joins() {
        for x in [
            1.0,
            -3.5,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            -1e-310,
            1e-300,
        ] {
            let (m, e) = (v_frexp_mant_f64(x), v_frexp_exp_i32_f64(x));
            assert!((0.5..1.0).contains(&m.abs()), "{x:e}");
            assert_eq!(v_ldexp_f64(m, e), x, "{x:e}");
        }
        assert_eq!(v_frexp_exp_i32_f64(5e-324) as i32, -1073);
        assert_eq!(v_frexp_exp_i32_f64(f64::NAN), 0);
        assert_eq!(v_frexp_mant_f64(f64::NEG_INFINITY), f64::NEG_INFINITY);
    }

    #[test]
    fn ldexp_rounds_once_and_saturates_its_count() {
        let neg = |e: i32| (-e) as u32;
        assert_eq!(v_ldexp_f64(1.5, neg(1074)).to_bits(), 2);
        assert_eq!(v_ldexp_f64(2.5, neg(1074)).to_bits(), 2);
        assert_eq!(v_ldexp_f64(1.5f64.next_down(), neg(1074)).to_bits(), 1);
        assert_eq!(v_ldexp_f64(0.5, neg(1074)).to_bits(), 0);
        assert_eq!(v_ldexp_f64(0.5f64.next_up(), neg(1074)).to_bits(), 1);
        assert_eq!(v_ldexp_f64(f64::MAX, neg(2098)).to_bits(), 1);
        assert_eq!(v_ldexp_f64(f64::from_bits(1), 2097), 2f64.powi(1023));
        assert_eq!(
            v_ldexp_f64(f64::from_bits(1), i32::MAX as u32),
            f64::INFINITY
        );
        assert_eq!(v_ldexp_f64(-1.0, i32::MIN as u32).to_bits(), 1 << 63);
    }

    #[test]
    fn trig_preop_segments_add_up_to_two_over_pi() {
        // 2/pi begins 0.a2f9836e4e441529 in hexadecimal; 53 bits of it.
        assert_eq!(v_trig_preop_f64(1.0, 0).to_bits(), 0x3fe4_5f30_6dc9_c882);
        let rest = v_trig_preop_f64(1.0, 1);
        assert!(rest > 0.0 && rest < 2f64.powi(-53));
        // A large argument brings the next bits up, scaled against underflow.
        let big = f64::from_bits(1078 << 52);
        assert_eq!(v_trig_preop_f64(big, 0).to_bits() >> 52, 1022 - 2);
        assert_eq!(v_trig_preop_f64(1.0, 31), 0.0);
        // 0x14a525d4d7f6bf * 2^-1113, cut off at 2^-1074.
        assert_eq!(v_trig_preop_f64(1.0, 20).to_bits(), 0x294a);
        assert!(v_trig_preop_f64(f64::MAX, 0) > 0.0);
    }
}
