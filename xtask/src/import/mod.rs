//! Derives the instruction table from facts in JSON: one object a target, as LLVM's TableGen
//! records give them, with fixed bits, field positions and operand classes.
//!
//! The result is text made to be read: `shapes.tbl` holds operand shapes, each other file the
//! rows of one family, a row an instruction in one encoding with a column for each target.

mod aliases;
mod amd_operands;
mod classes;
mod facts;
mod halves;
mod shape;
mod table;
mod template;
mod text;

use anyhow::{Context, Result};
use std::path::Path;

/// Reads `facts/<gfx>.json` for every target and writes the table files.
pub(crate) fn run(facts: &Path) -> Result<()> {
    let out = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/waveglass-isa/data");
    let mut table = table::Table::default();
    let mut aliases = aliases::Aliases::default();
    let mut halves_only: Vec<facts::Instruction> = Vec::new();
    for &target in waveglass_isa::Target::ALL {
        let path = facts.join(format!("{target}.json"));
        let text = std::fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
        let mut target_facts: facts::TargetFacts =
            serde_json::from_slice(&text).with_context(|| format!("parsing {}", path.display()))?;
        // Moves of halves have no form with whole registers, and the facts of gfx12 are those of
        // whole registers: they are gfx11's there (RDNA4 ISA 16.8, V_MOV_B16 and V_SWAP_B16).
        let moves_halves =
            |i: &&facts::Instruction| matches!(i.mnemonic.as_str(), "v_mov_b16" | "v_swap_b16");
        let own: Vec<_> = target_facts
            .instructions
            .iter()
            .filter(moves_halves)
            .cloned()
            .collect();
        if !own.is_empty() {
            halves_only = own;
        } else if target.major() >= 12 {
            target_facts
                .instructions
                .extend(halves_only.iter().cloned());
        }
        table.add(target, &target_facts)?;
        aliases.add(target, &target_facts);
    }
    aliases.write(&out.join("../../waveglass-asm/data/aliases.txt"))?;
    let reference = out.join("../../waveglass-reference/data");
    amd_operands::run(facts, &reference.join("amd_operands.tbl"))?;
    table.write(&out)
}
