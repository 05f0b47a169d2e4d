//! Steps of lane kernels that compilers do not find the instruction for: masks of lanes, pairs of
//! registers as 64-bit values, halves as singles.
//!
//! `L` is the build of the kernel that asks: 0 baseline, 1 AVX2, 2 AVX-512 (see
//! [`level`](super::kernel::level)). Everything is inlined into the kernel, which alone may use the
//! instructions.

use super::kernel::BLOCK;
use crate::alu::float::{Round, narrow_f16, narrow_f16_round, widen_f16};

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
    let mut v = [0; BLOCK];
    for i in 0..BLOCK {
        v[i] = u32::from(narrow_f16_round(singles[i], Round::TowardZero));
    }
    v
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::BLOCK;
    use bytemuck::must_cast as cast;
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    pub(super) fn mask_avx512(lanes: [u8; BLOCK]) -> u32 {
        let v: __m256i = cast(lanes);
        _mm256_test_epi8_mask(v, v)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn mask_avx2(lanes: [u8; BLOCK]) -> u32 {
        // The lowest bit of each byte to its highest.
        _mm256_movemask_epi8(_mm256_slli_epi16::<7>(cast(lanes))) as u32
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    pub(super) fn lanes_avx512(mask: u32) -> [u8; BLOCK] {
        cast(_mm256_maskz_set1_epi8(mask, 1))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn join_avx512(low: [u32; BLOCK], high: [u32; BLOCK]) -> [u64; BLOCK] {
        let first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        let second =
            _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        let low: [__m512i; 2] = cast(low);
        let high: [__m512i; 2] = cast(high);
        cast([
            _mm512_permutex2var_epi32(low[0], first, high[0]),
            _mm512_permutex2var_epi32(low[0], second, high[0]),
            _mm512_permutex2var_epi32(low[1], first, high[1]),
            _mm512_permutex2var_epi32(low[1], second, high[1]),
        ])
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn split_avx512(v: [u64; BLOCK]) -> [[u32; BLOCK]; 2] {
        let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        let odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
        let v: [__m512i; 4] = cast(v);
        cast([
            _mm512_permutex2var_epi32(v[0], even, v[1]),
            _mm512_permutex2var_epi32(v[2], even, v[3]),
            _mm512_permutex2var_epi32(v[0], odd, v[1]),
            _mm512_permutex2var_epi32(v[2], odd, v[3]),
        ])
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn widen_avx512(halves: [u32; BLOCK]) -> [f32; BLOCK] {
        let v: [__m512i; 2] = cast(halves);
        cast(v.map(|v| _mm512_cvtph_ps(_mm512_cvtepi32_epi16(v))))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn narrow_avx512(singles: [f32; BLOCK]) -> [u32; BLOCK] {
        let v: [__m512; 2] = cast(singles);
        cast(v.map(|v| _mm512_cvtepu16_epi32(_mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(v))))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn narrow_toward_zero_avx512(singles: [f32; BLOCK]) -> [u32; BLOCK] {
        let v: [__m512; 2] = cast(singles);
        cast(v.map(|v| _mm512_cvtepu16_epi32(_mm512_cvtps_ph::<_MM_FROUND_TO_ZERO>(v))))
    }
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
}
