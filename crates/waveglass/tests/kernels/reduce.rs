//! Reductions in LDS and by atomics, in any order of the workgroups.

use crate::compare::exact;
use crate::harness::{Launch, builds_and_wave64, each, plain};
use crate::input::{U32_EDGES, U64_EDGES, bytes, u32s, u64s};

/// 1000 work-items in 256s, the last 24 past the end.
fn four_blocks(launch: Launch) -> Launch {
    launch.grid([4, 1, 1]).block([256, 1, 1])
}

#[test]
pub(crate) fn u32_sums_wrap() {
    let x = u32s(1, 3000);
    let want = x.iter().fold(5u32, |s, v| s.wrapping_add(*v));
    let mut builds = builds_and_wave64("reduce");
    // One that fixes the settings of SRAM ECC and XNACK, in its e_flags and its target's name.
    builds.push(plain(
        "reduce.O3.gfx90a-sramecc+-xnack-.hsaco",
        "gfx90a",
        64,
    ));
    each(builds, |build| {
        let launch = four_blocks(build.launch("reduce_u32_add"));
        let out = launch.buffer(&x).buffer(&[5u32]).arg(3000u32).run()?;
        exact("reduce_u32_add", 1, &out.get::<u32>(1), &[want])
    });
}

/// Small whole numbers: every sum is exact, so the order does not matter.
fn whole(n: usize) -> Vec<f32> {
    u32s(2, n)
        .iter()
        .map(|v| (v % 2001) as f32 - 1000.0)
        .collect()
}

#[test]
fn f32_sums_of_whole_numbers_are_exact() {
    let x = whole(1000);
    let want: f32 = 0.5 + x.iter().map(|v| f64::from(*v)).sum::<f64>() as f32;
    each(builds_and_wave64("reduce"), |build| {
        for kernel in ["reduce_f32_add", "reduce_f32_add_native"] {
            let launch = four_blocks(build.launch(kernel));
            let out = launch.buffer(&x).buffer(&[0.5f32]).arg(1000u32).run()?;
            exact(kernel, 1, &out.get::<f32>(1), &[want])?;
        }
        Ok(())
    });
}

#[test]
fn f64_sums_of_whole_numbers_are_exact() {
    let x: Vec<f64> = whole(1000).into_iter().map(f64::from).collect();
    let want = 0.25 + x.iter().sum::<f64>();
    each(builds_and_wave64("reduce"), |build| {
        let launch = four_blocks(build.launch("reduce_f64_add_native"));
        let out = launch.buffer(&x).buffer(&[0.25f64]).arg(1000u32).run()?;
        exact("reduce_f64_add_native", 1, &out.get::<f64>(1), &[want])
    });
}

#[test]
fn u64_maximum_is_found() {
    let x = u64s(3, 2777);
    let want = *x.iter().max().expect("not empty");
    each(builds_and_wave64("reduce"), |build| {
        let launch = four_blocks(build.launch("reduce_u64_max"));
        let out = launch.buffer(&x).buffer(&[17u64]).arg(2777u32).run()?;
        exact("reduce_u64_max", 1, &out.get::<u64>(1), &[want])
    });
}

#[test]
pub(crate) fn compare_and_swap_loops_lose_no_update() {
    // Words 0 and 1 stay below the limit, 2 and 3 pass it.
    let mut x = u32s(4, 1000);
    for (i, v) in x.iter_mut().enumerate() {
        *v = if i % 4 < 2 { *v >> 12 } else { *v };
    }
    let mut want = [1u32, 2, 3, 4];
    x.iter()
        .enumerate()
        .for_each(|(i, v)| want[i % 4] = want[i % 4].saturating_add(*v));
    let wide: Vec<u64> = u64s(5, 500)
        .iter()
        .enumerate()
        .map(|(i, v)| if i % 2 == 0 { v >> 20 } else { *v })
        .collect();
    let mut want_wide = [1u64, 2];
    wide.iter()
        .enumerate()
        .for_each(|(i, v)| want_wide[i % 2] = want_wide[i % 2].saturating_add(*v));
    each(builds_and_wave64("reduce"), |build| {
        let launch = four_blocks(build.launch("saturating_add_cas"));
        let out = launch
            .buffer(&x)
            .buffer(&[1u32, 2, 3, 4])
            .arg(1000u32)
            .run()?;
        exact("saturating_add_cas", 1, &out.get::<u32>(1), &want)?;
        let launch = four_blocks(build.launch("saturating_add_cas_u64"));
        let out = launch.buffer(&wide).buffer(&[1u64, 2]).arg(500u32).run()?;
        exact("saturating_add_cas_u64", 1, &out.get::<u64>(1), &want_wide)
    });
}

