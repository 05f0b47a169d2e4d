//! Loops over lanes, built for the vector instructions that the host has.
//!
//! The baseline of x86-64 has vectors of four lanes and neither masks nor unsigned comparisons. A
//! [`LaneLoop`] is therefore compiled three times, for the baseline, for AVX2 and for AVX-512, and
//! [`run`] takes the best that the machine has. Other hosts have one build.

use std::sync::atomic::{AtomicU8, Ordering};

/// What the build in which a loop runs may rely on.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    avx: bool,
    avx512: bool,
}

impl Host {
    /// Whether the host has AVX2.
    #[inline(always)]
    pub fn has_avx(self) -> bool {
        self.avx
    }

    /// Whether the host has AVX-512.
    #[inline(always)]
    pub fn has_avx512(self) -> bool {
        self.avx512
    }
}

/// A loop over lanes with what it works on. Its `run` must be `#[inline(always)]`, and so must what it
/// calls for its speed: only what is inlined is built for the wider instructions.
pub trait LaneLoop {
    /// What it gives.
    type Output;

    /// Executes it.
    fn run(self, host: Host) -> Self::Output;
}

/// A loop over a wave's lanes, which is built for each size of wave as well. [`run_wave`] runs it. Its
/// `lanes` must be `#[inline(always)]`, as a [`LaneLoop`]'s `run`.
pub trait WaveLoop {
    /// How many lanes the wave has; 0 for a wave that this is not for.
    fn count(&self) -> usize;

    /// Executes it for a wave of `W` lanes; `false` says that nothing was done.
    fn lanes<const W: usize>(self, host: Host) -> bool;
}

/// A [`WaveLoop`] as a [`LaneLoop`].
struct EachSize<T>(T);

impl<T: WaveLoop> LaneLoop for EachSize<T> {
    type Output = bool;

    #[inline(always)]
    fn run(self, host: Host) -> bool {
        match self.0.count() {
            64 => self.0.lanes::<64>(host),
            32 => self.0.lanes::<32>(host),
            _ => false,
        }
    }
}

/// Runs a loop over a wave's lanes in the best build that this machine has; `false` says that nothing
/// was done.
#[inline(always)]
pub fn run_wave<T: WaveLoop>(task: T) -> bool {
    run(EachSize(task))
}

const UNKNOWN: u8 = 0;
const BASELINE: u8 = 1;
#[cfg(target_arch = "x86_64")]
const AVX2: u8 = 2;
#[cfg(target_arch = "x86_64")]
const AVX512: u8 = 3;

/// The best build that this machine runs.
#[inline(always)]
fn best() -> u8 {
    static BEST: AtomicU8 = AtomicU8::new(UNKNOWN);
    match BEST.load(Ordering::Relaxed) {
        UNKNOWN => {
            let best = detect();
            BEST.store(best, Ordering::Relaxed);
            best
        }
        known => known,
    }
}

#[cold]
fn detect() -> u8 {
    #[cfg(target_arch = "x86_64")]
    {
        let avx2 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        let avx512 = avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512cd");
        match (avx2, avx512) {
            (_, true) => AVX512,
            (true, _) => AVX2,
            _ => BASELINE,
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    BASELINE
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn avx2<T: LaneLoop>(task: T) -> T::Output {
    task.run(Host {
        avx: true,
        avx512: false,
    })
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,bmi1,bmi2,lzcnt,popcnt")]
fn avx512<T: LaneLoop>(task: T) -> T::Output {
    task.run(Host {
        avx: true,
        avx512: true,
    })
}

/// Runs a loop in the best build that this machine has.
#[inline(always)]
pub fn run<T: LaneLoop>(task: T) -> T::Output {
    match best() {
        // SAFETY: `detect` has found every feature that this build uses.
        #[cfg(target_arch = "x86_64")]
        AVX512 => unsafe { avx512(task) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        AVX2 => unsafe { avx2(task) },
        _ => task.run(Host {
            avx: false,
            avx512: false,
        }),
    }
}

/// Runs a loop in every build that this machine has, for tests.
#[cfg(test)]
pub(crate) fn in_every_build<T: LaneLoop>(
    mut make: impl FnMut() -> T,
    mut check: impl FnMut(T::Output),
) {
    check(make().run(Host {
        avx: false,
        avx512: false,
    }));
    #[cfg(target_arch = "x86_64")]
    {
        let best = best();
        if best >= AVX2 {
            // SAFETY: `detect` has found every feature that this build uses.
            check(unsafe { avx2(make()) });
        }
        if best >= AVX512 {
            // SAFETY: as above.
            check(unsafe { avx512(make()) });
        }
    }
}
