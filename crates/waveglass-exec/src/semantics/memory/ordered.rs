//! What waves do in the order in which they were started: `ds_ordered_count` (RDNA 1 ISA 12.13, RDNA 3 ISA
//! 13.4.3, 16.15), `global_atomic_ordered_add_b64` (RDNA 4 ISA 16.20); and the registers of GDS that
//! `ds_add_gs_reg_rtn` and `ds_sub_gs_reg_rtn` count in (RDNA 3 ISA 12.6.1), which start with zeros here.
//!
//! Waves have ordered ids only where the dispatch gives them
//! ([`Setup::ordered_append`](crate::Setup::ordered_append)). An ordered count waits until all older waves have
//! released their turns; whose turn it is, the hardware knows by the wave, and the program has to say the
//! same in M0\[15:0\].
//!
//! * GCN 5 to RDNA 2: the counter is the dword of GDS at M0\[31:16\] plus OFFSET0\[7:2\] dwords. Up to CDNA 1 the
//!   manuals say that the lanes of EXEC are counted, in the sentence that RDNA 1's continues with "count =
//!   src0\[index\]", of the first active lane: the latter is taken, as compilers do, for all. "Broadcast back to
//!   ALL lanes": every active lane has the result.
//! * RDNA 3: the counter is one of the sixteen registers. Only the first active lane has the result.
//! * With EXEC zero nothing is added, and the turn goes on.

use super::address::{GV, GVS};
use super::atomics::{self, put_before};
use super::{active, done, immediate, span, vgpr, with_destination};
use crate::dispatch::ORDERED_ID_MASK;
use crate::machine::Machine;
use crate::program::{Compile, Handler, Op, Step};
use crate::semantics::{NEXT, Registry, Semantics, refuse};
use crate::wave::ROW_LANES;
use waveglass_isa::Field;
use waveglass_mem::{Access, AtomicOp, AtomicWidth, Fault, FaultKind, Gds, Space};

/// Why an instruction is refused in a dispatch without ordered ids.
const NO_IDS: &str = "waves have no ordered ids, which the dispatch gives with the setting ordered_append \
                      (run --ordered-append)";

pub(super) fn register(r: &mut Registry) {
    r.insert("ds_ordered_count", Semantics::Custom(ordered_count));
    r.insert(
        "ds_add_gs_reg_rtn",
        Semantics::Custom(|c| gs_register(c, run_register::<false>)),
    );
    r.insert(
        "ds_sub_gs_reg_rtn",
        Semantics::Custom(|c| gs_register(c, run_register::<true>)),
    );
    r.insert(
        "global_atomic_ordered_add_b64",
        Semantics::Custom(ordered_add),
    );
}

/// What OFFSET1\[5:4\] does with the counter.
const EXCHANGE: i64 = 1;

fn ordered_count(c: &Compile<'_>) -> Op {
    let target = c.inst.target();
    let offset = immediate(c, Field::Offset);
    let (index, flags) = (offset & 0xff, offset >> 8);
    if flags & 3 == 2 {
        return refuse(c, "wave_done of an ordered count without wave_release");
    }
    if flags >> 4 & 3 > EXCHANGE {
        return refuse(
            c,
            "an ordered count with another opcode than add and exchange",
        );
    }
    if target.major() == 10 && flags >> 6 != 0 {
        return refuse(c, "an ordered count of more than one dword");
    }
    if target.major() == 11 && index >> 2 & 15 >= 8 {
        return refuse(
            c,
            "an ordered count in a register of 64 bits, of which one is returned",
        );
    }
    with_destination(c, Field::Vdst, run_count, |op| {
        op.mem.offset = offset;
        vgpr(c, Field::Addr).map(|r| op.target = r).is_some()
    })
}

fn run_count(m: &mut Machine<'_>, op: &Op) -> Step {
    if !m.env.ordered_append {
        return m.refuse(op, NO_IDS);
    }
    let (m0, exec) = (m.m0(), active(m));
    if m0 & 0xffff != m.wave.ordered_id as u32 & ORDERED_ID_MASK {
        return m.refuse(
            op,
            "M0[15:0] of an ordered count is not the wave's ordered id",
        );
    }
    let in_registers = m.wave.target.major() == 11;
    if in_registers && m0 >> 16 != 0 {
        return m.refuse(
            op,
            "M0[31:16] of an ordered count in a register is not zero",
        );
    }
    let value = match exec {
        0 => 0,
        _ => m.wave.lane(op.target as usize, m.first_lane()),
    };
    let flags = op.mem.offset >> 8;
    let change = |old: u32| match flags >> 4 & 3 {
        EXCHANGE => value,
        _ => old.wrapping_add(value),
    };
    let index = op.mem.offset as u32 & 0xfc;
    let gds = &m.env.gds;
    let before = gds.in_turn(m.wave.ordered_id, flags & 1 != 0, || {
        if in_registers {
            let old = gds.register(index >> 2, |old| change(old as u32).into());
            return Ok(old as u32);
        }
        // Bits 15:2 of the sum.
        let at = ((m0 >> 16) + index) & 0xfffc;
        gds.dword(at, change).ok_or(at)
    });
    let before = match before {
        Some(Ok(before)) => before,
        Some(Err(at)) => {
            let fault = Fault {
                kind: FaultKind::LdsRange,
                access: Access::Atomic,
                space: Space::Gds,
                lane: m.first_lane() as u8,
                address: at.into(),
                size: 4,
                nearest: None,
                limit: Some(Gds::size(m.port.rules.generation).into()),
            };
            m.port.faults.push(fault);
            0
        }
        None => return Step::Retry,
    };
    let lanes = if in_registers {
        exec & exec.wrapping_neg()
    } else {
        exec
    };
    put_before(m, op, &[[before; ROW_LANES]; 4], lanes);
    done(m, op)
}

fn gs_register(c: &Compile<'_>, run: Handler) -> Op {
    with_destination(c, Field::Vdst, run, |op| {
        op.mem.offset = immediate(c, Field::Offset);
        vgpr(c, Field::Data0).map(|d| op.d2 = d).is_some()
    })
}

fn run_register<const SUBTRACTS: bool>(m: &mut Machine<'_>, op: &Op) -> Step {
    let exec = active(m);
    let lane = m.first_lane();
    let value = match exec {
        0 => 0,
        _ => u64::from(m.wave.lane(op.d2 as usize, lane)),
    };
    let number = op.mem.offset as u32 >> 2 & 15;
    let before = m.env.gds.register(number, |old| match SUBTRACTS {
        true => old.wrapping_sub(value),
        false => old.wrapping_add(value),
    });
    if exec != 0 {
        let rows = m.wave.rows;
        for d in 0..if number < 8 { 1 } else { 2 } {
            let to = &mut m.wave.vgpr[span(rows, op.d + d, 1)];
            to[lane / ROW_LANES][lane % ROW_LANES] = (before >> (32 * d)) as u32;
        }
    }
    NEXT
}

fn ordered_add(c: &Compile<'_>) -> Op {
    let width = AtomicWidth::B64;
    let atomic = AtomicOp::OrderedAdd(ORDERED_ID_MASK);
    atomics::compile(c, atomic, width, [run_add::<GV>, run_add::<GVS>])
}

fn run_add<const MODE: u8>(m: &mut Machine<'_>, op: &Op) -> Step {
    if !m.env.ordered_append {
        return m.refuse(op, NO_IDS);
    }
    atomics::run_global::<MODE>(m, op)
}

#[cfg(test)]
#[path = "ordered_tests.rs"]
mod tests;
