//! Writes the decode trees.

use crate::{Row, Shape, TARGETS};
use std::collections::HashMap;
use std::fmt::Write as _;

/// For each target: the top nine bits of the first dword choose a slot; a slot names a window of
/// further bits whose value chooses a list of candidate rows, most specific first.
pub(crate) fn write_trees(text: &mut String, shapes: &[Shape], rows: &[Row]) {
    let mut candidates: Vec<u16> = Vec::new();
    let mut lists: HashMap<Vec<u16>, (u32, u8)> = HashMap::new();
    // Leaf 0 is empty: slots without rows point there.
    let mut leaves: Vec<(u32, u8)> = vec![(0, 0)];
    let mut slots_text = String::new();
    for t in 0..TARGETS {
        let mine: Vec<usize> = (0..rows.len())
            .filter(|&i| rows[i].targets >> t & 1 != 0)
            .collect();
        let mut slots = Vec::new();
        for top in 0..512u32 {
            let here: Vec<usize> = mine
                .iter()
                .copied()
                .filter(|&i| {
                    let m = (shapes[rows[i].shape].mask as u32) >> 23;
                    let v = (rows[i].value as u32) >> 23;
                    top & m == v & m
                })
                .collect();
            if here.is_empty() {
                slots.push((0u8, 0u8, 0u32));
                continue;
            }
            let common = here
                .iter()
                .fold(!0u32, |a, &i| a & shapes[rows[i].shape].mask as u32)
                & 0x7f_ffff;
            let (shift, bits) = best_window(common, &here, rows);
            let base = leaves.len() as u32;
            for x in 0..1u32 << bits {
                let mut list: Vec<u16> = here
                    .iter()
                    .copied()
                    .filter(|&i| {
                        let wm = ((1u32 << bits) - 1) << shift;
                        rows[i].value as u32 & wm == x << shift
                    })
                    .map(|i| i as u16)
                    .collect();
                list.sort_by_key(|&i| {
                    (
                        std::cmp::Reverse(shapes[rows[i as usize].shape].mask.count_ones()),
                        i,
                    )
                });
                let leaf = *lists.entry(list.clone()).or_insert_with(|| {
                    let at = candidates.len() as u32;
                    candidates.extend(&list);
                    (
                        at,
                        u8::try_from(list.len()).expect("a short candidate list"),
                    )
                });
                leaves.push(leaf);
            }
            slots.push((shift as u8, bits as u8, base));
        }
        writeln!(slots_text, "{slots:?},").unwrap();
    }
    writeln!(
        text,
        "pub(crate) static SLOTS: [[(u8, u8, u32); 512]; {TARGETS}] = [\n{slots_text}];"
    )
    .unwrap();
    writeln!(
        text,
        "pub(crate) static LEAVES: [(u32, u8); {}] = {leaves:?};",
        leaves.len()
    )
    .unwrap();
    writeln!(
        text,
        "pub(crate) static CANDIDATES: [u16; {}] = {candidates:?};",
        candidates.len()
    )
    .unwrap();
}

/// The run of fixed bits, at most ten, that leaves the shortest longest list.
fn best_window(common: u32, here: &[usize], rows: &[Row]) -> (u32, u32) {
    let mut best = (here.len(), 0, 0);
    for shift in 0..23 {
        for bits in 1..=10u32 {
            if shift + bits > 23 {
                break;
            }
            let wm = ((1u32 << bits) - 1) << shift;
            if common & wm != wm {
                break;
            }
            let mut counts: HashMap<u32, usize> = HashMap::new();
            for &i in here {
                *counts.entry(rows[i].value as u32 & wm).or_default() += 1;
            }
            let longest = counts.values().copied().max().unwrap_or(0);
            if longest < best.0 {
                best = (longest, shift, bits);
            }
        }
    }
    (best.1, best.2)
}
