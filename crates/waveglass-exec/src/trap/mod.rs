//! Traps: how a wave enters the trap handler and what happens where there is none.
//!
//! The handler is code at TBA, which waves enter with PRIV set and the program counter in TTMP0 and
//! TTMP1 (Vega ISA 3.10, RDNA 1 and 2 ISA 3.10, RDNA 3 ISA 3.4.9, CDNA 3 ISA 3.10, RDNA 4 and CDNA 5
//! ISA 3.4.10). Four things lead there: `s_trap`, an exception whose enable bit is set, a memory
//! violation (which gfx9 lets EXCP_EN mask), and bytes that are no instruction.
//!
//! # What the manuals leave open, and what is done
//!
//! * An exception is taken right after the instruction that raised it: the saved PC is that of the
//!   next one, and PC_REWIND, where there is one, leads back. Hardware is free to take it later.
//! * Traps within the handler are not taken (PRIV is set); `s_trap` there is refused.
//! * Without a handler hardware ignores `s_trap` and exceptions (TRAP_EN is 0). Here the run stops
//!   with what a handler would have been called for, since that is what was asked for: ROCm always has a handler, which
//!   halts the wave. `s_trap 3`, LLVM's `llvm.debugtrap`, does nothing where there is no debugger.

#[cfg(test)]
mod step_tests;
pub(crate) mod steps;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use crate::error::Stop;
use crate::machine::Machine;
use crate::program::{Op, Program, Step};
use crate::stats::Family;
use crate::wave::{Wave, sreg};
use waveglass_isa::{Access, Operand, RegFile, Target};

/// A trap handler and its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrapHandler {
    /// TBA: where its code starts.
    pub tba: u64,
    /// TMA: the address that it finds its memory by.
    pub tma: u64,
}

/// What a dispatch says of traps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traps {
    /// The handler; without one traps end the run.
    pub handler: Option<TrapHandler>,
    /// Whether memory operations complete later than they are issued, so that a violation belongs to
    /// no instruction of its own.
    pub(crate) deferred: bool,
}

/// A set of exceptions, by their bit in TRAPSTS.EXCP, EXCP_EN, EXCP_FLAG_USER and TRAP_CTRL, which all
/// generations share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Exceptions(pub u32);

impl Exceptions {
    /// An operand that the operation is not defined for: 0 × ∞, 0 / 0, √ of a negative number, any
    /// signalling NaN.
    pub const INVALID: Self = Self(1);
    /// An operand is subnormal.
    pub const INPUT_DENORMAL: Self = Self(1 << 1);
    /// A finite number over zero.
    pub const DIVISION_BY_ZERO: Self = Self(1 << 2);
    /// The rounded result is larger than the largest finite number.
    pub const OVERFLOW: Self = Self(1 << 3);
    /// The exact or rounded result is smaller than the smallest normal number.
    pub const UNDERFLOW: Self = Self(1 << 4);
    /// The rounded result differs from the exact one.
    pub const INEXACT: Self = Self(1 << 5);
    /// An integer over zero.
    pub const INTEGER_DIVISION_BY_ZERO: Self = Self(1 << 6);
    /// A memory violation; EXCP_EN has it on gfx9 only (bit 8 of the field).
    pub const MEMORY_VIOLATION: Self = Self(1 << 8);
    /// None.
    pub const NONE: Self = Self(0);
    /// Those of arithmetic.
    pub const ARITHMETIC: Self = Self(0x7f);

    /// Every exception with its name.
    pub const NAMES: [(Self, &'static str); 8] = [
        (Self::INVALID, "invalid"),
        (Self::INPUT_DENORMAL, "input-denormal"),
        (Self::DIVISION_BY_ZERO, "div0"),
        (Self::OVERFLOW, "overflow"),
        (Self::UNDERFLOW, "underflow"),
        (Self::INEXACT, "inexact"),
        (Self::INTEGER_DIVISION_BY_ZERO, "int-div0"),
        (Self::MEMORY_VIOLATION, "mem-viol"),
    ];

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those in both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Those in either.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those of this set that are not in the other.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl std::ops::BitOr for Exceptions {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.or(other)
    }
}

impl std::ops::BitOrAssign for Exceptions {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl std::fmt::Display for Exceptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut first = true;
        for (e, name) in Self::NAMES {
            if self.0 & e.0 != 0 {
                let comma = if first { "" } else { ", " };
                write!(f, "{comma}{name}")?;
                first = false;
            }
        }
        if first { f.write_str("none") } else { Ok(()) }
    }
}

/// Where EXCP_EN begins in MODE (up to gfx11).
pub(crate) const EXCP_EN: u32 = 12;

