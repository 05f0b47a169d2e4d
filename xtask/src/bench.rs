//! Decoding and printing against LLVM, in one run over the same code.

use crate::compare::features;
use crate::llvm::Llvm;
use anyhow::{Context, Result, ensure};
use std::hint::black_box;
use std::time::Instant;
use waveglass_asm::{PrintOptions, print};
use waveglass_isa::{Decoder, Target};

/// Times decode, print and LLVM over the code of a file (`.text` of a code object, or raw code),
/// repeated, and prints instructions a second.
pub(crate) fn run(target: Target, path: &str) -> Result<()> {
    let file = std::fs::read(path).with_context(|| format!("reading {path}"))?;
    let code = text_of(&file).unwrap_or(&file);
    let decoder = Decoder::new(target);
    let mut starts = Vec::new();
    let mut at = 0;
    while at + 4 <= code.len() {
        match decoder.decode(&code[at..]) {
            Ok(inst) => {
                starts.push(at);
                at += inst.size();
            }
            Err(_) => at += 4,
        }
    }
    ensure!(!starts.is_empty(), "{path} has no {target} code");
    let repeat = 4_000_000 / starts.len() + 1;
    let n = (starts.len() * repeat) as f64;

    let best = |f: &mut dyn FnMut()| {
        (0..3)
            .map(|_| {
                let t = Instant::now();
                f();
                t.elapsed().as_secs_f64()
            })
            .fold(f64::MAX, f64::min)
    };
    let decode = best(&mut || {
        for _ in 0..repeat {
            for &at in &starts {
                let _ = black_box(decoder.decode(black_box(&code[at..])));
            }
        }
    });
    let options = PrintOptions::default();
    let mut out = String::with_capacity(1 << 16);
    let both = best(&mut || {
        for _ in 0..repeat {
            for &at in &starts {
                if out.len() > 60_000 {
                    out.clear();
                }
                if let Ok(inst) = decoder.decode(black_box(&code[at..])) {
                    print(&inst, &options, &mut out);
                }
            }
            black_box(&out);
        }
    });
    let llvm = Llvm::load()?;
    let dis = llvm.disassembler(
        target.name(),
        &features(target, target.default_wave_size(), true),
    )?;
    let few = (400_000 / starts.len()).max(1);
    let theirs = best(&mut || {
        for _ in 0..few {
            for &at in &starts {
                black_box(dis.one(&code[at..]));
            }
        }
    }) * repeat as f64
        / few as f64;
    let rate = |s: f64| n / s / 1e6;
    println!(
        "{target} {} instructions: decode {:.1} M/s ({:.1}x LLVM), decode and print {:.1} M/s ({:.1}x), LLVM {:.2} M/s",
        starts.len(),
        rate(decode),
        theirs / decode,
        rate(both),
        theirs / both,
        rate(theirs)
    );
    Ok(())
}

/// The `.text` section of a 64-bit little-endian ELF file.
fn text_of(file: &[u8]) -> Option<&[u8]> {
    let u64_at = |at: usize| {
        file.get(at..at + 8)
            .and_then(|b| Some(u64::from_le_bytes(b.try_into().ok()?) as usize))
    };
    let u32_at = |at: usize| {
        file.get(at..at + 4)
            .and_then(|b| Some(u32::from_le_bytes(b.try_into().ok()?) as usize))
    };
    if !file.starts_with(b"\x7fELF") {
        return None;
    }
    let sections = u64_at(40)?;
    let count = *file.get(60)? as usize | (*file.get(61)? as usize) << 8;
    (0..count).find_map(|i| {
        let s = sections + 64 * i;
        // Code is allocated and executable, and has bits in the file.
        (u32_at(s + 4)? == 1 && u64_at(s + 8)? & 4 != 0)
            .then(|| {
                let start = u64_at(s + 24)?;
                file.get(start..start + u64_at(s + 32)?)
            })
            .flatten()
    })
}
