//! Scalar floating point (RDNA3.5 ISA, RDNA4 ISA: SOP1, SOP2, SOPC): each operation is the vector
//! operation of the same name on one value, so that MODE acts on it in the same way.

use super::super::{Registry, Semantics, find, refuse};
use super::{add, usual};
use crate::alu::float::{flush_f16, flush_f32, widen_f16};
use crate::machine::Machine;
use crate::program::{Compile, Op, Src};
use crate::valu::scalar;
use waveglass_isa::Field;

/// Makes the op of a scalar operation around the vector operation's spec.
fn compile(c: &Compile<'_>) -> Op {
    let name = c.inst.mnemonic();
    let vector = match name {
        "s_cvt_hi_f32_f16" => "v_cvt_f32_f16".to_owned(),
        _ => format!("v_{}", name.strip_prefix("s_").unwrap_or(name)),
    };
    let Some(Semantics::Valu(spec)) = find(&vector) else {
        return refuse(c, "the instruction has no semantics here");
    };
    let mut op = scalar::compile(c, spec, Field::Sdst);
    if name == "s_cvt_hi_f32_f16"
        && let Some(info) = op.valu.as_deref_mut()
    {
        info.take_upper_half();
    }
    op
}

const OPERATIONS: &[&str] = &[
    "s_add_f32",
    "s_sub_f32",
    "s_mul_f32",
    "s_fmac_f32",
    "s_fmamk_f32",
    "s_fmaak_f32",
    "s_min_f32",
    "s_max_f32",
    "s_min_num_f32",
    "s_max_num_f32",
    "s_minimum_f32",
    "s_maximum_f32",
    "s_add_f16",
    "s_sub_f16",
    "s_mul_f16",
    "s_fmac_f16",
    "s_min_f16",
    "s_max_f16",
    "s_min_num_f16",
    "s_max_num_f16",
    "s_minimum_f16",
    "s_maximum_f16",
    "s_ceil_f32",
    "s_floor_f32",
    "s_trunc_f32",
    "s_rndne_f32",
    "s_ceil_f16",
    "s_floor_f16",
    "s_trunc_f16",
    "s_rndne_f16",
    "s_cvt_f32_i32",
    "s_cvt_f32_u32",
    "s_cvt_i32_f32",
    "s_cvt_u32_f32",
    "s_cvt_f16_f32",
    "s_cvt_f32_f16",
    "s_cvt_hi_f32_f16",
    "s_cvt_pk_rtz_f16_f32",
];

/// Comparisons: the result is SCC.
macro_rules! compares {
    ($r:expr; $($f32:literal $f16:literal $cmp:expr;)*) => {
        add($r, &[$(
            ($f32, |c| usual(c, |m, op| {
                let r = $cmp(f(m, op.s[0]), f(m, op.s[1]));
                m.wave.scc = r;
                super::super::NEXT
            })),
            ($f16, |c| usual(c, |m, op| {
                let r = $cmp(h(m, op.s[0]), h(m, op.s[1]));
                m.wave.scc = r;
                super::super::NEXT
            })),
        )*]);
    };
}

/// A binary32 source, flushed as MODE says.
fn f(m: &Machine<'_>, s: Src) -> f32 {
    let x = f32::from_bits(m.s32(s));
    if m.wave.mode.denorm_f32_in() {
        x
    } else {
        flush_f32(x)
    }
}

/// A binary16 source, flushed as MODE says.
fn h(m: &Machine<'_>, s: Src) -> f32 {
    let x = m.s32(s) as u16;
    widen_f16(if m.wave.mode.denorm_f16_f64_in() {
        x
    } else {
        flush_f16(x)
    })
}

// The negated comparisons are true of NaN, and `lg` is false: no simpler form says the same.
#[allow(clippy::neg_cmp_op_on_partial_ord, clippy::double_comparisons)]
pub(super) fn register(r: &mut Registry) {
    for name in OPERATIONS {
        r.insert(name, Semantics::Custom(compile));
    }
    compares! { r;
        "s_cmp_lt_f32" "s_cmp_lt_f16" |x: f32, y: f32| x < y;
        "s_cmp_eq_f32" "s_cmp_eq_f16" |x: f32, y: f32| x == y;
        "s_cmp_le_f32" "s_cmp_le_f16" |x: f32, y: f32| x <= y;
        "s_cmp_gt_f32" "s_cmp_gt_f16" |x: f32, y: f32| x > y;
        "s_cmp_lg_f32" "s_cmp_lg_f16" |x: f32, y: f32| x < y || x > y;
        "s_cmp_ge_f32" "s_cmp_ge_f16" |x: f32, y: f32| x >= y;
        "s_cmp_o_f32" "s_cmp_o_f16" |x: f32, y: f32| !(x.is_nan() || y.is_nan());
        "s_cmp_u_f32" "s_cmp_u_f16" |x: f32, y: f32| x.is_nan() || y.is_nan();
        "s_cmp_nge_f32" "s_cmp_nge_f16" |x: f32, y: f32| !(x >= y);
        "s_cmp_nlg_f32" "s_cmp_nlg_f16" |x: f32, y: f32| !(x < y || x > y);
        "s_cmp_ngt_f32" "s_cmp_ngt_f16" |x: f32, y: f32| !(x > y);
        "s_cmp_nle_f32" "s_cmp_nle_f16" |x: f32, y: f32| !(x <= y);
        "s_cmp_neq_f32" "s_cmp_neq_f16" |x: f32, y: f32| x != y;
        "s_cmp_nlt_f32" "s_cmp_nlt_f16" |x: f32, y: f32| !(x < y);
    }
}
