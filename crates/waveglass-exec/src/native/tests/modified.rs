//! Operations with modifiers of sources and results, on halves, and on other lanes.

use super::{check, together};
use waveglass_isa::Target;

/// The lines that this host translates: halves as such need an extension of its own.
fn known<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let halves = |line: &str| {
        [
            "v_add_f16",
            "v_sub_f16",
            "v_subrev_f16",
            "v_mul_f16",
            "v_fma_f16",
            "v_fmac_f16",
            "v_pk_add_f16",
            "v_pk_mul_f16",
            "v_pk_fma_f16",
            "v_floor_f16",
            "v_rndne_f16",
            "v_ceil_f16",
            "v_trunc_f16",
        ]
        .iter()
        .any(|name| line.starts_with(name))
    };
    let fp16 = super::super::has_fp16();
    lines
        .iter()
        .copied()
        .filter(|line| fp16 || !halves(line))
        .collect()
}

#[test]
fn halves() {
    let lines = [
        "v_add_f16 v1, v2, v3",
        "v_sub_f16 v1, s2, v3",
        "v_subrev_f16 v1, v2, v3",
        "v_mul_f16 v1, -v2, |v3|",
        "v_mul_f16 v1, 2.0, v3 clamp",
        "v_fma_f16 v1, v2, v3, v4",
        "v_fma_f16 v1, v2, v3, v4 op_sel:[1,0,1,1]",
        "v_fma_f16 v1, v2, -v3, v1 op_sel:[0,1,0,0]",
        "v_floor_f16 v1, v2",
        "v_rndne_f16 v1, -v2",
        "v_max_f16 v1, v2, v3",
        "v_min_f16 v1, v2, 1.0",
        "v_med3_f16 v1, v2, v3, v4",
        "v_max3_f16 v1, v2, v3, v4 op_sel:[1,1,0,1]",
        "v_cmp_lt_f16 vcc, v1, v2",
        "v_cmp_nge_f16 s[4:5], v1, |v2|",
        "v_cmp_u_f16 vcc, v1, v2",
        "v_cvt_f32_f16 v1, v2",
        "v_cvt_f32_f16 v1, -|v2|",
        "v_cvt_f16_f32 v1, v2",
        "v_cvt_f16_f32 v1, -v2 clamp",
        "v_cvt_pkrtz_f16_f32 v1, v2, v3",
        "v_cvt_pkrtz_f16_f32 v1, v2, -v2",
        "v_mad_mix_f32 v1, v2, v3, v4 op_sel_hi:[1,1,0]",
        "v_mad_mix_f32 v1, v2, -v3, |v4| op_sel:[1,0,1] op_sel_hi:[1,1,1]",
        "v_mad_mixlo_f16 v1, v2, v3, v4 op_sel_hi:[1,1,0]",
        "v_mad_mixhi_f16 v1, v2, v3, v4 op_sel_hi:[0,1,0] clamp",
        "v_pk_add_f16 v1, v2, v3",
        "v_pk_add_f16 v1, v2, v3 op_sel:[1,0] op_sel_hi:[0,1]",
        "v_pk_add_f16 v1, v2, s3 op_sel_hi:[1,0] neg_lo:[1,0] neg_hi:[0,1]",
        "v_pk_mul_f16 v1, v2, v3 op_sel:[1,1] op_sel_hi:[1,1]",
        "v_pk_mul_f16 v1, v2, v3 op_sel_hi:[0,0] clamp",
        "v_pk_fma_f16 v1, v2, v3, v4",
        "v_pk_fma_f16 v1, v2, v3, v1 op_sel:[0,1,0] op_sel_hi:[1,0,1] neg_hi:[0,0,1]",
        "v_pk_fma_f16 v1, v2, v3, 1.0 op_sel_hi:[1,1,0]",
    ];
    check(Target::Gfx900, 64, &known(&lines));
    check(
        Target::Gfx1201,
        32,
        &known(&[
            "v_fma_f16 v1.l, v2.l, v3.h, v4.l",
            "v_fma_f16 v1.h, v2.h, v3.h, -v1.h",
            "v_fmac_f16 v1.h, v2.l, v3.h",
            "v_add_f16 v1.h, v2.l, v3.h",
            "v_min_num_f16 v1.l, v2.h, v3.l",
            "v_med3_num_f16 v1.l, v2.h, v3.l, v4.l",
            "v_maximumminimum_f16 v1.l, v2.h, v3.l, v4.l",
            "v_cvt_f32_f16 v1, v2.h",
            "v_cvt_f16_f32 v1.h, v2",
            "v_fma_mix_f32 v1, v2, v3, v4 op_sel_hi:[1,0,1]",
            "v_fma_mixlo_f16 v1, v2, v3, v4 op_sel_hi:[1,0,1]",
            "v_fma_mixhi_f16 v1, v2, v3, v4 op_sel:[1,0,0] op_sel_hi:[1,0,1]",
            "v_cmp_lt_f16 vcc_lo, v1.h, v2.l",
            "v_mov_b16 v1.h, v2.l",
            "v_and_b16 v1.l, v2.h, v3.h",
        ]),
    );
    check(
        Target::Gfx1250,
        32,
        &["v_fma_mix_f32_bf16 v1, v2, v3, v4 op_sel:[1,0,0] op_sel_hi:[1,1,0]"],
    );
}

