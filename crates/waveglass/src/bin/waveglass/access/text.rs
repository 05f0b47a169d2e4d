//! What `waveglass access` prints.

use std::fmt::Write as _;

use owo_colors::OwoColorize as _;
use waveglass::access::{AccessReport, LaneAccess, Part, Place, Term};

/// The terms of an address with their values.
pub(crate) fn terms(list: &[Term]) -> String {
    let each: Vec<String> = list
        .iter()
        .map(|t| {
            format!(
                "{} = {}",
                t.name,
                signed_hex(t.value, t.name.ends_with(']'))
            )
        })
        .collect();
    each.join(", ")
}

/// Small negative numbers with their sign, unless they are addresses.
fn signed_hex(v: u64, is_address: bool) -> String {
    match v as i64 {
        n @ -0xffff_ffff..=-1 if !is_address => format!("-{:#x}", n.unsigned_abs()),
        _ => format!("{v:#x}"),
    }
}

pub(super) fn text(report: &AccessReport) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}  ({})", report.text.bold(), report.target);
    let _ = writeln!(out, "{}  [{}]", report.formula, report.source);
    if !report.shared.is_empty() {
        let _ = writeln!(out, "{}", terms(&report.shared));
    }
    for note in &report.notes {
        let _ = writeln!(out, "{note}");
    }
    for violation in &report.violations {
        let _ = writeln!(out, "{} {violation}", "violation:".red());
    }
    for contradiction in &report.contradictions {
        let _ = writeln!(
            out,
            "{} {contradiction}; what was executed is shown, and this is a defect of Waveglass to report",
            "contradiction:".red()
        );
    }
    let counters = match report.counters.as_slice() {
        [] => "none".to_owned(),
        some => some.join(" and "),
    };
    let _ = writeln!(out, "counters: {counters}\n");
    let mut off: Vec<u32> = Vec::new();
    for lane in &report.lanes {
        if !lane.active {
            off.push(lane.lane);
            continue;
        }
        lane_text(lane, report.scalar, &mut out);
    }
    if !off.is_empty() {
        let _ = writeln!(out, "off by EXEC: {}", ranges(&off));
    }
    if !report.scalars.is_empty() {
        let _ = writeln!(out, "written: {}", terms(&report.scalars));
    }
    out
}

/// Numbers in order, runs shortened: `0-3, 7`.
fn ranges(numbers: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &n in numbers {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == n => *end = n,
            _ => runs.push((n, n)),
        }
    }
    let each: Vec<String> = runs
        .iter()
        .map(|(a, b)| {
            if a == b {
                a.to_string()
            } else {
                format!("{a}-{b}")
            }
        })
        .collect();
    each.join(", ")
}

fn lane_text(lane: &LaneAccess, scalar: bool, out: &mut String) {
    let mut head = match scalar {
        true => "the wave".to_owned(),
        false => format!("lane {:<3}", lane.lane),
    };
    if !lane.terms.is_empty() {
        let _ = write!(head, "{}", terms(&lane.terms));
    }
    let _ = writeln!(out, "{}", head.trim_end());
    for part in &lane.parts {
        part_text(part, out);
    }
    if !lane.result.is_empty() {
        let values: Vec<String> = lane.result.iter().map(|v| format!("{v:#010x}")).collect();
        let _ = writeln!(out, "    result {}", values.join(" "));
    }
    if let Some(fault) = &lane.fault {
        let _ = writeln!(out, "    {} {fault}", "violation:".red().bold());
    }
}

fn part_text(part: &Part, out: &mut String) {
    let place = match &part.place {
        Place::Global { address, region } => format!(
            "global {address:#x}{}",
            region
                .as_ref()
                .map_or(String::new(), |r| format!(" in {r}"))
        ),
        Place::Lds { offset } => format!("LDS {offset:#x}"),
        Place::Gds { address } => format!("GDS {address:#x}"),
        Place::Scratch { offset, address } => {
            format!("scratch {offset:#x}, in memory at {address:#x}")
        }
        Place::Lane { lane } => {
            let value: Vec<String> = part
                .content
                .iter()
                .flatten()
                .rev()
                .map(|b| format!("{b:02x}"))
                .collect();
            let _ = writeln!(
                out,
                "    {} bytes of lane {lane}: 0x{}",
                part.bytes,
                value.concat()
            );
            return;
        }
        Place::NoLane { why } => {
            let _ = writeln!(out, "    nothing: {why}");
            return;
        }
        Place::Dropped { why } => format!("nothing: {why}"),
        Place::Violation { why } => format!("nothing: {why}"),
    };
    // A private offset has a sign.
    let offset = matches!(&part.place, Place::Violation { why } if why.contains("scratch"));
    let _ = writeln!(
        out,
        "    {} byte{} at {}: {place}",
        part.bytes,
        if part.bytes == 1 { "" } else { "s" },
        signed_hex(part.sum, !offset)
    );
    for check in &part.checks {
        let word = if check.holds { "yes" } else { "no " };
        let _ = writeln!(out, "      {word} {}", check.text);
    }
    if let Some(content) = &part.content {
        let bytes: Vec<String> = content.iter().map(|b| format!("{b:02x}")).collect();
        let _ = writeln!(out, "      then holds {}", bytes.join(" "));
    }
}
