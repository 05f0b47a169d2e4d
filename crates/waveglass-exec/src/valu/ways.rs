//! How a source's lanes get from their register to the kernel, and a result's lanes back, where they do
//! not go as they are: each modifier is a few steps on bits, which are settled when the instruction
//! is compiled, so that the loops over lanes have no choices to make.

use super::kernel::{self, BLOCK, in_builds};
use super::simd;
use crate::alu::mix;

/// `(x << left >> right & keep) ^ flip`, the right shift with the sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bits {
    pub left: u32,
    pub right: u32,
    pub keep: u32,
    pub flip: u32,
}

impl Bits {
    pub(crate) const NOTHING: Self = Self {
        left: 0,
        right: 0,
        keep: u32::MAX,
        flip: 0,
    };

    #[inline(always)]
    pub(crate) fn of(self, x: u32) -> u32 {
        (((x << (self.left & 31)) as i32 >> (self.right & 31)) as u32 & self.keep) ^ self.flip
    }
}

/// The way of a source under MODE's defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// As it is.
    Plain,
    /// One register's bits; what further registers the operand has go as they are.
    Bits(Bits),
    /// The same of the second of two registers.
    Double(Bits),
    /// Two halves, each shifted down from where it is taken, then kept and flipped.
    Halves {
        low: u32,
        high: u32,
        keep: u32,
        flip: u32,
    },
    /// Two registers: whether each value is that of the second, and its flipped bits.
    Pair {
        low: bool,
        high: bool,
        flip: [u32; 2],
    },
    /// A half shifted down and widened to a single, then kept and flipped.
    Widened(Bits),
}

impl Way {
    /// The way of a register's bits.
    pub(super) fn of(bits: Bits) -> Self {
        match bits == Bits::NOTHING {
            true => Way::Plain,
            false => Way::Bits(bits),
        }
    }

    /// A double, whose sign is in its second register.
    pub(super) fn double(keep: u32, flip: u32) -> Self {
        let bits = Bits {
            keep,
            flip,
            ..Bits::NOTHING
        };
        match Self::of(bits) {
            Way::Plain => Way::Plain,
            _ => Way::Double(bits),
        }
    }
}

in_builds! {
    /// Lays a source of so many registers at `from` out at `to`.
    pub(super) fn prepare(regs: &mut [u32], from: usize, to: usize, n: usize, way: &Way, dwords: usize) {
        // A length that is known makes vector instructions of the loops.
        if n == 64 {
            prepare_lanes::<L, 64>(regs, from, to, way, dwords);
        } else {
            prepare_lanes::<L, 32>(regs, from, to, way, dwords);
        }
    }
}

#[inline(always)]
fn prepare_lanes<const L: usize, const N: usize>(
    regs: &mut [u32],
    from: usize,
    to: usize,
    way: &Way,
    dwords: usize,
) {
    let untouched = match *way {
        Way::Plain => 0..dwords,
        Way::Bits(bits) => {
            map_rows::<N>(regs, from, to, |x| bits.of(x));
            1..dwords
        }
        Way::Double(bits) => {
            map_rows::<N>(regs, from + N, to + N, |x| bits.of(x));
            0..1
        }
        Way::Halves {
            low,
            high,
            keep,
            flip,
        } => {
            map_rows::<N>(regs, from, to, |x| {
                let halves = x >> (low & 31) & 0xffff | x >> (high & 31) << 16;
                halves & keep ^ flip
            });
            return;
        }
        Way::Pair { low, high, flip } => {
            let mut i = 0;
            while i < N {
                let rows = [
                    kernel::block(regs, from + i),
                    kernel::block(regs, from + N + i),
                ];
                for (k, upper) in [low, high].into_iter().enumerate() {
                    let mut row = rows[usize::from(upper)];
                    for x in &mut row {
                        *x ^= flip[k];
                    }
                    kernel::set_block(regs, to + k * N + i, row);
                }
                i += BLOCK;
            }
            return;
        }
        Way::Widened(bits) => {
            let mut i = 0;
            while i < N {
                let row = widened::<L>(kernel::block(regs, from + i), bits);
                kernel::set_block(regs, to + i, row);
                i += BLOCK;
            }
            return;
        }
    };
    if from != to {
        for k in untouched {
            kernel::copy::<N>(regs, from + k * N, to + k * N);
        }
    }
}

