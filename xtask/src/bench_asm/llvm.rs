//! LLVM's assembler: within one process, through libLLVM, and as `llvm-mc`.

use anyhow::{Context, Result, ensure};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use waveglass_isa::Target;

/// A program that assembles with libLLVM as often as it is asked to.
pub(super) struct InProcess {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    _folder: tempfile::TempDir,
}

impl InProcess {
    /// Builds and starts the program; `None` where the headers of LLVM or a C++ compiler are missing.
    pub(super) fn start() -> Result<Option<Self>> {
        let folder = tempfile::tempdir()?;
        let (source, program) = (folder.path().join("a.cpp"), folder.path().join("a"));
        std::fs::write(&source, include_str!("llvm_in_process.cpp"))?;
        let built = Command::new("sh")
            .args([
                "-c",
                "c++ -O2 $(llvm-config-22 --cxxflags) \"$1\" -o \"$2\" \
                 $(llvm-config-22 --ldflags) -lLLVM-22",
                "sh",
            ])
            .args([&source, &program])
            .stderr(Stdio::null())
            .status()?;
        if !built.success() {
            eprintln!("LLVM within a process is left out: it needs c++ and the headers of LLVM 22");
            return Ok(None);
        }
        let mut child = Command::new(&program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        Ok(input.zip(output).map(|(input, output)| Self {
            child,
            input,
            output: BufReader::new(output),
            _folder: folder,
        }))
    }

    /// How long a file takes, in seconds of the processor.
    pub(super) fn time(&mut self, target: Target, file: &Path) -> Result<f64> {
        writeln!(self.input, "{target} 1 {}", file.display())?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        line.trim()
            .parse()
            .with_context(|| format!("LLVM about {}: {line}", file.display()))
    }
}

impl Drop for InProcess {
    fn drop(&mut self) {
        // The end of its input ends it too; a program that is gone already is no matter.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `llvm-mc`, started for each file.
pub(super) struct Process;

impl Process {
    /// How long a file takes, with the start of the process, in seconds of the processor.
    pub(super) fn time(target: Target, file: &Path) -> Result<f64> {
        let before = children();
        let status = Command::new("llvm-mc-22")
            .args([
                "--triple=amdgcn-amd-amdhsa",
                "-filetype=obj",
                "-o",
                "/dev/null",
            ])
            .arg(format!("-mcpu={target}"))
            .arg(file)
            .stderr(Stdio::null())
            .status()
            .context("starting llvm-mc-22")?;
        ensure!(status.success(), "llvm-mc-22 rejects {}", file.display());
        Ok(children() - before)
    }
}

/// The processor's time of all children that have ended, in seconds.
fn children() -> f64 {
    // SAFETY: the structure is plain numbers, for which zeros are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is writable for the call.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage) };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 * 1e-6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
