//! Which encoding a constant takes: an inline constant, a 32-bit literal or a 64-bit one.

use super::operand::{Literal, Value};
use half::{bf16, f16};
use waveglass_isa::{Operand, OperandDef, OperandType};

/// Why a constant cannot stand for an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// It needs more bits than the operand has.
    TooWide,
    /// A number with a fraction for a 64-bit integer.
    FloatForInteger,
    /// Overflow or underflow in the operand's format.
    Float,
}

/// How a 16-, 32- or 64-bit pattern is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    F16,
    Bf16,
    F32,
    F64,
}

fn format(ty: OperandType, bits: u16) -> Format {
    use OperandType::*;
    match (ty, bits) {
        (PackedF32 | PackedInt32, _) => Format::F32,
        (Float | Int | Bits, 64) => Format::F64,
        (Float, 16) | (PackedF16 | PackedF16Splat | PackedF16NoInline, _) => Format::F16,
        (Bf16 | PackedBf16, _) => Format::Bf16,
        _ => Format::F32,
    }
}

/// The inline constant with these bits.
fn inline_float(f: Format, bits: u64) -> Option<Operand> {
    let (ty, width) = match f {
        Format::F16 => (OperandType::Float, 16),
        Format::Bf16 => (OperandType::Bf16, 16),
        Format::F32 => (OperandType::Float, 32),
        Format::F64 => (OperandType::Float, 64),
    };
    (240..=248)
        .find(|&s| Operand::inline_float_bits(s, ty, width) == bits)
        .map(Operand::InlineFloat)
}

fn inline_int(v: i64) -> Option<Operand> {
    (-16..=64)
        .contains(&v)
        .then_some(Operand::InlineInt(v as i8))
}

/// Whether `v` is a number of `bits` bits, with or without sign.
fn fits(v: i64, bits: u32) -> bool {
    bits >= 64 || v >> bits == 0 || v >> (bits - 1) == -1
}

/// The bits of a number in a format; `None` where it overflows or underflows.
fn convert(v: f64, f: Format) -> Option<u64> {
    let (bits, back, least) = match f {
        Format::F64 => return Some(v.to_bits()),
        Format::F32 => {
            let x = v as f32;
            (x.to_bits() as u64, x as f64, f32::MIN_POSITIVE as f64)
        }
        Format::F16 => {
            let x = f16::from_f64(v);
            (x.to_bits() as u64, x.to_f64(), f16::MIN_POSITIVE.to_f64())
        }
        Format::Bf16 => {
            let x = bf16::from_f64(v);
            (x.to_bits() as u64, x.to_f64(), bf16::MIN_POSITIVE.to_f64())
        }
    };
    let overflow = back.is_infinite() && v.is_finite();
    let underflow = back != v && back.abs() < least;
    (!overflow && !underflow).then_some(bits)
}

/// The encoding of a constant for an operand; `wide` where there may be a 64-bit literal.
pub(super) fn choose(
    value: Value,
    literal: Literal,
    o: &OperandDef,
    wide: bool,
) -> Result<Operand, Misfit> {
    match value {
        Value::Int(v) => integer(v, literal, o.ty, o.bits, wide),
        Value::Float(v) => float(v, literal, o.ty, o.bits, wide),
        _ => Err(Misfit::TooWide),
    }
}

