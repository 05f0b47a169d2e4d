//! A card for one instruction: every bit field with its meaning, the operands, what it touches.

use serde::Serialize;
use waveglass_asm::{PrintOptions, print};
use waveglass_isa::{
    Access, IMAGE_BITS, Inst, InstInfo, MASK_BITS, OperandDef, OperandKind, OperandType, UseSource,
    layout,
};

use crate::meaning;

/// Everything that the bits of one instruction say.
#[derive(Clone, Debug, Serialize)]
pub struct Card {
    /// The target.
    pub target: &'static str,
    /// 32 or 64.
    pub wave_size: u32,
    /// The instruction in LLVM's syntax.
    pub text: String,
    /// The mnemonic.
    pub mnemonic: &'static str,
    /// Other spellings of the mnemonic.
    pub aliases: &'static [&'static str],
    /// The instruction's dwords.
    pub words: Vec<String>,
    /// The encodings that it is made of, by AMD's names.
    pub encodings: Vec<&'static str>,
    /// The bit fields, first dword first, low bits first.
    pub fields: Vec<FieldRow>,
    /// The operands, destinations first.
    pub operands: Vec<OperandRow>,
    /// Registers that it reads without naming them.
    pub implicit_reads: Vec<String>,
    /// Registers that it writes without naming them.
    pub implicit_writes: Vec<String>,
    /// Every register that it reads.
    pub reads: Vec<String>,
    /// Every register that it may write.
    pub writes: Vec<String>,
    /// The counters that it increments.
    pub counters: Vec<&'static str>,
}

/// A bit field of the instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldRow {
    /// The encoding that it belongs to.
    pub encoding: &'static str,
    /// AMD's name.
    pub name: &'static str,
    /// The highest bit, from the start of the instruction.
    pub hi: u32,
    /// The lowest bit.
    pub lo: u32,
    /// The value.
    pub value: u32,
    /// What the value says.
    pub meaning: String,
}

/// An operand of the instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OperandRow {
    /// The operand's name.
    pub name: &'static str,
    /// "read", "write" or "read and write".
    pub access: &'static str,
    /// What it is read as, as in "f32" or "2 x f16".
    #[serde(rename = "type")]
    pub ty: String,
    /// The width of its value in bits.
    pub bits: u32,
    /// The register or constant.
    pub value: String,
}

impl Card {
    /// The card of `inst`.
    pub fn new(inst: &Inst) -> Self {
        let mut text = String::new();
        print(inst, &PrintOptions::default(), &mut text);
        let parts = layout(inst);
        let mut fields = Vec::new();
        for &(encoding, at) in &parts {
            let mut rows: Vec<FieldRow> = encoding
                .fields
                .iter()
                .map(|f| {
                    let lo = at + f.lo as u32;
                    let value = inst.bits(lo, f.width()) as u32;
                    FieldRow {
                        encoding: encoding.name,
                        name: f.name,
                        hi: at + f.hi as u32,
                        lo,
                        value,
                        meaning: meaning::of(inst, encoding.name, f, lo, value),
                    }
                })
                .collect();
            rows.sort_by_key(|r| r.lo);
            fields.extend(rows);
        }
        let info = InstInfo::new(inst);
        let names = |uses: &[waveglass_isa::RegUse], mode: bool, implicit: bool| {
            let mut out: Vec<String> = Vec::new();
            for u in uses {
                let name = u.reg.to_string();
                if (!implicit || u.source == UseSource::Implicit) && !out.contains(&name) {
                    out.push(name);
                }
            }
            if mode {
                out.push("mode".to_owned());
            }
            out
        };
        Self {
            target: inst.target().name(),
            wave_size: inst.wave_size(),
            text: text.trim_end().to_owned(),
            mnemonic: inst.mnemonic(),
            aliases: inst.def().aliases(),
            words: inst.words()[..inst.size() / 4]
                .iter()
                .map(|w| format!("{w:08x}"))
                .collect(),
            encodings: parts.iter().map(|(e, _)| e.name).collect(),
            fields,
            operands: operand_rows(inst),
            implicit_reads: names(&info.reads, info.reads_mode, true),
            implicit_writes: names(&info.writes, info.writes_mode, true),
            reads: names(&info.reads, info.reads_mode, false),
            writes: names(&info.writes, info.writes_mode, false),
            counters: info.counters.iter().map(|c| c.name()).collect(),
        }
    }
}

fn operand_rows(inst: &Inst) -> Vec<OperandRow> {
    inst.operands()
        .filter(|(o, _)| !matches!(o.kind, OperandKind::Mods(_) | OperandKind::Imm(_)))
        .filter(|(o, _)| !o.spans.is_empty())
        .map(|(o, value)| {
            let bits = width(inst, o);
            OperandRow {
                name: o.field.name(),
                access: match o.access {
                    Access::Read => "read",
                    Access::Write => "write",
                    Access::ReadWrite => "read and write",
                },
                ty: type_name(o, bits),
                bits,
                value: meaning::operand(inst, o, &value),
            }
        })
        .collect()
}

fn width(inst: &Inst, o: &OperandDef) -> u32 {
    match o.bits {
        MASK_BITS => inst.wave_size(),
        IMAGE_BITS => inst.operand_dwords(o) as u32 * 32,
        bits => bits as u32,
    }
}

fn type_name(o: &OperandDef, bits: u32) -> String {
    let packed = |n: u32, element: &str| format!("{} x {element}", (bits / n).max(1));
    match o.ty {
        _ if o.bits == MASK_BITS => "lane mask".to_owned(),
        OperandType::Bits => format!("b{bits}"),
        OperandType::Int => format!("i{bits}"),
        OperandType::Float if bits > 64 => packed(32, "f32"),
        OperandType::Float => format!("f{bits}"),
        OperandType::Bf16 => "bf16".to_owned(),
        OperandType::PackedInt16 => packed(16, "i16"),
        OperandType::PackedF16 | OperandType::PackedF16Splat | OperandType::PackedF16NoInline => {
            packed(16, "f16")
        }
        OperandType::PackedBf16 => packed(16, "bf16"),
        OperandType::PackedF32 => packed(32, "f32"),
        OperandType::PackedInt32 => packed(32, "i32"),
    }
}
