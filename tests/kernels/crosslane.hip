// Lanes of a wave that read each other's registers. Launched with whole waves unless the kernel says otherwise.
#include "wg.h"

__device__ static inline u32 lane_id() {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}

// The high half is zero in wave32.
__device__ static inline u64 ballot(bool p) { return __builtin_amdgcn_ballot_w64(p); }

// clang has no builtin for this one; `value` goes to the register of lane `lane`, the other lanes keep `old`.
extern "C" __device__ i32 write_lane(i32 value, i32 lane, i32 old) __asm("llvm.amdgcn.writelane.i32");

// 8 words a work-item. A partial last wave is allowed.
KERNEL ballots(const u32 *in, u64 *out) {
  u32 i = global_x(), v = in[i];
  out[i * 8 + 0] = ballot(v & 1);
  out[i * 8 + 1] = ballot(true);
  u64 inside = 0, low = 0;
  if (v & 2) {
    inside = ballot(v & 1);
    low = (u32)__builtin_amdgcn_readfirstlane((i32)v);
  }
  out[i * 8 + 2] = inside;
  out[i * 8 + 3] = low;
  u64 mask = ballot(v & 4);
  out[i * 8 + 4] = __builtin_amdgcn_mbcnt_hi((u32)(mask >> 32), __builtin_amdgcn_mbcnt_lo((u32)mask, 7));
  out[i * 8 + 5] = __builtin_popcountll(mask);
  out[i * 8 + 6] = lane_id() | __builtin_amdgcn_wavefrontsize() << 8;
  out[i * 8 + 7] = ballot(v > 0x80000000u) ^ ballot((i32)v < 0);
}

// A wave-wide loop over distinct values: the leader's value is served until no lane is left.
KERNEL waterfall(const u32 *in, u32 *out) {
  u32 i = global_x(), v = in[i] & 7, round = 0;
  for (;;) {
    u32 leader = (u32)__builtin_amdgcn_readfirstlane((i32)v);
    if (leader == v) {
      out[i] = round * 100 + leader * 10 + (u32)__builtin_popcountll(ballot(true)) * 1000;
      break;
    }
    ++round;
  }
}

KERNEL read_lanes(const u32 *in, u32 *out, u32 lane) {
  u32 i = global_x(), v = in[i];
  out[i * 6 + 0] = (u32)__builtin_amdgcn_readfirstlane((i32)v);
  out[i * 6 + 1] = (u32)__builtin_amdgcn_readlane((i32)v, 0);
  out[i * 6 + 2] = (u32)__builtin_amdgcn_readlane((i32)v, 31);
  out[i * 6 + 3] = (u32)__builtin_amdgcn_readlane((i32)v, (i32)lane);
  out[i * 6 + 4] = (u32)write_lane((i32)lane + 1000, (i32)lane, (i32)v);
  out[i * 6 + 5] = (u32)__builtin_amdgcn_ds_bpermute((i32)(lane << 2), (i32)v);
}

// 6 words a work-item: every form of access through the LDS crossbar.
KERNEL lds_crossbar(const u32 *in, const u32 *index, u32 *out) {
  u32 i = global_x(), v = in[i], k = index[i];
  out[i * 6 + 0] = (u32)__builtin_amdgcn_ds_bpermute((i32)(k << 2), (i32)v);
  // A permutation: lane l sends to l ^ 5.
  out[i * 6 + 1] = (u32)__builtin_amdgcn_ds_permute((i32)((lane_id() ^ 5) << 2), (i32)v);
  out[i * 6 + 2] = (u32)__builtin_amdgcn_ds_swizzle((i32)v, 0x041f); // exchange neighbours: xor 1
  out[i * 6 + 3] = (u32)__builtin_amdgcn_ds_swizzle((i32)v, 0x801b); // quad permute 3,2,1,0
  out[i * 6 + 4] = (u32)__builtin_amdgcn_ds_swizzle((i32)v, 0x0010); // broadcast: and 0x10
  out[i * 6 + 5] = (u32)__builtin_amdgcn_ds_swizzle((i32)v, 0x7c1f); // xor 31
}

