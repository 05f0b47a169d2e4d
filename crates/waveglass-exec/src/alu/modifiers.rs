//! Input and output modifiers of VOP3: ABS and NEG on sources, OMOD and CLAMP
//! on results.
//!
//! Sources apply ABS before NEG. Results apply OMOD before CLAMP. The clamps of
//! integer instructions are the `_clamp` functions beside the instructions.

use super::float::{narrow_f16, widen_f16};

/// The OMOD field: what a float result is multiplied by.
///
/// The manuals make OMOD available only where the denormals of the result's
/// type are flushed, and it is not IEEE: the result's sign of zero is lost on
/// hardware; here a product as the host forms it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Omod {
    /// 0: unchanged.
    #[default]
    None,
    /// 1: times two.
    Mul2,
    /// 2: times four.
    Mul4,
    /// 3: divided by two.
    Div2,
}

impl Omod {
    /// The modifier of a two-bit OMOD field.
    #[must_use]
    pub fn from_bits(bits: u32) -> Self {
        match bits & 3 {
            0 => Self::None,
            1 => Self::Mul2,
            2 => Self::Mul4,
            _ => Self::Div2,
        }
    }

    /// The factor, a power of two.
    #[must_use]
    #[inline(always)]
    pub fn factor(self) -> f32 {
        match self {
            Self::None => 1.0,
            Self::Mul2 => 2.0,
            Self::Mul4 => 4.0,
            Self::Div2 => 0.5,
        }
    }
}

/// OMOD on a single-precision result.
#[inline(always)]
pub fn omod_f32(x: f32, omod: Omod) -> f32 {
    if x.is_nan() { x } else { x * omod.factor() }
}

/// OMOD on a double-precision result.
#[inline(always)]
pub fn omod_f64(x: f64, omod: Omod) -> f64 {
    if x.is_nan() {
        x
    } else {
        x * f64::from(omod.factor())
    }
}

/// OMOD on a half-precision result.
#[inline(always)]
pub fn omod_f16(x: u16, omod: Omod) -> u16 {
    narrow_f16(omod_f32(widen_f16(x), omod))
}

/// The float clamp to [0, 1]. With DX10_CLAMP a NaN becomes zero, without it a
/// NaN passes. -0 becomes +0.
#[inline(always)]
pub fn clamp_f32(x: f32, dx10_clamp: bool) -> f32 {
    let r = if x > 0.0 { x } else { 0.0 };
    let r = if x > 1.0 { 1.0 } else { r };
    if !dx10_clamp && x.is_nan() { x } else { r }
}

/// As [`clamp_f32`], in double precision.
#[inline(always)]
pub fn clamp_f64(x: f64, dx10_clamp: bool) -> f64 {
    let r = if x > 0.0 { x } else { 0.0 };
    let r = if x > 1.0 { 1.0 } else { r };
    if !dx10_clamp && x.is_nan() { x } else { r }
}

/// As [`clamp_f32`], in half precision.
#[inline(always)]
pub fn clamp_f16(x: u16, dx10_clamp: bool) -> u16 {
    let nan = x & 0x7fff > 0x7c00;
    let r = if x & 0x8000 != 0 { 0 } else { x.min(0x3c00) };
    let of_nan = if dx10_clamp { 0 } else { x };
    if nan { of_nan } else { r }
}

/// As [`clamp_f32`], in BF16.
#[inline(always)]
pub fn clamp_bf16(x: u16, dx10_clamp: bool) -> u16 {
    let nan = x & 0x7fff > 0x7f80;
    let r = if x & 0x8000 != 0 { 0 } else { x.min(0x3f80) };
    let of_nan = if dx10_clamp { 0 } else { x };
    if nan { of_nan } else { r }
}

/// MODE.FP16_OVFL on a half-precision result: an overflow to infinity becomes
/// the largest finite number. `true_infinity` says that the result is infinite
/// because a source was, or by a division by zero, and is kept.
#[inline(always)]
pub fn fp16_ovfl(x: u16, true_infinity: bool) -> u16 {
    let overflow = x & 0x7fff == 0x7c00 && !true_infinity;
    if overflow { x & 0x8000 | 0x7bff } else { x }
}

