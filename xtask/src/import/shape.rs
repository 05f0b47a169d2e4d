//! Operand shapes: what a form of an instruction looks like apart from its name and opcode.

use super::classes::kind;
use super::facts::{Instruction, Variant};
use super::template::{Names, template};
use anyhow::Result;
use std::collections::BTreeSet;
use waveglass_isa::Target;

/// What a form of an instruction looks like, apart from its name and opcode.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Shape {
    pub(super) encoding: String,
    pub(super) size: u32,
    pub(super) mask: u128,
    pub(super) template: String,
    /// Data sizes, address sizes and the two of a form whose counts are not among them.
    pub(super) image: Option<(Vec<u32>, Vec<u32>, u32, u32)>,
    /// How many of src0, src1 and src2 the packed modifiers (op_sel and the like) list, and
    /// whether op_sel lists the destination after them.
    pub(super) sources: (u32, bool),
    /// Where the form that names whole registers differs: the bits that have to be zero in it
    /// (all where there is no such form), and whether it shows op_sel.
    pub(super) whole: Option<(u128, bool)>,
    pub(super) operands: Vec<ShapeOperand>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct ShapeOperand {
    pub(super) name: String,
    pub(super) access: String,
    pub(super) kind: String,
    pub(super) spans: Vec<(u32, u32, u32)>,
}

