//! The bytes are LLVM's encodings; the comment before each gives the instruction.

use crate::error::Stop;
use crate::program::Step;
use crate::testing::{Bench, MEMORY};
use waveglass_isa::Target;

// points: 10

const IDENTITY: u32 = 4 | 5 << 3 | 6 << 6 | 7 << 9;
const ONE: u32 = 0x3f80_0000;

/// Puts a raw V# over the memory's first `bytes` into s[8:11], whose word 3 has these bits too.
fn describe(b: &mut Bench, bytes: u32, word3: u32) {
    let raw = if b.wave.target.is_gfx9() { 0 } else { 3 << 28 };
    b.wave.sgpr[8..12].copy_from_slice(&[MEMORY as u32, 0, bytes, raw | word3]);
}

fn bench(target: Target, word3: u32) -> Bench {
    let lanes = if target.is_gfx9() { 64 } else { 32 };
    let mut b = Bench::new(target, lanes);
    describe(&mut b, 0x1000, word3);
    b
}

// rule: BUFFER_LOAD_FORMAT takes format and selects from the resource; section Vega ISA 8.1.4 table 28,
// RDNA 3 ISA 9.3 table 42.
// points: 9, 10
// claims: buf.fmt-5
#[test]
fn format_loads_convert_by_the_descriptor_on_every_generation() {
    // buffer_load_format_xyzw v[4:7], v2, s[8:11], s1 offen offset:4
    let early = "04100ce002040201";
    let word3 = |format: u32| (IDENTITY & !(7 << 9) | 1 << 9) | format << 12;
    // 8_8_8_8_UNORM: DFMT 10 and NFMT 0; 56; 42.
    for (target, hex, format) in [
        (Target::Gfx900, early, 10 << 3),
        (Target::Gfx906, early, 10 << 3),
        (Target::Gfx908, early, 10 << 3),
        (Target::Gfx90a, early, 10 << 3),
        (Target::Gfx942, early, 10 << 3),
        (Target::Gfx950, early, 10 << 3),
        (Target::Gfx1010, early, 56),
        (Target::Gfx1030, early, 56),
        (Target::Gfx1100, "04000ce002044201", 42),
        (Target::Gfx1150, "04000ce002044201", 42),
        (Target::Gfx1200, "01c000c40410804002040000", 42),
    ] {
        let mut b = bench(target, word3(format));
        b.wave.sgpr[1] = 16;
        b.poke(16 + 4 + 8, 0x80ff_3300);
        b.set(2, |l| if l == 0 { 8 } else { 0x1000 });
        b.run_all(&[hex]);
        let got = [4, 5, 6, 7].map(|v| b.get(v, 0));
        assert_eq!(got, [0, 0.2f32.to_bits(), ONE, ONE], "{target}");
        // Out of range: zero, and one where the select says so.
        assert_eq!(
            [4, 5, 6, 7].map(|v| b.get(v, 1)),
            [0, 0, 0, ONE],
            "{target}"
        );
        assert!(b.wave.faults.is_empty());
    }
}

