//! AMD GPU code objects: what a loader has to know before the first instruction runs.
//!
//! Start at [`File::parse`]: it takes the bytes of a code object, of a host program with device
//! code inside, or of an offload bundle (compressed too), and says which it is.
//! [`CodeObject`] then holds the load [`Image`], the symbols, and each [`Kernel`] with its
//! [`KernelDescriptor`] and its [`KernelMetadata`]. The rules are those of LLVM's *User Guide for
//! AMDGPU Backend* (AMDGPUUsage), whose section names the documentation cites.
//!
//! This crate knows no instruction. All input is taken as hostile: it ends in a value or in an
//! [`Error`] that names the offset, within the [`Limits`].

mod bundle;
mod code_object;
mod compressed;
mod descriptor;
mod elf_tables;
mod error;
mod file;
mod image;
mod link;
mod metadata;
mod reader;
mod sections;
mod target;

pub use bundle::{Bundle, Entry};
pub use code_object::{CodeObject, CodeObjectVersion, Kernel, Symbol, SymbolKind, TextRange};
pub use descriptor::{DenormMode, KernelDescriptor, RoundMode, WorkItemIdVgprs};
pub use error::{Error, Result};
pub use file::{File, Limits};
pub use image::{Image, LoadedImage, Relocation, RelocationKind, RelocationValue, Segment};
pub use link::{LinkError, LinkInput, LinkPlace, LinkRelocation, LinkSection, LinkSymbol, link};
pub use metadata::{Argument, KernelMetadata, Metadata, ValueKind};
pub use sections::{SectionView, SymbolView};
pub use target::{Feature, TargetId, gfx_name, mach_of};
