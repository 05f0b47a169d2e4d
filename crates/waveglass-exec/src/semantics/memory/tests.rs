//! The bytes are LLVM's encodings; the comment before each gives the instruction.

use super::ds_lanes::swizzle_source;
use crate::program::Step;
use crate::testing::{Bench, MEMORY, MEMORY_SIZE};
use crate::wave::sreg;
use waveglass_isa::Target;
use waveglass_mem::{FaultKind, Space};

fn full_memory(b: &mut Bench) {
    for i in 0..MEMORY_SIZE / 4 {
        b.poke(i * 4, 0xa000_0000 | i as u32);
    }
}

// points: 4
// claims: flat.9.4-2
#[test]
fn a_global_load_takes_the_signed_offset() {
    let mut b = Bench::new(Target::Gfx900, 64);
    full_memory(&mut b);
    b.set_address(2, |l| 8 + 4 * l as u64);
    // global_load_dword v4, v[2:3], off offset:-8
    b.run_all(&["f89f50dc02007f04"]);
    for lane in 0..64 {
        assert_eq!(b.get(4, lane), 0xa000_0000 | lane as u32);
    }
    assert_eq!(b.stats.read.global, 256);
    assert!(b.wave.faults.is_empty());
}

// points: 4, 6
// claims: flat.9.4-3, flat.9.4-4, flat.9.6-8
#[test]
fn a_scalar_base_takes_an_unsigned_vector_offset() {
    let mut b = Bench::new(Target::Gfx900, 64);
    full_memory(&mut b);
    b.wave.set_s64(10, MEMORY);
    b.set(2, |l| 64 * l as u32);
    b.wave.set_exec(0x8000_0000_0000_0001);
    b.set(4, |_| 7);
    // global_load_dwordx2 v[4:5], v2, s[10:11] offset:16
    b.run_all(&["108054dc02000a04"]);
    assert_eq!([b.get(4, 0), b.get(5, 0)], [0xa000_0004, 0xa000_0005]);
    assert_eq!([b.get(4, 63), b.get(5, 63)], [0xa000_03f4, 0xa000_03f5]);
    assert_eq!(b.get(4, 1), 7);
    // With 2^32 - 4 in the register the address is far past the memory, not 4 before it.
    b.set(2, |_| u32::MAX - 3);
    b.run_all(&["108054dc02000a04"]);
    assert_eq!(b.wave.fault_count, 2);
    assert_eq!(b.wave.faults[0].fault.kind, FaultKind::Unmapped);
    assert_eq!(b.wave.faults[0].fault.address, MEMORY + (1 << 32) + 12);
    assert_eq!(b.wave.faults[0].mnemonic, "global_load_dwordx2");
    assert_eq!(b.wave.trapsts, 0x100);
    assert_eq!(b.get(4, 0), 0);
}

// rule: the VGPR offset is signed and scaled by the size of the data; section CDNA 5 ISA 8.1.1, 10.2.
// points: 2, 4, 11
#[test]
fn cdna5_vector_offsets_are_signed_and_scaled() {
    let mut b = Bench::new(Target::Gfx1250, 32);
    full_memory(&mut b);
    b.wave.set_s64(10, MEMORY + 0x100);
    b.set(2, |l| (l as u32).wrapping_sub(16));
    // global_load_b64 v[4:5], v2, s[10:11] offset:8 scale_offset
    b.run_all(&["0a4005ee0400010002080000"]);
    // Lane 0: 0x100 - 16 * 8 + 8 = 0x88, dword 0x22; each lane two dwords further.
    assert_eq!([b.get(4, 0), b.get(5, 0)], [0xa000_0022, 0xa000_0023]);
    assert_eq!(b.get(4, 31), 0xa000_0060);
    // flat_load_b32 v4, v2, s[10:11] scale_offset: lane 0 at 0x100 - 64.
    b.run_all(&["0a0005ec0400010002000000"]);
    assert_eq!(b.get(4, 0), 0xa000_0030);
    // s_load_b64 s[4:5], s[2:3], s5 scale_offset
    b.wave.set_s64(2, MEMORY);
    b.wave.sgpr[5] = 3;
    b.run_all(&["012100f40000000b"]);
    assert_eq!(b.wave.s64(4), 0xa000_0007_a000_0006);
    // s_load_b32 s4, s[2:3], s5 scale_offset
    b.wave.sgpr[5] = 3;
    b.run_all(&["010100f40000000b"]);
    assert_eq!(b.wave.sgpr[4], 0xa000_0003);
}

