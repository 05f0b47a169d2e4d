//! Checked little-endian reads that know their offset.

use crate::{Error, Result};

/// The bytes `[offset, offset + len)` of `data`, or the error that names them.
pub(crate) fn slice<'a>(
    data: &'a [u8],
    offset: u64,
    len: u64,
    what: &'static str,
) -> Result<&'a [u8]> {
    let truncated = || Error::Truncated {
        offset,
        what,
        needed: len,
        len: data.len() as u64,
    };
    let end = offset.checked_add(len).ok_or_else(truncated)?;
    let (start, end) = (
        usize::try_from(offset).map_err(|_| truncated())?,
        usize::try_from(end).map_err(|_| truncated())?,
    );
    data.get(start..end).ok_or_else(truncated)
}

pub(crate) fn u16_at(data: &[u8], offset: u64, what: &'static str) -> Result<u16> {
    let b = slice(data, offset, 2, what)?;
    Ok(u16::from_le_bytes([b[0], b[1]]))
}

pub(crate) fn u32_at(data: &[u8], offset: u64, what: &'static str) -> Result<u32> {
    let b = slice(data, offset, 4, what)?;
    Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

pub(crate) fn u64_at(data: &[u8], offset: u64, what: &'static str) -> Result<u64> {
    let b = slice(data, offset, 8, what)?;
    Ok(u64::from_le_bytes([
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7],
    ]))
}
