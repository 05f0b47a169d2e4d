//! Dot products.
//!
//! The integer forms are exact. The manuals write the float forms as separate
//! sums in the order given at each function and do not define where they round;
//! here every product is exact (it fits single precision) and every sum rounds
//! to nearest even.

use super::float::{nan2_f32, widen_bf16, widen_f16};
use super::float16::{v_add_f16, v_mul_f16};
use super::{bf16, float32::v_add_f32};

#[inline(always)]
fn product(a: f32, b: f32) -> f32 {
    nan2_f32(a * b, a, b)
}

#[inline(always)]
fn products(a: u32, b: u32, widen: impl Fn(u16) -> f32) -> [f32; 2] {
    [
        product(widen(a as u16), widen(b as u16)),
        product(widen((a >> 16) as u16), widen((b >> 16) as u16)),
    ]
}

/// Two halves with denormals as zeros of their signs.
#[inline(always)]
pub fn flush_pk_f16(x: u32) -> u32 {
    let keep = |exponent: u32, half: u32| {
        if x & exponent == 0 {
            half & 0x8000_8000
        } else {
            half
        }
    };
    x & (keep(0x7c00, 0xffff) | keep(0x7c00_0000, 0xffff_0000))
}

/// Two bfloat16 with denormals as zeros of their signs.
#[inline(always)]
pub fn flush_pk_bf16(x: u32) -> u32 {
    let keep = |exponent: u32, half: u32| {
        if x & exponent == 0 {
            half & 0x8000_8000
        } else {
            half
        }
    };
    x & (keep(0x7f80, 0xffff) | keep(0x7f80_0000, 0xffff_0000))
}

/// A denormal as a zero of its sign.
#[inline(always)]
pub fn flush_f32(x: f32) -> f32 {
    if x.to_bits() & 0x7f80_0000 == 0 {
        f32::from_bits(x.to_bits() & 0x8000_0000)
    } else {
        x
    }
}

/// `v_dot2_f32_f16` of GCN5, CDNA and RDNA1-2, `v_dot2c_f32_f16`,
/// `v_dot2acc_f32_f16`: the addend first, then the low and the high product.
#[inline(always)]
pub fn v_dot2c_f32_f16(a: u32, b: u32, c: f32) -> f32 {
    let [low, high] = products(a, b, widen_f16);
    v_add_f32(v_add_f32(c, low), high)
}

/// `v_dot2_f32_f16` of RDNA3 and later: both products, then the addend.
#[inline(always)]
pub fn v_dot2_f32_f16(a: u32, b: u32, c: f32) -> f32 {
    let [low, high] = products(a, b, widen_f16);
    v_add_f32(v_add_f32(low, high), c)
}

/// `v_dot2c_f32_bf16`, `v_dot2acc_f32_bf16`: the addend first, then the low and
/// the high product.
#[inline(always)]
pub fn v_dot2c_f32_bf16(a: u32, b: u32, c: f32) -> f32 {
    let [low, high] = products(a, b, widen_bf16);
    v_add_f32(v_add_f32(c, low), high)
}

/// `v_dot2_f32_bf16`: both products, then the addend.
#[inline(always)]
pub fn v_dot2_f32_bf16(a: u32, b: u32, c: f32) -> f32 {
    let [low, high] = products(a, b, widen_bf16);
    v_add_f32(v_add_f32(low, high), c)
}

/// `v_dot2_f16_f16`: every product and sum rounded to half precision; the addend comes first, or `last`.
#[inline(always)]
pub fn v_dot2_f16_f16(a: u32, b: u32, c: u16, last: bool) -> u16 {
    let low = v_mul_f16(a as u16, b as u16);
    let high = v_mul_f16((a >> 16) as u16, (b >> 16) as u16);
    if last {
        v_add_f16(v_add_f16(low, high), c)
    } else {
        v_add_f16(v_add_f16(c, low), high)
    }
}

