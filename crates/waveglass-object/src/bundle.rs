//! Offload bundles: several code objects in one file, each under the name of its target.

use crate::reader::{slice, u16_at, u32_at, u64_at};
use crate::{CodeObject, Error, Limits, Result, TargetId, compressed};
use std::borrow::Cow;
use std::ops::Range;

const MAGIC: &[u8; 24] = b"__CLANG_OFFLOAD_BUNDLE__";
const PACKAGER_MAGIC: &[u8; 4] = &[0x10, 0xff, 0x10, 0xad];
/// More entries than any toolchain writes; bounds the work on a hostile count.
const MAX_ENTRIES: u64 = 1 << 16;

/// One entry of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The identifier, for example `hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+`.
    pub id: String,
    /// The target, if the entry is for a known AMD GPU; `None` for host entries.
    pub target: Option<TargetId>,
    /// Offset in the file, or in the decompressed data.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// Whether `offset` counts in decompressed data.
    pub compressed: bool,
    storage: usize,
}

/// The entries of all bundles in a file.
#[derive(Clone, Debug)]
pub struct Bundle<'a> {
    storage: Vec<Cow<'a, [u8]>>,
    entries: Vec<Entry>,
    limits: Limits,
}

pub(crate) fn is_bundle(data: &[u8]) -> bool {
    data.starts_with(MAGIC)
        || data.starts_with(compressed::MAGIC)
        || data.starts_with(PACKAGER_MAGIC)
}

impl<'a> Bundle<'a> {
    /// Reads the bundles that follow one another in `range` of `data` with zero padding between,
    /// as a linker leaves them in `.hip_fatbin`.
    pub(crate) fn parse(data: &'a [u8], range: Range<u64>, limits: &Limits) -> Result<Self> {
        let data = slice(data, 0, range.end, "bundle section")?;
        let mut bundle = Bundle {
            storage: vec![Cow::Borrowed(data)],
            entries: Vec::new(),
            limits: *limits,
        };
        let mut decompressed = 0u64;
        let mut at = range.start;
        loop {
            let rest = slice(data, at, range.end - at, "bundle")?;
            let Some(skip) = rest.iter().position(|&b| b != 0) else {
                break;
            };
            at += skip as u64;
            let rest = &rest[skip..];
            if rest.starts_with(MAGIC) {
                at = bundle.read_plain(data, at, 0)?;
            } else if rest.starts_with(compressed::MAGIC) {
                let left = Limits {
                    decompressed: limits.decompressed - decompressed,
                    ..*limits
                };
                let (out, end) = compressed::decompress(data, at, &left)?;
                decompressed += out.len() as u64;
                if !out.starts_with(MAGIC) {
                    return Err(Error::malformed(
                        at,
                        "the compressed data is not an offload bundle",
                    ));
                }
                let storage = bundle.storage.len();
                bundle.read_plain(&out, 0, storage)?;
                bundle.storage.push(Cow::Owned(out));
                at = end;
            } else if rest.starts_with(PACKAGER_MAGIC) {
                at = bundle.read_packager(data, at)?;
            } else {
                return Err(Error::malformed(
                    at,
                    "expected an offload bundle here, found other data",
                ));
            }
        }
        Ok(bundle)
    }

    /// Reads a `__CLANG_OFFLOAD_BUNDLE__` at `at`; gives the offset where it ends. Its offsets
    /// count from its own start.
    fn read_plain(&mut self, data: &[u8], at: u64, storage: usize) -> Result<u64> {
        let count = u64_at(data, at + 24, "bundle header")?;
        if count > MAX_ENTRIES {
            return Err(Error::malformed(
                at + 24,
                format!("the bundle claims {count} entries"),
            ));
        }
        let mut header = at + 32;
        let first = self.entries.len();
        for _ in 0..count {
            let what = "bundle entry";
            let offset = u64_at(data, header, what)?;
            let size = u64_at(data, header + 8, what)?;
            let id_size = u64_at(data, header + 16, what)?;
            let id = slice(data, header + 24, id_size, "bundle entry name")?;
            let id = std::str::from_utf8(id)
                .map_err(|_| Error::malformed(header + 24, "the entry's name is not UTF-8"))?;
            let offset = at
                .checked_add(offset)
                .ok_or_else(|| Error::malformed(header, "the entry's offset overflows"))?;
            slice(data, offset, size, "bundle entry contents")?;
            self.push(id.to_owned(), offset, size, storage);
            header += 24 + id_size;
        }
        let mut ranges: Vec<_> = self.entries[first..]
            .iter()
            .filter(|e| e.size > 0)
            .map(|e| (e.offset, e.offset + e.size))
            .collect();
        ranges.sort_unstable();
        if let Some(&(start, _)) = ranges.first()
            && start < header
        {
            return Err(Error::malformed(
                start,
                "an entry overlaps the bundle's header",
            ));
        }
        if let Some(w) = ranges.windows(2).find(|w| w[1].0 < w[0].1 && w[0] != w[1]) {
            return Err(Error::malformed(
                w[1].0,
                "two entries of the bundle overlap",
            ));
        }
        Ok(ranges
            .iter()
            .map(|r| r.1)
            .max()
            .unwrap_or(header)
            .max(header))
    }

