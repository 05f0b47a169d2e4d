//! A progress bar for long runs.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A run shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(700);
const STEP: Duration = Duration::from_millis(100);

/// Calls `run` with a counter of ended workgroups. Where the standard error is a terminal and the
/// run takes a while, it shows how far the counter is.
pub(crate) fn shown<T>(groups: u64, run: impl FnOnce(&AtomicU64) -> T) -> T {
    let done = AtomicU64::new(0);
    if !std::io::stderr().is_terminal() {
        return run(&done);
    }
    let ended = AtomicBool::new(false);
    thread::scope(|s| {
        let watcher = s.spawn(|| watch(groups, &done, &ended));
        // Whatever becomes of the run, the watcher ends.
        let _end = End(&ended, watcher.thread().clone());
        run(&done)
    })
}

struct End<'a>(&'a AtomicBool, thread::Thread);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        self.1.unpark();
    }
}

fn watch(groups: u64, done: &AtomicU64, ended: &AtomicBool) {
    let waits = |time| {
        thread::park_timeout(time);
        !ended.load(Ordering::Relaxed)
    };
    if !waits(PATIENCE) {
        return;
    }
    let style =
        ProgressStyle::with_template("{bar:40} {pos}/{len} workgroups, {elapsed}, {eta} to go");
    let bar = ProgressBar::new(groups);
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar.set_position(done.load(Ordering::Relaxed));
    while waits(STEP) {
        bar.set_position(done.load(Ordering::Relaxed));
    }
    bar.finish_and_clear();
}
