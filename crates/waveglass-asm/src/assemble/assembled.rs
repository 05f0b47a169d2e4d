//! What an assembly gives: sections, symbols and relocations, ready to be linked.

use super::diagnostic::Diagnostics;
use std::sync::Arc;
use waveglass_isa::Target;

/// How a source is assembled.
#[derive(Clone, Debug, Default)]
pub struct AssembleOptions {
    /// 32 or 64; the target's usual wave size where there is none.
    pub wave_size: Option<u32>,
    /// Limits on what a source may ask for.
    pub limits: AssembleLimits,
    /// What `.include` and `.incbin` read; without it they are refused.
    pub files: Option<FileLoader>,
}

/// What gives the contents of a file that a source names, or says why there are none. The
/// assembler itself reads no files: search paths are the loader's.
///
/// ```
/// use std::sync::Arc;
/// use waveglass_asm::{AssembleOptions, FileLoader, assemble};
/// use waveglass_isa::Target;
///
/// let loader = FileLoader(Arc::new(|name: &str| match name {
///     "end.inc" => Ok(b"s_endpgm".to_vec()),
///     _ => Err("no such file".to_owned()),
/// }));
/// let options = AssembleOptions { files: Some(loader), ..Default::default() };
/// let a = assemble(".include \"end.inc\"", Target::Gfx900, &options).unwrap();
/// assert_eq!(a.sections[0].data.len(), 4);
/// ```
#[derive(Clone)]
pub struct FileLoader(pub Arc<Load>);

/// The function of a [`FileLoader`].
pub type Load = dyn Fn(&str) -> Result<Vec<u8>, String> + Send + Sync;

impl std::fmt::Debug for FileLoader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FileLoader")
    }
}

/// Limits on what a source may ask for.
#[derive(Clone, Copy, Debug)]
pub struct AssembleLimits {
    /// Bytes of all sections together.
    pub bytes: u64,
    /// Statements, those of macros and repetitions included.
    pub statements: u64,
    /// Nesting of macros and repetitions.
    pub depth: u32,
    /// Findings after which the assembly stops.
    pub findings: usize,
    /// Unknown mnemonics that are compared with all known ones for a near spelling; those beyond
    /// are reported without one.
    pub suggestions: u32,
}

impl Default for AssembleLimits {
    fn default() -> Self {
        Self {
            bytes: 256 << 20,
            statements: 50_000_000,
            depth: 64,
            findings: 1000,
            suggestions: 64,
        }
    }
}

/// An assembled source.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// The target.
    pub target: Target,
    /// XNACK as `.amdgcn_target` has it: on, off or any.
    pub xnack: Option<bool>,
    /// SRAM ECC as `.amdgcn_target` has it.
    pub sramecc: Option<bool>,
    /// The code object version: 4, 5 or 6.
    pub code_object_version: u8,
    /// The sections in the order in which the source names them.
    pub sections: Vec<Section>,
    /// The symbols.
    pub symbols: Vec<AssembledSymbol>,
    /// The metadata as MessagePack, where the source has any.
    pub metadata: Option<Vec<u8>>,
    /// Warnings.
    pub warnings: Diagnostics,
}

impl Assembled {
    /// The section of that name.
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|s| s.name == name)
    }
}

/// A section.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The name, as in ".text".
    pub name: String,
    /// ELF section flags.
    pub flags: u64,
    /// ELF section type.
    pub kind: u32,
    /// The size of an entry, for sections of equal entries.
    pub entry_size: u64,
    /// The alignment in bytes.
    pub align: u64,
    /// The contents; empty for sections without any in the file.
    pub data: Vec<u8>,
    /// The size in bytes.
    pub size: u64,
    /// What the linker fills in.
    pub relocations: Vec<AssembledRelocation>,
}

/// A place that depends on where sections come to lie.
#[derive(Clone, Debug)]
pub struct AssembledRelocation {
    /// The place in the section.
    pub offset: u64,
    /// What is written there.
    pub kind: AssembledRelocationKind,
    /// The symbol, as an index of [`Assembled::symbols`].
    pub symbol: usize,
    /// A number that is added.
    pub addend: i64,
}

/// Relocations of AMDGPU (AMDGPUUsage, "Relocation Records").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssembledRelocationKind {
    /// The low half of the address.
    Abs32Lo,
    /// The high half of the address.
    Abs32Hi,
    /// The address.
    Abs64,
    /// The address in 32 bits.
    Abs32,
    /// The low half of the distance from the place.
    Rel32Lo,
    /// The high half of the distance.
    Rel32Hi,
    /// The distance in 32 bits.
    Rel32,
    /// The distance in 64 bits.
    Rel64,
    /// The low half of the distance to the symbol's entry in the global offset table.
    GotPcRel32Lo,
    /// The high half of it.
    GotPcRel32Hi,
    /// The distance in dwords from the end of a branch, in its low 16 bits.
    Rel16,
}

/// A symbol.
#[derive(Clone, Debug)]
pub struct AssembledSymbol {
    /// The name; sections have an empty one.
    pub name: String,
    /// Where it is defined.
    pub place: SymbolPlace,
    /// Offset in the section, or the number.
    pub value: u64,
    /// The size in bytes.
    pub size: u64,
    /// ELF symbol type.
    pub kind: u8,
    /// ELF binding: 0 local, 1 global, 2 weak.
    pub binding: u8,
    /// ELF visibility.
    pub visibility: u8,
}

/// Where a symbol is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolPlace {
    /// Nowhere in this source.
    Undefined,
    /// It is a number.
    Absolute,
    /// In a section, as an index of [`Assembled::sections`].
    Section(usize),
}
