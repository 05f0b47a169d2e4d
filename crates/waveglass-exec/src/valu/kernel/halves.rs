//! Loops over lanes of 16-bit floats: as singles, by their order, by a table.

use super::lane::{Row, block, convert, set_block};
use super::map::rolled;
use super::singles::Singles;
use super::{BLOCK, Halves, Lane};
use crate::valu::simd;
use bytemuck::must_cast as cast;
use std::sync::OnceLock;

/// Applies `fast` to halves as singles, rounded to halves, and `exact` to a row's lanes as they are
/// where any result is a NaN; `wide` is `fast` for vectors of singles. `S` is the number of sources; the
/// halves in bits 31:16 take part where `PACKED` holds, else they are zero in the result.
#[inline(always)]
pub fn map_halves<const L: usize, const S: usize, const PACKED: bool>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    fast: impl Fn(f32, f32, f32) -> f32,
    wide: impl Fn(Singles, Singles, Singles) -> Singles,
    exact: impl Fn(u32, u32, u32) -> u32,
) {
    let mut i = 0;
    while i < n {
        let (mut r, nan) = match L {
            #[cfg(target_arch = "x86_64")]
            2 if PACKED => packed_row::<S>(regs, s, i, &wide),
            #[cfg(target_arch = "x86_64")]
            2 => single_row::<S>(regs, s, i, &wide),
            _ => {
                let _ = &wide;
                lanes_row::<L, S, PACKED>(regs, s, i, n, &fast)
            }
        };
        if nan {
            exact_row::<S>(regs, s, i, &mut r, &exact);
        }
        set_block(regs, d + i, r.0);
        i += BLOCK;
    }
}

/// `exact` for the lanes of a row.
#[inline(always)]
fn exact_row<const S: usize>(
    regs: &[u32],
    s: [usize; 3],
    i: usize,
    r: &mut Row<u32>,
    exact: &impl Fn(u32, u32, u32) -> u32,
) {
    let mut rows = [Row([0; BLOCK]); 3];
    for k in 0..S {
        rows[k] = Row(block(regs, s[k] + i));
    }
    for k in 0..BLOCK {
        r[k] = exact(rows[0][k], rows[1][k], rows[2][k]);
    }
}

/// The halves of a row, lane by lane; whether any result is a NaN.
#[inline(always)]
fn lanes_row<const L: usize, const S: usize, const PACKED: bool>(
    regs: &[u32],
    s: [usize; 3],
    i: usize,
    n: usize,
    fast: &impl Fn(f32, f32, f32) -> f32,
) -> (Row<u32>, bool) {
    let mut rows = [[0; BLOCK]; 3];
    for (k, row) in rows.iter_mut().enumerate().take(S) {
        *row = block(regs, s[k] + i);
    }
    let (low, nan_low) = halves::<L, S>(rows, n, fast);
    let mut r = Row(low);
    if !PACKED {
        return (r, nan_low);
    }
    let mut upper = [[0; BLOCK]; 3];
    for k in 0..S {
        upper[k] = convert(rows[k], |x| x >> 16);
    }
    let (high, nan_high) = halves::<L, S>(upper, n, fast);
    for k in 0..BLOCK {
        r[k] |= high[k] << 16;
    }
    (r, nan_low | nan_high)
}

/// The low halves of a row's lanes; whether any result is a NaN.
#[inline(always)]
fn halves<const L: usize, const S: usize>(
    rows: [[u32; BLOCK]; 3],
    n: usize,
    f: &impl Fn(f32, f32, f32) -> f32,
) -> ([u32; BLOCK], bool) {
    let mut v = [Row([0.0; BLOCK]); 3];
    for k in 0..S {
        v[k] = Row(simd::widen::<L>(rows[k]));
    }
    let mut r = Row([0.0; BLOCK]);
    let mut nan = false;
    for k in 0..rolled(n) {
        r[k] = f(v[0][k], v[1][k], v[2][k]);
        nan |= r[k].is_nan();
    }
    (simd::narrow::<L>(r.0), nan)
}

