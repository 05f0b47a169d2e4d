//! Linking: from assembled sections to a loadable code object, laid out as LLVM's linker does.
//!
//! The order of sections, the alignment of segments and the sizes of the dynamic tables are
//! lld's, so that distances between code and data, which the code holds, come out the same.

mod layout;
mod tables;
mod writer;

use std::collections::{BTreeMap, HashMap};

/// What is linked.
#[derive(Clone, Debug, Default)]
pub struct LinkInput<'a> {
    /// `e_flags`: the machine and its features.
    pub flags: u32,
    /// The ABI version in the ELF identification: 2 for code objects of version 4, 3 for 5, 4 for 6.
    pub abi_version: u8,
    /// The sections.
    pub sections: Vec<LinkSection<'a>>,
    /// The symbols.
    pub symbols: Vec<LinkSymbol<'a>>,
    /// The metadata as MessagePack.
    pub metadata: Option<&'a [u8]>,
}

/// A section.
#[derive(Clone, Debug, Default)]
pub struct LinkSection<'a> {
    /// The name; `.text.kernel` becomes a part of `.text`.
    pub name: &'a str,
    /// ELF section flags.
    pub flags: u64,
    /// ELF section type.
    pub kind: u32,
    /// The alignment in bytes.
    pub align: u64,
    /// The contents, empty for `SHT_NOBITS`.
    pub data: &'a [u8],
    /// The size in bytes.
    pub size: u64,
    /// What is filled in.
    pub relocations: Vec<LinkRelocation>,
}

/// A place that depends on addresses.
#[derive(Clone, Copy, Debug)]
pub struct LinkRelocation {
    /// The place in the section.
    pub offset: u64,
    /// `R_AMDGPU_*` (AMDGPUUsage, "Relocation Records").
    pub kind: u32,
    /// The symbol, by its position.
    pub symbol: usize,
    /// What is added.
    pub addend: i64,
}

/// A symbol.
#[derive(Clone, Copy, Debug)]
pub struct LinkSymbol<'a> {
    /// The name; empty for the start of a section.
    pub name: &'a str,
    /// The section that it lies in.
    pub place: LinkPlace,
    /// The offset in the section, or the number.
    pub value: u64,
    /// The size in bytes.
    pub size: u64,
    /// ELF symbol type.
    pub kind: u8,
    /// ELF binding.
    pub binding: u8,
    /// ELF visibility.
    pub visibility: u8,
}

/// Where a symbol lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkPlace {
    /// Nowhere.
    Undefined,
    /// It is a number.
    Absolute,
    /// In a section, by its position.
    Section(usize),
}

/// Why the sections do not make a code object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// A symbol that code or data ask for is not defined.
    #[error("undefined symbol: {0}")]
    Undefined(String),
    /// A distance does not fit its place.
    #[error("the distance to {symbol} does not fit the relocation at {section}+{offset:#x}")]
    Range {
        /// What is too far away.
        symbol: String,
        /// The section of the place.
        section: String,
        /// The place.
        offset: u64,
    },
    /// A relocation that is not known, or whose place lies outside its section.
    #[error("malformed relocation at {section}+{offset:#x}")]
    Malformed {
        /// The section.
        section: String,
        /// The place.
        offset: u64,
    },
    /// Sections with contents that do not go into a code object.
    #[error("section {0} cannot be placed in a code object: {1}")]
    Section(String, &'static str),
    /// More sections than an ELF header counts without the escape of `SHN_XINDEX`.
    #[error("{0} sections: a code object has at most 65,279")]
    Count(usize),
}

/// `R_AMDGPU_*`.
mod relocation {
    pub(super) const ABS32_LO: u32 = 1;
    pub(super) const ABS32_HI: u32 = 2;
    pub(super) const ABS64: u32 = 3;
    pub(super) const REL32: u32 = 4;
    pub(super) const REL64: u32 = 5;
    pub(super) const ABS32: u32 = 6;
    pub(super) const GOTPCREL: u32 = 7;
    pub(super) const GOTPCREL32_LO: u32 = 8;
    pub(super) const GOTPCREL32_HI: u32 = 9;
    pub(super) const REL32_LO: u32 = 10;
    pub(super) const REL32_HI: u32 = 11;
    pub(super) const RELATIVE64: u32 = 13;
    pub(super) const REL16: u32 = 14;
}

