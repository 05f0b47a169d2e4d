//! How to read a page: the notation of formulas, and the colours of a drawn encoding.

use super::frame;
use crate::render::html::{Html, prose};
use crate::vocabulary::{TermKind, terms};

/// What formulas are made of beside names.
const SYNTAX: &[(&str, &str)] = &[
    (
        "S0.i32, S0.f64, D.u16",
        "The bits read, or written, as that type: i signed, u unsigned, f floating point, b bits.",
    ),
    ("S0[7:0], S0[4]", "Bits of a value."),
    (
        "+ - * / % << >> & | ^ ~ == != < <= > >= && || ! ?:",
        "C's operators with C's precedence. Integers are unlimited until a type or a destination cuts them: an assignment keeps the low bits of the destination's width.",
    ),
    (
        "MEM[address].u16, LDS[address].u32",
        "Memory, read or written as that type.",
    ),
    (
        "if c then …, for i in 0..3: …",
        "A condition, and a repetition, of one statement.",
    ),
];

/// The kinds of fields in a drawn encoding.
const COLOURS: &[(&str, &str, &str)] = &[
    (
        "f",
        "fixed",
        "Bits that tell the encoding, with their value.",
    ),
    ("o", "opcode", "The instruction's opcode, with its value."),
    (
        "k",
        "form",
        "A field that has this value in every form of the instruction.",
    ),
    ("", "operand", "A register or constant."),
    (
        "m",
        "modifier",
        "An immediate, or a choice of how the instruction works.",
    ),
    (
        "u",
        "not used",
        "A field of the encoding that this instruction does not use.",
    ),
    ("n", "unassigned", "Bits that are no field."),
];

pub(super) fn write(h: &mut Html) {
    h.raw("<h2 id=formulas>Formulas</h2><p>A statement of a vector instruction holds for each active lane. Floating-point arithmetic rounds, and treats denormal numbers, as MODE says, unless a note says otherwise.<table>");
    for (what, means) in SYNTAX {
        h.raw("<tr><th><code>")
            .text(what)
            .raw("</code><td>")
            .text(means);
    }
    h.raw("</table><h2 id=names>Names in formulas</h2><table>");
    for t in terms().iter().filter(|t| t.kind == TermKind::Notation) {
        h.raw("<tr><th><code>")
            .text(&t.names.join(", "))
            .raw("</code><td>");
        for (i, text) in t.text.iter().chain(&t.notes).enumerate() {
            if i > 0 {
                h.raw("<br>");
            }
            prose(h, text, &frame::links());
        }
    }
    h.raw("</table><h2 id=encodings>Drawn encodings</h2><p>A dword a row, the highest first; a column a bit, with the bits' numbers in the instruction above.<table class=l>");
    for (class, name, means) in COLOURS {
        h.raw("<tr><td");
        if !class.is_empty() {
            h.attr("class", class);
        }
        h.raw(">").text(name).raw("<td>").text(means);
    }
    h.raw("</table>");
}
