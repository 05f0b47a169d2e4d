//! Traps on each generation, by the manuals' chapters on trap and exception registers.

use super::testing::{ALL, Asm, MODE, STATUS, TRAPSTS, TTMP, handler, saved};
use crate::error::Stop;
use crate::testing_program::{BASE, Case, HANDLER};
use crate::trap::Exceptions;
use crate::wave::{Wave, sreg};
use waveglass_isa::Decoder;
use waveglass_isa::Target::*;

pub(super) fn exceed(w: &mut Wave) {
    for lane in 0..w.lanes() {
        w.set_lane(1, lane, f32::MAX.to_bits());
        w.set_lane(2, lane, f32::MAX.to_bits());
    }
}

/// Has an exception trap: MODE.EXCP_EN, and from gfx12 on the launch, since only the trap handler may
/// write TRAP_CTRL.
fn enable(case: &mut Case<'_>, e: Exceptions) -> impl FnOnce(&mut Wave) + use<> {
    case.options.exceptions = e;
    move |w: &mut Wave| {
        w.enable_exceptions(e);
        w.mode.0 &= !0x100;
    }
}

#[test]
fn the_tests_instructions_are_what_they_say() {
    for target in ALL {
        let code = handler(target, 4);
        let mut at = 0;
        let mut names = Vec::new();
        while at < code.len() {
            let i = Decoder::new(target).decode(&code[at..]).unwrap();
            names.push(i.mnemonic());
            at += i.size();
        }
        let add = if target.major() == 12 {
            "s_add_co_u32"
        } else {
            "s_add_u32"
        };
        let rfe = if target == Gfx1250 {
            "s_rfe_i64"
        } else {
            "s_rfe_b64"
        };
        let expected = [
            "s_mov_b32",
            "s_mov_b32",
            "s_getreg_b32",
            add,
            add,
            "s_and_b32",
            rfe,
        ];
        assert_eq!(names, expected, "{target}");
        for (code, name) in [
            (Asm::new(target).trap(1), "s_trap"),
            (Asm::new(target).halt(1), "s_sethalt"),
            (Asm::new(target).setreg(1, 0, 4, 1), "s_setreg_imm32_b32"),
            (Asm::new(target).add_f32(), "v_add_f32"),
        ] {
            assert_eq!(
                Decoder::new(target).decode(&code.code).unwrap().mnemonic(),
                name
            );
        }
    }
}

// rule: s_trap enters the handler at TBA with PRIV set, TTMP0 and TTMP1 holding its own PC and the id,
// and s_rfe goes back; section Vega ISA 3.10, 12.5 (S_TRAP), CDNA 1 to 4 ISA 3.10, RDNA 1 and 2 ISA
// 3.10, RDNA 3 ISA 3.4.9, RDNA 4 and CDNA 5 ISA 3.4.10.
#[test]
fn s_trap_enters_the_handler_and_s_rfe_returns() {
    for target in ALL {
        let code = Asm::new(target)
            .trap(5)
            .mov_imm(12, 7)
            .getreg(13, STATUS, 5, 2)
            .end();
        let w = Case::with_handler(target, &code, &handler(target, 4))
            .run(|_| {})
            .unwrap();
        assert_eq!(w.s64(8), saved(target, BASE, 0, 5), "{target}");
        // In the handler PRIV (bit 5) and TRAP_EN (bit 6), behind it TRAP_EN.
        assert_eq!(w.sgpr[10] >> 5 & 3, 3, "{target}");
        assert_eq!((w.sgpr[12], w.sgpr[13]), (7, 2), "{target}");
        assert!(!w.privileged);
    }
}

// rule: the id has eight bits, and four from RDNA 4 on; section RDNA 3 ISA 3.4.9, RDNA 4 and CDNA 5
// ISA 3.4.10.
#[test]
fn the_trap_id_is_cut_to_its_bits() {
    for (target, id) in [(Gfx900, 0x13), (Gfx1100, 0x13), (Gfx1201, 3), (Gfx1250, 3)] {
        let code = Asm::new(target).trap(0x13).end();
        let w = Case::with_handler(target, &code, &handler(target, 4))
            .run(|_| {})
            .unwrap();
        assert_eq!(w.s64(8), saved(target, BASE, 0, id), "{target}");
    }
}

