//! One instruction: mnemonic, operands, match.

use super::cursor::Cursor;
use super::diagnostic::Problem;
use super::matcher::{self, For, Matched};
use super::mnemonics::{Forms, Table};
use super::operand::{self, Line, Reading};
use super::pattern::Form;
use super::suggest;
use super::symbol::Symbols;

/// What reads instructions: the target's mnemonics and room for one line.
pub(super) struct Reader {
    pub(super) on: For,
    table: &'static Table,
    line: Line,
    /// The instruction that was read last.
    pub(super) matched: Matched,
    name: Vec<u8>,
    /// How many more unknown names are compared with all known ones.
    suggestions: u32,
}

impl Reader {
    pub(super) fn new(on: For, suggestions: u32) -> Self {
        Self {
            on,
            table: Table::of(on.target),
            line: Line::new(),
            matched: Matched::new(on),
            name: Vec::new(),
            suggestions,
        }
    }

    /// Assembles the instruction in `c`, which starts at a mnemonic.
    pub(super) fn read(&mut self, c: &mut Cursor<'_>, s: &mut Symbols) -> Result<(), Problem> {
        let name = c.peek_name();
        self.read_named(name, c, s)
    }

    /// Assembles the instruction whose mnemonic is next in `c`.
    #[inline]
    pub(super) fn read_named(
        &mut self,
        name: &[u8],
        c: &mut Cursor<'_>,
        s: &mut Symbols,
    ) -> Result<(), Problem> {
        let start = c.pos;
        c.pos += name.len();
        let (base, form) = Form::split(name);
        let forms = match self.table.find(base) {
            Some(f) => f,
            None => self.find_slowly(name, base, start)?,
        };
        self.line.clear();
        let mut how = reading(forms, self.on);
        operand::read(c, &mut self.line, s, &how)?;
        if c.is_end() {
            return matcher::find(&self.line, forms, form, self.on, &mut self.matched)
                .map_err(|p| place(p, start));
        }
        // A pair: the second instruction follows.
        c.pos += 2;
        self.line.split = self.line.count;
        c.skip();
        let second_at = c.pos;
        let second = c.name();
        self.name.clear();
        self.name.extend_from_slice(base);
        self.name.extend_from_slice(b" :: ");
        self.name.extend_from_slice(second);
        let Some(forms) = self.table.find(&self.name) else {
            return Err(Problem::at(
                second_at,
                format!(
                    "{} and {} are no pair on {}",
                    String::from_utf8_lossy(name),
                    String::from_utf8_lossy(second),
                    self.on.target
                ),
            ));
        };
        how = reading(forms, self.on);
        how.specials = 0;
        operand::read(c, &mut self.line, s, &how)?;
        if !c.is_end() {
            return Err(Problem::at(c.pos, "unexpected token"));
        }
        matcher::find(&self.line, forms, form, self.on, &mut self.matched)
            .map_err(|p| place(p, start))
    }

    /// Looks for the mnemonic in lower case, and says what may be meant.
    #[cold]
    fn find_slowly(
        &mut self,
        name: &[u8],
        base: &[u8],
        at: usize,
    ) -> Result<&'static Forms, Problem> {
        let lower = base.to_ascii_lowercase();
        if let Some(f) = self.table.find(&lower) {
            return Ok(f);
        }
        if self.suggestions == 0 {
            return Err(Problem::at(at, "invalid instruction"));
        }
        self.suggestions -= 1;
        Err(suggest::unknown(name, at, self.on.target))
    }
}

fn place(mut p: Problem, start: usize) -> Problem {
    if p.at == 0 {
        p.at = start;
    }
    p
}

#[inline]
fn reading(forms: &Forms, on: For) -> Reading {
    Reading {
        target: on.target,
        special: forms.special,
        specials: forms.specials,
        image: forms.image,
        load: forms.access,
        name: forms.name,
    }
}
