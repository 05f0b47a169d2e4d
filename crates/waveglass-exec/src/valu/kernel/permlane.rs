//! Moves of lanes within and between rows of sixteen.

use super::BLOCK;
use super::lane::{block, set_block};
use crate::valu::simd::permute_sixteen;
use bytemuck::must_cast as cast;

/// Gathers in every row of sixteen lanes: `select` has four bits a lane, the number of the lane that it
/// reads in its own row, or in the `other` of its pair of rows.
#[inline(always)]
pub fn permute_rows<const L: usize>(
    regs: &mut [u32],
    from: usize,
    to: usize,
    n: usize,
    select: u64,
    other: bool,
) {
    let mut index = [0; 16];
    for (k, lane) in index.iter_mut().enumerate() {
        let half = if k < 8 { select } else { select >> 32 } as u32;
        *lane = half >> (4 * (k % 8));
    }
    let mut i = 0;
    while i < n {
        let [first, second]: [[u32; 16]; 2] = cast(block(regs, from + i));
        let [first, second] = if other {
            [second, first]
        } else {
            [first, second]
        };
        let rows: [u32; BLOCK] = cast([
            permute_sixteen::<L>(first, index),
            permute_sixteen::<L>(second, index),
        ]);
        set_block(regs, to + i, rows);
        i += BLOCK;
    }
}
