//! Standard output and input.

use std::io::{Read, Write};
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

pub(crate) fn write_json(value: &impl Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    write(&text)
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
