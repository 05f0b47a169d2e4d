//! `s_getreg_b32`, `s_setreg_b32` and the hardware registers behind them.
//!
//! What a register holds that depends on where a wave runs on a device (HW_ID, the bases of
//! GPR_ALLOC and LDS_ALLOC) is zero, or the wave's position in its workgroup; the manuals call it
//! unpredictable. Operations complete at once in the plain run, so that IB_STS counts nothing; TBA and
//! TMA are zero where there is no trap handler. TRAPSTS does not say on which cycle an exception
//! occurred, nor the rate of doubles.

use super::super::{NEXT, Registry, Semantics, refuse};
use crate::barrier::WaitsFor;
use crate::machine::Machine;
use crate::program::{Compile, Op, Src};
use crate::trap::{EXCP_EN, Exceptions, steps};
use crate::wave::Mode;
use waveglass_isa::{Field, Inst, Target};

/// A hardware register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HwReg {
    Mode,
    Status,
    TrapSts,
    HwId,
    GprAlloc,
    LdsAlloc,
    ShMemBases,
    ScratchLo,
    ScratchHi,
    Cycles,
    CyclesHi,
    /// STATE_PRIV of gfx12.
    StatePriv,
    /// EXCP_FLAG_PRIV of gfx12.
    ExcpFlagPriv,
    /// EXCP_FLAG_USER of gfx12: the exceptions of arithmetic.
    ExcpFlagUser,
    /// TRAP_CTRL of gfx12.
    TrapCtrl,
    /// The trap handler's address and its memory's, in halves (gfx9, gfx10).
    TbaLo,
    TbaHi,
    TmaLo,
    TmaHi,
    /// XNACK_MASK of gfx1010.
    XnackMask,
    /// Counters of what is outstanding, profiling, partition ids: zero.
    Zero,
    /// Writing it only empties instruction buffers (FLUSH_IB of gfx11).
    FlushIb,
}

/// The register of a number ("Hardware Register Values" of each manual; GPR_ALLOC, LDS_ALLOC and
/// IB_STS are documented up to RDNA 2).
fn of_number(target: Target, number: u64) -> Option<HwReg> {
    use HwReg::*;
    let major = target.major();
    let snapshots = matches!(target, Target::Gfx942 | Target::Gfx950);
    let xnack = target == Target::Gfx1010;
    Some(match (major, number) {
        (_, 1) => Mode,
        (_, 2) => Status,
        (9..=11, 3) => TrapSts,
        (9, 4) => HwId,
        (12, 4) => StatePriv,
        (9 | 10, 5) => GprAlloc,
        (9 | 10, 6) => LdsAlloc,
        (9 | 10, 7) => Zero,
        (12, 10..=12) => Zero,
        (11, 14) => FlushIb,
        (9..=11, 15) => ShMemBases,
        (12, 15 | 16) => Zero,
        (9 | 10, 16) => TbaLo,
        (9 | 10, 17) => TbaHi,
        (9 | 10, 18) => TmaLo,
        (9 | 10, 19) => TmaHi,
        (12, 17) => ExcpFlagPriv,
        (12, 18) => ExcpFlagUser,
        (12, 19) => TrapCtrl,
        (9, 20..=24) if snapshots => Zero,
        (10.., 20) => ScratchLo,
        (10.., 21) => ScratchHi,
        (10, 22) if xnack => XnackMask,
        (10.., 23 | 24) => HwId,
        (10, 25) => Zero,
        (12, 28) if target.has_gfx1250_insts() => Zero,
        (10.., 29) if !xnack => Cycles,
        (12, 30) => CyclesHi,
        _ => return None,
    })
}