/// What `f` gives for sixteen lanes of a row in build 2, the halves in their registers' lower ones.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn sixteen_lanes<const S: usize>(
    regs: &[u32],
    s: [usize; 3],
    i: usize,
    f: &impl Fn(Singles, Singles, Singles) -> Singles,
) -> Singles {
    let rows = regs.as_chunks::<16>().0;
    // SAFETY: only build 2 calls this.
    let first = unsafe { Singles::of_dwords(rows[(s[0] + i) / 16]) };
    let (mut second, mut third) = (first, first);
    if S > 1 {
        // SAFETY: as above.
        second = unsafe { Singles::of_dwords(rows[(s[1] + i) / 16]) };
    }
    if S > 2 {
        // SAFETY: as above.
        third = unsafe { Singles::of_dwords(rows[(s[2] + i) / 16]) };
    }
    f(first, second, third)
}

/// The low halves of a row in build 2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn single_row<const S: usize>(
    regs: &[u32],
    s: [usize; 3],
    i: usize,
    f: &impl Fn(Singles, Singles, Singles) -> Singles,
) -> (Row<u32>, bool) {
    let low = sixteen_lanes::<S>(regs, s, i, f);
    let high = sixteen_lanes::<S>(regs, s, i + 16, f);
    let nan = low.nan() | high.nan() != 0;
    (Row(cast([low.half_dwords(), high.half_dwords()])), nan)
}

/// What `f` gives for the sixteen halves of eight lanes in build 2: since all are treated alike, they
/// stay in their order.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn sixteen_halves<const S: usize>(
    regs: &[u32],
    s: [usize; 3],
    i: usize,
    f: &impl Fn(Singles, Singles, Singles) -> Singles,
) -> Singles {
    let rows = regs.as_chunks::<8>().0;
    // SAFETY: only build 2 calls this.
    let first = unsafe { Singles::of_halves(cast(rows[(s[0] + i) / 8])) };
    let (mut second, mut third) = (first, first);
    if S > 1 {
        // SAFETY: as above.
        second = unsafe { Singles::of_halves(cast(rows[(s[1] + i) / 8])) };
    }
    if S > 2 {
        // SAFETY: as above.
        third = unsafe { Singles::of_halves(cast(rows[(s[2] + i) / 8])) };
    }
    f(first, second, third)
}

/// Both halves of a row's lanes in build 2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn packed_row<const S: usize>(
    regs: &[u32],
    s: [usize; 3],
    i: usize,
    f: &impl Fn(Singles, Singles, Singles) -> Singles,
) -> (Row<u32>, bool) {
    let r = [
        sixteen_halves::<S>(regs, s, i, f),
        sixteen_halves::<S>(regs, s, i + 8, f),
        sixteen_halves::<S>(regs, s, i + 16, f),
        sixteen_halves::<S>(regs, s, i + 24, f),
    ];
    let nan = r[0].nan() | r[1].nan() | r[2].nan() | r[3].nan() != 0;
    let row = [r[0].halves(), r[1].halves(), r[2].halves(), r[3].halves()];
    (Row(cast(row)), nan)
}

/// Applies `wide` to both bfloat16 of each lane in build 2, rounded once from singles that are rounded
/// to odd, and `exact` to a row's lanes where any result is a NaN and in other builds.
#[inline(always)]
pub fn map_brains<const L: usize, const S: usize>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    wide: impl Fn(Singles, Singles, Singles) -> Singles,
    exact: impl Fn(u32, u32, u32) -> u32,
) {
    let mut i = 0;
    while i < n {
        let (mut r, nan) = match L {
            #[cfg(target_arch = "x86_64")]
            2 => brain_row::<S>(regs, s, i, &wide),
            _ => {
                let _ = &wide;
                (Row([0; BLOCK]), true)
            }
        };
        if nan {
            exact_row::<S>(regs, s, i, &mut r, &exact);
        }
        set_block(regs, d + i, r.0);
        i += BLOCK;
    }
}

