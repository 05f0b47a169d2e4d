//! Addresses, contents and headers.

use super::tables::{Strings, bucket_count, gnu_hash, gnu_hash_table, sysv_hash_table};
use super::{
    ALLOC, EXECINSTR, LinkError, LinkPlace, LinkRelocation, Linker, NOBITS, Place, relocation,
};
use std::collections::HashMap;

/// A section as it is written.
pub(super) struct Part {
    pub(super) name: String,
    pub(super) kind: u32,
    pub(super) flags: u64,
    pub(super) align: u64,
    pub(super) entry: u64,
    pub(super) link: u32,
    pub(super) info: u32,
    pub(super) content: Content,
    pub(super) size: u64,
    pub(super) address: u64,
    pub(super) offset: u64,
}

/// Where a section's bytes come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Note,
    DynSym,
    GnuHash,
    Hash,
    DynStr,
    Rela,
    /// An output section of the linker.
    Output(usize),
    Dynamic,
    Got,
    RelroPadding,
    SymTab,
    ShStrTab,
    StrTab,
}

/// Type, flags, alignment and entry size.
pub(super) type Header = (u32, u64, u64, u64);

pub(super) struct Writer<'l, 'a, 'b> {
    pub(super) l: &'l Linker<'a, 'b>,
    pub(super) parts: Vec<Part>,
    /// The position in `parts` of each output section.
    pub(super) output_parts: Vec<usize>,
    pub(super) got: Option<usize>,
    /// Dynamic symbols in their order.
    pub(super) dynsyms: Vec<usize>,
    pub(super) segments: Vec<Segment>,
}

pub(super) struct Segment {
    pub(super) kind: u32,
    pub(super) flags: u32,
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) align: u64,
}

pub(super) fn note(metadata: &[u8]) -> Vec<u8> {
    const NT_AMDGPU_METADATA: u32 = 32;
    let mut out = Vec::new();
    for v in [7, metadata.len() as u32, NT_AMDGPU_METADATA] {
        out.extend_from_slice(&v.to_le_bytes());
    }
    out.extend_from_slice(b"AMDGPU\0\0");
    out.extend_from_slice(metadata);
    out.resize(out.len().next_multiple_of(4), 0);
    out
}

impl<'l, 'a, 'b> Writer<'l, 'a, 'b> {
    pub(super) fn new(l: &'l Linker<'a, 'b>) -> Self {
        let mut dynsyms: Vec<usize> = l
            .input
            .symbols
            .iter()
            .enumerate()
            .filter(|(_, s)| s.binding != 0 && matches!(s.visibility, 0 | 3) && !s.name.is_empty())
            .map(|(n, _)| n)
            .collect();
        let defined = |n: &usize| l.input.symbols[*n].place != LinkPlace::Undefined;
        // Undefined ones stand first, outside the hash table.
        let buckets = bucket_count(dynsyms.iter().filter(|n| defined(n)).count());
        dynsyms.sort_by_key(|n| match defined(n) {
            false => (0, 0),
            true => (1, gnu_hash(l.input.symbols[*n].name) % buckets),
        });
        Self {
            l,
            parts: Vec::new(),
            output_parts: Vec::new(),
            got: None,
            dynsyms,
            segments: Vec::new(),
        }
    }

    pub(super) fn names(&self) -> Vec<&'a str>
    where
        'b: 'a,
    {
        let mut v = vec![""];
        v.extend(self.dynsyms.iter().map(|n| self.l.input.symbols[*n].name));
        v
    }

    pub(super) fn undefined_count(&self) -> usize {
        self.dynsyms
            .iter()
            .filter(|n| self.l.input.symbols[**n].place == LinkPlace::Undefined)
            .count()
    }

    pub(super) fn write(mut self) -> Result<Vec<u8>, LinkError> {
        self.plan();
        if self.parts.len() >= 0xff00 {
            return Err(LinkError::Count(self.parts.len()));
        }
        self.place()?;
        self.emit()
    }

    pub(super) fn part(&mut self, name: &str, header: Header, content: Content, size: u64) {
        self.parts.push(Part {
            name: name.to_owned(),
            kind: header.0,
            flags: header.1,
            align: header.2,
            entry: header.3,
            link: 0,
            info: 0,
            content,
            size,
            address: 0,
            offset: 0,
        });
    }

