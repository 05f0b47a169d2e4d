//! The end of an assembly: symbols, places that were waiting for them, relocations.

use super::assembled::{
    Assembled, AssembledRelocation, AssembledRelocationKind, AssembledSymbol, SymbolPlace,
};
use super::assembler::{Again, Assembler, Fill, Pending, source_line};
use super::diagnostic::Diagnostics;
use super::evaluate::Base;
use super::expression::{Expr, Variant};
use super::matcher::Fixup;
use super::symbol::{Binding, Definition};
use std::collections::HashMap;
use waveglass_isa::Target;

impl Assembler<'_> {
    pub(super) fn finish(
        mut self,
        source: &[u8],
    ) -> Result<(Assembled, Option<Again>), Diagnostics> {
        let kernels = std::mem::take(&mut self.kernels);
        for k in kernels {
            self.write_descriptor(k, source);
        }
        self.write_frames();
        self.write_lines();
        // A section's name without another meaning is its start.
        for id in 0..self.symbols.list.len() {
            let s = &self.symbols.list[id];
            if s.definition == Definition::Undefined
                && let Some(&n) = std::str::from_utf8(&s.name)
                    .ok()
                    .and_then(|name| self.section_index.get(name))
            {
                self.symbols
                    .define(id as u32, Definition::Label(n as u32, 0));
                self.symbols.list[id].kind = 3;
            }
        }
        // Symbols that leave this file, in the order in which they were named.
        let mut index: Vec<Option<usize>> = vec![None; self.symbols.list.len()];
        let mut symbols = Vec::new();
        let mut sizes = Vec::new();
        for (id, s) in self.symbols.list.iter().enumerate() {
            let temporary = s.name.starts_with(b".L") || s.name.starts_with(b"\x01");
            let (place, value) = match s.definition {
                Definition::Undefined => (SymbolPlace::Undefined, 0),
                Definition::Label(section, offset) => {
                    (SymbolPlace::Section(section as usize), offset)
                }
                Definition::Variable(e) => match self.symbols.evaluate(e) {
                    Some(v) => match v.base {
                        Base::Absolute => (SymbolPlace::Absolute, v.offset as u64),
                        Base::Section(n) => (SymbolPlace::Section(n as usize), v.offset as u64),
                        Base::Undefined(_) => (SymbolPlace::Undefined, 0),
                    },
                    None => (SymbolPlace::Undefined, 0),
                },
            };
            let predefined = s.name.starts_with(b".amdgcn.");
            if temporary || predefined || s.kind == 3 {
                continue;
            }
            // A name that is only measured or only mentioned in a .set stays out.
            if place == SymbolPlace::Undefined && s.binding == Binding::Local {
                continue;
            }
            index[id] = Some(symbols.len());
            if let Some(e) = s.size {
                sizes.push((symbols.len(), e));
            }
            symbols.push(AssembledSymbol {
                name: String::from_utf8_lossy(&s.name).into_owned(),
                place,
                value,
                size: 0,
                kind: s.kind,
                binding: match s.binding {
                    Binding::Local => 0,
                    Binding::Global => 1,
                    Binding::Weak => 2,
                },
                visibility: s.visibility,
            });
        }
        for (n, e) in sizes {
            match self.symbols.constant(e) {
                Some(v) => symbols[n].size = v as u64,
                None => self.report_at(0, 1, "expected absolute expression in .size", None, &[]),
            }
        }
        let pending = std::mem::take(&mut self.pending);
        let mut starts = HashMap::new();
        for p in pending {
            if self.stop {
                break;
            }
            if let Err(message) = self.resolve(&p, &mut index, &mut symbols, &mut starts) {
                let text = source_line(source, p.line);
                self.report_at(p.line, p.column, &message, None, text);
            }
        }
        if self.symbols.is_exhausted() {
            let message = "the source's expressions take too many steps";
            self.report_at(0, 1, message, None, &[]);
        }
        if self.findings.has_errors() {
            self.findings.list.sort_by_key(|d| d.line);
            return Err(self.findings);
        }
        let assembled = Assembled {
            target: self.target,
            xnack: self.xnack,
            sramecc: self.sramecc,
            code_object_version: self.version,
            sections: self.sections,
            symbols,
            metadata: self.metadata,
            warnings: self.findings,
        };
        let again = (!self.too_near.is_empty() || self.leb_grown).then(|| {
            self.padded.append(&mut self.too_near);
            self.padded.sort_unstable();
            Again {
                padded: self.padded,
                leb_sizes: self.leb_sizes,
            }
        });
        Ok((assembled, again))
    }

    /// Fills a place, or leaves a relocation there.
    fn resolve(
        &mut self,
        p: &Pending,
        index: &mut [Option<usize>],
        symbols: &mut Vec<AssembledSymbol>,
        starts: &mut HashMap<usize, usize>,
    ) -> Result<(), String> {
        let value = self
            .symbols
            .evaluate(p.expr)
            .ok_or("expected relocatable expression")?;
        let variant = self.symbols.variant(p.expr);
        let relative = matches!(
            variant,
            Variant::Rel32Lo
                | Variant::Rel32Hi
                | Variant::Rel64
                | Variant::GotPcRel32Lo
                | Variant::GotPcRel32Hi
        );
        if let Fill::Leb(n, size, signed) = p.fill {
            return match value.base {
                Base::Absolute => {
                    self.patch_leb(p, n as usize, size, signed, value.offset);
                    Ok(())
                }
                _ => Err("expected absolute expression".to_owned()),
            };
        }
        match (value.base, p.fill) {
            (Base::Section(s), Fill::Instruction(Fixup::Branch)) if s == p.section => {
                let distance = value.offset - (p.offset as i64 + 4);
                if distance % 4 != 0 {
                    return Err("the branch's destination is not aligned to a dword".to_owned());
                }
                let dwords = distance / 4;
                let Ok(short) = i16::try_from(dwords) else {
                    return Err("branch size exceeds simm16".to_owned());
                };
                if short == 0x3f
                    && self.target == Target::Gfx1010
                    && self.padded.binary_search(&p.branch).is_err()
                {
                    self.too_near.push(p.branch);
                }
                self.patch(p, &short.to_le_bytes());
                return Ok(());
            }
            (Base::Absolute, _) if !relative => {
                return self.patch_number(p, value.offset, variant);
            }
            _ => {}
        }
        if value.base == Base::Absolute {
            return Err("expected relocatable expression".to_owned());
        }
        let kind =
            relocation_kind(p.fill, variant).ok_or("this expression is not possible here")?;
        // A symbol of the expression is kept where it leaves the file, else its section.
        let (symbol, addend) = match self.relocated_symbol(p.expr, value.offset, index) {
            Some(found) => found,
            None => match value.base {
                Base::Section(s) => (section_symbol(symbols, starts, s as usize), value.offset),
                Base::Undefined(id) => {
                    let n = *index[id as usize].get_or_insert_with(|| {
                        let s = &self.symbols.list[id as usize];
                        symbols.push(AssembledSymbol {
                            name: String::from_utf8_lossy(&s.name).into_owned(),
                            place: SymbolPlace::Undefined,
                            value: 0,
                            size: 0,
                            kind: s.kind,
                            binding: if s.binding == Binding::Weak { 2 } else { 1 },
                            visibility: s.visibility,
                        });
                        symbols.len() - 1
                    });
                    (n, value.offset)
                }
                Base::Absolute => return Err("expected relocatable expression".to_owned()),
            },
        };
        self.sections[p.section as usize]
            .relocations
            .push(AssembledRelocation {
                offset: p.offset,
                kind,
                symbol,
                addend,
            });
        Ok(())
    }

    /// The symbol that a relocation names, and what is added to it.
    fn relocated_symbol(
        &self,
        e: Expr,
        offset: i64,
        index: &[Option<usize>],
    ) -> Option<(usize, i64)> {
        let id = self.symbols.only_symbol(e)?;
        let n = index[id as usize]?;
        match self.symbols.list[id as usize].definition {
            Definition::Label(_, at) => Some((n, offset - at as i64)),
            _ => None,
        }
    }

    fn patch(&mut self, p: &Pending, bytes: &[u8]) {
        let at = p.offset as usize;
        if let Some(place) = self.sections[p.section as usize]
            .data
            .get_mut(at..at + bytes.len())
        {
            place.copy_from_slice(bytes);
        }
    }

    /// Fills a LEB128 number, or asks for another pass with room for it.
    fn patch_leb(&mut self, p: &Pending, n: usize, size: u8, signed: bool, v: i64) {
        let mut bytes = super::data::leb_bytes(v, signed);
        if bytes.len() > size as usize {
            if let Some(s) = self.leb_sizes.get_mut(n) {
                *s = bytes.len() as u8;
                self.leb_grown = true;
            }
            return;
        }
        // A number that another pass made shorter keeps its size.
        let filler = if signed && v < 0 { 0x7f } else { 0 };
        while bytes.len() < size as usize {
            if let Some(last) = bytes.last_mut() {
                *last |= 0x80;
            }
            bytes.push(filler);
        }
        self.patch(p, &bytes);
    }

    fn patch_number(&mut self, p: &Pending, v: i64, variant: Variant) -> Result<(), String> {
        let v = match variant {
            Variant::Abs32Lo => v & 0xffff_ffff,
            Variant::Abs32Hi => v >> 32 & 0xffff_ffff,
            _ => v,
        };
        let size = match p.fill {
            Fill::Data(n) => n,
            Fill::Leb(_, size, _) => size,
            Fill::Relative => 4,
            Fill::Instruction(Fixup::Branch | Fixup::Simm16) => 2,
            Fill::Instruction(Fixup::Literal) => 4,
            Fill::Instruction(Fixup::Literal64) => 8,
        };
        let bits = size as u32 * 8;
        if bits < 64 && v >> bits != 0 && v >> (bits - 1) != -1 {
            return Err("value evaluated as out of range".to_owned());
        }
        self.patch(p, &v.to_le_bytes()[..size.min(8) as usize]);
        Ok(())
    }
}

