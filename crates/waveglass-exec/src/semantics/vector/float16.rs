//! 16-bit floating-point operations: binary16 and bfloat16.
//!
//! On gfx9 most of them write zeros to the register's other half; `keep` marks those that came or
//! changed with that generation and leave it alone.

use crate::alu::{convert, division, float16, minmax, transcendental};
use crate::semantics::table::valu;
use crate::semantics::{Registry, Semantics};
use crate::valu::kernel::{Bf16, F16, PkBf16, PkF16, Single, builds, map_pack_toward_zero};
use crate::valu::{ClampKind, High16, LaneOp, MaskUse, Spec, Ty};

pub(super) fn register(r: &mut Registry) {
    arithmetic(r);
    min_max(r);
    conversions(r);
    bfloat16(r);
}

fn arithmetic(r: &mut Registry) {
    valu! { r;
        "v_add_f16" [] (a: F16, b: F16) -> F16 => F16(float16::v_add_f16(a.0, b.0)), by halves x y => x + y;
        "v_sub_f16" [] (a: F16, b: F16) -> F16 => F16(float16::v_sub_f16(a.0, b.0)), by halves x y => x - y;
        "v_subrev_f16" [] (a: F16, b: F16) -> F16 => F16(float16::v_subrev_f16(a.0, b.0)), by halves x y => y - x;
        "v_mul_f16" [] (a: F16, b: F16) -> F16 => F16(float16::v_mul_f16(a.0, b.0)), by halves x y => x * y;
        "v_fma_f16" [keep] (a: F16, b: F16, c: F16) -> F16 => F16(float16::v_fma_f16(a.0, b.0, c.0)),
            by halves x y z => x.mul_add_odd(y, z);
        "v_fma_legacy_f16" [] (a: F16, b: F16, c: F16) -> F16 => F16(float16::v_fma_f16(a.0, b.0, c.0)),
            by halves x y z => x.mul_add_odd(y, z);
        "v_fmac_f16" [acc keep] (a: F16, b: F16, c: F16) -> F16 => F16(float16::v_fma_f16(a.0, b.0, c.0)),
            by halves x y z => x.mul_add_odd(y, z);
        "v_fmamk_f16" | "v_fmaak_f16" [keep] (a: F16, b: F16, c: F16) -> F16 =>
            F16(float16::v_fma_f16(a.0, b.0, c.0)),
            by halves x y z => x.mul_add_odd(y, z);
        "v_mad_f16" | "v_madmk_f16" | "v_madak_f16" [keep] (m; a: F16, b: F16, c: F16) -> F16 =>
            F16(mad(m.mode().denorm_f16_f64_out(), a, b, c));
        "v_mad_legacy_f16" [] (m; a: F16, b: F16, c: F16) -> F16 =>
            F16(mad(m.mode().denorm_f16_f64_out(), a, b, c));
        "v_mac_f16" [acc keep] (m; a: F16, b: F16, c: F16) -> F16 =>
            F16(mad(m.mode().denorm_f16_f64_out(), a, b, c));
        "v_floor_f16" [] (a: F16) -> F16 => F16(float16::v_floor_f16(a.0)), by halves x => x.down();
        "v_ceil_f16" [] (a: F16) -> F16 => F16(float16::v_ceil_f16(a.0)), by halves x => x.up();
        "v_trunc_f16" [] (a: F16) -> F16 => F16(float16::v_trunc_f16(a.0)), by halves x => x.toward_zero();
        "v_rndne_f16" [] (a: F16) -> F16 => F16(float16::v_rndne_f16(a.0)), by halves x => x.nearest_even();
        "v_fract_f16" [] (a: F16) -> F16 => F16(float16::v_fract_f16(a.0));
        "v_frexp_mant_f16" [] (a: F16) -> F16 => F16(float16::v_frexp_mant_f16(a.0));
        "v_frexp_exp_i16_f16" [] (a: F16) -> u16 => float16::v_frexp_exp_i16_f16(a.0);
        "v_ldexp_f16" [] (a: F16, b: u16) -> F16 => F16(float16::v_ldexp_f16(a.0, b));
        "v_rcp_f16" [] (a: F16) -> F16 => F16(transcendental::v_rcp_f16(a.0)), by halves x => x.reciprocal();
        "v_sqrt_f16" [] (a: F16) -> F16 => F16(transcendental::v_sqrt_f16(a.0)), by halves x => x.root();
        "v_rsq_f16" [] (a: F16) -> F16 => F16(transcendental::v_rsq_f16(a.0)), by tabled;
        "v_exp_f16" [] (a: F16) -> F16 => F16(transcendental::v_exp_f16(a.0)), by tabled;
        "v_log_f16" [] (a: F16) -> F16 => F16(transcendental::v_log_f16(a.0)), by tabled;
        "v_sin_f16" [] (a: F16) -> F16 => F16(transcendental::v_sin_f16(a.0)), by tabled;
        "v_cos_f16" [] (a: F16) -> F16 => F16(transcendental::v_cos_f16(a.0)), by tabled;
        "v_tanh_f16" [] (a: F16) -> F16 => F16(transcendental::v_tanh_f16(a.0)), by tabled;
        "v_div_fixup_f16" [keep] (a: F16, b: F16, c: F16) -> F16 =>
            F16(division::v_div_fixup_f16(a.0, b.0, c.0));
        "v_div_fixup_legacy_f16" [] (a: F16, b: F16, c: F16) -> F16 =>
            F16(division::v_div_fixup_f16(a.0, b.0, c.0));
    }
}

