//! Encodings side by side.

use serde::Serialize;
use waveglass_isa::Target;

use crate::card::{BitKind, BitRow, EncodingCard, encoding_cards};
use crate::catalogue::Instruction;
use crate::render::{Block, Document, range};

/// One column of a comparison: an instruction's main encoding on some targets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// The mnemonic.
    pub name: &'static str,
    /// The targets that share the encoding.
    pub targets: Vec<&'static str>,
    /// The encoding.
    pub encoding: EncodingCard,
}

/// The encodings of instructions on targets, equal ones together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// The columns.
    pub columns: Vec<Column>,
    /// The targets that lack an instruction, with its name.
    pub absent: Vec<(String, &'static str)>,
}

/// Compares the main encodings of instructions on targets.
pub fn compare(instructions: &[&Instruction], targets: &[Target]) -> Comparison {
    let mut columns: Vec<Column> = Vec::new();
    let mut absent = Vec::new();
    for instruction in instructions {
        for &target in targets {
            let name = instruction
                .names()
                .find(|n| n.targets >> target.index() & 1 != 0);
            let Some(name) = name else {
                let known = instruction.all_names()[0];
                absent.push((known.to_owned(), target.name()));
                continue;
            };
            let rows: Vec<_> = name
                .rows
                .iter()
                .copied()
                .filter(|r| r.has_target(target))
                .collect();
            let Some(encoding) = encoding_cards(name, &rows, target).into_iter().next() else {
                continue;
            };
            let same = columns
                .iter_mut()
                .find(|c| c.name == name.mnemonic && c.encoding == encoding);
            match same {
                Some(c) => c.targets.push(target.name()),
                None => columns.push(Column {
                    name: name.mnemonic,
                    targets: vec![target.name()],
                    encoding,
                }),
            }
        }
    }
    Comparison { columns, absent }
}

impl Comparison {
    /// The comparison as a document: the encodings drawn, then the fields side by side.
    pub fn document(&self) -> Document {
        let mut doc = Document::default();
        for c in &self.columns {
            let opcodes: Vec<String> = c
                .encoding
                .opcodes
                .iter()
                .map(|o| o.value.to_string())
                .collect();
            doc.heading(
                2,
                format!(
                    "{} on {}: {}, {} bits, opcode {}",
                    c.name,
                    c.targets.join(", "),
                    c.encoding.name,
                    c.encoding.width,
                    opcodes.join(" or ")
                ),
            );
            doc.blocks.push(Block::Bits(c.encoding.bits.clone()));
        }
        if self.columns.len() > 1 {
            doc.heading(2, "Fields");
            let mut names: Vec<&'static str> = Vec::new();
            for b in self.columns.iter().flat_map(|c| &c.encoding.bits) {
                if b.kind != BitKind::Unassigned && !names.contains(&b.name) {
                    names.push(b.name);
                }
            }
            let mut rows = vec![
                std::iter::once(String::new())
                    .chain(self.columns.iter().map(|c| {
                        format!(
                            "{} {}",
                            c.name,
                            c.targets.first().copied().unwrap_or_default()
                        )
                    }))
                    .collect::<Vec<_>>(),
            ];
            for name in names {
                let of = |c: &Column| {
                    c.encoding
                        .bits
                        .iter()
                        .find(|b| b.name == name)
                        .map_or("-".to_owned(), place)
                };
                rows.push(
                    std::iter::once(name.to_owned())
                        .chain(self.columns.iter().map(of))
                        .collect(),
                );
            }
            doc.table(&[], rows);
        }
        if !self.absent.is_empty() {
            doc.heading(2, "Absent");
            let mut of: Vec<(&str, Vec<&str>)> = Vec::new();
            for (name, target) in &self.absent {
                match of.iter_mut().find(|(n, _)| n == name) {
                    Some((_, t)) => t.push(target),
                    None => of.push((name, vec![target])),
                }
            }
            doc.table(
                &[],
                of.into_iter()
                    .map(|(n, t)| vec![n.to_owned(), t.join(", ")])
                    .collect(),
            );
        }
        doc
    }
}

fn place(b: &BitRow) -> String {
    let at = range(b.hi, b.lo);
    match &b.value {
        Some(v) => format!("{at} = {v}"),
        None if b.kind == BitKind::Unused => format!("{at} (unused)"),
        None => at,
    }
}
