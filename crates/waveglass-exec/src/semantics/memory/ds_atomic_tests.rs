//! Which of MODE's controls the float atomics of LDS follow. The bytes are LLVM's encodings; the comment before each
//! gives the instruction.

use crate::testing::Bench;
use crate::wave::Mode;
use waveglass_isa::Target::{self, *};

// points: 3, 12

/// What LDS holds after an operation on `memory` with `data`, under MODE's denormal controls.
fn after(target: Target, hex: &str, mode: u32, memory: [u32; 2], data: [u32; 2]) -> [u32; 2] {
    let mut b = Bench::new(target, target.default_wave_size());
    b.wave.mode = Mode(mode);
    b.wave.set_exec(1);
    b.poke_lds(0, memory[0]);
    b.poke_lds(4, memory[1]);
    b.set(4, |_| data[0]);
    b.set(5, |_| data[1]);
    b.run_all(&[hex]);
    [b.peek_lds(0), b.peek_lds(4)]
}

/// FP_DENORM bits of MODE: all are kept, those of 32 bits alone, those of 16 and 64 bits alone.
const KEEP: [u32; 3] = [0xf0, 0x30, 0xc0];

// rule: FP_DENORM's lower half is for 32 bits, its upper one for 16; the f64 adder does not flush; section CDNA 3 ISA
// 9.2.2, RDNA 4 ISA 13.2, CDNA 5 ISA 12.2.
#[test]
fn float_additions_in_lds_flush_by_the_half_of_mode_that_is_theirs() {
    for (target, f16, bf16, f32) in [
        (
            Gfx942,
            "00002ed803040000",
            "000030d803040000",
            "00002ad803040000",
        ),
        (
            Gfx1200,
            "000068da03040000",
            "00006cda03040000",
            "000054d803040000",
        ),
        (
            Gfx1250,
            "000068da03040000",
            "00006cda03040000",
            "000054d803040000",
        ),
    ] {
        for mode in KEEP {
            let (narrow, wide) = (mode & 0x30 != 0, mode & 0xc0 != 0);
            // ds_pk_add_f16 v3, v4: 2^-24 and 2^-24 in the high half, 2^-24 and 1 in the low one.
            let [sum, _] = after(target, f16, mode, [0x0001_0001, 0], [0x0001_3c00, 0]);
            let want = if wide { 0x0002_3c00 } else { 0x0000_3c00 };
            assert_eq!(sum, want, "{target} {mode:#x}");
            // ds_pk_add_bf16 v3, v4
            let [sum, _] = after(target, bf16, mode, [0x0001_0001, 0], [0x0001_3f80, 0]);
            let want = if wide { 0x0002_3f80 } else { 0x0000_3f80 };
            assert_eq!(sum, want, "{target} {mode:#x}");
            // ds_add_f32 v3, v4: 2^-149 twice.
            let [sum, _] = after(target, f32, mode, [1, 0], [1, 0]);
            assert_eq!(sum, if narrow { 2 } else { 0 }, "{target} {mode:#x}");
        }
    }
    for (target, hex) in [(Gfx942, "0000b8d803040000"), (Gfx1250, "000050d903040000")] {
        // ds_add_f64 v3, v[4:5]: 2^-1074 twice, whatever MODE says.
        for mode in KEEP {
            assert_eq!(after(target, hex, mode, [1, 0], [1, 0]), [2, 0], "{target}");
        }
    }
}

// rule: minimum and maximum in LDS take the flushed denormal on gfx12; section RDNA 4 ISA 13.2, CDNA 5 ISA 12.2.
#[test]
fn a_maximum_in_lds_stores_the_flushed_denormal_on_gfx12() {
    for target in [Gfx1200, Gfx1250] {
        for mode in KEEP {
            // ds_max_num_f32 v3, v4: 2^-149 and -1.
            let [max, _] = after(target, "00004cd803040000", mode, [1, 0], [0xbf80_0000, 0]);
            let kept = mode & 0x30 != 0;
            assert_eq!(max, u32::from(kept), "{target} {mode:#x}");
        }
    }
}
