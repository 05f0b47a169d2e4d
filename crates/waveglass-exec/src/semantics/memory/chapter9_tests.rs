//! Sentences of the Vega manual's chapter 9 that no other test has, and what later generations made of them.

use super::every_operation_tests::plain_descriptor;
use crate::program::Step;
use crate::testing::{Bench, MEMORY};
use crate::wave::sreg;
use std::collections::BTreeSet;
use waveglass_isa::{
    Decoder, Field, InstBits, InstDef, Operand, OperandKind, Reg, RegFile, Target, rows,
};
use waveglass_mem::{Apertures, FaultKind, Space};

/// The fields of table 41 for [`encode`].
#[derive(Clone, Copy)]
struct Fields {
    offset: u32,
    lds: u32,
    seg: u32,
    glc: u32,
    slc: u32,
    op: u32,
    addr: u32,
    data: u32,
    saddr: u32,
    nv: u32,
    vdst: u32,
}

/// A global load of a dword into v8 from v[2:3].
const LOAD: Fields = Fields {
    offset: 0,
    lds: 0,
    seg: 2,
    glc: 0,
    slc: 0,
    op: 20,
    addr: 2,
    data: 0,
    saddr: 0x7f,
    nv: 0,
    vdst: 8,
};
const STORE_DWORD: u32 = 28;
const ATOMIC_ADD: u32 = 66;

/// Table 41: OFFSET 12:0, LDS 13, SEG 15:14, GLC 16, SLC 17, OP 24:18, 0b110111 in 31:26, ADDR 39:32, DATA
/// 47:40, SADDR 54:48, NV 55, VDST 63:56.
fn encode(f: Fields) -> String {
    let low = f.offset & 0x1fff
        | f.lds << 13
        | f.seg << 14
        | f.glc << 16
        | f.slc << 17
        | f.op << 18
        | 0b11_0111 << 26;
    let high = f.addr | f.data << 8 | f.saddr << 16 | f.nv << 23 | f.vdst << 24;
    [low, high]
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .map(|b| format!("{b:02x}"))
        .collect()
}

fn decodes(hex: &str) -> bool {
    let bytes: Vec<u8> = (0..hex.len() / 2)
        .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
        .collect();
    Decoder::new(Target::Gfx900).decode(&bytes).is_ok()
}

/// Lane 1 only; v[2:3] at byte 64 of memory.
fn bench() -> Bench {
    let mut b = Bench::new(Target::Gfx900, 64);
    b.set_address(2, |_| 64);
    b.poke(64, 0x1234_5678);
    b.wave.set_exec(2);
    b
}

// rule: OP, ADDR, DATA and VDST of the microcode format; section Vega ISA 9.1 table 41.
// points: 2
// claims: flat.t41-op, flat.t41-addr, flat.t41-data, flat.t41-vdst, flat.9.1-3, flat.9.3-4, flat.9.7-2
#[test]
fn operands_stand_where_table_41_has_them() {
    let mut b = bench();
    b.run_all(&[&encode(LOAD)]);
    assert_eq!(b.get(8, 1), 0x1234_5678);
    b.run_all(&[&encode(Fields { vdst: 30, ..LOAD })]);
    assert_eq!(b.get(30, 1), 0x1234_5678);
    // Another address register: its pair has the low half first.
    b.wave.set_lane(40, 1, (MEMORY + 4096) as u32);
    b.wave.set_lane(41, 1, 0);
    b.poke(4096, 77);
    b.run_all(&[&encode(Fields { addr: 40, ..LOAD })]);
    assert_eq!(b.get(8, 1), 77);
    b.wave.set_lane(41, 1, 1);
    b.run_all(&[&encode(Fields { addr: 40, ..LOAD })]);
    assert_eq!(b.wave.faults[0].fault.address, (1 << 32) + MEMORY + 4096);
    // DATA of a store, and of an atomic beside VDST.
    b.set(50, |_| 5);
    let store = Fields {
        op: STORE_DWORD,
        data: 50,
        ..LOAD
    };
    b.run_all(&[&encode(store)]);
    assert_eq!(b.peek(64), 5);
    let add = Fields {
        op: ATOMIC_ADD,
        data: 50,
        glc: 1,
        ..LOAD
    };
    b.run_all(&[&encode(add)]);
    assert_eq!((b.get(8, 1), b.peek(64)), (5, 10));
}

