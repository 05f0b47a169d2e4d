//! Cards: what there is to know of one instruction in one generation.

mod encoding;
mod operands;
mod relation;

use serde::Serialize;
use waveglass_exec::Fidelity;
use waveglass_isa::{Generation, Implicit, InstDef, InstInfo, Target, row_layout};

use crate::catalogue::{GENERATIONS, Instruction, Name, targets};
use crate::description::{Description, description, members};
use crate::example::{Example, Examples};
use crate::vocabulary;

pub(crate) use encoding::cards as encoding_cards;
pub use encoding::{BitKind, BitRow, EncodingCard, Opcode, encoding_rows, plain_rows};
pub use operands::OperandRow;
pub use relation::{Difference, GenerationRow, Relation};

/// What there is to know of an instruction in a generation.
#[derive(Clone, Debug, Serialize)]
pub struct Card {
    /// The mnemonic in this generation.
    pub name: &'static str,
    /// The generation, as in "CDNA 4".
    pub generation: &'static str,
    /// Other names, in this generation and in others.
    pub aliases: Vec<Alias>,
    /// The group that it belongs to.
    pub group: &'static str,
    /// The others of the group in this generation.
    pub neighbours: Vec<&'static str>,
    /// What it does, in one sentence.
    pub summary: String,
    /// The same as a formula; `docs/notation.md` explains the notation.
    pub formula: Vec<String>,
    /// Rules at the edges and differences between generations.
    pub notes: Vec<String>,
    /// More, in prose; may be empty.
    pub prose: String,
    /// How an address comes about, what is checked and when the result may be read, for
    /// instructions that access memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryFacts>,
    /// The encodings that it has, the main one first.
    pub encodings: Vec<EncodingCard>,
    /// The operands of the main encoding, in AMD's order.
    pub operands: Vec<OperandRow>,
    /// Registers and counters that it touches without naming them.
    pub implicit: Vec<ImplicitRow>,
    /// The counters that it increments.
    pub counters: Vec<&'static str>,
    /// How it stands in each generation, compared with this one.
    pub generations: Vec<GenerationRow>,
    /// Every target, and whether it has the instruction.
    pub targets: Vec<TargetRow>,
    /// Examples on the first target of the generation, one for each form.
    pub examples: Vec<Example>,
    /// How exactly it is executed, on each target of the generation.
    pub fidelity: Vec<FidelityRow>,
}

/// Another name of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Alias {
    /// The name.
    pub name: &'static str,
    /// The generations in which it is the main spelling.
    pub main_in: Vec<&'static str>,
}

/// A register or counter that an instruction touches without naming it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImplicitRow {
    /// Its name.
    pub register: &'static str,
    /// "read", "written" or "read and written".
    pub access: &'static str,
}

/// Whether a target has the instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TargetRow {
    /// The target.
    pub target: &'static str,
    /// Its generation.
    pub generation: &'static str,
    /// Whether it has the instruction.
    pub supported: bool,
    /// The mnemonic there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'static str>,
}

/// How exactly an instruction is executed on a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FidelityRow {
    /// The target.
    pub target: &'static str,
    /// "exact", "approximate" or "refused".
    pub status: &'static str,
    /// The error of an approximate one, the reason of a refused one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<&'static str>,
}

/// What holds for every access of a kind in a generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryFacts {
    /// The kind, as in "buffer".
    pub kind: &'static str,
    /// What such an access is.
    pub text: Vec<String>,
    /// How the address comes about.
    pub address: Vec<String>,
    /// What is checked.
    pub checks: Vec<String>,
    /// What happens out of range or on a violation.
    pub violations: Vec<String>,
    /// When the result may be read.
    pub completion: Vec<String>,
}

impl FidelityRow {
    /// The row of an instruction on a target.
    pub fn new(target: Target, def: &InstDef) -> Self {
        let (status, detail) = match waveglass_exec::fidelity(target, def) {
            Fidelity::Exact => ("exact", None),
            Fidelity::Approximate { error } => ("approximate", Some(error)),
            Fidelity::Refused { reason } => ("refused", Some(reason)),
        };
        Self {
            target: target.name(),
            status,
            detail,
        }
    }
}

/// Makes cards of one generation.
pub struct Cards {
    generation: Generation,
    /// Made when a card first asks for them.
    examples: Vec<Option<Examples>>,
}

impl Cards {
    /// A maker of cards of a generation.
    pub fn new(generation: Generation) -> Self {
        Self {
            generation,
            examples: targets(generation).map(|_| None).collect(),
        }
    }

