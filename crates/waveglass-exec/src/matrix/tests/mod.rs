//! Every matrix instruction on every target, against a plain matrix product.
//!
//! The tests place elements by formulas of their own, forward from (row, k) to a register, a lane
//! and a bit as the manuals print them, and read results back the same way.

mod layouts;
mod modifiers;
mod numbers;
mod place;
mod scales;

use super::format::Format;
use super::table::{Element, Family, Result as Cells, Row, find};
use crate::alu::small_float;
use crate::program::Step;
use crate::testing::Bench;
use crate::wave::Wave;
use half::{bf16, f16};
use waveglass_isa::{Field, InstDef, InstFlags, OperandKind, Target, rows};

/// Where the tests put operands.
const A: usize = 0;
const B: usize = 32;
const C: usize = 64;
const D: usize = 128;
const INDEX: usize = 200;
const SCALE_A: usize = 204;
const SCALE_B: usize = 208;

/// All rows of the ISA tables that hold matrix instructions.
fn instructions() -> impl Iterator<Item = (&'static InstDef, Target, u32)> {
    rows()
        .iter()
        .filter(|d| {
            d.flags
                .intersects(InstFlags::MAI | InstFlags::WMMA | InstFlags::SWMMAC)
                && !d.mnemonic.starts_with("v_accvgpr")
        })
        .flat_map(|d| {
            Target::ALL
                .iter()
                .filter(|&&t| d.has_target(t))
                .map(move |&t| {
                    let wave = match d.wave {
                        0 => 64,
                        w => w as u32,
                    };
                    (d, t, wave)
                })
        })
}

/// The row of a mnemonic on a target for a wave size.
fn def(name: &str, target: Target, wave: u32) -> &'static InstDef {
    instructions()
        .find(|(d, t, w)| d.mnemonic == name && *t == target && *w == wave)
        .map_or_else(|| panic!("{name} {target:?}"), |(d, ..)| d)
}

/// Encodes an instruction whose operands lie where the tests put them.
fn encode(d: &InstDef, fields: &[(Field, u64)]) -> String {
    let mut words = d.value;
    let mut set = |field: Field, value: u64| {
        let Some(o) = d.operands().iter().find(|o| o.field == field) else {
            panic!("{} has no {field:?}", d.mnemonic);
        };
        for &(lo, at, width) in o.spans {
            for bit in 0..width as usize {
                let (to, from) = (lo as usize + bit, at as usize + bit);
                words[to / 32] &= !(1 << (to % 32));
                words[to / 32] |= ((value >> from & 1) as u32) << (to % 32);
            }
        }
    };
    let has = |field: Field| d.operands().iter().any(|o| o.field == field);
    set(Field::Vdst, D as u64);
    set(Field::Src0, 256 + A as u64);
    set(Field::Src1, 256 + B as u64);
    let sparse = d.mnemonic.contains("mfmac") || d.mnemonic.contains("swmmac");
    if has(Field::Idx) {
        set(Field::Idx, 256 + INDEX as u64);
    } else {
        set(Field::Src2, 256 + if sparse { INDEX } else { C } as u64);
    }
    if has(Field::ScaleSrc0) {
        set(Field::ScaleSrc0, 256 + SCALE_A as u64);
        set(Field::ScaleSrc1, 256 + SCALE_B as u64);
    }
    for &(field, value) in fields {
        set(field, value);
    }
    words[..d.shape.size as usize / 4]
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .map(|b| format!("{b:02x}"))
        .collect()
}

/// A wave with room for everything, whose registers hold noise and whose EXEC is odd.
fn bench(target: Target, lanes: u32) -> Bench {
    let mut b = Bench::new(target, lanes);
    let agprs = if target.is_gfx9() { 256 } else { 0 };
    b.wave = Wave::new(target, lanes, 256, agprs);
    b.wave.set_exec(0x8421_0842_1084_2108);
    for r in 0..256 + agprs {
        b.set(r, |l| noise((r * 64 + l) as u64) as u32);
    }
    b
}