// rule: SEG is 0 flat, 1 scratch, 2 global, 3 reserved; LDS is for global and scratch only; section Vega ISA
// 9.1 table 41.
// points: 2
// claims: flat.t41-seg, flat.t41-lds, flat.9.2-2
#[test]
fn segments_are_flat_scratch_and_global_and_flat_ones_do_not_go_to_lds() {
    for (seg, lds, valid) in [
        (0, 0, true),
        (1, 0, true),
        (2, 0, true),
        (3, 0, false),
        (0, 1, false),
        (1, 1, true),
        (2, 1, true),
        (3, 1, false),
    ] {
        let saddr = if seg == 0 { 0 } else { 0x7f };
        let hex = encode(Fields {
            seg,
            lds,
            saddr,
            ..LOAD
        });
        assert_eq!(decodes(&hex), valid, "segment {seg}, LDS {lds}");
    }
    // The same bytes but for SEG reach three spaces.
    let mut b = bench();
    b.wave.set_s64(sreg::FLAT_SCRATCH_LO, MEMORY + 0x1000);
    b.wave.scratch_size = 1 << 20;
    // Byte 8 of lane 1's scratch.
    b.poke(0x1000 + 8 * 64 + 4, 9);
    b.set(2, |_| 8);
    b.run_all(&[&encode(Fields { seg: 1, ..LOAD })]);
    assert_eq!(b.get(8, 1), 9);
    b.poke_lds(8, 10);
    b.set(3, |_| (b_shared() >> 32) as u32);
    b.run_all(&[&encode(Fields {
        seg: 0,
        saddr: 0,
        ..LOAD
    })]);
    assert_eq!(b.get(8, 1), 10);
    // With LDS the data go past the registers: dword 1 of LDS at M0 = 0.
    b.set_address(2, |_| 64);
    b.set(8, |_| 3);
    b.wave.sgpr[sreg::M0] = 0;
    b.run_all(&[&encode(Fields { lds: 1, ..LOAD })]);
    assert_eq!((b.get(8, 1), b.peek_lds(4)), (3, 0x1234_5678));
}

fn b_shared() -> u64 {
    crate::dispatch::apertures(Target::Gfx900).shared_base()
}

// rule: offsets are signed with 13 bits, and of flat instructions unsigned with 12; section Vega ISA 9.1 table
// 41.
// points: 2, 4
// claims: flat.t41-offset-signed, flat.t41-offset-flat, flat.9.4-2, flat.9.4-3, flat.9.5-4
#[test]
fn offsets_have_13_signed_bits_or_12_unsigned_ones() {
    let mut b = bench();
    b.set_address(2, |_| 4096);
    let mut load = |fields: Fields, byte: u64| {
        b.poke(byte, 0xabc0_0000 | byte as u32);
        b.set(8, |_| 0);
        b.run_all(&[&encode(fields)]);
        assert_eq!(b.get(8, 1), 0xabc0_0000 | byte as u32);
    };
    for (offset, byte) in [(0xfff, 4096 + 4095), (0x1000, 0), (0x1fff, 4095)] {
        load(Fields { offset, ..LOAD }, byte);
    }
    let flat = Fields {
        seg: 0,
        saddr: 0,
        ..LOAD
    };
    load(
        Fields {
            offset: 0xfff,
            ..flat
        },
        4096 + 4095,
    );
    load(
        Fields {
            offset: 0x1004,
            ..flat
        },
        4096 + 4,
    );
    // With an SGPR base: base, vector offset and immediate add up.
    b.wave.set_s64(20, MEMORY + 4096);
    b.set(2, |_| 100);
    b.poke(4096 + 100 - 4, 31);
    b.run_all(&[&encode(Fields {
        offset: 0x1ffc,
        saddr: 20,
        ..LOAD
    })]);
    assert_eq!(b.get(8, 1), 31);
}

// rule: the top bit of a flat offset is ignored; section RDNA 1 ISA 13.8.1, RDNA 3 ISA 11.1.
// points: 2
#[test]
fn later_flat_offsets_lose_their_top_bit_too() {
    for (target, hex, byte) in [
        // flat_load_dword v8, v[2:3] with OFFSET 0x804 of 12 bits, 0x1004 of 13 bits
        (Target::Gfx1030, "040830dc02007d08", 4),
        (Target::Gfx1030, "ff0730dc02007d08", 0x7ff),
        (Target::Gfx1100, "041050dc02007c08", 4),
        (Target::Gfx1100, "ff0f50dc02007c08", 0xfff),
    ] {
        let mut b = Bench::new(target, 32);
        b.set_address(2, |_| 0);
        b.poke(byte, 77);
        b.run_all(&[hex]);
        assert_eq!(b.get(8, 1), 77, "{target}");
    }
}