#[inline(always)]
fn mad(keep_denormals: bool, a: F16, b: F16, c: F16) -> u16 {
    if keep_denormals {
        float16::v_mad_f16(a.0, b.0, c.0)
    } else {
        float16::v_mad_f16_flush(a.0, b.0, c.0)
    }
}

/// Entries of the operations whose rule on NaN changed with gfx11.
macro_rules! ieee {
    ($r:expr; $($name:literal [$($flag:ident)*] ($($a:ident),*) $f:ident $gfx11:ident, $wide:expr;)*) => {
        valu! { $r;
            $($name [$($flag)*] (m; $($a: F16),*) -> F16 => F16(if m.major() == 11 {
                minmax::$gfx11($($a.0,)* m.ieee())
            } else {
                minmax::$f($($a.0,)* m.ieee())
            }), by ordered $($a)* => $wide;)*
        }
    };
}

/// The median as the manual has it: of the sources that equal the maximum, zeros of both signs alike,
/// the first is left out.
#[inline(always)]
fn median(a: i16, b: i16, c: i16) -> i16 {
    // Minus zero comes right before zero.
    let number = |x: i16| if x == -1 { 0 } else { x };
    let first = a.max(b);
    let top = number(first.max(c));
    let r = if top == number(b) { a.max(c) } else { first };
    if top == number(a) { b.max(c) } else { r }
}

