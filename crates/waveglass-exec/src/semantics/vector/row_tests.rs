//! Kernels that work rows out in quicker ways than lane by lane, against the operation on each lane: rows
//! of ordinary operands, and rows in which one lane is special.

use crate::alu::small_float::{BF8, FP8, v_cvt_pk_fp8_f32};
use crate::alu::{bytes, convert, division, dot, float32, minmax, transcendental};
use crate::semantics::{Semantics, registry};
use crate::valu::Spec;
use crate::valu::kernel::{BLOCK, Setting, level};

/// Lanes of a register here.
const LANES: usize = 64;
/// Where the sources and the result lie.
const SOURCES: [usize; 3] = [0, 4 * LANES, 8 * LANES];
const RESULT: usize = 12 * LANES;

/// Edges of singles and, in their place, of integers.
const EDGES_32: [u32; 28] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x0c00_0000,
    0x1f80_0000,
    0x3c7f_ffff,
    0x3c80_0000,
    0x3f7f_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x43e0_0000,
    0x43e8_0000,
    0x4770_0000,
    0x4780_0000,
    0x7080_0000,
    0x7e7f_ffff,
    0x7f00_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0001,
    0x7f80_0001,
    0xffc0_0003,
    0x8080_8080,
    0xffff_ffff,
];

const EDGES_64: [u64; 20] = [
    0,
    1 << 63,
    1,
    (1 << 52) - 1,
    1 << 52,
    0x0350 << 48,
    0x0370 << 48,
    0x3fef_ffff_ffff_ffff,
    0x3ff0 << 48,
    0xbff0 << 48,
    0x400f_ffff_ffff_fffe,
    0x400f_ffff_ffff_ffff,
    0x7f80 << 48,
    0x7fd0 << 48,
    0x7fef_ffff_ffff_ffff,
    0x7ff0 << 48,
    0xfff0 << 48,
    0x7ff8_0000_0000_0001,
    0x7ff0_0000_0000_0001,
    0xfff8_0000_0000_0003,
];

struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        crate::testing::xorshift(&mut self.0).wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A lane's operand: an edge, or a number of one of three kinds.
    fn operand(&mut self, wide: bool, kind: u64, edge: bool) -> u64 {
        let x = self.next();
        match (wide, edge) {
            (false, true) => EDGES_32[x as usize % EDGES_32.len()].into(),
            (true, true) => EDGES_64[x as usize % EDGES_64.len()],
            // Exponents near one another.
            (false, false) if kind == 0 => x & 0x87ff_ffff | 0x3800_0000,
            (true, false) if kind == 0 => x & 0x803f_ffff_ffff_ffff | 0x3fc0 << 48,
            (false, false) => x & 0xffff_ffff,
            (true, false) => x,
        }
    }
}

fn spec(name: &str) -> &'static Spec {
    match registry().get(name) {
        Some(Semantics::Valu(spec)) => spec,
        _ => panic!("{name} is a lane operation"),
    }
}

/// A lane's three sources, and the bit that comes in.
type Lane = ([u64; 3], bool);

/// Compares a kernel's results in every build with those of `lane`: the result's dwords and a bit. The
/// rows are of ordinary numbers, of those but for one lane, and of edges throughout; the result is
/// also written over the sources.
fn check(name: &str, setting: Option<u64>, dwords: usize, lane: impl Fn(Lane) -> (u64, bool)) {
    let spec = spec(name);
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let wide = spec.sources.map(|ty| ty.dwords() == 2);
    for round in 0..384u64 {
        let mut sources = [[0; 3]; LANES];
        for (k, operands) in sources.iter_mut().enumerate() {
            let edge = match round % 3 {
                0 => false,
                1 => k % BLOCK == (round / 3) as usize % BLOCK,
                _ => numbers.next().is_multiple_of(2),
            };
            *operands = wide.map(|wide| numbers.operand(wide, round % 2, edge));
        }
        let mut regs = vec![0; 16 * LANES];
        for (k, operands) in sources.iter().enumerate() {
            for (at, v) in SOURCES.iter().zip(operands) {
                regs[at + k] = *v as u32;
                regs[at + LANES + k] = (v >> 32) as u32;
            }
        }
        // Few bits in, at first none.
        let bits_in = match round % 4 {
            0 | 1 => 0,
            _ => numbers.next() & numbers.next() & numbers.next(),
        };
        let mask = setting.unwrap_or(bits_in);
        for build in 0..=level() {
            // Beside the sources, and where the result begins with a source's last register.
            for d in [RESULT, LANES, SOURCES[1] + LANES] {
                let mut regs = regs.clone();
                // SAFETY: the machine has the build.
                let bits = unsafe { spec.kernel[build](&mut regs, d, SOURCES, LANES, mask) };
                for (k, &operands) in sources.iter().enumerate() {
                    let (r, bit) = lane((operands, mask >> k & 1 != 0));
                    let high = if dwords == 2 { regs[d + LANES + k] } else { 0 };
                    let got = u64::from(high) << 32 | u64::from(regs[d + k]);
                    assert_eq!(
                        (got, bits >> k & 1 != 0),
                        (r, bit),
                        "{name} in build {build} to {d}: {operands:x?}"
                    );
                }
            }
        }
    }
}