    /// The card of an instruction, `None` where the generation does not have it.
    pub fn card(&mut self, instruction: &Instruction) -> Option<Card> {
        let generation = self.generation;
        let name = instruction.in_generation(generation)?;
        let rows = rows_in(name, generation);
        let target = first_target(name, generation)?;
        let described = description(name.mnemonic).unwrap_or_else(undescribed);
        let encodings = encoding_cards(name, &rows, target);
        let main: Vec<&'static InstDef> = rows
            .iter()
            .copied()
            .filter(|r| r.encoding() == rows[0].encoding())
            .collect();
        let names = instruction.all_names();
        let examples = self.examples(&rows);
        let info = examples.first().map(|(inst, _)| InstInfo::new(inst));
        Some(Card {
            name: name.mnemonic,
            generation: generation.name(),
            aliases: aliases(instruction, name),
            group: described.group,
            neighbours: members(described.group)
                .iter()
                .map(String::as_str)
                .filter(|n| *n != name.mnemonic && is_in(n, generation))
                .collect(),
            summary: described.summary,
            formula: described.formula,
            notes: described.notes,
            prose: described.prose,
            memory: row_layout(rows[0], target)
                .first()
                .and_then(|(e, _)| vocabulary::memory(name.mnemonic, e.name, generation)),
            operands: operands::rows(&main, target, generation, &names),
            implicit: implicit(&main),
            counters: info
                .map(|i| i.counters.iter().map(|c| c.name()).collect())
                .unwrap_or_default(),
            generations: GENERATIONS
                .into_iter()
                .map(|g| relation::row(instruction, generation, g))
                .collect(),
            targets: Target::ALL
                .iter()
                .map(|&t| {
                    let there = instruction
                        .names()
                        .find(|n| n.targets >> t.index() & 1 != 0);
                    TargetRow {
                        target: t.name(),
                        generation: t.generation().name(),
                        supported: there.is_some(),
                        name: there.map(|n| n.mnemonic),
                    }
                })
                .collect(),
            fidelity: targets(generation)
                .filter_map(|t| {
                    let row = rows.iter().find(|r| r.has_target(t))?;
                    Some(FidelityRow::new(t, row))
                })
                .collect(),
            examples: examples.into_iter().map(|(_, e)| e).collect(),
            encodings,
        })
    }

    /// An example for each form on the first target that has it, equal texts once.
    fn examples(&mut self, rows: &[&'static InstDef]) -> Vec<(waveglass_isa::Inst, Example)> {
        let mut out: Vec<(waveglass_isa::Inst, Example)> = Vec::new();
        let mut pairs: Vec<&str> = Vec::new();
        for &row in rows {
            // Of the many pairs of a VOPD half, one in each encoding.
            if row.mnemonic.contains(" :: ") {
                if pairs.contains(&row.encoding()) {
                    continue;
                }
                pairs.push(row.encoding());
            }
            let of_row = targets(self.generation)
                .zip(&mut self.examples)
                .find(|(t, _)| row.has_target(*t))
                .and_then(|(t, examples)| examples.get_or_insert_with(|| Examples::new(t)).of(row));
            if let Some(e) = of_row
                && out.iter().all(|(_, o)| o.text != e.1.text)
            {
                out.push(e);
            }
        }
        out
    }
}

fn undescribed() -> Description {
    Description {
        group: "Other",
        summary: String::new(),
        formula: Vec::new(),
        notes: Vec::new(),
        prose: String::new(),
    }
}

/// The rows of a name that a generation has.
pub(crate) fn rows_in(name: &Name, generation: Generation) -> Vec<&'static InstDef> {
    name.rows
        .iter()
        .copied()
        .filter(|r| targets(generation).any(|t| r.has_target(t)))
        .collect()
}

pub(crate) fn first_target(name: &Name, generation: Generation) -> Option<Target> {
    targets(generation).find(|t| name.targets >> t.index() & 1 != 0)
}

fn is_in(mnemonic: &str, generation: Generation) -> bool {
    crate::catalogue()
        .named(mnemonic)
        .is_some_and(|n| n.has_generation(generation))
}

fn aliases(instruction: &Instruction, name: &Name) -> Vec<Alias> {
    instruction
        .all_names()
        .into_iter()
        .filter(|n| *n != name.mnemonic)
        .map(|n| Alias {
            name: n,
            main_in: GENERATIONS
                .into_iter()
                .filter(|g| instruction.name_in(*g) == Some(n))
                .map(Generation::name)
                .collect(),
        })
        .collect()
}

fn implicit(rows: &[&'static InstDef]) -> Vec<ImplicitRow> {
    const NAMES: [(Implicit, &str); 8] = [
        (Implicit::EXEC, "EXEC"),
        (Implicit::MODE, "MODE"),
        (Implicit::VCC, "VCC"),
        (Implicit::SCC, "SCC"),
        (Implicit::M0, "M0"),
        (Implicit::FLAT_SCR, "FLAT_SCRATCH"),
        (Implicit::ASYNCCNT, "ASYNCCNT"),
        (Implicit::TENSORCNT, "TENSORCNT"),
    ];
    let reads = rows.iter().fold(Implicit::empty(), |a, r| a | r.reads);
    let writes = rows.iter().fold(Implicit::empty(), |a, r| a | r.writes);
    NAMES
        .into_iter()
        .filter_map(|(bit, register)| {
            let access = match (reads.contains(bit), writes.contains(bit)) {
                (true, false) => "read",
                (false, true) => "written",
                (true, true) => "read and written",
                (false, false) => return None,
            };
            Some(ImplicitRow { register, access })
        })
        .collect()
}
