//! Bytes and shorts of a wave whose lanes all lie in one region.

use std::sync::atomic::Ordering::Relaxed;

use super::GlobalMemory;
#[cfg(target_arch = "x86_64")]
use super::line;
use super::region::Region;
use super::spread::for_each;
use super::whole_wave::{Placed, placed};
use crate::access::{Element, Lanes, Port};
use crate::addresses::{Active, LaneAddresses};
use crate::wide::{Host, WaveLoop};

impl GlobalMemory {
    /// [`GlobalMemory::load_whole`] of a byte or a short for every active lane, extended to a dword; what
    /// `values` holds of other lanes means nothing. Gives `false` for other elements, too.
    #[inline(always)]
    pub fn load_small_whole<const W: usize, const FULL: bool>(
        &self,
        at: impl LaneAddresses<W>,
        active: &Active<FULL, W>,
        element: Element,
        values: &mut [u32; W],
        port: &mut Port,
        host: Host,
    ) -> bool {
        match element {
            Element::U8 => load::<1, W, FULL>(self, at, active, values, port, host, |v| v),
            Element::I8 => load::<1, W, FULL>(self, at, active, values, port, host, |v| {
                v as i8 as i32 as u32
            }),
            Element::U16 => load::<2, W, FULL>(self, at, active, values, port, host, |v| v),
            Element::I16 => load::<2, W, FULL>(self, at, active, values, port, host, |v| {
                v as i16 as i32 as u32
            }),
            _ => false,
        }
    }

    /// [`GlobalMemory::store_whole`] of the low byte or short of every active lane. Gives `false` for other
    /// elements, too.
    #[inline(always)]
    pub fn store_small_whole<const W: usize, const FULL: bool>(
        &self,
        at: impl LaneAddresses<W>,
        active: &Active<FULL, W>,
        element: Element,
        values: &[u32; W],
        port: &mut Port,
        host: Host,
    ) -> bool {
        match element {
            Element::U8 | Element::I8 => store::<1, W, FULL>(self, at, active, values, port, host),
            Element::U16 | Element::I16 => {
                store::<2, W, FULL>(self, at, active, values, port, host)
            }
            _ => false,
        }
    }
}

#[inline(always)]
fn load<const BYTES: usize, const W: usize, const FULL: bool>(
    memory: &GlobalMemory,
    at: impl LaneAddresses<W>,
    active: &Active<FULL, W>,
    values: &mut [u32; W],
    port: &mut Port,
    host: Host,
    extend: impl Fn(u32) -> u32,
) -> bool {
    let (region, base, consecutive) =
        match placed::<W, FULL>(memory, at, active, BYTES as u32, false, port) {
            Placed::Consecutive(region, first) => (region, first, true),
            Placed::Spread(region, base) => (region, base, false),
            Placed::Unknown => return false,
        };
    // Of memory that is the host's own, only what the wave accesses may be read.
    if consecutive
        && (FULL || region.is_owned())
        && region.holds(base, (W * BYTES) as u64)
        && load_all::<BYTES, W>(region, region.offset(base), values, host)
    {
        for value in values.iter_mut() {
            *value = extend(*value);
        }
        return true;
    }
    let memory = region.memory_from(base);
    for_each(active, |lane| {
        let ahead = if consecutive {
            (lane * BYTES) as u32
        } else {
            at.low(lane)
        };
        // SAFETY: `placed` has found active lanes inside the region, aligned to their size.
        let raw = unsafe {
            match BYTES {
                1 => u32::from(memory.byte(ahead).load(Relaxed)),
                _ => u32::from(memory.short(ahead).load(Relaxed)),
            }
        };
        values[lane] = extend(raw);
    });
    true
}

/// Loads consecutive lanes of which the region holds all, those that are off too; `false` where its ends do
/// not let whole words be read.
#[inline(always)]
fn load_all<const BYTES: usize, const W: usize>(
    region: &Region,
    offset: usize,
    values: &mut [u32; W],
    host: Host,
) -> bool {
    let words = &region.words()[offset / 8..];
    #[cfg(target_arch = "x86_64")]
    if host.has_avx() && offset.is_multiple_of(16) {
        let lines = words[..W * BYTES / 8].as_chunks::<2>().0;
        for (to, from) in values.chunks_exact_mut(16 / BYTES).zip(lines) {
            // SAFETY: the host has AVX, and `offset` is that of a line.
            let bytes = line::bytes(unsafe { line::load(from.as_ptr()) });
            for (lane, to) in to.iter_mut().enumerate() {
                *to = match BYTES {
                    1 => bytes[lane].into(),
                    _ => u16::from_le_bytes([bytes[2 * lane], bytes[2 * lane + 1]]).into(),
                };
            }
        }
        return true;
    }
    let _ = host;
    let shift = offset % 8 * 8;
    // The words at the ends of memory that is the host's own may not be read whole.
    if shift != 0 && !region.is_owned() {
        return false;
    }
    let mut low = words[0].load(Relaxed);
    for (n, to) in values.chunks_exact_mut(8 / BYTES).enumerate() {
        let mut word = low >> shift;
        // Of the last word nothing is wanted where the lanes are words themselves.
        if shift != 0 || n + 1 < W * BYTES / 8 {
            low = words[n + 1].load(Relaxed);
        }
        if shift != 0 {
            word |= low << (64 - shift);
        }
        for (lane, to) in to.iter_mut().enumerate() {
            let part = word >> (8 * BYTES * lane);
            *to = match BYTES {
                1 => (part as u8).into(),
                _ => (part as u16).into(),
            };
        }
    }
    true
}

