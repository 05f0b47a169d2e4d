//! Standard output and input.

use std::io::{BufWriter, IsTerminal as _, Read, Write};
use std::path::Path;

use anyhow::Context;
use serde::Serialize;

use crate::failure::Failure;

/// Writes text to the standard output, without colours unless it is a terminal.
pub(crate) fn write(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes text that has no colours. What a file brings along to command a terminal is taken out
/// where there is one; elsewhere the text stays as it is.
pub(crate) fn write_plain(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if out.is_terminal() {
        write!(out, "{}", anstream::adapter::strip_str(text))?;
    } else {
        out.write_all(text.as_bytes())?;
    }
    out.flush()?;
    Ok(())
}

/// How much is gathered before it is written: what a pipe holds.
const GATHERED: usize = 64 << 10;

pub(crate) fn write_json(value: &impl Serialize) -> Result<(), Failure> {
    // JSON escapes control characters: there is no colour to take out.
    let mut out = BufWriter::with_capacity(GATHERED, std::io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, value).map_err(std::io::Error::from)?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(())
}

/// A style of [`Text`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Paint {
    Bold,
    Dim,
    Cyan,
}

/// Appends a number in upper-case hexadecimal, with zeros before it up to `digits`.
pub(crate) fn push_hex(out: &mut Vec<u8>, value: u64, digits: u32) {
    let significant = (67 - value.leading_zeros()) / 4;
    for i in (0..digits.max(significant)).rev() {
        // A sixty-fourth bit and above are no digit of a value of 64 bits.
        let digit = value.checked_shr(4 * i).unwrap_or(0) as usize & 15;
        out.push(b"0123456789ABCDEF"[digit]);
    }
}

/// Long text, written to the standard output piece by piece. Who writes decides about colours
/// once, by [`Text::paint`], instead of having them taken out of every line.
pub(crate) struct Text {
    /// What is not written yet.
    pub(crate) buffer: Vec<u8>,
    colour: bool,
}

impl Text {
    pub(crate) fn new() -> Self {
        let choice = anstream::AutoStream::choice(&std::io::stdout());
        Self {
            buffer: Vec::with_capacity(GATHERED + GATHERED / 4),
            colour: choice != anstream::ColorChoice::Never,
        }
    }

    /// What goes before and after a piece of text in a style.
    pub(crate) fn paint(&self, style: Paint) -> [&'static str; 2] {
        match style {
            _ if !self.colour => ["", ""],
            Paint::Bold => ["\x1b[1m", "\x1b[0m"],
            Paint::Dim => ["\x1b[2m", "\x1b[0m"],
            Paint::Cyan => ["\x1b[36m", "\x1b[39m"],
        }
    }

    /// Writes where much has gathered; for ends of lines.
    pub(crate) fn pass(&mut self) -> Result<(), Failure> {
        match self.buffer.len() < GATHERED {
            true => Ok(()),
            false => self.flush(),
        }
    }

    /// Writes all.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        if self.colour {
            // Some terminals are not told about colours by escape sequences.
            let mut out = anstream::stdout().lock();
            out.write_all(&self.buffer)?;
            out.flush()?;
        } else {
            let mut out = std::io::stdout().lock();
            out.write_all(&self.buffer)?;
            out.flush()?;
        }
        self.buffer.clear();
        Ok(())
    }
}

/// Reads a file, or the standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    if path == Path::new("-") {
        let mut data = Vec::new();
        std::io::stdin()
            .lock()
            .read_to_end(&mut data)
            .context("standard input")?;
        return Ok(data);
    }
    Ok(read_bounded(path).with_context(|| format!("{}: cannot read", path.display()))?)
}

/// The most that is read of an input: a device may have no end.
const INPUT_LIMIT: u64 = 1 << 30;

/// The bytes of a file, a pipe or the like, up to a limit.
pub(crate) fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut data = Vec::new();
    let mut file = std::fs::File::open(path)?.take(INPUT_LIMIT + 1);
    file.read_to_end(&mut data)?;
    if data.len() as u64 > INPUT_LIMIT {
        return Err(std::io::Error::other("it has more than 1 GiB"));
    }
    Ok(data)
}

/// The bytes that hexadecimal digits spell; white space, commas and `0x` may stand between bytes.
pub(crate) fn parse_hex(text: &str) -> Result<Vec<u8>, String> {
    let mut digits = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || ",[]".contains(c)) {
        let word = word.strip_prefix("0x").unwrap_or(word);
        for c in word.chars() {
            match c.to_digit(16) {
                Some(d) => digits.push(d as u8),
                None => return Err(format!("{c:?} is no hexadecimal digit")),
            }
        }
        if digits.len() % 2 != 0 {
            return Err(format!("{word:?} has an odd number of hexadecimal digits"));
        }
    }
    Ok(digits.chunks(2).map(|d| d[0] << 4 | d[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pushed_hex_is_what_the_standard_library_formats() {
        let mut values = vec![0, 1, 0xf, 0x10, 0xf_ffff, 0xff_ffff, 0x100_0000, u64::MAX];
        values.extend((0..64).map(|n| 1u64 << n));
        for v in values {
            let mut out = Vec::new();
            push_hex(&mut out, v, 6);
            assert_eq!(out, format!("{v:06X}").into_bytes());
        }
    }

    #[test]
    fn hex_comes_with_or_without_separators() {
        for text in [
            "02050602",
            "02 05 06 02",
            "0x02,0x05,0x06,0x02",
            "[0x02, 0x05,0x06 02]",
        ] {
            assert_eq!(parse_hex(text), Ok(vec![2, 5, 6, 2]), "{text}");
        }
        assert!(parse_hex("0g").is_err());
        assert!(parse_hex("123").is_err());
    }
}
