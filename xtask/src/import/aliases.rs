//! Other spellings of mnemonics: the assembler's aliases of each target.

use super::facts::TargetFacts;
use anyhow::Result;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;
use waveglass_isa::Target;

/// (alias, mnemonic) -> targets as bits.
#[derive(Default)]
pub(crate) struct Aliases(BTreeMap<(String, String), u32>);

impl Aliases {
    pub(crate) fn add(&mut self, target: Target, facts: &TargetFacts) {
        let mnemonics: HashSet<&str> = facts
            .instructions
            .iter()
            .map(|i| i.mnemonic.as_str())
            .collect();
        let by_record: HashMap<&str, &str> = facts
            .instructions
            .iter()
            .flat_map(|i| {
                i.variants
                    .iter()
                    .map(|v| (v.rec.as_str(), i.mnemonic.as_str()))
            })
            .collect();
        let mut put = |alias: &str, name: &str| {
            if mnemonics.contains(name) && !mnemonics.contains(alias) {
                *self
                    .0
                    .entry((alias.to_owned(), name.to_owned()))
                    .or_default() |= 1 << target.index();
            }
        };
        for (alias, name) in &facts.mnemonic_aliases {
            let encoded = ["_e32", "_e64", "_dpp", "_sdwa"]
                .iter()
                .any(|s| alias.ends_with(s));
            if !encoded && alias.to_lowercase() == *alias {
                put(alias, &name.to_lowercase());
            }
        }
        // Whole-instruction aliases whose operands are those of the instruction.
        for alias in &facts.inst_aliases {
            let Some((text, record)) = alias.split_once("->") else {
                continue;
            };
            let name = text.split_whitespace().next().unwrap_or("").to_lowercase();
            let record = record.trim().trim_start_matches('(');
            let record = record.split_whitespace().next().unwrap_or("");
            if let Some(mnemonic) = by_record.get(record.trim_end_matches(')'))
                && *mnemonic != name
            {
                put(&name, mnemonic);
            }
        }
    }

    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let mut text = String::from(
            "# Other spellings of mnemonics: ALIAS MNEMONIC TARGETS (bits in the order of the tables' columns, hex).\n",
        );
        for ((alias, name), targets) in &self.0 {
            writeln!(text, "{alias} {name} {targets:x}")?;
        }
        Ok(std::fs::write(path, text)?)
    }
}
