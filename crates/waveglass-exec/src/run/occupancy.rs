//! How many workgroups are in flight at a time.

use crate::dispatch::Dispatch;
use crate::wave::TEMPS;

/// Workgroups that one thread keeps going at a time, if memory allows.
pub(super) const RESIDENT: usize = 8;
/// Host memory that the workgroups in flight may take together: their scratch, registers and LDS.
pub(super) const RESIDENT_BYTES: u64 = 40 << 20;

/// How many workgroups a run keeps in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Occupancy {
    pub(super) threads: usize,
    /// Workgroups of each thread.
    pub(super) resident: usize,
}

impl Occupancy {
    /// As many as memory allows, at least one: workgroups that wait for others of a dispatch get on
    /// only as far as these are in flight together, as on hardware.
    pub(super) fn of(d: &Dispatch, threads: usize) -> Self {
        let registers = (d.vgprs as u64 + d.agprs as u64 + TEMPS as u64) * 4 * d.wave_size as u64;
        let waves = d.waves_per_group() as u64;
        let group = d
            .scratch_bytes()
            .saturating_add(registers)
            .saturating_mul(waves)
            .saturating_add(d.packet.group_segment.into());
        let places = (RESIDENT_BYTES / group.max(1)).max(1);
        let threads = (threads.max(1) as u64)
            .min(places)
            .min(d.group_count().max(1));
        Self {
            threads: threads as usize,
            resident: (places / threads).min(RESIDENT as u64) as usize,
        }
    }

    /// Workgroups in flight.
    pub(super) fn places(self) -> u64 {
        (self.threads * self.resident) as u64
    }
}

/// Bytes of scratch arena that a run on up to `threads` threads needs.
///
/// It does not grow with the threads past a bound: where scratch is large, fewer workgroups are in
/// flight at a time, down to one.
pub fn scratch_needed(d: &Dispatch, threads: usize) -> u64 {
    let resident = Occupancy::of(d, threads)
        .places()
        .min(d.group_count().max(1));
    d.scratch_bytes()
        .saturating_mul(d.waves_per_group() as u64)
        .saturating_mul(resident)
}
