//! Exceptions where the manuals leave them to a reading, worked out by hand from each format's numbers.

use super::tests::*;
use crate::program::Step;
use crate::trap::Exceptions;
use waveglass_isa::Target::{self, *};

/// `(v1, v2, v3, what is raised)` for one instruction.
type Cases<'a> = &'a [(u32, u32, u32, Exceptions)];

fn check(target: Target, hex: &str, mode: u32, cases: Cases<'_>) {
    let mut w = Watched::new(target);
    w.0.wave.mode.0 |= mode;
    for &(a, b, c, expected) in cases {
        let raised = w.raises(hex, &[(1, a), (2, b), (3, c)]);
        assert_eq!(
            raised, expected,
            "{target} {hex} {a:#x} {b:#x} {c:#x}: {raised}, not {expected}"
        );
    }
}

const FP16_OVFL: u32 = 1 << 23;

// rule: a conversion to FP8 rounds to nearest even; E4M3 goes from 2^-9 to 448, normal from 2^-6 on, and
// has NaN only; section CDNA4 ISA 7.2 (FP8), IEEE 754 7.4 to 7.6.
#[test]
fn conversions_to_fp8_and_bf8() {
    let fp8 = "0000a2d201050200";
    check(
        Gfx950,
        fp8,
        0,
        &[
            (ONE, TWO, 0, NONE),
            (f(448.0), ONE, 0, NONE),
            // Between 448 and what would be 480: the tie is 448, whose last bit is even.
            (f(464.0), ONE, 0, INX),
            (f(465.0), ONE, 0, OVF | INX),
            (ONE, f(-465.0), 0, OVF | INX),
            (f(1.0625), ONE, 0, INX),
            (f(2f32.powi(-7)), ONE, 0, UNF),
            (f(2f32.powi(-10)), ONE, 0, UNF | INX),
            (INF, ONE, 0, INV),
            (QNAN, ONE, 0, NONE),
            (ONE, SNAN, 0, INV),
            (TINY, ONE, 0, DEN | UNF | INX),
            (0, MINUS, 0, NONE),
        ],
    );
    check(
        Gfx950,
        fp8,
        FP16_OVFL,
        &[
            (INF, ONE, 0, OVF | INX),
            (f(465.0), ONE, 0, OVF | INX),
            (f(464.0), ONE, 0, INX),
            (QNAN, ONE, 0, NONE),
        ],
    );
    // E5M2 has infinities; up to 57344, where 61440 is the tie and goes up.
    check(
        Gfx950,
        "0000a3d201050200",
        0,
        &[
            (INF, ONE, 0, NONE),
            (f(57344.0), ONE, 0, NONE),
            (f(61439.0), ONE, 0, INX),
            (f(61440.0), ONE, 0, OVF | INX),
            (f(2f32.powi(-15)), ONE, 0, UNF),
        ],
    );
    // FNUZ: up to 240, normal from 2^-7 on.
    check(
        Gfx942,
        fp8,
        0,
        &[
            (f(240.0), ONE, 0, NONE),
            (f(248.0), ONE, 0, OVF | INX),
            (f(247.0), ONE, 0, INX),
            (f(2f32.powi(-7)), ONE, 0, NONE),
            (f(2f32.powi(-8)), ONE, 0, UNF),
        ],
    );
    // RDNA 4, and E5M3 of CDNA 5 with the clamp bit: up to 114688, and no sign.
    check(
        Gfx1201,
        "000069d701050200",
        0,
        &[(f(465.0), ONE, 0, OVF | INX)],
    );
    check(
        Gfx1250,
        "008069d701050200",
        0,
        &[
            (f(114688.0), ONE, 0, NONE),
            (f(122880.0), ONE, 0, OVF | INX),
            (f(-1.0), ONE, 0, INV),
            (MINUS, ONE, 0, NONE),
        ],
    );
    // v_cvt_pk_fp8_f16: 65504 is too large, 2^-14 is no denormal half, 2^-24 is one.
    check(
        Gfx1250,
        "000072d701010000",
        0,
        &[
            (0x3c00_3c00, 0, 0, NONE),
            (0x7bff_3c00, 0, 0, OVF | INX),
            (0x3c00_0400, 0, 0, UNF | INX),
            (0x0001_3c00, 0, 0, DEN | UNF | INX),
            (0x7d00_3c00, 0, 0, INV),
        ],
    );
}

