//! What Waveglass can do with each instruction on each target, and the evidence for it.
//!
//! The evidence (`data/evidence.tbl`) is what the tests themselves covered, written down by
//! `cargo xtask evidence`: the rows of the golden vectors, the instructions that unit tests execute
//! one by one against values from the manuals, the instructions that compiled kernels executed
//! while their results were compared with the host's.

use std::sync::OnceLock;

use foldhash::{HashMap, HashMapExt as _};
use serde::Serialize;
use waveglass_isa::Target;

use crate::card::FidelityRow;
use crate::catalogue::catalogue;
use crate::description::group_of;

/// A kind of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// Golden vectors made with LLVM 22, from bytes to text.
    GoldenPrint,
    /// The same from text to bytes.
    GoldenAssemble,
    /// A unit test that executes it and compares with a value from the manual or an independent
    /// computation.
    UnitTest,
    /// A compiled kernel whose results were compared with the host's executed it.
    CompiledKernel,
}

impl Evidence {
    /// Every kind, in the order of the table's columns.
    pub const ALL: [Self; 4] = [
        Self::GoldenPrint,
        Self::GoldenAssemble,
        Self::UnitTest,
        Self::CompiledKernel,
    ];

    /// The kind in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::GoldenPrint => "golden vectors, bytes to text",
            Self::GoldenAssemble => "golden vectors, text to bytes",
            Self::UnitTest => "unit tests",
            Self::CompiledKernel => "compiled kernels",
        }
    }
}

const TABLE: &str = include_str!("../data/evidence.tbl");

/// For each mnemonic a mask of targets for each kind.
fn table() -> &'static HashMap<&'static str, [u16; 4]> {
    static INDEX: OnceLock<HashMap<&'static str, [u16; 4]>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut table = HashMap::with_capacity(4096);
        for line in TABLE.lines().filter(|l| !l.starts_with('#')) {
            let mut words = line.split(' ');
            let Some(name) = words.next() else { continue };
            let mut masks = [0; 4];
            for (m, w) in masks.iter_mut().zip(words) {
                *m = u16::from_str_radix(w, 16).unwrap_or(0);
            }
            table.insert(name, masks);
        }
        table
    })
}

/// The evidence for a mnemonic on a target.
pub fn evidence(mnemonic: &str, target: Target) -> Vec<Evidence> {
    let masks = table().get(mnemonic).copied().unwrap_or_default();
    Evidence::ALL
        .into_iter()
        .zip(masks)
        .filter(|(_, m)| m >> target.index() & 1 != 0)
        .map(|(e, _)| e)
        .collect()
}

/// What Waveglass can do with an instruction on a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FidelityEntry {
    /// The mnemonic.
    pub name: &'static str,
    /// The group that it belongs to.
    pub group: &'static str,
    /// Whether its bytes are decoded.
    pub decoded: bool,
    /// Whether it is printed as LLVM prints it, by the golden vectors.
    pub printed: bool,
    /// Whether its text is assembled to LLVM's bytes, by the golden vectors.
    pub assembled: bool,
    /// How exactly it is executed.
    #[serde(flatten)]
    pub executed: FidelityRow,
    /// The evidence.
    pub evidence: Vec<Evidence>,
}

/// The entries of a target, or of all; `family` keeps the groups, encodings and names that have
/// it as a part, case ignored.
pub fn fidelity_entries(target: Option<Target>, family: Option<&str>) -> Vec<FidelityEntry> {
    let family = family.map(str::to_ascii_lowercase);
    let mut entries = Vec::new();
    for name in &catalogue().names {
        let group = group_of(name.mnemonic).unwrap_or_default();
        if let Some(f) = &family
            && !group.to_ascii_lowercase().contains(f)
            && !name.mnemonic.contains(f.as_str())
            && !name
                .rows
                .iter()
                .any(|r| r.encoding().to_ascii_lowercase().contains(f))
        {
            continue;
        }
        for &t in Target::ALL {
            if target.is_some_and(|only| only != t) {
                continue;
            }
            let Some(row) = name.rows.iter().find(|r| r.has_target(t)) else {
                continue;
            };
            let evidence = evidence(name.mnemonic, t);
            entries.push(FidelityEntry {
                name: name.mnemonic,
                group,
                decoded: true,
                printed: evidence.contains(&Evidence::GoldenPrint),
                assembled: evidence.contains(&Evidence::GoldenAssemble),
                executed: FidelityRow::new(t, row),
                evidence,
            });
        }
    }
    entries
}

/// The counts over entries of one target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FidelityCounts {
    /// Entries.
    pub instructions: usize,
    /// Decoded.
    pub decoded: usize,
    /// Printed as LLVM prints them.
    pub printed: usize,
    /// Assembled to LLVM's bytes.
    pub assembled: usize,
    /// Executed exactly.
    pub exact: usize,
    /// Executed with a stated error.
    pub approximate: usize,
    /// Refused by name.
    pub refused: usize,
    /// Executed by unit tests.
    pub unit_tests: usize,
    /// Executed by compiled kernels.
    pub compiled_kernels: usize,
}

impl FidelityCounts {
    /// Counts entries.
    pub fn of<'a>(entries: impl IntoIterator<Item = &'a FidelityEntry>) -> Self {
        let mut c = Self::default();
        for e in entries {
            c.instructions += 1;
            c.decoded += usize::from(e.decoded);
            c.printed += usize::from(e.printed);
            c.assembled += usize::from(e.assembled);
            match e.executed.status {
                "exact" => c.exact += 1,
                "approximate" => c.approximate += 1,
                _ => c.refused += 1,
            }
            c.unit_tests += usize::from(e.evidence.contains(&Evidence::UnitTest));
            c.compiled_kernels += usize::from(e.evidence.contains(&Evidence::CompiledKernel));
        }
        c
    }
}
