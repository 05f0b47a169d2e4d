//! LDS loads and stores (Vega ISA 10.3, RDNA 3 ISA 12, RDNA 4 ISA 12).

use super::gds::{bind, is_gds};
use super::{
    Half, active, done, immediate, into_destination, store_source, vgpr, with_destination,
};
use crate::machine::Machine;
use crate::program::{Compile, Handler, Op, Step};
use crate::semantics::{NEXT, Registry, Semantics, refuse};
use crate::wave::ROW_LANES;
use waveglass_isa::Field;
use waveglass_mem::wide::{self, Host, LaneLoop, WaveLoop};
use waveglass_mem::{Element, Generation, Lanes, PerLane, Row, lds_addtid};

macro_rules! ds {
    ($r:expr, $compile:path; $($name:literal $new:literal => $($arg:expr),*;)*) => {$(
        for name in [$name, $new] {
            $r.insert(name, Semantics::Custom(|c| bind(c, $compile(c, $($arg),*))));
        }
    )*};
}

pub(super) fn register(r: &mut Registry) {
    use Element::*;
    use Half::{Hi, Lo, Whole};
    ds! { r, load;
        "ds_read_u8" "ds_load_u8" => U8, Whole;
        "ds_read_i8" "ds_load_i8" => I8, Whole;
        "ds_read_u16" "ds_load_u16" => U16, Whole;
        "ds_read_i16" "ds_load_i16" => I16, Whole;
        "ds_read_b32" "ds_load_b32" => B32, Whole;
        "ds_read_b64" "ds_load_b64" => B64, Whole;
        "ds_read_b96" "ds_load_b96" => B96, Whole;
        "ds_read_b128" "ds_load_b128" => B128, Whole;
        "ds_read_u8_d16" "ds_load_u8_d16" => U8, Lo;
        "ds_read_i8_d16" "ds_load_i8_d16" => I8, Lo;
        "ds_read_u16_d16" "ds_load_u16_d16" => U16, Lo;
        "ds_read_u8_d16_hi" "ds_load_u8_d16_hi" => U8, Hi;
        "ds_read_i8_d16_hi" "ds_load_i8_d16_hi" => I8, Hi;
        "ds_read_u16_d16_hi" "ds_load_u16_d16_hi" => U16, Hi;
    }
    ds! { r, store;
        "ds_write_b8" "ds_store_b8" => U8, Whole;
        "ds_write_b16" "ds_store_b16" => U16, Whole;
        "ds_write_b32" "ds_store_b32" => B32, Whole;
        "ds_write_b64" "ds_store_b64" => B64, Whole;
        "ds_write_b96" "ds_store_b96" => B96, Whole;
        "ds_write_b128" "ds_store_b128" => B128, Whole;
        "ds_write_b8_d16_hi" "ds_store_b8_d16_hi" => U8, Hi;
        "ds_write_b16_d16_hi" "ds_store_b16_d16_hi" => U16, Hi;
    }
    ds! { r, load_pair;
        "ds_read2_b32" "ds_load_2addr_b32" => B32, 1;
        "ds_read2_b64" "ds_load_2addr_b64" => B64, 1;
        "ds_read2st64_b32" "ds_load_2addr_stride64_b32" => B32, 64;
        "ds_read2st64_b64" "ds_load_2addr_stride64_b64" => B64, 64;
    }
    ds! { r, store_pair;
        "ds_write2_b32" "ds_store_2addr_b32" => B32, 1;
        "ds_write2_b64" "ds_store_2addr_b64" => B64, 1;
        "ds_write2st64_b32" "ds_store_2addr_stride64_b32" => B32, 64;
        "ds_write2st64_b64" "ds_store_2addr_stride64_b64" => B64, 64;
    }
    ds! { r, addtid;
        "ds_read_addtid_b32" "ds_load_addtid_b32" => false;
        "ds_write_addtid_b32" "ds_store_addtid_b32" => true;
    }
}

