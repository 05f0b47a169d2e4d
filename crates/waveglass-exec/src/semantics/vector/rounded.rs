//! What the arithmetic operations do under the rounding modes of MODE other than to nearest even.
//!
//! The framework takes these kernels in place of the usual ones where MODE asks for it: f32 results
//! answer to MODE bits 1:0, f64, f16 and bfloat16 results to bits 3:2. An operation that is not
//! listed here has results that are exact, rounds as its description says whatever MODE is
//! (conversions to integers, `v_cvt_pk_rtz_f16_f32`, conversions of 8-bit floats, packed bfloat16), or is one of
//! the transcendentals, whose last bit the manuals do not define.

use crate::alu::convert::*;
use crate::alu::division::{v_div_fmas_f32, v_div_fmas_f64};
use crate::alu::float::{Round, flush_f16, flush_f32, nan2_f32, nan3_f32, narrow_f16, widen_f16};
use crate::alu::float16;
use crate::alu::float32::*;
use crate::alu::float64::*;
use crate::alu::mix;
use crate::alu::rounding::{self, Brain, Half, Rounded};
use crate::semantics::table::{lanes, masked_lanes};
use crate::valu::LaneOp;
use crate::valu::kernel::{self, Bf16, F16, Kernel, Mix, MixBf16, Pair, PkF16};
use std::collections::HashMap;
use std::sync::OnceLock;

/// The kernels of one operation: up, down, toward zero.
pub(crate) type Directed = [Kernel; 3];

type Table = HashMap<&'static str, Directed>;

/// The kernels of the operation whose entry has this name.
pub(crate) fn directed(name: &str) -> Option<Directed> {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE
        .get_or_init(|| {
            let mut t = Table::new();
            singles(&mut t);
            doubles(&mut t);
            halves(&mut t);
            mixes(&mut t);
            t
        })
        .get(name)
        .copied()
}

/// `"name" (a: T, b: T) -> R => expression;` with the rounding mode as `r`, and with `(bit; …)` for
/// an operation that takes a mask.
macro_rules! rounded {
    ($t:expr; $($($name:literal)|+ |$r:ident| ($($params:tt)*) -> $tr:ty => $body:expr;)*) => {$({
        struct Kernel<const R: u32>;
        impl<const R: u32> LaneOp for Kernel<R> {
            fn run<const L: usize>(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, setting: u64) -> u64 {
                let $r = Round::from_bits(R);
                rounded!(@ regs, d, s, n, setting, ($($params)*) -> $tr => $body)
            }
        }
        let kernels = [
            kernel::portable::<Kernel<1>>(),
            kernel::portable::<Kernel<2>>(),
            kernel::portable::<Kernel<3>>(),
        ];
        $($t.insert($name, kernels);)+
    })*};
    (@ $regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, (mask $bit:ident; $($p:tt)*) -> $tr:ty => $body:expr) => {
        masked_lanes!($regs, $d, $s, $n, $m, $bit ($($p)*) -> $tr => $body)
    };
    (@ $regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, $params:tt -> $tr:ty => $body:expr) => {{
        lanes!($regs, $d, $s, $n, $m, $params -> $tr => $body);
        0
    }};
}

/// A float that a kernel's lane holds.
trait Number: Copy {
    type As: Rounded;
    fn number(self) -> Self::As;
    fn of(x: Self::As) -> Self;
    fn is_finite(self) -> bool {
        self.number().wide().is_finite()
    }
}

macro_rules! numbers {
    ($($t:ty, $as:ty, $to:expr, $from:expr;)*) => {$(
        impl Number for $t {
            type As = $as;
            fn number(self) -> $as { $to(self) }
            fn of(x: $as) -> Self { $from(x) }
        }
    )*};
}

numbers! {
    f32, f32, |x| x, |x| x;
    f64, f64, |x| x, |x| x;
    F16, Half, |x: F16| Half(x.0), |x: Half| F16(x.0);
    Bf16, Brain, |x: Bf16| Brain(x.0), |x: Brain| Bf16(x.0);
}

fn add<T: Number>(a: T, b: T, r: Round, nearest: impl Fn(T, T) -> T) -> T {
    if a.is_finite() && b.is_finite() {
        T::of(rounding::add(a.number(), b.number(), r))
    } else {
        nearest(a, b)
    }
}

fn mul<T: Number>(a: T, b: T, r: Round, nearest: impl Fn(T, T) -> T) -> T {
    if a.is_finite() && b.is_finite() {
        T::of(rounding::mul(a.number(), b.number(), r))
    } else {
        nearest(a, b)
    }
}

