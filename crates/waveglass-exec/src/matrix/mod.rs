//! Matrix instructions: MFMA, SMFMAC and their scaled forms (CDNA), WMMA and SWMMAC (RDNA, CDNA 5).
//!
//! One engine runs them all. `table.rs` lists sizes and formats, `layout.rs` says where elements
//! lie, `arrange.rs` which layout an instruction has on a target, `format.rs` reads them, `scale.rs` reads block scales, `op.rs` resolves an instruction's
//! operands and modifiers, `run.rs` computes.
//!
//! EXEC plays no part: "ignores exec mask from MODE and forces it to 1 for all threads" (CDNA3 ISA
//! 7.1.2); the RDNA manuals' pseudo-code sets EXEC to all ones for the time of the instruction.
//!
//! Refused: `v_mfma_ld_scale_b32`, `v_wmma_ld_scale_paired_b32` and `v_wmma_ld_scale16_paired_b64` on
//! their own, which are half of a scaled instruction without the other; values of modifiers that a
//! manual reserves or calls undefined (CBSZ past the blocks, NEG of A or B on gfx1250, BLGP of f64
//! on gfx90a).
//!
//! # Exactness
//!
//! Exact: layouts, formats, broadcasts, sparsity, scales; integer products (which wrap, or saturate
//! once at the end where asked); and every float product whose partial sums are exact, such as
//! integers of moderate size.
//!
//! Approximate: other float sums. The manuals give `D = A * B + C` "using fused multiply add" and
//! round-to-nearest-even, but neither the order of the sum nor the width in between, and hardware
//! differs by generation. Here the sum starts from C and takes k in rising order, one fused
//! multiply-add each, in binary32 (binary64 for f64). The result is within
//! K * 2^-24 * (|c| + sum of |a * b|) of the exact one (2^-53 for f64), to first order; hardware that
//! rounds at most once a product is as close, so the two differ by at most twice that. Where D is
//! f16 or bfloat16 the sum is kept in binary32 and rounded once at the end; hardware may round in
//! between, which adds up to K/2 half-units of D. With block scales each block's dot product is a
//! binary32 sum of its own, and the scaled blocks are added one by one.
//!
//! A NaN result is always 0x7fc00000 (or the like of D's format): which NaN hardware gives is not
//! documented. XF32 rounds A and B to nearest; the manual says both "round" and "truncated".

mod arrange;
pub mod format;
pub mod layout;
pub mod op;
mod run;
pub mod scale;
pub mod table;
#[cfg(test)]
mod tests;

use crate::program::{Compile, Op};
use crate::semantics::{NEXT, Registry, Semantics, refuse};
use op::Compiled;
pub use op::MatrixOp;

/// Registers every instruction of the table.
pub(crate) fn register(r: &mut Registry) {
    for row in table::ROWS {
        r.insert(row.name, Semantics::Custom(compile));
    }
}

/// How far an instruction's results may lie from the hardware's; `None` where every bit is defined.
pub(crate) fn error(mnemonic: &str) -> Option<&'static str> {
    let row = table::find(mnemonic)?;
    Some(match row.result {
        table::Result::I32 => return None,
        _ if row.scale != 0 => {
            "K * 2^-23 * (|c| + sum of |scaled a * b|): the order of the sum and its roundings are not documented"
        }
        table::Result::F64 => {
            "K * 2^-52 * (|c| + sum of |a * b|): the order of the sum and its roundings are not documented"
        }
        table::Result::F32 => {
            "K * 2^-23 * (|c| + sum of |a * b|): the order of the sum and its roundings are not documented"
        }
        table::Result::F16 | table::Result::Bf16 | table::Result::Bf16F32 => {
            "rounded to 16 bits once at the end of a binary32 sum; hardware may round in between, up to K/2 half-units"
        }
    })
}

fn compile(c: &Compile<'_>) -> Op {
    let Some(row) = table::find(c.inst.mnemonic()) else {
        return refuse(c, op::why::OPERAND);
    };
    match op::compile(c, row) {
        Compiled::Op(matrix) => {
            let mut op = c.op(run::run);
            op.matrix = Some(matrix);
            op
        }
        Compiled::Nothing => c.op(|_, _| NEXT),
        Compiled::Refused(why) => refuse(c, why),
    }
}
