//! The addresses of flat and global operations.

use super::{Half, immediate, span};
use crate::machine::Machine;
use crate::program::{Compile, Op, Src};
use crate::wave::ROW_LANES;
use std::marker::PhantomData;
use std::ops::Range;
use waveglass_isa::{Field, Inst};
use waveglass_mem::wide::{self, Host, LaneLoop, WaveLoop};
use waveglass_mem::{Active, DwordOfLane, FromBase, PerLane, RegisterPairs, Row, Scaled};

/// Base in a VGPR pair.
pub(super) const GV: u8 = 0;
/// Base in an SGPR pair, offset in a VGPR.
pub(super) const GVS: u8 = 1;
/// Base in an SGPR pair, lane number times four (ADDTID).
pub(super) const GT: u8 = 2;

/// The addresses that lanes access, and what is known of all of them.
pub(super) struct Addresses {
    /// Offsets included; lanes past the wave's size are zero.
    pub sums: PerLane<u64, 64>,
    /// Every bit that any lane has set in its address with or without the immediate, inactive
    /// lanes included.
    pub bits: u64,
}

/// What addresses are formed from.
struct Form<'a, const MODE: u8> {
    /// The rows of the vector address: the low dwords, then (in [`GV`]) the high ones.
    vector: &'a [Row],
    rows: usize,
    base: u64,
    offset: u64,
    scale: i64,
}

impl<const MODE: u8> LaneLoop for Form<'_, MODE> {
    type Output = Addresses;

    #[inline(always)]
    fn run(self, _: Host) -> Addresses {
        let mut out = Addresses {
            sums: PerLane([0; 64]),
            bits: 0,
        };
        if self.rows == 2 {
            (out.sums, out.bits) = self.sums::<64>();
        } else {
            let (sums, bits) = self.sums::<32>();
            out.sums.0[..32].copy_from_slice(&sums.0);
            out.bits = bits;
        }
        out
    }
}

/// The rows of the vector address, as [`Form`] has them.
#[inline(always)]
fn vector_rows<const MODE: u8>(rows: usize, op: &Op) -> Range<usize> {
    let dwords = match MODE {
        GV => 2,
        GT => 0,
        _ => 1,
    };
    let first = match op.s[0] {
        Src::Vgpr(r) => r,
        _ => 0,
    };
    span(rows, first, dwords)
}

impl<'a, const MODE: u8> Form<'a, MODE> {
    /// What the op's addresses are formed from. The operands: `s[0]` the vector address, `s[1]` the
    /// scalar base.
    #[inline(always)]
    fn of(m: &'a Machine<'_>, op: &Op) -> Self {
        let rows = m.wave.rows;
        Self {
            vector: &m.wave.vgpr[vector_rows::<MODE>(rows, op)],
            rows,
            base: scalar_base::<MODE>(m, op),
            offset: op.mem.offset as u64,
            scale: op.mem.scale,
        }
    }

    /// The addresses of `W` lanes, and the bits that they have set with or without the immediate.
    #[inline(always)]
    fn sums<const W: usize>(&self) -> (PerLane<u64, W>, u64) {
        let (offset, base, scale) = (self.offset, self.base, self.scale);
        let mut out = PerLane([0; W]);
        let sums = &mut out.0;
        let mut bits = 0;
        let mut put = |sum: &mut u64, address: u64| {
            *sum = address.wrapping_add(offset);
            bits |= address | *sum;
        };
        let registers = self.vector.as_flattened().as_chunks::<W>().0;
        match (MODE, registers) {
            (GV, [low, high, ..]) => {
                for ((sum, &low), &high) in sums.iter_mut().zip(low).zip(high) {
                    put(sum, low as u64 | (high as u64) << 32);
                }
            }
            (GVS, [index, ..]) if scale == 0 => {
                for (sum, &index) in sums.iter_mut().zip(index) {
                    put(sum, base.wrapping_add(index as u64));
                }
            }
            (GVS, [index, ..]) => {
                for (sum, &index) in sums.iter_mut().zip(index) {
                    let bytes = index as i32 as i64 * scale;
                    put(sum, base.wrapping_add(bytes as u64));
                }
            }
            _ => {
                for (lane, sum) in sums.iter_mut().enumerate() {
                    put(sum, base.wrapping_add(lane as u64 * 4));
                }
            }
        }
        (out, bits)
    }
}

