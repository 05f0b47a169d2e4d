//! The pages of the vocabulary: counters, registers, fields, operand types, formats, memory.

use super::frame::{self, Crumb};
use super::{fidelity, front, notation};
use crate::amd;
use crate::catalogue::GENERATIONS;
use crate::render::html::{Html, code, in_words, list, prose, slug, term_place};
use crate::vocabulary::{Term, TermKind, buffer_formats, terms};

/// A page of the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Page {
    Index,
    Memory,
    Counters,
    Registers,
    Fields,
    OperandTypes,
    DataFormats,
    BufferFormats,
    Notation,
    Fidelity,
}

impl Page {
    pub(super) const ALL: [Self; 10] = [
        Self::Index,
        Self::Memory,
        Self::Counters,
        Self::Registers,
        Self::Fields,
        Self::OperandTypes,
        Self::DataFormats,
        Self::BufferFormats,
        Self::Notation,
        Self::Fidelity,
    ];

    pub(super) fn file(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Memory => "memory",
            Self::Counters => "counters",
            Self::Registers => "registers",
            Self::Fields => "fields",
            Self::OperandTypes => "operand-types",
            Self::DataFormats => "data-formats",
            Self::BufferFormats => "buffer-formats",
            Self::Notation => "notation",
            Self::Fidelity => "fidelity",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.file() == name)
    }

    fn title(self) -> &'static str {
        match self {
            Self::Index => "Vocabulary",
            Self::Memory => "Memory access",
            Self::Counters => "Counters",
            Self::Registers => "Registers",
            Self::Fields => "Fields",
            Self::OperandTypes => "Operand types",
            Self::DataFormats => "Data formats",
            Self::BufferFormats => "Buffer formats",
            Self::Notation => "How to read a page",
            Self::Fidelity => "How exactly they run",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::Index => "What the words on the instructions’ pages mean.",
            Self::Memory => {
                "How the address of each kind of access comes about, what is checked, what happens out of range, and when the result may be read."
            }
            Self::Counters => {
                "Counters of outstanding operations: what goes up with them, and what waits for them."
            }
            Self::Registers => "The registers of a wave and of its surroundings.",
            Self::Fields => "The bit fields of the encodings.",
            Self::OperandTypes => {
                "AMD’s names for what may stand in an operand’s field, as the instructions’ pages list them."
            }
            Self::DataFormats => "AMD’s names for what an operand’s data is.",
            Self::BufferFormats => {
                "The formats of typed buffer access, with the code of each generation."
            }
            Self::Fidelity => {
                "What Waveglass does exactly, what approximately and with which error, what it refuses, and what was tested how."
            }
            Self::Notation => "The notation of formulas, and the colours of drawn encodings.",
        }
    }

    fn kind(self) -> Option<TermKind> {
        Some(match self {
            Self::Memory => TermKind::Memory,
            Self::Counters => TermKind::Counter,
            Self::Registers => TermKind::Register,
            Self::Fields => TermKind::Field,
            Self::OperandTypes => TermKind::OperandType,
            Self::DataFormats => TermKind::DataFormat,
            Self::Index | Self::BufferFormats | Self::Notation | Self::Fidelity => return None,
        })
    }
}

/// The pages as points.
pub(super) fn pages(h: &mut Html, folder: &str) {
    for p in Page::ALL {
        if p != Page::Index {
            h.raw("<li>")
                .link(&format!("{folder}{}.html", p.file()), p.title())
                .raw("<br><small>")
                .text(p.about())
                .raw("</small>");
        }
    }
}

pub(super) fn page(page: Page) -> String {
    let mut h = Html::new();
    h.raw("<h1>")
        .text(page.title())
        .raw("</h1><p class=s>")
        .text(page.about());
    match page {
        Page::Index => {
            h.raw("<ul class=d>");
            pages(&mut h, "");
            h.raw("</ul>");
        }
        Page::BufferFormats => formats(&mut h),
        Page::Notation => notation::write(&mut h),
        Page::Fidelity => fidelity::write(&mut h),
        _ => {
            if let Some(kind) = page.kind() {
                entries(&mut h, kind);
            }
        }
    }
    let up = [Crumb {
        href: "index.html".to_owned(),
        name: "Vocabulary",
    }];
    let crumbs = if page == Page::Index { &[][..] } else { &up };
    frame::page(page.title(), "../", crumbs, h)
}

