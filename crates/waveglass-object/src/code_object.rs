//! ELF code objects (AMDGPUUsage, "ELF Code Object").

use crate::descriptor::KernelDescriptor;
use crate::image::{Image, Relocation, RelocationKind, RelocationValue, Segment};
use crate::metadata::{KernelMetadata, Metadata};
use crate::reader::{slice, u16_at, u32_at};
use crate::{Error, Feature, Limits, Result, TargetId, gfx_name};
use object::LittleEndian as Le;
use object::elf;
use object::read::elf::{
    FileHeader, ProgramHeader, Rela, SectionHeader, SectionTable, Sym, SymbolTable,
};
use std::collections::HashMap;

type Elf = elf::FileHeader64<Le>;
type Symbols<'a> = SymbolTable<'a, Elf>;

pub(crate) const EM_AMDGPU: u16 = 224;
const OSABI_AMDGPU_HSA: u8 = 64;
const SHN_AMDGPU_LDS: u16 = 0xff00;
const NT_AMDGPU_METADATA: u32 = 32;
/// Most bytes of symbol names in a code object.
const MAX_NAMES: u64 = 256 << 20;

/// Version of a code object, as its ELF ABI version gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeObjectVersion {
    /// V3.
    V3,
    /// V4.
    V4,
    /// V5.
    V5,
    /// V6.
    V6,
}

/// What a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A kernel descriptor (`name.kd`).
    KernelDescriptor,
    /// Code: a kernel's entry or a function.
    Function,
    /// Data.
    Object,
    /// A variable in LDS; the address is an alignment.
    Lds,
    /// A symbol without a type.
    Other,
}

/// A symbol of the code object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// Address relative to the load address.
    pub address: u64,
    /// Size in bytes, 0 if not known.
    pub size: u64,
    /// What it names.
    pub kind: SymbolKind,
    /// The section that holds it, if it is defined in one.
    pub section: Option<String>,
    /// Visible to other code objects.
    pub global: bool,
    /// Defined in this code object.
    pub defined: bool,
}

/// An executable section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextRange {
    /// Section name.
    pub name: String,
    /// Address relative to the load address.
    pub address: u64,
    /// Offset in the file.
    pub file_offset: u64,
    /// Size in bytes.
    pub size: u64,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Name, without `.kd`.
    pub name: String,
    /// Address of the descriptor, relative to the load address.
    pub descriptor_address: u64,
    /// Address of the first instruction, relative to the load address.
    pub entry: u64,
    /// Size of the code in bytes, if there is a symbol that gives it.
    pub code_size: Option<u64>,
    /// The descriptor.
    pub descriptor: KernelDescriptor,
    /// The kernel's metadata, if the file has it (assembly may leave it out).
    pub metadata: Option<KernelMetadata>,
}

/// A code object, read and checked.
#[derive(Clone, Debug)]
pub struct CodeObject {
    version: CodeObjectVersion,
    target: TargetId,
    image: Image,
    symbols: Vec<Symbol>,
    text: Vec<TextRange>,
    kernels: Vec<Kernel>,
    metadata: Option<Metadata>,
}

fn elf_error(offset: u64, what: &str, e: object::read::Error) -> Error {
    Error::malformed(offset, format!("{what}: {e}"))
}

/// Checks class and byte order and gives `e_machine`.
pub(crate) fn elf_machine(data: &[u8]) -> Result<u16> {
    let ident = slice(data, 0, 64, "ELF header")?;
    if ident[4] != 2 || ident[5] != 1 {
        return Err(Error::Unsupported {
            offset: 4,
            what: "a 32-bit or big-endian ELF file".into(),
            advice: "AMD GPU code objects are 64-bit little-endian",
        });
    }
    u16_at(data, 18, "ELF header")
}

fn header_and_sections(data: &[u8]) -> Result<(&Elf, SectionTable<'_, Elf>)> {
    let header = Elf::parse(data).map_err(|e| elf_error(0, "ELF header", e))?;
    let shoff = header.e_shoff.get(Le);
    let sections = header
        .sections(Le, data)
        .map_err(|e| elf_error(shoff, "section headers", e))?;
    Ok((header, sections))
}

/// The section of a host file that carries device code.
pub(crate) fn host_sections(data: &[u8]) -> Result<Option<std::ops::Range<u64>>> {
    let (_, sections) = header_and_sections(data)?;
    for wanted in [&b".hip_fatbin"[..], b".llvm.offloading"] {
        for section in sections.iter() {
            if sections
                .section_name(Le, section)
                .is_ok_and(|n| n == wanted)
            {
                let (offset, size) = (section.sh_offset.get(Le), section.sh_size.get(Le));
                slice(data, offset, size, "device code section")?;
                return Ok(Some(offset..offset + size));
            }
        }
    }
    Ok(None)
}

