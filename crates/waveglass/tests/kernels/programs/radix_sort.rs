//! A radix sort whose workgroups wait for each other's prefixes.

use crate::compare::exact;
use crate::harness::{Build, builds, builds_of, each};
use crate::input::u32s;

const TILE: usize = 1024;
const DIGITS: usize = 256;

fn sort(build: &Build, keys: &[u32], values: &[u32]) -> Result<(Vec<u32>, Vec<u32>), String> {
    let n = keys.len();
    let tiles = n.div_ceil(TILE);
    let counts = build
        .launch("digit_counts")
        .grid([3, 1, 1])
        .block([256, 1, 1])
        .buffer(keys)
        .buffer(&vec![0u32; 4 * DIGITS])
        .arg(n as u32)
        .run()?
        .get::<u32>(1);
    let (mut keys, mut values) = (keys.to_vec(), values.to_vec());
    for pass in 0..4 {
        let out = build
            .launch("sort_pass")
            .grid([tiles as u32, 1, 1])
            .block([256, 1, 1])
            .buffer(&keys)
            .buffer(&values)
            .output::<u32>(n)
            .output::<u32>(n)
            .buffer(&counts[pass * DIGITS..][..DIGITS])
            .buffer(&vec![0u32; tiles * DIGITS])
            .buffer(&[0u32])
            .arg(8 * pass as u32)
            .arg(n as u32)
            .run()?;
        (keys, values) = (out.get(2), out.get(3));
    }
    Ok((keys, values))
}

#[test]
fn pairs_are_sorted_and_equal_keys_keep_their_order() {
    let n = 6 * TILE + 345;
    // Keys repeat in all digits.
    let keys: Vec<u32> = u32s(1, n).iter().map(|k| k & 0xf10f_030f).collect();
    let values: Vec<u32> = (0..n as u32).collect();
    let mut want: Vec<(u32, u32)> = keys.iter().copied().zip(0..).collect();
    want.sort_by_key(|pair| pair.0);
    let (want_keys, want_values): (Vec<u32>, Vec<u32>) = want.into_iter().unzip();
    let mut all = builds("radix_sort");
    all.extend(builds_of(
        "radix_sort",
        &["O3.wave64"],
        &["gfx1030", "gfx1100", "gfx1201"],
    ));
    each(all, |build| {
        let (got_keys, got_values) = sort(build, &keys, &values)?;
        exact("sort_pass keys", 1, &got_keys, &want_keys)?;
        exact("sort_pass values", 1, &got_values, &want_values)
    });
}