pub(super) fn shape_of(
    target: Target,
    inst: &Instruction,
    v: &Variant,
    image: bool,
    not_read: bool,
    names: &Names<'_>,
) -> Result<Shape> {
    let enc = inst.enc.as_str();
    // The addresses of NSA forms follow the first two dwords.
    let size = match (enc, target.major()) {
        ("ENC_MIMG", 10) => 8 + 4 * (v.value >> 1 & 3) as u32,
        ("ENC_MIMG", 11) => 8 + 4 * (v.value & 1) as u32,
        _ => v.size,
    };
    let mut template = template(inst, v, names);
    if target.has_gfx90a_insts() {
        template = template.replace("$gds", "");
    }
    let mut mask = v.mask;
    let mut operands = Vec::new();
    for (name, access, _, class) in &v.operands {
        let mut spans = v.fields.get(name).cloned().unwrap_or_default();
        // Both halves of a pair share the constant.
        if name == "immX" && spans.is_empty() {
            spans = v.fields.get("imm").cloned().unwrap_or_default();
        }
        if spans.is_empty() && !template.contains(&format!("${name}")) {
            continue;
        }
        let mut kind = kind(class)?;
        // The formats of A and B decide how many registers they take (CDNA4 ISA 7.1.5).
        if inst.mnemonic.contains("f8f6f4")
            && (name == "src0" || name == "src1")
            && let Some((what, _)) = kind.split_once('.')
        {
            kind = format!("{what}.matrix.b");
        }
        // VOP3P takes literals from RDNA 1 on, v_fma_mix too (RDNA1 ISA 6.1).
        if enc == "ENC_VOP3P" && target.major() >= 10 && kind.starts_with("vsc.") {
            kind.replace_range(..3, "vs");
        }
        // A constant stands for both halves of V_PK_FMAC_F16's source from RDNA 3 on.
        if kind.ends_with(".v2f16s") && target.major() < 11 {
            kind.truncate(kind.len() - 1);
        }
        if kind.starts_with("va.") && !target.has_gfx90a_insts() {
            // The bit that chooses AGPRs exists from CDNA 2 on.
            spans.retain(|s| s.1 != 9);
            kind.replace_range(..2, "v");
        }
        if kind == "imm.flat_offset" && target.major() < 12 {
            let signed = enc != "ENC_FLAT";
            kind = format!("imm.flat_offset_{}", if signed { "s" } else { "u" });
        } else if kind == "imm.flat_offset" {
            kind = "imm.flat_offset_s".to_owned();
        }
        // The sources of S_CBRANCH_G_FORK are those of any SOP2 (Vega ISA 12.1).
        if v.rec.starts_with("S_CBRANCH_G_FORK") {
            kind = "sl.64.i".to_owned();
        }
        // CDNA 2 and later have no GDS memory: the bit means nothing.
        if kind == "imm.gds" && target.has_gfx90a_insts() {
            continue;
        }
        // NULL in SADDR is how a form without a scalar address is written.
        if name == "saddr"
            && !v.rec.starts_with("TENSOR_SAVE")
            && kind.starts_with('s')
            && !kind.contains('n')
            && target.major() >= 10
        {
            kind = match kind.split_once('.') {
                Some((w, rest)) if w.starts_with("sx") => format!("{w}n.{rest}"),
                Some((_, rest)) => format!("sxn.{rest}"),
                None => kind,
            };
        }
        if kind == "imm.cpol" {
            // Where the encoding fixes GLC (atomics, by whether they return), the field keeps
            // the bit all the same.
            let glc = match (enc, target.major()) {
                (_, 12..) => 52,
                ("ENC_MUBUF" | "ENC_MTBUF", _) => 14,
                (e, 11) if e.starts_with("ENC_FLAT") => 14,
                _ => 16,
            };
            if v.mask >> glc & 1 == 1 && spans.iter().all(|s| s.1 != 0) {
                spans.push((glc, 0, 1));
                spans.sort();
            }
        }
        if image && name == "a16" && spans.is_empty() {
            let bit = match target.major() {
                10 => 62,
                11 => 16,
                _ => 6,
            };
            spans.push((bit, 0, 1));
        }
        if enc == "ENC_MIMG"
            && spans.is_empty()
            && let Some(n) = name
                .strip_prefix("vaddr")
                .and_then(|n| n.parse::<u32>().ok())
            && n > 0
        {
            spans.push((56 + 8 * n, 0, 8));
        }
        if image
            && !inst.mnemonic.contains("bvh")
            && kind.starts_with('v')
            && (name.starts_with("vdata") || name.starts_with("vaddr"))
        {
            let what = kind.split('.').next().unwrap_or("v").to_owned();
            kind = format!("{what}.image.b");
        }
        operands.push(ShapeOperand {
            name: name.clone(),
            access: access.clone(),
            kind,
            spans,
        });
    }
    // A result that shares its register with a source is read as well. DPP's `old` is not:
    // that is how LLVM says that lanes without a source keep their value.
    for pair in v.constraints.split(',').filter_map(|c| c.split_once('=')) {
        let (a, b) = (
            pair.0.trim().trim_start_matches('$'),
            pair.1.trim().trim_start_matches('$'),
        );
        if a == "old" || b == "old" || not_read {
            continue;
        }
        for o in operands
            .iter_mut()
            .filter(|o: &&mut ShapeOperand| o.access == "w")
        {
            if o.name == a || o.name == b {
                o.access = "rw".to_owned();
            }
        }
    }
    // gfx9's scalar memory has forms with and without a register offset, which SOFFSET_EN tells
    // apart even where the facts leave the bit open.
    if enc == "ENC_SMEM"
        && target.is_gfx9()
        && v.operands
            .iter()
            .any(|o| o.0 == "offset" || o.0 == "soffset")
    {
        mask |= 1 << 14;
    }
    // Whether an atomic returns is in its temporal hint.
    let returns = |w: &Variant| w.mask & w.value & 1 << 52 != 0;
    let no_return = v.operands.iter().any(|o| o.0 == "cpol")
        && !returns(v)
        && inst.variants.iter().any(returns);
    if target.major() >= 12 && no_return {
        mask |= 1 << 52;
    }
    // Fields that no operand owns stay fixed bits only where the mask says so.
    for (name, spans) in &v.fields {
        if v.operands.iter().all(|o| &o.0 != name) && name != "soffset_en" {
            for &(lo, op_lo, width) in spans {
                operands.push(ShapeOperand {
                    name: name.to_ascii_lowercase(),
                    access: "r".to_owned(),
                    kind: "imm.raw".to_owned(),
                    spans: vec![(lo, op_lo, width)],
                });
            }
        }
    }
    // Where byte_sel takes op_sel's place, the destination has no half.
    if let Some(b) = operands.iter().find(|o| o.name == "byte_sel")
        && b.spans.iter().any(|s| (s.0..s.0 + s.2).contains(&14))
        && let Some(m) = operands.iter_mut().find(|o| o.name == "src0_modifiers")
    {
        m.spans.retain(|s| s.0 != 14);
    }
    mask &= if size >= 16 {
        u128::MAX
    } else {
        (1 << (size * 8)) - 1
    };
    Ok(Shape {
        encoding: enc.to_owned(),
        size,
        mask,
        image: None,
        whole: None,
        sources: listed_sources(
            &inst.mnemonic,
            enc,
            &v.operands.iter().map(|o| o.0.as_str()).collect::<Vec<_>>(),
            &template,
        ),
        template,
        operands,
    })
}

