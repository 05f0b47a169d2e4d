//! Loads and stores of a whole wave.
//!
//! Three paths, fastest first: a full wave of consecutive addresses in one region is one check and a
//! copy; lanes in the region that the last access hit cost one check each; any other lane is looked up.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::region::Region;
use super::{GlobalMemory, Permission, RegionHint};
use crate::access::{Element, Lanes, Port, ROW_LANES, Row};
use crate::fault::{Access, Space};
use crate::rules::AlignmentMode;

/// A region and the offsets in it at which an access of one size may start.
#[derive(Clone, Copy)]
struct Window<'a> {
    region: &'a Region,
    base: u64,
    /// An access may start at any offset below this.
    starts: u64,
}

impl<'a> Window<'a> {
    fn new(region: &'a Region, bytes: u32) -> Self {
        Self {
            region,
            base: region.base,
            starts: region.size.saturating_sub(u64::from(bytes) - 1),
        }
    }

    /// The offset of an access at `address`, if it fits.
    #[inline]
    fn offset(&self, address: u64) -> Option<usize> {
        let offset = address.wrapping_sub(self.base);
        (offset < self.starts).then_some(offset as usize)
    }
}

/// Whether the addresses go up by `step` from the first.
#[inline]
pub(crate) fn consecutive(addresses: &[u64], step: u64) -> bool {
    let Some(&first) = addresses.first() else {
        return false;
    };
    let mut expected = first;
    let mut differing = 0;
    for &address in addresses {
        differing |= address ^ expected;
        expected = expected.wrapping_add(step);
    }
    differing == 0
}

impl GlobalMemory {
    /// Loads `element` for every active lane into `dst`, which holds
    /// `element.dwords() * lanes.rows()` rows (see [`Element`] for the order).
    ///
    /// Lanes with a bad address read zero and leave a fault in `port`; inactive lanes keep what `dst`
    /// holds. A load of several dwords is judged dword by dword where it is not wholly in one region.
    ///
    /// # Panics
    /// If `dst` has too few rows.
    pub fn load(&self, lanes: Lanes<'_, u64>, element: Element, dst: &mut [Row], port: &mut Port) {
        self.load_as(Space::Global, lanes, element, dst, port);
    }

    /// Stores `element` for every active lane from `src`, laid out as for [`GlobalMemory::load`].
    ///
    /// Lanes with a bad address, or an address in a read-only region, store nothing and leave a fault.
    ///
    /// # Panics
    /// If `src` has too few rows.
    pub fn store(&self, lanes: Lanes<'_, u64>, element: Element, src: &[Row], port: &mut Port) {
        self.store_as(Space::Global, lanes, element, src, port);
    }

    /// Loads consecutive dwords for a scalar instruction. The two low bits of the address are ignored
    /// (Vega ISA 7.4). Dwords with a bad address read zero; the first leaves a fault.
    pub fn load_scalar(&self, address: u64, dst: &mut [u32], port: &mut Port) {
        let address = address & !3;
        let bytes = dst.len() as u64 * 4;
        if let Some(region) = self.find(address, bytes, &mut port.hint) {
            let first = (address - region.base) as usize / 4;
            for (value, cell) in dst.iter_mut().zip(&region.dwords()[first..]) {
                *value = cell.load(Relaxed);
            }
            return;
        }
        let mut reported = false;
        for (i, value) in dst.iter_mut().enumerate() {
            let at = address.wrapping_add(i as u64 * 4);
            *value = self
                .load_component(at, 4, &mut port.hint)
                .unwrap_or_else(|| {
                    if !reported {
                        self.miss(Access::Load, Space::Scalar, 0, at, 4, port);
                        reported = true;
                    }
                    0
                });
        }
    }