#[inline(always)]
fn map_rows<const N: usize>(regs: &mut [u32], from: usize, to: usize, f: impl Fn(u32) -> u32) {
    let mut i = 0;
    while i < N {
        let mut row = kernel::block(regs, from + i);
        for x in &mut row {
            *x = f(*x);
        }
        kernel::set_block(regs, to + i, row);
        i += BLOCK;
    }
}

#[inline(always)]
fn widened<const L: usize>(mut row: [u32; BLOCK], bits: Bits) -> [u32; BLOCK] {
    for half in &mut row {
        *half >>= bits.right & 31;
    }
    let singles = simd::widen::<L>(row);
    let mut nan = false;
    for single in &singles {
        nan |= single.is_nan();
    }
    for k in 0..BLOCK {
        // A signalling NaN stays one.
        let single = match nan {
            true => mix::mix_source_f16(row[k], true, false),
            false => singles[k],
        };
        row[k] = single.to_bits() & bits.keep ^ bits.flip;
    }
    row
}

/// The part of a register that a result goes to: the result's low bits, extended as `bits` says, stand
/// there from `shift` on, and only the bits of `field` are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Insertion {
    pub bits: Bits,
    pub shift: u32,
    pub field: u32,
}

impl Insertion {
    /// All of a register.
    pub(crate) const WHOLE: Self = Self {
        bits: Bits::NOTHING,
        shift: 0,
        field: u32::MAX,
    };

    /// The lowest `width` bits of a result into the bits from `shift` on; with `field`, which is those
    /// or all of the register.
    pub(super) fn of(width: u32, shift: u32, field: u32, signed: bool) -> Self {
        let left = 32 - width;
        Self {
            bits: Bits {
                left,
                right: left,
                keep: if signed { u32::MAX } else { u32::MAX >> left },
                flip: 0,
            },
            shift,
            field,
        }
    }
}

in_builds! {
    /// Moves the lanes of `write` from a result at `from` to the register at `d`.
    pub(super) fn insert(regs: &mut [u32], d: usize, from: usize, n: usize, write: u64, part: &Insertion) {
        let Insertion { bits, shift, field } = *part;
        if *part == Insertion::WHOLE {
            insert_rows::<L>(regs, d, from, n, write, u32::MAX, |x| x);
        } else {
            insert_rows::<L>(regs, d, from, n, write, field, |x| bits.of(x) << (shift & 31));
        }
    }
}

in_builds! {
    /// Moves the lower halves of a result at `from` to those of the register at `d`.
    pub(super) fn insert_lower_halves(regs: &mut [u32], d: usize, from: usize, n: usize) {
        let mut i = 0;
        while i < n {
            let old = kernel::block(regs, d + i);
            let mut row = kernel::block(regs, from + i);
            for k in 0..BLOCK {
                row[k] = old[k] & 0xffff_0000 | row[k] & 0xffff;
            }
            kernel::set_block(regs, d + i, row);
            i += BLOCK;
        }
    }
}

#[inline(always)]
fn insert_rows<const L: usize>(
    regs: &mut [u32],
    d: usize,
    from: usize,
    n: usize,
    write: u64,
    field: u32,
    f: impl Fn(u32) -> u32,
) {
    let mut i = 0;
    while i < n {
        let old = kernel::block(regs, d + i);
        let mut row = kernel::block(regs, from + i);
        let lanes = simd::lanes_of::<L>((write >> i) as u32);
        for k in 0..BLOCK {
            let written = if lanes[k] { field } else { 0 };
            row[k] = old[k] & !written | f(row[k]) & written;
        }
        kernel::set_block(regs, d + i, row);
        i += BLOCK;
    }
}
