//! What happens around the lane kernels: EXEC, masks, modifiers, SDWA, DPP, MODE, register limits.
//! The bytes are LLVM 22's encodings; the expected values are worked out from the manuals' text.

use crate::testing_program::{fill, lanes, run};
use crate::wave::{Mode, sreg};
use waveglass_isa::Target::{self, Gfx900, Gfx1100};

/// `v_pk_mul_f16 v0, v1, v2`
const PK_MUL_F16: [u8; 8] = [0x00, 0x40, 0x90, 0xd3, 0x01, 0x05, 0x02, 0x18];

fn f(x: f32) -> u32 {
    x.to_bits()
}

/// `v1 = dpp(v0)` on gfx900, `v0` holding lane numbers and `v1` 0xdead.
fn dpp(code: [u8; 8], exec: u64) -> Vec<u32> {
    let w = run(Gfx900, 64, &code, |w| {
        fill(w, 0, |i| i as u32);
        fill(w, 1, |_| 0xdead);
        w.set_exec(exec);
    })
    .unwrap();
    lanes(&w, 1)
}

#[test]
fn lanes_that_are_off_keep_their_value_when_the_result_lies_on_a_source() {
    // v_add_u32 v0, v0, v1 and v_add_nc_u32 v0, v0, v1
    for (target, size, code) in [
        (Gfx900, 64, [0x00, 0x03, 0x00, 0x68]),
        (Gfx1100, 64, [0x00, 0x03, 0x00, 0x4a]),
        (Gfx1100, 32, [0x00, 0x03, 0x00, 0x4a]),
    ] {
        for exec in [0, 1, 0x8000_0001_8000_0001, 0x5555_5555_aaaa_aaaa, u64::MAX] {
            let w = run(target, size, &code, |w| {
                fill(w, 0, |i| i as u32);
                fill(w, 1, |_| 1000);
                w.set_exec(exec);
            })
            .unwrap();
            for (i, v) in lanes(&w, 0).into_iter().enumerate() {
                let on = exec >> i & 1 != 0;
                assert_eq!(v, i as u32 + if on { 1000 } else { 0 }, "{target} lane {i}");
            }
        }
    }
}

#[test]
fn a_scalar_source_reaches_every_lane() {
    // v_add_u32 v0, s3, v1
    let w = run(Gfx900, 64, &[0x03, 0x02, 0x00, 0x68], |w| {
        w.sgpr[3] = u32::MAX;
        fill(w, 1, |i| i as u32 + 1);
    })
    .unwrap();
    assert_eq!(lanes(&w, 0), (0..64).collect::<Vec<u32>>());
}

#[test]
fn negate_absolute_and_output_modifiers_act_in_that_order() {
    // v_add_f32_e64 v0, -v1, |v2| mul:2
    let code = [0x00, 0x02, 0x01, 0xd1, 0x01, 0x05, 0x02, 0x28];
    // "Output modifiers are not compatible with output denormals": MODE that keeps them ignores
    // omod (Vega ISA, "Input modifiers and output modifiers").
    for (mode, factor) in [(0xd0, 2.0), (0xf0, 1.0)] {
        let w = run(Gfx900, 64, &code, |w| {
            w.mode = Mode(mode);
            fill(w, 1, |_| f(1.5));
            fill(w, 2, |i| f(if i % 2 == 0 { -2.0 } else { 8.0 }));
        })
        .unwrap();
        assert_eq!(w.lane(0, 0), f(0.5 * factor));
        assert_eq!(w.lane(0, 63), f(6.5 * factor));
    }
}

#[test]
fn clamp_keeps_floats_in_the_unit_range_and_dx10_clamp_turns_nan_into_zero() {
    // v_add_f32_e64 v0, v1, v2 clamp
    let code = [0x00, 0x80, 0x01, 0xd1, 0x01, 0x05, 0x02, 0x00];
    for (dx10, nan) in [(true, 0), (false, 0x7fc0_0001)] {
        let w = run(Gfx900, 64, &code, |w| {
            w.mode = Mode(0xf0 | (dx10 as u32) << 8);
            fill(w, 1, |i| [f(5.0), f(-1.0), f(0.25), 0x7fc0_0001][i % 4]);
            fill(w, 2, |_| 0);
        })
        .unwrap();
        assert_eq!(lanes(&w, 0)[..4], [f(1.0), 0, f(0.25), nan]);
    }
}

