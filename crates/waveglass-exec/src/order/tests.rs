//! Small programs, run step by step in each order. The bytes are what LLVM 22 assembles for the
//! text beside them.

use super::{Flight, HazardKind, HazardRegister, MemoryOrder, POISON, Plan, execute};
use crate::dispatch::rules;
use crate::machine::{Barrier, Env, Machine};
use crate::program::{Program, Registers, Step};
use crate::stats::Stats;
use crate::wave::Wave;
use waveglass_isa::Target;
use waveglass_mem::{GlobalMemory, Lds, Permission, Port};

// points: 8

const MEMORY: u64 = 0x1_0000;

// gfx9
const GLOBAL_V2: u64 = 0x027f_0000_dc50_8000; // global_load_dword v2, v[0:1], off
const GLOBAL_V3: u64 = 0x037f_0000_dc50_8004; // global_load_dword v3, v[0:1], off offset:4
const FLAT_V2: u64 = 0x0200_0000_dc50_0000; // flat_load_dword v2, v[0:1]
const DS_V2: u64 = 0x0200_0006_d86c_0000; // ds_read_b32 v2, v6
const DS_V3: u64 = 0x0300_0006_d86c_0004; // ds_read_b32 v3, v6 offset:4
const S_LOAD: u64 = 0x0000_0000_c006_0100; // s_load_dwordx2 s[4:5], s[0:1], 0x0
const READLANE: u64 = 0x0001_0102_d289_0007; // v_readlane_b32 s7, v2, 0
const VM0: u64 = 0xbf8c_0f70; // s_waitcnt vmcnt(0)
const VM1: u64 = 0xbf8c_0f71; // s_waitcnt vmcnt(1)
const LGKM0: u64 = 0xbf8c_c07f; // s_waitcnt lgkmcnt(0)
const LGKM1: u64 = 0xbf8c_c17f; // s_waitcnt lgkmcnt(1)
const VM1_LGKM0: u64 = 0xbf8c_0071; // s_waitcnt vmcnt(1) lgkmcnt(0)
const READ_V2: u64 = 0x7e0a_0302; // v_mov_b32_e32 v5, v2
const READ_V3: u64 = 0x7e0a_0303; // v_mov_b32_e32 v5, v3
const WRITE_V2: u64 = 0x7e04_0287; // v_mov_b32_e32 v2, 7
const READ_S4: u64 = 0xbe86_0004; // s_mov_b32 s6, s4
const EXEC_1: u64 = 0xbefe_0181; // s_mov_b64 exec, 1
const EXEC_2: u64 = 0xbefe_0182; // s_mov_b64 exec, 2
const END: u64 = 0xbf81_0000; // s_endpgm

// gfx11
const G11_LOAD_V2: u64 = 0x027c_0000_dc52_0000; // global_load_b32 v2, v[0:1], off
const G11_LOAD_V3: u64 = 0x037c_0000_dc52_0004; // global_load_b32 v3, v[0:1], off offset:4
const G11_STORE_V3: u64 = 0x007c_0300_dc6a_0000; // global_store_b32 v[0:1], v3, off
const G11_STORE_V3_8: u64 = 0x007c_0300_dc6a_0008; // global_store_b32 v[0:1], v3, off offset:8
const G11_FLAT_V2: u64 = 0x027c_0000_dc50_0000; // flat_load_b32 v2, v[0:1]
const G11_VM0: u64 = 0xbf89_03f7; // s_waitcnt vmcnt(0)
const G11_VM1_LGKM0: u64 = 0xbf89_0407; // s_waitcnt vmcnt(1) lgkmcnt(0)
const G11_VS0: u64 = 0xbc7c_0000; // s_waitcnt_vscnt null, 0x0
const G11_END: u64 = 0xbfb0_0000; // s_endpgm

/// Words of a program: the low dword first; a zero high dword is none unless the low one's
/// encoding has two.
fn code(words: &[u64]) -> Vec<u8> {
    let mut out = Vec::new();
    for &w in words {
        out.extend((w as u32).to_le_bytes());
        if w >> 32 != 0 || w == S_LOAD {
            out.extend(((w >> 32) as u32).to_le_bytes());
        }
    }
    out
}

