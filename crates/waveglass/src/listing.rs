//! The disassembly of a stretch of code, with labels at branch targets.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use waveglass_asm::{PrintOptions, print};
use waveglass_isa::{DecodeError, Decoder, ImmStyle, Inst, Operand, OperandKind, Target};
use waveglass_object::{CodeObject, SymbolKind};

/// How to disassemble.
#[derive(Clone, Copy, Debug)]
pub struct ListingOptions {
    /// Lanes of a wave; `None` takes the code object's word, or the target's default.
    pub wave_size: Option<u32>,
    /// How to print.
    pub print: PrintOptions,
}

/// The disassembly of a file.
#[derive(Clone, Debug, Serialize)]
pub struct Listing {
    /// The target's name, features included where the file states them.
    pub target: String,
    /// The functions by address; bare code is one function without a name.
    pub functions: Vec<Function>,
}

/// The disassembly of a kernel or function.
#[derive(Clone, Debug, Serialize)]
pub struct Function {
    /// The symbol; empty for bare code.
    pub name: String,
    /// Whether it is a kernel.
    pub kernel: bool,
    /// Lanes of a wave that it was decoded for.
    pub wave_size: u32,
    /// Address of its first instruction.
    pub address: u64,
    /// Its instructions.
    pub lines: Vec<Line>,
}

/// One instruction, or bytes that are none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The label, where a branch comes here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Address of the first byte.
    pub address: u64,
    /// The bytes as little-endian dwords in hexadecimal; a rest of less than four bytes as bytes.
    pub bytes: Vec<String>,
    /// The instruction, or a data directive.
    pub text: String,
    /// Whether the bytes are an instruction of the target.
    pub valid: bool,
}

/// Why there is no listing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListingError {
    /// The code object is for a chip that has no table here.
    #[error("the code is for {0}, which is none of the targets; `waveglass targets` lists them")]
    Target(String),
    /// The code object has no such kernel or function.
    #[error("no kernel or function {wanted}; the file has: {}", .available.join(", "))]
    NoFunction {
        /// The name asked for.
        wanted: String,
        /// The names that there are.
        available: Vec<String>,
    },
    /// A symbol names bytes that the file does not have.
    #[error("{name}: the code at {address:#x} lies outside the file; the file is damaged")]
    Outside {
        /// The symbol.
        name: String,
        /// Its address.
        address: u64,
    },
}

/// Disassembles bare code that starts at `address`. `names` gives the functions that branches
/// from outside may reach.
pub fn disassemble(
    target: Target,
    code: &[u8],
    address: u64,
    options: &ListingOptions,
    names: &BTreeMap<u64, String>,
) -> Vec<Line> {
    let wave_size = options.wave_size.unwrap_or(target.default_wave_size());
    let decoder = Decoder::new(target).wave_size(wave_size);
    let mut lines = Vec::new();
    let mut targets = BTreeSet::new();
    let mut branches = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let here = address.wrapping_add(at as u64);
        let rest = &code[at..];
        let (text, size, valid) = match decoder.decode(rest) {
            Ok(inst) => {
                let mut text = String::with_capacity(48);
                print(&inst, &options.print, &mut text);
                if let Some(to) = branch_target(&inst, here) {
                    targets.insert(to);
                    branches.push((lines.len(), to));
                }
                text.truncate(text.trim_end().len());
                (text, inst.size(), true)
            }
            Err(e) => {
                let size = rest.len().min(4);
                (data(&rest[..size], e), size, false)
            }
        };
        lines.push(Line {
            label: None,
            address: here,
            bytes: dwords(&rest[..size]),
            text,
            valid,
        });
        at += size;
    }
    let mut labels: BTreeMap<u64, String> = BTreeMap::new();
    for line in &mut lines {
        if targets.contains(&line.address) && !names.contains_key(&line.address) {
            let label = format!("L{}", labels.len() + 1);
            line.label = Some(label.clone());
            labels.insert(line.address, label);
        }
    }
    for (line, to) in branches {
        // Targets amid an instruction or outside stay as the number that the field has.
        if let Some(name) = labels.get(&to).or_else(|| names.get(&to)) {
            let text = &mut lines[line].text;
            let cut = text.rfind(' ').map_or(text.len(), |i| i + 1);
            text.truncate(cut);
            text.push_str(name);
        }
    }
    lines
}

/// Where a direct branch goes: four bytes a step, counted from the next instruction.
pub(crate) fn branch_target(inst: &Inst, address: u64) -> Option<u64> {
    inst.operands().find_map(|(o, v)| match (o.kind, v) {
        (OperandKind::Imm(ImmStyle::Soppbrtarget), Operand::Imm(i)) => {
            Some(address.wrapping_add(4).wrapping_add_signed(i * 4))
        }
        _ => None,
    })
}

