//! What `access` shows of each memory instruction of each target is what the executor did: the golden vectors'
//! instructions, with the edges of every field, on random registers.
//!
//! Three tests of one case. Nothing contradicts what the executor's port saw. What changes in memory and LDS lies in
//! the parts shown. And, without the port, the parts are all that matters: with every byte outside them inverted
//! the registers come out the same, and so do the bytes that are shown.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::Path;
use waveglass::MemoryConfig;
use waveglass::access::{AccessError, AccessReport, Place, Scene, SceneConfig, instruction};
use waveglass::exec::wave::sreg;
use waveglass::isa::{Field, Inst, Operand, Reg, RegFile, Target};
use waveglass::mem::AlignmentMode;

/// Cases of one mnemonic.
const VARIANTS: usize = 4;
const MEMORY: u64 = 0x1_0000;
const SIZE: u64 = 0x80;
const LDS: u32 = 768;
const SCRATCH: u32 = 36;

/// The regions: two that meet, of which the second is not to be written, and one apart, of an odd size.
const REGIONS: [(u64, u64, bool); 3] = [
    (MEMORY, SIZE, true),
    (MEMORY + SIZE, 0x40, false),
    (MEMORY + 0x100, 0x2b, true),
];

/// xorshift64*.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 33) % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// The instructions of the golden vectors by mnemonic, some of each that accesses memory.
fn instructions(target: Target) -> BTreeMap<&'static str, Vec<(u32, Inst)>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../waveglass-asm/tests/vectors")
        .join(format!("{target}.txt.gz"));
    let file = std::fs::File::open(path).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .unwrap();
    let mut found: BTreeMap<&str, Vec<(u32, Inst)>> = BTreeMap::new();
    for line in text.lines() {
        let mut part = line.splitn(4, ' ');
        let (hex, wave) = (part.next().unwrap(), part.next().unwrap());
        let text = part.nth(1).unwrap();
        let prefixes = [
            "s_", "ds_", "flat_", "global_", "scratch_", "buffer_", "tbuffer_", "cluster_", "lds_",
        ];
        if !prefixes.iter().any(|p| text.starts_with(p)) {
            continue;
        }
        let bytes: Vec<u8> = (0..hex.len() / 2)
            .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
            .collect();
        let wave = wave.parse().unwrap();
        let Ok(inst) = instruction(target, wave, &bytes) else {
            continue;
        };
        let name = inst.mnemonic();
        let fields = [
            Field::Vaddr,
            Field::Addr,
            Field::Sbase,
            Field::Srsrc,
            Field::Saddr,
        ];
        // What a range past the allocation reads is another matter.
        let odd = matches!(inst.operand(Field::Offset), Some(Operand::Imm(i)) if i & 3 != 0)
            || reg(&inst, Field::Soffset).is_some_and(|r| r.file != RegFile::Sgpr);
        if name.starts_with("s_") && target.major() >= 12 && odd {
            continue;
        }
        let past = fields
            .iter()
            .filter_map(|f| reg(&inst, *f))
            .any(|r| r.file == RegFile::Vgpr && u32::from(r.index) + u32::from(r.dwords) > 256);
        if past {
            continue;
        }
        let reaches = fields.iter().any(|f| inst.operand_def(*f).is_some());
        if reaches || name.contains("addtid") || name.ends_with("direct_load") {
            found.entry(name).or_default().push((wave, inst));
        }
    }
    // Spread over the fields' edges, which follow each other in the file.
    for variants in found.values_mut() {
        let step = variants.len().div_ceil(VARIANTS).max(1);
        let mut n = 0;
        variants.retain(|_| {
            n += 1;
            (n - 1) % step == 0
        });
    }
    found
}

fn reg(inst: &Inst, field: Field) -> Option<Reg> {
    match inst.operand(field)? {
        Operand::Reg(r) if r.file != RegFile::Null => Some(r),
        _ => None,
    }
}

/// An address near the edge of something.
fn address(scene: &Scene, lane: u32, random: &mut Random) -> u64 {
    let (lds, scratch) = scene.apertures();
    let near = |size: u64, random: &mut Random| match random.below(3) {
        0 => random.below(24),
        1 => size - 1 - random.below(20).min(size - 1),
        _ => random.below(size + 24),
    };
    let at = match random.below(10) {
        0 => lds + near(LDS.into(), random),
        1 => scene.scratch_address(lane, near(SCRATCH.into(), random)),
        2 => scratch + near(SCRATCH.into(), random),
        3 if random.one_in(4) => random.next(),
        n => {
            let (base, size, _) = REGIONS[n as usize % 3];
            (base + near(size, random)).wrapping_sub(random.below(12))
        }
    };
    match random.below(4) {
        0 => at,
        1 => at & !3,
        _ => at & !15,
    }
}

