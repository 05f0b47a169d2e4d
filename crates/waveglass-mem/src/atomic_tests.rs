use super::*;
use AtomicOp as Op;

// points: 3

fn keep(generation: Generation) -> AtomicRules {
    AtomicRules::lds(generation, false, false)
}

fn op32(op: Op, m: u32, d: u32, x: u32) -> u32 {
    op.apply32(m, d, x, keep(Generation::Gcn5))
}

fn op64(op: Op, m: u64, d: u64, x: u64) -> u64 {
    op.apply64(m, d, x, keep(Generation::Gcn5))
}

// Vega ISA 12.18 (FLAT_ATOMIC_*): "tmp = MEM[addr]; MEM[addr] = ...".
// rule: an arrival takes from the pending count, and one below zero steps the phase and starts the count
// again; section CDNA 5 ISA 11.2.2.
// points: 12
// claims: set.barrier-width
#[test]
fn an_arrival_that_borrows_from_the_phase_starts_the_count_again() {
    let rules = AtomicRules::integer(Generation::Cdna5);
    let arrive =
        |width, state: u64, by| AtomicOp::BarrierArrive(width).apply64(state, by, 0, rules);
    // Three arrivals: the count is two at first, and again afterwards.
    let initial = 2 << 32;
    assert_eq!(arrive(29, initial | 2, 1), initial | 1);
    assert_eq!(arrive(29, initial | 1, 1), initial);
    // 0 - 1 borrows: the phase (bits 31:29) goes from 0 to 7.
    assert_eq!(arrive(29, initial, 1), initial | 7 << 29 | 2);
    assert_eq!(arrive(29, initial | 7 << 29, 1), initial | 6 << 29 | 2);
    // Several at once.
    assert_eq!(arrive(29, initial | 7 << 29 | 2, 3), initial | 6 << 29 | 2);
    assert_eq!(arrive(21, initial | 1 << 21, 1), initial | 2);
    // 32 bits have no phase.
    assert_eq!(arrive(32, initial, 1), initial | 2);
    assert_eq!(arrive(32, initial | 5, 1), initial | 4);
}

// rule: integer atomics follow their definitions; section Vega ISA 12.6, 12.13, 12.18.1, RDNA 4 ISA
// 16.15.
#[test]
fn integer_operations_follow_their_definitions_at_32_bits() {
    for (op, m, d, x, want) in [
        (Op::Swap, 1, 2, 9, 2),
        (Op::CmpSwap, 5, 9, 5, 9),
        (Op::CmpSwap, 5, 9, 6, 5),
        (Op::Add, 0xffff_ffff, 2, 0, 1),
        (Op::Sub, 1, 2, 0, 0xffff_ffff),
        (Op::Rsub, 1, 2, 0, 1),
        (Op::Smin, 0xffff_ffff, 1, 0, 0xffff_ffff),
        (Op::Umin, 0xffff_ffff, 1, 0, 1),
        (Op::Smax, 0x8000_0000, 1, 0, 1),
        (Op::Umax, 0x8000_0000, 1, 0, 0x8000_0000),
        (Op::And, 0b1100, 0b1010, 0, 0b1000),
        (Op::Or, 0b1100, 0b1010, 0, 0b1110),
        (Op::Xor, 0b1100, 0b1010, 0, 0b0110),
        (Op::Inc, 6, 7, 0, 7),
        (Op::Inc, 7, 7, 0, 0),
        (Op::Inc, 8, 7, 0, 0),
        (Op::Inc, 0xffff_ffff, 0xffff_ffff, 0, 0),
        (Op::Dec, 0, 7, 0, 7),
        (Op::Dec, 8, 7, 0, 7),
        (Op::Dec, 7, 7, 0, 6),
        (Op::SubClamp, 3, 5, 0, 0),
        (Op::SubClamp, 5, 3, 0, 2),
        (Op::CondSub, 3, 5, 0, 3),
        (Op::CondSub, 5, 5, 0, 0),
        (Op::Wrap, 9, 4, 100, 5),
        (Op::Wrap, 3, 4, 100, 103),
        (Op::Mskor, 0xff00_ff00, 0x0f00_0f00, 0x11, 0xf000_f011),
    ] {
        assert_eq!(op32(op, m, d, x), want, "{op:?} {m:#x} {d:#x} {x:#x}");
    }
}

