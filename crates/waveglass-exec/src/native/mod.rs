//! Runs of operations as the host's own instructions.
//!
//! A *fragment* is a run of operations, one after the other, that have a translation
//! ([`recipe::Work`]): plain vector arithmetic on 32-bit values and pairs, loads and stores of whole
//! dwords in LDS, scalar arithmetic, and the waits between them. Once a program has shown that it runs
//! for more than a moment, its fragments are translated together ([`translate`]), for hosts with
//! AVX-512; elsewhere, and in all other cases, each operation's handler runs as before.
//!
//! There are four translations: for waves with all lanes on, and for those with lanes off; where MODE
//! keeps all denormals, and where it flushes those of singles, as a kernel descriptor does that says
//! nothing of them. A translation does what the handlers do, bit by bit, or
//! gives up in front of an operation before that has changed anything: a float result that is a
//! NaN, a conversion out of range, an LDS address out of range. The handlers take over there.

mod encode;
mod recipe;
#[cfg(test)]
mod tests;
mod translate;

use crate::machine::Machine;
use crate::program::{Handler, Op};
use crate::stats::Family;
use crate::valu::{self, kernel};
use crate::wave::ROW_LANES;
use encode::Encoder;
use recipe::Work;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use translate::{Kind, Pool, TAKEN, Translator};
use waveglass_mem::AlignmentMode;

/// No fragment starts at an op.
pub(crate) const NONE: u32 = u32::MAX;
/// How often a program comes to its fragments before they are translated.
const WARM: u32 = 32;
/// Operations in a fragment at most: a wave's turn may not grow without end.
const LONGEST: usize = 256;

/// What a fragment works on, by addresses that its code reads.
#[repr(C)]
struct Frame {
    vgprs: *mut u32,
    sgprs: *mut u32,
    scc: *mut bool,
    lds: *mut u8,
    consts: *const u32,
    /// The last LDS addresses at which one to four dwords fit.
    lasts: [u32; 4],
}

/// Where code finds the frame's fields.
mod frame {
    use super::Frame;
    use std::mem::offset_of;

    pub(super) const VGPRS: usize = offset_of!(Frame, vgprs);
    pub(super) const SGPRS: usize = offset_of!(Frame, sgprs);
    pub(super) const SCC: usize = offset_of!(Frame, scc);
    pub(super) const LDS: usize = offset_of!(Frame, lds);
    pub(super) const CONSTS: usize = offset_of!(Frame, consts);

    /// The last address at which so many dwords fit.
    pub(super) fn last(dwords: u32) -> usize {
        offset_of!(Frame, lasts) + 4 * (dwords as usize - 1)
    }
}

/// Instructions of each family.
type Families = [u32; 8];

/// A fragment's operations, and what running all of them adds up to.
#[derive(Debug)]
struct Fragment {
    works: Vec<Work>,
    /// The index of each operation, and with the last of them where to go on.
    ops: Vec<u32>,
    next: u32,
    /// Where a branch at the end goes to when it is taken, and how many instructions are passed over
    /// when it is not.
    taken: (u32, u32),
    /// Instructions, those that are passed over among them.
    length: u32,
    families: Families,
    totals: Totals,
    /// It accesses LDS.
    shares: bool,
    /// It computes with floats, for which MODE matters.
    floats: bool,
}

/// What operations add to the counters.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    /// Vector instructions.
    vector: u64,
    /// Bytes of LDS that each lane loads and stores.
    loaded: u64,
    stored: u64,
}

impl Totals {
    fn add(&mut self, work: &Work) {
        let (loaded, stored) = work.share_bytes();
        self.vector += work.lane_instructions();
        self.loaded += loaded;
        self.stored += stored;
    }

    /// `lanes` were on.
    fn count(self, m: &mut Machine<'_>, lanes: u64) {
        m.stats.lane_operations += self.vector * lanes;
        m.stats.read.lds += self.loaded * lanes;
        m.stats.written.lds += self.stored * lanes;
    }
}

/// The fragments of a program.
#[derive(Debug, Default)]
pub(crate) struct Fragments {
    list: Vec<Fragment>,
    /// For full waves and for those with lanes off, where denormals are kept and where those of singles
    /// are flushed.
    versions: [Version; 4],
}

/// The translation for one kind of wave.
#[derive(Debug, Default)]
struct Version {
    code: OnceLock<Option<Code>>,
    /// How often it was asked for before there was any.
    warmth: AtomicU32,
}

/// The code of all fragments.
#[derive(Debug)]
struct Code {
    memory: memmap2::Mmap,
    consts: Vec<u32>,
    /// Where each fragment's code starts; `None` where it has none.
    starts: Vec<Option<usize>>,
}

