//! `.file` and `.loc`: the line table of DWARF (DWARF 5, 6.2; DWARF 4, 6.2).

use super::assembler::{Assembler, Fill, Pending};
use super::cursor::Cursor;
use super::diagnostic::Problem;
use super::directive::{end, string};
use super::expression::{self, Node};
use std::borrow::Cow;

/// A source file that lines are from.
struct File {
    directory: Vec<u8>,
    name: Vec<u8>,
    md5: Option<u128>,
}

/// Where the next instruction is from.
#[derive(Clone, Copy)]
struct Location {
    file: u64,
    line: u64,
    column: u64,
    statement: bool,
    basic_block: bool,
    prologue_end: bool,
    epilogue_begin: bool,
    isa: u64,
    discriminator: u64,
}

/// A row of the line table.
struct Row {
    section: u32,
    offset: u64,
    location: Location,
}

/// What a source says of its own sources.
#[derive(Default)]
pub(super) struct Lines {
    files: Vec<Option<File>>,
    rows: Vec<Row>,
    next: Option<Location>,
    statement: Option<bool>,
}

/// The highest number of a file; tables are dense.
const FILES: u64 = 1 << 16;

impl Assembler<'_> {
    /// `.file "NAME"`, which names the source itself, or `.file N "DIRECTORY" "NAME" md5 …`.
    pub(super) fn file(&mut self, c: &mut Cursor<'_>) -> Result<(), Problem> {
        if c.peek() == b'"' {
            string(c)?;
            return end(c);
        }
        let at = c.pos;
        let n = expression::constant(c, &mut self.symbols)?;
        let n = u64::try_from(n)
            .ok()
            .filter(|n| *n < FILES)
            .ok_or_else(|| Problem::at(at, "invalid file number"))?;
        let first = string(c)?;
        let (directory, name) = match c.peek() {
            b'"' => (first, string(c)?),
            _ => (Cow::Borrowed(&b""[..]), first),
        };
        let mut md5 = None;
        while !c.is_end() {
            let at = c.pos;
            match c.name() {
                b"md5" => md5 = Some(digest(c)?),
                b"source" => {
                    string(c)?;
                }
                _ => return Err(Problem::at(at, "unexpected token in '.file' directive")),
            }
        }
        let n = n as usize;
        self.count_work(name.len() as u64 + directory.len() as u64, at)?;
        if self.lines.files.len() <= n {
            self.lines.files.resize_with(n + 1, || None);
        }
        match &self.lines.files[n] {
            Some(f) if n > 0 && (*f.name != *name || *f.directory != *directory) => {
                Err(Problem::at(at, "file number already allocated"))
            }
            _ => {
                self.lines.files[n] = Some(File {
                    directory: directory.into_owned(),
                    name: name.into_owned(),
                    md5,
                });
                Ok(())
            }
        }
    }

    /// `.loc FILE LINE COLUMN` and words.
    pub(super) fn loc(&mut self, c: &mut Cursor<'_>) -> Result<(), Problem> {
        let mut number = |c: &mut Cursor<'_>, what: &'static str| {
            c.skip();
            let at = c.pos;
            let v = expression::constant(c, &mut self.symbols)?;
            u64::try_from(v).map_err(|_| Problem::at(at, what))
        };
        let at = {
            c.skip();
            c.pos
        };
        let file = number(c, "file number less than zero in '.loc' directive")?;
        let mut l = Location {
            file,
            line: 0,
            column: 0,
            statement: self.lines.statement.unwrap_or(true),
            basic_block: false,
            prologue_end: false,
            epilogue_begin: false,
            isa: 0,
            discriminator: 0,
        };
        if c.peek().is_ascii_digit() {
            l.line = number(c, "line number less than zero in '.loc' directive")?;
        }
        if c.peek().is_ascii_digit() {
            l.column = number(c, "column position less than zero in '.loc' directive")?;
        }
        while !c.is_end() {
            let at = c.pos;
            match c.name() {
                b"basic_block" => l.basic_block = true,
                b"prologue_end" => l.prologue_end = true,
                b"epilogue_begin" => l.epilogue_begin = true,
                b"is_stmt" => {
                    let v = number(c, "is_stmt value not 0 or 1")?;
                    if v > 1 {
                        return Err(Problem::at(at, "is_stmt value not 0 or 1"));
                    }
                    l.statement = v == 1;
                }
                b"isa" => l.isa = number(c, "isa number less than zero")?,
                b"discriminator" => l.discriminator = number(c, "discriminator less than zero")?,
                b"view" => {
                    c.name();
                }
                _ => {
                    return Err(Problem::at(at, "unknown sub-directive in '.loc' directive"));
                }
            }
        }
        let known = |n: u64| matches!(self.lines.files.get(n as usize), Some(Some(_)));
        // In DWARF 5 the first file is number 0, and 1 may stand for it.
        if !(known(file) || file == 1 && known(0)) {
            return Err(Problem::at(
                at,
                "unassigned file number in '.loc' directive",
            ));
        }
        self.lines.statement = Some(l.statement);
        self.lines.next = Some(l);
        Ok(())
    }

    /// An instruction is about to be written.
    #[inline]
    pub(super) fn mark_line(&mut self) {
        if let Some(location) = self.lines.next.take() {
            self.lines.rows.push(Row {
                section: self.current,
                offset: self.offset(),
                location,
            });
        }
    }

    /// Writes `.debug_line` where the source has lines.
    pub(super) fn write_lines(&mut self) {
        let lines = std::mem::take(&mut self.lines);
        let asked = self.section_index.contains_key(".debug_line");
        if lines.files.is_empty() || lines.rows.is_empty() && !asked {
            return;
        }
        self.enter(".debug_line", 0, 1, 0);
        let section = self.current;
        let start = self.offset();
        let mut rows = lines.rows;
        // One sequence for each section, its rows in the order of their addresses.
        rows.sort_by_key(|r| (r.section, r.offset));
        let mut program = Vec::new();
        let mut addresses = Vec::new();
        for rows in rows.chunk_by(|a, b| a.section == b.section) {
            let of = rows[0].section;
            addresses.push((program.len() as u64 + 3, of));
            sequence(rows, self.sections[of as usize].size, &mut program);
        }
        let head = header(&lines.files, program.len());
        let base = start + head.len() as u64;
        let written = self.emit(&head, 0).and_then(|()| self.emit(&program, 0));
        if let Err(p) = written {
            self.report(&[], p);
            return;
        }
        for (at, of) in addresses {
            let expr = self.symbols.node(Node::Place(of, 0));
            self.pending.push(Pending {
                section,
                offset: base + at,
                fill: Fill::Data(8),
                expr,
                line: 0,
                column: 1,
                branch: 0,
            });
        }
    }
}

