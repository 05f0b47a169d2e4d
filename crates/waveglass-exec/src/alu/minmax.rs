//! Minimum, maximum and median of floats, whose rules on NaN changed between
//! generations. For all of them +0 is greater than -0.
//!
//! * GCN5, CDNA1-4, RDNA1-2: `v_max_f32` and fellows; see [`Ieee`]. With one
//!   NaN the other source is the result; with two quiet NaN it is the second.
//! * RDNA3: the same, but with two quiet NaN it is the first.
//! * RDNA4, CDNA5: `v_max_num_f32` (IEEE maximumNumber) and `v_maximum_f32`
//!   (IEEE maximum, which propagates NaN).

use super::float::{
    is_signaling_f32, is_signaling_f64, narrow_bf16, narrow_f16, quiet_f32, quiet_f64, widen_bf16,
    widen_f16,
};

/// MODE.IEEE: whether a signalling NaN source is returned, made quiet.
pub type Ieee = bool;

macro_rules! minmax {
    ($float:ty, $quiet:path, $signaling:path,
     $max:ident, $min:ident, $max_gfx11:ident, $min_gfx11:ident,
     $max_num:ident, $min_num:ident, $maximum:ident, $minimum:ident,
     $gt:ident) => {
        /// `a > b`, counting +0 as greater than -0.
        #[inline(always)]
        fn $gt(a: $float, b: $float) -> bool {
            a > b || (a == b && !a.is_sign_negative() && b.is_sign_negative())
        }

        #[doc = concat!("`", stringify!($max), "` of GCN5, CDNA1-4 and RDNA1-2.")]
        #[inline(always)]
        pub fn $max(a: $float, b: $float, ieee: Ieee) -> $float {
            let r = if $gt(a, b) { a } else { b };
            let r = if b.is_nan() { a } else { r };
            let r = if a.is_nan() { b } else { r };
            let r = if ieee && $signaling(b) { $quiet(b) } else { r };
            if ieee && $signaling(a) { $quiet(a) } else { r }
        }

        #[doc = concat!("`", stringify!($min), "` of GCN5, CDNA1-4 and RDNA1-2.")]
        #[inline(always)]
        pub fn $min(a: $float, b: $float, ieee: Ieee) -> $float {
            let r = if $gt(b, a) { a } else { b };
            let r = if b.is_nan() { a } else { r };
            let r = if a.is_nan() { b } else { r };
            let r = if ieee && $signaling(b) { $quiet(b) } else { r };
            if ieee && $signaling(a) { $quiet(a) } else { r }
        }

        #[doc = concat!("`", stringify!($max), "` of RDNA3: of two NaN the first is returned.")]
        #[inline(always)]
        pub fn $max_gfx11(a: $float, b: $float, ieee: Ieee) -> $float {
            let r = if $gt(a, b) { a } else { b };
            let r = if a.is_nan() { b } else { r };
            let r = if b.is_nan() { a } else { r };
            let r = if ieee && $signaling(b) { $quiet(b) } else { r };
            if ieee && $signaling(a) { $quiet(a) } else { r }
        }

        #[doc = concat!("`", stringify!($min), "` of RDNA3: of two NaN the first is returned.")]
        #[inline(always)]
        pub fn $min_gfx11(a: $float, b: $float, ieee: Ieee) -> $float {
            let r = if $gt(b, a) { a } else { b };
            let r = if a.is_nan() { b } else { r };
            let r = if b.is_nan() { a } else { r };
            let r = if ieee && $signaling(b) { $quiet(b) } else { r };
            if ieee && $signaling(a) { $quiet(a) } else { r }
        }

        #[doc = concat!("`", stringify!($max_num), "`: a number is preferred over any NaN.")]
        #[inline(always)]
        pub fn $max_num(a: $float, b: $float) -> $float {
            let r = if $gt(a, b) { a } else { b };
            let r = if b.is_nan() { a } else { r };
            let of_nan = if b.is_nan() { $quiet(a) } else { b };
            if a.is_nan() { of_nan } else { r }
        }

        #[doc = concat!("`", stringify!($min_num), "`: a number is preferred over any NaN.")]
        #[inline(always)]
        pub fn $min_num(a: $float, b: $float) -> $float {
            let r = if $gt(b, a) { a } else { b };
            let r = if b.is_nan() { a } else { r };
            let of_nan = if b.is_nan() { $quiet(a) } else { b };
            if a.is_nan() { of_nan } else { r }
        }

        #[doc = concat!("`", stringify!($maximum), "`: a NaN is returned, a signalling one first.")]
        #[inline(always)]
        pub fn $maximum(a: $float, b: $float) -> $float {
            let r = if $gt(a, b) { a } else { b };
            let r = if b.is_nan() { $quiet(b) } else { r };
            let signaling_b = $signaling(b) && !$signaling(a);
            if a.is_nan() && !signaling_b {
                $quiet(a)
            } else {
                r
            }
        }

        #[doc = concat!("`", stringify!($minimum), "`: a NaN is returned, a signalling one first.")]
        #[inline(always)]
        pub fn $minimum(a: $float, b: $float) -> $float {
            let r = if $gt(b, a) { a } else { b };
            let r = if b.is_nan() { $quiet(b) } else { r };
            let signaling_b = $signaling(b) && !$signaling(a);
            if a.is_nan() && !signaling_b {
                $quiet(a)
            } else {
                r
            }
        }
    };
}

