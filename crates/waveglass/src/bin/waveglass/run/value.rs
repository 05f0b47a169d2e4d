//! Kernel arguments as the command line spells them.

use std::path::PathBuf;
use std::str::FromStr;

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dtype {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    F32,
    F64,
}

impl Dtype {
    const ALL: [(Self, &'static str, usize); 11] = [
        (Self::U8, "u8", 1),
        (Self::I8, "i8", 1),
        (Self::U16, "u16", 2),
        (Self::I16, "i16", 2),
        (Self::U32, "u32", 4),
        (Self::I32, "i32", 4),
        (Self::U64, "u64", 8),
        (Self::I64, "i64", 8),
        (Self::F16, "f16", 2),
        (Self::F32, "f32", 4),
        (Self::F64, "f64", 8),
    ];

    pub(crate) fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Bytes of an element.
    pub(crate) fn size(self) -> usize {
        Self::ALL[self as usize].2
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|d| d.1 == name).map(|d| d.0)
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    /// The little-endian bytes of the number that `text` spells.
    pub(crate) fn parse(self, text: &str) -> Result<Vec<u8>, String> {
        let name = self.name();
        if self.is_float() {
            let v: f64 = text.parse().map_err(|_| format!("{text:?} is no {name}"))?;
            return Ok(self.bytes_of_float(v));
        }
        let v = integer(text).ok_or_else(|| format!("{text:?} is no {name}"))?;
        self.bytes_of_integer(v)
            .ok_or_else(|| format!("{v} does not fit {name}"))
    }

    pub(crate) fn bytes_of_float(self, v: f64) -> Vec<u8> {
        match self {
            Self::F16 => half::f16::from_f64(v).to_le_bytes().to_vec(),
            Self::F32 => (v as f32).to_le_bytes().to_vec(),
            _ => v.to_le_bytes().to_vec(),
        }
    }

    /// `None` where the integer does not fit.
    pub(crate) fn bytes_of_integer(self, v: i128) -> Option<Vec<u8>> {
        if self.is_float() {
            return Some(self.bytes_of_float(v as f64));
        }
        let bits = self.size() as u32 * 8;
        let signed = matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64);
        let fits = if signed {
            (-(1i128 << (bits - 1))..1 << (bits - 1)).contains(&v)
        } else {
            (0..1i128 << bits).contains(&v)
        };
        fits.then(|| v.to_le_bytes()[..self.size()].to_vec())
    }

    /// The number in `bytes`, which hold one element.
    pub(crate) fn show(self, bytes: &[u8]) -> String {
        let mut wide = [0u8; 8];
        wide[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
        let u = u64::from_le_bytes(wide);
        match self {
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => u.to_string(),
            Self::I8 => (u as i8).to_string(),
            Self::I16 => (u as i16).to_string(),
            Self::I32 => (u as i32).to_string(),
            Self::I64 => (u as i64).to_string(),
            Self::F16 => half::f16::from_bits(u as u16).to_string(),
            Self::F32 => f32::from_bits(u as u32).to_string(),
            Self::F64 => f64::from_bits(u).to_string(),
        }
    }
}

fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(d) => (true, d),
        None => (false, text),
    };
    let v = match digits.strip_prefix("0x") {
        Some(hex) if hex.starts_with(|c: char| c.is_ascii_hexdigit()) => {
            i128::from_str_radix(hex, 16).ok()?
        }
        _ if digits.starts_with(|c: char| c.is_ascii_digit()) => digits.parse().ok()?,
        _ => return None,
    };
    Some(if negative { -v } else { v })
}

/// What a kernel argument is to be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ArgValue {
    /// The content of a file; .npy files have their own type and shape.
    File(PathBuf),
    /// A made buffer.
    Buffer {
        dtype: Dtype,
        count: usize,
        fill: Fill,
    },
    /// An integer of the argument's own size.
    Integer(i128),
    /// A floating-point number of the argument's own size.
    Float(f64),
    /// A scalar of a type.
    Typed { dtype: Dtype, bytes: Vec<u8> },
}

/// What a made buffer holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fill {
    Zeros,
    Value(Vec<u8>),
    Iota,
    Random(u64),
}

