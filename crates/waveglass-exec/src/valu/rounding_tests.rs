//! Instructions under each rounding mode of MODE, against an independent implementation of IEEE
//! arithmetic (`rustc_apfloat`, a translation of LLVM's).

use crate::testing::Bench;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};
use waveglass_isa::Target;

/// MODE's rounding fields, f32 and f64/f16 alike.
const MODES: [(u32, Round); 4] = [
    (0b0000, Round::NearestTiesToEven),
    (0b0101, Round::TowardPositive),
    (0b1010, Round::TowardNegative),
    (0b1111, Round::TowardZero),
];

/// Numbers that look like what arithmetic meets: edges, and numbers near each other.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        crate::testing::xorshift(&mut self.0)
    }

    /// A float of `width` bits with `mantissa` of them in the significand.
    fn float(&mut self, width: u32, mantissa: u32) -> u64 {
        let x = self.next();
        let ones = u64::MAX >> (64 - width);
        let exponents = width - 1 - mantissa;
        let bias = (1u64 << (exponents - 1)) - 1;
        let fraction = self.next() & ((1 << mantissa) - 1);
        let sign = (x >> 63) << (width - 1);
        match x & 7 {
            // Anything.
            0 => self.next() & ones,
            // Zeros, denormals, one, the largest, infinity.
            1 => sign | [0, 1, fraction, bias << mantissa][(x >> 8) as usize & 3],
            2 => {
                let infinity = ((1 << exponents) - 1) << mantissa;
                sign | (infinity - [0, 1, 1, 2][(x >> 8) as usize & 3])
            }
            // Near one, with few bits or many.
            k => {
                let exponent = (bias + (x >> 16) % 12).saturating_sub(6);
                let fraction = if k < 5 {
                    fraction
                } else {
                    fraction & (0x7 << (mantissa - 3) | 7)
                };
                sign | exponent << mantissa | fraction
            }
        }
    }
}

/// How a source or result lies in registers.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    F32,
    F64,
    F16,
    I32,
    /// A small exponent.
    Exp,
}

impl Kind {
    fn draw(self, n: &mut Numbers) -> u64 {
        match self {
            Kind::F32 => n.float(32, 23),
            Kind::F64 => n.float(64, 52),
            Kind::F16 => n.float(16, 10),
            Kind::I32 => n.next() & 0xffff_ffff,
            Kind::Exp => ((n.next() % 600) as i32 - 300) as u32 as u64,
        }
    }
}

fn is_nan(bits: u64, kind: Kind) -> bool {
    match kind {
        Kind::F32 => f32::from_bits(bits as u32).is_nan(),
        Kind::F64 => f64::from_bits(bits).is_nan(),
        Kind::F16 => bits & 0x7fff > 0x7c00,
        _ => false,
    }
}

/// Runs an instruction on many operands in each mode. Sources are v2, v4, v6 and up, the result is v0.
// Lane and source numbers index the wave as well as the operands.
#[allow(clippy::needless_range_loop)]
fn check(
    target: Target,
    code: &str,
    sources: &[Kind],
    result: Kind,
    expected: impl Fn(&[u64], Round) -> u64,
) {
    let mut n = Numbers(0x1234_5678_9abc_def1);
    let lanes = if target.major() == 9 { 64 } else { 32 };
    let mut b = Bench::new(target, lanes);
    for round in 0..64 {
        let operands: Vec<Vec<u64>> = (0..lanes)
            .map(|_| sources.iter().map(|k| k.draw(&mut n)).collect())
            .collect();
        for k in 0..sources.len() {
            b.set(2 + 2 * k, |l| operands[l][k] as u32);
            b.set(3 + 2 * k, |l| (operands[l][k] >> 32) as u32);
        }
        for (bits, mode) in MODES {
            b.set(0, |_| 0xdddd_dddd);
            b.set(1, |_| 0xdddd_dddd);
            b.wave.mode.0 = 0xf0 | bits;
            // Every other time some lanes are off.
            let exec = if round % 2 == 0 {
                u64::MAX
            } else {
                0x5555_5555_3333_3333
            };
            b.wave.set_exec(exec & b.wave.full_mask());
            b.run_all(&[code]);
            for l in 0..lanes as usize {
                let got = match result {
                    Kind::F64 => b.get(0, l) as u64 | (b.get(1, l) as u64) << 32,
                    Kind::F16 => (b.get(0, l) & 0xffff) as u64,
                    _ => b.get(0, l) as u64,
                };
                if exec >> l & 1 == 0 {
                    assert_eq!(b.get(0, l), 0xdddd_dddd);
                    continue;
                }
                let want = expected(&operands[l], mode);
                if want == SKIP {
                    continue;
                }
                if is_nan(want, result) {
                    assert!(is_nan(got, result), "{code} {:x?} {mode:?}", operands[l]);
                } else {
                    assert_eq!(
                        got, want,
                        "{code} {:x?} {mode:?}: {got:x} {want:x}",
                        operands[l]
                    );
                }
            }
        }
    }
}

