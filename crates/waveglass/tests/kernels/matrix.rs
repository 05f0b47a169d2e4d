//! Matrix products through matrix instructions, against the plain product.
//!
//! Integers and small floats are chosen so that every sum is exact in single precision, whatever its order. Random halves
//! are compared within the bound that any order of single-precision fused multiply-adds keeps.

use crate::compare::{exact, f16_round, f16_value, near};
use crate::harness::{Build, Plain, builds_of, each};
use crate::input::{Xorshift, bytes, f32s_in};

const TARGETS: [&str; 7] = [
    "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250",
];
const FP8_TARGETS: [&str; 4] = ["gfx942", "gfx950", "gfx1201", "gfx1250"];

/// C is 64 x 64; K is two steps of the longest instruction.
const N: usize = 64;
const K: usize = 256;

fn products(targets: &[&'static str]) -> Vec<Build> {
    builds_of("matrix", &["O0", "O3"], targets)
}

/// A * B of values, with B by columns.
fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut c = Vec::with_capacity(N * N);
    for i in 0..N {
        for j in 0..N {
            c.push((0..K).map(|k| a[i * K + k] * b[j * K + k]).sum());
        }
    }
    c
}

/// Runs a kernel whose waves make tiles of `tile` rows.
fn run<T: Plain, R: Plain>(
    build: &Build,
    kernel: &str,
    tile: u32,
    a: &[T],
    b: &[T],
) -> Result<Vec<R>, String> {
    let out = build
        .launch(kernel)
        .grid([N as u32 / tile, N as u32 / tile, 1])
        .block([build.wave, 1, 1])
        .buffer(a)
        .buffer(b)
        .output::<R>(N * N)
        .arg(N as u32)
        .arg(K as u32)
        .run()?;
    Ok(out.get::<R>(2))
}

/// Integers from -4 to 4.
fn small(seed: u64) -> Vec<f64> {
    let mut r = Xorshift::new(seed);
    (0..N * K)
        .map(|_| (r.next() >> 33) as f64 % 9.0 - 4.0)
        .collect()
}

fn singles(want: &[f64]) -> Vec<f32> {
    want.iter().map(|&x| x as f32).collect()
}

#[test]
fn integer_valued_products_are_exact_in_every_float_format() {
    let (a, b) = (small(1), small(2));
    let want = singles(&product(&a, &b));
    let halves = |v: &[f64]| v.iter().map(|&x| f16_round(x)).collect::<Vec<u16>>();
    let brains = |v: &[f64]| {
        v.iter()
            .map(|&x| ((x as f32).to_bits() >> 16) as u16)
            .collect::<Vec<u16>>()
    };
    each(products(&TARGETS), |build| {
        let got = run::<u16, f32>(build, "product_f16", 32, &halves(&a), &halves(&b))?;
        exact("product_f16", N, &got, &want)?;
        let got = run::<u16, f32>(build, "product_bf16", 32, &brains(&a), &brains(&b))?;
        exact("product_bf16", N, &got, &want)
    });
    each(
        products(&["gfx908", "gfx90a", "gfx942", "gfx950", "gfx1250"]),
        |build| {
            let got = run::<f32, f32>(build, "product_f32", 32, &singles(&a), &singles(&b))?;
            exact("product_f32", N, &got, &want)
        },
    );
}

#[test]
fn random_halves_stay_within_the_bound_of_single_precision_sums() {
    let halves = |seed| -> Vec<u16> {
        f32s_in(seed, N * K, -2.0, 2.0)
            .iter()
            .map(|&x| f16_round(x as f64))
            .collect()
    };
    let (a, b) = (halves(3), halves(4));
    let values = |v: &[u16]| v.iter().map(|&x| f16_value(x)).collect::<Vec<f64>>();
    let (x, y) = (values(&a), values(&b));
    let want = product(&x, &y);
    let magnitude = |v: &[f64]| v.iter().map(|x| x.abs()).collect::<Vec<f64>>();
    let size = product(&magnitude(&x), &magnitude(&y));
    each(products(&TARGETS), |build| {
        let got: Vec<f64> = run::<u16, f32>(build, "product_f16", 32, &a, &b)?
            .iter()
            .map(|&x| x as f64)
            .collect();
        near("product_f16", N, &got, &want, |item, column, _| {
            K as f64 * 2f64.powi(-24) * size[item * N + column]
        })
    });
}

#[test]
fn bytes_multiply_as_signed_integers() {
    let (a, b) = (bytes(5, N * K), bytes(6, N * K));
    let signed = |v: &[u8]| v.iter().map(|&x| x as i8 as f64).collect::<Vec<f64>>();
    let want: Vec<u32> = product(&signed(&a), &signed(&b))
        .iter()
        .map(|&x| x as i32 as u32)
        .collect();
    each(products(&TARGETS), |build| {
        let got = run::<u8, u32>(build, "product_i8", 32, &a, &b)?;
        exact("product_i8", N, &got, &want)
    });
}

/// E4M3 codes from 0.25 to 3.75 of either sign and their values, with bias 8 on gfx942 and 7 elsewhere.
fn fp8(seed: u64, bias: i32) -> (Vec<u8>, Vec<f64>) {
    bytes(seed, N * K)
        .iter()
        .map(|&x| {
            let (exponent, fraction) = ((x >> 3) as i32 % 4 + bias - 2, x & 7);
            let value = 2f64.powi(exponent - bias) * (1.0 + fraction as f64 / 8.0);
            let code = x & 0x80 | (exponent as u8) << 3 | fraction;
            (code, if x & 0x80 != 0 { -value } else { value })
        })
        .unzip()
}

#[test]
fn fp8_products_follow_the_targets_bias() {
    each(products(&FP8_TARGETS), |build| {
        let bias = if build.target == "gfx942" { 8 } else { 7 };
        let ((a, x), (b, y)) = (fp8(7, bias), fp8(8, bias));
        let got = run::<u8, f32>(build, "product_fp8", 32, &a, &b)?;
        exact("product_fp8", N, &got, &singles(&product(&x, &y)))
    });
}

#[test]
fn block_scales_multiply_the_product() {
    let ((a, x), (b, y)) = (fp8(9, 7), fp8(10, 7));
    // 2^1 for A and 2^-2 for B.
    let want: Vec<f32> = product(&x, &y).iter().map(|&x| x as f32 / 2.0).collect();
    each(products(&["gfx950"]), |build| {
        let got = run::<u8, f32>(build, "product_scaled", 16, &a, &b)?;
        exact("product_scaled", N, &got, &want)
    });
}
