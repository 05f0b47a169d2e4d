//! Data formats of typed buffer accesses: how components lie in memory and what numbers they are.
//!
//! `convert` turns one component between memory and a register, `wave` moves a wave's data through a
//! descriptor.

mod convert;
mod wave;

use super::descriptor::BufferDescriptor;
use crate::rules::Generation;
use std::fmt;

pub use wave::FormatAccess;

/// How the components of an element lie in memory.
///
/// The names list components from the most significant bits down, as AMD's do: in `10_11_11` the first
/// component (X) has the lowest 11 bits. Where all components are as wide, X comes first in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Layout {
    L8,
    L16,
    L8_8,
    L32,
    L16_16,
    L10_11_11,
    L11_11_10,
    L10_10_10_2,
    L2_10_10_10,
    L8_8_8_8,
    L32_32,
    L16_16_16_16,
    L32_32_32,
    L32_32_32_32,
}

impl Layout {
    /// Every layout, in the order of gfx9's DFMT codes, which start at 1.
    pub const ALL: [Self; 14] = [
        Self::L8,
        Self::L16,
        Self::L8_8,
        Self::L32,
        Self::L16_16,
        Self::L10_11_11,
        Self::L11_11_10,
        Self::L10_10_10_2,
        Self::L2_10_10_10,
        Self::L8_8_8_8,
        Self::L32_32,
        Self::L16_16_16_16,
        Self::L32_32_32,
        Self::L32_32_32_32,
    ];

    /// The components' widths in bits, X first.
    pub const fn widths(self) -> &'static [u32] {
        match self {
            Self::L8 => &[8],
            Self::L16 => &[16],
            Self::L8_8 => &[8, 8],
            Self::L32 => &[32],
            Self::L16_16 => &[16, 16],
            Self::L10_11_11 => &[11, 11, 10],
            Self::L11_11_10 => &[10, 11, 11],
            Self::L10_10_10_2 => &[2, 10, 10, 10],
            Self::L2_10_10_10 => &[10, 10, 10, 2],
            Self::L8_8_8_8 => &[8, 8, 8, 8],
            Self::L32_32 => &[32, 32],
            Self::L16_16_16_16 => &[16, 16, 16, 16],
            Self::L32_32_32 => &[32, 32, 32],
            Self::L32_32_32_32 => &[32, 32, 32, 32],
        }
    }

    /// AMD's name, as in "10_11_11".
    pub const fn name(self) -> &'static str {
        match self {
            Self::L8 => "8",
            Self::L16 => "16",
            Self::L8_8 => "8_8",
            Self::L32 => "32",
            Self::L16_16 => "16_16",
            Self::L10_11_11 => "10_11_11",
            Self::L11_11_10 => "11_11_10",
            Self::L10_10_10_2 => "10_10_10_2",
            Self::L2_10_10_10 => "2_10_10_10",
            Self::L8_8_8_8 => "8_8_8_8",
            Self::L32_32 => "32_32",
            Self::L16_16_16_16 => "16_16_16_16",
            Self::L32_32_32 => "32_32_32",
            Self::L32_32_32_32 => "32_32_32_32",
        }
    }

    /// Bytes of an element.
    pub fn bytes(self) -> u32 {
        self.widths().iter().sum::<u32>() / 8
    }

    /// Whether components of this layout may be floats: those of 10, 11 (packed), 16 and 32 bits.
    const fn has_float(self) -> bool {
        !matches!(
            self,
            Self::L8 | Self::L8_8 | Self::L8_8_8_8 | Self::L10_10_10_2 | Self::L2_10_10_10
        )
    }
}

/// What numbers the components are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumberFormat {
    /// Unsigned, from 0 to 1.
    Unorm,
    /// Signed, from -1 to 1; the two lowest codes are both -1.
    Snorm,
    /// Unsigned integers, floats in registers.
    Uscaled,
    /// Signed integers, floats in registers.
    Sscaled,
    /// Unsigned integers.
    Uint,
    /// Signed integers.
    Sint,
    /// Floats.
    Float,
}

impl NumberFormat {
    /// AMD's name, as in "UNORM".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unorm => "UNORM",
            Self::Snorm => "SNORM",
            Self::Uscaled => "USCALED",
            Self::Sscaled => "SSCALED",
            Self::Uint => "UINT",
            Self::Sint => "SINT",
            Self::Float => "FLOAT",
        }
    }

    /// Whether registers hold integers of this format.
    pub const fn is_integer(self) -> bool {
        matches!(self, Self::Uint | Self::Sint)
    }
}

/// A data format that has a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// How components lie in memory.
    pub layout: Layout,
    /// What numbers they are.
    pub number: NumberFormat,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.layout.name(), self.number.name())
    }
}

/// What the bits of a format field stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormatCode {
    /// 0, INVALID: an unbound resource.
    Invalid,
    /// A code that the manual gives no meaning for buffers.
    Reserved(u8),
    /// A format.
    Format(Format),
}

use NumberFormat::{Float, Sint, Snorm, Sscaled, Uint, Unorm, Uscaled};

const SIX: &[NumberFormat] = &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint];
const SEVEN: &[NumberFormat] = &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float];
const RAW: &[NumberFormat] = &[Uint, Sint, Float];
const FLOAT: &[NumberFormat] = &[Float];

