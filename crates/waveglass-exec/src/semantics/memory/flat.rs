//! Flat and global loads and stores (Vega ISA 9, RDNA 3 ISA 11, CDNA 5 ISA 10).

use super::address::{self, Addresses, Dwords, GT, GV, GVS, Small, Whole, addresses};
use super::{
    Half, active, done, into_destination, scratch_window, span, store_source, vgpr,
    with_destination, zero_lanes,
};
use super::{atomics, lds_transfer, names};
use crate::machine::Machine;
use crate::program::{Compile, Handler, Op, Step};
use crate::semantics::{NEXT, Registry, Semantics, refuse};
use crate::wave::ROW_LANES;
use waveglass_isa::Field;
use waveglass_mem::wide;
use waveglass_mem::{
    Access, AlignmentMode, Element, Fault, FaultKind, Flat, FlatLanes, Lanes, Space,
    reject_non_global,
};

pub(super) fn register(r: &mut Registry) {
    names::loads!(r, "global", load_global);
    names::stores!(r, "global", store_global);
    names::loads!(r, "flat", load_flat);
    names::stores!(r, "flat", store_flat);
    for name in ["global_load_dword_addtid", "global_load_addtid_b32"] {
        r.insert(
            name,
            Semantics::Custom(|c| {
                let run = GLOBAL_LOADS.map(|by_dwords| by_dwords[0]);
                load(c, Element::B32, Half::Whole, true, run)
            }),
        );
    }
    for name in ["global_store_dword_addtid", "global_store_addtid_b32"] {
        r.insert(
            name,
            Semantics::Custom(|c| {
                let run = GLOBAL_STORES.map(|by_dwords| by_dwords[0]);
                store(c, Element::B32, Half::Whole, true, run)
            }),
        );
    }
    atomics::register(r);
    monitored(r);
}

/// Loads that other waves may watch, or share: outside a cluster of workgroups `cluster_load_*` are
/// global loads (CDNA 5 ISA 10.7); `*_load_monitor_*` load and ask to be woken by a store, which
/// `s_monitor_sleep` here does not wait for (10.10).
fn monitored(r: &mut Registry) {
    macro_rules! loads {
        ($($size:literal $element:ident;)*) => {$(
            r.insert(concat!("cluster_load_", $size), Semantics::Custom(|c| {
                load_global(c, Element::$element, Half::Whole)
            }));
            r.insert(concat!("global_load_monitor_", $size), Semantics::Custom(|c| {
                load(c, Element::$element, Half::Whole, false, GLOBAL_MONITORS)
            }));
            r.insert(concat!("flat_load_monitor_", $size), Semantics::Custom(|c| {
                load(c, Element::$element, Half::Whole, false, FLAT_MONITORS)
            }));
        )*};
    }
    loads! { "b32" B32; "b64" B64; "b128" B128; }
}

const GLOBAL_MONITORS: [Handler; 3] = [
    |m, op| aligned_as_atomics(m, op, global_load::<GV>),
    |m, op| aligned_as_atomics(m, op, global_load::<GVS>),
    |m, op| aligned_as_atomics(m, op, global_load::<GT>),
];
const FLAT_MONITORS: [Handler; 3] = [
    |m, op| aligned_as_atomics(m, op, flat_monitor::<GV>),
    |m, op| aligned_as_atomics(m, op, flat_monitor::<GVS>),
    |m, op| aligned_as_atomics(m, op, flat_monitor::<GT>),
];

/// Runs a load under the alignment rule of atomics: natural, whatever the mode.
fn aligned_as_atomics(m: &mut Machine<'_>, op: &Op, run: Handler) -> Step {
    let mode = m.port.rules.alignment;
    if mode == AlignmentMode::Dword && op.mem.element.bytes() > 4 {
        return m.refuse(op, "a wide monitored load in the DWORD alignment mode");
    }
    m.port.rules.alignment = AlignmentMode::Strict;
    let step = run(m, op);
    m.port.rules.alignment = mode;
    step
}

/// A flat monitored load; one wider than a dword may not fall into scratch (CDNA 5 ISA 10.10).
fn flat_monitor<const MODE: u8>(m: &mut Machine<'_>, op: &Op) -> Step {
    let at = addresses::<MODE>(m, op);
    let exec = active(m);
    let bad = flat_load_any(m, op, &at, exec);
    let (rows, bytes) = (m.wave.rows, op.mem.element.bytes());
    if bad != 0 && bytes > 4 {
        let dst = &mut m.wave.vgpr[span(rows, op.d, op.mem.element.dwords())];
        zero_lanes(dst, rows, bad);
        for (lane, address) in Lanes::new(&at.sums.0, bad).active() {
            m.port.faults.push(Fault {
                kind: FaultKind::ScratchAtomic,
                access: Access::Load,
                space: Space::Scratch,
                lane: lane as u8,
                address,
                size: bytes,
                nearest: None,
                limit: None,
            });
        }
    }
    done(m, op)
}

/// Handlers by addressing mode, and by the dwords of the element less one.
type ByMode = [[Handler; 4]; 3];