fn fma<T: Number>(a: T, b: T, c: T, r: Round, nearest: impl Fn(T, T, T) -> T) -> T {
    if a.is_finite() && b.is_finite() && c.is_finite() {
        T::of(rounding::fma(a.number(), b.number(), c.number(), r))
    } else {
        nearest(a, b, c)
    }
}

fn ldexp<T: Number>(a: T, exponent: i32, r: Round, nearest: impl Fn(T) -> T) -> T {
    if a.is_finite() {
        T::of(rounding::ldexp(a.number(), exponent, r))
    } else {
        nearest(a)
    }
}

/// A finite double in a narrower format, or `other`.
fn narrow<T: Number>(x: f64, r: Round, other: T) -> T {
    if x.is_finite() {
        T::of(rounding::convert(x, r))
    } else {
        other
    }
}

/// `a` less its floor, no more than the largest number below one.
fn fract<T: Number>(a: T, floor: T, below_one: T, r: Round, nearest: impl Fn(T) -> T) -> T {
    if !a.is_finite() {
        return nearest(a);
    }
    let floor = T::of(rounding::convert(-floor.number().wide(), r));
    let fraction = T::of(rounding::add(a.number(), floor.number(), r));
    if fraction.number().wide() > below_one.number().wide() {
        below_one
    } else {
        fraction
    }
}

/// The product is rounded before the sum, and denormals are flushed all along.
fn mad_f32(a: f32, b: f32, c: f32, r: Round, product: impl Fn(f32, f32) -> f32) -> f32 {
    let (a, b, c) = (flush_f32(a), flush_f32(b), flush_f32(c));
    let p = flush_f32(mul(a, b, r, &product));
    flush_f32(add(p, c, r, |x, y| nan3_f32(x + y, a, b, c)))
}

fn dx9_product(a: f32, b: f32, r: Round) -> f32 {
    if a == 0.0 || b == 0.0 {
        0.0
    } else {
        mul(a, b, r, v_mul_dx9_zero_f32)
    }
}

fn dx9_fma(a: f32, b: f32, c: f32, r: Round) -> f32 {
    if a == 0.0 || b == 0.0 {
        c
    } else {
        fma(a, b, c, r, v_fma_f32)
    }
}

/// `(a * b + c)` times the scale of `v_div_fmas`, which `nearest` applies where anything is not
/// finite.
fn div_fmas<T: Number>(
    [a, b, c]: [T; 3],
    scale: i32,
    r: Round,
    nearest: impl Fn(T, T, T) -> T,
) -> T {
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return nearest(a, b, c);
    }
    T::of(rounding::scaled_fma(
        a.number(),
        b.number(),
        c.number(),
        scale,
        r,
    ))
}

/// The exponent that VCC adds: up where the addend's is positive, else down.
fn post_scale(by: i32, addend: f64, scale: bool) -> i32 {
    match scale {
        false => 0,
        true if addend.abs() >= 1.0 => by,
        true => -by,
    }
}

fn singles(t: &mut Table) {
    rounded! { t;
        "v_add_f32" |r| (a: f32, b: f32) -> f32 => add(a, b, r, v_add_f32);
        "v_sub_f32" |r| (a: f32, b: f32) -> f32 => sub(a, b, r, v_sub_f32);
        "v_subrev_f32" |r| (a: f32, b: f32) -> f32 => sub(b, a, r, |x, y| v_subrev_f32(y, x));
        "v_mul_f32" |r| (a: f32, b: f32) -> f32 => mul(a, b, r, v_mul_f32);
        "v_mul_legacy_f32" |r| (a: f32, b: f32) -> f32 => dx9_product(a, b, r);
        "v_mad_f32" | "v_mac_f32" |r| (a: f32, b: f32, c: f32) -> f32 =>
            mad_f32(a, b, c, r, v_mul_f32);
        "v_mad_legacy_f32" | "v_mac_legacy_f32" |r| (a: f32, b: f32, c: f32) -> f32 => {
            let (a, b, c) = (flush_f32(a), flush_f32(b), flush_f32(c));
            let p = flush_f32(dx9_product(a, b, r));
            flush_f32(add(p, c, r, |x, y| nan2_f32(x + y, x, y)))
        };
        "v_fma_f32" | "v_fmac_f32" |r| (a: f32, b: f32, c: f32) -> f32 => fma(a, b, c, r, v_fma_f32);
        "v_fma_legacy_f32" | "v_fmac_legacy_f32" |r| (a: f32, b: f32, c: f32) -> f32 =>
            dx9_fma(a, b, c, r);
        "v_mullit_f32" |r| (a: f32, b: f32, c: f32) -> f32 => {
            // The special cases are the nearest form's, and what is left of it a product.
            let nearest = v_mullit_f32(a, b, c);
            if nearest == f32::MIN { nearest } else { dx9_product(a, b, r) }
        };
        "v_ldexp_f32" |r| (a: f32, b: u32) -> f32 => ldexp(a, b as i32, r, |x| v_ldexp_f32(x, b));
        "v_fract_f32" |r| (a: f32) -> f32 =>
            fract(a, a.floor(), 1f32.next_down(), r, v_fract_f32);
        "v_cvt_f32_i32" |r| (a: u32) -> f32 => v_cvt_f32_i32_round(a, r);
        "v_cvt_f32_u32" |r| (a: u32) -> f32 => v_cvt_f32_u32_round(a, r);
        "v_cvt_f32_f64" |r| (a: f64) -> f32 => narrow(a, r, v_cvt_f32_f64(a));
        "v_div_fmas_f32" |r| (mask bit; a: u32, b: u32, c: u32) -> f32 => {
            let [a, b, c] = [a, b, c].map(f32::from_bits);
            (
                div_fmas([a, b, c], post_scale(64, c.into(), bit), r, |x, y, z| {
                    v_div_fmas_f32(x, y, z, bit)
                }),
                false,
            )
        };
        "v_pk_add_f32" |r| (a: Pair<f32>, b: Pair<f32>) -> Pair<f32> =>
            Pair(add(a.0, b.0, r, v_add_f32), add(a.1, b.1, r, v_add_f32));
        "v_pk_mul_f32" |r| (a: Pair<f32>, b: Pair<f32>) -> Pair<f32> =>
            Pair(mul(a.0, b.0, r, v_mul_f32), mul(a.1, b.1, r, v_mul_f32));
        "v_pk_fma_f32" |r| (a: Pair<f32>, b: Pair<f32>, c: Pair<f32>) -> Pair<f32> =>
            Pair(fma(a.0, b.0, c.0, r, v_fma_f32), fma(a.1, b.1, c.1, r, v_fma_f32));
    }
}

