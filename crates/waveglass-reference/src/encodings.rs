//! Pages of encodings: the layout in each generation, and the instructions that have it.

use serde::Serialize;
use waveglass_isa::{Encoding, Generation, encoding, row_layout};

use crate::card::{BitKind, BitRow, plain_rows};
use crate::catalogue::{catalogue, targets};
use crate::render::{Block, Document, range};
use crate::vocabulary;

/// An encoding in the generations that have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EncodingPage {
    /// Its name in the manuals, as in "VBUFFER".
    pub name: String,
    /// Its layouts, generations with the same one together.
    pub layouts: Vec<EncodingLayout>,
}

/// A layout of an encoding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EncodingLayout {
    /// The generations that have it.
    pub generations: Vec<&'static str>,
    /// The width in bits.
    pub width: u32,
    /// The fields from the highest bit down.
    pub bits: Vec<BitRow>,
    /// The instructions with it as their main or another encoding, in each generation of the
    /// layout.
    pub instructions: Vec<&'static str>,
}

/// The names of the layouts that rows with a name of `def.encoding()` or of `encodings.tbl` have.
fn layouts_of(name: &str, generation: Generation) -> Vec<&'static Encoding> {
    let plain = |n: &str| {
        let n = n.to_ascii_uppercase();
        n.strip_prefix("ENC_").unwrap_or(&n).to_owned()
    };
    let wanted = plain(name);
    let Some(target) = targets(generation).next() else {
        return Vec::new();
    };
    if let Some(e) = encoding(&wanted, target) {
        return vec![e];
    }
    let mut out: Vec<&'static Encoding> = Vec::new();
    for r in waveglass_isa::rows() {
        if plain(r.encoding()) == wanted && targets(generation).any(|t| r.has_target(t)) {
            for (e, _) in row_layout(r, target) {
                if out.iter().all(|o| o.name != e.name) {
                    out.push(e);
                }
            }
        }
    }
    out
}

/// The page of an encoding by AMD's name of it or of its layout: `ENC_VBUFFER`, `VBUFFER`.
pub fn encoding_page(name: &str, generations: &[Generation]) -> EncodingPage {
    let mut page = EncodingPage {
        name: name.to_ascii_uppercase(),
        layouts: Vec::new(),
    };
    for &g in generations {
        for e in layouts_of(name, g) {
            let bits = plain_rows(e);
            match page.layouts.iter_mut().find(|l| l.bits == bits) {
                Some(l) => l.generations.push(g.name()),
                None => page.layouts.push(EncodingLayout {
                    generations: vec![g.name()],
                    width: e.bits as u32,
                    bits,
                    instructions: instructions(e.name, g),
                }),
            }
        }
    }
    page
}

fn instructions(layout: &str, generation: Generation) -> Vec<&'static str> {
    let Some(target) = targets(generation).next() else {
        return Vec::new();
    };
    catalogue()
        .names
        .iter()
        .filter(|n| {
            n.rows.iter().any(|r| {
                targets(generation).any(|t| r.has_target(t))
                    && row_layout(r, target).iter().any(|(e, _)| e.name == layout)
            })
        })
        .map(|n| n.mnemonic)
        .collect()
}

/// The names of every layout that one of the generations has.
pub fn encoding_names(generations: &[Generation]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for r in waveglass_isa::rows() {
        for &g in generations {
            let Some(t) = targets(g).find(|t| r.has_target(*t)) else {
                continue;
            };
            for (e, _) in row_layout(r, t) {
                if !names.contains(&e.name) {
                    names.push(e.name);
                }
            }
        }
    }
    names.sort_unstable();
    names
}

impl EncodingPage {
    /// The page as a document.
    pub fn document(&self) -> Document {
        let mut doc = Document::default();
        for l in &self.layouts {
            doc.heading(
                2,
                format!(
                    "{} on {}, {} bits",
                    self.name,
                    l.generations.join(", "),
                    l.width
                ),
            );
            doc.blocks.push(Block::Bits(l.bits.clone()));
            doc.table(
                &[],
                l.bits
                    .iter()
                    .filter(|b| b.kind != BitKind::Unassigned)
                    .map(|b| {
                        let plain = self.name.strip_prefix("ENC_").unwrap_or(&self.name);
                        vec![
                            range(b.hi, b.lo),
                            b.name.to_owned(),
                            vocabulary::field(b.name, &[plain])
                                .unwrap_or_default()
                                .to_owned(),
                        ]
                    })
                    .collect(),
            );
            doc.paragraph(format!("{} instructions.", l.instructions.len()));
        }
        doc
    }
}