/// The rows of these mnemonics.
fn rows_of(target: Target, names: &[&str]) -> Vec<&'static InstDef> {
    rows()
        .iter()
        .filter(|d| d.has_target(target) && names.contains(&d.mnemonic))
        .filter(|d| !d.shape.template.contains(" lds") && !d.shape.template.contains(" tfe"))
        .filter(|d| {
            let mut operands = d.shape.operands.iter();
            !operands.any(|o| o.field == Field::Saddr || o.kind == OperandKind::Agpr)
        })
        .collect()
}

/// A load, store or atomic of each kind, the same on each target.
const POLICIES: &[&str] = &[
    "flat_load_dword",
    "flat_load_b32",
    "global_load_dword",
    "global_load_b32",
    "buffer_load_dword",
    "buffer_load_b32",
    "flat_store_dword",
    "flat_store_b32",
    "global_store_dword",
    "global_store_b32",
    "buffer_store_dword",
    "buffer_store_b32",
    "flat_atomic_add",
    "flat_atomic_add_u32",
    "global_atomic_add",
    "global_atomic_add_u32",
    "buffer_atomic_add",
    "buffer_atomic_add_u32",
];

// rule: no bit of the cache policy changes data, but that of atomics one of them returns the value before;
// section Vega ISA 9.1 table 41, RDNA 1 ISA 8.1.10, RDNA 4 ISA 9.1, CDNA 3 ISA 9.1, CDNA 5 ISA 9.1.
// points: 2, 3
// claims: cache.bits, cache.return, flat.t41-slc, flat.t41-glc, flat.t41-nv
#[test]
fn every_combination_of_cache_bits_moves_the_same_data() {
    for &target in Target::ALL {
        let mut combinations = 0;
        for def in rows_of(target, POLICIES) {
            let Some(policy) = def.shape.operands.iter().find(|o| o.field == Field::Cpol) else {
                panic!("{} on {target} has no cache policy", def.mnemonic);
            };
            let width = policy.spans.iter().map(|s| s.1 + s.2).max().unwrap_or(0);
            // SCALE_OFFSET stands among CDNA 5's policy bits; without a scalar base it is reserved.
            let width = width.min(11);
            for bits in 0..1u64 << width {
                if policy
                    .spans
                    .iter()
                    .fold(0, |all, s| all | (((1u64 << s.2) - 1) << s.1))
                    & bits
                    != bits
                {
                    continue;
                }
                combinations += 1;
                one_policy(target, def, bits);
            }
        }
        assert!(combinations > 20, "{target}: {combinations}");
    }
    // Vega's NV is bit 55.
    let mut b = bench();
    b.run_all(&[&encode(Fields { nv: 1, ..LOAD })]);
    assert_eq!(b.get(8, 1), 0x1234_5678);
}

