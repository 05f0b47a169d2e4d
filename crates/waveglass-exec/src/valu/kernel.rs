//! Lane kernels: one instruction's arithmetic over all lanes of its registers.
//!
//! A kernel reads and writes runs of lanes in the wave's flat register file, a row at a time
//! so that the compiler turns each block into vector instructions. Every kernel is compiled
//! for the baseline CPU, for AVX2 with FMA, and for AVX-512; the program takes the best that the
//! machine has.

use super::simd;
use crate::rows::ROW_LANES;
use half::{bf16, f16};
use std::sync::OnceLock;
use waveglass_isa::{Field, Inst, Target};

/// `(registers, destination, sources, lanes, mask in) -> mask out`. Positions are of the first
/// lane; a 64-bit operand's high halves lie one register further.
///
/// It is unsafe to call because it may use instructions that only some CPUs have.
pub type Kernel = unsafe fn(&mut [u32], usize, [usize; 3], usize, u64) -> u64;

/// Lanes that a kernel handles at once: a row.
pub const BLOCK: usize = ROW_LANES;

/// The three builds of a kernel: baseline, AVX2, AVX-512.
pub type Builds = [Kernel; 3];

/// The arithmetic of one instruction over a run of lanes.
pub trait LaneOp {
    /// Executes it in build `L` (see [`level`]).
    fn run<const L: usize>(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, mask: u64) -> u64;
}

fn baseline<T: LaneOp>(r: &mut [u32], d: usize, s: [usize; 3], n: usize, m: u64) -> u64 {
    T::run::<0>(r, d, s, n, m)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
fn avx2<T: LaneOp>(r: &mut [u32], d: usize, s: [usize; 3], n: usize, m: u64) -> u64 {
    T::run::<1>(r, d, s, n, m)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,fma,f16c,bmi1,bmi2,lzcnt,popcnt"
)]
fn avx512<T: LaneOp>(r: &mut [u32], d: usize, s: [usize; 3], n: usize, m: u64) -> u64 {
    T::run::<2>(r, d, s, n, m)
}

/// Defines a function in the builds of lane kernels: a call takes the best that the machine has. What
/// the body calls must be inlined for that to matter; `L` is the build (see [`level`]).
macro_rules! in_builds {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block) => {
        $(#[$meta])*
        $vis fn $name($($arg: $ty),*) {
            #[inline(always)]
            fn body<const L: usize>($($arg: $ty),*) $body
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
                fn avx2($($arg: $ty),*) {
                    body::<1>($($arg),*);
                }
                #[target_feature(
                    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,fma,f16c,bmi1,bmi2,lzcnt,popcnt"
                )]
                fn avx512($($arg: $ty),*) {
                    body::<2>($($arg),*);
                }
                match $crate::valu::kernel::level() {
                    // SAFETY: `level` found the CPU to have these features.
                    2 => return unsafe { avx512($($arg),*) },
                    // SAFETY: as above.
                    1 => return unsafe { avx2($($arg),*) },
                    _ => {}
                }
            }
            body::<0>($($arg),*);
        }
    };
}
pub(crate) use in_builds;

/// The builds of an operation's kernel.
#[cfg(target_arch = "x86_64")]
pub const fn builds<T: LaneOp>() -> Builds {
    [baseline::<T>, avx2::<T>, avx512::<T>]
}

/// The builds of an operation's kernel.
#[cfg(not(target_arch = "x86_64"))]
pub const fn builds<T: LaneOp>() -> Builds {
    [baseline::<T>, baseline::<T>, baseline::<T>]
}

/// The baseline build alone, for what need not be fast.
pub fn portable<T: LaneOp>() -> Kernel {
    baseline::<T>
}

/// The best build that this machine runs: an index into [`Builds`].
#[inline]
pub fn level() -> usize {
    static LEVEL: OnceLock<usize> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512cd");
            avx2 as usize + avx512 as usize
        }
        #[cfg(not(target_arch = "x86_64"))]
        0
    })
}

