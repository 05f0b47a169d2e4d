//! Packed operations (VOP3P): two values in a register, or two registers.

use crate::alu::float32::{v_add_f32, v_fma_f32, v_mul_f32};
use crate::alu::packed::{self, *};
use crate::semantics::table::valu;
use crate::semantics::{Registry, Semantics};
use crate::valu::kernel::{BLOCK, Lane, PkB16, PkBf16, PkF16, Single, builds, map_pairs};
use crate::valu::{ClampKind, High16, LaneOp, MaskUse, Spec, Ty};

/// Entries of the operations whose rule on NaN changed with gfx11.
macro_rules! ieee {
    ($r:expr; $($name:literal $f:ident $gfx11:ident $key:ident;)*) => {
        valu! { $r;
            $($name [] (m; a: PkF16, b: PkF16) -> PkF16 => PkF16(if m.major() == 11 {
                packed::$gfx11(a.0, b.0, m.ieee())
            } else {
                packed::$f(a.0, b.0, m.ieee())
            }), by ordered x y => x.$key(y);)*
        }
    };
}

pub(super) fn register(r: &mut Registry) {
    integers(r);
    halves(r);
    bfloat16(r);
    singles(r);
}

fn integers(r: &mut Registry) {
    valu! { r;
        "v_pk_mad_i16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_mad_u16(a.0, b.0, c.0)),
            clamp PkB16(v_pk_mad_i16_clamp(a.0, b.0, c.0));
        "v_pk_mad_u16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_mad_u16(a.0, b.0, c.0)),
            clamp PkB16(v_pk_mad_u16_clamp(a.0, b.0, c.0));
        "v_pk_mul_lo_u16" [] (a: PkB16, b: PkB16) -> PkB16 => PkB16(v_pk_mul_lo_u16(a.0, b.0));
        "v_pk_add_i16" [] (a: PkB16, b: PkB16) -> PkB16 => PkB16(v_pk_add_u16(a.0, b.0)),
            clamp PkB16(v_pk_add_i16_clamp(a.0, b.0));
        "v_pk_add_u16" [] (a: PkB16, b: PkB16) -> PkB16 => PkB16(v_pk_add_u16(a.0, b.0)),
            clamp PkB16(v_pk_add_u16_clamp(a.0, b.0));
        "v_pk_sub_i16" [] (a: PkB16, b: PkB16) -> PkB16 => PkB16(v_pk_sub_u16(a.0, b.0)),
            clamp PkB16(v_pk_sub_i16_clamp(a.0, b.0));
        "v_pk_sub_u16" [] (a: PkB16, b: PkB16) -> PkB16 => PkB16(v_pk_sub_u16(a.0, b.0)),
            clamp PkB16(v_pk_sub_u16_clamp(a.0, b.0));
        "v_pk_lshlrev_b16" [] (a: PkB16, b: PkB16) -> PkB16 => PkB16(v_pk_lshlrev_b16(a.0, b.0));
        "v_pk_lshrrev_b16" [] (a: PkB16, b: PkB16) -> PkB16 => PkB16(v_pk_lshrrev_b16(a.0, b.0));
        "v_pk_ashrrev_i16" [] (a: PkB16, b: PkB16) -> PkB16 => PkB16(v_pk_ashrrev_i16(a.0, b.0));
        "v_pk_max_i16" [] (a: PkB16, b: PkB16) -> PkB16 => PkB16(v_pk_max_i16(a.0, b.0));
        "v_pk_min_i16" [] (a: PkB16, b: PkB16) -> PkB16 => PkB16(v_pk_min_i16(a.0, b.0));
        "v_pk_max_u16" [] (a: PkB16, b: PkB16) -> PkB16 => PkB16(v_pk_max_u16(a.0, b.0));
        "v_pk_min_u16" [] (a: PkB16, b: PkB16) -> PkB16 => PkB16(v_pk_min_u16(a.0, b.0));
        "v_pk_max3_i16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_max3_i16(a.0, b.0, c.0)),
            clamp PkB16(v_pk_max_i16(v_pk_max3_i16(a.0, b.0, c.0), 0));
        "v_pk_min3_i16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_min3_i16(a.0, b.0, c.0)),
            clamp PkB16(v_pk_max_i16(v_pk_min3_i16(a.0, b.0, c.0), 0));
        "v_pk_max3_u16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_max3_u16(a.0, b.0, c.0));
        "v_pk_min3_u16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_min3_u16(a.0, b.0, c.0));
        "v_pk_add_max_i16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_add_max_i16(a.0, b.0, c.0)),
            clamp PkB16(v_pk_max_i16(v_pk_add_max_i16(a.0, b.0, c.0), 0));
        "v_pk_add_min_i16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_add_min_i16(a.0, b.0, c.0)),
            clamp PkB16(v_pk_max_i16(v_pk_add_min_i16(a.0, b.0, c.0), 0));
        "v_pk_add_max_u16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_add_max_u16(a.0, b.0, c.0));
        "v_pk_add_min_u16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_add_min_u16(a.0, b.0, c.0));
    }
}

