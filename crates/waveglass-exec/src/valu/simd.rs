//! Steps of lane kernels that compilers do not find the instruction for: masks of lanes, pairs of
//! registers as 64-bit values, halves as singles.
//!
//! `L` is the build of the kernel that asks: 0 baseline, 1 AVX2, 2 AVX-512 (see
//! [`level`](super::kernel::level)). Everything is inlined into the kernel, which alone may use the
//! instructions.

#[cfg(target_arch = "x86_64")]
mod x86;

use super::kernel::BLOCK;
use crate::alu::bytes::v_perm_b32;
use crate::alu::float::{Round, narrow_f16, narrow_f16_round, widen_f16};
use bytemuck::must_cast as cast;

/// A bit a lane.
#[inline(always)]
pub(super) fn mask_of<const L: usize>(lanes: [bool; BLOCK]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut bytes = [0; BLOCK];
        for i in 0..BLOCK {
            bytes[i] = u8::from(lanes[i]);
        }
        match L {
            // SAFETY: builds 1 and 2 run on CPUs with these features only.
            2 => return unsafe { x86::mask_avx512(bytes) },
            // SAFETY: as above.
            1 => return unsafe { x86::mask_avx2(bytes) },
            _ => {}
        }
    }
    let mut mask = 0;
    for (i, lane) in lanes.into_iter().enumerate() {
        mask |= u32::from(lane) << i;
    }
    mask
}

/// A lane a bit.
#[inline(always)]
pub(super) fn lanes_of<const L: usize>(mask: u32) -> [bool; BLOCK] {
    #[cfg(target_arch = "x86_64")]
    if L == 2 {
        // SAFETY: build 2 runs on CPUs with these features only.
        let bytes = unsafe { x86::lanes_avx512(mask) };
        let mut lanes = [false; BLOCK];
        for i in 0..BLOCK {
            lanes[i] = bytes[i] != 0;
        }
        return lanes;
    }
    let mut lanes = [false; BLOCK];
    for (i, lane) in lanes.iter_mut().enumerate() {
        *lane = mask >> i & 1 != 0;
    }
    lanes
}

/// 64-bit values from their halves.
#[inline(always)]
pub(super) fn join<const L: usize>(low: [u32; BLOCK], high: [u32; BLOCK]) -> [u64; BLOCK] {
    #[cfg(target_arch = "x86_64")]
    if L == 2 {
        // SAFETY: build 2 runs on CPUs with these features only.
        return unsafe { x86::join_avx512(low, high) };
    }
    let mut v = [0; BLOCK];
    for i in 0..BLOCK {
        v[i] = u64::from(low[i]) | u64::from(high[i]) << 32;
    }
    v
}

/// The halves of 64-bit values.
#[inline(always)]
pub(super) fn split<const L: usize>(v: [u64; BLOCK]) -> [[u32; BLOCK]; 2] {
    #[cfg(target_arch = "x86_64")]
    if L == 2 {
        // SAFETY: build 2 runs on CPUs with these features only.
        return unsafe { x86::split_avx512(v) };
    }
    let (mut low, mut high) = ([0; BLOCK], [0; BLOCK]);
    for i in 0..BLOCK {
        low[i] = v[i] as u32;
        high[i] = (v[i] >> 32) as u32;
    }
    [low, high]
}

/// The halves in bits 15:0 as singles; a signalling NaN may come out quiet.
#[inline(always)]
pub(super) fn widen<const L: usize>(halves: [u32; BLOCK]) -> [f32; BLOCK] {
    #[cfg(target_arch = "x86_64")]
    if L == 2 {
        // SAFETY: build 2 runs on CPUs with these features only.
        return unsafe { x86::widen_avx512(halves) };
    }
    #[cfg(target_arch = "x86_64")]
    if L == 1 {
        // SAFETY: build 1 runs on CPUs with these features only.
        return unsafe { x86::widen_f16c(halves) };
    }
    let mut v = [0.0; BLOCK];
    for i in 0..BLOCK {
        v[i] = widen_f16(halves[i] as u16);
    }
    v
}

