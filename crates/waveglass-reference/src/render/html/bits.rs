//! An encoding drawn as tables, one a dword: bit numbers above, fields below.

use super::Html;
use crate::card::{BitKind, BitRow};
use crate::render::range;

/// The tables of an encoding. A column is a bit, so that a field is as wide as it has bits.
pub(crate) fn bits(h: &mut Html, rows: &[BitRow]) {
    h.raw("<div class=w>");
    for dword in rows.chunk_by(|a, b| a.hi / 32 == b.hi / 32) {
        let (Some(first), Some(last)) = (dword.first(), dword.last()) else {
            continue;
        };
        h.raw("<table class=b><caption>Bits ")
            .number(first.hi)
            .raw(" to ")
            .number(last.lo)
            .raw("</caption><tr>");
        for r in dword {
            h.raw("<th scope=col");
            span(h, r);
            h.raw(">").text(&range(r.hi, r.lo));
        }
        h.raw("<tr>");
        for r in dword {
            cell(h, r);
        }
        h.raw("</table>");
    }
    h.raw("</div>");
}

fn span(h: &mut Html, r: &BitRow) {
    let width = r.hi - r.lo + 1;
    if width > 1 {
        h.raw(" colspan=").number(width);
    }
}

fn cell(h: &mut Html, r: &BitRow) {
    h.raw("<td");
    span(h, r);
    let class = match r.kind {
        BitKind::Operand => "",
        BitKind::Fixed => "f",
        BitKind::Opcode => "o",
        BitKind::Form => "k",
        BitKind::Modifier => "m",
        BitKind::Unused => "u",
        BitKind::Unassigned => "n",
    };
    // A name that does not fit beside its neighbours is written downwards.
    let width = (r.hi - r.lo + 1) as usize;
    let downwards = r.name.len() > 3 * width;
    match (class, downwards) {
        ("", false) => {}
        ("", true) => {
            h.raw(" class=v");
        }
        (c, false) => {
            h.attr("class", c);
        }
        (c, true) => {
            h.attr("class", &format!("{c} v"));
        }
    }
    h.raw(">").text(r.name);
    if let Some(v) = &r.value {
        h.raw("<br>").text(v);
    } else if r.kind == BitKind::Unused {
        h.raw("<br>not used");
    }
}