#[test]
fn a_comparison_gives_zero_for_lanes_that_are_off() {
    let setup = |w: &mut crate::Wave| {
        fill(w, 0, |i| f(i as f32));
        fill(w, 1, |_| f(10.0));
        w.set_exec(0xff0f);
        w.set_s64(sreg::VCC_LO, u64::MAX);
    };
    // v_cmp_lt_f32 vcc, v0, v1
    let w = run(Gfx900, 64, &[0x00, 0x03, 0x82, 0x7c], setup).unwrap();
    assert_eq!((w.vcc(), w.exec()), (0x030f, 0xff0f));
    // v_cmpx_lt_f32 on gfx9 writes VCC and EXEC, from gfx10 on EXEC alone.
    let w = run(Gfx900, 64, &[0x00, 0x03, 0xa2, 0x7c], setup).unwrap();
    assert_eq!((w.vcc(), w.exec()), (0x030f, 0x030f));
    let w = run(Gfx1100, 64, &[0x00, 0x03, 0x22, 0x7d], setup).unwrap();
    assert_eq!((w.vcc(), w.exec()), (u64::MAX, 0x030f));
}

#[test]
fn carries_run_through_vcc_and_are_zero_for_lanes_that_are_off() {
    // v_add_co_u32 v2, vcc, v0, v1; v_addc_co_u32 v5, vcc, v3, v4, vcc
    let code = [0x00, 0x03, 0x04, 0x32, 0x03, 0x09, 0x0a, 0x38];
    let w = run(Gfx900, 64, &code, |w| {
        fill(w, 0, |i| if i % 2 == 0 { u32::MAX } else { 7 });
        fill(w, 1, |_| 1);
        fill(w, 3, |i| if i < 32 { u32::MAX } else { 5 });
        fill(w, 4, |_| 0);
        w.set_exec(u64::MAX >> 1);
    })
    .unwrap();
    let (low, high) = (lanes(&w, 2), lanes(&w, 5));
    assert_eq!((low[0], high[0]), (0, 0));
    assert_eq!((low[1], high[1]), (8, u32::MAX));
    assert_eq!((low[32], high[32]), (0, 6));
    assert_eq!((low[63], high[63]), (0, 0));
    // Carries out of the high halves: even lanes below 32.
    assert_eq!(w.vcc(), 0x5555_5555);
}

#[test]
fn select_takes_the_second_source_where_vcc_is_set() {
    // v_cndmask_b32 v0, v1, v2, vcc
    let w = run(Gfx900, 64, &[0x01, 0x05, 0x00, 0x00], |w| {
        fill(w, 0, |_| 9);
        fill(w, 1, |_| 1);
        fill(w, 2, |_| 2);
        w.set_s64(sreg::VCC_LO, 0b0110);
        w.set_exec(0b0111);
    })
    .unwrap();
    assert_eq!(lanes(&w, 0)[..4], [1, 2, 2, 9]);
}

#[test]
fn sdwa_takes_parts_of_the_sources_and_places_a_part_of_the_result() {
    // v_add_u32_sdwa v2, v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_2
    // src1_sel:WORD_1
    let code = [0xf9, 0x02, 0x04, 0x68, 0x00, 0x11, 0x02, 0x05];
    let w = run(Gfx900, 64, &code, |w| {
        fill(w, 0, |_| 0x11f0_2233);
        fill(w, 1, |_| 0x0020_ffff);
        fill(w, 2, |_| 0xaabb_ccdd);
    })
    .unwrap();
    // 0xf0 + 0x20 = 0x110, whose low byte goes to byte 1.
    assert_eq!(w.lane(2, 17), 0xaabb_10dd);
    // … sext(v0) src0_sel:BYTE_0, v1, dst_sel:WORD_0 dst_unused:UNUSED_SEXT
    let code = [0xf9, 0x02, 0x04, 0x68, 0x00, 0x0c, 0x08, 0x06];
    let w = run(Gfx900, 64, &code, |w| {
        fill(w, 0, |_| 0x80);
        fill(w, 1, |_| 0x10);
    })
    .unwrap();
    assert_eq!(w.lane(2, 0), 0xffff_ff90);
}

