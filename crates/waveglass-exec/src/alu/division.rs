//! The division macro: `v_div_scale`, `v_div_fmas`, `v_div_fixup`.
//!
//! In all of them the second source is the denominator and the third the
//! numerator. Where the manual tests `1.0 / S1 == DENORM` it is taken to mean
//! that the reciprocal is denormal in the instruction's own type; the
//! single-precision text of newer manuals says `DENORM.f64`, which could never
//! hold.
//!
//! # Where the manual's text cannot be meant
//!
//! Taken to the letter the macro would not divide: `v_div_fmas` would scale by
//! 2^32 (2^64), while `v_div_scale` scales by 2^64 (2^128), and always up,
//! while a quotient computed from a raised numerator has to come down. Here the
//! result is scaled by 2^64 (2^128) up where the quotient estimate (the addend)
//! is at least one, down where it is below. Likewise a denominator
//! whose reciprocal and quotient are both denormal is scaled down, not up,
//! which would overflow. The overflow case of `v_div_fixup`, written as
//! `exponent(S1) == 255`, is shadowed by the cases before it; here it is a NaN
//! estimate from ordinary sources. The tests divide with the macro as compilers emit it.

use super::float::{
    DEFAULT_NAN_F32, DEFAULT_NAN_F64, add_odd_f64, flush_f32, quiet_f32, quiet_f64, widen_f16,
};
use super::{float32, float64};

macro_rules! division {
    ($float:ident, $bits:ty, $mantissa:expr, $exponent_mask:expr, $nan:expr, $quiet:path, $ldexp:path, $fma:path, $scaled:path;
     $scale:ident, far $far:expr, by $by:expr, tiny $tiny:expr;
     $fmas:ident, post $post:expr; $fixup:ident, under $under:expr) => {
        #[doc = concat!("`", stringify!($scale), "`: `a` (the denominator `b` or the numerator `c`)")]
        /// scaled so that the refinement meets no denormals, and whether the
        /// quotient must be scaled back.
        #[inline(always)]
        pub fn $scale(a: $float, b: $float, c: $float) -> ($float, bool) {
            let exponent = |x: $float| (x.to_bits() >> $mantissa & $exponent_mask) as i32;
            let denormal = |x: $float| x.is_finite() && x != 0.0 && exponent(x) == 0;
            let up = || $ldexp(a, $by);
            let down = || $ldexp(a, (-$by as i32) as u32);
            if b == 0.0 || c == 0.0 {
                ($nan, false)
            } else if exponent(c) - exponent(b) >= $far {
                // The quotient is near the largest number.
                (if a == b { up() } else { a }, true)
            } else if denormal(b) {
                (up(), false)
            } else if denormal(1.0 / b) && denormal(c / b) {
                (if a == b { down() } else { a }, true)
            } else if denormal(1.0 / b) {
                (down(), false)
            } else if denormal(c / b) {
                (if a == c { up() } else { a }, true)
            } else if exponent(c) <= $tiny {
                (up(), false)
            } else {
                (a, false)
            }
        }

        #[doc = concat!("`", stringify!($fmas), "`: a fused multiply-add, scaled up where `post_scale` (the")]
        /// lane's VCC bit) says so.
        #[inline(always)]
        pub fn $fmas(a: $float, b: $float, c: $float, post_scale: bool) -> $float {
            let r = $fma(a, b, c);
            let factor = if c.abs() >= 1.0 { $post } else { 1.0 / $post };
            if post_scale && !r.is_nan() { $scaled(a, b, c, factor) } else { r }
        }

        #[doc = concat!("`", stringify!($fixup), "`: the quotient `a` of the numerator `c` by the denominator")]
        /// `b`, with the special cases put right.
        ///
        /// Where the manual says underflow and overflow, the results are the
        /// zero and the infinity of rounding to nearest.
        #[inline(always)]
        pub fn $fixup(a: $float, b: $float, c: $float) -> $float {
            let exponent = |x: $float| (x.to_bits() >> $mantissa & $exponent_mask) as i32;
            let sign: $float = if b.is_sign_negative() != c.is_sign_negative() { -1.0 } else { 1.0 };
            if c.is_nan() {
                $quiet(c)
            } else if b.is_nan() {
                $quiet(b)
            } else if (b == 0.0 && c == 0.0) || (b.is_infinite() && c.is_infinite()) {
                $nan
            } else if b == 0.0 || c.is_infinite() {
                sign * <$float>::INFINITY
            } else if b.is_infinite() || c == 0.0 || exponent(c) - exponent(b) < $under {
                sign * 0.0
            } else if a.is_nan() {
                // The refinement of ordinary sources yields a NaN only from
                // infinities, which is the overflow that the manual tests for.
                sign * <$float>::INFINITY
            } else {
                a.copysign(sign)
            }
        }
    };
}

