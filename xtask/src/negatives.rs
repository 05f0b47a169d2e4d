//! Texts with one thing wrong, and what LLVM's assembler says of them.

use crate::asm_vectors::assemble;
use crate::sample::Rng;
use anyhow::{Context, Result};
use mutate::{KINDS, Kind, mutate};
use std::collections::{BTreeMap, HashSet};
use std::io::{Read as _, Write as _};
use waveglass_asm::LineAssembler;
use waveglass_isa::Target;

mod mutate;

/// Texts of each kind for a target.
const EACH: usize = 400;

/// A broken text.
struct Case {
    kind: Kind,
    wave: u32,
    text: String,
}

fn golden(target: Target) -> Result<Vec<(u32, String)>> {
    let path = format!(
        "{}/../crates/waveglass-asm/tests/vectors/{target}.txt.gz",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut text = String::new();
    flate2::read::GzDecoder::new(
        std::fs::File::open(&path).with_context(|| format!("opening {path}"))?,
    )
    .read_to_string(&mut text)?;
    let mut rows = Vec::new();
    for line in text.lines() {
        let mut part = line.splitn(4, ' ').skip(1);
        let wave = part.next().unwrap_or("").parse()?;
        let text = part.nth(1).unwrap_or("");
        if text != "invalid" && !text.is_empty() {
            rows.push((wave, text.to_owned()));
        }
    }
    Ok(rows)
}

/// `data/negative-differs.txt`.
struct Listed(Vec<[String; 4]>);

impl Listed {
    fn load() -> Result<Self> {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../crates/waveglass-asm/data/negative-differs.txt"
        );
        let text = std::fs::read_to_string(path).with_context(|| format!("reading {path}"))?;
        let rows = text.lines().filter(|l| !l.starts_with('#')).map(|l| {
            let mut part = l.split(" | ").map(str::to_owned);
            std::array::from_fn(|_| part.next().unwrap_or_default())
        });
        Ok(Self(rows.collect()))
    }

    fn has(&self, target: Target, c: &Case, what: &str) -> bool {
        let kind = format!("{:?}", c.kind);
        self.0.iter().any(|[targets, kinds, parts, w]| {
            w == what
                && (targets == "*" || targets.split(',').any(|t| t == target.name()))
                && (kinds == "*" || kinds.split(',').any(|k| k == kind))
                && parts.split(" & ").all(|p| c.text.contains(p))
        })
    }
}

/// LLVM's answer for each case: the bytes with halves of registers named or not, `None` where it
/// rejects the text both ways.
fn answers(target: Target, cases: &[Case]) -> Result<Vec<Vec<String>>> {
    let mut all = vec![Vec::new(); cases.len()];
    let mut groups: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (n, c) in cases.iter().enumerate() {
        groups.entry(c.wave).or_default().push(n);
    }
    let modes: &[&str] = if target.major() >= 11 {
        &["h", "w"]
    } else {
        &["w"]
    };
    for (wave, list) in groups {
        for mode in modes {
            ask(target, wave, mode, cases, &list, &mut all)?;
        }
    }
    Ok(all)
}

/// LLVM dies of some texts: halves of the list are tried until it stands alone.
fn ask(
    target: Target,
    wave: u32,
    mode: &str,
    cases: &[Case],
    list: &[usize],
    all: &mut [Vec<String>],
) -> Result<()> {
    let texts: Vec<&str> = list.iter().map(|n| cases[*n].text.as_str()).collect();
    match assemble(target, &wave.to_string(), mode, &texts)? {
        Some(found) => {
            for (n, a) in list.iter().zip(found) {
                all[*n].extend(a);
            }
            Ok(())
        }
        None if list.len() == 1 => {
            all[list[0]].push("crash".to_owned());
            Ok(())
        }
        None => {
            let (a, b) = list.split_at(list.len() / 2);
            ask(target, wave, mode, cases, a, all)?;
            ask(target, wave, mode, cases, b, all)
        }
    }
}