// points: 2, 4, 6, 11
// claims: flat.9.6-8
#[test]
fn gfx12_offsets_have_24_signed_bits() {
    let mut b = Bench::new(Target::Gfx1200, 32);
    full_memory(&mut b);
    b.wave.set_s64(10, MEMORY + 4);
    b.set(2, |l| 4 * l as u32);
    // global_load_b32 v4, v2, s[10:11] offset:-4
    b.run_all(&["0a0005ee0400000002fcffff"]);
    assert_eq!(b.get(4, 5), 0xa000_0005);
    b.wave.set_s64(2, MEMORY);
    // s_load_u16 s4, s[2:3], 0x2; s_load_b96 s[4:6], s[2:3], 0x0
    b.run_all(&["016101f4020000f8"]);
    assert_eq!(b.wave.sgpr[4], 0xa000);
    b.wave.sgpr[7] = 9;
    b.run_all(&["01a100f4000000f8"]);
    assert_eq!(
        b.wave.sgpr[4..8],
        [0xa000_0000, 0xa000_0001, 0xa000_0002, 9]
    );
    // global_inv; s_prefetch_data
    b.run_all(&["7cc00aee0000000000000000", "01c004f400000008"]);
    // global_atomic_cond_sub_u32 v6, v[2:3], v4, off th:TH_ATOMIC_RETURN
    b.poke(0, 10);
    b.set_address(2, |_| 0);
    b.set(4, |_| 4);
    b.wave.set_exec(0b111);
    b.run_all(&["7c0014ee0600100202000000"]);
    assert_eq!(
        [b.get(6, 0), b.get(6, 1), b.get(6, 2), b.peek(0)],
        [10, 6, 2, 2]
    );
    // An address past the memory sets EXCP_FLAG_PRIV's MEM_VIOL.
    b.set_address(2, |_| MEMORY_SIZE);
    b.run_all(&["7c0014ee0600100202000000"]);
    assert_eq!(b.wave.trapsts, 0x10);
}

// points: 3, 7
// claims: flat.t42-load-d16
#[test]
fn d16_loads_keep_the_other_half_where_registers_are_written_in_part() {
    let mut b = Bench::new(Target::Gfx900, 64);
    b.poke(0, 0x8283_84f5);
    b.set_address(2, |_| 0);
    b.set(4, |_| 0x1111_2222);
    // global_load_ubyte_d16_hi v4, v[2:3], off
    b.run_all(&["008084dc02007f04"]);
    assert_eq!(b.get(4, 9), 0x00f5_2222);
    // global_load_sbyte_d16 v4, v[2:3], off
    b.run_all(&["008088dc02007f04"]);
    assert_eq!(b.get(4, 9), 0x00f5_fff5);
    let mut b = Bench::new(Target::Gfx90a, 64);
    b.poke(0, 0x8283_84f5);
    b.set_address(2, |_| 0);
    b.set(4, |_| 0x1111_2222);
    // global_load_short_d16 v4, v[2:3], off
    b.run_all(&["008090dc02007f04"]);
    assert_eq!(b.get(4, 9), 0x0000_84f5);
    // With error correction off the other half stays.
    b.sramecc = false;
    b.set(4, |_| 0x1111_2222);
    b.run_all(&["008090dc02007f04"]);
    assert_eq!(b.get(4, 9), 0x1111_84f5);
    let mut b = Bench::new(Target::Gfx1100, 32);
    b.poke(0, 0x8283_84f5);
    b.set_address(2, |_| 0);
    b.set(4, |_| 0x1111_2222);
    b.wave.set_exec(1 << 9);
    // global_load_d16_hi_b16 v4, v[2:3], off
    b.run_all(&["00008edc02007c04"]);
    assert_eq!([b.get(4, 9), b.get(4, 8)], [0x84f5_2222, 0x1111_2222]);
}

