//! Every conversion of components up to 16 bits, against exact integer arithmetic.

use super::*;
use crate::access::{Lanes, Port, Row};
use crate::buffer::{BufferDescriptor, BufferKind, BufferLane, BufferRequest, DstSel};
use crate::fault::FaultKind;
use crate::global::{GlobalMemory, Permission};
use crate::rules::Rules;

// points: 10

fn name(generation: Generation, code: u8) -> String {
    match Format::decode(generation, code) {
        FormatCode::Format(f) => f.to_string(),
        FormatCode::Invalid => "INVALID".into(),
        FormatCode::Reserved(_) => "reserved".into(),
    }
}

// rule: format codes; section RDNA 3 ISA 10.7 table 52, RDNA 1 ISA 8.1.8 (buffer formats), Vega ISA
// 8.1.2 (DFMT, NFMT).
#[test]
fn codes_are_the_manuals() {
    use Generation::*;
    for (code, want) in [
        (0, "INVALID"),
        (1, "8_UNORM"),
        (6, "8_SINT"),
        (13, "16_FLOAT"),
        (19, "8_8_SINT"),
        (20, "32_UINT"),
        (22, "32_FLOAT"),
        (29, "16_16_FLOAT"),
    ] {
        for generation in [Rdna1, Rdna2, Rdna3, Rdna3_5, Rdna4] {
            assert_eq!(name(generation, code), want);
        }
    }
    for (code, want) in [
        (36, "10_11_11_FLOAT"),
        (43, "11_11_10_FLOAT"),
        (44, "10_10_10_2_UNORM"),
        (50, "2_10_10_10_UNORM"),
        (56, "8_8_8_8_UNORM"),
        (62, "32_32_UINT"),
        (65, "16_16_16_16_UNORM"),
        (72, "32_32_32_UINT"),
        (77, "32_32_32_32_FLOAT"),
        (78, "reserved"),
    ] {
        assert_eq!(name(Rdna1, code), want);
        assert_eq!(name(Rdna2, code), want);
    }
    assert_eq!(name(Rdna1, 30), "10_11_11_UNORM");
    assert_eq!(name(Rdna2, 30), "reserved");
    for (code, want) in [
        (30, "10_11_11_FLOAT"),
        (31, "11_11_10_FLOAT"),
        (32, "10_10_10_2_UNORM"),
        (35, "10_10_10_2_SINT"),
        (36, "2_10_10_10_UNORM"),
        (41, "2_10_10_10_SINT"),
        (42, "8_8_8_8_UNORM"),
        (48, "32_32_UINT"),
        (51, "16_16_16_16_UNORM"),
        (57, "16_16_16_16_FLOAT"),
        (58, "32_32_32_UINT"),
        (63, "32_32_32_32_FLOAT"),
        (64, "reserved"),
    ] {
        assert_eq!(name(Rdna3, code), want);
        assert_eq!(name(Rdna4, code), want);
    }
    for (dfmt, nfmt, want) in [
        (0, 7, "INVALID"),
        (1, 0, "8_UNORM"),
        (1, 7, "reserved"),
        (6, 7, "10_11_11_FLOAT"),
        (8, 1, "10_10_10_2_SNORM"),
        (9, 3, "2_10_10_10_SSCALED"),
        (12, 7, "16_16_16_16_FLOAT"),
        (13, 4, "32_32_32_UINT"),
        (14, 5, "32_32_32_32_SINT"),
        (15, 0, "reserved"),
        (4, 6, "reserved"),
    ] {
        for generation in [Gcn5, Cdna1, Cdna2, Cdna3, Cdna4] {
            assert_eq!(name(generation, dfmt | nfmt << 4), want);
        }
    }
    let count = |generation| Format::all(generation).count();
    assert_eq!([count(Gcn5), count(Rdna1), count(Rdna2)], [93, 77, 65]);
    assert_eq!([count(Rdna3), count(Rdna4), count(Cdna5)], [63, 63, 0]);
}

