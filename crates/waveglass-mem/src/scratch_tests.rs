use super::*;
use crate::fault::FaultKind;
use crate::global::Permission;
use crate::rules::{Generation, Rules};

// points: 4

const BASE: u64 = 0x10_0000;

fn setup(wave_size: u32, size: u64) -> (GlobalMemory, ScratchWindow, Port) {
    let window = ScratchWindow {
        base: BASE,
        size,
        wave_size,
    };
    let mut memory = GlobalMemory::new();
    memory
        .map_zeroed(BASE, window.bytes(), Permission::ReadWrite, "scratch")
        .unwrap();
    (memory, window, Port::new(Rules::new(Generation::Gcn5)))
}

fn dword(memory: &GlobalMemory, address: u64) -> u32 {
    let mut bytes = [0; 4];
    assert!(memory.read(address, &mut bytes));
    u32::from_le_bytes(bytes)
}

// RDNA 3 ISA 11.2: (off / 4) * 4 * W + off % 4 + TID * 4.
// claims: flat.9.5-3
#[test]
fn swizzle_interleaves_dwords_over_the_wave() {
    assert_eq!(scratch_swizzle(0, 5, 64), 20);
    assert_eq!(scratch_swizzle(4, 5, 64), 256 + 20);
    assert_eq!(scratch_swizzle(7, 5, 64), 256 + 20 + 3);
    assert_eq!(scratch_swizzle(8, 1, 32), 256 + 4);
}

// claims: flat.9.5-2
#[test]
fn a_dwordx2_store_at_one_offset_lies_in_two_rows_of_lanes() {
    let (memory, window, mut port) = setup(64, 16);
    let mut rows = [[0; 32]; 4];
    for lane in 0..64 {
        rows[lane / 32][lane % 32] = 100 + lane as u32;
        rows[2 + lane / 32][lane % 32] = 200 + lane as u32;
    }
    let offsets = [4i64; 64];
    window.store(
        &memory,
        Lanes::new(&offsets, u64::MAX),
        Element::B64,
        &rows,
        &mut port,
    );
    assert_eq!(dword(&memory, BASE + 256 + 4 * 10), 110);
    assert_eq!(dword(&memory, BASE + 512 + 4 * 63), 263);
    let mut back = [[0; 32]; 4];
    window.load(
        &memory,
        Lanes::new(&offsets, u64::MAX),
        Element::B64,
        &mut back,
        &mut port,
    );
    assert_eq!(back, rows);
    assert!(port.faults.is_empty());
}

// Vega ISA 9.5: scratch supports multi-dword and unaligned access.
// claims: flat.9.5-2
#[test]
fn an_unaligned_dword_is_split_over_two_elements() {
    let (memory, window, mut port) = setup(32, 8);
    let row = [[0x4433_2211; 32]];
    window.store(
        &memory,
        Lanes::new(&[2i64; 32], 0b10),
        Element::B32,
        &row,
        &mut port,
    );
    assert_eq!(dword(&memory, BASE + 4), 0x2211_0000);
    assert_eq!(dword(&memory, BASE + 128 + 4), 0x0000_4433);
    let mut back = [[7; 32]];
    window.load(
        &memory,
        Lanes::new(&[2i64; 32], 0b10),
        Element::B32,
        &mut back,
        &mut port,
    );
    assert_eq!(back[0][..3], [7, 0x4433_2211, 7]);
    window.load(
        &memory,
        Lanes::new(&[3i64; 32], 0b10),
        Element::I16,
        &mut back,
        &mut port,
    );
    assert_eq!(back[0][1], 0x3322);
}

// Vega ISA 9.6: scratch range [0, scratch-size - 1].
// points: 4, 5, 6
// claims: flat.9.6-6, flat.9.6-7
#[test]
fn offsets_outside_the_lanes_scratch_read_zero_per_dword_and_fault() {
    let (memory, window, mut port) = setup(32, 8);
    let row = [[5; 32]];
    window.store(
        &memory,
        Lanes::new(&[4i64; 32], 1),
        Element::B32,
        &row,
        &mut port,
    );
    let mut back = [[7; 32]; 2];
    let mut offsets = [4i64; 32];
    offsets[1] = -4;
    offsets[2] = 0;
    window.load(
        &memory,
        Lanes::new(&offsets, 0b111),
        Element::B64,
        &mut back,
        &mut port,
    );
    assert_eq!([back[0][0], back[1][0]], [5, 0]);
    assert_eq!([back[0][1], back[1][1]], [0, 0]);
    assert_eq!([back[0][2], back[1][2]], [0, 0]);
    let found: Vec<_> = port
        .faults
        .iter()
        .map(|f| (f.kind, f.lane, f.address))
        .collect();
    assert_eq!(
        found,
        [
            (FaultKind::ScratchRange, 0, 8),
            (FaultKind::ScratchRange, 1, -4i64 as u64)
        ]
    );
    assert_eq!(port.faults[0].limit, Some(8));
}

// points: 4, 5, 6
// claims: flat.9.6-6, flat.9.6-7
#[test]
fn a_store_out_of_range_changes_nothing() {
    let (memory, window, mut port) = setup(32, 4);
    let row = [[5; 32]];
    window.store(
        &memory,
        Lanes::new(&[2i64; 32], 1),
        Element::B32,
        &row,
        &mut port,
    );
    assert_eq!(dword(&memory, BASE), 0);
    assert_eq!(port.faults[0].kind, FaultKind::ScratchRange);
}
