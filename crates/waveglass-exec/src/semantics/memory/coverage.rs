//! Which memory instructions of which targets are refused.
//!
//! Every row of the tables is made into bytes, decoded, compiled and executed under an EXEC of zero; an
//! op that stops with a refusal is one. They must be the ones that [`REFUSED`] has with a reason, so that
//! one that comes or goes is seen, and a form that loses its semantics while others of its mnemonic keep
//! them.

use super::refused::REFUSED;
use crate::error::Stop;
use crate::program::Step;
use crate::testing::Bench;
use std::collections::{BTreeMap, BTreeSet};
use waveglass_isa::{Decoder, Target, rows};

/// Whether an instruction is one of memory.
fn is_memory(mnemonic: &str, encoding: &str) -> bool {
    const ENCODINGS: [&str; 8] = [
        "SMEM", "DS", "MUBUF", "MTBUF", "VBUFFER", "FLAT", "VGLOBAL", "VSCRATCH",
    ];
    ENCODINGS.iter().any(|e| encoding.contains(e)) || mnemonic.starts_with("tensor")
}

#[test]
fn the_refused_memory_instructions_are_these() {
    let mut refused: BTreeSet<(String, &str)> = BTreeSet::new();
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for &target in Target::ALL {
        let mut seen: BTreeMap<&str, bool> = BTreeMap::new();
        for def in rows().iter().filter(|d| d.has_target(target)) {
            if !is_memory(def.mnemonic, def.encoding()) {
                continue;
            }
            let lanes = if target.is_gfx9() || def.wave == 64 {
                64
            } else {
                32
            };
            let bytes: Vec<u8> = def.value.iter().flat_map(|w| w.to_le_bytes()).collect();
            let inst = Decoder::new(target)
                .wave_size(lanes)
                .decode(&bytes)
                .unwrap_or_else(|e| panic!("{} on {target}: {e}", def.mnemonic));
            let hex: String = bytes[..inst.size()]
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect();
            let mut b = Bench::new(target, lanes);
            b.wave.set_exec(0);
            // Settings without which some are refused.
            b.env.ordered_append = true;
            let is_refused = matches!(b.run(&hex), Step::Stop(Stop::Refused { .. }));
            *seen.entry(inst.mnemonic()).or_default() |= is_refused;
        }
        for (mnemonic, is_refused) in seen {
            let (done, left) = counts.entry(target.name()).or_default();
            if is_refused {
                *left += 1;
                refused.insert((mnemonic.to_owned(), target.name()));
            } else {
                *done += 1;
            }
        }
    }
    println!("target: done, refused: {counts:?}");
    let want: BTreeSet<(String, &str)> = rows()
        .iter()
        .filter(|d| REFUSED.iter().any(|(names, _)| names.contains(&d.mnemonic)))
        .flat_map(|d| {
            let targets = Target::ALL.iter().filter(|&&t| d.has_target(t));
            targets.map(|t| (d.mnemonic.to_owned(), t.name()))
        })
        .collect();
    let difference: Vec<_> = refused.symmetric_difference(&want).collect();
    assert!(difference.is_empty(), "{difference:?}");
    // Every name is some target's.
    for name in REFUSED.iter().flat_map(|(names, _)| *names) {
        assert!(want.iter().any(|(n, _)| n == name), "{name}");
    }
}
