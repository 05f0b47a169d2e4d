//! The project's disassembly beside LLVM's, over samples of every row.

use crate::differs::Differs;
use crate::sample::{Rng, sample};
use crate::worker::{self, Answer};
use anyhow::Result;
use std::collections::BTreeMap;
use waveglass_asm::{PrintOptions, print_bytes};
use waveglass_isa::{Target, rows};

/// LLVM's features for the way in which the project prints a target.
pub(crate) fn features(target: Target, wave: u32, true16: bool) -> String {
    let mut f = Vec::new();
    if target.major() >= 10 && !target.has_gfx1250_insts() {
        f.push(if wave == 64 {
            "+wavefrontsize64"
        } else {
            "+wavefrontsize32"
        });
    }
    if target.major() >= 11 {
        f.push(if true16 {
            "+real-true16"
        } else {
            "-real-true16"
        });
    }
    f.join(",")
}

pub(crate) fn bytes(words: &[u32; 5]) -> [u8; 20] {
    let mut b = [0; 20];
    for (c, w) in b.chunks_exact_mut(4).zip(words) {
        c.copy_from_slice(&w.to_le_bytes());
    }
    b
}

/// Prints LLVM's and the project's text for bytes in hex.
pub(crate) fn show(target: Target, wave: u32, hex: &[&str]) -> Result<()> {
    let samples = hex
        .iter()
        .map(|h| {
            let mut b = [0; 20];
            for (i, x) in b.iter_mut().enumerate().take(h.len() / 2) {
                *x = u8::from_str_radix(&h[2 * i..2 * i + 2], 16)?;
            }
            Ok(b)
        })
        .collect::<Result<Vec<_>>>()?;
    let answers = worker::ask(target.name(), &features(target, wave, true), &samples)?;
    for ((h, b), llvm) in hex.iter().zip(&samples).zip(answers) {
        let ours = print_bytes(target, wave, b, &PrintOptions::default());
        println!("{h}\n  llvm {llvm:?}\n  ours {ours:?}");
    }
    Ok(())
}

/// Finds instructions that the table lacks or has too many: every value of the upper half of the
/// first dword, with a few simple rests, where only one side decodes. Prints one case a mnemonic.
pub(crate) fn sweep(targets: &[Target]) -> Result<()> {
    const RESTS: [(u32, [u32; 4]); 5] = [
        (0, [0; 4]),
        (0x0100, [0x0402_0501, 0, 0, 0]),
        (0x0002, [0x0000_0080, 0, 0, 0]),
        (0x00fa, [0xff00_e401, 0, 0, 0]),
        (0x0000, [0x0402_04fa, 0xff00_e401, 0, 0]),
    ];
    let differs = Differs::load()?;
    for &target in targets {
        let wave = target.default_wave_size();
        let mut samples: Vec<[u8; 20]> = RESTS
            .iter()
            .flat_map(|&(low, [a, b, c, d])| {
                (0..=0xffffu32).map(move |high| bytes(&[high << 16 | low, a, b, c, d]))
            })
            .collect();
        // VOP1 and SOP1 have their opcodes in the lower half.
        for high in [0x7e02, 0x7e03, 0xbe80] {
            samples
                .extend((0..=0xffff).map(|low| bytes(&[high << 16 | low, 0xff00_e401, 0, 0, 0])));
        }
        let answers = worker::ask(target.name(), &features(target, wave, true), &samples)?;
        let mut seen = std::collections::BTreeMap::new();
        for (b, llvm) in samples.iter().zip(&answers) {
            let ours = print_bytes(target, wave, b, &PrintOptions::default());
            let text = match (llvm, &ours) {
                (Answer::Text(t, _), None) => t,
                (Answer::None, Some((t, _))) => t,
                _ => continue,
            };
            if differs.allows_anywhere(target, b, llvm, ours.as_ref()) {
                continue;
            }
            let name = text.split(' ').next().unwrap_or_default();
            let missing = ours.is_none();
            seen.entry((missing, name.to_owned()))
                .or_insert_with(|| (*b, text.clone()));
        }
        for ((missing, _), (b, text)) in &seen {
            let hex: String = b[..12].iter().map(|x| format!("{x:02x}")).collect();
            println!(
                "{target} {} {hex} {text}",
                if *missing { "lacks" } else { "has" }
            );
        }
        println!(
            "{target}: {} samples, {} mnemonics",
            samples.len(),
            seen.len()
        );
    }
    Ok(())
}

