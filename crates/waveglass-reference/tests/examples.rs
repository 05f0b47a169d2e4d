//! The examples of cards against LLVM 22's answers, which `cargo xtask example-vectors` recorded: its
//! assembler gives these bytes for the text, its disassembler this text for the bytes. Since every
//! instruction of every target has one, they also hold what the cards say of targets.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;
use waveglass_isa::Target;
use waveglass_reference::{GENERATIONS, catalogue, form_examples};

fn recorded(target: Target) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/examples")
        .join(format!("{target}.txt.gz"));
    let file = std::fs::File::open(&path).expect("the answers are part of the crate");
    let mut text = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .expect("gzip of UTF-8");
    text
}

#[test]
fn every_example_is_llvms_both_ways() {
    for &target in Target::ALL {
        let ours: BTreeSet<String> = form_examples(target)
            .into_iter()
            .map(|(name, inst, e)| format!("{name} {} {} {}", inst.wave_size(), e.bytes, e.text))
            .collect();
        let text = recorded(target);
        let theirs: BTreeSet<String> = text.lines().map(str::to_owned).collect();
        let differing: Vec<&String> = ours.symmetric_difference(&theirs).take(10).collect();
        assert!(differing.is_empty(), "{target}: {differing:#?}");
    }
}

#[test]
fn a_card_says_of_each_target_what_llvm_says() {
    for &target in Target::ALL {
        let text = recorded(target);
        let known: BTreeSet<&str> = text.lines().filter_map(|l| l.split(' ').next()).collect();
        for instruction in catalogue().instructions() {
            let generation = target.generation();
            assert!(GENERATIONS.contains(&generation));
            let names = instruction.names_on(target);
            assert!(names.len() <= 1, "{target}: {names:?}");
            for name in &names {
                assert!(known.contains(name), "{target}: {name} has no answer");
            }
        }
        let ours: BTreeSet<&str> = catalogue()
            .instructions()
            .iter()
            .flat_map(|i| i.names_on(target))
            .collect();
        assert_eq!(ours, known, "{target}");
    }
}
