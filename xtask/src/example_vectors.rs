//! `cargo xtask example-vectors`: the examples of the reference's cards, each asked of LLVM both ways.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use waveglass_isa::Target;
use waveglass_reference::{form_examples, plain_text};

use crate::compare::features;
use crate::worker::{self, Answer};

/// Writes `crates/waveglass-reference/tests/examples/<target>.txt.gz`: lines of
/// `NAME WAVE BYTES TEXT`, where LLVM's assembler gives these bytes for the text and its
/// disassembler this text for the bytes. Before BYTES stands `!` where it does not.
pub(crate) fn run(targets: &[Target]) -> Result<()> {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../crates/waveglass-reference/tests/examples"
    );
    std::fs::create_dir_all(folder)?;
    for &target in targets {
        let mut of_wave: BTreeMap<u32, Vec<(&str, String, String)>> = BTreeMap::new();
        for (name, inst, example) in form_examples(target) {
            of_wave
                .entry(inst.wave_size())
                .or_default()
                .push((name, example.bytes, example.text));
        }
        let mut out = String::new();
        let mut differing = 0;
        for (wave, rows) in of_wave {
            let texts: Vec<&str> = rows.iter().map(|r| r.2.as_str()).collect();
            let bytes = crate::asm_vectors::assemble(target, &wave.to_string(), "h", &texts)?
                .context("llvm-mc-22 died of an example")?;
            let samples: Vec<[u8; 20]> = rows.iter().map(|r| sample(&r.1)).collect();
            let printed = worker::ask(target.name(), &features(target, wave, true), &samples)?;
            for (((name, hex, text), bytes), printed) in rows.iter().zip(bytes).zip(printed) {
                let back = matches!(printed, Answer::Text(t, _) if plain_text(&t) == *text);
                let agrees = bytes.as_deref() == Some(hex) && back;
                differing += usize::from(!agrees);
                let mark = if agrees { "" } else { "!" };
                let _ = writeln!(out, "{name} {wave} {mark}{hex} {text}");
            }
        }
        let path = format!("{folder}/{target}.txt.gz");
        let file = std::fs::File::create(&path).with_context(|| format!("creating {path}"))?;
        let mut gz = flate2::GzBuilder::new().write(file, flate2::Compression::best());
        gz.write_all(out.as_bytes())?;
        let size = gz.finish()?.metadata()?.len();
        println!(
            "{target}: {} examples, {differing} of which LLVM answers otherwise, {size} bytes",
            out.lines().count()
        );
    }
    Ok(())
}

fn sample(hex: &str) -> [u8; 20] {
    let mut bytes = [0; 20];
    for (b, at) in bytes.iter_mut().zip(0..hex.len() / 2) {
        *b = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap_or(0);
    }
    bytes
}
