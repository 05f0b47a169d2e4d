//! Packed operations (VOP3P): two values in a register, or two registers.

use crate::alu::packed::{self, *};
use crate::semantics::Registry;
use crate::semantics::table::valu;
use crate::valu::kernel::{Pair, PkB16, PkBf16, PkF16};

/// Entries of the operations whose rule on NaN changed with gfx11.
macro_rules! ieee {
    ($r:expr; $($name:literal $f:ident $gfx11:ident;)*) => {
        valu! { $r;
            $($name [] (m; a: PkF16, b: PkF16) -> PkF16 => PkF16(if m.major() == 11 {
                packed::$gfx11(a.0, b.0, m.ieee())
            } else {
                packed::$f(a.0, b.0, m.ieee())
            });)*
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
        "v_pk_max3_i16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_max3_i16(a.0, b.0, c.0));
        "v_pk_min3_i16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_min3_i16(a.0, b.0, c.0));
        "v_pk_max3_u16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_max3_u16(a.0, b.0, c.0));
        "v_pk_min3_u16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_min3_u16(a.0, b.0, c.0));
        "v_pk_add_max_i16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_add_max_i16(a.0, b.0, c.0));
        "v_pk_add_min_i16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_add_min_i16(a.0, b.0, c.0));
        "v_pk_add_max_u16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_add_max_u16(a.0, b.0, c.0));
        "v_pk_add_min_u16" [] (a: PkB16, b: PkB16, c: PkB16) -> PkB16 => PkB16(v_pk_add_min_u16(a.0, b.0, c.0));
    }
}

fn halves(r: &mut Registry) {
    valu! { r;
        "v_pk_add_f16" [] (a: PkF16, b: PkF16) -> PkF16 => PkF16(v_pk_add_f16(a.0, b.0));
        "v_pk_mul_f16" [] (a: PkF16, b: PkF16) -> PkF16 => PkF16(v_pk_mul_f16(a.0, b.0));
        "v_pk_fma_f16" [] (a: PkF16, b: PkF16, c: PkF16) -> PkF16 => PkF16(v_pk_fma_f16(a.0, b.0, c.0));
        "v_pk_fmac_f16" [acc] (a: PkF16, b: PkF16, c: PkF16) -> PkF16 => PkF16(v_pk_fma_f16(a.0, b.0, c.0));
        "v_pk_max_num_f16" [] (a: PkF16, b: PkF16) -> PkF16 => PkF16(v_pk_max_num_f16(a.0, b.0));
        "v_pk_min_num_f16" [] (a: PkF16, b: PkF16) -> PkF16 => PkF16(v_pk_min_num_f16(a.0, b.0));
        "v_pk_maximum_f16" [] (a: PkF16, b: PkF16) -> PkF16 => PkF16(v_pk_maximum_f16(a.0, b.0));
        "v_pk_minimum_f16" [] (a: PkF16, b: PkF16) -> PkF16 => PkF16(v_pk_minimum_f16(a.0, b.0));
        "v_pk_max3_num_f16" [] (a: PkF16, b: PkF16, c: PkF16) -> PkF16 => PkF16(v_pk_max3_num_f16(a.0, b.0, c.0));
        "v_pk_min3_num_f16" [] (a: PkF16, b: PkF16, c: PkF16) -> PkF16 => PkF16(v_pk_min3_num_f16(a.0, b.0, c.0));
        "v_pk_maximum3_f16" [] (a: PkF16, b: PkF16, c: PkF16) -> PkF16 => PkF16(v_pk_maximum3_f16(a.0, b.0, c.0));
        "v_pk_minimum3_f16" [] (a: PkF16, b: PkF16, c: PkF16) -> PkF16 => PkF16(v_pk_minimum3_f16(a.0, b.0, c.0));
    }
    ieee! { r;
        "v_pk_max_f16" v_pk_max_f16 v_pk_max_f16_gfx11;
        "v_pk_min_f16" v_pk_min_f16 v_pk_min_f16_gfx11;
    }
}

fn bfloat16(r: &mut Registry) {
    valu! { r;
        "v_pk_add_bf16" [] (a: PkBf16, b: PkBf16) -> PkBf16 => PkBf16(v_pk_add_bf16(a.0, b.0));
        "v_pk_mul_bf16" [] (a: PkBf16, b: PkBf16) -> PkBf16 => PkBf16(v_pk_mul_bf16(a.0, b.0));
        "v_pk_fma_bf16" [] (a: PkBf16, b: PkBf16, c: PkBf16) -> PkBf16 => PkBf16(v_pk_fma_bf16(a.0, b.0, c.0));
        "v_pk_max_num_bf16" [] (a: PkBf16, b: PkBf16) -> PkBf16 => PkBf16(v_pk_max_num_bf16(a.0, b.0));
        "v_pk_min_num_bf16" [] (a: PkBf16, b: PkBf16) -> PkBf16 => PkBf16(v_pk_min_num_bf16(a.0, b.0));
    }
}

#[inline(always)]
fn array(p: Pair<f32>) -> [f32; 2] {
    [p.0, p.1]
}

#[inline(always)]
fn pair([lo, hi]: [f32; 2]) -> Pair<f32> {
    Pair(lo, hi)
}

fn singles(r: &mut Registry) {
    valu! { r;
        "v_pk_fma_f32" [] (a: Pair<f32>, b: Pair<f32>, c: Pair<f32>) -> Pair<f32> =>
            pair(v_pk_fma_f32(array(a), array(b), array(c)));
        "v_pk_mul_f32" [] (a: Pair<f32>, b: Pair<f32>) -> Pair<f32> => pair(v_pk_mul_f32(array(a), array(b)));
        "v_pk_add_f32" [] (a: Pair<f32>, b: Pair<f32>) -> Pair<f32> => pair(v_pk_add_f32(array(a), array(b)));
        // OP_SEL has put the chosen register of each source first.
        "v_pk_mov_b32" [] (a: Pair<u32>, b: Pair<u32>) -> Pair<u32> => Pair(a.0, b.0);
    }
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
