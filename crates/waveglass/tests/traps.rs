//! Trap handlers and exceptions through a launch and through the command.

use std::process::{Command, Output};
use waveglass::exec::MemoryOrder;
use waveglass::isa::Target::{self, *};
use waveglass::mem::AlignmentMode;
use waveglass::{
    Arg, Exceptions, Launch, Limits, MemoryConfig, Module, Report, RunError, TrapHandler, asm,
    link_code_object,
};

const ALL: [Target; 10] = [
    Gfx900, Gfx908, Gfx90a, Gfx942, Gfx950, Gfx1010, Gfx1030, Gfx1100, Gfx1201, Gfx1250,
];

fn assembled(source: &str, target: Target) -> asm::Assembled {
    asm::assemble(source, target, &Default::default())
        .unwrap_or_else(|d| panic!("{target}: {}", d.render("source")))
}

/// A kernel that starts at its first instruction, with its buffers' addresses from s[0:1] on.
fn kernel(source: &str, target: Target) -> Module {
    let a = assembled(source, target);
    let text = a.sections.iter().find(|s| s.name == ".text").unwrap();
    Module::raw(text.data.clone(), target.name()).unwrap()
}

/// Waits for everything that memory owes.
fn wait(target: Target) -> &'static str {
    match target.major() {
        12 => "s_wait_kmcnt 0x0\n s_wait_loadcnt 0x0\n s_wait_storecnt 0x0\n",
        10 | 11 => "s_waitcnt vmcnt(0) lgkmcnt(0)\n s_waitcnt_vscnt null, 0x0\n",
        _ => "s_waitcnt vmcnt(0) lgkmcnt(0)\n",
    }
}

/// A handler that stores the upper half of the saved PC's pair and the count of its calls to its
/// memory, and goes on `skip` bytes behind the saved PC.
fn handler(target: Target, skip: u32) -> TrapHandler {
    let tma = match target.major() {
        9 | 10 => "s_getreg_b32 s4, hwreg(18)\n s_getreg_b32 s5, hwreg(19)\n",
        _ => "s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_TMA)\n",
    };
    let (store, load) = match target.major() {
        9 | 10 => ("global_store_dword", "global_load_dword"),
        _ => ("global_store_b32", "global_load_b32"),
    };
    let (add, rfe) = match target {
        Gfx1250 => ("s_add_co_u32", "s_rfe_i64"),
        Gfx1201 => ("s_add_co_u32", "s_rfe_b64"),
        _ => ("s_add_u32", "s_rfe_b64"),
    };
    let increment = match target.major() {
        9 => "v_add_u32 v2, 1, v2",
        _ => "v_add_nc_u32 v2, 1, v2",
    };
    let wait = wait(target);
    let source = format!(
        "s_nop 0
         trap_handler:
         {tma}
         {wait}
         v_mov_b32 v0, ttmp1
         v_mov_b32 v1, 0
         {load} v2, v1, s[4:5] offset:4
         {wait}
         {increment}
         {store} v1, v0, s[4:5]
         {store} v1, v2, s[4:5] offset:4
         {wait}
         {add} ttmp0, ttmp0, {skip}
         s_and_b32 ttmp1, ttmp1, 0xffff
         {rfe} ttmp[0:1]"
    );
    let a = assembled(&source, target);
    let object = link_code_object(&a).unwrap();
    let module = Module::load(&object, None).unwrap();
    TrapHandler::new(module).unwrap().memory(vec![0; 8])
}

fn run(launch: Launch<'_>, order: MemoryOrder) -> Report {
    let limits = Limits {
        order,
        threads: 1,
        ..Limits::default()
    };
    launch.limits(limits).run().unwrap()
}

fn dword(bytes: &[u8], i: usize) -> u32 {
    u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().unwrap())
}

#[test]
fn each_wave_enters_the_handler_and_comes_back() {
    for target in ALL {
        let kernel = kernel("s_trap 5\n s_nop 0\n s_endpgm", target);
        let launch = kernel.launch(None).unwrap().grid([3, 1, 1]);
        let report = run(launch.trap_handler(handler(target, 4)), MemoryOrder::Eager);
        assert!(report.error.is_none(), "{target}: {:?}", report.error);
        let id = dword(&report.trap_memory, 0);
        let expected = if target.major() == 12 {
            5 << 28
        } else {
            5 << 16
        };
        assert_eq!(
            (id, dword(&report.trap_memory, 1)),
            (expected, 3),
            "{target}"
        );
    }
}

