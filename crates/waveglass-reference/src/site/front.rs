//! The front page: questions with their answers, and the ways into the reference.

use super::{encoding, frame, generation, group, vocabulary};
use crate::amd;
use crate::catalogue::{GENERATIONS, catalogue, targets};
use crate::render::html::{Html, Links, in_words, list, prose, slug};
use crate::vocabulary::{Term, TermKind, terms};

const LINKS: Links = Links {
    root: Some(""),
    generation: None,
};

/// The place of an answer on the front page.
pub(super) fn answer_id(t: &Term) -> String {
    slug(t.names.first().copied().unwrap_or_default())
}

pub(super) fn page() -> String {
    let mut h = Html::new();
    let pages: usize = GENERATIONS.into_iter().map(generation::count).sum();
    h.raw("<h1>AMD GPU instructions</h1><p class=s>")
        .text(&format!(
            "{} instructions of {} generations, {} to {}: what each does, how it is encoded, how exactly Waveglass runs it. {pages} pages, made from the table that decodes and executes them.",
            catalogue().instructions().len(),
            GENERATIONS.len(),
            "GCN 5 (Vega)",
            "CDNA 5 and RDNA 4",
        ));
    h.raw("<div id=search><noscript><p>The search needs JavaScript; the indexes below do without.</p></noscript></div>");
    let answers: Vec<&Term> = terms()
        .iter()
        .filter(|t| t.kind == TermKind::Answer)
        .collect();
    if !answers.is_empty() {
        h.raw("<h2 id=questions>Questions</h2>");
        for t in answers {
            h.raw("<details")
                .attr("id", &answer_id(t))
                .raw("><summary>");
            h.text(
                &t.text
                    .first()
                    .map(|q| q.replace('`', ""))
                    .unwrap_or_default(),
            )
            .raw("</summary>");
            for p in t.text.iter().skip(1) {
                h.raw("<p>");
                prose(&mut h, p, &LINKS);
            }
            list(&mut h, &t.notes, &LINKS);
            h.raw("</details>");
        }
    }
    h.raw("<h2 id=generations>Generations</h2><ul class=d>");
    for g in GENERATIONS {
        let on: Vec<&str> = targets(g).map(|t| t.name()).collect();
        h.raw("<li>")
            .link(&format!("{}/index.html", amd::key(g)), g.name())
            .raw("<br><small>")
            .text(&on.join(", "))
            .raw(" · ")
            .number(generation::count(g) as u64)
            .raw(" instructions</small>");
    }
    h.raw("</ul><h2 id=groups>");
    h.link("group/index.html", "Groups")
        .raw("</h2><ul class=c>");
    group::list(&mut h, "group/");
    h.raw("</ul><h2 id=encodings>");
    h.link("encoding/index.html", "Encodings")
        .raw("</h2><ul class=c>");
    for n in encoding::names() {
        h.raw("<li>").link(&format!("encoding/{n}.html"), n);
    }
    h.raw("</ul><h2 id=vocabulary>");
    h.link("vocabulary/index.html", "Vocabulary")
        .raw("</h2><ul class=d>");
    vocabulary::pages(&mut h, "vocabulary/");
    h.raw("</ul><h2 id=about>How far this goes</h2><p>");
    let all: Vec<&str> = GENERATIONS.into_iter().map(|g| g.name()).collect();
    h.text(&format!(
        "Every layout and opcode is what Waveglass decodes with, on {}; the examples are put through its assembler, and that is held to LLVM’s. AMD’s operand types and formats are from its machine-readable specifications; where a generation has none, the nearest one’s stand in, marked as inferred. The descriptions are the project’s own.",
        in_words(&all)
    ));
    frame::page("AMD GPU instruction reference – Waveglass", "", &[], h)
}
