//! The bytes are LLVM's encodings; the comment before each gives the instruction. What descriptors say is
//! tested in `waveglass-mem`.

use crate::program::Step;
use crate::testing::{Bench, MEMORY};
use waveglass_isa::Target;

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
