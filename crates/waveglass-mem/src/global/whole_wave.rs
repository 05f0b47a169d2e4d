//! Loads and stores of a full wave whose lanes all lie in one region: one check, then a copy where the
//! addresses are consecutive, else a move for each lane.

use std::sync::atomic::Ordering::Relaxed;

use super::consecutive::{copy_in, copy_out};
use super::region::{Memory, Region};
#[cfg(target_arch = "x86_64")]
use super::tile;
use super::{GlobalMemory, Permission, RegionHint};
use crate::access::{Bits, Lanes, Port};
use crate::addresses::LaneAddresses;
use crate::rules::AlignmentMode;
use crate::wide::{Host, WaveLoop};

impl GlobalMemory {
    /// Loads `N` dwords for every lane of a full wave whose lanes all lie in one region; gives `false`,
    /// with nothing done, if they do not, if addresses in registers are not below 2^46 and so not plainly
    /// global, or if the alignment mode wants a closer look. [`GlobalMemory::load`] then does.
    ///
    /// For handlers that are themselves [`LaneLoop`](crate::wide::LaneLoop)s, into which it is inlined.
    #[inline(always)]
    pub fn load_whole<const N: usize, const W: usize>(
        &self,
        at: impl LaneAddresses<W>,
        registers: &mut [[u32; W]; N],
        port: &mut Port,
        host: Host,
    ) -> bool {
        match placed::<N, W>(self, at, port.rules.alignment, &mut port.hint, false) {
            Placed::Consecutive(region, offset) => copy_out(region, offset, registers, host),
            Placed::Spread(region) => gather(region, at, registers, host),
            Placed::Unknown => return false,
        }
        true
    }

    /// [`GlobalMemory::load_whole`]'s counterpart.
    #[inline(always)]
    pub fn store_whole<const N: usize, const W: usize>(
        &self,
        at: impl LaneAddresses<W>,
        registers: &[[u32; W]; N],
        port: &mut Port,
        host: Host,
    ) -> bool {
        match placed::<N, W>(self, at, port.rules.alignment, &mut port.store_hint, true) {
            Placed::Consecutive(region, offset) => copy_in(region, offset, registers, host),
            Placed::Spread(region) => scatter(region, at, registers, host),
            Placed::Unknown => return false,
        }
        true
    }
}

/// Loads `N` dwords a lane into `flat`, register after register; gives whether it could.
pub(super) struct Load<'a, const N: usize> {
    pub(super) memory: &'a GlobalMemory,
    pub(super) lanes: Lanes<'a, u64>,
    pub(super) flat: &'a mut [u32],
    pub(super) port: &'a mut Port,
}

impl<const N: usize> WaveLoop for Load<'_, N> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.lanes.addresses.len()
    }

    #[inline(always)]
    fn lanes<const W: usize>(self, host: Host) -> bool {
        let (Some(addresses), Some(registers)) = (
            self.lanes.addresses.first_chunk::<W>(),
            self.flat.as_chunks_mut::<W>().0.first_chunk_mut::<N>(),
        ) else {
            return false;
        };
        self.memory
            .load_whole(addresses, registers, self.port, host)
    }
}

/// Stores `N` dwords a lane from `flat`, register after register; gives whether it could.
pub(super) struct Store<'a, const N: usize> {
    pub(super) memory: &'a GlobalMemory,
    pub(super) lanes: Lanes<'a, u64>,
    pub(super) flat: &'a [u32],
    pub(super) port: &'a mut Port,
}

impl<const N: usize> WaveLoop for Store<'_, N> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.lanes.addresses.len()
    }

    #[inline(always)]
    fn lanes<const W: usize>(self, host: Host) -> bool {
        let (Some(addresses), Some(registers)) = (
            self.lanes.addresses.first_chunk::<W>(),
            self.flat.as_chunks::<W>().0.first_chunk::<N>(),
        ) else {
            return false;
        };
        self.memory
            .store_whole(addresses, registers, self.port, host)
    }
}

/// Hands each active lane's offset in the one region that wholly holds all their accesses of `bytes`
/// bytes, of any alignment, to `each`, the lowest lane first; gives `false`, with nothing done, where there
/// is no such region.
pub(super) struct OneRegion<'a, F> {
    pub(super) memory: &'a GlobalMemory,
    pub(super) lanes: Lanes<'a, u64>,
    pub(super) bytes: u64,
    pub(super) hint: &'a mut RegionHint,
    pub(super) writes: bool,
    pub(super) each: F,
}

