// Square root, exponential, logarithm and sine: the instructions themselves, then what compilers build from them.
#include "wg.h"

// The bare instructions: 9 words a work-item.
KERNEL hardware_f32(const f32 *as, f32 *out) {
  u32 i = global_x();
  f32 a = as[i];
  f32 *o = out + i * 9;
  o[0] = __builtin_amdgcn_rcpf(a);
  o[1] = __builtin_amdgcn_rsqf(a);
  o[2] = __builtin_amdgcn_sqrtf(a);
  o[3] = __builtin_amdgcn_exp2f(a);
  o[4] = __builtin_amdgcn_logf(a);
  o[5] = __builtin_amdgcn_sinf(a); // of a turn
  o[6] = __builtin_amdgcn_cosf(a);
  o[7] = __builtin_amdgcn_fractf(a);
  o[8] = __builtin_amdgcn_fmed3f(a, 0.25f, 2.0f);
}

KERNEL hardware_f64(const f64 *as, f64 *out) {
  u32 i = global_x();
  f64 a = as[i];
  f64 *o = out + i * 4;
  o[0] = __builtin_amdgcn_rcp(a);
  o[1] = __builtin_amdgcn_rsq(a);
  o[2] = __builtin_amdgcn_sqrt(a);
  o[3] = __builtin_amdgcn_fract(a);
}

KERNEL hardware_f16(const f16 *as, f16 *out) {
  u32 i = global_x();
  f16 a = as[i];
  f16 *o = out + i * 5;
  o[0] = __builtin_amdgcn_rcph(a);
  o[1] = __builtin_amdgcn_rsqh(a);
  o[2] = __builtin_amdgcn_sqrth(a);
  o[3] = __builtin_amdgcn_sinh(a);
  o[4] = __builtin_amdgcn_cosh(a);
}

// The compiler's expansions, which handle denormals and keep accuracy over the whole range.
KERNEL library_f32(const f32 *as, f32 *out) {
  u32 i = global_x();
  f32 a = as[i];
  f32 *o = out + i * 8;
  o[0] = __builtin_elementwise_exp2(a);
  o[1] = __builtin_elementwise_log2(a);
  o[2] = __builtin_elementwise_exp(a);
  o[3] = __builtin_elementwise_log(a);
  o[4] = __builtin_elementwise_log10(a);
  o[5] = __builtin_elementwise_sin(a); // radians
  o[6] = __builtin_elementwise_cos(a);
  o[7] = __builtin_elementwise_sqrt(a);
}
