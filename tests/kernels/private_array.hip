// Arrays in private memory (scratch) with indices known only at run time.
#include "wg.h"

// Sorts 24 words by insertion, in an array too large for registers.
KERNEL private_sort(const u32 *in, u32 *out) {
  u32 i = global_x();
  u32 a[24];
  for (u32 j = 0; j < 24; ++j)
    a[j] = in[i * 24 + j];
#pragma clang loop unroll(disable)
  for (u32 j = 1; j < 24; ++j) {
    u32 v = a[j];
    u32 k = j;
#pragma clang loop unroll(disable)
    while (k > 0 && a[k - 1] > v) {
      a[k] = a[k - 1];
      --k;
    }
    a[k] = v;
  }
  for (u32 j = 0; j < 24; ++j)
    out[i * 24 + j] = a[j];
}

// Counts bytes in private arrays of 1-, 2- and 8-byte elements.
KERNEL private_count(const u8 *in, u64 *out, u32 n) {
  u32 i = global_x();
  u8 small[64];
  u16 medium[64];
  u64 wide[64];
#pragma clang loop unroll(disable)
  for (u32 j = 0; j < 64; ++j) {
    small[j] = 0xf8;
    medium[j] = 0xfff0;
    wide[j] = 0xfffffff0ull;
  }
  for (u32 j = 0; j < n; ++j) {
    u32 v = in[i * n + j] & 63;
    small[v] += 1;
    medium[v] += 3;
    wide[v] += 5;
  }
  for (u32 j = 0; j < 64; ++j)
    out[i * 64 + j] = ((u64)small[j] << 56) | ((u64)medium[j] << 40) | (wide[j] & 0xffffffffffull);
}

// A vector in registers, indexed by a value that all lanes share and by one that they do not.
typedef u32 u32x16 __attribute__((ext_vector_type(16)));
KERNEL vector_index(const u32 *in, const u32 *index, u32 *out, u32 uniform) {
  u32 i = global_x();
  u32x16 v;
  for (u32 j = 0; j < 16; ++j)
    v[j] = in[i * 16 + j];
  v[uniform & 15] += 1000;
  v[index[i] & 15] ^= 0x5555;
  out[i * 4 + 0] = v[(uniform + 1) & 15];
  out[i * 4 + 1] = v[uniform & 15];
  out[i * 4 + 2] = v[index[i] & 15];
  out[i * 4 + 3] = v[(index[i] >> 8) & 15];
}

// A frame of 8 KiB: offsets past every immediate field.
KERNEL private_large(const u32 *in, u32 *out) {
  u32 i = global_x();
  u32 a[2048];
#pragma clang loop unroll(disable)
  for (u32 j = 0; j < 2048; ++j)
    a[j] = j * 7 + in[i];
  u32 k = in[i] & 2047, sum = 0;
#pragma clang loop unroll(disable)
  for (u32 j = 0; j < 32; ++j) {
    sum += a[k];
    a[k] ^= sum;
    k = (k * 5 + 1023) & 2047;
  }
  out[i * 2] = sum;
  out[i * 2 + 1] = a[2047] + a[0] + a[k];
}