minmax!(
    f32,
    quiet_f32,
    is_signaling_f32,
    v_max_f32,
    v_min_f32,
    v_max_f32_gfx11,
    v_min_f32_gfx11,
    v_max_num_f32,
    v_min_num_f32,
    v_maximum_f32,
    v_minimum_f32,
    gt_f32
);
minmax!(
    f64,
    quiet_f64,
    is_signaling_f64,
    v_max_f64,
    v_min_f64,
    v_max_f64_gfx11,
    v_min_f64_gfx11,
    v_max_num_f64,
    v_min_num_f64,
    v_maximum_f64,
    v_minimum_f64,
    gt_f64
);

macro_rules! three {
    ($ty:ty; $max:ident $min:ident => $max3:ident $min3:ident $med3:ident $maxmin:ident $minmax:ident, $eq:path, $nan:path
     $(, $ieee:ident)?) => {
        #[doc = concat!("`", stringify!($max3), "`: the maximum of the first two, then with the third.")]
        #[inline(always)]
        pub fn $max3(a: $ty, b: $ty, c: $ty $(, $ieee: Ieee)?) -> $ty {
            $max($max(a, b $(, $ieee)?), c $(, $ieee)?)
        }

        #[doc = concat!("`", stringify!($min3), "`: the minimum of the first two, then with the third.")]
        #[inline(always)]
        pub fn $min3(a: $ty, b: $ty, c: $ty $(, $ieee: Ieee)?) -> $ty {
            $min($min(a, b $(, $ieee)?), c $(, $ieee)?)
        }

        #[doc = concat!("`", stringify!($med3), "`: the median; with a NaN among the sources, their minimum.")]
        #[inline(always)]
        pub fn $med3(a: $ty, b: $ty, c: $ty $(, $ieee: Ieee)?) -> $ty {
            let top = $max3(a, b, c $(, $ieee)?);
            let r = $max(a, b $(, $ieee)?);
            let r = if $eq(top, b) { $max(a, c $(, $ieee)?) } else { r };
            let r = if $eq(top, a) { $max(b, c $(, $ieee)?) } else { r };
            if $nan(a) || $nan(b) || $nan(c) { $min3(a, b, c $(, $ieee)?) } else { r }
        }

        #[doc = concat!("`", stringify!($maxmin), "`: the maximum of the first two, then the minimum with the third.")]
        #[inline(always)]
        pub fn $maxmin(a: $ty, b: $ty, c: $ty $(, $ieee: Ieee)?) -> $ty {
            $min($max(a, b $(, $ieee)?), c $(, $ieee)?)
        }

        #[doc = concat!("`", stringify!($minmax), "`: the minimum of the first two, then the maximum with the third.")]
        #[inline(always)]
        pub fn $minmax(a: $ty, b: $ty, c: $ty $(, $ieee: Ieee)?) -> $ty {
            $max($min(a, b $(, $ieee)?), c $(, $ieee)?)
        }
    };
}

