//! Integer arithmetic of 32 bits, in the order of the manuals' VOP2, VOP1 and VOP3 tables.

use crate::alu::bytes::*;
use crate::alu::int32::*;
use crate::semantics::table::{masked, valu};
use crate::semantics::{Registry, Semantics};
use crate::valu::kernel::{
    Dwords, Quad, Triple, builds, map, map_numbered, map_rows, masked_sad_bytes, permute_bytes,
    sad_bytes,
};
use crate::valu::{ClampKind, High16, LaneOp, MaskUse, Spec, Ty};

struct MbcntLo;

impl LaneOp for MbcntLo {
    #[inline(always)]
    fn run<const L: usize>(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, _: u64) -> u64 {
        map_numbered::<L, _, _, _>(regs, d, s, n, v_mbcnt_lo_u32_b32);
        0
    }
}

struct Perm;

impl LaneOp for Perm {
    #[inline(always)]
    fn run<const L: usize>(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, _: u64) -> u64 {
        // A function that is handed on is not sure to be inlined into a build.
        #[allow(clippy::redundant_closure)]
        map_rows(regs, d, s, n, |rows| permute_bytes::<L>(rows));
        0
    }
}

static PERM: Spec = Spec {
    name: "v_perm_b32",
    kernel: builds::<Perm>(),
    sources: [Ty::B32; 3],
    ..TWO
};

struct MbcntHi;

impl LaneOp for MbcntHi {
    #[inline(always)]
    fn run<const L: usize>(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, _: u64) -> u64 {
        map_numbered::<L, _, _, _>(regs, d, s, n, v_mbcnt_hi_u32_b32);
        0
    }
}

/// A spec of two 32-bit integers; other entries change what differs.
const TWO: Spec = Spec {
    name: "v_mbcnt_lo_u32_b32",
    kernel: builds::<MbcntLo>(),
    sources: [Ty::B32, Ty::B32, Ty::None],
    result: Ty::B32,
    mask: MaskUse::None,
    clamp: ClampKind::Float,
    high: High16::ZeroOnGfx9,
    accumulate: false,
};

static MBCNT_LO: Spec = TWO;

static MBCNT_HI: Spec = Spec {
    name: "v_mbcnt_hi_u32_b32",
    kernel: builds::<MbcntHi>(),
    ..TWO
};

/// "The CLAMP bit is used to control RELU of the final result" (CDNA5 ISA, V_ADD_MAX_I32).
#[inline(always)]
fn not_negative(x: u32) -> u32 {
    (x as i32).max(0) as u32
}

/// `v_bitop3_b32`: the truth table comes in the mask's place.
struct Bitop32;

impl LaneOp for Bitop32 {
    #[inline(always)]
    fn run<const L: usize>(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, table: u64) -> u64 {
        let f = bitop3(table);
        map::<L, _, _, _, _>(regs, d, s, n, |a: u32, b: u32, c: u32| f(a, b, c));
        0
    }
}

/// The function that a truth table stands for: bit `4a + 2b + c` is the result for input bits
/// `a`, `b` and `c`. The table is laid out over whole words once, not for each lane.
#[inline(always)]
fn bitop3(table: u64) -> impl Fn(u32, u32, u32) -> u32 {
    let rows: [u32; 8] = std::array::from_fn(|k| 0u32.wrapping_sub(table as u32 >> k & 1));
    let choose = |bit: u32, one: u32, zero: u32| bit & one | !bit & zero;
    move |a, b, c| {
        let pair = |p: usize| choose(c, rows[p + 1], rows[p]);
        let (high, low) = (choose(b, pair(6), pair(4)), choose(b, pair(2), pair(0)));
        choose(a, high, low)
    }
}

static BITOP3_B32: Spec = Spec {
    name: "v_bitop3_b32",
    kernel: builds::<Bitop32>(),
    sources: [Ty::B32; 3],
    mask: MaskUse::TruthTable,
    ..TWO
};

