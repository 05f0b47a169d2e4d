//! A document's blocks as HTML.

use super::bits::bits;
use super::{Html, Links, prose, slug};
use crate::render::{Block, Document};

/// The blocks of a document, headings one level below `above`.
pub(crate) fn document(h: &mut Html, doc: &Document, above: u8, links: &Links) {
    for block in &doc.blocks {
        match block {
            Block::Heading(level, text) => heading(h, level + above, text),
            Block::Paragraph(text) => {
                h.raw("<p>");
                prose(h, text, links);
            }
            Block::Code(lines) => {
                h.raw("<pre>");
                for line in lines {
                    h.text(line).raw("\n");
                }
                h.raw("</pre>");
            }
            Block::List(points) => list(h, points, links),
            Block::Table { head, rows } => {
                h.raw("<div class=w><table>");
                if !head.is_empty() {
                    h.raw("<tr>");
                    for name in head {
                        h.raw("<th>").text(name);
                    }
                }
                for row in rows {
                    h.raw("<tr>");
                    for (i, cell) in row.iter().enumerate() {
                        h.raw(if i == 0 { "<th>" } else { "<td>" });
                        prose(h, cell, links);
                    }
                }
                h.raw("</table></div>");
            }
            Block::Bits(rows) => bits(h, rows),
        }
    }
}

fn heading(h: &mut Html, level: u8, text: &str) {
    match level {
        0 | 1 => h.raw("<h1>").text(text).raw("</h1>"),
        2 => h
            .raw("<h2")
            .attr("id", &slug(text))
            .raw(">")
            .text(text)
            .raw("</h2>"),
        _ => h.raw("<h3>").text(text).raw("</h3>"),
    };
}

/// A list of points.
pub(crate) fn list(h: &mut Html, points: &[String], links: &Links) {
    if points.is_empty() {
        return;
    }
    h.raw("<ul>");
    for p in points {
        h.raw("<li>");
        prose(h, p, links);
    }
    h.raw("</ul>");
}
