//! Memory instructions: flat, global and scratch; buffers; LDS; scalar memory; caches.
//!
//! Everything that an access needs is worked out when it is compiled ([`MemInfo`]); what is left
//! for a handler is to form the lanes' addresses and hand them to `waveglass-mem`, which knows the
//! rules of ranges, alignment and faults. A fault ends in [`Machine::violation`].

mod address;
mod atomics;
mod block;
mod buffer;
mod buffer_format;
mod cache;
mod ds;
mod ds_atomic;
mod ds_barrier;
mod ds_bvh_stack;
mod ds_lanes;
mod ds_two_operands;
mod flat;
mod gather;
mod gds;
mod lds_transfer;
mod names;
mod ordered;
pub(crate) mod refused;
mod scalar;
mod scratch;
mod tensor;
mod transpose;

pub use address::flat_offset;
pub use ds_lanes::{permute_group, swizzle_source};
pub use ds_two_operands::src2_addresses;
pub(in crate::semantics) use gather::gathered;
pub use lds_transfer::lds_transfer_mask;
pub(crate) use scalar::negative_buffer_offset;

use super::{NEXT, Registry, refuse};
use crate::machine::Machine;
use crate::program::{Compile, Handler, Op, Src, Step};
use crate::wave::{ROW_LANES, sreg};
use waveglass_isa::{Field, ImmStyle, Operand, OperandKind};
use waveglass_mem::{AtomicOp, AtomicWidth, Element, Row, ScratchWindow, Space};

pub(super) fn register(r: &mut Registry) {
    flat::register(r);
    scratch::register(r);
    buffer::register(r);
    buffer_format::register(r);
    lds_transfer::register(r);
    ds::register(r);
    ds_atomic::register(r);
    ds_lanes::register(r);
    ds_two_operands::register(r);
    ds_barrier::register(r);
    ds_bvh_stack::register(r);
    gds::register(r);
    ordered::register(r);
    block::register(r);
    scalar::register(r);
    tensor::register(r);
    transpose::register(r);
    cache::register(r);
}

/// Where a load's value goes in the register, or where a store's comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The whole register.
    Whole,
    /// Bits 15:0; the others stay.
    Lo,
    /// Bits 31:16; the others stay.
    Hi,
    /// Bits 15:0; the others become zero.
    LoAlone,
    /// Bits 31:16; the others become zero.
    HiAlone,
}

impl Half {
    /// What a D16 load does where `c`'s instruction runs.
    ///
    /// With SRAM error correction on, a register is not written in part and the other half becomes
    /// zero (CDNA 1 ISA 9.1.6, CDNA 4 ISA 9.1.6; LLVM's `d16PreservesUnusedBits`); with it off, the half
    /// stays. CDNA 5 always writes the whole register (LLVM's `FeatureD16Writes32BitVgpr`).
    fn on(self, c: &Compile<'_>) -> Self {
        let target = c.inst.target();
        let whole = target.has_gfx1250_insts() || target.supports_sramecc() && c.sramecc;
        match self {
            Self::Lo if whole => Self::LoAlone,
            Self::Hi if whole => Self::HiAlone,
            other => other,
        }
    }

    /// The register after a load of `value`.
    #[inline]
    fn merge(self, old: u32, value: u32) -> u32 {
        match self {
            Self::Whole => value,
            Self::Lo => old & 0xffff_0000 | value & 0xffff,
            Self::Hi => old & 0xffff | value << 16,
            Self::LoAlone => value & 0xffff,
            Self::HiAlone => value << 16,
        }
    }
}

