//! The table of memory rules, made from the tests that hold them.
//!
//! `xtask/data/memory-rules.txt` has the sentences that the model is to keep, each with an id. A test
//! claims sentences in a comment above it:
//!
//! ```text
//! // rule: TEXT; section MANUAL SECTIONS.
//! // claims: flat.9.6-5, flat.9.6-7
//! // points: 5
//! ```
//!
//! Each line is optional. Without a rule the test's name is its text, and the manual that a comment above it
//! or in its body cites is the section; without one of those the sections of the sentences that it claims are.
//! A test of which no manual speaks says so and why: `section no manual says: WHY`. A test without a section
//! is refused. A `// points:` line that no test follows at once holds for the rest
//! of the file. Which generations a test covers is read from the targets and generations that it, and the
//! constants and functions of its file that it uses, name.

mod sentences;
mod source;

use anyhow::{Context, Result, bail};
use sentences::Sentences;
use source::Test;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Where the tests of the memory model are.
const PLACES: &[&str] = &[
    "crates/waveglass-mem/src",
    "crates/waveglass-exec/src",
    "crates/waveglass/src",
    "crates/waveglass/tests",
];

/// Where the table is checked in.
const TABLE: &str = "docs/memory-rules.md";
/// Where the sentences are.
const SENTENCES: &str = "xtask/data/memory-rules.txt";

/// Writes the table.
pub(crate) fn run() -> Result<()> {
    let root = root();
    let path = root.join(TABLE);
    std::fs::create_dir_all(root.join("docs"))?;
    std::fs::write(&path, table(&root)?).with_context(|| path.display().to_string())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn table(root: &Path) -> Result<String> {
    let text = std::fs::read_to_string(root.join(SENTENCES)).context(SENTENCES)?;
    let sentences = Sentences::parse(&text)?;
    let mut tests = Vec::new();
    for place in PLACES {
        let mut files = Vec::new();
        source_files(&root.join(place), &mut files)?;
        files.sort();
        for file in files {
            tests.extend(source::tests(
                &file_name(&file),
                &std::fs::read_to_string(&file)?,
            ));
        }
    }
    check(&sentences, &tests)?;
    Ok(render(&sentences, &tests))
}

/// A file's name as the table has it: without the folder, or with it where the name says little.
fn file_name(file: &Path) -> String {
    let stem = |p: &Path| {
        p.file_stem()
            .map_or_else(String::new, |s| s.to_string_lossy().into_owned())
    };
    match (stem(file).as_str(), file.parent()) {
        ("mod" | "tests", Some(folder)) => stem(folder),
        (name, _) => name.trim_end_matches("_tests").to_owned(),
    }
}

fn source_files(folder: &Path, out: &mut Vec<PathBuf>) -> Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            source_files(&path, out)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
    Ok(())
}

