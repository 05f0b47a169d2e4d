//! The scalar ALU: SOP1, SOP2, SOPC, SOPK, and the control flow of SOPP.

mod barriers;
mod control;
mod float;
mod fork;
mod hwreg;
mod message;
mod one;
#[cfg(test)]
mod state_tests;
#[cfg(test)]
mod tests;
mod two;

pub(crate) use hwreg::{asks_steps, tells_exceptions};
pub(super) use hwreg::{may_set_mode, may_switch_index_mode};
pub(super) use message::sets_vskip;

use super::{CompileFn, Registry, Semantics};
use crate::program::{Compile, Handler, Op};
use waveglass_isa::Field;

pub(super) fn register(r: &mut Registry) {
    one::register(r);
    two::register(r);
    control::register(r);
    hwreg::register(r);
    float::register(r);
    fork::register(r);
    barriers::register(r);
    message::register(r);
}

/// Registers handlers whose operands are the usual ones: `sdst`, `src0`, `src1`, `simm16`.
fn add(r: &mut Registry, table: &[(&'static str, CompileFn)]) {
    for (name, f) in table {
        r.insert(name, Semantics::Custom(*f));
    }
}

/// The usual slots of a scalar operation.
fn usual(c: &Compile<'_>, run: Handler) -> Op {
    let mut op = c.op(run);
    op.d = c.scalar_dst(Field::Sdst);
    op.s[0] = c.src(Field::Src0);
    op.s[1] = c.src(Field::Src1);
    op.imm = c.inst.field(Field::Simm16) as u16 as i16 as i64 as u64;
    op
}

/// `(name, |m, op| …)` entries with the usual slots.
macro_rules! scalar {
    ($r:expr; $($name:literal => |$m:ident, $op:ident| $body:expr;)*) => {
        $crate::semantics::salu::add($r, &[$(
            ($name, |c| {
                $crate::semantics::salu::usual(c, |$m, $op| {
                    $body;
                    $crate::semantics::NEXT
                })
            }),
        )*]);
    };
}
use scalar;
