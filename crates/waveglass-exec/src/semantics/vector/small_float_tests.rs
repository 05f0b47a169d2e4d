//! Conversions of 4-, 6- and 8-bit floats against the formats' definitions, written out in double
//! precision: a value is `mantissa * 2^(exponent - bias)`, and the code nearest to a number is found
//! by trying all of them.

use crate::testing::Bench;
use waveglass_isa::Target;

/// Bits, mantissa bits and bias.
#[derive(Clone, Copy)]
struct Format(u32, u32, i32);

const FP8: Format = Format(8, 3, 7);
const BF8: Format = Format(8, 2, 15);
const FP8_FNUZ: Format = Format(8, 3, 8);
const BF8_FNUZ: Format = Format(8, 2, 16);
const FP6: Format = Format(6, 3, 1);
const BF6: Format = Format(6, 2, 3);
const FP4: Format = Format(4, 1, 1);
/// No sign: the top bit belongs to the exponent.
const E5M3: Format = Format(9, 3, 15);

impl Format {
    fn value(self, code: u32) -> f64 {
        let Format(bits, mantissa, bias) = self;
        let sign = if code >> (bits - 1) & 1 != 0 {
            -1.0
        } else {
            1.0
        };
        let magnitude = code & ((1 << (bits - 1)) - 1);
        let exponent = (magnitude >> mantissa) as i32;
        let fraction = (magnitude & ((1 << mantissa) - 1)) as f64 / 2f64.powi(mantissa as i32);
        sign * match exponent {
            0 => fraction * 2f64.powi(1 - bias),
            e => (1.0 + fraction) * 2f64.powi(e - bias),
        }
    }

    /// The nearest code up to `max`, the even one of two, with the sign of `x`.
    fn nearest(self, x: f64, max: u32) -> u32 {
        let best = (0..=max)
            .min_by(|&a, &b| {
                let (da, db) = (
                    (self.value(a) - x.abs()).abs(),
                    (self.value(b) - x.abs()).abs(),
                );
                da.total_cmp(&db).then((a & 1).cmp(&(b & 1)))
            })
            .unwrap_or(0);
        best | if x.is_sign_negative() {
            1 << (self.0 - 1)
        } else {
            0
        }
    }
}

fn f32_of(x: u32) -> f64 {
    f32::from_bits(x) as f64
}

#[test]
fn every_fp8_and_bf8_byte_of_gfx942_becomes_its_value() {
    let mut b = Bench::new(Target::Gfx942, 64);
    for base in (0..256).step_by(64) {
        b.set(1, |l| (base + l as u32) << 16 | 0x55aa_0055 & !0x00ff_0000);
        // v_cvt_f32_fp8_sdwa v0, v1 src0_sel:BYTE_2
        b.run_all(&["f9a8007e01060200"]);
        // v_cvt_pk_f32_bf8_sdwa v[2:3], v1 src0_sel:WORD_1
        b.run_all(&["f9ae047e01060500"]);
        for l in 0..64 {
            let code = base + l as u32;
            if code == 0x80 {
                assert!(f32_of(b.get(0, l)).is_nan() && f32_of(b.get(2, l)).is_nan());
                continue;
            }
            assert_eq!(f32_of(b.get(0, l)), FP8_FNUZ.value(code), "{code:#x}");
            assert_eq!(f32_of(b.get(2, l)), BF8_FNUZ.value(code), "{code:#x}");
            assert_eq!(f32_of(b.get(3, l)), BF8_FNUZ.value(0x55));
        }
    }
}

