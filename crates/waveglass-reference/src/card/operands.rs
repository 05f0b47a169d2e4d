//! The operands of an encoding: AMD's fields, what may stand in them, AMD's names for it.

use serde::Serialize;
use waveglass_isa::{
    Access, EncodingField, Generation, IMAGE_BITS, InstDef, MASK_BITS, MATRIX_BITS, OperandDef,
    OperandKind, Target, row_layout,
};

use crate::amd::{self, AmdName};

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OperandRow {
    /// AMD's name of the field.
    pub field: &'static str,
    /// The width of the field in bits.
    pub field_bits: u32,
    /// The name in assembly templates.
    pub name: &'static str,
    /// The size of the data in bits; the largest where forms differ, `None` where other fields
    /// decide.
    pub data_bits: Option<u32>,
    /// "read", "written" or "read and written".
    pub access: &'static str,
    /// What may stand there.
    pub allowed: String,
    /// AMD's operand type, as in "OPR_VGPR".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amd_type: Option<AmdName>,
    /// AMD's data format, as in "FMT_ANY".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amd_format: Option<AmdName>,
}

/// The operands of an encoding's forms, in the order of the form with the most.
pub(super) fn rows(
    forms: &[&'static InstDef],
    target: Target,
    generation: Generation,
    names: &[&str],
) -> Vec<OperandRow> {
    let mut ordered: Vec<&&'static InstDef> = forms.iter().collect();
    ordered.sort_by_key(|f| std::cmp::Reverse(f.operands().len()));
    let mut rows: Vec<OperandRow> = Vec::new();
    for def in ordered {
        let layout = row_layout(def, target);
        let Some(&(encoding, _)) = layout.first() else {
            continue;
        };
        // TFE adds a register for its status to the data.
        if def.shape.template.ends_with(" tfe") {
            continue;
        }
        for o in def.operands() {
            if matches!(o.kind, OperandKind::Mods(_)) {
                continue;
            }
            let Some(field) = field_of(o, &layout) else {
                continue;
            };
            let amd = amd::operand(generation, names, encoding.name, field.name);
            // Of the fields that are no registers, those that AMD counts among the operands.
            if matches!(o.kind, OperandKind::Imm(_)) && amd.is_none() {
                continue;
            }
            let bits = data_bits(o, target);
            if let Some(row) = rows.iter_mut().find(|r| r.field == field.name) {
                row.data_bits = row.data_bits.max(bits);
                let other = allowed(o.kind, bits.unwrap_or(32), target);
                // Forms that take other registers add them: a VGPR in one, an AGPR in another.
                if bits == row.data_bits && !row.allowed.contains(&other) {
                    row.allowed = format!("{}; {other}", row.allowed);
                }
                continue;
            }
            let row = OperandRow {
                field: field.name,
                field_bits: field.width(),
                name: o.field.name(),
                data_bits: bits.max(
                    amd.as_ref()
                        .map(|a| a.bits)
                        .filter(|b| *b != 0 && bits.is_some()),
                ),
                access: match o.access {
                    Access::Read => "read",
                    Access::Write => "written",
                    Access::ReadWrite => "read and written",
                },
                allowed: allowed(o.kind, bits.unwrap_or(32), target),
                amd_type: amd.as_ref().and_then(|a| a.ty.clone()),
                amd_format: amd.and_then(|a| a.format),
            };
            rows.push(row);
        }
    }
    rows
}

/// The field of the layout that has most of the operand's bits.
fn field_of(
    o: &OperandDef,
    layout: &[(&'static waveglass_isa::Encoding, u32)],
) -> Option<&'static EncodingField> {
    let overlap = |f: &EncodingField, at: u32| -> u32 {
        let (lo, hi) = (at + f.lo as u32, at + f.hi as u32 + 1);
        o.spans
            .iter()
            .map(|s| {
                let (a, b) = (s.0 as u32, s.0 as u32 + s.2 as u32);
                b.min(hi).saturating_sub(a.max(lo))
            })
            .sum()
    };
    layout
        .iter()
        .flat_map(|&(e, at)| e.fields.iter().map(move |f| (f, at)))
        .map(|(f, at)| (overlap(f, at), f))
        .filter(|(n, _)| *n > 0)
        .max_by_key(|(n, _)| *n)
        .map(|(_, f)| f)
}

fn data_bits(o: &OperandDef, target: Target) -> Option<u32> {
    match o.bits {
        MASK_BITS if target.has_wave64() => Some(64),
        MASK_BITS => Some(32),
        IMAGE_BITS | MATRIX_BITS => None,
        bits => Some(bits as u32),
    }
}

/// What may stand in a field, in words.
fn allowed(kind: OperandKind, bits: u32, target: Target) -> String {
    use OperandKind::*;
    let many;
    let scalar = match (bits.div_ceil(32), target.major() >= 10) {
        (0 | 1, true) => "scalar register (SGPR, half of VCC, TTMP, M0, half of EXEC, NULL)",
        (0 | 1, false) => {
            "scalar register (SGPR, half of VCC or FLAT_SCRATCH, TTMP, M0, half of EXEC)"
        }
        (2, true) => "pair of scalar registers (even SGPR or TTMP, VCC, EXEC, NULL)",
        (2, false) => "pair of scalar registers (even SGPR or TTMP, VCC, FLAT_SCRATCH, EXEC)",
        (n, _) => {
            many = format!("{n} consecutive SGPRs or TTMPs from a multiple of 4");
            &many
        }
    };
    match kind {
        Vgpr | VgprExport => "VGPR".into(),
        VgprUnaligned => "VGPR; a tuple may start at an odd one".into(),
        VgprLo => "half of VGPR 0 to 127; the field's highest bit names the half".into(),
        VgprHalf => "half of a VGPR; OP_SEL names the half".into(),
        VgprOrAgpr => "VGPR, or AGPR where ACC is set".into(),
        VgprOrAgprUnaligned => {
            "VGPR, or AGPR where ACC is set; a tuple may start at an odd one".into()
        }
        VgprOrAgprSrc => "VGPR or AGPR".into(),
        Agpr | AgprSrc => "AGPR".into(),
        VgprSrc => "VGPR".into(),
        VgprSrcHalf => "half of a VGPR; OP_SEL names the half".into(),
        VgprSrcLo => "half of VGPR 0 to 127".into(),
        Scalar => scalar.into(),
        ScalarExcept {
            m0,
            exec,
            exec_hi,
            null,
        } => {
            let mut not = Vec::new();
            if m0 {
                not.push("M0");
            }
            if exec {
                not.push("EXEC");
            } else if exec_hi {
                not.push("EXEC_HI");
            }
            if null {
                not.push("NULL");
            }
            if not.is_empty() {
                scalar.into()
            } else {
                format!("{scalar} other than {}", not.join(", "))
            }
        }
        SdwaDst => "VCC, or a scalar register where bit 7 is set".into(),
        ScalarSrcLit => format!("{scalar}, inline constant or literal"),
        ScalarSrc => format!("{scalar} or inline constant"),
        ScalarSrcLds => format!("{scalar}, inline constant or LDS direct read"),
        SrcLit => format!("VGPR, {scalar}, inline constant or literal"),
        Src => format!("VGPR, {scalar} or inline constant"),
        SrcLitHalf => format!("half of a VGPR, {scalar}, inline constant or literal"),
        SrcLitLo => format!("half of VGPR 0 to 127, {scalar}, inline constant or literal"),
        SrcHalf => format!("half of a VGPR, {scalar} or inline constant"),
        VgprSrcLds => "VGPR or LDS direct read".into(),
        VgprOrInline => "VGPR or inline constant".into(),
        AgprOrInline => "AGPR or inline constant".into(),
        SdwaSrc => format!("VGPR, or {scalar} where the S bit is set"),
        Mods(_) => "source modifiers".into(),
        Imm(_) => "immediate".into(),
    }
}