    /// [`GlobalMemory::load`], with faults reported as of `space`.
    pub(crate) fn load_as(
        &self,
        space: Space,
        lanes: Lanes<'_, u64>,
        element: Element,
        dst: &mut [Row],
        port: &mut Port,
    ) {
        let dst = &mut dst[..element.dwords() * lanes.rows()];
        match element {
            Element::B32 => self.load_n::<1>(space, lanes, element, dst, port),
            Element::B64 => self.load_n::<2>(space, lanes, element, dst, port),
            Element::B96 => self.load_n::<3>(space, lanes, element, dst, port),
            Element::B128 => self.load_n::<4>(space, lanes, element, dst, port),
            _ => {
                let bytes = element.bytes();
                self.load_lanes(space, lanes, element, port, |lane, found| {
                    let raw = found.map_or(0, |(r, offset)| r.load_small(offset, bytes));
                    dst[lane / ROW_LANES][lane % ROW_LANES] = element.extend(raw);
                });
            }
        }
    }

    #[inline]
    fn load_n<const N: usize>(
        &self,
        space: Space,
        lanes: Lanes<'_, u64>,
        element: Element,
        dst: &mut [Row],
        port: &mut Port,
    ) {
        if let Some((region, offset)) = self.straight(lanes, element, port, Access::Load) {
            copy_to_rows::<N>(
                region,
                offset,
                lanes.addresses.len(),
                dst.as_flattened_mut(),
            );
            return;
        }
        let count = lanes.rows() * ROW_LANES;
        let mut partial = 0u64;
        let flat = dst.as_flattened_mut();
        if let Some(region) = self.one_region(lanes, element, port, Access::Load) {
            let dwords = region.dwords();
            for (lane, &address) in lanes.addresses.iter().enumerate() {
                let at = (address.wrapping_sub(region.base) / 4) as usize;
                for (d, dword) in dwords[at..at + N].iter().enumerate() {
                    flat[d * count + lane] = dword.load(Relaxed);
                }
            }
            return;
        }
        self.load_lanes(space, lanes, element, port, |lane, found| match found {
            Some((region, offset)) => {
                let data = region.load_dwords::<N>(offset);
                for (d, value) in data.into_iter().enumerate() {
                    flat[d * count + lane] = value;
                }
            }
            None => {
                for d in 0..N {
                    flat[d * count + lane] = 0;
                }
                partial |= 1 << lane;
            }
        });
        // A lane outside may still have some of its dwords inside.
        let strict = port.rules.alignment;
        for (lane, address) in (Lanes {
            exec: lanes.exec & partial,
            ..lanes
        })
        .active()
        {
            let Some(address) = strict.align(address, element.bytes()) else {
                continue;
            };
            for d in 0..N {
                let at = address.wrapping_add(d as u64 * 4);
                flat[d * count + lane] = self.load_component(at, 4, &mut port.hint).unwrap_or(0);
            }
        }
    }

    /// [`GlobalMemory::store`], with faults reported as of `space`.
    pub(crate) fn store_as(
        &self,
        space: Space,
        lanes: Lanes<'_, u64>,
        element: Element,
        src: &[Row],
        port: &mut Port,
    ) {
        let src = &src[..element.dwords() * lanes.rows()];
        match element {
            Element::B32 => self.store_n::<1>(space, lanes, element, src, port),
            Element::B64 => self.store_n::<2>(space, lanes, element, src, port),
            Element::B96 => self.store_n::<3>(space, lanes, element, src, port),
            Element::B128 => self.store_n::<4>(space, lanes, element, src, port),
            _ => {
                let bytes = element.bytes();
                self.store_lanes(space, lanes, element, src, port, |region, offset, lane| {
                    let value = src[lane / ROW_LANES][lane % ROW_LANES];
                    region.store_small(offset, bytes, value);
                });
            }
        }
    }

