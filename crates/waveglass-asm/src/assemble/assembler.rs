//! The walk over a source: statements, labels, emission, and what is left for the end.

use super::amdhsa::{Kernel, KernelFields};
use super::assembled::{AssembleOptions, Assembled, Section};
use super::block::{Condition, Macro};
use super::cfi::Frames;
use super::cursor::Cursor;
use super::diagnostic::{Diagnostic, Diagnostics, Problem, Severity};
use super::dwarf::Lines;
use super::expansion::Frame;
use super::expression::Expr;
use super::instruction::Reader;
use super::matcher::{Fixup, For};
use super::symbol::{Definition, SymbolId, Symbols};
use hashbrown::HashMap;
use waveglass_isa::Target;

/// What fills a place when everything is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    /// So many bytes of data.
    Data(u8),
    /// A LEB128 number of so many bytes, with a sign or without: the position among those that
    /// were not known.
    Leb(u32, u8, bool),
    /// Four bytes of data, the distance from themselves.
    Relative,
    /// A part of an instruction.
    Instruction(Fixup),
}

/// A place that an expression fills at the end.
#[derive(Clone, Copy)]
pub(super) struct Pending {
    pub(super) section: u32,
    pub(super) offset: u64,
    pub(super) fill: Fill,
    pub(super) expr: Expr,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) branch: u32,
}

/// What another pass has to know.
#[derive(Clone, Default)]
pub(super) struct Again {
    /// Branches that need an S_NOP behind them.
    pub(super) padded: Vec<u32>,
    /// Sizes of LEB128 numbers.
    pub(super) leb_sizes: Vec<u8>,
}

pub(super) struct Assembler<'a> {
    pub(super) target: Target,
    pub(super) options: &'a AssembleOptions,
    pub(super) symbols: Symbols,
    pub(super) sections: Vec<Section>,
    pub(super) section_index: HashMap<String, usize>,
    pub(super) current: u32,
    pub(super) previous: u32,
    pub(super) section_stack: Vec<(u32, u32)>,
    pub(super) macros: HashMap<Vec<u8>, Macro>,
    pub(super) conditions: Vec<Condition>,
    pub(super) expansions: u64,
    /// Bytes of text that macros and repetitions have expanded to.
    pub(super) expanded: u64,
    pub(super) kernels: Vec<Kernel>,
    pub(super) kernel: Option<KernelFields>,
    pub(super) metadata: Option<Vec<u8>>,
    pub(super) xnack: Option<bool>,
    pub(super) sramecc: Option<bool>,
    pub(super) version: u8,
    pub(super) stop: bool,
    pub(super) leave_macro: bool,
    reader: Reader,
    pub(super) pending: Vec<Pending>,
    pub(super) findings: Diagnostics,
    /// Texts that are being read in the place of a line.
    pub(super) frames: Vec<Frame>,
    pub(super) lines: Lines,
    pub(super) frames_of_code: Frames,
    /// How many bytes the LEB128 numbers take whose values were not known where they stand.
    pub(super) leb_sizes: Vec<u8>,
    pub(super) leb_count: usize,
    pub(super) leb_grown: bool,
    /// Bytes of LDS that symbols take.
    pub(super) lds_used: u64,
    pub(super) statements: u64,
    pub(super) bytes: u64,
    /// Branches of gfx1010 behind which an S_NOP stands: it does not branch by 0x3f dwords
    /// (LLVM's FeatureOffset3fBug). Those that need one are found when all is known, and the
    /// next pass puts them there.
    pub(super) padded: Vec<u32>,
    branches: u32,
    pub(super) too_near: Vec<u32>,
    pub(super) line: u32,
}

/// Allocated and executable.
const TEXT_FLAGS: u64 = 6;

/// `s_nop 0`.
const S_NOP: [u8; 4] = 0xbf80_0000u32.to_le_bytes();

