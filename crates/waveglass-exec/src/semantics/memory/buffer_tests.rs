//! Descriptors of every generation under plain instructions. The bytes are LLVM's encodings; the
//! comment before each gives the instruction.

use crate::testing::{Bench, MEMORY};
use crate::wave::sreg;
use waveglass_isa::Target;
use waveglass_mem::Generation;
use waveglass_mem::buffer::DescriptorField;

// points: 9

/// A V# of the target's generation with these fields.
pub(super) fn words(target: Target, fields: &[(&str, u64)]) -> [u32; 4] {
    let generation = crate::dispatch::memory_generation(target);
    fields.iter().fold([0; 4], |words, (name, value)| {
        DescriptorField::all(generation)
            .iter()
            .find(|f| f.name == *name)
            .unwrap_or_else(|| panic!("{generation:?} has no {name}"))
            .set(words, *value)
    })
}

fn bench(target: Target, fields: &[(&str, u64)]) -> Bench {
    let mut b = Bench::new(target, if target.is_gfx9() { 64 } else { 32 });
    for i in 0..0x400 {
        b.poke(i * 4, 0xa000_0000 | i as u32);
    }
    let mut all = vec![("base", MEMORY)];
    match crate::dispatch::memory_generation(target) {
        Generation::Cdna5 => {}
        g if g.is_gfx9() => all.push(("data_format", 4)),
        _ => all.push(("format", 20)),
    }
    all.extend_from_slice(fields);
    b.wave.sgpr[8..12].copy_from_slice(&words(target, &all));
    b
}

/// `buffer_load_dword v4, v2, s[8:11], 0 offen`, with `null` for 0 from gfx11 on.
fn offen(target: Target) -> &'static str {
    match target.major() {
        9 => "001050e002040280",
        10 => "001030e002040280",
        11 => "000050e00204427c",
        _ => "7c0005c40410804002000000",
    }
}

// rule: SOFFSET is an SGPR, M0, an inline constant (before gfx12) or NULL (from RDNA 1 on); section Vega
// ISA 8.1.2, RDNA 4 ISA 9.1.
// points: 9
// claims: buf.u16-5
#[test]
fn soffset_may_be_a_register_m0_a_constant_or_null() {
    for (target, hex, want) in [
        // buffer_load_dword v4, v2, s[8:11], m0 offen; 16 offen; null offen
        (Target::Gfx900, "001050e00204027c", 0xa000_0002),
        (Target::Gfx900, "001050e002040290", 0xa000_0004),
        (Target::Gfx1100, "000050e00204427d", 0xa000_0002),
        (Target::Gfx1100, "000050e00204427c", 0xa000_0000),
        (Target::Gfx1200, "7d0005c40410804002000000", 0xa000_0002),
        (Target::Gfx1200, "7c0005c40410804002000000", 0xa000_0000),
        (Target::Gfx1250, "7c0005c40410804002000000", 0xa000_0000),
    ] {
        let generation = crate::dispatch::memory_generation(target);
        let mut fields = vec![("num_records", 64)];
        if !generation.is_gfx9() && generation != Generation::Cdna5 {
            fields.push(("oob_select", 3));
        }
        let mut b = bench(target, &fields);
        b.wave.sgpr[sreg::M0] = 8;
        b.run_all(&[hex]);
        assert_eq!(b.get(4, 0), want, "{target} {hex}");
    }
}

// rule: raw buffers end at NUM_RECORDS bytes; section Vega ISA 8.1.5, RDNA 1 ISA table 35, RDNA 3 ISA 9.4.1
// table 46, RDNA 4 ISA 9.4.1, CDNA 5 ISA 9.4.1 table 56.
#[test]
fn a_raw_buffer_of_every_target_ends_at_its_last_byte() {
    for &target in Target::ALL {
        let mut fields = vec![("num_records", 18)];
        let generation = crate::dispatch::memory_generation(target);
        if !generation.is_gfx9() && generation != Generation::Cdna5 {
            fields.push(("oob_select", 3));
        }
        let mut b = bench(target, &fields);
        b.set(2, |l| 4 * l as u32);
        b.run_all(&[offen(target)]);
        let got = [2, 3, 4, 5].map(|l| b.get(4, l));
        // Offset 16: gfx9 compares where a dword starts, the others where it ends.
        let last = if generation.is_gfx9() { 0xa000_0004 } else { 0 };
        assert_eq!(got, [0xa000_0002, 0xa000_0003, last, 0], "{target}");
        assert!(b.wave.faults.is_empty());
    }
}