/// The operations of this module on numbers, for which all generations agree; NaN where a source is a
/// NaN.
pub mod numbers {
    macro_rules! numbers {
        ($max:ident $min:ident $med3:ident $float:ty) => {
            /// The larger of two numbers; of zeros the bits that both have.
            #[inline(always)]
            fn larger(a: $float, b: $float) -> $float {
                let r = if a > b { a } else { b };
                let both = <$float>::from_bits(a.to_bits() & b.to_bits());
                if a == b { both } else { r }
            }

            /// The maximum.
            #[inline(always)]
            pub fn $max(a: $float, b: $float) -> $float {
                let r = larger(a, b);
                if a.is_nan() { a } else { r }
            }

            /// The minimum.
            #[inline(always)]
            pub fn $min(a: $float, b: $float) -> $float {
                let r = if b > a { a } else { b };
                let either = <$float>::from_bits(a.to_bits() | b.to_bits());
                let r = if a == b { either } else { r };
                if a.is_nan() { a } else { r }
            }

            /// The median.
            #[inline(always)]
            pub fn $med3(a: $float, b: $float, c: $float) -> $float {
                let first = larger(a, b);
                let top = larger(first, c);
                let r = if top == b { larger(a, c) } else { first };
                let r = if top == a { larger(b, c) } else { r };
                if a.is_nan() | b.is_nan() | c.is_nan() {
                    <$float>::NAN
                } else {
                    r
                }
            }
        };
    }
    /// The median, and whether no source is a NaN or minus zero: then numbers that compare equal are the
    /// same.
    #[inline(always)]
    pub fn plain_med3(a: f32, b: f32, c: f32) -> (f32, bool) {
        let smaller = |x: f32, y: f32| if x < y { x } else { y };
        let larger = |x: f32, y: f32| if x > y { x } else { y };
        let median = larger(smaller(a, b), smaller(larger(a, b), c));
        let nan = a.is_nan() | b.is_nan() | c.is_nan();
        // As an integer minus zero is the smallest of all.
        let bits = |x: f32| x.to_bits() as i32;
        let smallest = bits(a).min(bits(b)).min(bits(c));
        (median, (smallest != i32::MIN) & !nan)
    }

    mod single {
        numbers!(max min med3 f32);
    }
    mod double {
        numbers!(max_f64 min_f64 med3_f64 f64);
    }
    pub use double::{max_f64, med3_f64, min_f64};
    pub use single::{max, med3, min};
}

#[inline(always)]
fn is_nan_f16(x: u16) -> bool {
    x & 0x7fff > 0x7c00
}

#[inline(always)]
fn eq_f32(a: f32, b: f32) -> bool {
    a == b
}

#[inline(always)]
fn eq_f16(a: u16, b: u16) -> bool {
    widen_f16(a) == widen_f16(b)
}

three!(f32; v_max_f32 v_min_f32 => v_max3_f32 v_min3_f32 v_med3_f32 v_maxmin_f32 v_minmax_f32, eq_f32, f32::is_nan, ieee);
three!(f32; v_max_f32_gfx11 v_min_f32_gfx11 => v_max3_f32_gfx11 v_min3_f32_gfx11 v_med3_f32_gfx11 v_maxmin_f32_gfx11 v_minmax_f32_gfx11, eq_f32, f32::is_nan, ieee);
three!(f32; v_max_num_f32 v_min_num_f32 => v_max3_num_f32 v_min3_num_f32 v_med3_num_f32 v_maxmin_num_f32 v_minmax_num_f32, eq_f32, f32::is_nan);
three!(u16; v_max_f16 v_min_f16 => v_max3_f16 v_min3_f16 v_med3_f16 v_maxmin_f16 v_minmax_f16, eq_f16, is_nan_f16, ieee);
three!(u16; v_max_f16_gfx11 v_min_f16_gfx11 => v_max3_f16_gfx11 v_min3_f16_gfx11 v_med3_f16_gfx11 v_maxmin_f16_gfx11 v_minmax_f16_gfx11, eq_f16, is_nan_f16, ieee);
three!(u16; v_max_num_f16 v_min_num_f16 => v_max3_num_f16 v_min3_num_f16 v_med3_num_f16 v_maxmin_num_f16 v_minmax_num_f16, eq_f16, is_nan_f16);

