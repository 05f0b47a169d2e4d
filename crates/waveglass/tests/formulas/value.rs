//! What expressions of formulas evaluate to.

use crate::float::{F16, Format, Round};

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    /// An integer; of `width` bits where it was read from that many, 0 where it is any number.
    Int { v: i128, width: u32 },
    /// A number in binary floating point.
    Float(Float),
}

/// A number, exact as far as an f64 holds it, and the format that it came from or goes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Float {
    pub(crate) v: f64,
    /// `None` for a constant of the formula.
    pub(crate) format: Option<Format>,
    /// The code where the value is a source as it was read.
    pub(crate) code: Option<u64>,
}

/// Ones in the low `width` bits.
pub(crate) fn ones(width: u32) -> u128 {
    match width {
        0 => 0,
        1..=127 => (1 << width) - 1,
        _ => u128::MAX,
    }
}

impl Float {
    pub(crate) fn new(v: f64, format: Option<Format>) -> Self {
        Self {
            v,
            format,
            code: None,
        }
    }

    /// The code of the value in a format.
    pub(crate) fn bits(self, format: Format) -> u64 {
        match self.code {
            Some(c) if self.format == Some(format) => c,
            _ => format.encode(self.v, Round::Nearest),
        }
    }

    pub(crate) fn map(self, f: impl Fn(f64) -> f64) -> Value {
        Value::Float(Self::new(f(self.v), self.format))
    }
}

impl Value {
    pub(crate) fn int(v: i128) -> Self {
        Self::Int { v, width: 0 }
    }

    pub(crate) fn truth(v: bool) -> Self {
        Self::int(i128::from(v))
    }

    pub(crate) fn bits(v: u128, width: u32) -> Self {
        Self::Int {
            v: (v & ones(width)) as i128,
            width,
        }
    }

    pub(crate) fn float(v: f64, format: Option<Format>) -> Self {
        Self::Float(Float::new(v, format))
    }

    pub(crate) fn is_true(self) -> bool {
        match self {
            Self::Int { v, .. } => v != 0,
            Self::Float(f) => f.v != 0.0,
        }
    }

    /// The value as a float: an integer is a number without a format.
    pub(crate) fn as_float(self) -> Float {
        match self {
            Self::Int { v, .. } => Float::new(v as f64, None),
            Self::Float(f) => f,
        }
    }

    /// The bits that a register would hold: of a float, those of its format.
    pub(crate) fn raw(self) -> Result<u128, String> {
        match self {
            Self::Int { v, .. } => Ok(v as u128),
            Self::Float(f) => match f.format {
                Some(t) => Ok(f.bits(t).into()),
                None => Err("the bits of a number without a format".to_owned()),
            },
        }
    }

    /// The value as an integer, for the operators that work on bits.
    pub(crate) fn as_int(self) -> Result<i128, String> {
        match self {
            Self::Int { v, .. } => Ok(v),
            Self::Float(_) => self.raw().map(|b| b as i128),
        }
    }

    /// Reads the value's bits as a type.
    pub(crate) fn typed(self, ty: &str, fnuz: bool) -> Result<Self, String> {
        if let Some(format) = Format::named(ty, fnuz) {
            if let Self::Float(f) = self
                && f.format == Some(format)
            {
                return Ok(self);
            }
            let code = self.raw()? as u64 & ones(format.width()) as u64;
            return Ok(Self::Float(Float {
                v: format.decode(code),
                format: Some(format),
                code: Some(code),
            }));
        }
        let (kind, width) = integer_type(ty).ok_or_else(|| format!("type {ty}"))?;
        let bits = self.raw()? & ones(width);
        let negative = kind == 'i' && bits >> (width - 1) & 1 == 1;
        let v = if negative {
            (bits | !ones(width)) as i128
        } else {
            bits as i128
        };
        Ok(Self::Int { v, width })
    }

    /// A slice of the value's bits.
    pub(crate) fn slice(self, low: u32, width: u32) -> Result<Self, String> {
        Ok(Self::bits(
            self.raw()?.checked_shr(low).unwrap_or(0),
            width.min(128),
        ))
    }
}

/// The kind and width of an integer or bit type.
pub(crate) fn integer_type(ty: &str) -> Option<(char, u32)> {
    let kind = ty.chars().next().filter(|k| "uib".contains(*k))?;
    let width = ty[1..].parse().ok().filter(|w| (1..=128).contains(w))?;
    Some((kind, width))
}

