//! Arithmetic in the rounding modes other than to nearest even, in integers.
//!
//! Everything comes down to one operation: `a * b + c` of numbers that fit in double precision,
//! exactly, times a power of two, rounded once to a format. Sources are finite; what comes of
//! infinities and NaN no rounding changes.

use super::float::{Round, widen_bf16, widen_f16};

/// A binary floating-point format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// Bits of the significand, the hidden one included.
    precision: u32,
    /// Exponent of the smallest normal number.
    min_exponent: i32,
    /// The code of infinity.
    infinity: u64,
    /// The sign's place.
    sign: u32,
}

impl Format {
    /// A format of so many significant bits, with the exponent of its smallest normal number and the code
    /// of its largest one.
    pub const fn small(precision: u32, min_exponent: i32, largest: u64) -> Self {
        Self {
            precision,
            min_exponent,
            infinity: largest + 1,
            // Out of the way of the codes that an overflow would have.
            sign: 63,
        }
    }
}

/// A number of a format that arithmetic rounds to.
pub trait Rounded: Copy {
    /// The format.
    const FORMAT: Format;
    /// The number in double precision, which is exact.
    fn wide(self) -> f64;
    /// A number by its bits.
    fn of_bits(bits: u64) -> Self;
}

/// Binary16 by its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Half(pub u16);

/// Bfloat16 by its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brain(pub u16);

impl Rounded for f32 {
    const FORMAT: Format = Format {
        precision: 24,
        min_exponent: -126,
        infinity: 0x7f80_0000,
        sign: 31,
    };
    fn wide(self) -> f64 {
        self.into()
    }
    fn of_bits(bits: u64) -> Self {
        f32::from_bits(bits as u32)
    }
}

impl Rounded for f64 {
    const FORMAT: Format = Format {
        precision: 53,
        min_exponent: -1022,
        infinity: 0x7ff0_0000_0000_0000,
        sign: 63,
    };
    fn wide(self) -> f64 {
        self
    }
    fn of_bits(bits: u64) -> Self {
        f64::from_bits(bits)
    }
}

impl Rounded for Half {
    const FORMAT: Format = Format {
        precision: 11,
        min_exponent: -14,
        infinity: 0x7c00,
        sign: 15,
    };
    fn wide(self) -> f64 {
        widen_f16(self.0).into()
    }
    fn of_bits(bits: u64) -> Self {
        Self(bits as u16)
    }
}

impl Rounded for Brain {
    const FORMAT: Format = Format {
        precision: 8,
        min_exponent: -126,
        infinity: 0x7f80,
        sign: 15,
    };
    fn wide(self) -> f64 {
        widen_bf16(self.0).into()
    }
    fn of_bits(bits: u64) -> Self {
        Self(bits as u16)
    }
}

/// `significand * 2^exponent`, of which the lowest bit may stand for whatever lies below it.
#[derive(Debug, Clone, Copy)]
struct Exact {
    negative: bool,
    significand: u128,
    exponent: i32,
}

impl Exact {
    fn of(x: f64) -> Self {
        let bits = x.to_bits();
        let field = (bits >> 52 & 0x7ff) as i32;
        let fraction = bits & ((1 << 52) - 1);
        Self {
            negative: bits >> 63 != 0,
            significand: match field {
                0 => fraction,
                _ => fraction | 1 << 52,
            }
            .into(),
            exponent: field.max(1) - 1075,
        }
    }

    /// The same with the top bit at 125, which leaves room for a sum.
    fn normalized(self) -> Self {
        let shift = self.significand.leading_zeros() as i32 - 2;
        Self {
            significand: self.significand << shift,
            exponent: self.exponent - shift,
            ..self
        }
    }

    /// Moves to a larger exponent; what falls off sets the lowest bit.
    fn aligned(self, exponent: i32) -> u128 {
        let distance = (exponent - self.exponent) as u32;
        match distance {
            0 => self.significand,
            1..128 => {
                let lost = self.significand & ((1 << distance) - 1) != 0;
                self.significand >> distance | u128::from(lost)
            }
            _ => u128::from(self.significand != 0),
        }
    }

    /// The sum; of an exact zero the sign that the rounding mode asks for.
    fn plus(self, other: Self, round: Round) -> Self {
        let down = round == Round::MinusInfinity;
        if self.significand == 0 && other.significand == 0 {
            let negative = match self.negative == other.negative {
                true => self.negative,
                false => down,
            };
            return Self { negative, ..self };
        }
        if self.significand == 0 {
            return other;
        }
        if other.significand == 0 {
            return self;
        }
        let (a, b) = (self.normalized(), other.normalized());
        let exponent = a.exponent.max(b.exponent);
        let (x, y) = (a.aligned(exponent), b.aligned(exponent));
        let (negative, significand) = match (a.negative == b.negative, x >= y) {
            (true, _) => (a.negative, x + y),
            (false, true) => (a.negative, x - y),
            (false, false) => (b.negative, y - x),
        };
        Self {
            negative: if significand == 0 { down } else { negative },
            significand,
            exponent,
        }
    }

