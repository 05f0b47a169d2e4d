//! `v_fma_mix` and `v_mad_mix`: multiply-add whose sources are each a single
//! or one half of a packed pair. `v_fma_mix_f32` and `v_fma_mix_f32_bf16` are
//! [`v_fma_f32`] on such sources.

use super::float::{narrow_bf16, narrow_f16, widen_bf16, widen_f16};
use super::float32::{v_fma_f32, v_mad_f32};

/// A half- or single-precision source: `op_sel_hi` says that it is a half,
/// `op_sel` which one. NEG_HI (as ABS) and NEG then apply to the single.
#[inline(always)]
pub fn mix_source_f16(x: u32, op_sel_hi: bool, op_sel: bool) -> f32 {
    let half = if op_sel { x >> 16 } else { x } as u16;
    if op_sel_hi {
        widen_f16(half)
    } else {
        f32::from_bits(x)
    }
}

/// As [`mix_source_f16`], with BF16 halves (CDNA5).
#[inline(always)]
pub fn mix_source_bf16(x: u32, op_sel_hi: bool, op_sel: bool) -> f32 {
    let half = if op_sel { x >> 16 } else { x } as u16;
    if op_sel_hi {
        widen_bf16(half)
    } else {
        f32::from_bits(x)
    }
}

/// `v_fma_mixlo_f16`, `v_fma_mixhi_f16`: the FMA rounded to single precision,
/// then to half, as the manual writes it.
#[inline(always)]
pub fn v_fma_mixlo_f16(a: f32, b: f32, c: f32) -> u16 {
    narrow_f16(v_fma_f32(a, b, c))
}

/// `v_fma_mixlo_bf16`, `v_fma_mixhi_bf16`: the FMA rounded to single precision,
/// then to BF16.
#[inline(always)]
pub fn v_fma_mixlo_bf16(a: f32, b: f32, c: f32) -> u16 {
    narrow_bf16(v_fma_f32(a, b, c))
}

/// `v_mad_mixlo_f16`, `v_mad_mixhi_f16` (gfx900): [`v_mad_f32`], then rounded
/// to half precision. `v_mad_mix_f32` is `v_mad_f32` itself.
#[inline(always)]
pub fn v_mad_mixlo_f16(a: f32, b: f32, c: f32) -> u16 {
    narrow_f16(v_mad_f32(a, b, c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_picked_by_op_sel() {
        let pair = 0x4000_3c00;
        assert_eq!(mix_source_f16(pair, true, false), 1.0);
        assert_eq!(mix_source_f16(pair, true, true), 2.0);
        assert_eq!(mix_source_f16(0x3f80_0000, false, true), 1.0);
        assert_eq!(mix_source_bf16(0x4000_3f80, true, true), 2.0);
    }

    #[test]
    fn results_are_narrowed() {
        assert_eq!(v_fma_mixlo_f16(1.0, 2.0, 1.0), 0x4200);
        assert_eq!(v_fma_mixlo_f16(65504.0, 2.0, 0.0), 0x7c00);
        assert_eq!(v_fma_mixlo_bf16(1.0, 2.0, 1.0), 0x4040);
        assert_eq!(v_mad_mixlo_f16(1e-40, 1.0, 0.0), 0);
    }
}
