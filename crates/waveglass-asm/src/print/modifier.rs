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
