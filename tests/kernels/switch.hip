// Switches: dense ones with work in each case, ones that become tables of constants, and jump tables written out.
#include "wg.h"

// Twelve dense cases; the compiler chooses how to branch.
KERNEL switch_dense(const u32 *in, u32 *out) {
  u32 i = global_x(), v = in[i], r;
  switch (v % 13) {
  case 0: r = v + 1; break;
  case 1: r = v * 3; break;
  case 2: r = v ^ 0x1234567; break;
  case 3: r = v >> 3; break;
  case 4: r = v << 4; break;
  case 5: r = ~v; break;
  case 6: r = v / 5; break;
  case 7: r = (u32)__builtin_popcount(v); // falls through
  case 8: r = (v & 0xffff) * 9; break;
  case 9: r = v - 77; break;
  case 10: r = v | 0xf0f0; break;
  case 11: r = v & 0x0ff0; break;
  default: r = 42; break;
  }
  out[i] = r;
}

// The same for a value that all lanes share.
KERNEL switch_uniform(const u32 *in, u32 *out, u32 state) {
  u32 i = global_x(), v = in[i];
  for (u32 k = 0; k < 16; ++k) {
    switch (state) {
    case 0: v += 3; state = 4; break;
    case 1: v *= 5; state = 6; break;
    case 2: v ^= v >> 7; state = 1; break;
    case 3: v = ~v; state = 7; break;
    case 4: v -= 11; state = 2; break;
    case 5: v <<= 1; state = 0; break;
    case 6: v |= 1; state = 3; break;
    case 7: v = (v << 9) | (v >> 23); state = 5; break;
    default: v = 0; state = 0; break;
    }
  }
  out[i] = v;
}

// Becomes a load from a constant table.
KERNEL switch_lookup(const u32 *in, u32 *out) {
  u32 i = global_x(), r;
  switch (in[i] & 15) {
  case 0: r = 0x9e3779b9; break;
  case 1: r = 17; break;
  case 2: r = 0x85ebca6b; break;
  case 3: r = 4; break;
  case 4: r = 0xc2b2ae35; break;
  case 5: r = 99; break;
  case 6: r = 0x27d4eb2f; break;
  case 7: r = 12345; break;
  case 8: r = 1; break;
  case 9: r = 0xdeadbeef; break;
  case 10: r = 2; break;
  default: r = 7; break;
  }
  out[i] = r;
}

__constant__ const u16 squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
__device__ u32 writable[16] = {5, 4, 3, 2, 1};

// Constant and writable data of the code object itself, found relative to the program counter.
KERNEL code_object_data(const u32 *in, u32 *out, u32 uniform) {
  u32 i = global_x();
  out[i * 3] = squares[in[i] & 15];
  out[i * 3 + 1] = squares[uniform & 15];
  out[i * 3 + 2] = writable[in[i] & 7];
}

NOINLINE __device__ u32 case0(u32 v) { return v + 100; }
NOINLINE __device__ u32 case1(u32 v) { return v * 7; }
NOINLINE __device__ u32 case2(u32 v) { return v ^ 0xff00ff; }
NOINLINE __device__ u32 case3(u32 v) { return v >> 2; }
NOINLINE __device__ u32 case4(u32 v) { return (v << 3) - v; }
NOINLINE __device__ u32 case5(u32 v) { return v % 1000; }
NOINLINE __device__ u32 case6(u32 v) { return v & (v - 1); }
NOINLINE __device__ u32 case7(u32 v) { return 0u - v; }

// A jump table: an address per case, loaded and jumped through with s_setpc/s_swappc.
typedef u32 (*Case)(u32);
__constant__ const Case cases[8] = {case0, case1, case2, case3, case4, case5, case6, case7};
KERNEL switch_jump_table(const u32 *in, u32 *out, u32 program) {
  u32 i = global_x(), v = in[i];
  for (u32 k = 0; k < 8; ++k)
    v = cases[program >> (k * 3) & 7](v);
  out[i] = v;
}
