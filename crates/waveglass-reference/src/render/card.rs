//! The document of a card.

use super::{Block, Document, range};
use crate::amd::AmdName;
use crate::card::{BitKind, Card, GenerationRow, OperandRow, Relation};
use crate::vocabulary;

/// What a card says, as a document.
pub fn card_document(card: &Card) -> Document {
    let mut doc = Document::default();
    doc.heading(1, format!("{} on {}", card.name, card.generation));
    if !card.aliases.is_empty() {
        let names: Vec<String> = card
            .aliases
            .iter()
            .map(|a| match &a.main_in[..] {
                [] => a.name.to_owned(),
                gens => format!("{} (the main name on {})", a.name, gens.join(", ")),
            })
            .collect();
        doc.paragraph(format!("Also written {}.", names.join("; ")));
    }
    doc.paragraph(card.summary.clone());
    doc.code(card.formula.clone());
    doc.table(
        &[],
        vocabulary::names_in_formulas(&card.formula)
            .into_iter()
            .map(|(name, text)| vec![name.to_owned(), text.to_owned()])
            .collect(),
    );
    doc.paragraph(card.prose.clone());
    doc.list(card.notes.clone());
    memory(&mut doc, card);
    encodings(&mut doc, card);
    operands(&mut doc, card);
    doc.heading(2, "Generations");
    doc.table(
        &[],
        card.generations
            .iter()
            .map(|g| {
                vec![
                    g.generation.to_owned(),
                    g.name.unwrap_or("-").to_owned(),
                    differences_in_words(g),
                ]
            })
            .collect(),
    );
    let of = |supported: bool| -> Vec<&str> {
        card.targets
            .iter()
            .filter(|t| t.supported == supported)
            .map(|t| t.target)
            .collect()
    };
    let (yes, no) = (of(true), of(false));
    doc.heading(2, "Targets");
    doc.table(
        &[],
        [("supported", yes), ("not supported", no)]
            .into_iter()
            .filter(|(_, t)| !t.is_empty())
            .map(|(word, t)| vec![word.to_owned(), t.join(", ")])
            .collect(),
    );
    if !card.examples.is_empty() {
        doc.heading(2, format!("Examples ({})", card.examples[0].target));
        doc.table(
            &[],
            card.examples
                .iter()
                .map(|e| {
                    let wave = e
                        .wave_size
                        .map_or(String::new(), |w| format!("  (wave{w})"));
                    vec![e.text.clone(), format!("{}{wave}", e.bytes)]
                })
                .collect(),
        );
    }
    doc.heading(2, "How exactly Waveglass runs it");
    doc.table(
        &[],
        card.fidelity
            .iter()
            .map(|f| {
                vec![
                    f.target.to_owned(),
                    match f.detail {
                        Some(d) => format!("{}: {d}", f.status),
                        None => f.status.to_owned(),
                    },
                ]
            })
            .collect(),
    );
    doc.heading(2, format!("Group: {}", card.group));
    if !card.neighbours.is_empty() {
        doc.paragraph(format!(
            "More in the group: {}.",
            card.neighbours.join(", ")
        ));
    }
    doc
}

fn memory(doc: &mut Document, card: &Card) {
    let Some(m) = &card.memory else { return };
    doc.heading(2, "Address and order");
    for p in &m.text {
        doc.paragraph(p.clone());
    }
    doc.code(m.address.clone());
    let point = |what: &str, lines: &[String]| -> Vec<String> {
        lines.iter().map(|l| format!("{what}: {l}")).collect()
    };
    let mut points = point("checked", &m.checks);
    points.extend(point("otherwise", &m.violations));
    points.extend(point("result", &m.completion));
    doc.list(points);
}

fn encodings(doc: &mut Document, card: &Card) {
    for e in &card.encodings {
        let opcodes: Vec<String> = e
            .opcodes
            .iter()
            .map(|o| {
                if o.field == "OP" {
                    o.value.to_string()
                } else {
                    format!("{} in {}", o.value, o.field)
                }
            })
            .collect();
        doc.heading(2, format!("Encoding {}", e.name));
        let identifier = e
            .identifier
            .as_ref()
            .map_or(String::new(), |i| format!(", identifier {i}"));
        doc.paragraph(format!(
            "Format {}, width {} bits, opcode {}{identifier}.",
            e.format,
            e.width,
            opcodes.join(" or ")
        ));
        doc.blocks.push(Block::Bits(e.bits.clone()));
    }
    let mut rows = Vec::new();
    for b in &card.encodings[0].bits {
        let what = match b.kind {
            BitKind::Fixed => "tells the encoding".to_owned(),
            BitKind::Opcode => "the opcode".to_owned(),
            BitKind::Unassigned => "no field".to_owned(),
            kind => {
                let words = vocabulary::field(b.name, &card.encodings[0].layouts)
                    .unwrap_or_default()
                    .to_owned();
                match kind {
                    BitKind::Unused if words.is_empty() => "not used here".to_owned(),
                    BitKind::Unused => format!("not used here: {words}"),
                    BitKind::Form => {
                        format!("always {}: {words}", b.value.as_deref().unwrap_or(""))
                    }
                    _ => words,
                }
            }
        };
        rows.push(vec![range(b.hi, b.lo), b.name.to_owned(), what]);
    }
    doc.heading(2, format!("Fields of {}", card.encodings[0].name));
    doc.table(&[], rows);
}

fn operands(doc: &mut Document, card: &Card) {
    if !card.operands.is_empty() {
        doc.heading(2, "Operands");
        doc.table(
            &[
                "field",
                "bits",
                "data",
                "access",
                "AMD's type",
                "what may stand there",
            ],
            card.operands
                .iter()
                .map(|o| {
                    vec![
                        o.field.to_owned(),
                        o.field_bits.to_string(),
                        o.data_bits
                            .map_or("varies".to_owned(), |b| format!("{b} bits")),
                        o.access.to_owned(),
                        amd_names(o),
                        o.allowed.clone(),
                    ]
                })
                .collect(),
        );
    }
    let mut rest: Vec<Vec<String>> = card
        .implicit
        .iter()
        .map(|i| vec![i.register.to_owned(), i.access.to_owned()])
        .collect();
    rest.extend(card.counters.iter().map(|c| {
        vec![
            (*c).to_owned(),
            "incremented; decremented when done".to_owned(),
        ]
    }));
    if !rest.is_empty() {
        doc.heading(2, "Without a field");
        doc.table(&[], rest);
    }
}

/// AMD's names of an operand, as in "OPR_VGPR, FMT_ANY (inferred)".
fn amd_names(o: &OperandRow) -> String {
    let word = |n: &Option<AmdName>| match n {
        Some(n) if n.inferred => format!("{} (inferred)", n.name),
        Some(n) => n.name.to_owned(),
        None => "-".to_owned(),
    };
    match (&o.amd_type, &o.amd_format) {
        (None, None) => "-".to_owned(),
        (Some(t), Some(f)) if t.inferred && f.inferred => {
            format!("{}, {} (inferred)", t.name, f.name)
        }
        (t, f) => format!("{}, {}", word(t), word(f)),
    }
}

/// How a generation's main encoding differs from the card's, in words.
pub fn differences_in_words(row: &GenerationRow) -> String {
    match row.relation {
        Relation::This => "this card".to_owned(),
        Relation::Same => "the same layout and opcode".to_owned(),
        Relation::Absent => "absent".to_owned(),
        Relation::Different => row
            .differences
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("; "),
    }
}
