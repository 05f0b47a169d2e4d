//! `.cfi_*`: frame information for debuggers (DWARF 4, 6.4), as `.eh_frame` or `.debug_frame`.
//!
//! One common entry (CIE) stands before the procedures that share it, as LLVM writes them.

use super::assembler::{Assembler, Fill, Pending};
use super::cursor::Cursor;
use super::data::leb_bytes;
use super::diagnostic::Problem;
use super::directive::end;
use super::expression::{self, Node};
use super::register;
use waveglass_isa::{Reg, RegFile};

/// Instructions are measured in dwords, offsets on the stack as well.
const ALIGNMENT: i64 = 4;

/// PC_64 (AMDGPUUsage, "Register Identifier").
const PC: i64 = 16;

const ADVANCE_LOC: u8 = 0x40;
const OFFSET: u8 = 0x80;
const RESTORE: u8 = 0xc0;
const NOP: u8 = 0;
const ADVANCE_LOC1: u8 = 2;
const ADVANCE_LOC2: u8 = 3;
const ADVANCE_LOC4: u8 = 4;
const OFFSET_EXTENDED: u8 = 5;
const RESTORE_EXTENDED: u8 = 6;
const UNDEFINED: u8 = 7;
const SAME_VALUE: u8 = 8;
const REGISTER: u8 = 9;
const REMEMBER_STATE: u8 = 0x0a;
const RESTORE_STATE: u8 = 0x0b;
const DEF_CFA: u8 = 0x0c;
const DEF_CFA_REGISTER: u8 = 0x0d;
const DEF_CFA_OFFSET: u8 = 0x0e;
const OFFSET_EXTENDED_SF: u8 = 0x11;
const VAL_OFFSET: u8 = 0x14;
const VAL_OFFSET_SF: u8 = 0x15;
const WINDOW_SAVE: u8 = 0x2d;
const DEF_ASPACE_CFA: u8 = 0x30;

/// What the common entry says of a procedure; procedures that agree share one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Common {
    signal: bool,
    simple: bool,
    return_column: i64,
}

/// The return column where none is named: PC. LLVM sorts it behind all others.
const USUAL: i64 = i64::MAX;

/// A procedure: the place of its code, and its frame's program.
struct Frame {
    section: u32,
    start: u64,
    size: u64,
    common: Common,
    program: Vec<u8>,
    /// Where the program's last row starts.
    at: u64,
    /// The offset of the frame's address from its register.
    offset: i64,
    line: u32,
}

/// What a source says of frames.
pub(super) struct Frames {
    /// Whether `.eh_frame` is written, and `.debug_frame`.
    sections: (bool, bool),
    open: Option<Frame>,
    done: Vec<Frame>,
}

impl Default for Frames {
    fn default() -> Self {
        Self {
            sections: (true, false),
            open: None,
            done: Vec::new(),
        }
    }
}

fn unsigned(v: i64, out: &mut Vec<u8>) {
    out.extend(leb_bytes(v, false));
}

fn signed(v: i64, out: &mut Vec<u8>) {
    out.extend(leb_bytes(v, true));
}

impl Frame {
    /// Begins an instruction of the program at `offset`.
    fn row(&mut self, offset: u64, opcode: u8) {
        let steps = offset.wrapping_sub(self.at) / ALIGNMENT as u64;
        self.at = offset;
        match steps {
            0 => {}
            1..=0x3f => self.program.push(ADVANCE_LOC | steps as u8),
            0x40..=0xff => self.program.extend([ADVANCE_LOC1, steps as u8]),
            0x100..=0xffff => {
                self.program.push(ADVANCE_LOC2);
                self.program.extend((steps as u16).to_le_bytes());
            }
            _ => {
                self.program.push(ADVANCE_LOC4);
                self.program.extend((steps as u32).to_le_bytes());
            }
        }
        self.program.push(opcode);
    }

    fn numbers(&mut self, numbers: &[i64]) {
        for n in numbers {
            unsigned(*n, &mut self.program);
        }
    }

