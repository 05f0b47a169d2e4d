//! Instructions on packed bytes and nibbles: `v_perm`, sums of absolute
//! differences, `v_lerp`, saturating packs.

/// `v_lerp_u8`: per byte `(a + b + round) >> 1`, the rounding bit being bit 0
/// of the same byte of `c`.
#[inline(always)]
pub fn v_lerp_u8(a: u32, b: u32, c: u32) -> u32 {
    // A sum is twice the bits that both have and the ones that differ; no byte carries.
    let differ = a ^ b;
    (a & b) + (differ >> 1 & 0x7f7f_7f7f) + (differ & c & 0x0101_0101)
}

/// `v_sad_u8`: `c` plus the sum of the four absolute byte differences.
#[inline(always)]
pub fn v_sad_u8(a: u32, b: u32, c: u32) -> u32 {
    let mut sum = c;
    for shift in [0, 8, 16, 24] {
        sum = sum.wrapping_add((a >> shift & 0xff).abs_diff(b >> shift & 0xff));
    }
    sum
}

/// `v_sad_hi_u8`: the byte differences summed into the upper half, plus `c`.
#[inline(always)]
pub fn v_sad_hi_u8(a: u32, b: u32, c: u32) -> u32 {
    (v_sad_u8(a, b, 0) << 16).wrapping_add(c)
}

/// `v_sad_u16`: `c` plus the sum of the two absolute halfword differences.
#[inline(always)]
pub fn v_sad_u16(a: u32, b: u32, c: u32) -> u32 {
    c.wrapping_add((a & 0xffff).abs_diff(b & 0xffff))
        .wrapping_add((a >> 16).abs_diff(b >> 16))
}

/// `v_sad_u32`: `c` plus the absolute difference.
#[inline(always)]
pub fn v_sad_u32(a: u32, b: u32, c: u32) -> u32 {
    a.abs_diff(b).wrapping_add(c)
}

/// `v_msad_u8`: [`v_sad_u8`] that skips bytes whose reference (`b`) is zero.
#[inline(always)]
pub fn v_msad_u8(a: u32, b: u32, c: u32) -> u32 {
    let mut sum = c;
    for shift in [0, 8, 16, 24] {
        let reference = b >> shift & 0xff;
        let difference = (a >> shift & 0xff).abs_diff(reference);
        sum = sum.wrapping_add(if reference == 0 { 0 } else { difference });
    }
    sum
}

/// `v_qsad_pk_u16_u8`: four sums over `a` at byte offsets 0 to 3, each added to
/// a 16-bit field of `c` and kept to 16 bits.
#[inline(always)]
pub fn v_qsad_pk_u16_u8(a: u64, b: u32, c: u64) -> u64 {
    quad(a, c, |word, field| v_sad_u8(word, b, field))
}

/// `v_mqsad_pk_u16_u8`: [`v_qsad_pk_u16_u8`] with the masked sum.
#[inline(always)]
pub fn v_mqsad_pk_u16_u8(a: u64, b: u32, c: u64) -> u64 {
    quad(a, c, |word, field| v_msad_u8(word, b, field))
}

/// `v_mqsad_u32_u8`: four masked sums with 32-bit addends and results.
#[inline(always)]
pub fn v_mqsad_u32_u8(a: u64, b: u32, c: [u32; 4]) -> [u32; 4] {
    [
        v_msad_u8(a as u32, b, c[0]),
        v_msad_u8((a >> 8) as u32, b, c[1]),
        v_msad_u8((a >> 16) as u32, b, c[2]),
        v_msad_u8((a >> 24) as u32, b, c[3]),
    ]
}

#[inline(always)]
fn quad(a: u64, c: u64, sum: impl Fn(u32, u32) -> u32) -> u64 {
    let mut result = 0;
    for slice in 0..4 {
        let field = (c >> (16 * slice)) as u32 & 0xffff;
        let value = sum((a >> (8 * slice)) as u32, field) & 0xffff;
        result |= u64::from(value) << (16 * slice);
    }
    result
}

