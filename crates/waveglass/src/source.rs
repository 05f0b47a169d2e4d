//! A code object as a source that assembles to it again.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use waveglass_asm::{
    AssembleOptions, LineAssembler, PrintOptions, assemble, descriptor_directives, metadata_yaml,
    print,
};
use waveglass_isa::{Decoder, Inst, Target};
use waveglass_object::{
    CodeObject, CodeObjectVersion, Feature, RelocationValue, SectionView, SymbolView,
};

use crate::link_code_object;
use crate::listing::branch_target;

/// Why a code object has no source.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file is no code object that can be read.
    #[error(transparent)]
    Object(#[from] waveglass_object::Error),
    /// The code is for a target that is not assembled for.
    #[error("the code is for {0}, which is none of the targets; `waveglass targets` lists them")]
    Target(String),
    /// The code object has something that a source of this kind does not express.
    #[error("no source gives this code object: {0}")]
    Inexpressible(String),
    /// What the source assembles to is not the code object.
    #[error("the source would not give this code object again: {0}")]
    Differs(String),
}

/// Sections that the linker makes.
const MADE: [&str; 9] = [
    ".note",
    ".dynsym",
    ".gnu.hash",
    ".hash",
    ".dynstr",
    ".rela.dyn",
    ".dynamic",
    ".relro_padding",
    ".got",
];

const ALLOC: u64 = 2;
const EXECINSTR: u64 = 4;
const NOBITS: u32 = 8;
const NOTE: u32 = 7;

/// Writes a code object as a source: code as instructions with labels, kernel descriptors as
/// `.amdhsa_kernel`, metadata as `.amdgpu_metadata`, other data as numbers. The source is
/// assembled and compared before it is handed out.
///
/// Distances between sections that the code holds stay numbers: sections may not be resized.
///
/// # Errors
///
/// [`SourceError`].
pub fn source_of(elf: &[u8]) -> Result<String, SourceError> {
    let object = CodeObject::parse(elf)?;
    let (sections, symbols) = CodeObject::sections(elf)?;
    let gfx = object.target().gfx.to_string();
    let target: Target = gfx.parse().map_err(|_| SourceError::Target(gfx))?;
    let wave_size = object
        .kernels()
        .first()
        .map_or(target.default_wave_size(), |k| {
            k.descriptor.wavefront_size()
        });
    let named = named(&symbols);
    let writer = || -> Result<Writer<'_>, SourceError> {
        Ok(Writer {
            out: String::new(),
            target,
            wave_size,
            xnack: match object.target().xnack {
                Feature::On => Some(true),
                Feature::Off => Some(false),
                Feature::Any | Feature::Unsupported => None,
            },
            places: places(&sections)?,
            sections: &sections,
            by_section: by_section(&named, sections.len()),
            named: &named,
            pointers: object
                .image()
                .relocations()
                .iter()
                .filter_map(|r| match r.value {
                    RelocationValue::Address(a) => Some((r.address, a)),
                    _ => None,
                })
                .collect(),
            got: entries(&object, &sections, &symbols),
            each_checked: false,
        })
    };
    // Text hardly ever leaves bits of an instruction out: what is compared as a whole needs no
    // look at each line, and where it differs, that look finds the lines.
    let text = writer()?.write(&object)?;
    if compare(&text, target, wave_size, &sections).is_ok() {
        return Ok(text);
    }
    let mut careful = writer()?;
    careful.each_checked = true;
    let text = careful.write(&object)?;
    compare(&text, target, wave_size, &sections)?;
    Ok(text)
}

/// Symbols that lie in sections, but for those that a directive makes.
fn named(symbols: &[SymbolView]) -> Vec<&SymbolView> {
    let mut out: Vec<&SymbolView> = symbols.iter().collect();
    out.retain(|s| s.section.is_some() && !s.name.is_empty() && s.kind != 3 && s.kind != 4);
    out.retain(|s| s.name != "_DYNAMIC");
    out
}

/// Numbers of symbols by section.
fn by_section(named: &[&SymbolView], sections: usize) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); sections];
    for (i, s) in named.iter().enumerate() {
        if let Some(list) = s.section.and_then(|n| out.get_mut(n)) {
            list.push(i);
        }
    }
    out
}

