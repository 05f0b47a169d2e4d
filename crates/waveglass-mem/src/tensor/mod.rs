//! The tensor data mover's descriptor, D# (CDNA 5 ISA 10.11), and the tiles that it moves.
//!
//! A D# is 20 SGPRs in four groups. [`TensorDescriptor::decode`] takes them apart;
//! [`TensorDescriptor::load`] moves a tile from global memory to LDS, [`TensorDescriptor::store`] one from
//! LDS to global memory.
//!
//! # Fields
//!
//! Bit positions within a group, as in tables 62 to 67 of CDNA 5 ISA 10.11.4. The codes that the tables'
//! columns do not spell out are the ones that AMD's software writes: HIP's `amd_gfx1250_TDM.h` (the fields),
//! Composable Kernel's `amd_tdm_descriptor.hpp` and Triton's `TDMUtility.cpp` (padding, barrier, gather), MLIR's
//! `AMDGPUToROCDL.cpp` (iteration).
//!
//! | group, bits | field | code |
//! |---|---|---|
//! | 0, 1:0 | `count` | 1: one tile; 0: nothing moves and no barrier is told |
//! | 0, 30; 31 | gather index size; gather mode | 32-bit row indices; groups 2 and 3 are row indices |
//! | 0, 63:32; 120:64 | `lds_addr`; `global_addr` | bytes |
//! | 1, 17:16 | `data_size` | log2 of an element's bytes |
//! | 1, 18; 47:32 | `atomic_barrier_enable`; `_address` | bits 18:3 of the barrier's LDS address |
//! | 1, 24:22 | `pad_interval` | 2^(n + 1) dwords are written, then |
//! | 1, 31:25 | `pad_amount` | n + 1 dwords are left out |
//! | 2, 63:32; 111:64; 127:112 | with `iterate_enable`: `lds_addr_increment`, `global_addr_increment`, `iterate_count` | elements, elements, one less than the times |
//!
//! # Readings
//!
//! * "pad_amount and pad_interval must both be zero, or must both be non-zero" (10.11.2) is taken to be of the
//!   amounts, which `pad_enable` makes zero: the codes 0 mean two dwords and one, and compilers write them.
//! * The count of bytes since the last gap goes on from one line of the tile to the next, as in the listing of
//!   10.11.2; each iteration starts again with zero.
//! * Each iteration's tile is checked against the same `tensor_dim`s from its own start.
//! * 16-bit row indices lie two to a dword throughout (table 67 prints other bits for indices 12 and 13).
//! * A store drops the elements past the tensor without reading LDS for them, so that they may lie past the
//!   allocation: Triton stores padded rows that way. Other elements past the allocation are a violation, and are
//!   neither written to LDS nor stored.
//! * `workgroup_mask` and `early_timeout` are of clusters of workgroups, which there are not here: cluster loads
//!   are "downgraded to global loads" outside a cluster (10.7).
//! * Of group 0, `nv`, `scope` and `th` are read in a context restore only, and say nothing of the data.
//!
//! What stays open is refused by the name of its field: `decode` says which.

mod transfer;

pub use transfer::TensorBytes;

use crate::fault::Access;

/// The four groups of SGPRs: 4, 8, 4 and 4 of them. A group that an instruction does not have is zero
/// (10.11.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TensorGroups {
    /// Group 0: addresses.
    pub group0: [u32; 4],
    /// Group 1: what to do, and two dimensions.
    pub group1: [u32; 8],
    /// Group 2: the third and fourth dimension, or iteration, or row indices.
    pub group2: [u32; 4],
    /// Group 3: the fifth dimension, or row indices.
    pub group3: [u32; 4],
}

/// Gaps that a load leaves in LDS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorPadding {
    /// Bytes that are written between two gaps.
    pub interval: u32,
    /// Bytes of a gap.
    pub amount: u32,
}

/// A tile that is moved more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorIteration {
    /// How many times, 1 to 256.
    pub count: u32,
    /// Elements between the tiles' LDS addresses.
    pub lds_increment: u32,
    /// Elements between the tiles' global addresses.
    pub global_increment: u64,
}

/// A decoded D#.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorDescriptor {
    /// Where the tile starts in LDS, in bytes.
    pub lds_address: u32,
    /// Where it starts in memory.
    pub global_address: u64,
    /// Bytes of an element: 1, 2, 4 or 8.
    pub element_bytes: u32,
    /// Elements from the tile's start to the tensor's end along each dimension, the innermost first.
    pub tensor: [u32; 5],
    /// Elements of the tile along each dimension; 0 is a dimension that is not used, but of the innermost a
    /// tile without elements.
    pub tile: [u16; 5],
    /// Elements from one line to the next along the second dimension, and so on.
    pub strides: [u64; 4],
    /// Gaps in LDS.
    pub padding: Option<TensorPadding>,
    /// Iteration.
    pub iteration: Option<TensorIteration>,
    /// The rows of memory that a gather reads or a scatter writes.
    pub rows: Option<Vec<u32>>,
    /// The LDS address of the barrier that is told when all has moved.
    pub barrier: Option<u32>,
}

