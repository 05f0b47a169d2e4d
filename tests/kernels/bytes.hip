// Bytes and halves: narrow loads and stores with and without sign, packing, unaligned places.
#include "wg.h"

// Sign and zero extension of every narrow load, at each alignment: 8 words a work-item.
KERNEL narrow_loads(const u8 *in, u32 *out) {
  u32 i = global_x();
  const u8 *p = in + i * 8;
  u32 *o = out + i * 8;
  o[0] = p[i & 7];
  o[1] = (u32)(i32) * (const i8 *)(p + 1);
  o[2] = *(const u16 *)(p + 2);
  o[3] = (u32)(i32) * (const i16 *)(p + 4);
  u32 unaligned;
  __builtin_memcpy(&unaligned, p + 3, 4);
  o[4] = unaligned;
  u16 half;
  __builtin_memcpy(&half, p + 5, 2);
  o[5] = half;
  o[6] = p[0] | (u32)p[1] << 8 | (u32)p[6] << 16 | (u32)p[7] << 24;
  o[7] = (u32)((i32)(i8)p[3] * (i8)p[4] + p[5]);
}

// Neighbouring lanes write neighbouring bytes of one dword, halves of another.
KERNEL narrow_stores(const u32 *in, u8 *bytes, u16 *halves, u8 *unaligned) {
  u32 i = global_x(), v = in[i];
  bytes[i] = (u8)(v >> 11);
  halves[i] = (u16)(v >> 7);
  __builtin_memcpy(unaligned + 1 + i * 5, &v, 4);
  unaligned[5 + i * 5] = (u8)(v >> 16 ^ v);
}

// Luma of packed RGBA, 8 bits a channel.
KERNEL rgba_to_gray(const u32 *rgba, u8 *gray, u32 n) {
  u32 i = global_x();
  if (i >= n)
    return;
  u32 v = rgba[i];
  gray[i] = (u8)((77 * (v & 0xff) + 150 * (v >> 8 & 0xff) + 29 * (v >> 16 & 0xff)) >> 8);
}

// Bytes and halves in LDS, reversed within the workgroup.
KERNEL narrow_lds(const u8 *in, u8 *out8, u16 *out16, i32 *outs) {
  __shared__ u8 lds8[256];
  __shared__ u16 lds16[256];
  __shared__ i8 ldss[256];
  u32 t = thread_x(), i = global_x(), last = block_dim_x() - 1;
  lds8[t] = in[i];
  lds16[t] = (u16)(in[i] * 257u + t);
  ldss[t] = (i8)(in[i] ^ 0x80);
  sync_threads();
  out8[i] = lds8[last - t];
  out16[i] = lds16[last - t];
  outs[i] = ldss[last - t] + (i16)lds16[t];
}

// 12- and 16-byte elements, and a packed structure without alignment.
struct __attribute__((packed)) Odd {
  u8 a;
  u32 b;
  u16 c;
  u64 d;
};
struct Three {
  u32 x, y, z;
};
KERNEL structures(const Odd *odd, const Three *three, Odd *odd_out, Three *three_out) {
  u32 i = global_x();
  Odd v = odd[i];
  Three t = three[i];
  odd_out[i] = Odd{(u8)(v.a + 1), v.b ^ t.x, (u16)(v.c * 3), v.d - t.y};
  three_out[i] = Three{t.y + v.b, t.z + v.c, (u32)(v.d >> 32) + t.x + v.a};
}
