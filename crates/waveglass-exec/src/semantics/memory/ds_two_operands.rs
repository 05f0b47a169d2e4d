//! LDS operations that take both operands from LDS (`ds_*_src2_*`, GCN 5, CDNA 1 and RDNA 1; Vega ISA
//! 10.3.3 "SRC2 Ops") and the conditional exchange of two dwords.

use super::atomics::flushes;
use super::ds::{addressed, addresses};
use super::gds::bind;
use super::{active, done, span, vgpr, with_destination};
use crate::machine::Machine;
use crate::program::{Compile, Op, Step};
use crate::semantics::{Registry, Semantics, refuse};
use crate::wave::ROW_LANES;
use waveglass_isa::Field;
use waveglass_mem::{Atomic, AtomicOp, AtomicRules, AtomicWidth, Element, Lanes};

macro_rules! src2 {
    ($r:expr; $($op:ident $width:ident $name:literal;)*) => {$(
        $r.insert($name, Semantics::Custom(|c| {
            bind(c, src2(c, AtomicOp::$op, AtomicWidth::$width))
        }));
    )*};
}

pub(super) fn register(r: &mut Registry) {
    src2! { r;
        Add B32 "ds_add_src2_u32";
        Sub B32 "ds_sub_src2_u32";
        Rsub B32 "ds_rsub_src2_u32";
        Inc B32 "ds_inc_src2_u32";
        Dec B32 "ds_dec_src2_u32";
        Smin B32 "ds_min_src2_i32";
        Smax B32 "ds_max_src2_i32";
        Umin B32 "ds_min_src2_u32";
        Umax B32 "ds_max_src2_u32";
        And B32 "ds_and_src2_b32";
        Or B32 "ds_or_src2_b32";
        Xor B32 "ds_xor_src2_b32";
        Swap B32 "ds_write_src2_b32";
        FMin B32 "ds_min_src2_f32";
        FMax B32 "ds_max_src2_f32";
        FAdd B32 "ds_add_src2_f32";
        Add B64 "ds_add_src2_u64";
        Sub B64 "ds_sub_src2_u64";
        Rsub B64 "ds_rsub_src2_u64";
        Inc B64 "ds_inc_src2_u64";
        Dec B64 "ds_dec_src2_u64";
        Smin B64 "ds_min_src2_i64";
        Smax B64 "ds_max_src2_i64";
        Umin B64 "ds_min_src2_u64";
        Umax B64 "ds_max_src2_u64";
        And B64 "ds_and_src2_b64";
        Or B64 "ds_or_src2_b64";
        Xor B64 "ds_xor_src2_b64";
        Swap B64 "ds_write_src2_b64";
        FMin B64 "ds_min_src2_f64";
        FMax B64 "ds_max_src2_f64";
    }
    r.insert(
        "ds_condxchg32_rtn_b64",
        Semantics::Custom(|c| bind(c, exchange(c))),
    );
}

fn src2(c: &Compile<'_>, atomic: AtomicOp, width: AtomicWidth) -> Op {
    let mut op = match addressed(c, run_src2) {
        Ok(op) => op,
        Err(why) => return refuse(c, why),
    };
    op.imm = c.inst.field(Field::Offset) & 0xffff;
    op.mem.atomic = atomic;
    op.mem.width = width;
    op
}

/// The addresses of a lane's destination and of its data.
///
/// Bit 15 of the offset clear: the data lies the low 15 bits, signed, times four after the
/// destination. Set: the register has the destination in bits 16:0 and the distance, signed and in
/// dwords, above.
pub const fn src2_addresses(offset: u32, address: u32) -> (u32, u32) {
    if offset & 0x8000 != 0 {
        let (to, distance) = (address & 0x1_ffff, address as i32 >> 17);
        (to, to.wrapping_add((distance * 4) as u32))
    } else {
        let distance = (offset << 17) as i32 >> 17;
        (address, address.wrapping_add((distance * 4) as u32))
    }
}

