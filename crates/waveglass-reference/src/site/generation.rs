//! The index of a generation.

use waveglass_isa::Generation;

use super::{encoding, frame, group};
use crate::catalogue::{GENERATIONS, catalogue, targets};
use crate::description::groups;
use crate::render::html::{Html, slug};

/// How many instructions a generation has.
pub(super) fn count(generation: Generation) -> usize {
    catalogue()
        .instructions()
        .iter()
        .filter(|i| i.name_in(generation).is_some())
        .count()
}

pub(super) fn page(generation: Generation) -> String {
    let mut h = Html::new();
    h.raw("<h1>")
        .text(generation.name())
        .raw("</h1><p class=s>");
    h.number(count(generation) as u64).raw(" instructions on ");
    let on: Vec<&str> = targets(generation).map(|t| t.name()).collect();
    h.text(&on.join(", ")).raw(". Other generations: ");
    let mut first = true;
    for g in GENERATIONS {
        if g == generation {
            continue;
        }
        if !std::mem::take(&mut first) {
            h.raw(", ");
        }
        h.link(&format!("../{}/index.html", crate::amd::key(g)), g.name());
    }
    h.raw(".<h2>Encodings</h2><p>");
    for (i, e) in crate::encodings::encoding_names(&[generation])
        .into_iter()
        .enumerate()
    {
        if i > 0 {
            h.raw(", ");
        }
        if encoding::names().contains(&e) {
            h.link(&format!("../encoding/{e}.html"), e);
        }
    }
    for g in groups() {
        let names: Vec<&str> = group::members(g)
            .into_iter()
            .filter_map(|i| i.name_in(generation))
            .collect();
        if names.is_empty() {
            continue;
        }
        h.raw("<h2").attr("id", &slug(g)).raw(">");
        h.link(&format!("../group/{}.html", slug(g)), g);
        h.raw("</h2><ul class=c>");
        for n in names {
            h.raw("<li>").link(&format!("{n}.html"), n);
        }
        h.raw("</ul>");
    }
    frame::page(generation.name(), "../", &[], h)
}