fn singles([a, b, c]: [u64; 3]) -> [f32; 3] {
    [a, b, c].map(|x| f32::from_bits(x as u32))
}

fn doubles(operands: [u64; 3]) -> [f64; 3] {
    operands.map(f64::from_bits)
}

#[test]
fn rows_of_the_division_macro_are_as_their_lanes() {
    check("v_div_scale_f32", None, 1, |(s, _)| {
        let [a, b, c] = singles(s);
        let (r, bit) = division::v_div_scale_f32(a, b, c);
        (r.to_bits().into(), bit)
    });
    check("v_div_scale_f64", None, 2, |(s, _)| {
        let [a, b, c] = doubles(s);
        let (r, bit) = division::v_div_scale_f64(a, b, c);
        (r.to_bits(), bit)
    });
    check("v_div_fmas_f32", None, 1, |(s, scale)| {
        let [a, b, c] = singles(s);
        let r = division::v_div_fmas_f32(a, b, c, scale);
        (r.to_bits().into(), false)
    });
    check("v_div_fmas_f64", None, 2, |(s, scale)| {
        let [a, b, c] = doubles(s);
        (division::v_div_fmas_f64(a, b, c, scale).to_bits(), false)
    });
    check("v_div_fixup_f32", None, 1, |(s, _)| {
        let [a, b, c] = singles(s);
        let r = division::v_div_fixup_f32(a, b, c);
        (r.to_bits().into(), false)
    });
    check("v_div_fixup_f64", None, 2, |(s, _)| {
        let [a, b, c] = doubles(s);
        (division::v_div_fixup_f64(a, b, c).to_bits(), false)
    });
}

#[test]
fn rows_of_bytes_and_nibbles_are_as_their_lanes() {
    type Operation = fn(u32, u32, u32) -> u32;
    let operations: [(&str, Operation); 7] = [
        ("v_sad_u8", bytes::v_sad_u8),
        ("v_msad_u8", bytes::v_msad_u8),
        ("v_perm_b32", bytes::v_perm_b32),
        ("v_dot4_i32_i8", |a, b, c| {
            dot::v_dot4_i32_i8(a, b, c, false)
        }),
        ("v_dot8_i32_i4", |a, b, c| {
            dot::v_dot8_i32_i4(a, b, c, false)
        }),
        ("v_dot8_u32_u4", |a, b, c| {
            dot::v_dot8_u32_u4(a, b, c, false)
        }),
        ("v_dot8c_i32_i4", |a, b, c| {
            dot::v_dot8_i32_i4(a, b, c, false)
        }),
    ];
    for (name, f) in operations {
        check(name, None, 1, |([a, b, c], _)| {
            (f(a as u32, b as u32, c as u32).into(), false)
        });
    }
}

#[test]
fn rows_of_medians_are_as_their_lanes() {
    for (major, ieee) in [(9, false), (9, true), (11, true), (12, false)] {
        let setting = Some(0xf0 | u64::from(ieee) << 9 | major << 32);
        check("v_med3_f32", setting, 1, |(s, _)| {
            let [a, b, c] = singles(s);
            let r = match major {
                11 => minmax::v_med3_f32_gfx11(a, b, c, ieee),
                _ => minmax::v_med3_f32(a, b, c, ieee),
            };
            (r.to_bits().into(), false)
        });
        check("v_med3_f16", setting, 1, |(s, _)| {
            let [a, b, c] = s.map(|x| x as u16);
            let r = match major {
                11 => minmax::v_med3_f16_gfx11(a, b, c, ieee),
                _ => minmax::v_med3_f16(a, b, c, ieee),
            };
            (r.into(), false)
        });
    }
    check("v_med3_num_f32", Some(12 << 32), 1, |(s, _)| {
        let [a, b, c] = singles(s);
        (minmax::v_med3_num_f32(a, b, c).to_bits().into(), false)
    });
}