impl CodeObject {
    /// Reads a code object with the default [`Limits`].
    ///
    /// # Errors
    ///
    /// Anything but a linked code object V3 to V6 that agrees with itself.
    pub fn parse(data: &[u8]) -> Result<Self> {
        Self::parse_with(data, &Limits::default())
    }

    /// Reads a code object within `limits`.
    ///
    /// # Errors
    ///
    /// As [`CodeObject::parse`].
    pub fn parse_with(data: &[u8], limits: &Limits) -> Result<Self> {
        let machine = elf_machine(data)?;
        if !data.starts_with(b"\x7fELF") || machine != EM_AMDGPU {
            return Err(Error::malformed(
                18,
                format!("not an AMD GPU ELF file (machine {machine})"),
            ));
        }
        let (version, target) = identify(data)?;
        let (header, sections) = header_and_sections(data)?;
        if header.e_type.get(Le) != elf::ET_DYN {
            return Err(Error::Unsupported {
                offset: 16,
                what: format!(
                    "ELF type {} (a relocatable object is 1)",
                    header.e_type.get(Le)
                ),
                advice: "link it first: ld.lld -shared",
            });
        }
        let mut image = Image {
            segments: segments(header, data, limits)?,
            relocations: Vec::new(),
        };
        let (symbols, text) = symbols_and_text(&sections, data, &image)?;
        image.relocations = relocations(&sections, data, &image)?;
        let metadata = match metadata_note(header, data)? {
            Some((offset, note)) => Some(Metadata::parse(note, offset, limits)?),
            None => None,
        };
        let kernels = kernels(&symbols, &image, &target, metadata.as_ref())?;
        Ok(CodeObject {
            version,
            target,
            image,
            symbols,
            text,
            kernels,
            metadata,
        })
    }

    /// The code object version.
    pub fn version(&self) -> CodeObjectVersion {
        self.version
    }

    /// What the code was compiled for.
    pub fn target(&self) -> &TargetId {
        &self.target
    }

    /// What goes to memory.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// All named symbols, by address.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// The executable sections, for disassembly.
    pub fn text(&self) -> &[TextRange] {
        &self.text
    }

    /// The kernels, by address of the descriptor.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The kernel of that name (without `.kd`).
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|k| k.name == name)
    }

    /// The metadata note.
    pub fn metadata(&self) -> Option<&Metadata> {
        self.metadata.as_ref()
    }
}

/// Version and target from `e_ident` and `e_flags`.
fn identify(data: &[u8]) -> Result<(CodeObjectVersion, TargetId)> {
    let (osabi, abi) = (data[7], data[8]);
    if osabi != OSABI_AMDGPU_HSA {
        return Err(Error::Unsupported {
            offset: 7,
            what: format!("OS ABI {osabi} (PAL is 65, Mesa 66)"),
            advice: "only HSA code objects (64) can be loaded: compile for amdgcn-amd-amdhsa",
        });
    }
    let version = match abi {
        1 => CodeObjectVersion::V3,
        2 => CodeObjectVersion::V4,
        3 => CodeObjectVersion::V5,
        4 => CodeObjectVersion::V6,
        0 => {
            return Err(Error::Unsupported {
                offset: 8,
                what: "code object V2".into(),
                advice: "compile it again with a code object version of 4 or later",
            });
        }
        _ => {
            return Err(Error::Unsupported {
                offset: 8,
                what: format!("HSA ABI version {abi}"),
                advice: "code objects V3 to V6 (ABI versions 1 to 4) are known",
            });
        }
    };
    let flags = u32_at(data, 48, "e_flags")?;
    let mach = flags & 0xff;
    let gfx = gfx_name(mach).ok_or_else(|| Error::Unsupported {
        offset: 48,
        what: format!("processor {mach:#x} in e_flags"),
        advice: "it is none of the known gfx targets",
    })?;
    let (v3, v4, generic) = (0x3ff, 0xfff, 0xff00_0fff);
    let known = match version {
        CodeObjectVersion::V3 => v3,
        CodeObjectVersion::V4 | CodeObjectVersion::V5 => v4,
        CodeObjectVersion::V6 => generic,
    };
    if flags & !known != 0 {
        return Err(Error::malformed(
            48,
            format!("e_flags {flags:#x} has bits that {version:?} does not define"),
        ));
    }
    let generic_version = (flags >> 24) as u8;
    if gfx.ends_with("-generic") != (generic_version != 0) {
        return Err(Error::malformed(
            48,
            format!(
                "generic version {generic_version} does not go with {gfx} in a {version:?} code object"
            ),
        ));
    }
    let (xnack, sramecc) = if version == CodeObjectVersion::V3 {
        let v3 = |bit| {
            if flags & bit != 0 {
                Feature::On
            } else {
                Feature::Unsupported
            }
        };
        (v3(0x100), v3(0x200))
    } else {
        let v4 = |shift: u32| match flags >> shift & 3 {
            0 => Feature::Unsupported,
            1 => Feature::Any,
            2 => Feature::Off,
            _ => Feature::On,
        };
        (v4(8), v4(10))
    };
    Ok((
        version,
        TargetId {
            mach,
            gfx,
            xnack,
            sramecc,
            generic_version,
        },
    ))
}

