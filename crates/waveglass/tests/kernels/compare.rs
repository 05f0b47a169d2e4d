//! Comparison of what a kernel wrote with what the host expects, and floating point that Rust does not have.

use std::fmt::LowerHex;

/// How a value is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Bit for bit.
    Bits,
    /// Bits of an f16, f32 or f64 in the low part of the value; one NaN is as good as another, since C leaves the payload and
    /// sign open.
    Float(u32),
    /// [`Kind::Float`], and a zero may have either sign, as fmin(-0.0, 0.0) may.
    FloatAnyZero(u32),
}

pub(crate) const F16: Kind = Kind::Float(16);
pub(crate) const F32: Kind = Kind::Float(32);
pub(crate) const F64: Kind = Kind::Float(64);

fn is_nan(width: u32, bits: u64) -> bool {
    match width {
        16 => bits & 0x7fff > 0x7c00 && bits >> 16 == 0,
        32 => f32::from_bits(bits as u32).is_nan() && bits >> 32 == 0,
        _ => f64::from_bits(bits).is_nan(),
    }
}

fn same(kind: Kind, got: u64, want: u64) -> bool {
    match kind {
        _ if got == want => true,
        Kind::Bits => false,
        Kind::Float(w) => is_nan(w, got) && is_nan(w, want),
        Kind::FloatAnyZero(w) => {
            let sign = 1u64 << (w - 1);
            (is_nan(w, got) && is_nan(w, want)) || (got & !sign == 0 && want & !sign == 0)
        }
    }
}

/// Values as 64 bits, whatever they are.
pub(crate) trait Bits: Copy {
    type Hex: LowerHex;
    fn bits(self) -> u64;
    fn hex(self) -> Self::Hex;
}
macro_rules! bits {
    ($($t:ty => $v:ident $bits:expr, $u:ty;)*) => {$(
        impl Bits for $t {
            type Hex = $u;
            fn bits(self) -> u64 { let $v = self; u64::from($bits) }
            fn hex(self) -> $u { let $v = self; $bits }
        }
    )*};
}
bits! {
    u8 => v v, u8;
    u16 => v v, u16;
    u32 => v v, u32;
    u64 => v v, u64;
    i32 => v v as u32, u32;
    f32 => v v.to_bits(), u32;
    f64 => v v.to_bits(), u64;
}

/// Rows of `kinds.len()` values, one row a work-item.
pub(crate) fn rows<T: Bits>(
    kernel: &str,
    kinds: &[Kind],
    got: &[T],
    want: &[T],
) -> Result<(), String> {
    if got.len() != want.len() {
        return Err(format!(
            "{kernel}: {} values, expected {}",
            got.len(),
            want.len()
        ));
    }
    let mut differing = got
        .iter()
        .zip(want)
        .enumerate()
        .filter(|(i, (g, w))| !same(kinds[i % kinds.len()], g.bits(), w.bits()));
    let Some((i, (g, w))) = differing.next() else {
        return Ok(());
    };
    let columns: std::collections::BTreeSet<usize> = std::iter::once(i)
        .chain(differing.clone().map(|(j, _)| j))
        .map(|j| j % kinds.len())
        .collect();
    Err(format!(
        "{kernel}: item {} value {}: got {:#x}, expected {:#x}; {} of {} differ, values {columns:?}",
        i / kinds.len(),
        i % kinds.len(),
        g.hex(),
        w.hex(),
        differing.count() + 1,
        got.len(),
    ))
}

/// Bit for bit, `width` values a work-item.
pub(crate) fn exact<T: Bits>(
    kernel: &str,
    width: usize,
    got: &[T],
    want: &[T],
) -> Result<(), String> {
    rows(kernel, &vec![Kind::Bits; width], got, want)
}

/// Approximate values: `tolerance` is the distance allowed at an item, column and expected
/// value, infinite where the result is left open.
pub(crate) fn near(
    kernel: &str,
    width: usize,
    got: &[f64],
    want: &[f64],
    tolerance: impl Fn(usize, usize, f64) -> f64,
) -> Result<(), String> {
    for (i, (&g, &w)) in got.iter().zip(want).enumerate() {
        let (item, column) = (i / width, i % width);
        let allowed = tolerance(item, column, w);
        // An infinite tolerance lets infinities and NaNs through, whose distance is no number.
        let fits = g == w
            || (g.is_nan() && w.is_nan())
            || (g - w).abs() <= allowed
            || allowed == f64::INFINITY;
        if !fits {
            return Err(format!(
                "{kernel}: item {item} value {column}: got {g:e}, expected {w:e}"
            ));
        }
    }
    if got.len() == want.len() {
        Ok(())
    } else {
        Err(format!(
            "{kernel}: {} values, expected {}",
            got.len(),
            want.len()
        ))
    }
}

