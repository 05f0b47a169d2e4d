//! Where the manuals put elements, forward: from a row and a column to a register, lane and bit.

use super::{A, B, Case, INDEX};
use crate::matrix::format::Format;
use crate::matrix::table::{Element, Family, Result as Cells};
use crate::testing::Bench;
use half::{bf16, f16};

/// The item and the lane of element (i, k) of block b of an operand with `rows` rows.
fn input(c: &Case, b: usize, i: usize, k: usize, b_side: bool) -> (usize, usize) {
    let [m, n, big_k] = c.row.size;
    let rows = if b_side { n } else { m };
    let bits = if b_side { c.b_format } else { c.a_format }.bits();
    let sparse = c.sparse();
    let packed_k = if sparse && !b_side { big_k / 2 } else { big_k };
    let bit = |n: usize| k >> n & 1;
    match c.row.family {
        Family::Mfma | Family::Smfmac => {
            // CDNA3 ISA 7.1.4.1.
            let k_l = packed_k / (64 / (rows * c.row.blocks));
            let lane = |g: usize| i + rows * (b + c.row.blocks * g);
            // CDNA4 ISA 7.5.1.3: the K dimension in two halves, each laid out as the instruction of
            // half the size has it.
            let doubled = sparse
                && matches!(
                    (c.row.size, c.b_format.bits()),
                    ([16, 16, 64], 16)
                        | ([32, 32, 32], 16)
                        | ([16, 16, 128], 8)
                        | ([32, 32, 64], 8)
                );
            let f8 = c.row.a == Element::Any && bits == 8;
            if doubled || f8 {
                let half = packed_k / 2;
                let (high, k) = (k / half, k % half);
                (high * k_l / 2 + k % (k_l / 2), lane(k / (k_l / 2)))
            } else {
                (k % k_l, lane(k / k_l))
            }
        }
        // RDNA3 ISA 7.9: one row of A in the registers of a lane.
        _ if c.target.major() == 11 => (k, i),
        _ if c.target.has_gfx1250_insts() && !gfx12_size(c) => {
            // CDNA5 ISA 7.12.2, 7.12.4, 7.12.5 and 7.12.6.1.
            let chunk = match (bits, sparse, b_side) {
                (_, true, true) => 16,
                (32, ..) => 2,
                (16, ..) => 8,
                (8, ..) if c.row.a == Element::Any => 16,
                (8, ..) => 8,
                _ => 32,
            };
            let item = k % chunk + chunk * (k / (2 * chunk));
            let level = i / 16 * (packed_k / 2);
            (item + level, i % 16 + 16 * (k / chunk % 2))
        }
        // RDNA4 ISA 7.12.2: the bits of K that choose the lane, for 16, 32 and 64 values of K.
        _ => match (c.lanes, packed_k, bits) {
            (32, 16, _) => (k % 8, i + 16 * bit(3)),
            (32, 32, _) => (k % 16, i + 16 * bit(4)),
            (32, 64, _) => (k % 32, i + 16 * bit(5)),
            (_, 16, 4) => (k % 8, i + 16 * bit(3)),
            (_, 16, _) => (k % 4, i + 16 * bit(3) + 32 * bit(2)),
            (_, 32, _) => (k % 8, i + 16 * bit(4) + 32 * bit(3)),
            _ => (k % 16, i + 16 * bit(5) + 32 * bit(4)),
        },
    }
}

/// Whether the instruction is one that gfx12 has too.
fn gfx12_size(c: &Case) -> bool {
    match c.row.family {
        Family::Swmmac => c.row.size[2] == 32 || c.row.a == Element::Iu4,
        _ => c.row.size[2] == 16 || c.row.a == Element::Iu4,
    }
}

/// The item and the lane of D[b][i][j].
fn output(c: &Case, b: usize, i: usize, j: usize) -> (usize, usize) {
    let [m, n, _] = c.row.size;
    match c.row.family {
        Family::Mfma | Family::Smfmac => {
            // CDNA3 ISA 7.1.4.2.
            let h = if c.row.a == Element::F64 { 1 } else { 4 };
            let b_i = 64usize.div_ceil(n * m / h);
            let m_i = (64 / b_i) / n;
            let g = m / (h * m_i);
            (
                (i % h) + h * (i / (h * m_i) + g * (b / b_i)),
                j + n * ((i / h) % m_i + m_i * (b % b_i)),
            )
        }
        // RDNA3: lane = j + 16 * (i % 2) of register i / 2 (wave32), by fours in wave64.
        _ if c.target.major() == 11 => {
            let groups = c.lanes / 16;
            (i / groups, j + 16 * (i % groups))
        }
        // RDNA4 ISA 7.12.2, "Register format for dense matrix results".
        _ if c.lanes == 64 => (i % 4, (i / 4) % 2 * 32 + (i / 8) * 16 + j),
        // CDNA5 ISA 7.12.2: rows 16 to 31 of a 32x16 result follow in registers 8 to 15.
        _ => (i % 8 + i / 16 * 8, i / 8 % 2 * 16 + j),
    }
}

