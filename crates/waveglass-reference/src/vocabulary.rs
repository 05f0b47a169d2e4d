//! The vocabulary beside the instructions: fields, counters, registers, AMD's operand types and
//! data formats, encodings, kinds of memory access (`data/vocabulary/`), buffer formats.
//!
//! The head of an entry is its kind and its names; a `field` may say in which encodings
//! (`field OFFSET in MUBUF MTBUF`), a `memory` entry names the generations for which it holds.

use std::sync::OnceLock;

use foldhash::{HashMap, HashMapExt as _};
use serde::Serialize;
use waveglass_isa::Generation;

use crate::amd;
use crate::card::MemoryFacts;
use crate::catalogue::GENERATIONS;
use crate::lines::blocks;
use crate::render::Document;

/// What an entry explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TermKind {
    /// A kind of memory access.
    Memory,
    /// A counter of outstanding operations.
    Counter,
    /// A register.
    Register,
    /// A field of an encoding.
    Field,
    /// One of AMD's operand types.
    OperandType,
    /// One of AMD's data formats.
    DataFormat,
    /// An encoding.
    Encoding,
    /// A question that readers ask.
    Answer,
    /// A name in formulas.
    Notation,
}

impl TermKind {
    const ALL: [(Self, &'static str); 9] = [
        (Self::Memory, "memory"),
        (Self::Counter, "counter"),
        (Self::Register, "register"),
        (Self::Field, "field"),
        (Self::OperandType, "operand-type"),
        (Self::DataFormat, "data-format"),
        (Self::Encoding, "encoding"),
        (Self::Answer, "answer"),
        (Self::Notation, "notation"),
    ];

    /// The kind's name, as in "operand-type".
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(k, _)| *k == self)
            .map_or("", |(_, n)| n)
    }
}

/// An entry of the vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Term {
    /// What it explains.
    pub kind: TermKind,
    /// The names that it goes by.
    pub names: Vec<&'static str>,
    /// The encodings of a field, the generations of a kind of access; empty for all.
    pub only: Vec<&'static str>,
    /// The explanation, a paragraph each.
    pub text: Vec<String>,
    /// Formulas (`=`).
    pub formula: Vec<String>,
    /// The fields of a register (`-`).
    pub fields: Vec<String>,
    /// What is checked (`?`).
    pub checks: Vec<String>,
    /// Notes, differences between generations, what happens on a violation (`!`).
    pub notes: Vec<String>,
    /// When results may be read (`>`).
    pub completion: Vec<String>,
}

/// The files.
const FILES: &[(&str, &str)] = &[
    (
        "answers.txt",
        include_str!("../data/vocabulary/answers.txt"),
    ),
    (
        "counters.txt",
        include_str!("../data/vocabulary/counters.txt"),
    ),
    (
        "encodings.txt",
        include_str!("../data/vocabulary/encodings.txt"),
    ),
    ("fields.txt", include_str!("../data/vocabulary/fields.txt")),
    ("memory.txt", include_str!("../data/vocabulary/memory.txt")),
    (
        "notation.txt",
        include_str!("../data/vocabulary/notation.txt"),
    ),
    (
        "operands.txt",
        include_str!("../data/vocabulary/operands.txt"),
    ),
    (
        "registers.txt",
        include_str!("../data/vocabulary/registers.txt"),
    ),
];

fn is_generation(word: &str) -> bool {
    word == "all" || GENERATIONS.iter().any(|g| amd::key(*g) == word)
}