/// Singles rounded to halves, to nearest even; which NaN comes out is left open.
#[inline(always)]
pub(super) fn narrow<const L: usize>(singles: [f32; BLOCK]) -> [u32; BLOCK] {
    #[cfg(target_arch = "x86_64")]
    if L == 2 {
        // SAFETY: build 2 runs on CPUs with these features only.
        return unsafe { x86::narrow_avx512(singles) };
    }
    #[cfg(target_arch = "x86_64")]
    if L == 1 {
        // SAFETY: build 1 runs on CPUs with these features only.
        return unsafe { x86::narrow_f16c::<{ x86::NEAREST }>(singles) };
    }
    let mut v = [0; BLOCK];
    for i in 0..BLOCK {
        v[i] = u32::from(narrow_f16(singles[i]));
    }
    v
}

/// Singles rounded to halves toward zero; which NaN comes out is left open.
#[inline(always)]
pub(in crate::valu) fn narrow_toward_zero<const L: usize>(singles: [f32; BLOCK]) -> [u32; BLOCK] {
    #[cfg(target_arch = "x86_64")]
    if L == 2 {
        // SAFETY: build 2 runs on CPUs with these features only.
        return unsafe { x86::narrow_toward_zero_avx512(singles) };
    }
    #[cfg(target_arch = "x86_64")]
    if L == 1 {
        // SAFETY: build 1 runs on CPUs with these features only.
        return unsafe { x86::narrow_f16c::<{ x86::ZERO }>(singles) };
    }
    let mut v = [0; BLOCK];
    for i in 0..BLOCK {
        v[i] = u32::from(narrow_f16_round(singles[i], Round::TowardZero));
    }
    v
}

/// `v_perm_b32` of a row's lanes.
#[inline(always)]
pub(crate) fn permute_bytes<const L: usize>([a, b, c]: [[u32; BLOCK]; 3]) -> [u32; BLOCK] {
    #[cfg(target_arch = "x86_64")]
    if L == 2 {
        // SAFETY: build 2 runs on CPUs with these features only.
        return unsafe { x86::permute_bytes_avx512(a, b, c) };
    }
    #[cfg(target_arch = "x86_64")]
    if L == 1 {
        // SAFETY: build 1 runs on CPUs with these features only.
        return unsafe { x86::permute_bytes_avx2(a, b, c) };
    }
    let mut v = [0; BLOCK];
    for i in 0..BLOCK {
        v[i] = v_perm_b32(a[i], b[i], c[i]);
    }
    v
}

/// Signed words: the sum of the two products of each lane.
#[inline(always)]
pub(super) fn multiply_words<const L: usize>(a: [u32; BLOCK], b: [u32; BLOCK]) -> [u32; BLOCK] {
    #[cfg(target_arch = "x86_64")]
    if L == 2 {
        // SAFETY: build 2 runs on CPUs with these features only.
        return unsafe { x86::multiply_words_avx512(a, b) };
    }
    #[cfg(target_arch = "x86_64")]
    if L == 1 {
        // SAFETY: build 1 runs on CPUs with these features only.
        return unsafe { x86::multiply_words_avx2(a, b) };
    }
    let mut v = [0; BLOCK];
    for i in 0..BLOCK {
        let low = i32::from(a[i] as i16) * i32::from(b[i] as i16);
        let high = (a[i] as i32 >> 16) * (b[i] as i32 >> 16);
        v[i] = low.wrapping_add(high) as u32;
    }
    v
}

