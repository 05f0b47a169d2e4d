//! What a run says of its memory violations.

use waveglass::isa::Target::Gfx900;
use waveglass::{Arg, FaultEntry, Limits, MemoryConfig, Module, asm, link_code_object};

/// Two bugs: line 3 stores past the end of the first buffer, line 4 far before the second.
const TWO: &str = r#"
    .amdgcn_target "amdgcn-amd-amdhsa--gfx900"
    .file 1 "src/two.cl"
    .text
    .globl two
    .p2align 8
    .type two,@function
two:
    .loc 1 2 11
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    s_lshl_b32 s2, s2, 6
    v_add_u32 v0, s2, v0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    .loc 1 3 12
    global_store_dword v1, v0, s[4:5] offset:16
    .loc 1 4 15
    v_subrev_u32 v1, 4000, v1
    v_ashrrev_i32 v2, 31, v1
    v_mov_b32 v3, s7
    v_add_co_u32 v1, vcc, s6, v1
    v_addc_co_u32 v2, vcc, v3, v2, vcc
    global_store_dword v[1:2], v0, off
    s_endpgm
.Lend:
    .size two, .Lend-two
    .rodata
    .p2align 6
    .amdhsa_kernel two
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_system_sgpr_workgroup_id_x 1
        .amdhsa_kernarg_size 16
        .amdhsa_next_free_vgpr 4
        .amdhsa_next_free_sgpr 16
    .end_amdhsa_kernel
    // The unit that the line table belongs to (DWARF 4, 7.5): its lines, its code.
    .section .debug_abbrev,"",@progbits
    .byte 1, 17, 0, 16, 23, 17, 1, 18, 6, 0, 0, 0
    .section .debug_info,"",@progbits
    .long .Lunit_end-.Lunit
.Lunit:
    .short 4
    .long .debug_abbrev
    .byte 8, 1
    .long .Lline_table_start0
    .quad two
    .long .Lend-two
.Lunit_end:
    .section .debug_line,"",@progbits
.Lline_table_start0:
"#;

fn module(source: &str) -> Module {
    let assembled = asm::assemble(source, Gfx900, &Default::default())
        .unwrap_or_else(|d| panic!("{}", d.render("source")));
    Module::load(&link_code_object(&assembled).unwrap(), None).unwrap()
}

/// The faults of a thousand workgroups of 64 on buffers of 64,000 dwords.
fn entries(limits: Limits) -> (Vec<FaultEntry>, u64) {
    let module = module(TWO);
    let report = module
        .launch(Some("two"))
        .unwrap()
        .grid([1000, 1, 1])
        .block([64, 1, 1])
        .limits(limits)
        .arg(Arg::Buffer(vec![0; 256_000]))
        .arg(Arg::Buffer(vec![0; 256_000]))
        .run()
        .unwrap();
    assert!(report.error.is_none(), "{:?}", report.error);
    let entries = report.fault_entries(&module, "two");
    (entries, report.outcome.fault_count)
}

#[test]
fn each_faulting_line_is_one_entry_with_its_data() {
    let (found, count) = entries(Limits::default());
    // The last four work-items; the first thousand.
    assert_eq!(count, 1004);
    let [before, past] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!((before.kind, before.access.as_str()), ("unmapped", "store"));
    assert_eq!(before.space, "global");
    assert_eq!(before.instruction, "global_store_dword v[1:2], v0, off");
    let line = |e: &FaultEntry| e.source.as_ref().map(|s| (s.line, s.column));
    assert_eq!(line(before), Some((4, Some(15))));
    assert_eq!(before.count, 1000);
    assert_eq!(before.lanes, "0-63");
    assert_eq!(
        (before.waves.count, before.waves.positions.as_str()),
        (16, "0")
    );
    let w = &before.workgroups;
    assert_eq!((w.count, w.first, w.last), (16, [0, 0, 0], [15, 0, 0]));
    let [region] = &before.regions[..] else {
        panic!("{:?}", before.regions);
    };
    // Buffer 1 is missed by 4,000 bytes to 4.
    let spans = (region.side, region.distance, region.farthest, region.count);
    assert_eq!(spans, ("before", 4, 4000, 1000));
    assert_eq!(
        (region.region.name.as_str(), region.region.size),
        ("argument 1", 256_000)
    );
    let base = i128::from(region.region.base);
    let a = &before.addresses;
    assert_eq!((a.lowest, a.highest), (base - 4000, base - 4));
    let first = &before.first;
    assert_eq!((first.workgroup, first.wave, first.lane), ([0, 0, 0], 0, 0));
    assert_eq!((first.address, first.bytes), (base - 4000, 4));
    assert_eq!((first.side, first.distance), (Some("before"), Some(4000)));
    assert_eq!(before.examples.len(), 8);

    assert_eq!(line(past), Some((3, Some(12))));
    assert_eq!((past.count, past.lanes.as_str()), (4, "60-63"));
    assert_eq!(past.first.workgroup, [999, 0, 0]);
    assert_eq!(
        (past.first.side, past.first.distance),
        (Some("after"), Some(0))
    );
    let offset = past.offset;
    let region = past.first.region.as_ref().unwrap();
    let end = region.base + region.size;
    assert_eq!(
        past.what,
        format!(
            "global store of 4 bytes: address is not mapped\n  \
             global_store_dword v1, v0, s[4:5] offset:16 (src/two.cl:3:12, kernel two, offset {offset:#x})\n  \
             4 times, by lanes 60-63 of wave 0 of workgroup 999,0,0\n  \
             at {end:#x} to {:#x}: from right behind the end of argument 0 [{:#x}, {end:#x}) to \
             12 bytes behind it\n  \
             first by lane 60 of wave 0 of workgroup 999,0,0 at {end:#x}",
            end + 12,
            region.base
        )
    );
}