const ALLOC: u64 = 2;
const WRITE: u64 = 1;
const EXECINSTR: u64 = 4;
const NOBITS: u32 = 8;
const PAGE: u64 = 4096;

/// An output section: the input sections that go into it, each with its offset there.
struct Output {
    name: String,
    flags: u64,
    kind: u32,
    align: u64,
    parts: Vec<(usize, u64)>,
    size: u64,
}

/// The name of the output section that an input section goes into.
fn output_name(name: &str) -> &str {
    const PREFIXES: [&str; 6] = [
        ".data.rel.ro",
        ".text",
        ".rodata",
        ".data",
        ".bss",
        ".comment",
    ];
    PREFIXES
        .into_iter()
        .find(|p| {
            name.strip_prefix(p)
                .is_some_and(|r| r.is_empty() || r.starts_with('.'))
        })
        .unwrap_or(name)
}

/// Where sections stand among each other: read-only, code, read-only after relocation, data,
/// zeros, then what is not loaded.
fn rank(o: &Output) -> u32 {
    if o.flags & ALLOC == 0 {
        return 6;
    }
    match (o.flags & WRITE != 0, o.flags & EXECINSTR != 0) {
        (false, false) if o.kind == 7 => 0,
        (false, false) => 1,
        (_, true) => 2,
        (true, false) if o.name == ".data.rel.ro" => 3,
        (true, false) if o.kind == NOBITS => 5,
        (true, false) => 4,
    }
}

/// A dynamic relocation.
struct Dynamic {
    place: Place,
    kind: u32,
    /// The symbol whose address is wanted.
    target: usize,
    /// The loader looks the symbol up.
    by_name: bool,
    addend: i64,
}

#[derive(Clone, Copy)]
enum Place {
    Section(usize, u64),
    Got(u64),
}

/// Links sections to a shared object.
///
/// # Errors
///
/// [`LinkError`].
pub fn link(input: &LinkInput<'_>) -> Result<Vec<u8>, LinkError> {
    Linker::new(input)?.run()
}

struct Linker<'a, 'b> {
    input: &'a LinkInput<'b>,
    outputs: Vec<Output>,
    /// The output section and offset of each input section.
    places: Vec<Option<(usize, u64)>>,
    /// Symbols with an entry in the global offset table.
    got: BTreeMap<usize, u64>,
    dynamic: Vec<Dynamic>,
}

impl<'a, 'b> Linker<'a, 'b> {
    fn new(input: &'a LinkInput<'b>) -> Result<Self, LinkError> {
        let mut outputs: Vec<Output> = Vec::new();
        let mut by_name: HashMap<&str, usize> = HashMap::new();
        let mut places: Vec<Option<(usize, u64)>> = Vec::new();
        for (n, s) in input.sections.iter().enumerate() {
            // Sections without anything in them leave no trace.
            if s.size == 0 && s.flags & ALLOC == 0 || s.flags & 0x8000_0000 != 0 {
                places.push(None);
                continue;
            }
            if s.flags & WRITE != 0 && s.flags & EXECINSTR != 0 {
                return Err(LinkError::Section(
                    s.name.to_owned(),
                    "it is both writable and executable",
                ));
            }
            let name = output_name(s.name);
            let i = *by_name.entry(name).or_insert_with(|| {
                outputs.push(Output {
                    name: name.to_owned(),
                    flags: 0,
                    kind: s.kind,
                    align: 1,
                    parts: Vec::new(),
                    size: 0,
                });
                outputs.len() - 1
            });
            let o = &mut outputs[i];
            if o.kind == NOBITS && s.kind != NOBITS {
                o.kind = s.kind;
            }
            o.flags |= s.flags & (ALLOC | WRITE | EXECINSTR | 0x30);
            o.align = o.align.max(s.align.max(1));
            let at = o.size.next_multiple_of(s.align.max(1));
            o.parts.push((n, at));
            o.size = at + s.size;
            places.push(Some((i, at)));
        }
        // Empty sections that nothing names are dropped as well.
        let mut used: Vec<bool> = outputs.iter().map(|o| o.size > 0).collect();
        for s in &input.symbols {
            if let LinkPlace::Section(n) = s.place
                && let Some((i, _)) = places.get(n).copied().flatten()
            {
                used[i] = true;
            }
        }
        let mut order: Vec<usize> = (0..outputs.len()).filter(|i| used[*i]).collect();
        order.sort_by_key(|&i| rank(&outputs[i]));
        let mut renumber = vec![None; outputs.len()];
        let mut sorted = Vec::new();
        let mut old: Vec<Option<Output>> = outputs.into_iter().map(Some).collect();
        for i in order {
            renumber[i] = Some(sorted.len());
            sorted.extend(old[i].take());
        }
        for p in &mut places {
            *p = p.and_then(|(i, at)| Some((renumber[i]?, at)));
        }
        Ok(Self {
            input,
            outputs: sorted,
            places,
            got: BTreeMap::new(),
            dynamic: Vec::new(),
        })
    }