impl Wave {
    /// The exceptions that are to trap: MODE.EXCP_EN up to gfx11, TRAP_CTRL from gfx12 on.
    pub fn enabled_exceptions(&self) -> Exceptions {
        if self.target.major() >= 12 {
            return Exceptions(self.trap_ctrl & 0x7f);
        }
        // MEM_VIOL is bit 20 of MODE on gfx9 (Vega ISA 3.5, CDNA 3 ISA 3.11); later it cannot be
        // masked (RDNA 1 and 2 ISA 3.11: "Memory violations are fatal"; RDNA 3 ISA 3.4.9).
        let bits = if self.target.is_gfx9() { 0x17f } else { 0x7f };
        Exceptions(self.mode.0 >> EXCP_EN & bits)
    }

    /// Sets the exceptions that are to trap, as a launch does.
    pub fn enable_exceptions(&mut self, e: Exceptions) {
        if self.target.major() >= 12 {
            self.trap_ctrl |= e.0 & 0x7f;
        } else {
            let bits = if self.target.is_gfx9() { 0x17f } else { 0x7f };
            self.mode.0 |= (e.0 & bits) << EXCP_EN;
        }
    }

    /// Records exceptions of arithmetic, which are sticky.
    pub(crate) fn raise(&mut self, e: Exceptions) {
        if self.target.major() >= 12 {
            self.excp_flag_user |= e.0;
        } else {
            self.trapsts |= e.0;
        }
    }

    /// The exceptions of arithmetic that were raised since the program last cleared them.
    pub fn raised_exceptions(&self) -> Exceptions {
        let bits = if self.target.major() >= 12 {
            self.excp_flag_user
        } else {
            self.trapsts
        };
        Exceptions(bits).and(Exceptions::ARITHMETIC)
    }
}

/// Bits of a program counter.
pub(crate) fn pc_mask(target: Target) -> u64 {
    let bits = if target.has_gfx1250_insts() { 57 } else { 48 };
    (1 << bits) - 1
}

/// TTMP1 and TTMP0 on entry. `rewind` is in dwords.
fn saved_pc(target: Target, pc: u64, rewind: u32, id: u8) -> u64 {
    let pc = pc & pc_mask(target);
    match target.major() {
        // {TrapID[3:0], zeros, PC}
        12.. => pc | u64::from(id & 15) << 60,
        // {7'h0, HT[0], trapID[7:0], PC[47:0]}
        11 => pc | u64::from(id) << 48,
        // {1'h0, pc_rewind[5:0], HT[0], trapID[7:0], PC[47:0]}
        10 => pc | u64::from(id) << 48 | u64::from(rewind & 63) << 57,
        // {3'h0, pc_rewind[3:0], HT[0], trapID[7:0], PC[47:0]}
        _ => pc | u64::from(id) << 48 | u64::from(rewind & 15) << 57,
    }
}

