//! What clang writes as assembly assembles to what clang writes as a code object: the kernels
//! under `tests/kernels/asm`, against the code objects under `tests/kernels/built`.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use waveglass::asm::{AssembleOptions, Assembled, assemble};
use waveglass::isa::Target;
use waveglass::object::{CodeObject, File};
use waveglass::{link_code_object, source_of};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels")
}

/// The sources: name of the build, target, text.
fn sources() -> Vec<(String, Target, String)> {
    let mut list = Vec::new();
    for entry in std::fs::read_dir(folder().join("asm")).expect("the kernels are checked in") {
        let path = entry.expect("a folder that can be read").path();
        let name = path.file_name().and_then(|n| n.to_str()).expect("a name");
        let stem = name.strip_suffix(".s.gz").expect("compressed assembly");
        let (build, target) = stem.rsplit_once('.').expect("a target in the name");
        let mut text = String::new();
        flate2::read::GzDecoder::new(std::fs::File::open(&path).expect("a file"))
            .read_to_string(&mut text)
            .expect("gzip of UTF-8");
        list.push((build.to_owned(), target.parse().expect("a target"), text));
    }
    list.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    assert!(list.len() >= 100, "only {} sources", list.len());
    list
}

fn assembled(build: &str, target: Target, text: &str) -> Assembled {
    assemble(text, target, &AssembleOptions::default())
        .unwrap_or_else(|d| panic!("{build} for {target}:\n{d}"))
}

/// The contents of a section.
fn section(elf: &[u8], name: &str) -> Option<Vec<u8>> {
    let at = |offset: usize, n: usize| {
        elf[offset..offset + n]
            .iter()
            .rev()
            .fold(0u64, |v, b| v << 8 | *b as u64) as usize
    };
    let (table, count, names) = (at(40, 8), at(60, 2), at(62, 2));
    let names = at(table + 64 * names + 24, 8);
    (0..count).find_map(|n| {
        let header = table + 64 * n;
        let start = names + at(header, 4);
        let text: Vec<u8> = elf[start..]
            .iter()
            .copied()
            .take_while(|b| *b != 0)
            .collect();
        let (offset, size) = (at(header + 24, 8), at(header + 32, 8));
        (text == name.as_bytes()).then(|| elf[offset..offset + size].to_vec())
    })
}

fn built(build: &str, target: Target) -> Vec<u8> {
    let path = folder().join(format!("built/{build}.hipfb"));
    let data = std::fs::read(&path).expect("the kernels are checked in");
    let File::Bundle(bundle) = File::parse(&data).expect("a fat binary") else {
        panic!("{build} is no bundle");
    };
    let entry = bundle
        .find(target.name())
        .next()
        .expect("the target is there");
    bundle.data(entry).to_vec()
}

#[test]
fn clang_s_assembly_gives_clang_s_code_objects() {
    let mut wrong = Vec::new();
    for (build, target, text) in sources() {
        let ours = link_code_object(&assembled(&build, target, &text)).expect("it links");
        let theirs = built(&build, target);
        for name in [".text", ".rodata", ".note", ".data.rel.ro", ".rela.dyn"] {
            if section(&ours, name) != section(&theirs, name) {
                wrong.push(format!("{build} for {target}: {name} differs"));
            }
        }
        let object = CodeObject::parse(&ours).expect("Waveglass reads it");
        assert_eq!(object.target().gfx, target.name());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_disassembly_assembles_to_the_same_code_object() {
    // `source_of` assembles and compares; what it refuses is an error here.
    let mut wrong = Vec::new();
    let builds = [
        "linear.O0",
        "calls.O0",
        "calls.O3",
        "reduce.O3",
        "crosslane.O3",
        "half.O3",
        "switch.O0",
        "transcendental.O3",
        "abi.O3.v4",
        "abi.O3.v5",
        "crosslane.O3.wave64",
    ];
    for build in builds {
        for &target in Target::ALL {
            let path = folder().join(format!("built/{build}.hipfb"));
            let data = std::fs::read(&path).expect("the kernels are checked in");
            let Ok(File::Bundle(bundle)) = File::parse(&data) else {
                panic!("{build} is no bundle");
            };
            let Some(entry) = bundle.find(target.name()).next() else {
                continue;
            };
            match source_of(bundle.data(entry)) {
                Ok(text) => {
                    // What llvm-mc-22 asks of it: the mark at the metadata's end, and a mask that
                    // agrees with the target ID, which leaves XNACK open here.
                    let mask = match target.is_gfx9() {
                        true => ".amdhsa_reserve_xnack_mask 1\n",
                        false => ".amdhsa_kernel",
                    };
                    for part in [mask, "\n...\n\t.end_amdgpu_metadata\n"] {
                        assert!(text.contains(part), "{build} for {target}: {part:?}");
                    }
                }
                Err(e) => wrong.push(format!("{build} for {target}: {e}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_global_offset_table_comes_back() {
    let text = "\
.globl k
.type k,@function
k:
 s_getpc_b64 s[0:1]
 s_add_u32 s0, s0, second@gotpcrel32@lo+4
 s_addc_u32 s1, s1, second@gotpcrel32@hi+12
 s_getpc_b64 s[2:3]
 s_add_u32 s2, s2, first@gotpcrel32@lo+4
 s_addc_u32 s3, s3, first@gotpcrel32@hi+12
 s_endpgm
.data
.globl first
.type first,@object
first: .long 1
.globl second
.type second,@object
second: .long 2
";
    let a = assembled("got", Target::Gfx90a, text);
    let elf = link_code_object(&a).expect("it links");
    let source = source_of(&elf).unwrap_or_else(|e| panic!("{e}"));
    assert!(
        source.contains("s_add_u32 s0, s0, second@gotpcrel32@lo+4\n"),
        "{source}"
    );
    assert!(
        source.contains("s_addc_u32 s3, s3, first@gotpcrel32@hi+12\n"),
        "{source}"
    );
}

#[test]
fn assembled_debug_information_leads_to_source_lines() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../waveglass-asm/tests/sources/debug.lines.gfx90a.s.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).expect("a file"))
        .read_to_string(&mut text)
        .expect("gzip of UTF-8");
    let elf = link_code_object(&assembled("debug", Target::Gfx90a, &text)).expect("it links");
    let object = CodeObject::parse(&elf).expect("a code object");
    let lines = waveglass::SourceLines::of(&object).expect("line information");
    let start = object.kernels()[0].entry;
    let at = |offset: u64| {
        lines
            .find(start + offset)
            .map(|l| (l.file, l.line, l.column))
    };
    let file = "/src/k.hip".to_owned();
    assert_eq!(at(0), Some((file.clone(), 3, Some(11))));
    assert_eq!(at(0x34), Some((file.clone(), 5, Some(24))));
    assert_eq!(at(0x44), Some((file, 6, Some(1))));
}
