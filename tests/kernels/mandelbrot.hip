// Iterations until a point leaves the circle of radius 2, in f64 and in f32.
#include "wg.h"

template <class T> __device__ static inline void count(u32 *out, u32 width, u32 height, T x0, T y0, T step, u32 most) {
  u32 px = global_x(), py = block_y() * block_dim_y() + thread_y();
  if (px >= width || py >= height)
    return;
  T cx = x0 + (T)px * step, cy = y0 + (T)py * step, x = 0, y = 0;
  u32 n = 0;
  while (n < most) {
    T xx = x * x, yy = y * y;
    if (xx + yy > (T)4)
      break;
    y = (T)2 * x * y + cy;
    x = xx - yy + cx;
    ++n;
  }
  out[py * width + px] = n;
}

KERNEL mandelbrot_f64(u32 *out, u32 width, u32 height, f64 x0, f64 y0, f64 step, u32 most) {
  count<f64>(out, width, height, x0, y0, step, most);
}

KERNEL mandelbrot_f32(u32 *out, u32 width, u32 height, f32 x0, f32 y0, f32 step, u32 most) {
  count<f32>(out, width, height, x0, y0, step, most);
}