// rule: without a handler s_trap 2 stops the wave and s_trap 3 does nothing, as LLVM's trap handler
// ABI has it; section Vega ISA 3.10, RDNA 4 ISA 3.4.10 (TRAP_EN is 0).
#[test]
fn without_a_handler_the_wave_stops_or_goes_on() {
    for target in ALL {
        let code = Asm::new(target).trap(3).mov_imm(12, 7).trap(2).end();
        let r = Case::with_handler(target, &code, &[]).run(|_| {});
        assert_eq!(
            r.map(|_| ()),
            Err(Stop::Trap {
                address: BASE + 8,
                id: 2
            }),
            "{target}"
        );
        let code = Asm::new(target)
            .trap(3)
            .mov_imm(12, 7)
            .getreg(13, STATUS, 5, 2)
            .end();
        let w = Case::with_handler(target, &code, &[]).run(|_| {}).unwrap();
        assert_eq!((w.sgpr[12], w.sgpr[13]), (7, 0), "{target}");
    }
}

// rule: an exception whose bit is set traps behind the instruction that raised it, with id 0 and
// PC_REWIND leading back to it; section Vega ISA 3.5, 3.10, CDNA 3 ISA 3.10, RDNA 1 and 2 ISA 3.10,
// RDNA 3 ISA 3.4.9, RDNA 4 and CDNA 5 ISA 3.4.10.
#[test]
fn an_enabled_exception_enters_the_handler_once_the_result_is_written() {
    for target in ALL {
        let code = Asm::new(target).add_f32().mov_imm(12, 7).end();
        let handler = handler(target, 0);
        let mut case = Case::with_handler(target, &code, &handler);
        let setup = enable(&mut case, Exceptions::OVERFLOW);
        let w = case
            .run(|w| {
                setup(w);
                exceed(w);
            })
            .unwrap();
        assert_eq!(w.s64(8), saved(target, BASE + 4, 1, 0), "{target}");
        assert_eq!((w.sgpr[11], w.sgpr[12]), (1, 7), "{target}");
        assert_eq!(w.lane(0, 0), f32::INFINITY.to_bits());
        // Sticky: overflow and inexact.
        assert_eq!(
            w.raised_exceptions(),
            Exceptions::OVERFLOW | Exceptions::INEXACT
        );
        // Another exception is not what was asked for.
        let setup = enable(&mut case, Exceptions::INVALID);
        let w = case
            .run(|w| {
                setup(w);
                exceed(w);
            })
            .unwrap();
        assert_eq!((w.sgpr[11], w.sgpr[12]), (0, 7), "{target}");
    }
}

// rule: an enabled exception without a handler stops the wave and is named; section Vega ISA 3.10.
#[test]
fn an_enabled_exception_without_a_handler_stops_the_wave() {
    for target in ALL {
        let code = Asm::new(target).add_f32().end();
        let mut case = Case::with_handler(target, &code, &[]);
        let setup = enable(&mut case, Exceptions::OVERFLOW | Exceptions::INEXACT);
        let r = case.run(|w| {
            setup(w);
            exceed(w);
        });
        let kinds = Exceptions::OVERFLOW | Exceptions::INEXACT;
        assert_eq!(
            r.map(|_| ()),
            Err(Stop::Exception {
                address: BASE,
                kinds
            })
        );
        assert_eq!(kinds.to_string(), "overflow, inexact");
    }
}

