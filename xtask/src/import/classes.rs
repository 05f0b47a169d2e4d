//! From LLVM's operand classes to the table's operand kinds.
//!
//! A kind is `<what>.<bits>.<type>`: what the field's number means, the width of the value, and
//! how constants widen. Modifier fields are `imm.<style>`.

use anyhow::{Result, bail};

/// Classes that TableGen leaves without a name, by what their records show them to be.
const ANONYMOUS: &[(&str, &str)] = &[
    ("anonymous_15610", "v.32.b"),
    ("anonymous_15611", "v.1024.b"),
    ("anonymous_15612", "v.512.b"),
    ("anonymous_15613", "v.256.b"),
    ("anonymous_15614", "v.192.b"),
    ("anonymous_15615", "v.128.b"),
    ("anonymous_15616", "v.96.b"),
    ("anonymous_15617", "v.64.b"),
    ("anonymous_15618", "vlo.32.b"),
    ("anonymous_15623", "v.64.b"),
    ("anonymous_15624", "v.32.b"),
    ("anonymous_15625", "a.32.b"),
    ("anonymous_15626", "a.64.b"),
    ("anonymous_15628", "a.128.b"),
    ("anonymous_15646", "mods.fp16"),
    ("anonymous_15653", "mods.fp16"),
    ("anonymous_15717", "mods.int16"),
    ("anonymous_15722", "mods.int16"),
    ("anonymous_20948", "mods.fp16"),
    ("anonymous_20953", "mods.fp16"),
    ("anonymous_20957", "mods.fp16"),
    ("anonymous_20960", "mods.fp16"),
    ("anonymous_20995", "mods.fp16"),
    ("anonymous_21000", "mods.fp16"),
    ("anonymous_21077", "mods.int16"),
    ("anonymous_21081", "mods.int16"),
    ("anonymous_21084", "mods.int16"),
    ("anonymous_21087", "mods.int16"),
    ("anonymous_21118", "mods.int16"),
    ("anonymous_21122", "mods.int16"),
    ("anonymous_24992", "sxm.32.b"),
    ("anonymous_26775", "vh.16.b"),
    ("anonymous_29850", "sxe.32.b"),
];

/// Classes with a meaning of their own.
const NAMED: &[(&str, &str)] = &[
    ("VGPR_32", "v.32.b"),
    ("VINTRPDst", "v.32.b"),
    ("VOPDDstYOperand", "v.32.b"),
    ("AV_LdSt_32_Align2_RegOp", "va.32.b"),
    ("VRegOrLdsSrc_32", "vlds.32.b"),
    ("VRegSrc_fake16", "vr.32.b"),
    ("VOPDstOperand_t16", "vh.16.b"),
    ("VOPDstOperand_t16Lo128", "vlo.16.b"),
    ("VOPSrcEncodedDstOperand_t16Lo128", "vrlo.16.b"),
    ("SReg_32_XM0", "sxm.32.b"),
    ("SReg_32_XM0_XEXEC", "sxme.32.b"),
    ("SReg_32_XEXEC_HI", "sxh.32.b"),
    ("SReg_64_XEXEC", "sxe.64.b"),
    ("SReg_64_XEXEC_XNULL", "sxen.64.b"),
    ("SReg_128_XNULL", "s.128.b"),
    ("SReg_256_XNULL", "s.256.b"),
    ("SSrc_i1", "s.mask.b"),
    ("VOPDstS64orS32", "s.mask.b"),
    ("SDWAVopcDst", "sdwadst.mask.b"),
    ("SSrcOrLds_b32", "slds.32.b"),
    ("ExpSrc0", "vexp.32.b"),
    ("ExpSrc1", "vexp.32.b"),
    ("ExpSrc2", "vexp.32.b"),
    ("ExpSrc3", "vexp.32.b"),
    ("AVLdSt_96_Align1", "vau.96.b"),
    ("VGPROp_96_Align1", "vu.96.b"),
    ("PackedF16InputMods", "mods.packed"),
    ("PackedI16InputMods", "mods.packed"),
    ("PackedVGPRF32InputMods", "mods.packed"),
    ("IntOpSelMods", "mods.opsel"),
    ("SplitBarrier", "sc.32.i"),
];

