//! Directives: sections, symbols, data, alignment.

use super::assembled::Section;
use super::assembler::Assembler;
use super::block::Lines;
use super::cursor::Cursor;
use super::diagnostic::Problem;
use super::expression;
use super::symbol::{Binding, Definition};
use std::borrow::Cow;
use waveglass_isa::Target;

/// Reads a string in quotes, with its escapes.
pub(super) fn string<'a>(c: &mut Cursor<'a>) -> Result<Cow<'a, [u8]>, Problem> {
    let at = {
        c.skip();
        c.pos
    };
    if !c.eat(b'"') {
        return Err(Problem::at(at, "expected string"));
    }
    let rest = &c.src[c.pos..];
    match memchr::memchr2(b'"', b'\\', rest) {
        None => Err(Problem::at(at, "unterminated string constant")),
        Some(n) if rest[n] == b'"' => {
            c.pos += n + 1;
            Ok(Cow::Borrowed(&rest[..n]))
        }
        Some(n) => {
            c.pos += n;
            escaped(c, at, rest[..n].to_vec()).map(Cow::Owned)
        }
    }
}

/// The rest of the string that starts at `at`, from its first escape on.
fn escaped(c: &mut Cursor<'_>, at: usize, mut out: Vec<u8>) -> Result<Vec<u8>, Problem> {
    loop {
        let b = c.at(0);
        if c.pos >= c.src.len() {
            return Err(Problem::at(at, "unterminated string constant"));
        }
        c.pos += 1;
        match b {
            b'"' => return Ok(out),
            b'\\' => {
                let e = c.at(0);
                c.pos += 1;
                match e {
                    b'n' => out.push(b'\n'),
                    b't' => out.push(b'\t'),
                    b'r' => out.push(b'\r'),
                    b'b' => out.push(8),
                    b'f' => out.push(12),
                    b'\\' | b'"' => out.push(e),
                    b'0'..=b'7' => {
                        let mut v = (e - b'0') as u32;
                        for _ in 0..2 {
                            if let d @ b'0'..=b'7' = c.at(0) {
                                v = v * 8 + (d - b'0') as u32;
                                c.pos += 1;
                            }
                        }
                        if v > 255 {
                            return Err(Problem::at(
                                c.pos,
                                "invalid octal escape sequence (out of range)",
                            ));
                        }
                        out.push(v as u8);
                    }
                    b'x' | b'X' => {
                        let (mut v, mut n) = (0u32, 0);
                        while let Some(d) = (c.at(0) as char).to_digit(16) {
                            v = (v * 16 + d) & 0xff;
                            n += 1;
                            c.pos += 1;
                        }
                        if n == 0 {
                            return Err(Problem::at(c.pos, "invalid hexadecimal escape sequence"));
                        }
                        out.push(v as u8);
                    }
                    _ => return Err(Problem::at(c.pos - 1, "invalid escape sequence")),
                }
            }
            _ => out.push(b),
        }
    }
}

/// A symbol's name, quoted or not.
fn symbol_name<'a>(c: &mut Cursor<'a>) -> Result<Cow<'a, [u8]>, Problem> {
    if c.peek() == b'"' {
        return string(c);
    }
    let at = c.pos;
    let n = c.name();
    if n.is_empty() {
        return Err(Problem::at(at, "expected identifier"));
    }
    Ok(Cow::Borrowed(n))
}

pub(super) fn end(c: &mut Cursor<'_>) -> Result<(), Problem> {
    if c.is_end() {
        Ok(())
    } else {
        Err(Problem::at(c.pos, "unexpected token"))
    }
}