fn parse(text: &'static str) -> Vec<Term> {
    let mut terms = Vec::new();
    for block in blocks(text) {
        let mut words = block.head.split_whitespace();
        let Some(kind) = words
            .next()
            .and_then(|w| TermKind::ALL.iter().find(|(_, n)| *n == w))
            .map(|(k, _)| *k)
        else {
            continue;
        };
        let words: Vec<&'static str> = words.collect();
        let (names, only) = match kind {
            TermKind::Memory | TermKind::Counter | TermKind::Register => {
                let names = words.iter().position(|w| is_generation(w));
                words.split_at(names.unwrap_or(words.len()))
            }
            TermKind::Answer => (&words[..], &[][..]),
            _ => match words.iter().position(|w| *w == "in") {
                Some(at) => (&words[..at], &words[at + 1..]),
                None => (&words[..], &[][..]),
            },
        };
        let mut term = Term {
            kind,
            names: names.to_vec(),
            only: only.to_vec(),
            text: Vec::new(),
            formula: Vec::new(),
            fields: Vec::new(),
            checks: Vec::new(),
            notes: Vec::new(),
            completion: Vec::new(),
        };
        for (mark, line) in block.lines {
            match mark {
                '=' => term.formula.push(line),
                '-' => term.fields.push(line),
                '?' => term.checks.push(line),
                '!' => term.notes.push(line),
                '>' => term.completion.push(line),
                _ => term.text.push(line),
            }
        }
        terms.push(term);
    }
    terms
}

struct Index {
    terms: Vec<Term>,
    /// The entries of a name, plain as [`plain`] makes it.
    names: HashMap<(TermKind, String), Vec<usize>>,
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let terms: Vec<Term> = FILES.iter().flat_map(|(_, text)| parse(text)).collect();
        let mut names: HashMap<(TermKind, String), Vec<usize>> = HashMap::new();
        for (at, t) in terms.iter().enumerate() {
            for n in &t.names {
                // ENC_X and X are one name.
                let of_name = names.entry((t.kind, plain(t.kind, n))).or_default();
                if of_name.last() != Some(&at) {
                    of_name.push(at);
                }
            }
        }
        Index { terms, names }
    })
}

/// A name as it is looked up: ENC_MUBUF and mubuf are one encoding.
fn plain(kind: TermKind, name: &str) -> String {
    let upper = name.to_ascii_uppercase();
    match upper.strip_prefix("ENC_") {
        Some(rest) if kind == TermKind::Encoding => rest.to_owned(),
        _ => upper,
    }
}

/// Every entry, in the order of the files.
pub fn terms() -> &'static [Term] {
    &index().terms
}

/// The entries of a kind under a name, case ignored.
pub fn find_terms(kind: TermKind, name: &str) -> Vec<&'static Term> {
    let index = index();
    index
        .names
        .get(&(kind, plain(kind, name)))
        .map(|found| found.iter().map(|&at| &index.terms[at]).collect())
        .unwrap_or_default()
}

/// What the names in formulas mean, each once, in the order in which they stand there.
pub fn names_in_formulas(formula: &[String]) -> Vec<(&'static str, &'static str)> {
    let mut out: Vec<(&'static str, &'static str)> = Vec::new();
    let words = formula
        .iter()
        .flat_map(|l| l.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
    for word in words {
        // Names keep their case here: `max` is a function, `MAX` a number.
        let found = terms()
            .iter()
            .filter(|t| t.kind == TermKind::Notation)
            .find_map(|t| Some((t, *t.names.iter().find(|n| **n == word)?)));
        if let Some((term, name)) = found
            && out.iter().all(|(n, _)| *n != name)
            && !matches!(name, "D" | "D0" | "D1" | "S0" | "S1" | "S2")
            && let Some(text) = term.text.first()
        {
            out.push((name, text));
        }
    }
    out
}

/// What a field does in an encoding, in a sentence or two.
pub fn field(name: &str, layouts: &[&str]) -> Option<&'static str> {
    let entries = find_terms(TermKind::Field, name);
    let fits = |t: &&&Term| {
        t.only.iter().any(|e| {
            let e = e.strip_prefix("ENC_").unwrap_or(e);
            layouts.contains(&e)
        })
    };
    entries
        .iter()
        .find(fits)
        .or_else(|| entries.iter().find(|t| t.only.is_empty()))
        .or_else(|| entries.first())
        .and_then(|t| t.text.first())
        .map(String::as_str)
}

