//! What `access` says of an address agrees with what the executor then does: two computations of
//! one thing, over random registers. Memory holds its own addresses, so a loaded value tells where
//! it is from.

use std::collections::BTreeMap;
use waveglass::access::{AccessReport, LaneAccess, Place, Scene, instruction};
use waveglass::exec::wave::sreg;
use waveglass::isa::{Field, Operand, Target};

/// What LLVM 22 assembles for the text beside it.
const LOADS: &[(Target, &str)] = &[
    (Target::Gfx900, "080050dc00000002"), // flat_load_dword v2, v[0:1] offset:8
    (Target::Gfx900, "000058dc00000002"), // flat_load_dwordx3 v[2:4], v[0:1]
    (Target::Gfx900, "f89f50dc00007f02"), // global_load_dword v2, v[0:1], off offset:-8
    (Target::Gfx900, "108054dc00000002"), // global_load_dwordx2 v[2:3], v0, s[0:1] offset:16
    (Target::Gfx900, "044050dc00007f02"), // scratch_load_dword v2, v0, off offset:4
    (Target::Gfx900, "044050dc00000202"), // scratch_load_dword v2, off, s2 offset:4
    (Target::Gfx900, "041050e000020102"), // buffer_load_dword v2, v0, s[4:7], s2 offen offset:4
    (Target::Gfx900, "003058e000020180"), // buffer_load_dwordx3 v[2:4], v[0:1], s[4:7], 0 idxen offen
    (Target::Gfx900, "04006cd800000002"), // ds_read_b32 v2, v0 offset:4
    (Target::Gfx900, "0000ecd800000002"), // ds_read_b64 v[2:3], v0
    (Target::Gfx1030, "080030dc00007d02"), // flat_load_dword v2, v[0:1] offset:8
    (Target::Gfx1030, "002034e000020180"), // buffer_load_dwordx2 v[2:3], v0, s[4:7], 0 idxen
    (Target::Gfx1030, "044030dc00007d02"), // scratch_load_dword v2, v0, off offset:4
    (Target::Gfx1100, "080050dc00007c02"), // flat_load_b32 v2, v[0:1] offset:8
    (Target::Gfx1100, "100056dc00000002"), // global_load_b64 v[2:3], v0, s[0:1] offset:16
    (Target::Gfx1100, "040051dc00008202"), // scratch_load_b32 v2, v0, s2 offset:4
    (Target::Gfx1100, "000058e00002c180"), // buffer_load_b96 v[2:4], v[0:1], s[4:7], 0 idxen offen
    (Target::Gfx1100, "0000fcdb00000002"), // ds_load_b128 v[2:5], v0
    (Target::Gfx1201, "7c0005ec0200000000f8ffff"), // flat_load_b32 v2, v[0:1] offset:-8
    (Target::Gfx1201, "020005ed0200020000fcffff"), // scratch_load_b32 v2, v0, s2 offset:-4
    (Target::Gfx1201, "024005c40208804000000000"), // buffer_load_b64 v[2:3], v0, s[4:7], s2 offen
    (Target::Gfx1201, "0000f8db00000002"), // ds_load_b96 v[2:4], v0
    (Target::Gfx1250, "000005ee0200000000080000"), // global_load_b32 v2, v0, s[0:1] offset:8
    (Target::Gfx1250, "000005ee0200010000000000"), // global_load_b32 v2, v0, s[0:1] scale_offset
    (Target::Gfx1250, "7c4005ed0200020000040000"), // scratch_load_b64 v[2:3], v0, off offset:4
    (Target::Gfx1250, "7c0005c4020880c000000000"), // buffer_load_b32 v2, v[0:1], s[4:7], null idxen offen
    (Target::Gfx1250, "0400d8d800000002"),         // ds_load_b32 v2, v0 offset:4
    (Target::Gfx90a, "00805cdc00007f02"),          // global_load_dwordx4 v[2:5], v[0:1], off
    (Target::Gfx90a, "042050e000020180"), // buffer_load_dword v2, v0, s[4:7], 0 idxen offset:4
    (Target::Gfx90a, "00405cdc00000202"), // scratch_load_dwordx4 v[2:5], off, s2
    (Target::Gfx900, "04007ed800010002"), // ds_bpermute_b32 v2, v0, v1 offset:4
    (Target::Gfx900, "00007cd800010002"), // ds_permute_b32 v2, v0, v1
    (Target::Gfx1100, "0000ccda00010002"), // ds_bpermute_b32 v2, v0, v1
    (Target::Gfx900, "07097ad800000002"), // ds_swizzle_b32 v2, v0 offset:swizzle(BITMASK_PERM,"01pip")
    (Target::Gfx900, "60c07ad800000002"), // ds_swizzle_b32 v2, v0 offset:swizzle(ROTATE,0,3)
    (Target::Gfx900, "07807ad800000002"), // ds_swizzle_b32 v2, v0 offset:swizzle(QUAD_PERM,3,1,0,0)
    (Target::Gfx1100, "0400c4da00000002"), // ds_load_addtid_b32 v2 offset:4
    (Target::Gfx1200, "7cc014ee0200000000040000"), // global_load_block v[2:33], v[0:1], off offset:4
    (Target::Gfx1200, "7cc014ed0200020000000000"), // scratch_load_block v[2:33], v0, off
    (Target::Gfx1250, "00001aee0200000000000000"), // cluster_load_b64 v[2:3], v0, s[0:1]
    (Target::Gfx1250, "00001cee0200000000000000"), // global_load_monitor_b32 v2, v0, s[0:1]
];