// points: 3
// claims: flat.t42-store-part
#[test]
fn stores_take_what_the_mnemonic_names() {
    let mut b = Bench::new(Target::Gfx900, 64);
    b.set_address(2, |l| 12 * l as u64);
    for r in 4..7 {
        b.set(r, |l| (r as u32) << 16 | l as u32);
    }
    // global_store_dwordx3 v[2:3], v[4:6], off
    b.run_all(&["008078dc02047f00"]);
    assert_eq!(
        [b.peek(120), b.peek(124), b.peek(128)],
        [0x4000a, 0x5000a, 0x6000a]
    );
    b.set_address(2, |_| 0);
    b.wave.set_exec(1);
    b.set(4, |_| 0xbeef_1234);
    b.poke(0, 0x5555_5555);
    // global_store_short_d16_hi v[2:3], v4, off
    b.run_all(&["00806cdc02047f00"]);
    assert_eq!(b.peek(0), 0x5555_beef);
    // flat_store_byte v[2:3], v4
    b.run_all(&["000060dc02040000"]);
    assert_eq!(b.peek(0), 0x5555_be34);
}

// rule: ACC makes the data register an accumulation VGPR; section CDNA 2 ISA 10.1.
// points: 7
#[test]
fn accumulation_registers_take_loads() {
    let mut b = Bench::new(Target::Gfx90a, 64);
    full_memory(&mut b);
    b.set_address(2, |l| 4 * l as u64);
    // global_load_dword a4, v[2:3], off
    b.run_all(&["008050dc0200ff04"]);
    assert_eq!([b.get(64 + 4, 3), b.get(4, 3)], [0xa000_0003, 0]);
}

// points: 1
// claims: flat.9-3, flat.9-4, flat.9.3-5, flat.9.8-2
#[test]
fn a_flat_address_reaches_all_three_spaces() {
    let mut b = Bench::new(Target::Gfx900, 64);
    full_memory(&mut b);
    b.poke_lds(0x24, 0x1d5);
    b.wave.set_s64(102, MEMORY + 0x1000);
    b.wave.scratch_size = 16;
    let (shared, private) = (
        b.env.apertures.shared_base(),
        b.env.apertures.private_base(),
    );
    let addresses = [MEMORY + 8, shared + 0x20, private, private + 12, 1 << 60];
    b.set(2, |l| addresses[l % 5] as u32);
    b.set(3, |l| (addresses[l % 5] >> 32) as u32);
    b.wave.set_exec(0b11111);
    // flat_load_dword v4, v[2:3] offset:4
    b.run_all(&["040050dc02000004"]);
    assert_eq!([b.get(4, 0), b.get(4, 1)], [0xa000_0003, 0x1d5]);
    // Private offset 4 of lane 2: 0x1000 + 256 + 8 bytes, dword 0x442.
    assert_eq!(b.get(4, 2), 0xa000_0442);
    // Lane 3 is past the 16 bytes of scratch, lane 4 in the hole.
    assert_eq!([b.get(4, 3), b.get(4, 4)], [0, 0]);
    let kinds: Vec<_> = b.wave.faults.iter().map(|f| f.fault.kind).collect();
    assert_eq!(kinds, [FaultKind::ScratchRange, FaultKind::Hole]);
    assert_eq!(
        (b.stats.read.global, b.stats.read.lds, b.stats.read.scratch),
        (4, 4, 8)
    );
}

// points: 4, 6
// claims: flat.9.4-1, flat.9.4-7
#[test]
fn a_global_access_to_the_lds_aperture_is_a_violation() {
    let mut b = Bench::new(Target::Gfx900, 64);
    let shared = b.env.apertures.shared_base();
    b.set(2, |_| 8);
    b.set(3, |_| (shared >> 32) as u32);
    b.set(4, |_| 5);
    b.wave.set_exec(1);
    // global_load_dword v4, v[2:3], off offset:-8
    b.run_all(&["f89f50dc02007f04"]);
    assert_eq!(b.wave.faults[0].fault.kind, FaultKind::LdsAperture);
    assert_eq!([b.get(4, 0), b.get(4, 1)], [0, 5]);
}

// rule: a run stops at a violation where that is asked for; section no manual says: to stop is a
// setting of the model.
// points: 6
#[test]
fn a_violation_stops_the_run_where_that_is_asked_for() {
    let mut b = Bench::new(Target::Gfx900, 64);
    b.env.stop_on_fault = true;
    let step = b.run("f89f50dc02007f04");
    assert_eq!(step, Step::Stop(crate::Stop::Fault));
    assert_eq!(b.wave.fault_count, 64);
}

