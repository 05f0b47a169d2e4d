//! Single-precision arithmetic, in the order of the manuals' VOP2, VOP1 and VOP3 tables.
//!
//! Denormals are flushed by the framework as MODE says; operations that flush whatever it says do
//! so themselves.

use crate::alu::cube::*;
use crate::alu::division::*;
use crate::alu::float::flush_f32;
use crate::alu::float32::*;
use crate::alu::minmax::*;
use crate::alu::transcendental::*;
use crate::semantics::table::{masked, valu};
use crate::semantics::{self, Registry, Semantics, refuse};
use crate::valu::kernel::Setting;
use crate::valu::scalar;
use waveglass_isa::Field;

pub(super) fn register(r: &mut Registry) {
    arithmetic(r);
    min_max(r);
    one_source(r);
    division(r);
    scalars(r);
}

/// Defines `v_s_…` by the vector operation that it is on one scalar.
macro_rules! scalars {
    ($r:expr; $($name:literal = $vector:literal;)*) => {$(
        $r.insert($name, Semantics::Custom(|c| match semantics::find($vector) {
            Some(Semantics::Valu(spec)) => scalar::compile(c, spec, Field::Vdst),
            _ => refuse(c, "the instruction has no semantics here"),
        }));
    )*};
}

/// RDNA4's transcendentals on scalar registers, in half precision too.
fn scalars(r: &mut Registry) {
    scalars! { r;
        "v_s_exp_f32" = "v_exp_f32";
        "v_s_log_f32" = "v_log_f32";
        "v_s_rcp_f32" = "v_rcp_f32";
        "v_s_rsq_f32" = "v_rsq_f32";
        "v_s_sqrt_f32" = "v_sqrt_f32";
        "v_s_exp_f16" = "v_exp_f16";
        "v_s_log_f16" = "v_log_f16";
        "v_s_rcp_f16" = "v_rcp_f16";
        "v_s_rsq_f16" = "v_rsq_f16";
        "v_s_sqrt_f16" = "v_sqrt_f16";
    }
}

fn arithmetic(r: &mut Registry) {
    valu! { r;
        "v_add_f32" [] (a: f32, b: f32) -> f32 => v_add_f32(a, b), fast a + b;
        "v_sub_f32" [] (a: f32, b: f32) -> f32 => v_sub_f32(a, b), fast a - b;
        "v_subrev_f32" [] (a: f32, b: f32) -> f32 => v_subrev_f32(a, b), fast b - a;
        "v_mul_f32" [] (a: f32, b: f32) -> f32 => v_mul_f32(a, b), fast a * b;
        "v_mul_legacy_f32" | "v_mul_dx9_zero_f32" [] (a: f32, b: f32) -> f32 =>
            v_mul_dx9_zero_f32(a, b);
        "v_mad_f32" | "v_madmk_f32" | "v_madak_f32" [] (a: f32, b: f32, c: f32) -> f32 =>
            v_mad_f32(a, b, c), fast mad_flushed(a, b, c);
        "v_mac_f32" [acc] (a: f32, b: f32, c: f32) -> f32 => v_mad_f32(a, b, c),
            fast mad_flushed(a, b, c);
        "v_mad_legacy_f32" [] (a: f32, b: f32, c: f32) -> f32 => v_mad_legacy_f32(a, b, c);
        "v_mac_legacy_f32" [acc] (a: f32, b: f32, c: f32) -> f32 => v_mad_legacy_f32(a, b, c);
        "v_fma_f32" | "v_fmamk_f32" | "v_fmaak_f32" [] (a: f32, b: f32, c: f32) -> f32 =>
            v_fma_f32(a, b, c), fast a.mul_add(b, c);
        "v_fmac_f32" [acc] (a: f32, b: f32, c: f32) -> f32 =>
            v_fma_f32(a, b, c), fast a.mul_add(b, c);
        "v_fma_legacy_f32" | "v_fma_dx9_zero_f32" [] (m; a: f32, b: f32, c: f32) -> f32 =>
            flushing(m, [a, b, c], v_fma_dx9_zero_f32);
        "v_fmac_legacy_f32" | "v_fmac_dx9_zero_f32" [acc] (a: f32, b: f32, c: f32) -> f32 =>
            v_fma_dx9_zero_f32(a, b, c);
        "v_mullit_f32" [] (a: f32, b: f32, c: f32) -> f32 => v_mullit_f32(a, b, c);
        "v_ldexp_f32" [] (a: f32, b: u32) -> f32 => v_ldexp_f32(a, b),
            fast moderate_ldexp_f32(a, b);
        "v_cubeid_f32" [] (m; a: f32, b: f32, c: f32) -> f32 => flushing(m, [a, b, c], v_cubeid_f32);
        "v_cubesc_f32" [] (m; a: f32, b: f32, c: f32) -> f32 => flushing(m, [a, b, c], v_cubesc_f32);
        "v_cubetc_f32" [] (m; a: f32, b: f32, c: f32) -> f32 => flushing(m, [a, b, c], v_cubetc_f32);
        "v_cubema_f32" [] (m; a: f32, b: f32, c: f32) -> f32 => flushing(m, [a, b, c], v_cubema_f32);
    }
}

