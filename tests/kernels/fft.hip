// A 1024-point FFT a workgroup: Stockham's autosort form, radix 4, in LDS. The twiddles come from the host, so that
// every operation here is IEEE's.
#include "wg.h"

#define POINTS 1024
#define ITEMS (POINTS / 4)

struct Complex {
  f32 re, im;
};

__device__ static inline Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
__device__ static inline Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
__device__ static inline Complex operator*(Complex a, Complex b) {
  return {__builtin_fmaf(a.re, b.re, -(a.im * b.im)), __builtin_fmaf(a.re, b.im, a.im * b.re)};
}

// `roots[k]` is exp(-2 pi i k / POINTS); `inverse` takes their conjugates and leaves the result unscaled.
template <bool INVERSE> __device__ static inline void transform(const Complex *in, Complex *out, const Complex *roots) {
  __shared__ Complex lds[POINTS];
  u32 t = thread_x();
  const Complex *mine = in + block_x() * POINTS;
  Complex v[4];
#pragma unroll
  for (u32 r = 0; r < 4; ++r)
    v[r] = mine[t + r * ITEMS];
  for (u32 span = 1; span < POINTS; span *= 4) {
    u32 k = t % span;
#pragma unroll
    for (u32 r = 1; r < 4; ++r) {
      Complex w = roots[r * k * (POINTS / 4 / span)];
      if (INVERSE)
        w.im = -w.im;
      v[r] = v[r] * w;
    }
    Complex a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
    // -i times d, or i times d for the inverse.
    Complex e = INVERSE ? Complex{-d.im, d.re} : Complex{d.im, -d.re};
    v[0] = a + c;
    v[1] = b + e;
    v[2] = a - c;
    v[3] = b - e;
    u32 at = (t / span) * span * 4 + k;
    sync_threads();
#pragma unroll
    for (u32 r = 0; r < 4; ++r)
      lds[at + r * span] = v[r];
    sync_threads();
#pragma unroll
    for (u32 r = 0; r < 4; ++r)
      v[r] = lds[t + r * ITEMS];
  }
#pragma unroll
  for (u32 r = 0; r < 4; ++r)
    out[block_x() * POINTS + t + r * ITEMS] = v[r];
}

KERNEL fft_1024(const Complex *in, Complex *out, const Complex *roots) { transform<false>(in, out, roots); }
KERNEL inverse_fft_1024(const Complex *in, Complex *out, const Complex *roots) { transform<true>(in, out, roots); }