// points: 3
// claims: flat.t41-glc
#[test]
fn atomics_return_the_value_before_in_lane_order() {
    let mut b = Bench::new(Target::Gfx900, 64);
    b.set_address(2, |_| 16);
    b.set(4, |l| l as u32 + 1);
    b.wave.set_exec(0b1011);
    // global_atomic_add v6, v[2:3], v4, off glc: adds 1, 2 and 4.
    b.run_all(&["008009dd02047f06"]);
    assert_eq!(
        [b.get(6, 0), b.get(6, 1), b.get(6, 2), b.get(6, 3)],
        [0, 1, 0, 3]
    );
    assert_eq!(b.peek(16), 7);
    // global_atomic_cmpswap v6, v[2:3], v[4:5], off glc: data v4, comparand v5.
    b.set(4, |_| 100);
    b.set(5, |_| 7);
    b.run_all(&["008005dd02047f06"]);
    assert_eq!([b.get(6, 0), b.get(6, 1), b.peek(16)], [7, 100, 100]);
}

// points: 4
// claims: flat.9.5-3, flat.9.5-4, flat.9.6-6
#[test]
fn scratch_is_interleaved_by_lanes() {
    let mut b = Bench::new(Target::Gfx900, 64);
    b.wave.set_s64(102, MEMORY);
    b.wave.scratch_size = 32;
    b.wave.sgpr[3] = 4;
    b.set(4, |l| 0x100 + l as u32);
    // scratch_store_dword off, v4, s3 offset:8: private offset 12, 3 * 256 bytes in.
    b.run_all(&["084070dc00040300"]);
    assert_eq!([b.peek(768), b.peek(768 + 4 * 63)], [0x100, 0x13f]);
    b.set(2, |l| if l == 5 { 32 } else { 8 });
    // scratch_load_dword v4, v2, off offset:4
    b.set(4, |_| 1);
    b.run_all(&["044050dc02007f04"]);
    assert_eq!([b.get(4, 4), b.get(4, 5), b.get(4, 6)], [0x104, 0, 0x106]);
    assert_eq!(b.wave.fault_count, 1);
    assert_eq!(b.wave.faults[0].fault.space, Space::Scratch);
}

// points: 2, 4
// claims: flat.9.5-3
#[test]
fn scratch_adds_vector_scalar_and_immediate() {
    let mut b = Bench::new(Target::Gfx1100, 32);
    full_memory(&mut b);
    b.wave.scratch_base = MEMORY;
    b.wave.scratch_size = 64;
    b.wave.sgpr[3] = 8;
    b.set(2, |_| 4);
    // scratch_load_b32 v4, v2, s3 offset:4: private offset 16, 4 * 128 bytes in.
    b.run_all(&["040051dc02008304"]);
    assert_eq!(b.get(4, 7), 0xa000_0000 | (512 / 4 + 7));
    let mut b = Bench::new(Target::Gfx1200, 32);
    b.wave.scratch_base = MEMORY;
    b.wave.scratch_size = 64;
    b.set(2, |_| 8);
    b.set(4, |l| l as u32);
    // scratch_store_b32 v2, v4, off offset:-4
    b.run_all(&["7c8006ed0000020202fcffff"]);
    assert_eq!(b.peek(128 + 4 * 9), 9);
}

// rule: instructions of two addresses scale their offsets by the size of the data, and by 64; section
// Vega ISA 10.3.3.
// points: 12
#[test]
fn lds_pairs_and_strides() {
    let mut b = Bench::new(Target::Gfx900, 64);
    b.set(2, |l| 16 * l as u32);
    b.set(4, |l| 0x40 + l as u32);
    b.set(5, |l| 0x50 + l as u32);
    // ds_write2_b32 v2, v4, v5 offset0:1 offset1:3
    b.run_all(&["01031cd802040500"]);
    assert_eq!([b.peek_lds(0x34), b.peek_lds(0x3c)], [0x43, 0x53]);
    // ds_read_b32 v4, v2 offset:4
    b.set(4, |_| 0);
    b.run_all(&["04006cd802000004"]);
    assert_eq!(b.get(4, 63), 0x40 + 63);
    // ds_read2st64_b32 v[4:5], v2 offset0:0 offset1:1
    for i in 0..128 {
        b.poke_lds(4 * i, i as u32);
    }
    b.set(2, |l| 4 * l as u32);
    b.run_all(&["000170d802000004"]);
    assert_eq!([b.get(4, 9), b.get(5, 9)], [9, 73]);
    assert_eq!(b.stats.written.lds, 512);
}

