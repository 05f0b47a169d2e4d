//! Operations that are a few instructions on their sources, one after the other.

use super::super::encode::{Form, LEFT, MAXIMUM, MINIMUM, RIGHT, forms::*};

/// A value of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum V {
    /// A source, which no step changes.
    S(u8),
    /// The second dword of a source.
    H(u8),
    /// The lower or upper half of a source as a single.
    Half(u8, bool),
    /// A temporary of the steps' own, zero to three; at the end the first has the result, and the second
    /// that of the upper dword.
    T(u8),
    /// A constant, in every lane. Only as the last operand.
    C(u32),
    /// The same in a register, for instructions that take no constant.
    K(u32),
    /// A constant for each lane.
    Row([u32; 16]),
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum Step {
    /// Of one operand.
    One(Form, V, V),
    /// Of two.
    Two(Form, V, V, V),
    /// Of one and an immediate.
    OneImm(Form, V, V, u8),
    /// Of two and an immediate.
    Imm(Form, V, V, V, u8),
    /// Of two, in the lanes of the last test.
    Where(Form, V, V, V),
    /// A shift by a constant, by its opcode extension.
    Shift(u8, V, V, u8),
    /// A test of two, by an immediate where the instruction has one.
    Test(Form, V, V, Option<u8>),
    /// The operation gives up where either is a NaN.
    Numbers(V, V),
    /// The operation gives up where the first as an unsigned number is above the second.
    AtMost(V, V),
    /// The operation gives up where the result is a NaN.
    NumberInTheEnd,
}

use Step::*;
use V::{C, H, Half, K, Row, S, T};

/// Whether a result may be a NaN that makes the operation give up.
pub(super) fn may_give_nan(steps: &[Step]) -> bool {
    steps.contains(&NumberInTheEnd)
}

const SIGN_BIT: u32 = 0x8000_0000;
const EXPONENT: u32 = 0x7f80_0000;
const fn copy(to: V, from: V) -> Step {
    One(VMOVUPS_LOAD, to, from)
}

pub(super) const XNOR: &[Step] = &[copy(T(0), S(0)), Imm(VPTERNLOGD, T(0), S(1), S(1), 0xc3)];

pub(super) const FIELD: &[Step] = &[
    Two(VPANDD, T(0), S(1), C(31)),
    Two(VPSRLVD, T(0), S(0), T(0)),
    Two(VPANDD, T(1), S(2), C(31)),
    Imm(VPTERNLOGD, T(2), T(2), T(2), 0xff),
    Two(VPSLLVD, T(2), T(2), T(1)),
    Two(VPANDND, T(0), T(2), T(0)),
];

pub(super) const FIELD_SIGNED: &[Step] = &[
    Two(VPANDD, T(0), S(1), C(31)),
    Two(VPSRAVD, T(0), S(0), T(0)),
    Two(VPANDD, T(1), S(2), C(31)),
    // A shift by 32 leaves nothing.
    Two(VPXORD, T(2), T(2), T(2)),
    Two(VPSUBD, T(2), T(2), T(1)),
    Two(VPADDD, T(2), T(2), C(32)),
    Two(VPSLLVD, T(0), T(0), T(2)),
    Two(VPSRAVD, T(0), T(0), T(2)),
];

pub(super) const FIELD_MASK: &[Step] = &[
    Two(VPANDD, T(1), S(0), C(31)),
    Imm(VPTERNLOGD, T(0), T(0), T(0), 0xff),
    Two(VPSLLVD, T(0), T(0), T(1)),
    Imm(VPTERNLOGD, T(0), T(0), T(0), 0x55),
    Two(VPANDD, T(1), S(1), C(31)),
    Two(VPSLLVD, T(0), T(0), T(1)),
];

/// What follows where the first temporary is a count of bits: the low dword of two that are shifted
/// right by it.
macro_rules! align {
    ($($before:expr),*) => {
        &[
            $($before,)*
            Two(VPSRLVD, T(1), S(1), T(0)),
            // 32 less the count; a shift by 32 leaves nothing.
            Two(VPXORD, T(2), T(2), T(2)),
            Two(VPSUBD, T(0), T(2), T(0)),
            Two(VPADDD, T(0), T(0), C(32)),
            Two(VPSLLVD, T(0), S(0), T(0)),
            Two(VPORD, T(0), T(0), T(1)),
        ]
    };
}

