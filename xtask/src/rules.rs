//! The table of memory rules, made from the tests that hold them.
//!
//! A test states its rule in a comment above it (`// rule: TEXT; section MANUAL SECTIONS.`), or
//! cites a manual above it or in its body; its name is the rule's text then.

use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Where the tests of the memory model are, and of what a violation leads to: traps and exceptions.
const PLACES: &[&str] = &[
    "crates/waveglass-mem/src",
    "crates/waveglass-mem/tests",
    "crates/waveglass-exec/src/semantics/memory",
    "crates/waveglass-exec/src/order",
    "crates/waveglass-exec/src/semantics/salu",
    "crates/waveglass-exec/src/program",
    "crates/waveglass-exec/src/trap",
    "crates/waveglass-exec/src/exceptions",
];

/// Where the table is checked in.
const TABLE: &str = "docs/memory-rules.md";

/// A rule with the test that holds it.
#[derive(Debug, PartialEq, Eq)]
struct Rule {
    text: String,
    section: String,
    test: String,
}

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
    let mut out = String::from(
        "# Rules of the memory model, of traps and of exceptions, and the tests that hold them\n\n\
         Made from the tests by `cargo xtask rules`; a test fails when it is not current. Sections \
         are those of AMD's ISA manuals.\n",
    );
    for place in PLACES {
        let mut files = Vec::new();
        sources(&root.join(place), &mut files)?;
        files.sort();
        for file in files {
            let source = std::fs::read_to_string(&file)?;
            let rules = rules(&source);
            if rules.is_empty() {
                continue;
            }
            let name = file.strip_prefix(root).unwrap_or(&file);
            let _ = writeln!(
                out,
                "\n## `{}`\n\n| rule | section | test |\n|---|---|---|",
                name.display()
            );
            for r in rules {
                let cell = |s: &str| s.replace('|', "\\|");
                let _ = writeln!(
                    out,
                    "| {} | {} | `{}` |",
                    cell(&r.text),
                    cell(&r.section),
                    r.test
                );
            }
        }
    }
    Ok(out)
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) -> Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sources(&path, out)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
    Ok(())
}

/// The rules of one source file.
fn rules(source: &str) -> Vec<Rule> {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let mut out = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        if *line != "#[test]" {
            continue;
        }
        let Some((at, test)) = lines.iter().enumerate().skip(i).find_map(|(n, l)| {
            let name = l.strip_prefix("fn ")?.split('(').next()?;
            Some((n, name))
        }) else {
            continue;
        };
        let above = lines[..i]
            .iter()
            .rev()
            .take_while(|l| l.starts_with("//"))
            .count();
        let comment = text(&lines[i - above..i]);
        let body_end = lines[at..].iter().position(|l| *l == "#[test]");
        let body = &lines[at..body_end.map_or(lines.len(), |n| at + n)];
        let cited: Vec<&str> = body
            .iter()
            .copied()
            .filter(|l| l.starts_with("//") && l.contains(" ISA "))
            .collect();
        let (rule, section) = match comment.split_once("rule:") {
            Some((_, rest)) => match rest.split_once("; section") {
                Some((rule, section)) => (rule.trim().to_owned(), section.trim().to_owned()),
                None => continue,
            },
            None => {
                let section = if comment.contains(" ISA ") {
                    comment
                } else {
                    text(&cited)
                };
                if section.is_empty() {
                    continue;
                }
                (test.replace('_', " "), section)
            }
        };
        out.push(Rule {
            text: rule,
            section: section.trim_end_matches('.').to_owned(),
            test: test.to_owned(),
        });
    }
    out
}

/// Comment lines as one line of text.
fn text(lines: &[&str]) -> String {
    lines
        .iter()
        .map(|l| l.trim_start_matches('/').trim())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_from_tags_comments_and_bodies() {
        let source = "// rule: offsets add; section Vega ISA 9.3,\n// RDNA 3 ISA 11.2.\n#[test]\n\
                      fn a() {}\n\n// Vega ISA 9.6.\n#[test]\nfn bad_lanes_read_zero() {}\n\
                      #[test]\nfn c() {\n    // CDNA 5 ISA 10.2: after.\n}\n#[test]\nfn d() {}\n";
        let found: Vec<(String, String)> = rules(source)
            .into_iter()
            .map(|r| (r.text, r.section))
            .collect();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            found,
            [
                pair("offsets add", "Vega ISA 9.3, RDNA 3 ISA 11.2"),
                pair("bad lanes read zero", "Vega ISA 9.6"),
                pair("c", "CDNA 5 ISA 10.2: after"),
            ]
        );
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
