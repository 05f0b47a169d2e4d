//! The bytes are LLVM's encodings; the comment before each gives the instruction.

use crate::testing::{Bench, MEMORY};
use waveglass_isa::Target;
use waveglass_mem::{FaultKind, Space};

// points: 11

fn bench(target: Target) -> Bench {
    let mut b = Bench::new(target, if target.is_gfx9() { 64 } else { 32 });
    for i in 0..0x400 {
        b.poke(i * 4, 0xa0b0_c000 | i as u32);
    }
    b.wave.set_s64(2, MEMORY);
    b
}

/// Puts a V# into s[4:7]: base, stride, records.
fn describe(b: &mut Bench, base: u64, stride: u32, records: u32) {
    b.wave.sgpr[4..8].copy_from_slice(&[base as u32, stride << 16, records, 4 << 15 | 20 << 12]);
}

// rule: out-of-range dwords read zero, the others as usual; section Vega ISA 7.2.1, RDNA 3 ISA 8.4.1.
#[test]
fn buffer_loads_are_cut_at_the_records_bytes_dword_by_dword() {
    for (target, hex) in [
        // s_buffer_load_dwordx4 s[12:15], s[4:7], 0x8; s_buffer_load_b128
        (Target::Gfx900, "02032ac008000000"),
        (Target::Gfx90a, "02032ac008000000"),
        (Target::Gfx950, "02032ac008000000"),
        (Target::Gfx1100, "020328f4080000f8"),
    ] {
        let mut b = bench(target);
        // Two records of 8 bytes: 16 bytes, of which 8 lie after offset 8.
        describe(&mut b, MEMORY, 8, 2);
        b.run_all(&[hex]);
        assert_eq!(
            b.wave.sgpr[12..16],
            [0xa0b0_c002, 0xa0b0_c003, 0, 0],
            "{target}"
        );
        // Without a stride NUM_RECORDS counts bytes; the two low bits of the base are ignored.
        describe(&mut b, MEMORY + 3, 0, 20);
        b.run_all(&[hex]);
        assert_eq!(
            b.wave.sgpr[12..16],
            [0xa0b0_c002, 0xa0b0_c003, 0xa0b0_c004, 0]
        );
        describe(&mut b, MEMORY, 0, 8);
        b.run_all(&[hex]);
        assert_eq!(b.wave.sgpr[12..16], [0; 4]);
        assert!(b.wave.faults.is_empty());
    }
    // CDNA 5 counts bytes whatever the stride (ISA 8.4.1): 12 bytes leave one dword after 8.
    let mut b = bench(Target::Gfx1250);
    let words = [MEMORY as u32, 12 << 25, 0, 8 << 12];
    b.wave.sgpr[4..8].copy_from_slice(&words);
    // s_buffer_load_b64 s[12:13], s[4:7], 0x8
    b.run_all(&["022302f4080000f8"]);
    assert_eq!(b.wave.sgpr[12..14], [0xa0b0_c002, 0]);
}

// rule: a negative immediate of S_BUFFER is MEMVIOL; section RDNA 3 ISA 8.1.2, RDNA 3.5 ISA 8.1.2.
#[test]
fn a_negative_immediate_of_a_buffer_load_is_a_violation() {
    // s_buffer_load_b32 s12, s[4:7], -0x4, which LLVM does not assemble.
    for (target, hex) in [
        (Target::Gfx1100, "020320f4fcff1ff8"),
        (Target::Gfx1150, "020320f4fcff1ff8"),
    ] {
        let mut b = bench(target);
        describe(&mut b, MEMORY + 16, 0, 64);
        b.wave.sgpr[12] = 5;
        b.run_all(&[hex]);
        assert_eq!(b.wave.sgpr[12], 0);
        let fault = &b.wave.faults[0].fault;
        assert_eq!(
            (fault.kind, fault.space),
            (FaultKind::NegativeOffset, Space::Scalar),
            "{target}"
        );
    }
    // s_load_dword s12, s[2:3], -0x4
    let mut b = bench(Target::Gfx900);
    b.wave.set_s64(2, MEMORY + 8);
    b.run_all(&["010302c0fcff1f00"]);
    assert_eq!(b.wave.sgpr[12], 0xa0b0_c001);
}

