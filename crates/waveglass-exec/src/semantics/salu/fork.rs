//! Branches of gfx9 that keep their own stack in scalar registers (`s_cbranch_i_fork`,
//! `s_cbranch_g_fork`, `s_cbranch_join`), and the loops of gfx10 and gfx11 over the two halves of
//! EXEC (`s_subvector_loop_begin`, `s_subvector_loop_end`).

use super::super::{NEXT, Registry, Semantics};
use super::control::{branch, return_address};
use super::usual;
use crate::machine::Machine;
use crate::program::{Op, Step};
use crate::wave::sreg;
use waveglass_isa::Field;

/// MODE bits 31:29: how many entries the stack has (Vega ISA 3.5, "CSP").
const CSP_SHIFT: u32 = 29;

fn csp(m: &Machine<'_>) -> u32 {
    m.wave.mode.0 >> CSP_SHIFT
}

fn set_csp(m: &mut Machine<'_>, v: u32) {
    m.wave.mode.0 = m.wave.mode.0 & !(7 << CSP_SHIFT) | (v & 7) << CSP_SHIFT;
}

/// An address and EXEC go on the stack: SGPRs 4 * CSP to 4 * CSP + 3, EXEC first.
fn push(m: &mut Machine<'_>, address: u64, exec: u64) {
    let entry = csp(m) as usize * 4;
    m.wave.set_s64(entry, exec);
    m.wave.set_s64(entry + 2, address);
    let depth = csp(m) + 1;
    set_csp(m, depth);
}

/// The smaller part of the lanes goes first, the other waits on the stack.
fn fork(m: &mut Machine<'_>, op: &Op, target: u64, taken: impl Fn() -> Step) -> Step {
    let (mask, exec) = (m.s64(op.s[0]), m.wave.s64(sreg::EXEC_LO));
    let (pass, fail) = (mask & exec, !mask & exec);
    if pass == exec {
        return taken();
    }
    if fail == exec {
        return NEXT;
    }
    if fail.count_ones() < pass.count_ones() {
        push(m, target, pass);
        m.wave.set_s64(sreg::EXEC_LO, fail);
        NEXT
    } else {
        push(m, return_address(op), fail);
        m.wave.set_s64(sreg::EXEC_LO, pass);
        taken()
    }
}

pub(super) fn register(r: &mut Registry) {
    r.insert(
        "s_cbranch_i_fork",
        Semantics::Custom(|c| {
            let mut op = usual(c, |m, op| {
                let target = op
                    .address
                    .wrapping_add(4)
                    .wrapping_add((op.imm as i64 * 4) as u64);
                fork(m, op, target, || branch(op))
            });
            // The mask stands in the destination's field, which SOPK has.
            op.s[0] = c.src(Field::Sdst);
            op
        }),
    );
    r.insert(
        "s_cbranch_g_fork",
        Semantics::Custom(|c| {
            usual(c, |m, op| {
                let target = m.s64(op.s[1]);
                fork(m, op, target, || Step::Jump(target))
            })
        }),
    );
    r.insert(
        "s_cbranch_join",
        Semantics::Custom(|c| {
            usual(c, |m, op| {
                if csp(m) == m.s32(op.s[0]) {
                    return NEXT;
                }
                let depth = csp(m).wrapping_sub(1);
                set_csp(m, depth);
                let entry = csp(m) as usize * 4;
                let exec = m.wave.s64(entry);
                m.wave.set_s64(sreg::EXEC_LO, exec);
                Step::Jump(m.wave.s64(entry + 2))
            })
        }),
    );
    r.insert(
        "s_subvector_loop_begin",
        Semantics::Custom(|c| {
            usual(c, |m, op| {
                let (lo, hi) = (m.wave.sgpr[sreg::EXEC_LO], m.wave.sgpr[sreg::EXEC_HI]);
                if lo | hi == 0 {
                    return branch(op);
                }
                if lo == 0 {
                    m.set_s32(op.d, lo);
                } else {
                    m.set_s32(op.d, hi);
                    m.wave.sgpr[sreg::EXEC_HI] = 0;
                }
                NEXT
            })
        }),
    );
    r.insert(
        "s_subvector_loop_end",
        Semantics::Custom(|c| {
            usual(c, |m, op| {
                let saved = m.wave.sgpr[op.d as usize & 127];
                if m.wave.sgpr[sreg::EXEC_HI] != 0 {
                    m.wave.sgpr[sreg::EXEC_LO] = saved;
                    return NEXT;
                }
                if saved == 0 {
                    return NEXT;
                }
                m.wave.sgpr[sreg::EXEC_HI] = saved;
                let lo = m.wave.sgpr[sreg::EXEC_LO];
                m.set_s32(op.d, lo);
                m.wave.sgpr[sreg::EXEC_LO] = 0;
                branch(op)
            })
        }),
    );
}