/// `v_dot2_bf16_bf16`: every product and sum rounded to BF16; the addend comes first, or `last`. It
/// "disables all denorms" (RDNA3 ISA 7.2.4).
#[inline(always)]
pub fn v_dot2_bf16_bf16(a: u32, b: u32, c: u16, last: bool) -> u16 {
    let (a, b) = (flush_pk_bf16(a), flush_pk_bf16(b));
    let c = flush_pk_bf16(c.into()) as u16;
    let low = bf16::v_mul_bf16(a as u16, b as u16);
    let high = bf16::v_mul_bf16((a >> 16) as u16, (b >> 16) as u16);
    let (first, second, third) = if last { (low, high, c) } else { (c, low, high) };
    let sum = bf16::v_add_bf16(bf16::v_add_bf16(first, second), third);
    flush_pk_bf16(sum.into()) as u16
}

/// The field of `bits` bits at position `i`, extended as `signed` says.
#[inline(always)]
fn field(x: u32, i: u32, bits: u32, signed: bool) -> i64 {
    let top = x << (32 - bits * (i + 1));
    if signed {
        i64::from(top as i32 >> (32 - bits))
    } else {
        i64::from(top >> (32 - bits))
    }
}

/// The exact sum of `32 / bits` products and the addend.
#[inline(always)]
fn sum(a: u32, b: u32, c: i64, bits: u32, signed_a: bool, signed_b: bool) -> i64 {
    let mut sum = c;
    for i in 0..32 / bits {
        sum += field(a, i, bits, signed_a) * field(b, i, bits, signed_b);
    }
    sum
}

#[inline(always)]
fn finish_i32(exact: i64, clamp: bool) -> u32 {
    let clamped = exact.clamp(i32::MIN.into(), i32::MAX.into());
    (if clamp { clamped } else { exact }) as u32
}

#[inline(always)]
fn finish_u32(exact: i64, clamp: bool) -> u32 {
    let clamped = exact.clamp(0, u32::MAX.into());
    (if clamp { clamped } else { exact }) as u32
}

