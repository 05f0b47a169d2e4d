//! Documents for a terminal.

use super::{Block, Document, bits};

pub(super) fn write(doc: &Document, width: usize, heading: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    for (i, block) in doc.blocks.iter().enumerate() {
        let after_heading = i > 0 && matches!(doc.blocks[i - 1], Block::Heading(..));
        if i > 0 && !after_heading {
            out.push('\n');
        }
        match block {
            Block::Heading(_, text) => {
                out.push_str(&heading(text));
                out.push('\n');
            }
            Block::Paragraph(text) => wrap(&mut out, text, width, "", ""),
            Block::Code(lines) => {
                for line in lines {
                    out.push_str("    ");
                    out.push_str(line);
                    out.push('\n');
                }
            }
            Block::List(points) => {
                for p in points {
                    wrap(&mut out, p, width, "  - ", "    ");
                }
            }
            Block::Table { head, rows } => table(&mut out, head, rows, width),
            Block::Bits(rows) => {
                for line in bits::draw(rows) {
                    out.push_str("  ");
                    out.push_str(&line);
                    out.push('\n');
                }
            }
        }
    }
    out
}

/// Breaks text into lines of at most `width` columns.
fn wrap(out: &mut String, text: &str, width: usize, first: &str, rest: &str) {
    let mut line = first.to_owned();
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > width {
            out.push_str(line.trim_end());
            out.push('\n');
            line = rest.to_owned();
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

/// Columns as wide as they need; the last one is wrapped.
fn table(out: &mut String, head: &[&str], rows: &[Vec<String>], width: usize) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0).max(head.len());
    let wide: Vec<usize> = (0..columns)
        .map(|c| {
            rows.iter()
                .filter_map(|r| r.get(c))
                .map(|t| t.chars().count())
                .chain(head.get(c).map(|h| h.chars().count()))
                .max()
                .unwrap_or(0)
        })
        .collect();
    let head: Vec<String> = head.iter().map(|h| (*h).to_owned()).collect();
    for row in std::iter::once(&head).filter(|h| !h.is_empty()).chain(rows) {
        let mut line = String::from("  ");
        let last = row.len().saturating_sub(1);
        for (c, cell) in row.iter().enumerate() {
            if c == last {
                let at = line.chars().count();
                let indent = " ".repeat(at);
                wrap(out, cell, width.max(at + 24), &line, &indent);
            } else {
                line.push_str(cell);
                line.push_str(&" ".repeat(wide[c] + 2 - cell.chars().count()));
            }
        }
    }
}
