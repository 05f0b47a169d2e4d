//! Text for AMD GPU instructions, in LLVM's syntax.
//!
//! [`print()`] writes a decoded instruction as LLVM 22 writes it. Start reading at
//! `print/mod.rs`, which walks the instruction's template; `print/register.rs` has the operands,
//! the other files of that folder one kind of modifier each.

mod assemble;
mod print;

pub use assemble::{
    Arg, AssembleLimits, AssembleOptions, Assembled, AssembledRelocation, AssembledRelocationKind,
    AssembledSymbol, BuildError, CodeBuilder, Diagnostic, Diagnostics, Expansion, FileLoader,
    Label, LineAssembler, Load, Modifier, Section, Severity, SymbolPlace, aliases, assemble,
    descriptor_directives, metadata_yaml, reg,
};

pub use print::{PrintOptions, print, print_bytes};
