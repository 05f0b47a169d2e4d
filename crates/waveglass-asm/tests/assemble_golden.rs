//! The golden vectors from text to bytes: what LLVM's assembler answers to each text is recorded
//! by `cargo xtask asm-vectors`; where it is not followed, `data/asm-differs.txt` says why.

mod common;

use std::collections::HashMap;
use waveglass_asm::{LineAssembler, PrintOptions, print_bytes};
use waveglass_isa::Target;

fn hex(words: &[u32]) -> String {
    words
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .map(|b| format!("{b:02x}"))
        .collect()
}

fn prints(target: Target, lanes: u32, halves: &str, hex: &str) -> String {
    let bytes: Vec<u8> = (0..hex.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex digits"))
        .collect();
    let options = PrintOptions {
        true16: halves == "h",
    };
    print_bytes(target, lanes, &bytes, &options).map_or_else(String::new, |p| p.0)
}

fn check(target: Target) {
    let vectors = common::vectors(&format!("{target}.txt.gz"));
    let answers = common::vectors(&format!("asm/{target}.txt.gz"));
    let answers: HashMap<usize, &str> = answers
        .lines()
        .filter_map(|l| l.split_once(' '))
        .map(|(n, a)| (n.parse().expect("a row"), a))
        .collect();
    let differs: Vec<(&str, &str)> = include_str!("../data/asm-differs.txt")
        .lines()
        .filter(|l| !l.starts_with('#'))
        .map(|l| l.split(" | ").collect::<Vec<_>>())
        .filter(|p| p[0] == "*" || p[0].split(',').any(|t| t == target.name()))
        .map(|p| (p[1], p[2]))
        .collect();
    let listed = |text: &str, what: &str| {
        differs
            .iter()
            .any(|(part, w)| *w == what && text.contains(part))
    };
    let mut assemblers: HashMap<&str, LineAssembler> = HashMap::new();
    let (mut count, mut wrong) = (0, Vec::new());
    let mut listed_count = 0;
    for (n, line) in vectors.lines().enumerate() {
        let mut part = line.splitn(4, ' ');
        let mut next = || part.next().expect("four columns");
        let (own, wave, halves, text) = (next(), next(), next(), next());
        if text == "invalid" {
            continue;
        }
        count += 1;
        let lanes = wave.parse().expect("a wave size");
        let got = assemblers
            .entry(wave)
            .or_insert_with(|| LineAssembler::new(target, lanes))
            .assemble(text)
            .map(|i| hex(&i.words()[..i.size() / 4]))
            .map_err(|d| d.message);
        let want = answers.get(&n).copied().unwrap_or(own);
        let (good, by_list) = match (&got, want) {
            (Err(_), "x") => (true, false),
            (Ok(_), "x") => (listed(text, "accepts"), true),
            (Err(_), _) => (listed(text, "rejects"), true),
            (Ok(g), want) if g == want => (true, false),
            // The bytes have to say what the text says.
            (Ok(g), _) => (
                listed(text, "own") && prints(target, lanes, halves, g) == text,
                true,
            ),
        };
        listed_count += (good && by_list) as usize;
        if !good {
            wrong.push(format!("{text} wave{wave}\n  want {want}\n  ours {got:?}"));
        }
    }
    assert!(count > 20_000, "{target}: only {count} texts");
    // The list is for single cases: it must not hide a mistake.
    assert!(
        listed_count * 50 < count,
        "{target}: {listed_count} of {count} are excused"
    );
    assert!(
        wrong.is_empty(),
        "{target}: {} of {count} differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}

common::for_each_target!(check);
