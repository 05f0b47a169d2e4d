//! Contexts: a target, the memory that programs may touch, limits, and what came of the last run.

use std::ffi::{c_char, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use waveglass::host::{HostMemory, HostReport, Programs};
use waveglass::isa::Target;
use waveglass::mem::Permission;

use crate::pointer;
use crate::status::{Failure, Status, call};

/// For waveglass_context_register: programs may read the memory.
pub const WAVEGLASS_READ_ONLY: u32 = 0;

/// For waveglass_context_register: programs may read and write the memory.
pub const WAVEGLASS_READ_WRITE: u32 = 1;

/// What runs share: the target, the memory that programs may touch, limits, compiled programs, and the
/// counters and memory violations of the last run.
pub struct Context {
    state: Mutex<State>,
}

pub(crate) struct State {
    pub(crate) target: Target,
    /// The target with the features that the caller named, as in "gfx90a:sramecc-".
    pub(crate) id: String,
    pub(crate) memory: HostMemory,
    pub(crate) programs: Programs,
    pub(crate) limits: waveglass::Limits,
    pub(crate) last: Option<HostReport>,
}

impl Context {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // A run that panicked has left nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Keeps what came of a run, and says whether that was well.
    pub(crate) fn finish(&mut self, report: HostReport) -> Result<(), Failure> {
        let report = self.last.insert(report);
        let outcome = &report.outcome;
        let first = crate::report::details(outcome)
            .next()
            .map(|f| f.fault.to_string());
        match (&report.error, first) {
            (None | Some(waveglass::RunError::Fault), Some(first)) => {
                let count = outcome.fault_count;
                Err(Failure::new(
                    Status::MemoryViolation,
                    if count > 1 {
                        format!("{first} (the first of {count} violations)")
                    } else {
                        first
                    },
                ))
            }
            (Some(error), _) => Err(error.into()),
            (None, None) if outcome.fault_count > 0 => Err(Failure::new(
                Status::MemoryViolation,
                format!("{} memory violations", outcome.fault_count),
            )),
            (None, None) => Ok(()),
        }
    }
}

/// Limits of runs. A field that is zero sets no limit.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Limits {
    /// sizeof(waveglass_limits).
    pub size: usize,
    /// Instructions of all waves of a run.
    pub instructions: u64,
    /// Wall time of a run in nanoseconds.
    pub nanoseconds: u64,
    /// Host threads. One gives the same order of workgroups in every run; zero takes as many as the
    /// host has processors.
    pub threads: u32,
    /// Memory violations of each instruction that are kept with their details; zero keeps 64. All are
    /// counted.
    pub faults: u32,
    /// Not zero: the first memory violation ends the run.
    pub stop_at_fault: u32,
    /// Must be zero.
    pub reserved: u32,
}

/// The size that limits had in the first version.
const FIRST_LIMITS: usize = std::mem::offset_of!(Limits, reserved) + size_of::<u32>();

/// Target features (AMDGPUUsage, "Target ID"); the empty one stands for none.
const KNOWN_FEATURES: [&str; 5] = ["", "sramecc+", "sramecc-", "xnack+", "xnack-"];

/// More threads than this help no host, and each takes memory.
const MOST_THREADS: u32 = 256;

/// The target of that name, or the first of the architecture.
fn target_named(name: &str) -> Option<Target> {
    let gfx = name.split(':').next().unwrap_or(name).trim();
    let plain = |s: &str| {
        s.chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect::<String>()
    };
    gfx.parse().ok().or_else(|| {
        let wanted = plain(gfx);
        Target::ALL
            .iter()
            .copied()
            .find(|t| plain(t.generation().name()) == wanted)
    })
}

/// Makes a context.
///
/// `target` is a target's name ("gfx1100", also with features as in "gfx90a:sramecc+:xnack-") or an
/// architecture's ("rdna3", "cdna 4"), which stands for its first target. SRAM error correction is on
/// where the target has it, unless the name says "sramecc-". The new context lets programs touch
/// nothing.
///
/// # Safety
///
/// `target` is null or a text that ends with NUL; `context` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_context_create(
    target: *const c_char,
    context: *mut *mut Context,
) -> Status {
    call(|| {
        // SAFETY: as the caller vouches.
        unsafe { pointer::write(context, std::ptr::null_mut(), "context")? };
        // SAFETY: as above.
        let name = unsafe { pointer::text(target, "target")? };
        let Some(target) = target_named(name) else {
            let all: Vec<&str> = Target::ALL.iter().map(|t| t.name()).collect();
            return Err(Failure::new(
                Status::UnknownTarget,
                format!(
                    "{name:?} is no target of Waveglass; it has {}",
                    all.join(", ")
                ),
            ));
        };
        let features = name.split_once(':').map_or("", |(_, features)| features);
        if features.split(':').any(|f| !KNOWN_FEATURES.contains(&f)) {
            return Err(Failure::new(
                Status::UnknownTarget,
                format!("{name:?} has a feature that no target has"),
            ));
        }
        let id = match features {
            "" => target.name().to_owned(),
            _ => format!("{target}:{features}"),
        };
        let new = Box::new(Context {
            state: Mutex::new(State {
                target,
                id,
                memory: HostMemory::new(),
                programs: Programs::new(),
                limits: waveglass::Limits::default(),
                last: None,
            }),
        });
        // SAFETY: as above.
        unsafe { pointer::write(context, Box::into_raw(new), "context") }
    })
}