/// The number behind `md5`.
fn digest(c: &mut Cursor<'_>) -> Result<u128, Problem> {
    c.skip();
    let at = c.pos;
    c.letters_and_digits()
        .strip_prefix("0x")
        .and_then(|t| u128::from_str_radix(t, 16).ok())
        .ok_or_else(|| Problem::at(at, "invalid MD5 checksum specified"))
}

const LINE_BASE: i64 = -5;
const LINE_RANGE: i64 = 14;
const OPCODE_BASE: i64 = 13;

fn uleb(mut v: u64, out: &mut Vec<u8>) {
    loop {
        let low = (v & 0x7f) as u8;
        v >>= 7;
        out.push(low | if v == 0 { 0 } else { 0x80 });
        if v == 0 {
            return;
        }
    }
}

fn sleb(mut v: i64, out: &mut Vec<u8>) {
    loop {
        let low = (v & 0x7f) as u8;
        v >>= 7;
        let done = v == 0 && low & 0x40 == 0 || v == -1 && low & 0x40 != 0;
        out.push(low | if done { 0 } else { 0x80 });
        if done {
            return;
        }
    }
}

fn text(s: &[u8], out: &mut Vec<u8>) {
    // A zero ends a string, so there is none in it.
    out.extend(s.iter().filter(|b| **b != 0));
    out.push(0);
}

