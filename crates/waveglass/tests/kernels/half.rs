//! Halves and 16-bit integers. Every expected half is computed in f64, where sums, products and fused products of halves are
//! exact or cannot tip a tie, and rounded once.

use crate::compare::{F16, F32, Kind, exact, f16_round, f16_value, rows};
use crate::harness::{builds, each};
use crate::input::{F16_EDGES, F32_EDGES, Xorshift, pairs, u32s};

const ANY_ZERO: Kind = Kind::FloatAnyZero(16);

fn halves(seed: u64, n: usize) -> (Vec<u16>, Vec<u16>) {
    let mut r = Xorshift::new(seed);
    // Signalling NaNs become infinities.
    pairs(&F16_EDGES, n, || {
        let v = (r.next() >> 40) as u16;
        if f16_value(v).is_nan() { v & 0xfc00 } else { v }
    })
}

fn binary(a: u16, b: u16, f: impl Fn(f64, f64) -> f64) -> u16 {
    f16_round(f(f16_value(a), f16_value(b)))
}

fn fma(a: u16, b: u16, c: u16) -> u16 {
    f16_round(f16_value(a) * f16_value(b) + f16_value(c))
}

#[test]
fn arithmetic_rounds_correctly() {
    let n = 512;
    let (a, b) = halves(1, n);
    let (_, c) = halves(2, n);
    let mut kinds = [F16; 16];
    kinds[13] = ANY_ZERO;
    kinds[14] = ANY_ZERO;
    let mut want = Vec::new();
    for i in 0..n {
        let (a, b, c) = (a[i], b[i], c[i]);
        let x = f16_value(a);
        want.extend([
            binary(a, b, |x, y| x + y),
            binary(a, b, |x, y| x - y),
            binary(a, b, |x, y| x * y),
            fma(a, b, c),
            binary(a, b, |x, y| x / y),
            f16_round(x.sqrt()),
            if x < f16_value(b) { a } else { b },
            a ^ 0x8000,
            a & 0x7fff,
            f16_round(x.floor()),
            f16_round(x.ceil()),
            f16_round(x.trunc()),
            f16_round(x.round_ties_even()),
            binary(a, b, f64::min),
            binary(a, c, f64::max),
            (a & 0x7fff) | (b & 0x8000),
        ]);
    }
    each(builds("half"), |build| {
        let launch = build.launch("f16_ops").grid([8, 1, 1]).block([64, 1, 1]);
        let out = launch
            .buffer(&a)
            .buffer(&b)
            .buffer(&c)
            .output::<u16>(n * 16)
            .run()?;
        rows("f16_ops", &kinds, &out.get::<u16>(3), &want)
    });
}

#[test]
fn conversions_round_correctly() {
    let n = 256;
    let (a, _) = halves(3, n);
    let mut r = Xorshift::new(4);
    let mut b: Vec<f32> = F32_EDGES.iter().map(|v| f32::from_bits(*v)).collect();
    while b.len() < n {
        b.push((r.range(-1.0, 1.0) * 2f64.powi((r.next() % 48) as i32 - 30)) as f32);
    }
    let c: Vec<u32> = u32s(5, n)
        .iter()
        .enumerate()
        .map(|(i, v)| v >> (i % 24))
        .collect();
    let mut want: Vec<u32> = Vec::new();
    for i in 0..n {
        let (x, y, z) = (f16_value(a[i]) as f32, b[i], c[i]);
        let clamped = if x > -30000.0 { x } else { -30000.0 };
        let clamped = f16_value(f16_round(f64::from(clamped.min(30000.0))));
        let half = |v: f64| u32::from(f16_round(v));
        want.extend([
            x.to_bits(),
            half(f64::from(y)),
            half(f64::from(z as i16)),
            half(f64::from(z as u16)),
            half(f64::from(z as i32)),
            i32::from(clamped as i16) as u32,
            u32::from(clamped.abs() as u16),
            (x * 2.0 + f16_value(f16_round(f64::from(y))) as f32).to_bits(),
        ]);
    }
    let bits = Kind::Bits;
    let kinds = [F32, F16, bits, bits, bits, bits, bits, F32];
    each(builds("half"), |build| {
        let launch = build
            .launch("f16_convert")
            .grid([4, 1, 1])
            .block([64, 1, 1]);
        let out = launch
            .buffer(&a)
            .buffer(&b)
            .buffer(&c)
            .output::<u32>(n * 8)
            .run()?;
        rows("f16_convert", &kinds, &out.get::<u32>(3), &want)
    });
}

