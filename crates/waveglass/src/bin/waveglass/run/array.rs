//! The contents of buffers: made ones, and files (.npy with element type and shape).

use std::path::Path;

use anyhow::{Context, anyhow, bail};
use npyz::{DType, Endianness, NpyHeader, Order, TypeChar};

use super::value::{ArgValue, Dtype, Fill};

/// A buffer's content with its element type and shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Array {
    pub(crate) dtype: Dtype,
    pub(crate) shape: Vec<u64>,
    pub(crate) fortran: bool,
    pub(crate) bytes: Vec<u8>,
}

/// A file's bytes; devices and the like, which may have no end, are refused.
fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    let is_file = std::fs::metadata(path)?.is_file();
    anyhow::ensure!(is_file, "it is no regular file");
    Ok(std::fs::read(path)?)
}

impl Array {
    /// The buffer that `value` describes; `None` for scalars.
    pub(crate) fn of(value: &ArgValue) -> anyhow::Result<Option<Self>> {
        Ok(match value {
            ArgValue::File(path) => Some(Self::read(path)?),
            ArgValue::Buffer { dtype, count, fill } => Some(Self {
                dtype: *dtype,
                shape: vec![*count as u64],
                fortran: false,
                bytes: made(*dtype, *count, fill)?,
            }),
            _ => None,
        })
    }

    fn read(path: &Path) -> anyhow::Result<Self> {
        let data = read_file(path).with_context(|| format!("{}: cannot read", path.display()))?;
        if path.extension().is_some_and(|e| e == "npy") {
            return Self::from_npy(&data).with_context(|| path.display().to_string());
        }
        Ok(Self {
            dtype: Dtype::U8,
            shape: vec![data.len() as u64],
            fortran: false,
            bytes: data,
        })
    }

    pub(crate) fn from_npy(data: &[u8]) -> anyhow::Result<Self> {
        let mut rest = data;
        let header = NpyHeader::from_reader(&mut rest).context("not a .npy file")?;
        let DType::Plain(ty) = header.dtype() else {
            bail!("structured .npy files have no element type; save one field");
        };
        let name = match ty.type_char() {
            TypeChar::Float => "f",
            TypeChar::Int => "i",
            TypeChar::Uint | TypeChar::Bool => "u",
            _ => bail!("element type {ty} is none of u8 to u64, i8 to i64, f16, f32, f64"),
        };
        let name = format!("{name}{}", ty.size_field() * 8);
        let dtype = Dtype::from_name(&name)
            .ok_or_else(|| anyhow!("element type {ty} is none that a buffer can have"))?;
        if ty.endianness() == Endianness::Big && dtype.size() > 1 {
            let little = ty.to_string().replace('>', "<");
            bail!("big-endian elements; convert with numpy's astype('{little}')");
        }
        let needed = header
            .shape()
            .iter()
            .try_fold(dtype.size() as u64, |a, &n| a.checked_mul(n))
            .ok_or_else(|| anyhow!("the shape is too large"))?;
        let offset = data.len() - rest.len();
        if needed != rest.len() as u64 {
            bail!(
                "offset {offset:#x}: the shape needs {needed} bytes, the file has {}",
                rest.len()
            );
        }
        Ok(Self {
            dtype,
            shape: header.shape().to_vec(),
            fortran: header.order() == Order::Fortran,
            bytes: rest.to_vec(),
        })
    }

    /// The .npy form (format 1.0 of numpy.lib.format): magic, header padded to 64 bytes, data.
    pub(crate) fn to_npy(&self) -> Vec<u8> {
        let kind = match self.dtype {
            d if d.is_float() => 'f',
            Dtype::I8 | Dtype::I16 | Dtype::I32 | Dtype::I64 => 'i',
            _ => 'u',
        };
        let order = if self.dtype.size() == 1 { '|' } else { '<' };
        let shape: String = self.shape.iter().map(|n| format!("{n}, ")).collect();
        let mut header = format!(
            "{{'descr': '{order}{kind}{}', 'fortran_order': {}, 'shape': ({}), }}",
            self.dtype.size(),
            if self.fortran { "True" } else { "False" },
            shape.trim_end()
        );
        while (10 + header.len() + 1) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let mut out = b"\x93NUMPY\x01\x00".to_vec();
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(&self.bytes);
        out
    }

