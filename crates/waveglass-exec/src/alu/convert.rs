//! Conversions between integers, single, double and half precision, normalised
//! integers and bytes. The 8-, 6- and 4-bit floats are in
//! [`small_float`](super::small_float).
//!
//! Floats become integers by truncation, saturating at the ends of the integer
//! type; a NaN becomes zero.

use super::float::{
    Round, nan1_f32, narrow_bf16, narrow_f16, narrow_f16_round, narrow_f32_round, quiet_f32,
    widen_f16,
};

/// `v_cvt_i32_f64`.
#[inline(always)]
pub fn v_cvt_i32_f64(a: f64) -> u32 {
    let a = if a.is_nan() { 0.0 } else { a };
    let bounded = a.clamp(-2_147_483_648.0, 2_147_483_647.0);
    // The conversion that saturates by itself is not made with vector instructions.
    // SAFETY: the number is in range.
    unsafe { bounded.to_int_unchecked::<i32>() as u32 }
}

/// `v_cvt_f64_i32`, exact.
#[inline(always)]
pub fn v_cvt_f64_i32(a: u32) -> f64 {
    f64::from(a as i32)
}

/// `v_cvt_f32_i32`, to nearest even.
#[inline(always)]
pub fn v_cvt_f32_i32(a: u32) -> f32 {
    a as i32 as f32
}

/// `v_cvt_f32_u32`, to nearest even.
#[inline(always)]
pub fn v_cvt_f32_u32(a: u32) -> f32 {
    a as f32
}

/// `v_cvt_f32_i32` in any rounding mode.
#[inline(always)]
pub fn v_cvt_f32_i32_round(a: u32, round: Round) -> f32 {
    narrow_f32_round(f64::from(a as i32), round)
}

/// `v_cvt_f32_u32` in any rounding mode.
#[inline(always)]
pub fn v_cvt_f32_u32_round(a: u32, round: Round) -> f32 {
    narrow_f32_round(f64::from(a), round)
}

/// The magnitude of `a` truncated to an integer, saturated to `u32::MAX`; zero
/// for a NaN.
///
/// Written with shifts because the host's saturating cast is not vectorised.
#[inline(always)]
fn truncated_magnitude(a: f32) -> u32 {
    let magnitude = a.to_bits() & 0x7fff_ffff;
    let exponent = magnitude >> 23;
    let significand = magnitude << 8 | 0x8000_0000;
    // 158 is the biased exponent of 2^31, the weight of the top bit.
    let whole = significand >> (158u32.wrapping_sub(exponent) & 31);
    let r = if exponent < 127 { 0 } else { whole };
    let r = if exponent > 158 { u32::MAX } else { r };
    if magnitude > 0x7f80_0000 { 0 } else { r }
}

/// `v_cvt_u32_f32`.
#[inline(always)]
pub fn v_cvt_u32_f32(a: f32) -> u32 {
    if a.is_sign_negative() {
        0
    } else {
        truncated_magnitude(a)
    }
}

/// `v_cvt_i32_f32`.
#[inline(always)]
pub fn v_cvt_i32_f32(a: f32) -> u32 {
    let magnitude = truncated_magnitude(a);
    let negative = a.is_sign_negative();
    let limit = if negative { 0x8000_0000 } else { 0x7fff_ffff };
    let magnitude = magnitude.min(limit);
    if negative {
        magnitude.wrapping_neg()
    } else {
        magnitude
    }
}

/// `v_cvt_f16_f32`, to nearest even; a NaN is made quiet.
#[inline(always)]
pub fn v_cvt_f16_f32(a: f32) -> u16 {
    narrow_f16(nan1_f32(a, a))
}

/// `v_cvt_f16_f32` in any rounding mode.
#[inline(always)]
pub fn v_cvt_f16_f32_round(a: f32, round: Round) -> u16 {
    narrow_f16_round(nan1_f32(a, a), round)
}

