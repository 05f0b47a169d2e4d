//! LLVM 22's text for instruction bytes that cover the edges of every field of every instruction
//! in every encoding, as `cargo xtask vectors` writes them. Cases in which LLVM is not followed
//! (`data/llvm-differs.txt`) are not among them.

mod common;

use waveglass_asm::{PrintOptions, print_bytes};
use waveglass_isa::Target;

fn check(target: Target) {
    let text = common::vectors(&format!("{target}.txt.gz"));
    let (mut count, mut wrong) = (0, Vec::new());
    for line in text.lines() {
        let mut part = line.splitn(4, ' ');
        let mut next = || part.next().expect("four columns");
        let (hex, wave, halves, want) = (next(), next(), next(), next());
        let bytes: Vec<u8> = (0..hex.len())
            .step_by(2)
            .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex digits"))
            .collect();
        let options = PrintOptions {
            true16: halves == "h",
        };
        let got = print_bytes(target, wave.parse().expect("a wave size"), &bytes, &options);
        let got = match &got {
            Some((text, size)) if *size == bytes.len() => text.as_str(),
            Some(_) => "another size",
            None => "invalid",
        };
        count += 1;
        if got != want {
            wrong.push(format!("{hex} wave{wave}\n  llvm {want}\n  ours {got}"));
        }
    }
    for gap in include_str!("../data/known-gaps.txt")
        .lines()
        .filter(|l| !l.starts_with('#') && l.contains(target.name()))
    {
        println!("not among the vectors: {gap}");
    }
    assert!(count >= 30_000, "{target}: only {count} vectors");
    assert!(
        wrong.is_empty(),
        "{target}: {} of {count} differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}

common::for_each_target!(check);