/// The scene of a case. Made twice of one seed it is the same.
fn scene(target: Target, wave: u32, inst: &Inst, seed: u64) -> Scene {
    let random = &mut Random(seed * 0x9e37_79b9 + 1);
    let name = inst.mnemonic();
    let mut memory = MemoryConfig::default();
    if random.one_in(3) {
        memory.alignment = AlignmentMode::from_bits(random.below(4) as u32);
    }
    memory.m0_bounds_lds = random.one_in(5);
    memory.hide_lds_range = random.one_in(5);
    if random.one_in(8) {
        memory.ptr32 = true;
        memory.shared_base = Some(0x20);
        memory.private_base = Some(0x30);
    }
    let config = SceneConfig {
        memory,
        vgprs: None,
    };
    let mut scene = Scene::configured(target, wave, (LDS, SCRATCH), &config).unwrap();
    for (base, size, writable) in REGIONS {
        scene
            .map(base, size, writable, &format!("{base:#x}"))
            .unwrap();
    }
    let offset = match inst.operand(Field::Offset) {
        Some(Operand::Imm(i)) => waveglass::exec::semantics::flat_offset(inst, i),
        _ => 0,
    };
    // Small numbers everywhere, some of them negative: they are offsets, indices, data.
    for i in 0..106 {
        scene.wave_mut().sgpr[i] = random.below(64) as u32;
    }
    let gds = inst.operand_def(Field::Gds).is_some() && inst.field(Field::Gds) != 0;
    scene.wave_mut().sgpr[sreg::M0] = match random.below(4) {
        _ if gds => 0x40 << 16 | random.below(256) as u32,
        0 => random.next() as u32,
        1 => random.below(1024) as u32,
        _ => u32::MAX,
    };
    if name.contains("lds") && !name.contains("async") || name.contains("addtid") {
        scene.wave_mut().sgpr[sreg::M0] = random.below(64) as u32 * 4;
    }
    if name.ends_with("direct_load") {
        scene.wave_mut().sgpr[sreg::M0] = (random.below(8) << 16 | random.below(800)) as u32;
    }
    let lanes = wave as usize;
    let saddr = reg(inst, Field::Saddr);
    let buffer = reg(inst, Field::Srsrc);
    for field in [Field::Vaddr, Field::Addr] {
        let Some(r) = reg(inst, field) else { continue };
        for lane in 0..lanes {
            let wide = r.dwords == 2 && buffer.is_none() && saddr.is_none();
            let small = match random.below(4) {
                0 => random.below(1024) as u32,
                1 => random.below(48) as u32,
                2 => 4 * random.below(200) as u32,
                _ => 16 * random.below(8) as u32,
            };
            let at = address(&scene, lane as u32, random).wrapping_sub(offset as u64);
            let value = match wide {
                true => at,
                false if random.one_in(3) => u64::from(small.wrapping_sub(offset as u32)),
                false => small.into(),
            };
            for d in 0..usize::from(r.dwords).min(2) {
                let part = if wide {
                    value >> (32 * d)
                } else if d == 0 {
                    value
                } else {
                    random.below(64)
                };
                let first = usize::from(r.index);
                let file = if r.file == RegFile::Agpr { 256 } else { 0 };
                if file + first + d < 512 {
                    scene
                        .wave_mut()
                        .set_lane(file + first + d, lane, part as u32);
                }
            }
        }
    }
    let scalar_base = saddr.filter(|r| r.dwords == 2).or(reg(inst, Field::Sbase));
    if let Some(r) = scalar_base.filter(|r| r.file == RegFile::Sgpr) {
        let (i, near) = (usize::from(r.index), address(&scene, 0, random));
        let mut at = near.wrapping_sub(offset as u64);
        if r.file == RegFile::Sgpr && i + 1 < 106 {
            // Whole dwords on gfx12, where the parts of an address are aligned alone.
            if name.starts_with("s_") && target.major() >= 12 {
                at &= !3;
            }
            scene.wave_mut().set_s64(i, at);
        }
    }
    let soffset = reg(inst, Field::Soffset).filter(|r| r.file == RegFile::Sgpr);
    if let Some(r) = soffset.filter(|_| name.starts_with("s_") && target.major() >= 12) {
        scene.wave_mut().sgpr[usize::from(r.index)] &= !3;
    }
    let scalar_buffer = name
        .contains("s_buffer")
        .then(|| reg(inst, Field::Sbase))
        .flatten();
    if let Some(r) = buffer.or(scalar_buffer).filter(|r| r.file == RegFile::Sgpr) {
        let i = usize::from(r.index);
        if i + 3 < 106 {
            let words = descriptor(target, scalar_buffer.is_some(), offset, random);
            scene.wave_mut().sgpr[i..i + 4].copy_from_slice(&words);
        }
    }
    let full = scene.wave().full_mask();
    let all = name.contains("_tr") && !name.contains("atomic") || random.one_in(3);
    let exec = if all { full } else { random.next() & full | 1 };
    scene.wave_mut().set_exec(exec);
    scene
}