    #[inline]
    fn store_n<const N: usize>(
        &self,
        space: Space,
        lanes: Lanes<'_, u64>,
        element: Element,
        src: &[Row],
        port: &mut Port,
    ) {
        let flat = src.as_flattened();
        if let Some((region, offset)) = self.straight(lanes, element, port, Access::Store) {
            copy_from_rows::<N>(region, offset, lanes.addresses.len(), flat);
            return;
        }
        let count = lanes.rows() * ROW_LANES;
        if let Some(region) = self.one_region(lanes, element, port, Access::Store) {
            let dwords = region.dwords();
            for (lane, &address) in lanes.addresses.iter().enumerate() {
                let at = (address.wrapping_sub(region.base) / 4) as usize;
                for (d, dword) in dwords[at..at + N].iter().enumerate() {
                    dword.store(flat[d * count + lane], Relaxed);
                }
            }
            return;
        }
        self.store_lanes(space, lanes, element, src, port, |region, offset, lane| {
            let data = std::array::from_fn::<u32, N, _>(|d| flat[d * count + lane]);
            region.store_dwords(offset, data);
        });
    }

    /// The region and offset of a full wave of consecutive, dword-aligned addresses in one region.
    #[inline]
    fn straight(
        &self,
        lanes: Lanes<'_, u64>,
        element: Element,
        port: &mut Port,
        access: Access,
    ) -> Option<(&Region, usize)> {
        let bytes = element.bytes();
        let first = *lanes.addresses.first()?;
        if !lanes.is_full()
            || first % 4 != 0
            || port.rules.alignment.align(first, bytes) != Some(first)
            || !consecutive(lanes.addresses, u64::from(bytes))
        {
            return None;
        }
        let total = u64::from(bytes) * lanes.addresses.len() as u64;
        let region = self.find(first, total, &mut port.hint)?;
        if access != Access::Load && region.permission == Permission::ReadOnly {
            return None;
        }
        Some((region, (first - region.base) as usize))
    }

    /// The hinted region, if a full wave's accesses all lie in it, dword-aligned. Pairs that could be
    /// one 64-bit access are left to the lane-by-lane path, which does not tear them.
    #[inline]
    fn one_region(
        &self,
        lanes: Lanes<'_, u64>,
        element: Element,
        port: &Port,
        access: Access,
    ) -> Option<&Region> {
        let tears = matches!(element, Element::B64 | Element::B128);
        if tears || !lanes.is_full() || port.rules.alignment != AlignmentMode::Unaligned {
            return None;
        }
        let window = self.window(port.hint, element.bytes())?;
        let last = window.starts.checked_sub(1)?;
        if access != Access::Load && window.region.permission == Permission::ReadOnly {
            return None;
        }
        // The sign of `last - offset` or of `offset` itself shows an offset past the last start.
        let (mut bad, mut low) = (0, 0);
        for &address in lanes.addresses {
            let offset = address.wrapping_sub(window.base);
            bad |= last.wrapping_sub(offset) | offset;
            low |= offset;
        }
        (bad >> 63 == 0 && low % 4 == 0).then_some(window.region)
    }

    /// Finds each active lane's bytes and hands them to `take`; `None` for a bad lane, whose fault is
    /// recorded.
    #[inline]
    fn load_lanes(
        &self,
        space: Space,
        lanes: Lanes<'_, u64>,
        element: Element,
        port: &mut Port,
        mut take: impl FnMut(usize, Option<(&Region, usize)>),
    ) {
        let bytes = element.bytes();
        let mode = port.rules.alignment;
        let mut window = self.window(port.hint, bytes);
        for (lane, address) in lanes.active() {
            let Some(address) = aligned(mode, address, bytes) else {
                self.misaligned(Access::Load, space, lane, address, bytes, port);
                take(lane, None);
                continue;
            };
            if let Some((w, offset)) = window.and_then(|w| Some((w, w.offset(address)?))) {
                take(lane, Some((w.region, offset)));
            } else if let Some(region) = self.find(address, u64::from(bytes), &mut port.hint) {
                window = Some(Window::new(region, bytes));
                take(lane, Some((region, (address - region.base) as usize)));
            } else {
                self.judge_load(space, lane, address, element, port);
                take(lane, None);
            }
        }
    }

