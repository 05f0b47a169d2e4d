//! What each instruction does, in words and as a formula (`data/descriptions/`).

use std::sync::OnceLock;

use foldhash::{HashMap, HashMapExt as _};

use crate::lines::{self, expand};

/// What an instruction does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The group that it belongs to, as in "Buffer memory".
    pub group: &'static str,
    /// One sentence.
    pub summary: String,
    /// The formula, a statement a line.
    pub formula: Vec<String>,
    /// Rules at the edges, differences between generations.
    pub notes: Vec<String>,
    /// More, in prose; may be empty.
    pub prose: String,
}

/// The files, with their names for messages.
pub(crate) const FILES: &[(&str, &str)] = &[
    (
        "scalar_alu.txt",
        include_str!("../data/descriptions/scalar_alu.txt"),
    ),
    (
        "scalar_masks_moves.txt",
        include_str!("../data/descriptions/scalar_masks_moves.txt"),
    ),
    (
        "scalar_float.txt",
        include_str!("../data/descriptions/scalar_float.txt"),
    ),
    (
        "control.txt",
        include_str!("../data/descriptions/control.txt"),
    ),
    (
        "scalar_memory.txt",
        include_str!("../data/descriptions/scalar_memory.txt"),
    ),
    (
        "vector_moves.txt",
        include_str!("../data/descriptions/vector_moves.txt"),
    ),
    (
        "vector_integer.txt",
        include_str!("../data/descriptions/vector_integer.txt"),
    ),
    (
        "vector_bits.txt",
        include_str!("../data/descriptions/vector_bits.txt"),
    ),
    (
        "vector_float.txt",
        include_str!("../data/descriptions/vector_float.txt"),
    ),
    (
        "vector_functions.txt",
        include_str!("../data/descriptions/vector_functions.txt"),
    ),
    (
        "compare.txt",
        include_str!("../data/descriptions/compare.txt"),
    ),
    (
        "convert.txt",
        include_str!("../data/descriptions/convert.txt"),
    ),
    (
        "packed.txt",
        include_str!("../data/descriptions/packed.txt"),
    ),
    ("dot.txt", include_str!("../data/descriptions/dot.txt")),
    ("lanes.txt", include_str!("../data/descriptions/lanes.txt")),
    ("dual.txt", include_str!("../data/descriptions/dual.txt")),
    (
        "matrix.txt",
        include_str!("../data/descriptions/matrix.txt"),
    ),
    (
        "buffer.txt",
        include_str!("../data/descriptions/buffer.txt"),
    ),
    (
        "typed_buffer.txt",
        include_str!("../data/descriptions/typed_buffer.txt"),
    ),
    (
        "global.txt",
        include_str!("../data/descriptions/global.txt"),
    ),
    ("flat.txt", include_str!("../data/descriptions/flat.txt")),
    (
        "scratch.txt",
        include_str!("../data/descriptions/scratch.txt"),
    ),
    ("lds.txt", include_str!("../data/descriptions/lds.txt")),
    ("cache.txt", include_str!("../data/descriptions/cache.txt")),
    ("image.txt", include_str!("../data/descriptions/image.txt")),
    (
        "interpolation.txt",
        include_str!("../data/descriptions/interpolation.txt"),
    ),
    (
        "export_interpolation.txt",
        include_str!("../data/descriptions/export_interpolation.txt"),
    ),
];

struct Entry {
    group: &'static str,
    lines: lines::Entry,
}

struct Index {
    entries: Vec<Entry>,
    /// The entry of a name, and what its braces chose.
    names: HashMap<String, (usize, Vec<&'static str>)>,
    /// The groups in the order of the files.
    groups: Vec<&'static str>,
    members: HashMap<&'static str, Vec<String>>,
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index = Index {
            entries: Vec::new(),
            names: HashMap::with_capacity(4096),
            groups: Vec::new(),
            members: HashMap::new(),
        };
        for (_, text) in FILES {
            let mut group = "";
            for block in lines::entries(text) {
                if let Some(name) = block.head.strip_prefix("group ") {
                    group = name;
                    if !index.groups.contains(&group) {
                        index.groups.push(group);
                    }
                    continue;
                }
                let at = index.entries.len();
                for word in block.head.split_whitespace() {
                    for (name, choices) in expand(word) {
                        index.members.entry(group).or_default().push(name.clone());
                        index.names.insert(name, (at, choices));
                    }
                }
                index.entries.push(Entry {
                    group,
                    lines: block,
                });
            }
        }
        index
    })
}

