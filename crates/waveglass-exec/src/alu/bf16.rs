//! BF16 arithmetic of CDNA5 on raw bits, rounded to nearest even.
//!
//! Addition and multiplication round once more from single precision, which
//! cannot change the result: 24 bits are more than twice 8 and two more. The
//! product of two BF16 numbers is exact in double precision.

use super::float::{add_odd_f64, nan3_f32, narrow_bf16, widen_bf16};
use super::float32;

/// `v_add_bf16`, the lane of `v_pk_add_bf16`.
#[inline(always)]
pub fn v_add_bf16(a: u16, b: u16) -> u16 {
    narrow_bf16(float32::v_add_f32(widen_bf16(a), widen_bf16(b)))
}

/// `v_mul_bf16`, the lane of `v_pk_mul_bf16`.
///
/// A product that is denormal in single precision is formed in double precision
/// first, so that it too is rounded once.
#[inline(always)]
pub fn v_mul_bf16(a: u16, b: u16) -> u16 {
    v_fma_bf16(a, b, 0x8000)
}

/// `v_fma_bf16`, the lane of `v_pk_fma_bf16`: one rounding.
#[inline(always)]
pub fn v_fma_bf16(a: u16, b: u16, c: u16) -> u16 {
    let (a, b, c) = (widen_bf16(a), widen_bf16(b), widen_bf16(c));
    let sum = add_odd_f64(f64::from(a) * f64::from(b), f64::from(c));
    narrow_bf16(nan3_f32(odd_f32(sum), a, b, c))
}

/// `x` in single precision, rounded to odd.
#[inline(always)]
fn odd_f32(x: f64) -> f32 {
    let nearest = x as f32;
    let back = f64::from(nearest);
    // Truncate the magnitude, then set the lowest bit where anything was lost.
    let too_big = back.abs() > x.abs();
    let truncated = nearest.to_bits().wrapping_sub(u32::from(too_big));
    let lost = back != x && !x.is_nan();
    f32::from_bits(truncated | u32::from(lost))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nearest BF16 to `x` by comparing its neighbours in double precision.
    fn nearest(x: f64) -> u16 {
        let magnitude = x.abs();
        let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
        let value = |bits: u16| {
            if bits == 0x7f80 {
                2f64.powi(128)
            } else {
                f64::from(widen_bf16(bits))
            }
        };
        let (mut low, mut high) = (0u16, 0x7f80u16);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if value(middle) <= magnitude {
                low = middle
            } else {
                high = middle - 1
            }
        }
        if low == 0x7f80 {
            return sign | low;
        }
        let (below, above) = (magnitude - value(low), value(low + 1) - magnitude);
        sign | (low + u16::from(above < below || (above == below && low & 1 == 1)))
    }

    #[test]
    fn results_are_the_nearest_bf16() {
        let mut state = 5u64;
        for _ in 0..100_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(12_345);
            let (a, b) = ((state >> 20) as u16, (state >> 40) as u16);
            let (x, y) = (f64::from(widen_bf16(a)), f64::from(widen_bf16(b)));
            if !x.is_finite() || !y.is_finite() {
                continue;
            }
            assert_eq!(v_mul_bf16(a, b), nearest(x * y), "{a:#x} * {b:#x}");
            // The double sum is exact only for near exponents.
            if (a >> 7 & 0xff).abs_diff(b >> 7 & 0xff) < 40 && x + y != 0.0 {
                assert_eq!(v_add_bf16(a, b), nearest(x + y), "{a:#x} + {b:#x}");
            }
        }
    }

    #[test]
    fn fused_sums_see_what_lies_below_single_precision() {
        // 1 + 2^-8 is a tie that goes to even (1.0); a tiny addend lifts it.
        assert_eq!(v_fma_bf16(0x3f80, 0x3f80, 0x3b80), 0x3f80);
        assert_eq!(
            v_fma_bf16(0x3f81, 0x3f81, 0x0001),
            nearest((1.0 + 2f64.powi(-7)).powi(2))
        );
        // 129 * 129 / 2^14 = 1 + 2^-6 + 2^-14; minus the kept part leaves 2^-14.
        assert_eq!(v_fma_bf16(0x3f81, 0x3f81, 0xbf82), 0x3880);
        assert_eq!(v_fma_bf16(0x7f80, 0x0000, 0x3f80), 0xffc0);
        assert_eq!(v_add_bf16(0x7f80, 0xff80), 0xffc0);
        assert_eq!(v_fma_bf16(0x7f7f, 0x7f7f, 0x3f80), 0x7f80);
        assert_eq!(v_mul_bf16(0x7f81, 0x3f80), 0x7fc1);
    }
}
