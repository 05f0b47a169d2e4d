//! The bytes are LLVM's encodings; the comment before each gives the instruction.

use crate::testing::{Bench, MEMORY};
use crate::wave::sreg;
use waveglass_isa::Target;

// points: 2, 9, 12

fn bench(target: Target) -> Bench {
    let lanes = if target.is_gfx9() { 64 } else { 32 };
    let mut b = Bench::new(target, lanes);
    for i in 0..0x400 {
        b.poke(i * 4, 0xa000_0000 | i as u32);
    }
    let word3 = if target.is_gfx9() {
        4 << 15
    } else {
        3 << 28 | 20 << 12
    };
    b.wave.sgpr[8..12].copy_from_slice(&[MEMORY as u32, 0, 0x1000, word3]);
    b
}

// rule: LDS address of a buffer load to LDS; section Vega ISA 8.1.9, RDNA 1 ISA 8.1.9.
#[test]
fn a_buffer_load_to_lds_writes_a_dword_a_lane_after_m0() {
    // buffer_load_dword v2, s[8:11], s1 offen offset:8 lds
    for (target, hex) in [
        (Target::Gfx900, "081051e002000201"),
        (Target::Gfx908, "081051e002000201"),
        (Target::Gfx90a, "081051e002000201"),
        (Target::Gfx942, "081051e002000201"),
        (Target::Gfx950, "081051e002000201"),
        (Target::Gfx1010, "081031e002000201"),
        (Target::Gfx1030, "081031e002000201"),
    ] {
        let mut b = bench(target);
        b.wave.sgpr[1] = 0x20;
        b.wave.sgpr[sreg::M0] = 0x100;
        b.set(2, |l| 4 * (31 - (l as u32 & 31)));
        b.wave.set_exec(0b1011);
        b.run_all(&[hex]);
        // Lane 0: memory 0x20 + 8 + 124; LDS 0x100 + 8.
        assert_eq!(
            b.peek_lds(0x108),
            0xa000_0000 | ((0x28 + 124) / 4),
            "{target}"
        );
        assert_eq!(b.peek_lds(0x10c), 0xa000_0000 | ((0x28 + 120) / 4));
        assert_eq!(b.peek_lds(0x110), 0);
        assert_eq!(b.peek_lds(0x114), 0xa000_0000 | ((0x28 + 112) / 4));
    }
}

// rule: bits of M0; section Vega ISA 8.1.9 (15:0), CDNA 4 ISA 9.1.9 (17:0).
#[test]
fn m0_gives_16_bits_or_18_on_cdna4() {
    for (target, want) in [(Target::Gfx900, 0xa000_0002), (Target::Gfx950, 0)] {
        let mut b = bench(target);
        b.wave.sgpr[1] = 0;
        b.wave.sgpr[sreg::M0] = 0x1_0100;
        b.wave.set_exec(1);
        b.run_all(&["081051e002000201"]);
        assert_eq!(b.peek_lds(0x108), want);
        assert!(
            b.wave.faults.is_empty(),
            "an LDS address out of range is no violation"
        );
    }
}

// rule: sub-dword loads and format_x into LDS; section Vega ISA 8.1.9.
#[test]
fn bytes_and_converted_values_take_a_dword_each() {
    let mut b = bench(Target::Gfx900);
    b.set(2, |l| l as u32);
    // buffer_load_ubyte v2, s[8:11], 0 offen lds
    b.run_all(&["001041e002000280"]);
    assert_eq!([0, 4, 12, 16].map(|a| b.peek_lds(a)), [0, 0, 0xa0, 1]);
    // buffer_load_format_x v2, s[8:11], 0 idxen lds, 8_UNORM with stride 3
    b.wave.sgpr[9] = 3 << 16;
    b.wave.sgpr[11] = 4 | 1 << 15;
    b.run_all(&["002001e002000280"]);
    // Lane 1 reads byte 3, which is 0xa0 = 160.
    assert_eq!(f32::from_bits(b.peek_lds(4)), 160.0 / 255.0);
}

// rule: lanes whose LDS address is out of range are masked; section Vega ISA 3.11, 8.1.9.
// points: 9, 12
#[test]
fn lanes_past_the_allocation_are_switched_off() {
    let mut b = bench(Target::Gfx900);
    b.wave.sgpr[1] = 0;
    b.wave.sgpr[sreg::M0] = 4096 - 16;
    b.set(2, |l| 4 * l as u32);
    // buffer_load_dword v2, s[8:11], s1 offen offset:8 lds
    b.run_all(&["081051e002000201"]);
    assert_eq!(
        [b.peek_lds(4088), b.peek_lds(4092)],
        [0xa000_0002, 0xa000_0003]
    );
    assert!(b.wave.faults.is_empty());
    assert_eq!(b.stats.written.lds, 8);
}