/// Loads into LDS, with the bytes that a lane moves.
const TO_LDS: &[(Target, &str, usize)] = &[
    (Target::Gfx900, "00a050dc00007f00", 4), // global_load_dword v[0:1], off lds
    (Target::Gfx942, "0480a8dc00007f00", 4), // global_load_lds_dword v[0:1], off offset:4
    (Target::Gfx950, "0080f4dd00007f00", 16), // global_load_lds_dwordx4 v[0:1], off
    (Target::Gfx900, "041051e000000102", 4), // buffer_load_dword v0, s[4:7], s2 offen offset:4 lds
    (Target::Gfx942, "0460a8dc00007f00", 4), // scratch_load_lds_dword v0, off offset:4
    (Target::Gfx1250, "7c4018ee0200000000000000", 8), // global_load_async_to_lds_b64 v2, v[0:1], off
    (Target::Gfx1250, "7cc01aee0200000000000000", 4), // cluster_load_async_to_lds_b32 v2, v[0:1], off
];

/// Loads that transpose, with the bits of an element.
const TRANSPOSING: &[(Target, &str, u32)] = &[
    (Target::Gfx950, "0000c6d900000002", 16), // ds_read_b64_tr_b16 v[2:3], v0
    (Target::Gfx950, "0000c2d900000002", 6),  // ds_read_b96_tr_b6 v[2:4], v0
    (Target::Gfx1250, "0000f4db00000002", 8), // ds_load_tr8_b64 v[2:3], v0
    (Target::Gfx1250, "0000ecdb00000002", 6), // ds_load_tr6_b96 v[2:4], v0
    (Target::Gfx1200, "7cc015ee0200000000000000", 16), // global_load_tr_b128 v[2:5], v[0:1], off
    (Target::Gfx1250, "7cc01cee0200000000000000", 4), // global_load_tr4_b64 v[2:3], v[0:1], off
];

const MEMORY: u64 = 0x1_0000;
const SIZE: u64 = 0x60;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2)
        .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
        .collect()
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % n
    }
}

