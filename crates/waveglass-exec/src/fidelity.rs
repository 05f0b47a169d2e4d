//! How faithfully each instruction is executed.

use crate::semantics;
use waveglass_isa::{InstDef, Target};

/// How an instruction's results compare with the hardware's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// Every bit is what the manual defines.
    Exact,
    /// The manual leaves bits to the hardware, or they are not modelled.
    Approximate {
        /// How far from the hardware's results may lie.
        error: &'static str,
    },
    /// Executing it stops the run with its name.
    Refused {
        /// Why.
        reason: &'static str,
    },
}

/// How faithfully `def` is executed on `target`.
///
/// It speaks of the instruction in its usual forms: some operands or settings of an instruction
/// that is exact may still be refused when it runs, and the run says which.
///
/// ```
/// use waveglass_exec::{Fidelity, fidelity};
/// use waveglass_isa::{Target, rows};
///
/// let add = rows().iter().find(|r| r.mnemonic == "v_add_f32").unwrap();
/// assert_eq!(fidelity(Target::Gfx900, add), Fidelity::Exact);
/// ```
pub fn fidelity(target: Target, def: &InstDef) -> Fidelity {
    let _ = target;
    if !semantics::is_implemented(def.mnemonic) {
        return Fidelity::Refused {
            reason: "the instruction has no semantics here",
        };
    }
    Fidelity::Exact
}