struct Run {
    wave: Wave,
    memory: GlobalMemory,
    flight: Flight,
}

impl Run {
    fn word(&self, address: u64) -> u32 {
        let mut b = [0; 4];
        self.memory.read(address, &mut b);
        u32::from_le_bytes(b)
    }

    fn hazards(&self) -> Vec<(HazardKind, HazardRegister)> {
        let h = &self.flight.hazards;
        h.iter().map(|h| (h.kind, h.register)).collect()
    }
}

/// Runs at most `steps` instructions of a wave whose `v[0:1]` and `s[0:1]` point to words 11, 12,
/// 13, whose v3 is 33 and whose LDS holds 21 and 22.
fn run(target: Target, order: MemoryOrder, words: &[u64], steps: u32) -> Run {
    let lanes = target.default_wave_size();
    let registers = Registers { vgprs: 8, agprs: 0 };
    let program = Program::compile(target, lanes, &code(words), 0x1000, &[], registers);
    let mut wave = Wave::new(target, lanes, 8, 0);
    wave.set_exec(wave.full_mask());
    for lane in 0..lanes as usize {
        wave.set_lane(0, lane, MEMORY as u32);
        wave.set_lane(3, lane, 33);
    }
    wave.sgpr[0] = MEMORY as u32;
    let mut memory = GlobalMemory::new();
    let words: Vec<u8> = [11u32, 12, 13, 14]
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    memory
        .map_bytes(MEMORY, &words, Permission::ReadWrite, "words")
        .unwrap();
    let mut lds = Lds::new(64);
    lds.bytes_mut()[..8].copy_from_slice(&[21, 0, 0, 0, 22, 0, 0, 0]);
    let env = Env {
        stop_on_fault: true,
        fault_limit: 1,
        ..Env::alone(target, 64)
    };
    let plan = Plan::new(&program, 8);
    let mut flight = Flight::new(order, 0);
    let (mut barrier, mut port) = (Barrier::new(1), Port::new(rules(target)));
    let mut stats = Stats::default();
    let mut machine = Machine {
        wave: &mut wave,
        lds: &mut lds,
        barrier: &mut barrier,
        memory: &memory,
        port: &mut port,
        env: &env,
        stats: &mut stats,
    };
    let (used, step) = execute(
        &mut machine,
        &program,
        &plan,
        &mut flight,
        order,
        steps,
        None,
    );
    assert!(matches!(step, Step::End | Step::Next), "{step:?}");
    assert!(step == Step::End || used == steps);
    Run {
        wave,
        memory,
        flight,
    }
}

fn found(target: Target, words: &[u64]) -> Vec<(HazardKind, HazardRegister)> {
    let late = run(target, MemoryOrder::InOrder, words, 100).hazards();
    for seed in 0..20 {
        let order = MemoryOrder::Adversarial(seed);
        assert_eq!(run(target, order, words, 100).hazards(), late, "{seed}");
    }
    late
}

const V: fn(u32) -> HazardRegister = HazardRegister::Vector;

#[test]
fn a_result_read_before_any_wait_is_poison_and_is_reported() {
    // Vega ISA 4.4.
    let program = [GLOBAL_V2, READ_V2, END];
    assert_eq!(found(Target::Gfx900, &program), [(HazardKind::Read, V(2))]);
    let late = run(Target::Gfx900, MemoryOrder::InOrder, &[GLOBAL_V2, END], 1);
    assert_eq!(late.wave.lane(2, 0), POISON);
    let waited = run(
        Target::Gfx900,
        MemoryOrder::InOrder,
        &[GLOBAL_V2, VM0, END],
        2,
    );
    assert_eq!(
        (waited.wave.lane(2, 0), waited.flight.hazard_count),
        (11, 0)
    );
}

