//! Moves between memory and LDS that pass no vector register: MUBUF's and FLAT's LDS bit (GCN 5 to
//! CDNA 2, RDNA 1 and 2), `global_load_lds_*` and `scratch_load_lds_*` (CDNA 3 and 4), the asynchronous
//! loads and stores of CDNA 5.
//!
//! Lane *n* of a load writes a dword (or three, or four) at `M0 + inst_offset + n * 4` of the
//! workgroup's LDS (`n * 16` for three and four, of which three leave the fourth alone); values below
//! a dword are extended to one. The immediate is part of the memory address too. Lanes whose LDS
//! address is outside the allocation are switched off, without a violation (Vega ISA 3.11, 8.1.9; CDNA
//! 4 ISA 9.1.9, 10.3).
//!
//! CDNA 5's lanes have an LDS address each, in a register, to which the immediate is added as it is to
//! the memory address; as many bytes move as the instruction says (CDNA 5 ISA 10.8). There are no
//! clusters of workgroups here, so that `cluster_load_async_*` are downgraded to global ones as they
//! are outside a cluster (10.7).

use super::buffer::{
    address as buffer_address, count, is_ignored, lanes_of, note_out_of_range, request,
};
use super::buffer_format::{access, kind};
use super::flat::global_lanes;
use super::scratch::{offsets, private_offsets};
use super::{FormatInfo, active, address, done, scratch_window, vgpr, zero_lanes};
use crate::machine::Machine;
use crate::program::{Compile, Handler, Op, Step};
use crate::semantics::{NEXT, Registry, Semantics, refuse};
use crate::wave::ROW_LANES;
use waveglass_isa::{Field, Target};
use waveglass_mem::buffer::BufferKind;
use waveglass_mem::{Access, Element, Lanes, Row};

macro_rules! loads {
    ($r:expr; $($name:literal $element:ident;)*) => {$(
        $r.insert(concat!("global_load_lds_", $name), Semantics::Custom(|c| {
            global(c, Element::$element)
        }));
        $r.insert(concat!("scratch_load_lds_", $name), Semantics::Custom(|c| {
            scratch(c, Element::$element)
        }));
    )*};
}

macro_rules! asynchronous {
    ($r:expr; $($name:literal $element:ident;)*) => {$(
        for name in [
            concat!("global_load_async_to_lds_", $name),
            concat!("cluster_load_async_to_lds_", $name),
        ] {
            $r.insert(name, Semantics::Custom(|c| {
                asynchronous(c, Element::$element, Field::Vdst, LOADS)
            }));
        }
        $r.insert(concat!("global_store_async_from_lds_", $name), Semantics::Custom(|c| {
            asynchronous(c, Element::$element, Field::Vdata, STORES)
        }));
    )*};
}

pub(super) fn register(r: &mut Registry) {
    loads! { r;
        "ubyte" U8;
        "sbyte" I8;
        "ushort" U16;
        "sshort" I16;
        "dword" B32;
        "dwordx3" B96;
        "dwordx4" B128;
    }
    r.insert("buffer_store_lds_dword", Semantics::Custom(buffer_store));
    asynchronous! { r;
        "b8" U8;
        "b32" B32;
        "b64" B64;
        "b128" B128;
    }
}

/// The bits of M0 that are the LDS offset of a move into LDS: 16 of them in bytes; 18 on CDNA 4; whole dwords of 18 bits
/// for the global and scratch instructions of CDNA 3 and 4.
pub fn lds_transfer_mask(target: Target, flat: bool) -> u32 {
    match (target, flat) {
        (Target::Gfx942 | Target::Gfx950, true) => 0x3_fffc,
        (Target::Gfx950, false) => 0x3_ffff,
        _ => 0xffff,
    }
}

fn op(c: &Compile<'_>, run: Handler, element: Element, flat: bool) -> Op {
    let mut op = c.op(run);
    op.mem.element = element;
    op.imm = lds_transfer_mask(c.inst.target(), flat).into();
    op
}

/// A buffer load into LDS.
pub(super) fn buffer(c: &Compile<'_>, element: Element) -> Op {
    buffer_op(c, op(c, run_buffer, element, false))
}

/// The same with conversion.
pub(super) fn buffer_format(c: &Compile<'_>, format: FormatInfo) -> Op {
    let mut op = op(c, run_buffer_format, Element::B32, false);
    op.mem.format = format;
    buffer_op(c, op)
}

fn buffer_store(c: &Compile<'_>) -> Op {
    buffer_op(c, op(c, run_buffer_store, Element::B32, false))
}