/// 2^-60 units of a finite f32 of magnitude 2^-37 to 2^60.
fn fixed(x: f32) -> i128 {
    let (bits, sign) = (x.to_bits() & 0x7fff_ffff, x.is_sign_negative());
    let exponent = (bits >> 23) as i32;
    if exponent == 0 {
        assert_eq!(bits, 0, "no denormals here");
        return 0;
    }
    let magnitude = i128::from(bits & 0x7f_ffff | 0x80_0000) << (60 + exponent - 127 - 23);
    if sign { -magnitude } else { magnitude }
}

/// Whether `x` is the f32 nearest to `p / q` (no exact tie occurs for odd `q` unless it is exact).
fn is_nearest(x: f32, p: i128, q: i128) -> bool {
    let below = fixed(x.next_down_or_zero());
    let above = fixed(x.next_up_or_zero());
    let twice = 2 * (p << 60);
    (fixed(x) + below) * q <= twice && twice <= (fixed(x) + above) * q
}

trait Neighbours {
    fn next_down_or_zero(self) -> f32;
    fn next_up_or_zero(self) -> f32;
}

impl Neighbours for f32 {
    fn next_down_or_zero(self) -> f32 {
        if self == 0.0 { self } else { self.next_down() }
    }
    fn next_up_or_zero(self) -> f32 {
        if self == 0.0 { self } else { self.next_up() }
    }
}

fn sign_extend(code: u32, width: u32) -> i128 {
    let code = i128::from(code);
    if code >> (width - 1) != 0 {
        code - (1 << width)
    } else {
        code
    }
}

const WIDTHS: [u32; 5] = [2, 8, 10, 11, 16];

// rule: unorm, snorm, uscaled, sscaled, uint, sint loads; section Vega ISA 8.1.3 "Read Data Format".
#[test]
fn loads_are_exact_or_the_nearest_float() {
    for width in WIDTHS {
        for code in 0..1u32 << width {
            let float = |n: NumberFormat| f32::from_bits(n.load(code, width));
            let signed = sign_extend(code, width);
            assert!(is_nearest(float(Unorm), code.into(), (1 << width) - 1));
            let top = (1i128 << (width - 1)) - 1;
            assert!(
                is_nearest(float(Snorm), signed.max(-top), top),
                "{code} {width}"
            );
            assert_eq!(fixed(float(Uscaled)), i128::from(code) << 60);
            assert_eq!(fixed(float(Sscaled)), signed << 60);
            assert_eq!(Uint.load(code, width), code);
            assert_eq!(i128::from(Sint.load(code, width) as i32), signed);
        }
        // Both of the lowest codes are -1; zero is +0.
        let low = 1 << (width - 1);
        for code in [low, low + 1] {
            assert_eq!(f32::from_bits(Snorm.load(code, width)), -1.0);
        }
        assert_eq!(Snorm.load(0, width), 0);
        assert_eq!(f32::from_bits(Unorm.load((1 << width) - 1, width)), 1.0);
    }
}

/// 2^-25 units of a finite f16: exact.
fn fixed16(code: u32) -> i128 {
    let (exponent, mantissa) = (code >> 10 & 0x1f, i128::from(code & 0x3ff));
    assert_ne!(exponent, 0x1f);
    let magnitude = match exponent {
        0 => mantissa << 1,
        e => (mantissa | 0x400) << e,
    };
    if code >> 15 != 0 {
        -magnitude
    } else {
        magnitude
    }
}

/// The f16 nearest to `p / q`, ties to even, by search over all of them.
fn nearest16(p: i128, q: i128) -> u32 {
    let sign = if p < 0 { 0x8000 } else { 0 };
    let target = p.abs() << 26;
    // Codes of one sign are ordered by value. Largest finite: 65504, with a step of 32 after it.
    let twice = |code: u32| {
        2 * if code == 0x7c00 {
            65536 << 25
        } else {
            fixed16(code)
        }
    };
    let (mut low, mut high) = (0, 0x7c00);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if twice(middle) * q <= target {
            low = middle;
        } else {
            high = middle;
        }
    }
    let (below, above) = (target - twice(low) * q, twice(high) * q - target);
    let code = match below.cmp(&above) {
        std::cmp::Ordering::Less => low,
        std::cmp::Ordering::Greater => high,
        std::cmp::Ordering::Equal => low + (low & 1),
    };
    sign | code
}