/// One instruction with one policy: v8 or v12 from and to byte 64 of memory.
fn one_policy(target: Target, def: &'static InstDef, policy: u64) {
    let lanes = target.default_wave_size();
    let buffer = def.mnemonic.starts_with("buffer");
    let mut bits = InstBits::new(def, target, lanes);
    for o in def.shape.operands {
        let dwords = (o.bits / 32).max(1) as u8;
        let vgpr = |n| Operand::Reg(Reg::new(RegFile::Vgpr, n, dwords));
        let sgpr = |n| Operand::Reg(Reg::new(RegFile::Sgpr, n, dwords));
        let value = match o.field {
            Field::Vdst => vgpr(8),
            Field::Vdata | Field::Data0 => vgpr(12),
            Field::Vaddr => vgpr(2),
            Field::Srsrc => sgpr(12),
            Field::Soffset => sgpr(16),
            Field::Cpol => {
                bits.or_raw(o, policy);
                continue;
            }
            _ => continue,
        };
        bits.set_operand(o, value).unwrap();
    }
    let inst = bits.finish();
    // What the bytes say, not the row: an atomic's bit chooses the row.
    let bytes: Vec<u8> = inst.words().iter().flat_map(|w| w.to_le_bytes()).collect();
    let what = format!("{} on {target}, policy {policy:#x}", def.mnemonic);
    let inst = Decoder::new(target)
        .wave_size(lanes)
        .decode(&bytes)
        .unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(inst.mnemonic(), def.mnemonic, "{what}");
    let mut b = Bench::new(target, lanes);
    b.wave.set_exec(2);
    if buffer {
        b.set(2, |_| 0);
        b.wave.sgpr[12..16].copy_from_slice(&plain_descriptor(target, &[("base", MEMORY + 64)]));
        b.wave.sgpr[16] = 0;
    } else {
        b.set_address(2, |_| 64);
    }
    b.poke(64, 100);
    b.set(12, |_| 7);
    b.set(8, |_| 1);
    // What the row without a destination has in VDST.
    b.set(0, |_| 1);
    let op = b.compile(&inst);
    assert_eq!(b.run_op(&op), Step::Next, "{what}");
    let has = |f| inst.operand_def(f).is_some();
    let loaded = if has(Field::Vdst) { 8 } else { 12 };
    match def.mnemonic {
        n if n.contains("load") => assert_eq!(b.get(loaded, 1), 100, "{what}"),
        n if n.contains("store") => assert_eq!(b.peek(64), 7, "{what}"),
        _ => {
            assert_eq!(b.peek(64), 107, "{what}");
            let bit = returning_bit(target, inst.words());
            let want = match (bit, buffer) {
                (true, _) => 100,
                (false, true) => 7,
                (false, false) => 1,
            };
            let result = match (
                buffer,
                def.shape.operands.iter().any(|o| o.field == Field::Vdst),
            ) {
                (true, _) => 12,
                (false, true) => 8,
                (false, false) => 0,
            };
            assert_eq!(b.get(result, 1), want, "{what}");
        }
    }
}

/// The bit of an atomic that asks for the value before: GLC in bit 16 of FLAT and 14 of MUBUF, SC0 in the
/// same places; on RDNA 3 GLC in bit 14 of both; TH[0] from RDNA 4 on, bit 52 of all.
fn returning_bit(target: Target, words: &[u32]) -> bool {
    match target.major() {
        12 => words[1] >> 20 & 1 != 0,
        11 => words[0] >> 14 & 1 != 0,
        _ if words[0] >> 26 == 0b11_0111 => words[0] >> 16 & 1 != 0,
        _ => words[0] >> 14 & 1 != 0,
    }
}

// rule: write-backs and invalidations change no data; section Vega ISA 12.14, 12.6, RDNA 1 ISA 12.14, RDNA 4
// ISA 16.20.
// points: 3, 11
// claims: cache.ops
#[test]
fn cache_operations_change_no_data() {
    for &target in Target::ALL {
        let mut done = BTreeSet::new();
        let is_cache = |n: &str| {
            let starts = |p: &[&str]| p.iter().any(|p| n.starts_with(p));
            starts(&[
                "buffer_gl",
                "buffer_inv",
                "buffer_wb",
                "global_inv",
                "global_wb",
            ]) || starts(&["s_dcache", "s_gl1_inv"])
        };
        for def in rows()
            .iter()
            .filter(|d| d.has_target(target) && is_cache(d.mnemonic))
        {
            let lanes = target.default_wave_size();
            let mut b = Bench::new(target, lanes);
            for i in 0..16 {
                b.poke(4 * i, 0x100 + i as u32);
            }
            b.wave.set_s64(0, MEMORY);
            let before = b.wave.clone();
            let op = b.compile(&InstBits::new(def, target, lanes).finish());
            assert_eq!(b.run_op(&op), Step::Next, "{} on {target}", def.mnemonic);
            assert!((0..16).all(|i| b.peek(4 * i) == 0x100 + i as u32));
            assert_eq!(b.wave.sgpr, before.sgpr);
            assert!(b.wave.vgpr[..] == before.vgpr[..]);
            done.insert(def.mnemonic);
        }
        assert!(!done.is_empty(), "{target}");
    }
}

