//! The words of a formula.

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// A name or keyword.
    Name(String),
    /// An integer.
    Int(i128),
    /// A number with a decimal point.
    Real(f64),
    /// An operator or a bracket.
    Mark(&'static str),
}

/// The longest marks first.
const MARKS: &[&str] = &[
    "..", "**", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+:", "+", "-", "*", "/", "%", "&",
    "|", "^", "~", "!", "<", ">", "?", ":", "(", ")", "[", "]", "{", "}", ",", ".", ";", "=",
];

/// The tokens of a line, or the text at which it is no formula.
pub(crate) fn tokens(line: &str) -> Result<Vec<Token>, String> {
    let mut out = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit() {
            number(rest, &mut out)?
        } else if first.is_ascii_alphabetic() {
            let n = rest
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            out.push(Token::Name(rest[..n].to_owned()));
            n
        } else {
            let mark = MARKS.iter().find(|m| rest.starts_with(**m));
            let mark = mark.ok_or_else(|| format!("{rest:?} is no notation"))?;
            out.push(Token::Mark(mark));
            mark.len()
        };
        rest = rest[length..].trim_start();
    }
    Ok(out)
}

/// Reads a number and gives its length: a point makes it real only where a digit follows, so that
/// `0..3` is a range.
fn number(text: &str, out: &mut Vec<Token>) -> Result<usize, String> {
    let wrong = |t: &str| format!("{t:?} is no number");
    if let Some(hex) = text.strip_prefix("0x") {
        let n = hex
            .find(|c: char| !c.is_ascii_hexdigit())
            .unwrap_or(hex.len());
        let value = i128::from_str_radix(&hex[..n], 16).map_err(|_| wrong(text))?;
        out.push(Token::Int(value));
        return Ok(2 + n);
    }
    let digits = |t: &str| t.find(|c: char| !c.is_ascii_digit()).unwrap_or(t.len());
    let n = digits(text);
    match text[n..].strip_prefix('.') {
        Some(tail) if tail.starts_with(|c: char| c.is_ascii_digit()) => {
            let end = n + 1 + digits(tail);
            out.push(Token::Real(text[..end].parse().map_err(|_| wrong(text))?));
            Ok(end)
        }
        _ => {
            out.push(Token::Int(text[..n].parse().map_err(|_| wrong(text))?));
            Ok(n)
        }
    }
}