impl FromStr for ArgValue {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        if let Some(file) = s.strip_prefix('@') {
            if file.is_empty() {
                return Err("a file name is missing behind @".to_owned());
            }
            return Ok(Self::File(file.into()));
        }
        let parts: Vec<&str> = s.split(':').collect();
        let buffer = |dtype: &str, count: &str, fill: Fill| {
            let dtype = dtype_of(dtype)?;
            let count = count
                .parse::<usize>()
                .ok()
                .filter(|c| c.checked_mul(dtype.size()).is_some_and(|b| b <= 1 << 40))
                .ok_or_else(|| format!("{count:?} is no element count"))?;
            Ok(Self::Buffer { dtype, count, fill })
        };
        match parts[..] {
            ["zeros", dtype, count] => buffer(dtype, count, Fill::Zeros),
            ["iota", dtype, count] => buffer(dtype, count, Fill::Iota),
            ["fill", dtype, count, value] => {
                let bytes = dtype_of(dtype)?.parse(value)?;
                buffer(dtype, count, Fill::Value(bytes))
            }
            ["random", dtype, count, seed] => {
                let seed = seed.parse().map_err(|_| format!("{seed:?} is no seed"))?;
                buffer(dtype, count, Fill::Random(seed))
            }
            [dtype, value] if Dtype::from_name(dtype).is_some() => {
                let dtype = dtype_of(dtype)?;
                let bytes = dtype.parse(value)?;
                Ok(Self::Typed { dtype, bytes })
            }
            [number] => match integer(number) {
                Some(i) => Ok(Self::Integer(i)),
                None => number.parse().map(Self::Float).map_err(|_| {
                    format!("{number:?} is neither a number nor @FILE, zeros:, fill:, iota:, random: or TYPE:VALUE")
                }),
            },
            _ => Err(format!(
                "{s:?}: write zeros:TYPE:COUNT, fill:TYPE:COUNT:VALUE, iota:TYPE:COUNT, random:TYPE:COUNT:SEED or TYPE:VALUE"
            )),
        }
    }
}

fn dtype_of(name: &str) -> Result<Dtype, String> {
    Dtype::from_name(name).ok_or_else(|| {
        let all: Vec<&str> = Dtype::ALL.iter().map(|d| d.1).collect();
        format!("{name:?} is no element type; they are {}", all.join(", "))
    })
}

impl ArgValue {
    /// The bytes of a scalar for an argument of `size` bytes; `None` for buffers.
    pub(crate) fn scalar(&self, size: u32) -> Option<Result<Vec<u8>, String>> {
        let bytes = match self {
            Self::File(_) | Self::Buffer { .. } => return None,
            Self::Typed { bytes, .. } if bytes.len() == size as usize => Ok(bytes.clone()),
            Self::Typed { dtype, .. } => Err(format!(
                "{} has {} bytes, the argument {size}",
                dtype.name(),
                dtype.size()
            )),
            Self::Integer(i) => {
                let types = match size {
                    1 => [Dtype::U8, Dtype::I8],
                    2 => [Dtype::U16, Dtype::I16],
                    4 => [Dtype::U32, Dtype::I32],
                    8 => [Dtype::U64, Dtype::I64],
                    _ => return Some(Err(odd_size(size))),
                };
                types
                    .iter()
                    .find_map(|t| t.bytes_of_integer(*i))
                    .ok_or_else(|| format!("{i} does not fit the argument's {size} bytes"))
            }
            Self::Float(f) => match size {
                2 => Ok(Dtype::F16.bytes_of_float(*f)),
                4 => Ok(Dtype::F32.bytes_of_float(*f)),
                8 => Ok(Dtype::F64.bytes_of_float(*f)),
                _ => Err(odd_size(size)),
            },
        };
        Some(bytes)
    }
}

fn odd_size(size: u32) -> String {
    format!("the argument has {size} bytes, which is no scalar's size; give @FILE.bin for it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(text: &str, size: u32) -> Result<Vec<u8>, String> {
        text.parse::<ArgValue>()?.scalar(size).expect("a scalar")
    }

    #[test]
    fn the_order_of_the_types_is_that_of_their_names() {
        for d in Dtype::ALL {
            assert_eq!(Dtype::ALL[d.0 as usize].0, d.0);
        }
    }

    #[test]
    fn scalars_take_the_size_of_the_argument() {
        assert_eq!(scalar("1024", 4), Ok(vec![0, 4, 0, 0]));
        assert_eq!(scalar("-1", 2), Ok(vec![0xff, 0xff]));
        assert_eq!(scalar("0xffffffff", 4), Ok(vec![0xff; 4]));
        // 2.5 is 0x40200000 in binary32, 0x4100 in binary16.
        assert_eq!(scalar("2.5", 4), Ok(vec![0, 0, 0x20, 0x40]));
        assert_eq!(scalar("2.5", 2), Ok(vec![0, 0x41]));
        assert_eq!(scalar("u64:1024", 8), Ok(vec![0, 4, 0, 0, 0, 0, 0, 0]));
        assert!(scalar("u64:1024", 4).is_err());
        assert!(scalar("256", 1).is_err());
        assert!(scalar("1", 3).is_err());
        assert!("0x-5".parse::<ArgValue>().is_err());
        assert!("u8:256".parse::<ArgValue>().is_err());
    }

    #[test]
    fn buffers_have_type_count_and_content() {
        assert_eq!(
            "fill:u32:4096:7".parse(),
            Ok(ArgValue::Buffer {
                dtype: Dtype::U32,
                count: 4096,
                fill: Fill::Value(vec![7, 0, 0, 0])
            })
        );
        assert_eq!(
            "random:f32:8:42".parse(),
            Ok(ArgValue::Buffer {
                dtype: Dtype::F32,
                count: 8,
                fill: Fill::Random(42)
            })
        );
        for bad in [
            "zeros:f33:1",
            "zeros:f32",
            "zeros:f32:x",
            "fill:u8:1:300",
            "",
            "@",
            "a:b:c",
            "zeros:f64:99999999999999999999",
        ] {
            assert!(bad.parse::<ArgValue>().is_err(), "{bad}");
        }
    }
}