    /// A register is saved at an offset from the frame's address.
    fn saved(&mut self, here: u64, register: i64, offset: i64) {
        let factored = offset / ALIGNMENT;
        match (factored, register) {
            (..0, _) => {
                self.row(here, OFFSET_EXTENDED_SF);
                self.numbers(&[register]);
                signed(factored, &mut self.program);
            }
            (_, 0..=63) => {
                self.row(here, OFFSET | register as u8);
                self.numbers(&[factored]);
            }
            _ => {
                self.row(here, OFFSET_EXTENDED);
                self.numbers(&[register, factored]);
            }
        }
    }
}

impl Assembler<'_> {
    /// A directive whose name starts with `.cfi_`.
    pub(super) fn frame_directive(
        &mut self,
        name: &[u8],
        at: usize,
        c: &mut Cursor<'_>,
    ) -> Result<(), Problem> {
        match &name[b".cfi_".len()..] {
            b"sections" => return self.frame_sections(c),
            b"startproc" => return self.frame_start(at, c),
            b"personality" | b"lsda" => {
                return Err(Problem::at(
                    at,
                    format!(
                        "{} is for exceptions, which code objects do not have",
                        String::from_utf8_lossy(name)
                    ),
                ));
            }
            _ => {}
        }
        let Some(mut f) = self.frames_of_code.open.take() else {
            return Err(Problem::at(
                at,
                "this directive must appear between .cfi_startproc and .cfi_endproc directives",
            ));
        };
        if f.section != self.current {
            let message = "the directive is in another section than its .cfi_startproc";
            self.frames_of_code.open = Some(f);
            return Err(Problem::at(at, message));
        }
        if name == b".cfi_endproc" {
            f.size = self.offset() - f.start;
            self.frames_of_code.done.push(f);
            return end(c);
        }
        let r = self.frame_row(&mut f, &name[b".cfi_".len()..], at, c);
        self.frames_of_code.open = Some(f);
        r?;
        end(c)
    }

    fn frame_sections(&mut self, c: &mut Cursor<'_>) -> Result<(), Problem> {
        let mut sections = (false, false);
        loop {
            c.skip();
            let at = c.pos;
            match c.name() {
                b".eh_frame" => sections.0 = true,
                b".debug_frame" => sections.1 = true,
                _ => return Err(Problem::at(at, "expected .eh_frame or .debug_frame")),
            }
            if !c.eat(b',') {
                break;
            }
        }
        self.frames_of_code.sections = sections;
        end(c)
    }

    fn frame_start(&mut self, at: usize, c: &mut Cursor<'_>) -> Result<(), Problem> {
        if self.frames_of_code.open.is_some() {
            return Err(Problem::at(
                at,
                "starting new .cfi frame before finishing the previous one",
            ));
        }
        let simple = c.peek_name() == b"simple";
        if simple {
            c.name();
        }
        end(c)?;
        let start = self.offset();
        self.frames_of_code.open = Some(Frame {
            section: self.current,
            start,
            size: 0,
            common: Common {
                signal: false,
                simple,
                return_column: USUAL,
            },
            program: Vec::new(),
            at: start,
            offset: 0,
            line: self.line,
        });
        Ok(())
    }

    /// A row of the frame's program.
    fn frame_row(
        &mut self,
        f: &mut Frame,
        name: &[u8],
        at: usize,
        c: &mut Cursor<'_>,
    ) -> Result<(), Problem> {
        let here = self.offset();
        match name {
            b"signal_frame" => f.common.signal = true,
            b"return_column" => f.common.return_column = self.frame_register(c)?,
            b"remember_state" => f.row(here, REMEMBER_STATE),
            b"restore_state" => f.row(here, RESTORE_STATE),
            b"window_save" => f.row(here, WINDOW_SAVE),
            b"def_cfa_offset" | b"adjust_cfa_offset" => {
                let v = expression::constant(c, &mut self.symbols)?;
                f.offset = match name {
                    b"def_cfa_offset" => v,
                    _ => f.offset.wrapping_add(v),
                };
                f.row(here, DEF_CFA_OFFSET);
                f.numbers(&[f.offset]);
            }
            b"escape" => {
                let mut bytes = Vec::new();
                loop {
                    c.skip();
                    let at = c.pos;
                    let v = expression::constant(c, &mut self.symbols)?;
                    let byte = u8::try_from(v)
                        .map_err(|_| Problem::at(at, "the value is no byte: 0 to 255"))?;
                    bytes.push(byte);
                    if !c.eat(b',') {
                        break;
                    }
                }
                f.row(here, bytes[0]);
                f.program.extend(&bytes[1..]);
            }
            b"def_cfa_register" | b"same_value" | b"undefined" | b"restore" => {
                let r = self.frame_register(c)?;
                match (name, r) {
                    (b"restore", 0..=63) => f.row(here, RESTORE | r as u8),
                    _ => {
                        f.row(
                            here,
                            match name {
                                b"def_cfa_register" => DEF_CFA_REGISTER,
                                b"same_value" => SAME_VALUE,
                                b"undefined" => UNDEFINED,
                                _ => RESTORE_EXTENDED,
                            },
                        );
                        f.numbers(&[r]);
                    }
                }
            }
            b"register" => {
                let r = self.frame_register(c)?;
                comma(c)?;
                let other = self.frame_register(c)?;
                f.row(here, REGISTER);
                f.numbers(&[r, other]);
            }
            b"def_cfa" | b"offset" | b"rel_offset" | b"val_offset" | b"llvm_def_aspace_cfa" => {
                let r = self.frame_register(c)?;
                comma(c)?;
                let v = expression::constant(c, &mut self.symbols)?;
                match name {
                    b"offset" => f.saved(here, r, v),
                    b"rel_offset" => f.saved(here, r, v.wrapping_sub(f.offset)),
                    b"val_offset" if v / ALIGNMENT < 0 => {
                        f.row(here, VAL_OFFSET_SF);
                        f.numbers(&[r]);
                        signed(v / ALIGNMENT, &mut f.program);
                    }
                    b"val_offset" => {
                        f.row(here, VAL_OFFSET);
                        f.numbers(&[r, v / ALIGNMENT]);
                    }
                    b"def_cfa" => {
                        f.offset = v;
                        f.row(here, DEF_CFA);
                        f.numbers(&[r, v]);
                    }
                    _ => {
                        comma(c)?;
                        let space = expression::constant(c, &mut self.symbols)?;
                        f.offset = v;
                        f.row(here, DEF_ASPACE_CFA);
                        f.numbers(&[r, v, space]);
                    }
                }
            }
            _ => {
                return Err(Problem::at(
                    at,
                    format!("unknown directive .cfi_{}", String::from_utf8_lossy(name)),
                ));
            }
        }
        Ok(())
    }

    /// A register by its number in DWARF, or by its name.
    fn frame_register(&mut self, c: &mut Cursor<'_>) -> Result<i64, Problem> {
        c.skip();
        let at = c.pos;
        let number = match register::parse(c, self.target, &mut self.symbols)? {
            Some(r) => dwarf_number(r, self.wave_size()),
            None => Some(expression::constant(c, &mut self.symbols)?).filter(|n| *n >= 0),
        };
        number.ok_or_else(|| Problem::at(at, "the register has no number in DWARF"))
    }

    /// Writes the frames at the end of the source.
    pub(super) fn write_frames(&mut self) {
        let frames = std::mem::take(&mut self.frames_of_code);
        if let Some(f) = &frames.open {
            self.report_at(f.line, 1, "Unfinished frame!", None, &[]);
        }
        let mut list = frames.done;
        if list.is_empty() {
            return;
        }
        list.sort_by_key(|f| f.common);
        let (eh, debug) = frames.sections;
        for (there, eh) in [(eh, true), (debug, false)] {
            if there && let Err(p) = self.write_frame_section(&list, eh) {
                self.report(&[], p);
            }
        }
    }

    fn write_frame_section(&mut self, list: &[Frame], eh: bool) -> Result<(), Problem> {
        match eh {
            true => self.enter(".eh_frame", 2, 1, 0),
            false => self.enter(".debug_frame", 0, 1, 0),
        }
        let section = self.current;
        let s = &mut self.sections[section as usize];
        s.align = s.align.max(8);
        let mut common = None;
        for (n, f) in list.iter().enumerate() {
            let entry = match common {
                // LLVM has one common entry in .debug_frame, that of the first.
                Some((known, entry)) if known == f.common || !eh => entry,
                _ => {
                    let entry = self.offset();
                    self.emit(&common_entry(f.common, eh), 0)?;
                    entry
                }
            };
            common = Some((f.common, entry));
            // In .eh_frame only the last fills the section up to a whole number of addresses.
            let align = if eh && n + 1 < list.len() { 4 } else { 8 };
            let start = self.offset();
            let mut body = Vec::new();
            if eh {
                body.extend(((start + 4 - entry) as u32).to_le_bytes());
                body.extend([0; 4]);
                body.extend((f.size as u32).to_le_bytes());
                // There are no data for exceptions.
                body.push(0);
            } else {
                body.extend([0; 12]);
                body.extend(f.size.to_le_bytes());
            }
            body.extend(&f.program);
            while !(start + 4 + body.len() as u64).is_multiple_of(align) {
                body.push(NOP);
            }
            self.emit(&(body.len() as u32).to_le_bytes(), 0)?;
            self.emit(&body, 0)?;
            let code = Node::Place(f.section, f.start);
            let places = match eh {
                true => vec![(start + 8, Fill::Relative, code)],
                false => vec![
                    (start + 4, Fill::Data(4), Node::Place(section, entry)),
                    (start + 8, Fill::Data(8), code),
                ],
            };
            for (offset, fill, node) in places {
                let expr = self.symbols.node(node);
                self.pending.push(Pending {
                    section,
                    offset,
                    fill,
                    expr,
                    line: f.line,
                    column: 1,
                    branch: 0,
                });
            }
        }
        Ok(())
    }
}

