//! The exceptions of one lane.

use super::conversions::{self, Encoding};
use super::rule::Rule;
use super::values::{integer, is_power_of_two, is_square, quotient, to_integer};
use crate::alu::float::{Round, flush_f16, flush_f32};
use crate::alu::rounding::{self, Brain, Format, Half, Loss, Rounded};
use crate::alu::{cube, float64};
use crate::trap::Exceptions;
use crate::valu::Ty;
use crate::wave::Mode;

/// A floating-point operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    /// Its value, flushed where MODE says so; every format's numbers are doubles.
    value: f64,
    signalling: bool,
    subnormal: bool,
}

impl Number {
    /// An operand of a type by its bits.
    pub(crate) fn of(bits: u64, ty: Ty, flush: bool) -> Self {
        let (value, quiet, smallest) = match ty {
            Ty::F16 => (Half(bits as u16).wide(), bits >> 9 & 1 != 0, 2f64.powi(-14)),
            Ty::Bf16 => (
                Brain(bits as u16).wide(),
                bits >> 6 & 1 != 0,
                2f64.powi(-126),
            ),
            Ty::F64 | Ty::B64 => (f64::from_bits(bits), bits >> 51 & 1 != 0, f64::MIN_POSITIVE),
            _ => (
                f32::from_bits(bits as u32).wide(),
                bits >> 22 & 1 != 0,
                2f64.powi(-126),
            ),
        };
        let subnormal = value != 0.0 && value.abs() < smallest;
        Self {
            value: if subnormal && flush {
                0f64.copysign(value)
            } else {
                value
            },
            signalling: value.is_nan() && !quiet,
            subnormal,
        }
    }

    /// Its value, flushed where that was asked for.
    pub(crate) fn value(self) -> f64 {
        self.value
    }

    /// What it raises as an operand of anything.
    pub(crate) fn operand(self) -> Exceptions {
        let mut e = Exceptions::NONE;
        if self.signalling {
            e |= Exceptions::INVALID;
        }
        if self.subnormal {
            e |= Exceptions::INPUT_DENORMAL;
        }
        e
    }
}

/// What holds for all lanes of an operation.
pub(crate) struct Context {
    pub(crate) rule: Rule,
    pub(crate) sources: [Ty; 3],
    pub(crate) result: Ty,
    pub(crate) mode: Mode,
    pub(crate) flush_in: [bool; 3],
    pub(crate) flush_out: bool,
}

/// The format of a type, in an operation that has numbers of that type as its result.
pub(super) fn format(ty: Ty) -> Format {
    match ty {
        Ty::F16 | Ty::PkF16 => Half::FORMAT,
        Ty::Bf16 | Ty::PkBf16 => Brain::FORMAT,
        Ty::F64 => f64::FORMAT,
        _ => f32::FORMAT,
    }
}

impl Context {
    /// What one lane raises: its sources, the kernel's result, its bit of VCC.
    pub(crate) fn lane(&self, sources: [u64; 3], result: u64, vcc: bool) -> Exceptions {
        match self.sources[0] {
            _ if let Rule::Dot(dot) = self.rule => self.dot(dot, sources),
            _ if let Rule::Stochastic { brain } = self.rule => self.stochastic(sources, brain),
            Ty::PkF16 => {
                let half = |i: u32| sources.map(|s| s >> (16 * i) & 0xffff);
                let of = |i| self.value(half(i), Ty::F16, result >> (16 * i) & 0xffff, vcc);
                of(0) | of(1)
            }
            Ty::PkF32 => {
                let half = |i: u32| sources.map(|s| s >> (32 * i) & 0xffff_ffff);
                let of = |i| self.value(half(i), Ty::F32, result >> (32 * i) & 0xffff_ffff, vcc);
                of(0) | of(1)
            }
            // A pair made of two operands.
            ty if self.makes_pair() && self.sources[1] == ty => {
                self.value([sources[0], 0, 0], ty, 0, vcc)
                    | self.value([sources[1], 0, 0], ty, 0, vcc)
            }
            ty => self.value(sources, ty, result, vcc),
        }
    }

    /// Whether two operands are converted each by itself.
    fn makes_pair(&self) -> bool {
        matches!(
            self.rule,
            Rule::Narrow { .. }
                | Rule::ToInteger { .. }
                | Rule::Normalized { .. }
                | Rule::Encode { .. }
        )
    }