fn sub(a: f32, b: f32, r: Round, nearest: impl Fn(f32, f32) -> f32) -> f32 {
    if a.is_finite() && b.is_finite() {
        rounding::add(a, -b, r)
    } else {
        nearest(a, b)
    }
}

fn doubles(t: &mut Table) {
    rounded! { t;
        "v_add_f64" |r| (a: f64, b: f64) -> f64 => add(a, b, r, v_add_f64);
        "v_mul_f64" |r| (a: f64, b: f64) -> f64 => mul(a, b, r, v_mul_f64);
        "v_fma_f64" | "v_fmac_f64" |r| (a: f64, b: f64, c: f64) -> f64 => fma(a, b, c, r, v_fma_f64);
        "v_ldexp_f64" |r| (a: f64, b: u32) -> f64 => ldexp(a, b as i32, r, |x| v_ldexp_f64(x, b));
        "v_fract_f64" |r| (a: f64) -> f64 =>
            fract(a, a.floor(), 1f64.next_down(), r, v_fract_f64);
        "v_div_fmas_f64" |r| (mask bit; a: u64, b: u64, c: u64) -> f64 => {
            let [a, b, c] = [a, b, c].map(f64::from_bits);
            (
                div_fmas([a, b, c], post_scale(128, c, bit), r, |x, y, z| {
                    v_div_fmas_f64(x, y, z, bit)
                }),
                false,
            )
        };
    }
}

fn f16_add(a: F16, b: F16, r: Round) -> F16 {
    add(a, b, r, |a, b| F16(float16::v_add_f16(a.0, b.0)))
}

fn f16_mul(a: F16, b: F16, r: Round) -> F16 {
    mul(a, b, r, |a, b| F16(float16::v_mul_f16(a.0, b.0)))
}

fn f16_fma(a: F16, b: F16, c: F16, r: Round) -> F16 {
    fma(a, b, c, r, |a, b, c| F16(float16::v_fma_f16(a.0, b.0, c.0)))
}

/// The product is rounded before the sum; where MODE flushes results, the product is flushed too.
fn f16_mad(a: F16, b: F16, c: F16, keep_denormals: bool, r: Round) -> F16 {
    let product = f16_mul(a, b, r);
    let product = match keep_denormals {
        true => product,
        false => F16(flush_f16(product.0)),
    };
    add(product, c, r, |x, y| {
        let [a, b, c] = [a, b, c].map(|x| widen_f16(x.0));
        F16(narrow_f16(nan3_f32(
            widen_f16(x.0) + widen_f16(y.0),
            a,
            b,
            c,
        )))
    })
}

/// One half of a packed operand.
fn half(x: u32, i: u32) -> F16 {
    F16((x >> (16 * i)) as u16)
}

fn pack(lo: F16, hi: F16) -> PkF16 {
    PkF16(lo.0 as u32 | (hi.0 as u32) << 16)
}

