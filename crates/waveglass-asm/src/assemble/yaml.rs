//! The YAML that metadata is written in.
//!
//! The reader takes what LLVM's takes: block maps and lists, flow lists and maps in brackets,
//! plain and quoted scalars, block scalars behind `|` and `>`, tags of types, and anchors, which
//! nothing may refer to. Scalars over several lines without such a mark are refused.

use std::borrow::Cow;
use std::collections::HashSet;

/// Nesting that metadata stays below.
pub(super) const DEPTH: usize = 32;

/// Keys of a map that are compared one by one; those of longer maps are looked up.
const FEW: usize = 32;

/// A value. Texts are borrowed from the source where they stand there as they are.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Yaml<'a> {
    Nil,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(Cow<'a, str>),
    List(Vec<Yaml<'a>>),
    /// In the order of the keys.
    Map(Vec<(Cow<'a, str>, Yaml<'a>)>),
}

impl Yaml<'_> {
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Yaml::Unsigned(_) | Yaml::Signed(_))
    }
}

/// A line that is no comment and not blank.
#[derive(Clone, Copy)]
struct Row<'a> {
    indent: usize,
    text: &'a str,
    line: u32,
    /// Where the next line starts.
    end: usize,
}

/// A value, or the line and what is wrong with it.
type Parsed<'a> = Result<Yaml<'a>, (u32, String)>;

/// Reads a document whose first line has the number `first`; `None` where it holds nothing.
pub(super) fn read(text: &str, first: u32) -> Result<Option<Yaml<'_>>, (u32, String)> {
    let mut r = Reader {
        text,
        at: 0,
        line: first,
        row: None,
    };
    r.advance();
    let Some(row) = r.row else { return Ok(None) };
    let value = r.node(row, row.indent, 0)?;
    match r.row {
        Some(row) => Err((row.line, "unexpected indentation".to_owned())),
        None => Ok(Some(value)),
    }
}

struct Reader<'a> {
    text: &'a str,
    /// The line behind the row: where it starts, and its number.
    at: usize,
    line: u32,
    /// The row that is read next.
    row: Option<Row<'a>>,
}