fn buffer_op(c: &Compile<'_>, mut op: Op) -> Op {
    if super::has_word(c, "tfe") {
        return refuse(c, "TFE with a load into LDS");
    }
    match buffer_address(c, &mut op) {
        Ok(()) => op,
        Err(why) => refuse(c, why),
    }
}

/// A global load into LDS.
pub(super) fn global(c: &Compile<'_>, element: Element) -> Op {
    let mut op = op(c, run_global::<{ address::GV }>, element, true);
    match address::compile(c, &mut op, false, element.bytes()) {
        Some(address::GV) => op,
        Some(_) => {
            op.run = run_global::<{ address::GVS }>;
            op
        }
        None => refuse(c, "an operand is missing"),
    }
}

/// A scratch load into LDS.
pub(super) fn scratch(c: &Compile<'_>, element: Element) -> Op {
    let mut op = op(c, run_scratch, element, true);
    offsets(c, &mut op);
    op
}

/// The lanes' LDS addresses, and those of `exec` whose access is within the allocation.
fn lds_lanes(m: &Machine<'_>, op: &Op, exec: u64, bytes: u32) -> ([u32; 64], u64) {
    let base = (m.m0() & op.imm as u32).wrapping_add(op.mem.offset as u32);
    let step = if bytes > 4 { 16 } else { 4 };
    let at: [u32; 64] = std::array::from_fn(|n| base.wrapping_add(n as u32 * step));
    let limit = m.lds.limit(m.port);
    let inside = (0..64)
        .filter(|&n| at[n].checked_add(bytes).is_some_and(|end| end <= limit))
        .fold(0, |mask, n| mask | 1 << n);
    (at, exec & inside)
}

/// Bytes that each lane takes in LDS.
fn lds_bytes(op: &Op) -> u32 {
    op.mem.element.bytes().max(4)
}

/// Writes what was loaded for `exec`.
fn put(m: &mut Machine<'_>, op: &Op, at: &[u32; 64], exec: u64, data: &[Row]) {
    let element = match op.mem.element.dwords() {
        1 => Element::B32,
        _ => op.mem.element,
    };
    m.stats.written.lds += exec.count_ones() as u64 * element.bytes() as u64;
    let lanes = Lanes::new(&at[..m.wave.rows * ROW_LANES], exec);
    m.lds.store(lanes, element, data, m.port);
}

const LOADS: [Handler; 2] = [
    run_async_load::<{ address::GV }>,
    run_async_load::<{ address::GVS }>,
];
const STORES: [Handler; 2] = [
    run_async_store::<{ address::GV }>,
    run_async_store::<{ address::GVS }>,
];

fn asynchronous(c: &Compile<'_>, element: Element, lds: Field, run: [Handler; 2]) -> Op {
    let mut op = c.op(run[0]);
    op.mem.element = element;
    let mode = address::compile(c, &mut op, false, element.bytes());
    match (mode, vgpr(c, lds)) {
        (Some(mode), Some(lds)) => {
            op.run = run[mode as usize & 1];
            op.target = lds;
            op
        }
        _ => refuse(c, "an operand is missing"),
    }
}

/// The lanes' LDS addresses.
fn async_addresses(m: &Machine<'_>, op: &Op) -> [u32; 64] {
    super::ds::addresses(m, op, op.mem.offset).0
}

fn run_async_load<const MODE: u8>(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, element) = (m.wave.rows, op.mem.element);
    let at = address::addresses::<MODE>(m, op);
    let (to, exec) = (async_addresses(m, op), active(m));
    let (lanes, bad) = global_lanes(m, &at, exec, Access::Load, element.bytes());
    m.stats.read.global += lanes.exec.count_ones() as u64 * element.bytes() as u64;
    let mut data = [[0; ROW_LANES]; 8];
    m.memory.load(lanes, element, &mut data, m.port);
    zero_lanes(&mut data[..element.dwords() * rows], rows, bad);
    // A write past the allocation is dropped (CDNA 5 ISA 3.3.3).
    let limit = u64::from(m.lds.limit(m.port));
    let inside = (0..64)
        .filter(|&n| u64::from(to[n]) + u64::from(element.bytes()) <= limit)
        .fold(0, |mask, n| mask | 1 << n);
    let lanes = Lanes::new(&to[..rows * ROW_LANES], exec & inside);
    m.stats.written.lds += lanes.exec.count_ones() as u64 * element.bytes() as u64;
    m.lds.store(lanes, element, &data, m.port);
    done(m, op)
}