#[test]
fn every_fp8_byte_of_gfx12_becomes_its_value() {
    let mut b = Bench::new(Target::Gfx1201, 32);
    for base in (0..256).step_by(32) {
        b.set(1, |l| (base + l as u32) << 8 | 0x38 << 16 | 0xb8 << 24);
        // v_cvt_f32_fp8 v0, v1 byte_sel:1; v_cvt_pk_f32_fp8 v[2:3], v1.h
        b.run_all(&["0010ecd501010000", "81dd047e"]);
        for l in 0..32 {
            let code = base + l as u32;
            if code & 0x7f == 0x7f {
                assert!(f32_of(b.get(0, l)).is_nan());
            } else {
                assert_eq!(f32_of(b.get(0, l)), FP8.value(code), "{code:#x}");
            }
            assert_eq!((f32_of(b.get(2, l)), f32_of(b.get(3, l))), (1.0, -1.0));
        }
    }
}

/// Numbers around the codes of a format: the codes' values, the points halfway between them, and
/// their neighbours.
fn edges(f: Format, max: u32) -> Vec<f32> {
    let mut all = Vec::new();
    for code in 0..max {
        let (a, b) = (f.value(code), f.value(code + 1));
        for x in [a, (a + b) / 2.0] {
            let x = x as f32;
            for x in [x, x.next_up(), x.next_down().max(0.0)] {
                all.extend([x, -x]);
            }
        }
    }
    all
}

#[test]
fn packed_fp8_is_the_nearest_code_and_keeps_the_other_half() {
    let all = edges(FP8_FNUZ, 0x7f);
    let mut b = Bench::new(Target::Gfx942, 64);
    for xs in all.chunks(64) {
        let at = |l: usize| xs.get(l).copied().unwrap_or(0.0);
        b.set(0, |_| 0x1234_5678);
        b.set(1, |l| at(l).to_bits());
        b.set(2, |l| at(l).to_bits());
        b.wave.set_exec(!1);
        // v_cvt_pk_fp8_f32 v0, v1, -v2 op_sel:[0,0,1]
        b.run_all(&["0040a2d201050240"]);
        assert_eq!(b.get(0, 0), 0x1234_5678);
        for l in 1..64 {
            let code = |x: f64| match FP8_FNUZ.nearest(x, 0x7f) {
                // There is no minus zero.
                0x80 => 0,
                c => c,
            };
            let x = at(l) as f64;
            let expected = code(x) << 16 | code(-x) << 24 | 0x5678;
            assert_eq!(b.get(0, l), expected, "{x:e}");
        }
    }
}

#[test]
fn stochastic_rounding_adds_the_seed_below_the_last_place() {
    let mut b = Bench::new(Target::Gfx942, 64);
    // 1.0 and a quarter of the way to 1.125; the seed's top two bits decide.
    b.set(1, |_| 1.03125f32.to_bits());
    b.set(2, |l| (l as u32) << 26);
    b.set(0, |_| 0x0101_0101);
    // v_cvt_sr_fp8_f32 v0, v1, v2 op_sel:[0,0,0,1]
    b.run_all(&["0040a4d201050200"]);
    for l in 0..64 {
        let up = (l as u32) << 26 >= 0xc000_0000;
        let code = if up { 0x41 } else { 0x40 };
        assert_eq!(b.get(0, l), 0x0101_0101 & !0xff_0000 | code << 16, "{l}");
    }
    let mut b = Bench::new(Target::Gfx1250, 32);
    b.set(1, |_| 0x3c80_0000);
    b.set(2, |l| (l as u32) << 27);
    b.set(0, |_| 0);
    // v_cvt_sr_fp8_f16 v0, v1.h, v2 byte_sel:1: 1.125 is a code.
    b.run_all(&["002874d701050200"]);
    assert!((0..32).all(|l| b.get(0, l) == 0x3900));
}