/// An operation that flushes denormals on some targets.
#[inline(always)]
fn flushing(m: Setting, x: [f32; 3], f: impl Fn(f32, f32, f32) -> f32) -> f32 {
    if m.flushes_graphics() {
        let [a, b, c] = x.map(flush_f32);
        flush_f32(f(a, b, c))
    } else {
        f(x[0], x[1], x[2])
    }
}

/// RDNA3 changed which of two NaN is returned.
macro_rules! by_generation {
    ($m:ident, $old:ident, $gfx11:ident, $($a:ident),*) => {
        if $m.major() == 11 {
            $gfx11($($a,)* $m.ieee())
        } else {
            $old($($a,)* $m.ieee())
        }
    };
}

fn min_max(r: &mut Registry) {
    valu! { r;
        "v_min_f32" [] (m; a: f32, b: f32) -> f32 =>
            by_generation!(m, v_min_f32, v_min_f32_gfx11, a, b), fast numbers::min(a, b);
        "v_max_f32" [] (m; a: f32, b: f32) -> f32 =>
            by_generation!(m, v_max_f32, v_max_f32_gfx11, a, b), fast numbers::max(a, b);
        "v_min3_f32" [] (m; a: f32, b: f32, c: f32) -> f32 =>
            by_generation!(m, v_min3_f32, v_min3_f32_gfx11, a, b, c), fast numbers::min(numbers::min(a, b), c);
        "v_max3_f32" [] (m; a: f32, b: f32, c: f32) -> f32 =>
            by_generation!(m, v_max3_f32, v_max3_f32_gfx11, a, b, c), fast numbers::max(numbers::max(a, b), c);
        "v_med3_f32" [] (m; a: f32, b: f32, c: f32) -> f32 =>
            by_generation!(m, v_med3_f32, v_med3_f32_gfx11, a, b, c), by easy => (numbers::plain_med3, numbers::med3);
        "v_maxmin_f32" [] (m; a: f32, b: f32, c: f32) -> f32 =>
            by_generation!(m, v_maxmin_f32, v_maxmin_f32_gfx11, a, b, c), fast numbers::min(numbers::max(a, b), c);
        "v_minmax_f32" [] (m; a: f32, b: f32, c: f32) -> f32 =>
            by_generation!(m, v_minmax_f32, v_minmax_f32_gfx11, a, b, c), fast numbers::max(numbers::min(a, b), c);
        "v_min_num_f32" [] (a: f32, b: f32) -> f32 => v_min_num_f32(a, b);
        "v_max_num_f32" [] (a: f32, b: f32) -> f32 => v_max_num_f32(a, b);
        "v_min3_num_f32" [] (a: f32, b: f32, c: f32) -> f32 =>
            v_min3_num_f32(a, b, c), fast numbers::min(numbers::min(a, b), c);
        "v_max3_num_f32" [] (a: f32, b: f32, c: f32) -> f32 =>
            v_max3_num_f32(a, b, c), fast numbers::max(numbers::max(a, b), c);
        "v_med3_num_f32" [] (a: f32, b: f32, c: f32) -> f32 =>
            v_med3_num_f32(a, b, c), by easy => (numbers::plain_med3, numbers::med3);
        "v_maxmin_num_f32" [] (a: f32, b: f32, c: f32) -> f32 => v_maxmin_num_f32(a, b, c);
        "v_minmax_num_f32" [] (a: f32, b: f32, c: f32) -> f32 => v_minmax_num_f32(a, b, c);
        "v_minimum_f32" [] (a: f32, b: f32) -> f32 => v_minimum_f32(a, b);
        "v_maximum_f32" [] (a: f32, b: f32) -> f32 => v_maximum_f32(a, b);
        "v_minimum3_f32" [] (a: f32, b: f32, c: f32) -> f32 => v_minimum3_f32(a, b, c);
        "v_maximum3_f32" [] (a: f32, b: f32, c: f32) -> f32 => v_maximum3_f32(a, b, c);
        "v_minimummaximum_f32" [] (a: f32, b: f32, c: f32) -> f32 => v_minimummaximum_f32(a, b, c);
        "v_maximumminimum_f32" [] (a: f32, b: f32, c: f32) -> f32 => v_maximumminimum_f32(a, b, c);
    }
}

