//! `.amdgpu_metadata`: the note's contents as YAML, which become MessagePack.
//!
//! The reader takes what LLVM's takes: block maps and lists, flow lists and maps in brackets,
//! plain and quoted scalars, block scalars behind `|` and `>`, tags of types, and anchors, which
//! nothing may refer to. Scalars over several lines without such a mark are refused.

use super::assembler::Assembler;
use super::block::Lines;
use super::diagnostic::Problem;
use rmpv::Value;

/// Nesting that metadata stays below.
const DEPTH: usize = 32;

struct Row<'a> {
    indent: usize,
    text: &'a str,
    line: u32,
    /// The lines from this one on, with comments and blank lines.
    raw: std::rc::Rc<Vec<&'a str>>,
    /// The position among them.
    at: usize,
}

impl Assembler<'_> {
    pub(super) fn metadata_block(
        &mut self,
        block: &mut Lines<'_>,
        at: usize,
    ) -> Result<(), Problem> {
        let first = block.line;
        let mut raw = Vec::new();
        loop {
            let Some(line) = block.next() else {
                return Err(Problem::at(
                    at,
                    "expected directive .end_amdgpu_metadata not found",
                ));
            };
            let trimmed = line.trim_ascii();
            if trimmed == b".end_amdgpu_metadata" {
                break;
            }
            let Ok(text) = std::str::from_utf8(line) else {
                return Err(Problem::at(at, "invalid metadata: the text is not UTF-8"));
            };
            raw.push(text.trim_end_matches('\r'));
        }
        let raw = std::rc::Rc::new(raw);
        let rows: Vec<Row<'_>> = raw
            .iter()
            .enumerate()
            .filter_map(|(at, &line)| {
                let text = without_comment(line).trim_end();
                let body = text.trim_start_matches(' ');
                let content = !body.is_empty() && !matches!(body, "---" | "...");
                content.then(|| Row {
                    indent: text.len() - body.len(),
                    text: body,
                    line: first + at as u32,
                    raw: raw.clone(),
                    at,
                })
            })
            .collect();
        let bad = |(line, message): (u32, String)| {
            Problem::at(at, format!("invalid metadata in line {line}: {message}"))
        };
        let mut n = 0;
        let mut value = match rows.first() {
            None => return Ok(()),
            Some(first) => node(&rows, &mut n, first.indent, 0).map_err(bad)?,
        };
        if let Some(row) = rows.get(n) {
            return Err(bad((row.line, "unexpected indentation".to_owned())));
        }
        if !matches!(value, Value::Map(_)) {
            return Err(Problem::at(at, "invalid metadata: a map is expected"));
        }
        super::metadata_rules::check(&mut value)
            .map_err(|m| Problem::at(at, format!("invalid metadata: {m}")))?;
        let mut out = Vec::new();
        rmpv::encode::write_value(&mut out, &value)
            .map_err(|e| Problem::at(at, format!("invalid metadata: {e}")))?;
        self.metadata = Some(out);
        Ok(())
    }
}