/// The kind of access of an instruction that accesses memory.
pub fn memory_kind(mnemonic: &str, layout: &str) -> Option<&'static str> {
    Some(match layout {
        "MUBUF" => "buffer",
        "MTBUF" => "typed-buffer",
        "VBUFFER" if mnemonic.starts_with("tbuffer") => "typed-buffer",
        "VBUFFER" => "buffer",
        "FLAT" | "VFLAT" => "flat",
        "GLOBAL" | "VGLOBAL" => "global",
        "SCRATCH" | "VSCRATCH" => "scratch",
        "DS" if mnemonic.starts_with("ds_gws") || mnemonic.contains("ordered") => "gds",
        "DS" => "lds",
        "SMEM" if mnemonic.contains("buffer") => "scalar-buffer",
        "SMEM" => "scalar",
        "MIMG" | "VIMAGE" | "VSAMPLE" => "image",
        _ => return None,
    })
}

/// The kinds of memory access that instructions of a layout make.
pub(crate) fn memory_kinds(layout: &str) -> &'static [&'static str] {
    match layout {
        "VBUFFER" => &["buffer", "typed-buffer"],
        "MUBUF" => &["buffer"],
        "MTBUF" => &["typed-buffer"],
        "FLAT" | "VFLAT" => &["flat"],
        "GLOBAL" | "VGLOBAL" => &["global"],
        "SCRATCH" | "VSCRATCH" => &["scratch"],
        "DS" => &["lds", "gds"],
        "SMEM" => &["scalar", "scalar-buffer"],
        "MIMG" | "VIMAGE" | "VSAMPLE" => &["image"],
        _ => &[],
    }
}

/// What holds for the accesses of an instruction in a generation.
pub(crate) fn memory(mnemonic: &str, layout: &str, generation: Generation) -> Option<MemoryFacts> {
    let kind = memory_kind(mnemonic, layout)?;
    let key = amd::key(generation);
    let entry = find_terms(TermKind::Memory, kind)
        .into_iter()
        .find(|t| t.holds_for(key))?;
    Some(MemoryFacts {
        kind,
        text: entry.text.clone(),
        address: entry.formula.clone(),
        checks: entry.checks.clone(),
        violations: entry.notes.clone(),
        completion: entry.completion.clone(),
    })
}

impl Term {
    /// Whether the entry holds for a generation by its key, as in "rdna3.5".
    fn holds_for(&self, generation: &str) -> bool {
        self.only.is_empty() || self.only.contains(&"all") || self.only.contains(&generation)
    }

    /// The entry as a document.
    pub fn document(&self) -> Document {
        let mut doc = Document::default();
        let mut title = format!("{} {}", self.kind.name(), self.names.join(", "));
        if !self.only.is_empty() {
            title.push_str(&format!(" ({})", self.only.join(", ")));
        }
        doc.heading(2, title);
        for p in &self.text {
            doc.paragraph(p.clone());
        }
        doc.code(self.formula.clone());
        for (what, lines) in [
            ("", &self.fields),
            ("checked: ", &self.checks),
            ("", &self.notes),
            ("result: ", &self.completion),
        ] {
            doc.list(lines.iter().map(|l| format!("{what}{l}")).collect());
        }
        doc
    }
}

/// A buffer format with the codes that it has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BufferFormat {
    /// The name without its prefix, as in "32_FLOAT".
    pub name: String,
    /// How many bytes an element takes.
    pub bytes: u32,
    /// The components' widths in bits, X first.
    pub components: Vec<u32>,
    /// The number format, in words.
    pub number: &'static str,
    /// The generations that have it: data and number format up to CDNA 4, the unified code on RDNA.
    pub codes: Vec<(&'static str, String)>,
}

