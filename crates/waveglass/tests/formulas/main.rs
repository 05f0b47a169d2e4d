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
mod memory;
mod parser;
mod random;
mod subject;
mod value;

use bench::Bench;
use check::{Outcome, Part, check};
use library::Library;
use memory::check_memory;
use std::collections::{BTreeMap, BTreeSet};
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

/// The groups whose formulas are about memory too, and can be held to one lane's access.
fn is_memory(group: &str) -> bool {
    matches!(
        group,
        "Flat memory"
            | "Flat atomics"
            | "Global memory"
            | "Global atomics"
            | "Buffer memory"
            | "Buffer atomics"
            | "LDS (data share)"
            | "LDS atomics"
            | "LDS atomics with return"
    )
}

/// How many instructions are compared on each target, at least.
const REGISTERS: &[(&str, usize)] = &[
    ("gfx1010", 596),
    ("gfx1030", 600),
    ("gfx1100", 636),
    ("gfx1150", 694),
    ("gfx1200", 699),
    ("gfx1201", 699),
    ("gfx1250", 827),
    ("gfx1251", 827),
    ("gfx900", 585),
    ("gfx906", 594),
    ("gfx908", 601),
    ("gfx90a", 607),
    ("gfx942", 614),
    ("gfx950", 679),
];

/// The same for instructions that access memory.
const MEMORY: &[(&str, usize)] = &[
    ("gfx1010", 274),
    ("gfx1030", 278),
    ("gfx1100", 272),
    ("gfx1150", 272),
    ("gfx1200", 284),
    ("gfx1201", 284),
    ("gfx1250", 298),
    ("gfx1251", 298),
    ("gfx900", 256),
    ("gfx906", 256),
    ("gfx908", 260),
    ("gfx90a", 271),
    ("gfx942", 279),
    ("gfx950", 280),
];

/// What the comparison of all instructions of the groups came to.
#[derive(Default)]
struct Tally {
    /// Instructions by target.
    compared: BTreeMap<&'static str, BTreeSet<&'static str>>,
    /// Instructions that are not compared, by reason.
    reasons: BTreeMap<String, BTreeSet<&'static str>>,
    differences: Vec<String>,
}

fn compare_all(belongs: fn(&str) -> bool, memory: bool) -> Tally {
    // To look at one thing alone; the counts do not hold then.
    let only = std::env::var("WAVEGLASS_FORMULAS").unwrap_or_default();
    let library = Library::default();
    let mut tally = Tally::default();
    for &target in Target::ALL {
        let mut examples = Examples::new(target);
        let mut benches = BTreeMap::new();
        for def in rows().iter().filter(|d| d.has_target(target)) {
            let names: Vec<&'static str> = def.mnemonic.split(" :: ").collect();
            if !names.iter().all(|n| group_of(n).is_some_and(belongs))
                || ["DPP", "SDWA"].iter().any(|e| def.encoding().contains(e))
                || !def.mnemonic.contains(&only)
            {
                continue;
            }
            let Some((inst, example)) = examples.of(def) else {
                continue;
            };
            // The descriptions are of the forms that write registers, without the status of TFE.
            if [" lds", " tfe"].iter().any(|f| example.text.ends_with(f)) {
                continue;
            }
            let lanes = inst.wave_size();
            let bench = benches
                .entry(lanes)
                .or_insert_with(|| Bench::new(target, lanes));
            let outcome = if memory {
                check_memory(bench, &library, &inst, def.mnemonic)
            } else {
                let half = |i| (names.len() > 1).then_some(i);
                let parts = names.iter().enumerate();
                let parts: Vec<Part<'_>> = parts
                    .map(|(i, mnemonic)| Part {
                        mnemonic,
                        half: half(i),
                    })
                    .collect();
                check(bench, &library, &inst, &parts)
            };
            match outcome {
                Outcome::Same => tally
                    .compared
                    .entry(target.name())
                    .or_default()
                    .extend(names),
                Outcome::NotCompared(why) => tally.reasons.entry(why).or_default().extend(names),
                Outcome::Differs(why) => {
                    let line = format!("{}: {}: {why}", target.name(), example.text);
                    tally.differences.push(line);
                }
            }
        }
    }
    tally
}

impl Tally {
    /// Asserts that nothing differs, that as many instructions were compared on each target as are
    /// expected, and that the others are those of the list, for its reasons.
    fn hold(&self, counts: &[(&str, usize)], others: &str) {
        assert!(
            self.differences.is_empty(),
            "{} differences:\n{}",
            self.differences.len(),
            self.differences.join("\n")
        );
        let got: String = self
            .reasons
            .iter()
            .map(|(why, names)| {
                let names: Vec<&str> = names.iter().copied().collect();
                format!("{why}\n  {}\n", names.join("\n  "))
            })
            .collect();
        assert!(
            got == others,
            "formulas that are not compared are to be classified; now they are:\n{got}"
        );
        let got: Vec<(&str, usize)> = self.compared.iter().map(|(t, n)| (*t, n.len())).collect();
        assert!(
            got.len() == counts.len()
                && counts
                    .iter()
                    .zip(&got)
                    .all(|(c, g)| c.0 == g.0 && c.1 <= g.1),
            "instructions compared on each target: {got:?}"
        );
    }
}

#[test]
fn formulas_of_registers_say_what_runs() {
    compare_all(is_covered, false).hold(REGISTERS, include_str!("not_compared.txt"));
}

#[test]
fn formulas_of_memory_say_what_runs() {
    compare_all(is_memory, true).hold(MEMORY, include_str!("not_compared_memory.txt"));
}
