//! Printing: a walk over the template of the instruction's shape.

mod dpp;
pub(crate) mod format;
pub(crate) mod memory;
pub(crate) mod message;
mod modifier;
mod number;
mod register;
mod valu;

use waveglass_isa::{Decoder, Half, Inst, Operand, OperandDef, OperandKind, Piece, Target};

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
    let shape = inst.def().shape;
    if !options.true16
        && inst
            .words()
            .iter()
            .zip(&shape.whole.zeros)
            .any(|(w, z)| w & z != 0)
    {
        return None;
    }
    // Whole registers have no name for a high half, and LLVM finds no instruction there; where
    // op_sel names the half, it leaves the half out of the register's name.
    let high = |v| matches!(v, Operand::Reg(r) if r.half == Some(Half::Hi));
    let encoding = inst.def().encoding();
    if !options.true16
        && !encoding.contains("VOP3")
        && encoding != "ENC_VINTERP"
        && inst.operands().any(|(_, v)| high(v))
    {
        return None;
    }
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
        let (first, second) = match def.shape.pieces.contains(&Piece::SecondName) {
            true => def
                .mnemonic
                .split_once(" :: ")
                .unwrap_or((def.mnemonic, "")),
            false => (def.mnemonic, ""),
        };
        self.out.push_str(first);
        let operands = def.operands();
        for piece in def.shape.pieces {
            match *piece {
                Piece::Text(text) => self.out.push_str(text),
                Piece::Operand(i) => self.operand(&operands[i as usize]),
                Piece::Modified { mods, source } => {
                    self.modified(&operands[mods as usize], &operands[source as usize]);
                }
                Piece::Vcc => self.out.push_str(if self.inst.wave_size() == 64 {
                    "vcc"
                } else {
                    "vcc_lo"
                }),
                Piece::Addresses(first) => {
                    let count = self.inst.listed_addresses() as usize;
                    if count > 1 {
                        self.out.push('[');
                    }
                    for n in 0..count {
                        if n > 0 {
                            self.out.push_str(", ");
                        }
                        if let Some(o) = operands.get(first as usize + n) {
                            self.operand(o);
                        }
                    }
                    if count > 1 {
                        self.out.push(']');
                    }
                }
                Piece::SecondName => self.out.push_str(second),
            }
        }
        // A space before modifiers that are all absent.
        if self.out.ends_with(' ') {
            self.out.pop();
        }
    }

    fn operand(&mut self, o: &OperandDef) {
        match o.kind {
            OperandKind::Imm(style) => modifier::print(self, style, o),
            OperandKind::Mods(_) => {}
            _ => self.value(o),
        }
    }
}
