//! Examples: for any row an instruction with plain operands that the assembler takes back.

use crate::catalogue::catalogue;
use waveglass_asm::{LineAssembler, PrintOptions, print};
use waveglass_isa::{
    Field, Half, ImmStyle, Inst, InstBits, InstDef, MASK_BITS, ModStyle, Operand, OperandDef,
    OperandKind, Reg, RegFile, Target,
};

/// An instruction in assembly with its bytes.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Example {
    /// The target.
    pub target: &'static str,
    /// 32 or 64 where the text assembles for one wave size only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wave_size: Option<u32>,
    /// The instruction in LLVM's syntax.
    pub text: String,
    /// Its bytes in the order of memory, as hexadecimal digits.
    pub bytes: String,
}

/// Makes examples, keeping assemblers for the wave sizes.
pub struct Examples {
    target: Target,
    assemblers: Vec<(u32, LineAssembler)>,
}

impl Examples {
    /// A maker of examples for a target.
    pub fn new(target: Target) -> Self {
        let sizes: &[u32] = if target.has_wave32() && target.has_wave64() {
            &[32, 64]
        } else if target.has_wave32() {
            &[32]
        } else {
            &[64]
        };
        Self {
            target,
            assemblers: sizes
                .iter()
                .map(|&s| (s, LineAssembler::new(target, s)))
                .collect(),
        }
    }

    /// An example of a row of the target's, `None` where the assembler has no text for the row or
    /// no choice of operands tried here makes one.
    ///
    /// The bytes are the assembler's: bits that do not matter to the text are as it sets them.
    pub fn of(&mut self, def: &'static InstDef) -> Option<(Inst, Example)> {
        for choice in 0..CHOICES {
            for at in 0..self.assemblers.len() {
                let (wave_size, assembler) = &mut self.assemblers[at];
                if def.wave != 0 && u32::from(def.wave) != *wave_size {
                    continue;
                }
                let Some(built) = build(def, self.target, *wave_size, choice) else {
                    continue;
                };
                let text = printed(&built);
                let Ok(inst) = assembler.assemble(&text) else {
                    continue;
                };
                if inst.mnemonic() != def.mnemonic
                    || inst.def().encoding() != def.encoding()
                    || printed(&inst) != text
                {
                    continue;
                }
                let only = self.assemblers.len() > 1 && !self.in_both(&inst, &text);
                let example = Example {
                    target: self.target.name(),
                    wave_size: only.then_some(inst.wave_size()),
                    text,
                    bytes: hex(&inst),
                };
                return Some((inst, example));
            }
        }
        None
    }

    /// Whether the text means the same in either wave size.
    fn in_both(&mut self, inst: &Inst, text: &str) -> bool {
        self.assemblers.iter_mut().all(|(_, a)| {
            a.assemble(text)
                .is_ok_and(|again| bytes(&again) == bytes(inst))
        })
    }
}

fn printed(inst: &Inst) -> String {
    let mut text = String::new();
    print(inst, &PrintOptions::default(), &mut text);
    plain_text(&text)
}

/// A disassembler's text without the comment that it may add.
pub fn plain_text(text: &str) -> String {
    let text = text.split("//").next().unwrap_or_default();
    let text = text.split(" ; ").next().unwrap_or_default();
    text.trim().to_owned()
}

