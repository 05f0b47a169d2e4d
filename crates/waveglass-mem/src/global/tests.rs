use super::*;
use crate::access::{Element, Lanes, Row};
use crate::atomic::{AtomicOp, AtomicRules, AtomicWidth};
use crate::rules::{AlignmentMode, Generation, Rules};

// points: 6

const A: u64 = 0x1_0000;

fn port() -> Port {
    Port::new(Rules::new(Generation::Gcn5))
}

/// Bytes 0, 1, 2, ... at `A`.
fn counting(size: usize) -> GlobalMemory {
    let bytes: Vec<u8> = (0..size).map(|i| (i * 13 + i / 256) as u8).collect();
    let mut memory = GlobalMemory::new();
    memory
        .map_bytes(A, &bytes, Permission::ReadWrite, "a")
        .unwrap();
    memory
}

fn byte(i: usize) -> u8 {
    (i * 13 + i / 256) as u8
}

fn dword(i: usize) -> u32 {
    u32::from_le_bytes([byte(i), byte(i + 1), byte(i + 2), byte(i + 3)])
}

const DWORDS: [Element; 4] = [Element::B32, Element::B64, Element::B96, Element::B128];

// rule: a wide load fills consecutive registers with consecutive dwords; section Vega ISA 9.7.
#[test]
fn contiguous_loads_of_every_width_and_misalignment_fill_rows_register_by_register() {
    let memory = counting(2048);
    for element in DWORDS {
        for (lanes, start) in [(64, 0), (64, 4), (64, 1), (32, 0), (32, 12), (32, 7)] {
            let step = element.bytes() as usize;
            let addresses: Vec<u64> = (0..lanes).map(|l| A + (start + l * step) as u64).collect();
            let mut port = port();
            let mut rows = vec![[0; 32]; element.dwords() * lanes / 32];
            memory.load(
                Lanes::new(&addresses, u64::MAX),
                element,
                &mut rows,
                &mut port,
            );
            for lane in 0..lanes {
                for d in 0..element.dwords() {
                    let got = rows[d * (lanes / 32) + lane / 32][lane % 32];
                    assert_eq!(
                        got,
                        dword(start + lane * step + d * 4),
                        "{element:?} {start}"
                    );
                }
            }
            assert!(port.faults.is_empty());
        }
    }
}

// rule: a load gives what a store left, whichever way of the model either takes; section Vega ISA 9.7.
#[test]
fn stores_then_loads_agree_for_every_path() {
    for element in DWORDS {
        for (scale, start, exec) in [
            (1, 0, u64::MAX),
            (1, 4, u64::MAX),
            (1, 3, u64::MAX),
            (2, 0, u64::MAX),
            (1, 0, 0x8000_0000_ffff_0001),
        ] {
            let mut memory = GlobalMemory::new();
            memory
                .map_zeroed(A, 4096, Permission::ReadWrite, "a")
                .unwrap();
            let step = element.bytes() as usize * scale;
            let addresses: Vec<u64> = (0..64).map(|l| A + (start + l * step) as u64).collect();
            let lanes = Lanes::new(&addresses, exec);
            let mut src = vec![[0; 32]; element.dwords() * 2];
            for (i, value) in src.as_flattened_mut().iter_mut().enumerate() {
                *value = 0x0101_0101u32.wrapping_mul(i as u32 + 1);
            }
            let mut port = port();
            memory.store(lanes, element, &src, &mut port);
            let mut bytes = vec![0; 4096];
            assert!(memory.read(A, &mut bytes));
            for lane in 0..64 {
                for d in 0..element.dwords() {
                    let at = start + lane * step + d * 4;
                    let got = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
                    let on = exec >> lane & 1 != 0;
                    let want = src[d * 2 + lane / 32][lane % 32];
                    assert_eq!(
                        got,
                        if on { want } else { 0 },
                        "{element:?} {scale} {start}"
                    );
                }
            }
            let mut back = vec![[9; 32]; src.len()];
            memory.load(lanes, element, &mut back, &mut port);
            for lane in 0..64 {
                let want = if exec >> lane & 1 != 0 {
                    src[lane / 32][lane % 32]
                } else {
                    9
                };
                assert_eq!(back[lane / 32][lane % 32], want);
            }
            assert!(port.faults.is_empty());
        }
    }
}

