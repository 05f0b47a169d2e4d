use super::*;
use crate::atomic::{AtomicOp, AtomicRules};
use crate::global::Permission;
use crate::rules::Rules;

// points: 1

const BASES: u32 = 0x2000_1000;
const SHARED: u64 = 0x2000 << 48;
const PRIVATE: u64 = 0x1000 << 48;

fn apertures() -> Apertures {
    Apertures::from_bases(BASES, false)
}

// RDNA 3 ISA 6.9: {base[15:0], 48'h0} and {base[15:0], 48'h0000_FFFF_FFFF}; 32-bit: {base, 16'h0/FFFF}.
// claims: flat.9-7, flat.9.8-1, flat.9.3-3
#[test]
fn aperture_operands_have_the_manuals_values() {
    let a = apertures();
    assert_eq!(
        (a.shared_base(), a.shared_limit()),
        (SHARED, SHARED | 0xffff_ffff)
    );
    assert_eq!(
        (a.private_base(), a.private_limit()),
        (PRIVATE, PRIVATE | 0xffff_ffff)
    );
    let a = Apertures::from_bases(BASES, true);
    assert_eq!(
        (a.shared_base(), a.shared_limit()),
        (0x2000_0000, 0x2000_ffff)
    );
    assert_eq!(
        (a.private_base(), a.private_limit()),
        (0x1000_0000, 0x1000_ffff)
    );
}

// claims: flat.9-6, flat.9-7, flat.9.6-2
#[test]
fn apertures_are_two_to_the_32_bytes_and_what_follows_is_hole() {
    for generation in [Generation::Gcn5, Generation::Rdna3, Generation::Rdna4] {
        let resolve = |address| apertures().resolve(generation, address, 0);
        assert_eq!(resolve(SHARED - 1), Target::Hole(SHARED - 1));
        assert_eq!(resolve(SHARED), Target::Lds(0));
        assert_eq!(
            resolve(SHARED + (1 << 32)),
            Target::Hole(SHARED + (1 << 32))
        );
        assert_eq!(resolve(PRIVATE + 0xffff_ffff), Target::Scratch(0xffff_ffff));
        assert_eq!(resolve((1 << 47) - 1), Target::Global((1 << 47) - 1));
        assert_eq!(resolve(1 << 47), Target::Hole(1 << 47));
        assert_eq!(resolve(u64::MAX << 47), Target::Global(u64::MAX << 47));
    }
}

// claims: flat.9-7
#[test]
fn a_base_of_zero_disables_the_aperture() {
    let none = Apertures::from_bases(0, false);
    for generation in Generation::ALL {
        assert_eq!(none.resolve(generation, 0x10, 0), Target::Global(0x10));
        assert_eq!(none.resolve(generation, SHARED, 0), Target::Hole(SHARED));
    }
}

// RDNA 4 ISA 11.2: "The aperture test uses only the base address, not the IOFFSET".
#[test]
fn the_aperture_test_stands_before_the_offset_except_on_cdna5() {
    let below = SHARED - 4;
    for generation in Generation::ALL {
        let want = if generation == Generation::Cdna5 {
            Target::Lds(4)
        } else {
            Target::Hole(SHARED + 4)
        };
        assert_eq!(
            apertures().resolve(generation, below, 8),
            want,
            "{generation:?}"
        );
    }
}

// RDNA 4 ISA 11.2: LDS_ADDR.U17 = addr[16:0] + IOFFSET[16:0], wrapping.
#[test]
fn rdna4_wraps_lds_addresses_at_17_bits_and_older_ones_leave_the_range() {
    let resolve = |g, address, offset| apertures().resolve(g, address, offset);
    assert_eq!(
        resolve(Generation::Rdna4, SHARED + 0x1_fffc, 8),
        Target::Lds(4)
    );
    assert_eq!(
        resolve(Generation::Rdna4, SHARED + 4, -8),
        Target::Lds(0x1_fffc)
    );
    assert_eq!(
        resolve(Generation::Rdna3, SHARED + 0x1_fffc, 8),
        Target::Lds(0x2_0004)
    );
    assert_eq!(
        resolve(Generation::Rdna3, SHARED + 4, -8),
        Target::Lds(u32::MAX)
    );
    assert_eq!(
        resolve(Generation::Cdna5, SHARED + 0x1_fffc, 8),
        Target::Lds(0x2_0004)
    );
}