/// `(a * b + c) * factor` with one rounding: the scale acts on the exponent before the result is
/// rounded ("fused scale"), so a quotient that comes out denormal is rounded once.
#[inline(always)]
fn scaled_fma_f32(a: f32, b: f32, c: f32, factor: f32) -> f32 {
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return a.mul_add(b, c) * factor;
    }
    // The product is exact in double precision, and the sum rounded to odd keeps enough.
    let sum = add_odd_f64(f64::from(a) * f64::from(b), f64::from(c));
    (sum * f64::from(factor)) as f32
}

/// The sum and its rounding error (Knuth).
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// As [`scaled_fma_f32`].
#[inline(always)]
fn scaled_fma_f64(a: f64, b: f64, c: f64, factor: f64) -> f64 {
    let sum = a.mul_add(b, c);
    let scaled = sum * factor;
    if factor > 1.0 || !scaled.is_finite() || scaled.abs() > f64::MIN_POSITIVE || sum == 0.0 {
        // A power of two changed only the exponent.
        return scaled;
    }
    // The result is denormal, so the exact sum is rounded at the place of its last bit: as a pair
    // of doubles (Boldo and Melquiond's emulation of the fused operation), added to the number
    // whose own last bit stands there.
    let negative = sum < 0.0;
    let (a, c) = if negative { (-a, -c) } else { (a, c) };
    let product = a * b;
    let (middle, low) = two_sum(c, a.mul_add(b, -product));
    let (high, rest) = two_sum(product, middle);
    let tail = add_odd_f64(low, rest);
    let place = f64::MIN_POSITIVE / factor;
    let (top, error) = two_sum(high, place);
    let rounded = (top + add_odd_f64(error, tail)) - place;
    let result = rounded * factor;
    if negative { -result } else { result }
}

division!(
    f32, u32, 23, 0xff, DEFAULT_NAN_F32, quiet_f32, float32::v_ldexp_f32, float32::v_fma_f32,
    scaled_fma_f32;
    v_div_scale_f32, far 96, by 64, tiny 23;
    v_div_fmas_f32, post 18_446_744_073_709_551_616.0; v_div_fixup_f32, under -150
);
division!(
    f64, u64, 52, 0x7ff, DEFAULT_NAN_F64, quiet_f64, float64::v_ldexp_f64, float64::v_fma_f64,
    scaled_fma_f64;
    v_div_scale_f64, far 768, by 128, tiny 53;
    v_div_fmas_f64, post 340_282_366_920_938_463_463_374_607_431_768_211_456.0; v_div_fixup_f64, under -1075
);