fn memory_generation(generation: Generation) -> waveglass_mem::Generation {
    use waveglass_mem::Generation as M;
    match generation {
        Generation::Gcn5 => M::Gcn5,
        Generation::Cdna1 => M::Cdna1,
        Generation::Cdna2 => M::Cdna2,
        Generation::Cdna3 => M::Cdna3,
        Generation::Cdna4 => M::Cdna4,
        Generation::Cdna5 => M::Cdna5,
        Generation::Rdna1 => M::Rdna1,
        Generation::Rdna2 => M::Rdna2,
        Generation::Rdna3 => M::Rdna3,
        Generation::Rdna3_5 => M::Rdna3_5,
        Generation::Rdna4 => M::Rdna4,
    }
}

/// Every buffer format of any generation.
pub fn buffer_formats() -> Vec<BufferFormat> {
    let mut formats: Vec<BufferFormat> = Vec::new();
    for generation in GENERATIONS {
        for (code, f) in waveglass_mem::buffer::Format::all(memory_generation(generation)) {
            let code = match generation {
                Generation::Gcn5
                | Generation::Cdna1
                | Generation::Cdna2
                | Generation::Cdna3
                | Generation::Cdna4 => format!("DFMT {}, NFMT {}", code & 15, code >> 4),
                _ => code.to_string(),
            };
            let name = f.to_string();
            let at = formats
                .iter()
                .position(|b| b.name == name)
                .unwrap_or_else(|| {
                    formats.push(BufferFormat {
                        name,
                        bytes: f.bytes(),
                        components: f.layout.widths().to_vec(),
                        number: number_in_words(f.number),
                        codes: Vec::new(),
                    });
                    formats.len() - 1
                });
            formats[at].codes.push((generation.name(), code));
        }
    }
    formats
}

fn number_in_words(number: waveglass_mem::buffer::NumberFormat) -> &'static str {
    use waveglass_mem::buffer::NumberFormat as N;
    match number {
        N::Unorm => "unsigned, scaled to 0 to 1",
        N::Snorm => "signed, scaled to -1 to 1; the two lowest codes are both -1",
        N::Uscaled => "unsigned integers, floats of the same value in registers",
        N::Sscaled => "signed integers, floats of the same value in registers",
        N::Uint => "unsigned integers",
        N::Sint => "signed integers",
        N::Float => "floats",
    }
}

/// The buffer format of that name, with or without `BUF_FMT_`, case ignored.
pub fn buffer_format(name: &str) -> Option<BufferFormat> {
    let upper = name.to_ascii_uppercase();
    let plain = upper.strip_prefix("BUF_FMT_").unwrap_or(&upper);
    buffer_formats().into_iter().find(|f| f.name == plain)
}

