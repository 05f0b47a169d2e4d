//! The fast paths of whole waves against accesses of one lane at a time, which never take them.

use super::super::*;
use crate::access::{Element, Lanes, Row};
use crate::rules::{AlignmentMode, Generation, Rules};
use crate::wide::{self, Host, LaneLoop};
use crate::{Active, DwordOfLane, FromBase, LaneAddresses, RegisterPairs, Scaled};

const A: u64 = 0x1_0000;
const B: u64 = 0x1_2000;
const SIZE: usize = 0x1000;
const ELEMENTS: [Element; 8] = [
    Element::U8,
    Element::I8,
    Element::U16,
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
    // Full, random, every other, low and high lanes, one.
    let n = random.below(64);
    mask & [
        u64::MAX,
        u64::MAX,
        some,
        0x5555_5555_5555_5555,
        u64::MAX >> n,
        u64::MAX << n,
        1 << n,
    ][random.below(7) as usize]
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

/// Loads one lane's element alone: one address is no wave, and takes none of its paths.
fn load_alone(
    memory: &GlobalMemory,
    (lane, address): (usize, u64),
    element: Element,
    to: &mut [Row],
    port: &mut Port,
) {
    let mut alone = vec![[0; 32]; element.dwords()];
    let before = port.faults.len();
    memory.load(Lanes::new(&[address], 1), element, &mut alone, port);
    for fault in &mut port.faults[before..] {
        fault.lane = lane as u8;
    }
    let rows = to.len() / element.dwords();
    for (d, value) in alone.iter().enumerate() {
        to[d * rows + lane / 32][lane % 32] = value[0];
    }
}

/// [`load_alone`]'s counterpart.
fn store_alone(
    memory: &GlobalMemory,
    (lane, address): (usize, u64),
    element: Element,
    from: &[Row],
    port: &mut Port,
) {
    let rows = from.len() / element.dwords();
    let alone: Vec<Row> = (0..element.dwords())
        .map(|d| [from[d * rows + lane / 32][lane % 32]; 32])
        .collect();
    let before = port.faults.len();
    memory.store(Lanes::new(&[address], 1), element, &alone, port);
    for fault in &mut port.faults[before..] {
        fault.lane = lane as u8;
    }
}

#[test]
fn whole_waves_load_what_single_lanes_load() {
    let mut random = Random(0x5eed);
    let memory = memory(&mut random);
    for _ in 0..20_000 {
        let lanes = [32, 64][random.below(2) as usize];
        let element = ELEMENTS[random.below(8) as usize];
        let at = addresses(&mut random, lanes, element);
        let exec = exec(&mut random, lanes);
        let mut rules = Rules::new(Generation::Gcn5);
        rules.alignment = mode(&mut random);
        let before = rows(&mut random, element, lanes);

        let (mut whole, mut single) = (before.clone(), before);
        let (mut port, mut each) = (Port::new(rules), Port::new(rules));
        port.hint = RegionHint(random.below(5) as usize);
        memory.load(Lanes::new(&at, exec), element, &mut whole, &mut port);
        for lane in Lanes::new(&at, exec).active() {
            load_alone(&memory, lane, element, &mut single, &mut each);
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
        let element = ELEMENTS[random.below(8) as usize];
        let at = addresses(&mut random, lanes, element);
        let exec = exec(&mut random, lanes);
        let mut rules = Rules::new(Generation::Rdna3);
        rules.alignment = mode(&mut random);
        let data = rows(&mut random, element, lanes);

        let (mut port, mut each) = (Port::new(rules), Port::new(rules));
        port.store_hint = RegionHint(random.below(5) as usize);
        whole.store(Lanes::new(&at, exec), element, &data, &mut port);
        for lane in Lanes::new(&at, exec).active() {
            store_alone(&single, lane, element, &data, &mut each);
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

/// Addresses in each form that registers can hold them in, from an offset of 32 bits a lane.
struct Formed<'a> {
    memory: &'a GlobalMemory,
    low: [u32; 64],
    form: u64,
    exec: u64,
    element: Element,
    data: [u32; 64],
    stores: bool,
}

impl Formed<'_> {
    /// What a form makes of the low dwords, by the manuals' sums.
    fn addresses(&self) -> [u64; 64] {
        std::array::from_fn(|lane| {
            let low = u64::from(self.low[lane]);
            match self.form {
                0 => (0xab << 32 | low).wrapping_add(8),
                1 => (BASE - 0x8000).wrapping_add(low).wrapping_sub(4),
                2 => (BASE as i64 + i64::from(self.low[lane] as i32) * 4 + 16) as u64,
                _ => BASE + 0x20 + 4 * lane as u64,
            }
        })
    }

    #[inline(always)]
    fn go<const FULL: bool>(mut self, at: impl LaneAddresses<64>, host: Host) -> (bool, [u32; 64]) {
        let (memory, element) = (self.memory, self.element);
        let port = &mut Port::new(Rules::new(Generation::Gcn5));
        let active = Active::<FULL, 64>::new(self.exec);
        let mut one = [self.data];
        let done = match (element.bytes(), self.stores) {
            (4, true) => memory.store_whole(at, &active, &one, port, host),
            (4, false) => memory.load_whole(at, &active, &mut one, port, host),
            (_, true) => memory.store_small_whole(at, &active, element, &self.data, port, host),
            (_, false) => {
                let mut values = [0; 64];
                let done = memory.load_small_whole(at, &active, element, &mut values, port, host);
                for lane in (0..64).filter(|lane| done && self.exec >> lane & 1 != 0) {
                    self.data[lane] = values[lane];
                }
                one = [self.data];
                done
            }
        };
        assert!(port.faults.is_empty());
        (done, one[0])
    }
}

impl LaneLoop for Formed<'_> {
    type Output = (bool, [u32; 64]);

    #[inline(always)]
    fn run(self, host: Host) -> Self::Output {
        let (low, high) = (self.low, [0xab; 64]);
        let full = self.exec == u64::MAX;
        macro_rules! go {
            ($at:expr) => {
                if full {
                    self.go::<true>($at, host)
                } else {
                    self.go::<false>($at, host)
                }
            };
        }
        match self.form {
            0 => go!(RegisterPairs {
                low: &low,
                high: &high,
                immediate: 8
            }),
            1 => go!(FromBase {
                base: BASE - 0x8000,
                offsets: &low,
                immediate: 4u64.wrapping_neg()
            }),
            2 => go!(Scaled {
                base: BASE,
                offsets: &low,
                scale: 4,
                immediate: 16
            }),
            _ => go!(DwordOfLane {
                base: BASE,
                immediate: 0x20
            }),
        }
    }
}

/// Where the memory of [`Formed`] is: a region with a read-only one right behind it.
const BASE: u64 = 0xab_1000_0000;

/// Random low dwords of lanes that mostly lie in or around [`BASE`]'s region.
fn lows(random: &mut Random, form: u64, bytes: u64) -> [u32; 64] {
    let origin = [BASE as u32 - 8, 0x8004, 4u32.wrapping_neg(), 0][form as usize];
    let start = random.below(0x1100) as u32 / 4 * 4;
    let step = [bytes as u32, bytes as u32, 64, 4, 12][random.below(5) as usize];
    let step = if form == 2 { step.div_ceil(4) } else { step };
    let start = if form == 2 { start / 4 } else { start };
    let mut low =
        std::array::from_fn(|lane| origin.wrapping_add(start).wrapping_add(lane as u32 * step));
    if random.below(4) == 0 {
        low[random.below(64) as usize] = random.next() as u32;
    }
    low
}

#[test]
fn every_form_of_addresses_reaches_what_its_sum_says_in_every_build() {
    let mut memory = GlobalMemory::new();
    let bytes: Vec<u8> = (0..0x1000u32).map(|i| ((i * 37) >> 3) as u8).collect();
    memory
        .map_bytes(BASE, &bytes, Permission::ReadWrite, "a")
        .unwrap();
    memory
        .map_bytes(BASE + 0x1000, &bytes, Permission::ReadOnly, "b")
        .unwrap();
    let mut random = Random(0xf0f0);
    let elements = [
        Element::U8,
        Element::I8,
        Element::U16,
        Element::I16,
        Element::B32,
    ];
    let mut fast = [0; 4];
    for _ in 0..4000 {
        let (form, exec) = (random.below(4), exec(&mut random, 64));
        let element = elements[random.below(5) as usize];
        let low = lows(&mut random, form, element.bytes().into());
        let stores = random.below(2) == 0;
        let data = std::array::from_fn(|_| random.next() as u32);
        let memory = &memory;
        let task = || Formed {
            memory,
            low,
            form,
            exec,
            element,
            data,
            stores,
        };
        let before = content(memory);
        let restore = || assert!(memory.write(BASE, &before[0]));
        // What is expected, lane by lane.
        let at = task().addresses();
        let mut rows = data.as_chunks().0.to_vec();
        let mut each = Port::new(Rules::new(Generation::Gcn5));
        for lane in Lanes::new(&at, exec).active() {
            if stores {
                store_alone(memory, lane, element, &rows, &mut each);
            } else {
                load_alone(memory, lane, element, &mut rows, &mut each);
            }
        }
        let after = content(memory);
        wide::in_every_build(
            || {
                restore();
                task()
            },
            |(done, loaded)| {
                let what = format!("{form} {element:?} {stores} {exec:#x} {at:x?}");
                let now = content(memory);
                if done {
                    fast[form as usize] += 1;
                    assert!(each.faults.is_empty(), "{what}");
                    assert_eq!(loaded, rows.as_flattened(), "{what}");
                    assert!(now == after, "{what}");
                } else {
                    assert_eq!(loaded, data, "{what}");
                    assert!(now == before, "{what}");
                }
            },
        );
    }
    // Most of them go this way.
    assert!(fast.iter().all(|&n| n > 1000), "{fast:?}");
}

/// Lanes that are on at both ends of 4 GiB: their 32 bits go on past zero, their addresses do not.
#[test]
fn lanes_that_wrap_at_4_gib_are_not_consecutive() {
    let mut memory = GlobalMemory::new();
    let size = (1 << 32) + 0x1000;
    // Only what is touched costs memory; a host that does not give it has no such regions.
    if memory
        .map_zeroed(BASE, size, Permission::ReadWrite, "large")
        .is_err()
    {
        return;
    }
    let mut port = Port::new(Rules::new(Generation::Gcn5));
    let offsets = std::array::from_fn(|lane| (4 * lane as u32).wrapping_sub(128));
    let data = [std::array::from_fn(|lane| 100 + lane as u32)];
    struct Stores<'a>(
        &'a GlobalMemory,
        &'a [u32; 64],
        [[u32; 64]; 1],
        &'a mut Port,
    );
    impl LaneLoop for Stores<'_> {
        type Output = bool;

        #[inline(always)]
        fn run(self, host: Host) -> bool {
            let at = FromBase {
                base: BASE,
                offsets: self.1,
                immediate: 0,
            };
            let all = Active::<true, 64>::new(u64::MAX);
            self.0.store_whole(at, &all, &self.2, self.3, host)
        }
    }
    assert!(wide::run(Stores(&memory, &offsets, data, &mut port)));
    let dword = |address| {
        let mut bytes = [0; 4];
        assert!(memory.read(address, &mut bytes));
        u32::from_le_bytes(bytes)
    };
    // Lane 31 ends 4 GiB, lane 32 starts at the base.
    assert_eq!(
        [BASE + (1 << 32) - 4, BASE, BASE + (1 << 32)].map(dword),
        [131, 132, 0]
    );
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
