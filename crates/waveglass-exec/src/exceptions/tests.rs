//! Exceptions of single operations, worked out by hand from the manuals' definitions, and of many by
//! double-precision arithmetic.

use super::watch;
use crate::alu::float::widen_f16;
use crate::program::Step;
use crate::testing::Bench;
use crate::trap::Exceptions;
use crate::wave::{Mode, sreg};
use half::f16;
use waveglass_isa::Decoder;
use waveglass_isa::Target::{self, *};

pub(super) const NONE: Exceptions = Exceptions::NONE;
pub(super) const INV: Exceptions = Exceptions::INVALID;
pub(super) const DEN: Exceptions = Exceptions::INPUT_DENORMAL;
pub(super) const DIV: Exceptions = Exceptions::DIVISION_BY_ZERO;
pub(super) const OVF: Exceptions = Exceptions::OVERFLOW;
pub(super) const UNF: Exceptions = Exceptions::UNDERFLOW;
pub(super) const INX: Exceptions = Exceptions::INEXACT;
pub(super) const INT: Exceptions = Exceptions::INTEGER_DIVISION_BY_ZERO;

pub(super) const SNAN: u32 = 0x7fa0_0000;
pub(super) const QNAN: u32 = 0x7fc0_0000;
pub(super) const INF: u32 = 0x7f80_0000;
pub(super) const MAX: u32 = 0x7f7f_ffff;
/// The smallest normal number, the smallest subnormal one.
pub(super) const MIN: u32 = 0x0080_0000;
pub(super) const TINY: u32 = 1;
pub(super) const ONE: u32 = 0x3f80_0000;
pub(super) const TWO: u32 = 0x4000_0000;
pub(super) const MINUS: u32 = 0x8000_0000;

/// A wave on which operations tell their exceptions.
pub(super) struct Watched(pub(super) Bench);

impl Watched {
    pub(super) fn new(target: Target) -> Self {
        let mut b = Bench::new(target, target.default_wave_size());
        b.wave.mode = Mode(0xf0);
        Self(b)
    }

    pub(super) fn step(&mut self, hex: &str) -> Step {
        let bytes: Vec<u8> = (0..hex.len() / 2)
            .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex digits"))
            .collect();
        let inst = Decoder::new(self.0.wave.target)
            .wave_size(self.0.wave.lanes() as u32)
            .decode(&bytes)
            .unwrap_or_else(|e| panic!("{hex}: {e}"));
        let mut op = self.0.compile(&inst);
        watch(std::slice::from_mut(&mut op));
        self.0.run_op(&op)
    }

    /// What an operation raises on lane 5 alone, with v0 to v7 as given.
    pub(super) fn raises(&mut self, hex: &str, registers: &[(usize, u32)]) -> Exceptions {
        self.0.wave.set_exec(1 << 5);
        self.0.wave.trapsts = 0;
        self.0.wave.excp_flag_user = 0;
        for &(r, v) in registers {
            // Other lanes would raise everything.
            self.0.set(r, |lane| if lane == 5 { v } else { SNAN });
        }
        assert_eq!(self.step(hex), Step::Next, "{hex}");
        self.0.wave.raised_exceptions()
    }
}

pub(super) fn f(x: f32) -> u32 {
    x.to_bits()
}

/// `(hex, v1, v2, v3, what is raised)` on gfx900.
fn check(cases: &[(&str, u32, u32, u32, Exceptions)]) {
    let mut w = Watched::new(Gfx900);
    for &(hex, a, b, c, expected) in cases {
        let raised = w.raises(hex, &[(1, a), (2, b), (3, c)]);
        assert_eq!(raised, expected, "{hex} of {a:#x} {b:#x} {c:#x}: {raised}");
    }
}

