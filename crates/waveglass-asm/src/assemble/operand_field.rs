//! Positional operands into fields: registers, constants, numbers.

use super::constant::{self, Misfit};
use super::expression::Expr;
use super::matcher::{Fixup, For, Reject, reject};
use super::operand::{Literal, Op, Value};
use waveglass_isa::{
    EncodeError, Field, ImmStyle, InstBits, InstDef, ModStyle, Operand, OperandDef, OperandKind,
    OperandType, Reg, RegFile,
};

/// A register or constant.
#[inline]
pub(super) fn source(
    op: &Op,
    o: &OperandDef,
    mods: Option<&OperandDef>,
    bits: &mut InstBits,
    fixup: &mut Option<(Fixup, Expr)>,
    on: For,
) -> Result<(), Reject> {
    let at = op.at as usize;
    if op.neg || op.abs || op.sext {
        source_modifiers(op, mods, bits)?;
    }
    if op.doubled && !takes_two_signs(o, bits.def(), on) {
        return Err(reject(0, at, "invalid syntax, expected 'neg' modifier"));
    }
    match op.value {
        Value::Reg(r) => {
            bits.set_operand(o, Operand::Reg(r))
                .map_err(|e| register_problem(e, r, o, at, on))?;
            Ok(())
        }
        Value::Int(_) | Value::Float(_) => {
            let wide =
                on.target.has_gfx1250_insts() && !bits.def().shape.encoding.starts_with("ENC_VOP3");
            let v = constant::choose(op.value, op.literal, o, wide).map_err(|m| misfit(m, at))?;
            // A constant with modifiers of floats is one of floats.
            if matches!(v, Operand::Literal(_))
                && matches!(op.value, Value::Int(_))
                && (op.neg || op.abs)
                && o.ty == OperandType::Float
                && o.bits == 64
            {
                return Err(reject(0, at, "invalid operand for instruction"));
            }
            bits.set_operand(o, v).map_err(|e| constant_problem(e, at))
        }
        Value::Expr(e) => {
            let (kind, v) = match op.literal {
                Literal::Lit64 => (Fixup::Literal64, Operand::Literal64(0)),
                Literal::Any if o.bits == 64 && on.target.has_gfx1250_insts() => {
                    (Fixup::Literal64, Operand::Literal64(0))
                }
                _ => (Fixup::Literal, Operand::Literal(0)),
            };
            bits.set_operand(o, v)
                .map_err(|e| constant_problem(e, at))?;
            *fixup = Some((kind, e));
            Ok(())
        }
        Value::Off => bits
            .set_operand(o, Operand::Off)
            .map_err(|_| reject(0, at, "off is not possible here")),
        Value::List(..) => Err(reject(0, at, "invalid operand for instruction")),
    }
}

/// Whether two minus signs are a number's: not where the first could be the sign bit of a source of
/// the vector ALU.
fn takes_two_signs(o: &OperandDef, def: &InstDef, on: For) -> bool {
    let float = matches!(o.ty, OperandType::Float | OperandType::Bf16);
    match def.encoding() {
        "ENC_SOP1" | "ENC_SOP2" | "ENC_SOPC" => true,
        // Pairs have sign bits on CDNA 5; LLVM tells from the first half whether to expect them.
        e if e.contains("VOPD") => {
            let first = def.mnemonic.split(" :: ").next().unwrap_or_default();
            let names = |list: &[&str]| list.iter().any(|n| first.contains(n));
            !on.target.has_gfx1250_insts()
                || names(&["fmaak", "fmamk"])
                || !(float || names(&["_f32", "_f64", "mov_b32", "cndmask_b32"]))
        }
        _ => !float,
    }
}

