//! Executes a [`MatrixOp`]: decode A and B, accumulate, write D.
//!
//! A and B become rows of numbers over the lanes. A column of A and a row of B are then runs of
//! those, and D is the sum of their outer products over k, which is the loop that vectorizes: one
//! element of A against a run of B, four rows of D in host registers at a time.

use super::format::{CANONICAL_NAN, decode, flushed, to_bf16, to_f16};
use super::layout::{Plan, Tile};
use super::op::{Addend, Cell, Flush, MatrixOp, Sum};
use super::scale::Values;
use crate::exceptions;
use crate::machine::Machine;
use crate::program::{Op, Step};
use crate::semantics::NEXT;
use crate::trap::Exceptions;
use crate::valu::kernel::level;
use crate::wave::Mode;
use bytemuck::{Pod, cast_slice, cast_slice_mut};
use std::cell::RefCell;
use std::ops::Range;

/// Decoded items of the largest operand: A of a 32x128 product.
const ITEMS: usize = 4096;

/// Work space, kept from one instruction to the next.
#[repr(C, align(64))]
struct Space {
    a: [u32; ITEMS],
    b: [u32; ITEMS],
    /// C and D: blocks one after the other, rows of N.
    c: [u32; 2048],
    /// Expanded, permuted or partial values.
    x: [u32; ITEMS],
    /// What the steps have raised, where that is asked for.
    raised: Exceptions,
}

thread_local! {
    static SPACE: RefCell<Box<Space>> = RefCell::new(Box::new(Space {
        a: [0; ITEMS],
        b: [0; ITEMS],
        c: [0; 2048],
        x: [0; ITEMS],
        raised: Exceptions::NONE,
    }));
}

/// MODE.FP16_OVFL.
const FP16_OVFL: u32 = 1 << 23;

/// The handler of matrix instructions.
pub(super) fn run(m: &mut Machine<'_>, op: &Op) -> Step {
    let Some(x) = op.matrix.as_deref() else {
        return m.refuse(op, "the matrix operation was not compiled");
    };
    let scales = x.scale.as_ref().map(|s| {
        let rows = x.plan.m * if x.plan.tiles.len() > 1 { 2 } else { 1 };
        (
            s.values(m, s.a, rows, x.plan.k),
            s.values(m, s.b, x.plan.n, x.plan.k),
            s.block,
        )
    });
    let mode = m.wave.mode;
    let regs = m.wave.lanes_flat();
    let raised = SPACE.with_borrow_mut(|space| {
        execute(x, regs, mode, scales.as_ref(), space);
        std::mem::take(&mut space.raised)
    });
    m.wave.raising |= raised;
    NEXT
}

type Scales = (Values, Values, usize);

type Kernel = unsafe fn(&MatrixOp, &mut [u32], Mode, Option<&Scales>, &mut Space);