// CDNA 5 ISA 10.2: isScratch = addr[63:58] == PRIVATE_BASE[15:10]; the address encodes lane and element.
#[test]
fn cdna5_flat_scratch_encodes_lane_and_element() {
    let a = apertures();
    let base = a.flat_scratch_base(0x12_3480);
    assert_eq!(base, PRIVATE | (0x12_3480 >> 7) << 2);
    let lane5 = base + (5 << 52) + 6;
    assert_eq!(
        a.resolve(Generation::Cdna5, lane5, 0),
        Target::SharedScratch(0x12_3480 + 128 + 5 * 4 + 2)
    );
    assert!(matches!(
        a.resolve(Generation::Cdna5, 1 << 56, 0),
        Target::Hole(_)
    ));
    assert!(matches!(
        a.resolve(Generation::Cdna5, 0x00ff_ffff_ffff_ffff, 0),
        Target::Global(_)
    ));
}

// claims: flat.9.3-1, flat.9.3-3, set.ptr32
#[test]
fn ptr32_apertures_are_64_kib_and_have_no_hole() {
    let a = Apertures::from_bases(BASES, true);
    let resolve = |address| a.resolve(Generation::Gcn5, address, 4);
    assert_eq!(resolve(0x2000_0010), Target::Lds(0x14));
    assert_eq!(resolve(0x1000_0010), Target::Scratch(0x14));
    assert_eq!(resolve(0x2001_0000), Target::Global(0x2001_0004));
    assert_eq!(resolve(0xffff_ffff), Target::Global(3));
}

struct World {
    memory: GlobalMemory,
    lds: Lds,
    scratch: ScratchWindow,
}

fn world() -> World {
    let scratch = ScratchWindow {
        base: 0x8000,
        size: 16,
        wave_size: 32,
    };
    let mut memory = GlobalMemory::new();
    memory
        .map_zeroed(0x4000, 256, Permission::ReadWrite, "a")
        .unwrap();
    memory
        .map_zeroed(0x8000, scratch.bytes(), Permission::ReadWrite, "scratch")
        .unwrap();
    World {
        memory,
        lds: Lds::new(64),
        scratch,
    }
}

impl World {
    fn flat(&mut self) -> Flat<'_> {
        Flat {
            apertures: apertures(),
            memory: &self.memory,
            lds: &mut self.lds,
            scratch: self.scratch,
        }
    }
}

// Vega ISA 9: lanes of one instruction fall in different spaces; bad ones read zero.
// claims: flat.9-2, flat.9-3, flat.9-4, flat.9.2-5, flat.9.6-1, flat.9.6-7
#[test]
fn one_store_and_load_reaches_all_three_spaces() {
    let mut world = world();
    let mut port = Port::new(Rules::new(Generation::Gcn5));
    let mut addresses = [0x4000; 32];
    addresses[1] = SHARED + 8;
    addresses[2] = PRIVATE + 4;
    addresses[3] = 1 << 59;
    addresses[4] = SHARED + 64;
    let row = [std::array::from_fn(|l| 10 + l as u32)];
    let lanes = Lanes::new(&addresses, 0b11111);
    let at = world.flat().store(lanes, 0, Element::B32, &row, &mut port);
    assert_eq!(
        (at.global, at.lds, at.scratch, at.hole),
        (1, 0b10010, 0b100, 0b1000)
    );
    let kinds: Vec<_> = port
        .take_faults()
        .iter()
        .map(|f| (f.lane, f.kind))
        .collect();
    assert_eq!(kinds, [(4, FaultKind::LdsRange), (3, FaultKind::Hole)]);
    let mut bytes = [0; 4];
    assert!(world.memory.read(0x4000, &mut bytes));
    assert_eq!(bytes, [10, 0, 0, 0]);
    assert_eq!(world.lds.bytes()[8..12], [11, 0, 0, 0]);
    // Lane 2's second dword: 0x8000 + 4 * 32 + 2 * 4.
    assert!(world.memory.read(0x8088, &mut bytes));
    assert_eq!(bytes, [12, 0, 0, 0]);
    let mut back = [[77; 32]];
    world
        .flat()
        .load(lanes, 0, Element::B32, &mut back, &mut port);
    assert_eq!(back[0][..6], [10, 11, 12, 0, 0, 77]);
    assert_eq!(port.faults.len(), 2);
}

