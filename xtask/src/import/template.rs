//! Assembly templates: LLVM's, with what its printer adds in code written out.

use super::facts::{Instruction, TargetFacts, Variant};
use std::collections::HashSet;
use waveglass_isa::Target;

/// Which mnemonics of a target have a 32-bit and which a 64-bit vector encoding: those with both
/// carry `_e32` or `_e64`.
pub(crate) struct Names<'a> {
    short: HashSet<&'a str>,
    long: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    pub(crate) fn of(facts: &'a TargetFacts) -> Self {
        let with = |encodings: &[&str]| {
            facts
                .instructions
                .iter()
                .filter(|i| encodings.contains(&i.enc.as_str()))
                .map(|i| i.mnemonic.as_str())
                .collect()
        };
        Self {
            short: with(&["ENC_VOP1", "ENC_VOP2", "ENC_VOPC", "ENC_VINTRP"]),
            long: with(&["ENC_VOP3", "VOP3_SDST_ENC"]),
        }
    }
}

/// The class of the operand that the template starts with.
fn first_class<'a>(v: &'a Variant, template: &str) -> Option<&'a str> {
    let name = template.strip_prefix('$')?;
    let end = name
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(name.len());
    v.operands
        .iter()
        .find(|o| o.0 == name[..end])
        .map(|o| o.3.as_str())
}

impl Names<'_> {
    /// Whether the facts name an instruction that the target does not have: gfx9's v_mul_lo_i32
    /// is another spelling of v_mul_lo_u32 (Vega ISA 12.12 has V_MUL_LO_U32 alone), and CDNA 5's
    /// conversions of two packed bytes have no DPP form: the records carry gfx9's opcodes for it,
    /// which are those of v_rsq_f16 and v_log_f16.
    pub(crate) fn skips(&self, target: Target, inst: &Instruction) -> bool {
        let mnemonic = inst.mnemonic.as_str();
        target.is_gfx9() && mnemonic == "v_mul_lo_i32"
            || target == Target::Gfx1251
                && inst.enc.starts_with("VOP1_VOP_DPP")
                && matches!(mnemonic, "v_cvt_pk_f32_fp8" | "v_cvt_pk_f32_bf8")
    }
}

/// The template without the mnemonic, which is the row's.
pub(crate) fn template(inst: &Instruction, v: &Variant, names: &Names<'_>) -> String {
    let mut halves = v.asm.split(" :: ").map(|half| {
        let end = half
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(half.len());
        half.split_at(end)
    });
    let (name, rest) = halves.next().unwrap_or(("", ""));
    // LLVM's own template may already have a suffix, in braces or without.
    let mut out = name
        .strip_prefix(inst.mnemonic.as_str())
        .unwrap_or("")
        .to_owned();
    let rest = rest.replace(['{', '}'], "");
    // These operands print the space before them.
    let spaced = first_class(v, &rest).is_some_and(|c| {
        c.starts_with("CPol") || matches!(c, "Endpgm" | "exp_tgt" | "ExpTgt" | "Offset" | "GDS")
    });
    if rest.starts_with('$') && !spaced {
        out.push_str(suffix(inst, names));
        out.push(' ');
    }
    // LLVM prints the format after the scalar offset, wherever its template has it.
    let rest = rest.replace(",$format $soffset", ", $soffset$format");
    out.push_str(&implied_vcc(inst, &rest));
    for (_, rest) in halves {
        out.push_str(" ::");
        out.push_str(rest);
    }
    out.truncate(out.trim_end().len());
    out
}

fn suffix(inst: &Instruction, names: &Names<'_>) -> &'static str {
    let m = inst.mnemonic.as_str();
    // CDNA 5 conversions that LLVM writes without a suffix in both encodings.
    if matches!(m, "v_cvt_pk_f16_fp8" | "v_cvt_pk_f16_bf8") && !inst.enc.contains("DPP") {
        return "";
    }
    match inst.enc.as_str() {
        "ENC_VINTRP" => "_e32",
        "ENC_VOP1" | "ENC_VOP2" | "ENC_VOPC" if names.long.contains(m) => "_e32",
        "ENC_VOP3" | "VOP3_SDST_ENC" if names.short.contains(m) => "_e64",
        e if e.starts_with("VOP3") && e.contains("_VOP_DPP") => "_e64_dpp",
        e if e.contains("_VOP_DPP") => "_dpp",
        e if e.ends_with("SDWA") => "_sdwa",
        _ => "",
    }
}

/// VCC where an instruction reads or writes it without a field for it, and the text shows it.
fn implied_vcc(inst: &Instruction, rest: &str) -> String {
    let enc = inst.enc.as_str();
    let mut rest = rest.to_owned();
    if rest.contains("vcc") {
        return rest;
    }
    let short = matches!(enc, "ENC_VOP2" | "ENC_VOPC")
        || enc.starts_with("VOP2_VOP")
        || enc.starts_with("VOPC_VOP");
    if !short {
        return rest;
    }
    let writes = inst.defs.iter().any(|r| r.starts_with("VCC"));
    let reads = inst.uses.iter().any(|r| r.starts_with("VCC"));
    if enc.contains("VOPC") {
        if writes && !rest.contains("$sdst") {
            return rest.replacen(" $src0", " $vcc, $src0", 1);
        }
        return rest;
    }
    if reads {
        for source in ["$src1_modifiers", "$src1"] {
            if let Some(at) = rest.find(source) {
                rest.insert_str(at + source.len(), ", $vcc");
                break;
            }
        }
    }
    if writes {
        rest = rest.replacen("$vdst", "$vdst, $vcc", 1);
    }
    rest
}
