//! What each instruction does, one family to a file, in the manual's order.
//!
//! [`compile`] finds an instruction's entry and makes its op. Vector ALU entries are
//! [`Spec`]s around a lane kernel; the others are a handler and, where the
//! operands need more than the usual slots, a function that fills them in.

mod index_mode;
mod memory;
mod salu;
mod skip;
pub(crate) mod table;
mod vector;

pub(crate) use index_mode::mark as mark_indexed;
pub(crate) use salu::{asks_steps, tells_exceptions};
pub(crate) use skip::{is_skipped, mark as mark_skipped};
pub(crate) use vector::{BOUND_CTRL, Directed, FETCH_INACTIVE, directed};

use crate::program::{Compile, Op, Step};
use crate::valu::{self, Spec};
use std::collections::HashMap;
use std::sync::OnceLock;

pub use memory::{
    Half, MemInfo, flat_offset, lds_transfer_mask, permute_group, src2_addresses, swizzle_source,
};
pub(crate) use memory::{negative_buffer_offset, refused};

/// Makes the op of an instruction.
pub type CompileFn = fn(&Compile<'_>) -> Op;

/// How an instruction is executed.
#[derive(Clone, Copy)]
pub enum Semantics {
    /// Arithmetic over lanes.
    Valu(&'static Spec),
    /// Anything else.
    Custom(CompileFn),
}

pub(crate) type Registry = HashMap<&'static str, Semantics>;

fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let mut r = Registry::new();
        salu::register(&mut r);
        index_mode::register(&mut r);
        memory::register(&mut r);
        vector::register(&mut r);
        crate::matrix::register(&mut r);
        r
    })
}

/// Whether an instruction of this mnemonic is implemented.
pub fn is_implemented(mnemonic: &str) -> bool {
    match mnemonic.split_once(" :: ") {
        // Each half of a VOPD pair is an operation of its own: `v_dual_mov_b32` is `v_mov_b32`.
        Some((x, y)) => [x, y].iter().all(|half| {
            half.strip_prefix("v_dual_")
                .is_some_and(|name| registry().contains_key(format!("v_{name}").as_str()))
        }),
        None => registry().contains_key(mnemonic),
    }
}

/// Makes the op of an instruction; one that is not implemented gets an op that says so when it
/// is executed.
pub fn compile(c: &Compile<'_>) -> Op {
    match find(c.inst.mnemonic()) {
        Some(Semantics::Valu(spec)) => valu::compile(c, spec),
        Some(Semantics::Custom(f)) => memory::gathered(c, f(c)),
        None => vector::dual::compile(c)
            .unwrap_or_else(|| refuse(c, crate::fidelity::family_reason(c.inst.def()))),
    }
}

/// The entry of a mnemonic.
pub(crate) fn find(mnemonic: &str) -> Option<Semantics> {
    registry().get(mnemonic).copied()
}

/// An op that stops the run when it is executed.
pub fn refuse(c: &Compile<'_>, why: &'static str) -> Op {
    let mut op = c.op(|m, op| m.refuse(op, op.refused.unwrap_or("it is not implemented")));
    op.refused = Some(why);
    op
}

/// A step that goes on with the next op.
pub(crate) const NEXT: Step = Step::Next;