/// Both bfloat16 of a row's lanes in build 2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn brain_row<const S: usize>(
    regs: &[u32],
    s: [usize; 3],
    i: usize,
    f: &impl Fn(Singles, Singles, Singles) -> Singles,
) -> (Row<u32>, bool) {
    let (first, nan) = sixteen_brains::<S>(regs, s, i, f);
    let (second, nan_second) = sixteen_brains::<S>(regs, s, i + 16, f);
    (Row(cast([first, second])), nan | nan_second)
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn sixteen_brains<const S: usize>(
    regs: &[u32],
    s: [usize; 3],
    i: usize,
    f: &impl Fn(Singles, Singles, Singles) -> Singles,
) -> ([u32; 16], bool) {
    let rows = regs.as_chunks::<16>().0;
    let first = wide_brains(rows[(s[0] + i) / 16]);
    let (mut second, mut third) = (first, first);
    if S > 1 {
        second = wide_brains(rows[(s[1] + i) / 16]);
    }
    if S > 2 {
        third = wide_brains(rows[(s[2] + i) / 16]);
    }
    let low = f(first[0], second[0], third[0]);
    let high = f(first[1], second[1], third[1]);
    let nan = low.nan() | high.nan() != 0;
    let (mut r, low, high) = ([0; 16], low.bits(), high.bits());
    for k in 0..16 {
        r[k] = rounded_brain(low[k]) >> 16 | rounded_brain(high[k]) & 0xffff_0000;
    }
    (r, nan)
}

/// The lower and the upper bfloat16 of sixteen lanes as singles in build 2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn wide_brains(dwords: [u32; 16]) -> [Singles; 2] {
    let (mut low, mut high) = ([0; 16], [0; 16]);
    for k in 0..16 {
        low[k] = dwords[k] << 16;
        high[k] = dwords[k] & 0xffff_0000;
    }
    // SAFETY: only build 2 calls this.
    unsafe { [Singles::of_bits(low), Singles::of_bits(high)] }
}

/// The bits of a single that is no NaN rounded to bfloat16 in its upper half, to nearest even.
#[inline(always)]
fn rounded_brain(bits: u32) -> u32 {
    bits.wrapping_add(0x7fff + (bits >> 16 & 1))
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
        let a = Row(f32::load::<L>(regs, s[0] + i, n));
        let b = Row(f32::load::<L>(regs, s[1] + i, n));
        let low = Row(simd::narrow_toward_zero::<L>(a.0));
        let high = Row(simd::narrow_toward_zero::<L>(b.0));
        let (mut r, mut nan) = (Row([0; BLOCK]), false);
        for k in 0..BLOCK {
            r[k] = low[k] | high[k] << 16;
            nan |= a[k].is_nan() | b[k].is_nan();
        }
        if nan {
            for k in 0..BLOCK {
                r[k] = exact(a[k], b[k]);
            }
        }
        set_block(regs, d + i, r.0);
        i += BLOCK;
    }
}

/// Applies `fast` to every lane and rounds its single to a half, and `exact` to a row's lanes where any
/// result is a NaN.
#[inline(always)]
pub fn map_narrowed<const L: usize, A: Lane, B: Lane, C: Lane, R: Halves>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    fast: impl Fn(A, B, C) -> f32,
    exact: impl Fn(A, B, C) -> R,
) {
    let mut i = 0;
    while i < n {
        let a = Row(A::load::<L>(regs, s[0] + i, n));
        let b = Row(B::load::<L>(regs, s[1] + i, n));
        let c = Row(C::load::<L>(regs, s[2] + i, n));
        let mut singles = Row([0.0; BLOCK]);
        let mut nan = false;
        for k in 0..BLOCK {
            singles[k] = fast(a[k], b[k], c[k]);
            nan |= singles[k].is_nan();
        }
        let mut r = Row(simd::narrow::<L>(singles.0));
        if nan {
            for k in 0..BLOCK {
                r[k] = exact(a[k], b[k], c[k]).dword();
            }
        }
        set_block(regs, d + i, r.0);
        i += BLOCK;
    }
}