/// The header of the line program, of version 5 where there is a file 0, else of version 4.
fn header(files: &[Option<File>], program: usize) -> Vec<u8> {
    let fifth = matches!(files.first(), Some(Some(_)));
    let mut directories: Vec<&[u8]> = Vec::new();
    // In version 5 the first directory is that of the compilation.
    if fifth {
        directories.extend(files[0].as_ref().map(|f| &f.directory[..]));
    }
    let mut index = std::collections::HashMap::new();
    for (n, d) in directories.iter().enumerate() {
        index.insert(*d, n as u64);
    }
    let mut entries = Vec::new();
    for f in files {
        let empty: &[u8] = &[];
        let (name, directory, md5) = match f {
            Some(f) => (&f.name[..], &f.directory[..], f.md5),
            None => (empty, empty, None),
        };
        let directory = match directory.is_empty() {
            true => 0,
            false => *index.entry(directory).or_insert_with(|| {
                directories.push(directory);
                // Number 0 of version 4 is not in its list.
                directories.len() as u64 - fifth as u64
            }),
        };
        entries.push((name, directory, md5));
    }
    let mut tables = Vec::new();
    if fifth {
        const PATH_STRING: [u8; 2] = [1, 0x08];
        const DIRECTORY_UDATA: [u8; 2] = [2, 0x0f];
        const MD5_DATA16: [u8; 2] = [5, 0x1e];
        tables.push(1);
        tables.extend(PATH_STRING);
        uleb(directories.len() as u64, &mut tables);
        for d in &directories {
            text(d, &mut tables);
        }
        // Either every file has a checksum or the table has none.
        let sums = entries.iter().all(|e| e.2.is_some());
        tables.push(2 + sums as u8);
        tables.extend(PATH_STRING);
        tables.extend(DIRECTORY_UDATA);
        if sums {
            tables.extend(MD5_DATA16);
        }
        uleb(entries.len() as u64, &mut tables);
        for (name, directory, md5) in entries {
            text(name, &mut tables);
            uleb(directory, &mut tables);
            if let (true, Some(sum)) = (sums, md5) {
                tables.extend(sum.to_be_bytes());
            }
        }
    } else {
        for d in &directories {
            text(d, &mut tables);
        }
        tables.push(0);
        for (name, directory, _) in entries.into_iter().skip(1) {
            // An empty name would end the table.
            text(if name.is_empty() { b"?" } else { name }, &mut tables);
            uleb(directory, &mut tables);
            tables.extend([0, 0]);
        }
        tables.push(0);
    }
    let mut rest = vec![
        1,
        1,
        1,
        LINE_BASE as u8,
        LINE_RANGE as u8,
        OPCODE_BASE as u8,
    ];
    rest.extend([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]);
    rest.extend(tables);
    let version: u16 = if fifth { 5 } else { 4 };
    let mut middle = version.to_le_bytes().to_vec();
    if fifth {
        // Sizes of addresses and of segment selectors.
        middle.extend([8, 0]);
    }
    middle.extend((rest.len() as u32).to_le_bytes());
    middle.extend(rest);
    let mut out = ((middle.len() + program) as u32).to_le_bytes().to_vec();
    out.extend(middle);
    out
}

/// The rows of one section. The place of its address is three bytes in.
fn sequence(rows: &[Row], size: u64, out: &mut Vec<u8>) {
    const COPY: u8 = 1;
    const ADVANCE_PC: u8 = 2;
    const ADVANCE_LINE: u8 = 3;
    const SET_FILE: u8 = 4;
    const SET_COLUMN: u8 = 5;
    const NEGATE_STATEMENT: u8 = 6;
    const BASIC_BLOCK: u8 = 7;
    const PROLOGUE_END: u8 = 10;
    const EPILOGUE_BEGIN: u8 = 11;
    const SET_ISA: u8 = 12;
    const END_SEQUENCE: [u8; 3] = [0, 1, 1];
    out.extend([0, 9, 2]);
    out.extend([0; 8]);
    let (mut address, mut line, mut file, mut column, mut isa) = (0, 1i64, 1, 0, 0);
    let mut statement = true;
    for r in rows {
        let l = &r.location;
        if l.file != file {
            out.push(SET_FILE);
            uleb(l.file, out);
            file = l.file;
        }
        if l.column != column {
            out.push(SET_COLUMN);
            uleb(l.column, out);
            column = l.column;
        }
        if l.discriminator != 0 {
            let mut n = Vec::new();
            uleb(l.discriminator, &mut n);
            out.extend([0, n.len() as u8 + 1, 4]);
            out.extend(n);
        }
        if l.isa != isa {
            out.push(SET_ISA);
            uleb(l.isa, out);
            isa = l.isa;
        }
        if l.statement != statement {
            out.push(NEGATE_STATEMENT);
            statement = l.statement;
        }
        for (set, opcode) in [
            (l.basic_block, BASIC_BLOCK),
            (l.prologue_end, PROLOGUE_END),
            (l.epilogue_begin, EPILOGUE_BEGIN),
        ] {
            if set {
                out.push(opcode);
            }
        }
        let (lines, bytes) = ((l.line as i64).wrapping_sub(line), r.offset - address);
        let special = (LINE_BASE..LINE_BASE + LINE_RANGE)
            .contains(&lines)
            .then(|| (bytes as i64).checked_mul(LINE_RANGE))
            .flatten()
            .and_then(|b| b.checked_add(lines - LINE_BASE + OPCODE_BASE))
            .and_then(|v| u8::try_from(v).ok());
        match special {
            Some(opcode) => out.push(opcode),
            None => {
                if lines != 0 {
                    out.push(ADVANCE_LINE);
                    sleb(lines, out);
                }
                if bytes != 0 {
                    out.push(ADVANCE_PC);
                    uleb(bytes, out);
                }
                out.push(COPY);
            }
        }
        line = l.line as i64;
        address = r.offset;
    }
    out.push(ADVANCE_PC);
    uleb(size - address, out);
    out.extend(END_SEQUENCE);
}
