// Integer arithmetic of 32 and 64 bits, division and remainder included.
#include "wg.h"

// 24 words a work-item. A zero divisor is replaced by 1, and INT_MIN / -1 by INT_MIN / 1.
KERNEL int32_ops(const u32 *as, const u32 *bs, u32 *out) {
  u32 i = global_x(), a = as[i], b = bs[i];
  u32 d = b ? b : 1;
  i32 sa = (i32)a, sd = sa == (i32)0x80000000 && (i32)d == -1 ? 1 : (i32)d;
  u32 *o = out + i * 24;
  o[0] = a + b;
  o[1] = a - b;
  o[2] = a * b;
  o[3] = a / d;
  o[4] = a % d;
  o[5] = (u32)(sa / sd);
  o[6] = (u32)(sa % sd);
  o[7] = (u32)(((u64)a * b) >> 32);
  o[8] = (u32)(((i64)sa * (i32)b) >> 32);
  o[9] = a << (b & 31);
  o[10] = a >> (b & 31);
  o[11] = (u32)(sa >> (b & 31));
  o[12] = (a & b) | (~a ^ b);
  o[13] = (u32)__builtin_popcount(a);
  o[14] = a ? (u32)__builtin_clz(a) : 32;
  o[15] = a ? (u32)__builtin_ctz(a) : 32;
  o[16] = __builtin_bitreverse32(a);
  o[17] = __builtin_bswap32(a);
  o[18] = a < b ? a : b;
  o[19] = (u32)(sa > (i32)b ? sa : (i32)b);
  o[20] = (u32)(sa < 0 ? -(u32)sa : (u32)sa);
  o[21] = (a << 13) | (a >> 19);
  o[22] = (a >> 5) & 0x7ff;
  o[23] = (u32)((i32)(a << 9) >> 21);
}

// Division by constants: multiplications by magic numbers.
KERNEL int32_div_const(const u32 *as, u32 *out) {
  u32 i = global_x(), a = as[i];
  u32 *o = out + i * 8;
  o[0] = a / 7;
  o[1] = a % 10;
  o[2] = a / 641;
  o[3] = a % 65537;
  o[4] = (u32)((i32)a / 7);
  o[5] = (u32)((i32)a % 10);
  o[6] = (u32)((i32)a / -3);
  o[7] = (u32)((i32)a % 1024);
}

// 24 values a work-item.
KERNEL int64_ops(const u64 *as, const u64 *bs, u64 *out) {
  u32 i = global_x();
  u64 a = as[i], b = bs[i], d = b ? b : 1;
  i64 sa = (i64)a, sd = a == 0x8000000000000000ull && (i64)d == -1 ? 1 : (i64)d;
  u64 *o = out + i * 24;
  o[0] = a + b;
  o[1] = a - b;
  o[2] = a * b;
  o[3] = a / d;
  o[4] = a % d;
  o[5] = (u64)(sa / sd);
  o[6] = (u64)(sa % sd);
  o[7] = (u64)(((unsigned __int128)a * b) >> 64);
  o[8] = (u64)(((__int128)sa * (i64)b) >> 64);
  o[9] = a << (b & 63);
  o[10] = a >> (b & 63);
  o[11] = (u64)(sa >> (b & 63));
  o[12] = (a & b) | (~a ^ b);
  o[13] = (u64)__builtin_popcountll(a);
  o[14] = a ? (u64)__builtin_clzll(a) : 64;
  o[15] = a ? (u64)__builtin_ctzll(a) : 64;
  o[16] = __builtin_bitreverse64(a);
  o[17] = __builtin_bswap64(a);
  o[18] = a < b ? a : b;
  o[19] = (u64)(sa > (i64)b ? sa : (i64)b);
  o[20] = (u64)(u32)a * (u32)b + a;
  o[21] = (u64)((i64)(i32)a * (i32)b);
  o[22] = a == b ? 1 : sa < (i64)b ? 2 : 3;
  o[23] = (u64)(i64)(i32)a + (u64)(u32)b;
}

// Compares and selects of all kinds, and instructions of three operands.
KERNEL int32_compound(const u32 *as, const u32 *bs, const u32 *cs, u32 *out) {
  u32 i = global_x(), a = as[i], b = bs[i], c = cs[i];
  i32 sa = (i32)a, sb = (i32)b;
  u32 *o = out + i * 16;
  o[0] = (a == b) | (a != c) << 1 | (a < b) << 2 | (a <= b) << 3 | (a > c) << 4 | (a >= c) << 5 | (sa < sb) << 6 |
         (sa <= sb) << 7 | (sa > (i32)c) << 8 | (sa >= (i32)c) << 9;
  o[1] = a + b + c;
  o[2] = (a << 3) + b;
  o[3] = (a + b) << (c & 31);
  o[4] = (a & b) | c;
  o[5] = a | b | c;
  o[6] = a ^ b ^ c;
  o[7] = (a << 7) | c;
  u32 lo = sa < sb ? a : b, hi = sa < sb ? b : a;
  o[8] = (i32)c < (i32)lo ? lo : (i32)c > (i32)hi ? hi : c; // median of three, signed
  o[9] = (a & 0xffffff) * (b & 0xffffff) + c;
  o[10] = __builtin_amdgcn_perm(a, b, 0x07020500);
  o[11] = __builtin_amdgcn_alignbit(a, b, c & 31);
  o[12] = __builtin_amdgcn_sad_u8(a, b, c);
  o[13] = __builtin_amdgcn_ubfe(a, b & 31, c & 31);
  o[14] = (u32)__builtin_amdgcn_sbfe(sa, b & 31, c & 31);
  o[15] = (c & a) | (~c & b);
}

// Values equal in all lanes: the scalar unit's arithmetic.
KERNEL uniform_ops(const u32 *in, u64 *out, u32 a, u32 b, u64 wide) {
  u64 x = wide * 3 + a;
  u32 n = 0;
  for (u32 k = 0; k < (b & 15); ++k) {
    x = (x << 7) | (x >> 57);
    x ^= (u64)in[k] << (k & 31);
    if (x & 0x100)
      n += (u32)__builtin_popcountll(x);
    else
      n -= (u32)__builtin_clzll(x | 1);
    x += (i32)in[k] < (i32)a ? x >> 3 : (u64)((i64)x >> 5);
  }
  if (thread_x() == 0) {
    out[block_x() * 4 + 0] = x;
    out[block_x() * 4 + 1] = n;
    out[block_x() * 4 + 2] = a / (b | 1) + a % (b | 1);
    out[block_x() * 4 + 3] = wide / (b | 1) ^ wide % (b | 1);
  }
}