#[test]
fn dpp_shifts_leave_lanes_without_a_source_alone_unless_bound_ctrl_zeroes_them() {
    // v_mov_b32_dpp v1, v0 row_shr:1
    let v = dpp([0xfa, 0x02, 0x02, 0x7e, 0x00, 0x11, 0x01, 0xff], u64::MAX);
    assert_eq!(
        (v[0], v[1], v[15], v[16], v[17]),
        (0xdead, 0, 14, 0xdead, 16)
    );
    // … bound_ctrl:0, lane 4 off: lane 5 has no source either, and lane 4 writes nothing.
    let v = dpp([0xfa, 0x02, 0x02, 0x7e, 0x00, 0x11, 0x09, 0xff], !0x10);
    assert_eq!((v[0], v[1], v[4], v[5], v[6]), (0, 0, 0xdead, 0, 5));
}

#[test]
fn dpp_permutes_mirrors_rotates_and_broadcasts() {
    // quad_perm:[3,2,1,0]
    let v = dpp([0xfa, 0x02, 0x02, 0x7e, 0x00, 0x1b, 0x00, 0xff], u64::MAX);
    assert_eq!(v[4..8], [7, 6, 5, 4]);
    // row_half_mirror bank_mask:0x5: quads 0 and 2 of each row are written.
    let v = dpp([0xfa, 0x02, 0x02, 0x7e, 0x00, 0x41, 0x01, 0xf5], u64::MAX);
    assert_eq!(v[16..20], [23, 22, 21, 20]);
    assert_eq!(v[20..24], [0xdead; 4]);
    assert_eq!(v[24..28], [31, 30, 29, 28]);
    // wave_ror:1
    let v = dpp([0xfa, 0x02, 0x02, 0x7e, 0x00, 0x3c, 0x01, 0xff], u64::MAX);
    assert_eq!((v[0], v[1], v[63]), (63, 0, 62));
    // row_bcast:15 row_mask:0xa: lane 15 to row 1, lane 47 to row 3.
    let v = dpp([0xfa, 0x02, 0x02, 0x7e, 0x00, 0x42, 0x01, 0xaf], u64::MAX);
    assert_eq!(
        (v[15], v[16], v[31], v[32], v[48]),
        (0xdead, 15, 15, 0xdead, 47)
    );
}

#[test]
fn dpp8_and_row_xmask_read_inactive_lanes_only_when_told_to_fetch_them() {
    let at = |code: [u8; 8], exec| {
        let w = run(Gfx1100, 32, &code, |w| {
            fill(w, 0, |i| i as u32);
            fill(w, 1, |_| 0xdead);
            w.set_exec(exec);
        })
        .unwrap();
        lanes(&w, 1)
    };
    // dpp8:[7,6,5,4,3,2,1,0]
    let v = at([0xe9, 0x02, 0x02, 0x7e, 0x00, 0x77, 0x39, 0x05], u64::MAX);
    assert_eq!(v[8..16], [15, 14, 13, 12, 11, 10, 9, 8]);
    // row_xmask:5 fi:1, lane 5 off: lane 0 reads it all the same.
    let v = at([0xfa, 0x02, 0x02, 0x7e, 0x00, 0x65, 0x05, 0xff], !0x20);
    assert_eq!((v[0], v[5], v[16 + 2]), (5, 0xdead, 16 + 7));
}

#[test]
fn mode_flushes_denormal_sources_and_results() {
    let tiny = 1u32; // the least f32 denormal
    let least_normal = 0x0080_0000;
    // v_mul_f32 v0, v1, v2
    let mul = |mode: u32, a: u32, b: u32| {
        let w = run(Gfx900, 64, &[0x01, 0x05, 0x00, 0x0a], |w| {
            w.mode = Mode(mode);
            fill(w, 1, |_| a);
            fill(w, 2, |_| b);
        })
        .unwrap();
        w.lane(0, 40)
    };
    assert_eq!(mul(0xf0, least_normal, f(0.5)), 0x0040_0000);
    // FP_DENORM for f32 is bits 5:4: bit 4 keeps sources, bit 5 keeps results.
    assert_eq!(mul(0xd0, least_normal, f(-0.5)), 0x8000_0000);
    assert_eq!(mul(0xe0, tiny, f(1.0e20)), 0);
    assert_eq!(mul(0xd0, tiny, f(-1.0)), 0x8000_0000);
    assert_eq!(mul(0xe0, 0x8000_0001, f(-2.0)), 0);
}

