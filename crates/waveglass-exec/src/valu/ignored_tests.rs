//! The clamp bit, OMOD, FP16_OVFL and denormals where the manuals treat operations apart.

use crate::testing::Bench;
use waveglass_isa::Target::{self, *};

/// v0 of lane 0 after an instruction with v1, v2 and v3 as given, and bits added to MODE.
fn result(target: Target, hex: &str, mode: u32, v: [u32; 3]) -> u32 {
    let mut b = Bench::new(target, target.default_wave_size());
    b.wave.mode.0 |= mode;
    for (i, x) in v.into_iter().enumerate() {
        b.set(i + 1, |_| x);
    }
    b.run_all(&[hex]);
    b.get(0, 0)
}

fn f(x: f32) -> u32 {
    x.to_bits()
}

const FP16_OVFL: u32 = 1 << 23;

// rule: "the clamp bit is not supported for (ignored): … Float DOT instructions"; section RDNA3 ISA 7.2.3.1, RDNA4
// and CDNA5 ISA 7.2.3.1.
#[test]
fn float_dot_products_ignore_the_clamp_bit_from_rdna3_on() {
    // v_dot2_f32_f16 v0, v1, v2, v3 clamp: 1 + 1 + 1.
    let v = [0x3c00_3c00, 0x3c00_3c00, f(1.0)];
    assert_eq!(result(Gfx906, "00c0a3d301050e1c", 0, v), f(1.0));
    assert_eq!(result(Gfx1100, "00c013cc01050e1c", 0, v), f(3.0));
    assert_eq!(result(Gfx1201, "00c013cc01050e1c", 0, v), f(3.0));
}

// rule: V_DOT4_U32_U8 ignores it on RDNA 4 and CDNA 5; section RDNA4 and CDNA5 ISA 7.2.3.1.
#[test]
fn byte_dot_products_ignore_the_clamp_bit_from_rdna4_on() {
    // v_dot4_u32_u8 v0, v1, v2, v3 clamp: 4 * 255 * 255 + 2^32 - 1.
    let v = [u32::MAX, u32::MAX, u32::MAX];
    let wrapped = 4 * 255 * 255 - 1;
    for (target, expected) in [(Gfx1100, u32::MAX), (Gfx1201, wrapped), (Gfx1250, wrapped)] {
        let r = result(target, "00c017cc01050e1c", 0, v);
        assert_eq!(r, expected, "{target}");
    }
}

// rule: "V_MUL/MAD on integers" ignore it on CDNA 5, where V_MAD_I16 "supports saturation"; section CDNA5 ISA
// 7.2.3.1, V_MAD_I16.
#[test]
fn integer_products_ignore_the_clamp_bit_on_cdna5() {
    // v_mul_i32_i24 v0, v1, v2 clamp: 2^22 * 2^22 = 2^44.
    let v = [1 << 22, 1 << 22, 0];
    for (target, expected) in [(Gfx1100, 0x7fff_ffff), (Gfx1201, 0x7fff_ffff), (Gfx1250, 0)] {
        let r = result(target, "008009d501050200", 0, v);
        assert_eq!(r, expected, "{target}");
    }
    // v_mad_i16 v0, v1, v2, v3 clamp: 256 * 256 + 1.
    for target in [Gfx1100, Gfx1201, Gfx1250] {
        let r = result(target, "008053d601050e04", 0, [256, 256, 1]);
        assert_eq!(r & 0xffff, 0x7fff, "{target}");
    }
}

// rule: OMOD does nothing to "converts from any integer type"; section CDNA5 ISA 7.2.3.1.
#[test]
fn conversions_of_integers_ignore_omod_on_cdna5() {
    // v_cvt_f32_i32 v0, v1 mul:2
    for (target, expected) in [(Gfx1201, 6.0), (Gfx1250, 3.0)] {
        let r = result(target, "000085d501010008", 0, [3, 0, 0]);
        assert_eq!(r, f(expected), "{target}");
    }
}

// rule: the clamp bit makes E5M3 on CDNA 5; section CDNA5 ISA 7.6.3 ("Conversion to/from E5M3").
#[test]
fn e5m3_is_of_cdna5() {
    // v_cvt_pk_fp8_f32 v0, v1, v2 clamp: 1 is 0x38 in E4M3, 0x78 in E5M3.
    let v = [f(1.0), f(1.0), 0];
    assert_eq!(result(Gfx1201, "000069d701050200", 0, v) & 0xffff, 0x3838);
    assert_eq!(result(Gfx1250, "000069d701050200", 0, v) & 0xffff, 0x3838);
    assert_eq!(result(Gfx1250, "008069d701050200", 0, v) & 0xffff, 0x7878);
    // v_cvt_f32_fp8 v0, v1 clamp of 0x40, which is 2^-7 in E5M3, and of 0x80, which is 2.
    let large = result(Gfx1250, "0080ecd501010000", 0, [0x80, 0, 0]);
    assert_eq!(large, f(2.0));
    let e5m3 = result(Gfx1250, "0080ecd501010000", 0, [0x40, 0, 0]);
    assert_eq!(e5m3, f(2f32.powi(-7)));
}

// rule: "the CLAMP bit is used to control RELU of the final result"; section CDNA5 ISA 7.7, V_ADD_MAX_I32, V_PK_MIN3_I16.
#[test]
fn the_clamp_bit_is_relu_for_limited_sums() {
    // v_add_max_i32 v0, v1, v2, v3 clamp: max(-5 + 2, -9).
    let minus = |x: i32| x as u32;
    let r = |hex| result(Gfx1250, hex, 0, [minus(-5), 2, minus(-9)]);
    assert_eq!(r("00805ed601050e04"), 0);
    assert_eq!(r("00005ed601050e04"), minus(-3));
    // v_pk_min3_i16 v0, v1, v2, v3 clamp: the lower halves have a negative minimum.
    let v = [0x0005_fff0, 0x0007_0001, 0x0009_0002];
    assert_eq!(result(Gfx1250, "00c031cc01050e1c", 0, v), 0x0005_0000);
    assert_eq!(result(Gfx1250, "004031cc01050e1c", 0, v), 0x0005_fff0);
}