fn report(target: Target, hex: &str, seed: u64) -> AccessReport {
    let random = &mut Random(seed);
    let lanes = target.default_wave_size();
    let inst = instruction(target, lanes, &bytes(hex)).unwrap();
    let name = inst.mnemonic();
    // Enough for lanes that do not overlap.
    let through_lds = name.contains("lds") || hex.contains("00a050") || hex.starts_with("041051");
    let size = if through_lds { 640 } else { 64 };
    let mut scene = Scene::new(target, lanes, size, 32).unwrap();
    scene.map(MEMORY, SIZE, true, "memory").unwrap();
    let (lds, scratch) = scene.apertures();
    let vaddr = match inst.operand(Field::Vaddr) {
        Some(Operand::Reg(r)) => r.dwords,
        _ => 0,
    };
    let wide = vaddr == 2 && !name.starts_with("buffer");
    let wave = scene.wave_mut();
    for lane in 0..lanes as usize {
        let small = 4 * random.below(24);
        let address = match random.below(5) {
            0 => lds + small,
            1 => scratch + small,
            2 => 0x9000_0000_0000 + small,
            _ => MEMORY - 16 + 4 * random.below(SIZE / 4 + 8),
        };
        if wide {
            wave.set_lane(0, lane, address as u32);
            wave.set_lane(1, lane, (address >> 32) as u32);
        } else {
            wave.set_lane(0, lane, small as u32 / [1, 4][random.below(2) as usize]);
            wave.set_lane(1, lane, 4 * random.below(8) as u32);
        }
        if through_lds {
            wave.set_lane(2, lane, 16 * lane as u32);
        }
    }
    wave.set_s64(0, MEMORY);
    if ["block", "addtid"].iter().any(|w| name.contains(w)) || through_lds {
        wave.sgpr[sreg::M0] =
            random.below(8) as u32 * if name.contains("block") { 0x101 } else { 4 };
    }
    wave.sgpr[2] = 4 * random.below(10) as u32;
    // A V#: base, stride 0 or 16, records, and a format that makes it bound.
    let stride = [0, 16][random.below(2) as usize];
    wave.sgpr[4] = MEMORY as u32;
    wave.sgpr[5] = stride << 16;
    wave.sgpr[6] = random.below(80) as u32;
    wave.sgpr[7] = 0x0102_7000 | (random.below(4) as u32) << 28;
    if target == Target::Gfx1250 {
        // CDNA 5 ISA 9.6: base 56:0, num_records 101:57, stride 115:102.
        let records = random.below(300) as u128;
        let v = u128::from(MEMORY) | records << 57 | u128::from(stride) << 102;
        for (i, w) in (4..8).zip(0..) {
            wave.sgpr[i] = (v >> (32 * w)) as u32;
        }
    }
    let mask = wave.full_mask();
    wave.set_exec((random.below(1 << 31) << 32 | random.below(1 << 31)) & mask | 1);
    scene.access(&inst).unwrap()
}

#[test]
fn explanations_agree_with_execution() {
    for &(target, hex) in LOADS {
        let (mut loaded, mut nothing) = (0, 0);
        for seed in 1..60 {
            let report = report(target, hex, seed);
            for lane in report.lanes.iter().filter(|l| l.active) {
                let mut expected: Vec<u8> = Vec::new();
                let mut violation = false;
                for part in &lane.parts {
                    match (&part.place, &part.content) {
                        (Place::Dropped { .. } | Place::NoLane { .. }, None) => nothing += 1,
                        (Place::Violation { .. }, None) => {
                            nothing += 1;
                            violation = true;
                        }
                        (_, Some(c)) => {
                            loaded += 1;
                            expected.extend(c);
                            continue;
                        }
                        (place, None) => panic!("{hex}: {place:?} holds nothing"),
                    }
                    expected.extend(vec![0; part.bytes as usize]);
                }
                let got: Vec<u8> = lane.result.iter().flat_map(|v| v.to_le_bytes()).collect();
                assert_eq!(
                    got, expected,
                    "{} {target} seed {seed}: {lane:?}",
                    report.text
                );
                assert_eq!(lane.fault.is_some(), violation, "{} {lane:?}", report.text);
            }
        }
        assert!(loaded > 100 && nothing > 20, "{hex}: {loaded} {nothing}");
    }
}

/// What the parts of a lane hold, in order; zero where they hold nothing.
fn contents(lane: &LaneAccess, parts: usize) -> Vec<u8> {
    lane.parts[..parts]
        .iter()
        .flat_map(|p| p.content.clone().unwrap_or(vec![0; p.bytes as usize]))
        .collect()
}

#[test]
fn loads_into_lds_put_there_what_the_explanation_reads() {
    for &(target, hex, bytes) in TO_LDS {
        let (mut moved, mut off) = (0, 0);
        for seed in 1..60 {
            let report = report(target, hex, seed);
            for lane in report.lanes.iter().filter(|l| l.active) {
                let (last, memory) = lane.parts.split_last().unwrap();
                match last.place {
                    Place::Lds { .. } => {
                        moved += 1;
                        let there = last.content.clone().unwrap();
                        let read = contents(lane, memory.len());
                        assert_eq!(there[..bytes], read[..bytes], "{} {lane:?}", report.text);
                        let bad = |p: &Place| matches!(p, Place::Violation { .. });
                        let violation = memory.iter().any(|p| bad(&p.place));
                        assert_eq!(lane.fault.is_some(), violation, "{} {lane:?}", report.text);
                    }
                    Place::Dropped { .. } => off += 1,
                    ref other => panic!("{}: {other:?}", report.text),
                }
            }
        }
        assert!(moved > 100, "{hex}: {moved} {off}");
    }
}

