// Functions that are really called: directly, through pointers, and by themselves.
#include "wg.h"

NOINLINE __device__ u32 add_op(u32 a, u32 b) { return a + b; }
NOINLINE __device__ u32 sub_op(u32 a, u32 b) { return a - b; }
NOINLINE __device__ u32 mul_op(u32 a, u32 b) { return a * b; }
NOINLINE __device__ u32 mix_op(u32 a, u32 b) { return (a << 5 | a >> 27) ^ b; }

typedef u32 (*Op)(u32, u32);
__constant__ Op table[4] = {add_op, sub_op, mul_op, mix_op};

// One function for all lanes.
KERNEL call_uniform(const u32 *as, const u32 *bs, u32 *out, u32 which) {
  u32 i = global_x();
  out[i] = table[which & 3](as[i], bs[i]);
}

// A function of its own for each lane.
KERNEL call_divergent(const u32 *as, const u32 *bs, u32 *out) {
  u32 i = global_x();
  Op f = table[as[i] & 3], g = table[bs[i] >> 4 & 3];
  out[i] = g(f(as[i], bs[i]), i);
}

NOINLINE __device__ u32 fibonacci(u32 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

NOINLINE __device__ u32 ackermann(u32 m, u32 n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

// Lanes recurse to depths of their own.
KERNEL recursion(const u32 *in, u32 *out) {
  u32 i = global_x(), v = in[i];
  out[i * 2] = fibonacci(v % 11);
  out[i * 2 + 1] = ackermann(v & 1, v >> 8 & 3) + ackermann(2, v >> 4 & 1);
}

NOINLINE __device__ u32 is_odd(u32 n);
NOINLINE __device__ u32 is_even(u32 n) { return n == 0 ? 1 : is_odd(n - 1); }
NOINLINE __device__ u32 is_odd(u32 n) { return n == 0 ? 0 : is_even(n - 1); }

KERNEL mutual_recursion(const u32 *in, u32 *out) {
  u32 i = global_x();
  out[i] = is_even(in[i] % 20) | is_odd(in[i] >> 8 & 15) << 1;
}

// More arguments than there are argument registers, and a structure returned through memory.
struct Many {
  u32 v[20];
};
NOINLINE __device__ Many spread(u32 a, u64 b, Many m, f32 c, u32 d) {
  for (u32 i = 0; i < 20; ++i)
    m.v[i] = m.v[i] * a + (u32)(b >> (i & 31)) + bits32(c) + d * i;
  return m;
}
NOINLINE __device__ u32 many_words(u32 a0, u32 a1, u32 a2, u32 a3, u32 a4, u32 a5, u32 a6, u32 a7, u32 a8, u32 a9,
                                   u32 a10, u32 a11, u32 a12, u32 a13, u32 a14, u32 a15, u32 a16, u32 a17, u32 a18,
                                   u32 a19, u32 a20, u32 a21, u32 a22, u32 a23, u32 a24, u32 a25, u32 a26, u32 a27,
                                   u32 a28, u32 a29, u32 a30, u32 a31, u32 a32, u32 a33, u32 a34, u32 a35) {
  return a0 + a1 * 3 + a2 * 5 + a3 * 7 + a4 * 11 + a5 * 13 + a6 * 17 + a7 * 19 + a8 * 23 + a9 * 29 + a10 * 31 +
         a11 * 37 + a12 * 41 + a13 * 43 + a14 * 47 + a15 * 53 + a16 * 59 + a17 * 61 + a18 * 67 + a19 * 71 + a20 * 73 +
         a21 * 79 + a22 * 83 + a23 * 89 + a24 * 97 + a25 * 101 + a26 * 103 + a27 * 107 + a28 * 109 + a29 * 113 +
         a30 * 127 + a31 * 131 + a32 * 137 + a33 * 139 + a34 * 149 + a35 * 151;
}
KERNEL call_many(const u32 *in, u32 *out) {
  u32 i = global_x();
  Many m;
  for (u32 j = 0; j < 20; ++j)
    m.v[j] = in[i] + j;
  m = spread(in[i], (u64)in[i] << 7, m, 1.5f, i);
  u32 sum = 0;
  for (u32 j = 0; j < 20; ++j)
    sum = sum * 31 + m.v[j];
  u32 v = in[i];
  out[i * 2] = sum;
  out[i * 2 + 1] = many_words(v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7, v + 8, v + 9, v + 10, v + 11, v + 12,
                              v + 13, v + 14, v + 15, v + 16, v + 17, v + 18, v + 19, v + 20, v + 21, v + 22, v + 23,
                              v + 24, v + 25, v + 26, v + 27, v + 28, v + 29, v + 30, v + 31, v + 32, v + 33, v + 34,
                              v + 35);
}
