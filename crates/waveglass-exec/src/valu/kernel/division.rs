//! Loops over lanes of the division macro. What decides whether anything special happens to a lane are
//! exponents and signs, which stand in an operand's highest dword; a double's lower ones are copied.

use super::lane::{Row, block, set_block};
use super::map::rolled_doubles;
use super::{BLOCK, Lane};

/// A row's results with a bit a lane from `exact`, which takes the operands.
#[inline(always)]
fn exact_row<const L: usize, T: Lane, R: Lane>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    exact: impl Fn(T, T, T) -> (R, bool),
) -> u64 {
    let a = Row(T::load::<L>(regs, s[0], n));
    let b = Row(T::load::<L>(regs, s[1], n));
    let c = Row(T::load::<L>(regs, s[2], n));
    let mut r = Row([R::default(); BLOCK]);
    let mut bits = 0;
    for k in 0..BLOCK {
        let (v, bit) = exact(a[k], b[k], c[k]);
        r[k] = v;
        bits |= u64::from(bit) << k;
    }
    R::store::<L>(regs, d, n, r.0);
    bits
}

/// The division's scaling: a row's first sources and no bit where `unscaled` holds for the highest
/// dwords of the second and third in all lanes, else `exact`.
#[inline(always)]
pub fn map_scale<const L: usize, T: Lane, R: Lane>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    unscaled: impl Fn(u32, u32) -> bool,
    exact: impl Fn(T, T, T) -> (R, bool),
) -> u64 {
    let high = (T::TY.dwords() as usize - 1) * n;
    let (mut i, mut out) = (0, 0);
    while i < n {
        let b = Row(block(regs, s[1] + high + i));
        let c = Row(block(regs, s[2] + high + i));
        let mut all = true;
        for k in 0..BLOCK {
            all &= unscaled(b[k], c[k]);
        }
        if all {
            // Both are read first: the result may begin where the source ends.
            let low = block(regs, s[0] + i);
            let top = block(regs, s[0] + high + i);
            set_block(regs, d + i, low);
            set_block(regs, d + high + i, top);
        } else {
            let s = [s[0] + i, s[1] + i, s[2] + i];
            out |= exact_row::<L, T, R>(regs, d + i, s, n, &exact) << i;
        }
        i += BLOCK;
    }
    out
}

/// The division's last step: for the highest dwords of the sources `ordinary` gives that of the result
/// and whether it holds; where it does for a row's lanes the rest is the first source's, else `exact`.
#[inline(always)]
pub fn map_fixup<const L: usize, T: Lane>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    ordinary: impl Fn(u32, u32, u32) -> (u32, bool),
    exact: impl Fn(T, T, T) -> T,
) {
    let high = (T::TY.dwords() as usize - 1) * n;
    let mut i = 0;
    while i < n {
        let a = Row(block(regs, s[0] + high + i));
        let b = Row(block(regs, s[1] + high + i));
        let c = Row(block(regs, s[2] + high + i));
        let mut top = Row([0; BLOCK]);
        let mut all = true;
        for k in 0..BLOCK {
            let (v, holds) = ordinary(a[k], b[k], c[k]);
            top[k] = v;
            all &= holds;
        }
        if all {
            let low = block(regs, s[0] + i);
            set_block(regs, d + i, low);
            set_block(regs, d + high + i, top.0);
        } else {
            let s = [s[0] + i, s[1] + i, s[2] + i];
            exact_row::<L, T, T>(regs, d + i, s, n, |a, b, c| (exact(a, b, c), false));
        }
        i += BLOCK;
    }
}

/// The division's multiply-add: `fused` where no lane of a row is scaled and no result is a NaN, else
/// `exact`, which takes the bit of a lane that is scaled.
#[inline(always)]
pub fn map_fmas<const L: usize, T: Lane, R: Lane + PartialEq>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    scales: u64,
    fused: impl Fn(T, T, T) -> R,
    exact: impl Fn(T, T, T, bool) -> R,
) {
    let mut i = 0;
    while i < n {
        let a = Row(T::load::<L>(regs, s[0] + i, n));
        let b = Row(T::load::<L>(regs, s[1] + i, n));
        let c = Row(T::load::<L>(regs, s[2] + i, n));
        let mut r = Row([R::default(); BLOCK]);
        let bits = (scales >> i) as u32;
        let mut nan = false;
        for k in 0..rolled_doubles::<T, T, R>(n) {
            r[k] = fused(a[k], b[k], c[k]);
            // Only a NaN differs from itself.
            #[allow(clippy::eq_op)]
            {
                nan |= r[k] != r[k];
            }
        }
        if nan | (bits != 0) {
            for k in 0..BLOCK {
                r[k] = exact(a[k], b[k], c[k], bits >> k & 1 != 0);
            }
        }
        R::store::<L>(regs, d + i, n, r.0);
        i += BLOCK;
    }
}