/// Unsigned bytes with signed ones: the sums of the products of the two in each half of a lane, which must
/// be within 16 bits with a sign.
#[inline(always)]
pub(super) fn multiply_bytes<const L: usize>(a: [u32; BLOCK], b: [u32; BLOCK]) -> [u32; BLOCK] {
    #[cfg(target_arch = "x86_64")]
    if L == 2 {
        // SAFETY: build 2 runs on CPUs with these features only.
        return unsafe { x86::multiply_bytes_avx512(a, b) };
    }
    #[cfg(target_arch = "x86_64")]
    if L == 1 {
        // SAFETY: build 1 runs on CPUs with these features only.
        return unsafe { x86::multiply_bytes_avx2(a, b) };
    }
    let (a, b): ([u16; 2 * BLOCK], [i16; 2 * BLOCK]) = (cast(a), cast(b));
    let mut v = [0i16; 2 * BLOCK];
    for i in 0..2 * BLOCK {
        let low = ((a[i] & 0xff) as i16).wrapping_mul(b[i] << 8 >> 8);
        v[i] = low.wrapping_add(((a[i] >> 8) as i16).wrapping_mul(b[i] >> 8));
    }
    cast(v)
}

/// The smaller and the larger of singles, neither a NaN; of zeros either.
#[inline(always)]
pub(super) fn in_order<const L: usize>(a: [f32; BLOCK], b: [f32; BLOCK]) -> [[f32; BLOCK]; 2] {
    #[cfg(target_arch = "x86_64")]
    if L == 2 {
        // SAFETY: build 2 runs on CPUs with these features only.
        return unsafe { x86::in_order_avx512(a, b) };
    }
    #[cfg(target_arch = "x86_64")]
    if L == 1 {
        // SAFETY: build 1 runs on CPUs with these features only.
        return unsafe { x86::in_order_avx2(a, b) };
    }
    let (mut smaller, mut larger) = (a, b);
    for i in 0..BLOCK {
        if a[i] > b[i] {
            (smaller[i], larger[i]) = (b[i], a[i]);
        }
    }
    [smaller, larger]
}