// rule: loads of bytes and shorts extend them, stores take the low bits; section Vega ISA 12.18.1,
// 12.18.3.
// points: 3, 7
#[test]
fn bytes_and_shorts_extend_on_load_and_truncate_on_store() {
    let mut memory = GlobalMemory::new();
    memory
        .map_bytes(A, &[0x80, 0xff, 0x7f, 1, 2], Permission::ReadWrite, "a")
        .unwrap();
    let mut port = port();
    let mut get = |element, address| {
        let mut rows = [[0; 32]];
        memory.load(Lanes::new(&[address; 32], 1), element, &mut rows, &mut port);
        rows[0][0]
    };
    assert_eq!(get(Element::U8, A), 0x80);
    assert_eq!(get(Element::I8, A), 0xffff_ff80);
    assert_eq!(get(Element::U16, A), 0xff80);
    assert_eq!(get(Element::I16, A), 0xffff_ff80);
    assert_eq!(get(Element::I16, A + 1), 0x7fff);
    let row = [[0xaabb_ccdd; 32]];
    memory.store(Lanes::new(&[A + 1; 32], 1), Element::U8, &row, &mut port);
    memory.store(Lanes::new(&[A + 3; 32], 1), Element::I16, &row, &mut port);
    let mut bytes = [0; 5];
    assert!(memory.read(A, &mut bytes));
    assert_eq!(bytes, [0x80, 0xdd, 0x7f, 0xdd, 0xcc]);
    assert!(port.faults.is_empty());
}

// Vega ISA 9.6: bad threads' reads return zero; the others proceed.
// claims: flat.9-6, flat.9.6-2, flat.9.6-7
#[test]
fn bad_lanes_read_zero_with_the_nearest_region_and_good_lanes_proceed() {
    let memory = counting(64);
    let mut addresses = [A; 32];
    addresses[1] = A + 64;
    addresses[2] = A - 6;
    addresses[3] = A + 60;
    let mut port = port();
    let mut rows = [[7; 32]];
    memory.load(
        Lanes::new(&addresses, 0b1111),
        Element::B32,
        &mut rows,
        &mut port,
    );
    assert_eq!(rows[0][..5], [dword(0), 0, 0, dword(60), 7]);
    let faults: Vec<_> = port
        .faults
        .iter()
        .map(|f| {
            let region = f.nearest.as_ref().unwrap();
            (f.lane, f.kind, region.side, region.distance)
        })
        .collect();
    assert_eq!(
        faults,
        [
            (1, FaultKind::Unmapped, Side::After, 0),
            (2, FaultKind::Unmapped, Side::Before, 6)
        ]
    );
}

// rule: a load across the end of a region zeroes the dwords outside alone; section no manual says: how
// an access across the end of what is mapped is divided.
#[test]
fn a_wide_load_across_the_end_keeps_its_good_dwords() {
    let memory = counting(64);
    let mut port = port();
    let mut rows = [[7; 32]; 4];
    memory.load(
        Lanes::new(&[A + 56; 32], 1),
        Element::B128,
        &mut rows,
        &mut port,
    );
    let got = rows.map(|r| r[0]);
    assert_eq!(got, [dword(56), dword(60), 0, 0]);
    assert_eq!((port.faults.len(), port.faults[0].address), (1, A + 64));
}

// rule: regions that touch are one memory; section no manual says: regions are the model's own.
#[test]
fn neighbouring_regions_serve_an_access_that_straddles_them() {
    let mut memory = counting(64);
    memory
        .map_bytes(
            A + 64,
            &[1, 2, 3, 4, 5, 6, 7, 8],
            Permission::ReadWrite,
            "b",
        )
        .unwrap();
    let mut port = port();
    let mut rows = [[7; 32]; 2];
    memory.load(
        Lanes::new(&[A + 62; 32], 1),
        Element::B64,
        &mut rows,
        &mut port,
    );
    let low = u32::from_le_bytes([byte(62), byte(63), 1, 2]);
    assert_eq!([rows[0][0], rows[1][0]], [low, 0x0605_0403]);
    assert!(port.faults.is_empty());
}

