//! Disassembling beside LLVM, over the instructions of compilers' output.

use crate::bench_asm::{instructions_of, read};
use anyhow::{Result, ensure};
use std::process::{Command, Stdio};
use std::time::Instant;
use waveglass_isa::Target;

/// Instructions of the code object, so that the start of a process counts for little.
const INSTRUCTIONS: usize = 200_000;

/// Times `waveglass dis` and `llvm-objdump-22 -d` over one code object with all instructions of
/// some sources.
pub(crate) fn run(target: Target, waveglass: &str, paths: &[&str]) -> Result<()> {
    let mut instructions = String::new();
    for path in paths {
        instructions_of(&read(path)?, &mut instructions);
    }
    let count = instructions.lines().count();
    let body = instructions.repeat(INSTRUCTIONS.div_ceil(count.max(1)));
    let lines = body.lines().count() as f64;
    let source = format!(".globl f\n.type f,@function\nf:\n{body}.size f, .-f\n");
    let folder = std::env::temp_dir().join(format!("waveglass-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let (s, o, so) = (
        folder.join("s.s"),
        folder.join("s.o"),
        folder.join("s.hsaco"),
    );
    std::fs::write(&s, source)?;
    let run = |command: &mut Command| -> Result<()> {
        let status = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        ensure!(status.success(), "{command:?} fails");
        Ok(())
    };
    run(Command::new("llvm-mc-22")
        .args(["--triple=amdgcn-amd-amdhsa", "-filetype=obj", "-o"])
        .args([&o, &s])
        .arg(format!("-mcpu={target}")))?;
    run(Command::new("ld.lld-22")
        .args(["-shared", "-o"])
        .args([&so, &o]))?;
    let ours = best(3, || run(Command::new(waveglass).arg("dis").arg(&so)))?;
    let llvm = best(3, || {
        run(Command::new("llvm-objdump-22").arg("-d").arg(&so))
    })?;
    std::fs::remove_dir_all(&folder)?;
    println!(
        "{target}: {lines:.0} instructions: waveglass dis {ours:.3} s, llvm-objdump {llvm:.3} s, {:.1} times",
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