impl<'a> Assembler<'a> {
    pub(super) fn new(target: Target, options: &'a AssembleOptions, again: Again) -> Self {
        let Again { padded, leb_sizes } = again;
        let wave_size = options
            .wave_size
            .unwrap_or_else(|| target.default_wave_size());
        let mut a = Self {
            target,
            options,
            symbols: Symbols::new(target, wave_size, options.limits.statements),
            sections: Vec::new(),
            section_index: HashMap::from([(".text".to_owned(), 0)]),
            current: 0,
            previous: 0,
            section_stack: Vec::new(),
            macros: HashMap::new(),
            conditions: Vec::new(),
            expansions: 0,
            expanded: 0,
            kernels: Vec::new(),
            kernel: None,
            metadata: None,
            xnack: None,
            sramecc: None,
            version: 6,
            stop: false,
            leave_macro: false,
            reader: Reader::new(For { target, wave_size }, options.limits.suggestions),
            pending: Vec::new(),
            findings: Diagnostics::default(),
            frames: Vec::new(),
            lines: Lines::default(),
            frames_of_code: Frames::default(),
            leb_sizes,
            leb_count: 0,
            leb_grown: false,
            lds_used: 0,
            statements: 0,
            bytes: 0,
            padded,
            branches: 0,
            too_near: Vec::new(),
            line: 0,
        };
        a.sections.push(Section {
            name: ".text".to_owned(),
            flags: TEXT_FLAGS,
            kind: 1,
            align: 4,
            ..Section::default()
        });
        a.predefine(wave_size);
        a
    }

    /// Symbols that LLVM defines in every source: the target's version and the registers used.
    fn predefine(&mut self, wave_size: u32) {
        let name = self.target.name();
        let digits = &name["gfx".len()..];
        let (major, rest) = digits.split_at(digits.len() - 2);
        let (minor, step) = rest.split_at(1);
        let number = |t: &str, radix| i64::from_str_radix(t, radix).unwrap_or(0);
        let values = [
            (&b".amdgcn.gfx_generation_number"[..], number(major, 10)),
            (b".amdgcn.gfx_generation_minor", number(minor, 16)),
            (b".amdgcn.gfx_generation_stepping", number(step, 16)),
            (b".amdgcn.next_free_vgpr", 0),
            (b".amdgcn.next_free_sgpr", 0),
        ];
        for (name, v) in values {
            let id = self.symbols.intern(name);
            self.symbols
                .define(id, Definition::Variable(Expr::Const(v)));
        }
        let _ = wave_size;
    }

    pub(super) fn wave_size(&self) -> u32 {
        self.reader.on.wave_size
    }

    /// Reads the whole source.
    ///
    /// The second part of the answer says what another pass needs, where one is needed.
    pub(super) fn run(mut self, source: &[u8]) -> Result<(Assembled, Option<Again>), Diagnostics> {
        self.process(source, 1, 0);
        if let Some(c) = self.conditions.last() {
            let line = c.line;
            self.report_at(line, 1, "unmatched .ifs or .elses", None, &[]);
        }
        if let Some(k) = &self.kernel {
            let line = k.line;
            self.report_at(line, 1, "expected .end_amdhsa_kernel", None, &[]);
        }
        self.finish(source)
    }

    /// Reads statements from `source`, whose first line is `first`. Inside a macro all lines
    /// count as the one that called it.
    pub(super) fn process(&mut self, source: &[u8], first: u32, depth: u32) {
        let mut at = 0;
        let mut line = first;
        // Where the next comment in `/* */` starts; most sources have none.
        let mut comment = next_comment(source, 0);
        while at < source.len() && !self.stop && !self.leave_macro {
            let rest = &source[at..];
            let mut end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let start = at;
            let mut lines = 1;
            if comment < start {
                comment = next_comment(source, start);
            }
            if comment < start + end {
                let open;
                (end, lines, open) = through_comments(rest, end);
                if open {
                    if depth == 0 {
                        self.line = line;
                    }
                    let first = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    self.fail_here(&rest[..first], "the comment has no end: `*/` is missing");
                    self.stop = true;
                    return;
                }
            }
            let text = &source[start..start + end];
            at = start + end + 1;
            match self.frames.last_mut() {
                Some(f) if depth > 0 => f.line = line,
                _ => self.line = line,
            }
            self.symbols.line = self.line;
            line += lines;
            self.statements += 1;
            if self.statements > self.options.limits.statements {
                self.fail_here(text, "the source has too many statements");
                self.stop = true;
                return;
            }
            if is_blank(text) {
                continue;
            }
            // Blocks read on from `at`.
            let mut block = super::block::Lines { source, at, line };
            if let Err(p) = self.statement(text, &mut block, depth) {
                self.report(text, p);
            }
            at = block.at;
            line = block.line;
        }
    }