/// The elements of `bits` bits in bytes, with how often each occurs.
fn elements(bytes: &[u8], bits: u32, into: &mut BTreeMap<u32, u32>) {
    let bit = |n: usize| u32::from(bytes[n / 8] >> (n % 8) & 1);
    for first in (0..bytes.len() * 8).step_by(bits as usize) {
        let value = (0..bits as usize).fold(0, |v, i| v | bit(first + i) << i);
        *into.entry(value).or_default() += 1;
    }
}

#[test]
fn transposing_loads_return_the_elements_that_the_explanation_reads() {
    for &(target, hex, bits) in TRANSPOSING {
        let lanes = target.default_wave_size();
        let inst = instruction(target, lanes, &bytes(hex)).unwrap();
        let mut scene = Scene::new(target, lanes, 4096, 0).unwrap();
        scene.map(MEMORY, 4096, true, "memory").unwrap();
        let global = inst.mnemonic().starts_with("global");
        let wave = scene.wave_mut();
        for lane in 0..lanes as usize {
            let base = if global { MEMORY as u32 } else { 0 };
            wave.set_lane(0, lane, base + 48 * lane as u32);
        }
        let report = scene.access(&inst).unwrap();
        let (mut read, mut got) = (BTreeMap::new(), BTreeMap::new());
        for lane in &report.lanes {
            elements(&contents(lane, lane.parts.len()), bits, &mut read);
            let result: Vec<u8> = lane.result.iter().flat_map(|v| v.to_le_bytes()).collect();
            elements(&result, bits, &mut got);
        }
        assert!(read.len() > 2, "{}", report.text);
        assert_eq!(read, got, "{}", report.text);
    }
}

#[test]
fn append_and_consume_show_one_access_for_all_lanes() {
    // ds_append v2 offset:4; ds_consume v2 offset:4
    for (target, hex, adds) in [
        (Target::Gfx900, "04007cd900000002", true),
        (Target::Gfx1100, "0400f4d800000002", false),
    ] {
        let lanes = target.default_wave_size();
        let inst = instruction(target, lanes, &bytes(hex)).unwrap();
        let mut scene = Scene::new(target, lanes, 64, 0).unwrap();
        scene.wave_mut().sgpr[sreg::M0] = 8;
        scene.wave_mut().set_exec(0b1_0110);
        let report = scene.access(&inst).unwrap();
        // LDS holds its addresses: 12 there, and three lanes.
        let after = if adds { 15u32 } else { 9 };
        let first = &report.lanes[1];
        assert_eq!(first.parts[0].place, Place::Lds { offset: 12 });
        assert_eq!(first.parts[0].content, Some(after.to_le_bytes().to_vec()));
        for lane in [1, 2, 4] {
            assert_eq!(report.lanes[lane].result, [12]);
        }
        assert!(report.lanes[2].parts.is_empty());
    }
}

/// Access to an instruction with registers set by `set`.
fn access(target: Target, hex: &str, set: impl FnOnce(&mut Scene)) -> AccessReport {
    let lanes = target.default_wave_size();
    let inst = instruction(target, lanes, &bytes(hex)).unwrap();
    let mut scene = Scene::new(target, lanes, 64, 0).unwrap();
    set(&mut scene);
    scene.access(&inst).unwrap()
}

fn shared(report: &AccessReport, name: &str) -> u64 {
    let found = report.shared.iter().find(|t| t.name == name);
    found
        .unwrap_or_else(|| panic!("{name}: {:?}", report.shared))
        .value
}