fn min_max(r: &mut Registry) {
    ieee! { r;
        "v_max_f16" [] (a, b) v_max_f16 v_max_f16_gfx11, a.max(b);
        "v_min_f16" [] (a, b) v_min_f16 v_min_f16_gfx11, a.min(b);
        "v_max3_f16" [keep] (a, b, c) v_max3_f16 v_max3_f16_gfx11, a.max(b).max(c);
        "v_min3_f16" [keep] (a, b, c) v_min3_f16 v_min3_f16_gfx11, a.min(b).min(c);
        "v_maxmin_f16" [keep] (a, b, c) v_maxmin_f16 v_maxmin_f16_gfx11, a.max(b).min(c);
        "v_minmax_f16" [keep] (a, b, c) v_minmax_f16 v_minmax_f16_gfx11, a.min(b).max(c);
    }
    valu! { r;
        "v_med3_f16" [keep] (m; a: F16, b: F16, c: F16) -> F16 => F16(if m.major() == 11 {
            minmax::v_med3_f16_gfx11(a.0, b.0, c.0, m.ieee())
        } else {
            minmax::v_med3_f16(a.0, b.0, c.0, m.ieee())
        }), by median => median;
        "v_max_num_f16" [] (a: F16, b: F16) -> F16 => F16(minmax::v_max_num_f16(a.0, b.0)),
            by ordered x y => x.max(y);
        "v_min_num_f16" [] (a: F16, b: F16) -> F16 => F16(minmax::v_min_num_f16(a.0, b.0)),
            by ordered x y => x.min(y);
        "v_maximum_f16" [] (a: F16, b: F16) -> F16 => F16(minmax::v_maximum_f16(a.0, b.0)),
            by ordered x y => x.max(y);
        "v_minimum_f16" [] (a: F16, b: F16) -> F16 => F16(minmax::v_minimum_f16(a.0, b.0)),
            by ordered x y => x.min(y);
        "v_max3_num_f16" [] (a: F16, b: F16, c: F16) -> F16 =>
            F16(minmax::v_max3_num_f16(a.0, b.0, c.0)),
            by ordered x y z => x.max(y).max(z);
        "v_min3_num_f16" [] (a: F16, b: F16, c: F16) -> F16 =>
            F16(minmax::v_min3_num_f16(a.0, b.0, c.0)),
            by ordered x y z => x.min(y).min(z);
        "v_med3_num_f16" [] (a: F16, b: F16, c: F16) -> F16 =>
            F16(minmax::v_med3_num_f16(a.0, b.0, c.0)),
            by median => median;
        "v_maxmin_num_f16" [] (a: F16, b: F16, c: F16) -> F16 =>
            F16(minmax::v_maxmin_num_f16(a.0, b.0, c.0)),
            by ordered x y z => x.max(y).min(z);
        "v_minmax_num_f16" [] (a: F16, b: F16, c: F16) -> F16 =>
            F16(minmax::v_minmax_num_f16(a.0, b.0, c.0)),
            by ordered x y z => x.min(y).max(z);
        "v_maximum3_f16" [] (a: F16, b: F16, c: F16) -> F16 =>
            F16(minmax::v_maximum3_f16(a.0, b.0, c.0)),
            by ordered x y z => x.max(y).max(z);
        "v_minimum3_f16" [] (a: F16, b: F16, c: F16) -> F16 =>
            F16(minmax::v_minimum3_f16(a.0, b.0, c.0)),
            by ordered x y z => x.min(y).min(z);
        "v_maximumminimum_f16" [] (a: F16, b: F16, c: F16) -> F16 =>
            F16(minmax::v_maximumminimum_f16(a.0, b.0, c.0)),
            by ordered x y z => x.max(y).min(z);
        "v_minimummaximum_f16" [] (a: F16, b: F16, c: F16) -> F16 =>
            F16(minmax::v_minimummaximum_f16(a.0, b.0, c.0)),
            by ordered x y z => x.min(y).max(z);
    }
}

struct PackTowardZero;

impl LaneOp for PackTowardZero {
    #[inline(always)]
    fn run<const L: usize>(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, _: u64) -> u64 {
        map_pack_toward_zero::<L>(regs, d, s, n, convert::v_cvt_pk_rtz_f16_f32);
        0
    }
}

/// It rounds toward zero whatever MODE says, so its result is not a float to the framework.
static PACK_TOWARD_ZERO: Spec = Spec {
    name: "v_cvt_pk_rtz_f16_f32",
    kernel: builds::<PackTowardZero>(),
    sources: [Ty::F32, Ty::F32, Ty::None],
    result: Ty::B32,
    mask: MaskUse::None,
    clamp: ClampKind::Float,
    high: High16::ZeroOnGfx9,
    accumulate: false,
};

fn conversions(r: &mut Registry) {
    for name in ["v_cvt_pk_rtz_f16_f32", "v_cvt_pkrtz_f16_f32"] {
        r.insert(name, Semantics::Valu(&PACK_TOWARD_ZERO));
    }
    valu! { r;
        "v_cvt_f16_f32" [] (a: f32) -> F16 => F16(convert::v_cvt_f16_f32(a));
        "v_cvt_f32_f16" [] (a: F16) -> f32 => convert::v_cvt_f32_f16(a.0);
        "v_cvt_f16_u16" [] (a: u16) -> F16 => F16(convert::v_cvt_f16_u16(a));
        "v_cvt_f16_i16" [] (a: u16) -> F16 => F16(convert::v_cvt_f16_i16(a));
        "v_cvt_u16_f16" [] (a: F16) -> u16 => convert::v_cvt_u16_f16(a.0);
        "v_cvt_i16_f16" [] (a: F16) -> u16 => convert::v_cvt_i16_f16(a.0);
        "v_cvt_norm_i16_f16" [keep] (a: F16) -> u16 => convert::v_cvt_norm_i16_f16(a.0);
        "v_cvt_norm_u16_f16" [keep] (a: F16) -> u16 => convert::v_cvt_norm_u16_f16(a.0);
        "v_cvt_pk_norm_i16_f16" | "v_cvt_pknorm_i16_f16" [] (a: F16, b: F16) -> u32 =>
            convert::v_cvt_pk_norm_i16_f16(a.0, b.0);
        "v_cvt_pk_norm_u16_f16" | "v_cvt_pknorm_u16_f16" [] (a: F16, b: F16) -> u32 =>
            convert::v_cvt_pk_norm_u16_f16(a.0, b.0);
        "v_cvt_pk_f16_f32" [] (a: f32, b: f32) -> PkF16 => PkF16(convert::v_cvt_pk_f16_f32(a, b));
        "v_cvt_sr_f16_f32" [] (a: f32, b: u32) -> F16 => F16(convert::v_cvt_sr_f16_f32(a, b));
    }
}

