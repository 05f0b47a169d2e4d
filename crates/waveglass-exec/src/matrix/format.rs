//! Element formats of matrices: how registers become numbers, lane by lane.
//!
//! A lane's items lie packed from bit 0 of its first register up (CDNA4 ISA 7.1.4, "General input
//! and output layout"). Decoding turns each item into a row over the lanes, so that a column of A
//! or a row of B is a run of numbers.

use crate::rows::ROW_LANES;

/// The format of an element of A or B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// IEEE binary32.
    F32,
    /// Binary32 whose fraction is rounded to 10 bits first (CDNA3 ISA 7.1.2, "XF32").
    Xf32,
    /// IEEE binary64.
    F64,
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// Signed 8-bit integers.
    I8,
    /// Unsigned 8-bit integers.
    U8,
    /// Signed 4-bit integers.
    I4,
    /// Unsigned 4-bit integers.
    U4,
    /// E4M3 with bias 7 and one NaN of each sign (OCP).
    Fp8,
    /// E5M2 with bias 15, infinities and NaNs (OCP).
    Bf8,
    /// E4M3 with bias 8, whose only NaN is negative zero (CDNA3 ISA 7.2).
    Fp8Fnuz,
    /// E5M2 with bias 16, whose only NaN is negative zero (CDNA3 ISA 7.2).
    Bf8Fnuz,
    /// E2M3.
    Fp6,
    /// E3M2.
    Bf6,
    /// E2M1.
    Fp4,
}

impl Format {
    /// Bits of an element.
    pub const fn bits(self) -> usize {
        match self {
            Self::F64 => 64,
            Self::F32 | Self::Xf32 => 32,
            Self::F16 | Self::Bf16 => 16,
            Self::I8 | Self::U8 | Self::Fp8 | Self::Bf8 | Self::Fp8Fnuz | Self::Bf8Fnuz => 8,
            Self::Fp6 | Self::Bf6 => 6,
            Self::I4 | Self::U4 | Self::Fp4 => 4,
        }
    }

    /// Registers that so many items of a lane cover.
    pub const fn registers(self, items: usize) -> usize {
        (items * self.bits()).div_ceil(32)
    }

    /// The small float format that a matrix format field selects (CDNA4 ISA 7.1.5, CDNA5 ISA
    /// 7.12.6); `None` for the reserved values.
    pub const fn selected(field: u64) -> Option<Self> {
        Some(match field {
            0 => Self::Fp8,
            1 => Self::Bf8,
            2 => Self::Fp6,
            3 => Self::Bf6,
            4 => Self::Fp4,
            _ => return None,
        })
    }
}

/// What happens to elements on their way in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Bits that are flipped in each dword (signs of 16-bit elements, of f64's high halves).
    pub flip: u32,
    /// Denormals are read as zeros of their sign.
    pub flush: bool,
}