/// Hands the addresses that `vector` (as in [`Form`]) holds to an expression; `false` where registers are
/// missing.
macro_rules! formed {
    ($mode:ident, $vector:ident, $base:ident, $op:ident, |$at:ident| $run:expr) => {{
        let immediate = $op.mem.offset as u64;
        match ($mode, $vector) {
            (GV, [low, high, ..]) => {
                let $at = RegisterPairs {
                    low,
                    high,
                    immediate,
                };
                $run
            }
            (GVS, [offsets, ..]) if $op.mem.scale == 0 => {
                let $at = FromBase {
                    base: $base,
                    offsets,
                    immediate,
                };
                $run
            }
            (GVS, [offsets, ..]) => {
                let $at = Scaled {
                    base: $base,
                    offsets,
                    scale: $op.mem.scale as u8,
                    immediate,
                };
                $run
            }
            (GT, _) => {
                let $at = DwordOfLane {
                    base: $base,
                    immediate,
                };
                $run
            }
            _ => false,
        }
    }};
}

/// What a lane moves, from or to addresses of one form. Its functions give `false`, with nothing done, where the
/// wave's active lanes do not all touch one region of plainly global memory.
pub(super) trait Moves {
    /// Bytes a lane.
    fn bytes(op: &Op) -> u32;

    /// Stores them.
    fn stores<const W: usize, const FULL: bool>(
        m: &mut Machine<'_>,
        op: &Op,
        exec: u64,
        host: Host,
    ) -> bool;

    /// Loads them.
    fn loads<const W: usize, const FULL: bool>(
        m: &mut Machine<'_>,
        op: &Op,
        exec: u64,
        host: Host,
    ) -> bool;
}

/// A load or store of a whole wave, as far as [`Moves`] do it.
pub(super) struct Whole<'a, 'm, T, const STORES: bool> {
    m: &'a mut Machine<'m>,
    op: &'a Op,
    moves: PhantomData<T>,
}

impl<'a, 'm, T: Moves, const STORES: bool> Whole<'a, 'm, T, STORES> {
    #[inline(always)]
    pub(super) fn new(m: &'a mut Machine<'m>, op: &'a Op) -> Self {
        Self {
            m,
            op,
            moves: PhantomData,
        }
    }
}

impl<T: Moves, const STORES: bool> WaveLoop for Whole<'_, '_, T, STORES> {
    #[inline(always)]
    fn count(&self) -> usize {
        if self.m.wave.ptr32 {
            0
        } else {
            self.m.wave.lanes()
        }
    }

    #[inline(always)]
    fn lanes<const W: usize>(self, host: Host) -> bool {
        let (m, op) = (self.m, self.op);
        let exec = m.wave.exec();
        let done = match (STORES, m.wave.is_full()) {
            (true, true) => T::stores::<W, true>(m, op, exec, host),
            (true, false) => T::stores::<W, false>(m, op, exec, host),
            (false, true) => T::loads::<W, true>(m, op, exec, host),
            (false, false) => T::loads::<W, false>(m, op, exec, host),
        };
        if done {
            count_lanes::<STORES>(m, exec, T::bytes(op));
        }
        done
    }
}

/// `N` whole dwords.
pub(super) struct Dwords<const MODE: u8, const N: usize>;

impl<const MODE: u8, const N: usize> Moves for Dwords<MODE, N> {
    #[inline(always)]
    fn bytes(_: &Op) -> u32 {
        4 * N as u32
    }

