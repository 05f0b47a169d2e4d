//! Turns the table files under `data/` into static tables: shapes, rows, and for each target a
//! decode tree over the first dword.

#[path = "build/encodings.rs"]
mod encodings;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
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
    let shapes = read_shapes(&read(&data.join("shapes.tbl")));
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
        read_rows(
            &f.display().to_string(),
            &read(f),
            &by_name,
            &mut rows,
            &mut aliases,
        );
    }
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let mut text = String::new();
    write_shapes(&mut text, &shapes);
    write_rows(&mut text, &rows, &aliases);
    write_trees(&mut text, &shapes, &rows);
    let mut layouts = String::new();
    encodings::write_encodings(&mut layouts, &read(&data.join("encodings.tbl")));
    std::fs::write(Path::new(&out).join("encodings.rs"), layouts).expect("OUT_DIR is writable");
    std::fs::write(Path::new(&out).join("tables.rs"), text).expect("OUT_DIR is writable");
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn hex(s: &str) -> u128 {
    u128::from_str_radix(s.trim_start_matches("0x"), 16).unwrap_or_else(|_| panic!("hex: {s}"))
}

fn read_shapes(text: &str) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    for line in text
        .lines()
        .filter(|l| !l.starts_with('#') && !l.trim().is_empty())
    {
        if let Some(rest) = line.strip_prefix("shape ") {
            let w: Vec<&str> = rest.split_whitespace().collect();
            shapes.push(Shape {
                name: w[0].to_owned(),
                encoding: w[1].to_owned(),
                size: w[2].parse().expect("size"),
                mask: hex(w[3]),
                template: String::new(),
                sources: 0,
                image: None,
                sources_dst: false,
                whole: (0, true),
                operands: Vec::new(),
            });
            continue;
        }
        let shape = shapes.last_mut().expect("a shape line first");
        if let Some(t) = line.strip_prefix("  asm ") {
            shape.template = t.to_owned();
        } else if let Some(rest) = line.strip_prefix("  image ") {
            let mut w = rest.split(' ');
            let mut list = || {
                w.next()
                    .expect("four lists")
                    .split(',')
                    .map(|n| 1 << n.parse::<u32>().expect("a register count"))
                    .sum::<u32>()
            };
            shape.image = Some((list(), list(), list().ilog2(), list().ilog2()));
        } else if let Some(n) = line.strip_prefix("  sources ") {
            let (n, dst) = n.split_once(' ').unwrap_or((n, ""));
            shape.sources = n.parse().expect("a number of sources");
            shape.sources_dst = dst == "dst";
        } else if let Some(rest) = line.strip_prefix("  whole ") {
            let (mask, op_sel) = rest.split_once(' ').unwrap_or((rest, ""));
            shape.whole = (hex(mask), op_sel == "op_sel");
        } else if line.trim() == "asm" {
        } else {
            let w: Vec<&str> = line.split_whitespace().collect();
            let spans = w[3..]
                .iter()
                .map(|s| {
                    let (range, at) = s.split_once('@').unwrap_or((s, "0"));
                    let (hi, lo) = range.split_once(':').expect("hi:lo");
                    let (hi, lo): (u32, u32) = (hi.parse().unwrap(), lo.parse().unwrap());
                    (lo, at.parse().unwrap(), hi - lo + 1)
                })
                .collect();
            shape.operands.push(Operand {
                access: w[0].to_owned(),
                name: w[1].to_owned(),
                kind: w[2].to_owned(),
                spans,
            });
        }
    }
    shapes
}