// rule: a code is a number; only subnormal ones are told; section CDNA4 ISA 7.2, IEEE 754.
#[test]
fn conversions_from_fp8_and_bf8() {
    // v_cvt_f32_bf8: subnormal, normal, NaN, infinity, minus zero.
    check(
        Gfx950,
        "01ab007e",
        0,
        &[
            (0x3c01, 0, 0, DEN),
            (0x0104, 0, 0, NONE),
            (0x7d, 0, 0, NONE),
            (0x7c, 0, 0, NONE),
            (0x80, 0, 0, NONE),
        ],
    );
    // v_cvt_pk_f32_fp8 of v2.
    check(
        Gfx950,
        "02ad007e",
        0,
        &[
            (0, 0x0138, 0, DEN),
            (0, 0x0101_8038, 0, NONE),
            (0, 0x8738, 0, DEN),
        ],
    );
    // By SDWA's byte 2; 0x80 is FNUZ's NaN.
    check(
        Gfx942,
        "f9a8007e01060200",
        0,
        &[
            (0x0001_3838, 0, 0, DEN),
            (0x0138_0101, 0, 0, NONE),
            (0x0080_0101, 0, 0, NONE),
        ],
    );
}

// rule: "add the seed … and truncate" (CDNA5 ISA 7.6.1): the loss is the exact number's, an overflow depends
// on the seed.
#[test]
fn stochastic_rounding() {
    let all = u32::MAX;
    check(
        Gfx950,
        "0000a4d201050200",
        0,
        &[
            (ONE, all, 0, NONE),
            (f(1.0625), 0, 0, INX),
            (f(460.0), 0, 0, INX),
            (f(460.0), all, 0, OVF | INX),
            (f(448.0), all, 0, NONE),
            (f(2f32.powi(-7)), 0, 0, UNF),
            (SNAN, 0, 0, INV),
            (INF, 0, 0, INV),
        ],
    );
    // v_cvt_sr_bf16_f32, v_cvt_sr_f16_f32.
    check(
        Gfx950,
        "0000a7d201050200",
        0,
        &[
            (ONE, 0xffff, 0, NONE),
            (ONE + 1, 0, 0, INX),
            (MAX, 0, 0, INX),
            (MAX, 1, 0, OVF | INX),
            (INF, all, 0, NONE),
        ],
    );
    check(
        Gfx950,
        "0000a6d201050200",
        0,
        &[
            (f(65504.0), 0x1fff, 0, NONE),
            (f(65519.0), 0, 0, INX),
            (f(65519.0), 0x1fff, 0, OVF | INX),
            (f(2f32.powi(-24)), 0, 0, UNF),
            (QNAN, 0, 0, NONE),
        ],
    );
    // v_cvt_sr_pk_f16_f32: the upper half of the seed is the second number's.
    check(
        Gfx1250,
        "000070d701050e04",
        0,
        &[
            (ONE, ONE, all, NONE),
            (ONE, ONE + 1, 0, INX),
            (ONE, f(65519.0), 0xffff_0000, OVF | INX),
            (ONE, f(65519.0), 0xffff, INX),
        ],
    );
}

// rule: the scale is a power of two and the scaled number is rounded once; section CDNA4 ISA 7.3.
#[test]
fn scaled_conversions() {
    // v_cvt_scalef32_pk_fp4_f32 by 2: FP4 has 0, 0.5, 1, 1.5, 2, 3, 4 and 6, subnormal is 0.5.
    check(
        Gfx950,
        "00003dd201050e04",
        0,
        &[
            (f(12.0), f(2.0), TWO, NONE),
            (f(13.0), f(2.0), TWO, INX),
            (f(14.0), f(2.0), TWO, OVF | INX),
            (f(1.0), f(2.0), TWO, UNF),
            (f(0.5), f(2.0), TWO, UNF | INX),
            (QNAN, f(2.0), TWO, INV),
            (f(2.0), INF, TWO, OVF | INX),
            (f(2.0), TINY, TWO, DEN | UNF | INX),
        ],
    );
    // v_cvt_scalef32_f32_fp8 by 2^127, 2^-126 and a NaN.
    check(
        Gfx950,
        "00003bd201050200",
        0,
        &[
            (0x38, f(2f32.powi(127)), 0, NONE),
            (0x7e, f(2f32.powi(127)), 0, OVF | INX),
            (0x30, MIN, 0, UNF),
            (0x01, MIN, 0, DEN | UNF),
            (0x7f, MIN, 0, NONE),
            (0x7e, INF, 0, NONE),
        ],
    );
    // v_cvt_scalef32_pk_f16_fp8: 2 * 2^15.
    check(
        Gfx950,
        "000048d201050200",
        0,
        &[
            (0x3838, f(32768.0), 0, NONE),
            (0x4038, f(32768.0), 0, OVF | INX),
        ],
    );
    // v_cvt_scalef32_sr_fp8_f32 by 2: 920 / 2 with the seed.
    check(
        Gfx950,
        "000037d201050e04",
        0,
        &[
            (f(920.0), 0, TWO, INX),
            (f(920.0), u32::MAX, TWO, OVF | INX),
            (f(896.0), u32::MAX, TWO, NONE),
        ],
    );
}

