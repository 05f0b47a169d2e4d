//! Conversions between integers, single and double precision.

use crate::alu::convert::*;
use crate::semantics::Registry;
use crate::semantics::table::valu;

pub(super) fn register(r: &mut Registry) {
    valu! { r;
        "v_cvt_i32_f64" [] (a: f64) -> u32 => v_cvt_i32_f64(a);
        "v_cvt_u32_f64" [] (a: f64) -> u32 => v_cvt_u32_f64(a);
        "v_cvt_f64_i32" [] (a: u32) -> f64 => v_cvt_f64_i32(a);
        "v_cvt_f64_u32" [] (a: u32) -> f64 => v_cvt_f64_u32(a);
        "v_cvt_f32_i32" [] (a: u32) -> f32 => v_cvt_f32_i32(a);
        "v_cvt_f32_u32" [] (a: u32) -> f32 => v_cvt_f32_u32(a);
        "v_cvt_u32_f32" [] (a: f32) -> u32 => v_cvt_u32_f32(a);
        "v_cvt_i32_f32" [] (a: f32) -> u32 => v_cvt_i32_f32(a);
        "v_cvt_rpi_i32_f32" | "v_cvt_nearest_i32_f32" [] (a: f32) -> u32 =>
            v_cvt_nearest_i32_f32(a);
        "v_cvt_flr_i32_f32" | "v_cvt_floor_i32_f32" [] (a: f32) -> u32 => v_cvt_floor_i32_f32(a);
        "v_cvt_off_f32_i4" [] (a: u32) -> f32 => v_cvt_off_f32_i4(a);
        "v_cvt_f32_f64" [] (a: f64) -> f32 => v_cvt_f32_f64(a);
        "v_cvt_f64_f32" [] (a: f32) -> f64 => v_cvt_f64_f32(a);
        "v_cvt_f32_ubyte0" [] (a: u32) -> f32 => v_cvt_f32_ubyte::<0>(a);
        "v_cvt_f32_ubyte1" [] (a: u32) -> f32 => v_cvt_f32_ubyte::<1>(a);
        "v_cvt_f32_ubyte2" [] (a: u32) -> f32 => v_cvt_f32_ubyte::<2>(a);
        "v_cvt_f32_ubyte3" [] (a: u32) -> f32 => v_cvt_f32_ubyte::<3>(a);
        "v_cvt_pknorm_i16_f32" | "v_cvt_pk_norm_i16_f32" [] (a: f32, b: f32) -> u32 =>
            if L == 0 { v_cvt_pk_norm_i16_f32(a, b) } else { fused_pk_norm_i16_f32(a, b) };
        "v_cvt_pknorm_u16_f32" | "v_cvt_pk_norm_u16_f32" [] (a: f32, b: f32) -> u32 =>
            if L == 0 { v_cvt_pk_norm_u16_f32(a, b) } else { fused_pk_norm_u16_f32(a, b) };
        "v_cvt_pk_u16_f32" [] (a: f32, b: f32) -> u32 => v_cvt_pk_u16_f32(a, b);
        "v_cvt_pk_i16_f32" [] (a: f32, b: f32) -> u32 => v_cvt_pk_i16_f32(a, b);
        "v_cvt_pk_u8_f32" [] (a: f32, b: u32, c: u32) -> u32 => v_cvt_pk_u8_f32(a, b, c);
        "v_cvt_pkaccum_u8_f32" [acc] (a: f32, b: u32, c: u32) -> u32 => v_cvt_pk_u8_f32(a, b, c);
    }
}
