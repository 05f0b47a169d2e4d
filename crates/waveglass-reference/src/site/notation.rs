//! The notation of formulas.

use crate::render::html::Html;

/// What stands in formulas, and what it means.
const ENTRIES: &[(&str, &str)] = &[
    (
        "D, D0, D1",
        "The destinations, in the order of the assembly.",
    ),
    (
        "S0, S1, S2",
        "The sources in the order of the assembly, after their modifiers.",
    ),
    (
        "VCC, SCC, EXEC, M0, PC, MODE",
        "Registers; VCC[lane] and EXEC[lane] are a lane's bit.",
    ),
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
        "zext, sext, trunc",
        "Widening with zeros or with the sign; cutting to the low bits.",
    ),
    ("min, max, abs, clamp(x, lo, hi)", "What they are called."),
    ("fma(a, b, c)", "a * b + c, rounded once."),
    (
        "sqrt, exp2, log2, rcp, floor, ceil, fract",
        "What they are called; sin2pi and cos2pi take turns, not radians.",
    ),
    ("rint", "The nearest integer, the even one of two."),
    (
        "frexp_mantissa, frexp_exponent, ldexp(x, e)",
        "The parts of a float, and x * 2^e.",
    ),
    (
        "isnan, popcount, reverse_bits",
        "Whether it is no number; how many bits are set; the bits in opposite order.",
    ),
    (
        "to_f16(x), to_i32(x)",
        "Conversions; those to integers saturate and go toward zero unless the formula says otherwise.",
    ),
    ("lane(S0, i)", "The value of another lane."),
    (
        "MEM[address].u16, LDS[address].u32",
        "Memory, read or written as that type.",
    ),
    ("RETURN", "What was in memory before an atomic operation."),
    (
        "if c then …, for i in 0..3: …",
        "A condition, and a repetition, of one statement.",
    ),
];

pub(super) fn write(h: &mut Html) {
    h.raw("<p>A statement of a vector instruction holds for each active lane. Floating-point arithmetic rounds, and treats denormal numbers, as MODE says, unless a note says otherwise.<table>");
    for (what, means) in ENTRIES {
        h.raw("<tr><th><code>")
            .text(what)
            .raw("</code><td>")
            .text(means);
    }
    h.raw("</table>");
}
