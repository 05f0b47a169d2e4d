//! The bytes are LLVM's encodings; the comment before each gives the instruction. What descriptors say is
//! tested in `waveglass-mem`.

use crate::program::Step;
use crate::testing::{Bench, MEMORY};
use crate::{Dispatch, Limits, Program, Registers, ScratchArena};
use std::time::{Duration, Instant};
use waveglass_isa::Target;
use waveglass_mem::{GlobalMemory, Permission};

// points: 8, 12

/// tensor_load_to_lds s[0:3], s[4:11]
const LOAD_2: &str = "010071d00000007c00047c7c";
/// tensor_load_to_lds s[0:3], s[4:11], s[12:15], s[16:19]
const LOAD_4: &str = "010071d00000007c00040c10";
/// tensor_store_from_lds s[0:3], s[4:11]
const STORE_2: &str = "014071d00000007c00047c7c";

/// A wave with a D# in s[0:11]: 2 by 2 dwords of lines of 8, from memory's start to LDS byte 16.
fn bench(target: Target) -> Bench {
    let mut b = Bench::new(target, 32);
    for i in 0..0x100 {
        b.poke(i * 4, 0xa000_0000 | i as u32);
    }
    b.wave.sgpr[..4].copy_from_slice(&[1, 16, MEMORY as u32, 2 << 30]);
    b.wave.sgpr[4..12].copy_from_slice(&[
        2 << 16,
        100 << 16, // tensor_dim0
        100 << 16, // tensor_dim1
        2 << 16,   // tile_dim0
        2,         // tile_dim1
        8,         // tensor_dim0_stride
        0,
        0,
    ]);
    b
}

// rule: EXEC is ignored, and a group that is not there is zero; section CDNA 5 ISA 10.11.1.
#[test]
fn a_tile_moves_whatever_exec_holds() {
    for target in [Target::Gfx1250, Target::Gfx1251] {
        let mut b = bench(target);
        b.wave.set_exec(0);
        b.run_all(&[LOAD_2]);
        assert_eq!(
            [16, 20, 24, 28, 32].map(|at| b.peek_lds(at)),
            [0xa000_0000, 0xa000_0001, 0xa000_0008, 0xa000_0009, 0]
        );
        assert_eq!((b.stats.read.global, b.stats.written.lds), (16, 16));
        b.wave.sgpr[2] += 0x100;
        b.run_all(&[STORE_2]);
        assert_eq!(
            [0x100, 0x104, 0x108, 0x120, 0x124].map(|at| b.peek(at) & 0xffff),
            [0, 1, 0x42, 8, 9]
        );
        // A third dimension comes with groups 2 and 3.
        b.wave.sgpr[8] |= 2 << 16;
        b.wave.sgpr[10] = 32 << 16;
        b.wave.sgpr[12..20].copy_from_slice(&[100, 0, 0, 0, 0, 0, 0, 0]);
        b.wave.sgpr[2] = MEMORY as u32;
        b.run_all(&[LOAD_4]);
        assert_eq!([32, 44].map(|at| b.peek_lds(at) & 0xffff), [32, 41]);
        // Without them its end is at zero: nothing of it is within the tensor.
        b.run_all(&[LOAD_2]);
        assert_eq!([16, 32, 44].map(|at| b.peek_lds(at)), [0; 3]);
        // The null tensor.
        b.wave.sgpr[0] = 0;
        b.run_all(&[LOAD_4]);
        assert_eq!(b.peek_lds(32), 0);
        assert!(b.wave.faults.is_empty());
    }
}

// rule: the barrier of a tensor is told when it has moved; section CDNA 5 ISA 10.11.3, 11.2.2.1.
#[test]
fn a_tensor_arrives_at_its_barrier_once() {
    let mut b = bench(Target::Gfx1250);
    // A barrier at byte 64 that waits for two.
    b.lds.bytes_mut()[64..72].copy_from_slice(&(1u64 << 32 | 1).to_le_bytes());
    b.wave.sgpr[4] |= 1 << 18;
    b.wave.sgpr[5] |= 64 >> 3;
    let barrier = |b: &Bench| u64::from_le_bytes(b.lds.bytes()[64..72].try_into().unwrap());
    b.run_all(&[LOAD_2]);
    assert_eq!(barrier(&b), 1 << 32);
    b.run_all(&[STORE_2]);
    assert_eq!(barrier(&b), 1 << 32 | 7 << 29 | 1);
    // The null tensor does not arrive.
    b.wave.sgpr[0] = 0;
    b.run_all(&[LOAD_2]);
    assert_eq!(barrier(&b), 1 << 32 | 7 << 29 | 1);
}

