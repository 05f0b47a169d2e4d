//! The registers and the memory that `waveglass access` is given.

use std::collections::BTreeSet;
use std::num::IntErrorKind;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context as _, bail};
use waveglass::access::Scene;

/// `REGISTER=VALUES`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    file: File,
    first: usize,
    count: usize,
    values: Vec<Value>,
    /// Whether the last difference goes on.
    goes_on: bool,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Number(u64),
    Lds(u64),
    Scratch(u64),
}

/// A register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum File {
    Vector,
    Accumulator,
    Scalar,
}

/// `BASE:SIZE[:ro][=DWORDS|=@FILE]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Map {
    pub(crate) base: u64,
    pub(crate) size: u64,
    pub(crate) read_only: bool,
    data: Data,
}

/// What memory begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Data {
    Dwords(Vec<u32>),
    File(PathBuf),
}

impl Map {
    /// Whether it begins with a file's bytes.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.data, Data::File(_))
    }

    /// The bytes that it begins with.
    pub(crate) fn content(&self) -> anyhow::Result<Vec<u8>> {
        match &self.data {
            Data::Dwords(list) => Ok(list.iter().flat_map(|v| v.to_le_bytes()).collect()),
            Data::File(path) => std::fs::read(path).with_context(|| path.display().to_string()),
        }
    }
}

/// A number of 64 bits, with a sign in two's complement.
pub(crate) fn parse_u64(s: &str) -> Result<u64, String> {
    let s = s.trim();
    let (negative, digits) = match s.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, s),
    };
    let (digits, radix) = match digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        Some(hex) => (hex, 16),
        None => (digits, 10),
    };
    let wide = || format!("{s} does not fit in 64 bits");
    if digits.starts_with(['+', '-']) {
        return Err(format!("{s:?} is no number"));
    }
    let value =
        u64::from_str_radix(&digits.replace('_', ""), radix).map_err(|e| match e.kind() {
            IntErrorKind::PosOverflow => wide(),
            _ => format!("{s:?} is no number, decimal or with 0x"),
        })?;
    match negative {
        true if value > 1 << 63 => Err(wide()),
        true => Ok(value.wrapping_neg()),
        false => Ok(value),
    }
}

pub(crate) fn parse_u32(s: &str) -> Result<u32, String> {
    u32::try_from(parse_u64(s)?).map_err(|_| format!("{s} does not fit in 32 bits"))
}

impl FromStr for Map {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let (place, data) = match s.split_once('=') {
            Some((place, data)) => (place, Some(data)),
            None => (s, None),
        };
        let mut parts = place.split(':');
        let base = parse_u64(parts.next().unwrap_or_default())?;
        let size = parse_u64(parts.next().ok_or("BASE:SIZE[:ro], as in 0x10000:256")?)?;
        let read_only = match parts.next() {
            None | Some("rw") => false,
            Some("ro") => true,
            Some(other) => return Err(format!("{other:?} is neither ro nor rw")),
        };
        if let Some(more) = parts.next() {
            return Err(format!(
                "{more:?} is too much: BASE:SIZE[:ro], as in 0x10000:256:ro"
            ));
        }
        if size == 0 {
            return Err("a region has at least one byte".to_owned());
        }
        let dword = |v: &str| {
            let value = value(v)?.number().ok_or("a dword is a number")?;
            narrow(value).ok_or_else(|| format!("{v} does not fit in a dword, 32 bits"))
        };
        let data = match data {
            None => Data::Dwords(Vec::new()),
            Some(data) => match data.strip_prefix('@') {
                Some(path) => Data::File(path.into()),
                None => Data::Dwords(data.split(',').map(dword).collect::<Result<_, String>>()?),
            },
        };
        Ok(Self {
            base,
            size,
            read_only,
            data,
        })
    }
}

impl Value {
    fn number(self) -> Option<u64> {
        match self {
            Self::Number(n) => Some(n),
            Self::Lds(_) | Self::Scratch(_) => None,
        }
    }
}

/// A value of 32 bits, unsigned or with its sign.
fn narrow(v: u64) -> Option<u32> {
    let signed = i32::try_from(v as i64).is_ok();
    (signed || v <= u32::MAX.into()).then_some(v as u32)
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, values) = text
            .split_once('=')
            .ok_or("REGISTER=VALUES, as in v2=0,4.. or s[0:1]=0x1000")?;
        let (file, first, count) = register(name.trim())?;
        let (list, goes_on) = match values.strip_suffix("..") {
            Some(list) => (list.trim_end_matches(','), true),
            None => (values, false),
        };
        let values: Vec<Value> = list.split(',').map(value).collect::<Result<_, _>>()?;
        if goes_on && values.len() < 2 {
            return Err("`..` needs two values before it, whose difference goes on".to_owned());
        }
        if goes_on && file == File::Scalar {
            return Err("`..` is for the lanes of vector registers".to_owned());
        }
        if file != File::Scalar && count > 2 {
            return Err(format!(
                "{name}: a value has 64 bits, over two registers; set each pair by itself"
            ));
        }
        // One value stands for all scalar registers; of several each is a register's.
        let narrow_ones = count == 1 || file == File::Scalar && values.len() > 1;
        for (v, text) in values.iter().zip(list.split(',')) {
            match v {
                Value::Number(n) if narrow_ones && narrow(*n).is_none() => {
                    return Err(format!(
                        "{} does not fit in 32 bits; 64 go to two registers, as in v[0:1] or s[0:1]",
                        text.trim()
                    ));
                }
                _ => {}
            }
        }
        Ok(Self {
            file,
            first,
            count,
            values,
            goes_on,
            text: text.to_owned(),
        })
    }
}

