//! Scratch loads and stores (RDNA 3 ISA 11.2, RDNA 4 ISA 11.2, CDNA 3 ISA 10.3).
//!
//! The private offset of a lane is the sum of a vector offset, a scalar offset and the immediate,
//! each of which may be absent (modes SV, SS, SVS and ST). Register offsets are unsigned up to
//! RDNA 3.5 and signed from RDNA 4 on.

use super::{
    Half, active, address, done, has_word, immediate, into_destination, lds_transfer, names,
    scratch_window, store_source, vgpr, with_destination,
};
use crate::machine::Machine;
use crate::program::{Compile, Op, Src, Step};
use crate::semantics::{Registry, refuse};
use crate::wave::ROW_LANES;
use waveglass_isa::Field;
use waveglass_mem::{Element, Lanes};

pub(super) fn register(r: &mut Registry) {
    names::loads!(r, "scratch", load);
    names::stores!(r, "scratch", store);
}

fn load(c: &Compile<'_>, element: Element, half: Half) -> Op {
    if has_word(c, "lds") {
        return lds_transfer::scratch(c, element);
    }
    with_destination(c, Field::Vdst, run_load, |op| {
        op.mem.element = element;
        op.mem.half = half.on(c);
        offsets(c, op);
        true
    })
}

fn store(c: &Compile<'_>, element: Element, half: Half) -> Op {
    let Some(data) = vgpr(c, Field::Vdata) else {
        return refuse(c, "an operand is missing");
    };
    let mut op = c.op(run_store);
    op.mem.element = element;
    op.mem.half = half;
    op.d2 = data;
    offsets(c, &mut op);
    op
}

pub(super) fn offsets(c: &Compile<'_>, op: &mut Op) {
    op.mem.offset = immediate(c, Field::Offset);
    op.s[0] = c.src(Field::Vaddr);
    op.s[1] = c.src(Field::Saddr);
    if c.inst.target().major() >= 12 {
        op.mem.scale = if c.inst.target().has_gfx1250_insts() {
            address::scale(c, op.mem.element.bytes())
        } else {
            1
        };
    }
}

/// The lanes' private offsets.
#[inline(always)]
pub(super) fn private_offsets(m: &Machine<'_>, op: &Op) -> [i64; 64] {
    let (rows, scale) = (m.wave.rows, op.mem.scale);
    let scalar = match op.s[1] {
        Src::None => 0,
        s if scale == 0 => m.s32(s) as i64,
        s => m.s32(s) as i32 as i64,
    };
    let base = scalar + op.mem.offset;
    let mut out = [base; 64];
    if let Src::Vgpr(r) = op.s[0] {
        let first = r as usize * rows;
        for (out, v) in out
            .chunks_exact_mut(ROW_LANES)
            .zip(&m.wave.vgpr[first..first + rows])
        {
            for (o, &v) in out.iter_mut().zip(v) {
                *o += if scale == 0 {
                    v as i64
                } else {
                    v as i32 as i64 * scale
                };
            }
        }
    }
    out
}

fn run_load(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, element) = (m.wave.rows, op.mem.element);
    let offsets = private_offsets(m, op);
    let (window, exec) = (scratch_window(m), active(m));
    let lanes = Lanes::new(&offsets[..rows * ROW_LANES], exec);
    m.stats.read.scratch += lanes.exec.count_ones() as u64 * element.bytes() as u64;
    into_destination(op, &mut m.wave.vgpr, rows, lanes.exec, |dst| {
        window.load(m.memory, lanes, element, dst, m.port);
    });
    done(m, op)
}

fn run_store(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, element) = (m.wave.rows, op.mem.element);
    let offsets = private_offsets(m, op);
    let (window, exec) = (scratch_window(m), active(m));
    let lanes = Lanes::new(&offsets[..rows * ROW_LANES], exec);
    m.stats.written.scratch += lanes.exec.count_ones() as u64 * element.bytes() as u64;
    let mut upper = [[0; ROW_LANES]; 2];
    let src = store_source(op, &m.wave.vgpr, rows, op.d2, &mut upper);
    window.store(m.memory, lanes, element, src, m.port);
    done(m, op)
}
