// A sparse matrix in compressed rows (CSR) times a vector: a row a work-item, a row a wave, and a row of f64.
#include "wg.h"

__device__ static inline u32 lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }

KERNEL csr_by_item(const u32 *starts, const u32 *columns, const f32 *values, const f32 *x, f32 *y, u32 rows) {
  u32 row = global_x();
  if (row >= rows)
    return;
  f32 sum = 0.0f;
  for (u32 i = starts[row]; i < starts[row + 1]; ++i)
    sum = __builtin_fmaf(values[i], x[columns[i]], sum);
  y[row] = sum;
}

KERNEL csr_by_item_f64(const u32 *starts, const u32 *columns, const f64 *values, const f64 *x, f64 *y, u32 rows) {
  u32 row = global_x();
  if (row >= rows)
    return;
  f64 sum = 0.0;
  for (u32 i = starts[row]; i < starts[row + 1]; ++i)
    sum = __builtin_fma(values[i], x[columns[i]], sum);
  y[row] = sum;
}

// Lanes take every 32nd or 64th value of the row; then lane l adds what lane l ^ step has, from the widest step of 32
// lanes down, since ds_bpermute stays in them on RDNA 1 to 3, and the halves of a wave64 are added.
KERNEL csr_by_wave(const u32 *starts, const u32 *columns, const f32 *values, const f32 *x, f32 *y, u32 rows) {
  u32 lanes = __builtin_amdgcn_wavefrontsize(), lane = lane_id();
  u32 row = (u32)__builtin_amdgcn_readfirstlane((i32)(global_x() / lanes));
  if (row >= rows)
    return;
  f32 sum = 0.0f;
  for (u32 i = starts[row] + lane; i < starts[row + 1]; i += lanes)
    sum = __builtin_fmaf(values[i], x[columns[i]], sum);
  for (u32 step = 16; step; step /= 2) {
    i32 other = __builtin_amdgcn_ds_bpermute((i32)((lane ^ step) << 2), __builtin_bit_cast(i32, sum));
    sum += __builtin_bit_cast(f32, other);
  }
  if (lanes == 64) {
    i32 upper = __builtin_amdgcn_readlane(__builtin_bit_cast(i32, sum), 32);
    sum += __builtin_bit_cast(f32, upper);
  }
  if (lane == 0)
    y[row] = sum;
}
