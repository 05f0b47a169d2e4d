//! Where the elements of a matrix lie in the registers of a wave.
//!
//! All of AMD's layouts have one form. A lane holds *items*, numbered from bit 0 of its first
//! register up. Within an item, consecutive lanes hold consecutive rows of A (columns of B), so
//! that a column of A or a row of B is a run of lanes; the lanes fall into *groups* of M (of N),
//! and the groups share out the K dimension: a lane holds `chunk` consecutive values of K, then
//! come the other groups' chunks, then its next chunk.
//!
//! * MFMA: one chunk a lane (CDNA3 ISA 7.1.4.1, "Input layout": `K_L`), except that the 8-bit
//!   operands of the F8F6F4 instructions and the sparse instructions that gfx950 adds have two (CDNA4 ISA 7.5.1.3).
//! * gfx11: one group; the other groups of 16 lanes repeat it (RDNA3 ISA 7.9).
//! * gfx12: one chunk a lane; in wave64 the groups' order is 0, 2, 1, 3 (RDNA4 ISA 7.12.2).
//! * gfx1250: chunks of 8 for 16-bit and 8-bit elements, of 16 or 32 for the block-scaled formats
//!   (CDNA5 ISA 7.12.2 and 7.12.6.1).
//!
//! Rows of C and D are runs of N lanes as well.
//!
//! # Where the manuals leave a choice
//!
//! * A dense product does not depend on the order of K that A and B share, so a wrong guess there
//!   would only show in the order of the sum. The RDNA4 manual's table splits K of a 16-bit B by bit
//!   2 and has lost the rows of A; both are taken as bit 3 here, as for 8 bits.
//! * A sparse A is expanded within its lane: the index of a packed value lies in the value's own
//!   lane, at the value's own place. CDNA5 ISA 7.12.3 and 7.12.4 say so in words; the pseudo-code in
//!   7.12.4 numbers lanes otherwise, which contradicts the tables of A.
//! * The sparse instructions that gfx950 adds have a printed layout of B in two halves of K and none
//!   of A. A's packed values are taken to be in the same two halves.
//! * The F8F6F4 instructions of gfx950: the manual's drawings of 8-bit operands are missing from its
//!   text; they are taken to have the two chunks of 16 that its sparse 8-bit B has.

/// How the K dimension of A or B is shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// Consecutive values of K in a lane.
    pub chunk: usize,
    /// Groups of lanes that share K.
    pub groups: usize,
    /// The groups' order is 0, 2, 1, 3.
    pub swapped: bool,
}

impl Input {
    /// The value of K at an item of a group's lanes.
    pub const fn k(self, item: usize, group: usize) -> usize {
        let group = if self.swapped {
            (group & 1) * 2 + (group >> 1)
        } else {
            group
        };
        item % self.chunk + self.chunk * (group + self.groups * (item / self.chunk))
    }
}

/// Where the rows of C and D lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// CDNA3 ISA 7.1.4.2 with this group height H.
    Mfma(usize),
    /// RDNA3 ISA 7.9: rows alternate between the groups of lanes.
    Alternating,
    /// RDNA4 ISA 7.12.2, "Register format for dense matrix results".
    Halves,
}

impl Output {
    /// The item and the first lane of row `i` of block `b`.
    pub const fn row(self, m: usize, n: usize, lanes: usize, b: usize, i: usize) -> (usize, usize) {
        match self {
            Self::Mfma(h) => {
                let b_i = 64usize.div_ceil(n * m / h);
                let m_i = 64 / b_i / n;
                let g = m / (h * m_i);
                (
                    i % h + h * (i / (h * m_i) + g * (b / b_i)),
                    n * ((i / h) % m_i + m_i * (b % b_i)),
                )
            }
            Self::Alternating => {
                let groups = lanes / 16;
                (i / groups, 16 * (i % groups))
            }
            Self::Halves if lanes == 64 => (4 * b + i % 4, i / 4 % 2 * 32 + i / 8 * 16),
            Self::Halves => (8 * b + i % 8, i / 8 * 16),
        }
    }
}