    fn address_of(&self, symbol: usize) -> u64 {
        let s = &self.l.input.symbols[symbol];
        match s.place {
            LinkPlace::Undefined => 0,
            LinkPlace::Absolute => s.value,
            LinkPlace::Section(n) => self.section_address(n).wrapping_add(s.value),
        }
    }

    fn section_address(&self, section: usize) -> u64 {
        match self.l.places.get(section).copied().flatten() {
            Some((output, at)) => self.output_part(output).map_or(0, |p| p.address) + at,
            None => 0,
        }
    }

    fn output_part(&self, output: usize) -> Option<&Part> {
        self.parts.get(*self.output_parts.get(output)?)
    }

    fn got_address(&self) -> u64 {
        self.got.map_or(0, |n| self.parts[n].address)
    }

    /// The number of the section that a symbol lies in, as symbol tables have it.
    fn section_index(&self, symbol: usize) -> u16 {
        let s = &self.l.input.symbols[symbol];
        match s.place {
            LinkPlace::Undefined => 0,
            LinkPlace::Absolute => 0xfff1,
            LinkPlace::Section(n) => self
                .l
                .places
                .get(n)
                .copied()
                .flatten()
                .and_then(|(o, _)| self.output_parts.get(o))
                .map_or(0, |n| *n as u16),
        }
    }

    fn symbol_entry(&self, n: usize, name: u32) -> [u8; 24] {
        let s = &self.l.input.symbols[n];
        let mut e = [0; 24];
        e[..4].copy_from_slice(&name.to_le_bytes());
        e[4] = s.binding << 4 | s.kind & 15;
        e[5] = s.visibility & 3;
        e[6..8].copy_from_slice(&self.section_index(n).to_le_bytes());
        e[8..16].copy_from_slice(&self.address_of(n).to_le_bytes());
        e[16..].copy_from_slice(&s.size.to_le_bytes());
        e
    }

    /// The bytes of a section.
    fn content(&self, p: &Part) -> Result<Vec<u8>, LinkError> {
        Ok(match p.content {
            Content::Note => self.l.input.metadata.map(note).unwrap_or_default(),
            Content::DynSym => {
                let mut strings = Strings::new();
                let mut out = vec![0; 24];
                for &n in &self.dynsyms {
                    let name = strings.add(self.l.input.symbols[n].name);
                    out.extend_from_slice(&self.symbol_entry(n, name));
                }
                out
            }
            Content::GnuHash => {
                let first = 1 + self.undefined_count();
                gnu_hash_table(&self.names()[first..], first as u32)
            }
            Content::Hash => sysv_hash_table(&self.names()),
            Content::DynStr => {
                let mut strings = Strings::new();
                for n in self.names() {
                    strings.add(n);
                }
                strings.bytes
            }
            Content::Rela => self.rela(),
            Content::Output(i) => self.output(i)?,
            Content::Dynamic => self.dynamic(),
            Content::Got => {
                let mut out = vec![0; p.size as usize];
                for (&symbol, &at) in &self.l.got {
                    // What the loader fills in is zero here; numbers stand as they are.
                    if self.l.input.symbols[symbol].place == LinkPlace::Absolute {
                        let at = at as usize;
                        out[at..at + 8].copy_from_slice(&self.address_of(symbol).to_le_bytes());
                    }
                }
                out
            }
            Content::RelroPadding | Content::SymTab | Content::ShStrTab | Content::StrTab => {
                Vec::new()
            }
        })
    }

    fn rela(&self) -> Vec<u8> {
        let numbers: HashMap<usize, usize> = self
            .dynsyms
            .iter()
            .enumerate()
            .map(|(n, s)| (*s, n))
            .collect();
        let mut out = Vec::new();
        for d in &self.l.dynamic {
            let place = match d.place {
                Place::Section(n, at) => self.section_address(n) + at,
                Place::Got(at) => self.got_address() + at,
            };
            let symbol = match d.by_name {
                true => numbers.get(&d.target).map_or(0, |n| *n as u64 + 1),
                false => 0,
            };
            let addend = match d.by_name {
                true => d.addend,
                false => (self.address_of(d.target) as i64).wrapping_add(d.addend),
            };
            out.extend_from_slice(&place.to_le_bytes());
            out.extend_from_slice(&(symbol << 32 | d.kind as u64).to_le_bytes());
            out.extend_from_slice(&addend.to_le_bytes());
        }
        out
    }

