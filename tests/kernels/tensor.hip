// Tiles of tensors that the tensor data mover of gfx1250 moves between memory and LDS.
#include "wg.h"

#define TILE 16

typedef i32 i32x4 __attribute__((ext_vector_type(4)));
typedef i32 i32x8 __attribute__((ext_vector_type(8)));

// The first two groups of a descriptor of dwords: `width` and `height` are what is left of the tensor from
// `memory` on, `tile_width` and `tile_height` what moves, `stride` the dwords from row to row.
__device__ static inline i32x4 group0(const void *memory, u32 lds, u32 flags) {
  u64 address = (u64)memory;
  return {(i32)(1 | flags), (i32)lds, (i32)address, (i32)(address >> 32 | 2u << 30)};
}

__device__ static inline i32x8 group1(u32 flags, u32 width, u32 height, u32 tile_width, u32 tile_height, u32 stride) {
  return {(i32)(2 << 16 | flags),
          (i32)(width << 16),
          (i32)(width >> 16 | height << 16),
          (i32)(height >> 16 | tile_width << 16),
          (i32)tile_height,
          (i32)stride,
          0,
          0};
}

// out (cols x rows) = the transpose of in (rows x cols), in tiles with a dword of padding after each row;
// work-items (16, 16).
KERNEL tensor_transpose(const f32 *in, f32 *out, u32 rows, u32 cols) {
  __shared__ f32 tile[TILE][TILE + 1];
  u32 tx = thread_x(), ty = thread_y();
  u32 x = block_x() * TILE, y = block_y() * TILE;
  tile[ty][tx] = -1.0f;
  sync_threads();
  if (__builtin_amdgcn_readfirstlane(ty) == 0) {
    // 16 dwords, then one is left out.
    u32 padding = 1 << 20 | 3 << 22;
    i32x4 g0 = group0(in + y * cols + x, (u32)(AS_LDS f32 *)&tile[0][0], 0);
    i32x8 g1 = group1(padding, cols - x, rows - y, TILE, TILE, cols);
    __builtin_amdgcn_tensor_load_to_lds_d2(g0, g1, 0);
    __builtin_amdgcn_s_wait_tensorcnt(0);
  }
  sync_threads();
  // What lies past the edges is zero, and out has room for it.
  u32 out_rows = (rows + TILE - 1) / TILE * TILE;
  out[(x + ty) * out_rows + y + tx] = tile[tx][ty];
}

// Eight rows of `in` by their indices, of 16 dwords each, to LDS; from there doubled to the same rows of `out`.
// Work-items (32).
KERNEL tensor_rows(const u32 *in, u32 *out, const u32 *rows, u32 count) {
  __shared__ u32 lines[8 * TILE];
  u32 lane = thread_x();
  for (u32 i = lane; i < 8 * TILE; i += 32)
    lines[i] = 7;
  sync_threads();
  i32x4 g2, g3;
  for (u32 i = 0; i < 4; ++i) {
    g2[i] = __builtin_amdgcn_readfirstlane(rows[i]);
    g3[i] = __builtin_amdgcn_readfirstlane(rows[4 + i]);
  }
  u32 lds = (u32)(AS_LDS u32 *)&lines[0];
  // Gather mode with indices of 32 bits.
  u32 gather = 3u << 30;
  i32x8 g1 = group1(0, TILE, count, TILE, 8, TILE);
  __builtin_amdgcn_tensor_load_to_lds(group0(in, lds, gather), g1, g2, g3, 0);
  __builtin_amdgcn_s_wait_tensorcnt(0);
  sync_threads();
  for (u32 i = lane; i < 8 * TILE; i += 32)
    lines[i] *= 2;
  sync_threads();
  __builtin_amdgcn_tensor_store_from_lds(group0(out, lds, gather), g1, g2, g3, 0);
  __builtin_amdgcn_s_wait_tensorcnt(0);
}
