//! VSKIP of gfx9: while it is set, no vector instruction is issued (Vega ISA 12.4, S_SETVSKIP; 3.5,
//! MODE bit 28).

use super::salu::{may_set_mode, sets_vskip};
use crate::machine::Machine;
use crate::program::{Op, Step};
use crate::stats::Family;
use crate::wave::{Mode, Wave};

/// Marks a program's vector instructions where it can set VSKIP; only those look at it.
pub(crate) fn mark(ops: &mut [Op]) {
    let sets = |op: &Op| {
        op.inst
            .as_ref()
            .is_some_and(|i| sets_vskip(i) || i.target().is_gfx9() && may_set_mode(i, Mode::VSKIP))
    };
    if !ops.iter().any(sets) {
        return;
    }
    for op in ops {
        if is_vector(op) {
            let plain = op.clone();
            op.run = run_unless_skipped;
            op.parts = Box::new([plain]);
        }
    }
}

/// "no VOP*/M*BUF/MIMG/DS/FLAT/EXP instructions are issued".
fn is_vector(op: &Op) -> bool {
    matches!(
        op.family,
        Family::Valu | Family::Matrix | Family::Vmem | Family::Lds
    ) || op
        .inst
        .is_some_and(|i| i.mnemonic().starts_with("exp") || i.mnemonic().starts_with("v_interp"))
}

/// Whether VSKIP keeps an op from being issued: it counts in no wait counter then.
pub(crate) fn is_skipped(wave: &Wave, op: &Op) -> bool {
    wave.target.is_gfx9() && wave.mode.0 & Mode::VSKIP != 0 && is_vector(op)
}

fn run_unless_skipped(m: &mut Machine<'_>, op: &Op) -> Step {
    match &*op.parts {
        [plain] if m.wave.mode.0 & Mode::VSKIP == 0 => (plain.run)(m, plain),
        _ => Step::Next,
    }
}
