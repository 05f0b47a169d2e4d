//! The tests of a source file, and what they say of themselves.

use std::collections::BTreeSet;
use waveglass_isa::Target;

/// A test.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Test {
    file: String,
    name: String,
    /// Its rule, or its name as a sentence.
    pub(super) text: String,
    /// Manual sections, empty where it cites none.
    pub(super) section: String,
    /// Ids of sentences.
    pub(super) claims: Vec<String>,
    /// Points that it belongs to.
    pub(super) points: Vec<u32>,
    /// The generations that it names.
    pub(super) generations: BTreeSet<usize>,
}

impl Test {
    /// File and function.
    pub(super) fn path(&self) -> String {
        format!("{}::{}", self.file, self.name)
    }
}

/// The generations as a test may name them, with what the table calls them, in the table's order.
const GENERATIONS: [(&str, &str); 11] = [
    ("Gcn5", "Vega"),
    ("Cdna1", "CDNA 1"),
    ("Cdna2", "CDNA 2"),
    ("Cdna3", "CDNA 3"),
    ("Cdna4", "CDNA 4"),
    ("Rdna1", "RDNA 1"),
    ("Rdna2", "RDNA 2"),
    ("Rdna3", "RDNA 3"),
    ("Rdna3_5", "RDNA 3.5"),
    ("Rdna4", "RDNA 4"),
    ("Cdna5", "CDNA 5"),
];

/// Generations as text.
pub(super) fn generations<'a>(named: impl IntoIterator<Item = &'a usize>) -> String {
    let named: BTreeSet<usize> = named.into_iter().copied().collect();
    match named.len() {
        0 => "any".to_owned(),
        n if n == GENERATIONS.len() => "all".to_owned(),
        _ => {
            let names: Vec<&str> = named.iter().map(|&i| GENERATIONS[i].1).collect();
            names.join(", ")
        }
    }
}

/// The generation of a target, as [`GENERATIONS`] counts.
fn generation_of(target: Target) -> Option<usize> {
    let generation = format!("{:?}", waveglass_exec::dispatch::memory_generation(target));
    GENERATIONS.iter().position(|(name, _)| *name == generation)
}

/// The generations that code names.
fn named(code: &str) -> BTreeSet<usize> {
    let mut out = BTreeSet::new();
    let after = |prefix: &'static str| {
        code.match_indices(prefix).map(move |(at, _)| {
            let rest = &code[at + prefix.len()..];
            let end = rest
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            &rest[..end]
        })
    };
    for name in after("Generation::") {
        match name {
            "ALL" => out.extend(0..GENERATIONS.len()),
            _ => out.extend(GENERATIONS.iter().position(|(g, _)| *g == name)),
        }
    }
    for name in after("Target::") {
        match name {
            "ALL" => out.extend(0..GENERATIONS.len()),
            _ => out.extend(
                Target::ALL
                    .iter()
                    .find(|t| t.name() == name.to_lowercase())
                    .and_then(|&t| generation_of(t)),
            ),
        }
    }
    out
}

/// The items of a file that a test may use: each with its name and its text.
fn items(lines: &[&str]) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < lines.len() {
        let line = lines[i].trim_start();
        let indent = lines[i].len() - line.len();
        let line = line
            .trim_start_matches("pub(super) ")
            .trim_start_matches("pub(crate) ")
            .trim_start_matches("pub ")
            .trim_start_matches("const fn ")
            .trim_start_matches("fn ")
            .trim_start_matches("const ")
            .trim_start_matches("static ");
        let is_item = line.len() + indent < lines[i].len();
        let name: String = line
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        if is_item && !name.is_empty() {
            let end = item_end(lines, i, indent);
            out.push((name, lines[i..end].join("\n")));
        }
        i += 1;
    }
    out
}

/// The line after the item that begins at line `start`: the first that closes it at its indentation.
fn item_end(lines: &[&str], start: usize, indent: usize) -> usize {
    if lines[start].trim_end().ends_with(';') || lines[start].trim_end().ends_with("{}") {
        return start + 1;
    }
    let closes = |l: &str| {
        let text = l.trim_start();
        l.len() - text.len() == indent && (text.starts_with('}') || text.starts_with(']'))
    };
    (start + 1..lines.len())
        .find(|&n| closes(lines[n]))
        .map_or(lines.len(), |n| n + 1)
}

fn uses(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let boundary = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        boundary(code[..at].chars().next_back()) && boundary(code[at + name.len()..].chars().next())
    })
}

/// The generations that `code` and the items that it uses, directly or not, name.
fn covered(code: &str, items: &[(String, String)]) -> BTreeSet<usize> {
    let mut out = named(code);
    let mut seen = BTreeSet::new();
    let mut open = vec![code];
    while let Some(code) = open.pop() {
        for (name, text) in items {
            if !seen.contains(name) && uses(code, name) {
                seen.insert(name);
                out.extend(named(text));
                open.push(text);
            }
        }
    }
    out
}