fn run_async_store<const MODE: u8>(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, element) = (m.wave.rows, op.mem.element);
    let at = address::addresses::<MODE>(m, op);
    let (from, exec) = (async_addresses(m, op), active(m));
    let mut data = [[0; ROW_LANES]; 8];
    m.stats.read.lds += exec.count_ones() as u64 * element.bytes() as u64;
    let lanes = Lanes::new(&from[..rows * ROW_LANES], exec);
    m.lds.load(lanes, element, &mut data, m.port);
    let (lanes, _) = global_lanes(m, &at, exec, Access::Store, element.bytes());
    m.stats.written.global += lanes.exec.count_ones() as u64 * element.bytes() as u64;
    m.memory.store(lanes, element, &data, m.port);
    done(m, op)
}

fn run_buffer(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, element, exec) = (m.wave.rows, op.mem.element, active(m));
    let (d, request) = request(m, op, BufferKind::Untyped, element.bytes());
    if is_ignored(&d) {
        return NEXT;
    }
    let (to, exec) = lds_lanes(m, op, exec, lds_bytes(op));
    let at = lanes_of(m, op);
    let lanes = Lanes::new(&at[..rows * ROW_LANES], exec);
    count(&mut m.stats.read, &d, exec, element.bytes());
    let mut data = [[0; ROW_LANES]; 8];
    let out = d.load(m.memory, &request, lanes, element, &mut data, m.port);
    note_out_of_range(m, out);
    put(m, op, &to, exec, &data);
    done(m, op)
}

fn run_buffer_format(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec, format) = (m.wave.rows, active(m), op.mem.format);
    let (d, request) = request(m, op, kind(format), 0);
    if is_ignored(&d) {
        return NEXT;
    }
    let access = match access(&d, format) {
        Ok(access) => access,
        Err(why) => return m.refuse(op, why),
    };
    let (to, exec) = lds_lanes(m, op, exec, 4);
    let mut data = [[0; ROW_LANES]; 2];
    if let Some(access) = access {
        let at = lanes_of(m, op);
        let lanes = Lanes::new(&at[..rows * ROW_LANES], exec);
        count(&mut m.stats.read, &d, exec, access.format.bytes());
        let out = d.load_format(m.memory, &request, lanes, &access, &mut data, m.port);
        note_out_of_range(m, out);
    }
    put(m, op, &to, exec, &data);
    done(m, op)
}

/// `buffer_store_lds_dword` takes its data from where a load into LDS would have put it.
fn run_buffer_store(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec) = (m.wave.rows, active(m));
    let (d, request) = request(m, op, BufferKind::Untyped, 4);
    if is_ignored(&d) {
        return NEXT;
    }
    let (from, exec) = lds_lanes(m, op, exec, 4);
    let mut data = [[0; ROW_LANES]; 2];
    m.stats.read.lds += exec.count_ones() as u64 * 4;
    let lanes = Lanes::new(&from[..rows * ROW_LANES], exec);
    m.lds.load(lanes, Element::B32, &mut data, m.port);
    let at = lanes_of(m, op);
    let lanes = Lanes::new(&at[..rows * ROW_LANES], exec);
    count(&mut m.stats.written, &d, exec, 4);
    let out = d.store(m.memory, &request, lanes, Element::B32, &data, m.port);
    note_out_of_range(m, out);
    done(m, op)
}

fn run_global<const MODE: u8>(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, element) = (m.wave.rows, op.mem.element);
    let at = address::addresses::<MODE>(m, op);
    let exec = active(m);
    let (to, exec) = lds_lanes(m, op, exec, lds_bytes(op));
    let (lanes, bad) = global_lanes(m, &at, exec, Access::Load, element.bytes());
    m.stats.read.global += lanes.exec.count_ones() as u64 * element.bytes() as u64;
    let mut data = [[0; ROW_LANES]; 8];
    m.memory.load(lanes, element, &mut data, m.port);
    zero_lanes(&mut data[..element.dwords() * rows], rows, bad);
    put(m, op, &to, exec, &data);
    done(m, op)
}

fn run_scratch(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, element) = (m.wave.rows, op.mem.element);
    let private = private_offsets(m, op);
    let (window, exec) = (scratch_window(m), active(m));
    let (to, exec) = lds_lanes(m, op, exec, lds_bytes(op));
    let lanes = Lanes::new(&private[..rows * ROW_LANES], exec);
    m.stats.read.scratch += exec.count_ones() as u64 * element.bytes() as u64;
    let mut data = [[0; ROW_LANES]; 8];
    window.load(m.memory, lanes, element, &mut data, m.port);
    put(m, op, &to, exec, &data);
    done(m, op)
}
