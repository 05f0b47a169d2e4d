//! Mixed-precision multiply-add and dot products.

use crate::alu::small_float::{BF8, FP8};
use crate::alu::{dot, float32, mix};
use crate::semantics::table::valu;
use crate::semantics::{Registry, Semantics};
use crate::valu::kernel::{
    Bf16, F16, Mix, MixBf16, PkB16, PkBf16, PkF16, Setting, Single, builds, dot_bytes, dot_nibbles,
    dot_unsigned_nibbles, map_dot_halves,
};
use crate::valu::{ClampKind, High16, LaneOp, MaskUse, Spec, Ty};

pub(super) fn register(r: &mut Registry) {
    mixed(r);
    floats(r);
    integers(r);
}

fn mixed(r: &mut Registry) {
    valu! { r;
        "v_fma_mix_f32" [] (a: Mix, b: Mix, c: Mix) -> f32 => float32::v_fma_f32(a.0, b.0, c.0),
            fast a.0.mul_add(b.0, c.0);
        "v_fma_mixlo_f16" [keep] (a: Mix, b: Mix, c: Mix) -> F16 => F16(mix::v_fma_mixlo_f16(a.0, b.0, c.0)),
            by narrowed x y z => x.0.mul_add(y.0, z.0);
        "v_fma_mixhi_f16" [upper] (a: Mix, b: Mix, c: Mix) -> F16 => F16(mix::v_fma_mixlo_f16(a.0, b.0, c.0)),
            by narrowed x y z => x.0.mul_add(y.0, z.0);
        "v_mad_mix_f32" [] (a: Mix, b: Mix, c: Mix) -> f32 => float32::v_mad_f32(a.0, b.0, c.0),
            fast float32::mad_flushed(a.0, b.0, c.0);
        "v_mad_mixlo_f16" [keep] (a: Mix, b: Mix, c: Mix) -> F16 => F16(mix::v_mad_mixlo_f16(a.0, b.0, c.0)),
            by narrowed x y z => float32::mad_flushed(x.0, y.0, z.0);
        "v_mad_mixhi_f16" [upper] (a: Mix, b: Mix, c: Mix) -> F16 => F16(mix::v_mad_mixlo_f16(a.0, b.0, c.0)),
            by narrowed x y z => float32::mad_flushed(x.0, y.0, z.0);
        "v_fma_mix_f32_bf16" [] (a: MixBf16, b: MixBf16, c: MixBf16) -> f32 => float32::v_fma_f32(a.0, b.0, c.0),
            fast a.0.mul_add(b.0, c.0);
        "v_fma_mixlo_bf16" [keep] (a: MixBf16, b: MixBf16, c: MixBf16) -> Bf16 =>
            Bf16(mix::v_fma_mixlo_bf16(a.0, b.0, c.0));
        "v_fma_mixhi_bf16" [upper] (a: MixBf16, b: MixBf16, c: MixBf16) -> Bf16 =>
            Bf16(mix::v_fma_mixlo_bf16(a.0, b.0, c.0));
    }
}

#[inline(always)]
fn addend_last<T: Single>(a: [T; 2], b: [T; 2], c: T) -> T {
    (a[0] * b[0] + a[1] * b[1]) + c
}

#[inline(always)]
fn addend_first<T: Single>(a: [T; 2], b: [T; 2], c: T) -> T {
    (c + a[0] * b[0]) + a[1] * b[1]
}

/// `v_dot2_f32_f16`, and the forms that add to their destination.
struct DotHalves<const ACCUMULATE: bool>;

impl<const ACCUMULATE: bool> LaneOp for DotHalves<ACCUMULATE> {
    #[inline(always)]
    fn run<const L: usize>(
        regs: &mut [u32],
        d: usize,
        s: [usize; 3],
        n: usize,
        setting: u64,
    ) -> u64 {
        let m = Setting(setting);
        let flush = m.flushes_dot();
        // RDNA3 moved the addend behind the products.
        if m.major() >= 11 && !ACCUMULATE {
            map_dot_halves::<L>(
                regs,
                d,
                s,
                n,
                true,
                addend_last,
                addend_last,
                dot::v_dot2_f32_f16,
            );
        } else {
            let exact = |a, b, c| dot2_f16(flush, a, b, c);
            map_dot_halves::<L>(regs, d, s, n, !flush, addend_first, addend_first, exact);
        }
        0
    }
}

static DOT2: Spec = Spec {
    name: "v_dot2_f32_f16",
    kernel: builds::<DotHalves<false>>(),
    sources: [Ty::PkF16, Ty::PkF16, Ty::F32],
    result: Ty::F32,
    mask: MaskUse::None,
    clamp: ClampKind::Float,
    high: High16::ZeroOnGfx9,
    accumulate: false,
};

static DOT2C: Spec = Spec {
    name: "v_dot2c_f32_f16",
    kernel: builds::<DotHalves<true>>(),
    accumulate: true,
    ..DOT2
};