/// The sections that pointers may go to: start, end and number, ascending.
fn places(sections: &[SectionView]) -> Result<Vec<(u64, u64, usize)>, SourceError> {
    let mut out: Vec<(u64, u64, usize)> = Vec::new();
    for (n, s) in sections.iter().enumerate() {
        if s.flags & ALLOC == 0 || MADE.contains(&s.name.as_str()) {
            continue;
        }
        let end = s.address.checked_add(s.size);
        let after = out.last().is_none_or(|l| l.1 <= s.address);
        match end {
            Some(end) if after => out.push((s.address, end, n)),
            _ => {
                return Err(SourceError::Inexpressible(format!(
                    "{} does not lie behind the sections before it",
                    s.name
                )));
            }
        }
    }
    Ok(out)
}

/// The message of the metadata note.
fn metadata(s: &SectionView) -> Option<&[u8]> {
    let dword = |at: usize| {
        let b = s.data.get(at..at + 4)?;
        Some(u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)
    };
    let (name, size, kind) = (dword(0)?, dword(4)?, dword(8)?);
    let start = 12usize.checked_add(name.checked_next_multiple_of(4)?)?;
    (kind == 32).then(|| s.data.get(start..start.checked_add(size)?))?
}

/// The source has to give the same bytes at the same places.
fn compare(
    text: &str,
    target: Target,
    wave_size: u32,
    sections: &[SectionView],
) -> Result<(), SourceError> {
    let options = AssembleOptions {
        wave_size: Some(wave_size),
        ..AssembleOptions::default()
    };
    let assembled = assemble(text, target, &options).map_err(|d| {
        let first = d.list.first();
        SourceError::Differs(
            first.map_or_else(String::new, |d| format!("line {}: {}", d.line, d.message)),
        )
    })?;
    let elf = link_code_object(&assembled).map_err(|e| SourceError::Differs(e.to_string()))?;
    let (ours, _) = CodeObject::sections(&elf)?;
    let mut by_name: HashMap<&str, &SectionView> = HashMap::new();
    for o in &ours {
        by_name.entry(&o.name).or_insert(o);
    }
    for s in sections {
        // Hash tables depend on the order in which symbols are named.
        let contents = s.flags & ALLOC != 0 && !MADE[1..8].contains(&s.name.as_str());
        if !contents {
            continue;
        }
        match by_name.get(s.name.as_str()) {
            Some(o) if o.data == s.data && o.address == s.address && o.size == s.size => {}
            Some(o) if o.data != s.data => {
                return Err(SourceError::Differs(format!("the contents of {}", s.name)));
            }
            _ => return Err(SourceError::Differs(format!("the place of {}", s.name))),
        }
    }
    Ok(())
}

struct Writer<'a> {
    out: String,
    target: Target,
    wave_size: u32,
    xnack: Option<bool>,
    sections: &'a [SectionView],
    named: &'a [&'a SymbolView],
    /// The numbers of those by section.
    by_section: Vec<Vec<usize>>,
    /// Sections that pointers may go to: start, end and number, ascending.
    places: Vec<(u64, u64, usize)>,
    /// Addresses that the loader fills with addresses.
    pointers: BTreeMap<u64, u64>,
    /// The entries of the global offset table: their addresses and the symbols they are for.
    got: BTreeMap<u64, String>,
    /// Whether each line is assembled by itself, and stays bytes where it gives others.
    each_checked: bool,
}

/// The entries of the global offset table by their addresses.
fn entries(
    object: &CodeObject,
    sections: &[SectionView],
    symbols: &[SymbolView],
) -> BTreeMap<u64, String> {
    let Some(table) = sections.iter().find(|s| s.name == ".got") else {
        return BTreeMap::new();
    };
    let mut by_address: HashMap<u64, &str> = HashMap::new();
    for s in symbols {
        if s.section.is_some() && !s.name.is_empty() {
            by_address.entry(s.address).or_insert(&s.name);
        }
    }
    let inside = table.address..table.address.saturating_add(table.size);
    object
        .image()
        .relocations()
        .iter()
        .filter(|r| inside.contains(&r.address))
        .filter_map(|r| {
            let name = match &r.value {
                RelocationValue::Undefined(name) => name.clone(),
                RelocationValue::Address(a) => (*by_address.get(a)?).to_owned(),
                RelocationValue::Absolute(_) => return None,
            };
            Some((r.address, name))
        })
        .collect()
}