#[test]
fn a_violation_traps_under_every_memory_order() {
    for target in ALL {
        let (load, enable) = match target.major() {
            // EXCP_EN.mem_viol
            9 => (
                "global_load_dword",
                "s_setreg_imm32_b32 hwreg(1, 20, 1), 1\n",
            ),
            10 => ("global_load_dword", ""),
            _ => ("global_load_b32", ""),
        };
        let wait = wait(target);
        let source = format!(
            "{enable} v_mov_b32 v4, 0
             v_mov_b32 v5, 0
             {load} v6, v[4:5], off
             {wait}
             s_nop 0
             s_endpgm"
        );
        let kernel = kernel(&source, target);
        for order in [
            MemoryOrder::Eager,
            MemoryOrder::InOrder,
            MemoryOrder::Adversarial(3),
        ] {
            let launch = kernel.launch(None).unwrap();
            let report = run(launch.trap_handler(handler(target, 0)), order);
            assert!(
                report.error.is_none(),
                "{target} {order:?}: {:?}",
                report.error
            );
            assert_eq!(report.outcome.fault_count, 1, "{target} {order:?}");
            assert_eq!(dword(&report.trap_memory, 1), 1, "{target} {order:?}");
        }
    }
}

/// A kernel that divides by zero on every lane; its descriptor enables that exception.
const DIVIDES: &str = "
    .amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"
    .text
    .globl divides
    .p2align 8
    .type divides,@function
divides:
    v_mov_b32 v0, 0
    v_rcp_f32 v0, v0
    s_endpgm
    .rodata
    .p2align 6
    .amdhsa_kernel divides
        .amdhsa_next_free_vgpr 1
        .amdhsa_next_free_sgpr 8
        .amdhsa_exception_fp_ieee_div_zero 1
    .end_amdhsa_kernel
    .amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: divides
    .symbol: divides.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 1
    .max_flat_workgroup_size: 256
...
    .end_amdgpu_metadata
";

#[test]
fn the_descriptor_enables_exceptions() {
    let object = link_code_object(&assembled(DIVIDES, Gfx900)).unwrap();
    let module = Module::load(&object, None).unwrap();
    let report = module.launch(None).unwrap().run().unwrap();
    match report.error {
        Some(RunError::Exception { kinds, .. }) => {
            assert_eq!(kinds, Exceptions::DIVISION_BY_ZERO);
        }
        other => panic!("{other:?}"),
    }
    // With a handler it goes on.
    let launch = module
        .launch(None)
        .unwrap()
        .trap_handler(handler(Gfx900, 0));
    let report = run(launch, MemoryOrder::Eager);
    assert!(report.error.is_none(), "{:?}", report.error);
    assert_eq!(dword(&report.trap_memory, 1), 1);
}

#[test]
fn a_launch_enables_exceptions_on_every_generation() {
    let nan = "v_mov_b32 v1, 0x7f800000\n v_sub_f32 v1, v1, v1\n s_endpgm";
    for target in ALL {
        let kernel = kernel(nan, target);
        let launch = kernel.launch(None).unwrap();
        let result = launch.trap_on(Exceptions::INVALID).run();
        if target.major() == 11 {
            // Raw code starts with DX10_CLAMP set, which suppresses them.
            let text = result.err().map(|e| e.to_string()).unwrap_or_default();
            assert!(text.contains("DX10_CLAMP"), "{text}");
            continue;
        }
        let error = result.unwrap().error;
        assert!(
            matches!(
                error,
                Some(RunError::Exception {
                    kinds: Exceptions::INVALID,
                    ..
                })
            ),
            "{target}: {error:?}"
        );
    }
}

#[test]
fn a_handler_is_for_the_kernels_target() {
    let kernel = kernel("s_endpgm", Gfx900);
    let launch = kernel
        .launch(None)
        .unwrap()
        .trap_handler(handler(Gfx1030, 0));
    let text = launch
        .run()
        .err()
        .map(|e| e.to_string())
        .unwrap_or_default();
    assert_eq!(
        text,
        "the trap handler is for gfx1030, the kernel for gfx900"
    );
}

