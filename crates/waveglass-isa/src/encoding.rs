//! Encodings: the bit layout of every instruction format, with AMD's field names.
//!
//! An instruction is an [`Encoding`] (`VOP2`, `MUBUF`, …) with the encodings of its extension
//! dwords (`LITERAL`, `DPP16`, `SDWA`, …) behind it; [`layout`] gives both with the bit at which
//! each starts. The layouts stand in `data/encodings.tbl`.

use crate::{Field, Inst, InstDef, Target};

/// The bit layout of an instruction format or of an extension dword.
#[derive(Debug, PartialEq, Eq)]
pub struct Encoding {
    /// AMD's name, as in "VOP3A" or "DPP16".
    pub name: &'static str,
    /// Its width in bits.
    pub bits: u8,
    generations: u16,
    /// The fields, those of the first dword first, high bits before low ones. Bits that no field
    /// covers are reserved.
    pub fields: &'static [EncodingField],
}

/// A field of an encoding.
#[derive(Debug, PartialEq, Eq)]
pub struct EncodingField {
    /// AMD's name, as in "SSRC0".
    pub name: &'static str,
    /// The highest bit, from the start of the encoding.
    pub hi: u8,
    /// The lowest bit.
    pub lo: u8,
    /// The value, where the encoding fixes it.
    pub fixed: Option<u32>,
}

impl EncodingField {
    /// The width in bits, at most 32.
    pub fn width(&self) -> u32 {
        (self.hi - self.lo + 1) as u32
    }
}

impl Encoding {
    /// The field of that name.
    pub fn field(&self, name: &str) -> Option<&'static EncodingField> {
        self.fields.iter().find(|f| f.name == name)
    }

    /// Whether the target's generation has this layout.
    pub fn has_target(&self, target: Target) -> bool {
        self.generations >> target.generation() as u16 & 1 != 0
    }
}

/// The layout of the encoding of that name on `target`; names as in AMD's manuals.
///
/// ```
/// use waveglass_isa::{Target, encoding};
///
/// let smem = encoding("SMEM", Target::Gfx1201).unwrap();
/// let offset = smem.field("IOFFSET").unwrap();
/// assert_eq!((offset.hi, offset.lo), (55, 32));
/// assert!(encoding("SDWA", Target::Gfx1201).is_none());
/// ```
pub fn encoding(name: &str, target: Target) -> Option<&'static Encoding> {
    ENCODINGS
        .iter()
        .find(|e| e.name == name && e.has_target(target))
}

/// The encodings that make up an instruction, each with the bit at which it starts.
///
/// ```
/// use waveglass_isa::{Target, decode, layout};
///
/// let inst = decode(Target::Gfx900, &[0xff, 0x04, 0x02, 0x02, 1, 2, 3, 4]).unwrap();
/// let parts: Vec<_> = layout(&inst).iter().map(|&(e, at)| (e.name, at)).collect();
/// assert_eq!(parts, [("VOP2", 0), ("LITERAL", 32)]);
/// ```
pub fn layout(inst: &Inst) -> Vec<(&'static Encoding, u32)> {
    let mut parts = row_layout(inst.def(), inst.target());
    let at = inst.def().shape.size as u32 * 8;
    match inst.literal_words().len() {
        1 => push(&mut parts, "LITERAL", at, inst.target()),
        2 => push(&mut parts, "LITERAL64", at, inst.target()),
        _ => {}
    }
    parts
}