#[test]
fn integers_of_sixteen_bits() {
    check(
        Target::Gfx900,
        64,
        &[
            "v_add_u16 v1, v2, v3",
            "v_sub_u16 v1, s2, v3",
            "v_subrev_u16 v1, v2, v3",
            "v_mul_lo_u16 v1, v2, v3",
            "v_lshlrev_b16 v1, v2, v3",
            "v_lshrrev_b16 v1, v2, v3",
            "v_ashrrev_i16 v1, 3, v3",
            "v_max_i16 v1, v2, v3",
            "v_min_u16 v1, v2, v3",
            "v_mad_u16 v1, v2, v3, v4",
            "v_mad_i16 v1, v2, v3, v4 op_sel:[1,0,0,1]",
            "v_med3_i16 v1, v2, v3, v4",
            "v_cmp_ne_u16 vcc, v1, v2",
            "v_cmp_lt_i16 vcc, v1, v2",
            "v_cmp_gt_u16 s[4:5], v1, v2",
            "v_pk_add_u16 v1, v2, v3",
            "v_pk_sub_i16 v1, v2, v3 op_sel:[1,0] op_sel_hi:[1,1]",
            "v_pk_mul_lo_u16 v1, v2, 7",
            "v_pk_max_i16 v1, v2, v3",
            "v_pk_min_u16 v1, v2, v3 op_sel_hi:[0,1]",
            "v_pk_mad_u16 v1, v2, v3, v4",
            "v_pk_lshlrev_b16 v1, v2, v3",
            "v_pk_lshrrev_b16 v1, 5, v3 op_sel_hi:[0,1]",
            "v_pk_ashrrev_i16 v1, v2, v3",
        ],
    );
}

#[test]
fn more_of_thirty_two_bits() {
    check(
        Target::Gfx900,
        64,
        &[
            "v_bfe_u32 v1, v2, v3, v4",
            "v_bfe_u32 v1, v2, 3, 7",
            "v_bfe_i32 v1, v2, v3, v4",
            "v_bfe_i32 v1, v2, 30, 9",
            "v_bfm_b32 v1, v2, v3",
            "v_alignbit_b32 v1, v2, v3, v4",
            "v_alignbit_b32 v1, v2, v3, 0",
            "v_alignbyte_b32 v1, v2, v3, v4",
            "v_sad_u32 v1, v2, v3, v4",
            "v_min3_i32 v1, v2, v3, v4",
            "v_max3_u32 v1, v2, v3, v4",
            "v_med3_i32 v1, v2, v3, v4",
            "v_med3_u32 v1, v2, s3, v4",
            "v_cvt_f32_ubyte0 v1, v2",
            "v_cvt_f32_ubyte1 v1, v2",
            "v_cvt_f32_ubyte2 v1, v2",
            "v_cvt_f32_ubyte3 v1, v2",
            "v_lshlrev_b64 v[2:3], v1, v[4:5]",
            "v_lshrrev_b64 v[2:3], s3, v[4:5]",
            "v_ashrrev_i64 v[2:3], v2, v[2:3]",
            "v_cmp_lt_u64 vcc, v[2:3], v[4:5]",
            "v_cmp_ge_i64 s[2:3], v[2:3], s[4:5]",
            "v_mac_f32 v1, v2, v3",
            "v_mad_f32 v1, -v2, v3, |v4|",
            "v_madak_f32 v1, v2, v3, 0x40490fdb",
            "v_med3_f32 v1, v2, v3, v4",
            "v_med3_f32 v1, v2, -v2, 0",
            "v_fract_f32 v1, v2",
            "v_ldexp_f32 v1, v2, v3",
            "v_ldexp_f32 v1, v2, 3",
            "v_rcp_f32 v1, v2",
            "v_sqrt_f32 v1, |v2|",
        ],
    );
    check(
        Target::Gfx90a,
        64,
        &[
            "v_pk_mov_b32 v[2:3], v[4:5], v[6:7] op_sel:[1,0]",
            "v_pk_mov_b32 v[2:3], v[4:5], v[2:3] op_sel:[0,1]",
        ],
    );
    check(
        Target::Gfx950,
        64,
        &["v_bitop3_b32 v1, v2, v3, v4 bitop3:0x1b"],
    );
    check(
        Target::Gfx1201,
        32,
        &[
            "v_xnor_b32 v1, v2, v3",
            "v_maxmin_i32 v1, v2, v3, v4",
            "v_minmax_u32 v1, v2, v3, v4",
            "v_max_num_f32 v1, v2, v3",
            "v_minimum_f32 v1, v2, v3",
            "v_minmax_num_f32 v1, v2, v3, v4",
        ],
    );
}