    /// Reads a binary of clang-offload-packager (LLVM's `OffloadBinary`, version 1).
    fn read_packager(&mut self, data: &[u8], at: u64) -> Result<u64> {
        let what = "offload binary header";
        let version = u32_at(data, at + 4, what)?;
        if version != 1 {
            return Err(Error::Unsupported {
                offset: at + 4,
                what: format!("offload binary version {version}"),
                advice: "extract the image with clang-offload-packager",
            });
        }
        let size = u64_at(data, at + 8, what)?;
        let entry = u64_at(data, at + 16, what)?;
        if size < 32 {
            return Err(Error::malformed(
                at + 8,
                "the offload binary is smaller than its header",
            ));
        }
        let body = slice(data, at, size, "offload binary")?;
        let field = |i: u64| {
            u64_at(body, entry.saturating_add(i), "offload binary entry")
                .map_err(|e| relocate(e, at))
        };
        u16_at(body, entry, "offload binary entry").map_err(|e| relocate(e, at))?;
        let (strings, count, offset, len) = (field(8)?, field(16)?, field(24)?, field(32)?);
        if count > MAX_ENTRIES {
            return Err(Error::malformed(
                at,
                format!("the offload binary claims {count} strings"),
            ));
        }
        slice(body, offset, len, "offload binary image").map_err(|e| relocate(e, at))?;
        let text = |position: u64| -> Result<&str> {
            let from = usize::try_from(position).ok().and_then(|p| body.get(p..));
            from.and_then(|b| b.get(..b.iter().take(4096).position(|&c| c == 0)?))
                .and_then(|b| std::str::from_utf8(b).ok())
                .ok_or_else(|| {
                    Error::malformed(at.saturating_add(position), "bad string in offload binary")
                })
        };
        let (mut triple, mut arch) = ("", "");
        for i in 0..count {
            let record = strings.saturating_add(i * 16);
            let pair = |i: u64| {
                u64_at(body, record.saturating_add(i), "offload binary string")
                    .map_err(|e| relocate(e, at))
            };
            match text(pair(0)?)? {
                "triple" => triple = text(pair(8)?)?,
                "arch" => arch = text(pair(8)?)?,
                _ => {}
            }
        }
        self.push(format!("{triple}--{arch}"), at + offset, len, 0);
        Ok(at + size)
    }

    fn push(&mut self, id: String, offset: u64, size: u64, storage: usize) {
        // The target ID follows the triple; its own dashes are only those of generic names.
        let target = id
            .contains("amdgcn")
            .then(|| id.find("gfx").and_then(|i| TargetId::from_name(&id[i..])))
            .flatten();
        self.entries.push(Entry {
            id,
            target,
            offset,
            size,
            compressed: storage != 0,
            storage,
        });
    }

    /// The entries, in file order, of all bundles that the file holds.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The contents of an entry of this bundle.
    pub fn data(&self, entry: &Entry) -> &[u8] {
        let storage = self.storage.get(entry.storage).map_or(&[][..], |s| s);
        slice(storage, entry.offset, entry.size, "bundle entry").unwrap_or(&[])
    }

    /// The entries for a gfx name, or for a target ID (`gfx90a:xnack+`) all of whose named
    /// features the entry shares or leaves open.
    pub fn find<'b>(&'b self, target: &str) -> impl Iterator<Item = &'b Entry> + use<'b, 'a> {
        use crate::Feature::Any;
        let wanted = TargetId::from_name(target);
        self.entries
            .iter()
            .filter(move |e| match (&e.target, &wanted) {
                (Some(t), Some(w)) => {
                    let fits = |a, b| a == Any || b == Any || a == b;
                    t.gfx == w.gfx && fits(t.xnack, w.xnack) && fits(t.sramecc, w.sramecc)
                }
                _ => false,
            })
    }

    /// The code objects for `target`, in file order: one for each bundle of a program that was
    /// linked from several sources.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTarget`] with the choices, or what is wrong with a code object.
    pub fn code_objects(&self, target: &str) -> Result<Vec<CodeObject>> {
        let objects: Vec<_> = self
            .find(target)
            .filter(|e| e.size > 0)
            .map(|e| CodeObject::parse_with(self.data(e), &self.limits))
            .collect::<Result<_>>()?;
        if objects.is_empty() {
            return Err(Error::NoSuchTarget {
                wanted: target.to_owned(),
                available: self.targets(),
            });
        }
        Ok(objects)
    }

    /// The targets that it has code for, as target IDs; entries of other kinds by their names.
    pub(crate) fn targets(&self) -> Vec<String> {
        self.entries
            .iter()
            .filter(|e| e.size > 0)
            .map(|e| e.target.as_ref().map_or(e.id.clone(), ToString::to_string))
            .collect()
    }
}

/// An error inside a binary that starts at `base`, counted from the start of the file.
fn relocate(error: Error, base: u64) -> Error {
    match error {
        Error::Truncated {
            offset,
            what,
            needed,
            len,
        } => Error::Truncated {
            offset: offset.saturating_add(base),
            what,
            needed,
            len: len + base,
        },
        other => other,
    }
}