    /// Writes .npy by the file's name, else the bytes alone.
    pub(crate) fn write(&self, path: &Path) -> anyhow::Result<()> {
        let npy = path.extension().is_some_and(|e| e == "npy");
        let data = if npy {
            self.to_npy()
        } else {
            self.bytes.clone()
        };
        std::fs::write(path, data).with_context(|| format!("{}: cannot write", path.display()))
    }

    /// The first `count` elements as text.
    pub(crate) fn elements(&self, count: usize) -> Vec<String> {
        self.bytes
            .chunks_exact(self.dtype.size())
            .take(count)
            .map(|b| self.dtype.show(b))
            .collect()
    }
}

fn made(dtype: Dtype, count: usize, fill: &Fill) -> anyhow::Result<Vec<u8>> {
    let size = count * dtype.size();
    let mut bytes: Vec<u8> = Vec::new();
    bytes
        .try_reserve_exact(size)
        .map_err(|_| anyhow!("no memory for a buffer of {size} bytes"))?;
    match fill {
        Fill::Zeros => bytes.resize(size, 0),
        Fill::Value(v) => (0..count).for_each(|_| bytes.extend(v)),
        Fill::Iota => {
            for i in 0..count as i128 {
                let wide = dtype.bytes_of_integer(i);
                let wide =
                    wide.ok_or_else(|| anyhow!("iota: {i} does not fit {}", dtype.name()))?;
                bytes.extend(wide);
            }
        }
        Fill::Random(seed) => {
            let mut state = *seed;
            for _ in 0..count {
                let r = split_mix(&mut state);
                if dtype.is_float() {
                    // As many bits as the significand holds, so that 1.0 never comes out.
                    let bits = match dtype {
                        Dtype::F16 => 11,
                        Dtype::F32 => 24,
                        _ => 53,
                    };
                    let unit = (r >> (64 - bits)) as f64 / (1u64 << bits) as f64;
                    bytes.extend(dtype.bytes_of_float(unit));
                } else {
                    bytes.extend(&r.to_le_bytes()[..dtype.size()]);
                }
            }
        }
    }
    Ok(bytes)
}

/// SplitMix64 (Steele, Lea and Flood 2014): the same numbers on every machine.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(text: &str) -> Array {
        Array::of(&text.parse().unwrap()).unwrap().unwrap()
    }

    #[test]
    fn made_buffers_hold_what_they_say() {
        assert_eq!(array("iota:u16:3").bytes, [0, 0, 1, 0, 2, 0]);
        assert_eq!(array("fill:f32:2:1").elements(9), ["1", "1"]);
        assert_eq!(array("zeros:u64:1").bytes, [0; 8]);
        // SplitMix64's published first output for the seed 0.
        assert_eq!(
            array("random:u64:1:0").bytes,
            0xe220_a839_7b1d_cdafu64.to_le_bytes()
        );
        let floats = array("random:f32:1000:7").elements(1000);
        assert!(
            floats
                .iter()
                .all(|f| (0.0..1.0).contains(&f.parse::<f32>().unwrap()))
        );
        assert!(Array::of(&"iota:u8:257".parse().unwrap()).is_err());
    }

    #[test]
    fn npy_keeps_type_shape_and_order() {
        let a = Array {
            dtype: Dtype::F16,
            shape: vec![2, 3],
            fortran: true,
            bytes: (0..12).collect(),
        };
        let npy = a.to_npy();
        assert_eq!(npy.len() % 64, 12);
        assert_eq!(Array::from_npy(&npy).unwrap(), a);
        assert!(Array::from_npy(&npy[..npy.len() - 1]).is_err());
        assert!(Array::from_npy(b"\x93NUMPY").is_err());
    }
}
