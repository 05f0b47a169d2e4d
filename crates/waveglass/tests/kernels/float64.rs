//! Double precision, bit for bit.

use crate::compare::{F64, Kind, exact, ldexp, rows};
use crate::harness::{builds, each};
use crate::input::{F64_EDGES, U32_EDGES, U64_EDGES, Xorshift, f64s_in, pairs, u32s, u64s};

fn doubles(seed: u64, n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut r = Xorshift::new(seed);
    let edges = F64_EDGES.map(f64::from_bits);
    pairs(&edges, n, || {
        let v = r.next();
        let v = if r.next() & 1 == 0 {
            0x3fe0_0000_0000_0000 | (v & 0x801f_ffff_ffff_ffff)
        } else {
            v
        };
        let v = f64::from_bits(v);
        if v.is_nan() { f64::NEG_INFINITY } else { v }
    })
}

#[test]
fn arithmetic_rounds_correctly() {
    let n = 512;
    let (a, b) = doubles(1, n);
    let (_, c) = doubles(2, n);
    let mut kinds = [F64; 16];
    kinds[6] = Kind::FloatAnyZero(64);
    kinds[7] = Kind::FloatAnyZero(64);
    let mut want: Vec<f64> = Vec::new();
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
            a.copysign(b),
            ldexp(a, (c.to_bits() >> 52) as i32 - 1023),
            1.0 / a,
        ]);
    }
    each(builds("float64"), |build| {
        let launch = build.launch("f64_ops").grid([4, 1, 1]).block([128, 1, 1]);
        let out = launch
            .buffer(&a)
            .buffer(&b)
            .buffer(&c)
            .output::<f64>(n * 16)
            .run()?;
        rows("f64_ops", &kinds, &out.get::<f64>(3), &want)
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
        2147483647.9,
        -2147483648.0,
        1.5,
        -1.999999999,
        1e-310,
    ];
    a.extend(f64s_in(3, n - a.len(), -2.1e9, 2.1e9));
    let mut b = U32_EDGES.to_vec();
    b.extend(u32s(4, n - b.len()));
    let mut c = U64_EDGES.to_vec();
    c.extend([
        0x20_0000_0000_0001,
        0x20_0000_0000_0003,
        0xffff_ffff_ffff_fbff,
        0xffff_ffff_ffff_fc00,
    ]);
    c.extend(u64s(5, n - c.len()));
    let mut want: Vec<u64> = Vec::new();
    for i in 0..n {
        let (a, b, c) = (a[i], b[i], c[i]);
        want.extend([
            i64::from(a as i32) as u64,
            u64::from(a.abs() as u32),
            (a * 1048576.0) as i64 as u64,
            (a * 1048576.0).abs() as u64,
            f64::from(b).to_bits(),
            f64::from(b as i32).to_bits(),
            (c as f64).to_bits(),
            (c as i64 as f64).to_bits(),
            u64::from(((a * 1.0e-3) as f32).to_bits()),
        ]);
    }
    each(builds("float64"), |build| {
        let launch = build
            .launch("f64_convert")
            .grid([4, 1, 1])
            .block([64, 1, 1]);
        let out = launch
            .buffer(&a)
            .buffer(&b)
            .buffer(&c)
            .output::<u64>(n * 9)
            .run()?;
        exact("f64_convert", 9, &out.get::<u64>(3), &want)
    });
}

#[test]
fn comparisons_agree() {
    let n = 256;
    let (a, b) = doubles(6, n);
    let mut want: Vec<u32> = Vec::new();
    for (&a, &b) in a.iter().zip(&b) {
        let unordered = a.is_nan() || b.is_nan();
        let bits = [
            a == b,
            a != b,
            a < b,
            a <= b,
            unordered || a <= b,
            unordered || a < b,
            unordered,
            a.is_infinite(),
        ];
        want.push(
            bits.iter()
                .enumerate()
                .map(|(k, v)| u32::from(*v) << k)
                .sum(),
        );
    }
    each(builds("float64"), |build| {
        let launch = build
            .launch("f64_compare")
            .grid([1, 1, 1])
            .block([256, 1, 1]);
        let out = launch.buffer(&a).buffer(&b).output::<u32>(n).run()?;
        exact("f64_compare", 1, &out.get::<u32>(2), &want)
    });
}
