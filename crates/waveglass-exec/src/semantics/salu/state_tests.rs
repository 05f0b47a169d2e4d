//! State behind the scalar instructions: barriers, hardware registers, messages, branch stacks,
//! VGPR MSBs. The bytes are LLVM 22's encodings.

use crate::barrier::WaitsFor;
use crate::error::Stop;
use crate::program::Step;
use crate::testing::Bench;
use crate::testing_program::{BASE, VGPRS, run, run_with};
use crate::wave::{Wave, sreg};
use waveglass_isa::Target::{self, *};

fn ok(target: Target, code: &[u8], setup: impl FnOnce(&mut Wave)) -> Wave {
    run(target, target.default_wave_size(), code, setup).unwrap()
}

#[test]
fn a_fork_runs_the_smaller_half_first_and_joins_after_the_other() {
    // s_cbranch_i_fork s[8:9], +2; s_mov_b32 s10, exec_lo; s_branch +1; s_mov_b32 s11, exec_lo;
    // s_cbranch_join s12
    let code = [
        0x02, 0x00, 0x08, 0xb8, 0x7e, 0x00, 0x8a, 0xbe, 0x01, 0x00, 0x82, 0xbf, 0x7e, 0x00, 0x8b,
        0xbe, 0x0c, 0x2e, 0x80, 0xbe,
    ];
    let w = ok(Gfx900, &code, |w| {
        w.set_exec(0b1111);
        // Lane 0 takes the branch; three lanes do not.
        w.set_s64(8, 1);
    });
    assert_eq!((w.sgpr[10], w.sgpr[11]), (0b1110, 1));
    assert_eq!(w.mode.0 >> 29, 0);
    // All agree: nothing is saved.
    let w = ok(Gfx900, &code, |w| {
        w.set_exec(0b11);
        w.set_s64(8, 3);
        w.sgpr[10] = 77;
    });
    assert_eq!((w.sgpr[10], w.sgpr[11]), (77, 3));
    // The other fork names its target by address: s_cbranch_g_fork s[8:9], s[6:7]
    let mut g = code;
    g[..4].copy_from_slice(&[0x08, 0x06, 0x80, 0x94]);
    let w = ok(Gfx900, &g, |w| {
        w.set_exec(0b1111);
        w.set_s64(6, BASE + 12);
        w.set_s64(8, 0b0111);
    });
    assert_eq!((w.sgpr[10], w.sgpr[11]), (0b1000, 0b0111));
}

#[test]
fn a_subvector_loop_runs_once_for_each_half_of_exec() {
    // s_subvector_loop_begin s0, +2; s_add_u32 s1, s1, exec_lo; s_subvector_loop_end s0, -2; s_nop 0
    let code = [
        0x02, 0x00, 0x80, 0xbd, 0x01, 0x7e, 0x01, 0x80, 0xfe, 0xff, 0x00, 0xbe, 0x00, 0x00, 0x80,
        0xbf,
    ];
    for (lo, hi, sum) in [(3, 5, 3), (3, 0, 3), (0, 5, 0), (0, 0, 0)] {
        let w = run(Gfx1030, 64, &code, |w| {
            w.sgpr[sreg::EXEC_LO] = lo;
            w.sgpr[sreg::EXEC_HI] = hi;
        })
        .unwrap();
        let exec = (w.sgpr[sreg::EXEC_LO], w.sgpr[sreg::EXEC_HI]);
        assert_eq!((exec, w.sgpr[1]), ((lo, hi), sum), "{lo} {hi}");
    }
}

#[test]
fn moves_with_two_offsets() {
    // s_movrelsd_2_b32 s5, s7: the manual's example moves s17 to s25.
    let w = ok(Gfx1201, &[0x07, 0x44, 0x85, 0xbe], |w| {
        w.sgpr[sreg::M0] = 20 << 16 | 10;
        w.sgpr[17] = 99;
    });
    assert_eq!(w.sgpr[25], 99);
}