// rule: MEM_VIOL of a tensor instruction; section CDNA 5 ISA 10.11.6.
#[test]
fn a_tensor_past_memory_is_a_violation() {
    let mut b = bench(Target::Gfx1250);
    b.wave.sgpr[3] |= 1;
    b.run_all(&[LOAD_2]);
    assert_eq!(b.wave.faults.len(), 1);
    assert_eq!(b.wave.trapsts >> 4 & 1, 1);
    assert_eq!(b.wave.faults[0].fault.address, MEMORY | 1 << 32);
}

// rule: a field whose meaning is open stops the run by its name; section no manual says: what the
// field means.
#[test]
fn an_open_field_stops_the_run_by_its_name() {
    let mut b = bench(Target::Gfx1250);
    b.wave.sgpr[0] = 3;
    let Step::Stop(crate::error::Stop::Refused { why, .. }) = b.run(LOAD_2) else {
        panic!("not refused");
    };
    assert!(why.contains("count"), "{why}");
}

/// A tensor of 84 million lines of one byte, and what comes of a run with this limit.
fn hostile(tensor: &str, timeout: Duration) -> (Option<crate::RunError>, Duration) {
    let groups = [
        [1, 0, MEMORY as u32, 2 << 30],
        // Iteration; tensors of 2^32 - 1; tiles of 1 by 65,535 by 5.
        [1 << 19, 0xffff_0000, 0xffff_ffff, 1 << 16 | 0xffff],
        [5 << 16 | 0xffff, 0, 0, 0],
        [0xffff_ffff, 0, 0, 255 << 16],
    ];
    let mut code = Vec::new();
    for (s, dword) in groups.into_iter().flatten().enumerate() {
        // s_mov_b32 of a literal.
        code.extend((0xbe80_00ff | (s as u32) << 16).to_le_bytes());
        code.extend(dword.to_le_bytes());
    }
    code.extend((0..12).map(|i| u8::from_str_radix(&tensor[2 * i..][..2], 16).unwrap()));
    // s_endpgm
    code.extend(0xbfb0_0000u32.to_le_bytes());
    let registers = Registers { vgprs: 8, agprs: 0 };
    let target = Target::Gfx1250;
    let program = Program::compile(target, 32, &code, 0x1000, &[], registers);
    let mut dispatch = Dispatch::of_code(target, 32, 0x1000, 32, 1, registers);
    dispatch.packet.group_segment = 320 << 10;
    let mut memory = GlobalMemory::new();
    memory
        .map_zeroed(MEMORY, 16, Permission::ReadWrite, "a line")
        .unwrap();
    let limits = Limits {
        timeout: Some(timeout),
        threads: 1,
        ..Limits::default()
    };
    let arena = ScratchArena { base: 0, size: 0 };
    let started = Instant::now();
    let (_, error) = crate::run(
        &dispatch,
        &program,
        &memory,
        arena,
        &limits,
        crate::Watch::default(),
    );
    (error, started.elapsed())
}

// rule: one tensor move ends where the run's time does; section no manual says: the limit is the emulator's own.
#[test]
fn a_time_limit_ends_one_hostile_tensor() {
    // tensor_store_from_lds s[0:3], s[4:11], s[12:15], s[16:19]
    let store = LOAD_4.replacen("0100", "0140", 1);
    for tensor in [LOAD_4, &store] {
        let (error, took) = hostile(tensor, Duration::from_millis(20));
        assert!(
            matches!(error, Some(crate::RunError::Timeout(_))),
            "{error:?} after {took:?}"
        );
        // Alone the move takes seconds; the machine may be busy with other tests.
        assert!(took < Duration::from_secs(1), "{took:?}");
    }
}
