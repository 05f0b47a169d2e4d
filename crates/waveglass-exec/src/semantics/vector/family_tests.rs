//! Vector instructions by name on every target that has them: edge operands, both wave sizes, EXEC
//! full, partial and empty, against formulas written in wide integers and in double precision.
//!
//! The bytes come from the instruction table: the long encoding with sources v2, v4, v6 and the
//! result in v0.

use crate::testing::Bench;
use waveglass_isa::{Decoder, Field, InstDef, OperandDef, OperandKind, Target, rows};

/// Types of a source or result.
#[derive(Clone, Copy, Debug, PartialEq)]
enum T {
    B16,
    B32,
    B64,
    F16,
    F32,
    F64,
}

use T::*;

/// A mnemonic, its source types, its result type, and the result by its definition.
type Case = (&'static str, &'static [T], T, fn([u64; 3]) -> u64);

fn s(x: u64) -> i64 {
    x as u32 as i32 as i64
}

fn u(x: u64) -> u64 {
    x & 0xffff_ffff
}

/// The low 24 bits, signed.
fn s24(x: u64) -> i64 {
    (x as i64) << 40 >> 40
}

fn s16(x: u64) -> i64 {
    x as u16 as i16 as i64
}

fn f(x: u64) -> f64 {
    f32::from_bits(x as u32) as f64
}

fn f32b(x: f32) -> u64 {
    x.to_bits().into()
}

/// The median of three numbers.
fn median<N: PartialOrd + Copy>(mut x: [N; 3]) -> N {
    x.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    x[1]
}

fn bytes(x: u64) -> [i64; 4] {
    [0, 8, 16, 24].map(|k| (x >> k & 0xff) as i64)
}

fn sad(a: u64, b: u64) -> i64 {
    (0..4).map(|k| (bytes(a)[k] - bytes(b)[k]).abs()).sum()
}

/// The byte that a selector of `v_perm_b32` names in {a, b}, a being the high dword.
fn perm_byte(pair: u64, selector: u64) -> u64 {
    match selector {
        0..=7 => pair >> (8 * selector) & 0xff,
        8..=11 => (pair >> (16 * (selector - 8) + 15) & 1) * 0xff,
        12 => 0,
        _ => 0xff,
    }
}

