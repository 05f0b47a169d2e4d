//! The front door: which kind of file is it?

use crate::bundle::is_bundle;
use crate::code_object::{EM_AMDGPU, elf_machine, host_sections};
use crate::{Bundle, CodeObject, Error, Result};

/// Bounds on what a file may make the reader allocate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest memory image of a code object in bytes, from lowest to highest address.
    pub image: u64,
    /// Most bytes that all compressed bundles of a file may expand to.
    pub decompressed: u64,
    /// Largest metadata note in bytes.
    pub metadata: u64,
}

impl Default for Limits {
    /// 1 GiB of image, 1 GiB decompressed, 16 MiB of metadata.
    fn default() -> Self {
        Limits {
            image: 1 << 30,
            decompressed: 1 << 30,
            metadata: 16 << 20,
        }
    }
}

/// A file with AMD GPU code in it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum File<'a> {
    /// One code object.
    CodeObject(Box<CodeObject>),
    /// Offload bundles, or a host program or object that carries them.
    Bundle(Bundle<'a>),
}

impl<'a> File<'a> {
    /// Reads a file with the default [`Limits`].
    ///
    /// ```
    /// let error = waveglass_object::File::parse(b"MZ").unwrap_err();
    /// assert!(error.to_string().starts_with("not a code object"));
    /// ```
    ///
    /// # Errors
    ///
    /// Anything that is not a code object V3 to V6 or a readable bundle.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::parse_with(data, &Limits::default())
    }

    /// Reads a file within `limits`.
    ///
    /// # Errors
    ///
    /// As [`File::parse`].
    pub fn parse_with(data: &'a [u8], limits: &Limits) -> Result<Self> {
        if is_bundle(data) {
            return Ok(File::Bundle(Bundle::parse(
                data,
                0..data.len() as u64,
                limits,
            )?));
        }
        if !data.starts_with(b"\x7fELF") {
            return Err(Error::UnknownFormat {
                start: data[..data.len().min(8)].to_vec(),
            });
        }
        if elf_machine(data)? == EM_AMDGPU {
            return Ok(File::CodeObject(Box::new(CodeObject::parse_with(
                data, limits,
            )?)));
        }
        match host_sections(data)? {
            Some(range) => Ok(File::Bundle(Bundle::parse(data, range, limits)?)),
            None => Err(Error::Unsupported {
                offset: 0x12,
                what: "a host ELF file without a .hip_fatbin or .llvm.offloading section".into(),
                advice: "give a code object, a fat binary or a HIP program",
            }),
        }
    }

    /// The code objects for `target` (a gfx name or target ID), or the only one if it is `None`.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTarget`] with the choices if none fits, [`Error::TargetNeeded`] if `target` is
    /// `None` and there are several.
    pub fn code_objects(self, target: Option<&str>) -> Result<Vec<CodeObject>> {
        match (self, target) {
            (File::Bundle(bundle), Some(target)) => bundle.code_objects(target),
            (File::Bundle(bundle), None) => {
                let targets = bundle.targets();
                match targets.as_slice() {
                    [only] => bundle.code_objects(only),
                    _ => Err(Error::TargetNeeded { available: targets }),
                }
            }
            (File::CodeObject(object), Some(target))
                if target.split(':').next() != Some(object.target().gfx) =>
            {
                Err(Error::NoSuchTarget {
                    wanted: target.into(),
                    available: vec![object.target().to_string()],
                })
            }
            (File::CodeObject(object), _) => Ok(vec![*object]),
        }
    }
}
