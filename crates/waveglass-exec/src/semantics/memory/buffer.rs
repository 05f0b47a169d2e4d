//! Plain buffer loads, stores and atomics (Vega ISA 8, RDNA 3 ISA 9, RDNA 4 ISA 9): the descriptor
//! comes from four SGPRs, its rules are `waveglass_mem::buffer`'s.
//!
//! TFE asks for a status in the register after the data, written where a fetch meets a page that is
//! not resident ("when set to 1 and fetch returns a NACK, status is written", RDNA 3 ISA 9.1). No
//! memory here is partially resident, so that the register keeps its value; it counts as a destination
//! when registers are checked.

use super::atomics::{Operands, memory_rules, put_before};
use super::{
    Half, active, done, has_word, immediate, into_destination, lds_transfer, names, store_source,
    vgpr, with_destination, without_destination,
};
use crate::machine::Machine;
use crate::program::{Compile, Op, Src, Step};
use crate::semantics::{NEXT, Registry, refuse};
use crate::wave::ROW_LANES;
use waveglass_isa::{Access as OperandAccess, Field};
use waveglass_mem::buffer::{BufferDescriptor, BufferKind, BufferLane, BufferRequest};
use waveglass_mem::{AtomicOp, AtomicWidth, Element, Lanes};

pub(super) fn register(r: &mut Registry) {
    names::loads!(r, "buffer", load);
    names::stores!(r, "buffer", store);
    names::atomics!(r, "buffer", atomic);
}

/// Fills in the operands of the address: `target` is the first address register, `s[0]` the
/// descriptor's first SGPR, `s[1]` SOFFSET.
pub(super) fn address(c: &Compile<'_>, op: &mut Op) -> Result<(), &'static str> {
    op.mem.offset = immediate(c, Field::Offset);
    op.mem.idxen = has_word(c, "idxen");
    op.mem.offen = has_word(c, "offen");
    if op.mem.idxen || op.mem.offen {
        op.target = vgpr(c, Field::Vaddr).ok_or("an operand is missing")?;
    }
    op.s[0] = c.src(Field::Srsrc);
    op.s[1] = c.src(Field::Soffset);
    match op.s[0] {
        Src::Sgpr(_) => Ok(()),
        _ => Err("an operand is missing"),
    }
}

fn load(c: &Compile<'_>, element: Element, half: Half) -> Op {
    if has_word(c, "lds") {
        return lds_transfer::buffer(c, element);
    }
    with_destination(c, Field::Vdata, run_load, |op| {
        op.mem.element = element;
        op.mem.half = half.on(c);
        address(c, op).is_ok()
    })
}

fn store(c: &Compile<'_>, element: Element, half: Half) -> Op {
    let Some(data) = vgpr(c, Field::Vdata) else {
        return refuse(c, "an operand is missing");
    };
    let mut op = c.op(run_store);
    op.d2 = data;
    op.mem.element = element;
    op.mem.half = half;
    match address(c, &mut op) {
        Ok(()) => op,
        Err(why) => refuse(c, why),
    }
}

fn atomic(c: &Compile<'_>, atomic: AtomicOp, width: AtomicWidth) -> Op {
    let Some(data) = vgpr(c, Field::Vdata) else {
        return refuse(c, "an operand is missing");
    };
    let mut op = c.op(run_atomic);
    // The result replaces the first operand.
    (op.d, op.d2) = (data, data);
    op.mem.atomic = atomic;
    op.mem.width = width;
    op.mem.returns = c
        .inst
        .operand_def(Field::Vdata)
        .is_some_and(|o| o.access == OperandAccess::ReadWrite);
    if op.mem.returns && c.vector_dst(Field::Vdata).is_none() {
        return without_destination(c);
    }
    match address(c, &mut op) {
        Ok(()) => op,
        Err(why) => refuse(c, why),
    }
}

/// What all lanes share.
pub(super) fn request(
    m: &Machine<'_>,
    op: &Op,
    kind: BufferKind,
    bytes: u32,
) -> (BufferDescriptor, BufferRequest) {
    let words = match op.s[0] {
        Src::Sgpr(s) => std::array::from_fn(|i| m.wave.sgpr[(s as usize + i) & 127]),
        _ => [0; 4],
    };
    let descriptor = BufferDescriptor::decode(words, m.port.rules.generation);
    let request = BufferRequest {
        kind,
        idxen: op.mem.idxen,
        offen: op.mem.offen,
        soffset: m.s32(op.s[1]),
        inst_offset: op.mem.offset as u32,
        bytes,
    };
    (descriptor, request)
}

/// What each lane adds: with both, the index comes first.
pub(super) fn lanes_of(m: &Machine<'_>, op: &Op) -> [BufferLane; 64] {
    let rows = m.wave.rows;
    let mut out: [BufferLane; 64] = std::array::from_fn(|lane| BufferLane {
        lane: lane as u32,
        ..BufferLane::default()
    });
    let first = op.target as usize * rows;
    if op.mem.idxen {
        let index = m.wave.vgpr[first..first + rows].as_flattened();
        for (lane, &v) in out.iter_mut().zip(index) {
            lane.vindex = v;
        }
    }
    if op.mem.offen {
        let first = first + op.mem.idxen as usize * rows;
        let offset = m.wave.vgpr[first..first + rows].as_flattened();
        for (lane, &v) in out.iter_mut().zip(offset) {
            lane.voffset = v;
        }
    }
    out
}

/// Whether the descriptor is not a buffer's: the instruction is then ignored (RDNA 3 ISA 9.6).
pub(super) fn is_ignored(d: &BufferDescriptor) -> bool {
    d.kind != 0
}

/// Notes that lanes were out of range in the sticky bit BUFFER_OOB, which does not trap: bit 15 of TRAPSTS (RDNA
/// 1 ISA 3.10.1, RDNA 3 ISA 3.4.9), bit 30 of EXCP_FLAG_USER (RDNA 4 ISA 3.4.10). gfx9 has none.
pub(super) fn note_out_of_range(m: &mut Machine<'_>, lanes: u64) {
    let w = &mut *m.wave;
    if lanes == 0 || w.target.is_gfx9() {
        return;
    }
    if w.target.major() >= 12 {
        w.excp_flag_user |= 1 << 30;
    } else {
        w.trapsts |= 1 << 15;
    }
}

/// Counts bytes of active lanes; a descriptor that adds thread ids is one of scratch.
pub(super) fn count(
    to: &mut crate::stats::SpaceBytes,
    d: &BufferDescriptor,
    exec: u64,
    bytes: u32,
) {
    let moved = exec.count_ones() as u64 * bytes as u64;
    if d.add_tid {
        to.scratch += moved;
    } else {
        to.global += moved;
    }
}

fn run_load(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, element, exec) = (m.wave.rows, op.mem.element, active(m));
    let (d, request) = request(m, op, BufferKind::Untyped, element.bytes());
    if is_ignored(&d) {
        return NEXT;
    }
    let at = lanes_of(m, op);
    let lanes = Lanes::new(&at[..rows * ROW_LANES], exec);
    count(&mut m.stats.read, &d, exec, element.bytes());
    let mut out = 0;
    into_destination(op, &mut m.wave.vgpr, rows, exec, |dst| {
        out = d.load(m.memory, &request, lanes, element, dst, m.port);
    });
    note_out_of_range(m, out);
    done(m, op)
}

