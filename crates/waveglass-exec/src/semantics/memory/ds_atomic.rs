//! LDS atomics.
//!
//! `DS_CMPST` (up to gfx10) has the comparand first and the data second; `DS_CMPSTORE` (gfx11 on)
//! has them the other way round. The other operations with two operands (MSKOR, WRAP) take them in
//! order.

use super::atomics::{flushes, put_before};
use super::ds::{addressed, addresses, pair_offsets, places};
use super::gds::bind;
use super::{Half, without_destination};
use super::{active, done, immediate, merge_halves, span, vgpr, with_destination};
use crate::machine::Machine;
use crate::program::{Compile, Op, Step};
use crate::semantics::{Registry, Semantics, refuse};
use crate::wave::ROW_LANES;
use waveglass_isa::Field;
use waveglass_mem::{
    Atomic, AtomicOp, AtomicRules, AtomicWidth, Element, Generation, Lanes, Row, Space,
};

macro_rules! atomics {
    ($r:expr; $($op:ident $width:ident $reversed:literal: $($name:literal)*, $($rtn:literal)*;)*) => {$(
        for name in [$($name),*] as [&'static str; _] {
            $r.insert(name, Semantics::Custom(|c| {
                bind(c, compile(c, AtomicOp::$op, AtomicWidth::$width, $reversed, false))
            }));
        }
        for name in [$($rtn),*] as [&'static str; _] {
            $r.insert(name, Semantics::Custom(|c| {
                bind(c, compile(c, AtomicOp::$op, AtomicWidth::$width, $reversed, true))
            }));
        }
    )*};
}

pub(super) fn register(r: &mut Registry) {
    atomics! { r;
        Add B32 false: "ds_add_u32", "ds_add_rtn_u32";
        Sub B32 false: "ds_sub_u32", "ds_sub_rtn_u32";
        Rsub B32 false: "ds_rsub_u32", "ds_rsub_rtn_u32";
        Inc B32 false: "ds_inc_u32", "ds_inc_rtn_u32";
        Dec B32 false: "ds_dec_u32", "ds_dec_rtn_u32";
        Smin B32 false: "ds_min_i32", "ds_min_rtn_i32";
        Smax B32 false: "ds_max_i32", "ds_max_rtn_i32";
        Umin B32 false: "ds_min_u32", "ds_min_rtn_u32";
        Umax B32 false: "ds_max_u32", "ds_max_rtn_u32";
        And B32 false: "ds_and_b32", "ds_and_rtn_b32";
        Or B32 false: "ds_or_b32", "ds_or_rtn_b32";
        Xor B32 false: "ds_xor_b32", "ds_xor_rtn_b32";
        Mskor B32 false: "ds_mskor_b32", "ds_mskor_rtn_b32";
        Wrap B32 false: , "ds_wrap_rtn_b32";
        SubClamp B32 false: "ds_sub_clamp_u32", "ds_sub_clamp_rtn_u32";
        CondSub B32 false: "ds_cond_sub_u32", "ds_cond_sub_rtn_u32";
        Swap B32 false: , "ds_wrxchg_rtn_b32" "ds_storexchg_rtn_b32";
        CmpSwap B32 true: "ds_cmpst_b32", "ds_cmpst_rtn_b32";
        FCmpSwap B32 true: "ds_cmpst_f32", "ds_cmpst_rtn_f32";
        CmpSwap B32 false: "ds_cmpstore_b32", "ds_cmpstore_rtn_b32";
        FCmpSwap B32 false: "ds_cmpstore_f32", "ds_cmpstore_rtn_f32";
        FAdd B32 false: "ds_add_f32", "ds_add_rtn_f32";
        FMin B32 false: "ds_min_f32" "ds_min_num_f32", "ds_min_rtn_f32" "ds_min_num_rtn_f32";
        FMax B32 false: "ds_max_f32" "ds_max_num_f32", "ds_max_rtn_f32" "ds_max_num_rtn_f32";
        PkAddF16 B32 false: "ds_pk_add_f16", "ds_pk_add_rtn_f16";
        PkAddBf16 B32 false: "ds_pk_add_bf16", "ds_pk_add_rtn_bf16";
        Add B64 false: "ds_add_u64", "ds_add_rtn_u64";
        Sub B64 false: "ds_sub_u64", "ds_sub_rtn_u64";
        Rsub B64 false: "ds_rsub_u64", "ds_rsub_rtn_u64";
        Inc B64 false: "ds_inc_u64", "ds_inc_rtn_u64";
        Dec B64 false: "ds_dec_u64", "ds_dec_rtn_u64";
        Smin B64 false: "ds_min_i64", "ds_min_rtn_i64";
        Smax B64 false: "ds_max_i64", "ds_max_rtn_i64";
        Umin B64 false: "ds_min_u64", "ds_min_rtn_u64";
        Umax B64 false: "ds_max_u64", "ds_max_rtn_u64";
        And B64 false: "ds_and_b64", "ds_and_rtn_b64";
        Or B64 false: "ds_or_b64", "ds_or_rtn_b64";
        Xor B64 false: "ds_xor_b64", "ds_xor_rtn_b64";
        Mskor B64 false: "ds_mskor_b64", "ds_mskor_rtn_b64";
        Swap B64 false: , "ds_wrxchg_rtn_b64" "ds_storexchg_rtn_b64";
        CmpSwap B64 true: "ds_cmpst_b64", "ds_cmpst_rtn_b64";
        FCmpSwap B64 true: "ds_cmpst_f64", "ds_cmpst_rtn_f64";
        CmpSwap B64 false: "ds_cmpstore_b64", "ds_cmpstore_rtn_b64";
        FCmpSwap B64 false: "ds_cmpstore_f64", "ds_cmpstore_rtn_f64";
        FAdd B64 false: "ds_add_f64", "ds_add_rtn_f64";
        FMin B64 false: "ds_min_f64" "ds_min_num_f64", "ds_min_rtn_f64" "ds_min_num_rtn_f64";
        FMax B64 false: "ds_max_f64" "ds_max_num_f64", "ds_max_rtn_f64" "ds_max_num_rtn_f64";
    }
    exchange_pairs(r);
    r.insert(
        "ds_append",
        Semantics::Custom(|c| bind(c, append(c, AtomicOp::Add))),
    );
    r.insert(
        "ds_consume",
        Semantics::Custom(|c| bind(c, append(c, AtomicOp::Sub))),
    );
}

