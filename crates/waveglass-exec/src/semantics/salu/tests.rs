//! The scalar ALU. The bytes are LLVM 22's encodings; the expected values are worked out from the
//! manuals' definitions and examples.

use crate::error::Stop;
use crate::testing_program::{BASE, run};
use crate::wave::{Mode, Wave, sreg};
use waveglass_isa::Target::{self, Gfx900, Gfx942, Gfx1150, Gfx1201};

/// Runs one instruction with `s0`… set from `sgprs`.
fn at(target: Target, code: &[u8], sgprs: &[u32]) -> Wave {
    run(target, target.default_wave_size(), code, |w| {
        w.sgpr[..sgprs.len()].copy_from_slice(sgprs);
    })
    .unwrap()
}

fn s64(w: &Wave, i: usize) -> u64 {
    w.s64(i)
}

#[test]
fn a_carry_goes_from_the_low_to_the_high_half_through_scc() {
    // s_add_u32 s0, s2, s4; s_addc_u32 s1, s3, s5
    let code = [0x02, 0x04, 0x00, 0x80, 0x03, 0x05, 0x01, 0x82];
    let w = at(Gfx900, &code, &[0, 0, u32::MAX, 1, 1, 2]);
    assert_eq!((s64(&w, 0), w.scc), (4 << 32, false));
    let w = at(Gfx900, &code, &[0, 0, u32::MAX, u32::MAX, 1, 0]);
    assert_eq!((s64(&w, 0), w.scc), (0, true));
}

#[test]
fn the_maximum_of_equal_operands_sets_scc_where_the_manual_writes_at_least() {
    // s_max_i32 s0, s1, s2
    let code = [0x01, 0x02, 0x00, 0x84];
    for (target, equal) in [(Gfx900, false), (Gfx942, true)] {
        let w = at(target, &code, &[0, 7, 7]);
        assert_eq!((w.sgpr[0], w.scc), (7, equal), "{target}");
        let w = at(target, &code, &[0, -1i32 as u32, 0]);
        assert_eq!((w.sgpr[0], w.scc), (0, false), "{target}");
        let w = at(target, &code, &[0, 0, -1i32 as u32]);
        assert_eq!((w.sgpr[0], w.scc), (0, true), "{target}");
    }
}

#[test]
fn bit_fields_are_extracted_at_their_edges() {
    // s_bfe_i32 s0, s1, s2
    let signed = |v: u32, offset: u32, width: u32| {
        let w = at(
            Gfx900,
            &[0x01, 0x02, 0x00, 0x93],
            &[0, v, offset | width << 16],
        );
        (w.sgpr[0], w.scc)
    };
    assert_eq!(signed(0x0000_0f00, 8, 4), (u32::MAX, true));
    assert_eq!(signed(0x0000_0700, 8, 4), (7, true));
    assert_eq!(signed(u32::MAX, 3, 0), (0, false));
    assert_eq!(signed(0x8000_0000, 31, 32), (u32::MAX, true));
    // s_bfe_u64 s[0:1], s[2:3], s4
    let w = at(
        Gfx900,
        &[0x02, 0x04, 0x80, 0x93],
        &[0, 0, 0, 0x8000_0001, 31 | 64 << 16],
    );
    assert_eq!((s64(&w, 0), w.scc), (0x1_0000_0002, true));
    // s_bfm_b32 s0, s1, s2
    let w = at(Gfx900, &[0x01, 0x02, 0x00, 0x91], &[0, 5, 30]);
    assert_eq!(w.sgpr[0], 0xc000_0000);
}

#[test]
fn shift_and_add_reports_what_leaves_the_register() {
    // s_lshl2_add_u32 s0, s1, s2
    let code = [0x01, 0x02, 0x80, 0x97];
    let w = at(Gfx900, &code, &[0, 0x3fff_ffff, 3]);
    assert_eq!((w.sgpr[0], w.scc), (u32::MAX, false));
    let w = at(Gfx900, &code, &[0, 0x3fff_ffff, 4]);
    assert_eq!((w.sgpr[0], w.scc), (0, true));
}

#[test]
fn saving_exec_reads_its_source_before_the_destination_is_written() {
    // s_and_saveexec_b64 s[0:1], s[2:3] and with both operands the same pair
    for (code, pair) in [
        ([0x02, 0x20, 0x80, 0xbe], 0usize),
        ([0x02, 0x20, 0x82, 0xbe], 2),
    ] {
        let w = run(Gfx900, 64, &code, |w| {
            w.set_s64(2, 0xff00);
            w.set_exec(0x0ff0);
        })
        .unwrap();
        assert_eq!((s64(&w, pair), w.exec(), w.scc), (0x0ff0, 0x0f00, true));
    }
    // s_andn1_wrexec_b64 s[0:1], s[2:3]
    let w = run(Gfx900, 64, &[0x02, 0x35, 0x80, 0xbe], |w| {
        w.set_s64(2, 0xffff);
        w.set_exec(0x0ff0);
    })
    .unwrap();
    assert_eq!((s64(&w, 0), w.exec(), w.scc), (0, 0, false));
}

