//! Loads and stores of a whole wave.
//!
//! Paths, fastest first: aligned lanes in one region are one check (`whole_wave`), others in one region too
//! (`one_region`); lanes in the region that the last access hit cost one check each; any other lane is looked
//! up.

use std::sync::atomic::Ordering::Relaxed;

use super::one_region::OneRegion;
use super::region::Region;
use super::small::{LoadSmall, StoreSmall};
use super::whole_wave;
use super::{GlobalMemory, Permission, RegionHint};
use crate::access::{Element, Lanes, Port, ROW_LANES, Row};
use crate::fault::{Access, Space};
use crate::rules::AlignmentMode;
use crate::wide;

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
        let inside = address.wrapping_sub(self.base) < self.starts;
        inside.then(|| self.region.offset(address))
    }
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
    #[inline]
    pub fn load_scalar(&self, address: u64, dst: &mut [u32], port: &mut Port) {
        let address = address & !3;
        let bytes = dst.len() as u64 * 4;
        if let Some(region) = self.find(address, bytes, &mut port.scalar_hint) {
            port.touch(Access::Load, Space::Global, 0, address, bytes as u32);
            let first = region.offset(address) / 4;
            for (value, cell) in dst.iter_mut().zip(&region.dwords()[first..]) {
                *value = cell.load(Relaxed);
            }
            return;
        }
        self.load_scalar_parts(address, dst, port);
    }

    /// [`GlobalMemory::load_scalar`], dword by dword.
    #[cold]
    fn load_scalar_parts(&self, address: u64, dst: &mut [u32], port: &mut Port) {
        let mut reported = false;
        for (i, value) in dst.iter_mut().enumerate() {
            let at = address.wrapping_add(i as u64 * 4);
            *value = self.load_traced(0, at, 4, port).unwrap_or_else(|| {
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
                let flat = dst.as_flattened_mut();
                let done = lanes.exec != 0
                    && wide::run_wave(LoadSmall {
                        memory: self,
                        lanes,
                        element,
                        flat: &mut *flat,
                        port: &mut *port,
                    });
                if done {
                    return;
                }
                let done = match element {
                    Element::U8 => self.load_small(lanes, 1, flat, port, |v| v),
                    Element::I8 => self.load_small(lanes, 1, flat, port, |v| v as i8 as u32),
                    Element::I16 => self.load_small(lanes, 2, flat, port, |v| v as i16 as u32),
                    _ => self.load_small(lanes, 2, flat, port, |v| v),
                };
                if done {
                    return;
                }
                let mut apart = 0u64;
                self.load_lanes(space, lanes, element, port, |lane, found| {
                    let raw = found.map_or(0, |(r, offset)| r.load_small(offset, bytes));
                    apart |= u64::from(found.is_none()) << lane;
                    dst[lane / ROW_LANES][lane % ROW_LANES] = element.extend(raw);
                });
                // Its bytes may lie in two regions.
                let apart = Lanes {
                    exec: lanes.exec & apart,
                    ..lanes
                };
                for (lane, address) in apart.active() {
                    let at = port.rules.alignment.align(address, bytes);
                    if let Some(raw) = at.and_then(|at| self.load_traced(lane, at, bytes, port)) {
                        dst[lane / ROW_LANES][lane % ROW_LANES] = element.extend(raw);
                    }
                }
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
        let flat = dst.as_flattened_mut();
        let done = lanes.exec != 0
            && wide::run_wave(whole_wave::Load::<N> {
                memory: self,
                lanes,
                flat: &mut *flat,
                port: &mut *port,
            });
        if done {
            return;
        }
        let count = lanes.rows() * ROW_LANES;
        let done = self.in_one_region(lanes, 4 * N as u32, false, port, |region, offset, lane| {
            let data = region.load_dwords::<N>(offset);
            for (d, value) in data.into_iter().enumerate() {
                flat[d * count + lane] = value;
            }
        });
        if done {
            return;
        }
        let mut partial = 0u64;
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
                flat[d * count + lane] = self.load_traced(lane, at, 4, port).unwrap_or(0);
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
                let flat = src.as_flattened();
                let done = lanes.exec != 0
                    && wide::run_wave(StoreSmall {
                        memory: self,
                        lanes,
                        element,
                        flat,
                        port: &mut *port,
                    });
                if done {
                    return;
                }
                let done = if bytes == 1 {
                    self.in_one_region(lanes, 1, true, port, |region, offset, lane| {
                        region.store_small(offset, 1, flat[lane]);
                    })
                } else {
                    self.in_one_region(lanes, 2, true, port, |region, offset, lane| {
                        region.store_small(offset, 2, flat[lane]);
                    })
                };
                if done {
                    return;
                }
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
        let done = lanes.exec != 0
            && wide::run_wave(whole_wave::Store::<N> {
                memory: self,
                lanes,
                flat,
                port: &mut *port,
            });
        if done {
            return;
        }
        let count = lanes.rows() * ROW_LANES;
        let done = self.in_one_region(lanes, 4 * N as u32, true, port, |region, offset, lane| {
            region.store_dwords(offset, dwords_of_lane::<N>(flat, count, lane));
        });
        if done {
            return;
        }
        self.store_lanes(space, lanes, element, src, port, |region, offset, lane| {
            region.store_dwords(offset, dwords_of_lane::<N>(flat, count, lane));
        });
    }

    /// Hands each active lane's offset in the one region that they all access to `each`, where alignment is
    /// free; gives `false`, with nothing done, where a closer look is needed.
    #[inline]
    fn in_one_region(
        &self,
        lanes: Lanes<'_, u64>,
        bytes: u32,
        writes: bool,
        port: &mut Port,
        each: impl FnMut(&Region, usize, usize),
    ) -> bool {
        if !port.is_plain() || lanes.exec == 0 {
            return false;
        }
        let hint = if writes {
            &mut port.store_hint
        } else {
            &mut port.hint
        };
        wide::run_wave(OneRegion {
            memory: self,
            lanes,
            bytes: bytes.into(),
            hint,
            writes,
            each,
        })
    }

    /// Loads bytes or shorts of lanes in one region, which `extend` makes dwords.
    #[inline(always)]
    fn load_small(
        &self,
        lanes: Lanes<'_, u64>,
        bytes: u32,
        flat: &mut [u32],
        port: &mut Port,
        extend: impl Fn(u32) -> u32,
    ) -> bool {
        self.in_one_region(lanes, bytes, false, port, |region, offset, lane| {
            flat[lane] = extend(region.load_small(offset, bytes));
        })
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
                port.touch(Access::Load, Space::Global, lane, address, bytes);
                take(lane, Some((w.region, offset)));
            } else if let Some(region) = self.find(address, u64::from(bytes), &mut port.hint) {
                window = Some(Window::new(region, bytes));
                port.touch(Access::Load, Space::Global, lane, address, bytes);
                take(lane, Some((region, region.offset(address))));
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
                port.touch(Access::Store, Space::Global, lane, address, bytes);
                put(w.region, offset, lane);
                continue;
            }
            let found = self.find(address, u64::from(bytes), &mut port.hint);
            match found.map(|r| Window::new(r, bytes)).filter(writable) {
                Some(w) => {
                    window = Some(w);
                    port.touch(Access::Store, Space::Global, lane, address, bytes);
                    put(w.region, w.region.offset(address), lane);
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
            if !self.store_traced(lane, at, part, value, port) && !reported {
                self.miss(Access::Store, space, lane, at, part, port);
                reported = true;
            }
        }
    }

    /// [`Self::load_component`] for a lane, in the port's trace.
    pub(crate) fn load_traced(
        &self,
        lane: usize,
        address: u64,
        bytes: u32,
        port: &mut Port,
    ) -> Option<u32> {
        let value = self.load_component(address, bytes, &mut port.hint)?;
        port.touch(Access::Load, Space::Global, lane, address, bytes);
        Some(value)
    }

    /// [`Self::store_component`] for a lane, in the port's trace.
    pub(crate) fn store_traced(
        &self,
        lane: usize,
        address: u64,
        bytes: u32,
        value: u32,
        port: &mut Port,
    ) -> bool {
        let done = self.store_component(address, bytes, value, &mut port.hint);
        if done {
            port.touch(Access::Store, Space::Global, lane, address, bytes);
        }
        done
    }

    /// Reads one component of 1, 2 or 4 bytes; it may straddle two neighbouring regions.
    fn load_component(&self, address: u64, bytes: u32, hint: &mut RegionHint) -> Option<u32> {
        if let Some(region) = self.find(address, u64::from(bytes), hint) {
            return Some(region.load_small(region.offset(address), bytes));
        }
        let mut value = 0;
        for i in 0..bytes {
            let at = address.wrapping_add(u64::from(i));
            let region = self.find(at, 1, hint)?;
            value |= region.load_small(region.offset(at), 1) << (8 * i);
        }
        Some(value)
    }

    /// Writes one component of 1, 2 or 4 bytes, or nothing if any of it is not writable.
    fn store_component(&self, address: u64, bytes: u32, value: u32, hint: &mut RegionHint) -> bool {
        let writable = |r: &&Region| r.permission == Permission::ReadWrite;
        if let Some(region) = self.find(address, u64::from(bytes), hint).filter(writable) {
            region.store_small(region.offset(address), bytes, value);
            return true;
        }
        let at = |i: u32| address.wrapping_add(u64::from(i));
        if !(0..bytes).all(|i| self.find(at(i), 1, hint).filter(writable).is_some()) {
            return false;
        }
        for i in 0..bytes {
            if let Some(region) = self.find(at(i), 1, hint) {
                region.store_small(region.offset(at(i)), 1, value >> (8 * i));
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

/// A lane's dwords of registers of `count` lanes each.
#[inline(always)]
fn dwords_of_lane<const N: usize>(flat: &[u32], count: usize, lane: usize) -> [u32; N] {
    let mut data = [0; N];
    for (d, to) in data.iter_mut().enumerate() {
        *to = flat[d * count + lane];
    }
    data
}
