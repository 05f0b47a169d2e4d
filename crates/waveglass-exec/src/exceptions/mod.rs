//! Floating-point exceptions: which flags an operation raises on its active lanes.
//!
//! Programs hardly ever ask. So nothing of this runs unless a program can tell: it reads the flags
//! (`s_getreg_b32` of TRAPSTS or EXCP_FLAG_USER), enables exceptions (MODE.EXCP_EN, TRAP_CTRL, the
//! kernel descriptor, the launch), or comes with a trap handler that does. [`watch`] then puts other
//! handlers in the place of those of floating-point operations.
//!
//! `rule.rs` says by name what an operation can raise, `lane.rs` works it out for one lane, from the
//! operands alone and in integers (`alu/rounding.rs`).
//!
//! # What the manuals define, and how the rest is read
//!
//! RDNA 3 (3.4.9), RDNA 4 and CDNA 5 (3.4.10) define the seven kinds; Vega, CDNA 1 to 4, RDNA 1 and 2
//! (3.10) only name them, and are read in the same way. By those texts:
//!
//! * *invalid*: 0 × ∞, 0 / 0, √ of a negative number, any signalling NaN; ∞ − ∞ and ∞ / ∞ besides
//!   (IEEE 754 7.2). Conversions to integers raise it for NaN and out of range, as IEEE 754 has it.
//! * *input denormal*: "one or more operands was subnormal", whether MODE flushes it or not.
//! * *underflow*: "the exact or rounded result is less than the smallest normal number", exact results
//!   included. *Inexact*: the result differs from the exact one, by a flush too.
//! * Comparisons signal for quiet NaNs only with the clamp bit (Vega ISA 12.9.1).
//! * Conversions to integers raise *inexact* "iff CLAMP == 1".
//! * DX10_CLAMP suppresses all of them on RDNA 3 and 3.5 (RDNA3 ISA 3.4.2).
//! * Transcendentals raise what the exact function of the operand raises.
//! * Rounding to an integer in place (`v_trunc_f32`) raises no *inexact*.
//! * Sums of products are told step by step (`sums.rs`), conversions of 8-bit and smaller floats, stochastic
//!   ones and normalized integers as IEEE 754 has conversions (`conversions.rs`), which also says what of the
//!   manuals that rests on. Conversions to packed integers (`v_cvt_pk_u8_f32`) are those to integers, whose
//!   *inexact* no clamp bit is said to switch.
//! * `v_mullit_f32` and `v_cubema_f32` raise what the product raises that their listings write;
//!   `v_trig_preop_f64` what its operand is, and what the segment loses where it becomes denormal.
//! * Matrix operations report nothing but for the products of doubles of CDNA 3 and 4; 16-bit packed
//!   bfloat16 of CDNA 5 nothing either.

mod conversions;
mod lane;
mod reading;
#[cfg(test)]
mod reading_tests;
mod rule;
mod sums;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use conversions::{Encoding, decoded, scaled};
use lane::invalid;
pub(crate) use lane::{Context, Number};
pub use reading::exception_reading;
pub(crate) use rule::{Rule, Verdict, verdict};
pub(crate) use sums::fused_double;

use crate::machine::Machine;
use crate::program::{Op, Step};
use crate::trap::Exceptions;
use crate::valu::{self, Ty};
use crate::wave::Wave;

/// Why an operation is refused in a program that watches exceptions.
pub(crate) const UNKNOWN: &str =
    "the program reads exception flags or has exceptions trap, and no manual says what it raises";

/// The bit of an op's immediate that has its handler work out exceptions.
pub(crate) const TOLD: u64 = 1 << 63;

/// Makes a program's floating-point operations tell their exceptions.
pub(crate) fn watch(ops: &mut [Op]) {
    for op in ops {
        if op.refused.is_some() {
            continue;
        }
        if op.mnemonic().starts_with("s_cmp_") && op.mnemonic().contains("_f") {
            wrap(op, run_scalar_comparison);
            continue;
        }
        match valu::watch(op) {
            Some(false) => {}
            Some(true) => wrap(op, valu::run_watched),
            None => {
                op.refused = Some(UNKNOWN);
                op.run = |m, op| m.refuse(op, UNKNOWN);
            }
        }
    }
}

fn wrap(op: &mut Op, run: crate::program::Handler) {
    let plain = op.clone();
    op.run = run;
    op.parts = Box::new([plain]);
}

/// Whether exceptions are suppressed: "when set, … also suppress all VALU exceptions" (RDNA3 and
/// RDNA3.5 ISA 3.4.2, DX10_CLAMP).
pub(crate) fn suppressed(wave: &Wave) -> bool {
    wave.target.major() == 11 && wave.mode.dx10_clamp()
}

/// A comparison of the scalar unit.
fn run_scalar_comparison(m: &mut Machine<'_>, op: &Op) -> Step {
    let [plain] = &*op.parts else {
        return Step::Next;
    };
    let ty = match op.mnemonic().ends_with("f16") {
        true => Ty::F16,
        false => Ty::F32,
    };
    let mut raised = Exceptions::NONE;
    for s in &op.s[..2] {
        raised |= Number::of(m.s32(*s).into(), ty, false).operand();
    }
    let step = (plain.run)(m, plain);
    if step != Step::Next || raised.is_empty() || suppressed(m.wave) {
        return step;
    }
    m.exceptions(op, raised)
}