/// Ends a context; null is allowed. The memory that was registered stays the caller's.
///
/// # Safety
///
/// `context` is null, or came from waveglass_context_create and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_context_destroy(context: *mut Context) {
    if context.is_null() || !context.is_aligned() {
        return;
    }
    call(|| {
        // SAFETY: made by `Box::into_raw`, and the caller gives it up.
        drop(unsafe { Box::from_raw(context) });
        Ok(())
    });
}

/// Lets programs touch `size` bytes at `start`, whatever its alignment, at the same address.
///
/// `access` is WAVEGLASS_READ_ONLY or WAVEGLASS_READ_WRITE. `name` is what texts about memory violations
/// call the memory; it may be null. Ranges may not overlap. Until the range is unregistered the memory
/// must stay valid; while a program runs, other threads may touch it by atomic accesses only.
///
/// # Safety
///
/// `context` is null or a context; `name` is null or a text that ends with NUL; the memory is as said.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_context_register(
    context: *mut Context,
    start: *mut c_void,
    size: usize,
    access: u32,
    name: *const c_char,
) -> Status {
    call(|| {
        // SAFETY: as the caller vouches.
        let context = unsafe { pointer::read(context, "context")? };
        let name = if name.is_null() {
            "registered memory"
        } else {
            // SAFETY: as above.
            unsafe { pointer::text(name, "name")? }
        };
        let permission = match access {
            WAVEGLASS_READ_ONLY => Permission::ReadOnly,
            WAVEGLASS_READ_WRITE => Permission::ReadWrite,
            _ => return Err(Failure::argument(format!("access is {access}"))),
        };
        pointer::check(start.cast::<u8>(), "start")?;
        let memory = &mut context.lock().memory;
        // SAFETY: as above.
        unsafe { memory.register(start.cast(), size as u64, permission, name)? };
        Ok(())
    })
}

/// Takes away the memory that was registered from `start` on.
///
/// # Safety
///
/// `context` is null or a context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_context_unregister(
    context: *mut Context,
    start: *const c_void,
) -> Status {
    call(|| {
        // SAFETY: as the caller vouches.
        let context = unsafe { pointer::read(context, "context")? };
        if context.lock().memory.unregister(start.cast()) {
            return Ok(());
        }
        Err(Failure::argument(format!(
            "no memory is registered from {start:p} on"
        )))
    })
}

/// Lets programs touch all memory that the process has when a run starts, as far as the process itself
/// may, device memory left out; or, with `allow` false, ends that. Memory that is registered keeps its
/// own rule. Memory that is not mapped when the run starts is a violation as ever.
///
/// With this a program can overwrite anything, and if memory is unmapped while a program that uses it
/// runs, the process crashes. Linux only.
///
/// # Safety
///
/// `context` is null or a context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_context_allow_process(
    context: *mut Context,
    allow: bool,
) -> Status {
    call(|| {
        // SAFETY: as the caller vouches.
        let context = unsafe { pointer::read(context, "context")? };
        // SAFETY: the caller has been told what it means.
        unsafe { context.lock().memory.allow_process(allow)? };
        Ok(())
    })
}

/// Sets the limits of the runs to come.
///
/// # Safety
///
/// `context` is null or a context; `limits` is null or points to limits that begin with their size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_context_set_limits(
    context: *mut Context,
    limits: *const Limits,
) -> Status {
    call(|| {
        // SAFETY: as the caller vouches.
        let context = unsafe { pointer::read(context, "context")? };
        // SAFETY: as above; the fields are integers.
        let given = unsafe { pointer::read_sized(limits, FIRST_LIMITS, "limits")? };
        if given.reserved != 0 {
            return Err(Failure::argument("limits.reserved is not zero"));
        }
        let default = waveglass::Limits::default();
        context.lock().limits = waveglass::Limits {
            steps: match given.instructions {
                0 => default.steps,
                n => n,
            },
            timeout: (given.nanoseconds != 0).then(|| Duration::from_nanos(given.nanoseconds)),
            threads: match given.threads {
                0 => default.threads,
                n => n.min(MOST_THREADS) as usize,
            },
            faults: match given.faults {
                0 => default.faults,
                n => n as usize,
            },
            stop_on_fault: given.stop_at_fault != 0,
            ..default
        };
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_architectures_are_known_by_name() {
        for (name, target) in [
            ("gfx1100", Target::Gfx1100),
            ("GFX90A:sramecc+:xnack-", Target::Gfx90a),
            ("rdna3", Target::Gfx1100),
            ("RDNA 3.5", Target::Gfx1150),
            ("rdna4", Target::Gfx1200),
            ("CDNA3", Target::Gfx942),
            ("cdna_4", Target::Gfx950),
            ("cdna5", Target::Gfx1250),
            ("gcn5", Target::Gfx900),
        ] {
            assert_eq!(target_named(name), Some(target), "{name}");
        }
        for name in ["", "gfx803", "rdna", "rdna9", "sm_80"] {
            assert_eq!(target_named(name), None, "{name}");
        }
    }
}