/// How an operand's lanes are read and written, and how its modifiers and constants act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Ty {
    /// No such operand.
    None,
    B32,
    F32,
    B64,
    F64,
    B16,
    F16,
    Bf16,
    /// Two 16-bit integers.
    PkB16,
    /// Two binary16.
    PkF16,
    /// Two bfloat16.
    PkBf16,
    /// Two binary32 in a register pair.
    PkF32,
    /// Two 32-bit integers in a register pair.
    PkB32,
    /// Binary32 or a half of a register as binary16, as `op_sel_hi` says (`v_fma_mix_f32`).
    Mix,
    /// The same with bfloat16 halves (`v_fma_mix_f32_bf16`).
    MixBf16,
    /// 96 bits.
    B96,
    /// 128 bits.
    B128,
}

impl Ty {
    /// Registers that the operand covers.
    pub const fn dwords(self) -> u32 {
        match self {
            Ty::None => 0,
            Ty::B64 | Ty::F64 | Ty::PkF32 | Ty::PkB32 => 2,
            Ty::B96 => 3,
            Ty::B128 => 4,
            _ => 1,
        }
    }

    /// Whether it is one 16-bit value.
    pub const fn is_half(self) -> bool {
        matches!(self, Ty::B16 | Ty::F16 | Ty::Bf16)
    }

    /// Whether it is a source of `v_fma_mix` or its kin.
    pub const fn is_mix(self) -> bool {
        matches!(self, Ty::Mix | Ty::MixBf16)
    }

    /// Whether MODE's denormal and rounding fields act on it.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Ty::F32
                | Ty::F64
                | Ty::F16
                | Ty::Bf16
                | Ty::PkF16
                | Ty::PkBf16
                | Ty::PkF32
                | Ty::Mix
                | Ty::MixBf16
        )
    }
}

/// A Rust type that stands for one lane of an operand.
pub trait Lane: Copy + Default {
    /// The operand type.
    const TY: Ty;
    /// Reads a block of lanes.
    fn load<const L: usize>(regs: &[u32], at: usize, n: usize) -> [Self; BLOCK];
    /// Writes a block of lanes.
    fn store<const L: usize>(regs: &mut [u32], at: usize, n: usize, v: [Self; BLOCK]);
}

/// The row at a position, which is a multiple of a row's length: that way one comparison is all
/// that the bounds cost.
#[inline(always)]
fn block(regs: &[u32], at: usize) -> [u32; BLOCK] {
    regs.as_chunks::<BLOCK>().0[at / BLOCK]
}

#[inline(always)]
fn set_block(regs: &mut [u32], at: usize, v: [u32; BLOCK]) {
    regs.as_chunks_mut::<BLOCK>().0[at / BLOCK] = v;
}

/// Copies the lanes of a register.
#[inline(always)]
pub fn copy<const N: usize>(regs: &mut [u32], from: usize, to: usize) {
    let mut i = 0;
    while i < N {
        let row = block(regs, from + i);
        set_block(regs, to + i, row);
        i += BLOCK;
    }
}

/// Lays `value` out over `dwords` registers of `n` lanes, its lowest dword first.
#[inline(always)]
pub fn spread(regs: &mut [u32], d: usize, n: usize, dwords: usize, value: u64) {
    for k in 0..dwords {
        let dword = value.checked_shr(32 * k as u32).unwrap_or(0) as u32;
        let mut i = 0;
        while i < n {
            set_block(regs, d + k * n + i, [dword; BLOCK]);
            i += BLOCK;
        }
    }
}

/// `array::map` as a loop: the standard one is not always inlined, and a call there costs a kernel
/// most of its speed.
#[inline(always)]
fn convert<A: Copy, B: Copy + Default>(from: [A; BLOCK], f: impl Fn(A) -> B) -> [B; BLOCK] {
    let mut to = [B::default(); BLOCK];
    for i in 0..BLOCK {
        to[i] = f(from[i]);
    }
    to
}