// rule: with PTR32 an address is one register of 32 bits, and apertures are 64 KiB; section Vega ISA 9.3,
// RDNA 3 ISA 6.9.
// points: 1
// claims: flat.9.3-1, flat.9.3-2, flat.9.3-3, flat.9.4-4, flat.9.5-5, set.ptr32
#[test]
fn ptr32_addresses_are_one_register() {
    for target in [
        Target::Gfx900,
        Target::Gfx908,
        Target::Gfx1030,
        Target::Gfx1100,
    ] {
        let mut b = Bench::new(target, target.default_wave_size());
        let bases = 0x2000_1000;
        b.env.apertures = Apertures::from_bases(bases, false);
        b.wave.ptr32 = true;
        b.wave.set_exec(0b11);
        b.poke(64, 5);
        b.poke_lds(64, 6);
        // The register behind the address has nothing to say.
        b.set(3, |_| 0xdead_beef);
        b.wave.set_lane(2, 0, MEMORY as u32 + 64);
        let low = Apertures::from_bases(bases, true);
        b.wave.set_lane(2, 1, low.shared_base() as u32 + 64);
        assert_eq!(low.shared_base() >> 32, 0);
        // flat_load_dword v8, v[2:3]
        let hex = match target.major() {
            9 => "000050dc02000008",
            10 => "000030dc02007d08",
            _ => "000050dc02007c08",
        };
        b.run_all(&[hex]);
        assert!(b.wave.faults.is_empty(), "{target}: {:?}", b.wave.faults);
        assert_eq!((b.get(8, 0), b.get(8, 1)), (5, 6), "{target}");
        // Another wave of the same machine has 64 bits in its copy of the mode: the same registers lead it
        // into the hole.
        b.wave.ptr32 = false;
        b.run_all(&[hex]);
        assert_eq!(b.wave.faults[0].fault.kind, FaultKind::Hole);
    }
}

// rule: M0 bounds LDS where the setting says so, for DS and flat instructions; section Vega ISA 9.6.
// points: 5
// claims: set.m0, flat.9.1-4, flat.9.6-5, flat.9.6-7
#[test]
fn both_readings_of_m0_bound_lds() {
    for (target, bounded) in [
        (Target::Gfx900, true),
        (Target::Gfx90a, true),
        (Target::Gfx1030, false),
        (Target::Gfx1100, false),
    ] {
        for setting in [false, true] {
            let lanes = target.default_wave_size();
            let mut b = Bench::new(target, lanes);
            b.port.rules.m0_bounds_lds = setting;
            b.wave.sgpr[sreg::M0] = 64;
            b.poke_lds(60, 1);
            b.poke_lds(64, 2);
            let outside = setting && bounded;
            let shared = b.env.apertures.shared_base();
            b.wave.set_exec(0b11);
            for (lane, at) in [60, 64].into_iter().enumerate() {
                b.wave.set_lane(2, lane, at);
                b.wave.set_lane(4, lane, at);
                b.wave.set_lane(5, lane, (shared >> 32) as u32);
            }
            // ds_read_b32 v8, v2; flat_load_dword v9, v[4:5]
            let code = match target.major() {
                9 => ["00006cd802000008", "000050dc04000009"],
                10 => ["0000d8d802000008", "000030dc04007d09"],
                _ => ["0000d8d802000008", "000050dc04007c09"],
            };
            b.run_all(&code);
            for v in [8, 9] {
                let second = if outside { 0 } else { 2 };
                assert_eq!(
                    (b.get(v, 0), b.get(v, 1)),
                    (1, second),
                    "{target} {setting}"
                );
            }
            assert_eq!(b.wave.faults.len(), if outside { 2 } else { 0 });
            // A whole wave, which has a way of its own.
            b.wave.set_exec(b.wave.full_mask());
            b.set(2, |l| 4 * l as u32);
            b.wave.sgpr[sreg::M0] = 4;
            b.run_all(&code[..1]);
            assert_eq!(b.get(8, 16), if outside { 0 } else { 2 });
        }
    }
}

// rule: a destination past the registers acts as EXEC zero, a source past them is VGPR 0; section Vega ISA 3.6.3,
// RDNA 1 ISA 3.6.3, RDNA 3 ISA 3.3.2, RDNA 4 ISA 3.3.2.
// points: 7
#[test]
fn registers_past_the_allocation_are_no_destination_and_vgpr_0_as_a_source() {
    for (target, last, load, store) in [
        // global_load_dwordx2 v[63:64], v[2:3], off (of gfx900, which has 64 more here, v[127:128]); global_store_dword v[2:3], v200, off
        (Target::Gfx900, 127, "008054dc02007f7f", "008070dc02c87f00"),
        (Target::Gfx1030, 63, "008034dc02007d3f", "008070dc02c87d00"),
        (Target::Gfx1100, 63, "000056dc02007c3f", "00006adc02c87c00"),
        (
            Target::Gfx1200,
            63,
            "7c4005ee3f00000002000000",
            "7c8006ee0000006402000000",
        ),
    ] {
        let mut b = Bench::new(target, target.default_wave_size());
        b.wave.set_exec(1);
        b.set_address(2, |_| 64);
        b.set(last, |_| 9);
        b.set(0, |_| 41);
        b.run_all(&[load]);
        // Not even the register that is there; the access is not made at all.
        assert_eq!(b.get(last, 0), 9, "{target}");
        assert_eq!(b.stats.read.global, 0, "{target}");
        b.run_all(&[store]);
        assert_eq!(b.peek(64), 41, "{target}");
    }
}

