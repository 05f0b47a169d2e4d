//! Traps between instructions, by the manuals' texts on MODE, TRAP_CTRL and TRAPSTS.

use super::testing::{ALL, Asm, MODE, TRAPSTS, TTMP, saved};
use crate::testing_program::{BASE, Case};
use crate::trap::Exceptions;
use crate::wave::Wave;
use waveglass_isa::Target::{self, *};

const FLAG_PRIV: u32 = 17;
const TRAP_CTRL: u32 = 19;

/// Counts its entries in s11, copies the saved PC of the last two to s[8:9] and s[6:7], and the flags of
/// both kinds of register to s10; goes on at the saved PC.
fn handler(target: Target) -> Vec<u8> {
    let flags = if target.major() == 12 {
        FLAG_PRIV
    } else {
        TRAPSTS
    };
    Asm::new(target)
        .mov(6, 8)
        .mov(7, 9)
        .mov(8, TTMP)
        .mov(9, TTMP + 1)
        .getreg(10, flags, 0, 32)
        .add(11, 1)
        .mask_pc(TTMP)
        .rfe(TTMP)
        .code
}

/// The flag that tells of a step, and that of the wave's end.
fn reasons(target: Target) -> (u32, u32) {
    match target.major() {
        12 => (1 << 11, 1 << 9),
        11 => (1 << 20, 1 << 18),
        _ => (0, 0),
    }
}

/// Has the wave go step by step from its start.
fn step(w: &mut Wave) {
    match w.target.major() {
        12 => w.trap_ctrl |= 1 << 9,
        _ => w.mode.0 |= 1 << 11,
    }
}

// rule: with MODE.DEBUG, TRAP_AFTER_INST or TRAP_CTRL.trap_after_inst the wave enters the handler after each
// instruction but s_endpgm, each once; section Vega ISA 3.5, CDNA 3 ISA 3.5, RDNA 1 and 2 ISA 3.5, RDNA 3 ISA
// 3.4.2, 3.4.9, RDNA 4 and CDNA 5 ISA 3.4.10.
#[test]
fn a_step_traps_after_every_instruction_but_the_last() {
    for target in ALL {
        let code = Asm::new(target).mov_imm(12, 7).add(12, 1).add(12, 1).end();
        let trap = handler(target);
        let w = Case::with_handler(target, &code, &trap).run(step).unwrap();
        assert_eq!((w.sgpr[11], w.sgpr[12]), (3, 9), "{target}");
        assert_eq!(w.s64(6), saved(target, BASE + 8, 0, 0), "{target}");
        assert_eq!(w.s64(8), saved(target, BASE + 12, 0, 0), "{target}");
        assert_eq!(w.sgpr[10], reasons(target).0, "{target}");
        assert!(!w.privileged);
    }
}

// rule: single step works only with a trap handler; section Vega ISA 3.5, RDNA 3 ISA 3.4.2.
#[test]
fn without_a_handler_no_step_traps() {
    for target in ALL {
        let code = Asm::new(target).mov_imm(12, 7).end();
        let w = Case::with_handler(target, &code, &[]).run(step).unwrap();
        assert_eq!((w.sgpr[12], w.trapsts), (7, 0), "{target}");
    }
}

// rule: the saved PC of a step behind a taken branch is the branch's target; section RDNA 3 ISA 3.4.9
// ({TTMP1, TTMP0}), Vega ISA 3.10.
#[test]
fn a_step_saves_where_a_branch_goes() {
    for target in ALL {
        // s_branch over one dword.
        let branch = if target.major() >= 11 {
            0xbfa0_0001
        } else {
            0xbf82_0001
        };
        let code = Asm::new(target)
            .word(branch)
            .mov_imm(12, 7)
            .mov_imm(13, 8)
            .end();
        let trap = handler(target);
        let w = Case::with_handler(target, &code, &trap).run(step).unwrap();
        assert_eq!([11, 12, 13].map(|r| w.sgpr[r]), [2, 0, 8], "{target}");
        assert_eq!(w.s64(6), saved(target, BASE + 8, 0, 0), "{target}");
    }
}

// rule: the program turns single step on and off by MODE; section Vega ISA 3.5, RDNA 3 ISA 3.4.2.
#[test]
fn the_program_turns_steps_on_and_off() {
    for target in ALL.into_iter().filter(|t| t.major() < 12) {
        let code = Asm::new(target)
            .mov_imm(12, 1)
            .setreg(MODE, 11, 1, 1)
            .add(12, 1)
            .setreg(MODE, 11, 1, 0)
            .add(12, 1)
            .end();
        let trap = handler(target);
        let w = Case::with_handler(target, &code, &trap)
            .run(|_| {})
            .unwrap();
        // Behind the first s_setreg, which is at BASE + 4 and 8 bytes long, and behind the sum.
        assert_eq!((w.sgpr[11], w.sgpr[12]), (2, 3), "{target}");
        assert_eq!(w.s64(6), saved(target, BASE + 12, 0, 0), "{target}");
        assert_eq!(w.s64(8), saved(target, BASE + 16, 0, 0), "{target}");
    }
}

// rule: TRAP_CTRL is the handler's to write; section RDNA 4 and CDNA 5 ISA 3.4.10.
#[test]
fn the_handler_turns_steps_on() {
    for target in [Gfx1201, Gfx1250] {
        // An exception is the first entry.
        let code = Asm::new(target)
            .add_f32()
            .mov_imm(12, 7)
            .mov_imm(13, 8)
            .end();
        let trap = Asm::new(target)
            .mov(14, TTMP)
            .setreg(TRAP_CTRL, 9, 1, 1)
            .add(11, 1)
            .mask_pc(TTMP)
            .rfe(TTMP)
            .code;
        let mut case = Case::with_handler(target, &code, &trap);
        case.options.exceptions = Exceptions::OVERFLOW;
        let w = case
            .run(|w| {
                w.enable_exceptions(Exceptions::OVERFLOW);
                super::tests::exceed(w);
            })
            .unwrap();
        assert_eq!([11, 12, 13].map(|r| w.sgpr[r]), [3, 7, 8], "{target}");
        assert_eq!(w.sgpr[14], BASE as u32 + 12, "{target}");
    }
}