/// A name as a source has it.
fn quoted(name: &str) -> String {
    let simple = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$'))
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if simple {
        name.to_owned()
    } else {
        format!("\"{name}\"")
    }
}

impl<'a> Writer<'a> {
    fn write(mut self, object: &CodeObject) -> Result<String, SourceError> {
        self.head(object);
        self.attributes();
        let code: HashSet<(&str, u64)> = self
            .named
            .iter()
            .map(|s| (s.name.as_str(), s.address))
            .collect();
        for (n, s) in self.sections.iter().enumerate() {
            if s.flags & ALLOC != 0 && !MADE.contains(&s.name.as_str()) {
                self.section(n, s, &code)?;
            }
        }
        let note = self.sections.iter().find(|s| s.kind == NOTE);
        if let Some(message) = note.and_then(metadata) {
            let yaml = metadata_yaml(message).ok_or_else(|| {
                SourceError::Inexpressible(
                    "its metadata has values that YAML text loses".to_owned(),
                )
            })?;
            let _ = write!(
                self.out,
                "\t.amdgpu_metadata\n{yaml}\t.end_amdgpu_metadata\n"
            );
        }
        Ok(self.out)
    }

    fn head(&mut self, object: &CodeObject) {
        let version = match object.version() {
            CodeObjectVersion::V5 => 5,
            CodeObjectVersion::V6 => 6,
            _ => 4,
        };
        let _ = writeln!(
            self.out,
            "\t.amdgcn_target \"amdgcn-amd-amdhsa--{}\"",
            object.target()
        );
        let _ = writeln!(self.out, "\t.amdhsa_code_object_version {version}");
    }

    fn attributes(&mut self) {
        let mut out = String::new();
        let mut seen = BTreeSet::new();
        for s in self.named {
            if !seen.insert(&s.name) {
                continue;
            }
            let name = quoted(&s.name);
            match s.binding {
                1 => {
                    let _ = writeln!(out, "\t.globl {name}");
                }
                2 => {
                    let _ = writeln!(out, "\t.weak {name}");
                }
                _ => {}
            }
            let visibility =
                ["", ".internal", ".hidden", ".protected"][(s.visibility & 3) as usize];
            if !visibility.is_empty() {
                let _ = writeln!(out, "\t{visibility} {name}");
            }
            let kind = ["", "@object", "@function"]
                .get(s.kind as usize)
                .copied()
                .unwrap_or("");
            if !kind.is_empty() {
                let _ = writeln!(out, "\t.type {name},{kind}");
            }
            if s.size > 0 && !s.name.ends_with(".kd") {
                let _ = writeln!(out, "\t.size {name}, {}", s.size);
            }
        }
        self.out.push_str(&out);
    }

    /// `named` has every symbol with its address.
    fn section(
        &mut self,
        n: usize,
        s: &SectionView,
        named: &HashSet<(&str, u64)>,
    ) -> Result<(), SourceError> {
        let mut flags = String::new();
        for (bit, letter) in [(2, 'a'), (1, 'w'), (4, 'x')] {
            if s.flags & bit != 0 {
                flags.push(letter);
            }
        }
        let kind = match s.kind {
            NOBITS => "@nobits",
            NOTE => "@note",
            _ => "@progbits",
        };
        let _ = writeln!(self.out, "\t.section {},\"{flags}\",{kind}", s.name);
        if s.align > 1 {
            let _ = writeln!(self.out, "\t.p2align {}", s.align.trailing_zeros());
        }
        let _ = writeln!(self.out, ".Lsection{n}:");
        let mut labels: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        let mut descriptors = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for symbol in self.by_section[n].iter().map(|&i| self.named[i]) {
            if !seen.insert(&symbol.name) {
                continue;
            }
            let at = symbol.address.wrapping_sub(s.address);
            if symbol.name.ends_with(".kd")
                && symbol.size == 64
                && let Some(text) = self.descriptor(s, at, &symbol.name, named)
            {
                descriptors.insert(at, text);
                continue;
            }
            labels.entry(at).or_default().push(quoted(&symbol.name));
        }
        if s.flags & EXECINSTR != 0 {
            self.code(s, &labels);
            return Ok(());
        }
        let mut at = 0;
        while at < s.size {
            for l in labels.get(&at).into_iter().flatten() {
                let _ = writeln!(self.out, "{l}:");
            }
            if let Some(text) = descriptors.get(&at) {
                self.out.push_str(text);
                at += 64;
                continue;
            }
            let next = [
                labels.range(at + 1..).next().map(|(a, _)| *a),
                descriptors.range(at + 1..).next().map(|(a, _)| *a),
                self.pointers
                    .range(s.address + at + 1..)
                    .next()
                    .map(|(a, _)| a.wrapping_sub(s.address)),
            ]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(s.size)
            .min(s.size);
            if let Some(to) = self.pointers.get(&(s.address + at)) {
                let place = self.place(*to)?;
                let _ = writeln!(self.out, "\t.quad {place}");
                at += 8;
                continue;
            }
            if s.kind == NOBITS {
                let _ = writeln!(self.out, "\t.zero {}", next - at);
                at = next;
                continue;
            }
            let end = next.min(at + 16);
            let Some(bytes) = s.data.get(at as usize..end as usize) else {
                return Err(SourceError::Inexpressible(format!("{} is cut off", s.name)));
            };
            let list: Vec<String> = bytes.iter().map(|b| format!("{b:#04x}")).collect();
            let _ = writeln!(self.out, "\t.byte {}", list.join(", "));
            at = end;
        }
        for l in labels.range(s.size..).flat_map(|(_, l)| l) {
            let _ = writeln!(self.out, "{l}:");
        }
        Ok(())
    }