/// An op with the LDS address in `target` and the offset. What is made of it goes through [`bind`].
pub(super) fn addressed(c: &Compile<'_>, run: Handler) -> Result<Op, &'static str> {
    let Some(address) = vgpr(c, Field::Addr) else {
        return Err("an operand is missing");
    };
    let mut op = c.op(run);
    op.target = address;
    op.mem.offset = immediate(c, Field::Offset);
    Ok(op)
}

/// The offsets of a two-address operation, in bytes.
pub(super) fn pair_offsets(c: &Compile<'_>, op: &mut Op, bytes: u32, stride: i64) {
    let unit = bytes as i64 * stride;
    op.mem.offset = immediate(c, Field::Offset0) * unit;
    op.mem.offset1 = immediate(c, Field::Offset1) * unit;
}

/// An address register and what is added to it.
struct Sum<'a> {
    rows: &'a [Row],
    offset: u32,
}

impl LaneLoop for Sum<'_> {
    type Output = PerLane<u32, 64>;

    #[inline(always)]
    fn run(self, _: Host) -> PerLane<u32, 64> {
        let mut out = [0; 64];
        for (out, row) in out.as_chunks_mut::<ROW_LANES>().0.iter_mut().zip(self.rows) {
            for (o, &v) in out.iter_mut().zip(row) {
                *o = v.wrapping_add(self.offset);
            }
        }
        PerLane(out)
    }
}

/// The lanes' addresses: the address register plus `offset`, in 32 bits.
#[inline(always)]
pub(super) fn addresses(m: &Machine<'_>, op: &Op, offset: i64) -> PerLane<u32, 64> {
    wide::run(Sum {
        rows: &m.wave.vgpr[super::span(m.wave.rows, op.target, 1)],
        offset: offset as u32,
    })
}

/// A load or store of `N` whole dwords by a full wave, all in range; gives `false`, with nothing done,
/// where it is anything else. The second address register is `offset1`'s, where there are `TWO`.
struct Whole<'a, 'm, const N: usize, const STORES: bool, const TWO: bool> {
    m: &'a mut Machine<'m>,
    op: &'a Op,
}

impl<const N: usize, const STORES: bool, const TWO: bool> WaveLoop
    for Whole<'_, '_, N, STORES, TWO>
{
    #[inline(always)]
    fn count(&self) -> usize {
        if self.m.wave.is_full() {
            self.m.wave.lanes()
        } else {
            0
        }
    }

    #[inline(always)]
    fn lanes<const W: usize>(self, host: Host) -> bool {
        let (m, op) = (self.m, self.op);
        super::bound_by_m0(m);
        let registers = m.wave.vgpr.as_flattened_mut().as_chunks_mut::<W>().0;
        let address = registers[op.target as usize];
        let at = |offset: i64| -> PerLane<u32, W> {
            let mut at = PerLane([0; W]);
            for (at, &a) in at.0.iter_mut().zip(&address) {
                *at = a.wrapping_add(offset as u32);
            }
            at
        };
        let first = if STORES && !TWO { op.d2 } else { op.d } as usize;
        let second = if STORES { op.d2 as usize } else { first + N };
        for (i, (offset, register)) in [(op.mem.offset, first), (op.mem.offset1, second)]
            .into_iter()
            .take(1 + TWO as usize)
            .enumerate()
        {
            let Some(data) = registers[register..].first_chunk_mut::<N>() else {
                return false;
            };
            let done = if STORES {
                m.lds.store_whole(&at(offset).0, data, m.port)
            } else {
                m.lds.load_whole(&at(offset).0, data, m.port, host)
            };
            if !done {
                // The first half may be done: doing it again changes nothing, unless a load has
                // overwritten the address.
                if i == 1 && !STORES {
                    registers[op.target as usize] = address;
                }
                return false;
            }
        }
        let bytes = if STORES {
            &mut m.stats.written.lds
        } else {
            &mut m.stats.read.lds
        };
        *bytes += (4 * N * W * (1 + TWO as usize)) as u64;
        m.stats.lane_operations += W as u64;
        true
    }
}

/// The fast way of whole waves before the general one.
fn fast<const N: usize, const STORES: bool, const TWO: bool>(m: &mut Machine<'_>, op: &Op) -> Step {
    if wide::run_wave(Whole::<N, STORES, TWO> { m: &mut *m, op }) {
        return NEXT;
    }
    match (STORES, TWO) {
        (false, false) => run_load(m, op),
        (true, false) => run_store(m, op),
        (false, true) => run_load_pair(m, op),
        (true, true) => run_store_pair(m, op),
    }
}