fn type_of(token: &str) -> Option<(&'static str, u32)> {
    Some(match token {
        "b16" => ("i", 16),
        "b32" => ("i", 32),
        "b64" => ("i", 64),
        "i16" => ("i", 16),
        "i32" => ("i", 32),
        "f16" => ("f", 16),
        "f32" => ("f", 32),
        "f64" => ("f", 64),
        "bf16" => ("bf", 16),
        "v2f16" => ("v2f16", 32),
        "v2f16_splat" => ("v2f16s", 32),
        "NoInline_v2f16" => ("v2f16n", 32),
        "v2bf16" => ("v2bf16", 32),
        "v2b16" => ("v2i16", 32),
        "v2f32" => ("v2f32", 64),
        "v2b32" => ("v2i32", 64),
        _ => return None,
    })
}

/// The kind for a class.
pub(crate) fn kind(class: &str) -> Result<String> {
    if let Some((_, k)) = ANONYMOUS.iter().chain(NAMED).find(|(c, _)| *c == class) {
        return Ok((*k).to_owned());
    }
    if class.starts_with("anonymous") {
        bail!("operand class {class} has no meaning assigned; look at its records");
    }
    let base = class
        .trim_end_matches("_Align2")
        .trim_end_matches("_AlignTarget");
    // Register classes with a width.
    for (prefix, what) in [
        ("VGPROp_", "v"),
        ("VReg_", "v"),
        ("AVLdSt_", "va"),
        ("AVDst_", "va"),
        ("AVSrc_", "vasrc"),
        ("ADst_", "a"),
        ("ARegSrc_", "ar"),
        ("VDst_", "v"),
        ("VRegSrc_", "vr"),
        ("SReg_", "s"),
    ] {
        if let Some(rest) = base.strip_prefix(prefix) {
            if let Some(width) = rest.strip_suffix("_Lo128") {
                return Ok(format!("{what}lo.{width}.b"));
            }
            if rest.parse::<u32>().is_ok() {
                let what = if rest == "16" && what == "v" {
                    "vh"
                } else {
                    what
                };
                let what = if rest == "16" && what == "vr" {
                    "vrh"
                } else {
                    what
                };
                return Ok(format!("{what}.{rest}.b"));
            }
        }
    }
    // Sources that may be constants.
    for (prefix, what) in [
        ("VSrcT_", "vsh"),
        ("VCSrcT_", "vsch"),
        ("VSrcFake16_", "vs"),
        ("VSrc_", "vs"),
        ("VCSrc_", "vsc"),
        ("SSrc_", "sl"),
        ("SCSrc_", "sc"),
        ("SDWASrc_", "sdwa"),
    ] {
        if let Some(rest) = base.strip_prefix(prefix) {
            let (rest, lo) = match rest.strip_suffix("_Lo128") {
                Some(r) => (r, "lo"),
                None => (rest.trim_end_matches("_Lo256"), ""),
            };
            if let Some((ty, bits)) = type_of(rest) {
                let what = if what == "vsh" && !lo.is_empty() {
                    "vshlo"
                } else {
                    what
                };
                let lo = if what == "vshlo" { "" } else { lo };
                return Ok(format!("{what}{lo}.{bits}.{ty}"));
            }
        }
    }
    for (prefix, what) in [("VISrc_", "vi"), ("AISrc_", "ai")] {
        if let Some((bits, ty)) = base.strip_prefix(prefix).and_then(|r| r.split_once('_'))
            && let Some((element, _)) = type_of(ty)
        {
            // Each register of matrix C holds two elements of 16 bits.
            let ty = match ty {
                "f16" => "v2f16s",
                "bf16" => "v2bf16",
                _ => element,
            };
            return Ok(format!("{what}.{bits}.{ty}"));
        }
    }
    if let Some(rest) = class.strip_suffix("InputMods") {
        let sdwa = rest.contains("SDWA");
        let int = rest.starts_with("Int") || rest.starts_with("Bin");
        return Ok(match (sdwa, int) {
            (true, true) => "mods.sext",
            (false, true) => "mods.int",
            (_, false) => "mods.fp",
        }
        .to_owned());
    }
    // What is left are modifier fields, each printed in its own way.
    let style: String = class
        .trim_end_matches('0')
        .trim_end_matches("_GLC1")
        .trim_end_matches("_WithDefault")
        .trim_end_matches("_NonGLC")
        .trim_end_matches("_GLC")
        .trim_end_matches('_')
        .to_ascii_lowercase();
    let style = match class {
        "Offset0" => "offset0".to_owned(),
        "CPol_GLC1" | "CPol_0" => "cpol".to_owned(),
        _ => style,
    };
    Ok(format!("imm.{style}"))
}
