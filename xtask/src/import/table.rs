//! Rows and shapes, merged over targets, and the text that they are written as.

use super::classes::kind;
use super::facts::{Instruction, TargetFacts, Variant};
use super::template::{Names, template};
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;
use waveglass_isa::Target;

/// What a form of an instruction looks like, apart from its name and opcode.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Shape {
    encoding: String,
    size: u32,
    mask: u128,
    template: String,
    /// Data sizes, address sizes and the two of a form whose counts are not among them.
    image: Option<(Vec<u32>, Vec<u32>, u32, u32)>,
    /// How many of src0, src1 and src2 the packed modifiers (op_sel and the like) list, and
    /// whether op_sel lists the destination after them.
    sources: (u32, bool),
    /// Where the form that names whole registers differs: the bits that have to be zero in it
    /// (all where there is no such form), and whether it shows op_sel.
    whole: Option<(u128, bool)>,
    operands: Vec<ShapeOperand>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct ShapeOperand {
    name: String,
    access: String,
    kind: String,
    spans: Vec<(u32, u32, u32)>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct RowKey {
    mnemonic: String,
    shape: Shape,
    wave: &'static str,
    attributes: String,
}

#[derive(Default)]
pub(crate) struct Table {
    /// (fixed bits, opcode) by target.
    rows: BTreeMap<RowKey, BTreeMap<Target, (u128, u32)>>,
    aliases: BTreeMap<String, BTreeSet<String>>,
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
            let mut flags: Vec<&str> = KEPT_FLAGS
                .iter()
                .filter(|(f, _)| inst.flags.iter().any(|x| x == f))
                .map(|(_, k)| *k)
                .collect();
            if flags.is_empty() {
                flags.push("-");
            }
            let list = |regs: &[String]| {
                let mut regs: Vec<String> = regs.iter().map(|r| r.to_ascii_lowercase()).collect();
                regs.sort();
                if regs.is_empty() {
                    "-".to_owned()
                } else {
                    regs.join(",")
                }
            };
            let attributes = format!(
                "{} {} {}",
                flags.join(","),
                list(&inst.uses),
                list(&inst.defs)
            );

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
                    None if f.5.rec.contains("t16") => Some((u128::MAX, false)),
                    None => None,
                };
            }
            let forms: Vec<(bool, &'static str, u128, Shape, String)> = forms
                .into_iter()
                .map(|f| (f.0, f.1, f.2, f.3, f.4))
                .collect();
            let keep: Vec<_> = forms.iter().filter(|f| !f.0).cloned().collect();
            for (fake, wave, value, shape, name) in &forms {
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
    fn resolve_halves(&mut self) {
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

    pub(crate) fn write(mut self, out: &Path) -> Result<()> {
        self.resolve_halves();
        std::fs::create_dir_all(out)?;
        let mut shapes: Vec<Shape> = self
            .rows
            .keys()
            .map(|k| k.shape.clone())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        shapes.sort();
        let mut names: HashMap<Shape, String> = HashMap::new();
        let mut counts: HashMap<String, u32> = HashMap::new();
        let mut text = String::from(SHAPES_HEADER);
        for shape in &shapes {
            let short = shape
                .encoding
                .trim_start_matches("ENC_")
                .to_ascii_lowercase()
                .replace("_vop_", "_");
            let n = counts.entry(short.clone()).or_default();
            *n += 1;
            let name = format!("{short}.{n}");
            writeln!(
                text,
                "shape {name} {} {} {:#x}\n  asm {}",
                shape.encoding, shape.size, shape.mask, shape.template
            )?;
            if let Some((data, addresses, d, a)) = &shape.image {
                let list = |l: &[u32]| l.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
                writeln!(text, "  image {} {} {d} {a}", list(data), list(addresses))?;
            }
            match shape.sources {
                (0, _) => {}
                (n, dst) => writeln!(text, "  sources {n}{}", if dst { " dst" } else { "" })?,
            }
            if let Some((mask, op_sel)) = shape.whole {
                writeln!(
                    text,
                    "  whole {mask:#x}{}",
                    if op_sel { " op_sel" } else { "" }
                )?;
            }
            for o in &shape.operands {
                write!(text, "  {} {} {}", o.access, o.name, o.kind)?;
                for (lo, op_lo, width) in &o.spans {
                    let hi = lo + width - 1;
                    match op_lo {
                        0 => write!(text, " {hi}:{lo}")?,
                        n => write!(text, " {hi}:{lo}@{n}")?,
                    }
                }
                text.push('\n');
            }
            names.insert(shape.clone(), name);
        }
        std::fs::write(out.join("shapes.tbl"), text)?;

        let mut files: BTreeMap<&'static str, String> = BTreeMap::new();
        let mut last: HashMap<&'static str, String> = HashMap::new();
        for (key, targets) in &self.rows {
            let family = family(&key.shape.encoding);
            let file = files.entry(family).or_insert_with(rows_header);
            if last.get(family) != Some(&key.mnemonic) {
                file.push_str(&key.mnemonic);
                if let Some(aliases) = self.aliases.get(&key.mnemonic)
                    && !aliases.is_empty()
                {
                    let list: Vec<&str> = aliases.iter().map(String::as_str).collect();
                    write!(file, " = {}", list.join(" "))?;
                }
                file.push('\n');
                last.insert(family, key.mnemonic.clone());
            }
            // Targets whose fixed bits differ by more than the opcode's place stand in rows
            // of their own.
            let mut by_rest: BTreeMap<u128, Vec<(Target, u32, u128)>> = BTreeMap::new();
            for (&t, &(value, opcode)) in targets {
                by_rest.entry(value).or_default().push((t, opcode, value));
            }
            for (value, list) in by_rest {
                write!(file, "  {:<18} {:#x}", names[&key.shape], value)?;
                for &t in Target::ALL {
                    match list.iter().find(|(x, _, _)| *x == t) {
                        Some((_, op, _)) => write!(file, " {op:x}")?,
                        None => file.push_str(" -"),
                    }
                }
                write!(file, " {}", key.attributes)?;
                if !key.wave.is_empty() {
                    write!(file, " {}", key.wave)?;
                }
                file.push('\n');
            }
        }
        for (name, text) in files {
            std::fs::write(out.join(format!("{name}.tbl")), text)?;
        }
        Ok(())
    }
}

const SHAPES_HEADER: &str = "\
# Operand shapes: what a form of an instruction looks like apart from its name and opcode.
#
#   shape NAME ENCODING BYTES MASK     MASK: the bits whose values the row fixes
#     asm TEMPLATE                     $name stands for an operand
#     image DATA ADDRESSES D A         register counts that an image instruction's fields may ask for;
#                                      D and A where they ask for others
#     sources N [dst]                  op_sel, op_sel_hi, neg_lo and neg_hi list N sources;
#                                      op_sel also the destination
#     whole ZEROS [op_sel]             the form that names no halves: further bits that are zero in
#                                      it (all: there is none), and whether it shows op_sel
#     r|w NAME KIND HI:LO[@BIT]...     where the operand's bits lie; @BIT: from that bit of the operand up
#
# KIND is <what>.<bits>.<type> for registers and constants, mods.<which> for source modifiers,
# imm.<style> for other fields. What: v VGPR, va VGPR or AGPR, a AGPR, s scalar register,
# sc/sl scalar source without/with literal, vsc/vs any source without/with literal, vr VGPR in a
# source field, vi/ai VGPR/AGPR or inline constant, sdwa source of an SDWA form; lo: registers
# 0-127, h: a half that op_sel names. Type: b bits, i integer, f IEEE float, bf bfloat16, v2… packed.
# mask: as wide as a wave.
";

fn rows_header() -> String {
    let mut s = String::from(
        "# MNEMONIC [= other spellings]\n#   SHAPE FIXED-BITS opcode on each target (hex, - where absent) flags reads writes [w32|w64]\n#  ",
    );
    for t in Target::ALL {
        s.push(' ');
        s.push_str(t.name());
    }
    s.push('\n');
    s
}

fn family(encoding: &str) -> &'static str {
    match encoding {
        e if e.starts_with("ENC_SOP") => "scalar_alu",
        "ENC_SMEM" => "scalar_memory",
        "VOPDXY" | "VOPD3" => "vopd",
        "ENC_VINTRP" | "ENC_VINTERP" | "ENC_LDSDIR" | "ENC_VDSDIR" | "ENC_EXP" | "ENC_VEXPORT" => {
            "interpolation_export"
        }
        e if e.starts_with("ENC_VOP3P") || e.starts_with("VOP3P") => "vop3p",
        e if e.starts_with("VOP3") || e == "ENC_VOP3" => "vop3",
        e if e.contains("VOP1") => "vop1",
        e if e.contains("VOP2") => "vop2",
        e if e.contains("VOPC") => "vopc",
        "ENC_DS" | "ENC_VDS" => "data_share",
        "ENC_MUBUF" | "ENC_MTBUF" | "ENC_VBUFFER" => "buffer",
        e if e.starts_with("ENC_FLAT") => "flat",
        "ENC_VFLAT" | "ENC_VGLOBAL" | "ENC_VSCRATCH" => "flat",
        "ENC_MIMG" | "ENC_VIMAGE" | "ENC_VSAMPLE" => "image",
        other => panic!("encoding {other} belongs to no family"),
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

fn has_halves(shape: &Shape) -> bool {
    shape.operands.iter().any(|o| is_half(&o.kind))
}

/// Two forms of one instruction are twins where their fixed bits agree wherever both fix one.
fn is_twin(half: &Shape, half_value: u128, whole: &Shape, whole_value: u128) -> bool {
    half.size == whole.size && (half_value ^ whole_value) & half.mask & whole.mask == 0
}

/// How the form with whole registers differs from its twin; the bits that only it fixes are zero.
fn whole_form(whole: &Shape, half: &Shape) -> Option<(u128, bool)> {
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

fn shape_of(
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
        // The formats of A and B decide how many registers they take (CDNA4 ISA 7.1).
        if inst.mnemonic.contains("f8f6f4")
            && (name == "src0" || name == "src1")
            && let Some((what, _)) = kind.split_once('.')
        {
            kind = format!("{what}.matrix.b");
        }
        // VOP3P takes literals from RDNA 1 on, v_fma_mix too (RDNA1 ISA 6.2.1).
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
        // The sources of S_CBRANCH_G_FORK are those of any SOP2 (Vega ISA 12.2).
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

fn names_of_permlane16(mnemonic: &str) -> bool {
    (mnemonic.starts_with("v_permlane16_") || mnemonic.starts_with("v_permlanex16_"))
        && !mnemonic.contains("swap")
}

/// The register counts of an image instruction's data and addresses: those that it has in forms
/// like `form` (with one address tuple or with a list), and those of the form itself, the
/// smallest for tuples.
fn image_sizes(inst: &Instruction, form: &Variant) -> (Vec<u32>, Vec<u32>, u32, u32) {
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
fn listed_sources(mnemonic: &str, enc: &str, names: &[&str], template: &str) -> (u32, bool) {
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

/// For forms whose instruction exists with whole registers only in the facts: which operands are
/// 16 bits wide follows from the modifiers' kinds and, for results, from the mnemonic.
fn halves_by_rule(mnemonic: &str, shape: &Shape) -> Shape {
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