impl Assembler<'_> {
    pub(super) fn directive(
        &mut self,
        name: &[u8],
        at: usize,
        c: &mut Cursor<'_>,
        block: &mut Lines<'_>,
        depth: u32,
    ) -> Result<(), Problem> {
        self.symbols.place = (self.current, self.offset());
        match name {
            b".text" => self.switch(".text", c),
            b".data" => self.switch(".data", c),
            b".bss" => self.switch(".bss", c),
            b".rodata" => self.switch(".rodata", c),
            b".section" => self.section(c, false),
            b".pushsection" => {
                self.section_stack.push((self.current, self.previous));
                self.section(c, true)
            }
            b".popsection" => match self.section_stack.pop() {
                Some((current, previous)) => {
                    self.current = current;
                    self.previous = previous;
                    end(c)
                }
                None => Err(Problem::at(
                    at,
                    ".popsection without corresponding .pushsection",
                )),
            },
            b".previous" => {
                std::mem::swap(&mut self.current, &mut self.previous);
                end(c)
            }
            b".globl" | b".global" | b".weak" | b".local" | b".hidden" | b".protected"
            | b".internal" => self.attribute(name, c),
            b".type" => self.symbol_type(c),
            b".size" => {
                let n = symbol_name(c)?;
                if !c.eat(b',') {
                    return Err(Problem::at(c.pos, "expected comma"));
                }
                let e = expression::parse(c, &mut self.symbols)?;
                end(c)?;
                let id = self.symbols.intern(&n);
                self.symbols.list[id as usize].size = Some(e);
                Ok(())
            }
            b".set" | b".equ" | b".equiv" => {
                let start = c.pos;
                let n = symbol_name(c)?;
                if !c.eat(b',') {
                    return Err(Problem::at(c.pos, "expected comma"));
                }
                self.assign(&n, start, c, name == b".equiv")
            }
            b".byte" | b".1byte" => self.data(c, 1),
            b".2byte" | b".short" | b".value" | b".hword" => self.data(c, 2),
            b".4byte" | b".long" | b".int" | b".word" => self.data(c, 4),
            b".8byte" | b".quad" => self.data(c, 8),
            b".octa" => self.octa(c),
            b".ascii" => self.text_data(c, false),
            b".asciz" | b".string" => self.text_data(c, true),
            b".float" | b".single" => self.float_data(c, 4),
            b".double" => self.float_data(c, 8),
            b".zero" | b".skip" | b".space" => self.space(c, at),
            b".fill" => self.fill(c, at),
            b".uleb128" => self.leb(c, false),
            b".sleb128" => self.leb(c, true),
            b".align" | b".balign" => self.align(c, 1, false),
            b".balignw" => self.align(c, 2, false),
            b".balignl" => self.align(c, 4, false),
            b".p2align" => self.align(c, 1, true),
            b".p2alignw" => self.align(c, 2, true),
            b".p2alignl" => self.align(c, 4, true),
            b".org" => self.org(c, at),
            b".comm" | b".lcomm" => self.common(name, c, at),
            b".amdgpu_lds" => self.lds_symbol(c),
            b".ident" => {
                let text = string(c)?;
                end(c)?;
                self.ident(&text, at)
            }
            b".file" => self.file(c),
            b".loc" => self.loc(c),
            // What serves the linker's folding of functions: no code depends on it, and code
            // objects have none.
            b".loc_mark_labels" | b".addrsig" | b".addrsig_sym" => Ok(()),
            _ if name.starts_with(b".cfi_") => self.frame_directive(name, at, c),
            b".amdgcn_target" => self.amdgcn_target(c, at),
            b".amdhsa_code_object_version" => {
                let start = c.pos;
                let v = expression::constant(c, &mut self.symbols)?;
                end(c)?;
                if !(4..=6).contains(&v) {
                    return Err(Problem::at(
                        start,
                        "unsupported code object version: 4, 5 or 6 is possible",
                    ));
                }
                self.version = v as u8;
                Ok(())
            }
            b".amdhsa_kernel" => self.kernel_start(c, at),
            b".amdgpu_metadata" => self.metadata_block(block, at),
            b".amdgcn_internal_use"
            | b".amd_amdgpu_isa"
            | b".amd_kernel_code_t"
            | b".hsa_code_object_version"
            | b".hsa_code_object_isa"
            | b".amdgpu_hsa_kernel"
            | b".amd_amdgpu_pal_metadata"
            | b".amdgpu_pal_metadata" => Err(Problem::at(
                at,
                format!(
                    "{} belongs to code objects before version 3 or to PAL, which are not made here",
                    String::from_utf8_lossy(name)
                ),
            )),
            b".include" => self.include(c, depth),
            b".incbin" => self.incbin(c),
            _ => self.block_directive(name, at, c, block, depth),
        }
    }

    fn switch(&mut self, name: &str, c: &mut Cursor<'_>) -> Result<(), Problem> {
        if !c.is_end() {
            expression::constant(c, &mut self.symbols)?;
            end(c)?;
        }
        let (flags, kind) = known_section(name);
        self.enter(name, flags, kind, 0);
        Ok(())
    }

    pub(super) fn enter(&mut self, name: &str, flags: u64, kind: u32, entry_size: u64) {
        let found = self.section_index.get(name).copied();
        let index = found.unwrap_or_else(|| {
            self.section_index
                .insert(name.to_owned(), self.sections.len());
            self.sections.push(Section {
                name: name.to_owned(),
                flags,
                kind,
                entry_size,
                align: if flags & 4 != 0 { 4 } else { 1 },
                ..Section::default()
            });
            self.sections.len() - 1
        });
        self.previous = self.current;
        self.current = index as u32;
    }

    /// `.section NAME, "FLAGS", @TYPE, SIZE`.
    fn section(&mut self, c: &mut Cursor<'_>, pushed: bool) -> Result<(), Problem> {
        let at = {
            c.skip();
            c.pos
        };
        let name = if c.at(0) == b'"' {
            string(c)?
        } else {
            let rest = &c.src[c.pos..];
            let n = rest
                .iter()
                .position(|b| matches!(b, b',' | b' ' | b'\t' | b';'))
                .unwrap_or(rest.len());
            c.pos += n;
            Cow::Borrowed(&rest[..n])
        };
        let name = std::str::from_utf8(&name)
            .ok()
            .filter(|n| !n.is_empty())
            .ok_or_else(|| Problem::at(at, "expected identifier"))?;
        let (mut flags, mut kind) = known_section(name);
        let mut entry_size = 0;
        if c.eat(b',') {
            let start = c.pos;
            let text = string(c)?;
            flags = 0;
            let mut merge = false;
            for b in &*text {
                flags |= match b {
                    b'a' => 2,
                    b'w' => 1,
                    b'x' => 4,
                    b'M' => {
                        merge = true;
                        0x10
                    }
                    b'S' => 0x20,
                    b'e' => 0x8000_0000,
                    b'o' => 0x80,
                    b'R' => 0x20_0000,
                    _ => return Err(Problem::at(start, "unknown flag")),
                };
            }
            if c.eat(b',') {
                let start = c.pos;
                if !(c.eat(b'@') || c.eat(b'%')) && c.peek() != b'"' {
                    return Err(Problem::at(
                        start,
                        "expected '@<type>', '%<type>' or \"<type>\"",
                    ));
                }
                let word = if c.peek() == b'"' {
                    string(c)?
                } else {
                    Cow::Borrowed(c.name())
                };
                kind = match &word[..] {
                    b"progbits" => 1,
                    b"nobits" => 8,
                    b"note" => 7,
                    b"init_array" => 14,
                    b"fini_array" => 15,
                    b"preinit_array" => 16,
                    _ => return Err(Problem::at(start, "unknown section type")),
                };
                if merge {
                    if !c.eat(b',') {
                        return Err(Problem::at(c.pos, "expected the entry size"));
                    }
                    entry_size = expression::constant(c, &mut self.symbols)? as u64;
                }
                if c.eat(b',') {
                    // What the section is linked to.
                    symbol_name(c)?;
                }
            }
        }
        end(c)?;
        let previous = self.previous;
        self.enter(name, flags, kind, entry_size);
        if pushed {
            self.previous = previous;
        }
        Ok(())
    }

    fn attribute(&mut self, name: &[u8], c: &mut Cursor<'_>) -> Result<(), Problem> {
        loop {
            let n = symbol_name(c)?;
            let id = self.symbols.intern(&n);
            let s = &mut self.symbols.list[id as usize];
            match name {
                b".globl" | b".global" => s.binding = Binding::Global,
                b".weak" => s.binding = Binding::Weak,
                b".local" => s.binding = Binding::Local,
                b".hidden" => s.visibility = 2,
                b".protected" => s.visibility = 3,
                _ => s.visibility = 1,
            }
            if !c.eat(b',') {
                return end(c);
            }
        }
    }

    fn symbol_type(&mut self, c: &mut Cursor<'_>) -> Result<(), Problem> {
        let n = symbol_name(c)?;
        c.eat(b',');
        let at = c.pos;
        let _ = c.eat(b'@') || c.eat(b'%') || c.eat(b'#');
        let word = if c.peek() == b'"' {
            string(c)?
        } else {
            Cow::Borrowed(c.name())
        };
        let kind = match &word[..] {
            b"function" | b"STT_FUNC" => 2,
            b"object" | b"STT_OBJECT" => 1,
            b"tls_object" | b"STT_TLS" => 6,
            b"common" | b"STT_COMMON" => 5,
            b"notype" | b"STT_NOTYPE" => 0,
            b"amdgpu_hsa_kernel" => 10,
            _ => {
                return Err(Problem::at(
                    at,
                    "unsupported attribute in '.type' directive",
                ));
            }
        };
        end(c)?;
        let id = self.symbols.intern(&n);
        self.symbols.list[id as usize].kind = kind;
        Ok(())
    }

    /// `.amdgpu_lds NAME, SIZE, ALIGN`: room in LDS. Symbols get their addresses in the order of
    /// the source, each at the next multiple of its alignment, as a linker that has one source
    /// would give them; the size that a kernel asks for is its descriptor's.
    fn lds_symbol(&mut self, c: &mut Cursor<'_>) -> Result<(), Problem> {
        let start = {
            c.skip();
            c.pos
        };
        let n = symbol_name(c)?;
        if !c.eat(b',') {
            return Err(Problem::at(c.pos, "expected comma"));
        }
        c.skip();
        let at = c.pos;
        let size = expression::constant(c, &mut self.symbols)?;
        let most = lds_bytes(self.target);
        let size = match u64::try_from(size) {
            Err(_) => return Err(Problem::at(at, "size must be non-negative")),
            Ok(v) if v > most => {
                return Err(Problem::at(at, "size is too large")
                    .help(format!("{} has {most} bytes of LDS", self.target)));
            }
            Ok(v) => v,
        };
        let mut align = 4;
        if c.eat(b',') {
            c.skip();
            let at = c.pos;
            let v = expression::constant(c, &mut self.symbols)?;
            align = u64::try_from(v)
                .ok()
                .filter(|a| a.is_power_of_two() && *a < 1 << 31)
                .ok_or_else(|| Problem::at(at, "alignment must be a power of two"))?;
        }
        end(c)?;
        let id = self.symbols.intern(&n);
        if self.symbols.list[id as usize].definition != Definition::Undefined {
            return Err(Problem::at(
                start,
                format!(
                    "symbol '{}' is already defined",
                    String::from_utf8_lossy(&n)
                ),
            ));
        }
        let place = self.lds_used.next_multiple_of(align);
        self.lds_used = place.saturating_add(size);
        if self.lds_used > most {
            return Err(Problem::at(
                start,
                format!(
                    "the LDS symbols take more than the {most} bytes of {}",
                    self.target
                ),
            ));
        }
        let value = expression::Expr::Const(place as i64);
        self.symbols.define(id, Definition::Variable(value));
        let symbol = &mut self.symbols.list[id as usize];
        symbol.kind = 1;
        symbol.fixed = true;
        symbol.size = Some(expression::Expr::Const(size as i64));
        Ok(())
    }

    /// `.comm NAME, SIZE, ALIGN`: room in .bss.
    fn common(&mut self, name: &[u8], c: &mut Cursor<'_>, at: usize) -> Result<(), Problem> {
        let n = symbol_name(c)?;
        if !c.eat(b',') {
            return Err(Problem::at(c.pos, "expected comma"));
        }
        let size = expression::constant(c, &mut self.symbols)?;
        let align = if c.eat(b',') {
            expression::constant(c, &mut self.symbols)?
        } else {
            1
        };
        end(c)?;
        let size = u64::try_from(size).map_err(|_| Problem::at(at, "invalid size"))?;
        let align = u64::try_from(align)
            .ok()
            .filter(|a| a.is_power_of_two() && *a <= 1 << 31)
            .ok_or_else(|| Problem::at(at, "alignment must be a power of 2"))?;
        let (current, previous) = (self.current, self.previous);
        self.enter(".bss", 3, 8, 0);
        let s = &mut self.sections[self.current as usize];
        s.align = s.align.max(align);
        let gap = s.size.next_multiple_of(align) - s.size;
        let id = self.symbols.intern(&n);
        let r = self
            .emit_fill(0, gap, at)
            .and_then(|()| self.define_label(id, at))
            .and_then(|()| self.emit_fill(0, size, at));
        let symbol = &mut self.symbols.list[id as usize];
        symbol.kind = 1;
        symbol.size = Some(expression::Expr::Const(size as i64));
        if name == b".comm" && symbol.binding == Binding::Local {
            symbol.binding = Binding::Global;
        }
        self.current = current;
        self.previous = previous;
        r
    }

    fn ident(&mut self, text: &[u8], at: usize) -> Result<(), Problem> {
        let (current, previous) = (self.current, self.previous);
        self.enter(".comment", 0x30, 1, 1);
        let first = self.offset() == 0;
        let mut bytes = Vec::new();
        if first {
            bytes.push(0);
        }
        bytes.extend_from_slice(text);
        bytes.push(0);
        let r = self.emit(&bytes, at);
        self.current = current;
        self.previous = previous;
        r
    }

    fn amdgcn_target(&mut self, c: &mut Cursor<'_>, at: usize) -> Result<(), Problem> {
        let text = string(c)?;
        end(c)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        // Architecture, vendor, system and environment, of which the last may be empty, stand
        // before the processor.
        let id = text.splitn(5, '-').nth(4).unwrap_or("");
        let mut parts = id.split(':');
        let gfx = parts.next().unwrap_or("");
        if gfx != self.target.name() {
            return Err(Problem::at(
                at,
                format!(
                    "the source is for {gfx}, but {} is assembled for",
                    self.target
                ),
            )
            .help(format!("name the target: --target {gfx}")));
        }
        for feature in parts {
            let (slot, there) = match feature.trim_end_matches(['+', '-']) {
                "xnack" => (&mut self.xnack, self.target.supports_xnack()),
                "sramecc" => (&mut self.sramecc, self.target.supports_sramecc()),
                _ => return Err(Problem::at(at, format!("unknown target feature {feature}"))),
            };
            if !there {
                return Err(Problem::at(at, format!("{gfx} has no setting {feature}")));
            }
            *slot = Some(feature.ends_with('+'));
        }
        self.symbols.limits.xnack = self.xnack != Some(false) && self.target.supports_xnack();
        Ok(())
    }

    /// Whether a symbol has a value.
    pub(super) fn is_defined(&self, name: &[u8]) -> bool {
        self.symbols
            .get(name)
            .is_some_and(|id| self.symbols.list[id as usize].definition != Definition::Undefined)
    }
}

/// The LDS that a workgroup may have (CDNA4 ISA 2.2.1, CDNA5 ISA 3.3.4; 64 KiB elsewhere).
fn lds_bytes(target: Target) -> u64 {
    match target {
        Target::Gfx950 => 160 << 10,
        t if t.has_gfx1250_insts() => 320 << 10,
        _ => 64 << 10,
    }
}

/// Flags and type of sections that are named without.
fn known_section(name: &str) -> (u64, u32) {
    let is = |p: &str| name == p || name.starts_with(p) && name[p.len()..].starts_with('.');
    if is(".text") {
        (6, 1)
    } else if is(".rodata") || name == ".rodata1" {
        (2, 1)
    } else if is(".bss") {
        (3, 8)
    } else if is(".data") || name == ".data1" {
        (3, 1)
    } else if name.starts_with(".note") {
        (0, 7)
    } else if is(".init_array") {
        (3, 14)
    } else if is(".fini_array") {
        (3, 15)
    } else {
        (0, 1)
    }
}
