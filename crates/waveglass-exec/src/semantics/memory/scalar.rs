//! Scalar memory (Vega ISA 7, RDNA 3 ISA 8, RDNA 4 ISA 8, CDNA 5 ISA 8): loads, loads through
//! buffer descriptors, the stores and atomics of gfx9 and gfx10, clocks.

use super::{atomics::flushes, done, immediate};
use crate::machine::Machine;
use crate::program::{Compile, Handler, Op, Src, Step};
use crate::semantics::{NEXT, Registry, Semantics, refuse};
use crate::wave::{ROW_LANES, sreg};
use waveglass_isa::{Decoder, Field, Inst, Target};
use waveglass_mem::buffer::BufferDescriptor;
use waveglass_mem::{
    Access, Atomic, AtomicOp, AtomicRules, AtomicWidth, Element, Fault, FaultKind, Generation,
    Lanes, Row, Space,
};

macro_rules! dwords {
    ($r:expr, $compile:path; $($count:literal: $($name:literal)+;)*) => {$(
        for name in [$($name),+] {
            $r.insert(name, Semantics::Custom(|c| $compile(c, $count)));
        }
    )*};
}

macro_rules! atomics {
    ($r:expr; $($op:ident $name:literal;)*) => {$(
        $r.insert(concat!("s_atomic_", $name), Semantics::Custom(|c| {
            atomic(c, AtomicOp::$op, AtomicWidth::B32, false)
        }));
        $r.insert(concat!("s_atomic_", $name, "_x2"), Semantics::Custom(|c| {
            atomic(c, AtomicOp::$op, AtomicWidth::B64, false)
        }));
        $r.insert(concat!("s_buffer_atomic_", $name), Semantics::Custom(|c| {
            atomic(c, AtomicOp::$op, AtomicWidth::B32, true)
        }));
        $r.insert(concat!("s_buffer_atomic_", $name, "_x2"), Semantics::Custom(|c| {
            atomic(c, AtomicOp::$op, AtomicWidth::B64, true)
        }));
    )*};
}

pub(super) fn register(r: &mut Registry) {
    dwords! { r, load;
        1: "s_load_dword" "s_load_b32";
        2: "s_load_dwordx2" "s_load_b64";
        3: "s_load_b96";
        4: "s_load_dwordx4" "s_load_b128";
        8: "s_load_dwordx8" "s_load_b256";
        16: "s_load_dwordx16" "s_load_b512";
    }
    dwords! { r, buffer_load;
        1: "s_buffer_load_dword" "s_buffer_load_b32";
        2: "s_buffer_load_dwordx2" "s_buffer_load_b64";
        3: "s_buffer_load_b96";
        4: "s_buffer_load_dwordx4" "s_buffer_load_b128";
        8: "s_buffer_load_dwordx8" "s_buffer_load_b256";
        16: "s_buffer_load_dwordx16" "s_buffer_load_b512";
    }
    dwords! { r, scratch_load;
        1: "s_scratch_load_dword";
        2: "s_scratch_load_dwordx2";
        4: "s_scratch_load_dwordx4";
    }
    dwords! { r, store;
        1: "s_store_dword";
        2: "s_store_dwordx2";
        4: "s_store_dwordx4";
    }
    dwords! { r, buffer_store;
        1: "s_buffer_store_dword";
        2: "s_buffer_store_dwordx2";
        4: "s_buffer_store_dwordx4";
    }
    dwords! { r, scratch_store;
        1: "s_scratch_store_dword";
        2: "s_scratch_store_dwordx2";
        4: "s_scratch_store_dwordx4";
    }
    small_loads(r);
    atomics! { r;
        Swap "swap"; CmpSwap "cmpswap"; Add "add"; Sub "sub"; Smin "smin"; Umin "umin";
        Smax "smax"; Umax "umax"; And "and"; Or "or"; Xor "xor"; Inc "inc"; Dec "dec";
    }
    // The manuals' clocks count shader cycles and a constant frequency; here both count the
    // wave's instructions, so that runs repeat.
    for name in ["s_memtime", "s_memrealtime"] {
        r.insert(
            name,
            Semantics::Custom(|c| {
                let mut op = c.op(|m, op| {
                    let now = m.clock();
                    m.set_s64(op.d, now);
                    NEXT
                });
                op.d = c.scalar_dst(Field::Sdst);
                op
            }),
        );
    }
    r.insert(
        "s_get_waveid_in_workgroup",
        Semantics::Custom(|c| {
            let mut op = c.op(|m, op| {
                m.set_s32(op.d, m.wave.id_in_group);
                NEXT
            });
            op.d = c.scalar_dst(Field::Sdst);
            op
        }),
    );
}

