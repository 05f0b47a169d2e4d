//! `v_cmp_*` and `v_cmpx_*`: every condition on every type, and the class tests.

use crate::alu::compare::{v_cmp, v_cmp_class_f16, v_cmp_class_f32, v_cmp_class_f64};
use crate::alu::float::widen_f16;
use crate::semantics::Registry;
use crate::semantics::table::compares;
use half::f16;

/// The conditions on one integer type, numbered as `alu::compare::IntCond`.
macro_rules! integer {
    ($r:expr; $t:ty: $($cond:literal $cmp:literal $cmpx:literal;)*) => {
        compares! { $r; $($cmp $cmpx (a: $t, b: $t) v_cmp::<$cond, $t>(a, b);)* }
    };
}

/// The conditions on one float type, numbered as `alu::compare::FloatCond`.
macro_rules! float {
    ($r:expr; $t:ty, $wide:ident: $($cond:literal $cmp:literal $cmpx:literal;)*) => {
        compares! { $r; $($cmp $cmpx (a: $t, b: $t) v_cmp::<$cond, _>($wide(a), $wide(b));)* }
    };
}

#[inline(always)]
fn same<T>(x: T) -> T {
    x
}

#[inline(always)]
fn widen(x: f16) -> f32 {
    widen_f16(x.to_bits())
}

pub(super) fn register(r: &mut Registry) {
    integers(r);
    floats(r);
    // The class is of the bits as they are: denormals are not flushed before.
    compares! { r;
        "v_cmp_class_f16" "v_cmpx_class_f16" (a: u16, b: u16) v_cmp_class_f16(a, b as u32);
        "v_cmp_class_f32" "v_cmpx_class_f32" (a: u32, b: u32) v_cmp_class_f32(a, b);
        "v_cmp_class_f64" "v_cmpx_class_f64" (a: u64, b: u32) v_cmp_class_f64(a, b);
    }
}

fn integers(r: &mut Registry) {
    integer! { r; i16:
        0 "v_cmp_f_i16" "v_cmpx_f_i16";
        1 "v_cmp_lt_i16" "v_cmpx_lt_i16";
        2 "v_cmp_eq_i16" "v_cmpx_eq_i16";
        3 "v_cmp_le_i16" "v_cmpx_le_i16";
        4 "v_cmp_gt_i16" "v_cmpx_gt_i16";
        5 "v_cmp_ne_i16" "v_cmpx_ne_i16";
        6 "v_cmp_ge_i16" "v_cmpx_ge_i16";
        7 "v_cmp_t_i16" "v_cmpx_t_i16";
    }
    integer! { r; u16:
        0 "v_cmp_f_u16" "v_cmpx_f_u16";
        1 "v_cmp_lt_u16" "v_cmpx_lt_u16";
        2 "v_cmp_eq_u16" "v_cmpx_eq_u16";
        3 "v_cmp_le_u16" "v_cmpx_le_u16";
        4 "v_cmp_gt_u16" "v_cmpx_gt_u16";
        5 "v_cmp_ne_u16" "v_cmpx_ne_u16";
        6 "v_cmp_ge_u16" "v_cmpx_ge_u16";
        7 "v_cmp_t_u16" "v_cmpx_t_u16";
    }
    integer! { r; i32:
        0 "v_cmp_f_i32" "v_cmpx_f_i32";
        1 "v_cmp_lt_i32" "v_cmpx_lt_i32";
        2 "v_cmp_eq_i32" "v_cmpx_eq_i32";
        3 "v_cmp_le_i32" "v_cmpx_le_i32";
        4 "v_cmp_gt_i32" "v_cmpx_gt_i32";
        5 "v_cmp_ne_i32" "v_cmpx_ne_i32";
        6 "v_cmp_ge_i32" "v_cmpx_ge_i32";
        7 "v_cmp_t_i32" "v_cmpx_t_i32";
    }
    integer! { r; u32:
        0 "v_cmp_f_u32" "v_cmpx_f_u32";
        1 "v_cmp_lt_u32" "v_cmpx_lt_u32";
        2 "v_cmp_eq_u32" "v_cmpx_eq_u32";
        3 "v_cmp_le_u32" "v_cmpx_le_u32";
        4 "v_cmp_gt_u32" "v_cmpx_gt_u32";
        5 "v_cmp_ne_u32" "v_cmpx_ne_u32";
        6 "v_cmp_ge_u32" "v_cmpx_ge_u32";
        7 "v_cmp_t_u32" "v_cmpx_t_u32";
    }
    integer! { r; i64:
        0 "v_cmp_f_i64" "v_cmpx_f_i64";
        1 "v_cmp_lt_i64" "v_cmpx_lt_i64";
        2 "v_cmp_eq_i64" "v_cmpx_eq_i64";
        3 "v_cmp_le_i64" "v_cmpx_le_i64";
        4 "v_cmp_gt_i64" "v_cmpx_gt_i64";
        5 "v_cmp_ne_i64" "v_cmpx_ne_i64";
        6 "v_cmp_ge_i64" "v_cmpx_ge_i64";
        7 "v_cmp_t_i64" "v_cmpx_t_i64";
    }
    integer! { r; u64:
        0 "v_cmp_f_u64" "v_cmpx_f_u64";
        1 "v_cmp_lt_u64" "v_cmpx_lt_u64";
        2 "v_cmp_eq_u64" "v_cmpx_eq_u64";
        3 "v_cmp_le_u64" "v_cmpx_le_u64";
        4 "v_cmp_gt_u64" "v_cmpx_gt_u64";
        5 "v_cmp_ne_u64" "v_cmpx_ne_u64";
        6 "v_cmp_ge_u64" "v_cmpx_ge_u64";
        7 "v_cmp_t_u64" "v_cmpx_t_u64";
    }
}

