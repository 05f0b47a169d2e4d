// 16-bit floating point, scalar and packed, and 16-bit integers.
#include "wg.h"

// Operands and results are passed as bits: 16 halves a work-item.
KERNEL f16_ops(const f16 *as, const f16 *bs, const f16 *cs, f16 *out) {
  u32 i = global_x();
  f16 a = as[i], b = bs[i], c = cs[i];
  f16 *o = out + i * 16;
  o[0] = a + b;
  o[1] = a - b;
  o[2] = a * b;
  o[3] = __builtin_elementwise_fma(a, b, c);
  o[4] = a / b;
  o[5] = __builtin_elementwise_sqrt(a);
  o[6] = a < b ? a : b;
  o[7] = -a;
  o[8] = __builtin_elementwise_abs(a);
  o[9] = __builtin_elementwise_floor(a);
  o[10] = __builtin_elementwise_ceil(a);
  o[11] = __builtin_elementwise_trunc(a);
  o[12] = __builtin_elementwise_roundeven(a);
  o[13] = __builtin_elementwise_minnum(a, b);
  o[14] = __builtin_elementwise_maxnum(a, c);
  o[15] = __builtin_elementwise_copysign(a, b);
}

// Conversions from and to halves.
KERNEL f16_convert(const f16 *as, const f32 *bs, const i32 *cs, u32 *out) {
  u32 i = global_x();
  f16 a = as[i];
  u32 *o = out + i * 8;
  o[0] = bits32((f32)a);
  o[1] = __builtin_bit_cast(u16, (f16)bs[i]);
  o[2] = __builtin_bit_cast(u16, (f16)(i16)cs[i]);
  o[3] = __builtin_bit_cast(u16, (f16)(u16)cs[i]);
  o[4] = __builtin_bit_cast(u16, (f16)cs[i]);
  f32 clamped = (f32)a;
  clamped = clamped > -30000.0f ? clamped : -30000.0f;
  clamped = clamped < 30000.0f ? clamped : 30000.0f;
  o[5] = (u32)(i32)(i16)(f16)clamped;
  o[6] = (u32)(u16)(f16)(clamped < 0.0f ? -clamped : clamped);
  o[7] = bits32((f32)a * 2.0f + (f32)(f16)bs[i]);
}

// Packed operations: both halves of a dword at once.
KERNEL packed_f16(const f16x2 *as, const f16x2 *bs, const f16x2 *cs, f16x2 *out) {
  u32 i = global_x();
  f16x2 a = as[i], b = bs[i], c = cs[i];
  f16x2 *o = out + i * 7;
  o[0] = a + b;
  o[1] = a * b;
  o[2] = __builtin_elementwise_fma(a, b, c);
  o[3] = a.yx + b;
  o[4] = a * b.yy;
  o[5] = __builtin_elementwise_fma(-a, b.yx, c);
  o[6] = a - b;
}

KERNEL packed_i16(const u16x2 *as, const u16x2 *bs, u16x2 *out) {
  u32 i = global_x();
  u16x2 a = as[i], b = bs[i];
  u16x2 *o = out + i * 12;
  o[0] = a + b;
  o[1] = a - b;
  o[2] = a * b;
  o[3] = a << (b & (u16)15);
  o[4] = a >> (b & (u16)15);
  o[5] = __builtin_bit_cast(u16x2, __builtin_bit_cast(i16x2, a) >> __builtin_bit_cast(i16x2, b & (u16)15));
  o[6] = __builtin_elementwise_min(a, b);
  o[7] = __builtin_elementwise_max(a, b);
  o[8] = __builtin_bit_cast(u16x2, __builtin_elementwise_min(__builtin_bit_cast(i16x2, a), __builtin_bit_cast(i16x2, b)));
  o[9] = __builtin_bit_cast(u16x2, __builtin_elementwise_max(__builtin_bit_cast(i16x2, a), __builtin_bit_cast(i16x2, b)));
  o[10] = __builtin_elementwise_add_sat(a, b);
  o[11] = a * b.yx + a;
}

KERNEL i16_ops(const u16 *as, const u16 *bs, u16 *out) {
  u32 i = global_x();
  u16 a = as[i], b = bs[i], d = b ? b : 1;
  u16 *o = out + i * 12;
  o[0] = (u16)(a + b);
  o[1] = (u16)(a - b);
  o[2] = (u16)((u32)a * b);
  o[3] = (u16)(a / d);
  o[4] = (u16)(a % d);
  o[5] = (u16)((i16)a / (i16)d);
  o[6] = (u16)((i16)a % (i16)d);
  o[7] = (u16)(a << (b & 15));
  o[8] = (u16)((i16)a >> (b & 15));
  o[9] = a < b ? a : b;
  o[10] = (u16)((i16)a > (i16)b ? a : b);
  o[11] = (u16)((u32)a * b + d);
}
