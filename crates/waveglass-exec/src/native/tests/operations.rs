//! Operations without modifiers.

use super::check;
use waveglass_isa::Target;

const INTEGERS: &[&str] = &[
    "v_mov_b32 v1, v2",
    "v_mov_b32 v1, s3",
    "v_mov_b32 v1, 0x12345678",
    "v_not_b32 v1, v2",
    "v_and_b32 v1, v2, v3",
    "v_or_b32 v1, s2, v3",
    "v_xor_b32 v1, -1, v3",
    "v_mul_lo_u32 v1, v2, v3",
    "v_mul_lo_u32 v1, v2, s3",
    "v_mul_hi_u32 v1, v2, v3",
    "v_mul_hi_u32 v2, v2, v2",
    "v_min_i32 v1, v2, v3",
    "v_min_u32 v1, v2, v3",
    "v_max_i32 v1, v2, v3",
    "v_max_u32 v1, 17, v3",
    "v_lshlrev_b32 v1, 5, v3",
    "v_lshlrev_b32 v1, 37, v3",
    "v_lshlrev_b32 v1, v2, v3",
    "v_lshlrev_b32 v1, s2, v3",
    "v_lshrrev_b32 v1, v2, v3",
    "v_lshrrev_b32 v1, 31, v3",
    "v_ashrrev_i32 v1, v2, v3",
    "v_ashrrev_i32 v1, 0, v3",
    "v_lshl_add_u32 v1, v2, 3, v3",
    "v_lshl_add_u32 v1, v2, v3, v4",
    "v_lshl_or_b32 v1, v2, s3, v4",
    "v_add_lshl_u32 v1, v2, v3, 4",
    "v_add_lshl_u32 v1, v2, v3, v4",
    "v_add3_u32 v1, v2, v3, v4",
    "v_and_or_b32 v1, v2, v3, v4",
    "v_or3_b32 v1, v2, v3, v4",
    "v_xad_u32 v1, v2, v3, v4",
    "v_bfi_b32 v1, v2, v3, v4",
    "v_mul_u32_u24 v1, v2, v3",
    "v_mul_i32_i24 v1, v2, v3",
    "v_mad_u32_u24 v1, v2, v3, v4",
    "v_mad_i32_i24 v1, v2, v3, v4",
    "v_cvt_f32_i32 v1, v2",
    "v_cvt_f32_u32 v1, v2",
    "v_cmp_eq_u32 vcc, v1, v2",
    "v_cmp_ne_u32 s[4:5], v1, v2",
    "v_cmp_lt_i32 vcc, v1, v2",
    "v_cmp_le_i32 vcc, s1, v2",
    "v_cmp_gt_i32 vcc, 0, v2",
    "v_cmp_ge_i32 vcc, v1, v2",
    "v_cmp_lt_u32 vcc, v1, v2",
    "v_cmp_le_u32 s[8:9], v1, v2",
    "v_cmp_gt_u32 vcc, v1, v2",
    "v_cmp_ge_u32 vcc, v1, v2",
    "v_cndmask_b32 v1, v2, v3, vcc",
    "v_cndmask_b32 v1, 0, 1, s[4:5]",
    "v_lshlrev_b64 v[4:5], 2, v[6:7]",
    "v_lshlrev_b64 v[6:7], 31, v[6:7]",
    "v_lshlrev_b64 v[4:5], 32, v[6:7]",
    "v_lshlrev_b64 v[4:5], 0, v[6:7]",
    "v_lshrrev_b64 v[4:5], 9, v[6:7]",
    "v_lshrrev_b64 v[7:8], 44, v[6:7]",
    "v_ashrrev_i64 v[4:5], 3, v[6:7]",
    "v_ashrrev_i64 v[4:5], 63, v[6:7]",
];

