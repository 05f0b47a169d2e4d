//! Calls through pointers, recursion, and arguments in memory.

use crate::compare::exact;
use crate::harness::{builds, each};
use crate::input::u32s;

fn operation(which: u32, a: u32, b: u32) -> u32 {
    match which & 3 {
        0 => a.wrapping_add(b),
        1 => a.wrapping_sub(b),
        2 => a.wrapping_mul(b),
        _ => a.rotate_left(5) ^ b,
    }
}

#[test]
fn one_function_is_called_by_all_lanes() {
    let (a, b) = (u32s(1, 192), u32s(2, 192));
    each(builds("calls"), |build| {
        for which in 0..4u32 {
            let want: Vec<u32> = a
                .iter()
                .zip(&b)
                .map(|(a, b)| operation(which, *a, *b))
                .collect();
            let launch = build
                .launch("call_uniform")
                .grid([3, 1, 1])
                .block([64, 1, 1]);
            let out = launch
                .buffer(&a)
                .buffer(&b)
                .output::<u32>(192)
                .arg(which)
                .run()?;
            exact(
                &format!("call_uniform of {which}"),
                1,
                &out.get::<u32>(2),
                &want,
            )?;
        }
        Ok(())
    });
}

#[test]
pub(crate) fn each_lane_calls_its_own_function() {
    let (a, b) = (u32s(3, 192), u32s(4, 192));
    let want: Vec<u32> = (0..192)
        .map(|i| operation(b[i] >> 4, operation(a[i], a[i], b[i]), i as u32))
        .collect();
    each(builds("calls"), |build| {
        let launch = build
            .launch("call_divergent")
            .grid([2, 1, 1])
            .block([96, 1, 1]);
        let out = launch.buffer(&a).buffer(&b).output::<u32>(192).run()?;
        exact("call_divergent", 1, &out.get::<u32>(2), &want)
    });
}

#[test]
fn lanes_recurse_to_depths_of_their_own() {
    let x = u32s(5, 128);
    let fibonacci = [0u32, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55];
    let want: Vec<u32> = x
        .iter()
        .flat_map(|&v| {
            let n = (v >> 8) & 3;
            // Ackermann's function: A(0, n) = n + 1, A(1, n) = n + 2, A(2, n) = 2n + 3.
            let first = if v & 1 == 0 { n + 1 } else { n + 2 };
            [fibonacci[(v % 11) as usize], first + 2 * ((v >> 4) & 1) + 3]
        })
        .collect();
    each(builds("calls"), |build| {
        let launch = build.launch("recursion").grid([2, 1, 1]).block([64, 1, 1]);
        let out = launch.buffer(&x).output::<u32>(256).run()?;
        exact("recursion", 2, &out.get::<u32>(1), &want)
    });
}

#[test]
pub(crate) fn functions_recurse_through_each_other() {
    let x = u32s(6, 128);
    let want: Vec<u32> = x
        .iter()
        .map(|v| u32::from(v % 20 % 2 == 0) | ((v >> 8) & 15 & 1) << 1)
        .collect();
    each(builds("calls"), |build| {
        let launch = build
            .launch("mutual_recursion")
            .grid([2, 1, 1])
            .block([64, 1, 1]);
        let out = launch.buffer(&x).output::<u32>(128).run()?;
        exact("mutual_recursion", 1, &out.get::<u32>(1), &want)
    });
}

#[test]
pub(crate) fn arguments_beyond_the_registers_arrive() {
    const PRIMES: [u32; 36] = [
        1, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89,
        97, 101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151,
    ];
    let x = u32s(7, 128);
    let mut want = Vec::new();
    for (i, &v) in x.iter().enumerate() {
        let wide = u64::from(v) << 7;
        let folded = (0..20u32).fold(0u32, |sum, j| {
            let word = v.wrapping_add(j).wrapping_mul(v);
            let word = word
                .wrapping_add((wide >> j) as u32)
                .wrapping_add(1.5f32.to_bits());
            sum.wrapping_mul(31)
                .wrapping_add(word.wrapping_add(i as u32 * j))
        });
        let weighted = (0..36u32).zip(PRIMES).fold(0u32, |sum, (j, p)| {
            sum.wrapping_add(v.wrapping_add(j).wrapping_mul(p))
        });
        want.extend([folded, weighted]);
    }
    each(builds("calls"), |build| {
        let launch = build.launch("call_many").grid([2, 1, 1]).block([64, 1, 1]);
        let out = launch.buffer(&x).output::<u32>(256).run()?;
        exact("call_many", 2, &out.get::<u32>(1), &want)
    });
}
