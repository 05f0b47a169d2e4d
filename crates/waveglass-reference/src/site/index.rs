//! What the search looks through, as a script: a page from `file://` may load a script, but may
//! not fetch a file.

use super::{group, vocabulary};
use crate::amd;
use crate::catalogue::{GENERATIONS, catalogue};
use crate::description::{description, groups};

/// The index. A line an instruction: its names, each with the generations in which it is the
/// main one as a hexadecimal mask; the group's number; what it does. A line a word of the
/// vocabulary: `=`, its address, its name, its kind, its text.
pub(super) fn script() -> String {
    let mut out = String::with_capacity(1 << 19);
    out.push_str("waveglassIndex({generations:[");
    for g in GENERATIONS {
        out.push_str(&format!("[\"{}\",\"{}\"],", amd::key(g), g.name()));
    }
    out.push_str("],groups:[");
    for g in groups() {
        out.push('"');
        quoted(g, &mut out);
        out.push_str("\",");
    }
    out.push_str("],lines:\"");
    for i in catalogue().instructions() {
        let at = group::of(i)
            .and_then(|g| groups().iter().position(|x| *x == g))
            .unwrap_or_default();
        let names: Vec<String> = i
            .all_names()
            .into_iter()
            .map(|n| {
                let mask = GENERATIONS
                    .into_iter()
                    .enumerate()
                    .filter(|(_, g)| i.name_in(*g) == Some(n))
                    .fold(0, |m, (at, _)| m | 1 << at);
                if mask == 0 {
                    n.to_owned()
                } else {
                    format!("{n}:{mask:x}")
                }
            })
            .collect();
        let summary = i
            .all_names()
            .into_iter()
            .find_map(description)
            .map(|d| d.summary)
            .unwrap_or_default();
        quoted(&format!("{}|{at}|{summary}\n", names.join(",")), &mut out);
    }
    for w in vocabulary::words() {
        quoted(
            &format!("={}|{}|{}|{}\n", w.place, w.name, w.kind, w.text),
            &mut out,
        );
    }
    out.push_str("\"})\n");
    out
}

/// Text inside a JavaScript string.
fn quoted(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            // So that the text cannot end a script element, wherever it is pasted.
            '<' => out.push_str("\\u003c"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_in_its_string() {
        let mut out = String::new();
        quoted("a\"b\\c\n</script>\u{2028}\u{1}", &mut out);
        assert_eq!(out, "a\\\"b\\\\c\\n\\u003c/script>\\u2028 ");
    }

    #[test]
    fn every_instruction_has_a_line() {
        let script = script();
        assert_eq!(
            script.matches("\\n").count(),
            catalogue().instructions().len() + vocabulary::words().len()
        );
        assert!(script.contains("buffer_load_ushort:"));
    }
}