#[test]
fn results_are_clamped_multiplied_and_inserted() {
    check(
        Target::Gfx900,
        64,
        &[
            "v_add_f32 v1, v2, v3 clamp",
            "v_fma_f32 v1, -v2, |v3|, v1 clamp",
            "v_mul_f32 v1, v2, v3 mul:2",
            "v_max_f32 v1, v2, v3 clamp",
            "v_cndmask_b32 v1, v2, -v3, vcc",
            "v_add_u32_sdwa v1, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_0",
            "v_add_u32_sdwa v1, v2, v3 dst_sel:BYTE_2 dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:WORD_1",
            "v_add_u32_sdwa v1, v2, v3 dst_sel:WORD_1 dst_unused:UNUSED_SEXT src0_sel:DWORD src1_sel:DWORD",
            "v_lshlrev_b32_sdwa v1, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0",
            "v_or_b32_sdwa v1, v2, v3 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD",
            "v_mov_b32_sdwa v1, sext(v2) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2",
            "v_mov_b32_sdwa v1, sext(v2) dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1",
            "v_mul_f32_sdwa v1, -v2, |v3| dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD",
            "v_cvt_f32_u32_sdwa v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1",
        ],
    );
    check(
        Target::Gfx1201,
        32,
        &[
            "v_add_f32 v1, v2, v3 mul:2",
            "v_mul_f32 v1, v2, v3 clamp mul:4",
            "v_fma_f32 v1, v2, v3, v4 div:2",
        ],
    );
}

#[test]
fn lanes_of_other_lanes() {
    check(
        Target::Gfx900,
        64,
        &[
            "v_add_f32_dpp v1, v2, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
            "v_add_f32_dpp v1, v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf",
            "v_add_f32_dpp v1, v2, v3 row_shr:8 row_mask:0xf bank_mask:0xf bound_ctrl:0",
            "v_add_f32_dpp v2, v2, v2 row_shl:3 row_mask:0xe bank_mask:0xb",
            "v_mac_f32_dpp v1, v1, v3 row_mirror row_mask:0xf bank_mask:0xf",
            "v_mov_b32_dpp v1, v2 row_bcast:15 row_mask:0xa bank_mask:0xf",
            "v_mov_b32_dpp v1, v1 row_bcast:31 row_mask:0xc bank_mask:0xf",
            "v_add_u32_dpp v1, v2, v3 row_ror:4 row_mask:0xf bank_mask:0xf",
            "v_add_u32_dpp v1, v1, v3 wave_shr:1 row_mask:0xf bank_mask:0xf",
            "v_add_u32_dpp v1, v2, v3 wave_rol:1 row_mask:0xf bank_mask:0xf bound_ctrl:0",
            "v_mul_f32_dpp v1, -v2, |v3| row_half_mirror row_mask:0xf bank_mask:0xf",
            "v_add_co_u32_dpp v1, vcc, v2, v3 row_shr:2 row_mask:0xf bank_mask:0xf",
            "v_cndmask_b32_dpp v1, v2, v3, vcc row_shr:2 row_mask:0xf bank_mask:0xf",
        ],
    );
    check(
        Target::Gfx1030,
        32,
        &[
            "v_add_f32_dpp v1, v2, v3 row_xmask:3 row_mask:0xf bank_mask:0xf",
            "v_add_f32_dpp v1, v2, v3 row_share:5 row_mask:0xf bank_mask:0xf fi:1",
            "v_mov_b32_dpp v1, v2 dpp8:[7,6,5,4,3,2,1,0]",
            "v_mov_b32_dpp v1, v1 dpp8:[1,1,1,0,7,6,5,4] fi:1",
            "v_fmac_f32_dpp v1, v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf",
            "v_permlane16_b32 v1, v2, s4, s5",
            "v_permlanex16_b32 v1, v1, s4, s5",
            "v_permlanex16_b32 v1, v2, 0, 17 op_sel:[1,0]",
            "v_permlane16_b32 v1, v2, s4, s5 op_sel:[0,1]",
            "v_permlane16_b32 v2, v2, s4, s5 op_sel:[1,1]",
        ],
    );
    check(
        Target::Gfx1100,
        64,
        &[
            "v_add_f32_e64_dpp v1, v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf",
            "v_fma_f32_e64_dpp v1, v2, v3, v4 row_shl:1 row_mask:0x5 bank_mask:0xf",
            "v_permlanex16_b32 v1, v2, s4, s5",
            "v_permlane16_b32 v1, v2, s4, s5 op_sel:[0,1]",
        ],
    );
}