impl TensorDescriptor {
    /// Takes the D# of a load or a store apart; `None` is the null tensor, with which nothing happens. A store
    /// knows no padding.
    ///
    /// # Errors
    /// Names the field whose value the public descriptions leave open.
    pub fn decode(groups: &TensorGroups, access: Access) -> Result<Option<Self>, &'static str> {
        let (g0, g1) = (&groups.group0, &groups.group1);
        match g0[0] & 3 {
            0 => return Ok(None),
            1 => {}
            _ => return Err("count of the tensor descriptor is a context restore's"),
        }
        if g0[0] >> 2 & 0x103 != 0 {
            return Err(
                "is_restore, is_store or User_null of the tensor descriptor, which a program sets to zero",
            );
        }
        if g0[3] >> 30 != 2 {
            return Err("type of the tensor descriptor is not 2");
        }
        let flag = |bit: u32| g1[0] >> bit & 1 != 0;
        let gather = g0[0] >> 31 != 0;
        let mut d = Self {
            lds_address: g0[1],
            global_address: u64::from(g0[2]) | u64::from(g0[3] & 0x1ff_ffff) << 32,
            element_bytes: 1 << (g1[0] >> 16 & 3),
            tensor: [field32(g1, 48), field32(g1, 80), 0, 0, 0],
            tile: [field16(g1, 112), field16(g1, 128), field16(g1, 144), 0, 0],
            strides: [field48(g1, 160), field48(g1, 208), 0, 0],
            padding: None,
            iteration: None,
            rows: None,
            barrier: flag(18).then_some((g1[1] & 0xffff) << 3),
        };
        if d.tile[0] == 0 && d.barrier.is_some() {
            return Err("atomic_barrier_enable of a tensor descriptor whose tile_dim0 is 0");
        }
        if flag(20) && access == Access::Load {
            if !(u32::from(d.tile[0]) * d.element_bytes).is_multiple_of(4) {
                return Err(
                    "pad_enable of a tensor descriptor whose tile_dim0 is not a multiple of 4 bytes",
                );
            }
            d.padding = Some(TensorPadding {
                interval: 8 << (g1[0] >> 22 & 7),
                amount: 4 * ((g1[0] >> 25) + 1),
            });
        }
        if gather {
            d.set_rows(groups)?;
        } else {
            d.set_outer(groups, flag(19))?;
        }
        Ok(Some(d))
    }

    /// Gather mode: groups 2 and 3 are row indices, of which tile_dim1 says how many count (10.11.3.2).
    fn set_rows(&mut self, groups: &TensorGroups) -> Result<(), &'static str> {
        let dwords = groups.group2.into_iter().chain(groups.group3);
        let mut rows: Vec<u32> = if groups.group0[0] >> 30 & 1 != 0 {
            dwords.collect()
        } else {
            dwords.flat_map(|d| [d & 0xffff, d >> 16]).collect()
        };
        let count = usize::from(self.tile[1]);
        if count > rows.len() {
            return Err("tile_dim1 of the tensor descriptor counts more rows than it has indices");
        }
        rows.truncate(count);
        let outside = rows.iter().any(|&row| row >= self.tensor[1]);
        if outside && !rows.is_sorted() {
            return Err(
                "row indices of the tensor descriptor that are out of bounds and not in ascending order",
            );
        }
        (self.tile[2], self.strides[1]) = (0, 0);
        self.rows = Some(rows);
        Ok(())
    }

    /// The dimensions past the second, or iteration in place of the fourth.
    fn set_outer(&mut self, groups: &TensorGroups, iterates: bool) -> Result<(), &'static str> {
        let (g2, g3) = (&groups.group2, &groups.group3);
        self.tensor[2] = g2[0];
        self.tile[4] = field16(g3, 80);
        if iterates {
            if self.tile[4] != 0 {
                return Err("iterate_enable of a tensor descriptor of five dimensions");
            }
            let count = u32::from(field16(g2, 112)) + 1;
            if count > 256 {
                return Err("iterate_count of the tensor descriptor is over 255");
            }
            self.iteration = Some(TensorIteration {
                count,
                lds_increment: g2[1],
                global_increment: field48(g2, 64),
            });
            return Ok(());
        }
        (self.tensor[3], self.tensor[4]) = (g2[1], field32(g3, 48));
        self.tile[3] = field16(g2, 112);
        (self.strides[2], self.strides[3]) = (field48(g2, 64), field48(g3, 0));
        Ok(())
    }
}

/// 16 bits of a group, from `bit` on, within a dword.
fn field16(group: &[u32], bit: usize) -> u16 {
    (group[bit / 32] >> (bit % 32)) as u16
}

/// 32 bits of a group, from `bit` on, a multiple of 16.
fn field32(group: &[u32], bit: usize) -> u32 {
    u32::from(field16(group, bit)) | u32::from(field16(group, bit + 16)) << 16
}

/// 48 bits of a group, from `bit` on, a multiple of 16.
fn field48(group: &[u32], bit: usize) -> u64 {
    u64::from(field32(group, bit)) | u64::from(field16(group, bit + 32)) << 32
}

#[cfg(test)]
mod tests;
