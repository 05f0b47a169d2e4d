//! Going through a stretch of code line by line.

use std::fmt::Write as _;

use waveglass_asm::{PrintOptions, print};
use waveglass_isa::{DecodeError, Decoder, ImmStyle, Inst, Operand, OperandKind};

use super::stretch::Stretch;

/// A line, for as long as the next one is not asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineView<'a> {
    /// The label, where a branch comes here.
    pub label: Option<&'a str>,
    /// Address of the first byte.
    pub address: u64,
    /// The bytes.
    pub bytes: &'a [u8],
    /// The instruction, or a data directive.
    pub text: &'a str,
    /// Whether the bytes are an instruction of the target.
    pub valid: bool,
}

impl<'a> LineView<'a> {
    /// The bytes as little-endian dwords in hexadecimal; a rest of less than four bytes as bytes.
    pub fn hex(&self) -> impl Iterator<Item = Hex> + use<'a> {
        let (dwords, rest) = self.bytes.as_chunks::<4>();
        dwords
            .iter()
            .map(|&d| Hex::dword(u32::from_le_bytes(d)))
            .chain(rest.iter().map(|&b| Hex::byte(b)))
    }
}

/// Hexadecimal digits of a dword or a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hex {
    digits: [u8; 8],
    start: u8,
}

impl Hex {
    fn dword(value: u32) -> Self {
        Self {
            digits: digits(value),
            start: 0,
        }
    }

    fn byte(value: u8) -> Self {
        Self {
            start: 6,
            ..Self::dword(value.into())
        }
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        // Digits are ASCII.
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// The digits as ASCII.
    pub fn as_bytes(&self) -> &[u8] {
        &self.digits[self.start as usize..]
    }
}

/// The eight upper-case hexadecimal digits of a number, without a table: bytes of a 64-bit word.
fn digits(value: u32) -> [u8; 8] {
    let mut x = u64::from(value);
    x = (x | x << 16) & 0x0000_ffff_0000_ffff;
    x = (x | x << 8) & 0x00ff_00ff_00ff_00ff;
    x = (x | x << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    // 6 more than a digit above 9 has bit 4.
    let letters = (x + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101;
    (x + 0x3030_3030_3030_3030 + letters * u64::from(b'A' - b'9' - 1)).to_be_bytes()
}

/// The lines of a stretch of code, one after the other, in buffers that are used again.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    decoder: Decoder,
    print: PrintOptions,
    code: &'a [u8],
    address: u64,
    names: &'a [Stretch<'a>],
    /// The instructions of the first lines, `None` where there is none: finding the labels has
    /// decoded them.
    decoded: Vec<Option<Inst>>,
    /// How many lines have passed.
    line: usize,
    /// Offsets of the lines that branches of this code go to, ascending: the first is `L1`.
    labels: Vec<usize>,
    /// How many of them have passed.
    passed: usize,
    at: usize,
    text: String,
    label: String,
}

impl<'a> Lines<'a> {
    pub(super) fn new(
        decoder: Decoder,
        print: PrintOptions,
        code: &'a [u8],
        address: u64,
        names: &'a [Stretch<'a>],
    ) -> Self {
        let (decoded, labels) = labels(&decoder, code, address, names);
        Self {
            decoded,
            line: 0,
            labels,
            decoder,
            print,
            code,
            address,
            names,
            passed: 0,
            at: 0,
            text: String::with_capacity(128),
            label: String::new(),
        }
    }

    /// The next line, until there is none.
    #[inline]
    pub fn next_line(&mut self) -> Option<LineView<'_>> {
        let at = self.at;
        let rest = self.code.get(at..).filter(|r| !r.is_empty())?;
        let address = self.address.wrapping_add(at as u64);
        self.text.clear();
        let fresh;
        // No copy of what is known: it would be as dear as printing a register.
        let inst = match self.decoded.get(self.line) {
            Some(Some(known)) => Ok(known),
            _ => {
                fresh = self.decoder.decode(rest);
                fresh.as_ref()
            }
        };
        self.line += 1;
        let (size, valid) = match inst {
            Ok(inst) => {
                print(inst, &self.print, &mut self.text);
                if let Some(to) = branch_target(inst, address) {
                    let offset = usize::try_from(to.wrapping_sub(self.address)).ok();
                    let label = offset.and_then(|o| self.labels.binary_search(&o).ok());
                    name_target(&mut self.text, label, self.names, to);
                }
                self.text.truncate(self.text.trim_end_matches(' ').len());
                (inst.size(), true)
            }
            Err(e) => {
                let size = rest.len().min(4);
                data(&rest[..size], *e, &mut self.text);
                (size, false)
            }
        };
        self.at = at + size;
        let label = if self.labels.get(self.passed) == Some(&at) {
            self.passed += 1;
            self.label.clear();
            let _ = write!(self.label, "L{}", self.passed);
            Some(self.label.as_str())
        } else {
            None
        };
        Some(LineView {
            label,
            address,
            bytes: &rest[..size],
            text: &self.text,
            valid,
        })
    }
}