#[test]
fn overflow_saturates_under_fp16_ovfl() {
    let mut b = Bench::new(Target::Gfx1201, 32);
    b.set(1, |l| {
        [1e9f32, f32::INFINITY, f32::NAN, 3.0][l % 4].to_bits()
    });
    b.set(2, |_| (-61440.0f32).to_bits());
    b.set(0, |_| 0);
    // v_cvt_pk_bf8_f32 v0.h, v1, |v2|: 61440 is halfway between 57344 and infinity.
    b.run_all(&["00426ad701050200"]);
    let get = |b: &Bench, l| b.get(0, l) >> 16;
    assert_eq!(get(&b, 0), 0x7c7c);
    assert_eq!(get(&b, 1), 0x7c7c);
    assert!(get(&b, 2) & 0x7f > 0x7c);
    assert_eq!(get(&b, 3), 0x7c42);
    b.wave.mode.0 |= 1 << 23;
    b.run_all(&["00426ad701050200"]);
    assert_eq!((get(&b, 0), get(&b, 1)), (0x7b7b, 0x7b7b));
    assert!(get(&b, 2) & 0x7f > 0x7c);
}

#[test]
fn the_clamp_bit_of_gfx1250_makes_e5m3() {
    let mut b = Bench::new(Target::Gfx1250, 32);
    for base in (0..256).step_by(32) {
        b.set(1, |l| (base + l as u32) << 16);
        // v_cvt_f32_fp8 v0, v1 byte_sel:2 clamp
        b.run_all(&["0088ecd501010000"]);
        for l in 0..32 {
            let code = base + l as u32;
            if code == 0xff {
                assert!(f32_of(b.get(0, l)).is_nan());
            } else {
                assert_eq!(f32_of(b.get(0, l)), E5M3.value(code), "{code:#x}");
            }
        }
    }
    for xs in edges(E5M3, 0xfe).chunks(32) {
        let at = |l: usize| xs.get(l).map_or(0.0, |x| x.abs());
        b.set(0, |_| 0xabcd_0000);
        b.set(1, |l| at(l).to_bits());
        b.set(2, |_| 0);
        // v_cvt_pk_fp8_f32 v0.l, v1, v2 clamp
        b.run_all(&["008069d701050200"]);
        for l in 0..32 {
            let expected = E5M3.nearest(at(l) as f64, 0xfe);
            assert_eq!(b.get(0, l), 0xabcd_0000 | expected, "{:e}", at(l));
        }
    }
}

#[test]
fn halves_from_and_to_bytes() {
    let mut b = Bench::new(Target::Gfx1250, 32);
    for base in (0..256).step_by(32) {
        b.set(0, |_| 0x1111_2222);
        b.set(1, |l| (base + l as u32) << 24 | 0x38 << 16);
        // v_cvt_f16_bf8 v0.h, v1 byte_sel:3; v_cvt_pk_f16_fp8 v3, v1.h
        b.run_all(&["0058f8d501010000", "81eb067e"]);
        for l in 0..32 {
            let code = base + l as u32;
            // A BF8 is the upper byte of a half; of NaN only that it is one matters.
            if code & 0x7f <= 0x7c {
                assert_eq!(b.get(0, l), code << 24 | 0x2222);
            } else {
                assert!(b.get(0, l) >> 16 & 0x7fff > 0x7c00);
            }
            assert_eq!(b.get(3, l) & 0xffff, 0x3c00);
        }
    }
    b.set(0, |_| 0x1111_2222);
    b.set(1, |_| 0xc000_3c00);
    // v_cvt_pk_bf8_f16 v0.l, v1
    b.run_all(&["000073d701010000"]);
    assert_eq!(b.get(0, 0), 0x1111_c03c);
}

#[test]
fn stochastic_halves_take_one_half_of_the_seed_each() {
    let mut b = Bench::new(Target::Gfx1250, 32);
    // A quarter of a unit above 1, and three quarters.
    b.set(1, |_| 0x3f80_0800);
    b.set(2, |_| 0x3f80_1800);
    b.set(3, |l| (l as u32) << 11 | (l as u32) << 27);
    // v_cvt_sr_pk_f16_f32 v0, v1, v2, v3
    b.run_all(&["000070d701050e04"]);
    for l in 0..32u32 {
        let low = 0x3c00 + (l >= 24) as u32;
        let high = 0x3c00 + (l >= 8) as u32;
        assert_eq!(b.get(0, l as usize), high << 16 | low, "{l}");
    }
}

