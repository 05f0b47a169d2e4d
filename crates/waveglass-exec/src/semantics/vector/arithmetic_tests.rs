//! Single vector instructions from real bytes, with results worked out by hand from the manuals.

use crate::testing::Bench;
use crate::wave::{Mode, sreg};
use waveglass_isa::Target;

/// A wave64 of gfx900 with `v0` and `v1` set in all lanes.
fn gfx900(v0: u32, v1: u32) -> Bench {
    bench(Target::Gfx900, 64, v0, v1)
}

fn bench(target: Target, lanes: u32, v0: u32, v1: u32) -> Bench {
    let mut b = Bench::new(target, lanes);
    b.set(0, |_| v0);
    b.set(1, |_| v1);
    b
}

fn set64(b: &mut Bench, register: usize, v: u64) {
    b.set(register, |_| v as u32);
    b.set(register + 1, |_| (v >> 32) as u32);
}

fn get64(b: &Bench, register: usize, lane: usize) -> u64 {
    b.get(register, lane) as u64 | (b.get(register + 1, lane) as u64) << 32
}

#[test]
fn clamp_saturates_integers_by_their_signedness() {
    let mut b = gfx900(0xffff_fff0, 0x20);
    b.run_all(&["028034d100030200"]); // v_add_u32_e64 v2, v0, v1 clamp
    assert_eq!(b.get(2, 0), u32::MAX);
    let mut b = gfx900(0x7fff_fff0, 0x20);
    b.run_all(&["02809cd200030200"]); // v_add_i32 v2, v0, v1 clamp
    assert_eq!(b.get(2, 63), 0x7fff_ffff);
    // -2^23 * (2^23 - 1) is far below the least 32-bit number.
    let mut b = gfx900(0x0080_0000, 0x007f_ffff);
    b.run_all(&["028006d100030200"]); // v_mul_i32_i24_e64 v2, v0, v1 clamp
    assert_eq!(b.get(2, 5), 0x8000_0000);
}

#[test]
fn a_carry_goes_through_vcc_and_only_active_lanes_write() {
    let mut b = gfx900(0, 1);
    b.set(0, |lane| if lane % 2 == 0 { u32::MAX } else { 7 });
    b.set(2, |_| 0xdead);
    b.wave.set_exec(0xff);
    b.run_all(&["00030432"]); // v_add_co_u32_e32 v2, vcc, v0, v1
    assert_eq!(b.wave.vcc(), 0x55);
    assert_eq!(
        [b.get(2, 0), b.get(2, 1), b.get(2, 8)],
        [0, 8, 0xdead],
        "lane 8 is off"
    );
    b.run_all(&["00030638"]); // v_addc_co_u32_e32 v3, vcc, v0, v1, vcc
    assert_eq!([b.get(3, 0), b.get(3, 1)], [1, 8]);
    assert_eq!(b.wave.vcc(), 0x55);
}

#[test]
fn a_clamped_borrow_gives_zero_and_the_borrow() {
    let mut b = gfx900(5, 3);
    b.run_all(&["02841bd100030200"]); // v_subrev_co_u32_e64 v2, s[4:5], v0, v1 clamp
    assert_eq!(b.get(2, 0), 0);
    assert_eq!(b.wave.s64(4), u64::MAX);
}

#[test]
fn wave32_carries_are_single_scalar_registers() {
    let mut b = bench(Target::Gfx1030, 32, 10, 3);
    b.wave.sgpr[5] = 0b10;
    b.wave.sgpr[6] = 0x1234;
    b.run_all(&["020429d500031600"]); // v_sub_co_ci_u32_e64 v2, s4, v0, v1, s5
    assert_eq!([b.get(2, 0), b.get(2, 1)], [7, 6]);
    assert_eq!([b.wave.sgpr[4], b.wave.sgpr[6]], [0, 0x1234]);
}

/// The division that LLVM emits for gfx900.
const DIVISION: &[&str] = &[
    "0204e0d101030204", // v_div_scale_f32 v2, s[4:5], v1, v1, v0
    "036ae0d100030204", // v_div_scale_f32 v3, vcc, v0, v1, v0
    "0245087e",         // v_rcp_f32_e32 v4, v2
    "0500cbd10209ca23", // v_fma_f32 v5, -v2, v4, 1.0
    "0400cbd105091204", // v_fma_f32 v4, v5, v4, v4
    "03090a0a",         // v_mul_f32_e32 v5, v3, v4
    "0600cbd1020b0e24", // v_fma_f32 v6, -v2, v5, v3
    "0500cbd106091604", // v_fma_f32 v5, v6, v4, v5
    "0200cbd1020b0e24", // v_fma_f32 v2, -v2, v5, v3
    "0200e2d102091604", // v_div_fmas_f32 v2, v2, v4, v5
    "0200ded102030204", // v_div_fixup_f32 v2, v2, v1, v0
];

