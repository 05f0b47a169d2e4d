//! Texts of vector ALU instructions, as llvm-mc-22 has them for the same bytes.

use waveglass_asm::{PrintOptions, print_bytes};
use waveglass_isa::Target;

fn text(target: Target, wave: u32, hex: &str) -> Option<String> {
    let bytes: Vec<u8> = (0..hex.len() / 2)
        .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex"))
        .collect();
    print_bytes(target, wave, &bytes, &PrintOptions::default()).map(|(t, _)| t)
}

#[test]
fn each_form_reads_as_llvm_writes_it() {
    let cases = [
        (
            Target::Gfx900,
            64,
            "ff0e007e83f9223e",
            "v_cvt_u32_f32_e32 v0, lit(0x3e22f983)",
        ),
        (
            Target::Gfx900,
            64,
            "f922927f71e40900",
            "v_cvt_f32_ubyte0_sdwa v201, sext(v113) clamp div:2 dst_sel:WORD_0 dst_unused:UNUSED_PAD src0_sel:BYTE_1",
        ),
        (
            Target::Gfx900,
            64,
            "fa54687f003419f0",
            "v_cos_f32_dpp v180, -v0 wave_rol:1 row_mask:0xf bank_mask:0x0 bound_ctrl:1",
        ),
        (
            Target::Gfx1030,
            32,
            "2b8003d5cb440368",
            "v_add_f32_e64 v43, neg(-11), -v162 clamp mul:2",
        ),
        (
            Target::Gfx1030,
            32,
            "0017915200000000",
            "v_sub_co_ci_u32_e32 v72, vcc_lo, v0, v139, vcc_lo",
        ),
        (
            Target::Gfx1030,
            64,
            "0017915200000000",
            "v_sub_co_ci_u32_e32 v72, vcc, v0, v139, vcc",
        ),
        (
            Target::Gfx1100,
            32,
            "fffe4f6a40000000",
            "v_mul_f16_e32 v39.l, lit(0x40), v127.h",
        ),
        (
            Target::Gfx1100,
            32,
            "0081c0c8a80000c9",
            "v_dual_mul_f32 v201, v0, v64 :: v_dual_fmac_f32 v0, 40, v0",
        ),
    ];
    for (target, wave, hex, want) in cases {
        assert_eq!(
            text(target, wave, hex).as_deref(),
            Some(want),
            "{target} {hex}"
        );
    }
}

#[test]
fn what_the_manual_reserves_is_no_instruction() {
    // A literal in VOP3 before RDNA 1, SDWA selection 7, DPP_CTRL without a meaning,
    // an odd VGPR pair on CDNA 2, a VOPD pair in wave64.
    assert_eq!(text(Target::Gfx900, 64, "ff010bd1ff00032889674523"), None);
    assert_eq!(text(Target::Gfx900, 64, "f974007ffe8a0700"), None);
    assert_eq!(text(Target::Gfx900, 64, "fa0e5c7e00f00180"), None);
    assert_eq!(text(Target::Gfx90a, 64, "8120467f"), None);
    assert_eq!(text(Target::Gfx1100, 64, "0081c0c8a80000c9"), None);
}
