//! LDS: the local data share of one workgroup.
//!
//! An allocation is byte-addressed and belongs to one workgroup, whose waves take turns on one host
//! thread; so it is plain memory. Range rules are [`Generation::lds_range`](crate::Generation::lds_range)'s,
//! alignment is forced in every mode but [`AlignmentMode::Unaligned`].

use crate::access::{Element, Lanes, Port, ROW_LANES, Row};
use crate::atomic::AtomicWidth;
use crate::fault::{Access, FaultKind};
use crate::global::Atomic;
use crate::global::{lane_value, set_lane_value};
use crate::rules::{AlignmentMode, LdsRange, Rules};
use crate::wide;
use whole_wave::{Gather, Scatter};

mod whole_wave;

/// One workgroup's LDS allocation.
#[derive(Clone, Debug, Default)]
pub struct Lds {
    bytes: Vec<u8>,
}

/// The two addresses of a two-address instruction (`DS_READ2`, `DS_WRITE2` and their kin) for one lane:
/// `address + offset * size`, times 64 in the ST64 (STRIDE64) forms (Vega ISA 10.3.3).
///
/// ```
/// use waveglass_mem::lds_pair;
/// assert_eq!(lds_pair(0x100, 1, 3, 4, false), [0x104, 0x10c]);
/// assert_eq!(lds_pair(0x100, 1, 3, 8, true), [0x300, 0x700]);
/// ```
pub const fn lds_pair(address: u32, offset0: u8, offset1: u8, bytes: u32, st64: bool) -> [u32; 2] {
    let unit = if st64 { bytes * 64 } else { bytes };
    [
        address.wrapping_add(offset0 as u32 * unit),
        address.wrapping_add(offset1 as u32 * unit),
    ]
}

/// The address of an ADDTID form for one lane: `M0[15:0] + offset + lane * 4`, with `M0[19:0]` on
/// CDNA 5 (RDNA 3 ISA 12.5, CDNA 5 ISA 11.2).
pub const fn lds_addtid(rules: &Rules, m0: u32, offset: u16, lane: u32) -> u32 {
    let field = match rules.generation {
        crate::Generation::Cdna5 => m0 & 0xf_ffff,
        _ => m0 & 0xffff,
    };
    field + offset as u32 + lane * 4
}

/// The address that an access at `address` uses: aligned by force except in
/// [`AlignmentMode::Unaligned`] (RDNA 3 ISA 3.3.4.1: B32 to 4, B64 to 8, B96 and B128 to 16). Bytes
/// need none; 16-bit values are aligned to 2 by their "native" alignment.
pub const fn lds_align(mode: AlignmentMode, address: u32, bytes: u32) -> u32 {
    if matches!(mode, AlignmentMode::Unaligned) {
        return address;
    }
    address & !(native_alignment(bytes) - 1)
}

const fn native_alignment(bytes: u32) -> u32 {
    if bytes == 12 { 16 } else { bytes }
}

impl Lds {
    /// An allocation of `size` bytes of zeros.
    pub fn new(size: u32) -> Self {
        Self {
            bytes: vec![0; size as usize],
        }
    }

