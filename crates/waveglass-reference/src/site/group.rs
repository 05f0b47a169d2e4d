//! Groups of instructions: what belongs together, and which generation has it.

use super::frame;
use crate::amd;
use crate::catalogue::{GENERATIONS, Instruction, catalogue};
use crate::description::{description, group_of, groups};
use crate::render::html::{Html, prose, slug};

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
    h.raw(" instructions. Each generation leads to the instruction’s page there.");
    h.raw("<div class=w><table class=g><tr><th>Name<th>What it does");
    for i in members {
        // The newest names first.
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
        h.raw("<tr><td>");
        for (at, name) in names.iter().enumerate() {
            h.raw(if at > 0 { "<br><b>" } else { "<b>" })
                .text(name)
                .raw("</b><br>");
            for g in i.generations().filter(|g| i.name_in(*g) == Some(name)) {
                h.raw(" ").link(
                    &format!("../{}/{name}.html", amd::key(g)),
                    &g.name().replace(' ', "\u{a0}"),
                );
            }
        }
        h.raw("<td>");
        if let Some(d) = names.first().and_then(|n| description(n)) {
            prose(&mut h, &d.summary, &frame::links());
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