/// `s_getreg_b32 s0, hwreg(id, offset, width)` of a target's own opcode.
fn getreg(target: Target, id: u32, offset: u32, width: u32) -> Result<u32, Stop> {
    let imm = id | offset << 6 | (width - 1) << 11;
    let opcode: u32 = match target.major() {
        9 | 11 | 12 => 0x11,
        _ => 0x12,
    };
    let word = 0xb000_0000 | opcode << 23 | imm;
    run(
        target,
        target.default_wave_size(),
        &word.to_le_bytes(),
        |w| {
            w.scc = true;
            w.priority = 2;
            w.id_in_group = 3;
        },
    )
    .map(|w| w.sgpr[0])
}

#[test]
fn hardware_registers_of_each_generation() {
    // STATUS: SCC, priority 2, VCC zero, valid; gfx12 moved SCC and the priority.
    assert_eq!(getreg(Gfx900, 2, 0, 32), Ok(1 | 2 << 3 | 1 << 10 | 1 << 16));
    assert_eq!(getreg(Gfx1201, 2, 0, 32), Ok(1 << 10 | 1 << 16));
    assert_eq!(getreg(Gfx1201, 4, 9, 1), Ok(1));
    assert_eq!(getreg(Gfx1201, 4, 12, 2), Ok(2));
    // GPR_ALLOC: 8 VGPRs are one past the first unit of four.
    assert_eq!(VGPRS, 8);
    assert_eq!(getreg(Gfx900, 5, 8, 6), Ok(1));
    assert_eq!(getreg(Gfx942, 5, 6, 6), Ok(1));
    assert!(getreg(Gfx1100, 5, 0, 32).is_err());
    // SH_MEM_BASES: the apertures' upper 16 bits.
    let bases = crate::dispatch::apertures(Gfx1030);
    let expected = (bases.private_base() >> 48 | bases.shared_base() >> 48 << 16) as u32;
    assert_eq!(getreg(Gfx1030, 15, 0, 32), Ok(expected));
    // No trap handler, nothing outstanding.
    assert_eq!(getreg(Gfx900, 16, 0, 32), Ok(0));
    assert_eq!(getreg(Gfx900, 7, 0, 32), Ok(0));
    assert_eq!(getreg(Gfx900, 4, 0, 32), Ok(3));
    assert_eq!(getreg(Gfx900, 3, 0, 7), Ok(0));
    assert_eq!(getreg(Gfx900, 3, 8, 1), Ok(0));
}

// rule: SCRATCH_EN says that the wave has scratch memory; section RDNA 3 ISA 3.4.1, RDNA 4 and CDNA 5 ISA 3.4.2.
#[test]
fn the_status_tells_of_scratch_memory() {
    for (target, register, bit) in [(Gfx1100, 2, 29), (Gfx1201, 4, 18), (Gfx1250, 4, 18)] {
        let opcode = 0x11;
        let word = 0xb000_0000u32 | opcode << 23 | register | bit << 6;
        let code = word.to_le_bytes();
        for size in [0, 64] {
            let w = ok(target, &code, |w| w.scratch_size = size);
            assert_eq!(w.sgpr[0], u32::from(size != 0), "{target}");
        }
    }
}

// rule: BARRIER_COMPLETE is set from the barrier's completion until the wave waits; section RDNA 4 and CDNA 5 ISA
// 3.4.2.
#[test]
fn the_state_tells_of_complete_barriers() {
    let mut b = Bench::new(Gfx1250, 32);
    b.barrier = crate::barrier::Barrier::with_named(1, 4);
    // s_getreg_b32 s0, hwreg(4, 2, 7)
    let state = |b: &mut Bench| {
        let word = 0xb000_0000u32 | 0x11 << 23 | 4 | 2 << 6 | 6 << 11;
        let hex: String = word
            .to_le_bytes()
            .iter()
            .map(|x| format!("{x:02x}"))
            .collect();
        b.run_all(&[&hex]);
        b.wave.sgpr[0]
    };
    // s_barrier_join 1
    b.run_all(&["815280be"]);
    assert_eq!(state(&mut b), 1 << 2);
    // s_barrier_signal -1 completes the barrier of a single wave.
    b.run_all(&["c14e80be"]);
    assert_eq!(state(&mut b), 1 << 2 | 1);
    // One member: s_barrier_init with M0, s_barrier_signal 1.
    b.wave.sgpr[sreg::M0] = 1 | 1 << 16;
    b.run_all(&["7d5180be", "814e80be"]);
    assert_eq!(state(&mut b), 1 << 2 | 2 | 1);
}