/// A hash for test values.
fn noise(x: u64) -> u64 {
    let mut z = x
        .wrapping_add(0x9e37_79b9_7f4a_7c15)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// The value of a code, by the conversion functions.
fn value(format: Format, code: u64) -> f64 {
    let c = code as u32;
    match format {
        Format::F64 => f64::from_bits(code),
        Format::F32 | Format::Xf32 => f32::from_bits(c) as f64,
        Format::F16 => f16::from_bits(c as u16).to_f64(),
        Format::Bf16 => bf16::from_bits(c as u16).to_f64(),
        Format::I8 => c as i8 as f64,
        Format::U8 => (c & 0xff) as f64,
        Format::I4 => ((c << 28) as i32 >> 28) as f64,
        Format::U4 => (c & 15) as f64,
        Format::Fp8 => small_float::FP8.decode(c) as f64,
        Format::Bf8 => small_float::BF8.decode(c) as f64,
        Format::Fp8Fnuz => small_float::FP8_FNUZ.decode(c) as f64,
        Format::Bf8Fnuz => small_float::BF8_FNUZ.decode(c) as f64,
        Format::Fp6 => small_float::FP6.decode(c) as f64,
        Format::Bf6 => small_float::BF6.decode(c) as f64,
        Format::Fp4 => small_float::FP4.decode(c) as f64,
    }
}

/// Codes of a format whose sums of products are exact: small numbers with few fraction bits.
fn codes(format: Format, most: f64) -> Vec<u64> {
    let wide = |f: fn(f64) -> u64| {
        (-16..=16)
            .map(|i| i as f64)
            .filter(|v| v.abs() <= most)
            .map(f)
            .collect()
    };
    match format {
        Format::F64 => wide(|v| v.to_bits()),
        Format::F32 | Format::Xf32 => wide(|v| (v as f32).to_bits() as u64),
        Format::F16 => wide(|v| f16::from_f64(v).to_bits() as u64),
        Format::Bf16 => wide(|v| bf16::from_f64(v).to_bits() as u64),
        _ => (0..1 << format.bits())
            .filter(|&c| {
                let v = value(format, c);
                let step = match most {
                    ..3.0 => 1.0,
                    ..5.0 => 4.0,
                    _ => 16.0,
                };
                v.abs() <= most && (v * step).fract() == 0.0
            })
            .collect(),
    }
}

/// A product in the making: matrices as codes.
struct Case {
    row: &'static Row,
    target: Target,
    lanes: usize,
    a_format: Format,
    b_format: Format,
    /// Where C is, in the wave's file.
    c_base: usize,
    /// Where D is.
    d_base: usize,
    /// A's values, dense, `[block][i][k]`; zeros where a sparse A has none.
    a: Vec<f64>,
    /// B's values, `[block][k][j]`.
    b: Vec<f64>,
    /// C's values, `[block][i][j]`.
    c: Vec<f64>,
}

impl Case {
    fn sparse(&self) -> bool {
        matches!(self.row.family, Family::Smfmac | Family::Swmmac)
    }

    /// Puts a random case into the registers.
    fn new(
        bench: &mut Bench,
        d: &InstDef,
        formats: (Format, Format),
        seed: u64,
        key: usize,
    ) -> Self {
        let name = d.mnemonic;
        let row = find(name).unwrap_or_else(|| panic!("{name} has no row"));
        // The forms whose C and D are AGPRs, which follow the VGPRs in the wave's file.
        let agprs = d
            .operands()
            .iter()
            .any(|o| o.field == Field::Vdst && o.kind == OperandKind::Agpr);
        let cd = if agprs { bench.wave.agpr_base } else { 0 };
        let target = bench.wave.target;
        let lanes = bench.wave.lanes();
        let [m, n, k] = row.size;
        let mut case = Self {
            row,
            target,
            lanes,
            a_format: formats.0,
            b_format: formats.1,
            c_base: C + cd,
            d_base: D + cd,
            a: vec![0.0; row.blocks * m * k],
            b: vec![0.0; row.blocks * k * n],
            c: vec![0.0; row.blocks * m * n],
        };
        let most = match row.result {
            Cells::Bf16 | Cells::Bf16F32 => 1.0,
            Cells::F16 => 2.0,
            _ if row.scale != 0 => 4.0,
            _ => 16.0,
        };
        let (a_codes, b_codes) = (codes(formats.0, most), codes(formats.1, most));
        let mut at = seed << 32;
        let mut pick = |from: &[u64]| {
            at += 1;
            from[(noise(at) % from.len() as u64) as usize]
        };
        let sparse = case.sparse();
        for b in 0..row.blocks {
            for i in 0..m {
                if sparse {
                    for pair in 0..k / 4 {
                        let two = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
                            [pick(&[0, 1, 2, 3, 4, 5]) as usize];
                        for (half, z) in [two.0, two.1].into_iter().enumerate() {
                            let code = pick(&a_codes);
                            case.a[i * k + 4 * pair + z] = value(formats.0, code);
                            let packed = 2 * pair + half;
                            case.put_a(bench, b, i, packed, code);
                            case.put_index(bench, i, packed, z, key);
                        }
                    }
                } else {
                    for kk in 0..k {
                        let code = pick(&a_codes);
                        case.a[(b * m + i) * k + kk] = value(formats.0, code);
                        case.put_a(bench, b, i, kk, code);
                    }
                }
            }
            for kk in 0..k {
                for j in 0..n {
                    let code = pick(&b_codes);
                    case.b[(b * k + kk) * n + j] = value(formats.1, code);
                    case.put_b(bench, b, kk, j, code);
                }
            }
            for i in 0..m {
                for j in 0..n {
                    let v = pick(&[0, 1, 2, 3, 4, 5, 6, 7]) as f64 - 4.0;
                    case.c[(b * m + i) * n + j] = v;
                    case.put_c(bench, b, i, j, v);
                }
            }
        }
        case
    }

    /// What the product must be.
    fn want(&self) -> Vec<f64> {
        let [m, n, k] = self.row.size;
        let mut d = self.c.clone();
        for b in 0..self.row.blocks {
            for i in 0..m {
                for j in 0..n {
                    for kk in 0..k {
                        d[(b * m + i) * n + j] +=
                            self.a[(b * m + i) * k + kk] * self.b[(b * k + kk) * n + j];
                    }
                }
            }
        }
        d
    }

    /// Compares D with `want`.
    fn check(&self, bench: &Bench, want: &[f64], what: &str) {
        let [m, n, _] = self.row.size;
        for b in 0..self.row.blocks {
            for i in 0..m {
                for j in 0..n {
                    let got = self.get_d(bench, b, i, j);
                    let want = want[(b * m + i) * n + j];
                    assert!(
                        got == want || got.is_nan() && want.is_nan(),
                        "{} {:?} wave{} {what}: D[{b}][{i}][{j}] is {got}, not {want}",
                        self.row.name,
                        self.target,
                        self.lanes
                    );
                }
            }
        }
    }
}

/// The formats of A and B that an instruction may be run with here.
fn formats(row: &Row, target: Target) -> Vec<(Format, Format)> {
    use Format::{Bf6, Bf8, Fp4, Fp6, Fp8};
    let one = |e: Element| match e {
        Element::F32 => vec![Format::F32],
        Element::Xf32 => vec![Format::Xf32],
        Element::F64 => vec![Format::F64],
        Element::F16 => vec![Format::F16],
        Element::Bf16 => vec![Format::Bf16],
        Element::I8 => vec![Format::I8],
        Element::Iu8 => vec![Format::U8, Format::I8],
        Element::Iu4 => vec![Format::U4, Format::I4],
        Element::Fp8 if target == Target::Gfx942 => vec![Format::Fp8Fnuz],
        Element::Fp8 => vec![Fp8],
        Element::Bf8 if target == Target::Gfx942 => vec![Format::Bf8Fnuz],
        Element::Bf8 => vec![Bf8],
        Element::Fp4 => vec![Fp4],
        Element::Any => vec![Fp8, Bf8, Fp6, Bf6, Fp4],
    };
    let (a, b) = (one(row.a), one(row.b));
    a.iter()
        .flat_map(|&x| b.iter().map(move |&y| (x, y)))
        .collect()
}

/// The fields that choose those formats.
fn format_fields(row: &Row, target: Target, f: (Format, Format)) -> Vec<(Field, u64)> {
    let code = |f: Format| match f {
        Format::Fp8 => 0,
        Format::Bf8 => 1,
        Format::Fp6 => 2,
        Format::Bf6 => 3,
        _ => 4,
    };
    let signed = |f: Format| matches!(f, Format::I8 | Format::I4) as u64;
    match row.a {
        Element::Any if target.has_gfx1250_insts() => vec![
            (Field::MatrixAFmt, code(f.0)),
            (Field::MatrixBFmt, code(f.1)),
        ],
        Element::Any => vec![(Field::Cbsz, code(f.0)), (Field::Blgp, code(f.1))],
        Element::Iu8 | Element::Iu4 => vec![
            (Field::Src0Modifiers, signed(f.0)),
            (Field::Src1Modifiers, signed(f.1)),
        ],
        _ => Vec::new(),
    }
}

/// Runs one instruction, which must go on with the next.
fn run(bench: &mut Bench, hex: &str, what: &str) {
    assert_eq!(bench.run(hex), Step::Next, "{what}");
}