/// Writes `crates/waveglass-asm/tests/vectors/negative/<target>.txt.gz`: lines of
/// `KIND WAVE ANSWER TEXT`, where ANSWER is `x` for texts that LLVM rejects, else its bytes; and
/// prints where Waveglass answers otherwise, `show` of each kind.
pub(crate) fn run(targets: &[Target], show: usize, write: bool) -> Result<()> {
    let folder = format!(
        "{}/../crates/waveglass-asm/tests/vectors/negative",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::create_dir_all(&folder)?;
    // A text of each mnemonic of any target.
    let mut everyone: BTreeMap<String, String> = BTreeMap::new();
    for t in Target::ALL {
        for (_, text) in golden(*t)? {
            let name = text.split(' ').next().unwrap_or("").to_owned();
            everyone.entry(name).or_insert(text);
        }
    }
    let listed = Listed::load()?;
    for &target in targets {
        let rows = golden(target)?;
        let mut rng = Rng::new(0x6e65_6761 ^ target.index() as u64);
        let mut cases = Vec::new();
        let mut seen = HashSet::new();
        for kind in KINDS {
            let mut made = 0;
            for _ in 0..EACH * 30 {
                if made == EACH {
                    break;
                }
                let (wave, text) = rng.choose(&rows).clone();
                let Some((wave, text)) = mutate(kind, &mut rng, target, wave, &text) else {
                    continue;
                };
                if text.len() < 160 && seen.insert((wave, text.clone())) {
                    cases.push(Case { kind, wave, text });
                    made += 1;
                }
            }
        }
        let own: HashSet<&str> = rows.iter().filter_map(|r| r.1.split(' ').next()).collect();
        let wave = if target.has_wave64() { 64 } else { 32 };
        for (name, text) in &everyone {
            if !own.contains(name.as_str()) && text.len() < 160 {
                let (kind, text) = (Kind::Generation, text.clone());
                cases.push(Case { kind, wave, text });
            }
        }
        let found = answers(target, &cases)?;
        let mut out = String::new();
        let (mut rejected, mut shown) = (0, BTreeMap::<Kind, usize>::new());
        let (mut loose, mut strict, mut other, mut excused) = (0, 0, 0, 0);
        let mut of_wave: BTreeMap<u32, LineAssembler> = BTreeMap::new();
        for (c, found) in cases.iter().zip(&found) {
            // Names become symbols, whose bytes are known later.
            if found
                .iter()
                .any(|f| !f.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
            {
                continue;
            }
            let ours = of_wave
                .entry(c.wave)
                .or_insert_with(|| LineAssembler::new(target, c.wave))
                .assemble(&c.text)
                .map(|i| {
                    i.words()[..i.size() / 4]
                        .iter()
                        .flat_map(|w| w.to_le_bytes())
                        .map(|b| format!("{b:02x}"))
                        .collect::<String>()
                })
                .map_err(|d| d.message);
            let good = match &ours {
                Ok(o) => found.contains(o),
                Err(_) => found.is_empty(),
            };
            let llvm = found.first().map_or("x", |f| f.as_str());
            let what = match (&ours, found.is_empty()) {
                (Ok(_), true) => "accepts",
                (Err(_), _) => "rejects",
                _ => "own",
            };
            if !good && listed.has(target, c, what) {
                excused += 1;
            } else if !good {
                match (&ours, found.is_empty()) {
                    (Ok(_), true) => loose += 1,
                    (Err(_), _) => strict += 1,
                    _ => other += 1,
                }
                let n = shown.entry(c.kind).or_default();
                *n += 1;
                if *n <= show {
                    println!(
                        "{:?} wave{} {}\n   llvm {llvm}\n   ours {ours:?}",
                        c.kind, c.wave, c.text
                    );
                }
            }
            rejected += found.is_empty() as usize;
            let answer = match &ours {
                Ok(o) if found.contains(o) => o.as_str(),
                _ => llvm,
            };
            out.push_str(&format!("{:?} {} {answer} {}\n", c.kind, c.wave, c.text));
        }
        println!(
            "{target}: {} texts, {rejected} rejected by LLVM, {excused} listed; else only Waveglass accepts {loose}, only LLVM {strict}, other bytes {other}",
            out.lines().count()
        );
        if write {
            let file = std::fs::File::create(format!("{folder}/{target}.txt.gz"))?;
            let mut gz = flate2::GzBuilder::new().write(file, flate2::Compression::best());
            gz.write_all(out.as_bytes())?;
            gz.finish()?;
        }
    }
    Ok(())
}