const FLOATS: &[&str] = &[
    "v_add_f32 v1, v2, v3",
    "v_add_f32 v1, s2, v3",
    "v_sub_f32 v1, v2, v3",
    "v_subrev_f32 v1, v2, v3",
    "v_mul_f32 v1, v2, v3",
    "v_mul_f32 v1, -v2, |v3|",
    "v_min_f32 v1, v2, v3",
    "v_max_f32 v1, v2, v3",
    "v_max_f32 v1, v2, v2",
    "v_min3_f32 v1, v2, v3, v4",
    "v_max3_f32 v1, v2, -v3, v4",
    "v_fma_f32 v1, v2, v3, v4",
    "v_fma_f32 v1, v2, v3, v1",
    "v_fma_f32 v1, v1, v1, v1",
    "v_fma_f32 v1, -v2, |v3|, -|v4|",
    "v_fma_f32 v1, s2, v3, 1.0",
    "v_cvt_i32_f32 v1, v2",
    "v_cvt_u32_f32 v1, |v2|",
    "v_rndne_f32 v1, v2",
    "v_floor_f32 v1, v2",
    "v_ceil_f32 v1, v2",
    "v_trunc_f32 v1, -v2",
    "v_cmp_eq_f32 vcc, v1, v2",
    "v_cmp_lt_f32 vcc, v1, v2",
    "v_cmp_le_f32 vcc, v1, -v2",
    "v_cmp_gt_f32 s[4:5], v1, v2",
    "v_cmp_ge_f32 vcc, v1, v2",
    "v_cmp_lg_f32 vcc, v1, v2",
    "v_cmp_neq_f32 vcc, v1, v2",
    "v_cmp_nlt_f32 vcc, v1, v2",
    "v_cmp_nle_f32 vcc, v1, v2",
    "v_cmp_ngt_f32 vcc, v1, v2",
    "v_cmp_nge_f32 vcc, v1, v2",
    "v_cmp_nlg_f32 vcc, v1, v2",
    "v_cmp_o_f32 vcc, v1, v2",
    "v_cmp_u_f32 vcc, v1, v2",
];

