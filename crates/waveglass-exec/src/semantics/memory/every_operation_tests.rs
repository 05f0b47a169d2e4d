//! Every load, store and atomic of the flat, global and scratch instructions and of LDS, in every form of
//! every target, against values worked out by hand. The forms are put together from the tables: what they
//! are to do is not.

use crate::program::Step;
use crate::testing::{Bench, MEMORY};
use std::collections::{BTreeMap, BTreeSet};
use waveglass_isa::{
    Access, Field, Inst, InstBits, InstDef, Operand, OperandKind, Reg, RegFile, Target, rows,
};
use waveglass_mem::Generation;

/// The bytes in memory before a load, the lowest first.
const BYTES: [u32; 4] = [0x84a3_82f1, 0x1716_15d5, 0x2726_2524, 0x3736_3534];

/// What a load leaves in the registers, which held ones before; `None` is a register left alone.
type Loads = &'static [(&'static [&'static str], &'static [u32])];

const LOADS: Loads = &[
    (&["load_ubyte", "load_u8", "read_u8"], &[0x0000_00f1]),
    (&["load_sbyte", "load_i8", "read_i8"], &[0xffff_fff1]),
    (&["load_ushort", "load_u16", "read_u16"], &[0x0000_82f1]),
    (&["load_sshort", "load_i16", "read_i16"], &[0xffff_82f1]),
    (
        &["load_dword", "load_b32", "load_monitor_b32", "read_b32"],
        &[BYTES[0]],
    ),
    (
        &["load_dwordx2", "load_b64", "load_monitor_b64", "read_b64"],
        &[BYTES[0], BYTES[1]],
    ),
    (
        &["load_dwordx3", "load_b96", "read_b96"],
        &[BYTES[0], BYTES[1], BYTES[2]],
    ),
    (
        &[
            "load_dwordx4",
            "load_b128",
            "load_monitor_b128",
            "read_b128",
        ],
        &BYTES,
    ),
];

/// Loads of a half register: the half's value, and whether it is the upper one.
const HALVES: &[(&[&str], u32, bool)] = &[
    (
        &[
            "load_ubyte_d16",
            "load_d16_u8",
            "load_u8_d16",
            "read_u8_d16",
        ],
        0x00f1,
        false,
    ),
    (
        &[
            "load_ubyte_d16_hi",
            "load_d16_hi_u8",
            "load_u8_d16_hi",
            "read_u8_d16_hi",
        ],
        0x00f1,
        true,
    ),
    (
        &[
            "load_sbyte_d16",
            "load_d16_i8",
            "load_i8_d16",
            "read_i8_d16",
        ],
        0xfff1,
        false,
    ),
    (
        &[
            "load_sbyte_d16_hi",
            "load_d16_hi_i8",
            "load_i8_d16_hi",
            "read_i8_d16_hi",
        ],
        0xfff1,
        true,
    ),
    (
        &[
            "load_short_d16",
            "load_d16_b16",
            "load_u16_d16",
            "read_u16_d16",
        ],
        0x82f1,
        false,
    ),
    (
        &[
            "load_short_d16_hi",
            "load_d16_hi_b16",
            "load_u16_d16_hi",
            "read_u16_d16_hi",
        ],
        0x82f1,
        true,
    ),
];

/// What a store leaves of [`BYTES`]; its data are [`DATA`].
const STORES: Loads = &[
    (
        &["store_byte", "store_b8", "write_b8"],
        &[0x84a3_8211, BYTES[1], BYTES[2], BYTES[3]],
    ),
    (
        &[
            "store_byte_d16_hi",
            "store_d16_hi_b8",
            "store_b8_d16_hi",
            "write_b8_d16_hi",
        ],
        &[0x84a3_8233, BYTES[1], BYTES[2], BYTES[3]],
    ),
    (
        &["store_short", "store_b16", "write_b16"],
        &[0x84a3_2211, BYTES[1], BYTES[2], BYTES[3]],
    ),
    (
        &[
            "store_short_d16_hi",
            "store_d16_hi_b16",
            "store_b16_d16_hi",
            "write_b16_d16_hi",
        ],
        &[0x84a3_4433, BYTES[1], BYTES[2], BYTES[3]],
    ),
    (
        &["store_dword", "store_b32", "write_b32"],
        &[DATA[0], BYTES[1], BYTES[2], BYTES[3]],
    ),
    (
        &["store_dwordx2", "store_b64", "write_b64"],
        &[DATA[0], DATA[1], BYTES[2], BYTES[3]],
    ),
    (
        &["store_dwordx3", "store_b96", "write_b96"],
        &[DATA[0], DATA[1], DATA[2], BYTES[3]],
    ),
    (&["store_dwordx4", "store_b128", "write_b128"], &DATA),
];

