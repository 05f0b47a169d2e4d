//! Writing into the current section, within the limits.

use super::assembler::{Assembler, Fill, Pending};
use super::diagnostic::Problem;
use super::expression::Expr;

impl Assembler<'_> {
    /// Counts work that is no statement towards the limit of statements.
    pub(super) fn count_work(&mut self, bytes: u64, at: usize) -> Result<(), Problem> {
        self.statements = self.statements.saturating_add(1 + bytes / 64);
        if self.statements > self.options.limits.statements {
            self.stop = true;
            return Err(Problem::at(at, "the source has too many statements"));
        }
        Ok(())
    }

    /// Refuses repetitions that would go past the limit of statements before the first is read.
    pub(super) fn foresee(&mut self, times: u64, body: &[u8], at: usize) -> Result<(), Problem> {
        let lines = memchr::memchr_iter(b'\n', body).count() as u64;
        let each = 1 + lines + body.len() as u64 / 64;
        if self.statements.saturating_add(times.saturating_mul(each))
            > self.options.limits.statements
        {
            self.stop = true;
            return Err(Problem::at(at, "the source has too many statements"));
        }
        Ok(())
    }

    /// The offset at the end of the current section.
    #[inline]
    pub(super) fn offset(&self) -> u64 {
        self.sections[self.current as usize].size
    }

    /// Accounts for bytes that are about to be written.
    #[inline]
    pub(super) fn grow(&mut self, n: u64, at: usize) -> Result<(), Problem> {
        self.bytes = self.bytes.saturating_add(n);
        if self.bytes > self.options.limits.bytes {
            self.stop = true;
            return Err(Problem::at(
                at,
                format!(
                    "the sections grow past the limit of {} bytes",
                    self.options.limits.bytes
                ),
            ));
        }
        Ok(())
    }

    /// Appends bytes to the current section.
    pub(super) fn emit(&mut self, bytes: &[u8], at: usize) -> Result<(), Problem> {
        self.grow(bytes.len() as u64, at)?;
        let s = &mut self.sections[self.current as usize];
        if s.kind == 8 {
            if bytes.iter().any(|b| *b != 0) {
                return Err(Problem::at(
                    at,
                    format!("cannot have non-zero initializers in {}", s.name),
                ));
            }
            s.size += bytes.len() as u64;
            return Ok(());
        }
        s.data.extend_from_slice(bytes);
        s.size = s.data.len() as u64;
        Ok(())
    }

    /// The column of what is found at the end: of the source's line, not of what it expands to.
    pub(super) fn column(&self, at: usize) -> u32 {
        if self.frames.is_empty() {
            at as u32 + 1
        } else {
            1
        }
    }

    /// Appends `count` copies of a byte.
    pub(super) fn emit_fill(&mut self, byte: u8, count: u64, at: usize) -> Result<(), Problem> {
        self.grow(count, at)?;
        let s = &mut self.sections[self.current as usize];
        if s.kind == 8 {
            s.size += count;
            return Ok(());
        }
        let n = s.data.len() + count as usize;
        s.data.resize(n, byte);
        s.size = n as u64;
        Ok(())
    }

    /// Appends a number of `size` bytes, known now or at the end.
    pub(super) fn emit_value(&mut self, e: Expr, size: u8, at: usize) -> Result<(), Problem> {
        if let Expr::Const(v) = e {
            let bits = size as u32 * 8;
            if bits < 64 && v >> bits != 0 && v >> (bits - 1) != -1 {
                return Err(Problem::at(at, "value evaluated as out of range"));
            }
            return self.emit(&v.to_le_bytes()[..size.min(8) as usize], at);
        }
        let offset = self.offset();
        self.emit(&[0; 8][..size.min(8) as usize], at)?;
        self.pending.push(Pending {
            section: self.current,
            offset,
            fill: Fill::Data(size),
            expr: e,
            line: self.line,
            column: self.column(at),
            branch: 0,
        });
        Ok(())
    }
}
