//! `v_cndmask_b32` and `v_cndmask_b16`, and the operation that does nothing.

use crate::semantics::{NEXT, Registry, Semantics};
use crate::valu::kernel::{builds, select};
use crate::valu::{ClampKind, High16, LaneOp, MaskUse, Spec, Ty};

struct Select;

impl LaneOp for Select {
    #[inline(always)]
    fn run<const L: usize>(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, mask: u64) -> u64 {
        select::<L, u32>(regs, d, s, n, mask);
        0
    }
}

/// It takes neg and abs like a float, but flushes no denormals.
static CNDMASK: Spec = Spec {
    name: "v_cndmask_b32",
    kernel: builds::<Select>(),
    sources: [Ty::B32, Ty::B32, Ty::None],
    result: Ty::B32,
    mask: MaskUse::Select,
    clamp: ClampKind::Float,
    high: High16::ZeroOnGfx9,
    accumulate: false,
};

struct SelectHalf;

impl LaneOp for SelectHalf {
    #[inline(always)]
    fn run<const L: usize>(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, mask: u64) -> u64 {
        select::<L, u16>(regs, d, s, n, mask);
        0
    }
}

static CNDMASK_B16: Spec = Spec {
    name: "v_cndmask_b16",
    kernel: builds::<SelectHalf>(),
    sources: [Ty::B16, Ty::B16, Ty::None],
    result: Ty::B16,
    ..CNDMASK
};

pub(super) fn register(r: &mut Registry) {
    r.insert("v_cndmask_b32", Semantics::Valu(&CNDMASK));
    r.insert("v_cndmask_b16", Semantics::Valu(&CNDMASK_B16));
    // "Do nothing", and "Flush the VALU destination cache", which nothing here has.
    // Exceptions are not gathered, so there are none to clear.
    for name in ["v_nop", "v_pipeflush", "v_clrexcp"] {
        r.insert(name, Semantics::Custom(|c| c.op(|_, _| NEXT)));
    }
}
