//! Documents and cards as HTML.
//!
//! [`Html`] is a small writer rather than a library: the site's 16,800 pages have to fit into 60 MB,
//! so attributes go without quotes where HTML allows it and cells and points without end tags,
//! tables leave the scope of their heads to HTML's own rule except in layouts,
//! which no HTML library for Rust does (well-kept ones close every element and quote every
//! value, some 1 KB a page). Markup is `&'static str` and everything else goes through the
//! escape, so that text cannot become markup by mistake.

mod bits;
mod card;
mod document;

use std::fmt::{Display, Write as _};

pub(crate) use bits::bits;
pub use card::card_page;
pub(crate) use card::{card_body, card_main, card_title, code, in_words};
pub(crate) use document::{document, list};

use waveglass_isa::Generation;

use crate::amd;
use crate::catalogue::{GENERATIONS, catalogue};
use crate::vocabulary::{TermKind, terms};

/// Text that grows into a page: markup from the program, everything else escaped.
#[derive(Debug, Default)]
pub struct Html {
    out: String,
}

impl Html {
    /// An empty text.
    pub fn new() -> Self {
        Self {
            out: String::with_capacity(4096),
        }
    }

    /// Markup as it stands.
    pub fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.out.push_str(markup);
        self
    }

    /// Text, escaped.
    pub fn text(&mut self, text: &str) -> &mut Self {
        escape(text, &mut self.out);
        self
    }

    /// A number.
    pub fn number(&mut self, n: impl Into<u64>) -> &mut Self {
        let _ = write!(self.out, "{}", n.into());
        self
    }

    /// Anything that displays as text, escaped.
    pub fn show(&mut self, what: impl Display) -> &mut Self {
        let _ = write!(Escaping(&mut self.out), "{what}");
        self
    }

    /// An attribute: ` name=value`, with quotes where the value needs them.
    pub fn attr(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push('=');
        if is_plain(value) {
            self.out.push_str(value);
        } else {
            self.out.push('"');
            escape(value, &mut self.out);
            self.out.push('"');
        }
        self
    }

    /// A link.
    pub fn link(&mut self, href: &str, text: &str) -> &mut Self {
        self.raw("<a")
            .attr("href", href)
            .raw(">")
            .text(text)
            .raw("</a>")
    }

    /// Another piece of HTML that was written by an [`Html`].
    pub fn append(&mut self, other: Html) -> &mut Self {
        self.out.push_str(&other.out);
        self
    }

    /// The text.
    pub fn into_string(self) -> String {
        self.out
    }
}

/// A writer that escapes.
struct Escaping<'a>(&'a mut String);

impl std::fmt::Write for Escaping<'_> {
    fn write_str(&mut self, s: &str) -> std::fmt::Result {
        escape(s, self.0);
        Ok(())
    }
}

/// Escapes what has a meaning in HTML, in text and in values, whose quotes are always double ones.
/// Characters that HTML does not allow become U+FFFD.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

/// Whether an attribute's value may stand without quotes.
fn is_plain(value: &str) -> bool {
    !value.is_empty()
        && value
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_./#:".contains(&b))
}

/// A name as a part of an address or as an id: letters, digits and dashes.
pub(crate) fn slug(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            out.push(c.to_ascii_lowercase());
        } else if !out.ends_with('-') && !out.is_empty() {
            out.push('-');
        }
    }
    out.trim_end_matches('-').to_owned()
}

/// Where links of a page lead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Links {
    /// What leads from the page to the site's root; `None` for a page that stands alone and has
    /// no links.
    pub root: Option<&'static str>,
    /// The generation that the page is about.
    pub generation: Option<Generation>,
}

impl Links {
    /// A page that stands alone.
    pub(crate) fn none(generation: Option<Generation>) -> Self {
        Self {
            root: None,
            generation,
        }
    }

    /// The address of an instruction's page by its name in that generation.
    pub(crate) fn instruction(&self, generation: Generation, name: &str) -> Option<String> {
        let root = self.root?;
        Some(if self.generation == Some(generation) && root == "../" {
            format!("{name}.html")
        } else {
            format!("{root}{}/{name}.html", amd::key(generation))
        })
    }

    /// The address of another page, given from the root.
    pub(crate) fn page(&self, path: &str) -> Option<String> {
        Some(format!("{}{path}", self.root?))
    }

    /// The address of whatever a name in a text means: an instruction, or an entry of the
    /// vocabulary.
    pub(crate) fn meaning(&self, name: &str) -> Option<String> {
        let root = self.root?;
        if let Some(i) = catalogue().find(name).first() {
            let of = |g: Generation| i.name_in(g).map(|n| (g, n));
            // The newest generation that calls it so, before newer ones with another name.
            let called = |g: Generation| of(g).filter(|(_, n)| n.eq_ignore_ascii_case(name.trim()));
            let newest = || GENERATIONS.into_iter().rev();
            let (g, n) = self
                .generation
                .and_then(of)
                .or_else(|| newest().find_map(called))
                .or_else(|| newest().find_map(of))?;
            return self.instruction(g, n);
        }
        let place = term_place(name)?;
        Some(format!("{root}{place}"))
    }
}

