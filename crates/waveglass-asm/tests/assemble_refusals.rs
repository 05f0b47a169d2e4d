//! Sources that llvm-mc-22 refuses, each beside one that it takes.

use waveglass_asm::{AssembleOptions, Assembled, Diagnostics, LineAssembler, assemble};
use waveglass_isa::Target;

fn asm(target: Target, source: &str) -> Result<Assembled, Diagnostics> {
    assemble(source, target, &AssembleOptions::default())
}

fn findings(target: Target, source: &str) -> Vec<String> {
    let list = asm(target, source).map_or_else(|d| d.list, |_| Vec::new());
    list.iter()
        .map(|d| format!("{}:{}: {}", d.line, d.column, d.message))
        .collect()
}

#[test]
fn the_xnack_mask_agrees_with_the_target_id() {
    let source = |id: &str, reserve: u32| {
        format!(
            ".amdgcn_target \"amdgcn-amd-amdhsa--{id}\"\n.globl k\n.type k,@function\nk: s_endpgm\n\
             .rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 4\n\
             .amdhsa_next_free_sgpr 8\n.amdhsa_reserve_xnack_mask {reserve}\n.end_amdhsa_kernel"
        )
    };
    // XNACK on or any reserves the mask, off does not (llvm-mc-22 says the same).
    for (id, reserve) in [("gfx900:xnack+", 1), ("gfx900", 1), ("gfx900:xnack-", 0)] {
        assert!(asm(Target::Gfx900, &source(id, reserve)).is_ok(), "{id}");
        assert_eq!(
            findings(Target::Gfx900, &source(id, 1 - reserve)),
            ["10:1: .amdhsa_reserve_xnack_mask does not match target id"]
        );
    }
    assert!(asm(Target::Gfx1030, &source("gfx1030", 0)).is_ok());
    assert!(asm(Target::Gfx1030, &source("gfx1030", 1)).is_err());
}

#[test]
fn short_addresses_of_ray_intersections_are_named() {
    let one = |text: &str| asm(Target::Gfx1030, text).is_ok();
    assert!(one("image_bvh_intersect_ray v[4:7], v[9:16], s[4:7] a16"));
    assert!(!one("image_bvh_intersect_ray v[4:7], v[9:16], s[4:7]"));
    assert!(one("image_bvh_intersect_ray v[4:7], v[9:19], s[4:7]"));
    assert!(!one("image_bvh_intersect_ray v[4:7], v[9:19], s[4:7] a16"));
}

