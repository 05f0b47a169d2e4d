//! Whether a run can still go on, where waves wait for each other in GDS.

use crate::program::Program;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Finds out that nothing can go on any more.
#[derive(Debug)]
pub(super) struct Idle {
    /// How many turns in which a wave got on have ended.
    activity: AtomicU64,
    /// For each thread that has work: the activity before a round in which none of its waves got on.
    since: Mutex<Vec<Option<u64>>>,
    /// Whether waves can wait in GDS at all.
    watches: bool,
}

/// What a thread has when it has ended.
const ENDED: u64 = u64::MAX;

impl Idle {
    pub(super) fn new(threads: usize, program: &Program) -> Self {
        Self {
            activity: AtomicU64::new(0),
            since: Mutex::new(vec![None; threads]),
            watches: program.ops().iter().any(|op| {
                let name = op.mnemonic();
                name.starts_with("ds_gws") || name == "ds_ordered_count"
            }),
        }
    }

    pub(super) fn now(&self) -> u64 {
        self.activity.load(Ordering::SeqCst)
    }

    /// A wave of a thread has got on.
    pub(super) fn active(&self) {
        if self.watches {
            self.activity.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// None of a thread's waves has got on in a round that began when the activity was `since`; `true` where
    /// that holds of all threads and nothing has happened in between.
    ///
    /// What a wave does for others comes before the count of its turn. So where all threads have marked the
    /// same count, and it still is that, each has asked after the last thing that was done.
    pub(super) fn stuck(&self, thread: usize, since: u64) -> bool {
        if !self.watches {
            return false;
        }
        let mut all = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        all[thread] = Some(since);
        since == self.now()
            && all
                .iter()
                .all(|s| matches!(*s, Some(at) if at == since || at == ENDED))
    }

    /// A thread has no more work.
    pub(super) fn end(&self, thread: usize) {
        let mut all = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        all[thread] = Some(ENDED);
    }
}