fn run_store(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, element, exec) = (m.wave.rows, op.mem.element, active(m));
    let (d, request) = request(m, op, BufferKind::Untyped, element.bytes());
    if is_ignored(&d) {
        return NEXT;
    }
    let at = lanes_of(m, op);
    let lanes = Lanes::new(&at[..rows * ROW_LANES], exec);
    count(&mut m.stats.written, &d, exec, element.bytes());
    let mut upper = [[0; ROW_LANES]; 2];
    let src = store_source(op, &m.wave.vgpr, rows, op.d2, &mut upper);
    let out = d.store(m.memory, &request, lanes, element, src, m.port);
    note_out_of_range(m, out);
    done(m, op)
}

fn run_atomic(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, width, exec) = (m.wave.rows, op.mem.width, active(m));
    let (d, request) = request(m, op, BufferKind::Atomic, width.bytes());
    if is_ignored(&d) {
        return NEXT;
    }
    let at = lanes_of(m, op);
    let lanes = Lanes::new(&at[..rows * ROW_LANES], exec);
    count(&mut m.stats.read, &d, exec, width.bytes());
    count(&mut m.stats.written, &d, exec, width.bytes());
    let operands = Operands::read(m, op);
    let atomic = operands.atomic(op, memory_rules(m, op));
    let out = if op.mem.returns {
        let mut before = [[0; ROW_LANES]; 4];
        let out = d.atomic(m.memory, &request, lanes, atomic, Some(&mut before), m.port);
        put_before(m, op, &before, exec);
        out
    } else {
        d.atomic(m.memory, &request, lanes, atomic, None, m.port)
    };
    note_out_of_range(m, out);
    done(m, op)
}
