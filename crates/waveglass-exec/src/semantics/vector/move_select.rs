//! Moves, selects and the first arithmetic: what every kernel uses.

use crate::semantics::table::{compares, masked, valu};
use crate::semantics::{Registry, Semantics};
use crate::valu::kernel::{builds, select};
use crate::valu::{ClampKind, High16, LaneOp, MaskUse, Spec, Ty};

struct Select;

impl LaneOp for Select {
    #[inline(always)]
    fn run(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, mask: u64) -> u64 {
        select::<u32>(regs, d, s, n, mask);
        0
    }
}

/// `v_cndmask_b32` takes neg and abs like a float.
static CNDMASK: Spec = Spec {
    name: "v_cndmask_b32",
    kernel: builds::<Select>(),
    sources: [Ty::F32, Ty::F32, Ty::None],
    result: Ty::B32,
    mask: MaskUse::Select,
    clamp: ClampKind::Float,
    high: High16::ZeroOnGfx9,
    accumulate: false,
};

pub(super) fn register(r: &mut Registry) {
    r.insert("v_cndmask_b32", Semantics::Valu(&CNDMASK));
    valu! { r;
        "v_mov_b32" [] (a: u32) -> u32 => a;
        "v_not_b32" [] (a: u32) -> u32 => !a;
        "v_and_b32" [] (a: u32, b: u32) -> u32 => a & b;
        "v_or_b32" [] (a: u32, b: u32) -> u32 => a | b;
        "v_xor_b32" [] (a: u32, b: u32) -> u32 => a ^ b;
        "v_add_u32" [] (a: u32, b: u32) -> u32 => a.wrapping_add(b);
        "v_add_nc_u32" [] (a: u32, b: u32) -> u32 => a.wrapping_add(b);
        "v_add_f32" [] (a: f32, b: f32) -> f32 => a + b;
        "v_mul_f32" [] (a: f32, b: f32) -> f32 => a * b;
        "v_fma_f32" [] (a: f32, b: f32, c: f32) -> f32 => a.mul_add(b, c);
        "v_fmac_f32" [acc] (a: f32, b: f32, c: f32) -> f32 => a.mul_add(b, c);
    }
    masked! { r;
        "v_add_co_u32" CarryOut (_c; a: u32, b: u32) -> u32 => a.overflowing_add(b);
        "v_addc_co_u32" CarryInOut (c; a: u32, b: u32) -> u32 => {
            let v = a as u64 + b as u64 + c as u64;
            (v as u32, v >> 32 != 0)
        };
    }
    compares! { r;
        "v_cmp_lt_f32" "v_cmpx_lt_f32" (a: f32, b: f32) a < b;
        "v_cmp_eq_u32" "v_cmpx_eq_u32" (a: u32, b: u32) a == b;
    }
}
