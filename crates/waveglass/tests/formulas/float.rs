//! Number formats, worked out from the number of their exponent and significand bits: nothing here
//! is shared with the executor.

/// What the codes with the largest exponent are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// Infinities and NaNs, as IEEE 754 has them.
    Ieee,
    /// One NaN of either sign, all bits set; no infinities (OCP E4M3).
    OneNan,
    /// The code of -0 is the only NaN; no infinities (FNUZ).
    Fnuz,
    /// Numbers.
    Numbers,
}

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) exponent: u32,
    pub(crate) significand: u32,
    pub(crate) bias: i32,
    pub(crate) special: Special,
}

const fn ieee(exponent: u32, significand: u32) -> Format {
    Format {
        exponent,
        significand,
        bias: (1 << (exponent - 1)) - 1,
        special: Special::Ieee,
    }
}

pub(crate) const F16: Format = ieee(5, 10);
pub(crate) const BF16: Format = ieee(8, 7);
pub(crate) const F32: Format = ieee(8, 23);
pub(crate) const F64: Format = ieee(11, 52);

/// How a number between two codes is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    Nearest,
    Zero,
}

/// `2 ** e`, also where the power is a denormal.
pub(crate) fn power(e: i32) -> f64 {
    match e {
        -1022..=1023 => f64::from_bits(((e + 1023) as u64) << 52),
        -1074..=-1023 => f64::from_bits(1 << (e + 1074)),
        ..=-1075 => 0.0,
        _ => f64::INFINITY,
    }
}

/// `x * 2 ** e`, rounded once.
pub(crate) fn scaled(x: f64, e: i32) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    // A step that makes a denormal is the only one that rounds, and it has to be the last.
    let (mut x, mut e) = (x, e.clamp(-5000, 5000));
    while e > 1000 {
        (x, e) = (x * power(1000), e - 1000);
    }
    while e < -900 && x.abs() > power(-100) {
        (x, e) = (x * power(-900), e + 900);
    }
    if e < -1000 {
        return 0.0f64.copysign(x);
    }
    x * power(e)
}

/// The exponent of a number in the sense of `1.f * 2 ** e`.
pub(crate) fn exponent_of(x: f64) -> i32 {
    let field = (x.to_bits() >> 52 & 0x7ff) as i32;
    if field == 0 {
        let top = 63 - (x.to_bits() << 1 >> 1).leading_zeros() as i32;
        return top - 1074;
    }
    field - 1023
}

impl Format {
    /// The format that a type suffix names; FP8 and BF8 are the FNUZ kinds on CDNA 3.
    pub(crate) fn named(name: &str, fnuz: bool) -> Option<Self> {
        let small = |exponent, significand, bias, special| Self {
            exponent,
            significand,
            bias,
            special,
        };
        Some(match name {
            "f16" => F16,
            "bf16" => BF16,
            "f32" => F32,
            "f64" => F64,
            "fp8" if fnuz => small(4, 3, 8, Special::Fnuz),
            "bf8" if fnuz => small(5, 2, 16, Special::Fnuz),
            "fp8" => small(4, 3, 7, Special::OneNan),
            "bf8" => ieee(5, 2),
            "fp6" => small(2, 3, 1, Special::Numbers),
            "bf6" => small(3, 2, 3, Special::Numbers),
            "fp4" => small(2, 1, 1, Special::Numbers),
            _ => return None,
        })
    }

    pub(crate) fn width(self) -> u32 {
        1 + self.exponent + self.significand
    }

    fn sign(self) -> u64 {
        1 << (self.width() - 1)
    }

    fn top_exponent(self) -> u64 {
        (1 << self.exponent) - 1
    }

    /// The biased exponent field.
    pub(crate) fn field(self, bits: u64) -> u64 {
        bits >> self.significand & self.top_exponent()
    }

    fn fraction(self, bits: u64) -> u64 {
        bits & ((1 << self.significand) - 1)
    }

    /// The largest finite number's code.
    pub(crate) fn largest(self) -> u64 {
        let all = self.sign() - 1;
        match self.special {
            Special::Ieee => (self.top_exponent() << self.significand) - 1,
            Special::OneNan => all - 1,
            Special::Fnuz | Special::Numbers => all,
        }
    }