// rule: packed bfloat16 keeps denormals and rounds to nearest even whatever MODE says, and FP16_OVFL limits it; section CDNA5 ISA 7.7 ("PK_*_BF16
// ops").
#[test]
fn packed_bfloat16_has_rules_of_its_own() {
    // v_pk_add_bf16 v0, v1, v2
    let hex = "004023cc01050218";
    let mut b = Bench::new(Gfx1250, 32);
    b.wave.mode.0 &= !0xf0;
    b.set(1, |_| 0x0001_0003);
    b.set(2, |_| 0x0001_0000);
    b.run_all(&[hex]);
    assert_eq!(b.get(0, 0), 0x0002_0003);
    // The largest number twice, and infinity.
    let v = [0x7f7f_ff80, 0x7f7f_3f80, 0];
    assert_eq!(result(Gfx1250, hex, 0, v), 0x7f80_ff80);
    assert_eq!(result(Gfx1250, hex, FP16_OVFL, v), 0x7f7f_ff80);
    // 1 + 2^-8 is a tie; upward it would be 1 + 2^-7.
    let v = [0x3f80_3f80, 0x3b80_3b80, 0];
    for round in [0, 1 << 2, 2 << 2, 3 << 2] {
        assert_eq!(result(Gfx1250, hex, round, v), 0x3f80_3f80);
    }
}

// rule: "These opcodes flush input and output denorms: FMA_DX9_ZERO_F32, CUBExx_F32"; section RDNA4 ISA 7.2.4.
#[test]
fn graphics_operations_flush_on_rdna4() {
    // v_fma_dx9_zero_f32 v0, v1, v2, v3: 2^126 * 2^-149; v_cubema_f32 of (0, 0, 2^-149).
    for (target, product, axis) in [
        (Gfx1100, f(2f32.powi(-23)), 2),
        (Gfx1201, 0, 0),
        (Gfx1250, f(2f32.powi(-23)), 2),
    ] {
        // Toward plus infinity too, in which other kernels run.
        for round in [0, 1] {
            let r = result(target, "000009d601050e04", round, [f(2f32.powi(126)), 1, 0]);
            assert_eq!(r, product, "{target}");
        }
        let r = result(target, "00000fd601050e04", 0, [0, 0, 1]);
        assert_eq!(r, axis, "{target}");
    }
}

// rule: FP16_OVFL limits what overflows and keeps true infinities, of a pair each half by itself, and "applies when
// the destination is FP16 or BF16"; section CDNA4 ISA 3.5 (FP16_OVFL), CDNA5 ISA 7.6.
#[test]
fn conversions_to_pairs_are_limited_half_by_half() {
    // v_cvt_pk_f16_f32 v0, v1, v2: 65536 and infinity, minus infinity and -65536.
    let inf = f(f32::INFINITY);
    let r = |a, b| result(Gfx950, "000067d201050200", FP16_OVFL, [a, b, 0]);
    assert_eq!(r(f(65536.0), inf), 0x7c00_7bff);
    assert_eq!(r(f(f32::NEG_INFINITY), f(-65536.0)), 0xfbff_fc00);
    // v_cvt_pk_bf16_f32 of the largest single, on CDNA 4, whose FP16_OVFL is of halves, and CDNA 5.
    let v = [f(f32::MAX), inf, 0];
    for (target, hex, mode, expected) in [
        (Gfx950, "000068d201050200", FP16_OVFL, 0x7f80_7f80),
        (Gfx1250, "00006dd701050200", 0, 0x7f80_7f80),
        (Gfx1250, "00006dd701050200", FP16_OVFL, 0x7f80_7f7f),
    ] {
        assert_eq!(result(target, hex, mode, v), expected, "{target}");
    }
    // v_cvt_scalef32_pk_f16_fp8 v0, v1, v2: 448 and 1 by 2^15, with FP16_OVFL and without.
    let v = [0x387e, f(32768.0), 0];
    assert_eq!(result(Gfx950, "000048d201050200", 0, v), 0x7800_7c00);
    assert_eq!(
        result(Gfx950, "000048d201050200", FP16_OVFL, v),
        0x7800_7bff
    );
}

// rule: OP_SEL selects the half of S2 that shifts; section RDNA3 ISA 7.2.2 ("Opcodes usable with OPSEL": V_ALIGNBIT_B32,
// V_ALIGNBYTE_B32), RDNA4 and CDNA5 ISA 7.2.2.
#[test]
fn alignments_take_their_shift_from_the_half_that_op_sel_names() {
    let v = [0x0123_4567, 0x89ab_cdef, 0x0002_0004];
    for target in [Gfx1100, Gfx1201, Gfx1250] {
        // v_alignbit_b32 v0, v1, v2, v3 and v3.h; v_alignbyte_b32 with v3.h.
        assert_eq!(result(target, "000016d601050e04", 0, v), 0x789a_bcde);
        assert_eq!(result(target, "002016d601050e04", 0, v), 0xe26a_f37b);
        assert_eq!(result(target, "002017d601050e04", 0, v), 0x4567_89ab);
    }
    // v_alignbit_b32 v0, v1, v2, v3 op_sel:[0,1,0,0]: byte 2.
    assert_eq!(result(Gfx900, "0010ced101050e04", 0, v), 0xe26a_f37b);
}
