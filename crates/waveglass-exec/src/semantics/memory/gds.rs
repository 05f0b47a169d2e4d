//! GDS: data share instructions with the GDS bit (Vega ISA 10.3, RDNA 3 ISA 12.6), and global wave sync,
//! `DS_GWS_*` (Vega ISA 12.13, RDNA 3 ISA 13.4.4).
//!
//! An instruction with the bit is the one without it in another share: [`bind`] keeps its handler and runs
//! it on the window of GDS that M0 describes. RDNA 3 lets only the first active lane access GDS, except
//! that append and consume count all of EXEC (RDNA 3 ISA 13.4.2, 13.4.3).

use super::{has_word, immediate, vgpr};
use crate::machine::Machine;
use crate::program::{Compile, Op, Step};
use crate::semantics::{NEXT, Registry, Semantics, refuse};
use waveglass_isa::Field;
use waveglass_mem::{Gds, Generation, Sync};

/// Whether an instruction has the GDS bit.
pub(super) fn is_gds(c: &Compile<'_>) -> bool {
    c.inst.operand_def(Field::Gds).is_some() && c.inst.field(Field::Gds) != 0 || has_word(c, "gds")
}

/// Makes `op` an access to GDS if the instruction has the GDS bit.
pub(super) fn bind(c: &Compile<'_>, mut op: Op) -> Op {
    if op.refused.is_some() || !is_gds(c) {
        return op;
    }
    let generation = crate::dispatch::memory_generation(c.inst.target());
    if Gds::size(generation) == 0 {
        return refuse(c, "the target has no GDS");
    }
    op.mem.in_lds = Some(op.run);
    op.run = run_in_gds;
    op
}

fn run_in_gds(m: &mut Machine<'_>, op: &Op) -> Step {
    let Some(run) = op.mem.in_lds else {
        return NEXT;
    };
    let exec = m.wave.exec();
    let single = matches!(
        m.port.rules.generation,
        Generation::Rdna3 | Generation::Rdna3_5
    );
    if single && !matches!(op.mnemonic(), "ds_append" | "ds_consume") {
        m.wave.set_exec(exec & exec.wrapping_neg());
    }
    let (env, m0) = (m.env, m.m0());
    let step = env.gds.with_window(m0, m.port, |lds, port| {
        let mut inner = Machine {
            wave: &mut *m.wave,
            lds,
            barrier: &mut *m.barrier,
            memory: m.memory,
            port,
            env,
            stats: &mut *m.stats,
        };
        run(&mut inner, op)
    });
    m.wave.set_exec(exec);
    step
}

pub(super) fn register(r: &mut Registry) {
    macro_rules! sync {
        ($($name:literal $value:literal |$count:ident| $what:expr;)*) => {$(
            r.insert($name, Semantics::Custom(|c| {
                sync(c, $value, |m, op| attempt(m, op, $value, |$count| $what))
            }));
        )*};
    }
    // The value of the first active lane is used where there is one.
    sync! {
        "ds_gws_init" true |count| Sync::Init(count);
        "ds_gws_sema_v" false |_one| Sync::Release(1);
        "ds_gws_sema_br" true |count| Sync::Release(count);
        "ds_gws_sema_p" false |_one| Sync::Acquire;
        "ds_gws_sema_release_all" false |_all| Sync::ReleaseAll;
        "ds_gws_barrier" true |next| Sync::Barrier(next);
    }
}

fn sync(c: &Compile<'_>, has_value: bool, run: crate::program::Handler) -> Op {
    let mut op = c.op(run);
    // OFFSET0[5:0] is the resource.
    op.mem.offset = immediate(c, Field::Offset) & 0x3f;
    if has_value {
        let Some(value) = vgpr(c, Field::Data0) else {
            return refuse(c, "an operand is missing");
        };
        op.d2 = value;
    }
    op
}

/// One attempt at a resource: a wave that has to wait gives others their turn and asks again.
fn attempt(m: &mut Machine<'_>, op: &Op, has_value: bool, what: impl FnOnce(u32) -> Sync) -> Step {
    // RDNA 3 ISA 13.4.2: with EXEC zero the operations that take a value act for lane 0, and the others
    // do not reach the unit.
    if m.wave.exec() == 0 && !has_value {
        return NEXT;
    }
    let value = match has_value {
        true => m.wave.lane(op.d2 as usize, m.first_lane()),
        false => 0,
    };
    let resource = (m.m0() >> 16 & 0x3f).wrapping_add(op.mem.offset as u32);
    let wave = (m.wave.group, m.wave.id_in_group);
    if m.env.gds.sync(resource, wave, what(value)) {
        NEXT
    } else {
        Step::Retry
    }
}

#[cfg(test)]
#[path = "gds_tests.rs"]
mod tests;