// rule: an instruction that reads a result before the wait for it sees poison; the result comes after it; section
// Vega ISA 4.4, RDNA 3 ISA 5.6, RDNA 4 ISA 5.7.
#[test]
fn what_reads_a_result_too_early_sees_poison() {
    let store = 0x007f_0200_dc70_8008; // global_store_dword v[0:1], v2, off offset:8
    let add = 0x6804_0481; // v_add_u32_e32 v2, 1, v2
    let seeds = (0..40).map(MemoryOrder::Adversarial);
    for order in seeds.chain([MemoryOrder::InOrder]) {
        let reader = run(Target::Gfx900, order, &[GLOBAL_V2, READ_V2, VM0, END], 100);
        assert_eq!(
            (reader.wave.lane(5, 3), reader.wave.lane(2, 3)),
            (POISON, 11),
            "{order:?}"
        );
        assert_eq!(reader.flight.hazard_count, 1);
        let scalar = run(Target::Gfx900, order, &[S_LOAD, READ_S4, LGKM0, END], 100);
        assert_eq!((scalar.wave.sgpr[6], scalar.wave.sgpr[4]), (POISON, 11));
        // The address may be the destination: s_load_dwordx2 s[0:1], s[0:1], 0x0; s_mov_b32 s6, s0
        let own = [0xc006_0000, 0, 0xbe86_0000, LGKM0, END];
        let own = run(Target::Gfx900, order, &own, 100);
        assert_eq!((own.wave.sgpr[6], own.wave.sgpr[0]), (POISON, 11));
        // What an operation takes along when it is issued is poison too.
        let stored = run(Target::Gfx900, order, &[GLOBAL_V2, store, VM0, END], 100);
        assert_eq!(
            (stored.word(MEMORY + 8), stored.wave.lane(2, 0)),
            (POISON, 11)
        );
        assert_eq!(stored.flight.hazard_count, 1);
    }
    // One report: the load is complete afterwards, behind what the instruction wrote.
    let program = [GLOBAL_V2, add, READ_V2, VM0, END];
    let late = run(Target::Gfx900, MemoryOrder::InOrder, &program, 100);
    assert_eq!((late.wave.lane(5, 3), late.flight.hazard_count), (11, 1));
}

// rule: loads of a type return in order: a wait for one left releases the first of two; section Vega
// ISA 4.4.
#[test]
fn loads_return_in_order_so_a_wait_for_one_releases_the_first_of_two() {
    let first = [GLOBAL_V2, GLOBAL_V3, VM1, READ_V2, END];
    assert_eq!(found(Target::Gfx900, &first), []);
    let second = [GLOBAL_V2, GLOBAL_V3, VM1, READ_V3, END];
    assert_eq!(found(Target::Gfx900, &second), [(HazardKind::Read, V(3))]);
    let lds = [DS_V2, DS_V3, LGKM1, READ_V2, END];
    assert_eq!(found(Target::Gfx900, &lds), []);
    let lds = [DS_V2, DS_V3, LGKM1, READ_V3, END];
    assert_eq!(found(Target::Gfx900, &lds), [(HazardKind::Read, V(3))]);
}

// rule: vector memory counts in VM_CNT, LDS in LGKM_CNT; section Vega ISA 4.4.
#[test]
fn the_wait_must_be_for_the_right_counter() {
    let program = [GLOBAL_V2, LGKM0, READ_V2, END];
    assert_eq!(found(Target::Gfx900, &program), [(HazardKind::Read, V(2))]);
    let program = [DS_V2, VM0, READ_V2, END];
    assert_eq!(found(Target::Gfx900, &program), [(HazardKind::Read, V(2))]);
}

#[test]
fn scalar_loads_return_in_no_order() {
    // Vega ISA 4.4: "only S_WAITCNT 0 is the only legitimate value".
    let program = [S_LOAD, LGKM1, READ_S4, END];
    let s4 = HazardRegister::Scalar(4);
    assert_eq!(found(Target::Gfx900, &program), [(HazardKind::Read, s4)]);
    let program = [S_LOAD, LGKM0, READ_S4, END];
    assert_eq!(found(Target::Gfx900, &program), []);
}

