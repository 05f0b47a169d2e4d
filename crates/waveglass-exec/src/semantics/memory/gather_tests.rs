//! Source registers past a wave's allocation. The bytes are LLVM 22's encodings; the comment before each gives the
//! instruction.

use super::buffer_tests::words;
use crate::testing::{Bench, MEMORY};
use crate::wave::Wave;
use waveglass_isa::Target::{self, *};
use waveglass_mem::Generation;

// points: 2, 6

/// A wave of 24 VGPRs and one active lane, whose register r is 100 + r and whose `s[2:3]` points to memory.
fn bench(target: Target) -> Bench {
    let lanes = target.default_wave_size();
    let mut b = Bench::new(target, lanes);
    b.wave = Wave::new(target, lanes, 24, 0);
    for r in 0..24 {
        b.set(r, |_| 100 + r as u32);
    }
    b.wave.set_exec(1);
    b.wave.set_s64(2, MEMORY);
    b
}

// rule: of a group of source registers those past the allocation are VGPR 0 each, and the others are themselves;
// section Vega ISA 3.6.1, RDNA 1 ISA 3.6.1, RDNA 3 ISA 3.3.2.2, RDNA 3.5 ISA 3.3.2.2, RDNA 4 ISA 3.3.2.2, CDNA 5
// ISA 3.3.2.2.
#[test]
fn data_past_the_allocation_are_vgpr_0_register_by_register() {
    let gfx9 = [
        "00807cdc03160200", // global_store_dwordx4 v3, v[22:25], s[2:3]
        "00807cdc03180200", // global_store_dwordx4 v3, v[24:27], s[2:3]
        "0000bed903160000", // ds_write_b128 v3, v[22:25]
        "00007ce000160180", // buffer_store_dwordx4 v[22:25], off, s[4:7], 0
    ];
    let gfx10 = [
        "008078dc03160200",
        "008078dc03180200",
        "00007cdb03160000",
        "000078e000160180",
    ];
    let gfx11 = [
        "000076dc03160200",
        "000076dc03180200",
        "00007cdb03160000",
        "000074e00016017c",
    ];
    let gfx12 = [
        "024007ee0000000b03000000",
        "024007ee0000000c03000000",
        "00007cdb03160000",
        "7c4007c41608800000000000",
    ];
    for (targets, [partly, wholly, lds, buffer]) in [
        (&[Gfx900, Gfx90a, Gfx942][..], gfx9),
        (&[Gfx1010, Gfx1030], gfx10),
        (&[Gfx1100, Gfx1150], gfx11),
        (&[Gfx1200, Gfx1250], gfx12),
    ] {
        for &target in targets {
            let mut b = bench(target);
            b.set(3, |_| 16);
            let four = |b: &Bench, at: u64| [0, 4, 8, 12].map(|i| b.peek(at + i));
            b.run_all(&[partly]);
            assert_eq!(four(&b, 16), [122, 123, 100, 100], "{target}");
            b.run_all(&[wholly]);
            assert_eq!(four(&b, 16), [100; 4], "{target}");
            b.run_all(&[lds]);
            let found = [16, 20, 24, 28].map(|i| b.peek_lds(i));
            assert_eq!(found, [122, 123, 100, 100], "{target}");
            let mut fields = vec![("base", MEMORY), ("num_records", 64)];
            match crate::dispatch::memory_generation(target) {
                Generation::Cdna5 => {}
                g if g.is_gfx9() => fields.push(("data_format", 4)),
                _ => fields.extend([("format", 20), ("oob_select", 3)]),
            }
            b.wave.sgpr[4..8].copy_from_slice(&words(target, &fields));
            b.run_all(&[buffer]);
            assert_eq!(four(&b, 0), [122, 123, 100, 100], "{target}");
        }
    }
}

// rule: an address whose upper register is past the allocation has VGPR 0 there; section Vega ISA 3.6.1, RDNA 1 ISA
// 3.6.1, RDNA 3 ISA 3.3.2.2, RDNA 4 ISA 3.3.2.2.
#[test]
fn half_of_an_address_past_the_allocation_is_vgpr_0() {
    // global_load_b32 v1, v[23:24], off
    for (target, hex) in [
        (Gfx900, "008050dc17007f01"),
        (Gfx1030, "008030dc17007d01"),
        (Gfx1100, "000052dc17007c01"),
        (Gfx1200, "7c0005ee0100000017000000"),
    ] {
        let mut b = bench(target);
        b.poke(8, 5);
        b.set(23, |_| MEMORY as u32 + 8);
        b.set(0, |_| 0);
        b.run_all(&[hex]);
        assert_eq!(b.get(1, 0), 5, "{target}");
    }
}

// rule: a comparand past the allocation is VGPR 0; section Vega ISA 3.6.1, RDNA 1 ISA 3.6.1, RDNA 3 ISA 3.3.2.2,
// RDNA 4 ISA 3.3.2.2.
#[test]
fn a_comparand_past_the_allocation_is_vgpr_0() {
    // global_atomic_cmpswap_b32 v3, v[23:24], s[2:3]: 123 in place of 100.
    for (target, hex) in [
        (Gfx900, "008004dd03170200"),
        (Gfx1030, "0080c4dc03170200"),
        (Gfx1100, "0000d2dc03170200"),
        (Gfx1200, "02000dee0000800b03000000"),
    ] {
        let mut b = bench(target);
        b.set(3, |_| 8);
        b.poke(8, 100);
        b.run_all(&[hex]);
        assert_eq!(b.peek(8), 123, "{target}");
    }
}