fn without_comment(text: &str) -> &str {
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

/// A value, or the line and what is wrong with it.
type Parsed = Result<Value, (u32, String)>;

/// A map, list or scalar whose rows stand at `indent`.
fn node(rows: &[Row<'_>], n: &mut usize, indent: usize, depth: usize) -> Parsed {
    let line = rows[*n].line;
    if depth > DEPTH {
        return Err((line, "too deep".to_owned()));
    }
    if is_item(rows[*n].text) {
        return list(rows, n, indent, depth);
    }
    if key_end(rows[*n].text).is_some() {
        return map(rows, n, indent, depth, None);
    }
    let v = scalar(rows[*n].text, line)?;
    *n += 1;
    Ok(v)
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

fn list(rows: &[Row<'_>], n: &mut usize, indent: usize, depth: usize) -> Parsed {
    let mut items = Vec::new();
    while let Some(row) = rows
        .get(*n)
        .filter(|r| r.indent == indent && is_item(r.text))
    {
        let rest = row.text[1..].trim_start();
        if rest.is_empty() {
            *n += 1;
            match rows.get(*n).filter(|r| r.indent > indent) {
                Some(next) => items.push(node(rows, n, next.indent, depth + 1)?),
                None => items.push(Value::Nil),
            }
            continue;
        }
        let inner = indent + (row.text.len() - rest.len());
        if key_end(rest).is_some() {
            items.push(map(rows, n, inner, depth + 1, Some(rest))?);
        } else {
            items.push(scalar(rest, row.line)?);
            *n += 1;
        }
    }
    Ok(Value::Array(items))
}

/// A map; its first entry may stand behind the dash of a list.
fn map(
    rows: &[Row<'_>],
    n: &mut usize,
    indent: usize,
    depth: usize,
    first: Option<&str>,
) -> Parsed {
    let mut entries: Vec<(Value, Value)> = Vec::new();
    let mut first = first;
    while let Some(row) = rows.get(*n) {
        let text = match first.take() {
            Some(t) => t,
            None if row.indent == indent && !is_item(row.text) => row.text,
            None => break,
        };
        let Some(end) = key_end(text) else {
            return Err((row.line, "expected a key".to_owned()));
        };
        let key = match scalar(&text[..end], row.line)? {
            Value::String(s) => Value::String(s),
            _ => Value::from(&text[..end]),
        };
        let rest = text[end + 1..].trim();
        *n += 1;
        let value = if rest.is_empty() {
            match rows.get(*n) {
                Some(next) if next.indent > indent => node(rows, n, next.indent, depth + 1)?,
                // The items of a list may stand below its key.
                Some(next) if next.indent == indent && is_item(next.text) => {
                    list(rows, n, indent, depth + 1)?
                }
                _ => Value::Nil,
            }
        } else {
            match block_scalar(rows, n, rest, row, indent) {
                Some(v) => v,
                None => scalar(rest, row.line)?,
            }
        };
        if entries.iter().any(|(k, _)| *k == key) {
            return Err((row.line, "a key stands twice".to_owned()));
        }
        entries.push((key, value));
    }
    // LLVM's documents have their keys in order.
    entries.sort_by(|a, b| a.0.as_str().cmp(&b.0.as_str()));
    Ok(Value::Map(entries))
}

/// Where the colon behind a key stands.
fn key_end(text: &str) -> Option<usize> {
    if let Some(q) = text.chars().next().filter(|c| matches!(c, '\'' | '"')) {
        let close = text[1..].find(q)? + 1;
        return text[close + 1..].starts_with(':').then_some(close + 1);
    }
    if text.starts_with(['[', '{']) {
        return None;
    }
    text.char_indices().find_map(|(n, ch)| {
        let rest = &text[n + ch.len_utf8()..];
        (ch == ':' && (rest.is_empty() || rest.starts_with(' '))).then_some(n)
    })
}

/// The text behind `|`, whose line ends stay, or `>`, whose lines are joined. A minus behind the
/// mark drops the end of the last line.
fn block_scalar(
    rows: &[Row<'_>],
    n: &mut usize,
    mark: &str,
    row: &Row<'_>,
    indent: usize,
) -> Option<Value> {
    let (keep, strip) = match mark {
        "|" => (true, false),
        "|-" => (true, true),
        ">" => (false, false),
        ">-" => (false, true),
        _ => return None,
    };
    let lines = &row.raw[row.at + 1..];
    let width = |l: &str| l.len() - l.trim_start_matches(' ').len();
    let inside = |l: &&&str| l.trim().is_empty() || width(l) > indent;
    let count = lines.iter().take_while(inside).count();
    let lines = &lines[..count];
    let left = lines
        .iter()
        .find(|l| !l.trim().is_empty())
        .map_or(0, |l| width(l));
    while rows.get(*n).is_some_and(|r| r.at <= row.at + count) {
        *n += 1;
    }
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
    Some(Value::from(format!("{text}{end}")))
}

fn scalar(text: &str, line: u32) -> Parsed {
    let mut text = text.trim();
    // Anchors may stand, and have no use.
    if text.starts_with('&') {
        text = text.split_once(' ').map_or("", |t| t.1.trim());
    }
    if let Some((tag, rest)) = text
        .strip_prefix('!')
        .map(|t| t.split_once(' ').unwrap_or((t, "")))
    {
        let v = plain(rest.trim());
        let fits = match tag {
            "str" => return Ok(Value::from(rest.trim().trim_matches(['\'', '"']))),
            "int" => v.is_i64() || v.is_u64(),
            "bool" => v.is_bool(),
            "float" => v.is_f64(),
            "nil" => return Ok(Value::Nil),
            _ => return Err((line, format!("unknown tag !{tag}"))),
        };
        return match fits {
            true => Ok(v),
            false => Err((line, format!("{rest:?} is no !{tag}"))),
        };
    }
    if text.starts_with('*') {
        return Err((line, "aliases of anchors are not taken".to_owned()));
    }
    if text.starts_with(['[', '{']) {
        let mut rest = text;
        let v = flow(&mut rest, line, 0)?;
        if !rest.trim().is_empty() {
            return Err((line, "unexpected text behind a bracket".to_owned()));
        }
        return Ok(v);
    }
    if text.starts_with(['|', '>', '%', '@', '`']) {
        return Err((line, format!("{text:?} is YAML that is not taken here")));
    }
    Ok(plain(text))
}

/// A list or map in brackets.
fn flow(text: &mut &str, line: u32, depth: usize) -> Parsed {
    if depth > DEPTH {
        return Err((line, "too deep".to_owned()));
    }
    let cut = |text: &mut &str| {
        let t = text.trim_start();
        if let Some(q) = t.chars().next().filter(|c| matches!(c, '\'' | '"'))
            && let Some(close) = t[1..].find(q)
        {
            let (word, rest) = t.split_at(close + 2);
            *text = rest;
            return word.to_owned();
        }
        let end = t.find([',', ']', '}', ':']).unwrap_or(t.len());
        let (word, rest) = t.split_at(end);
        *text = rest;
        word.trim().to_owned()
    };
    *text = text.trim_start();
    if let Some(rest) = text.strip_prefix('[') {
        *text = rest;
        let mut items = Vec::new();
        loop {
            *text = text.trim_start();
            if let Some(rest) = text.strip_prefix(']') {
                *text = rest;
                return Ok(Value::Array(items));
            }
            items.push(if text.starts_with(['[', '{']) {
                flow(text, line, depth + 1)?
            } else {
                plain(&cut(text))
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
    let mut entries: Vec<(Value, Value)> = Vec::new();
    loop {
        *text = text.trim_start();
        if let Some(rest) = text.strip_prefix('}') {
            *text = rest;
            entries.sort_by(|a, b| a.0.as_str().cmp(&b.0.as_str()));
            return Ok(Value::Map(entries));
        }
        let key = cut(text);
        let key = key.trim_matches(['\'', '"']);
        *text = text.trim_start();
        let Some(rest) = text.strip_prefix(':') else {
            return Err((line, "expected ':'".to_owned()));
        };
        *text = rest.trim_start();
        let value = if text.starts_with(['[', '{']) {
            flow(text, line, depth + 1)?
        } else {
            plain(&cut(text))
        };
        entries.push((Value::from(key), value));
        *text = text.trim_start();
        if let Some(rest) = text.strip_prefix(',') {
            *text = rest;
        } else if !text.starts_with('}') {
            return Err((line, "expected ',' or '}'".to_owned()));
        }
    }
}

/// A scalar: quoted text, a number, a truth value, or text.
pub(super) fn plain(text: &str) -> Value {
    let quoted = |q: char| text.len() >= 2 && text.starts_with(q) && text.ends_with(q);
    if quoted('\'') {
        return Value::from(text[1..text.len() - 1].replace("''", "'"));
    }
    if quoted('"') {
        let mut out = String::new();
        let mut chars = text[1..text.len() - 1].chars();
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
        return Value::from(out);
    }
    match text {
        "true" => return Value::Boolean(true),
        "false" => return Value::Boolean(false),
        "" | "~" | "null" => return Value::Nil,
        _ => {}
    }
    let unsigned = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None if text.len() > 1 && text.starts_with('0') => u64::from_str_radix(text, 8).ok(),
        None => text.parse().ok(),
    };
    if let Some(v) = unsigned {
        return Value::from(v);
    }
    if let Ok(v) = text.parse::<i64>() {
        return Value::from(v);
    }
    if text.contains(['.', 'e'])
        && text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && let Ok(v) = text.parse::<f64>()
    {
        return Value::from(v);
    }
    Value::from(text)
}

/// MessagePack as the YAML that `.amdgpu_metadata` takes; `None` for what it does not take.
pub(super) fn yaml(message: &[u8]) -> Option<String> {
    let mut rest = message;
    let value = rmpv::decode::read_value_with_max_depth(&mut rest, DEPTH).ok()?;
    if !rest.is_empty() || !matches!(value, Value::Map(_)) {
        return None;
    }
    let mut out = String::from("---\n");
    write_node(&mut out, &value, 0, false)?;
    Some(out)
}

/// Writes a value; `inline` where its first row stands behind a dash.
fn write_node(out: &mut String, v: &Value, indent: usize, inline: bool) -> Option<()> {
    let pad = " ".repeat(indent);
    match v {
        Value::Map(entries) if !entries.is_empty() => {
            for (n, (key, value)) in entries.iter().enumerate() {
                if n > 0 || !inline {
                    out.push_str(&pad);
                }
                out.push_str(&write_scalar(key)?);
                out.push(':');
                write_value(out, value, indent)?;
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                out.push_str(&pad);
                out.push('-');
                if matches!(item, Value::Map(m) if !m.is_empty()) {
                    out.push(' ');
                    write_node(out, item, indent + 2, true)?;
                } else {
                    write_value(out, item, indent)?;
                }
            }
        }
        _ => return None,
    }
    Some(())
}

fn write_value(out: &mut String, v: &Value, indent: usize) -> Option<()> {
    match v {
        Value::Map(m) if m.is_empty() => out.push_str(" {}\n"),
        Value::Array(a) if a.is_empty() => out.push_str(" []\n"),
        Value::Map(_) | Value::Array(_) => {
            out.push('\n');
            write_node(out, v, indent + 2, false)?;
        }
        _ => {
            out.push(' ');
            out.push_str(&write_scalar(v)?);
            out.push('\n');
        }
    }
    Some(())
}

fn write_scalar(v: &Value) -> Option<String> {
    Some(match v {
        Value::Boolean(b) => b.to_string(),
        Value::Integer(i) => i.to_string(),
        Value::String(s) => {
            let s = s.as_str()?;
            let simple = s.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '.' | '_'))
                && s.chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
                && !matches!(s, "true" | "false" | "null");
            if s.contains(['\n', '\r']) {
                return None;
            }
            if simple {
                s.to_owned()
            } else {
                format!("'{}'", s.replace('\'', "''"))
            }
        }
        _ => return None,
    })
}
