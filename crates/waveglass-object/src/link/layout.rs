//! Which sections there are, and where they lie.

use super::tables::{Strings, gnu_hash_table};
use super::writer::{Content, Part, Segment, Writer, note};
use super::{ALLOC, EXECINSTR, LinkError, NOBITS, PAGE, WRITE};

/// The most that padding makes of a file.
const FILE_LIMIT: u64 = 1 << 30;

impl Writer<'_, '_, '_> {
    /// Which sections there are, in lld's order, with their sizes.
    pub(super) fn plan(&mut self) {
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
    ///
    /// # Errors
    ///
    /// Alignments and sizes that make a larger file than [`FILE_LIMIT`].
    pub(super) fn place(&mut self) -> Result<(), LinkError> {
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
            if let Some(s) = loads.last_mut() {
                s.align = s.align.max(self.parts[i].align);
            }
        }
        let count = 1 + loads.len() as u64 + 3 + self.l.input.metadata.is_some() as u64;
        let mut dot = 64 + 56 * count;
        let mut offset = dot;
        for (n, s) in loads.iter().enumerate() {
            let mut start = None;
            for i in s.first..=s.last {
                if n > 0 && i == s.first {
                    dot = dot.next_multiple_of(PAGE) + dot % PAGE;
                }
                let p = &mut self.parts[i];
                let too_large = || {
                    let what = "alignments and sizes make a file of more than 1 GiB";
                    LinkError::Section(p.name.clone(), what)
                };
                dot = dot
                    .checked_next_multiple_of(p.align.max(1))
                    .filter(|d| d.checked_add(p.size).is_some_and(|end| end < 1 << 48))
                    .ok_or_else(too_large)?;
                // Offsets agree with addresses within a page, or within the largest alignment of
                // the segment; what is between two of its sections is in the file as well.
                offset = match start {
                    Some((address, at)) if p.kind != NOBITS => at + (dot - address),
                    Some(_) => offset + (dot % PAGE + PAGE - offset % PAGE) % PAGE,
                    None => offset + (dot % s.align + s.align - offset % s.align) % s.align,
                };
                if offset > FILE_LIMIT {
                    return Err(too_large());
                }
                start = start.or(Some((dot, offset)));
                p.address = dot;
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
        Ok(())
    }
}
