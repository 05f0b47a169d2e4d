//! Assembling beside LLVM, in one run over the same source.

use anyhow::{Context, Result, ensure};
use std::hint::black_box;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::Instant;
use waveglass_asm::{AssembleOptions, assemble};
use waveglass_isa::Target;

/// Lines that LLVM gets, so that its start counts for little.
const LINES: usize = 400_000;

/// Times the assembler and `llvm-mc-22` over a compiler's output, whole and as its instructions
/// alone; prints lines a second.
pub(crate) fn run(target: Target, paths: &[&str]) -> Result<()> {
    let mut whole = Vec::new();
    let mut instructions = String::new();
    for path in paths {
        let source = read(path)?;
        instructions_of(&source, &mut instructions);
        whole.push(source);
    }
    let lines: usize = whole.iter().map(|s| s.lines().count()).sum();
    ensure!(lines > 0, "no lines in {}", paths.join(", "));
    // LLVM's start is taken off: a source without lines costs as much.
    let empty = llvm(target, &[String::new()])?;
    let times = 1 + LINES / lines / 4;
    let many: Vec<String> = (0..times).flat_map(|_| whole.iter().cloned()).collect();
    let ours = ours(target, &many)?;
    let llvms = llvm(target, &many)? - empty * many.len() as f64;
    report(target, "whole files", (lines * times) as f64, ours, llvms);
    let count = instructions.lines().count();
    let text = [instructions.repeat(LINES.div_ceil(count.max(1)))];
    let lines = text[0].lines().count() as f64;
    let ours = self::ours(target, &text)?;
    report(
        target,
        "instructions",
        lines,
        ours,
        llvm(target, &text)? - empty,
    );
    Ok(())
}

fn report(target: Target, what: &str, lines: f64, ours: f64, llvm: f64) {
    println!(
        "{target}: {what}: {:.0} lines/s, llvm-mc {:.0} lines/s, {:.1} times",
        lines / ours,
        lines / llvm,
        llvm / ours
    );
}

/// A source, compressed or not.
pub(crate) fn read(path: &str) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("reading {path}"))?;
    if !path.ends_with(".gz") {
        return Ok(String::from_utf8(bytes)?);
    }
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text)?;
    Ok(text)
}

/// The lines that hold nothing but an instruction.
pub(crate) fn instructions_of(source: &str, out: &mut String) {
    for line in source.lines() {
        let text = line.trim_start();
        let instruction = line.starts_with('\t')
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && !text.contains('@')
            && !text.contains("branch");
        if instruction {
            out.push_str(line);
            out.push('\n');
        }
    }
}

fn ours(target: Target, sources: &[String]) -> Result<f64> {
    let options = AssembleOptions::default();
    best(3, || {
        for s in sources {
            black_box(assemble(s, target, &options).map_err(|d| anyhow::anyhow!("{d}"))?);
        }
        Ok(())
    })
}

fn llvm(target: Target, sources: &[String]) -> Result<f64> {
    let folder = std::env::temp_dir().join(format!("waveglass-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let mut seconds = 0.0;
    // The same source is written once and timed as often as it is there.
    let mut seen: Vec<(&String, f64)> = Vec::new();
    for s in sources {
        if let Some((_, time)) = seen.iter().find(|(known, _)| *known == s) {
            seconds += time;
            continue;
        }
        let file = folder.join("source.s");
        std::fs::write(&file, s)?;
        let time = best(3, || {
            let status = Command::new("llvm-mc-22")
                .args([
                    "--triple=amdgcn-amd-amdhsa",
                    "-filetype=obj",
                    "-o",
                    "/dev/null",
                ])
                .arg(format!("-mcpu={target}"))
                .arg(&file)
                .stderr(Stdio::null())
                .status()
                .context("starting llvm-mc-22")?;
            ensure!(status.success(), "llvm-mc-22 rejects the source");
            Ok(())
        })?;
        seen.push((s, time));
        seconds += time;
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(seconds)
}

/// The shortest of several runs in seconds.
fn best(runs: u32, mut f: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut least = f64::MAX;
    for _ in 0..runs {
        let start = Instant::now();
        f()?;
        least = least.min(start.elapsed().as_secs_f64());
    }
    Ok(least)
}