fn set_bits(bench: &mut Bench, register: usize, lane: usize, lo: usize, width: usize, v: u64) {
    let old = bench.wave.lane(register, lane);
    let mask = ((1u64 << width) - 1) as u32;
    bench.wave.set_lane(
        register,
        lane,
        old & !(mask << lo) | (v as u32 & mask) << lo,
    );
}

fn put(bench: &mut Bench, base: usize, item: usize, lane: usize, format: Format, code: u64) {
    let bits = format.bits();
    if bits == 64 {
        bench.wave.set_lane(base + 2 * item, lane, code as u32);
        bench
            .wave
            .set_lane(base + 2 * item + 1, lane, (code >> 32) as u32);
        return;
    }
    // Bit by bit, since six-bit items cross registers.
    for bit in 0..bits {
        let at = item * bits + bit;
        set_bits(bench, base + at / 32, lane, at % 32, 1, code >> bit);
    }
}

impl Case {
    pub(super) fn put_a(&self, bench: &mut Bench, b: usize, i: usize, k: usize, code: u64) {
        let (item, lane) = input(self, b, i, k, false);
        self.put_copies(bench, A, item, lane, self.a_format, code);
    }

    pub(super) fn put_b(&self, bench: &mut Bench, b: usize, k: usize, j: usize, code: u64) {
        let (item, lane) = input(self, b, j, k, true);
        self.put_copies(bench, B, item, lane, self.b_format, code);
    }

    /// gfx11 wants A and B in every 16 lanes.
    fn put_copies(
        &self,
        bench: &mut Bench,
        base: usize,
        item: usize,
        lane: usize,
        format: Format,
        code: u64,
    ) {
        put(bench, base, item, lane, format, code);
        if self.target.major() == 11 {
            for copy in 1..self.lanes / 16 {
                put(bench, base, item, lane + 16 * copy, format, code);
            }
        }
    }

    /// The index of a packed value of A is in the value's own lane, at the value's own place.
    pub(super) fn put_index(
        &self,
        bench: &mut Bench,
        i: usize,
        packed: usize,
        z: usize,
        key: usize,
    ) {
        let (item, lane) = input(self, 0, i, packed, false);
        let at = key + 2 * item;
        set_bits(bench, INDEX + at / 32, lane, at % 32, 2, z as u64);
    }

    /// The cell of C or D: register, lane, low bit, and width.
    fn cell(&self, b: usize, i: usize, j: usize, d: bool) -> (usize, usize, usize, usize) {
        let (item, lane) = output(self, b, i, j);
        match self.row.result {
            Cells::F64 => (2 * item, lane, 0, 64),
            Cells::F16 | Cells::Bf16 if self.target.major() == 11 => (item, lane, 0, 16),
            Cells::F16 | Cells::Bf16 => (item / 2, lane, 16 * (item % 2), 16),
            Cells::Bf16F32 if d => (item / 2, lane, 16 * (item % 2), 16),
            _ => (item, lane, 0, 32),
        }
    }

    pub(super) fn put_c(&self, bench: &mut Bench, b: usize, i: usize, j: usize, v: f64) {
        let (register, lane, lo, width) = self.cell(b, i, j, false);
        let base = if self.sparse() {
            self.d_base
        } else {
            self.c_base
        };
        let code = match (self.row.result, width) {
            (Cells::I32, _) => v as i32 as u32 as u64,
            (Cells::F64, _) => {
                bench
                    .wave
                    .set_lane(base + register + 1, lane, (v.to_bits() >> 32) as u32);
                bench
                    .wave
                    .set_lane(base + register, lane, v.to_bits() as u32);
                return;
            }
            (_, 32) => (v as f32).to_bits() as u64,
            (Cells::F16, _) => f16::from_f64(v).to_bits() as u64,
            _ => bf16::from_f64(v).to_bits() as u64,
        };
        set_bits(bench, base + register, lane, lo, width, code);
    }

    pub(super) fn get_d(&self, bench: &Bench, b: usize, i: usize, j: usize) -> f64 {
        let (register, lane, lo, width) = self.cell(b, i, j, true);
        let word = bench.get(self.d_base + register, lane);
        match (self.row.result, width) {
            (Cells::I32, _) => word as i32 as f64,
            (Cells::F64, _) => {
                let high = bench.get(self.d_base + register + 1, lane);
                f64::from_bits(word as u64 | (high as u64) << 32)
            }
            (_, 32) => f32::from_bits(word) as f64,
            (Cells::F16, _) => f16::from_bits((word >> lo) as u16).to_f64(),
            _ => bf16::from_bits((word >> lo) as u16).to_f64(),
        }
    }

    /// Dwords of D in a lane.
    pub(super) fn d_registers(&self) -> usize {
        let [m, n, _] = self.row.size;
        let (register, _, _, width) = (0..m)
            .map(|i| self.cell(self.row.blocks - 1, i, n - 1, true))
            .max()
            .expect("there are rows");
        register + width.div_ceil(64) + usize::from(width == 64)
    }
}