/// A V# of a buffer at the memory, with every field that the range check looks at.
fn descriptor(target: Target, scalar: bool, offset: i64, random: &mut Random) -> [u32; 4] {
    let base = match random.one_in(4) {
        true => MEMORY.wrapping_sub(offset as u64),
        false => MEMORY + 4 * random.below(8),
    } & 0x7fff_ffff_fffc;
    let stride = [0, 4, 12, 16][random.below(4) as usize] as u32;
    let most = [160, 20][random.below(2) as usize];
    let records = random.below(most) as u32;
    let records = if scalar && target.major() >= 12 {
        records & !3
    } else {
        records
    };
    if target.has_gfx1250_insts() {
        let v = u128::from(base) | u128::from(records) << 57 | u128::from(stride) << 102;
        let v = v | u128::from(random.below(2)) << 118;
        return std::array::from_fn(|i| (v >> (32 * i)) as u32);
    }
    let swizzle = if random.one_in(3) { 1 << 31 } else { 0 };
    let mut word3 = 0x0002_7fac;
    if !target.is_gfx9() {
        word3 =
            0xfac | [20, 22, 63][random.below(3) as usize] << 12 | (random.below(4) as u32) << 28;
        if !scalar {
            word3 |= (random.below(4) as u32) << 21;
        }
    } else {
        word3 |= (random.below(4) as u32) << 21 | (random.below(4) as u32) << 19;
    }
    if random.one_in(6) {
        word3 |= 1 << 23;
    }
    [
        base as u32,
        (base >> 32) as u32 & 0xffff | stride << 16 | swizzle,
        records,
        word3,
    ]
}

/// Bytes that a report shows, in memory and in LDS.
fn shown(scene: &Scene, report: &AccessReport) -> (BTreeSet<u64>, BTreeSet<u64>) {
    let (mut memory, mut lds) = (BTreeSet::new(), BTreeSet::new());
    let first = scene
        .memory()
        .regions()
        .find(|r| &*r.name == "scratch")
        .unwrap()
        .base;
    let row = report.lanes.len() as u64 * 4;
    for lane in &report.lanes {
        for part in &lane.parts {
            for i in 0..u64::from(part.bytes) {
                match part.place {
                    Place::Global { address, .. } => memory.extend([address + i]),
                    // The swizzle, in the manual's words: element, lane, byte.
                    Place::Scratch { offset, .. } => {
                        let at = offset as u64 + i;
                        memory.extend([first + at / 4 * row + u64::from(lane.lane) * 4 + at % 4]);
                    }
                    Place::Lds { offset } => lds.extend([offset + i]),
                    _ => {}
                };
            }
        }
    }
    (memory, lds)
}

/// All bytes of memory by address.
fn contents(scene: &Scene) -> BTreeMap<u64, u8> {
    let mut all = BTreeMap::new();
    for r in scene.memory().regions() {
        let mut bytes = vec![0; r.size as usize];
        assert!(scene.memory().read(r.base, &mut bytes));
        all.extend((r.base..).zip(bytes));
    }
    all
}

