//! The formulas of the instruction reference, held to the executor: each is evaluated on random and
//! edge values of the registers that it names, by arithmetic of its own, and the instruction is
//! executed on the same registers.

mod assign;
mod bench;
mod check;
mod dest;
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
use waveglass::isa::{Decoder, Inst, Target, rows};
use waveglass::reference::{Examples, description, group_of};

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
                check_registers(bench, &library, &inst, &names)
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

/// Compares an instruction, or both halves of a pair, with every immediate of SOPK's that matters.
fn check_registers(
    bench: &mut Bench,
    library: &Library,
    inst: &Inst,
    names: &[&'static str],
) -> Outcome {
    let half = |i| (names.len() > 1).then_some(i);
    let parts = names.iter().enumerate();
    let parts: Vec<Part<'_>> = parts
        .map(|(i, mnemonic)| Part {
            mnemonic,
            half: half(i),
        })
        .collect();
    let mut outcome = check(bench, library, inst, &parts);
    let with_immediate = inst.def().encoding().contains("SOPK") && !names[0].contains("reg");
    let mut immediates: &[u16] = if with_immediate {
        &[0xfff3, 0x8000, 0x7fff]
    } else {
        &[]
    };
    while let (Outcome::Same, [simm16, rest @ ..]) = (&outcome, immediates) {
        let word = inst.words()[0] & 0xffff_0000 | u32::from(*simm16);
        let decoder = Decoder::new(inst.target()).wave_size(inst.wave_size());
        let Ok(other) = decoder.decode(&word.to_le_bytes()) else {
            break;
        };
        outcome = check(bench, library, &other, &parts);
        immediates = rest;
    }
    outcome
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

/// Formulas with one sign or name changed.
fn mutants(lines: &[String]) -> Vec<Vec<String>> {
    const CHANGES: &[(&str, &str)] = &[
        (" + ", " - "),
        (" - ", " + "),
        (" * ", " + "),
        (" & ", " | "),
        (" | ", " & "),
        (" ^ ", " | "),
        (" << ", " >> "),
        (" >> ", " << "),
        (" < ", " <= "),
        (" <= ", " < "),
        (" > ", " >= "),
        (" >= ", " > "),
        (" == ", " != "),
        ("min", "max"),
        ("max", "min"),
        ("S0", "S1"),
        ("S1", "S0"),
        ("sext", "zext"),
        ("floor", "ceil"),
        ("rint", "trunc"),
        ("[4:0]", "[5:0]"),
        ("~", ""),
        ("quiet", "rcp"),
    ];
    let mut out = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        for (from, to) in CHANGES {
            for (at, _) in line.match_indices(from) {
                let mut changed = lines.to_vec();
                changed[i] = format!("{}{to}{}", &line[..at], &line[at + from.len()..]);
                out.push(changed);
            }
        }
    }
    out
}

/// The comparison finds formulas that are wrong in one place. Not all of them: some say the same in
/// other words (the low half of a product of signed numbers is that of unsigned ones).
#[test]
fn wrong_formulas_differ() {
    let target = Target::Gfx1100;
    let library = Library::default();
    let (mut found, mut all) = (0, 0);
    let mut missed = Vec::new();
    let mut examples = Examples::new(target);
    let mut seen = BTreeSet::new();
    for def in rows().iter().filter(|d| d.has_target(target)) {
        let name = def.mnemonic;
        if !group_of(name).is_some_and(is_covered)
            || ["DPP", "SDWA"].iter().any(|e| def.encoding().contains(e))
            || seen.contains(name)
        {
            continue;
        }
        let Some((inst, _)) = examples.of(def) else {
            continue;
        };
        seen.insert(name);
        let Some(right) = description(name).map(|d| d.formula) else {
            continue;
        };
        let bench = &mut Bench::new(target, inst.wave_size());
        if !matches!(
            check_registers(bench, &library, &inst, &[name]),
            Outcome::Same
        ) {
            continue;
        }
        for wrong in mutants(&right) {
            if library.replace(name, &wrong).is_err() {
                continue;
            }
            match check_registers(bench, &library, &inst, &[name]) {
                Outcome::Differs(_) => found += 1,
                Outcome::Same => missed.push(format!("{name}: {}", wrong.join("; "))),
                Outcome::NotCompared(_) => continue,
            }
            all += 1;
        }
        library.replace(name, &right).expect("it was read before");
    }
    assert!(
        all >= 1900 && found * 100 >= all * 96,
        "only {found} of {all} differ; these do not:\n{}",
        missed.join("\n")
    );
}
