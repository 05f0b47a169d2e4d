//! Whole kernels: the tiled matrix product, a product through matrix instructions, a 64 MiB copy
//! beside memcpy, the project's other programs, and the start of a small kernel. `cargo bench -p waveglass
//! --bench kernels` prints the figures of one run; with `-- matmul`, `-- matrix`, `-- copy`, `-- programs`,
//! `-- threads` or `-- start` it makes that part alone.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};
use waveglass::{Arg, Limits, Module};

fn built(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/kernels/built")
        .join(name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn floats(n: usize, seed: u32) -> Vec<u8> {
    let mut x = seed;
    (0..n)
        .flat_map(|_| {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((x >> 8) as f32 / 16_777_216.0 - 0.5).to_le_bytes()
        })
        .collect()
}

fn limits(threads: usize) -> Limits {
    Limits {
        threads,
        ..Limits::default()
    }
}

fn main() {
    let parts: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|p| p == part);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    for (target, file) in [
        ("gfx900", "matmul.O3.gfx900.hsaco"),
        ("gfx1100", "matmul.O3.hipfb"),
        ("gfx90a", "matmul.O3.hipfb"),
    ] {
        if !wanted("matmul") {
            break;
        }
        matmul(file, target, "matmul_512", [32, 32, 1], threads);
        matmul(file, target, "matmul_512_blocked", [8, 8, 1], threads);
    }
    if wanted("matrix") {
        for target in ["gfx90a", "gfx942", "gfx1100", "gfx1201", "gfx1250"] {
            matrix(target, threads);
        }
    }
    if wanted("copy") {
        for threads in [1, threads] {
            for groups in [1024, 16384] {
                copy(threads, groups);
            }
        }
    }
    if wanted("programs") {
        for target in ["gfx900", "gfx90a", "gfx1100", "gfx1250"] {
            programs(target);
        }
    }
    if wanted("threads") {
        scaling();
    }
    if wanted("start") {
        start();
    }
}

/// Instructions a second of whole programs on one thread, translated and by the handlers alone.
fn programs(target: &str) {
    let buffer = |elements: usize, seed| Arg::Buffer(floats(elements, seed));
    let word = |v: u32| Arg::Value(v.to_le_bytes().to_vec());
    let single = |v: f32| Arg::Value(v.to_le_bytes().to_vec());
    let double = |v: f64| Arg::Value(v.to_le_bytes().to_vec());
    let zeros = |bytes| Arg::Buffer(vec![0; bytes]);
    // Messages of 119 bytes, two blocks each.
    let offsets = (0..=4096u32)
        .flat_map(|i| (119 * i).to_le_bytes())
        .collect();
    let rows = [
        (
            "nbody",
            "nbody_f32",
            [64, 1, 1],
            [64, 1, 1],
            vec![buffer(16384, 1), zeros(65536), word(4096), single(0.01)],
        ),
        (
            "nbody",
            "nbody_f64",
            [16, 1, 1],
            [64, 1, 1],
            vec![doubles(4096), zeros(32768), word(1024), double(0.01)],
        ),
        (
            "mandelbrot",
            "mandelbrot_f64",
            [8, 256, 1],
            [64, 1, 1],
            vec![
                zeros(512 * 256 * 4),
                word(512),
                word(256),
                double(-2.0),
                double(-1.5),
                double(0.006),
                word(500),
            ],
        ),
        (
            "sha256",
            "sha256",
            [64, 1, 1],
            [64, 1, 1],
            vec![
                buffer(4096 * 30, 3),
                Arg::Buffer(offsets),
                zeros(4096 * 32),
                word(4096),
            ],
        ),
        (
            "fft",
            "fft_1024",
            [512, 1, 1],
            [256, 1, 1],
            vec![buffer(1 << 20, 1), zeros(4 << 20), buffer(2048, 2)],
        ),
        (
            "stencil",
            "stencil_9",
            [64, 64, 1],
            [16, 16, 1],
            vec![
                buffer(1 << 20, 1),
                zeros(4 << 20),
                word(1024),
                word(1024),
                single(0.5),
                single(0.1),
                single(0.02),
            ],
        ),
    ];
    for (file, kernel, grid, block, args) in rows {
        let file = built(&format!("{file}.O3.hipfb"));
        let module = Module::load(&file, Some(target)).expect("the module loads");
        let mut best = [Duration::MAX; 2];
        let mut instructions = 0;
        for round in 0..6 {
            let translate = round % 2 == 0;
            let limits = Limits {
                translate,
                ..limits(1)
            };
            let mut launch = module.launch(Some(kernel)).expect("the kernel is there");
            for arg in &args {
                launch = launch.arg(arg.clone());
            }
            let launch = launch.block(block).grid(grid).limits(limits);
            let report = launch.run().expect("the launch fits");
            if let Some(e) = report.error {
                println!("{target} {kernel}: {e}");
                return;
            }
            let best = &mut best[usize::from(!translate)];
            *best = (*best).min(report.time);
            instructions = report.outcome.stats.instructions;
        }
        let [translated, handlers] = best.map(|t| instructions as f64 / t.as_secs_f64() / 1e6);
        println!(
            "{kernel} {target}: {translated:.0} million instructions a second, {handlers:.0} by the handlers alone"
        );
    }
}

/// Doubles between -0.5 and 0.5.
fn doubles(n: usize) -> Arg {
    let singles = floats(n, 5);
    let bytes = singles.chunks(4).flat_map(|x| {
        let x = f32::from_le_bytes([x[0], x[1], x[2], x[3]]);
        f64::from(x).to_le_bytes()
    });
    Arg::Buffer(bytes.collect())
}

/// 1,000 workgroups that transform 1,024 points each, on one thread and on two.
fn scaling() {
    let module = Module::load(&built("fft.O3.hipfb"), Some("gfx900")).expect("the module loads");
    let groups = 1000usize;
    let (points, roots) = (floats(groups * 2048, 1), floats(2048, 2));
    let mut best = [Duration::MAX; 2];
    for _ in 0..7 {
        for threads in [1, 2] {
            let report = module
                .launch(Some("fft_1024"))
                .expect("the kernel is there")
                .block([256, 1, 1])
                .grid([groups as u32, 1, 1])
                .arg(Arg::Buffer(points.clone()))
                .arg(Arg::Buffer(vec![1; points.len()]))
                .arg(Arg::Buffer(roots.clone()))
                .limits(limits(threads))
                .run()
                .expect("the launch fits");
            if let Some(e) = report.error {
                println!("fft_1024: {e}");
                return;
            }
            best[threads - 1] = best[threads - 1].min(report.time);
        }
    }
    let [one, two] = best.map(|t| t.as_secs_f64());
    println!(
        "1000 workgroups of fft_1024: one thread {:.0} ms, two threads {:.0} ms, ratio {:.2}",
        one * 1e3,
        two * 1e3,
        one / two
    );
}

fn matmul(file: &str, target: &str, kernel: &str, grid: [u32; 3], threads: usize) {
    let module = Module::load(&built(file), Some(target)).expect("the module loads");
    let n = 512usize;
    let (a, b) = (floats(n * n, 1), floats(n * n, 2));
    let mut best = [Duration::MAX; 2];
    let mut instructions = 0;
    // Translated, and by the handlers alone.
    for round in 0..6 {
        let translate = round % 2 == 0;
        let limits = Limits {
            translate,
            ..limits(threads)
        };
        let report = module
            .launch(Some(kernel))
            .expect("the kernel is there")
            .block([16, 16, 1])
            .grid(grid)
            .arg(Arg::Buffer(a.clone()))
            .arg(Arg::Buffer(b.clone()))
            .arg(Arg::Buffer(vec![0; n * n * 4]))
            .limits(limits)
            .run()
            .expect("the launch fits");
        if let Some(e) = report.error {
            println!("{target} {kernel}: {e}");
            return;
        }
        let best = &mut best[usize::from(!translate)];
        *best = (*best).min(report.time);
        instructions = report.outcome.stats.instructions;
    }
    let gflops = best.map(|t| 2.0 * (n * n * n) as f64 / t.as_secs_f64() / 1e9);
    println!(
        "{kernel} {target}, {threads} threads: {:.2} GFLOP/s ({:.0} ms, {:.1} million instructions a second), \
         {:.2} by the handlers alone",
        gflops[0],
        best[0].as_secs_f64() * 1e3,
        instructions as f64 / best[0].as_secs_f64() / 1e6,
        gflops[1],
    );
}

/// The f16 product of 1024 x 1024 x 1024 through 16x16x16 (gfx1250: 16x16x32) matrix instructions.
fn matrix(target: &str, threads: usize) {
    let module = Module::load(&built("matrix.O3.hipfb"), Some(target)).expect("the module loads");
    let n = 1024usize;
    // Halves between 0.5 and 1 of either sign.
    let halves = |seed: u32| -> Vec<u8> {
        floats(n * n, seed)
            .chunks(4)
            .flat_map(|x| (0x3800 | u16::from_le_bytes([x[0], x[1]]) & 0x83ff).to_le_bytes())
            .collect()
    };
    let lanes = if target.len() == 6 { 64 } else { 32 };
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let report = module
            .launch(Some("product_f16_1024"))
            .expect("the kernel is there")
            .block([lanes, 1, 1])
            .grid([16, 16, 1])
            .arg(Arg::Buffer(halves(1)))
            .arg(Arg::Buffer(halves(2)))
            .arg(Arg::Buffer(vec![0; n * n * 4]))
            .limits(limits(threads))
            .run()
            .expect("the launch fits");
        if let Some(e) = report.error {
            println!("{target} product_f16_1024: {e}");
            return;
        }
        best = best.min(report.time);
    }
    println!(
        "product_f16_1024 {target}, {threads} threads: {:.0} ms, {:.1} GFLOP/s",
        best.as_secs_f64() * 1e3,
        2.0 * (n * n * n) as f64 / best.as_secs_f64() / 1e9
    );
}