/// `v_cvt_f32_f16`, exact; a NaN is made quiet.
#[inline(always)]
pub fn v_cvt_f32_f16(a: u16) -> f32 {
    let wide = widen_f16(a);
    nan1_f32(wide, wide)
}

/// `v_cvt_nearest_i32_f32` (`v_cvt_rpi_i32_f32`): `floor(a + 0.5)`, the sum
/// rounded to single precision as the manual's expression has it.
#[inline(always)]
pub fn v_cvt_nearest_i32_f32(a: f32) -> u32 {
    v_cvt_i32_f32((a + 0.5).floor())
}

/// `v_cvt_floor_i32_f32` (`v_cvt_flr_i32_f32`): `floor(a)`.
#[inline(always)]
pub fn v_cvt_floor_i32_f32(a: f32) -> u32 {
    v_cvt_i32_f32(a.floor())
}

/// `v_cvt_off_f32_i4`: the signed low four bits, in sixteenths.
#[inline(always)]
pub fn v_cvt_off_f32_i4(a: u32) -> f32 {
    ((a << 28) as i32 >> 28) as f32 * 0.0625
}

/// `v_cvt_f32_f64`, to nearest even; a NaN is made quiet and keeps the upper
/// bits of its payload.
#[inline(always)]
pub fn v_cvt_f32_f64(a: f64) -> f32 {
    let bits = a.to_bits();
    let nan = (bits >> 32) as u32 & 0x8000_0000 | 0x7fc0_0000 | (bits >> 29) as u32 & 0x003f_ffff;
    if a.is_nan() {
        f32::from_bits(nan)
    } else {
        a as f32
    }
}

/// `v_cvt_f32_f64` in any rounding mode.
#[inline(always)]
pub fn v_cvt_f32_f64_round(a: f64, round: Round) -> f32 {
    if a.is_nan() {
        v_cvt_f32_f64(a)
    } else {
        narrow_f32_round(a, round)
    }
}

/// `v_cvt_f64_f32`, exact; a NaN is made quiet and keeps its payload.
#[inline(always)]
pub fn v_cvt_f64_f32(a: f32) -> f64 {
    let bits = u64::from(quiet_f32(a).to_bits());
    let nan = bits >> 31 << 63 | 0x7ff0_0000_0000_0000 | (bits & 0x007f_ffff) << 29;
    if a.is_nan() {
        f64::from_bits(nan)
    } else {
        f64::from(a)
    }
}

/// `v_cvt_f32_ubyte0` to `v_cvt_f32_ubyte3`: byte `N` as a float.
#[inline(always)]
pub fn v_cvt_f32_ubyte<const N: u32>(a: u32) -> f32 {
    // Signed, because hosts convert that with one instruction.
    (a >> (8 * N) & 0xff) as i32 as f32
}

/// `v_cvt_u32_f64`.
#[inline(always)]
pub fn v_cvt_u32_f64(a: f64) -> u32 {
    let a = if a.is_nan() { 0.0 } else { a };
    let bounded = a.clamp(0.0, 4_294_967_295.0);
    // SAFETY: the number is in range.
    unsafe { bounded.to_int_unchecked::<u32>() }
}

/// `v_cvt_f64_u32`, exact.
#[inline(always)]
pub fn v_cvt_f64_u32(a: u32) -> f64 {
    f64::from(a)
}

/// `v_cvt_f16_u16`, to nearest even; 65520 and above give infinity.
#[inline(always)]
pub fn v_cvt_f16_u16(a: u16) -> u16 {
    narrow_f16(f32::from(a))
}

/// `v_cvt_f16_i16`, to nearest even.
#[inline(always)]
pub fn v_cvt_f16_i16(a: u16) -> u16 {
    narrow_f16(f32::from(a as i16))
}

/// `v_cvt_u16_f16`.
#[inline(always)]
pub fn v_cvt_u16_f16(a: u16) -> u16 {
    let x = widen_f16(a);
    let x = if x.is_nan() { 0.0 } else { x };
    // SAFETY: the number is in range.
    unsafe { x.clamp(0.0, 65535.0).to_int_unchecked::<i32>() as u16 }
}