#[test]
fn gds_is_shown_in_the_window_of_m0() {
    // ds_read_b32 v5, v2 gds; ds_load_b32 v5, v2 gds
    for (target, hex) in [
        (Target::Gfx900, "00006dd802000005"),
        (Target::Gfx1100, "0000dad802000005"),
    ] {
        let report = access(target, hex, |scene| {
            let wave = scene.wave_mut();
            wave.sgpr[sreg::M0] = 0x100 << 16 | 8;
            for lane in 0..3 {
                wave.set_lane(2, lane, 4 * lane as u32);
            }
            wave.set_exec(0b111);
        });
        let place = |lane: usize| report.lanes[lane].parts.first().map(|p| &p.place);
        assert_eq!(place(0), Some(&Place::Gds { address: 0x100 }), "{target}");
        if target == Target::Gfx1100 {
            assert!(place(1).is_none() && !report.lanes[1].active);
            continue;
        }
        assert_eq!(place(1), Some(&Place::Gds { address: 0x104 }));
        assert!(matches!(place(2), Some(Place::Violation { .. })));
        assert!(report.lanes[2].fault.is_some() && report.lanes[1].fault.is_none());
    }
    // ds_append v5 offset:4 gds
    let report = access(Target::Gfx900, "04007dd900000005", |scene| {
        scene.wave_mut().sgpr[sreg::M0] = 0x10 << 16 | 16;
    });
    let part = &report.lanes[0].parts[0];
    assert_eq!(part.place, Place::Gds { address: 0x14 });
    assert_eq!(part.content, Some(vec![64, 0, 0, 0]));
}

#[test]
fn global_wave_sync_is_shown_with_its_resource() {
    // ds_gws_init v3 offset:5 gds; ds_gws_sema_p offset:5 gds
    let m0 = |scene: &mut Scene| {
        scene.wave_mut().sgpr[sreg::M0] = 62 << 16;
        scene.wave_mut().set_lane(3, 0, 9);
    };
    let report = access(Target::Gfx900, "050033d903000000", m0);
    assert_eq!(
        (shared(&report, "resource"), shared(&report, "value")),
        (3, 9)
    );
    assert!(!report.notes.iter().any(|n| n.contains("waits")));
    let report = access(Target::Gfx900, "050039d900000000", m0);
    assert!(
        report
            .notes
            .iter()
            .any(|n| n.contains("the wave waits here"))
    );
    // ds_add_gs_reg_rtn v[4:5], v2 offset:36 gds
    let report = access(Target::Gfx1100, "2400ead900020004", |scene| {
        scene.wave_mut().set_lane(2, 0, 7);
    });
    assert!(report.formula.contains("register 9 of GDS, of 64 bits"));
    assert_eq!(shared(&report, "value"), 7);
}

#[test]
fn an_ordered_count_is_shown_with_its_counter() {
    // ds_ordered_count v3, v0 offset:772 gds: index 1, with release and done.
    for (target, hex) in [
        (Target::Gfx900, "04037fd900000003"),
        (Target::Gfx1030, "0403fed800000003"),
        (Target::Gfx1100, "0403fed800000003"),
    ] {
        let in_registers = target == Target::Gfx1100;
        let base = if in_registers { 0 } else { 0x100 };
        let size = target.default_wave_size();
        let parsed = instruction(target, size, &bytes(hex)).unwrap();
        let mut scene = Scene::new(target, size, 256, 0).unwrap();
        let wave = scene.wave_mut();
        wave.sgpr[sreg::M0] = base << 16 | 5;
        wave.set_lane(0, 3, 7);
        wave.set_lane(0, 4, 100);
        wave.set_exec(0b11000);
        let report = scene.access(&parsed).unwrap();
        // The first active lane is lane 3, and GDS starts with zeros.
        let get = |name: &str| shared(&report, name);
        assert_eq!((get("value"), get("before")), (7, 0), "{target}");
        assert_eq!((get("wave_release"), get("wave_done")), (1, 1));
        assert_eq!(get("M0[15:0] (ordered id)"), 5);
        let results = [3, 4].map(|l: usize| report.lanes[l].result.clone());
        if in_registers {
            assert_eq!(get("register"), 1);
            assert_eq!(results, [vec![0], vec![]]);
            assert!(!report.lanes[4].active && report.lanes[3].parts.is_empty());
        } else {
            assert_eq!(get("OFFSET0[7:2] (ordered index)"), 1);
            let part = &report.lanes[3].parts[0];
            // 0x100 + 1 * 4 holds 0 + 7 now.
            assert_eq!(part.place, Place::Gds { address: 0x104 });
            assert_eq!(part.content, Some(vec![7, 0, 0, 0]));
            assert_eq!(results, [vec![0], vec![0]]);
            assert!(report.lanes[4].parts.is_empty());
        }
        // The next wave finds what this one has left.
        scene.wave_mut().sgpr[sreg::M0] = base << 16 | 6;
        let report = scene.access(&parsed).unwrap();
        let get = |name: &str| shared(&report, name);
        assert_eq!((get("before"), report.lanes[3].result[0]), (7, 7));
        if !in_registers {
            assert_eq!(report.lanes[3].parts[0].content, Some(vec![14, 0, 0, 0]));
        }
    }
    // Past the end of GDS: CDNA 1 has 4 KiB.
    let report = access(Target::Gfx908, "04037fd900000003", |scene| {
        scene.wave_mut().sgpr[sreg::M0] = 0x1000 << 16;
    });
    let lane = &report.lanes[0];
    assert!(matches!(lane.parts[0].place, Place::Violation { .. }));
    assert!(
        lane.fault.as_ref().is_some_and(|f| f.contains("GDS")),
        "{:?}",
        lane.fault
    );
}

