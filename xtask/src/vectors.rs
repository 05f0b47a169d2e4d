//! The golden vectors: instruction bytes with LLVM's text for them, a compressed file a target.

use crate::compare::{bytes, features};
use crate::differs::Differs;
use crate::sample::{Rng, sample};
use crate::worker::{self, Answer};
use anyhow::{Context, Result};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write as _;
use waveglass_asm::{PrintOptions, print_bytes};
use waveglass_isa::{Target, rows};

/// Rows that a file has at least.
const ROWS: u64 = 30_500;

/// Writes `crates/waveglass-asm/tests/vectors/<target>.txt.gz` for each target: lines of
/// `HEX WAVE HALVES TEXT`, where HALVES is `h` where halves of registers are named and `w` where
/// they are not, and TEXT is `invalid` where there is no instruction.
pub(crate) fn run(targets: &[Target]) -> Result<()> {
    let differs = Differs::load()?;
    let gaps = Differs::gaps()?;
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../crates/waveglass-asm/tests/vectors"
    );
    std::fs::create_dir_all(folder)?;
    for &target in targets {
        // What is left out differs by target: more samples a row until there are enough.
        let mut vectors = Vectors::make(target, &differs, &gaps, 0)?;
        for more in 1..20 {
            if vectors.count >= ROWS {
                break;
            }
            vectors = Vectors::make(target, &differs, &gaps, more)?;
        }
        let path = format!("{folder}/{target}.txt.gz");
        let file = std::fs::File::create(&path).with_context(|| format!("creating {path}"))?;
        let mut gz = flate2::GzBuilder::new().write(file, flate2::Compression::best());
        gz.write_all(vectors.text.as_bytes())?;
        let size = gz.finish()?.metadata()?.len();
        println!(
            "{target}: {} rows, {size} bytes, {} known gaps, {} differ",
            vectors.count, vectors.left_out, vectors.different
        );
    }
    Ok(())
}

/// The lines for one target.
struct Vectors {
    text: String,
    count: u64,
    different: u64,
    left_out: u64,
}

impl Vectors {
    /// `more` samples a row than the least.
    fn make(target: Target, differs: &Differs, gaps: &Differs, more: u64) -> Result<Self> {
        let mut text = String::new();
        let (mut count, mut different, mut left_out) = (0u64, 0u64, 0u64);
        for (wave, halves, per_row) in passes(target, more) {
            let mut samples = Vec::new();
            let mut of_row = Vec::new();
            let mut malformed = 0u64;
            for (i, row) in rows().iter().enumerate() {
                if !row.has_target(target)
                    || (row.wave != 0 && row.wave as u32 != wave)
                    || (!halves && !row.encoding().contains("VOP"))
                {
                    continue;
                }
                let seed = (i as u64) << 16 | (wave as u64) << 8 | (halves as u64) << 7;
                let mut rng = Rng::coarse(seed | target.index() as u64);
                for _ in 0..per_row {
                    let b = bytes(&sample(&mut rng, target, row));
                    // What the list rejects by a field is what LLVM mostly dies of.
                    if differs.allows(target, row, &b, &Answer::Crash, None) {
                        continue;
                    }
                    // LLVM dies of many malformed operands on gfx9 and gfx10, and starting it again
                    // takes long: few of those do.
                    let options = PrintOptions { true16: halves };
                    if target.major() <= 10 && print_bytes(target, wave, &b, &options).is_none() {
                        malformed += 1;
                        if !malformed.is_multiple_of(16) {
                            continue;
                        }
                    }
                    samples.push(b);
                    of_row.push(row);
                }
            }
            let answers = worker::ask(target.name(), &features(target, wave, halves), &samples)?;
            let mut seen = HashSet::new();
            for ((b, row), want) in samples.iter().zip(&of_row).zip(answers) {
                // Remarks on alignment are no part of the text.
                let want = match want {
                    Answer::Text(t, n) => {
                        Answer::Text(t.split(" ; Warning").next().unwrap_or("").to_owned(), n)
                    }
                    Answer::Crash => continue,
                    Answer::None => Answer::None,
                };
                let ours = print_bytes(target, wave, b, &PrintOptions { true16: halves });
                let same = match (&want, &ours) {
                    (Answer::None, None) => true,
                    (Answer::Text(w, n), Some((g, m))) => w == g && n == m,
                    _ => false,
                };
                if !same && differs.allows(target, row, b, &want, ours.as_ref()) {
                    continue;
                }
                if !same && gaps.allows(target, row, b, &want, ours.as_ref()) {
                    left_out += 1;
                    continue;
                }
                different += !same as u64;
                let (size, answer) = match &want {
                    Answer::Text(t, n) => (*n, t.as_str()),
                    _ => (row.shape.size as usize, "invalid"),
                };
                if !seen.insert(&b[..size]) {
                    continue;
                }
                for byte in &b[..size] {
                    write!(text, "{byte:02x}")?;
                }
                writeln!(text, " {wave} {} {answer}", if halves { 'h' } else { 'w' })?;
                count += 1;
            }
        }
        Ok(Self {
            text,
            count,
            different,
            left_out,
        })
    }
}

/// (wave size, halves named, samples a row) of a target's passes.
fn passes(target: Target, more: u64) -> Vec<(u32, bool, u64)> {
    let waves: Vec<u32> = [32, 64]
        .into_iter()
        .filter(|w| match w {
            32 => target.has_wave32(),
            _ => target.has_wave64(),
        })
        .collect();
    let table = rows().iter().filter(|r| r.has_target(target)).count() as u64;
    let per_row = (ROWS * 9 / 8).div_ceil(table * waves.len() as u64) + more;
    let mut list: Vec<_> = waves.iter().map(|&w| (w, true, per_row)).collect();
    if target.major() >= 11 {
        list.push((waves[0], false, 1));
    }
    list
}
