//! Loads of matrices that transpose between lanes: `global_load_tr*` (RDNA 4 ISA 11.6, CDNA 5 ISA
//! 10.9), `ds_load_tr*` (CDNA 5 ISA 11.2.4), `ds_read_*_tr_*` (CDNA 4 ISA 11.4).
//!
//! Each lane reads a run of elements along M of the matrix at one K; after the transposition each lane
//! holds one M and a run of K, as the matrix instructions take their A operand (N for B). Which lane
//! reads what is CDNA 5's figure in 10.9.2 for 16 and 8 bits. CDNA 4 has no figure: there a group of 16
//! lanes reads a matrix of 16 columns row by row, so that lane *s* of the group reads M
//! `s * n % 16 …` of K `s * n / 16` with *n* elements a lane (the rule by which compilers place the
//! addresses; with 4-bit elements it is the figure's too).
//!
//! For 6 bits the figure of CDNA 5 has the first eight of 16 lanes read K 0 to 3 and 8 to 11, the others 4 to 7
//! and 12 to 15. No layout of A or B has K in that order: as for 16 and 8 bits it is taken to say only who reads
//! what, and the elements to arrive as A has them, K 0 to 15 one after the other (CDNA 5 ISA 7.12.2). A
//! program that relied on the plain order of CDNA 4 would see K 4 to 7 and 8 to 11 exchanged.
//!
//! EXEC must be all ones or zero; with anything else the result is undefined, and the run stops. CDNA
//! 5's LDS forms take EXEC for all ones whatever it is (11.2.4). That hardware may skip an LDS instruction
//! while EXEC is zero (3.2) is what it "typically" does not do.

use super::ds::addressed;
use super::flat::global_lanes;
use super::gds::bind;
use super::{active, address, done, span, with_destination, zero_lanes};
use crate::machine::Machine;
use crate::program::{Compile, Handler, Op, Step};
use crate::semantics::{NEXT, Registry, Semantics, refuse};
use crate::wave::ROW_LANES;
use waveglass_isa::Field;
use waveglass_mem::{Access, Element, Lanes, Row};

/// Why a load under some lanes only is refused.
pub(super) const PARTIAL_EXEC: &str = "a transposing load with only some lanes of EXEC on";

/// How elements move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Order {
    /// 16 lanes read a matrix of 16 columns row by row.
    Rows,
    /// CDNA 5's figure for elements of 16 bits: eight lanes a K run of 8, then the other half of M.
    Wide16,
    /// The same for 8 bits: four lanes, then the other half of M.
    Wide8,
    /// The same for 6 bits: four lanes, then those with K eight on.
    Wide6,
}

impl Order {
    const fn from_code(code: u8) -> Self {
        match code {
            1 => Self::Wide16,
            2 => Self::Wide8,
            3 => Self::Wide6,
            _ => Self::Rows,
        }
    }
}

/// The lane, and the element in what it read, that element `j` of lane `lane`'s result comes from.
/// `each` is how many elements a lane reads.
pub(super) fn source(
    order: Order,
    wave64: bool,
    each: usize,
    lane: usize,
    j: usize,
) -> (usize, usize) {
    let m = lane % 16;
    if order == Order::Rows {
        let at = j * 16 + m;
        return ((lane & !15) + at / each, at % each);
    }
    if order == Order::Wide6 {
        return ((lane & !15) + j % 4 + 4 * (j / 8) + 8 * (j / 4 % 2), m);
    }
    // K by the layout of A (RDNA 4 ISA 7.12.2): in wave64 four elements a lane, and lane bit 5 is K's
    // bit 2.
    let k = if wave64 {
        j % 4 + 8 * (lane / 16 % 2) + 4 * (lane / 32)
    } else {
        j % 8 + 8 * (lane / 16)
    };
    let from = match order {
        Order::Wide16 => k % 8 + 8 * (m / 8) + 16 * (k / 8),
        _ => k % 4 + 4 * (m / 8) + 8 * (k / 4),
    };
    (from, m % 8)
}

pub(super) fn register(r: &mut Registry) {
    macro_rules! ds {
        ($($name:literal $element:ident $bits:literal $order:ident;)*) => {$(
            r.insert($name, Semantics::Custom(|c| {
                bind(c, ds(c, Element::$element, $bits, Order::$order))
            }));
        )*};
    }
    macro_rules! global {
        ($($name:literal $element:ident $bits:literal $order:ident;)*) => {$(
            r.insert($name, Semantics::Custom(|c| {
                global(c, Element::$element, $bits, Order::$order)
            }));
        )*};
    }
    ds! {
        "ds_read_b64_tr_b16" B64 16 Rows;
        "ds_read_b64_tr_b8" B64 8 Rows;
        "ds_read_b64_tr_b4" B64 4 Rows;
        "ds_read_b96_tr_b6" B96 6 Rows;
        "ds_load_tr16_b128" B128 16 Wide16;
        "ds_load_tr8_b64" B64 8 Wide8;
        "ds_load_tr6_b96" B96 6 Wide6;
        "ds_load_tr4_b64" B64 4 Rows;
    }
    global! {
        "global_load_tr_b128" B128 16 Wide16;
        "global_load_tr16_b128" B128 16 Wide16;
        "global_load_tr_b64" B64 8 Wide8;
        "global_load_tr8_b64" B64 8 Wide8;
        "global_load_tr6_b96" B96 6 Wide6;
        "global_load_tr4_b64" B64 4 Rows;
    }
}