/// Where one block's product finds its operands: positions `item * lanes + lane` in the decoded
/// items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// For each k, where the column of A starts.
    pub a: Vec<u16>,
    /// For each k, where the row of B starts.
    pub b: Vec<u16>,
    /// For each row of C and D, where it starts.
    pub rows: Vec<u16>,
}

/// The layout of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Rows of a block of A and D.
    pub m: usize,
    /// Columns of a block of B and D.
    pub n: usize,
    /// The inner dimension.
    pub k: usize,
    /// Lanes of the wave.
    pub lanes: usize,
    /// Items of A in a lane, as they lie in registers.
    pub a_items: usize,
    /// Items of B in a lane.
    pub b_items: usize,
    /// Items of C and D in a lane.
    pub d_items: usize,
    /// A is 4:2 sparse: its decoded items are expanded to twice as many.
    pub sparse: bool,
    /// The blocks.
    pub tiles: Vec<Tile>,
}

/// What a [`Plan`] is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of a block.
    pub m: usize,
    /// Columns of a block.
    pub n: usize,
    /// The inner dimension.
    pub k: usize,
    /// Blocks that lie side by side in A and B.
    pub blocks: usize,
    /// Blocks of rows of A that share B and lie in successive registers (the 32x16 product).
    pub stacked: usize,
    /// A is 4:2 sparse, laid out as a matrix of half as many columns.
    pub sparse: bool,
}

