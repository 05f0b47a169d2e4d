//! Loads and stores of a wave whose lanes all lie in one region: one check of all lanes, then bulk moves
//! where the addresses are consecutive, else a move for each lane.

use super::consecutive;
use super::region::Region;
use super::spread;
use super::{GlobalMemory, Permission};
use crate::access::{Lanes, Port};
use crate::addresses::{Active, Common, LaneAddresses};
use crate::rules::AlignmentMode;
use crate::wide::{Host, WaveLoop};

impl GlobalMemory {
    /// Loads `N` dwords for every active lane of a wave whose active lanes all lie in one region; gives
    /// `false`, with nothing done, if they do not, if addresses in registers are not below 2^46 and so not
    /// plainly global, or if the alignment mode wants a closer look. [`GlobalMemory::load`] then does.
    ///
    /// For handlers that are themselves [`LaneLoop`](crate::wide::LaneLoop)s, into which it is inlined.
    #[inline(always)]
    pub fn load_whole<const N: usize, const W: usize, const FULL: bool>(
        &self,
        at: impl LaneAddresses<W>,
        active: &Active<FULL, W>,
        registers: &mut [[u32; W]; N],
        port: &mut Port,
        host: Host,
    ) -> bool {
        match placed::<W, FULL>(self, at, active, 4 * N as u32, false, port) {
            Placed::Consecutive(region, first) => {
                consecutive::load(region, first, active, registers, host);
            }
            Placed::Spread(region, base) => {
                // SAFETY: the lanes lie as `placed` says.
                unsafe { spread::load(region, base, at, active, registers, host) };
            }
            Placed::Unknown => return false,
        }
        true
    }

