//! The tensor data mover: tiles of tensors between memory and LDS (CDNA 5 ISA 10.11).
//!
//! The instructions act once for a wave, whatever EXEC holds; their descriptor is in SGPRs. What the
//! descriptor says, and how it is read where the manual leaves room, is in
//! [`TensorDescriptor`](waveglass_mem::TensorDescriptor)'s module.

use super::done;
use crate::error::Stop;
use crate::machine::{Env, Machine};
use crate::program::{Compile, Op, Src, Step};
use crate::semantics::{NEXT, Registry, Semantics, refuse};
use std::time::Instant;
use waveglass_isa::Field;
use waveglass_mem::{
    Access, Atomic, AtomicOp, AtomicRules, AtomicWidth, Lanes, TensorDescriptor, TensorGroups,
};

pub(super) fn register(r: &mut Registry) {
    r.insert(
        "tensor_load_to_lds",
        Semantics::Custom(|c| compile(c, run_load)),
    );
    r.insert(
        "tensor_store_from_lds",
        Semantics::Custom(|c| compile(c, run_store)),
    );
}

fn compile(c: &Compile<'_>, run: crate::program::Handler) -> Op {
    let mut op = c.op(run);
    op.s = [Field::Vaddr0, Field::Vaddr1, Field::Vaddr2, Field::Vaddr3].map(|f| c.src(f));
    match op.s[..2] {
        [Src::Sgpr(_), Src::Sgpr(_)] => op,
        // A null group is zeros (10.11.1), of which the first two make a null tensor.
        [Src::Const(0), _] => op,
        _ => refuse(c, "a group of the tensor descriptor is not in SGPRs"),
    }
}

/// The SGPRs of a group from its first one on.
fn group<const N: usize>(m: &Machine<'_>, first: Src) -> [u32; N] {
    match first {
        Src::Sgpr(s) => std::array::from_fn(|k| m.wave.sgpr[(usize::from(s) + k) & 127]),
        _ => [0; N],
    }
}

fn descriptor(
    m: &Machine<'_>,
    op: &Op,
    access: Access,
) -> Result<Option<TensorDescriptor>, &'static str> {
    let groups = TensorGroups {
        group0: group(m, op.s[0]),
        group1: group(m, op.s[1]),
        group2: group(m, op.s[2]),
        group3: group(m, op.s[3]),
    };
    TensorDescriptor::decode(&groups, access)
}

/// Whether the run's time is not up yet. Looked at within the instruction, since a descriptor may ask for more
/// moves than a run is ever to wait for.
fn go_on(env: &Env) -> impl FnMut() -> bool + use<> {
    let deadline = env.deadline;
    move || deadline.is_none_or(|end| Instant::now() <= end)
}

fn run_load(m: &mut Machine<'_>, op: &Op) -> Step {
    let d = match descriptor(m, op, Access::Load) {
        Ok(Some(d)) => d,
        Ok(None) => return NEXT,
        Err(why) => return m.refuse(op, why),
    };
    let apertures = m.apertures();
    let mut go_on = go_on(m.env);
    let Some(moved) = d.load(m.memory, m.lds, &apertures, m.port, &mut go_on) else {
        return Step::Stop(Stop::Deadline);
    };
    m.stats.read.global += moved.global;
    m.stats.written.lds += moved.lds;
    arrive(m, &d);
    done(m, op)
}

fn run_store(m: &mut Machine<'_>, op: &Op) -> Step {
    let d = match descriptor(m, op, Access::Store) {
        Ok(Some(d)) => d,
        Ok(None) => return NEXT,
        Err(why) => return m.refuse(op, why),
    };
    let apertures = m.apertures();
    let mut go_on = go_on(m.env);
    let Some(moved) = d.store(m.memory, m.lds, &apertures, m.port, &mut go_on) else {
        return Step::Stop(Stop::Deadline);
    };
    m.stats.read.lds += moved.lds;
    m.stats.written.global += moved.global;
    arrive(m, &d);
    done(m, op)
}

/// The arrival at the descriptor's barrier, as by `ds_atomic_async_barrier_arrive_b64` (10.11.3).
fn arrive(m: &mut Machine<'_>, d: &TensorDescriptor) {
    let Some(barrier) = d.barrier else {
        return;
    };
    let mut at = [0; 32];
    at[0] = barrier;
    let atomic = Atomic {
        op: AtomicOp::BarrierArrive(m.port.rules.lds_barrier_width),
        width: AtomicWidth::B64,
        data: &[[1; 32]; 2],
        second: &[],
        rules: AtomicRules::integer(m.port.rules.generation),
    };
    m.stats.read.lds += 8;
    m.stats.written.lds += 8;
    m.lds.atomic(Lanes::new(&at, 1), atomic, None, m.port);
}

#[cfg(test)]
#[path = "tensor_tests.rs"]
mod tests;