#[test]
fn scaled_packs_of_gfx950() {
    let mut b = Bench::new(Target::Gfx950, 64);
    // Scale 2^3: 130 << 23.
    b.set(3, |_| 130 << 23);
    b.set(0, |_| 0x1234_5678);
    b.set(1, |_| 48.0f32.to_bits());
    b.set(2, |_| (-3.0f32).to_bits());
    b.wave.set_exec(!2);
    // v_cvt_scalef32_pk_fp8_f32 v0, v1, v2, v3 op_sel:[0,0,0,1]
    b.run_all(&["004035d201050e04"]);
    let code = |x: f64| FP8.nearest(x, 0x7e);
    assert_eq!(b.get(0, 0), 0x5678 | code(6.0) << 16 | code(-0.375) << 24);
    assert_eq!(b.get(0, 1), 0x1234_5678);
    b.wave.set_exec(u64::MAX);
    // v_cvt_scalef32_pk_f32_fp4 v[0:1], v2, v3 op_sel:[1,1,0]: byte 3.
    for code in 0..16u32 {
        b.set(2, |_| code << 24 | (15 - code) << 28);
        b.run_all(&["00183fd202070200"]);
        assert_eq!(f32_of(b.get(0, 5)), FP4.value(code) * 8.0);
        assert_eq!(f32_of(b.get(1, 5)), FP4.value(15 - code) * 8.0);
    }
    // v_cvt_scalef32_f16_bf8 v0, v2, v3 op_sel:[0,1,1]: byte 2 into the high half.
    b.set(0, |_| 0x1234_5678);
    b.set(2, |_| 0x003c_0000);
    b.run_all(&["00504bd202070200"]);
    assert_eq!(b.get(0, 0), 0x4800_5678);
    // v_cvt_scalef32_pk_bf16_fp8 v0, v1, v2 op_sel:[1,0,0]: 1 and -2, scale 2^-1.
    b.set(1, |_| 0xc038_0000);
    b.set(2, |_| 126 << 23);
    b.run_all(&["000869d201050200"]);
    assert_eq!(b.get(0, 0), 0xbf80_3f00);
    // v_cvt_scalef32_pk_fp4_f16 v0, v1, v2 op_sel:[0,0,1,1]: 6 and -1 at scale 1/2.
    b.set(0, |_| 0x0011_2233);
    b.set(1, |_| 0xb800_4200);
    b.run_all(&["00604cd201050200"]);
    assert_eq!(b.get(0, 0), 0xa711_2233);
}

