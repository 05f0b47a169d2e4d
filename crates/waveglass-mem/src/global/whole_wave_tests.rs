//! The fast paths of whole waves against accesses of one lane at a time, which never take them.

use super::super::*;
use crate::Active;
use crate::access::{Element, Lanes, Row};
use crate::rules::{AlignmentMode, Generation, Rules};
use crate::wide::{self, Host, LaneLoop};

const A: u64 = 0x1_0000;
const B: u64 = 0x1_2000;
const SIZE: usize = 0x1000;
const ELEMENTS: [Element; 6] = [
    Element::U8,
    Element::I16,
    Element::B32,
    Element::B64,
    Element::B96,
    Element::B128,
];

/// Random numbers (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }
}

/// Two regions of odd sizes with unmapped space around them, and read-only ones that touch the second.
fn memory(random: &mut Random) -> GlobalMemory {
    let mut memory = GlobalMemory::new();
    let mut bytes = |n: usize| -> Vec<u8> { (0..n).map(|_| random.next() as u8).collect() };
    let (a, b, c) = (bytes(SIZE - 3), bytes(SIZE), bytes(SIZE + 5));
    memory.map_vec(A, a, Permission::ReadWrite, "a").unwrap();
    memory.map_bytes(B, &b, Permission::ReadWrite, "b").unwrap();
    let next = B + SIZE as u64;
    memory.map_vec(next, c, Permission::ReadOnly, "c").unwrap();
    memory
}

/// Addresses as programs have them: consecutive, strided, rows of a tile, random, one for all, at a
/// region's ends.
fn addresses(random: &mut Random, lanes: usize, element: Element) -> Vec<u64> {
    let bytes = u64::from(element.bytes());
    let size = SIZE as u64;
    let base = [A, B, B + size][random.below(3) as usize];
    let grain = [1, 2, 4, 4, 8, 16][random.below(6) as usize];
    let start = match random.below(4) {
        0 => base + size - bytes * random.below(2 * lanes as u64),
        1 => base.wrapping_sub(random.below(64)),
        _ => base + random.below(size / 2),
    } / grain
        * grain;
    let stride = [
        bytes,
        bytes,
        bytes,
        0,
        4,
        64,
        bytes + 4,
        bytes.wrapping_neg(),
    ][random.below(8) as usize];
    let spread = random.below(3) == 0;
    let tile = random.below(3) == 0;
    let mut all: Vec<u64> = (0..lanes as u64)
        .map(|lane| {
            if tile {
                start.wrapping_add(lane / 16 * 256 + lane % 16 * bytes)
            } else if spread {
                base + random.below(size - 16) / grain * grain
            } else {
                start.wrapping_add(lane.wrapping_mul(stride))
            }
        })
        .collect();
    if random.below(4) == 0 {
        // One lane goes astray: past the end, into a neighbour, or to the end of the address space.
        let lane = random.below(lanes as u64) as usize;
        all[lane] = [A + size - 2, B + size - 4, u64::MAX - 7, 0][random.below(4) as usize];
    }
    all
}

fn exec(random: &mut Random, lanes: usize) -> u64 {
    let some = random.next();
    let mask = if lanes == 64 {
        u64::MAX
    } else {
        (1 << lanes) - 1
    };
    mask & [u64::MAX, u64::MAX, u64::MAX, some][random.below(4) as usize]
}

fn mode(random: &mut Random) -> AlignmentMode {
    let unaligned = AlignmentMode::Unaligned;
    [
        unaligned,
        unaligned,
        unaligned,
        AlignmentMode::from_bits(random.below(4) as u32),
    ][random.below(4) as usize]
}

fn content(memory: &GlobalMemory) -> Vec<Vec<u8>> {
    memory
        .regions()
        .map(|r| {
            let mut bytes = vec![0; r.size as usize];
            assert!(memory.read(r.base, &mut bytes));
            bytes
        })
        .collect()
}

fn rows(random: &mut Random, element: Element, lanes: usize) -> Vec<Row> {
    let rows = element.dwords() * lanes / 32;
    (0..rows)
        .map(|_| std::array::from_fn(|_| random.next() as u32))
        .collect()
}

#[test]
fn whole_waves_load_what_single_lanes_load() {
    let mut random = Random(0x5eed);
    let memory = memory(&mut random);
    for _ in 0..20_000 {
        let lanes = [32, 64][random.below(2) as usize];
        let element = ELEMENTS[random.below(6) as usize];
        let at = addresses(&mut random, lanes, element);
        let exec = exec(&mut random, lanes);
        let mut rules = Rules::new(Generation::Gcn5);
        rules.alignment = mode(&mut random);
        let before = rows(&mut random, element, lanes);

        let (mut whole, mut single) = (before.clone(), before);
        let (mut port, mut each) = (Port::new(rules), Port::new(rules));
        port.hint = RegionHint(random.below(5) as usize);
        memory.load(Lanes::new(&at, exec), element, &mut whole, &mut port);
        for lane in 0..lanes {
            // One bit of EXEC at a time is never a full wave.
            let lane = Lanes::new(&at, exec & 1 << lane);
            memory.load(lane, element, &mut single, &mut each);
        }
        assert_eq!(whole, single, "{element:?} {exec:#x} {rules:?} {at:x?}");
        assert_eq!(port.faults, each.faults, "{element:?} {exec:#x} {at:x?}");
    }
}

