// Control flow in which the lanes of a wave part and meet again.
#include "wg.h"

// Nested loops with a break and a continue whose conditions differ from lane to lane.
KERNEL nested_break_continue(const u32 *in, u32 *out, u32 n) {
  u32 i = global_x();
  if (i >= n)
    return;
  u32 x = in[i], acc = 0;
  for (u32 outer = 0; outer < (x & 15) + 1; ++outer) {
    if (((x >> outer) & 3) == 2)
      continue;
    for (u32 inner = 0;; ++inner) {
      if (inner > ((x >> 8) & 7) + outer)
        break;
      if ((inner ^ x) & 1)
        continue;
      acc = acc * 33 + inner;
      if ((acc & 63) == 17)
        goto next;
    }
    acc += outer;
  next:
    if (acc > 0xf0000000u)
      break;
    acc ^= x >> 3;
  }
  out[i] = acc;
}

// Steps of the Collatz sequence down to 1, at most `limit`.
KERNEL collatz(const u32 *in, u32 *out, u32 n, u32 limit) {
  u32 i = global_x();
  if (i >= n)
    return;
  u64 x = in[i];
  u32 steps = 0;
  while (x > 1) {
    if (steps == limit) {
      steps = 0xffffffffu;
      break;
    }
    x = x & 1 ? 3 * x + 1 : x >> 1;
    ++steps;
  }
  out[i] = steps;
}

// Greatest common divisor by subtraction: loops of very unequal lengths.
KERNEL gcd(const u32 *a, const u32 *b, u32 *out, u32 n) {
  u32 i = global_x();
  if (i >= n)
    return;
  u32 x = a[i], y = b[i];
  while (y != 0) {
    if (x >= y)
      x -= y;
    else {
      u32 t = x;
      x = y;
      y = t;
    }
  }
  out[i] = x;
}

// A uniform loop around divergent branches, with a barrier that every wave reaches.
KERNEL ladder(u32 *data, u32 rounds) {
  __shared__ u32 lds[256];
  u32 t = thread_x(), size = block_dim_x();
  lds[t] = data[global_x()];
  sync_threads();
  for (u32 r = 0; r < rounds; ++r) {
    u32 left = lds[(t + size - 1) % size], right = lds[(t + 1) % size], v;
    if (t & 1) {
      if (left > right)
        v = left - right;
      else if (left == right)
        v = left * 3 + 1;
      else
        v = (right ^ left) + r;
    } else {
      v = left + right;
      for (u32 k = v & 3; k; --k)
        v = (v << 1) | (v >> 31);
    }
    sync_threads();
    lds[t] = v;
    sync_threads();
  }
  data[global_x()] = lds[t];
}
