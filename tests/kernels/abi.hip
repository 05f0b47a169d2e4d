// What a kernel is told at its start: ids, hidden arguments, dispatch packet, explicit arguments of every size.
#include "wg.h"

// One record a work-item, at its place in the grid: workgroup id x, y, z, work-item id x, y, z.
KERNEL ids(u32 *out) {
  u32 gx = block_x() * block_dim_x() + thread_x();
  u32 gy = block_y() * block_dim_y() + thread_y();
  u32 gz = block_z() * block_dim_z() + thread_z();
  u32 *o = out + ((gz * __builtin_amdgcn_grid_size_y() + gy) * __builtin_amdgcn_grid_size_x() + gx) * 6;
  o[0] = block_x();
  o[1] = block_y();
  o[2] = block_z();
  o[3] = thread_x();
  o[4] = thread_y();
  o[5] = thread_z();
}

// The same without any size from memory: the strides come as arguments.
KERNEL ids_strided(u32 *out, u32 group_x, u32 group_y, u32 group_z, u32 width, u32 height) {
  u32 gx = block_x() * group_x + thread_x(), gy = block_y() * group_y + thread_y(), gz = block_z() * group_z + thread_z();
  out[(gz * height + gy) * width + gx] =
      block_x() | block_y() << 5 | block_z() << 10 | thread_x() << 15 | thread_y() << 21 | thread_z() << 26;
}

// Only z and only y: ids that are enabled one by one.
KERNEL id_y_only(u32 *out, u32 n) {
  __hip_atomic_fetch_add(&out[block_y() * n + thread_y()], 1u, __ATOMIC_RELAXED, AGENT);
}
KERNEL id_z_only(u32 *out, u32 n) {
  __hip_atomic_fetch_add(&out[block_z() * n + thread_z()], 1u, __ATOMIC_RELAXED, AGENT);
}

// Written by the first work-item of the first workgroup: the whole dispatch packet (16 dwords), the dispatch id, the
// wave size, and the hidden arguments (64 dwords) as they lie in memory.
KERNEL launch_abi(u32 *packet, u32 *hidden, u64 *misc, u32 mark) {
  if ((block_x() | block_y() | block_z() | thread_x() | thread_y() | thread_z()) != 0)
    return;
  const AS_CONSTANT u32 *p = (const AS_CONSTANT u32 *)__builtin_amdgcn_dispatch_ptr();
  const AS_CONSTANT u32 *h = (const AS_CONSTANT u32 *)__builtin_amdgcn_implicitarg_ptr();
  for (u32 i = 0; i < 16; ++i)
    packet[i] = p[i];
#if WG_CODE_OBJECT_VERSION == 4
  for (u32 i = 0; i < 14; ++i)
    hidden[i] = h[i];
#else
  for (u32 i = 0; i < 64; ++i)
    hidden[i] = h[i];
#endif
  const AS_CONSTANT u32 *k = (const AS_CONSTANT u32 *)__builtin_amdgcn_kernarg_segment_ptr();
  misc[0] = k[6];
  misc[1] = mark;
  misc[2] = __builtin_amdgcn_wavefrontsize();
  misc[3] = (u64)block_dim_x() | (u64)block_dim_y() << 16 | (u64)block_dim_z() << 32;
  misc[4] = (u64)__builtin_amdgcn_grid_size_x() | (u64)__builtin_amdgcn_grid_size_y() << 32;
  misc[5] = __builtin_amdgcn_grid_size_z();
  // The address of the kernarg segment is the one in the packet.
  misc[6] = (u64)(const void *)k == ((u64)p[11] << 32 | p[10]);
  misc[7] = 0x600df00d;
}

// Arguments of every size and alignment; sums that see each one, with its sign.
struct Pair {
  u8 first;
  u32 second;
};
KERNEL arguments(u8 a, i16 b, u64 c, i8 d, f16 e, f64 f, u32 *out, u16 g, f32x4 h, Pair s, i32 last) {
  if (global_x() != 0)
    return;
  out[0] = a;
  out[1] = (u32)(i32)b;
  out[2] = (u32)c;
  out[3] = (u32)(c >> 32);
  out[4] = (u32)(i32)d;
  out[5] = bits32((f32)e);
  out[6] = (u32)bits64(f);
  out[7] = (u32)(bits64(f) >> 32);
  out[8] = g;
  out[9] = bits32(h[0]);
  out[10] = bits32(h[1]);
  out[11] = bits32(h[2]);
  out[12] = bits32(h[3]);
  out[13] = s.first;
  out[14] = s.second;
  out[15] = (u32)last;
}

// The first arguments in SGPRs before the kernel starts, where the target can preload them (see build.sh).
KERNEL preloaded(u32 a, u32 b, u32 *out, u64 c, u16 d, u16 e) {
  u32 i = global_x();
  out[i] = a * 3 + b * 5 + (u32)c * 7 + (u32)(c >> 32) * 11 + d * 13 + e * 17 + i;
}

// LDS whose size is chosen at launch.
extern __shared__ u32 dynamic_lds[];
KERNEL dynamic_shared(const u32 *in, u32 *out) {
  u32 t = thread_x(), i = global_x(), last = block_dim_x() - 1;
  dynamic_lds[t] = in[i];
  sync_threads();
  out[i] = dynamic_lds[last - t] + t;
}