fn ds(c: &Compile<'_>, element: Element, bits: u32, order: Order) -> Op {
    let base = match addressed(c, run_ds) {
        Ok(op) => op,
        Err(why) => return refuse(c, why),
    };
    with_destination(c, Field::Vdst, run_ds, |op| {
        op.target = base.target;
        op.mem = base.mem;
        fill(op, element, bits, order);
        true
    })
}

fn global(c: &Compile<'_>, element: Element, bits: u32, order: Order) -> Op {
    with_destination(c, Field::Vdst, run_global::<{ address::GV }>, |op| {
        fill(op, element, bits, order);
        match address::compile(c, op, false, element.bytes()) {
            Some(address::GV) => true,
            Some(_) => {
                op.run = run_global::<{ address::GVS }> as Handler;
                true
            }
            None => false,
        }
    })
}

fn fill(op: &mut Op, element: Element, bits: u32, order: Order) {
    op.mem.element = element;
    op.imm = u64::from(bits) | u64::from(order as u8) << 8;
}

/// The lanes that read, or why they may not.
fn reading(m: &mut Machine<'_>, ignores_exec: bool) -> Result<u64, &'static str> {
    let all = m.wave.full_mask();
    match active(m) {
        _ if ignores_exec => Ok(all),
        0 => Ok(0),
        exec if exec == all => Ok(all),
        _ => Err(PARTIAL_EXEC),
    }
}

fn run_ds(m: &mut Machine<'_>, op: &Op) -> Step {
    let rows = m.wave.rows;
    let exec = match reading(m, m.wave.target.has_gfx1250_insts()) {
        Ok(0) => return NEXT,
        Ok(exec) => exec,
        Err(why) => return m.refuse(op, why),
    };
    let at = super::ds::addresses(m, op, op.mem.offset).0;
    let lanes = Lanes::new(&at[..rows * ROW_LANES], exec);
    m.stats.read.lds += exec.count_ones() as u64 * op.mem.element.bytes() as u64;
    let mut read = [[0; ROW_LANES]; 8];
    m.lds.load(lanes, op.mem.element, &mut read, m.port);
    transpose(m, op, &read);
    done(m, op)
}

fn run_global<const MODE: u8>(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, element) = (m.wave.rows, op.mem.element);
    let at = address::addresses::<MODE>(m, op);
    // In wave64 lanes 0 to 31 have the addresses.
    let exec = match reading(m, false) {
        Ok(0) => return NEXT,
        Ok(exec) => exec & 0xffff_ffff,
        Err(why) => return m.refuse(op, why),
    };
    let (lanes, bad) = global_lanes(m, &at, exec, Access::Load, element.bytes());
    m.stats.read.global += lanes.exec.count_ones() as u64 * element.bytes() as u64;
    let mut read = [[0; ROW_LANES]; 8];
    m.memory.load(lanes, element, &mut read, m.port);
    zero_lanes(&mut read[..element.dwords() * rows], rows, bad);
    transpose(m, op, &read);
    done(m, op)
}

/// Moves what the lanes have read to where it belongs.
fn transpose(m: &mut Machine<'_>, op: &Op, read: &[Row; 8]) {
    let (rows, element) = (m.wave.rows, op.mem.element);
    let bits = op.imm as u32 & 0xff;
    let order = Order::from_code((op.imm >> 8) as u8);
    let each = (element.bytes() * 8 / bits) as usize;
    // A wave64 of RDNA 4 spreads the same matrix over twice the lanes.
    let spread = rows == 2 && order != Order::Rows;
    let results = if spread { each / 2 } else { each };
    let mask = (1u128 << bits) - 1;
    let lane_bits = |lane: usize| {
        (0..element.dwords()).fold(0u128, |all, d| {
            let dword = read[d * rows + lane / ROW_LANES][lane % ROW_LANES];
            all | u128::from(dword) << (32 * d)
        })
    };
    let dwords = results * bits as usize / 32;
    for lane in 0..rows * ROW_LANES {
        let mut result = 0u128;
        for j in 0..results {
            let (from, i) = source(order, spread, each, lane, j);
            let value = lane_bits(from) >> (i as u32 * bits) & mask;
            result |= value << (j as u32 * bits);
        }
        for d in 0..dwords {
            let to = &mut m.wave.vgpr[span(rows, op.d + d as u32, 1)];
            to[lane / ROW_LANES][lane % ROW_LANES] = (result >> (32 * d)) as u32;
        }
    }
}

#[cfg(test)]
#[path = "transpose_tests.rs"]
mod tests;