// rule: ds_cmpst takes the comparand first, ds_cmpstore second; section Vega ISA 12.13, RDNA 3 ISA
// 16.15.
// points: 3, 12
#[test]
fn compare_swap_operands_changed_places() {
    let mut b = Bench::new(Target::Gfx900, 64);
    b.wave.set_exec(1);
    b.poke_lds(0, 7);
    b.set(4, |_| 7);
    b.set(5, |_| 9);
    // ds_cmpst_rtn_b32 v6, v2, v4, v5: comparand v4, data v5.
    b.run_all(&["000060d802040506"]);
    assert_eq!([b.get(6, 0), b.peek_lds(0)], [7, 9]);
    let mut b = Bench::new(Target::Gfx1100, 32);
    b.wave.set_exec(1);
    b.poke_lds(0, 7);
    b.set(4, |_| 9);
    b.set(5, |_| 7);
    // ds_cmpstore_rtn_b32 v6, v2, v4, v5: data v4, comparand v5.
    b.run_all(&["0000c0d802040506"]);
    assert_eq!([b.get(6, 0), b.peek_lds(0)], [7, 9]);
}

// The examples of the Vega ISA's DS_SWIZZLE_B32 entry, where lanes are counted from 1.
// rule: swizzles give the lanes of the manual's examples, where lanes are counted from 1; section Vega
// ISA 12.13.1.
// points: 12
#[test]
fn swizzles_are_the_manuals_examples() {
    let order =
        |offset: u32| -> Vec<u32> { (0..32).map(|i| swizzle_source(offset, i) + 1).collect() };
    let fft = [
        0x1, 0x11, 0x9, 0x19, 0x5, 0x15, 0xd, 0x1d, 0x3, 0x13, 0xb, 0x1b, 0x7, 0x17, 0xf, 0x1f,
        0x2, 0x12, 0xa, 0x1a, 0x6, 0x16, 0xe, 0x1e, 0x4, 0x14, 0xc, 0x1c, 0x8, 0x18, 0x10, 0x20,
    ];
    assert_eq!(order(0xe000), fft);
    let halves = [
        0x1, 0x9, 0x5, 0xd, 0x3, 0xb, 0x7, 0xf, 0x2, 0xa, 0x6, 0xe, 0x4, 0xc, 0x8, 0x10, 0x11,
        0x19, 0x15, 0x1d, 0x13, 0x1b, 0x17, 0x1f, 0x12, 0x1a, 0x16, 0x1e, 0x14, 0x1c, 0x18, 0x20,
    ];
    assert_eq!(order(0xe010), halves);
    assert_eq!(order(0xe01f), (1..=32).collect::<Vec<_>>());
    let left: Vec<u32> = (2..=32).chain([1]).collect();
    assert_eq!(order(0xc020), left);
    let right: Vec<u32> = [32].into_iter().chain(1..=31).collect();
    assert_eq!(order(0xc420), right);
    // Rotation by one with mask 1, as the entry's pseudocode has it: bit 0 of the lane stays. Its
    // example for this case contradicts it (and keeps no bit), so that the code decides.
    assert_eq!(order(0xc021)[..6], [1, 4, 3, 6, 5, 8]);
    assert_eq!(order(0xc421)[..4], [0x1f, 2, 1, 4]);
    // The second half of a wave64 stays there.
    assert_eq!(swizzle_source(0xc020, 63), 32);
}

// rule: a swizzle reads zero from lanes that are off; section Vega ISA 12.13.1.
// points: 12
#[test]
fn a_swizzle_reads_zero_from_inactive_lanes() {
    let mut b = Bench::new(Target::Gfx900, 64);
    b.set(2, |l| 100 + l as u32);
    // ds_swizzle_b32 v4, v2 offset:0x8053: lanes 3, 0, 1, 1 of each four.
    b.run_all(&["53807ad802000004"]);
    assert_eq!([8, 9, 10, 11].map(|l| b.get(4, l)), [111, 108, 109, 109]);
    // offset:swizzle(BITMASK_PERM, "00p1i"): and 00101, or 00010, xor 00001.
    b.wave.set_exec(!(1 << 39));
    b.run_all(&["45047ad802000004"]);
    // Lane 36: (4 & 5 | 2) ^ 1 = 7, lane 39, which is inactive; lane 37: (5 | 2) ^ 1 = 6.
    assert_eq!([b.get(4, 36), b.get(4, 37)], [0, 138]);
}