/// A target, a text that is refused with what, and one that is taken.
const PAIRS: &[(Target, &str, &str, &str)] = &[
    (
        Target::Gfx1250,
        "v_pk_mul_f32 v[0:1], s[2:3], v[2:3]",
        "1:22: invalid op_sel operand",
        "v_pk_mul_f32 v[0:1], s[2:3], v[2:3] op_sel_hi:[0,1]",
    ),
    (
        Target::Gfx1250,
        "v_pk_fma_f32 v[0:1], v[2:3], v[2:3], exec op_sel:[0,0,1] op_sel_hi:[1,1,0]",
        "1:43: invalid op_sel operand",
        "v_pk_fma_f32 v[0:1], v[2:3], v[2:3], exec op_sel_hi:[1,1,0]",
    ),
    (
        Target::Gfx942,
        "v_pk_mul_f32 v[0:1], s[2:3], v[2:4]",
        "1:30: invalid operand for instruction: 2 registers are needed, v[2:4] is 3",
        "v_pk_mul_f32 v[0:1], s[2:3], v[2:3]",
    ),
    (
        Target::Gfx90a,
        "v_writelane_b32 v1, m0, s1",
        "1:25: invalid operand (violates constant bus restrictions)",
        "v_writelane_b32 v1, s1, m0",
    ),
    (
        Target::Gfx1250,
        "v_writelane_b32_e64 v1, 4, s2",
        "1:1: e64 variant of this instruction is not supported on gfx1250",
        "v_writelane_b32_e32 v1, 4, s2",
    ),
    (
        Target::Gfx1100,
        "v_interp_p10_f32_e32 v0, v1, v2, v3",
        "1:1: e32 variant of this instruction is not supported on gfx1100",
        "v_interp_p10_f32_e64 v0, v1, v2, v3",
    ),
    (
        Target::Gfx1250,
        "tensor_load_to_lds s[0:3], s[0:7] r128",
        "1:35: instruction must set modifier r128=0",
        "tensor_load_to_lds s[0:3], s[0:7]",
    ),
    (
        Target::Gfx1250,
        "v_wmma_ld_scale_paired_b32 v1, 0x41",
        "1:32: invalid operand for instruction: literals are not supported",
        "v_wmma_ld_scale_paired_b32 v1, 64",
    ),
    (
        Target::Gfx1030,
        "v_movrelsd_2_b32_sdwa v0, 5 dst_sel:BYTE_1",
        "1:27: source operand must be a VGPR",
        "v_movrelsd_2_b32_sdwa v0, v5 dst_sel:BYTE_1",
    ),
    (
        Target::Gfx1200,
        "v_dual_cndmask_b32 v1, vcc_lo, v3 :: v_dual_mul_f32 v4, s1, v0",
        "1:57: invalid operand (violates constant bus restrictions)",
        "v_dual_cndmask_b32 v1, vcc_lo, v3 :: v_dual_mul_f32 v4, vcc_lo, v0",
    ),
    (
        Target::Gfx1100,
        "image_msaa_load v[4:7], v[0:2], s[0:7] dmask:0x3 dim:SQ_RSRC_IMG_2D_MSAA",
        "1:40: invalid image_gather dmask: only one bit must be set",
        "image_msaa_load v[4:7], v[0:2], s[0:7] dmask:0x2 dim:SQ_RSRC_IMG_2D_MSAA",
    ),
    (
        Target::Gfx1200,
        "s_prefetch_data s[0:1], 0x1, s2",
        "1:1: too few operands for instruction",
        "s_prefetch_data s[0:1], 0x1, s2, 0",
    ),
    (
        Target::Gfx1200,
        "v_dot4_f32_bf8_bf8 v0, s2, v1, v3 neg_lo:[0,1]",
        "1:35: invalid neg_lo operand: src1 has no sign to change",
        "v_dot4_f32_bf8_bf8 v0, s2, v1, v3 neg_lo:[0,0,1]",
    ),
    (
        Target::Gfx1100,
        "s_sendmsg -1",
        "1:11: invalid immediate: only 16-bit values are legal",
        "s_waitcnt -1",
    ),
    (
        Target::Gfx1030,
        "v_interp_mov_f32 v127, 3, attr30.x",
        "1:24: invalid interpolation slot",
        "v_interp_mov_f32 v127, p0, attr30.x",
    ),
    (
        Target::Gfx1200,
        "v_add_f16_e64 v0.l, v1.h, v2",
        "1:27: invalid operand for instruction: halves and whole registers are mixed",
        "v_add_f16_e64 v0.l, v1.h, v2.l",
    ),
    (
        Target::Gfx1250,
        "v_dual_mul_f32 v0, v1, v2 :: v_dual_max_i32 v3, --7, v5",
        "1:49: invalid syntax, expected 'neg' modifier",
        "s_add_f16 s0, 1.0, --1",
    ),
];

/// The older spelling of BOUND_CTRL is a zero from RDNA 3 on (bytes of llvm-mc-22).
#[test]
fn bound_ctrl_of_zero() {
    for (target, wanted) in [
        (Target::Gfx900, 0xff08_0001u32),
        (Target::Gfx1030, 0xff08_0001),
        (Target::Gfx1100, 0xff00_0001),
        (Target::Gfx1250, 0xff00_0001),
    ] {
        let text =
            "v_mov_b32_dpp v0, v1 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf bound_ctrl:0";
        let i = LineAssembler::new(target, target.default_wave_size())
            .assemble(text)
            .expect("a DPP form");
        assert_eq!(i.words()[1], wanted, "{target}");
    }
}

#[test]
fn rules_of_single_operations() {
    for (target, refused, why, taken) in PAIRS {
        assert_eq!(findings(*target, refused), [*why], "{refused}");
        assert!(asm(*target, taken).is_ok(), "{taken}");
    }
}
