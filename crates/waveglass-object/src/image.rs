//! What goes to memory: segments and the relocations to apply to them.

use crate::{Error, Result};

/// A `PT_LOAD` segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Virtual address in bytes, relative to the load address.
    pub address: u64,
    /// Size in memory in bytes; what `data` does not cover is zero.
    pub size: u64,
    /// Where `data` is in the file.
    pub file_offset: u64,
    /// May be read.
    pub readable: bool,
    /// May be written.
    pub writable: bool,
    /// May be executed.
    pub executable: bool,
    /// Contents from the file.
    pub data: Vec<u8>,
}

/// What a relocation refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelocationValue {
    /// An address in this image (symbol and addend summed).
    Address(u64),
    /// A value that does not move with the image: an absolute or an undefined weak symbol.
    Absolute(u64),
    /// A symbol that some other code object has to define.
    Undefined(String),
}

/// How a relocation is written (AMDGPUUsage, "Relocation Records").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocationKind {
    /// 64 bits of the value (`R_AMDGPU_ABS64`, `R_AMDGPU_RELATIVE64`).
    Word64,
    /// The low 32 bits (`R_AMDGPU_ABS32_LO`).
    Low32,
    /// The high 32 bits (`R_AMDGPU_ABS32_HI`).
    High32,
    /// 32 bits that must hold the whole value (`R_AMDGPU_ABS32`).
    Word32,
}

/// A relocation to apply when the load address is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Offset of the record in the file.
    pub file_offset: u64,
    /// Address of the field, relative to the load address.
    pub address: u64,
    /// How the field is written.
    pub kind: RelocationKind,
    /// What it refers to.
    pub value: RelocationValue,
}

/// The memory image of a code object, before it has a load address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    pub(crate) segments: Vec<Segment>,
    pub(crate) relocations: Vec<Relocation>,
}

/// An [`Image`] at its load address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedImage {
    /// Load address: the address of the image's address 0.
    pub base: u64,
    /// The segments, with addresses that include `base`, relocated.
    pub segments: Vec<Segment>,
}

impl Image {
    /// The segments, by ascending address; they do not overlap.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The relocations; each lies within the file contents of one segment.
    pub fn relocations(&self) -> &[Relocation] {
        &self.relocations
    }

    /// Bytes from the lowest to the highest address in use, at most
    /// [`Limits::image`](crate::Limits).
    pub fn span(&self) -> u64 {
        match (self.segments.first(), self.segments.last()) {
            (Some(first), Some(last)) => last.address + last.size - first.address,
            _ => 0,
        }
    }

    /// The file contents at `[address, address + len)`, if one segment's file contents hold
    /// them all.
    pub fn bytes(&self, address: u64, len: u64) -> Option<&[u8]> {
        let i = self
            .segments
            .partition_point(|s| s.address <= address)
            .checked_sub(1)?;
        let segment = &self.segments[i];
        let start = usize::try_from(address - segment.address).ok()?;
        segment
            .data
            .get(start..start.checked_add(usize::try_from(len).ok()?)?)
    }

    /// Whether one segment covers `[address, address + len)`, zero-filled memory included.
    pub fn contains(&self, address: u64, len: u64) -> bool {
        let Some(i) = self
            .segments
            .partition_point(|s| s.address <= address)
            .checked_sub(1)
        else {
            return false;
        };
        let s = &self.segments[i];
        address
            .checked_add(len)
            .is_some_and(|end| end <= s.address + s.size)
    }

    /// The image loaded at `base`, relocations applied.
    ///
    /// # Errors
    ///
    /// An undefined symbol, an image that would pass the end of the address space, a value that
    /// does not fit its field.
    pub fn relocated(&self, base: u64) -> Result<LoadedImage> {
        if let Some(last) = self.segments.last()
            && base.checked_add(last.address + last.size).is_none()
        {
            return Err(Error::malformed(
                last.file_offset,
                format!("the image does not fit at load address {base:#x}"),
            ));
        }
        let mut segments = self.segments.clone();
        for r in &self.relocations {
            let value = match &r.value {
                RelocationValue::Address(a) => a.wrapping_add(base),
                RelocationValue::Absolute(a) => *a,
                RelocationValue::Undefined(name) => {
                    return Err(Error::UndefinedSymbol {
                        offset: r.file_offset,
                        name: name.clone(),
                    });
                }
            };
            let bytes = value.to_le_bytes();
            let field = match r.kind {
                RelocationKind::Word64 => &bytes[..],
                RelocationKind::Low32 => &bytes[..4],
                RelocationKind::High32 => &bytes[4..],
                RelocationKind::Word32 if value >> 32 == 0 => &bytes[..4],
                RelocationKind::Word32 => {
                    return Err(Error::malformed(
                        r.file_offset,
                        format!("value {value:#x} does not fit a 32-bit relocation"),
                    ));
                }
            };
            let outside = || Error::malformed(r.file_offset, "relocation outside the image");
            let i = segments
                .partition_point(|s| s.address <= r.address)
                .checked_sub(1)
                .ok_or_else(outside)?;
            let at = usize::try_from(r.address - segments[i].address).map_err(|_| outside())?;
            let end = at.checked_add(field.len()).ok_or_else(outside)?;
            segments[i]
                .data
                .get_mut(at..end)
                .ok_or_else(outside)?
                .copy_from_slice(field);
        }
        for s in &mut segments {
            s.address += base;
        }
        Ok(LoadedImage { base, segments })
    }
}
