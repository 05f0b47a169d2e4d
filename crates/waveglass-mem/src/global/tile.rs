//! Rows of a tile: scattered accesses of which each sixteen lanes lie one after the other, as those to rows
//! of a matrix do, move in lines.
//!
//! The moves are not inlined: what is scattered otherwise is slower with them in its midst.

use super::line;
use super::region::Region;
use crate::addresses::LaneAddresses;

/// Lanes of a row.
const TILE: usize = 16;

/// Whether the first sixteen lanes may be a row: the last of them tells most other accesses apart.
#[inline(always)]
pub(super) fn may_be_rows<const W: usize>(at: impl LaneAddresses<W>) -> bool {
    at.low(TILE - 1) == at.low(0).wrapping_add(4 * (TILE as u32 - 1))
}

/// Whether each sixteen dwords lie one after the other in whole lines.
#[inline(always)]
fn are_rows<const W: usize>(region: &Region, base: u64, at: impl LaneAddresses<W>) -> bool {
    let origin = region.offset(base) as u32;
    let mut differing = 0;
    for row in (0..W).step_by(TILE) {
        let first = at.low(row);
        differing |= first.wrapping_add(origin) & 15;
        // A row does not go on past 2^32.
        differing |= u32::from(first > u32::MAX - 4 * TILE as u32);
        for lane in 0..TILE {
            differing |= at.low(row + lane) ^ first.wrapping_add(4 * lane as u32);
        }
    }
    differing == 0
}

/// Loads rows that the region holds; gives `false`, with nothing done, if any sixteen lanes are none.
#[inline(never)]
#[target_feature(enable = "avx2")]
pub(super) fn load_rows<const W: usize>(
    region: &Region,
    base: u64,
    at: impl LaneAddresses<W>,
    register: &mut [u32; W],
) -> bool {
    if !are_rows(region, base, at) {
        return false;
    }
    let words = region.words();
    for (n, row) in register.as_chunks_mut::<TILE>().0.iter_mut().enumerate() {
        let first = region.offset(base.wrapping_add(at.low(n * TILE).into())) / 8;
        let lines = words[first..][..TILE / 2].as_chunks::<2>().0;
        for (to, from) in row.as_chunks_mut::<4>().0.iter_mut().zip(lines) {
            // SAFETY: this build has AVX; `are_rows` gives whole lines, to which the region's memory is
            // aligned.
            *to = line::dwords(unsafe { line::load(from.as_ptr()) });
        }
    }
    true
}

/// [`load_rows`]'s counterpart.
#[inline(never)]
#[target_feature(enable = "avx2")]
pub(super) fn store_rows<const W: usize>(
    region: &Region,
    base: u64,
    at: impl LaneAddresses<W>,
    register: &[u32; W],
) -> bool {
    if !are_rows(region, base, at) {
        return false;
    }
    let words = region.words();
    for (n, row) in register.as_chunks::<TILE>().0.iter().enumerate() {
        let first = region.offset(base.wrapping_add(at.low(n * TILE).into())) / 8;
        let lines = words[first..][..TILE / 2].as_chunks::<2>().0;
        for (from, to) in row.as_chunks::<4>().0.iter().zip(lines) {
            // SAFETY: as in `load_rows`.
            unsafe { line::store(to.as_ptr(), line::vector(*from)) };
        }
    }
    true
}