fn names_of_permlane16(mnemonic: &str) -> bool {
    (mnemonic.starts_with("v_permlane16_") || mnemonic.starts_with("v_permlanex16_"))
        && !mnemonic.contains("swap")
}

/// The register counts of an image instruction's data and addresses: those that it has in forms
/// like `form` (with one address tuple or with a list), and those of the form itself, the
/// smallest for tuples.
pub(super) fn image_sizes(inst: &Instruction, form: &Variant) -> (Vec<u32>, Vec<u32>, u32, u32) {
    let listed = |v: &Variant| v.asm.contains("[$vaddr0");
    let width = |class: &str| {
        kind(class)
            .ok()
            .and_then(|k| k.split('.').nth(1).and_then(|b| b.parse::<u32>().ok()))
            .map_or(1, |b| b / 32)
    };
    let data = |v: &Variant| {
        v.operands
            .iter()
            .find(|o| o.0 == "vdata")
            .map_or(0, |o| width(&o.3))
    };
    let addresses = |v: &Variant| {
        v.operands
            .iter()
            .filter(|o| o.0.starts_with("vaddr"))
            .map(|o| width(&o.3))
            .sum::<u32>()
    };
    let alike: Vec<&Variant> = inst
        .variants
        .iter()
        .filter(|v| {
            (listed(v) == listed(form) || inst.enc != "ENC_MIMG")
                && v.asm.contains("$vdata") == form.asm.contains("$vdata")
        })
        .collect();
    let all = |f: &dyn Fn(&Variant) -> u32| {
        alike
            .iter()
            .map(|v| f(v))
            .collect::<BTreeSet<u32>>()
            .into_iter()
            .collect::<Vec<u32>>()
    };
    let (d, a) = (all(&data), all(&addresses));
    let least = |l: &[u32]| l.first().copied().unwrap_or(1);
    // A list's own count is that of its operands.
    let own = if listed(form) {
        form.operands
            .iter()
            .filter(|o| o.0.starts_with("vaddr"))
            .count() as u32
    } else {
        least(&a)
    };
    // A gather returns four samples; where LLVM finds no form of the size asked for, it keeps
    // the form of four for IMAGE_MSAA_LOAD and the smallest for the others.
    let own_data = match inst.mnemonic.as_str() {
        "image_msaa_load" if inst.flags.iter().any(|f| f == "Gather4") => 4,
        _ => least(&d),
    };
    (d, a, own_data, own)
}

/// What the packed modifiers list: tied sources count. v_permlane16 and its kin use
/// op_sel for two flags (RDNA2 ISA, V_PERMLANE16_B32).
pub(super) fn listed_sources(
    mnemonic: &str,
    enc: &str,
    names: &[&str],
    template: &str,
) -> (u32, bool) {
    if enc == "ENC_VOP3PX2" {
        return (3, false);
    }
    if !["$op_sel", "$neg_lo", "$neg_hi"]
        .iter()
        .any(|m| template.contains(m))
    {
        return (0, false);
    }
    if names_of_permlane16(mnemonic) {
        return (2, false);
    }
    let count = ["src0", "src1", "src2"]
        .iter()
        .rposition(|n| names.contains(n))
        .map_or(0, |n| n as u32 + 1);
    let dst = match enc {
        "ENC_VOP3" => names.contains(&"vdst") || names.contains(&"sdst"),
        "ENC_VINTERP" => true,
        e => e.starts_with("VOP3_VOP_DPP") && names.contains(&"vdst"),
    };
    (count, dst)
}
