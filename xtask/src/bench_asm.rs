//! Assembling beside LLVM, in one run over the same sources.
//!
//! Each source is assembled in turns by Waveglass, by LLVM within one process, and by `llvm-mc`, and
//! the shortest of the times of each counts. Time is the processor's: others on the machine take none
//! of it. Waveglass's goes from the text to the bytes of a linked code object, LLVM's to those of a
//! relocatable object. The start of `llvm-mc` is taken off its time, as the time of an empty source.
//! That start is several times as long as a short source takes, so that the difference is the rougher
//! measure: LLVM within one process is the one to go by.

mod llvm;

use anyhow::{Context, Result, ensure};
use llvm::{InProcess, Process};
use std::hint::black_box;
use std::io::Read as _;
use waveglass_asm::{AssembleOptions, assemble};
use waveglass_isa::Target;

/// Turns; the shortest time of all counts.
const TURNS: usize = 12;

/// Lines of instructions alone.
const INSTRUCTIONS: usize = 20_000;

/// A source, and the shortest times that it took.
struct Source {
    group: &'static str,
    text: String,
    /// The text as a file, for LLVM.
    file: tempfile::NamedTempFile,
    ours: f64,
    assembled: f64,
    in_process: f64,
    process: f64,
}

impl Source {
    fn new(group: &'static str, text: String) -> Result<Self> {
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), &text)?;
        Ok(Self {
            group,
            text,
            file,
            ours: f64::MAX,
            assembled: f64::MAX,
            in_process: f64::MAX,
            process: f64::MAX,
        })
    }
}

/// The groups of sources, in the order of the report.
const GROUPS: [&str; 5] = ["-O0", "-O3", "files", "instructions", "empty"];

/// Times the assembler beside LLVM over compilers' output, whole and as its instructions alone;
/// over what clang made of the test kernels where no files are named.
pub(crate) fn run(targets: &[Target], paths: &[&str]) -> Result<()> {
    println!(
        "{:8} {:13} {:>6} {:>12} {:>12} {:>7} {:>12} {:>7}",
        "target", "sources", "lines", "lines/s", "LLVM inside", "times", "llvm-mc", "times"
    );
    let mut inside = InProcess::start()?;
    for &target in targets {
        let mut sources = sources(target, paths)?;
        let first = time(|| ours(" s_endpgm\n", target).map(|_| ()))?;
        for _ in 0..TURNS {
            for s in &mut sources {
                // Short runs of ours are repeated, so that both sides have caches to find.
                for _ in 0..4 {
                    let mut assembled = 0.0;
                    let all = time(|| {
                        assembled = ours(&s.text, target)?;
                        Ok(())
                    })?;
                    s.ours = s.ours.min(all);
                    s.assembled = s.assembled.min(assembled);
                }
                if let Some(inside) = &mut inside {
                    s.in_process = s.in_process.min(inside.time(target, s.file.path())?);
                }
                s.process = s.process.min(Process::time(target, s.file.path())?);
            }
        }
        report(target, &sources, inside.is_some(), first);
    }
    Ok(())
}

/// The sources for a target, and an empty one.
fn sources(target: Target, paths: &[&str]) -> Result<Vec<Source>> {
    let mut list = Vec::new();
    let kernels = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/kernels/asm");
    let found: Vec<String> = match paths {
        [] => std::fs::read_dir(kernels)?
            .map(|e| Ok(e?.path().display().to_string()))
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .filter(|p| p.ends_with(&format!(".{target}.s.gz")))
            .collect(),
        _ => paths.iter().map(|p| (*p).to_owned()).collect(),
    };
    ensure!(!found.is_empty(), "no sources for {target} in {kernels}");
    let mut instructions = String::new();
    for path in &found {
        let group = match path {
            p if p.contains(".O0.") => "-O0",
            p if p.contains(".O3.") => "-O3",
            _ => "files",
        };
        let text = read(path)?;
        instructions_of(&text, &mut instructions);
        list.push(Source::new(group, text)?);
    }
    let count = instructions.lines().count();
    let times = INSTRUCTIONS.div_ceil(count.max(1));
    list.push(Source::new("instructions", instructions.repeat(times))?);
    list.push(Source::new("empty", String::new())?);
    Ok(list)
}

/// One row a group. What a source costs without a line in it stands below.
fn report(target: Target, sources: &[Source], inside: bool, first: f64) {
    let empty: Vec<&Source> = sources.iter().filter(|s| s.group == "empty").collect();
    let start: f64 = empty.iter().map(|s| s.process).sum();
    for group in GROUPS {
        let all: Vec<&Source> = sources.iter().filter(|s| s.group == group).collect();
        let lines: usize = all.iter().map(|s| s.text.lines().count()).sum();
        if lines == 0 {
            continue;
        }
        let sum = |f: fn(&Source) -> f64| all.iter().map(|s| f(s)).sum::<f64>();
        let ours = sum(|s| s.ours);
        let process = sum(|s| s.process) - start * all.len() as f64;
        let rate = |seconds: f64| format!("{:.0}", lines as f64 / seconds);
        let (rate_inside, times_inside) = match inside {
            true => {
                let t = sum(|s| s.in_process);
                (rate(t), format!("{:.1}", t / ours))
            }
            false => ("-".to_owned(), "-".to_owned()),
        };
        println!(
            "{:8} {group:13} {lines:6} {:>12} {rate_inside:>12} {times_inside:>7} {:>12} {:>7.1}   ({:.0} % linking)",
            target.name(),
            rate(ours),
            rate(process),
            process / ours,
            100.0 * (1.0 - sum(|s| s.assembled) / ours),
        );
    }
    for s in empty {
        let inside = match inside {
            true => format!(", LLVM within a process {:.1} us", s.in_process * 1e6),
            false => String::new(),
        };
        println!(
            "{:8} an empty source {:.1} us{inside}, llvm-mc {:.0} us; the first source of a process {:.0} us",
            target.name(),
            s.assembled * 1e6,
            s.process * 1e6,
            first * 1e6,
        );
    }
}

/// Assembles and links; the time of the assembly alone. A source without code is not linked.
fn ours(text: &str, target: Target) -> Result<f64> {
    let start = now();
    let a =
        assemble(text, target, &AssembleOptions::default()).map_err(|d| anyhow::anyhow!("{d}"))?;
    let assembled = now() - start;
    // Instructions alone are no code object.
    if a.metadata.is_some() {
        black_box(crate::assembly::link_code_object(&a)?);
    }
    black_box(a);
    Ok(assembled)
}

fn time(mut f: impl FnMut() -> Result<()>) -> Result<f64> {
    let start = now();
    f()?;
    Ok(now() - start)
}

/// The processor's time that this thread has had, in seconds.
fn now() -> f64 {
    let mut t = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `t` is writable for the call.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
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