    /// Whether another object may define the symbol instead.
    fn preemptible(&self, symbol: usize) -> bool {
        let s = &self.input.symbols[symbol];
        s.binding != 0 && s.visibility == 0
    }

    fn run(mut self) -> Result<Vec<u8>, LinkError> {
        self.scan()?;
        writer::Writer::new(&self).write()
    }

    /// Finds what the dynamic tables have to hold before anything has its address.
    fn scan(&mut self) -> Result<(), LinkError> {
        use relocation::*;
        for (n, s) in self.input.sections.iter().enumerate() {
            if self.places[n].is_none() {
                continue;
            }
            let loaded = s.flags & ALLOC != 0;
            for r in &s.relocations {
                let bad = || LinkError::Malformed {
                    section: s.name.to_owned(),
                    offset: r.offset,
                };
                let symbol = self.input.symbols.get(r.symbol).ok_or_else(bad)?;
                let size = match r.kind {
                    ABS64 | REL64 => 8,
                    REL16 => 2,
                    1..=11 => 4,
                    _ => return Err(bad()),
                };
                if r.offset
                    .checked_add(size)
                    .is_none_or(|end| end > s.data.len() as u64)
                {
                    return Err(bad());
                }
                let undefined = symbol.place == LinkPlace::Undefined;
                if undefined && symbol.binding != 2 {
                    return Err(LinkError::Undefined(symbol.name.to_owned()));
                }
                match r.kind {
                    GOTPCREL | GOTPCREL32_LO | GOTPCREL32_HI
                        if !self.got.contains_key(&r.symbol) =>
                    {
                        let at = 8 * self.got.len() as u64;
                        self.got.insert(r.symbol, at);
                        self.add_dynamic(Place::Got(at), r.symbol, 0);
                    }
                    ABS64 if loaded => {
                        self.add_dynamic(Place::Section(n, r.offset), r.symbol, r.addend);
                    }
                    ABS32 | ABS32_LO | ABS32_HI
                        if loaded && symbol.place != LinkPlace::Absolute && !undefined =>
                    {
                        return Err(LinkError::Section(
                            s.name.to_owned(),
                            "it holds a 32-bit absolute address, which no loader fills in",
                        ));
                    }
                    _ => {}
                }
            }
        }
        // Those that need no symbol come first.
        self.dynamic.sort_by_key(|d| d.by_name);
        Ok(())
    }

    fn add_dynamic(&mut self, place: Place, symbol: usize, addend: i64) {
        let s = &self.input.symbols[symbol];
        if self.preemptible(symbol) {
            self.dynamic.push(Dynamic {
                place,
                kind: relocation::ABS64,
                target: symbol,
                by_name: true,
                addend,
            });
        } else if matches!(s.place, LinkPlace::Section(_)) {
            self.dynamic.push(Dynamic {
                place,
                kind: relocation::RELATIVE64,
                target: symbol,
                by_name: false,
                addend,
            });
        }
    }
}
