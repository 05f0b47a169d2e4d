//! Loops and branches in which lanes part.

use crate::compare::exact;
use crate::harness::{builds_and_wave64, each};
use crate::input::u32s;

fn nested(x: u32) -> u32 {
    let mut acc = 0u32;
    for outer in 0..(x & 15) + 1 {
        if (x >> outer) & 3 == 2 {
            continue;
        }
        let mut left = false;
        for inner in 0..=((x >> 8) & 7) + outer {
            if (inner ^ x) & 1 == 1 {
                continue;
            }
            acc = acc.wrapping_mul(33).wrapping_add(inner);
            if acc & 63 == 17 {
                left = true;
                break;
            }
        }
        if !left {
            acc = acc.wrapping_add(outer);
        }
        if acc > 0xf000_0000 {
            break;
        }
        acc ^= x >> 3;
    }
    acc
}

#[test]
fn nested_loops_with_break_and_continue_agree() {
    let x = u32s(1, 500);
    let mut want: Vec<u32> = x.iter().map(|v| nested(*v)).collect();
    want.resize(512, 0xa5a5_a5a5);
    each(builds_and_wave64("diverge"), |build| {
        let launch = build
            .launch("nested_break_continue")
            .grid([4, 1, 1])
            .block([128, 1, 1]);
        let out = launch.buffer(&x).output::<u32>(512).arg(500u32).run()?;
        exact("nested_break_continue", 1, &out.get::<u32>(1), &want)
    });
}

#[test]
fn collatz_lengths_agree() {
    let limit = 150u32;
    let mut x: Vec<u32> = (0..200).collect();
    x.extend(u32s(2, 100).iter().map(|v| v >> 4));
    let want: Vec<u32> = x
        .iter()
        .map(|&v| {
            let steps = std::iter::successors(Some(u64::from(v)), |n| {
                Some(if n % 2 == 1 { 3 * n + 1 } else { n / 2 })
            })
            .take_while(|n| *n > 1)
            .take(limit as usize + 1)
            .count() as u32;
            if steps > limit { u32::MAX } else { steps }
        })
        .collect();
    assert!(want.contains(&u32::MAX) && want.iter().any(|s| *s > 100 && *s <= limit));
    each(builds_and_wave64("diverge"), |build| {
        let launch = build.launch("collatz").grid([5, 1, 1]).block([64, 1, 1]);
        let out = launch
            .buffer(&x)
            .output::<u32>(300)
            .arg(300u32)
            .arg(limit)
            .run()?;
        exact("collatz", 1, &out.get::<u32>(1), &want)
    });
}

#[test]
fn gcd_loops_of_unequal_lengths_agree() {
    let a: Vec<u32> = u32s(3, 200).iter().map(|v| v % 1000).collect();
    let b: Vec<u32> = u32s(4, 200).iter().map(|v| v % 1000).collect();
    fn euclid(a: u32, b: u32) -> u32 {
        if b == 0 { a } else { euclid(b, a % b) }
    }
    let want: Vec<u32> = a.iter().zip(&b).map(|(a, b)| euclid(*a, *b)).collect();
    each(builds_and_wave64("diverge"), |build| {
        let launch = build.launch("gcd").grid([1, 1, 1]).block([200, 1, 1]);
        let out = launch
            .buffer(&a)
            .buffer(&b)
            .output::<u32>(200)
            .arg(200u32)
            .run()?;
        exact("gcd", 1, &out.get::<u32>(2), &want)
    });
}

#[test]
pub(crate) fn barriers_between_divergent_branches_hold() {
    let x: Vec<u32> = u32s(5, 400).iter().map(|v| v & 0xf0ff_000f).collect();
    let rounds = 9u32;
    let mut want = x.clone();
    for block in want.chunks_mut(200) {
        for r in 0..rounds {
            let old = block.to_vec();
            for t in 0..200 {
                let (left, right) = (old[(t + 199) % 200], old[(t + 1) % 200]);
                block[t] = if t % 2 == 0 {
                    let sum = left.wrapping_add(right);
                    sum.rotate_left(sum & 3)
                } else if left > right {
                    left - right
                } else if left == right {
                    left.wrapping_mul(3).wrapping_add(1)
                } else {
                    (left ^ right).wrapping_add(r)
                };
            }
        }
    }
    each(builds_and_wave64("diverge"), |build| {
        let out = build
            .launch("ladder")
            .grid([2, 1, 1])
            .block([200, 1, 1])
            .buffer(&x)
            .arg(rounds)
            .run()?;
        exact("ladder", 1, &out.get::<u32>(0), &want)
    });
}