/// The groups of instructions, in the reference's order.
pub fn groups() -> &'static [&'static str] {
    &index().groups
}

/// The mnemonics of a group, in the order of the files.
pub(crate) fn members(group: &str) -> &'static [String] {
    index().members.get(group).map_or(&[], Vec::as_slice)
}

/// The group of a mnemonic.
pub fn group_of(mnemonic: &str) -> Option<&'static str> {
    let index = index();
    index
        .names
        .get(mnemonic)
        .map(|(at, _)| index.entries[*at].group)
}

/// The description of a mnemonic.
pub fn description(mnemonic: &str) -> Option<Description> {
    let index = index();
    let (at, choices) = index.names.get(mnemonic)?;
    let entry = &index.entries[*at];
    let mut d = Description {
        group: entry.group,
        summary: String::new(),
        formula: Vec::new(),
        notes: Vec::new(),
        prose: String::new(),
    };
    for (mark, text) in entry.lines.lines() {
        let text = fill(&text, choices);
        match mark {
            '=' => d.formula.push(text),
            '!' => d.notes.push(text),
            _ if d.summary.is_empty() => d.summary = text,
            _ => {
                if !d.prose.is_empty() {
                    d.prose.push(' ');
                }
                d.prose.push_str(&text);
            }
        }
    }
    Some(d)
}

/// Puts what the braces chose for `$1` and, in words, for `$T1`.
fn fill(text: &str, choices: &[&str]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let tail = &rest[at + 1..];
        let (words, digits) = match tail.strip_prefix('T') {
            Some(t) => (true, t),
            None => (false, tail),
        };
        let choice = digits
            .chars()
            .next()
            .and_then(|c| c.to_digit(10))
            .and_then(|n| choices.get((n as usize).checked_sub(1)?));
        match choice {
            Some(c) => {
                if words {
                    out.push_str(&type_in_words(c));
                } else {
                    out.push_str(c);
                }
                rest = &digits[1..];
            }
            None => {
                out.push('$');
                rest = tail;
            }
        }
    }
    out.push_str(rest);
    out
}

/// A type suffix in words, as in "32-bit float".
fn type_in_words(ty: &str) -> String {
    if let Some(element) = ty.strip_prefix("pk_") {
        return format!("pair of {}s", type_in_words(element));
    }
    if ty == "bf16" {
        return "bfloat16".to_owned();
    }
    let split = ty.find(|c: char| c.is_ascii_digit()).unwrap_or(ty.len());
    let (kind, bits) = ty.split_at(split);
    match kind {
        "f" => format!("{bits}-bit float"),
        "i" => format!("signed {bits}-bit integer"),
        "u" => format!("unsigned {bits}-bit integer"),
        "b" => format!("{bits}-bit value"),
        "fp" | "bf" => format!("{bits}-bit float ({ty})"),
        _ => ty.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::lines::blocks;
    use std::collections::HashSet;

    #[test]
    fn every_mnemonic_is_described_once() {
        let mut described = HashSet::new();
        for (file, text) in FILES {
            for b in blocks(text) {
                if b.head.starts_with("group ") {
                    continue;
                }
                for (name, _) in b.head.split_whitespace().flat_map(expand) {
                    assert!(
                        catalogue().named(&name).is_some(),
                        "{file}:{}: {name} is no mnemonic",
                        b.line
                    );
                    assert!(
                        described.insert(name.clone()),
                        "{file}:{}: {name} again",
                        b.line
                    );
                }
            }
        }
        for n in &catalogue().names {
            let d = description(n.mnemonic).unwrap_or_else(|| panic!("{}: nothing", n.mnemonic));
            assert!(d.summary.ends_with('.'), "{}: {}", n.mnemonic, d.summary);
            assert!(!d.group.is_empty(), "{}", n.mnemonic);
            let all = format!("{}{}{:?}{:?}", d.summary, d.prose, d.notes, d.formula);
            assert!(!all.contains('$'), "{}: {all}", n.mnemonic);
        }
    }

    #[test]
    fn choices_fill_the_text() {
        let choices = ["f32", "u8"];
        assert_eq!(
            fill("Adds $T1s ($1), $T2, $3, 5 $.", &choices),
            "Adds 32-bit floats (f32), unsigned 8-bit integer, $3, 5 $."
        );
        assert_eq!(type_in_words("pk_f16"), "pair of 16-bit floats");
    }
}