fn read_rows(
    file: &str,
    text: &str,
    shapes: &HashMap<&str, usize>,
    rows: &mut Vec<Row>,
    aliases: &mut BTreeMap<String, Vec<String>>,
) {
    let mut mnemonic = String::new();
    for (n, line) in text.lines().enumerate() {
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        let w: Vec<&str> = line.split_whitespace().collect();
        if !line.starts_with(' ') {
            let (name, others) = line.split_once(" = ").unwrap_or((line, ""));
            mnemonic = name.to_owned();
            if !others.is_empty() {
                aliases
                    .entry(mnemonic.clone())
                    .or_default()
                    .extend(others.split_whitespace().map(str::to_owned));
            }
            continue;
        }
        assert!(
            w.len() >= 2 + TARGETS + 3,
            "{file}:{}: a row has 19 columns",
            n + 1
        );
        let shape = *shapes
            .get(w[0])
            .unwrap_or_else(|| panic!("{file}:{}: no shape {}", n + 1, w[0]));
        let mut by_opcode: BTreeMap<u32, u16> = BTreeMap::new();
        for t in 0..TARGETS {
            if w[2 + t] != "-" {
                let op = u32::from_str_radix(w[2 + t], 16)
                    .unwrap_or_else(|_| panic!("{file}:{}: opcode {}", n + 1, w[2 + t]));
                *by_opcode.entry(op).or_default() |= 1 << t;
            }
        }
        for (opcode, targets) in by_opcode {
            rows.push(Row {
                mnemonic: mnemonic.clone(),
                shape,
                value: hex(w[1]),
                opcode,
                targets,
                flags: w[2 + TARGETS].to_owned(),
                reads: w[3 + TARGETS].to_owned(),
                writes: w[4 + TARGETS].to_owned(),
                wave: w.get(5 + TARGETS).unwrap_or(&"").to_string(),
            });
        }
    }
}

fn words(v: u128) -> [u32; 4] {
    [
        v as u32,
        (v >> 32) as u32,
        (v >> 64) as u32,
        (v >> 96) as u32,
    ]
}

fn write_shapes(text: &mut String, shapes: &[Shape]) {
    writeln!(
        text,
        "pub(crate) static SHAPES: [Shape; {}] = [",
        shapes.len()
    )
    .unwrap();
    for s in shapes {
        let mut operands = String::new();
        for o in &s.operands {
            let (what, rest) = o.kind.split_once('.').expect("a kind has two parts");
            let (kind, bits, ty) = match what {
                "mods" => (
                    format!("OperandKind::Mods(ModStyle::{})", camel(rest)),
                    "0",
                    "b",
                ),
                "imm" => (
                    format!("OperandKind::Imm(ImmStyle::{})", camel(rest)),
                    "0",
                    "i",
                ),
                _ => {
                    let (bits, ty) = rest.split_once('.').expect("bits and type");
                    (format!("OperandKind::{}", register_kind(what)), bits, ty)
                }
            };
            let bits = match bits {
                "mask" => "MASK_BITS",
                "image" => "IMAGE_BITS",
                "matrix" => "MATRIX_BITS",
                b => b,
            };
            let access = match o.access.as_str() {
                "r" => "Read",
                "w" => "Write",
                "rw" => "ReadWrite",
                other => panic!("access {other}"),
            };
            write!(
                operands,
                "OperandDef{{field:Field::{},access:Access::{access},kind:{kind},bits:{bits},ty:OperandType::{},spans:&{:?}}},",
                field_variant(&o.name),
                type_variant(ty),
                o.spans.iter().map(|&(a, b, c)| (a as u8, b as u8, c as u8)).collect::<Vec<_>>()
            )
            .unwrap();
        }
        writeln!(
            text,
            "Shape{{encoding:{:?},size:{},mask:{:?},template:{:?},pieces:&[{}],image:{},sources:{},whole:{},operands:&[{operands}]}},",
            s.encoding,
            s.size,
            words(s.mask),
            s.template,
            pieces(s),
 s.image.map_or("None".to_owned(), |(d, a, own_d, own_a)| format!(
                "Some(ImageSizes{{data:{d:#x},addresses:{a:#x},own_data:{own_d},own_addresses:{own_a},list:{}}})",
                s.template.contains("[$vaddr0")
            )),
            sources(s),
            format_args!("Whole{{zeros:{:?},op_sel:{}}}", words(s.whole.0), s.whole.1)
        )
        .unwrap();
    }
    text.push_str("];\n");
}

/// What an image instruction's addresses consist of, by its name: bits 1:0 count the extra ones
/// (offset, bias, reference value), 2 coordinates, 3 level of detail or its limit, 4 gradients,
/// 5 gradients of 16 bits (RDNA1 ISA 8.2.3, tables of image opcodes).
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

/// The positions of the sources' modifiers, which op_sel and the like list.
fn sources(shape: &Shape) -> String {
    let mods = |n: u32| {
        shape
            .operands
            .iter()
            .position(|o| o.name == format!("src{n}_modifiers"))
    };
    let list: Vec<String> = (0..3)
        .map(|n| {
            mods(n)
                .filter(|_| n < shape.sources)
                .map_or("NO_MODS".to_owned(), |i| i.to_string())
        })
        .collect();
    format!(
        "Sources{{count:{},mods:[{}],dst:{}}}",
        shape.sources,
        list.join(","),
        shape.sources_dst
    )
}

