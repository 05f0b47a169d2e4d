// Histograms in LDS: 256 bins of bytes, a copy a wave against contention; and weighted bins of 64 bits.
#include "wg.h"

#define ITEMS 256
#define MAX_WAVES (ITEMS / 32)

// `n` is a number of dwords; each has four bytes to count.
KERNEL histogram_256(const u32 *in, u32 *bins, u32 n) {
  __shared__ u32 lds[MAX_WAVES][256];
  u32 t = thread_x(), wave = t / __builtin_amdgcn_wavefrontsize(), waves = ITEMS / __builtin_amdgcn_wavefrontsize();
  for (u32 w = 0; w < waves; ++w)
    lds[w][t] = 0;
  sync_threads();
  for (u32 i = global_x(); i < n; i += grid_size_x()) {
    u32 v = in[i];
#pragma unroll
    for (u32 byte = 0; byte < 4; ++byte)
      __hip_atomic_fetch_add(&lds[wave][(v >> (8 * byte)) & 255], 1u, __ATOMIC_RELAXED, WORKGROUP);
  }
  sync_threads();
  u32 sum = 0;
  for (u32 w = 0; w < waves; ++w)
    sum += lds[w][t];
  if (sum)
    __hip_atomic_fetch_add(&bins[t], sum, __ATOMIC_RELAXED, AGENT);
}

// A bin's words are the sum, the least and the greatest weight, and the exclusive or of all.
KERNEL histogram_weighted(const u8 *bin, const u64 *weight, u64 *bins, u32 n) {
  __shared__ u64 lds[64][4];
  u32 t = thread_x();
  if (t < 64) {
    lds[t][0] = lds[t][2] = lds[t][3] = 0;
    lds[t][1] = ~0ull;
  }
  sync_threads();
  for (u32 i = global_x(); i < n; i += grid_size_x()) {
    u64 *b = lds[bin[i] & 63], w = weight[i];
    __hip_atomic_fetch_add(&b[0], w, __ATOMIC_RELAXED, WORKGROUP);
    __hip_atomic_fetch_min(&b[1], w, __ATOMIC_RELAXED, WORKGROUP);
    __hip_atomic_fetch_max(&b[2], w, __ATOMIC_RELAXED, WORKGROUP);
    __hip_atomic_fetch_xor(&b[3], w, __ATOMIC_RELAXED, WORKGROUP);
  }
  sync_threads();
  if (t < 64) {
    __hip_atomic_fetch_add(&bins[t * 4 + 0], lds[t][0], __ATOMIC_RELAXED, AGENT);
    __hip_atomic_fetch_min(&bins[t * 4 + 1], lds[t][1], __ATOMIC_RELAXED, AGENT);
    __hip_atomic_fetch_max(&bins[t * 4 + 2], lds[t][2], __ATOMIC_RELAXED, AGENT);
    __hip_atomic_fetch_xor(&bins[t * 4 + 3], lds[t][3], __ATOMIC_RELAXED, AGENT);
  }
}
