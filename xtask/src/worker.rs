//! LLVM in a process of its own: it crashes on some malformed operands, and the comparison goes on.

use crate::llvm::Llvm;
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

/// What LLVM makes of one instruction's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Text and size.
    Text(String, usize),
    /// LLVM finds no instruction.
    None,
    /// LLVM dies of it.
    Crash,
}

/// The worker: 20 bytes an instruction on standard input, a line each on standard output. A child
/// of its own answers until LLVM dies in it, and the next one goes on behind the sample: that is
/// much quicker than loading LLVM again.
pub(crate) fn serve(cpu: &str, features: &str) -> Result<()> {
    let llvm = Llvm::load()?;
    let dis = llvm.disassembler(cpu, features)?;
    let mut input = Vec::new();
    std::io::stdin().lock().read_to_end(&mut input)?;
    let samples: Vec<&[u8]> = input.chunks_exact(20).collect();
    let mut out = std::io::stdout().lock();
    let mut done = 0;
    while done < samples.len() {
        let (reader, mut writer) = std::io::pipe()?;
        // SAFETY: this process has one thread, so that the child may go on with all of it.
        let child = unsafe { libc::fork() };
        anyhow::ensure!(child >= 0, "fork: {}", std::io::Error::last_os_error());
        if child == 0 {
            drop(reader);
            let mut failed = false;
            for b in &samples[done..] {
                let answer = match dis.one(b) {
                    Some((text, n)) => format!("{n}\t{text}\n"),
                    None => "-\n".to_owned(),
                };
                failed |= writer.write_all(answer.as_bytes()).is_err();
            }
            // SAFETY: ends the child without the parent's clean-up.
            unsafe { libc::_exit(i32::from(failed)) }
        }
        drop(writer);
        for line in BufReader::new(reader).lines() {
            writeln!(out, "{}", line?)?;
            done += 1;
        }
        let mut status = 0;
        // SAFETY: `child` is this process's own and `status` outlives the call.
        unsafe { libc::waitpid(child, &mut status, 0) };
        if libc::WIFSIGNALED(status) && done < samples.len() {
            writeln!(out, "!")?;
            done += 1;
        } else {
            anyhow::ensure!(done == samples.len(), "the child ended early: {status:#x}");
        }
    }
    Ok(())
}

/// LLVM's answers for all `samples`.
pub(crate) fn ask(cpu: &str, features: &str, samples: &[[u8; 20]]) -> Result<Vec<Answer>> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["llvm-worker", cpu, features])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("starting the LLVM worker")?;
    let mut stdin = child.stdin.take().context("the worker's input")?;
    let input = samples.concat();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let stdout = child.stdout.take().context("the worker's output")?;
    let mut answers = Vec::with_capacity(samples.len());
    for line in BufReader::new(stdout).lines() {
        let line = line?;
        answers.push(match line.split_once('\t') {
            Some((n, text)) => Answer::Text(text.to_owned(), n.parse()?),
            None if line == "!" => Answer::Crash,
            None => Answer::None,
        });
    }
    // A broken pipe here only says that the worker died early.
    let _ = writer.join();
    anyhow::ensure!(
        child.wait()?.success() && answers.len() == samples.len(),
        "the LLVM worker failed: install llvm-22 or set LLVM_LIBRARY"
    );
    Ok(answers)
}