macro_rules! lane32 {
    ($($t:ty, $ty:ident, $from:expr, $to:expr;)*) => {$(
        impl Lane for $t {
            const TY: Ty = Ty::$ty;
            #[inline(always)]
            fn load<const L: usize>(regs: &[u32], at: usize, _: usize) -> [Self; BLOCK] {
                convert(block(regs, at), $from)
            }
            #[inline(always)]
            fn store<const L: usize>(regs: &mut [u32], at: usize, _: usize, v: [Self; BLOCK]) {
                set_block(regs, at, convert(v, $to));
            }
        }
    )*};
}

/// Two values of a packed operand, low first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pair<T>(pub T, pub T);

lane32! {
    u32, B32, |x| x, |x| x;
    i32, B32, |x| x as i32, |x| x as u32;
    f32, F32, f32::from_bits, f32::to_bits;
    u16, B16, |x| x as u16, |x| x as u32;
    i16, B16, |x| x as i16, |x| x as u16 as u32;
    f16, F16, |x| f16::from_bits(x as u16), |x| x.to_bits() as u32;
    bf16, Bf16, |x| bf16::from_bits(x as u16), |x| x.to_bits() as u32;
    Pair<u16>, PkB16, |x| Pair(x as u16, (x >> 16) as u16), |x| x.0 as u32 | (x.1 as u32) << 16;
    Pair<i16>, PkB16, |x| Pair(x as i16, (x >> 16) as i16),
        |x| x.0 as u16 as u32 | (x.1 as u16 as u32) << 16;
    Pair<f16>, PkF16, |x| Pair(f16::from_bits(x as u16), f16::from_bits((x >> 16) as u16)),
        |x| x.0.to_bits() as u32 | (x.1.to_bits() as u32) << 16;
    Pair<bf16>, PkBf16, |x| Pair(bf16::from_bits(x as u16), bf16::from_bits((x >> 16) as u16)),
        |x| x.0.to_bits() as u32 | (x.1.to_bits() as u32) << 16;
}

macro_rules! lane64 {
    ($($t:ty, $ty:ident, $from:expr, $to:expr;)*) => {$(
        impl Lane for $t {
            const TY: Ty = Ty::$ty;
            #[inline(always)]
            fn load<const L: usize>(regs: &[u32], at: usize, n: usize) -> [Self; BLOCK] {
                let v = simd::join::<L>(block(regs, at), block(regs, at + n));
                convert(v, $from)
            }
            #[inline(always)]
            fn store<const L: usize>(regs: &mut [u32], at: usize, n: usize, v: [Self; BLOCK]) {
                let [lo, hi] = simd::split::<L>(convert(v, $to));
                set_block(regs, at, lo);
                set_block(regs, at + n, hi);
            }
        }
    )*};
}

lane64! {
    u64, B64, |x| x, |x| x;
    i64, B64, |x| x as i64, |x| x as u64;
    f64, F64, f64::from_bits, f64::to_bits;
    Pair<f32>, PkF32, |x| Pair(f32::from_bits(x as u32), f32::from_bits((x >> 32) as u32)),
        |x: Pair<f32>| x.0.to_bits() as u64 | (x.1.to_bits() as u64) << 32;
    Pair<u32>, PkB32, |x| Pair(x as u32, (x >> 32) as u32),
        |x: Pair<u32>| x.0 as u64 | (x.1 as u64) << 32;
}

/// An `f32` that `op_sel_hi` may have made from a half.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mix(pub f32);

/// A value of `N` dwords, lowest first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dwords<const N: usize>(pub [u32; N]);

/// 96 bits as three dwords.
pub type Triple = Dwords<3>;

/// 128 bits as four dwords.
pub type Quad = Dwords<4>;