const INTEGERS: &[Case] = &[
    ("v_add_u32", &[B32, B32], B32, |[a, b, _]| a + b),
    ("v_add_nc_u32", &[B32, B32], B32, |[a, b, _]| a + b),
    ("v_sub_nc_u32", &[B32, B32], B32, |[a, b, _]| {
        a.wrapping_sub(b)
    }),
    ("v_subrev_nc_u32", &[B32, B32], B32, |[a, b, _]| {
        b.wrapping_sub(a)
    }),
    ("v_min_i32", &[B32, B32], B32, |[a, b, _]| {
        s(a).min(s(b)) as u64
    }),
    ("v_max_i32", &[B32, B32], B32, |[a, b, _]| {
        s(a).max(s(b)) as u64
    }),
    ("v_min_u32", &[B32, B32], B32, |[a, b, _]| u(a).min(u(b))),
    ("v_max_u32", &[B32, B32], B32, |[a, b, _]| u(a).max(u(b))),
    ("v_and_b32", &[B32, B32], B32, |[a, b, _]| a & b),
    ("v_or_b32", &[B32, B32], B32, |[a, b, _]| a | b),
    ("v_xor_b32", &[B32, B32], B32, |[a, b, _]| a ^ b),
    ("v_xnor_b32", &[B32, B32], B32, |[a, b, _]| !(a ^ b)),
    ("v_lshlrev_b32", &[B32, B32], B32, |[a, b, _]| b << (a % 32)),
    ("v_lshrrev_b32", &[B32, B32], B32, |[a, b, _]| {
        u(b) >> (a % 32)
    }),
    ("v_ashrrev_i32", &[B32, B32], B32, |[a, b, _]| {
        (s(b) >> (a % 32)) as u64
    }),
    ("v_lshlrev_b64", &[B32, B64], B64, |[a, b, _]| b << (a % 64)),
    ("v_lshrrev_b64", &[B32, B64], B64, |[a, b, _]| b >> (a % 64)),
    ("v_ashrrev_i64", &[B32, B64], B64, |[a, b, _]| {
        (b as i64 >> (a % 64)) as u64
    }),
    ("v_mul_lo_u32", &[B32, B32], B32, |[a, b, _]| {
        a.wrapping_mul(b)
    }),
    ("v_mul_hi_u32", &[B32, B32], B32, |[a, b, _]| {
        (u(a) * u(b)) >> 32
    }),
    ("v_mul_hi_i32", &[B32, B32], B32, |[a, b, _]| {
        ((s(a) * s(b)) >> 32) as u64
    }),
    ("v_mul_i32_i24", &[B32, B32], B32, |[a, b, _]| {
        (s24(a) * s24(b)) as u64
    }),
    ("v_mul_hi_i32_i24", &[B32, B32], B32, |[a, b, _]| {
        ((s24(a) * s24(b)) >> 32) as u64
    }),
    ("v_mul_u32_u24", &[B32, B32], B32, |[a, b, _]| {
        (a & 0xff_ffff) * (b & 0xff_ffff)
    }),
    ("v_mul_hi_u32_u24", &[B32, B32], B32, |[a, b, _]| {
        ((a & 0xff_ffff) * (b & 0xff_ffff)) >> 32
    }),
    ("v_mad_i32_i24", &[B32, B32, B32], B32, |[a, b, c]| {
        (s24(a) * s24(b)).wrapping_add(s(c)) as u64
    }),
    ("v_mad_u32_u24", &[B32, B32, B32], B32, |[a, b, c]| {
        (a & 0xff_ffff) * (b & 0xff_ffff) + c
    }),
    ("v_add3_u32", &[B32, B32, B32], B32, |[a, b, c]| a + b + c),
    ("v_lshl_add_u32", &[B32, B32, B32], B32, |[a, b, c]| {
        (a << (b % 32)) + c
    }),
    ("v_add_lshl_u32", &[B32, B32, B32], B32, |[a, b, c]| {
        (a + b) << (c % 32)
    }),
    ("v_lshl_or_b32", &[B32, B32, B32], B32, |[a, b, c]| {
        a << (b % 32) | c
    }),
    ("v_and_or_b32", &[B32, B32, B32], B32, |[a, b, c]| a & b | c),
    ("v_or3_b32", &[B32, B32, B32], B32, |[a, b, c]| a | b | c),
    ("v_xor3_b32", &[B32, B32, B32], B32, |[a, b, c]| a ^ b ^ c),
    ("v_xad_u32", &[B32, B32, B32], B32, |[a, b, c]| (a ^ b) + c),
    ("v_bfi_b32", &[B32, B32, B32], B32, |[a, b, c]| {
        a & b | !a & c
    }),
    ("v_bfe_u32", &[B32, B32, B32], B32, |[a, b, c]| {
        u(a) >> (b % 32) & ((1 << (c % 32)) - 1)
    }),
    ("v_bfe_i32", &[B32, B32, B32], B32, |[a, b, c]| {
        match c % 32 {
            0 => 0,
            w => {
                // An arithmetic shift, so that bits past the top are the sign's.
                let v = (s(a) >> (b % 32)) as u64 & ((1 << w) - 1);
                ((v << (64 - w)) as i64 >> (64 - w)) as u64
            }
        }
    }),
    ("v_bfm_b32", &[B32, B32], B32, |[a, b, _]| {
        ((1 << (a % 32)) - 1) << (b % 32)
    }),
    ("v_bcnt_u32_b32", &[B32, B32], B32, |[a, b, _]| {
        (0..32).map(|k| a >> k & 1).sum::<u64>() + b
    }),
    ("v_bfrev_b32", &[B32], B32, |[a, ..]| {
        (0..32).fold(0, |r, k| r | (a >> k & 1) << (31 - k))
    }),
    ("v_not_b32", &[B32], B32, |[a, ..]| !a),
    ("v_mov_b32", &[B32], B32, |[a, ..]| a),
    ("v_alignbit_b32", &[B32, B32, B32], B32, |[a, b, c]| {
        (a << 32 | u(b)) >> (c % 32)
    }),
    ("v_alignbyte_b32", &[B32, B32, B32], B32, |[a, b, c]| {
        (a << 32 | u(b)) >> (8 * (c % 4))
    }),
    ("v_perm_b32", &[B32, B32, B32], B32, |[a, b, c]| {
        let pair = a << 32 | u(b);
        (0..4).fold(0, |r, k| {
            r | perm_byte(pair, c >> (8 * k) & 0xff) << (8 * k)
        })
    }),
    ("v_min3_i32", &[B32, B32, B32], B32, |[a, b, c]| {
        s(a).min(s(b)).min(s(c)) as u64
    }),
    ("v_max3_u32", &[B32, B32, B32], B32, |[a, b, c]| {
        u(a).max(u(b)).max(u(c))
    }),
    ("v_med3_i32", &[B32, B32, B32], B32, |[a, b, c]| {
        median([s(a), s(b), s(c)]) as u64
    }),
    ("v_med3_u32", &[B32, B32, B32], B32, |[a, b, c]| {
        median([u(a), u(b), u(c)])
    }),
    ("v_minmax_i32", &[B32, B32, B32], B32, |[a, b, c]| {
        s(a).min(s(b)).max(s(c)) as u64
    }),
    ("v_maxmin_u32", &[B32, B32, B32], B32, |[a, b, c]| {
        u(a).max(u(b)).min(u(c))
    }),
    ("v_sad_u8", &[B32, B32, B32], B32, |[a, b, c]| {
        sad(a, b) as u64 + c
    }),
    ("v_sad_hi_u8", &[B32, B32, B32], B32, |[a, b, c]| {
        ((sad(a, b) as u64) << 16) + c
    }),
    ("v_sad_u16", &[B32, B32, B32], B32, |[a, b, c]| {
        let half = |x: u64, k: u64| (x >> k & 0xffff) as i64;
        ((half(a, 0) - half(b, 0)).abs() + (half(a, 16) - half(b, 16)).abs()) as u64 + c
    }),
    ("v_sad_u32", &[B32, B32, B32], B32, |[a, b, c]| {
        u(a).abs_diff(u(b)) + c
    }),
    ("v_msad_u8", &[B32, B32, B32], B32, |[a, b, c]| {
        let sum: i64 = (0..4)
            .filter(|&k| bytes(b)[k] != 0)
            .map(|k| (bytes(a)[k] - bytes(b)[k]).abs())
            .sum();
        sum as u64 + c
    }),
    ("v_lerp_u8", &[B32, B32, B32], B32, |[a, b, c]| {
        (0..4).fold(0, |r, k| {
            let round = bytes(c)[k] & 1;
            r | (((bytes(a)[k] + bytes(b)[k] + round) >> 1) as u64) << (8 * k)
        })
    }),
    ("v_mul_lo_u16", &[B16, B16], B16, |[a, b, _]| {
        (a & 0xffff) * (b & 0xffff)
    }),
    ("v_max_i16", &[B16, B16], B16, |[a, b, _]| {
        s16(a).max(s16(b)) as u64
    }),
    ("v_min_u16", &[B16, B16], B16, |[a, b, _]| {
        (a & 0xffff).min(b & 0xffff)
    }),
    ("v_lshlrev_b16", &[B16, B16], B16, |[a, b, _]| b << (a % 16)),
    ("v_ashrrev_i16", &[B16, B16], B16, |[a, b, _]| {
        (s16(b) >> (a % 16)) as u64
    }),
    ("v_med3_i16", &[B16, B16, B16], B16, |[a, b, c]| {
        median([s16(a), s16(b), s16(c)]) as u64
    }),
    ("v_mad_u16", &[B16, B16, B16], B16, |[a, b, c]| {
        (a & 0xffff) * (b & 0xffff) + c
    }),
];