/// The bits of a register that `s_setreg` may write, in a program or in the trap handler.
///
/// RDNA 3 lists what of STATUS the handler may write (RDNA3 ISA 3.4.1); the older manuals say nothing,
/// and their handlers restore SCC and the priority by it.
fn writable(reg: HwReg, target: Target, privileged: bool) -> u32 {
    match reg {
        HwReg::Mode | HwReg::TrapSts | HwReg::XnackMask | HwReg::FlushIb => u32::MAX,
        HwReg::ExcpFlagUser => u32::MAX,
        HwReg::ScratchLo | HwReg::ScratchHi if target.major() == 10 || privileged => u32::MAX,
        HwReg::Status if target.major() < 12 && privileged => 1 | 3 << 3 | 1 << 13 | KEPT,
        HwReg::StatePriv if privileged => 1 << 9 | 3 << 12 | 1 << 14,
        HwReg::ExcpFlagPriv | HwReg::TrapCtrl if privileged => u32::MAX,
        _ => 0,
    }
}

/// Whether an instruction reads the flags of floating-point exceptions, or can have them trap.
pub(crate) fn tells_exceptions(op: &Op) -> bool {
    let Some(inst) = &op.inst else { return false };
    if !inst.mnemonic().starts_with("s_getreg") && !inst.mnemonic().starts_with("s_setreg") {
        return false;
    }
    let imm = inst.field(Field::Simm16);
    let (offset, ones) = field(imm);
    let bits = ones << offset;
    let reg = of_number(inst.target(), imm & 63);
    match inst.mnemonic() {
        "s_getreg_b32" => match reg {
            Some(HwReg::TrapSts | HwReg::ExcpFlagUser) => bits & Exceptions::ARITHMETIC.0 != 0,
            _ => false,
        },
        name if name.starts_with("s_setreg") => match reg {
            Some(HwReg::Mode) => {
                inst.target().major() < 12 && bits & Exceptions::ARITHMETIC.0 << EXCP_EN != 0
            }
            Some(HwReg::TrapCtrl) => bits & Exceptions::ARITHMETIC.0 != 0,
            _ => false,
        },
        _ => false,
    }
}

/// Whether an instruction may have the wave trap between instructions: step by step, at its end, or to
/// save its context.
pub(crate) fn asks_steps(op: &Op) -> bool {
    let Some(inst) = &op.inst else { return false };
    if !inst.mnemonic().starts_with("s_setreg") {
        return false;
    }
    let imm = inst.field(Field::Simm16);
    let (offset, ones) = field(imm);
    let mut bits = ones << offset;
    if let Src::Const(v) = op.s[0] {
        bits &= (v as u32) << offset;
    }
    let asked = match of_number(inst.target(), imm & 63) {
        Some(HwReg::Mode) => steps::mode_bits(inst.target()),
        Some(HwReg::TrapCtrl) => steps::TRAP_CTRL_STEP | steps::TRAP_CTRL_END,
        Some(HwReg::TrapSts | HwReg::ExcpFlagPriv) => steps::save_context(inst.target()),
        _ => 0,
    };
    bits & asked != 0
}

/// Bits of STATUS that only tell what the trap handler put there: the system's priority 2:1, COND_DBG_USER 20,
/// COND_DBG_SYS 21.
const KEPT: u32 = 3 << 1 | 1 << 20 | 1 << 21;

/// STATUS: SCC 0, priority 4:3, PRIV 5, TRAP_EN 6, EXECZ 9, VCCZ 10, IN_TG 11, HALT 13, VALID 16,
/// and on RDNA 3 SCRATCH_EN 29; from gfx12 on SCC, HALT and the
/// priority are in STATE_PRIV, and bit 29 says that the wave has 64 lanes.
fn status(m: &Machine<'_>) -> u32 {
    let gfx12 = m.wave.target.major() >= 12;
    let common = ((m.wave.exec() == 0) as u32) << 9
        | ((m.wave.vcc() == 0) as u32) << 10
        | ((m.env.waves_per_group > 1) as u32) << 11
        | (m.wave.privileged as u32) << 5
        | (m.env.traps.handler.is_some() as u32) << 6
        | 1 << 16;
    common
        | if gfx12 {
            ((m.wave.rows == 2) as u32) << 29
        } else {
            m.wave.scc as u32
                | (m.wave.priority as u32) << 3
                | (m.wave.halt as u32) << 13
                | m.wave.status
                | ((m.wave.target.major() == 11 && m.wave.scratch_size != 0) as u32) << 29
        }
}