/// How far a wave has come.
pub(crate) struct Progress {
    /// Instructions executed.
    pub(crate) used: u32,
    /// The op to go on with.
    pub(crate) next: u32,
    /// The op that was the last to run.
    pub(crate) last: u32,
}

/// Whether this host can run translated code.
fn supported() -> bool {
    cfg!(target_arch = "x86_64") && kernel::level() == 2
}

/// Whether this host computes with halves.
fn has_fp16() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        static HAS: OnceLock<bool> = OnceLock::new();
        *HAS.get_or_init(|| is_x86_feature_detected!("avx512fp16"))
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Finds the fragments of a program, and lets ops know which starts at them. `plain` has each op's
/// handler as it was compiled: one that has got another since is watched or guarded, and stays as it is.
pub(crate) fn find(ops: &mut [Op], plain: &[Handler], targets: &[u32]) -> Fragments {
    let mut fragments = Fragments::default();
    if !supported() {
        return fragments;
    }
    let works: Vec<Option<Work>> = ops
        .iter()
        .zip(plain)
        .map(|(op, &run)| std::ptr::fn_addr_eq(op.run, run).then(|| Work::of(op))?)
        .collect();
    let mut starts = vec![true; ops.len()];
    for (op, work) in ops.iter().zip(&works) {
        if work.as_ref().is_some_and(|w| !w.ends())
            && let Some(after) = starts.get_mut(op.live as usize)
        {
            *after = false;
        }
    }
    for &t in targets {
        // A wait or hint at the target is passed over.
        let live = ops.get(t as usize).map_or(t, |op| op.live);
        for i in [t, live] {
            if let Some(start) = starts.get_mut(i as usize) {
                *start |= i == t || works[t as usize].is_none();
            }
        }
    }
    let mut pending: Vec<u32> = (0..ops.len() as u32)
        .filter(|&i| starts[i as usize])
        .collect();
    while let Some(start) = pending.pop() {
        let fragment = Fragment::from(ops, &works, &starts, start);
        // A run that was cut for its length goes on in another.
        if fragment.works.len() == LONGEST
            && let Some(next) = starts.get_mut(fragment.next as usize)
            && !std::mem::replace(next, true)
        {
            pending.push(fragment.next);
        }
        // A call costs as much as the handlers of a few scalar operations.
        let least = if fragment.works.iter().any(Work::is_vector) {
            2
        } else {
            6
        };
        if fragment.works.len() >= least {
            ops[start as usize].fragment = fragments.list.len() as u32;
            fragments.list.push(fragment);
        }
    }
    fragments
}

impl Fragment {
    fn from(ops: &[Op], works: &[Option<Work>], starts: &[bool], start: u32) -> Self {
        let mut fragment = Self {
            works: Vec::new(),
            ops: Vec::new(),
            next: start,
            taken: (NONE, 0),
            length: 0,
            families: Families::default(),
            totals: Totals::default(),
            shares: false,
            floats: false,
        };
        while let Some(Some(work)) = works.get(fragment.next as usize)
            && fragment.works.len() < LONGEST
            && (fragment.next == start || !starts[fragment.next as usize])
        {
            let op = &ops[fragment.next as usize];
            fragment.works.push(work.clone());
            fragment.ops.push(fragment.next);
            fragment.totals.add(work);
            fragment.shares |= matches!(work, Work::Share(_));
            fragment.floats |= std::iter::once(op)
                .chain(&*op.parts)
                .any(|op| op.valu.is_some() && valu::answers_to_mode(op));
            fragment.families[op.family as usize] += 1;
            fragment.families[Family::Salu as usize] += op.skipped;
            fragment.length += 1 + op.skipped;
            fragment.next = op.live;
            if work.ends() {
                fragment.taken = (op.target, op.skipped);
                break;
            }
        }
        fragment
    }
}

