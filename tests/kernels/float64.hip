// Double precision.
#include "wg.h"

// 16 values a work-item.
KERNEL f64_ops(const f64 *as, const f64 *bs, const f64 *cs, f64 *out) {
  u32 i = global_x();
  f64 a = as[i], b = bs[i], c = cs[i];
  f64 *o = out + i * 16;
  o[0] = a + b;
  o[1] = a - b;
  o[2] = a * b;
  o[3] = __builtin_fma(a, b, c);
  o[4] = a / b;
  o[5] = __builtin_sqrt(a);
  o[6] = __builtin_fmin(a, b);
  o[7] = __builtin_fmax(a, b);
  o[8] = __builtin_floor(a);
  o[9] = __builtin_ceil(a);
  o[10] = __builtin_trunc(a);
  o[11] = __builtin_rint(a);
  o[12] = __builtin_fma(-a, __builtin_fabs(b), -c);
  o[13] = __builtin_copysign(a, b);
  o[14] = __builtin_ldexp(a, (i32)(bits64(c) >> 52) - 1023);
  o[15] = 1.0 / a;
}

// 8 values a work-item; conversions in range.
KERNEL f64_convert(const f64 *as, const u32 *bs, const u64 *cs, u64 *out) {
  u32 i = global_x();
  f64 a = as[i];
  u64 *o = out + i * 9;
  o[0] = (u64)(i64)(i32)a;
  o[1] = (u32)__builtin_fabs(a);
  o[2] = (u64)(i64)(a * 1048576.0);
  o[3] = (u64)__builtin_fabs(a * 1048576.0);
  o[4] = bits64((f64)bs[i]);
  o[5] = bits64((f64)(i32)bs[i]);
  o[6] = bits64((f64)cs[i]);
  o[7] = bits64((f64)(i64)cs[i]);
  o[8] = bits32((f32)(a * 1.0e-3));
}

KERNEL f64_compare(const f64 *as, const f64 *bs, u32 *out) {
  u32 i = global_x();
  f64 a = as[i], b = bs[i];
  u32 m = 0;
  m |= (u32)(a == b) << 0;
  m |= (u32)(a != b) << 1;
  m |= (u32)(a < b) << 2;
  m |= (u32)(a <= b) << 3;
  m |= (u32) !(a > b) << 4;
  m |= (u32) !(a >= b) << 5;
  m |= (u32)__builtin_isunordered(a, b) << 6;
  m |= (u32)__builtin_isinf(a) << 7;
  out[i] = m;
}
