//! Registers past a wave's allocation, by each generation's chapter on out-of-range registers. The bytes
//! are LLVM 22's encodings; waves have eight VGPRs.

use crate::testing_program::{Case, run};
use crate::wave::{Wave, sreg};
use waveglass_isa::Target::{self, *};
use waveglass_mem::FaultKind;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2)
        .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
        .collect()
}

/// Every register 10 more than its number; VCC, s0 and s4 are 77.
fn execute(target: Target, hex: &str) -> Wave {
    run(target, target.default_wave_size(), &bytes(hex), |w| {
        for r in 0..8 {
            for lane in 0..w.lanes() {
                w.set_lane(r, lane, 10 + r as u32);
            }
        }
        w.sgpr[0] = 77;
        w.sgpr[4] = 77;
        w.sgpr[sreg::VCC_LO] = 77;
    })
    .unwrap_or_else(|e| panic!("{target} {hex}: {e:?}"))
}

fn registers(w: &Wave) -> Vec<u32> {
    (0..8).map(|r| w.lane(r, 3)).collect()
}

const UNCHANGED: [u32; 8] = [10, 11, 12, 13, 14, 15, 16, 17];

// rule: a VALU source past the allocation is v0, and nothing is written where any destination is past
// it; section Vega ISA 3.6.1, 6.2.3, CDNA 3 ISA 3.6.1, 6.2.3, RDNA 1 and 2 ISA 3.6.1, 6.2.6, RDNA 3 ISA
// 3.3.2.2, 7.2.7, RDNA 4 ISA 3.3.2.2, 7.2.7, CDNA 5 ISA 3.3.2.2, 7.2.6.
#[test]
fn vector_registers_past_the_allocation() {
    // v_readlane_b32 s0, v9, 3; v_add_co_u32 v9, vcc or s4, v1, v2; v_swap_b32 v1, v9
    for (target, lane, carry, swap) in [
        (Gfx900, "000089d209070100", "01051232", "09a3027e"),
        (Gfx942, "000089d209070100", "01051232", "09a3027e"),
        (Gfx1030, "000060d709070100", "09040fd701050200", "09cb027e"),
        (Gfx1100, "000060d709070100", "090400d701050200", "09cb027e"),
        (Gfx1201, "000060d709070100", "090400d701050200", "09cb027e"),
        (Gfx1250, "000060d709070100", "090400d701050200", "09cb027e"),
    ] {
        // v_mov_b32 v1, v9; v_mov_b32 v9, v1
        let w = execute(target, "0903027e");
        assert_eq!(w.lane(1, 3), 10, "{target}");
        assert_eq!(
            registers(&execute(target, "0103127e")),
            UNCHANGED,
            "{target}"
        );
        assert_eq!(execute(target, lane).sgpr[0], 10, "{target}");
        let w = execute(target, carry);
        assert_eq!(registers(&w), UNCHANGED, "{target}");
        assert_eq!((w.sgpr[4], w.sgpr[sreg::VCC_LO]), (77, 77), "{target}");
        assert_eq!(registers(&execute(target, swap)), UNCHANGED, "{target}");
    }
}

// rule: an operand of two registers is out of range where its second one is; section RDNA 3 ISA
// 3.3.2.2, RDNA 4 ISA 3.3.2.2, Vega ISA 3.6.1.
#[test]
fn pairs_that_reach_past_the_allocation() {
    // v_add_f64 v[0:1], v[7:8], v[2:3] and v_add_f64 v[7:8], v[2:3], v[2:3]
    for (target, source, result) in [
        (Gfx900, "000080d207050200", "070080d202050200"),
        (Gfx1030, "000064d507050200", "070064d502050200"),
        (Gfx1100, "000027d707050200", "070027d702050200"),
        (Gfx1201, "07050004", "02050e04"),
    ] {
        let pair = |lo: u32, hi: u32| f64::from_bits(u64::from(lo) | u64::from(hi) << 32);
        let sum = (pair(10, 11) + pair(12, 13)).to_bits();
        let w = execute(target, source);
        let found = u64::from(w.lane(0, 3)) | u64::from(w.lane(1, 3)) << 32;
        assert_eq!(found, sum, "{target}");
        assert_eq!(registers(&execute(target, result)), UNCHANGED, "{target}");
    }
}