fn halves(r: &mut Registry) {
    valu! { r;
        "v_pk_add_f16" [] (a: PkF16, b: PkF16) -> PkF16 => PkF16(v_pk_add_f16(a.0, b.0)), by halves x y => x + y;
        "v_pk_mul_f16" [] (a: PkF16, b: PkF16) -> PkF16 => PkF16(v_pk_mul_f16(a.0, b.0)), by halves x y => x * y;
        "v_pk_fma_f16" [] (a: PkF16, b: PkF16, c: PkF16) -> PkF16 => PkF16(v_pk_fma_f16(a.0, b.0, c.0)),
            by halves x y z => x.mul_add_odd(y, z);
        "v_pk_fmac_f16" [acc] (a: PkF16, b: PkF16, c: PkF16) -> PkF16 => PkF16(v_pk_fma_f16(a.0, b.0, c.0)),
            by halves x y z => x.mul_add_odd(y, z);
        "v_pk_max_num_f16" [] (a: PkF16, b: PkF16) -> PkF16 => PkF16(v_pk_max_num_f16(a.0, b.0)), by ordered x y => x.max(y);
        "v_pk_min_num_f16" [] (a: PkF16, b: PkF16) -> PkF16 => PkF16(v_pk_min_num_f16(a.0, b.0)), by ordered x y => x.min(y);
        "v_pk_maximum_f16" [] (a: PkF16, b: PkF16) -> PkF16 => PkF16(v_pk_maximum_f16(a.0, b.0)), by ordered x y => x.max(y);
        "v_pk_minimum_f16" [] (a: PkF16, b: PkF16) -> PkF16 => PkF16(v_pk_minimum_f16(a.0, b.0)), by ordered x y => x.min(y);
        "v_pk_max3_num_f16" [] (a: PkF16, b: PkF16, c: PkF16) -> PkF16 => PkF16(v_pk_max3_num_f16(a.0, b.0, c.0)),
            by ordered x y z => x.max(y).max(z);
        "v_pk_min3_num_f16" [] (a: PkF16, b: PkF16, c: PkF16) -> PkF16 => PkF16(v_pk_min3_num_f16(a.0, b.0, c.0)),
            by ordered x y z => x.min(y).min(z);
        "v_pk_maximum3_f16" [] (a: PkF16, b: PkF16, c: PkF16) -> PkF16 => PkF16(v_pk_maximum3_f16(a.0, b.0, c.0)),
            by ordered x y z => x.max(y).max(z);
        "v_pk_minimum3_f16" [] (a: PkF16, b: PkF16, c: PkF16) -> PkF16 => PkF16(v_pk_minimum3_f16(a.0, b.0, c.0)),
            by ordered x y z => x.min(y).min(z);
    }
    ieee! { r;
        "v_pk_max_f16" v_pk_max_f16 v_pk_max_f16_gfx11 max;
        "v_pk_min_f16" v_pk_min_f16 v_pk_min_f16_gfx11 min;
    }
}

fn bfloat16(r: &mut Registry) {
    valu! { r;
        "v_pk_add_bf16" [] (a: PkBf16, b: PkBf16) -> PkBf16 => PkBf16(v_pk_add_bf16(a.0, b.0)),
            by brains x y => x + y;
        "v_pk_mul_bf16" [] (a: PkBf16, b: PkBf16) -> PkBf16 => PkBf16(v_pk_mul_bf16(a.0, b.0)),
            by brains x y => x.product_odd(y);
        "v_pk_fma_bf16" [] (a: PkBf16, b: PkBf16, c: PkBf16) -> PkBf16 => PkBf16(v_pk_fma_bf16(a.0, b.0, c.0)),
            by brains x y z => x.mul_add_odd(y, z);
        "v_pk_max_num_bf16" [] (a: PkBf16, b: PkBf16) -> PkBf16 => PkBf16(v_pk_max_num_bf16(a.0, b.0));
        "v_pk_min_num_bf16" [] (a: PkBf16, b: PkBf16) -> PkBf16 => PkBf16(v_pk_min_num_bf16(a.0, b.0));
    }
}

