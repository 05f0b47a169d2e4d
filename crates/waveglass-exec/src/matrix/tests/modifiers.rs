//! Modifiers: broadcasts, negation, halves, sparse index sets, scales, constants, refusals.

use super::*;
use crate::error::Stop;

/// A case of an instruction, run with fields, against `want` of the case.
pub(super) fn check(
    target: Target,
    wave: u32,
    name: &str,
    f: (Format, Format),
    fields: &[(Field, u64)],
    change: impl Fn(&mut Bench, &mut Case) -> Vec<f64>,
) {
    let mut b = bench(target, wave);
    let d = def(name, target, wave);
    let mut case = Case::new(&mut b, d, f, 7, 0);
    let want = change(&mut b, &mut case);
    let mut all = format_fields(case.row, target, f);
    all.extend(fields);
    run(&mut b, &encode(d, &all), name);
    case.check(&b, &want, &format!("{fields:?}"));
}

/// A plain product with A and B read from elements that `a` and `b` choose.
pub(super) fn product(
    case: &Case,
    a: impl Fn(usize, usize, usize) -> f64,
    b: impl Fn(usize, usize, usize) -> f64,
) -> Vec<f64> {
    let [m, n, k] = case.row.size;
    let mut d = case.c.clone();
    for block in 0..case.row.blocks {
        for i in 0..m {
            for j in 0..n {
                for kk in 0..k {
                    d[(block * m + i) * n + j] += a(block, i, kk) * b(block, kk, j);
                }
            }
        }
    }
    d
}

const F32: (Format, Format) = (Format::F32, Format::F32);
const F16: (Format, Format) = (Format::F16, Format::F16);
const F64: (Format, Format) = (Format::F64, Format::F64);

#[test]
fn cbsz_and_abid_broadcast_a_block_of_a() {
    // CDNA3 ISA 7.1.5.1: with CBSZ=1 and ABID=1 both blocks are multiplied by A[1].
    for target in [Target::Gfx908, Target::Gfx90a] {
        check(
            target,
            64,
            "v_mfma_f32_32x32x1f32",
            F32,
            &[(Field::Cbsz, 1), (Field::Abid, 1)],
            |_, c| {
                product(
                    c,
                    |_, i, k| c.a[(32 + i) + k],
                    |b, k, j| c.b[(b + k) * 32 + j],
                )
            },
        );
    }
    // Blocks of 16 lanes: four blocks in groups of two (CBSZ=1) use the same half, two apart.
    for (cbsz, abid) in [(1, 0), (1, 1), (2, 3)] {
        check(
            Target::Gfx942,
            64,
            "v_mfma_f32_16x16x1_4b_f32",
            F32,
            &[(Field::Cbsz, cbsz), (Field::Abid, abid)],
            |_, c| {
                let source = |b: usize| {
                    let size = 4 >> cbsz;
                    b % size + size * abid as usize
                };
                product(
                    c,
                    |b, i, _| c.a[source(b) * 16 + i],
                    |b, _, j| c.b[b * 16 + j],
                )
            },
        );
    }
    // Sixteen blocks: CBSZ=4 uses one of them for all.
    check(
        Target::Gfx950,
        64,
        "v_mfma_f32_4x4x4_16b_f16",
        F16,
        &[(Field::Cbsz, 4), (Field::Abid, 11)],
        |_, c| {
            product(
                c,
                |_, i, k| c.a[(11 * 4 + i) * 4 + k],
                |b, k, j| c.b[(b * 4 + k) * 4 + j],
            )
        },
    );
}

#[test]
fn blgp_permutes_the_lanes_of_b() {
    // CDNA3 ISA table 29, on an instruction whose lane l holds B[l / 16][0][l % 16].
    for (blgp, from) in [
        (1usize, [0, 1, 0, 1]),
        (2, [2, 3, 2, 3]),
        (3, [1, 2, 3, 0]),
        (4, [0; 4]),
        (5, [1; 4]),
        (6, [2; 4]),
        (7, [3; 4]),
    ] {
        check(
            Target::Gfx908,
            64,
            "v_mfma_f32_16x16x1f32",
            F32,
            &[(Field::Blgp, blgp as u64)],
            |_, c| {
                product(
                    c,
                    |b, i, _| c.a[b * 16 + i],
                    |b, _, j| c.b[from[b] * 16 + j],
                )
            },
        );
        // The same lanes hold successive k in 16x16x4.
        check(
            Target::Gfx942,
            64,
            "v_mfma_f32_16x16x4_f32",
            F32,
            &[(Field::Blgp, blgp as u64)],
            |_, c| product(c, |_, i, k| c.a[i * 4 + k], |_, k, j| c.b[from[k] * 16 + j]),
        );
    }
    // Rotating by 16 lanes shifts a block of 32 columns by half a block.
    check(
        Target::Gfx942,
        64,
        "v_mfma_f32_32x32x1_2b_f32",
        F32,
        &[(Field::Blgp, 3)],
        |_, c| {
            product(
                c,
                |b, i, _| c.a[b * 32 + i],
                |b, _, j| c.b[(b * 32 + j + 16) % 64],
            )
        },
    );
}