    /// An address as a place in a section.
    fn place(&self, address: u64) -> Result<String, SourceError> {
        // The end of a section is a place of it, even where the next one starts there.
        let n = self.places.partition_point(|p| p.1 < address);
        match self.places.get(n) {
            Some((start, _, n)) if *start <= address => {
                Ok(format!(".Lsection{n}+{}", address - start))
            }
            _ => Err(SourceError::Inexpressible(format!(
                "a pointer to {address:#x}, which is in no section"
            ))),
        }
    }

    /// A kernel descriptor as directives; `None` where it is data to this source.
    fn descriptor(
        &self,
        s: &SectionView,
        at: u64,
        name: &str,
        named: &HashSet<(&str, u64)>,
    ) -> Option<String> {
        let bytes: &[u8; 64] = s.data.get(at as usize..)?.first_chunk()?;
        let kernel = name.strip_suffix(".kd")?;
        let mut entry = [0; 8];
        entry.copy_from_slice(&bytes[16..24]);
        let code = (s.address + at).wrapping_add(u64::from_le_bytes(entry));
        if quoted(kernel) != kernel || !named.contains(&(kernel, code)) {
            return None;
        }
        let list = descriptor_directives(bytes, self.target, self.wave_size, self.xnack)?;
        let mut out = format!("\t.amdhsa_kernel {kernel}\n");
        for (field, value) in list {
            let _ = writeln!(out, "\t\t.amdhsa_{field} {value}");
        }
        out.push_str("\t.end_amdhsa_kernel\n");
        Some(out)
    }

    /// What stands for the literal of an addition that makes the address of an entry of the global
    /// offset table from the program counter: compilers add both halves right behind S_GETPC. The
    /// source is compared with the code object at its end, so that no guess stays.
    fn table_entry(&self, s: &SectionView, inst: &Inst, address: u64) -> Option<String> {
        let &[literal] = inst.literal_words() else {
            return None;
        };
        let (place, text) = (address + inst.size() as u64 - 4, inst.mnemonic());
        // The low half is added eight bytes before the high one, four behind S_GETPC's end.
        let (half, addend, low) = match text {
            "s_add_u32" => ("lo", 4u64, literal),
            "s_addc_u32" => ("hi", 12, 0),
            _ => return None,
        };
        let entry = match half {
            "lo" => place
                .wrapping_add(low as i32 as i64 as u64)
                .wrapping_sub(addend),
            // The high half says little by itself: the entry is that of the low half before it.
            _ => self.low_entry(s, place.wrapping_sub(8))?,
        };
        let name = self.got.get(&entry)?;
        Some(format!("{}@gotpcrel32@{half}+{addend}", quoted(name)))
    }

