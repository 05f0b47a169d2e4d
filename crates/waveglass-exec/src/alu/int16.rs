//! 16-bit integer instructions.
//!
//! Values are the 16 bits that operand selection picked; how the result lands
//! in the 32-bit destination (upper half kept or zeroed) differs between
//! generations and is the caller's part.

/// `v_add_u16` (`v_add_nc_u16`, `v_add_i16`, `v_add_nc_i16`): the low 16 bits of the sum.
#[inline(always)]
pub fn v_add_u16(a: u16, b: u16) -> u16 {
    a.wrapping_add(b)
}

/// `v_add_u16` with the clamp bit.
#[inline(always)]
pub fn v_add_u16_clamp(a: u16, b: u16) -> u16 {
    a.saturating_add(b)
}

/// `v_add_i16` with the clamp bit.
#[inline(always)]
pub fn v_add_i16_clamp(a: u16, b: u16) -> u16 {
    (a as i16).saturating_add(b as i16) as u16
}

/// `v_sub_u16` (`v_sub_nc_u16`, `v_sub_i16`, `v_sub_nc_i16`): `a - b`.
#[inline(always)]
pub fn v_sub_u16(a: u16, b: u16) -> u16 {
    a.wrapping_sub(b)
}

/// `v_sub_u16` with the clamp bit.
#[inline(always)]
pub fn v_sub_u16_clamp(a: u16, b: u16) -> u16 {
    a.saturating_sub(b)
}

/// `v_sub_i16` with the clamp bit.
#[inline(always)]
pub fn v_sub_i16_clamp(a: u16, b: u16) -> u16 {
    (a as i16).saturating_sub(b as i16) as u16
}

/// `v_subrev_u16`: `b - a`.
#[inline(always)]
pub fn v_subrev_u16(a: u16, b: u16) -> u16 {
    b.wrapping_sub(a)
}

/// `v_mul_lo_u16`: low 16 bits of the product.
#[inline(always)]
pub fn v_mul_lo_u16(a: u16, b: u16) -> u16 {
    a.wrapping_mul(b)
}

/// `v_lshlrev_b16`: `b` shifted left by `a[3:0]`.
#[inline(always)]
pub fn v_lshlrev_b16(a: u16, b: u16) -> u16 {
    b << (a & 15)
}

/// `v_lshrrev_b16`: `b` shifted right by `a[3:0]`.
#[inline(always)]
pub fn v_lshrrev_b16(a: u16, b: u16) -> u16 {
    b >> (a & 15)
}

/// `v_ashrrev_i16`: `b` shifted right arithmetically by `a[3:0]`.
#[inline(always)]
pub fn v_ashrrev_i16(a: u16, b: u16) -> u16 {
    ((b as i16) >> (a & 15)) as u16
}

/// `v_max_u16`.
#[inline(always)]
pub fn v_max_u16(a: u16, b: u16) -> u16 {
    a.max(b)
}

/// `v_max_i16`.
#[inline(always)]
pub fn v_max_i16(a: u16, b: u16) -> u16 {
    (a as i16).max(b as i16) as u16
}

/// `v_min_u16`.
#[inline(always)]
pub fn v_min_u16(a: u16, b: u16) -> u16 {
    a.min(b)
}

/// `v_min_i16`.
#[inline(always)]
pub fn v_min_i16(a: u16, b: u16) -> u16 {
    (a as i16).min(b as i16) as u16
}

/// `v_and_b16`.
#[inline(always)]
pub fn v_and_b16(a: u16, b: u16) -> u16 {
    a & b
}

/// `v_or_b16`.
#[inline(always)]
pub fn v_or_b16(a: u16, b: u16) -> u16 {
    a | b
}

/// `v_xor_b16`.
#[inline(always)]
pub fn v_xor_b16(a: u16, b: u16) -> u16 {
    a ^ b
}

/// `v_not_b16`.
#[inline(always)]
pub fn v_not_b16(a: u16) -> u16 {
    !a
}

/// `v_mov_b16`.
#[inline(always)]
pub fn v_mov_b16(a: u16) -> u16 {
    a
}

/// `v_cndmask_b16`: `b` where the lane's mask bit is set, else `a`.
#[inline(always)]
pub fn v_cndmask_b16(a: u16, b: u16, mask: bool) -> u16 {
    if mask { b } else { a }
}

/// `v_mad_u16` (`v_mad_i16`, `v_mad_legacy_u16`, `v_mad_legacy_i16`): low 16
/// bits of `a * b + c`.
#[inline(always)]
pub fn v_mad_u16(a: u16, b: u16, c: u16) -> u16 {
    u32::from(a).wrapping_mul(b.into()).wrapping_add(c.into()) as u16
}

/// `v_mad_u16` with the clamp bit: the exact result saturated.
#[inline(always)]
pub fn v_mad_u16_clamp(a: u16, b: u16, c: u16) -> u16 {
    // 65535 * 65535 + 65535 still fits 32 bits.
    (u32::from(a) * u32::from(b) + u32::from(c)).min(0xffff) as u16
}

/// `v_mad_i16` with the clamp bit: the exact result saturated.
#[inline(always)]
pub fn v_mad_i16_clamp(a: u16, b: u16, c: u16) -> u16 {
    let exact = i32::from(a as i16) * i32::from(b as i16) + i32::from(c as i16);
    exact.clamp(-0x8000, 0x7fff) as u16
}

/// `v_mad_u32_u16`: 16-bit factors, 32-bit addend and result.
#[inline(always)]
pub fn v_mad_u32_u16(a: u16, b: u16, c: u32) -> u32 {
    (u32::from(a) * u32::from(b)).wrapping_add(c)
}

