//! `cargo xtask evidence`: what the tests cover, instruction by instruction and target by target,
//! as the evidence of the reference's fidelity table.
//!
//! Golden vectors and the answers to the cards' examples are read; unit tests of execution and compiled kernels are run with
//! `WAVEGLASS_EVIDENCE` naming a folder, in which they note every instruction that they execute.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use waveglass_isa::{Decoder, Target};

type Table = BTreeMap<String, [u16; 4]>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn table_path() -> PathBuf {
    root().join("crates/waveglass-reference/data/evidence.tbl")
}

/// Writes the table, or with `check` compares what is there with what the tests cover now.
pub(crate) fn run(check: bool) -> Result<()> {
    let mut table = Table::new();
    golden(&mut table)?;
    examples(&mut table)?;
    executed(&mut table)?;
    let text = text(&table);
    let path = table_path();
    if check {
        let there = std::fs::read_to_string(&path)
            .with_context(|| format!("reading {}", path.display()))?;
        if there != text {
            bail!(
                "{} is not what the tests cover now; `cargo xtask evidence` writes it anew",
                path.display()
            );
        }
        return Ok(());
    }
    std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
}

fn note(table: &mut Table, mnemonic: &str, target: Target, column: usize) {
    for name in mnemonic.split(" :: ") {
        table.entry(name.to_owned()).or_default()[column] |= 1 << target.index();
    }
}

fn unzipped(path: &Path) -> Result<String> {
    let file = std::fs::File::open(path).with_context(|| format!("reading {}", path.display()))?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .with_context(|| format!("reading {}", path.display()))?;
    Ok(text)
}

fn golden(table: &mut Table) -> Result<()> {
    let vectors = root().join("crates/waveglass-asm/tests/vectors");
    for &target in Target::ALL {
        let rows = unzipped(&vectors.join(format!("{target}.txt.gz")))?;
        let answers = unzipped(&vectors.join(format!("asm/{target}.txt.gz")))?;
        // Rows whose text LLVM's own assembler does not take back.
        let untaken: std::collections::HashSet<usize> = answers
            .lines()
            .filter_map(|l| l.split_once(' '))
            .filter(|(_, answer)| *answer == "x")
            .filter_map(|(n, _)| n.parse().ok())
            .collect();
        for (n, line) in rows.lines().enumerate() {
            let mut part = line.splitn(4, ' ');
            let (Some(hex), Some(wave), Some(_), Some(printed)) =
                (part.next(), part.next(), part.next(), part.next())
            else {
                bail!("{target} row {n}: four columns");
            };
            if printed == "invalid" {
                continue;
            }
            let bytes: Vec<u8> = (0..hex.len() / 2)
                .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16))
                .collect::<Result<_, _>>()?;
            let inst = Decoder::new(target)
                .wave_size(wave.parse()?)
                .decode(&bytes)
                .with_context(|| format!("{target} row {n}"))?;
            note(table, inst.mnemonic(), target, 0);
            if !untaken.contains(&n) {
                note(table, inst.mnemonic(), target, 1);
            }
        }
    }
    Ok(())
}

/// The examples of the reference's cards, which LLVM answers both ways.
fn examples(table: &mut Table) -> Result<()> {
    let folder = root().join("crates/waveglass-reference/tests/examples");
    for &target in Target::ALL {
        let rows = unzipped(&folder.join(format!("{target}.txt.gz")))?;
        for line in rows.lines().filter(|l| !l.contains(" !")) {
            let name = line.split(' ').next().unwrap_or_default();
            note(table, name, target, 0);
            note(table, name, target, 1);
        }
    }
    Ok(())
}

fn executed(table: &mut Table) -> Result<()> {
    let folder = tempfile::tempdir()?;
    for (column, arguments) in [
        (2, &["test", "-q", "-p", "waveglass-exec", "--lib"][..]),
        (3, &["test", "-q", "-p", "waveglass", "--test", "kernels"]),
    ] {
        let out = folder.path().join(column.to_string());
        std::fs::create_dir(&out)?;
        let status = Command::new(std::env::var("CARGO").unwrap_or("cargo".to_owned()))
            .args(arguments)
            .env("WAVEGLASS_EVIDENCE", &out)
            .stdout(std::process::Stdio::null())
            .current_dir(root())
            .status()?;
        if !status.success() {
            bail!("cargo {} failed", arguments.join(" "));
        }
        for entry in std::fs::read_dir(&out)? {
            for line in std::fs::read_to_string(entry?.path())?.lines() {
                let Some((target, mnemonic)) = line.split_once(' ') else {
                    bail!("{line:?}: a target and a mnemonic");
                };
                let target: Target = target.parse().map_err(|e| anyhow::anyhow!("{e}"))?;
                note(table, mnemonic, target, column);
            }
        }
    }
    Ok(())
}

fn text(table: &Table) -> String {
    let mut out = String::from(
        "# What the tests cover, written by `cargo xtask evidence`.\n\
         #\n\
         #   MNEMONIC PRINTED ASSEMBLED UNIT-TESTS KERNELS    masks: bit n stands for the nth target\n\
         #\n",
    );
    for (name, [a, b, c, d]) in table {
        let _ = writeln!(out, "{name} {a:x} {b:x} {c:x} {d:x}");
    }
    out
}
