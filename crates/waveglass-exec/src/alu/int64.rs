//! 64-bit integer instructions; register pairs arrive as one raw `u64`.

/// `v_lshlrev_b64`: `b` shifted left by `a[5:0]`.
#[inline(always)]
pub fn v_lshlrev_b64(a: u32, b: u64) -> u64 {
    b << (a & 63)
}

/// `v_lshrrev_b64`: `b` shifted right by `a[5:0]`.
#[inline(always)]
pub fn v_lshrrev_b64(a: u32, b: u64) -> u64 {
    b >> (a & 63)
}

/// `v_ashrrev_i64`: `b` shifted right arithmetically by `a[5:0]`.
#[inline(always)]
pub fn v_ashrrev_i64(a: u32, b: u64) -> u64 {
    ((b as i64) >> (a & 63)) as u64
}

/// `v_mov_b64`.
#[inline(always)]
pub fn v_mov_b64(a: u64) -> u64 {
    a
}

/// `v_lshl_add_u64`: `(a << b[2:0]) + c`; a count above 4 is none (CDNA5 ISA, V_LSHL_ADD_U64; CDNA3
/// ISA, the same, Notes).
#[inline(always)]
pub fn v_lshl_add_u64(a: u64, b: u32, c: u64) -> u64 {
    let count = if b & 7 > 4 { 0 } else { b & 7 };
    (a << count).wrapping_add(c)
}

/// `v_add_nc_u64`.
#[inline(always)]
pub fn v_add_nc_u64(a: u64, b: u64) -> u64 {
    a.wrapping_add(b)
}

/// `v_sub_nc_u64`.
#[inline(always)]
pub fn v_sub_nc_u64(a: u64, b: u64) -> u64 {
    a.wrapping_sub(b)
}

/// `v_add_nc_u64` with the clamp bit.
#[inline(always)]
pub fn v_add_nc_u64_clamp(a: u64, b: u64) -> u64 {
    a.saturating_add(b)
}

/// `v_sub_nc_u64` with the clamp bit.
#[inline(always)]
pub fn v_sub_nc_u64_clamp(a: u64, b: u64) -> u64 {
    a.saturating_sub(b)
}

/// `v_mul_u64`: low 64 bits of the product.
#[inline(always)]
pub fn v_mul_u64(a: u64, b: u64) -> u64 {
    a.wrapping_mul(b)
}

/// `v_min_i64`.
#[inline(always)]
pub fn v_min_i64(a: u64, b: u64) -> u64 {
    (a as i64).min(b as i64) as u64
}

/// `v_max_i64`.
#[inline(always)]
pub fn v_max_i64(a: u64, b: u64) -> u64 {
    (a as i64).max(b as i64) as u64
}

/// `v_min_u64`.
#[inline(always)]
pub fn v_min_u64(a: u64, b: u64) -> u64 {
    a.min(b)
}

/// `v_max_u64`.
#[inline(always)]
pub fn v_max_u64(a: u64, b: u64) -> u64 {
    a.max(b)
}

/// `v_mad_u64_u32` (`v_mad_co_u64_u32`): full product plus a 64-bit addend, and
/// the carry out of bit 63.
#[inline(always)]
pub fn v_mad_u64_u32(a: u32, b: u32, c: u64) -> (u64, bool) {
    (u64::from(a) * u64::from(b)).overflowing_add(c)
}

/// `v_mad_i64_i32` (`v_mad_co_i64_i32`): signed full product plus a 64-bit
/// addend, and whether the sum overflowed the signed range.
#[inline(always)]
pub fn v_mad_i64_i32(a: u32, b: u32, c: u64) -> (u64, bool) {
    let (sum, overflow) = (i64::from(a as i32) * i64::from(b as i32)).overflowing_add(c as i64);
    (sum as u64, overflow)
}

/// `v_mad_nc_u64_u32`: [`v_mad_u64_u32`] without carry out.
#[inline(always)]
pub fn v_mad_nc_u64_u32(a: u32, b: u32, c: u64) -> u64 {
    (u64::from(a) * u64::from(b)).wrapping_add(c)
}

/// `v_mad_nc_i64_i32`: [`v_mad_i64_i32`] without carry out.
#[inline(always)]
pub fn v_mad_nc_i64_i32(a: u32, b: u32, c: u64) -> u64 {
    ((i64::from(a as i32) * i64::from(b as i32)) as u64).wrapping_add(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shift_counts_use_six_bits() {
        assert_eq!(v_lshlrev_b64(64, 3), 3);
        assert_eq!(v_lshlrev_b64(63, 3), 1 << 63);
        assert_eq!(v_lshrrev_b64(65, 4), 2);
        assert_eq!(v_ashrrev_i64(127, 1 << 63), u64::MAX);
        assert_eq!(v_lshl_add_u64(1, 4, u64::MAX), 15);
        assert_eq!(v_lshl_add_u64(1, 5, 2), 3);
        assert_eq!(v_lshl_add_u64(1, 8 + 3, 2), 10);
    }

    #[test]
    fn wide_products_report_their_overflow() {
        let max = u32::MAX;
        assert_eq!(
            v_mad_u64_u32(max, max, u64::MAX),
            (0xffff_fffe_0000_0000, true)
        );
        assert_eq!(v_mad_u64_u32(max, max, 0), (0xffff_fffe_0000_0001, false));
        assert_eq!(v_mad_i64_i32(max, 5, 0), (-5i64 as u64, false));
        assert_eq!(v_mad_i64_i32(1, 1, i64::MAX as u64), (1 << 63, true));
        assert_eq!(v_mad_nc_i64_i32(max, max, u64::MAX), 0);
        assert_eq!(v_mad_nc_u64_u32(max, max, 0), 0xffff_fffe_0000_0001);
    }

    #[test]
    fn signed_and_unsigned_orders_differ() {
        assert_eq!(v_min_i64(u64::MAX, 0), u64::MAX);
        assert_eq!(v_min_u64(u64::MAX, 0), 0);
        assert_eq!(v_max_i64(u64::MAX, 0), 0);
        assert_eq!(v_mul_u64(1 << 63, 2), 0);
        assert_eq!(v_add_nc_u64_clamp(u64::MAX, 1), u64::MAX);
        assert_eq!(v_sub_nc_u64_clamp(0, 1), 0);
    }
}