const DATA: [u32; 4] = [0x4433_2211, 0x8877_6655, 0xccbb_aa99, 0x00ff_eedd];

/// An atomic: its names, and memory, data, second operand and memory afterwards.
struct AtomicCase {
    names: &'static [&'static str],
    wide: bool,
    memory: u64,
    data: u64,
    second: u64,
    after: u64,
}

const fn narrow(names: &'static [&'static str], operands: [u64; 2], after: u64) -> AtomicCase {
    let [memory, data] = operands;
    AtomicCase {
        names,
        wide: false,
        memory,
        data,
        second: 0,
        after,
    }
}

const fn wide(names: &'static [&'static str], operands: [u64; 2], after: u64) -> AtomicCase {
    AtomicCase {
        wide: true,
        ..narrow(names, operands, after)
    }
}

const fn with(second: u64, case: AtomicCase) -> AtomicCase {
    AtomicCase { second, ..case }
}

const M: u64 = 0x8000_0005;
const M64: u64 = 0x8000_0000_0000_0005;
/// 1.5 and 2.25, whose sum is 3.75.
const F: [u64; 2] = [0x3fc0_0000, 0x4010_0000];
const F64: [u64; 2] = [0x3ff8_0000_0000_0000, 0x4002_0000_0000_0000];

const ATOMICS: &[AtomicCase] = &[
    narrow(
        &["swap", "swap_b32", "wrxchg_b32", "storexchg_b32"],
        [M, 3],
        3,
    ),
    // Of memory's CMPSWAP the data come first and the comparand second.
    with(
        M,
        narrow(&["cmpswap", "cmpswap_b32", "cmpstore_b32"], [M, 3], 3),
    ),
    with(3, narrow(&["cmpst_b32"], [M, M], 3)),
    narrow(&["add", "add_u32"], [M, 3], M + 3),
    narrow(&["sub", "sub_u32"], [M, 3], M - 3),
    narrow(&["rsub_u32"], [M, 3], 0x7fff_fffe),
    narrow(&["smin", "min_i32"], [M, 3], M),
    narrow(&["umin", "min_u32"], [M, 3], 3),
    narrow(&["smax", "max_i32"], [M, 3], 3),
    narrow(&["umax", "max_u32"], [M, 3], M),
    narrow(&["and", "and_b32"], [M, 3], 1),
    narrow(&["or", "or_b32"], [M, 3], 0x8000_0007),
    narrow(&["xor", "xor_b32"], [M, 3], 0x8000_0006),
    // At or past the bound: to zero, down to the bound.
    narrow(&["inc", "inc_u32"], [M, 3], 0),
    narrow(&["inc", "inc_u32"], [2, 3], 3),
    narrow(&["dec", "dec_u32"], [M, 3], 3),
    narrow(&["dec", "dec_u32"], [0, 3], 3),
    narrow(&["dec", "dec_u32"], [2, 3], 1),
    narrow(&["csub", "csub_u32", "sub_clamp_u32"], [M, 3], M - 3),
    narrow(&["csub", "csub_u32", "sub_clamp_u32"], [3, M], 0),
    narrow(&["cond_sub_u32"], [M, 3], M - 3),
    narrow(&["cond_sub_u32"], [3, M], 3),
    with(0x50, narrow(&["mskor_b32"], [M, 5], 0x8000_0050)),
    with(4, narrow(&["wrap_b32"], [M, 5], M - 5)),
    with(4, narrow(&["wrap_b32"], [3, 5], 7)),
    narrow(&["add_f32"], F, 0x4070_0000),
    narrow(&["fmin", "min_f32", "min_num_f32"], F, F[0]),
    narrow(&["fmax", "max_f32", "max_num_f32"], F, F[1]),
    with(
        F[0],
        narrow(&["fcmpswap", "cmpswap_f32", "cmpstore_f32"], F, F[1]),
    ),
    with(F[1], narrow(&["cmpst_f32"], [F[0], F[0]], F[1])),
    // Halves apart: 1.5 + 2.25, -1 + 0.5.
    narrow(&["pk_add_f16"], [0xbc00_3e00, 0x3800_4080], 0xb800_4380),
    narrow(&["pk_add_bf16"], [0xbf80_3fc0, 0x3f00_4010], 0xbf00_4070),
    wide(
        &["swap_x2", "swap_b64", "wrxchg_b64", "storexchg_b64"],
        [M64, 3],
        3,
    ),
    with(
        M64,
        wide(&["cmpswap_x2", "cmpswap_b64", "cmpstore_b64"], [M64, 3], 3),
    ),
    with(3, wide(&["cmpst_b64"], [M64, M64], 3)),
    wide(&["add_x2", "add_u64"], [M64, 3], M64 + 3),
    wide(&["sub_x2", "sub_u64"], [M64, 3], M64 - 3),
    wide(&["rsub_u64"], [M64, 3], 0x7fff_ffff_ffff_fffe),
    wide(&["smin_x2", "min_i64"], [M64, 3], M64),
    wide(&["umin_x2", "min_u64"], [M64, 3], 3),
    wide(&["smax_x2", "max_i64"], [M64, 3], 3),
    wide(&["umax_x2", "max_u64"], [M64, 3], M64),
    wide(&["and_x2", "and_b64"], [M64, 3], 1),
    wide(&["or_x2", "or_b64"], [M64, 3], M64 + 2),
    wide(&["xor_x2", "xor_b64"], [M64, 3], M64 + 1),
    wide(&["inc_x2", "inc_u64"], [M64, 3], 0),
    wide(&["dec_x2", "dec_u64"], [M64, 3], 3),
    with(0x50, wide(&["mskor_b64"], [M64, 5], 0x8000_0000_0000_0050)),
    wide(&["add_f64"], F64, 0x400e_0000_0000_0000),
    wide(&["fmin_x2", "min_f64", "min_num_f64"], F64, F64[0]),
    wide(&["fmax_x2", "max_f64", "max_num_f64"], F64, F64[1]),
    with(F64[0], wide(&["fcmpswap_x2", "cmpstore_f64"], F64, F64[1])),
    with(F64[1], wide(&["cmpst_f64"], [F64[0], F64[0]], F64[1])),
];