macro_rules! integer_dot {
    ($($name:ident = $bits:literal signed $also:literal;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`", $also, ": signed fields; `clamp` saturates the exact result.")]
        #[inline(always)]
        pub fn $name(a: u32, b: u32, c: u32, clamp: bool) -> u32 {
            finish_i32(sum(a, b, i64::from(c as i32), $bits, true, true), clamp)
        }
    )*};
    ($($name:ident = $bits:literal unsigned;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`: unsigned fields; `clamp` saturates the exact result.")]
        #[inline(always)]
        pub fn $name(a: u32, b: u32, c: u32, clamp: bool) -> u32 {
            finish_u32(sum(a, b, i64::from(c), $bits, false, false), clamp)
        }
    )*};
    ($($name:ident = $bits:literal mixed;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`: NEG bits 0 and 1 make the fields of `a` and `b` signed.")]
        #[inline(always)]
        pub fn $name(a: u32, b: u32, c: u32, neg: u32, clamp: bool) -> u32 {
            let exact = sum(a, b, i64::from(c as i32), $bits, neg & 1 != 0, neg & 2 != 0);
            finish_i32(exact, clamp)
        }
    )*};
}

integer_dot! {
    v_dot2_i32_i16 = 16 signed " (`v_dot2c_i32_i16`)";
    v_dot4_i32_i8 = 8 signed " (`v_dot4c_i32_i8`)";
    v_dot8_i32_i4 = 4 signed " (`v_dot8c_i32_i4`)";
}
integer_dot! {
    v_dot2_u32_u16 = 16 unsigned;
    v_dot4_u32_u8 = 8 unsigned;
    v_dot8_u32_u4 = 4 unsigned;
}
integer_dot! {
    v_dot4_i32_iu8 = 8 mixed;
    v_dot8_i32_iu4 = 4 mixed;
}

/// `v_dot4_f32_fp8_fp8` and its three fellows, for the decoders of the two
/// byte formats: the addend, then the four products from the lowest.
#[inline(always)]
pub fn v_dot4_f32(
    a: u32,
    b: u32,
    c: f32,
    decode_a: impl Fn(u8) -> f32,
    decode_b: impl Fn(u8) -> f32,
) -> f32 {
    let mut sum = c;
    for shift in [0, 8, 16, 24] {
        let (x, y) = (decode_a((a >> shift) as u8), decode_b((b >> shift) as u8));
        sum = v_add_f32(sum, product(x, y));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_products_sum_exactly() {
        assert_eq!(
            v_dot4_i32_i8(0x01ff_7f80, 0x0203_7f80, 1, false),
            16129 + 16384
        );
        assert_eq!(v_dot4_u32_u8(0xffff_ffff, 0xffff_ffff, 0, false), 4 * 65025);
        assert_eq!(
            v_dot8_i32_i4(0xffff_ffff, 0x7777_7777, 0, false),
            -56i32 as u32
        );
        assert_eq!(
            v_dot8_u32_u4(0xffff_ffff, 0xffff_ffff, 5, false),
            8 * 225 + 5
        );
        assert_eq!(
            v_dot2_i32_i16(0x8000_8000, 0x8000_8000, 0, false),
            0x8000_0000
        );
        assert_eq!(
            v_dot2_i32_i16(0x8000_8000, 0x8000_8000, 0, true),
            0x7fff_ffff
        );
        assert_eq!(v_dot2_u32_u16(0xffff_ffff, 0xffff_ffff, 0, true), u32::MAX);
        assert_eq!(
            v_dot2_u32_u16(0xffff_ffff, 0xffff_ffff, 0, false),
            0xfffc_0002
        );
    }

    #[test]
    fn mixed_signs_follow_neg() {
        assert_eq!(v_dot4_i32_iu8(0xff, 0xff, 0, 0b00, false), 255 * 255);
        assert_eq!(v_dot4_i32_iu8(0xff, 0xff, 0, 0b01, false), -255i32 as u32);
        assert_eq!(v_dot4_i32_iu8(0xff, 0xff, 0, 0b11, false), 1);
        assert_eq!(v_dot8_i32_iu4(0x8, 0xf, 0, 0b01, false), -120i32 as u32);
    }

    #[test]
    fn float_sums_round_in_the_stated_order() {
        // 1 + 2^24 - 2^24: the order decides whether the one survives.
        let (a, b) = (0xec00_6c00, 0x6c00_6c00); // -4096, 4096 times 4096, 4096
        assert_eq!(v_dot2_f32_f16(a, b, 0.5), 0.5);
        assert_eq!(v_dot2c_f32_f16(a, b, 0.5), 0.0);
        assert_eq!(v_dot2_f32_bf16(0x3f80_4000, 0x4040_4080, 1.0), 12.0);
        assert_eq!(v_dot2c_f32_bf16(0x3f80_4000, 0x4040_4080, 1.0), 12.0);
        assert_eq!(
            v_dot2_f16_f16(0x3c00_4000, 0x4200_4400, 0x3c00, false),
            0x4a00
        );
        assert_eq!(
            v_dot2_bf16_bf16(0x3f80_4000, 0x4040_4080, 0x3f80, false),
            0x4140
        );
        // 2048 + 1 loses the 1 in half precision, unless the products cancel first.
        let (a, b) = (0x6800_e800, 0x3c00_3c00);
        assert_eq!(v_dot2_f16_f16(a, b, 0x3c00, false), 0x3c00);
        assert_eq!(v_dot2_f16_f16(0xe800_6800, b, 0x3c00, false), 0);
        assert_eq!(v_dot2_f16_f16(0xe800_6800, b, 0x3c00, true), 0x3c00);
        assert_eq!(
            v_dot4_f32(0x0403_0201, 0x0101_0101, 0.5, f32::from, f32::from),
            10.5
        );
    }
}