    /// The entry that the low half at `place` is for.
    fn low_entry(&self, s: &SectionView, place: u64) -> Option<u64> {
        let at = usize::try_from(place.checked_sub(s.address)?).ok()?;
        let low: [u8; 4] = *s.data.get(at..)?.first_chunk()?;
        let entry = place
            .wrapping_add(i32::from_le_bytes(low) as i64 as u64)
            .wrapping_sub(4);
        self.got.contains_key(&entry).then_some(entry)
    }

    fn code(&mut self, s: &SectionView, names: &BTreeMap<u64, Vec<String>>) {
        let decoder = Decoder::new(self.target).wave_size(self.wave_size);
        let mut list: Vec<(u64, Option<Inst>, usize)> = Vec::new();
        let mut starts = Vec::new();
        let mut targets = BTreeSet::new();
        let mut at = 0;
        while at < s.data.len() {
            // A name inside of what looks like an instruction starts another one.
            let limit = names
                .range(at as u64 + 1..)
                .next()
                .map_or(s.data.len(), |(a, _)| (*a as usize).min(s.data.len()));
            let inst = decoder.decode(&s.data[at..limit]).ok();
            let size = inst.map_or(4, |i| i.size()).min(limit - at);
            if let Some(to) = inst.and_then(|i| branch_target(&i, at as u64)) {
                targets.insert(to);
            }
            starts.push(at as u64);
            list.push((at as u64, inst, size));
            at += size;
        }
        let label = |at: u64| format!(".L{}_{at:x}", s.name.trim_start_matches('.'));
        let mut asm = LineAssembler::new(self.target, self.wave_size);
        let mut assembles = |i: &Inst, true16: bool, text: &mut String| {
            text.clear();
            print(i, &PrintOptions { true16 }, text);
            let dwords = i.size() / 4;
            asm.assemble(text).is_ok_and(|again| {
                again.size() == i.size() && again.words()[..dwords] == i.words()[..dwords]
            })
        };
        let mut text = String::new();
        // The names that LLVM takes on the target: halves on gfx11, from gfx12 on whole registers
        // but where there are instructions of halves alone.
        let halves = self.target.major() < 12
            || list.iter().filter_map(|(_, inst, _)| *inst).any(|i| {
                ["v_mov_b16", "v_swap_b16"].contains(&i.mnemonic())
                    || !assembles(&i, false, &mut text) && assembles(&i, true, &mut text)
            });
        if halves && self.target.major() >= 12 {
            self.out
                .push_str("\t; llvm-mc takes this with -mattr=+real-true16\n");
        }
        for (at, inst, size) in list {
            for name in names.get(&at).into_iter().flatten() {
                let _ = writeln!(self.out, "{name}:");
            }
            if targets.contains(&at) {
                let _ = writeln!(self.out, "{}:", label(at));
            }
            let bytes = &s.data[at as usize..at as usize + size];
            text.clear();
            let again = match &inst {
                Some(i) if !self.each_checked => {
                    print(i, &PrintOptions { true16: halves }, &mut text);
                    true
                }
                Some(i) => assembles(i, halves, &mut text),
                None => false,
            };
            let branch = inst
                .and_then(|i| branch_target(&i, at))
                .filter(|to| starts.binary_search(to).is_ok());
            if let Some(to) = branch {
                let cut = text.rfind(' ').map_or(text.len(), |i| i + 1);
                let _ = writeln!(self.out, "\t{}{}", &text[..cut], label(to));
                continue;
            }
            if let Some(part) = inst.and_then(|i| self.table_entry(s, &i, s.address + at)) {
                let cut = text.rfind(' ').map_or(text.len(), |i| i + 1);
                let _ = writeln!(self.out, "\t{}{part}", &text[..cut]);
                continue;
            }
            if again {
                self.out.push('\t');
                self.out.push_str(text.trim_end());
                self.out.push('\n');
                continue;
            }
            // Bits that the text does not show: the bytes as they are.
            let list: Vec<String> = bytes.iter().map(|b| format!("{b:#04x}")).collect();
            let _ = writeln!(self.out, "\t.byte {} ; {text}", list.join(", "));
        }
        for name in names.range(s.size..).flat_map(|(_, l)| l) {
            let _ = writeln!(self.out, "{name}:");
        }
        for to in targets.range(s.size..=s.size) {
            let _ = writeln!(self.out, "{}:", label(*to));
        }
    }
}