/// Texts for a wave32, whose masks are one register.
fn narrow(text: &[&'static str]) -> Vec<&'static str> {
    let masks = |line: &str| !line.contains("vcc") && !line.contains("s[");
    text.iter().copied().filter(|line| masks(line)).collect()
}

#[test]
fn integer_operations() {
    check(Target::Gfx900, 64, INTEGERS);
    check(
        Target::Gfx900,
        64,
        &[
            "v_add_u32 v1, v2, v3",
            "v_add_u32 v2, v2, v2",
            "v_sub_u32 v1, s2, v3",
            "v_subrev_u32 v1, v2, v3",
            "v_add_co_u32 v1, vcc, v2, v3",
            "v_add_co_u32 v1, s[4:5], s2, v3",
            "v_addc_co_u32 v1, vcc, v2, v3, vcc",
            "v_addc_co_u32 v1, vcc, 0, v3, vcc",
            "v_sub_co_u32 v1, vcc, v2, v3",
            "v_subrev_co_u32 v1, vcc, v2, v3",
            "v_subb_co_u32 v1, vcc, v2, v3, vcc",
            "v_subbrev_co_u32 v1, s[6:7], v2, v3, s[8:9]",
            "v_mad_u64_u32 v[4:5], vcc, v1, v2, v[6:7]",
            "v_mad_u64_u32 v[4:5], s[2:3], s1, v2, 0",
        ],
    );
    check(Target::Gfx1100, 64, &narrow(INTEGERS));
    check(Target::Gfx1100, 32, &narrow(INTEGERS));
    check(
        Target::Gfx1100,
        32,
        &[
            "v_xor3_b32 v1, v2, v3, v4",
            "v_add_nc_u32 v1, v2, v3",
            "v_add_nc_i32 v1, v2, v3",
            "v_cmp_lt_u32 vcc_lo, v1, v2",
            "v_cmp_lt_u32 s7, v1, v2",
            "v_cndmask_b32 v1, v2, v3, vcc_lo",
            "v_cndmask_b32 v1, v2, v3, s7",
            "v_add_co_u32 v1, vcc_lo, v2, v3",
            "v_add_co_ci_u32 v1, null, v2, v3, vcc_lo",
            "v_sub_co_ci_u32 v1, s3, v2, v3, s4",
            "v_mad_u64_u32 v[4:5], null, v1, v2, v[6:7]",
            "v_dual_mov_b32 v1, v2 :: v_dual_add_nc_u32 v0, v3, v4",
            "v_dual_mov_b32 v2, v1 :: v_dual_mov_b32 v1, v2",
            "v_dual_cndmask_b32 v2, v1, v3 :: v_dual_lshlrev_b32 v1, 2, v2",
        ],
    );
    check(
        Target::Gfx942,
        64,
        &[
            "v_lshl_add_u64 v[4:5], v[6:7], 0, v[8:9]",
            "v_lshl_add_u64 v[4:5], v[6:7], 3, s[2:3]",
            "v_lshl_add_u64 v[6:7], s[6:7], 4, v[6:7]",
            "v_mov_b64 v[4:5], v[6:7]",
            "v_mov_b64 v[4:5], 0x42",
        ],
    );
    check(
        Target::Gfx1250,
        32,
        &[
            "v_add_nc_u64 v[4:5], v[6:7], v[8:9]",
            "v_lshl_add_u64 v[4:5], v[6:7], 2, v[8:9]",
        ],
    );
}

#[test]
fn float_operations() {
    check(Target::Gfx900, 64, FLOATS);
    check(
        Target::Gfx90a,
        64,
        &[
            "v_add_f64 v[2:3], v[4:5], v[6:7]",
            "v_add_f64 v[2:3], -v[4:5], |v[6:7]|",
            "v_mul_f64 v[2:3], s[4:5], v[6:7]",
            "v_mul_f64 v[2:3], v[2:3], 0.5",
            "v_fma_f64 v[2:3], v[4:5], v[6:7], v[8:9]",
            "v_fma_f64 v[2:3], v[4:5], -v[6:7], v[2:3]",
            "v_fma_f64 v[2:3], v[2:3], v[2:3], 1.0",
            "v_fmac_f64 v[2:3], v[4:5], v[6:7]",
            "v_min_f64 v[2:3], v[4:5], v[6:7]",
            "v_max_f64 v[2:3], -v[4:5], |v[6:7]|",
            "v_rndne_f64 v[2:3], v[4:5]",
            "v_floor_f64 v[2:3], v[4:5]",
            "v_ceil_f64 v[2:3], -v[4:5]",
            "v_trunc_f64 v[2:3], s[4:5]",
            "v_cmp_lt_f64 vcc, v[4:5], v[6:7]",
            "v_cmp_nge_f64 s[2:3], v[4:5], |v[6:7]|",
            "v_cmp_u_f64 vcc, v[4:5], v[6:7]",
        ],
    );
    check(Target::Gfx1030, 32, &narrow(FLOATS));
    check(Target::Gfx1100, 32, &narrow(FLOATS));
    check(
        Target::Gfx1100,
        32,
        &[
            "v_fmac_f32 v1, v2, v3",
            "v_fmac_f32 v1, v1, v1",
            "v_fmaak_f32 v1, v2, v3, 0x40490fdb",
            "v_fmamk_f32 v1, v2, 0x40490fdb, v3",
            "v_dual_fmac_f32 v1, v2, v4 :: v_dual_add_f32 v2, v1, v3",
            "v_dual_fmac_f32 v5, v10, v42 :: v_dual_add_nc_u32 v0, 16, v0",
            "v_dual_mul_f32 v1, v2, v4 :: v_dual_sub_f32 v2, s1, v3",
        ],
    );
    check(
        Target::Gfx90a,
        64,
        &[
            "v_pk_fma_f32 v[2:3], v[4:5], v[6:7], v[8:9]",
            "v_pk_fma_f32 v[2:3], v[4:5], v[6:7], v[2:3]",
            "v_pk_fma_f32 v[2:3], v[4:5], v[6:7], v[8:9] op_sel_hi:[0,1,1]",
            "v_pk_fma_f32 v[2:3], v[4:5], v[6:7], v[2:3] op_sel:[1,0,1] op_sel_hi:[0,1,0]",
            "v_pk_fma_f32 v[2:3], v[4:5], v[6:7], v[8:9] neg_lo:[1,0,0] neg_hi:[0,0,1]",
            "v_pk_mul_f32 v[2:3], s[4:5], v[6:7] op_sel:[1,1] op_sel_hi:[0,1]",
            "v_pk_mul_f32 v[2:3], s[4:5], v[6:7]",
            "v_pk_add_f32 v[2:3], v[4:5], v[6:7]",
            "v_fmac_f32 v1, v2, v3",
        ],
    );
}

#[test]
fn accesses_to_lds() {
    check(
        Target::Gfx900,
        64,
        &[
            "ds_read_b32 v1, v40",
            "ds_read_b32 v40, v40 offset:12",
            "ds_read_b64 v[2:3], v40 offset:8",
            "ds_read_b96 v[2:4], v40",
            "ds_read_b128 v[4:7], v40 offset:16",
            "ds_read2_b32 v[8:9], v40 offset1:16",
            "ds_read2_b64 v[8:11], v40 offset0:2 offset1:3",
            "ds_read2st64_b32 v[8:9], v40 offset0:1 offset1:2",
            "ds_write_b32 v40, v1",
            "ds_write_b32 v40, v1 offset:2044",
            "ds_write2_b32 v40, v1, v2 offset0:3 offset1:4",
            "ds_write2_b32 v40, v1, v2 offset0:4 offset1:3",
            "s_waitcnt lgkmcnt(0)",
            "ds_write2st64_b32 v40, v1, v2 offset0:3 offset1:4",
        ],
    );
    check(
        Target::Gfx1100,
        32,
        &[
            "ds_load_b32 v1, v40",
            "ds_load_b128 v[10:13], v40",
            "ds_load_2addr_b32 v[42:43], v40 offset0:32 offset1:48",
            "ds_load_2addr_b32 v[40:41], v40 offset1:1",
            "ds_store_2addr_stride64_b32 v40, v1, v2 offset1:4",
            "ds_store_b32 v40, v1",
        ],
    );
}
