//! What conversions to and from floats of at most eight bits raise, those that round stochastically, and
//! those to normalized integers.
//!
//! No manual says of the first two kinds that they raise anything; of the third that it "supports rounding,
//! exception flags and saturation" (V_CVT_NORM_I16_F16). They are read as conversions of IEEE 754:
//!
//! * Codes of a small format are operands: subnormal ones are told. Its NaNs are quiet, since OCP's formats
//!   tell no two kinds apart.
//! * A result that is larger than the format's largest number overflows and is inexact, whether it then
//!   becomes infinity, NaN or, with FP16_OVFL, the largest number. Rounded stochastically it overflows where
//!   the seed takes it there.
//! * An infinite operand that becomes NaN is invalid; one that becomes the largest number overflows. NaN is
//!   invalid in a format that has none, a negative number in E5M3, which has no sign.
//! * Scales are exact powers of two, and the scaled number is rounded once.
//! * Normalized integers are conversions to integers of what is multiplied: invalid for NaN and for what is out
//!   of range, inexact for a loss, which no clamp bit is said to switch.
//!
//! LLVM's tables mark conversions of FP8 and BF8, cube map operations and minima of three as raising none, as far as
//! a compiler may reorder them; a note there calls that suspect. It is not followed.

use super::lane::{format, lost};
use super::{Number, invalid};
use crate::alu::float::Round;
use crate::alu::rounding::{self, Brain, Format, Half, Rounded};
use crate::alu::small_float::{E5M3, SmallFormat};
use crate::trap::Exceptions;
use crate::valu::Ty;

/// The number that a code stands for, as an operand.
pub(crate) fn decoded(format: SmallFormat, code: u32) -> Exceptions {
    match format.is_subnormal(code) {
        true => Exceptions::INPUT_DENORMAL,
        false => Exceptions::NONE,
    }
}

/// How a number is encoded.
#[derive(Clone, Copy)]
pub(crate) struct Encoding {
    pub(crate) format: SmallFormat,
    /// The number is divided by this power of two before.
    pub(crate) scale: i32,
    /// Overflows give the largest number.
    pub(crate) saturates: bool,
    /// Infinities become NaN where they otherwise would not.
    pub(crate) infinity_is_nan: bool,
}

impl Encoding {
    /// What the result raises; rounded stochastically `moved` is the scaled number with the seed added.
    pub(crate) fn of(self, x: f64, moved: Option<f32>) -> Exceptions {
        let largest = self.saturates || !self.format.has_nan();
        if x.is_nan() {
            return invalid(!self.format.has_nan());
        }
        if self.format == E5M3 && x < 0.0 {
            return Exceptions::INVALID;
        }
        if x.is_infinite() {
            return if self.infinity_is_nan {
                invalid(true)
            } else if largest {
                Exceptions::OVERFLOW | Exceptions::INEXACT
            } else {
                invalid(!self.format.has_infinity())
            };
        }
        rounded(self.format.rounded(), x, -self.scale, moved)
    }
}

/// What a finite number times a power of two loses in a format: to nearest even, or cut off once it is `moved`.
fn rounded(f: Format, x: f64, scale: i32, moved: Option<f32>) -> Exceptions {
    let round = match moved {
        None => Round::NearestEven,
        Some(_) => Round::TowardZero,
    };
    let mut loss = rounding::scaled_fma_loss(x, 1.0, 0.0, scale, f, round);
    if let Some(moved) = moved {
        loss.overflow = !moved.is_finite()
            || rounding::add_loss(moved.into(), 0.0, f, Round::TowardZero).overflow;
        loss.inexact |= loss.overflow;
    }
    lost(loss, false)
}

/// What a number times a power of two loses in a wider format, to nearest even.
pub(crate) fn scaled(value: f64, scale: i32, to: Ty, flush_out: bool) -> Exceptions {
    let loss = rounding::scaled_fma_loss(value, 1.0, 0.0, scale, format(to), Round::NearestEven);
    lost(loss, flush_out)
}

/// Stochastic rounding to half precision or bfloat16, by the bits that the seed adds to those of a single.
pub(crate) fn stochastic(x: Number, brain: bool, added: u32) -> Exceptions {
    let value = x.value();
    if !value.is_finite() {
        return Exceptions::NONE;
    }
    let moved = f32::from_bits((value as f32).to_bits().wrapping_add(added));
    let f = if brain { Brain::FORMAT } else { Half::FORMAT };
    rounded(f, value, 0, Some(moved))
}

/// `x` times `scale`, to an integer from `least` times `scale` on.
pub(crate) fn normalized(x: f64, scale: u32, signed: bool) -> Exceptions {
    let range = if signed { -1.0..=1.0 } else { 0.0..=1.0 };
    if !range.contains(&x) {
        return Exceptions::INVALID;
    }
    // Both have few enough bits for the product to be exact.
    let product = x * f64::from(scale);
    match product == product.trunc() {
        true => Exceptions::NONE,
        false => Exceptions::INEXACT,
    }
}
