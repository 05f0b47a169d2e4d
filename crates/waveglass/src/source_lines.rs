//! From an instruction to the line of its source, where the code object has DWARF.

use addr2line::Context;
use addr2line::gimli::{Dwarf, EndianSlice, LittleEndian, SectionId};
use waveglass_object::CodeObject;

type Reader<'a> = EndianSlice<'a, LittleEndian>;

/// The line table of a code object.
pub struct SourceLines<'a>(Context<Reader<'a>>);

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SourceLine {
    /// The file, as the compiler was given it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

impl std::fmt::Display for SourceLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        match self.column {
            Some(c) => write!(f, ":{c}"),
            None => Ok(()),
        }
    }
}

impl<'a> SourceLines<'a> {
    /// Reads the DWARF of a code object; `None` where it has none, or none that can be read.
    pub fn of(object: &'a CodeObject) -> Option<Self> {
        object.debug_section(".debug_line")?;
        let section = |id: SectionId| -> Result<Reader<'a>, addr2line::gimli::Error> {
            let data = object.debug_section(id.name()).unwrap_or_default();
            Ok(EndianSlice::new(data, LittleEndian))
        };
        let dwarf = Dwarf::load(section).ok()?;
        Context::from_dwarf(dwarf).ok().map(Self)
    }

    /// The line that the instruction at `address` (an offset in the code object) is from.
    pub fn find(&self, address: u64) -> Option<SourceLine> {
        let location = self.0.find_location(address).ok()??;
        Some(SourceLine {
            file: location.file?.to_owned(),
            line: location.line?,
            column: location.column.filter(|c| *c > 0),
        })
    }
}