// rule: D16 rounds to nearest even; section RDNA 3 ISA 9.3.1.
#[test]
fn d16_loads_round_to_nearest_even_once() {
    for width in WIDTHS {
        for code in 0..1u32 << width {
            let signed = sign_extend(code, width);
            let top = (1i128 << (width - 1)) - 1;
            let all = (1i128 << width) - 1;
            assert_eq!(Unorm.load_d16(code, width), nearest16(code.into(), all));
            assert_eq!(
                Snorm.load_d16(code, width),
                nearest16(signed.max(-top), top)
            );
            assert_eq!(Uscaled.load_d16(code, width), nearest16(code.into(), 1));
            assert_eq!(Sscaled.load_d16(code, width), nearest16(signed, 1));
            assert_eq!(Uint.load_d16(code, width), code);
            assert_eq!(i128::from(Sint.load_d16(code, width) as u16 as i16), signed);
        }
    }
    // 65519 is the last that rounds to 65504; then infinity.
    assert_eq!(Uscaled.load_d16(65519, 16), 0x7bff);
    assert_eq!(Uscaled.load_d16(65520, 16), 0x7c00);
}

// rule: 32-bit components, D16; section RDNA 3 ISA 9.3.1 ("float32 to float16 uses truncation").
#[test]
fn d16_truncates_f32_and_clamps_integers_of_32_bits() {
    let d16 = |x: f32| Float.load_d16(x.to_bits(), 32);
    assert_eq!(d16(1.0), 0x3c00);
    assert_eq!(d16(f32::from_bits(0x3f80_3fff)), 0x3c01);
    assert_eq!(d16(f32::from_bits(0x3f80_1fff)), 0x3c00);
    assert_eq!(d16(-1.999_999_9), 0xbfff);
    assert_eq!([d16(65504.0), d16(65535.9), d16(1e30)], [0x7bff; 3]);
    assert_eq!(
        [d16(f32::INFINITY), d16(f32::NEG_INFINITY)],
        [0x7c00, 0xfc00]
    );
    assert_eq!([d16(0.0), d16(-0.0)], [0, 0x8000]);
    // The smallest denormal is 2^-24; below it there is zero of the same sign.
    assert_eq!([d16(2f32.powi(-24)), d16(-(2f32.powi(-25)))], [1, 0x8000]);
    assert_eq!(d16(1.75 * 2f32.powi(-24)), 1);
    // NaNs stay NaNs with the top of their payload, and are quiet.
    assert_eq!(Float.load_d16(0x7f80_0001, 32), 0x7e00);
    assert_eq!(Float.load_d16(0xffc0_2000, 32), 0xfe01);
    assert_eq!(
        [Uint.load_d16(70000, 32), Uint.load_d16(7, 32)],
        [0xffff, 7]
    );
    assert_eq!(Sint.load_d16(-40000i32 as u32, 32), 0x8000);
    assert_eq!(Sint.load_d16(40000, 32), 0x7fff);
}

/// What a small float stands for, by the definition of its fields.
fn small_value(code: u32, mantissa_bits: u32) -> f64 {
    let mantissa = f64::from(code & ((1 << mantissa_bits) - 1)) / f64::from(1 << mantissa_bits);
    match code >> mantissa_bits & 0x1f {
        0 => mantissa * 2f64.powi(-14),
        0x1f if mantissa == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        e => (1.0 + mantissa) * 2f64.powi(e as i32 - 15),
    }
}