    fn dynamic(&self) -> Vec<u8> {
        let part = |c: Content| self.parts.iter().skip(1).find(|p| p.content == c);
        let address = |c| part(c).map_or(0, |p| p.address);
        let mut list: Vec<(u64, u64)> = Vec::new();
        if let Some(rela) = part(Content::Rela) {
            let relative = self.l.dynamic.iter().filter(|d| !d.by_name).count();
            list.extend([
                (7, rela.address),
                (8, rela.size),
                (9, 24),
                (0x6fff_fff9, relative as u64),
            ]);
        }
        list.extend([
            (6, address(Content::DynSym)),
            (11, 24),
            (5, address(Content::DynStr)),
            (10, part(Content::DynStr).map_or(0, |p| p.size)),
            (0x6fff_fef5, address(Content::GnuHash)),
            (4, address(Content::Hash)),
            (0, 0),
        ]);
        list.iter()
            .flat_map(|(tag, v)| [tag.to_le_bytes(), v.to_le_bytes()].concat())
            .collect()
    }

    /// The contents of an output section with its relocations applied.
    fn output(&self, i: usize) -> Result<Vec<u8>, LinkError> {
        let o = &self.l.outputs[i];
        if o.kind == NOBITS {
            return Ok(Vec::new());
        }
        let mut out = vec![0; o.size as usize];
        if o.flags & EXECINSTR != 0 {
            // lld fills gaps in code with the trap instruction.
            for w in out.chunks_exact_mut(4) {
                w.copy_from_slice(&0xbf9f_0000u32.to_le_bytes());
            }
        }
        for &(n, at) in &o.parts {
            let s = &self.l.input.sections[n];
            let at = at as usize;
            out[at..at + s.data.len()].copy_from_slice(s.data);
            for b in &mut out[at + s.data.len()..at + s.size as usize] {
                *b = 0;
            }
            for r in &s.relocations {
                self.relocate(n, at, r, &mut out)?;
            }
        }
        Ok(out)
    }

    fn relocate(
        &self,
        section: usize,
        start: usize,
        r: &LinkRelocation,
        out: &mut [u8],
    ) -> Result<(), LinkError> {
        use relocation::*;
        let s = &self.l.input.sections[section];
        let at = start + r.offset as usize;
        let place = self.section_address(section).wrapping_add(r.offset);
        let symbol = &self.l.input.symbols[r.symbol];
        let target = self.address_of(r.symbol).wrapping_add(r.addend as u64);
        let got = || {
            let entry = self.l.got.get(&r.symbol).copied().unwrap_or(0);
            (self.got_address() + entry)
                .wrapping_add(r.addend as u64)
                .wrapping_sub(place)
        };
        let far = || LinkError::Range {
            symbol: symbol.name.to_owned(),
            section: s.name.to_owned(),
            offset: r.offset,
        };
        let relative = target.wrapping_sub(place);
        let (value, size) = match r.kind {
            ABS32_LO => (target & 0xffff_ffff, 4),
            ABS32_HI => (target >> 32, 4),
            ABS32 => (u32::try_from(target).map_err(|_| far())? as u64, 4),
            // The loader adds the address; lld leaves the place zero in loaded sections.
            ABS64 if s.flags & ALLOC != 0 => match symbol.place {
                LinkPlace::Absolute => (target, 8),
                _ => (0, 8),
            },
            ABS64 => (target, 8),
            REL64 => (relative, 8),
            REL32 => (
                i32::try_from(relative as i64).map_err(|_| far())? as u32 as u64,
                4,
            ),
            REL32_LO => (relative & 0xffff_ffff, 4),
            REL32_HI => (relative >> 32, 4),
            GOTPCREL => (
                i32::try_from(got() as i64).map_err(|_| far())? as u32 as u64,
                4,
            ),
            GOTPCREL32_LO => (got() & 0xffff_ffff, 4),
            GOTPCREL32_HI => (got() >> 32, 4),
            REL16 => {
                let dwords = (relative as i64 - 4) / 4;
                (i16::try_from(dwords).map_err(|_| far())? as u16 as u64, 2)
            }
            _ => return Ok(()),
        };
        let bytes = value.to_le_bytes();
        if let Some(place) = out.get_mut(at..at + size) {
            place.copy_from_slice(&bytes[..size]);
        }
        Ok(())
    }