/// `v_cvt_i16_f16`.
#[inline(always)]
pub fn v_cvt_i16_f16(a: u16) -> u16 {
    let x = widen_f16(a);
    let x = if x.is_nan() { 0.0 } else { x };
    // SAFETY: the number is in range.
    unsafe { x.clamp(-32768.0, 32767.0).to_int_unchecked::<i32>() as u16 }
}

/// The integer nearest to `a * scale`, ties to even, for `a` in [-1, 1]; zero for a NaN.
#[inline(always)]
fn normalised(a: f32, scale: f64) -> u16 {
    // In double precision the product is exact. Beside 1.5 * 2^52 it is rounded once and stands in the
    // lowest bits.
    let a = if a.is_nan() { 0.0 } else { a };
    (f64::from(a) * scale + 6_755_399_441_055_744.0).to_bits() as u16
}

/// A float in [-1, 1] as a signed normalised halfword: `a * 32767` to the
/// nearest integer, ties to even.
#[inline(always)]
fn snorm16(a: f32) -> u16 {
    normalised(a.clamp(-1.0, 1.0), 32767.0)
}

/// A float in [0, 1] as an unsigned normalised halfword.
#[inline(always)]
fn unorm16(a: f32) -> u16 {
    normalised(a.clamp(0.0, 1.0), 65535.0)
}

/// Two halves of a register.
#[inline(always)]
fn pack(low: u16, high: u16) -> u32 {
    u32::from(high) << 16 | u32::from(low)
}

/// [`v_cvt_pk_norm_i16_f32`] for hosts with a fused multiply-add.
#[inline(always)]
pub fn fused_pk_norm_i16_f32(a: f32, b: f32) -> u32 {
    let of = |x: f32| fused_normalised(x.clamp(-1.0, 1.0), 32767.0);
    of(b) << 16 | of(a) & 0xffff
}

/// [`v_cvt_pk_norm_u16_f32`] for hosts with a fused multiply-add.
#[inline(always)]
pub fn fused_pk_norm_u16_f32(a: f32, b: f32) -> u32 {
    let of = |x: f32| fused_normalised(x.clamp(0.0, 1.0), 65535.0);
    of(b) << 16 | of(a) & 0xffff
}

/// As [`normalised`], in the low half.
#[inline(always)]
fn fused_normalised(a: f32, scale: f32) -> u32 {
    let a = if a.is_nan() { 0.0 } else { a };
    // Beside 1.5 * 2^23 the exact product is rounded once and stands in the lowest bits.
    a.mul_add(scale, 12_582_912.0).to_bits()
}

/// `v_cvt_norm_i16_f16`.
#[inline(always)]
pub fn v_cvt_norm_i16_f16(a: u16) -> u16 {
    snorm16(widen_f16(a))
}

/// `v_cvt_norm_u16_f16`.
#[inline(always)]
pub fn v_cvt_norm_u16_f16(a: u16) -> u16 {
    unorm16(widen_f16(a))
}

/// `v_cvt_pk_norm_i16_f32` (`v_cvt_pknorm_i16_f32`).
#[inline(always)]
pub fn v_cvt_pk_norm_i16_f32(a: f32, b: f32) -> u32 {
    pack(snorm16(a), snorm16(b))
}

/// `v_cvt_pk_norm_u16_f32` (`v_cvt_pknorm_u16_f32`).
#[inline(always)]
pub fn v_cvt_pk_norm_u16_f32(a: f32, b: f32) -> u32 {
    pack(unorm16(a), unorm16(b))
}

/// `v_cvt_pk_norm_i16_f16` (`v_cvt_pknorm_i16_f16`).
#[inline(always)]
pub fn v_cvt_pk_norm_i16_f16(a: u16, b: u16) -> u32 {
    pack(v_cvt_norm_i16_f16(a), v_cvt_norm_i16_f16(b))
}