// claims: flat.9.2-4, flat.9.2.1-1, flat.9.2.1-2, flat.9.2.2-1, flat.9.2.2-2
#[test]
fn flat_needs_both_counters_and_on_gfx9_both_at_zero() {
    // Vega ISA 9.2.1; RDNA 4 ISA 5.7.1.3 for the order of its halves.
    let program = [FLAT_V2, GLOBAL_V3, VM1_LGKM0, READ_V2, END];
    assert_eq!(found(Target::Gfx900, &program), [(HazardKind::Read, V(2))]);
    let run_it = run(Target::Gfx900, MemoryOrder::InOrder, &program, 100);
    let text = run_it.flight.hazards[0].to_string();
    assert!(text.contains("only a wait for vmcnt of zero"), "{text}");
    for (wait, expected) in [(VM0, 1), (LGKM0, 1)] {
        let program = [FLAT_V2, wait, READ_V2, END];
        assert_eq!(found(Target::Gfx900, &program).len(), expected);
    }
    let program = [FLAT_V2, VM0, LGKM0, READ_V2, END];
    assert_eq!(found(Target::Gfx900, &program), []);
    let program = [G11_FLAT_V2, G11_LOAD_V3, G11_VM1_LGKM0, READ_V2, G11_END];
    assert_eq!(found(Target::Gfx1100, &program), []);
}

// claims: flat.9.2.1-3
#[test]
fn which_write_comes_last_must_be_said() {
    let program = [GLOBAL_V2, WRITE_V2, VM0, END];
    assert_eq!(found(Target::Gfx900, &program), [(HazardKind::Write, V(2))]);
    // Two of one type come in order; of two types they do not (Vega ISA 9.2.1).
    let program = [GLOBAL_V2, GLOBAL_V2, VM0, READ_V2, END];
    assert_eq!(found(Target::Gfx900, &program), []);
    let program = [FLAT_V2, FLAT_V2, VM0, LGKM0, READ_V2, END];
    assert_eq!(found(Target::Gfx900, &program), [(HazardKind::Write, V(2))]);
    let program = [GLOBAL_V2, DS_V2, VM0, LGKM0, READ_V2, END];
    assert_eq!(found(Target::Gfx900, &program), [(HazardKind::Write, V(2))]);
}

// rule: only the lanes that an operation writes are in flight; section Vega ISA 3.3, 4.4.
#[test]
fn lanes_that_an_operation_leaves_alone_are_not_in_flight() {
    let program = [EXEC_1, GLOBAL_V2, EXEC_2, READ_V2, VM0, END];
    assert_eq!(found(Target::Gfx900, &program), []);
    // v_readlane reads its lane whatever EXEC says.
    let program = [EXEC_1, GLOBAL_V2, EXEC_2, READLANE, VM0, END];
    assert_eq!(found(Target::Gfx900, &program), [(HazardKind::Read, V(2))]);
}

#[test]
fn a_load_sees_the_waves_own_store_to_its_bytes() {
    // RDNA 4 ISA 5.7.1.2; v3 is 33.
    for seed in 0..50 {
        let program = [G11_STORE_V3, G11_LOAD_V2, G11_VM0, READ_V2, G11_END];
        let run = run(
            Target::Gfx1100,
            MemoryOrder::Adversarial(seed),
            &program,
            100,
        );
        assert_eq!(run.wave.lane(5, 7), 33, "{seed}");
        assert_eq!(run.flight.hazard_count, 0);
    }
}

// rule: stores have a counter of their own and may stay behind later loads; section RDNA 3 ISA 5.6.
#[test]
fn a_store_may_stay_behind_a_later_load_until_its_own_counter_is_waited_for() {
    let program = [G11_STORE_V3_8, G11_LOAD_V2, G11_VM0, G11_VS0, G11_END];
    let before = run(Target::Gfx1100, MemoryOrder::InOrder, &program, 3);
    assert_eq!((before.wave.lane(2, 0), before.word(MEMORY + 8)), (11, 13));
    let after = run(Target::Gfx1100, MemoryOrder::InOrder, &program, 4);
    assert_eq!(after.word(MEMORY + 8), 33);
    // Without any wait the wave's end still brings it.
    let ended = run(
        Target::Gfx1100,
        MemoryOrder::InOrder,
        &[G11_STORE_V3_8, G11_END],
        9,
    );
    assert_eq!(ended.word(MEMORY + 8), 33);
}

