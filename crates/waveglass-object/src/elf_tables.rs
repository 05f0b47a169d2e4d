//! What the ELF tables of a code object hold: segments, symbols, dynamic relocations, notes.

use crate::code_object::{Elf, Symbol, SymbolKind, TextRange, elf_error};
use crate::image::{Image, Relocation, RelocationKind, RelocationValue, Segment};
use crate::reader::{slice, u32_at};
use crate::{Error, Limits, Result};
use object::LittleEndian as Le;
use object::elf;
use object::read::elf::{
    FileHeader, ProgramHeader, Rela, SectionHeader, SectionTable, Sym, SymbolTable,
};

type Symbols<'a> = SymbolTable<'a, Elf>;

const SHN_AMDGPU_LDS: u16 = 0xff00;
const NT_AMDGPU_METADATA: u32 = 32;
/// Most bytes of names in a code object.
const MAX_NAMES: u64 = 256 << 20;

/// Headers and symbols may share one long name: the sum is what memory has to hold.
#[derive(Debug, Default)]
pub(crate) struct Names(u64);

impl Names {
    /// Counts a name.
    pub(crate) fn take(&mut self, name: &[u8]) -> Result<()> {
        self.0 += name.len() as u64;
        match self.0 {
            ..=MAX_NAMES => Ok(()),
            size => Err(Error::TooLarge {
                offset: 0,
                what: "names of symbols and sections",
                size,
                limit: MAX_NAMES,
            }),
        }
    }
}

pub(crate) fn segments(header: &Elf, data: &[u8], limits: &Limits) -> Result<Vec<Segment>> {
    let table = header.e_phoff.get(Le);
    let headers = header
        .program_headers(Le, data)
        .map_err(|e| elf_error(table, "program headers", e))?;
    // Sizes and overlaps come first, so that no contents are copied for a hostile table.
    let mut loads: Vec<_> = headers
        .iter()
        .enumerate()
        .filter(|(_, p)| p.p_type(Le) == elf::PT_LOAD)
        .collect();
    loads.sort_by_key(|(_, p)| p.p_vaddr(Le));
    let at = |i: usize| table + 56 * i as u64;
    let mut end = 0u64;
    let first = loads.first().map_or(0, |(_, p)| p.p_vaddr(Le));
    for (n, (i, p)) in loads.iter().enumerate() {
        let (address, size) = (p.p_vaddr(Le), p.p_memsz(Le));
        if p.p_filesz(Le) > size {
            return Err(Error::malformed(
                at(*i),
                "a segment is larger in the file than in memory",
            ));
        }
        if n > 0 && address < end {
            return Err(Error::malformed(
                at(*i),
                format!("segments overlap at address {address:#x}"),
            ));
        }
        end = address.checked_add(size).ok_or_else(|| {
            Error::malformed(at(*i), "a segment passes the end of the address space")
        })?;
        if end - first > limits.image {
            return Err(Error::TooLarge {
                offset: at(*i),
                what: "memory image",
                size: end - first,
                limit: limits.image,
            });
        }
    }
    loads
        .into_iter()
        .filter(|(_, p)| p.p_memsz(Le) > 0)
        .map(|(_, p)| {
            let flags = p.p_flags(Le);
            Ok(Segment {
                address: p.p_vaddr(Le),
                size: p.p_memsz(Le),
                file_offset: p.p_offset(Le),
                readable: flags & elf::PF_R != 0,
                writable: flags & elf::PF_W != 0,
                executable: flags & elf::PF_X != 0,
                data: slice(data, p.p_offset(Le), p.p_filesz(Le), "segment")?.to_vec(),
            })
        })
        .collect()
}

