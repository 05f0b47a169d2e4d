//! Disassembling whole code objects beside `llvm-objdump`.

use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use waveglass_isa::Target;

use crate::bench_asm::{instructions_of, read};

/// Instructions of the large object, in which the start of a process counts for little.
const LARGE: usize = 200_000;
/// Instructions of the small one, in which little else counts.
const SMALL: usize = 100;
/// Runs of either program, one after the other; the shortest counts.
const ROUNDS: u32 = 7;

/// Times `waveglass dis` and `llvm-objdump-22 -d` over two code objects for each target: a large
/// one with all instructions of some sources, again and again, and a small one. Of the sources
/// those are a target's that have its name in theirs.
pub(crate) fn run(targets: &[Target], waveglass: &str, paths: &[&str]) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("waveglass-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let done = targets
        .iter()
        .try_for_each(|&t| of_target(t, waveglass, paths, &folder));
    std::fs::remove_dir_all(&folder)?;
    done
}

fn of_target(target: Target, waveglass: &str, paths: &[&str], folder: &Path) -> Result<()> {
    // Chips of one family take the code of the one that there are sources for.
    let sources = match target {
        Target::Gfx1200 => Target::Gfx1201,
        Target::Gfx1251 => Target::Gfx1250,
        t => t,
    };
    let mut instructions = String::new();
    for path in paths {
        let own = |t: Target| path.contains(&format!(".{t}."));
        if own(target) || own(sources) || !Target::ALL.iter().any(|&t| own(t)) {
            instructions_of(&read(path)?, &mut instructions);
        }
    }
    let count = instructions.lines().count();
    ensure!(count > 0, "no source for {target}");
    let large = instructions.repeat(LARGE.div_ceil(count));
    let small: String = instructions.split_inclusive('\n').take(SMALL).collect();
    for body in [large, small] {
        let object = build(target, &body, folder)?;
        let (mut ours, mut llvm) = (f64::MAX, f64::MAX);
        for _ in 0..ROUNDS {
            ours = ours.min(time(Command::new(waveglass).arg("dis").arg(&object))?);
            llvm = llvm.min(time(
                Command::new("llvm-objdump-22").arg("-d").arg(&object),
            )?);
        }
        println!(
            "{target}: {} instructions: waveglass dis {:.1} ms, llvm-objdump {:.1} ms, {:.1} times",
            body.lines().count(),
            ours * 1e3,
            llvm * 1e3,
            llvm / ours
        );
    }
    Ok(())
}

/// A code object with one function, made by LLVM.
fn build(target: Target, body: &str, folder: &Path) -> Result<PathBuf> {
    let [source, object, linked] = ["s.s", "s.o", "s.hsaco"].map(|n| folder.join(n));
    let text = format!(".globl f\n.type f,@function\nf:\n{body}.size f, .-f\n");
    std::fs::write(&source, text)?;
    time(
        Command::new("llvm-mc-22")
            .args(["--triple=amdgcn-amd-amdhsa", "-filetype=obj", "-o"])
            .args([&object, &source])
            .arg(format!("-mcpu={target}")),
    )?;
    time(
        Command::new("ld.lld-22")
            .args(["-shared", "-o"])
            .args([&linked, &object]),
    )?;
    Ok(linked)
}

/// How many seconds a command takes.
fn time(command: &mut Command) -> Result<f64> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command
        .status()
        .with_context(|| format!("starting {command:?}"))?;
    ensure!(status.success(), "{command:?} fails");
    Ok(start.elapsed().as_secs_f64())
}