// rule: sums, products and fused products raise invalid, input denormal, overflow, underflow and
// inexact by their exact results; section RDNA 3 ISA 3.4.9, RDNA 4 and CDNA 5 ISA 3.4.10, Vega ISA 3.10.
#[test]
fn arithmetic_in_single_precision() {
    let (add, sub, subrev, mul) = ("01050002", "01050004", "01050006", "0105000a");
    let (mul_legacy, fma, mad) = ("01050008", "0000cbd101050e04", "0000c1d101050e04");
    let third = f(1.0 / 3.0);
    check(&[
        (add, ONE, TWO, 0, NONE),
        // 1 + 2^-24 is half a place.
        (add, ONE, f(2f32.powi(-24)), 0, INX),
        (add, MAX, MAX, 0, OVF | INX),
        (add, INF, INF | MINUS, 0, INV),
        (add, INF, INF, 0, NONE),
        (sub, INF, INF, 0, INV),
        (subrev, INF, INF, 0, INV),
        (subrev, ONE, TWO, 0, NONE),
        (add, SNAN, ONE, 0, INV),
        (add, QNAN, ONE, 0, NONE),
        // The difference of neighbours is exact, if subnormal.
        (sub, MIN + 1, MIN, 0, UNF),
        (add, TINY, ONE, 0, DEN | INX),
        (mul, third, third, 0, INX),
        (mul, INF, 0, 0, INV),
        (mul, MAX, TWO, 0, OVF | INX),
        (mul, MIN, f(0.5), 0, UNF),
        (mul, MIN | 1, f(0.5), 0, UNF | INX),
        (mul, MIN, MIN, 0, UNF | INX),
        (mul, TINY, TINY, 0, DEN | UNF | INX),
        (mul, TINY, 0, 0, DEN),
        (mul_legacy, INF, 0, 0, NONE),
        (mul_legacy, third, third, 0, INX),
        (fma, third, third, third, INX),
        (fma, TWO, TWO, ONE, NONE),
        (fma, INF, 0, ONE, INV),
        (fma, INF, 0, QNAN, INV),
        (fma, INF, ONE, INF | MINUS, INV),
        (fma, INF, ONE, INF, NONE),
        (fma, ONE, ONE, SNAN, INV),
        // MAX * MAX - inf is not rounded at all.
        (fma, MAX, MAX, INF | MINUS, NONE),
        // The product alone would overflow: 2^127 * 2 - 2^127.
        (fma, f(2f32.powi(127)), TWO, f(-(2f32.powi(127))), NONE),
        (mad, f(2f32.powi(127)), TWO, f(-(2f32.powi(127))), OVF | INX),
        (mad, TWO, TWO, ONE, NONE),
        (mad, TINY, TWO, ONE, DEN),
    ]);
}

// rule: minimum, maximum, median and rounding to an integer signal signalling NaNs and subnormal
// operands; section RDNA 4 ISA 13.3, CDNA 5 ISA 12.3 ("If any input is sNaN, signal invalid
// exception"), RDNA 3 ISA 3.4.9.
#[test]
fn selections_and_roundings() {
    let (max, med3, trunc, frexp) = ("01050016", "0000d6d101050e04", "0139007e", "0167007e");
    check(&[
        (max, ONE, SNAN, 0, INV),
        (max, QNAN, ONE, 0, NONE),
        (max, TINY, ONE, 0, DEN),
        (max, INF, MAX, 0, NONE),
        (med3, ONE, TWO, SNAN, INV),
        (trunc, f(1.5), 0, 0, NONE),
        (trunc, SNAN, 0, 0, INV),
        (frexp, TINY, 0, 0, DEN),
        // Moves and selections of registers look at nothing; neither does the class.
        ("0103007e", SNAN, 0, 0, NONE),
        ("01050000", SNAN, TINY, 0, NONE),
        ("0105207c", SNAN, 3, 0, NONE),
    ]);
}

// rule: a comparison is invalid for quiet NaNs with the clamp bit alone; section Vega ISA 12.9.1, 6.5,
// RDNA 4 and CDNA 5 ISA 7.2.3.1.
#[test]
fn comparisons_signal_with_the_clamp_bit() {
    let (quiet, signalling) = ("0105827c", "028041d001050200");
    check(&[
        (quiet, QNAN, ONE, 0, NONE),
        (quiet, SNAN, ONE, 0, INV),
        (quiet, ONE, TINY, 0, DEN),
        (signalling, QNAN, ONE, 0, INV),
        (signalling, ONE, QNAN, 0, INV),
        (signalling, ONE, TWO, 0, NONE),
    ]);
}