// rule: an atomic operation without a result is done once the wait for stores says so, which one for loads does
// not; section RDNA 1 ISA 4.4, RDNA 3 ISA 5.6, RDNA 4 ISA 5.7.1, CDNA 5 ISA 5.7.1.
#[test]
fn an_atomic_without_a_result_is_waited_for_with_the_stores() {
    // The add of v3 = 33, the wait for loads, the one for stores; 32 lanes.
    let gfx10 = [0x007d_0300_dcc8_8000, 0xbf8c_3f70, 0xbbfd_0000, END];
    let gfx11 = [0x007c_0300_dcd6_0000, G11_VM0, G11_VS0, G11_END];
    let gfx12 = [0x0180_0000_ee0d_407c, 0, 0xbfc0_0000, 0xbfc1_0000, G11_END];
    for (target, program) in [
        (Target::Gfx1010, &gfx10[..]),
        (Target::Gfx1030, &gfx10),
        (Target::Gfx1100, &gfx11),
        (Target::Gfx1150, &gfx11),
        (Target::Gfx1200, &gfx12),
        (Target::Gfx1250, &gfx12),
    ] {
        let word = |steps| {
            let run = run(target, MemoryOrder::InOrder, program, steps);
            assert_eq!(run.flight.hazard_count, 0);
            run.word(MEMORY)
        };
        assert_eq!([word(2), word(3)], [11, 11 + 32 * 33], "{target}");
    }
    // On gfx9 vmcnt has them all.
    let gfx9 = [0x007f_0300_dd08_8000, VM0, END];
    let after = run(Target::Gfx900, MemoryOrder::InOrder, &gfx9, 2);
    assert_eq!(after.word(MEMORY), 11 + 64 * 33);
}

// rule: an address is read when the operation is issued; section Vega ISA 4.4.
#[test]
fn an_operation_uses_the_registers_of_its_issue() {
    // The address pair is overwritten while the load is in flight; the load's own result stays.
    let write_v0 = 0x7e00_0280; // v_mov_b32_e32 v0, 0
    let program = [GLOBAL_V2, write_v0, VM0, READ_V2, END];
    let run = run(Target::Gfx900, MemoryOrder::InOrder, &program, 100);
    assert_eq!((run.wave.lane(5, 3), run.wave.lane(0, 3)), (11, 0));
    assert_eq!(run.flight.hazard_count, 0);
}

#[test]
fn a_wait_of_two_counters_reads_both_fields() {
    // RDNA 4 ISA 16.5: loadcnt in bits 13:8, dscnt in bits 5:0.
    let load = [0xee05_007c_u32, 2, 0]; // global_load_b32 v2, v[0:1], off
    let lds = [0xd8d8_0000_u32, 0x0300_0006]; // ds_load_b32 v3, v6
    let run = |wait: u32, read: u32| {
        let mut words: Vec<u32> = load.to_vec();
        words.extend(lds);
        words.extend([wait, read, 0xbfb0_0000]);
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let registers = Registers { vgprs: 8, agprs: 0 };
        let program = Program::compile(Target::Gfx1201, 32, &bytes, 0x1000, &[], registers);
        let plan = Plan::new(&program, 8);
        let limits = plan.of(2).wait.clone().unwrap().limits;
        limits.iter().map(|l| l.1).collect::<Vec<_>>()
    };
    assert_eq!(run(0xbfc8_0100, READ_V2 as u32), [1, 0]); // s_wait_loadcnt_dscnt 0x100
    assert_eq!(run(0xbfc8_3f00, READ_V3 as u32), [63, 0]); // s_wait_loadcnt_dscnt 0x3f00
}