/// `v_mad_u32_u16` with the clamp bit.
#[inline(always)]
pub fn v_mad_u32_u16_clamp(a: u16, b: u16, c: u32) -> u32 {
    (u32::from(a) * u32::from(b)).saturating_add(c)
}

/// `v_mad_i32_i16`: 16-bit signed factors, 32-bit addend and result.
#[inline(always)]
pub fn v_mad_i32_i16(a: u16, b: u16, c: u32) -> u32 {
    ((i32::from(a as i16) * i32::from(b as i16)) as u32).wrapping_add(c)
}

/// `v_mad_i32_i16` with the clamp bit.
#[inline(always)]
pub fn v_mad_i32_i16_clamp(a: u16, b: u16, c: u32) -> u32 {
    (i32::from(a as i16) * i32::from(b as i16)).saturating_add(c as i32) as u32
}

/// `v_min3_i16`.
#[inline(always)]
pub fn v_min3_i16(a: u16, b: u16, c: u16) -> u16 {
    v_min_i16(v_min_i16(a, b), c)
}

/// `v_min3_u16`.
#[inline(always)]
pub fn v_min3_u16(a: u16, b: u16, c: u16) -> u16 {
    a.min(b).min(c)
}

/// `v_max3_i16`.
#[inline(always)]
pub fn v_max3_i16(a: u16, b: u16, c: u16) -> u16 {
    v_max_i16(v_max_i16(a, b), c)
}

/// `v_max3_u16`.
#[inline(always)]
pub fn v_max3_u16(a: u16, b: u16, c: u16) -> u16 {
    a.max(b).max(c)
}

/// `v_med3_i16`: signed median.
#[inline(always)]
pub fn v_med3_i16(a: u16, b: u16, c: u16) -> u16 {
    v_max_i16(v_min_i16(a, b), v_min_i16(v_max_i16(a, b), c))
}

/// `v_med3_u16`: unsigned median.
#[inline(always)]
pub fn v_med3_u16(a: u16, b: u16, c: u16) -> u16 {
    a.min(b).max(a.max(b).min(c))
}

/// `v_bitop3_b16`: as [`v_bitop3_b32`](super::int32::v_bitop3_b32), 16 bits wide.
#[inline(always)]
pub fn v_bitop3_b16(a: u16, b: u16, c: u16, table: u8) -> u16 {
    super::int32::v_bitop3_b32(a.into(), b.into(), c.into(), table) as u16
}

/// `v_cvt_i32_i16`: sign extension.
#[inline(always)]
pub fn v_cvt_i32_i16(a: u16) -> u32 {
    i32::from(a as i16) as u32
}

/// `v_cvt_u32_u16`: zero extension.
#[inline(always)]
pub fn v_cvt_u32_u16(a: u16) -> u32 {
    a.into()
}

/// `v_pack_b32_f16`: `a` in the low half, `b` in the high half.
///
/// The bits pass unchanged; flushing and NaN quieting belong to the operand
/// modifiers.
#[inline(always)]
pub fn v_pack_b32_f16(a: u16, b: u16) -> u32 {
    u32::from(b) << 16 | u32::from(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_bit_shift_counts_use_four_bits() {
        assert_eq!(v_lshlrev_b16(17, 1), 2);
        assert_eq!(v_lshrrev_b16(15, 0x8000), 1);
        assert_eq!(v_ashrrev_i16(31, 0x8000), 0xffff);
    }

    #[test]
    fn clamps_saturate_at_sixteen_bits() {
        assert_eq!(v_add_u16_clamp(0xffff, 1), 0xffff);
        assert_eq!(v_add_i16_clamp(0x7fff, 1), 0x7fff);
        assert_eq!(v_sub_i16_clamp(0x8000, 1), 0x8000);
        assert_eq!(v_sub_u16_clamp(0, 1), 0);
        assert_eq!(v_mad_u16_clamp(0xffff, 0xffff, 0xffff), 0xffff);
        assert_eq!(v_mad_i16_clamp(0x8000, 0x7fff, 0), 0x8000);
        assert_eq!(v_mad_i16_clamp(0x8000, 0x8000, 0x7fff), 0x7fff);
        assert_eq!(
            v_mad_i32_i16_clamp(0x7fff, 0x7fff, 0x7fff_ffff),
            0x7fff_ffff
        );
        assert_eq!(v_mad_u32_u16_clamp(2, 1, u32::MAX), u32::MAX);
    }

    #[test]
    fn wrapping_results_drop_the_carry() {
        assert_eq!(v_mad_u16(0xffff, 0xffff, 0xffff), 0);
        assert_eq!(v_mul_lo_u16(0x100, 0x100), 0);
        assert_eq!(v_mad_i32_i16(0xffff, 2, 0), 0xffff_fffe);
        assert_eq!(v_mad_u32_u16(0xffff, 2, 0), 0x1_fffe);
        assert_eq!(v_subrev_u16(1, 0), 0xffff);
    }

    #[test]
    fn signed_and_unsigned_orders_differ() {
        assert_eq!(v_max_i16(0x8000, 1), 1);
        assert_eq!(v_max_u16(0x8000, 1), 0x8000);
        assert_eq!(v_med3_i16(0x8000, 0, 1), 0);
        assert_eq!(v_med3_u16(0x8000, 0, 1), 1);
        assert_eq!(v_bitop3_b16(0xf0f0, 0xcccc, 0xaaaa, 0x96), 0x9696);
        assert_eq!(v_cvt_i32_i16(0x8001), 0xffff_8001);
    }
}