/// `F` from its bits.
fn of<F: Float>(bits: u64) -> F {
    F::from_bits(bits.into())
}

fn bits<F: Float>(x: F) -> u64 {
    x.to_bits() as u64
}

#[test]
fn single_precision_rounds_as_mode_says() {
    use Kind::F32;
    let t = Target::Gfx90a;
    let s = of::<Single>;
    check(t, "02090002", &[F32, F32], F32, |x, r| {
        bits(s(x[0]).add_r(s(x[1]), r).value)
    });
    check(t, "02090004", &[F32, F32], F32, |x, r| {
        bits(s(x[0]).sub_r(s(x[1]), r).value)
    });
    check(t, "0209000a", &[F32, F32], F32, |x, r| {
        bits(s(x[0]).mul_r(s(x[1]), r).value)
    });
    check(t, "0000cbd102091a04", &[F32, F32, F32], F32, |x, r| {
        bits(s(x[0]).mul_add_r(s(x[1]), s(x[2]), r).value)
    });
    // v_fma_mix_f32 of three singles.
    check(t, "0000a0d302091a04", &[F32, F32, F32], F32, |x, r| {
        bits(s(x[0]).mul_add_r(s(x[1]), s(x[2]), r).value)
    });
}

#[test]
fn double_precision_rounds_as_mode_says() {
    use Kind::F64;
    let t = Target::Gfx90a;
    let d = of::<Double>;
    check(t, "000080d202090200", &[F64, F64], F64, |x, r| {
        bits(d(x[0]).add_r(d(x[1]), r).value)
    });
    check(t, "000081d202090200", &[F64, F64], F64, |x, r| {
        bits(d(x[0]).mul_r(d(x[1]), r).value)
    });
    check(t, "0000ccd102091a04", &[F64, F64, F64], F64, |x, r| {
        bits(d(x[0]).mul_add_r(d(x[1]), d(x[2]), r).value)
    });
}

#[test]
fn half_precision_rounds_as_mode_says() {
    use Kind::F16;
    let t = Target::Gfx90a;
    let h = of::<Half>;
    check(t, "0209003e", &[F16, F16], F16, |x, r| {
        bits(h(x[0]).add_r(h(x[1]), r).value)
    });
    check(t, "02090044", &[F16, F16], F16, |x, r| {
        bits(h(x[0]).mul_r(h(x[1]), r).value)
    });
    check(t, "000006d202091a04", &[F16, F16, F16], F16, |x, r| {
        bits(h(x[0]).mul_add_r(h(x[1]), h(x[2]), r).value)
    });
    // v_mad_f16 rounds the product first.
    check(
        Target::Gfx900,
        "000003d202091a04",
        &[F16, F16, F16],
        F16,
        |x, r| bits(h(x[0]).mul_r(h(x[1]), r).value.add_r(h(x[2]), r).value),
    );
    // v_pk_fma_f16, whose upper halves are zero here.
    check(t, "00408ed302091a1c", &[F16, F16, F16], F16, |x, r| {
        bits(h(x[0]).mul_add_r(h(x[1]), h(x[2]), r).value)
    });
}

// rule: packed bfloat16 "supports Round-to-nearest-even only (ignoring MODE.round)"; section CDNA5 ISA 7.7.
#[test]
fn packed_bfloat16_rounds_to_nearest_whatever_mode_says() {
    let b = |x: u64| of::<BFloat>(x & 0xffff);
    check(
        Target::Gfx1250,
        "004011cc02091a1c",
        &[Kind::F32, Kind::F32, Kind::F32],
        Kind::I32,
        |x, _| {
            let fma = |s: u32| {
                let v = b(x[0] >> s).mul_add(b(x[1] >> s), b(x[2] >> s)).value;
                // Which NaN it is does not matter here.
                if v.is_nan() { None } else { Some(bits(v)) }
            };
            match (fma(0), fma(16)) {
                (Some(lo), Some(hi)) => lo | hi << 16,
                _ => SKIP,
            }
        },
    );
}

/// Stands for a result that is not compared.
const SKIP: u64 = u64::MAX;