// rule: "supports rounding, exception flags and saturation" (V_CVT_NORM_I16_F16): 1 is 32767, or 65535.
#[test]
fn normalized_integers_and_packed_ones() {
    check(
        Gfx900,
        "000094d201050200",
        0,
        &[
            (ONE, f(-1.0), 0, NONE),
            (f(0.5), ONE, 0, INX),
            (TWO, ONE, 0, INV),
            (ONE, QNAN, 0, INV),
            (TINY, ONE, 0, DEN | INX),
        ],
    );
    check(
        Gfx900,
        "000095d201050200",
        0,
        &[
            (ONE, MINUS, 0, NONE),
            (f(0.5), ONE, 0, INX),
            (f(-0.5), ONE, 0, INV),
        ],
    );
    check(
        Gfx900,
        "019b007e",
        0,
        &[
            (0x3c00, 0, 0, NONE),
            (0x3800, 0, 0, INX),
            (0x0001, 0, 0, DEN | INX),
        ],
    );
    // v_cvt_pk_u8_f32.
    check(
        Gfx900,
        "0000ddd101050e04",
        0,
        &[
            (f(255.0), 1, 7, NONE),
            (f(255.5), 1, 7, INX),
            (f(256.0), 1, 7, INV),
            (f(-0.5), 1, 7, INX),
            (f(-1.0), 1, 7, INV),
            (QNAN, 1, 7, INV),
        ],
    );
    // v_cvt_pk_i16_f32, v_cvt_pk_u16_f32.
    check(
        Gfx1100,
        "000006d701050200",
        0,
        &[
            (f(32767.0), f(-32768.0), 0, NONE),
            (f(32767.5), ONE, 0, INX),
            (ONE, f(32768.0), 0, INV),
        ],
    );
    check(
        Gfx1100,
        "000007d701050200",
        0,
        &[(f(65535.0), ONE, 0, NONE), (ONE, f(-1.0), 0, INV)],
    );
}

// rule: v_cubema_f32 is twice the major axis, v_mullit_f32 a product in which zero wins unless S1 or S2 rule it
// out, v_trig_preop_f64 a segment times a power of two; section RDNA3 ISA 16.12.
#[test]
fn operations_whose_listing_is_one_product() {
    check(
        Gfx900,
        "0000c7d101050e04",
        0,
        &[
            (ONE, TWO, ONE, NONE),
            (ONE, ONE, MAX, OVF | INX),
            (ONE, MAX | MINUS, TWO, OVF | INX),
            (TINY, TWO, ONE, DEN),
            (0, 0, TINY, DEN | UNF),
            (ONE, SNAN, ONE, INV),
        ],
    );
    for (target, hex) in [(Gfx1030, "000050d501050e04"), (Gfx1100, "000018d601050e04")] {
        check(
            target,
            hex,
            0,
            &[
                (TWO, TWO, ONE, NONE),
                (0, INF, ONE, NONE),
                (MAX, TWO, ONE, OVF | INX),
                (MAX, TWO, 0, NONE),
                (MAX, QNAN, ONE, NONE),
                (ONE, SNAN, ONE, INV),
            ],
        );
    }
    let mut w = Watched::new(Gfx900);
    let hex = "000092d202090200";
    // 1.0; its segment 20 has weights from 2^-1061 down to 2^-1113; a denormal; a signalling NaN.
    for (high, low, segment, expected) in [
        (0x3ff0_0000, 0, 0, NONE),
        (0x3ff0_0000, 0, 20, UNF | INX),
        (0, 1, 0, DEN),
        (0x7ff0_0000, 1, 31, INV),
    ] {
        let raised = w.raises(hex, &[(2, low), (3, high), (4, segment)]);
        assert_eq!(raised, expected, "{high:#x} {segment}: {raised}");
    }
}