#[test]
fn divisions() {
    check(
        Target::Gfx900,
        64,
        &[
            "v_div_scale_f32 v1, vcc, v2, v3, v2",
            "v_div_scale_f32 v1, s[4:5], v3, v3, v2",
            "v_div_fixup_f32 v1, v2, v3, v4",
            "v_div_fixup_f32 v1, v2, -v3, |v4|",
            "v_div_fixup_f32 v1, v1, v3, 1.0 clamp",
        ],
    );
    check(
        Target::Gfx90a,
        64,
        &[
            "v_div_scale_f64 v[2:3], vcc, v[4:5], v[6:7], v[4:5]",
            "v_div_scale_f64 v[2:3], s[4:5], v[6:7], v[6:7], 1.0",
            "v_div_fixup_f64 v[2:3], v[4:5], v[6:7], v[8:9]",
            "v_div_fixup_f64 v[2:3], v[2:3], -v[6:7], v[8:9]",
        ],
    );
    for line in [
        "v_div_fmas_f32 v1, v2, v3, v4",
        "v_div_fmas_f32 v1, v2, -v3, v1",
        "v_div_fmas_f64 v[2:3], v[4:5], v[6:7], v[8:9]",
    ] {
        for mask in ["s_mov_b64 vcc, 0", "s_and_b64 vcc, vcc, 3"] {
            let whole = ["v_mov_b32 v40, v41", mask, line];
            together(
                Target::Gfx90a,
                64,
                &whole[usize::from(mask.ends_with('0'))..],
            );
        }
    }
}

#[test]
fn bytes_by_their_numbers() {
    for (target, lanes) in [(Target::Gfx900, 64), (Target::Gfx1100, 32)] {
        for selector in ["0x05040100", "0x07060302", "0x00010203", "0x0c000706"] {
            let load = format!("s_mov_b32 s3, {selector}");
            let text = [
                "v_mov_b32 v40, v41",
                &load,
                "v_perm_b32 v1, v2, v3, s3",
                "v_perm_b32 v3, v3, v1, v4",
            ];
            together(target, lanes, &text);
        }
        // Numbers below eight in each lane.
        let text = ["v_and_b32 v4, 0x07070707, v4", "v_perm_b32 v1, v2, v3, v4"];
        together(target, lanes, &text);
    }
}

#[test]
fn dot_products() {
    check(
        Target::Gfx906,
        64,
        &[
            "v_dot2_f32_f16 v1, v2, v3, v4",
            "v_dot2_f32_f16 v1, v2, s3, v1 op_sel:[0,1,0] op_sel_hi:[1,0,1] neg_lo:[1,0,0]",
        ],
    );
    check(
        Target::Gfx1100,
        32,
        &[
            "v_dot2_f32_f16 v1, v2, v3, v4",
            "v_dot2acc_f32_f16 v1, v2, v3",
        ],
    );
}
