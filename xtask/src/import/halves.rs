//! Halves of registers: how a form that names whole registers turns into the one that names halves.

use super::shape::{Shape, ShapeOperand, listed_sources};

pub(super) fn has_halves(shape: &Shape) -> bool {
    shape.operands.iter().any(|o| is_half(&o.kind))
}

/// Two forms of one instruction are twins where their fixed bits agree wherever both fix one.
pub(super) fn is_twin(half: &Shape, half_value: u128, whole: &Shape, whole_value: u128) -> bool {
    half.size == whole.size && (half_value ^ whole_value) & half.mask & whole.mask == 0
}

/// How the form with whole registers differs from its twin; the bits that only it fixes are zero.
pub(super) fn whole_form(whole: &Shape, half: &Shape) -> Option<(u128, bool)> {
    let shows = |s: &Shape| s.template.contains("$op_sel");
    let mask = whole.mask & !half.mask;
    (mask != 0 || shows(whole) != shows(half)).then(|| (mask, shows(whole)))
}

fn is_half(kind: &str) -> bool {
    let what = kind.split('.').next().unwrap_or("");
    matches!(
        what,
        "vh" | "vlo" | "vrh" | "vrlo" | "vsh" | "vshlo" | "vsch"
    ) && kind.contains(".16.")
}

/// For forms whose instruction exists with whole registers only in the facts: which operands are
/// 16 bits wide follows from the modifiers' kinds and, for results, from the mnemonic.
pub(super) fn halves_by_rule(mnemonic: &str, shape: &Shape) -> Shape {
    let mut s = shape.clone();
    let vop3 = shape.encoding.starts_with("VOP3_")
        || shape.encoding == "ENC_VOP3"
        || shape.encoding == "ENC_VINTERP";
    let byte_sel = shape.template.contains("$byte_sel");
    let narrow_dst = narrow_result(mnemonic);
    let has_result = shape.operands.iter().any(|o| o.name == "vdst");
    let half_mods: Vec<String> = s
        .operands
        .iter()
        .filter(|o| o.kind == "mods.fp16" || o.kind == "mods.int16")
        .map(|o| o.name.trim_end_matches("_modifiers").to_owned())
        .collect();
    let mut any = false;
    for o in &mut s.operands {
        let (what, rest) = o.kind.split_once('.').unwrap_or((o.kind.as_str(), ""));
        let (bits, ty) = rest.split_once('.').unwrap_or((rest, ""));
        let narrow_src = half_mods.contains(&o.name) && !mnemonic.starts_with("v_sat_pk4_");
        let new = match what {
            "vlo" if bits == "32" => Some("vlo.16.b".to_owned()),
            "vslo" if bits == "16" => Some(format!("vshlo.16.{ty}")),
            "v" if vop3 && o.name == "vdst" && narrow_dst && bits == "32" => {
                Some("vh.16.b".to_owned())
            }
            "v" if vop3 && narrow_src && bits == "32" => Some("vh.16.b".to_owned()),
            "vr" if vop3 && narrow_src && bits == "32" => Some("vrh.16.b".to_owned()),
            "vs" if vop3 && bits == "16" && narrow_src => Some(format!("vsh.16.{ty}")),
            "vsc" if vop3 && bits == "16" && narrow_src => Some(format!("vsch.16.{ty}")),
            _ => None,
        };
        if let Some(k) = new {
            o.kind = k;
            any = true;
        }
    }
    if vop3 && any && !byte_sel {
        if !s.template.contains("$op_sel") {
            let at = s
                .template
                .find("$clamp")
                .or_else(|| s.template.find("$byte_sel"))
                .or_else(|| s.template.find(" $dpp"))
                .unwrap_or(s.template.len());
            s.template.insert_str(at, "$op_sel");
            s.operands.push(ShapeOperand {
                name: "op_sel".to_owned(),
                access: "r".to_owned(),
                kind: "imm.op_sel".to_owned(),
                spans: Vec::new(),
            });
        }
        for (n, name) in ["src0_modifiers", "src1_modifiers", "src2_modifiers"]
            .iter()
            .enumerate()
        {
            if let Some(o) = s.operands.iter_mut().find(|o| o.name == *name) {
                let bit = 11 + n as u32;
                if o.spans.iter().all(|x| x.0 != bit) {
                    o.spans.push((bit, 2, 1));
                }
                if n == 0 && has_result && o.spans.iter().all(|x| x.0 != 14) {
                    o.spans.push((14, 3, 1));
                }
                o.spans.sort();
                s.mask &= !(1 << bit);
            }
        }
        if has_result {
            s.mask &= !(1 << 14);
        }
        let names: Vec<&str> = s.operands.iter().map(|o| o.name.as_str()).collect();
        s.sources = listed_sources(mnemonic, &s.encoding, &names, &s.template);
    }
    s.whole = whole_form(shape, &s);
    s
}

fn narrow_result(mnemonic: &str) -> bool {
    if [
        "v_cvt_pk_bf8_",
        "v_cvt_pk_fp8_",
        "v_interp_p2_f16",
        "v_interp_p2_rtz_f16",
        "v_sat_pk4_",
    ]
    .iter()
    .any(|p| mnemonic.starts_with(p))
    {
        return true;
    }
    let result = mnemonic
        .strip_prefix("v_cvt_")
        .map(|r| r.split('_').next().unwrap_or(""))
        .unwrap_or_else(|| mnemonic.rsplit('_').next().unwrap_or(""));
    matches!(result, "f16" | "bf16" | "i16" | "u16" | "b16")
}