#[test]
fn conversions_round_as_mode_says() {
    use Kind::*;
    let t = Target::Gfx90a;
    check(t, "021f007e", &[F64], F32, |x, r| {
        let v: Single = of::<Double>(x[0]).convert_r(r, &mut false).value;
        bits(v)
    });
    check(t, "0215007e", &[F32], F16, |x, r| {
        let v: Half = of::<Single>(x[0]).convert_r(r, &mut false).value;
        bits(v)
    });
    check(t, "020d007e", &[I32], F32, |x, r| {
        bits(Single::from_u128_r(x[0] as u32 as u128, r).value)
    });
    check(t, "020b007e", &[I32], F32, |x, r| {
        bits(Single::from_i128_r(x[0] as u32 as i32 as i128, r).value)
    });
    check(t, "000088d202090200", &[F32, Exp], F32, |x, r| {
        bits(of::<Single>(x[0]).scalbn_r(x[1] as u32 as i32, r))
    });
    check(t, "000084d202090200", &[F64, Exp], F64, |x, r| {
        bits(of::<Double>(x[0]).scalbn_r(x[1] as u32 as i32, r))
    });
}

#[test]
fn multiply_add_of_gfx900_flushes_and_rounds_twice() {
    use Kind::F32;
    let flush = |x: Single| {
        if x.is_denormal() {
            Single::ZERO.copy_sign(x)
        } else {
            x
        }
    };
    check(
        Target::Gfx900,
        "0000c1d102091a04",
        &[F32, F32, F32],
        F32,
        |x, r| {
            let [a, b, c] = [x[0], x[1], x[2]].map(|x| flush(of::<Single>(x)));
            let product = flush(a.mul_r(b, r).value);
            bits(flush(product.add_r(c, r).value))
        },
    );
}

#[test]
fn the_remainder_of_a_division_is_scaled_and_rounded_once() {
    use Kind::F32;
    // v_div_fmas_f32 without VCC is an FMA.
    check(
        Target::Gfx90a,
        "0000e2d102091a04",
        &[F32, F32, F32],
        F32,
        |x, r| {
            let s = of::<Single>;
            bits(s(x[0]).mul_add_r(s(x[1]), s(x[2]), r).value)
        },
    );
}

#[test]
fn packed_singles_round_by_the_field_of_singles() {
    let mut b = Bench::new(Target::Gfx90a, 64);
    // f32 up, f16 and f64 toward zero.
    b.wave.mode.0 = 0xf0 | 0b1101;
    for (r, v) in [
        (2, 1.0f32),
        (3, -1.0),
        (4, 1.0),
        (5, 1.0),
        (6, 1e-30),
        (7, 1e-30),
    ] {
        b.set(r, |_| v.to_bits());
    }
    // v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]
    b.run_all(&["0040b0d302091a1c"]);
    assert_eq!(f32::from_bits(b.get(0, 0)), 1f32.next_up());
    assert_eq!(f32::from_bits(b.get(1, 0)), -(1f32.next_down()));
    b.set(2, |_| 0x3c00);
    b.set(4, |_| 0x0001);
    // v_add_f16 v0, v2, v4: toward zero.
    b.run_all(&["0209003e"]);
    assert_eq!(b.get(0, 0), 0x3c00);
}

#[test]
fn fp16_ovfl_keeps_overflows_finite_and_infinities_infinite() {
    let mut b = Bench::new(Target::Gfx900, 64);
    b.set(1, |l| [0x7bff, 0x7c00, 0xfbff, 0x3c00][l % 4]);
    b.set(2, |l| [0x7bff, 0x3c00, 0xfbff, 0x3c00][l % 4]);
    // v_add_f16 v0, v1, v2
    b.run_all(&["0105003e"]);
    let get = |b: &Bench| [0, 1, 2, 3].map(|l| b.get(0, l));
    assert_eq!(get(&b), [0x7c00, 0x7c00, 0xfc00, 0x4000]);
    b.wave.mode.0 |= 1 << 23;
    b.run_all(&["0105003e"]);
    assert_eq!(get(&b), [0x7bff, 0x7c00, 0xfbff, 0x4000]);
    // v_rcp_f16 v0, v1: a division by zero stays infinite, an overflow does not.
    b.set(1, |l| [0, 1, 0x8001, 0x3c00][l % 4]);
    b.run_all(&["017b007e"]);
    assert_eq!(get(&b), [0x7c00, 0x7bff, 0xfbff, 0x3c00]);
}

#[test]
fn the_output_modifier_rounds_like_the_result() {
    let mut b = Bench::new(Target::Gfx1201, 32);
    b.set(1, |_| f32::MAX.to_bits());
    b.set(2, |_| 0);
    // v_add_f32_e64 v0, v1, v2 mul:2 overflows; toward zero it stays the largest number.
    for (round, expected) in [
        (0, f32::INFINITY),
        (1, f32::INFINITY),
        (2, f32::MAX),
        (3, f32::MAX),
    ] {
        b.wave.mode.0 = 0xf0 | round;
        b.run_all(&["000003d501050208"]);
        assert_eq!(f32::from_bits(b.get(0, 0)), expected, "{round}");
    }
}