fn integer(
    v: i64,
    literal: Literal,
    ty: OperandType,
    bits: u16,
    wide: bool,
) -> Result<Operand, Misfit> {
    let f = format(ty, bits);
    if literal == Literal::Lit64 {
        return Ok(Operand::Literal64(v as u64));
    }
    let forced = literal == Literal::Lit32;
    if f == Format::F64 {
        if !forced && let Some(i) = inline_int(v).or_else(|| inline_float(f, v as u64)) {
            return Ok(i);
        }
        if ty == OperandType::Float {
            if !fits(v, 32) {
                return if wide && !forced {
                    Ok(Operand::Literal64(v as u64))
                } else {
                    Err(Misfit::TooWide)
                };
            }
            let high = ((v as u32) as u64) << 32;
            if !forced && let Some(i) = inline_float(f, high) {
                return Ok(i);
            }
            return Ok(Operand::Literal(v as u32));
        }
        if wide && !forced && !(0..=i32::MAX as i64).contains(&v) {
            return Ok(Operand::Literal64(v as u64));
        }
        return if fits(v, 32) {
            Ok(Operand::Literal(v as u32))
        } else {
            Err(Misfit::TooWide)
        };
    }
    if bits == 16 {
        if !fits(v, 16) {
            return Err(Misfit::TooWide);
        }
        let integer = matches!(ty, OperandType::Int | OperandType::Bits);
        let inline = inline_int(v as i16 as i64)
            .or_else(|| inline_float(f, v as u16 as u64).filter(|_| !integer));
        return Ok(match inline {
            Some(i) if !forced => i,
            // Integers keep their sign above the 16 bits that are read.
            _ if integer => Operand::Literal(v as u32),
            _ => Operand::Literal(v as u16 as u32),
        });
    }
    if !fits(v, 32) {
        return Err(Misfit::TooWide);
    }
    let whole = v as u32;
    let inline = match ty {
        OperandType::PackedF16NoInline => None,
        OperandType::PackedF16 | OperandType::PackedF16Splat | OperandType::PackedBf16 => {
            inline_int(whole as i32 as i64).or_else(|| inline_float(f, whole as u64))
        }
        _ => inline_int(whole as i32 as i64).or_else(|| inline_float(Format::F32, whole as u64)),
    };
    Ok(match inline {
        Some(i) if !forced => i,
        _ => Operand::Literal(whole),
    })
}

fn float(
    v: f64,
    literal: Literal,
    ty: OperandType,
    bits: u16,
    wide: bool,
) -> Result<Operand, Misfit> {
    let f = format(ty, bits);
    if literal == Literal::Lit64 {
        return Ok(Operand::Literal64(v.to_bits()));
    }
    let forced = literal == Literal::Lit32;
    // 1/(2*pi) is no bfloat16; the number that stands for it is binary32's.
    if matches!(ty, OperandType::Bf16 | OperandType::PackedBf16)
        && !forced
        && v as f32 == f32::from_bits(0x3e22_f983)
    {
        return Ok(Operand::InlineFloat(248));
    }
    // A 16-bit integer takes the bits of a binary32 that binary16 reaches.
    if bits == 16 && f == Format::F32 {
        convert(v, Format::F16).ok_or(Misfit::Float)?;
    }
    let pattern = convert(v, f).ok_or(Misfit::Float)?;
    if !forced
        && ty != OperandType::PackedF16NoInline
        && let Some(i) = inline_float(f, pattern).or_else(|| inline_int(0).filter(|_| pattern == 0))
    {
        return Ok(i);
    }
    if f == Format::F64 {
        if ty != OperandType::Float {
            return Err(Misfit::FloatForInteger);
        }
        if wide && !forced && pattern as u32 != 0 {
            return Ok(Operand::Literal64(pattern));
        }
        return Ok(Operand::Literal((pattern >> 32) as u32));
    }
    Ok(Operand::Literal(pattern as u32))
}

/// The bits of the constant in an instruction such as v_madmk: no inline constants there.
pub(super) fn field(value: Value, bits: u32) -> Result<u64, Misfit> {
    match value {
        Value::Int(v) if fits(v, bits.min(64)) => Ok(match bits {
            16 => v as u16 as u64,
            32 => v as u32 as u64,
            _ => v as u64,
        }),
        Value::Float(v) => convert(
            v,
            match bits {
                16 => Format::F16,
                32 => Format::F32,
                _ => Format::F64,
            },
        )
        .ok_or(Misfit::Float),
        _ => Err(Misfit::TooWide),
    }
}