/// What a memory operation needs beyond the usual slots, known when it is compiled.
#[derive(Clone, Copy, Debug)]
pub struct MemInfo {
    /// What a lane loads or stores.
    pub element: Element,
    /// Which part of the register it is.
    pub half: Half,
    /// The immediate offset.
    pub offset: i64,
    /// The second immediate offset of a two-address LDS operation.
    pub offset1: i64,
    /// What a signed vector offset is multiplied with; 0 where it is unsigned and counts bytes.
    pub scale: i64,
    /// What an atomic does.
    pub atomic: AtomicOp,
    /// How wide it is.
    pub width: AtomicWidth,
    /// Whether it returns the value before.
    pub returns: bool,
    /// IDXEN of a buffer operation.
    pub idxen: bool,
    /// OFFEN of a buffer operation.
    pub offen: bool,
    /// What a formatted buffer operation asks for.
    pub format: FormatInfo,
    /// Of an operation on GDS, its handler as one on LDS.
    pub in_lds: Option<Handler>,
}

/// What a formatted buffer operation asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormatInfo {
    /// The instruction's own format code; `None` where the descriptor has the format.
    pub code: Option<u8>,
    /// Components in registers: 1 for `_x` to 4 for `_xyzw`.
    pub components: u8,
    /// Whether registers hold 16-bit values.
    pub d16: bool,
}

impl Default for MemInfo {
    fn default() -> Self {
        Self {
            element: Element::B32,
            half: Half::Whole,
            offset: 0,
            offset1: 0,
            scale: 0,
            atomic: AtomicOp::Swap,
            width: AtomicWidth::B32,
            returns: false,
            idxen: false,
            offen: false,
            format: FormatInfo::default(),
            in_lds: None,
        }
    }
}

/// Makes M0 the bound of what follows, where that is the setting (Vega ISA 9.6).
#[inline(always)]
fn bound_by_m0(m: &mut Machine<'_>) {
    if m.port.rules.m0_bounds_lds {
        // The window of GDS is bounded by M0 already.
        m.port.m0 = match m.port.share {
            Space::Gds => u32::MAX,
            _ => m.m0(),
        };
    }
}

/// EXEC, whose lanes are counted as operations.
#[inline(always)]
fn active(m: &mut Machine<'_>) -> u64 {
    bound_by_m0(m);
    let exec = m.wave.exec();
    m.stats.lane_operations += exec.count_ones() as u64;
    exec
}

/// Ends an access: goes on unless it has met a fault.
#[inline(always)]
fn done(m: &mut Machine<'_>, op: &Op) -> Step {
    if m.port.faults.is_empty() {
        NEXT
    } else {
        m.violation(op)
    }
}

/// The rows of `dwords` registers from `register` on.
#[inline(always)]
fn span(rows: usize, register: u32, dwords: usize) -> std::ops::Range<usize> {
    let start = register as usize * rows;
    start..start + dwords * rows
}

/// The vector register in `field`.
fn vgpr(c: &Compile<'_>, field: Field) -> Option<u32> {
    match c.src(field) {
        Src::Vgpr(r) => Some(r),
        _ => None,
    }
}

/// The immediate in `field`; 0 where there is none or the bits mean nothing.
fn immediate(c: &Compile<'_>, field: Field) -> i64 {
    match c.inst.operand_def(field) {
        Some(o) if !matches!(o.kind, OperandKind::Imm(ImmStyle::Raw)) => match c.inst.resolve(o) {
            Some(Operand::Imm(i)) => i,
            _ => 0,
        },
        _ => 0,
    }
}

/// Whether the instruction's syntax has the bare word `word`, such as `offen` or `lds`.
fn has_word(c: &Compile<'_>, word: &str) -> bool {
    let template = c.inst.def().shape.template;
    template
        .split([' ', ','])
        .flat_map(|w| w.split('$').take(1))
        .any(|w| w == word)
}

/// An op whose vector result lies past the allocation: it does nothing, as with EXEC zero
/// (Vega ISA 3.6.3).
fn without_destination(c: &Compile<'_>) -> Op {
    c.op(|_, _| NEXT)
}