/// The handlers of one kind of access: the general one behind the fast way of whole waves.
macro_rules! by_mode {
    ($general:ident, $stores:literal) => {
        by_mode!($general, $stores, GV, GVS, GT)
    };
    ($general:ident, $stores:literal, $($mode:ident),*) => {
        [$({
            fn run<const N: usize>(m: &mut Machine<'_>, op: &Op) -> Step {
                if wide::run_wave(Whole::<Dwords<$mode, N>, $stores>::new(m, op)) {
                    return NEXT;
                }
                $general::<$mode>(m, op)
            }
            [run::<1>, run::<2>, run::<3>, run::<4>]
        }),*]
    };
}

const GLOBAL_LOADS: ByMode = by_mode!(global_load, false);
const GLOBAL_STORES: ByMode = by_mode!(global_store, true);
const FLAT_LOADS: ByMode = by_mode!(flat_load, false);
const FLAT_STORES: ByMode = by_mode!(flat_store, true);

/// The handlers of bytes and shorts.
macro_rules! small_by_mode {
    ($general:ident, $stores:literal) => {
        small_by_mode!($general, $stores, GV, GVS, GT)
    };
    ($general:ident, $stores:literal, $($mode:ident),*) => {
        [$({
            |m: &mut Machine<'_>, op: &Op| {
                if wide::run_wave(Whole::<Small<$mode>, $stores>::new(m, op)) {
                    return NEXT;
                }
                $general::<$mode>(m, op)
            }
        }),*]
    };
}

const SMALL_GLOBAL_LOADS: [Handler; 3] = small_by_mode!(global_load, false);
const SMALL_GLOBAL_STORES: [Handler; 3] = small_by_mode!(global_store, true);
const SMALL_FLAT_LOADS: [Handler; 3] = small_by_mode!(flat_load, false);
const SMALL_FLAT_STORES: [Handler; 3] = small_by_mode!(flat_store, true);

/// The handlers of an instruction.
fn choose(element: Element, half: Half, large: &ByMode, small: [Handler; 3]) -> [Handler; 3] {
    if half != Half::Whole || element.bytes() < 4 {
        return small;
    }
    large.map(|by_dwords| by_dwords[element.dwords() - 1])
}

fn load_global(c: &Compile<'_>, element: Element, half: Half) -> Op {
    let run = choose(element, half, &GLOBAL_LOADS, SMALL_GLOBAL_LOADS);
    load(c, element, half, false, run)
}

fn load_flat(c: &Compile<'_>, element: Element, half: Half) -> Op {
    let run = choose(element, half, &FLAT_LOADS, SMALL_FLAT_LOADS);
    load(c, element, half, false, run)
}

fn store_global(c: &Compile<'_>, element: Element, half: Half) -> Op {
    let run = choose(element, half, &GLOBAL_STORES, SMALL_GLOBAL_STORES);
    store(c, element, half, false, run)
}

fn store_flat(c: &Compile<'_>, element: Element, half: Half) -> Op {
    let run = choose(element, half, &FLAT_STORES, SMALL_FLAT_STORES);
    store(c, element, half, false, run)
}

fn load(c: &Compile<'_>, element: Element, half: Half, addtid: bool, run: [Handler; 3]) -> Op {
    if super::has_word(c, "lds") {
        return lds_transfer::global(c, element);
    }
    with_destination(c, Field::Vdst, run[0], |op| {
        op.mem.element = element;
        op.mem.half = half.on(c);
        match address::compile(c, op, addtid, element.bytes()) {
            Some(mode) => op.run = run[mode as usize],
            None => return false,
        }
        true
    })
}

fn store(c: &Compile<'_>, element: Element, half: Half, addtid: bool, run: [Handler; 3]) -> Op {
    let mut op = c.op(run[0]);
    op.mem.element = element;
    op.mem.half = half;
    let mode = address::compile(c, &mut op, addtid, element.bytes());
    match (mode, vgpr(c, Field::Vdata)) {
        (Some(mode), Some(data)) => {
            op.run = run[mode as usize];
            op.d2 = data;
            op
        }
        _ => refuse(c, "an operand is missing"),
    }
}

/// Whether no address can be in an aperture, in the hole or near them.
#[inline(always)]
pub(super) fn plainly_global(m: &Machine<'_>, at: &Addresses) -> bool {
    address::is_plain(m, at.bits)
}

/// The lanes that a global operation may perform; the others have left faults.
#[inline(always)]
pub(super) fn global_lanes<'a>(
    m: &mut Machine<'_>,
    at: &'a Addresses,
    exec: u64,
    access: Access,
    bytes: u32,
) -> (Lanes<'a, u64>, u64) {
    let mut lanes = Lanes::new(&at.sums.0[..m.wave.rows * ROW_LANES], exec);
    let mut bad = 0;
    if !plainly_global(m, at) {
        bad = reject_non_global(&m.apertures(), &mut lanes, access, bytes, m.port);
    }
    (lanes, bad)
}

