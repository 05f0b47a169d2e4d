//! What is wrong with a source, and how it is shown.

use std::borrow::Cow;
use std::fmt;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The source assembles, but not to what it seems to say.
    Warning,
    /// The source does not assemble.
    Error,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What may be meant instead, or why it is wrong.
    pub help: Option<String>,
    /// The line, from 1; 0 where the finding has none.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
    /// The source line, after macro expansion.
    pub source: String,
    /// The macros, repetitions and other files that the line stands in, the innermost first;
    /// `line` is then that of the source which led there.
    pub expansions: Vec<Expansion>,
}

/// A text that was read in the place of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// "macro NAME", "repetition" or the name of a file.
    pub of: String,
    /// The line within it, from 1.
    pub line: u32,
}

/// All findings of an assembly, in the order of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    /// The findings.
    pub list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Whether the source assembles in spite of the findings.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }

    /// The findings as text, each with its source line and a caret under the place.
    pub fn render(&self, file: &str) -> String {
        use fmt::Write as _;
        let mut out = String::new();
        for d in &self.list {
            let kind = match d.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            // Writing to a string does not fail.
            if d.line == 0 {
                let _ = writeln!(out, "{file}: {kind}: {}", d.message);
            } else {
                let _ = match d.expansions.first() {
                    None => write!(out, "{file}:{}", d.line),
                    Some(e) if e.of.contains(' ') || e.of == "repetition" => {
                        write!(out, "<{}>:{}", e.of, e.line)
                    }
                    Some(e) => write!(out, "{}:{}", e.of, e.line),
                };
                let _ = writeln!(out, ":{}: {kind}: {}", d.column, d.message);
                let _ = writeln!(out, "{}", d.source.trim_end());
                for (n, ch) in d.source.char_indices() {
                    if n + 1 >= d.column as usize {
                        break;
                    }
                    out.push(if ch == '\t' { '\t' } else { ' ' });
                }
                out.push_str("^\n");
            }
            if let Some(help) = &d.help {
                let _ = writeln!(out, "help: {help}");
            }
            for (n, e) in d.expansions.iter().enumerate() {
                let _ = match d.expansions.get(n + 1) {
                    Some(outer) => write!(out, "<{}>:{}", outer.of, outer.line),
                    None => write!(out, "{file}:{}", d.line),
                };
                let _ = writeln!(out, ": note: {} was entered here", e.of);
            }
        }
        out
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render("<source>"))
    }
}

impl std::error::Error for Diagnostics {}

/// A finding in the statement at hand: its place is a byte of the statement.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) at: usize,
    pub(super) message: Cow<'static, str>,
    pub(super) help: Option<String>,
}

impl Problem {
    pub(super) fn at(at: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            at,
            message: message.into(),
            help: None,
        }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