/// Decodes `items` items of every lane: `out[item * lanes + lane]` as f32 or i32 bits, or as f64 in
/// place of two dwords.
#[inline(always)]
pub fn decode(
    format: Format,
    regs: &[u32],
    items: usize,
    lanes: usize,
    how: Reading,
    out: &mut [u32],
) {
    let flush = how.flush;
    match format {
        Format::F64 => doubles(regs, items, lanes, how.flip, out),
        Format::F32 => unpack::<32>(regs, items, lanes, 0, out, |x| flushed(x, flush)),
        Format::Xf32 => unpack::<32>(regs, items, lanes, 0, out, xf32),
        Format::F16 if flush => unpack::<16>(regs, items, lanes, how.flip, out, |x| {
            f16(if x & 0x7c00 == 0 { x & 0x8000 } else { x })
        }),
        Format::F16 => unpack::<16>(regs, items, lanes, how.flip, out, f16),
        Format::Bf16 => unpack::<16>(regs, items, lanes, how.flip, out, |x| {
            flushed(x << 16, flush)
        }),
        Format::I8 => unpack::<8>(regs, items, lanes, 0, out, |x| x as i8 as u32),
        Format::U8 => unpack::<8>(regs, items, lanes, 0, out, |x| x & 0xff),
        Format::I4 => unpack::<4>(regs, items, lanes, 0, out, |x| {
            ((x << 28) as i32 >> 28) as u32
        }),
        Format::U4 => unpack::<4>(regs, items, lanes, 0, out, |x| x & 15),
        Format::Fp8 => unpack::<8>(regs, items, lanes, 0, out, |x| {
            nan_if(x & 0x7f == 0x7f, small::<8, 3>(x, 7))
        }),
        Format::Fp8Fnuz => unpack::<8>(regs, items, lanes, 0, out, |x| {
            nan_if(x & 0xff == 0x80, small::<8, 3>(x, 8))
        }),
        // The upper byte of binary16.
        Format::Bf8 => unpack::<8>(regs, items, lanes, 0, out, |x| f16(x << 8)),
        Format::Bf8Fnuz => unpack::<8>(regs, items, lanes, 0, out, |x| {
            nan_if(x & 0xff == 0x80, small::<8, 2>(x, 16))
        }),
        Format::Fp6 => sixths(regs, items, lanes, out, |x| small::<6, 3>(x, 1)),
        Format::Bf6 => sixths(regs, items, lanes, out, |x| small::<6, 2>(x, 3)),
        Format::Fp4 => unpack::<4>(regs, items, lanes, 0, out, |x| small::<4, 1>(x, 1)),
    }
}

#[inline(always)]
fn unpack<const BITS: usize>(
    regs: &[u32],
    items: usize,
    lanes: usize,
    flip: u32,
    out: &mut [u32],
    f: impl Fn(u32) -> u32,
) {
    let per = 32 / BITS;
    let rows = lanes / ROW_LANES;
    let from = regs.as_chunks::<ROW_LANES>().0;
    let to = out.as_chunks_mut::<ROW_LANES>().0;
    for r in 0..items.div_ceil(per) {
        for row in 0..rows {
            let words = from[r * rows + row];
            for s in 0..per {
                let item = &mut to[(r * per + s) * rows + row];
                for l in 0..ROW_LANES {
                    item[l] = f((words[l] ^ flip) >> (s * BITS));
                }
            }
        }
    }
}

/// Six-bit items lie densely: 32 of them in six registers (CDNA4 ISA 7.1.4).
#[inline(always)]
fn sixths(regs: &[u32], items: usize, lanes: usize, out: &mut [u32], f: impl Fn(u32) -> u32) {
    for item in 0..items {
        let (r, shift) = (item * 6 / 32, item * 6 % 32);
        for l in 0..lanes {
            let low = regs[r * lanes + l] as u64;
            let high = if shift > 26 {
                regs[(r + 1) * lanes + l] as u64
            } else {
                0
            };
            out[item * lanes + l] = f(((low | high << 32) >> shift) as u32);
        }
    }
}

#[inline(always)]
fn doubles(regs: &[u32], items: usize, lanes: usize, flip: u32, out: &mut [u32]) {
    for item in 0..items {
        for l in 0..lanes {
            let (low, high) = (
                regs[2 * item * lanes + l],
                regs[(2 * item + 1) * lanes + l] ^ flip,
            );
            let at = 2 * (item * lanes + l);
            // As a u64 in memory, whichever way the host lays one out.
            let bytes = (low as u64 | (high as u64) << 32).to_ne_bytes();
            out[at] = u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            out[at + 1] = u32::from_ne_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        }
    }
}

/// A denormal as a zero of its sign.
#[inline(always)]
pub fn flushed(x: u32, flush: bool) -> u32 {
    if flush && x & 0x7f80_0000 == 0 {
        x & 0x8000_0000
    } else {
        x
    }
}