// The aperture's base 0 disables it: LDS is not reached by a flat address any more (Vega ISA 9.5).
#[test]
fn more_trap_memory_than_there_is_room_for_is_refused() {
    let kernel = kernel("s_trap 5\n s_nop 0\n s_endpgm", Gfx900);
    let room = (128 << 20) - (64 << 10);
    for (size, fits) in [(room, true), (room + 1, false)] {
        let handler = handler(Gfx900, 4).memory(vec![0; size]);
        let launch = kernel.launch(None).unwrap().trap_handler(handler);
        match launch.run() {
            Ok(report) => assert!(fits && report.trap_memory.len() == size),
            Err(e) => {
                assert!(!fits, "{e}");
                assert!(e.to_string().contains("more than there is room for"), "{e}");
            }
        }
    }
}

#[test]
fn the_apertures_bases_are_settings() {
    // A flat store to the LDS aperture at 1 << 48.
    let source = "v_mov_b32 v0, 0\n v_mov_b32 v1, 0x10000\n flat_store_dword v[0:1], v0\n s_endpgm";
    let kernel = kernel(source, Gfx900);
    let faults = |memory| {
        let launch = kernel.launch(None).unwrap().memory_config(memory);
        launch.run().unwrap().outcome.fault_count
    };
    assert_eq!(faults(MemoryConfig::default()), 0);
    let off = MemoryConfig {
        shared_base: Some(0),
        ..MemoryConfig::default()
    };
    assert_eq!(faults(off), 1);
    // In 32-bit mode the aperture is 64 KiB at base << 16.
    let source = "v_mov_b32 v0, 0x50000\n flat_store_dword v[0:1], v0\n s_endpgm";
    let kernel = self::kernel(source, Gfx900);
    let faults = |memory| {
        let launch = kernel.launch(None).unwrap().memory_config(memory);
        launch.run().unwrap().outcome.fault_count
    };
    let narrow = MemoryConfig {
        ptr32: true,
        shared_base: Some(5),
        ..MemoryConfig::default()
    };
    assert_eq!(faults(narrow), 0);
    assert_eq!(faults(MemoryConfig::default()), 1);
}

// SH_MEM_CONFIG.alignment_mode (RDNA 4 ISA 9.5, RDNA 3 ISA 3.3.3).
#[test]
fn the_alignment_mode_is_a_setting() {
    let source = "s_load_dwordx2 s[2:3], s[0:1], 0x0
        s_waitcnt lgkmcnt(0)
        v_mov_b32 v0, 2
        global_load_dword v1, v0, s[2:3]
        s_waitcnt vmcnt(0)
        v_mov_b32 v0, 0
        global_store_dword v0, v1, s[2:3] offset:8
        s_endpgm";
    let kernel = kernel(source, Gfx900);
    let run = |alignment| {
        let memory = MemoryConfig {
            alignment,
            ..MemoryConfig::default()
        };
        let bytes: Vec<u8> = (1..=12).collect();
        let launch = kernel.launch(None).unwrap().memory_config(memory);
        let report = launch.arg(Arg::Buffer(bytes)).run().unwrap();
        (dword(&report.buffers[0], 2), report.outcome.fault_count)
    };
    assert_eq!(run(AlignmentMode::Unaligned), (0x0605_0403, 0));
    assert_eq!(run(AlignmentMode::Dword), (0x0403_0201, 0));
    assert_eq!(run(AlignmentMode::DwordStrict), (0, 1));
    assert_eq!(run(AlignmentMode::Strict), (0, 1));
}

