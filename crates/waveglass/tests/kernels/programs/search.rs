//! String search by comparing and by an automaton.

use crate::compare::exact;
use crate::harness::{builds, each};
use crate::input::bytes;

/// A text of few letters, so that patterns nearly match often, with a pattern at tile edges.
fn text() -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut text: Vec<u8> = bytes(1, 3000)
        .iter()
        .map(|b| b"ab"[usize::from(b & 1)])
        .collect();
    let long: Vec<u8> = bytes(2, 64)
        .iter()
        .map(|b| b"abc"[usize::from(b % 3)])
        .collect();
    for at in [0, 193, 700, 2936] {
        text[at..at + 64].copy_from_slice(&long);
    }
    let patterns = vec![b"a".to_vec(), b"abaabba".to_vec(), b"aaaa".to_vec(), long];
    (text, patterns)
}

fn places(text: &[u8], pattern: &[u8]) -> Vec<u32> {
    let starts = text.windows(pattern.len()).enumerate();
    starts
        .filter(|(_, w)| w == &pattern)
        .map(|(i, _)| i as u32)
        .collect()
}

#[test]
fn every_place_is_found_once() {
    let (text, patterns) = text();
    each(builds("search"), |build| {
        for pattern in &patterns {
            let want = places(&text, pattern);
            let out = build
                .launch("search_tile")
                .grid([12, 1, 1])
                .block([256, 1, 1])
                .buffer(&text)
                .arg(text.len() as u32)
                .buffer(pattern)
                .arg(pattern.len() as u32)
                .output::<u32>(text.len())
                .buffer(&[0u32])
                .run()?;
            exact("search_tile", 1, &out.get::<u32>(3), &[want.len() as u32])?;
            let mut got = out.get::<u32>(2);
            got.truncate(want.len());
            got.sort_unstable();
            exact("search_tile", 1, &got, &want)?;
        }
        Ok(())
    });
}

#[test]
fn the_automaton_finds_matches_across_stretches() {
    let (text, patterns) = text();
    each(builds("search"), |build| {
        for pattern in &patterns {
            let mut masks = vec![0u64; 256];
            for (i, &c) in pattern.iter().enumerate() {
                masks[usize::from(c)] |= 1 << i;
            }
            let mut want = vec![0u8; text.len()];
            for at in places(&text, pattern) {
                want[at as usize + pattern.len() - 1] = 1;
            }
            let out = build
                .launch("search_automaton")
                .grid([2, 1, 1])
                .block([64, 1, 1])
                .buffer(&text)
                .arg(text.len() as u32)
                .buffer(&masks)
                .arg(pattern.len() as u32)
                .arg(27u32)
                .buffer(&vec![0u8; text.len()])
                .run()?;
            exact("search_automaton", 1, &out.get::<u8>(2), &want)?;
        }
        Ok(())
    });
}
