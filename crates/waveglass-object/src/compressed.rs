//! Compressed offload bundles (`CCOB`, versions 1 to 3 of clang's format).

use crate::reader::{slice, u16_at, u32_at, u64_at};
use crate::{Error, Limits, Result};
use std::io::Read;

pub(crate) const MAGIC: &[u8; 4] = b"CCOB";

/// Decompresses the bundle at `at`; also gives the offset where its compressed data ends.
///
/// Memory grows with what really comes out, never with what the header claims, and stops at the
/// smaller of claim and limit.
pub(crate) fn decompress(data: &[u8], at: u64, limits: &Limits) -> Result<(Vec<u8>, u64)> {
    let what = "compressed bundle header";
    let version = u16_at(data, at + 4, what)?;
    let method = u16_at(data, at + 6, what)?;
    let len = data.len() as u64;
    let (end, claimed, body) = match version {
        1 => (len, u64::from(u32_at(data, at + 8, what)?), at + 20),
        2 => {
            let size = u64::from(u32_at(data, at + 8, what)?);
            (
                at.saturating_add(size),
                u64::from(u32_at(data, at + 12, what)?),
                at + 24,
            )
        }
        3 => {
            let size = u64_at(data, at + 8, what)?;
            (
                at.saturating_add(size),
                u64_at(data, at + 16, what)?,
                at + 32,
            )
        }
        v => {
            return Err(Error::Unsupported {
                offset: at + 4,
                what: format!("compressed bundle version {v}"),
                advice: "decompress it with clang-offload-bundler",
            });
        }
    };
    if end < body {
        return Err(Error::malformed(
            at + 8,
            "the compressed bundle is smaller than its header",
        ));
    }
    if claimed > limits.decompressed {
        return Err(Error::TooLarge {
            offset: at,
            what: "decompressed bundle",
            size: claimed,
            limit: limits.decompressed,
        });
    }
    let mut input = slice(data, body, end - body, "compressed bundle")?;
    let mut out = Vec::new();
    let bad = |e: String| Error::malformed(body, format!("compressed data is damaged: {e}"));
    // One byte over the claim is enough to notice that the data does not keep to it.
    match method {
        0 => {
            let mut d = flate2::bufread::ZlibDecoder::new(&mut input).take(claimed + 1);
            d.read_to_end(&mut out).map_err(|e| bad(e.to_string()))?;
        }
        1 => {
            let d = ruzstd::decoding::StreamingDecoder::new(&mut input)
                .map_err(|e| bad(e.to_string()))?;
            d.take(claimed + 1)
                .read_to_end(&mut out)
                .map_err(|e| bad(e.to_string()))?;
        }
        m => {
            return Err(Error::Unsupported {
                offset: at + 6,
                what: format!("compression method {m}"),
                advice: "zlib (0) and zstd (1) are known; decompress it with clang-offload-bundler",
            });
        }
    }
    if out.len() as u64 != claimed {
        return Err(Error::malformed(
            at,
            format!(
                "the header claims {claimed} decompressed bytes, the data holds {}{}",
                if out.len() as u64 > claimed {
                    "more than "
                } else {
                    ""
                },
                (out.len() as u64).min(claimed)
            ),
        ));
    }
    let consumed = if version == 1 {
        len - input.len() as u64
    } else {
        end
    };
    Ok((out, consumed))
}
