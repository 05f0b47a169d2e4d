//! VGPR index mode of gfx9 (Vega ISA 6.6): M0 moves the register numbers of vector operations.
//!
//! Programs switch the mode on for a few instructions and off again in the same run of code. So
//! the vector operations between the two are marked when the program is linked, and only those
//! look at the mode. Where the mode could last past a branch, or `s_setreg` switches it on, all of
//! the program's vector operations are marked.

use super::salu::may_switch_index_mode;
use super::{NEXT, Registry, Semantics};
use crate::machine::Machine;
use crate::program::{Compile, Handler, Op, Src, Step};
use crate::stats::Family;
use crate::wave::{Mode, sreg};
use waveglass_isa::{Field, InstFlags};

/// M0[15:12]: which operands the index moves.
const SRC0: u32 = 1;
const DST: u32 = 8;

/// Instructions between on and off that are looked at before the mode counts as lasting.
const REGION: usize = 4096;

pub(super) fn register(r: &mut Registry) {
    r.insert(
        "s_set_gpr_idx_on",
        Semantics::Custom(|c| with_source(c, switch_on)),
    );
    r.insert(
        "s_set_gpr_idx_idx",
        Semantics::Custom(|c| {
            with_source(c, |m, op| {
                let index = m.s32(op.s[0]) & 0xff;
                let m0 = m.m0();
                m.wave.sgpr[sreg::M0] = m0 & !0xff | index;
                NEXT
            })
        }),
    );
    r.insert(
        "s_set_gpr_idx_mode",
        Semantics::Custom(|c| {
            let mut op = c.op(|m, op| {
                let m0 = m.m0();
                m.wave.sgpr[sreg::M0] = m0 & !0xf000 | (op.imm as u32 & 15) << 12;
                NEXT
            });
            op.imm = c.inst.field(Field::Simm16);
            op
        }),
    );
    r.insert(
        "s_set_gpr_idx_off",
        Semantics::Custom(|c| {
            c.op(|m, _| {
                m.wave.mode.0 &= !Mode::GPR_IDX_EN;
                NEXT
            })
        }),
    );
}

fn with_source(c: &Compile<'_>, run: Handler) -> Op {
    let mut op = c.op(run);
    op.s[0] = c.src(Field::Src0);
    op.imm = c.inst.field(Field::Src1);
    op
}

/// "M0[7:0] = S0.u[7:0]; M0[15:12] = SIMM4; remaining bits of M0 are unmodified".
fn switch_on(m: &mut Machine<'_>, op: &Op) -> Step {
    let index = m.s32(op.s[0]) & 0xff;
    let m0 = m.m0();
    m.wave.sgpr[sreg::M0] = m0 & !0xf0ff | index | (op.imm as u32 & 15) << 12;
    m.wave.mode.0 |= Mode::GPR_IDX_EN;
    NEXT
}

/// Marks the vector operations that index mode may reach.
pub(crate) fn mark(ops: &mut [Op]) {
    let mut reached = Vec::new();
    for i in 0..ops.len() {
        let lasting = match ops[i].mnemonic() {
            "s_set_gpr_idx_on" => match region(ops, i) {
                Some(inside) => {
                    reached.extend(inside);
                    false
                }
                None => true,
            },
            _ => ops[i].inst.as_ref().is_some_and(may_switch_index_mode),
        };
        if lasting {
            reached = (0..ops.len()).collect();
            break;
        }
    }
    for j in reached {
        if ops[j].family == Family::Valu && ops[j].parts.is_empty() {
            let plain = ops[j].clone();
            ops[j].run = run_indexed;
            ops[j].parts = Box::new([plain]);
        }
    }
}

/// The ops from the one after `on` to the one that switches the mode off, `None` where control
/// may leave before that.
fn region(ops: &[Op], on: usize) -> Option<Vec<usize>> {
    let mut inside = Vec::new();
    let mut at = ops[on].next as usize;
    while inside.len() < REGION {
        let op = ops.get(at)?;
        let inst = op.inst?;
        if op.mnemonic() == "s_set_gpr_idx_off" {
            return Some(inside);
        }
        let leaves = inst.def().flags.contains(InstFlags::BRANCH)
            || [
                "s_endpgm", "s_setpc", "s_swappc", "s_call", "s_trap", "s_rfe",
            ]
            .iter()
            .any(|m| op.mnemonic().starts_with(m));
        if leaves {
            return None;
        }
        inside.push(at);
        at = op.next as usize;
    }
    None
}

/// A marked operation: its registers moved by the index while the mode is on.
fn run_indexed(m: &mut Machine<'_>, op: &Op) -> Step {
    let [plain] = &*op.parts else { return NEXT };
    if !m.wave.mode.gpr_index() {
        return (plain.run)(m, plain);
    }
    let (index, enabled) = (m.m0() & 0xff, m.m0() >> 12 & 15);
    let Some(mut moved) = moved(plain, index, enabled, m.wave.vgpr_count as u32) else {
        // "It is illegal for the index to attempt to address VGPRs that are out of range."
        return m.refuse(
            op,
            "VGPR index mode with this operand, or past the wave's registers",
        );
    };
    crate::valu::place(&mut moved, m.wave.lanes() as u32);
    (moved.run)(m, &moved)
}