macro_rules! ieee_three {
    ($ty:ty; $maximum:ident $minimum:ident => $maximum3:ident $minimum3:ident $maximumminimum:ident $minimummaximum:ident) => {
        #[doc = concat!("`", stringify!($maximum3), "`.")]
        #[inline(always)]
        pub fn $maximum3(a: $ty, b: $ty, c: $ty) -> $ty {
            $maximum($maximum(a, b), c)
        }

        #[doc = concat!("`", stringify!($minimum3), "`.")]
        #[inline(always)]
        pub fn $minimum3(a: $ty, b: $ty, c: $ty) -> $ty {
            $minimum($minimum(a, b), c)
        }

        #[doc = concat!("`", stringify!($maximumminimum), "`: `minimum(maximum(a, b), c)`.")]
        #[inline(always)]
        pub fn $maximumminimum(a: $ty, b: $ty, c: $ty) -> $ty {
            $minimum($maximum(a, b), c)
        }

        #[doc = concat!("`", stringify!($minimummaximum), "`: `maximum(minimum(a, b), c)`.")]
        #[inline(always)]
        pub fn $minimummaximum(a: $ty, b: $ty, c: $ty) -> $ty {
            $maximum($minimum(a, b), c)
        }
    };
}

ieee_three!(f32; v_maximum_f32 v_minimum_f32 => v_maximum3_f32 v_minimum3_f32 v_maximumminimum_f32 v_minimummaximum_f32);
ieee_three!(u16; v_maximum_f16 v_minimum_f16 => v_maximum3_f16 v_minimum3_f16 v_maximumminimum_f16 v_minimummaximum_f16);