// rule: the 64-bit forms of integer atomics use all 64 bits; section Vega ISA 12.6, 12.13, 12.18.1.
#[test]
fn integer_operations_use_all_64_bits() {
    const TOP: u64 = 1 << 63;
    for (op, m, d, x, want) in [
        (Op::Add, 0xffff_ffff, 1, 0, 0x1_0000_0000),
        (Op::Smax, TOP, 1, 0, 1),
        (Op::Umax, TOP, 1, 0, TOP),
        (Op::CmpSwap, TOP | 5, 1, 5, TOP | 5),
        (Op::Inc, 0xffff_ffff, TOP, 0, 0x1_0000_0000),
        (Op::Dec, 0, TOP, 0, TOP),
        (Op::PkAddF16, 3, 4, 0, 3),
    ] {
        assert_eq!(op64(op, m, d, x), want, "{op:?}");
    }
}

// RDNA 3 ISA 13.3: signalling NaN first, then QNaN below everything for max, above for min.
#[test]
fn minimum_before_gfx12_quiets_a_signalling_nan_and_lets_numbers_beat_quiet_ones() {
    const SNAN: u32 = 0x7f80_0001;
    const QNAN: u32 = 0x7fc0_0002;
    const ONE: u32 = 0x3f80_0000;
    assert_eq!(op32(Op::FMin, SNAN, ONE, 0), 0x7fc0_0001);
    assert_eq!(op32(Op::FMax, ONE, SNAN, 0), 0x7fc0_0001);
    assert_eq!(op32(Op::FMin, QNAN, ONE, 0), ONE);
    assert_eq!(op32(Op::FMax, ONE, QNAN, 0), ONE);
    assert_eq!(op32(Op::FMin, QNAN, SNAN, 0), 0x7fc0_0001);
}

// RDNA 4 ISA 13.3: a NaN of either kind loses to a number; of two, the first is quieted.
#[test]
fn minimum_number_of_gfx12_lets_a_number_beat_any_nan() {
    let rules = keep(Generation::Rdna4);
    const SNAN: u32 = 0x7f80_0001;
    const ONE: u32 = 0x3f80_0000;
    assert_eq!(Op::FMin.apply32(SNAN, ONE, 0, rules), ONE);
    assert_eq!(Op::FMax.apply32(ONE, SNAN, 0, rules), ONE);
    assert_eq!(Op::FMax.apply32(SNAN, 0x7fc0_0009, 0, rules), 0x7fc0_0001);
}

// rule: in minimum and maximum -0 is less than +0; section RDNA 4 ISA 13.3.
#[test]
fn zeros_are_ordered_by_sign_in_minimum_and_maximum() {
    assert_eq!(op32(Op::FMin, 0, 0x8000_0000, 0), 0x8000_0000);
    assert_eq!(op32(Op::FMax, 0x8000_0000, 0, 0), 0);
    assert_eq!(op64(Op::FMin, 0, 1 << 63, 0), 1 << 63);
}

// rule: float additions round to nearest even; a NaN keeps its payload; section CDNA 2 ISA 9.5.1, RDNA
// 4 ISA 13.1, 13.3.
#[test]
fn float_addition_rounds_to_nearest_even_and_keeps_nan_payloads() {
    // 1 + 2^-24 is half way: to even, 1. 1 + 2^-23 + 2^-24 is half way: up to 1 + 2^-22.
    assert_eq!(op32(Op::FAdd, 0x3f80_0000, 0x3380_0000, 0), 0x3f80_0000);
    assert_eq!(op32(Op::FAdd, 0x3f80_0001, 0x3380_0000, 0), 0x3f80_0002);
    assert_eq!(op32(Op::FAdd, 0x7f80_0000, 0xff80_0000, 0), 0x7fc0_0000);
    assert_eq!(op32(Op::FAdd, 0x7f80_0001, 0x7fc0_0005, 0), 0x7fc0_0001);
    assert_eq!(op32(Op::FAdd, 0x8000_0000, 0, 0), 0);
    assert_eq!(
        op64(Op::FAdd, 0x3ff0_0000_0000_0000, 0x4000_0000_0000_0000, 0),
        0x4008_0000_0000_0000
    );
}

