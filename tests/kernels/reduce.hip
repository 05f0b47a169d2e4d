// Reductions: a tree in LDS, then one global atomic a workgroup; and each kind of read-modify-write.
#include "wg.h"

#define N 256

template <class T, class F> __device__ static inline T tree(T *lds, T value, F fold) {
  u32 t = thread_x();
  lds[t] = value;
  sync_threads();
  for (u32 half = block_dim_x() / 2; half; half >>= 1) {
    if (t < half)
      lds[t] = fold(lds[t], lds[t + half]);
    sync_threads();
  }
  return lds[0];
}

KERNEL reduce_u32_add(const u32 *in, u32 *out, u32 n) {
  __shared__ u32 lds[N];
  u32 sum = 0;
  for (u32 i = global_x(); i < n; i += grid_size_x())
    sum += in[i];
  sum = tree(lds, sum, [](u32 a, u32 b) { return a + b; });
  if (thread_x() == 0)
    __hip_atomic_fetch_add(out, sum, __ATOMIC_RELAXED, AGENT);
}

// The plain atomic: a compare-and-swap loop on most targets, since memory may be fine grained.
KERNEL reduce_f32_add(const f32 *in, f32 *out, u32 n) {
  __shared__ f32 lds[N];
  f32 sum = 0.0f;
  for (u32 i = global_x(); i < n; i += grid_size_x())
    sum += in[i];
  sum = tree(lds, sum, [](f32 a, f32 b) { return a + b; });
  if (thread_x() == 0)
    __hip_atomic_fetch_add(out, sum, __ATOMIC_RELAXED, AGENT);
}

// The atomic instruction, where the target has one.
KERNEL reduce_f32_add_native(const f32 *in, f32 *out, u32 n) {
  u32 i = global_x();
  if (i < n) {
    [[clang::atomic(no_remote_memory, no_fine_grained_memory, ignore_denormal_mode)]] {
      __hip_atomic_fetch_add(out, in[i], __ATOMIC_RELAXED, AGENT);
    }
  }
}

KERNEL reduce_f64_add_native(const f64 *in, f64 *out, u32 n) {
  u32 i = global_x();
  if (i < n) {
    [[clang::atomic(no_remote_memory, no_fine_grained_memory, ignore_denormal_mode)]] {
      __hip_atomic_fetch_add(out, in[i], __ATOMIC_RELAXED, AGENT);
    }
  }
}

KERNEL reduce_u64_max(const u64 *in, u64 *out, u32 n) {
  __shared__ u64 lds[N];
  u64 best = 0;
  for (u32 i = global_x(); i < n; i += grid_size_x())
    best = in[i] > best ? in[i] : best;
  best = tree(lds, best, [](u64 a, u64 b) { return a > b ? a : b; });
  if (thread_x() == 0)
    __hip_atomic_fetch_max(out, best, __ATOMIC_RELAXED, AGENT);
}

// A sum that stops at 0xffffffff, by a compare-and-swap loop; every lane of a wave contends for one word of four.
KERNEL saturating_add_cas(const u32 *in, u32 *out, u32 n) {
  u32 i = global_x();
  if (i >= n)
    return;
  u32 *word = &out[i & 3];
  u32 seen = __hip_atomic_load(word, __ATOMIC_RELAXED, AGENT);
  u32 next;
  do {
    next = seen + in[i] < seen ? 0xffffffffu : seen + in[i];
  } while (!__hip_atomic_compare_exchange_strong(word, &seen, next, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE, AGENT));
}

// The same on 64-bit words.
KERNEL saturating_add_cas_u64(const u64 *in, u64 *out, u32 n) {
  u32 i = global_x();
  if (i >= n)
    return;
  u64 *word = &out[i & 1];
  u64 seen = __hip_atomic_load(word, __ATOMIC_RELAXED, AGENT);
  u64 next;
  do {
    next = seen + in[i] < seen ? ~0ull : seen + in[i];
  } while (!__hip_atomic_compare_exchange_strong(word, &seen, next, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE, AGENT));
}

// Each lane works on words of its own, so the value that each operation returns is defined.
template <class T, class S> __device__ static inline void every_rmw(T *w, T v, T *old) {
  old[0] = __hip_atomic_fetch_add(&w[0], v, __ATOMIC_RELAXED, AGENT);
  old[1] = __hip_atomic_fetch_sub(&w[1], v, __ATOMIC_RELAXED, AGENT);
  old[2] = __hip_atomic_fetch_and(&w[2], v, __ATOMIC_RELAXED, AGENT);
  old[3] = __hip_atomic_fetch_or(&w[3], v, __ATOMIC_RELAXED, AGENT);
  old[4] = __hip_atomic_fetch_xor(&w[4], v, __ATOMIC_RELAXED, AGENT);
  old[5] = __hip_atomic_fetch_min(&w[5], v, __ATOMIC_RELAXED, AGENT);
  old[6] = __hip_atomic_fetch_max(&w[6], v, __ATOMIC_RELAXED, AGENT);
  old[7] = (T)__hip_atomic_fetch_min((S *)&w[7], (S)v, __ATOMIC_RELAXED, AGENT);
  old[8] = (T)__hip_atomic_fetch_max((S *)&w[8], (S)v, __ATOMIC_RELAXED, AGENT);
  old[9] = __hip_atomic_exchange(&w[9], v, __ATOMIC_RELAXED, AGENT);
}