/// `v_cvt_pk_norm_u16_f16` (`v_cvt_pknorm_u16_f16`).
#[inline(always)]
pub fn v_cvt_pk_norm_u16_f16(a: u16, b: u16) -> u32 {
    pack(v_cvt_norm_u16_f16(a), v_cvt_norm_u16_f16(b))
}

/// `v_cvt_pk_rtz_f16_f32` (`v_cvt_pkrtz_f16_f32`): rounded toward zero whatever
/// MODE says.
#[inline(always)]
pub fn v_cvt_pk_rtz_f16_f32(a: f32, b: f32) -> u32 {
    let half = |x| v_cvt_f16_f32_round(x, Round::TowardZero);
    pack(half(a), half(b))
}

/// `v_cvt_pk_f16_f32`: to nearest even.
#[inline(always)]
pub fn v_cvt_pk_f16_f32(a: f32, b: f32) -> u32 {
    pack(v_cvt_f16_f32(a), v_cvt_f16_f32(b))
}

/// `v_cvt_pk_bf16_f32`: to nearest even.
#[inline(always)]
pub fn v_cvt_pk_bf16_f32(a: f32, b: f32) -> u32 {
    pack(narrow_bf16(nan1_f32(a, a)), narrow_bf16(nan1_f32(b, b)))
}

/// `v_cvt_f32_bf16`: exact; the bits pass unchanged.
#[inline(always)]
pub fn v_cvt_f32_bf16(a: u16) -> f32 {
    super::float::widen_bf16(a)
}

/// `v_cvt_sr_bf16_f32`: the discarded 16 bits plus the low 16 bits of `seed`
/// decide whether the result is the BF16 above; NaN and infinity are kept.
///
/// CDNA4's manual does not say which bits of the seed are used; CDNA5's packed
/// form adds 16 bits of it.
#[inline(always)]
pub fn v_cvt_sr_bf16_f32(a: f32, seed: u32) -> u16 {
    let bits = a.to_bits();
    let rounded = bits.wrapping_add(seed & 0xffff) >> 16;
    (if a.is_finite() {
        rounded
    } else {
        u32::from(narrow_bf16(nan1_f32(a, a)))
    }) as u16
}

/// `v_cvt_sr_pk_bf16_f32` (CDNA5): as [`v_cvt_sr_bf16_f32`], `a` with the low
/// and `b` with the high half of `seed`.
#[inline(always)]
pub fn v_cvt_sr_pk_bf16_f32(a: f32, b: f32, seed: u32) -> u32 {
    pack(v_cvt_sr_bf16_f32(a, seed), v_cvt_sr_bf16_f32(b, seed >> 16))
}

/// `v_cvt_sr_f16_f32`: the discarded bits plus the low 13 bits of `seed` decide
/// whether the result is the half above.
///
/// The manual does not say which bits of the seed are used. Values that are
/// denormal as halves are truncated after the addition at the same place.
#[inline(always)]
pub fn v_cvt_sr_f16_f32(a: f32, seed: u32) -> u16 {
    let moved = f32::from_bits(a.to_bits().wrapping_add(seed & 0x1fff));
    let value = if a.is_finite() { moved } else { a };
    v_cvt_f16_f32_round(value, Round::TowardZero)
}

/// `v_cvt_sr_pk_f16_f32` (CDNA5): the top 13 bits of each half of `seed` decide about the 13 bits
/// that are discarded, `a` with the low half and `b` with the high one.
///
/// The manual's listing adds all 16 bits of the half at the source's last place, three of them
/// above the last place of the result, and then converts; that would not be a rounding, so the
/// text of its section 7.6.1 is followed: the seed is added below the result and the sum truncated.
#[inline(always)]
pub fn v_cvt_sr_pk_f16_f32(a: f32, b: f32, seed: u32) -> u32 {
    pack(
        v_cvt_sr_f16_f32(a, seed >> 3),
        v_cvt_sr_f16_f32(b, seed >> 19),
    )
}

/// `v_cvt_pk_u16_f32`.
#[inline(always)]
pub fn v_cvt_pk_u16_f32(a: f32, b: f32) -> u32 {
    pack(a as u16, b as u16)
}