#[test]
fn the_division_sequence_rounds_correctly_even_at_the_ends() {
    let numerators = [
        7.0,
        1.0e-38,
        3.0e38,
        -1.0,
        0.0,
        1.0,
        f32::MIN_POSITIVE,
        1.0e-30,
    ];
    let denominators = [3.0, 2.0e38, 1.0e-3, 0.0, 5.0, f32::INFINITY, 1.5, 3.0e-41];
    let mut b = gfx900(0, 0);
    b.set(0, |lane| f32::to_bits(numerators[lane % 8]));
    b.set(1, |lane| f32::to_bits(denominators[lane / 8]));
    b.run_all(DIVISION);
    for lane in 0..64 {
        let expected = numerators[lane % 8] / denominators[lane / 8];
        let got = f32::from_bits(b.get(2, lane));
        assert!(
            got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(),
            "{} / {} = {expected}, not {got}",
            numerators[lane % 8],
            denominators[lane / 8],
        );
    }
}

#[test]
fn wide_products_carry_out_and_clamp() {
    let mut b = gfx900(u32::MAX, u32::MAX);
    set64(&mut b, 2, u64::MAX);
    b.run_all(&["0406e8d100030a04"]); // v_mad_u64_u32 v[4:5], s[6:7], v0, v1, v[2:3]
    // (2^32-1)^2 - 1 = 0xfffffffe00000000, with a carry.
    assert_eq!(get64(&b, 4, 9), 0xffff_fffe_0000_0000);
    assert_eq!(b.wave.s64(6), u64::MAX);
    let mut b = gfx900(2, 3);
    set64(&mut b, 2, i64::MAX as u64);
    b.run_all(&["0486e9d100030a04"]); // v_mad_i64_i32 v[4:5], s[6:7], v0, v1, v[2:3] clamp
    assert_eq!(get64(&b, 4, 0), i64::MAX as u64);
}

#[test]
fn comparisons_clear_the_bits_of_lanes_that_are_off() {
    let mut b = gfx900(0, 0);
    b.set(0, |lane| (lane as u32).wrapping_sub(8));
    b.wave.set_exec(0xfffc);
    b.run_all(&["0003827d"]); // v_cmp_lt_i32_e32 vcc, v0, v1
    assert_eq!(b.wave.vcc(), 0xfc);
}

#[test]
fn cmpx_writes_exec_and_before_gfx10_a_mask_too() {
    let mut b = gfx900(0, 4);
    b.set(0, |lane| lane as u32);
    b.run_all(&["0400d1d000030200"]); // v_cmpx_lt_i32_e64 s[4:5], v0, v1
    assert_eq!([b.wave.exec(), b.wave.s64(4)], [0xf, 0xf]);
    let mut b = bench(Target::Gfx1030, 32, 0, 4);
    b.set(0, |lane| lane as u32);
    b.wave.sgpr[sreg::VCC_LO] = 77;
    b.run_all(&["0003227d"]); // v_cmpx_lt_i32_e32 v0, v1
    assert_eq!([b.wave.exec(), b.wave.vcc()], [0xf, 77]);
}

#[test]
fn unordered_values_fail_lg_and_pass_nlt() {
    let mut b = gfx900(f32::NAN.to_bits(), 1.0f32.to_bits());
    b.run_all(&["00039c7c"]); // v_cmp_nlt_f32_e32 vcc, v0, v1
    assert_eq!(b.wave.vcc(), u64::MAX);
    b.run_all(&["00038a7c"]); // v_cmp_lg_f32_e32 vcc, v0, v1
    assert_eq!(b.wave.vcc(), 0);
}

#[test]
fn the_class_is_of_the_negated_bits_and_sees_flushed_denormals() {
    // -(positive denormal) is class bit 4.
    let mut b = gfx900(1, 1 << 4);
    b.wave.mode = Mode(0);
    b.run_all(&["040010d000030220"]); // v_cmp_class_f32_e64 s[4:5], -v0, v1
    assert_eq!(b.wave.s64(4), u64::MAX);
    let mut b = gfx900(0, 0);
    set64(&mut b, 0, f64::INFINITY.to_bits());
    b.set(2, |_| 1 << 2);
    b.run_all(&["040012d000050220"]); // v_cmp_class_f64_e64 s[4:5], -v[0:1], v2
    assert_eq!(b.wave.s64(4), u64::MAX, "negative infinity");
}

