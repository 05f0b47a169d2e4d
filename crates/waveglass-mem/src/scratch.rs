//! Scratch: thread-private memory, interleaved between the lanes of a wave.
//!
//! A wave's scratch is ordinary global memory at the wave's scratch base; consecutive dwords of one
//! lane stand a whole row of lanes apart, so that lanes which access one offset touch consecutive
//! memory. Absolute and architected flat scratch, swizzled buffer descriptors and the private aperture
//! all reach the same bytes.

use crate::access::{Element, Lanes, Port, ROW_LANES, Row};
use crate::fault::{Access, FaultKind, Space};
use crate::global::GlobalMemory;
use crate::rules::AlignmentMode;

/// Where a lane's private offset lies in its wave's scratch (RDNA 3 ISA 11.2): elements of 4 bytes,
/// interleaved over the lanes of a wave of `wave_size`.
///
/// ```
/// use waveglass_mem::scratch_swizzle;
/// assert_eq!(scratch_swizzle(4, 0, 64), 256); // the second dword of lane 0
/// assert_eq!(scratch_swizzle(6, 3, 64), 256 + 3 * 4 + 2);
/// ```
pub const fn scratch_swizzle(offset: u64, lane: u32, wave_size: u32) -> u64 {
    (offset & !3)
        .wrapping_mul(wave_size as u64)
        .wrapping_add(offset & 3)
        .wrapping_add(lane as u64 * 4)
}

/// One wave's scratch: its base in global memory and the size that each lane has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchWindow {
    /// The wave's scratch base: FLAT_SCRATCH, or what hardware set up.
    pub base: u64,
    /// Bytes that each lane may address: its offsets are `[0, size - 1]` (Vega ISA 9.6).
    pub size: u64,
    /// Lanes that the memory is interleaved over: 32 or 64.
    pub wave_size: u32,
}

impl ScratchWindow {
    /// The global address of a lane's private offset.
    pub const fn address(&self, offset: u64, lane: u32) -> u64 {
        self.base
            .wrapping_add(scratch_swizzle(offset, lane, self.wave_size))
    }

    /// Bytes of global memory that the wave's scratch takes.
    pub const fn bytes(&self) -> u64 {
        self.size
            .div_ceil(4)
            .saturating_mul(4 * self.wave_size as u64)
    }

    /// Whether `bytes` bytes at a lane's offset are within its scratch.
    const fn holds(&self, offset: i64, bytes: u32) -> bool {
        offset >= 0 && (offset as u64).saturating_add(bytes as u64) <= self.size
    }

    /// Loads `element` for every active lane from its private offset: the sum of register offsets and
    /// immediate, which the generation treats as signed or not, and which must not be negative.
    /// `dst` is laid out as for [`GlobalMemory::load`].
    ///
    /// Each dword is checked alone; those out of range read zero, and the first leaves a fault.
    /// Misaligned accesses are legal in every alignment mode but the strict two (RDNA 4 ISA 11.3,
    /// "scratch accesses may be misaligned").
    ///
    /// # Panics
    /// If `dst` has too few rows.
    pub fn load(
        &self,
        memory: &GlobalMemory,
        lanes: Lanes<'_, i64>,
        element: Element,
        dst: &mut [Row],
        port: &mut Port,
    ) {
        let rows = lanes.rows();
        let dst = &mut dst[..element.dwords() * rows];
        if let Some(offset) = self.common_offset(lanes, element, port.rules.alignment) {
            let before = port.faults.len();
            for (d, dst) in dst.chunks_exact_mut(rows).enumerate() {
                let start = self.address(offset + d as u64 * 4, 0);
                let addresses: [u64; 64] =
                    std::array::from_fn(|lane| start.wrapping_add(lane as u64 * 4));
                let lanes = Lanes::new(&addresses[..lanes.addresses.len()], lanes.exec);
                memory.load_as(Space::Scratch, lanes, Element::B32, dst, port);
            }
            first_of_each_lane(port, before);
            return;
        }
        let part = element.component_bytes();
        for (lane, offset) in lanes.active() {
            let offset = self.aligned(lane, offset, element, Access::Load, port);
            let mut reported = offset.is_none();
            for d in 0..element.dwords() {
                let raw = offset.and_then(|o| {
                    self.load_part(memory, lane, o.wrapping_add(d as i64 * 4), part, port)
                });
                if raw.is_none() && !reported {
                    let at = offset.unwrap_or(0).wrapping_add(d as i64 * 4);
                    self.miss(memory, Access::Load, lane, at, part, port);
                    reported = true;
                }
                let value = raw.map_or(0, |raw| element.extend(raw));
                dst[d * rows + lane / ROW_LANES][lane % ROW_LANES] = value;
            }
        }
    }

