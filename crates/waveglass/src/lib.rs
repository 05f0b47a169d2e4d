//! Run, check and explain AMD GPU machine code on any CPU.
//!
//! This is the crate that a user adds to Cargo.toml: [`isa`] decodes, [`asm`] prints, [`object`]
//! reads code objects, and [`Card`] and [`Listing`] explain one instruction and a whole file
//! ([`Disassembly`] gives the lines of a listing one after the other). The `waveglass` command is a thin layer over it. [`Module`] and [`Launch`] run kernels; [`host`] runs
//! them on the process's own memory.
//!
//! ```
//! use waveglass::{Card, isa::{Target, decode}};
//!
//! let inst = decode(Target::Gfx900, &[0xf2, 0x04, 0x02, 0x02]).unwrap();
//! let card = Card::new(&inst);
//! assert_eq!(card.encodings, ["VOP2"]);
//! let src0 = card.fields.iter().find(|f| f.name == "SRC0").unwrap();
//! assert_eq!(src0.meaning, "inline constant 1.0");
//! ```

pub mod access;
mod assembly;
mod card;
mod descriptor;
mod fault_report;
mod fidelity_watch;
pub mod host;
mod launch;
mod listing;
mod meaning;
mod source;
mod source_lines;
mod target_facts;

pub use assembly::link_code_object;
pub use card::{Card, FieldRow, OperandRow};
pub use descriptor::{DescriptorCard, DescriptorError, DescriptorRow, set_descriptor_field};
pub use fault_report::{
    FaultAddresses, FaultEntry, FaultExample, FaultRegion, FaultRegions, FaultWaves,
    FaultWorkgroups,
};
pub use fidelity_watch::{Executed, FidelityReport, FidelityWatch, Place, Status};
pub use listing::{
    Disassembly, Function, FunctionCode, Hex, Line, LineView, Lines, Listing, ListingError,
    ListingOptions,
};
pub use source::{SourceError, source_of};
pub use source_lines::{SourceLine, SourceLines};
pub use target_facts::TargetFacts;

pub use waveglass_asm as asm;
pub use waveglass_exec as exec;
pub use waveglass_isa as isa;
pub use waveglass_mem as mem;
pub use waveglass_object as object;
pub use waveglass_reference as reference;

pub use launch::{Arg, Launch, LaunchError, Location, Module, Report, TrapHandler};
pub use waveglass_exec::{Exceptions, Limits, MemoryConfig, RunError};