#[test]
fn mode_flushes_denormals_of_packed_halves() {
    // v_pk_mul_f16 v0, v1, v2
    let w = run(Gfx900, 64, &PK_MUL_F16, |w| {
        w.mode = Mode(0x30);
        fill(w, 1, |_| 0x8001_0400);
        fill(w, 2, |_| 0x4000_3800);
    })
    .unwrap();
    // Low: the least normal times a half is denormal. High: a denormal source.
    assert_eq!(w.lane(0, 5), 0x8000_0000);
    let w = run(Gfx900, 64, &PK_MUL_F16, |w| {
        fill(w, 1, |_| 0x8001_0400);
        fill(w, 2, |_| 0x4000_3800);
    })
    .unwrap();
    assert_eq!(w.lane(0, 5), 0x8002_0200);
}

#[test]
fn registers_past_the_allocation_read_as_v0_and_are_not_written() {
    let at = |code: [u8; 4]| {
        run(Target::Gfx900, 64, &code, |w| {
            fill(w, 0, |_| 5);
            fill(w, 1, |_| 6);
        })
        .unwrap()
    };
    // v_mov_b32 v9, v1
    let w = at([0x01, 0x03, 0x12, 0x7e]);
    assert_eq!((w.lane(0, 0), w.lane(1, 0)), (5, 6));
    // v_mov_b32 v1, v9
    let w = at([0x09, 0x03, 0x02, 0x7e]);
    assert_eq!(w.lane(1, 63), 5);
}

#[test]
fn fused_multiply_add_rounds_once() {
    // v_fma_f32 v0, v1, v2, 1.0 with (1 + 2^-23) * -(1 - 2^-23): the exact sum is 2^-46.
    let code = [0x00, 0x00, 0xcb, 0xd1, 0x01, 0x05, 0xca, 0x03];
    let w = run(Gfx900, 64, &code, |w| {
        fill(w, 1, |_| 0x3f80_0001);
        fill(w, 2, |_| 0xbf7f_fffe);
    })
    .unwrap();
    assert_eq!(w.lane(0, 9), 0x2880_0000);
}

#[test]
fn a_nan_in_one_lane_is_quieted_there_and_leaves_the_others_alone() {
    // v_mul_f32 v0, v1, v2: the first NaN source comes out quieted; infinity times zero gives the
    // default NaN (`alu::float`).
    let w = run(Gfx900, 64, &[0x01, 0x05, 0x00, 0x0a], |w| {
        fill(w, 1, |i| match i {
            3 => 0xff80_0123,
            40 => 0x7f80_0000,
            41 => f(3.0),
            _ => f(i as f32),
        });
        fill(w, 2, |i| match i {
            3 => 0x7fc0_0777,
            40 => 0,
            41 => 0x7f80_0456,
            _ => f(2.0),
        });
    })
    .unwrap();
    for (i, v) in lanes(&w, 0).into_iter().enumerate() {
        let expected = match i {
            3 => 0xffc0_0123,
            40 => crate::alu::float::DEFAULT_NAN_F32.to_bits(),
            41 => 0x7fc0_0456,
            _ => f(2.0 * i as f32),
        };
        assert_eq!(v, expected, "lane {i}");
    }
}

#[test]
fn lds_is_read_directly_where_m0_says() {
    use crate::testing::Bench;
    let mut b = Bench::new(Target::Gfx900, 64);
    b.poke_lds(8, 0x8001_fffe);
    b.set(1, |l| l as u32);
    for (ty, value) in [
        (0, 0xfe),
        (1, 0xfffe),
        (2, 0x8001_fffe),
        (4, -2i32 as u32),
        (5, -2i32 as u32),
    ] {
        b.wave.sgpr[sreg::M0] = 8 | ty << 16;
        // v_add_u32 v0, src_lds_direct, v1; v_readfirstlane_b32 s0, src_lds_direct
        b.run_all(&["fe020068", "fe04007e"]);
        assert_eq!(b.get(0, 9), value.wrapping_add(9), "{ty}");
        assert_eq!(b.wave.sgpr[0], value);
    }
    // Past the workgroup's LDS.
    b.wave.sgpr[sreg::M0] = 0xfffc | 2 << 16;
    b.run_all(&["fe04007e"]);
    assert_eq!(b.wave.sgpr[0], 0);
}
