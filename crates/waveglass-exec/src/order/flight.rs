//! The operations of one wave that are in flight.

use super::effects::{Effects, Memory, Plan, Span, Type, Wait, footprint, may_overlap};
use super::{Hazard, HazardKind, HazardRegister, MemoryOrder, POISON};
use crate::machine::Machine;
use crate::program::{Op, Program, Step};
use crate::wave::{Mode, ROW_LANES, Wave};
use std::collections::HashSet;
use waveglass_isa::Counter;

/// Operations that a wave may have in flight before the oldest is made to complete: the hardware's
/// counters have six bits or fewer, and issue stalls at their ends.
const MOST: usize = 63;

/// The operations in flight of one wave.
#[derive(Debug, Default)]
pub(crate) struct Flight {
    entries: Vec<Entry>,
    random: u64,
    /// What was found since it was last taken.
    pub(crate) hazards: Vec<Hazard>,
    /// How many there were, repetitions included.
    pub(crate) hazard_count: u64,
    seen: HashSet<(u64, u64, HazardKind)>,
}

#[derive(Debug)]
struct Entry {
    ip: u32,
    /// Lanes that it acts on.
    lanes: u64,
    /// Counters that no wait has released it from.
    held: Vec<(Counter, Type)>,
    /// What its effect needs, until that has happened.
    state: Option<Box<Inputs>>,
    /// Bytes of global memory that it touches, where that is known.
    bytes: Option<Vec<(u64, u64)>>,
    /// Whether the instruction that runs now reads its result.
    read: bool,
}

/// Registers as they were when an operation was issued.
#[derive(Debug)]
struct Inputs {
    sgpr: [u32; 128],
    scc: bool,
    mode: Mode,
    rows: Vec<(usize, [u32; ROW_LANES])>,
}

impl Flight {
    /// For a wave; `salt` makes its random order its own.
    pub(crate) fn new(order: MemoryOrder, salt: u64) -> Self {
        let seed = match order {
            MemoryOrder::Adversarial(seed) => seed,
            _ => 0,
        };
        Self {
            random: seed ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            ..Self::default()
        }
    }

    /// A random number (SplitMix64).
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.random ^ self.random >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Looks for registers that `op` touches and that are in flight, and reports each. An operation whose
    /// result `op` writes completes first; one whose result it reads does so in [`Self::settle`].
    pub(super) fn check(
        &mut self,
        m: &mut Machine<'_>,
        program: &Program,
        plan: &Plan,
        op: &Op,
        e: &Effects,
    ) -> Step {
        if self.entries.is_empty() {
            return Step::Next;
        }
        let lanes = if e.crosses_lanes {
            m.wave.full_mask()
        } else {
            m.wave.exec()
        };
        let mut i = 0;
        while i < self.entries.len() {
            let entry = &self.entries[i];
            let producer = plan.of(entry.ip);
            let memory = producer.memory.as_ref();
            let ordered = matches!((&e.memory, memory), (Some(a), Some(b)) if a.returns_after(b));
            let meets = |spans: &[Span]| {
                spans.iter().find_map(|a| {
                    producer.writes.iter().find_map(|b| {
                        let first = a.overlap(*b)?;
                        (!a.vector || lanes & entry.lanes != 0).then_some((a.vector, first))
                    })
                })
            };
            let met = meets(&e.reads).map(|r| (HazardKind::Read, r)).or_else(|| {
                let r = (!ordered).then(|| meets(&e.writes)).flatten()?;
                Some((HazardKind::Write, r))
            });
            let Some((kind, (vector, register))) = met.filter(|_| !entry.read) else {
                i += 1;
                continue;
            };
            let from = &program.ops()[entry.ip as usize];
            self.hazard_count += 1;
            if self.seen.insert((op.address, from.address, kind)) {
                self.hazards.push(Hazard {
                    kind,
                    register: if vector {
                        HazardRegister::Vector(register)
                    } else {
                        HazardRegister::Scalar(register)
                    },
                    address: op.address,
                    mnemonic: op.mnemonic(),
                    producer: from.address,
                    producer_mnemonic: from.mnemonic(),
                    counters: entry.held.iter().map(|(c, _)| *c).collect(),
                    unordered: memory.is_some_and(Memory::is_unordered),
                    group: m.wave.group,
                    wave: m.wave.id_in_group,
                    vgprs: m.wave.agpr_base as u32,
                });
            }
            // What is met completes, so that one missing wait is one report; a read first sees poison.
            if kind == HazardKind::Read {
                self.entries[i].read = true;
                i += 1;
                continue;
            }
            let step = self.finish(m, program, plan, i);
            if step != Step::Next {
                return step;
            }
            i = 0;
        }
        Step::Next
    }