// rule: reciprocals, roots, logarithms and exponentials raise division by zero at their poles and
// invalid where they are not defined; V_RCP_IFLAG_F32 raises integer division by zero alone; section
// RDNA 3 ISA 3.4.9, RDNA 4 and CDNA 5 ISA 3.4.10, Vega ISA 12.8 (V_RCP_IFLAG_F32).
#[test]
fn transcendentals() {
    let (rcp, iflag, rsq, sqrt) = ("0145007e", "0147007e", "0149007e", "014f007e");
    let (log, exp, sin) = ("0143007e", "0141007e", "0153007e");
    check(&[
        (rcp, 0, 0, 0, DIV),
        (rcp, MINUS, 0, 0, DIV),
        (rcp, f(3.0), 0, 0, INX),
        (rcp, f(4.0), 0, 0, NONE),
        (rcp, INF, 0, 0, NONE),
        (rcp, SNAN, 0, 0, INV),
        // 2^127 has the subnormal reciprocal 2^-127, which V_RCP_F32 flushes whatever MODE says.
        (rcp, f(2f32.powi(127)), 0, 0, UNF | INX),
        (rcp, TINY, 0, 0, DEN | DIV),
        (iflag, 0, 0, 0, INT),
        (iflag, SNAN, 0, 0, NONE),
        (iflag, f(3.0), 0, 0, NONE),
        (rsq, 0, 0, 0, DIV),
        (rsq, f(-1.0), 0, 0, INV),
        (rsq, f(4.0), 0, 0, NONE),
        (rsq, TWO, 0, 0, INX),
        (sqrt, f(-1.0), 0, 0, INV),
        (sqrt, MINUS, 0, 0, NONE),
        (sqrt, f(9.0), 0, 0, NONE),
        (sqrt, TWO, 0, 0, INX),
        (log, 0, 0, 0, DIV),
        (log, f(-2.0), 0, 0, INV),
        (log, f(8.0), 0, 0, NONE),
        (log, f(3.0), 0, 0, INX),
        (exp, f(3.0), 0, 0, NONE),
        (exp, f(0.5), 0, 0, INX),
        (exp, f(200.0), 0, 0, OVF | INX),
        (exp, f(-127.0), 0, 0, UNF | INX),
        (sin, INF, 0, 0, INV),
        (sin, f(0.25), 0, 0, NONE),
        (sin, f(0.1), 0, 0, INX),
    ]);
}

// rule: conversions to integers are invalid out of range and inexact "iff CLAMP == 1"; section Vega
// ISA 12.8 (V_CVT_I32_F32), CDNA 5 ISA 15.8 (V_CVT_I32_F32).
#[test]
fn conversions_to_integers() {
    let (plain, signed, unsigned) = ("0111007e", "008048d101010000", "008047d101010000");
    let (floor, nearest) = ("00804dd101010000", "00804cd101010000");
    check(&[
        (plain, f(1.5), 0, 0, NONE),
        (signed, f(1.5), 0, 0, INX),
        (signed, f(-7.0), 0, 0, NONE),
        (signed, f(2147483648.0), 0, 0, INV),
        (signed, f(-2147483648.0), 0, 0, NONE),
        (plain, INF, 0, 0, INV),
        (plain, QNAN, 0, 0, INV),
        (unsigned, f(-1.0), 0, 0, INV),
        // -0.5 truncates to zero.
        (unsigned, f(-0.5), 0, 0, INX),
        (unsigned, f(4294967296.0), 0, 0, INV),
        (floor, f(-0.5), 0, 0, INX),
        (nearest, f(2147483520.0), 0, 0, NONE),
        (nearest, f(0.5), 0, 0, INX),
    ]);
}

// rule: conversions between formats and from integers raise what rounding loses; section RDNA 3 ISA
// 3.4.9, RDNA 4 and CDNA 5 ISA 3.4.10.
#[test]
fn conversions_between_formats() {
    let (to_half, from_half) = ("0115007e", "0117007e");
    let (from_i32, from_u32, pkrtz) = ("010b007e", "010d007e", "000096d201050200");
    check(&[
        (to_half, f(1.5), 0, 0, NONE),
        (to_half, f(65519.0), 0, 0, INX),
        (to_half, f(65520.0), 0, 0, OVF | INX),
        (to_half, f(2f32.powi(-15)), 0, 0, UNF),
        (to_half, f(2f32.powi(-30)), 0, 0, UNF | INX),
        (to_half, TINY, 0, 0, DEN | UNF | INX),
        (to_half, SNAN, 0, 0, INV),
        (to_half, INF, 0, 0, NONE),
        (from_half, 0x3c00, 0, 0, NONE),
        (from_half, 1, 0, 0, DEN),
        (from_half, 0x7d00, 0, 0, INV),
        (from_i32, 16777217, 0, 0, INX),
        (from_i32, 16777216, 0, 0, NONE),
        (from_u32, u32::MAX, 0, 0, INX),
        (pkrtz, f(65519.0), ONE, 0, INX),
        (pkrtz, ONE, f(65535.0), 0, INX),
        (pkrtz, ONE, f(65536.0), 0, OVF | INX),
        (pkrtz, ONE, ONE, 0, NONE),
        // V_LDEXP_F32 and V_FRACT_F32
        ("000088d201050200", ONE, (-127i32) as u32, 0, UNF),
        ("000088d201050200", ONE, 128, 0, OVF | INX),
        ("000088d201050200", f(1.5), 3, 0, NONE),
        ("0137007e", f(1.5), 0, 0, NONE),
        ("0137007e", f(-1e-10), 0, 0, INX),
    ]);
}