fn source_modifiers(op: &Op, mods: Option<&OperandDef>, bits: &mut InstBits) -> Result<(), Reject> {
    let at = op.at as usize;
    let style = match mods.map(|m| m.kind) {
        Some(OperandKind::Mods(style)) => Some(style),
        _ => None,
    };
    let float = matches!(
        style,
        Some(ModStyle::Fp | ModStyle::Fp16 | ModStyle::Packed)
    );
    let integer = matches!(
        style,
        Some(ModStyle::Sext | ModStyle::Int | ModStyle::Int16)
    );
    if (op.neg || op.abs) && !float {
        return Err(reject(
            0,
            at,
            "neg and abs are not possible for this operand",
        ));
    }
    if op.sext && !integer {
        return Err(reject(0, at, "sext is not possible for this operand"));
    }
    if let Some(m) = mods {
        let raw = op.neg as u64 | (op.abs as u64) << 1 | (op.sext as u64) << 4;
        let there: u64 = m
            .spans
            .iter()
            .map(|&(_, at, w)| ((1u64 << w) - 1) << at)
            .sum();
        if raw & !there != 0 {
            return Err(reject(
                0,
                at,
                "this modifier is not possible for this operand",
            ));
        }
        bits.or_raw(m, raw);
    }
    Ok(())
}

fn misfit(m: Misfit, at: usize) -> Reject {
    match m {
        Misfit::TooWide => reject(
            1,
            at,
            "invalid operand: the literal does not fit the operand",
        ),
        Misfit::FloatForInteger => reject(
            1,
            at,
            "invalid operand: a 64-bit integer takes no floating-point literal",
        ),
        Misfit::Float => reject(
            1,
            at,
            "invalid operand: the number overflows or underflows the operand's format",
        ),
    }
}

fn constant_problem(e: EncodeError, at: usize) -> Reject {
    match e {
        EncodeError::Kind => reject(0, at, "invalid operand: a register is needed here"),
        EncodeError::NoLiteral => reject(1, at, "literal operands are not supported"),
        e => reject(1, at, e.to_string()),
    }
}

fn register_problem(e: EncodeError, r: Reg, o: &OperandDef, at: usize, on: For) -> Reject {
    match e {
        EncodeError::Kind => reject(
            0,
            at,
            format!("invalid operand for instruction: {r} is not possible here"),
        ),
        EncodeError::Size { wanted, given } => reject(
            1,
            at,
            format!(
                "invalid operand for instruction: {wanted} registers are needed, {r} is {given}"
            ),
        ),
        EncodeError::Alignment(n) => reject(
            1,
            at,
            if matches!(r.file, RegFile::Vgpr | RegFile::Agpr) {
                format!(
                    "invalid register class: vgpr tuples must be 64 bit aligned on {}",
                    on.target
                )
            } else {
                format!("invalid register alignment: {r} must start at a multiple of {n}")
            },
        ),
        EncodeError::Range
            if matches!(
                o.kind,
                OperandKind::VgprLo | OperandKind::VgprSrcLo | OperandKind::SrcLitLo
            ) =>
        {
            reject(
                1,
                at,
                format!("{r} is out of range: this form takes halves of v0 to v127"),
            )
        }
        EncodeError::NoRegister => reject(
            1,
            at,
            format!("{r} register not available on {}", on.target),
        ),
        e => reject(1, at, e.to_string()),
    }
}