fn run_src2(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec, width) = (m.wave.rows, active(m), op.mem.width);
    let addresses = addresses(m, op, 0).0;
    let element = match width {
        AtomicWidth::B32 => Element::B32,
        AtomicWidth::B64 => Element::B64,
    };
    let (input, output) = flushes(m, op.mem.atomic, width);
    let moved = exec.count_ones() as u64 * width.bytes() as u64;
    m.stats.read.lds += 2 * moved;
    m.stats.written.lds += moved;
    for lane in (0..rows * ROW_LANES).filter(|l| exec >> l & 1 != 0) {
        let (to, from) = src2_addresses(op.imm as u32, addresses[lane]);
        let mut data = [[0; ROW_LANES]; 4];
        let at = [from; 64];
        let one = Lanes::new(&at[..rows * ROW_LANES], 1 << lane);
        m.lds.load(one, element, &mut data, m.port);
        let atomic = Atomic {
            op: op.mem.atomic,
            width,
            data: &data[..width.dwords() * rows],
            second: &[],
            rules: AtomicRules::lds(m.port.rules.generation, input, output),
        };
        let at = [to; 64];
        let one = Lanes::new(&at[..rows * ROW_LANES], 1 << lane);
        m.lds.atomic(one, atomic, None, m.port);
    }
    done(m, op)
}

fn exchange(c: &Compile<'_>) -> Op {
    let base = match addressed(c, run_exchange) {
        Ok(op) => op,
        Err(why) => return refuse(c, why),
    };
    let Some(data) = vgpr(c, Field::Data0) else {
        return refuse(c, "an operand is missing");
    };
    with_destination(c, Field::Vdst, run_exchange, |op| {
        op.target = base.target;
        op.mem = base.mem;
        op.d2 = data;
        true
    })
}

/// Each dword of the pair is written, with its top bit clear, where the data's top bit is set (CDNA 3
/// ISA 12.13, "DS_CONDXCHG32_RTN_B64"). The address has 16 bits of which the low three are dropped.
fn run_exchange(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec) = (m.wave.rows, active(m));
    let at = addresses(m, op, op.mem.offset).0.map(|a| a & 0xfff8);
    let all = &at[..rows * ROW_LANES];
    m.stats.read.lds += exec.count_ones() as u64 * 8;
    let data: [[u32; ROW_LANES]; 4] = {
        let mut data = [[0; ROW_LANES]; 4];
        data[..2 * rows].copy_from_slice(&m.wave.vgpr[span(rows, op.d2, 2)]);
        data
    };
    let mut before = [[0; ROW_LANES]; 4];
    for lane in (0..rows * ROW_LANES).filter(|l| exec >> l & 1 != 0) {
        let one = Lanes::new(all, 1 << lane);
        let mut value = [[0; ROW_LANES]; 4];
        let faults = m.port.faults.len();
        m.lds.load(one, Element::B64, &mut value, m.port);
        let good = m.port.faults.len() == faults;
        for d in 0..2 {
            let row = d * rows + lane / ROW_LANES;
            before[row][lane % ROW_LANES] = value[row][lane % ROW_LANES];
            let new = data[row][lane % ROW_LANES];
            if good && new >> 31 != 0 {
                let to = [at[lane] + 4 * d as u32; 64];
                let one = Lanes::new(&to[..rows * ROW_LANES], 1 << lane);
                m.stats.written.lds += 4;
                let new = [[new & 0x7fff_ffff; ROW_LANES]; 2];
                m.lds.store(one, Element::B32, &new[..rows], m.port);
            }
        }
    }
    for d in 0..2 {
        let dst = &mut m.wave.vgpr[span(rows, op.d + d, 1)];
        let value = &before[d as usize * rows..][..rows];
        super::merge_halves(super::Half::Whole, dst, value, exec);
    }
    done(m, op)
}
