//! The disassembly of a file, with labels at branch targets.
//!
//! [`Disassembly`] knows the functions and gives their lines one after the other ([`Lines`], in
//! `lines.rs`), without keeping them: a code object of many megabytes costs no more memory than
//! its code. [`Listing`] keeps the lines. Which stretches of a code object are functions is in
//! `stretch.rs`.

mod disassembly;
mod json;
mod lines;
mod stretch;

use serde::Serialize;
use waveglass_asm::PrintOptions;
use waveglass_isa::Target;
use waveglass_object::CodeObject;

pub use disassembly::{Disassembly, FunctionCode};
pub(crate) use lines::branch_target;
pub use lines::{Hex, LineView, Lines};

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
    /// The symbols claim the same bytes over and over: listing them would never end.
    #[error(
        "the functions overlap: together they claim {claimed} bytes of {code} bytes of code; name one of them with --kernel"
    )]
    Overlap {
        /// Bytes of all functions.
        claimed: u64,
        /// Bytes of the executable sections.
        code: u64,
    },
}

impl Listing {
    /// The listing of bare code.
    pub fn of_code(target: Target, code: &[u8], options: &ListingOptions) -> Self {
        Self::from(&Disassembly::of_code(target, code, options))
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
        Ok(Self::from(&Disassembly::of_object(object, only, options)?))
    }
}

impl From<&Disassembly<'_>> for Listing {
    fn from(d: &Disassembly<'_>) -> Self {
        Self {
            target: d.target().to_owned(),
            functions: d.functions().map(|f| Function::from(&f)).collect(),
        }
    }
}

impl From<&FunctionCode<'_>> for Function {
    fn from(f: &FunctionCode<'_>) -> Self {
        let mut lines = Vec::new();
        let mut walk = f.lines();
        while let Some(line) = walk.next_line() {
            lines.push(Line {
                label: line.label.map(str::to_owned),
                address: line.address,
                bytes: line.hex().map(|h| h.as_str().to_owned()).collect(),
                text: line.text.to_owned(),
                valid: line.valid,
            });
        }
        Self {
            name: f.name.to_owned(),
            kernel: f.kernel,
            wave_size: f.wave_size,
            address: f.address,
            lines,
        }
    }
}