pub(super) const ALIGN_BITS: &[Step] = align![Two(VPANDD, T(0), S(2), C(31))];

pub(super) const ALIGN_BYTES: &[Step] =
    align![Two(VPANDD, T(0), S(2), C(3)), Shift(LEFT, T(0), T(0), 3)];

/// Bytes of two dwords by their numbers; those that stand for signs and constants are the handlers'.
pub(super) const PERMUTE: &[Step] = &[
    Two(VPANDD, T(1), S(2), C(0xf8f8_f8f8)),
    AtMost(T(1), C(0)),
    // Numbers within the quarter of a vector that a lane lies in.
    Two(VPANDD, T(1), S(2), C(0x0303_0303)),
    Two(VPORD, T(1), T(1), Row(FIRST_BYTES)),
    Two(VPSHUFB, T(0), S(1), T(1)),
    Two(VPSHUFB, T(1), S(0), T(1)),
    Test(VPTESTMB, S(2), K(0x0404_0404), None),
    Where(VPBLENDMB, T(0), T(0), T(1)),
];

/// The number of each lane's first byte within its quarter of a vector, four times.
const FIRST_BYTES: [u32; 16] = {
    let mut row = [0; 16];
    let mut lane = 0;
    while lane < 16 {
        row[lane] = 0x0404_0404 * (lane as u32 % 4);
        lane += 1;
    }
    row
};

pub(super) const DIFFERENCE: &[Step] = &[
    Two(VPMAXUD, T(0), S(0), S(1)),
    Two(VPMINUD, T(1), S(0), S(1)),
    Two(VPSUBD, T(0), T(0), T(1)),
    Two(VPADDD, T(0), T(0), S(2)),
];

pub(super) const MEDIAN_SIGNED: &[Step] = &[
    Two(VPMAXSD, T(0), S(0), S(1)),
    Two(VPMINSD, T(1), S(0), S(1)),
    Two(VPMINSD, T(0), T(0), S(2)),
    Two(VPMAXSD, T(0), T(0), T(1)),
];

pub(super) const MEDIAN_UNSIGNED: &[Step] = &[
    Two(VPMAXUD, T(0), S(0), S(1)),
    Two(VPMINUD, T(1), S(0), S(1)),
    Two(VPMINUD, T(0), T(0), S(2)),
    Two(VPMAXUD, T(0), T(0), T(1)),
];

/// As the manuals have it: of what equals the maximum, zeros of both signs alike, the first is left out.
pub(super) const MEDIAN: &[Step] = &[
    Imm(VRANGEPS, T(0), S(0), S(1), MAXIMUM),
    Imm(VRANGEPS, T(1), T(0), S(2), MAXIMUM),
    Imm(VRANGEPS, T(2), S(0), S(2), MAXIMUM),
    Test(VCMPPS, T(1), S(1), Some(0)),
    Where(VPORD, T(0), T(2), T(2)),
    Imm(VRANGEPS, T(2), S(1), S(2), MAXIMUM),
    Test(VCMPPS, T(1), S(0), Some(0)),
    Where(VPORD, T(0), T(2), T(2)),
    Numbers(S(0), S(1)),
    Numbers(S(2), S(2)),
];

pub(super) const MAXIMUM_MINIMUM: &[Step] = &[
    Imm(VRANGEPS, T(0), S(0), S(1), MAXIMUM),
    Imm(VRANGEPS, T(0), T(0), S(2), MINIMUM),
    Numbers(S(0), S(1)),
    Numbers(S(2), S(2)),
];

pub(super) const MINIMUM_MAXIMUM: &[Step] = &[
    Imm(VRANGEPS, T(0), S(0), S(1), MINIMUM),
    Imm(VRANGEPS, T(0), T(0), S(2), MAXIMUM),
    Numbers(S(0), S(1)),
    Numbers(S(2), S(2)),
];