    pub(crate) fn is_nan(self, bits: u64) -> bool {
        let magnitude = bits & (self.sign() - 1);
        match self.special {
            Special::Ieee => magnitude > self.top_exponent() << self.significand,
            Special::OneNan => magnitude == self.sign() - 1,
            Special::Fnuz => bits & (2 * self.sign() - 1) == self.sign(),
            Special::Numbers => false,
        }
    }

    /// A NaN that is signalling.
    pub(crate) fn is_signalling(self, bits: u64) -> bool {
        self.is_nan(bits) && bits >> (self.significand - 1) & 1 == 0
    }

    /// The smallest normal number.
    pub(crate) fn smallest_normal(self) -> f64 {
        power(1 - self.bias)
    }

    /// The number that a code stands for.
    pub(crate) fn decode(self, bits: u64) -> f64 {
        let sign = if bits & self.sign() == 0 { 1.0 } else { -1.0 };
        if self.is_nan(bits) {
            return f64::NAN.copysign(sign);
        }
        let (field, fraction) = (self.field(bits), self.fraction(bits));
        if self.special == Special::Ieee && field == self.top_exponent() {
            return sign * f64::INFINITY;
        }
        if self == F64 {
            return f64::from_bits(bits);
        }
        let hidden = u64::from(field != 0) << self.significand;
        let e = (field.max(1)) as i32 - self.bias - self.significand as i32;
        sign * (hidden | fraction) as f64 * power(e)
    }

    /// The code of a number. What is too large is infinity where there is one, else the NaN, else
    /// the largest number; rounding toward zero stops at the largest number.
    pub(crate) fn encode(self, x: f64, round: Round) -> u64 {
        if self == F64 {
            return x.to_bits();
        }
        let infinity = self.top_exponent() << self.significand;
        let (nan, too_large) = match self.special {
            Special::Ieee => (infinity | 1 << (self.significand - 1), infinity),
            Special::OneNan => (self.sign() - 1, self.sign() - 1),
            Special::Fnuz => (self.sign(), self.sign()),
            Special::Numbers => (self.largest(), self.largest()),
        };
        let sign = if x.is_sign_negative() { self.sign() } else { 0 };
        if x.is_nan() {
            return match self.special {
                Special::Fnuz => nan,
                _ => sign | nan,
            };
        }
        let magnitude = if x.is_infinite() {
            too_large
        } else if x == 0.0 {
            0
        } else {
            let lowest = 1 - self.bias;
            let e = exponent_of(x).max(lowest);
            let q = scaled(x.abs(), self.significand as i32 - e);
            let q = match round {
                Round::Nearest => q.round_ties_even(),
                Round::Zero => q.trunc(),
            } as u64;
            let code = (((e - lowest) as u64) << self.significand) + q;
            match (code > self.largest(), round) {
                (false, _) => code,
                (true, Round::Nearest) => too_large,
                (true, Round::Zero) => self.largest(),
            }
        };
        match self.special {
            Special::Fnuz if magnitude == 0 || magnitude == self.sign() => magnitude,
            _ => sign | magnitude,
        }
    }

    /// A number as near as the format has it.
    pub(crate) fn rounded(self, x: f64, round: Round) -> f64 {
        self.decode(self.encode(x, round))
    }

    /// Where a code stands among all codes in the order of the numbers.
    fn place(self, bits: u64) -> i64 {
        let magnitude = (bits & (self.sign() - 1)) as i64;
        if bits & self.sign() == 0 {
            magnitude
        } else {
            -magnitude
        }
    }

    /// How many codes lie between two numbers.
    pub(crate) fn distance(self, a: u64, b: u64) -> u64 {
        self.place(a).abs_diff(self.place(b))
    }
}

/// `a * b + c` rounded to odd in 53 bits, after which rounding to a format of at most 24 bits gives
/// what one rounding would (products of two such numbers are exact in an f64).
pub(crate) fn fma_odd(a: f64, b: f64, c: f64) -> f64 {
    let p = a * b;
    let s = p + c;
    if !s.is_finite() || s == 0.0 {
        return s;
    }
    // What the sum lost (Knuth's two-sum).
    let t = s - p;
    let lost = (p - (s - t)) + (c - t);
    if lost == 0.0 || s.to_bits() & 1 == 1 {
        return s;
    }
    let away = (lost > 0.0) == (s > 0.0);
    f64::from_bits(if away {
        s.to_bits() + 1
    } else {
        s.to_bits() - 1
    })
}
