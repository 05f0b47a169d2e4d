//! Settings of a launch beyond those of traps and of memory.

use waveglass::isa::Target::{self, *};
use waveglass::{Arg, Module, RunError, asm, link_code_object};

fn module(source: &str, target: Target) -> Module {
    let assembled = asm::assemble(source, target, &Default::default())
        .unwrap_or_else(|d| panic!("{target}: {}", d.render("source")));
    Module::load(&link_code_object(&assembled).unwrap(), None).unwrap()
}

/// Each workgroup of one wave adds 3 in its turn, and stores the sum before it at its place.
const COUNTS: &str = r#"
    .amdgcn_target "amdgcn-amd-amdhsa--gfx900"
    .text
    .globl counts
    .p2align 8
    .type counts,@function
counts:
    s_lshr_b32 m0, s3, 6
    s_and_b32 m0, m0, 0xfff
    v_mov_b32 v1, 3
    ds_ordered_count v2, v1 offset:772 gds
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_lshl_b32 s6, s2, 2
    v_mov_b32 v0, s6
    s_waitcnt lgkmcnt(0)
    global_store_dword v0, v2, s[4:5]
    s_endpgm
.Lend:
    .size counts, .Lend-counts
    .rodata
    .p2align 6
    .amdhsa_kernel counts
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_system_sgpr_workgroup_id_x 1
        .amdhsa_system_sgpr_workgroup_info 1
        .amdhsa_kernarg_size 8
        .amdhsa_next_free_vgpr 4
        .amdhsa_next_free_sgpr 16
    .end_amdhsa_kernel
"#;

#[test]
fn ordered_append_gives_waves_their_turns() {
    let counts = module(COUNTS, Gfx900);
    let launch = || {
        let launch = counts
            .launch(None)
            .unwrap()
            .grid([6, 1, 1])
            .block([64, 1, 1]);
        launch.arg(Arg::Buffer(vec![0; 24]))
    };
    let report = launch().ordered_append(true).run().unwrap();
    assert!(report.error.is_none(), "{:?}", report.error);
    let sums = report.buffers[0].as_chunks::<4>().0;
    let sums: Vec<u32> = sums.iter().map(|b| u32::from_le_bytes(*b)).collect();
    assert_eq!(sums, [0, 3, 6, 9, 12, 15]);
    // Without it the instruction is refused, and the message says what to ask for.
    let report = launch().run().unwrap();
    let Some(RunError::Refused { mnemonic, why, .. }) = report.error else {
        panic!("{:?}", report.error);
    };
    assert_eq!(mnemonic, "ds_ordered_count");
    assert!(why.contains("--ordered-append"), "{why}");
}

#[test]
fn a_workgroup_has_as_much_lds_as_its_generation() {
    for (target, most) in [(Gfx900, 64), (Gfx950, 160), (Gfx1030, 64), (Gfx1250, 320)] {
        let end = asm::assemble("s_endpgm", target, &Default::default()).unwrap();
        let kernel = Module::raw(end.sections[0].data.clone(), target.name()).unwrap();
        let fixed = 64 << 10;
        let run = |bytes: u32| {
            let launch = kernel.launch(None).unwrap().grid([1; 3]);
            launch.dynamic_lds(bytes - fixed).run()
        };
        assert!(run(most << 10).is_ok(), "{target}");
        let error = run((most << 10) + 1).unwrap_err().to_string();
        assert!(
            error.contains(&format!("({most} KiB)")) && error.contains(target.name()),
            "{error}"
        );
    }
}