const FLOATS: &[Case] = &[
    ("v_floor_f32", &[F32], F32, |[a, ..]| {
        f32b(f(a).floor() as f32)
    }),
    (
        "v_ceil_f32",
        &[F32],
        F32,
        |[a, ..]| f32b(f(a).ceil() as f32),
    ),
    ("v_trunc_f32", &[F32], F32, |[a, ..]| {
        f32b(f(a).trunc() as f32)
    }),
    ("v_rndne_f32", &[F32], F32, |[a, ..]| {
        f32b(f(a).round_ties_even() as f32)
    }),
    ("v_cvt_f64_f32", &[F32], F64, |[a, ..]| f(a).to_bits()),
    ("v_cvt_f64_i32", &[B32], F64, |[a, ..]| {
        (s(a) as f64).to_bits()
    }),
    ("v_cvt_f64_u32", &[B32], F64, |[a, ..]| {
        (u(a) as f64).to_bits()
    }),
    ("v_cvt_f32_i32", &[B32], F32, |[a, ..]| f32b(s(a) as f32)),
    ("v_cvt_f32_u32", &[B32], F32, |[a, ..]| f32b(u(a) as f32)),
    ("v_cvt_i32_f32", &[F32], B32, |[a, ..]| {
        f(a).trunc().clamp(i32::MIN.into(), i32::MAX.into()) as i64 as u64
    }),
    ("v_cvt_u32_f32", &[F32], B32, |[a, ..]| {
        f(a).trunc().clamp(0.0, u32::MAX.into()) as u64
    }),
    ("v_cvt_i32_f64", &[F64], B32, |[a, ..]| {
        let x = f64::from_bits(a);
        x.trunc().clamp(i32::MIN.into(), i32::MAX.into()) as i64 as u64
    }),
    ("v_cvt_f32_ubyte2", &[B32], F32, |[a, ..]| {
        f32b((a >> 16 & 0xff) as f32)
    }),
    ("v_cvt_off_f32_i4", &[B32], F32, |[a, ..]| {
        f32b(((a << 60) as i64 >> 60) as f32 / 16.0)
    }),
    ("v_add_f32", &[F32, F32], F32, |[a, b, _]| {
        f32b((f(a) + f(b)) as f32)
    }),
    ("v_mul_f32", &[F32, F32], F32, |[a, b, _]| {
        f32b((f(a) * f(b)) as f32)
    }),
    ("v_add_f64", &[F64, F64], F64, |[a, b, _]| {
        (f64::from_bits(a) + f64::from_bits(b)).to_bits()
    }),
    ("v_ldexp_f64", &[F64, B32], F64, |[a, b, _]| {
        // In two steps that are exact, or one that rounds once.
        let k = s(b).clamp(-2200, 2200) as i32;
        let x = f64::from_bits(a);
        if x == 0.0 || !x.is_finite() {
            return a;
        }
        let exponent = (a >> 52 & 0x7ff) as i32;
        if exponent == 0 || exponent + k < 1 {
            return SKIP;
        }
        (x * 2f64.powi(k / 2) * 2f64.powi(k - k / 2)).to_bits()
    }),
];

