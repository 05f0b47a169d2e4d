//! Atomic operations as pure functions of memory's value and the operands.
//!
//! [`GlobalMemory::atomic`](crate::GlobalMemory::atomic) and `Lds::atomic` apply them.

use crate::rules::{Generation, MinMaxRule};
use half::{bf16, f16};

/// What an atomic does. `M` is memory's value before, `D` the data, `X` the second operand.
///
/// The mapping of registers to `D` and `X` is the instruction's: buffer, flat and global compare-swaps
/// take `D` from the first data register and `X` (the comparand) from the one after it; `DS_CMPST` (up
/// to gfx10) has the comparand first, `DS_CMPSTORE` (gfx11 on) the data first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// `D`.
    Swap,
    /// `M == X ? D : M`.
    CmpSwap,
    /// `M + D`.
    Add,
    /// `M - D`.
    Sub,
    /// `D - M`.
    Rsub,
    /// The smaller, signed.
    Smin,
    /// The smaller, unsigned.
    Umin,
    /// The larger, signed.
    Smax,
    /// The larger, unsigned.
    Umax,
    /// `M & D`.
    And,
    /// `M | D`.
    Or,
    /// `M ^ D`.
    Xor,
    /// `M >= D ? 0 : M + 1`, unsigned.
    Inc,
    /// `M == 0 || M > D ? D : M - 1`, unsigned.
    Dec,
    /// `M < D ? 0 : M - D`, unsigned (CSUB, later SUB_CLAMP).
    SubClamp,
    /// `M >= D ? M - D : M`, unsigned (COND_SUB).
    CondSub,
    /// `M >= D ? M - D : M + X`, unsigned (DS_WRAP_RTN).
    Wrap,
    /// `(M & !D) | X` (DS_MSKOR).
    Mskor,
    /// Float addition, rounded to nearest even.
    FAdd,
    /// Float minimum by [`AtomicRules::min_max`].
    FMin,
    /// Float maximum by [`AtomicRules::min_max`].
    FMax,
    /// `D` where `M` and `X` are equal as floats (no NaN; zeros of either sign are equal), else `M`.
    FCmpSwap,
    /// Two independent f16 additions. 32-bit only.
    PkAddF16,
    /// Two independent bf16 additions. 32-bit only.
    PkAddBf16,
    /// An arrival at an LDS barrier whose pending count has so many bits, 64-bit only (CDNA 5 ISA 11.2.2):
    /// `D`'s low dword is taken from the low dword, count and phase in one; if that borrows from the phase
    /// (with 32 bits and no phase: if it becomes negative), the count is set to the initial count in bits
    /// 47:32.
    BarrierArrive(u8),
    /// An addition in the order of ids, 64-bit only (RDNA 4 ISA 16.20): where the low dword is `D`'s, it
    /// becomes the next id under this mask, and the high dword grows by `D`'s.
    OrderedAdd(u32),
}

/// How wide an atomic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicWidth {
    /// 32 bits, aligned to 4.
    B32,
    /// 64 bits, aligned to 8.
    B64,
}

impl AtomicWidth {
    /// Its size in bytes, which is its alignment too.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::B32 => 4,
            Self::B64 => 8,
        }
    }

    /// VGPRs that one operand takes.
    pub const fn dwords(self) -> usize {
        match self {
            Self::B32 => 1,
            Self::B64 => 2,
        }
    }
}