impl<F: FnMut(&Region, usize, usize)> WaveLoop for OneRegion<'_, F> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.lanes.addresses.len()
    }

    #[inline(always)]
    fn lanes<const W: usize>(mut self, _: Host) -> bool {
        let (exec, bytes) = (self.lanes.exec, self.bytes);
        let Some(addresses) = self.lanes.addresses.first_chunk::<W>() else {
            return false;
        };
        let first = addresses[exec.trailing_zeros() as usize % W];
        let Some(region) = self.memory.find(first, bytes, self.hint) else {
            return false;
        };
        if self.writes && region.permission != Permission::ReadWrite {
            return false;
        }
        let Some(last) = region.size.checked_sub(bytes) else {
            return false;
        };
        // As in `holds`; an inactive lane counts as the region's first byte.
        let mut past = 0;
        for (lane, &address) in addresses.iter().enumerate() {
            let on = 0u64.wrapping_sub(exec >> lane & 1);
            let offset = address.wrapping_sub(region.base) & on;
            past |= last.wrapping_sub(offset) | offset;
        }
        if past >> 63 != 0 {
            return false;
        }
        if self.lanes.is_full() {
            for (lane, &address) in addresses.iter().enumerate() {
                (self.each)(region, region.offset(address), lane);
            }
        } else {
            for lane in Bits(exec) {
                let lane = lane % W;
                (self.each)(region, region.offset(addresses[lane]), lane);
            }
        }
        true
    }
}

/// How the lanes' accesses lie.
enum Placed<'a> {
    /// One after the other, dword-aligned, in this region from this offset on.
    Consecutive(&'a Region, usize),
    /// Each wholly in this region, and aligned so that no access that hardware makes at once tears:
    /// to 8 bytes where the size is a multiple of that, else to 4.
    Spread(&'a Region),
    /// Otherwise, or nothing is known.
    Unknown,
}

/// Finds out how accesses of `N` dwords lie.
#[inline(always)]
fn placed<'a, const N: usize, const W: usize>(
    memory: &'a GlobalMemory,
    at: impl LaneAddresses<W>,
    mode: AlignmentMode,
    hint: &mut RegionHint,
    writes: bool,
) -> Placed<'a> {
    let bytes = 4 * N as u64;
    let first = at.address(0);
    // The first lane says which region it may be.
    let Some(region) = memory.find(first, bytes, hint) else {
        return Placed::Unknown;
    };
    if writes && region.permission != Permission::ReadWrite || !holds(region, at, bytes) {
        return Placed::Unknown;
    }
    let lane_of = |lane: usize| first.wrapping_add(lane as u64 * bytes);
    // The last lane tells most scattered accesses apart, without a look at the others.
    let mut differing = first & 3 | at.address(W - 1) ^ lane_of(W - 1);
    if differing == 0 {
        for lane in 0..W {
            differing |= at.address(lane) ^ lane_of(lane);
        }
    }
    if differing == 0 {
        // Every lane is as aligned as the first: where a mode wants more than a dword, the step is a
        // multiple of it.
        if mode != AlignmentMode::Unaligned && mode.align(first, bytes as u32) != Some(first) {
            return Placed::Unknown;
        }
        return Placed::Consecutive(region, region.offset(first));
    }
    let mut low = 0;
    for lane in 0..W {
        low |= at.address(lane);
    }
    let grain = if bytes.is_multiple_of(8) { 8 } else { 4 };
    if mode != AlignmentMode::Unaligned || low & (grain - 1) != 0 {
        return Placed::Unknown;
    }
    Placed::Spread(region)
}

/// Whether a region holds `bytes` bytes at every address, and those that nobody has classified are plainly
/// global.
#[inline(always)]
fn holds<const W: usize, A: LaneAddresses<W>>(region: &Region, at: A, bytes: u64) -> bool {
    let Some(last) = region.size.checked_sub(bytes) else {
        return false;
    };
    // The sign of `last - offset` or of `offset` itself shows an offset past the last start. Sizes
    // are below 2^63: the host has allocated them.
    let (mut past, mut bits) = (0, 0);
    for lane in 0..W {
        let address = at.address(lane);
        let offset = address.wrapping_sub(region.base);
        past |= last.wrapping_sub(offset) | offset;
        bits |= address | at.base(lane);
    }
    let plain = !A::UNCLASSIFIED || bits >> 46 == 0;
    past >> 63 == 0 && plain
}