// RDNA 3 ISA 11.1.1: an 8-byte atomic landing in scratch is a violation.
#[test]
fn flat_atomics_work_in_each_space_and_64_bits_in_scratch_do_not() {
    let mut world = world();
    let mut port = Port::new(Rules::new(Generation::Rdna3));
    let rules = AtomicRules::integer(Generation::Rdna3);
    let mut addresses = [0x4000; 32];
    addresses[1] = SHARED + 8;
    addresses[2] = PRIVATE + 4;
    let lanes = Lanes::new(&addresses, 0b111);
    let add = Atomic {
        op: AtomicOp::Add,
        width: AtomicWidth::B32,
        data: &[[3; 32]; 2],
        second: &[],
        rules,
    };
    let mut before = [[9; 32]; 2];
    world.flat().atomic(lanes, 0, add, rules, None, &mut port);
    world
        .flat()
        .atomic(lanes, 0, add, rules, Some(&mut before), &mut port);
    assert_eq!(before[0][..4], [3, 3, 3, 9]);
    assert!(port.faults.is_empty());
    let wide = Atomic {
        width: AtomicWidth::B64,
        ..add
    };
    world
        .flat()
        .atomic(lanes, 0, wide, rules, Some(&mut before), &mut port);
    let kinds: Vec<_> = port.faults.iter().map(|f| (f.lane, f.kind)).collect();
    assert_eq!(kinds, [(2, FaultKind::ScratchAtomic)]);
    assert_eq!([before[0][2], before[1][2]], [0, 0]);
    assert_eq!(before[0][0], 6);
}

// rule: a lane reaches another lane's scratch by a flat address; section CDNA 5 ISA 10.2.1.
#[test]
fn cdna5_lanes_read_other_lanes_scratch_through_flat_addresses() {
    let mut world = world();
    let mut port = Port::new(Rules::new(Generation::Cdna5));
    // Lane 3 stores its private offset 4 by a scratch access; lane 0 reads it by a flat address.
    let row = [[0x1234_5678; 32]; 2];
    let lanes = Lanes::new(&[4i64; 32], 0b1000);
    world
        .scratch
        .store(&world.memory, lanes, Element::B64, &row, &mut port);
    let address = apertures().flat_scratch_base(0x8000) + (3 << 52) + 4;
    let mut back = [[0; 32]; 2];
    let addresses = [address; 32];
    let lanes = Lanes::new(&addresses, 1);
    // Both dwords: the second lies one row of lanes further on.
    let at = world
        .flat()
        .load(lanes, 0, Element::B64, &mut back, &mut port);
    assert_eq!(at.shared_scratch, 1);
    assert_eq!([back[0][0], back[1][0]], [0x1234_5678, 0x1234_5678]);
    assert!(port.faults.is_empty());
}