// rule: permutes reach over 64 lanes, or over 32 where the generation says so; section Vega ISA
// 10.3.3, RDNA 1 ISA 10.4.4, RDNA 3 ISA 12.5.2, RDNA 4 ISA 12.5.2.
// points: 12
#[test]
fn permutes_reach_as_far_as_the_generation_says() {
    // ds_bpermute_b32 v4, v2, v3
    for (target, hex, reach) in [
        (Target::Gfx900, "00007ed802030004", 64),
        (Target::Gfx1010, "0000ccda02030004", 32),
        (Target::Gfx1100, "0000ccda02030004", 32),
        (Target::Gfx1200, "0000ccda02030004", 64),
    ] {
        let mut b = Bench::new(target, 64);
        b.set(2, |l| 4 * (63 - l as u32));
        b.set(3, |l| 100 + l as u32);
        b.run_all(&[hex]);
        let expected = if reach == 64 { 163 } else { 131 };
        assert_eq!(b.get(4, 0), expected, "{target:?}");
        assert_eq!(b.get(4, 63), if reach == 64 { 100 } else { 132 });
    }
    // ds_bpermute_fi_b32 reads inactive lanes, ds_bpermute_b32 does not.
    let mut b = Bench::new(Target::Gfx1200, 32);
    b.set(2, |_| 20);
    b.set(3, |l| 100 + l as u32);
    b.wave.set_exec(1);
    b.run_all(&["000034db02030004"]);
    assert_eq!(b.get(4, 0), 105);
    b.run_all(&["0000ccda02030004"]);
    assert_eq!(b.get(4, 0), 0);
    // ds_permute_b32 v4, v2, v3: lanes 1 and 2 both send to lane 0, lane 0 to lane 5.
    let mut b = Bench::new(Target::Gfx900, 64);
    b.set(2, |l| if l == 0 { 20 } else { 0 });
    b.set(3, |l| 100 + l as u32);
    b.wave.set_exec(0b100111);
    b.run_all(&["00007cd802030004"]);
    assert_eq!([0, 1, 5].map(|l| b.get(4, l)), [105, 0, 100]);
}

// rule: append adds the number of lanes in EXEC at M0.base + offset and returns the value before;
// section Vega ISA 12.13.
// points: 12
#[test]
fn append_counts_active_lanes() {
    let mut b = Bench::new(Target::Gfx900, 64);
    b.poke_lds(24, 1000);
    b.wave.sgpr[124] = 16;
    b.wave.set_exec(0b10110);
    // ds_append v4 offset:8
    b.run_all(&["08007cd900000004"]);
    assert_eq!(b.peek_lds(24), 1003);
    assert_eq!([1, 2, 4].map(|l| b.get(4, l)), [1000; 3]);
    assert_eq!(b.get(4, 0), 0);
}

// rule: a raw buffer adds its offsets to the base and is bounded by NUM_RECORDS; section Vega ISA
// 8.1.5.
// points: 9
#[test]
fn buffers_follow_their_descriptor() {
    let mut b = Bench::new(Target::Gfx900, 64);
    full_memory(&mut b);
    // Raw: 0x40 bytes at the memory's start, data format 32.
    b.wave.sgpr[8..12].copy_from_slice(&[MEMORY as u32, 0, 0x40, 4 << 15]);
    b.wave.sgpr[3] = 8;
    b.set(2, |l| 4 * l as u32);
    // buffer_load_dword v4, v2, s[8:11], s3 offen offset:4
    b.run_all(&["041050e002040203"]);
    assert_eq!(
        [b.get(4, 0), b.get(4, 14), b.get(4, 15)],
        [0xa000_0003, 0xa000_0011, 0]
    );
    assert!(b.wave.faults.is_empty());
    // buffer_atomic_add v4, off, s[8:11], 0 glc
    b.poke(0, 50);
    b.set(4, |_| 1);
    b.wave.set_exec(0b11);
    b.run_all(&["004008e100040280"]);
    assert_eq!(
        [b.get(4, 0), b.get(4, 1), b.get(4, 2), b.peek(0)],
        [50, 51, 1, 52]
    );
    // Structured, 16 bytes a record; v2 the index, v3 the offset:
    // buffer_load_dwordx2 v[4:5], v[2:3], s[8:11], 0 idxen offen
    b.wave.sgpr[9] = 16 << 16;
    b.set(2, |l| l as u32);
    b.set(3, |_| 8);
    b.run_all(&["003054e002040280"]);
    assert_eq!([b.get(4, 1), b.get(5, 1)], [0xa000_0006, 0xa000_0007]);
}

