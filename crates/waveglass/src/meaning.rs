//! What the value of a bit field says, in words.

use waveglass_isa::{
    EncodingField, Field, ImmStyle, Inst, Operand, OperandDef, OperandKind, OperandType, Reg,
    RegFile,
};

/// The meaning of the field `f` of `encoding`, which lies at bit `lo` of `inst` and has `value`.
pub(crate) fn of(inst: &Inst, encoding: &str, f: &EncodingField, lo: u32, value: u32) -> String {
    match f.name {
        "ENCODING" | "X2ENCODING" => return format!("{encoding} encoding"),
        "SEG" => return segment(value).to_owned(),
        _ if f.fixed.is_some() => return "fixed".to_owned(),
        "OP" => {
            let name = inst.mnemonic();
            return format!("opcode {} = {name}", inst.def().opcode);
        }
        "OPX" | "OPY" => {
            let (x, y) = inst.mnemonic().split_once(" :: ").unwrap_or(("", ""));
            let name = if f.name == "OPX" { x } else { y };
            return format!("opcode {value} = {name}");
        }
        "OPM" => return "high bit of the opcode".to_owned(),
        "SCLOP" => return format!("opcode {value} of the scale half"),
        "LITERAL" | "LITERAL_LO" | "LITERAL_HI" => return literal(inst, value),
        "RESERVED" => {
            return if value == 0 {
                "reserved"
            } else {
                "reserved, not zero"
            }
            .to_owned();
        }
        _ => {}
    }
    if let Some(words) = extension(inst, f.name, value) {
        return words.to_owned();
    }
    if let Some(o) = covering(inst, lo, f.width(), false)
        && !matches!(f.name, "ACC" | "ACC_CD" | "S0" | "S1" | "SD")
        && let Some(v) = inst.resolve(o)
    {
        return operand(inst, o, &v);
    }
    if let Some(words) = named(inst, f.name, value) {
        return words;
    }
    match covering(inst, lo, f.width(), true) {
        Some(o) => match inst.resolve(o) {
            Some(Operand::Imm(i)) => immediate(o, i, value),
            Some(v) => operand(inst, o, &v),
            None => value.to_string(),
        },
        // This form has no scalar address.
        None if f.name == "SADDR" && is_fixed(inst, lo, f.width()) => "off".to_owned(),
        None if is_fixed(inst, lo, f.width()) && value != 0 => "fixed by this form".to_owned(),
        None => "not used".to_owned(),
    }
}

fn is_fixed(inst: &Inst, lo: u32, width: u32) -> bool {
    let mask = &inst.def().shape.mask;
    (lo..lo + width).all(|b| {
        mask.get(b as usize / 32)
            .is_some_and(|m| m >> (b % 32) & 1 != 0)
    })
}

/// The operand with the most bits in the field: registers and constants, or the others.
fn covering(inst: &Inst, lo: u32, width: u32, immediates: bool) -> Option<&'static OperandDef> {
    let overlap = |o: &OperandDef| -> u32 {
        o.spans
            .iter()
            .map(|s| {
                let (a, b) = (s.0 as u32, s.0 as u32 + s.2 as u32);
                b.min(lo + width).saturating_sub(a.max(lo))
            })
            .sum()
    };
    inst.def()
        .operands()
        .iter()
        .filter(|o| matches!(o.kind, OperandKind::Imm(_) | OperandKind::Mods(_)) == immediates)
        .filter(|o| overlap(o) > 0)
        .max_by_key(|o| overlap(o))
}

/// A register or constant.
pub(crate) fn operand(inst: &Inst, o: &OperandDef, value: &Operand) -> String {
    match *value {
        Operand::Reg(reg) => register(reg),
        Operand::InlineInt(i) => format!("inline constant {i}"),
        Operand::InlineFloat(s) => {
            const NAMES: [&str; 9] = [
                "0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "1/(2*pi)",
            ];
            let name = NAMES.get((s as usize).wrapping_sub(240)).unwrap_or(&"?");
            format!("inline constant {name}")
        }
        Operand::Literal(l) if inst.literal_words().is_empty() => number(o, l),
        Operand::Literal(l) => format!("literal follows: {}", number(o, l)),
        Operand::Literal64(l) => format!("literal {l:#x}"),
        Operand::Imm(i) => i.to_string(),
        Operand::Off => "off".to_owned(),
    }
}

fn number(o: &OperandDef, l: u32) -> String {
    match (o.ty, o.bits) {
        (OperandType::Float, 32) => format!("{l:#x} ({:?})", f32::from_bits(l)),
        (OperandType::Float, 64) => {
            format!("{l:#x} ({:?})", f64::from_bits((l as u64) << 32))
        }
        _ => format!("{l:#x} ({})", l as i32),
    }
}

fn literal(inst: &Inst, value: u32) -> String {
    let reader = inst
        .operands()
        .find(|(_, v)| matches!(v, Operand::Literal(_) | Operand::Literal64(_)));
    match reader {
        Some((o, Operand::Literal(l))) => format!("{} of {}", number(o, l), o.field.name()),
        _ => format!("{value:#x}"),
    }
}