#[test]
fn thirty_two_codes_of_gfx950_lie_six_bits_apart() {
    let mut b = Bench::new(Target::Gfx950, 64);
    let value = |r: usize, l: usize| ((r * 7 + l * 3) % 61) as f32 * 0.21 - 6.0;
    for r in 10..42 {
        b.set(r, |l| value(r, l).to_bits());
    }
    b.set(42, |_| 127 << 23);
    // v_cvt_scalef32_2xpk16_fp6_f32 v[0:5], v[10:25], v[26:41], v42
    b.run_all(&["000052d20a35aa04"]);
    let code_of = |b: &Bench, first: usize, i: usize, l: usize| {
        let bits = (0..6).fold(0u128, |acc, k| {
            if k >= 4 {
                acc
            } else {
                acc | (b.get(first + k, l) as u128) << (32 * k)
            }
        });
        let high = b.get(first + 4, l) as u128 | (b.get(first + 5, l) as u128) << 32;
        let at = 6 * i;
        let pair = if at >= 96 {
            (high << 32 | bits >> 96) >> (at - 96)
        } else {
            bits >> at
        };
        (pair & 63) as u32
    };
    for l in [0, 17, 63] {
        for i in 0..32 {
            let source = if i % 2 == 0 { 10 } else { 26 } + i / 2;
            let expected = FP6.nearest(value(source, l) as f64, 0x1f);
            assert_eq!(code_of(&b, 0, i, l), expected, "{i} {l}");
        }
    }
    // v_cvt_scalef32_pk32_f32_bf6 v[10:41], v[0:5], v42
    for r in 0..6 {
        b.set(r, |l| 0x9e37_79b9u32.wrapping_mul((r * 64 + l + 1) as u32));
    }
    b.set(42, |_| 125 << 23);
    b.run_all(&["0a0057d200550200"]);
    for l in [0, 31, 63] {
        for i in 0..32 {
            let code = code_of(&b, 0, i, l);
            assert_eq!(f32_of(b.get(10 + i, l)), BF6.value(code) / 4.0, "{i} {l}");
        }
    }
    // v_cvt_scalef32_sr_pk32_fp6_bf16 v[0:5], v[10:25], v42, v43: what is a code needs no seed.
    for r in 10..26 {
        b.set(r, |_| 0xbfc0_4040);
    }
    b.set(42, |l| l as u32 * 0x0101_0101);
    b.set(43, |_| 127 << 23);
    b.run_all(&["00005dd20a55ae04"]);
    for i in 0..32 {
        let x = if i % 2 == 0 { 3.0 } else { -1.5 };
        assert_eq!(code_of(&b, 0, i, 9), FP6.nearest(x, 0x1f));
    }
}

#[test]
fn stochastic_fp4_moves_the_seed_on_between_values() {
    let mut b = Bench::new(Target::Gfx950, 64);
    b.set(0, |_| 0);
    // 1.25: halfway between 1 and 1.5.
    b.set(2, |_| 1.25f32.to_bits());
    b.set(3, |_| 1.25f32.to_bits());
    b.set(4, |l| 0x0812_3456u32.wrapping_mul(l as u32 + 1));
    b.set(5, |_| 127 << 23);
    // v_cvt_scalef32_sr_pk_fp4_f32 v0, v[2:3], v4, v5 op_sel:[0,0,0,1]
    b.run_all(&["00403ed202091604"]);
    for l in 0..64 {
        let seed = 0x0812_3456u32.wrapping_mul(l as u32 + 1);
        // One step of the feedback shift register of V_PRNG_B32 (CDNA4 ISA).
        let next = seed << 1 ^ if seed >> 31 != 0 { 197 } else { 0 };
        let code = |seed: u32| 2 + (seed >> 31);
        assert_eq!(b.get(0, l), (code(seed) | code(next) << 4) << 16, "{l}");
    }
}

