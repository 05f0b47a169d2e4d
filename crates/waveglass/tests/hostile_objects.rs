//! No code object makes the listing or the source of it panic, or takes time that grows with the
//! square of its size.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use waveglass::asm::{PrintOptions, assemble};
use waveglass::isa::Target;
use waveglass::object::CodeObject;
use waveglass::{Disassembly, Listing, ListingError, ListingOptions, link_code_object, source_of};

const OPTIONS: ListingOptions = ListingOptions {
    wave_size: None,
    print: PrintOptions { true16: true },
};

fn object(source: &str) -> Vec<u8> {
    let a = assemble(source, Target::Gfx900, &Default::default()).unwrap_or_else(|d| panic!("{d}"));
    link_code_object(&a).unwrap()
}

/// All lines of all functions, gone through and not kept.
fn lines(d: &Disassembly<'_>) -> usize {
    let mut count = 0;
    for f in d.functions() {
        let mut lines = f.lines();
        while lines.next_line().is_some() {
            count += 1;
        }
    }
    count
}

#[test]
fn a_symbol_amid_an_instruction_starts_a_function_there() {
    // A name on the literal of an addition: s_nop 1 by itself.
    let elf = object(
        ".globl f\n.type f,@function\nf: v_add_f32 v1, 0xbf800001, v2\ns_endpgm\n\
         .globl g\n.type g,@function\ng = f + 4\n.size f, 12\n",
    );
    let object = CodeObject::parse(&elf).unwrap();
    let listing = Listing::of_object(&object, None, &OPTIONS).unwrap();
    let texts: Vec<(&str, Vec<&str>)> = listing
        .functions
        .iter()
        .map(|f| {
            let lines = f.lines.iter().map(|l| l.text.as_str()).collect();
            (f.name.as_str(), lines)
        })
        .collect();
    assert_eq!(
        texts,
        [
            ("f", vec!["v_add_f32_e32 v1, 0xbf800001, v2", "s_endpgm"]),
            ("g", vec!["s_nop 1", "s_endpgm"]),
        ]
    );
}

#[test]
fn a_section_without_code_has_no_lines() {
    for source in [".text\n", ".globl f\n.type f,@function\nf:\n"] {
        let elf = object(source);
        let object = CodeObject::parse(&elf).unwrap();
        if let Ok(d) = Disassembly::of_object(&object, None, &OPTIONS) {
            assert_eq!(lines(&d), 0);
        }
    }
}

#[test]
fn functions_far_apart_end_with_their_sections() {
    let elf = object(
        ".globl f\n.type f,@function\nf: s_nop 0\ns_endpgm\n\
         .section .far,\"ax\",@progbits\n.p2align 16\n\
         .globl g\n.type g,@function\ng: s_nop 1\n",
    );
    let object = CodeObject::parse(&elf).unwrap();
    let d = Disassembly::of_object(&object, None, &OPTIONS).unwrap();
    let sizes: Vec<(&str, usize)> = d.functions().map(|f| (f.name, f.code.len())).collect();
    assert_eq!(sizes, [("f", 8), ("g", 4)]);
}

/// Functions `f0`, `f1` and so on of an instruction each.
fn functions(count: usize, size: impl Fn(usize) -> String) -> String {
    let mut source = String::new();
    for i in 0..count {
        let _ = writeln!(
            source,
            ".globl f{i}\n.type f{i},@function\nf{i}: s_nop {}\n{}",
            i % 8,
            size(i)
        );
    }
    source.push_str("end:\n");
    source
}

#[test]
fn a_hundred_thousand_symbols_take_a_moment() {
    const COUNT: usize = 120_000;
    let elf = object(&functions(COUNT, |_| String::new()));
    let start = Instant::now();
    let object = CodeObject::parse(&elf).unwrap();
    let d = Disassembly::of_object(&object, None, &OPTIONS).unwrap();
    assert_eq!(d.functions().len(), COUNT);
    assert_eq!(lines(&d), COUNT, "each ends where the next one starts");
    assert!(start.elapsed() < Duration::from_secs(20));
    let start = Instant::now();
    source_of(&elf).unwrap();
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn many_sections_pointers_and_kernels_take_a_moment() {
    const COUNT: usize = 10_000;
    let mut source = String::from(".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\n");
    for i in 0..COUNT {
        let _ = write!(
            source,
            ".section t{i},\"ax\",@progbits\n.globl k{i}\n.p2align 8\n.type k{i},@function\n\
             k{i}: s_endpgm\n.size k{i}, 4\n.data\n.quad k{i}\n.rodata\n.p2align 6\n\
             .amdhsa_kernel k{i}\n.amdhsa_next_free_vgpr 4\n.amdhsa_next_free_sgpr 8\n\
             .end_amdhsa_kernel\n"
        );
    }
    let start = Instant::now();
    let elf = object(&source);
    let object = CodeObject::parse(&elf).unwrap();
    let d = Disassembly::of_object(&object, None, &OPTIONS).unwrap();
    assert_eq!(d.functions().filter(|f| f.kernel).count(), COUNT);
    assert_eq!(lines(&d), COUNT);
    let text = source_of(&elf).unwrap();
    assert_eq!(text.matches(".amdhsa_kernel k").count(), COUNT);
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn functions_that_all_claim_the_same_code_are_refused() {
    let elf = object(&functions(20_000, |i| format!(".size f{i}, end - f{i}")));
    let object = CodeObject::parse(&elf).unwrap();
    let refused = Disassembly::of_object(&object, None, &OPTIONS);
    assert!(
        matches!(refused, Err(ListingError::Overlap { code: 80_000, .. })),
        "{refused:?}"
    );
    let one = Disassembly::of_object(&object, Some("f3"), &OPTIONS).unwrap();
    assert_eq!(lines(&one), 19_997);
}

#[test]
fn damaged_objects_end_in_an_error_or_a_listing() {
    let elf = object(
        ".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\n.globl k\n.p2align 8\n.type k,@function\n\
         k: s_branch 1f\ns_nop 3\n1: s_endpgm\n.size k, .-k\n.rodata\n.p2align 6\n.amdhsa_kernel k\n\
         .amdhsa_next_free_vgpr 4\n.amdhsa_next_free_sgpr 8\n.end_amdhsa_kernel\n\
         .data\n.globl d\nd: .quad k\n.quad d + 8\n",
    );
    source_of(&elf).unwrap();
    let mut state = 7u64;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let (mut listed, mut written) = (0, 0);
    for round in 0..4000 {
        let mut bytes = elf.clone();
        for _ in 0..1 + round % 3 {
            // Headers and tables stand at the file's start and end.
            let at = match round % 2 {
                0 => next(bytes.len()),
                _ => bytes.len() - 1 - next(0x400.min(bytes.len())),
            };
            bytes[at] = [0, 1, 0x7f, 0x80, 0xff, next(256) as u8][next(6)];
        }
        if round % 10 == 0 {
            bytes.truncate(next(bytes.len()));
        }
        if let Ok(object) = CodeObject::parse(&bytes)
            && let Ok(d) = Disassembly::of_object(&object, None, &OPTIONS)
        {
            lines(&d);
            listed += 1;
        }
        written += usize::from(source_of(&bytes).is_ok());
    }
    assert!(listed > 1000 && written > 100, "{listed} {written}");
}
