//! Runs of source registers that reach past the wave's allocation.
//!
//! "Memory instructions that use a group of consecutive VGPRs that are out of range use VGPR0 for the
//! individual out of range VGPRs" (RDNA 3, RDNA 3.5, RDNA 4 and CDNA 5 ISA 3.3.2.2). The chapters of gfx9 and
//! gfx10 say of each VGPR that VGPR0 is used, and that the data of memory instructions are then undefined
//! (Vega ISA 3.6.1): the same values are as good as any. Such a run is copied to temporaries, where it is in
//! one piece, before the plain operation runs; it is a program's mistake, and costs nothing elsewhere.

use super::NEXT;
use crate::machine::Machine;
use crate::program::{Compile, Op, Step};

/// `plain` as it is, or behind the copies that its sources need.
pub(in crate::semantics) fn gathered(c: &Compile<'_>, plain: Op) -> Op {
    let runs = c.runs_past_allocation();
    if runs.is_empty() || plain.refused.is_some() {
        return plain;
    }
    let mut op = plain.clone();
    op.run = run;
    // A run: its first register below its length.
    for (slot, r) in op.lanes.iter_mut().zip(&runs) {
        *slot = r.first | r.count << 16;
    }
    for slot in op.lanes.iter_mut().skip(runs.len()) {
        *slot = 0;
    }
    op.parts = Box::new([plain]);
    op
}

fn run(m: &mut Machine<'_>, op: &Op) -> Step {
    let [plain] = &*op.parts else { return NEXT };
    let (rows, end) = (m.wave.rows, m.wave.temp_base as u32);
    let mut to = m.wave.temp_base * rows;
    for slot in op.lanes {
        let first = slot & 0xffff;
        for register in first..first + (slot >> 16) {
            let from = if register < end { register as usize } else { 0 } * rows;
            for row in 0..rows {
                m.wave.vgpr[to] = m.wave.vgpr[from + row];
                to += 1;
            }
        }
    }
    (plain.run)(m, plain)
}
