//! Documents: what cards and comparisons say, apart from how it is written down.
//!
//! A [`Document`] is a list of blocks; [`Document::to_text`] writes it for a terminal,
//! [`Document::to_markdown`] as Markdown.

mod bits;
mod card;
pub(crate) mod html;
mod markdown;
mod text;

pub use card::{card_document, differences_in_words};

use crate::card::BitRow;

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// A heading: 1 for the document's own, 2 and 3 below it.
    Heading(u8, String),
    /// A paragraph.
    Paragraph(String),
    /// Lines as they stand.
    Code(Vec<String>),
    /// Points.
    List(Vec<String>),
    /// A table.
    Table {
        /// The columns' names; empty for a table without a head.
        head: Vec<&'static str>,
        /// The rows.
        rows: Vec<Vec<String>>,
    },
    /// An encoding, drawn.
    Bits(Vec<BitRow>),
}

/// What there is to say, block by block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The blocks.
    pub blocks: Vec<Block>,
}

impl Document {
    pub(crate) fn heading(&mut self, level: u8, text: impl Into<String>) {
        self.blocks.push(Block::Heading(level, text.into()));
    }

    pub(crate) fn paragraph(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.blocks.push(Block::Paragraph(text));
        }
    }

    /// Lines of code; names in backquotes stand as they are in it.
    pub(crate) fn code(&mut self, mut lines: Vec<String>) {
        if !lines.is_empty() {
            lines.iter_mut().for_each(|l| l.retain(|c| c != '`'));
            self.blocks.push(Block::Code(lines));
        }
    }

    pub(crate) fn list(&mut self, points: Vec<String>) {
        if !points.is_empty() {
            self.blocks.push(Block::List(points));
        }
    }

    pub(crate) fn table(&mut self, head: &[&'static str], rows: Vec<Vec<String>>) {
        if !rows.is_empty() {
            self.blocks.push(Block::Table {
                head: head.to_vec(),
                rows,
            });
        }
    }

    /// The document for a terminal of `width` columns; `heading` dresses headings.
    pub fn to_text(&self, width: usize, heading: impl Fn(&str) -> String) -> String {
        text::write(self, width, heading)
    }

    /// The document as an HTML page that stands alone: the style is in it, and it has no links.
    pub fn to_html(&self, title: &str) -> String {
        html::standing_alone(title, |h| {
            html::document(h, self, 0, &html::Links::none(None));
        })
    }

    /// The document as Markdown.
    pub fn to_markdown(&self) -> String {
        markdown::write(self)
    }
}

/// Bits as in "31:26" or "7".
pub(crate) fn range(hi: u32, lo: u32) -> String {
    if hi == lo {
        lo.to_string()
    } else {
        format!("{hi}:{lo}")
    }
}