fn data(bytes: &[u8], error: DecodeError) -> String {
    let why = match error {
        DecodeError::Truncated { needed } => format!("cut off: needs {needed} bytes"),
        DecodeError::Invalid => "no instruction".to_owned(),
    };
    match <[u8; 4]>::try_from(bytes) {
        Ok(b) => format!(".long {:#010x} ; {why}", u32::from_le_bytes(b)),
        Err(_) => {
            let list: Vec<String> = bytes.iter().map(|b| format!("{b:#04x}")).collect();
            format!(".byte {} ; {why}", list.join(", "))
        }
    }
}

fn dwords(bytes: &[u8]) -> Vec<String> {
    let mut out = Vec::new();
    let mut chunks = bytes.chunks_exact(4);
    for c in &mut chunks {
        out.push(format!(
            "{:08X}",
            u32::from_le_bytes([c[0], c[1], c[2], c[3]])
        ));
    }
    out.extend(chunks.remainder().iter().map(|b| format!("{b:02X}")));
    out
}

impl Listing {
    /// The listing of bare code.
    pub fn of_code(target: Target, code: &[u8], options: &ListingOptions) -> Self {
        Self {
            target: target.name().to_owned(),
            functions: vec![Function {
                name: String::new(),
                kernel: false,
                wave_size: options.wave_size.unwrap_or(target.default_wave_size()),
                address: 0,
                lines: disassemble(target, code, 0, options, &BTreeMap::new()),
            }],
        }
    }

    /// The listing of a code object, or of one of its kernels or functions.
    ///
    /// # Errors
    ///
    /// [`ListingError`] when the target or the name is unknown or the file is damaged.
    pub fn of_object(
        object: &CodeObject,
        only: Option<&str>,
        options: &ListingOptions,
    ) -> Result<Self, ListingError> {
        let target: Target = object
            .target()
            .gfx
            .parse()
            .map_err(|_| ListingError::Target(object.target().to_string()))?;
        let stretches = stretches(object);
        let names: BTreeMap<u64, String> = stretches
            .iter()
            .map(|s| (s.address, s.name.clone()))
            .collect();
        // Functions are called by kernels of one wave size.
        let common = object
            .kernels()
            .first()
            .map(|k| k.descriptor.wavefront_size());
        let mut functions = Vec::new();
        for s in &stretches {
            if only.is_some_and(|o| o != s.name) {
                continue;
            }
            let kernel = object.kernel(&s.name);
            let wave_size = options
                .wave_size
                .or(kernel.map(|k| k.descriptor.wavefront_size()))
                .or(common)
                .unwrap_or(target.default_wave_size());
            let code =
                object
                    .image()
                    .bytes(s.address, s.size)
                    .ok_or_else(|| ListingError::Outside {
                        name: s.name.clone(),
                        address: s.address,
                    })?;
            let with_size = ListingOptions {
                wave_size: Some(wave_size),
                ..*options
            };
            functions.push(Function {
                name: s.name.clone(),
                kernel: kernel.is_some(),
                wave_size,
                address: s.address,
                lines: disassemble(target, code, s.address, &with_size, &names),
            });
        }
        match only {
            Some(wanted) if functions.is_empty() => Err(ListingError::NoFunction {
                wanted: wanted.to_owned(),
                available: stretches.into_iter().map(|s| s.name).collect(),
            }),
            _ => Ok(Self {
                target: object.target().to_string(),
                functions,
            }),
        }
    }
}

/// A named stretch of code.
struct Stretch {
    name: String,
    address: u64,
    size: u64,
}

/// The functions and kernels by address; sections without any stand as a whole.
fn stretches(object: &CodeObject) -> Vec<Stretch> {
    let mut starts: BTreeMap<u64, (String, u64)> = BTreeMap::new();
    for s in object.symbols() {
        if s.kind == SymbolKind::Function && s.defined {
            starts.entry(s.address).or_insert((s.name.clone(), s.size));
        }
    }
    // A kernel's own name wins over an alias of its entry.
    for k in object.kernels() {
        let size = k.code_size.unwrap_or(0);
        let known = starts.get(&k.entry).map_or(size, |s| s.1.max(size));
        starts.insert(k.entry, (k.name.clone(), known));
    }
    for t in object.text() {
        let mut inside = starts.range(t.address..t.address.saturating_add(t.size));
        if t.size > 0 && inside.next().is_none() {
            starts.insert(t.address, (t.name.clone(), t.size));
        }
    }
    let addresses: Vec<u64> = starts.keys().copied().collect();
    let end_of = |address: u64| {
        let section = object
            .text()
            .iter()
            .filter(|t| t.address <= address && address - t.address < t.size)
            .map(|t| t.address.saturating_add(t.size))
            .next();
        let next = addresses.iter().copied().find(|&a| a > address);
        match (section, next) {
            (Some(s), Some(n)) => s.min(n),
            (Some(s), None) => s,
            (None, n) => n.unwrap_or(address),
        }
    };
    starts
        .into_iter()
        .map(|(address, (name, size))| Stretch {
            name,
            address,
            size: if size > 0 {
                size
            } else {
                end_of(address).saturating_sub(address)
            },
        })
        .collect()
}