/// Puts a name in the place of a branch's distance. Targets amid an instruction or outside stay
/// as the number that the field has.
fn name_target(text: &mut String, label: Option<usize>, names: &[Stretch<'_>], to: u64) {
    let cut = text.rfind(' ').map_or(text.len(), |i| i + 1);
    if let Some(n) = label {
        text.truncate(cut);
        let _ = write!(text, "L{}", n + 1);
    } else if let Some(s) = named(names, to) {
        text.truncate(cut);
        text.push_str(s.name);
    }
}

fn named<'a>(names: &'a [Stretch<'a>], address: u64) -> Option<&'a Stretch<'a>> {
    let i = names.binary_search_by_key(&address, |s| s.address).ok()?;
    Some(&names[i])
}

/// How many instructions are kept from one pass to the other: 32 MiB.
const KEPT: usize = 1 << 20;

/// The instructions of the first lines, and where branches of the code go to in the code: starts
/// of lines without a name of their own.
fn labels(
    decoder: &Decoder,
    code: &[u8],
    address: u64,
    names: &[Stretch<'_>],
) -> (Vec<Option<Inst>>, Vec<usize>) {
    let mut decoded = Vec::with_capacity(KEPT.min(code.len() / 8));
    let mut targets = Vec::new();
    // Lines start at multiples of four bytes.
    let mut starts = vec![0u64; code.len().div_ceil(256)];
    let mut at = 0;
    while at < code.len() {
        starts[at / 256] |= 1 << (at / 4 % 64);
        let inst = decoder.decode(&code[at..]).ok();
        if let Some(inst) = &inst {
            let target = branch_target(inst, address.wrapping_add(at as u64));
            let offset = target.map(|t| t.wrapping_sub(address));
            if let Some(o) = offset.filter(|&o| o < code.len() as u64) {
                targets.push(o as usize);
            }
        }
        at += inst.map_or(4, |i| i.size());
        if decoded.len() < KEPT {
            decoded.push(inst);
        }
    }
    targets.sort_unstable();
    targets.dedup();
    targets.retain(|&t| {
        t % 4 == 0
            && starts[t / 256] >> (t / 4 % 64) & 1 != 0
            && named(names, address.wrapping_add(t as u64)).is_none()
    });
    (decoded, targets)
}

/// Where a direct branch goes: four bytes a step, counted from the next instruction.
pub(crate) fn branch_target(inst: &Inst, address: u64) -> Option<u64> {
    let o = inst
        .def()
        .operands()
        .iter()
        .find(|o| o.kind == OperandKind::Imm(ImmStyle::Soppbrtarget))?;
    match inst.resolve(o) {
        Some(Operand::Imm(i)) => Some(address.wrapping_add(4).wrapping_add_signed(i * 4)),
        _ => None,
    }
}

fn data(bytes: &[u8], error: DecodeError, out: &mut String) {
    if let Ok(b) = <[u8; 4]>::try_from(bytes) {
        let _ = write!(out, ".long {:#010x}", u32::from_le_bytes(b));
    } else {
        out.push_str(".byte ");
        for (i, b) in bytes.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            let _ = write!(out, "{comma}{b:#04x}");
        }
    }
    let _ = match error {
        DecodeError::Truncated { needed } => write!(out, " ; cut off: needs {needed} bytes"),
        DecodeError::Invalid => out.write_str(" ; no instruction"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_what_the_standard_library_formats() {
        let mut v = 0x0123_4567u32;
        for _ in 0..10_000 {
            assert_eq!(Hex::dword(v).as_str(), format!("{v:08X}"));
            assert_eq!(Hex::byte(v as u8).as_str(), format!("{:02X}", v as u8));
            v = v.wrapping_mul(0x9e37_79b1).rotate_left(7) ^ 0x89ab_cdef;
        }
        for v in [0, 9, 0xa, 0x9999_9999, 0xaaaa_aaaa, u32::MAX] {
            assert_eq!(Hex::dword(v).as_str(), format!("{v:08X}"));
        }
    }
}