/// RDNA 1 and 2's unified formats in order of their codes, from 1 on (RDNA 1 ISA 8.1.8 and its table
/// of buffer formats).
const GFX10: &[(Layout, &[NumberFormat])] = &[
    (Layout::L8, SIX),
    (Layout::L16, SEVEN),
    (Layout::L8_8, SIX),
    (Layout::L32, RAW),
    (Layout::L16_16, SEVEN),
    (Layout::L10_11_11, SEVEN),
    (Layout::L11_11_10, SEVEN),
    (Layout::L10_10_10_2, SIX),
    (Layout::L2_10_10_10, SIX),
    (Layout::L8_8_8_8, SIX),
    (Layout::L32_32, RAW),
    (Layout::L16_16_16_16, SEVEN),
    (Layout::L32_32_32, RAW),
    (Layout::L32_32_32_32, RAW),
];

/// RDNA 3 and 4's (RDNA 3 ISA 10.7, table 52).
const GFX11: &[(Layout, &[NumberFormat])] = &[
    (Layout::L8, SIX),
    (Layout::L16, SEVEN),
    (Layout::L8_8, SIX),
    (Layout::L32, RAW),
    (Layout::L16_16, SEVEN),
    (Layout::L10_11_11, FLOAT),
    (Layout::L11_11_10, FLOAT),
    (Layout::L10_10_10_2, &[Unorm, Snorm, Uint, Sint]),
    (Layout::L2_10_10_10, SIX),
    (Layout::L8_8_8_8, SIX),
    (Layout::L32_32, RAW),
    (Layout::L16_16_16_16, SEVEN),
    (Layout::L32_32_32, RAW),
    (Layout::L32_32_32_32, RAW),
];

/// The format of a code in a unified table.
fn unified(table: &[(Layout, &[NumberFormat])], code: u8) -> FormatCode {
    let mut left = match code.checked_sub(1) {
        Some(left) => left as usize,
        None => return FormatCode::Invalid,
    };
    for &(layout, numbers) in table {
        if let Some(&number) = numbers.get(left) {
            return FormatCode::Format(Format { layout, number });
        }
        left -= numbers.len();
    }
    FormatCode::Reserved(code)
}

impl Format {
    /// What a format code means on `generation`: the unified 7-bit code, or on gfx9 DFMT in bits 3:0
    /// and NFMT in bits 6:4, as they lie in a typed instruction.
    ///
    /// RDNA 2's manual leaves out the integer and normalized forms of 10_11_11 and 11_11_10 that
    /// RDNA 1's has: they are reserved there. CDNA 5 has no typed accesses.
    ///
    /// ```
    /// use waveglass_mem::{Generation, buffer::{Format, FormatCode}};
    /// let name = |generation, code| match Format::decode(generation, code) {
    ///     FormatCode::Format(f) => f.to_string(),
    ///     other => format!("{other:?}"),
    /// };
    /// assert_eq!(name(Generation::Gcn5, 7 << 4 | 4), "32_FLOAT");
    /// assert_eq!(name(Generation::Rdna1, 22), "32_FLOAT");
    /// assert_eq!(name(Generation::Rdna3, 63), "32_32_32_32_FLOAT");
    /// assert_eq!(name(Generation::Rdna3, 64), "Reserved(64)");
    /// ```
    pub fn decode(generation: Generation, code: u8) -> FormatCode {
        match generation {
            Generation::Cdna5 => FormatCode::Reserved(code),
            Generation::Rdna1 => unified(GFX10, code),
            Generation::Rdna2 if matches!(code, 30..=35 | 37..=42) => FormatCode::Reserved(code),
            Generation::Rdna2 => unified(GFX10, code),
            Generation::Rdna3 | Generation::Rdna3_5 | Generation::Rdna4 => unified(GFX11, code),
            _ => Self::decode_gfx9(code),
        }
    }

    /// DFMT and NFMT. Components of 32 bits are not converted, whatever the number format (Vega ISA
    /// 8.1.3); floats of 8, or of 10 and 2 bits do not exist.
    fn decode_gfx9(code: u8) -> FormatCode {
        let dfmt = code & 0xf;
        let Some(index) = dfmt.checked_sub(1) else {
            return FormatCode::Invalid;
        };
        let layout = Layout::ALL.get(index as usize);
        let number = match code >> 4 & 7 {
            6 => None,
            7 => Some(Float).filter(|_| layout.is_some_and(|l| l.has_float())),
            n => SIX.get(n as usize).copied(),
        };
        match (layout, number) {
            (Some(&layout), Some(number)) => FormatCode::Format(Self { layout, number }),
            _ => FormatCode::Reserved(code),
        }
    }

    /// Every format that `generation` has, with its code.
    pub fn all(generation: Generation) -> impl Iterator<Item = (u8, Self)> {
        (0..128).filter_map(move |code| match Self::decode(generation, code) {
            FormatCode::Format(f) => Some((code, f)),
            _ => None,
        })
    }

    /// Bytes of an element in memory.
    pub fn bytes(self) -> u32 {
        self.layout.bytes()
    }
}

impl BufferDescriptor {
    /// The descriptor's own format, which `buffer_*_format_*` instructions use.
    pub fn resource_format(&self) -> FormatCode {
        match (self.format, self.num_format) {
            (None, _) => FormatCode::Invalid,
            (Some(data), Some(number)) => Format::decode(self.generation, data | number << 4),
            (Some(code), None) => Format::decode(self.generation, code),
        }
    }
}

#[cfg(test)]
mod tests;