impl Plan {
    /// The layout of `shape` with A and B shared out so.
    pub fn new(shape: Shape, lanes: usize, a: Input, b: Input, output: Output) -> Self {
        let Shape {
            m,
            n,
            k,
            blocks,
            stacked,
            sparse,
        } = shape;
        let a_k = if sparse { k / 2 } else { k };
        let a_items = a_k / a.groups;
        let b_items = k / b.groups;
        let mut tiles = Vec::with_capacity(blocks * stacked);
        let mut d_items = 0;
        for block in 0..blocks * stacked {
            let (side, level) = (block % blocks, block / blocks);
            let mut tile = Tile {
                a: vec![0; k],
                b: vec![0; k],
                rows: Vec::with_capacity(m),
            };
            for group in 0..a.groups {
                let lane = m * (side + blocks * group);
                for item in 0..a_items {
                    let at = a.k(item, group);
                    if !sparse {
                        tile.a[at] = ((level * a_items + item) * lanes + lane) as u16;
                    } else if item % 2 == 0 {
                        // A pair of packed values stands for four of K.
                        for z in 0..4 {
                            tile.a[2 * at + z] = ((2 * item + z) * lanes + lane) as u16;
                        }
                    }
                }
            }
            for group in 0..b.groups {
                let lane = n * (side + blocks * group);
                for item in 0..b_items {
                    tile.b[b.k(item, group)] = (item * lanes + lane) as u16;
                }
            }
            for i in 0..m {
                let (item, lane) = output.row(m, n, lanes, block, i);
                d_items = d_items.max(item + 1);
                tile.rows.push((item * lanes + lane) as u16);
            }
            tiles.push(tile);
        }
        Self {
            m,
            n,
            k,
            lanes,
            a_items: a_items * stacked,
            b_items,
            d_items,
            sparse,
            tiles,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(m: usize, n: usize, k: usize, blocks: usize) -> Shape {
        Shape {
            m,
            n,
            k,
            blocks,
            stacked: 1,
            sparse: false,
        }
    }

    #[test]
    fn mfma_rows_follow_the_manuals_formula_for_32x32x1_2b() {
        // CDNA3 ISA 7.1.3.1: D[b,i,j] is in lane j + 32 * ((i / 4) % 2) of register
        // 16b + 4(i / 8) + (i % 4).
        for b in 0..2 {
            for i in 0..32 {
                assert_eq!(
                    Output::Mfma(4).row(32, 32, 64, b, i),
                    (16 * b + 4 * (i / 8) + i % 4, 32 * (i / 4 % 2))
                );
            }
        }
    }

    #[test]
    fn mfma_f64_rows_follow_the_manuals_table() {
        // CDNA3 ISA 7.1.3.4: D[0,4,0] is in lane 0 of registers 2 and 3, D[0,5,0] in lane 16,
        // D[0,15,0] in lane 48 of registers 6 and 7.
        let row = |i| Output::Mfma(1).row(16, 16, 64, 0, i);
        assert_eq!(row(4), (1, 0));
        assert_eq!(row(5), (1, 16));
        assert_eq!(row(15), (3, 48));
    }

    #[test]
    fn every_element_of_a_and_b_has_a_place_of_its_own() {
        for (shape, lanes, input) in [
            (dense(32, 32, 1, 2), 64, (1, 1)),
            (dense(4, 4, 4, 16), 64, (4, 1)),
            (dense(16, 16, 128, 1), 64, (16, 4)),
            (dense(16, 16, 64, 1), 32, (8, 2)),
        ] {
            let input = Input {
                chunk: input.0,
                groups: input.1,
                swapped: false,
            };
            let p = Plan::new(shape, lanes, input, input, Output::Halves);
            let mut seen = std::collections::HashSet::new();
            for t in &p.tiles {
                assert!(t.a.iter().all(|&x| seen.insert(x)), "{shape:?}");
            }
            assert_eq!(seen.len(), shape.k * shape.blocks);
        }
    }

    #[test]
    fn gfx12_wave64_results_are_permuted_by_halves() {
        // RDNA4 ISA 7.12.2: lanes 0..15 have rows 0..3, 16..31 rows 8..11, 32..47 rows 4..7,
        // 48..63 rows 12..15.
        let row = |i| Output::Halves.row(16, 16, 64, 0, i);
        assert_eq!(row(3), (3, 0));
        assert_eq!(row(8), (0, 16));
        assert_eq!(row(5), (1, 32));
        assert_eq!(row(15), (3, 48));
        assert_eq!(Output::Halves.row(16, 16, 32, 0, 9), (1, 16));
    }

    #[test]
    fn gfx1250_chunks_follow_the_manuals_tables() {
        // CDNA5 ISA 7.12.2, "8-bit A-Matrix 16x64": lanes 0 to 15 hold K=0-3, 4-7, 16-19, 20-23 in
        // registers 0 to 3, lanes 16 to 31 K=8-11 in register 0; registers 4 to 7 the same + 32.
        let bytes = Input {
            chunk: 8,
            groups: 2,
            swapped: false,
        };
        assert_eq!(bytes.k(8, 0), 16);
        assert_eq!(bytes.k(0, 1), 8);
        assert_eq!(bytes.k(16, 0), 32);
        // "6-bit Floats": V0..V5 K=0..31 and 32..63, V6..V11 K=64..95 and 96..127.
        let sixths = Input {
            chunk: 32,
            groups: 2,
            swapped: false,
        };
        assert_eq!(
            (sixths.k(31, 1), sixths.k(32, 0), sixths.k(32, 1)),
            (63, 64, 96)
        );
    }

    #[test]
    fn f8_operands_of_gfx950_have_two_chunks() {
        // CDNA4 ISA 7.5.1.3, "IU8/F*8 Layout for Matrix B", B[128][16]: v0..v3 of row 1 hold
        // k=16..31, v4 of row 0 k=64-67, v7 of row 3 k=124-127.
        let f8 = Input {
            chunk: 16,
            groups: 4,
            swapped: false,
        };
        assert_eq!((f8.k(0, 1), f8.k(16, 0), f8.k(31, 3)), (16, 64, 127));
    }
}