/// Applies `fast` to the halves of two sources, low before high, and to a single, and `exact` to a
/// row's lanes where any result is a NaN or `fast` may not be used; `wide` is `fast` for vectors.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub fn map_dot_halves<const L: usize>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    may: bool,
    fast: impl Fn([f32; 2], [f32; 2], f32) -> f32,
    wide: impl Fn([Singles; 2], [Singles; 2], Singles) -> Singles,
    exact: impl Fn(u32, u32, f32) -> f32,
) {
    let mut i = 0;
    while i < n {
        let (a, b) = (block(regs, s[0] + i), block(regs, s[1] + i));
        let c = f32::load::<L>(regs, s[2] + i, n);
        let mut r = Row([0.0; BLOCK]);
        let mut nan = !may;
        match L {
            _ if !may => {}
            #[cfg(target_arch = "x86_64")]
            2 => {
                let (a, b, c): ([_; 2], [_; 2], [_; 2]) = (cast(a), cast(b), cast(c));
                let low = wide(wide_pair(a[0]), wide_pair(b[0]), wide_bits(c[0]));
                let high = wide(wide_pair(a[1]), wide_pair(b[1]), wide_bits(c[1]));
                nan = low.nan() | high.nan() != 0;
                r = Row(cast([low.bits(), high.bits()]));
            }
            _ => {
                let _ = &wide;
                let (a0, b0) = (simd::widen::<L>(a), simd::widen::<L>(b));
                let a1 = simd::widen::<L>(convert(a, |x| x >> 16));
                let b1 = simd::widen::<L>(convert(b, |x| x >> 16));
                for k in 0..rolled(n) {
                    r[k] = fast([a0[k], a1[k]], [b0[k], b1[k]], c[k]);
                    nan |= r[k].is_nan();
                }
            }
        }
        if nan {
            for k in 0..BLOCK {
                r[k] = exact(a[k], b[k], c[k]);
            }
        }
        f32::store::<L>(regs, d + i, n, r.0);
        i += BLOCK;
    }
}

/// The lower and the upper halves of sixteen lanes in build 2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn wide_pair(low: [u32; 16]) -> [Singles; 2] {
    let mut high = low;
    for x in &mut high {
        *x >>= 16;
    }
    // SAFETY: only build 2 calls this.
    unsafe { [Singles::of_dwords(low), Singles::of_dwords(high)] }
}

/// Sixteen singles in build 2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn wide_bits(bits: [u32; 16]) -> Singles {
    // SAFETY: only build 2 calls this.
    unsafe { Singles::of_bits(bits) }
}

/// Applies `f` to integers that are ordered as the halves are, minus zero before zero, and `exact` to a
/// row's lanes where any source is a NaN; which halves take part as in [`map_halves`].
#[inline(always)]
pub fn map_ordered<const S: usize, const PACKED: bool>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    f: impl Fn(i16, i16, i16) -> i16,
    exact: impl Fn(u32, u32, u32) -> u32,
) {
    let mut i = 0;
    while i < n {
        let mut rows = [Row([0; BLOCK]); 3];
        for k in 0..S {
            rows[k] = Row(block(regs, s[k] + i));
        }
        let r = ordered_row::<S, PACKED>(&rows, &f, &exact);
        set_block(regs, d + i, r.0);
        i += BLOCK;
    }
}

/// The medians of halves: in a quick way where a row has no NaN and no minus zero, else and in the baseline
/// build as [`map_ordered`].
#[inline(always)]
pub fn map_median<const L: usize>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    f: impl Fn(i16, i16, i16) -> i16,
    exact: impl Fn(u32, u32, u32) -> u32,
) {
    if L == 0 {
        map_ordered::<3, false>(regs, d, s, n, f, exact);
        return;
    }
    // At the top of a single the bits of a half are a number, and in the same order.
    let numbers = |row: &Row<u32>| convert(row.0, |half| f32::from_bits(half << 16));
    let signed = |half: u32| (half << 16) as i32;
    let mut i = 0;
    while i < n {
        let a = Row(block(regs, s[0] + i));
        let b = Row(block(regs, s[1] + i));
        let c = Row(block(regs, s[2] + i));
        let [low, high] = simd::in_order::<L>(numbers(&a), numbers(&b));
        let [middle, _] = simd::in_order::<L>(high, numbers(&c));
        let [_, median] = simd::in_order::<L>(low, middle);
        let mut r = Row([0; BLOCK]);
        let mut hard = false;
        for k in 0..BLOCK {
            // Of the magnitudes, twice their size.
            let largest = (a[k] << 17).max(b[k] << 17).max(c[k] << 17);
            // Minus zero, which is the smallest integer of the halves with sign.
            let smallest = signed(a[k]).min(signed(b[k])).min(signed(c[k]));
            hard |= (smallest == i32::MIN) | (largest > 0x7c00 << 17);
            r[k] = median[k].to_bits() >> 16;
        }
        if hard {
            r = ordered_row::<3, false>(&[a, b, c], &f, &exact);
        }
        set_block(regs, d + i, r.0);
        i += BLOCK;
    }
}