/// Rounds to 10 fraction bits, ties to even. The chapter of the CDNA3 manual says "round", its list
/// of instructions "truncated"; this follows the chapter.
#[inline(always)]
fn xf32(x: u32) -> u32 {
    let rounded = (x.wrapping_add(0xfff + (x >> 13 & 1))) & !0x1fff;
    if x & 0x7f80_0000 == 0x7f80_0000 {
        x
    } else {
        rounded
    }
}

/// Binary16 in the low half as binary32.
#[inline(always)]
pub fn f16(x: u32) -> u32 {
    let magnitude = x & 0x7fff;
    let value = if magnitude >= 0x7c00 {
        magnitude << 13 | 0x7f80_0000
    } else {
        widened::<10>(magnitude, 15)
    };
    value | (x & 0x8000) << 16
}

/// A float of `BITS` bits with `MANTISSA` fraction bits and a bias, without special values.
#[inline(always)]
fn small<const BITS: u32, const MANTISSA: u32>(x: u32, bias: u32) -> u32 {
    let magnitude = x & ((1 << (BITS - 1)) - 1);
    widened::<MANTISSA>(magnitude, bias) | (x >> (BITS - 1) & 1) << 31
}

/// A finite magnitude as binary32. Denormals go by way of an integer: a multiplication of them as
/// binary32 denormals would be exact as well, but many times slower on common CPUs.
#[inline(always)]
fn widened<const MANTISSA: u32>(magnitude: u32, bias: u32) -> u32 {
    let normal = (magnitude << (23 - MANTISSA)).wrapping_add((127 - bias) << 23);
    let unit = f32::from_bits((128 - bias - MANTISSA) << 23);
    let denormal = (magnitude as i32 as f32 * unit).to_bits();
    if magnitude < 1 << MANTISSA {
        denormal
    } else {
        normal
    }
}

#[inline(always)]
fn nan_if(nan: bool, x: u32) -> u32 {
    if nan { CANONICAL_NAN } else { x }
}

/// The NaN that a matrix instruction gives. Which one hardware gives is not documented.
pub const CANONICAL_NAN: u32 = 0x7fc0_0000;

/// `f32` to binary16, to nearest even; `saturate` gives the largest finite value for an overflow of
/// a finite number.
#[inline(always)]
pub fn to_f16(x: f32, saturate: bool) -> u32 {
    let bits = x.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    // Adding one half puts the units of binary16's denormals into the last place.
    let small = (f32::from_bits(magnitude) + 0.5)
        .to_bits()
        .wrapping_sub(0.5f32.to_bits());
    let normal = magnitude
        .wrapping_sub(112 << 23)
        .wrapping_add(0xfff + (magnitude >> 13 & 1))
        >> 13;
    let rounded = if magnitude < 113 << 23 { small } else { normal };
    let limited = if magnitude >= 143 << 23 {
        0x7c00
    } else {
        rounded
    };
    let finite = if saturate && magnitude < 0x7f80_0000 && limited == 0x7c00 {
        0x7bff
    } else {
        limited
    };
    let value = if magnitude > 0x7f80_0000 {
        0x7e00
    } else {
        finite | bits >> 16 & 0x8000
    };
    value & 0xffff
}

