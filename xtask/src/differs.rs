//! The list of cases in which LLVM's answer is not taken: `waveglass-asm/data/llvm-differs.txt`.

use crate::worker::Answer;
use anyhow::{Context, Result, bail};
use regex_lite::Regex;
use std::cell::Cell;
use std::ops::RangeInclusive;
use waveglass_isa::{InstDef, OperandDef, OperandKind, Target};

/// The parsed list.
pub(crate) struct Differs(Vec<Entry>);

struct Entry {
    line: usize,
    used: Cell<u64>,
    targets: Vec<Target>,
    encoding: String,
    conditions: Vec<Condition>,
    answer: Expected,
}

enum Condition {
    /// LLVM's text matches.
    Llvm(Regex),
    /// The project's text matches.
    Ours(Regex),
    /// A field of the sample's row has one of these values.
    Field(String, Vec<RangeInclusive<u64>>),
    /// A source that takes constants has the selector.
    Literal(u64),
    /// A source that takes vector registers alone has a number below 256.
    ScalarInVectorSource,
    /// A source of vector registers or inline constants has another number.
    NoInlineConstant,
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
            e.conditions.iter().all(|c| c.holds(row, bytes, llvm, ours))
                && match (&e.answer, llvm, ours) {
                    (Expected::Invalid, _, None) => true,
                    (Expected::Without, Answer::Text(t, n), Some((o, m))) => {
                        let [Condition::Llvm(r)] = &e.conditions[..] else {
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

    /// Whether an entry that looks at the texts alone has the difference, in whatever encoding.
    pub(crate) fn allows_anywhere(
        &self,
        target: Target,
        bytes: &[u8; 20],
        llvm: &Answer,
        ours: Option<&(String, usize)>,
    ) -> bool {
        waveglass_isa::rows()
            .iter()
            .filter(|r| r.has_target(target) && matches(r, bytes))
            .any(|r| self.allows(target, r, bytes, llvm, ours))
            || self.0.iter().any(|e| {
                e.targets.contains(&target)
                    && e.encoding.is_empty()
                    && matches!((&e.conditions[..], llvm),
                        ([Condition::Llvm(r)], Answer::Text(t, _)) if r.is_match(t))
            })
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
    let conditions = condition
        .split(" and ")
        .map(self::condition)
        .collect::<Result<_>>()?;
    Ok(Entry {
        line: number,
        used: Cell::new(0),
        targets,
        encoding: encoding.trim_start_matches('*').to_owned(),
        conditions,
        answer: match answer {
            "invalid" => Expected::Invalid,
            "without" => Expected::Without,
            "decodes" => Expected::Decodes,
            "other" => Expected::Other,
            a => bail!("answer {a:?}"),
        },
    })
}

fn condition(text: &str) -> Result<Condition> {
    Ok(if let Some(r) = text.strip_prefix("llvm ~ ") {
        Condition::Llvm(Regex::new(r)?)
    } else if let Some(r) = text.strip_prefix("ours ~ ") {
        Condition::Ours(Regex::new(r)?)
    } else if let Some(n) = text.strip_prefix("literal ") {
        match n {
            "32" => Condition::Literal(255),
            "64" => Condition::Literal(254),
            _ => bail!("literals have 32 or 64 bits"),
        }
    } else if text == "scalar in a vector source" {
        Condition::ScalarInVectorSource
    } else if text == "matrix C is no inline constant" {
        Condition::NoInlineConstant
    } else if let Some((name, list)) = text.split_once(" = ") {
        let values = list
            .split(',')
            .map(|r| {
                let (a, b) = r.split_once('-').unwrap_or((r, r));
                Ok(a.parse()?..=b.parse()?)
            })
            .collect::<Result<_>>()?;
        Condition::Field(name.to_owned(), values)
    } else {
        bail!("condition {text:?}");
    })
}

impl Condition {
    fn holds(
        &self,
        row: &InstDef,
        bytes: &[u8; 20],
        llvm: &Answer,
        ours: Option<&(String, usize)>,
    ) -> bool {
        use OperandKind::{
            Agpr, AgprOrInline, AgprSrc, Imm, Mods, Vgpr, VgprHalf, VgprLo, VgprOrAgpr,
            VgprOrAgprSrc, VgprOrAgprUnaligned, VgprOrInline, VgprSrc, VgprSrcHalf, VgprSrcLds,
            VgprSrcLo,
        };
        let any = |kinds: &[OperandKind], f: &dyn Fn(u64) -> bool| {
            row.operands()
                .iter()
                .any(|o| kinds.contains(&o.kind) && f(value(o, bytes)))
        };
        match self {
            Condition::Llvm(r) => matches!(llvm, Answer::Text(t, _) if r.is_match(t)),
            Condition::Ours(r) => ours.is_some_and(|(t, _)| r.is_match(t)),
            Condition::Field(name, values) => {
                field(row, bytes, name).is_some_and(|v| values.iter().any(|r| r.contains(&v)))
            }
            Condition::Literal(selector) => row.operands().iter().any(|o| {
                let constants = !matches!(
                    o.kind,
                    Vgpr | VgprLo
                        | VgprHalf
                        | VgprOrAgpr
                        | VgprOrAgprUnaligned
                        | Agpr
                        | Mods(_)
                        | Imm(_)
                );
                let source = o.field.name().starts_with("src");
                source && constants && value(o, bytes) == *selector
            }),
            Condition::ScalarInVectorSource => {
                any(
                    &[VgprSrc, VgprSrcHalf, VgprSrcLo, VgprSrcLds, AgprSrc],
                    &|v| v < 256,
                ) || any(&[VgprOrAgprSrc], &|v| v & 0x100 == 0)
            }
            Condition::NoInlineConstant => any(
                &[VgprOrInline, AgprOrInline],
                &|v| !matches!(v, 128..=208 | 240..=248 | 256..),
            ),
        }
    }
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

/// Whether the bytes have the row's fixed bits.
fn matches(row: &InstDef, bytes: &[u8; 20]) -> bool {
    let word = |i: usize| {
        let b = &bytes[4 * i..];
        u32::from_le_bytes([b[0], b[1], b[2], b[3]])
    };
    (0..4).all(|i| word(i) & row.shape.mask[i] == row.value[i])
}