// rule: a lane that goes wrong in the scratch of a lane is reported itself, not the lane whose scratch it is;
// section CDNA 5 ISA 10.2.1, 10.3.
// points: 1, 6
#[test]
fn each_lane_that_misses_shared_scratch_is_reported() {
    let mut world = world();
    let mut port = Port::new(Rules::new(Generation::Cdna5));
    // Lanes 1 and 2 miss in the scratch of lanes 3 and 0; lane 0 hits that of lane 3.
    let there = apertures().flat_scratch_base(0x8000);
    let nowhere = apertures().flat_scratch_base(1 << 40);
    let mut addresses = [0; 32];
    addresses[..3].copy_from_slice(&[there | 3 << 52, nowhere | 3 << 52, nowhere + 4]);
    let lanes = Lanes::new(&addresses, 0b111);
    let mut rows = [[7; 32]; 2];
    for access in [Access::Store, Access::Load] {
        match access {
            Access::Store => world.flat().store(lanes, 0, Element::B64, &rows, &mut port),
            _ => world
                .flat()
                .load(lanes, 0, Element::B64, &mut rows, &mut port),
        };
        let faults: Vec<_> = port
            .take_faults()
            .iter()
            .map(|f| (f.lane, f.access, f.kind, f.address))
            .collect();
        let miss = |lane, address| (lane, access, FaultKind::Unmapped, address);
        // {addr[51:2], addr[56:52], addr[1:0]}: lane 3 stands 12 bytes into a row, element 1 one row on.
        let want = [miss(1, (1 << 40) + 12), miss(2, (1 << 40) + 128)];
        assert_eq!(faults, want);
    }
    assert_eq!(rows.map(|row| [row[0], row[1], row[2]]), [[7, 0, 0]; 2]);
}

// Vega ISA 9.4: "If a global instruction attempts to access LDS, the instruction returns MEM_VIOL".
// points: 1, 4, 6
// claims: flat.9.4-7
#[test]
fn global_lanes_in_the_lds_aperture_are_taken_out() {
    let mut port = Port::new(Rules::new(Generation::Gcn5));
    let mut addresses = [0x4000; 32];
    addresses[1] = SHARED + 8;
    addresses[2] = 1 << 50;
    let mut lanes = Lanes::new(&addresses, 0b111);
    let bad = reject_non_global(&apertures(), &mut lanes, Access::Load, 4, &mut port);
    assert_eq!((bad, lanes.exec), (0b110, 1));
    let kinds: Vec<_> = port.faults.iter().map(|f| f.kind).collect();
    assert_eq!(kinds, [FaultKind::LdsAperture, FaultKind::Hole]);
}

// rule: an address resolves to memory, LDS, scratch or a hole, and to nothing else: no address is GDS's;
// section Vega ISA 9.
// claims: flat.9-5, flat.9-4
#[test]
fn no_flat_address_reaches_gds() {
    for generation in Generation::ALL {
        for high in [0u64, 0x7fff, 0x1000, 0x1001, 0x2000, 0x2001, 0x8000, 0xffff] {
            for low in [0, 0x100, 0xffff_ffff, 0x7fff_ffff_ffff, 0xffff_ffff_ffff] {
                // Every target that there is, by name: a new one does not compile here.
                let space = match apertures().resolve(generation, high << 48 | low, 0) {
                    Target::Global(_) => Space::Global,
                    Target::Lds(_) => Space::Lds,
                    Target::Scratch(_) | Target::SharedScratch(_) => Space::Scratch,
                    Target::Hole(_) => Space::Flat,
                };
                assert_ne!(space, Space::Gds);
            }
        }
    }
    // What a store through the LDS aperture changes is LDS, with GDS beside it.
    let mut world = world();
    let gds = crate::Gds::new(Generation::Gcn5);
    let mut port = Port::new(Rules::new(Generation::Gcn5));
    let lanes = Lanes::new(&[SHARED + 8; 32], 1);
    let row = [[7; 32]];
    world.flat().store(lanes, 0, Element::B32, &row, &mut port);
    assert_eq!(world.lds.bytes()[8], 7);
    gds.with_window(0xffff, &mut port, |gds, _| {
        assert!(gds.bytes().iter().all(|&b| b == 0));
    });
}
