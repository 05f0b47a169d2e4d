//! Rounding, special values, denormals and overflow.

use super::*;

/// Runs an instruction whose A, B and C hold one bit pattern each, and gives D's first dword.
fn uniform(
    target: Target,
    wave: u32,
    name: &str,
    [a, b, c]: [u32; 3],
    mode: u32,
    fields: &[(Field, u64)],
) -> u32 {
    let mut bench = bench(target, wave);
    bench.wave.mode.0 = mode;
    let d = def(name, target, wave);
    let case = Case::new(
        &mut bench,
        d,
        formats(find(name).expect("a row"), target)[0],
        0,
        0,
    );
    for (base, v) in [(A, a), (B, b), (case.c_base, c)] {
        for r in base..base + 32 {
            bench.set(r, |_| v);
        }
    }
    run(&mut bench, &encode(d, fields), name);
    bench.get(case.d_base, 0)
}

const KEEP: u32 = 0xf0;
const OVFL: u32 = KEEP | 1 << 23;

fn f(x: f32) -> u32 {
    x.to_bits()
}

#[test]
fn sums_start_from_c_and_round_once_a_product() {
    // 16777216 + 1 rounds to even each time: sixteen ones are lost, whichever way they come.
    let name = "v_mfma_f32_16x16x4f32";
    let got = uniform(
        Target::Gfx90a,
        64,
        name,
        [f(1.0), f(1.0), f(16_777_216.0)],
        KEEP,
        &[],
    );
    assert_eq!(f32::from_bits(got), 16_777_216.0);
    // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24. From -1 the four sums are 2^-11 + 2^-24, 1 + 2^-10 + 2^-23,
    // 2 + 3 * 2^-11 + 2^-22 (rounded up from 3 * 2^-24), 3 + 2^-9 + 2^-22. Products rounded on their
    // own would lose the last term.
    let x = 1.0 + 2f32.powi(-12);
    let got = uniform(Target::Gfx90a, 64, name, [f(x), f(x), f(-1.0)], KEEP, &[]);
    assert_eq!(f32::from_bits(got), 3.0 + 2f32.powi(-9) + 2f32.powi(-22));
}

#[test]
fn nan_and_infinity_spread_by_the_rules_of_addition() {
    let name = "v_mfma_f32_16x16x16_f16";
    let one = 0x3c00_3c00;
    let inf = 0x7c00_7c00;
    let run = |a, b, c| uniform(Target::Gfx942, 64, name, [a, b, c], KEEP, &[]);
    assert_eq!(f32::from_bits(run(inf, one, f(1.0))), f32::INFINITY);
    assert_eq!(run(inf, one, f(f32::NEG_INFINITY)), 0x7fc0_0000);
    assert_eq!(run(inf, 0, f(1.0)), 0x7fc0_0000);
    assert_eq!(run(0x7e01_7e01, one, f(1.0)), 0x7fc0_0000);
    assert_eq!(run(one, one, 0xff80_0001), 0x7fc0_0000);
    // Negative zero: -0 + 0 * 1 is +0, -0 + (-0) * 1 is -0.
    assert_eq!(run(0, one, 0x8000_0000), 0);
    assert_eq!(run(0x8000_8000, one, 0x8000_0000), 0x8000_0000);
}

#[test]
fn gfx90a_flushes_denormals_of_halves_and_gfx942_keeps_them() {
    // 16 * 2^-24 * 1.0 = 2^-20.
    let args = [0x0001_0001, 0x3c00_3c00, 0];
    let got = uniform(
        Target::Gfx90a,
        64,
        "v_mfma_f32_16x16x16f16",
        args,
        KEEP,
        &[],
    );
    assert_eq!(got, 0);
    let got = uniform(Target::Gfx942, 64, "v_mfma_f32_16x16x16_f16", args, 0, &[]);
    assert_eq!(f32::from_bits(got), 2f32.powi(-20));
    // C and D: a denormal C with zero products.
    let args = [0, 0, 1];
    let got = uniform(
        Target::Gfx90a,
        64,
        "v_mfma_f32_16x16x16f16",
        args,
        KEEP,
        &[],
    );
    assert_eq!(got, 0);
    let got = uniform(Target::Gfx942, 64, "v_mfma_f32_16x16x16_f16", args, 0, &[]);
    assert_eq!(got, 1);
}

#[test]
fn f32_inputs_follow_mode_and_c_does_not_on_gfx942() {
    let denormal = 0x0040_0000; // 2^-127
    let name = "v_mfma_f32_16x16x4_f32";
    let args = [denormal, f(2.0), 0];
    let run = |args, mode| uniform(Target::Gfx942, 64, name, args, mode, &[]);
    assert_eq!(f32::from_bits(run(args, KEEP)), 2f32.powi(-124));
    assert_eq!(run(args, 0), 0);
    assert_eq!(run([0, 0, denormal], 0), denormal);
    // CDNA2 flushes C as well where MODE says so.
    let name = "v_mfma_f32_16x16x4f32";
    assert_eq!(
        uniform(Target::Gfx90a, 64, name, [0, 0, denormal], 0, &[]),
        0
    );
}