/// STATE_PRIV: the workgroup's barrier is complete and the wave has not waited 2, the same of the joined one
/// 3, the joined named barrier 8:4, SCC 9, priority 13:12, HALT 14, SCRATCH_EN 18 (RDNA4 and CDNA5 ISA
/// 3.4.2).
fn state_priv(m: &Machine<'_>) -> u32 {
    let complete = |what| m.barrier.is_complete(m.wave, what) as u32;
    complete(WaitsFor::Workgroup) << 2
        | complete(WaitsFor::Named) << 3
        | (m.wave.barriers.joined as u32) << 4
        | (m.wave.scc as u32) << 9
        | (m.wave.priority as u32) << 12
        | (m.wave.halt as u32) << 14
        | ((m.wave.scratch_size != 0) as u32) << 18
}

fn read(m: &Machine<'_>, reg: HwReg) -> u32 {
    let target = m.wave.target;
    match reg {
        HwReg::Mode => m.wave.mode.0,
        HwReg::Status => status(m),
        HwReg::StatePriv => state_priv(m),
        HwReg::TrapSts => m.wave.trapsts,
        HwReg::ExcpFlagPriv => m.wave.trapsts | m.wave.first_violation << 30,
        HwReg::ExcpFlagUser => m.wave.excp_flag_user,
        HwReg::TrapCtrl => m.wave.trap_ctrl,
        HwReg::TbaLo => m.env.traps.handler.map_or(0, |h| h.tba) as u32,
        HwReg::TbaHi => (m.env.traps.handler.map_or(0, |h| h.tba) >> 32) as u32,
        HwReg::TmaLo => m.env.traps.handler.map_or(0, |h| h.tma) as u32,
        HwReg::TmaHi => (m.env.traps.handler.map_or(0, |h| h.tma) >> 32) as u32,
        HwReg::Zero | HwReg::FlushIb => 0,
        HwReg::HwId => m.wave.id_in_group,
        HwReg::GprAlloc => {
            // Units of four registers less one; the field begins lower on CDNA 3 and 4.
            let vgprs = (m.wave.vgpr_count + m.wave.agpr_count).div_ceil(4).max(1) as u32 - 1;
            let shift = if target.has_gfx940_insts() { 6 } else { 8 };
            // Every wave has all the SGPRs that it can name: 112 in units of eight less one.
            (vgprs & 63) << shift | 13 << 24
        }
        // Units of 64 dwords.
        HwReg::LdsAlloc => (m.env.lds_size.div_ceil(256) & 0x1ff) << 12,
        // Bits 63:48 of the private and of the shared aperture's base.
        HwReg::ShMemBases => {
            (m.apertures().private_base() >> 48) as u32
                | ((m.apertures().shared_base() >> 48) as u32) << 16
        }
        HwReg::ScratchLo => m.wave.scratch_base as u32,
        HwReg::ScratchHi => (m.wave.scratch_base >> 32) as u32,
        HwReg::XnackMask => m.wave.sgpr[crate::wave::sreg::XNACK_MASK_LO],
        // A clock that counts this wave's instructions, the same in every run. It has 20 bits up
        // to gfx11 (RDNA3 ISA 3.4) and 64 bits in two registers from gfx12 on.
        HwReg::Cycles if target.major() >= 12 => m.clock() as u32,
        HwReg::Cycles => m.clock() as u32 & 0xf_ffff,
        HwReg::CyclesHi => (m.clock() >> 32) as u32,
    }
}

