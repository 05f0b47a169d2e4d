//! Other files: `.include` and `.incbin`, through what the caller hands in.

use super::assembled::FileLoader;
use super::assembler::Assembler;
use super::cursor::Cursor;
use super::diagnostic::Problem;
use super::directive::{end, string};
use super::expansion::What;
use super::expression;

impl Assembler<'_> {
    fn load(&self, name: &[u8], at: usize) -> Result<(String, Vec<u8>), Problem> {
        let name = String::from_utf8(name.to_vec())
            .map_err(|_| Problem::at(at, "the file's name is not UTF-8"))?;
        let Some(FileLoader(load)) = &self.options.files else {
            return Err(Problem::at(
                at,
                format!("could not find file '{name}': no other files may be read here"),
            ));
        };
        match load(&name) {
            Ok(bytes) => Ok((name, bytes)),
            Err(e) => Err(Problem::at(
                at,
                format!("could not find file '{name}': {e}"),
            )),
        }
    }

    /// `.include "FILE"`.
    pub(super) fn include(&mut self, c: &mut Cursor<'_>, depth: u32) -> Result<(), Problem> {
        c.skip();
        let at = c.pos;
        let name = string(c)?;
        end(c)?;
        let (name, text) = self.load(&name, at)?;
        self.enter_text(What::File(name.into()), &text, depth, at)
    }

    /// `.incbin "FILE", SKIP, COUNT`.
    pub(super) fn incbin(&mut self, c: &mut Cursor<'_>) -> Result<(), Problem> {
        c.skip();
        let at = c.pos;
        let name = string(c)?;
        let (mut skip, mut count) = (0, None);
        if c.eat(b',') {
            if c.peek() != b',' {
                skip = expression::constant(c, &mut self.symbols)?;
            }
            if c.eat(b',') {
                count = Some(expression::constant(c, &mut self.symbols)?);
            }
        }
        end(c)?;
        let (_, bytes) = self.load(&name, at)?;
        let skip = usize::try_from(skip).map_err(|_| Problem::at(at, "skip is negative"))?;
        let rest = bytes.get(skip..).unwrap_or(&[]);
        let count = match count {
            None => rest.len(),
            Some(n) => usize::try_from(n)
                .map_err(|_| Problem::at(at, "count is negative"))?
                .min(rest.len()),
        };
        self.emit(&rest[..count], at)
    }
}
