//! What compilers write: Triton's text (`tests/sources/triton.py` makes it) against the code and
//! descriptors of Triton's own code objects, and clang's debug information.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use waveglass_asm::{AssembleOptions, Assembled, PrintOptions, assemble, print_bytes};
use waveglass_isa::{Decoder, Target};

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources")
}

fn unpacked(path: &Path) -> Vec<u8> {
    let file = std::fs::File::open(path).expect("the sources are part of the crate");
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(file)
        .read_to_end(&mut bytes)
        .expect("gzip");
    bytes
}

fn assembled(path: &Path, target: Target) -> Assembled {
    let text = String::from_utf8(unpacked(path)).expect("UTF-8");
    let name = path.display();
    assemble(&text, target, &AssembleOptions::default()).unwrap_or_else(|d| panic!("{name}:\n{d}"))
}

/// Both codes have the same instructions, one by one.
fn same_instructions(name: &str, target: Target, ours: &[u8], theirs: &[u8]) {
    assert_eq!(ours.len(), theirs.len(), "{name}");
    let decoder = Decoder::new(target);
    let mut at = 0;
    while at < ours.len() {
        let size = decoder.decode(&ours[at..]).map_or(4, |i| i.size());
        let (a, b) = (&ours[at..at + size], &theirs[at..at + size]);
        if a != b {
            let text = |code| print_bytes(target, 32, code, &PrintOptions::default());
            assert!(text(a).is_some(), "{name} at {at:#x}: {a:x?}, not {b:x?}");
            assert_eq!(text(a), text(b), "{name} at {at:#x}");
        }
        at += size;
    }
}

#[test]
fn triton_text_gives_triton_s_code() {
    let mut count = 0;
    for entry in std::fs::read_dir(sources()).expect("a directory") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|n| n.to_str()).expect("a name");
        let Some(stem) = name
            .strip_prefix("triton.")
            .and_then(|n| n.strip_suffix(".s.gz"))
        else {
            continue;
        };
        let target: Target = stem
            .split('.')
            .nth(1)
            .expect("a target")
            .parse()
            .expect("known");
        let a = assembled(&path, target);
        let want = unpacked(&path.with_file_name(format!("triton.{stem}.bin.gz")));
        let (size, rest) = want.split_first_chunk().expect("a size");
        let (text, descriptor) = rest.split_at(u32::from_le_bytes(*size) as usize);
        let ours = a.section(".text").expect("code");
        if target.major() < 11 {
            assert!(ours.data == text, "{name}: the code differs");
        } else {
            // Triton's LLVM is a later one: it fills the sources that an instruction does not
            // have with the constant 0, where LLVM 22 leaves zeros.
            same_instructions(name, target, &ours.data, text);
        }
        assert!(ours.relocations.is_empty(), "{name}");
        // The distance to the code is the linker's.
        let mut ours = a.section(".rodata").expect("a descriptor").data.clone();
        let mut descriptor = descriptor.to_vec();
        ours[16..24].fill(0);
        descriptor[16..24].fill(0);
        assert_eq!(ours, descriptor, "{name}");
        count += 1;
    }
    assert_eq!(count, 12);
}

/// Line, column, beginning of a statement, end of the prologue, end of the sequence.
type Row = (u64, u64, u64, bool, bool, bool);

fn lines(a: &Assembled) -> Vec<Row> {
    use gimli::{ColumnType, DebugLine, DebugLineOffset, LittleEndian};
    let section = a.section(".debug_line").expect("a line table");
    let debug_line = DebugLine::new(&section.data, LittleEndian);
    let program = debug_line
        .program(DebugLineOffset(0), 8, None, None)
        .expect("a header");
    let mut rows = program.rows();
    let mut list = Vec::new();
    while let Some((_, r)) = rows.next_row().expect("a row") {
        let column = match r.column() {
            ColumnType::LeftEdge => 0,
            ColumnType::Column(n) => n.get(),
        };
        list.push((
            r.address(),
            r.line().map_or(0, |n| n.get()),
            column,
            r.is_stmt(),
            r.prologue_end(),
            r.end_sequence(),
        ));
    }
    list
}

#[test]
fn loc_directives_become_clang_s_line_table() {
    let path = sources().join("debug.lines.gfx90a.s.gz");
    let a = assembled(&path, Target::Gfx90a);
    // What llvm-dwarfdump-22 shows of llvm-mc-22's object for the same source.
    let want: [Row; 10] = [
        (0x0, 3, 11, true, true, false),
        (0x8, 4, 9, true, false, false),
        (0x18, 3, 11, true, false, false),
        (0x20, 5, 12, true, false, false),
        (0x24, 5, 26, false, false, false),
        (0x28, 5, 12, false, false, false),
        (0x34, 5, 24, false, false, false),
        (0x3c, 5, 10, false, false, false),
        (0x44, 6, 1, true, false, false),
        (0x480, 6, 1, true, false, true),
    ];
    assert_eq!(lines(&a), want);
    for section in [
        ".debug_info",
        ".debug_abbrev",
        ".debug_str",
        ".debug_loclists",
        ".debug_addr",
    ] {
        assert!(a.section(section).is_some_and(|s| s.size > 0), "{section}");
    }
}

#[test]
fn line_tables_of_version_4_and_of_several_sections() {
    let source = "\
.file 1 \"dir\" \"a.c\"
.file 2 \"b.c\"
.loc 1 10 2
s_nop 0
.loc 2 300 0 is_stmt 0 discriminator 3
s_nop 1
.section .text.b,\"ax\",@progbits
.loc 1 1
s_nop 2
";
    let a = assemble(source, Target::Gfx900, &AssembleOptions::default())
        .unwrap_or_else(|d| panic!("{d}"));
    let rows = lines(&a);
    let short: Vec<_> = rows.iter().map(|r| (r.0, r.1, r.2, r.3, r.5)).collect();
    assert_eq!(
        short,
        [
            (0, 10, 2, true, false),
            (4, 300, 0, false, false),
            (8, 300, 0, false, true),
            (0, 1, 0, false, false),
            (4, 1, 0, false, true),
        ]
    );
    let section = a.section(".debug_line").expect("a line table");
    assert_eq!(section.relocations.len(), 2);
    let bad = ".loc 3 1\n.file 1 \"a\"\n.file 1 \"b\"\n.loc 1 1 1 nonsense\n.file 99999999 \"x\"";
    let d = assemble(bad, Target::Gfx900, &AssembleOptions::default()).unwrap_err();
    let messages: Vec<&str> = d.list.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "unassigned file number in '.loc' directive",
            "file number already allocated",
            "unknown sub-directive in '.loc' directive",
            "invalid file number",
        ]
    );
}