// rule: MODE.EXCP_EN is written by s_setreg and TRAPSTS read by s_getreg, flags stay until cleared;
// section Vega ISA 3.5, 3.10.1, CDNA 3 ISA 3.10.1, RDNA 1 and 2 ISA 3.10.1, RDNA 3 ISA 3.4.9.
#[test]
fn the_program_enables_and_reads_exceptions() {
    for target in ALL.into_iter().filter(|t| t.major() < 12) {
        // The flags before, EXCP_EN overflow, the sum; flags in the handler's place; cleared; again.
        let code = Asm::new(target)
            .getreg(13, TRAPSTS, 0, 9)
            .setreg(MODE, 12, 7, 8)
            .add_f32()
            .getreg(14, TRAPSTS, 0, 9)
            .setreg(TRAPSTS, 0, 9, 0)
            .getreg(15, TRAPSTS, 0, 9)
            .end();
        let handler = handler(target, 0);
        let w = Case::with_handler(target, &code, &handler)
            .run(|w| {
                exceed(w);
                w.mode.0 &= !0x100;
            })
            .unwrap();
        assert_eq!([13, 14, 15].map(|r| w.sgpr[r]), [0, 0x28, 0], "{target}");
        assert_eq!(w.sgpr[11], 1, "{target}");
    }
}

// rule: EXCP_FLAG_USER is the program's to clear, TRAP_CTRL and EXCP_FLAG_PRIV only the handler's to
// write; section RDNA 4 and CDNA 5 ISA 3.4, 3.4.10.
#[test]
fn gfx12_keeps_its_flags_in_registers_of_their_own() {
    const STATE_PRIV: u32 = 4;
    const FLAG_PRIV: u32 = 17;
    const FLAG_USER: u32 = 18;
    const TRAP_CTRL: u32 = 19;
    for target in [Gfx1201, Gfx1250] {
        // Writes of the program that change nothing, then the handler's, which turns overflow on.
        let code = Asm::new(target)
            .setreg(TRAP_CTRL, 0, 7, 1)
            .setreg(FLAG_PRIV, 0, 4, 15)
            .getreg(13, TRAP_CTRL, 0, 7)
            .getreg(14, FLAG_PRIV, 0, 4)
            .trap(1)
            .add_f32()
            .getreg(15, FLAG_USER, 0, 7)
            .setreg(FLAG_USER, 0, 7, 0)
            .getreg(16, FLAG_USER, 0, 7)
            .getreg(17, FLAG_PRIV, 0, 4)
            .getreg(18, STATE_PRIV, 9, 1)
            .end();
        let trap = Asm::new(target)
            .add(11, 1)
            .add(TTMP, 4)
            .setreg(TRAP_CTRL, 0, 7, 8)
            .setreg(FLAG_PRIV, 0, 4, 2)
            .getreg(19, TRAP_CTRL, 0, 7)
            .mask_pc(TTMP)
            .setreg(STATE_PRIV, 9, 1, 1)
            .rfe(TTMP)
            .code;
        let w = Case::with_handler(target, &code, &trap)
            .run(exceed)
            .unwrap();
        assert_eq!([13, 14].map(|r| w.sgpr[r]), [0, 0], "{target}");
        // The sum's exception came behind it: the handler skipped s15's instruction.
        assert_eq!(
            [11, 15, 16, 17, 18, 19].map(|r| w.sgpr[r]),
            [2, 0, 0, 2, 1, 8]
        );
    }
}

