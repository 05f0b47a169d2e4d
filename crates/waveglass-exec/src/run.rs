//! Running a dispatch: workgroups over host threads, waves of a workgroup in turn, barriers,
//! limits.
//!
//! Workgroups start in the order of their ids. A thread runs one workgroup until it ends or has
//! used up its turn; then it keeps that workgroup and takes turns between it and new ones, so that
//! workgroups that wait for others make progress together.
//!
//! A wave that waits in GDS (`ds_gws_*`, `ds_ordered_count`) asks again whenever it has its turn. Where all waves
//! in flight on all threads have asked in vain, and no other can start, they wait for ever, and the run ends
//! with [`RunError::SyncDeadlock`].

mod idle;
mod occupancy;
mod turn;

use crate::dispatch::{Dispatch, Starts};
use crate::error::{RunError, Stop};
use crate::faults::{FaultSite, FaultSites};
use crate::machine::{Barrier, Env, Machine};
use crate::order::{self, Flight, Hazard, MemoryOrder, Plan};
use crate::program::{Op, Program, Step};
use crate::stats::Stats;
use crate::trap::Traps;
use crate::wave::Wave;
use idle::Idle;
use occupancy::Occupancy;
pub use occupancy::scratch_needed;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use turn::execute;
pub(crate) use turn::go_on;
use waveglass_mem::{GlobalMemory, Lds, Port};

/// How a run goes: its limits, and what is left open by the program itself.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Instructions over all waves.
    pub steps: u64,
    /// Wall time.
    pub timeout: Option<Duration>,
    /// Host threads; 1 gives the same order in every run.
    pub threads: usize,
    /// Faults of each instruction that are kept with their details; all are counted. Of registers used
    /// before a wait, so many are kept in all.
    pub faults: usize,
    /// Whether a memory violation ends the run, as a trap would.
    pub stop_on_fault: bool,
    /// When memory operations complete.
    pub order: MemoryOrder,
    /// Whether runs of operations may be translated to the host's instructions. Results and counters are
    /// the same either way; under a trace, or an order other than eager, nothing is translated.
    pub translate: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: u64::MAX,
            timeout: None,
            threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
            faults: 64,
            stop_on_fault: false,
            order: MemoryOrder::Eager,
            translate: true,
        }
    }
}

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What was executed.
    pub stats: Stats,
    /// Memory violations by instruction, the first to meet one first.
    pub faults: Vec<FaultSite>,
    /// How many memory violations there were.
    pub fault_count: u64,
    /// Registers touched before the wait for them, each pair of instructions once a wave; the first
    /// [`Limits::faults`]. [`MemoryOrder::Eager`] finds none.
    pub hazards: Vec<Hazard>,
    /// How many there were.
    pub hazard_count: u64,
}

/// Sees every instruction before it is executed.
pub type Trace<'a> = &'a (dyn Fn(&Wave, &Op) + Sync);

/// Who watches a run.
#[derive(Clone, Copy, Default)]
pub struct Watch<'a> {
    /// Sees every instruction before it is executed.
    pub trace: Option<Trace<'a>>,
    /// Counts the workgroups that have ended.
    pub groups_done: Option<&'a AtomicU64>,
}

/// Scratch memory that the caller has mapped for waves in flight.
#[derive(Clone, Copy, Debug)]
pub struct ScratchArena {
    /// Its first address.
    pub base: u64,
    /// Its size; [`scratch_needed`] says how much.
    pub size: u64,
}

/// Instructions a wave executes before others get their turn.
const QUANTUM: u32 = 1 << 16;

struct Shared<'a> {
    dispatch: &'a Dispatch,
    program: &'a Program,
    memory: &'a GlobalMemory,
    env: Env,
    limits: &'a Limits,
    watch: Watch<'a>,
    plan: Option<Plan>,
    scratch: ScratchArena,
    occupancy: Occupancy,
    starts: Starts,
    /// The index of the op at the kernel's entry.
    entry: u32,
    next_group: AtomicU64,
    group_count: u64,
    steps_left: AtomicU64,
    started: Instant,
    stop: AtomicBool,
    idle: Idle,
    result: Mutex<(Outcome, FaultSites, Option<RunError>)>,
}