// Vega ISA 9.6: write to a read-only surface.
// claims: flat.9.6-3, flat.9.6-7
#[test]
fn stores_and_atomics_to_read_only_memory_are_dropped_and_reported() {
    let mut memory = GlobalMemory::new();
    memory
        .map_bytes(A, &[9; 256], Permission::ReadOnly, "code")
        .unwrap();
    let addresses: Vec<u64> = (0..32).map(|l| A + l * 4).collect();
    let mut port = port();
    memory.store(
        Lanes::new(&addresses, u64::MAX),
        Element::B32,
        &[[1; 32]],
        &mut port,
    );
    assert_eq!(port.take_faults().len(), 32);
    let swap = Atomic {
        op: AtomicOp::Swap,
        width: AtomicWidth::B32,
        data: &[[1; 32]],
        second: &[],
        rules: AtomicRules::integer(Generation::Gcn5),
    };
    memory.atomic(Lanes::new(&addresses, 1), swap, None, &mut port);
    assert_eq!(port.faults[0].kind, FaultKind::ReadOnly);
    let mut bytes = [0; 256];
    assert!(memory.read(A, &mut bytes));
    assert_eq!(bytes, [9; 256]);
}

// rule: a store that lies partly in read-only memory is a write to a read-only surface; section Vega ISA 9.6.
#[test]
fn a_store_across_into_read_only_memory_is_one_of_read_only_memory() {
    let mut memory = GlobalMemory::new();
    for (base, permission) in [(A, Permission::ReadWrite), (A + 256, Permission::ReadOnly)] {
        memory.map_bytes(base, &[9; 256], permission, "a").unwrap();
    }
    // Two bytes in each; two behind the end of all.
    for (address, kind) in [
        (A + 254, FaultKind::ReadOnly),
        (A + 510, FaultKind::Unmapped),
    ] {
        let mut port = port();
        memory.store(
            Lanes::new(&[address; 32], 1),
            Element::B32,
            &[[1; 32]],
            &mut port,
        );
        let kinds: Vec<FaultKind> = port.faults.iter().map(|f| f.kind).collect();
        assert_eq!(kinds, [kind]);
    }
    let mut bytes = [0; 512];
    assert!(memory.read(A, &mut bytes[..256]) && memory.read(A + 256, &mut bytes[256..]));
    assert_eq!(bytes, [9; 512]);
}

// RDNA 4 ISA 9.5.
// points: 5, 6
// claims: flat.9.6-4, set.alignment
#[test]
fn alignment_modes_act_on_loads_and_atomics() {
    let memory = counting(64);
    let mut port = port();
    let mut get = |mode| {
        port.rules.alignment = mode;
        let mut rows = [[7; 32]; 2];
        memory.load(
            Lanes::new(&[A + 6; 32], 1),
            Element::B64,
            &mut rows,
            &mut port,
        );
        (rows[0][0], port.take_faults().len())
    };
    assert_eq!(get(AlignmentMode::Unaligned), (dword(6), 0));
    assert_eq!(get(AlignmentMode::Dword), (dword(4), 0));
    assert_eq!(get(AlignmentMode::DwordStrict), (0, 1));
    assert_eq!(get(AlignmentMode::Strict), (0, 1));
    let or = Atomic {
        op: AtomicOp::Or,
        width: AtomicWidth::B64,
        data: &[[0; 32]; 2],
        second: &[],
        rules: AtomicRules::integer(Generation::Gcn5),
    };
    let mut atomic = |mode| {
        port.rules.alignment = mode;
        let mut rows = [[7; 32]; 2];
        memory.atomic(Lanes::new(&[A + 12; 32], 1), or, Some(&mut rows), &mut port);
        (rows[0][0], port.take_faults().len())
    };
    assert_eq!(atomic(AlignmentMode::Unaligned), (0, 1));
    assert_eq!(atomic(AlignmentMode::Dword), (dword(8), 0));
}