    /// The nearest code of a format on the side that the mode asks for.
    fn round(self, f: Format, round: Round) -> u64 {
        let sign = u64::from(self.negative) << f.sign;
        if self.significand == 0 {
            return sign;
        }
        let top = 127 - self.significand.leading_zeros() as i32 + self.exponent;
        let last = f.precision as i32 - 1;
        // The exponent of the result's last place.
        let place = (top - last).max(f.min_exponent - last);
        let drop = place - self.exponent;
        let (mut kept, rest, half) = match drop {
            ..=0 => ((self.significand << -drop) as u64, 0, 1),
            1..128 => (
                (self.significand >> drop) as u64,
                self.significand & ((1 << drop) - 1),
                1 << (drop - 1),
            ),
            // Far below the smallest denormal.
            _ => (0, 1, 2),
        };
        let up = match round {
            Round::NearestEven => rest > half || rest == half && kept & 1 != 0,
            Round::PlusInfinity => rest != 0 && !self.negative,
            Round::MinusInfinity => rest != 0 && self.negative,
            Round::TowardZero => false,
        };
        kept += u64::from(up);
        let hidden = 1u64 << last;
        let magnitude = if kept < hidden {
            kept
        } else {
            // A carry out of the significand goes on into the exponent.
            let field = (place + last - f.min_exponent + 1) as u64;
            (field << last) + (kept - hidden)
        };
        let infinite = match round {
            Round::NearestEven => true,
            Round::PlusInfinity => !self.negative,
            Round::MinusInfinity => self.negative,
            Round::TowardZero => false,
        };
        sign | match magnitude >= f.infinity {
            true if infinite => f.infinity,
            true => f.infinity - 1,
            false => magnitude,
        }
    }
}

/// How a rounded result differs from the exact one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Loss {
    /// It differs at all.
    pub inexact: bool,
    /// With more exponents to choose from it would be larger than the largest finite number.
    pub overflow: bool,
    /// The exact result is no zero and smaller than the smallest normal number.
    pub underflow: bool,
}

impl Exact {
    /// What rounding to a format loses.
    fn loss(self, f: Format, round: Round) -> Loss {
        if self.significand == 0 {
            return Loss::default();
        }
        let top = 127 - self.significand.leading_zeros() as i32 + self.exponent;
        let largest = ((f.infinity - 1) >> (f.precision - 1)) as i32 - 1 + f.min_exponent;
        let unbounded = Format {
            infinity: u64::MAX,
            ..f
        };
        let magnitude = |f| self.round(f, round) & !(1 << f.sign);
        let overflow = top > largest || top == largest && magnitude(unbounded) >= f.infinity;
        // Bits past the last place that the result has.
        let last = f.precision as i32 - 1;
        let place = (top - last).max(f.min_exponent - last);
        let lost = match place - self.exponent {
            ..=0 => false,
            drop @ 1..128 => self.significand & ((1 << drop) - 1) != 0,
            _ => true,
        };
        Loss {
            inexact: overflow || lost,
            overflow,
            underflow: top < f.min_exponent,
        }
    }
}

/// What `(a * b + c) * 2^scale` loses in a format.
pub fn scaled_fma_loss(a: f64, b: f64, c: f64, scale: i32, f: Format, round: Round) -> Loss {
    let (a, b, c) = (Exact::of(a), Exact::of(b), Exact::of(c));
    let product = Exact {
        negative: a.negative != b.negative,
        significand: a.significand * b.significand,
        exponent: a.exponent + b.exponent,
    };
    let sum = product.plus(c, round);
    Exact {
        exponent: sum.exponent + scale.clamp(-5000, 5000),
        ..sum
    }
    .loss(f, round)
}

/// What `a + b` loses in a format.
pub fn add_loss(a: f64, b: f64, f: Format, round: Round) -> Loss {
    Exact::of(a).plus(Exact::of(b), round).loss(f, round)
}

/// `(a * b + c) * 2^scale`, rounded once.
pub fn scaled_fma<T: Rounded>(a: T, b: T, c: T, scale: i32, round: Round) -> T {
    let (a, b, c) = (
        Exact::of(a.wide()),
        Exact::of(b.wide()),
        Exact::of(c.wide()),
    );
    let product = Exact {
        negative: a.negative != b.negative,
        significand: a.significand * b.significand,
        exponent: a.exponent + b.exponent,
    };
    let sum = product.plus(c, round);
    let scaled = Exact {
        exponent: sum.exponent + scale,
        ..sum
    };
    T::of_bits(scaled.round(T::FORMAT, round))
}

