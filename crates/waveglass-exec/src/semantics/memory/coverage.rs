//! Which memory instructions of which targets are refused, and why.
//!
//! Every row of the tables is made into bytes, decoded and compiled; an op that stops when it is
//! executed is a refusal. The list of them is kept here, so that one that comes or goes is seen.

use crate::error::Stop;
use crate::program::Step;
use crate::testing::Bench;
use std::collections::BTreeMap;
use waveglass_isa::{Decoder, Target, rows};

/// Whether an encoding is one of memory instructions.
fn is_memory(encoding: &str) -> bool {
    [
        "SMEM", "DS", "VDS", "MUBUF", "MTBUF", "VBUFFER", "FLAT", "VFLAT", "VGLOBAL", "VSCRATCH",
    ]
    .iter()
    .any(|e| encoding.contains(e))
}

#[test]
fn list() {
    let mut done: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut refused: BTreeMap<(String, &str), Vec<&str>> = BTreeMap::new();
    for &target in Target::ALL {
        for def in rows().iter().filter(|d| d.has_target(target)) {
            if !(is_memory(def.encoding()) || def.mnemonic.starts_with("tensor")) {
                continue;
            }
            let lanes = if target.is_gfx9() { 64 } else { 32 };
            let bytes: Vec<u8> = def.value.iter().flat_map(|w| w.to_le_bytes()).collect();
            let Ok(inst) = Decoder::new(target).wave_size(lanes).decode(&bytes) else {
                println!("undecoded {} {target}", def.mnemonic);
                continue;
            };
            let words: String = inst.words()[..inst.size() / 4]
                .iter()
                .flat_map(|w| w.to_le_bytes())
                .map(|b| format!("{b:02x}"))
                .collect();
            let mut b = Bench::new(target, lanes);
            b.wave.set_exec(0);
            let name = inst.mnemonic();
            if let Step::Stop(Stop::Refused { why, .. }) = b.run(&words) {
                let key = (format!("{name} {}", def.shape.template), why);
                refused.entry(key).or_default().push(target.name());
            } else {
                let v = done.entry(target.name()).or_default();
                if !v.contains(&name) {
                    v.push(name);
                }
            }
        }
    }
    for ((name, why), targets) in &refused {
        println!("{name}: {why}: {}", targets.join(" "));
    }
    for (t, d) in &done {
        println!("{t} {}", d.len());
    }
}
