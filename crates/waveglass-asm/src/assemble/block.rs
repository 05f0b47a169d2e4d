//! Macros, repetitions and conditions: directives that decide which lines are read.

use super::assembler::Assembler;
use super::cursor::{Cursor, is_name};
use super::diagnostic::Problem;
use super::expansion::What;
use super::expression;

/// The lines behind a statement, of which a block takes its own.
pub(super) struct Lines<'a> {
    pub(super) source: &'a [u8],
    pub(super) at: usize,
    pub(super) line: u32,
}

impl<'a> Lines<'a> {
    /// The next line.
    pub(super) fn next(&mut self) -> Option<&'a [u8]> {
        if self.at >= self.source.len() {
            return None;
        }
        let rest = &self.source[self.at..];
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.at += end + 1;
        self.line += 1;
        Some(&rest[..end])
    }

    /// Takes the lines up to the one that ends at `end`.
    pub(super) fn skip_to(&mut self, end: usize) {
        let from = self.at.min(end);
        let lines = memchr::memchr_iter(b'\n', &self.source[from..end]).count() as u32 + 1;
        self.at = end + 1;
        self.line += lines;
    }

    /// The text up to the directive that ends a block of this kind.
    fn body(&mut self, open: &[&[u8]], close: &[&[u8]]) -> Option<&'a [u8]> {
        let start = self.at;
        let mut depth = 1u32;
        loop {
            let before = self.at;
            let line = self.next()?;
            let word = first_word(line);
            if open.contains(&word) {
                depth += 1;
            } else if close.contains(&word) {
                depth -= 1;
                if depth == 0 {
                    return Some(&self.source[start..before]);
                }
            }
        }
    }
}

fn first_word(line: &[u8]) -> &[u8] {
    Cursor::new(line).name()
}

/// One `.if`.
pub(super) struct Condition {
    /// Lines are read.
    pub(super) active: bool,
    /// A branch was taken already.
    taken: bool,
    /// The `.if` lies in lines that are not read.
    outer: bool,
    seen_else: bool,
    pub(super) line: u32,
}

#[derive(Clone, Debug)]
struct Parameter {
    name: Vec<u8>,
    default: Option<Vec<u8>>,
    required: bool,
    rest: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Macro {
    name: std::rc::Rc<[u8]>,
    parameters: Vec<Parameter>,
    body: std::rc::Rc<[u8]>,
}

impl Assembler<'_> {
    pub(super) fn block_directive(
        &mut self,
        name: &[u8],
        at: usize,
        c: &mut Cursor<'_>,
        block: &mut Lines<'_>,
        depth: u32,
    ) -> Result<(), Problem> {
        match name {
            b".macro" => self.define_macro(c, block, at),
            b".endm" | b".endmacro" => Err(Problem::at(
                at,
                "unexpected '.endm' in file, no current macro definition",
            )),
            b".exitm" => {
                if depth == 0 {
                    return Err(Problem::at(
                        at,
                        "unexpected '.exitm' in file, no current macro definition",
                    ));
                }
                self.leave_macro = true;
                Ok(())
            }
            b".purgem" => {
                let n = c.name();
                match self.macros.remove(n) {
                    Some(_) => Ok(()),
                    None => Err(Problem::at(
                        at,
                        format!("macro '{}' is not defined", String::from_utf8_lossy(n)),
                    )),
                }
            }
            b".rept" | b".rep" => {
                let n = expression::constant(c, &mut self.symbols)?;
                let body = repeated(block, at)?;
                if n < 0 {
                    return Err(Problem::at(at, "count is negative"));
                }
                self.foresee(n as u64, body, at)?;
                for _ in 0..n {
                    if self.stop {
                        break;
                    }
                    self.enter_text(What::Repetition, body, depth, at)?;
                }
                Ok(())
            }
            b".irp" | b".irpc" => self.irp(name == b".irpc", c, block, depth, at),
            b".endr" => Err(Problem::at(at, "unmatched '.endr' directive")),
            b".error" | b".err" | b".warning" | b".print" => {
                let message = if c.is_end() {
                    std::borrow::Cow::Borrowed(&name[1..])
                } else {
                    super::directive::string(c)?
                };
                let message = String::from_utf8_lossy(&message).into_owned();
                match name {
                    b".warning" => self.warn(c.src, at, message),
                    b".print" => {}
                    _ => return Err(Problem::at(at, message)),
                }
                Ok(())
            }
            b".end" => {
                self.stop = true;
                Ok(())
            }
            b".else" | b".elseif" | b".endif" => self.condition_part(name, c),
            _ if name.starts_with(b".if") => {
                let holds = self.condition(name, c);
                let line = self.symbols.line;
                // A condition that has no value is left out whole, so that it is reported once.
                self.conditions.push(Condition {
                    active: *holds.as_ref().unwrap_or(&false),
                    taken: *holds.as_ref().unwrap_or(&true),
                    outer: false,
                    seen_else: false,
                    line,
                });
                holds.map(|_| ())
            }
            _ => Err(Problem::at(
                at,
                format!("unknown directive {}", String::from_utf8_lossy(name)),
            )),
        }
    }