/// The handler of an access: fast where there is a fast way.
fn choose<const STORES: bool, const TWO: bool>(
    element: Element,
    half: Half,
    general: Handler,
) -> Handler {
    match element {
        _ if half != Half::Whole => general,
        Element::B32 => fast::<1, STORES, TWO>,
        Element::B64 => fast::<2, STORES, TWO>,
        Element::B96 => fast::<3, STORES, TWO>,
        Element::B128 => fast::<4, STORES, TWO>,
        _ => general,
    }
}

fn load(c: &Compile<'_>, element: Element, half: Half) -> Op {
    let run = choose::<false, false>(element, half, run_load);
    let base = match addressed(c, run) {
        Ok(op) => op,
        Err(why) => return refuse(c, why),
    };
    with_destination(c, Field::Vdst, run, |op| {
        op.target = base.target;
        op.mem = base.mem;
        op.mem.element = element;
        op.mem.half = half.on(c);
        true
    })
}

fn run_load(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, element, exec) = (m.wave.rows, op.mem.element, active(m));
    let at = addresses(m, op, op.mem.offset);
    let lanes = Lanes::new(&at.0[..rows * ROW_LANES], exec);
    m.stats.read.lds += exec.count_ones() as u64 * element.bytes() as u64;
    into_destination(op, &mut m.wave.vgpr, rows, exec, |dst| {
        m.lds.load(lanes, element, dst, m.port);
    });
    done(m, op)
}

fn store(c: &Compile<'_>, element: Element, half: Half) -> Op {
    let run = choose::<true, false>(element, half, run_store);
    let mut op = match addressed(c, run) {
        Ok(op) => op,
        Err(why) => return refuse(c, why),
    };
    let Some(data) = vgpr(c, Field::Data0) else {
        return refuse(c, "an operand is missing");
    };
    op.d2 = data;
    op.mem.element = element;
    op.mem.half = half;
    op
}

fn run_store(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, element, exec) = (m.wave.rows, op.mem.element, active(m));
    let at = addresses(m, op, op.mem.offset);
    let lanes = Lanes::new(&at.0[..rows * ROW_LANES], exec);
    m.stats.written.lds += exec.count_ones() as u64 * element.bytes() as u64;
    let mut upper = [[0; ROW_LANES]; 2];
    let src = store_source(op, &m.wave.vgpr, rows, op.d2, &mut upper);
    m.lds.store(lanes, element, src, m.port);
    done(m, op)
}

fn load_pair(c: &Compile<'_>, element: Element, stride: i64) -> Op {
    let run = choose::<false, true>(element, Half::Whole, run_load_pair);
    let base = match addressed(c, run) {
        Ok(op) => op,
        Err(why) => return refuse(c, why),
    };
    with_destination(c, Field::Vdst, run, |op| {
        op.target = base.target;
        op.mem.element = element;
        pair_offsets(c, op, element.bytes(), stride);
        true
    })
}

fn run_load_pair(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, element, exec) = (m.wave.rows, op.mem.element, active(m));
    m.stats.read.lds += 2 * exec.count_ones() as u64 * element.bytes() as u64;
    // Both addresses before either result: the destination may hold the address.
    let at = [
        addresses(m, op, op.mem.offset),
        addresses(m, op, op.mem.offset1),
    ];
    let dwords = element.dwords();
    for (at, d) in at.iter().zip([op.d, op.d + dwords as u32]) {
        let lanes = Lanes::new(&at.0[..rows * ROW_LANES], exec);
        let dst = &mut m.wave.vgpr[super::span(rows, d, dwords)];
        m.lds.load(lanes, element, dst, m.port);
    }
    // "For multi-DWORD reads, if any part of the LDS-address is out of range, the entire instruction returns zero"
    // (RDNA 3 and RDNA 3.5 ISA 3.3.4.1). Other manuals do not speak of the instruction.
    if matches!(
        m.port.rules.generation,
        Generation::Rdna3 | Generation::Rdna3_5
    ) {
        let out = at.iter().fold(0, |out, at| {
            let lanes = Lanes::new(&at.0[..rows * ROW_LANES], exec);
            out | m.lds.out_of_range(lanes, element.bytes(), m.port)
        });
        let dst = &mut m.wave.vgpr[super::span(rows, op.d, 2 * dwords)];
        super::zero_lanes(dst, rows, out);
    }
    done(m, op)
}

