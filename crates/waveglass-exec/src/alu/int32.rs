//! 32-bit integer and bit-field instructions, in the order of the manual's
//! VOP2, VOP1 and VOP3 chapters.
//!
//! Every register value is a raw `u32`; the signed instructions reinterpret it.
//! Where generations name one operation differently the older names stand in
//! the description.

/// `v_add_u32` (`v_add_nc_u32`, `v_add_i32`, `v_add_nc_i32`): the low 32 bits of the sum.
#[inline(always)]
pub fn v_add_u32(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

/// `v_add_u32` with the clamp bit: the sum saturated to `u32::MAX`.
#[inline(always)]
pub fn v_add_u32_clamp(a: u32, b: u32) -> u32 {
    a.saturating_add(b)
}

/// `v_add_i32` (`v_add_nc_i32`) with the clamp bit: the signed sum saturated.
#[inline(always)]
pub fn v_add_i32_clamp(a: u32, b: u32) -> u32 {
    (a as i32).saturating_add(b as i32) as u32
}

/// `v_sub_u32` (`v_sub_nc_u32`, `v_sub_i32`, `v_sub_nc_i32`): the low 32 bits of `a - b`.
#[inline(always)]
pub fn v_sub_u32(a: u32, b: u32) -> u32 {
    a.wrapping_sub(b)
}

/// `v_sub_u32` with the clamp bit: a negative difference becomes zero.
#[inline(always)]
pub fn v_sub_u32_clamp(a: u32, b: u32) -> u32 {
    a.saturating_sub(b)
}

/// `v_sub_i32` (`v_sub_nc_i32`) with the clamp bit: the signed difference saturated.
#[inline(always)]
pub fn v_sub_i32_clamp(a: u32, b: u32) -> u32 {
    (a as i32).saturating_sub(b as i32) as u32
}

/// `v_subrev_u32` (`v_subrev_nc_u32`): the low 32 bits of `b - a`.
#[inline(always)]
pub fn v_subrev_u32(a: u32, b: u32) -> u32 {
    b.wrapping_sub(a)
}

/// `v_add_co_u32` (`v_add_i32` before GCN5): sum and carry out.
#[inline(always)]
pub fn v_add_co_u32(a: u32, b: u32) -> (u32, bool) {
    a.overflowing_add(b)
}

/// `v_sub_co_u32`: difference `a - b` and borrow out.
#[inline(always)]
pub fn v_sub_co_u32(a: u32, b: u32) -> (u32, bool) {
    a.overflowing_sub(b)
}

/// `v_subrev_co_u32`: difference `b - a` and borrow out.
#[inline(always)]
pub fn v_subrev_co_u32(a: u32, b: u32) -> (u32, bool) {
    b.overflowing_sub(a)
}

/// `v_add_co_ci_u32` (`v_addc_co_u32`): sum with carry in, and carry out.
#[inline(always)]
pub fn v_add_co_ci_u32(a: u32, b: u32, carry: bool) -> (u32, bool) {
    let sum = u64::from(a) + u64::from(b) + u64::from(carry);
    (sum as u32, sum >> 32 != 0)
}

/// `v_sub_co_ci_u32` (`v_subb_co_u32`): `a - b - borrow`, and borrow out.
#[inline(always)]
pub fn v_sub_co_ci_u32(a: u32, b: u32, borrow: bool) -> (u32, bool) {
    let difference = u64::from(a)
        .wrapping_sub(u64::from(b))
        .wrapping_sub(u64::from(borrow));
    (difference as u32, difference >> 32 != 0)
}

/// `v_subrev_co_ci_u32` (`v_subbrev_co_u32`): `b - a - borrow`, and borrow out.
#[inline(always)]
pub fn v_subrev_co_ci_u32(a: u32, b: u32, borrow: bool) -> (u32, bool) {
    v_sub_co_ci_u32(b, a, borrow)
}

/// Clamp of the carry-out additions: an overflow (carry set) gives `u32::MAX`.
#[inline(always)]
pub fn clamp_carry(result: u32, carry: bool) -> u32 {
    if carry { u32::MAX } else { result }
}

/// Clamp of the borrow-out subtractions: an underflow (borrow set) gives zero.
#[inline(always)]
pub fn clamp_borrow(result: u32, borrow: bool) -> u32 {
    if borrow { 0 } else { result }
}

/// Sign extension of the low 24 bits, as the `i24` sources are read.
#[inline(always)]
fn i24(x: u32) -> i32 {
    ((x << 8) as i32) >> 8
}

/// The low 24 bits, as the `u24` sources are read.
#[inline(always)]
fn u24(x: u32) -> u32 {
    x & 0x00ff_ffff
}

/// `v_mul_i32_i24`: low 32 bits of the product of two signed 24-bit values.
#[inline(always)]
pub fn v_mul_i32_i24(a: u32, b: u32) -> u32 {
    i24(a).wrapping_mul(i24(b)) as u32
}

/// `v_mul_hi_i32_i24`: bits 63:32 of the product of two signed 24-bit values.
#[inline(always)]
pub fn v_mul_hi_i32_i24(a: u32, b: u32) -> u32 {
    ((i64::from(i24(a)) * i64::from(i24(b))) >> 32) as u32
}

/// `v_mul_u32_u24`: low 32 bits of the product of two unsigned 24-bit values.
#[inline(always)]
pub fn v_mul_u32_u24(a: u32, b: u32) -> u32 {
    u24(a).wrapping_mul(u24(b))
}

/// `v_mul_hi_u32_u24`: bits 63:32 of the product of two unsigned 24-bit values.
#[inline(always)]
pub fn v_mul_hi_u32_u24(a: u32, b: u32) -> u32 {
    ((u64::from(u24(a)) * u64::from(u24(b))) >> 32) as u32
}

/// `v_min_i32`: signed minimum.
#[inline(always)]
pub fn v_min_i32(a: u32, b: u32) -> u32 {
    (a as i32).min(b as i32) as u32
}

/// `v_max_i32`: signed maximum.
#[inline(always)]
pub fn v_max_i32(a: u32, b: u32) -> u32 {
    (a as i32).max(b as i32) as u32
}

/// `v_min_u32`: unsigned minimum.
#[inline(always)]
pub fn v_min_u32(a: u32, b: u32) -> u32 {
    a.min(b)
}

/// `v_max_u32`: unsigned maximum.
#[inline(always)]
pub fn v_max_u32(a: u32, b: u32) -> u32 {
    a.max(b)
}

/// `v_lshrrev_b32`: `b` shifted right by `a[4:0]`.
#[inline(always)]
pub fn v_lshrrev_b32(a: u32, b: u32) -> u32 {
    b >> (a & 31)
}

/// `v_ashrrev_i32`: `b` shifted right arithmetically by `a[4:0]`.
#[inline(always)]
pub fn v_ashrrev_i32(a: u32, b: u32) -> u32 {
    ((b as i32) >> (a & 31)) as u32
}

/// `v_lshlrev_b32`: `b` shifted left by `a[4:0]`.
#[inline(always)]
pub fn v_lshlrev_b32(a: u32, b: u32) -> u32 {
    b << (a & 31)
}

/// `v_and_b32`.
#[inline(always)]
pub fn v_and_b32(a: u32, b: u32) -> u32 {
    a & b
}

/// `v_or_b32`.
#[inline(always)]
pub fn v_or_b32(a: u32, b: u32) -> u32 {
    a | b
}

/// `v_xor_b32`.
#[inline(always)]
pub fn v_xor_b32(a: u32, b: u32) -> u32 {
    a ^ b
}

/// `v_xnor_b32`.
#[inline(always)]
pub fn v_xnor_b32(a: u32, b: u32) -> u32 {
    !(a ^ b)
}

/// `v_mov_b32`.
#[inline(always)]
pub fn v_mov_b32(a: u32) -> u32 {
    a
}

/// `v_not_b32`.
#[inline(always)]
pub fn v_not_b32(a: u32) -> u32 {
    !a
}

/// `v_bfrev_b32`: the bits in reverse order.
#[inline(always)]
pub fn v_bfrev_b32(a: u32) -> u32 {
    a.reverse_bits()
}

/// `v_clz_i32_u32` (`v_ffbh_u32`): zeros above the highest set bit, or -1 for zero.
#[inline(always)]
pub fn v_clz_i32_u32(a: u32) -> u32 {
    if a == 0 { u32::MAX } else { a.leading_zeros() }
}

/// `v_ctz_i32_b32` (`v_ffbl_b32`): zeros below the lowest set bit, or -1 for zero.
#[inline(always)]
pub fn v_ctz_i32_b32(a: u32) -> u32 {
    if a == 0 { u32::MAX } else { a.trailing_zeros() }
}

/// `v_cls_i32` (`v_ffbh_i32`): how many leading bits equal the sign bit, or -1
/// where all do.
#[inline(always)]
pub fn v_cls_i32(a: u32) -> u32 {
    v_clz_i32_u32(a ^ ((a as i32) >> 31) as u32)
}

/// `v_cndmask_b32`: `b` where the lane's mask bit is set, else `a`.
#[inline(always)]
pub fn v_cndmask_b32(a: u32, b: u32, mask: bool) -> u32 {
    if mask { b } else { a }
}

/// The manual's table for `v_screen_partition_4se_b32`, sixteen entries to a number, the first one
/// lowest.
const SCREEN_PARTITION: [u64; 16] = [
    0xffff_fff7_fff5_f731,
    0xffff_ffbf_ffaf_e62f,
    0xffff_fdff_f5ff_c4fd,
    0xffff_efff_afff_8fb9,
    0xfffe_fff6_fdc4_ffff,
    0xffdf_f99f_b98f_ffff,
    0xfbff_f9ff_31f7_ffff,
    0x7fff_6ff6_2fe6_ffff,
    0xfffa_fb32_ffff_fffb,
    0xff5f_d91f_ffff_ff7f,
    0xfaff_c8fe_ffff_feff,
    0x5fff_4f76_ffff_dfff,
    0xfec8_ffff_fffd_fff9,
    0x764f_ffff_ffef_f66f,
    0x32fb_ffff_f7ff_f6ff,
    0x1fd9_ffff_bfff_9ff9,
];

/// `v_screen_partition_4se_b32`: which of four screen backends a box of 32-pixel tiles touches, by
/// the manual's table of 256 entries.
#[inline(always)]
pub fn v_screen_partition_4se_b32(a: u32) -> u32 {
    let entry = a & 0xff;
    (SCREEN_PARTITION[entry as usize / 16] >> (4 * (entry % 16)) & 15) as u32
}

/// `v_prng_b32`: one step of the manual's linear feedback shift register.
#[inline(always)]
pub fn v_prng_b32(a: u32) -> u32 {
    (a << 1) ^ if a >> 31 != 0 { 197 } else { 0 }
}

/// `v_mad_i32_i24`: low 32 bits of a signed 24-bit product plus `c`.
#[inline(always)]
pub fn v_mad_i32_i24(a: u32, b: u32, c: u32) -> u32 {
    v_mul_i32_i24(a, b).wrapping_add(c)
}

/// `v_mad_i32_i24` with the clamp bit: the exact result saturated to `i32`.
#[inline(always)]
pub fn v_mad_i32_i24_clamp(a: u32, b: u32, c: u32) -> u32 {
    let exact = i64::from(i24(a)) * i64::from(i24(b)) + i64::from(c as i32);
    exact.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as u32
}

/// `v_mad_u32_u24`: low 32 bits of an unsigned 24-bit product plus `c`.
#[inline(always)]
pub fn v_mad_u32_u24(a: u32, b: u32, c: u32) -> u32 {
    v_mul_u32_u24(a, b).wrapping_add(c)
}

/// `v_mad_u32_u24` with the clamp bit: the exact result saturated to `u32`.
#[inline(always)]
pub fn v_mad_u32_u24_clamp(a: u32, b: u32, c: u32) -> u32 {
    let exact = u64::from(u24(a)) * u64::from(u24(b)) + u64::from(c);
    exact.min(u64::from(u32::MAX)) as u32
}

/// `v_bfe_u32`: `c[4:0]` bits of `a` from bit `b[4:0]` on, zero-extended.
#[inline(always)]
pub fn v_bfe_u32(a: u32, b: u32, c: u32) -> u32 {
    (a >> (b & 31)) & ((1 << (c & 31)) - 1)
}

/// `v_bfe_i32`: `c[4:0]` bits of `a` from bit `b[4:0]` on, sign-extended; a
/// width of zero gives zero.
#[inline(always)]
pub fn v_bfe_i32(a: u32, b: u32, c: u32) -> u32 {
    let width = c & 31;
    let field = (((a as i32) >> (b & 31)) as u32) & ((1 << width) - 1);
    let sign = (1u32 << width) >> 1;
    (field ^ sign).wrapping_sub(sign)
}

/// `v_bfi_b32`: bits of `b` where the mask `a` is set, of `c` elsewhere.
#[inline(always)]
pub fn v_bfi_b32(a: u32, b: u32, c: u32) -> u32 {
    (a & b) | (!a & c)
}

/// `v_bfm_b32`: a mask of `a[4:0]` ones starting at bit `b[4:0]`.
#[inline(always)]
pub fn v_bfm_b32(a: u32, b: u32) -> u32 {
    ((1u32 << (a & 31)) - 1) << (b & 31)
}

/// `v_bcnt_u32_b32`: set bits of `a`, plus `b`.
#[inline(always)]
pub fn v_bcnt_u32_b32(a: u32, b: u32) -> u32 {
    a.count_ones().wrapping_add(b)
}

/// `v_mbcnt_lo_u32_b32`: set bits of `a` among lanes 31:0 below `lane`, plus `b`.
#[inline(always)]
pub fn v_mbcnt_lo_u32_b32(a: u32, b: u32, lane: u32) -> u32 {
    let below = if lane >= 32 {
        u32::MAX
    } else {
        (1u32 << lane) - 1
    };
    (a & below).count_ones().wrapping_add(b)
}

/// `v_mbcnt_hi_u32_b32`: set bits of `a` among lanes 63:32 below `lane`, plus `b`.
#[inline(always)]
pub fn v_mbcnt_hi_u32_b32(a: u32, b: u32, lane: u32) -> u32 {
    let below = if lane < 32 {
        0
    } else {
        (1u32 << (lane & 31)) - 1
    };
    (a & below).count_ones().wrapping_add(b)
}

/// `v_alignbit_b32`: the low word of `{a, b}` shifted right by `c[4:0]` bits.
#[inline(always)]
pub fn v_alignbit_b32(a: u32, b: u32, c: u32) -> u32 {
    let pair = u64::from(a) << 32 | u64::from(b);
    (pair >> (c & 31)) as u32
}

/// `v_alignbyte_b32`: the low word of `{a, b}` shifted right by `c[1:0]` bytes.
#[inline(always)]
pub fn v_alignbyte_b32(a: u32, b: u32, c: u32) -> u32 {
    v_alignbit_b32(a, b, (c & 3) * 8)
}

/// `v_min3_i32`.
#[inline(always)]
pub fn v_min3_i32(a: u32, b: u32, c: u32) -> u32 {
    v_min_i32(v_min_i32(a, b), c)
}

/// `v_min3_u32`.
#[inline(always)]
pub fn v_min3_u32(a: u32, b: u32, c: u32) -> u32 {
    a.min(b).min(c)
}

/// `v_max3_i32`.
#[inline(always)]
pub fn v_max3_i32(a: u32, b: u32, c: u32) -> u32 {
    v_max_i32(v_max_i32(a, b), c)
}

/// `v_max3_u32`.
#[inline(always)]
pub fn v_max3_u32(a: u32, b: u32, c: u32) -> u32 {
    a.max(b).max(c)
}

/// `v_med3_i32`: signed median.
#[inline(always)]
pub fn v_med3_i32(a: u32, b: u32, c: u32) -> u32 {
    v_max_i32(v_min_i32(a, b), v_min_i32(v_max_i32(a, b), c))
}

/// `v_med3_u32`: unsigned median.
#[inline(always)]
pub fn v_med3_u32(a: u32, b: u32, c: u32) -> u32 {
    a.min(b).max(a.max(b).min(c))
}

/// `v_maxmin_i32`: `min(max(a, b), c)`, signed.
#[inline(always)]
pub fn v_maxmin_i32(a: u32, b: u32, c: u32) -> u32 {
    v_min_i32(v_max_i32(a, b), c)
}

/// `v_maxmin_u32`: `min(max(a, b), c)`, unsigned.
#[inline(always)]
pub fn v_maxmin_u32(a: u32, b: u32, c: u32) -> u32 {
    a.max(b).min(c)
}

/// `v_minmax_i32`: `max(min(a, b), c)`, signed.
#[inline(always)]
pub fn v_minmax_i32(a: u32, b: u32, c: u32) -> u32 {
    v_max_i32(v_min_i32(a, b), c)
}

/// `v_minmax_u32`: `max(min(a, b), c)`, unsigned.
#[inline(always)]
pub fn v_minmax_u32(a: u32, b: u32, c: u32) -> u32 {
    a.min(b).max(c)
}

/// `v_mul_lo_u32` (`v_mul_lo_i32`): low 32 bits of the product.
#[inline(always)]
pub fn v_mul_lo_u32(a: u32, b: u32) -> u32 {
    a.wrapping_mul(b)
}

/// `v_mul_hi_u32`: high 32 bits of the unsigned product.
#[inline(always)]
pub fn v_mul_hi_u32(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

/// `v_mul_hi_i32`: high 32 bits of the signed product.
#[inline(always)]
pub fn v_mul_hi_i32(a: u32, b: u32) -> u32 {
    ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32
}

/// `v_mad_u32`: low 32 bits of `a * b + c`.
#[inline(always)]
pub fn v_mad_u32(a: u32, b: u32, c: u32) -> u32 {
    a.wrapping_mul(b).wrapping_add(c)
}

/// `v_xad_u32`: `(a ^ b) + c`.
#[inline(always)]
pub fn v_xad_u32(a: u32, b: u32, c: u32) -> u32 {
    (a ^ b).wrapping_add(c)
}

/// `v_lshl_add_u32`: `(a << b[4:0]) + c`.
#[inline(always)]
pub fn v_lshl_add_u32(a: u32, b: u32, c: u32) -> u32 {
    (a << (b & 31)).wrapping_add(c)
}

/// `v_add_lshl_u32`: `(a + b) << c[4:0]`.
#[inline(always)]
pub fn v_add_lshl_u32(a: u32, b: u32, c: u32) -> u32 {
    a.wrapping_add(b) << (c & 31)
}

/// `v_add3_u32`.
#[inline(always)]
pub fn v_add3_u32(a: u32, b: u32, c: u32) -> u32 {
    a.wrapping_add(b).wrapping_add(c)
}

/// `v_lshl_or_b32`: `(a << b[4:0]) | c`.
#[inline(always)]
pub fn v_lshl_or_b32(a: u32, b: u32, c: u32) -> u32 {
    (a << (b & 31)) | c
}

/// `v_and_or_b32`: `(a & b) | c`.
#[inline(always)]
pub fn v_and_or_b32(a: u32, b: u32, c: u32) -> u32 {
    (a & b) | c
}

/// `v_or3_b32`.
#[inline(always)]
pub fn v_or3_b32(a: u32, b: u32, c: u32) -> u32 {
    a | b | c
}

/// `v_xor3_b32`.
#[inline(always)]
pub fn v_xor3_b32(a: u32, b: u32, c: u32) -> u32 {
    a ^ b ^ c
}

/// `v_bitop3_b32`: the three-input truth table `table`, whose bit `4a + 2b + c`
/// is the result for the input bits `a`, `b`, `c` (CDNA4, OMOD:ABS:NEG fields).
#[inline(always)]
pub fn v_bitop3_b32(a: u32, b: u32, c: u32, table: u8) -> u32 {
    let mut result = 0;
    for row in 0..8 {
        let with = |x: u32, bit: u32| if row & bit != 0 { x } else { !x };
        let matches = with(a, 4) & with(b, 2) & with(c, 1);
        result |= if table >> row & 1 != 0 { matches } else { 0 };
    }
    result
}

/// `v_dual_bitop2_b32`: [`v_bitop3_b32`] with a third input of zero, which is
/// the form of it that LLVM pairs (CDNA5; the manual only lists the name).
#[inline(always)]
pub fn v_bitop2_b32(a: u32, b: u32, table: u8) -> u32 {
    v_bitop3_b32(a, b, 0, table)
}

/// `v_add_max_i32`: signed saturating sum, then the maximum with `c` (CDNA5).
#[inline(always)]
pub fn v_add_max_i32(a: u32, b: u32, c: u32) -> u32 {
    v_max_i32(v_add_i32_clamp(a, b), c)
}

/// `v_add_min_i32`: signed saturating sum, then the minimum with `c` (CDNA5).
#[inline(always)]
pub fn v_add_min_i32(a: u32, b: u32, c: u32) -> u32 {
    v_min_i32(v_add_i32_clamp(a, b), c)
}

/// `v_add_max_u32`: unsigned saturating sum, then the maximum with `c` (CDNA5).
#[inline(always)]
pub fn v_add_max_u32(a: u32, b: u32, c: u32) -> u32 {
    v_add_u32_clamp(a, b).max(c)
}

/// `v_add_min_u32`: unsigned saturating sum, then the minimum with `c` (CDNA5).
#[inline(always)]
pub fn v_add_min_u32(a: u32, b: u32, c: u32) -> u32 {
    v_add_u32_clamp(a, b).min(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carries_and_borrows_follow_the_full_width_sum() {
        assert_eq!(v_add_co_ci_u32(u32::MAX, 0, true), (0, true));
        assert_eq!(v_add_co_ci_u32(u32::MAX, u32::MAX, true), (u32::MAX, true));
        assert_eq!(v_add_co_ci_u32(1, 2, true), (4, false));
        assert_eq!(v_sub_co_ci_u32(0, 0, true), (u32::MAX, true));
        assert_eq!(v_sub_co_ci_u32(0, u32::MAX, true), (0, true));
        assert_eq!(v_subrev_co_ci_u32(2, 5, true), (2, false));
        assert_eq!(v_subrev_co_u32(1, 0), (u32::MAX, true));
    }

    #[test]
    fn clamp_saturates_at_the_ends_of_the_type() {
        assert_eq!(v_add_u32_clamp(u32::MAX, 1), u32::MAX);
        assert_eq!(v_sub_u32_clamp(1, 2), 0);
        assert_eq!(v_add_i32_clamp(0x7fff_ffff, 1), 0x7fff_ffff);
        assert_eq!(v_sub_i32_clamp(0x8000_0000, 1), 0x8000_0000);
        assert_eq!(v_mad_i32_i24_clamp(0x7f_ffff, 0x7f_ffff, 0), 0x7fff_ffff);
        assert_eq!(v_mad_u32_u24_clamp(0xff_ffff, 0xff_ffff, 0), u32::MAX);
        assert_eq!(v_add_max_i32(0x7fff_ffff, 1, 5), 0x7fff_ffff);
        assert_eq!(v_add_min_u32(u32::MAX, 1, u32::MAX), u32::MAX);
        assert_eq!(clamp_carry(3, true), u32::MAX);
        assert_eq!(clamp_borrow(3, true), 0);
    }

    #[test]
    fn twenty_four_bit_products_ignore_the_top_byte() {
        assert_eq!(v_mul_i32_i24(0xab80_0000, 2), 0xff00_0000);
        assert_eq!(v_mul_hi_i32_i24(0x0080_0000, 0x0080_0000), 0x4000);
        assert_eq!(v_mul_hi_i32_i24(0x00ff_ffff, 1), u32::MAX);
        assert_eq!(v_mul_u32_u24(0xffff_ffff, 0xff00_0002), 0x01ff_fffe);
        assert_eq!(v_mul_hi_u32_u24(0xffff_ffff, 0xffff_ffff), 0xffff);
    }

    #[test]
    fn shift_counts_past_the_width_wrap() {
        assert_eq!(v_lshlrev_b32(33, 1), 2);
        assert_eq!(v_lshrrev_b32(63, 0x8000_0000), 1);
        assert_eq!(v_ashrrev_i32(32, 0x8000_0000), 0x8000_0000);
        assert_eq!(v_ashrrev_i32(31, 0x8000_0000), u32::MAX);
        assert_eq!(v_alignbit_b32(0x1234_5678, 0x9abc_def0, 36), 0x89ab_cdef);
        assert_eq!(v_alignbyte_b32(0x1234_5678, 0x9abc_def0, 5), 0x789a_bcde);
        assert_eq!(v_lshl_add_u32(1, 32, 1), 2);
        assert_eq!(v_add_lshl_u32(1, 1, 33), 4);
    }

    #[test]
    fn bit_fields_of_zero_and_full_reach() {
        assert_eq!(v_bfe_u32(0xffff_ffff, 4, 0), 0);
        assert_eq!(v_bfe_u32(0xffff_ffff, 28, 8), 0xf);
        assert_eq!(v_bfe_i32(0xffff_ffff, 4, 0), 0);
        assert_eq!(v_bfe_i32(0x0000_0080, 4, 4), 0xffff_fff8);
        assert_eq!(v_bfe_i32(0x0000_0070, 4, 4), 7);
        // The field reaches past bit 31: the arithmetic shift fills it with the sign.
        assert_eq!(v_bfe_i32(0x8000_0000, 28, 8), 0xffff_fff8);
        assert_eq!(v_bfm_b32(3, 30), 0xc000_0000);
        assert_eq!(v_bfm_b32(32, 5), 0);
        assert_eq!(v_bfi_b32(0xff00, 0x1234_5678, 0), 0x5600);
    }

    #[test]
    fn bit_counts_match_the_manuals_examples() {
        assert_eq!(v_cls_i32(0x0000_0000), 0xffff_ffff);
        assert_eq!(v_cls_i32(0x4000_0000), 1);
        assert_eq!(v_cls_i32(0x8000_0000), 1);
        assert_eq!(v_cls_i32(0x0fff_ffff), 4);
        assert_eq!(v_cls_i32(0xffff_0000), 16);
        assert_eq!(v_cls_i32(0xffff_fffe), 31);
        assert_eq!(v_cls_i32(0xffff_ffff), 0xffff_ffff);
        assert_eq!(v_clz_i32_u32(0), u32::MAX);
        assert_eq!(v_clz_i32_u32(0x0000_cccc), 16);
        assert_eq!(v_ctz_i32_b32(0), u32::MAX);
        assert_eq!(v_ctz_i32_b32(0xaaaa_aaaa), 1);
        assert_eq!(v_bcnt_u32_b32(0xffff_ffff, 1), 33);
    }

    #[test]
    fn masked_counts_number_the_lanes_below() {
        assert_eq!(v_mbcnt_lo_u32_b32(u32::MAX, 0, 0), 0);
        assert_eq!(v_mbcnt_lo_u32_b32(u32::MAX, 0, 31), 31);
        assert_eq!(v_mbcnt_lo_u32_b32(u32::MAX, 7, 63), 39);
        assert_eq!(v_mbcnt_hi_u32_b32(u32::MAX, 0, 32), 0);
        assert_eq!(v_mbcnt_hi_u32_b32(u32::MAX, 32, 63), 63);
        assert_eq!(v_mbcnt_hi_u32_b32(u32::MAX, 5, 3), 5);
    }

    #[test]
    fn high_products_keep_their_sign() {
        assert_eq!(v_mul_hi_i32(u32::MAX, u32::MAX), 0);
        assert_eq!(v_mul_hi_i32(0x8000_0000, 2), u32::MAX);
        assert_eq!(v_mul_hi_u32(u32::MAX, u32::MAX), u32::MAX - 1);
    }

    #[test]
    fn medians_agree_with_sorting() {
        let values = [0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX];
        for a in values {
            for b in values {
                for c in values {
                    let mut unsigned = [a, b, c];
                    unsigned.sort_unstable();
                    assert_eq!(v_med3_u32(a, b, c), unsigned[1]);
                    let mut signed = [a as i32, b as i32, c as i32];
                    signed.sort_unstable();
                    assert_eq!(v_med3_i32(a, b, c), signed[1] as u32);
                }
            }
        }
    }

    #[test]
    fn bitop3_truth_tables_of_named_operations() {
        let (a, b, c) = (0xf0f0_1234, 0xcccc_5678, 0xaaaa_9abc);
        assert_eq!(v_bitop3_b32(a, b, c, 0x80), a & b & c);
        assert_eq!(v_bitop3_b32(a, b, c, 0xfe), a | b | c);
        assert_eq!(v_bitop3_b32(a, b, c, 0x96), a ^ b ^ c);
        assert_eq!(v_bitop3_b32(a, b, c, 0xca), (a & b) | (!a & c));
        assert_eq!(v_bitop2_b32(a, b, 0x14), a ^ b);
        assert_eq!(v_bitop2_b32(a, b, 0x40), a & b);
        assert_eq!(v_bitop3_b32(a, b, c, 0x00), 0);
        assert_eq!(v_bitop3_b32(a, b, c, 0xff), u32::MAX);
    }

    #[test]
    fn the_random_step_folds_the_top_bit_back() {
        // The table's beginning: 0x1, 0x3, 0x7, 0xf, 0x5; its entries 17 and 255.
        let table = [0, 1, 2, 3, 4, 17, 255].map(v_screen_partition_4se_b32);
        assert_eq!(table, [1, 3, 7, 15, 5, 2, 1]);
        assert_eq!(v_prng_b32(1), 2);
        assert_eq!(v_prng_b32(0x8000_0000), 197);
    }
}
