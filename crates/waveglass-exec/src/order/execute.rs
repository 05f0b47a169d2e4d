//! The loop that runs a wave with operations in flight.

use super::{Flight, MemoryOrder, Plan};
use crate::error::Stop;
use crate::machine::Machine;
use crate::program::{Program, Step};
use crate::run::{Trace, go_on};
use crate::semantics;
use crate::trap;

/// Runs one wave for at most `quantum` instructions; gives how many, and why it stopped
/// (`Step::Next` when the quantum is used up).
pub(crate) fn execute(
    m: &mut Machine<'_>,
    program: &Program,
    plan: &Plan,
    flight: &mut Flight,
    order: MemoryOrder,
    quantum: u32,
    trace: Option<Trace<'_>>,
) -> (u32, Step) {
    let adversarial = matches!(order, MemoryOrder::Adversarial(_));
    let mut ip = m.wave.ip;
    let mut used = 0;
    let mut from = 0;
    while used < quantum {
        let Some(op) = program.ops().get(ip as usize) else {
            let to = program.end_after(from);
            return (used, Step::Stop(Stop::BadJump { from, to }));
        };
        if let Some(entry) = trap::steps::before(m, op) {
            // "Wait for outstanding instructions to finish" (RDNA4 ISA 3.4.10).
            let entry = match flight.drain(m, program, plan) {
                Step::Next => entry,
                stop => stop,
            };
            match go_on(m, program, op, ip, entry) {
                Ok(next) => ip = next,
                Err(end) => return (used, end),
            }
            continue;
        }
        if let Some(t) = trace {
            t(m.wave, op);
        }
        used += 1;
        m.stats.by_family[op.family as usize] += 1;
        let effects = plan.of(ip);
        let was_privileged = m.wave.privileged;
        if semantics::is_skipped(m.wave, op) {
            from = op.address;
            ip = op.next;
            continue;
        }
        let mut step = flight.check(m, program, plan, op, effects);
        if step == Step::Next && adversarial {
            step = flight.perhaps(m, program, plan);
        }
        if step == Step::Next {
            let exposed = flight.expose(m, plan);
            step = if effects.memory.is_some() {
                flight.issue(m, program, plan, ip)
            } else if let Some(wait) = &effects.wait {
                flight.wait(m, program, plan, wait)
            } else {
                (op.run)(m, op)
            };
            if !matches!(step, Step::Stop(_)) {
                let settled = flight.settle(m, program, plan, exposed);
                if settled != Step::Next {
                    step = settled;
                }
            }
        }
        if matches!(step, Step::End) {
            let drained = flight.drain(m, program, plan);
            if drained != Step::Next {
                step = drained;
            }
        }
        if m.wave.trap_pending {
            let next = match step {
                Step::Next => op.next,
                Step::Goto(i) => i,
                _ => u32::MAX,
            };
            if next != u32::MAX {
                step = trap::take_pending(m, program, next);
                if step == Step::Next {
                    step = Step::Goto(next);
                }
            }
        }
        // "Wait for all instructions to complete" (S_TRAP).
        if matches!(step, Step::Jump(_)) && m.wave.privileged && !was_privileged {
            let drained = flight.drain(m, program, plan);
            if drained != Step::Next {
                step = drained;
            }
        }
        trap::steps::after(m, op, was_privileged, step);
        match go_on(m, program, op, ip, step) {
            Ok(next) => ip = next,
            Err(end) => return (used, end),
        }
        from = op.address;
    }
    m.wave.ip = ip;
    (used, Step::Next)
}