fn small_loads(r: &mut Registry) {
    macro_rules! small {
        ($($name:literal $buffer:literal $element:ident;)*) => {$(
            r.insert($name, Semantics::Custom(|c| {
                small_load(c, Element::$element, run_small_load)
            }));
            r.insert($buffer, Semantics::Custom(|c| {
                small_load(c, Element::$element, run_small_buffer_load)
            }));
        )*};
    }
    small! {
        "s_load_u8" "s_buffer_load_u8" U8;
        "s_load_i8" "s_buffer_load_i8" I8;
        "s_load_u16" "s_buffer_load_u16" U16;
        "s_load_i16" "s_buffer_load_i16" I16;
    }
}

/// An op with the address in its slots: `s[0]` the base, `s[1]` SOFFSET; `bytes` is what
/// SCALE_OFFSET (CDNA 5) multiplies SOFFSET with.
fn addressed(c: &Compile<'_>, run: Handler, bytes: u32) -> Op {
    let mut op = c.op(run);
    op.s[0] = c.src(Field::Sbase);
    op.s[1] = c.src(Field::Soffset);
    op.mem.offset = immediate(c, Field::Offset);
    op.mem.scale = 1;
    if c.inst.target().has_gfx1250_insts() {
        op.mem.scale = super::address::scale(c, bytes);
    }
    match op.s[0] {
        // A base of `null` is zero: no buffer, or the offsets alone.
        Src::Sgpr(_) | Src::Const(_) => op,
        _ => refuse(c, "an operand is missing"),
    }
}

/// A component of an address without the bits that are ignored of each from gfx12 on: two, one for 16-bit data,
/// none for bytes (RDNA 4 ISA 8.1.1 and 8.1.2, CDNA 5 ISA 8.1.1 and 8.1.2, "alignToSize"). Before, those of the
/// sum are ignored.
///
/// RDNA 4 and CDNA 5 ISA 8.4.1 have the base "forced to DWORD alignment" whatever the size; that "for 8-bit loads
/// the full byte address of each component is used" stands twice in 8.1, and in its formula, which are followed.
#[inline]
fn aligned(m: &Machine<'_>, component: u64, bytes: u32) -> u64 {
    if m.port.rules.generation.is_gfx12() {
        component & !(u64::from(bytes.min(4)) - 1)
    } else {
        component
    }
}

/// The offset of an access to data of `bytes`: SOFFSET is unsigned, the immediate signed.
#[inline]
fn offset(m: &Machine<'_>, op: &Op, bytes: u32) -> i64 {
    let register = match op.s[1] {
        Src::None => 0,
        s => m.s32(s) as i64 * op.mem.scale,
    };
    let [register, immediate] = [register, op.mem.offset].map(|c| aligned(m, c as u64, bytes));
    register.wrapping_add(immediate) as i64
}

#[inline]
fn address(m: &Machine<'_>, op: &Op, bytes: u32) -> u64 {
    let base = aligned(m, m.s64(op.s[0]), bytes);
    base.wrapping_add(offset(m, op, bytes) as u64)
}

/// Writes consecutive scalar registers; `null` takes nothing.
#[inline]
fn put(m: &mut Machine<'_>, d: u32, values: &[u32]) {
    if d as usize == sreg::NULL {
        return;
    }
    for (to, &v) in m.wave.sgpr.iter_mut().skip(d as usize).zip(values) {
        *to = v;
    }
}