fn register(reg: Reg) -> String {
    let kind = match reg.file {
        RegFile::Vgpr => "VGPR",
        RegFile::Agpr => "AGPR",
        RegFile::Sgpr => "SGPR",
        RegFile::Ttmp => "trap handler SGPR",
        RegFile::Null => return "null: reads zero, drops writes".to_owned(),
        RegFile::LdsDirect => return "LDS direct: a dword of LDS at M0".to_owned(),
        _ => return reg.to_string(),
    };
    let plural = if reg.dwords > 1 { "s" } else { "" };
    format!("{kind}{plural} {reg}")
}

fn segment(value: u32) -> &'static str {
    match value {
        0 => "flat",
        1 => "scratch",
        2 => "global",
        _ => "reserved",
    }
}

/// The selectors that announce an extension dword in place of a source.
fn extension(inst: &Inst, name: &str, value: u32) -> Option<&'static str> {
    if name != "SRC0" || !inst.def().encoding().contains("_VOP_") {
        return None;
    }
    match value {
        233 => Some("a DPP8 dword follows"),
        234 => Some("a DPP8 dword follows, fetch inactive lanes"),
        249 => Some("an SDWA dword follows"),
        250 => Some("a DPP dword follows"),
        _ => None,
    }
}

/// The sources that a mask names, one bit each.
fn sources(value: u32, what: &str) -> String {
    let list: Vec<String> = (0..3)
        .filter(|i| value >> i & 1 != 0)
        .map(|i| format!("src{i}"))
        .collect();
    if list.is_empty() {
        format!("no {what}")
    } else {
        format!("{what} of {}", list.join(", "))
    }
}

fn on(value: u32, yes: &str, no: &str) -> String {
    if value != 0 { yes } else { no }.to_owned()
}

/// Fields whose name says what they do wherever they occur.
fn named(inst: &Inst, name: &str, value: u32) -> Option<String> {
    let text = match name {
        "NEG" | "SCL_NEG"
            if inst.operand_def(Field::Bitop3).is_none()
                && inst.operand_def(Field::Blgp).is_none()
                && inst.operand_def(Field::MatrixAScaleFmt).is_none() =>
        {
            sources(value, "negation")
        }
        "NEGX" | "NEGY" => sources(value, "negation"),
        "ABS" if inst.operand_def(Field::Bitop3).is_none() => sources(value, "absolute value"),
        "NEG_HI" if inst.operand_def(Field::MatrixBScaleFmt).is_none() => {
            sources(value, "negation of the high half")
        }
        "OMOD" if inst.operand_def(Field::Bitop3).is_none() => match value {
            0 => "result as it is".to_owned(),
            1 => "result * 2".to_owned(),
            2 => "result * 4".to_owned(),
            _ => "result / 2".to_owned(),
        },
        "CLMP" | "CM" | "SCL_CM" => on(value, "result clamped", "no clamp"),
        "ACC"
            if inst.def().encoding() == "VOP3P_MFMA" || inst.def().encoding() == "ENC_VOP3PX2" =>
        {
            let file = |b: u32| if value >> b & 1 != 0 { "AGPR" } else { "VGPR" };
            format!("src0 {}, src1 {}", file(0), file(1))
        }
        "ACC" | "ACC_CD" => on(value, "data in AGPRs", "data in VGPRs"),
        "GLC" => on(
            value,
            "globally coherent (atomics: return the old value)",
            "not globally coherent",
        ),
        "SLC" => on(value, "system level coherent", "not system level coherent"),
        "DLC" => on(value, "device level coherent", "not device level coherent"),
        "SCC" => on(value, "system coherent", "not system coherent"),
        "SC0" => on(
            value,
            "scope bit 0 set (atomics: return the old value)",
            "scope bit 0 clear",
        ),
        "SC1" => on(value, "scope bit 1 set", "scope bit 1 clear"),
        "NT" => on(value, "non-temporal", "temporal"),
        "NV" => on(value, "non-volatile", "volatile"),
        "SCOPE" => {
            let names = ["compute unit", "shader engine", "device", "system"];
            format!("coherent in the {}", names[value as usize & 3])
        }
        "TH" => format!("temporal hint {value}"),
        "LDS" => on(value, "data to LDS", "data in VGPRs"),
        "GDS" => on(value, "global data share", "LDS"),
        "OFFEN" => on(value, "VADDR has an offset", "VADDR has no offset"),
        "IDXEN" => on(value, "VADDR has an index", "VADDR has no index"),
        "TFE" => on(
            value,
            "texture fail enabled: a status dword follows the data",
            "no texture fail status",
        ),
        "LWE" => on(value, "LOD warning enabled", "no LOD warning"),
        "SVE" => on(value, "VGPR offset used", "no VGPR offset"),
        "IMM" => on(value, "OFFSET is an immediate", "OFFSET names an SGPR"),
        "SOE" => on(value, "SOFFSET is added", "no SOFFSET"),
        "SCALE_OFFSET" => on(
            value,
            "the offset counts elements",
            "the offset counts bytes",
        ),
        "UNRM" => on(
            value,
            "coordinates not normalized",
            "normalized coordinates",
        ),
        "DA" => on(value, "an array image", "no array image"),
        "DMASK" => format!("components {value:04b} (WZYX)"),
        "D16" => on(value, "16-bit data", "32-bit data"),
        "A16" => on(value, "16-bit addresses", "32-bit addresses"),
        "R128" => on(value, "128-bit resource", "256-bit resource"),
        "DONE" => on(value, "last export", "more exports follow"),
        "BC" => on(
            value,
            "lanes without a source read zero",
            "lanes without a source keep their value",
        ),
        "FI" => on(
            value,
            "fetch from inactive lanes",
            "inactive lanes give nothing",
        ),
        "ROW_MASK" | "BANK_MASK" => {
            let unit = if name == "ROW_MASK" { "rows" } else { "banks" };
            let list: Vec<String> = (0..4u32)
                .filter(|i| value >> i & 1 != 0)
                .map(|i| i.to_string())
                .collect();
            if list.is_empty() {
                format!("no {unit} written")
            } else {
                format!("{unit} {} written", list.join(", "))
            }
        }
        "DPP_CTRL" => dpp_ctrl(value),
        "SRC0_NEG" | "SRC1_NEG" => on(value, "negated", "not negated"),
        "SRC0_ABS" | "SRC1_ABS" => on(value, "absolute value", "no absolute value"),
        "SRC0_SEXT" | "SRC1_SEXT" => on(value, "sign-extended", "zero-extended"),
        "SRC0_SEL" | "SRC1_SEL" | "DST_SEL" => {
            let names = [
                "byte 0",
                "byte 1",
                "byte 2",
                "byte 3",
                "bits 15:0",
                "bits 31:16",
                "the whole dword",
            ];
            names.get(value as usize).unwrap_or(&"reserved").to_string()
        }
        "DST_U" => {
            let names = [
                "other bits zero",
                "other bits sign-extended",
                "other bits kept",
                "reserved",
            ];
            names[value as usize & 3].to_owned()
        }
        "S0" | "S1" => on(value, "a scalar source", "a VGPR source"),
        "SD" => on(value, "result in SDST", "result in VCC"),
        _ => {
            let lane = name.strip_prefix("LANE_SEL")?;
            format!("lane {lane} of eight reads lane {value}")
        }
    };
    Some(text)
}