#define DPP(ctrl, rows, banks, bound) (u32) __builtin_amdgcn_update_dpp((i32)old, (i32)v, ctrl, rows, banks, bound)

// The controls that all targets have: 12 words a work-item.
KERNEL dpp_common(const u32 *in, u32 *out) {
  u32 i = global_x(), v = in[i], old = 0x11110000u + i;
  out[i * 12 + 0] = DPP(0x1b, 0xf, 0xf, false);  // quad_perm:[3,2,1,0]
  out[i * 12 + 1] = DPP(0xb1, 0xf, 0xf, true);   // quad_perm:[1,0,3,2]
  out[i * 12 + 2] = DPP(0x101, 0xf, 0xf, false); // row_shl:1, lanes past the row keep old
  out[i * 12 + 3] = DPP(0x103, 0xf, 0xf, true);  // row_shl:3, lanes past the row read zero
  out[i * 12 + 4] = DPP(0x111, 0xf, 0xf, false); // row_shr:1
  out[i * 12 + 5] = DPP(0x11f, 0xf, 0xf, true);  // row_shr:15
  out[i * 12 + 6] = DPP(0x121, 0xf, 0xf, false); // row_ror:1
  out[i * 12 + 7] = DPP(0x12d, 0xf, 0xf, true);  // row_ror:13
  out[i * 12 + 8] = DPP(0x140, 0xf, 0xf, false); // row_mirror
  out[i * 12 + 9] = DPP(0x141, 0xf, 0xf, false); // row_half_mirror
  out[i * 12 + 10] = DPP(0x111, 0x5, 0xf, true); // row_shr:1 row_mask:0x5
  out[i * 12 + 11] = DPP(0x121, 0xf, 0xa, false); // row_ror:1 bank_mask:0xa
}

// A prefix sum within rows, as compilers fold it into arithmetic with a DPP source, some lanes off.
KERNEL dpp_row_scan(const u32 *in, u32 *out, f32 *outf) {
  u32 i = global_x(), v = in[i], old = 0;
  if (in[i] & 1) {
    u32 s = v;
    s += (u32)__builtin_amdgcn_update_dpp(0, (i32)v, 0x111, 0xf, 0xf, true);
    s += (u32)__builtin_amdgcn_update_dpp(0, (i32)v, 0x112, 0xf, 0xf, true);
    s += (u32)__builtin_amdgcn_update_dpp(0, (i32)v, 0x113, 0xf, 0xf, true);
    old = s;
  }
  out[i] = old;
  f32 f = (f32)(v & 0xff);
  f += __builtin_bit_cast(f32, __builtin_amdgcn_update_dpp(0, __builtin_bit_cast(i32, f), 0x111, 0xf, 0xf, true));
  f += __builtin_bit_cast(f32, __builtin_amdgcn_update_dpp(0, __builtin_bit_cast(i32, f), 0x112, 0xf, 0xf, true));
  f += __builtin_bit_cast(f32, __builtin_amdgcn_update_dpp(0, __builtin_bit_cast(i32, f), 0x114, 0xf, 0xf, true));
  f += __builtin_bit_cast(f32, __builtin_amdgcn_update_dpp(0, __builtin_bit_cast(i32, f), 0x118, 0xf, 0xf, true));
  outf[i] = f;
}

#if defined(__GFX9__)
// GFX9 shifts and rotates whole waves, and broadcasts the last lane of a row into later rows.
KERNEL dpp_wave(const u32 *in, u32 *out) {
  u32 i = global_x(), v = in[i], old = 0x22220000u + i;
  out[i * 6 + 0] = DPP(0x130, 0xf, 0xf, false); // wave_shl:1
  out[i * 6 + 1] = DPP(0x134, 0xf, 0xf, false); // wave_rol:1
  out[i * 6 + 2] = DPP(0x138, 0xf, 0xf, true);  // wave_shr:1
  out[i * 6 + 3] = DPP(0x13c, 0xf, 0xf, false); // wave_ror:1
  out[i * 6 + 4] = DPP(0x142, 0xa, 0xf, false); // row_bcast:15
  out[i * 6 + 5] = DPP(0x143, 0xc, 0xf, false); // row_bcast:31
}
#else
#define DPP8(a, b, c, d, e, f, g, h) (a | b << 3 | c << 6 | d << 9 | e << 12 | f << 15 | g << 18 | h << 21)

