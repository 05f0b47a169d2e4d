//! Directives that write data, align and move on.

use super::assembler::{Assembler, Fill, Pending};
use super::cursor::Cursor;
use super::diagnostic::Problem;
use super::directive::{end, string};
use super::expression;

impl Assembler<'_> {
    pub(super) fn data(&mut self, c: &mut Cursor<'_>, size: u8) -> Result<(), Problem> {
        if c.is_end() {
            return Ok(());
        }
        loop {
            let at = {
                c.skip();
                c.pos
            };
            self.symbols.place = (self.current, self.offset());
            let e = expression::parse(c, &mut self.symbols)?;
            self.emit_value(e, size, at)?;
            if !c.eat(b',') {
                return end(c);
            }
        }
    }

    pub(super) fn octa(&mut self, c: &mut Cursor<'_>) -> Result<(), Problem> {
        loop {
            c.skip();
            let at = c.pos;
            let word = c.letters_and_digits();
            let v = match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
                Some(hex) => u128::from_str_radix(hex, 16),
                None => word.parse(),
            };
            let v = v.map_err(|_| Problem::at(at, "expected a number of 128 bits"))?;
            self.emit(&v.to_le_bytes(), at)?;
            if !c.eat(b',') {
                return end(c);
            }
        }
    }

    pub(super) fn text_data(&mut self, c: &mut Cursor<'_>, zero: bool) -> Result<(), Problem> {
        if c.is_end() {
            return Ok(());
        }
        loop {
            let at = c.pos;
            self.emit(&string(c)?, at)?;
            // Strings side by side are one.
            while c.peek() == b'"' {
                self.emit(&string(c)?, at)?;
            }
            if zero {
                self.emit(&[0], at)?;
            }
            if !c.eat(b',') {
                return end(c);
            }
        }
    }

    pub(super) fn float_data(&mut self, c: &mut Cursor<'_>, size: usize) -> Result<(), Problem> {
        loop {
            c.skip();
            let at = c.pos;
            let rest = &c.src[c.pos..];
            let n = rest
                .iter()
                .position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'.' | b'+' | b'-')))
                .unwrap_or(rest.len());
            c.pos += n;
            let v: f64 = std::str::from_utf8(&rest[..n])
                .ok()
                .and_then(|t| t.parse().ok())
                .ok_or_else(|| Problem::at(at, "invalid floating point literal"))?;
            if size == 4 {
                self.emit(&(v as f32).to_le_bytes(), at)?;
            } else {
                self.emit(&v.to_le_bytes(), at)?;
            }
            if !c.eat(b',') {
                return end(c);
            }
        }
    }

    pub(super) fn space(&mut self, c: &mut Cursor<'_>, at: usize) -> Result<(), Problem> {
        let n = expression::constant(c, &mut self.symbols)?;
        let v = if c.eat(b',') {
            expression::constant(c, &mut self.symbols)?
        } else {
            0
        };
        end(c)?;
        let n = u64::try_from(n).map_err(|_| Problem::at(at, "invalid number of bytes"))?;
        self.emit_fill(v as u8, n, at)
    }

    /// `.fill COUNT, SIZE, VALUE`.
    pub(super) fn fill(&mut self, c: &mut Cursor<'_>, at: usize) -> Result<(), Problem> {
        let count = expression::constant(c, &mut self.symbols)?;
        let (mut size, mut value) = (1, 0);
        if c.eat(b',') {
            size = expression::constant(c, &mut self.symbols)?;
            if c.eat(b',') {
                value = expression::constant(c, &mut self.symbols)?;
            }
        }
        end(c)?;
        if count < 0 || size < 0 {
            return Ok(());
        }
        let size = size.min(8) as usize;
        let total = (count as u64).saturating_mul(size as u64);
        self.grow(total, at)?;
        // The pattern has four bytes, what lies above is zero.
        let pattern = (value as u32 as u64).to_le_bytes();
        let s = &mut self.sections[self.current as usize];
        if s.kind == 8 {
            s.size += total;
            return Ok(());
        }
        s.data.reserve(total as usize);
        for _ in 0..count {
            s.data.extend_from_slice(&pattern[..size]);
        }
        s.size = s.data.len() as u64;
        Ok(())
    }

    pub(super) fn leb(&mut self, c: &mut Cursor<'_>, signed: bool) -> Result<(), Problem> {
        loop {
            c.skip();
            let at = c.pos;
            self.symbols.place = (self.current, self.offset());
            let e = expression::parse(c, &mut self.symbols)?;
            match self.symbols.constant(e) {
                Some(v) => self.emit(&leb_bytes(v, signed), at)?,
                None => {
                    // Its size is found out by passes over the source.
                    let n = self.leb_count;
                    self.leb_count += 1;
                    if self.leb_sizes.len() <= n {
                        self.leb_sizes.push(1);
                    }
                    let size = self.leb_sizes[n];
                    let offset = self.offset();
                    self.emit(&[0; 10][..size.min(10) as usize], at)?;
                    self.pending.push(Pending {
                        section: self.current,
                        offset,
                        fill: Fill::Leb(n as u32, size, signed),
                        expr: e,
                        line: self.symbols.line,
                        column: self.column(at),
                        branch: 0,
                    });
                }
            }
            if !c.eat(b',') {
                return end(c);
            }
        }
    }

    /// Alignment, by bytes or by a power of two. Code is padded with S_NOP.
    pub(super) fn align(
        &mut self,
        c: &mut Cursor<'_>,
        width: usize,
        power: bool,
    ) -> Result<(), Problem> {
        let at = {
            c.skip();
            c.pos
        };
        let n = expression::constant(c, &mut self.symbols)?;
        let align = match (power, n) {
            (true, 0..=31) => 1u64 << n,
            (true, _) => return Err(Problem::at(at, "invalid alignment value")),
            (false, 0) => 1,
            (false, n) if n > 0 && (n as u64).is_power_of_two() && n <= 1 << 31 => n as u64,
            (false, _) => return Err(Problem::at(at, "alignment must be a power of 2")),
        };
        let (mut fill, mut most) = (None, None);
        if c.eat(b',') {
            if c.peek() != b',' && !c.is_end() {
                fill = Some(expression::constant(c, &mut self.symbols)?);
            }
            if c.eat(b',') {
                most = Some(expression::constant(c, &mut self.symbols)?);
            }
        }
        end(c)?;
        let s = &mut self.sections[self.current as usize];
        s.align = s.align.max(align);
        let code = s.flags & 4 != 0;
        let gap = s.size.next_multiple_of(align) - s.size;
        if gap == 0 || most.is_some_and(|m| m > 0 && gap > m as u64) {
            return Ok(());
        }
        match fill {
            Some(v) => {
                if !gap.is_multiple_of(width as u64) {
                    return Err(Problem::at(
                        at,
                        "the padding is no multiple of the fill's size",
                    ));
                }
                self.grow(gap, at)?;
                let s = &mut self.sections[self.current as usize];
                let bytes = v.to_le_bytes();
                if s.kind != 8 {
                    for _ in 0..gap / width as u64 {
                        s.data.extend_from_slice(&bytes[..width]);
                    }
                }
                s.size += gap;
                Ok(())
            }
            None if code => {
                self.emit_fill(0, gap % 4, at)?;
                self.grow(gap & !3, at)?;
                let s = &mut self.sections[self.current as usize];
                for _ in 0..gap / 4 {
                    s.data.extend_from_slice(&0xbf80_0000u32.to_le_bytes());
                }
                s.size = s.data.len() as u64;
                Ok(())
            }
            None => self.emit_fill(0, gap, at),
        }
    }

    pub(super) fn org(&mut self, c: &mut Cursor<'_>, at: usize) -> Result<(), Problem> {
        let e = expression::parse(c, &mut self.symbols)?;
        let fill = if c.eat(b',') {
            expression::constant(c, &mut self.symbols)?
        } else {
            0
        };
        end(c)?;
        let v = self.symbols.evaluate(e).filter(|v| {
            matches!(v.base, super::evaluate::Base::Absolute)
                || v.base == super::evaluate::Base::Section(self.current)
        });
        let gap = v.and_then(|v| u64::try_from(v.offset).ok()?.checked_sub(self.offset()));
        match gap {
            Some(gap) => self.emit_fill(fill as u8, gap, at),
            None => Err(Problem::at(
                at,
                "invalid .org offset: it may not move backwards",
            )),
        }
    }
}

/// A number as LEB128 (DWARF 5, 7.6).
pub(super) fn leb_bytes(mut v: i64, signed: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (v & 0x7f) as u8;
        v = if signed {
            v >> 7
        } else {
            (v as u64 >> 7) as i64
        };
        let done = if signed {
            v == 0 && low & 0x40 == 0 || v == -1 && low & 0x40 != 0
        } else {
            v == 0
        };
        bytes.push(low | if done { 0 } else { 0x80 });
        if done {
            return bytes;
        }
    }
}