/// `a * b + c`.
pub fn fma<T: Rounded>(a: T, b: T, c: T, round: Round) -> T {
    scaled_fma(a, b, c, 0, round)
}

/// `a + b`.
pub fn add<T: Rounded>(a: T, b: T, round: Round) -> T {
    let sum = Exact::of(a.wide()).plus(Exact::of(b.wide()), round);
    T::of_bits(sum.round(T::FORMAT, round))
}

/// The product of two numbers of any format, rounded to one.
pub fn convert_product<T: Rounded>(a: f64, b: f64, round: Round) -> T {
    let (a, b) = (Exact::of(a), Exact::of(b));
    let product = Exact {
        negative: a.negative != b.negative,
        significand: a.significand * b.significand,
        exponent: a.exponent + b.exponent,
    };
    T::of_bits(product.round(T::FORMAT, round))
}

/// `a * b`.
pub fn mul<T: Rounded>(a: T, b: T, round: Round) -> T {
    convert_product(a.wide(), b.wide(), round)
}

/// `a * 2^exponent`.
pub fn ldexp<T: Rounded>(a: T, exponent: i32, round: Round) -> T {
    let a = Exact::of(a.wide());
    let scaled = Exact {
        exponent: a.exponent + exponent.clamp(-5000, 5000),
        ..a
    };
    T::of_bits(scaled.round(T::FORMAT, round))
}

/// `x` in another format.
pub fn convert<T: Rounded>(x: f64, round: Round) -> T {
    T::of_bits(Exact::of(x).round(T::FORMAT, round))
}