    /// One or two singles that the seed behind them rounds.
    fn stochastic(&self, sources: [u64; 3], brain: bool) -> Exceptions {
        let of = |i: usize, added: u32| {
            let x = Number::of(sources[i], Ty::F32, self.flush_in[i]);
            x.operand().or(conversions::stochastic(x, brain, added))
        };
        // The bits of the seed that count are those of the operations (`alu/convert.rs`).
        match (self.sources[1], brain) {
            (Ty::F32, true) => of(0, sources[2] as u32 & 0xffff) | of(1, sources[2] as u32 >> 16),
            (Ty::F32, false) => {
                of(0, sources[2] as u32 >> 3 & 0x1fff) | of(1, sources[2] as u32 >> 19)
            }
            (_, true) => of(0, sources[1] as u32 & 0xffff),
            (_, false) => of(0, sources[1] as u32 & 0x1fff),
        }
    }

    /// The rounding mode of a result's type.
    fn round(&self, ty: Ty) -> Round {
        Round::from_bits(match ty {
            Ty::F32 | Ty::PkF32 => self.mode.round_f32(),
            _ => self.mode.round_f16_f64(),
        })
    }

    fn lost(&self, loss: Loss) -> Exceptions {
        lost(loss, self.flush_out)
    }

    /// One value; `ty` is the first source's type, which packed operands give one by one.
    fn value(&self, sources: [u64; 3], ty: Ty, result: u64, vcc: bool) -> Exceptions {
        let mut n = [0, 1, 2].map(|i| {
            let ty = if i == 0 || matches!(self.sources[i], Ty::PkF16 | Ty::PkF32) {
                ty
            } else {
                self.sources[i]
            };
            Number::of(sources[i], ty, self.flush_in[i])
        });
        if let Rule::Unfused { flushes: true, .. } | Rule::Mixed { fused: false } = self.rule {
            for (i, n) in n.iter_mut().enumerate() {
                *n = Number {
                    value: flush_f32(n.value as f32).into(),
                    ..Number::of(sources[i], ty, false)
                };
            }
        }
        // "Denormals are flushed" (V_RCP_F32 and its kin), whatever MODE says.
        let flushes = matches!(
            self.rule,
            Rule::Reciprocal
                | Rule::ReciprocalRoot
                | Rule::Root
                | Rule::Logarithm
                | Rule::Exponential
        );
        if flushes && ty == Ty::F32 {
            n[0].value = flush_f32(n[0].value as f32).into();
        }
        let operands = |range: std::ops::Range<usize>| {
            range
                .filter(|&i| self.sources[i] != Ty::None)
                .fold(Exceptions::NONE, |e, i| e | n[i].operand())
        };
        let [a, b, c] = n.map(|n| n.value);
        let x = Value {
            bits: result,
            ty: self.unpacked_result(),
        };
        match self.rule {
            Rule::Operands => operands(0..3),
            Rule::Compare { signals } => {
                let nan = signals && (a.is_nan() || b.is_nan());
                operands(0..2).or(invalid(nan))
            }
            Rule::Sum { minus } => {
                let a = if minus[0] { -a } else { a };
                let b = if minus[1] { -b } else { b };
                operands(0..2).or(self.sum(a, b))
            }
            Rule::Product { zero_wins } => operands(0..2).or(self.product(a, b, zero_wins)),
            Rule::Fused { zero_wins } => {
                operands(0..3).or(self.fused([a, b, c], 0, zero_wins, self.result))
            }
            Rule::Unfused { zero_wins, flushes } => {
                operands(0..3).or(self.unfused([a, b, c], zero_wins, flushes))
            }
            Rule::Mixed { fused } => operands(0..3).or(self.mixed([a, b, c], fused)),
            Rule::Scale => {
                let exponent = match self.sources[1] {
                    Ty::B16 => i32::from(sources[1] as i16),
                    _ => sources[1] as u32 as i32,
                };
                n[0].operand()
                    .or(self.fused([a, 1.0, 0.0], exponent, false, self.result))
            }
            Rule::Fraction => {
                let e = n[0].operand().or(invalid(a.is_infinite()));
                match a.is_finite() {
                    true => e.or(self.sum(a, -a.floor())),
                    false => e,
                }
            }
            Rule::Narrow { to, fixed } => {
                let round = fixed.unwrap_or_else(|| self.round(to));
                n[0].operand().or(match a.is_finite() {
                    true => self.lost(rounding::add_loss(a, 0.0, format(to), round)),
                    false => Exceptions::NONE,
                })
            }
            Rule::FromInteger { bits, signed } => {
                let v = integer(sources[0], bits, signed);
                self.lost(rounding::add_loss(
                    v,
                    0.0,
                    format(self.result),
                    self.round(self.result),
                ))
            }
            Rule::ToInteger {
                bits,
                signed,
                rounding,
                inexact,
            } => n[0]
                .operand()
                .or(to_integer(a, bits, signed, rounding, inexact)),
            Rule::IntegerReciprocal => match a == 0.0 {
                true => Exceptions::INTEGER_DIVISION_BY_ZERO,
                false => Exceptions::NONE,
            },
            Rule::Decode { from, first, count } => {
                (first..first + count).fold(Exceptions::NONE, |e, i| {
                    let code = sources[0] as u32 >> (8 * i) & 0xff;
                    e | conversions::decoded(from, code)
                })
            }
            Rule::Encode { to, stochastic } => {
                let moved = stochastic.then(|| to.moved(a as f32, sources[1] as u32));
                let encoding = Encoding {
                    format: to,
                    scale: 0,
                    saturates: self.mode.fp16_ovfl(),
                    infinity_is_nan: false,
                };
                n[0].operand().or(encoding.of(a, moved))
            }
            Rule::Normalized { scale, signed } => {
                n[0].operand().or(conversions::normalized(a, scale, signed))
            }
            Rule::Lighting => {
                let ruled_out = b == f64::from(f32::MIN)
                    || b == f64::NEG_INFINITY
                    || b.is_nan()
                    || c <= 0.0
                    || c.is_nan();
                operands(0..3).or(match ruled_out {
                    true => Exceptions::NONE,
                    false => self.product(a, b, true),
                })
            }
            Rule::CubeAxis => {
                let major = cube::v_cubema_f32(a as f32, b as f32, c as f32) / 2.0;
                // Twice the largest single is an infinity, whose half is none.
                let major = match major.is_infinite() {
                    true => [a, b, c].into_iter().fold(0.0, |m: f64, x| m.max(x.abs())),
                    false => major.into(),
                };
                operands(0..3).or(self.product(major, 2.0, false))
            }
            Rule::TrigSegment => {
                let (bits, scale) = float64::trig_segment(a, sources[1] as u32);
                let loss = rounding::scaled_fma_loss(
                    bits as f64,
                    1.0,
                    0.0,
                    scale,
                    format(Ty::F64),
                    Round::TowardZero,
                );
                n[0].operand().or(self.lost(loss))
            }
            // Their operands are no numbers of one type.
            Rule::Dot(_) | Rule::Stochastic { .. } => Exceptions::NONE,
            Rule::Reciprocal => n[0].operand().or(self.function(
                a,
                x,
                a == 0.0,
                false,
                is_power_of_two(a) && x.is_no_zero(),
            )),
            Rule::ReciprocalRoot => n[0].operand().or(self.function(
                a,
                x,
                a == 0.0,
                a < 0.0,
                is_power_of_two(a) && is_square(a) && x.is_no_zero(),
            )),
            Rule::Root => {
                n[0].operand()
                    .or(self.function(a, x, false, a < 0.0, a == 0.0 || is_square(a)))
            }
            Rule::Logarithm => {
                n[0].operand()
                    .or(self.function(a, x, a == 0.0, a < 0.0, is_power_of_two(a)))
            }
            Rule::Exponential => n[0].operand().or(self.function(
                a,
                x,
                false,
                false,
                a == a.trunc() && x.is_no_zero(),
            )),
            Rule::Circular => n[0].operand().or(self.function(
                a,
                x,
                false,
                a.is_infinite(),
                4.0 * a == (4.0 * a).trunc(),
            )),
            Rule::Tangent => {
                n[0].operand()
                    .or(self.function(a, x, false, false, a == 0.0 || a.is_infinite()))
            }
            Rule::DivideFixup => operands(1..3).or(quotient(b, c)),
            Rule::DivideFused => {
                let (by, scaled) = match self.sources[0] {
                    Ty::B64 => (128, vcc),
                    _ => (64, vcc),
                };
                let scale = match (scaled, c.abs() >= 1.0) {
                    (false, _) => 0,
                    (true, true) => by,
                    (true, false) => -by,
                };
                operands(0..3).or(self.fused([a, b, c], scale, false, self.result))
            }
        }
    }