/// Every sentence has a test, every point has one, and no test claims what is not there.
fn check(sentences: &Sentences, tests: &[Test]) -> Result<()> {
    let mut wrong = Vec::new();
    let known: BTreeSet<&str> = sentences.all().map(|s| s.id.as_str()).collect();
    for test in tests {
        for id in &test.claims {
            if !known.contains(id.as_str()) {
                wrong.push(format!(
                    "{} claims {id}, which is not in {SENTENCES}",
                    test.path()
                ));
            }
        }
        for point in &test.points {
            if !sentences.points.iter().any(|p| p.0 == *point) {
                wrong.push(format!(
                    "{} belongs to point {point}, which there is not",
                    test.path()
                ));
            }
        }
    }
    for s in sentences.all() {
        if !tests.iter().any(|t| t.claims.contains(&s.id)) {
            wrong.push(format!("no test claims {} ({})", s.id, s.text));
        }
    }
    for test in tests {
        if !is_section(&section(sentences, test)) {
            wrong.push(format!(
                "{} has no manual section: end its rule with `; section MANUAL SECTIONS`, or with \
                 `; section {NO_MANUAL} WHY`",
                test.path()
            ));
        }
    }
    for (point, title) in &sentences.points {
        if !tests.iter().any(|t| belongs(sentences, t, *point)) {
            wrong.push(format!("no test belongs to point {point} ({title})"));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    bail!("{}", wrong.join("\n"))
}

/// What stands in front of the reason where no manual has a section.
const NO_MANUAL: &str = "no manual says:";

/// The manual's sections of a test's rule: those that it cites, or those of its sentences.
fn section(sentences: &Sentences, test: &Test) -> String {
    match test.section.as_str() {
        "" => sentences.sections(&test.claims),
        cited => cited.to_owned(),
    }
}

/// Whether a section names a manual and a place in it, or gives the reason why it does not.
fn is_section(section: &str) -> bool {
    if let Some((_, why)) = section.split_once(NO_MANUAL) {
        return !why.trim().is_empty();
    }
    section
        .split_once(" ISA ")
        .is_some_and(|(_, place)| place.contains(|c: char| c.is_ascii_digit()))
}

/// Whether a test is one of a point's: it says so, or claims one of the point's sentences.
fn belongs(sentences: &Sentences, test: &Test, point: u32) -> bool {
    test.points.contains(&point)
        || sentences
            .all()
            .any(|s| s.points.contains(&point) && test.claims.contains(&s.id))
}

fn cell(s: &str) -> String {
    s.replace('|', "\\|")
}

fn render(sentences: &Sentences, tests: &[Test]) -> String {
    let mut out = String::from(
        "# Rules of the memory model, of traps and of exceptions, and the tests that hold them\n\n\
         Made by `cargo xtask rules` from the tests and from the sentences in `xtask/data/memory-rules.txt`; \
         a test fails when it is not current, when a sentence has no test, or when a test claims a sentence \
         that there is not. Sections are those of AMD's ISA manuals. A test is named by its file and its \
         function; the generations are those that its source names, *any* where the rule does not depend on \
         one.\n",
    );
    for part in &sentences.parts {
        let _ = writeln!(
            out,
            "\n## {}\n\n{}\n\n| id | what it says | section | tests | generations |\n|---|---|---|---|---|",
            part.title, part.about
        );
        for s in &part.sentences {
            let claiming: Vec<&Test> = tests.iter().filter(|t| t.claims.contains(&s.id)).collect();
            let names: Vec<String> = claiming.iter().map(|t| format!("`{}`", t.path())).collect();
            let generations = source::generations(claiming.iter().flat_map(|t| &t.generations));
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {generations} |",
                s.id,
                cell(&s.text),
                cell(&s.section),
                names.join("<br>"),
            );
        }
    }
    out.push_str("\n## The twelve points of the model\n");
    for (point, title) in &sentences.points {
        let _ = writeln!(
            out,
            "\n### {point}. {title}\n\n| rule | section | test | generations |\n|---|---|---|---|"
        );
        for t in tests.iter().filter(|t| belongs(sentences, t, *point)) {
            let section = section(sentences, t);
            let _ = writeln!(
                out,
                "| {} | {} | `{}` | {} |",
                cell(&t.text),
                cell(&section),
                t.path(),
                source::generations(&t.generations)
            );
        }
    }
    out.push_str(&refused());
    out
}

/// What is refused by name.
fn refused() -> String {
    let mut out = String::from(
        "\n## Refused by name\n\nMemory instructions that no public manual gives a meaning that could be \
         executed. A run stops at one.\n\n| instructions | targets | why |\n|---|---|---|\n",
    );
    for (names, why) in waveglass_exec::REFUSED_MEMORY {
        let targets: Vec<&str> = waveglass_isa::Target::ALL
            .iter()
            .filter(|&&t| {
                waveglass_isa::rows()
                    .iter()
                    .any(|d| names.contains(&d.mnemonic) && d.has_target(t))
            })
            .map(|t| t.name())
            .collect();
        let names: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
        let _ = writeln!(
            out,
            "| {} | {} | {why} |",
            names.join(", "),
            targets.join(" ")
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_without_a_test_and_a_claim_of_nothing_are_told() {
        let sentences = Sentences::parse(
            "point 1: Addresses\npart Chapter\nAbout it.\na-1 | 1 | Vega ISA 9 | One.\na-2 | 1 | Vega ISA 9 | Two.\n",
        )
        .unwrap();
        let tests = source::tests("x", "// claims: a-1, a-3\n#[test]\nfn t() {\n}\n");
        let told = check(&sentences, &tests).unwrap_err().to_string();
        assert_eq!(
            told,
            format!("x::t claims a-3, which is not in {SENTENCES}\nno test claims a-2 (Two.)")
        );
    }

    #[test]
    fn a_rule_needs_a_section_or_a_reason() {
        let sentences = Sentences::parse(
            "point 1: Addresses\npart A\nAbout it.\na-1 | 1 | Vega ISA 9.6 | One.\n",
        )
        .unwrap();
        let claims = "// claims: a-1\n#[test]\nfn a() {\n}\n";
        let told = |rule: &str| {
            let source = format!("// points: 1\n\n{claims}\n{rule}#[test]\nfn t() {{\n}}\n");
            let result = check(&sentences, &source::tests("x", &source));
            result.err().map(|e| e.to_string())
        };
        for good in [
            "// claims: a-1\n",
            "// rule: X; section RDNA 3 ISA 11.2.\n",
            "// RDNA 3 ISA 11.2: \"X\".\n",
            "// rule: X; section no manual says: it is the model's own.\n",
        ] {
            assert_eq!(told(good), None, "{good}");
        }
        for bad in [
            "",
            "// rule: X.\n",
            "// rule: X; section no manual says:.\n",
            "// rule: X; section the manual.\n",
        ] {
            let told = told(bad).unwrap_or_default();
            assert!(
                told.starts_with("x::t has no manual section"),
                "{bad} {told}"
            );
        }
    }

    #[test]
    fn the_table_is_current() {
        let root = root();
        let checked_in = std::fs::read_to_string(root.join(TABLE)).unwrap_or_default();
        assert!(
            table(&root).unwrap() == checked_in,
            "{TABLE} is not current: run `cargo xtask rules`"
        );
    }
}