// rule: a swizzled buffer that adds thread ids reaches scratch; section Vega ISA 8.1.5.
// points: 9
#[test]
fn a_swizzled_buffer_reaches_scratch() {
    let mut b = Bench::new(Target::Gfx900, 64);
    // The private segment's descriptor: swizzled, index stride 64, thread ids added.
    let words = [MEMORY as u32, 1 << 31, u32::MAX, 3 << 21 | 1 << 23];
    b.wave.sgpr[8..12].copy_from_slice(&words);
    b.wave.sgpr[3] = 0x100;
    b.set(4, |l| 0x700 + l as u32);
    // buffer_store_dword v4, off, s[8:11], s3 offset:8: 0x100 + 2 * 256 + 4 * lane.
    b.run_all(&["080070e000040203"]);
    assert_eq!([b.peek(0x300), b.peek(0x300 + 4 * 33)], [0x700, 0x721]);
    assert_eq!(b.stats.written.scratch, 256);
}

// rule: scalar loads, stores and atomics ignore the two low bits of addresses; buffer loads end at
// NUM_RECORDS; section Vega ISA 7.2.1, 7.2.2, 7.4.
// points: 11
#[test]
fn scalar_loads_stores_and_atomics() {
    let mut b = Bench::new(Target::Gfx900, 64);
    full_memory(&mut b);
    b.wave.set_s64(2, MEMORY);
    // s_load_dwordx2 s[4:5], s[2:3], 0x8
    b.run_all(&["010106c008000000"]);
    assert_eq!(b.wave.s64(4), 0xa000_0003_a000_0002);
    // s_load_dword s4, s[2:3], s5: the two low bits do not count.
    b.wave.sgpr[5] = 0x13;
    b.run_all(&["010100c005000000"]);
    assert_eq!(b.wave.sgpr[4], 0xa000_0004);
    // s_buffer_load_dwordx4 s[4:7], s[8:11], 0x8, of which two dwords are in 16 bytes.
    b.wave.sgpr[8..12].copy_from_slice(&[MEMORY as u32, 0, 16, 0]);
    b.run_all(&["04012ac008000000"]);
    assert_eq!(b.wave.sgpr[4..8], [0xa000_0002, 0xa000_0003, 0, 0]);
    // s_store_dword s4, s[2:3], 0x4; s_atomic_add s4, s[2:3], 0x0 glc
    b.run_all(&["010142c004000000", "01010bc200000000"]);
    assert_eq!(b.peek(4), 0xa000_0002);
    assert_eq!([b.wave.sgpr[4], b.peek(0)], [0xa000_0000, 0x4000_0002]);
    assert!(b.wave.faults.is_empty());
    b.wave.set_s64(2, 0x8000);
    b.run_all(&["010142c004000000", "010106c008000000"]);
    let spaces: Vec<_> = b.wave.faults.iter().map(|f| f.fault.space).collect();
    assert_eq!(spaces, [Space::Scalar, Space::Scalar]);
    assert_eq!(b.wave.s64(4), 0);
}

// rule: scalar offsets add up; what is written to NULL is discarded; section RDNA 3 ISA 3.4.4, 8.1.1.
// points: 11
#[test]
fn null_takes_nothing_and_offsets_add_up() {
    let mut b = Bench::new(Target::Gfx1100, 32);
    full_memory(&mut b);
    b.wave.set_s64(2, MEMORY);
    b.wave.sgpr[6] = 16;
    // s_load_b64 s[4:5], s[2:3], s6 offset:0x8
    b.run_all(&["010104f40800000c"]);
    assert_eq!(b.wave.s64(4), 0xa000_0007_a000_0006);
    let before = b.wave.sgpr;
    // s_load_b32 null, s[2:3], 0x0
    b.run_all(&["011f00f4000000f8"]);
    assert_eq!(b.wave.sgpr, before);
}