/// A signed 64-bit value as the nearest that 32 bits hold.
#[inline(always)]
fn saturate_i32(x: i64) -> u32 {
    x.clamp(i32::MIN as i64, i32::MAX as i64) as u32
}

/// An unsigned 64-bit value as the nearest that 32 bits hold.
#[inline(always)]
fn saturate_u32(x: u64) -> u32 {
    x.min(u32::MAX as u64) as u32
}

#[inline(always)]
fn product_i24(a: u32, b: u32) -> i64 {
    ((a << 8) as i32 >> 8) as i64 * ((b << 8) as i32 >> 8) as i64
}

#[inline(always)]
fn product_u24(a: u32, b: u32) -> u64 {
    (a & 0xff_ffff) as u64 * (b & 0xff_ffff) as u64
}

pub(super) fn register(r: &mut Registry) {
    r.insert("v_mbcnt_lo_u32_b32", Semantics::Valu(&MBCNT_LO));
    r.insert("v_mbcnt_hi_u32_b32", Semantics::Valu(&MBCNT_HI));
    r.insert("v_bitop3_b32", Semantics::Valu(&BITOP3_B32));
    r.insert("v_perm_b32", Semantics::Valu(&PERM));
    arithmetic(r);
    carries(r);
    bits(r);
    bytes(r);
}

