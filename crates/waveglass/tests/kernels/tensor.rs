//! The tensor data mover, through descriptors that compiled code puts together.

use crate::compare::exact;
use crate::harness::{Build, builds_of, each};
use crate::input::f32s_in;

fn builds() -> Vec<Build> {
    builds_of("tensor", &["O0", "O3"], &["gfx1250"])
}

#[test]
pub(crate) fn tiles_are_transposed_with_padding_and_zeros_past_the_edges() {
    let (rows, cols) = (37usize, 29usize);
    let input = f32s_in(1, rows * cols, -2.0, 2.0);
    let (out_rows, out_cols) = (48, 32);
    let mut want = vec![0.0f32; out_rows * out_cols];
    for y in 0..rows {
        for x in 0..cols {
            want[x * out_rows + y] = input[y * cols + x];
        }
    }
    each(builds(), |build| {
        let launch = build
            .launch("tensor_transpose")
            .grid([2, 3, 1])
            .block([16, 16, 1]);
        let launch = launch.buffer(&input).output::<f32>(want.len());
        let out = launch.arg(rows as u32).arg(cols as u32).run()?;
        exact("tensor_transpose", out_rows, &out.get::<f32>(1), &want)
    });
}

#[test]
pub(crate) fn rows_are_gathered_and_scattered() {
    let count = 20u32;
    let input: Vec<u32> = (0..16 * count).collect();
    // In ascending order, the last of them past the tensor.
    let rows = [1u32, 3, 3, 4, 9, 15, 19, 20];
    let mut want = vec![0xa5a5_a5a5; input.len()];
    for &row in rows.iter().filter(|&&row| row < count) {
        for x in row * 16..(row + 1) * 16 {
            want[x as usize] = 2 * input[x as usize];
        }
    }
    each(builds(), |build| {
        let launch = build.launch("tensor_rows").grid([1; 3]).block([32, 1, 1]);
        let launch = launch
            .buffer(&input)
            .output::<u32>(want.len())
            .buffer(&rows);
        let out = launch.arg(count).run()?;
        exact("tensor_rows", 16, &out.get::<u32>(1), &want)
    });
}
