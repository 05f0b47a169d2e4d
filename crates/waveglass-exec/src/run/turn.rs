//! One wave's instructions, until it waits, ends or has used up its turn.

use super::Trace;
use crate::error::Stop;
use crate::machine::Machine;
use crate::native;
use crate::program::{Op, Program, Step};
use crate::stats::Family;
use crate::trap::steps;

/// Runs one wave for at most `quantum` instructions; gives how many, and why it stopped
/// (`Step::Next` when the quantum is used up). With `EACH` every instruction is looked at: by a trace, or
/// for traps between instructions.
pub(super) fn execute<const EACH: bool>(
    m: &mut Machine<'_>,
    program: &Program,
    quantum: u32,
    trace: Option<Trace<'_>>,
    translate: bool,
) -> (u32, Step) {
    let ops = program.ops();
    let mut ip = m.wave.ip;
    let mut used = 0;
    let mut from = 0;
    while used < quantum {
        let Some(op) = ops.get(ip as usize) else {
            return (
                used,
                Step::Stop(Stop::BadJump {
                    from,
                    to: program.end_after(from),
                }),
            );
        };
        if !EACH
            && translate
            && op.fragment != native::NONE
            && let Some(done) = program.fragments().run(m, ops, op.fragment, quantum - used)
        {
            used += done.used;
            ip = done.next;
            from = ops[done.last as usize].address;
            continue;
        }
        if EACH && let Some(entry) = steps::before(m, op) {
            match go_on(m, program, op, ip, entry) {
                Ok(next) => ip = next,
                Err(end) => return (used, end),
            }
            continue;
        }
        if EACH && let Some(t) = trace {
            t(m.wave, op);
        }
        used += 1;
        m.stats.by_family[op.family as usize] += 1;
        let privileged = m.wave.privileged;
        let step = (op.run)(m, op);
        if EACH {
            steps::after(m, op, privileged, step);
        }
        match step {
            // A turn ends where it should, among idle operations too.
            Step::Next if EACH || op.skipped > quantum - used => ip = op.next,
            Step::Next => {
                ip = op.live;
                used += op.skipped;
                m.stats.by_family[Family::Salu as usize] += op.skipped as u64;
            }
            Step::Goto(i) => ip = i,
            step => match go_on(m, program, op, ip, step) {
                Ok(next) => ip = next,
                Err(end) => return (used, end),
            },
        }
        from = op.address;
    }
    m.wave.ip = ip;
    (used, Step::Next)
}

/// Where a wave goes on after the op at `ip` has ended in `step`, or how its turn ends; `ip` of the wave
/// is then where it goes on in its next turn.
pub(crate) fn go_on(
    m: &mut Machine<'_>,
    program: &Program,
    op: &Op,
    ip: u32,
    step: Step,
) -> Result<u32, Step> {
    match step {
        Step::Next => Ok(op.next),
        Step::Goto(i) => Ok(i),
        Step::Jump(to) => {
            let from = op.address;
            program
                .find_with(to, m.wave.vgpr_msb)
                .ok_or(Step::Stop(Stop::BadJump { from, to }))
        }
        Step::Stop(_) => {
            m.wave.ip = ip;
            Err(step)
        }
        Step::Barrier | Step::Yield => {
            m.wave.ip = op.next;
            if step == Step::Barrier && m.barrier.pass(m.wave) {
                Ok(op.next)
            } else {
                Err(step)
            }
        }
        Step::Retry => {
            m.wave.ip = ip;
            Err(step)
        }
        Step::End => Err(step),
    }
}
