//! LLVM in a child process: it crashes on some malformed operands, and the comparison goes on.

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

/// The child: 20 bytes an instruction on standard input, a line each on standard output.
pub(crate) fn serve(cpu: &str, features: &str) -> Result<()> {
    let llvm = Llvm::load()?;
    let dis = llvm.disassembler(cpu, features)?;
    let mut input = Vec::new();
    std::io::stdin().lock().read_to_end(&mut input)?;
    let mut out = std::io::stdout().lock();
    for b in input.chunks_exact(20) {
        match dis.one(b) {
            Some((text, n)) => writeln!(out, "{n}\t{text}")?,
            None => writeln!(out, "-")?,
        }
        out.flush()?;
    }
    Ok(())
}

/// LLVM's answers for all `samples`, starting a new child after each crash.
pub(crate) fn ask(cpu: &str, features: &str, samples: &[[u8; 20]]) -> Result<Vec<Answer>> {
    let mut answers = Vec::with_capacity(samples.len());
    while answers.len() < samples.len() {
        let rest: Vec<u8> = samples[answers.len()..].concat();
        let mut child = Command::new(std::env::current_exe()?)
            .args(["llvm-worker", cpu, features])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("starting the LLVM worker")?;
        let mut stdin = child.stdin.take().context("the worker's input")?;
        let writer = std::thread::spawn(move || stdin.write_all(&rest));
        let stdout = child.stdout.take().context("the worker's output")?;
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            answers.push(match line.split_once('\t') {
                Some((n, text)) => Answer::Text(text.to_owned(), n.parse()?),
                None => Answer::None,
            });
        }
        // A broken pipe here only says that the child died early.
        let _ = writer.join();
        let status = child.wait()?;
        if !status.success() && answers.len() < samples.len() {
            anyhow::ensure!(
                status.code().is_none(),
                "the LLVM worker failed: install llvm-22 or set LLVM_LIBRARY"
            );
            answers.push(Answer::Crash);
        }
    }
    Ok(answers)
}
