//! The addresses of flat and global operations.

use super::immediate;
use crate::machine::Machine;
use crate::program::{Compile, Op, Src};
use waveglass_isa::Field;

/// Base in a VGPR pair.
pub(super) const GV: u8 = 0;
/// Base in an SGPR pair, offset in a VGPR.
pub(super) const GVS: u8 = 1;
/// Base in an SGPR pair, lane number times four (ADDTID).
pub(super) const GT: u8 = 2;

/// The addresses that lanes access, and what is known of all of them.
pub(super) struct Addresses {
    /// Offsets included; lanes past the wave's size are zero.
    pub sums: [u64; 64],
    /// Every bit that any lane has set in its address with or without the immediate, inactive
    /// lanes included.
    pub bits: u64,
}

/// Forms the addresses. The operands: `s[0]` the vector address, `s[1]` the scalar base.
#[inline(always)]
pub(super) fn addresses<const MODE: u8>(m: &Machine<'_>, op: &Op) -> Addresses {
    let rows = m.wave.rows;
    let offset = op.mem.offset as u64;
    let mut out = Addresses {
        sums: [0; 64],
        bits: 0,
    };
    let base = if MODE == GV { 0 } else { m.s64(op.s[1]) };
    let first = match op.s[0] {
        Src::Vgpr(r) => r as usize * rows,
        _ => 0,
    };
    let mut bits = 0;
    for (row, sums) in out.sums.chunks_exact_mut(32).take(rows).enumerate() {
        let mut put = |sum: &mut u64, address: u64| {
            *sum = address.wrapping_add(offset);
            bits |= address | *sum;
        };
        let low = &m.wave.vgpr[first + row];
        match MODE {
            GV => {
                let high = &m.wave.vgpr[first + rows + row];
                for ((sum, &low), &high) in sums.iter_mut().zip(low).zip(high) {
                    put(sum, low as u64 | (high as u64) << 32);
                }
            }
            GT => {
                for (sum, lane) in sums.iter_mut().zip(row as u64 * 32..) {
                    put(sum, base.wrapping_add(lane * 4));
                }
            }
            _ if op.mem.scale == 0 => {
                for (sum, &low) in sums.iter_mut().zip(low) {
                    put(sum, base.wrapping_add(low as u64));
                }
            }
            _ => {
                for (sum, &low) in sums.iter_mut().zip(low) {
                    let index = low as i32 as i64 * op.mem.scale;
                    put(sum, base.wrapping_add(index as u64));
                }
            }
        }
    }
    out.bits = bits;
    out
}

/// Fills in the address operands; gives the addressing mode, or `None` where operands are missing.
pub(super) fn compile(c: &Compile<'_>, op: &mut Op, addtid: bool, bytes: u32) -> Option<u8> {
    op.mem.offset = immediate(c, Field::Offset);
    op.s[0] = c.src(Field::Vaddr);
    op.s[1] = c.src(Field::Saddr);
    // CDNA 5 ISA 10.1.1: the vector offset is signed and may count elements; before, "VGPRU32".
    if c.inst.target().has_gfx1250_insts() {
        op.mem.scale = scale(c, bytes);
    }
    if addtid {
        // With "off" the base is zero.
        return Some(GT);
    }
    match (op.s[0], op.s[1]) {
        (Src::Vgpr(_), Src::None) => Some(GV),
        (Src::Vgpr(_), _) => Some(GVS),
        _ => None,
    }
}

/// What SCALE_OFFSET (CDNA 5, the cache policy's bit 11) multiplies a vector offset with.
pub(super) fn scale(c: &Compile<'_>, bytes: u32) -> i64 {
    if c.inst.field(Field::Cpol) >> 11 & 1 != 0 {
        bytes.into()
    } else {
        1
    }
}