// rule: a memory violation traps where EXCP_EN.mem_viol is set on gfx9, and always later; the saved PC
// is that of the next instruction; section Vega ISA 3.11, CDNA 3 ISA 3.11, RDNA 1 and 2 ISA 3.11,
// RDNA 3 ISA 3.4.9, RDNA 4 and CDNA 5 ISA 3.4.10.
// points: 6
// claims: flat.9.6-9
#[test]
fn a_memory_violation_enters_the_handler() {
    for target in ALL {
        let load = Asm::new(target).load();
        let size = load.size();
        let code = load.mov_imm(12, 7).end();
        let handler = handler(target, 0);
        let case = Case::with_handler(target, &code, &handler);
        let w = case
            .run(|w| w.enable_exceptions(Exceptions::MEMORY_VIOLATION))
            .unwrap();
        assert_eq!(w.s64(8), saved(target, BASE + size, 0, 0), "{target}");
        assert_eq!((w.sgpr[11], w.sgpr[12]), (1, 7), "{target}");
        let bit = if target.major() == 12 { 4 } else { 8 };
        assert_eq!(w.trapsts, 1 << bit);
        assert_eq!(w.fault_count, w.lanes() as u64);
        let masked = case.run(|_| {}).unwrap();
        let traps = u32::from(target.major() > 9);
        assert_eq!((masked.sgpr[11], masked.sgpr[12]), (traps, 7), "{target}");
        // Without a handler gfx9's enabled violation stops the wave.
        let r = Case::with_handler(target, &code, &[])
            .run(|w| w.enable_exceptions(Exceptions::MEMORY_VIOLATION));
        match r {
            Err(Stop::Exception { address, kinds }) => {
                assert_eq!((address, kinds), (BASE, Exceptions::MEMORY_VIOLATION));
                assert!(target.is_gfx9());
            }
            Ok(w) => assert_eq!((target.is_gfx9(), w.sgpr[12]), (false, 7)),
            Err(other) => panic!("{target}: {other:?}"),
        }
    }
}

// rule: EXCP_FLAG_PRIV says where the first memory violation came from; section RDNA 4 and CDNA 5 ISA
// 3.4.10 (first_memviol_source).
#[test]
fn gfx12_tells_where_the_first_violation_came_from() {
    for target in [Gfx1201, Gfx1250] {
        // ds_load_b32 v0, v1 past the LDS, then a load from nowhere.
        let lds = Asm::new(target).word(0xd8d8_0000).word(0x0000_0001);
        let code = lds.load().getreg(13, 17, 30, 2).getreg(14, 17, 4, 1).end();
        let w = Case::with_handler(target, &code, &[]).run(|_| {}).unwrap();
        assert_eq!((w.sgpr[13], w.sgpr[14]), (2, 1), "{target}");
        let code = Asm::new(target).load().getreg(13, 17, 30, 2).end();
        let w = Case::with_handler(target, &code, &[]).run(|_| {}).unwrap();
        assert_eq!(w.sgpr[13], 3, "{target}");
    }
}

// rule: bytes that are no instruction set ILLEGAL_INST and enter the handler; section Vega ISA 3.10.1,
// RDNA 3 ISA 3.4.9, RDNA 4 and CDNA 5 ISA 3.4.10.
#[test]
fn an_illegal_instruction_enters_the_handler() {
    for target in ALL {
        // A SOP1 opcode that nothing has.
        let code = Asm::new(target).word(0xbe80_ff00).mov_imm(12, 7).end();
        let handler = handler(target, 4);
        let w = Case::with_handler(target, &code, &handler)
            .run(|_| {})
            .unwrap();
        assert_eq!(w.s64(8), saved(target, BASE, 0, 0), "{target}");
        assert_eq!(w.sgpr[12], 7);
        let bit = if target.major() == 12 { 6 } else { 11 };
        assert_eq!(w.trapsts, 1 << bit, "{target}");
        let r = Case::with_handler(target, &code, &[]).run(|_| {});
        assert_eq!(r.map(|_| ()), Err(Stop::Invalid { address: BASE }));
    }
}

// rule: TTMP registers are written by the handler only; a program reads zero up to RDNA 3 and what
// they hold from RDNA 4 on; section CDNA 3 ISA 3.10, RDNA 3 ISA 3.4.9, RDNA 4 and CDNA 5 ISA 3.4.10.
#[test]
fn trap_temporaries_are_privileged() {
    for target in ALL {
        let code = Asm::new(target)
            .mov_imm(TTMP + 3, 7)
            .mov(13, TTMP + 3)
            .trap(1)
            .mov(14, TTMP + 3)
            .end();
        let trap = Asm::new(target)
            .mov(15, TTMP + 3)
            .mov_imm(TTMP + 3, 9)
            .add(TTMP, 4)
            .mask_pc(TTMP)
            .rfe(TTMP)
            .code;
        let w = Case::with_handler(target, &code, &trap)
            .run(|w| w.sgpr[sreg::TTMP0 + 3] = 5)
            .unwrap();
        let (before, after) = match target.major() {
            12 => (5, 9),
            _ => (0, 0),
        };
        assert_eq!(
            [13, 14, 15].map(|r| w.sgpr[r]),
            [before, after, 5],
            "{target}"
        );
        assert_eq!(w.sgpr[sreg::TTMP0 + 3], 9);
    }
}

