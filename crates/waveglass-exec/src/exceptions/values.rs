//! What single values are and raise: quotients, integers, exact roots.

use super::rule::ToInteger;
use crate::trap::Exceptions;

/// Numerator over denominator.
pub(super) fn quotient(denominator: f64, numerator: f64) -> Exceptions {
    if denominator.is_nan() || numerator.is_nan() {
        return Exceptions::NONE;
    }
    let both = |f: fn(f64) -> bool| f(denominator) && f(numerator);
    if both(|x| x == 0.0) || both(f64::is_infinite) {
        return Exceptions::INVALID;
    }
    if denominator == 0.0 && numerator.is_finite() {
        return Exceptions::DIVISION_BY_ZERO;
    }
    Exceptions::NONE
}

pub(super) fn integer(bits: u64, width: u32, signed: bool) -> f64 {
    match (width, signed) {
        (16, true) => (bits as i16).into(),
        (16, false) => (bits as u16).into(),
        (_, true) => (bits as i32).into(),
        (_, false) => (bits as u32).into(),
    }
}

pub(super) fn to_integer(
    a: f64,
    bits: u32,
    signed: bool,
    rounding: ToInteger,
    inexact: bool,
) -> Exceptions {
    if a.is_nan() {
        return Exceptions::INVALID;
    }
    let whole = match rounding {
        ToInteger::Truncate => a.trunc(),
        ToInteger::Floor => a.floor(),
        ToInteger::HalfUp => {
            let floor = a.floor();
            floor + if a - floor >= 0.5 { 1.0 } else { 0.0 }
        }
    };
    let (least, bound) = match signed {
        true => (-(2f64.powi(bits as i32 - 1)), 2f64.powi(bits as i32 - 1)),
        false => (0.0, 2f64.powi(bits as i32)),
    };
    if !(least..bound).contains(&whole) {
        return Exceptions::INVALID;
    }
    match inexact && whole != a {
        true => Exceptions::INEXACT,
        false => Exceptions::NONE,
    }
}

pub(super) fn is_power_of_two(a: f64) -> bool {
    let fraction = (1u64 << 52) - 1;
    let bits = a.to_bits();
    match bits >> 52 & 0x7ff {
        0 => (bits & fraction).is_power_of_two(),
        0x7ff => false,
        _ => bits & fraction == 0,
    }
}

/// Whether a positive number is the square of one that has no more than its format's digits.
pub(super) fn is_square(a: f64) -> bool {
    if !(a > 0.0 && a.is_finite()) {
        return false;
    }
    // Away from where the square's last place would be lost.
    let a = match a < 2f64.powi(-600) {
        true => a * 2f64.powi(600),
        false => a,
    };
    let root = a.sqrt();
    root.mul_add(root, -a) == 0.0
}