    /// A line that a condition leaves out.
    pub(super) fn skipped(&mut self, c: &mut Cursor<'_>) -> Result<(), Problem> {
        let name = c.peek_name();
        if name.starts_with(b".if") {
            let line = self.symbols.line;
            self.conditions.push(Condition {
                active: false,
                taken: true,
                outer: true,
                seen_else: false,
                line,
            });
            return Ok(());
        }
        if matches!(name, b".else" | b".elseif" | b".endif") {
            c.pos += name.len();
            return self.condition_part(name, c);
        }
        Ok(())
    }

    fn condition_part(&mut self, name: &[u8], c: &mut Cursor<'_>) -> Result<(), Problem> {
        let Some(top) = self.conditions.last_mut() else {
            return Err(Problem::at(
                0,
                format!(
                    "encountered a {} that doesn't follow an .if",
                    String::from_utf8_lossy(name)
                ),
            ));
        };
        match name {
            b".endif" => {
                self.conditions.pop();
            }
            b".else" => {
                if top.seen_else {
                    return Err(Problem::at(0, "encountered a second .else"));
                }
                top.seen_else = true;
                top.active = !top.taken && !top.outer;
                top.taken = true;
            }
            _ => {
                if top.seen_else {
                    return Err(Problem::at(0, "encountered a .elseif after an .else"));
                }
                if top.taken || top.outer {
                    top.active = false;
                    return Ok(());
                }
                let holds = expression::constant(c, &mut self.symbols)? != 0;
                if let Some(top) = self.conditions.last_mut() {
                    top.active = holds;
                    top.taken = holds;
                }
            }
        }
        Ok(())
    }

    fn condition(&mut self, name: &[u8], c: &mut Cursor<'_>) -> Result<bool, Problem> {
        Ok(match name {
            b".ifdef" | b".ifndef" | b".ifnotdef" => {
                let n = c.name().to_vec();
                if n.is_empty() {
                    return Err(Problem::at(c.pos, "expected identifier after '.ifdef'"));
                }
                self.is_defined(&n) == (name == b".ifdef")
            }
            b".ifb" => c.rest().is_empty(),
            b".ifnb" => !c.rest().is_empty(),
            b".ifc" | b".ifnc" => {
                let rest = c.rest();
                let (a, b) = match rest.iter().position(|b| *b == b',') {
                    Some(n) => (&rest[..n], &rest[n + 1..]),
                    None => {
                        return Err(Problem::at(
                            c.pos,
                            "expected comma after first string for '.ifc'",
                        ));
                    }
                };
                (a.trim_ascii() == b.trim_ascii()) == (name == b".ifc")
            }
            b".ifeqs" | b".ifnes" => {
                let a = super::directive::string(c)?;
                if !c.eat(b',') {
                    return Err(Problem::at(c.pos, "expected comma"));
                }
                let b = super::directive::string(c)?;
                (a == b) == (name == b".ifeqs")
            }
            _ => {
                let v = expression::constant(c, &mut self.symbols)?;
                match name {
                    b".if" | b".ifne" => v != 0,
                    b".ifeq" => v == 0,
                    b".ifge" => v >= 0,
                    b".ifgt" => v > 0,
                    b".ifle" => v <= 0,
                    b".iflt" => v < 0,
                    _ => return Err(Problem::at(0, "unknown directive")),
                }
            }
        })
    }

