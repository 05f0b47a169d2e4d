//! Functions whose low bits the manual leaves open. Bounds, by column, with their reasons:
//!
//! * bare f32 and f16 instructions: 1 ULP, the accuracy that the manuals state for rcp, rsq, sqrt, exp and log; for sin and cos,
//!   which have no stated bound, 1 ULP too, since a correctly rounded result is what Waveglass promises;
//! * bare f64 rcp, rsq and sqrt: 2^29 ULP, as the manuals state (they are seeds for refinement);
//! * the compiler's exp2 and log2: 2 ULP (the instruction, and a scaling for denormals); exp, log and log10: 3 ULP (OpenCL's
//!   bound for them, which the expansion by a split constant meets);
//! * the compiler's sin and cos: an absolute error that grows with the argument, since the argument is multiplied by a rounded
//!   1/2pi before it is reduced.
//!
//! Denormal operands and results are left out for the bare instructions, which may flush them.

use std::f64::consts::PI;

use crate::compare::{F32, exact, f16_round, f16_value, near, rows, ulp};
use crate::harness::{builds, each};
use crate::input::{Xorshift, f32s_in, f64s_in};

fn ulp32(x: f64) -> f64 {
    ulp(x, 24, -126)
}

/// Of a turn, so that whole and half turns give what they should.
fn sin_turns(x: f64) -> f64 {
    let r = x - x.round_ties_even();
    if r.abs() == 0.5 {
        0.0
    } else {
        (2.0 * PI * r).sin()
    }
}

fn cos_turns(x: f64) -> f64 {
    let r = (x - x.round_ties_even()).abs();
    if r == 0.25 { 0.0 } else { (2.0 * PI * r).cos() }
}

/// Both signs, exponents from -60 to 60.
fn spread(seed: u64, n: usize) -> Vec<f32> {
    let mut r = Xorshift::new(seed);
    (0..n)
        .map(|_| (r.range(-2.0, 2.0) * 2f64.powi((r.next() % 121) as i32 - 60)) as f32)
        .collect()
}

/// Results past the largest f32 are infinite.
fn overflow(w: f64) -> f64 {
    if w.abs() > f64::from(f32::MAX) {
        w * f64::INFINITY
    } else {
        w
    }
}

fn widen(values: &[f32]) -> Vec<f64> {
    values.iter().map(|v| f64::from(*v)).collect()
}

#[test]
fn f32_instructions_keep_their_accuracy() {
    let mut x = vec![
        0.0,
        1.0,
        -1.0,
        2.0,
        0.5,
        0.25,
        0.75,
        4.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        -7.5,
    ];
    x.extend(f32s_in(1, 116, -100.0, 100.0));
    x.extend(f32s_in(2, 64, 0.9, 1.1));
    x.extend(spread(3, 64));
    let n = x.len();
    let want: Vec<f64> = widen(&x)
        .iter()
        .flat_map(|&x| {
            [
                1.0 / x,
                1.0 / x.sqrt(),
                x.sqrt(),
                x.exp2(),
                x.log2(),
                sin_turns(x),
                cos_turns(x),
                if !x.is_finite() {
                    f64::NAN
                } else {
                    f64::from((x - x.floor()) as f32).min(f64::from(1.0f32.next_down()))
                },
                x.clamp(0.25, 2.0),
            ]
        })
        .map(overflow)
        .collect();
    each(builds("transcendental"), |build| {
        let launch = build
            .launch("hardware_f32")
            .grid([1, 1, 1])
            .block([n as u32, 1, 1]);
        let out = launch.buffer(&x).output::<f32>(n * 9).run()?;
        near(
            "hardware_f32",
            9,
            &widen(&out.get::<f32>(1)),
            &want,
            |item, column, w| match column {
                // Fractions and infinities: the manuals differ on what an infinite operand gives.
                7 if x[item].is_infinite() => f64::INFINITY,
                7 => 0.0,
                // The range of sin and cos is 256 turns.
                5 | 6 if x[item].abs() > 256.0 => f64::INFINITY,
                8 if x[item].is_nan() => f64::INFINITY,
                8 => 0.0,
                // Flushed results.
                _ if w.abs() < 2f64.powi(-126) => 2f64.powi(-126),
                _ => ulp32(w),
            },
        )
    });
}

