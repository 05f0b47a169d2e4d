//! Loops over lanes that apply an operation: plainly, with an exact way for rows in which a result is a NaN,
//! with a bit a lane.

use super::lane::{block, convert, set_block};
use super::{BLOCK, Lane, Ty};
use crate::valu::simd;

/// Lanes of a block, as a number that the compiler does not know, for loops over what is no plain row:
/// unrolled, it would take them apart again.
#[inline(always)]
fn rolled(n: usize) -> usize {
    n.min(BLOCK)
}

/// [`rolled`] where operands are doubles, else all of a block.
#[inline(always)]
fn rolled_doubles<A: Lane, C: Lane, R: Lane>(n: usize) -> usize {
    let doubles = |ty: Ty| ty == Ty::F64;
    if doubles(A::TY) || doubles(C::TY) || doubles(R::TY) {
        rolled(n)
    } else {
        BLOCK
    }
}

/// Applies `f` to every lane.
#[inline(always)]
pub fn map<const L: usize, A: Lane, B: Lane, C: Lane, R: Lane>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    f: impl Fn(A, B, C) -> R,
) {
    let mut i = 0;
    while i < n {
        let a = A::load::<L>(regs, s[0] + i, n);
        let b = B::load::<L>(regs, s[1] + i, n);
        let c = C::load::<L>(regs, s[2] + i, n);
        let mut r = [R::default(); BLOCK];
        for k in 0..rolled_doubles::<A, C, R>(n) {
            r[k] = f(a[k], b[k], c[k]);
        }
        R::store::<L>(regs, d + i, n, r);
        i += BLOCK;
    }
}

/// Applies `fast` to every lane, and `exact` to a row's lanes where any result is a NaN. `fast` must
/// agree with `exact` wherever it does not give NaN: which NaN comes out costs more to say than the
/// arithmetic does, and hardly any row asks.
#[inline(always)]
pub fn map_unless_nan<const L: usize, A: Lane, B: Lane, C: Lane, R: Lane + PartialEq>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    fast: impl Fn(A, B, C) -> R,
    exact: impl Fn(A, B, C) -> R,
) {
    let mut i = 0;
    while i < n {
        let a = A::load::<L>(regs, s[0] + i, n);
        let b = B::load::<L>(regs, s[1] + i, n);
        let c = C::load::<L>(regs, s[2] + i, n);
        let mut r = [R::default(); BLOCK];
        let mut nan = false;
        for k in 0..rolled_doubles::<A, C, R>(n) {
            r[k] = fast(a[k], b[k], c[k]);
            // Only a NaN differs from itself.
            #[allow(clippy::eq_op)]
            {
                nan |= r[k] != r[k];
            }
        }
        if nan {
            for k in 0..BLOCK {
                r[k] = exact(a[k], b[k], c[k]);
            }
        }
        R::store::<L>(regs, d + i, n, r);
        i += BLOCK;
    }
}

/// Applies `fast` to halves as singles, rounded to halves, and `exact` to a row's lanes as they are
/// where any result is a NaN. `S` is the number of sources; the halves in bits 31:16 take part
/// where `PACKED` holds, else they are zero in the result.
#[inline(always)]
pub fn map_halves<const L: usize, const S: usize, const PACKED: bool>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    fast: impl Fn(f32, f32, f32) -> f32,
    exact: impl Fn(u32, u32, u32) -> u32,
) {
    let mut i = 0;
    while i < n {
        let mut rows = [[0; BLOCK]; 3];
        for (k, row) in rows.iter_mut().enumerate().take(S) {
            *row = block(regs, s[k] + i);
        }
        let (low, nan_low) = halves::<L, S>(rows, n, &fast);
        let mut r = low;
        let mut nan = nan_low;
        if PACKED {
            let mut upper = [[0; BLOCK]; 3];
            for k in 0..S {
                upper[k] = convert(rows[k], |x| x >> 16);
            }
            let (high, nan_high) = halves::<L, S>(upper, n, &fast);
            for k in 0..BLOCK {
                r[k] |= high[k] << 16;
            }
            nan |= nan_high;
        }
        if nan {
            for k in 0..BLOCK {
                r[k] = exact(rows[0][k], rows[1][k], rows[2][k]);
            }
        }
        set_block(regs, d + i, r);
        i += BLOCK;
    }
}

