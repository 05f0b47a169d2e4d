//! Search over names and descriptions.

use serde::Serialize;

use crate::catalogue::{GENERATIONS, Instruction, catalogue};
use crate::description::description;

/// An instruction that a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hit {
    /// The name, the newest generation's.
    pub name: &'static str,
    /// Its other names.
    pub aliases: Vec<&'static str>,
    /// The group.
    pub group: &'static str,
    /// What it does.
    pub summary: String,
    /// The generations that have it.
    pub generations: Vec<&'static str>,
}

/// The instructions that all the words fit, the best first.
///
/// A word fits where a name has it as a part, or the group, the summary, the notes or the formula
/// have a word that begins with it. Case makes no difference.
pub fn search(words: &str) -> Vec<Hit> {
    let words: Vec<String> = words
        .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.')
        .filter(|w| !w.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    if words.is_empty() {
        return Vec::new();
    }
    let mut hits: Vec<(u32, Hit)> = catalogue()
        .instructions()
        .iter()
        .filter_map(|i| hit(i, &words))
        .collect();
    hits.sort_by(|a, b| {
        b.0.cmp(&a.0)
            .then(a.1.name.len().cmp(&b.1.name.len()))
            .then(a.1.name.cmp(b.1.name))
    });
    hits.into_iter().map(|(_, h)| h).collect()
}

fn hit(instruction: &Instruction, words: &[String]) -> Option<(u32, Hit)> {
    let names = instruction.all_names();
    let name = GENERATIONS
        .into_iter()
        .rev()
        .find_map(|g| instruction.name_in(g))?;
    let d = description(name)?;
    let lower = |s: &str| s.to_lowercase();
    let (group, summary) = (lower(d.group), lower(&d.summary));
    let rest = lower(&format!(
        "{} {} {}",
        d.notes.join(" "),
        d.prose,
        d.formula.join(" ")
    ));
    let mut score = 0;
    for w in words {
        let best = if names.iter().any(|n| n == w) {
            100
        } else if names.iter().any(|n| n.split('_').any(|part| part == w)) {
            30
        } else if names.iter().any(|n| n.contains(w.as_str())) {
            20
        } else if begins_word(&summary, w) {
            12
        } else if begins_word(&group, w) {
            8
        } else if begins_word(&rest, w) {
            3
        } else {
            return None;
        };
        score += best;
    }
    let hit = Hit {
        name,
        aliases: names.into_iter().filter(|n| *n != name).collect(),
        group: d.group,
        summary: d.summary,
        generations: instruction.generations().map(|g| g.name()).collect(),
    };
    Some((score, hit))
}

/// Whether a word of `text` begins with `w`, or, for a plural or another ending of `w`, with its
/// stem.
fn begins_word(text: &str, w: &str) -> bool {
    let stem = if w.len() > 5 {
        w.strip_suffix("ing")
            .or_else(|| w.strip_suffix("es"))
            .or_else(|| w.strip_suffix('s'))
            .or_else(|| w.strip_suffix("ed"))
            .unwrap_or(w)
    } else {
        w
    };
    text.match_indices(stem).any(|(at, _)| {
        !text[..at]
            .chars()
            .next_back()
            .is_some_and(char::is_alphanumeric)
    })
}