// rule: TBUFFER takes the instruction's format and no selects; section Vega ISA 8.1.4 table 28.
// points: 10
// claims: buf.fmt-5
#[test]
fn typed_loads_and_stores_convert_by_the_instruction() {
    let mut b = bench(Target::Gfx900, 4 << 15);
    b.poke(4, 0x8003_02ff);
    b.set(2, |_| 4);
    b.set(7, |_| 9);
    // tbuffer_load_format_xyz v[4:6], v2, s[8:11], 0 format:[8_8_8_8,UINT] offen
    b.run_all(&["001051ea02040280"]);
    assert_eq!([4, 5, 6, 7].map(|v| b.get(v, 63)), [255, 2, 3, 9]);
    // tbuffer_store_format_x v4, v2, s[8:11], 0 format:[16,FLOAT] offen: 65535.9 becomes 65504.
    b.set(4, |_| 65535.9f32.to_bits());
    b.run_all(&["001092eb02040280"]);
    assert_eq!(b.peek(4), 0x8003_7bff);
    // tbuffer_load_format_x v4, v2, s[8:11], 0 format:[2_10_10_10,SNORM] offen
    let mut b = bench(Target::Gfx942, 4 << 15);
    b.poke(4, 0x200);
    b.set(2, |_| 4);
    b.run_all(&["0010c8e802040280"]);
    assert_eq!(f32::from_bits(b.get(4, 0)), -1.0);
    // tbuffer_load_format_xyzw v[4:7], v2, s[8:11], 0 format:[10_11_11_FLOAT] offen
    let mut b = bench(Target::Gfx1030, 20 << 12);
    b.poke(4, 0x3c0 | 0x380 << 11 | 0x200 << 22);
    b.set(2, |_| 4);
    b.run_all(&["001023e902040280"]);
    assert_eq!(
        [4, 5, 6, 7].map(|v| f32::from_bits(b.get(v, 0))),
        [1.0, 0.5, 2.0, 0.0]
    );
    // tbuffer_load_format_xyz v[4:6], v2, s[8:11], 0 format:[10_11_11_UNORM] offen
    let mut b = bench(Target::Gfx1010, 20 << 12);
    b.poke(4, 0x7ff);
    b.set(2, |_| 4);
    b.run_all(&["0010f2e802040280"]);
    assert_eq!([4, 5, 6].map(|v| b.get(v, 0)), [ONE, 0, 0]);
    // tbuffer_load_format_x v4, v2, s[8:11], null format:[16_USCALED] offen; and the store
    let mut b = bench(Target::Gfx1200, 20 << 12);
    b.poke(4, 0x1234);
    b.set(2, |_| 4);
    b.run_all(&["7c0020c40410804402000000"]);
    assert_eq!(f32::from_bits(b.get(4, 0)), 4660.0);
    b.set(4, |_| 99.9f32.to_bits());
    b.run_all(&["7c0021c40410804402000000"]);
    assert_eq!(b.peek(4), 99);
    // tbuffer_store_format_xyzw v[4:7], v2, s[8:11], 0 format:[16_16_16_16_SNORM] offen
    let mut b = bench(Target::Gfx1100, 20 << 12);
    b.set(2, |_| 8);
    for (v, value) in [(4, 1.0f32), (5, -1.0), (6, 0.5), (7, f32::NAN)] {
        b.set(v, |_| value.to_bits());
    }
    b.run_all(&["0080a3e902044280"]);
    assert_eq!([b.peek(8), b.peek(12)], [0x8001_7fff, 0x4000]);
}

// rule: D16 packs two components a register, LSBs first; D16_HI is the upper half; section RDNA 3 ISA
// 9.3.1, Vega ISA 8.1.6.
#[test]
fn d16_forms_pack_two_components_a_register() {
    // 16_16_16_16_FLOAT
    let mut b = bench(Target::Gfx900, IDENTITY | 7 << 12 | 12 << 15);
    b.poke(8, 0x3c00_4000);
    b.poke(12, 0x4200_7e00);
    b.set(2, |_| 8);
    b.set(4, |_| 0x1111_2222);
    b.set(5, |_| 0x3333_4444);
    // buffer_load_format_d16_xyz v[4:5], v2, s[8:11], 0 offen
    b.run_all(&["001028e002040280"]);
    assert_eq!([b.get(4, 7), b.get(5, 7)], [0x3c00_4000, 0x3333_7e00]);
    // buffer_load_format_d16_hi_x v4, v2, s[8:11], 0 offen
    b.run_all(&["001098e002040280"]);
    assert_eq!(b.get(4, 7), 0x4000_4000);
    // buffer_store_format_d16_xyzw v[4:5], v2, s[8:11], 0 offen
    b.set(4, |_| 0xaaaa_bbbb);
    b.run_all(&["00103ce002040280"]);
    assert_eq!([b.peek(8), b.peek(12)], [0xaaaa_bbbb, 0x3333_7e00]);
    // buffer_store_format_d16_hi_x v4, v2, s[8:11], 0 offen: the others become zero.
    b.run_all(&["00109ce002040280"]);
    assert_eq!([b.peek(8), b.peek(12)], [0xaaaa, 0]);
    // tbuffer_load_d16_format_xy v4, v2, s[8:11], 0 format:[8_8_8_8_UNORM] offen
    let mut b = bench(Target::Gfx1100, 20 << 12);
    b.poke(8, 0x0000_33ff);
    b.set(2, |_| 8);
    b.run_all(&["008054e902044280"]);
    assert_eq!(b.get(4, 0), 0x3266_3c00);
    // buffer_load_d16_hi_format_x v4, v2, s[8:11], 0 offen with 32_FLOAT: truncated.
    let mut b = bench(Target::Gfx1100, IDENTITY | 22 << 12);
    b.poke(8, 0x3f80_3fff);
    b.set(2, |_| 8);
    b.set(4, |_| 0x1111_2222);
    b.run_all(&["000098e002044280"]);
    assert_eq!(b.get(4, 0), 0x3c01_2222);
}