// RDNA 3 ISA 13.2: the cache's f32 adder flushes; RDNA 4's never does; LDS asks MODE.
#[test]
fn denormals_of_an_f32_addition_follow_the_generation() {
    let sum = |rules| Op::FAdd.apply32(1, 2, 0, rules);
    for (generation, want) in [
        (Generation::Cdna1, 0),
        (Generation::Cdna2, 0),
        (Generation::Cdna3, 3),
        (Generation::Cdna4, 3),
        (Generation::Rdna3, 0),
        (Generation::Rdna4, 3),
        (Generation::Cdna5, 3),
    ] {
        let rules = AtomicRules::memory(generation, Op::FAdd, AtomicWidth::B32, false);
        assert_eq!(sum(rules), want, "{generation:?}");
    }
    assert_eq!(sum(AtomicRules::lds(Generation::Rdna3, true, true)), 0);
    assert_eq!(sum(AtomicRules::lds(Generation::Rdna3, false, false)), 3);
    let f64_rules = AtomicRules::memory(Generation::Cdna2, Op::FAdd, AtomicWidth::B64, true);
    assert_eq!(Op::FAdd.apply64(1, 2, 0, f64_rules), 3);
}

// RDNA 3 ISA 13.2: "the result is an unmodified copy of one of the sources".
#[test]
fn minimum_flushes_for_the_comparison_only() {
    let rules = AtomicRules::memory(Generation::Rdna3, Op::FMin, AtomicWidth::B32, true);
    // Both count as +0: memory's value stays as it is.
    assert_eq!(Op::FMin.apply32(2, 1, 0, rules), 2);
    let kept = AtomicRules::memory(Generation::Rdna3, Op::FMin, AtomicWidth::B32, false);
    assert_eq!(Op::FMin.apply32(2, 1, 0, kept), 1);
}

// rule: a float compare and swap compares as numbers: zeros are equal, a NaN is unequal to itself;
// section RDNA 1 ISA 12.13.
#[test]
fn float_compare_swap_knows_equal_zeros_and_unequal_nans() {
    assert_eq!(op32(Op::FCmpSwap, 0x8000_0000, 7 << 23, 0), 7 << 23);
    assert_eq!(op32(Op::FCmpSwap, 0x7fc0_0000, 5, 0x7fc0_0000), 0x7fc0_0000);
}

// rule: packed additions add each half for itself; section CDNA 1 ISA 12.14, RDNA 4 ISA 16.15.
#[test]
fn packed_additions_treat_halves_apart() {
    // f16: 1.0 + 1.0 = 2.0 low; 65504 + 65504 = inf high.
    assert_eq!(op32(Op::PkAddF16, 0x7bff_3c00, 0x7bff_3c00, 0), 0x7c00_4000);
    // f16 denormals are kept: 2^-24 + 2^-24.
    assert_eq!(op32(Op::PkAddF16, 1, 1, 0), 2);
    // bf16: 1.0 + 2.0 = 3.0 low; 1 + 2^-8 is half way, to even: 1 high.
    assert_eq!(
        op32(Op::PkAddBf16, 0x3f80_3f80, 0x3b80_4000, 0),
        0x3f80_4040
    );
    assert_eq!(op32(Op::PkAddBf16, 0x7f81, 0x3f80, 0), 0x7fc1);
}