/// Sixteen lanes, each taken from the one that the low four bits of its index name.
#[inline(always)]
pub(crate) fn permute_sixteen<const L: usize>(lanes: [u32; 16], index: [u32; 16]) -> [u32; 16] {
    #[cfg(target_arch = "x86_64")]
    if L == 2 {
        // SAFETY: build 2 runs on CPUs with these features only.
        return unsafe { x86::permute_sixteen_avx512(lanes, index) };
    }
    let mut v = [0; 16];
    for i in 0..16 {
        v[i] = lanes[index[i] as usize & 15];
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each_build(test: impl Fn(usize)) {
        for level in 0..=crate::valu::kernel::level() {
            test(level);
        }
    }

    macro_rules! at {
        ($level:expr, $f:ident($($arg:expr),*)) => {
            match $level {
                0 => $f::<0>($($arg),*),
                1 => $f::<1>($($arg),*),
                _ => $f::<2>($($arg),*),
            }
        };
    }

    #[test]
    fn masks_and_lanes_are_each_others_inverse() {
        each_build(|level| {
            for mask in [0, 1, 0x8000_0000, 0x1234_5678, u32::MAX] {
                let lanes = at!(level, lanes_of(mask));
                assert!((0..32).all(|i| lanes[i] == (mask >> i & 1 != 0)));
                assert_eq!(at!(level, mask_of(lanes)), mask);
            }
        });
    }

    #[test]
    fn bytes_are_permuted_by_every_selector() {
        let a: [u32; BLOCK] =
            std::array::from_fn(|i| 0x80ff_7f00 ^ (i as u32).wrapping_mul(0x0173_1d2b));
        let b: [u32; BLOCK] =
            std::array::from_fn(|i| 0x0102_8304 ^ (i as u32).wrapping_mul(0x9e37_79b9));
        each_build(|level| {
            for selector in 0..256u32 {
                // Its neighbours in the same lane differ from it.
                let c: [u32; BLOCK] = std::array::from_fn(|i| {
                    let next = selector.wrapping_add(i as u32) & 0xff;
                    selector | next << 8 | (selector ^ 12) << 16 | (next ^ 3) << 24
                });
                let got = at!(level, permute_bytes([a, b, c]));
                for i in 0..BLOCK {
                    assert_eq!(got[i], v_perm_b32(a[i], b[i], c[i]), "{selector:#x} {i}");
                }
            }
        });
    }

    #[test]
    fn halves_of_64_bits_are_joined_and_split_in_order() {
        each_build(|level| {
            let low: [u32; BLOCK] = std::array::from_fn(|i| i as u32);
            let high: [u32; BLOCK] = std::array::from_fn(|i| 100 + i as u32);
            let v = at!(level, join(low, high));
            assert!((0..32).all(|i| v[i] == i as u64 | (100 + i as u64) << 32));
            assert_eq!(at!(level, split(v)), [low, high]);
        });
    }

    #[test]
    fn every_number_is_widened_exactly_and_narrowed_back() {
        each_build(|level| {
            for first in (0..0x1_0000u32).step_by(BLOCK) {
                let halves: [u32; BLOCK] = std::array::from_fn(|i| first + i as u32);
                let singles = at!(level, widen(halves));
                let back = at!(level, narrow(singles));
                for i in 0..BLOCK {
                    let want = widen_f16(halves[i] as u16);
                    if want.is_nan() {
                        assert!(singles[i].is_nan() && back[i] & 0x7fff > 0x7c00);
                    } else {
                        assert_eq!(singles[i].to_bits(), want.to_bits());
                        assert_eq!(back[i], halves[i]);
                    }
                }
            }
            // Halfway, above the largest, and down to denormals.
            let x = [1.000_488_3f32, 65519.9, 65520.0, 2e-8, 3e-8, 5.960_464e-8];
            let singles: [f32; BLOCK] = std::array::from_fn(|i| x[i % x.len()]);
            let want: [u32; BLOCK] = std::array::from_fn(|i| narrow_f16(singles[i]).into());
            assert_eq!(at!(level, narrow(singles)), want);
            let toward_zero = |x| narrow_f16_round(x, Round::TowardZero).into();
            let want: [u32; BLOCK] = std::array::from_fn(|i| toward_zero(singles[i]));
            assert_eq!(at!(level, narrow_toward_zero(singles)), want);
            let large: [f32; BLOCK] = std::array::from_fn(|i| 1e4 * (i as f32 - 16.0));
            let want: [u32; BLOCK] = std::array::from_fn(|i| toward_zero(large[i]));
            assert_eq!(at!(level, narrow_toward_zero(large)), want);
        });
    }

    #[test]
    fn singles_between_all_halves_are_narrowed_as_in_integers() {
        // Each half, the middle to the next, and what lies right beside both.
        let around = |half: u16| {
            let (x, next) = (widen_f16(half), widen_f16(half + 1));
            let next = if next.is_finite() {
                next
            } else {
                65536f32.copysign(x)
            };
            let middle = x / 2.0 + next / 2.0;
            [x, x.next_up(), middle.next_down(), middle, middle.next_up()]
        };
        let singles: Vec<f32> = (0..0x7c00)
            .flat_map(|half| [half, half | 0x8000])
            .flat_map(around)
            .collect();
        each_build(|level| {
            for row in singles.chunks_exact(BLOCK) {
                let row: [f32; BLOCK] = std::array::from_fn(|i| row[i]);
                let nearest = at!(level, narrow(row));
                let truncated = at!(level, narrow_toward_zero(row));
                for i in 0..BLOCK {
                    assert_eq!(nearest[i], narrow_f16(row[i]).into(), "{:e}", row[i]);
                    let expected = narrow_f16_round(row[i], Round::TowardZero);
                    assert_eq!(truncated[i], expected.into(), "{:e}", row[i]);
                }
            }
        });
    }
}
