//! One component: from its bits in memory to a register's 32 or 16, and back.
//!
//! What AMD's manuals say: float and normalized data become floats, integers stay integers, components
//! of 32 bits are not converted (Vega ISA 8.1.3); to 16 bits, f32 is truncated and all else rounded to
//! nearest even (RDNA 3 ISA 9.3.1). They leave open how stores convert; there the rules of Direct3D
//! hold, for which the hardware was made: normalized values are clamped, scaled and rounded to nearest
//! with halves away from zero; NaN becomes zero; scaled values are truncated and clamped; integers are
//! clamped to the component's range; floats are rounded toward zero, a negative number becomes zero in
//! a float without a sign.

use super::NumberFormat;

/// An IEEE-like float of 10, 11 or 16 bits with 5 exponent bits; those of 10 and 11 have no sign.
#[derive(Clone, Copy)]
struct Small {
    mantissa: u32,
    signed: bool,
}

impl Small {
    const fn of_width(width: u32) -> Self {
        Self {
            mantissa: if width == 16 { 10 } else { width - 5 },
            signed: width == 16,
        }
    }

    /// The f32 of the same value; a NaN keeps its payload's bits at the top.
    fn to_f32(self, bits: u32) -> u32 {
        let m = self.mantissa;
        let (mantissa, exponent) = (bits & ((1 << m) - 1), bits >> m & 0x1f);
        let sign = if self.signed { bits >> 15 << 31 } else { 0 };
        sign | match (exponent, mantissa) {
            (0, 0) => 0,
            // A denormal is normal as an f32: its value is mantissa * 2^(-14 - m).
            (0, _) => {
                let top = 31 - mantissa.leading_zeros();
                (127 - 14 - m + top) << 23 | (mantissa << (23 - top)) & 0x7f_ffff
            }
            (0x1f, _) => 0xff << 23 | mantissa << (23 - m),
            _ => (exponent + 127 - 15) << 23 | mantissa << (23 - m),
        }
    }

    /// A finite `value` at this precision: toward zero (a number that is too large becomes the largest),
    /// or to nearest even (it becomes infinity).
    fn round(self, value: f64, nearest: bool) -> u32 {
        let m = self.mantissa;
        let sign = if value.is_sign_negative() { 1 << 15 } else { 0 };
        if sign != 0 && !self.signed {
            return 0;
        }
        let magnitude = value.abs();
        let bits = magnitude.to_bits();
        // The exponent, no lower than a denormal's; the step is the value of the last place.
        let exponent = ((bits >> 52) as i32 - 1023).max(-14);
        let step = 2f64.powi(exponent - m as i32);
        // Exact: a division by a power of two.
        let scaled = magnitude / step;
        let whole = scaled.trunc();
        let mut code = whole as u64;
        if nearest {
            let rest = scaled - whole;
            if rest > 0.5 || rest == 0.5 && code & 1 != 0 {
                code += 1;
            }
        }
        // The implicit bit adds one to the exponent field; so does a carry out of the mantissa.
        let code = code + (((exponent + 14) as u64) << m);
        let infinity = 0x1f << m;
        let code = if code < infinity {
            code
        } else if nearest {
            infinity
        } else {
            infinity - 1
        };
        sign | code as u32
    }

    /// An f32 rounded toward zero. Infinities stay; a NaN stays one, of any sign, and is quiet.
    fn truncate_f32(self, value: u32) -> u32 {
        let m = self.mantissa;
        let sign = if self.signed { value >> 31 << 15 } else { 0 };
        let mantissa = value & 0x7f_ffff;
        if value >> 23 & 0xff == 0xff {
            return if mantissa != 0 {
                sign | 0x1f << m | mantissa >> (23 - m) | 1 << (m - 1)
            } else if value >> 31 != 0 && !self.signed {
                0
            } else {
                sign | 0x1f << m
            };
        }
        self.round(f32::from_bits(value).into(), false)
    }
}

const HALF: Small = Small::of_width(16);

/// The low `width` bits of `bits` as a signed number.
const fn signed(bits: u32, width: u32) -> i32 {
    (bits << (32 - width)) as i32 >> (32 - width)
}