/// Consecutive scalar registers.
fn get(m: &Machine<'_>, source: Src) -> [u32; 4] {
    match source {
        Src::Sgpr(s) => std::array::from_fn(|i| m.wave.sgpr[(s as usize + i) & 127]),
        _ => [0; 4],
    }
}

fn load(c: &Compile<'_>, count: u32) -> Op {
    let run: Handler = match count {
        1 => run_load::<1>,
        2 => run_load::<2>,
        3 => run_load::<3>,
        4 => run_load::<4>,
        8 => run_load::<8>,
        _ => run_load::<16>,
    };
    let mut op = addressed(c, run, count * 4);
    op.d = c.scalar_dst(Field::Sdst);
    op
}

fn run_load<const N: usize>(m: &mut Machine<'_>, op: &Op) -> Step {
    let address = address(m, op, 4);
    load_at::<N>(m, op, address)
}

fn load_at<const N: usize>(m: &mut Machine<'_>, op: &Op, address: u64) -> Step {
    let mut values = [0; N];
    m.stats.read.global += N as u64 * 4;
    m.memory.load_scalar(address, &mut values, m.port);
    put(m, op.d, &values);
    done(m, op)
}

/// `s_scratch_*`: SOFFSET counts units of 64 bytes (Vega ISA 12.6, "S_SCRATCH_LOAD_DWORD").
fn scratch(c: &Compile<'_>, mut op: Op) -> Op {
    op.mem.scale = 64;
    op.d = c.scalar_dst(Field::Sdst);
    op
}

fn scratch_load(c: &Compile<'_>, count: u32) -> Op {
    let op = load(c, count);
    if matches!(op.s[0], Src::Sgpr(_)) {
        scratch(c, op)
    } else {
        op
    }
}

fn small_load(c: &Compile<'_>, element: Element, run: Handler) -> Op {
    let mut op = addressed(c, run, element.bytes());
    op.d = c.scalar_dst(Field::Sdst);
    op.mem.element = element;
    op
}

fn run_small_load(m: &mut Machine<'_>, op: &Op) -> Step {
    let address = address(m, op, op.mem.element.bytes());
    load_small(m, op, address)
}

fn load_small(m: &mut Machine<'_>, op: &Op, address: u64) -> Step {
    let bytes = op.mem.element.bytes() as u64;
    let mut value: [Row; 1] = [[0; ROW_LANES]];
    m.stats.read.global += bytes;
    let address = [address];
    m.memory
        .load(Lanes::new(&address, 1), op.mem.element, &mut value, m.port);
    put(m, op.d, &value[0][..1]);
    scalar_done(m, op)
}

/// [`done`] for accesses that the vector side has made: their faults are scalar ones.
fn scalar_done(m: &mut Machine<'_>, op: &Op) -> Step {
    for fault in &mut m.port.faults {
        fault.space = Space::Scalar;
    }
    done(m, op)
}

/// The descriptor that an operation on a scalar buffer reads: base and size in bytes, for data of `bytes`. Only
/// base, stride and record count matter (RDNA 3 ISA 8.2.1), "the V#.stride_scale field is ignored" (RDNA 4 and CDNA
/// 5 ISA 8.1.2); CDNA 5 counts records in bytes.
fn buffer(m: &Machine<'_>, op: &Op, bytes: u32) -> (u64, u64) {
    let d = BufferDescriptor::decode(get(m, op.s[0]), m.port.rules.generation);
    let unit = match m.port.rules.generation {
        Generation::Cdna5 => 1,
        _ => u64::from(d.stride).max(1),
    };
    let size = aligned(m, d.num_records.saturating_mul(unit), bytes);
    (aligned(m, d.base, bytes), size)
}