    /// Puts poison where the next instruction reads results whose operations had their effect early; gives what was
    /// there.
    pub(super) fn expose(&mut self, m: &mut Machine<'_>, plan: &Plan) -> Vec<Exposed> {
        let mut found = Vec::new();
        for entry in self.entries.iter().filter(|e| e.read && e.state.is_none()) {
            let e = plan.of(entry.ip);
            if !e.memory.as_ref().is_some_and(|m| m.deferred && !m.merges) {
                continue;
            }
            for &span in &e.writes {
                found.push(Exposed::take(m.wave, span, entry.lanes));
            }
            poison(m.wave, &e.writes, entry.lanes);
        }
        found
    }

    /// What the instruction that ran has read completes, after `exposed` is back where it was.
    pub(super) fn settle(
        &mut self,
        m: &mut Machine<'_>,
        program: &Program,
        plan: &Plan,
        exposed: Vec<Exposed>,
    ) -> Step {
        for e in exposed.into_iter().rev() {
            e.restore(m.wave);
        }
        while let Some(i) = self.entries.iter().position(|e| e.read) {
            let step = self.finish(m, program, plan, i);
            if step != Step::Next {
                return step;
            }
        }
        Step::Next
    }

    /// Issues a memory operation.
    pub(super) fn issue(
        &mut self,
        m: &mut Machine<'_>,
        program: &Program,
        plan: &Plan,
        ip: u32,
    ) -> Step {
        let op = &program.ops()[ip as usize];
        let effects = plan.of(ip);
        let Some(memory) = &effects.memory else {
            return (op.run)(m, op);
        };
        if self.entries.len() >= MOST {
            let step = self.finish(m, program, plan, 0);
            if step != Step::Next {
                return step;
            }
        }
        let lanes = memory.reach.of(m.wave.exec(), m.wave.full_mask());
        let state = if memory.deferred {
            let inputs = Inputs::of(m.wave, &effects.reads);
            Some(Box::new(inputs))
        } else {
            let step = (op.run)(m, op);
            if step != Step::Next {
                return step;
            }
            None
        };
        let bytes = (memory.deferred && memory.in_vector_order)
            .then(|| footprint(m, op, memory))
            .flatten();
        if memory.deferred && !memory.merges {
            poison(m.wave, &effects.writes, lanes);
        }
        self.entries.push(Entry {
            ip,
            lanes,
            held: memory.counters.to_vec(),
            state,
            bytes,
            read: false,
        });
        Step::Next
    }

    /// A wait: what it releases completes.
    pub(super) fn wait(
        &mut self,
        m: &mut Machine<'_>,
        program: &Program,
        plan: &Plan,
        wait: &Wait,
    ) -> Step {
        let more = wait.and_sgpr.map_or(0, |s| m.wave.sgpr[s as usize & 127]);
        for &(counter, limit) in &wait.limits {
            let limit = limit.saturating_add(more) as usize;
            for i in 0..self.entries.len() {
                let Some(&(_, kind)) = self.entries[i].held.iter().find(|h| h.0 == counter) else {
                    continue;
                };
                let from_here_on = self.entries[i..]
                    .iter()
                    .filter(|e| e.held.contains(&(counter, kind)))
                    .count();
                let released = match kind {
                    Type::None => limit == 0,
                    _ => from_here_on > limit,
                };
                if released {
                    // Marked first: those that are still to be counted are later ones.
                    self.entries[i].held.retain(|h| h.0 != counter);
                }
            }
        }
        while let Some(i) = self.entries.iter().position(|e| e.held.is_empty()) {
            let step = self.finish(m, program, plan, i);
            if step != Step::Next {
                return step;
            }
        }
        Step::Next
    }