/// `f32` to bfloat16, as [`to_f16`].
#[inline(always)]
pub fn to_bf16(x: f32, saturate: bool) -> u32 {
    let bits = x.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    if magnitude > 0x7f80_0000 {
        0x7fc0
    } else if saturate && magnitude < 0x7f80_0000 && rounded & 0x7fff == 0x7f80 {
        rounded & 0x8000 | 0x7f7f
    } else {
        rounded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alu::small_float::{self, SmallFormat};
    use half::{bf16, f16 as Half};

    fn one(format: Format, word: u32) -> f32 {
        let mut regs = [0u32; 6 * 32];
        regs[0] = word;
        let mut out = [0u32; 64 * 32];
        let items = (32 / format.bits()).max(1);
        decode(format, &regs, items, 32, Reading::default(), &mut out);
        f32::from_bits(out[0])
    }

    fn same(a: f32, b: f32, what: &str) {
        assert!(
            a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            "{what}: {a} {b}"
        );
    }

    #[test]
    fn halves_and_bfloat16_read_exactly_for_every_code() {
        for x in 0..=0xffffu16 {
            same(
                one(Format::F16, x.into()),
                Half::from_bits(x).to_f32(),
                "f16",
            );
            same(
                one(Format::Bf16, x.into()),
                bf16::from_bits(x).to_f32(),
                "bf16",
            );
        }
    }

    #[test]
    fn small_floats_read_as_the_conversion_instructions_read_them() {
        let formats: [(Format, SmallFormat); 6] = [
            (Format::Fp8, small_float::FP8),
            (Format::Bf8, small_float::BF8),
            (Format::Fp8Fnuz, small_float::FP8_FNUZ),
            (Format::Bf8Fnuz, small_float::BF8_FNUZ),
            (Format::Fp6, small_float::FP6),
            (Format::Fp4, small_float::FP4),
        ];
        for (format, reference) in formats {
            for x in 0..1u32 << format.bits() {
                same(
                    one(format, x),
                    reference.decode(x),
                    &format!("{format:?} {x:#x}"),
                );
            }
        }
        for x in 0..64 {
            same(one(Format::Bf6, x), small_float::BF6.decode(x), "bf6");
        }
    }

    #[test]
    fn six_bit_items_cross_registers() {
        // Item 5 of a lane is bits 35:30 (CDNA4 ISA 7.1.4 counts item 4 there, at 29:24).
        let mut regs = [0u32; 6 * 32];
        for item in 0..32u64 {
            let (bit, code) = (item * 6, (item * 2 + 1) % 32);
            for b in 0..6 {
                regs[((bit + b) / 32 * 32) as usize] |=
                    ((code >> b & 1) as u32) << ((bit + b) % 32);
            }
        }
        let mut out = [0u32; 32 * 32];
        decode(Format::Fp6, &regs, 32, 32, Reading::default(), &mut out);
        for item in 0..32 {
            let code = (item as u32 * 2 + 1) % 32;
            assert_eq!(
                f32::from_bits(out[item * 32]),
                small_float::FP6.decode(code)
            );
        }
    }

    #[test]
    fn results_round_to_halves_as_ieee_says() {
        let mut x = 0u32;
        for _ in 0..200_000 {
            let v = f32::from_bits(x);
            let want = Half::from_f32(v);
            if v.is_nan() {
                assert_eq!(to_f16(v, false), 0x7e00);
            } else {
                assert_eq!(to_f16(v, false), want.to_bits() as u32, "{x:#x}");
                assert_eq!(
                    to_bf16(v, false),
                    bf16::from_f32(v).to_bits() as u32,
                    "{x:#x}"
                );
            }
            x = x.wrapping_add(0x1003_0d41);
        }
        assert_eq!(to_f16(65520.0, false), 0x7c00);
        assert_eq!(to_f16(-65520.0, true), 0xfbff);
        assert_eq!(to_f16(f32::INFINITY, true), 0x7c00);
        assert_eq!(to_bf16(f32::MAX, true), 0x7f7f);
        assert_eq!(to_bf16(f32::MAX, false), 0x7f80);
    }

    #[test]
    fn xf32_keeps_ten_fraction_bits() {
        let third = 1.0f32 + 2.0f32.powi(-11) + 2.0f32.powi(-20);
        assert_eq!(
            f32::from_bits(xf32(third.to_bits())),
            1.0 + 2.0f32.powi(-10)
        );
        let tie = 1.0f32 + 2.0f32.powi(-11);
        assert_eq!(f32::from_bits(xf32(tie.to_bits())), 1.0);
        assert_eq!(f32::from_bits(xf32(f32::INFINITY.to_bits())), f32::INFINITY);
    }
}