#[test]
fn leading_sign_bits_follow_the_manuals_examples() {
    // s_flbit_i32 s0, s1 (s_cls_i32 of later generations)
    for (v, r) in [
        (0, u32::MAX),
        (0x0000_cccc, 16),
        (0xffff_3333, 16),
        (0x7fff_ffff, 1),
        (0x8000_0000, 1),
        (0xffff_ffff, u32::MAX),
    ] {
        let w = at(Gfx900, &[0x01, 0x14, 0x80, 0xbe], &[0, v]);
        assert_eq!(w.sgpr[0], r, "{v:#x}");
    }
    // s_flbit_i32_i64 s0, s[2:3]
    let w = at(Gfx900, &[0x02, 0x15, 0x80, 0xbe], &[0, 0, 0x0000_cccc, 0]);
    assert_eq!(w.sgpr[0], 48);
}

#[test]
fn quads_are_widened_and_packed() {
    // s_wqm_b64 s[0:1], s[2:3]
    let w = at(
        Gfx900,
        &[0x02, 0x07, 0x80, 0xbe],
        &[0, 0, 0x0000_0420, 0x8000_0000],
    );
    assert_eq!((s64(&w, 0), w.scc), (0xf000_0000_0000_0ff0, true));
    // s_quadmask_b64 s[0:1], s[2:3]
    let w = at(
        Gfx900,
        &[0x02, 0x29, 0x80, 0xbe],
        &[0, 0, 0x0000_0420, 0x8000_0000],
    );
    assert_eq!((s64(&w, 0), w.scc), (0x8006, true));
}

#[test]
fn immediates_extend_by_sign_or_by_zero_as_the_comparison_says() {
    // s_cmpk_lt_u32 s0, 0xfffe: zero-extended.
    let code = [0xfe, 0xff, 0x00, 0xb6];
    assert!(at(Gfx900, &code, &[0xfffd]).scc);
    assert!(!at(Gfx900, &code, &[0x0001_0000]).scc);
    // s_cmpk_lt_i32 s0, -2
    let code = [0xfe, 0xff, 0x00, 0xb3];
    assert!(at(Gfx900, &code, &[-3i32 as u32]).scc);
    assert!(!at(Gfx900, &code, &[0]).scc);
    // s_addk_i32 s0, 0x7fff: SCC is the signed overflow.
    let code = [0xff, 0x7f, 0x00, 0xb7];
    let w = at(Gfx900, &code, &[0x7fff_ffff]);
    assert_eq!((w.sgpr[0], w.scc), (0x8000_7ffe, true));
}

#[test]
fn calls_leave_the_address_of_the_next_instruction() {
    // s_call_b64 s[4:5], 1; s_movk_i32 s0, -1; s_getpc_b64 s[2:3]
    let code = [
        0x01, 0x00, 0x84, 0xba, 0xff, 0xff, 0x00, 0xb0, 0x00, 0x1c, 0x82, 0xbe,
    ];
    let w = at(Gfx900, &code, &[7]);
    assert_eq!(
        (w.sgpr[0], s64(&w, 4), s64(&w, 2)),
        (7, BASE + 4, BASE + 12)
    );
    // s_swappc_b64 s[30:31], s[2:3]; s_movk_i32 s0, -1; s_endpgm
    let code = [
        0x02, 0x1e, 0x9e, 0xbe, 0xff, 0xff, 0x00, 0xb0, 0x00, 0x00, 0x81, 0xbf,
    ];
    let w = at(Gfx900, &code, &[7, 0, BASE as u32 + 8, 0]);
    assert_eq!((w.sgpr[0], s64(&w, 30)), (7, BASE + 4));
}

#[test]
fn a_field_of_mode_is_written_and_read_back() {
    // s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 1; s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 4)
    let code = [
        0x01, 0x09, 0x00, 0xba, 0x01, 0x00, 0x00, 0x00, 0x01, 0x19, 0x80, 0xb8,
    ];
    let w = at(Gfx900, &code, &[]);
    assert_eq!((w.mode, w.sgpr[0]), (Mode(0xd0), 0xd));
}

#[test]
fn single_bits_are_found_and_set() {
    // s_ff0_i32_b64 s0, s[2:3]
    let w = at(Gfx900, &[0x02, 0x0f, 0x80, 0xbe], &[0, 0, u32::MAX, 0b0111]);
    assert_eq!(w.sgpr[0], 35);
    let w = at(
        Gfx900,
        &[0x02, 0x0f, 0x80, 0xbe],
        &[0, 0, u32::MAX, u32::MAX],
    );
    assert_eq!(w.sgpr[0], u32::MAX);
    // s_bitset1_b32 s0, s1: the bit's number counts modulo 32.
    let w = at(Gfx900, &[0x01, 0x1a, 0x80, 0xbe], &[1, 63]);
    assert_eq!(w.sgpr[0], 0x8000_0001);
    // s_abs_i32 s0, s1: the least integer stays negative.
    let w = at(Gfx900, &[0x01, 0x30, 0x80, 0xbe], &[0, 0x8000_0000]);
    assert_eq!((w.sgpr[0], w.scc), (0x8000_0000, true));
}

