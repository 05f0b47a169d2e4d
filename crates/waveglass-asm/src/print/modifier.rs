//! Modifier fields.

use super::Printer;
use waveglass_isa::{ImmStyle, Operand, OperandDef};

/// Prints the field in the way of its style, with the space before it where there is one.
pub(super) fn print(p: &mut Printer<'_>, style: ImmStyle, o: &OperandDef) {
    let raw = p.inst.raw(o);
    let value = match p.inst.resolve(o) {
        Some(Operand::Imm(i)) => i,
        _ => raw as i64,
    };
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
        ImmStyle::Omod => match raw {
            1 => p.out.push_str(" mul:2"),
            2 => p.out.push_str(" mul:4"),
            3 => p.out.push_str(" div:2"),
            _ => {}
        },
        ImmStyle::Offset | ImmStyle::FlatOffsetS | ImmStyle::FlatOffsetU => {
            if value != 0 {
                p.out.push_str(" offset:");
                p.integer(value);
            }
        }
        ImmStyle::Swizzle => p.swizzle(raw),
        ImmStyle::Cpol => p.cache_policy(raw),
        ImmStyle::Format => p.buffer_format(raw),
        ImmStyle::Smemoffset => p.signed_hex(value),
        ImmStyle::Smemoffsetmod => {
            p.out.push_str(" offset:");
            p.signed_hex(value);
        }
        ImmStyle::Optsmemoffsetmod => {
            if value != 0 {
                p.out.push_str(" offset:");
                p.signed_hex(value);
            }
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
        ImmStyle::S16imm | ImmStyle::U16imm | ImmStyle::Versionimm => p.hex(raw),
        ImmStyle::Soppbrtarget => p.integer(raw as i64),
        ImmStyle::I32imm | ImmStyle::I8imm | ImmStyle::I16imm => p.small_or_hex(raw),
        ImmStyle::Offset0 | ImmStyle::Offset1 => {
            if raw != 0 {
                p.out.push_str(if style == ImmStyle::Offset0 {
                    " offset0:"
                } else {
                    " offset1:"
                });
                p.integer(raw as i64);
            }
        }
        ImmStyle::Kimmfp16 | ImmStyle::Kimmfp32 | ImmStyle::Kimmfp64 => p.hex(raw),
        _ => p.integer(value),
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
    fn small_or_hex(&mut self, raw: u64) {
        match raw as u32 as i32 {
            i @ -16..=64 => self.integer(i as i64),
            _ => self.hex(raw),
        }
    }
}
