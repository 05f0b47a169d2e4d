//! The drawing of an encoding, a dword a row.

use super::range;
use crate::card::{BitKind, BitRow};

/// The boxes of each dword, the highest first, with the bits above them.
pub(super) fn draw(rows: &[BitRow]) -> Vec<String> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let dword = rows[at].hi / 32;
        let end = rows[at..]
            .iter()
            .position(|r| r.hi / 32 != dword)
            .map_or(rows.len(), |n| at + n);
        draw_dword(&rows[at..end], &mut out);
        at = end;
    }
    out
}

fn draw_dword(rows: &[BitRow], out: &mut Vec<String>) {
    let (mut bits, mut top) = (String::from(" "), String::from("┌"));
    let (mut middle, mut bottom) = (String::from("│"), String::from("└"));
    for (i, r) in rows.iter().enumerate() {
        let label = match (&r.value, r.kind) {
            (Some(v), BitKind::Fixed | BitKind::Opcode | BitKind::Form) => v.clone(),
            (_, BitKind::Unassigned) => String::new(),
            (_, BitKind::Unused) => format!("({})", r.name),
            _ => r.name.to_owned(),
        };
        let above = range(r.hi, r.lo);
        let wide = label.chars().count().max(above.len()) + 2;
        let last = i + 1 == rows.len();
        bits.push_str(&format!("{above:^wide$} "));
        top.push_str(&"─".repeat(wide));
        top.push(if last { '┐' } else { '┬' });
        let fill = if r.kind == BitKind::Unassigned {
            '·'
        } else {
            ' '
        };
        let (before, after) = ((wide - label.len()) / 2, (wide - label.len()).div_ceil(2));
        middle.extend(std::iter::repeat_n(fill, before));
        middle.push_str(&label);
        middle.extend(std::iter::repeat_n(fill, after));
        middle.push('│');
        bottom.push_str(&"─".repeat(wide));
        bottom.push(if last { '┘' } else { '┴' });
    }
    out.push(bits.trim_end().to_owned());
    out.extend([top, middle, bottom]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoding_is_drawn_by_dwords() {
        let row = |name, hi, lo, kind, value: Option<&str>| BitRow {
            name,
            hi,
            lo,
            kind,
            value: value.map(str::to_owned),
        };
        let rows = [
            row("ENCODING", 31, 30, BitKind::Fixed, Some("10")),
            row("unassigned", 29, 7, BitKind::Unassigned, None),
            row("SDST", 6, 0, BitKind::Operand, None),
        ];
        assert_eq!(
            draw(&rows),
            [
                "  31:30   29:7   6:0",
                "┌───────┬──────┬──────┐",
                "│  10   │······│ SDST │",
                "└───────┴──────┴──────┘",
            ]
        );
    }
}
