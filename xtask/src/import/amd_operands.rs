//! AMD's names for operands (`OPR_…`, `FMT_…`), from the facts of its machine-readable
//! specifications, as the table of the reference.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

/// The generations with such a specification, in the order of the table's columns.
const LISTED: [&str; 3] = ["cdna1", "cdna2", "cdna3"];
const NAMED: [&str; 3] = ["cdna4", "rdna3.5", "rdna4"];

/// (mnemonic, layout) -> operands in text -> generations.
type Table = BTreeMap<(String, String), Vec<(String, Vec<&'static str>)>>;

/// Reads both files of operand facts and writes `amd_operands.tbl`.
pub(super) fn run(facts: &Path, out: &Path) -> Result<()> {
    let mut table = Table::new();
    let read = |name: &str| -> Result<Value> {
        let path = facts.join(name);
        let text = std::fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
        serde_json::from_slice(&text).with_context(|| format!("parsing {}", path.display()))
    };
    let listed = read("operands-amd-xml-cdna1-cdna3.json")?;
    for generation in LISTED {
        for (encoding, opcodes) in listed[generation].as_object().context("encodings")? {
            for entry in opcodes.as_object().context("opcodes")?.values() {
                let operands = list_of_operands(&entry[1]);
                add(
                    &mut table,
                    generation,
                    &entry[0],
                    layout(encoding),
                    operands,
                );
            }
        }
    }
    let named = read("operands-amd-xml-rdna35-rdna4-cdna4.json")?;
    for generation in NAMED {
        for entry in named[generation].as_array().context("entries")? {
            let operands = map_of_operands(&entry[2]);
            let layout = entry[0].as_str().unwrap_or_default();
            add(&mut table, generation, &entry[1], layout, operands);
        }
    }
    std::fs::write(out, text(&table)).with_context(|| format!("writing {}", out.display()))
}

fn add(table: &mut Table, generation: &'static str, name: &Value, layout: &str, operands: String) {
    let Some(name) = name.as_str().filter(|_| !operands.is_empty()) else {
        return;
    };
    let key = (name.to_ascii_lowercase(), layout.to_owned());
    let same = table.entry(key).or_default();
    match same.iter_mut().find(|(o, _)| *o == operands) {
        Some((_, generations)) if !generations.contains(&generation) => {
            generations.push(generation)
        }
        Some(_) => {}
        None => same.push((operands, vec![generation])),
    }
}

/// The layout's name in `encodings.tbl` for an encoding of CDNA 1 to 3.
fn layout(encoding: &str) -> &str {
    match encoding {
        "ENC_FLAT_GLBL" => "GLOBAL",
        "ENC_FLAT_SCRATCH" => "SCRATCH",
        "ENC_VOP3B" => "VOP3SD",
        "ENC_VOP2_LITERAL" => "VOP2",
        "SOPK_INST_LITERAL_" => "SOPK",
        other => other.strip_prefix("ENC_").unwrap_or(other),
    }
}

/// Operands given as lists of type, field, access, bits and whether they are implicit.
fn list_of_operands(operands: &Value) -> String {
    let mut text = String::new();
    let mut seen: Vec<&str> = Vec::new();
    for o in operands.as_array().into_iter().flatten() {
        let (Some(ty), Some(field)) = (o[0].as_str(), o[1].as_str()) else {
            continue;
        };
        // A number stands for a register that no field names; "+1" for the second of a pair.
        let named = field.starts_with(|c: char| c.is_ascii_alphabetic()) && !field.contains('+');
        if ty == "implicit" || o[4] == Value::Bool(true) || !named || seen.contains(&field) {
            continue;
        }
        seen.push(field);
        let _ = write!(text, " {field}={ty},-,{}", o[3].as_u64().unwrap_or(0));
    }
    text
}

/// Operands given as objects from field to format, bits and type.
fn map_of_operands(operands: &Value) -> String {
    let mut text = String::new();
    for (field, o) in operands.as_object().into_iter().flatten() {
        let _ = write!(
            text,
            " {}={},{},{}",
            field.to_ascii_uppercase(),
            o[2].as_str().unwrap_or("-"),
            o[0].as_str().unwrap_or("-"),
            o[1].as_u64().unwrap_or(0)
        );
    }
    text
}

fn text(table: &Table) -> String {
    let mut out = String::from(
        "# AMD's names for operands, from its machine-readable specifications of these generations.\n\
         #\n\
         #   MNEMONIC LAYOUT\n\
         #    GENERATION[,GENERATION...] FIELD=TYPE,FORMAT,BITS...     -: the specification names none\n\
         #\n\
         # Derived by `cargo xtask import`.\n",
    );
    for ((name, layout), entries) in table {
        let _ = writeln!(out, "{name} {layout}");
        for (operands, generations) in entries {
            let _ = writeln!(out, " {}{operands}", generations.join(","));
        }
    }
    out
}