fn global_load<const MODE: u8>(m: &mut Machine<'_>, op: &Op) -> Step {
    let at = addresses::<MODE>(m, op);
    let (exec, bytes) = (active(m), op.mem.element.bytes());
    let (lanes, bad) = global_lanes(m, &at, exec, Access::Load, bytes);
    load_lanes(m, op, lanes, bad);
    done(m, op)
}

/// Loads from global memory; the lanes of `bad` read zero.
#[inline(always)]
fn load_lanes(m: &mut Machine<'_>, op: &Op, lanes: Lanes<'_, u64>, bad: u64) {
    let (element, rows) = (op.mem.element, m.wave.rows);
    m.stats.read.global += lanes.exec.count_ones() as u64 * element.bytes() as u64;
    into_destination(op, &mut m.wave.vgpr, rows, lanes.exec | bad, |dst| {
        m.memory.load(lanes, element, dst, m.port);
        if bad != 0 {
            zero_lanes(dst, rows, bad);
        }
    });
}

fn global_store<const MODE: u8>(m: &mut Machine<'_>, op: &Op) -> Step {
    let at = addresses::<MODE>(m, op);
    let (exec, bytes) = (active(m), op.mem.element.bytes());
    let (lanes, _) = global_lanes(m, &at, exec, Access::Store, bytes);
    store_lanes(m, op, lanes);
    done(m, op)
}

#[inline(always)]
fn store_lanes(m: &mut Machine<'_>, op: &Op, lanes: Lanes<'_, u64>) {
    let element = op.mem.element;
    m.stats.written.global += lanes.exec.count_ones() as u64 * element.bytes() as u64;
    let mut upper = [[0; ROW_LANES]; 2];
    let src = store_source(op, &m.wave.vgpr, m.wave.rows, op.d2, &mut upper);
    m.memory.store(lanes, element, src, m.port);
}

fn flat_load<const MODE: u8>(m: &mut Machine<'_>, op: &Op) -> Step {
    let at = addresses::<MODE>(m, op);
    let exec = active(m);
    if plainly_global(m, &at) {
        let lanes = Lanes::new(&at.sums.0[..m.wave.rows * ROW_LANES], exec);
        load_lanes(m, op, lanes, 0);
    } else {
        flat_load_any(m, op, &at, exec);
    }
    done(m, op)
}

/// Lanes of a flat operation before the immediate, which the aperture test wants apart.
pub(super) fn bases(at: &Addresses, op: &Op) -> [u64; 64] {
    at.sums.0.map(|sum| sum.wrapping_sub(op.mem.offset as u64))
}

/// Loads from wherever each lane's address falls; gives the lanes in scratch.
fn flat_load_any(m: &mut Machine<'_>, op: &Op, at: &Addresses, exec: u64) -> u64 {
    let rows = m.wave.rows;
    let bases = bases(at, op);
    let lanes = Lanes::new(&bases[..rows * ROW_LANES], exec);
    let mut flat = Flat {
        apertures: m.apertures(),
        memory: m.memory,
        scratch: scratch_window(m),
        lds: m.lds,
    };
    let mut fell = None;
    into_destination(op, &mut m.wave.vgpr, rows, lanes.exec, |dst| {
        fell = Some(flat.load(lanes, op.mem.offset as i32, op.mem.element, dst, m.port));
    });
    fell.map_or(0, |fell| {
        count(&mut m.stats.read, &fell, op.mem.element.bytes());
        fell.scratch | fell.shared_scratch
    })
}

/// Counts the bytes that the lanes of a flat operation moved, by space.
pub(super) fn count(to: &mut crate::stats::SpaceBytes, fell: &FlatLanes, bytes: u32) {
    let of = |lanes: u64| lanes.count_ones() as u64 * bytes as u64;
    to.global += of(fell.global);
    to.lds += of(fell.lds);
    to.scratch += of(fell.scratch | fell.shared_scratch);
}

fn flat_store<const MODE: u8>(m: &mut Machine<'_>, op: &Op) -> Step {
    let at = addresses::<MODE>(m, op);
    let exec = active(m);
    if plainly_global(m, &at) {
        let lanes = Lanes::new(&at.sums.0[..m.wave.rows * ROW_LANES], exec);
        store_lanes(m, op, lanes);
    } else {
        flat_store_any(m, op, &at, exec);
    }
    done(m, op)
}

fn flat_store_any(m: &mut Machine<'_>, op: &Op, at: &Addresses, exec: u64) {
    let rows = m.wave.rows;
    let bases = bases(at, op);
    let lanes = Lanes::new(&bases[..rows * ROW_LANES], exec);
    let mut upper = [[0; ROW_LANES]; 2];
    let scratch = scratch_window(m);
    let src = store_source(op, &m.wave.vgpr, rows, op.d2, &mut upper);
    let mut flat = Flat {
        apertures: m.apertures(),
        memory: m.memory,
        lds: m.lds,
        scratch,
    };
    let fell = flat.store(lanes, op.mem.offset as i32, op.mem.element, src, m.port);
    count(&mut m.stats.written, &fell, op.mem.element.bytes());
}

/// The rows of an atomic's destination.
pub(super) fn destination(rows: usize, op: &Op) -> std::ops::Range<usize> {
    span(rows, op.d, op.mem.width.dwords())
}