/// Two singles as halves rounded toward zero, the first in bits 15:0; `exact` for a row's lanes where
/// any is a NaN.
#[inline(always)]
pub fn map_pack_toward_zero<const L: usize>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    exact: impl Fn(f32, f32) -> u32,
) {
    let mut i = 0;
    while i < n {
        let a = f32::load::<L>(regs, s[0] + i, n);
        let b = f32::load::<L>(regs, s[1] + i, n);
        let low = simd::narrow_toward_zero::<L>(a);
        let high = simd::narrow_toward_zero::<L>(b);
        let (mut r, mut nan) = ([0; BLOCK], false);
        for k in 0..BLOCK {
            r[k] = low[k] | high[k] << 16;
            nan |= a[k].is_nan() | b[k].is_nan();
        }
        if nan {
            for k in 0..BLOCK {
                r[k] = exact(a[k], b[k]);
            }
        }
        set_block(regs, d + i, r);
        i += BLOCK;
    }
}

/// Applies `fast` to the halves of two sources, low before high, and to a single, and `exact` to a
/// row's lanes where any result is a NaN or `fast` may not be used.
#[inline(always)]
pub fn map_dot_halves<const L: usize>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    may: bool,
    fast: impl Fn([f32; 2], [f32; 2], f32) -> f32,
    exact: impl Fn(u32, u32, f32) -> f32,
) {
    let mut i = 0;
    while i < n {
        let (a, b) = (block(regs, s[0] + i), block(regs, s[1] + i));
        let c = f32::load::<L>(regs, s[2] + i, n);
        let mut r = [0.0; BLOCK];
        let mut nan = !may;
        if may {
            let (a0, b0) = (simd::widen::<L>(a), simd::widen::<L>(b));
            let a1 = simd::widen::<L>(convert(a, |x| x >> 16));
            let b1 = simd::widen::<L>(convert(b, |x| x >> 16));
            for k in 0..rolled(n) {
                r[k] = fast([a0[k], a1[k]], [b0[k], b1[k]], c[k]);
                nan |= r[k].is_nan();
            }
        }
        if nan {
            for k in 0..BLOCK {
                r[k] = exact(a[k], b[k], c[k]);
            }
        }
        f32::store::<L>(regs, d + i, n, r);
        i += BLOCK;
    }
}

/// The low halves of a row's lanes; whether any result is a NaN.
#[inline(always)]
fn halves<const L: usize, const S: usize>(
    rows: [[u32; BLOCK]; 3],
    n: usize,
    f: impl Fn(f32, f32, f32) -> f32,
) -> ([u32; BLOCK], bool) {
    let mut v = [[0.0; BLOCK]; 3];
    for k in 0..S {
        v[k] = simd::widen::<L>(rows[k]);
    }
    let mut r = [0.0; BLOCK];
    let mut nan = false;
    for k in 0..rolled(n) {
        r[k] = f(v[0][k], v[1][k], v[2][k]);
        nan |= r[k].is_nan();
    }
    (simd::narrow::<L>(r), nan)
}

/// Applies `f` to the low and to the high registers of pairs, and to a row's lanes `exact` instead
/// where any result is a NaN. Both halves are read before either is written.
#[inline(always)]
pub fn map_pairs<const L: usize, T: Lane + PartialEq>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    fast: impl Fn(T, T, T) -> T,
    exact: impl Fn(T, T, T) -> T,
) {
    let mut i = 0;
    while i < n {
        let low = [
            T::load::<L>(regs, s[0] + i, n),
            T::load::<L>(regs, s[1] + i, n),
            T::load::<L>(regs, s[2] + i, n),
        ];
        let high = [
            T::load::<L>(regs, s[0] + n + i, n),
            T::load::<L>(regs, s[1] + n + i, n),
            T::load::<L>(regs, s[2] + n + i, n),
        ];
        let r = row_unless_nan(&low, &fast, &exact);
        T::store::<L>(regs, d + i, n, r);
        let r = row_unless_nan(&high, &fast, &exact);
        T::store::<L>(regs, d + n + i, n, r);
        i += BLOCK;
    }
}

/// `fast` for a row's lanes, or `exact` where any result is a NaN.
#[inline(always)]
fn row_unless_nan<T: Lane + PartialEq>(
    [a, b, c]: &[[T; BLOCK]; 3],
    fast: &impl Fn(T, T, T) -> T,
    exact: &impl Fn(T, T, T) -> T,
) -> [T; BLOCK] {
    let mut r = [T::default(); BLOCK];
    let mut nan = false;
    for k in 0..BLOCK {
        r[k] = fast(a[k], b[k], c[k]);
        // Only a NaN differs from itself.
        #[allow(clippy::eq_op)]
        {
            nan |= r[k] != r[k];
        }
    }
    if nan {
        for k in 0..BLOCK {
            r[k] = exact(a[k], b[k], c[k]);
        }
    }
    r
}