/// The entries of a kind, those of one name under one heading.
fn entries(h: &mut Html, kind: TermKind) {
    let mut by_name: Vec<(&str, Vec<&Term>)> = Vec::new();
    for t in terms().iter().filter(|t| t.kind == kind) {
        let name = t.names.first().copied().unwrap_or_default();
        match by_name.iter_mut().find(|(n, _)| *n == name) {
            Some((_, all)) => all.push(t),
            None => by_name.push((name, vec![t])),
        }
    }
    if matches!(
        kind,
        TermKind::Field | TermKind::OperandType | TermKind::DataFormat
    ) {
        by_name.sort_by_key(|(n, _)| *n);
    }
    h.raw("<ul class=c>");
    for (name, _) in &by_name {
        h.raw("<li>").link(&format!("#{}", slug(name)), name);
    }
    h.raw("</ul>");
    let mut ids: Vec<String> = Vec::new();
    for (name, all) in by_name {
        let id = slug(name);
        h.raw("<h2").attr("id", &id).raw(">").text(name);
        ids.push(id);
        let mut others: Vec<&str> = all.iter().flat_map(|t| &t.names[1..]).copied().collect();
        others.dedup();
        for other in others {
            let id = slug(other);
            h.raw(", <span");
            if !ids.contains(&id) {
                h.attr("id", &id);
                ids.push(id);
            }
            h.raw(">").text(other).raw("</span>");
        }
        h.raw("</h2>");
        for t in all {
            entry(h, t);
        }
    }
}

/// Where an entry holds, in words; empty where it holds everywhere.
fn only(t: &Term) -> String {
    let generations: Vec<&str> = GENERATIONS
        .into_iter()
        .filter(|g| t.only.contains(&amd::key(*g)))
        .map(|g| g.name())
        .collect();
    match t.kind {
        _ if t.only.is_empty() || t.only.contains(&"all") => String::new(),
        TermKind::Field => format!("In {}", t.only.join(", ")),
        _ => format!("On {}", in_words(&generations)),
    }
}

pub(super) fn entry(h: &mut Html, t: &Term) {
    let links = frame::links();
    let only = only(t);
    if !only.is_empty() {
        h.raw("<h3>").text(&only).raw("</h3>");
    }
    for p in &t.text {
        h.raw("<p>");
        prose(h, p, &links);
    }
    code(h, &t.formula, &links);
    if t.kind == TermKind::Memory {
        for (what, lines) in [
            ("Checked", &t.checks),
            ("Out of range", &t.notes),
            ("When it is done", &t.completion),
        ] {
            if !lines.is_empty() {
                h.raw("<h4>").text(what).raw("</h4>");
                list(h, lines, &links);
            }
        }
        return;
    }
    list(h, &t.fields, &links);
    list(h, &t.completion, &links);
    list(h, &t.checks, &links);
    list(h, &t.notes, &links);
}

fn formats(h: &mut Html) {
    h.raw("<div class=w><table class=m><tr><th>Format<th>Bytes<th>Components<th>Numbers");
    let formats = buffer_formats();
    // Generations with the same codes share a column.
    let code = |f: &crate::vocabulary::BufferFormat, g: &str| {
        f.codes
            .iter()
            .find(|(name, _)| *name == g)
            .map(|(_, c)| c.clone())
    };
    let mut columns: Vec<(Vec<&str>, Vec<Option<String>>)> = Vec::new();
    for g in GENERATIONS {
        let codes: Vec<Option<String>> = formats.iter().map(|f| code(f, g.name())).collect();
        match columns.iter_mut().find(|(_, c)| *c == codes) {
            Some((on, _)) => on.push(g.name()),
            None => columns.push((vec![g.name()], codes)),
        }
    }
    for (on, _) in &columns {
        h.raw("<th>").text(&in_words(on));
    }
    for (i, f) in formats.iter().enumerate() {
        let widths: Vec<String> = f.components.iter().map(u32::to_string).collect();
        h.raw("<tr><th")
            .attr("id", &slug(&f.name))
            .raw(">BUF_FMT_")
            .text(&f.name)
            .raw("<td>")
            .number(f.bytes)
            .raw("<td>")
            .text(&widths.join(" + "))
            .raw("<td>")
            .text(f.number);
        for (_, codes) in &columns {
            h.raw("<td>").text(codes[i].as_deref().unwrap_or("–"));
        }
    }
    h.raw("</table></div>");
}

/// A word that the search finds.
pub(super) struct Word {
    pub place: String,
    pub name: String,
    pub kind: &'static str,
    pub text: String,
}

/// Every word of the vocabulary, the questions among them.
pub(super) fn words() -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let plain = |s: &str| s.replace(['`', '|'], "");
    for t in terms() {
        let text = t.text.first().map(|s| plain(s)).unwrap_or_default();
        if t.kind == TermKind::Answer {
            words.push(Word {
                place: format!("index.html#{}", front::answer_id(t)),
                name: text,
                kind: "question",
                text: plain(&t.text.get(1..).unwrap_or_default().join(" ")),
            });
            continue;
        }
        for name in &t.names {
            let place = match t.kind {
                TermKind::Notation => None,
                TermKind::Memory => Some(format!("vocabulary/memory.html#{}", slug(name))),
                TermKind::Encoding if name.starts_with("ENC_") => None,
                _ => term_place(name),
            };
            let exists =
                |p: &String| super::Place::of(p.split('#').next().unwrap_or_default()).is_some();
            if let Some(place) = place.filter(exists)
                && words.iter().all(|w| w.place != place)
            {
                words.push(Word {
                    place,
                    name: (*name).to_owned(),
                    kind: t.kind.name(),
                    text: text.clone(),
                });
            }
        }
    }
    words
}
