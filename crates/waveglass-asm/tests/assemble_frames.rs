//! `.cfi_*` against what llvm-mc-22 writes for the same source.

use waveglass_asm::{AssembleOptions, Assembled, AssembledRelocationKind as Kind, assemble};
use waveglass_isa::Target;

/// Four procedures: one with every directive, one of a signal's frame, one that returns by another
/// column, and one without a row.
const SOURCE: &str = "	.text
f:
	.cfi_startproc
	s_nop 0
	.cfi_def_cfa s32, 16
	s_nop 0
	.cfi_adjust_cfa_offset 8
	.cfi_offset 40, -8
	.cfi_rel_offset 41, 4
	.cfi_offset 42, 8
	.cfi_offset v40, 8
	.cfi_val_offset 42, 8
	.cfi_val_offset 42, -8
	.fill 70, 4, 0xbf800000
	.cfi_remember_state
	.cfi_def_cfa_register 33
	.cfi_restore 40
	.cfi_restore 400
	.cfi_undefined 5
	.cfi_same_value s70
	.cfi_register 30, v1
	.fill 300, 4, 0xbf800000
	.cfi_restore_state
	.cfi_escape 0x0f, 0x03, 0x11
	.cfi_def_cfa_offset 4
	.cfi_llvm_def_aspace_cfa 32, 8, 6
	.cfi_window_save
	.cfi_endproc
g:
	.cfi_startproc simple
	.cfi_signal_frame
	s_nop 0
	.cfi_endproc
h:
	.cfi_startproc
	.cfi_return_column 17
	s_nop 0
	.cfi_endproc
i:
	.cfi_startproc
	s_nop 0
	.cfi_endproc
";

/// Both sections, as llvm-mc-22 writes them for gfx90a.
const EH_FRAME: &str = "1000000000000000017a5200040411011b000000100000001800000000000000 \
     04000000000000001000000000000000017a5200040410011b00000048000000 \
     1800000000000000d005000000410c4010410e1811287e11297baa0205a81402 \
     142a02152a7e02460a0d21e8069003070508c608091e8114032c010b0f03110e \
     04302008062d0000100000006400000000000000040000000000000010000000 \
     00000000017a525300040410011b000014000000180000000000000004000000 \
     0000000000000000";
const DEBUG_FRAME: &str = "0c000000ffffffff040008000404110014000000000000000000000000000000 \
     040000000000000054000000000000000000000000000000d005000000000000 \
     410c4010410e1811287e11297baa0205a81402142a02152a7e02460a0d21e806 \
     9003070508c608091e8114032c010b0f03110e04302008062d00000000000000 \
     1400000000000000000000000000000004000000000000001400000000000000 \
     00000000000000000400000000000000";

fn asm(source: &str) -> Assembled {
    assemble(source, Target::Gfx90a, &AssembleOptions::default()).unwrap_or_else(|d| panic!("{d}"))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Offset, kind and addend of each relocation.
fn relocations(a: &Assembled, section: &str) -> Vec<(u64, Kind, i64)> {
    let s = a.section(section).expect("the section");
    s.relocations
        .iter()
        .map(|r| (r.offset, r.kind, r.addend))
        .collect()
}

#[test]
fn frames_are_those_of_llvm() {
    let a = asm(&format!(".cfi_sections .eh_frame, .debug_frame\n{SOURCE}"));
    let eh = a.section(".eh_frame").expect("frames");
    assert_eq!(hex(&eh.data), EH_FRAME.replace(' ', ""));
    assert_eq!((eh.flags, eh.align), (2, 8));
    let debug = a.section(".debug_frame").expect("frames");
    assert_eq!(hex(&debug.data), DEBUG_FRAME.replace(' ', ""));
    assert_eq!((debug.flags, debug.align), (0, 8));
    assert_eq!(
        relocations(&a, ".eh_frame"),
        [
            (0x1c, Kind::Rel32, 0x5d4),
            (0x44, Kind::Rel32, 0),
            (0x90, Kind::Rel32, 0x5d8),
            (0xb8, Kind::Rel32, 0x5d0)
        ]
    );
    assert_eq!(
        relocations(&a, ".debug_frame")[..2],
        [(0x14, Kind::Abs32, 0), (0x18, Kind::Abs64, 0x5d4)]
    );
}

#[test]
fn frames_go_where_the_source_says() {
    let eh = asm(SOURCE);
    assert!(eh.section(".eh_frame").is_some() && eh.section(".debug_frame").is_none());
    let debug = asm(&format!(".cfi_sections .debug_frame\n{SOURCE}"));
    assert!(debug.section(".eh_frame").is_none() && debug.section(".debug_frame").is_some());
    let none = asm("s_endpgm");
    assert!(none.section(".eh_frame").is_none());
}

#[test]
fn frames_that_are_not_whole_are_found() {
    let source = ".cfi_def_cfa_offset 4
.cfi_startproc
.cfi_startproc
.cfi_foo
.cfi_offset s[0:1], 4
.cfi_escape 256
.cfi_personality 0x1b, foo
.cfi_sections .foo
.cfi_def_cfa 1
.data
.cfi_endproc";
    let d = assemble(source, Target::Gfx90a, &AssembleOptions::default()).expect_err("findings");
    let list: Vec<String> = d
        .list
        .iter()
        .map(|d| format!("{}:{}: {}", d.line, d.column, d.message))
        .collect();
    assert_eq!(
        list,
        [
            "1:1: this directive must appear between .cfi_startproc and .cfi_endproc directives",
            "2:1: Unfinished frame!",
            "3:1: starting new .cfi frame before finishing the previous one",
            "4:1: unknown directive .cfi_foo",
            "5:13: the register has no number in DWARF",
            "6:13: the value is no byte: 0 to 255",
            "7:1: .cfi_personality is for exceptions, which code objects do not have",
            "8:15: expected .eh_frame or .debug_frame",
            "9:15: expected comma",
            "11:1: the directive is in another section than its .cfi_startproc",
        ]
    );
}