impl<const N: usize> Default for Dwords<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

/// The same from a bfloat16 half.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MixBf16(pub f32);

/// A binary16 as its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct F16(pub u16);

/// A bfloat16 as its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bf16(pub u16);

/// Two binary16 as their bits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PkF16(pub u32);

/// Two bfloat16 as their bits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PkBf16(pub u32);

/// Two 16-bit integers as their bits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PkB16(pub u32);

lane32! {
    Mix, Mix, |x| Mix(f32::from_bits(x)), |x| x.0.to_bits();
    MixBf16, MixBf16, |x| MixBf16(f32::from_bits(x)), |x| x.0.to_bits();
    F16, F16, |x| F16(x as u16), |x| x.0 as u32;
    Bf16, Bf16, |x| Bf16(x as u16), |x| x.0 as u32;
    PkF16, PkF16, PkF16, |x| x.0;
    PkBf16, PkBf16, PkBf16, |x| x.0;
    PkB16, PkB16, PkB16, |x| x.0;
}

/// Operands of one or two halves, as [`map_halves`] hands them to the exact operation.
pub trait Halves {
    /// Both halves take part.
    const PACKED: bool;
    /// The operand in a register's lane.
    fn of_dword(x: u32) -> Self;
    /// The lane of the result.
    fn dword(self) -> u32;
}

impl Halves for F16 {
    const PACKED: bool = false;
    #[inline(always)]
    fn of_dword(x: u32) -> Self {
        Self(x as u16)
    }
    #[inline(always)]
    fn dword(self) -> u32 {
        self.0.into()
    }
}

impl Halves for PkF16 {
    const PACKED: bool = true;
    #[inline(always)]
    fn of_dword(x: u32) -> Self {
        Self(x)
    }
    #[inline(always)]
    fn dword(self) -> u32 {
        self.0
    }
}

impl<const N: usize> Lane for Dwords<N> {
    const TY: Ty = if N == 3 { Ty::B96 } else { Ty::B128 };
    #[inline(always)]
    fn load<const L: usize>(regs: &[u32], at: usize, n: usize) -> [Self; BLOCK] {
        let rows: [[u32; BLOCK]; N] = std::array::from_fn(|k| block(regs, at + k * n));
        std::array::from_fn(|i| Self(std::array::from_fn(|k| rows[k][i])))
    }
    #[inline(always)]
    fn store<const L: usize>(regs: &mut [u32], at: usize, n: usize, v: [Self; BLOCK]) {
        for k in 0..N {
            set_block(regs, at + k * n, convert(v, |q| q.0[k]));
        }
    }
}

/// No operand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Absent;

impl Lane for Absent {
    const TY: Ty = Ty::None;
    #[inline(always)]
    fn load<const L: usize>(_: &[u32], _: usize, _: usize) -> [Self; BLOCK] {
        [Absent; BLOCK]
    }
    #[inline(always)]
    fn store<const L: usize>(_: &mut [u32], _: usize, _: usize, _: [Self; BLOCK]) {}
}

/// Lanes of a block, as a number that the compiler does not know, for loops over what is no plain row:
/// unrolled, it would take them apart again.
#[inline(always)]
fn rolled(n: usize) -> usize {
    n.min(BLOCK)
}

