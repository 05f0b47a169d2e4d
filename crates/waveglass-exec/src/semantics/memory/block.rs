//! Loads and stores of blocks of up to 32 registers (RDNA 4 ISA 11.1, "GLOBAL_LOAD_BLOCK"): bit *n* of
//! M0 selects register *n* after the first, whose dword lies 4 *n* bytes after the address, selected or
//! not. Registers and memory of bits that are clear stay as they are.

use super::address::{self, GV, GVS};
use super::flat::global_lanes;
use super::scratch::{offsets, private_offsets};
use super::{active, done, merge_halves, scratch_window, span, zero_lanes};
use crate::machine::Machine;
use crate::program::{Compile, Handler, Op, Step, with_msb};
use crate::semantics::{NEXT, Registry, Semantics, refuse};
use crate::wave::ROW_LANES;
use waveglass_isa::{Field, Operand};
use waveglass_mem::{Access, Element, Lanes};

pub(super) fn register(r: &mut Registry) {
    r.insert(
        "global_load_block",
        Semantics::Custom(|c| global(c, Field::Vdst, [global_load::<GV>, global_load::<GVS>])),
    );
    r.insert(
        "global_store_block",
        Semantics::Custom(|c| global(c, Field::Vdata, [global_store::<GV>, global_store::<GVS>])),
    );
    r.insert(
        "scratch_load_block",
        Semantics::Custom(|c| scratch(c, Field::Vdst, scratch_load)),
    );
    r.insert(
        "scratch_store_block",
        Semantics::Custom(|c| scratch(c, Field::Vdata, scratch_store)),
    );
}

/// The first register of the block, which may reach past the allocation.
fn first_register(c: &Compile<'_>, field: Field) -> Option<u32> {
    match c.inst.operand(field) {
        Some(Operand::Reg(r)) => Some(with_msb(c.inst, c.msb, r, field).index.into()),
        _ => None,
    }
}

fn global(c: &Compile<'_>, data: Field, run: [Handler; 2]) -> Op {
    let mut op = c.op(run[0]);
    match (
        address::compile(c, &mut op, false, 4),
        first_register(c, data),
    ) {
        (Some(mode), Some(first)) => {
            op.run = run[mode as usize & 1];
            op.d = first;
            op
        }
        _ => refuse(c, "an operand is missing"),
    }
}

fn scratch(c: &Compile<'_>, data: Field, run: Handler) -> Op {
    let mut op = c.op(run);
    let Some(first) = first_register(c, data) else {
        return refuse(c, "an operand is missing");
    };
    op.d = first;
    offsets(c, &mut op);
    op
}

/// The registers that M0 selects, by their distance from the first.
fn selected(m: &Machine<'_>) -> impl Iterator<Item = u32> + use<> {
    let m0 = m.m0();
    (0..32).filter(move |n| m0 >> n & 1 != 0)
}

/// Whether a selected destination lies past the allocation: the instruction then does nothing.
fn past_allocation(m: &Machine<'_>, op: &Op) -> bool {
    selected(m).any(|n| op.d + n >= m.wave.agpr_base as u32)
}

/// The register of slot `n` as a source: past the allocation it is VGPR 0.
fn source(m: &Machine<'_>, op: &Op, n: u32) -> u32 {
    let register = op.d + n;
    if register < m.wave.agpr_base as u32 {
        register
    } else {
        0
    }
}

fn global_load<const MODE: u8>(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec) = (m.wave.rows, active(m));
    if past_allocation(m, op) {
        return NEXT;
    }
    let mut at = address::addresses::<MODE>(m, op);
    let base = at.sums;
    for n in selected(m) {
        at.sums.0 = base.0.map(|a| a.wrapping_add(u64::from(n) * 4));
        let (lanes, bad) = global_lanes(m, &at, exec, Access::Load, 4);
        m.stats.read.global += lanes.exec.count_ones() as u64 * 4;
        let mut value = [[0; ROW_LANES]; 2];
        m.memory.load(lanes, Element::B32, &mut value, m.port);
        zero_lanes(&mut value[..rows], rows, bad);
        let dst = &mut m.wave.vgpr[span(rows, op.d + n, 1)];
        merge_halves(super::Half::Whole, dst, &value, exec);
    }
    done(m, op)
}

fn global_store<const MODE: u8>(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec) = (m.wave.rows, active(m));
    let mut at = address::addresses::<MODE>(m, op);
    let base = at.sums;
    for n in selected(m) {
        at.sums.0 = base.0.map(|a| a.wrapping_add(u64::from(n) * 4));
        let (lanes, _) = global_lanes(m, &at, exec, Access::Store, 4);
        m.stats.written.global += lanes.exec.count_ones() as u64 * 4;
        let src = &m.wave.vgpr[span(rows, source(m, op, n), 1)];
        m.memory.store(lanes, Element::B32, src, m.port);
    }
    done(m, op)
}

fn scratch_load(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec) = (m.wave.rows, active(m));
    if past_allocation(m, op) {
        return NEXT;
    }
    let (base, window) = (private_offsets(m, op), scratch_window(m));
    for n in selected(m) {
        let at = base.map(|a| a + i64::from(n) * 4);
        let lanes = Lanes::new(&at[..rows * ROW_LANES], exec);
        m.stats.read.scratch += exec.count_ones() as u64 * 4;
        let dst = &mut m.wave.vgpr[span(rows, op.d + n, 1)];
        window.load(m.memory, lanes, Element::B32, dst, m.port);
    }
    done(m, op)
}

fn scratch_store(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec) = (m.wave.rows, active(m));
    let (base, window) = (private_offsets(m, op), scratch_window(m));
    for n in selected(m) {
        let at = base.map(|a| a + i64::from(n) * 4);
        let lanes = Lanes::new(&at[..rows * ROW_LANES], exec);
        m.stats.written.scratch += exec.count_ones() as u64 * 4;
        let src = &m.wave.vgpr[span(rows, source(m, op, n), 1)];
        window.store(m.memory, lanes, Element::B32, src, m.port);
    }
    done(m, op)
}
