//! Lanes of any alignment that all lie in one region: one check of all lanes, then a careful move for each.

use super::region::Region;
use super::{GlobalMemory, Permission, RegionHint};
use crate::access::{Bits, Lanes};
use crate::wide::{Host, WaveLoop};

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
        // The sign of `last - offset` or of `offset` itself shows an offset past the last start. Sizes
        // are below 2^63: the host has allocated them. An inactive lane counts as the region's first byte.
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