fn write(m: &mut Machine<'_>, reg: HwReg, v: u32) {
    match reg {
        HwReg::Mode => m.wave.mode.0 = v,
        HwReg::TrapSts => m.wave.trapsts = v,
        HwReg::ExcpFlagPriv => {
            m.wave.trapsts = v & !(3 << 30);
            m.wave.first_violation = v >> 30;
        }
        HwReg::ExcpFlagUser => m.wave.excp_flag_user = v,
        HwReg::TrapCtrl => m.wave.trap_ctrl = v,
        HwReg::Status => {
            m.wave.scc = v & 1 != 0;
            m.wave.priority = (v >> 3 & 3) as u8;
            m.wave.halt = v >> 13 & 1 != 0;
            m.wave.status = v & KEPT;
        }
        HwReg::StatePriv => {
            m.wave.scc = v >> 9 & 1 != 0;
            m.wave.priority = (v >> 12 & 3) as u8;
            m.wave.halt = v >> 14 & 1 != 0;
        }
        HwReg::XnackMask => m.wave.sgpr[crate::wave::sreg::XNACK_MASK_LO] = v,
        HwReg::ScratchLo => {
            m.wave.scratch_base = m.wave.scratch_base & !0xffff_ffff | v as u64;
        }
        HwReg::ScratchHi => {
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

/// WAVE_SCHED_MODE of gfx12 says which dependencies the hardware looks for by itself; compilers switch
/// that off and wait with `s_wait_alu` (LLVM's expert scheduling mode). Registers are written at once
/// here, so that writing it changes nothing.
const SCHED_MODE: u64 = 26;

/// Why a register is refused.
const UNKNOWN: &str = "the hardware register is not modelled";

pub(super) fn register(r: &mut Registry) {
    r.insert("s_getreg_b32", Semantics::Custom(get_reg));
    r.insert(
        "s_setreg_b32",
        Semantics::Custom(|c| set_reg(c, Field::Sdst)),
    );
    r.insert(
        "s_setreg_imm32_b32",
        Semantics::Custom(|c| set_reg(c, Field::Imm)),
    );
}

fn get_reg(c: &Compile<'_>) -> Op {
    let imm = c.inst.field(Field::Simm16);
    if of_number(c.inst.target(), imm & 63).is_none() {
        return refuse(c, UNKNOWN);
    }
    let mut op = c.op(|m, op| {
        let (offset, ones) = field(op.imm);
        if let Some(reg) = of_number(m.wave.target, op.imm & 63) {
            let v = read(m, reg) >> offset & ones;
            m.set_s32(op.d, v);
        }
        NEXT
    });
    op.imm = imm;
    op.d = c.scalar_dst(Field::Sdst);
    op
}

fn set_reg(c: &Compile<'_>, source: Field) -> Op {
    let imm = c.inst.field(Field::Simm16);
    let target = c.inst.target();
    if target.major() >= 12 && imm & 63 == SCHED_MODE {
        return c.op(|_, _| NEXT);
    }
    let Some(reg) = of_number(target, imm & 63) else {
        return refuse(c, UNKNOWN);
    };
    if writable(reg, target, true) == 0 {
        return c.op(|_, _| NEXT);
    }
    let mut op = c.op(|m, op| {
        let (offset, ones) = field(op.imm);
        let v = m.s32(op.s[0]);
        let Some(reg) = of_number(m.wave.target, op.imm & 63) else {
            return NEXT;
        };
        let old = read(m, reg);
        // A program's write of what only the trap handler may write changes nothing.
        let bits = ones << offset & writable(reg, m.wave.target, m.wave.privileged);
        let new = old & !bits | (v & ones) << offset & bits;
        if let Some(why) = is_refused(m, reg, old, new) {
            return m.refuse(op, why);
        }
        write(m, reg, new);
        NEXT
    });
    op.imm = imm;
    op.s[0] = c.src(source);
    op
}

/// Whether an instruction may set a bit of MODE, as far as its immediate says.
pub(in crate::semantics) fn may_set_mode(inst: &Inst, bit: u32) -> bool {
    let imm = inst.field(Field::Simm16);
    let (offset, ones) = field(imm);
    inst.mnemonic().starts_with("s_setreg") && imm & 63 == 1 && ones << offset & bit != 0
}

/// Whether an instruction may switch VGPR index mode on, as far as its immediate says.
pub(in crate::semantics) fn may_switch_index_mode(inst: &Inst) -> bool {
    inst.target().is_gfx9() && may_set_mode(inst, Mode::GPR_IDX_EN)
}

/// What a new value asks for that is not modelled.
fn is_refused(m: &Machine<'_>, reg: HwReg, old: u32, new: u32) -> Option<&'static str> {
    match reg {
        HwReg::Mode if m.wave.target.has_gfx1250_insts() && (old ^ new) & 0xff << 12 != 0 => {
            Some("VGPR MSBs set through MODE")
        }
        _ => None,
    }
}