// rule: V_DIV_FIXUP generates the division's invalid, denormal and divide-by-zero exceptions; section
// CDNA 3 ISA 12.11 (V_DIV_FIXUP_F32), RDNA 4 ISA 16.12, CDNA 5 ISA 15.14.
#[test]
fn the_last_step_of_a_division() {
    // v_div_fixup_f32 v0, v3, v2, v1: quotient, denominator, numerator.
    let fixup = "0000ded103050604";
    check(&[
        (fixup, 0, 0, ONE, INV),
        (fixup, INF, INF, ONE, INV),
        (fixup, ONE, 0, ONE, DIV),
        (fixup, INF, 0, ONE, NONE),
        (fixup, ONE, TINY, ONE, DEN),
        (fixup, SNAN, ONE, ONE, INV),
        (fixup, ONE, TWO, SNAN, NONE),
        (fixup, ONE, f(3.0), ONE, NONE),
    ]);
    let mut w = Watched::new(Gfx900);
    // V_DIV_FMAS_F32 scales its result by 2^64, by 2^-64 where the addend is small.
    let fmas = "0000e2d101050e04";
    for (vcc, c, expected) in [(0, ONE, NONE), (1 << 5, f(2f32.powi(100)), OVF | INX)] {
        w.0.wave.set_mask(sreg::VCC_LO, vcc);
        let raised = w.raises(fmas, &[(1, ONE), (2, f(2f32.powi(100))), (3, c)]);
        assert_eq!(raised, if vcc == 0 { expected | INX } else { expected });
    }
}

// rule: subnormal operands raise input denormal where they are flushed too, and a flushed result is
// inexact; section RDNA 3 ISA 3.4.9 ("one or more operands was subnormal").
#[test]
fn flushed_operands_and_results() {
    let mut w = Watched::new(Gfx900);
    w.0.wave.mode = Mode(0);
    let (add, mul) = ("01050002", "0105000a");
    assert_eq!(w.raises(add, &[(1, TINY), (2, ONE)]), DEN);
    assert_eq!(w.raises(mul, &[(1, MIN), (2, f(0.5))]), UNF | INX);
    // rcp of a flushed operand has a pole.
    assert_eq!(w.raises("0145007e", &[(1, TINY)]), DEN | DIV);
    // The rounding mode decides whether a sum overflows: toward zero it cannot pass the largest.
    w.0.wave.mode = Mode(0xf3);
    let half_place = f(2f32.powi(103));
    assert_eq!(w.raises(add, &[(1, MAX), (2, half_place)]), INX);
    w.0.wave.mode = Mode(0xf0);
    assert_eq!(w.raises(add, &[(1, MAX), (2, half_place)]), OVF | INX);
}

// rule: with an output modifier neither underflow nor inexact is reported; section RDNA 4 and CDNA 5
// ISA 7.2.3.1.
#[test]
fn output_modifiers_hide_what_rounding_loses() {
    let mut w = Watched::new(Gfx900);
    w.0.wave.mode = Mode(0);
    let doubled = "000001d101050208";
    let tie = f(2f32.powi(-24));
    assert_eq!(w.raises("01050002", &[(1, ONE), (2, tie)]), INX);
    assert_eq!(w.raises(doubled, &[(1, ONE), (2, tie)]), NONE);
    assert_eq!(w.raises(doubled, &[(1, INF), (2, INF | MINUS)]), INV);
    // Where denormals are kept the modifier is ignored.
    w.0.wave.mode = Mode(0xf0);
    assert_eq!(w.raises(doubled, &[(1, ONE), (2, tie)]), INX);
}