/// Parts of the names of those that other tests have: they go through LDS, registers chosen by M0, or
/// lanes' numbers, or touch no data.
const ELSEWHERE: &[&str] = &[
    "_lds", "_tr", "block", "addtid", "ordered", "prefetch", "inv", "wb", "2addr", "read2",
    "write2", "xchg2", "src2", "gs_reg", "gws", "append", "consume", "permute", "swizzle", "nop",
    "bvh", "condxchg", "gl0", "gl1", "barrier", "direct", "param",
];

/// Where the access is, past the base: the immediate is 4.
const IMMEDIATE: u64 = 4;

/// The instruction of a row: results in v8, address in v2, data in v12, base in s[10:11].
fn instruction(target: Target, lanes: u32, def: &'static InstDef) -> Inst {
    let mut bits = InstBits::new(def, target, lanes);
    let has = |f| def.shape.operands.iter().any(|o| o.field == f);
    // Scratch's ST mode has no more than the immediate.
    let offset = match def.mnemonic.starts_with("buffer")
        || has(Field::Vaddr)
        || has(Field::Saddr)
        || has(Field::Addr)
    {
        true => IMMEDIATE,
        false => AT,
    };
    for o in def.shape.operands {
        let dwords = (o.bits / 32).max(1) as u8;
        let register = |n| Operand::Reg(Reg::new(RegFile::Vgpr, n, dwords));
        let value = match o.field {
            Field::Vdst => register(8),
            Field::Vaddr | Field::Addr => register(2),
            Field::Vdata if o.access == Access::Write => register(8),
            Field::Vdata | Field::Data0 => register(12),
            Field::Srsrc => Operand::Reg(Reg::new(RegFile::Sgpr, 12, dwords)),
            Field::Soffset => Operand::Reg(Reg::new(RegFile::Sgpr, 16, dwords)),
            Field::Data1 => register(20),
            Field::Saddr => Operand::Reg(Reg::new(RegFile::Sgpr, 10, dwords)),
            Field::Offset => Operand::Imm(offset as i64),
            _ => continue,
        };
        bits.set_operand(o, value)
            .unwrap_or_else(|e| panic!("{} on {target}: {}: {e}", def.mnemonic, o.field.name()));
    }
    bits.finish()
}

