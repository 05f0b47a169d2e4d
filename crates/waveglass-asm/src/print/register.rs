//! Registers, constants and source modifiers.

use super::Printer;
use std::fmt::Write as _;
use waveglass_isa::{Half, ModStyle, Operand, OperandDef, OperandKind, OperandType, Reg, RegFile};

impl Printer<'_> {
    /// A register or constant.
    pub(super) fn value(&mut self, o: &OperandDef) {
        match self.inst.resolve(o) {
            Some(Operand::Reg(r)) => self.register(r),
            Some(Operand::InlineInt(i)) => self.integer(i as i64),
            Some(Operand::InlineFloat(f)) => self.inline_float(f, o),
            Some(Operand::Literal(l)) => self.literal(l, o),
            Some(Operand::Literal64(l)) => self.hex(l),
            Some(Operand::Imm(i)) => self.integer(i),
            Some(Operand::Off) => self.out.push_str("off"),
            None => {}
        }
    }

    pub(super) fn integer(&mut self, i: i64) {
        let _ = write!(self.out, "{i}");
    }

    pub(super) fn hex(&mut self, v: u64) {
        let _ = write!(self.out, "{v:#x}");
    }

    fn inline_float(&mut self, selector: u8, o: &OperandDef) {
        const TEXT: [&str; 9] = [
            "0.5",
            "-0.5",
            "1.0",
            "-1.0",
            "2.0",
            "-2.0",
            "4.0",
            "-4.0",
            "0.15915494309189532",
        ];
        let text = TEXT[(selector - 240) as usize];
        // 1/(2*pi) is printed with the digits of the operand's type.
        self.out.push_str(match (selector, o.ty, o.bits) {
            (248, OperandType::Float, 64) | (248, _, 64) => text,
            (248, OperandType::PackedF16, _) | (248, _, 16) => "0.15915494",
            (248, _, _) => "0.15915494",
            _ => text,
        });
    }

    fn literal(&mut self, l: u32, o: &OperandDef) {
        match (o.ty, o.bits) {
            (OperandType::Float, 64) => self.hex(l as u64),
            (_, 16) => self.hex(l as u16 as u64),
            _ => self.hex(l as u64),
        }
    }

    pub(super) fn register(&mut self, r: Reg) {
        let (letter, named) = match r.file {
            RegFile::Vgpr => ("v", None),
            RegFile::Agpr => ("a", None),
            RegFile::Sgpr => ("s", None),
            RegFile::Ttmp => ("ttmp", None),
            RegFile::Vcc => ("", Some(["vcc_lo", "vcc_hi", "vcc"])),
            RegFile::Exec => ("", Some(["exec_lo", "exec_hi", "exec"])),
            RegFile::FlatScratch => (
                "",
                Some(["flat_scratch_lo", "flat_scratch_hi", "flat_scratch"]),
            ),
            RegFile::XnackMask => ("", Some(["xnack_mask_lo", "xnack_mask_hi", "xnack_mask"])),
            RegFile::M0 => ("", Some(["m0", "m0", "m0"])),
            RegFile::Null => ("", Some(["null", "null", "null"])),
            RegFile::Scc => ("", Some(["src_scc", "src_scc", "src_scc"])),
            RegFile::Vccz => ("", Some(["src_vccz", "src_vccz", "src_vccz"])),
            RegFile::Execz => ("", Some(["src_execz", "src_execz", "src_execz"])),
            RegFile::SharedBase => (
                "",
                Some(["src_shared_base", "src_shared_base", "src_shared_base"]),
            ),
            RegFile::SharedLimit => (
                "",
                Some(["src_shared_limit", "src_shared_limit", "src_shared_limit"]),
            ),
            RegFile::PrivateBase => (
                "",
                Some(["src_private_base", "src_private_base", "src_private_base"]),
            ),
            RegFile::PrivateLimit => (
                "",
                Some([
                    "src_private_limit",
                    "src_private_limit",
                    "src_private_limit",
                ]),
            ),
            RegFile::FlatScratchBase => (
                "",
                Some([
                    "src_flat_scratch_base_lo",
                    "src_flat_scratch_base_hi",
                    "src_flat_scratch_base_lo",
                ]),
            ),
            RegFile::PopsExitingWaveId => (
                "",
                Some([
                    "src_pops_exiting_wave_id",
                    "src_pops_exiting_wave_id",
                    "src_pops_exiting_wave_id",
                ]),
            ),
            RegFile::LdsDirect => (
                "",
                Some(["src_lds_direct", "src_lds_direct", "src_lds_direct"]),
            ),
        };
        if let Some(names) = named {
            self.out.push_str(
                names[if r.dwords > 1 {
                    2
                } else {
                    (r.index & 1) as usize
                }],
            );
            return;
        }
        self.out.push_str(letter);
        if r.dwords > 1 {
            let _ = write!(self.out, "[{}:{}]", r.index, r.index + r.dwords as u16 - 1);
        } else {
            let _ = write!(self.out, "{}", r.index);
        }
        if let Some(half) = r.half
            && self.options.true16
        {
            self.out.push_str(match half {
                Half::Lo => ".l",
                Half::Hi => ".h",
            });
        }
    }

    /// A source with its modifiers around it.
    pub(super) fn modified(&mut self, mods: &OperandDef, source: &OperandDef) {
        let OperandKind::Mods(style) = mods.kind else {
            return self.value(source);
        };
        let bits = self.inst.raw(mods);
        match style {
            ModStyle::Fp | ModStyle::Fp16 => {
                let (neg, abs) = (bits & 1 != 0, bits & 2 != 0);
                if neg {
                    self.out.push('-');
                }
                if abs {
                    self.out.push('|');
                }
                self.value(source);
                if abs {
                    self.out.push('|');
                }
            }
            ModStyle::Sext => {
                let sext = bits & 1 != 0;
                if sext {
                    self.out.push_str("sext(");
                }
                self.value(source);
                if sext {
                    self.out.push(')');
                }
            }
            ModStyle::Int | ModStyle::Int16 | ModStyle::Opsel | ModStyle::Packed => {
                self.value(source);
            }
        }
    }
}