/// [`rolled`] where operands are pairs of registers, else all of a block.
#[inline(always)]
fn rolled_pairs<A: Lane, C: Lane, R: Lane>(n: usize) -> usize {
    let pairs = |ty: Ty| matches!(ty, Ty::B64 | Ty::F64);
    if pairs(A::TY) || pairs(C::TY) || pairs(R::TY) {
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
        for k in 0..rolled_pairs::<A, C, R>(n) {
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
        for k in 0..rolled_pairs::<A, C, R>(n) {
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
            let (high, nan_high) =
                halves::<L, S>(rows.map(|row| convert(row, |x| x >> 16)), n, &fast);
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
        let [low, high] = [a, b].map(simd::narrow_toward_zero::<L>);
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
            let [a0, b0] = [a, b].map(simd::widen::<L>);
            let [a1, b1] = [a, b].map(|x| simd::widen::<L>(convert(x, |x| x >> 16)));
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

/// What a kernel may ask about its wave: MODE and the target's generation. It comes as the `mask`
/// of operations that take no mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting(pub u64);

impl Setting {
    /// Packs the setting of a wave.
    #[inline]
    pub fn of(wave: &crate::wave::Wave) -> Self {
        let cdna = wave.target.is_gfx9() && wave.target.has_gfx90a_insts();
        let rdna3 = wave.target.generation() == waveglass_isa::Generation::Rdna3;
        Self(
            wave.mode.0 as u64
                | (wave.target.major() as u64) << 32
                | (cdna as u64) << 46
                | (rdna3 as u64) << 47,
        )
    }

    /// What an instruction of `MaskUse::Selection` adds: OP_SEL in bits 43:40, the clamp bit in
    /// 44, and in 45 whether its 8-bit floats are the FNUZ kind. A byte select of its own stands in
    /// both halves of OP_SEL.
    pub fn selection(inst: &Inst) -> u64 {
        let op_sel = if inst.operand_def(Field::ByteSel).is_some() {
            let byte = inst.field(Field::ByteSel) & 3;
            byte | byte << 2
        } else {
            let bit = |f, n: u64| inst.field(f) >> n & 1;
            bit(Field::Src0Modifiers, 2)
                | bit(Field::Src1Modifiers, 2) << 1
                | bit(Field::Src2Modifiers, 2) << 2
                | bit(Field::Src0Modifiers, 3) << 3
        };
        let fnuz = inst.target() == Target::Gfx942;
        op_sel << 40 | (inst.field(Field::Clamp) & 1) << 44 | (fnuz as u64) << 45
    }

    /// The byte that OP_SEL bits 1:0 name of a source.
    #[inline(always)]
    pub fn source_byte(self) -> u64 {
        self.0 >> 40 & 3
    }

    /// The byte that OP_SEL bits 3:2 name of the result.
    #[inline(always)]
    pub fn result_byte(self) -> u64 {
        self.0 >> 42 & 3
    }

    /// The clamp bit of an instruction that makes its own use of it.
    #[inline(always)]
    pub fn clamp(self) -> bool {
        self.0 >> 44 & 1 != 0
    }

    /// Whether 8-bit floats have no infinities and no minus zero (gfx942).
    #[inline(always)]
    pub fn fnuz(self) -> bool {
        self.0 >> 45 & 1 != 0
    }

    /// The target's major version.
    #[inline(always)]
    pub fn major(self) -> u64 {
        self.0 >> 32 & 0xff
    }

    /// Whether float dot products flush denormals whatever MODE says (CDNA2 ISA 6.4: "They always
    /// flush input and output denorms"; CDNA3 and CDNA4 alike).
    #[inline(always)]
    pub fn flushes_dot(self) -> bool {
        self.0 >> 46 & 1 != 0
    }

    /// Whether 16-bit dot products add the third source last: on RDNA 3 alone; RDNA 3.5 and 4 begin
    /// with it (V_DOT2_F16_F16 in RDNA3 ISA 16.12, RDNA3.5 and RDNA4 ISA).
    #[inline(always)]
    pub fn adds_last(self) -> bool {
        self.0 >> 47 & 1 != 0
    }

    /// MODE.
    #[inline(always)]
    pub fn mode(self) -> crate::wave::Mode {
        crate::wave::Mode(self.0 as u32)
    }

    /// Whether signalling NaN sources of minimum and maximum are returned quieted.
    #[inline(always)]
    pub fn ieee(self) -> bool {
        self.mode().ieee()
    }
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
        for k in 0..rolled_pairs::<A, C, R>(n) {
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
