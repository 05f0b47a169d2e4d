//! Sources that a hostile reader found: none ends in a panic.

use waveglass_asm::{AssembleOptions, assemble};
use waveglass_isa::Target;

fn findings(source: &str) -> String {
    match assemble(source, Target::Gfx900, &AssembleOptions::default()) {
        Ok(_) => String::new(),
        Err(d) => d.render("s"),
    }
}

#[test]
fn a_comment_without_an_end_is_an_error() {
    // LLVM: "unterminated comment".
    let text = findings("s_nop 0\n/* abc\ns_endpgm\n");
    assert!(
        text.contains("s:2:1") && text.contains("`*/` is missing"),
        "{text}"
    );
    assert_eq!(findings("/* abc\n def */ s_endpgm\n"), "");
}

#[test]
fn letters_of_any_length_may_stand_in_metadata() {
    for key in ["é", "鍵", "x🗝", "'é'"] {
        let source = [
            ".amdgpu_metadata\namdhsa.version: [1, 2]\namdhsa.kernels: []\n",
            key,
            ": 2\n.end_amdgpu_metadata\n",
        ]
        .concat();
        assert_eq!(findings(&source), "", "{key}");
    }
}

/// Every kind of mistake with what is said of it, as a terminal shows it.
#[test]
fn findings_teach() {
    let source = include_str!("teaching.s");
    let d = waveglass_asm::assemble(source, Target::Gfx90a, &Default::default()).unwrap_err();
    let text = d.render("teaching.s");
    let want = include_str!("teaching.txt");
    assert!(text == want, "{text}");
}
