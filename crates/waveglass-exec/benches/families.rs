//! Vector instructions of each family a second on one core, beside the rates that the project asks for.
//!
//! `cargo bench -p waveglass-exec --bench families` prints a line an instruction: millions of wave64
//! instructions a second (wave32 on targets without wave64) with all lanes on, the bar, and whether it is reached. With arguments it runs
//! the families whose names contain one of them.

use std::time::{Duration, Instant};
use waveglass_asm::LineAssembler;
use waveglass_exec::{Dispatch, Limits, Program, Registers, ScratchArena, Watch, run};
use waveglass_isa::Target;
use waveglass_mem::GlobalMemory;

/// Million instructions a second that a family should reach, by what it costs the host.
const COMMON: f64 = 40.0;
const DOUBLE: f64 = 25.0;
const TRANSCENDENTAL: f64 = 10.0;
const MATRIX: f64 = 1.5;

/// Family, target, bar, instructions. `{d}` is a destination of up to four registers from v32 on that
/// changes from one copy to the next, `{d2}` and `{d4}` are two and four registers from there. The
/// sources are v[4:5] to v[10:11], which [`prepare`] fills.
type Row = (&'static str, Target, f64, &'static [&'static str]);

use Target::{Gfx90a, Gfx900, Gfx906, Gfx942, Gfx950, Gfx1030, Gfx1100, Gfx1201, Gfx1250};

/// The family whose loop runs with denormals of f32 flushed.
const FLUSHING: &str = "f32 flushing";

const ROWS: &[Row] = &[
    (
        "int32",
        Gfx900,
        COMMON,
        &[
            "v_mov_b32 {d}, v4",
            "v_mov_b32 {d}, s4",
            "v_add_u32 {d}, v4, v6",
            "v_add_u32 {d}, s4, v6",
            "v_and_b32 {d}, 0xff00ff, v6",
            "v_lshlrev_b32 {d}, 3, v6",
            "v_ashrrev_i32 {d}, v4, v6",
            "v_xor_b32 {d}, v4, v6",
            "v_min_i32 {d}, v4, v6",
            "v_max_u32 {d}, v4, v6",
            "v_add3_u32 {d}, v4, v6, v8",
            "v_lshl_add_u32 {d}, v4, 2, v8",
            "v_and_or_b32 {d}, v4, v6, v8",
            "v_xad_u32 {d}, v4, v6, v8",
        ],
    ),
    (
        "bits",
        Gfx900,
        COMMON,
        &[
            "v_not_b32 {d}, v4",
            "v_bfrev_b32 {d}, v4",
            "v_ffbh_u32 {d}, v4",
            "v_ffbl_b32 {d}, v4",
            "v_bcnt_u32_b32 {d}, v4, v6",
            "v_bfe_u32 {d}, v4, 3, 7",
            "v_bfe_i32 {d}, v4, v6, v8",
            "v_bfi_b32 {d}, v4, v6, v8",
            "v_bfm_b32 {d}, v4, v6",
            "v_alignbit_b32 {d}, v4, v6, 7",
            "v_alignbyte_b32 {d}, v4, v6, v8",
            "v_perm_b32 {d}, v4, v6, v8",
        ],
    ),
    (
        "bits",
        Gfx950,
        COMMON,
        &["v_bitop3_b32 {d}, v4, v6, v8 bitop3:0x96"],
    ),
    (
        "multiply",
        Gfx900,
        COMMON,
        &[
            "v_mul_u32_u24 {d}, v4, v6",
            "v_mul_hi_u32_u24 {d}, v4, v6",
            "v_mad_i32_i24 {d}, v4, v6, v8",
            "v_mad_u32_u24 {d}, v4, v6, v8",
            "v_mul_lo_u32 {d}, v4, v6",
            "v_mul_hi_u32 {d}, v4, v6",
            "v_mul_hi_i32 {d}, v4, v6",
            "v_mad_u64_u32 {d2}, vcc, v4, v6, v[8:9]",
        ],
    ),
    (
        "int64",
        Gfx942,
        COMMON,
        &[
            "v_lshlrev_b64 {d2}, v4, v[6:7]",
            "v_lshrrev_b64 {d2}, 3, v[6:7]",
            "v_ashrrev_i64 {d2}, v4, v[6:7]",
            "v_lshl_add_u64 {d2}, v[6:7], 2, v[8:9]",
            "v_mov_b64 {d2}, v[6:7]",
        ],
    ),
    (
        "int64",
        Gfx1250,
        COMMON,
        &["v_add_nc_u64 {d2}, v[6:7], v[8:9]"],
    ),
    (
        "carry",
        Gfx900,
        COMMON,
        &[
            "v_add_co_u32 {d}, vcc, v4, v6",
            "v_addc_co_u32 {d}, vcc, v4, v6, vcc",
            "v_sub_co_u32 {d}, vcc, v4, v6",
            "v_subb_co_u32 {d}, vcc, v4, v6, vcc",
        ],
    ),
    (
        "int16",
        Gfx900,
        COMMON,
        &[
            "v_add_u16 {d}, v4, v6",
            "v_mul_lo_u16 {d}, v4, v6",
            "v_lshrrev_b16 {d}, v4, v6",
            "v_max_i16 {d}, v4, v6",
            "v_mad_u16 {d}, v4, v6, v8",
        ],
    ),
    (
        "packed",
        Gfx900,
        COMMON,
        &[
            "v_pk_add_u16 {d}, v4, v6",
            "v_pk_mul_lo_u16 {d}, v4, v6",
            "v_pk_max_i16 {d}, v4, v6",
            "v_pk_mad_u16 {d}, v4, v6, v8",
            "v_pk_lshlrev_b16 {d}, v4, v6",
            "v_pk_add_f16 {d}, v12, v13",
            "v_pk_mul_f16 {d}, v12, v13",
            "v_pk_fma_f16 {d}, v12, v13, v14",
            "v_pk_max_f16 {d}, v12, v13",
            "v_pk_add_f16 {d}, v12, v13 op_sel:[1,0] op_sel_hi:[0,1]",
        ],
    ),
    (
        "packed32",
        Gfx90a,
        COMMON,
        &[
            "v_pk_fma_f32 {d2}, v[18:19], v[20:21], v[22:23]",
            "v_pk_mul_f32 {d2}, v[18:19], v[20:21]",
            "v_pk_add_f32 {d2}, v[18:19], v[20:21]",
            "v_pk_mov_b32 {d2}, v[18:19], v[20:21] op_sel:[1,0]",
        ],
    ),
    (
        "f32",
        Gfx900,
        COMMON,
        &[
            "v_add_f32 {d}, v18, v20",
            "v_sub_f32 {d}, s5, v20",
            "v_mul_f32 {d}, v18, v20",
            "v_mul_f32 {d}, 2.0, v20",
            "v_fma_f32 {d}, v18, v20, v22",
            "v_fma_f32 {d}, -v18, |v20|, v22",
            "v_fma_f32 {d}, v18, v20, v22 clamp",
            "v_mul_f32 {d}, v18, v20 mul:2",
            "v_mac_f32 {d}, v18, v20",
            "v_madak_f32 {d}, v18, v20, 0x40490fdb",
            "v_min_f32 {d}, v18, v20",
            "v_max_f32 {d}, v18, v20",
            "v_floor_f32 {d}, v18",
            "v_rndne_f32 {d}, v18",
            "v_fract_f32 {d}, v18",
            "v_ldexp_f32 {d}, v18, v24",
            "v_frexp_mant_f32 {d}, v18",
            "v_frexp_exp_i32_f32 {d}, v18",
        ],
    ),
    (
        FLUSHING,
        Gfx900,
        COMMON,
        &[
            "v_add_f32 {d}, v18, v20",
            "v_mul_f32 {d}, s5, v20",
            "v_fma_f32 {d}, -v18, |v20|, v22",
            "v_max_f32 {d}, v18, v20",
            "v_cmp_gt_f32 vcc, v18, v20",
        ],
    ),
    (
        "division",
        Gfx900,
        COMMON,
        &[
            "v_div_scale_f32 {d}, vcc, v18, v20, v18",
            "v_div_fmas_f32 {d}, v18, v20, v22",
            "v_div_fixup_f32 {d}, v18, v20, v22",
        ],
    ),
    (
        "f16",
        Gfx900,
        COMMON,
        &[
            "v_add_f16 {d}, v12, v13",
            "v_mul_f16 {d}, v12, v13",
            "v_fma_f16 {d}, v12, v13, v14",
            "v_max_f16 {d}, v12, v13",
            "v_floor_f16 {d}, v12",
            "v_mad_mix_f32 {d}, v12, v13, v18 op_sel_hi:[1,1,0]",
            "v_mad_mixlo_f16 {d}, v12, v13, v18 op_sel_hi:[1,1,0]",
        ],
    ),
    (
        "f16",
        Gfx1201,
        COMMON,
        &[
            "v_fma_f16 {d}.l, v12.l, v13.h, v14.l",
            "v_dot2_f32_f16 {d}, v12, v13, v18",
        ],
    ),
    (
        "bf16",
        Gfx1250,
        COMMON,
        &[
            "v_pk_fma_bf16 {d}, v15, v16, v17",
            "v_pk_add_bf16 {d}, v15, v16",
            "v_pk_mul_bf16 {d}, v15, v16",
            "v_fma_mix_f32_bf16 {d}, v15, v16, v18 op_sel_hi:[1,1,0]",
            "v_cvt_pk_bf16_f32 {d}, v18, v20",
        ],
    ),
    (
        "f64",
        Gfx90a,
        DOUBLE,
        &[
            "v_add_f64 {d2}, v[26:27], v[28:29]",
            "v_mul_f64 {d2}, v[26:27], v[28:29]",
            "v_fma_f64 {d2}, v[26:27], v[28:29], v[30:31]",
            "v_fma_f64 {d2}, -v[26:27], v[28:29], v[30:31]",
            "v_fmac_f64 {d2}, v[26:27], v[28:29]",
            "v_max_f64 {d2}, v[26:27], v[28:29]",
            "v_floor_f64 {d2}, v[26:27]",
            "v_ldexp_f64 {d2}, v[26:27], v24",
            "v_cmp_lt_f64 vcc, v[26:27], v[28:29]",
            "v_div_scale_f64 {d2}, vcc, v[26:27], v[28:29], v[26:27]",
            "v_div_fmas_f64 {d2}, v[26:27], v[28:29], v[30:31]",
            "v_div_fixup_f64 {d2}, v[26:27], v[28:29], v[30:31]",
        ],
    ),
    (
        "compare",
        Gfx900,
        COMMON,
        &[
            "v_cmp_lt_u32 vcc, v4, v6",
            "v_cmp_eq_i32 s[6:7], 3, v6",
            "v_cmp_gt_f32 vcc, v18, v20",
            "v_cmp_ngt_f32 vcc, 0, v20",
            "v_cmp_class_f32 vcc, v18, v4",
            "v_cmp_lt_f16 vcc, v12, v13",
            "v_cmp_ne_u16 vcc, v4, v6",
            "v_cmp_lt_u64 vcc, v[4:5], v[6:7]",
        ],
    ),
    (
        "select",
        Gfx900,
        COMMON,
        &[
            "v_cndmask_b32 {d}, v4, v6, vcc",
            "v_cndmask_b32 {d}, 0, 1, s[6:7]",
            "v_cndmask_b32 {d}, v4, -v6, vcc",
        ],
    ),
    (
        "convert",
        Gfx900,
        COMMON,
        &[
            "v_cvt_f32_u32 {d}, v4",
            "v_cvt_f32_i32 {d}, v4",
            "v_cvt_u32_f32 {d}, v18",
            "v_cvt_i32_f32 {d}, v18",
            "v_cvt_f16_f32 {d}, v18",
            "v_cvt_f32_f16 {d}, v12",
            "v_cvt_f32_ubyte1 {d}, v4",
            "v_cvt_pkrtz_f16_f32 {d}, v18, v20",
            "v_cvt_pknorm_i16_f32 {d}, v18, v20",
            "v_cvt_u16_f16 {d}, v12",
        ],
    ),
    (
        "convert64",
        Gfx90a,
        DOUBLE,
        &[
            "v_cvt_f64_f32 {d2}, v18",
            "v_cvt_f32_f64 {d}, v[26:27]",
            "v_cvt_f64_u32 {d2}, v4",
            "v_cvt_i32_f64 {d}, v[26:27]",
            "v_cvt_u32_f64 {d}, v[26:27]",
        ],
    ),
    (
        "convert8",
        Gfx950,
        COMMON,
        &[
            "v_cvt_f32_fp8 {d}, v4",
            "v_cvt_pk_f32_fp8 {d2}, v4",
            "v_cvt_pk_fp8_f32 {d}, v18, v20",
            "v_cvt_pk_bf8_f32 {d}, v18, v20",
        ],
    ),
    (
        "transcendental",
        Gfx1100,
        TRANSCENDENTAL,
        &[
            "v_rcp_f32 {d}, v18",
            "v_rsq_f32 {d}, v18",
            "v_sqrt_f32 {d}, v18",
            "v_exp_f32 {d}, v18",
            "v_log_f32 {d}, v18",
            "v_sin_f32 {d}, v18",
            "v_cos_f32 {d}, v18",
            "v_rcp_f16 {d}, v12",
            "v_sqrt_f16 {d}, v12",
            "v_exp_f16 {d}, v12",
            "v_log_f16 {d}, v12",
            "v_sin_f16 {d}, v12",
            "v_rcp_f64 {d2}, v[26:27]",
            "v_rsq_f64 {d2}, v[26:27]",
            "v_sqrt_f64 {d2}, v[26:27]",
        ],
    ),
    (
        "dpp",
        Gfx900,
        COMMON,
        &[
            "v_add_f32_dpp {d}, v18, v20 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
            "v_add_f32_dpp {d}, v18, v20 row_shr:1 row_mask:0xf bank_mask:0xf",
            "v_mov_b32_dpp {d}, v4 row_bcast:15 row_mask:0xa bank_mask:0xf",
            "v_add_u32_dpp {d}, v4, v6 row_ror:4 row_mask:0xf bank_mask:0xf",
        ],
    ),
    (
        "dpp",
        Gfx1030,
        COMMON,
        &[
            "v_add_f32_dpp {d}, v18, v20 row_xmask:3 row_mask:0xf bank_mask:0xf",
            "v_mov_b32_dpp {d}, v4 dpp8:[7,6,5,4,3,2,1,0]",
        ],
    ),
    (
        "sdwa",
        Gfx900,
        COMMON,
        &[
            "v_add_u32_sdwa {d}, v4, v6 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_0",
            "v_lshlrev_b32_sdwa {d}, v4, v6 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0",
            "v_or_b32_sdwa {d}, v4, v6 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD",
        ],
    ),
    (
        "lanes",
        Gfx900,
        COMMON,
        &[
            "v_readlane_b32 s6, v4, 5",
            "v_readfirstlane_b32 s6, v4",
            "v_writelane_b32 {d}, s4, 5",
            "v_mbcnt_lo_u32_b32 {d}, v4, v6",
            "v_mbcnt_hi_u32_b32 {d}, v4, v6",
        ],
    ),
    (
        "lanes",
        Gfx1100,
        COMMON,
        &[
            "v_permlane16_b32 {d}, v4, s4, s5",
            "v_permlanex16_b32 {d}, v4, s4, s5",
            "v_permlane64_b32 {d}, v4",
            "v_swap_b32 {d}, v4",
        ],
    ),
    (
        "bytes",
        Gfx906,
        COMMON,
        &[
            "v_sad_u8 {d}, v4, v6, v8",
            "v_sad_u32 {d}, v4, v6, v8",
            "v_msad_u8 {d}, v4, v6, v8",
            "v_lerp_u8 {d}, v4, v6, v8",
            "v_dot4_i32_i8 {d}, v4, v6, v8",
            "v_dot8_u32_u4 {d}, v4, v6, v8",
            "v_dot2_i32_i16 {d}, v4, v6, v8",
            "v_dot2_f32_f16 {d}, v12, v13, v18",
        ],
    ),
    (
        "median",
        Gfx900,
        COMMON,
        &[
            "v_med3_f32 {d}, v18, v20, v22",
            "v_med3_i32 {d}, v4, v6, v8",
            "v_min3_f32 {d}, v18, v20, v22",
            "v_max3_u32 {d}, v4, v6, v8",
            "v_med3_f16 {d}, v12, v13, v14",
        ],
    ),
    (
        "dual",
        Gfx1100,
        COMMON,
        &["v_dual_fmac_f32 v32, v18, v21 :: v_dual_mul_f32 v35, v20, v22"],
    ),
    (
        "matrix",
        Gfx942,
        MATRIX,
        &["v_mfma_f32_16x16x16_f16 {d4}, v[12:13], v[14:15], {d4}"],
    ),
    (
        "matrix",
        Gfx90a,
        MATRIX,
        &["v_mfma_f32_16x16x16f16 {d4}, v[12:13], v[14:15], {d4}"],
    ),
];

/// Fills the sources: integers in v4 to v11, halves in v12 to v14, bfloat16 in v15 to v17, f32 in v18
/// to v23, small integers in v24, f64 in v26 to v31, different in each lane.
const PREPARE: &[&str] = &[
    "v_mov_b32 v1, v0",
    "s_mov_b32 s4, 0x12345",
    "s_mov_b32 s5, 0x3fa00000",
    "s_mov_b32 s6, 0x55aa55aa",
    "s_mov_b32 s7, 0x0ff00ff0",
    "v_mul_u32_u24 v4, 0x1357b, v1",
    "v_mul_u32_u24 v5, 0x2468d, v1",
    "v_mul_u32_u24 v6, 0x7a3b1, v1",
    "v_mul_u32_u24 v7, 0x5b3f7, v1",
    "v_mul_u32_u24 v8, 0x49a2d, v1",
    "v_mul_u32_u24 v9, 0x39c25, v1",
    "v_mov_b32 v10, 3",
    "v_mul_u32_u24 v2, 0x10001, v1",
    "v_or_b32 v12, 0x3c003c00, v2",
    "v_or_b32 v13, 0x38003a00, v2",
    "v_or_b32 v14, 0x3e003d00, v2",
    "v_or_b32 v15, 0x3f803f80, v2",
    "v_or_b32 v16, 0x3f003fa0, v2",
    "v_or_b32 v17, 0x40003fc0, v2",
    "v_lshlrev_b32 v2, 12, v1",
    "v_or_b32 v18, 0x3f800000, v2",
    "v_or_b32 v19, 0x3fc00000, v2",
    "v_or_b32 v20, 0x3f400000, v2",
    "v_or_b32 v21, 0x40000000, v2",
    "v_or_b32 v22, 0x40400000, v2",
    "v_or_b32 v23, 0x3e800000, v2",
    "v_and_b32 v24, 7, v1",
    "v_mov_b32 v26, v4",
    "v_or_b32 v27, 0x3ff00000, v1",
    "v_mov_b32 v28, v6",
    "v_or_b32 v29, 0x3fe00000, v1",
    "v_mov_b32 v30, v8",
    "v_or_b32 v31, 0x40080000, v1",
];

/// Copies of the instruction in the loop, and times round.
const COPIES: u32 = 16;
const ROUNDS: u32 = 4096;

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let mut short = 0;
    println!(
        "{:14} {:7} {:>8} {:>6}       instruction",
        "family", "target", "M inst/s", "bar"
    );
    for &(family, target, bar, instructions) in ROWS {
        for &text in instructions {
            let asked = |w: &String| family.contains(w.as_str()) || text.contains(w.as_str());
            if !wanted.is_empty() && !wanted.iter().any(asked) {
                continue;
            }
            match measure(family, target, text) {
                Ok(rate) => {
                    short += usize::from(rate < bar);
                    let verdict = if rate < bar { "SHORT" } else { "" };
                    let name = target.name();
                    println!("{family:14} {name:7} {rate:8.1} {bar:6.1} {verdict:5} {text}");
                }
                Err(why) => {
                    short += 1;
                    println!("{family:14} {:7} {text}: {why}", target.name());
                }
            }
        }
    }
    println!("short of their bar: {short}");
}

/// The code of lines of text.
fn assemble(target: Target, wave_size: u32, lines: &[String]) -> Result<Vec<u8>, String> {
    let mut assembler = LineAssembler::new(target, wave_size);
    let mut code = Vec::new();
    for line in lines {
        let inst = assembler
            .assemble(line)
            .map_err(|e| format!("{line}: {e:?}"))?;
        for word in &inst.words()[..inst.size() / 4] {
            code.extend(word.to_le_bytes());
        }
    }
    Ok(code)
}

/// Processor time of this process: what others do on the machine does not count.
#[cfg(unix)]
fn processor_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes to `time`, which lives until it returns.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(result, 0, "the clock exists");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Time since the first call.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Million instructions a second: the best of several runs, which a busy machine disturbs less.
fn measure(family: &str, target: Target, text: &str) -> Result<f64, String> {
    let body: Vec<String> = (0..COPIES)
        .map(|i| {
            let d = 32 + 4 * (i % 8);
            text.replace("{d}", &format!("v{d}"))
                .replace("{d2}", &format!("v[{d}:{}]", d + 1))
                .replace("{d4}", &format!("v[{d}:{}]", d + 3))
        })
        .collect();
    // Pairs exist for waves of 32 lanes.
    let wave_size = if target.has_wave64() && !text.starts_with("v_dual_") {
        64
    } else {
        32
    };
    let mut lines: Vec<String> = PREPARE.iter().map(|l| (*l).to_owned()).collect();
    if family == FLUSHING {
        lines.push("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0xc".to_owned());
    }
    lines.push(format!("s_mov_b32 s3, {ROUNDS}"));
    let prologue = lines.len();
    lines.extend(body);
    lines.push("s_sub_u32 s3, s3, 1".to_owned());
    lines.push("s_cmp_lg_u32 s3, 0".to_owned());
    let before = assemble(target, wave_size, &lines[..prologue])?;
    let mut code = assemble(target, wave_size, &lines)?;
    // Back to the first copy: dwords from the instruction after the branch.
    let back = (code.len() - before.len()) / 4 + 1;
    lines.clear();
    lines.push(format!("s_cbranch_scc1 {}", 65536 - back));
    lines.push("s_endpgm".to_owned());
    code.extend(assemble(target, wave_size, &lines)?);
    let base = 0x1000;
    let vgprs = 96;
    let registers = Registers { vgprs, agprs: 0 };
    let program = Program::compile(target, wave_size, &code, base, &[], registers);
    let dispatch = Dispatch::of_code(target, wave_size, base, wave_size, 1, registers);
    let memory = GlobalMemory::new();
    let limits = Limits {
        threads: 1,
        ..Limits::default()
    };
    let mut best = Duration::MAX;
    let started = Instant::now();
    let mut runs = 0;
    while runs < 3 || started.elapsed() < Duration::from_millis(60) {
        runs += 1;
        let start = processor_time();
        let scratch = ScratchArena { base: 0, size: 0 };
        let (_, error) = run(
            &dispatch,
            &program,
            &memory,
            scratch,
            &limits,
            Watch::default(),
        );
        if let Some(error) = error {
            return Err(error.to_string());
        }
        best = best.min(processor_time() - start);
    }
    Ok(f64::from(COPIES * ROUNDS) / best.as_secs_f64() / 1e6)
}