    fn emit(mut self) -> Result<Vec<u8>, LinkError> {
        // Symbols: local ones first.
        let mut strings = Strings::new();
        let mut symtab = vec![0u8; 24];
        let mut locals = 1;
        for global in [false, true] {
            for (n, s) in self.l.input.symbols.iter().enumerate() {
                let is_global = s.binding != 0 && s.visibility != 2;
                if is_global != global || s.name.is_empty() {
                    continue;
                }
                let name = strings.add(s.name);
                let mut entry = self.symbol_entry(n, name);
                if !is_global {
                    entry[4] &= 15;
                    locals += 1;
                }
                symtab.extend_from_slice(&entry);
            }
        }
        let mut names = Strings::new();
        let name_offsets: Vec<u32> = self.parts.iter().map(|p| names.add(&p.name)).collect();
        let mut out = Vec::new();
        for i in 1..self.parts.len() {
            let bytes = match self.parts[i].content {
                Content::SymTab => symtab.clone(),
                Content::StrTab => strings.bytes.clone(),
                Content::ShStrTab => names.bytes.clone(),
                _ => self.content(&self.parts[i])?,
            };
            let p = &mut self.parts[i];
            if p.content == Content::SymTab {
                p.info = locals;
            }
            if p.flags & ALLOC == 0 {
                p.offset = (out.len() as u64).next_multiple_of(p.align.max(1));
                p.size = bytes.len() as u64;
            }
            if p.kind == NOBITS {
                continue;
            }
            if (out.len() as u64) < p.offset {
                out.resize(p.offset as usize, 0);
            }
            out.extend_from_slice(&bytes);
        }
        let table = (out.len() as u64).next_multiple_of(8);
        out.resize(table as usize, 0);
        for (p, name) in self.parts.iter().zip(&name_offsets) {
            out.extend_from_slice(&name.to_le_bytes());
            out.extend_from_slice(&p.kind.to_le_bytes());
            for v in [p.flags, p.address, p.offset, p.size] {
                out.extend_from_slice(&v.to_le_bytes());
            }
            out.extend_from_slice(&p.link.to_le_bytes());
            out.extend_from_slice(&p.info.to_le_bytes());
            out.extend_from_slice(&p.align.to_le_bytes());
            out.extend_from_slice(&p.entry.to_le_bytes());
        }
        self.headers(&mut out, table);
        Ok(out)
    }

    fn headers(&self, out: &mut [u8], table: u64) {
        let mut h = Vec::new();
        h.extend_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1, 64]);
        h.push(self.l.input.abi_version);
        h.resize(16, 0);
        h.extend_from_slice(&3u16.to_le_bytes());
        h.extend_from_slice(&224u16.to_le_bytes());
        h.extend_from_slice(&1u32.to_le_bytes());
        for v in [0, 64, table] {
            h.extend_from_slice(&v.to_le_bytes());
        }
        h.extend_from_slice(&self.l.input.flags.to_le_bytes());
        let names = self.parts.len() as u16 - 2;
        for v in [
            64,
            56,
            self.segments.len() as u16,
            64,
            self.parts.len() as u16,
            names,
        ] {
            h.extend_from_slice(&v.to_le_bytes());
        }
        for s in &self.segments {
            let (first, last) = (&self.parts[s.first], &self.parts[s.last]);
            let (offset, address, file, memory) = match s.kind {
                6 => {
                    let size = 56 * self.segments.len() as u64;
                    (64, 64, size, size)
                }
                0x6474_e551 => (0, 0, 0, 0),
                _ => {
                    // The first segment holds the headers.
                    let headers = s.kind == 1 && s.first == 1;
                    let (offset, address) = if headers {
                        (0, 0)
                    } else {
                        (first.offset, first.address)
                    };
                    let end = last.offset + if last.kind == NOBITS { 0 } else { last.size };
                    (
                        offset,
                        address,
                        end - offset,
                        last.address + last.size - address,
                    )
                }
            };
            h.extend_from_slice(&s.kind.to_le_bytes());
            h.extend_from_slice(&s.flags.to_le_bytes());
            for v in [offset, address, address, file, memory, s.align] {
                h.extend_from_slice(&v.to_le_bytes());
            }
        }
        let n = h.len().min(out.len());
        out[..n].copy_from_slice(&h[..n]);
    }
}