/// [`map_ordered`] of a row.
#[inline(always)]
fn ordered_row<const S: usize, const PACKED: bool>(
    rows: &[Row<u32>; 3],
    f: &impl Fn(i16, i16, i16) -> i16,
    exact: &impl Fn(u32, u32, u32) -> u32,
) -> Row<u32> {
    let (mut r, nan) = if PACKED {
        let mut halves = [HalfRow([0; 2 * BLOCK]); 3];
        for k in 0..S {
            halves[k] = HalfRow(cast(rows[k].0));
        }
        let (r, nan) = ordered::<{ 2 * BLOCK }>([&halves[0].0, &halves[1].0, &halves[2].0], f);
        (Row(cast(r)), nan)
    } else {
        // Two lanes' halves side by side, that none of a vector is idle.
        let mut pairs = [PairRow([0; BLOCK]); 3];
        for k in 0..S {
            let mut joined = [0; BLOCK / 2];
            for j in 0..BLOCK / 2 {
                joined[j] = rows[k][j] & 0xffff | rows[k][j + BLOCK / 2] << 16;
            }
            pairs[k] = PairRow(cast(joined));
        }
        let (r, nan) = ordered::<BLOCK>([&pairs[0].0, &pairs[1].0, &pairs[2].0], f);
        let joined: [u32; BLOCK / 2] = cast(r);
        let mut row = Row([0; BLOCK]);
        for j in 0..BLOCK / 2 {
            row[j] = joined[j] & 0xffff;
            row[j + BLOCK / 2] = joined[j] >> 16;
        }
        (row, nan)
    };
    if nan {
        for k in 0..BLOCK {
            r[k] = exact(rows[0][k], rows[1][k], rows[2][k]);
        }
    }
    r
}

/// `f` on the order of halves, and whether any is a NaN.
#[inline(always)]
fn ordered<const N: usize>(
    [a, b, c]: [&[u16; N]; 3],
    f: &impl Fn(i16, i16, i16) -> i16,
) -> ([u16; N], bool) {
    // The order of a negative number's magnitude is turned round; doing it twice undoes it.
    let key = |x: u16| x ^ ((x as i16 >> 15) as u16 & 0x7fff);
    let mut r = [0; N];
    let mut largest = 0;
    for k in 0..N {
        let [x, y, z] = [a[k], b[k], c[k]];
        largest = largest.max(x & 0x7fff).max(y & 0x7fff).max(z & 0x7fff);
        r[k] = key(f(key(x) as i16, key(y) as i16, key(z) as i16) as u16);
    }
    (r, largest > 0x7c00)
}

/// The halves of one of two lanes' operands each.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct PairRow([u16; BLOCK]);

/// The halves of a row's lanes.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct HalfRow([u16; 2 * BLOCK]);

/// The results of an operation on one 16-bit value, worked out when they are first asked for.
#[derive(Debug, Default)]
pub struct Table(OnceLock<Box<[u16; 0x1_0000]>>);

impl Table {
    /// A table that is not worked out yet.
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The results of `f`, which is the same at every call.
    #[inline(always)]
    pub fn of(&self, f: fn(u16) -> u16) -> &[u16; 0x1_0000] {
        self.0.get_or_init(|| {
            let mut results = Box::new([0; 0x1_0000]);
            for (x, result) in results.iter_mut().enumerate() {
                *result = f(x as u16);
            }
            results
        })
    }
}

/// Looks the low half of every lane up.
#[inline(always)]
pub fn map_tabled(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, table: &[u16; 0x1_0000]) {
    let mut i = 0;
    while i < n {
        let mut row = Row(block(regs, s[0] + i));
        for k in 0..BLOCK {
            row[k] = table[row[k] as u16 as usize].into();
        }
        set_block(regs, d + i, row.0);
        i += BLOCK;
    }
}