impl Fragments {
    /// Runs a fragment as far as it goes; `None` where that is nowhere.
    #[inline]
    pub(crate) fn run(
        &self,
        m: &mut Machine<'_>,
        ops: &[Op],
        fragment: u32,
        quantum: u32,
    ) -> Option<Progress> {
        let kind = Kind {
            masked: !m.wave.is_full(),
            flushes: m.wave.mode.only_flushes_f32(),
        };
        let version = &self.versions[kind.masked as usize + 2 * kind.flushes as usize];
        let code = match version.code.get() {
            Some(code) => code.as_ref()?,
            None => self.warm_up(version, m.wave.lanes(), kind)?,
        };
        let start = (*code.starts.get(fragment as usize)?)?;
        let fragment = &self.list[fragment as usize];
        let known_mode = kind.flushes || m.wave.mode.is_default();
        if fragment.length > quantum || fragment.floats && !known_mode {
            return None;
        }
        let mut lasts = [0; 4];
        if fragment.shares {
            let limit = m.lds.limit(m.port);
            let rules = &m.port.rules;
            if rules.alignment != AlignmentMode::Unaligned
                || rules.m0_bounds_lds
                || !(16..=i32::MAX as u32).contains(&limit)
            {
                return None;
            }
            lasts = [limit - 4, limit - 8, limit - 12, limit - 16];
        }
        // EXEC changes at the end, if at all.
        let lanes = u64::from(m.wave.exec().count_ones());
        let done = code.call(start, m, lasts);
        if (done & !TAKEN) as usize != fragment.works.len() {
            return fragment.partly(m, ops, done as usize, lanes);
        }
        fragment.totals.count(m, lanes);
        for (count, add) in m.stats.by_family.iter_mut().zip(fragment.families) {
            *count += u64::from(add);
        }
        let (mut used, mut next) = (fragment.length, fragment.next);
        if done & TAKEN != 0 {
            let (target, passed_over) = fragment.taken;
            m.stats.by_family[Family::Salu as usize] -= u64::from(passed_over);
            (used, next) = (used - passed_over, target);
        }
        Some(Progress {
            used,
            next,
            last: *fragment.ops.last()?,
        })
    }

    /// Translates everything once the program has come here often enough.
    #[cold]
    fn warm_up<'a>(&'a self, version: &'a Version, lanes: usize, kind: Kind) -> Option<&'a Code> {
        if version.warmth.fetch_add(1, Ordering::Relaxed) < WARM {
            return None;
        }
        version
            .code
            .get_or_init(|| Code::of(&self.list, lanes, kind))
            .as_ref()
    }
}

impl Fragment {
    /// Counts what was done of a fragment that gave up.
    #[cold]
    fn partly(&self, m: &mut Machine<'_>, ops: &[Op], done: usize, lanes: u64) -> Option<Progress> {
        let last = *self.ops[..done.min(self.ops.len())].last()?;
        let (mut totals, mut used) = (Totals::default(), 0);
        for (&i, work) in self.ops[..done].iter().zip(&self.works) {
            let op = &ops[i as usize];
            totals.add(work);
            m.stats.by_family[op.family as usize] += 1;
            m.stats.by_family[Family::Salu as usize] += u64::from(op.skipped);
            used += 1 + op.skipped;
        }
        totals.count(m, lanes);
        Some(Progress {
            used,
            next: ops[last as usize].live,
            last,
        })
    }
}

impl Code {
    fn of(list: &[Fragment], lanes: usize, kind: Kind) -> Option<Self> {
        let (mut encoder, mut pool) = (Encoder::default(), Pool::new());
        let starts = list
            .iter()
            .map(|fragment| {
                let start = encoder.bytes.len();
                let translator = Translator::new(&mut encoder, &mut pool, lanes, kind);
                translator.fragment(&fragment.works).then_some(start)
            })
            .collect();
        if encoder.bytes.is_empty() {
            return None;
        }
        // Where a system allows no new code, the handlers do all the work.
        let mut memory = memmap2::MmapMut::map_anon(encoder.bytes.len()).ok()?;
        memory.copy_from_slice(&encoder.bytes);
        Some(Self {
            memory: memory.make_exec().ok()?,
            consts: pool.dwords,
            starts,
        })
    }

    /// Runs the code of a fragment; gives how many of its operations it has done.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    fn call(&self, start: usize, m: &mut Machine<'_>, lasts: [u32; 4]) -> u32 {
        let frame = Frame {
            vgprs: m.wave.vgpr.as_mut_ptr().cast(),
            sgprs: m.wave.sgpr.as_mut_ptr(),
            scc: &raw mut m.wave.scc,
            lds: m.lds.bytes_mut().as_mut_ptr(),
            consts: self.consts.as_ptr(),
            lasts,
        };
        type Entry = extern "sysv64" fn(*const Frame) -> u32;
        // SAFETY: at `start` lies a function that `Translator` wrote for this host (`supported`) and
        // for waves of this size; it returns, and keeps what callers keep in registers. It reads and
        // writes registers that its program was compiled for, all of which the wave has
        // (`Compile::vector`), scalar registers below 128, SCC, and LDS at addresses that it has found
        // to be at most `lasts`, which `run` worked out for this allocation. All of them are borrowed
        // mutably here.
        let entry: Entry = unsafe { std::mem::transmute(self.memory.as_ptr().add(start)) };
        entry(&raw const frame)
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn call(&self, _: usize, _: &mut Machine<'_>, _: [u32; 4]) -> u32 {
        0
    }
}

const _: () = assert!(ROW_LANES.is_multiple_of(16));
