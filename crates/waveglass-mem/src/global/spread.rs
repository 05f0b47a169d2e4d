//! Lanes whose accesses are scattered over a region: a move for each.

use std::sync::atomic::Ordering::Relaxed;

use super::region::{Memory, Region};
#[cfg(target_arch = "x86_64")]
use super::tile;
use crate::access::Bits;
use crate::addresses::{Active, LaneAddresses};
use crate::wide::Host;

/// Loads `N` dwords a lane.
///
/// # Safety
/// The active lanes lie as [`Placed::Spread`](super::whole_wave::Placed) says.
#[inline(always)]
pub(super) unsafe fn load<const N: usize, const W: usize, const FULL: bool>(
    region: &Region,
    base: u64,
    at: impl LaneAddresses<W>,
    active: &Active<FULL, W>,
    registers: &mut [[u32; W]; N],
    host: Host,
) {
    #[cfg(target_arch = "x86_64")]
    if FULL && N == 1 && host.has_avx() && tile::may_be_rows(at) {
        // SAFETY: builds with AVX have AVX2.
        if unsafe { tile::load_rows(region, base, at, &mut registers[0]) } {
            return;
        }
    }
    let _ = host;
    let memory = region.memory_from(base);
    for_each(active, |lane| {
        // SAFETY: the caller vouches for active lanes.
        unsafe { load_lane(memory, at.low(lane), lane, registers) };
    });
}

/// Stores `N` dwords a lane, the lowest lane first.
///
/// # Safety
/// As for [`load`].
#[inline(always)]
pub(super) unsafe fn store<const N: usize, const W: usize, const FULL: bool>(
    region: &Region,
    base: u64,
    at: impl LaneAddresses<W>,
    active: &Active<FULL, W>,
    registers: &[[u32; W]; N],
    host: Host,
) {
    #[cfg(target_arch = "x86_64")]
    if FULL && N == 1 && host.has_avx() && tile::may_be_rows(at) {
        // SAFETY: builds with AVX have AVX2.
        if unsafe { tile::store_rows(region, base, at, &registers[0]) } {
            return;
        }
    }
    let _ = host;
    let memory = region.memory_from(base);
    for_each(active, |lane| {
        // SAFETY: the caller vouches for active lanes.
        unsafe { store_lane(memory, at.low(lane), lane, registers) };
    });
}

/// Calls `each` with the active lanes, the lowest first.
#[inline(always)]
pub(super) fn for_each<const W: usize, const FULL: bool>(
    active: &Active<FULL, W>,
    mut each: impl FnMut(usize),
) {
    if FULL {
        for lane in 0..W {
            each(lane);
        }
    } else {
        for lane in Bits(active.exec()) {
            each(lane % W);
        }
    }
}

/// Loads a lane's dwords from `ahead` on.
///
/// # Safety
/// They lie in the region, aligned to 8 where `N` is even, else to 4.
#[inline(always)]
pub(super) unsafe fn load_lane<const N: usize, const W: usize>(
    memory: Memory<'_>,
    ahead: u32,
    lane: usize,
    registers: &mut [[u32; W]; N],
) {
    if N.is_multiple_of(2) {
        for k in 0..N / 2 {
            // SAFETY: the caller vouches for it.
            let word = unsafe { memory.ahead(8 * k).word(ahead) }.load(Relaxed);
            registers[2 * k][lane] = word as u32;
            registers[2 * k + 1][lane] = (word >> 32) as u32;
        }
    } else {
        for (d, register) in registers.iter_mut().enumerate() {
            // SAFETY: the caller vouches for it.
            register[lane] = unsafe { memory.ahead(4 * d).dword(ahead) }.load(Relaxed);
        }
    }
}

/// [`load_lane`]'s counterpart.
///
/// # Safety
/// As for [`load_lane`].
#[inline(always)]
pub(super) unsafe fn store_lane<const N: usize, const W: usize>(
    memory: Memory<'_>,
    ahead: u32,
    lane: usize,
    registers: &[[u32; W]; N],
) {
    if N.is_multiple_of(2) {
        for k in 0..N / 2 {
            let (low, high) = (registers[2 * k][lane], registers[2 * k + 1][lane]);
            let word = u64::from(low) | u64::from(high) << 32;
            // SAFETY: the caller vouches for it.
            unsafe { memory.ahead(8 * k).word(ahead) }.store(word, Relaxed);
        }
    } else {
        for (d, register) in registers.iter().enumerate() {
            // SAFETY: the caller vouches for it.
            unsafe { memory.ahead(4 * d).dword(ahead) }.store(register[lane], Relaxed);
        }
    }
}