/// Stands for a result that is not compared.
const SKIP: u64 = 0x7ff4_dead_beef_0001;

/// Every half-precision operation of one source, by its definition in double precision.
const HALVES: &[Case] = &[
    ("v_floor_f16", &[F16], F16, |[a, ..]| half_of(h(a).floor())),
    ("v_ceil_f16", &[F16], F16, |[a, ..]| half_of(h(a).ceil())),
    ("v_trunc_f16", &[F16], F16, |[a, ..]| half_of(h(a).trunc())),
    ("v_rndne_f16", &[F16], F16, |[a, ..]| {
        half_of(h(a).round_ties_even())
    }),
    ("v_cvt_f32_f16", &[F16], F32, |[a, ..]| f32b(h(a) as f32)),
    ("v_cvt_u16_f16", &[F16], B16, |[a, ..]| {
        h(a).trunc().clamp(0.0, 65535.0) as u64
    }),
    ("v_cvt_i16_f16", &[F16], B16, |[a, ..]| {
        h(a).trunc().clamp(-32768.0, 32767.0) as i64 as u64
    }),
    ("v_cvt_f16_u16", &[B16], F16, |[a, ..]| {
        half_of((a & 0xffff) as f64)
    }),
    ("v_cvt_f16_i16", &[B16], F16, |[a, ..]| {
        half_of(s16(a) as f64)
    }),
];

