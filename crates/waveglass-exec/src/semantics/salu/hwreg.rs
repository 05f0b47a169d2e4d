//! `s_getreg_b32`, `s_setreg_b32` and the hardware registers behind them.

use super::super::{NEXT, Registry, Semantics, refuse};
use crate::machine::Machine;
use crate::program::{Compile, Op};
use crate::wave::Mode;
use waveglass_isa::Field;

/// A hardware register that is modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
enum HwReg {
    Mode = 1,
    Status,
    TrapSts,
    HwId,
    ScratchLo,
    ScratchHi,
    Cycles,
    CyclesHi,
    /// IB_STS2 of gfx1250: bits 9:6 are zero outside a workgroup cluster.
    IbSts2,
}

fn of_number(c: &Compile<'_>, number: u64) -> Option<HwReg> {
    let major = c.inst.target().major();
    Some(match (major, number) {
        (_, 1) => HwReg::Mode,
        (_, 2) => HwReg::Status,
        (9..=11, 3) => HwReg::TrapSts,
        (9, 4) | (10.., 23 | 24) => HwReg::HwId,
        (10.., 20) => HwReg::ScratchLo,
        (10.., 21) => HwReg::ScratchHi,
        (10.., 29) => HwReg::Cycles,
        (12, 30) => HwReg::CyclesHi,
        (12, 28) if c.inst.target().has_gfx1250_insts() => HwReg::IbSts2,
        _ => return None,
    })
}

fn read(m: &Machine<'_>, reg: u64) -> u32 {
    match reg {
        x if x == HwReg::Mode as u64 => m.wave.mode.0,
        x if x == HwReg::Status as u64 => {
            // SCC is bit 0; EXECZ and VCCZ are bits 9 and 10 (each manual's STATUS table).
            m.wave.scc as u32
                | ((m.wave.exec() == 0) as u32) << 9
                | ((m.wave.vcc() == 0) as u32) << 10
        }
        x if x == HwReg::TrapSts as u64 => m.wave.trapsts,
        x if x == HwReg::HwId as u64 => m.wave.id_in_group,
        x if x == HwReg::ScratchLo as u64 => m.wave.scratch_base as u32,
        x if x == HwReg::ScratchHi as u64 => (m.wave.scratch_base >> 32) as u32,
        // A clock that counts this wave's instructions: the same in every run.
        x if x == HwReg::Cycles as u64 => m.wave.steps as u32 & 0xf_ffff,
        x if x == HwReg::IbSts2 as u64 => 0,
        _ => (m.wave.steps >> 20) as u32,
    }
}

fn write(m: &mut Machine<'_>, reg: u64, v: u32) {
    match reg {
        x if x == HwReg::Mode as u64 => m.wave.mode.0 = v,
        x if x == HwReg::TrapSts as u64 => m.wave.trapsts = v,
        x if x == HwReg::ScratchLo as u64 => {
            m.wave.scratch_base = m.wave.scratch_base & !0xffff_ffff | v as u64;
        }
        x if x == HwReg::ScratchHi as u64 => {
            m.wave.scratch_base = m.wave.scratch_base & 0xffff_ffff | (v as u64) << 32;
        }
        _ => {}
    }
}

/// (offset, ones of the field's width) from the immediate: offset in bits 10:6, width less one
/// in bits 15:11.
fn field(imm: u64) -> (u32, u32) {
    ((imm >> 6 & 31) as u32, u32::MAX >> (31 - (imm >> 11 & 31)))
}

fn compile(c: &Compile<'_>, run: crate::program::Handler, writes: bool) -> Op {
    let imm = c.inst.field(Field::Simm16);
    let Some(reg) = of_number(c, imm & 63) else {
        return refuse(c, "the hardware register is not modelled");
    };
    let read_only = matches!(
        reg,
        HwReg::Status | HwReg::HwId | HwReg::Cycles | HwReg::CyclesHi | HwReg::IbSts2
    ) || (c.inst.target().major() >= 11
        && matches!(reg, HwReg::ScratchLo | HwReg::ScratchHi));
    if writes && read_only {
        return refuse(c, "the hardware register is not modelled");
    }
    let mut op = c.op(run);
    op.imm = imm;
    op.d2 = reg as u32;
    op
}

pub(super) fn register(r: &mut Registry) {
    r.insert(
        "s_getreg_b32",
        Semantics::Custom(|c| {
            let mut op = compile(
                c,
                |m, op| {
                    let (offset, ones) = field(op.imm);
                    let v = read(m, op.d2 as u64) >> offset & ones;
                    m.set_s32(op.d, v);
                    NEXT
                },
                false,
            );
            op.d = c.scalar_dst(Field::Sdst);
            op
        }),
    );
    r.insert(
        "s_setreg_b32",
        Semantics::Custom(|c| set_reg(c, Field::Sdst)),
    );
    r.insert(
        "s_setreg_imm32_b32",
        Semantics::Custom(|c| set_reg(c, Field::Imm)),
    );
}

fn set_reg(c: &Compile<'_>, source: Field) -> Op {
    let mut op = compile(
        c,
        |m, op| {
            let (offset, ones) = field(op.imm);
            let v = m.s32(op.s[0]);
            let old = read(m, op.d2 as u64);
            let new = old & !(ones << offset) | (v & ones) << offset;
            let switches_on = !old & new & Mode::GPR_IDX_EN != 0;
            if op.d2 == HwReg::Mode as u32 && m.wave.target.is_gfx9() && switches_on {
                return m.refuse(op, "VGPR index mode switched on by s_setreg");
            }
            write(m, op.d2 as u64, new);
            NEXT
        },
        true,
    );
    op.s[0] = c.src(source);
    op
}
