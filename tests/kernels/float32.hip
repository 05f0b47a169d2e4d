// Single precision: what IEEE 754 fixes, conversions, classes and modifiers.
#include "wg.h"

// 20 words a work-item, as bits.
KERNEL f32_ops(const f32 *as, const f32 *bs, const f32 *cs, f32 *out) {
  u32 i = global_x();
  f32 a = as[i], b = bs[i], c = cs[i];
  f32 *o = out + i * 20;
  o[0] = a + b;
  o[1] = a - b;
  o[2] = a * b;
  o[3] = __builtin_fmaf(a, b, c);
  o[4] = a / b;
  o[5] = __builtin_sqrtf(a);
  o[6] = __builtin_fminf(a, b);
  o[7] = __builtin_fmaxf(a, b);
  o[8] = __builtin_floorf(a);
  o[9] = __builtin_ceilf(a);
  o[10] = __builtin_truncf(a);
  o[11] = __builtin_rintf(a);
  o[12] = __builtin_fmaf(-a, __builtin_fabsf(b), -c);
  o[13] = (a + b) * 2.0f;
  o[14] = (a - b) * 0.5f;
  o[15] = __builtin_copysignf(a, b);
  o[16] = __builtin_ldexpf(a, (i32)bits32(c) >> 23);
  o[17] = -__builtin_fabsf(a);
  o[18] = __builtin_fmaxf(__builtin_fminf(__builtin_fmaxf(a, b), c), __builtin_fminf(a, b));
  o[19] = 1.0f / a;
}

// Compares, ordered and unordered, as one mask; classes; exponent and significand.
KERNEL f32_compare(const f32 *as, const f32 *bs, u32 *out) {
  u32 i = global_x();
  f32 a = as[i], b = bs[i];
  u32 m = 0;
  m |= (u32)(a == b) << 0;
  m |= (u32)(a != b) << 1;
  m |= (u32)(a < b) << 2;
  m |= (u32)(a <= b) << 3;
  m |= (u32)(a > b) << 4;
  m |= (u32)(a >= b) << 5;
  m |= (u32) !(a < b) << 6;
  m |= (u32) !(a <= b) << 7;
  m |= (u32) !(a > b) << 8;
  m |= (u32) !(a >= b) << 9;
  m |= (u32)__builtin_isunordered(a, b) << 10;
  m |= (u32)__builtin_islessgreater(a, b) << 11;
  m |= (u32)__builtin_isnan(a) << 12;
  m |= (u32)__builtin_isinf(a) << 13;
  m |= (u32)__builtin_isnormal(a) << 14;
  m |= (u32)__builtin_amdgcn_classf(a, 0x90) << 15; // denormals of both signs
  m |= (u32)__builtin_amdgcn_classf(a, 0x20) << 16; // negative zero
  m |= (u32)(a > 0.0f && b > 0.0f) << 17;
  out[i * 3] = m;
  bool odd = __builtin_isnan(a) || __builtin_isinf(a);
  out[i * 3 + 1] = odd ? 0 : (u32)__builtin_amdgcn_frexp_expf(a);
  out[i * 3 + 2] = odd ? 0 : bits32(__builtin_amdgcn_frexp_mantf(a));
}

// Conversions in range: C leaves the others undefined.
KERNEL f32_convert(const f32 *as, const u32 *bs, const u64 *cs, u64 *out) {
  u32 i = global_x();
  f32 a = as[i];
  u64 *o = out + i * 12;
  o[0] = (u64)(i64)(i32)a;
  o[1] = (u32)__builtin_fabsf(a);
  o[2] = (u64)(i64)(a * 1024.0f);
  o[3] = (u64)__builtin_fabsf(a * 4096.0f);
  o[4] = bits32((f32)bs[i]);
  o[5] = bits32((f32)(i32)bs[i]);
  o[6] = bits32((f32)cs[i]);
  o[7] = bits32((f32)(i64)cs[i]);
  o[8] = bits64((f64)a);
  o[9] = bits32((f32)(u8)(bs[i] >> 8)) | (u64)bits32((f32)(u8)(bs[i] >> 24)) << 32;
  o[10] = (u64)(i64)__builtin_rintf(a);
  o[11] = bits32((f32)(u8)bs[i] + (f32)(u8)(bs[i] >> 16));
}

// A polynomial with literal and inline constants.
KERNEL f32_polynomial(const f32 *as, f32 *out) {
  u32 i = global_x();
  f32 x = as[i], y = 0.15915494f;
  y = __builtin_fmaf(y, x, -0.5f);
  y = __builtin_fmaf(y, x, 3.1415927f);
  y = __builtin_fmaf(y, x, 4.0f);
  y = __builtin_fmaf(y, x, -1.0e-20f);
  out[i] = y;
}