fn arithmetic(r: &mut Registry) {
    valu! { r;
        "v_add_u32" | "v_add_nc_u32" [] (a: u32, b: u32) -> u32 =>
            v_add_u32(a, b), clamp v_add_u32_clamp(a, b);
        "v_sub_u32" | "v_sub_nc_u32" [] (a: u32, b: u32) -> u32 =>
            v_sub_u32(a, b), clamp v_sub_u32_clamp(a, b);
        "v_subrev_u32" | "v_subrev_nc_u32" [] (a: u32, b: u32) -> u32 =>
            v_subrev_u32(a, b), clamp v_sub_u32_clamp(b, a);
        "v_add_i32" | "v_add_nc_i32" [] (a: u32, b: u32) -> u32 =>
            v_add_u32(a, b), clamp v_add_i32_clamp(a, b);
        "v_sub_i32" | "v_sub_nc_i32" [] (a: u32, b: u32) -> u32 =>
            v_sub_u32(a, b), clamp v_sub_i32_clamp(a, b);
        "v_mul_i32_i24" [] (a: u32, b: u32) -> u32 =>
            v_mul_i32_i24(a, b), clamp saturate_i32(product_i24(a, b));
        "v_mul_hi_i32_i24" [] (a: u32, b: u32) -> u32 => v_mul_hi_i32_i24(a, b);
        "v_mul_u32_u24" [] (a: u32, b: u32) -> u32 =>
            v_mul_u32_u24(a, b), clamp saturate_u32(product_u24(a, b));
        "v_mul_hi_u32_u24" [] (a: u32, b: u32) -> u32 => v_mul_hi_u32_u24(a, b);
        "v_mad_i32_i24" [] (a: u32, b: u32, c: u32) -> u32 =>
            v_mad_i32_i24(a, b, c), clamp v_mad_i32_i24_clamp(a, b, c);
        "v_mad_u32_u24" [] (a: u32, b: u32, c: u32) -> u32 =>
            v_mad_u32_u24(a, b, c), clamp v_mad_u32_u24_clamp(a, b, c);
        "v_mul_lo_u32" | "v_mul_lo_i32" [] (a: u32, b: u32) -> u32 => v_mul_lo_u32(a, b);
        "v_mul_hi_u32" [] (a: u32, b: u32) -> u32 => v_mul_hi_u32(a, b);
        "v_mul_hi_i32" [] (a: u32, b: u32) -> u32 => v_mul_hi_i32(a, b);
        "v_mad_u32" [] (a: u32, b: u32, c: u32) -> u32 => v_mad_u32(a, b, c);

        "v_min_i32" [] (a: u32, b: u32) -> u32 => v_min_i32(a, b);
        "v_max_i32" [] (a: u32, b: u32) -> u32 => v_max_i32(a, b);
        "v_min_u32" [] (a: u32, b: u32) -> u32 => v_min_u32(a, b);
        "v_max_u32" [] (a: u32, b: u32) -> u32 => v_max_u32(a, b);
        "v_min3_i32" [] (a: u32, b: u32, c: u32) -> u32 => v_min3_i32(a, b, c);
        "v_min3_u32" [] (a: u32, b: u32, c: u32) -> u32 => v_min3_u32(a, b, c);
        "v_max3_i32" [] (a: u32, b: u32, c: u32) -> u32 => v_max3_i32(a, b, c);
        "v_max3_u32" [] (a: u32, b: u32, c: u32) -> u32 => v_max3_u32(a, b, c);
        "v_med3_i32" [] (a: u32, b: u32, c: u32) -> u32 => v_med3_i32(a, b, c);
        "v_med3_u32" [] (a: u32, b: u32, c: u32) -> u32 => v_med3_u32(a, b, c);
        "v_maxmin_i32" [] (a: u32, b: u32, c: u32) -> u32 => v_maxmin_i32(a, b, c);
        "v_maxmin_u32" [] (a: u32, b: u32, c: u32) -> u32 => v_maxmin_u32(a, b, c);
        "v_minmax_i32" [] (a: u32, b: u32, c: u32) -> u32 => v_minmax_i32(a, b, c);
        "v_minmax_u32" [] (a: u32, b: u32, c: u32) -> u32 => v_minmax_u32(a, b, c);
        "v_add_max_i32" [] (a: u32, b: u32, c: u32) -> u32 => v_add_max_i32(a, b, c),
            clamp not_negative(v_add_max_i32(a, b, c));
        "v_add_min_i32" [] (a: u32, b: u32, c: u32) -> u32 => v_add_min_i32(a, b, c),
            clamp not_negative(v_add_min_i32(a, b, c));
        "v_add_max_u32" [] (a: u32, b: u32, c: u32) -> u32 => v_add_max_u32(a, b, c);
        "v_add_min_u32" [] (a: u32, b: u32, c: u32) -> u32 => v_add_min_u32(a, b, c);

        "v_xad_u32" [] (a: u32, b: u32, c: u32) -> u32 => v_xad_u32(a, b, c);
        "v_lshl_add_u32" [] (a: u32, b: u32, c: u32) -> u32 => v_lshl_add_u32(a, b, c);
        "v_add_lshl_u32" [] (a: u32, b: u32, c: u32) -> u32 => v_add_lshl_u32(a, b, c);
        "v_add3_u32" [] (a: u32, b: u32, c: u32) -> u32 => v_add3_u32(a, b, c);
    }
}

fn carries(r: &mut Registry) {
    masked! { r;
        "v_add_co_u32" CarryOut (_bit; a: u32, b: u32) -> u32 => v_add_co_u32(a, b),
            clamp { let (v, c) = v_add_co_u32(a, b); (clamp_carry(v, c), c) };
        "v_sub_co_u32" CarryOut (_bit; a: u32, b: u32) -> u32 => v_sub_co_u32(a, b),
            clamp { let (v, c) = v_sub_co_u32(a, b); (clamp_borrow(v, c), c) };
        "v_subrev_co_u32" CarryOut (_bit; a: u32, b: u32) -> u32 => v_subrev_co_u32(a, b),
            clamp { let (v, c) = v_subrev_co_u32(a, b); (clamp_borrow(v, c), c) };
        "v_addc_co_u32" | "v_add_co_ci_u32" CarryInOut (c; a: u32, b: u32) -> u32 =>
            v_add_co_ci_u32(a, b, c),
            clamp { let (v, c) = v_add_co_ci_u32(a, b, c); (clamp_carry(v, c), c) };
        "v_subb_co_u32" | "v_sub_co_ci_u32" CarryInOut (c; a: u32, b: u32) -> u32 =>
            v_sub_co_ci_u32(a, b, c),
            clamp { let (v, c) = v_sub_co_ci_u32(a, b, c); (clamp_borrow(v, c), c) };
        "v_subbrev_co_u32" | "v_subrev_co_ci_u32" CarryInOut (c; a: u32, b: u32) -> u32 =>
            v_subrev_co_ci_u32(a, b, c),
            clamp { let (v, c) = v_subrev_co_ci_u32(a, b, c); (clamp_borrow(v, c), c) };
    }
}