#[test]
fn mode_is_written_by_fields() {
    // s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 7), 1
    let code = [0x01, 0x33, 0x00, 0xba, 1, 0, 0, 0];
    let w = ok(Gfx900, &code, |w| w.mode.0 = 0x2f0);
    assert_eq!(w.mode.0, 0x12f0);
    // hwreg(HW_REG_MODE, 0, 4), 5
    let code = [0x01, 0x18, 0x00, 0xba, 5, 0, 0, 0];
    let w = ok(Gfx900, &code, |w| w.mode.0 = 0x2f0);
    assert_eq!(w.mode.0, 0x2f5);
    // A register that only a trap handler may write keeps its value: hwreg(4, 9, 1) of gfx12.
    let imm = 4 | 9 << 6;
    let word = 0xb000_0000u32 | 0x13 << 23 | imm;
    let mut code = word.to_le_bytes().to_vec();
    code.extend([0; 4]);
    assert!(ok(Gfx1201, &code, |w| w.scc = true).scc);
}

#[test]
fn messages_that_have_an_effect_here() {
    // s_sendmsg sendmsg(MSG_INTERRUPT)
    let mut b = Bench::new(Gfx900, 64);
    b.run_all(&["010090bf", "010090bf"]);
    assert_eq!(b.stats.interrupts, 2);
    // s_sendmsg_rtn_b64 s[0:1], the clock, and the trap handler's address.
    let mut b = Bench::new(Gfx1250, 32);
    b.wave.steps = 5 << 32 | 7;
    b.run_all(&["834d80be"]);
    assert_eq!(b.wave.s64(0), 5 << 32 | 7);
    let mut b = Bench::new(Gfx1100, 32);
    b.wave.set_s64(0, u64::MAX);
    b.run_all(&["854d80be"]);
    assert_eq!(b.wave.s64(0), 0);
}

#[test]
fn named_barriers_by_constant_and_m0() {
    let mut b = Bench::new(Gfx1250, 32);
    b.barrier = crate::barrier::Barrier::with_named(4, 8);
    // Three members for barrier 2: s_barrier_init m0; s_barrier_join 3 and then the wave changes
    // its mind.
    b.wave.sgpr[sreg::M0] = 2 | 3 << 16;
    b.run_all(&["7d5180be", "835280be"]);
    assert_eq!(b.wave.barriers.joined, 3);
    b.wave.barriers.joined = 2;
    // s_barrier_signal 2; s_get_barrier_state s0, -1 is the workgroup's.
    b.run_all(&["824e80be", "c15080be"]);
    assert_eq!(b.wave.sgpr[0], 2 << 24 | 4 << 4 | 1);
    assert_eq!(b.barrier.state(2), 2 << 24 | 1 << 16 | 3 << 4 | 1);
    // s_barrier_wait 1 waits for the joined one.
    assert_eq!(b.run("010094bf"), Step::Barrier);
    assert_eq!(b.wave.barriers.waits_for, WaitsFor::Named);
    assert!(!b.barrier.pass(&mut b.wave));
    // s_barrier_leave: two members are left, of which one has signalled.
    b.run_all(&["000095bf"]);
    assert!(!b.wave.scc);
    assert_eq!(b.barrier.state(2), 2 << 24 | 1 << 16 | 2 << 4 | 1);
    // s_barrier_signal_isfirst -1
    b.run_all(&["c14f80be"]);
    assert!(b.wave.scc);
    b.run_all(&["c14f80be"]);
    assert!(!b.wave.scc);
}