/// `copy_b128` is a grid-stride loop: with 1024 workgroups each work-item copies 16 elements, with
/// 16384 one, and starting the waves is half of the work.
fn copy(threads: usize, groups: u32) {
    let module = Module::load(&built("linear.O3.hipfb"), Some("gfx900")).expect("the module loads");
    let size = 64usize << 20;
    let source = vec![0x5au8; size];
    let mut best = Duration::MAX;
    for _ in 0..7 {
        let report = module
            .launch(Some("copy_b128"))
            .expect("the kernel is there")
            .block([256, 1, 1])
            .grid([groups, 1, 1])
            .arg(Arg::Buffer(source.clone()))
            .arg(Arg::Buffer(vec![1; size])) // touched, as memcpy's target is
            .arg(Arg::Value(((size / 16) as u32).to_le_bytes().to_vec()))
            .limits(limits(threads))
            .run()
            .expect("the launch fits");
        if let Some(e) = report.error {
            println!("copy: {e}");
            return;
        }
        best = best.min(report.time);
    }
    let mut target = vec![0u8; size];
    let mut memcpy = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        black_box(&mut target).copy_from_slice(black_box(&source));
        memcpy = memcpy.min(start.elapsed());
    }
    println!(
        "copy of 64 MiB, {groups} workgroups, {threads} threads: {:.1} GB/s, memcpy {:.1} GB/s, ratio {:.2}",
        size as f64 / best.as_secs_f64() / 1e9,
        size as f64 / memcpy.as_secs_f64() / 1e9,
        memcpy.as_secs_f64() / best.as_secs_f64()
    );
}

/// From the file's bytes to the end of a kernel of one wave: reading, compiling, running.
fn start() {
    let file = built("linear.O3.hipfb");
    let mut best = Duration::MAX;
    for _ in 0..10 {
        let begin = Instant::now();
        let module = Module::load(&file, Some("gfx900")).expect("the module loads");
        let report = module
            .launch(Some("copy_b128"))
            .expect("the kernel is there")
            .block([64, 1, 1])
            .grid([1, 1, 1])
            .arg(Arg::Buffer(vec![0; 1024]))
            .arg(Arg::Buffer(vec![0; 1024]))
            .arg(Arg::Value(64u32.to_le_bytes().to_vec()))
            .limits(limits(1))
            .run()
            .expect("the launch fits");
        black_box(report);
        best = best.min(begin.elapsed());
    }
    println!(
        "reading a fat binary, compiling and running one wave: {:.2} ms",
        best.as_secs_f64() * 1e3
    );
}
