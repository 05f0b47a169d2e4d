//! Block scales.

use super::modifiers::{check, product};
use super::*;

#[test]
fn block_scales_of_gfx950_come_from_the_lane_of_their_row_and_block() {
    // CDNA4 ISA 7.2.1: one scale for 32 values of K, in one byte of a register over the lanes.
    for (name, m, groups) in [
        ("v_mfma_scale_f32_16x16x128_f8f6f4", 16, 4),
        ("v_mfma_scale_f32_32x32x64_f8f6f4", 32, 2),
    ] {
        for f in [(Format::Fp8, Format::Fp8), (Format::Fp4, Format::Bf6)] {
            for byte in 0..4u64 {
                // Exponents 125 to 129.
                let code = |side: u64, lane: usize| 125 + noise(side * 64 + lane as u64) % 5;
                check(
                    Target::Gfx950,
                    64,
                    name,
                    f,
                    &[
                        (Field::Src0Modifiers, byte << 2),
                        (Field::Src1Modifiers, (3 - byte) << 2),
                    ],
                    |bench, c| {
                        bench.set(SCALE_A, |l| {
                            0x1122_3344 & !(0xff << (8 * byte)) | (code(0, l) as u32) << (8 * byte)
                        });
                        bench.set(SCALE_B, |l| (code(1, l) as u32) << (8 * (3 - byte)));
                        let [_, n, k] = c.row.size;
                        assert_eq!(k / 32, groups);
                        let scale = |side, i: usize, k: usize| {
                            2f64.powi(code(side, i + m * (k / 32)) as i32 - 127)
                        };
                        product(
                            c,
                            |_, i, kk| scale(0, i, kk) * c.a[i * k + kk],
                            |_, kk, j| scale(1, j, kk) * c.b[kk * n + j],
                        )
                    },
                );
            }
        }
    }
}

#[test]
fn block_scales_of_gfx1250_come_from_the_bytes_of_their_row() {
    let names = [
        ("v_wmma_scale_f32_16x16x128_f8f6f4", 32),
        ("v_wmma_scale16_f32_16x16x128_f8f6f4", 16),
        ("v_wmma_scale_f32_32x16x128_f4", 32),
        ("v_wmma_scale16_f32_32x16x128_f4", 16),
    ];
    for (name, block) in names {
        let f4 = name.ends_with("_f4");
        let cases: &[_] = if f4 {
            &[(Format::Fp4, Format::Fp4)]
        } else {
            &[(Format::Fp8, Format::Fp8), (Format::Fp6, Format::Fp4)]
        };
        for &f in cases {
            for half in 0..2u64 {
                let code = |side: u64, r: usize, l: usize, byte: usize| {
                    125 + noise(side << 20 | (r * 128 + l * 4 + byte) as u64) % 5
                };
                check(
                    Target::Gfx1250,
                    32,
                    name,
                    f,
                    &[(Field::MatrixAScale, half), (Field::MatrixBScale, 1 - half)],
                    |bench, c| {
                        for (side, at) in [(0, SCALE_A), (1, SCALE_B)] {
                            for r in 0..2 {
                                bench.set(at + r, |l| {
                                    (0..4)
                                        .fold(0, |w, y| w | (code(side, r, l, y) as u32) << (8 * y))
                                });
                            }
                        }
                        let [m, n, k] = c.row.size;
                        let scale = |side, rows: usize, half: usize, i: usize, k: usize| {
                            let lane = if rows == 32 { i } else { i + 16 * half };
                            let kb = k / block;
                            2f64.powi(code(side, kb / 4, lane, kb % 4) as i32 - 127)
                        };
                        product(
                            c,
                            |_, i, kk| scale(0, m, half as usize, i, kk) * c.a[i * k + kk],
                            |_, kk, j| scale(1, n, 1 - half as usize, j, kk) * c.b[kk * n + j],
                        )
                    },
                );
            }
        }
    }
}

#[test]
fn scales_may_be_scalar_or_one_and_have_fractions() {
    let name = "v_wmma_scale_f32_16x16x128_f8f6f4";
    let f = (Format::Fp4, Format::Fp4);
    // s5 = 0x4c as E4M3: 1.5 * 2^2; the inline constant 0 is 1.0.
    check(
        Target::Gfx1250,
        32,
        name,
        f,
        &[
            (Field::ScaleSrc0, 5),
            (Field::ScaleSrc1, 128),
            (Field::MatrixAScaleFmt, 2),
        ],
        |b, c| {
            b.wave.sgpr[5] = 0xabcd_ef4c;
            product(
                c,
                |_, i, k| 6.0 * c.a[i * 128 + k],
                |_, k, j| c.b[k * 16 + j],
            )
        },
    );
    // A NaN scale makes NaN of every sum that it takes part in.
    check(
        Target::Gfx1250,
        32,
        name,
        f,
        &[(Field::ScaleSrc0, 5), (Field::ScaleSrc1, 128)],
        |b, c| {
            b.wave.sgpr[5] = 0xff;
            vec![f64::NAN; c.c.len()]
        },
    );
}

#[test]
fn vgpr_msbs_reach_the_matrices_and_not_the_scales() {
    let name = "v_wmma_scale_f32_16x16x128_f8f6f4";
    let f = (Format::Fp8, Format::Fp8);
    let d = def(name, Target::Gfx1250, 32);
    let mut b = bench(Target::Gfx1250, 32);
    b.wave = Wave::new(Target::Gfx1250, 32, 1024, 0);
    let mut case = Case::new(&mut b, d, f, 5, 0);
    // A from v256 on, B from v512, C from v768, D from v256; scales of 2 where they were.
    b.wave.vgpr_msb = 1 | 2 << 2 | 3 << 4 | 1 << 6;
    for (from, to) in [(A, 256), (B, 512), (C, 768)] {
        for r in from..from + 16 {
            b.wave.vgpr[to + r] = b.wave.vgpr[r];
            b.wave.vgpr[r] = [0x5555_5555; 32];
        }
    }
    b.set(SCALE_A, |_| 0x8080_8080);
    b.set(SCALE_B, |_| 0x7f7f_7f7f);
    case.d_base += 256;
    run(
        &mut b,
        &encode(d, &format_fields(case.row, Target::Gfx1250, f)),
        name,
    );
    case.a.iter_mut().for_each(|x| *x *= 2.0);
    case.check(&b, &case.want(), "MSBs");
}
