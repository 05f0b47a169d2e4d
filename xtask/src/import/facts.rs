//! The shape of the facts files.

use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
pub(crate) struct TargetFacts {
    pub(crate) mnemonic_aliases: Vec<(String, String)>,
    pub(crate) inst_aliases: Vec<String>,
    pub(crate) instructions: Vec<Instruction>,
}

#[derive(Deserialize, Clone)]
pub(crate) struct Instruction {
    pub(crate) mnemonic: String,
    pub(crate) enc: String,
    pub(crate) opcode: u32,
    pub(crate) aliases: Vec<String>,
    pub(crate) flags: Vec<String>,
    pub(crate) uses: Vec<String>,
    pub(crate) defs: Vec<String>,
    pub(crate) variants: Vec<Variant>,
}

#[derive(Deserialize, Clone)]
pub(crate) struct Variant {
    pub(crate) rec: String,
    pub(crate) asm: String,
    pub(crate) size: u32,
    #[serde(deserialize_with = "hex")]
    pub(crate) mask: u128,
    #[serde(deserialize_with = "hex")]
    pub(crate) value: u128,
    /// Operand name -> (lowest instruction bit, lowest operand bit, width).
    pub(crate) fields: BTreeMap<String, Vec<(u32, u32, u32)>>,
    /// (name, "r" or "w", bits, class).
    pub(crate) operands: Vec<(String, String, Option<u32>, String)>,
    /// "$vdst = $src2" and the like: operands that share a register.
    pub(crate) constraints: String,
}

fn hex<'de, D: serde::Deserializer<'de>>(d: D) -> Result<u128, D::Error> {
    let s = String::deserialize(d)?;
    u128::from_str_radix(s.trim_start_matches("0x"), 16).map_err(serde::de::Error::custom)
}