/// The template cut at its operands.
fn pieces(shape: &Shape) -> String {
    let index = |name: &str| shape.operands.iter().position(|o| o.name == name);
    let mut out = String::new();
    let mut rest = shape.template.as_str();
    while !rest.is_empty() {
        let at = rest.find('$').unwrap_or(rest.len());
        if at > 0 {
            // The second half of a VOPD pair has a mnemonic of its own.
            if let Some((before, after)) = rest[..at].split_once("::") {
                write!(
                    out,
                    "Piece::Text({:?}),Piece::SecondName,",
                    format!("{before}:: ")
                )
                .unwrap();
                if !after.is_empty() {
                    write!(out, "Piece::Text({after:?}),").unwrap();
                }
            } else {
                write!(out, "Piece::Text({:?}),", &rest[..at]).unwrap();
            }
            rest = &rest[at..];
            continue;
        }
        if shape.image.is_some() && rest.starts_with("$vaddr0") && out.ends_with("[\"),") {
            // The list of addresses with its brackets: how long it is follows from other fields.
            let first = index("vaddr0").expect("vaddr0");
            out.truncate(out.len() - "[\"),".len());
            write!(out, "\"),Piece::Addresses({first}),").unwrap();
            rest = &rest[rest.find(']').expect("a closing bracket") + 1..];
            continue;
        }
        let end = rest[1..]
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .map_or(rest.len(), |e| e + 1);
        let name = &rest[1..end];
        if name == "vcc" {
            out.push_str("Piece::Vcc,");
            rest = &rest[end..];
            continue;
        }
        let i = index(name)
            .unwrap_or_else(|| panic!("{}: the template names {name}, no operand", shape.name));
        let alone = shape.operands[i].kind.starts_with("imm.");
        match name
            .strip_suffix("_modifiers")
            .filter(|_| !alone)
            .and_then(index)
        {
            Some(source) => write!(out, "Piece::Modified{{mods:{i},source:{source}}},").unwrap(),
            None => write!(out, "Piece::Operand({i}),").unwrap(),
        }
        rest = &rest[end..];
    }
    out
}

fn camel(s: &str) -> String {
    s.split('_')
        .map(|p| {
            let mut c = p.chars();
            c.next()
                .map(|f| f.to_ascii_uppercase())
                .into_iter()
                .chain(c)
                .collect::<String>()
        })
        .collect()
}

fn register_kind(what: &str) -> String {
    if let Some(letters) = what.strip_prefix("sx") {
        return format!(
            "ScalarExcept{{m0:{},exec:{},exec_hi:{},null:{}}}",
            letters.contains('m'),
            letters.contains('e'),
            letters.contains('h'),
            letters.contains('n')
        );
    }
    let kind = match what {
        "v" => "Vgpr",
        "vexp" => "VgprExport",
        "vu" => "VgprUnaligned",
        "vlo" => "VgprLo",
        "vh" => "VgprHalf",
        "va" => "VgprOrAgpr",
        "vau" => "VgprOrAgprUnaligned",
        "vasrc" => "VgprOrAgprSrc",
        "a" => "Agpr",
        "ar" => "AgprSrc",
        "vr" => "VgprSrc",
        "vrh" => "VgprSrcHalf",
        "vrlo" => "VgprSrcLo",
        "s" => "Scalar",
        "sdwadst" => "SdwaDst",
        "sl" => "ScalarSrcLit",
        "sc" => "ScalarSrc",
        "slds" => "ScalarSrcLds",
        "vs" => "SrcLit",
        "vsc" => "Src",
        "vsh" => "SrcLitHalf",
        "vshlo" => "SrcLitLo",
        "vsch" => "SrcHalf",
        "vlds" => "VgprSrcLds",
        "vi" => "VgprOrInline",
        "ai" => "AgprOrInline",
        "sdwa" => "SdwaSrc",
        other => panic!("operand kind {other}"),
    };
    kind.to_owned()
}

fn type_variant(ty: &str) -> &'static str {
    match ty {
        "b" => "Bits",
        "i" => "Int",
        "f" => "Float",
        "bf" => "Bf16",
        "v2f16" => "PackedF16",
        "v2f16s" => "PackedF16Splat",
        "v2f16n" => "PackedF16NoInline",
        "v2bf16" => "PackedBf16",
        "v2i16" => "PackedInt16",
        "v2f32" => "PackedF32",
        "v2i32" => "PackedInt32",
        other => panic!("operand type {other}"),
    }
}

