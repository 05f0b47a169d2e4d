//! Rows, merged over targets.

use super::facts::{Instruction, TargetFacts, Variant};
use super::halves::{halves_by_rule, has_halves, is_twin, whole_form};
use super::shape::{Shape, image_sizes, shape_of};
use super::template::Names;
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use waveglass_isa::Target;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct RowKey {
    pub(super) mnemonic: String,
    pub(super) shape: Shape,
    pub(super) wave: &'static str,
    pub(super) attributes: String,
}

#[derive(Default)]
pub(crate) struct Table {
    /// (fixed bits, opcode) by target.
    pub(super) rows: BTreeMap<RowKey, BTreeMap<Target, (u128, u32)>>,
    pub(super) aliases: BTreeMap<String, BTreeSet<String>>,
    /// How a form with whole registers turns into the one with named halves, learned from the
    /// targets whose facts have both.
    halves: HashMap<(String, Shape), (u128, Shape)>,
    half_templates: HashMap<Shape, Shape>,
    /// Forms with whole registers that wait for their halves.
    whole: Vec<(Target, RowKey, u128, u32)>,
}

const KEPT_FLAGS: &[(&str, &str)] = &[
    ("VALU", "valu"),
    ("SALU", "salu"),
    ("mayLoad", "load"),
    ("mayStore", "store"),
    ("isBranch", "branch"),
    ("isCall", "call"),
    ("isReturn", "return"),
    ("isTerminator", "terminator"),
    ("isBarrier", "barrier"),
    ("IsAtomicRet", "atomic-ret"),
    ("IsAtomicNoRet", "atomic-no-ret"),
    ("FPAtomic", "fp-atomic"),
    ("TRANS", "trans"),
    ("IsPacked", "packed"),
    ("IsMAI", "mai"),
    ("IsDOT", "dot"),
    ("IsWMMA", "wmma"),
    ("IsSWMMAC", "swmmac"),
    ("FPDPRounding", "fp-dp-rounding"),
    ("Gather4", "gather4"),
    ("GWS", "gws"),
    ("VM_CNT", "vmcnt"),
    ("LGKM_CNT", "lgkmcnt"),
    ("EXP_CNT", "expcnt"),
    ("ASYNC_CNT", "asynccnt"),
    ("TENSOR_CNT", "tensorcnt"),
];

