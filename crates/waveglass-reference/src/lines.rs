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

/// The entries of a file.
pub(crate) fn blocks(text: &'static str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let body = line.trim_start();
        let indent = line.len() - body.len();
        if indent == 0 {
            blocks.push(Block {
                line: at + 1,
                head: body,
                lines: Vec::new(),
            });
            continue;
        }
        let Some(block) = blocks.last_mut() else {
            continue;
        };
        if indent >= 4
            && let Some((_, last)) = block.lines.last_mut()
        {
            last.push(' ');
            last.push_str(body);
            continue;
        }
        let marked = body
            .split_once(' ')
            .filter(|(mark, _)| matches!(*mark, "=" | "!" | "?" | ">" | "-"));
        block.lines.push(match marked {
            Some((mark, rest)) => (mark.chars().next().unwrap_or(' '), rest.to_owned()),
            None => (' ', body.to_owned()),
        });
    }
    blocks
}

/// The names that a word with braces stands for, each with what the groups chose:
/// `v_{add,sub}_f32` is `v_add_f32` and `v_sub_f32`.
pub(crate) fn expand(word: &str) -> Vec<(String, Vec<String>)> {
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
            let mut all = vec![choice.to_owned()];
            all.extend(choices.iter().cloned());
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
        assert_eq!(
            expand("x{,_y}")[1],
            ("x_y".to_owned(), vec!["_y".to_owned()])
        );
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