// rule: floats of 10, 11 and 16 bits; section Vega ISA 8.1.3, 8.1.2 (NFMT float).
#[test]
fn small_floats_widen_exactly_and_round_toward_zero() {
    for (width, mantissa) in [(10, 5), (11, 6), (16, 10)] {
        for code in 0..1u32 << width {
            let negative = width == 16 && code >> 15 != 0;
            let want = small_value(code & 0x7fff, mantissa) * if negative { -1.0 } else { 1.0 };
            let got = Float.load(code, width);
            let widened = f32::from_bits(got);
            if want.is_nan() {
                let payload = code & ((1 << mantissa) - 1);
                assert_eq!(got & 0x7fff_ffff, 0x7f80_0000 | payload << (23 - mantissa));
                assert_eq!(Float.store(got, width), code | 1 << (mantissa - 1));
                continue;
            }
            assert_eq!(f64::from(widened), want);
            assert_eq!(widened.is_sign_negative(), negative);
            assert_eq!(Float.store(got, width), code);
            let half = Float.load_d16(code, width);
            assert_eq!(Float.store_d16(half, width), code);
            assert_eq!(half_value(half), want);
            // Everything up to the next value away from zero is rounded to this one.
            let next = small_value((code & 0x7fff) + 1, mantissa) as f32;
            if next.is_finite() && !negative {
                let last = next.next_down();
                assert_eq!(Float.store(last.to_bits(), width), code);
                if width == 16 {
                    assert_eq!(Float.store((-last).to_bits(), 16), code | 0x8000);
                }
            }
        }
    }
    for (width, infinity) in [(10, 0x3e0), (11, 0x7c0)] {
        let store = |x: f32| Float.store(x.to_bits(), width);
        assert_eq!([store(-1.0), store(-0.0), store(f32::NEG_INFINITY)], [0; 3]);
        assert_eq!(
            [store(f32::INFINITY), store(f32::MAX)],
            [infinity, infinity - 1]
        );
        assert!(store(f32::NAN) > infinity && store(-f32::NAN) > infinity);
    }
}

fn half_value(code: u32) -> f64 {
    let sign = if code >> 15 != 0 { -1.0 } else { 1.0 };
    sign * small_value(code & 0x7fff, 10)
}

/// `p / q` rounded to the nearest integer, halves away from zero.
fn rounded(p: i128, q: i128) -> i128 {
    let magnitude = (2 * p.abs() + q) / (2 * q);
    if p < 0 { -magnitude } else { magnitude }
}

/// What stores of `value / unit` give: unorm, snorm, uscaled, sscaled.
fn quantized(value: i128, unit: i128, width: u32) -> [u32; 4] {
    let (all, top) = ((1i128 << width) - 1, (1i128 << (width - 1)) - 1);
    let unorm = rounded(value.clamp(0, unit) * all, unit);
    let snorm = rounded(value.clamp(-unit, unit) * top, unit);
    let whole = value / unit;
    let scaled = [whole.clamp(0, all), whole.clamp(-top - 1, top)];
    [unorm, snorm, scaled[0], scaled[1]].map(|x| (x & all) as u32)
}

// rule: D16 stores of every f16; section RDNA 3 ISA 9.3.1, rounding as in Direct3D's conversions.
#[test]
fn d16_stores_clamp_scale_and_round() {
    for width in WIDTHS {
        for code in 0..0x1_0000u32 {
            let store = |n: NumberFormat| n.store_d16(code, width);
            let got = [store(Unorm), store(Snorm), store(Uscaled), store(Sscaled)];
            let value = match code & 0x7fff {
                0x7c00 => 1 << 60,
                0x7c01.. => 0,
                _ => fixed16(code & 0x7fff),
            };
            let value = if code >> 15 != 0 { -value } else { value };
            assert_eq!(got, quantized(value, 1 << 25, width), "{code:#x} {width}");
            assert_eq!(store(Uint), code.min((1 << width) - 1));
            let top = (1 << (width - 1)) - 1;
            let signed = i32::from(code as i16).clamp(-top - 1, top);
            assert_eq!(store(Sint), signed as u32 & ((1 << width) - 1));
        }
    }
    assert_eq!(
        [Uint.store_d16(0xffff, 32), Sint.store_d16(0xffff, 32)],
        [0xffff, u32::MAX]
    );
    assert_eq!(Float.store_d16(0x3c00, 32), 1f32.to_bits());
}

