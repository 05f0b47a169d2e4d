//! Single precision. Whatever IEEE 754 fixes is compared bit for bit: division and square root too, which the compiler expands
//! into a correctly rounded sequence.

use crate::compare::{F32, Kind, exact, ldexp, rows};
use crate::harness::{builds, each};
use crate::input::{F32_EDGES, U32_EDGES, U64_EDGES, Xorshift, f32s_in, pairs, u32s, u64s};

const ANY_ZERO: Kind = Kind::FloatAnyZero(32);

/// Any bits; signalling NaNs become infinities.
fn floats(seed: u64, n: usize) -> (Vec<f32>, Vec<f32>) {
    let mut r = Xorshift::new(seed);
    let edges = F32_EDGES.map(f32::from_bits);
    pairs(&edges, n, || {
        let v = f32::from_bits((r.next() >> 32) as u32);
        // Half of the values lie close together, so that sums do more than return one operand.
        let v = if r.next() & 1 == 0 {
            f32::from_bits(0x3f00_0000 | (v.to_bits() & 0x80ff_ffff))
        } else {
            v
        };
        if v.is_nan() { f32::INFINITY } else { v }
    })
}

#[test]
fn arithmetic_rounds_correctly() {
    let n = 768;
    let (a, b) = floats(1, n);
    let (_, c) = floats(2, n);
    let mut kinds = [F32; 20];
    for column in [6, 7, 18] {
        kinds[column] = ANY_ZERO;
    }
    let mut want: Vec<f32> = Vec::new();
    for i in 0..n {
        let (a, b, c) = (a[i], b[i], c[i]);
        want.extend([
            a + b,
            a - b,
            a * b,
            a.mul_add(b, c),
            a / b,
            a.sqrt(),
            a.min(b),
            a.max(b),
            a.floor(),
            a.ceil(),
            a.trunc(),
            a.round_ties_even(),
            (-a).mul_add(b.abs(), -c),
            (a + b) * 2.0,
            (a - b) * 0.5,
            a.copysign(b),
            ldexp(f64::from(a), c.to_bits() as i32 >> 23) as f32,
            -a.abs(),
            a.max(b).min(c).max(a.min(b)),
            1.0 / a,
        ]);
    }
    each(builds("float32"), |build| {
        let launch = build.launch("f32_ops").grid([3, 1, 1]).block([256, 1, 1]);
        let out = launch
            .buffer(&a)
            .buffer(&b)
            .buffer(&c)
            .output::<f32>(n * 20)
            .run()?;
        rows("f32_ops", &kinds, &out.get::<f32>(3), &want)
    });
}

#[test]
fn comparisons_and_classes_agree() {
    let n = 512;
    let (a, b) = floats(3, n);
    let mut want: Vec<u32> = Vec::new();
    for (&a, &b) in a.iter().zip(&b) {
        let unordered = a.is_nan() || b.is_nan();
        let bits = [
            a == b,
            a != b,
            a < b,
            a <= b,
            a > b,
            a >= b,
            unordered || a >= b,
            unordered || a > b,
            unordered || a <= b,
            unordered || a < b,
            unordered,
            !unordered && a.to_bits() != b.to_bits() && !(a == 0.0 && b == 0.0),
            a.is_nan(),
            a.is_infinite(),
            a.is_normal(),
            a.is_subnormal(),
            a.to_bits() == 0x8000_0000,
            a > 0.0 && b > 0.0,
        ];
        let mask = bits
            .iter()
            .enumerate()
            .map(|(k, v)| u32::from(*v) << k)
            .sum();
        // An f32 is a normal f64, whose exponent field gives that of the significand in [0.5, 1).
        let wide = f64::from(a);
        let exponent = if a == 0.0 || !a.is_finite() {
            0
        } else {
            ((wide.to_bits() >> 52) & 0x7ff) as i32 - 1022
        };
        let significand = if a.is_finite() {
            (wide * 2f64.powi(-exponent)) as f32
        } else {
            0.0
        };
        want.extend([mask, exponent as u32, significand.to_bits()]);
    }
    each(builds("float32"), |build| {
        let launch = build
            .launch("f32_compare")
            .grid([4, 1, 1])
            .block([128, 1, 1]);
        let out = launch.buffer(&a).buffer(&b).output::<u32>(n * 3).run()?;
        exact("f32_compare", 3, &out.get::<u32>(2), &want)
    });
}

#[test]
fn conversions_in_range_agree() {
    let n = 256;
    let mut a = vec![
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        2147483520.0,
        -2147483648.0,
        8388607.5,
        16777216.0,
        1e-40,
    ];
    a.extend(f32s_in(4, 100, -2e9, 2e9));
    a.extend(f32s_in(5, n - a.len(), -300.0, 300.0));
    let mut b = U32_EDGES.to_vec();
    b.extend([
        0x0100_0001,
        0x0100_0003,
        0x7fff_ffbf,
        0x7fff_ffc0,
        0xffff_ff7f,
        0xffff_ff80,
    ]);
    b.extend(u32s(6, n - b.len()));
    let mut c = U64_EDGES.to_vec();
    c.extend([
        0x0000_8000_0080_0000,
        0x0000_8000_0080_0001,
        0xffff_ff7f_ffff_ffff,
        0xffff_ff80_0000_0000,
    ]);
    c.extend(
        u64s(7, n - c.len())
            .iter()
            .enumerate()
            .map(|(i, v)| v >> (i % 64)),
    );
    let mut want: Vec<u64> = Vec::new();
    for i in 0..n {
        let (a, b, c) = (a[i], b[i], c[i]);
        let of = |v: f32| u64::from(v.to_bits());
        let byte = |k: usize| f32::from(b.to_le_bytes()[k]);
        want.extend([
            i64::from(a as i32) as u64,
            u64::from(a.abs() as u32),
            (a * 1024.0) as i64 as u64,
            (a * 4096.0).abs() as u64,
            of(b as f32),
            of(b as i32 as f32),
            of(c as f32),
            of(c as i64 as f32),
            f64::from(a).to_bits(),
            of(byte(1)) | of(byte(3)) << 32,
            a.round_ties_even() as i64 as u64,
            of(byte(0) + byte(2)),
        ]);
    }
    each(builds("float32"), |build| {
        let launch = build
            .launch("f32_convert")
            .grid([2, 1, 1])
            .block([128, 1, 1]);
        let out = launch
            .buffer(&a)
            .buffer(&b)
            .buffer(&c)
            .output::<u64>(n * 12)
            .run()?;
        exact("f32_convert", 12, &out.get::<u64>(3), &want)
    });
}

#[test]
fn polynomials_with_literals_agree() {
    let n = 300;
    let (x, _) = floats(8, n);
    let want: Vec<f32> = x
        .iter()
        .map(|&x| {
            [-0.5f32, std::f32::consts::PI, 4.0, -1.0e-20]
                .iter()
                .fold(std::f32::consts::FRAC_1_PI / 2.0, |y, c| y.mul_add(x, *c))
        })
        .collect();
    each(builds("float32"), |build| {
        let launch = build
            .launch("f32_polynomial")
            .grid([3, 1, 1])
            .block([100, 1, 1]);
        let out = launch.buffer(&x).output::<f32>(n).run()?;
        rows("f32_polynomial", &[F32], &out.get::<f32>(1), &want)
    });
}