/// ABS then NEG on the raw bits of a 32-bit source.
#[inline(always)]
pub fn abs_neg_b32(x: u32, abs: bool, neg: bool) -> u32 {
    (x & !(u32::from(abs) << 31)) ^ (u32::from(neg) << 31)
}

/// ABS then NEG on the raw bits of a 64-bit source.
#[inline(always)]
pub fn abs_neg_b64(x: u64, abs: bool, neg: bool) -> u64 {
    (x & !(u64::from(abs) << 63)) ^ (u64::from(neg) << 63)
}

/// ABS then NEG on the raw bits of a 16-bit source.
#[inline(always)]
pub fn abs_neg_b16(x: u16, abs: bool, neg: bool) -> u16 {
    (x & !(u16::from(abs) << 15)) ^ (u16::from(neg) << 15)
}

/// NEG (low half) and NEG_HI (high half) on a packed 16-bit source.
#[inline(always)]
pub fn neg_packed(x: u32, neg_lo: bool, neg_hi: bool) -> u32 {
    x ^ (u32::from(neg_lo) << 15) ^ (u32::from(neg_hi) << 31)
}

/// OP_SEL (low result) and OP_SEL_HI (high result) on a packed 16-bit source:
/// which half each of the two operations reads.
#[inline(always)]
pub fn select_packed(x: u32, op_sel: bool, op_sel_hi: bool) -> u32 {
    let low = x >> (u32::from(op_sel) * 16) & 0xffff;
    let high = x >> (u32::from(op_sel_hi) * 16) & 0xffff;
    high << 16 | low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamp_keeps_zero_to_one() {
        assert_eq!(clamp_f32(2.0, true), 1.0);
        assert_eq!(clamp_f32(-2.0, true).to_bits(), 0);
        assert_eq!(clamp_f32(-0.0, true).to_bits(), 0);
        assert_eq!(clamp_f32(0.25, true), 0.25);
        assert_eq!(clamp_f32(f32::NAN, true).to_bits(), 0);
        assert!(clamp_f32(f32::NAN, false).is_nan());
        assert_eq!(clamp_f32(f32::INFINITY, false), 1.0);
        assert_eq!(clamp_f64(-1.0, true).to_bits(), 0);
        assert_eq!(clamp_f64(f64::NAN, true), 0.0);
        assert_eq!(clamp_f16(0x4000, true), 0x3c00);
        assert_eq!(clamp_f16(0xbc00, true), 0);
        assert_eq!(clamp_f16(0xfe00, true), 0);
        assert_eq!(clamp_f16(0xfe00, false), 0xfe00);
        assert_eq!(clamp_bf16(0x4000, true), 0x3f80);
    }

    #[test]
    fn omod_scales_by_powers_of_two() {
        assert_eq!(omod_f32(3.0, Omod::Mul2), 6.0);
        assert_eq!(omod_f32(3.0, Omod::Mul4), 12.0);
        assert_eq!(omod_f64(3.0, Omod::Div2), 1.5);
        assert_eq!(omod_f16(0x3c00, Omod::Mul2), 0x4000);
        assert_eq!(omod_f16(0x7bff, Omod::Mul2), 0x7c00);
        assert_eq!(Omod::from_bits(3), Omod::Div2);
        assert_eq!(fp16_ovfl(0xfc00, false), 0xfbff);
        assert_eq!(fp16_ovfl(0xfc00, true), 0xfc00);
    }

    #[test]
    fn abs_comes_before_neg() {
        assert_eq!(abs_neg_b32(0xbf80_0000, true, true), 0xbf80_0000);
        assert_eq!(abs_neg_b32(0x3f80_0000, false, true), 0xbf80_0000);
        assert_eq!(abs_neg_b64(1 << 63, true, false), 0);
        assert_eq!(abs_neg_b16(0x8001, true, false), 1);
        assert_eq!(neg_packed(0x3c00_3c00, true, false), 0x3c00_bc00);
        assert_eq!(select_packed(0x1111_2222, true, false), 0x2222_1111);
    }
}