pub(crate) fn symbols_and_text(
    sections: &SectionTable<'_, Elf>,
    data: &[u8],
    image: &Image,
) -> Result<(Vec<Symbol>, Vec<TextRange>)> {
    let mut names = Names::default();
    let mut name_of = |i: usize| -> Result<Option<String>> {
        let section = sections.section(object::SectionIndex(i));
        let name = section.and_then(|s| sections.section_name(Le, s));
        name.ok()
            .map(|n| {
                names.take(n)?;
                Ok(String::from_utf8_lossy(n).into_owned())
            })
            .transpose()
    };
    let mut text = Vec::new();
    for (i, section) in sections.iter().enumerate() {
        let flags = section.sh_flags(Le);
        if flags & u64::from(elf::SHF_EXECINSTR) == 0 || section.sh_type(Le) != elf::SHT_PROGBITS {
            continue;
        }
        let (address, size) = (section.sh_addr(Le), section.sh_size(Le));
        slice(data, section.sh_offset(Le), size, "executable section")?;
        if size > 0 && !image.contains(address, size) {
            return Err(Error::malformed(
                section.sh_offset(Le),
                "an executable section is outside the segments",
            ));
        }
        text.push(TextRange {
            name: name_of(i)?.unwrap_or_default(),
            address,
            file_offset: section.sh_offset(Le),
            size,
        });
    }
    // .symtab has local functions too; a stripped file has .dynsym only.
    let mut table = symbol_table(sections, data, elf::SHT_SYMTAB)?;
    if table.is_empty() {
        table = symbol_table(sections, data, elf::SHT_DYNSYM)?;
    }
    let mut symbols = Vec::new();
    let mut symbol_names = Names::default();
    for symbol in table.iter() {
        let raw = table
            .symbol_name(Le, symbol)
            .map_err(|e| elf_error(0, "symbol name", e))?;
        let st_type = symbol.st_type();
        if raw.is_empty() || matches!(st_type, elf::STT_SECTION | elf::STT_FILE) {
            continue;
        }
        symbol_names.take(raw)?;
        let name = std::str::from_utf8(raw).map_err(|_| {
            Error::malformed(
                0,
                format!(
                    "symbol name {:?} is not UTF-8",
                    String::from_utf8_lossy(raw)
                ),
            )
        })?;
        let shndx = symbol.st_shndx(Le);
        let kind = match st_type {
            _ if shndx == SHN_AMDGPU_LDS => SymbolKind::Lds,
            elf::STT_FUNC => SymbolKind::Function,
            elf::STT_OBJECT if name.ends_with(".kd") => SymbolKind::KernelDescriptor,
            elf::STT_OBJECT => SymbolKind::Object,
            _ => SymbolKind::Other,
        };
        symbols.push(Symbol {
            name: name.to_owned(),
            address: symbol.st_value(Le),
            size: symbol.st_size(Le),
            kind,
            section: match shndx {
                0 | elf::SHN_LORESERVE.. => None,
                n => name_of(n.into())?,
            },
            global: symbol.st_bind() != elf::STB_LOCAL,
            defined: shndx != elf::SHN_UNDEF,
        });
    }
    symbols.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
    Ok((symbols, text))
}

fn symbol_table<'a>(
    sections: &SectionTable<'a, Elf>,
    data: &'a [u8],
    kind: u32,
) -> Result<Symbols<'a>> {
    sections
        .symbols(Le, data, kind)
        .map_err(|e| elf_error(0, "symbol table", e))
}

