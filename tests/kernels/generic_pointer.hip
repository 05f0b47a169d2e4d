// Pointers in the generic address space: each lane's decides for itself whether it is LDS, global or private memory.
#include "wg.h"

struct Wide {
  u32 a;
  u16 b;
  u8 c;
  i8 d;
  u64 e;
};

NOINLINE __device__ void store_through(u32 *p, u32 v) { *p = v * 3 + 1; }
NOINLINE __device__ u32 load_through(const u32 *p) { return *p; }
NOINLINE __device__ u32 add_through(u32 *p, u32 v) { return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, WORKGROUP); }
NOINLINE __device__ void fill_wide(Wide *p, u32 v) {
  p->a = v;
  p->b = (u16)(v * 5);
  p->c = (u8)(v * 7);
  p->d = (i8)(v * 11);
  p->e = (u64)v * 0x100000001ull;
}
NOINLINE __device__ u64 sum_wide(const Wide *p) { return p->a + p->b + p->c + (i64)p->d + p->e; }

// which[i] % 3: 0 LDS, 1 global, 2 private.
KERNEL select_space(const u32 *which, u32 *global_words, u32 *out) {
  __shared__ u32 lds[256];
  u32 t = thread_x(), i = global_x();
  u32 own[4] = {i, i + 1, i + 2, i + 3};
  lds[t] = i ^ 0xaaaa;
  u32 w = which[i] % 3;
  u32 *p = w == 0 ? &lds[t] : w == 1 ? &global_words[i] : &own[i & 3];
  sync_threads();
  u32 before = load_through(p);
  store_through(p, before + i);
  out[i * 4 + 0] = before;
  out[i * 4 + 1] = load_through(p);
  out[i * 4 + 2] = add_through(p, 17);
  out[i * 4 + 3] = lds[t] + own[0] + own[1] + own[2] + own[3];
}

KERNEL select_space_wide(const u32 *which, Wide *global_words, u64 *out) {
  __shared__ Wide lds[64];
  u32 t = thread_x(), i = global_x();
  Wide own = {1, 2, 3, 4, 5};
  u32 w = which[i] % 3;
  Wide *p = w == 0 ? &lds[t] : w == 1 ? &global_words[i] : &own;
  fill_wide(p, which[i]);
  out[i * 2] = sum_wide(p);
  out[i * 2 + 1] = sum_wide(&own);
}

// Asks each pointer what it is, by its aperture; null is none of them.
KERNEL classify(const u32 *which, u32 *global_words, u32 *out) {
  __shared__ u32 lds[64];
  u32 i = global_x();
  u32 own = i;
  u32 w = which[i] & 3;
  u32 *p = w == 0 ? &lds[thread_x()] : w == 1 ? &global_words[i] : w == 2 ? &own : (u32 *)0;
  if (p)
    store_through(p, i);
  u32 is_lds = __builtin_amdgcn_is_shared(p);
  u32 is_private = __builtin_amdgcn_is_private(p);
  // A null pointer stays null through a cast to LDS (all ones there) and back.
  u32 null_kept = (u32 *)(AS_LDS u32 *)(w == 3 ? p : &lds[0]) == (w == 3 ? (u32 *)0 : &lds[0]);
  out[i] = is_lds | is_private << 1 | null_kept << 2 | (own & 0xffff) << 8;
}