#[test]
fn whole_waves_store_what_single_lanes_store_the_highest_lane_last() {
    let mut random = Random(0xfade);
    let whole = memory(&mut Random(7));
    let single = memory(&mut Random(7));
    for round in 0..20_000 {
        let lanes = [32, 64][random.below(2) as usize];
        let element = ELEMENTS[random.below(6) as usize];
        let at = addresses(&mut random, lanes, element);
        let exec = exec(&mut random, lanes);
        let mut rules = Rules::new(Generation::Rdna3);
        rules.alignment = mode(&mut random);
        let data = rows(&mut random, element, lanes);

        let (mut port, mut each) = (Port::new(rules), Port::new(rules));
        port.store_hint = RegionHint(random.below(5) as usize);
        whole.store(Lanes::new(&at, exec), element, &data, &mut port);
        for lane in 0..lanes {
            let lane = Lanes::new(&at, exec & 1 << lane);
            single.store(lane, element, &data, &mut each);
        }
        assert_eq!(port.faults, each.faults, "{element:?} {exec:#x} {at:x?}");
        if round % 16 == 0 {
            assert_eq!(
                content(&whole),
                content(&single),
                "{element:?} {exec:#x} {at:x?}"
            );
        }
    }
    assert_eq!(content(&whole), content(&single));
}

/// Three dwords a lane are the case in which neither words nor lines belong to one lane.
struct There<'a, const N: usize> {
    memory: &'a GlobalMemory,
    at: [u64; 64],
    data: [[u32; 64]; N],
}

impl<const N: usize> LaneLoop for There<'_, N> {
    type Output = (bool, bool, [[u32; 64]; N]);

    #[inline(always)]
    fn run(self, host: Host) -> Self::Output {
        let mut port = Port::new(Rules::new(Generation::Gcn5));
        let all = Active::<true, 64>::new(u64::MAX);
        let stored = self
            .memory
            .store_whole(&self.at, &all, &self.data, &mut port, host);
        let mut back = [[0; 64]; N];
        let loaded = self
            .memory
            .load_whole(&self.at, &all, &mut back, &mut port, host);
        (stored, loaded, back)
    }
}

fn there_and_back<const N: usize>() {
    let memory = memory(&mut Random(3));
    let mut random = Random(0xbac);
    for start in (0..64).step_by(4) {
        let at = std::array::from_fn(|lane| B + start + (lane * N * 4) as u64);
        let data = std::array::from_fn(|_| std::array::from_fn(|_| random.next() as u32));
        let memory = &memory;
        wide::in_every_build(
            || There::<N> { memory, at, data },
            |(stored, loaded, back)| {
                assert!(stored && loaded);
                assert_eq!(back, data);
                for (lane, at) in at.iter().enumerate() {
                    for (d, register) in data.iter().enumerate() {
                        let mut bytes = [0; 4];
                        assert!(memory.read(at + 4 * d as u64, &mut bytes));
                        assert_eq!(u32::from_le_bytes(bytes), register[lane]);
                    }
                }
            },
        );
    }
}

#[test]
fn every_build_puts_consecutive_lanes_where_they_belong_at_every_alignment() {
    there_and_back::<1>();
    there_and_back::<2>();
    there_and_back::<3>();
    there_and_back::<4>();
}

#[test]
fn pairs_that_threads_copy_at_once_do_not_tear() {
    let mut memory = GlobalMemory::new();
    memory
        .map_zeroed(A, 4096, Permission::ReadWrite, "a")
        .unwrap();
    let memory = &memory;
    let at: [u64; 64] = std::array::from_fn(|lane| A + lane as u64 * 16);
    std::thread::scope(|s| {
        for writer in 1..3u32 {
            s.spawn(move || {
                let mut port = Port::new(Rules::new(Generation::Gcn5));
                for round in 0..3000u32 {
                    let data = [[writer << 24 | round; 32]; 8];
                    memory.store(Lanes::new(&at, u64::MAX), Element::B128, &data, &mut port);
                }
            });
        }
        let mut port = Port::new(Rules::new(Generation::Gcn5));
        for _ in 0..3000 {
            let mut data = [[0; 32]; 8];
            memory.load(
                Lanes::new(&at, u64::MAX),
                Element::B128,
                &mut data,
                &mut port,
            );
            for row in 0..2 {
                assert_eq!(data[row], data[2 + row]);
                assert_eq!(data[4 + row], data[6 + row]);
            }
        }
    });
}

#[test]
fn a_vector_comes_back_as_it_went_in_whatever_its_length_and_capacity() {
    for n in 1..70usize {
        let mut bytes: Vec<u8> = Vec::with_capacity(n + n % 3 * 40);
        bytes.extend((0..n).map(|i| i as u8));
        let mut memory = GlobalMemory::new();
        memory
            .map_vec(A, bytes.clone(), Permission::ReadWrite, "a")
            .unwrap();
        let last = A + n as u64 - 1;
        assert!(memory.write(last, &[0xee]));
        assert!(!memory.write(last + 1, &[0]));
        *bytes.last_mut().unwrap() = 0xee;
        assert_eq!(memory.take(A), Some(bytes));
    }
}
