// A barrier of the whole grid, as a cooperative launch has it: all workgroups must be there at once.
#include "wg.h"

// `arrived` counts up; `phase` is the number of barriers that have opened.
__device__ static inline void sync_grid(u32 *arrived, u32 *phase, u32 workgroups) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  sync_threads();
  if (thread_x() == 0) {
    u32 before = __hip_atomic_load(phase, __ATOMIC_RELAXED, AGENT);
    if (__hip_atomic_fetch_add(arrived, 1u, __ATOMIC_ACQ_REL, AGENT) == workgroups - 1) {
      __hip_atomic_store(arrived, 0u, __ATOMIC_RELAXED, AGENT);
      __hip_atomic_fetch_add(phase, 1u, __ATOMIC_RELEASE, AGENT);
    } else {
      while (__hip_atomic_load(phase, __ATOMIC_ACQUIRE, AGENT) == before)
        __builtin_amdgcn_s_sleep(1);
    }
  }
  sync_threads();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
}

// Inclusive sums over the whole grid: after the round with `step`, an element has the sum of `2 * step` elements.
// One element a work-item; the result is in `a` or `b`, whichever the last round wrote.
KERNEL grid_scan(u32 *a, u32 *b, u32 *arrived, u32 *phase, u32 workgroups) {
  u32 i = global_x(), n = grid_size_x();
  u32 *from = a, *to = b;
  for (u32 step = 1; step < n; step *= 2) {
    to[i] = from[i] + (i >= step ? from[i - step] : 0);
    sync_grid(arrived, phase, workgroups);
    u32 *swap = from;
    from = to;
    to = swap;
  }
}
