//! Messages to the hardware around the compute unit (`s_sendmsg` and its kin), and what stops or
//! traps a wave.

use super::super::{NEXT, Registry, Semantics, refuse};
use super::usual;
use crate::fidelity::REFUSED;
use crate::machine::Machine;
use crate::program::{Compile, Op, Step};
use crate::wave::Mode;
use waveglass_isa::Field;

/// `s_sendmsg`: an interrupt is counted, the early release of registers has no effect, all else is
/// refused.
fn send(c: &Compile<'_>) -> Op {
    let gfx11 = c.inst.target().major() >= 11;
    let mask = if gfx11 { 0xff } else { 0xf };
    match c.inst.field(Field::Simm16) & mask {
        1 => c.op(|m, _| {
            m.stats.interrupts += 1;
            NEXT
        }),
        3 if gfx11 => c.op(|_, _| NEXT),
        _ => refuse(c, "the message has an effect that is not modelled"),
    }
}

/// `s_sendmsg_rtn`: the clock, and the trap handler's addresses, which are zero where there is none
/// (RDNA4 ISA 5.2.3, "RTN_GET"; CDNA5 ISA 5.4).
fn ask(c: &Compile<'_>, wide: bool) -> Op {
    // The field holds the message, not a source.
    let message = c
        .inst
        .operand_def(Field::Src0)
        .map_or(0, |o| c.inst.raw(o) & 0xff);
    let mut op = match message {
        0x83 => c.op(|m, op| {
            let v = m.clock();
            answer(m, op, v)
        }),
        0x82 => c.op(|m, op| {
            let tma = m.env.traps.handler.map_or(0, |h| h.tma);
            answer(m, op, tma)
        }),
        0x85 => c.op(|m, op| {
            // "Bit [63] indicates if the trap handler is present" (RDNA 3 and 4 ISA 3.1).
            let tba = m.env.traps.handler.map_or(0, |h| h.tba | 1 << 63);
            answer(m, op, tba)
        }),
        // The shader engine's number.
        0x87 => c.op(|m, op| answer(m, op, 0)),
        _ => return refuse(c, "the message has an effect that is not modelled"),
    };
    op.imm = wide as u64;
    op.d = c.scalar_dst(Field::Sdst);
    op
}

/// An answer of 32 or 64 bits.
fn answer(m: &mut Machine<'_>, op: &Op, v: u64) -> Step {
    match op.imm {
        0 => m.set_s32(op.d, v as u32),
        _ => m.set_s64(op.d, v),
    }
    NEXT
}

/// Why a halt is refused.
const HALT: &str = "the wave halts itself, and nobody would resume it";

/// Whether an instruction sets VSKIP.
pub(in crate::semantics) fn sets_vskip(inst: &waveglass_isa::Inst) -> bool {
    inst.mnemonic() == "s_setvskip"
}

/// Refuses with the reason that the fidelity table gives.
fn refuse_by_name(c: &Compile<'_>) -> Op {
    let why = REFUSED
        .iter()
        .find(|(name, _)| *name == c.inst.mnemonic())
        .map_or("the instruction has no semantics here", |(_, why)| *why);
    refuse(c, why)
}

pub(super) fn register(r: &mut Registry) {
    r.insert("s_sendmsg", Semantics::Custom(send));
    r.insert("s_sendmsg_rtn_b32", Semantics::Custom(|c| ask(c, false)));
    r.insert("s_sendmsg_rtn_b64", Semantics::Custom(|c| ask(c, true)));
    r.insert(
        "s_sethalt",
        Semantics::Custom(|c| {
            // HALT is ignored in the trap handler and acts on the way out; bit 2 names FATAL_HALT,
            // which stops a wave there too (RDNA4 ISA 5.2, "S_SETHALT").
            let imm = c.inst.field(Field::Simm16);
            let mut op = c.op(|m, op| {
                let fatal = m.wave.target.major() >= 11 && op.imm & 4 != 0;
                if op.imm & 1 == 0 {
                    m.wave.halt = false;
                } else if m.wave.privileged && !fatal {
                    m.wave.halt = true;
                } else {
                    return m.refuse(op, HALT);
                }
                NEXT
            });
            op.imm = imm;
            op
        }),
    );
    r.insert(
        "s_setkill",
        Semantics::Custom(|c| {
            if c.inst.field(Field::Simm16) & 1 != 0 {
                return c.op(|_, _| Step::End);
            }
            c.op(|_, _| NEXT)
        }),
    );
    r.insert(
        "s_setvskip",
        Semantics::Custom(|c| {
            usual(c, |m, op| {
                let skip = m.s32(op.s[0]) >> (m.s32(op.s[1]) & 31) & 1;
                m.wave.mode.0 = m.wave.mode.0 & !Mode::VSKIP | (skip * Mode::VSKIP);
                NEXT
            })
        }),
    );
    for (name, _) in REFUSED {
        r.insert(name, Semantics::Custom(refuse_by_name));
    }
    // An instruction that is there to be illegal.
    r.insert(
        "v_illegal",
        Semantics::Custom(|c| c.op(|m, op| m.illegal_instruction(op))),
    );
}
