//! Writes the static table of shapes.

use crate::{Shape, words};
use std::fmt::Write as _;

pub(crate) fn write_shapes(text: &mut String, shapes: &[Shape]) {
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
