//! What a lane of an operand is: widths, halves, packed values, and how rows of them are read and written.

use super::BLOCK;
use crate::valu::simd;
use half::{bf16, f16};

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

/// A row of values that a loop works on. The alignment keeps vectors that the compiler has no
/// registers left for, or that it must index, from straddling cache lines in memory: a store that
/// does so is read back only when it has reached the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Row<T>(pub [T; BLOCK]);

impl<T> std::ops::Deref for Row<T> {
    type Target = [T; BLOCK];
    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T> std::ops::DerefMut for Row<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// The row at a position, which is a multiple of a row's length: that way one comparison is all
/// that the bounds cost.
#[inline(always)]
pub(in crate::valu) fn block(regs: &[u32], at: usize) -> [u32; BLOCK] {
    regs.as_chunks::<BLOCK>().0[at / BLOCK]
}

#[inline(always)]
pub(in crate::valu) fn set_block(regs: &mut [u32], at: usize, v: [u32; BLOCK]) {
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
pub(super) fn convert<A: Copy, B: Copy + Default>(
    from: [A; BLOCK],
    f: impl Fn(A) -> B,
) -> [B; BLOCK] {
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

/// Operands of one or two halves, as [`map_halves`](super::map_halves) hands them to the exact operation.
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

impl Halves for Bf16 {
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

impl Halves for PkBf16 {
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
