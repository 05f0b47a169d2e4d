//! The bytes are LLVM's encodings; the comment before each gives the instruction.

use super::ds_two_operands::src2_addresses;
use crate::testing::Bench;
use waveglass_isa::Target;

// points: 12

// rule: SRC2 addresses; section Vega ISA 10.3.3.
#[test]
fn src2_distances_are_signed_dwords() {
    assert_eq!(src2_addresses(8, 0x100), (0x100, 0x120));
    assert_eq!(src2_addresses(0x7ffc, 0x100), (0x100, 0x100 - 16));
    // Bit 15: 17 bits of address, 15 of distance.
    assert_eq!(src2_addresses(0x8000, 3 << 17 | 0x100), (0x100, 0x10c));
    assert_eq!(
        src2_addresses(0xffff, 0xffff << 17 | 0x1_0000),
        (0x1_0000, 0x1_0000 - 4)
    );
}

// rule: DS_*_SRC2_*; section Vega ISA 12.13 (opcodes 128 to 211).
#[test]
fn src2_operations_take_both_operands_from_lds() {
    for target in [Target::Gfx900, Target::Gfx906, Target::Gfx908] {
        let mut b = Bench::new(target, 64);
        b.set(2, |l| 0x100 + 4 * l as u32);
        for i in 0..64 {
            b.poke_lds(0x100 + 4 * i, 10);
            b.poke_lds(0x220 + 4 * i, i as u32);
        }
        b.wave.set_exec(0b1011);
        // ds_add_src2_u32 v2 offset:72 (0x48 dwords are 0x120 bytes)
        b.run_all(&["480000d902000000"]);
        let got = [0x100, 0x104, 0x108, 0x10c].map(|a| b.peek_lds(a));
        assert_eq!(got, [10, 11, 10, 13], "{target}");
        // ds_rsub_src2_u32 v2 offset:4: MEM[A] = MEM[B] - MEM[A]
        b.wave.set_exec(1);
        b.run_all(&["040004d902000000"]);
        assert_eq!(b.peek_lds(0x100), 10 - 10);
        // ds_max_src2_f32 v2 offset:4
        b.poke_lds(0x100, 1.5f32.to_bits());
        b.poke_lds(0x110, 2.5f32.to_bits());
        b.run_all(&["040026d902000000"]);
        assert_eq!(b.peek_lds(0x100), 2.5f32.to_bits());
        // ds_write_src2_b64 v2 offset:4
        b.poke_lds(0x114, 99);
        b.run_all(&["04009ad902000000"]);
        assert_eq!(
            [b.peek_lds(0x100), b.peek_lds(0x104)],
            [2.5f32.to_bits(), 99]
        );
        assert!(b.wave.faults.is_empty());
    }
}

// rule: DS_CONDXCHG32_RTN_B64; section CDNA 3 ISA 12.13, CDNA 5 ISA 15.13 (DS_CONDXCHG32_RTN_B64).
#[test]
fn a_conditional_exchange_writes_where_the_top_bit_is_set() {
    for (target, lanes, hex) in [
        // ds_condxchg32_rtn_b64 v[4:5], v2, v[6:7] offset:4
        (Target::Gfx900, 64, "0400fcd802060004"),
        (Target::Gfx942, 64, "0400fcd802060004"),
        (Target::Gfx1250, 32, "0400f8d902060004"),
    ] {
        let mut b = Bench::new(target, lanes);
        for i in 0..64 {
            b.poke_lds(4 * i, i as u32);
        }
        b.wave.set_exec(0b11);
        // Lane 0 at 4 + 4 = 8; lane 1 at 13 + 4 = 17, of which 16 is left.
        b.set(2, |l| [4, 13][l & 1]);
        b.set(6, |_| 0x8000_1111);
        b.set(7, |l| if l == 0 { 0x2222 } else { 0xffff_ffff });
        b.run_all(&[hex]);
        assert_eq!(
            [b.get(4, 0), b.get(5, 0), b.get(4, 1), b.get(5, 1)],
            [2, 3, 4, 5],
            "{target}"
        );
        let got = [8, 12, 16, 20].map(|a| b.peek_lds(a));
        assert_eq!(got, [0x1111, 3, 0x1111, 0x7fff_ffff]);
    }
}