fn h(x: u64) -> f64 {
    half::f16::from_bits(x as u16).to_f64()
}

fn half_of(x: f64) -> u64 {
    half::f16::from_f64(x).to_bits().into()
}

fn is_nan(x: u64, t: T) -> bool {
    match t {
        F16 => x & 0x7fff > 0x7c00,
        F32 => x & 0x7fff_ffff > 0x7f80_0000,
        F64 => x & (u64::MAX >> 1) > 0x7ff0 << 48,
        _ => false,
    }
}

/// Numbers at the edges of a type, and some between.
fn edges(t: T) -> Vec<u64> {
    match t {
        B16 => vec![
            0, 1, 2, 7, 15, 16, 0xff, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff, 0x1234,
        ],
        B32 => vec![
            0,
            1,
            2,
            5,
            31,
            32,
            0xff,
            0x7f_ffff,
            0x80_0000,
            0xff_ffff,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            0x0c08_0400,
            0x1234_5678,
            0xdead_beef,
        ],
        B64 => vec![
            0,
            1,
            0xffff_ffff,
            1 << 32,
            i64::MAX as u64,
            1 << 63,
            u64::MAX,
            0x0123_4567_89ab_cdef,
        ],
        F16 => vec![
            0, 0x8000, 1, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x3e00, 0x7bff, 0x7c00, 0xfc00, 0x7e00,
        ],
        F32 => [
            0.0,
            -0.0,
            1e-45,
            1.1754942e-38,
            0.5,
            -0.5,
            1.0,
            -1.5,
            2.5,
            3.9999998,
            -2147483648.0,
            4294967040.0,
            1e20,
            f32::MAX,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
        ]
        .iter()
        .map(|x: &f32| x.to_bits().into())
        .collect(),
        F64 => [
            0.0,
            -0.0,
            5e-324,
            1.0,
            -1.5,
            2147483647.5,
            -2147483649.0,
            1e300,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
        ]
        .iter()
        .map(|x: &f64| x.to_bits())
        .collect(),
    }
}

fn place(bytes: &mut [u8; 20], o: &OperandDef, value: u64) {
    for &(at, from, width) in o.spans {
        for k in 0..width as u32 {
            let bit = at as u32 + k;
            let on = value >> (from as u32 + k) & 1 != 0;
            let byte = &mut bytes[bit as usize / 8];
            *byte = *byte & !(1 << (bit % 8)) | (on as u8) << (bit % 8);
        }
    }
}

/// The bytes of an instruction in its long encoding, as hex.
fn encode(target: Target, def: &InstDef, count: usize) -> Option<String> {
    let mut bytes = [0u8; 20];
    for k in 0..4 {
        bytes[4 * k..4 * k + 4].copy_from_slice(&def.value[k].to_le_bytes());
    }
    let fields = [Field::Src0, Field::Src1, Field::Src2];
    for o in def.operands() {
        match o.field {
            Field::Vdst => place(&mut bytes, o, 0),
            f if fields[..count].contains(&f) => {
                let k = fields.iter().position(|x| *x == f)? as u64;
                place(&mut bytes, o, 256 + 2 + 2 * k);
            }
            f if fields.contains(&f) => return None,
            _ if matches!(o.kind, OperandKind::Mods(_)) => {}
            _ => {}
        }
    }
    let size = Decoder::new(target)
        .wave_size(target.default_wave_size())
        .decode(&bytes)
        .ok()
        .filter(|i| std::ptr::eq(i.def(), def))?
        .size();
    Some(bytes[..size].iter().map(|b| format!("{b:02x}")).collect())
}