// rule: negation and absolute value act first, and the lanes that DPP gives nothing raise nothing;
// section Vega ISA 6.2, 6.1.
#[test]
fn modifiers_act_before_exceptions_are_raised() {
    let mut w = Watched::new(Gfx900);
    // v_add_f32_e64 v0, -|v1|, v2 and the plain sum.
    assert_eq!(w.raises("000101d101050220", &[(1, INF), (2, INF)]), INV);
    assert_eq!(w.raises("01050002", &[(1, INF), (2, INF)]), NONE);
    // v_add_f32_dpp row_shr:1: lane 5 takes lane 4, which is off.
    assert_eq!(w.raises("fa040002011101ff", &[(1, ONE), (2, ONE)]), NONE);
    // v_add_f32_sdwa over whole dwords.
    assert_eq!(
        w.raises("f904000201160606", &[(1, MAX), (2, MAX)]),
        OVF | INX
    );
}

// rule: double precision raises the same; section RDNA 3 ISA 3.4.9.
#[test]
fn arithmetic_in_double_precision() {
    let mut w = Watched::new(Gfx900);
    let mut check = |hex: &str, a: f64, b: f64, c: f64, expected: Exceptions| {
        let halves = |r, x: f64| {
            let bits = x.to_bits();
            [(r, bits as u32), (r + 1, (bits >> 32) as u32)]
        };
        let all = [halves(0, a), halves(2, b), halves(6, c)].concat();
        let raised = w.raises(hex, &all);
        assert_eq!(raised, expected, "{hex} of {a:e} {b:e} {c:e}: {raised}");
    };
    let (add, mul, fma) = ("040080d200050200", "040081d200050200", "0400ccd100051a04");
    let (tiny, min, max) = (f64::from_bits(1), f64::MIN_POSITIVE, f64::MAX);
    check(add, 1.0, 2.0, 0.0, NONE);
    check(add, 1.0, 2f64.powi(-53), 0.0, INX);
    check(add, max, max, 0.0, OVF | INX);
    check(add, tiny, 1.0, 0.0, DEN | INX);
    check(add, f64::INFINITY, f64::NEG_INFINITY, 0.0, INV);
    check(add, f64::from_bits(0x7ff4_0000_0000_0000), 1.0, 0.0, INV);
    check(mul, min, 0.5, 0.0, UNF);
    check(mul, min, min, 0.0, UNF | INX);
    check(mul, max, 2.0, 0.0, OVF | INX);
    check(fma, max, 2.0, -max, NONE);
    check(fma, 0.1, 0.1, 0.3, INX);
    check(fma, 3.0, 5.0, 1.0, NONE);
    // v_cvt_f32_f64, v_rcp_f64, v_sqrt_f64
    check("001f087e", 1e300, 0.0, 0.0, OVF | INX);
    check("001f087e", 0.1, 0.0, 0.0, INX);
    check("001f087e", 2f64.powi(-140), 0.0, 0.0, UNF);
    check("004b087e", 0.0, 0.0, 0.0, DIV);
    check("0051087e", -1.0, 0.0, 0.0, INV);
    check("0051087e", 2.25, 0.0, 0.0, NONE);
    check("0109087e", 0.0, 0.0, 0.0, NONE);
}

/// What a finite half-precision result of a wider exact value raises.
fn half_loss(exact: f64, result: u16) -> Exceptions {
    let mut e = NONE;
    if exact.abs() >= 65520.0 {
        e |= OVF | INX;
    } else if f64::from(widen_f16(result)) != exact {
        e |= INX;
    }
    if exact != 0.0 && exact.abs() < 2f64.powi(-14) {
        e |= UNF;
    }
    e
}