// rule: relative moves reach VCC behind the SGPRs from RDNA 1 on and stay within the trap temporaries;
// past that s0 is read and nothing is written; section RDNA 1 and 2 ISA 3.6.1, RDNA 3 ISA 3.3.1.4.
#[test]
fn relative_scalar_moves_stay_in_their_range() {
    // s_movrels_b32 s6, s0; s_movreld_b32 s0, s7
    for (target, source, result) in [
        (Gfx900, "002a86be", "072c80be"),
        (Gfx1030, "002e86be", "073080be"),
        (Gfx1100, "004086be", "074280be"),
        (Gfx1201, "004086be", "074280be"),
    ] {
        let code = bytes(&format!("{source}{result}"));
        let moved = |m0: u32| {
            run(target, target.default_wave_size(), &code, |w| {
                w.sgpr[0] = 5;
                w.sgpr[7] = 9;
                w.sgpr[20] = 30;
                w.sgpr[sreg::VCC_HI] = 40;
                w.sgpr[sreg::TTMP0] = 50;
                w.sgpr[sreg::M0] = m0;
            })
            .unwrap()
        };
        let w = moved(20);
        assert_eq!((w.sgpr[6], w.sgpr[20]), (30, 9), "{target}");
        let w = moved(107);
        let expected = if target.is_gfx9() { (5, 40) } else { (40, 9) };
        assert_eq!((w.sgpr[6], w.sgpr[sreg::VCC_HI]), expected, "{target}");
        let w = moved(108);
        assert_eq!((w.sgpr[6], w.sgpr[sreg::TTMP0]), (5, 50), "{target}");
    }
}

// rule: an SGPR past the allocation reads as s0 and is not written; section Vega ISA 3.6.1,
// CDNA 3 ISA 3.6.1.
#[test]
fn scalar_registers_past_the_allocation() {
    // s_mov_b32 s20, s9; s_mov_b32 s8, s20; s_mov_b64 s[14:15], s[16:17]; s_mov_b32 vcc_lo, s9
    let code = [
        0x09, 0x00, 0x94, 0xbe, 0x14, 0x00, 0x88, 0xbe, 0x10, 0x01, 0x8e, 0xbe, 0x09, 0x00, 0xea,
        0xbe,
    ];
    let mut case = Case::with_handler(Gfx900, &code, &[]);
    case.options.sgprs = 16;
    let setup = |w: &mut Wave| {
        w.set_s64(0, 0x2_0000_0001);
        w.sgpr[9] = 9;
        w.set_s64(16, 77);
    };
    let w = case.run(setup).unwrap();
    assert_eq!((w.sgpr[20], w.sgpr[8]), (0, 1));
    assert_eq!(w.s64(14), 0x2_0000_0001);
    assert_eq!(w.sgpr[sreg::VCC_LO], 9);
    case.options.sgprs = 128;
    let w = case.run(setup).unwrap();
    assert_eq!((w.sgpr[20], w.sgpr[8]), (9, 9));
    assert_eq!(w.s64(14), 77);
}

// rule: a negative IOFFSET of S_BUFFER_LOAD is a violation that reads zero; section RDNA 4 ISA 8.1.2, CDNA 5 ISA 8.1.2.
// points: 11
#[test]
fn a_negative_immediate_of_a_buffer_load_is_a_violation_on_gfx12() {
    // s_buffer_load_b32 s8, s[0:3], -0x4 by the manuals' encoding, which LLVM has no instruction for; s_mov_b32 s9, 7.
    let code = bytes("000202f4fcfffff8870089be");
    for target in [Gfx1200, Gfx1201, Gfx1250] {
        let case = Case::with_handler(target, &code, &[]);
        let w = case.run(|w| w.sgpr[8] = 5).unwrap();
        assert_eq!((w.sgpr[8], w.sgpr[9]), (0, 7), "{target}");
        assert_eq!(w.faults[0].fault.kind, FaultKind::NegativeOffset);
        assert_eq!(w.faults[0].mnemonic, "s_buffer_load_b32");
        assert_eq!(w.trapsts, 1 << 4, "{target}");
        // Opcode 52 has no meaning.
        let other = bytes("008006f4fcfffff8");
        assert!(Case::with_handler(target, &other, &[]).run(|_| ()).is_err());
    }
}