/// The operation with its register numbers moved. How the four bits act on lane moves and on
/// `v_mac` follows Vega ISA 6.6.2: the addend of `v_mac` is the destination, `v_madmk` has its
/// second register in the third source's place.
fn moved(plain: &Op, index: u32, enabled: u32, registers: u32) -> Option<Op> {
    let mut op = plain.clone();
    let inst = op.inst?;
    let info = op.valu.as_deref();
    let (sources, moves_result) = match op.mnemonic() {
        "v_readlane_b32" | "v_readfirstlane_b32" => (1, false),
        "v_writelane_b32" => (0, true),
        "v_nop" => (0, false),
        _ => (3, info?.result_dwords() != 0),
    };
    let dwords = |i| info.map_or(1, |v| v.source_dwords(i));
    let accumulates = [Field::Src2, Field::Imm]
        .iter()
        .all(|f| inst.operand_def(*f).is_none());
    for i in 0..sources {
        let bit = if i == 2 && accumulates {
            DST
        } else {
            SRC0 << i
        };
        if let Src::Vgpr(r) = op.s[i]
            && enabled & bit != 0
        {
            if r + index + dwords(i) > registers {
                return None;
            }
            op.s[i] = Src::Vgpr(r + index);
        }
    }
    if moves_result && enabled & DST != 0 {
        let width = info.map_or(1, |v| v.result_dwords() as u32);
        if op.d + index + width > registers {
            return None;
        }
        op.d += index;
    }
    Some(op)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Program, Registers};
    use crate::testing::Bench;
    use waveglass_isa::Target;

    fn program(code: &[u32]) -> Program {
        let bytes: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
        let registers = Registers {
            vgprs: 64,
            agprs: 64,
        };
        Program::compile(Target::Gfx900, 64, &bytes, 0, &[0], registers)
    }

    const ON_SRC0_DST: u32 = 0xbf11_0902;
    const OFF: u32 = 0xbf9c_0000;
    const MOV_V0_V1: u32 = 0x7e00_0301;
    const ENDPGM: u32 = 0xbf81_0000;

    fn run(b: &mut Bench, program: &Program, n: usize) -> Step {
        let mut last = Step::Next;
        for op in &program.ops()[..n] {
            last = b.run_op(op);
        }
        last
    }

    #[test]
    fn the_index_moves_registers_until_the_mode_is_off() {
        let mut b = Bench::new(Target::Gfx900, 64);
        for r in 0..8 {
            b.set(r, |_| 10 + r as u32);
        }
        b.wave.sgpr[2] = 3;
        b.wave.sgpr[sreg::M0] = 0xabcd_0f00;
        let p = program(&[ON_SRC0_DST, MOV_V0_V1, OFF, MOV_V0_V1, ENDPGM]);
        assert_eq!(run(&mut b, &p, 4), Step::Next);
        // v3 = v4 inside, v0 = v1 outside.
        assert_eq!([0, 1, 3, 4].map(|r| b.get(r, 0)), [11, 11, 14, 14]);
        assert_eq!(b.wave.sgpr[sreg::M0], 0xabcd_9f03);
    }

    #[test]
    fn a_mode_that_lasts_reaches_the_whole_program() {
        let mut b = Bench::new(Target::Gfx900, 64);
        for r in 0..8 {
            b.set(r, |_| 10 + r as u32);
        }
        b.wave.sgpr[2] = 3;
        // s_branch 0 lies between.
        let p = program(&[ON_SRC0_DST, 0xbf82_0000, MOV_V0_V1, ENDPGM]);
        assert!(matches!(run(&mut b, &p, 3), Step::Next));
        assert_eq!([0, 3].map(|r| b.get(r, 0)), [10, 14]);
        // s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 1 switches it on too.
        let mut b = Bench::new(Target::Gfx900, 64);
        b.set(3, |_| 7);
        b.wave.sgpr[sreg::M0] = 0x1002;
        let p = program(&[0xba00_06c1, 1, MOV_V0_V1, ENDPGM]);
        assert_eq!(run(&mut b, &p, 2), Step::Next);
        assert_eq!(b.get(0, 0), 7);
    }

    #[test]
    fn an_index_past_the_registers_is_refused() {
        let mut b = Bench::new(Target::Gfx900, 64);
        b.wave.sgpr[2] = 200;
        let p = program(&[ON_SRC0_DST, MOV_V0_V1, OFF, ENDPGM]);
        assert!(matches!(run(&mut b, &p, 2), Step::Stop(_)));
    }
}