/// The rows of memory operations whose names begin with one of `prefixes`, each with the rest of its name
/// on each target.
fn forms(prefixes: &[&str]) -> Vec<(Target, &'static InstDef, &'static str)> {
    let mut out = Vec::new();
    for &target in Target::ALL {
        for def in rows().iter().filter(|d| d.has_target(target)) {
            let rest = prefixes.iter().find_map(|p| def.mnemonic.strip_prefix(p));
            if let Some(rest) = rest
                && !ELSEWHERE.iter().any(|part| def.mnemonic.contains(part))
                && !has_word(def, "lds")
                && !has_word(def, "tfe")
                && !rest.contains("format")
                && !def
                    .shape
                    .operands
                    .iter()
                    .any(|o| o.kind == OperandKind::Agpr)
            {
                out.push((target, def, rest));
            }
        }
    }
    out
}

fn has_word(def: &InstDef, word: &str) -> bool {
    def.shape.template.split([' ', ',', '$']).any(|w| w == word)
}

/// The lanes of a flat access: one in memory, one in LDS, one in scratch.
const SPACES: [usize; 3] = [1, 6, 9];

/// Where a lane's 32 bytes are, in each of the spaces that an instruction reaches.
struct World {
    bench: Bench,
    lanes: Vec<usize>,
    /// The dwords' addresses in memory, `None` for LDS.
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Flat,
    Global,
    Scratch,
    Lds,
    Buffer,
}

const AT: u64 = 64;

impl World {
    /// A state in which v2 (and with it s10, where the form has it) leads to byte [`AT`] of a space, less
    /// the immediate.
    fn new(target: Target, lanes: u32, def: &InstDef) -> Self {
        let mut b = Bench::new(target, lanes);
        let kind = match def.mnemonic.split('_').next() {
            Some("flat") => Kind::Flat,
            Some("global") => Kind::Global,
            Some("scratch") => Kind::Scratch,
            Some("buffer") => Kind::Buffer,
            _ => Kind::Lds,
        };
        let has = |f| def.shape.operands.iter().any(|o| o.field == f);
        let base = AT - IMMEDIATE;
        b.wave.scratch_size = 128;
        b.wave.scratch_base = MEMORY + 0x1000;
        if target.is_gfx9() {
            b.wave
                .set_s64(crate::wave::sreg::FLAT_SCRATCH_LO, MEMORY + 0x1000);
        }
        let mut used = SPACES.to_vec();
        match kind {
            Kind::Flat if has(Field::Saddr) => {
                // CDNA 5: a scalar base, here of global memory.
                used.truncate(1);
                b.wave.set_s64(10, MEMORY + base - 16);
                b.set(2, |_| 16);
            }
            Kind::Flat => {
                let private = if target.has_gfx1250_insts() {
                    // CDNA 5 ISA 10.2: the lane in bits 56:52.
                    b.env.apertures.flat_scratch_base(MEMORY + 0x1000) + ((SPACES[2] as u64) << 52)
                } else {
                    b.env.apertures.private_base()
                };
                let bases = [MEMORY, b.env.apertures.shared_base(), private];
                for (lane, at) in SPACES.into_iter().zip(bases) {
                    b.wave.set_lane(2, lane, (at + base) as u32);
                    b.wave.set_lane(3, lane, ((at + base) >> 32) as u32);
                }
            }
            Kind::Global => {
                used.truncate(1);
                if has(Field::Saddr) {
                    b.wave.set_s64(10, MEMORY + base - 16);
                    b.set(2, |_| 16);
                } else {
                    b.set_address(2, |_| base);
                }
            }
            Kind::Scratch => {
                used.drain(..2);
                match (has(Field::Vaddr), has(Field::Saddr)) {
                    (true, true) => {
                        b.wave.sgpr[10] = base as u32 - 16;
                        b.set(2, |_| 16);
                    }
                    (true, false) => b.set(2, |_| base as u32),
                    _ => b.wave.sgpr[10] = base as u32,
                }
            }
            Kind::Buffer => {
                // Index 3 of 16 bytes and offset 20, where the form has them; 8 in the scalar offset.
                used.truncate(1);
                let (indexed, offset) = (has_word(def, "idxen"), has_word(def, "offen"));
                b.set(2, |_| if indexed { 3 } else { 20 });
                b.set(3, |_| 20);
                b.wave.sgpr[16] = 8;
                let past = 8 + if indexed { 48 } else { 0 } + if offset { 20 } else { 0 };
                let stride = if indexed { 16 } else { 0 };
                let fields = [("base", MEMORY + base - past), ("stride", stride)];
                b.wave.sgpr[12..16].copy_from_slice(&plain_descriptor(target, &fields));
            }
            Kind::Lds => {
                used = vec![SPACES[1]];
                b.set(2, |_| base as u32);
            }
        }
        b.wave
            .set_exec(used.iter().fold(0, |mask, lane| mask | 1 << lane));
        b.set(8, |_| u32::MAX);
        for r in 9..12 {
            b.set(r, |_| u32::MAX);
        }
        for (i, &d) in DATA.iter().enumerate() {
            b.set(12 + i, |_| d);
        }
        Self {
            bench: b,
            lanes: used,
            kind,
        }
    }

