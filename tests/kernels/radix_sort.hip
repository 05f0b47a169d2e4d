// A radix sort of pairs, least significant digit first, one sweep over memory a digit: workgroups learn what lies
// before their tile by looking back at the words that earlier tiles publish (decoupled look-back).
#include "wg.h"

#define DIGITS 256
#define ITEMS 256
#define PER_ITEM 4
#define TILE (ITEMS * PER_ITEM)
#define MAX_WAVES (ITEMS / 32)

// A tile's word for a digit: nothing yet, the count in the tile, or the count in all tiles up to it.
#define COUNT 0x40000000u
#define PREFIX 0x80000000u
#define VALUE 0x3fffffffu

__device__ static inline u32 lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
__device__ static inline u32 lanes_below(u64 mask) {
  return __builtin_amdgcn_mbcnt_hi((u32)(mask >> 32), __builtin_amdgcn_mbcnt_lo((u32)mask, 0));
}

// How often each digit of each of the four passes occurs.
KERNEL digit_counts(const u32 *keys, u32 *counts, u32 n) {
  __shared__ u32 lds[4 * DIGITS];
  u32 t = thread_x();
  for (u32 i = t; i < 4 * DIGITS; i += ITEMS)
    lds[i] = 0;
  sync_threads();
  for (u32 i = global_x(); i < n; i += grid_size_x()) {
    u32 key = keys[i];
#pragma unroll
    for (u32 pass = 0; pass < 4; ++pass)
      __hip_atomic_fetch_add(&lds[pass * DIGITS + ((key >> (8 * pass)) & 255)], 1u, __ATOMIC_RELAXED, WORKGROUP);
  }
  sync_threads();
  for (u32 i = t; i < 4 * DIGITS; i += ITEMS)
    if (lds[i])
      __hip_atomic_fetch_add(&counts[i], lds[i], __ATOMIC_RELAXED, AGENT);
}

// The sum of `value` in the work-items before this one.
__device__ static inline u32 sum_before(u32 *lds, u32 value) {
  u32 t = thread_x(), sum = value;
  lds[t] = value;
  sync_threads();
  for (u32 step = 1; step < DIGITS; step *= 2) {
    u32 left = t >= step ? lds[t - step] : 0;
    sync_threads();
    sum += left;
    lds[t] = sum;
    sync_threads();
  }
  return sum - value;
}

// `words` has DIGITS words a tile, zero at first, and `next_tile` is zero. Tiles are taken in the order in which
// workgroups start, so that a tile waits only for tiles that have started.
KERNEL sort_pass(const u32 *keys, const u32 *values, u32 *sorted_keys, u32 *sorted_values, const u32 *counts,
                 u32 *words, u32 *next_tile, u32 shift, u32 n) {
  __shared__ u32 wave_counts[MAX_WAVES][DIGITS];
  __shared__ u32 start[DIGITS];
  __shared__ u32 scan[DIGITS];
  __shared__ u32 shared_tile;
  u32 t = thread_x(), lanes = __builtin_amdgcn_wavefrontsize(), waves = ITEMS / lanes, wave = t / lanes;
  if (t == 0)
    shared_tile = __hip_atomic_fetch_add(next_tile, 1u, __ATOMIC_RELAXED, AGENT);
  for (u32 w = 0; w < waves; ++w)
    wave_counts[w][t] = 0;
  sync_threads();
  u32 tile = shared_tile;

  // A wave has PER_ITEM rows of consecutive pairs; a pair's rank is the number of equal digits before it in its wave.
  u32 key[PER_ITEM], digit[PER_ITEM], rank[PER_ITEM], place[PER_ITEM];
#pragma unroll
  for (u32 j = 0; j < PER_ITEM; ++j) {
    place[j] = tile * TILE + wave * lanes * PER_ITEM + j * lanes + lane_id();
    bool inside = place[j] < n;
    key[j] = inside ? keys[place[j]] : 0;
    digit[j] = (key[j] >> shift) & 255;
    u64 same = __builtin_amdgcn_ballot_w64(inside);
#pragma unroll
    for (u32 bit = 0; bit < 8; ++bit) {
      bool one = (digit[j] >> bit) & 1;
      u64 ones = __builtin_amdgcn_ballot_w64(one);
      same &= one ? ones : ~ones;
    }
    u32 before = lanes_below(same);
    rank[j] = inside ? wave_counts[wave][digit[j]] + before : 0;
    // All lanes of the wave have read before the first lane of each digit adds.
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
    if (inside && before == 0)
      wave_counts[wave][digit[j]] += (u32)__builtin_popcountll(same);
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
  }
  sync_threads();

  // From here on a work-item serves the digit that is its id.
  u32 in_tile = 0;
  for (u32 w = 0; w < waves; ++w) {
    u32 count = wave_counts[w][t];
    wave_counts[w][t] = in_tile;
    in_tile += count;
  }
  u32 *word = words + t;
  __hip_atomic_store(&word[tile * DIGITS], (tile ? COUNT : PREFIX) | in_tile, __ATOMIC_RELEASE, AGENT);
  u32 before = 0;
  for (u32 back = tile; back-- > 0;) {
    u32 seen;
    do
      seen = __hip_atomic_load(&word[back * DIGITS], __ATOMIC_ACQUIRE, AGENT);
    while (seen == 0);
    before += seen & VALUE;
    if (seen & PREFIX)
      break;
  }
  if (tile)
    __hip_atomic_store(&word[tile * DIGITS], PREFIX | (before + in_tile), __ATOMIC_RELEASE, AGENT);
  start[t] = sum_before(scan, counts[t]) + before;
  sync_threads();

#pragma unroll
  for (u32 j = 0; j < PER_ITEM; ++j)
    if (place[j] < n) {
      u32 to = start[digit[j]] + wave_counts[wave][digit[j]] + rank[j];
      sorted_keys[to] = key[j];
      sorted_values[to] = values[place[j]];
    }
}