/// Denormals become zeros with their sign.
const fn flush(to: V) -> [Step; 2] {
    [
        Test(VPTESTNMD, to, C(EXPONENT), None),
        Where(VPANDD, to, to, C(SIGN_BIT)),
    ]
}

/// With two roundings, and no denormals anywhere.
pub(super) const MULTIPLY_ADD: &[Step] = &{
    let (a, b) = (flush(T(0)), flush(T(1)));
    [
        copy(T(0), S(0)),
        a[0],
        a[1],
        copy(T(1), S(1)),
        b[0],
        b[1],
        Two(VMULPS, T(0), T(0), T(1)),
        a[0],
        a[1],
        copy(T(1), S(2)),
        b[0],
        b[1],
        Two(VADDPS, T(0), T(0), T(1)),
        a[0],
        a[1],
        NumberInTheEnd,
    ]
};

pub(super) const FRACTION: &[Step] = &[
    OneImm(VRNDSCALEPS, T(0), S(0), 9),
    Two(VSUBPS, T(0), S(0), T(0)),
    Numbers(T(0), T(0)),
    // At most the largest below one.
    Imm(VRANGEPS, T(0), T(0), C(0x3f7f_ffff), MINIMUM),
];

pub(super) const SCALE: &[Step] = &[
    One(VCVTDQ2PS, T(0), S(1)),
    Two(VSCALEFPS, T(0), S(0), T(0)),
    NumberInTheEnd,
];

pub(super) const RECIPROCAL: &[Step] = &{
    let (result, source) = (flush(T(0)), flush(T(1)));
    [
        copy(T(1), S(0)),
        source[0],
        source[1],
        Two(VPXORD, T(0), T(0), T(0)),
        Two(VPORD, T(0), T(0), C(0x3f80_0000)),
        Two(VDIVPS, T(0), T(0), T(1)),
        result[0],
        result[1],
        NumberInTheEnd,
    ]
};

pub(super) const ROOT: &[Step] = &{
    let source = flush(T(0));
    [
        copy(T(0), S(0)),
        source[0],
        source[1],
        One(VSQRTPS, T(0), T(0)),
        NumberInTheEnd,
    ]
};

const fn byte(shift: u8) -> [Step; 3] {
    [
        Shift(RIGHT, T(0), S(0), shift),
        Two(VPANDD, T(0), T(0), C(0xff)),
        One(VCVTDQ2PS, T(0), T(0)),
    ]
}

pub(super) const BYTE_0: &[Step] = &byte(0);
pub(super) const BYTE_1: &[Step] = &byte(8);
pub(super) const BYTE_2: &[Step] = &byte(16);
pub(super) const BYTE_3: &[Step] = &byte(24);

/// Shifts of the second source by the first, modulo the width of what is shifted.
const fn shift(form: Form, bits: u32) -> [Step; 2] {
    [
        Two(VPANDD, T(0), S(0), C(bits)),
        Two(form, T(0), S(1), T(0)),
    ]
}

pub(super) const SHIFT_LEFT_HALF: &[Step] = &shift(VPSLLVD, 15);
pub(super) const SHIFT_RIGHT_HALF: &[Step] = &shift(VPSRLVD, 15);
pub(super) const SHIFT_SIGN_HALF: &[Step] = &shift(VPSRAVD, 15);
pub(super) const SHIFT_LEFT_PAIR: &[Step] = &shift(VPSLLVW, 0xf_000f);
pub(super) const SHIFT_RIGHT_PAIR: &[Step] = &shift(VPSRLVW, 0xf_000f);
pub(super) const SHIFT_SIGN_PAIR: &[Step] = &shift(VPSRAVW, 0xf_000f);

