//! Assembling beside LLVM, in one run over the same source.

use anyhow::{Context, Result, ensure};
use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::Instant;
use waveglass_asm::{AssembleOptions, assemble};
use waveglass_isa::Target;

/// Lines that LLVM gets, so that its start counts for little.
const LINES: usize = 400_000;

/// Times the assembler over a compiler's output, whole and as its instructions alone, and
/// `llvm-mc-22` over the same instructions; prints lines a second.
pub(crate) fn run(target: Target, paths: &[&str]) -> Result<()> {
    let (mut whole_lines, mut whole_seconds) = (0, 0.0);
    let mut instructions = String::new();
    let options = AssembleOptions::default();
    for path in paths {
        let source = std::fs::read_to_string(path).with_context(|| format!("reading {path}"))?;
        whole_lines += source.lines().count();
        whole_seconds += best(3, || {
            assemble(&source, target, &options)
                .map(|a| {
                    black_box(a);
                })
                .map_err(|d| anyhow::anyhow!("{path}:\n{d}"))
        })?;
        for line in source.lines() {
            let text = line.trim_start();
            let instruction = line.starts_with('\t')
                && text.starts_with(|c: char| c.is_ascii_lowercase())
                && !text.contains('@')
                && !text.contains("branch");
            if instruction {
                instructions.push_str(line);
                instructions.push('\n');
            }
        }
    }
    let count = instructions.lines().count();
    ensure!(count > 0, "no instructions in {}", paths.join(", "));
    let text = instructions.repeat(LINES.div_ceil(count));
    let lines = text.lines().count() as f64;
    let ours = best(3, || {
        assemble(&text, target, &options)
            .map(|a| {
                black_box(a);
            })
            .map_err(|d| anyhow::anyhow!("{d}"))
    })?;
    let file = std::env::temp_dir().join(format!("waveglass-bench-{}.s", std::process::id()));
    std::fs::write(&file, &text)?;
    let llvm = best(3, || {
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
    });
    std::fs::remove_file(&file)?;
    let llvm = llvm?;
    println!(
        "{target}: compiler output {:.0} lines/s",
        whole_lines as f64 / whole_seconds
    );
    println!(
        "{target}: instructions {:.0} lines/s, llvm-mc {:.0} lines/s, {:.1} times",
        lines / ours,
        lines / llvm,
        llvm / ours
    );
    Ok(())
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