    fn statement(
        &mut self,
        text: &[u8],
        block: &mut super::block::Lines<'_>,
        depth: u32,
    ) -> Result<(), Problem> {
        let mut c = Cursor::new(text);
        if self.conditions.last().is_some_and(|c| !c.active) {
            return self.skipped(&mut c);
        }
        loop {
            let b = c.peek();
            if b == 0 || b == b'#' {
                return Ok(());
            }
            if self.kernel.is_some() {
                return self.kernel_field(&mut c);
            }
            let start = c.pos;
            let name = c.peek_name();
            if name.is_empty() {
                if b.is_ascii_digit() {
                    let digits = text[start..]
                        .iter()
                        .take_while(|b| b.is_ascii_digit())
                        .count();
                    if text.get(start + digits) == Some(&b':') {
                        let n = std::str::from_utf8(&text[start..start + digits])
                            .ok()
                            .and_then(|n| n.parse().ok())
                            .ok_or_else(|| Problem::at(start, "invalid local label"))?;
                        let id = self.symbols.local_define(n);
                        self.define_label(id, start)?;
                        c.pos = start + digits + 1;
                        continue;
                    }
                }
                if b == b'"' {
                    return self.quoted_label(&mut c);
                }
                return Err(Problem::at(start, "unexpected token at start of statement"));
            }
            let after = text.get(start + name.len()).copied().unwrap_or(0);
            if after == b':' && text.get(start + name.len() + 1) != Some(&b':') {
                let id = self.symbols.intern(name);
                self.define_label(id, start)?;
                c.pos = start + name.len() + 1;
                continue;
            }
            if name[0] == b'.' || !self.macros.is_empty() {
                if let Some(m) = self.macros.get(name) {
                    let m = m.clone();
                    c.pos += name.len();
                    return self.expand(&m, &mut c, depth);
                }
                if name[0] == b'.' {
                    c.pos += name.len();
                    if c.peek() == b'=' && c.at(1) != b'=' {
                        c.pos += 1;
                        return self.assign(name, start, &mut c, false);
                    }
                    return self.directive(name, start, &mut c, block, depth);
                }
            }
            if matches!(after, b' ' | b'\t' | b'=') {
                let mut ahead = c;
                ahead.pos += name.len();
                if ahead.peek() == b'=' && ahead.at(1) != b'=' {
                    ahead.pos += 1;
                    return self.assign(name, start, &mut ahead, false);
                }
            }
            return self.instruction(name, &mut c);
        }
    }

    fn quoted_label(&mut self, c: &mut Cursor<'_>) -> Result<(), Problem> {
        let start = c.pos;
        let name = super::directive::string(c)?;
        if !c.eat(b':') {
            return Err(Problem::at(start, "unexpected token at start of statement"));
        }
        let id = self.symbols.intern(&name);
        self.define_label(id, start)
    }

    #[inline]
    fn instruction(&mut self, name: &[u8], c: &mut Cursor<'_>) -> Result<(), Problem> {
        let start = c.pos;
        self.symbols.place = (self.current, self.offset());
        self.symbols.in_bars = false;
        self.reader.read_named(name, c, &mut self.symbols)?;
        let m = &self.reader.matched;
        let (size, words, fixup) = (m.bits.size(), *m.bits.words(), m.fixup);
        if self.sections[self.current as usize].kind == 8 {
            return Err(Problem::at(
                start,
                "cannot have code in a section without contents",
            ));
        }
        self.mark_line();
        let offset = self.offset();
        self.grow(size as u64, start)?;
        let section = &mut self.sections[self.current as usize];
        match size {
            4 => section.data.extend_from_slice(&words[0].to_le_bytes()),
            8 => {
                let both = words[0] as u64 | (words[1] as u64) << 32;
                section.data.extend_from_slice(&both.to_le_bytes());
            }
            _ => {
                for w in &words[..size / 4] {
                    section.data.extend_from_slice(&w.to_le_bytes());
                }
            }
        }
        section.size = section.data.len() as u64;
        section.flags |= 4;
        if let Some((fixup, expr)) = fixup {
            self.pending.push(Pending {
                section: self.current,
                offset: match fixup {
                    Fixup::Branch | Fixup::Simm16 => offset,
                    Fixup::Literal => offset + size as u64 - 4,
                    Fixup::Literal64 => offset + size as u64 - 8,
                },
                fill: Fill::Instruction(fixup),
                expr,
                line: self.line,
                column: self.column(start),
                branch: self.branches,
            });
            if fixup == Fixup::Branch {
                if self.padded.binary_search(&self.branches).is_ok() {
                    self.emit(&S_NOP, start)?;
                }
                self.branches += 1;
            }
        }
        Ok(())
    }

