//! Cache write-back, invalidation and prefetch.
//!
//! Memory here has no caches, so that these have no effect on what is read. What they order is
//! kept: a write-back or invalidation is a fence for the other host threads.

use crate::program::{Compile, Op};
use crate::semantics::{NEXT, Registry, Semantics};
use waveglass_mem::GlobalMemory;

/// Write-back and invalidation.
const FENCES: &[&str] = &[
    "buffer_gl0_inv",
    "buffer_gl1_inv",
    "buffer_inv",
    "buffer_invl2",
    "buffer_wbinvl1",
    "buffer_wbinvl1_vol",
    "buffer_wbl2",
    "global_inv",
    "global_wb",
    "global_wbinv",
    // "Discard": a dirty line that was written back before cannot be discarded any more, so that
    // nothing is lost (Vega ISA 12.6, "a performance optimization").
    "s_dcache_discard",
    "s_dcache_discard_x2",
    "s_dcache_inv",
    "s_dcache_inv_vol",
    "s_dcache_wb",
    "s_dcache_wb_vol",
    "s_gl1_inv",
];

/// Hints: a prefetch brings nothing that a load would not; a bad address is no violation (RDNA 4
/// ISA 8.4, "prefetch": "no error is reported").
const HINTS: &[&str] = &[
    "flat_prefetch_b8",
    "global_prefetch_b8",
    "s_atc_probe",
    "s_atc_probe_buffer",
    "s_buffer_prefetch_data",
    "s_prefetch_data",
    "s_prefetch_data_pc_rel",
    "s_prefetch_inst",
    "s_prefetch_inst_pc_rel",
];

pub(super) fn register(r: &mut Registry) {
    for name in FENCES {
        r.insert(name, Semantics::Custom(fence));
    }
    for name in HINTS {
        r.insert(name, Semantics::Custom(|c| c.op(|_, _| NEXT)));
    }
}

fn fence(c: &Compile<'_>) -> Op {
    c.op(|_, _| {
        GlobalMemory::fence();
        NEXT
    })
}
