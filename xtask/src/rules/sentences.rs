//! The sentences that the memory model is to keep, from `xtask/data/memory-rules.txt`.

use anyhow::{Result, bail};

/// One sentence.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) id: String,
    /// The points that it belongs to.
    pub(super) points: Vec<u32>,
    pub(super) section: String,
    pub(super) text: String,
}

/// Sentences of one source.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) title: String,
    pub(super) about: String,
    pub(super) sentences: Vec<Sentence>,
}

/// All of them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sentences {
    /// The points' numbers and titles.
    pub(super) points: Vec<(u32, String)>,
    pub(super) parts: Vec<Part>,
}

impl Sentences {
    /// Reads the file: `point N: TITLE`, `part TITLE` with a line about it, and under it
    /// `ID | POINTS | SECTION | TEXT`. Empty lines and lines that begin with `#` are nothing.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let mut all = Self::default();
        for (n, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some((number, title)) =
                line.strip_prefix("point ").and_then(|l| l.split_once(": "))
            {
                all.points.push((number.parse()?, title.to_owned()));
                continue;
            }
            if let Some(title) = line.strip_prefix("part ") {
                all.parts.push(Part {
                    title: title.to_owned(),
                    ..Part::default()
                });
                continue;
            }
            let Some(part) = all.parts.last_mut() else {
                bail!("line {}: a sentence before the first part", n + 1);
            };
            if part.about.is_empty() {
                part.about = line.to_owned();
                continue;
            }
            let fields: Vec<&str> = line.splitn(4, " | ").collect();
            let [id, points, section, text] = fields[..] else {
                bail!("line {}: not ID | POINTS | SECTION | TEXT", n + 1);
            };
            let points = points
                .split(' ')
                .map(str::parse)
                .collect::<Result<_, _>>()?;
            part.sentences.push(Sentence {
                id: id.to_owned(),
                points,
                section: section.to_owned(),
                text: text.to_owned(),
            });
        }
        let mut ids: Vec<&str> = all.all().map(|s| s.id.as_str()).collect();
        ids.sort_unstable();
        if let Some(twice) = ids.windows(2).find(|w| w[0] == w[1]) {
            bail!("{} stands twice", twice[0]);
        }
        Ok(all)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Sentence> {
        self.parts.iter().flat_map(|p| &p.sentences)
    }

    /// The sections of these sentences.
    pub(super) fn sections(&self, ids: &[String]) -> String {
        let mut sections: Vec<&str> = Vec::new();
        for s in self.all().filter(|s| ids.contains(&s.id)) {
            if !sections.contains(&s.section.as_str()) {
                sections.push(&s.section);
            }
        }
        sections.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_no_sentence_are_told_by_number() {
        let told = |text| Sentences::parse(text).unwrap_err().to_string();
        assert_eq!(
            told("a | 1 | b | c"),
            "line 1: a sentence before the first part"
        );
        assert_eq!(
            told("part A\nB\na | 1"),
            "line 3: not ID | POINTS | SECTION | TEXT"
        );
        assert_eq!(
            told("part A\nB\na | 1 | s | t\na | 1 | s | t\n"),
            "a stands twice"
        );
    }
}