fn buffer_load(c: &Compile<'_>, count: u32) -> Op {
    let run: Handler = match count {
        1 => run_buffer_load::<1>,
        2 => run_buffer_load::<2>,
        3 => run_buffer_load::<3>,
        4 => run_buffer_load::<4>,
        8 => run_buffer_load::<8>,
        _ => run_buffer_load::<16>,
    };
    let mut op = addressed(c, run, count * 4);
    op.d = c.scalar_dst(Field::Sdst);
    op
}

/// An S_BUFFER_LOAD of gfx12 whose IOFFSET is negative: the instruction without it, and the offset.
///
/// Assemblers and decoders take the field to have 23 bits without a sign there, the manuals 24 with one: "a
/// negative value of IOFFSET results in a MEMVIOL" (RDNA 4 and CDNA 5 ISA 8.1.2).
pub(crate) fn negative_buffer_offset(
    decoder: &Decoder,
    target: Target,
    code: &[u8],
) -> Option<(Inst, i64)> {
    if target.major() < 12 {
        return None;
    }
    let mut code: [u8; 8] = code.get(..8)?.try_into().ok()?;
    // IOFFSET is in bits 55:32 (RDNA 4 ISA 15.2.1, CDNA 5 ISA 14.2.1).
    let offset = i32::from_le_bytes([0, code[4], code[5], code[6]]) >> 8;
    code[4..7].fill(0);
    let inst = decoder.decode(&code).ok()?;
    let buffer = inst.mnemonic().starts_with("s_buffer_load");
    (offset < 0 && buffer).then_some((inst, offset.into()))
}

/// A negative immediate is a violation from RDNA 3 on (RDNA 3 ISA 8.1.2, RDNA 4 ISA 8.1.2, CDNA 5 ISA
/// 8.1.2); before, it is undefined, and here its sum is taken unsigned.
#[inline]
fn negative(m: &mut Machine<'_>, op: &Op, access: Access, bytes: u32) -> bool {
    let generation = m.port.rules.generation;
    let checked =
        !generation.is_gfx9() && !matches!(generation, Generation::Rdna1 | Generation::Rdna2);
    if op.mem.offset >= 0 || !checked {
        return false;
    }
    m.port.faults.push(Fault {
        kind: FaultKind::NegativeOffset,
        access,
        space: Space::Scalar,
        lane: 0,
        address: op.mem.offset as u64,
        size: bytes,
        nearest: None,
        limit: None,
    });
    true
}

/// Dwords past the end read zero, without a violation. A negative sum of offsets is far past it.
fn run_buffer_load<const N: usize>(m: &mut Machine<'_>, op: &Op) -> Step {
    if negative(m, op, Access::Load, N as u32 * 4) {
        put(m, op.d, &[0; N]);
        return done(m, op);
    }
    let ((base, size), offset) = (buffer(m, op, 4), offset(m, op, 4) as u64 & !3);
    let base = base & !3;
    let inside = size.saturating_sub(offset).div_ceil(4).min(N as u64) as usize;
    let mut values = [0; N];
    m.stats.read.global += inside as u64 * 4;
    if inside != 0 {
        m.memory
            .load_scalar(base.wrapping_add(offset), &mut values[..inside], m.port);
    }
    put(m, op.d, &values);
    done(m, op)
}

fn run_small_buffer_load(m: &mut Machine<'_>, op: &Op) -> Step {
    if negative(m, op, Access::Load, op.mem.element.bytes()) {
        put(m, op.d, &[0]);
        return done(m, op);
    }
    let bytes = op.mem.element.bytes();
    let ((base, size), offset) = (buffer(m, op, bytes), offset(m, op, bytes) as u64);
    if offset >= size {
        put(m, op.d, &[0]);
        return NEXT;
    }
    load_small(m, op, base.wrapping_add(offset))
}

fn store(c: &Compile<'_>, count: u32) -> Op {
    storing(c, count, run_store)
}

fn buffer_store(c: &Compile<'_>, count: u32) -> Op {
    storing(c, count, run_buffer_store)
}

fn scratch_store(c: &Compile<'_>, count: u32) -> Op {
    let op = storing(c, count, run_store);
    if matches!(op.s[0], Src::Sgpr(_)) {
        scratch(c, op)
    } else {
        op
    }
}