/// The operations where nothing special happens, by the dwords that hold signs and exponents.
macro_rules! usual {
    ($mantissa:expr, $exponents:expr; $unscaled:ident, denominators $b:expr, numerators $c:expr, quotients $quotients:expr;
     $ordinary:ident, under $under:expr) => {
        /// Whether the division's scaling leaves its source as it is, by the highest dwords of the
        /// denominator and the numerator: what is left out is scaled or comes near to it.
        #[inline(always)]
        pub fn $unscaled(b: u32, c: u32) -> bool {
            let (eb, ec) = (b & $exponents, c & $exponents);
            within(eb, $b, $mantissa)
                & within(ec, $c, $mantissa)
                & within(ec.wrapping_sub(eb), $quotients, $mantissa)
        }

        /// The highest dword of the quotient with its sign, by those of the division's last step, and
        /// whether the sources are normal numbers and the quotient is no denormal.
        #[inline(always)]
        pub fn $ordinary(a: u32, b: u32, c: u32) -> (u32, bool) {
            let (eb, ec) = (b & $exponents, c & $exponents);
            let top = ($exponents >> $mantissa) as i32;
            let holds = within(eb, [1, top - 1], $mantissa)
                & within(ec, [1, top - 1], $mantissa)
                & within(ec.wrapping_sub(eb), [$under, top], $mantissa)
                & (a & $exponents != $exponents);
            (a & 0x7fff_ffff | (b ^ c) & 0x8000_0000, holds)
        }
    };
}

/// Whether an exponent, in place above so many bits, lies between two inclusive limits.
#[inline(always)]
fn within(exponent: u32, [low, high]: [i32; 2], mantissa: u32) -> bool {
    let place = |e: i32| (e as u32) << mantissa;
    exponent.wrapping_sub(place(low)) <= place(high - low)
}

usual!(23, 0x7f80_0000_u32; unscaled_f32, denominators [1, 250], numerators [24, 254],
    quotients [-120, 95]; ordinary_quotient_f32, under -150);
usual!(20, 0x7ff0_0000_u32; unscaled_f64, denominators [1, 2040], numerators [54, 2046],
    quotients [-1000, 767]; ordinary_quotient_f64, under -1075);

/// [`v_div_fmas_f32`] where MODE flushes denormal results; its sources are not
/// flushed.
#[inline(always)]
pub fn v_div_fmas_f32_flush(a: f32, b: f32, c: f32, post_scale: bool) -> f32 {
    flush_f32(v_div_fmas_f32(a, b, c, post_scale))
}