// rule: null and mistyped descriptors; section RDNA 3 ISA 9.6, Vega ISA 8.1.8.
#[test]
fn null_descriptors_read_zero_and_others_types_are_ignored() {
    for &target in Target::ALL {
        let mut b = bench(target, &[]);
        b.wave.sgpr[8..12].fill(0);
        b.set(4, |_| 7);
        b.run_all(&[offen(target)]);
        assert_eq!(b.get(4, 0), 0, "{target}");
        let mut b = bench(target, &[("num_records", 64), ("type", 2)]);
        b.set(4, |_| 7);
        b.run_all(&[offen(target)]);
        assert_eq!(b.get(4, 0), 7, "{target}");
        assert!(b.wave.faults.is_empty());
    }
}

// rule: with IDXEN and OFFEN the index comes first; OOB_SELECT 0 checks index and record; section RDNA 4
// ISA 9.4.1, Vega ISA 8.1.3 table 27.
#[test]
fn structured_loads_check_index_and_record() {
    for (target, hex, dwords) in [
        // buffer_load_dword v4, v[2:3], s[8:11], s1 idxen offen
        (Target::Gfx900, "003050e002040201", 1),
        // buffer_load_b64 v[4:5], v[2:3], s[8:11], s1 idxen offen
        (Target::Gfx1200, "014005c4041080c002000000", 2),
    ] {
        let mut b = bench(target, &[("num_records", 3), ("stride", 16)]);
        b.wave.sgpr[1] = 32;
        b.set(2, |l| l as u32);
        b.set(3, |_| 12);
        b.run_all(&[hex]);
        // Record 2: 32 + 32 + 12 = 76.
        let got = [0, 2, 3].map(|l| b.get(4, l));
        assert_eq!(got, [0xa000_000b, 0xa000_0013, 0], "{target}");
        if dwords == 2 {
            // The second dword is past the record of 16 bytes.
            assert_eq!(b.get(5, 2), 0);
        }
    }
}

// rule: CDNA 5 adds up bytes, SOFFSET included, in 45 bits; stride scale; section CDNA 5 ISA 9.4.
#[test]
fn cdna5_descriptors_have_wide_fields_and_a_stride_scale() {
    // buffer_load_b64 v[4:5], v[2:3], s[8:11], s1 idxen offen
    let hex = "014005c4041080c002000000";
    let fields = [("num_records", 200), ("stride", 16), ("stride_scale", 1)];
    let mut b = bench(Target::Gfx1250, &fields);
    b.wave.sgpr[1] = 4;
    b.set(2, |l| l as u32);
    b.set(3, |_| 60);
    b.run_all(&[hex]);
    // Lane 2: 2 * 64 + 60 + 4 = 192, 8 bytes to the end; the next lane is past it.
    assert_eq!(
        [b.get(4, 2), b.get(5, 2), b.get(4, 3)],
        [0xa000_0030, 0xa000_0031, 0]
    );
    // OOB_SELECT 1: 60 + 4 + 4 is past the record of 64 bytes.
    let checked = [&fields[..], &[("oob_select", 1)]].concat();
    let mut b = bench(Target::Gfx1250, &checked);
    b.wave.sgpr[1] = 0;
    b.set(2, |_| 1);
    b.set(3, |l| 56 + 4 * l as u32);
    b.run_all(&[hex]);
    assert_eq!([b.get(4, 0), b.get(5, 0)], [0xa000_001e, 0xa000_001f]);
    assert_eq!([b.get(4, 1), b.get(5, 1)], [0xa000_001f, 0]);
    // A base of 57 bits reaches a mapping at 2^48, more records than 32 bits count.
    let high = 1u64 << 48;
    let mut b = bench(Target::Gfx1250, &[("num_records", 1 << 33)]);
    let mapped = b.memory.map_bytes(
        high,
        &[1, 2, 3, 4, 5, 6, 7, 8],
        waveglass_mem::Permission::ReadOnly,
        "far",
    );
    assert!(mapped.is_ok());
    let v = words(Target::Gfx1250, &[("base", high), ("num_records", 1 << 33)]);
    b.wave.sgpr[8..12].copy_from_slice(&v);
    b.wave.sgpr[1] = 0;
    b.wave.set_exec(1);
    b.run_all(&[hex]);
    assert_eq!([b.get(4, 0), b.get(5, 0)], [0x0403_0201, 0x0807_0605]);
}

