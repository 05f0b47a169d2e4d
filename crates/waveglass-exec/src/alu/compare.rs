//! `v_cmp` and `v_cmpx`: one generic function a type for all conditions, and
//! the class test.

/// The sixteen float conditions of `v_cmp_*_f16`, `_f32` and `_f64`.
///
/// The opcodes number them so that each bit admits one relation: 1 less,
/// 2 equal, 4 greater, 8 unordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FloatCond {
    /// Never.
    F = 0,
    /// `a < b`.
    Lt = 1,
    /// `a == b`.
    Eq = 2,
    /// `a <= b`.
    Le = 3,
    /// `a > b`.
    Gt = 4,
    /// `a < b || a > b`.
    Lg = 5,
    /// `a >= b`.
    Ge = 6,
    /// Neither is a NaN.
    O = 7,
    /// Either is a NaN.
    U = 8,
    /// `!(a >= b)`.
    Nge = 9,
    /// `!(a < b || a > b)`.
    Nlg = 10,
    /// `!(a > b)`.
    Ngt = 11,
    /// `!(a <= b)`.
    Nle = 12,
    /// `!(a == b)`.
    Neq = 13,
    /// `!(a < b)`.
    Nlt = 14,
    /// Always (`v_cmp_tru`, `v_cmp_t`).
    T = 15,
}

/// The eight integer conditions of `v_cmp_*_i16` to `_u64`, numbered by the
/// same bits as [`FloatCond`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum IntCond {
    /// Never.
    F = 0,
    /// `a < b`.
    Lt = 1,
    /// `a == b`.
    Eq = 2,
    /// `a <= b`.
    Le = 3,
    /// `a > b`.
    Gt = 4,
    /// `a != b`.
    Ne = 5,
    /// `a >= b`.
    Ge = 6,
    /// Always.
    T = 7,
}

/// `v_cmp_<cond>` on any ordered type: f32, f64, signed and unsigned integers.
///
/// `COND` is a [`FloatCond`] or [`IntCond`] as a number, so that each
/// monomorphised loop holds only its own comparison.
#[expect(
    clippy::neg_cmp_op_on_partial_ord,
    clippy::double_comparisons,
    reason = "unordered values make the suggested simplifications wrong"
)]
#[inline(always)]
pub fn v_cmp<const COND: u8, T: PartialOrd>(a: T, b: T) -> bool {
    match COND {
        0 => false,
        1 => a < b,
        2 => a == b,
        3 => a <= b,
        4 => a > b,
        // Not `a != b`, which holds for unordered values.
        5 => a < b || a > b,
        6 => a >= b,
        7 => a <= b || a > b,
        8 => !(a <= b || a > b),
        9 => !(a >= b),
        10 => !(a < b || a > b),
        11 => !(a > b),
        12 => !(a <= b),
        13 => !(a == b),
        14 => !(a < b),
        _ => true,
    }
}

/// `v_cmp_<cond>_f16` on raw bits; `COND` as for [`v_cmp`].
#[inline(always)]
pub fn v_cmp_f16<const COND: u8>(a: u16, b: u16) -> bool {
    v_cmp::<COND, f32>(super::float::widen_f16(a), super::float::widen_f16(b))
}

macro_rules! class {
    ($name:ident, $bits:ty, $exponent:expr, $quiet:expr) => {
        #[doc = concat!("`", stringify!($name), "` on raw bits: whether the class of `a` is among")]
        /// the classes in `mask`.
        ///
        /// Bits from 0: signalling NaN, quiet NaN, -infinity, -normal,
        /// -denormal, -0, +0, +denormal, +normal, +infinity.
        #[inline(always)]
        pub fn $name(a: $bits, mask: u32) -> bool {
            const EXPONENT: $bits = $exponent;
            const QUIET: $bits = $quiet;
            const SIGN: $bits = !(<$bits>::MAX >> 1);
            let magnitude = a & !SIGN;
            let negative = a & SIGN != 0;
            let class = if magnitude > EXPONENT {
                if a & QUIET != 0 { 1 } else { 0 }
            } else {
                let rank = if magnitude == EXPONENT {
                    3
                } else if magnitude & EXPONENT != 0 {
                    2
                } else if magnitude != 0 {
                    1
                } else {
                    0
                };
                if negative { 5 - rank } else { 6 + rank }
            };
            mask >> class & 1 != 0
        }
    };
}

