//! The bits of an encoding, drawn for one instruction.

use serde::Serialize;
use waveglass_isa::{Encoding, EncodingField, InstDef, OperandKind, Target, row_layout};

use crate::catalogue::Name;

/// One encoding of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EncodingCard {
    /// AMD's name, as in "ENC_VBUFFER" or "VOP2_VOP_DPP16".
    pub name: &'static str,
    /// The instruction format that it is a layout of, by the name that earlier generations gave
    /// it: MUBUF for ENC_VBUFFER.
    pub format: &'static str,
    /// The layouts that it is made of, by the names of `encodings.tbl`.
    pub layouts: Vec<&'static str>,
    /// The width in bits, without a literal that a source may ask for.
    pub width: u32,
    /// The opcode; two for a half of a VOPD pair, which may stand first or second.
    pub opcodes: Vec<Opcode>,
    /// The identifier that the opcode gives: the fixed bits with the opcode, all else zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// The fields from the highest bit to the lowest, bits without a field among them.
    pub bits: Vec<BitRow>,
    /// The assembly forms, `$name` standing for an operand.
    pub forms: Vec<&'static str>,
}

/// An opcode in a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Opcode {
    /// The field, "OP" but for VOPD.
    pub field: &'static str,
    /// The value.
    pub value: u32,
}

/// What a field of an encoding holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BitKind {
    /// Bits that tell the encoding.
    Fixed,
    /// The opcode.
    Opcode,
    /// A field that every form of this instruction fixes.
    Form,
    /// An operand.
    Operand,
    /// A modifier or an immediate.
    Modifier,
    /// A field that this instruction does not use.
    Unused,
    /// Bits without a field.
    Unassigned,
}

/// A field, or bits without one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BitRow {
    /// AMD's name; "unassigned" for bits without a field.
    pub name: &'static str,
    /// The highest bit, from the start of the instruction.
    pub hi: u32,
    /// The lowest bit.
    pub lo: u32,
    /// What it holds.
    pub kind: BitKind,
    /// The bits, where they are the same in all forms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// The encodings of a name on a target, the main one first.
