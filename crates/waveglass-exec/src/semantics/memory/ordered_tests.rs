//! The bytes are LLVM's encodings; the comment before each gives the instruction.

use crate::dispatch::Dispatch;
use crate::error::{RunError, Stop};
use crate::order::MemoryOrder;
use crate::program::{Program, Registers, Step};
use crate::run::{Limits, ScratchArena, Watch, run};
use crate::testing::{Bench, MEMORY, MEMORY_SIZE};
use crate::wave::{Wave, sreg};
use waveglass_isa::Target;
use waveglass_mem::{FaultKind, GlobalMemory, Permission, Space};

// points: 12

/// ds_ordered_count v3, v0 offset:772 gds, the same with offset:260 (no wave_done) and with offset:4868
/// (exchange), on gfx9 and later.
const COUNT: [&str; 2] = ["04037fd900000003", "0403fed800000003"];
const RELEASE: [&str; 2] = ["04017fd900000003", "0401fed800000003"];
const EXCHANGE: [&str; 2] = ["04137fd900000003", "0413fed800000003"];

fn bench(target: Target, ordered_id: u64, m0: u32) -> Bench {
    let mut b = Bench::new(target, if target.is_gfx9() { 64 } else { 32 });
    b.env.ordered_append = true;
    b.wave.ordered_id = ordered_id;
    b.wave.sgpr[sreg::M0] = m0;
    b.set(0, |lane| lane as u32);
    b.set(3, |_| 77);
    b.wave.set_exec(0b11000);
    b
}