static DOT2ACC: Spec = Spec {
    name: "v_dot2acc_f32_f16",
    ..DOT2C
};

fn floats(r: &mut Registry) {
    for spec in [&DOT2, &DOT2C, &DOT2ACC] {
        r.insert(spec.name, Semantics::Valu(spec));
    }
    valu! { r;
        "v_dot2_f32_bf16" [] (m; a: PkBf16, b: PkBf16, c: f32) -> f32 =>
            dot2_bf16(m.flushes_dot(), a.0, b.0, c, dot::v_dot2_f32_bf16);
        "v_dot2c_f32_bf16" | "v_dot2acc_f32_bf16" [acc] (m; a: PkBf16, b: PkBf16, c: f32) -> f32 =>
            dot2_bf16(m.flushes_dot(), a.0, b.0, c, dot::v_dot2c_f32_bf16);
        "v_dot2_f16_f16" [] (m; a: PkF16, b: PkF16, c: F16) -> F16 =>
            F16(dot::v_dot2_f16_f16(a.0, b.0, c.0, m.adds_last()));
        "v_dot2_bf16_bf16" [] (m; a: PkBf16, b: PkBf16, c: Bf16) -> Bf16 =>
            Bf16(dot::v_dot2_bf16_bf16(a.0, b.0, c.0, m.adds_last()));
        "v_dot4_f32_fp8_fp8" [] (a: u32, b: u32, c: f32) -> f32 => dot::v_dot4_f32(a, b, c, fp8, fp8);
        "v_dot4_f32_fp8_bf8" [] (a: u32, b: u32, c: f32) -> f32 => dot::v_dot4_f32(a, b, c, fp8, bf8);
        "v_dot4_f32_bf8_fp8" [] (a: u32, b: u32, c: f32) -> f32 => dot::v_dot4_f32(a, b, c, bf8, fp8);
        "v_dot4_f32_bf8_bf8" [] (a: u32, b: u32, c: f32) -> f32 => dot::v_dot4_f32(a, b, c, bf8, bf8);
    }
}

#[inline(always)]
fn dot2_f16(flush: bool, a: u32, b: u32, c: f32) -> f32 {
    if flush {
        let (a, b) = (dot::flush_pk_f16(a), dot::flush_pk_f16(b));
        dot::flush_f32(dot::v_dot2c_f32_f16(a, b, dot::flush_f32(c)))
    } else {
        dot::v_dot2c_f32_f16(a, b, c)
    }
}

#[inline(always)]
fn dot2_bf16(flush: bool, a: u32, b: u32, c: f32, f: impl Fn(u32, u32, f32) -> f32) -> f32 {
    if flush {
        let (a, b) = (dot::flush_pk_bf16(a), dot::flush_pk_bf16(b));
        dot::flush_f32(f(a, b, dot::flush_f32(c)))
    } else {
        f(a, b, c)
    }
}

fn fp8(code: u8) -> f32 {
    FP8.decode(code.into())
}

fn bf8(code: u8) -> f32 {
    BF8.decode(code.into())
}