fn value(s: &str) -> Result<Value, String> {
    let s = s.trim();
    if let Some(offset) = s.strip_prefix("lds:") {
        return in_aperture(offset).map(Value::Lds);
    }
    if let Some(offset) = s.strip_prefix("scratch:") {
        return in_aperture(offset).map(Value::Scratch);
    }
    if s.contains('.') && !s.starts_with("0x") {
        let f: f32 = s.parse().map_err(|_| format!("{s:?} is no number"))?;
        return Ok(Value::Number(f.to_bits().into()));
    }
    parse_u64(s).map(Value::Number)
}

/// An offset in an aperture.
fn in_aperture(offset: &str) -> Result<u64, String> {
    let value = parse_u64(offset)?;
    if offset.trim().starts_with('-') || value > u32::MAX.into() {
        return Err(format!(
            "{} is outside the aperture, whose offsets are 0 to 0xffffffff; give the address itself as a number",
            offset.trim()
        ));
    }
    Ok(value)
}

/// A register's file, first number and count.
fn register(name: &str) -> Result<(File, usize, usize), String> {
    let special = match name {
        "m0" => Some((124, 1)),
        "vcc" => Some((106, 2)),
        "vcc_lo" => Some((106, 1)),
        "vcc_hi" => Some((107, 1)),
        "flat_scratch" => Some((102, 2)),
        "exec" => return Err("EXEC is set by --exec".to_owned()),
        _ => None,
    };
    if let Some((first, count)) = special {
        return Ok((File::Scalar, first, count));
    }
    let bad =
        || format!("{name:?} is no register; v2, v[0:1], a2, s4, s[0:3], m0, vcc, flat_scratch");
    let file = match name.chars().next() {
        Some('v') => File::Vector,
        Some('a') => File::Accumulator,
        Some('s') => File::Scalar,
        _ => return Err(bad()),
    };
    let rest = &name[1..];
    let (first, last) = match rest.strip_prefix('[').and_then(|r| r.strip_suffix(']')) {
        Some(range) => {
            let (a, b) = range.split_once(':').ok_or_else(bad)?;
            (
                a.trim().parse().map_err(|_| bad())?,
                b.trim().parse().map_err(|_| bad())?,
            )
        }
        None => {
            let i: usize = rest.parse().map_err(|_| bad())?;
            (i, i)
        }
    };
    let most = if file == File::Scalar { 105 } else { 1023 };
    if first > last || last > most {
        return Err(format!(
            "{name}: the registers are 0 to {most}, the lower first"
        ));
    }
    Ok((file, first, last - first + 1))
}

/// Sets registers, each once.
pub(super) fn apply(registers: &[Setting], scene: &mut Scene) -> anyhow::Result<()> {
    let mut set = BTreeSet::new();
    for r in registers {
        for n in r.first..r.first + r.count {
            if !set.insert((r.file, n)) {
                bail!(
                    "--reg {}: a register of it is given twice; give each once",
                    r.text
                );
            }
        }
        r.apply(scene)
            .with_context(|| format!("--reg {}", r.text))?;
    }
    Ok(())
}

impl Setting {
    fn apply(&self, scene: &mut Scene) -> anyhow::Result<()> {
        let (lds, _) = scene.apertures();
        let ptr32 = scene.wave().ptr32;
        let wide = self.count == 2 || ptr32;
        if self.values.iter().any(|v| v.number().is_none()) && !wide {
            bail!("a flat address has 64 bits, and goes to two registers, as in v[0:1] or s[0:1]");
        }
        let number = |scene: &Scene, v: Value, lane: u32| match v {
            Value::Number(n) => n,
            Value::Lds(o) => lds.wrapping_add(o),
            Value::Scratch(o) => scene.scratch_address(lane, o),
        };
        if self.file == File::Scalar {
            let values = self.values.iter().map(|v| number(scene, *v, 0));
            let values: Vec<u64> = values.collect();
            return self.scalar(scene.wave_mut(), &values);
        }
        let lanes = scene.wave().lanes();
        if self.values.len() > lanes {
            bail!("{} values for {lanes} lanes", self.values.len());
        }
        let (first, most) = match self.file {
            File::Accumulator => (scene.wave().agpr_base, scene.wave().agpr_count),
            _ => (0, scene.wave().vgpr_count),
        };
        if self.first + self.count > most {
            match most {
                0 => bail!("{} has no AGPRs", scene.wave().target),
                n => bail!("the wave has {n} registers of this kind, 0 to {}", n - 1),
            }
        }
        for lane in 0..lanes {
            let at = |n: usize| number(scene, self.values[n], lane as u32);
            let count = self.values.len();
            let value = if lane < count {
                at(lane)
            } else if count == 1 {
                at(0)
            } else if self.goes_on {
                let step = at(count - 1).wrapping_sub(at(count - 2));
                at(count - 1).wrapping_add(step.wrapping_mul((lane - count + 1) as u64))
            } else {
                0
            };
            for r in 0..self.count {
                let part = (value >> (32 * r)) as u32;
                let place = first + self.first + r;
                scene.wave_mut().set_lane(place, lane, part);
            }
        }
        Ok(())
    }

    fn scalar(&self, wave: &mut waveglass::exec::Wave, values: &[u64]) -> anyhow::Result<()> {
        for r in 0..self.count {
            let value = match values {
                [one] => one.checked_shr(32 * r as u32).unwrap_or(0),
                many if many.len() == self.count => many[r],
                many => bail!(
                    "{} values for {} registers; give one, or one for each",
                    many.len(),
                    self.count
                ),
            };
            wave.sgpr[self.first + r] = value as u32;
        }
        Ok(())
    }
}