// rule: infinities of different signs add up to a quiet NaN, on gfx12 to the negative one; section RDNA 3 ISA 13.3,
// RDNA 4 ISA 13.3, CDNA 5 ISA 12.3.
#[test]
fn infinities_of_different_signs_add_up_to_a_quiet_nan() {
    const INF: u32 = 0x7f80_0000;
    for (generation, sign) in [
        (Generation::Cdna3, 0),
        (Generation::Rdna3, 0),
        (Generation::Rdna4, 1),
        (Generation::Cdna5, 1),
    ] {
        let rules = keep(generation);
        let negative = INF | 1 << 31;
        for (m, d) in [(INF, negative), (negative, INF)] {
            let sum = Op::FAdd.apply32(m, d, 0, rules);
            assert_eq!(sum, 0x7fc0_0000 | sign << 31, "{generation:?}");
        }
        let (inf, sign) = (0x7ff0_u64 << 48, u64::from(sign));
        let sum = Op::FAdd.apply64(inf, inf | 1 << 63, 0, rules);
        assert_eq!(sum, 0x7ff8 << 48 | sign << 63, "{generation:?}");
        let sign = sign as u32;
        let sum = Op::PkAddF16.apply32(0x7c00_fc00, 0xfc00_7c00, 0, rules);
        assert_eq!(sum, 0x7e00_7e00 | (0x8000_8000 * sign), "{generation:?}");
        let sum = Op::PkAddBf16.apply32(0x7f80_ff80, 0xff80_7f80, 0, rules);
        assert_eq!(sum, 0x7fc0_7fc0 | (0x8000_8000 * sign), "{generation:?}");
        // Rules 1, 2, 4 and 5 are the same everywhere.
        assert_eq!(Op::FAdd.apply32(negative, 5, 0, rules), negative);
        assert_eq!(
            Op::FAdd.apply32(negative | 1, INF, 0, rules),
            negative | 1 << 22 | 1
        );
    }
}

// rule: minimum and maximum of gfx12 work on the flushed denormals, those before store an operand unmodified;
// section RDNA 4 ISA 13.2, CDNA 5 ISA 12.2; RDNA 3 ISA 13.2, CDNA 3 ISA 9.2.2.
#[test]
fn minimum_and_maximum_of_gfx12_store_what_is_flushed() {
    for (generation, gfx12) in [
        (Generation::Cdna3, false),
        (Generation::Rdna3, false),
        (Generation::Rdna4, true),
        (Generation::Cdna5, true),
    ] {
        let rules = AtomicRules::lds(generation, true, false);
        let want = |kept: u32, flushed: u32| if gfx12 { flushed } else { kept };
        // Of 2^-148 and -1.0 the greater; of it and 1.0 the less; of a NaN and -2^-149.
        let one = 0x3f80_0000;
        let max = Op::FMax.apply32(2, one | 1 << 31, 0, rules);
        assert_eq!(max, want(2, 0), "{generation:?}");
        let min = Op::FMin.apply32(one, 2, 0, rules);
        assert_eq!(min, want(2, 0), "{generation:?}");
        let min = Op::FMin.apply32(0x7fc0_0000, 0x8000_0001, 0, rules);
        assert_eq!(min, want(0x8000_0001, 0x8000_0000), "{generation:?}");
        // 64 bits alike; without flushing nothing changes.
        let max = Op::FMax.apply64(2, 1 << 63 | 0x3ff0 << 48, 0, rules);
        assert_eq!(max, u64::from(want(2, 0)), "{generation:?}");
        let kept = AtomicRules::lds(generation, false, false);
        assert_eq!(Op::FMax.apply32(2, one | 1 << 31, 0, kept), 2);
    }
}

// rule: the f64 adder of LDS does not flush, the packed one of 16-bit floats does as MODE says; section CDNA 3 ISA
// 9.2.2, RDNA 4 ISA 13.2, CDNA 5 ISA 12.2.
#[test]
fn adders_of_lds_flush_at_16_and_32_bits_only() {
    for generation in [Generation::Cdna3, Generation::Rdna4, Generation::Cdna5] {
        let rules = AtomicRules::lds(generation, true, true);
        assert_eq!(Op::FAdd.apply64(1, 2, 0, rules), 3);
        assert_eq!(Op::FAdd.apply32(1, 2, 0, rules), 0);
        // Low halves: 2^-24 + 2^-23; high halves: -2^-24 + 1.
        assert_eq!(
            Op::PkAddF16.apply32(0x8001_0001, 0x3c00_0002, 0, rules),
            0x3c00_0000
        );
        assert_eq!(
            Op::PkAddBf16.apply32(0x8001_0001, 0x3f80_0002, 0, rules),
            0x3f80_0000
        );
        // 2^-14 - 2^-14 (1 + 2^-10) is -2^-24: a denormal result.
        let output = AtomicRules::lds(generation, false, true);
        assert_eq!(Op::PkAddF16.apply32(0x0400, 0x8401, 0, output), 0x8000);
        let kept = AtomicRules::lds(generation, false, false);
        assert_eq!(Op::PkAddF16.apply32(0x0400, 0x8401, 0, kept), 0x8001);
    }
}