fn integers(r: &mut Registry) {
    valu! { r;
        "v_dot2_i32_i16" [] (a: PkB16, b: PkB16, c: u32) -> u32 => dot::v_dot2_i32_i16(a.0, b.0, c, false),
            clamp dot::v_dot2_i32_i16(a.0, b.0, c, true);
        "v_dot2_u32_u16" [] (a: PkB16, b: PkB16, c: u32) -> u32 => dot::v_dot2_u32_u16(a.0, b.0, c, false),
            clamp dot::v_dot2_u32_u16(a.0, b.0, c, true);
        "v_dot4_i32_i8" [] (a: u32, b: u32, c: u32) -> u32 => dot::v_dot4_i32_i8(a, b, c, false),
            clamp dot::v_dot4_i32_i8(a, b, c, true), by rows => dot_bytes::<L>;
        "v_dot4_u32_u8" [] (a: u32, b: u32, c: u32) -> u32 => dot::v_dot4_u32_u8(a, b, c, false),
            clamp dot::v_dot4_u32_u8(a, b, c, true);
        "v_dot8_i32_i4" [] (a: u32, b: u32, c: u32) -> u32 => dot::v_dot8_i32_i4(a, b, c, false),
            clamp dot::v_dot8_i32_i4(a, b, c, true), by rows => dot_nibbles::<L>;
        "v_dot8_u32_u4" [] (a: u32, b: u32, c: u32) -> u32 => dot::v_dot8_u32_u4(a, b, c, false),
            clamp dot::v_dot8_u32_u4(a, b, c, true), by rows => dot_unsigned_nibbles::<L>;
        "v_dot2c_i32_i16" [acc] (a: PkB16, b: PkB16, c: u32) -> u32 => dot::v_dot2_i32_i16(a.0, b.0, c, false),
            clamp dot::v_dot2_i32_i16(a.0, b.0, c, true);
        "v_dot4c_i32_i8" [acc] (a: u32, b: u32, c: u32) -> u32 => dot::v_dot4_i32_i8(a, b, c, false),
            clamp dot::v_dot4_i32_i8(a, b, c, true), by rows => dot_bytes::<L>;
        "v_dot8c_i32_i4" [acc] (a: u32, b: u32, c: u32) -> u32 => dot::v_dot8_i32_i4(a, b, c, false),
            clamp dot::v_dot8_i32_i4(a, b, c, true), by rows => dot_nibbles::<L>;
        "v_dot4_i32_iu8" [signed] (m; a: u32, b: u32, c: u32) -> u32 =>
            dot::v_dot4_i32_iu8(a, b, c, m.0 as u32, false),
            clamp dot::v_dot4_i32_iu8(a, b, c, m.0 as u32, true);
        "v_dot8_i32_iu4" [signed] (m; a: u32, b: u32, c: u32) -> u32 =>
            dot::v_dot8_i32_iu4(a, b, c, m.0 as u32, false),
            clamp dot::v_dot8_i32_iu4(a, b, c, m.0 as u32, true);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Bench;
    use waveglass_isa::Target;

    #[test]
    fn mix_takes_halves_and_singles_and_constants_of_either_width() {
        let mut b = Bench::new(Target::Gfx1030, 32);
        b.set(1, |_| 0x4000_0000); // hi: 2.0
        b.set(2, |_| 3.0f32.to_bits());
        // v_fma_mix_f32 v0, v1, 1.0, v2 op_sel:[1,0,0] op_sel_hi:[1,0,0]
        b.run_all(&["000820cc01e5090c"]);
        assert_eq!(f32::from_bits(b.get(0, 0)), 5.0);
    }

    #[test]
    fn mixhi_writes_the_upper_half() {
        let mut b = Bench::new(Target::Gfx1030, 32);
        b.set(0, |_| 0x1234_5678);
        for (r, v) in [(1, 1.5f32), (2, 2.0), (3, -1.0)] {
            b.set(r, |_| v.to_bits());
        }
        // v_fma_mixhi_f16 v0, v1, v2, v3
        b.run_all(&["000022cc01050e04"]);
        assert_eq!(b.get(0, 0), 0x4000_5678);
    }

    #[test]
    fn every_dot_product_of_the_tables_has_an_entry() {
        let missing: Vec<&str> = waveglass_isa::rows()
            .iter()
            .map(|d| d.mnemonic)
            .filter(|m| m.starts_with("v_dot") && !crate::semantics::is_implemented(m))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn dot_products_of_halves_flush_denormals_on_cdna2_to_cdna4_only() {
        // v_dot2_f32_f16 v0, v1, v2, v3: 2^-24 * 1 twice, and 2^-140 alone.
        for (target, flushes) in [
            (Target::Gfx906, false),
            (Target::Gfx90a, true),
            (Target::Gfx942, true),
            (Target::Gfx950, true),
        ] {
            let mut b = Bench::new(target, 64);
            b.set(1, |_| 0x0001_0001);
            b.set(2, |_| 0x3c00_3c00);
            b.set(3, |l| if l == 0 { 0 } else { 0x0000_0200 });
            b.run_all(&["0040a3d301050e1c"]);
            let want = if flushes { 0.0 } else { 2f32.powi(-23) };
            assert_eq!(f32::from_bits(b.get(0, 0)), want, "{target:?}");
            b.set(1, |_| 0);
            b.run_all(&["0040a3d301050e1c"]);
            assert_eq!(b.get(0, 1), if flushes { 0 } else { 0x200 }, "{target:?}");
        }
    }

    #[test]
    fn the_bfloat16_dot_product_disables_denormals() {
        let mut b = Bench::new(Target::Gfx1100, 32);
        b.set(1, |_| 0x0040_0040);
        b.set(2, |_| 0x7f00_7f00);
        b.set(3, |_| 0x8040);
        b.set(0, |_| 0);
        // v_dot2_bf16_bf16 v0, v1, v2, v3
        b.run_all(&["000067d601050e04"]);
        // Flushed products leave -0 + 0 = 0.
        assert_eq!(b.get(0, 0) & 0xffff, 0);
    }

    #[test]
    fn dot_products_follow_signs_and_clamp() {
        let mut b = Bench::new(Target::Gfx1100, 32);
        b.set(1, |_| 0xff);
        b.set(2, |_| 0xff);
        b.set(3, |_| 1);
        // v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[1,0,0]: -1 * 255 + 1
        b.run_all(&["004016cc01050e3c"]);
        assert_eq!(b.get(0, 0) as i32, -254);
        let mut b = Bench::new(Target::Gfx906, 64);
        b.set(1, |_| 0x7f7f_7f7f);
        b.set(2, |_| 0x7f7f_7f7f);
        b.set(3, |_| 0x7fff_ffff);
        // v_dot4_i32_i8 v0, v1, v2, v3 clamp
        b.run_all(&["00c0a8d301050e1c"]);
        assert_eq!(b.get(0, 0), 0x7fff_ffff);
    }
}