/// Applies `f` to every lane; it also takes the lane's number.
#[inline(always)]
pub fn map_numbered<const L: usize, A: Lane, B: Lane, R: Lane>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    f: impl Fn(A, B, u32) -> R,
) {
    let mut i = 0;
    while i < n {
        let a = A::load::<L>(regs, s[0] + i, n);
        let b = B::load::<L>(regs, s[1] + i, n);
        let mut r = [R::default(); BLOCK];
        for k in 0..BLOCK {
            r[k] = f(a[k], b[k], (i + k) as u32);
        }
        R::store::<L>(regs, d + i, n, r);
        i += BLOCK;
    }
}

/// Applies a condition to every lane and gathers the answers into a mask.
#[inline(always)]
pub fn compare<const L: usize, A: Lane, B: Lane>(
    regs: &[u32],
    s: [usize; 3],
    n: usize,
    f: impl Fn(A, B) -> bool,
) -> u64 {
    let (mut i, mut mask) = (0, 0u64);
    while i < n {
        let a = A::load::<L>(regs, s[0] + i, n);
        let b = B::load::<L>(regs, s[1] + i, n);
        let mut holds = [false; BLOCK];
        for k in 0..BLOCK {
            holds[k] = f(a[k], b[k]);
        }
        mask |= (simd::mask_of::<L>(holds) as u64) << i;
        i += BLOCK;
    }
    mask
}

/// Applies `f`, which takes and gives a bit a lane besides its operands (carries, selects).
#[inline(always)]
pub fn map_mask<const L: usize, A: Lane, B: Lane, C: Lane, R: Lane>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    mask: u64,
    f: impl Fn(A, B, C, bool) -> (R, bool),
) -> u64 {
    let (mut i, mut out) = (0, 0u64);
    while i < n {
        let a = A::load::<L>(regs, s[0] + i, n);
        let b = B::load::<L>(regs, s[1] + i, n);
        let c = C::load::<L>(regs, s[2] + i, n);
        let mut r = [R::default(); BLOCK];
        let (bits, mut carry) = (simd::lanes_of::<L>((mask >> i) as u32), [false; BLOCK]);
        for k in 0..BLOCK {
            (r[k], carry[k]) = f(a[k], b[k], c[k], bits[k]);
        }
        R::store::<L>(regs, d + i, n, r);
        out |= (simd::mask_of::<L>(carry) as u64) << i;
        i += BLOCK;
    }
    out
}

/// [`map_mask`] where `usual` does not hold for all of a row's lanes; where it does, its values and no
/// bit.
#[inline(always)]
pub fn map_mask_usual<const L: usize, A: Lane, B: Lane, C: Lane, R: Lane>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    mask: u64,
    usual: impl Fn(A, B, C, bool) -> (R, bool),
    f: impl Fn(A, B, C, bool) -> (R, bool),
) -> u64 {
    let (mut i, mut out) = (0, 0u64);
    while i < n {
        let a = A::load::<L>(regs, s[0] + i, n);
        let b = B::load::<L>(regs, s[1] + i, n);
        let c = C::load::<L>(regs, s[2] + i, n);
        let mut r = [R::default(); BLOCK];
        let bits = simd::lanes_of::<L>((mask >> i) as u32);
        let mut all = true;
        for k in 0..rolled_doubles::<A, C, R>(n) {
            let (v, holds) = usual(a[k], b[k], c[k], bits[k]);
            r[k] = v;
            all &= holds;
        }
        if !all {
            for k in 0..BLOCK {
                let (v, bit) = f(a[k], b[k], c[k], bits[k]);
                r[k] = v;
                out |= (bit as u64) << (i + k);
            }
        }
        R::store::<L>(regs, d + i, n, r);
        i += BLOCK;
    }
    out
}

/// Chooses between two operands by the mask's bit.
#[inline(always)]
pub fn select<const L: usize, T: Lane>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    mask: u64,
) {
    let mut i = 0;
    while i < n {
        let a = T::load::<L>(regs, s[0] + i, n);
        let b = T::load::<L>(regs, s[1] + i, n);
        let mut r = [T::default(); BLOCK];
        let bits = simd::lanes_of::<L>((mask >> i) as u32);
        for k in 0..BLOCK {
            r[k] = if bits[k] { b[k] } else { a[k] };
        }
        T::store::<L>(regs, d + i, n, r);
        i += BLOCK;
    }
}
