//! Whole sources: labels, expressions, directives, macros, descriptors, findings, limits.

use std::time::{Duration, Instant};
use waveglass_asm::{
    Arg, AssembleLimits, AssembleOptions, Assembled, BuildError, CodeBuilder, Diagnostics,
    Modifier, assemble, reg,
};
use waveglass_isa::{Target, op};

fn asm(target: Target, source: &str) -> Result<Assembled, Diagnostics> {
    assemble(source, target, &AssembleOptions::default())
}

fn words(target: Target, source: &str) -> Vec<u32> {
    let a = asm(target, source).unwrap_or_else(|d| panic!("{d}"));
    a.sections[0]
        .data
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

fn data(source: &str) -> Vec<u8> {
    let source = format!(".data\n{source}");
    let a = asm(Target::Gfx900, &source).unwrap_or_else(|d| panic!("{d}"));
    a.section(".data").map_or_else(Vec::new, |s| s.data.clone())
}

fn findings(target: Target, source: &str) -> Vec<String> {
    match asm(target, source) {
        Ok(_) => Vec::new(),
        Err(d) => d
            .list
            .iter()
            .map(|d| format!("{}:{}: {}", d.line, d.column, d.message))
            .collect(),
    }
}

#[test]
fn branches_count_dwords_from_the_next_instruction() {
    // SIMM16 is the distance in dwords behind the branch (Vega ISA 12.5, S_BRANCH).
    let code = words(
        Target::Gfx900,
        "top: s_nop 0\n s_branch top\n s_cbranch_scc0 end\n s_nop 1\nend: s_endpgm",
    );
    assert_eq!(
        code,
        [
            0xbf80_0000,
            0xbf82_fffe,
            0xbf84_0001,
            0xbf80_0001,
            0xbf81_0000
        ]
    );
}

#[test]
fn local_labels_are_the_nearest_in_their_direction() {
    let code = words(
        Target::Gfx900,
        "1: s_nop 0\n s_branch 1b\n s_branch 1f\n1: s_branch 1b",
    );
    assert_eq!(code, [0xbf80_0000, 0xbf82_fffe, 0xbf82_0000, 0xbf82_ffff]);
}

#[test]
fn expressions_follow_gnu_precedence() {
    // Products and shifts bind tighter than bit operations, these tighter than sums; comparisons
    // give all ones.
    assert_eq!(
        data(".long 1+2*3, 1|2+4, 8>>1<<2, 5==5, 3<2, -7/2, -7%3, ~0&0xff"),
        {
            let v: [i32; 8] = [7, 7, 16, -1, 0, -3, -1, 255];
            v.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>()
        }
    );
}

#[test]
fn symbols_may_be_set_again_and_used_before_they_are_set() {
    assert_eq!(
        data(".set a, 1\n.byte a\n.set a, 2\n.byte a\n.byte later\n.equ later, a+3"),
        [1, 2, 5]
    );
    assert_eq!(
        data("x: .byte 1,2,3\ny: .byte y-x, (y-x)*2"),
        [1, 2, 3, 3, 6]
    );
    let again = findings(Target::Gfx900, "a:\na:\n");
    assert_eq!(again, ["2:1: symbol 'a' is already defined"]);
}

#[test]
fn data_directives_write_their_bytes() {
    assert_eq!(data(".2byte 0x1234\n.quad -1"), {
        let mut v = vec![0x34, 0x12];
        v.extend([0xff; 8]);
        v
    });
    assert_eq!(data(r#".asciz "a\n\x41\101""#), b"a\nAA\0");
    assert_eq!(data(".fill 2, 2, 0x0102\n.zero 2"), [2, 1, 2, 1, 0, 0]);
    assert_eq!(data(".uleb128 624485\n.sleb128 -123456"), {
        // The example values of the DWARF standard's appendix on LEB128 numbers.
        [0xe5, 0x8e, 0x26, 0xc0, 0xbb, 0x78]
    });
    assert_eq!(data(".byte 1\n.p2align 2\n.byte 2"), [1, 0, 0, 0, 2]);
    assert_eq!(data(".float 1.5"), 1.5f32.to_le_bytes());
}

#[test]
fn code_is_padded_with_s_nop() {
    assert_eq!(
        words(Target::Gfx1100, "s_endpgm\n.p2align 4\ns_endpgm"),
        [
            0xbfb0_0000,
            0xbf80_0000,
            0xbf80_0000,
            0xbf80_0000,
            0xbfb0_0000
        ]
    );
}

#[test]
fn macros_take_defaults_names_and_the_rest() {
    let source = "
.macro put a, b=7, rest:vararg
  .byte \\a, \\b
  .ifnb \\rest
  .byte \\rest
  .endif
.endm
put 1
put 2, 3, 4, 5
put b=9, a=8
.rept 2
.byte 0xee
.endr
.irp x, 1, 2
.byte \\x*16
.endr
.irpc c, 34
.byte \\c
.endr";
    assert_eq!(
        data(source),
        [1, 7, 2, 3, 4, 5, 8, 9, 0xee, 0xee, 16, 32, 3, 4]
    );
}

#[test]
fn conditions_choose_lines() {
    let source = "
.set n, 2
.if n == 1
.byte 1
.elseif n == 2
.byte 2
.else
.byte 3
.endif
.ifdef n
.byte 4
.endif
.ifndef n
.byte 5
.if 1
.byte 6
.endif
.endif
.ifc abc, abc
.byte 7
.endif";
    assert_eq!(data(source), [2, 4, 7]);
}

#[test]
fn descriptors_have_llvm_s_defaults() {
    // 33 VGPRs are five granules of eight; 20 SGPRs and six for FLAT_SCRATCH, XNACK_MASK and VCC are four
    // granules of eight (AMDGPUUsage, COMPUTE_PGM_RSRC1).
    let source = ".globl k\n.type k,@function\nk: s_endpgm\n.rodata\n.p2align 6\n\
                  .amdhsa_kernel k\n.amdhsa_next_free_vgpr 33\n.amdhsa_next_free_sgpr 20\n\
                  .amdhsa_accum_offset 36\n.end_amdhsa_kernel";
    let a = asm(Target::Gfx90a, source).unwrap_or_else(|d| panic!("{d}"));
    let kd = &a.section(".rodata").expect("the descriptor's section").data;
    assert_eq!(
        kd[44..60],
        [8, 0, 0, 0, 0xc4, 0, 0xac, 0, 0x80, 0, 0, 0, 0, 0, 0, 0]
    );
    let missing = source.replace(".amdhsa_accum_offset 36\n", "");
    assert_eq!(
        findings(Target::Gfx90a, &missing),
        ["9:1: .amdhsa_accum_offset directive is required"]
    );
}

#[test]
fn all_findings_are_told_with_their_places() {
    let source = "s_nop 0\n v_add_f32 v0, v1\n s_mov_b32 s0, s200\n\tfoo\n s_endpgm";
    let list = findings(Target::Gfx900, source);
    assert_eq!(list.len(), 3, "{list:?}");
    assert_eq!(list[0], "2:2: too few operands for instruction");
    assert!(
        list[1].starts_with("3:16: register index is out of range"),
        "{}",
        list[1]
    );
    assert_eq!(list[2], "4:2: invalid instruction");
    let d = asm(Target::Gfx900, source).expect_err("three errors");
    assert!(
        d.render("k.s")
            .contains(" s_mov_b32 s0, s200\n               ^\n")
    );
}

#[test]
fn an_instruction_of_another_generation_is_named_as_such() {
    let d = asm(Target::Gfx90a, "buffer_load_u16 v1, off, s[0:3], 0").expect_err("gfx11 has it");
    let first = &d.list[0];
    assert_eq!(first.message, "instruction not supported on gfx90a");
    let help = first.help.as_deref().unwrap_or("");
    assert!(
        help.contains("gfx1100") && help.contains("gfx90a has buffer_load_ushort"),
        "{help}"
    );
}

#[test]
fn a_near_spelling_is_suggested() {
    let d = asm(Target::Gfx900, "v_ad_f32 v0, v1, v2").expect_err("no such name");
    assert_eq!(d.list[0].help.as_deref(), Some("did you mean v_add_f32?"));
}

#[test]
fn ranges_and_alignment_are_said_in_words() {
    let one = |target, text: &str| findings(target, text).join("\n");
    let m = one(Target::Gfx90a, "v_add_f64 v[1:2], v[2:3], v[4:5]");
    assert!(m.contains("64 bit aligned"), "{m}");
    let m = one(
        Target::Gfx900,
        "global_load_dword v0, v[1:2], off offset:5000",
    );
    assert!(m.contains("expected a 13-bit signed offset"), "{m}");
    let m = one(Target::Gfx942, "global_load_dword v0, v[2:3], off glc");
    assert!(m.contains("glc is not supported on gfx942"), "{m}");
    let m = one(Target::Gfx900, "v_add_f32 v0, s1, s2");
    assert!(m.contains("invalid operand"), "{m}");
    let m = one(Target::Gfx900, "v_add_f64 v[0:1], 0x123456789, v[2:3]");
    assert!(m.contains("does not fit"), "{m}");
}

fn limited(source: &str) -> Vec<String> {
    let start = Instant::now();
    let options = AssembleOptions {
        limits: AssembleLimits {
            bytes: 16 << 20,
            statements: 2_000_000,
            ..AssembleLimits::default()
        },
        ..AssembleOptions::default()
    };
    let r = assemble(source, Target::Gfx900, &options);
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
    match r {
        Ok(_) => Vec::new(),
        Err(d) => d.list.into_iter().map(|d| d.message).collect(),
    }
}

#[test]
fn bombs_end_in_findings() {
    let m = limited(".macro m\nm\n.endm\nm");
    assert!(m[0].contains("nested more than"), "{m:?}");
    let m = limited(".macro m\nm\nm\n.endm\nm");
    assert!(!m.is_empty());
    let m = limited(".fill 0x40000000, 4, 0");
    assert!(m[0].contains("limit"), "{m:?}");
    let m = limited(".zero 0x7fffffffffffffff");
    assert!(m[0].contains("limit"), "{m:?}");
    let m = limited(".rept 100000000\n.byte 1\n.endr");
    assert!(!m.is_empty());
    let m = limited(".rept 1000\n.rept 1000\n.rept 1000\n.endr\n.endr\n.endr");
    assert!(m[0].contains("too many statements"), "{m:?}");
    let m = limited(&format!(
        ".long {}1{}",
        "(".repeat(100_000),
        ")".repeat(100_000)
    ));
    assert!(m[0].contains("nested too deeply"), "{m:?}");
    let m = limited(".set a, b\n.set b, a\n.long a");
    assert_eq!(m, ["expected relocatable expression"]);
    let m = limited(&"x".repeat(1 << 20));
    assert_eq!(m, ["invalid instruction"]);
    let start = Instant::now();
    let m = limited(".rept 1000000000\ns_nop 0\n.endr");
    assert!(m[0].contains("too many statements"), "{m:?}");
    assert!(start.elapsed() < Duration::from_secs(1));
}

fn in_time(source: &str) -> Vec<u8> {
    let start = Instant::now();
    let a = asm(Target::Gfx900, source).unwrap_or_else(|d| panic!("{d}"));
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
    a.sections[0].data.clone()
}

#[test]
fn chains_of_symbols_have_their_values() {
    // Each symbol names the one before it twice.
    let mut chain = String::from(".set a0, z\n");
    for n in 1..63 {
        chain.push_str(&format!(".set a{n}, a{}+a{}\n", n - 1, n - 1));
    }
    chain.push_str(".set z, 3\n.quad a61");
    assert_eq!(in_time(&chain), (3u64 << 61).to_le_bytes());
    // Each names the next one, and each the one before, with the end of the chain unknown.
    const LENGTH: usize = 200_000;
    for forward in [true, false] {
        let mut chain = String::new();
        for n in 0..LENGTH {
            let (from, to) = match forward {
                true => (n, n + 1),
                false => (LENGTH - n - 1, LENGTH - n),
            };
            chain.push_str(&format!(".set a{from}, a{to}+1\n"));
        }
        chain.push_str(&format!(".long a0\n.set a{LENGTH}, 5"));
        assert_eq!(in_time(&chain), (LENGTH as u32 + 5).to_le_bytes());
    }
    let terms = format!(".long x{}\nx=7", "+1".repeat(500_000));
    assert_eq!(in_time(&terms), 500_007u32.to_le_bytes());
}

#[test]
fn many_sections_assemble_in_time() {
    let mut source = String::new();
    for n in 0..70_000 {
        source.push_str(&format!(
            ".section .s{n},\"a\",@progbits\n.long l{n}-.\nl{n}:\n"
        ));
    }
    in_time(&source);
}

#[test]
fn a_million_labels_assemble_in_time() {
    let mut source = String::new();
    for n in 0..1_000_000 {
        source.push_str(&format!("l{n}:\n"));
    }
    source.push_str("s_endpgm\n");
    let start = Instant::now();
    let a = asm(Target::Gfx900, &source).unwrap_or_else(|d| panic!("{d}"));
    assert_eq!(a.symbols.len(), 1_000_000);
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn a_long_branch_is_reported_as_llvm_does() {
    let source = "s_branch far\n.fill 40000, 4, 0\nfar: s_endpgm";
    assert_eq!(
        findings(Target::Gfx900, source),
        ["1:1: branch size exceeds simm16"]
    );
}

#[test]
fn gfx1010_branches_by_0x3f_dwords_get_room() {
    let source = format!("s_branch out\n{}out: s_endpgm", "s_nop 1\n".repeat(0x3f));
    let code = words(Target::Gfx1010, &source);
    assert_eq!(code[..2], [0xbf82_0040, 0xbf80_0000]);
    assert_eq!(code.len(), 0x3f + 3);
    assert_eq!(words(Target::Gfx1030, &source).len(), 0x3f + 2);
}

#[test]
fn code_is_built_without_text() -> Result<(), BuildError> {
    let mut b = CodeBuilder::new(Target::Gfx900, 64);
    let end = b.label();
    b.inst(op::S_CBRANCH_SCC0, &[end.into()], &[])?;
    b.inst(
        op::V_ADD_F32,
        &[reg::v(1).into(), -Arg::from(reg::v(2)), reg::v(3).into()],
        &[],
    )?;
    b.inst(
        op::GLOBAL_LOAD_DWORD,
        &[reg::v(0).into(), reg::vs(1, 2).into(), Arg::OFF],
        &[Modifier::Offset(-4), Modifier::CachePolicy(1)],
    )?;
    b.bind(end);
    b.inst(op::S_ENDPGM, &[0.into()], &[])?;
    let built = b.finish()?;
    let text = "s_cbranch_scc0 end\n v_add_f32 v1, -v2, v3\n \
                global_load_dword v0, v[1:2], off offset:-4 glc\nend: s_endpgm";
    let a = asm(Target::Gfx900, text).unwrap_or_else(|d| panic!("{d}"));
    assert_eq!(built, a.sections[0].data);
    let mut b = CodeBuilder::new(Target::Gfx900, 64);
    assert!(matches!(
        b.inst(op::BUFFER_LOAD_U16, &[], &[]),
        Err(BuildError::NoInstruction { .. })
    ));
    Ok(())
}

#[test]
fn leb128_numbers_may_look_ahead() {
    let source = "\
.section .x
.uleb128 .Lend-.Lstart
.Lstart: .zero 200
.Lend: .sleb128 .Lstart-.Lend
.uleb128 .Lfar-.Lstart
.Lfar:";
    let a = asm(Target::Gfx900, source).unwrap_or_else(|d| panic!("{d}"));
    let data = &a.section(".x").expect("a section").data;
    // 200, then -200, then 204: 200 bytes and two numbers of two bytes each.
    assert_eq!(data[..2], [0xc8, 0x01]);
    assert_eq!(data[202..204], [0xb8, 0x7e]);
    assert_eq!(data[204..], [0xcc, 0x01]);
}

#[test]
fn lds_symbols_lie_one_behind_the_other() {
    let source = ".amdgpu_lds a, 6\n.amdgpu_lds b, 256, 16\n.amdgpu_lds c, 0, 8\n\
                  s_mov_b32 s0, b@abs32@lo\n.long a, c";
    let a = asm(Target::Gfx900, source).unwrap_or_else(|d| panic!("{d}"));
    let words: Vec<u32> = a.sections[0]
        .data
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    assert_eq!(words, [0xbe80_00ff, 16, 0, 272]);
    assert_eq!(
        findings(
            Target::Gfx900,
            ".amdgpu_lds a, 65537\n.amdgpu_lds b, 4, 3\n.amdgpu_lds c, -1\nd:\n.amdgpu_lds d, 4"
        ),
        [
            "1:16: size is too large",
            "2:19: alignment must be a power of two",
            "3:16: size must be non-negative",
            "5:13: symbol 'd' is already defined",
        ]
    );
}

fn with_files(source: &str) -> Result<waveglass_asm::Assembled, waveglass_asm::Diagnostics> {
    let load = |name: &str| match name {
        "one.inc" => Ok(b"s_nop 1\n.include \"two.inc\"\ns_nop 3\n".to_vec()),
        "two.inc" => Ok(b"s_nop 2".to_vec()),
        "loop.inc" => Ok(b".include \"loop.inc\"".to_vec()),
        "bad.inc" => Ok(b"s_nop 0\n\ts_nopp 1".to_vec()),
        "data" => Ok((0..10).collect()),
        _ => Err("no such file".to_owned()),
    };
    let options = AssembleOptions {
        files: Some(waveglass_asm::FileLoader(std::sync::Arc::new(load))),
        ..AssembleOptions::default()
    };
    assemble(source, Target::Gfx900, &options)
}

#[test]
fn other_files_come_from_the_loader() {
    let a = with_files(
        ".include \"one.inc\"\n.incbin \"data\"\n.incbin \"data\", 4, 3\n.incbin \"data\",,1",
    )
    .unwrap_or_else(|d| panic!("{d}"));
    let data = &a.sections[0].data;
    assert_eq!(
        data[..12],
        [1, 0, 0x80, 0xbf, 2, 0, 0x80, 0xbf, 3, 0, 0x80, 0xbf]
    );
    assert_eq!(data[12..], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 4, 5, 6, 0]);
    let d = with_files(".include \"none\"").unwrap_err();
    assert_eq!(
        d.list[0].message,
        "could not find file 'none': no such file"
    );
    let d = with_files(".include \"loop.inc\"").unwrap_err();
    assert_eq!(
        d.list[0].message,
        "files cannot be nested more than 64 levels deep"
    );
    let d = with_files("s_nop 0\n.include \"bad.inc\"").unwrap_err();
    assert_eq!(
        d.render("k.s"),
        "bad.inc:2:2: error: invalid instruction\n\ts_nopp 1\n\t^\nhelp: did you mean s_nop?\n\
         k.s:2: note: bad.inc was entered here\n"
    );
    // Without a loader nothing is read.
    assert_eq!(
        findings(Target::Gfx900, ".incbin \"data\""),
        ["1:9: could not find file 'data': no other files may be read here"]
    );
}

#[test]
fn findings_in_macros_name_the_way_to_them() {
    let source = ".macro inner r\ns_nop 0\ns_mov_b32 \\r, v0\n.endm\n.macro outer\ninner s1\n.endm\n\n.rept 1\nouter\n.endr";
    let d = asm(Target::Gfx900, source).unwrap_err();
    let text = d.render("k.s");
    assert!(text.starts_with("<macro inner>:2:"), "{text}");
    assert!(text.contains("s_mov_b32 s1, v0\n"), "{text}");
    assert!(
        text.ends_with(
            "<macro outer>:1: note: macro inner was entered here\n\
             <repetition>:1: note: macro outer was entered here\n\
             k.s:9: note: repetition was entered here\n"
        ),
        "{text}"
    );
}

/// Metadata of one kernel with an entry replaced or added.
fn metadata(
    key: &str,
    value: &str,
) -> Result<waveglass_asm::Assembled, waveglass_asm::Diagnostics> {
    let mut text = String::from("\t.amdgpu_metadata\n---\namdhsa.kernels:\n");
    let mut mark = "  - ";
    let entries = [
        (".group_segment_fixed_size", "0"),
        (".kernarg_segment_align", "8"),
        (".kernarg_segment_size", "12"),
        (".max_flat_workgroup_size", "1024"),
        (".name", "k"),
        (".private_segment_fixed_size", "0"),
        (".sgpr_count", "'10'"),
        (".symbol", "k.kd"),
        (".vgpr_count", "1"),
        (".wavefront_size", "64"),
    ];
    let mut seen = false;
    for (k, v) in entries {
        let v = if k == key { value } else { v };
        seen |= k == key;
        if v != "none" {
            text.push_str(&format!("{mark}{k}: {v}\n"));
            mark = "    ";
        }
    }
    if !seen {
        text.push_str(&format!("    {key}: {value}\n"));
    }
    text.push_str("amdhsa.version:\n  - 1\n  - 2\n...\n\t.end_amdgpu_metadata\n");
    asm(Target::Gfx900, &text)
}

#[test]
fn metadata_is_checked_as_llvm_checks_it() {
    // What llvm-mc-22 takes.
    for (key, value) in [
        (".name", "&a k"),
        (".name", "!str 12"),
        (".sgpr_count", "!int 10"),
        (".sgpr_count", "0x10"),
        (".sgpr_count", "-1"),
        (".reqd_workgroup_size", "[1, 2, 3]"),
        (".unknown", "1"),
        (".args", "[]"),
        (".language", "OpenCL C++"),
    ] {
        assert!(metadata(key, value).is_ok(), "{key} {value}");
    }
    // What it rejects.
    for (key, value, message) in [
        (".name", "12", "amdhsa.kernels/0/.name must be text"),
        (".name", "none", "amdhsa.kernels/0/.name is missing"),
        (
            ".sgpr_count",
            "ten",
            "amdhsa.kernels/0/.sgpr_count must be a number",
        ),
        (
            ".sgpr_count",
            "true",
            "amdhsa.kernels/0/.sgpr_count must be a number",
        ),
        (
            ".reqd_workgroup_size",
            "[1, 2]",
            "amdhsa.kernels/0/.reqd_workgroup_size must be a list of 3 numbers",
        ),
        (
            ".uses_dynamic_stack",
            "1",
            "amdhsa.kernels/0/.uses_dynamic_stack must be true or false",
        ),
        (
            ".args",
            "[{.size: 4}]",
            "amdhsa.kernels/0/.args/0/.offset is missing",
        ),
        (
            ".args",
            "[{.size: 4, .offset: 0, .value_kind: pointer}]",
            "amdhsa.kernels/0/.args/0/.value_kind cannot be \"pointer\"",
        ),
    ] {
        let d = metadata(key, value).unwrap_err();
        assert_eq!(d.list[0].message, format!("invalid metadata: {message}"));
    }
    // Scalars that are none; what LLVM rejects, too.
    for (value, message) in [
        ("\"open", "expected a closing \""),
        ("'it''s", "expected a closing '"),
        ("\"a\" b", "behind a closing \""),
        ("\"\\q\"", "is no escape"),
        ("a: b", "another key"),
        ("\u{1}", "may not stand in YAML"),
    ] {
        let d = metadata(".unknown", value).unwrap_err();
        assert!(d.list[0].message.contains(message), "{value}: {d}");
    }
    for value in ["'it''s'", "\"a: \\\"b\\\"\"", "a:b", "'a: b'", "C++ \u{e9}"] {
        assert!(metadata(".unknown", value).is_ok(), "{value}");
    }
    let d = metadata(".language", "Rust").unwrap_err();
    assert!(d.list[0].message.contains("one of OpenCL C, "), "{d}");
    let d = metadata(".name", "*a").unwrap_err();
    assert!(d.list[0].message.contains("aliases"), "{d}");
}

#[test]
fn block_scalars_are_read_as_llvm_reads_them() {
    let hint = |value: &str| {
        let a = metadata(".vec_type_hint", value).unwrap_or_else(|d| panic!("{d}"));
        a.metadata.unwrap_or_default()
    };
    let holds = |value: &str, text: &str| {
        hint(value)
            .windows(text.len())
            .any(|w| w == text.as_bytes())
    };
    assert!(holds("|\n      abc\n\n        def", "abc\n\n  def\n"));
    assert!(holds(">\n      abc\n      def", "abc def\n"));
    assert!(holds("|-\n      abc\n      def", "abc\ndef"));
    assert!(!holds("|-\n      abc\n      def", "abc\ndef\n"));
    assert!(holds("\"a\\tb\\x41\"", "a\tbA"));
}

#[test]
fn text_that_macros_double_ends_in_an_error() {
    for body in ["m \\a\\a", "m \"\\a \\a\""] {
        let source = format!(".macro m a\n{body}\n.endm\nm xxxxxxxxxxxxxxxx\n");
        let options = waveglass_asm::AssembleOptions {
            limits: waveglass_asm::AssembleLimits {
                bytes: 1 << 20,
                ..Default::default()
            },
            ..Default::default()
        };
        let findings =
            waveglass_asm::assemble(&source, waveglass_isa::Target::Gfx900, &options).unwrap_err();
        assert!(
            findings
                .list
                .iter()
                .any(|d| d.message.contains("too much text")),
            "{findings:?}"
        );
    }
}

#[test]
fn late_findings_are_as_many_as_the_limit_at_most() {
    let n = 40_000;
    let source: String = (0..n)
        .map(|i| format!("l{i}:\n s_branch l{}\n", (i * 7919) % n))
        .collect();
    let findings = waveglass_asm::assemble(
        &source,
        waveglass_isa::Target::Gfx900,
        &waveglass_asm::AssembleOptions::default(),
    );
    let limit = waveglass_asm::AssembleLimits::default().findings;
    if let Err(f) = findings {
        assert!(f.list.len() <= limit);
    }
    // Destinations past a branch's reach.
    let far: String = (0..2000)
        .map(|_| " s_branch end\n")
        .chain(std::iter::repeat_n(" v_nop\n", 40_000))
        .chain(["end:\n"])
        .collect();
    let findings = waveglass_asm::assemble(
        &far,
        waveglass_isa::Target::Gfx900,
        &waveglass_asm::AssembleOptions::default(),
    )
    .unwrap_err();
    assert_eq!(findings.list.len(), limit);
}