    /// Records the fault of a load that is not wholly in one region, unless neighbouring regions hold
    /// all of it.
    #[cold]
    fn judge_load(
        &self,
        space: Space,
        lane: usize,
        address: u64,
        element: Element,
        port: &mut Port,
    ) {
        let part = element.component_bytes();
        for d in 0..element.dwords() as u64 {
            let at = address.wrapping_add(d * 4);
            if self.load_component(at, part, &mut port.hint).is_none() {
                self.miss(Access::Load, space, lane, at, part, port);
                return;
            }
        }
    }

    /// Finds where each active lane stores and lets `put` do it; bad lanes leave a fault.
    #[inline]
    fn store_lanes(
        &self,
        space: Space,
        lanes: Lanes<'_, u64>,
        element: Element,
        src: &[Row],
        port: &mut Port,
        mut put: impl FnMut(&Region, usize, usize),
    ) {
        let bytes = element.bytes();
        let mode = port.rules.alignment;
        let writable = |w: &Window<'_>| w.region.permission == Permission::ReadWrite;
        let mut window = self.window(port.hint, bytes).filter(writable);
        for (lane, address) in lanes.active() {
            let Some(address) = aligned(mode, address, bytes) else {
                self.misaligned(Access::Store, space, lane, address, bytes, port);
                continue;
            };
            if let Some((w, offset)) = window.and_then(|w| Some((w, w.offset(address)?))) {
                put(w.region, offset, lane);
                continue;
            }
            let found = self.find(address, u64::from(bytes), &mut port.hint);
            match found.map(|r| Window::new(r, bytes)).filter(writable) {
                Some(w) => {
                    window = Some(w);
                    put(w.region, (address - w.base) as usize, lane);
                }
                None => self.store_parts(space, lane, address, element, src, lanes.rows(), port),
            }
        }
    }

    /// Stores those dwords of a lane that are in writable memory; the first that is not is the fault.
    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn store_parts(
        &self,
        space: Space,
        lane: usize,
        address: u64,
        element: Element,
        src: &[Row],
        rows: usize,
        port: &mut Port,
    ) {
        let part = element.component_bytes();
        let mut reported = false;
        for d in 0..element.dwords() {
            let at = address.wrapping_add(d as u64 * 4);
            let value = src[d * rows + lane / ROW_LANES][lane % ROW_LANES];
            if !self.store_component(at, part, value, &mut port.hint) && !reported {
                self.miss(Access::Store, space, lane, at, part, port);
                reported = true;
            }
        }
    }

    /// Reads one component of 1, 2 or 4 bytes; it may straddle two neighbouring regions.
    pub(crate) fn load_component(
        &self,
        address: u64,
        bytes: u32,
        hint: &mut RegionHint,
    ) -> Option<u32> {
        if let Some(region) = self.find(address, u64::from(bytes), hint) {
            return Some(region.load_small((address - region.base) as usize, bytes));
        }
        let mut value = 0;
        for i in 0..bytes {
            let at = address.wrapping_add(u64::from(i));
            let region = self.find(at, 1, hint)?;
            value |= region.load_small((at - region.base) as usize, 1) << (8 * i);
        }
        Some(value)
    }

    /// Writes one component of 1, 2 or 4 bytes, or nothing if any of it is not writable.
    pub(crate) fn store_component(
        &self,
        address: u64,
        bytes: u32,
        value: u32,
        hint: &mut RegionHint,
    ) -> bool {
        let writable = |r: &&Region| r.permission == Permission::ReadWrite;
        if let Some(region) = self.find(address, u64::from(bytes), hint).filter(writable) {
            region.store_small((address - region.base) as usize, bytes, value);
            return true;
        }
        let at = |i: u32| address.wrapping_add(u64::from(i));
        if !(0..bytes).all(|i| self.find(at(i), 1, hint).filter(writable).is_some()) {
            return false;
        }
        for i in 0..bytes {
            if let Some(region) = self.find(at(i), 1, hint) {
                region.store_small((at(i) - region.base) as usize, 1, value >> (8 * i));
            }
        }
        true
    }