fn relocation_kind(fill: Fill, variant: Variant) -> Option<AssembledRelocationKind> {
    use AssembledRelocationKind as K;
    Some(match (fill, variant) {
        (_, Variant::Rel32Lo) => K::Rel32Lo,
        (_, Variant::Rel32Hi) => K::Rel32Hi,
        (_, Variant::GotPcRel32Lo) => K::GotPcRel32Lo,
        (_, Variant::GotPcRel32Hi) => K::GotPcRel32Hi,
        (_, Variant::Abs32Lo) => K::Abs32Lo,
        (_, Variant::Abs32Hi) => K::Abs32Hi,
        (Fill::Data(8) | Fill::Instruction(Fixup::Literal64), Variant::Rel64) => K::Rel64,
        (Fill::Data(8) | Fill::Instruction(Fixup::Literal64), Variant::None | Variant::Abs64) => {
            K::Abs64
        }
        (Fill::Data(4), Variant::None) => K::Abs32,
        (Fill::Relative, Variant::None) => K::Rel32,
        (Fill::Instruction(Fixup::Literal), Variant::None) => K::Abs32Lo,
        (Fill::Instruction(Fixup::Branch), Variant::None) => K::Rel16,
        _ => return None,
    })
}

/// The symbol that stands for a section's start.
fn section_symbol(
    symbols: &mut Vec<AssembledSymbol>,
    starts: &mut HashMap<usize, usize>,
    section: usize,
) -> usize {
    *starts.entry(section).or_insert_with(|| {
        symbols.push(AssembledSymbol {
            name: String::new(),
            place: SymbolPlace::Section(section),
            value: 0,
            size: 0,
            kind: 3,
            binding: 0,
            visibility: 0,
        });
        symbols.len() - 1
    })
}