/// The rules of float atomics.
///
/// Denormals by generation (chapters "Float Memory Atomics"):
///
/// | | cache: add f32 | cache: min, max f32 | cache: f64, packed | LDS |
/// |---|---|---|---|---|
/// | CDNA 1 | flush | - | keep | MODE |
/// | CDNA 2 | flush | - | keep | MODE |
/// | CDNA 3, 4 | keep | - | keep | MODE |
/// | RDNA 1 to 3.5 | flush | MODE | keep | MODE (add: both controls; others: input) |
/// | RDNA 4, CDNA 5 | keep | keep | keep | MODE |
///
/// CDNA 3's manual says "flush" for the f32 addition in the cache; LLVM's feature
/// `MemoryAtomicFAddF32DenormalSupport` (gfx94x, gfx12) says otherwise and compilers rely on it, so
/// it decides here. Minimum and maximum flush for the comparison only and store an operand as it was
/// (RDNA 3 ISA 13.2), from gfx12 on they work on what is flushed (RDNA 4 ISA 13.2, CDNA 5 ISA 12.2);
/// a float compare-swap follows MODE at either width before gfx12 and flushes what it stores. The f64
/// adder of LDS does not flush (CDNA 3 ISA 9.2.2, RDNA 4 ISA 13.2, CDNA 5 ISA 12.2).
///
/// The sum of infinities of different signs is the quiet NaN with only the top bit of its mantissa (RDNA 3 ISA
/// 13.3), which gfx12 gives a minus sign (RDNA 4 ISA 13.3, CDNA 5 ISA 12.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AtomicRules {
    /// NaN handling of minimum and maximum.
    pub min_max: MinMaxRule,
    /// Denormal inputs count as zeros of their sign.
    pub flush_input: bool,
    /// Denormal sums become zeros of their sign.
    pub flush_output: bool,
}

impl AtomicRules {
    /// The rules of an atomic that the cache performs (buffer, flat, global).
    ///
    /// `mode_flush` is whether MODE flushes input denormals of the width in question; it counts only
    /// where the table says MODE.
    pub const fn memory(
        generation: Generation,
        op: AtomicOp,
        width: AtomicWidth,
        mode_flush: bool,
    ) -> Self {
        let narrow = matches!(width, AtomicWidth::B32);
        let flush = match op {
            AtomicOp::FAdd => {
                narrow
                    && !generation.is_gfx12()
                    && !matches!(generation, Generation::Cdna3 | Generation::Cdna4)
            }
            AtomicOp::FMin | AtomicOp::FMax => narrow && !generation.is_gfx12() && mode_flush,
            AtomicOp::FCmpSwap => !generation.is_gfx12() && mode_flush,
            _ => false,
        };
        Self {
            min_max: generation.min_max(),
            flush_input: flush,
            flush_output: flush && matches!(op, AtomicOp::FAdd),
        }
    }

    /// The rules of an atomic in LDS, where MODE decides.
    pub const fn lds(generation: Generation, flush_input: bool, flush_output: bool) -> Self {
        Self {
            min_max: generation.min_max(),
            flush_input,
            flush_output,
        }
    }

    /// Whether the generation is gfx12 or later, which two rules besides the kind of minimum go by.
    const fn is_gfx12(self) -> bool {
        matches!(self.min_max, MinMaxRule::Number)
    }

    /// The same without flushing.
    const fn keeping(self) -> Self {
        Self {
            flush_input: false,
            flush_output: false,
            ..self
        }
    }

    /// Rules for integer atomics, which none of these concern.
    pub const fn integer(generation: Generation) -> Self {
        Self::lds(generation, false, false)
    }
}

