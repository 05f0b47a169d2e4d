//! The fast Fourier transform, bit for bit against the same butterflies by recursion, and against the
//! definition in double precision.

use crate::compare::{exact, near};
use crate::harness::{builds, each};
use crate::input::f32s_in;
use std::f64::consts::PI;

const POINTS: usize = 1024;

type Complex = [f32; 2];

fn roots() -> Vec<Complex> {
    (0..POINTS)
        .map(|k| {
            let angle = -2.0 * PI * k as f64 / POINTS as f64;
            [angle.cos() as f32, angle.sin() as f32]
        })
        .collect()
}

fn add(a: Complex, b: Complex) -> Complex {
    [a[0] + b[0], a[1] + b[1]]
}

fn sub(a: Complex, b: Complex) -> Complex {
    [a[0] - b[0], a[1] - b[1]]
}

fn mul(a: Complex, b: Complex) -> Complex {
    [
        a[0].mul_add(b[0], -(a[1] * b[1])),
        a[0].mul_add(b[1], a[1] * b[0]),
    ]
}

/// Decimation in time by four: the transforms of every fourth point, combined. Stockham's form does
/// the same butterflies in another order.
fn transform(x: &[Complex], roots: &[Complex], inverse: bool) -> Vec<Complex> {
    let n = x.len();
    if n == 1 {
        return x.to_vec();
    }
    let parts: Vec<Vec<Complex>> = (0..4)
        .map(|r| {
            let every_fourth: Vec<Complex> = x.iter().skip(r).step_by(4).copied().collect();
            transform(&every_fourth, roots, inverse)
        })
        .collect();
    let mut out = vec![[0.0; 2]; n];
    for k in 0..n / 4 {
        let v: Vec<Complex> = (0..4)
            .map(|r| {
                let mut w = roots[r * k * (POINTS / n)];
                if inverse {
                    w[1] = -w[1];
                }
                if r == 0 {
                    parts[0][k]
                } else {
                    mul(parts[r][k], w)
                }
            })
            .collect();
        let (a, b) = (add(v[0], v[2]), sub(v[0], v[2]));
        let (c, d) = (add(v[1], v[3]), sub(v[1], v[3]));
        let e = if inverse {
            [-d[1], d[0]]
        } else {
            [d[1], -d[0]]
        };
        out[k] = add(a, c);
        out[k + n / 4] = add(b, e);
        out[k + n / 2] = sub(a, c);
        out[k + 3 * n / 4] = sub(b, e);
    }
    out
}

/// The definition, in double precision.
fn definition(x: &[Complex], sign: f64) -> Vec<f64> {
    let turns: Vec<(f64, f64)> = (0..POINTS)
        .map(|k| {
            let angle = sign * 2.0 * PI * k as f64 / POINTS as f64;
            (angle.cos(), angle.sin())
        })
        .collect();
    (0..POINTS)
        .flat_map(|k| {
            let (mut re, mut im) = (0.0, 0.0);
            for (i, v) in x.iter().enumerate() {
                let (c, s) = turns[i * k % POINTS];
                let (a, b) = (f64::from(v[0]), f64::from(v[1]));
                re += a * c - b * s;
                im += a * s + b * c;
            }
            [re, im]
        })
        .collect()
}

#[test]
fn transforms_either_way_agree_bit_for_bit_and_with_the_definition() {
    let roots = roots();
    let x: Vec<Complex> = f32s_in(1, 4 * POINTS, -1.0, 1.0)
        .chunks(2)
        .map(|c| [c[0], c[1]])
        .collect();
    let flat = |v: &[Complex]| v.iter().flatten().copied().collect::<Vec<f32>>();
    let mut cases = Vec::new();
    for (kernel, inverse) in [("fft_1024", false), ("inverse_fft_1024", true)] {
        let both: Vec<Complex> = x
            .chunks(POINTS)
            .flat_map(|one| transform(one, &roots, inverse))
            .collect();
        let sign = if inverse { 1.0 } else { -1.0 };
        let defined: Vec<f64> = x
            .chunks(POINTS)
            .flat_map(|one| definition(one, sign))
            .collect();
        cases.push((kernel, flat(&both), defined));
    }
    each(builds("fft"), |build| {
        for (kernel, want, defined) in &cases {
            let out = build
                .launch(kernel)
                .grid([2, 1, 1])
                .block([256, 1, 1])
                .buffer(&flat(&x))
                .output::<f32>(4 * POINTS)
                .buffer(&flat(&roots))
                .run()?
                .get::<f32>(1);
            exact(kernel, 2, &out, want)?;
            let values: Vec<f64> = out.iter().map(|&v| f64::from(v)).collect();
            // Ten roundings of values up to the norm of the input, about 26.
            near(kernel, 2, &values, defined, |_, _, _| 2e-5)?;
        }
        Ok(())
    });
}