#[inline(always)]
fn store<const BYTES: usize, const W: usize, const FULL: bool>(
    memory: &GlobalMemory,
    at: impl LaneAddresses<W>,
    active: &Active<FULL, W>,
    values: &[u32; W],
    port: &mut Port,
    host: Host,
) -> bool {
    let (region, base, consecutive) =
        match placed::<W, FULL>(memory, at, active, BYTES as u32, true, port) {
            Placed::Consecutive(region, first) => (region, first, true),
            Placed::Spread(region, base) => (region, base, false),
            Placed::Unknown => return false,
        };
    if FULL && consecutive {
        store_all::<BYTES, W>(region, region.offset(base), values, host);
        return true;
    }
    let memory = region.memory_from(base);
    for_each(active, |lane| {
        let ahead = if consecutive {
            (lane * BYTES) as u32
        } else {
            at.low(lane)
        };
        // SAFETY: as in `load`.
        unsafe {
            match BYTES {
                1 => memory.byte(ahead).store(values[lane] as u8, Relaxed),
                _ => memory.short(ahead).store(values[lane] as u16, Relaxed),
            }
        }
    });
    true
}

/// Stores consecutive lanes.
#[inline(always)]
fn store_all<const BYTES: usize, const W: usize>(
    region: &Region,
    offset: usize,
    values: &[u32; W],
    host: Host,
) {
    #[cfg(target_arch = "x86_64")]
    if host.has_avx() && offset.is_multiple_of(16) {
        let lines = region.words()[offset / 8..][..W * BYTES / 8]
            .as_chunks::<2>()
            .0;
        for (from, to) in values.chunks_exact(16 / BYTES).zip(lines) {
            let mut bytes = [0; 16];
            for (lane, value) in from.iter().enumerate() {
                bytes[lane * BYTES..][..BYTES].copy_from_slice(&value.to_le_bytes()[..BYTES]);
            }
            // SAFETY: the host has AVX, and `offset` is that of a line.
            unsafe { line::store(to.as_ptr(), line::of_bytes(bytes)) };
        }
        return;
    }
    let _ = host;
    let mut bytes = [0; 128];
    for (to, value) in bytes.chunks_exact_mut(BYTES).zip(values) {
        to.copy_from_slice(&value.to_le_bytes()[..BYTES]);
    }
    region.copy_in(offset, &bytes[..W * BYTES]);
}

/// Loads a byte or a short a lane into `flat`; gives whether it could.
pub(super) struct LoadSmall<'a> {
    pub(super) memory: &'a GlobalMemory,
    pub(super) lanes: Lanes<'a, u64>,
    pub(super) element: Element,
    pub(super) flat: &'a mut [u32],
    pub(super) port: &'a mut Port,
}

impl WaveLoop for LoadSmall<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.lanes.addresses.len()
    }

    #[inline(always)]
    fn lanes<const W: usize>(self, host: Host) -> bool {
        let (Some(at), Some(register)) = (
            self.lanes.addresses.first_chunk::<W>(),
            self.flat.first_chunk_mut::<W>(),
        ) else {
            return false;
        };
        let (element, mut values) = (self.element, [0; W]);
        let active = Active::<false, W>::new(self.lanes.exec);
        let done = self
            .memory
            .load_small_whole(at, &active, element, &mut values, self.port, host);
        if done {
            for (lane, (old, &value)) in register.iter_mut().zip(&values).enumerate() {
                *old = active.choose(lane, value, *old);
            }
        }
        done
    }
}

/// Stores a byte or a short a lane from `flat`; gives whether it could.
pub(super) struct StoreSmall<'a> {
    pub(super) memory: &'a GlobalMemory,
    pub(super) lanes: Lanes<'a, u64>,
    pub(super) element: Element,
    pub(super) flat: &'a [u32],
    pub(super) port: &'a mut Port,
}

impl WaveLoop for StoreSmall<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.lanes.addresses.len()
    }

    #[inline(always)]
    fn lanes<const W: usize>(self, host: Host) -> bool {
        let (Some(at), Some(values)) = (
            self.lanes.addresses.first_chunk::<W>(),
            self.flat.first_chunk::<W>(),
        ) else {
            return false;
        };
        let (element, exec) = (self.element, self.lanes.exec);
        if self.lanes.is_full() {
            let all = Active::<true, W>::new(exec);
            self.memory
                .store_small_whole(at, &all, element, values, self.port, host)
        } else {
            let some = Active::<false, W>::new(exec);
            self.memory
                .store_small_whole(at, &some, element, values, self.port, host)
        }
    }
}