/// The tests of one source file that say something of a rule.
pub(super) fn tests(file: &str, source: &str) -> Vec<Test> {
    let lines: Vec<&str> = source.lines().collect();
    let items = items(&lines);
    let mut points = Vec::new();
    let mut out = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let next = lines.get(i + 1).map_or("", |l| l.trim());
        if line.trim().starts_with("// points:") && !next.starts_with("//") && next != "#[test]" {
            points = numbers(line);
        }
        if line.trim() != "#[test]" {
            continue;
        }
        let found = (i..lines.len()).find_map(|n| {
            let name = lines[n].trim().strip_prefix("fn ")?.split('(').next()?;
            Some((n, name))
        });
        let Some((at, name)) = found else { continue };
        let indent = lines[at].len() - lines[at].trim_start().len();
        let body = &lines[at..item_end(&lines, at, indent)];
        let above = lines[..i]
            .iter()
            .rev()
            .take_while(|l| l.trim().starts_with("//"))
            .count();
        let mut test = Test {
            file: file.to_owned(),
            name: name.to_owned(),
            generations: covered(&body.join("\n"), &items),
            ..Test::default()
        };
        let mut comment = Vec::new();
        let mut own_points = None;
        let mut claiming = false;
        for line in lines[i - above..i].iter().map(|l| l.trim()) {
            let text = line.trim_start_matches('/').trim();
            if let Some(ids) = text.strip_prefix("claims:") {
                claiming = true;
                test.claims.extend(ids_of(ids));
            } else if text.starts_with("points:") {
                claiming = false;
                own_points = Some(numbers(line));
            } else if claiming {
                test.claims.extend(ids_of(text));
            } else {
                comment.push(text);
            }
        }
        test.points = own_points.unwrap_or_else(|| points.clone());
        let comment = comment.join(" ");
        match comment.split_once("rule:") {
            Some((_, rest)) => {
                let (rule, section) = rest.split_once("; section").unwrap_or((rest, ""));
                test.text = rule.trim().to_owned();
                test.section = section.trim().trim_end_matches('.').to_owned();
            }
            None => {
                test.text = name.replace('_', " ");
                test.section = match comment.contains(" ISA ") {
                    true => comment,
                    false => body
                        .iter()
                        .map(|l| l.trim())
                        .filter(|l| l.starts_with("//") && l.contains(" ISA "))
                        .map(|l| l.trim_start_matches('/').trim())
                        .collect::<Vec<_>>()
                        .join(" "),
                };
                test.section = test.section.trim_end_matches('.').to_owned();
            }
        }
        if !test.claims.is_empty() || !test.points.is_empty() {
            out.push(test);
        }
    }
    out
}

fn ids_of(text: &str) -> impl Iterator<Item = String> {
    text.split(',')
        .map(|id| id.trim().trim_end_matches('.').to_owned())
        .filter(|id| !id.is_empty())
}

/// The numbers of a `// points:` line.
fn numbers(line: &str) -> Vec<u32> {
    line.split(|c: char| !c.is_ascii_digit())
        .filter_map(|n| n.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_say_their_rules_claims_and_points() {
        let source = "// points: 5\n\n// rule: offsets add; section Vega ISA 9.3,\n// RDNA 3 ISA 11.2.\n\
                      // claims: a-1,\n// a-2\n#[test]\nfn a() {\n}\n\n// Vega ISA 9.6.\n// points: 6\n\
                      #[test]\nfn bad_lanes_read_zero() {\n}\n\n#[test]\nfn c() {\n    // CDNA 5 ISA 10.2: \
                      after.\n}\n\n// Another's RDNA 3 ISA 1.\n#[test]\nfn d() {\n}\n";
        let found = tests("f", source);
        let says: Vec<(&str, &str, &[u32])> = found
            .iter()
            .map(|t| (t.text.as_str(), t.section.as_str(), &t.points[..]))
            .collect();
        assert_eq!(
            says,
            [
                ("offsets add", "Vega ISA 9.3, RDNA 3 ISA 11.2", &[5u32][..]),
                ("bad lanes read zero", "Vega ISA 9.6", &[6]),
                ("c", "CDNA 5 ISA 10.2: after", &[5]),
                ("d", "Another's RDNA 3 ISA 1", &[5]),
            ]
        );
        assert_eq!(found[0].claims, ["a-1", "a-2"]);
        assert_eq!(found[2].path(), "f::c");
    }

    #[test]
    fn generations_are_those_that_a_test_and_what_it_uses_name() {
        let source = "// points: 1\n\nconst SOME: &[Target] = &[\n    Target::Gfx1100,\n];\n\nfn each() {\n    \
                      Generation::Cdna5;\n}\n\n#[test]\nfn a() {\n    each(SOME);\n    Target::Gfx900\n}\n\n\
                      #[test]\nfn b() {\n    Generation::ALL\n}\n\n#[test]\nfn c() {\n}\n";
        let found: Vec<String> = tests("f", source)
            .iter()
            .map(|t| generations(&t.generations))
            .collect();
        assert_eq!(found, ["Vega, RDNA 3, CDNA 5", "all", "any"]);
    }
}