    /// Everything in flight completes, as when the wave ends.
    pub(super) fn drain(&mut self, m: &mut Machine<'_>, program: &Program, plan: &Plan) -> Step {
        while !self.entries.is_empty() {
            let step = self.finish(m, program, plan, 0);
            if step != Step::Next {
                return step;
            }
        }
        Step::Next
    }

    /// Sometimes lets an operation have its effect before it has to.
    pub(super) fn perhaps(&mut self, m: &mut Machine<'_>, program: &Program, plan: &Plan) -> Step {
        if self.entries.is_empty() {
            return Step::Next;
        }
        let draw = self.draw();
        if draw & 3 != 0 {
            return Step::Next;
        }
        let i = (draw >> 8) as usize % self.entries.len();
        self.perform(m, program, plan, i)
    }

    /// The effect of an operation, and its removal.
    fn finish(&mut self, m: &mut Machine<'_>, program: &Program, plan: &Plan, i: usize) -> Step {
        let step = self.perform(m, program, plan, i);
        self.entries.remove(i);
        step
    }

    /// The effect of an operation, after those that have to come first.
    fn perform(&mut self, m: &mut Machine<'_>, program: &Program, plan: &Plan, i: usize) -> Step {
        // What has to precede it, and what has to precede that: all are earlier.
        let mut needed = vec![false; i + 1];
        needed[i] = true;
        for later in (0..=i).rev() {
            if !needed[later] {
                continue;
            }
            for (earlier, needed) in needed[..later].iter_mut().enumerate() {
                *needed |= self.precedes(plan, earlier, later);
            }
        }
        for (i, needed) in needed.into_iter().enumerate() {
            let entry = &mut self.entries[i];
            let Some(mut inputs) = entry.state.take_if(|_| needed) else {
                continue;
            };
            let (ip, lanes) = (entry.ip, entry.lanes);
            let op = &program.ops()[ip as usize];
            let step = inputs.apply(m, op, &plan.of(ip).writes, lanes);
            if !matches!(step, Step::Next) {
                return step;
            }
        }
        Step::Next
    }

    /// Whether one operation's effect has to come before a later one's.
    fn precedes(&self, plan: &Plan, earlier: usize, later: usize) -> bool {
        let (a, b) = (&self.entries[earlier], &self.entries[later]);
        let (Some(x), Some(y)) = (&plan.of(a.ip).memory, &plan.of(b.ip).memory) else {
            return false;
        };
        if x.in_lds_order && y.in_lds_order
            || x.in_async_order && y.in_async_order
            || x.in_tensor_order && y.in_tensor_order
        {
            return true;
        }
        if !(x.in_vector_order && y.in_vector_order) {
            return false;
        }
        let passes =
            y.may_pass_stores && x.stores && !may_overlap(a.bytes.as_deref(), b.bytes.as_deref());
        !passes
    }
}

/// Registers that hold poison for the time of one instruction.
pub(super) struct Exposed {
    span: Span,
    lanes: u64,
    rows: Vec<[u32; ROW_LANES]>,
}

impl Exposed {
    /// The registers' values.
    fn take(wave: &Wave, span: Span, lanes: u64) -> Self {
        let rows = if span.vector {
            let end = wave.temp_base * wave.rows;
            let at = |r: u32| (r as usize * wave.rows).min(end);
            wave.vgpr[at(span.first)..at(span.first + span.count)].to_vec()
        } else {
            let one = |r: u32| [wave.sgpr[r as usize & 127]; ROW_LANES];
            (span.first..span.first + span.count).map(one).collect()
        };
        Self { span, lanes, rows }
    }