fn push(parts: &mut Vec<(&'static Encoding, u32)>, name: &str, at: u32, target: Target) {
    if let Some(e) = encoding(name, target) {
        parts.push((e, at));
    }
}

/// The same for a row, without the literal that its sources may ask for.
///
/// ```
/// use waveglass_isa::{Target, row_layout, rows};
///
/// let row = rows().iter().find(|r| r.mnemonic == "s_endpgm").unwrap();
/// assert_eq!(row_layout(row, Target::Gfx900)[0].0.name, "SOPP");
/// ```
pub fn row_layout(def: &InstDef, target: Target) -> Vec<(&'static Encoding, u32)> {
    let (base, extension) = names(def, target);
    let mut parts = Vec::with_capacity(2);
    push(&mut parts, base, 0, target);
    let size = def.shape.size as u32 * 8;
    let mut at = parts.first().map_or(size, |(e, _)| e.bits as u32);
    let literal = if size == at + 64 {
        "LITERAL64"
    } else {
        "LITERAL"
    };
    let extension = extension.unwrap_or(literal);
    while at < size {
        push(&mut parts, extension, at, target);
        at += if extension == "LITERAL64" { 64 } else { 32 };
    }
    parts
}

/// AMD's names of a row's encoding and of the dwords behind it; a literal where there is none.
fn names(def: &InstDef, target: Target) -> (&'static str, Option<&'static str>) {
    let name = def.encoding();
    let (vop3, vop3_sdst) = if target.major() >= 11 {
        ("VOP3", "VOP3SD")
    } else {
        ("VOP3A", "VOP3B")
    };
    // A carry or quotient flag in bits 14:8 tells VOP3B from VOP3A (Vega ISA 13.3.5).
    let has_sdst = || {
        def.operands()
            .iter()
            .any(|o| o.field == Field::Sdst && o.spans.iter().any(|s| s.0 == 8))
    };
    let base = match name.strip_prefix("ENC_").unwrap_or(name) {
        "VOP3" | "VOP3_VOP_DPP16" | "VOP3_VOP_DPP8" if !has_sdst() => vop3,
        "VOP3" | "VOP3_VOP_DPP16" | "VOP3_VOP_DPP8" | "VOP3_SDST_ENC" => vop3_sdst,
        "VDS" => "DS",
        "FLAT_GLBL" | "FLAT_GLOBAL" => "GLOBAL",
        "FLAT_SCRATCH" => "SCRATCH",
        "VOPDXY" => "VOPD",
        "VOP2_INST_LITERAL" => "VOP2",
        n => n.split_once("_VOP_").map_or(n, |(base, _)| base),
    };
    let extension = match name.rsplit_once("_VOP_").map(|(_, e)| e) {
        // Comparisons name their result in the SDWA dword.
        Some("SDWA") if base == "VOPC" => Some("SDWAB"),
        Some(e) => Some(e),
        None if base == "MIMG" => Some("NSA"),
        None => None,
    };
    (base, extension)
}

include!(concat!(env!("OUT_DIR"), "/encodings.rs"));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn fields_of_an_encoding_lie_apart_and_have_names_of_their_own() {
        for e in &ENCODINGS {
            let mut seen = 0u128;
            for (i, f) in e.fields.iter().enumerate() {
                assert!(f.hi >= f.lo && f.hi < e.bits, "{} {}", e.name, f.name);
                assert!(
                    f.lo / 32 == f.hi / 32,
                    "{} {} crosses dwords",
                    e.name,
                    f.name
                );
                let bits = ((1u128 << f.width()) - 1) << f.lo;
                assert_eq!(seen & bits, 0, "{} {} overlaps", e.name, f.name);
                seen |= bits;
                assert!(
                    e.fields[..i].iter().all(|g| g.name != f.name),
                    "{} {} twice",
                    e.name,
                    f.name
                );
                if let Some(v) = f.fixed {
                    assert!(
                        f.width() == 32 || v >> f.width() == 0,
                        "{} {}",
                        e.name,
                        f.name
                    );
                }
            }
        }
    }

    #[test]
    fn an_encoding_stands_once_for_a_generation() {
        for (i, e) in ENCODINGS.iter().enumerate() {
            for f in &ENCODINGS[..i] {
                assert!(
                    e.name != f.name || e.generations & f.generations == 0,
                    "{} twice",
                    e.name
                );
            }
        }
    }

    /// Every row of every target with its layout.
    fn all() -> impl Iterator<Item = (&'static InstDef, Target, Vec<(&'static Encoding, u32)>)> {
        rows().iter().flat_map(|def| {
            Target::ALL
                .iter()
                .filter(|t| def.has_target(**t))
                .map(move |&t| (def, t, row_layout(def, t)))
        })
    }

    #[test]
    fn the_encodings_of_a_row_are_as_long_as_the_row() {
        for (def, t, parts) in all() {
            let bits: u32 = parts.iter().map(|(e, _)| e.bits as u32).sum();
            let at = parts.last().map_or(0, |(e, at)| at + e.bits as u32);
            assert_eq!(
                (bits, at),
                (def.shape.size as u32 * 8, bits),
                "{t} {} {}",
                def.mnemonic,
                def.encoding()
            );
        }
    }

    #[test]
    fn every_operand_lies_within_named_fields() {
        for (def, t, parts) in all() {
            let mut named = [false; 160];
            for (e, at) in &parts {
                for f in e.fields {
                    for b in f.lo as u32..=f.hi as u32 {
                        named[(at + b) as usize] = true;
                    }
                }
            }
            for o in def.operands() {
                for &(lo, _, width) in o.spans {
                    for b in lo..lo + width {
                        assert!(
                            named[b as usize],
                            "{t} {} {}: bit {b} of {} has no field",
                            def.mnemonic,
                            def.encoding(),
                            o.field.name()
                        );
                    }
                }
            }
        }
    }

    fn row_bits(words: &[u32; 4], lo: u32, width: u32) -> u32 {
        let all = words.iter().rev().fold(0u128, |a, &w| a << 32 | w as u128);
        (all >> lo) as u32 & (u32::MAX >> (32 - width))
    }

    #[test]
    fn the_fixed_bits_of_an_encoding_are_those_of_its_rows() {
        for (def, t, parts) in all() {
            for (e, at) in &parts {
                for f in e.fields {
                    let Some(v) = f.fixed else { continue };
                    let lo = at + f.lo as u32;
                    let what = format!("{t} {} {} {}", def.mnemonic, def.encoding(), f.name);
                    assert_eq!(
                        row_bits(&def.shape.mask, lo, f.width()),
                        u32::MAX >> (32 - f.width()),
                        "{what}: the row leaves it open"
                    );
                    assert_eq!(row_bits(&def.value, lo, f.width()), v, "{what}");
                }
            }
        }
    }

    #[test]
    fn the_op_field_holds_the_opcode() {
        for (def, t, parts) in all() {
            let Some(op) = parts[0].0.field("OP") else {
                continue;
            };
            let (lo, width) = (op.lo as u32, op.width());
            assert_eq!(
                row_bits(&def.shape.mask, lo, width),
                u32::MAX >> (32 - width),
                "{t} {} {}: OP is open",
                def.mnemonic,
                def.encoding()
            );
            let mut value = row_bits(&def.value, lo, width);
            if let Some(m) = parts[0].0.field("OPM") {
                value |= row_bits(&def.value, m.lo as u32, 1) << width;
            }
            if def.encoding() == "ENC_VOP3PX2" && t.has_gfx1250_insts() {
                // LLVM counts these in seven bits; CDNA 5's OP has eight, the highest set
                // (CDNA5 ISA, "VOP3PX2").
                value &= 0x7f;
            }
            assert_eq!(
                value,
                def.opcode as u32,
                "{t} {} {}",
                def.mnemonic,
                def.encoding()
            );
        }
    }
}
