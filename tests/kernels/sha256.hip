// SHA-256 (FIPS 180-4), one message a work-item.
#include "wg.h"

__constant__ const u32 ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ static inline u32 rotr(u32 x, u32 n) { return x >> n | x << (32 - n); }

__device__ static inline void compress(u32 *hash, u32 *w) {
  u32 a = hash[0], b = hash[1], c = hash[2], d = hash[3], e = hash[4], f = hash[5], g = hash[6], h = hash[7];
  for (u32 round = 0; round < 64; round += 16) {
#pragma unroll
    for (u32 i = 0; i < 16; ++i) {
      u32 t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + ROUND[round + i] + w[i];
      u32 t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    // The schedule of the next 16 rounds.
#pragma unroll
    for (u32 i = 0; i < 16; ++i) {
      u32 x = w[(i + 1) % 16], y = w[(i + 14) % 16];
      w[i] += (rotr(x, 7) ^ rotr(x, 18) ^ x >> 3) + w[(i + 9) % 16] + (rotr(y, 17) ^ rotr(y, 19) ^ y >> 10);
    }
  }
  hash[0] += a, hash[1] += b, hash[2] += c, hash[3] += d, hash[4] += e, hash[5] += f, hash[6] += g, hash[7] += h;
}

// Message i is the bytes from offsets[i] to offsets[i + 1]; its digest is 32 bytes at 32 * i.
KERNEL sha256(const u8 *text, const u32 *offsets, u8 *digests, u32 n) {
  u32 item = global_x();
  if (item >= n)
    return;
  const u8 *message = text + offsets[item];
  u32 length = offsets[item + 1] - offsets[item];
  u32 hash[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  u32 blocks = (length + 8) / 64 + 1;
  for (u32 block = 0; block < blocks; ++block) {
    u32 w[16];
#pragma unroll
    for (u32 i = 0; i < 16; ++i) {
      w[i] = 0;
#pragma unroll
      for (u32 j = 0; j < 4; ++j) {
        u32 at = block * 64 + i * 4 + j;
        u32 byte = at < length ? message[at] : at == length ? 0x80 : 0;
        w[i] = w[i] << 8 | byte;
      }
    }
    if (block == blocks - 1) {
      w[14] = length >> 29;
      w[15] = length << 3;
    }
    compress(hash, w);
  }
#pragma unroll
  for (u32 i = 0; i < 8; ++i) {
    u32 big_endian = __builtin_bswap32(hash[i]);
    __builtin_memcpy(digests + item * 32 + i * 4, &big_endian, 4);
  }
}
