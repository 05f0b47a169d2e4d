// Matrix products through the matrix instructions: C = A * B with A stored by rows and B by columns, so that a
// lane's elements of either are consecutive. Each target's fragments are loaded and stored as its manual lays
// them out; the host computes the plain product.
#include "wg.h"

typedef f16 f16x4 __attribute__((ext_vector_type(4)));
typedef f16 f16x8 __attribute__((ext_vector_type(8)));
typedef f16 f16x16 __attribute__((ext_vector_type(16)));
typedef __bf16 bf16x16 __attribute__((ext_vector_type(16)));
typedef i16 i16x4 __attribute__((ext_vector_type(4)));
typedef i16 i16x8 __attribute__((ext_vector_type(8)));
typedef i16 i16x16 __attribute__((ext_vector_type(16)));
typedef f32 f32x8 __attribute__((ext_vector_type(8)));
typedef i32 i32x2 __attribute__((ext_vector_type(2)));
typedef i32 i32x4 __attribute__((ext_vector_type(4)));
typedef i32 i32x8 __attribute__((ext_vector_type(8)));
typedef f64 f64x4 __attribute__((ext_vector_type(4)));
typedef f32 f32x2 __attribute__((ext_vector_type(2)));
typedef long i64bits;

#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
#define MFMA 1
#define LANES 64
#define RESULTS 4
#else
#define MFMA 0
#define LANES 32
#define RESULTS 8
#endif

// The row of a 16x16 result that item r of this lane belongs to.
__device__ static inline u32 result_row(u32 r) {
  u32 group = (thread_x() % LANES) / 16;
#if MFMA
  return 4 * group + r;
#elif defined(__gfx1100__)
  return 2 * r + group;
#else
  return 8 * group + r;
#endif
}

// A format: its fragment, the elements of a lane in it, values of K a product takes, and the product.
// `CHUNK` consecutive elements of a lane are consecutive in K; the next chunk is past those of the other lanes.
template <class E, class Frag, class Acc, u32 K, u32 CHUNK, u32 ITEMS> struct Format {
  typedef E Element;
  typedef Frag Fragment;
  typedef Acc Result;
  static constexpr u32 k = K;

  __device__ static inline Frag load(const E *rows, u32 stride, u32 k0) {
    u32 lane = thread_x() % LANES, group = lane / 16;
#if defined(__gfx1100__)
    group = 0; // Both halves of the wave hold the same.
#endif
    constexpr u32 groups = K / ITEMS;
    const E *at = rows + (lane % 16) * stride + k0 + CHUNK * group;
    union {
      Frag frag;
      E items[ITEMS];
    } u;
#pragma unroll
    for (u32 c = 0; c < ITEMS / CHUNK; ++c)
      __builtin_memcpy(&u.items[c * CHUNK], at + c * CHUNK * groups, CHUNK * sizeof(E));
    return u.frag;
  }
};

