//! Matrix products: each element is a chain of fused multiply-adds in the order of k, so it has one value.

use crate::compare::exact;
use crate::harness::{builds, each};
use crate::input::f32s_in;

/// The top left `rows` x `cols` of A * B, with A `? x k` and B `k x n`.
fn product(a: &[f32], b: &[f32], rows: usize, cols: usize, n: usize, k: usize) -> Vec<f32> {
    let mut c = Vec::with_capacity(rows * cols);
    for row in 0..rows {
        for col in 0..cols {
            c.push((0..k).fold(0.0f32, |sum, i| a[row * k + i].mul_add(b[i * n + col], sum)));
        }
    }
    c
}

#[test]
pub(crate) fn matmul_tiled_handles_edges_that_tiles_do_not_divide() {
    let (m, n, k) = (37, 50, 29);
    let (a, b) = (f32s_in(1, m * k, -2.0, 2.0), f32s_in(2, k * n, -2.0, 2.0));
    let want = product(&a, &b, m, n, n, k);
    each(builds("matmul"), |build| {
        let launch = build
            .launch("matmul_tiled")
            .grid([4, 3, 1])
            .block([16, 16, 1]);
        let launch = launch.buffer(&a).buffer(&b).output::<f32>(m * n);
        let out = launch.arg(m as u32).arg(n as u32).arg(k as u32).run()?;
        exact("matmul_tiled", n, &out.get::<f32>(2), &want)
    });
}

/// A corner of the benchmark's product, which takes a part of its grid.
fn corner(kernel: &str, grid: [u32; 3], size: usize) {
    let (a, b) = (
        f32s_in(3, 512 * 512, -1.0, 1.0),
        f32s_in(4, 512 * 512, -1.0, 1.0),
    );
    let want = product(&a, &b, size, size, 512, 512);
    each(builds("matmul"), |build| {
        let launch = build.launch(kernel).grid(grid).block([16, 16, 1]);
        let out = launch
            .buffer(&a)
            .buffer(&b)
            .output::<f32>(512 * 512)
            .run()?;
        let c = out.get::<f32>(2);
        let got: Vec<f32> = c
            .chunks(512)
            .take(size)
            .flat_map(|row| &row[..size])
            .copied()
            .collect();
        exact(kernel, size, &got, &want)
    });
}

#[test]
fn matmul_512_is_exact() {
    corner("matmul_512", [2, 2, 1], 32);
}

#[test]
fn matmul_512_blocked_is_exact() {
    corner("matmul_512_blocked", [1, 1, 1], 64);
}