    fn unpacked_result(&self) -> Ty {
        match self.result {
            Ty::PkF16 => Ty::F16,
            Ty::PkF32 => Ty::F32,
            ty => ty,
        }
    }

    pub(super) fn sum(&self, a: f64, b: f64) -> Exceptions {
        if a.is_nan() || b.is_nan() {
            return Exceptions::NONE;
        }
        if a.is_infinite() || b.is_infinite() {
            return invalid((a + b).is_nan());
        }
        self.lost(rounding::add_loss(
            a,
            b,
            format(self.result),
            self.round(self.result),
        ))
    }

    fn product(&self, a: f64, b: f64, zero_wins: bool) -> Exceptions {
        if zero_wins && (a == 0.0 || b == 0.0) {
            return Exceptions::NONE;
        }
        self.fused([a, b, 0.0], 0, false, self.result)
    }

    pub(super) fn fused(
        &self,
        [a, b, c]: [f64; 3],
        scale: i32,
        zero_wins: bool,
        to: Ty,
    ) -> Exceptions {
        if zero_wins && (a == 0.0 || b == 0.0) {
            return Exceptions::NONE;
        }
        // "0 * inf", whatever is added to it.
        if a.is_infinite() && b == 0.0 || a == 0.0 && b.is_infinite() {
            return Exceptions::INVALID;
        }
        if a.is_nan() || b.is_nan() || c.is_nan() {
            return Exceptions::NONE;
        }
        if a.is_infinite() || b.is_infinite() || c.is_infinite() {
            let product = a.is_infinite() || b.is_infinite();
            let negative = a.is_sign_negative() != b.is_sign_negative();
            return invalid(product && c.is_infinite() && negative != c.is_sign_negative());
        }
        self.lost(rounding::scaled_fma_loss(
            a,
            b,
            c,
            scale,
            format(to),
            self.round(to),
        ))
    }

