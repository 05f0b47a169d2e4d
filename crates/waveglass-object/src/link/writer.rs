//! Addresses, contents and headers.

use super::tables::{Strings, bucket_count, gnu_hash, gnu_hash_table, sysv_hash_table};
use super::{
    ALLOC, EXECINSTR, LinkError, LinkPlace, LinkRelocation, Linker, NOBITS, PAGE, Place, WRITE,
    relocation,
};
use std::collections::HashMap;

/// A section as it is written.
struct Part {
    name: String,
    kind: u32,
    flags: u64,
    align: u64,
    entry: u64,
    link: u32,
    info: u32,
    content: Content,
    size: u64,
    address: u64,
    offset: u64,
}

/// Where a section's bytes come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
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
type Header = (u32, u64, u64, u64);

pub(super) struct Writer<'l, 'a, 'b> {
    l: &'l Linker<'a, 'b>,
    parts: Vec<Part>,
    /// The position in `parts` of each output section.
    output_parts: Vec<usize>,
    got: Option<usize>,
    /// Dynamic symbols in their order.
    dynsyms: Vec<usize>,
    segments: Vec<Segment>,
}

struct Segment {
    kind: u32,
    flags: u32,
    first: usize,
    last: usize,
    align: u64,
}

fn note(metadata: &[u8]) -> Vec<u8> {
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

    fn names(&self) -> Vec<&'a str>
    where
        'b: 'a,
    {
        let mut v = vec![""];
        v.extend(self.dynsyms.iter().map(|n| self.l.input.symbols[*n].name));
        v
    }

    fn undefined_count(&self) -> usize {
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
        self.place();
        self.emit()
    }

    fn part(&mut self, name: &str, header: Header, content: Content, size: u64) {
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

    /// Which sections there are, in lld's order, with their sizes.
    fn plan(&mut self) {
        let names = self.names();
        let hashed = names.len() - 1 - self.undefined_count();
        let mut strings = Strings::new();
        for n in &names {
            strings.add(n);
        }
        // Null section.
        self.part("", (0, 0, 0, 0), Content::Note, 0);
        if let Some(m) = self.l.input.metadata {
            let size = note(m).len() as u64;
            self.part(".note", (7, ALLOC, 4, 0), Content::Note, size);
        }
        let gnu = gnu_hash_table(&names[names.len() - hashed..], 1).len() as u64;
        let count = names.len() as u64;
        self.part(".dynsym", (11, ALLOC, 8, 24), Content::DynSym, 24 * count);
        self.part(
            ".gnu.hash",
            (0x6fff_fff6, ALLOC, 8, 0),
            Content::GnuHash,
            gnu,
        );
        self.part(".hash", (5, ALLOC, 4, 4), Content::Hash, 8 + 8 * count);
        let len = strings.bytes.len() as u64;
        self.part(".dynstr", (3, ALLOC, 1, 0), Content::DynStr, len);
        let relocations = self.l.dynamic.len() as u64;
        if relocations > 0 {
            self.part(
                ".rela.dyn",
                (4, ALLOC, 8, 24),
                Content::Rela,
                24 * relocations,
            );
        }
        let outputs = |w: &mut Self, range: std::ops::RangeInclusive<u32>| {
            for (i, o) in w.l.outputs.iter().enumerate() {
                if range.contains(&super::rank(o)) {
                    let (name, kind, flags) = (o.name.clone(), o.kind, o.flags);
                    let (align, size) = (o.align, o.size);
                    let entry = (flags & 0x10 != 0) as u64;
                    w.part(&name, (kind, flags, align, entry), Content::Output(i), size);
                }
            }
        };
        outputs(self, 0..=1);
        outputs(self, 2..=2);
        outputs(self, 3..=3);
        let entries = if relocations > 0 { 11 } else { 7 };
        self.part(
            ".dynamic",
            (6, ALLOC | WRITE, 8, 16),
            Content::Dynamic,
            16 * entries,
        );
        if !self.l.got.is_empty() {
            let size = 8 * self.l.got.len() as u64;
            self.part(".got", (1, ALLOC | WRITE, 8, 0), Content::Got, size);
        }
        self.part(
            ".relro_padding",
            (NOBITS, ALLOC | WRITE, 1, 0),
            Content::RelroPadding,
            0,
        );
        outputs(self, 4..=5);
        outputs(self, 6..=6);
        self.part(".symtab", (2, 0, 8, 24), Content::SymTab, 0);
        self.part(".shstrtab", (3, 0, 1, 0), Content::ShStrTab, 0);
        self.part(".strtab", (3, 0, 1, 0), Content::StrTab, 0);
        self.output_parts = vec![0; self.l.outputs.len()];
        for (n, p) in self.parts.iter().enumerate().skip(1) {
            match p.content {
                Content::Output(o) => self.output_parts[o] = n,
                Content::Got => self.got = Some(n),
                _ => {}
            }
        }
        let index = |c: Content| {
            self.parts
                .iter()
                .skip(1)
                .position(|p| p.content == c)
                .map_or(0, |n| n as u32 + 1)
        };
        let (dynsym, dynstr) = (index(Content::DynSym), index(Content::DynStr));
        let strtab = index(Content::StrTab);
        for p in self.parts.iter_mut().skip(1) {
            match p.content {
                Content::DynSym => {
                    p.link = dynstr;
                    p.info = 1;
                }
                Content::GnuHash | Content::Hash | Content::Rela => p.link = dynsym,
                Content::Dynamic => p.link = dynstr,
                Content::SymTab => p.link = strtab,
                _ => {}
            }
        }
    }

    /// Addresses and file offsets; a segment for each run of sections with the same rights.
    fn place(&mut self) {
        let rights = |p: &Part| {
            let relro = matches!(
                p.content,
                Content::Dynamic | Content::Got | Content::RelroPadding
            ) || p.name == ".data.rel.ro";
            (p.flags & (WRITE | EXECINSTR), relro)
        };
        let loaded: Vec<usize> = (1..self.parts.len())
            .filter(|i| self.parts[*i].flags & ALLOC != 0)
            .collect();
        let mut loads: Vec<Segment> = Vec::new();
        for &i in &loaded {
            let fresh = match loads.last() {
                Some(s) => rights(&self.parts[s.last]) != rights(&self.parts[i]),
                None => true,
            };
            if fresh {
                let f = self.parts[i].flags;
                loads.push(Segment {
                    kind: 1,
                    flags: 4 | ((f & WRITE != 0) as u32 * 2) | (f & EXECINSTR != 0) as u32,
                    first: i,
                    last: i,
                    align: PAGE,
                });
            } else if let Some(s) = loads.last_mut() {
                s.last = i;
            }
        }
        let count = 1 + loads.len() as u64 + 3 + self.l.input.metadata.is_some() as u64;
        let mut dot = 64 + 56 * count;
        let mut offset = dot;
        for (n, s) in loads.iter().enumerate() {
            for i in s.first..=s.last {
                if n > 0 && i == s.first {
                    dot = dot.next_multiple_of(PAGE) + dot % PAGE;
                }
                let p = &mut self.parts[i];
                dot = dot.next_multiple_of(p.align.max(1));
                p.address = dot;
                // Offsets agree with addresses within a page.
                offset += (dot % PAGE + PAGE - offset % PAGE) % PAGE;
                p.offset = offset;
                if p.content == Content::RelroPadding {
                    // The rest of the page; what follows starts as if it were not there.
                    p.size = dot.next_multiple_of(PAGE) - dot;
                    continue;
                }
                dot += p.size;
                if p.kind != NOBITS {
                    offset += p.size;
                }
            }
        }
        let find = |c: Content| {
            self.parts
                .iter()
                .skip(1)
                .position(|p| p.content == c)
                .map(|n| n + 1)
        };
        let dynamic = find(Content::Dynamic).unwrap_or(0);
        let padding = find(Content::RelroPadding).unwrap_or(0);
        let first_relro = loads
            .iter()
            .find(|s| (s.first..=s.last).contains(&dynamic))
            .map_or(dynamic, |s| s.first);
        let extra = |kind, flags, first, last, align| Segment {
            kind,
            flags,
            first,
            last,
            align,
        };
        let mut all = vec![extra(6, 4, 0, 0, 8)];
        all.extend(loads);
        all.push(extra(2, 6, dynamic, dynamic, 8));
        all.push(extra(0x6474_e552, 4, first_relro, padding, 1));
        all.push(extra(0x6474_e551, 6, 0, 0, 0));
        if self.l.input.metadata.is_some() {
            all.push(extra(4, 4, 1, 1, 4));
        }
        self.segments = all;
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
        let names = self.names();
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
                gnu_hash_table(&names[first..], first as u32)
            }
            Content::Hash => sysv_hash_table(&names),
            Content::DynStr => {
                let mut strings = Strings::new();
                for n in &names {
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