    /// The window of the hinted region, if there is one.
    #[inline]
    fn window(&self, hint: RegionHint, bytes: u32) -> Option<Window<'_>> {
        Some(Window::new(self.regions.get(hint.0)?, bytes))
    }
}

/// [`AlignmentMode::align`], with the default mode decided without a call.
#[inline]
fn aligned(mode: AlignmentMode, address: u64, bytes: u32) -> Option<u64> {
    if mode == AlignmentMode::Unaligned {
        return Some(address);
    }
    mode.align(address, bytes)
}

/// Copies `lanes * N` dwords at `offset` to `N` registers of `lanes` lanes each.
#[inline]
fn copy_to_rows<const N: usize>(region: &Region, offset: usize, lanes: usize, flat: &mut [u32]) {
    if !offset.is_multiple_of(8) {
        let dwords = &region.dwords()[offset / 4..][..lanes * N];
        for (lane, data) in dwords.chunks_exact(N).enumerate() {
            for (d, dword) in data.iter().enumerate() {
                flat[d * lanes + lane] = dword.load(Relaxed);
            }
        }
        return;
    }
    let words = &region.words()[offset / 8..][..lanes * N / 2];
    if lanes == 64 {
        words_to_rows::<N, 64>(words, flat);
    } else {
        words_to_rows::<N, 32>(words, flat);
    }
}

/// [`copy_to_rows`] for a known number of lanes, two lanes (`N` words) at a time.
#[inline]
fn words_to_rows<const N: usize, const W: usize>(words: &[AtomicU64], flat: &mut [u32]) {
    let Some(registers) = flat.as_chunks_mut::<W>().0.first_chunk_mut::<N>() else {
        return;
    };
    for (pair, words) in words.as_chunks::<N>().0.iter().take(W / 2).enumerate() {
        for (k, word) in words.iter().enumerate() {
            let word = word.load(Relaxed);
            let (low, high) = (2 * k, 2 * k + 1);
            registers[low % N][2 * pair + low / N] = word as u32;
            registers[high % N][2 * pair + high / N] = (word >> 32) as u32;
        }
    }
}

/// Copies `N` registers of `lanes` lanes each to `lanes * N` dwords at `offset`.
#[inline]
fn copy_from_rows<const N: usize>(region: &Region, offset: usize, lanes: usize, flat: &[u32]) {
    if !offset.is_multiple_of(8) {
        let dwords = &region.dwords()[offset / 4..][..lanes * N];
        for (lane, data) in dwords.chunks_exact(N).enumerate() {
            for (d, dword) in data.iter().enumerate() {
                dword.store(flat[d * lanes + lane], Relaxed);
            }
        }
        return;
    }
    let words = &region.words()[offset / 8..][..lanes * N / 2];
    if lanes == 64 {
        words_from_rows::<N, 64>(words, flat);
    } else {
        words_from_rows::<N, 32>(words, flat);
    }
}

/// [`copy_from_rows`] for a known number of lanes, two lanes (`N` words) at a time.
#[inline]
fn words_from_rows<const N: usize, const W: usize>(words: &[AtomicU64], flat: &[u32]) {
    let Some(registers) = flat.as_chunks::<W>().0.first_chunk::<N>() else {
        return;
    };
    for (pair, words) in words.as_chunks::<N>().0.iter().take(W / 2).enumerate() {
        for (k, word) in words.iter().enumerate() {
            let (low, high) = (2 * k, 2 * k + 1);
            let low = registers[low % N][2 * pair + low / N];
            let high = registers[high % N][2 * pair + high / N];
            word.store(u64::from(low) | u64::from(high) << 32, Relaxed);
        }
    }
}
