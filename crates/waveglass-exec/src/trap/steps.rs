//! Traps between instructions: after every one, before the last, and to save the wave's context.
//!
//! * *Single step*. MODE.DEBUG of gfx9 and gfx10, MODE.TRAP_AFTER_INST of RDNA 3 and 3.5,
//!   TRAP_CTRL.trap_after_inst from RDNA 4 on: "Forces the wave to jump to the exception handler after each
//!   instruction is executed (but not after ENDPGM). Only works if TRAP_EN = 1" (Vega ISA 3.5, RDNA3 ISA
//!   3.4.2, RDNA4 and CDNA5 ISA 3.4.10).
//! * *Wave end*. EXCP_EN bit 9 of RDNA 3 and 3.5 (MODE bit 21), TRAP_CTRL.trap_on_wave_end: "Trap before
//!   executing S_ENDPGM" (RDNA4 ISA 3.4.10).
//! * *Save context*. TRAPSTS.SAVECTX, EXCP_FLAG_PRIV.save_context: "this wave must jump to its trap handler
//!   and save its context. This bit should be cleared by the trap handler" (RDNA3 ISA 3.4.9). "A shader can set
//!   this bit to 1 to cause a save-context trap" (Vega ISA 3.10.1).
//!
//! # How the rest is read
//!
//! * The saved PC is that of the instruction which would be next, with trap id and PC_REWIND zero.
//! * Whether a step traps is asked once the instruction has ended: one that turns the mode on traps, one that
//!   turns it off does not. What the handler executes never does, `s_rfe` included; so one instruction is
//!   executed between two entries. `s_trap` and bytes that are no instruction enter the handler for
//!   themselves only; an exception or a violation of the same instruction shares the entry.
//! * The reason is told where the generation has a bit for it (TRAPSTS of RDNA 3 and 3.5, EXCP_FLAG_PRIV), and
//!   stays until it is cleared.
//! * The bit that asks for the trap at the wave's end is cleared on entry, as RDNA 3 has it ("h/w clears this
//!   upon entering trap handler for end-of-wave"), on RDNA 4 and CDNA 5 too, whose manuals are silent. CDNA 3
//!   and 4 give that trap the bit of memory violations (MODE bit 20), which is read as the latter alone.
//! * SAVECTX acts before the next instruction of the program; hardware may execute up to two more. It acts
//!   again after a return that leaves it set.
//! * The other reasons come from outside of a program, and nothing here gives them: a watched address (none
//!   is set, so that enabling it does nothing), a host's trap, a snapshot for profiling, a trap at the wave's
//!   start.

use crate::machine::Machine;
use crate::program::{Op, Step};
use crate::wave::{Wave, sreg};
use waveglass_isa::Target;

/// MODE.DEBUG, TRAP_AFTER_INST (up to gfx11).
const MODE_STEP: u32 = 1 << 11;
/// MODE.EXCP_EN bit 9 (gfx11).
const MODE_END: u32 = 1 << 21;
/// TRAP_CTRL.trap_on_wave_end (gfx12).
pub(crate) const TRAP_CTRL_END: u32 = 1 << 8;
/// TRAP_CTRL.trap_after_inst (gfx12).
pub(crate) const TRAP_CTRL_STEP: u32 = 1 << 9;

/// The bits of MODE that ask for traps between instructions.
pub(crate) fn mode_bits(target: Target) -> u32 {
    match target.major() {
        12.. => 0,
        11 => MODE_STEP | MODE_END,
        _ => MODE_STEP,
    }
}

/// TRAPSTS.SAVECTX, EXCP_FLAG_PRIV.save_context.
pub(crate) fn save_context(target: Target) -> u32 {
    match target.major() {
        12.. => 1 << 5,
        _ => 1 << 10,
    }
}

/// TRAPSTS.TRAP_AFTER_INST, EXCP_FLAG_PRIV.trap_after_inst.
fn after_flag(target: Target) -> u32 {
    match target.major() {
        12.. => 1 << 11,
        11 => 1 << 20,
        _ => 0,
    }
}

/// TRAPSTS.WAVE_END, EXCP_FLAG_PRIV.wave_end.
fn end_flag(target: Target) -> u32 {
    match target.major() {
        12.. => 1 << 9,
        11 => 1 << 18,
        _ => 0,
    }
}

impl Wave {
    fn goes_by_steps(&self) -> bool {
        match self.target.major() {
            12.. => self.trap_ctrl & TRAP_CTRL_STEP != 0,
            _ => self.mode.0 & MODE_STEP != 0,
        }
    }

    /// Whether the wave is to trap at its end; it is asked for once.
    fn take_end(&mut self) -> bool {
        let (word, bit) = match self.target.major() {
            12.. => (&mut self.trap_ctrl, TRAP_CTRL_END),
            11 => (&mut self.mode.0, MODE_END),
            _ => return false,
        };
        let asked = *word & bit != 0;
        *word &= !bit;
        asked
    }
}

/// Enters the handler before `op` where the wave is to trap between instructions.
pub(crate) fn before(m: &mut Machine<'_>, op: &Op) -> Option<Step> {
    let stepped = std::mem::take(&mut m.wave.stepped);
    let to = m.traps()?;
    let target = m.wave.target;
    let mut due = m.wave.trapsts & save_context(target) != 0;
    if stepped {
        m.wave.trapsts |= after_flag(target);
        due = true;
    }
    if op.mnemonic().starts_with("s_endpgm") && m.wave.take_end() {
        m.wave.trapsts |= end_flag(target);
        due = true;
    }
    due.then(|| m.enter_trap(to, op.address, 0, 0))
}

/// Notes whether `op`, which ended in `step` and had been begun in the handler or not, is to trap by itself.
pub(crate) fn after(m: &mut Machine<'_>, op: &Op, privileged: bool, step: Step) {
    let ended = !matches!(step, Step::Retry | Step::Stop(_) | Step::End);
    if !ended || privileged || m.env.traps.handler.is_none() || !m.wave.goes_by_steps() {
        return;
    }
    if !m.wave.privileged {
        m.wave.stepped = true;
        return;
    }
    // The handler was entered for something else, after an instruction that was executed or in its place.
    let saved = m.wave.s64(sreg::TTMP0) & super::pc_mask(m.wave.target);
    if saved != op.address {
        m.wave.trapsts |= after_flag(m.wave.target);
    }
}