// GFX10 and later: row_share and row_xmask, DPP8, and permutes within and across rows.
KERNEL dpp_rows(const u32 *in, u32 *out) {
  u32 i = global_x(), v = in[i], old = 0x22220000u + i;
  out[i * 6 + 0] = DPP(0x150, 0xf, 0xf, false);                           // row_share:0
  out[i * 6 + 1] = DPP(0x15d, 0xf, 0xf, false);                           // row_share:13
  out[i * 6 + 2] = DPP(0x163, 0xf, 0xf, false);                           // row_xmask:3
  out[i * 6 + 3] = __builtin_amdgcn_mov_dpp8(v, DPP8(1, 2, 3, 0, 7, 7, 5, 4));
  out[i * 6 + 4] = (u32)__builtin_amdgcn_permlane16((i32)old, (i32)v, 0x6420fdb9, 0x13579ace, false, false);
  out[i * 6 + 5] = (u32)__builtin_amdgcn_permlanex16((i32)old, (i32)v, 0x01234567, (i32)0x89abcdef, false, false);
}
#endif

#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
// row_newbcast: one lane of a row to the whole row.
KERNEL dpp_newbcast(const u32 *in, u32 *out) {
  u32 i = global_x(), v = in[i], old = 0x33330000u + i;
  out[i * 2 + 0] = DPP(0x150, 0xf, 0xf, false);
  out[i * 2 + 1] = DPP(0x15b, 0xf, 0xf, false);
}
#endif

#if defined(__GFX11__) || defined(__GFX12__)
// Exchanges the halves of a wave64; in wave32 nothing moves.
KERNEL permlane64(const u32 *in, u32 *out) {
  u32 i = global_x();
  out[i] = __builtin_amdgcn_permlane64(in[i]);
}
#endif

#if defined(__gfx950__) || defined(__gfx1250__)
typedef u32 u32x2 __attribute__((ext_vector_type(2)));
// Swaps rows between two registers.
KERNEL permlane_swap(const u32 *in, u32 *out) {
  u32 i = global_x(), v = in[i];
  u32x2 a = __builtin_amdgcn_permlane16_swap(v, ~v, false, false);
  out[i * 4 + 0] = a[0];
  out[i * 4 + 1] = a[1];
#if defined(__gfx950__)
  u32x2 b = __builtin_amdgcn_permlane32_swap(v, ~v, false, false);
  out[i * 4 + 2] = b[0];
  out[i * 4 + 3] = b[1];
#else
  out[i * 4 + 2] = out[i * 4 + 3] = 0;
#endif
}
#endif

// A sum over the wave without LDS memory: butterflies by ds_swizzle, then across halves by readlane.
KERNEL wave_sum(const u32 *in, u32 *out) {
  u32 i = global_x(), s = in[i];
  s += (u32)__builtin_amdgcn_ds_swizzle((i32)s, 0x041f);
  s += (u32)__builtin_amdgcn_ds_swizzle((i32)s, 0x081f);
  s += (u32)__builtin_amdgcn_ds_swizzle((i32)s, 0x101f);
  s += (u32)__builtin_amdgcn_ds_swizzle((i32)s, 0x201f);
  s += (u32)__builtin_amdgcn_ds_swizzle((i32)s, 0x401f);
  if (__builtin_amdgcn_wavefrontsize() == 64)
    s = (u32)__builtin_amdgcn_readlane((i32)s, 0) + (u32)__builtin_amdgcn_readlane((i32)s, 32);
  out[i] = s;
}
