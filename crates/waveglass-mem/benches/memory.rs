//! Speed of whole-wave accesses, as ratios to plain host code that is measured in the same run.
//!
//! `cargo bench -p waveglass-mem` prints one line a measurement. Global accesses are compared with
//! memcpy over the same bytes (contiguous) or with a plain scalar loop over the same addresses (strided,
//! random); LDS accesses are in millions of wave64 instructions a second.

use std::hint::black_box;
use std::time::{Duration, Instant};

use waveglass_mem::{
    Element, Generation, GlobalMemory, Lanes, Lds, Permission, Port, Row, Rules, ScratchWindow,
};

const BASE: u64 = 0x10_0000_0000;
const SIZE: usize = 64 << 20;

/// The best of several runs: the machine's other work only ever adds time.
fn best(mut run: impl FnMut()) -> Duration {
    run();
    (0..5)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn ratio(what: &str, ours: Duration, theirs: Duration, target: f64) {
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    let verdict = if ratio <= target { "ok" } else { "MISSED" };
    println!("{what:<44} {ratio:6.2} x the host's time (target {target}) {verdict}");
}

fn rate(what: &str, count: usize, time: Duration, target: f64) {
    let rate = count as f64 / time.as_secs_f64() / 1e6;
    let verdict = if rate >= target { "ok" } else { "MISSED" };
    println!("{what:<44} {rate:6.1} million a second (target {target}) {verdict}");
}

fn contiguous(memory: &GlobalMemory) {
    let source = vec![1u8; SIZE];
    let mut target = vec![0u8; SIZE];
    let memcpy = best(|| black_box(&mut target[..]).copy_from_slice(black_box(&source)));
    for element in [Element::B32, Element::B64, Element::B96, Element::B128] {
        let step = u64::from(element.bytes());
        let waves = SIZE as u64 / (64 * step);
        let mut port = Port::new(Rules::new(Generation::Gcn5));
        let mut rows: Vec<Row> = vec![[0; 32]; 2 * element.dwords()];
        let mut addresses = [0u64; 64];
        let mut each = |port: &mut Port, run: &mut dyn FnMut(Lanes<'_, u64>, &mut Port)| {
            for wave in 0..waves {
                let start = BASE + wave * 64 * step;
                for (lane, address) in addresses.iter_mut().enumerate() {
                    *address = start + lane as u64 * step;
                }
                run(Lanes::new(black_box(&addresses), u64::MAX), port);
            }
        };
        let load = best(|| {
            each(&mut port, &mut |lanes, port| {
                memory.load(lanes, element, black_box(&mut rows), port);
            });
        });
        ratio(&format!("load {element:?}, contiguous"), load, memcpy, 3.0);
        let store = best(|| {
            each(&mut port, &mut |lanes, port| {
                memory.store(lanes, element, black_box(&rows), port);
            });
        });
        ratio(
            &format!("store {element:?}, contiguous"),
            store,
            memcpy,
            3.0,
        );
        assert!(port.faults.is_empty());
    }
}

fn gather(memory: &GlobalMemory, what: &str, span: usize, next: impl Fn(usize) -> usize) {
    let count = 1 << 20;
    let indices: Vec<usize> = (0..count).map(|i| next(i) % span).collect();
    let addresses: Vec<u64> = indices.iter().map(|i| BASE + *i as u64 * 4).collect();
    let host = vec![1u32; span];
    let mut out = vec![0u32; count];
    let plain = best(|| {
        for (out, index) in out.iter_mut().zip(black_box(&indices)) {
            *out = host[*index];
        }
        black_box(&mut out);
    });
    let mut port = Port::new(Rules::new(Generation::Gcn5));
    let mut rows: [Row; 2] = [[0; 32]; 2];
    let ours = best(|| {
        for wave in addresses.chunks_exact(64) {
            let lanes = Lanes::new(black_box(wave), u64::MAX);
            memory.load(lanes, Element::B32, black_box(&mut rows), &mut port);
        }
    });
    ratio(&format!("load B32, {what}"), ours, plain, 2.0);
    let mut host = host;
    let plain = best(|| {
        for (value, index) in out.iter().zip(black_box(&indices)) {
            host[*index] = *value;
        }
        black_box(&mut host);
    });
    let ours = best(|| {
        for wave in addresses.chunks_exact(64) {
            let lanes = Lanes::new(black_box(wave), u64::MAX);
            memory.store(lanes, Element::B32, black_box(&rows), &mut port);
        }
    });
    ratio(&format!("store B32, {what}"), ours, plain, 2.0);
    assert!(port.faults.is_empty());
}

fn lds() {
    let mut lds = Lds::new(64 << 10);
    let mut port = Port::new(Rules::new(Generation::Gcn5));
    let mut rows: Vec<Row> = vec![[0; 32]; 8];
    let count = 2_000_000;
    let straight: Vec<u32> = (0..64).map(|l| l * 4).collect();
    let scattered: Vec<u32> = (0..64).map(|l| l * 7919 % 4096 * 4).collect();
    // What this machine, as busy as it is, does without any model.
    let host = vec![1u32; 16 << 10];
    let mut out = [0u32; 64];
    let plain = best(|| {
        for _ in 0..count {
            for (out, offset) in black_box(&mut out).iter_mut().zip(black_box(&scattered)) {
                *out = host[*offset as usize / 4];
            }
        }
    });
    rate("(plain loop over the scattered offsets)", count, plain, 0.0);
    for (what, offsets, element, target) in [
        ("LDS load B32, contiguous", &straight, Element::B32, 30.0),
        ("LDS load B32, scattered", &scattered, Element::B32, 30.0),
        ("LDS load B128, scattered", &scattered, Element::B128, 0.0),
    ] {
        let time = best(|| {
            for _ in 0..count {
                let lanes = Lanes::new(black_box(offsets), u64::MAX);
                lds.load(lanes, element, black_box(&mut rows), &mut port);
            }
        });
        rate(what, count, time, target);
    }
    let half = best(|| {
        for _ in 0..count {
            let lanes = Lanes::new(black_box(&scattered), 0x5555_5555_5555_5555);
            lds.load(lanes, Element::B32, black_box(&mut rows), &mut port);
        }
    });
    rate("LDS load B32, every other lane", count, half, 0.0);
    let store = best(|| {
        for _ in 0..count {
            let lanes = Lanes::new(black_box(&scattered), u64::MAX);
            lds.store(lanes, Element::B32, black_box(&rows), &mut port);
        }
    });
    rate("LDS store B32, scattered", count, store, 0.0);
}

fn scratch(memory: &GlobalMemory) {
    let window = ScratchWindow {
        base: BASE,
        size: 4096,
        wave_size: 64,
    };
    let mut port = Port::new(Rules::new(Generation::Gcn5));
    let mut rows: Vec<Row> = vec![[0; 32]; 2];
    let count = 1_000_000;
    let offsets = [64i64; 64];
    let time = best(|| {
        for _ in 0..count {
            let lanes = Lanes::new(black_box(&offsets[..]), u64::MAX);
            window.load(memory, lanes, Element::B32, black_box(&mut rows), &mut port);
        }
    });
    rate("scratch load B32, one offset", count, time, 0.0);
}

fn main() {
    let mut memory = GlobalMemory::new();
    let name = "benchmark";
    if let Err(error) = memory.map_bytes(BASE, &vec![1; SIZE], Permission::ReadWrite, name) {
        eprintln!("{error}");
        return;
    }
    contiguous(&memory);
    gather(&memory, "stride 16, in cache", 1 << 16, |i| i * 16);
    gather(&memory, "random, in cache", 1 << 16, |i| {
        i.wrapping_mul(0x9e37_79b9) >> 7
    });
    gather(&memory, "random, 64 MiB", SIZE / 4, |i| {
        i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
    });
    lds();
    scratch(&memory);
}
