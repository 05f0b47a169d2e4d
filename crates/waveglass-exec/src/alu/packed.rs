//! VOP3P instructions on two 16-bit values, and the packed single-precision
//! ones of CDNA. `v_pk_fmac_f16` is [`v_pk_fma_f16`] with the destination as addend. Operand selection and NEG are applied before
//! ([`select_packed`](super::modifiers::select_packed),
//! [`neg_packed`](super::modifiers::neg_packed)); low half in, low half out.

use super::{bf16, float16, float32, int16, minmax};

// Expanded rather than passed as a function: the two calls must be inlined for
// the lane loop to become vector instructions.
macro_rules! packed {
    ($($name:ident($($arg:ident),*) = $lane:path $(, $ieee:ident)?;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`: [`", stringify!($lane), "`] on both halves.")]
        #[inline(always)]
        pub fn $name($($arg: u32),* $(, $ieee: minmax::Ieee)?) -> u32 {
            let low = $lane($($arg as u16),* $(, $ieee)?);
            let high = $lane($(($arg >> 16) as u16),* $(, $ieee)?);
            u32::from(high) << 16 | u32::from(low)
        }
    )*};
}

packed! {
    v_pk_mad_u16(a, b, c) = int16::v_mad_u16;
    v_pk_mad_u16_clamp(a, b, c) = int16::v_mad_u16_clamp;
    v_pk_mad_i16_clamp(a, b, c) = int16::v_mad_i16_clamp;
    v_pk_mul_lo_u16(a, b) = int16::v_mul_lo_u16;
    v_pk_add_u16(a, b) = int16::v_add_u16;
    v_pk_add_u16_clamp(a, b) = int16::v_add_u16_clamp;
    v_pk_add_i16_clamp(a, b) = int16::v_add_i16_clamp;
    v_pk_sub_u16(a, b) = int16::v_sub_u16;
    v_pk_sub_u16_clamp(a, b) = int16::v_sub_u16_clamp;
    v_pk_sub_i16_clamp(a, b) = int16::v_sub_i16_clamp;
    v_pk_lshlrev_b16(a, b) = int16::v_lshlrev_b16;
    v_pk_lshrrev_b16(a, b) = int16::v_lshrrev_b16;
    v_pk_ashrrev_i16(a, b) = int16::v_ashrrev_i16;
    v_pk_max_i16(a, b) = int16::v_max_i16;
    v_pk_min_i16(a, b) = int16::v_min_i16;
    v_pk_max_u16(a, b) = int16::v_max_u16;
    v_pk_min_u16(a, b) = int16::v_min_u16;
    v_pk_max3_i16(a, b, c) = int16::v_max3_i16;
    v_pk_min3_i16(a, b, c) = int16::v_min3_i16;
    v_pk_max3_u16(a, b, c) = int16::v_max3_u16;
    v_pk_min3_u16(a, b, c) = int16::v_min3_u16;
    v_pk_fma_f16(a, b, c) = float16::v_fma_f16;
    v_pk_add_f16(a, b) = float16::v_add_f16;
    v_pk_mul_f16(a, b) = float16::v_mul_f16;
    v_pk_max_f16(a, b) = minmax::v_max_f16, ieee;
    v_pk_min_f16(a, b) = minmax::v_min_f16, ieee;
    v_pk_max_f16_gfx11(a, b) = minmax::v_max_f16_gfx11, ieee;
    v_pk_min_f16_gfx11(a, b) = minmax::v_min_f16_gfx11, ieee;
    v_pk_max_num_f16(a, b) = minmax::v_max_num_f16;
    v_pk_min_num_f16(a, b) = minmax::v_min_num_f16;
    v_pk_maximum_f16(a, b) = minmax::v_maximum_f16;
    v_pk_minimum_f16(a, b) = minmax::v_minimum_f16;
    v_pk_max3_num_f16(a, b, c) = minmax::v_max3_num_f16;
    v_pk_min3_num_f16(a, b, c) = minmax::v_min3_num_f16;
    v_pk_maximum3_f16(a, b, c) = minmax::v_maximum3_f16;
    v_pk_minimum3_f16(a, b, c) = minmax::v_minimum3_f16;
    v_pk_fma_bf16(a, b, c) = bf16::v_fma_bf16;
    v_pk_add_bf16(a, b) = bf16::v_add_bf16;
    v_pk_mul_bf16(a, b) = bf16::v_mul_bf16;
    v_pk_max_num_bf16(a, b) = minmax::v_max_num_bf16;
    v_pk_min_num_bf16(a, b) = minmax::v_min_num_bf16;
}

/// `v_pk_add_max_i16`: saturating sum, then the maximum with `c` (CDNA5).
#[inline(always)]
pub fn v_pk_add_max_i16(a: u32, b: u32, c: u32) -> u32 {
    v_pk_max_i16(v_pk_add_i16_clamp(a, b), c)
}

/// `v_pk_add_min_i16`: saturating sum, then the minimum with `c` (CDNA5).
#[inline(always)]
pub fn v_pk_add_min_i16(a: u32, b: u32, c: u32) -> u32 {
    v_pk_min_i16(v_pk_add_i16_clamp(a, b), c)
}

/// `v_pk_add_max_u16`: saturating sum, then the maximum with `c` (CDNA5).
#[inline(always)]
pub fn v_pk_add_max_u16(a: u32, b: u32, c: u32) -> u32 {
    v_pk_max_u16(v_pk_add_u16_clamp(a, b), c)
}

/// `v_pk_add_min_u16`: saturating sum, then the minimum with `c` (CDNA5).
#[inline(always)]
pub fn v_pk_add_min_u16(a: u32, b: u32, c: u32) -> u32 {
    v_pk_min_u16(v_pk_add_u16_clamp(a, b), c)
}

/// `v_pk_fma_f32` on two values each.
#[inline(always)]
pub fn v_pk_fma_f32(a: [f32; 2], b: [f32; 2], c: [f32; 2]) -> [f32; 2] {
    [
        float32::v_fma_f32(a[0], b[0], c[0]),
        float32::v_fma_f32(a[1], b[1], c[1]),
    ]
}

/// `v_pk_mul_f32` on two values each.
#[inline(always)]
pub fn v_pk_mul_f32(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [
        float32::v_mul_f32(a[0], b[0]),
        float32::v_mul_f32(a[1], b[1]),
    ]
}

/// `v_pk_add_f32` on two values each.
#[inline(always)]
pub fn v_pk_add_f32(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [
        float32::v_add_f32(a[0], b[0]),
        float32::v_add_f32(a[1], b[1]),
    ]
}

/// `v_pk_mov_b32`: the words of `a` and `b` that OP_SEL bits 0 and 1 pick.
#[inline(always)]
pub fn v_pk_mov_b32(a: [u32; 2], b: [u32; 2], op_sel: u32) -> [u32; 2] {
    [a[(op_sel & 1) as usize], b[(op_sel >> 1 & 1) as usize]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_do_not_carry_into_each_other() {
        assert_eq!(v_pk_add_u16(0x0001_ffff, 0x0001_0001), 0x0002_0000);
        assert_eq!(v_pk_sub_u16(0, 0x0000_0001), 0x0000_ffff);
        assert_eq!(v_pk_add_i16_clamp(0x7fff_8000, 0x0001_ffff), 0x7fff_8000);
        assert_eq!(
            v_pk_mad_u16(0x0002_0003, 0x0004_0005, 0x0001_0001),
            0x0009_0010
        );
        assert_eq!(v_pk_lshlrev_b16(0x0011_0001, 0x0001_8001), 0x0002_0002);
        assert_eq!(v_pk_ashrrev_i16(0x000f_0001, 0x8000_8000), 0xffff_c000);
        assert_eq!(
            v_pk_add_max_i16(0x7fff_0001, 0x0001_0001, 0x0000_0005),
            0x7fff_0005
        );
        assert_eq!(
            v_pk_add_min_u16(0xffff_0001, 0x0001_0001, 0xfffe_0005),
            0xfffe_0002
        );
    }

    #[test]
    fn floats_work_by_halves() {
        assert_eq!(v_pk_add_f16(0x3c00_4000, 0x3c00_3c00), 0x4000_4200);
        assert_eq!(
            v_pk_fma_f16(0x3c00_4000, 0x4000_4000, 0x0000_3c00),
            0x4000_4500
        );
        assert_eq!(v_pk_max_f16(0x3c00_fe00, 0x4000_3c00, true), 0x4000_3c00);
        assert_eq!(v_pk_mul_bf16(0x4000_3f80, 0x4000_4040), 0x4080_4040);
        assert_eq!(
            v_pk_fma_f32([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]),
            [8.0, 14.0]
        );
        assert_eq!(v_pk_mov_b32([1, 2], [3, 4], 0b01), [2, 3]);
    }
}