#[test]
fn mbcnt_numbers_the_set_bits_below_each_lane() {
    let mut b = gfx900(0, 0);
    b.wave.sgpr[4] = u32::MAX;
    b.wave.sgpr[5] = 0xffff_0000;
    b.run_all(&["02008cd204000100", "02008dd205040200"]); // v_mbcnt_lo v2, s4, 0; _hi v2, s5, v2
    assert_eq!(
        [b.get(2, 0), b.get(2, 31), b.get(2, 40), b.get(2, 50)],
        [0, 31, 32, 34]
    );
    let mut b = bench(Target::Gfx1030, 32, 0, 100);
    b.wave.sgpr[4] = 0b1011;
    b.run_all(&["020065d704020200"]); // v_mbcnt_lo_u32_b32 v2, s4, v1
    assert_eq!([b.get(2, 0), b.get(2, 2), b.get(2, 31)], [100, 102, 103]);
}

#[test]
fn bitop3_reads_its_truth_table_with_the_first_source_highest() {
    let mut b = bench(Target::Gfx950, 64, 0xff00_ff00, 0xf0f0_f0f0);
    b.set(2, |_| 0xcccc_aaaa);
    b.run_all(&["030234d200030ad4"]); // v_bitop3_b32 v3, v0, v1, v2 bitop3:0x96 (xor)
    assert_eq!(b.get(3, 0), 0xff00_ff00 ^ 0xf0f0_f0f0 ^ 0xcccc_aaaa);
    b.run_all(&["030134d200030a5c"]); // v_bitop3_b32 v3, v0, v1, v2 bitop3:0xca (a ? b : c)
    assert_eq!(b.get(3, 63), 0xf0cc_f0aa);
}

#[test]
fn cndmask_takes_float_modifiers_and_flushes_nothing() {
    let mut b = gfx900(1, 0x8000_0005);
    b.wave.mode = Mode(0);
    b.wave.set_s64(4, 2);
    b.run_all(&["020200d100031220"]); // v_cndmask_b32_e64 v2, -v0, |v1|, s[4:5]
    assert_eq!([b.get(2, 0), b.get(2, 1)], [0x8000_0001, 5]);
}

#[test]
fn the_maximum_of_nans_differs_by_generation_and_mode() {
    let (first, second, signalling) = (0x7fc0_0001, 0x7fc0_0002, 0x7f80_0003);
    let mut b = gfx900(first, second);
    b.run_all(&["00030416"]); // v_max_f32_e32 v2, v0, v1
    assert_eq!(b.get(2, 0), second);
    let mut b = bench(Target::Gfx1100, 32, first, second);
    b.run_all(&["00030420"]); // v_max_f32_e32 v2, v0, v1
    assert_eq!(b.get(2, 0), first);
    // With MODE.IEEE a signalling NaN wins, quieted; without it the number does.
    let mut b = gfx900(signalling, 1.0f32.to_bits());
    b.run_all(&["00030416"]);
    assert_eq!(b.get(2, 0), 1.0f32.to_bits());
    b.wave.mode = Mode(0xf0 | 1 << 9);
    b.run_all(&["00030416"]);
    assert_eq!(b.get(2, 0), 0x7fc0_0003);
    let mut b = bench(Target::Gfx1201, 32, signalling, 1.0f32.to_bits());
    b.run_all(&["0003042c"]); // v_max_num_f32_e32 v2, v0, v1
    assert_eq!(b.get(2, 0), 1.0f32.to_bits());
}

#[test]
fn scalar_transcendentals_ignore_exec() {
    let mut b = bench(Target::Gfx1201, 32, 0, 0);
    b.wave.set_exec(0);
    b.wave.sgpr[5] = 4.0f32.to_bits();
    b.run_all(&["040084d605000020"]); // v_s_rcp_f32 s4, -s5
    assert_eq!(b.wave.sgpr[4], (-0.25f32).to_bits());
    b.run_all(&["048088d605000000"]); // v_s_sqrt_f32 s4, s5 clamp
    assert_eq!(b.wave.sgpr[4], 1.0f32.to_bits());
}

#[test]
fn masked_sums_of_absolute_differences_fill_four_registers() {
    let mut b = gfx900(0x0403_0201, 0x0807_0605);
    b.set(2, |_| 0x0a00_0a0a);
    for k in 0..4 {
        b.set(4 + k, |_| 100 * k as u32);
    }
    b.run_all(&["0800e7d100051204"]); // v_mqsad_u32_u8 v[8:11], v[0:1], v2, v[4:7]
    // The zero reference byte is left out: |1-10| + |2-10| + |4-10| = 23, three less each step.
    let sums: [u32; 4] = std::array::from_fn(|k| b.get(8 + k, 17));
    assert_eq!(sums, [23, 120, 217, 314]);
}