/// An op with a vector destination in `field`, filled in by `fill`.
fn with_destination(
    c: &Compile<'_>,
    field: Field,
    run: Handler,
    fill: impl FnOnce(&mut Op) -> bool,
) -> Op {
    if c.inst.operand_def(field).is_none() {
        return refuse(c, "an operand is missing");
    }
    let Some(d) = c.vector_dst(field) else {
        return without_destination(c);
    };
    let mut op = c.op(run);
    op.d = d;
    if fill(&mut op) {
        op
    } else {
        refuse(c, "an operand is missing")
    }
}

/// Moves the loaded halves of `value` into the active lanes of `dst`.
fn merge_halves(half: Half, dst: &mut [Row], value: &[Row], exec: u64) {
    for (row, (dst, value)) in dst.iter_mut().zip(value).enumerate() {
        let active = (exec >> (row * ROW_LANES)) as u32;
        for (lane, (d, &v)) in dst.iter_mut().zip(value).enumerate() {
            if active >> lane & 1 != 0 {
                *d = half.merge(*d, v);
            }
        }
    }
}

/// Loads through `load`, which fills the rows that it is given, into the op's destination.
#[inline(always)]
fn into_destination(
    op: &Op,
    vgpr: &mut [Row],
    rows: usize,
    exec: u64,
    load: impl FnOnce(&mut [Row]),
) {
    let dst = &mut vgpr[span(rows, op.d, op.mem.element.dwords())];
    if op.mem.half == Half::Whole {
        load(dst);
    } else {
        let mut value = [[0; ROW_LANES]; 2];
        load(&mut value[..rows]);
        merge_halves(op.mem.half, dst, &value, exec);
    }
}

/// The rows that a store takes its data from: the registers themselves, or their upper halves in
/// `upper`.
#[inline(always)]
fn store_source<'a>(
    op: &Op,
    vgpr: &'a [Row],
    rows: usize,
    register: u32,
    upper: &'a mut [Row; 2],
) -> &'a [Row] {
    let src = &vgpr[span(rows, register, op.mem.element.dwords())];
    if op.mem.half != Half::Hi {
        return src;
    }
    for (to, from) in upper.iter_mut().zip(src) {
        *to = from.map(|v| v >> 16);
    }
    &upper[..rows]
}

/// Zeroes the lanes of `lanes` in `dwords` registers.
fn zero_lanes(dst: &mut [Row], rows: usize, lanes: u64) {
    for (i, row) in dst.iter_mut().enumerate() {
        let bad = (lanes >> (i % rows * ROW_LANES)) as u32;
        for (lane, v) in row.iter_mut().enumerate() {
            if bad >> lane & 1 != 0 {
                *v = 0;
            }
        }
    }
}

/// The wave's scratch: its base is an SGPR pair on gfx9, a hardware register later.
#[inline]
fn scratch_window(m: &Machine<'_>) -> ScratchWindow {
    let base = if m.wave.target.is_gfx9() {
        m.wave.s64(sreg::FLAT_SCRATCH_LO)
    } else {
        m.wave.scratch_base
    };
    ScratchWindow {
        base,
        size: m.wave.scratch_size.into(),
        wave_size: m.wave.lanes() as u32,
    }
}

#[cfg(test)]
mod block_tests;
#[cfg(test)]
mod buffer_format_tests;
#[cfg(test)]
mod buffer_page_tests;
#[cfg(test)]
mod buffer_tests;
#[cfg(test)]
mod chapter9_tests;
#[cfg(test)]
mod coverage;
#[cfg(test)]
mod ds_atomic_tests;
#[cfg(test)]
mod ds_two_operands_tests;
#[cfg(test)]
mod every_operation_tests;
#[cfg(test)]
mod gather_tests;
#[cfg(test)]
mod lds_transfer_tests;
#[cfg(test)]
mod mem_viol_tests;
#[cfg(test)]
mod scalar_tests;
#[cfg(test)]
mod tests;