/// The sum of two numbers of any format, rounded to one.
pub fn convert_sum<T: Rounded>(a: f64, b: f64, round: Round) -> T {
    let sum = Exact::of(a).plus(Exact::of(b), round);
    T::of_bits(sum.round(T::FORMAT, round))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers() -> impl Iterator<Item = u64> {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        std::iter::from_fn(move || Some(crate::testing::xorshift(&mut state)))
    }

    /// Numbers whose exponents lie near each other, with many zeros among the low bits.
    fn near(x: u64) -> f64 {
        let exponent = 1023 - 30 + (x >> 52) % 60;
        let fraction = x & ((1 << 52) - 1);
        let fraction = if x & 1 << 60 == 0 {
            fraction & !0xff_ffff_ffff
        } else {
            fraction
        };
        f64::from_bits(x & 1 << 63 | exponent << 52 | fraction)
    }

    #[test]
    fn nearest_even_is_what_the_host_computes() {
        let mut n = numbers();
        let mut next = || n.next().unwrap_or(0);
        for _ in 0..200_000 {
            let (a, b, c) = (next(), next(), next());
            for (a, b, c) in [
                (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c)),
                (near(a), near(b), near(c)),
            ] {
                if !(a.is_finite() && b.is_finite() && c.is_finite()) {
                    continue;
                }
                let r = Round::NearestEven;
                assert_eq!(fma(a, b, c, r).to_bits(), a.mul_add(b, c).to_bits());
                assert_eq!(add(a, c, r).to_bits(), (a + c).to_bits());
                assert_eq!(mul(a, b, r).to_bits(), (a * b).to_bits());
                assert_eq!(convert::<f32>(a, r).to_bits(), (a as f32).to_bits());
                let (a, b, c) = (a as f32, b as f32, c as f32);
                if a.is_finite() && b.is_finite() && c.is_finite() {
                    assert_eq!(fma(a, b, c, r).to_bits(), a.mul_add(b, c).to_bits());
                    assert_eq!(add(a, c, r).to_bits(), (a + c).to_bits());
                    assert_eq!(mul(a, b, r).to_bits(), (a * b).to_bits());
                }
            }
        }
    }

    #[test]
    fn directed_results_bracket_the_nearest_one() {
        let mut n = numbers();
        let mut next = || n.next().unwrap_or(0);
        for _ in 0..100_000 {
            let (a, b, c) = (near(next()), near(next()), near(next()));
            let nearest = a.mul_add(b, c);
            let up = fma(a, b, c, Round::PlusInfinity);
            let down = fma(a, b, c, Round::MinusInfinity);
            let zero = fma(a, b, c, Round::TowardZero);
            assert!(down == nearest || up == nearest);
            assert!(up == down || up == down.next_up(), "{a:e} {b:e} {c:e}");
            let expected = if nearest > 0.0 { down } else { up };
            if nearest != 0.0 {
                assert_eq!(zero, expected);
            }
        }
    }

    #[test]
    fn losses_at_the_edges_of_f32() {
        let f = f32::FORMAT;
        let mul = |a: f64, b: f64, r| scaled_fma_loss(a, b, 0.0, 0, f, r);
        let loss = |inexact, overflow, underflow| Loss {
            inexact,
            overflow,
            underflow,
        };
        let r = Round::NearestEven;
        assert_eq!(mul(1.5, 2.0, r), Loss::default());
        assert_eq!(mul(0.0, 2.0, r), Loss::default());
        // 0x1.fffffep127 times 1 + 2^-23: half a place more than the largest number and some.
        let max = f64::from(f32::MAX);
        assert_eq!(mul(max, 1.0, r), Loss::default());
        assert_eq!(mul(max, 1.0 + 2f64.powi(-25), r), loss(true, false, false));
        assert_eq!(mul(max, 1.0 + 2f64.powi(-24), r), loss(true, true, false));
        // Rounded toward zero it would be the largest number still.
        let z = Round::TowardZero;
        assert_eq!(mul(max, 1.0 + 2f64.powi(-24), z), loss(true, false, false));
        assert_eq!(mul(max, 2.0, z), loss(true, true, false));
        // Exact and subnormal; inexact and rounded up to the smallest normal number.
        let min = f64::from(f32::MIN_POSITIVE);
        assert_eq!(mul(min, 0.5, r), loss(false, false, true));
        assert_eq!(mul(min, 1.0, r), Loss::default());
        assert_eq!(mul(min, 1.0 - 2f64.powi(-26), r), loss(true, false, true));
        assert_eq!(mul(min, 2f64.powi(-60), r), loss(true, false, true));
        // 1 + 2^-24 is a tie, 1 + 2^-1000 far below the last place.
        assert_eq!(add_loss(1.0, 2f64.powi(-23), f, r), Loss::default());
        assert_eq!(
            add_loss(1.0, 2f64.powi(-24), f, r),
            loss(true, false, false)
        );
        assert_eq!(
            add_loss(1.0, -(2f64.powi(-1000)), f, r),
            loss(true, false, false)
        );
        assert_eq!(add_loss(1.0, -1.0, f, r), Loss::default());
        let big = f64::MAX;
        assert!(scaled_fma_loss(big, big, 1.0, 64, f64::FORMAT, r).overflow);
        assert_eq!(
            scaled_fma_loss(big, 1.0, 0.0, 0, f64::FORMAT, r),
            Loss::default()
        );
    }

    #[test]
    fn edges_of_the_range() {
        use Round::*;
        assert_eq!(add(f32::MAX, f32::MAX, TowardZero), f32::MAX);
        assert_eq!(add(f32::MAX, f32::MAX, MinusInfinity), f32::MAX);
        assert_eq!(add(f32::MAX, f32::MAX, PlusInfinity), f32::INFINITY);
        assert_eq!(mul(-f64::MAX, 2.0, PlusInfinity), -f64::MAX);
        let tiny = f64::from_bits(1);
        assert_eq!(mul(tiny, tiny, PlusInfinity), tiny);
        assert_eq!(mul(tiny, -tiny, PlusInfinity).to_bits(), 1 << 63);
        assert_eq!(mul(tiny, -tiny, MinusInfinity), -tiny);
        assert_eq!(add(1.0f32, -1.0, MinusInfinity).to_bits(), 1 << 31);
        assert_eq!(add(1.0f32, -1.0, PlusInfinity).to_bits(), 0);
        assert_eq!(add(0.0f32, -0.0, TowardZero).to_bits(), 0);
        assert_eq!(add(-0.0f32, -0.0, PlusInfinity).to_bits(), 1 << 31);
        // 1 + 2^-1074 and 2^1023 - 2^-1074.
        assert_eq!(add(1.0, tiny, PlusInfinity), 1.0f64.next_up());
        let big = 2f64.powi(1023);
        assert_eq!(add(big, -tiny, TowardZero), big.next_down());
        assert_eq!(ldexp(3.0f32, -150, PlusInfinity).to_bits(), 2);
        assert_eq!(ldexp(3.0f32, -150, TowardZero).to_bits(), 1);
        assert_eq!(convert::<Half>(65519.0, PlusInfinity).0, 0x7c00);
        assert_eq!(convert::<Half>(65519.0, NearestEven).0, 0x7bff);
        assert_eq!(
            convert::<Brain>(1.0 + 2f64.powi(-30), PlusInfinity).0,
            0x3f81
        );
    }
}
