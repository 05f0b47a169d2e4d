//! The bytes are LLVM's encodings; the comment before each gives the instruction.

use crate::testing::Bench;
use crate::wave::sreg;
use waveglass_isa::Target;

// points: 3, 7

// rule: M0 selects registers, memory advances either way; section RDNA 4 ISA 16.20.3
// (GLOBAL_LOAD_BLOCK), 16.20.2 (SCRATCH_LOAD_BLOCK).
#[test]
fn a_block_skips_the_registers_that_m0_leaves_out() {
    for target in [Target::Gfx1200, Target::Gfx1201] {
        let mut b = Bench::new(target, 32);
        for i in 0..0x400 {
            b.poke(i * 4, 0xa000_0000 | i as u32);
        }
        b.wave.sgpr[sreg::M0] = 0x8000_0005;
        b.set_address(2, |l| 256 * l as u64);
        b.set(9, |_| 7);
        b.wave.set_exec(0b11);
        // global_load_block v[8:39], v[2:3], off offset:4
        b.run_all(&["7cc014ee0800000002040000"]);
        let got = [8, 9, 10, 38, 39].map(|v| b.get(v, 1));
        assert_eq!(
            got,
            [0xa000_0041, 7, 0xa000_0043, 0, 0xa000_0060],
            "{target}"
        );
        assert_eq!(b.get(8, 2), 0);
        // global_store_block v[2:3], v[8:39], off: slots 0, 2 and 31.
        b.run_all(&["7c0015ee0000000402000000"]);
        assert_eq!(
            [256, 260, 264, 380].map(|a| b.peek(a)),
            [0xa000_0041, 0xa000_0041, 0xa000_0043, 0xa000_0060]
        );
    }
}

// rule: a block takes four bytes more of offset for each register, moved or not; section RDNA 4 ISA
// 11.5, CDNA 5 ISA 10.6.
#[test]
fn scratch_blocks_step_by_dwords_of_the_lane() {
    let mut b = Bench::new(Target::Gfx1200, 32);
    b.wave.scratch_base = crate::testing::MEMORY;
    b.wave.scratch_size = 128;
    b.wave.sgpr[sreg::M0] = 0b1001;
    b.set(2, |_| 8);
    b.set(8, |l| l as u32);
    b.set(11, |l| 100 + l as u32);
    // scratch_store_block v2, v[8:39], off; scratch_load_block v[8:39], v2, off
    b.run_all(&["7c0015ed0000020402000000"]);
    // Offset 8 is the lane's dword 2, offset 20 its dword 5.
    assert_eq!([b.peek(2 * 128 + 12), b.peek(5 * 128 + 12)], [3, 103]);
    b.set(8, |_| 0);
    b.set(11, |_| 0);
    b.run_all(&["7cc014ed0800020002000000"]);
    assert_eq!([b.get(8, 31), b.get(11, 31)], [31, 131]);
}

// rule: out-of-range destinations act as EXEC 0, sources as VGPR 0; section RDNA 4 ISA 3.3.2.2.
#[test]
fn only_selected_registers_need_to_be_allocated() {
    let mut b = Bench::new(Target::Gfx1200, 32);
    b.poke(0, 5);
    b.set_address(2, |_| 0);
    b.set(0, |_| 77);
    // The wave has 64 VGPRs: v60 is slot 0, v64 slot 4. global_load_block v[60:91], v[2:3], off
    b.wave.sgpr[sreg::M0] = 0b1_0001;
    b.run_all(&["7cc014ee3c00000002000000"]);
    assert_eq!(b.get(60, 0), 0);
    b.wave.sgpr[sreg::M0] = 1;
    b.run_all(&["7cc014ee3c00000002000000"]);
    assert_eq!(b.get(60, 0), 5);
    // global_store_block v[2:3], v[60:91], off
    b.wave.sgpr[sreg::M0] = 0b1_0000;
    b.run_all(&["7c0015ee0000001e02000000"]);
    assert_eq!(b.peek(16), 77);
}