fn segments(header: &Elf, data: &[u8], limits: &Limits) -> Result<Vec<Segment>> {
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

fn symbols_and_text(
    sections: &SectionTable<'_, Elf>,
    data: &[u8],
    image: &Image,
) -> Result<(Vec<Symbol>, Vec<TextRange>)> {
    let name_of = |i: usize| {
        let section = sections.section(object::SectionIndex(i)).ok()?;
        let name = sections.section_name(Le, section).ok()?;
        Some(String::from_utf8_lossy(name).into_owned())
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
            name: name_of(i).unwrap_or_default(),
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
    // Symbols may share one long string: their sum is what memory has to hold.
    let mut names = 0u64;
    for symbol in table.iter() {
        let raw = table
            .symbol_name(Le, symbol)
            .map_err(|e| elf_error(0, "symbol name", e))?;
        let st_type = symbol.st_type();
        if raw.is_empty() || matches!(st_type, elf::STT_SECTION | elf::STT_FILE) {
            continue;
        }
        names += raw.len() as u64;
        if names > MAX_NAMES {
            return Err(Error::TooLarge {
                offset: 0,
                what: "symbol names",
                size: names,
                limit: MAX_NAMES,
            });
        }
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
            section: (shndx != 0 && shndx < elf::SHN_LORESERVE)
                .then(|| name_of(shndx.into()))
                .flatten(),
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

fn relocations(
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
fn metadata_note<'a>(header: &Elf, data: &'a [u8]) -> Result<Option<(u64, &'a [u8])>> {
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

fn kernels(
    symbols: &[Symbol],
    image: &Image,
    target: &TargetId,
    metadata: Option<&Metadata>,
) -> Result<Vec<Kernel>> {
    let by_symbol: HashMap<&str, &KernelMetadata> = metadata
        .iter()
        .flat_map(|m| &m.kernels)
        .map(|k| (k.symbol.as_str(), k))
        .collect();
    let functions: HashMap<u64, u64> = symbols
        .iter()
        .filter(|s| s.kind == SymbolKind::Function && s.defined)
        .map(|s| (s.address, s.size))
        .collect();
    let mut kernels = Vec::new();
    for symbol in symbols
        .iter()
        .filter(|s| s.kind == SymbolKind::KernelDescriptor && s.defined)
    {
        let address = symbol.address;
        let offset = file_offset(image, address);
        let bytes = image
            .bytes(address, KernelDescriptor::SIZE)
            .and_then(|b| b.first_chunk())
            .ok_or_else(|| {
                Error::malformed(
                    offset,
                    format!(
                        "descriptor `{}` at address {address:#x} is outside the segments",
                        symbol.name
                    ),
                )
            })?;
        if address % 64 != 0 {
            return Err(Error::malformed(
                offset,
                format!("descriptor `{}` is not 64-byte aligned", symbol.name),
            ));
        }
        let descriptor = KernelDescriptor::parse(bytes, offset, target)?;
        let entry = address.wrapping_add_signed(descriptor.kernel_code_entry_byte_offset);
        if entry % 256 != 0 || image.bytes(entry, 4).is_none() {
            return Err(Error::malformed(
                offset + 16,
                format!(
                    "the entry of `{}`, address {entry:#x}, is not a 256-byte aligned address in the image",
                    symbol.name
                ),
            ));
        }
        let kernel_metadata = by_symbol.get(symbol.name.as_str()).copied();
        if let (Some(k), Some(m)) = (kernel_metadata, metadata) {
            k.agree(&descriptor, m.offset)?;
        }
        kernels.push(Kernel {
            name: symbol.name.trim_end_matches(".kd").to_owned(),
            descriptor_address: address,
            entry,
            code_size: functions.get(&entry).copied().filter(|&s| s > 0),
            descriptor,
            metadata: kernel_metadata.cloned(),
        });
    }
    if let Some(m) = metadata {
        let defined: HashMap<&str, ()> = symbols
            .iter()
            .filter(|s| s.kind == SymbolKind::KernelDescriptor)
            .map(|s| (s.name.as_str(), ()))
            .collect();
        if let Some((i, k)) = m
            .kernels
            .iter()
            .enumerate()
            .find(|(_, k)| !defined.contains_key(k.symbol.as_str()))
        {
            return Err(Error::Metadata {
                offset: m.offset,
                path: format!("amdhsa.kernels[{i}].symbol"),
                what: format!("no kernel descriptor `{}` in the symbol table", k.symbol),
            });
        }
    }
    Ok(kernels)
}

fn file_offset(image: &Image, address: u64) -> u64 {
    let after = image.segments().partition_point(|s| s.address <= address);
    let segment = after.checked_sub(1).map(|i| &image.segments()[i]);
    segment.map_or(0, |s| (address - s.address).saturating_add(s.file_offset))
}
