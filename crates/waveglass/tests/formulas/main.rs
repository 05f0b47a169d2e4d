//! The formulas of the instruction reference, held to the executor: each is evaluated on random and
//! edge values of the registers that it names, by arithmetic of its own, and the instruction is
//! executed on the same registers.

mod bench;
mod check;
mod eval;
mod float;
mod functions;
mod lexer;
mod library;
mod parser;
mod random;
mod subject;
mod value;

use bench::Bench;
use check::{Outcome, Part, check};
use library::Library;
use std::collections::BTreeMap;
use waveglass::isa::{Target, rows};
use waveglass::reference::{Examples, group_of};

/// The groups whose formulas are about registers alone.
fn is_covered(group: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "Scalar arithmetic",
        "Scalar bit",
        "Scalar floating",
        "Scalar comparison",
        "Scalar operations on EXEC",
        "Scalar moves",
        "Vector",
        "Minimum",
        "Functions",
        "Division",
        "Comparison",
        "Conversion",
        "Packed",
        "Mixed",
        "Dual issue",
    ];
    BEGINNINGS.iter().any(|b| group.starts_with(b)) || group == "Lane exchange"
}

#[test]
fn formulas_say_what_runs() {
    let only = std::env::var("WAVEGLASS_FORMULAS").unwrap_or_default();
    let only_target = std::env::var("WAVEGLASS_FORMULAS_TARGET").unwrap_or_default();
    let library = Library::default();
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut differences = Vec::new();
    for &target in Target::ALL {
        if !target.name().contains(&only_target) {
            continue;
        }
        let mut compared = 0;
        let mut examples = Examples::new(target);
        let mut benches = BTreeMap::new();
        for def in rows().iter().filter(|d| d.has_target(target)) {
            let names: Vec<&str> = def.mnemonic.split(" :: ").collect();
            if !names.iter().all(|n| group_of(n).is_some_and(is_covered))
                || ["DPP", "SDWA"].iter().any(|e| def.encoding().contains(e))
                || !def.mnemonic.contains(&only)
            {
                continue;
            }
            let Some((inst, example)) = examples.of(def) else {
                continue;
            };
            let lanes = inst.wave_size();
            let bench = benches.entry(lanes).or_insert_with(|| Bench::new(target, lanes));
            let parts: Vec<Part<'_>> = names
                .iter()
                .enumerate()
                .map(|(i, mnemonic)| Part {
                    mnemonic,
                    half: (names.len() > 1).then_some(i),
                })
                .collect();
            match check(bench, &library, &inst, &parts) {
                Outcome::Same => compared += 1,
                Outcome::NotCompared(why) => {
                    let list = reasons.entry(why).or_default();
                    if !list.contains(&def.mnemonic.to_owned()) {
                        list.push(def.mnemonic.to_owned());
                    }
                }
                Outcome::Differs(why) => {
                    differences.push(format!("{}: {}: {why}", target.name(), example.text));
                }
            }
        }
        println!("{}: {compared}", target.name());
    }
    for (why, names) in &reasons {
        println!("{why}: {}", names.join(" "));
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
