//! Encodings: the layout in each generation, every field explained, generations side by side.

use std::sync::OnceLock;

use waveglass_isa::row_layout;

use super::frame::{self, Crumb};
use crate::amd;
use crate::card::{BitKind, rows_in};
use crate::catalogue::{GENERATIONS, catalogue, targets};
use crate::encodings::{EncodingLayout, encoding_names, encoding_page};
use crate::render::html::{Html, bits, in_words, kind_page, prose, slug};
use crate::render::range;
use crate::vocabulary::{TermKind, field, find_terms, memory_kinds};

/// Every layout of any generation.
pub(super) fn names() -> &'static [&'static str] {
    static NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| encoding_names(&GENERATIONS))
}

/// Layouts of which the second took the first one's place in a later generation.
const FOLLOWED: [(&str, &str); 11] = [
    ("MUBUF", "VBUFFER"),
    ("MTBUF", "VBUFFER"),
    ("FLAT", "VFLAT"),
    ("GLOBAL", "VGLOBAL"),
    ("SCRATCH", "VSCRATCH"),
    ("MIMG", "VIMAGE"),
    ("MIMG", "VSAMPLE"),
    ("EXP", "VEXPORT"),
    ("LDSDIR", "VDSDIR"),
    ("VOP3A", "VOP3"),
    ("VOP3B", "VOP3SD"),
];

/// The layout with those that it followed or that followed it.
fn family(name: &'static str) -> Vec<&'static str> {
    let mut all = vec![name];
    for (a, b) in FOLLOWED {
        if a == name && names().contains(&b) {
            all.push(b);
        }
        if b == name && names().contains(&a) {
            all.insert(0, a);
        }
    }
    all
}

fn summary(name: &str) -> Option<&'static str> {
    find_terms(TermKind::Encoding, name)
        .first()
        .and_then(|t| t.text.first())
        .map(String::as_str)
}

pub(super) fn index() -> String {
    let mut h = Html::new();
    h.raw("<h1>Encodings</h1><p class=s>How instructions lie in their dwords. Each page has the layout of every generation and says what each field does.<table>");
    for n in names() {
        h.raw("<tr><th>").link(&format!("{n}.html"), n).raw("<td>");
        prose(&mut h, summary(n).unwrap_or_default(), &frame::links());
        h.raw("<td>");
        let page = encoding_page(n, &GENERATIONS);
        let on: Vec<&str> = page
            .layouts
            .iter()
            .flat_map(|l| l.generations.iter().copied())
            .collect();
        h.text(&in_words(&on));
    }
    h.raw("</table>");
    frame::page("Encodings", "../", &[], h)
}

pub(super) fn page(name: &'static str) -> String {
    let mut h = Html::new();
    let links = frame::links();
    h.raw("<h1>").text(name).raw("</h1>");
    let mut said: Vec<&[String]> = Vec::new();
    for t in find_terms(TermKind::Encoding, name) {
        // An entry of the instruction's form may say what that of its layout does.
        if said.contains(&&t.text[..]) {
            continue;
        }
        said.push(&t.text);
        for (i, p) in t.text.iter().enumerate() {
            h.raw(if i == 0 { "<p class=s>" } else { "<p>" });
            prose(&mut h, p, &links);
        }
        crate::render::html::list(&mut h, &t.notes, &links);
    }
    let page = encoding_page(name, &GENERATIONS);
    for l in &page.layouts {
        layout(&mut h, name, l);
    }
    memory(&mut h, name);
    compare(&mut h, name);
    instructions(&mut h, name);
    let up = [Crumb {
        href: "index.html".to_owned(),
        name: "Encodings",
    }];
    frame::page(&format!("{name} encoding"), "../", &up, h)
}

fn layout(h: &mut Html, name: &str, l: &EncodingLayout) {
    let on = in_words(&l.generations);
    h.raw("<h2")
        .attr("id", &slug(&on))
        .raw(">")
        .text(&on)
        .raw("</h2><p>");
    h.number(l.width).raw(" bits.");
    bits(h, &l.bits);
    h.raw("<div class=w><table><tr><th>Field<th>Bits<th>What it does");
    for b in l.bits.iter().filter(|b| b.kind != BitKind::Unassigned) {
        h.raw("<tr><th>")
            .link(
                &format!("../vocabulary/fields.html#{}", slug(b.name)),
                b.name,
            )
            .raw("<td>")
            .text(&range(b.hi, b.lo))
            .raw("<td>");
        if let Some(v) = &b.value {
            h.raw("<code>").text(v).raw("</code>. ");
        }
        prose(
            h,
            field(b.name, &[name]).unwrap_or_default(),
            &frame::links(),
        );
    }
    h.raw("</table></div>");
}

/// Where the rules of the accesses stand that instructions of the encoding make.
fn memory(h: &mut Html, name: &str) {
    let kinds = memory_kinds(name);
    if kinds.is_empty() {
        return;
    }
    h.raw("<p>How the address comes about, what is checked and what happens out of range: memory access, ");
    for (i, kind) in kinds.iter().enumerate() {
        let page = kind_page(TermKind::Memory);
        h.raw(if i > 0 { " and " } else { "" })
            .link(&format!("../{page}#{}", slug(kind)), kind);
    }
    h.raw(".");
}

/// The fields in all generations, those of the encodings that came before or after included.
fn compare(h: &mut Html, name: &'static str) {
    let columns: Vec<(&str, EncodingLayout)> = family(name)
        .into_iter()
        .flat_map(|n| {
            encoding_page(n, &GENERATIONS)
                .layouts
                .into_iter()
                .map(move |l| (n, l))
        })
        .collect();
    let mut fields: Vec<&str> = Vec::new();
    for (_, l) in &columns {
        for b in &l.bits {
            if b.kind != BitKind::Unassigned && !fields.contains(&b.name) {
                fields.push(b.name);
            }
        }
    }
    h.raw("<h2 id=compare>Generations side by side</h2><div class=w><table class=m><tr><th>Field");
    for (n, l) in &columns {
        h.raw("<th>")
            .text(n)
            .raw("<br><small>")
            .text(&in_words(&l.generations))
            .raw("</small>");
    }
    for f in fields {
        h.raw("<tr><th>").text(f);
        for (_, l) in &columns {
            h.raw("<td>");
            let at: Vec<String> = l
                .bits
                .iter()
                .filter(|b| b.name == f && b.kind != BitKind::Unassigned)
                .map(|b| match &b.value {
                    Some(v) => format!("{} = {v}", range(b.hi, b.lo)),
                    None => range(b.hi, b.lo),
                })
                .collect();
            h.text(if at.is_empty() { "–" } else { "" })
                .text(&at.join(", "));
        }
    }
    h.raw("</table></div>");
}

fn instructions(h: &mut Html, name: &str) {
    h.raw("<h2 id=instructions>Instructions</h2><p>Those that have it as their main encoding, or a part of it; each leads to the newest generation where it does.<ul class=c>");
    for i in catalogue().instructions() {
        let of = GENERATIONS.into_iter().rev().find_map(|g| {
            let n = i.in_generation(g)?;
            let row = *rows_in(n, g).first()?;
            let target = targets(g).find(|t| row.has_target(*t))?;
            row_layout(row, target)
                .iter()
                .any(|(e, _)| e.name == name)
                .then_some((g, n.mnemonic))
        });
        if let Some((g, n)) = of {
            h.raw("<li>")
                .link(&format!("../{}/{n}.html", amd::key(g)), n);
        }
    }
    h.raw("</ul>");
}