// rule: stores of f32 round the same way at every boundary between two codes; section no manual says:
// how stores round is left open.
#[test]
fn stores_round_at_every_boundary() {
    for width in WIDTHS {
        let all = (1u32 << width) - 1;
        for code in 0..=all {
            for n in [Unorm, Snorm, Uscaled, Sscaled, Uint, Sint] {
                let back = n.store(n.load(code, width), width);
                // Snorm has one code that is never stored.
                let lowest = n == Snorm && code == 1 << (width - 1);
                assert_eq!(back, code + u32::from(lowest));
            }
            let middle = ((f64::from(code) + 0.5) / f64::from(all)) as f32;
            let mut x = middle.next_down().next_down();
            for _ in 0..5 {
                for value in [x, -x] {
                    let store = |n: NumberFormat| n.store(value.to_bits(), width);
                    let got = [store(Unorm), store(Snorm), store(Uscaled), store(Sscaled)];
                    assert_eq!(
                        got,
                        quantized(fixed(value), 1 << 60, width),
                        "{value} {width}"
                    );
                }
                x = x.next_up();
            }
            let whole = code as f32;
            for value in [whole.next_down_or_zero(), whole + 0.5, -whole - 0.5] {
                let store = |n: NumberFormat| n.store(value.to_bits(), width);
                let want = quantized(fixed(value), 1 << 60, width);
                assert_eq!([store(Uscaled), store(Sscaled)], [want[2], want[3]]);
            }
        }
        for n in [Unorm, Snorm, Uscaled, Sscaled] {
            assert_eq!(n.store(f32::NAN.to_bits(), width), 0);
            assert_eq!(n.store((-0f32).to_bits(), width), 0);
            assert_eq!(n.store(1, width), 0, "the smallest denormal");
        }
        let store = |n: NumberFormat, x: f32| n.store(x.to_bits(), width);
        assert_eq!(store(Unorm, f32::INFINITY), all);
        assert_eq!(store(Unorm, -3.0), 0);
        assert_eq!(store(Snorm, f32::NEG_INFINITY), (all >> 1) + 2);
        assert_eq!(store(Sscaled, f32::NEG_INFINITY), (all >> 1) + 1);
        assert_eq!(Uint.store(u32::MAX, width), all);
        assert_eq!(Sint.store(1 << 31, width), (all >> 1) + 1);
        assert_eq!(Sint.store(u32::MAX, width), all);
    }
}

const BASE: u64 = 0x1_0000;

fn memory(bytes: &[u8]) -> GlobalMemory {
    let mut memory = GlobalMemory::new();
    let mut all = bytes.to_vec();
    all.resize(256, 0);
    let mapped = memory.map_bytes(BASE, &all, Permission::ReadWrite, "a");
    mapped.expect("the address space is empty");
    memory
}

const REQUEST: BufferRequest = BufferRequest {
    kind: BufferKind::Format,
    idxen: false,
    offen: true,
    soffset: 0,
    inst_offset: 0,
    bytes: 0,
};

fn descriptor(generation: Generation) -> BufferDescriptor {
    let word3 = if generation.is_gfx9() {
        4 << 15
    } else {
        3 << 28 | 22 << 12
    };
    BufferDescriptor::decode([BASE as u32, 0, 256, word3], generation)
}

fn access(format: &str, components: usize, d16: bool) -> FormatAccess {
    let (_, format) = Format::all(Generation::Rdna1)
        .find(|(_, f)| f.to_string() == format)
        .expect("a format of RDNA 1");
    FormatAccess {
        format,
        dst_sel: FormatAccess::IDENTITY,
        components,
        d16,
    }
}

fn load(bytes: &[u8], access: &FormatAccess, voffset: u32) -> ([u32; 4], u64, Port) {
    let lane = [BufferLane {
        voffset,
        ..BufferLane::default()
    }];
    let mut port = Port::new(Rules::new(Generation::Rdna3));
    let mut dst: [Row; 4] = [[7; 32]; 4];
    let out = descriptor(Generation::Rdna3).load_format(
        &memory(bytes),
        &REQUEST,
        Lanes::new(&lane, 1),
        access,
        &mut dst,
        &mut port,
    );
    (dst.map(|row| row[0]), out, port)
}

fn store(values: [u32; 4], access: &FormatAccess) -> [u32; 4] {
    store_on(Generation::Rdna3, values, access)
}

fn store_on(generation: Generation, values: [u32; 4], access: &FormatAccess) -> [u32; 4] {
    let memory = memory(&[0xee; 16]);
    let lane = [BufferLane::default()];
    let mut port = Port::new(Rules::new(generation));
    descriptor(generation).store_format(
        &memory,
        &REQUEST,
        Lanes::new(&lane, 1),
        access,
        &values.map(|v| [v; 32]),
        &mut port,
    );
    let mut bytes = [0; 16];
    assert!(memory.read(BASE, &mut bytes));
    std::array::from_fn(|i| u32::from_le_bytes([0, 1, 2, 3].map(|b| bytes[4 * i + b])))
}