    #[inline(always)]
    fn stores<const W: usize, const FULL: bool>(
        m: &mut Machine<'_>,
        op: &Op,
        exec: u64,
        host: Host,
    ) -> bool {
        let active = Active::<FULL, W>::new(exec);
        let base = scalar_base::<MODE>(m, op);
        let rows = W / ROW_LANES;
        let data = m.wave.vgpr[span(rows, op.d2, N)].as_flattened();
        let vector = m.wave.vgpr[vector_rows::<MODE>(rows, op)].as_flattened();
        let Some(data) = data.as_chunks().0.first_chunk::<N>() else {
            return false;
        };
        let vector = vector.as_chunks::<W>().0;
        formed!(MODE, vector, base, op, |at| m
            .memory
            .store_whole(at, &active, data, m.port, host))
    }

    #[inline(always)]
    fn loads<const W: usize, const FULL: bool>(
        m: &mut Machine<'_>,
        op: &Op,
        exec: u64,
        host: Host,
    ) -> bool {
        let active = Active::<FULL, W>::new(exec);
        let base = scalar_base::<MODE>(m, op);
        let rows = W / ROW_LANES;
        let (data, vector) = (span(rows, op.d, N), vector_rows::<MODE>(rows, op));
        // A load into registers that hold its addresses works on a copy of those.
        let mut copy = PerLane([[0; W]; 2]);
        let (data, vector): (&mut [Row], &[[u32; W]]) =
            match m.wave.vgpr.get_disjoint_mut([data.clone(), vector.clone()]) {
                Ok([data, vector]) => (data, vector.as_flattened().as_chunks().0),
                Err(_) => {
                    let vector = m.wave.vgpr[vector].as_flattened();
                    for (to, from) in copy.0.iter_mut().zip(vector.as_chunks().0) {
                        *to = *from;
                    }
                    (&mut m.wave.vgpr[data], &copy.0)
                }
            };
        let Some(data) = data
            .as_flattened_mut()
            .as_chunks_mut()
            .0
            .first_chunk_mut::<N>()
        else {
            return false;
        };
        formed!(MODE, vector, base, op, |at| m
            .memory
            .load_whole(at, &active, data, m.port, host))
    }
}

/// A byte or a short, in any part of the register.
pub(super) struct Small<const MODE: u8>;

impl<const MODE: u8> Moves for Small<MODE> {
    #[inline(always)]
    fn bytes(op: &Op) -> u32 {
        op.mem.element.bytes()
    }

    #[inline(always)]
    fn stores<const W: usize, const FULL: bool>(
        m: &mut Machine<'_>,
        op: &Op,
        exec: u64,
        host: Host,
    ) -> bool {
        let active = Active::<FULL, W>::new(exec);
        let base = scalar_base::<MODE>(m, op);
        let rows = W / ROW_LANES;
        let data = m.wave.vgpr[span(rows, op.d2, 1)].as_flattened();
        let vector = m.wave.vgpr[vector_rows::<MODE>(rows, op)].as_flattened();
        let Some(mut data) = data.first_chunk::<W>() else {
            return false;
        };
        let upper: [u32; W];
        if op.mem.half == Half::Hi {
            upper = data.map(|v| v >> 16);
            data = &upper;
        }
        let (vector, element) = (vector.as_chunks::<W>().0, op.mem.element);
        formed!(MODE, vector, base, op, |at| m
            .memory
            .store_small_whole(at, &active, element, data, m.port, host))
    }