#[test]
fn fp16_ovfl_limits_results_on_gfx942() {
    let name = "v_mfma_f32_16x16x4_f32";
    let big = f(f32::MAX);
    let run = |args, mode| f32::from_bits(uniform(Target::Gfx942, 64, name, args, mode, &[]));
    assert_eq!(run([big, f(2.0), 0], KEEP), f32::INFINITY);
    assert_eq!(run([big, f(2.0), 0], OVFL), f32::MAX);
    assert_eq!(run([big, f(-2.0), 0], OVFL), -f32::MAX);
    // A true infinity stays one.
    assert_eq!(run([f(f32::INFINITY), f(1.0), 0], OVFL), f32::INFINITY);
    let name = "v_mfma_i32_16x16x32_i8";
    let args = [0x7f7f_7f7f, 0x7f7f_7f7f, i32::MAX as u32];
    assert_eq!(
        uniform(Target::Gfx942, 64, name, args, OVFL, &[]),
        i32::MAX as u32
    );
    let wrapped = (i32::MAX as i64 + 32 * 127 * 127) as i32 as u32;
    assert_eq!(uniform(Target::Gfx942, 64, name, args, KEEP, &[]), wrapped);
}

#[test]
fn half_results_overflow_to_infinity_or_to_the_largest() {
    // 16 * 200 * 200 = 640000.
    let args = [0x5a40_5a40, 0x5a40_5a40, 0];
    let name = "v_wmma_f16_16x16x16_f16";
    let run = |mode| uniform(Target::Gfx1200, 32, name, args, mode, &[]);
    assert_eq!(run(KEEP), 0x7c00_7c00);
    assert_eq!(run(OVFL), 0x7bff_7bff);
}

#[test]
fn xf32_multiplies_with_ten_fraction_bits() {
    let name = "v_mfma_f32_16x16x8_xf32";
    let args = [f(1.0 + 2f32.powi(-12)), f(3.0), 0];
    let got = uniform(Target::Gfx942, 64, name, args, KEEP, &[]);
    assert_eq!(f32::from_bits(got), 24.0);
    let args = [f(1.0 + 2f32.powi(-10)), f(3.0), 0];
    let got = uniform(Target::Gfx942, 64, name, args, KEEP, &[]);
    assert_eq!(f32::from_bits(got), 24.0 * (1.0 + 2f32.powi(-10)));
}

#[test]
fn fp8_is_fnuz_on_gfx942_and_ocp_on_gfx950() {
    // 0x80 is NaN in FNUZ and -0 in OCP; 0x38 is 0.5 with bias 8 and 1.0 with bias 7.
    let name = "v_mfma_f32_16x16x32_fp8_fp8";
    let run = |target, a| f32::from_bits(uniform(target, 64, name, [a, a, 0], KEEP, &[]));
    assert_eq!(run(Target::Gfx942, 0x3838_3838), 32.0 * 0.25);
    assert_eq!(run(Target::Gfx950, 0x3838_3838), 32.0);
    assert!(run(Target::Gfx942, 0x8080_8080).is_nan());
    assert_eq!(run(Target::Gfx950, 0x8080_8080), 0.0);
}

#[test]
fn c_of_bf16f32_is_f32_and_d_is_rounded() {
    let name = "v_wmma_bf16f32_16x16x32_bf16";
    // C = 1 + 2^-8 is a tie in bfloat16 and goes to even; 1 + 2^-8 + 2^-20 goes up.
    let run = |c: f32| uniform(Target::Gfx1250, 32, name, [0, 0, f(c)], KEEP, &[]);
    assert_eq!(run(1.0 + 2f32.powi(-8)), 0x3f80_3f80);
    assert_eq!(run(1.0 + 2f32.powi(-8) + 2f32.powi(-20)), 0x3f81_3f81);
}

#[test]
fn random_sums_stay_within_the_stated_bound() {
    // K * 2^-24 * (|c| + sum of |a * b|), against the sum in f64, whose own error is far below it.
    let d = def("v_mfma_f32_16x16x16_f16", Target::Gfx942, 64);
    for seed in 0..20u64 {
        let mut b = bench(Target::Gfx942, 64);
        let half = |x: u64| half::f16::from_f64((noise(x) % 2001) as f64 / 1000.0 - 1.0);
        let mut case = Case::new(&mut b, d, (Format::F16, Format::F16), 0, 0);
        for i in 0..16 {
            for k in 0..16 {
                let (x, y) = (
                    half(seed << 20 | i << 8 | k),
                    half(seed << 20 | 1 << 16 | i << 8 | k),
                );
                let (i, k) = (i as usize, k as usize);
                case.a[i * 16 + k] = x.to_f64();
                case.put_a(&mut b, 0, i, k, x.to_bits() as u64);
                case.b[k * 16 + i] = y.to_f64();
                case.put_b(&mut b, 0, k, i, y.to_bits() as u64);
            }
        }
        run(&mut b, &encode(d, &[]), "bound");
        let want = case.want();
        for i in 0..16 {
            for j in 0..16 {
                let size: f64 = case.c[i * 16 + j].abs()
                    + (0..16)
                        .map(|k| (case.a[i * 16 + k] * case.b[k * 16 + j]).abs())
                        .sum::<f64>();
                let error = (case.get_d(&b, 0, i, j) - want[i * 16 + j]).abs();
                assert!(error <= 16.0 * 2f64.powi(-24) * size, "{error}");
            }
        }
    }
}