// rule: flat instructions are the buffer instructions without formats; section Vega ISA 9.2.
// points: 3
// claims: flat.9.2-1
#[test]
fn every_flat_operation_is_a_buffer_operation_without_format() {
    let names = |prefix: &str| -> BTreeSet<&str> {
        rows()
            .iter()
            .filter(|d| d.has_target(Target::Gfx900))
            .filter_map(|d| d.mnemonic.strip_prefix(prefix))
            .collect()
    };
    let (flat, buffer) = (names("flat_"), names("buffer_"));
    assert!(flat.is_subset(&buffer));
    let only_buffer: Vec<&&str> = buffer
        .difference(&flat)
        .filter(|n| !n.contains("format"))
        .collect();
    assert_eq!(
        only_buffer,
        [&"store_lds_dword", &"wbinvl1", &"wbinvl1_vol"]
    );
}

// rule: FLAT_SCRATCH is the sum of the base and the wave's offset, which the shader forms; section Vega ISA 9.8.
// points: 4
// claims: flat.9.8-3, flat.9.8-4, flat.9.8-5, flat.9.8-6, flat.9.5-3, flat.9.2-3, flat.9.3-5, flat.9.8-2
#[test]
fn flat_scratch_is_a_base_and_the_waves_offset() {
    let mut b = Bench::new(Target::Gfx900, 64);
    b.wave.scratch_size = 16;
    b.wave.set_s64(20, MEMORY + 0x800);
    b.wave.sgpr[22] = 0x800;
    // s_add_u32 flat_scratch_lo, s20, s22; s_addc_u32 flat_scratch_hi, s21, 0
    b.run_all(&["14166680", "15806782"]);
    // Byte 4 of lane 5: 4 bytes of each of 64 lanes come before it.
    b.poke(0x1000 + 256 + 20, 7);
    b.wave.set_exec(1 << 5);
    b.set(2, |_| 4);
    // scratch_load_dword v8, v2, off; flat_load_dword v9, v[4:5] at the private aperture
    let private = b.env.apertures.private_base() + 4;
    b.set(4, |_| private as u32);
    b.set(5, |_| (private >> 32) as u32);
    b.run_all(&["004050dc02007f08", "000050dc04000009"]);
    assert_eq!((b.get(8, 5), b.get(9, 5)), (7, 7));
    // Another wave's FLAT_SCRATCH sends the same request elsewhere.
    b.wave.set_s64(sreg::FLAT_SCRATCH_LO, MEMORY + 0x1100);
    b.run_all(&["004050dc02007f08"]);
    assert_eq!(b.get(8, 5), 0);
}

// rule: the aperture test is not made for scratch: an offset is an offset; section Vega ISA 9.5.
// points: 4
// claims: flat.9.5-1, flat.9.5-8
#[test]
fn a_scratch_offset_like_an_lds_address_is_out_of_scratch_and_nothing_else() {
    for target in [Target::Gfx900, Target::Gfx1100] {
        let mut b = Bench::new(target, target.default_wave_size());
        b.wave.scratch_size = 16;
        b.wave.scratch_base = MEMORY;
        b.wave.set_exec(1);
        b.set(2, |_| 0x2000_0000);
        // scratch_load_dword v8, v2, off
        b.run_all(&[match target {
            Target::Gfx900 => "004050dc02007f08",
            _ => "000051dc0200fc08",
        }]);
        let fault = &b.wave.faults[0].fault;
        assert_eq!(
            (fault.space, fault.kind),
            (Space::Scratch, FaultKind::ScratchRange)
        );
        assert_eq!((b.stats.read.lds, b.get(8, 0)), (0, 0), "{target}");
    }
}