const ONE: u32 = 0x3f80_0000;

// rule: the first component has the lowest bits; section no manual says: formats are listed by the
// widths of their components alone.
#[test]
fn packed_layouts_have_x_in_the_lowest_bits() {
    let word = |w: u32| w.to_le_bytes();
    let bits = word(5 | 0x3ff << 10 | 1 << 20 | 2 << 30);
    let (got, _, _) = load(&bits, &access("2_10_10_10_UINT", 4, false), 0);
    assert_eq!(got, [5, 0x3ff, 1, 2]);
    let bits = word(3 | 7 << 2 | 0x200 << 12 | 9 << 22);
    let (got, _, _) = load(&bits, &access("10_10_10_2_SINT", 4, false), 0);
    assert_eq!(got, [u32::MAX, 7, -512i32 as u32, 9]);
    // 1.0 is exponent 15: 0x3c0 in 11 bits, 0x1e0 in 10.
    let bits = word(0x3c0 | 0x400 << 11 | 0x1e0 << 22);
    let (got, _, _) = load(&bits, &access("10_11_11_FLOAT", 4, false), 0);
    assert_eq!(got, [ONE, 2f32.to_bits(), ONE, 0]);
    let bits = word(0x1e0 | 0x3c0 << 10 | 0x400 << 21);
    let (got, _, _) = load(&bits, &access("11_11_10_FLOAT", 3, false), 0);
    assert_eq!(got, [ONE, ONE, 2f32.to_bits(), 7]);
    let (got, _, _) = load(&[1, 2, 3, 4], &access("8_8_8_8_UINT", 4, false), 0);
    assert_eq!(got, [1, 2, 3, 4]);
    assert_eq!(
        store([1, 2, 3, 2], &access("2_10_10_10_UINT", 4, false))[0],
        0x8030_0801
    );
    assert_eq!(
        store([1, 2, 3, 4], &access("10_10_10_2_UINT", 4, false))[0],
        0x0100_3009
    );
}

// rule: LOAD/STORE_FORMAT and DATA-FORMAT mismatches; section RDNA 3 ISA 9.3.2.
#[test]
fn component_counts_may_differ_from_the_formats() {
    let bytes: Vec<u8> = (1..5u32).flat_map(u32::to_le_bytes).collect();
    let (got, _, _) = load(&bytes, &access("32_32_32_32_UINT", 1, false), 0);
    assert_eq!(got, [1, 7, 7, 7]);
    let (got, _, _) = load(&bytes, &access("32_UINT", 4, false), 0);
    assert_eq!(got, [1, 0, 0, 0]);
    let all = access("32_UINT", 4, false);
    let with_one = FormatAccess {
        dst_sel: [DstSel::R, DstSel::G, DstSel::Zero, DstSel::One],
        ..all
    };
    assert_eq!(load(&bytes, &with_one, 0).0, [1, 0, 0, 1]);
    assert_eq!(
        store([9, 8, 7, 6], &all),
        [9, 0xeeee_eeee, 0xeeee_eeee, 0xeeee_eeee]
    );
    let wide = access("32_32_32_32_UINT", 1, false);
    assert_eq!(store([9, 8, 7, 6], &wide), [9, 0, 0, 0]);
    let swizzled = FormatAccess {
        dst_sel: [DstSel::Zero, DstSel::R, DstSel::R, DstSel::One],
        ..wide
    };
    assert_eq!(store([9, 8, 7, 6], &swizzled), [0, 9, 9, 1]);
}

// rule: dst_sel and what one is; section Vega ISA 8.1.5 notes, RDNA 3 ISA 9.4.1 note 1.
#[test]
fn selects_reorder_components_and_give_one_even_out_of_range() {
    let mut a = access("8_8_8_8_UNORM", 4, false);
    a.dst_sel = [DstSel::B, DstSel::G, DstSel::R, DstSel::One];
    let (got, out, _) = load(&[255, 0, 51, 9], &a, 0);
    assert_eq!((got, out), ([0.2f32.to_bits(), 0, ONE, ONE], 0));
    let (got, out, port) = load(&[255, 0, 51, 9], &a, 256);
    assert_eq!((got, out), ([0, 0, 0, ONE], 1));
    assert!(port.faults.is_empty());
    a.d16 = true;
    assert_eq!(load(&[255, 0, 51, 9], &a, 0).0, [0x3266, 0, 0x3c00, 0x3c00]);
}