// rule: a direct load from LDS is in flight until EXPcnt says that it is done, in order with its like; section RDNA
// 3 ISA 12.2.1, 12.4, RDNA 3.5 ISA 12.4, RDNA 4 ISA 5.7.1, 12.4.
#[test]
fn direct_loads_from_lds_are_waited_for_with_expcnt() {
    // lds_direct_load or ds_direct_load v2 and v3; waits for EXPcnt of 0 and of 1; one for all other counters.
    let gfx11 = [0xce1f_0002, 0xce1f_0003, 0xbf89_fff0, 0xbf89_fff1];
    let gfx12 = [0xce9f_0002, 0xce9f_0003, 0xbfc4_0000, 0xbfc4_0001];
    for (target, [v2, v3, zero, one], other) in [
        (Target::Gfx1100, gfx11, 0xbf89_0007),
        (Target::Gfx1150, gfx11, 0xbf89_0007),
        (Target::Gfx1200, gfx12, 0xbfc8_0000),
    ] {
        let missing = [v2, READ_V2, G11_END];
        assert_eq!(found(target, &missing), [(HazardKind::Read, V(2))]);
        let wrong = [v2, other, READ_V2, G11_END];
        assert_eq!(found(target, &wrong), [(HazardKind::Read, V(2))]);
        assert_eq!(found(target, &[v2, zero, READ_V2, G11_END]), []);
        assert_eq!(found(target, &[v2, v3, one, READ_V2, G11_END]), []);
        let second = [v2, v3, one, READ_V3, G11_END];
        assert_eq!(found(target, &second), [(HazardKind::Read, V(3))]);
        // M0 is 0: the unsigned byte at 0. The whole quad of lane 5 has it.
        let before = run(target, MemoryOrder::InOrder, &[v2, zero, G11_END], 1);
        assert_eq!(before.wave.lane(2, 0), POISON);
        let exec = 0xbefe_00a0; // s_mov_b32 exec_lo, 32
        let quad = [exec, v2, zero, G11_END];
        let after = run(target, MemoryOrder::InOrder, &quad, 3);
        let lanes = [3, 4, 5, 6, 7, 8].map(|lane| after.wave.lane(2, lane));
        assert_eq!(lanes, [0, 21, 21, 21, 21, 0], "{target}");
    }
    // RDNA 3 has an instruction for this counter alone.
    let program = [0xce1f_0002, 0xbd7c_0000, READ_V2, G11_END];
    assert_eq!(found(Target::Gfx1100, &program), []);
}

// rule: tensor moves are in order among themselves and with nothing else, and TENSORcnt says when they are
// done; section CDNA 5 ISA 10.11.1, 5.7.
// points: 8, 12
#[test]
fn lds_has_a_tile_once_tensorcnt_says_so() {
    // A D# in s[4:15] for one dword of memory to byte 0 of LDS.
    let program = [
        0xbe84_0081,           // s_mov_b32 s4, 1
        0xbe85_0080,           // s_mov_b32 s5, 0
        0xbe86_0000,           // s_mov_b32 s6, s0
        0x8000_0000_be87_00ff, // s_mov_b32 s7, 0x80000000
        0x0002_0000_be88_00ff, // s_mov_b32 s8, 0x20000
        0x0001_0000_be89_00ff, // s_mov_b32 s9, 0x10000
        0xbe8a_0009,           // s_mov_b32 s10, s9
        0xbe8b_0009,           // s_mov_b32 s11, s9
        0xbe8c_0081,           // s_mov_b32 s12, 1
        0x7c00_0000_d071_0001, // tensor_load_to_lds s[4:7], s[8:15]
        0x7c7c_0804,           //
        0x0200_0006_d8d8_0000, // ds_load_b32 v2, v6
        0xbfc6_0000,           // s_wait_dscnt 0x0
        0xbfcb_0001,           // s_wait_tensorcnt 0x1
        0x0300_0006_d8d8_0000, // ds_load_b32 v3, v6
        0xbfc6_0000,           // s_wait_dscnt 0x0
        0xbfcb_0000,           // s_wait_tensorcnt 0x0
        0x0400_0006_d8d8_0000, // ds_load_b32 v4, v6
        0xbfc6_0000,           // s_wait_dscnt 0x0
        G11_END,
    ];
    let late = run(Target::Gfx1250, MemoryOrder::InOrder, &program, 100);
    assert_eq!([2, 3, 4].map(|r| late.wave.lane(r, 0)), [21, 21, 11]);
    let eager = run(Target::Gfx1250, MemoryOrder::Eager, &program, 100);
    assert_eq!(eager.wave.lane(4, 0), 11);
    // Nothing in the hardware keeps an LDS load behind the move: either value may be there.
    let seen: std::collections::BTreeSet<u32> = (0..40)
        .map(|seed| {
            run(
                Target::Gfx1250,
                MemoryOrder::Adversarial(seed),
                &program,
                100,
            )
        })
        .map(|r| r.wave.lane(2, 0))
        .collect();
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [11, 21]);
}
