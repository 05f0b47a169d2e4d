//! A barrier of the whole grid: every workgroup waits for all others, ten times.

use crate::compare::exact;
use crate::harness::{builds, each};
use crate::input::u32s;

#[test]
pub(crate) fn workgroups_meet_at_a_barrier_of_the_grid() {
    let n = 1024usize;
    let x = u32s(1, n);
    let want: Vec<u32> = x
        .iter()
        .scan(0u32, |sum, v| {
            *sum = sum.wrapping_add(*v);
            Some(*sum)
        })
        .collect();
    each(builds("grid_barrier"), |build| {
        let out = build
            .launch("grid_scan")
            .grid([8, 1, 1])
            .block([128, 1, 1])
            .buffer(&x)
            .output::<u32>(n)
            .buffer(&[0u32])
            .buffer(&[0u32])
            .arg(8u32)
            .run()?;
        // Ten rounds: the last one writes into the first array.
        exact("grid_scan", 1, &out.get::<u32>(0), &want)?;
        exact("grid_scan phases", 1, &out.get::<u32>(3), &[10])
    });
}