fn floats(r: &mut Registry) {
    float! { r; f16, widen:
        0 "v_cmp_f_f16" "v_cmpx_f_f16";
        1 "v_cmp_lt_f16" "v_cmpx_lt_f16";
        2 "v_cmp_eq_f16" "v_cmpx_eq_f16";
        3 "v_cmp_le_f16" "v_cmpx_le_f16";
        4 "v_cmp_gt_f16" "v_cmpx_gt_f16";
        5 "v_cmp_lg_f16" "v_cmpx_lg_f16";
        6 "v_cmp_ge_f16" "v_cmpx_ge_f16";
        7 "v_cmp_o_f16" "v_cmpx_o_f16";
        8 "v_cmp_u_f16" "v_cmpx_u_f16";
        9 "v_cmp_nge_f16" "v_cmpx_nge_f16";
        10 "v_cmp_nlg_f16" "v_cmpx_nlg_f16";
        11 "v_cmp_ngt_f16" "v_cmpx_ngt_f16";
        12 "v_cmp_nle_f16" "v_cmpx_nle_f16";
        13 "v_cmp_neq_f16" "v_cmpx_neq_f16";
        14 "v_cmp_nlt_f16" "v_cmpx_nlt_f16";
        15 "v_cmp_tru_f16" "v_cmpx_tru_f16";
        15 "v_cmp_t_f16" "v_cmpx_t_f16";
    }
    float! { r; f32, same:
        0 "v_cmp_f_f32" "v_cmpx_f_f32";
        1 "v_cmp_lt_f32" "v_cmpx_lt_f32";
        2 "v_cmp_eq_f32" "v_cmpx_eq_f32";
        3 "v_cmp_le_f32" "v_cmpx_le_f32";
        4 "v_cmp_gt_f32" "v_cmpx_gt_f32";
        5 "v_cmp_lg_f32" "v_cmpx_lg_f32";
        6 "v_cmp_ge_f32" "v_cmpx_ge_f32";
        7 "v_cmp_o_f32" "v_cmpx_o_f32";
        8 "v_cmp_u_f32" "v_cmpx_u_f32";
        9 "v_cmp_nge_f32" "v_cmpx_nge_f32";
        10 "v_cmp_nlg_f32" "v_cmpx_nlg_f32";
        11 "v_cmp_ngt_f32" "v_cmpx_ngt_f32";
        12 "v_cmp_nle_f32" "v_cmpx_nle_f32";
        13 "v_cmp_neq_f32" "v_cmpx_neq_f32";
        14 "v_cmp_nlt_f32" "v_cmpx_nlt_f32";
        15 "v_cmp_tru_f32" "v_cmpx_tru_f32";
        15 "v_cmp_t_f32" "v_cmpx_t_f32";
    }
    float! { r; f64, same:
        0 "v_cmp_f_f64" "v_cmpx_f_f64";
        1 "v_cmp_lt_f64" "v_cmpx_lt_f64";
        2 "v_cmp_eq_f64" "v_cmpx_eq_f64";
        3 "v_cmp_le_f64" "v_cmpx_le_f64";
        4 "v_cmp_gt_f64" "v_cmpx_gt_f64";
        5 "v_cmp_lg_f64" "v_cmpx_lg_f64";
        6 "v_cmp_ge_f64" "v_cmpx_ge_f64";
        7 "v_cmp_o_f64" "v_cmpx_o_f64";
        8 "v_cmp_u_f64" "v_cmpx_u_f64";
        9 "v_cmp_nge_f64" "v_cmpx_nge_f64";
        10 "v_cmp_nlg_f64" "v_cmpx_nlg_f64";
        11 "v_cmp_ngt_f64" "v_cmpx_ngt_f64";
        12 "v_cmp_nle_f64" "v_cmpx_nle_f64";
        13 "v_cmp_neq_f64" "v_cmpx_neq_f64";
        14 "v_cmp_nlt_f64" "v_cmpx_nlt_f64";
        15 "v_cmp_tru_f64" "v_cmpx_tru_f64";
        15 "v_cmp_t_f64" "v_cmpx_t_f64";
    }
}
