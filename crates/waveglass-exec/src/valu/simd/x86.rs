//! The steps of [`simd`](super) in instructions of x86: AVX2 with F16C, and AVX-512.

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
#[target_feature(enable = "avx2")]
pub(super) fn permute_bytes_avx2(
    a: [u32; BLOCK],
    b: [u32; BLOCK],
    c: [u32; BLOCK],
) -> [u32; BLOCK] {
    let (a, b, c): ([__m256i; 4], [__m256i; 4], [__m256i; 4]) = (cast(a), cast(b), cast(c));
    cast([
        permute_eight(a[0], b[0], c[0]),
        permute_eight(a[1], b[1], c[1]),
        permute_eight(a[2], b[2], c[2]),
        permute_eight(a[3], b[3], c[3]),
    ])
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn permute_bytes_avx512(
    a: [u32; BLOCK],
    b: [u32; BLOCK],
    c: [u32; BLOCK],
) -> [u32; BLOCK] {
    let bytes = |x: i8| _mm512_set1_epi8(x);
    let (va, vb): ([__m512i; 2], [__m512i; 2]) = (cast(a), cast(b));
    let vc: [__m512i; 2] = cast(c);
    // Byte shuffles stay within four lanes, of which each byte starts at its own.
    let lane = _mm512_broadcast_i32x4(_mm_set_epi32(0x0c0c_0c0c, 0x0808_0808, 0x0404_0404, 0));
    let mut r = [_mm512_setzero_si512(); 2];
    for k in 0..2 {
        // Selectors 0 to 7: a byte of either source.
        let number = _mm512_cmple_epu8_mask(vc[k], bytes(7));
        let of_a = _mm512_test_epi8_mask(vc[k], bytes(4));
        let from = _mm512_or_si512(_mm512_and_si512(vc[k], bytes(3)), lane);
        let picked = _mm512_maskz_shuffle_epi8(number, vb[k], from);
        let picked = _mm512_mask_shuffle_epi8(picked, number & of_a, va[k], from);
        // 12: zeros, and ones above it.
        let mut ones = _mm512_cmpgt_epu8_mask(vc[k], bytes(12));
        // 8 to 11: the sign of bytes 1 and 3 of either.
        let sign = !number & _mm512_cmple_epu8_mask(vc[k], bytes(11));
        if sign != 0 {
            let odd = _mm512_and_si512(_mm512_add_epi8(vc[k], vc[k]), bytes(2));
            let from = _mm512_or_si512(_mm512_or_si512(odd, bytes(1)), lane);
            let of_a = _mm512_test_epi8_mask(vc[k], bytes(2));
            let bytes = _mm512_shuffle_epi8(vb[k], from);
            let bytes = _mm512_mask_shuffle_epi8(bytes, of_a, va[k], from);
            ones |= sign & _mm512_movepi8_mask(bytes);
        }
        r[k] = _mm512_mask_set1_epi8(picked, ones, -1);
    }
    cast(r)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn multiply_words_avx512(a: [u32; BLOCK], b: [u32; BLOCK]) -> [u32; BLOCK] {
    let (a, b): ([__m512i; 2], [__m512i; 2]) = (cast(a), cast(b));
    cast([_mm512_madd_epi16(a[0], b[0]), _mm512_madd_epi16(a[1], b[1])])
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn multiply_words_avx2(a: [u32; BLOCK], b: [u32; BLOCK]) -> [u32; BLOCK] {
    let (a, b): ([__m256i; 4], [__m256i; 4]) = (cast(a), cast(b));
    cast([
        _mm256_madd_epi16(a[0], b[0]),
        _mm256_madd_epi16(a[1], b[1]),
        _mm256_madd_epi16(a[2], b[2]),
        _mm256_madd_epi16(a[3], b[3]),
    ])
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn multiply_bytes_avx512(a: [u32; BLOCK], b: [u32; BLOCK]) -> [u32; BLOCK] {
    let (a, b): ([__m512i; 2], [__m512i; 2]) = (cast(a), cast(b));
    cast([
        _mm512_maddubs_epi16(a[0], b[0]),
        _mm512_maddubs_epi16(a[1], b[1]),
    ])
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn multiply_bytes_avx2(a: [u32; BLOCK], b: [u32; BLOCK]) -> [u32; BLOCK] {
    let (a, b): ([__m256i; 4], [__m256i; 4]) = (cast(a), cast(b));
    cast([
        _mm256_maddubs_epi16(a[0], b[0]),
        _mm256_maddubs_epi16(a[1], b[1]),
        _mm256_maddubs_epi16(a[2], b[2]),
        _mm256_maddubs_epi16(a[3], b[3]),
    ])
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn in_order_avx512(a: [f32; BLOCK], b: [f32; BLOCK]) -> [[f32; BLOCK]; 2] {
    let (a, b): ([__m512; 2], [__m512; 2]) = (cast(a), cast(b));
    let smaller = [_mm512_min_ps(a[0], b[0]), _mm512_min_ps(a[1], b[1])];
    let larger = [_mm512_max_ps(a[0], b[0]), _mm512_max_ps(a[1], b[1])];
    [cast(smaller), cast(larger)]
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn in_order_avx2(a: [f32; BLOCK], b: [f32; BLOCK]) -> [[f32; BLOCK]; 2] {
    let (a, b): ([__m256; 4], [__m256; 4]) = (cast(a), cast(b));
    let (mut smaller, mut larger) = (a, b);
    for k in 0..4 {
        smaller[k] = _mm256_min_ps(a[k], b[k]);
        larger[k] = _mm256_max_ps(a[k], b[k]);
    }
    [cast(smaller), cast(larger)]
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn permute_sixteen_avx512(lanes: [u32; 16], index: [u32; 16]) -> [u32; 16] {
    cast(_mm512_permutexvar_epi32(cast(index), cast(lanes)))
}

/// `v_perm_b32` of eight lanes: all that a selector byte may mean, then the choice between them.
#[inline]
#[target_feature(enable = "avx2")]
fn permute_eight(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    let bytes = |x: i8| _mm256_set1_epi8(x);
    // Byte shuffles stay within four lanes, of which each byte starts at its own.
    let lane = _mm256_set1_epi64x(0x0404_0404_0000_0000);
    let lane = _mm256_add_epi8(
        lane,
        _mm256_set_epi64x(0x0808_0808_0808_0808, 0, 0x0808_0808_0808_0808, 0),
    );
    // Selectors 0 to 7: a byte of either source. A choice looks at bit 7 alone.
    let from = _mm256_add_epi8(_mm256_and_si256(c, bytes(3)), lane);
    let picked = _mm256_blendv_epi8(
        _mm256_shuffle_epi8(b, from),
        _mm256_shuffle_epi8(a, from),
        _mm256_slli_epi16::<5>(c),
    );
    // 8 to 11: the sign of bytes 1 and 3 of either.
    let zero = _mm256_setzero_si256();
    let odd = _mm256_slli_epi16::<1>(_mm256_and_si256(c, bytes(1)));
    let from = _mm256_add_epi8(_mm256_or_si256(odd, bytes(1)), lane);
    let sign = _mm256_blendv_epi8(
        _mm256_shuffle_epi8(_mm256_cmpgt_epi8(zero, b), from),
        _mm256_shuffle_epi8(_mm256_cmpgt_epi8(zero, a), from),
        _mm256_slli_epi16::<6>(c),
    );
    // 12: zeros, and ones above it.
    let ones = bytes(-1);
    let constant = _mm256_andnot_si256(_mm256_cmpeq_epi8(c, bytes(12)), ones);
    let up_to = |limit: i8| _mm256_cmpeq_epi8(_mm256_min_epu8(c, bytes(limit)), c);
    let r = _mm256_blendv_epi8(constant, sign, up_to(11));
    _mm256_blendv_epi8(r, picked, up_to(7))
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
    let second = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
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

/// Rounding to nearest even, for [`narrow_f16c`].
pub(super) const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT;
/// Rounding toward zero, for [`narrow_f16c`].
pub(super) const ZERO: i32 = _MM_FROUND_TO_ZERO;

#[inline]
#[target_feature(enable = "avx2,f16c")]
pub(super) fn widen_f16c(halves: [u32; BLOCK]) -> [f32; BLOCK] {
    let v: [__m256i; 4] = cast(halves);
    cast([
        widen_eight(v[0]),
        widen_eight(v[1]),
        widen_eight(v[2]),
        widen_eight(v[3]),
    ])
}

#[inline]
#[target_feature(enable = "avx2,f16c")]
fn widen_eight(halves: __m256i) -> __m256 {
    // Words that are no larger than 16 bits are packed as they are.
    let halves = _mm256_and_si256(halves, _mm256_set1_epi32(0xffff));
    let [low, high]: [__m128i; 2] = cast(halves);
    _mm256_cvtph_ps(_mm_packus_epi32(low, high))
}

#[inline]
#[target_feature(enable = "avx2,f16c")]
pub(super) fn narrow_f16c<const ROUND: i32>(singles: [f32; BLOCK]) -> [u32; BLOCK] {
    let v: [__m256; 4] = cast(singles);
    cast([
        narrow_eight::<ROUND>(v[0]),
        narrow_eight::<ROUND>(v[1]),
        narrow_eight::<ROUND>(v[2]),
        narrow_eight::<ROUND>(v[3]),
    ])
}

#[inline]
#[target_feature(enable = "avx2,f16c")]
fn narrow_eight<const ROUND: i32>(singles: __m256) -> __m256i {
    let halves = match ROUND {
        ZERO => _mm256_cvtps_ph::<_MM_FROUND_TO_ZERO>(singles),
        _ => _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(singles),
    };
    _mm256_cvtepu16_epi32(halves)
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn widen_avx512(halves: [u32; BLOCK]) -> [f32; BLOCK] {
    let v: [__m512i; 2] = cast(halves);
    cast([
        _mm512_cvtph_ps(_mm512_cvtepi32_epi16(v[0])),
        _mm512_cvtph_ps(_mm512_cvtepi32_epi16(v[1])),
    ])
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn narrow_avx512(singles: [f32; BLOCK]) -> [u32; BLOCK] {
    let v: [__m512; 2] = cast(singles);
    cast([
        _mm512_cvtepu16_epi32(_mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(v[0])),
        _mm512_cvtepu16_epi32(_mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(v[1])),
    ])
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn narrow_toward_zero_avx512(singles: [f32; BLOCK]) -> [u32; BLOCK] {
    let v: [__m512; 2] = cast(singles);
    cast([
        _mm512_cvtepu16_epi32(_mm512_cvtps_ph::<_MM_FROUND_TO_ZERO>(v[0])),
        _mm512_cvtepu16_epi32(_mm512_cvtps_ph::<_MM_FROUND_TO_ZERO>(v[1])),
    ])
}