/// The page of the site that holds an entry of the vocabulary, with the entry's place there. A kind
/// of memory access is named with the word before it, as in "memory buffer": "buffer" is many things.
pub(crate) fn term_place(name: &str) -> Option<String> {
    const KINDS: [TermKind; 6] = [
        TermKind::Counter,
        TermKind::Register,
        TermKind::Encoding,
        TermKind::Field,
        TermKind::OperandType,
        TermKind::DataFormat,
    ];
    let is = |kind: TermKind, name: &str| {
        terms()
            .iter()
            .any(|t| t.kind == kind && t.names.iter().any(|n| n.eq_ignore_ascii_case(name)))
    };
    if let Some(access) = name.strip_prefix("memory ")
        && is(TermKind::Memory, access)
    {
        return Some(format!("{}#{}", kind_page(TermKind::Memory), slug(access)));
    }
    let kind = KINDS.into_iter().find(|k| is(*k, name))?;
    Some(match kind {
        TermKind::Encoding => format!(
            "encoding/{}.html",
            name.trim_start_matches("ENC_").to_ascii_uppercase()
        ),
        kind => format!("{}#{}", kind_page(kind), slug(name)),
    })
}

/// The page of a kind of vocabulary.
pub(crate) fn kind_page(kind: TermKind) -> &'static str {
    match kind {
        TermKind::Memory => "vocabulary/memory.html",
        TermKind::Counter => "vocabulary/counters.html",
        TermKind::Register => "vocabulary/registers.html",
        TermKind::Field => "vocabulary/fields.html",
        TermKind::OperandType => "vocabulary/operand-types.html",
        TermKind::DataFormat => "vocabulary/data-formats.html",
        TermKind::Encoding => "encoding/index.html",
        TermKind::Answer => "index.html",
        TermKind::Notation => "vocabulary/notation.html",
    }
}

/// A page that stands alone, the style in it.
pub(crate) fn standing_alone(title: &str, main: impl FnOnce(&mut Html)) -> String {
    let mut h = Html::new();
    h.raw("<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\"><title>")
        .text(title)
        .raw("</title><style>")
        .raw(crate::site::STYLE)
        .raw("</style><main>");
    main(&mut h);
    h.raw("</main></html>\n");
    h.into_string()
}

/// A text in which names in backquotes are links or code.
pub(crate) fn prose(h: &mut Html, text: &str, links: &Links) {
    for (i, part) in text.split('`').enumerate() {
        if i % 2 == 0 {
            h.text(part);
            continue;
        }
        match links.meaning(part) {
            Some(href) => {
                h.raw("<a")
                    .attr("href", &href)
                    .raw("><code>")
                    .text(part)
                    .raw("</code></a>");
            }
            None => {
                h.raw("<code>").text(part).raw("</code>");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        let mut h = Html::new();
        h.raw("<p>").text("a < b && \"c\" > 'd'</p><script>");
        h.show(format_args!("{}", "<i>")).text("\u{0}\u{7f}");
        assert_eq!(
            h.into_string(),
            "<p>a &lt; b &amp;&amp; &quot;c&quot; &gt; 'd'&lt;/p&gt;&lt;script&gt;&lt;i&gt;\u{fffd}\u{fffd}"
        );
    }

    #[test]
    fn values_have_quotes_where_they_need_them() {
        let mut h = Html::new();
        h.raw("<a")
            .attr("href", "../cdna4/v_add_f32.html#x")
            .attr("title", "")
            .attr("alt", "a=b\" onload=x '>`");
        assert_eq!(
            h.into_string(),
            "<a href=../cdna4/v_add_f32.html#x title=\"\" alt=\"a=b&quot; onload=x '&gt;`\""
        );
    }

    #[test]
    fn slugs_are_names_of_files() {
        assert_eq!(
            slug("Vector arithmetic, floating point"),
            "vector-arithmetic-floating-point"
        );
        assert_eq!(slug("OPR_SRC"), "opr_src");
        assert_eq!(slug("../x"), "x");
    }

    #[test]
    fn names_in_backquotes_are_links() {
        let links = Links {
            root: Some("../"),
            generation: Some(Generation::Cdna4),
        };
        let mut h = Html::new();
        prose(&mut h, "a < `buffer_load_u16`, `vmcnt`, `x<y`", &links);
        assert_eq!(
            h.into_string(),
            "a &lt; <a href=buffer_load_ushort.html><code>buffer_load_u16</code></a>, \
             <a href=../vocabulary/counters.html#vmcnt><code>vmcnt</code></a>, <code>x&lt;y</code>"
        );
    }

    #[test]
    fn a_name_leads_to_the_newest_generation_that_has_it() {
        let links = Links {
            root: Some(""),
            generation: None,
        };
        for (name, page) in [
            ("buffer_load_ushort", "rdna2/buffer_load_ushort.html"),
            ("buffer_load_u16", "rdna4/buffer_load_u16.html"),
            ("v_mac_f32", "rdna1/v_mac_f32.html"),
            ("memory scratch", "vocabulary/memory.html#scratch"),
        ] {
            assert_eq!(links.meaning(name).as_deref(), Some(page));
        }
        assert_eq!(links.meaning("memory lane"), None);
    }
}