/// Runs a case over all combinations of operands on a target; gives whether it has the instruction.
fn run_case(target: Target, (name, sources, result, expected): &Case, values: &[Vec<u64>]) -> bool {
    let row = rows()
        .iter()
        .find(|r| r.mnemonic == *name && r.has_target(target) && r.encoding() == "ENC_VOP3");
    let Some(code) = row.and_then(|r| encode(target, r, sources.len())) else {
        return false;
    };
    let sizes: &[u32] = match (target.has_wave32(), target.has_wave64()) {
        (true, true) => &[32, 64],
        (true, false) => &[32],
        _ => &[64],
    };
    let n: usize = values.iter().map(|v| v.len()).product();
    for &lanes in sizes {
        let mut b = Bench::new(target, lanes);
        let operand = |at: usize, k: usize| {
            let before: usize = values[..k].iter().map(|v| v.len()).product();
            values[k][at / before % values[k].len()]
        };
        for (round, start) in (0..n).step_by(lanes as usize).enumerate() {
            for k in 0..sources.len() {
                b.set(2 + 2 * k, |l| operand((start + l) % n, k) as u32);
                b.set(3 + 2 * k, |l| (operand((start + l) % n, k) >> 32) as u32);
            }
            b.set(0, |_| 0xaaaa_5555);
            b.set(1, |_| 0xaaaa_5555);
            let exec = [u64::MAX, 0x0f0f_3333_5555_aaaa, u64::MAX, 0][round % 4];
            b.wave.set_exec(exec & b.wave.full_mask());
            b.run_all(&[&code]);
            for l in 0..lanes as usize {
                if exec >> l & 1 == 0 {
                    assert_eq!((b.get(0, l), b.get(1, l)), (0xaaaa_5555, 0xaaaa_5555));
                    continue;
                }
                let mut x = [0; 3];
                for (k, x) in x.iter_mut().enumerate().take(sources.len()) {
                    *x = operand((start + l) % n, k);
                }
                let want = expected(x);
                let low = b.get(0, l) as u64;
                let (got, want) = match result {
                    B16 | F16 => (low & 0xffff, want & 0xffff),
                    B64 | F64 => (low | (b.get(1, l) as u64) << 32, want),
                    _ => (low, want & 0xffff_ffff),
                };
                let nan = is_nan(want, *result);
                if want == SKIP || nan && is_nan(got, *result) {
                    continue;
                }
                assert_eq!(got, want, "{target} {name} {x:x?} wave{lanes}");
            }
        }
    }
    true
}

fn run_cases(cases: &[Case]) {
    for case in cases {
        let values: Vec<_> = case.1.iter().map(|t| edges(*t)).collect();
        let found = Target::ALL
            .iter()
            .filter(|t| run_case(**t, case, &values))
            .count();
        assert!(found > 0, "{} is on no target", case.0);
    }
}

#[test]
fn integer_operations_of_every_target() {
    run_cases(INTEGERS);
}

#[test]
fn float_operations_of_every_target() {
    run_cases(FLOATS);
}

#[test]
fn half_operations_of_one_source_on_all_halves() {
    let all: Vec<Vec<u64>> = vec![(0..=0xffff).collect()];
    for case in HALVES {
        let targets = [Target::Gfx900, Target::Gfx1030, Target::Gfx1201];
        let found = targets.iter().filter(|t| run_case(**t, case, &all)).count();
        assert!(found > 0, "{}", case.0);
    }
}