// rule: BUFFER_OOB is set when an address is out of range, stays, and does not trap; section RDNA 1 ISA 3.10.1,
// RDNA 3 ISA 3.4.9, RDNA 4 ISA 3.4.10, CDNA 5 ISA 3.4.10.
// points: 6, 9
#[test]
fn an_access_out_of_range_leaves_its_mark() {
    // buffer_load_dword, buffer_store_dword, buffer_atomic_add, buffer_load_format_x, buffer_store_format_x
    // v4, v2, s[8:11], 0 offen
    let older = [
        "001030e002040280",
        "001070e002040280",
        "0010c8e002040280",
        "001000e002040280",
        "001010e002040280",
    ];
    let gfx9 = [
        "001050e002040280",
        "001070e002040280",
        "001008e102040280",
        "001000e002040280",
        "001010e002040280",
    ];
    let gfx11 = [
        "000050e002044280",
        "000068e002044280",
        "0000d4e002044280",
        "000000e002044280",
        "000010e002044280",
    ];
    // With null for 0; gfx1250 has no formats.
    let gfx12 = [
        "7c0005c40410804002000000",
        "7c8006c40410804002000000",
        "7c400dc40410804002000000",
        "7c0000c40410804002000000",
        "7c0001c40410804002000000",
    ];
    for (target, code) in [
        (Target::Gfx900, &gfx9[..]),
        (Target::Gfx1010, &older),
        (Target::Gfx1030, &older),
        (Target::Gfx1100, &gfx11),
        (Target::Gfx1150, &gfx11),
        (Target::Gfx1200, &gfx12),
        (Target::Gfx1250, &gfx12[..3]),
    ] {
        for hex in code {
            let rdna = !target.is_gfx9() && target != Target::Gfx1250;
            let select = [("num_records", 16), ("oob_select", 3)];
            let mut b = bench(target, &select[..1 + rdna as usize]);
            b.wave.set_exec(0b11);
            let state = |b: &Bench| (b.wave.trapsts, b.wave.excp_flag_user);
            b.set(2, |lane| 4 * lane as u32);
            b.run_all(&[hex]);
            assert_eq!(state(&b), (0, 0), "{target} {hex}");
            b.set(2, |lane| 12 + 4 * lane as u32);
            b.run_all(&[hex]);
            let want = match target.major() {
                9 => (0, 0),
                12 => (0, 1 << 30),
                _ => (1 << 15, 0),
            };
            assert_eq!(state(&b), want, "{target} {hex}");
            b.set(2, |_| 0);
            b.run_all(&[hex]);
            assert_eq!(state(&b), want, "{target} {hex}");
            assert!(b.wave.faults.is_empty());
        }
    }
    // buffer_load_dword v2, s[8:11], 0 offen lds
    let mut b = bench(Target::Gfx1030, &[("num_records", 16), ("oob_select", 3)]);
    b.set(2, |_| 12);
    b.run_all(&["001031e002000280"]);
    assert_eq!(b.wave.trapsts, 0);
    b.set(2, |_| 16);
    b.run_all(&["001031e002000280"]);
    assert_eq!(b.wave.trapsts, 1 << 15);
}