// rule: an exception of a stepped instruction enters the handler once and both are told; section RDNA 3 ISA
// 3.4.9, RDNA 4 and CDNA 5 ISA 3.4.10.
#[test]
fn an_exception_and_a_step_share_an_entry() {
    for target in ALL {
        let code = Asm::new(target).add_f32().mov_imm(12, 7).end();
        let trap = handler(target);
        let mut case = Case::with_handler(target, &code, &trap);
        case.options.exceptions = Exceptions::OVERFLOW;
        let w = case
            .run(|w| {
                w.enable_exceptions(Exceptions::OVERFLOW);
                w.mode.0 &= !0x100;
                step(w);
                super::tests::exceed(w);
            })
            .unwrap();
        assert_eq!((w.sgpr[11], w.sgpr[12]), (2, 7), "{target}");
        // PC_REWIND tells the exception's instruction.
        assert_eq!(w.s64(6), saved(target, BASE + 4, 1, 0), "{target}");
        assert_eq!(w.s64(8), saved(target, BASE + 8, 0, 0), "{target}");
        let (flag, _) = reasons(target);
        assert_eq!(w.trapsts & (1 << 20 | 1 << 11), flag, "{target}");
    }
}

// rule: s_trap enters the handler for itself, with its id and its own PC; section Vega ISA 12.5 (S_TRAP).
#[test]
fn s_trap_is_no_step_of_its_own() {
    for target in ALL {
        let code = Asm::new(target).trap(5).mov_imm(12, 7).end();
        // The first entry goes on behind s_trap.
        let trap = super::testing::handler(target, 4);
        let w = Case::with_handler(target, &code, &trap).run(step).unwrap();
        // The step behind s_mov skips s_endpgm, after which there is no code.
        assert_eq!((w.sgpr[11], w.sgpr[12]), (2, 7), "{target}");
        assert_eq!(w.s64(8), saved(target, BASE + 8, 0, 0), "{target}");
    }
}

// rule: a trap before s_endpgm, once, with its own flag; section RDNA 3 ISA 3.4.2 (EXCP_EN), 3.4.9, RDNA 4
// and CDNA 5 ISA 3.4.10.
#[test]
fn the_waves_end_traps_once() {
    for target in [Gfx1100, Gfx1150, Gfx1201, Gfx1250] {
        let code = Asm::new(target).mov_imm(12, 7).end();
        let trap = handler(target);
        let w = Case::with_handler(target, &code, &trap)
            .run(|w| match target.major() {
                12 => w.trap_ctrl |= 1 << 8,
                _ => w.mode.0 |= 1 << 21,
            })
            .unwrap();
        assert_eq!((w.sgpr[11], w.sgpr[12]), (1, 7), "{target}");
        assert_eq!(w.s64(8), saved(target, BASE + 4, 0, 0), "{target}");
        assert_eq!(w.sgpr[10], reasons(target).1, "{target}");
        assert_eq!((w.mode.0 >> 21 & 1, w.trap_ctrl), (0, 0), "{target}");
    }
}

// rule: a program that sets SAVECTX enters the handler, which clears it; section Vega ISA 3.10.1, CDNA 3 ISA
// 3.10.1, RDNA 1 and 2 ISA 3.10.1, RDNA 3 ISA 3.4.9.
#[test]
fn a_program_may_ask_for_its_context_to_be_saved() {
    for target in ALL.into_iter().filter(|t| t.major() < 12) {
        let code = Asm::new(target)
            .setreg(TRAPSTS, 10, 1, 1)
            .mov_imm(12, 7)
            .end();
        let trap = Asm::new(target)
            .mov(8, TTMP)
            .mov(9, TTMP + 1)
            .getreg(10, TRAPSTS, 10, 1)
            .setreg(TRAPSTS, 10, 1, 0)
            .add(11, 1)
            .mask_pc(TTMP)
            .rfe(TTMP)
            .code;
        let w = Case::with_handler(target, &code, &trap)
            .run(|_| {})
            .unwrap();
        assert_eq!([10, 11, 12].map(|r| w.sgpr[r]), [1, 1, 7], "{target}");
        assert_eq!(w.s64(8), saved(target, BASE + 8, 0, 0), "{target}");
        // "When set to zero, traps are not taken" (STATUS.TRAP_EN).
        let w = Case::with_handler(target, &code, &[]).run(|_| {}).unwrap();
        assert_eq!((w.sgpr[12], w.trapsts), (7, 1 << 10), "{target}");
    }
}

// rule: enabling address watch does nothing where no address is watched; section Vega ISA 3.5, RDNA 3 ISA
// 3.4.9.
#[test]
fn no_address_is_watched() {
    for target in ALL.into_iter().filter(|t| t.major() < 12) {
        let code = Asm::new(target)
            .setreg(MODE, 19, 1, 1)
            .getreg(13, MODE, 19, 1)
            .mov_imm(12, 7)
            .end();
        let trap = handler(target);
        let w = Case::with_handler(target, &code, &trap)
            .run(|_| {})
            .unwrap();
        assert_eq!([11, 12, 13].map(|r| w.sgpr[r]), [0, 7, 1], "{target}");
    }
}