    fn define_macro(
        &mut self,
        c: &mut Cursor<'_>,
        block: &mut Lines<'_>,
        at: usize,
    ) -> Result<(), Problem> {
        let name = c.name().to_vec();
        let body = block
            .body(&[b".macro"], &[b".endm", b".endmacro"])
            .ok_or_else(|| Problem::at(at, "no matching '.endmacro' in definition"))?;
        if name.is_empty() {
            return Err(Problem::at(
                c.pos,
                "expected identifier in '.macro' directive",
            ));
        }
        let mut parameters = Vec::new();
        let _ = c.eat(b',');
        while !c.is_end() {
            let start = c.pos;
            let n = parameter_name(c);
            if n.is_empty() {
                return Err(Problem::at(
                    start,
                    "expected identifier in '.macro' directive",
                ));
            }
            let mut p = Parameter {
                name: n.to_vec(),
                default: None,
                required: false,
                rest: false,
            };
            if c.eat(b':') {
                match c.name() {
                    b"req" => p.required = true,
                    b"vararg" => p.rest = true,
                    _ => return Err(Problem::at(start, "unknown macro parameter qualifier")),
                }
            }
            if c.eat(b'=') {
                p.default = Some(argument(c, false));
            }
            parameters.push(p);
            let _ = c.eat(b',');
        }
        if self.macros.contains_key(&name) {
            return Err(Problem::at(
                at,
                format!(
                    "macro '{}' is already defined",
                    String::from_utf8_lossy(&name)
                ),
            ));
        }
        self.macros.insert(
            name.clone(),
            Macro {
                name: name.into(),
                parameters,
                body: body.into(),
            },
        );
        Ok(())
    }

    /// Reads a macro's arguments and its body with them.
    pub(super) fn expand(
        &mut self,
        m: &Macro,
        c: &mut Cursor<'_>,
        depth: u32,
    ) -> Result<(), Problem> {
        let mut values: Vec<Option<Vec<u8>>> = vec![None; m.parameters.len()];
        let mut next = 0;
        while !c.is_end() {
            let start = c.pos;
            // `name=value` gives a parameter by its name.
            let mut ahead = *c;
            let name = parameter_name(&mut ahead);
            let named = (ahead.peek() == b'=' && ahead.at(1) != b'=')
                .then(|| m.parameters.iter().position(|p| p.name == name))
                .flatten();
            if let Some(n) = named {
                ahead.pos += 1;
                *c = ahead;
                values[n] = Some(argument(c, false));
            } else {
                let Some(p) = m.parameters.get(next) else {
                    return Err(Problem::at(start, "too many positional arguments"));
                };
                values[next] = Some(if p.rest {
                    let rest = c.rest().to_vec();
                    c.pos = c.src.len();
                    rest
                } else {
                    argument(c, true)
                });
                next += 1;
            }
            let _ = c.eat(b',');
        }
        for (p, v) in m.parameters.iter().zip(&mut values) {
            if v.is_none() {
                if p.required {
                    return Err(Problem::at(
                        c.pos,
                        format!(
                            "missing value for required parameter '{}'",
                            String::from_utf8_lossy(&p.name)
                        ),
                    ));
                }
                *v = Some(p.default.clone().unwrap_or_default());
            }
        }
        let pairs: Vec<(&[u8], &[u8])> = m
            .parameters
            .iter()
            .zip(&values)
            .map(|(p, v)| (&p.name[..], v.as_deref().unwrap_or(b"")))
            .collect();
        let count = self.expansions;
        let text = self.text_of(&m.body, &pairs, count, c.pos)?;
        let conditions = self.conditions.len();
        let r = self.enter_text(What::Macro(m.name.clone()), &text, depth, c.pos);
        if std::mem::take(&mut self.leave_macro) {
            self.conditions.truncate(conditions);
        }
        r
    }

    /// The text of a macro or of one turn of a repetition. All of them together are bounded as the
    /// sections are.
    fn text_of(
        &mut self,
        body: &[u8],
        pairs: &[(&[u8], &[u8])],
        count: u64,
        at: usize,
    ) -> Result<Vec<u8>, Problem> {
        let room = self.options.limits.bytes.saturating_sub(self.expanded);
        let Some(text) = substitute(body, pairs, count, room) else {
            self.stop = true;
            return Err(Problem::at(at, "macros expand to too much text"));
        };
        self.expanded += text.len() as u64;
        Ok(text)
    }