#[test]
fn packs_of_gfx1250() {
    let mut b = Bench::new(Target::Gfx1250, 32);
    // Lane 3's scales: 2^1 for the lower half of the wave, 2^-1 for the upper half of F4 and F6.
    b.set(8, |l| 128 | 126 << 8 | (l as u32) << 16);
    b.set(20, |_| 0xfedc_ba98);
    b.set(21, |_| 0x3839_3a3b);
    // v_cvt_scale_pk8_f16_fp4 v[10:13], v20, v8
    b.run_all(&["0a009fd614110200"]);
    for (lane, scale) in [(3, 2.0), (19, 0.5)] {
        for i in 0..8 {
            let half = b.get(10 + i / 2, lane) >> (16 * (i % 2)) & 0xffff;
            let value = half::f16::from_bits(half as u16).to_f64();
            assert_eq!(value, FP4.value(8 + i as u32) * scale, "{lane} {i}");
        }
    }
    // v_cvt_scale_pk8_f32_fp8 v[10:17], v[20:21], v8
    b.run_all(&["0a00aad614110200"]);
    for lane in [3, 19] {
        for i in 0..4 {
            let code = 0x98 + 0x22 * i as u32;
            assert_eq!(f32_of(b.get(10 + i, lane)), FP8.value(code) * 2.0);
            assert_eq!(
                f32_of(b.get(14 + i, lane)),
                FP8.value(0x3b - i as u32) * 2.0
            );
        }
    }
    // SCALE_SEL 2 is the next byte of F8 and the next pair of F4: byte 2 holds the lane's number.
    b.set(8, |l| (120 + l as u32) << 16 | (100 + l as u32) << 8);
    // v_cvt_scale_pk8_f32_fp8 v[10:17], v[20:21], v8 scale_sel:2
    b.run_all(&["0a10aad614110200"]);
    assert_eq!(
        f32_of(b.get(13, 20)),
        FP8.value(0xfe) * 2f64.powi(104 - 127)
    );
    // v_cvt_scale_pk8_f16_fp4 v[10:13], v20, v8 scale_sel:2
    b.run_all(&["0a109fd614110200"]);
    let first = |b: &Bench, l| half::f16::from_bits(b.get(10, l) as u16).to_f64();
    assert_eq!(first(&b, 5), FP4.value(8) * 2f64.powi(125 - 127));
    for r in 20..28 {
        b.set(r, |l| (1.5f32 * (r as f32 - 24.0) + l as f32).to_bits());
    }
    b.set(8, |_| 129 << 23);
    // v_cvt_scalef32_pk8_fp8_f32 v[10:11], v[20:27], v8
    b.run_all(&["0a00c3d614110200"]);
    for l in 0..32 {
        for i in 0..8 {
            let code = b.get(10 + i / 4, l) >> (8 * (i % 4)) & 0xff;
            let x = 1.5 * (i as f64 - 4.0) + l as f64;
            assert_eq!(code, FP8.nearest(x / 4.0, 0x7e), "{i} {l}");
        }
    }
    // Infinity gives NaN, even where FP16_OVFL saturates.
    b.set(20, |_| f32::INFINITY.to_bits());
    b.wave.mode.0 |= 1 << 23;
    b.run_all(&["0a00c3d614110200"]);
    assert_eq!(b.get(10, 0) & 0x7f, 0x7f);
}

#[test]
fn the_seed_of_gfx1250_gives_sixteen_bits_to_each_value() {
    let mut b = Bench::new(Target::Gfx1250, 32);
    // 1.125 in BF6 steps of 0.25 is halfway from 1 to 1.25.
    for r in 20..28 {
        b.set(r, |_| 0x3c80_3c80);
    }
    b.set(8, |l| 0x1234_5679u32.wrapping_mul(3 + l as u32));
    b.set(9, |_| 127 << 23);
    // v_cvt_scalef32_sr_pk16_bf6_f16 v[10:12], v[20:27], v8, v9
    b.run_all(&["0a00d6d614112604"]);
    for l in 0..32 {
        let bits = (0..3).fold(0u128, |a, k| a | (b.get(10 + k, l) as u128) << (32 * k));
        let mut seed = 0x1234_5679u32.wrapping_mul(3 + l as u32);
        for i in 0..16 {
            let top = seed >> (15 + 16 * (i % 2)) & 1;
            let code = (bits >> (6 * i) & 63) as u32;
            assert_eq!(code, BF6.nearest(1.0, 0x1f) + top, "{l} {i}");
            if i % 2 == 1 {
                seed = seed << 1 ^ if seed >> 31 != 0 { 197 } else { 0 };
            }
        }
    }
}

#[test]
fn bf8_of_ocp_has_infinity() {
    assert_eq!(BF8.nearest(57344.0, 0x7b), 0x7b);
    let mut b = Bench::new(Target::Gfx950, 64);
    b.set(0, |_| 0);
    b.set(1, |_| f32::NEG_INFINITY.to_bits());
    b.set(2, |_| u32::MAX);
    b.set(3, |_| 127 << 23);
    // v_cvt_scalef32_sr_bf8_f32 v0, v1, v2, v3 op_sel:[0,0,1,0]
    b.run_all(&["002038d201050e04"]);
    assert_eq!(b.get(0, 0), 0xfc00);
}
