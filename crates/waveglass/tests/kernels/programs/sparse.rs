//! A sparse matrix in compressed rows times a vector, summed in the kernels' order.

use crate::compare::exact;
use crate::harness::{Build, builds, builds_of, each};
use crate::input::{Xorshift, f32s_in, f64s_in};

const ROWS: usize = 150;
const COLUMNS: usize = 400;

/// Rows of 0 to 200 values: where each starts, and the values' columns.
fn matrix() -> (Vec<u32>, Vec<u32>) {
    let mut r = Xorshift::new(1);
    let (mut starts, mut columns) = (vec![0u32], Vec::new());
    for row in 0..ROWS {
        let fill = [0, 3, 20, 50][row % 4];
        columns.extend((0..COLUMNS as u32).filter(|_| (r.next() >> 33) % 100 < fill));
        starts.push(columns.len() as u32);
    }
    (starts, columns)
}

fn all() -> Vec<Build> {
    let mut all = builds("sparse");
    all.extend(builds_of(
        "sparse",
        &["O3.wave64"],
        &["gfx1030", "gfx1100", "gfx1201"],
    ));
    all
}

#[test]
fn rows_by_work_item_agree_bit_for_bit() {
    let (starts, columns) = matrix();
    let (values, x) = (
        f64s_in(2, columns.len(), -2.0, 2.0),
        f64s_in(3, COLUMNS, -2.0, 2.0),
    );
    let single = |v: &[f64]| v.iter().map(|&x| x as f32).collect::<Vec<f32>>();
    let (values32, x32) = (single(&values), single(&x));
    let (mut want, mut want32) = (Vec::new(), Vec::new());
    for row in starts.windows(2) {
        let (mut sum, mut sum32) = (0f64, 0f32);
        for i in row[0] as usize..row[1] as usize {
            let c = columns[i] as usize;
            sum = values[i].mul_add(x[c], sum);
            sum32 = values32[i].mul_add(x32[c], sum32);
        }
        want.push(sum);
        want32.push(sum32);
    }
    each(all(), |build| {
        let launch = |kernel| {
            build
                .launch(kernel)
                .grid([2, 1, 1])
                .block([96, 1, 1])
                .buffer(&starts)
                .buffer(&columns)
        };
        let out = launch("csr_by_item")
            .buffer(&values32)
            .buffer(&x32)
            .output::<f32>(ROWS)
            .arg(ROWS as u32)
            .run()?;
        exact("csr_by_item", 1, &out.get::<f32>(4), &want32)?;
        let out = launch("csr_by_item_f64")
            .buffer(&values)
            .buffer(&x)
            .output::<f64>(ROWS)
            .arg(ROWS as u32)
            .run()?;
        exact("csr_by_item_f64", 1, &out.get::<f64>(4), &want)
    });
}

#[test]
fn rows_by_wave_agree_in_the_order_of_the_lanes() {
    let (starts, columns) = matrix();
    let (values, x) = (
        f32s_in(4, columns.len(), -2.0, 2.0),
        f32s_in(5, COLUMNS, -2.0, 2.0),
    );
    let want = |lanes: usize| -> Vec<f32> {
        let one = |row: &[u32]| {
            let mut sums = vec![0f32; lanes];
            for (n, i) in (row[0] as usize..row[1] as usize).enumerate() {
                let sum = &mut sums[n % lanes];
                *sum = values[i].mul_add(x[columns[i] as usize], *sum);
            }
            // Each half of a wave64 by itself, then both.
            let half = |mut sums: Vec<f32>| {
                while sums.len() > 1 {
                    let upper = sums.split_off(sums.len() / 2);
                    sums.iter_mut().zip(upper).for_each(|(a, b)| *a += b);
                }
                sums[0]
            };
            let upper = sums.split_off(32);
            let lower = half(sums);
            if upper.is_empty() {
                lower
            } else {
                lower + half(upper)
            }
        };
        starts.windows(2).map(one).collect()
    };
    let want = [want(32), want(64)];
    each(all(), |build| {
        let out = build
            .launch("csr_by_wave")
            .grid([(ROWS as u32 * build.wave).div_ceil(128), 1, 1])
            .block([128, 1, 1])
            .buffer(&starts)
            .buffer(&columns)
            .buffer(&values)
            .buffer(&x)
            .output::<f32>(ROWS)
            .arg(ROWS as u32)
            .run()?;
        let want = &want[usize::from(build.wave == 64)];
        exact("csr_by_wave", 1, &out.get::<f32>(4), want)
    });
}