// rule: ADDTID forms add four bytes a lane; section RDNA 2 ISA 12.13, 12.18.3.
// points: 3, 12
#[test]
fn lane_numbered_addresses() {
    let mut b = Bench::new(Target::Gfx1030, 32);
    full_memory(&mut b);
    b.wave.set_s64(2, MEMORY + 8);
    // global_load_dword_addtid v4, s[2:3] offset:4
    b.run_all(&["048058dc00000204"]);
    assert_eq!([b.get(4, 0), b.get(4, 31)], [0xa000_0003, 0xa000_0022]);
    let mut b = Bench::new(Target::Gfx1100, 32);
    for i in 0..64 {
        b.poke_lds(4 * i, i as u32);
    }
    b.wave.sgpr[124] = 8;
    // ds_load_addtid_b32 v4 offset:4
    b.run_all(&["0400c4da00000004"]);
    assert_eq!([b.get(4, 0), b.get(4, 31)], [3, 34]);
}

// rule: a direct load gives one value of M0's type and address to every quad with an active lane; section
// RDNA 3 ISA 12.4, RDNA 4 ISA 12.4.
// points: 12
#[test]
fn a_direct_load_fills_the_quads_that_exec_touches() {
    for target in [Target::Gfx1100, Target::Gfx1200] {
        let mut b = Bench::new(target, 64);
        b.poke_lds(8, 0x8765_43f1);
        b.wave.set_exec(1 << 6 | 1 << 63);
        let mut load = |m0, value| {
            b.wave.sgpr[sreg::M0] = m0;
            b.set(4, |_| 7);
            // lds_direct_load v4, ds_direct_load v4
            b.run_all(&["040010ce"]);
            let got: Vec<u32> = (0..64).map(|l| b.wave.lane(4, l)).collect();
            for (lane, got) in got.into_iter().enumerate() {
                let inside = matches!(lane, 4..=7 | 60..=63);
                assert_eq!(got, if inside { value } else { 7 }, "lane {lane}");
            }
        };
        load(2 << 16 | 8, 0x8765_43f1);
        load(8, 0xf1);
        load(1 << 16 | 10, 0x8765);
        load(4 << 16 | 8, 0xffff_fff1);
        load(5 << 16 | 10, 0xffff_8765);
    }
}

// rule: both values of a load of two addresses come from the address before the load; section Vega ISA
// 10.3.3.
// points: 12
#[test]
fn a_load_of_two_addresses_keeps_its_address_until_both_are_known() {
    let mut b = Bench::new(Target::Gfx900, 64);
    for i in 0..1024 {
        b.poke_lds(4 * i, 0xd000_0000 | i as u32);
    }
    // Lane 63's second address, 4032 + 255 * 4, is past the 4 KiB of LDS: no longer a whole wave.
    for last in [252, 4032] {
        let address = |l: usize| if l == 63 { last } else { 4 * l };
        b.set(2, |l| address(l) as u32);
        // ds_read2_b32 v[2:3], v2 offset1:255
        b.run_all(&["00ff6ed802000002"]);
        for lane in 0..64 {
            let first = address(lane) / 4;
            let second = (first + 255 < 1024).then_some(0xd000_0000 | (first + 255) as u32);
            assert_eq!(b.get(2, lane), 0xd000_0000 | first as u32, "lane {lane}");
            assert_eq!(b.get(3, lane), second.unwrap_or(0), "lane {lane}");
        }
    }
}

#[test]
fn a_whole_wave_counts_its_bytes_and_lanes_as_a_partial_one_does() {
    for (target, lanes, load) in [
        // global_load_dwordx2 v[4:5], v2, s[10:11] offset:16
        (Target::Gfx900, 64, "108054dc02000a04"),
        // global_load_b64 v[4:5], v2, s[10:11]
        (Target::Gfx1100, 32, "000056dc02000a04"),
    ] {
        let mut b = Bench::new(target, lanes);
        b.wave.set_s64(10, MEMORY);
        b.set(2, |l| 64 * l as u32);
        b.run_all(&[load]);
        assert_eq!(b.stats.read.global, 8 * lanes as u64);
        assert_eq!(b.stats.lane_operations, lanes as u64);
        b.wave.set_exec(b.wave.full_mask() >> 1);
        b.run_all(&[load]);
        assert_eq!(b.stats.read.global, 8 * (2 * lanes as u64 - 1));
        assert_eq!(b.stats.lane_operations, 2 * lanes as u64 - 1);
    }
}