/// How a workgroup's turn has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// All its waves have.
    Ended,
    /// Some wave has got on.
    Going,
    /// Its waves wait, all or some of them in GDS.
    Stuck,
}

/// Runs every workgroup of a dispatch.
///
/// # Errors
///
/// [`RunError`]: a refused instruction, bytes that are none, a jump to nowhere, a limit reached.
/// The counters and faults up to then come with it.
pub fn run(
    dispatch: &Dispatch,
    program: &Program,
    memory: &GlobalMemory,
    scratch: ScratchArena,
    limits: &Limits,
    watch: Watch<'_>,
) -> (Outcome, Option<RunError>) {
    let started = Instant::now();
    let shared = Shared {
        dispatch,
        program,
        memory,
        env: Env {
            stop_on_fault: limits.stop_on_fault,
            fault_limit: limits.faults,
            deadline: limits.timeout.and_then(|limit| started.checked_add(limit)),
            traps: Traps {
                handler: dispatch.setup.trap_handler,
                deferred: limits.order != MemoryOrder::Eager,
            },
            ..dispatch.env()
        },
        limits,
        watch,
        plan: (limits.order != MemoryOrder::Eager).then(|| Plan::new(program, dispatch.vgprs)),
        scratch,
        occupancy: Occupancy::of(dispatch, limits.threads),
        starts: dispatch.starts(),
        entry: program.find(dispatch.entry).unwrap_or(u32::MAX),
        next_group: AtomicU64::new(0),
        group_count: dispatch.group_count(),
        steps_left: AtomicU64::new(limits.steps),
        started,
        stop: AtomicBool::new(false),
        idle: Idle::new(Occupancy::of(dispatch, limits.threads).threads, program),
        result: Mutex::new((Outcome::default(), FaultSites::default(), None)),
    };
    std::thread::scope(|s| {
        for thread in 1..shared.occupancy.threads {
            let shared = &shared;
            s.spawn(move || shared.worker(thread));
        }
        shared.worker(0);
    });
    let (mut outcome, sites, error) = shared
        .result
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    outcome.faults = sites.into_sites();
    (outcome, error)
}

/// A workgroup in flight.
struct Group {
    id: [u32; 3],
    waves: Vec<Slot>,
    lds: Lds,
    barrier: Barrier,
    /// Which part of the thread's scratch it has.
    place: usize,
}

struct Slot {
    wave: Wave,
    port: Port,
    state: State,
    /// Operations in flight, unless they complete at once.
    flight: Option<Box<Flight>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Ready,
    Waiting,
    Ended,
}