macro_rules! float_rules {
    ($mod:ident, $bits:ty, $float:ty, $exp:expr, $man:expr) => {
        mod $mod {
            use super::{AtomicRules, MinMaxRule};
            const SIGN: $bits = 1 << (<$bits>::BITS - 1);
            const EXP: $bits = $exp;
            const MAN: $bits = $man;
            const QUIET: $bits = (MAN + 1) >> 1;

            fn is_nan(x: $bits) -> bool {
                x & EXP == EXP && x & MAN != 0
            }
            fn is_snan(x: $bits) -> bool {
                is_nan(x) && x & QUIET == 0
            }
            fn flush(x: $bits, on: bool) -> $bits {
                if on && x & EXP == 0 { x & SIGN } else { x }
            }
            /// Orders non-NaN values with -0 below +0.
            fn less(a: $bits, b: $bits) -> bool {
                let key = |x: $bits| if x & SIGN != 0 { !x } else { x | SIGN };
                key(a) < key(b)
            }

            /// The sum; a NaN operand is returned quieted, memory's first.
            pub(super) fn add(m: $bits, d: $bits, rules: AtomicRules) -> $bits {
                if is_nan(m) {
                    return m | QUIET;
                }
                if is_nan(d) {
                    return d | QUIET;
                }
                let m = <$float>::from_bits(flush(m, rules.flush_input));
                let d = <$float>::from_bits(flush(d, rules.flush_input));
                let sum = m + d;
                if sum.is_nan() {
                    return EXP | QUIET | if rules.is_gfx12() { SIGN } else { 0 };
                }
                flush(sum.to_bits(), rules.flush_output)
            }

            /// Minimum (`max` false) or maximum of memory and data.
            pub(super) fn min_max(m: $bits, d: $bits, max: bool, rules: AtomicRules) -> $bits {
                let (a, b) = (flush(m, rules.flush_input), flush(d, rules.flush_input));
                let (m, d) = if rules.is_gfx12() { (a, b) } else { (m, d) };
                match rules.min_max {
                    MinMaxRule::NanOrdered if is_snan(m) => return m | QUIET,
                    MinMaxRule::NanOrdered if is_snan(d) => return d | QUIET,
                    _ => {}
                }
                match (is_nan(m), is_nan(d)) {
                    (true, true) => return m | QUIET,
                    (true, false) => return d,
                    (false, true) => return m,
                    (false, false) => {}
                }
                let take_data = if max { less(a, b) } else { less(b, a) };
                if take_data { d } else { m }
            }

            /// `d` where memory equals `x`.
            pub(super) fn cmp_swap(m: $bits, d: $bits, x: $bits, rules: AtomicRules) -> $bits {
                let (a, b) = (flush(m, rules.flush_input), flush(x, rules.flush_input));
                let equal = !is_nan(a) && !is_nan(b) && (a == b || (a | b) == SIGN);
                flush(if equal { d } else { m }, rules.flush_input)
            }
        }
    };
}

float_rules!(float32, u32, f32, 0x7f80_0000, 0x007f_ffff);
float_rules!(float64, u64, f64, 0x7ff0 << 48, (1 << 52) - 1);

macro_rules! half_addition {
    ($name:ident, $float:ty, $exp:expr, $quiet:expr) => {
        /// A sum of halves. An f32 holds the exact sum, rounded at worst once more: 24 bits are at least twice the
        /// format's and two, so that the second rounding is innocuous.
        fn $name(m: u16, d: u16, rules: AtomicRules) -> u16 {
            const SIGN: u16 = 0x8000;
            let flush = |x: u16, on: bool| if on && x & $exp == 0 { x & SIGN } else { x };
            for x in [m, d] {
                if <$float>::from_bits(x).is_nan() {
                    return x | $quiet;
                }
            }
            let [a, b] = [m, d].map(|x| <$float>::from_bits(flush(x, rules.flush_input)));
            let sum = <$float>::from_f32(f32::from(a) + f32::from(b));
            if sum.is_nan() {
                return $exp | $quiet | if rules.is_gfx12() { SIGN } else { 0 };
            }
            flush(sum.to_bits(), rules.flush_output)
        }
    };
}

half_addition!(add_f16, f16, 0x7c00, 0x200);
half_addition!(add_bf16, bf16, 0x7f80, 0x40);

fn halves(m: u32, d: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(m as u16, d as u16)) | u32::from(f((m >> 16) as u16, (d >> 16) as u16)) << 16
}

macro_rules! integer {
    ($self:expr, $m:expr, $d:expr, $x:expr, $signed:ty, $float:expr) => {{
        let (m, d, x) = ($m, $d, $x);
        match $self {
            AtomicOp::Swap => d,
            AtomicOp::CmpSwap => {
                if m == x {
                    d
                } else {
                    m
                }
            }
            AtomicOp::Add => m.wrapping_add(d),
            AtomicOp::Sub => m.wrapping_sub(d),
            AtomicOp::Rsub => d.wrapping_sub(m),
            AtomicOp::Smin => (m as $signed).min(d as $signed) as _,
            AtomicOp::Umin => m.min(d),
            AtomicOp::Smax => (m as $signed).max(d as $signed) as _,
            AtomicOp::Umax => m.max(d),
            AtomicOp::And => m & d,
            AtomicOp::Or => m | d,
            AtomicOp::Xor => m ^ d,
            AtomicOp::Inc => {
                if m >= d {
                    0
                } else {
                    m + 1
                }
            }
            AtomicOp::Dec => {
                if m == 0 || m > d {
                    d
                } else {
                    m - 1
                }
            }
            AtomicOp::SubClamp => m.saturating_sub(d),
            AtomicOp::CondSub => {
                if m >= d {
                    m - d
                } else {
                    m
                }
            }
            AtomicOp::Wrap => {
                if m >= d {
                    m - d
                } else {
                    m.wrapping_add(x)
                }
            }
            AtomicOp::Mskor => (m & !d) | x,
            _ => $float,
        }
    }};
}