    pub(super) fn define_label(&mut self, id: SymbolId, at: usize) -> Result<(), Problem> {
        let place = Definition::Label(self.current, self.offset());
        let s = &mut self.symbols.list[id as usize];
        if s.definition != Definition::Undefined {
            return Err(Problem::at(
                at,
                format!(
                    "symbol '{}' is already defined",
                    String::from_utf8_lossy(&s.name)
                ),
            ));
        }
        s.fixed = true;
        self.symbols.define(id, place);
        Ok(())
    }

    /// `name = expression`.
    pub(super) fn assign(
        &mut self,
        name: &[u8],
        at: usize,
        c: &mut Cursor<'_>,
        once: bool,
    ) -> Result<(), Problem> {
        self.symbols.place = (self.current, self.offset());
        let e = super::expression::parse(c, &mut self.symbols)?;
        if !c.is_end() {
            return Err(Problem::at(c.pos, "unexpected token"));
        }
        let id = self.symbols.intern(name);
        // The value is kept as a number where it is one already.
        let e = self.symbols.constant(e).map_or(e, Expr::Const);
        let s = &mut self.symbols.list[id as usize];
        let defined = s.definition != Definition::Undefined;
        if defined && (s.fixed || once) {
            return Err(Problem::at(
                at,
                format!("redefinition of '{}'", String::from_utf8_lossy(name)),
            ));
        }
        s.fixed = once;
        self.symbols.define(id, Definition::Variable(e));
        Ok(())
    }

    #[cold]
    fn fail_here(&mut self, text: &[u8], message: &'static str) {
        self.report(text, Problem::at(0, message));
    }

    #[cold]
    pub(super) fn report(&mut self, text: &[u8], p: Problem) {
        let line = self.line;
        self.report_at(line, p.at as u32 + 1, &p.message, p.help, text);
    }

    pub(super) fn report_line(&mut self, line: u32, message: String, text: &[u8]) {
        self.report_at(line, 1, &message, None, text);
    }

    pub(super) fn warn(&mut self, text: &[u8], at: usize, message: String) {
        self.findings.list.push(Diagnostic {
            severity: Severity::Warning,
            message,
            help: None,
            line: self.line,
            column: at as u32 + 1,
            source: String::from_utf8_lossy(text).into_owned(),
            expansions: self.expansions(),
        });
    }

    #[cold]
    pub(super) fn report_at(
        &mut self,
        line: u32,
        column: u32,
        message: &str,
        help: Option<String>,
        text: &[u8],
    ) {
        self.findings.list.push(Diagnostic {
            severity: Severity::Error,
            message: message.to_owned(),
            help,
            line,
            column,
            source: String::from_utf8_lossy(text).into_owned(),
            expansions: self.expansions(),
        });
        if self.findings.list.len() >= self.options.limits.findings {
            self.stop = true;
        }
    }
}

/// Where a comment in `/* */` starts from `at` on.
fn next_comment(source: &[u8], at: usize) -> usize {
    memchr::memmem::find(&source[at..], b"/*").map_or(usize::MAX, |n| at + n)
}

/// Whether a line holds nothing, or nothing but a comment to its end.
#[inline]
fn is_blank(text: &[u8]) -> bool {
    let first = text.iter().find(|b| !matches!(b, b' ' | b'\t' | b'\r'));
    matches!(first, None | Some(b';'))
}

/// The end of a statement whose comments go on past its line, how many lines it has, and whether a
/// comment has no end.
fn through_comments(rest: &[u8], line_end: usize) -> (usize, u32, bool) {
    let mut at = 0;
    let mut end = line_end;
    while let Some(open) = memchr::memmem::find(&rest[at..end], b"/*") {
        let from = at + open;
        // A comment to the end of the line holds no other, and strings hold none.
        let before = &rest[..from];
        if before[at..].contains(&b';') || before[at..].contains(&b'"') {
            break;
        }
        match memchr::memmem::find(&rest[from + 2..], b"*/") {
            Some(n) => at = from + 2 + n + 2,
            None => return (rest.len(), 1, true),
        }
        if at > end {
            end = at + memchr::memchr(b'\n', &rest[at..]).unwrap_or(rest.len() - at);
        }
    }
    let lines = rest[..end].iter().filter(|b| **b == b'\n').count() as u32 + 1;
    (end, lines, false)
}

pub(super) fn source_line(source: &[u8], line: u32) -> &[u8] {
    source
        .split(|b| *b == b'\n')
        .nth((line as usize).saturating_sub(1))
        .unwrap_or(&[])
}