/// What to compare.
pub(crate) struct Options<'a> {
    /// Samples a row.
    pub(crate) count: u64,
    /// Mismatches shown a target and wave size.
    pub(crate) show: usize,
    /// Part of the encoding's name.
    pub(crate) family: &'a str,
    /// Whether halves of registers are named.
    pub(crate) true16: bool,
}

/// The comparison fails where more than one sample in this many differs: random bytes may yet find
/// a corner that no list has, and a fault in an instruction shows more often than that.
const TOLERATED: u64 = 5_000;

/// Compares `count` samples of each row; prints up to `show` mismatches a target and wave size,
/// one an (encoding, mnemonic), and the totals. Rows whose encoding does not contain `family`
/// are left out.
pub(crate) fn run(targets: &[Target], options: &Options<'_>) -> Result<()> {
    let (count, show, family) = (options.count, options.show, options.family);
    let print_options = PrintOptions {
        true16: options.true16,
    };
    let differs = Differs::load()?;
    let mut failed = Vec::new();
    for &target in targets {
        for wave in [32u32, 64] {
            if (wave == 32 && !target.has_wave32()) || (wave == 64 && !target.has_wave64()) {
                continue;
            }
            let mut samples = Vec::new();
            let mut of_row = Vec::new();
            for (i, row) in rows().iter().enumerate() {
                if !row.has_target(target)
                    || !row.encoding().contains(family)
                    || (row.wave != 0 && row.wave as u32 != wave)
                {
                    continue;
                }
                let mut rng = Rng::new((i as u64) << 8 | target.index() as u64);
                for _ in 0..count {
                    samples.push(bytes(&sample(&mut rng, target, row)));
                    of_row.push(row);
                }
            }
            let answers = worker::ask(
                target.name(),
                &features(target, wave, options.true16),
                &samples,
            )?;
            let (mut bad, mut crashes, mut listed) = (0u64, 0u64, 0u64);
            let mut by_encoding: BTreeMap<&str, u64> = BTreeMap::new();
            let mut shown = std::collections::HashSet::new();
            for ((b, row), want) in samples.iter().zip(&of_row).zip(&answers) {
                let got = print_bytes(target, wave, b, &print_options);
                crashes += (*want == Answer::Crash) as u64;
                let same = match (want, &got) {
                    (Answer::None | Answer::Crash, None) => true,
                    (Answer::Text(w, n), Some((g, m))) => w == g && n == m,
                    _ => false,
                };
                if same {
                    continue;
                }
                if differs.allows(target, row, b, want, got.as_ref()) {
                    listed += 1;
                    continue;
                }
                bad += 1;
                *by_encoding.entry(row.encoding()).or_default() += 1;
                if shown.len() < show && shown.insert((row.encoding(), row.mnemonic)) {
                    let hex: String = b.iter().map(|x| format!("{x:02x}")).collect();
                    println!(
                        "{target} w{wave} {} {} {hex}\n  llvm {want:?}\n  ours {}",
                        row.encoding(),
                        row.mnemonic,
                        got.as_ref()
                            .map_or("-".into(), |(w, n)| format!("     {w:?}, {n}")),
                    );
                }
            }
            println!(
                "{target} wave{wave}: {} samples, {crashes} crash LLVM, {listed} listed, {bad} differ {by_encoding:?}",
                samples.len()
            );
            if bad * TOLERATED > samples.len() as u64 {
                failed.push(format!("{target} wave{wave}"));
            }
        }
    }
    let uses: Vec<String> = differs
        .uses()
        .map(|(line, n)| format!("{line}: {n}"))
        .collect();
    println!("uses of the lines of llvm-differs.txt: {}", uses.join(", "));
    anyhow::ensure!(
        failed.is_empty(),
        "more than one sample in {TOLERATED} differs from LLVM: {}",
        failed.join(", ")
    );
    Ok(())
}
