//! What LLVM's assembler answers to the text of the golden vectors.

use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use waveglass_isa::Target;

/// Position, bytes and text of a row.
type Row<'a> = (usize, &'a str, &'a str);

/// Writes `crates/waveglass-asm/tests/vectors/asm/<target>.txt.gz` for each target: lines of
/// `INDEX ANSWER` for the rows of the golden vectors whose text `llvm-mc-22` does not assemble to
/// the bytes that it stands for. ANSWER is other bytes (fields that the text does not show are
/// zero in them), or `x` where LLVM rejects the text.
pub(crate) fn run(targets: &[Target]) -> Result<()> {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../crates/waveglass-asm/tests/vectors"
    );
    std::fs::create_dir_all(format!("{folder}/asm"))?;
    for &target in targets {
        let mut text = String::new();
        let path = format!("{folder}/{target}.txt.gz");
        flate2::read::GzDecoder::new(
            std::fs::File::open(&path).with_context(|| format!("opening {path}"))?,
        )
        .read_to_string(&mut text)?;
        let mut groups: BTreeMap<(&str, &str), Vec<Row<'_>>> = BTreeMap::new();
        for (n, line) in text.lines().enumerate() {
            let mut part = line.splitn(4, ' ');
            let mut next = || part.next().unwrap_or("");
            let (hex, wave, halves, text) = (next(), next(), next(), next());
            if text != "invalid" {
                groups
                    .entry((wave, halves))
                    .or_default()
                    .push((n, hex, text));
            }
        }
        let mut answers = BTreeMap::new();
        for ((wave, halves), rows) in groups {
            let texts: Vec<&str> = rows.iter().map(|r| r.2).collect();
            let all = assemble(target, wave, halves, &texts)?
                .context("llvm-mc-22 died of a golden text")?;
            for ((n, hex, _), answer) in rows.iter().zip(all) {
                if answer.as_deref() != Some(hex) {
                    answers.insert(*n, answer.unwrap_or_else(|| "x".to_owned()));
                }
            }
        }
        let mut out = String::new();
        for (n, answer) in &answers {
            out.push_str(&format!("{n} {answer}\n"));
        }
        let path = format!("{folder}/asm/{target}.txt.gz");
        let file = std::fs::File::create(&path).with_context(|| format!("creating {path}"))?;
        let mut gz = flate2::GzBuilder::new().write(file, flate2::Compression::best());
        gz.write_all(out.as_bytes())?;
        let size = gz.finish()?.metadata()?.len();
        println!("{target}: {} rows, {size} bytes", answers.len());
    }
    Ok(())
}

/// How long LLVM may take: it does not come back from some texts.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(8);

/// The bytes of each text, `None` where it is rejected; nothing where LLVM dies or hangs.
pub(crate) fn assemble(
    target: Target,
    wave: &str,
    halves: &str,
    texts: &[&str],
) -> Result<Option<Vec<Option<String>>>> {
    let mut features = Vec::new();
    if target.has_wave32() {
        features.push(format!("+wavefrontsize{wave}"));
    }
    if target.major() >= 11 {
        let sign = if halves == "h" { '+' } else { '-' };
        features.push(format!("{sign}real-true16"));
    }
    let mut child = Command::new("llvm-mc-22")
        .args(["--triple=amdgcn-amd-amdhsa", "--show-encoding"])
        .arg(format!("-mcpu={target}"))
        .arg(format!("-mattr={}", features.join(",")))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("starting llvm-mc-22")?;
    let mut source = String::new();
    for (n, t) in texts.iter().enumerate() {
        source.push_str(&format!("L{n}:\n{t}\n"));
    }
    let mut stdin = child.stdin.take().context("a pipe")?;
    let writer = std::thread::spawn(move || stdin.write_all(source.as_bytes()));
    let mut stderr = child.stderr.take().context("a pipe")?;
    let errors = std::thread::spawn(move || {
        let mut text = String::new();
        stderr.read_to_string(&mut text).map(|_| text)
    });
    let mut stdout = child.stdout.take().context("a pipe")?;
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).map(|_| text)
    });
    let start = std::time::Instant::now();
    while !reader.is_finished() {
        if start.elapsed() > PATIENCE {
            child.kill()?;
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let out = reader.join().ok().context("reading answers")??;
    let status = child.wait()?;
    let errors = errors.join().ok().context("reading findings")??;
    let written = writer.join().is_ok_and(|r| r.is_ok());
    if status.code().is_none_or(|c| c > 1) {
        return Ok(None);
    }
    ensure!(written, "llvm-mc-22 stopped reading");
    let mut answers = vec![None; texts.len()];
    let mut current = None;
    for line in out.lines() {
        if let Some(n) = line.strip_prefix('L').and_then(|l| l.strip_suffix(':')) {
            current = n.parse::<usize>().ok();
        } else if let (Some(n), Some((_, rest))) = (current, line.split_once("encoding: [")) {
            let bytes = rest.trim_end_matches(']');
            answers[n] = Some(
                bytes
                    .split(',')
                    .map(|b| b.trim().trim_start_matches("0x"))
                    .collect(),
            );
        }
    }
    // Some findings do not keep LLVM from giving bytes.
    for line in errors.lines() {
        let place = line
            .strip_prefix("<stdin>:")
            .and_then(|rest| rest.split_once(':'));
        if let Some((n, rest)) = place
            && rest.contains(": error: ")
            && let Ok(n) = n.parse::<usize>()
            && let Some(answer) = answers.get_mut((n - 1) / 2)
        {
            *answer = None;
        }
    }
    Ok(Some(answers))
}
