//! Mixed-precision multiply-add and dot products.

use crate::alu::small_float::{BF8, FP8};
use crate::alu::{dot, float32, mix};
use crate::semantics::Registry;
use crate::semantics::table::valu;
use crate::valu::kernel::{Bf16, F16, Mix, MixBf16, PkB16, PkBf16, PkF16};

pub(super) fn register(r: &mut Registry) {
    mixed(r);
    floats(r);
    integers(r);
}

fn mixed(r: &mut Registry) {
    valu! { r;
        "v_fma_mix_f32" [] (a: Mix, b: Mix, c: Mix) -> f32 => float32::v_fma_f32(a.0, b.0, c.0);
        "v_fma_mixlo_f16" [keep] (a: Mix, b: Mix, c: Mix) -> F16 => F16(mix::v_fma_mixlo_f16(a.0, b.0, c.0));
        "v_fma_mixhi_f16" [upper] (a: Mix, b: Mix, c: Mix) -> F16 => F16(mix::v_fma_mixlo_f16(a.0, b.0, c.0));
        "v_mad_mix_f32" [] (a: Mix, b: Mix, c: Mix) -> f32 => float32::v_mad_f32(a.0, b.0, c.0);
        "v_mad_mixlo_f16" [keep] (a: Mix, b: Mix, c: Mix) -> F16 => F16(mix::v_mad_mixlo_f16(a.0, b.0, c.0));
        "v_mad_mixhi_f16" [upper] (a: Mix, b: Mix, c: Mix) -> F16 => F16(mix::v_mad_mixlo_f16(a.0, b.0, c.0));
        "v_fma_mix_f32_bf16" [] (a: MixBf16, b: MixBf16, c: MixBf16) -> f32 => float32::v_fma_f32(a.0, b.0, c.0);
        "v_fma_mixlo_bf16" [keep] (a: MixBf16, b: MixBf16, c: MixBf16) -> Bf16 =>
            Bf16(mix::v_fma_mixlo_bf16(a.0, b.0, c.0));
        "v_fma_mixhi_bf16" [upper] (a: MixBf16, b: MixBf16, c: MixBf16) -> Bf16 =>
            Bf16(mix::v_fma_mixlo_bf16(a.0, b.0, c.0));
    }
}

fn floats(r: &mut Registry) {
    valu! { r;
        // RDNA3 moved the addend behind the products.
        "v_dot2_f32_f16" [] (m; a: PkF16, b: PkF16, c: f32) -> f32 => if m.major() >= 11 {
            dot::v_dot2_f32_f16(a.0, b.0, c)
        } else {
            dot::v_dot2c_f32_f16(a.0, b.0, c)
        };
        "v_dot2c_f32_f16" | "v_dot2acc_f32_f16" [acc] (a: PkF16, b: PkF16, c: f32) -> f32 =>
            dot::v_dot2c_f32_f16(a.0, b.0, c);
        "v_dot2_f32_bf16" [] (a: PkBf16, b: PkBf16, c: f32) -> f32 => dot::v_dot2_f32_bf16(a.0, b.0, c);
        "v_dot2c_f32_bf16" | "v_dot2acc_f32_bf16" [acc] (a: PkBf16, b: PkBf16, c: f32) -> f32 =>
            dot::v_dot2c_f32_bf16(a.0, b.0, c);
        "v_dot2_f16_f16" [] (a: PkF16, b: PkF16, c: F16) -> F16 => F16(dot::v_dot2_f16_f16(a.0, b.0, c.0));
        "v_dot2_bf16_bf16" [] (a: PkBf16, b: PkBf16, c: Bf16) -> Bf16 =>
            Bf16(dot::v_dot2_bf16_bf16(a.0, b.0, c.0));
        "v_dot4_f32_fp8_fp8" [] (a: u32, b: u32, c: f32) -> f32 => dot::v_dot4_f32(a, b, c, fp8, fp8);
        "v_dot4_f32_fp8_bf8" [] (a: u32, b: u32, c: f32) -> f32 => dot::v_dot4_f32(a, b, c, fp8, bf8);
        "v_dot4_f32_bf8_fp8" [] (a: u32, b: u32, c: f32) -> f32 => dot::v_dot4_f32(a, b, c, bf8, fp8);
        "v_dot4_f32_bf8_bf8" [] (a: u32, b: u32, c: f32) -> f32 => dot::v_dot4_f32(a, b, c, bf8, bf8);
    }
}

fn fp8(code: u8) -> f32 {
    FP8.decode(code.into())
}

fn bf8(code: u8) -> f32 {
    BF8.decode(code.into())
}

fn integers(r: &mut Registry) {
    valu! { r;
        "v_dot2_i32_i16" [] (a: PkB16, b: PkB16, c: u32) -> u32 => dot::v_dot2_i32_i16(a.0, b.0, c, false),
            clamp dot::v_dot2_i32_i16(a.0, b.0, c, true);
        "v_dot2_u32_u16" [] (a: PkB16, b: PkB16, c: u32) -> u32 => dot::v_dot2_u32_u16(a.0, b.0, c, false),
            clamp dot::v_dot2_u32_u16(a.0, b.0, c, true);
        "v_dot4_i32_i8" [] (a: u32, b: u32, c: u32) -> u32 => dot::v_dot4_i32_i8(a, b, c, false),
            clamp dot::v_dot4_i32_i8(a, b, c, true);
        "v_dot4_u32_u8" [] (a: u32, b: u32, c: u32) -> u32 => dot::v_dot4_u32_u8(a, b, c, false),
            clamp dot::v_dot4_u32_u8(a, b, c, true);
        "v_dot8_i32_i4" [] (a: u32, b: u32, c: u32) -> u32 => dot::v_dot8_i32_i4(a, b, c, false),
            clamp dot::v_dot8_i32_i4(a, b, c, true);
        "v_dot8_u32_u4" [] (a: u32, b: u32, c: u32) -> u32 => dot::v_dot8_u32_u4(a, b, c, false),
            clamp dot::v_dot8_u32_u4(a, b, c, true);
        "v_dot2c_i32_i16" [acc] (a: PkB16, b: PkB16, c: u32) -> u32 => dot::v_dot2_i32_i16(a.0, b.0, c, false),
            clamp dot::v_dot2_i32_i16(a.0, b.0, c, true);
        "v_dot4c_i32_i8" [acc] (a: u32, b: u32, c: u32) -> u32 => dot::v_dot4_i32_i8(a, b, c, false),
            clamp dot::v_dot4_i32_i8(a, b, c, true);
        "v_dot8c_i32_i4" [acc] (a: u32, b: u32, c: u32) -> u32 => dot::v_dot8_i32_i4(a, b, c, false),
            clamp dot::v_dot8_i32_i4(a, b, c, true);
        "v_dot4_i32_iu8" [signed] (m; a: u32, b: u32, c: u32) -> u32 =>
            dot::v_dot4_i32_iu8(a, b, c, m.0 as u32, false),
            clamp dot::v_dot4_i32_iu8(a, b, c, m.0 as u32, true);
        "v_dot8_i32_iu4" [signed] (m; a: u32, b: u32, c: u32) -> u32 =>
            dot::v_dot8_i32_iu4(a, b, c, m.0 as u32, false),
            clamp dot::v_dot8_i32_iu4(a, b, c, m.0 as u32, true);
    }
}
