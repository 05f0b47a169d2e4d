//! Matrix instructions a second on one core.
//!
//! `cargo bench -p waveglass-exec --bench matrix` prints a line an instruction: millions of
//! instructions a second and billions of multiply-adds a second.

use std::time::Instant;
use waveglass_exec::{Dispatch, Limits, Program, Registers, ScratchArena, Watch, run};
use waveglass_isa::Target;
use waveglass_mem::GlobalMemory;

/// What, target, wave size, multiply-adds an instruction, code: 32,768 times eight of the
/// instruction on different accumulators, then `s_sub_u32`, `s_cmp_lg_u32`, `s_cbranch_scc1`.
const LOOPS: &[(&str, Target, u32, u64, &str)] = &[
    (
        "v_mfma_f32_16x16x16_f16",
        Target::Gfx942,
        64,
        4096,
        "ff0084be008000002000cdd3000582042400cdd3000592042800cdd30005a2042c00cdd30005b2043000cdd30005c2043400cdd30005d2043800cdd30005e2043c00cdd30005f20404818480048007bfedff85bf000081bf",
    ),
    (
        "v_mfma_f32_32x32x8_f16",
        Target::Gfx942,
        64,
        8192,
        "ff0084be008000002000ccd3000582043000ccd30005c2044000ccd3000502055000ccd3000542052000ccd3000582043000ccd30005c2044000ccd3000502055000ccd30005420504818480048007bfedff85bf000081bf",
    ),
    (
        "v_mfma_f32_16x16x32_fp8_fp8",
        Target::Gfx942,
        64,
        8192,
        "ff0084be008000002000f3d3000582042400f3d3000592042800f3d30005a2042c00f3d30005b2043000f3d30005c2043400f3d30005d2043800f3d30005e2043c00f3d30005f20404818480048007bfedff85bf000081bf",
    ),
    (
        "v_mfma_i32_16x16x32_i8",
        Target::Gfx942,
        64,
        8192,
        "ff0084be008000002000d7d3000582042400d7d3000592042800d7d30005a2042c00d7d30005b2043000d7d30005c2043400d7d30005d2043800d7d30005e2043c00d7d30005f20404818480048007bfedff85bf000081bf",
    ),
    (
        "v_mfma_f64_16x16x4_f64",
        Target::Gfx942,
        64,
        1024,
        "ff0084be008000002000eed3000582042800eed30005a2043000eed30005c2043800eed30005e2044000eed3000502054800eed3000522055000eed3000542055800eed30005620504818480048007bfedff85bf000081bf",
    ),
    (
        "v_mfma_scale_f32_16x16x128_f8f6f4 (fp8)",
        Target::Gfx950,
        64,
        32768,
        "ff0084be008000000000acd3102302002008add3001182040000acd3102302002408add3001192040000acd3102302002808add30011a2040000acd3102302002c08add30011b2040000acd3102302003008add30011c2040000acd3102302003408add30011d2040000acd3102302003808add30011e2040000acd3102302003c08add30011f20404818480048007bfddff85bf000081bf",
    ),
    (
        "v_wmma_f32_16x16x16_f16",
        Target::Gfx1100,
        32,
        4096,
        "ff0084be00800000204040cc0011821c284040cc0011a21c304040cc0011c21c384040cc0011e21c404040cc0011021d484040cc0011221d504040cc0011421d584040cc0011621d04818480048007bfedffa2bf0000b0bf",
    ),
    (
        "v_wmma_f32_16x16x16_f16",
        Target::Gfx1200,
        32,
        4096,
        "ff0084be00800000204040cc0011821c284040cc0011a21c304040cc0011c21c384040cc0011e21c404040cc0011021d484040cc0011221d504040cc0011421d584040cc0011621d04818480048007bfedffa2bf0000b0bf",
    ),
    (
        "v_wmma_f32_16x16x32_f16",
        Target::Gfx1250,
        32,
        8192,
        "ff0084be00800000200060cc0011821c280060cc0011a21c300060cc0011c21c380060cc0011e21c400060cc0011021d480060cc0011221d500060cc0011421d580060cc0011621d04818480048007bfedffa2bf0000b0bf",
    ),
];

fn main() {
    println!(
        "{:44} {:>10} {:>12}",
        "instruction", "M inst/s", "G mul-add/s"
    );
    for &(name, target, wave_size, work, hex) in LOOPS {
        let rate = measure(target, wave_size, hex);
        println!(
            "{:44} {:10.2} {:12.1}",
            format!("{name} {}", target.name()),
            rate / 1e6,
            rate * work as f64 / 1e9
        );
    }
}

/// Matrix instructions a second.
fn measure(target: Target, wave_size: u32, hex: &str) -> f64 {
    let code: Vec<u8> = (0..hex.len() / 2)
        .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex digits"))
        .collect();
    let base = 0x1000;
    let registers = Registers {
        vgprs: 112,
        agprs: 0,
    };
    let program = Program::compile(target, wave_size, &code, base, &[], registers);
    let dispatch = Dispatch::of_code(target, wave_size, base, wave_size, 1, registers);
    let memory = GlobalMemory::new();
    let limits = Limits {
        threads: 1,
        ..Limits::default()
    };
    let mut best = 0.0f64;
    for _ in 0..5 {
        let start = Instant::now();
        let scratch = ScratchArena { base: 0, size: 0 };
        let (outcome, error) = run(
            &dispatch,
            &program,
            &memory,
            scratch,
            &limits,
            Watch::default(),
        );
        let seconds = start.elapsed().as_secs_f64();
        assert!(error.is_none(), "{error:?}");
        best = best.max(outcome.stats.instructions as f64 / 11.0 * 8.0 / seconds);
    }
    best
}