fn field_variant(name: &str) -> String {
    if name == "srcTiedDef" {
        return "SrcTiedDef".to_owned();
    }
    if name == "soffseten" {
        return "SoffsetEn".to_owned();
    }
    let mut out = String::new();
    for part in name.split('_') {
        // src0X reads Src0X, vdst_in reads VdstIn.
        let mut c = part.chars();
        if let Some(f) = c.next() {
            out.push(f.to_ascii_uppercase());
        }
        out.extend(c);
    }
    out
}

fn write_rows(text: &mut String, rows: &[Row], aliases: &BTreeMap<String, Vec<String>>) {
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

/// For each target: the top nine bits of the first dword choose a slot; a slot names a window of
/// further bits whose value chooses a list of candidate rows, most specific first.
fn write_trees(text: &mut String, shapes: &[Shape], rows: &[Row]) {
    let mut candidates: Vec<u16> = Vec::new();
    let mut lists: HashMap<Vec<u16>, (u32, u8)> = HashMap::new();
    // Leaf 0 is empty: slots without rows point there.
    let mut leaves: Vec<(u32, u8)> = vec![(0, 0)];
    let mut slots_text = String::new();
    for t in 0..TARGETS {
        let mine: Vec<usize> = (0..rows.len())
            .filter(|&i| rows[i].targets >> t & 1 != 0)
            .collect();
        let mut slots = Vec::new();
        for top in 0..512u32 {
            let here: Vec<usize> = mine
                .iter()
                .copied()
                .filter(|&i| {
                    let m = (shapes[rows[i].shape].mask as u32) >> 23;
                    let v = (rows[i].value as u32) >> 23;
                    top & m == v & m
                })
                .collect();
            if here.is_empty() {
                slots.push((0u8, 0u8, 0u32));
                continue;
            }
            let common = here
                .iter()
                .fold(!0u32, |a, &i| a & shapes[rows[i].shape].mask as u32)
                & 0x7f_ffff;
            let (shift, bits) = best_window(common, &here, rows);
            let base = leaves.len() as u32;
            for x in 0..1u32 << bits {
                let mut list: Vec<u16> = here
                    .iter()
                    .copied()
                    .filter(|&i| {
                        let wm = ((1u32 << bits) - 1) << shift;
                        rows[i].value as u32 & wm == x << shift
                    })
                    .map(|i| i as u16)
                    .collect();
                list.sort_by_key(|&i| {
                    (
                        std::cmp::Reverse(shapes[rows[i as usize].shape].mask.count_ones()),
                        i,
                    )
                });
                let leaf = *lists.entry(list.clone()).or_insert_with(|| {
                    let at = candidates.len() as u32;
                    candidates.extend(&list);
                    (
                        at,
                        u8::try_from(list.len()).expect("a short candidate list"),
                    )
                });
                leaves.push(leaf);
            }
            slots.push((shift as u8, bits as u8, base));
        }
        writeln!(slots_text, "{slots:?},").unwrap();
    }
    writeln!(
        text,
        "pub(crate) static SLOTS: [[(u8, u8, u32); 512]; {TARGETS}] = [\n{slots_text}];"
    )
    .unwrap();
    writeln!(
        text,
        "pub(crate) static LEAVES: [(u32, u8); {}] = {leaves:?};",
        leaves.len()
    )
    .unwrap();
    writeln!(
        text,
        "pub(crate) static CANDIDATES: [u16; {}] = {candidates:?};",
        candidates.len()
    )
    .unwrap();
}

/// The run of fixed bits, at most ten, that leaves the shortest longest list.
fn best_window(common: u32, here: &[usize], rows: &[Row]) -> (u32, u32) {
    let mut best = (here.len(), 0, 0);
    for shift in 0..23 {
        for bits in 1..=10u32 {
            if shift + bits > 23 {
                break;
            }
            let wm = ((1u32 << bits) - 1) << shift;
            if common & wm != wm {
                break;
            }
            let mut counts: HashMap<u32, usize> = HashMap::new();
            for &i in here {
                *counts.entry(rows[i].value as u32 & wm).or_default() += 1;
            }
            let longest = counts.values().copied().max().unwrap_or(0);
            if longest < best.0 {
                best = (longest, shift, bits);
            }
        }
    }
    (best.1, best.2)
}
