//! What may be meant by a mnemonic that the target does not have.

use super::diagnostic::Problem;
use super::pattern::{Form, Table, aliases};
use waveglass_isa::{Target, rows};

/// The finding for an unknown mnemonic.
pub(super) fn unknown(name: &[u8], at: usize, target: Target) -> Problem {
    let text = String::from_utf8_lossy(name).to_lowercase();
    let base = String::from_utf8_lossy(Form::split(text.as_bytes()).0).into_owned();
    if let Some(p) = elsewhere(&base, at, target) {
        return p;
    }
    let p = Problem::at(at, "invalid instruction");
    match nearest(&base, target) {
        Some(near) => p.help(format!("did you mean {near}?")),
        None => p,
    }
}

/// An instruction of other targets is named as such, with what stands for it here.
fn elsewhere(base: &str, at: usize, target: Target) -> Option<Problem> {
    let mut targets = 0u32;
    for r in rows() {
        if r.mnemonic == base || r.mnemonic.split(" :: ").next() == Some(base) {
            targets |= r.targets as u32;
        }
    }
    // Aliases lead to the instruction's other names.
    let mut names = vec![base.to_owned()];
    for (alias, name, on) in aliases() {
        if alias == base {
            targets |= on;
            names.push(name.to_owned());
        }
        if name == base {
            names.push(alias.to_owned());
        }
    }
    if targets == 0 {
        return None;
    }
    let here = Table::of(target);
    let twin = names
        .iter()
        .skip(1)
        .find(|n| here.find(n.as_bytes()).is_some());
    let list: Vec<&str> = Target::ALL
        .iter()
        .filter(|t| targets >> t.index() & 1 != 0)
        .map(|t| t.name())
        .collect();
    let p = Problem::at(at, format!("instruction not supported on {target}"));
    let exists = format!("{base} exists on {}", list.join(", "));
    Some(p.help(match twin {
        Some(t) => format!("{exists}; {target} has {t}"),
        None => exists,
    }))
}

/// The closest name of the target, if one is close.
fn nearest(base: &str, target: Target) -> Option<&'static str> {
    let most = (base.len() / 4).clamp(1, 4);
    Table::of(target)
        .names()
        .filter(|n| n.len().abs_diff(base.len()) <= most && !n.contains("::"))
        .map(|n| (distance(base.as_bytes(), n.as_bytes(), most), n))
        .filter(|(d, _)| *d <= most)
        .min()
        .map(|(_, n)| n)
}

/// The number of edits between two names, or more than `most`.
fn distance(a: &[u8], b: &[u8], most: usize) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = corner + (x != y) as usize;
            corner = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(corner + 1);
        }
        if row.iter().all(|d| *d > most) {
            return most + 1;
        }
    }
    row[b.len()]
}
