//! Vector ALU instructions a second on one core, beside a plain loop over arrays.
//!
//! `cargo bench -p waveglass-exec` prints both figures of one run and their ratio.

use std::hint::black_box;
use std::time::Instant;
use waveglass_exec::{Dispatch, Limits, Program, Registers, ScratchArena, Watch, run};
use waveglass_isa::Target;
use waveglass_mem::GlobalMemory;

/// gfx900: 262,144 times eight `v_fma_f32` and eight `v_add_u32` on different registers, then
/// `s_sub_u32`, `s_cmp_lg_u32`, `s_cbranch_scc1`; `s_endpgm`.
const LOOP: &str = "ff0084be000004000100cbd102070604050908680600cbd102071a04050f0e680800cbd102072204051312680a00cbd102072a04051716680c00cbd102073204051b1a680e00cbd102073a04051f1e681000cbd102074204052322681200cbd102074a040527266804818480048007bfe5ff85bf000081bf";

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2)
        .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex digits"))
        .collect()
}

fn main() {
    let code = bytes(LOOP);
    let base = 0x1000;
    let registers = Registers {
        vgprs: 24,
        agprs: 0,
    };
    let program = Program::compile(Target::Gfx900, 64, &code, base, &[], registers);
    let dispatch = Dispatch::of_code(Target::Gfx900, 64, base, 64, 1, registers);
    let memory = GlobalMemory::new();
    let rate = |translate: bool| {
        let limits = Limits {
            threads: 1,
            translate,
            ..Limits::default()
        };
        let start = Instant::now();
        let (outcome, error) = run(
            &dispatch,
            &program,
            &memory,
            ScratchArena { base: 0, size: 0 },
            &limits,
            Watch::default(),
        );
        assert!(error.is_none(), "{error:?}");
        outcome.stats.instructions as f64 / start.elapsed().as_secs_f64()
    };
    let (mut best, mut handlers) = (0.0f64, 0.0f64);
    for _ in 0..5 {
        best = best.max(rate(true));
        handlers = handlers.max(rate(false));
    }
    let plain = plain_loop();
    println!(
        "wave64 instructions a second, one core: {:.1} million",
        best / 1e6
    );
    println!(
        "by the handlers alone:                  {:.1} million",
        handlers / 1e6
    );
    println!(
        "plain array loop, the same arithmetic:  {:.1} million",
        plain / 1e6
    );
    println!("ratio: {:.2}", best / plain);
}

/// The same operations as loops over arrays of 64 lanes.
fn plain_loop() -> f64 {
    let (b, c) = ([1.5f32; 64], [0.25f32; 64]);
    let k = [3u32; 64];
    let mut f = [[0.0f32; 64]; 8];
    let mut u = [[0u32; 64]; 8];
    let rounds = 1 << 17;
    let mut best = 0.0f64;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..rounds {
            for r in 0..8 {
                let (b, c, k) = (black_box(&b), black_box(&c), black_box(&k));
                for i in 0..64 {
                    f[r][i] += b[i] * c[i];
                }
                for i in 0..64 {
                    u[r][i] = u[r][i].wrapping_add(k[i]);
                }
            }
            black_box((&mut f, &mut u));
        }
        best = best.max((rounds * 16) as f64 / start.elapsed().as_secs_f64());
    }
    best
}