#[test]
fn blgp_negates_in_f64_on_gfx942() {
    for blgp in 0..8u64 {
        let sign = |bit: u32| if blgp >> bit & 1 != 0 { -1.0 } else { 1.0 };
        for name in ["v_mfma_f64_16x16x4_f64", "v_mfma_f64_4x4x4_4b_f64"] {
            check(
                Target::Gfx942,
                64,
                name,
                F64,
                &[(Field::Blgp, blgp)],
                |_, c| {
                    let [m, n, k] = c.row.size;
                    c.c.iter_mut().for_each(|x| *x *= sign(2));
                    product(
                        c,
                        |b, i, kk| sign(0) * c.a[(b * m + i) * k + kk],
                        |b, kk, j| sign(1) * c.b[(b * k + kk) * n + j],
                    )
                },
            );
        }
    }
}

#[test]
fn reserved_broadcasts_are_refused() {
    let mut b = bench(Target::Gfx942, 64);
    let hex = |target, name: &str, fields: &[(Field, u64)]| encode(def(name, target, 64), fields);
    for (target, name, fields) in [
        (
            Target::Gfx942,
            "v_mfma_f32_16x16x16_f16",
            vec![(Field::Cbsz, 1)],
        ),
        (
            Target::Gfx942,
            "v_mfma_f32_32x32x4_2b_f16",
            vec![(Field::Cbsz, 1), (Field::Abid, 2)],
        ),
    ] {
        let step = b.run(&hex(target, name, &fields));
        assert!(
            matches!(step, Step::Stop(Stop::Refused { why, .. }) if why.contains("reserved")),
            "{name} {step:?}"
        );
    }
    let mut b = bench(Target::Gfx90a, 64);
    let step = b.run(&hex(
        Target::Gfx90a,
        "v_mfma_f64_16x16x4f64",
        &[(Field::Blgp, 1)],
    ));
    assert!(matches!(step, Step::Stop(Stop::Refused { .. })), "{step:?}");
    let mut b = bench(Target::Gfx950, 64);
    let name = "v_mfma_f32_16x16x128_f8f6f4";
    let step = b.run(&hex(Target::Gfx950, name, &[(Field::Cbsz, 5)]));
    assert!(matches!(step, Step::Stop(Stop::Refused { .. })), "{step:?}");
}

#[test]
fn sparse_index_sets_are_chosen_by_abid_or_op_sel() {
    let f16 = F16;
    let i8 = (Format::I8, Format::I8);
    for (target, wave, name, f, field, set, bits) in [
        (
            Target::Gfx942,
            64,
            "v_smfmac_f32_16x16x32_f16",
            f16,
            Field::Abid,
            3u64,
            8usize,
        ),
        (
            Target::Gfx942,
            64,
            "v_smfmac_f32_32x32x16_f16",
            f16,
            Field::Abid,
            2,
            8,
        ),
        (
            Target::Gfx942,
            64,
            "v_smfmac_i32_16x16x64_i8",
            i8,
            Field::Abid,
            1,
            16,
        ),
        (
            Target::Gfx950,
            64,
            "v_smfmac_f32_16x16x64_f16",
            f16,
            Field::Abid,
            1,
            16,
        ),
        (
            Target::Gfx1200,
            32,
            "v_swmmac_f32_16x16x32_f16",
            f16,
            Field::IndexKey16bit,
            1,
            16,
        ),
        (
            Target::Gfx1201,
            64,
            "v_swmmac_f32_16x16x32_f16",
            f16,
            Field::IndexKey8bit,
            3,
            8,
        ),
    ] {
        let mut b = bench(target, wave);
        let d = def(name, target, wave);
        let case = Case::new(&mut b, d, f, 3, set as usize * bits);
        run(&mut b, &encode(d, &[(field, set)]), name);
        case.check(&b, &case.want(), "chosen set");
    }
    // CBSZ other than 0 takes the first set whatever ABID says (CDNA3 ISA 7.4).
    let mut b = bench(Target::Gfx942, 64);
    let d = def("v_smfmac_f32_16x16x32_f16", Target::Gfx942, 64);
    let case = Case::new(&mut b, d, f16, 4, 0);
    run(
        &mut b,
        &encode(d, &[(Field::Cbsz, 1), (Field::Abid, 3)]),
        "cbsz",
    );
    case.check(&b, &case.want(), "first set");
}