impl Machine<'_> {
    /// Whether a trap would be taken now.
    pub(crate) fn traps(&self) -> Option<TrapHandler> {
        self.env.traps.handler.filter(|_| !self.wave.privileged)
    }

    /// Enters the trap handler with a saved program counter.
    #[cold]
    #[inline(never)]
    pub(crate) fn enter_trap(&mut self, to: TrapHandler, pc: u64, rewind: u32, id: u8) -> Step {
        let saved = saved_pc(self.wave.target, pc, rewind, id);
        self.wave.set_s64(sreg::TTMP0, saved);
        self.wave.privileged = true;
        Step::Jump(to.tba)
    }

    /// What exceptions of arithmetic that `op` raised lead to, once its result is written.
    #[cold]
    #[inline(never)]
    pub(crate) fn exceptions(&mut self, op: &Op, raised: Exceptions) -> Step {
        self.wave.raise(raised);
        let kinds = raised.and(self.wave.enabled_exceptions());
        if kinds.is_empty() {
            return Step::Next;
        }
        self.exception(op, kinds)
    }

    /// Takes an exception that is enabled.
    #[cold]
    pub(crate) fn exception(&mut self, op: &Op, kinds: Exceptions) -> Step {
        if self.wave.privileged {
            return Step::Next;
        }
        let size = op.inst.map_or(4, |i| i.size() as u64);
        match self.env.traps.handler {
            Some(to) => self.enter_trap(to, op.address + size, size as u32 / 4, 0),
            None => Step::Stop(Stop::Exception {
                address: op.address,
                kinds,
            }),
        }
    }

    /// `s_trap`.
    pub(crate) fn s_trap(&mut self, op: &Op) -> Step {
        // The id has four bits from gfx12 on.
        let mask = if self.wave.target.major() >= 12 {
            15
        } else {
            255
        };
        let id = op.imm as u8 & mask;
        if self.wave.privileged {
            return self.refuse(op, "a trap within the trap handler");
        }
        match self.env.traps.handler {
            Some(to) => self.enter_trap(to, op.address, 0, id),
            // AMDGPUUsage, "Trap Handler ABI": without a debugger the handler returns at once.
            None if id == 3 => Step::Next,
            None => Step::Stop(Stop::Trap {
                address: op.address,
                id,
            }),
        }
    }

    /// Bytes that are no instruction: a trap that no bit masks (RDNA 3 ISA 3.4.9, RDNA 4 and CDNA 5
    /// ISA 3.4.10, "illegal_inst"; TRAPSTS.ILLEGAL_INST of the others). The saved PC is theirs.
    pub(crate) fn illegal_instruction(&mut self, op: &Op) -> Step {
        self.wave.trapsts |= if self.wave.target.major() >= 12 {
            1 << 6
        } else {
            1 << 11
        };
        match self.traps() {
            Some(to) => self.enter_trap(to, op.address, 0, 0),
            None => Step::Stop(Stop::Invalid {
                address: op.address,
            }),
        }
    }

    /// What a memory violation leads to beyond its report.
    pub(crate) fn memory_trap(&mut self, op: &Op) -> Step {
        let masked = self.wave.target.is_gfx9()
            && self
                .wave
                .enabled_exceptions()
                .and(Exceptions::MEMORY_VIOLATION)
                .is_empty();
        if masked || self.wave.privileged {
            return Step::Next;
        }
        let Some(to) = self.env.traps.handler else {
            // Later generations would halt the wave; the run goes on so that its report is whole.
            if self.wave.target.is_gfx9() {
                return Step::Stop(Stop::Exception {
                    address: op.address,
                    kinds: Exceptions::MEMORY_VIOLATION,
                });
            }
            return Step::Next;
        };
        if self.env.traps.deferred {
            self.wave.trap_pending = true;
            return Step::Next;
        }
        // "the Program Counter saved is that of the next instruction to execute" (Vega ISA 3.11).
        let size = op.inst.map_or(4, |i| i.size() as u64);
        self.enter_trap(to, op.address + size, 0, 0)
    }

    /// `s_rfe_b64` and its kin: PRIV is cleared, the program goes on at the address.
    pub(crate) fn return_from_trap(&mut self, op: &Op) -> Step {
        if !self.wave.privileged {
            return self.refuse(op, "a return from the trap handler outside of it");
        }
        let to = self.s64(op.s[0]) & pc_mask(self.wave.target);
        self.wave.privileged = false;
        if self.wave.halt {
            return self.refuse(op, "the wave halts itself, and nobody would resume it");
        }
        Step::Jump(to)
    }
}

/// Wraps the ops that name trap temporaries, which are privileged.
///
/// Writes by a program are ignored on all generations. What its reads give, the manuals of CDNA 3 and
/// RDNA 3 say (zero), those of RDNA 4 and CDNA 5 say otherwise (they are read; they hold the
/// workgroup's ids), and the older ones leave open: zero is taken.
pub(crate) fn guard_temporaries(ops: &mut [Op], target: Target) {
    for op in ops {
        let Some(inst) = &op.inst else { continue };
        let (mut reads, mut writes) = (false, false);
        for (def, operand) in inst.operands() {
            if let Operand::Reg(r) = operand
                && r.file == RegFile::Ttmp
            {
                writes |= def.access != Access::Read;
                reads |= def.access != Access::Write;
            }
        }
        if writes || reads && target.major() < 12 {
            let plain = op.clone();
            op.run = run_guarded;
            op.parts = Box::new([plain]);
            // "SALU instructions which try but fail to write a TTMP also do not update SCC" (RDNA3 ISA
            // 3.3.1.4, RDNA4 and CDNA5 ISA 3.3.1.3).
            let salu = op.family == Family::Salu && target.major() >= 11;
            op.d2 = u32::from(writes && salu);
        }
    }
}

/// An op that names trap temporaries: outside the handler they read as the generation says, and keep
/// what they hold.
fn run_guarded(m: &mut Machine<'_>, op: &Op) -> Step {
    let [plain] = &*op.parts else {
        return Step::Next;
    };
    if m.wave.privileged {
        return (plain.run)(m, plain);
    }
    let range = sreg::TTMP0..sreg::TTMP0 + 16;
    let mut held = [0; 16];
    held.copy_from_slice(&m.wave.sgpr[range.clone()]);
    if m.wave.target.major() < 12 {
        m.wave.sgpr[range.clone()].fill(0);
    }
    let scc = m.wave.scc;
    let step = (plain.run)(m, plain);
    m.wave.sgpr[range].copy_from_slice(&held);
    if op.d2 != 0 {
        m.wave.scc = scc;
    }
    step
}

/// Enters the handler for a violation of an operation that completed late: before the next
/// instruction of the program.
pub(crate) fn take_pending(m: &mut Machine<'_>, program: &Program, next: u32) -> Step {
    m.wave.trap_pending = false;
    match (m.traps(), program.ops().get(next as usize)) {
        (Some(to), Some(op)) => m.enter_trap(to, op.address, 0, 0),
        _ => Step::Next,
    }
}
