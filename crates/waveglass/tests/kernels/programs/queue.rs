//! Workgroups that stay and share a queue of work.

use crate::compare::exact;
use crate::harness::{builds, each};
use crate::input::u32s;

/// Boards that `n` queens reach, the empty one included, and solutions among them.
fn boards(n: usize, placed: &mut Vec<usize>) -> (u32, u32) {
    if placed.len() == n {
        return (1, 1);
    }
    let (mut all, mut solutions) = (1, 0);
    for column in 0..n {
        let row = placed.len();
        let free = placed
            .iter()
            .enumerate()
            .all(|(r, &c)| c != column && c.abs_diff(column) != row - r);
        if free {
            placed.push(column);
            let (a, s) = boards(n, placed);
            (all, solutions) = (all + a, solutions + s);
            placed.pop();
        }
    }
    (all, solutions)
}

#[test]
pub(crate) fn a_queue_that_its_workers_fill_is_worked_off() {
    let (all, solutions) = boards(6, &mut Vec::new());
    assert_eq!(solutions, 4, "six queens");
    let workers = 3 * 64;
    // A task has four words, its flag last; head, tail, pending and solutions.
    let mut tasks = vec![0u32; 4 * (all as usize + workers)];
    tasks[3] = 1;
    each(builds("queue"), |build| {
        let out = build
            .launch("queens")
            .grid([3, 1, 1])
            .block([64, 1, 1])
            .buffer(&[0u32, 1, 1, 0])
            .buffer(&tasks)
            .arg(6u32)
            .run()?;
        exact("queens", 1, &out.get::<u32>(0)[1..], &[all, 0, solutions])?;
        let flags: u32 = out.get::<u32>(1).iter().skip(3).step_by(4).sum();
        exact("queens tasks", 1, &[flags], &[all])
    });
}

#[test]
pub(crate) fn each_task_is_taken_by_one_workgroup() {
    let (rows, width) = (41usize, 150usize);
    let matrix = u32s(1, rows * width);
    let want: Vec<u32> = matrix
        .chunks(width)
        .map(|row| row.iter().fold(0u32, |s, v| s.wrapping_add(*v)))
        .collect();
    each(builds("queue"), |build| {
        let out = build
            .launch("row_sums")
            .grid([3, 1, 1])
            .block([128, 1, 1])
            .buffer(&[0u32])
            .buffer(&matrix)
            .output::<u32>(rows)
            .output::<u32>(rows)
            .arg(rows as u32)
            .arg(width as u32)
            .run()?;
        exact("row_sums", 1, &out.get::<u32>(2), &want)?;
        // Each workgroup takes one more ticket than there are rows for it.
        exact("row_sums next", 1, &out.get::<u32>(0), &[rows as u32 + 3])?;
        let strangers = out.get::<u32>(3).iter().filter(|&&w| w >= 3).count();
        exact("row_sums taken by", 1, &[strangers as u32], &[0])
    });
}