/// One case: what `access` contradicts itself in. An error where the instruction is refused or not shown.
fn check(target: Target, wave: u32, inst: &Inst, seed: u64) -> Result<Option<String>, String> {
    let mut one = scene(target, wave, inst, seed);
    let (memory, lds) = (contents(&one), one.lds_mut().bytes().to_vec());
    let report = match one.access(inst) {
        Ok(report) => report,
        Err(e @ (AccessError::Scene(_) | AccessError::NotMemory(_))) => panic!("{e}"),
        Err(e) => return Err(e.to_string()),
    };
    let name = inst.mnemonic();
    let what = || format!("{target} wave{wave} {} (seed {seed})", report.text);
    if let Some(first) = report.contradictions.first() {
        let lane = report
            .lanes
            .iter()
            .find(|l| first.starts_with(&format!("lane {}:", l.lane)));
        let (shared, lane) = (&report.shared, lane.map(|l| (&l.terms, &l.fault)));
        return Ok(Some(format!(
            "{}: {first}\n  {shared:?}\n  {lane:?}",
            what()
        )));
    }
    // What changes is shown.
    let after = contents(&one);
    let (shown_memory, shown_lds) = shown(&one, &report);
    for (at, byte) in &memory {
        let same = after[at] == *byte || shown_memory.contains(at);
        assert!(same, "{}: {at:#x} changed", what());
    }
    for (at, byte) in lds.iter().enumerate() {
        let same = one.lds_mut().bytes()[at] == *byte || shown_lds.contains(&(at as u64));
        assert!(same, "{}: LDS {at:#x} changed", what());
    }
    // What is not shown does not matter; a stack's entries say where the next one is.
    if name.contains("bvh_stack") {
        return Ok(None);
    }
    let mut other = scene(target, wave, inst, seed);
    for (at, byte) in &memory {
        if !shown_memory.contains(at) {
            assert!(other.memory().write(*at, &[!byte]));
        }
    }
    for (at, byte) in other.lds_mut().bytes_mut().iter_mut().enumerate() {
        if !shown_lds.contains(&(at as u64)) {
            *byte = !*byte;
        }
    }
    let again = other.access(inst).unwrap();
    let lanes = |r: &AccessReport| -> Vec<_> {
        r.lanes
            .iter()
            .map(|l| (l.result.clone(), l.fault.clone()))
            .collect()
    };
    assert_eq!(lanes(&report), lanes(&again), "{}", what());
    assert_eq!(one.wave().sgpr, other.wave().sgpr, "{}", what());
    let mut file = 0..512.min(one.wave().vgpr.len() / one.wave().rows);
    let differs = file
        .find(|r| (0..wave as usize).any(|l| one.wave().lane(*r, l) != other.wave().lane(*r, l)));
    assert_eq!(differs, None, "a register of {}", what());
    let other_memory = contents(&other);
    for at in &shown_memory {
        assert_eq!(after.get(at), other_memory.get(at), "{}: {at:#x}", what());
    }
    for at in shown_lds {
        let of = |s: &mut Scene| s.lds_mut().bytes().get(at as usize).copied();
        assert_eq!(of(&mut one), of(&mut other), "{}: LDS {at:#x}", what());
    }
    Ok(None)
}

fn check_target(target: Target) {
    let (mut shown, mut not, mut contradictions) = (0, BTreeMap::new(), Vec::new());
    let mut seed = 0;
    for (name, variants) in instructions(target) {
        // Its turn among the waves of a dispatch is not a scene's.
        if name.contains("ordered") {
            continue;
        }
        for (wave, inst) in &variants {
            seed += 1;
            match check(target, *wave, inst, seed) {
                Ok(None) => shown += 1,
                Ok(Some(why)) => contradictions.push(why),
                Err(why) => *not.entry(why).or_insert(0) += 1,
            }
        }
    }
    let some = &contradictions[..contradictions.len().min(12)];
    assert!(
        contradictions.is_empty(),
        "{} contradictions\n{}",
        contradictions.len(),
        some.join("\n")
    );
    let refused: u32 = not.values().sum();
    println!("{target}: {shown} shown, {refused} not: {not:#?}");
    assert!(
        shown > 500 && refused < shown / 4,
        "{target}: {shown} shown, {not:#?}"
    );
}

macro_rules! targets {
    ($($name:ident $target:ident,)*) => {$(
        #[test]
        fn $name() {
            check_target(Target::$target);
        }
    )*};
}

targets! {
    gfx900 Gfx900, gfx906 Gfx906, gfx908 Gfx908, gfx90a Gfx90a, gfx942 Gfx942, gfx950 Gfx950,
    gfx1010 Gfx1010, gfx1030 Gfx1030, gfx1100 Gfx1100, gfx1150 Gfx1150, gfx1200 Gfx1200,
    gfx1201 Gfx1201, gfx1250 Gfx1250, gfx1251 Gfx1251,
}