/// Halves of every exponent and sign in all orders: zeros, denormals, infinities and NaN among them.
#[test]
fn medians_of_halves_are_exact_in_all_orders() {
    let halves = [
        0, 0x8000, 1, 0x8001, 0x3c00, 0xbc00, 0x7bff, 0x7c00, 0xfc00, 0x7c01, 0xfe00,
    ];
    let mut triples = Vec::new();
    for a in halves {
        for b in halves {
            triples.extend(halves.map(|c| [a, b, c]));
        }
    }
    for kept in [[0x4000, 0x4100, 0x4200], [0, 0, 0]] {
        for &triple in &triples {
            for build in 0..=level() {
                // One lane of the triple in a row of others.
                let mut regs = vec![0; 16 * LANES];
                for (at, (&x, other)) in SOURCES.iter().zip(triple.iter().zip(kept)) {
                    regs[*at..at + LANES].fill(other | 0xabcd_0000);
                    regs[at + 5] = x;
                }
                let setting = Setting(1 << 9 | 9 << 32).0;
                let kernel = spec("v_med3_f16").kernel[build];
                // SAFETY: the machine has the build.
                unsafe { kernel(&mut regs, RESULT, SOURCES, LANES, setting) };
                let [a, b, c] = triple.map(|x| x as u16);
                let expected = minmax::v_med3_f16(a, b, c, true);
                assert_eq!(regs[RESULT + 5], expected.into(), "{build}: {triple:x?}");
                let [a, b, c] = kept.map(|x| x as u16);
                let expected = minmax::v_med3_f16(a, b, c, true);
                assert_eq!(regs[RESULT + 6], expected.into());
            }
        }
    }
}

#[test]
fn rows_of_conversions_and_functions_are_as_their_lanes() {
    type Operation = fn(f32, f32) -> u32;
    let operations: [(&str, Operation); 4] = [
        ("v_cvt_pknorm_i16_f32", convert::v_cvt_pk_norm_i16_f32),
        ("v_cvt_pknorm_u16_f32", convert::v_cvt_pk_norm_u16_f32),
        ("v_log_f32", |a, _| transcendental::v_log_f32(a).to_bits()),
        ("v_exp_f32", |a, _| transcendental::v_exp_f32(a).to_bits()),
    ];
    for (name, f) in operations {
        check(name, Some(9 << 32), 1, |(s, _)| {
            let [a, b, _] = singles(s);
            (f(a, b).into(), false)
        });
    }
    check("v_ldexp_f32", Some(9 << 32), 1, |(s, _)| {
        let r = float32::v_ldexp_f32(singles(s)[0], s[1] as u32);
        (r.to_bits().into(), false)
    });
    check("v_rsq_f64", Some(9 << 32), 2, |(s, _)| {
        let r = transcendental::v_rsq_f64(f64::from_bits(s[0]));
        (r.to_bits(), false)
    });
}

#[test]
fn normalised_halfwords_round_once_with_a_fused_multiply_add() {
    // What lies on and right beside the middle of two results.
    for k in 0..=65535u32 {
        for scale in [32767.0f64, 65535.0] {
            let middle = ((f64::from(k) + 0.5) / scale) as f32;
            for x in [middle.next_down(), middle, middle.next_up()] {
                for x in [x, -x] {
                    assert_eq!(
                        convert::fused_pk_norm_i16_f32(x, -x),
                        convert::v_cvt_pk_norm_i16_f32(x, -x),
                        "{x:e}"
                    );
                    assert_eq!(
                        convert::fused_pk_norm_u16_f32(x, -x),
                        convert::v_cvt_pk_norm_u16_f32(x, -x),
                        "{x:e}"
                    );
                }
            }
        }
    }
}

/// All singles by their upper halves, with lower halves that make, break and miss ties.
#[test]
fn rows_of_eight_bit_floats_are_as_their_lanes() {
    for (name, format) in [("v_cvt_pk_fp8_f32", FP8), ("v_cvt_pk_bf8_f32", BF8)] {
        for (saturate, upper) in [(false, false), (true, true)] {
            let setting = u64::from(saturate) << 23 | 12 << 32 | u64::from(upper) << 43;
            for first in (0..0x1_0000u32).step_by(LANES) {
                for below in [0, 1, 0x8000, 0xffff] {
                    let mut regs = vec![0; 16 * LANES];
                    for k in 0..LANES {
                        let x = (first + k as u32) << 16 | below;
                        // The rows of a NaN's exponent have numbers beside it too.
                        regs[SOURCES[0] + k] = x;
                        regs[SOURCES[1] + k] = x ^ 0x8040_0000;
                        regs[SOURCES[2] + k] = 0x1234_5678;
                    }
                    for build in 0..=level() {
                        let mut regs = regs.clone();
                        let kernel = spec(name).kernel[build];
                        // SAFETY: the machine has the build.
                        unsafe { kernel(&mut regs, RESULT, SOURCES, LANES, setting) };
                        for k in 0..LANES {
                            let [a, b] =
                                [0, 1].map(|i: usize| f32::from_bits(regs[SOURCES[i] + k]));
                            let codes = u32::from(v_cvt_pk_fp8_f32(format, a, b, saturate));
                            let expected = match upper {
                                true => codes << 16 | 0x5678,
                                false => 0x1234_0000 | codes,
                            };
                            assert_eq!(regs[RESULT + k], expected, "{name} {build} {a:e} {b:e}");
                        }
                    }
                }
            }
        }
    }
}