fn bits(r: &mut Registry) {
    valu! { r;
        "v_mov_b32" [] (a: u32) -> u32 => v_mov_b32(a);
        "v_not_b32" [] (a: u32) -> u32 => v_not_b32(a);
        "v_and_b32" [] (a: u32, b: u32) -> u32 => v_and_b32(a, b);
        "v_or_b32" [] (a: u32, b: u32) -> u32 => v_or_b32(a, b);
        "v_xor_b32" [] (a: u32, b: u32) -> u32 => v_xor_b32(a, b);
        "v_xnor_b32" [] (a: u32, b: u32) -> u32 => v_xnor_b32(a, b);
        "v_lshlrev_b32" [] (a: u32, b: u32) -> u32 => v_lshlrev_b32(a, b);
        "v_lshrrev_b32" [] (a: u32, b: u32) -> u32 => v_lshrrev_b32(a, b);
        "v_ashrrev_i32" [] (a: u32, b: u32) -> u32 => v_ashrrev_i32(a, b);
        "v_bfrev_b32" [] (a: u32) -> u32 => v_bfrev_b32(a);
        "v_ffbh_u32" | "v_clz_i32_u32" [] (a: u32) -> u32 => v_clz_i32_u32(a);
        "v_ffbl_b32" | "v_ctz_i32_b32" [] (a: u32) -> u32 => v_ctz_i32_b32(a);
        "v_ffbh_i32" | "v_cls_i32" [] (a: u32) -> u32 => v_cls_i32(a);
        "v_screen_partition_4se_b32" [] (a: u32) -> u32 => v_screen_partition_4se_b32(a);
        "v_prng_b32" [] (a: u32) -> u32 => v_prng_b32(a);
        "v_bfe_u32" [] (a: u32, b: u32, c: u32) -> u32 => v_bfe_u32(a, b, c);
        "v_bfe_i32" [] (a: u32, b: u32, c: u32) -> u32 => v_bfe_i32(a, b, c);
        "v_bfi_b32" [] (a: u32, b: u32, c: u32) -> u32 => v_bfi_b32(a, b, c);
        "v_bfm_b32" [] (a: u32, b: u32) -> u32 => v_bfm_b32(a, b);
        "v_bcnt_u32_b32" [] (a: u32, b: u32) -> u32 => v_bcnt_u32_b32(a, b);
        "v_alignbit_b32" [] (a: u32, b: u32, c: u32) -> u32 => v_alignbit_b32(a, b, c);
        "v_alignbyte_b32" [] (a: u32, b: u32, c: u32) -> u32 => v_alignbyte_b32(a, b, c);
        "v_lshl_or_b32" [] (a: u32, b: u32, c: u32) -> u32 => v_lshl_or_b32(a, b, c);
        "v_and_or_b32" [] (a: u32, b: u32, c: u32) -> u32 => v_and_or_b32(a, b, c);
        "v_or3_b32" [] (a: u32, b: u32, c: u32) -> u32 => v_or3_b32(a, b, c);
        "v_xor3_b32" [] (a: u32, b: u32, c: u32) -> u32 => v_xor3_b32(a, b, c);
    }
}

