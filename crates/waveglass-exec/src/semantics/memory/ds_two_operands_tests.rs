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