#[test]
fn vgpr_msbs_extend_the_operands_of_what_follows() {
    // s_set_vgpr_msb 0x41: the first source from v256 on, the result from v256 on.
    // v_add_u32 v1, v2, v3; s_set_vgpr_msb 0; v_mov_b32 v1, v2
    let code = [
        0x41, 0x00, 0x86, 0xbf, 0x02, 0x07, 0x02, 0x4a, 0x00, 0x00, 0x86, 0xbf, 0x02, 0x03, 0x02,
        0x7e,
    ];
    let w = run_with(Gfx1250, 32, &code, 300, |w| {
        for (r, v) in [(1, 1), (2, 20), (3, 300), (258, 4000)] {
            w.set_lane(r, 5, v);
        }
    })
    .unwrap();
    assert_eq!((w.lane(257, 5), w.lane(1, 5)), (4300, 20));
    assert_eq!((w.vgpr_msb, w.mode.0 >> 12 & 0xff), (0, 0));
    // v_fmamk_f32 v1, v2, 2.0, v3 has its addend in the third source's place: MSBs 0x10.
    let code = [
        0x10, 0x00, 0x86, 0xbf, 0x02, 0x07, 0x02, 0x58, 0, 0, 0, 0x40,
    ];
    let w = run_with(Gfx1250, 32, &code, 300, |w| {
        w.set_lane(2, 0, 3f32.to_bits());
        w.set_lane(3, 0, 100f32.to_bits());
        w.set_lane(259, 0, 1f32.to_bits());
    })
    .unwrap();
    assert_eq!(f32::from_bits(w.lane(1, 0)), 7.0);
    assert_eq!(w.mode.0 >> 12 & 0xff, 0x40);
}

#[test]
fn vgpr_msbs_last_over_branches() {
    // s_set_vgpr_msb 0x01; s_branch +1; v_mov_b32 v1, v2 (skipped); v_mov_b32 v1, v2
    let code = [
        0x01, 0x00, 0x86, 0xbf, 0x01, 0x00, 0xa0, 0xbf, 0x02, 0x03, 0x02, 0x7e, 0x02, 0x03, 0x02,
        0x7e,
    ];
    let w = run_with(Gfx1250, 32, &code, 300, |w| {
        w.set_lane(2, 0, 7);
        w.set_lane(258, 0, 9);
    })
    .unwrap();
    assert_eq!(w.lane(1, 0), 9);
}

#[test]
fn sources_of_a_pair_past_the_registers_wrap_in_their_bank() {
    // v_dual_mov_b32 v0, v9 :: v_dual_mov_b32 v3, v4 with eight registers: v9 is v1.
    let code = [0x09, 0x01, 0x10, 0xca, 0x04, 0x01, 0x02, 0x00];
    let w = ok(Gfx1100, &code, |w| {
        for r in 0..8 {
            w.set_lane(r, 0, 10 + r as u32);
        }
    });
    assert_eq!((w.lane(0, 0), w.lane(3, 0)), (11, 14));
}

#[test]
fn what_would_stop_a_wave_for_good_is_refused() {
    // s_sethalt 1; s_setkill 1 ends the wave.
    let r = run(Gfx900, 64, &[0x01, 0x00, 0x8d, 0xbf], |_| {});
    assert!(matches!(r, Err(Stop::Refused { .. })));
    let mut b = Bench::new(Gfx900, 64);
    assert_eq!(b.run("01008bbf"), Step::End);
}

// rule: VSKIP skips vector instructions until it is cleared; section Vega ISA 12.4, S_SETVSKIP;
// Vega ISA 3.5, CDNA 3 ISA 3.5, MODE bit 28.
#[test]
fn vector_instructions_are_skipped_while_vskip_is_set() {
    // s_setvskip 1, 0; v_mov_b32 v0, v1; s_mov_b32 s8, s9; s_setvskip 0, 0; v_mov_b32 v2, v1
    let code = [
        0x81, 0x80, 0x10, 0xbf, 0x01, 0x03, 0x00, 0x7e, 0x09, 0x00, 0x88, 0xbe, 0x80, 0x80, 0x10,
        0xbf, 0x01, 0x03, 0x04, 0x7e,
    ];
    for target in [Gfx900, Gfx90a, Gfx942] {
        let w = ok(target, &code, |w| {
            w.set_lane(1, 3, 7);
            w.sgpr[9] = 5;
        });
        assert_eq!([0, 2].map(|r| w.lane(r, 3)), [0, 7], "{target}");
        assert_eq!(w.sgpr[8], 5);
        assert_eq!(w.mode.0 >> 28 & 1, 0);
    }
    // s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1; v_mov_b32 v0, v1
    let code = [0x01, 0x07, 0x00, 0xba, 1, 0, 0, 0, 0x01, 0x03, 0x00, 0x7e];
    let w = ok(Gfx900, &code, |w| w.set_lane(1, 3, 7));
    assert_eq!((w.lane(0, 3), w.mode.0 >> 28 & 1), (0, 1));
}