#[test]
fn scalar_minimum_orders_zeros_and_treats_nan_as_each_generation_says() {
    let (signalling, quiet) = (0x7f80_0001, 0x7fc0_0001);
    let ieee = |w: &mut Wave| w.mode = Mode(0x2f0);
    let min = |target, a: u32, b: u32| {
        run(target, 32, &[0x01, 0x02, 0x00, 0xa1], |w| {
            ieee(w);
            w.sgpr[1] = a;
            w.sgpr[2] = b;
        })
        .unwrap()
        .sgpr[0]
    };
    let one = 1f32.to_bits();
    for target in [Gfx1150, Gfx1201] {
        assert_eq!(min(target, 0, 0x8000_0000), 0x8000_0000);
        assert_eq!(min(target, 0x8000_0000, 0), 0x8000_0000);
        assert_eq!(min(target, quiet, one), one);
    }
    // s_min_f32 of RDNA 3.5 with MODE.IEEE; s_min_num_f32 of RDNA 4.
    assert_eq!(min(Gfx1150, one, signalling), quiet);
    assert_eq!(min(Gfx1201, one, signalling), one);
    // s_min_f16 s0, s1, s2
    let w = run(Gfx1150, 32, &[0x01, 0x02, 0x80, 0xa5], |w| {
        ieee(w);
        w.sgpr[1] = 0x3c00;
        w.sgpr[2] = 0x7c01;
    })
    .unwrap();
    assert_eq!(w.sgpr[0], 0x7e01);
}

#[test]
fn scalar_floats_follow_mode() {
    // s_add_f32 s0, s1, s2; s_fmamk_f32 s0, s1, 2.0, s2
    let add: &[u8] = &[0x01, 0x02, 0x00, 0xa0];
    let fmamk: &[u8] = &[0x01, 0x02, 0x00, 0xa3, 0x00, 0x00, 0x00, 0x40];
    for (code, sum) in [(add, 5.0f32), (fmamk, 8.0)] {
        let w = at(Gfx1201, code, &[0, 3f32.to_bits(), 2f32.to_bits()]);
        assert_eq!(f32::from_bits(w.sgpr[0]), sum);
    }
    let sum = |mode, a: f32, b: f32| {
        let w = run(Gfx1201, 32, add, |w| {
            w.mode = Mode(mode);
            w.sgpr[1] = a.to_bits();
            w.sgpr[2] = b.to_bits();
        });
        f32::from_bits(w.unwrap().sgpr[0])
    };
    // Up, down, and denormals flushed.
    assert_eq!(sum(0xf1, 1.0, 1e-30), 1f32.next_up());
    assert_eq!(sum(0xf2, 1.0, -1e-30), 1f32.next_down());
    assert_eq!(sum(0xf0, 1e-40, 1e-40), 2.0 * 1e-40f32);
    assert_eq!(sum(0xc0, 1e-40, 1e-40), 0.0);
}

#[test]
fn halves_of_scalars() {
    // s_fmac_f16 s0, s1, s2: 2 * 3 + 1
    let w = at(
        Gfx1201,
        &[0x01, 0x02, 0x00, 0xa7],
        &[0x3c00, 0x4000, 0x4200],
    );
    assert_eq!(w.sgpr[0], 0x4700);
    // s_cvt_pk_rtz_f16_f32 s0, s1, s2: 1 + 2^-11 and -65536 toward zero.
    let w = at(
        Gfx1201,
        &[0x01, 0x02, 0x00, 0xa4],
        &[0, (1f32 + 2f32.powi(-11)).to_bits(), (-65536f32).to_bits()],
    );
    assert_eq!(w.sgpr[0], 0xfbff_3c00);
    // s_cvt_hi_f32_f16 s0, s1
    let w = at(Gfx1201, &[0x01, 0x6a, 0x80, 0xbe], &[0, 0x4000_3c00]);
    assert_eq!(f32::from_bits(w.sgpr[0]), 2.0);
    // v_s_rcp_f32 s0, s1 is not rounded by MODE.
    let w = at(
        Gfx1201,
        &[0, 0, 0x84, 0xd6, 1, 0, 0, 0],
        &[0, 4f32.to_bits()],
    );
    assert_eq!(f32::from_bits(w.sgpr[0]), 0.25);
}

#[test]
fn a_branch_past_the_code_is_a_bad_jump() {
    // s_cbranch_scc1 1
    let code = [0x01, 0x00, 0x85, 0xbf];
    let r = run(Gfx900, 64, &code, |w| w.scc = true);
    let to = BASE + 8;
    assert!(
        matches!(r, Err(Stop::BadJump { from: BASE, to: t }) if t == to),
        "{r:?}"
    );
    let w = run(Gfx900, 64, &code, |w| w.set_s64(sreg::VCC_LO, 1)).unwrap();
    assert_eq!(w.vcc(), 1);
}