#[test]
fn neg_and_neg_hi_act_on_halves_of_a_and_b_and_on_c() {
    for (target, wave) in [
        (Target::Gfx1100, 32),
        (Target::Gfx1100, 64),
        (Target::Gfx1201, 32),
    ] {
        for (neg, neg_hi) in [(1u64, 0u64), (0, 1), (2, 2), (4, 0), (0, 4), (4, 4), (7, 7)] {
            let m = |i: u32| (neg >> i & 1) | (neg_hi >> i & 1) << 1;
            check(
                target,
                wave,
                "v_wmma_f32_16x16x16_f16",
                F16,
                &[
                    (Field::Src0Modifiers, m(0)),
                    (Field::Src1Modifiers, m(1)),
                    (Field::Src2Modifiers, m(2)),
                ],
                |_, c| {
                    let sign = |side: u32, k: usize| {
                        let bits = if k.is_multiple_of(2) { neg } else { neg_hi };
                        if bits >> side & 1 != 0 { -1.0 } else { 1.0 }
                    };
                    for x in &mut c.c {
                        if neg_hi & 4 != 0 {
                            *x = x.abs();
                        }
                        if neg & 4 != 0 {
                            *x = -*x;
                        }
                    }
                    product(
                        c,
                        |_, i, k| sign(0, k) * c.a[i * 16 + k],
                        |_, k, j| sign(1, k) * c.b[k * 16 + j],
                    )
                },
            );
        }
    }
}

#[test]
fn op_sel_chooses_the_half_that_c_and_d_lie_in_on_gfx11() {
    for wave in [32, 64] {
        let mut b = bench(Target::Gfx1100, wave);
        let d = def("v_wmma_f16_16x16x16_f16", Target::Gfx1100, wave);
        let case = Case::new(&mut b, d, F16, 9, 0);
        // C moves to the high halves, and D's low halves must stay.
        for r in C..C + 8 {
            let old: Vec<u32> = (0..wave as usize).map(|l| b.get(r, l)).collect();
            b.set(r, |l| old[l] << 16 | 0x7777);
        }
        let before: Vec<u32> = (0..8).map(|r| b.get(D + r, 5) & 0xffff).collect();
        run(&mut b, &encode(d, &[(Field::Src2Modifiers, 4)]), "op_sel");
        let after: Vec<u32> = (0..8).map(|r| b.get(D + r, 5) & 0xffff).collect();
        let registers = if wave == 32 { 8 } else { 4 };
        assert_eq!(before[..registers], after[..registers]);
        for r in D..D + registers {
            let old: Vec<u32> = (0..wave as usize).map(|l| b.get(r, l)).collect();
            b.set(r, |l| old[l] >> 16);
        }
        case.check(&b, &case.want(), "high halves");
    }
}

#[test]
fn integer_clamp_saturates_and_its_absence_wraps() {
    for (target, name) in [
        (Target::Gfx1100, "v_wmma_i32_16x16x16_iu8"),
        (Target::Gfx1200, "v_wmma_i32_16x16x16_iu8"),
        (Target::Gfx1250, "v_wmma_i32_16x16x64_iu8"),
    ] {
        for clamp in [0, 1] {
            let mut b = bench(target, 32);
            let d = def(name, target, 32);
            let f = (Format::U8, Format::U8);
            let case = Case::new(&mut b, d, f, 1, 0);
            for r in C..C + 8 {
                b.set(r, |_| i32::MAX as u32);
            }
            let want: Vec<f64> = case
                .want()
                .iter()
                .zip(&case.c)
                .map(|(d, c)| {
                    let sum = i32::MAX as i64 + (d - c) as i64;
                    if clamp == 1 {
                        i32::MAX as f64
                    } else {
                        sum as i32 as f64
                    }
                })
                .collect();
            run(&mut b, &encode(d, &[(Field::Clamp, clamp)]), name);
            case.check(&b, &want, "clamp");
        }
    }
}