/// The division's scaling where nothing is scaled, of dwords that have the exponent at a bit: the
/// exponents of denominator and numerator, and what is between them, within these ranges.
macro_rules! unscaled {
    ($part:ident, $at:expr, $mask:expr, $denominators:expr, $numerators:expr, $quotients:expr, $($result:expr),*) => {
        &[
            Shift(RIGHT, T(0), $part(1), $at),
            Two(VPANDD, T(0), T(0), C($mask)),
            Shift(RIGHT, T(1), $part(2), $at),
            Two(VPANDD, T(1), T(1), C($mask)),
            Two(VPSUBD, T(2), T(1), T(0)),
            Two(VPSUBD, T(0), T(0), C($denominators.0)),
            AtMost(T(0), C($denominators.1 - $denominators.0)),
            Two(VPSUBD, T(1), T(1), C($numerators.0)),
            AtMost(T(1), C($numerators.1 - $numerators.0)),
            Two(VPADDD, T(2), T(2), C($quotients.0)),
            AtMost(T(2), C($quotients.0 + $quotients.1)),
            $($result),*
        ]
    };
}

/// As [`unscaled_f32`](crate::alu::division::unscaled_f32).
pub(super) const UNSCALED: &[Step] = unscaled!(
    S,
    23,
    0xff,
    (1, 250),
    (24, 254),
    (120, 95),
    copy(T(0), S(0))
);

/// As [`unscaled_f64`](crate::alu::division::unscaled_f64).
pub(super) const UNSCALED_DOUBLE: &[Step] = unscaled!(
    H,
    20,
    0x7ff,
    (1, 2040),
    (54, 2046),
    (1000, 767),
    copy(T(0), S(0)),
    copy(T(1), H(0))
);

/// The quotient with its sign, for normal sources and no underflow.
macro_rules! ordinary_quotient {
    ($part:ident, $at:expr, $mask:expr, $under:expr, $to:expr, $($result:expr),*) => {
        &[
            Shift(RIGHT, T(0), $part(1), $at),
            Two(VPANDD, T(0), T(0), C($mask)),
            Shift(RIGHT, T(1), $part(2), $at),
            Two(VPANDD, T(1), T(1), C($mask)),
            Two(VPSUBD, T(2), T(1), T(0)),
            Two(VPADDD, T(2), T(2), C($under)),
            AtMost(T(2), C(0x7fff_ffff)),
            Two(VPSUBD, T(0), T(0), C(1)),
            AtMost(T(0), C($mask - 2)),
            Two(VPSUBD, T(1), T(1), C(1)),
            AtMost(T(1), C($mask - 2)),
            Two(VPXORD, $to, $part(1), $part(2)),
            Two(VPANDD, $to, $to, C(SIGN_BIT)),
            Two(VPANDD, T(2), $part(0), C(!SIGN_BIT)),
            Two(VPORD, $to, $to, T(2)),
            $($result),*
        ]
    };
}

pub(super) const ORDINARY_QUOTIENT: &[Step] =
    ordinary_quotient!(S, 23, 0xff, 150, T(0), NumberInTheEnd);

pub(super) const ORDINARY_QUOTIENT_DOUBLE: &[Step] = ordinary_quotient!(
    H,
    20,
    0x7ff,
    1075,
    T(1),
    copy(T(0), S(0)),
    // Neither infinite nor a NaN.
    Two(VPANDD, T(2), T(1), C(0x7ff0_0000)),
    AtMost(T(2), C(0x7fe0_0000))
);

const LOW: bool = false;
const HIGH: bool = true;

/// Both products of halves, then the addend.
pub(super) const DOT_ADDEND_LAST: &[Step] = &[
    Two(VMULPS, T(0), Half(0, LOW), Half(1, LOW)),
    Two(VMULPS, T(1), Half(0, HIGH), Half(1, HIGH)),
    Two(VADDPS, T(0), T(0), T(1)),
    Two(VADDPS, T(0), T(0), S(2)),
    NumberInTheEnd,
];

/// The addend, then one product after the other.
pub(super) const DOT_ADDEND_FIRST: &[Step] = &[
    Two(VMULPS, T(0), Half(0, LOW), Half(1, LOW)),
    Two(VADDPS, T(0), S(2), T(0)),
    Two(VMULPS, T(1), Half(0, HIGH), Half(1, HIGH)),
    Two(VADDPS, T(0), T(0), T(1)),
    NumberInTheEnd,
];