fn store_pair(c: &Compile<'_>, element: Element, stride: i64) -> Op {
    let run = choose::<true, true>(element, Half::Whole, run_store_pair);
    let mut op = match addressed(c, run) {
        Ok(op) => op,
        Err(why) => return refuse(c, why),
    };
    let (Some(data0), Some(data1)) = (vgpr(c, Field::Data0), vgpr(c, Field::Data1)) else {
        return refuse(c, "an operand is missing");
    };
    (op.d, op.d2) = (data0, data1);
    op.mem.element = element;
    pair_offsets(c, &mut op, element.bytes(), stride);
    op
}

/// How many of an operation's two places are written: with equal offsets "only one read or write" occurs "and uses
/// only the first DATA0" up to gfx10 (Vega ISA 10.3.3, RDNA 1 ISA 10.4.3); later manuals do not have the sentence,
/// and the second write is the last.
pub(super) fn places(m: &Machine<'_>, op: &Op) -> usize {
    let one = op.mem.offset == op.mem.offset1 && m.wave.target.major() <= 10;
    if one { 1 } else { 2 }
}

fn run_store_pair(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, element, exec) = (m.wave.rows, op.mem.element, active(m));
    let both = [(op.mem.offset, op.d), (op.mem.offset1, op.d2)];
    let places = &both[..places(m, op)];
    m.stats.written.lds += places.len() as u64 * exec.count_ones() as u64 * element.bytes() as u64;
    for &(offset, data) in places {
        let at = addresses(m, op, offset);
        let lanes = Lanes::new(&at.0[..rows * ROW_LANES], exec);
        let src = &m.wave.vgpr[super::span(rows, data, element.dwords())];
        m.lds.store(lanes, element, src, m.port);
    }
    done(m, op)
}

/// ADDTID forms: M0 plus the offset plus four bytes a lane, no address register.
fn addtid(c: &Compile<'_>, stores: bool) -> Op {
    if is_gds(c) {
        return refuse(c, "M0 is both the window of GDS and the offset");
    }
    if stores {
        let Some(data) = vgpr(c, Field::Data0) else {
            return refuse(c, "an operand is missing");
        };
        let mut op = c.op(|m, op| {
            let (at, exec) = (addtid_addresses(m, op), active(m));
            let rows = m.wave.rows;
            m.stats.written.lds += exec.count_ones() as u64 * 4;
            let src: &[Row] = &m.wave.vgpr[super::span(rows, op.d2, 1)];
            let lanes = Lanes::new(&at.0[..rows * ROW_LANES], exec);
            m.lds.store(lanes, Element::B32, src, m.port);
            done(m, op)
        });
        op.d2 = data;
        op.mem.offset = immediate(c, Field::Offset);
        return op;
    }
    let run: Handler = |m, op| {
        let (at, exec) = (addtid_addresses(m, op), active(m));
        let rows = m.wave.rows;
        m.stats.read.lds += exec.count_ones() as u64 * 4;
        let lanes = Lanes::new(&at.0[..rows * ROW_LANES], exec);
        let dst = &mut m.wave.vgpr[super::span(rows, op.d, 1)];
        m.lds.load(lanes, Element::B32, dst, m.port);
        done(m, op)
    };
    with_destination(c, Field::Vdst, run, |op| {
        op.mem.offset = immediate(c, Field::Offset);
        true
    })
}

fn addtid_addresses(m: &Machine<'_>, op: &Op) -> PerLane<u32, 64> {
    let m0 = m.m0();
    PerLane(std::array::from_fn(|lane| {
        lds_addtid(&m.port.rules, m0, op.mem.offset as u16, lane as u32)
    }))
}
