//! Histograms through LDS atomics.

use crate::compare::exact;
use crate::harness::{Build, builds, builds_of, each};
use crate::input::{bytes, u32s, u64s};

fn all() -> Vec<Build> {
    let mut all = builds("histogram");
    all.extend(builds_of(
        "histogram",
        &["O3.wave64"],
        &["gfx1030", "gfx1100", "gfx1201"],
    ));
    all
}

#[test]
fn every_byte_is_counted_once() {
    // Skewed: half of the bytes contend for a few bins.
    let words: Vec<u32> = u32s(1, 5000)
        .iter()
        .enumerate()
        .map(|(i, w)| if i % 2 == 0 { w & 0x0301_0300 } else { *w })
        .collect();
    let mut want = vec![0u32; 256];
    for w in &words {
        w.to_le_bytes()
            .iter()
            .for_each(|&b| want[usize::from(b)] += 1);
    }
    each(all(), |build| {
        let out = build
            .launch("histogram_256")
            .grid([4, 1, 1])
            .block([256, 1, 1])
            .buffer(&words)
            .buffer(&[0u32; 256])
            .arg(words.len() as u32)
            .run()?;
        exact("histogram_256", 1, &out.get::<u32>(1), &want)
    });
}

#[test]
fn weights_are_summed_and_bounded_in_64_bits() {
    let (bins, weights) = (bytes(2, 3000), u64s(3, 3000));
    let mut want: Vec<u64> = [0, u64::MAX, 0, 0].repeat(64);
    for (bin, weight) in bins.iter().zip(&weights) {
        let b = &mut want[4 * usize::from(bin & 63)..][..4];
        b[0] = b[0].wrapping_add(*weight);
        b[1] = b[1].min(*weight);
        b[2] = b[2].max(*weight);
        b[3] ^= weight;
    }
    each(all(), |build| {
        let out = build
            .launch("histogram_weighted")
            .grid([3, 1, 1])
            .block([256, 1, 1])
            .buffer(&bins)
            .buffer(&weights)
            .buffer(&[0, u64::MAX, 0, 0].repeat(64))
            .arg(3000u32)
            .run()?;
        exact("histogram_weighted", 4, &out.get::<u64>(2), &want)
    });
}