// rule: a misaligned atomic is a violation in the DWORD mode too on RDNA 3 and 3.5, and aligned by force on RDNA 4 and
// CDNA 5; section RDNA 3 ISA 9.5, RDNA 3.5 ISA 9.5, RDNA 4 ISA 9.5, CDNA 5 ISA 9.5.
// points: 5, 6
#[test]
fn the_dword_mode_aligns_atomics_where_the_manual_says_so() {
    for (generation, found) in [
        (Generation::Rdna3, (0, 1)),
        (Generation::Rdna3_5, (0, 1)),
        (Generation::Rdna4, (dword(8), 0)),
        (Generation::Cdna5, (dword(8), 0)),
    ] {
        let memory = counting(64);
        let mut port = Port::new(Rules::new(generation));
        port.rules.alignment = AlignmentMode::Dword;
        let or = Atomic {
            op: AtomicOp::Or,
            width: AtomicWidth::B64,
            data: &[[0; 32]; 2],
            second: &[],
            rules: AtomicRules::integer(generation),
        };
        let mut rows = [[7; 32]; 2];
        memory.atomic(Lanes::new(&[A + 12; 32], 1), or, Some(&mut rows), &mut port);
        let faults = port.take_faults();
        assert_eq!((rows[0][0], faults.len()), found, "{generation:?}");
        assert!(faults.iter().all(|f| f.kind == FaultKind::Misaligned));
    }
}

// points: 3
// claims: flat.9.1-2
#[test]
fn racing_atomics_of_many_threads_lose_nothing() {
    let mut memory = GlobalMemory::new();
    memory
        .map_zeroed(A, 64, Permission::ReadWrite, "a")
        .unwrap();
    let rules = AtomicRules::integer(Generation::Gcn5);
    let one = [[1; 32]];
    std::thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                let mut port = port();
                for (op, offset) in [(AtomicOp::Add, 0), (AtomicOp::Rsub, 4), (AtomicOp::Inc, 8)] {
                    let limit = [[u32::MAX; 32]];
                    let data = if op == AtomicOp::Inc { &limit } else { &one };
                    let atomic = Atomic {
                        op,
                        width: AtomicWidth::B32,
                        data,
                        second: &[],
                        rules,
                    };
                    for _ in 0..500 {
                        memory.atomic(
                            Lanes::new(&[A + offset; 32], u64::MAX),
                            atomic,
                            None,
                            &mut port,
                        );
                    }
                }
                assert!(port.faults.is_empty());
            });
        }
    });
    let mut bytes = [0; 12];
    assert!(memory.read(A, &mut bytes));
    let values: [u32; 3] =
        std::array::from_fn(|i| u32::from_le_bytes(bytes[i * 4..][..4].try_into().unwrap()));
    // 4 * 500 * 32 additions; an even number of x -> 1 - x; as many increments.
    assert_eq!(values, [64_000, 0, 64_000]);
}

// rule: a compare and swap of memory takes the new value from the first register and the comparand
// from the second; section Vega ISA 12.18.1.
// points: 3
#[test]
fn compare_swap_takes_the_comparand_from_the_second_operand() {
    let memory = counting(16);
    let mut port = port();
    let old = [[dword(0); 32]];
    let atomic = Atomic {
        op: AtomicOp::CmpSwap,
        width: AtomicWidth::B32,
        data: &[[77; 32]],
        second: &old,
        rules: AtomicRules::integer(Generation::Gcn5),
    };
    let mut before = [[0; 32]];
    // The second lane finds the first one's value and does not swap.
    memory.atomic(
        Lanes::new(&[A; 32], 0b11),
        atomic,
        Some(&mut before),
        &mut port,
    );
    assert_eq!(before[0][..3], [dword(0), 77, 0]);
}

// rule: scalar loads ignore the two low bits of the address; section Vega ISA 7.2.1, 7.4.
// points: 11
#[test]
fn scalar_loads_ignore_the_two_low_address_bits_and_zero_what_is_unmapped() {
    let memory = counting(16);
    let mut port = port();
    let mut values = [9; 4];
    memory.load_scalar(A + 11, &mut values, &mut port);
    assert_eq!(values, [dword(8), dword(12), 0, 0]);
    assert_eq!((port.faults.len(), port.faults[0].address), (1, A + 16));
}