// rule: sub-dword loads; section RDNA 4 ISA 8.1, CDNA 5 ISA 8.1.
#[test]
fn sub_dword_loads_extend_and_align() {
    let mut b = bench(Target::Gfx1200);
    describe(&mut b, MEMORY, 0, 6);
    // s_buffer_load_u8 s12, s[4:7], 0x3
    b.run_all(&["022303f4030000f8"]);
    assert_eq!(b.wave.sgpr[12], 0xa0);
    // s_buffer_load_i16 s12, s[4:7], 0x5: from byte 4.
    b.run_all(&["024303f4050000f8"]);
    assert_eq!(b.wave.sgpr[12], 0xffff_c001);
    describe(&mut b, MEMORY, 0, 5);
    b.run_all(&["024303f4050000f8"]);
    assert_eq!(b.wave.sgpr[12], 0, "offset 5 is not in 5 bytes");
    // s_load_i8 s12, s[2:3], 0x3; s_load_u16 s12, s[2:3], 0x3, whose base is aligned down.
    b.wave.set_s64(2, MEMORY + 1);
    b.run_all(&["010301f4030000f8"]);
    assert_eq!(b.wave.sgpr[12], 1);
    b.run_all(&["016301f4030000f8"]);
    assert_eq!(b.wave.sgpr[12], 0xa0b0);
    // s_buffer_load_b96 s[12:14], s[4:7], 0x4
    describe(&mut b, MEMORY, 0, 12);
    b.wave.sgpr[15] = 9;
    b.run_all(&["02a302f4040000f8"]);
    assert_eq!(b.wave.sgpr[12..16], [0xa0b0_c001, 0xa0b0_c002, 0, 9]);
    // s_buffer_prefetch_data s[4:7], 0x0, s20, 0
    b.run_all(&["02e004f400000028"]);
}

// rule: from gfx12 on the low bits of base, IOFFSET and SOFFSET are ignored each by itself: two, one for 16 bits, none
// for bytes; before, those of the sum; section RDNA 4 ISA 8.1.1, 8.1.2, CDNA 5 ISA 8.1.1, 8.1.2; RDNA 3 ISA 8.1.1.
#[test]
fn components_of_a_scalar_address_are_aligned_one_by_one() {
    // Base, s20 and offset are each 3 past a multiple of four.
    let read = |target, hex: &str| {
        let mut b = bench(target);
        b.wave.set_s64(2, MEMORY + 3);
        match target {
            // base in bits 56:0, NUM_RECORDS from bit 57 on.
            Target::Gfx1250 => {
                let words = [MEMORY as u32 + 3, 64 << 25, 0, 0];
                b.wave.sgpr[4..8].copy_from_slice(&words);
            }
            _ => describe(&mut b, MEMORY + 3, 0, 64),
        }
        b.wave.sgpr[20] = 3;
        b.run_all(&[hex]);
        b.wave.sgpr[12]
    };
    for target in [Target::Gfx1200, Target::Gfx1250] {
        // s_load_b32 s12, s[2:3], s20 offset:0x3; s_load_u16; s_load_u8
        assert_eq!(read(target, "010300f403000028"), 0xa0b0_c000, "{target}");
        assert_eq!(
            read(target, "016301f403000028"),
            0xa0b0,
            "{target}: bytes 6 and 7"
        );
        assert_eq!(read(target, "012301f403000028"), 0xc0, "{target}: byte 9");
        // s_buffer_load_b32 s12, s[4:7], s20 offset:0x3; s_buffer_load_u8
        assert_eq!(read(target, "020302f403000028"), 0xa0b0_c000, "{target}");
        assert_eq!(read(target, "022303f403000028"), 0xc0, "{target}");
    }
    // s_load_b32 s12, s[2:3], s20 offset:0x3: 0x10009 with both bits dropped.
    let gfx11 = read(Target::Gfx1100, "010300f403000028");
    assert_eq!(gfx11, 0xa0b0_c002);
}

// rule: the bounds of a scalar buffer do not know STRIDE_SCALE; section RDNA 4 ISA 8.1.2.
#[test]
fn a_scalar_buffer_ignores_stride_scale() {
    for (records, want) in [(1, 0), (3, 0xa0b0_c002)] {
        let mut b = bench(Target::Gfx1200);
        // A stride of 4 bytes, and stride_scale 1, which multiplies it by four elsewhere.
        let words = [MEMORY as u32, 4 << 16, records, 1 << 18];
        b.wave.sgpr[4..8].copy_from_slice(&words);
        b.wave.sgpr[12] = 9;
        // s_buffer_load_b32 s12, s[4:7], 0x8
        b.run_all(&["020302f4080000f8"]);
        assert_eq!(b.wave.sgpr[12], want, "{records}");
    }
}

// rule: a base of null; CDNA 5's encoding names it (7-bit SBASE pairs); section no manual says: what a
// descriptor of NULL holds; read as a scalar source NULL is 0 (RDNA 3 ISA 3.4.4).
#[test]
fn a_null_descriptor_reads_zero() {
    let mut b = bench(Target::Gfx1250);
    b.wave.sgpr[47] = 5;
    // s_buffer_load_u16 s47, null, s51
    b.run_all(&["fe6b03f400000066"]);
    assert_eq!(b.wave.sgpr[47], 0);
    assert!(b.wave.faults.is_empty());
}