KERNEL rmw_global_u32(u32 *words, const u32 *values, u32 *old) {
  u32 i = global_x();
  every_rmw<u32, i32>(words + i * 10, values[i], old + i * 10);
}

KERNEL rmw_global_u64(u64 *words, const u64 *values, u64 *old) {
  u32 i = global_x();
  every_rmw<u64, i64>(words + i * 10, values[i], old + i * 10);
}

// The same in LDS, through pointers that the compiler knows to be LDS.
KERNEL rmw_lds_u32(u32 *words, const u32 *values, u32 *old) {
  __shared__ u32 lds[64 * 10];
  u32 t = thread_x(), i = global_x();
  for (u32 j = 0; j < 10; ++j)
    lds[t * 10 + j] = words[i * 10 + j];
  sync_threads();
  every_rmw<u32, i32>(lds + t * 10, values[i], old + i * 10);
  sync_threads();
  for (u32 j = 0; j < 10; ++j)
    words[i * 10 + j] = lds[t * 10 + j];
}

KERNEL rmw_lds_u64(u64 *words, const u64 *values, u64 *old) {
  __shared__ u64 lds[64 * 10];
  u32 t = thread_x(), i = global_x();
  for (u32 j = 0; j < 10; ++j)
    lds[t * 10 + j] = words[i * 10 + j];
  sync_threads();
  every_rmw<u64, i64>(lds + t * 10, values[i], old + i * 10);
  sync_threads();
  for (u32 j = 0; j < 10; ++j)
    words[i * 10 + j] = lds[t * 10 + j];
}

// 64 bins counted in LDS, then added to the global ones.
KERNEL histogram(const u8 *in, u32 *bins, u32 n) {
  __shared__ u32 lds[64];
  u32 t = thread_x();
  if (t < 64)
    lds[t] = 0;
  sync_threads();
  for (u32 i = global_x(); i < n; i += grid_size_x())
    __hip_atomic_fetch_add(&lds[in[i] & 63], 1u, __ATOMIC_RELAXED, WORKGROUP);
  sync_threads();
  if (t < 64)
    __hip_atomic_fetch_add(&bins[t], lds[t], __ATOMIC_RELAXED, AGENT);
}

// Sums of small whole numbers in floating point, through LDS atomics: exact in any order.
KERNEL lds_float_add(const f32 *in, f32 *out32, f64 *out64) {
  __shared__ f32 sum32[4];
  __shared__ f64 sum64[4];
  u32 t = thread_x();
  if (t < 4) {
    sum32[t] = 0.0f;
    sum64[t] = 0.0;
  }
  sync_threads();
  f32 v = in[global_x()];
  __hip_atomic_fetch_add(&sum32[t & 3], v, __ATOMIC_RELAXED, WORKGROUP);
  __hip_atomic_fetch_add(&sum64[t & 3], (f64)v, __ATOMIC_RELAXED, WORKGROUP);
  sync_threads();
  if (t < 4) {
    out32[block_x() * 4 + t] = sum32[t];
    out64[block_x() * 4 + t] = sum64[t];
  }
}

// Each work-item takes a ticket: together a permutation of 0..n.
KERNEL tickets(u32 *counter, u32 *out) {
  out[global_x()] = __hip_atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED, AGENT);
}

// Partial sums written plainly, published by an agent fence; the workgroup that finishes last adds them up.
KERNEL reduce_last_block(const u32 *in, u32 *partial, u32 *done, u32 *out, u32 n) {
  __shared__ u32 lds[N];
  __shared__ u32 last;
  u32 t = thread_x(), i = global_x();
  u32 blocks = grid_size_x() / block_dim_x();
  u32 sum = tree(lds, i < n ? in[i] : 0u, [](u32 a, u32 b) { return a + b; });
  if (t == 0) {
    partial[block_x()] = sum;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    last = __hip_atomic_fetch_add(done, 1u, __ATOMIC_ACQ_REL, AGENT) == blocks - 1;
  }
  sync_threads();
  if (!last)
    return;
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
  u32 total = 0;
  for (u32 j = t; j < blocks; j += block_dim_x())
    total += partial[j];
  total = tree(lds, total, [](u32 a, u32 b) { return a + b; });
  if (t == 0)
    *out = total;
}