/// All ones, `width` bits.
const fn ones(width: u32) -> u32 {
    u32::MAX >> (32 - width)
}

/// The number that a component narrower than 32 bits stands for: exact, or as good as f64 can.
fn number(bits: u32, width: u32, number: NumberFormat) -> f64 {
    match number {
        NumberFormat::Unorm => f64::from(bits) / f64::from(ones(width)),
        NumberFormat::Snorm => {
            let top = ones(width - 1);
            (f64::from(signed(bits, width)) / f64::from(top)).max(-1.0)
        }
        NumberFormat::Sscaled | NumberFormat::Sint => signed(bits, width).into(),
        _ => bits.into(),
    }
}

impl NumberFormat {
    /// What a load gives for a component of `width` bits.
    pub(super) fn load(self, bits: u32, width: u32) -> u32 {
        match self {
            _ if width == 32 => bits,
            Self::Float => Small::of_width(width).to_f32(bits),
            Self::Uint => bits,
            Self::Sint => signed(bits, width) as u32,
            // Of two integers of at most 16 bits the quotient in f64 lies on the same side of every
            // f32 and of every midpoint between two as the exact one.
            _ => (number(bits, width, self) as f32).to_bits(),
        }
    }

    /// What a D16 load gives for a component of `width` bits.
    pub(super) fn load_d16(self, bits: u32, width: u32) -> u32 {
        match self {
            Self::Uint => bits.min(0xffff),
            Self::Sint => {
                let value = signed(bits, width).clamp(i16::MIN.into(), i16::MAX.into());
                value as u32 & 0xffff
            }
            _ if width == 32 => HALF.truncate_f32(bits),
            Self::Float if width == 16 => bits,
            // As f16, but without sign and with fewer mantissa bits.
            Self::Float => bits << (15 - width),
            _ => HALF.round(number(bits, width, self), true),
        }
    }

    /// What a store of a register leaves in a component of `width` bits.
    pub(super) fn store(self, value: u32, width: u32) -> u32 {
        match self {
            _ if width == 32 => value,
            Self::Uint => value.min(ones(width)),
            Self::Sint => clamp_signed(value as i32, width),
            Self::Float => Small::of_width(width).truncate_f32(value),
            _ => self.quantize(f32::from_bits(value).into(), width),
        }
    }

    /// What a D16 store leaves in a component of `width` bits.
    pub(super) fn store_d16(self, value: u32, width: u32) -> u32 {
        let value = value & 0xffff;
        match self {
            Self::Uint => value.min(ones(width)),
            Self::Sint if width == 32 => signed(value, 16) as u32,
            Self::Sint => clamp_signed(signed(value, 16), width),
            _ if width == 32 => HALF.to_f32(value),
            Self::Float if width == 16 => value,
            Self::Float => Small::of_width(width).truncate_f32(HALF.to_f32(value)),
            _ => self.quantize(f32::from_bits(HALF.to_f32(value)).into(), width),
        }
    }

    /// A float as a normalized or scaled integer.
    fn quantize(self, value: f64, width: u32) -> u32 {
        if value.is_nan() {
            return 0;
        }
        let top = f64::from(ones(width));
        let signed_top = f64::from(ones(width - 1));
        let mask = ones(width);
        match self {
            // f64 holds the product of an f32 and a 16-bit integer exactly.
            Self::Unorm => (value.clamp(0.0, 1.0) * top).round() as u32,
            Self::Snorm => (value.clamp(-1.0, 1.0) * signed_top).round() as i32 as u32 & mask,
            Self::Uscaled => value.clamp(0.0, top).trunc() as u32,
            _ => value.clamp(-signed_top - 1.0, signed_top).trunc() as i32 as u32 & mask,
        }
    }

    /// One, as registers hold it.
    pub(super) const fn one(self, d16: bool) -> u32 {
        match (self.is_integer(), d16) {
            (true, _) => 1,
            (false, false) => 0x3f80_0000,
            (false, true) => 0x3c00,
        }
    }
}

fn clamp_signed(value: i32, width: u32) -> u32 {
    let top = ones(width - 1) as i32;
    value.clamp(-top - 1, top) as u32 & ones(width)
}
