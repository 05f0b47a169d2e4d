//! Derives the instruction table from facts in JSON: one object a target, as LLVM's TableGen
//! records give them, with fixed bits, field positions and operand classes.
//!
//! The result is text made to be read: `shapes.tbl` holds operand shapes, each other file the
//! rows of one family, a row an instruction in one encoding with a column for each target.

mod aliases;
mod classes;
mod facts;
mod table;
mod template;

use anyhow::{Context, Result};
use std::path::Path;

/// Reads `facts/<gfx>.json` for every target and writes the table files.
pub(crate) fn run(facts: &Path) -> Result<()> {
    let out = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/waveglass-isa/data");
    let mut table = table::Table::default();
    let mut aliases = aliases::Aliases::default();
    for &target in waveglass_isa::Target::ALL {
        let path = facts.join(format!("{target}.json"));
        let text = std::fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
        let target_facts: facts::TargetFacts =
            serde_json::from_slice(&text).with_context(|| format!("parsing {}", path.display()))?;
        table.add(target, &target_facts)?;
        aliases.add(target, &target_facts);
    }
    aliases.write(&out.join("../../waveglass-asm/data/aliases.txt"))?;
    table.write(&out)
}