fn compile(
    c: &Compile<'_>,
    atomic: AtomicOp,
    width: AtomicWidth,
    reversed: bool,
    returns: bool,
) -> Op {
    let mut op = match addressed(c, run) {
        Ok(op) => op,
        Err(why) => return refuse(c, why),
    };
    let Some(data) = vgpr(c, Field::Data0) else {
        return refuse(c, "an operand is missing");
    };
    (op.d2, op.imm) = (data, data.into());
    if atomic.has_second_operand() {
        let Some(second) = vgpr(c, Field::Data1) else {
            return refuse(c, "an operand is missing");
        };
        (op.d2, op.imm) = if reversed {
            (second, data.into())
        } else {
            (data, second.into())
        };
    }
    op.mem.atomic = atomic;
    op.mem.width = width;
    op.mem.returns = returns;
    if returns {
        match c.vector_dst(Field::Vdst) {
            Some(d) => op.d = d,
            None => return without_destination(c),
        }
    }
    op
}

/// The float rules of an atomic in LDS: MODE's, of which minimum and maximum before gfx12 take
/// only the input half.
fn rules(m: &Machine<'_>, op: &Op) -> AtomicRules {
    let (input, output) = flushes(m, op.mem.atomic, op.mem.width);
    AtomicRules::lds(m.port.rules.generation, input, output)
}

fn run(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec) = (m.wave.rows, active(m));
    let at = addresses(m, op, op.mem.offset);
    let lanes = Lanes::new(&at.0[..rows * ROW_LANES], exec);
    let moved = exec.count_ones() as u64 * op.mem.width.bytes() as u64;
    m.stats.read.lds += moved;
    m.stats.written.lds += moved;
    let dwords = op.mem.width.dwords();
    let second: &[Row] = if op.mem.atomic.has_second_operand() {
        &m.wave.vgpr[span(rows, op.imm as u32, dwords)]
    } else {
        &[]
    };
    let atomic = Atomic {
        op: op.mem.atomic,
        width: op.mem.width,
        data: &m.wave.vgpr[span(rows, op.d2, dwords)],
        second,
        rules: rules(m, op),
    };
    if op.mem.returns {
        let mut before = [[0; ROW_LANES]; 4];
        m.lds.atomic(lanes, atomic, Some(&mut before), m.port);
        put_before(m, op, &before, exec);
    } else {
        m.lds.atomic(lanes, atomic, None, m.port);
    }
    done(m, op)
}

/// Two exchanges at two addresses.
fn exchange_pairs(r: &mut Registry) {
    macro_rules! pair {
        ($($name:literal $new:literal $width:ident $stride:literal;)*) => {$(
            for name in [$name, $new] {
                r.insert(name, Semantics::Custom(|c| {
                    bind(c, exchange_pair(c, AtomicWidth::$width, $stride))
                }));
            }
        )*};
    }
    pair! {
        "ds_wrxchg2_rtn_b32" "ds_storexchg_2addr_rtn_b32" B32 1;
        "ds_wrxchg2_rtn_b64" "ds_storexchg_2addr_rtn_b64" B64 1;
        "ds_wrxchg2st64_rtn_b32" "ds_storexchg_2addr_stride64_rtn_b32" B32 64;
        "ds_wrxchg2st64_rtn_b64" "ds_storexchg_2addr_stride64_rtn_b64" B64 64;
    }
}