    fn irp(
        &mut self,
        characters: bool,
        c: &mut Cursor<'_>,
        block: &mut Lines<'_>,
        depth: u32,
        at: usize,
    ) -> Result<(), Problem> {
        let name = parameter_name(c).to_vec();
        let comma = c.eat(b',');
        let mut values = Vec::new();
        if characters {
            values.extend(c.rest().iter().map(|b| vec![*b]));
        } else {
            while !c.is_end() {
                values.push(argument(c, false));
                let _ = c.eat(b',');
            }
        }
        let body = repeated(block, at)?;
        if name.is_empty() || !comma {
            return Err(Problem::at(at, "expected comma in '.irp' directive"));
        }
        for v in values {
            if self.stop {
                break;
            }
            let text = self.text_of(body, &[(&name, &v)], self.expansions, at)?;
            self.enter_text(What::Repetition, &text, depth, at)?;
        }
        Ok(())
    }
}

fn repeated<'a>(block: &mut Lines<'a>, at: usize) -> Result<&'a [u8], Problem> {
    block
        .body(&[b".rept", b".rep", b".irp", b".irpc"], &[b".endr"])
        .ok_or_else(|| Problem::at(at, "no matching '.endr' in definition"))
}

/// A parameter's name: no `@`, `.` or `$` in it, so that what follows it in a body may start so.
fn parameter_name<'a>(c: &mut Cursor<'a>) -> &'a [u8] {
    c.skip();
    let rest = &c.src[c.pos..];
    let n = rest
        .iter()
        .position(|b| !(b.is_ascii_alphanumeric() || *b == b'_'))
        .unwrap_or(rest.len());
    c.pos += n;
    &rest[..n]
}

/// One argument: up to a comma outside brackets and strings, or to a blank between operands.
fn argument(c: &mut Cursor<'_>, blanks: bool) -> Vec<u8> {
    c.skip();
    let rest = &c.src[c.pos..];
    let mut depth = 0i32;
    let mut quoted = false;
    let mut n = 0;
    while let Some(&b) = rest.get(n) {
        match b {
            b'"' => quoted = !quoted,
            b'\\' if quoted => n += 1,
            _ if quoted => {}
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b',' if depth <= 0 => break,
            b' ' | b'\t' if blanks && depth <= 0 && ends_argument(rest, n) => break,
            b';' => break,
            b'/' if matches!(rest.get(n + 1), Some(b'/' | b'*')) => break,
            _ => {}
        }
        n += 1;
    }
    let n = n.min(rest.len());
    c.pos += n;
    let text = rest[..n].trim_ascii();
    match text {
        [b'"', inside @ .., b'"'] => inside.to_vec(),
        _ => text.to_vec(),
    }
}

/// Whether a blank separates two arguments: no operator stands on either side.
fn ends_argument(rest: &[u8], n: usize) -> bool {
    let before = rest[..n].trim_ascii().last().copied().unwrap_or(b' ');
    let after = rest[n..].trim_ascii().first().copied().unwrap_or(b' ');
    let operator = |b: u8| {
        matches!(
            b,
            b'+' | b'-'
                | b'*'
                | b'/'
                | b'%'
                | b'&'
                | b'|'
                | b'^'
                | b'<'
                | b'>'
                | b'='
                | b'!'
                | b'~'
                | b':'
        )
    };
    !operator(before) && !operator(after)
}

/// The body with `\name` replaced; `\@` is the number of the expansion, `\()` nothing. `None` where
/// that takes more than `room` bytes.
fn substitute(body: &[u8], pairs: &[(&[u8], &[u8])], count: u64, room: u64) -> Option<Vec<u8>> {
    if body.len() as u64 > room {
        return None;
    }
    let mut out = Vec::with_capacity(body.len());
    let mut at = 0;
    while let Some(n) = memchr::memchr(b'\\', &body[at..]) {
        out.extend_from_slice(&body[at..at + n]);
        at += n + 1;
        let rest = &body[at..];
        if rest.first() == Some(&b'@') {
            out.extend_from_slice(count.to_string().as_bytes());
            at += 1;
        } else if rest.starts_with(b"()") {
            at += 2;
        } else {
            let n = rest
                .iter()
                .position(|b| !is_name(*b) || matches!(b, b'.' | b'@' | b'$'))
                .unwrap_or(rest.len());
            match pairs.iter().find(|(name, _)| *name == &rest[..n]) {
                Some((_, value)) => {
                    if (out.len() + value.len() + body.len() - at) as u64 > room {
                        return None;
                    }
                    out.extend_from_slice(value);
                    at += n;
                }
                None => out.push(b'\\'),
            }
        }
    }
    out.extend_from_slice(&body[at..]);
    Some(out)
}