/// Four sums into 16-bit fields that the clamp bit keeps from wrapping.
#[inline(always)]
fn saturating_fields(a: u64, b: u32, c: u64, sum: impl Fn(u32, u32, u32) -> u32) -> u64 {
    let mut result = 0;
    for slice in 0..4 {
        let field = (c >> (16 * slice)) as u32 & 0xffff;
        let value = sum((a >> (8 * slice)) as u32, b, field).min(0xffff);
        result |= (value as u64) << (16 * slice);
    }
    result
}

fn bytes(r: &mut Registry) {
    valu! { r;
        "v_lerp_u8" [] (a: u32, b: u32, c: u32) -> u32 => v_lerp_u8(a, b, c);
        "v_sad_u8" [] (a: u32, b: u32, c: u32) -> u32 =>
            v_sad_u8(a, b, c), clamp v_sad_u8(a, b, 0).saturating_add(c), by rows => sad_bytes::<L>;
        "v_sad_hi_u8" [] (a: u32, b: u32, c: u32) -> u32 =>
            v_sad_hi_u8(a, b, c), clamp v_sad_hi_u8(a, b, 0).saturating_add(c);
        "v_sad_u16" [] (a: u32, b: u32, c: u32) -> u32 =>
            v_sad_u16(a, b, c), clamp v_sad_u16(a, b, 0).saturating_add(c);
        "v_sad_u32" [] (a: u32, b: u32, c: u32) -> u32 =>
            v_sad_u32(a, b, c), clamp v_sad_u32(a, b, 0).saturating_add(c);
        "v_msad_u8" [] (a: u32, b: u32, c: u32) -> u32 =>
            v_msad_u8(a, b, c), clamp v_msad_u8(a, b, 0).saturating_add(c), by rows => masked_sad_bytes::<L>;
        "v_qsad_pk_u16_u8" [] (a: u64, b: u32, c: u64) -> u64 =>
            v_qsad_pk_u16_u8(a, b, c), clamp saturating_fields(a, b, c, v_sad_u8);
        "v_mqsad_pk_u16_u8" [] (a: u64, b: u32, c: u64) -> u64 =>
            v_mqsad_pk_u16_u8(a, b, c), clamp saturating_fields(a, b, c, v_msad_u8);
        "v_mqsad_u32_u8" [] (a: u64, b: u32, c: Quad) -> Quad =>
            Dwords(v_mqsad_u32_u8(a, b, c.0)), clamp {
                let sums = v_mqsad_u32_u8(a, b, [0; 4]);
                Dwords(std::array::from_fn(|k| sums[k].saturating_add(c.0[k])))
            };
        "v_perm_pk16_b4_u4" [] (a: u32, b: u32, c: u64) -> u64 => v_perm_pk16_b4_u4(a, b, c);
        "v_perm_pk16_b6_u4" [] (a: u32, b: u64, c: u64) -> Triple =>
            dwords(v_perm_pk16_b6_u4(a, b, c));
        "v_perm_pk16_b8_u4" [] (a: u64, b: u64, c: u64) -> Quad =>
            dwords(v_perm_pk16_b8_u4(a, b, c));
        "v_ashr_pk_i8_i32" [keep] (a: u32, b: u32, c: u32) -> u16 => v_ashr_pk_i8_i32(a, b, c);
        "v_ashr_pk_u8_i32" [keep] (a: u32, b: u32, c: u32) -> u16 => v_ashr_pk_u8_i32(a, b, c);
        "v_sat_pk4_i4_i8" [] (a: u32) -> u16 => v_sat_pk4_i4_i8(a);
        "v_sat_pk4_u4_u8" [] (a: u32) -> u16 => v_sat_pk4_u4_u8(a);
        "v_cvt_pk_u16_u32" [] (a: u32, b: u32) -> u32 => v_cvt_pk_u16_u32(a, b);
        "v_cvt_pk_i16_i32" [] (a: u32, b: u32) -> u32 => v_cvt_pk_i16_i32(a, b);
    }
}

#[inline(always)]
fn dwords<const N: usize>(x: u128) -> Dwords<N> {
    Dwords(std::array::from_fn(|k| (x >> (32 * k)) as u32))
}