// rule: a failed write of a TTMP leaves SCC alone from RDNA 3 on; section RDNA 3 ISA 3.3.1.4, RDNA 4
// and CDNA 5 ISA 3.3.1.3.
#[test]
fn a_failed_write_of_a_trap_temporary_leaves_scc_alone() {
    for target in ALL {
        // 1 + 1 carries nothing: SCC becomes 0 where it is written.
        let code = Asm::new(target)
            .mov_imm(8, 1)
            .sop2([0, 0, 0], TTMP + 2, 8, 129)
            .end();
        let w = Case::with_handler(target, &code, &[])
            .run(|w| w.scc = true)
            .unwrap();
        assert_eq!(w.scc, target.major() >= 11, "{target}");
        assert_eq!(w.sgpr[sreg::TTMP0 + 2], 0, "{target}");
    }
}

// rule: TBA and TMA are read by s_getreg up to RDNA 2 and by s_sendmsg_rtn later; section Vega ISA
// 3.10, RDNA 1 and 2 ISA 3.10, RDNA 3 ISA 3.1, 3.4.9, RDNA 4 ISA 3.1, CDNA 5 ISA 3.4.10.
#[test]
fn the_handlers_addresses_can_be_read() {
    for target in ALL {
        let code = if target.major() <= 10 {
            (0..4)
                .fold(Asm::new(target), |a, i| a.getreg(4 + i, 16 + i, 0, 32))
                .end()
        } else {
            // s_sendmsg_rtn_b64 s[4:5], MSG_RTN_GET_TBA; s[6:7], MSG_RTN_GET_TMA
            Asm::new(target).word(0xbe84_4d85).word(0xbe86_4d82).end()
        };
        let trap = handler(target, 4);
        let w = Case::with_handler(target, &code, &trap)
            .run(|_| {})
            .unwrap();
        // Read by message it says that it is there.
        let present = u64::from(target.major() > 10) << 63;
        assert_eq!(w.s64(4), HANDLER.tba | present, "{target}");
        assert_eq!(w.s64(6), HANDLER.tma, "{target}");
        let w = Case::with_handler(target, &code, &[])
            .run(|w| w.set_s64(4, 1))
            .unwrap();
        assert_eq!((w.s64(4), w.s64(6)), (0, 0), "{target}");
    }
}

// rule: STATUS.SCC can be restored in the handler only; section RDNA 3 ISA 3.4.1.
#[test]
fn the_handler_restores_status() {
    for target in ALL.into_iter().filter(|t| t.major() < 12) {
        let code = Asm::new(target)
            .setreg(STATUS, 0, 1, 1)
            .getreg(13, STATUS, 0, 1);
        let code = code.trap(1).getreg(14, STATUS, 0, 1).end();
        let trap = Asm::new(target)
            .add(TTMP, 4)
            .mask_pc(TTMP)
            .setreg(STATUS, 0, 1, 1)
            .rfe(TTMP)
            .code;
        let w = Case::with_handler(target, &code, &trap)
            .run(|_| {})
            .unwrap();
        assert_eq!((w.sgpr[13], w.sgpr[14]), (0, 1), "{target}");
    }
}