macro_rules! sixteen {
    ($widen:ident $narrow:ident; $($name:ident = $wide:ident $(, $ieee:ident)?;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`: [`", stringify!($wide), "`] on 16-bit values.")]
        #[inline(always)]
        pub fn $name(a: u16, b: u16 $(, $ieee: Ieee)?) -> u16 {
            $narrow($wide($widen(a), $widen(b) $(, $ieee)?))
        }
    )*};
}

sixteen! { widen_f16 narrow_f16;
    v_max_f16 = v_max_f32, ieee;
    v_min_f16 = v_min_f32, ieee;
    v_max_f16_gfx11 = v_max_f32_gfx11, ieee;
    v_min_f16_gfx11 = v_min_f32_gfx11, ieee;
    v_max_num_f16 = v_max_num_f32;
    v_min_num_f16 = v_min_num_f32;
    v_maximum_f16 = v_maximum_f32;
    v_minimum_f16 = v_minimum_f32;
}
sixteen! { widen_bf16 narrow_bf16;
    v_max_num_bf16 = v_max_num_f32;
    v_min_num_bf16 = v_min_num_f32;
}

#[cfg(test)]
mod tests {
    use super::*;

    const SNAN: u32 = 0x7f80_0001;
    const QNAN1: u32 = 0x7fc0_0011;
    const QNAN2: u32 = 0xffc0_0022;

    fn bits2(f: impl Fn(f32, f32) -> f32, a: u32, b: u32) -> u32 {
        f(f32::from_bits(a), f32::from_bits(b)).to_bits()
    }

    #[test]
    fn plus_zero_is_greater_than_minus_zero() {
        for (a, b) in [(0.0f32, -0.0f32), (-0.0, 0.0)] {
            assert_eq!(v_max_f32(a, b, true).to_bits(), 0);
            assert_eq!(v_min_f32(a, b, true).to_bits(), 0x8000_0000);
            assert_eq!(v_max_f32_gfx11(a, b, true).to_bits(), 0);
            assert_eq!(v_max_num_f32(a, b).to_bits(), 0);
            assert_eq!(v_min_num_f32(a, b).to_bits(), 0x8000_0000);
            assert_eq!(v_maximum_f32(a, b).to_bits(), 0);
            assert_eq!(v_minimum_f32(a, b).to_bits(), 0x8000_0000);
        }
        assert_eq!(v_max_f16(0x8000, 0, true), 0);
        assert_eq!(v_min_num_f16(0, 0x8000), 0x8000);
        assert_eq!(v_max_f64(-0.0, 0.0, true).to_bits(), 0);
    }

    #[test]
    fn gcn_maximum_prefers_numbers_over_quiet_nan() {
        let one = 1f32.to_bits();
        let max = |a, b| v_max_f32(a, b, true);
        assert_eq!(bits2(max, QNAN1, one), one);
        assert_eq!(bits2(max, one, QNAN1), one);
        assert_eq!(bits2(max, QNAN1, QNAN2), QNAN2);
        assert_eq!(
            bits2(|a, b| v_max_f32_gfx11(a, b, true), QNAN1, QNAN2),
            QNAN1
        );
    }

    #[test]
    fn ieee_mode_returns_signalling_nan_made_quiet() {
        let one = 1f32.to_bits();
        assert_eq!(bits2(|a, b| v_max_f32(a, b, true), one, SNAN), 0x7fc0_0001);
        assert_eq!(
            bits2(|a, b| v_min_f32(a, b, true), SNAN, QNAN1),
            0x7fc0_0001
        );
        assert_eq!(bits2(|a, b| v_max_f32(a, b, false), one, SNAN), one);
        assert_eq!(v_max_f16(0x3c00, 0x7c01, true), 0x7e01);
        assert_eq!(v_max_f16(0x3c00, 0x7c01, false), 0x3c00);
    }

    #[test]
    fn number_forms_drop_even_signalling_nan() {
        let one = 1f32.to_bits();
        assert_eq!(bits2(v_max_num_f32, SNAN, one), one);
        assert_eq!(bits2(v_max_num_f32, one, SNAN), one);
        assert_eq!(bits2(v_max_num_f32, SNAN, QNAN1), 0x7fc0_0001);
        assert_eq!(bits2(v_min_num_f32, QNAN1, SNAN), QNAN1);
    }

    #[test]
    fn ieee_maximum_propagates_nan_signalling_first() {
        let one = 1f32.to_bits();
        assert_eq!(bits2(v_maximum_f32, one, QNAN1), QNAN1);
        assert_eq!(bits2(v_maximum_f32, QNAN1, one), QNAN1);
        assert_eq!(bits2(v_maximum_f32, QNAN1, SNAN), 0x7fc0_0001);
        assert_eq!(bits2(v_minimum_f32, QNAN1, QNAN2), QNAN1);
        assert_eq!(v_minimum_f16(0x3c00, 0x7e05), 0x7e05);
    }

    #[test]
    fn medians_of_numbers_agree_with_sorting() {
        let values = [f32::NEG_INFINITY, -1.0, 0.0, 1e-40, 2.0, f32::INFINITY];
        for a in values {
            for b in values {
                for c in values {
                    let mut sorted = [a, b, c];
                    sorted.sort_by(f32::total_cmp);
                    assert_eq!(v_med3_f32(a, b, c, true), sorted[1]);
                    assert_eq!(v_med3_num_f32(a, b, c), sorted[1]);
                    assert_eq!(v_max3_f32(a, b, c, true), sorted[2]);
                    assert_eq!(v_min3_num_f32(a, b, c), sorted[0]);
                }
            }
        }
        assert_eq!(v_med3_f16(0x4000, 0x3c00, 0x4200, true), 0x4000);
        assert_eq!(v_maxmin_f32(1.0, 3.0, 2.0, true), 2.0);
        assert_eq!(v_minmax_num_f16(0x3c00, 0x4200, 0x4000), 0x4000);
    }

    #[test]
    fn median_with_a_nan_is_the_minimum() {
        assert_eq!(v_med3_f32(f32::NAN, 5.0, 3.0, true), 3.0);
        assert_eq!(v_med3_num_f32(5.0, f32::NAN, 3.0), 3.0);
    }

    #[test]
    fn bf16_and_f64_follow_the_same_rules() {
        assert_eq!(v_max_num_bf16(0x3f80, 0x7fc0), 0x3f80);
        assert_eq!(v_min_num_bf16(0x3f80, 0xbf80), 0xbf80);
        assert_eq!(v_min_f64(1.0, f64::NAN, true), 1.0);
        assert!(v_maximum_f64(1.0, f64::NAN).is_nan());
    }
}