impl BufferFormat {
    /// The format as a document.
    pub fn document(&self) -> Document {
        let mut doc = Document::default();
        doc.heading(1, format!("BUF_FMT_{}", self.name));
        let widths: Vec<String> = self
            .components
            .iter()
            .zip(["X", "Y", "Z", "W"])
            .map(|(w, c)| format!("{c} {w} bits"))
            .collect();
        doc.paragraph(format!(
            "{} bytes an element: {}; {}.",
            self.bytes,
            widths.join(", "),
            self.number
        ));
        doc.table(
            &["generation", "code"],
            self.codes
                .iter()
                .map(|(g, c)| vec![(*g).to_owned(), c.clone()])
                .collect(),
        );
        doc
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use waveglass_isa::{row_layout, rows};

    #[test]
    fn a_layout_has_the_kinds_of_access_of_its_instructions_and_no_others() {
        let mut found: BTreeSet<(&str, &str)> = BTreeSet::new();
        for r in rows() {
            for t in waveglass_isa::Target::ALL
                .iter()
                .filter(|t| r.has_target(**t))
            {
                let layout = row_layout(r, *t)[0].0.name;
                found.extend(memory_kind(r.mnemonic, layout).map(|k| (layout, k)));
            }
        }
        let layouts: BTreeSet<&str> = found.iter().map(|(l, _)| *l).collect();
        for &l in &layouts {
            let listed: BTreeSet<_> = memory_kinds(l).iter().map(|k| (l, *k)).collect();
            let of: BTreeSet<_> = found.iter().filter(|(x, _)| *x == l).copied().collect();
            assert_eq!(listed, of);
        }
        assert!(layouts.contains("VSAMPLE") && layouts.contains("DS"));
    }

    #[test]
    fn every_file_is_read() {
        for (folder, listed) in [
            ("vocabulary", FILES),
            ("descriptions", crate::description::FILES),
        ] {
            let path = format!("{}/data/{folder}", env!("CARGO_MANIFEST_DIR"));
            let there: BTreeSet<String> = std::fs::read_dir(path)
                .expect("the data is part of the crate")
                .map(|e| {
                    e.expect("an entry")
                        .file_name()
                        .to_string_lossy()
                        .into_owned()
                })
                .collect();
            let listed: BTreeSet<String> = listed.iter().map(|(n, _)| (*n).to_owned()).collect();
            assert_eq!(there, listed);
        }
    }

    #[test]
    fn every_head_is_understood() {
        for (name, text) in FILES {
            for b in blocks(text) {
                let kind = b.head.split_whitespace().next().unwrap_or_default();
                assert!(
                    TermKind::ALL.iter().any(|(_, n)| *n == kind),
                    "{name}:{}: {}",
                    b.line,
                    b.head
                );
            }
        }
    }

    #[test]
    fn every_kind_of_access_is_explained_once_for_each_generation() {
        let mut kinds = BTreeSet::new();
        for r in rows() {
            for t in waveglass_isa::Target::ALL {
                if r.has_target(*t)
                    && let Some(kind) = memory_kind(r.mnemonic, row_layout(r, *t)[0].0.name)
                {
                    kinds.insert((kind, amd::key(t.generation())));
                }
            }
        }
        for (kind, g) in kinds {
            let n = find_terms(TermKind::Memory, kind)
                .iter()
                .filter(|t| t.holds_for(g))
                .count();
            assert_eq!(n, 1, "{kind} on {g}");
        }
    }

    #[test]
    fn every_field_counter_type_and_encoding_is_explained() {
        let mut without = Vec::new();
        for r in rows() {
            for t in waveglass_isa::Target::ALL
                .iter()
                .filter(|t| r.has_target(**t))
            {
                for (e, _) in row_layout(r, *t) {
                    if find_terms(TermKind::Encoding, e.name).is_empty() {
                        without.push(format!("encoding {}", e.name));
                    }
                    for f in e.fields {
                        if f.name != "RESERVED" && field(f.name, &[e.name]).is_none() {
                            without.push(format!("field {} in {}", f.name, e.name));
                        }
                    }
                }
                if find_terms(TermKind::Encoding, r.encoding()).is_empty() {
                    without.push(format!("encoding {}", r.encoding()));
                }
            }
        }
        for name in amd::amd_names() {
            let kind = if name.starts_with("OPR_") {
                TermKind::OperandType
            } else {
                TermKind::DataFormat
            };
            if find_terms(kind, name).is_empty() {
                without.push(name.to_owned());
            }
        }
        for c in [
            "vmcnt",
            "vscnt",
            "lgkmcnt",
            "expcnt",
            "loadcnt",
            "storecnt",
            "samplecnt",
            "bvhcnt",
            "dscnt",
            "kmcnt",
            "asynccnt",
            "tensorcnt",
            "xcnt",
        ] {
            if find_terms(TermKind::Counter, c).is_empty() {
                without.push(c.to_owned());
            }
        }
        without.sort();
        without.dedup();
        assert!(without.is_empty(), "{without:#?}");
    }
}
