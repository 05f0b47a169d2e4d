//! ELF code objects (AMDGPUUsage, "ELF Code Object").

use crate::descriptor::KernelDescriptor;
use crate::elf_tables::{debug_sections, metadata_note, relocations, segments, symbols_and_text};
use crate::image::Image;
use crate::metadata::{KernelMetadata, Metadata};
use crate::reader::{slice, u16_at, u32_at};
use crate::{Error, Feature, Limits, Result, TargetId, gfx_name};
use object::LittleEndian as Le;
use object::elf;
use object::read::elf::{FileHeader, SectionTable};
use std::collections::HashMap;

pub(crate) type Elf = elf::FileHeader64<Le>;

pub(crate) const EM_AMDGPU: u16 = 224;
const OSABI_AMDGPU_HSA: u8 = 64;

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
    debug: Vec<(String, Vec<u8>)>,
}

pub(crate) fn elf_error(offset: u64, what: &str, e: object::read::Error) -> Error {
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
        if sections.is_empty() {
            return Err(Error::Unsupported {
                offset: 40,
                what: "a code object without section headers".into(),
                advice: "its symbols cannot be found: strip it without --strip-sections",
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
            debug: debug_sections(&sections, data)?,
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

    /// The contents of a section with debug information, such as `.debug_line`.
    pub fn debug_section(&self, name: &str) -> Option<&[u8]> {
        let (_, data) = self.debug.iter().find(|(n, _)| n == name)?;
        Some(data)
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