fn one_source(r: &mut Registry) {
    valu! { r;
        "v_floor_f32" [] (a: f32) -> f32 => v_floor_f32(a);
        "v_ceil_f32" [] (a: f32) -> f32 => v_ceil_f32(a);
        "v_trunc_f32" [] (a: f32) -> f32 => v_trunc_f32(a);
        "v_rndne_f32" [] (a: f32) -> f32 => v_rndne_f32(a);
        "v_fract_f32" [] (a: f32) -> f32 => v_fract_f32(a);
        "v_frexp_mant_f32" [] (a: f32) -> f32 => v_frexp_mant_f32(a);
        "v_frexp_exp_i32_f32" [] (a: f32) -> u32 => v_frexp_exp_i32_f32(a);
        "v_exp_f32" | "v_exp_legacy_f32" [] (a: f32) -> f32 => v_exp_f32(a);
        "v_log_f32" | "v_log_legacy_f32" [] (a: f32) -> f32 => v_log_f32(a), by usual => usual_log_f32(a);
        "v_rcp_f32" | "v_rcp_iflag_f32" [] (a: f32) -> f32 => v_rcp_f32(a);
        "v_rsq_f32" [] (a: f32) -> f32 => v_rsq_f32(a);
        "v_sqrt_f32" [] (a: f32) -> f32 => v_sqrt_f32(a);
        "v_sin_f32" [] (a: f32) -> f32 => v_sin_f32(a);
        "v_cos_f32" [] (a: f32) -> f32 => v_cos_f32(a);
        "v_tanh_f32" [] (a: f32) -> f32 => v_tanh_f32(a);
    }
}

fn division(r: &mut Registry) {
    valu! { r;
        "v_div_fixup_f32" [] (a: f32, b: f32, c: f32) -> f32 => v_div_fixup_f32(a, b, c),
            by fixup => ordinary_quotient_f32;
    }
    // Their sources come as bits, which the framework does not flush ("Input denormals are not
    // flushed", V_DIV_FMAS_F32).
    masked! { r;
        "v_div_scale_f32" CarryOut (_bit; a: u32, b: u32, c: u32) -> f32 =>
            v_div_scale_f32(f32::from_bits(a), f32::from_bits(b), f32::from_bits(c)),
            by unscaled unscaled_f32;
        "v_div_fmas_f32" Vcc (scale; a: u32, b: u32, c: u32) -> f32 => (
            v_div_fmas_f32(f32::from_bits(a), f32::from_bits(b), f32::from_bits(c), scale),
            false,
        ), by fused f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c));
    }
}