// rule: each product and each sum raises what it raises alone; section RDNA3 ISA 16.10 (V_DOT2_F32_F16).
#[test]
fn dot_products() {
    let ones = 0x3c00_3c00;
    let f16 = [
        (ones, ones, ONE, NONE),
        // 2^25 + 1.
        (ones, ones, f(33554432.0), INX),
        (0x3c00_7c00, 0x3c00_0000, ONE, INV),
        (0xfc00_7c00, ones, ONE, INV),
        (0x0000_0001, ones, 0, DEN),
        (0x3c00_7d00, ones, ONE, INV),
        (ones, ones, SNAN, INV),
        // The addend is far above both.
        (0x7bff_7bff, 0x7bff_7bff, MAX, INX),
    ];
    for (target, hex) in [
        (Gfx906, "0040a3d301050e1c"),
        (Gfx90a, "0040a3d301050e1c"),
        (Gfx1201, "004013cc01050e1c"),
    ] {
        check(target, hex, 0, &f16);
    }
    // v_dot2_f16_f16, v_dot2_bf16_bf16, v_dot2_f32_bf16.
    check(
        Gfx1100,
        "000066d601050e04",
        0,
        &[
            (ones, ones, 0x3c00, NONE),
            (0x7bff_3c00, 0x4000_3c00, 0x3c00, OVF | INX),
            // 2048 + 1 is rounded to 2048 before 0 is added.
            (0x6800_3c00, ones, 0, INX),
        ],
    );
    check(
        Gfx1100,
        "000067d601050e04",
        0,
        &[
            (0x3f80_3f80, 0x3f80_3f80, 0x3f80, NONE),
            (0x0001_3f80, 0x3f80_3f80, 0x3f80, DEN),
            (0x7f7f_3f80, 0x4000_3f80, 0x3f80, OVF | INX),
        ],
    );
    // 2^-100 squared.
    check(
        Gfx1100,
        "00401acc01050e1c",
        0,
        &[
            (0x3f80_3f80, 0x3f80_3f80, ONE, NONE),
            (0x0d80_3f80, 0x0d80_3f80, ONE, UNF | INX),
        ],
    );
    // "Exceptions are not reported" (RDNA4 ISA 7.7, DOT4).
    check(
        Gfx1201,
        "004026cc01050e1c",
        0,
        &[(0x3838_3801, 0x3838_3838, SNAN, NONE)],
    );
}

// rule: the matrix core "does not support arithmetic exceptions, except for DGEMM", whatever EXEC is; on CDNA 2
// it has none; section CDNA3 and CDNA4 ISA 7.3, CDNA2 ISA 7.1.
#[test]
fn matrix_products_of_doubles() {
    // v_mfma_f64_4x4x4 v[0:1], v[2:3], v[4:5], v[6:7]
    let hex = "0000efd302091a04";
    let double = |x: f64| x.to_bits();
    let (one, max) = (double(1.0), double(f64::MAX));
    for (a, b, c, expected) in [
        (one, one, one, NONE),
        (max, double(2.0), one, OVF | INX),
        (double(1.0 / 3.0), double(1.0 / 3.0), 0, INX),
        (0x7ff0_0000_0000_0001, one, one, INV),
        (double(f64::INFINITY), 0, one, INV),
        (1, one, 0, DEN | UNF),
    ] {
        for (target, told) in [(Gfx942, true), (Gfx950, true), (Gfx90a, false)] {
            let mut w = Watched::new(target);
            for (r, v) in [(2, a), (4, b), (6, c)] {
                // One lane of each operand; the others are zero.
                w.0.set(r, |lane| if lane == 0 { v as u32 } else { 0 });
                w.0.set(r + 1, |lane| if lane == 0 { (v >> 32) as u32 } else { 0 });
            }
            w.0.wave.set_exec(0);
            assert_eq!(w.step(hex), Step::Next);
            let expected = if told { expected } else { NONE };
            let raised = w.0.wave.raised_exceptions();
            assert_eq!(raised, expected, "{target} {a:#x} {b:#x}: {raised}");
        }
    }
}