macro_rules! every_rmw {
    ($words:expr, $values:expr, $u:ty, $s:ty) => {{
        let mut after: Vec<$u> = $words.clone();
        for (i, &v) in $values.iter().enumerate() {
            let w = &mut after[i * 10..i * 10 + 10];
            w[0] = w[0].wrapping_add(v);
            w[1] = w[1].wrapping_sub(v);
            w[2] &= v;
            w[3] |= v;
            w[4] ^= v;
            w[5] = w[5].min(v);
            w[6] = w[6].max(v);
            w[7] = (w[7] as $s).min(v as $s) as $u;
            w[8] = (w[8] as $s).max(v as $s) as $u;
            w[9] = v;
        }
        after
    }};
}

#[test]
fn read_modify_writes_of_32_bits_return_the_old_value() {
    let mut words = u32s(6, 1280);
    words[..140].copy_from_slice(&U32_EDGES.iter().flat_map(|e| [*e; 10]).collect::<Vec<_>>());
    let mut values = u32s(7, 128);
    values[..14].copy_from_slice(&U32_EDGES.map(|e| !e));
    let after = every_rmw!(words, values, u32, i32);
    each(builds_and_wave64("reduce"), |build| {
        for kernel in ["rmw_global_u32", "rmw_lds_u32"] {
            let launch = build.launch(kernel).grid([2, 1, 1]).block([64, 1, 1]);
            let out = launch
                .buffer(&words)
                .buffer(&values)
                .output::<u32>(1280)
                .run()?;
            exact(&format!("{kernel} old"), 10, &out.get::<u32>(2), &words)?;
            exact(&format!("{kernel} new"), 10, &out.get::<u32>(0), &after)?;
        }
        Ok(())
    });
}

#[test]
fn read_modify_writes_of_64_bits_return_the_old_value() {
    let mut words = u64s(8, 1280);
    words[..140].copy_from_slice(&U64_EDGES.iter().flat_map(|e| [*e; 10]).collect::<Vec<_>>());
    let mut values = u64s(9, 128);
    values[..14].copy_from_slice(&U64_EDGES.map(|e| !e));
    let after = every_rmw!(words, values, u64, i64);
    each(builds_and_wave64("reduce"), |build| {
        for kernel in ["rmw_global_u64", "rmw_lds_u64"] {
            let launch = build.launch(kernel).grid([2, 1, 1]).block([64, 1, 1]);
            let out = launch
                .buffer(&words)
                .buffer(&values)
                .output::<u64>(1280)
                .run()?;
            exact(&format!("{kernel} old"), 10, &out.get::<u64>(2), &words)?;
            exact(&format!("{kernel} new"), 10, &out.get::<u64>(0), &after)?;
        }
        Ok(())
    });
}

#[test]
pub(crate) fn histogram_counts_each_byte_once() {
    let x = bytes(10, 5000);
    let mut want = vec![0u32; 64];
    x.iter().for_each(|b| want[usize::from(b & 63)] += 1);
    each(builds_and_wave64("reduce"), |build| {
        let launch = four_blocks(build.launch("histogram"));
        let out = launch.buffer(&x).buffer(&[0u32; 64]).arg(5000u32).run()?;
        exact("histogram", 1, &out.get::<u32>(1), &want)
    });
}

#[test]
fn floating_point_sums_in_lds_are_exact() {
    let x = whole(256);
    let mut want = vec![0f64; 8];
    x.iter()
        .enumerate()
        .for_each(|(i, v)| want[i / 128 * 4 + i % 4] += f64::from(*v));
    let want32: Vec<f32> = want.iter().map(|v| *v as f32).collect();
    each(builds_and_wave64("reduce"), |build| {
        let launch = build
            .launch("lds_float_add")
            .grid([2, 1, 1])
            .block([128, 1, 1]);
        let out = launch.buffer(&x).output::<f32>(8).output::<f64>(8).run()?;
        exact("lds_float_add f32", 4, &out.get::<f32>(1), &want32)?;
        exact("lds_float_add f64", 4, &out.get::<f64>(2), &want)
    });
}

#[test]
fn tickets_are_a_permutation() {
    each(builds_and_wave64("reduce"), |build| {
        let launch = build.launch("tickets").grid([3, 1, 1]).block([100, 1, 1]);
        let out = launch.buffer(&[40u32]).output::<u32>(300).run()?;
        let mut got = out.get::<u32>(1);
        got.sort_unstable();
        exact("tickets", 1, &got, &(40..340).collect::<Vec<u32>>())?;
        exact("tickets counter", 1, &out.get::<u32>(0), &[340])
    });
}

#[test]
pub(crate) fn last_block_sees_every_partial_sum() {
    let x = u32s(11, 2500);
    let want = x.iter().fold(0u32, |s, v| s.wrapping_add(*v));
    each(builds_and_wave64("reduce"), |build| {
        let launch = build
            .launch("reduce_last_block")
            .grid([20, 1, 1])
            .block([128, 1, 1]);
        let launch = launch
            .buffer(&x)
            .output::<u32>(20)
            .buffer(&[0u32])
            .output::<u32>(1);
        let out = launch.arg(2500u32).run()?;
        exact("reduce_last_block", 1, &out.get::<u32>(3), &[want])
    });
}