    #[inline(always)]
    fn loads<const W: usize, const FULL: bool>(
        m: &mut Machine<'_>,
        op: &Op,
        exec: u64,
        host: Host,
    ) -> bool {
        let active = Active::<FULL, W>::new(exec);
        let base = scalar_base::<MODE>(m, op);
        let rows = W / ROW_LANES;
        let vector = m.wave.vgpr[vector_rows::<MODE>(rows, op)].as_flattened();
        let (vector, element) = (vector.as_chunks::<W>().0, op.mem.element);
        let mut values = [0; W];
        let done = formed!(MODE, vector, base, op, |at| m.memory.load_small_whole(
            at,
            &active,
            element,
            &mut values,
            m.port,
            host
        ));
        let data = m.wave.vgpr[span(rows, op.d, 1)].as_flattened_mut();
        let Some(data) = data.first_chunk_mut::<W>().filter(|_| done) else {
            return false;
        };
        // Each half is a loop of its own, which the compiler makes vector instructions of.
        macro_rules! merged {
            ($($half:ident)*) => {
                match op.mem.half {
                    $(Half::$half => {
                        for (lane, (old, &value)) in data.iter_mut().zip(&values).enumerate() {
                            *old = active.choose(lane, Half::$half.merge(*old, value), *old);
                        }
                    })*
                }
            };
        }
        merged!(Whole Lo Hi LoAlone HiAlone);
        true
    }
}

/// Counts what lanes have moved.
#[inline(always)]
fn count_lanes<const STORES: bool>(m: &mut Machine<'_>, exec: u64, bytes: u32) {
    let lanes = exec.count_ones() as u64;
    let counted = if STORES {
        &mut m.stats.written
    } else {
        &mut m.stats.read
    };
    counted.global += bytes as u64 * lanes;
    m.stats.lane_operations += lanes;
}

/// The scalar base, where there is one.
#[inline(always)]
fn scalar_base<const MODE: u8>(m: &Machine<'_>, op: &Op) -> u64 {
    if MODE == GV { 0 } else { m.s64(op.s[1]) }
}

/// Whether addresses with these bits set cannot be in an aperture, in the hole or near them.
#[inline(always)]
pub(super) fn is_plain(m: &Machine<'_>, bits: u64) -> bool {
    bits >> 46 == 0 && !m.wave.ptr32
}

/// Forms the addresses. The operands: `s[0]` the vector address, `s[1]` the scalar base.
#[inline(always)]
pub(super) fn addresses<const MODE: u8>(m: &Machine<'_>, op: &Op) -> Addresses {
    wide::run(Form::<MODE>::of(m, op))
}

/// Fills in the address operands; gives the addressing mode, or `None` where operands are missing.
pub(super) fn compile(c: &Compile<'_>, op: &mut Op, addtid: bool, bytes: u32) -> Option<u8> {
    op.mem.offset = flat_offset(c.inst, immediate(c, Field::Offset));
    op.s[0] = c.src(Field::Vaddr);
    op.s[1] = c.src(Field::Saddr);
    // CDNA 5 ISA 10.1.1: the vector offset is signed and may count elements; before, "VGPRU32".
    if c.inst.target().has_gfx1250_insts() {
        op.mem.scale = scale(c, bytes);
    }
    if addtid {
        // With "off" the base is zero.
        return Some(GT);
    }
    match (op.s[0], op.s[1]) {
        (Src::Vgpr(_), Src::None) => Some(GV),
        (Src::Vgpr(_), _) => Some(GVS),
        _ => None,
    }
}

/// The offset of `inst`, whose OFFSET field says `offset`: of flat instructions before gfx12 the top bit is
/// ignored (Vega ISA 9.1 table 41: 12 bits are left; RDNA 1 ISA 13.8.1: 11; RDNA 3 ISA 11.1: 12).
pub fn flat_offset(inst: &Inst, offset: i64) -> i64 {
    let target = inst.target();
    if target.major() >= 12 || !inst.mnemonic().starts_with("flat_") {
        return offset;
    }
    offset & if target.major() == 10 { 0x7ff } else { 0xfff }
}

/// What SCALE_OFFSET (CDNA 5, the cache policy's bit 11) multiplies a vector offset with.
pub(super) fn scale(c: &Compile<'_>, bytes: u32) -> i64 {
    if c.inst.field(Field::Cpol) >> 11 & 1 != 0 {
        bytes.into()
    } else {
        1
    }
}
