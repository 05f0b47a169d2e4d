//! Documents as Markdown.

use super::{Block, Document, bits};

pub(super) fn write(doc: &Document) -> String {
    let mut out = String::new();
    for (i, block) in doc.blocks.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        match block {
            Block::Heading(level, text) => {
                out.push_str(&"#".repeat(*level as usize));
                out.push(' ');
                out.push_str(text);
                out.push('\n');
            }
            Block::Paragraph(text) => {
                out.push_str(&escape(text));
                out.push('\n');
            }
            Block::Code(lines) => fence(&mut out, lines),
            Block::List(points) => {
                for p in points {
                    out.push_str("* ");
                    out.push_str(&escape(p));
                    out.push('\n');
                }
            }
            Block::Table { head, rows } => table(&mut out, head, rows),
            Block::Bits(rows) => fence(&mut out, &bits::draw(rows)),
        }
    }
    out
}

fn fence(out: &mut String, lines: &[String]) {
    out.push_str("```\n");
    for line in lines {
        out.push_str(line);
        out.push('\n');
    }
    out.push_str("```\n");
}

fn table(out: &mut String, head: &[&str], rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0).max(head.len());
    let mut line = |cells: &mut dyn Iterator<Item = String>| {
        out.push('|');
        for cell in cells {
            out.push(' ');
            out.push_str(&cell);
            out.push_str(" |");
        }
        out.push('\n');
    };
    line(&mut (0..columns).map(|c| head.get(c).map_or(String::new(), |h| escape(h))));
    line(&mut (0..columns).map(|_| "---".to_owned()));
    for row in rows {
        line(&mut (0..columns).map(|c| row.get(c).map_or(String::new(), |t| escape(t))));
    }
}

/// Escapes what Markdown would read as markup.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '|' | '*' | '_' | '[' | ']' | '<' | '>' | '`' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
