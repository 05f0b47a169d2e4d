//! Triton's kernels (`tests/kernels/triton/`), against the same computation in double precision.
//!
//! Each stated tolerance follows from the number formats: sums and products are in single precision, `exp` is the
//! hardware's `exp2` of a product, and attention rounds its weights to the element type before the second product.

use crate::compare::{exact, f16_round, f16_value, near};
use crate::harness::{Build, builds_of, each};
use crate::input::{f32s_in, f64s_in};

const TARGETS: [&str; 6] = [
    "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250",
];

/// What Triton adds behind a kernel's arguments: memory that some kernels share or profile with, none of these.
const NO_SCRATCH: u64 = 0;

/// Where lanes that are masked store to LDS on gfx1250: outside of it, so that nothing is written.
const NO_LDS: u64 = 0x7fff_ffff;

fn triton(kernel: &str) -> Vec<Build> {
    builds_of("triton", &[kernel], &TARGETS)
}

/// Bytes of LDS, which Triton leaves to the launch.
fn lds(build: &Build) -> u32 {
    let wanted = format!(
        "{} {} ",
        build.name.trim_start_matches("triton."),
        build.target
    );
    include_str!("../../../../tests/kernels/built/triton.lds.txt")
        .lines()
        .find_map(|line| line.strip_prefix(&wanted))
        .and_then(|bytes| bytes.parse().ok())
        .expect("each kernel and target has a line")
}

/// Four waves, as the kernels are compiled.
fn block(build: &Build) -> [u32; 3] {
    [4 * build.wave, 1, 1]
}

fn doubles(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&v| f64::from(v)).collect()
}

/// Numbers of an element type: their bits and their values. Lanes of gfx1250 that are masked load what lies
/// behind a matrix where a tile reaches over its end, and drop it: the bits have room for that.
fn elements(kernel: &str, values: &[f64]) -> (Vec<u16>, Vec<f64>) {
    let brain = kernel.ends_with("bf16");
    let one = |&v: &f64| {
        if brain {
            let bits = (v as f32).to_bits() >> 16;
            (bits as u16, f64::from(f32::from_bits(bits << 16)))
        } else {
            (f16_round(v), f16_value(f16_round(v)))
        }
    };
    let (mut bits, values): (Vec<u16>, _) = values.iter().map(one).unzip();
    bits.resize(bits.len() + 0x4000, 0x7fff);
    (bits, values)
}

#[test]
fn softmax_of_rows_of_any_width() {
    for width in [1usize, 500, 1024] {
        let rows = 3;
        let x = f32s_in(1, rows * width, -10.0, 10.0);
        let mut want = Vec::new();
        for row in x.chunks(width) {
            let top = row.iter().fold(f32::NEG_INFINITY, |m, &v| m.max(v));
            let e: Vec<f64> = row
                .iter()
                .map(|&v| (f64::from(v) - f64::from(top)).exp())
                .collect();
            let sum: f64 = e.iter().sum();
            want.extend(e.iter().map(|v| v / sum));
        }
        each(triton("softmax"), |build| {
            let out = build
                .launch("softmax")
                .dynamic_lds(lds(build))
                .masked_store(NO_LDS)
                .grid([rows as u32, 1, 1])
                .block(block(build))
                .output::<f32>(rows * width)
                .buffer(&x)
                .arg(width as u32)
                .arg(NO_SCRATCH)
                .arg(NO_SCRATCH)
                .run()?;
            // The difference, times log2(e), is up to 29: two roundings of it are 2^-19 of the power.
            near("softmax", width, &doubles(&out.get(0)), &want, |_, _, w| {
                w * 2f64.powi(-18)
            })
        });
    }
}

#[test]
fn layer_norm_of_rows_of_any_width() {
    for width in [200usize, 600] {
        let rows = 3;
        let x = f32s_in(2, rows * width, -3.0, 5.0);
        let (weight, bias) = (f32s_in(3, width, 0.5, 1.5), f32s_in(4, width, -1.0, 1.0));
        let mut want = Vec::new();
        for row in x.chunks(width) {
            let row = doubles(row);
            let mean = row.iter().sum::<f64>() / width as f64;
            let variance = row.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / width as f64;
            let scale = 1.0 / (variance + f64::from(1e-5f32)).sqrt();
            for (i, v) in row.iter().enumerate() {
                want.push((v - mean) * scale * f64::from(weight[i]) + f64::from(bias[i]));
            }
        }
        each(triton("layer_norm"), |build| {
            let out = build
                .launch("layer_norm")
                .dynamic_lds(lds(build))
                .masked_store(NO_LDS)
                .grid([rows as u32, 1, 1])
                .block(block(build))
                .output::<f32>(rows * width)
                .buffer(&x)
                .buffer(&weight)
                .buffer(&bias)
                .arg(width as u32)
                .arg(1e-5f32)
                .arg(NO_SCRATCH)
                .arg(NO_SCRATCH)
                .run()?;
            // Results are up to 4; the sums of up to 600 values lose four bits at most.
            near(
                "layer_norm",
                width,
                &doubles(&out.get(0)),
                &want,
                |_, _, _| 2f64.powi(-18),
            )
        });
    }
}

