//! Loops over lanes that apply an operation: plainly, with an exact way for rows in which a result is a NaN,
//! with a bit a lane.

use super::lane::{Row, block, set_block};
use super::{BLOCK, Lane, Ty};
use crate::valu::simd;

/// Lanes of a block, as a number that the compiler does not know, for loops over what is no plain row:
/// unrolled, it would take them apart again.
#[inline(always)]
pub(super) fn rolled(n: usize) -> usize {
    n.min(BLOCK)
}

/// [`rolled`] where operands are doubles, else all of a block.
#[inline(always)]
pub(super) fn rolled_doubles<A: Lane, C: Lane, R: Lane>(n: usize) -> usize {
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
    map_counted::<L, _, _, _, _>(regs, d, s, n, rolled_doubles::<A, C, R>(n), f);
}

/// [`map`] for an `f` of so many steps that the compiler would take the lanes of a row apart.
#[inline(always)]
pub fn map_long<const L: usize, A: Lane, B: Lane, C: Lane, R: Lane>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    f: impl Fn(A, B, C) -> R,
) {
    map_counted::<L, _, _, _, _>(regs, d, s, n, rolled(n), f);
}

#[inline(always)]
fn map_counted<const L: usize, A: Lane, B: Lane, C: Lane, R: Lane>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    count: usize,
    f: impl Fn(A, B, C) -> R,
) {
    let mut i = 0;
    while i < n {
        let a = Row(A::load::<L>(regs, s[0] + i, n));
        let b = Row(B::load::<L>(regs, s[1] + i, n));
        let c = Row(C::load::<L>(regs, s[2] + i, n));
        let mut r = Row([R::default(); BLOCK]);
        for k in 0..count {
            r[k] = f(a[k], b[k], c[k]);
        }
        R::store::<L>(regs, d + i, n, r.0);
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
        let a = Row(A::load::<L>(regs, s[0] + i, n));
        let b = Row(B::load::<L>(regs, s[1] + i, n));
        let c = Row(C::load::<L>(regs, s[2] + i, n));
        let mut r = Row([R::default(); BLOCK]);
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
        R::store::<L>(regs, d + i, n, r.0);
        i += BLOCK;
    }
}

/// Applies `usual` to every lane, and `exact` to a row's lanes where it does not hold for all of them.
/// Where it holds it must agree with `exact`.
#[inline(always)]
pub fn map_usual<const L: usize, A: Lane, B: Lane, C: Lane, R: Lane>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    usual: impl Fn(A, B, C) -> (R, bool),
    exact: impl Fn(A, B, C) -> R,
) {
    let mut i = 0;
    while i < n {
        let a = Row(A::load::<L>(regs, s[0] + i, n));
        let b = Row(B::load::<L>(regs, s[1] + i, n));
        let c = Row(C::load::<L>(regs, s[2] + i, n));
        let mut r = Row([R::default(); BLOCK]);
        let mut all = true;
        for k in 0..rolled(n) {
            let (v, holds) = usual(a[k], b[k], c[k]);
            r[k] = v;
            all &= holds;
        }
        if !all {
            for k in 0..rolled(n) {
                r[k] = exact(a[k], b[k], c[k]);
            }
        }
        R::store::<L>(regs, d + i, n, r.0);
        i += BLOCK;
    }
}

/// [`map_unless_nan`] where `easy` does not hold for all of a row's lanes; where it does, its values.
#[inline(always)]
pub fn map_easy<const L: usize, T: Lane + PartialEq>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    easy: impl Fn(T, T, T) -> (T, bool),
    fast: impl Fn(T, T, T) -> T,
    exact: impl Fn(T, T, T) -> T,
) {
    let mut i = 0;
    while i < n {
        let a = Row(T::load::<L>(regs, s[0] + i, n));
        let b = Row(T::load::<L>(regs, s[1] + i, n));
        let c = Row(T::load::<L>(regs, s[2] + i, n));
        let mut r = Row([T::default(); BLOCK]);
        let mut hard = false;
        for k in 0..BLOCK {
            let (v, holds) = easy(a[k], b[k], c[k]);
            r[k] = v;
            hard |= !holds;
        }
        if hard {
            r.0 = row_unless_nan(&[a.0, b.0, c.0], &fast, &exact);
        }
        T::store::<L>(regs, d + i, n, r.0);
        i += BLOCK;
    }
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

/// Applies `f`, which gives the dwords of a register pair, to every lane.
#[inline(always)]
pub fn map_to_pairs<const L: usize>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    f: impl Fn(u32) -> [u32; 2],
) {
    let mut i = 0;
    while i < n {
        let row = Row(u32::load::<L>(regs, s[0] + i, n));
        let (mut low, mut high) = (Row([0; BLOCK]), Row([0; BLOCK]));
        for k in 0..BLOCK {
            [low[k], high[k]] = f(row[k]);
        }
        u32::store::<L>(regs, d + i, n, low.0);
        u32::store::<L>(regs, d + n + i, n, high.0);
        i += BLOCK;
    }
}

/// Applies `f` to whole rows.
#[inline(always)]
pub fn map_rows(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    f: impl Fn([[u32; BLOCK]; 3]) -> [u32; BLOCK],
) {
    let mut i = 0;
    while i < n {
        let row = f([
            block(regs, s[0] + i),
            block(regs, s[1] + i),
            block(regs, s[2] + i),
        ]);
        set_block(regs, d + i, row);
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
    let mut r = Row([T::default(); BLOCK]);
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
    r.0
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
        let a = Row(A::load::<L>(regs, s[0] + i, n));
        let b = Row(B::load::<L>(regs, s[1] + i, n));
        let mut r = Row([R::default(); BLOCK]);
        for k in 0..BLOCK {
            r[k] = f(a[k], b[k], (i + k) as u32);
        }
        R::store::<L>(regs, d + i, n, r.0);
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
        let a = Row(A::load::<L>(regs, s[0] + i, n));
        let b = Row(B::load::<L>(regs, s[1] + i, n));
        let mut holds = Row([false; BLOCK]);
        for k in 0..BLOCK {
            holds[k] = f(a[k], b[k]);
        }
        mask |= (simd::mask_of::<L>(holds.0) as u64) << i;
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
        let a = Row(A::load::<L>(regs, s[0] + i, n));
        let b = Row(B::load::<L>(regs, s[1] + i, n));
        let c = Row(C::load::<L>(regs, s[2] + i, n));
        let mut r = Row([R::default(); BLOCK]);
        let bits = Row(simd::lanes_of::<L>((mask >> i) as u32));
        let mut carry = Row([false; BLOCK]);
        for k in 0..BLOCK {
            (r[k], carry[k]) = f(a[k], b[k], c[k], bits[k]);
        }
        R::store::<L>(regs, d + i, n, r.0);
        out |= (simd::mask_of::<L>(carry.0) as u64) << i;
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
        let a = Row(T::load::<L>(regs, s[0] + i, n));
        let b = Row(T::load::<L>(regs, s[1] + i, n));
        let mut r = Row([T::default(); BLOCK]);
        let bits = Row(simd::lanes_of::<L>((mask >> i) as u32));
        for k in 0..BLOCK {
            r[k] = if bits[k] { b[k] } else { a[k] };
        }
        T::store::<L>(regs, d + i, n, r.0);
        i += BLOCK;
    }
}
