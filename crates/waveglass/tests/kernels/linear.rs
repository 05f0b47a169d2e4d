//! Vector add with a tail, saxpy, and copies.

use crate::compare::{F32, exact, rows};
use crate::harness::{builds, each, plain};
use crate::input::{F32_EDGES, f32s_in, pairs, u32s};

fn floats(n: usize) -> (Vec<f32>, Vec<f32>) {
    let mut random = f32s_in(1, 2 * n, -1e6, 1e6).into_iter();
    let (mut a, mut b) = pairs(&F32_EDGES.map(f32::from_bits), n.max(196), || {
        random.next().expect("enough values")
    });
    a.truncate(n);
    b.truncate(n);
    (a, b)
}

#[test]
pub(crate) fn vector_add_leaves_what_is_past_its_tail_alone() {
    for n in [1usize, 63, 64, 65, 1000] {
        let (a, b) = floats(n);
        let mut want: Vec<f32> = a.iter().zip(&b).map(|(x, y)| x + y).collect();
        want.resize(1024, 7.0);
        each(builds("linear"), |build| {
            let out = build
                .launch("vector_add")
                .grid([4, 1, 1])
                .block([256, 1, 1])
                .buffer(&a)
                .buffer(&b)
                .buffer(&vec![7.0f32; 1024])
                .arg(n as u32)
                .run()?;
            rows("vector_add", &[F32], &out.get::<f32>(2), &want)
        });
    }
}

#[test]
fn vector_add_i32_wraps() {
    let (a, b) = (u32s(2, 300), u32s(3, 300));
    let want: Vec<u32> = a.iter().zip(&b).map(|(x, y)| x.wrapping_add(*y)).collect();
    each(builds("linear"), |build| {
        let launch = build
            .launch("vector_add_i32")
            .grid([3, 1, 1])
            .block([128, 1, 1]);
        let out = launch
            .buffer(&a)
            .buffer(&b)
            .output::<u32>(300)
            .arg(300u32)
            .run()?;
        exact("vector_add_i32", 1, &out.get::<u32>(2), &want)
    });
}

#[test]
fn saxpy_rounds_once() {
    let (x, y) = floats(777);
    let alpha = 1.7f32;
    let want: Vec<f32> = x
        .iter()
        .zip(&y)
        .map(|(x, y)| alpha.mul_add(*x, *y))
        .collect();
    each(builds("linear"), |build| {
        let launch = build.launch("saxpy").grid([13, 1, 1]).block([64, 1, 1]);
        let out = launch.arg(777u32).arg(alpha).buffer(&x).buffer(&y).run()?;
        rows("saxpy", &[F32], &out.get::<f32>(1), &want)
    });
}

#[test]
fn saxpy_unfused_rounds_twice() {
    let (x, y) = floats(777);
    let alpha = -0.3f32;
    let want: Vec<f32> = x.iter().zip(&y).map(|(x, y)| alpha * x + y).collect();
    each(builds("linear"), |build| {
        let launch = build
            .launch("saxpy_unfused")
            .grid([2, 1, 1])
            .block([64, 1, 1]);
        let out = launch.arg(777u32).arg(alpha).buffer(&x).buffer(&y).run()?;
        rows("saxpy_unfused", &[F32], &out.get::<f32>(1), &want)
    });
}

#[test]
fn copies_are_complete() {
    let from = u32s(4, 4 * 1001);
    each(builds("linear"), |build| {
        let launch = build.launch("copy_b128").grid([3, 1, 1]).block([256, 1, 1]);
        let out = launch
            .buffer(&from)
            .output::<u32>(4 * 1001)
            .arg(1001u32)
            .run()?;
        exact("copy_b128", 4, &out.get::<u32>(1), &from)?;
        let launch = build.launch("copy_b32").grid([5, 1, 1]).block([192, 1, 1]);
        let out = launch
            .buffer(&from)
            .output::<u32>(4 * 1001)
            .arg(4 * 1001u32)
            .run()?;
        exact("copy_b32", 1, &out.get::<u32>(1), &from)
    });
}

#[test]
fn code_objects_outside_bundles_run() {
    let (a, b) = floats(300);
    let want: Vec<f32> = a.iter().zip(&b).map(|(x, y)| x + y).collect();
    let files = vec![
        plain("linear.O3.gfx90a.hsaco", "gfx90a", 64),
        plain("linear.O3.gfx1100.hsaco", "gfx1100", 32),
    ];
    each(files, |build| {
        let launch = build
            .launch("vector_add")
            .grid([3, 1, 1])
            .block([128, 1, 1]);
        let launch = launch.buffer(&a).buffer(&b).output::<f32>(300).arg(300u32);
        rows("vector_add", &[F32], &launch.run()?.get::<f32>(2), &want)
    });
}