/// Why an instruction is refused.
fn refusal(b: &mut Bench, hex: &str) -> &'static str {
    match b.run(hex) {
        Step::Stop(Stop::Refused { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

// rule: the ordered count of GCN 5 to RDNA 2; section RDNA 1 ISA 12.13, Vega ISA 12.13 (DS_ORDERED_COUNT).
#[test]
fn an_ordered_count_adds_the_first_lane_s_value_and_broadcasts() {
    for target in [
        Target::Gfx900,
        Target::Gfx908,
        Target::Gfx1010,
        Target::Gfx1030,
    ] {
        let which = !target.is_gfx9() as usize;
        let mut b = bench(target, 0, 0x100 << 16);
        b.env.gds.dword(0x104, |_| 1000);
        b.run_all(&[RELEASE[which]]);
        // Lane 3's value; both active lanes have the result.
        assert_eq!([2, 3, 4].map(|l| b.get(3, l)), [77, 1000, 1000], "{target}");
        // With EXEC zero nothing is added, and the turn goes on.
        (b.wave.ordered_id, b.wave.sgpr[sreg::M0]) = (1, 0x100 << 16 | 1);
        b.wave.set_exec(0);
        b.run_all(&[COUNT[which]]);
        (b.wave.ordered_id, b.wave.sgpr[sreg::M0]) = (2, 0x100 << 16 | 2);
        b.wave.set_exec(0b110);
        b.run_all(&[EXCHANGE[which]]);
        assert_eq!(b.get(3, 2), 1003);
        assert_eq!(b.env.gds.dword(0x104, |v| v), Some(1));
    }
    // Bits 15:2 of base and index; CDNA 1 has 4 KiB of GDS.
    let mut b = bench(Target::Gfx908, 0, 0x1000 << 16);
    b.run_all(&[COUNT[0]]);
    let fault = &b.wave.faults[0].fault;
    assert_eq!(
        (fault.kind, fault.space, fault.address),
        (FaultKind::LdsRange, Space::Gds, 0x1004)
    );
}

// rule: the ordered count of RDNA 3; section RDNA 3 ISA 13.4.3.
#[test]
fn rdna3_counts_in_registers_of_gds() {
    for target in [Target::Gfx1100, Target::Gfx1150] {
        let mut b = bench(target, 0, 0);
        b.env.gds.register(1, |_| 0xffff_fffe);
        b.run_all(&[RELEASE[1]]);
        // Only the first active lane has the result; the register has 32 bits.
        assert_eq!([3, 4].map(|l| b.get(3, l)), [0xffff_fffe, 77], "{target}");
        assert_eq!(b.env.gds.register(1, |v| v), 1);
        (b.wave.ordered_id, b.wave.sgpr[sreg::M0]) = (1, 1 << 16 | 1);
        assert!(refusal(&mut b, COUNT[1]).contains("M0[31:16]"));
        // ds_ordered_count v3, v0 offset:800 gds: register 8 has 64 bits
        assert!(refusal(&mut b, "2003fed800000003").contains("64 bits"));
    }
}

// rule: turns; section RDNA 1 ISA 12.13 ("until this request wave is the oldest in the queue", release flag).
#[test]
fn a_wave_waits_for_its_turn() {
    let mut b = bench(Target::Gfx1030, 1, 1);
    assert_eq!(b.run(COUNT[1]), Step::Retry);
    (b.wave.ordered_id, b.wave.sgpr[sreg::M0]) = (0, 0);
    // Without release the wave keeps its turn: ds_ordered_count v3, v0 offset:4 gds
    b.run_all(&["0400fed800000003"]);
    (b.wave.ordered_id, b.wave.sgpr[sreg::M0]) = (1, 1);
    assert_eq!(b.run(COUNT[1]), Step::Retry);
    (b.wave.ordered_id, b.wave.sgpr[sreg::M0]) = (0, 0);
    b.run_all(&[COUNT[1]]);
    (b.wave.ordered_id, b.wave.sgpr[sreg::M0]) = (1, 1);
    b.run_all(&[COUNT[1]]);
    assert_eq!(b.get(3, 3), 6);
    // Ids have twelve bits.
    b.wave.ordered_id = 4097;
    assert_eq!(b.run(COUNT[1]), Step::Retry);
    b.wave.ordered_id = 4098;
    assert!(refusal(&mut b, COUNT[1]).contains("M0[15:0]"));
    // ds_ordered_count v3, v0 offset:516 gds (wave_done alone); offset:12292 (wrap); offset:16388 (two
    // dwords)
    assert!(refusal(&mut b, "0402fed800000003").contains("wave_release"));
    assert!(refusal(&mut b, "0430fed800000003").contains("opcode"));
    assert!(refusal(&mut b, "0440fed800000003").contains("dword"));
    b.env.ordered_append = false;
    assert!(refusal(&mut b, COUNT[1]).contains("--ordered-append"));
}

// rule: the registers of GDS; section RDNA 3 ISA 12.6.1, 16.15.
#[test]
fn gs_registers_are_added_to_and_subtracted_from() {
    for target in [Target::Gfx1100, Target::Gfx1150] {
        let mut b = bench(target, 0, 0);
        b.set(2, |lane| lane as u32);
        b.set(4, |_| 7);
        b.set(5, |_| 7);
        // ds_add_gs_reg_rtn v[4:5], v2 offset:16 gds, of 32 bits: one register is written.
        b.run_all(&["1000ead900020004"; 2]);
        assert_eq!([3, 4].map(|l| (b.get(4, l), b.get(5, l))), [(3, 7), (7, 7)]);
        // ds_add_gs_reg_rtn v[4:5], v2 offset:36 gds; ds_sub_gs_reg_rtn, of 64 bits.
        b.env.gds.register(9, |_| 0xffff_ffff);
        b.run_all(&["2400ead900020004", "2400eed900020004"]);
        assert_eq!((b.get(4, 3), b.get(5, 3)), (2, 1));
        assert_eq!(b.env.gds.register(9, |v| v), 0xffff_ffff);
        // With EXEC zero the operand is zero.
        b.wave.set_exec(0);
        b.run_all(&["2400ead900020004"]);
        assert_eq!(b.env.gds.register(9, |v| v), 0xffff_ffff);
        assert_eq!(b.env.gds.register(4, |v| v), 6);
    }
}

// rule: GLOBAL_ATOMIC_ORDERED_ADD_B64; section RDNA 4 ISA 16.20.
#[test]
fn an_ordered_add_takes_effect_where_the_id_is_next() {
    // global_atomic_ordered_add_b64 v[4:5], v[0:1], v[2:3], off offset:8 th:TH_ATOMIC_RETURN
    const ADD: &str = "7cc01cee0400100100080000";
    for target in [Target::Gfx1200, Target::Gfx1201] {
        let mut b = bench(target, 0, 0);
        b.poke(8, 0xffe);
        b.poke(12, 100);
        b.set_address(0, |_| 0);
        // Lanes 0 to 3 have the ids 0xffe, 0xffd, 0xfff and 0.
        b.set(2, |lane| [0xffe, 0xffd, 0xfff, 0][lane % 4]);
        b.set(3, |lane| lane as u32 + 1);
        b.wave.set_exec(0b1111);
        b.run_all(&[ADD]);
        let before = [0, 1, 2, 3].map(|l| (b.get(4, l), b.get(5, l)));
        assert_eq!(before, [(0xffe, 100), (0xfff, 101), (0xfff, 101), (0, 104)]);
        assert_eq!([b.peek(8), b.peek(12)], [1, 108]);
        b.env.ordered_append = false;
        assert!(refusal(&mut b, ADD).contains("--ordered-append"));
    }
}

/// A run of `code` on gfx900.
fn launch(
    code: &[u32],
    dispatch: &Dispatch,
    (threads, order): (usize, MemoryOrder),
) -> (GlobalMemory, Option<RunError>) {
    let bytes: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
    let program = Program::compile(Target::Gfx900, 64, &bytes, 0, &[0], REGISTERS);
    let mut memory = GlobalMemory::new();
    memory
        .map_zeroed(MEMORY, MEMORY_SIZE, Permission::ReadWrite, "memory")
        .expect("nothing is there");
    let limits = Limits {
        threads,
        order,
        steps: 1 << 22,
        ..Limits::default()
    };
    let scratch = ScratchArena { base: 0, size: 0 };
    let (_, error) = run(
        dispatch,
        &program,
        &memory,
        scratch,
        &limits,
        Watch::default(),
    );
    (memory, error)
}

const REGISTERS: Registers = Registers {
    vgprs: 16,
    agprs: 0,
};

const WAYS: [(usize, MemoryOrder); 4] = [
    (1, MemoryOrder::Eager),
    (3, MemoryOrder::Eager),
    (1, MemoryOrder::InOrder),
    (2, MemoryOrder::Adversarial(1)),
];

fn dispatch(block: u32, groups: u32) -> Dispatch {
    let mut d = Dispatch::of_code(Target::Gfx900, 64, 0, block, groups, REGISTERS);
    d.setup.group_id = [true, false, false];
    d.setup.group_info = true;
    d.setup.ordered_append = true;
    d
}

// rule: a pointer in wave-creation order; section RDNA 3 ISA 13.4.3.
#[test]
fn waves_of_a_launch_count_in_the_order_of_their_ids() {
    // Each wave adds its id plus one; the first waves of workgroups come late.
    let code = [
        0xbf048001, // s_cmp_lt_i32 s1, 0
        0xbf840003, // s_cbranch_scc0 3
        0xbf8e0001, // s_sleep 1
        0xbf8e0001, // s_sleep 1
        0xbf8e0001, // s_sleep 1
        0x8f7c8601, // s_lshr_b32 m0, s1, 6
        0x867cff7c, 0x00000fff, // s_and_b32 m0, m0, 0xfff
        0x8003817c, // s_add_u32 s3, m0, 1
        0x7e020203, // v_mov_b32_e32 v1, s3
        0x8e04827c, // s_lshl_b32 s4, m0, 2
        0xd97f0304, 0x02000001, // ds_ordered_count v2, v1 offset:772 gds
        0x7e080204, // v_mov_b32_e32 v4, s4
        0x680808ff, 0x00010000, // v_add_u32_e32 v4, 0x10000, v4
        0x7e0a0280, // v_mov_b32_e32 v5, 0
        0xbf8cc07f, // s_waitcnt lgkmcnt(0)
        0xdc708000, 0x007f0204, // global_store_dword v[4:5], v2, off
        0xbf810000, // s_endpgm
    ];
    for way in WAYS {
        let (memory, error) = launch(&code, &dispatch(128, 20), way);
        assert!(error.is_none(), "{way:?}: {error:?}");
        for id in 0..40u32 {
            let mut bytes = [0; 4];
            assert!(memory.read(MEMORY + u64::from(4 * id), &mut bytes));
            assert_eq!(u32::from_le_bytes(bytes), id * (id + 1) / 2, "{way:?}");
        }
    }
}

// rule: waves that wait in GDS for what never comes end the run; section no manual says: how a wait
// without an end is noticed.
#[test]
fn waves_that_wait_for_ever_end_the_run_with_a_report() {
    // No wave releases its turn: ds_ordered_count v2, v1 offset:4 gds
    let order = [
        0x8f7c8601, // s_lshr_b32 m0, s1, 6
        0x867cff7c, 0x00000fff, // s_and_b32 m0, m0, 0xfff
        0xd97f0004, 0x02000001, // ds_ordered_count v2, v1 offset:4 gds
        0xbf810000, // s_endpgm
    ];
    // The others wait for a semaphore that nobody releases, or at a barrier for one wave more.
    let semaphore = [
        0xd9390008, 0x00000000, // ds_gws_sema_p offset:8 gds
        0xbf810000, // s_endpgm
    ];
    let barrier = [
        0x7e020290, // v_mov_b32 v1, 16
        0xbf078000, // s_cmp_lg_u32 s0, 0
        0xbf850002, // s_cbranch_scc1 2
        0xd9330009, 0x00000001, // ds_gws_init v1 offset:9 gds
        0xbf8e0001, // s_sleep 1
        0xd93b0009, 0x00000001, // ds_gws_barrier v1 offset:9 gds
        0xbf8a0000, // s_barrier
        0xbf810000, // s_endpgm
    ];
    for way in WAYS {
        for (code, want) in [
            (&order[..], "ds_ordered_count"),
            (&semaphore, "ds_gws_sema_p"),
            (&barrier, "ds_gws_barrier"),
        ] {
            let (_, error) = launch(code, &dispatch(64, 5), way);
            let Some(RunError::SyncDeadlock { mnemonic, .. }) = error else {
                panic!("{want} {way:?}: {error:?}");
            };
            assert_eq!(mnemonic, want);
        }
    }
}

// rule: the workgroup info SGPR; section RDNA 1 ISA 3.12.2, RDNA 2 ISA 3.12.2, RDNA 3 ISA 3.5.3, CDNA 3 ISA
// 3.13, RDNA 4 ISA 3.5.3.
#[test]
fn workgroup_info_has_the_ordered_id_where_the_generation_has_it() {
    // The second wave of the third workgroup of two waves: wave 5.
    for (target, want) in [
        (Target::Gfx900, 5 << 6 | 2),
        (Target::Gfx1010, 5 << 6 | 2),
        (Target::Gfx1030, 1 << 20 | 5 << 6 | 2),
        (Target::Gfx942, 1 << 20 | 5 << 6 | 2),
        (Target::Gfx1100, 1 << 20 | 5 << 6 | 2),
        (Target::Gfx1200, 5 << 6 | 2),
    ] {
        let lanes = target.default_wave_size();
        let mut d = Dispatch::of_code(target, lanes, 0, 2 * lanes, 4, REGISTERS);
        (d.setup.group_info, d.setup.ordered_append) = (true, true);
        let mut w = Wave::new(target, lanes, 16, 0);
        d.start(&d.starts(), &mut w, [2, 0, 0], 1, 0, 0);
        assert_eq!(w.sgpr[0], want, "{target}");
        d.start(&d.starts(), &mut w, [0, 0, 0], 0, 0, 0);
        let first = u32::from(target.major() < 12) << 31;
        assert_eq!(w.sgpr[0], first | 2, "{target}");
    }
}

// rule: ordered ids count the waves of the launch; section no manual says: how a launch numbers waves
// of partial workgroups.
#[test]
fn waves_of_partial_workgroups_are_counted_as_they_are() {
    let mut d = dispatch(64, 1);
    d.packet.block = [8, 4, 4];
    d.packet.grid = [20, 9, 10];
    let mut before = 0;
    for z in 0..3 {
        for y in 0..3 {
            for x in 0..3 {
                let mut w = Wave::new(Target::Gfx900, 64, 16, 0);
                d.start(&d.starts(), &mut w, [x, y, z], 0, 0, 0);
                assert_eq!(w.ordered_id, before, "{x} {y} {z}");
                let items: u32 = d.items([x, y, z]).iter().product();
                before += u64::from(items.div_ceil(64));
            }
        }
    }
}
