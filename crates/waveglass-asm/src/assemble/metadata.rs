//! `.amdgpu_metadata`: the note's contents as YAML, which become MessagePack.

use super::assembler::Assembler;
use super::block::Lines;
use super::diagnostic::Problem;
use super::yaml::{self, DEPTH, Yaml};
use rmpv::Value;

impl Assembler<'_> {
    pub(super) fn metadata_block(
        &mut self,
        block: &mut Lines<'_>,
        at: usize,
    ) -> Result<(), Problem> {
        let first = block.line;
        let source = block.source;
        let start = block.at.min(source.len());
        let last = last_line(source, start);
        let end = last.as_ref().map_or(source.len(), |l| l.start);
        block.skip_to(last.as_ref().map_or(end, |l| l.end));
        let Ok(text) = std::str::from_utf8(&source[start..end]) else {
            return Err(Problem::at(at, "invalid metadata: the text is not UTF-8"));
        };
        if last.is_none() {
            return Err(Problem::at(
                at,
                "expected directive .end_amdgpu_metadata not found",
            ));
        }
        let document = yaml::read(text, first).map_err(|(line, message)| {
            Problem::at(at, format!("invalid metadata in line {line}: {message}"))
        })?;
        let Some(mut value) = document else {
            return Ok(());
        };
        if !matches!(value, Yaml::Map(_)) {
            return Err(Problem::at(at, "invalid metadata: a map is expected"));
        }
        super::metadata_rules::check(&mut value)
            .map_err(|m| Problem::at(at, format!("invalid metadata: {m}")))?;
        let mut out = Vec::with_capacity(text.len() / 2);
        write_message(&mut out, &value)
            .map_err(|e| Problem::at(at, format!("invalid metadata: {e}")))?;
        self.metadata = Some(out);
        Ok(())
    }
}

/// The directive that ends the block.
const END: &[u8] = b".end_amdgpu_metadata";

/// The first line from `start` on that holds nothing but that directive.
fn last_line(source: &[u8], start: usize) -> Option<std::ops::Range<usize>> {
    let mut from = start;
    loop {
        let at = from + memchr::memmem::find(&source[from..], END)?;
        let first = memchr::memrchr(b'\n', &source[from..at]).map_or(from, |n| from + n + 1);
        let end = memchr::memchr(b'\n', &source[at..]).map_or(source.len(), |n| at + n);
        if source[first..end].trim_ascii() == END {
            return Some(first..end);
        }
        from = end;
    }
}

/// Writes a value as MessagePack.
fn write_message(out: &mut Vec<u8>, v: &Yaml<'_>) -> Result<(), rmp::encode::ValueWriteError> {
    use rmp::encode;
    match v {
        Yaml::Nil => encode::write_nil(out).map_err(encode::ValueWriteError::InvalidMarkerWrite)?,
        Yaml::Bool(b) => {
            encode::write_bool(out, *b).map_err(encode::ValueWriteError::InvalidMarkerWrite)?;
        }
        Yaml::Unsigned(n) => {
            encode::write_uint(out, *n)?;
        }
        Yaml::Signed(n) => {
            encode::write_sint(out, *n)?;
        }
        Yaml::Float(x) => encode::write_f64(out, *x)?,
        Yaml::Text(s) => encode::write_str(out, s)?,
        Yaml::List(items) => {
            encode::write_array_len(out, items.len() as u32)?;
            for v in items {
                write_message(out, v)?;
            }
        }
        Yaml::Map(entries) => {
            encode::write_map_len(out, entries.len() as u32)?;
            for (key, v) in entries {
                encode::write_str(out, key)?;
                write_message(out, v)?;
            }
        }
    }
    Ok(())
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
    // LLVM's reader takes the blank before the directive that follows for a part of the text, which
    // is over here.
    out.push_str("...\n");
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