fn halves(t: &mut Table) {
    rounded! { t;
        "v_add_f16" |r| (a: F16, b: F16) -> F16 => f16_add(a, b, r);
        "v_sub_f16" |r| (a: F16, b: F16) -> F16 => f16_sub(a, b, r);
        "v_subrev_f16" |r| (a: F16, b: F16) -> F16 => f16_sub(b, a, r);
        "v_mul_f16" |r| (a: F16, b: F16) -> F16 => f16_mul(a, b, r);
        "v_fma_f16" | "v_fma_legacy_f16" | "v_fmac_f16" | "v_fmamk_f16"
            |r| (a: F16, b: F16, c: F16) -> F16 => f16_fma(a, b, c, r);
        "v_mad_f16" | "v_mad_legacy_f16" | "v_mac_f16" |r| (m; a: F16, b: F16, c: F16) -> F16 =>
            f16_mad(a, b, c, m.mode().denorm_f16_f64_out(), r);
        "v_ldexp_f16" |r| (a: F16, b: u16) -> F16 =>
            ldexp(a, b as i16 as i32, r, |x| F16(float16::v_ldexp_f16(x.0, b)));
        "v_fract_f16" |r| (a: F16) -> F16 => fract(
            a,
            F16(float16::v_floor_f16(a.0)),
            F16(0x3bff),
            r,
            |x| F16(float16::v_fract_f16(x.0)),
        );
        "v_cvt_f16_f32" |r| (a: f32) -> F16 => narrow(a.into(), r, F16(v_cvt_f16_f32(a)));
        "v_cvt_f16_u16" |r| (a: u16) -> F16 => narrow(a.into(), r, F16(0));
        "v_cvt_f16_i16" |r| (a: u16) -> F16 => narrow((a as i16).into(), r, F16(0));
        "v_pk_add_f16" |r| (a: PkF16, b: PkF16) -> PkF16 => pack(
            f16_add(half(a.0, 0), half(b.0, 0), r),
            f16_add(half(a.0, 1), half(b.0, 1), r),
        );
        "v_pk_mul_f16" |r| (a: PkF16, b: PkF16) -> PkF16 => pack(
            f16_mul(half(a.0, 0), half(b.0, 0), r),
            f16_mul(half(a.0, 1), half(b.0, 1), r),
        );
        "v_pk_fma_f16" | "v_pk_fmac_f16" |r| (a: PkF16, b: PkF16, c: PkF16) -> PkF16 => pack(
            f16_fma(half(a.0, 0), half(b.0, 0), half(c.0, 0), r),
            f16_fma(half(a.0, 1), half(b.0, 1), half(c.0, 1), r),
        );
    }
}

fn f16_sub(a: F16, b: F16, r: Round) -> F16 {
    if a.is_finite() && b.is_finite() {
        f16_add(a, F16(b.0 ^ 0x8000), r)
    } else {
        F16(float16::v_sub_f16(a.0, b.0))
    }
}

fn mixes(t: &mut Table) {
    rounded! { t;
        "v_fma_mix_f32" |r| (a: Mix, b: Mix, c: Mix) -> f32 => fma(a.0, b.0, c.0, r, v_fma_f32);
        "v_fma_mix_f32_bf16" |r| (a: MixBf16, b: MixBf16, c: MixBf16) -> f32 =>
            fma(a.0, b.0, c.0, r, v_fma_f32);
        "v_mad_mix_f32" |r| (a: Mix, b: Mix, c: Mix) -> f32 => mad_f32(a.0, b.0, c.0, r, v_mul_f32);
        // Rounding twice in one direction is rounding once.
        "v_fma_mixlo_f16" | "v_fma_mixhi_f16" |r| (a: Mix, b: Mix, c: Mix) -> F16 => {
            let x = fma(a.0, b.0, c.0, r, v_fma_f32);
            narrow(x.into(), r, F16(mix::v_fma_mixlo_f16(a.0, b.0, c.0)))
        };
        "v_mad_mixlo_f16" | "v_mad_mixhi_f16" |r| (a: Mix, b: Mix, c: Mix) -> F16 => {
            let x = mad_f32(a.0, b.0, c.0, r, v_mul_f32);
            narrow(x.into(), r, F16(mix::v_mad_mixlo_f16(a.0, b.0, c.0)))
        };
        "v_fma_mixlo_bf16" | "v_fma_mixhi_bf16" |r| (a: MixBf16, b: MixBf16, c: MixBf16) -> Bf16 => {
            let x = fma(a.0, b.0, c.0, r, v_fma_f32);
            narrow(x.into(), r, Bf16(mix::v_fma_mixlo_bf16(a.0, b.0, c.0)))
        };
    }
}