/// An example of each form of every instruction that a target has; of the many pairs of a VOPD half
/// one in each encoding.
pub fn form_examples(target: Target) -> Vec<(&'static str, Inst, Example)> {
    let mut examples = Examples::new(target);
    let mut out: Vec<(&'static str, Inst, Example)> = Vec::new();
    for name in &catalogue().names {
        let from = out.len();
        for forms in name.rows.chunk_by(|a, b| a.encoding() == b.encoding()) {
            for row in forms.iter().filter(|r| r.has_target(target)) {
                if let Some((inst, example)) = examples.of(row) {
                    if out[from..].iter().all(|(.., e)| e.text != example.text) {
                        out.push((name.mnemonic, inst, example));
                    }
                    if row.mnemonic.contains(" :: ") {
                        break;
                    }
                }
            }
        }
    }
    out
}

fn bytes(inst: &Inst) -> Vec<u8> {
    inst.words()
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .take(inst.size())
        .collect()
}

fn hex(inst: &Inst) -> String {
    bytes(inst).iter().map(|b| format!("{b:02x}")).collect()
}

/// How many choices are tried.
const CHOICES: u32 = 64;

fn build(def: &'static InstDef, target: Target, wave_size: u32, choice: u32) -> Option<Inst> {
    let mut bits = InstBits::new(def, target, wave_size);
    for o in def.operands() {
        if let OperandKind::Imm(style) = o.kind {
            let value = immediate(style, o, target, choice);
            let width: u32 = o.spans.iter().map(|s| s.2 as u32).sum();
            let ones = u64::MAX >> (64 - width.clamp(1, 64));
            bits.set_raw(o, value & ones);
        }
    }
    for o in def.operands() {
        // Both halves of packed sources as they lie: op_sel_hi is one.
        if o.kind == OperandKind::Mods(ModStyle::Packed) {
            bits.set_raw(o, 8);
        }
    }
    let (mut vector, mut scalar) = (1 + choice as u16 % 2, 4u16);
    for o in def.operands() {
        if matches!(o.kind, OperandKind::Imm(_) | OperandKind::Mods(_)) || o.spans.is_empty() {
            continue;
        }
        let dwords = if o.bits == MASK_BITS {
            (wave_size / 32) as u8
        } else {
            bits.dwords(o).max(1)
        };
        let file = file_of(o.kind);
        let next = if file == RegFile::Sgpr {
            &mut scalar
        } else {
            &mut vector
        };
        let step = match file {
            RegFile::Sgpr => (dwords.next_power_of_two() as u16).min(4),
            _ if dwords > 1 && target.has_aligned_vgprs() => 2,
            _ => 1,
        };
        let index = next.next_multiple_of(step);
        *next = index + dwords as u16;
        let mut reg = Reg::new(file, index, dwords);
        if matches!(
            o.kind,
            OperandKind::VgprHalf
                | OperandKind::VgprLo
                | OperandKind::VgprSrcHalf
                | OperandKind::VgprSrcLo
                | OperandKind::SrcLitHalf
                | OperandKind::SrcLitLo
                | OperandKind::SrcHalf
        ) {
            reg.half = Some(Half::Lo);
        }
        let special = match o.kind {
            OperandKind::SdwaDst => Some(Operand::Reg(Reg::new(
                RegFile::Vcc,
                0,
                (wave_size / 32) as u8,
            ))),
            OperandKind::Scalar | OperandKind::ScalarExcept { .. } if choice % 16 == 14 => {
                Some(Operand::Reg(Reg::new(RegFile::Null, 0, dwords)))
            }
            OperandKind::Scalar
            | OperandKind::ScalarExcept { .. }
            | OperandKind::ScalarSrc
            | OperandKind::ScalarSrcLit
                if choice % 16 == 15 =>
            {
                Some(Operand::Reg(Reg::new(RegFile::M0, 0, 1)))
            }
            OperandKind::ScalarSrcLds | OperandKind::VgprSrcLds if choice % 16 >= 12 => {
                Some(Operand::Reg(Reg::new(RegFile::LdsDirect, 0, 1)))
            }
            _ => None,
        };
        let value = special.unwrap_or(Operand::Reg(reg));
        if bits.set_operand(o, value).is_err() {
            // A field that takes fewer kinds than its class: the null register or M0.
            let fallback = [RegFile::M0, RegFile::Null, RegFile::Vcc]
                .into_iter()
                .any(|f| {
                    bits.set_operand(o, Operand::Reg(Reg::new(f, 0, dwords)))
                        .is_ok()
                })
                || bits.set_operand(o, Operand::Off).is_ok()
                || bits.set_operand(o, Operand::InlineInt(1)).is_ok();
            if !fallback {
                return None;
            }
        }
    }
    Some(bits.finish())
}

/// The register file that an operand's example is taken from.
fn file_of(kind: OperandKind) -> RegFile {
    use OperandKind::*;
    match kind {
        Agpr | AgprSrc | AgprOrInline => RegFile::Agpr,
        Scalar | ScalarExcept { .. } | SdwaDst | ScalarSrcLit | ScalarSrc | ScalarSrcLds => {
            RegFile::Sgpr
        }
        _ => RegFile::Vgpr,
    }
}

/// A value that shows what a field is for, or its usual value.
fn immediate(style: ImmStyle, o: &OperandDef, target: Target, choice: u32) -> u64 {
    use ImmStyle::*;
    let any = choice as u64;
    match style {
        // row_shl:1, of every generation; DPP's usual masks.
        // row_newbcast and row_share where nothing else is taken (f64 on CDNA).
        DppCtrl => [0x101, 0x150, 0x1b, 0x160][choice as usize % 4],
        Dpprowmask | Dppbankmask => 0xf,
        Dpp8 => (0..8).fold(0, |sel, lane| sel | (7 - lane) << (3 * lane)),
        Dpp8fi => 0xe9,
        // A whole dword.
        DstSel | Src0Sel | Src1Sel => 6,
        DstUnused => 0,
        Dmask => [1, 3, 7, 15][choice as usize / 2 % 4],
        Dim => any / 8 % 8,
        Hwreg => {
            // Bits 0 to 31 of MODE.
            1 | 31 << 11
        }
        Sendmsg => [1, 0x80, 2, 3][choice as usize % 4],
        Format => 1 + any,
        Offset | FlatOffsetS | FlatOffsetU | Smemoffset | Smemoffsetmod | Optsmemoffsetmod
            if choice < 8 =>
        {
            16
        }
        Offset0 => 1,
        Offset1 => 2,
        Kimmfp32 => 0x4120_0000,
        Kimmfp16 => 0x4900,
        Kimmfp64 => 0x4024_0000_0000_0000,
        I16imm | S16imm | U16imm => 100,
        Soppbrtarget => 4,
        Bitop3 => 0x96,
        Waitvdst | Waitvavdst => 0,
        Depctr if target.major() >= 10 => 0xfffe,
        ExpTgt => 0,
        I32imm if o.field == Field::En => 0xf,
        _ => {
            if choice >= 56 {
                any - 55
            } else {
                0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forms that the assembler has no text for: the text without a suffix means another encoding,
    /// or LLVM's decoder alone knows them.
    fn has_no_text(target: Target, mnemonic: &str, encoding: &str) -> bool {
        match encoding {
            // No DPP for 64-bit operations before CDNA 2 (Vega ISA 12.19.1).
            "VOP1_VOP_DPP" => mnemonic.contains("f64") && !target.has_gfx90a_insts(),
            "VOP1_VOP_SDWA" => mnemonic == "v_nop",
            "ENC_VOP3" => matches!(
                mnemonic,
                "v_nop" | "v_clrexcp" | "v_pipeflush" | "v_cvt_pk_f16_bf8" | "v_cvt_pk_f16_fp8"
            ),
            _ => false,
        }
    }

    #[test]
    fn every_form_has_an_example_that_assembles() {
        let mut without = Vec::new();
        for &target in Target::ALL {
            let mut examples = Examples::new(target);
            for name in &catalogue().names {
                for forms in name.rows.chunk_by(|a, b| a.encoding() == b.encoding()) {
                    let mut forms = forms.iter().filter(|r| r.has_target(target)).peekable();
                    let Some(first) = forms.peek().copied() else {
                        continue;
                    };
                    if has_no_text(target, name.mnemonic, first.encoding()) {
                        continue;
                    }
                    if !forms.any(|r| examples.of(r).is_some()) {
                        let tried = build(first, target, target.default_wave_size(), 50);
                        let text = tried.as_ref().map(printed);
                        let again = text.as_ref().map(|t| examples.assemblers[0].1.assemble(t));
                        without.push(format!(
                            "{target} {} {} {text:?} {:?}",
                            name.mnemonic,
                            first.encoding(),
                            again.map(|r| r.map(|i| hex(&i)).map_err(|e| e.message))
                        ));
                    }
                }
            }
        }
        assert!(without.is_empty(), "{} forms: {without:#?}", without.len());
    }
}
