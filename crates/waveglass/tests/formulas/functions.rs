//! The functions of the notation (`data/vocabulary/notation.txt`).

use crate::float::{BF16, F16, F32, F64, Format, Round, exponent_of, fma_odd, power, scaled};
use crate::value::{Float, Value, extreme, ones, signed, toward_zero_f16};

type Computed = Result<Value, String>;

/// What a function may ask of the place where it stands.
pub(crate) struct Place<'a> {
    /// The type that the statement assigns.
    pub(crate) target: Option<&'a str>,
    /// Whether FP8 and BF8 are the FNUZ kinds.
    pub(crate) fnuz: bool,
}

fn formatted(f: Float) -> Result<Format, String> {
    f.format
        .ok_or_else(|| "a number without a format".to_owned())
}

fn width_of(v: Value) -> Result<u32, String> {
    match v {
        Value::Int { width, .. } if width > 0 => Ok(width),
        _ => Err("a number without a width".to_owned()),
    }
}

/// `name(args)`; `None` where the notation has no such function that can be computed here.
pub(crate) fn call(name: &str, args: &[Value], place: &Place<'_>) -> Option<Computed> {
    match args {
        [a] => integer(name, *a)
            .or_else(|| float(name, a.as_float()))
            .or_else(|| conversion(name, *a, place)),
        [a, b] => two(name, *a, *b, place.fnuz),
        [a, b, c] => three(name, *a, *b, *c),
        _ => None,
    }
}

fn integer(name: &str, a: Value) -> Option<Computed> {
    let with_width = |f: fn(i128, u32) -> i128| {
        let v = a.as_int()?;
        Ok(Value::int(f(v, width_of(a)?)))
    };
    Some(match name {
        "zext" => width_of(a).and_then(|w| Ok(Value::int((a.raw()? & ones(w)) as i128))),
        "sext" => width_of(a).and_then(|w| a.typed(&format!("i{w}"), false)),
        "popcount" => a.raw().map(|b| Value::int(i128::from(b.count_ones()))),
        "reverse_bits" => with_width(|v, w| ((v as u128).reverse_bits() >> (128 - w)) as i128),
        "first_one_low" => a.raw().map(|b| match b {
            0 => Value::int(-1),
            b => Value::int(i128::from(b.trailing_zeros())),
        }),
        "first_zero_low" => with_width(|v, w| {
            let n = (v as u128).trailing_ones();
            if n >= w { -1 } else { i128::from(n) }
        }),
        "count_leading_zeros" => with_width(|v, w| match v as u128 & ones(w) {
            0 => -1,
            b => i128::from(b.leading_zeros()) - 128 + i128::from(w),
        }),
        "leading_sign" => with_width(|v, w| {
            let same = (0..w)
                .rev()
                .take_while(|i| (v >> i & 1) == (v >> (w - 1) & 1));
            match same.count() as u32 {
                n if n == w => -1,
                n => i128::from(n),
            }
        }),
        "replicate2" => a.raw().map(|b| {
            let twice = (0..32).map(|i| ((b >> i & 1) * 3) << (2 * i));
            Value::int(twice.sum::<u128>() as i128)
        }),
        "quads" => a.raw().map(|b| {
            let quads = (0..16).map(|i| u128::from(b >> (4 * i) & 15 != 0) << i);
            Value::int(quads.sum::<u128>() as i128)
        }),
        "prng" => a.raw().map(|b| {
            let b = b as u32;
            let feedback = if b >> 31 == 1 { 197 } else { 0 };
            Value::bits(u128::from(b << 1 ^ feedback), 32)
        }),
        "abs" if matches!(a, Value::Int { .. }) => a.as_int().map(|v| Value::int(v.abs())),
        _ => return None,
    })
}