fn bfloat16(r: &mut Registry) {
    valu! { r;
        "v_rcp_bf16" [] (a: Bf16) -> Bf16 => Bf16(transcendental::v_rcp_bf16(a.0)), by tabled;
        "v_sqrt_bf16" [] (a: Bf16) -> Bf16 => Bf16(transcendental::v_sqrt_bf16(a.0)), by tabled;
        "v_rsq_bf16" [] (a: Bf16) -> Bf16 => Bf16(transcendental::v_rsq_bf16(a.0)), by tabled;
        "v_exp_bf16" [] (a: Bf16) -> Bf16 => Bf16(transcendental::v_exp_bf16(a.0)), by tabled;
        "v_log_bf16" [] (a: Bf16) -> Bf16 => Bf16(transcendental::v_log_bf16(a.0)), by tabled;
        "v_sin_bf16" [] (a: Bf16) -> Bf16 => Bf16(transcendental::v_sin_bf16(a.0)), by tabled;
        "v_cos_bf16" [] (a: Bf16) -> Bf16 => Bf16(transcendental::v_cos_bf16(a.0)), by tabled;
        "v_tanh_bf16" [] (a: Bf16) -> Bf16 => Bf16(transcendental::v_tanh_bf16(a.0)), by tabled;
        "v_cvt_f32_bf16" [] (a: Bf16) -> f32 => convert::v_cvt_f32_bf16(a.0);
        "v_cvt_pk_bf16_f32" [] (a: f32, b: f32) -> PkBf16 => PkBf16(convert::v_cvt_pk_bf16_f32(a, b));
        "v_cvt_sr_bf16_f32" [keep] (a: f32, b: u32) -> Bf16 => Bf16(convert::v_cvt_sr_bf16_f32(a, b));
        "v_cvt_sr_pk_bf16_f32" [] (a: f32, b: f32, c: u32) -> PkBf16 =>
            PkBf16(convert::v_cvt_sr_pk_bf16_f32(a, b, c));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Bench;
    use waveglass_isa::Target;

    /// 1.0, 2.0 and 3.0 in binary16.
    const ONE: u32 = 0x3c00;
    const TWO: u32 = 0x4000;
    const THREE: u32 = 0x4200;

    #[test]
    fn the_other_half_is_zeroed_on_gfx9_and_kept_from_gfx10() {
        for (target, lanes, code, high) in [
            (Target::Gfx900, 64, "0105003e", 0),
            (Target::Gfx1030, 32, "01050064", 0xabcd_0000),
        ] {
            let mut b = Bench::new(target, lanes);
            b.set(0, |_| 0xabcd_1234);
            b.set(1, |_| 0xffff_0000 | ONE);
            b.set(2, |_| 0x7777_0000 | TWO);
            // v_add_f16 v0, v1, v2
            b.run_all(&[code]);
            assert_eq!(b.get(0, 3), high | THREE);
        }
    }

    #[test]
    fn op_sel_names_halves_on_gfx9() {
        let mut b = Bench::new(Target::Gfx900, 64);
        b.set(0, |_| 0x1111_2222);
        b.set(1, |_| TWO << 16 | 0x1234);
        b.set(2, |_| ONE);
        b.set(3, |_| ONE);
        // v_mad_f16 v0, v1, v2, v3 op_sel:[1,0,0,1]: v0.hi = v1.hi * v2.lo + v3.lo
        b.run_all(&["004803d201050e04"]);
        assert_eq!(b.get(0, 0), THREE << 16 | 0x2222);
    }

    #[test]
    fn true16_names_halves_in_the_register_number() {
        let mut b = Bench::new(Target::Gfx1100, 32);
        b.set(0, |_| 0x1111_2222);
        b.set(1, |_| 0x7e00_0000 | ONE);
        b.set(2, |_| TWO << 16 | 0x7e00);
        // v_add_f16_e32 v0.h, v1.l, v2.h
        b.run_all(&["01050165"]);
        assert_eq!(b.get(0, 0), THREE << 16 | 0x2222);
    }
}