class!(v_cmp_class_f16, u16, 0x7c00, 0x0200);
class!(v_cmp_class_f32, u32, 0x7f80_0000, 0x0040_0000);
class!(
    v_cmp_class_f64,
    u64,
    0x7ff0_0000_0000_0000,
    0x0008_0000_0000_0000
);

#[cfg(test)]
mod tests {
    use super::*;

    /// The relation of two floats as the bit that the conditions are made of.
    fn relation(a: f32, b: f32) -> u8 {
        match a.partial_cmp(&b) {
            Some(std::cmp::Ordering::Less) => 1,
            Some(std::cmp::Ordering::Equal) => 2,
            Some(std::cmp::Ordering::Greater) => 4,
            None => 8,
        }
    }

    fn check<const COND: u8>() {
        let values = [
            f32::NEG_INFINITY,
            -1.0,
            -0.0,
            0.0,
            1e-45,
            1.0,
            f32::INFINITY,
            f32::NAN,
        ];
        for a in values {
            for b in values {
                let expected = COND & relation(a, b) != 0;
                assert_eq!(v_cmp::<COND, f32>(a, b), expected, "{COND} {a} {b}");
                let half = |x| super::super::float::narrow_f16(x);
                if a.abs() != 1e-45 && b.abs() != 1e-45 {
                    assert_eq!(v_cmp_f16::<COND>(half(a), half(b)), expected);
                }
                if COND < 8 {
                    let (x, y) = (a as i32, b as i32);
                    let bit = if x < y {
                        1
                    } else if x == y {
                        2
                    } else {
                        4
                    };
                    assert_eq!(v_cmp::<COND, i32>(x, y), COND & bit != 0);
                }
            }
        }
    }

    #[test]
    fn every_condition_is_the_union_of_its_relations() {
        check::<0>();
        check::<1>();
        check::<2>();
        check::<3>();
        check::<4>();
        check::<5>();
        check::<6>();
        check::<7>();
        check::<8>();
        check::<9>();
        check::<10>();
        check::<11>();
        check::<12>();
        check::<13>();
        check::<14>();
        check::<15>();
    }

    #[test]
    fn each_class_has_its_bit() {
        let singles = [
            0x7f80_0001,
            0x7fc0_0000,
            0xff80_0000,
            0xbf80_0000,
            0x8000_0001,
            0x8000_0000,
            0,
            0x007f_ffff,
            0x0080_0000,
            0x7f80_0000,
        ];
        for (bit, value) in singles.into_iter().enumerate() {
            for mask in 0..10 {
                assert_eq!(v_cmp_class_f32(value, 1 << mask), mask == bit, "{value:#x}");
            }
        }
        let halves = [
            0x7c01, 0xfe00, 0xfc00, 0xbc00, 0x8001, 0x8000, 0, 0x03ff, 0x0400, 0x7c00,
        ];
        for (bit, value) in halves.into_iter().enumerate() {
            assert!(v_cmp_class_f16(value, 1 << bit));
            assert!(!v_cmp_class_f16(value, !(1 << bit)));
        }
        assert!(v_cmp_class_f64(0x7ff0_0000_0000_0001, 1));
        assert!(v_cmp_class_f64(f64::MIN_POSITIVE.to_bits(), 1 << 8));
        assert!(v_cmp_class_f64(1, 1 << 7));
        assert!(v_cmp_class_f64((-0.0f64).to_bits(), 1 << 5));
    }
}