#[test]
fn output_modifiers_need_flushed_denormals() {
    let (x, y) = (1.5f32.to_bits(), 0.25f32.to_bits());
    let mut b = gfx900(x, y);
    b.run_all(&["020001d100030208"]); // v_add_f32_e64 v2, v0, v1 mul:2
    assert_eq!(b.get(2, 0), 1.75f32.to_bits(), "denormals are kept");
    b.wave.mode = Mode(0);
    b.run_all(&["020001d100030208"]);
    assert_eq!(b.get(2, 0), 3.5f32.to_bits());
    b.run_all(&["028001d100030200"]); // v_add_f32_e64 v2, v0, v1 clamp
    assert_eq!(b.get(2, 0), 1.0f32.to_bits());
    // A sum of -0 comes out as +0.
    let mut b = gfx900(0x8000_0000, 0x8000_0000);
    b.wave.mode = Mode(0);
    b.run_all(&["020001d100030208"]);
    assert_eq!(b.get(2, 0), 0);
}

#[test]
fn doubles_take_their_sign_modifiers_in_the_high_half() {
    let mut b = gfx900(0, 0);
    set64(&mut b, 0, 3.0f64.to_bits());
    set64(&mut b, 2, 5.0f64.to_bits());
    set64(&mut b, 6, 1.0f64.to_bits());
    b.run_all(&["0400ccd100051a84"]); // v_fma_f64 v[4:5], v[0:1], v[2:3], -v[6:7]
    assert_eq!(f64::from_bits(get64(&b, 4, 1)), 14.0);
    b.set(2, |_| -3i32 as u32);
    b.run_all(&["040084d200050200"]); // v_ldexp_f64 v[4:5], v[0:1], v2
    assert_eq!(f64::from_bits(get64(&b, 4, 33)), 0.375);
}

#[test]
fn shifts_of_64_bits_take_six_bits_of_the_count() {
    let mut b = gfx900(64 + 36, 0);
    set64(&mut b, 2, 0x1_0000_0001);
    b.run_all(&["04008fd200050200"]); // v_lshlrev_b64 v[4:5], v0, v[2:3]
    assert_eq!(get64(&b, 4, 0), 0x10_0000_0000);
}

#[test]
fn packed_bytes_replace_one_byte_of_their_accumulator() {
    let mut b = gfx900(300.0f32.to_bits(), 2);
    b.set(2, |_| 0x1122_3344);
    b.run_all(&["0200f0d100030200"]); // v_cvt_pkaccum_u8_f32 v2, v0, v1
    assert_eq!(b.get(2, 0), 0x11ff_3344);
    b.set(3, |_| 0x5566_7788);
    b.run_all(&["0200ddd100030e04"]); // v_cvt_pk_u8_f32 v2, v0, v1, v3
    assert_eq!(b.get(2, 0), 0x55ff_7788);
}

#[test]
fn madmk_multiplies_by_its_literal() {
    let mut b = gfx900(2.0f32.to_bits(), 0.5f32.to_bits());
    b.run_all(&["0003042e00004040"]); // v_madmk_f32 v2, v0, 0x40400000, v1
    assert_eq!(b.get(2, 0), 6.5f32.to_bits());
}

#[test]
fn halves_are_chosen_into_the_named_half() {
    let mut b = bench(Target::Gfx1100, 32, 0xaaaa_1111, 0x2222_bbbb);
    b.set(2, |_| 0x9999_9999);
    b.wave.set_mask(sreg::VCC_LO, 0b10);
    b.run_all(&["02505dd60003aa01"]); // v_cndmask_b16 v2.h, v0.l, v1.h, vcc_lo
    assert_eq!([b.get(2, 0), b.get(2, 1)], [0x1111_9999, 0x2222_9999]);
}

#[test]
fn fmamk_f64_multiplies_by_its_64_bit_literal() {
    let mut b = bench(Target::Gfx1250, 32, 0, 0);
    set64(&mut b, 0, 2.0f64.to_bits());
    set64(&mut b, 2, 0.5f64.to_bits());
    b.run_all(&["000508460000000000000840"]); // v_fmamk_f64 v[4:5], v[0:1], 3.0, v[2:3]
    assert_eq!(f64::from_bits(get64(&b, 4, 31)), 6.5);
}