    /// Stores `element` for every active lane to its private offset; see [`ScratchWindow::load`].
    ///
    /// # Panics
    /// If `src` has too few rows.
    pub fn store(
        &self,
        memory: &GlobalMemory,
        lanes: Lanes<'_, i64>,
        element: Element,
        src: &[Row],
        port: &mut Port,
    ) {
        let rows = lanes.rows();
        let src = &src[..element.dwords() * rows];
        if let Some(offset) = self.common_offset(lanes, element, port.rules.alignment) {
            let before = port.faults.len();
            for (d, src) in src.chunks_exact(rows).enumerate() {
                let start = self.address(offset + d as u64 * 4, 0);
                let addresses: [u64; 64] =
                    std::array::from_fn(|lane| start.wrapping_add(lane as u64 * 4));
                let lanes = Lanes::new(&addresses[..lanes.addresses.len()], lanes.exec);
                memory.store_as(Space::Scratch, lanes, Element::B32, src, port);
            }
            first_of_each_lane(port, before);
            return;
        }
        let part = element.component_bytes();
        for (lane, offset) in lanes.active() {
            let Some(offset) = self.aligned(lane, offset, element, Access::Store, port) else {
                continue;
            };
            let mut reported = false;
            for d in 0..element.dwords() {
                let at = offset.wrapping_add(d as i64 * 4);
                let value = src[d * rows + lane / ROW_LANES][lane % ROW_LANES];
                if !self.store_part(memory, lane, at, part, value, port) && !reported {
                    self.miss(memory, Access::Store, lane, at, part, port);
                    reported = true;
                }
            }
        }
    }

    /// The offset that all active lanes share, if it is dword-aligned and in range: the lanes' dwords
    /// are then consecutive.
    fn common_offset(
        &self,
        lanes: Lanes<'_, i64>,
        element: Element,
        mode: AlignmentMode,
    ) -> Option<u64> {
        let (_, first) = lanes.active().next()?;
        let common = element.bytes() >= 4
            && first % 4 == 0
            && mode.align(first as u64, element.bytes()).is_some()
            && self.holds(first, element.bytes())
            && if lanes.is_full() {
                lanes.addresses.iter().fold(0, |d, o| d | (o ^ first)) == 0
            } else {
                lanes.active().all(|(_, offset)| offset == first)
            };
        common.then_some(first as u64)
    }

    /// Applies the alignment mode to a lane's offset.
    fn aligned(
        &self,
        lane: usize,
        offset: i64,
        element: Element,
        access: Access,
        port: &mut Port,
    ) -> Option<i64> {
        let bytes = element.bytes();
        match port.rules.alignment {
            AlignmentMode::Unaligned => Some(offset),
            mode => match mode.align(offset as u64, bytes) {
                Some(offset) => Some(offset as i64),
                None => {
                    let kind = FaultKind::Misaligned;
                    port.fault(
                        kind,
                        access,
                        Space::Scratch,
                        lane,
                        offset as u64,
                        bytes,
                        None,
                    );
                    None
                }
            },
        }
    }

    /// Reads one component; one that straddles two elements is put together from its bytes.
    fn load_part(
        &self,
        memory: &GlobalMemory,
        lane: usize,
        offset: i64,
        bytes: u32,
        port: &mut Port,
    ) -> Option<u32> {
        if !self.holds(offset, bytes) {
            return None;
        }
        let (offset, number) = (offset as u64, lane as u32);
        if offset % 4 + u64::from(bytes) <= 4 {
            return memory.load_traced(lane, self.address(offset, number), bytes, port);
        }
        let mut value = 0;
        for i in 0..bytes {
            let at = self.address(offset + u64::from(i), number);
            value |= memory.load_traced(lane, at, 1, port)? << (8 * i);
        }
        Some(value)
    }

    /// Writes one component, or nothing of it where any of it is out of range.
    fn store_part(
        &self,
        memory: &GlobalMemory,
        lane: usize,
        offset: i64,
        bytes: u32,
        value: u32,
        port: &mut Port,
    ) -> bool {
        if !self.holds(offset, bytes) {
            return false;
        }
        let (offset, number) = (offset as u64, lane as u32);
        if offset % 4 + u64::from(bytes) <= 4 {
            let address = self.address(offset, number);
            return memory.store_traced(lane, address, bytes, value, port);
        }
        (0..bytes).all(|i| {
            let at = self.address(offset + u64::from(i), number);
            memory.store_traced(lane, at, 1, value >> (8 * i), port)
        })
    }

    /// Records why a component could not be accessed: out of the lane's range, or no memory behind.
    #[cold]
    fn miss(
        &self,
        memory: &GlobalMemory,
        access: Access,
        lane: usize,
        offset: i64,
        bytes: u32,
        port: &mut Port,
    ) {
        if self.holds(offset, bytes) {
            let address = self.address(offset as u64, lane as u32);
            memory.miss(access, Space::Scratch, lane, address, bytes, port);
        } else {
            let kind = FaultKind::ScratchRange;
            let limit = Some(self.size);
            port.fault(
                kind,
                access,
                Space::Scratch,
                lane,
                offset as u64,
                bytes,
                limit,
            );
        }
    }
}

/// Keeps one fault a lane of those from the `first` on.
fn first_of_each_lane(port: &mut Port, first: usize) {
    if port.faults.len() <= first {
        return;
    }
    let mut seen = 0u64;
    let mut faults = port.faults.split_off(first);
    faults.retain(|f| {
        let new = seen >> f.lane & 1 == 0;
        seen |= 1 << f.lane;
        new
    });
    port.faults.append(&mut faults);
}

#[cfg(test)]
#[path = "scratch_tests.rs"]
mod tests;