impl Table {
    pub(crate) fn add(&mut self, target: Target, facts: &TargetFacts) -> Result<()> {
        let names = Names::of(facts);
        for inst in &facts.instructions {
            if names.skips(target, inst) {
                continue;
            }
            self.aliases
                .entry(inst.mnemonic.clone())
                .or_default()
                .extend(
                    inst.aliases
                        .iter()
                        .filter(|a| !a.ends_with("_t16") && !a.ends_with("_fake16"))
                        .cloned(),
                );
            let inherited = inherited_flags(facts, inst);
            let not_read = inst.flags.iter().any(|f| f == "TiedSourceNotRead");
            let image = matches!(inst.enc.as_str(), "ENC_MIMG" | "ENC_VIMAGE" | "ENC_VSAMPLE");
            let plain: HashSet<(u32, u128, u128)> = inst
                .variants
                .iter()
                .filter(|v| wave_of(v).is_empty())
                .map(|v| (v.size, v.mask, v.value))
                .collect();
            let mut forms: Vec<(bool, &'static str, u128, Shape, String, &Variant)> = Vec::new();
            for v in &inst.variants {
                let wave = wave_of(v);
                // The assembler's spellings with an explicit VCC repeat a form.
                if !wave.is_empty() && plain.contains(&(v.size, v.mask, v.value)) {
                    continue;
                }
                // The assembler's spelling of a sample whose result is not wanted.
                if image && v.asm.contains(" off,") {
                    continue;
                }
                // Pairs issue in wave32 only (RDNA3 ISA 7.6).
                let wave = if inst.enc.starts_with("VOPD") {
                    "w32"
                } else {
                    wave
                };
                if (v.rec.contains("_agpr") || v.rec.ends_with("_gfx90a"))
                    && target.is_gfx9()
                    && !target.has_gfx90a_insts()
                {
                    continue;
                }
                let shape = shape_of(target, inst, v, image, not_read, &names)
                    .with_context(|| format!("{target} {}", v.rec))?;
                let value = v.value;
                if image {
                    // Register counts of image operands follow from other fields:
                    // one form a size is enough, the one with the most operands.
                    if let Some(f) = forms.iter_mut().find(|f| {
                        let same = f.3.mask == shape.mask && f.2 == value;
                        // gfx12 has a field for each address in every form.
                        let gfx12 = inst.enc != "ENC_MIMG"
                            && !inst.mnemonic.contains("bvh")
                            && !inst.mnemonic.starts_with("tensor_");
                        f.3.size == shape.size
                            && (same || gfx12)
                            && f.3.template.contains("$vaddr0")
                                == shape.template.contains("$vaddr0")
                    }) {
                        if shape.operands.len() > f.3.operands.len() {
                            f.2 = value;
                            f.3 = shape;
                            f.5 = v;
                        }
                        continue;
                    }
                }
                // A row is enough for each pair of matrix formats: they decide the register counts.
                if inst.mnemonic.contains("f8f6f4")
                    && forms.iter().any(|f| {
                        f.2 == value
                            && f.1 == wave
                            && f.3.template == shape.template
                            && f.3.operands[0] == shape.operands[0]
                    })
                {
                    continue;
                }
                let name = pair_name(inst, v);
                forms.push((v.rec.contains("fake16"), wave, value, shape, name, v));
            }
            if image && !inst.mnemonic.contains("bvh") {
                for f in &mut forms {
                    f.3.image = Some(image_sizes(inst, f.5));
                }
            }
            let fakes: Vec<(&'static str, u128, Shape)> = forms
                .iter()
                .filter(|f| f.0)
                .map(|f| (f.1, f.2, f.3.clone()))
                .collect();
            for f in forms.iter_mut().filter(|f| !f.0 && has_halves(&f.3)) {
                let twin = fakes
                    .iter()
                    .find(|(wave, value, s)| f.1 == *wave && is_twin(&f.3, f.2, s, *value));
                f.3.whole = match twin {
                    Some((_, _, s)) => whole_form(s, &f.3),
                    None if f.5.rec.contains("t16") || inst.mnemonic == "v_swap_b16" => {
                        Some((u128::MAX, false))
                    }
                    None => None,
                };
            }
            let forms: Vec<(bool, &'static str, u128, Shape, String, String)> = forms
                .into_iter()
                .map(|f| {
                    let attributes = attributes(inst, f.5, &inherited);
                    (f.0, f.1, f.2, f.3, f.4, attributes)
                })
                .collect();
            let keep: Vec<_> = forms.iter().filter(|f| !f.0).cloned().collect();
            for (fake, wave, value, shape, name, attributes) in &forms {
                let opcode = inst.opcode;
                if *fake {
                    let twin = keep.iter().find(|k| {
                        k.1 == *wave && is_twin(&k.3, k.2, shape, *value) && has_halves(&k.3)
                    });
                    match twin {
                        Some(t) => {
                            self.halves
                                .insert((inst.mnemonic.clone(), shape.clone()), (t.2, t.3.clone()));
                            self.half_templates.insert(shape.clone(), t.3.clone());
                        }
                        None => self.whole.push((
                            target,
                            RowKey {
                                mnemonic: inst.mnemonic.clone(),
                                shape: shape.clone(),
                                wave,
                                attributes: attributes.clone(),
                            },
                            *value,
                            opcode,
                        )),
                    }
                    continue;
                }
                self.insert(
                    target,
                    RowKey {
                        mnemonic: name.clone(),
                        shape: shape.clone(),
                        wave,
                        attributes: attributes.clone(),
                    },
                    *value,
                    opcode,
                );
            }
        }
        Ok(())
    }

    fn insert(&mut self, target: Target, key: RowKey, value: u128, opcode: u32) {
        self.rows
            .entry(key)
            .or_default()
            .insert(target, (value, opcode));
    }

    /// Gives every whole-register form its halves: the learned form of the same instruction,
    /// else of the same shape, else by rule.
    pub(super) fn resolve_halves(&mut self) {
        for (target, mut key, value, opcode) in std::mem::take(&mut self.whole) {
            let shape = self
                .halves
                .get(&(key.mnemonic.clone(), key.shape.clone()))
                .map(|(_, s)| s.clone())
                .or_else(|| {
                    self.half_templates
                        .get(&key.shape)
                        .filter(|_| !key.mnemonic.starts_with("v_sat_pk4_"))
                        .cloned()
                })
                .unwrap_or_else(|| halves_by_rule(&key.mnemonic, &key.shape));
            let value = value & shape.mask;
            key.shape = shape;
            self.insert(target, key, value, opcode);
        }
    }
}

fn wave_of(v: &Variant) -> &'static str {
    if v.rec.contains("_w32") {
        "w32"
    } else if v.rec.contains("_w64") {
        "w64"
    } else {
        ""
    }
}

/// The mnemonic; a pair's halves both.
fn pair_name(inst: &Instruction, v: &Variant) -> String {
    match v.asm.split_once(" :: ") {
        Some((_, second)) => {
            let end = second
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .unwrap_or(second.len());
            format!("{} :: {}", inst.mnemonic, &second[..end])
        }
        None => inst.mnemonic.clone(),
    }
}

/// Flags, registers read and registers written without being named.
///
/// The facts give these for all forms of an instruction together; what only the forms to LDS or
/// without a result have is taken off the others.
fn attributes(inst: &Instruction, v: &Variant, inherited: &[&str]) -> String {
    let to_lds = |v: &Variant| v.rec.contains("_LDS_") || v.asm.ends_with(" lds");
    let no_result = |v: &Variant| v.rec.contains("nortn");
    let apart = |of: &dyn Fn(&Variant) -> bool| !of(v) && inst.variants.iter().any(of);
    let (not_lds, result) = (apart(&to_lds), apart(&no_result));
    let flags: Vec<&str> = KEPT_FLAGS
        .iter()
        .filter(|(f, _)| inst.flags.iter().any(|x| x == f) || inherited.contains(f))
        .filter(|(f, _)| match *f {
            "VALU" | "LGKM_CNT" => !not_lds,
            "mayStore" => !not_lds && !result,
            _ => true,
        })
        .map(|(_, k)| *k)
        .collect();
    let list = |regs: &[String]| {
        let mut regs: Vec<String> = regs
            .iter()
            .filter(|r| !(not_lds && *r == "M0"))
            .map(|r| r.to_ascii_lowercase())
            .collect();
        regs.sort();
        if regs.is_empty() {
            "-".to_owned()
        } else {
            regs.join(",")
        }
    };
    format!(
        "{} {} {}",
        if flags.is_empty() {
            "-".to_owned()
        } else {
            flags.join(",")
        },
        list(&inst.uses),
        list(&inst.defs)
    )
}

/// The records of DPP8 forms leave out what holds for an instruction in any form.
fn inherited_flags<'a>(facts: &'a TargetFacts, inst: &Instruction) -> Vec<&'a str> {
    let Some(form) = inst.enc.strip_suffix("_VOP_DPP8") else {
        return Vec::new();
    };
    let twin = format!("{form}_VOP_DPP16");
    facts
        .instructions
        .iter()
        .filter(|i| i.mnemonic == inst.mnemonic && i.enc == twin)
        .flat_map(|i| i.flags.iter().map(String::as_str))
        .filter(|f| matches!(*f, "TRANS" | "FPDPRounding" | "IsDOT"))
        .collect()
}