// rule: typed accesses are checked whole; section RDNA 3 ISA 9.4.1 notes 3 and 4.
#[test]
fn an_element_partly_out_of_range_is_wholly_out() {
    let a = access("32_32_32_32_UINT", 4, false);
    assert_eq!(load(&[1], &a, 248).1, 1);
    assert_eq!(load(&[1], &a, 240).1, 0);
}

// rule: alignment of typed accesses; section RDNA 3 ISA 9.5.
#[test]
fn typed_accesses_must_be_aligned_to_the_element_or_a_dword() {
    let (got, _, port) = load(&[1, 2, 3, 4, 5, 6], &access("16_UINT", 1, false), 1);
    assert_eq!((got[0], port.faults[0].kind), (0, FaultKind::Misaligned));
    let (got, _, port) = load(&[1, 2, 3, 4, 5, 6], &access("16_UINT", 1, false), 2);
    assert_eq!((got[0], port.faults.len()), (0x403, 0));
    assert_eq!(port.rules, Rules::new(Generation::Rdna3));
    let (_, _, port) = load(&[1; 32], &access("32_32_32_32_UINT", 1, false), 4);
    assert!(port.faults.is_empty());
}

// rule: an instruction with a descriptor of another type is ignored; section RDNA 3 ISA 9.6.
#[test]
fn a_descriptor_of_another_type_leaves_registers_alone() {
    let mut d = descriptor(Generation::Rdna3);
    d.kind = 2;
    let mut port = Port::new(Rules::new(Generation::Rdna3));
    let mut dst = [[7; 32]; 4];
    let lane = [BufferLane::default()];
    let lanes = Lanes::new(&lane, 1);
    let access = access("32_UINT", 4, false);
    d.load_format(&memory(&[1]), &REQUEST, lanes, &access, &mut dst, &mut port);
    assert_eq!(dst[0][0], 7);
}

// rule: the 18-bit stride is for untyped plain accesses only; section Vega ISA 8.1.5 table 30.
#[test]
fn typed_accesses_have_a_stride_of_14_bits() {
    let mut d = descriptor(Generation::Gcn5);
    d.add_tid = true;
    d.stride = 16;
    let lane = BufferLane {
        lane: 1,
        ..BufferLane::default()
    };
    let at = |kind| d.address(&BufferRequest { kind, ..REQUEST }, &lane, 0) - BASE;
    assert_eq!(at(BufferKind::Format), 16);
    assert_eq!(at(BufferKind::Typed), 16);
    assert_eq!(at(BufferKind::Untyped), 4 << 14 | 16);
}

// rule: components that a format store does not have are the first one on RDNA 4 and zero before, where the select is
// no constant; section RDNA 4 ISA 9.3, 9.3.2, RDNA 3 ISA 9.3.2.
#[test]
fn stores_of_fewer_components_repeat_the_first_on_rdna4() {
    let bytes = access("8_8_8_8_UINT", 2, false);
    let mut dwords = access("32_32_32_32_UINT", 1, false);
    for (generation, two, one) in [
        (Generation::Rdna2, 0x0201, [5, 0, 0, 0]),
        (Generation::Rdna3, 0x0201, [5, 0, 0, 0]),
        (Generation::Rdna4, 0x0101_0201, [5, 5, 5, 5]),
    ] {
        let of = |values, access| store_on(generation, values, access);
        assert_eq!(of([1, 2, 9, 9], &bytes)[0], two, "{generation:?}");
        assert_eq!(of([5, 9, 9, 9], &dwords), one, "{generation:?}");
    }
    dwords.dst_sel = [DstSel::Zero, DstSel::G, DstSel::One, DstSel::R];
    let constants = store_on(Generation::Rdna4, [5, 9, 9, 9], &dwords);
    assert_eq!(constants, [0, 5, 1, 5]);
}