fn execute(x: &MatrixOp, regs: &mut [u32], mode: Mode, scales: Option<&Scales>, space: &mut Space) {
    let kernel: Kernel = match (level(), x.plan.n) {
        #[cfg(target_arch = "x86_64")]
        (2, 4) => avx512::<4>,
        #[cfg(target_arch = "x86_64")]
        (2, 16) => avx512::<16>,
        #[cfg(target_arch = "x86_64")]
        (2, _) => avx512::<32>,
        #[cfg(target_arch = "x86_64")]
        (1, 4) => avx2::<4>,
        #[cfg(target_arch = "x86_64")]
        (1, 16) => avx2::<16>,
        #[cfg(target_arch = "x86_64")]
        (1, _) => avx2::<32>,
        (_, 4) => body::<32, 4>,
        (_, 16) => body::<32, 16>,
        _ => body::<32, 32>,
    };
    // SAFETY: `level` gives 1 and 2 only where the CPU has what `avx2` and `avx512` enable.
    unsafe { kernel(x, regs, mode, scales, space) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
fn avx2<const N: usize>(x: &MatrixOp, r: &mut [u32], m: Mode, s: Option<&Scales>, w: &mut Space) {
    body::<32, N>(x, r, m, s, w);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,fma,f16c,bmi1,bmi2,lzcnt,popcnt"
)]
fn avx512<const N: usize>(x: &MatrixOp, r: &mut [u32], m: Mode, s: Option<&Scales>, w: &mut Space) {
    body::<64, N>(x, r, m, s, w);
}

/// The whole instruction, for vectors of `V` bytes and blocks of `N` columns.
#[inline(always)]
fn body<const V: usize, const N: usize>(
    x: &MatrixOp,
    regs: &mut [u32],
    mode: Mode,
    scales: Option<&Scales>,
    space: &mut Space,
) {
    let plan = &*x.plan;
    let lanes = plan.lanes;
    let flushes = |flush, keeps: bool| match flush {
        Flush::Never => false,
        Flush::Always => true,
        Flush::Mode => !keeps,
    };
    let flush = flushes(x.flush_ab, mode.denorm_f32_in());
    decode(
        x.a.format,
        &regs[x.a.at..],
        plan.a_items,
        lanes,
        x.a.reading(flush),
        &mut space.a,
    );
    decode(
        x.b.format,
        &regs[x.b.at..],
        plan.b_items,
        lanes,
        x.b.reading(flush),
        &mut space.b,
    );
    if let Some(from) = &x.a.lanes_from {
        permute(&mut space.a, plan.a_items, from, &mut space.x);
    }
    if let Some(from) = &x.b.lanes_from {
        permute(&mut space.b, plan.b_items, from, &mut space.x);
    }
    if let Some(index) = x.index {
        expand(
            &mut space.a,
            plan.a_items,
            lanes,
            &regs[index.at..],
            index.shift,
            &mut space.x,
        );
    }
    let flush_in = flushes(x.flush_cd, mode.denorm_f32_in());
    let flush_out = flushes(x.flush_cd, mode.denorm_f32_out());
    load::<N>(x, regs, flush_in, &mut space.c);
    let overflow = mode.0 & FP16_OVFL != 0;
    if x.told && x.sum == Sum::F64 {
        space.raised = raised_by(plan, &space.a, &space.b, &space.c);
    }
    match x.sum {
        Sum::I32 if x.clamp || (x.ovfl && overflow) => {
            saturating_i32(plan, &space.a, &space.b, &mut space.c);
        }
        Sum::I32 => product::<i32, V, N>(plan, &space.a, &space.b, &mut space.c),
        Sum::F64 => product::<f64, V, N>(plan, &space.a, &space.b, &mut space.c),
        Sum::F32 => match scales {
            Some(s) => scaled::<V, N>(plan, s, x.ovfl && overflow, space),
            None if x.ovfl && overflow => saturating_f32(plan, &space.a, &space.b, &mut space.c),
            None => product::<f32, V, N>(plan, &space.a, &space.b, &mut space.c),
        },
    }
    store::<N>(x, regs, flush_out, overflow, &space.c);
}

/// Reads every lane's items from another lane.
#[inline(always)]
fn permute(v: &mut [u32], items: usize, from: &[u8; 64], x: &mut [u32]) {
    for item in 0..items {
        let row = &mut v[item * 64..][..64];
        for l in 0..64 {
            x[l] = row[from[l] as usize % 64];
        }
        row.copy_from_slice(&x[..64]);
    }
}

/// Puts a sparse A's values in their places among four. Each pair of a lane's items has two 2-bit
/// indices, from the lane's own register, in the items' order (RDNA4 ISA 7.12.3, "Expanding a
/// packed sparse A-matrix"; CDNA3 ISA 7.4.1, index layouts).
#[inline(always)]
fn expand(a: &mut [u32], items: usize, lanes: usize, index: &[u32], shift: u32, x: &mut [u32]) {
    x[..2 * items * lanes].fill(0);
    for item in (0..items).step_by(2) {
        for l in 0..lanes {
            let word = index[item / 16 * lanes + l] >> shift;
            let pair = word >> (2 * (item % 16));
            let at = |i: u32| (2 * item + (i & 3) as usize) * lanes + l;
            // Equal indices are not allowed; the first value counts, as in the manual's expansion.
            x[at(pair >> 2)] = a[(item + 1) * lanes + l];
            x[at(pair)] = a[item * lanes + l];
        }
    }
    a[..2 * items * lanes].copy_from_slice(&x[..2 * items * lanes]);
}

/// C into rows.
#[inline(always)]
fn load<const N: usize>(x: &MatrixOp, regs: &[u32], flush: bool, c: &mut [u32]) {
    let at = match x.c {
        Addend::At(at) => at,
        Addend::Const(bits) => {
            let bits = modified_const(x, bits);
            match x.sum {
                Sum::F64 => cast_slice_mut::<u32, u64>(c).fill(bits),
                _ => c.fill(bits as u32),
            }
            return;
        }
    };
    let regs = &regs[at..];
    let lanes = x.plan.lanes;
    let modified = |v: u32| {
        let v = if x.c_abs { v & 0x7fff_ffff } else { v };
        flushed(v ^ (x.c_neg as u32) << 31, flush)
    };
    let rows = c.as_chunks_mut::<N>().0;
    let places = x.plan.tiles.iter().flat_map(|t| &t.rows);
    match x.c_cell {
        Cell::B32 if x.sum == Sum::I32 => {
            for (row, &p) in rows.iter_mut().zip(places) {
                row.copy_from_slice(&regs[p as usize..][..N]);
            }
        }
        Cell::B32 => {
            for (row, &p) in rows.iter_mut().zip(places) {
                let from = &regs[p as usize..][..N];
                for j in 0..N {
                    row[j] = modified(from[j]);
                }
            }
        }
        Cell::F64 => {
            let rows = cast_slice_mut::<u32, u64>(c).as_chunks_mut::<N>().0;
            for (row, &p) in rows.iter_mut().zip(places) {
                let (item, lane) = (p as usize / lanes, p as usize % lanes);
                for j in 0..N {
                    let low = regs[2 * item * lanes + lane + j];
                    let high = regs[(2 * item + 1) * lanes + lane + j];
                    row[j] = low as u64 | ((high ^ (x.c_neg as u32) << 31) as u64) << 32;
                }
            }
        }
        cell => {
            let bf16 = matches!(cell, Cell::Bf16 | Cell::Bf16Half);
            for (row, &p) in rows.iter_mut().zip(places) {
                let (at, shift) = half_place(x, cell, p as usize);
                let from = &regs[at..][..N];
                for j in 0..N {
                    row[j] = modified(widened(from[j] >> shift, bf16));
                }
            }
        }
    }
}

/// A constant C as an element of the sum.
fn modified_const(x: &MatrixOp, bits: u64) -> u64 {
    let sign = |v: u64, top: u32| {
        let v = if x.c_abs { v & !(1 << top) } else { v };
        v ^ (x.c_neg as u64) << top
    };
    match (x.sum, x.c_cell) {
        (Sum::F64, _) => sign(bits, 63),
        (Sum::I32, _) => bits,
        (Sum::F32, Cell::B32) => sign(bits, 31),
        (Sum::F32, cell) => {
            let bf16 = matches!(cell, Cell::Bf16 | Cell::Bf16Half);
            sign(widened(bits as u32, bf16) as u64, 31)
        }
    }
}

/// A half as f32 bits.
#[inline(always)]
fn widened(x: u32, bf16: bool) -> u32 {
    if bf16 { x << 16 } else { super::format::f16(x) }
}

/// The register position and the bits to shift by of a row of halves.
#[inline(always)]
fn half_place(x: &MatrixOp, cell: Cell, place: usize) -> (usize, u32) {
    let lanes = x.plan.lanes;
    let (item, lane) = (place / lanes, place % lanes);
    match cell {
        Cell::F16 | Cell::Bf16 => (item / 2 * lanes + lane, 16 * (item as u32 % 2)),
        _ => (place, x.half),
    }
}

/// Rows into D.
#[inline(always)]
fn store<const N: usize>(x: &MatrixOp, regs: &mut [u32], flush: bool, overflow: bool, c: &[u32]) {
    let regs = &mut regs[x.d..];
    let lanes = x.plan.lanes;
    let rows = c.as_chunks::<N>().0;
    let places = x.plan.tiles.iter().flat_map(|t| &t.rows);
    match x.d_cell {
        Cell::B32 if x.sum == Sum::I32 => {
            for (row, &p) in rows.iter().zip(places) {
                regs[p as usize..][..N].copy_from_slice(row);
            }
        }
        Cell::B32 => {
            for (row, &p) in rows.iter().zip(places) {
                let to = &mut regs[p as usize..][..N];
                for j in 0..N {
                    to[j] = flushed(canonical(row[j]), flush);
                }
            }
        }
        Cell::F64 => {
            let rows = cast_slice::<u32, u64>(c).as_chunks::<N>().0;
            for (row, &p) in rows.iter().zip(places) {
                let (item, lane) = (p as usize / lanes, p as usize % lanes);
                for j in 0..N {
                    let nan = f64::from_bits(row[j]).is_nan();
                    let v = if nan { 0x7ff8 << 48 } else { row[j] };
                    regs[2 * item * lanes + lane + j] = v as u32;
                    regs[(2 * item + 1) * lanes + lane + j] = (v >> 32) as u32;
                }
            }
        }
        cell => {
            let bf16 = matches!(cell, Cell::Bf16 | Cell::Bf16Half);
            let saturate = overflow && x.ovfl_halves;
            for (row, &p) in rows.iter().zip(places) {
                let (at, shift) = half_place(x, cell, p as usize);
                let to = &mut regs[at..][..N];
                for j in 0..N {
                    let v = f32::from_bits(row[j]);
                    let v = if bf16 {
                        to_bf16(v, saturate)
                    } else {
                        to_f16(v, saturate)
                    };
                    to[j] = to[j] & !(0xffff << shift) | v << shift;
                }
            }
        }
    }
}

#[inline(always)]
fn canonical(x: u32) -> u32 {
    if x & 0x7fff_ffff > 0x7f80_0000 {
        CANONICAL_NAN
    } else {
        x
    }
}

/// A number that is summed.
trait Number: Pod {
    /// `a * b + c`, rounded once; integers wrap.
    fn multiply_add(a: Self, b: Self, c: Self) -> Self;
}

impl Number for f32 {
    #[inline(always)]
    fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

impl Number for f64 {
    #[inline(always)]
    fn multiply_add(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
}

impl Number for i32 {
    #[inline(always)]
    fn multiply_add(a: i32, b: i32, c: i32) -> i32 {
        c.wrapping_add(a.wrapping_mul(b))
    }
}

/// Adds the products of all blocks, k after k.
#[inline(always)]
fn product<T: Number, const V: usize, const N: usize>(
    plan: &Plan,
    a: &[u32],
    b: &[u32],
    c: &mut [u32],
) {
    let (a, b) = (cast_slice::<u32, T>(a), cast_slice::<u32, T>(b));
    let c = cast_slice_mut::<u32, T>(c);
    for (t, tile) in plan.tiles.iter().enumerate() {
        let c = &mut c[t * plan.m * N..][..plan.m * N];
        block::<T, V, N>(tile, 0..plan.k, a, b, c);
    }
}

/// Rows that fit the host's registers together. Past four the compiler stops keeping them there.
const fn rows_at_once(vector: usize, columns: usize, size: usize) -> usize {
    if 8 * vector / (columns * size) >= 4 {
        4
    } else {
        2
    }
}

/// Adds the products of one block over some values of K.
#[inline(always)]
fn block<T: Number, const V: usize, const N: usize>(
    tile: &Tile,
    ks: Range<usize>,
    a: &[T],
    b: &[T],
    c: &mut [T],
) {
    match rows_at_once(V, N, size_of::<T>()) {
        4 => rows::<T, N, 4>(tile, ks, a, b, c),
        _ => rows::<T, N, 2>(tile, ks, a, b, c),
    }
}

#[inline(always)]
fn rows<T: Number, const N: usize, const R: usize>(
    tile: &Tile,
    ks: Range<usize>,
    a: &[T],
    b: &[T],
    c: &mut [T],
) {
    let steps = tile.a[ks.clone()].iter().zip(&tile.b[ks]);
    for (i, some) in c
        .as_chunks_mut::<N>()
        .0
        .as_chunks_mut::<R>()
        .0
        .iter_mut()
        .enumerate()
    {
        let mut sum = *some;
        for (&at, &bt) in steps.clone() {
            let column = &a[at as usize + i * R..][..R];
            let row = &b[bt as usize..][..N];
            for r in 0..R {
                for j in 0..N {
                    sum[r][j] = T::multiply_add(column[r], row[j], sum[r][j]);
                }
            }
        }
        *some = sum;
    }
}

/// Sums of blocks of K in f32, each multiplied by its scales and added: "the scales are applied
/// after the normal dot product prior to output/accumulation" (CDNA4 ISA 7.2).
#[inline(always)]
fn scaled<const V: usize, const N: usize>(
    plan: &Plan,
    (a_scales, b_scales, size): &Scales,
    saturate: bool,
    space: &mut Space,
) {
    let (a, b) = (
        cast_slice::<u32, f32>(&space.a),
        cast_slice::<u32, f32>(&space.b),
    );
    let c = cast_slice_mut::<u32, f32>(&mut space.c);
    let x = cast_slice_mut::<u32, f32>(&mut space.x);
    for (t, tile) in plan.tiles.iter().enumerate() {
        let c = &mut c[t * plan.m * N..][..plan.m * N];
        for kb in 0..plan.k / size {
            let dot = &mut x[..plan.m * N];
            dot.fill(0.0);
            block::<f32, V, N>(tile, kb * size..(kb + 1) * size, a, b, dot);
            for i in 0..plan.m {
                for j in 0..N {
                    let scale = a_scales[kb][t * plan.m + i] * b_scales[kb][j];
                    let (d, old) = (dot[i * N + j] as f64 * scale, c[i * N + j]);
                    let new = (old as f64 + d) as f32;
                    c[i * N + j] = if saturate && old.is_finite() && d.is_finite() {
                        new.clamp(-f32::MAX, f32::MAX)
                    } else {
                        new
                    };
                }
            }
        }
    }
}

/// FP16_OVFL: a sum of finite numbers that overflows gives the largest of its sign (CDNA3 ISA
/// 7.1.2, "Clamp").
fn saturating_f32(plan: &Plan, a: &[u32], b: &[u32], c: &mut [u32]) {
    let (a, b) = (cast_slice::<u32, f32>(a), cast_slice::<u32, f32>(b));
    each(plan, cast_slice_mut::<u32, f32>(c), |a_at, b_at, c| {
        let (x, y) = (a[a_at], b[b_at]);
        let sum = x.mul_add(y, c);
        if x.is_finite() && y.is_finite() && c.is_finite() {
            sum.clamp(-f32::MAX, f32::MAX)
        } else {
            sum
        }
    });
}

/// What the steps of a product of doubles raise.
#[cold]
#[inline(never)]
fn raised_by(plan: &Plan, a: &[u32], b: &[u32], c: &[u32]) -> Exceptions {
    let doubles = cast_slice::<u32, f64>;
    let (a, b, c) = (doubles(a), doubles(b), doubles(c));
    let mut raised = Exceptions::NONE;
    for (t, tile) in plan.tiles.iter().enumerate() {
        for i in 0..plan.m {
            for j in 0..plan.n {
                let mut sum = c[(t * plan.m + i) * plan.n + j];
                for (&x, &y) in tile.a.iter().zip(&tile.b) {
                    let (x, y) = (a[x as usize + i], b[y as usize + j]);
                    raised |= exceptions::fused_double([x, y, sum]);
                    sum = x.mul_add(y, sum);
                }
            }
        }
    }
    raised
}

/// The whole sum of one element, in 64 bits, then saturated.
fn saturating_i32(plan: &Plan, a: &[u32], b: &[u32], c: &mut [u32]) {
    let n = plan.n;
    for (t, tile) in plan.tiles.iter().enumerate() {
        for i in 0..plan.m {
            for j in 0..n {
                let at = (t * plan.m + i) * n + j;
                let mut sum = c[at] as i32 as i64;
                for (&x, &y) in tile.a.iter().zip(&tile.b) {
                    sum += a[x as usize + i] as i32 as i64 * (b[y as usize + j] as i32 as i64);
                }
                c[at] = sum.clamp(i32::MIN as i64, i32::MAX as i64) as i32 as u32;
            }
        }
    }
}

/// Applies `f` to every step of every element: positions in A and B, and the sum so far.
fn each(plan: &Plan, c: &mut [f32], f: impl Fn(usize, usize, f32) -> f32) {
    for (t, tile) in plan.tiles.iter().enumerate() {
        for i in 0..plan.m {
            for j in 0..plan.n {
                let at = (t * plan.m + i) * plan.n + j;
                for (&x, &y) in tile.a.iter().zip(&tile.b) {
                    c[at] = f(x as usize + i, y as usize + j, c[at]);
                }
            }
        }
    }
}
