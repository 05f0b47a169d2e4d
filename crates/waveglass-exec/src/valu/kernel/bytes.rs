//! Rows of packed bytes and nibbles: sums of differences and of products, formed in bytes and words, of
//! which a vector holds more than of dwords.

use super::BLOCK;
use super::lane::convert;
use crate::valu::simd::{multiply_bytes, multiply_words};
use bytemuck::must_cast as cast;

type Dwords = [u32; BLOCK];
type Bytes = [u8; 4 * BLOCK];

/// Each lane's four unsigned bytes, summed up with the third source.
#[inline(always)]
fn add_bytes<const L: usize>(bytes: Bytes, c: Dwords) -> Dwords {
    let pairs = multiply_bytes::<L>(cast(bytes), [0x0101_0101; BLOCK]);
    add_words::<L>(pairs, c)
}

/// Each lane's two signed words, summed up with the third source.
#[inline(always)]
fn add_words<const L: usize>(words: Dwords, mut c: Dwords) -> Dwords {
    let sums = multiply_words::<L>(words, [0x0001_0001; BLOCK]);
    for k in 0..BLOCK {
        c[k] = c[k].wrapping_add(sums[k]);
    }
    c
}

/// `v_sad_u8` of a row.
#[inline(always)]
pub fn sad_bytes<const L: usize>([a, b, c]: [Dwords; 3]) -> Dwords {
    let (a, b): (Bytes, Bytes) = (cast(a), cast(b));
    let mut differences = [0; 4 * BLOCK];
    for k in 0..4 * BLOCK {
        differences[k] = a[k].max(b[k]) - a[k].min(b[k]);
    }
    add_bytes::<L>(differences, c)
}

/// `v_msad_u8` of a row.
#[inline(always)]
pub fn masked_sad_bytes<const L: usize>([a, b, c]: [Dwords; 3]) -> Dwords {
    let (a, b): (Bytes, Bytes) = (cast(a), cast(b));
    let mut differences = [0; 4 * BLOCK];
    for k in 0..4 * BLOCK {
        let difference = a[k].max(b[k]) - a[k].min(b[k]);
        differences[k] = if b[k] == 0 { 0 } else { difference };
    }
    add_bytes::<L>(differences, c)
}

/// The four products of signed bytes, summed up with the third source.
#[inline(always)]
pub fn dot_bytes<const L: usize>([a, b, mut c]: [Dwords; 3]) -> Dwords {
    // The odd bytes of words as signed words, and the even ones.
    let words = |x: Dwords| -> [Dwords; 2] {
        let x: [i16; 2 * BLOCK] = cast(x);
        let (mut odd, mut even) = (x, x);
        for k in 0..2 * BLOCK {
            odd[k] = x[k] >> 8;
            even[k] = x[k] << 8 >> 8;
        }
        [cast(odd), cast(even)]
    };
    let ([a1, a0], [b1, b0]) = (words(a), words(b));
    let (odd, even) = (multiply_words::<L>(a1, b1), multiply_words::<L>(a0, b0));
    for k in 0..BLOCK {
        c[k] = c[k].wrapping_add(odd[k]).wrapping_add(even[k]);
    }
    c
}

/// The eight products of unsigned nibbles, summed up with the third source.
#[inline(always)]
pub fn dot_unsigned_nibbles<const L: usize>([a, b, c]: [Dwords; 3]) -> Dwords {
    let even = |x: Dwords| convert(x, |x| x & 0x0f0f_0f0f);
    let odd = |x: Dwords| convert(x, |x| x >> 4 & 0x0f0f_0f0f);
    add_words::<L>(
        add_lanes(
            multiply_bytes::<L>(even(a), even(b)),
            multiply_bytes::<L>(odd(a), odd(b)),
        ),
        c,
    )
}

/// The eight products of signed nibbles, summed up with the third source.
#[inline(always)]
pub fn dot_nibbles<const L: usize>([a, b, c]: [Dwords; 3]) -> Dwords {
    let (a, b): ([u16; 2 * BLOCK], [u16; 2 * BLOCK]) = (cast(a), cast(b));
    let mut sums = [0u16; 2 * BLOCK];
    for shift in [0, 4, 8, 12] {
        let nibble = |x: u16| ((x << (12 - shift)) as i16 >> 12) as u16;
        for k in 0..2 * BLOCK {
            sums[k] = sums[k].wrapping_add(nibble(a[k]).wrapping_mul(nibble(b[k])));
        }
    }
    add_words::<L>(cast(sums), c)
}

/// Sums of words that do not carry into one another.
#[inline(always)]
fn add_lanes(mut a: Dwords, b: Dwords) -> Dwords {
    for k in 0..BLOCK {
        a[k] = a[k].wrapping_add(b[k]);
    }
    a
}
