//! Texts with one thing wrong, made from the golden vectors by `cargo xtask negative-vectors`:
//! what `llvm-mc-22` rejects is rejected, what it accepts gives its bytes. Where it is not
//! followed, `data/negative-differs.txt` says why.

mod common;

use std::collections::{BTreeMap, HashMap};
use waveglass_asm::LineAssembler;
use waveglass_isa::Target;

fn check(target: Target) {
    let vectors = common::vectors(&format!("negative/{target}.txt.gz"));
    let listed: Vec<Vec<&str>> = include_str!("../data/negative-differs.txt")
        .lines()
        .filter(|l| !l.starts_with('#'))
        .map(|l| l.split(" | ").collect::<Vec<_>>())
        .filter(|p| p[0] == "*" || p[0].split(',').any(|t| t == target.name()))
        .collect();
    assert!(listed.iter().all(|p| p.len() == 5), "{listed:?}");
    let excused = |kind: &str, text: &str, what: &str| {
        listed.iter().any(|p| {
            p[3] == what
                && (p[1] == "*" || p[1].split(',').any(|k| k == kind))
                && p[2].split(" & ").all(|part| text.contains(part))
        })
    };
    let mut assemblers: HashMap<&str, LineAssembler> = HashMap::new();
    let mut rejected: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut by_list, mut wrong) = (0, Vec::new());
    for line in vectors.lines() {
        let mut part = line.splitn(4, ' ');
        let mut next = || part.next().expect("four columns");
        let (kind, wave, want, text) = (next(), next(), next(), next());
        let got = assemblers
            .entry(wave)
            .or_insert_with(|| LineAssembler::new(target, wave.parse().expect("a wave size")))
            .assemble(text);
        let good = match &got {
            Err(d) => {
                // A finding says what is wrong and where.
                assert!(!d.message.is_empty() && d.column as usize <= text.len() + 1);
                *rejected.entry(kind).or_default() += (want == "x") as usize;
                want == "x" || excused(kind, text, "rejects")
            }
            Ok(i) => {
                let hex: String = i.words()[..i.size() / 4]
                    .iter()
                    .flat_map(|w| w.to_le_bytes())
                    .map(|b| format!("{b:02x}"))
                    .collect();
                let what = if want == "x" { "accepts" } else { "own" };
                hex == want || excused(kind, text, what)
            }
        };
        by_list += (good && got.is_ok() == (want == "x")) as usize;
        if !good {
            wrong.push(format!(
                "{kind} {text} wave{wave}\n  want {want}\n  ours {got:?}"
            ));
        }
    }
    // Every way of breaking a text is there, and the list does not hide a mistake.
    let kinds = if target.has_wave32() && target.has_wave64() {
        20
    } else {
        19
    };
    assert!(rejected.len() >= kinds, "{rejected:?}");
    let total: usize = rejected.values().sum();
    assert!(total > 5000, "only {total} rejected texts");
    assert!(by_list * 50 < total, "{by_list} of {total} are excused");
    assert!(
        wrong.is_empty(),
        "{target}: {} differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}

common::for_each_target!(check);