/// Operations on both registers of a pair: the exact one, and one that agrees wherever it does not give
/// NaN.
macro_rules! pairs {
    ($r:expr; $($name:literal [$($third:ident)?] |$a:ident, $b:ident, $c:ident| $body:expr, fast $fast:expr;)*) => {$({
        struct Kernel;
        impl LaneOp for Kernel {
            #[inline(always)]
            fn run<const L: usize>(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, _: u64) -> u64 {
                map_pairs::<L, f32>(
                    regs,
                    d,
                    s,
                    n,
                    |$a, $b, $c| {
                        let _ = $c;
                        $fast
                    },
                    |$a, $b, $c| {
                        let _ = $c;
                        $body
                    },
                );
                0
            }
        }
        static SPEC: Spec = Spec {
            name: $name,
            kernel: builds::<Kernel>(),
            sources: [Ty::PkF32, Ty::PkF32, pairs!(@ $($third)?)],
            result: Ty::PkF32,
            ..PAIR
        };
        $r.insert($name, Semantics::Valu(&SPEC));
    })*};
    (@) => { Ty::None };
    (@ c) => { Ty::PkF32 };
}

/// `v_pk_mov_b32`: OP_SEL has put the chosen register of each source first.
struct MovPair;

impl LaneOp for MovPair {
    #[inline(always)]
    fn run<const L: usize>(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, _: u64) -> u64 {
        let mut i = 0;
        while i < n {
            let a = u32::load::<L>(regs, s[0] + i, n);
            let b = u32::load::<L>(regs, s[1] + i, n);
            u32::store::<L>(regs, d + i, n, a);
            u32::store::<L>(regs, d + n + i, n, b);
            i += BLOCK;
        }
        0
    }
}

static PAIR: Spec = Spec {
    name: "v_pk_mov_b32",
    kernel: builds::<MovPair>(),
    sources: [Ty::PkB32, Ty::PkB32, Ty::None],
    result: Ty::PkB32,
    mask: MaskUse::None,
    clamp: ClampKind::Float,
    high: High16::ZeroOnGfx9,
    accumulate: false,
};

fn singles(r: &mut Registry) {
    pairs! { r;
        "v_pk_fma_f32" [c] |a, b, c| v_fma_f32(a, b, c), fast a.mul_add(b, c);
        "v_pk_mul_f32" [] |a, b, c| v_mul_f32(a, b), fast a * b;
        "v_pk_add_f32" [] |a, b, c| v_add_f32(a, b), fast a + b;
    }
    r.insert("v_pk_mov_b32", Semantics::Valu(&PAIR));
}

#[cfg(test)]
mod tests {
    use crate::testing::Bench;
    use waveglass_isa::Target;

    #[test]
    fn op_sel_and_neg_act_on_each_half() {
        let mut b = Bench::new(Target::Gfx900, 64);
        b.set(1, |_| 0x4000_3c00); // (1, 2)
        b.set(2, |_| 0x4400_4200); // (3, 4)
        // v_pk_add_f16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[1,0] neg_hi:[0,1]
        b.run_all(&["004a8fd301050230"]);
        // low: -2 + 3 = 1; high: 1 - 4 = -3.
        assert_eq!(b.get(0, 0), 0xc200_3c00);
    }

    #[test]
    fn pairs_of_registers_follow_op_sel() {
        let mut b = Bench::new(Target::Gfx90a, 64);
        for r in 2..6 {
            b.set(r, |_| r as u32);
        }
        // v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[1,0]
        b.run_all(&["0048b3d302090218"]);
        assert_eq!([b.get(0, 0), b.get(1, 0)], [3, 4]);
        for (r, v) in [
            (2, 2.0f32),
            (3, 9.0),
            (4, 3.0),
            (5, 4.0),
            (6, 1.0),
            (7, 0.5),
        ] {
            b.set(r, |_| v.to_bits());
        }
        // v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7] op_sel_hi:[0,1,1]
        b.run_all(&["0040b0d302091a14"]);
        assert_eq!(f32::from_bits(b.get(0, 0)), 7.0);
        assert_eq!(f32::from_bits(b.get(1, 0)), 8.5);
    }
}