    /// Byte `byte` of scratch of lane 9, in memory: 4 bytes of each lane in turn.
    fn scratch_at(&self, byte: u64) -> u64 {
        let w = self.bench.wave.lanes() as u64;
        0x1000 + byte / 4 * 4 * w + SPACES[2] as u64 * 4
    }

    fn put(&mut self, values: &[u32]) {
        for (i, &v) in values.iter().enumerate() {
            let byte = AT + 4 * i as u64;
            let scratch = self.scratch_at(byte);
            self.bench.poke(byte, v);
            self.bench.poke(scratch, v);
            self.bench.poke_lds(byte as usize, v);
        }
    }

    /// The dwords that `lane` accesses.
    fn dwords(&self, lane: usize) -> [u32; 4] {
        std::array::from_fn(|i| {
            let byte = AT + 4 * i as u64;
            match (self.kind, lane) {
                (Kind::Lds, _) | (Kind::Flat, 6) => self.bench.peek_lds(byte as usize),
                (Kind::Scratch, _) | (Kind::Flat, 9) => self.bench.peek(self.scratch_at(byte)),
                _ => self.bench.peek(byte),
            }
        })
    }

    fn run(&mut self, inst: &Inst) {
        let op = self.bench.compile(inst);
        let what = format!("{} on {}", inst.mnemonic(), inst.target());
        assert_eq!(op.refused, None, "{what}");
        assert_eq!(self.bench.run_op(&op), Step::Next, "{what}");
        assert!(
            self.bench.wave.faults.is_empty(),
            "{what}: {:?}",
            self.bench.wave.faults
        );
    }
}

/// A descriptor of memory of 4,096 records or bytes.
pub(super) fn plain_descriptor(target: Target, fields: &[(&str, u64)]) -> [u32; 4] {
    let mut all = vec![("num_records", 4096)];
    match crate::dispatch::memory_generation(target) {
        Generation::Cdna5 => {}
        g if g.is_gfx9() => all.push(("data_format", 4)),
        _ => all.extend([("format", 20), ("oob_select", 2)]),
    }
    all.extend_from_slice(fields);
    super::buffer_tests::words(target, &all)
}

fn wave_size(target: Target, def: &InstDef) -> u32 {
    match def.wave {
        0 => target.default_wave_size(),
        w => w.into(),
    }
}

/// Registers with error correction are written whole by 16-bit loads (CDNA 1 ISA 9.1.6); so are all of
/// CDNA 5.
fn writes_whole_registers(target: Target) -> bool {
    matches!(
        target.name(),
        "gfx906" | "gfx908" | "gfx90a" | "gfx942" | "gfx950" | "gfx1250" | "gfx1251"
    )
}