// rule: with both offsets the same one access takes place, with DATA0, up to gfx10; after that the second one is the
// last; section Vega ISA 10.3.3, CDNA 3 ISA 11.3.1, RDNA 1 ISA 10.4.3, RDNA 2 ISA 10.4.3; RDNA 3 ISA 12.5.
// points: 12
#[test]
fn two_offsets_that_are_the_same_are_one_access() {
    let gfx9 = ["01011cd803040500", "01019cd803040600", "01015cd803040508"];
    let gfx10 = ["010138d803040500", "010138d903040600", "0101b8d803040508"];
    for (target, [b32, b64, exchange], first) in [
        (Target::Gfx900, gfx9, true),
        (Target::Gfx942, gfx9, true),
        (Target::Gfx1010, gfx10, true),
        (Target::Gfx1030, gfx10, true),
        (Target::Gfx1100, gfx10, false),
        (Target::Gfx1200, gfx10, false),
    ] {
        let mut b = Bench::new(target, target.default_wave_size());
        for v in 4..8 {
            b.set(v, |_| 40 + v as u32);
        }
        b.wave.set_exec(1);
        b.poke_lds(4, 7);
        // ds_wrxchg2_rtn_b32 v[8:9], v3, v4, v5 offset0:1 offset1:1
        b.run_all(&[exchange]);
        let results = [b.peek_lds(4), b.get(8, 0), b.get(9, 0)];
        let want = if first { [44, 7, 7] } else { [45, 7, 44] };
        assert_eq!(results, want, "{target}");
        let bytes = b.stats.written.lds;
        assert_eq!(bytes, if first { 4 } else { 8 }, "{target}");
        // ds_write2_b32 v3, v4, v5 offset0:1 offset1:1
        b.poke_lds(4, 7);
        b.run_all(&[b32]);
        assert_eq!(b.peek_lds(4), if first { 44 } else { 45 }, "{target}");
        // ds_write2_b64 v3, v[4:5], v[6:7] offset0:1 offset1:1
        b.run_all(&[b64]);
        let pair = [b.peek_lds(8), b.peek_lds(12)];
        assert_eq!(pair, if first { [44, 45] } else { [46, 47] }, "{target}");
    }
}

// rule: a load from two addresses is zero as a whole where one of them is out of range on RDNA 3 and 3.5, elsewhere
// that one is; section RDNA 3 ISA 3.3.4.1, RDNA 3.5 ISA 3.3.4.1; Vega ISA 3.6.1, RDNA 4 ISA 3.3.5.1.
// points: 6, 12
#[test]
fn a_load_of_two_addresses_with_one_out_of_range() {
    // ds_read2_b32 v[4:5], v2 offset1:1, or ds_load_2addr_b32
    for (target, hex, whole) in [
        (Target::Gfx900, "00016ed802000004", false),
        (Target::Gfx1030, "0001dcd802000004", false),
        (Target::Gfx1100, "0001dcd802000004", true),
        (Target::Gfx1150, "0001dcd802000004", true),
        (Target::Gfx1200, "0001dcd802000004", false),
        (Target::Gfx1250, "0001dcd802000004", false),
    ] {
        let mut b = Bench::new(target, target.default_wave_size());
        b.poke_lds(4092, 9);
        b.poke_lds(0, 3);
        b.poke_lds(4, 5);
        // Lane 0 reads the last dword and the one past it, the others the first two.
        b.set(2, |l| if l == 0 { 4092 } else { 0 });
        b.run_all(&[hex]);
        let want = [if whole { 0 } else { 9 }, 0];
        assert_eq!([b.get(4, 0), b.get(5, 0)], want, "{target}");
        assert_eq!([b.get(4, 1), b.get(5, 1)], [3, 5], "{target}");
    }
}