/// Sides that tiles of 64 x 64 x 32 do not divide.
const M: usize = 80;
const N: usize = 112;
const K: usize = 80;

fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut c = Vec::new();
    for i in 0..M {
        for j in 0..N {
            c.push((0..K).map(|k| a[i * K + k] * b[k * N + j]).sum());
        }
    }
    c
}

fn run_product(build: &Build, a: &[u16], b: &[u16]) -> Result<Vec<f32>, String> {
    let out = build
        .launch("matmul")
        .dynamic_lds(lds(build))
        .masked_store(NO_LDS)
        .grid([M.div_ceil(64) as u32, N.div_ceil(64) as u32, 1])
        .block(block(build))
        .buffer(a)
        .buffer(b)
        .output::<f32>(M * N)
        .arg(M as u32)
        .arg(N as u32)
        .arg(K as u32)
        .arg(NO_SCRATCH)
        .arg(NO_SCRATCH)
        .run()?;
    Ok(out.get(2))
}

#[test]
pub(crate) fn products_of_small_integers_are_exact() {
    let whole = |seed, n| -> Vec<f64> {
        let values = f64s_in(seed, n, -8.0, 9.0);
        values.iter().map(|v| v.floor()).collect()
    };
    for kernel in ["matmul_f16", "matmul_bf16"] {
        let (a, x) = elements(kernel, &whole(5, M * K));
        let (b, y) = elements(kernel, &whole(6, K * N));
        let want: Vec<f32> = product(&x, &y).iter().map(|&v| v as f32).collect();
        each(triton(kernel), |build| {
            exact(kernel, N, &run_product(build, &a, &b)?, &want)
        });
    }
}

#[test]
fn products_of_fractions_stay_within_the_bound_of_single_precision_sums() {
    for kernel in ["matmul_f16", "matmul_bf16"] {
        let (a, x) = elements(kernel, &f64s_in(7, M * K, -2.0, 2.0));
        let (b, y) = elements(kernel, &f64s_in(8, K * N, -2.0, 2.0));
        let want = product(&x, &y);
        let size = |v: &[f64]| v.iter().map(|v| v.abs()).collect::<Vec<f64>>();
        let bound = product(&size(&x), &size(&y));
        each(triton(kernel), |build| {
            let got = doubles(&run_product(build, &a, &b)?);
            near(kernel, N, &got, &want, |item, column, _| {
                K as f64 * 2f64.powi(-24) * bound[item * N + column]
            })
        });
    }
}

/// Keys, two heads of 64 values each; blocks of 64 queries and 32 keys do not divide it.
const LENGTH: usize = 112;
const HEADS: usize = 2;
const D: usize = 64;

fn attention(q: &[f64], k: &[f64], v: &[f64], scale: f64, causal: bool) -> Vec<f64> {
    let mut out = Vec::new();
    for head in 0..HEADS {
        let of = |x: &[f64], i: usize| x[(head * LENGTH + i) * D..][..D].to_vec();
        for i in 0..LENGTH {
            let query = of(q, i);
            let keys = if causal { i + 1 } else { LENGTH };
            let weights: Vec<f64> = (0..keys)
                .map(|j| {
                    let dot: f64 = query.iter().zip(of(k, j)).map(|(a, b)| a * b).sum();
                    (scale * dot).exp()
                })
                .collect();
            let sum: f64 = weights.iter().sum();
            let mut row = vec![0.0; D];
            for (j, w) in weights.iter().enumerate() {
                for (r, x) in row.iter_mut().zip(of(v, j)) {
                    *r += w / sum * x;
                }
            }
            out.extend(row);
        }
    }
    out
}

#[test]
pub(crate) fn attention_agrees_with_softmax_of_all_scores() {
    let n = HEADS * LENGTH * D;
    for (kernel, causal) in [("attention_f16", false), ("attention_causal_bf16", true)] {
        let (q, x) = elements(kernel, &f64s_in(9, n, -2.0, 2.0));
        let (k, y) = elements(kernel, &f64s_in(10, n, -2.0, 2.0));
        let (v, z) = elements(kernel, &f64s_in(11, n, -1.0, 1.0));
        let want = attention(&x, &y, &z, 0.125, causal);
        each(triton(kernel), |build| {
            let out = build
                .launch("attention")
                .dynamic_lds(lds(build))
                .masked_store(NO_LDS)
                .grid([LENGTH.div_ceil(64) as u32, HEADS as u32, 1])
                .block(block(build))
                .buffer(&q)
                .buffer(&k)
                .buffer(&v)
                .output::<f32>(n)
                .arg(LENGTH as u32)
                .arg(0.125f32)
                .arg(NO_SCRATCH)
                .arg(NO_SCRATCH)
                .run()?;
            // A weight is rounded once: half a unit in the last place, and values are up to 1. The sum of the
            // weights is of those before rounding. The rest is single precision.
            let unit = if causal {
                2f64.powi(-9)
            } else {
                2f64.powi(-12)
            };
            near(kernel, D, &doubles(&out.get(3)), &want, |_, _, _| {
                unit + 2f64.powi(-18)
            })
        });
    }
}