fn float(name: &str, f: Float) -> Option<Computed> {
    let code = || formatted(f).map(|t| (t, f.bits(t)));
    let truth = |v: Result<bool, String>| v.map(Value::truth);
    Some(match name {
        "abs" if f.v.is_nan() => Ok(Value::Float(f)),
        "abs" => Ok(Value::Float(signed(f, false))),
        "floor" => Ok(f.map(f64::floor)),
        "ceil" => Ok(f.map(f64::ceil)),
        "trunc" => Ok(f.map(f64::trunc)),
        "rint" => Ok(f.map(f64::round_ties_even)),
        "isnan" => truth(Ok(f.v.is_nan())),
        "isinf" => truth(Ok(f.v.is_infinite())),
        "denormal" => truth(formatted(f).map(|t| f.v != 0.0 && f.v.abs() < t.smallest_normal())),
        "flush" => formatted(f).map(|t| {
            let flushed = f.v.abs() < t.smallest_normal();
            Value::Float(if flushed {
                Float::new(0.0f64.copysign(f.v), Some(t))
            } else {
                f
            })
        }),
        "quiet" => code().map(|(t, c)| {
            let quiet = if t.is_nan(c) {
                1 << (t.significand - 1)
            } else {
                0
            };
            Value::Float(Float {
                code: Some(c | quiet),
                ..f
            })
        }),
        "exponent" => code().map(|(t, c)| Value::int(t.field(c).into())),
        "classify" => code().map(|(t, c)| Value::int(class(t, c, f.v))),
        "frexp_mantissa" => Ok(f.map(|v| {
            if v == 0.0 || !v.is_finite() {
                v
            } else {
                scaled(v, -exponent_of(v) - 1)
            }
        })),
        "frexp_exponent" => Ok(Value::int(if f.v == 0.0 || !f.v.is_finite() {
            0
        } else {
            i128::from(exponent_of(f.v) + 1)
        })),
        "scale" => Ok(Value::float(
            match f.bits(F32) >> 23 & 0xff {
                255 => f64::NAN,
                e => power(e as i32 - 127),
            },
            None,
        )),
        "exp2" => Ok(f.map(f64::exp2)),
        "log2" => Ok(f.map(f64::log2)),
        "rcp" => Ok(f.map(f64::recip)),
        "sqrt" => Ok(f.map(f64::sqrt)),
        "tanh" => Ok(f.map(f64::tanh)),
        "sin2pi" => Ok(f.map(sine)),
        "cos2pi" => Ok(f.map(cosine)),
        _ => return None,
    })
}

/// The sine of an angle in revolutions, reduced to an eighth of a turn first: both steps are exact.
fn sine(v: f64) -> f64 {
    if !v.is_finite() {
        return f64::NAN;
    }
    let turn = v % 1.0;
    let quarters = (4.0 * turn).round_ties_even();
    let angle = std::f64::consts::TAU * (turn - quarters / 4.0);
    match (quarters as i32).rem_euclid(4) {
        // Whole turns keep the sign of zero.
        0 if turn == 0.0 => v.abs().min(0.0).copysign(v),
        0 => angle.sin(),
        1 => angle.cos(),
        2 => 0.0 - angle.sin(),
        _ => -angle.cos(),
    }
}

/// The cosine.
fn cosine(v: f64) -> f64 {
    let turn = v % 1.0;
    let quarters = (4.0 * turn).round_ties_even();
    let angle = std::f64::consts::TAU * (turn - quarters / 4.0);
    match (quarters as i32).rem_euclid(4) {
        0 => angle.cos(),
        1 => 0.0 - angle.sin(),
        2 => -angle.cos(),
        _ => angle.sin(),
    }
}

/// The class of a number, as `v_cmp_class` counts them.
fn class(t: Format, code: u64, v: f64) -> i128 {
    if t.is_nan(code) {
        return i128::from(!t.is_signalling(code));
    }
    let kind = match v.abs() {
        0.0 => 0,
        f64::INFINITY => 3,
        m if m < t.smallest_normal() => 1,
        _ => 2,
    };
    if v.is_sign_negative() {
        5 - kind
    } else {
        6 + kind
    }
}

/// The nearest number of a format. A NaN stays one for the moment, also where the format has none.
fn round_to(v: f64, t: Format, round: Round) -> Value {
    let rounded = if v.is_nan() { v } else { t.rounded(v, round) };
    Value::float(rounded, Some(t))
}

/// `to_i32`, `nearest_f16` and the like.
fn conversion(name: &str, a: Value, place: &Place<'_>) -> Option<Computed> {
    let f = a.as_float();
    let rounded = |t: Format| Ok(round_to(f.v, t, Round::Nearest));
    if let Some(ty) = name.strip_prefix("to_") {
        match ty {
            // An integer of 32 bits is exact as an f64; a rounded one has to stay rounded once.
            "f64" => return Some(rounded(F64)),
            "f32" => return Some(rounded(F32)),
            "f16" => return Some(rounded(F16)),
            "bf16" => return Some(rounded(BF16)),
            "snorm16" => return Some(Ok(norm(f.v, -1.0, 32767.0))),
            "unorm16" => return Some(Ok(norm(f.v, 0.0, 65535.0))),
            _ => {}
        }
        let (kind, width) = crate::value::integer_type(ty)?;
        let (low, high) = bounds(kind, width);
        let v = match a {
            Value::Int { v, .. } => v.clamp(low, high),
            Value::Float(f) if f.v.is_nan() => 0,
            Value::Float(f) => (f.v.trunc() as i128).clamp(low, high),
        };
        return Some(Ok(Value::int(v)));
    }
    if let Some(ty) = name.strip_prefix("nearest_") {
        let t = Format::named(ty, place.fnuz)?;
        return Some(rounded(t));
    }
    Some(match name {
        "mix" => a.typed("f32", false),
        "rtz_f16" => Ok(toward_zero_f16(f.v)),
        "value" => Ok(Value::Float(f)),
        "round" => match place.target.and_then(|t| Format::named(t, place.fnuz)) {
            Some(t) => rounded(t),
            None => formatted(f).and_then(rounded),
        },
        "saturate" => match place.target.and_then(crate::value::integer_type) {
            Some((kind, width)) => {
                let (low, high) = bounds(kind, width);
                a.as_int().map(|v| Value::int(v.clamp(low, high)))
            }
            None => Err("saturate without a type".to_owned()),
        },
        _ => return None,
    })
}

