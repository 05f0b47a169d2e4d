//! The ways of sources and results that the usual mode has, beside the general ones.

use super::kernel::Ty;
use super::result::ResultMods;
use super::{SourceMods, dpp, ways};
use crate::testing::Bench;
use crate::wave::Mode;
use waveglass_isa::Target;

/// MODE with round to nearest even and all denormals.
const DEFAULT: Mode = Mode(0xf0);

/// Registers full of numbers, NaN and denormals of every width among them.
fn numbers(registers: usize, n: usize) -> Vec<u32> {
    const EDGES: [u32; 12] = [
        0,
        0x8000_8000,
        0x7c00_fc00,
        0x7f80_0000,
        0xff80_0001,
        0x7c01_7e00,
        0x0001_8001,
        0x0000_0080,
        0x7f81_7fc0,
        0x3c00_bc00,
        0x3f80_0000,
        u32::MAX,
    ];
    let mut state = 0x1234_5678u32;
    // Whole rows, as the register file has them.
    (0..registers * n)
        .map(|i| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if i % 3 == 0 { EDGES[i / 3 % 12] } else { state }
        })
        .collect()
}

#[test]
fn ways_of_sources_are_what_their_modifiers_do() {
    let types = [
        Ty::B32,
        Ty::F32,
        Ty::B64,
        Ty::F64,
        Ty::B16,
        Ty::F16,
        Ty::Bf16,
        Ty::PkB16,
        Ty::PkF16,
        Ty::PkBf16,
        Ty::PkF32,
        Ty::PkB32,
        Ty::Mix,
        Ty::MixBf16,
        Ty::B128,
    ];
    for ty in types {
        for mods in SourceMods::all(ty) {
            for n in [32, 64] {
                let dwords = ty.dwords() as usize;
                let mut expected = numbers(4, n);
                let mut regs = expected.clone();
                regs.resize(8 * n, 0);
                mods.apply(&mut expected, n, ty, DEFAULT);
                ways::prepare(&mut regs, 0, 4 * n, n, &mods.way(ty), dwords);
                let got = &regs[4 * n..][..dwords * n];
                assert_eq!(got, &expected[..dwords * n], "{ty:?} {mods:?}");
                // In place, as after a gather.
                let mut regs = numbers(4, n);
                ways::prepare(&mut regs, 0, 0, n, &mods.way(ty), dwords);
                assert_eq!(&regs[..dwords * n], &expected[..dwords * n], "{ty:?}");
            }
        }
    }
}

#[test]
fn parts_of_results_are_what_their_modifiers_do() {
    for mods in ResultMods::all_parts() {
        for (target, lanes, write) in [
            (Target::Gfx900, 64, u64::MAX),
            (Target::Gfx900, 64, 0x8421_0000_ffff_0001),
            (Target::Gfx1030, 32, 0x8001_fffe),
        ] {
            let mut b = Bench::new(target, lanes);
            b.wave.mode = DEFAULT;
            let n = lanes as usize;
            b.wave.lanes_flat()[..4 * n].copy_from_slice(&numbers(4, n));
            let old = b.wave.lanes_flat()[..n].to_vec();
            let mut expected = old.clone();
            // The general way changes the result in its place, register 2.
            let result = b.wave.lanes_flat()[2 * n..3 * n].to_vec();
            mods.apply(&mut b.wave, 2 * n, 0, Ty::B32);
            for (lane, v) in expected.iter_mut().enumerate() {
                if write >> lane & 1 != 0 {
                    *v = b.wave.lanes_flat()[2 * n + lane];
                }
            }
            b.wave.lanes_flat()[2 * n..3 * n].copy_from_slice(&result);
            ways::insert(b.wave.lanes_flat(), 0, 2 * n, n, write, &mods.insertion());
            assert_eq!(&b.wave.lanes_flat()[..n], &expected, "{mods:?}");
        }
    }
}

#[test]
fn gathers_across_a_wave_are_those_one_by_one() {
    let mut state = 7u32;
    for n in [32, 64] {
        for valid in [u64::MAX, 0, 0x5555_0f0f_1234_8001] {
            let sources: [u32; 64] = std::array::from_fn(|lane| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                if lane < n { (state >> 8) % n as u32 } else { 0 }
            });
            let mut regs = numbers(3, n);
            let mut expected = regs.clone();
            dpp::permute_one_by_one(&mut expected, 0, 2 * n, &sources[..n], valid);
            if dpp::permute_wave(&mut regs, 0, 2 * n, n, &sources, valid) {
                assert_eq!(regs, expected);
            }
        }
    }
}
