//! What sums of products raise.
//!
//! No manual says of dot products which exceptions they raise, or that they raise none, but for those of
//! 8-bit floats on RDNA 4 and CDNA 5. They are read as the steps that the executor takes: each product and each
//! sum is an operation that rounds to nearest even and raises what it raises on its own.
//!
//! The matrix product of doubles "does support exceptions" (CDNA3 and CDNA4 ISA 7.3): it is read as its fused
//! multiply-adds, of which each is an operation.

use super::Number;
use super::lane::Context;
use crate::alu::float::Round;
use crate::alu::rounding::{self, Brain, Half};
use crate::trap::Exceptions;
use crate::valu::Ty;
use crate::wave::Mode;

/// A dot product of two pairs and an addend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dot {
    /// The addend comes behind the products.
    pub(crate) last: bool,
    /// Denormal operands and results are zeros.
    pub(crate) flushes: bool,
}

impl Context {
    /// What a dot product raises, of pairs of halves or bfloat16 and an addend.
    pub(super) fn dot(&self, dot: Dot, [a, b, c]: [u64; 3]) -> Exceptions {
        let ty = match self.sources[0] {
            Ty::PkBf16 => Ty::Bf16,
            _ => Ty::F16,
        };
        let half = |x: u64, i: u32| Number::of(x >> (16 * i) & 0xffff, ty, dot.flushes);
        let (a, b) = ([half(a, 0), half(a, 1)], [half(b, 0), half(b, 1)]);
        let c = Number::of(c, self.sources[2], dot.flushes);
        let mut e = [a[0], a[1], b[0], b[1], c]
            .iter()
            .fold(Exceptions::NONE, |e, n| e | n.operand());
        let steps = self.to_nearest(dot.flushes);
        let mut product = |i: usize| {
            let (a, b) = (a[i].value(), b[i].value());
            e |= steps.fused([a, b, 0.0], 0, false, self.result);
            steps.rounded(a * b)
        };
        let (low, high) = (product(0), product(1));
        let c = c.value();
        let (x, y, z) = match dot.last {
            true => (low, high, c),
            false => (c, low, high),
        };
        e |= steps.sum(x, y);
        let sum = steps.rounded_sum(x, y);
        e | steps.sum(sum, z)
    }

    /// The same operation in the default rounding mode.
    fn to_nearest(&self, flushes: bool) -> Self {
        Self {
            mode: Mode(self.mode.0 & !0xf),
            flush_out: flushes,
            ..*self
        }
    }

    /// An exact product in the result's format.
    fn rounded(&self, product: f64) -> f64 {
        // Halves and bfloat16 have few enough bits for a double to hold their product.
        self.rounded_sum(product, 0.0)
    }

    /// A sum in the result's format.
    fn rounded_sum(&self, a: f64, b: f64) -> f64 {
        if !(a.is_finite() && b.is_finite()) {
            return a + b;
        }
        use rounding::Rounded;
        let near = Round::NearestEven;
        match self.result {
            Ty::F16 => rounding::convert_sum::<Half>(a, b, near).wide(),
            Ty::Bf16 => rounding::convert_sum::<Brain>(a, b, near).wide(),
            _ => rounding::convert_sum::<f32>(a, b, near).wide(),
        }
    }
}

/// What `a * b + c` raises in double precision, rounded to nearest even with all denormals kept.
pub(crate) fn fused_double([a, b, c]: [f64; 3]) -> Exceptions {
    let context = Context {
        rule: super::Rule::Fused { zero_wins: false },
        sources: [Ty::F64; 3],
        result: Ty::F64,
        mode: Mode(0xf0),
        flush_in: [false; 3],
        flush_out: false,
    };
    let of = |x: f64| Number::of(x.to_bits(), Ty::F64, false).operand();
    of(a) | of(b) | of(c) | context.fused([a, b, c], 0, false, Ty::F64)
}