#[test]
fn packed_halves_round_correctly() {
    let n = 256;
    let (a, b) = halves(6, n * 2);
    let (c, _) = halves(7, n * 2);
    let neg = |v: u16| v ^ 0x8000;
    let add = |a: u16, b: u16| binary(a, b, |x, y| x + y);
    let mul = |a: u16, b: u16| binary(a, b, |x, y| x * y);
    let mut want = Vec::new();
    for i in (0..2 * n).step_by(2) {
        let ([a0, a1], [b0, b1], [c0, c1]) = ([a[i], a[i + 1]], [b[i], b[i + 1]], [c[i], c[i + 1]]);
        want.extend([add(a0, b0), add(a1, b1)]);
        want.extend([mul(a0, b0), mul(a1, b1)]);
        want.extend([fma(a0, b0, c0), fma(a1, b1, c1)]);
        want.extend([add(a1, b0), add(a0, b1)]);
        want.extend([mul(a0, b1), mul(a1, b1)]);
        want.extend([fma(neg(a0), b1, c0), fma(neg(a1), b0, c1)]);
        want.extend([add(a0, neg(b0)), add(a1, neg(b1))]);
    }
    each(builds("half"), |build| {
        let launch = build.launch("packed_f16").grid([4, 1, 1]).block([64, 1, 1]);
        let out = launch
            .buffer(&a)
            .buffer(&b)
            .buffer(&c)
            .output::<u16>(n * 14)
            .run()?;
        rows("packed_f16", &[F16; 14], &out.get::<u16>(3), &want)
    });
}

const I16_EDGES: [u16; 10] = [0, 1, 2, 15, 0x7fff, 0x8000, 0x8001, 0xffff, 0xfff0, 0x100];

fn shorts(seed: u64, n: usize) -> (Vec<u16>, Vec<u16>) {
    let mut r = Xorshift::new(seed);
    pairs(&I16_EDGES, n, || (r.next() >> 40) as u16)
}

#[test]
fn packed_integers_agree() {
    let n = 256;
    let (a, b) = shorts(8, 2 * n);
    let mut want = Vec::new();
    for i in (0..2 * n).step_by(2) {
        let each = |f: &dyn Fn(u16, u16) -> u16| [f(a[i], b[i]), f(a[i + 1], b[i + 1])];
        want.extend(each(&|a, b| a.wrapping_add(b)));
        want.extend(each(&|a, b| a.wrapping_sub(b)));
        want.extend(each(&|a, b| a.wrapping_mul(b)));
        want.extend(each(&|a, b| a << (b & 15)));
        want.extend(each(&|a, b| a >> (b & 15)));
        want.extend(each(&|a, b| ((a as i16) >> (b & 15)) as u16));
        want.extend(each(&|a, b| a.min(b)));
        want.extend(each(&|a, b| a.max(b)));
        want.extend(each(&|a, b| (a as i16).min(b as i16) as u16));
        want.extend(each(&|a, b| (a as i16).max(b as i16) as u16));
        want.extend(each(&|a, b| a.saturating_add(b)));
        want.extend([
            a[i].wrapping_mul(b[i + 1]).wrapping_add(a[i]),
            a[i + 1].wrapping_mul(b[i]).wrapping_add(a[i + 1]),
        ]);
    }
    each(builds("half"), |build| {
        let launch = build.launch("packed_i16").grid([4, 1, 1]).block([64, 1, 1]);
        let out = launch.buffer(&a).buffer(&b).output::<u16>(n * 24).run()?;
        exact("packed_i16", 24, &out.get::<u16>(2), &want)
    });
}

#[test]
fn integers_of_16_bits_agree() {
    let n = 256;
    let (a, b) = shorts(9, n);
    let mut want = Vec::new();
    for (&a, &b) in a.iter().zip(&b) {
        let d = b.max(1);
        let (sa, sd) = (i32::from(a as i16), i32::from(d as i16));
        want.extend([
            a.wrapping_add(b),
            a.wrapping_sub(b),
            a.wrapping_mul(b),
            a / d,
            a % d,
            (sa / sd) as u16,
            (sa % sd) as u16,
            a << (b & 15),
            ((a as i16) >> (b & 15)) as u16,
            a.min(b),
            (a as i16).max(b as i16) as u16,
            a.wrapping_mul(b).wrapping_add(d),
        ]);
    }
    each(builds("half"), |build| {
        let launch = build.launch("i16_ops").grid([4, 1, 1]).block([64, 1, 1]);
        let out = launch.buffer(&a).buffer(&b).output::<u16>(n * 12).run()?;
        exact("i16_ops", 12, &out.get::<u16>(2), &want)
    });
}
