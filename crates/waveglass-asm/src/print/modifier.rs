//! Modifier fields.

use super::{Printer, dpp, valu};
use waveglass_isa::{ImmStyle, Operand, OperandDef, OperandType};

/// Prints the field in the way of its style, with the space before it where there is one.
pub(super) fn print(p: &mut Printer<'_>, style: ImmStyle, o: &OperandDef) {
    let raw = p.inst.raw(o);
    let flag = |p: &mut Printer<'_>, text: &str| {
        if raw != 0 {
            p.out.push_str(text);
        }
    };
    match style {
        ImmStyle::Clamp => flag(p, " clamp"),
        ImmStyle::Gds => flag(p, " gds"),
        ImmStyle::Tfe => flag(p, " tfe"),
        ImmStyle::Lwe => flag(p, " lwe"),
        ImmStyle::Da => flag(p, " da"),
        ImmStyle::D16 => flag(p, " d16"),
        ImmStyle::A16 => flag(p, " a16"),
        ImmStyle::Unorm => flag(p, " unorm"),
        ImmStyle::Highmod => flag(p, " high"),
        ImmStyle::Matrixareuse => flag(p, " matrix_a_reuse"),
        ImmStyle::Matrixbreuse => flag(p, " matrix_b_reuse"),
        ImmStyle::Omod => match raw {
            1 => p.out.push_str(" mul:2"),
            2 => p.out.push_str(" mul:4"),
            3 => p.out.push_str(" div:2"),
            _ => {}
        },
        ImmStyle::OpSel | ImmStyle::OpSelHi | ImmStyle::NegLo | ImmStyle::NegHi => {
            valu::packed(p, style);
        }
        ImmStyle::Cbsz => valu::named(p, " cbsz:", raw),
        ImmStyle::Abid => valu::named(p, " abid:", raw),
        ImmStyle::Blgp => valu::blgp(p, raw),
        ImmStyle::Bytesel => valu::named(p, " byte_sel:", raw),
        ImmStyle::Scalesel => valu::named(p, " scale_sel:", raw),
        ImmStyle::Indexkey8bit | ImmStyle::Indexkey16bit | ImmStyle::Indexkey32bit => {
            valu::named(p, " index_key:", raw);
        }
        ImmStyle::Waitexp => valu::always(p, " wait_exp:", raw),
        ImmStyle::Waitvdst => valu::always(p, " wait_vdst:", raw),
        ImmStyle::Waitvavdst => valu::always(p, " wait_va_vdst:", raw),
        ImmStyle::Waitvmvsrc => valu::always(p, " wait_vm_vsrc:", raw),
        ImmStyle::Bitop3 => {
            if raw != 0 {
                p.out.push_str(" bitop3:");
                if raw <= 10 {
                    p.decimal(raw);
                } else {
                    p.hex(raw);
                }
            }
        }
        ImmStyle::Matrixafmt
        | ImmStyle::Matrixbfmt
        | ImmStyle::Matrixascale
        | ImmStyle::Matrixbscale
        | ImmStyle::Matrixascalefmt
        | ImmStyle::Matrixbscalefmt => valu::matrix(p, style, raw),
        ImmStyle::DstSel | ImmStyle::DstUnused | ImmStyle::Src0Sel | ImmStyle::Src1Sel => {
            valu::selection(p, style, raw);
        }
        ImmStyle::Interpslot | ImmStyle::Interpattr | ImmStyle::Interpattrchan => {
            valu::interpolation(p, style, raw);
        }
        ImmStyle::DppCtrl => dpp::control(p, raw),
        ImmStyle::Dpp8 => dpp::dpp8(p, raw),
        ImmStyle::Dpprowmask => {
            p.out.push_str(" row_mask:");
            p.hex(raw);
        }
        ImmStyle::Dppbankmask => {
            p.out.push_str(" bank_mask:");
            p.hex(raw);
        }
        ImmStyle::Dppboundctrl => flag(p, " bound_ctrl:1"),
        ImmStyle::Dpp16fi => flag(p, " fi:1"),
        ImmStyle::Dpp8fi => {
            if raw == 0xea {
                p.out.push_str(" fi:1");
            }
        }
        ImmStyle::Offset | ImmStyle::FlatOffsetS | ImmStyle::FlatOffsetU => {
            let value = signed(p, o);
            if value != 0 {
                p.out.push_str(" offset:");
                p.integer(value);
            }
        }
        ImmStyle::Swizzle => p.swizzle(raw),
        ImmStyle::Cpol => p.cache_policy(raw),
        ImmStyle::Format => p.buffer_format(raw),
        ImmStyle::Smemoffset => p.signed_hex(signed(p, o)),
        ImmStyle::Smemoffsetmod | ImmStyle::Optsmemoffsetmod => {
            p.out.push_str(" offset:");
            p.signed_hex(signed(p, o));
        }
        ImmStyle::Dmask => {
            if raw != 0 {
                p.out.push_str(" dmask:");
                p.hex(raw);
            }
        }
        ImmStyle::Dim => p.dimension(raw),
        ImmStyle::R128a16 => p.r128(o),
        ImmStyle::ExpTgt => p.export_target(raw),
        ImmStyle::ExpCompr => flag(p, " compr"),
        ImmStyle::ExpVm => flag(p, " vm"),
        ImmStyle::Sendmsg => p.message(raw),
        ImmStyle::Hwreg => p.hardware_register(raw),
        ImmStyle::Swaitcnt => p.wait_counts(raw),
        ImmStyle::Depctr => p.dependency_counters(raw),
        ImmStyle::Sdelayalu => p.delays(raw),
        ImmStyle::Gpridxmode => p.index_mode(raw),
        ImmStyle::Endpgm => {
            if raw != 0 {
                p.out.push(' ');
                p.integer(raw as i64);
            }
        }
        ImmStyle::S16imm | ImmStyle::U16imm => p.hex(raw),
        ImmStyle::Soppbrtarget => p.integer(raw as i64),
        ImmStyle::Versionimm => p.version(raw),
        ImmStyle::I32imm | ImmStyle::I8imm | ImmStyle::I16imm => p.small_or_hex(raw),
        ImmStyle::Offset0 => valu::named(p, " offset0:", raw),
        ImmStyle::Offset1 => valu::named(p, " offset1:", raw),
        ImmStyle::Kimmfp16 | ImmStyle::Kimmfp32 => p.hex(raw),
        ImmStyle::Kimmfp64 if raw >> 32 != 0 && raw as u32 == 0 => p.hex(raw >> 32),
        ImmStyle::Kimmfp64 => p.literal64(raw, OperandType::Bits, 64),
        _ => {
            let value = signed(p, o);
            p.integer(value);
        }
    }
}

/// The field's value, sign-extended where its style has a sign.
fn signed(p: &Printer<'_>, o: &OperandDef) -> i64 {
    match p.inst.resolve(o) {
        Some(Operand::Imm(i)) => i,
        _ => p.inst.raw(o) as i64,
    }
}

impl Printer<'_> {
    /// Hexadecimal digits after the sign.
    fn signed_hex(&mut self, value: i64) {
        if value < 0 {
            self.out.push('-');
        }
        self.hex(value.unsigned_abs());
    }

    /// Decimal where the value is an inline constant of 32 bits, else hexadecimal.
    pub(super) fn small_or_hex(&mut self, raw: u64) {
        match raw as u32 as i32 {
            i @ -16..=64 => self.integer(i as i64),
            _ => self.hex(raw),
        }
    }
}
