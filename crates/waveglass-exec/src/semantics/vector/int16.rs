//! 16-bit integer and bit operations.

use crate::alu::{bytes, int16};
use crate::semantics::Registry;
use crate::semantics::table::valu;
use crate::valu::kernel::F16;

pub(super) fn register(r: &mut Registry) {
    valu! { r;
        "v_mov_b16" [] (a: u16) -> u16 => a;
        "v_not_b16" [] (a: u16) -> u16 => !a;
        "v_and_b16" [] (a: u16, b: u16) -> u16 => a & b;
        "v_or_b16" [] (a: u16, b: u16) -> u16 => a | b;
        "v_xor_b16" [] (a: u16, b: u16) -> u16 => a ^ b;
        "v_add_u16" | "v_add_nc_u16" [] (a: u16, b: u16) -> u16 => int16::v_add_u16(a, b),
            clamp int16::v_add_u16_clamp(a, b);
        "v_sub_u16" | "v_sub_nc_u16" [] (a: u16, b: u16) -> u16 => int16::v_sub_u16(a, b),
            clamp int16::v_sub_u16_clamp(a, b);
        "v_subrev_u16" [] (a: u16, b: u16) -> u16 => int16::v_subrev_u16(a, b),
            clamp int16::v_sub_u16_clamp(b, a);
        "v_add_i16" | "v_add_nc_i16" [keep] (a: u16, b: u16) -> u16 => int16::v_add_u16(a, b),
            clamp int16::v_add_i16_clamp(a, b);
        "v_sub_i16" | "v_sub_nc_i16" [keep] (a: u16, b: u16) -> u16 => int16::v_sub_u16(a, b),
            clamp int16::v_sub_i16_clamp(a, b);
        "v_mul_lo_u16" [] (a: u16, b: u16) -> u16 => int16::v_mul_lo_u16(a, b);
        "v_lshlrev_b16" [] (a: u16, b: u16) -> u16 => int16::v_lshlrev_b16(a, b);
        "v_lshrrev_b16" [] (a: u16, b: u16) -> u16 => int16::v_lshrrev_b16(a, b);
        "v_ashrrev_i16" [] (a: u16, b: u16) -> u16 => int16::v_ashrrev_i16(a, b);
        "v_max_u16" [] (a: u16, b: u16) -> u16 => int16::v_max_u16(a, b);
        "v_max_i16" [] (a: u16, b: u16) -> u16 => int16::v_max_i16(a, b);
        "v_min_u16" [] (a: u16, b: u16) -> u16 => int16::v_min_u16(a, b);
        "v_min_i16" [] (a: u16, b: u16) -> u16 => int16::v_min_i16(a, b);
        "v_mad_u16" [keep] (a: u16, b: u16, c: u16) -> u16 => int16::v_mad_u16(a, b, c),
            clamp int16::v_mad_u16_clamp(a, b, c);
        "v_mad_i16" [keep] (a: u16, b: u16, c: u16) -> u16 => int16::v_mad_u16(a, b, c),
            clamp int16::v_mad_i16_clamp(a, b, c);
        "v_mad_legacy_u16" [] (a: u16, b: u16, c: u16) -> u16 => int16::v_mad_u16(a, b, c),
            clamp int16::v_mad_u16_clamp(a, b, c);
        "v_mad_legacy_i16" [] (a: u16, b: u16, c: u16) -> u16 => int16::v_mad_u16(a, b, c),
            clamp int16::v_mad_i16_clamp(a, b, c);
        "v_mad_u32_u16" [] (a: u16, b: u16, c: u32) -> u32 => int16::v_mad_u32_u16(a, b, c),
            clamp int16::v_mad_u32_u16_clamp(a, b, c);
        "v_mad_i32_i16" [] (a: u16, b: u16, c: u32) -> u32 => int16::v_mad_i32_i16(a, b, c),
            clamp int16::v_mad_i32_i16_clamp(a, b, c);
        "v_min3_i16" [keep] (a: u16, b: u16, c: u16) -> u16 => int16::v_min3_i16(a, b, c);
        "v_min3_u16" [keep] (a: u16, b: u16, c: u16) -> u16 => int16::v_min3_u16(a, b, c);
        "v_max3_i16" [keep] (a: u16, b: u16, c: u16) -> u16 => int16::v_max3_i16(a, b, c);
        "v_max3_u16" [keep] (a: u16, b: u16, c: u16) -> u16 => int16::v_max3_u16(a, b, c);
        "v_med3_i16" [keep] (a: u16, b: u16, c: u16) -> u16 => int16::v_med3_i16(a, b, c);
        "v_med3_u16" [keep] (a: u16, b: u16, c: u16) -> u16 => int16::v_med3_u16(a, b, c);
        "v_bitop3_b16" [keep table] (m; a: u16, b: u16, c: u16) -> u16 =>
            int16::v_bitop3_b16(a, b, c, m.0 as u8);
        "v_cvt_i32_i16" [] (a: u16) -> u32 => int16::v_cvt_i32_i16(a);
        "v_cvt_u32_u16" [] (a: u16) -> u32 => int16::v_cvt_u32_u16(a);
        // The sources take neg and abs like floats.
        "v_pack_b32_f16" [] (a: F16, b: F16) -> u32 => int16::v_pack_b32_f16(a.0, b.0);
        "v_sat_pk_u8_i16" [keep] (a: u32) -> u16 => bytes::v_sat_pk_u8_i16(a);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Bench;
    use waveglass_isa::Target;

    #[test]
    fn clamp_saturates() {
        let mut b = Bench::new(Target::Gfx900, 64);
        b.set(1, |_| 0xffff);
        b.set(2, |_| 2);
        // v_add_u16 v0, v1, v2 clamp
        b.run_all(&["008026d101050200"]);
        assert_eq!(b.get(0, 0), 0xffff);
    }
}
