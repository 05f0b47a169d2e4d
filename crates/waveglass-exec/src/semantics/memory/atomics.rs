//! Flat and global atomics.
//!
//! The data register holds the operand; a compare-swap has the comparand in the register (or pair)
//! after it.

use super::address::{self, GV, GVS, addresses};
use super::flat::{bases, count, destination, global_lanes, plainly_global};
use super::{Half, without_destination};
use super::{active, done, merge_halves, names, scratch_window, span, vgpr, zero_lanes};
use crate::machine::Machine;
use crate::program::{Compile, Handler, Op, Step};
use crate::semantics::{Registry, refuse};
use crate::wave::ROW_LANES;
use waveglass_isa::Field;
use waveglass_mem::{Access, Atomic, AtomicOp, AtomicRules, AtomicWidth, Flat, Lanes, Row};

pub(super) fn register(r: &mut Registry) {
    names::atomics!(r, "global", global);
    names::atomics!(r, "flat", flat);
}

fn global(c: &Compile<'_>, atomic: AtomicOp, width: AtomicWidth) -> Op {
    compile(c, atomic, width, [run_global::<GV>, run_global::<GVS>])
}

fn flat(c: &Compile<'_>, atomic: AtomicOp, width: AtomicWidth) -> Op {
    compile(c, atomic, width, [run_flat::<GV>, run_flat::<GVS>])
}

pub(super) fn compile(
    c: &Compile<'_>,
    atomic: AtomicOp,
    width: AtomicWidth,
    run: [Handler; 2],
) -> Op {
    let mut op = c.op(run[0]);
    let mode = address::compile(c, &mut op, false, width.bytes());
    let (Some(mode), Some(data)) = (mode, vgpr(c, Field::Vdata)) else {
        return refuse(c, "an operand is missing");
    };
    op.run = run[mode as usize & 1];
    op.d2 = data;
    op.mem.atomic = atomic;
    op.mem.width = width;
    // Only the forms that return have the operand.
    if c.inst.operand_def(Field::Vdst).is_some() {
        let Some(d) = c.vector_dst(Field::Vdst) else {
            return without_destination(c);
        };
        op.d = d;
        op.mem.returns = true;
    }
    op
}

/// The operand registers, copied: the destination may be among them.
pub(super) struct Operands {
    rows: [Row; 8],
    /// Rows an operand.
    each: usize,
    second: bool,
}

impl Operands {
    /// Copies the data register and what follows it.
    #[inline]
    pub(super) fn read(m: &Machine<'_>, op: &Op) -> Self {
        let second = op.mem.atomic.has_second_operand();
        let dwords = op.mem.width.dwords();
        let each = dwords * m.wave.rows;
        let all = dwords * (1 + second as usize);
        let mut rows = [[0; ROW_LANES]; 8];
        let from = &m.wave.vgpr[span(m.wave.rows, op.d2, all)];
        rows[..from.len()].copy_from_slice(from);
        Self { rows, each, second }
    }

    /// The atomic with these operands.
    pub(super) fn atomic(&self, op: &Op, rules: AtomicRules) -> Atomic<'_> {
        let (data, second) = self.rows.split_at(self.each);
        Atomic {
            op: op.mem.atomic,
            width: op.mem.width,
            data,
            second: if self.second { second } else { &[] },
            rules,
        }
    }
}

/// Whether MODE flushes denormals of the atomic's operands: (inputs, results). "denorm_single" is for 32 bits,
/// "denorm_double" for 64 and 16 (RDNA 4 ISA 13.2).
pub(super) fn flushes(m: &Machine<'_>, op: AtomicOp, width: AtomicWidth) -> (bool, bool) {
    let mode = m.wave.mode;
    let packed = matches!(op, AtomicOp::PkAddF16 | AtomicOp::PkAddBf16);
    match width {
        AtomicWidth::B32 if !packed => (!mode.denorm_f32_in(), !mode.denorm_f32_out()),
        _ => (!mode.denorm_f16_f64_in(), !mode.denorm_f16_f64_out()),
    }
}

/// The float rules of an atomic in memory.
pub(super) fn memory_rules(m: &Machine<'_>, op: &Op) -> AtomicRules {
    let (input, _) = flushes(m, op.mem.atomic, op.mem.width);
    AtomicRules::memory(m.port.rules.generation, op.mem.atomic, op.mem.width, input)
}

/// Writes the values before, which `before` holds for the lanes of `exec`.
pub(super) fn put_before(m: &mut Machine<'_>, op: &Op, before: &[Row; 4], exec: u64) {
    let rows = m.wave.rows;
    let dst = &mut m.wave.vgpr[destination(rows, op)];
    for (dst, value) in dst.chunks_exact_mut(rows).zip(before.chunks_exact(rows)) {
        merge_halves(Half::Whole, dst, value, exec);
    }
}

pub(super) fn run_global<const MODE: u8>(m: &mut Machine<'_>, op: &Op) -> Step {
    let at = addresses::<MODE>(m, op);
    let exec = active(m);
    let bytes = op.mem.width.bytes();
    let (lanes, bad) = global_lanes(m, &at, exec, Access::Atomic, bytes);
    global_atomic(m, op, lanes, bad);
    done(m, op)
}

fn global_atomic(m: &mut Machine<'_>, op: &Op, lanes: Lanes<'_, u64>, bad: u64) {
    let moved = lanes.exec.count_ones() as u64 * op.mem.width.bytes() as u64;
    m.stats.read.global += moved;
    m.stats.written.global += moved;
    let operands = Operands::read(m, op);
    let atomic = operands.atomic(op, memory_rules(m, op));
    if !op.mem.returns {
        m.memory.atomic(lanes, atomic, None, m.port);
        return;
    }
    let mut before = [[0; ROW_LANES]; 4];
    m.memory.atomic(lanes, atomic, Some(&mut before), m.port);
    zero_lanes(&mut before, m.wave.rows, bad);
    put_before(m, op, &before, lanes.exec | bad);
}

fn run_flat<const MODE: u8>(m: &mut Machine<'_>, op: &Op) -> Step {
    let at = addresses::<MODE>(m, op);
    let exec = active(m);
    let count_lanes = m.wave.rows * ROW_LANES;
    if plainly_global(m, &at) {
        global_atomic(m, op, Lanes::new(&at.sums.0[..count_lanes], exec), 0);
        return done(m, op);
    }
    let bases = bases(&at, op);
    let lanes = Lanes::new(&bases[..count_lanes], exec);
    let operands = Operands::read(m, op);
    let rules = memory_rules(m, op);
    // RDNA 4 ISA 11.7: flat atomics never flush, wherever they land; before, LDS follows MODE.
    let generation = m.port.rules.generation;
    let (input, output) = flushes(m, op.mem.atomic, op.mem.width);
    let lds_rules = if generation.is_gfx12() {
        rules
    } else {
        AtomicRules::lds(generation, input, output)
    };
    let mut before = [[0; ROW_LANES]; 4];
    let mut flat = Flat {
        apertures: m.apertures(),
        memory: m.memory,
        scratch: scratch_window(m),
        lds: m.lds,
    };
    let fell = flat.atomic(
        lanes,
        op.mem.offset as i32,
        operands.atomic(op, rules),
        lds_rules,
        op.mem.returns.then_some(&mut before[..]),
        m.port,
    );
    count(&mut m.stats.read, &fell, op.mem.width.bytes());
    count(&mut m.stats.written, &fell, op.mem.width.bytes());
    if op.mem.returns {
        put_before(m, op, &before, exec);
    }
    done(m, op)
}
