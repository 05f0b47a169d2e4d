// Vector add with a tail, saxpy, and copies: one work-item an element, and grid-stride loops.
#include "wg.h"

KERNEL vector_add(const f32 *a, const f32 *b, f32 *c, u32 n) {
  u32 i = global_x();
  if (i < n)
    c[i] = a[i] + b[i];
}

KERNEL vector_add_i32(const i32 *a, const i32 *b, i32 *c, u32 n) {
  u32 i = global_x();
  if (i < n)
    c[i] = a[i] + b[i];
}

KERNEL saxpy(u32 n, f32 alpha, const f32 *x, f32 *y) {
  u32 i = global_x();
  if (i < n)
    y[i] = __builtin_fmaf(alpha, x[i], y[i]);
}

// The same with a product that is rounded before the sum.
KERNEL saxpy_unfused(u32 n, f32 alpha, const f32 *x, f32 *y) {
  for (u32 i = global_x(); i < n; i += grid_size_x())
    y[i] = alpha * x[i] + y[i];
}

// The bandwidth benchmark: 16 bytes a work-item and step.
KERNEL copy_b128(const u32x4 *from, u32x4 *to, u32 n) {
  for (u32 i = global_x(); i < n; i += grid_size_x())
    to[i] = from[i];
}

KERNEL copy_b32(const u32 *from, u32 *to, u32 n) {
  for (u32 i = global_x(); i < n; i += grid_size_x())
    to[i] = from[i];
}