// rule: scalar stores and atomics; section Vega ISA 7.2.2, 12.6.
#[test]
fn scalar_stores_and_atomics_change_memory() {
    let mut b = bench(Target::Gfx900);
    b.wave.sgpr[12..16].copy_from_slice(&[1, 2, 0xa0b0_c004, 0xa0b0_c005]);
    // s_store_dwordx2 s[12:13], s[2:3], 0x10
    b.run_all(&["010346c010000000"]);
    assert_eq!([b.peek(16), b.peek(20), b.peek(24)], [1, 2, 0xa0b0_c006]);
    // s_buffer_store_dword s12, s[4:7], 0x4: in range, then not.
    describe(&mut b, MEMORY, 0, 8);
    b.run_all(&["020362c004000000"]);
    assert_eq!(b.peek(4), 1);
    describe(&mut b, MEMORY, 0, 4);
    b.wave.sgpr[12] = 7;
    b.run_all(&["020362c004000000"]);
    assert_eq!(b.peek(4), 1);
    // s_atomic_add s12, s[2:3], 0x8 glc returns the value before.
    b.run_all(&["01030bc208000000"]);
    assert_eq!([b.wave.sgpr[12], b.peek(8)], [0xa0b0_c002, 0xa0b0_c009]);
    // s_atomic_cmpswap_x2 s[12:15], s[2:3], 0x10 glc: data s[12:13], comparand s[14:15].
    b.poke(16, 0xa0b0_c004);
    b.poke(20, 0xa0b0_c005);
    b.wave.sgpr[12..14].copy_from_slice(&[11, 12]);
    b.run_all(&["010387c210000000"]);
    assert_eq!([b.peek(16), b.peek(20)], [11, 12]);
    assert_eq!(b.wave.sgpr[12..14], [0xa0b0_c004, 0xa0b0_c005]);
    // s_buffer_atomic_umax s12, s[4:7], 0x0
    describe(&mut b, MEMORY, 0, 8);
    b.wave.sgpr[12] = u32::MAX;
    b.run_all(&["02031ec100000000"]);
    assert_eq!([b.peek(0), b.wave.sgpr[12]], [u32::MAX, u32::MAX]);
    // s_scratch_load_dword s12, s[2:3], s20: units of 64 bytes.
    b.wave.sgpr[20] = 2;
    b.run_all(&["010314c014000000"]);
    assert_eq!(b.wave.sgpr[12], 0xa0b0_c020);
    // s_dcache_wb; s_atc_probe 3, s[2:3], 0x10; s_dcache_discard s[2:3], 0x40
    b.run_all(&["000084c000000000", "c1009ac010000000", "0100a2c040000000"]);
    assert_eq!(b.peek(0x40), 0xa0b0_c010);
    // RDNA 1: s_atomic_inc s12, s[2:3], 0x8 glc; s_buffer_store_dwordx4 s[12:15], s[4:7], 0x8
    let mut b = bench(Target::Gfx1010);
    b.wave.sgpr[12] = u32::MAX;
    b.run_all(&["01032df6080000fa"]);
    assert_eq!([b.wave.sgpr[12], b.peek(8)], [0xa0b0_c002, 0xa0b0_c003]);
    describe(&mut b, MEMORY, 0, 16);
    b.wave.sgpr[12..16].copy_from_slice(&[1, 2, 3, 4]);
    b.run_all(&["020368f4080000fa"]);
    assert_eq!([8, 12, 16].map(|a| b.peek(a)), [1, 2, 0xa0b0_c004]);
}

// rule: a scalar access that is in violation sets no MEM_VIOL on gfx9 and gfx10, and takes no trap; section Vega ISA
// 3.11, CDNA 3 ISA 3.11, RDNA 1 ISA 3.11, RDNA 2 ISA 3.11.
// points: 10
#[test]
fn violations_of_scalar_accesses_are_not_told_to_programs_of_gfx9_and_gfx10() {
    // s_load_dword s12, s[2:3], 0x0
    for (target, hex, trapsts) in [
        (Target::Gfx900, "010302c000000000", 0),
        (Target::Gfx90a, "010302c000000000", 0),
        (Target::Gfx942, "010302c000000000", 0),
        (Target::Gfx1010, "010300f4000000fa", 0),
        (Target::Gfx1030, "010300f4000000fa", 0),
        (Target::Gfx1100, "010300f4000000f8", 1 << 8),
        (Target::Gfx1200, "010300f4000000f8", 1 << 4),
    ] {
        let mut b = bench(target);
        b.wave.set_s64(2, 0x5000_0000);
        b.wave.sgpr[12] = 9;
        b.run_all(&[hex]);
        assert_eq!(b.wave.trapsts, trapsts, "{target}");
        // Whoever runs it learns of it all the same.
        assert_eq!(b.wave.fault_count, 1, "{target}");
        assert_eq!(b.wave.faults[0].fault.kind, FaultKind::Unmapped);
        assert_eq!(b.wave.faults[0].fault.space, Space::Scalar);
        assert_eq!(b.wave.sgpr[12], 0, "{target}");
    }
}