/// `v_cvt_pk_i16_f32`.
#[inline(always)]
pub fn v_cvt_pk_i16_f32(a: f32, b: f32) -> u32 {
    pack(a as i16 as u16, b as i16 as u16)
}

/// `v_cvt_pk_u8_f32`: `a` as a byte put into byte `b[1:0]` of `c`.
///
/// `v_cvt_pkaccum_u8_f32` is the same with the destination as `c`.
#[inline(always)]
pub fn v_cvt_pk_u8_f32(a: f32, b: u32, c: u32) -> u32 {
    let shift = (b & 3) * 8;
    c & !(0xff << shift) | u32::from(a as u8) << shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float_to_integer_truncates_saturates_and_zeroes_nan() {
        assert_eq!(v_cvt_i32_f32(-1.9), -1i32 as u32);
        assert_eq!(v_cvt_i32_f32(3e9), 0x7fff_ffff);
        assert_eq!(v_cvt_i32_f32(f32::NEG_INFINITY), 0x8000_0000);
        assert_eq!(v_cvt_i32_f32(f32::NAN), 0);
        assert_eq!(v_cvt_u32_f32(-1.0), 0);
        assert_eq!(v_cvt_u32_f32(1e20), u32::MAX);
        assert_eq!(v_cvt_u32_f64(4_294_967_295.5), u32::MAX);
        assert_eq!(v_cvt_i32_f64(-2_147_483_649.0), 0x8000_0000);
        assert_eq!(v_cvt_u16_f16(0xbc00), 0);
        assert_eq!(v_cvt_i16_f16(0xfbff), 0x8000);
        assert_eq!(v_cvt_u16_f16(0x7c00), 0xffff);
        assert_eq!(v_cvt_i16_f16(0x7e00), 0);
        assert_eq!(v_cvt_pk_i16_f32(40000.0, -40000.0), 0x8000_7fff);
        assert_eq!(v_cvt_pk_u16_f32(-1.0, 70000.0), 0xffff_0000);
    }

    #[test]
    fn conversion_by_shifts_equals_the_saturating_cast() {
        for exponent in 0..256u32 {
            for fraction in [0, 1, 0x2a_aaaa, 0x40_0000, 0x7f_ffff] {
                for sign in [0, 1u32] {
                    let x = f32::from_bits(sign << 31 | exponent << 23 | fraction);
                    assert_eq!(v_cvt_u32_f32(x), x as u32, "{x:e}");
                    assert_eq!(v_cvt_i32_f32(x), x as i32 as u32, "{x:e}");
                }
            }
        }
    }

    #[test]
    fn integer_to_float_rounds_to_even() {
        assert_eq!(v_cvt_f32_u32(0x0100_0001), 16_777_216.0);
        assert_eq!(v_cvt_f32_u32(0x0100_0003), 16_777_220.0);
        assert_eq!(v_cvt_f32_i32(u32::MAX), -1.0);
        assert_eq!(
            v_cvt_f32_u32_round(u32::MAX, Round::TowardZero),
            4_294_967_040.0
        );
        assert_eq!(
            v_cvt_f32_i32_round(0x7fff_ffff, Round::PlusInfinity),
            2_147_483_648.0
        );
        assert_eq!(v_cvt_f64_i32(0x8000_0000), -2_147_483_648.0);
        assert_eq!(v_cvt_f16_u16(65519), 0x7bff);
        assert_eq!(v_cvt_f16_u16(65520), 0x7c00);
        assert_eq!(v_cvt_f16_i16(0x8000), 0xf800);
        assert_eq!(v_cvt_f32_ubyte::<3>(0xff00_0000), 255.0);
        assert_eq!(v_cvt_f32_ubyte::<0>(0xffff_ff07), 7.0);
    }

    #[test]
    fn the_offset_table_of_the_manual() {
        let table = [
            0.0, 0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375, -0.5, -0.4375, -0.375,
            -0.3125, -0.25, -0.1875, -0.125, -0.0625,
        ];
        for (i, value) in table.into_iter().enumerate() {
            assert_eq!(v_cvt_off_f32_i4(i as u32 | 0xffff_fff0), value);
        }
    }

    #[test]
    fn floors_and_nearest() {
        assert_eq!(v_cvt_floor_i32_f32(-0.5), u32::MAX);
        assert_eq!(v_cvt_nearest_i32_f32(2.5), 3);
        assert_eq!(v_cvt_nearest_i32_f32(-2.5), -2i32 as u32);
        assert_eq!(v_cvt_nearest_i32_f32(f32::NAN), 0);
    }

    #[test]
    fn nan_payloads_survive_conversion_and_become_quiet() {
        assert_eq!(v_cvt_f16_f32(f32::from_bits(0x7f80_2000)), 0x7e01);
        assert_eq!(v_cvt_f32_f16(0xfc01).to_bits(), 0xffc0_2000);
        assert_eq!(
            v_cvt_f64_f32(f32::from_bits(0xff80_0001)).to_bits(),
            0xfff8_0000_2000_0000
        );
        assert_eq!(
            v_cvt_f32_f64(f64::from_bits(0x7ff0_0000_2000_0000)).to_bits(),
            0x7fc0_0001
        );
        assert_eq!(
            v_cvt_pk_bf16_f32(f32::from_bits(0x7f80_0001), 1.0),
            0x3f80_7fc0
        );
    }

    #[test]
    fn single_to_half_rounding_toward_zero() {
        assert_eq!(v_cvt_pk_rtz_f16_f32(1.0 / 3.0, -65535.0), 0xfbff_3555);
        assert_eq!(v_cvt_pk_rtz_f16_f32(1e30, f32::INFINITY), 0x7c00_7bff);
        assert_eq!(v_cvt_pk_f16_f32(65520.0, 1e-8), 0x0000_7c00);
        assert_eq!(v_cvt_f32_f64_round(1e-60, Round::PlusInfinity).to_bits(), 1);
    }

    #[test]
    fn normalised_integers_clamp_and_round() {
        assert_eq!(v_cvt_pk_norm_i16_f32(1.0, -1.0), 0x8001_7fff);
        assert_eq!(v_cvt_pk_norm_i16_f32(5.0, f32::NAN), 0x0000_7fff);
        assert_eq!(v_cvt_pk_norm_u16_f32(0.5, -1.0), 0x0000_8000);
        assert_eq!(v_cvt_pk_norm_i16_f16(0x3800, 0xb800), 0xc000_4000);
        assert_eq!(v_cvt_norm_u16_f16(0x3c00), 0xffff);
    }

    #[test]
    fn bytes_are_placed_by_the_selector() {
        assert_eq!(v_cvt_pk_u8_f32(300.0, 1, 0x1122_3344), 0x1122_ff44);
        assert_eq!(v_cvt_pk_u8_f32(-3.0, 7, 0x1122_3344), 0x0022_3344);
    }

    #[test]
    fn stochastic_rounding_goes_up_as_often_as_the_fraction() {
        // 1 + 0x4000/0x10000 of a BF16 step: a quarter of all seeds go up.
        let x = f32::from_bits(0x3f80_4000);
        let ups = (0..0x10000)
            .filter(|&s| v_cvt_sr_bf16_f32(x, s) == 0x3f81)
            .count();
        assert_eq!(ups, 0x4000);
        let x = f32::from_bits(0x3f80_0800);
        let ups = (0..0x2000)
            .filter(|&s| v_cvt_sr_f16_f32(x, s) == 0x3c01)
            .count();
        assert_eq!(ups, 0x800);
        assert_eq!(v_cvt_sr_bf16_f32(f32::INFINITY, u32::MAX), 0x7f80);
        let third = f32::from_bits(0x3f80_8000);
        assert_eq!(v_cvt_sr_pk_bf16_f32(third, third, 0x8000_7fff), 0x3f81_3f80);
    }
}