#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
struct F16 : Format<f16, f16x4, f32x4, 16, 4, 4> {
  __device__ static f32x4 mma(f16x4 a, f16x4 b, f32x4 c) { return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0); }
};
struct F32 : Format<f32, f32, f32x4, 4, 1, 1> {
  __device__ static f32x4 mma(f32 a, f32 b, f32x4 c) { return __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, c, 0, 0, 0); }
};
#endif
#if defined(__gfx908__)
struct Bf16 : Format<u16, i16x2, f32x4, 8, 2, 2> {
  __device__ static f32x4 mma(i16x2 a, i16x2 b, f32x4 c) { return __builtin_amdgcn_mfma_f32_16x16x8bf16(a, b, c, 0, 0, 0); }
};
#elif MFMA
struct Bf16 : Format<u16, i16x4, f32x4, 16, 4, 4> {
  __device__ static f32x4 mma(i16x4 a, i16x4 b, f32x4 c) { return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0); }
};
#endif
#if defined(__gfx908__) || defined(__gfx90a__)
struct I8 : Format<i8, i32, i32x4, 16, 4, 4> {
  __device__ static i32x4 mma(i32 a, i32 b, i32x4 c) { return __builtin_amdgcn_mfma_i32_16x16x16i8(a, b, c, 0, 0, 0); }
};
#elif MFMA
struct I8 : Format<i8, i64bits, i32x4, 32, 8, 8> {
  __device__ static i32x4 mma(i64bits a, i64bits b, i32x4 c) { return __builtin_amdgcn_mfma_i32_16x16x32_i8(a, b, c, 0, 0, 0); }
};
struct Fp8 : Format<u8, i64bits, f32x4, 32, 8, 8> {
  __device__ static f32x4 mma(i64bits a, i64bits b, f32x4 c) { return __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(a, b, c, 0, 0, 0); }
};
#endif
#if defined(__gfx950__)
// 16 consecutive values of K, then 16 more past the other lanes' (CDNA4 ISA 7.1.5).
struct Scaled : Format<u8, i32x8, f32x4, 128, 16, 32> {
  __device__ static f32x4 mma(i32x8 a, i32x8 b, f32x4 c) {
    // Scales of A are 2^1, of B 2^-2.
    return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a, b, c, 0, 0, 0, 128, 0, 125);
  }
};
#endif
#if defined(__gfx1100__)
struct F16 : Format<f16, f16x16, f32x8, 16, 16, 16> {
  __device__ static f32x8 mma(f16x16 a, f16x16 b, f32x8 c) { return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c); }
};
struct Bf16 : Format<u16, i16x16, f32x8, 16, 16, 16> {
  __device__ static f32x8 mma(i16x16 a, i16x16 b, f32x8 c) { return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c); }
};
struct I8 : Format<i8, i32x4, i32x8, 16, 16, 16> {
  __device__ static i32x8 mma(i32x4 a, i32x4 b, i32x8 c) { return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, a, true, b, c, false); }
};
#elif defined(__gfx1201__)
struct F16 : Format<f16, f16x8, f32x8, 16, 8, 8> {
  __device__ static f32x8 mma(f16x8 a, f16x8 b, f32x8 c) { return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c); }
};
struct Bf16 : Format<u16, i16x8, f32x8, 16, 8, 8> {
  __device__ static f32x8 mma(i16x8 a, i16x8 b, f32x8 c) { return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(a, b, c); }
};
struct I8 : Format<i8, i32x2, i32x8, 16, 8, 8> {
  __device__ static i32x8 mma(i32x2 a, i32x2 b, i32x8 c) { return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, a, true, b, c, false); }
};
struct Fp8 : Format<u8, i32x2, f32x8, 16, 8, 8> {
  __device__ static f32x8 mma(i32x2 a, i32x2 b, f32x8 c) { return __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(a, b, c); }
};
#elif defined(__gfx1250__)
struct F16 : Format<f16, f16x16, f32x8, 32, 8, 16> {
  __device__ static f32x8 mma(f16x16 a, f16x16 b, f32x8 c) { return __builtin_amdgcn_wmma_f32_16x16x32_f16(false, a, false, b, 0, c, false, false); }
};
struct Bf16 : Format<u16, bf16x16, f32x8, 32, 8, 16> {
  __device__ static f32x8 mma(bf16x16 a, bf16x16 b, f32x8 c) { return __builtin_amdgcn_wmma_f32_16x16x32_bf16(false, a, false, b, 0, c, false, false); }
};
struct I8 : Format<i8, i32x8, i32x8, 64, 8, 32> {
  __device__ static i32x8 mma(i32x8 a, i32x8 b, i32x8 c) { return __builtin_amdgcn_wmma_i32_16x16x64_iu8(true, a, true, b, c, false, false); }
};
struct Fp8 : Format<u8, i32x8, f32x8, 64, 8, 32> {
  __device__ static f32x8 mma(i32x8 a, i32x8 b, f32x8 c) { return __builtin_amdgcn_wmma_f32_16x16x64_fp8_fp8(a, b, 0, c, false, false); }
};
struct F32 : Format<f32, f32x2, f32x8, 4, 2, 2> {
  __device__ static f32x8 mma(f32x2 a, f32x2 b, f32x8 c) { return __builtin_amdgcn_wmma_f32_16x16x4_f32(false, a, false, b, 0, c, false, false); }
};
#endif

// A workgroup is one wave and computes T x T tiles of 16x16.
template <class F, u32 T, class R>
__device__ static inline void multiply(const typename F::Element *a, const typename F::Element *b, R *c, u32 n, u32 k) {
  typename F::Result sum[T][T] = {};
  u32 row0 = block_y() * 16 * T, col0 = block_x() * 16 * T;
  for (u32 k0 = 0; k0 < k; k0 += F::k) {
    typename F::Fragment fa[T], fb[T];
#pragma unroll
    for (u32 t = 0; t < T; ++t) {
      fa[t] = F::load(a + (row0 + 16 * t) * k, k, k0);
      fb[t] = F::load(b + (col0 + 16 * t) * k, k, k0);
    }
#pragma unroll
    for (u32 i = 0; i < T; ++i)
#pragma unroll
      for (u32 j = 0; j < T; ++j)
        sum[i][j] = F::mma(fa[i], fb[j], sum[i][j]);
  }
#pragma unroll
  for (u32 i = 0; i < T; ++i)
#pragma unroll
    for (u32 j = 0; j < T; ++j)
#pragma unroll
      for (u32 r = 0; r < RESULTS; ++r)
        c[(row0 + 16 * i + result_row(r)) * n + col0 + 16 * j + thread_x() % 16] = sum[i][j][r];
}

KERNEL product_f16(const f16 *a, const f16 *b, f32 *c, u32 n, u32 k) { multiply<F16, 2>(a, b, c, n, k); }
KERNEL product_bf16(const u16 *a, const u16 *b, f32 *c, u32 n, u32 k) { multiply<Bf16, 2>(a, b, c, n, k); }
KERNEL product_i8(const i8 *a, const i8 *b, i32 *c, u32 n, u32 k) { multiply<I8, 2>(a, b, c, n, k); }
#if defined(__gfx942__) || defined(__gfx950__) || defined(__gfx1201__) || defined(__gfx1250__)
KERNEL product_fp8(const u8 *a, const u8 *b, f32 *c, u32 n, u32 k) { multiply<Fp8, 2>(a, b, c, n, k); }
#endif
#if MFMA || defined(__gfx1250__)
KERNEL product_f32(const f32 *a, const f32 *b, f32 *c, u32 n, u32 k) { multiply<F32, 2>(a, b, c, n, k); }
#endif
#if defined(__gfx950__)
KERNEL product_scaled(const u8 *a, const u8 *b, f32 *c, u32 n, u32 k) { multiply<Scaled, 1>(a, b, c, n, k); }
#endif

// The benchmark: 1024 x 1024 x 1024 through tiles of 64 x 64 a wave, grid (16, 16), work-items one wave.
KERNEL product_f16_1024(const f16 *a, const f16 *b, f32 *c) { multiply<F16, 4>(a, b, c, 1024, 1024); }