/// Offsets in a region's memory of lanes that the region holds.
#[derive(Clone, Copy)]
struct Offsets<'a, A> {
    at: A,
    memory: Memory<'a>,
}

impl<A> Offsets<'_, A> {
    /// The lane's offset; `NARROW` says that the region's memory has no more than 4 GiB, so that the low halves
    /// of addresses are enough.
    #[inline(always)]
    fn of<const NARROW: bool, const W: usize>(self, lane: usize) -> usize
    where
        A: LaneAddresses<W>,
    {
        let offset = self.memory.offset(self.at.address(lane));
        if NARROW {
            offset as u32 as usize
        } else {
            offset
        }
    }
}

/// Loads lanes that lie as [`Placed::Spread`] says.
#[inline(always)]
fn gather<const N: usize, const W: usize>(
    region: &Region,
    at: impl LaneAddresses<W>,
    registers: &mut [[u32; W]; N],
    host: Host,
) {
    #[cfg(target_arch = "x86_64")]
    if N == 1 && host.has_avx() && tile::may_be_rows(at) {
        // SAFETY: builds with AVX have AVX2.
        if unsafe { tile::load_rows(region, at, &mut registers[0]) } {
            return;
        }
    }
    let _ = host;
    if region.is_narrow() {
        gather_each::<true, N, W>(region.memory(), at, registers);
    } else {
        gather_each::<false, N, W>(region.memory(), at, registers);
    }
}

#[inline(always)]
fn gather_each<const NARROW: bool, const N: usize, const W: usize>(
    memory: Memory<'_>,
    at: impl LaneAddresses<W>,
    registers: &mut [[u32; W]; N],
) {
    let offsets = Offsets { at, memory };
    for lane in 0..W {
        let offset = offsets.of::<NARROW, W>(lane);
        if N.is_multiple_of(2) {
            for k in 0..N / 2 {
                // SAFETY: `placed` has found the lane's `N` dwords inside the region, aligned to 8.
                let word = unsafe { memory.word_at(offset + 8 * k) }.load(Relaxed);
                registers[2 * k][lane] = word as u32;
                registers[2 * k + 1][lane] = (word >> 32) as u32;
            }
        } else {
            for (d, register) in registers.iter_mut().enumerate() {
                // SAFETY: `placed` has found the lane's `N` dwords inside the region, aligned to 4.
                register[lane] = unsafe { memory.dword_at(offset + 4 * d) }.load(Relaxed);
            }
        }
    }
}

/// Stores lanes that lie as [`Placed::Spread`] says, the lowest first.
#[inline(always)]
fn scatter<const N: usize, const W: usize>(
    region: &Region,
    at: impl LaneAddresses<W>,
    registers: &[[u32; W]; N],
    host: Host,
) {
    #[cfg(target_arch = "x86_64")]
    if N == 1 && host.has_avx() && tile::may_be_rows(at) {
        // SAFETY: builds with AVX have AVX2.
        if unsafe { tile::store_rows(region, at, &registers[0]) } {
            return;
        }
    }
    let _ = host;
    if region.is_narrow() {
        scatter_each::<true, N, W>(region.memory(), at, registers);
    } else {
        scatter_each::<false, N, W>(region.memory(), at, registers);
    }
}

#[inline(always)]
fn scatter_each<const NARROW: bool, const N: usize, const W: usize>(
    memory: Memory<'_>,
    at: impl LaneAddresses<W>,
    registers: &[[u32; W]; N],
) {
    let offsets = Offsets { at, memory };
    for lane in 0..W {
        let offset = offsets.of::<NARROW, W>(lane);
        if N.is_multiple_of(2) {
            for k in 0..N / 2 {
                let (low, high) = (registers[2 * k][lane], registers[2 * k + 1][lane]);
                let word = u64::from(low) | u64::from(high) << 32;
                // SAFETY: as in `gather_each`.
                unsafe { memory.word_at(offset + 8 * k) }.store(word, Relaxed);
            }
        } else {
            for (d, register) in registers.iter().enumerate() {
                // SAFETY: as in `gather_each`.
                unsafe { memory.dword_at(offset + 4 * d) }.store(register[lane], Relaxed);
            }
        }
    }
}

#[cfg(test)]
#[path = "whole_wave_tests.rs"]
mod tests;