// rule: buffer bounds hold for loads to LDS; section Vega ISA 8.1.9 "Clamping Rules".
#[test]
fn memory_out_of_range_becomes_zero_in_lds() {
    let mut b = bench(Target::Gfx900);
    b.wave.sgpr[10] = 16;
    b.set(2, |l| 4 * l as u32);
    b.poke_lds(8, 5);
    b.run_all(&["081051e002000201"]);
    // offset 8 + 4 * lane < 16 for lanes 0 and 1.
    let got = [8, 12, 16].map(|a| b.peek_lds(a));
    assert_eq!(got, [0xa000_0002, 0xa000_0003, 0]);
}

// rule: three and four dwords take 16 bytes a lane; section CDNA 4 ISA 9.1.9, 10.3.
#[test]
fn wide_loads_on_cdna4_step_by_16_bytes() {
    let mut b = bench(Target::Gfx950);
    b.wave.set_exec(0b11);
    b.set(2, |l| 16 * l as u32);
    for a in 0..16 {
        b.poke_lds(4 * a, 1);
    }
    // buffer_load_dwordx3 v2, s[8:11], 0 offen lds
    b.run_all(&["001059e002000280"]);
    let lds = |b: &Bench| std::array::from_fn::<_, 8, _>(|i| b.peek_lds(4 * i) & 0xffff);
    assert_eq!(lds(&b), [0, 1, 2, 1, 4, 5, 6, 1]);
    // buffer_load_dwordx4 v2, s[8:11], 0 offen lds
    b.run_all(&["00105de002000280"]);
    assert_eq!(lds(&b), [0, 1, 2, 3, 4, 5, 6, 7]);
    b.set_address(2, |l| 32 + 16 * l as u64);
    // global_load_lds_dwordx3 v[2:3], off
    b.run_all(&["0080f8dd02007f00"]);
    assert_eq!(lds(&b), [8, 9, 10, 3, 12, 13, 14, 7]);
    // global_load_lds_dwordx4 v2, s[4:5] offset:16, with the offset in both addresses
    b.wave.set_s64(4, MEMORY);
    b.set(2, |l| 64 * l as u32);
    b.run_all(&["1080f4dd02000400"]);
    assert_eq!(
        [16, 28, 32, 44].map(|a| b.peek_lds(a) & 0xffff),
        [4, 7, 20, 23]
    );
}

// rule: LDS_ADDR of global and scratch loads; section CDNA 3 ISA 10.3, Vega ISA 9.3 (M0).
// points: 2, 12
// claims: flat.9.4-5, flat.9.5-6, flat.t41-lds
#[test]
fn global_and_scratch_loads_to_lds_use_m0_and_the_immediate() {
    let mut b = bench(Target::Gfx942);
    b.set_address(2, |l| 8 * l as u64);
    // M0[17:2]: the low bits are dropped.
    b.wave.sgpr[sreg::M0] = 0x83;
    // global_load_lds_dword v[2:3], off offset:4
    b.run_all(&["0480a8dc02007f00"]);
    assert_eq!(
        [b.peek_lds(0x84), b.peek_lds(0x88)],
        [0xa000_0001, 0xa000_0003]
    );
    // global_load_lds_sshort v[2:3], off
    b.set_address(2, |l| 2 + 4 * l as u64);
    b.run_all(&["0080a4dc02007f00"]);
    assert_eq!([b.peek_lds(0x80), b.peek_lds(0x84)], [0xffff_a000; 2]);
    // scratch_load_lds_dword v2, off
    b.wave.set_s64(sreg::FLAT_SCRATCH_LO, MEMORY);
    b.wave.scratch_size = 64;
    b.set(2, |_| 4);
    b.run_all(&["0060a8dc02007f00"]);
    // Dword 1 of lane n lies at 256 + 4 n.
    assert_eq!(
        [b.peek_lds(0x80), b.peek_lds(0x84)],
        [0xa000_0040, 0xa000_0041]
    );
    // The LDS bit of gfx9's and gfx10's encodings: M0[15:0] bytes.
    let mut b = bench(Target::Gfx900);
    b.set_address(2, |l| 4 * l as u64);
    b.wave.sgpr[sreg::M0] = 0x1_0040;
    // global_load_dword v[2:3], off offset:16 lds
    b.run_all(&["10a050dc02007f00"]);
    assert_eq!(b.peek_lds(0x50), 0xa000_0004);
    b.wave.set_s64(sreg::FLAT_SCRATCH_LO, MEMORY);
    b.wave.scratch_size = 64;
    b.set(2, |_| 0);
    // scratch_load_dword v2, off offset:4 lds
    b.run_all(&["046050dc02007f00"]);
    assert_eq!(b.peek_lds(0x44), 0xa000_0040);
    let mut b = bench(Target::Gfx1010);
    b.set_address(2, |l| 4 * l as u64);
    // global_load_dword v[2:3], off lds
    b.run_all(&["00a030dc02007d00"]);
    assert_eq!(b.peek_lds(4), 0xa000_0001);
}