/// The distance of neighbours at `x` in a format with `precision` bits of significand and `min_exponent` as the exponent of the
/// smallest normal number.
pub(crate) fn ulp(x: f64, precision: i32, min_exponent: i32) -> f64 {
    let exponent = if x == 0.0 {
        min_exponent
    } else {
        exponent_of(x).max(min_exponent)
    };
    2f64.powi(exponent - precision + 1)
}

fn exponent_of(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// The exact value of a half.
pub(crate) fn f16_value(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let fraction = f64::from(bits & 0x3ff);
    sign * match (bits >> 10) & 31 {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1024.0 + fraction) * 2f64.powi(i32::from(e) - 25),
    }
}

/// `x` rounded to the nearest half, ties to even.
pub(crate) fn f16_round(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let a = x.abs();
    if x.is_nan() {
        return 0x7e00;
    }
    if a < 2f64.powi(-14) {
        // Denormal: a whole number of 2^-24, and 1024 of them are the smallest normal number.
        return sign | (a * 2f64.powi(24)).round_ties_even() as u16;
    }
    if a >= 65520.0 {
        return sign | 0x7c00;
    }
    let exponent = exponent_of(a);
    let significand = (a * 2f64.powi(10 - exponent)).round_ties_even() as u16;
    // A significand of 2048 carries into the exponent by itself.
    sign | ((((exponent + 15) as u16) << 10) + significand - 1024)
}

/// `x` times two to the power `n`, rounded once.
pub(crate) fn ldexp(x: f64, n: i32) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let (mut significand, mut exponent) = (
        x.to_bits() & ((1 << 52) - 1),
        ((x.to_bits() >> 52) & 0x7ff) as i32,
    );
    if exponent == 0 {
        let shift = significand.leading_zeros() as i32 - 11;
        significand <<= shift;
        exponent = 1 - shift;
    } else {
        significand |= 1 << 52;
    }
    let e = exponent + n;
    let sign = x.to_bits() & (1 << 63);
    if e >= 2047 {
        return f64::from_bits(sign | (2047 << 52));
    }
    if e >= 1 {
        return f64::from_bits(sign | ((e as u64) << 52) | (significand & ((1 << 52) - 1)));
    }
    let shift = (1 - e) as u32;
    if shift > 54 {
        return f64::from_bits(sign);
    }
    let (kept, lost, half) = (
        significand >> shift,
        significand & ((1 << shift) - 1),
        1u64 << (shift - 1),
    );
    let up = lost > half || (lost == half && kept & 1 == 1);
    f64::from_bits(sign | (kept + u64::from(up)))
}

#[test]
fn halves_round_to_nearest_even() {
    for bits in 0..=0xffff_u16 {
        if !f16_value(bits).is_nan() {
            assert_eq!(f16_round(f16_value(bits)), bits);
        }
    }
    assert_eq!(f16_round(1.0 + 2f64.powi(-11)), 0x3c00);
    assert_eq!(f16_round(1.0 + 3.0 * 2f64.powi(-11)), 0x3c02);
    assert_eq!(f16_round(65519.9), 0x7bff);
    assert_eq!(f16_round(65520.0), 0x7c00);
    assert_eq!(f16_round(2f64.powi(-25)), 0);
    assert_eq!(f16_round(2f64.powi(-14) - 2f64.powi(-26)), 0x0400);
}

#[test]
fn ldexp_rounds_once() {
    assert_eq!(ldexp(1.5, 3), 12.0);
    assert_eq!(ldexp(1.0, -1074), f64::from_bits(1));
    assert_eq!(ldexp(1.0, -1075), 0.0);
    assert_eq!(ldexp(1.5, -1075), f64::from_bits(1));
    assert_eq!(ldexp(f64::from_bits(1), 1074), 1.0);
    assert_eq!(ldexp(1.0, 1024), f64::INFINITY);
}