/// A number that goes into a field as it is.
pub(super) fn number(
    op: &Op,
    o: &OperandDef,
    style: ImmStyle,
    def: &InstDef,
    bits: &mut InstBits,
    fixup: &mut Option<(Fixup, Expr)>,
    on: For,
) -> Result<(), Reject> {
    let at = op.at as usize;
    let width: u32 = o.spans.iter().map(|s| s.2 as u32).sum();
    if op.neg || op.abs || op.sext {
        return Err(reject(0, at, "invalid operand for instruction"));
    }
    let v = match op.value {
        Value::Expr(e) => {
            *fixup = Some(match style {
                ImmStyle::Soppbrtarget => (Fixup::Branch, e),
                ImmStyle::Kimmfp32 | ImmStyle::Kimmfp16 => (Fixup::Literal, e),
                _ if width == 16 => (Fixup::Simm16, e),
                ImmStyle::I32imm if width == 32 => (Fixup::Literal, e),
                _ => return Err(reject(0, at, "expected an absolute expression")),
            });
            return Ok(());
        }
        Value::Int(_) | Value::Float(_)
            if matches!(
                style,
                ImmStyle::Kimmfp16 | ImmStyle::Kimmfp32 | ImmStyle::Kimmfp64
            ) =>
        {
            let (bits_of, operand): (u32, fn(u64) -> Operand) = match style {
                ImmStyle::Kimmfp16 => (16, |v| Operand::Literal(v as u32)),
                ImmStyle::Kimmfp32 => (32, |v| Operand::Literal(v as u32)),
                _ => (64, Operand::Literal64),
            };
            let mut v = constant::field(op.value, bits_of).map_err(|m| misfit(m, at))?;
            if style == ImmStyle::Kimmfp64
                && let Value::Int(i) = op.value
                && op.literal != Literal::Lit64
                && u32::try_from(i).is_ok()
            {
                v = (i as u64) << 32;
            }
            // A source that asks for a literal shares this one.
            bits.share_constant(v)
                .map_err(|e| constant_problem(e, at))?;
            return bits
                .set_operand(o, operand(v))
                .map_err(|e| constant_problem(e, at));
        }
        Value::Int(v) => v,
        Value::Float(_) | Value::Reg(_) | Value::Off | Value::List(..) => {
            return Err(reject(
                0,
                at,
                "invalid operand for instruction: a number is needed here",
            ));
        }
    };
    let raw = match style {
        ImmStyle::Interpattr => {
            bits.set(Field::Attrchan, Operand::Imm(v >> 8))
                .map_err(|_| reject(0, at, "invalid operand for instruction"))?;
            v & 0xff
        }
        ImmStyle::Smemoffset => {
            scalar_offset(v, def, on).map_err(|m| reject(1, at, m))?;
            v
        }
        ImmStyle::Hwreg
        | ImmStyle::Sendmsg
        | ImmStyle::Swaitcnt
        | ImmStyle::Depctr
        | ImmStyle::Sdelayalu => {
            // Counters are set bit by bit, and -1 stands for all of them.
            let least = match style {
                ImmStyle::Hwreg | ImmStyle::Sendmsg => 0,
                _ => -0x8000,
            };
            if !(least..=0xffff).contains(&v) {
                return Err(reject(
                    1,
                    at,
                    "invalid immediate: only 16-bit values are legal",
                ));
            }
            v & 0xffff
        }
        ImmStyle::Gpridxmode if !(0..=15).contains(&v) => {
            return Err(reject(
                1,
                at,
                "invalid immediate: only 4-bit values are legal",
            ));
        }
        ImmStyle::U16imm | ImmStyle::Endpgm if !(0..=0xffff).contains(&v) => {
            return Err(reject(1, at, "expected a 16-bit unsigned value"));
        }
        ImmStyle::S16imm | ImmStyle::Soppbrtarget if !(-0x8000..=0xffff).contains(&v) => {
            return Err(reject(1, at, "expected a 16-bit value"));
        }
        _ => v,
    };
    if width < 64 && raw >> width != 0 && raw >> (width - 1) != -1 {
        return Err(reject(
            1,
            at,
            format!("the value does not fit a field of {width} bits"),
        ));
    }
    bits.set_raw(o, raw as u64);
    Ok(())
}

/// Offsets of scalar memory instructions (Vega ISA 7.2.1, RDNA1 ISA 7.2.1, RDNA4 ISA 8.1.1).
pub(super) fn scalar_offset(v: i64, def: &InstDef, on: For) -> Result<(), String> {
    let buffer = def
        .shape
        .operands
        .iter()
        .any(|o| o.field == Field::Sbase && o.bits == 128);
    let (bits, signed) = match on.target.major() {
        12 if buffer => (23, false),
        12 => (24, true),
        9..=11 if buffer => (20, false),
        _ => (21, true),
    };
    let fits = if signed {
        (-(1i64 << (bits - 1))..1 << (bits - 1)).contains(&v)
    } else {
        (0..1 << bits).contains(&v)
    };
    if fits {
        Ok(())
    } else {
        let kind = if signed { "signed" } else { "unsigned" };
        Err(format!("expected a {bits}-bit {kind} offset"))
    }
}