impl<'a> Reader<'a> {
    /// Takes the next line, without its end.
    fn next_line(&mut self) -> Option<&'a str> {
        let rest = self.text.get(self.at..).filter(|t| !t.is_empty())?;
        let n = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        self.at += n + 1;
        self.line += 1;
        Some(rest[..n].trim_end_matches('\r'))
    }

    /// Goes on to the next row.
    fn advance(&mut self) {
        self.row = None;
        loop {
            let line = self.line;
            let Some(text) = self.next_line() else { return };
            let text = without_comment(text).trim_end();
            let body = text.trim_start_matches(' ');
            if body.is_empty() || matches!(body, "---" | "...") {
                continue;
            }
            self.row = Some(Row {
                indent: text.len() - body.len(),
                text: body,
                line,
                end: self.at,
            });
            return;
        }
    }

    /// A map, list or scalar whose rows stand at `indent`, from `row` on.
    fn node(&mut self, row: Row<'a>, indent: usize, depth: usize) -> Parsed<'a> {
        if depth > DEPTH {
            return Err((row.line, "too deep".to_owned()));
        }
        if is_item(row.text) {
            return self.list(indent, depth);
        }
        if key_end(row.text).is_some() {
            return self.map(indent, depth, None);
        }
        let v = scalar(row.text, row.line)?;
        self.advance();
        Ok(v)
    }

    fn list(&mut self, indent: usize, depth: usize) -> Parsed<'a> {
        let mut items = Vec::new();
        while let Some(row) = self.row.filter(|r| r.indent == indent && is_item(r.text)) {
            let rest = row.text[1..].trim_start();
            if rest.is_empty() {
                self.advance();
                match self.row.filter(|r| r.indent > indent) {
                    Some(next) => items.push(self.node(next, next.indent, depth + 1)?),
                    None => items.push(Yaml::Nil),
                }
                continue;
            }
            let inner = indent + (row.text.len() - rest.len());
            if key_end(rest).is_some() {
                items.push(self.map(inner, depth + 1, Some(rest))?);
            } else {
                items.push(scalar(rest, row.line)?);
                self.advance();
            }
        }
        Ok(Yaml::List(items))
    }

    /// A map; its first entry may stand behind the dash of a list.
    fn map(&mut self, indent: usize, depth: usize, first: Option<&'a str>) -> Parsed<'a> {
        let mut entries: Vec<(Cow<'a, str>, Yaml<'a>)> = Vec::with_capacity(8);
        let mut first = first;
        let mut keys: HashSet<Cow<'a, str>> = HashSet::new();
        while let Some(row) = self.row {
            let text = match first.take() {
                Some(t) => t,
                None if row.indent == indent && !is_item(row.text) => row.text,
                None => break,
            };
            let Some(end) = key_end(text) else {
                return Err((row.line, "expected a key".to_owned()));
            };
            let key = match scalar(&text[..end], row.line)? {
                Yaml::Text(s) => s,
                _ => Cow::Borrowed(&text[..end]),
            };
            let rest = trim(text[end + 1..].trim_start_matches(' '));
            self.advance();
            let value = if rest.is_empty() {
                match self.row {
                    Some(next) if next.indent > indent => {
                        self.node(next, next.indent, depth + 1)?
                    }
                    // The items of a list may stand below its key.
                    Some(next) if next.indent == indent && is_item(next.text) => {
                        self.list(indent, depth + 1)?
                    }
                    _ => Yaml::Nil,
                }
            } else {
                match self.block_scalar(rest, row, indent) {
                    Some(v) => v,
                    None => scalar(rest, row.line)?,
                }
            };
            let known = if entries.len() < FEW {
                entries.iter().any(|(k, _)| *k == key)
            } else {
                if keys.is_empty() {
                    keys.extend(entries.iter().map(|e| e.0.clone()));
                }
                !keys.insert(key.clone())
            };
            if known {
                return Err((row.line, "a key stands twice".to_owned()));
            }
            entries.push((key, value));
        }
        Ok(in_order(entries))
    }

    /// The text behind `|`, whose line ends stay, or `>`, whose lines are joined. A minus behind
    /// the mark drops the end of the last line.
    fn block_scalar(&mut self, mark: &str, row: Row<'a>, indent: usize) -> Option<Yaml<'a>> {
        let (keep, strip) = match mark {
            "|" => (true, false),
            "|-" => (true, true),
            ">" => (false, false),
            ">-" => (false, true),
            _ => return None,
        };
        self.at = row.end;
        self.line = row.line + 1;
        let width = |l: &str| l.len() - l.trim_start_matches(' ').len();
        let mut lines = Vec::new();
        loop {
            let before = (self.at, self.line);
            match self.next_line() {
                Some(l) if l.trim().is_empty() || width(l) > indent => lines.push(l),
                _ => {
                    (self.at, self.line) = before;
                    break;
                }
            }
        }
        self.advance();
        let left = lines
            .iter()
            .find(|l| !l.trim().is_empty())
            .map_or(0, |l| width(l));
        let mut out = String::new();
        for l in lines {
            let text = l.get(left..).unwrap_or("");
            let joined = !keep && !text.is_empty() && out.ends_with('\n') && !out.ends_with("\n\n");
            if joined && !text.starts_with(' ') {
                out.pop();
                out.push(' ');
            }
            out.push_str(text);
            out.push('\n');
        }
        let text = out.trim_end_matches('\n');
        let end = if strip || text.is_empty() { "" } else { "\n" };
        Some(Yaml::Text(Cow::Owned(format!("{text}{end}"))))
    }
}

/// A map whose entries are in the order of their keys, as they are in LLVM's documents.
fn in_order<'a>(mut entries: Vec<(Cow<'a, str>, Yaml<'a>)>) -> Yaml<'a> {
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    Yaml::Map(entries)
}

fn without_comment(text: &str) -> &str {
    if memchr::memchr(b'#', text.as_bytes()).is_none() {
        return text;
    }
    let mut quote = None;
    let mut before = ' ';
    for (n, ch) in text.char_indices() {
        match (quote, ch) {
            (None, '\'' | '"') => quote = Some(ch),
            (Some(q), ch) if q == ch => quote = None,
            (None, '#') if before == ' ' => return &text[..n],
            _ => {}
        }
        before = ch;
    }
    text
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// Where the colon behind a key stands.
fn key_end(text: &str) -> Option<usize> {
    let b = text.as_bytes();
    match b.first() {
        Some(q @ (b'\'' | b'"')) => {
            let close = memchr::memchr(*q, &b[1..])? + 1;
            return (b.get(close + 1) == Some(&b':')).then_some(close + 1);
        }
        Some(b'[' | b'{') => return None,
        _ => {}
    }
    memchr::memchr_iter(b':', b).find(|n| matches!(b.get(n + 1), None | Some(b' ')))
}

/// The text without blanks at its ends.
#[inline]
fn trim(text: &str) -> &str {
    match text.as_bytes() {
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => text,
        _ => text.trim(),
    }
}

fn scalar(text: &str, line: u32) -> Parsed<'_> {
    let mut text = trim(text);
    // Anchors may stand, and have no use.
    if text.starts_with('&') {
        text = text.split_once(' ').map_or("", |t| t.1.trim());
    }
    match text.as_bytes().first() {
        Some(b'!') => {
            let (tag, rest) = text[1..].split_once(' ').unwrap_or((&text[1..], ""));
            let v = plain(rest.trim());
            let fits = match tag {
                "str" => {
                    let text = rest.trim().trim_matches(['\'', '"']);
                    return Ok(Yaml::Text(Cow::Borrowed(text)));
                }
                "int" => v.is_number(),
                "bool" => matches!(v, Yaml::Bool(_)),
                "float" => matches!(v, Yaml::Float(_)),
                "nil" => return Ok(Yaml::Nil),
                _ => return Err((line, format!("unknown tag !{tag}"))),
            };
            match fits {
                true => Ok(v),
                false => Err((line, format!("{rest:?} is no !{tag}"))),
            }
        }
        Some(b'*') => Err((line, "aliases of anchors are not taken".to_owned())),
        Some(b'[' | b'{') => {
            let mut rest = text;
            let v = flow(&mut rest, line, 0)?;
            if !rest.trim().is_empty() {
                return Err((line, "unexpected text behind a bracket".to_owned()));
            }
            Ok(v)
        }
        Some(b'|' | b'>' | b'%' | b'@' | b'`') => {
            Err((line, format!("{text:?} is YAML that is not taken here")))
        }
        _ => {
            well_formed(text).map_err(|why| (line, why))?;
            Ok(plain(text))
        }
    }
}

/// Whether a scalar is one: quotes that are closed, escapes that there are, no other mapping, only
/// characters that may stand in YAML.
fn well_formed(text: &str) -> Result<(), String> {
    // Plain words, numbers and names need no look.
    let odd = |b: u8| matches!(b, b'\'' | b'"' | b'\\' | b':' | 0..=8 | 11..=31 | 127);
    if !text.bytes().any(odd) {
        return Ok(());
    }
    if let Some(c) = text.chars().find(|c| c.is_control() && *c != '\t') {
        return Err(format!("{c:?} may not stand in YAML"));
    }
    match text.as_bytes()[0] {
        b'\'' => {
            let inside = text[1..].replace("''", "");
            match inside.find('\'') {
                None => Err("expected a closing '".to_owned()),
                Some(end) if end + 1 < inside.len() => {
                    Err("unexpected text behind a closing '".to_owned())
                }
                Some(_) => Ok(()),
            }
        }
        b'"' => {
            let mut rest = text[1..].chars();
            while let Some(c) = rest.next() {
                match c {
                    '"' if rest.as_str().is_empty() => return Ok(()),
                    '"' => return Err("unexpected text behind a closing \"".to_owned()),
                    '\\' => match rest.next() {
                        Some('n' | 't' | 'x' | 'u' | '"' | '/' | '\\' | ' ') => {}
                        Some(other) => {
                            return Err(format!("\\{other} is no escape that is taken here"));
                        }
                        None => break,
                    },
                    _ => {}
                }
            }
            Err("expected a closing \"".to_owned())
        }
        _ if text.contains(": ") => Err("a value cannot hold another key; quote it".to_owned()),
        _ => Ok(()),
    }
}

/// The scalar in brackets that is next, as it stands.
fn cut<'a>(text: &mut &'a str) -> &'a str {
    let t = text.trim_start();
    if let Some(q) = t.chars().next().filter(|c| matches!(c, '\'' | '"'))
        && let Some(close) = t[1..].find(q)
    {
        let (word, rest) = t.split_at(close + 2);
        *text = rest;
        return word;
    }
    let end = t.find([',', ']', '}', ':']).unwrap_or(t.len());
    let (word, rest) = t.split_at(end);
    *text = rest;
    word.trim()
}