fn loads_and_stores(prefixes: &[&str]) {
    let mut seen = BTreeMap::<(&str, bool), usize>::new();
    let mut missing = BTreeSet::new();
    for (target, def, rest) in forms(prefixes) {
        if rest.contains("atomic") {
            continue;
        }
        let lanes = wave_size(target, def);
        let inst = instruction(target, lanes, def);
        let mut world = World::new(target, lanes, def);
        world.put(&BYTES);
        let of = |names: &[&str]| names.contains(&rest);
        let what = format!("{} on {target}", def.mnemonic);
        if let Some((_, want)) = LOADS.iter().find(|(names, _)| of(names)) {
            if rest.contains("monitor") && rest != "load_monitor_b32" && world.kind == Kind::Flat {
                // CDNA 5 ISA 10.10: not of scratch.
                world.bench.wave.set_exec(1 << SPACES[0] | 1 << SPACES[1]);
                world.lanes.truncate(2);
            }
            world.run(&inst);
            for &lane in &world.lanes {
                for i in 0..4 {
                    let want = want.get(i).copied().unwrap_or(u32::MAX);
                    assert_eq!(world.bench.get(8 + i, lane), want, "{what}, lane {lane}");
                }
            }
        } else if let Some(&(_, half, high)) = HALVES.iter().find(|(names, ..)| of(names)) {
            world.run(&inst);
            let other = if writes_whole_registers(target) {
                0
            } else {
                0xffff
            };
            let want = if high {
                half << 16 | other
            } else {
                other << 16 | half
            };
            for &lane in &world.lanes {
                assert_eq!(world.bench.get(8, lane), want, "{what}, lane {lane}");
            }
        } else if let Some((_, want)) = STORES.iter().find(|(names, _)| of(names)) {
            world.run(&inst);
            for &lane in &world.lanes {
                assert_eq!(world.dwords(lane), *want, "{what}, lane {lane}");
            }
        } else if DS_ATOMICS_BEGIN.iter().any(|b| rest.starts_with(b)) {
            continue;
        } else {
            missing.insert(what);
            continue;
        }
        *seen
            .entry((target.name(), rest.contains("load")))
            .or_default() += 1;
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(seen.len() >= Target::ALL.len());
}

/// LDS atomics do not say "atomic".
const DS_ATOMICS_BEGIN: &[&str] = &[
    "add",
    "sub",
    "rsub",
    "inc",
    "dec",
    "min",
    "max",
    "and",
    "or",
    "xor",
    "mskor",
    "wrap",
    "wrxchg",
    "storexchg",
    "cmpst",
    "pk_add",
    "cond_sub",
];

fn atomics(prefixes: &[&str], is_lds: bool) {
    let mut missing = BTreeSet::new();
    let mut done = 0;
    for (target, def, rest) in forms(prefixes) {
        let name = match (is_lds, rest.strip_prefix("atomic_")) {
            (false, Some(name)) => name.to_owned(),
            (true, None) if DS_ATOMICS_BEGIN.iter().any(|b| rest.starts_with(b)) => {
                rest.replace("_rtn", "")
            }
            _ => continue,
        };
        let lanes = wave_size(target, def);
        let inst = instruction(target, lanes, def);
        let cases = ATOMICS.iter().filter(|a| a.names.contains(&name.as_str()));
        let mut any = false;
        for case in cases {
            any = true;
            let mut world = World::new(target, lanes, def);
            if case.wide && world.kind == Kind::Flat {
                // RDNA 3 ISA 11.1.1: 64-bit atomics do not reach scratch.
                world.lanes.truncate(2);
                let mask = world.lanes.iter().fold(0, |mask, lane| mask | 1 << lane);
                world.bench.wave.set_exec(mask);
            }
            let halves = |v: u64| [v as u32, (v >> 32) as u32];
            let [low, high] = halves(case.memory);
            world.put(&[low, if case.wide { high } else { BYTES[1] }]);
            // Memory's operations have the second operand behind the first, LDS's in a field of its own.
            let second = match (is_lds, case.wide) {
                (true, _) => 20,
                (false, true) => 14,
                (false, false) => 13,
            };
            let dwords = if case.wide { 2 } else { 1 };
            for (first, value) in [(12, case.data), (second, case.second)] {
                for (i, v) in halves(value).into_iter().enumerate().take(dwords) {
                    world.bench.set(first + i, |_| v);
                }
            }
            world.run(&inst);
            // A buffer's register of data is the result's too; other results are in v8.
            let in_data = world.kind == Kind::Buffer;
            let returns = def.shape.operands.iter().any(|o| {
                o.field == Field::Vdst || o.field == Field::Vdata && o.access != Access::Read
            });
            let result = if in_data { 12 } else { 8 };
            let unchanged = if in_data {
                halves(case.data)[0]
            } else {
                u32::MAX
            };
            let what = format!("{} on {target}", def.mnemonic);
            for &lane in &world.lanes {
                let [after, after_high] = halves(case.after);
                let got = world.dwords(lane);
                assert_eq!(got[0], after, "{what}, lane {lane}");
                let high = if case.wide { after_high } else { BYTES[1] };
                assert_eq!(got[1], high, "{what}, lane {lane}");
                let before = halves(case.memory);
                for (i, &before) in before.iter().enumerate() {
                    let want = if returns { before } else { unchanged };
                    if i < dwords && (returns || i == 0) {
                        assert_eq!(
                            world.bench.get(result + i, lane),
                            want,
                            "{what}, lane {lane}"
                        );
                    } else if !in_data {
                        assert_eq!(
                            world.bench.get(8 + i, lane),
                            u32::MAX,
                            "{what}, lane {lane}"
                        );
                    }
                }
            }
            done += 1;
        }
        if !any {
            missing.insert(format!("{name} ({})", def.mnemonic));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(done > 100);
}

// points: 9
// rule: BUFFER loads and stores with OFFEN, IDXEN, both or none; section Vega ISA 8.1.2 to 8.1.5, RDNA 1 ISA
// 8.1.2, RDNA 3 ISA 9.1, RDNA 4 ISA 9.1, CDNA 5 ISA 9.1.
// claims: buf.u16-1, buf.u16-2
#[test]
fn every_plain_buffer_load_and_store_of_every_target_moves_what_its_name_says() {
    loads_and_stores(&["buffer_"]);
}

// points: 9
// rule: BUFFER atomics; section Vega ISA 12.14, RDNA 3 ISA 16.16, RDNA 4 ISA 16.16, CDNA 5 ISA 15.16.
#[test]
fn every_buffer_atomic_of_every_target_leaves_what_its_definition_says() {
    atomics(&["buffer_"], false);
}

const MEMORY_PREFIXES: &[&str] = &["flat_", "global_", "scratch_"];

// rule: loads and stores of bytes, shorts and one to four dwords, with zero and sign extension, D16 and
// D16_HI, in memory, LDS and scratch; section Vega ISA 9.1 table 42, RDNA 1 ISA 9.1, RDNA 3 ISA 11.1, RDNA 4
// ISA 11.1, CDNA 5 ISA 10.1.
// claims: flat.9-1, flat.9.1-1, flat.t41-op, flat.t42-load-byte, flat.t42-load-short, flat.t42-load-d16,
// flat.t42-load-dword, flat.t42-store-part, flat.t42-store-dword, flat.9.7-1, flat.9.7-2, flat.9.7-3, flat.9.2-5
// points: 3, 7
#[test]
fn every_flat_global_and_scratch_load_and_store_of_every_target_moves_what_its_name_says() {
    loads_and_stores(MEMORY_PREFIXES);
}

// rule: atomics leave what their definitions say, and give the value before where the bit asks for it;
// section Vega ISA 9.1 table 42, 12.18, RDNA 3 ISA 11.1, RDNA 4 ISA 11.1, CDNA 5 ISA 10.1.
// claims: flat.9.1-1, flat.t41-glc, flat.t41-vdst, flat.t42-atomics, flat.t42-x2
// points: 3
#[test]
fn every_flat_and_global_atomic_of_every_target_leaves_what_its_definition_says() {
    atomics(MEMORY_PREFIXES, false);
}

// rule: scratch has no atomics; section Vega ISA 9.1 table 42, RDNA 3 ISA 11.1.
// claims: flat.t42-scratch
#[test]
fn scratch_has_no_atomics() {
    assert!(
        !rows()
            .iter()
            .any(|d| d.mnemonic.starts_with("scratch_atomic"))
    );
}

// rule: DS loads and stores; section Vega ISA 10.3.3, RDNA 3 ISA 12.5, RDNA 4 ISA 12.5, CDNA 5 ISA 11.2.
// points: 12
#[test]
fn every_lds_load_and_store_of_every_target_moves_what_its_name_says() {
    loads_and_stores(&["ds_"]);
}

// rule: DS atomics, CMPST's operands in the other order than CMPSTORE's; section Vega ISA 12.13, RDNA 3 ISA
// 12.5.1, RDNA 4 ISA 12.5.1, CDNA 5 ISA 11.2.
// points: 12
#[test]
fn every_lds_atomic_of_every_target_leaves_what_its_definition_says() {
    atomics(&["ds_"], true);
}