    /// Puts the values back where there still is poison: what the instruction wrote itself stays.
    fn restore(self, wave: &mut Wave) {
        for (i, row) in self.rows.iter().enumerate() {
            if !self.span.vector {
                let to = &mut wave.sgpr[(self.span.first as usize + i) & 127];
                if *to == POISON {
                    *to = row[0];
                }
                continue;
            }
            let at = self.span.first as usize * wave.rows + i;
            let active = (self.lanes >> (at % wave.rows * ROW_LANES)) as u32;
            for (lane, (to, v)) in wave.vgpr[at].iter_mut().zip(row).enumerate() {
                if active >> lane & 1 != 0 && *to == POISON {
                    *to = *v;
                }
            }
        }
    }
}

fn poison(wave: &mut Wave, writes: &[Span], lanes: u64) {
    for w in writes {
        for r in w.first..w.first + w.count {
            if !w.vector {
                wave.sgpr[r as usize & 127] = POISON;
                continue;
            }
            for row in 0..wave.rows {
                let active = (lanes >> (row * ROW_LANES)) as u32;
                // A register past the wave's is no destination.
                let at = r as usize * wave.rows + row;
                if r as usize >= wave.temp_base {
                    continue;
                }
                for (lane, v) in wave.vgpr[at].iter_mut().enumerate() {
                    if active >> lane & 1 != 0 {
                        *v = POISON;
                    }
                }
            }
        }
    }
}

impl Inputs {
    fn of(wave: &Wave, reads: &[Span]) -> Self {
        let mut rows = Vec::new();
        for r in reads.iter().filter(|r| r.vector) {
            for register in r.first..r.first + r.count {
                // A source past the wave's registers reads VGPR 0.
                let register = if (register as usize) < wave.temp_base {
                    register as usize
                } else {
                    0
                };
                for row in register * wave.rows..(register + 1) * wave.rows {
                    rows.push((row, wave.vgpr[row]));
                }
            }
        }
        Self {
            sgpr: wave.sgpr,
            scc: wave.scc,
            mode: wave.mode,
            rows,
        }
    }

    fn swap(&mut self, wave: &mut Wave) {
        std::mem::swap(&mut self.sgpr, &mut wave.sgpr);
        std::mem::swap(&mut self.scc, &mut wave.scc);
        std::mem::swap(&mut self.mode, &mut wave.mode);
        for (at, row) in &mut self.rows {
            std::mem::swap(&mut wave.vgpr[*at], row);
        }
    }

    /// Executes `op` on the registers as they were; only what it writes stays.
    fn apply(&mut self, m: &mut Machine<'_>, op: &Op, writes: &[Span], lanes: u64) -> Step {
        self.swap(m.wave);
        let step = (op.run)(m, op);
        let rows = m.wave.rows;
        let vectors = writes.iter().filter(|w| w.vector).flat_map(|w| {
            (w.first as usize * rows..(w.first + w.count) as usize * rows)
                .filter(|at| *at < m.wave.temp_base * rows)
        });
        let results: Vec<(usize, [u32; ROW_LANES])> =
            vectors.map(|at| (at, m.wave.vgpr[at])).collect();
        // A row that is both a source and a result is put back in the reverse order of the swaps.
        self.rows.reverse();
        self.swap(m.wave);
        for (at, value) in results {
            let active = (lanes >> (at % rows * ROW_LANES)) as u32;
            for (lane, (to, v)) in m.wave.vgpr[at].iter_mut().zip(value).enumerate() {
                if active >> lane & 1 != 0 {
                    *to = v;
                }
            }
        }
        for w in writes.iter().filter(|w| !w.vector) {
            for r in w.first..w.first + w.count {
                m.wave.sgpr[r as usize & 127] = self.sgpr[r as usize & 127];
            }
        }
        step
    }
}