fn command(folder: &std::path::Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_waveglass"))
        .current_dir(folder)
        .args(args)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_command_names_what_trapped() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let object = link_code_object(&assembled(DIVIDES, Gfx900)).unwrap();
    std::fs::write(path("divides.hsaco"), object).unwrap();
    let trap = assembled("s_nop 0\n s_trap 2\n s_endpgm", Gfx900);
    std::fs::write(path("trap.bin"), &trap.sections[0].data).unwrap();
    let one = ["--grid", "1", "--block", "1"];
    let run = |args: &[&str]| command(folder.path(), &[&["run"], args, &one].concat());

    let out = run(&["divides.hsaco"]);
    assert_eq!(out.status.code(), Some(2));
    let error = text(&out.stderr);
    assert!(
        error.contains("div0; it is enabled, and there is no trap handler"),
        "{error}"
    );
    let out = run(&["divides.hsaco", "--json"]);
    assert_eq!(out.status.code(), Some(2));
    let json = text(&out.stdout);
    assert!(
        json.contains("\"exceptions\": [\n      \"div0\"\n    ]"),
        "{json}"
    );

    let out = run(&["trap.bin", "--target", "gfx900"]);
    assert_eq!(out.status.code(), Some(2));
    let error = text(&out.stderr);
    assert!(error.contains("s_trap 2"), "{error}");
    let out = run(&["trap.bin", "--target", "gfx900", "--json"]);
    assert!(text(&out.stdout).contains("\"id\": 2"));

    // A handler in assembler source, without symbols, that skips what trapped.
    let source =
        "s_add_u32 ttmp0, ttmp0, 4\n s_and_b32 ttmp1, ttmp1, 0xffff\n s_rfe_b64 ttmp[0:1]\n";
    std::fs::write(path("skip.s"), source).unwrap();
    let out = run(&["trap.bin", "--target", "gfx900", "--trap-handler", "skip.s"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    // The same with memory, which is shown.
    let source = "trap_handler:
        s_getreg_b32 s4, hwreg(18)
        s_getreg_b32 s5, hwreg(19)
        s_mov_b32 s6, 7
        s_store_dword s6, s[4:5], 0x4
        s_add_u32 ttmp0, ttmp0, 4
        s_and_b32 ttmp1, ttmp1, 0xffff
        s_rfe_b64 ttmp[0:1]\n";
    std::fs::write(path("count.s"), source).unwrap();
    let memory = ["--trap-handler", "count.s", "--trap-memory", "zeros:u32:3"];
    let out = run(&[&["trap.bin", "--target", "gfx900"], &memory[..]].concat());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(
        text(&out.stdout).contains("trap memory: 0 7 0"),
        "{}",
        text(&out.stdout)
    );

    // Exceptions that the command enables, and what it does not know.
    let nan = assembled(
        "v_mov_b32 v1, 0x7f800000\n v_sub_f32 v1, v1, v1\n s_endpgm",
        Gfx900,
    );
    std::fs::write(path("nan.bin"), &nan.sections[0].data).unwrap();
    let out = run(&["nan.bin", "--target", "gfx900", "--trap-on", "invalid"]);
    assert_eq!(out.status.code(), Some(2));
    let error = text(&out.stderr);
    assert!(
        error.contains("invalid") && error.contains("offset 0x8"),
        "{error}"
    );
    let out = run(&["nan.bin", "--target", "gfx900", "--trap-on", "nan"]);
    assert_eq!(out.status.code(), Some(1));
    let out = run(&["nan.bin", "--target", "gfx900", "--trap-handler", "none.s"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stderr).contains("--trap-handler none.s"));
    // Files that cannot be handlers are named, with what is wrong: an empty one, and raw code whose second
    // instruction, of eight bytes (s_mov_b32 s0, 0x12345678), is cut.
    std::fs::write(path("empty.bin"), []).unwrap();
    let cut = [0x00, 0x00, 0x80, 0xbf, 0xff, 0x00, 0x80, 0xbe, 0x78, 0x56];
    std::fs::write(path("cut.bin"), cut).unwrap();
    for (file, what) in [
        (
            "empty.bin",
            "the file is empty: wanted is assembler source (.s)",
        ),
        (
            "cut.bin",
            "the instruction at offset 0x4 is cut: it needs 8 bytes, and 6 are left",
        ),
    ] {
        let out = run(&["trap.bin", "--target", "gfx900", "--trap-handler", file]);
        assert_eq!(out.status.code(), Some(1));
        let error = text(&out.stderr);
        assert!(
            error.contains(&format!("--trap-handler {file}")) && error.contains(what),
            "{error}"
        );
    }
}

#[test]
fn places_in_the_handler_are_named_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let trap = assembled("s_nop 0\n s_trap 2\n s_endpgm", Gfx900);
    std::fs::write(path("trap.bin"), &trap.sections[0].data).unwrap();
    let run = |handler: &str, more: &[&str]| {
        std::fs::write(path("handler.s"), handler).unwrap();
        let args = [
            "run",
            "trap.bin",
            "--target",
            "gfx900",
            "--trap-handler",
            "handler.s",
            "--trace",
            "trace.txt",
            "--grid",
            "1",
            "--block",
            "1",
        ];
        command(folder.path(), &[&args, more].concat())
    };
    // A refused instruction behind two others, in a source without symbols.
    let out = run(
        "s_nop 0\n s_add_u32 ttmp0, ttmp0, 4\n s_sendmsghalt sendmsg(MSG_INTERRUPT)\n",
        &[],
    );
    let error = text(&out.stderr);
    assert!(
        error.contains("(offset 0x8 in the trap handler)"),
        "{error}"
    );
    // The trace has the temporaries by their names: TTMP0 holds the PC of s_trap, at 0x4000_0004.
    let trace = std::fs::read_to_string(path("trace.txt")).unwrap();
    assert!(trace.contains("ttmp0=0x40000004"), "{trace}");
    // A violation in the handler: a load from address 0.
    let load = "s_nop 0\n v_mov_b32 v0, 0\n v_mov_b32 v1, 0\n global_load_dword v2, v[0:1], off\n s_endpgm\n";
    let out = run(load, &[]);
    let found = text(&out.stdout);
    assert!(
        found.contains(" (kernel raw, offset 0xc of the trap handler)\n"),
        "{found}"
    );
    let out = run(load, &["--json"]);
    let json = text(&out.stdout);
    assert!(
        json.contains("\"offset\": 12,") && json.contains("\"in_trap_handler\": true"),
        "{json}"
    );
    // The kernel's own places are not.
    let out = command(
        folder.path(),
        &[
            "run", "trap.bin", "--target", "gfx900", "--json", "--grid", "1", "--block", "1",
        ],
    );
    assert!(!text(&out.stdout).contains("in_trap_handler"));
}

// VSKIP keeps memory instructions from being issued: they count in no counter and leave their registers
// alone (Vega ISA 12.4, S_SETVSKIP).
#[test]
fn skipped_loads_are_not_in_flight() {
    let source = "s_setvskip 1, 0
        global_load_dword v0, v[2:3], off
        v_mov_b32 v4, v0
        s_setvskip 0, 0
        v_mov_b32 v1, v0
        s_endpgm";
    let kernel = kernel(source, Gfx900);
    for order in [
        MemoryOrder::Eager,
        MemoryOrder::InOrder,
        MemoryOrder::Adversarial(1),
    ] {
        let report = run(kernel.launch(None).unwrap(), order);
        assert!(report.error.is_none(), "{:?}", report.error);
        let found = (report.outcome.hazard_count, report.outcome.fault_count);
        assert_eq!(found, (0, 0), "{order:?}");
    }
}

// rule: single step traps after each instruction, branches, waits and a barrier among them, under every
// memory order; section Vega ISA 3.5 (DEBUG), RDNA 3 ISA 3.4.2 (TRAP_AFTER_INST).
#[test]
fn a_wave_goes_step_by_step_under_every_memory_order() {
    for target in ALL.into_iter().filter(|t| t.major() < 12) {
        let load = match target.major() {
            9 | 10 => "s_load_dword s10, s[0:1], 0x0",
            _ => "s_load_b32 s10, s[0:1], 0x0",
        };
        // Entries: behind s_setreg, s_load, s_waitcnt, s_nop, s_barrier, s_branch and s_sleep.
        let source = format!(
            "s_setreg_imm32_b32 hwreg(1, 11, 1), 1
             {load}
             s_waitcnt lgkmcnt(0)
             s_nop 0
             s_barrier
             s_branch over
             s_nop 1
             over:
             s_sleep 1
             s_endpgm"
        );
        let kernel = kernel(&source, target);
        for order in [
            MemoryOrder::Eager,
            MemoryOrder::InOrder,
            MemoryOrder::Adversarial(7),
        ] {
            let launch = kernel
                .launch(None)
                .unwrap()
                .arg(Arg::Buffer(vec![0; 4]))
                .grid([1, 1, 1]);
            let report = run(launch.trap_handler(handler(target, 0)), order);
            assert!(report.error.is_none(), "{target}: {:?}", report.error);
            assert_eq!(dword(&report.trap_memory, 1), 7, "{target} {order:?}");
        }
    }
}
