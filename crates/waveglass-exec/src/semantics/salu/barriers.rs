//! Barriers: the workgroup's own, split into signal and wait from gfx12 on, and gfx1250's named
//! ones (CDNA5 ISA 5.6).
//!
//! A barrier's number is a constant, or stands in M0 bits 4:0 with the member count in 22:16. -1 is
//! the workgroup's barrier. -2 and -4 are for trap handlers only: what a program does with them is
//! ignored, and the handler's use of them refused. -3 is the cluster's; waves are in no cluster here, where a signal to it is ignored.

use super::super::{NEXT, Registry, Semantics, refuse};
use crate::barrier::WaitsFor;
use crate::machine::Machine;
use crate::program::{Compile, Handler, Op, Step};
use crate::wave::sreg;
use waveglass_isa::Field;

/// The source as M0 or a constant number.
fn barrier(c: &Compile<'_>, run: Handler) -> Op {
    let mut op = c.op(run);
    // The field holds a scalar source's number: 128 to 192 are 0 to 64, 193 to 208 are -1 to -16,
    // 125 is M0. The form with M0 has no operand in the table.
    let raw = c.inst.bits(0, 8);
    let number = match raw {
        v @ 128..=192 => v as i64 - 128,
        v @ 193..=208 => 192 - v as i64,
        125 => return with_m0(op),
        _ => return refuse(c, NUMBER),
    };
    op.imm = number as u64;
    op
}

fn with_m0(mut op: Op) -> Op {
    op.d2 = 1;
    op
}

/// Why a barrier's number is refused.
const NUMBER: &str = "a barrier that is named by neither a constant nor M0";

/// Why a trap handler's use of its barrier is refused.
const TRAP_BARRIER: &str = "the trap barrier is not modelled";

/// Whether the trap handler names the barrier that is for it alone.
fn is_trap_barrier(m: &Machine<'_>, op: &Op) -> bool {
    m.wave.privileged && matches!(number(m, op).0, -2 | -4)
}

/// The barrier's number, and its member count where M0 gives one.
fn number(m: &Machine<'_>, op: &Op) -> (i64, u32) {
    if op.d2 != 0 {
        let m0 = m.wave.sgpr[sreg::M0];
        ((m0 & 31) as i64, m0 >> 16 & 127)
    } else {
        (op.imm as i64, 0)
    }
}

fn signal(m: &mut Machine<'_>, op: &Op) -> Option<bool> {
    match number(m, op) {
        (-1, _) => Some(m.barrier.signal()),
        (n @ 1.., members) => m.barrier.signal_named(n as u32, members),
        _ => None,
    }
}

macro_rules! barriers {
    ($r:expr; $($name:literal => |$m:ident, $op:ident| $body:expr;)*) => {$(
        $r.insert($name, Semantics::Custom(|c| barrier(c, |$m, $op| { $body; NEXT })));
    )*};
}

pub(super) fn register(r: &mut Registry) {
    r.insert(
        "s_barrier",
        Semantics::Custom(|c| {
            c.op(|m, _| {
                m.barrier.signal();
                m.wave.barriers.waits_for = WaitsFor::Workgroup;
                Step::Barrier
            })
        }),
    );
    barriers! { r;
        "s_barrier_signal" => |m, op| {
            if is_trap_barrier(m, op) {
                return m.refuse(op, TRAP_BARRIER);
            }
            signal(m, op);
        };
        "s_barrier_signal_isfirst" => |m, op| {
            if is_trap_barrier(m, op) {
                return m.refuse(op, TRAP_BARRIER);
            }
            if let Some(first) = signal(m, op) {
                m.wave.scc = first;
            }
        };
        "s_barrier_init" => |m, op| if let (n @ 1.., members) = number(m, op) {
            m.barrier.init_named(n as u32, members);
        };
        "s_barrier_join" => |m, op| if let (n @ 1.., _) = number(m, op) {
            m.barrier.join(n as u32, m.wave);
        };
    }
    r.insert(
        "s_barrier_leave",
        Semantics::Custom(|c| {
            c.op(|m, _| {
                m.wave.scc = m.barrier.leave_named(m.wave);
                NEXT
            })
        }),
    );
    r.insert(
        "s_get_barrier_state",
        Semantics::Custom(|c| {
            let mut op = barrier(c, |m, op| {
                let v = m.barrier.state(number(m, op).0 as i32);
                m.set_s32(op.d, v);
                NEXT
            });
            op.d = c.scalar_dst(Field::Sdst);
            op
        }),
    );
    r.insert(
        "s_barrier_wait",
        Semantics::Custom(|c| match c.inst.field(Field::Simm16) as u16 as i16 {
            -1 => c.op(|m, _| {
                m.wave.barriers.waits_for = WaitsFor::Workgroup;
                Step::Barrier
            }),
            -3 => refuse(
                c,
                "a wait for the cluster's barrier, and there is no cluster",
            ),
            0.. => c.op(|m, _| {
                m.wave.barriers.waits_for = WaitsFor::Named;
                Step::Barrier
            }),
            _ => c.op(|m, op| match m.wave.privileged {
                true => m.refuse(op, TRAP_BARRIER),
                false => NEXT,
            }),
        }),
    );
}
