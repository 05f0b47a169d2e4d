//! The functions of a file, ready to be gone through.

use std::collections::HashMap;

use waveglass_isa::{Decoder, Target};
use waveglass_object::CodeObject;

use super::lines::Lines;
use super::stretch::{Stretch, stretches};
use super::{ListingError, ListingOptions};

/// How often functions may claim the same byte, on average, before the file is refused.
const CLAIMS: u64 = 16;

/// A file whose functions are known and whose lines are made when they are asked for.
///
/// ```
/// use waveglass::{Disassembly, ListingOptions, asm::PrintOptions, isa::Target};
///
/// let options = ListingOptions { wave_size: None, print: PrintOptions::default() };
/// let code = 0xbf81_0000u32.to_le_bytes();
/// let d = Disassembly::of_code(Target::Gfx900, &code, &options);
/// for f in d.functions() {
///     let mut lines = f.lines();
///     while let Some(line) = lines.next_line() {
///         assert_eq!(line.text, "s_endpgm");
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Disassembly<'a> {
    target: String,
    chip: Target,
    options: ListingOptions,
    /// All functions of the file: a branch may go to any of them.
    stretches: Vec<Stretch<'a>>,
    chosen: Vec<Chosen<'a>>,
}

/// A function to list.
#[derive(Clone, Debug)]
struct Chosen<'a> {
    name: &'a str,
    kernel: bool,
    wave_size: u32,
    address: u64,
    code: &'a [u8],
}

/// The code of a kernel or function.
#[derive(Clone, Copy, Debug)]
pub struct FunctionCode<'a> {
    /// The symbol; empty for bare code.
    pub name: &'a str,
    /// Whether it is a kernel.
    pub kernel: bool,
    /// Lanes of a wave that it is decoded for.
    pub wave_size: u32,
    /// Address of its first instruction.
    pub address: u64,
    /// Its bytes.
    pub code: &'a [u8],
    chip: Target,
    options: &'a ListingOptions,
    stretches: &'a [Stretch<'a>],
}

impl<'a> FunctionCode<'a> {
    /// The lines, from the first.
    pub fn lines(&self) -> Lines<'a> {
        let decoder = Decoder::new(self.chip).wave_size(self.wave_size);
        Lines::new(
            decoder,
            self.options.print,
            self.code,
            self.address,
            self.stretches,
        )
    }
}

impl<'a> Disassembly<'a> {
    /// Bare code, as one function without a name at address 0.
    pub fn of_code(target: Target, code: &'a [u8], options: &ListingOptions) -> Self {
        Self {
            target: target.name().to_owned(),
            chip: target,
            options: *options,
            stretches: Vec::new(),
            chosen: vec![Chosen {
                name: "",
                kernel: false,
                wave_size: options.wave_size.unwrap_or(target.default_wave_size()),
                address: 0,
                code,
            }],
        }
    }

    /// A code object, or one of its kernels or functions.
    ///
    /// # Errors
    ///
    /// [`ListingError`] when the target or the name is unknown or the file is damaged.
    pub fn of_object(
        object: &'a CodeObject,
        only: Option<&str>,
        options: &ListingOptions,
    ) -> Result<Self, ListingError> {
        let chip: Target = object
            .target()
            .gfx
            .parse()
            .map_err(|_| ListingError::Target(object.target().to_string()))?;
        let stretches = stretches(object);
        let mut kernels = HashMap::new();
        for k in object.kernels() {
            kernels
                .entry(k.name.as_str())
                .or_insert(k.descriptor.wavefront_size());
        }
        // Functions are called by kernels of one wave size.
        let common = object
            .kernels()
            .first()
            .map(|k| k.descriptor.wavefront_size());
        let mut chosen = Vec::new();
        let mut claimed = 0u64;
        for s in &stretches {
            if only.is_some_and(|o| o != s.name) {
                continue;
            }
            let kernel = kernels.get(s.name).copied();
            let code =
                object
                    .image()
                    .bytes(s.address, s.size)
                    .ok_or_else(|| ListingError::Outside {
                        name: s.name.to_owned(),
                        address: s.address,
                    })?;
            claimed = claimed.saturating_add(s.size);
            chosen.push(Chosen {
                name: s.name,
                kernel: kernel.is_some(),
                wave_size: options
                    .wave_size
                    .or(kernel)
                    .or(common)
                    .unwrap_or(chip.default_wave_size()),
                address: s.address,
                code,
            });
        }
        let code = object
            .text()
            .iter()
            .fold(0u64, |sum, t| sum.saturating_add(t.size));
        if only.is_none() && claimed > code.saturating_mul(CLAIMS).max(1 << 20) {
            return Err(ListingError::Overlap { claimed, code });
        }
        match only {
            Some(wanted) if chosen.is_empty() => Err(ListingError::NoFunction {
                wanted: wanted.to_owned(),
                available: stretches.iter().map(|s| s.name.to_owned()).collect(),
            }),
            _ => Ok(Self {
                target: object.target().to_string(),
                chip,
                options: *options,
                stretches,
                chosen,
            }),
        }
    }

    /// The target's name, features included where the file states them.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// The functions by address.
    pub fn functions(&self) -> impl ExactSizeIterator<Item = FunctionCode<'_>> {
        self.chosen.iter().map(|c| FunctionCode {
            name: c.name,
            kernel: c.kernel,
            wave_size: c.wave_size,
            address: c.address,
            code: c.code,
            chip: self.chip,
            options: &self.options,
            stretches: &self.stretches,
        })
    }
}