fn exchange_pair(c: &Compile<'_>, width: AtomicWidth, stride: i64) -> Op {
    let base = match addressed(c, run_exchange_pair) {
        Ok(op) => op,
        Err(why) => return refuse(c, why),
    };
    let (Some(data0), Some(data1)) = (vgpr(c, Field::Data0), vgpr(c, Field::Data1)) else {
        return refuse(c, "an operand is missing");
    };
    with_destination(c, Field::Vdst, run_exchange_pair, |op| {
        op.target = base.target;
        (op.d2, op.imm) = (data0, data1.into());
        op.mem.width = width;
        pair_offsets(c, op, width.bytes(), stride);
        true
    })
}

fn run_exchange_pair(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec, width) = (m.wave.rows, active(m), op.mem.width);
    let both = [(op.mem.offset, op.d2), (op.mem.offset1, op.imm as u32)];
    let done_at = &both[..places(m, op)];
    let moved = (done_at.len() as u64) * exec.count_ones() as u64 * width.bytes() as u64;
    m.stats.read.lds += moved;
    m.stats.written.lds += moved;
    let mut before = [[[0; ROW_LANES]; 4]; 2];
    for (&(offset, data), before) in done_at.iter().zip(&mut before) {
        let at = addresses(m, op, offset);
        let atomic = Atomic {
            op: AtomicOp::Swap,
            width,
            data: &m.wave.vgpr[span(rows, data, width.dwords())],
            second: &[],
            rules: AtomicRules::integer(m.port.rules.generation),
        };
        let lanes = Lanes::new(&at.0[..rows * ROW_LANES], exec);
        m.lds.atomic(lanes, atomic, Some(before), m.port);
    }
    // One exchange is one read, whose value both results have.
    if done_at.len() == 1 {
        before[1] = before[0];
    }
    let dwords = width.dwords();
    for (i, before) in before.iter().enumerate() {
        let dst = &mut m.wave.vgpr[span(rows, op.d + (i * dwords) as u32, dwords)];
        for (dst, value) in dst.chunks_exact_mut(rows).zip(before.chunks_exact(rows)) {
            merge_halves(Half::Whole, dst, value, exec);
        }
    }
    done(m, op)
}

/// `ds_append` and `ds_consume`: one addition or subtraction of the number of active lanes at
/// M0 plus the offset; every active lane gets the value before.
///
/// The manuals name M0's base field; compilers put an LDS byte address there, of which a target
/// with 64 KiB of LDS uses the low 16 bits.
fn append(c: &Compile<'_>, atomic: AtomicOp) -> Op {
    with_destination(c, Field::Vdst, run_append, |op| {
        op.mem.atomic = atomic;
        op.mem.offset = immediate(c, Field::Offset);
        true
    })
}

fn run_append(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec) = (m.wave.rows, active(m));
    if exec == 0 {
        return done(m, op);
    }
    let base = match m.port.rules.generation {
        // M0's base is where the window of GDS begins.
        _ if m.port.share == Space::Gds => 0,
        Generation::Cdna4 | Generation::Cdna5 => m.m0() & 0xf_ffff,
        _ => m.m0() & 0xffff,
    };
    let at = [base.wrapping_add(op.mem.offset as u32); 64];
    m.stats.read.lds += Element::B32.bytes() as u64;
    m.stats.written.lds += Element::B32.bytes() as u64;
    let first = exec & exec.wrapping_neg();
    let data = [[exec.count_ones(); ROW_LANES]; 2];
    let atomic = Atomic {
        op: op.mem.atomic,
        width: AtomicWidth::B32,
        data: &data,
        second: &[],
        rules: AtomicRules::integer(m.port.rules.generation),
    };
    let mut before = [[0; ROW_LANES]; 2];
    let lanes = Lanes::new(&at[..rows * ROW_LANES], first);
    m.lds.atomic(lanes, atomic, Some(&mut before), m.port);
    let lane = first.trailing_zeros() as usize;
    let value = [[before[lane / ROW_LANES][lane % ROW_LANES]; ROW_LANES]; 2];
    let dst = &mut m.wave.vgpr[span(rows, op.d, 1)];
    merge_halves(Half::Whole, dst, &value, exec);
    done(m, op)
}