/// `v_perm_b32`: each selector byte of `c` picks a byte of `{a, b}` (0 to 7), a
/// replicated sign (8 to 11), 0x00 (12) or 0xff (13 and above).
#[inline(always)]
pub fn v_perm_b32(a: u32, b: u32, c: u32) -> u32 {
    let byte = |selector: u32| {
        let word = if selector & 4 != 0 { a } else { b };
        let picked = word >> ((selector & 3) * 8) & 0xff;
        // Selectors 8 to 11 replicate the sign of bytes 1, 3, 5 and 7.
        let word = if selector & 2 != 0 { a } else { b };
        let sign = (word >> ((selector & 1) * 16 + 15) & 1) * 0xff;
        let constant = if selector == 12 { 0 } else { 0xff };
        let r = if selector < 12 { sign } else { constant };
        if selector < 8 { picked } else { r }
    };
    let [s0, s1, s2, s3] = [c & 0xff, c >> 8 & 0xff, c >> 16 & 0xff, c >> 24];
    byte(s0) | byte(s1) << 8 | byte(s2) << 16 | byte(s3) << 24
}

/// `v_perm_pk16_b4_u4`: sixteen 4-bit look-ups in the 64-bit table `{a, b}`.
#[inline(always)]
pub fn v_perm_pk16_b4_u4(a: u32, b: u32, c: u64) -> u64 {
    let table = u64::from(a) << 32 | u64::from(b);
    let mut result = 0;
    for i in 0..16 {
        let index = c >> (4 * i) & 15;
        result |= (table >> (4 * index) & 15) << (4 * i);
    }
    result
}

/// `v_perm_pk16_b6_u4`: sixteen 6-bit look-ups in the 96-bit table `{a, b}`;
/// the result fills three registers.
#[inline(always)]
pub fn v_perm_pk16_b6_u4(a: u32, b: u64, c: u64) -> u128 {
    let table = u128::from(a) << 64 | u128::from(b);
    let mut result = 0;
    for i in 0..16 {
        let index = c >> (4 * i) & 15;
        result |= (table >> (6 * index) & 63) << (6 * i);
    }
    result
}

/// `v_perm_pk16_b8_u4`: sixteen byte look-ups in the 128-bit table `{a, b}`.
#[inline(always)]
pub fn v_perm_pk16_b8_u4(a: u64, b: u64, c: u64) -> u128 {
    let table = u128::from(a) << 64 | u128::from(b);
    let mut result = 0;
    for i in 0..16 {
        let index = c >> (4 * i) & 15;
        result |= (table >> (8 * index) & 255) << (8 * i);
    }
    result
}

/// `v_sat_pk_u8_i16`: two signed halfwords saturated to unsigned bytes.
#[inline(always)]
pub fn v_sat_pk_u8_i16(a: u32) -> u16 {
    let low = (a as u16 as i16).clamp(0, 255) as u16;
    let high = ((a >> 16) as u16 as i16).clamp(0, 255) as u16;
    high << 8 | low
}

/// `v_sat_pk4_i4_i8`: four signed bytes saturated to signed nibbles.
#[inline(always)]
pub fn v_sat_pk4_i4_i8(a: u32) -> u16 {
    let mut result = 0;
    for i in 0..4 {
        let byte = (a >> (8 * i)) as u8 as i8;
        result |= (byte.clamp(-8, 7) as u16 & 15) << (4 * i);
    }
    result
}

/// `v_sat_pk4_u4_u8`: four unsigned bytes saturated to unsigned nibbles.
#[inline(always)]
pub fn v_sat_pk4_u4_u8(a: u32) -> u16 {
    let mut result = 0;
    for i in 0..4 {
        let byte = (a >> (8 * i)) as u8;
        result |= u16::from(byte.min(15)) << (4 * i);
    }
    result
}

/// `v_ashr_pk_i8_i32`: both words shifted right by `c[4:0]`, saturated to
/// signed bytes and packed.
#[inline(always)]
pub fn v_ashr_pk_i8_i32(a: u32, b: u32, c: u32) -> u16 {
    let byte = |x: u32| ((x as i32) >> (c & 31)).clamp(-128, 127) as u16 & 0xff;
    byte(b) << 8 | byte(a)
}

/// `v_ashr_pk_u8_i32`: both words shifted right by `c[4:0]`, saturated to
/// unsigned bytes and packed.
#[inline(always)]
pub fn v_ashr_pk_u8_i32(a: u32, b: u32, c: u32) -> u16 {
    let byte = |x: u32| ((x as i32) >> (c & 31)).clamp(0, 255) as u16;
    byte(b) << 8 | byte(a)
}

/// `v_cvt_pk_u16_u32`: both words saturated to unsigned halfwords.
#[inline(always)]
pub fn v_cvt_pk_u16_u32(a: u32, b: u32) -> u32 {
    b.min(0xffff) << 16 | a.min(0xffff)
}