// rule: half precision and packed halves raise what their exact results say, either half for both;
// section Vega ISA 12.7 ("exception flags"), RDNA 3 ISA 3.4.9.
#[test]
fn halves_raise_what_their_exact_results_say() {
    let mut w = Watched::new(Gfx900);
    let mut state = 0x1234_5678_9abc_def0u64;
    let mut next = || {
        crate::testing::xorshift(&mut state);
        // A quarter of them among the subnormal numbers and the largest.
        let x = state as u16;
        match state >> 60 & 7 {
            0 => x & 0x83ff,
            1 => x & 0x83ff | 0x7800,
            _ => x,
        }
    };
    for _ in 0..4000 {
        let (a, b) = (next(), next());
        let (x, y) = (f16::from_bits(a), f16::from_bits(b));
        let finite = x.is_finite() && y.is_finite();
        let subnormal = |h: u16| h & 0x7c00 == 0 && h & 0x3ff != 0;
        let nan = |h: u16| h & 0x7e00 == 0x7c00 && h & 0x1ff != 0;
        let mut operands = NONE;
        if subnormal(a) || subnormal(b) {
            operands |= DEN;
        }
        if nan(a) || nan(b) {
            operands |= INV;
        }
        let (wx, wy) = (f64::from(x), f64::from(y));
        for (hex, packed, exact) in [
            ("0105003e", "00408fd301050218", wx + wy),
            ("01050044", "004090d301050218", wx * wy),
        ] {
            let expected = if finite {
                operands | half_loss(exact, f16::from_f64(exact).to_bits())
            } else if exact.is_nan() && !x.is_nan() && !y.is_nan() {
                operands | INV
            } else {
                operands
            };
            let registers = [(1, a.into()), (2, b.into())];
            assert_eq!(w.raises(hex, &registers), expected, "{hex} {a:#x} {b:#x}");
            // The same in the upper half of a pair whose lower half adds and multiplies zeros.
            let registers = [(1, u32::from(a) << 16), (2, u32::from(b) << 16)];
            assert_eq!(
                w.raises(packed, &registers),
                expected,
                "{packed} {a:#x} {b:#x}"
            );
        }
    }
    // v_fma_f16 and v_mad_f16: 256 * 256 - 65504 = 32, whose product alone overflows.
    let registers = [(1, 0x5c00), (2, 0x5c00), (3, 0xfbff)];
    assert_eq!(w.raises("000006d201050e04", &registers), NONE);
    assert_eq!(w.raises("000003d201050e04", &registers), OVF | INX);
}

// rule: mixed precision raises for halves as halves and rounds twice into halves; section RDNA 3 ISA
// 3.4.9.
#[test]
fn mixed_precision() {
    let mut w = Watched::new(Gfx906);
    let (mix, mix_half, mixlo) = ("0000a0d301050e04", "0000a0d301050e0c", "0000a1d301050e04");
    let ones = |a| [(1, a), (2, ONE), (3, 0)];
    assert_eq!(w.raises(mix, &ones(ONE)), NONE);
    assert_eq!(w.raises(mix, &ones(TINY)), DEN | UNF);
    // A subnormal half, and a signalling one.
    assert_eq!(w.raises(mix_half, &ones(1)), DEN);
    assert_eq!(w.raises(mix_half, &ones(0x7d00)), INV);
    assert_eq!(w.raises(mixlo, &ones(f(1.0 + 2f32.powi(-20)))), INX);
    assert_eq!(w.raises(mixlo, &ones(f(1e6))), OVF | INX);
    assert_eq!(w.raises(mixlo, &ones(f(1.5))), NONE);
}

// rule: a VOPD pair raises what either half raises; section RDNA 3 ISA 7.6, RDNA 4 and CDNA 5 ISA 7.8.
#[test]
fn a_pair_raises_what_either_half_raises() {
    let mut w = Watched::new(Gfx1100);
    // v_dual_mul_f32 v0, v1, v2 :: v_dual_add_f32 v3, v4, v5
    let pair = "0105c8c8040b0200";
    let set = |a, b| [(1, a), (2, ONE), (4, b), (5, INF | MINUS)];
    assert_eq!(w.raises(pair, &set(ONE, ONE)), NONE);
    assert_eq!(w.raises(pair, &set(TINY, ONE)), DEN | UNF);
    assert_eq!(w.raises(pair, &set(ONE, INF)), INV);
    assert_eq!(w.raises(pair, &set(SNAN, INF)), INV);
}

// rule: DX10_CLAMP suppresses the exceptions of the vector ALU on RDNA 3; section RDNA 3 ISA 3.4.2,
// RDNA 3.5 ISA 3.4.2.
#[test]
fn dx10_clamp_suppresses_exceptions_on_rdna3() {
    for (target, hex, expected) in [
        (Gfx900, "01050002", OVF | INX),
        (Gfx1100, "01050006", NONE),
        (Gfx1150, "01050006", NONE),
    ] {
        let mut w = Watched::new(target);
        w.0.wave.mode = Mode(0x1f0);
        let raised = w.raises(hex, &[(1, MAX), (2, MAX)]);
        assert_eq!(raised, expected, "{target}");
        w.0.wave.mode = Mode(0xf0);
        assert_eq!(w.raises(hex, &[(1, MAX), (2, MAX)]), OVF | INX, "{target}");
    }
}

