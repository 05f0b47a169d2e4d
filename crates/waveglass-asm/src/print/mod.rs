//! Printing: a walk over the template of the instruction's shape.

mod format;
mod memory;
mod message;
mod modifier;
mod register;

use waveglass_isa::{Decoder, ImmStyle, Inst, OperandDef, OperandKind, Piece, Target};

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintOptions {
    /// Name the halves of registers (`v1.l`, `v1.h`) in 16-bit operands of gfx11 and later, as
    /// LLVM does under `+real-true16`; without it whole registers are printed.
    pub true16: bool,
}

impl Default for PrintOptions {
    fn default() -> Self {
        Self { true16: true }
    }
}

/// Decodes the instruction at the start of `bytes` and gives its text and size; `None` where
/// there is no instruction.
pub fn print_bytes(
    target: Target,
    wave_size: u32,
    bytes: &[u8],
    options: &PrintOptions,
) -> Option<(String, usize)> {
    let inst = Decoder::new(target)
        .wave_size(wave_size)
        .decode(bytes)
        .ok()?;
    let mut out = String::with_capacity(64);
    print(&inst, options, &mut out);
    Some((out, inst.size()))
}

/// Appends the instruction's text to `out`.
pub fn print(inst: &Inst, options: &PrintOptions, out: &mut String) {
    Printer { inst, options, out }.instruction();
}

struct Printer<'a> {
    inst: &'a Inst,
    options: &'a PrintOptions,
    out: &'a mut String,
}

impl Printer<'_> {
    fn instruction(&mut self) {
        let def = self.inst.def();
        let (first, second) = match def.mnemonic.split_once(" :: ") {
            Some((x, y)) => (x, Some(y)),
            None => (def.mnemonic, None),
        };
        self.out.push_str(first);
        let mut second = second;
        for (n, piece) in def.shape.pieces.iter().enumerate() {
            match *piece {
                Piece::Text(text) => {
                    // The second half of a VOPD pair has a mnemonic of its own.
                    if let (Some(name), Some((before, after))) = (second, text.split_once("::")) {
                        self.out.push_str(before);
                        self.out.push_str(":: ");
                        self.out.push_str(name);
                        self.out.push_str(after);
                        second = None;
                    } else {
                        self.out.push_str(text);
                    }
                }
                Piece::Operand(i) => {
                    if n == 0 {
                        self.suffix();
                    }
                    self.operand(&def.operands()[i as usize]);
                }
                Piece::Modified { mods, source } => {
                    if n == 0 {
                        self.suffix();
                    }
                    self.modified(
                        &def.operands()[mods as usize],
                        &def.operands()[source as usize],
                    );
                }
            }
        }
    }

    /// `_e32`, `_e64`, `_dpp` and the like, where the mnemonic has more than one encoding, and
    /// the space before the first operand.
    fn suffix(&mut self) {
        let suffix = match self.inst.def().encoding() {
            "ENC_VOP1" | "ENC_VOP2" | "ENC_VOPC" => "_e32",
            "ENC_VOP3" | "VOP3_SDST_ENC" => "_e64",
            e if e.starts_with("VOP3_VOP_DPP") => "_e64_dpp",
            e if e.ends_with("SDWA") => "_sdwa",
            e if e.contains("_VOP_DPP") => "_dpp",
            _ => "",
        };
        self.out.push_str(suffix);
        self.out.push(' ');
    }

    fn operand(&mut self, o: &OperandDef) {
        match o.kind {
            OperandKind::Imm(style) => self.immediate(style, o),
            OperandKind::Mods(_) => {}
            _ => self.value(o),
        }
    }

    fn immediate(&mut self, style: ImmStyle, o: &OperandDef) {
        modifier::print(self, style, o);
    }
}
