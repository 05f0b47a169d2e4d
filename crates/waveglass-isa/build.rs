//! Turns the table files under `data/` into static tables: shapes, rows, and for each target a
//! decode tree over the first dword.

#[path = "build/encodings.rs"]
mod encodings;
#[path = "build/mnemonics.rs"]
mod mnemonics;
#[path = "build/parse.rs"]
mod parse;
#[path = "build/rows.rs"]
mod rows;
#[path = "build/shapes.rs"]
mod shapes;
#[path = "build/trees.rs"]
mod trees;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

const TARGETS: usize = 14;

struct Operand {
    access: String,
    name: String,
    kind: String,
    spans: Vec<(u32, u32, u32)>,
}

struct Shape {
    name: String,
    encoding: String,
    size: u32,
    mask: u128,
    template: String,
    sources: u32,
    /// Masks of data and address sizes, and the sizes outside them.
    image: Option<(u32, u32, u32, u32)>,
    sources_dst: bool,
    /// Bits that are zero where whole registers are named, and whether op_sel is shown there.
    whole: (u128, bool),
    operands: Vec<Operand>,
}

struct Row {
    mnemonic: String,
    shape: usize,
    value: u128,
    opcode: u32,
    targets: u16,
    flags: String,
    reads: String,
    writes: String,
    wave: String,
}

fn main() {
    let data = Path::new("data");
    println!("cargo::rerun-if-changed=data");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let shapes = parse::read_shapes(&read(&data.join("shapes.tbl")));
    let by_name: HashMap<&str, usize> = shapes
        .iter()
        .enumerate()
        .map(|(i, s)| (s.name.as_str(), i))
        .collect();
    let mut rows = Vec::new();
    let mut aliases: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut files: Vec<_> = std::fs::read_dir(data)
        .expect("data/ is readable")
        .map(|e| e.expect("data/ is readable").path())
        .filter(|p| {
            p.extension().is_some_and(|e| e == "tbl")
                && p.file_name()
                    .is_some_and(|n| n != "shapes.tbl" && n != "encodings.tbl")
        })
        .collect();
    files.sort();
    for f in &files {
        parse::read_rows(
            &f.display().to_string(),
            &read(f),
            &by_name,
            &mut rows,
            &mut aliases,
        );
    }
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let mut text = String::new();
    shapes::write_shapes(&mut text, &shapes);
    rows::write_rows(&mut text, &rows, &aliases);
    trees::write_trees(&mut text, &shapes, &rows);
    let mut names = String::new();
    mnemonics::write_mnemonics(&mut names, &rows);
    std::fs::write(Path::new(&out).join("mnemonics.rs"), names).expect("OUT_DIR is writable");
    let mut layouts = String::new();
    encodings::write_encodings(&mut layouts, &read(&data.join("encodings.tbl")));
    std::fs::write(Path::new(&out).join("encodings.rs"), layouts).expect("OUT_DIR is writable");
    std::fs::write(Path::new(&out).join("tables.rs"), text).expect("OUT_DIR is writable");
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn words(v: u128) -> [u32; 4] {
    [
        v as u32,
        (v >> 32) as u32,
        (v >> 64) as u32,
        (v >> 96) as u32,
    ]
}
