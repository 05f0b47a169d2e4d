//! What `access` says of an address agrees with what the executor then does: two computations of
//! one thing, over random registers. Memory holds its own addresses, so a loaded value tells where
//! it is from.

use waveglass::access::{AccessReport, Place, Scene, instruction};
use waveglass::isa::Target;

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
    let mut scene = Scene::new(target, lanes, 64, 32).unwrap();
    scene.map(MEMORY, SIZE, true, "memory").unwrap();
    let (lds, scratch) = scene.apertures();
    let wide = inst.mnemonic().starts_with("flat") || hex.contains("7f02");
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
    }
    wave.set_s64(0, MEMORY);
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
                        (Place::Dropped { .. }, None) => nothing += 1,
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