#[test]
fn entries_are_the_same_on_any_number_of_threads() {
    let on = |threads| {
        let limits = Limits {
            threads,
            faults: 3,
            ..Limits::default()
        };
        entries(limits)
    };
    assert_eq!(on(1), on(2));
    assert_eq!(on(1).0[0].examples.len(), 3);
}

#[test]
fn entries_are_data_with_stable_names() {
    let (found, _) = entries(Limits::default());
    let data = serde_json::to_value(&found[1]).unwrap();
    let names: Vec<&str> = data
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let mut want = [
        "what",
        "kind",
        "access",
        "space",
        "count",
        "pc",
        "offset",
        "instruction",
        "mnemonic",
        "source",
        "kernel",
        "workgroup",
        "wave",
        "lane",
        "address",
        "bytes",
        "region",
        "side",
        "distance",
        "lanes",
        "waves",
        "workgroups",
        "addresses",
        "regions",
        "elsewhere",
        "examples",
    ];
    want.sort_unstable();
    let mut sorted = names;
    sorted.sort_unstable();
    assert_eq!(sorted, want);
    assert_eq!(data["source"]["line"], 3);
    assert_eq!(data["source"]["file"], "src/two.cl");
    assert_eq!(data["region"]["name"], "argument 0");
    assert_eq!(data["side"], "after");
    assert_eq!(data["distance"], 0);
}

/// A store to LDS at the byte that its argument names.
const LDS: &str = r#"
    .amdgcn_target "amdgcn-amd-amdhsa--gfx900"
    .text
    .globl lds
    .p2align 8
    .type lds,@function
lds:
    s_mov_b32 m0, 8
    v_mov_b32 v0, 0x1fe
    ds_write_b32 v0, v0
    v_mov_b32 v0, 8
    ds_write_b32 v0, v0
    s_endpgm
.Lend:
    .size lds, .Lend-lds
    .rodata
    .p2align 6
    .amdhsa_kernel lds
        .amdhsa_group_segment_fixed_size 512
        .amdhsa_next_free_vgpr 1
        .amdhsa_next_free_sgpr 1
    .end_amdhsa_kernel
"#;

#[test]
fn what_only_m0_forbids_is_told_from_what_is_outside_the_allocation() {
    let module = module(LDS);
    let run = |m0_bounds_lds| {
        let launch = module.launch(None).unwrap().memory_config(MemoryConfig {
            m0_bounds_lds,
            ..MemoryConfig::default()
        });
        let report = launch.block([1, 1, 1]).run().unwrap();
        report.fault_entries(&module, "lds")
    };
    let first = |e: &FaultEntry| {
        let region = e.first.region.clone().unwrap();
        (
            e.kind,
            region.name,
            region.size,
            e.first.side,
            e.first.distance,
        )
    };
    let found = run(false);
    let allocation = "the workgroup's LDS".to_owned();
    assert_eq!(found.len(), 1);
    assert_eq!(
        first(&found[0]),
        (
            "lds-range",
            allocation.clone(),
            512,
            Some("across-end"),
            Some(2)
        )
    );
    assert!(
        found[0]
            .what
            .contains("its last 2 bytes are behind the end of the workgroup's LDS")
    );
    let found = run(true);
    assert_eq!(found.len(), 2);
    assert_eq!(
        first(&found[0]),
        ("lds-range", allocation, 512, Some("across-end"), Some(2))
    );
    let limit = "M0's part of the LDS".to_owned();
    assert_eq!(
        first(&found[1]),
        ("m0-range", limit, 8, Some("after"), Some(0))
    );
}
