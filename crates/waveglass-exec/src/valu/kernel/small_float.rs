//! Rows of singles to pairs of 8-bit floats.

use super::BLOCK;
use super::lane::{Row, block, convert, set_block};
use crate::alu::small_float::Nearest;
use crate::valu::simd::multiply_words;

/// The codes nearest to two sources, the first one's in the low byte, in the half of the third that `upper`
/// names, whose other half stays; `exact` gives the codes of a row's lanes where any source is a NaN.
#[inline(always)]
pub fn map_to_codes<const L: usize>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    format: Nearest,
    upper: bool,
    exact: impl Fn(f32, f32) -> u16,
) {
    let sum = |x: u32| match L {
        0 => format.sum(x),
        _ => format.fused_sum(x),
    };
    let factors = [format.factors(); BLOCK];
    let shift = 16 * u32::from(upper);
    let mut i = 0;
    while i < n {
        let a = Row(block(regs, s[0] + i));
        let b = Row(block(regs, s[1] + i));
        let mut row = Row(block(regs, s[2] + i));
        let low = Row(multiply_words::<L>(convert(a.0, sum), factors));
        let high = Row(multiply_words::<L>(convert(b.0, sum), factors));
        let mut nan = false;
        for k in 0..BLOCK {
            nan |= f32::from_bits(a[k]).is_nan() | f32::from_bits(b[k]).is_nan();
            let codes = format.codes(low[k], high[k]);
            let signs = a[k] >> 24 & 0x80 | b[k] >> 16 & 0x8000;
            row[k] = insert_half(row[k], codes | signs, shift);
        }
        if nan {
            let old = Row(block(regs, s[2] + i));
            for k in 0..BLOCK {
                let codes = exact(f32::from_bits(a[k]), f32::from_bits(b[k]));
                row[k] = insert_half(old[k], codes.into(), shift);
            }
        }
        set_block(regs, d + i, row.0);
        i += BLOCK;
    }
}

/// Puts a half where it belongs and keeps the other.
#[inline(always)]
pub fn insert_half(old: u32, half: u32, shift: u32) -> u32 {
    old & !(0xffff << shift) | half << shift
}
