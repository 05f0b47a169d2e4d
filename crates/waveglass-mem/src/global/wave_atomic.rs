//! Atomics of a whole wave, performed on the host's own atomics.

use std::sync::atomic::Ordering::{AcqRel, Acquire};
use std::sync::atomic::{AtomicU32, AtomicU64};

use super::{GlobalMemory, Permission};
use crate::access::{Lanes, Port, ROW_LANES, Row};
use crate::atomic::{AtomicOp, AtomicRules, AtomicWidth};
use crate::fault::{Access, Space};
use crate::rules::{AlignmentMode, Generation};

macro_rules! fetch {
    ($name:ident, $cell:ty, $value:ty, $apply:ident) => {
        /// Performs the operation and gives memory's value before it.
        fn $name(
            cell: &$cell,
            op: AtomicOp,
            data: $value,
            second: $value,
            rules: AtomicRules,
        ) -> $value {
            match op {
                AtomicOp::Swap => cell.swap(data, AcqRel),
                AtomicOp::Add => cell.fetch_add(data, AcqRel),
                AtomicOp::Sub => cell.fetch_sub(data, AcqRel),
                AtomicOp::And => cell.fetch_and(data, AcqRel),
                AtomicOp::Or => cell.fetch_or(data, AcqRel),
                AtomicOp::Xor => cell.fetch_xor(data, AcqRel),
                AtomicOp::Umin => cell.fetch_min(data, AcqRel),
                AtomicOp::Umax => cell.fetch_max(data, AcqRel),
                AtomicOp::CmpSwap => match cell.compare_exchange(second, data, AcqRel, Acquire) {
                    Ok(before) | Err(before) => before,
                },
                _ => {
                    let mut before = cell.load(Acquire);
                    loop {
                        let after = op.$apply(before, data, second, rules);
                        match cell.compare_exchange_weak(before, after, AcqRel, Acquire) {
                            Ok(_) => return before,
                            Err(now) => before = now,
                        }
                    }
                }
            }
        }
    };
}

fetch!(fetch32, AtomicU32, u32, apply32);
fetch!(fetch64, AtomicU64, u64, apply64);

/// A register pair's or single register's value for one lane.
pub(crate) fn lane_value(rows: &[Row], width: AtomicWidth, count: usize, lane: usize) -> u64 {
    let dword = |d: usize| {
        rows.get(d * count + lane / ROW_LANES)
            .map_or(0, |row| u64::from(row[lane % ROW_LANES]))
    };
    match width {
        AtomicWidth::B32 => dword(0),
        AtomicWidth::B64 => dword(0) | dword(1) << 32,
    }
}

/// Writes [`lane_value`]'s counterpart.
pub(crate) fn set_lane_value(
    rows: &mut [Row],
    width: AtomicWidth,
    count: usize,
    lane: usize,
    value: u64,
) {
    for d in 0..width.dwords() {
        if let Some(row) = rows.get_mut(d * count + lane / ROW_LANES) {
            row[lane % ROW_LANES] = (value >> (32 * d)) as u32;
        }
    }
}

/// What an atomic does and with which operands.
///
/// `data` and `second` hold the operand registers of all lanes, `width.dwords() * lanes.rows()` rows
/// each; `second` may be empty where the operation has no second operand. Missing rows count as zero.
#[derive(Clone, Copy, Debug)]
pub struct Atomic<'a> {
    /// The operation.
    pub op: AtomicOp,
    /// 32 or 64 bits.
    pub width: AtomicWidth,
    /// The first operand's registers.
    pub data: &'a [Row],
    /// The second operand's registers (a comparand, for one).
    pub second: &'a [Row],
    /// Float rules; [`AtomicRules::integer`] for integer operations.
    pub rules: AtomicRules,
}

impl GlobalMemory {
    /// Performs an atomic for every active lane, lowest lane first. With `dst`, memory's values before
    /// go there; a bad lane reads zero, changes nothing and leaves a fault.
    ///
    /// Atomics must be naturally aligned in every alignment mode; [`AlignmentMode::Dword`] aligns
    /// them down instead of reporting (RDNA 4 ISA 9.5, CDNA 5 ISA 9.5), but on RDNA 3 and 3.5, whose manuals have
    /// the violation and no such exception (RDNA 3 ISA 9.5).
    pub fn atomic(
        &self,
        lanes: Lanes<'_, u64>,
        atomic: Atomic<'_>,
        dst: Option<&mut [Row]>,
        port: &mut Port,
    ) {
        self.atomic_as(Space::Global, lanes, atomic, dst, port);
    }

    /// [`GlobalMemory::atomic`], with faults reported as of `space`.
    pub(crate) fn atomic_as(
        &self,
        space: Space,
        lanes: Lanes<'_, u64>,
        atomic: Atomic<'_>,
        mut dst: Option<&mut [Row]>,
        port: &mut Port,
    ) {
        let bytes = atomic.width.bytes();
        let rows = lanes.rows();
        for (lane, address) in lanes.active() {
            let before = self
                .atomic_lane(space, lane, address, rows, &atomic, bytes, port)
                .unwrap_or(0);
            if let Some(dst) = dst.as_deref_mut() {
                set_lane_value(dst, atomic.width, rows, lane, before);
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn atomic_lane(
        &self,
        space: Space,
        lane: usize,
        address: u64,
        rows: usize,
        atomic: &Atomic<'_>,
        bytes: u32,
        port: &mut Port,
    ) -> Option<u64> {
        let mut address = address;
        let low = u64::from(bytes) - 1;
        if address & low != 0 {
            let rdna3 = matches!(
                port.rules.generation,
                Generation::Rdna3 | Generation::Rdna3_5
            );
            if port.rules.alignment != AlignmentMode::Dword || rdna3 {
                self.misaligned(Access::Atomic, space, lane, address, bytes, port);
                return None;
            }
            address &= !low;
        }
        let region = self.find(address, u64::from(bytes), &mut port.hint);
        let Some(region) = region.filter(|r| r.permission == Permission::ReadWrite) else {
            self.miss(Access::Atomic, space, lane, address, bytes, port);
            return None;
        };
        port.touch(Access::Atomic, Space::Global, lane, address, bytes);
        let offset = region.offset(address);
        let data = lane_value(atomic.data, atomic.width, rows, lane);
        let second = lane_value(atomic.second, atomic.width, rows, lane);
        Some(match atomic.width {
            AtomicWidth::B32 => {
                let cell = &region.dwords()[offset / 4];
                fetch32(cell, atomic.op, data as u32, second as u32, atomic.rules).into()
            }
            AtomicWidth::B64 => {
                let cell = &region.words()[offset / 8];
                fetch64(cell, atomic.op, data, second, atomic.rules)
            }
        })
    }
}
