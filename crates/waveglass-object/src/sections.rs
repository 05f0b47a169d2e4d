//! Section headers and symbols as the file has them, for listing a code object as a source.

use crate::elf_tables::Names;
use crate::{CodeObject, Error, Result};
use object::LittleEndian as Le;
use object::elf;
use object::read::elf::{FileHeader as _, SectionHeader as _, Sym as _};

type Elf = elf::FileHeader64<Le>;

/// A section of a code object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionView {
    /// The name.
    pub name: String,
    /// ELF section type.
    pub kind: u32,
    /// ELF section flags.
    pub flags: u64,
    /// Address relative to the load address.
    pub address: u64,
    /// The size in bytes.
    pub size: u64,
    /// The alignment in bytes.
    pub align: u64,
    /// The contents; empty for `SHT_NOBITS`.
    pub data: Vec<u8>,
}

/// A symbol with its ELF properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolView {
    /// The name.
    pub name: String,
    /// The section, as an index of the list of sections.
    pub section: Option<usize>,
    /// Address relative to the load address.
    pub address: u64,
    /// The size in bytes.
    pub size: u64,
    /// ELF type.
    pub kind: u8,
    /// ELF binding.
    pub binding: u8,
    /// ELF visibility.
    pub visibility: u8,
}

impl CodeObject {
    /// The sections and symbols of the file that a code object was read from.
    ///
    /// # Errors
    ///
    /// As [`CodeObject::parse`]; headers that are damaged.
    pub fn sections(data: &[u8]) -> Result<(Vec<SectionView>, Vec<SymbolView>)> {
        // The checks of the loader hold for everything read here.
        CodeObject::parse(data)?;
        let bad = |what: &str| Error::malformed(0, what.to_owned());
        let header = Elf::parse(data).map_err(|_| bad("ELF header"))?;
        let table = header
            .sections(Le, data)
            .map_err(|_| bad("section headers"))?;
        let mut sections = Vec::new();
        let mut names = Names::default();
        // Headers may share their bytes: together they hold no more than the file.
        let mut total = 0u64;
        for s in table.iter() {
            let name = table
                .section_name(Le, s)
                .map_err(|_| bad("a section's name"))?;
            let contents = s.data(Le, data).map_err(|_| bad("a section's contents"))?;
            names.take(name)?;
            total += contents.len() as u64;
            if total > data.len() as u64 {
                return Err(Error::malformed(s.sh_offset(Le), "sections overlap"));
            }
            sections.push(SectionView {
                name: String::from_utf8_lossy(name).into_owned(),
                kind: s.sh_type(Le),
                flags: s.sh_flags(Le),
                address: s.sh_addr(Le),
                size: s.sh_size(Le),
                align: s.sh_addralign(Le),
                data: contents.to_vec(),
            });
        }
        let mut symbols = Vec::new();
        for kind in [elf::SHT_SYMTAB, elf::SHT_DYNSYM] {
            let list = table
                .symbols(Le, data, kind)
                .map_err(|_| bad("the symbol table"))?;
            for s in list.iter() {
                let name = s
                    .name(Le, list.strings())
                    .map_err(|_| bad("a symbol's name"))?;
                names.take(name)?;
                let index = s.st_shndx(Le) as usize;
                symbols.push(SymbolView {
                    name: String::from_utf8_lossy(name).into_owned(),
                    section: (index > 0 && index < sections.len()).then_some(index),
                    address: s.st_value(Le),
                    size: s.st_size(Le),
                    kind: s.st_type(),
                    binding: s.st_bind(),
                    visibility: s.st_visibility(),
                });
            }
            if !symbols.is_empty() {
                break;
            }
        }
        Ok((sections, symbols))
    }
}