// rule: regions are aligned, not empty, and do not overlap; section no manual says: how memory is
// mapped is the model's own interface.
#[test]
fn mapping_refuses_what_cannot_be() {
    let mut memory = counting(64);
    let mut map = |base, size| memory.map_zeroed(base, size, Permission::ReadWrite, "x");
    assert_eq!(map(A + 8, 16), Err(MapError::Misaligned { base: A + 8 }));
    assert_eq!(map(A + 64, 0), Err(MapError::Empty));
    for (base, size) in [(A, 1), (A - 16, 17), (A + 48, 64), (A - 16, 4096)] {
        let found = map(base, size);
        assert!(matches!(found, Err(MapError::Overlap { .. })), "{base:#x}");
    }
    assert!(matches!(
        map(u64::MAX - 15, 17),
        Err(MapError::Overflow { .. })
    ));
    assert!(matches!(
        map(1 << 40, 1 << 63),
        Err(MapError::OutOfMemory { .. })
    ));
    assert_eq!(map(A - 16, 16), Ok(()));
    assert_eq!(map(A + 64, 16), Ok(()));
    assert!(memory.unmap(A));
    assert!(!memory.unmap(A));
    assert_eq!(memory.region_at(A + 64).map(|r| r.base), Some(A + 64));
    assert_eq!(memory.region_at(A), None);
}

// rule: a region may end at the end of the address space, and sums of addresses go on at 0 behind it;
// section no manual says: what an address past the last one is.
// points: 1, 6
#[test]
fn the_last_bytes_of_the_address_space_can_be_mapped() {
    let mut memory = GlobalMemory::new();
    let top = u64::MAX - 15;
    let map = |m: &mut GlobalMemory, base, size| {
        m.map_bytes(base, &vec![7; size], Permission::ReadWrite, "top")
    };
    assert_eq!(map(&mut memory, top, 16), Ok(()));
    assert!(matches!(
        map(&mut memory, top - 16, 32),
        Err(MapError::Overlap { .. })
    ));
    assert_eq!(map(&mut memory, top - 16, 16), Ok(()));
    let mut port = port();
    for (address, dwords, good) in [
        (top + 12, 1, true),
        (top + 8, 2, true),
        (top + 12, 2, false),
    ] {
        let element = if dwords == 1 {
            Element::B32
        } else {
            Element::B64
        };
        let mut rows = vec![[9; 32]; dwords];
        memory.load(Lanes::new(&[address; 32], 1), element, &mut rows, &mut port);
        let faults = port.take_faults();
        assert_eq!(faults.is_empty(), good, "{address:#x}");
        assert_eq!(rows[0][0], 0x0707_0707);
        // Addresses are sums of 64 bits: behind the end comes address 0, where nothing is mapped.
        assert_eq!(rows[dwords - 1][0] == 0, !good);
        if let Some(fault) = faults.first() {
            assert_eq!((fault.kind, fault.address), (FaultKind::Unmapped, 0));
        }
    }
    assert_eq!(memory.region_at(u64::MAX).map(|r| r.base), Some(top));
    assert!(memory.unmap(top));
}

// rule: every address is defined; section no manual says: this is about the model's own safety.
#[test]
fn no_address_panics() {
    let memory = counting(61);
    let mut port = port();
    let edges = [
        0,
        1,
        A - 1,
        A,
        A + 57,
        A + 58,
        A + 60,
        A + 61,
        1 << 47,
        u64::MAX - 3,
        u64::MAX,
    ];
    for element in [
        Element::U8,
        Element::U16,
        Element::B32,
        Element::B96,
        Element::B128,
    ] {
        for address in edges {
            let mut rows: Vec<Row> = vec![[0; 32]; element.dwords()];
            let addresses = [address; 32];
            let lanes = Lanes::new(&addresses, 1);
            memory.load(lanes, element, &mut rows, &mut port);
            memory.store(lanes, element, &rows, &mut port);
            memory.load_scalar(address, &mut [0; 16], &mut port);
        }
    }
}