/// A list or map in brackets.
fn flow<'a>(text: &mut &'a str, line: u32, depth: usize) -> Parsed<'a> {
    if depth > DEPTH {
        return Err((line, "too deep".to_owned()));
    }
    *text = text.trim_start();
    if let Some(rest) = text.strip_prefix('[') {
        *text = rest;
        let mut items = Vec::new();
        loop {
            *text = text.trim_start();
            if let Some(rest) = text.strip_prefix(']') {
                *text = rest;
                return Ok(Yaml::List(items));
            }
            items.push(if text.starts_with(['[', '{']) {
                flow(text, line, depth + 1)?
            } else {
                plain(cut(text))
            });
            *text = text.trim_start();
            if let Some(rest) = text.strip_prefix(',') {
                *text = rest;
            } else if !text.starts_with(']') {
                return Err((line, "expected ',' or ']'".to_owned()));
            }
        }
    }
    let Some(rest) = text.strip_prefix('{') else {
        return Err((line, "expected a bracket".to_owned()));
    };
    *text = rest;
    let mut entries: Vec<(Cow<'a, str>, Yaml<'a>)> = Vec::new();
    loop {
        *text = text.trim_start();
        if let Some(rest) = text.strip_prefix('}') {
            *text = rest;
            return Ok(in_order(entries));
        }
        let key = cut(text).trim_matches(['\'', '"']);
        *text = text.trim_start();
        let Some(rest) = text.strip_prefix(':') else {
            return Err((line, "expected ':'".to_owned()));
        };
        *text = rest.trim_start();
        let value = if text.starts_with(['[', '{']) {
            flow(text, line, depth + 1)?
        } else {
            plain(cut(text))
        };
        entries.push((Cow::Borrowed(key), value));
        *text = text.trim_start();
        if let Some(rest) = text.strip_prefix(',') {
            *text = rest;
        } else if !text.starts_with('}') {
            return Err((line, "expected ',' or '}'".to_owned()));
        }
    }
}

