//! LDS operations that move data between lanes and touch no memory, swizzle and permute, and the load that
//! sends one value to all of them.

use super::gds::is_gds;
use super::{Half, active, immediate, merge_halves, span, vgpr, with_destination};
use crate::machine::Machine;
use crate::program::{Compile, Handler, Op, Step};
use crate::semantics::{NEXT, Registry, Semantics, refuse};
use crate::wave::ROW_LANES;
use waveglass_isa::{Field, Target};
use waveglass_mem::Row;

pub(super) fn register(r: &mut Registry) {
    r.insert("ds_swizzle_b32", Semantics::Custom(swizzle));
    r.insert(
        "ds_permute_b32",
        Semantics::Custom(|c| permute(c, run_permute)),
    );
    r.insert(
        "ds_bpermute_b32",
        Semantics::Custom(|c| permute(c, run_bpermute::<false>)),
    );
    r.insert(
        "ds_bpermute_fi_b32",
        Semantics::Custom(|c| permute(c, run_bpermute::<true>)),
    );
    for name in ["lds_direct_load", "ds_direct_load"] {
        r.insert(
            name,
            Semantics::Custom(|c| with_destination(c, Field::Vdst, run_direct, |_| true)),
        );
    }
    r.insert("ds_nop", Semantics::Custom(|c| c.op(|_, _| NEXT)));
}

/// The lane that each of a wave's lanes takes its value from (Vega ISA 12.13, DS_SWIZZLE_B32).
/// All modes stay within 32 lanes.
pub fn swizzle_source(offset: u32, lane: u32) -> u32 {
    let (group, i) = (lane & 0x20, lane & 0x1f);
    let from = match offset {
        // FFT: bit-reversed order, where the lanes below `mask` stay together.
        0xe000.. => {
            let mask = offset & 0x1f;
            i.reverse_bits() >> 27 >> mask.count_ones() | i & mask
        }
        // Rotate by bits 9:5, to the right if bit 10 is set; lane bits of `mask` stay.
        0xc000.. => {
            let (by, mask) = (offset >> 5 & 0x1f, offset & 0x1f);
            let turned = if offset >> 10 & 1 != 0 {
                i.wrapping_sub(by)
            } else {
                i + by
            };
            i & mask | turned & !mask & 0x1f
        }
        // Any order within four lanes.
        0x8000.. => i & !3 | offset >> (2 * (i & 3)) & 3,
        // ((lane & and) | or) ^ xor.
        _ => (i & offset & 0x1f | offset >> 5 & 0x1f) ^ offset >> 10 & 0x1f,
    };
    group | from & 0x1f
}

fn swizzle(c: &Compile<'_>) -> Op {
    if is_gds(c) {
        return refuse(c, "a swizzle uses no memory, and has no GDS form");
    }
    let Some(source) = vgpr(c, Field::Addr) else {
        return refuse(c, "an operand is missing");
    };
    with_destination(c, Field::Vdst, run_swizzle, |op| {
        op.d2 = source;
        op.imm = c.inst.field(Field::Offset) & 0xffff;
        true
    })
}

fn run_swizzle(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec) = (m.wave.rows, active(m));
    let value = readable(m, op.d2, exec);
    let mut out = [[0; ROW_LANES]; 2];
    for (lane, v) in out.as_flattened_mut().iter_mut().enumerate() {
        let from = swizzle_source(op.imm as u32, lane as u32) as usize;
        *v = value.as_flattened()[from & 63];
    }
    let dst = &mut m.wave.vgpr[span(rows, op.d, 1)];
    merge_halves(Half::Whole, dst, &out, exec);
    NEXT
}

/// A register's lanes, of which those outside `lanes` read zero.
fn readable(m: &Machine<'_>, register: u32, lanes: u64) -> [Row; 2] {
    let rows = m.wave.rows;
    let mut value = [[0; ROW_LANES]; 2];
    value[..rows].copy_from_slice(&m.wave.vgpr[span(rows, register, 1)]);
    if lanes != m.wave.full_mask() {
        for (lane, v) in value.as_flattened_mut().iter_mut().enumerate() {
            if lanes >> lane & 1 == 0 {
                *v = 0;
            }
        }
    }
    value
}

/// The value that M0 points to, for all lanes of each quad of which any is active (RDNA 3 ISA 12.4, RDNA 4
/// ISA 12.4).
fn run_direct(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec) = (m.wave.rows, active(m));
    let any = exec | exec >> 1 | exec >> 2 | exec >> 3;
    let quads = ((any & 0x1111_1111_1111_1111) * 0xf) & m.wave.full_mask();
    let value = [[m.lds_direct(); ROW_LANES]; 2];
    m.stats.read.lds += 4;
    let dst = &mut m.wave.vgpr[span(rows, op.d, 1)];
    merge_halves(Half::Whole, dst, &value, quads);
    NEXT
}

/// Lanes that a permute reaches: the whole wave, except that a wave64 of gfx10 and gfx11 is two
/// groups of 32 (RDNA 3 ISA 12.5.2; RDNA 4 ISA 12.5.2: "for wave64 index bits 7:2 are used").
pub fn permute_group(target: Target, lanes: u32) -> u32 {
    match target.major() {
        10 | 11 => 32,
        _ => lanes,
    }
}

fn permute(c: &Compile<'_>, run: Handler) -> Op {
    let (Some(index), Some(data)) = (vgpr(c, Field::Addr), vgpr(c, Field::Data0)) else {
        return refuse(c, "an operand is missing");
    };
    with_destination(c, Field::Vdst, run, |op| {
        op.d2 = data;
        op.target = index;
        op.mem.offset = immediate(c, Field::Offset);
        op.imm = permute_group(c.inst.target(), c.rows * 32).into();
        true
    })
}

/// The lane that each lane's index names.
fn named_lanes(m: &Machine<'_>, op: &Op) -> [usize; 64] {
    let ones = op.imm as usize - 1;
    let at = super::ds::addresses(m, op, op.mem.offset);
    std::array::from_fn(|lane| lane & !ones | (at.0[lane] >> 2) as usize & ones)
}

/// Forward: each active lane sends; of several senders the highest is received, and a lane that
/// nobody sends to gets zero.
fn run_permute(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec) = (m.wave.rows, active(m));
    let to = named_lanes(m, op);
    let value = readable(m, op.d2, exec);
    let mut out = [[0; ROW_LANES]; 2];
    for lane in (0..rows * ROW_LANES).filter(|l| exec >> l & 1 != 0) {
        out.as_flattened_mut()[to[lane] & 63] = value.as_flattened()[lane];
    }
    let dst = &mut m.wave.vgpr[span(rows, op.d, 1)];
    merge_halves(Half::Whole, dst, &out, exec);
    NEXT
}

/// Backward: each active lane fetches; inactive lanes hold zero, except with `FI`.
fn run_bpermute<const FI: bool>(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec) = (m.wave.rows, active(m));
    let from = named_lanes(m, op);
    let value = readable(m, op.d2, if FI { m.wave.full_mask() } else { exec });
    let mut out = [[0; ROW_LANES]; 2];
    for (v, from) in out.as_flattened_mut().iter_mut().zip(from) {
        *v = value.as_flattened()[from & 63];
    }
    let dst = &mut m.wave.vgpr[span(rows, op.d, 1)];
    merge_halves(Half::Whole, dst, &out, exec);
    NEXT
}