// rule: scalar floating point raises what the vector operation raises; section RDNA 4 and CDNA 5 ISA
// 6.8.
#[test]
fn scalar_operations_raise_exceptions() {
    for target in [Gfx1150, Gfx1201, Gfx1250] {
        let mut w = Watched::new(target);
        let mut check = |hex: &str, a: u32, b: u32, expected: Exceptions| {
            (w.0.wave.sgpr[1], w.0.wave.sgpr[2]) = (a, b);
            assert_eq!(w.raises(hex, &[]), expected, "{target} {hex}");
        };
        let (add, lt) = ("010200a0", "010241bf");
        check(add, MAX, MAX, OVF | INX);
        check(add, ONE, TWO, NONE);
        check(add, TINY, ONE, DEN | INX);
        check(lt, SNAN, ONE, INV);
        check(lt, QNAN, ONE, NONE);
        check(lt, ONE, TINY, DEN);
    }
}

// rule: matrix operations and packed bfloat16 report none; section CDNA 3 ISA 7.3, RDNA 3 ISA 7.9,
// RDNA 4 and CDNA 5 ISA 7.12, CDNA 5 ISA 7.7.
#[test]
fn matrix_operations_report_nothing() {
    // v_mfma_f32_4x4x4f16, v_wmma_f32_16x16x16_f16, v_pk_add_bf16
    for (target, hex) in [
        (Gfx942, "0000cad3040d0204"),
        (Gfx1100, "084040cc0001221c"),
        (Gfx1250, "004023cc01050218"),
    ] {
        let mut w = Watched::new(target);
        for r in 0..16 {
            w.0.set(r, |_| 0x7bff_7bff);
        }
        assert_eq!(w.step(hex), Step::Next, "{target}");
        assert_eq!(w.0.wave.raised_exceptions(), NONE, "{target}");
    }
    // v_pk_mul_f32 reports.
    let mut w = Watched::new(Gfx942);
    let registers = [(0, ONE), (1, MAX), (2, ONE), (3, MAX)];
    assert_eq!(w.raises("0440b1d300050218", &registers), OVF | INX);
}

#[test]
fn nothing_is_watched_where_nothing_can_tell() {
    use crate::program::{Options, Program, Registers};
    let registers = Registers { vgprs: 8, agprs: 0 };
    let watches = |words: &[u32], exceptions| {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let code = crate::program::Code {
            bytes: &bytes,
            base: 0,
            entries: &[],
        };
        let options = Options {
            exceptions,
            ..Options::default()
        };
        Program::build(Gfx900, 64, code, None, registers, options).watches_exceptions()
    };
    let sum = 0x0200_0501;
    // hwreg(HW_REG_MODE, 0, 4), hwreg(HW_REG_MODE, 12, 7), hwreg(HW_REG_TRAPSTS, 8, 1) and (0, 7).
    let (mode, enable) = (0xba00_1801, 0xba00_3301);
    let (violation, flags) = (0xb880_0203, 0xb880_3003);
    assert!(!watches(&[sum, mode, 0], NONE));
    assert!(!watches(&[sum, violation], NONE));
    assert!(watches(&[sum, enable, 1], NONE));
    assert!(watches(&[sum, flags], NONE));
    assert!(watches(&[sum], INV));
    assert!(!watches(&[sum], Exceptions::MEMORY_VIOLATION));
}

#[test]
fn nothing_that_is_executed_is_of_unknown_exceptions() {
    use super::{Verdict, verdict};
    use crate::semantics::{Semantics, find};
    // v_nop stands for instructions that no flag sets apart.
    let inst = Decoder::new(Gfx900).decode(&[0, 0, 0, 0x7e]).unwrap();
    let mut unknown: Vec<&str> = waveglass_isa::rows()
        .iter()
        .map(|row| row.mnemonic)
        .filter(|name| match find(name) {
            Some(Semantics::Valu(spec)) => {
                let v = verdict(&inst, name, spec.sources, spec.result, false);
                v == Verdict::Unknown
            }
            _ => false,
        })
        .collect();
    unknown.sort_unstable();
    unknown.dedup();
    assert!(unknown.is_empty(), "{unknown:?}");
}