impl AtomicOp {
    /// Whether the operation has a 64-bit form.
    pub const fn has_b64(self) -> bool {
        !matches!(self, Self::PkAddF16 | Self::PkAddBf16)
    }

    /// Whether the operation reads a second operand.
    pub const fn has_second_operand(self) -> bool {
        matches!(
            self,
            Self::CmpSwap | Self::FCmpSwap | Self::Wrap | Self::Mskor
        )
    }

    /// What memory holds afterwards, 32 bits.
    ///
    /// ```
    /// use waveglass_mem::{AtomicOp, AtomicRules, Generation};
    /// let rules = AtomicRules::integer(Generation::Gcn5);
    /// assert_eq!(AtomicOp::Inc.apply32(7, 7, 0, rules), 0);
    /// assert_eq!(AtomicOp::CmpSwap.apply32(5, 9, 5, rules), 9);
    /// ```
    pub fn apply32(self, memory: u32, data: u32, second: u32, rules: AtomicRules) -> u32 {
        integer!(self, memory, data, second, i32, {
            match self {
                Self::FAdd => float32::add(memory, data, rules),
                Self::FMin => float32::min_max(memory, data, false, rules),
                Self::FMax => float32::min_max(memory, data, true, rules),
                Self::FCmpSwap => float32::cmp_swap(memory, data, second, rules),
                Self::PkAddF16 => halves(memory, data, |m, d| add_f16(m, d, rules)),
                _ => halves(memory, data, |m, d| add_bf16(m, d, rules)),
            }
        })
    }

    /// What memory holds afterwards, 64 bits. The packed additions have no 64-bit form and leave
    /// memory as it is.
    pub fn apply64(self, memory: u64, data: u64, second: u64, rules: AtomicRules) -> u64 {
        integer!(self, memory, data, second, i64, {
            match self {
                Self::FAdd => float64::add(memory, data, rules.keeping()),
                Self::FMin => float64::min_max(memory, data, false, rules),
                Self::FMax => float64::min_max(memory, data, true, rules),
                Self::FCmpSwap => float64::cmp_swap(memory, data, second, rules),
                Self::BarrierArrive(width) => barrier_arrive(memory, data as u32, width),
                Self::OrderedAdd(mask) => ordered_add(memory, data, mask),
                _ => memory,
            }
        })
    }
}

/// What an (id, value) pair holds after an ordered addition (RDNA 4 ISA 16.20).
fn ordered_add(pair: u64, data: u64, mask: u32) -> u64 {
    let (id, value) = (pair as u32, (pair >> 32) as u32);
    if id != data as u32 {
        return pair;
    }
    let value = value.wrapping_add((data >> 32) as u32);
    u64::from(id.wrapping_add(1) & mask) | u64::from(value) << 32
}

/// What an LDS barrier holds after an arrival of `count` (CDNA 5 ISA 11.2.2).
fn barrier_arrive(barrier: u64, count: u32, width: u8) -> u64 {
    let before = barrier as u32;
    let after = before.wrapping_sub(count);
    let initial = (barrier >> 32) as u32 & 0xffff;
    let state = match 1u32.checked_shl(width.into()) {
        Some(phase) if before / phase != after / phase => after & !(phase - 1) | initial,
        None if after >> 31 != 0 => initial,
        _ => after,
    };
    barrier & !0xffff_ffff | u64::from(state)
}

#[cfg(test)]
#[path = "atomic_tests.rs"]
mod tests;