#[test]
fn both_operands_in_lds_are_shown() {
    // ds_add_src2_u32 v2 offset:4: the source 16 bytes after the destination.
    let report = access(Target::Gfx900, "040000d902000000", |scene| {
        scene.wave_mut().set_lane(2, 0, 8);
        scene.wave_mut().set_lane(2, 1, 56);
        scene.wave_mut().set_exec(0b11);
    });
    let parts = &report.lanes[0].parts;
    assert_eq!(parts[0].place, Place::Lds { offset: 24 });
    assert_eq!(parts[1].place, Place::Lds { offset: 8 });
    // LDS holds its addresses.
    assert_eq!(parts[1].content, Some(32u32.to_le_bytes().to_vec()));
    assert!(matches!(
        report.lanes[1].parts[0].place,
        Place::Violation { .. }
    ));
    assert!(report.lanes[1].fault.is_some());
    // ds_add_src2_u64 v2 offset:32768: the distance is in the register.
    let report = access(Target::Gfx900, "008080d902000000", |scene| {
        scene.wave_mut().set_lane(2, 0, (-4i32 << 17) as u32 | 32);
        scene.wave_mut().set_exec(1);
    });
    let places: Vec<&Place> = report.lanes[0].parts.iter().map(|p| &p.place).collect();
    assert_eq!(
        places,
        [&Place::Lds { offset: 16 }, &Place::Lds { offset: 32 }]
    );
    assert_eq!(report.lanes[0].parts[1].bytes, 8);
    // ds_condxchg32_rtn_b64 v[5:6], v2, v[4:5] offset:4
    let report = access(Target::Gfx900, "0400fcd802040005", |scene| {
        scene.wave_mut().set_lane(2, 0, 9);
        scene.wave_mut().set_lane(4, 0, 0x8000_0077);
        scene.wave_mut().set_exec(1);
    });
    let lane = &report.lanes[0];
    assert_eq!(lane.parts[0].place, Place::Lds { offset: 8 });
    assert_eq!(
        lane.parts[0].content.as_ref().unwrap()[..5],
        [0x77, 0, 0, 0, 12]
    );
    assert_eq!(lane.result, [8, 12]);
}

