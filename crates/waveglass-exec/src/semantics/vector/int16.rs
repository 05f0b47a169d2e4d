//! Integer arithmetic of 16 bits. On gfx9 the VOP2 forms and the `legacy` ones clear the other
//! half of the result's register; those that came with gfx9's `op_sel` keep it.

use crate::alu::int16::*;
use crate::semantics::Registry;
use crate::semantics::table::{masked, valu};

pub(super) fn register(r: &mut Registry) {
    valu! { r;
        "v_add_u16" | "v_add_nc_u16" [] (a: u16, b: u16) -> u16 =>
            v_add_u16(a, b), clamp v_add_u16_clamp(a, b);
        "v_sub_u16" | "v_sub_nc_u16" [] (a: u16, b: u16) -> u16 =>
            v_sub_u16(a, b), clamp v_sub_u16_clamp(a, b);
        "v_subrev_u16" [] (a: u16, b: u16) -> u16 =>
            v_subrev_u16(a, b), clamp v_sub_u16_clamp(b, a);
        "v_add_i16" | "v_add_nc_i16" [keep] (a: u16, b: u16) -> u16 =>
            v_add_u16(a, b), clamp v_add_i16_clamp(a, b);
        "v_sub_i16" | "v_sub_nc_i16" [keep] (a: u16, b: u16) -> u16 =>
            v_sub_u16(a, b), clamp v_sub_i16_clamp(a, b);
        "v_mul_lo_u16" [] (a: u16, b: u16) -> u16 => v_mul_lo_u16(a, b);
        "v_lshlrev_b16" [] (a: u16, b: u16) -> u16 => v_lshlrev_b16(a, b);
        "v_lshrrev_b16" [] (a: u16, b: u16) -> u16 => v_lshrrev_b16(a, b);
        "v_ashrrev_i16" [] (a: u16, b: u16) -> u16 => v_ashrrev_i16(a, b);
        "v_max_u16" [] (a: u16, b: u16) -> u16 => v_max_u16(a, b);
        "v_max_i16" [] (a: u16, b: u16) -> u16 => v_max_i16(a, b);
        "v_min_u16" [] (a: u16, b: u16) -> u16 => v_min_u16(a, b);
        "v_min_i16" [] (a: u16, b: u16) -> u16 => v_min_i16(a, b);
        "v_and_b16" [] (a: u16, b: u16) -> u16 => v_and_b16(a, b);
        "v_or_b16" [] (a: u16, b: u16) -> u16 => v_or_b16(a, b);
        "v_xor_b16" [] (a: u16, b: u16) -> u16 => v_xor_b16(a, b);
        "v_not_b16" [] (a: u16) -> u16 => v_not_b16(a);
        "v_mov_b16" [] (a: u16) -> u16 => v_mov_b16(a);
        "v_mad_legacy_u16" [] (a: u16, b: u16, c: u16) -> u16 =>
            v_mad_u16(a, b, c), clamp v_mad_u16_clamp(a, b, c);
        "v_mad_legacy_i16" [] (a: u16, b: u16, c: u16) -> u16 =>
            v_mad_u16(a, b, c), clamp v_mad_i16_clamp(a, b, c);
        "v_mad_u16" [keep] (a: u16, b: u16, c: u16) -> u16 =>
            v_mad_u16(a, b, c), clamp v_mad_u16_clamp(a, b, c);
        "v_mad_i16" [keep] (a: u16, b: u16, c: u16) -> u16 =>
            v_mad_u16(a, b, c), clamp v_mad_i16_clamp(a, b, c);
        "v_mad_u32_u16" [] (a: u16, b: u16, c: u32) -> u32 =>
            v_mad_u32_u16(a, b, c), clamp v_mad_u32_u16_clamp(a, b, c);
        "v_mad_i32_i16" [] (a: u16, b: u16, c: u32) -> u32 =>
            v_mad_i32_i16(a, b, c), clamp v_mad_i32_i16_clamp(a, b, c);
        "v_min3_i16" [keep] (a: u16, b: u16, c: u16) -> u16 => v_min3_i16(a, b, c);
        "v_min3_u16" [keep] (a: u16, b: u16, c: u16) -> u16 => v_min3_u16(a, b, c);
        "v_max3_i16" [keep] (a: u16, b: u16, c: u16) -> u16 => v_max3_i16(a, b, c);
        "v_max3_u16" [keep] (a: u16, b: u16, c: u16) -> u16 => v_max3_u16(a, b, c);
        "v_med3_i16" [keep] (a: u16, b: u16, c: u16) -> u16 => v_med3_i16(a, b, c);
        "v_med3_u16" [keep] (a: u16, b: u16, c: u16) -> u16 => v_med3_u16(a, b, c);
        "v_cvt_i32_i16" [] (a: u16) -> u32 => v_cvt_i32_i16(a);
        "v_cvt_u32_u16" [] (a: u16) -> u32 => v_cvt_u32_u16(a);
    }
    masked! { r;
        // No carry comes out: the bit only chooses.
        "v_cndmask_b16" Select (mask; a: u16, b: u16) -> u16 => (v_cndmask_b16(a, b, mask), false);
    }
}