/// `v_div_fixup_f16` (`v_div_fixup_legacy_f16`): the quotient `a` of the
/// numerator `c` by the denominator `b`, with the special cases put right.
#[inline(always)]
pub fn v_div_fixup_f16(a: u16, b: u16, c: u16) -> u16 {
    let sign = (b ^ c) & 0x8000;
    let (denominator, numerator) = (widen_f16(b), widen_f16(c));
    if numerator.is_nan() {
        c | 0x200
    } else if denominator.is_nan() {
        b | 0x200
    } else if (denominator == 0.0 && numerator == 0.0)
        || (denominator.is_infinite() && numerator.is_infinite())
    {
        0xfe00
    } else if denominator == 0.0 || numerator.is_infinite() {
        sign | 0x7c00
    } else if denominator.is_infinite() || numerator == 0.0 {
        sign
    } else {
        sign | a & 0x7fff
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_case_agrees_with_the_exact_operations() {
        let mut state = 11;
        let mut held = [0; 4];
        for round in 0..400_000u32 {
            let mut bits = || {
                let x = (random(&mut state) >> 16) as u32;
                // Half of the time exponents near one another.
                if round % 2 == 0 {
                    x
                } else {
                    x & 0x87ff_ffff | 0x3800_0000
                }
            };
            let (a, b, c) = (bits(), bits(), bits());
            let [x, y, z] = [a, b, c].map(f32::from_bits);
            if unscaled_f32(b, c) {
                held[0] += 1;
                let (r, bit) = v_div_scale_f32(x, y, z);
                assert_eq!((r.to_bits(), bit), (a, false));
            }
            if let (r, true) = ordinary_quotient_f32(a, b, c) {
                held[1] += 1;
                assert_eq!(r, v_div_fixup_f32(x, y, z).to_bits());
            }
            let wide = |x: u32| f64::from_bits(u64::from(x) << 32 | u64::from(x));
            let [x, y, z] = [a, b, c].map(wide);
            if unscaled_f64(b, c) {
                held[2] += 1;
                let (r, bit) = v_div_scale_f64(x, y, z);
                assert_eq!((r.to_bits(), bit), (x.to_bits(), false));
            }
            if let (r, true) = ordinary_quotient_f64(a, b, c) {
                held[3] += 1;
                let expected = v_div_fixup_f64(x, y, z).to_bits();
                assert_eq!(u64::from(r) << 32 | u64::from(a), expected);
            }
        }
        assert!(held.iter().all(|&n| n > 100_000), "{held:?}");
    }

    /// The macro as compilers emit it for single precision.
    fn divide_f32(numerator: f32, denominator: f32) -> f32 {
        let (d, _) = v_div_scale_f32(denominator, denominator, numerator);
        let (n, post) = v_div_scale_f32(numerator, denominator, numerator);
        let fma = float32::v_fma_f32;
        let r = flush_f32(1.0 / flush_f32(d));
        let e = fma(-d, r, 1.0);
        let r = fma(e, r, r);
        let q = n * r;
        let e = fma(-d, q, n);
        let q = fma(e, r, q);
        let e = fma(-d, q, n);
        v_div_fixup_f32(v_div_fmas_f32(e, r, q, post), denominator, numerator)
    }

    fn divide_f64(numerator: f64, denominator: f64) -> f64 {
        let (d, _) = v_div_scale_f64(denominator, denominator, numerator);
        let (n, post) = v_div_scale_f64(numerator, denominator, numerator);
        let fma = float64::v_fma_f64;
        let r = 1.0 / d;
        let r = fma(fma(-d, r, 1.0), r, r);
        let r = fma(fma(-d, r, 1.0), r, r);
        let q = n * r;
        let e = fma(-d, q, n);
        v_div_fixup_f64(v_div_fmas_f64(e, r, q, post), denominator, numerator)
    }

    fn random(state: &mut u64) -> u64 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_041);
        *state ^ *state >> 31
    }

    #[test]
    fn the_single_precision_macro_divides_correctly() {
        let mut state = 7;
        for _ in 0..200_000 {
            let a = f32::from_bits((random(&mut state) >> 16) as u32);
            let b = f32::from_bits((random(&mut state) >> 16) as u32);
            let (got, expected) = (divide_f32(a, b), a / b);
            if expected.is_nan() {
                assert!(got.is_nan());
            } else if expected.abs() > f32::MIN_POSITIVE {
                assert_eq!(got, expected, "{a:e} / {b:e}");
            } else {
                // Post-scaling rounds a denormal quotient a second time.
                let step = got.to_bits().abs_diff(expected.to_bits());
                assert!(step <= 1, "{a:e} / {b:e}: {got:e}, not {expected:e}");
            }
        }
    }

    #[test]
    fn the_double_precision_macro_divides_correctly() {
        let mut state = 11;
        for _ in 0..100_000 {
            let a = f64::from_bits(random(&mut state));
            let b = f64::from_bits(random(&mut state));
            let (got, expected) = (divide_f64(a, b), a / b);
            if expected.is_nan() {
                assert!(got.is_nan());
            } else {
                let step = got.to_bits().abs_diff(expected.to_bits());
                assert!(step <= 1, "{a:e} / {b:e}: {got:e}, not {expected:e}");
            }
        }
    }

    #[test]
    fn scaling_follows_the_cases_of_the_manual() {
        let two = |e: i32| 2f64.powi(e) as f32;
        assert!(v_div_scale_f32(0.0, 0.0, 1.0).0.is_nan());
        // Numerator far above the denominator: only the denominator is scaled.
        assert_eq!(
            v_div_scale_f32(two(-10), two(-10), two(90)),
            (two(54), true)
        );
        assert_eq!(v_div_scale_f32(two(90), two(-10), two(90)), (two(90), true));
        // A denormal denominator: both are scaled.
        let tiny = two(-130);
        assert_eq!(v_div_scale_f32(tiny, tiny, two(-120)), (two(-66), false));
        assert_eq!(
            v_div_scale_f32(two(-120), tiny, two(-120)),
            (two(-56), false)
        );
        // A denormal reciprocal: scaled down.
        let huge = two(127);
        assert_eq!(v_div_scale_f32(huge, huge, two(100)), (two(63), false));
        // A denormal quotient: the numerator is scaled up.
        assert_eq!(
            v_div_scale_f32(two(-100), two(30), two(-100)),
            (two(-36), true)
        );
        assert_eq!(
            v_div_scale_f32(two(30), two(30), two(-100)),
            (two(30), true)
        );
        // A tiny numerator.
        assert_eq!(v_div_scale_f32(1.0, 1.0, two(-104)), (two(64), false));
        assert_eq!(v_div_scale_f32(1.0, 1.0, two(-103)), (1.0, false));
        assert_eq!(v_div_scale_f32(3.0, 3.0, 7.0), (3.0, false));
    }

    #[test]
    fn fixup_settles_special_cases() {
        let inf = f32::INFINITY;
        let bits = |a, b, c| v_div_fixup_f32(a, b, c).to_bits();
        assert_eq!(bits(1.0, 0.0, 0.0), 0xffc0_0000);
        assert_eq!(bits(1.0, inf, -inf), 0xffc0_0000);
        assert_eq!(bits(1.0, -0.0, 1.0), 0xff80_0000);
        assert_eq!(bits(1.0, inf, -1.0), 0x8000_0000);
        assert_eq!(bits(-2.0, 1.0, 2.0), 0x4000_0000);
        assert_eq!(bits(1.0, 1.0, f32::from_bits(0x7f80_0001)), 0x7fc0_0001);
        assert_eq!(
            bits(1.0, f32::MAX, f32::from_bits(0x8000_0001)),
            0x8000_0000
        );
        assert_eq!(v_div_fixup_f64(1.0, 0.0, 0.0).to_bits(), 0xfff8 << 48);
        assert_eq!(v_div_fixup_f16(0x3c00, 0, 0), 0xfe00);
        assert_eq!(v_div_fixup_f16(0x3c00, 0x8000, 0x3c00), 0xfc00);
        assert_eq!(v_div_fixup_f16(0xbc00, 0x3c00, 0x3c00), 0x3c00);
        assert_eq!(v_div_fixup_f16(0x3c00, 0x7c01, 0x3c00), 0x7e01);
        assert_eq!(v_div_fixup_f16(0x3c00, 0x7c00, 0xbc00), 0x8000);
    }

    #[test]
    fn fmas_scales_back() {
        assert_eq!(v_div_fmas_f32(0.0, 1.0, 1.0, true), 2f32.powi(64));
        assert_eq!(v_div_fmas_f32(0.0, 1.0, 0.5, true), 2f32.powi(-65));
        assert_eq!(v_div_fmas_f64(1.0, 2.0, 1.0, false), 3.0);
        assert_eq!(v_div_fmas_f64(0.0, 2.0, 1.0, true), 2f64.powi(128));
        assert_eq!(v_div_fmas_f64(0.0, 2.0, 0.25, true), 2f64.powi(-130));
    }

    #[test]
    fn a_denormal_quotient_is_rounded_once() {
        // 2^-126 / 1.5 and 2^-1022 / 1.5: an estimate off by less than half a unit in the last
        // place, so that the exact quotient decides.
        let third = 2.0f32 / 3.0;
        let (n, scale) = (f32::MIN_POSITIVE, 18_446_744_073_709_551_616.0f32);
        let remainder = (-1.5f32).mul_add(third * n * scale, n * scale);
        let q = v_div_fmas_f32(remainder, third, third * n * scale, true);
        assert_eq!(q, n / 1.5);
        let third = 2.0f64 / 3.0;
        let scale = 340_282_366_920_938_463_463_374_607_431_768_211_456.0f64;
        let n = f64::MIN_POSITIVE;
        let remainder = (-1.5f64).mul_add(third * n * scale, n * scale);
        for (divisor, sign) in [(1.5, 1.0), (-1.5, -1.0)] {
            let estimate = sign * third * n * scale;
            let q = v_div_fmas_f64(sign * remainder, third, estimate, true);
            assert_eq!(q, n / divisor);
        }
    }
}
