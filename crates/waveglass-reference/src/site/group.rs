//! Groups of instructions: what belongs together, and which generation has it.

use super::frame;
use crate::amd;
use crate::catalogue::{GENERATIONS, Instruction, catalogue};
use crate::description::{description, group_of, groups};
use crate::render::html::{Html, in_words, prose, slug};

/// The group of a slug.
pub(super) fn named(wanted: &str) -> Option<&'static str> {
    groups().iter().copied().find(|g| slug(g) == wanted)
}

pub(super) fn slugs() -> Vec<String> {
    groups().iter().map(|g| slug(g)).collect()
}

/// The group of an instruction.
pub(super) fn of(instruction: &Instruction) -> Option<&'static str> {
    instruction.all_names().into_iter().find_map(group_of)
}

/// The instructions of a group, in the order of the table.
pub(super) fn members(group: &str) -> Vec<&'static Instruction> {
    catalogue()
        .instructions()
        .iter()
        .filter(|i| of(i) == Some(group))
        .collect()
}

pub(super) fn index() -> String {
    let mut h = Html::new();
    h.raw("<h1>Groups</h1><p class=s>Instructions that do similar things, over all generations.<ul class=c>");
    list(&mut h, "");
    h.raw("</ul>");
    frame::page("Groups", "../", &[], h)
}

/// The groups as points, with how many instructions each has.
pub(super) fn list(h: &mut Html, folder: &str) {
    for g in groups() {
        h.raw("<li>");
        h.link(&format!("{folder}{}.html", slug(g)), g);
        h.raw(" <small>")
            .number(members(g).len() as u64)
            .raw("</small>");
    }
}

pub(super) fn page(group: &'static str) -> String {
    let mut h = Html::new();
    let members = members(group);
    h.raw("<h1>")
        .text(group)
        .raw("</h1><p class=s>")
        .number(members.len() as u64);
    h.raw(" instructions. Each generation’s name leads to the instruction’s page there.");
    h.raw("<div class=w><table class=g><tr><th>Name<th>What it does<th>Generations");
    for i in members {
        let names: Vec<&str> = GENERATIONS
            .into_iter()
            .rev()
            .fold(Vec::new(), |mut all, g| {
                if let Some(n) = i.name_in(g)
                    && !all.contains(&n)
                {
                    all.push(n);
                }
                all
            });
        h.raw("<tr><th>");
        for (at, n) in names.iter().enumerate() {
            if at > 0 {
                h.raw("<br>");
            }
            h.text(n);
            if names.len() > 1 {
                let on: Vec<&str> = GENERATIONS
                    .into_iter()
                    .filter(|g| i.name_in(*g) == Some(n))
                    .map(|g| g.name())
                    .collect();
                h.raw(" <small>").text(&in_words(&on)).raw("</small>");
            }
        }
        h.raw("<td>");
        if let Some(d) = names.first().and_then(|n| description(n)) {
            prose(&mut h, &d.summary, &frame::links());
        }
        h.raw("<td>");
        let mut first = true;
        for g in i.generations() {
            let Some(name) = i.name_in(g) else { continue };
            if !std::mem::take(&mut first) {
                h.raw(" ");
            }
            h.link(
                &format!("../{}/{name}.html", amd::key(g)),
                &g.name().replace(' ', "\u{a0}"),
            );
        }
    }
    h.raw("</table></div>");
    frame::page(
        group,
        "../",
        &[frame::Crumb {
            href: "index.html".to_owned(),
            name: "Groups",
        }],
        h,
    )
}