pub(crate) fn relocations(
    sections: &SectionTable<'_, Elf>,
    data: &[u8],
    image: &Image,
) -> Result<Vec<Relocation>> {
    let mut out = Vec::new();
    let symbols = symbol_table(sections, data, elf::SHT_DYNSYM)?;
    for section in sections.iter() {
        // A linker's --emit-relocs leaves static records in sections that are not allocated.
        if section.sh_flags(Le) & u64::from(elf::SHF_ALLOC) == 0 {
            continue;
        }
        let base = section.sh_offset(Le);
        if section.sh_type(Le) == elf::SHT_REL {
            return Err(Error::Unsupported {
                offset: base,
                what: "a dynamic relocation section without addends".into(),
                advice: "HSA code objects use Elf64_Rela",
            });
        }
        let Some((records, _)) = section
            .rela(Le, data)
            .map_err(|e| elf_error(base, "relocations", e))?
        else {
            continue;
        };
        for (i, record) in records.iter().enumerate() {
            let file_offset = base + 24 * i as u64;
            let kind = record.r_type(Le, false);
            let addend = record.r_addend(Le) as u64;
            let (kind, value) = match kind {
                0 => continue,
                1 => (RelocationKind::Low32, None),
                2 => (RelocationKind::High32, None),
                3 => (RelocationKind::Word64, None),
                6 => (RelocationKind::Word32, None),
                13 => (
                    RelocationKind::Word64,
                    Some(RelocationValue::Address(addend)),
                ),
                k => {
                    return Err(Error::Unsupported {
                        offset: file_offset,
                        what: format!("dynamic relocation type {k}"),
                        advice: "link with ld.lld for amdgcn-amd-amdhsa",
                    });
                }
            };
            let value = match value {
                Some(value) => value,
                None => {
                    let symbol = symbols
                        .symbol(object::SymbolIndex(record.r_sym(Le, false) as usize))
                        .map_err(|e| elf_error(file_offset, "relocation symbol", e))?;
                    let sum = symbol.st_value(Le).wrapping_add(addend);
                    match symbol.st_shndx(Le) {
                        elf::SHN_UNDEF
                            if record.r_sym(Le, false) == 0
                                || symbol.st_bind() == elf::STB_WEAK =>
                        {
                            RelocationValue::Absolute(addend)
                        }
                        elf::SHN_UNDEF => {
                            let name = symbols
                                .symbol_name(Le, symbol)
                                .map_err(|e| elf_error(file_offset, "relocation symbol", e))?;
                            RelocationValue::Undefined(String::from_utf8_lossy(name).into_owned())
                        }
                        elf::SHN_ABS => RelocationValue::Absolute(sum),
                        _ => RelocationValue::Address(sum),
                    }
                }
            };
            let address = record.r_offset(Le);
            let len = if kind == RelocationKind::Word64 { 8 } else { 4 };
            if image.bytes(address, len).is_none() {
                return Err(Error::malformed(
                    file_offset,
                    format!(
                        "relocation of address {address:#x}, which no segment has contents for"
                    ),
                ));
            }
            out.push(Relocation {
                file_offset,
                address,
                kind,
                value,
            });
        }
    }
    Ok(out)
}

/// Offset and contents of the metadata note, from the `PT_NOTE` segments.
pub(crate) fn metadata_note<'a>(header: &Elf, data: &'a [u8]) -> Result<Option<(u64, &'a [u8])>> {
    let table = header.e_phoff.get(Le);
    let mut found: Option<(u64, &[u8])> = None;
    for p in header
        .program_headers(Le, data)
        .map_err(|e| elf_error(table, "program headers", e))?
    {
        if p.p_type(Le) != elf::PT_NOTE {
            continue;
        }
        let (mut at, size) = (p.p_offset(Le), p.p_filesz(Le));
        slice(data, at, size, "note segment")?;
        let end = at + size;
        while end - at >= 12 {
            let name_size = u64::from(u32_at(data, at, "note")?);
            let size = u64::from(u32_at(data, at + 4, "note")?);
            let kind = u32_at(data, at + 8, "note")?;
            let contents = at + 12 + name_size.next_multiple_of(4);
            if contents > end || contents + size > end {
                return Err(Error::malformed(at, "a note passes the end of its segment"));
            }
            if kind == NT_AMDGPU_METADATA
                && slice(data, at + 12, name_size, "note name")? == b"AMDGPU\0"
            {
                let note = (contents, slice(data, contents, size, "metadata note")?);
                if found.is_some_and(|f| f != note) {
                    return Err(Error::malformed(at, "a second metadata note"));
                }
                found = Some(note);
            }
            at = (contents + size.next_multiple_of(4)).min(end);
        }
    }
    Ok(found)
}

/// The sections that hold DWARF. Compressed ones are left out: nothing that is needed to load and
/// run the code is in them.
pub(crate) fn debug_sections(
    sections: &SectionTable<'_, Elf>,
    data: &[u8],
) -> Result<Vec<(String, Vec<u8>)>> {
    let mut out = Vec::new();
    // Headers may share their bytes: together they hold no more than the file.
    let mut total = 0u64;
    let mut names = Names::default();
    for section in sections.iter() {
        let compressed = section.sh_flags(Le) & u64::from(elf::SHF_COMPRESSED) != 0;
        let name = sections.section_name(Le, section).unwrap_or_default();
        if compressed || !name.starts_with(b".debug_") || section.sh_type(Le) != elf::SHT_PROGBITS {
            continue;
        }
        let (offset, size) = (section.sh_offset(Le), section.sh_size(Le));
        total = total.saturating_add(size);
        if total > data.len() as u64 {
            return Err(Error::malformed(offset, "debug sections overlap"));
        }
        names.take(name)?;
        let content = slice(data, offset, size, "debug section")?;
        out.push((String::from_utf8_lossy(name).into_owned(), content.to_vec()));
    }
    Ok(out)
}