fn storing(c: &Compile<'_>, count: u32, run: Handler) -> Op {
    let mut op = addressed(c, run, count * 4);
    op.s[2] = c.src(Field::Sdata);
    op.mem.element = match count {
        1 => Element::B32,
        2 => Element::B64,
        _ => Element::B128,
    };
    op
}

fn run_store(m: &mut Machine<'_>, op: &Op) -> Step {
    let address = address(m, op, 4);
    store_at(m, op, address, op.mem.element.dwords())
}

fn run_buffer_store(m: &mut Machine<'_>, op: &Op) -> Step {
    let ((base, size), offset) = (buffer(m, op, 4), offset(m, op, 4) as u64 & !3);
    let dwords = op.mem.element.dwords() as u64;
    let inside = size.saturating_sub(offset).div_ceil(4).min(dwords);
    store_at(m, op, (base & !3).wrapping_add(offset), inside as usize)
}

fn store_at(m: &mut Machine<'_>, op: &Op, address: u64, dwords: usize) -> Step {
    let data = get(m, op.s[2]);
    m.stats.written.global += dwords as u64 * 4;
    for (i, &v) in data.iter().take(dwords).enumerate() {
        let at = [(address & !3).wrapping_add(i as u64 * 4)];
        let row = [[v; ROW_LANES]];
        m.memory
            .store(Lanes::new(&at, 1), Element::B32, &row, m.port);
    }
    scalar_done(m, op)
}

/// Scalar atomics, with the data (and the comparand after it) in `sdata`'s registers, which take
/// the value before where GLC asks for it (Vega ISA 7.3).
fn atomic(c: &Compile<'_>, atomic: AtomicOp, width: AtomicWidth, buffer: bool) -> Op {
    let run: Handler = if buffer {
        run_buffer_atomic
    } else {
        run_atomic
    };
    let mut op = addressed(c, run, width.bytes());
    op.s[2] = match c.src(Field::Sdata) {
        Src::None => c.src(Field::Sdst),
        s => s,
    };
    let Src::Sgpr(data) = op.s[2] else {
        return refuse(c, "an operand is missing");
    };
    op.d = data.into();
    op.mem.atomic = atomic;
    op.mem.width = width;
    op.mem.returns = c.inst.operand_def(Field::Sdst).is_some();
    op
}

fn run_atomic(m: &mut Machine<'_>, op: &Op) -> Step {
    let address = address(m, op, 4);
    atomic_at(m, op, address)
}

fn run_buffer_atomic(m: &mut Machine<'_>, op: &Op) -> Step {
    let ((base, size), offset) = (buffer(m, op, 4), offset(m, op, 4) as u64 & !3);
    if offset >= size {
        if op.mem.returns {
            put(m, op.d, &[0; 2][..op.mem.width.dwords()]);
        }
        return NEXT;
    }
    atomic_at(m, op, (base & !3).wrapping_add(offset))
}

fn atomic_at(m: &mut Machine<'_>, op: &Op, address: u64) -> Step {
    let dwords = op.mem.width.dwords();
    let data = get(m, op.s[2]).map(|v| [v; ROW_LANES]);
    let (input, output) = flushes(m, op.mem.atomic, op.mem.width);
    let atomic = Atomic {
        op: op.mem.atomic,
        width: op.mem.width,
        data: &data[..dwords],
        second: &data[dwords..],
        rules: AtomicRules::lds(m.port.rules.generation, input, output),
    };
    let moved = op.mem.width.bytes() as u64;
    m.stats.read.global += moved;
    m.stats.written.global += moved;
    let mut before: [Row; 2] = [[0; ROW_LANES]; 2];
    let at = [address & !3];
    m.memory
        .atomic(Lanes::new(&at, 1), atomic, Some(&mut before), m.port);
    if op.mem.returns {
        let values = [before[0][0], before[1][0]];
        put(m, op.d, &values[..dwords]);
    }
    scalar_done(m, op)
}
