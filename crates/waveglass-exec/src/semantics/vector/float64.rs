//! Double-precision arithmetic, in the order of the manuals' VOP1 and VOP3 tables.

use crate::alu::division::*;
use crate::alu::float64::*;
use crate::alu::minmax::*;
use crate::alu::transcendental::*;
use crate::semantics::Registry;
use crate::semantics::table::{masked, valu};

pub(super) fn register(r: &mut Registry) {
    valu! { r;
        "v_add_f64" [] (a: f64, b: f64) -> f64 => v_add_f64(a, b), fast a + b;
        "v_mul_f64" [] (a: f64, b: f64) -> f64 => v_mul_f64(a, b), fast a * b;
        "v_fma_f64" | "v_fmamk_f64" | "v_fmaak_f64" [] (a: f64, b: f64, c: f64) -> f64 => v_fma_f64(a, b, c), fast a.mul_add(b, c);
        "v_fmac_f64" [acc] (a: f64, b: f64, c: f64) -> f64 => v_fma_f64(a, b, c), fast a.mul_add(b, c);
        "v_min_f64" [] (m; a: f64, b: f64) -> f64 => if m.major() == 11 {
            v_min_f64_gfx11(a, b, m.ieee())
        } else {
            v_min_f64(a, b, m.ieee())
        }, fast numbers::min_f64(a, b);
        "v_max_f64" [] (m; a: f64, b: f64) -> f64 => if m.major() == 11 {
            v_max_f64_gfx11(a, b, m.ieee())
        } else {
            v_max_f64(a, b, m.ieee())
        }, fast numbers::max_f64(a, b);
        "v_min_num_f64" [] (a: f64, b: f64) -> f64 => v_min_num_f64(a, b);
        "v_max_num_f64" [] (a: f64, b: f64) -> f64 => v_max_num_f64(a, b);
        "v_minimum_f64" [] (a: f64, b: f64) -> f64 => v_minimum_f64(a, b);
        "v_maximum_f64" [] (a: f64, b: f64) -> f64 => v_maximum_f64(a, b);
        "v_ldexp_f64" [] (a: f64, b: u32) -> f64 => v_ldexp_f64(a, b),
            fast moderate_ldexp_f64(a, b);
        "v_trig_preop_f64" [] (a: f64, b: u32) -> f64 => v_trig_preop_f64(a, b);
        "v_floor_f64" [] (a: f64) -> f64 => v_floor_f64(a);
        "v_ceil_f64" [] (a: f64) -> f64 => v_ceil_f64(a);
        "v_trunc_f64" [] (a: f64) -> f64 => v_trunc_f64(a);
        "v_rndne_f64" [] (a: f64) -> f64 => v_rndne_f64(a);
        "v_fract_f64" [] (a: f64) -> f64 => v_fract_f64(a);
        "v_frexp_mant_f64" [] (a: f64) -> f64 => v_frexp_mant_f64(a);
        "v_frexp_exp_i32_f64" [] (a: f64) -> u32 => v_frexp_exp_i32_f64(a);
        "v_rcp_f64" [] (a: f64) -> f64 => v_rcp_f64(a);
        "v_rsq_f64" [] (a: f64) -> f64 => v_rsq_f64(a),
            by usual => if L == 0 { (v_rsq_f64(a), true) } else { fused_rsq_f64(a) };
        "v_sqrt_f64" [] (a: f64) -> f64 => v_sqrt_f64(a);
        "v_div_fixup_f64" [] (a: f64, b: f64, c: f64) -> f64 => v_div_fixup_f64(a, b, c),
            by fixup => ordinary_quotient_f64;
    }
    // Sources as bits are not flushed; see the single-precision forms.
    masked! { r;
        "v_div_scale_f64" CarryOut (_bit; a: u64, b: u64, c: u64) -> f64 =>
            v_div_scale_f64(f64::from_bits(a), f64::from_bits(b), f64::from_bits(c)),
            by unscaled unscaled_f64;
        "v_div_fmas_f64" Vcc (scale; a: u64, b: u64, c: u64) -> f64 => (
            v_div_fmas_f64(f64::from_bits(a), f64::from_bits(b), f64::from_bits(c), scale),
            false,
        ), by fused f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c));
    }
}
