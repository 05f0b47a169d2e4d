//! The text files under `data/`: entries of a head and indented lines.
//!
//! A head stands at the left margin; the lines below it are indented. The first character of a
//! line tells what it holds (`=` a formula, `!` a note, …), none of them prose; a line indented
//! by four spaces or more goes on with the one before. `#` at the margin begins a comment.

/// An entry: its head and its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The line of the head, from 1.
    pub line: usize,
    /// The head.
    pub head: &'static str,
    /// The lines: a marker or a blank, and the text.
    pub lines: Vec<(char, String)>,
}

/// An entry whose lines are not read yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The line of the head, from 1.
    pub line: usize,
    /// The head.
    pub head: &'static str,
    /// What stands below it.
    body: &'static str,
}

impl Entry {
    /// The lines: a marker or a blank, and the text.
    pub(crate) fn lines(&self) -> Vec<(char, String)> {
        let mut lines: Vec<(char, String)> = Vec::new();
        for line in self.body.lines() {
            let line = line.trim_end();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let body = line.trim_start();
            let indent = line.len() - body.len();
            if indent >= 4
                && let Some((_, last)) = lines.last_mut()
            {
                last.push(' ');
                last.push_str(body);
                continue;
            }
            let marked = body
                .split_once(' ')
                .filter(|(mark, _)| matches!(*mark, "=" | "!" | "?" | ">" | "-"));
            lines.push(match marked {
                Some((mark, rest)) => (mark.chars().next().unwrap_or(' '), rest.to_owned()),
                None => (' ', body.to_owned()),
            });
        }
        lines
    }
}

/// The entries of a file, found by their heads alone: most are never asked for.
pub(crate) fn entries(text: &'static str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let (mut at, mut body) = (0, 0);
    for (n, line) in text.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        if line.starts_with(|c: char| c.is_whitespace() || c == '#') {
            continue;
        }
        if let Some(last) = entries.last_mut() {
            last.body = &text[body..start];
        }
        body = at;
        entries.push(Entry {
            line: n + 1,
            head: line.trim_end(),
            body: &text[body..],
        });
    }
    entries
}

/// The entries of a file with their lines.
pub(crate) fn blocks(text: &'static str) -> Vec<Block> {
    let block = |e: &Entry| Block {
        line: e.line,
        head: e.head,
        lines: e.lines(),
    };
    entries(text).iter().map(block).collect()
}

/// The names that a word with braces stands for, each with what the groups chose:
/// `v_{add,sub}_f32` is `v_add_f32` and `v_sub_f32`.
pub(crate) fn expand(word: &'static str) -> Vec<(String, Vec<&'static str>)> {
    let Some(open) = word.find('{') else {
        return vec![(word.to_owned(), Vec::new())];
    };
    let Some(close) = word[open..].find('}').map(|at| open + at) else {
        return vec![(word.to_owned(), Vec::new())];
    };
    let rest = expand(&word[close + 1..]);
    let mut out = Vec::new();
    for choice in word[open + 1..close].split(',') {
        for (tail, choices) in &rest {
            let mut all = vec![choice];
            all.extend(choices);
            out.push((format!("{}{choice}{tail}", &word[..open]), all));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_multiply() {
        let names: Vec<String> = expand("v_{add,sub}_{f16,f32}")
            .into_iter()
            .map(|(n, _)| n)
            .collect();
        assert_eq!(names, ["v_add_f16", "v_add_f32", "v_sub_f16", "v_sub_f32"]);
        assert_eq!(expand("x{,_y}")[1], ("x_y".to_owned(), vec!["_y"]));
        assert_eq!(expand("x{")[0].0, "x{");
    }

    #[test]
    fn lines_have_markers_and_go_on() {
        let blocks =
            blocks("# c\nhead a\n  One\n    line.\n  = D = S0\n  ! Note\n    more\nnext\n");
        assert_eq!(blocks.len(), 2);
        assert_eq!(blocks[0].head, "head a");
        assert_eq!(
            blocks[0].lines,
            [
                (' ', "One line.".to_owned()),
                ('=', "D = S0".to_owned()),
                ('!', "Note more".to_owned())
            ]
        );
        assert_eq!(blocks[1].line, 8);
    }
}
