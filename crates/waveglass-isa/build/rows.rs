//! Writes the static table of rows.

use crate::{Row, words};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

/// What an image instruction's addresses consist of, by its name: bits 1:0 count the extra ones
/// (offset, bias, reference value), 2 coordinates, 3 level of detail or its limit, 4 gradients,
/// 5 gradients of 16 bits (RDNA1 ISA 8.2.3 to 8.2.5).
fn image_addresses(mnemonic: &str) -> u8 {
    let parts: Vec<&str> = mnemonic.split('_').collect();
    let has = |p: &str| parts.contains(&p);
    if parts.first() != Some(&"image") {
        return 0;
    }
    let sampled = has("sample") || parts.iter().any(|p| p.starts_with("gather4"));
    let extra = if sampled {
        ["o", "b", "c"].iter().filter(|p| has(p)).count() as u8
    } else {
        0
    };
    let lod = has("mip") || has("resinfo") || sampled && (has("l") || has("cl"));
    let gradients = sampled && (has("d") || has("cd"));
    extra
        | (!has("resinfo") as u8) << 2
        | (lod as u8) << 3
        | (gradients as u8) << 4
        | (has("g16") as u8) << 5
}

pub(crate) fn write_rows(text: &mut String, rows: &[Row], aliases: &BTreeMap<String, Vec<String>>) {
    let mut alias_index: HashMap<&str, usize> = HashMap::new();
    writeln!(
        text,
        "pub(crate) static ALIASES: [&[&str]; {}] = [&[],",
        aliases.len() + 1
    )
    .unwrap();
    for (i, (m, list)) in aliases.iter().enumerate() {
        alias_index.insert(m, i + 1);
        writeln!(text, "&{list:?},").unwrap();
    }
    text.push_str("];\n");
    writeln!(
        text,
        "pub(crate) static ROWS: [InstDef; {}] = [",
        rows.len()
    )
    .unwrap();
    for r in rows {
        let list = |s: &str, ty: &str| {
            if s == "-" {
                return format!("{ty}::empty()");
            }
            let parts: Vec<String> = s
                .split(',')
                .map(|f| format!("{ty}::{}.bits()", f.replace('-', "_").to_ascii_uppercase()))
                .collect();
            format!("{ty}::from_bits_truncate({})", parts.join("|"))
        };
        writeln!(
            text,
            "InstDef{{mnemonic:{:?},alias:{},shape:&SHAPES[{}],value:{:?},opcode:{},targets:{:#x},flags:{},reads:{},writes:{},wave:{},image:{:#x}}},",
            r.mnemonic,
            alias_index.get(r.mnemonic.as_str()).copied().unwrap_or(0),
            r.shape,
            words(r.value),
            r.opcode,
            r.targets,
            list(&r.flags, "InstFlags"),
            list(&r.reads, "Implicit"),
            list(&r.writes, "Implicit"),
            match r.wave.as_str() {
                "w32" => "32",
                "w64" => "64",
                _ => "0",
            },
            image_addresses(&r.mnemonic)
        )
        .unwrap();
    }
    text.push_str("];\n");
}
