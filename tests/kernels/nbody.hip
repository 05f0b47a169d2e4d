// Gravity between all pairs of bodies, a tile of bodies in LDS at a time.
#include "wg.h"

#define ITEMS 64

// Position and mass in, acceleration out; `n` is a multiple of ITEMS.
template <class V, class T, class Fma, class Sqrt>
__device__ static inline void accelerate(const V *bodies, V *out, V *tile, u32 n, T soft, Fma fma, Sqrt sqrt) {
  u32 i = global_x();
  V me = bodies[i];
  T ax = 0, ay = 0, az = 0;
  for (u32 first = 0; first < n; first += ITEMS) {
    tile[thread_x()] = bodies[first + thread_x()];
    sync_threads();
    for (u32 j = 0; j < ITEMS; ++j) {
      V other = tile[j];
      T dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      T square = fma(dx, dx, fma(dy, dy, fma(dz, dz, soft)));
      T pull = other.w / (square * sqrt(square));
      ax = fma(dx, pull, ax);
      ay = fma(dy, pull, ay);
      az = fma(dz, pull, az);
    }
    sync_threads();
  }
  out[i] = V{ax, ay, az, 0};
}

typedef f64 f64x4 __attribute__((ext_vector_type(4)));

KERNEL nbody_f32(const f32x4 *bodies, f32x4 *out, u32 n, f32 soft) {
  __shared__ f32x4 tile[ITEMS];
  accelerate(
      bodies, out, tile, n, soft, [](f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); },
      [](f32 x) { return __builtin_sqrtf(x); });
}

KERNEL nbody_f64(const f64x4 *bodies, f64x4 *out, u32 n, f64 soft) {
  __shared__ f64x4 tile[ITEMS];
  accelerate(
      bodies, out, tile, n, soft, [](f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); },
      [](f64 x) { return __builtin_sqrt(x); });
}
