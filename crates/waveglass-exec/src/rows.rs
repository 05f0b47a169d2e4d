//! Storage of vector registers.

use std::ops::{Deref, DerefMut};

/// Lanes in a row of a vector register: a wave32 register is one row, a wave64 register two.
pub const ROW_LANES: usize = 32;

/// Two cache lines. The alignment keeps the host's vector loads and stores from straddling a line,
/// which costs a plain vector instruction about a third of its speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Line([u32; 16]);

/// Rows of lanes, aligned to cache lines; a slice of rows to all who use it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows(Vec<[Line; 2]>);

impl Rows {
    /// So many rows of zeros.
    pub fn new(rows: usize) -> Self {
        Self(vec![[Line::default(); 2]; rows])
    }
}

impl Deref for Rows {
    type Target = [[u32; ROW_LANES]];

    #[inline]
    fn deref(&self) -> &Self::Target {
        bytemuck::cast_slice(&self.0)
    }
}

impl DerefMut for Rows {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_start_at_cache_lines_and_hold_their_lanes() {
        for n in 1..9 {
            let mut rows = Rows::new(n);
            assert_eq!(rows.len(), n);
            assert_eq!(rows.as_ptr() as usize % 64, 0);
            rows[n - 1][31] = 7;
            assert_eq!(rows.as_flattened()[n * 32 - 1], 7);
        }
    }
}