// rule: a format without a meaning is refused by name, INVALID is an unbound resource; section RDNA 3
// ISA 9.6, 10.7.
#[test]
fn reserved_formats_are_refused_and_invalid_ones_read_zero() {
    let refused =
        |step| matches!(step, Step::Stop(Stop::Refused { why, .. }) if why.contains("format"));
    // tbuffer_load_format_x v4, v2, s[8:11], 0 format:64 offen
    let mut b = bench(Target::Gfx1100, 20 << 12);
    assert!(refused(b.run("000000ea02044280")));
    // tbuffer_load_format_x v4, v2, s[8:11], 0 format:[10_11_11_UNORM] offen: RDNA 1 has it, RDNA 2 not.
    let mut b = bench(Target::Gfx1030, 20 << 12);
    assert!(refused(b.run("0010f0e802040280")));
    // buffer_load_format_xyzw v[4:7], v2, s[8:11], s1 offen offset:4, NUM_FORMAT 6
    let mut b = bench(Target::Gfx900, IDENTITY | 6 << 12 | 4 << 15);
    assert!(refused(b.run("04100ce002040201")));
    let mut b = bench(Target::Gfx900, IDENTITY);
    b.poke(4, 77);
    b.set(4, |_| 5);
    b.run_all(&["04100ce002040201"]);
    assert_eq!(b.get(4, 0), 0);
    // Another resource type: ignored.
    let mut b = bench(Target::Gfx900, IDENTITY | 4 << 15 | 2 << 30);
    b.set(4, |_| 5);
    b.run_all(&["04100ce002040201"]);
    assert_eq!(b.get(4, 0), 5);
}

// rule: structured format stores; section Vega ISA 8.1.5.
#[test]
fn indexed_format_stores_step_by_the_stride() {
    let mut b = bench(Target::Gfx900, IDENTITY | 4 << 12 | 5 << 15);
    b.wave.sgpr[9] = 12 << 16;
    b.wave.sgpr[10] = 63;
    b.set(2, |l| l as u32);
    b.set(4, |l| l as u32);
    b.set(5, |_| 0x1_0000);
    // buffer_store_format_xy v[4:5], v2, s[8:11], 0 idxen, 16_16_UINT: clamped to 0xffff.
    b.run_all(&["002014e002040280"]);
    assert_eq!(
        [b.peek(0), b.peek(12), b.peek(16)],
        [0xffff_0000, 0xffff_0001, 0]
    );
    assert_eq!([b.peek(62 * 12), b.peek(63 * 12)], [0xffff_003e, 0]);
}

// rule: TFE writes a status only where a fetch met a page that is not resident; section RDNA 3 ISA 9.1.
#[test]
fn tfe_leaves_its_register_where_everything_is_resident() {
    let mut b = bench(Target::Gfx900, 4 << 15);
    b.poke(0, 77);
    b.set(5, |_| 0x5555);
    // buffer_load_dword v[4:5], v2, s[8:11], 0 offen tfe
    b.run_all(&["001050e002048280"]);
    assert_eq!([b.get(4, 0), b.get(5, 0)], [77, 0x5555]);
}