#[test]
fn stacks_and_tensors_are_shown_by_their_fields() {
    // ds_bvh_stack_rtn_b32 v20, v1, v2, v[4:7] offset:4096
    let report = access(Target::Gfx1100, "0010b4da01020414", |scene| {
        scene.wave_mut().set_lane(1, 0, 3 << 18 | 5);
        scene.wave_mut().set_exec(1);
    });
    assert_eq!(shared(&report, "size"), 16);
    let terms: Vec<u64> = report.lanes[0].terms.iter().map(|t| t.value).collect();
    assert_eq!(terms, [12, 5]);
    // tensor_load_to_lds s[0:3], s[4:11]
    const LOAD: &str = "010071d00000007c00047c7c";
    let report = access(Target::Gfx1250, LOAD, |scene| {
        scene.map(MEMORY, SIZE, true, "memory").unwrap();
        let sgpr = &mut scene.wave_mut().sgpr;
        sgpr[..4].copy_from_slice(&[1, 16, MEMORY as u32, 2 << 30]);
        sgpr[4..12].copy_from_slice(&[2 << 16 | 1 << 20, 9 << 16, 9 << 16, 2 << 16, 2, 8, 0, 0]);
    });
    assert_eq!(
        ["lds_addr", "data_size", "tile_dim0", "tensor_dim0_stride"].map(|n| shared(&report, n)),
        [16, 4, 2, 8]
    );
    assert!(
        report
            .notes
            .iter()
            .any(|n| n.starts_with("after every 8 bytes"))
    );
    assert!(report.violations.is_empty(), "{:?}", report.violations);
    // Nothing is mapped where the tensor is said to be.
    let report = access(Target::Gfx1250, LOAD, |scene| {
        let sgpr = &mut scene.wave_mut().sgpr;
        sgpr[..4].copy_from_slice(&[1, 16, MEMORY as u32, 2 << 30]);
        sgpr[4..12].copy_from_slice(&[2 << 16 | 1 << 20, 9 << 16, 9 << 16, 2 << 16, 2, 8, 0, 0]);
    });
    assert_eq!(report.violations.len(), 1);
    // An open field is named.
    let inst = instruction(Target::Gfx1250, 32, &bytes(LOAD)).unwrap();
    let mut scene = Scene::new(Target::Gfx1250, 32, 64, 0).unwrap();
    scene.wave_mut().sgpr[0] = 2;
    let error = scene.access(&inst).unwrap_err().to_string();
    assert!(error.contains("count"), "{error}");
}

#[test]
fn what_is_not_shown_is_said_and_not_explained_wrongly() {
    // s_memtime s[0:1], which counts in LGKM_CNT
    let inst = instruction(Target::Gfx900, 64, &bytes("000090c000000000")).unwrap();
    let mut scene = Scene::new(Target::Gfx900, 64, 64, 0).unwrap();
    let error = scene.access(&inst).unwrap_err().to_string();
    assert!(error.contains("cannot be shown"), "{error}");
}

// CDNA 5 ISA 11.2.4: EXEC is taken for all ones by transposing loads from LDS.
#[test]
fn a_transposing_load_from_lds_acts_for_lanes_that_are_off() {
    // ds_load_tr16_b128 v[2:5], v0
    let text = "ds_load_tr16_b128 v[2:5], v0";
    let inst = waveglass::asm::LineAssembler::new(Target::Gfx1250, 32)
        .assemble(text)
        .unwrap();
    let mut scene = Scene::new(Target::Gfx1250, 32, 1024, 0).unwrap();
    for lane in 0..32 {
        scene.wave_mut().set_lane(0, lane, 16 * lane as u32);
    }
    scene.wave_mut().set_exec(1);
    let report = scene.access(&inst).unwrap();
    assert!(report.contradictions.is_empty());
    for lane in &report.lanes {
        let offset = u64::from(lane.lane) * 16;
        assert!(lane.active && lane.result.len() == 4);
        assert_eq!(lane.parts[0].place, Place::Lds { offset });
    }
}

// RDNA 3 ISA 12.4: the value goes to each quad of which a lane is on.
#[test]
fn direct_loads_show_the_value_that_m0_points_to() {
    let inst = waveglass::asm::LineAssembler::new(Target::Gfx1100, 32)
        .assemble("lds_direct_load v1")
        .unwrap();
    let mut scene = Scene::new(Target::Gfx1100, 32, 64, 0).unwrap();
    // A short at byte 0x12.
    scene.wave_mut().sgpr[sreg::M0] = 1 << 16 | 0x12;
    scene.lds_mut().bytes_mut()[0x12..0x14].copy_from_slice(&[0xcd, 0xab]);
    scene.wave_mut().set_exec(0b10_0000);
    let report = scene.access(&inst).unwrap();
    let on: Vec<u32> = report
        .lanes
        .iter()
        .filter(|l| l.active)
        .map(|l| l.lane)
        .collect();
    assert_eq!(on, [4, 5, 6, 7]);
    assert_eq!(report.lanes[4].result, [0xabcd]);
    assert_eq!(report.lanes[4].parts[0].content, Some(vec![0xcd, 0xab]));
}