/// DPP_CTRL (Vega ISA 13.3.9, "DPP_CTRL Enumeration"; RDNA2 ISA 13.3.8).
fn dpp_ctrl(v: u32) -> String {
    match v {
        0..=0xff => format!(
            "quad_perm [{},{},{},{}]",
            v & 3,
            v >> 2 & 3,
            v >> 4 & 3,
            v >> 6 & 3
        ),
        0x101..=0x10f => format!("row shift left by {}", v & 15),
        0x111..=0x11f => format!("row shift right by {}", v & 15),
        0x121..=0x12f => format!("row rotate right by {}", v & 15),
        0x130 => "wave shift left by 1".to_owned(),
        0x134 => "wave rotate left by 1".to_owned(),
        0x138 => "wave shift right by 1".to_owned(),
        0x13c => "wave rotate right by 1".to_owned(),
        0x140 => "row mirror".to_owned(),
        0x141 => "row half mirror".to_owned(),
        0x142 => "broadcast lane 15 of each row to the next".to_owned(),
        0x143 => "broadcast lane 31 to rows 2 and 3".to_owned(),
        0x150..=0x15f => format!("share lane {} of each row (CDNA: new broadcast)", v & 15),
        0x160..=0x16f => format!("row xor mask {}", v & 15),
        _ => "reserved".to_owned(),
    }
}

fn immediate(o: &OperandDef, whole: i64, value: u32) -> String {
    let OperandKind::Imm(style) = o.kind else {
        return format!("{value:#b}");
    };
    match style {
        ImmStyle::Offset
        | ImmStyle::FlatOffsetS
        | ImmStyle::FlatOffsetU
        | ImmStyle::Smemoffset
        | ImmStyle::Smemoffsetmod
        | ImmStyle::Optsmemoffsetmod => {
            let bits: u32 = o.spans.iter().map(|s| s.2 as u32).sum();
            if bits == 16 {
                format!("part of offset {whole} bytes")
            } else {
                format!("offset {whole} bytes")
            }
        }
        ImmStyle::Offset0 | ImmStyle::Offset1 => format!("offset {whole} elements"),
        ImmStyle::Soppbrtarget => format!("{:+} bytes from the next instruction", whole * 4),
        ImmStyle::Format => format!("format {whole}"),
        ImmStyle::S16imm => format!("{whole}"),
        _ => format!("{value} ({value:#x})"),
    }
}