/// A scalar: quoted text, a number, a truth value, or text.
pub(super) fn plain(text: &str) -> Yaml<'_> {
    let quoted = |q: u8| text.len() >= 2 && text.as_bytes().last() == Some(&q);
    match text.as_bytes().first() {
        None => return Yaml::Nil,
        Some(b'\'') if quoted(b'\'') => {
            let inside = &text[1..text.len() - 1];
            return Yaml::Text(match inside.contains("''") {
                true => Cow::Owned(inside.replace("''", "'")),
                false => Cow::Borrowed(inside),
            });
        }
        Some(b'"') if quoted(b'"') => return Yaml::Text(unescaped(&text[1..text.len() - 1])),
        Some(b'0'..=b'9' | b'+' | b'-') => {}
        // No number starts so.
        _ => {
            return match text {
                "true" => Yaml::Bool(true),
                "false" => Yaml::Bool(false),
                "~" | "null" => Yaml::Nil,
                _ => Yaml::Text(Cow::Borrowed(text)),
            };
        }
    }
    let unsigned = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None if text.len() > 1 && text.starts_with('0') => u64::from_str_radix(text, 8).ok(),
        None => text.parse().ok(),
    };
    if let Some(v) = unsigned {
        return Yaml::Unsigned(v);
    }
    if let Ok(v) = text.parse::<i64>() {
        return Yaml::Signed(v);
    }
    if text.contains(['.', 'e'])
        && text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && let Ok(v) = text.parse::<f64>()
    {
        return Yaml::Float(v);
    }
    Yaml::Text(Cow::Borrowed(text))
}

/// What stands between double quotes.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(ch) = chars.next() {
        match ch {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(mark @ ('x' | 'u')) => {
                    let digits = if mark == 'x' { 2 } else { 4 };
                    let code: String = chars.by_ref().take(digits).collect();
                    let code = u32::from_str_radix(&code, 16).unwrap_or(0xfffd);
                    out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                Some(other) => out.push(other),
                None => {}
            },
            ch => out.push(ch),
        }
    }
    Cow::Owned(out)
}