#[test]
fn c_may_be_an_inline_constant_of_its_own_format() {
    // 128 + n is the integer n as bits, 242 is 1.0, 244 is 2.0.
    for (target, wave, name, f, src2, value) in [
        (Target::Gfx908, 64, "v_mfma_f32_16x16x4f32", F32, 242, 1.0),
        (Target::Gfx908, 64, "v_mfma_f32_16x16x4f32", F32, 128, 0.0),
        (Target::Gfx942, 64, "v_mfma_f64_16x16x4_f64", F64, 244, 2.0),
        (
            Target::Gfx942,
            64,
            "v_mfma_i32_16x16x32_i8",
            (Format::I8, Format::I8),
            193,
            -1.0,
        ),
        (
            Target::Gfx942,
            64,
            "v_mfma_i32_16x16x32_i8",
            (Format::I8, Format::I8),
            242,
            0x3f80_0000 as f64,
        ),
        (
            Target::Gfx1100,
            32,
            "v_wmma_f16_16x16x16_f16",
            F16,
            242,
            1.0,
        ),
        (
            Target::Gfx1200,
            32,
            "v_wmma_f16_16x16x16_f16",
            F16,
            242,
            1.0,
        ),
        (
            Target::Gfx1200,
            32,
            "v_wmma_bf16_16x16x16_bf16",
            (Format::Bf16, Format::Bf16),
            244,
            2.0,
        ),
        (
            Target::Gfx1250,
            32,
            "v_wmma_f32_16x16x32_f16",
            F16,
            246,
            4.0,
        ),
    ] {
        check(target, wave, name, f, &[(Field::Src2, src2)], |_, c| {
            c.c.fill(value);
            c.want()
        });
    }
}

#[test]
fn reuse_bits_change_nothing() {
    check(
        Target::Gfx1250,
        32,
        "v_wmma_f32_16x16x32_f16",
        F16,
        &[(Field::MatrixAReuse, 1), (Field::MatrixBReuse, 1)],
        |_, c| c.want(),
    );
}

#[test]
fn a_result_past_the_waves_registers_is_not_written() {
    let d = def("v_mfma_f32_32x32x1f32", Target::Gfx90a, 64);
    let mut b = bench(Target::Gfx90a, 64);
    b.wave = Wave::new(Target::Gfx90a, 64, 64, 64);
    b.set(A, |_| 1.0f32.to_bits());
    b.set(B, |_| 1.0f32.to_bits());
    let before = b.wave.vgpr.clone();
    // D would be a48 to a79.
    assert_eq!(
        b.run(&encode(d, &[(Field::Vdst, 48), (Field::Src2, 128)])),
        Step::Next
    );
    assert!(b.wave.vgpr == before);
    assert_eq!(
        b.run(&encode(d, &[(Field::Vdst, 32), (Field::Src2, 128)])),
        Step::Next
    );
    assert!(b.wave.vgpr != before);
}

#[test]
fn a_source_that_no_register_can_stand_for_is_refused() {
    let d = def("v_mfma_f32_32x32x1f32", Target::Gfx90a, 64);
    let mut b = bench(Target::Gfx90a, 64);
    // C is 32 registers of a wave that has 24 in all, with D inside by being written nowhere else.
    b.wave = Wave::new(Target::Gfx90a, 64, 8, 16);
    let step = b.run(&encode(d, &[(Field::Vdst, 0), (Field::Src2, 256)]));
    assert_eq!(step, Step::Next, "D is past the wave's registers as well");
    let d = def("v_wmma_f32_16x16x16_f16", Target::Gfx1100, 32);
    let mut b = bench(Target::Gfx1100, 32);
    b.wave = Wave::new(Target::Gfx1100, 32, 8, 0);
    let fields = [(Field::Vdst, 0), (Field::Src2, 128), (Field::Src0, 256 + 4)];
    let step = b.run(&encode(d, &fields));
    assert_eq!(
        step,
        Step::Next,
        "operands past the wave's registers start at v0"
    );
}