/// The entry that procedures share, with its length.
fn common_entry(c: Common, eh: bool) -> Vec<u8> {
    let mut body = Vec::new();
    if eh {
        body.extend([0, 0, 0, 0, 1]);
        body.extend(if c.signal { &b"zRS\0"[..] } else { b"zR\0" });
    } else {
        // Version 4, with the sizes of addresses and of segment selectors.
        body.extend([0xff, 0xff, 0xff, 0xff, 4]);
        body.extend(if c.signal { &b"S\0"[..] } else { b"\0" });
        body.extend([8, 0]);
    }
    let return_column = match c.return_column {
        USUAL => PC,
        n => n,
    };
    unsigned(ALIGNMENT, &mut body);
    signed(ALIGNMENT, &mut body);
    match eh {
        // One byte in version 1.
        true => body.push(return_column as u8),
        false => unsigned(return_column, &mut body),
    }
    if eh {
        // Addresses are signed distances of 32 bits.
        const PCREL_SDATA4: u8 = 0x1b;
        body.extend([1, PCREL_SDATA4]);
    }
    while !body.len().is_multiple_of(4) {
        body.push(NOP);
    }
    let mut out = (body.len() as u32).to_le_bytes().to_vec();
    out.extend(body);
    out
}

fn comma(c: &mut Cursor<'_>) -> Result<(), Problem> {
    match c.eat(b',') {
        true => Ok(()),
        false => Err(Problem::at(c.pos, "expected comma")),
    }
}

/// The number of a single register (AMDGPUUsage, "Register Identifier").
fn dwarf_number(r: Reg, wave_size: u32) -> Option<i64> {
    let n = r.index as i64;
    if r.dwords != 1 || r.half.is_some() {
        return None;
    }
    Some(match (r.file, wave_size) {
        (RegFile::Sgpr, _) if n < 64 => 32 + n,
        (RegFile::Sgpr, _) => 1088 + n - 64,
        (RegFile::Vgpr, 32) => 1536 + n,
        (RegFile::Vgpr, _) => 2560 + n,
        (RegFile::Agpr, 32) => 2048 + n,
        (RegFile::Agpr, _) => 3072 + n,
        _ => return None,
    })
}