/// `v_cvt_pk_i16_i32`: both words saturated to signed halfwords.
#[inline(always)]
pub fn v_cvt_pk_i16_i32(a: u32, b: u32) -> u32 {
    let half = |x: u32| (x as i32).clamp(-0x8000, 0x7fff) as u32 & 0xffff;
    half(b) << 16 | half(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perm_selects_bytes_signs_and_constants() {
        let (a, b) = (0x8877_6655, 0x4433_2211);
        assert_eq!(v_perm_b32(a, b, 0x0706_0100), 0x8877_2211);
        assert_eq!(v_perm_b32(a, b, 0x0b0a_0908), 0xff00_0000);
        assert_eq!(
            v_perm_b32(0x0000_8000, 0x8000_8000, 0x0b0a_0908),
            0x00ff_ffff
        );
        assert_eq!(v_perm_b32(a, b, 0xff0d_0c04), 0xffff_0055);
    }

    #[test]
    fn sums_of_absolute_differences() {
        assert_eq!(v_sad_u8(0x00ff_0010, 0xff00_0020, 1), 255 + 255 + 16 + 1);
        assert_eq!(v_msad_u8(0x05ff_0010, 0xff00_0020, 1), 250 + 16 + 1);
        assert_eq!(v_sad_hi_u8(3, 1, 7), 2 << 16 | 7);
        assert_eq!(v_sad_u16(0x0001_ffff, 0x0003_0000, 0), 2 + 0xffff);
        assert_eq!(v_sad_u32(0, u32::MAX, 1), 0);
    }

    #[test]
    fn quad_sums_slide_by_one_byte() {
        // Slices of 0x07060504_03020100 from byte 0, 1, 2, 3 against zeros.
        let sums = v_qsad_pk_u16_u8(0x0706_0504_0302_0100, 0, 0x0001_0000_ffff_0000);
        assert_eq!(sums, 0x0013_000e_0009_0006);
        let masked = v_mqsad_u32_u8(0x0706_0504_0302_0100, 0xff, [1, 2, 3, 4]);
        assert_eq!(masked, [256, 256, 256, 256]);
        assert_eq!(v_mqsad_pk_u16_u8(0x0706_0504_0302_0100, 0, 5), 5);
    }

    #[test]
    fn lerp_is_half_the_rounded_sum_of_each_byte() {
        for a in 0..256u32 {
            for b in 0..256 {
                for c in 0..2 {
                    let half = (a + b + c) >> 1;
                    // Beside bytes whose sums are largest and smallest.
                    let [x, y, z] = [a, b, c].map(|byte| byte << 16 | byte);
                    let got = v_lerp_u8(x | 0xff00_ff00, y | 0xff00_ff00, z | 0x0100_0100);
                    assert_eq!(got, half << 16 | half | 0xff00_ff00);
                    assert_eq!(v_lerp_u8(x, y, z), half << 16 | half);
                }
            }
        }
    }

    #[test]
    fn lerp_rounds_by_the_third_source() {
        assert_eq!(
            v_lerp_u8(0xff01_0001, 0xff02_0000, 0x0101_0001),
            0xff02_0001
        );
        assert_eq!(v_lerp_u8(0x0000_0001, 0, 0), 0);
    }

    #[test]
    fn packs_saturate() {
        assert_eq!(v_sat_pk_u8_i16(0x0100_ffff), 0xff00);
        assert_eq!(v_sat_pk4_i4_i8(0x7f80_07f8), 0x7878);
        assert_eq!(v_sat_pk4_u4_u8(0xff10_0f01), 0xfff1);
        assert_eq!(v_ashr_pk_i8_i32(0x7fff_0000, 0xffff_0000, 16), 0xff7f);
        assert_eq!(v_ashr_pk_u8_i32(0x7fff_0000, 0xffff_0000, 48), 0x00ff);
        assert_eq!(v_cvt_pk_u16_u32(0x1_0000, 5), 0x0005_ffff);
        assert_eq!(v_cvt_pk_i16_i32(0x8000, 0x8000_0000), 0x8000_7fff);
    }

    #[test]
    fn wide_permutes_look_up_each_index() {
        assert_eq!(
            v_perm_pk16_b4_u4(0xfedc_ba98, 0x7654_3210, 0x0123_4567_89ab_cdef),
            0x0123_4567_89ab_cdef
        );
        let bytes = v_perm_pk16_b8_u4(0x0f0e_0d0c_0b0a_0908, 0x0706_0504_0302_0100, 0xf0);
        assert_eq!(bytes, 0x0f00);
        assert_eq!(v_perm_pk16_b6_u4(0x8000_0000, 1, 0xf0) >> 6 & 63, 0x20);
    }
}