fn bounds(kind: char, width: u32) -> (i128, i128) {
    match kind {
        'i' => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        _ => (0, (1 << width) - 1),
    }
}

fn norm(v: f64, low: f64, factor: f64) -> Value {
    let v = if v.is_nan() { 0.0 } else { v.clamp(low, 1.0) };
    Value::int((v * factor).round_ties_even() as i128)
}

fn two(name: &str, a: Value, b: Value, fnuz: bool) -> Option<Computed> {
    let number = |smaller| match (a.as_float().v.is_nan(), b.as_float().v.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ => extreme(a, b, smaller),
    };
    let differences = |masked: bool| {
        let (x, y) = (a.raw()?, b.raw()?);
        let bytes = (0..4).map(|i| (x >> (8 * i) & 255, y >> (8 * i) & 255));
        let counted = bytes.filter(|(_, y)| !masked || *y != 0);
        Ok(Value::int(
            counted.map(|(x, y)| x.abs_diff(y)).sum::<u128>() as i128,
        ))
    };
    Some(match name {
        "min" => Ok(extreme(a, b, true)),
        "max" => Ok(extreme(a, b, false)),
        "min_num" => Ok(number(true)),
        "max_num" => Ok(number(false)),
        "ldexp" => b.as_int().map(|e| {
            let f = a.as_float();
            Value::float(scaled(f.v, e.clamp(-9999, 9999) as i32), f.format)
        }),
        "sign_extend" => a.as_int().and_then(|v| {
            let w = b.as_int()?;
            Ok(Value::int(match w {
                1..=127 => v << (128 - w) >> (128 - w),
                0 => 0,
                _ => v,
            }))
        }),
        "sad4" => differences(false),
        "msad4" => differences(true),
        "pick" => pick(a, b),
        _ => {
            let t = Format::named(name.strip_prefix("stochastic_")?, fnuz)?;
            // Which random bits count for these the manual does not say.
            if t.width() > 8 {
                return None;
            }
            stochastic(a.as_float(), b, t)
        }
    })
}

/// The top bits of the random number are added below the last bit that is kept of the source as a
/// 32-bit float, and the rest is cut off.
fn stochastic(x: Float, random: Value, t: Format) -> Computed {
    let mut v = x.v;
    if v.is_finite() {
        let cut = F32.significand - t.significand;
        let moved = F32.encode(v, Round::Nearest) + (random.raw()? as u64 >> (32 - cut));
        // A carry out of the largest exponent is an overflow.
        let larger = F32.decode(moved);
        v = if larger.is_finite() {
            larger
        } else {
            f64::INFINITY.copysign(v)
        };
    }
    // Cutting off alone would stop at the largest number.
    let largest = t.decode(t.largest());
    let last_place = power(exponent_of(largest) - t.significand as i32);
    if v.abs() >= largest + last_place {
        v = f64::INFINITY.copysign(v);
    }
    Ok(round_to(v, t, Round::Zero))
}

fn pick(a: Value, b: Value) -> Computed {
    let (x, n) = (a.raw()?, b.as_int()?);
    Ok(Value::int(match n {
        0..=7 => (x >> (8 * n) & 255) as i128,
        8..=11 => 255 * (x >> (16 * (n - 8) + 15) & 1) as i128,
        12 => 0,
        _ => 255,
    }))
}

fn three(name: &str, a: Value, b: Value, c: Value) -> Option<Computed> {
    Some(match name {
        "clamp" => Ok(extreme(extreme(a, b, false), c, true)),
        "fma" => {
            let (x, y, z) = (a.as_float(), b.as_float(), c.as_float());
            let format = [x, y, z].into_iter().find_map(|f| f.format);
            format
                .ok_or_else(|| "fma of constants".to_owned())
                .map(|t| {
                    let v = if t == F64 {
                        x.v.mul_add(y.v, z.v)
                    } else {
                        t.rounded(fma_odd(x.v, y.v, z.v), Round::Nearest)
                    };
                    Value::float(v, Some(t))
                })
        }
        _ => return None,
    })
}
