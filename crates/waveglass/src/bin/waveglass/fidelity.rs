//! `waveglass fidelity`.

use std::collections::HashMap;
use std::fmt::Write as _;

use anyhow::anyhow;
use clap::Args;
use owo_colors::OwoColorize as _;
use serde::Serialize;
use waveglass::exec::exception_reading;
use waveglass::isa::{InstDef, Target, rows};
use waveglass::reference::{FidelityCounts, FidelityEntry, fidelity_entries};

use crate::cli::parse_target;
use crate::failure::Failure;
use crate::output;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  waveglass fidelity\n  waveglass fidelity --target gfx1250 --family \"buffer\"\n  waveglass fidelity --target gfx90a --refused\n  waveglass fidelity --target gfx950 --exceptions"
)]
pub(crate) struct FidelityArgs {
    /// Only this target, with a line for each instruction.
    #[arg(long, value_parser = parse_target)]
    target: Option<Target>,
    /// Only groups, encodings and names with this in them.
    #[arg(long, value_name = "WORDS")]
    family: Option<String>,
    /// Only instructions that are refused or approximate, each with the reason.
    #[arg(long)]
    refused: bool,
    /// Only instructions whose floating-point exceptions are a reading, since no manual says which they
    /// raise, each with the reading.
    #[arg(long, conflicts_with_all = ["refused", "json"])]
    exceptions: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Output<'a> {
    counts: Vec<(&'static str, FidelityCounts)>,
    entries: &'a [FidelityEntry],
}

pub(crate) fn main(args: &FidelityArgs) -> Result<(), Failure> {
    let mut entries = fidelity_entries(args.target, args.family.as_deref());
    if entries.is_empty() {
        let family = args.family.as_deref().unwrap_or_default();
        return Err(anyhow!("no group, encoding or name has {family:?} in it").into());
    }
    let counts: Vec<(&'static str, FidelityCounts)> = Target::ALL
        .iter()
        .filter(|t| args.target.is_none_or(|only| only == **t))
        .map(|t| {
            let of = entries.iter().filter(|e| e.executed.target == t.name());
            (t.name(), FidelityCounts::of(of))
        })
        .collect();
    if args.exceptions {
        return output::write(&readings(&entries));
    }
    if args.refused {
        entries.retain(|e| e.executed.status != "exact");
    }
    if args.json {
        return output::write_json(&Output {
            counts,
            entries: &entries,
        });
    }
    let mut text = String::new();
    let head = format!(
        "{:<8} {:>12} {:>8} {:>9} {:>6} {:>12} {:>8} {:>11} {:>8}",
        "target",
        "instructions",
        "printed",
        "assembled",
        "exact",
        "approximate",
        "refused",
        "unit tests",
        "kernels"
    );
    let _ = writeln!(text, "{}", head.bold());
    for (target, c) in &counts {
        let _ = writeln!(
            text,
            "{target:<8} {:>12} {:>8} {:>9} {:>6} {:>12} {:>8} {:>11} {:>8}",
            c.instructions,
            c.printed,
            c.assembled,
            c.exact,
            c.approximate,
            c.refused,
            c.unit_tests,
            c.compiled_kernels
        );
    }
    if args.target.is_some() || args.refused || args.family.is_some() {
        text.push('\n');
        list(&mut text, &entries);
    }
    output::write(&text)
}

/// A mnemonic and some of its targets.
type Targets<'a> = (&'a str, Vec<&'a str>);

/// The instructions whose exceptions are a reading, by reading; of each the targets.
fn readings(entries: &[FidelityEntry]) -> String {
    let mut by_name: HashMap<&str, Vec<&InstDef>> = HashMap::new();
    for row in rows() {
        by_name.entry(row.mnemonic).or_default().push(row);
    }
    let mut by_reading: Vec<(&str, Vec<Targets<'_>>)> = Vec::new();
    for e in entries {
        let target = e.executed.target;
        let reading = Target::ALL
            .iter()
            .find(|t| t.name() == target)
            .and_then(|&t| {
                let rows = by_name.get(e.name)?;
                exception_reading(t, rows.iter().find(|r| r.has_target(t))?)
            });
        let Some(reading) = reading else { continue };
        let names = match by_reading.iter_mut().find(|(r, _)| *r == reading) {
            Some((_, names)) => names,
            None => {
                by_reading.push((reading, Vec::new()));
                let last = by_reading.len() - 1;
                &mut by_reading[last].1
            }
        };
        match names.last_mut() {
            Some((name, targets)) if *name == e.name => targets.push(target),
            _ => names.push((e.name, vec![target])),
        }
    }
    let mut text = String::new();
    for (reading, names) in by_reading {
        let _ = writeln!(text, "{}", reading.bold());
        for (name, targets) in names {
            let _ = writeln!(text, "    {name}  {}", targets.join(", "));
        }
    }
    text
}

/// A line for each instruction and status, the targets that share it together.
fn list(text: &mut String, entries: &[FidelityEntry]) {
    for of_name in entries.chunk_by(|a, b| a.name == b.name) {
        let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
        for e in of_name {
            let evidence: Vec<&str> = e.evidence.iter().map(|e| e.words()).collect();
            let line = match e.executed.detail {
                Some(d) => format!("{}: {d}", e.executed.status),
                None => format!("{} ({})", e.executed.status, evidence.join("; ")),
            };
            match lines.iter_mut().find(|(l, _)| *l == line) {
                Some((_, targets)) => targets.push(e.executed.target),
                None => lines.push((line, vec![e.executed.target])),
            }
        }
        for (line, targets) in lines {
            let _ = writeln!(text, "{}  {}", of_name[0].name.bold(), targets.join(", "));
            let _ = writeln!(text, "    {line}");
        }
    }
}