// rule: BUFFER_STORE_LDS_DWORD; section Vega ISA 12.14 (opcode 61).
#[test]
fn a_buffer_store_from_lds_reads_where_a_load_would_have_written() {
    let mut b = bench(Target::Gfx900);
    b.wave.sgpr[9] = 8 << 16;
    b.wave.sgpr[11] |= 1 << 23;
    b.wave.sgpr[11] &= !(15 << 15);
    b.wave.sgpr[sreg::M0] = 0x10;
    for n in 0..64 {
        b.poke_lds(0x14 + 4 * n, n as u32);
    }
    // buffer_store_lds_dword s[8:11], 0 offset:4 lds; ADD_TID with stride 8
    b.run_all(&["0400f5e000000280"]);
    assert_eq!([b.peek(4), b.peek(12), b.peek(4 + 63 * 8)], [0, 1, 63]);
    assert_eq!(b.peek(8), 0xa000_0002);
}

// rule: asynchronous loads and stores; section CDNA 5 ISA 10.8.1; clusters: 10.7.
#[test]
fn cdna5_lanes_have_lds_addresses_of_their_own() {
    let mut b = bench(Target::Gfx1250);
    b.set_address(2, |l| 2 + l as u64);
    b.set(4, |l| 0x41 + 16 * l as u32);
    // global_load_async_to_lds_b8 v4, v[2:3], off: single bytes.
    b.run_all(&["7cc017ee0400000002000000"]);
    assert_eq!([b.peek_lds(0x40), b.peek_lds(0x50)], [0, 0xa000]);
    // global_load_async_to_lds_b128 v4, v2, s[4:5] offset:16
    b.wave.set_s64(4, MEMORY);
    b.set(2, |l| 32 * l as u32);
    b.set(4, |l| 0x100 + 16 * l as u32);
    b.run_all(&["048018ee0400000002100000"]);
    assert_eq!(
        [0x110, 0x11c, 0x120].map(|a| b.peek_lds(a) & 0xffff),
        [4, 7, 12]
    );
    // global_store_async_from_lds_b64 v[2:3], v4, off offset:8
    b.set_address(2, |l| 0x800 + 8 * l as u64);
    b.set(4, |l| 0x108 + 16 * l as u32);
    b.run_all(&["7c4019ee0000000202080000"]);
    assert_eq!([b.peek(0x808), b.peek(0x80c)], [0xa000_0004, 0xa000_0005]);
    assert_eq!(b.peek(0x810), 0xa000_000c);
    // cluster_load_async_to_lds_b32 v4, v[2:3], off
    b.set_address(2, |_| 12);
    b.set(4, |l| 4 * l as u32);
    b.run_all(&["7cc01aee0400000002000000"]);
    assert_eq!(b.peek_lds(124), 0xa000_0003);
    // Past the allocation: dropped.
    b.set(4, |_| 4094);
    b.run_all(&["7cc01aee0400000002000000"]);
    assert!(b.wave.faults.is_empty());
    assert_eq!(b.peek_lds(4092), 0);
}

// rule: cluster loads outside a cluster, monitored loads; section CDNA 5 ISA 10.7, 10.10.
#[test]
fn cluster_and_monitored_loads_load() {
    let mut b = bench(Target::Gfx1250);
    b.set_address(2, |l| 8 * l as u64);
    // cluster_load_b64 v[4:5], v[2:3], off
    b.run_all(&["7c001aee0400000002000000"]);
    assert_eq!([b.get(4, 3), b.get(5, 3)], [0xa000_0006, 0xa000_0007]);
    b.set_address(2, |l| 16 + 8 * l as u64);
    // global_load_monitor_b64 v[4:5], v[2:3], off; flat_load_monitor_b64 v[4:5], v[2:3]
    for hex in ["7c401cee0400000002000000", "7c401cec0400000002000000"] {
        b.run_all(&[hex]);
        assert_eq!([b.get(4, 3), b.get(5, 3)], [0xa000_000a, 0xa000_000b]);
    }
    // They must be naturally aligned, as atomics.
    b.set_address(2, |_| 4);
    b.wave.set_exec(1);
    b.run_all(&["7c401cee0400000002000000"]);
    assert_eq!(
        b.wave.faults[0].fault.kind,
        waveglass_mem::FaultKind::Misaligned
    );
}
