// Matrix products C = A * B in f32, row major, each product folded in by a fused multiply-add in the order of k,
// so that the result is one defined value.
#include "wg.h"

#define TILE 16

// Any m, n, k; work-items (16, 16), one element each.
KERNEL matmul_tiled(const f32 *a, const f32 *b, f32 *c, u32 m, u32 n, u32 k) {
  __shared__ f32 tile_a[TILE][TILE];
  __shared__ f32 tile_b[TILE][TILE + 1];
  u32 tx = thread_x(), ty = thread_y();
  u32 col = block_x() * TILE + tx, row = block_y() * TILE + ty;
  f32 sum = 0.0f;
  for (u32 k0 = 0; k0 < k; k0 += TILE) {
    tile_a[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0.0f;
    tile_b[ty][tx] = col < n && k0 + ty < k ? b[(k0 + ty) * n + col] : 0.0f;
    sync_threads();
    for (u32 i = 0; i < TILE; ++i)
      sum = __builtin_fmaf(tile_a[ty][i], tile_b[i][tx], sum);
    sync_threads();
  }
  if (row < m && col < n)
    c[row * n + col] = sum;
}

// The benchmark: 512 x 512 x 512, grid (32, 32), work-items (16, 16).
KERNEL matmul_512(const f32 *a, const f32 *b, f32 *c) {
  __shared__ f32 tile_a[TILE][TILE];
  __shared__ f32 tile_b[TILE][TILE];
  u32 tx = thread_x(), ty = thread_y();
  u32 col = block_x() * TILE + tx, row = block_y() * TILE + ty;
  f32 sum = 0.0f;
  for (u32 k0 = 0; k0 < 512; k0 += TILE) {
    tile_a[ty][tx] = a[row * 512 + k0 + tx];
    tile_b[ty][tx] = b[(k0 + ty) * 512 + col];
    sync_threads();
#pragma unroll
    for (u32 i = 0; i < TILE; ++i)
      sum = __builtin_fmaf(tile_a[ty][i], tile_b[i][tx], sum);
    sync_threads();
  }
  c[row * 512 + col] = sum;
}

// The same product with a 64 x 64 tile a workgroup and 4 x 4 elements a work-item, grid (8, 8), work-items (16, 16).
KERNEL matmul_512_blocked(const f32 *a, const f32 *b, f32 *c) {
  __shared__ __attribute__((aligned(16))) f32 tile_a[16][64];
  __shared__ __attribute__((aligned(16))) f32 tile_b[16][64];
  u32 tx = thread_x(), ty = thread_y(), id = ty * 16 + tx;
  u32 row0 = block_y() * 64, col0 = block_x() * 64;
  f32 sum[4][4] = {};
  for (u32 k0 = 0; k0 < 512; k0 += 16) {
#pragma unroll
    for (u32 i = 0; i < 4; ++i) {
      u32 r = (id >> 4) + i * 16, s = id & 15;
      tile_a[s][r] = a[(row0 + r) * 512 + k0 + s];
      tile_b[(id >> 6) + i * 4][id & 63] = b[(k0 + (id >> 6) + i * 4) * 512 + col0 + (id & 63)];
    }
    sync_threads();
#pragma unroll
    for (u32 s = 0; s < 16; ++s) {
      f32x4 va = *(const f32x4 *)&tile_a[s][ty * 4];
      f32x4 vb = *(const f32x4 *)&tile_b[s][tx * 4];
#pragma unroll
      for (u32 i = 0; i < 4; ++i)
#pragma unroll
        for (u32 j = 0; j < 4; ++j)
          sum[i][j] = __builtin_fmaf(va[i], vb[j], sum[i][j]);
    }
    sync_threads();
  }
#pragma unroll
  for (u32 i = 0; i < 4; ++i)
#pragma unroll
    for (u32 j = 0; j < 4; ++j)
      c[(row0 + ty * 4 + i) * 512 + col0 + tx * 4 + j] = sum[i][j];
}