    /// [`GlobalMemory::load_whole`]'s counterpart.
    #[inline(always)]
    pub fn store_whole<const N: usize, const W: usize, const FULL: bool>(
        &self,
        at: impl LaneAddresses<W>,
        active: &Active<FULL, W>,
        registers: &[[u32; W]; N],
        port: &mut Port,
        host: Host,
    ) -> bool {
        match placed::<W, FULL>(self, at, active, 4 * N as u32, true, port) {
            Placed::Consecutive(region, first) => {
                consecutive::store(region, first, active, registers, host);
            }
            Placed::Spread(region, base) => {
                // SAFETY: the lanes lie as `placed` says.
                unsafe { spread::store(region, base, at, active, registers, host) };
            }
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
        let (Some(at), Some(registers)) = (
            self.lanes.addresses.first_chunk::<W>(),
            self.flat.as_chunks_mut::<W>().0.first_chunk_mut::<N>(),
        ) else {
            return false;
        };
        let exec = self.lanes.exec;
        if self.lanes.is_full() {
            let all = Active::<true, W>::new(exec);
            self.memory.load_whole(at, &all, registers, self.port, host)
        } else {
            let some = Active::<false, W>::new(exec);
            self.memory
                .load_whole(at, &some, registers, self.port, host)
        }
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
        let (Some(at), Some(registers)) = (
            self.lanes.addresses.first_chunk::<W>(),
            self.flat.as_chunks::<W>().0.first_chunk::<N>(),
        ) else {
            return false;
        };
        let exec = self.lanes.exec;
        if self.lanes.is_full() {
            let all = Active::<true, W>::new(exec);
            self.memory
                .store_whole(at, &all, registers, self.port, host)
        } else {
            let some = Active::<false, W>::new(exec);
            self.memory
                .store_whole(at, &some, registers, self.port, host)
        }
    }
}

/// How the lanes' accesses lie.
pub(super) enum Placed<'a> {
    /// One after the other in this region, aligned to their size or at least to a dword; lane 0's, which may be
    /// off and then outside, is at this address.
    Consecutive(&'a Region, u64),
    /// Each wholly in this region, at this base and the lane's 32 bits, and aligned so that no access that
    /// hardware makes at once tears: to 8 bytes where the size is a multiple of that, else to 4, or to its size.
    Spread(&'a Region, u64),
    /// Otherwise, or nothing is known.
    Unknown,
}

/// Finds out how accesses of `bytes` bytes lie.
#[inline(always)]
pub(super) fn placed<'a, const W: usize, const FULL: bool>(
    memory: &'a GlobalMemory,
    at: impl LaneAddresses<W>,
    active: &Active<FULL, W>,
    bytes: u32,
    writes: bool,
    port: &mut Port,
) -> Placed<'a> {
    // What keeps a trace takes lane after lane.
    if port.trace.is_some() {
        return Placed::Unknown;
    }
    let mode = port.rules.alignment;
    let hint = if writes {
        &mut port.store_hint
    } else {
        &mut port.hint
    };
    let first = active.first();
    let common = at.common(first);
    let low = at.low(first);
    let address = common.base.wrapping_add(low.into());
    // The first lane says which region it may be.
    let Some(region) = memory.find(address, bytes.into(), hint) else {
        return Placed::Unknown;
    };
    if writes && region.permission != Permission::ReadWrite {
        return Placed::Unknown;
    }
    let Some((least, most)) = starts(region, common, bytes) else {
        return Placed::Unknown;
    };
    let grain = match bytes {
        1 | 2 => bytes,
        _ if bytes.is_multiple_of(8) => 8,
        _ => 4,
    };
    let (span, aligned) = (most.wrapping_sub(least), common.base as u32);
    // Conditions of single lanes, joined so that the host's vectors need no sum over lanes.
    let (mut bad, mut parts) = (false, 0);
    for lane in 0..W {
        let low = at.low(lane);
        let ahead = active.choose(lane, low.wrapping_sub(least), 0);
        let part = low.wrapping_add(aligned);
        let fit = at.strays(lane, common) | part & (grain.min(4) - 1);
        bad |= (ahead > span) | (active.choose(lane, fit, 0) != 0);
        if grain == 8 {
            parts |= active.choose(lane, part, 0);
        }
    }
    if bad {
        return Placed::Unknown;
    }
    let of_lane_0 = low.wrapping_sub(first as u32 * bytes);
    let of_lane = |lane: usize| of_lane_0.wrapping_add(lane as u32 * bytes);
    // The last lane tells most scattered accesses apart, without a look at the others.
    let last = active.last();
    let mut differing = at.low(last) ^ of_lane(last);
    if at.low(last) < low {
        // Past 2^32, addresses do not go on.
        differing = 1;
    }
    if differing == 0 {
        for lane in 0..W {
            let other = at.low(lane) ^ of_lane(lane);
            differing |= active.choose(lane, other, 0);
        }
    }
    if differing == 0 {
        // Every lane is as aligned as the first: where a mode wants more than a dword, the step is a
        // multiple of it.
        if mode != AlignmentMode::Unaligned && mode.align(address, bytes) != Some(address) {
            return Placed::Unknown;
        }
        let before = first as u64 * u64::from(bytes);
        return Placed::Consecutive(region, address.wrapping_sub(before));
    }
    if mode != AlignmentMode::Unaligned || parts & 7 != 0 {
        return Placed::Unknown;
    }
    Placed::Spread(region, common.base)
}

/// The least and the greatest of a lane's 32 bits with which an access of `bytes` bytes is in a region;
/// `None` if there are none, or if lanes may not be plainly global.
#[inline(always)]
fn starts(region: &Region, common: Common, bytes: u32) -> Option<(u32, u32)> {
    const PLAIN: u64 = 1 << 46;
    // The last address at which an access may start. A region does not reach past 2^64.
    let last = region.base + region.size.checked_sub(bytes.into())?;
    if let Some(base) = common.unclassified {
        // Lanes lie below `base` + 2^32 before the immediate, and in the region with it.
        if base >= PLAIN - (1 << 32) || last >= PLAIN {
            return None;
        }
    }
    let least = region.base.saturating_sub(common.base);
    let most = last.checked_sub(common.base)?;
    let least = u32::try_from(least).ok()?;
    let most = u32::try_from(most).unwrap_or(u32::MAX);
    (least <= most).then_some((least, most))
}

#[cfg(test)]
#[path = "whole_wave_tests.rs"]
mod tests;