#[test]
fn f64_seeds_keep_their_accuracy() {
    let mut x = vec![1.0, 2.0, 4.0, 0.25, 1e300, 1e-300];
    x.extend(f64s_in(4, 122, 0.001, 1000.0));
    let n = x.len();
    let want: Vec<f64> = x
        .iter()
        .flat_map(|x| [1.0 / x, 1.0 / x.sqrt(), x.sqrt(), x - x.floor()])
        .collect();
    each(builds("transcendental"), |build| {
        let launch = build
            .launch("hardware_f64")
            .grid([1, 1, 1])
            .block([n as u32, 1, 1]);
        let out = launch.buffer(&x).output::<f64>(n * 4).run()?;
        near(
            "hardware_f64",
            4,
            &out.get::<f64>(1),
            &want,
            |_, column, w| {
                if column == 3 {
                    0.0
                } else {
                    ulp(w, 53, -1022) * 2f64.powi(29)
                }
            },
        )
    });
}

#[test]
fn f16_instructions_keep_their_accuracy() {
    let mut r = Xorshift::new(5);
    let x: Vec<u16> = (0..128)
        .map(|_| f16_round(2f64.powi((r.next() % 16) as i32 - 8) * r.range(1.0, 2.0)))
        .collect();
    let want: Vec<f64> = x
        .iter()
        .map(|v| f16_value(*v))
        .flat_map(|x| {
            [
                1.0 / x,
                1.0 / x.sqrt(),
                x.sqrt(),
                sin_turns(x),
                cos_turns(x),
            ]
        })
        .collect();
    each(builds("transcendental"), |build| {
        let launch = build
            .launch("hardware_f16")
            .grid([2, 1, 1])
            .block([64, 1, 1]);
        let out = launch.buffer(&x).output::<u16>(128 * 5).run()?;
        let got: Vec<f64> = out.get::<u16>(1).iter().map(|v| f16_value(*v)).collect();
        near("hardware_f16", 5, &got, &want, |_, _, w| ulp(w, 11, -14))
    });
}

#[test]
fn compiled_functions_keep_their_accuracy() {
    let mut x = vec![
        0.0,
        1.0,
        -1.0,
        0.5,
        f32::INFINITY,
        f32::NAN,
        1e-40,
        3e-45,
        127.9,
        -126.5,
        -140.25,
        -149.0,
    ];
    x.extend(f32s_in(6, 100, -80.0, 80.0));
    x.extend(f32s_in(7, 80, 0.5, 2.0));
    x.extend(spread(8, 64));
    let n = x.len();
    let want: Vec<f64> = widen(&x)
        .iter()
        .flat_map(|x| {
            [
                x.exp2(),
                x.log2(),
                x.exp(),
                x.ln(),
                x.log10(),
                x.sin(),
                x.cos(),
                x.sqrt(),
            ]
        })
        .map(|w| {
            if w.abs() > f64::from(f32::MAX) {
                w * f64::INFINITY
            } else {
                w
            }
        })
        .collect();
    each(builds("transcendental"), |build| {
        let launch = build
            .launch("library_f32")
            .grid([1, 1, 1])
            .block([n as u32, 1, 1]);
        let out = launch.buffer(&x).output::<f32>(n * 8).run()?;
        let got = out.get::<f32>(1);
        near(
            "library_f32",
            8,
            &widen(&got),
            &want,
            |item, column, w| match column {
                0 | 1 => 2.0 * ulp32(w),
                5 | 6 if x[item].abs() > 100.0 => f64::INFINITY,
                5 | 6 => (f64::from(x[item]).abs() + 1.0) * 2f64.powi(-22),
                7 => ulp32(w),
                _ => 3.0 * ulp32(w),
            },
        )?;
        // The square root is correctly rounded besides.
        let roots: Vec<f32> = got.iter().skip(7).step_by(8).copied().collect();
        rows(
            "library_f32 sqrt",
            &[F32],
            &roots,
            &x.iter().map(|v| v.sqrt()).collect::<Vec<_>>(),
        )
    });
}

#[test]
fn turns_of_whole_numbers_are_exact_on_the_host() {
    let got = [
        sin_turns(0.5),
        sin_turns(-3.0),
        cos_turns(0.25),
        cos_turns(0.5),
        sin_turns(0.75),
    ];
    exact(
        "turns",
        1,
        &got.map(|v| v + 0.0),
        &[0.0, 0.0, 0.0, -1.0, -1.0],
    )
    .expect("exact");
}