// rule: COND_DBG_USER and COND_DBG_SYS can be set in the handler and are branched on; section Vega ISA 3.4, 4.2,
// RDNA 1 and 2 ISA 3.4, RDNA 3 ISA 3.4.1.
#[test]
fn conditional_debug_is_the_handlers_to_set() {
    for target in ALL.into_iter().filter(|t| t.major() < 12) {
        // s_trap; s_cbranch_cdbguser and s_cbranch_cdbgsys over one instruction each, which counts.
        let branch = |opcode: u32| 0xbf80_0001 | opcode << 16;
        let (user, system) = match target.major() {
            11 => (0x28, 0x27),
            _ => (0x18, 0x17),
        };
        let code = Asm::new(target)
            .trap(1)
            .word(branch(user))
            .mov_imm(12, 7)
            .word(branch(system))
            .mov_imm(13, 8)
            .end();
        for (bits, expected) in [(0, [7, 8]), (1, [0, 8]), (2, [7, 0]), (3, [0, 0])] {
            let trap = Asm::new(target)
                .add(TTMP, 4)
                .mask_pc(TTMP)
                .setreg(STATUS, 20, 2, bits)
                .getreg(14, STATUS, 20, 2)
                .rfe(TTMP)
                .code;
            let w = Case::with_handler(target, &code, &trap)
                .run(|_| {})
                .unwrap();
            assert_eq!([12, 13].map(|r| w.sgpr[r]), expected, "{target} {bits}");
            assert_eq!(w.sgpr[14], bits, "{target}");
        }
    }
}

// rule: HALT set in the handler acts once it returns; section RDNA 4 ISA 5.2 (S_SETHALT), RDNA 3 ISA
// 3.4.1.
#[test]
fn a_halt_in_the_handler_waits_for_the_return() {
    for target in ALL {
        let code = Asm::new(target).trap(1).end();
        let trap = |on: u32| {
            Asm::new(target)
                .add(TTMP, 4)
                .mask_pc(TTMP)
                .halt(1)
                .halt(on)
                .rfe(TTMP)
                .code
        };
        let r = Case::with_handler(target, &code, &trap(1)).run(|_| {});
        assert!(matches!(r, Err(Stop::Refused { .. })), "{target}");
        assert!(
            Case::with_handler(target, &code, &trap(0))
                .run(|_| {})
                .is_ok()
        );
    }
}

// rule: s_rfe is for the trap handler only, and traps within it are not taken; section Vega ISA 12.3
// (S_RFE_B64), RDNA 4 ISA 5.2 (S_RFE_B64).
#[test]
fn returns_outside_and_traps_inside_are_not_taken() {
    for target in ALL {
        let code = Asm::new(target).rfe(8).end();
        let r = Case::with_handler(target, &code, &[]).run(|_| {});
        assert!(matches!(r, Err(Stop::Refused { .. })), "{target}");
        // An exception in the handler sets its flags and no more.
        let code = Asm::new(target).trap(1).mov_imm(12, 7).end();
        let trap = Asm::new(target)
            .add(11, 1)
            .add_f32()
            .load()
            .add(TTMP, 4)
            .mask_pc(TTMP)
            .rfe(TTMP)
            .code;
        let mut case = Case::with_handler(target, &code, &trap);
        let setup = enable(&mut case, Exceptions::OVERFLOW);
        let w = case
            .run(|w| {
                setup(w);
                w.enable_exceptions(Exceptions::MEMORY_VIOLATION);
                exceed(w);
            })
            .unwrap();
        assert_eq!((w.sgpr[11], w.sgpr[12]), (1, 7), "{target}");
        assert!(!w.raised_exceptions().is_empty());
    }
}

// rule: the handler is entered with the VGPR MSBs that hold, and the program goes on with them;
// section CDNA 5 ISA 3.3.2.3.
#[test]
fn vgpr_msbs_last_over_a_trap() {
    // s_set_vgpr_msb 1; s_trap 1; v_mov_b32 v1, v2 from v258
    let code = Asm::new(Gfx1250)
        .word(0xbf86_0001)
        .trap(1)
        .word(0x7e02_0302)
        .end();
    let trap = handler(Gfx1250, 4);
    let mut case = Case::with_handler(Gfx1250, &code, &trap);
    case.vgprs = 300;
    let w = case
        .run(|w| {
            w.set_lane(2, 0, 7);
            w.set_lane(258, 0, 9);
        })
        .unwrap();
    assert_eq!((w.lane(1, 0), w.sgpr[11]), (9, 1));
}
