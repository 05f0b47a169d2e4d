//! The list of cases in which LLVM's answer is not taken: `waveglass-asm/data/llvm-differs.txt`.

use crate::worker::Answer;
use anyhow::{Context, Result, bail};
use regex_lite::Regex;
use std::cell::Cell;
use waveglass_isa::{InstDef, OperandDef, OperandKind, Target};

/// The parsed list.
pub(crate) struct Differs(Vec<Entry>);

struct Entry {
    line: usize,
    used: Cell<u64>,
    targets: Vec<Target>,
    encoding: String,
    condition: Condition,
    answer: Expected,
}

enum Condition {
    /// LLVM's text matches.
    Llvm(Regex),
    /// The project's text matches.
    Ours(Regex),
    /// A field of the sample's row has a value.
    Field(String, u64),
    /// One source asks for a 32-bit literal, another for a 64-bit one.
    MixedLiterals,
}

enum Expected {
    /// The project finds no instruction.
    Invalid,
    /// The project prints LLVM's text without the part that matches.
    Without,
    /// The project decodes what LLVM rejects.
    Decodes,
    /// The project prints something else.
    Other,
}

impl Differs {
    pub(crate) fn load() -> Result<Self> {
        Self::read("llvm-differs.txt")
    }

    /// Differences that the project would rather not have: `waveglass-asm/data/known-gaps.txt`.
    pub(crate) fn gaps() -> Result<Self> {
        Self::read("known-gaps.txt")
    }

    fn read(name: &str) -> Result<Self> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/waveglass-asm/data/");
        let path = format!("{folder}{name}");
        let text = std::fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
        let mut entries = Vec::new();
        for (n, line) in text.lines().enumerate() {
            if line.starts_with('#') || line.trim().is_empty() {
                continue;
            }
            entries.push(entry(n + 1, line).with_context(|| format!("{path}:{}", n + 1))?);
        }
        Ok(Self(entries))
    }

    /// Whether the list has the difference.
    pub(crate) fn allows(
        &self,
        target: Target,
        row: &InstDef,
        bytes: &[u8; 20],
        llvm: &Answer,
        ours: Option<&(String, usize)>,
    ) -> bool {
        let entry = self.0.iter().find(|e| {
            if !e.targets.contains(&target) || !row.encoding().contains(&e.encoding) {
                return false;
            }
            let holds = match (&e.condition, llvm, ours) {
                (Condition::Llvm(r), Answer::Text(t, _), _) => r.is_match(t),
                (Condition::Ours(r), _, Some((t, _))) => r.is_match(t),
                (Condition::MixedLiterals, ..) => {
                    selects(row, bytes, 254) && selects(row, bytes, 255)
                }
                (Condition::Field(name, v), ..) => field(row, bytes, name) == Some(*v),
                _ => false,
            };
            holds
                && match (&e.answer, llvm, ours) {
                    (Expected::Invalid, _, None) => true,
                    (Expected::Without, Answer::Text(t, n), Some((o, m))) => {
                        let Condition::Llvm(r) = &e.condition else {
                            return false;
                        };
                        r.replace_all(t, "") == *o && n == m
                    }
                    (Expected::Decodes, Answer::None, Some(_)) => true,
                    (Expected::Other, Answer::Text(..), Some(_)) => true,
                    _ => false,
                }
        });
        if let Some(e) = entry {
            e.used.set(e.used.get() + 1);
        }
        entry.is_some()
    }

    /// How often each entry allowed something: (line of the file, times).
    pub(crate) fn uses(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.0.iter().map(|e| (e.line, e.used.get()))
    }
}

/// `TARGETS | ENCODING | CONDITION | ANSWER | REASON`.
fn entry(number: usize, line: &str) -> Result<Entry> {
    let columns: Vec<&str> = line.splitn(5, " | ").map(str::trim).collect();
    let [targets, encoding, condition, answer, reason] = columns[..] else {
        bail!("an entry has five columns");
    };
    if reason.is_empty() {
        bail!("an entry needs a reason");
    }
    let targets = match targets {
        "*" => Target::ALL.to_vec(),
        list => list
            .split(',')
            .map(str::parse)
            .collect::<Result<Vec<Target>, _>>()?,
    };
    let condition = if let Some(r) = condition.strip_prefix("llvm ~ ") {
        Condition::Llvm(Regex::new(r)?)
    } else if let Some(r) = condition.strip_prefix("ours ~ ") {
        Condition::Ours(Regex::new(r)?)
    } else if condition == "mixed literals" {
        Condition::MixedLiterals
    } else if let Some((name, v)) = condition.split_once(" = ") {
        Condition::Field(name.to_owned(), v.parse()?)
    } else {
        bail!("condition {condition:?}");
    };
    Ok(Entry {
        line: number,
        used: Cell::new(0),
        targets,
        encoding: encoding.trim_start_matches('*').to_owned(),
        condition,
        answer: match answer {
            "invalid" => Expected::Invalid,
            "without" => Expected::Without,
            "decodes" => Expected::Decodes,
            "other" => Expected::Other,
            a => bail!("answer {a:?}"),
        },
    })
}

/// Whether a source that takes literals has the selector.
fn selects(row: &InstDef, bytes: &[u8; 20], selector: u64) -> bool {
    use OperandKind::{ScalarSrcLds, ScalarSrcLit, SrcLit, SrcLitHalf, SrcLitLo};
    row.operands().iter().any(|o| {
        matches!(
            o.kind,
            SrcLit | SrcLitHalf | SrcLitLo | ScalarSrcLit | ScalarSrcLds
        ) && value(o, bytes) == selector
    })
}

fn field(row: &InstDef, bytes: &[u8; 20], name: &str) -> Option<u64> {
    let o = row
        .operands()
        .iter()
        .find(|o| format!("{:?}", o.field).eq_ignore_ascii_case(&name.replace('_', "")))?;
    Some(value(o, bytes))
}

fn value(o: &OperandDef, bytes: &[u8; 20]) -> u64 {
    let bit = |i: u32| u64::from(bytes[(i / 8) as usize] >> (i % 8) & 1);
    let mut v = 0;
    for &(lo, at, width) in o.spans {
        for i in 0..u32::from(width) {
            v |= bit(u32::from(lo) + i) << (u32::from(at) + i);
        }
    }
    v
}