impl Shared<'_> {
    fn worker(&self, thread: usize) {
        let mut outcome = Outcome::default();
        let mut sites = FaultSites::default();
        let mut error = None;
        let mut resident: VecDeque<Group> = VecDeque::new();
        let mut free: Vec<usize> = (0..self.occupancy.resident).rev().collect();
        let mut spare: Option<Group> = None;
        // Turns since a wave got on, and the activity before them.
        let (mut idle_turns, mut since) = (0, self.idle.now());
        while !self.stop.load(Ordering::Relaxed) {
            if let Some(place) = free.last().copied()
                && let Some(group) = self.start_group(thread, place, &mut spare)
            {
                free.pop();
                outcome.stats.groups += 1;
                outcome.stats.waves += group.waves.len() as u64;
                resident.push_front(group);
                idle_turns = 0;
            }
            let Some(mut group) = resident.pop_front() else {
                break;
            };
            if idle_turns == 0 {
                since = self.idle.now();
            }
            match self.turn(&mut group, &mut outcome) {
                Ok(Turn::Ended) => {
                    self.idle.active();
                    idle_turns = 0;
                    if let Some(done) = self.watch.groups_done {
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                    free.push(group.place);
                    self.gather(&mut group, &mut sites);
                    spare = Some(group);
                }
                Ok(Turn::Going) => {
                    self.idle.active();
                    idle_turns = 0;
                    resident.push_back(group);
                }
                Ok(Turn::Stuck) => {
                    idle_turns += 1;
                    let id = group.id;
                    let waits = self.first_waiting(&group);
                    resident.push_back(group);
                    if idle_turns >= resident.len() {
                        idle_turns = 0;
                        if self.idle.stuck(thread, since) {
                            error = Some(RunError::SyncDeadlock {
                                group: id,
                                mnemonic: waits.0,
                                address: waits.1,
                            });
                            self.stop.store(true, Ordering::Relaxed);
                        }
                    }
                }
                Err(e) => {
                    self.gather(&mut group, &mut sites);
                    error = Some(e);
                    self.stop.store(true, Ordering::Relaxed);
                }
            }
        }
        self.idle.end(thread);
        for group in &mut resident {
            self.gather(group, &mut sites);
        }
        let mut result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        result.0.stats.add(&outcome.stats);
        result.0.fault_count += outcome.fault_count;
        result.1.take_groups(sites, self.limits.faults);
        result.0.hazard_count += outcome.hazard_count;
        let room = self.limits.faults.saturating_sub(result.0.hazards.len());
        result
            .0
            .hazards
            .extend(outcome.hazards.into_iter().take(room));
        if result.2.is_none() {
            result.2 = error;
        }
    }

    /// Takes the memory violations of a workgroup that goes on no more.
    fn gather(&self, group: &mut Group, sites: &mut FaultSites) {
        let mut of_group = FaultSites::default();
        for slot in &mut group.waves {
            of_group.take_wave(&mut slot.wave, self.limits.faults);
        }
        sites.take_groups(of_group, self.limits.faults);
    }

    /// Starts the next workgroup of the dispatch, in the memory of `spare` if there is one.
    fn start_group(&self, thread: usize, place: usize, spare: &mut Option<Group>) -> Option<Group> {
        let n = self.next_group.fetch_add(1, Ordering::Relaxed);
        if n >= self.group_count {
            return None;
        }
        let d = self.dispatch;
        let [gx, gy, _] = d.groups().map(|g| g as u64);
        let id = [
            (n % gx) as u32,
            (n / gx % gy) as u32,
            (n / (gx * gy)) as u32,
        ];
        let items: u64 = d.items(id).iter().map(|&i| i as u64).product();
        let count = items.div_ceil(d.wave_size as u64) as u32;
        let scratch = d.scratch_bytes();
        let per_group = scratch * d.waves_per_group() as u64;
        // The arena holds every workgroup, or one for each place of each thread.
        let at = if self.group_count <= self.occupancy.places() {
            n
        } else {
            (thread * self.occupancy.resident + place) as u64
        };
        let (mut waves, lds) = match spare.take() {
            Some(mut ended) => {
                ended.lds.clear();
                (ended.waves, ended.lds)
            }
            None => (Vec::new(), Lds::new(self.env.lds_size)),
        };
        waves.truncate(count as usize);
        let (vgprs, agprs) = (d.vgprs as usize, d.agprs as usize);
        waves.resize_with(count as usize, || Slot {
            wave: Wave::new(d.target, d.wave_size, vgprs, agprs),
            port: Port::new(d.rules()),
            state: State::Ready,
            flight: None,
        });
        for (w, slot) in (0..count).zip(&mut waves) {
            let offset = at * per_group + w as u64 * scratch;
            let base = self.scratch.base;
            d.start(&self.starts, &mut slot.wave, id, w, base, offset);
            slot.wave.ip = self.entry;
            slot.port.restart(d.rules());
            slot.state = State::Ready;
            slot.flight = self
                .plan
                .as_ref()
                .map(|_| Box::new(Flight::new(self.limits.order, n << 6 | u64::from(w))));
        }
        Some(Group {
            id,
            waves,
            lds,
            barrier: Barrier::with_named(count, d.setup.named_barriers),
            place,
        })
    }

    /// The instruction at which the first wave of a workgroup that has its turn stands.
    fn first_waiting(&self, group: &Group) -> (&'static str, u64) {
        let ready = group.waves.iter().find(|s| s.state == State::Ready);
        ready
            .and_then(|s| self.program.ops().get(s.wave.ip as usize))
            .map_or(("(none)", 0), |op| (op.mnemonic(), op.address))
    }

    /// Lets every wave of a workgroup run for a while.
    fn turn(&self, group: &mut Group, outcome: &mut Outcome) -> Result<Turn, RunError> {
        let mut got_on = false;
        for _ in 0..4 {
            let (mut progress, mut round) = (false, false);
            for i in 0..group.waves.len() {
                let slot = &mut group.waves[i];
                if slot.state == State::Waiting && group.barrier.pass(&mut slot.wave) {
                    slot.state = State::Ready;
                }
                if slot.state != State::Ready {
                    continue;
                }
                progress = true;
                round |= self.slice(group, i, outcome)?;
            }
            if group.waves.iter().all(|s| s.state == State::Ended) {
                return Ok(Turn::Ended);
            }
            if !progress {
                return Err(RunError::Deadlock { group: group.id });
            }
            got_on |= round;
            if !round {
                break;
            }
        }
        Ok(if got_on { Turn::Going } else { Turn::Stuck })
    }

    /// One wave runs until it waits, ends or has used up its quantum; gives whether it got on.
    fn slice(&self, group: &mut Group, i: usize, outcome: &mut Outcome) -> Result<bool, RunError> {
        if self.stop.load(Ordering::Relaxed) {
            return Ok(true);
        }
        if let Some(limit) = self.limits.timeout
            && self.started.elapsed() > limit
        {
            return Err(RunError::Timeout(limit));
        }
        let left = self.steps_left.load(Ordering::Relaxed);
        if left == 0 {
            return Err(RunError::StepLimit(self.limits.steps));
        }
        let quantum = left.min(QUANTUM as u64) as u32;
        let slot = &mut group.waves[i];
        let mut machine = Machine {
            wave: &mut slot.wave,
            lds: &mut group.lds,
            barrier: &mut group.barrier,
            memory: self.memory,
            port: &mut slot.port,
            env: &self.env,
            stats: &mut outcome.stats,
        };
        let (used, step) = match (
            self.plan.as_ref().zip(slot.flight.as_mut()),
            self.watch.trace,
        ) {
            (Some((plan, flight)), trace) => order::execute(
                &mut machine,
                self.program,
                plan,
                flight,
                self.limits.order,
                quantum,
                trace,
            ),
            (None, trace) if trace.is_some() || self.program.steps() => {
                execute::<true>(&mut machine, self.program, quantum, trace, false)
            }
            (None, _) => {
                let translate = self.limits.translate;
                execute::<false>(&mut machine, self.program, quantum, None, translate)
            }
        };
        slot.wave.steps += used as u64;
        outcome.stats.instructions += used as u64;
        // Other threads take from the same budget; running out is noticed a slice later. Without a
        // limit the threads need not contend for the counter.
        if self.limits.steps != u64::MAX {
            let _ = self
                .steps_left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |l| {
                    Some(l.saturating_sub(used as u64))
                });
        }
        if slot.wave.fault_count != 0 {
            outcome.fault_count += std::mem::take(&mut slot.wave.fault_count);
        }
        if let Some(flight) = &mut slot.flight
            && flight.hazard_count != 0
        {
            outcome.hazard_count += std::mem::take(&mut flight.hazard_count);
            let room = self.limits.faults.saturating_sub(outcome.hazards.len());
            let found = flight.hazards.drain(..);
            outcome.hazards.extend(found.take(room));
        }
        match step {
            Step::Barrier => slot.state = State::Waiting,
            Step::End => {
                slot.state = State::Ended;
                group.barrier.leave();
            }
            Step::Stop(stop) => return Err(self.explain(stop)),
            _ => {}
        }
        Ok(step != Step::Retry || used > 1)
    }

    fn explain(&self, stop: Stop) -> RunError {
        match stop {
            Stop::Refused { address, why } => {
                let op = self
                    .program
                    .find(address)
                    .map(|i| &self.program.ops()[i as usize]);
                let inst = op.and_then(|o| o.inst);
                let bytes = inst.map_or(String::new(), |i| {
                    i.words()[..i.size() / 4]
                        .iter()
                        .flat_map(|w| w.to_le_bytes())
                        .map(|b| format!("{b:02x}"))
                        .collect()
                });
                RunError::Refused {
                    mnemonic: op.map_or("(unknown)", |o| o.mnemonic()),
                    bytes,
                    address,
                    why,
                }
            }
            Stop::Invalid { address } => RunError::Invalid {
                address,
                target: self.dispatch.target.name(),
            },
            Stop::BadJump { from, to } => RunError::BadJump { from, to },
            Stop::Trap { address, id } => RunError::Trap { address, id },
            Stop::Exception { address, kinds } => RunError::Exception { address, kinds },
            Stop::Fault => RunError::Fault,
            Stop::Deadline => RunError::Timeout(self.limits.timeout.unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::occupancy::{RESIDENT, RESIDENT_BYTES};
    use super::*;
    use crate::program::Registers;
    use waveglass_isa::Target;

    fn dispatch(block: u32, groups: u32, private_segment: u32) -> Dispatch {
        let registers = Registers {
            vgprs: 24,
            agprs: 0,
        };
        let mut d = Dispatch::of_code(Target::Gfx900, 64, 0, block, groups, registers);
        d.setup.item_id = 3;
        d.packet.private_segment = private_segment;
        d
    }

    #[test]
    fn scratch_does_not_grow_with_the_threads_past_its_bound() {
        // 8 KiB a work-item, 1,024 work-items a workgroup: 8 MiB a workgroup.
        let d = dispatch(1024, 1000, 8 << 10);
        assert_eq!(scratch_needed(&d, 1), 4 * (8 << 20));
        for threads in [2, 4, 64, 1024] {
            assert!(scratch_needed(&d, threads) <= RESIDENT_BYTES, "{threads}");
        }
        assert_eq!(Occupancy::of(&d, 64).threads, 4);
        // A workgroup that is larger than the bound runs alone.
        let d = dispatch(1024, 1000, 128 << 10);
        assert_eq!(Occupancy::of(&d, 64).places(), 1);
        assert_eq!(scratch_needed(&d, 64), 128 << 20);
        // Small ones are not bounded by it.
        let d = dispatch(64, 1000, 16);
        assert_eq!(Occupancy::of(&d, 16).places(), 16 * RESIDENT as u64);
        // No more than there are.
        let d = dispatch(64, 3, 16);
        assert_eq!(Occupancy::of(&d, 16).threads, 3);
    }

    #[test]
    fn a_wave_that_starts_again_is_as_a_new_one() {
        let mut d = dispatch(96, 3, 64);
        d.packet.block = [8, 4, 3];
        d.packet.grid = [8, 9, 3];
        let starts = d.starts();
        let mut old = Wave::new(d.target, d.wave_size, 24, 0);
        old.vgpr.fill([7; 32]);
        old.sgpr.fill(9);
        (old.scc, old.trapsts, old.steps, old.vgpr_msb) = (true, 5, 6, 3);
        // A full workgroup's second wave is partial; the last workgroup has one row of items.
        for (group, index) in [([0, 0, 0], 0), ([0, 1, 0], 1), ([0, 2, 0], 0)] {
            let mut new = Wave::new(d.target, d.wave_size, 24, 0);
            d.start(&starts, &mut new, group, index, 0x1000, 0x400);
            d.start(&starts, &mut old, group, index, 0x1000, 0x400);
            let registers = old.temp_base * old.rows;
            assert_eq!(old.vgpr[..registers], new.vgpr[..registers]);
            assert_eq!(old.sgpr, new.sgpr);
            assert!(!old.scc);
            assert_eq!((old.trapsts, old.steps, old.vgpr_msb), (0, 0, 0));
            let height = if group[1] == 2 { 1 } else { 4 };
            let items = 8 * height * 3;
            for lane in 0..64 {
                let item = index as usize * 64 + lane;
                assert_eq!(old.exec() >> lane & 1 != 0, item < items);
                if item < items {
                    let ids = [item % 8, item / 8 % height, item / (8 * height)];
                    assert_eq!([0, 1, 2].map(|r| old.lane(r, lane) as usize), ids);
                }
            }
        }
    }
}