    /// Its size in bytes.
    #[inline]
    pub fn size(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// Makes all its bytes zero.
    pub fn clear(&mut self) {
        self.bytes.fill(0);
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its bytes, to change.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// The number of bytes that accesses through `port` may touch: the allocation, bounded by M0 where
    /// [`Rules::m0_bounds_lds`] says so on gfx9.
    #[inline]
    pub fn limit(&self, port: &Port) -> u32 {
        if port.rules.m0_bounds_lds && port.rules.generation.is_gfx9() {
            self.size().min(port.m0)
        } else {
            self.size()
        }
    }

    /// The lanes whose access to `bytes` bytes is not all in range.
    pub fn out_of_range(&self, lanes: Lanes<'_, u32>, bytes: u32, port: &Port) -> u64 {
        let (limit, mode) = (self.limit(port), port.rules.alignment);
        let out = |address| !in_range(lds_align(mode, address, bytes), 0, bytes, limit);
        let found = lanes.active().filter(|&(_, address)| out(address));
        found.fold(0, |all, (lane, _)| all | 1 << lane)
    }

    /// Loads `element` for every active lane; `lanes.addresses` are byte offsets into the allocation,
    /// instruction offsets already added. `dst` is laid out as for
    /// [`GlobalMemory::load`](crate::GlobalMemory::load).
    ///
    /// # Panics
    /// If `dst` has too few rows.
    pub fn load(&self, lanes: Lanes<'_, u32>, element: Element, dst: &mut [Row], port: &mut Port) {
        let dst = &mut dst[..element.dwords() * lanes.rows()];
        match element {
            Element::B32 => self.load_n::<1>(lanes, element, dst, port),
            Element::B64 => self.load_n::<2>(lanes, element, dst, port),
            Element::B96 => self.load_n::<3>(lanes, element, dst, port),
            Element::B128 => self.load_n::<4>(lanes, element, dst, port),
            _ => self.load_lanes(lanes, element, dst, port),
        }
    }

    /// Loads `N` dwords for every lane of a full wave; gives `false`, with nothing done, if any lane is
    /// out of range or the alignment mode wants a closer look. [`Lds::load`] then does.
    ///
    /// For handlers that are [`LaneLoop`](crate::wide::LaneLoop)s, into which it is inlined.
    #[inline(always)]
    pub fn load_whole<const N: usize, const W: usize>(
        &self,
        addresses: &[u32; W],
        registers: &mut [[u32; W]; N],
        port: &Port,
        host: wide::Host,
    ) -> bool {
        port.is_plain()
            && whole_wave::gather(
                &self.bytes[..self.limit(port) as usize],
                addresses,
                registers,
                host,
            )
    }

    /// [`Lds::load_whole`]'s counterpart; the highest lane that writes a byte leaves its value.
    #[inline(always)]
    pub fn store_whole<const N: usize, const W: usize>(
        &mut self,
        addresses: &[u32; W],
        registers: &[[u32; W]; N],
        port: &Port,
    ) -> bool {
        let limit = self.limit(port) as usize;
        port.is_plain() && whole_wave::scatter(&mut self.bytes[..limit], addresses, registers)
    }

    #[inline]
    fn load_n<const N: usize>(
        &self,
        lanes: Lanes<'_, u32>,
        element: Element,
        dst: &mut [Row],
        port: &mut Port,
    ) {
        if port.is_plain() {
            let done = wide::run_wave(Gather::<N> {
                memory: &self.bytes[..self.limit(port) as usize],
                lanes,
                flat: dst.as_flattened_mut(),
            });
            if done {
                return;
            }
        }
        self.load_lanes(lanes, element, dst, port);
    }

    /// Lane by lane, with the generation's range rule.
    fn load_lanes(
        &self,
        lanes: Lanes<'_, u32>,
        element: Element,
        dst: &mut [Row],
        port: &mut Port,
    ) {
        let (bytes, part, rows) = (element.bytes(), element.component_bytes(), lanes.rows());
        let limit = self.limit(port);
        let per_dword = port.rules.generation.lds_range() == LdsRange::PerDword;
        for (lane, address) in lanes.active() {
            let Some(address) = aligned(address, bytes, lane, Access::Load, port) else {
                for d in 0..element.dwords() {
                    dst[d * rows + lane / ROW_LANES][lane % ROW_LANES] = 0;
                }
                continue;
            };
            let whole = in_range(address, 0, bytes, limit);
            if !whole {
                self.report_range(port, Access::Load, lane, address, bytes);
            }
            for d in 0..element.dwords() {
                let offset = d as u32 * 4;
                let value = if whole || per_dword && in_range(address, offset, part, limit) {
                    let at = u64::from(address + offset);
                    port.touch(Access::Load, port.share, lane, at, part);
                    element.extend(self.read(address + offset, part))
                } else {
                    0
                };
                dst[d * rows + lane / ROW_LANES][lane % ROW_LANES] = value;
            }
        }
    }

    /// Stores `element` for every active lane, lowest lane first; the highest lane that writes a byte
    /// leaves its value. Addresses are as for [`Lds::load`].
    ///
    /// # Panics
    /// If `src` has too few rows.
    pub fn store(&mut self, lanes: Lanes<'_, u32>, element: Element, src: &[Row], port: &mut Port) {
        let src = &src[..element.dwords() * lanes.rows()];
        match element {
            Element::B32 => self.store_n::<1>(lanes, element, src, port),
            Element::B64 => self.store_n::<2>(lanes, element, src, port),
            Element::B96 => self.store_n::<3>(lanes, element, src, port),
            Element::B128 => self.store_n::<4>(lanes, element, src, port),
            _ => self.store_lanes(lanes, element, src, port),
        }
    }

    #[inline]
    fn store_n<const N: usize>(
        &mut self,
        lanes: Lanes<'_, u32>,
        element: Element,
        src: &[Row],
        port: &mut Port,
    ) {
        if port.is_plain() && lanes.is_full() {
            let limit = self.limit(port) as usize;
            let done = wide::run_wave(Scatter::<N> {
                memory: &mut self.bytes[..limit],
                lanes,
                flat: src.as_flattened(),
            });
            if done {
                return;
            }
        }
        self.store_lanes(lanes, element, src, port);
    }

    /// Lane by lane, with the generation's range rule.
    fn store_lanes(
        &mut self,
        lanes: Lanes<'_, u32>,
        element: Element,
        src: &[Row],
        port: &mut Port,
    ) {
        let (bytes, part, rows) = (element.bytes(), element.component_bytes(), lanes.rows());
        let limit = self.limit(port);
        let partial = port.rules.generation.lds_range() == LdsRange::PerDword;
        // RDNA 4 ISA 3.3.5.1: stores are cut at bytes in the unaligned mode, at dwords in the others.
        let grain = if port.rules.alignment == AlignmentMode::Unaligned {
            1
        } else {
            part
        };
        for (lane, address) in lanes.active() {
            let Some(address) = aligned(address, bytes, lane, Access::Store, port) else {
                continue;
            };
            let whole = in_range(address, 0, bytes, limit);
            if !whole {
                self.report_range(port, Access::Store, lane, address, bytes);
                if !partial {
                    continue;
                }
            }
            for d in 0..element.dwords() {
                let value = src[d * rows + lane / ROW_LANES][lane % ROW_LANES];
                let offset = d as u32 * 4;
                if whole {
                    let at = u64::from(address + offset);
                    port.touch(Access::Store, port.share, lane, at, part);
                    self.write(address + offset, part, value);
                    continue;
                }
                for piece in (0..part).step_by(grain as usize) {
                    if in_range(address, offset + piece, grain, limit) {
                        let at = u64::from(address + offset + piece);
                        port.touch(Access::Store, port.share, lane, at, grain);
                        self.write(address + offset + piece, grain, value >> (8 * piece));
                    }
                }
            }
        }
    }

    /// Performs an atomic for every active lane, lowest lane first; with `dst`, the values before go
    /// there. A bad lane reads zero, changes nothing and leaves a fault.
    ///
    /// Natural alignment is required in every mode (RDNA 3 ISA 3.3.4.1).
    pub fn atomic(
        &mut self,
        lanes: Lanes<'_, u32>,
        atomic: Atomic<'_>,
        mut dst: Option<&mut [Row]>,
        port: &mut Port,
    ) {
        let (bytes, rows) = (atomic.width.bytes(), lanes.rows());
        let limit = self.limit(port);
        for (lane, address) in lanes.active() {
            let mut before = 0;
            if address % bytes != 0 {
                port.fault(
                    FaultKind::Misaligned,
                    Access::Atomic,
                    port.share,
                    lane,
                    address.into(),
                    bytes,
                    None,
                );
            } else if !in_range(address, 0, bytes, limit) {
                self.report_range(port, Access::Atomic, lane, address, bytes);
            } else {
                let data = lane_value(atomic.data, atomic.width, rows, lane);
                let second = lane_value(atomic.second, atomic.width, rows, lane);
                port.touch(Access::Atomic, port.share, lane, address.into(), bytes);
                let low = self.read(address, 4);
                match atomic.width {
                    AtomicWidth::B32 => {
                        let (data, second) = (data as u32, second as u32);
                        before = low.into();
                        let after = atomic.op.apply32(low, data, second, atomic.rules);
                        self.write(address, 4, after);
                    }
                    AtomicWidth::B64 => {
                        before = u64::from(low) | u64::from(self.read(address + 4, 4)) << 32;
                        let after = atomic.op.apply64(before, data, second, atomic.rules);
                        self.write(address, 4, after as u32);
                        self.write(address + 4, 4, (after >> 32) as u32);
                    }
                }
            }
            if let Some(dst) = dst.as_deref_mut() {
                set_lane_value(dst, atomic.width, rows, lane, before);
            }
        }
    }

    /// Records that a lane's access does not end within the bytes that it may touch.
    #[cold]
    fn report_range(&self, port: &mut Port, access: Access, lane: usize, address: u32, bytes: u32) {
        if !port.rules.report_lds_range {
            return;
        }
        let limit = self.limit(port);
        let kind = match in_range(address, 0, bytes, self.size()) {
            true => FaultKind::M0Range,
            false => FaultKind::LdsRange,
        };
        let bound = match kind {
            FaultKind::M0Range => limit,
            _ => self.size(),
        };
        port.fault(
            kind,
            access,
            port.share,
            lane,
            address.into(),
            bytes,
            Some(bound.into()),
        );
    }

    /// Reads 1, 2 or 4 bytes that are in range.
    fn read(&self, address: u32, bytes: u32) -> u32 {
        let from = &self.bytes[address as usize..][..bytes as usize];
        if let Some(dword) = from.first_chunk() {
            return u32::from_le_bytes(*dword);
        }
        let mut out = [0; 4];
        out[..from.len()].copy_from_slice(from);
        u32::from_le_bytes(out)
    }

    /// Writes the low 1, 2 or 4 bytes of `value`, which are in range.
    fn write(&mut self, address: u32, bytes: u32, value: u32) {
        let to = &mut self.bytes[address as usize..][..bytes as usize];
        if let Some(dword) = to.first_chunk_mut() {
            *dword = value.to_le_bytes();
            return;
        }
        to.copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
    }
}

/// Whether `[address + offset, + bytes)` lies below `limit`. The sum does not wrap: an address near
/// 2^32 is out of range, and so are its higher dwords.
fn in_range(address: u32, offset: u32, bytes: u32, limit: u32) -> bool {
    u64::from(address) + u64::from(offset) + u64::from(bytes) <= u64::from(limit)
}

/// Applies the alignment mode. A misaligned access is forced into alignment and reported in the two
/// strict modes (RDNA 3 ISA 3.3.4.1); reported lanes then do nothing, as every lane with a violation.
fn aligned(address: u32, bytes: u32, lane: usize, access: Access, port: &mut Port) -> Option<u32> {
    let mode = port.rules.alignment;
    if mode == AlignmentMode::Unaligned {
        return Some(address);
    }
    let strict = match mode {
        AlignmentMode::Strict => !address.is_multiple_of(native_alignment(bytes)),
        AlignmentMode::DwordStrict => !address.is_multiple_of(bytes.min(4)),
        _ => false,
    };
    if strict {
        port.fault(
            FaultKind::Misaligned,
            access,
            port.share,
            lane,
            address.into(),
            bytes,
            None,
        );
        return None;
    }
    Some(lds_align(mode, address, bytes))
}

#[cfg(test)]
#[path = "lds_tests.rs"]
mod tests;