    fn unfused(&self, [a, b, c]: [f64; 3], zero_wins: bool, flushes: bool) -> Exceptions {
        let e = self.product(a, b, zero_wins);
        let finite = a.is_finite() && b.is_finite();
        let product = if zero_wins && (a == 0.0 || b == 0.0) {
            0.0
        } else if !finite {
            a * b
        } else if self.result == Ty::F16 {
            let product = rounding::convert_product::<Half>(a, b, self.round(Ty::F16));
            match self.flush_out {
                true => Half(flush_f16(product.0)).wide(),
                false => product.wide(),
            }
        } else {
            let product = rounding::convert_product::<f32>(a, b, self.round(Ty::F32));
            match flushes {
                true => flush_f32(product).into(),
                false => product.into(),
            }
        };
        e.or(self.sum(product, c))
    }

    /// A sum in single precision that is rounded to a half once more.
    fn mixed(&self, [a, b, c]: [f64; 3], fused: bool) -> Exceptions {
        let single = Context {
            result: Ty::F32,
            rule: self.rule,
            flush_out: false,
            ..*self
        };
        let (e, sum) = match fused {
            true => (
                single.fused([a, b, c], 0, false, Ty::F32),
                rounding::fma(a as f32, b as f32, c as f32, self.round(Ty::F32)),
            ),
            false => {
                let product = rounding::convert_product::<f32>(a, b, self.round(Ty::F32));
                (
                    single.unfused([a, b, c], false, true),
                    rounding::add(flush_f32(product), c as f32, self.round(Ty::F32)),
                )
            }
        };
        if !(a.is_finite() && b.is_finite() && c.is_finite() && sum.is_finite()) {
            return e;
        }
        // What single precision loses is no underflow or overflow of the half.
        e.without(Exceptions::UNDERFLOW)
            .or(self.lost(rounding::add_loss(
                sum.into(),
                0.0,
                format(self.result),
                self.round(self.result),
            )))
    }

    /// A function of one operand: where it has a pole, where it is not defined, where its result is
    /// exact.
    fn function(&self, a: f64, x: Value, pole: bool, undefined: bool, exact: bool) -> Exceptions {
        if a.is_nan() {
            return Exceptions::NONE;
        }
        if undefined {
            return Exceptions::INVALID;
        }
        if pole {
            return Exceptions::DIVISION_BY_ZERO;
        }
        if a.is_infinite() {
            return Exceptions::NONE;
        }
        let mut e = if exact {
            Exceptions::NONE
        } else {
            Exceptions::INEXACT
        };
        let v = Number::of(x.bits, x.ty, false);
        if v.value.is_infinite() {
            e |= Exceptions::OVERFLOW | Exceptions::INEXACT;
        } else if v.subnormal || v.value == 0.0 && !exact {
            e |= Exceptions::UNDERFLOW;
            if self.flush_out {
                e |= Exceptions::INEXACT;
            }
        }
        e
    }
}

/// What a loss raises, with denormal results flushed or not.
pub(super) fn lost(loss: Loss, flush_out: bool) -> Exceptions {
    let mut e = Exceptions::NONE;
    if loss.overflow {
        e |= Exceptions::OVERFLOW;
    }
    if loss.underflow {
        e |= Exceptions::UNDERFLOW;
    }
    if loss.inexact || loss.underflow && flush_out {
        e |= Exceptions::INEXACT;
    }
    e
}

/// A result by its bits.
#[derive(Clone, Copy)]
struct Value {
    bits: u64,
    ty: Ty,
}

impl Value {
    /// Whether it is anything but zero, as an exact reciprocal or exponential is.
    fn is_no_zero(self) -> bool {
        Number::of(self.bits, self.ty, false).value != 0.0
    }
}

pub(super) fn invalid(when: bool) -> Exceptions {
    if when {
        Exceptions::INVALID
    } else {
        Exceptions::NONE
    }
}