pub(crate) fn cards(name: &Name, rows: &[&'static InstDef], target: Target) -> Vec<EncodingCard> {
    rows.chunk_by(|a, b| a.encoding() == b.encoding())
        .map(|forms| card(name, forms, target))
        .collect()
}

fn card(name: &Name, forms: &[&'static InstDef], target: Target) -> EncodingCard {
    let first = forms[0];
    let layout = row_layout(first, target);
    let mut templates: Vec<&'static str> = Vec::new();
    // The pairs of a VOPD half differ in the other half, which is not shown.
    let shown = if first.mnemonic.contains(" :: ") {
        1
    } else {
        forms.len()
    };
    for f in &forms[..shown] {
        let t = f.shape.template.trim();
        if !templates.contains(&t) {
            templates.push(t);
        }
    }
    EncodingCard {
        name: first.encoding(),
        format: format(layout.first().map_or("", |(e, _)| e.name), name.mnemonic),
        layouts: layout.iter().map(|(e, _)| e.name).collect(),
        width: first.shape.size as u32 * 8,
        opcodes: opcodes(name, forms, target),
        identifier: identifier(first, target),
        bits: encoding_rows(forms, target),
        forms: templates,
    }
}

/// The format's name before gfx12 gave every memory format a name of its own.
fn format(layout: &'static str, mnemonic: &str) -> &'static str {
    match layout {
        "VBUFFER" if mnemonic.starts_with("tbuffer") => "MTBUF",
        "VBUFFER" => "MUBUF",
        "VFLAT" => "FLAT",
        "VGLOBAL" => "GLOBAL",
        "VSCRATCH" => "SCRATCH",
        "VIMAGE" | "VSAMPLE" => "MIMG",
        "VEXPORT" => "EXP",
        "VDSDIR" => "LDSDIR",
        other => other,
    }
}

fn value_bits(def: &InstDef, lo: u32, width: u32) -> u32 {
    let all = def
        .value
        .iter()
        .rev()
        .fold(0u128, |a, &w| a << 32 | w as u128);
    (all >> lo) as u32 & (u32::MAX >> (32 - width))
}

fn is_fixed(def: &InstDef, lo: u32, width: u32) -> bool {
    (lo..lo + width).all(|b| {
        def.shape
            .mask
            .get(b as usize / 32)
            .is_some_and(|m| m >> (b % 32) & 1 != 0)
    })
}

fn opcodes(name: &Name, forms: &[&'static InstDef], target: Target) -> Vec<Opcode> {
    let mut out = Vec::new();
    let of = |def: &InstDef, field: &str| {
        let layout = row_layout(def, target);
        let f = layout.first()?.0.field(field)?;
        Some(value_bits(def, f.lo as u32, f.width()))
    };
    for (field, half) in [("OPX", 0), ("OPY", 1)] {
        let value = forms
            .iter()
            .find(|f| f.mnemonic.split(" :: ").nth(half) == Some(name.mnemonic))
            .filter(|f| f.mnemonic.contains(" :: "))
            .and_then(|f| of(f, field));
        if let Some(value) = value {
            out.push(Opcode { field, value });
        }
    }
    if out.is_empty() {
        out.push(Opcode {
            field: "OP",
            value: forms[0].opcode as u32,
        });
    }
    out
}

/// Whether a field holds the opcode or a part of it.
fn is_opcode(name: &str) -> bool {
    matches!(name, "OP" | "OPM" | "OPX" | "OPY" | "SCLOP")
}

/// The fixed bits with the opcode, as AMD's specifications list them; not for forms with further
/// dwords, which those list under the plain encoding, nor for VOPD pairs, which have two opcodes.
fn identifier(def: &InstDef, target: Target) -> Option<String> {
    let layout = row_layout(def, target);
    let [(encoding, _)] = layout[..] else {
        return None;
    };
    if def.mnemonic.contains(" :: ") {
        return None;
    }
    let mut bits = 0u128;
    for f in encoding.fields {
        if f.fixed.is_some() || is_opcode(f.name) {
            bits |= (value_bits(def, f.lo as u32, f.width()) as u128) << f.lo;
        }
    }
    Some(format!(
        "0x{bits:0width$X}",
        width = encoding.bits as usize / 4
    ))
}

/// The fields of an instruction's encoding from the highest bit down, as its forms use them.
pub fn encoding_rows(forms: &[&'static InstDef], target: Target) -> Vec<BitRow> {
    let mut rows = Vec::new();
    for &(encoding, at) in row_layout(forms[0], target).iter().rev() {
        push_rows(&mut rows, encoding, at, |f| row(f, at, forms));
    }
    rows
}

/// The fields of an encoding whatever the instruction.
pub fn plain_rows(encoding: &'static Encoding) -> Vec<BitRow> {
    let mut rows = Vec::new();
    push_rows(&mut rows, encoding, 0, |f| BitRow {
        name: f.name,
        hi: f.hi as u32,
        lo: f.lo as u32,
        kind: match f.fixed {
            Some(_) => BitKind::Fixed,
            None if is_opcode(f.name) => BitKind::Opcode,
            None => BitKind::Operand,
        },
        value: f
            .fixed
            .map(|v| format!("{v:0width$b}", width = f.width() as usize)),
    });
    rows
}

/// Adds the rows of an encoding that begins at bit `at`, gaps among them.
fn push_rows(
    rows: &mut Vec<BitRow>,
    encoding: &'static Encoding,
    at: u32,
    row: impl Fn(&EncodingField) -> BitRow,
) {
    let mut fields: Vec<&EncodingField> = encoding.fields.iter().collect();
    fields.sort_by_key(|f| std::cmp::Reverse(f.hi));
    let mut above = encoding.bits as u32;
    for f in fields {
        // Reserved bits are bits without a field.
        if f.name != "RESERVED" {
            gap(rows, at, above, f.hi as u32 + 1);
            above = f.lo as u32;
            rows.push(row(f));
        }
    }
    gap(rows, at, above, 0);
}

/// Bits without a field, cut at the dwords' ends.
fn gap(rows: &mut Vec<BitRow>, at: u32, above: u32, from: u32) {
    let mut hi = above;
    while hi > from {
        let lo = from.max((hi - 1) / 32 * 32);
        rows.push(BitRow {
            name: "unassigned",
            hi: at + hi - 1,
            lo: at + lo,
            kind: BitKind::Unassigned,
            value: None,
        });
        hi = lo;
    }
}

fn row(f: &EncodingField, at: u32, forms: &[&'static InstDef]) -> BitRow {
    let (lo, width) = (at + f.lo as u32, f.width());
    let same = |def: &InstDef| value_bits(def, lo, width) == value_bits(forms[0], lo, width);
    let fixed = forms.iter().all(|d| is_fixed(d, lo, width) && same(d));
    let touched = |register: bool| {
        forms.iter().any(|d| {
            d.operands().iter().any(|o| {
                register == !matches!(o.kind, OperandKind::Imm(_) | OperandKind::Mods(_))
                    && o.spans
                        .iter()
                        .any(|s| (s.0 as u32) < lo + width && lo < s.0 as u32 + s.2 as u32)
            })
        })
    };
    let kind = match f.name {
        n if is_opcode(n) => BitKind::Opcode,
        _ if f.fixed.is_some() => BitKind::Fixed,
        "ACC" | "ACC_CD" if !fixed => BitKind::Modifier,
        // A field of few bits is a choice even where a register's number is spread over it.
        _ if touched(true) && !(width == 1 && touched(false)) => BitKind::Operand,
        _ if touched(false) => BitKind::Modifier,
        _ if fixed && value_bits(forms[0], lo, width) != 0 => BitKind::Form,
        // Forms that differ in the field choose by it.
        _ if forms.iter().all(|d| is_fixed(d, lo, width)) && !forms.iter().all(|d| same(d)) => {
            BitKind::Modifier
        }
        _ => BitKind::Unused,
    };
    let value = match kind {
        BitKind::Fixed | BitKind::Opcode | BitKind::Form if fixed => Some(format!(
            "{:0width$b}",
            value_bits(forms[0], lo, width),
            width = width as usize
        )),
        _ => None,
    };
    BitRow {
        name: f.name,
        hi: at + f.hi as u32,
        lo,
        kind,
        value,
    }
}