/// The wider of two operands' formats, which a result has.
fn common(a: Float, b: Float) -> Option<Format> {
    match (a.format, b.format) {
        (Some(x), Some(y)) if x.width() < y.width() => Some(y),
        (None, y) => y,
        (x, _) => x,
    }
}

/// `a op b`.
pub(crate) fn binary(op: &str, a: Value, b: Value) -> Result<Value, String> {
    let floats = matches!(a, Value::Float(_)) || matches!(b, Value::Float(_));
    if floats && matches!(op, "+" | "-" | "*" | "/") {
        let (x, y) = (a.as_float(), b.as_float());
        let v = match op {
            "+" => x.v + y.v,
            "-" => x.v - y.v,
            "*" => x.v * y.v,
            _ => x.v / y.v,
        };
        return Ok(Value::float(v, common(x, y)));
    }
    if floats && matches!(op, "==" | "!=" | "<" | "<=" | ">" | ">=") {
        let (x, y) = (a.as_float().v, b.as_float().v);
        return Ok(Value::truth(match op {
            "==" => x == y,
            "!=" => x != y,
            "<" => x < y,
            "<=" => x <= y,
            ">" => x > y,
            _ => x >= y,
        }));
    }
    if op == "**" {
        let (base, e) = (a.as_float().v, b.as_int()?);
        if e < 0 {
            return Ok(Value::float(base.powi(e as i32), None));
        }
        let v = a.as_int()?.checked_pow(e as u32);
        return Ok(v.map_or_else(|| Value::float(base.powi(e as i32), None), Value::int));
    }
    let (x, y) = (a.as_int()?, b.as_int()?);
    // Products of two 64-bit numbers pass 127 bits; only their low halves are ever used.
    Ok(Value::int(match op {
        "+" => x.wrapping_add(y),
        "-" => x.wrapping_sub(y),
        "*" => x.wrapping_mul(y),
        "/" if y != 0 => x.wrapping_div(y),
        "%" if y != 0 => x.wrapping_rem_euclid(y),
        "&" => x & y,
        "|" => x | y,
        "^" => x ^ y,
        "<<" => u32::try_from(y).map_or(0, |n| x.checked_shl(n).unwrap_or(0)),
        ">>" => x >> y.clamp(0, 127),
        "==" => i128::from(x == y),
        "!=" => i128::from(x != y),
        "<" => i128::from(x < y),
        "<=" => i128::from(x <= y),
        ">" => i128::from(x > y),
        ">=" => i128::from(x >= y),
        _ => return Err(format!("{x} {op} {y}")),
    }))
}

/// `op a`.
pub(crate) fn unary(op: &str, a: Value) -> Result<Value, String> {
    Ok(match (op, a) {
        ("!", a) => Value::truth(!a.is_true()),
        ("-", Value::Float(f)) => Value::Float(signed(f, !f.v.is_sign_negative())),
        ("-", Value::Int { v, .. }) => Value::int(v.wrapping_neg()),
        _ => Value::int(!a.as_int()?),
    })
}

/// The float with another sign. A NaN's sign is in its code alone.
pub(crate) fn signed(f: Float, negative: bool) -> Float {
    let v = if negative { -f.v.abs() } else { f.v.abs() };
    let code = f.code.zip(f.format).map(|(c, t)| {
        let sign = 1 << (t.width() - 1);
        if f.v.is_nan() {
            c ^ sign
        } else if negative {
            c | sign
        } else {
            c & !sign
        }
    });
    Float {
        v,
        format: f.format,
        code,
    }
}

/// The smaller or the larger one, -0 below +0, a NaN where one is a NaN.
pub(crate) fn extreme(a: Value, b: Value, smaller: bool) -> Value {
    match (a, b) {
        (Value::Int { v: x, .. }, Value::Int { v: y, .. }) => {
            if (x < y) == smaller {
                a
            } else {
                b
            }
        }
        _ => {
            let (x, y) = (a.as_float(), b.as_float());
            if x.v.is_nan() {
                return Value::Float(x);
            }
            if y.v.is_nan() {
                return Value::Float(y);
            }
            let less = x.v < y.v || x.v == y.v && x.v.is_sign_negative();
            let chosen = if less == smaller { x } else { y };
            // A constant has the format of what it is compared with.
            Value::Float(Float {
                format: chosen.format.or(common(x, y)),
                ..chosen
            })
        }
    }
}

/// `x` rounded toward zero to 16 bits.
pub(crate) fn toward_zero_f16(x: f64) -> Value {
    Value::float(F16.rounded(x, Round::Zero), Some(F16))
}
