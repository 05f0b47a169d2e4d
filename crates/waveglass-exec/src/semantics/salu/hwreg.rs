//! `s_getreg_b32`, `s_setreg_b32` and the hardware registers behind them.
//!
//! What a register holds that depends on where a wave runs on a device (HW_ID, the bases of
//! GPR_ALLOC and LDS_ALLOC) is zero, or the wave's position in its workgroup; the manuals call it
//! unpredictable. Operations complete at once in the plain run, so that IB_STS counts nothing, and
//! there is no trap handler, so that TBA and TMA are zero.

use super::super::{NEXT, Registry, Semantics, refuse};
use super::message::VSKIP;
use crate::machine::Machine;
use crate::program::{Compile, Op};
use crate::wave::Mode;
use waveglass_isa::{Field, Target};

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
    /// XNACK_MASK of gfx1010.
    XnackMask,
    /// Counters of what is outstanding, addresses of the trap handler, profiling, partition ids:
    /// zero.
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
        (9 | 10, 16..=19) => Zero,
        (12, 17) => ExcpFlagPriv,
        (12, 18) => ExcpFlagUser,
        (12, 19) => Zero,
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

/// The bits of a register that `s_setreg` may write in a user program.
fn writable(reg: HwReg, target: Target) -> u32 {
    match reg {
        HwReg::Mode | HwReg::TrapSts | HwReg::XnackMask | HwReg::FlushIb => u32::MAX,
        HwReg::ExcpFlagUser => u32::MAX,
        HwReg::ScratchLo | HwReg::ScratchHi if target.major() == 10 => u32::MAX,
        _ => 0,
    }
}

/// Bits that are not modelled: reading them is refused. The exceptions of arithmetic are not
/// gathered: TRAPSTS bits 6:0 up to gfx11, EXCP_FLAG_USER from gfx12 on.
fn unmodelled(reg: HwReg) -> u32 {
    match reg {
        HwReg::TrapSts => 0x7f,
        HwReg::ExcpFlagUser => 0x7f,
        _ => 0,
    }
}

/// STATUS: SCC 0, priority 4:3, EXECZ 9, VCCZ 10, IN_TG 11, VALID 16; from gfx12 on SCC and the
/// priority are in STATE_PRIV, and bit 29 says that the wave has 64 lanes.
fn status(m: &Machine<'_>) -> u32 {
    let gfx12 = m.wave.target.major() >= 12;
    let common = ((m.wave.exec() == 0) as u32) << 9
        | ((m.wave.vcc() == 0) as u32) << 10
        | ((m.env.waves_per_group > 1) as u32) << 11
        | 1 << 16;
    common
        | if gfx12 {
            ((m.wave.rows == 2) as u32) << 29
        } else {
            m.wave.scc as u32 | (m.wave.priority as u32) << 3
        }
}

/// STATE_PRIV: the joined named barrier 8:4, SCC 9, priority 13:12, SCRATCH_EN 18 (CDNA5 ISA 3.4.2).
fn state_priv(m: &Machine<'_>) -> u32 {
    (m.wave.barriers.joined as u32) << 4
        | (m.wave.scc as u32) << 9
        | (m.wave.priority as u32) << 12
        | ((m.wave.scratch_size != 0) as u32) << 18
}

fn read(m: &Machine<'_>, reg: HwReg) -> u32 {
    let target = m.wave.target;
    match reg {
        HwReg::Mode => m.wave.mode.0,
        HwReg::Status => status(m),
        HwReg::StatePriv => state_priv(m),
        HwReg::TrapSts | HwReg::ExcpFlagPriv => m.wave.trapsts,
        HwReg::ExcpFlagUser | HwReg::Zero | HwReg::FlushIb => 0,
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
            (m.env.apertures.private_base() >> 48) as u32
                | ((m.env.apertures.shared_base() >> 48) as u32) << 16
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
const EXCEPTIONS: &str = "exceptions of floating point are not gathered";
const TRAPS: &str = "MODE enables traps for floating-point exceptions, which are not modelled";

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
    let Some(reg) = of_number(c.inst.target(), imm & 63) else {
        return refuse(c, UNKNOWN);
    };
    let (offset, ones) = field(imm);
    if unmodelled(reg) & ones << offset != 0 {
        return refuse(c, EXCEPTIONS);
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
    if writable(reg, target) == 0 {
        // A user program's write of what only the trap handler may write changes nothing.
        return c.op(|_, _| NEXT);
    }
    let mut op = c.op(|m, op| {
        let (offset, ones) = field(op.imm);
        let v = m.s32(op.s[0]);
        let Some(reg) = of_number(m.wave.target, op.imm & 63) else {
            return NEXT;
        };
        let old = read(m, reg);
        let new = old & !(ones << offset) | (v & ones) << offset;
        if reg == HwReg::Mode
            && let Some(why) = mode_is_refused(m.wave.target, old, new)
        {
            return m.refuse(op, why);
        }
        write(m, reg, new);
        NEXT
    });
    op.imm = imm;
    op.s[0] = c.src(source);
    op
}

/// Whether an instruction may switch VGPR index mode on, as far as its immediate says.
pub(in crate::semantics) fn may_switch_index_mode(inst: &waveglass_isa::Inst) -> bool {
    let imm = inst.field(Field::Simm16);
    let (offset, ones) = field(imm);
    inst.target().is_gfx9()
        && inst.mnemonic().starts_with("s_setreg")
        && imm & 63 == 1
        && ones << offset & Mode::GPR_IDX_EN != 0
}

/// What a new MODE asks for that is not modelled: VSKIP switched on from here (gfx9), and traps for exceptions (EXCP_EN, bits 18:12 up to gfx11).
fn mode_is_refused(target: Target, old: u32, new: u32) -> Option<&'static str> {
    let set = !old & new;
    if target.is_gfx9() && set & 1 << 28 != 0 {
        return Some(VSKIP);
    }
    if target.has_gfx1250_insts() && (old ^ new) & 0xff << 12 != 0 {
        return Some("VGPR MSBs set through MODE");
    }
    if target.major() < 12 && set & 0x7f << 12 != 0 {
        return Some(TRAPS);
    }
    None
}
