//! Programs that run on the process's own memory: GPU addresses are host pointers.
//!
//! [`Launch`](crate::Launch) gives each run an address space of its own and copies buffers in and out.
//! Runtimes and emulators' clients have their buffers already, and hand a program pointers to them.
//! Here a [`HostMemory`] says what the program may touch, in place; a [`HostModule`] launches kernels
//! of a code object by name, and a [`RawDispatch`] starts machine code the way a command processor
//! does, from the values of its registers. What Waveglass itself adds (the code object's image, the
//! kernarg segment, scratch) is allocated, and lies at its own host address too, so that nothing ever
//! collides.
//!
//! ```
//! use waveglass::host::{HostMemory, HostModule, HostLaunch, Programs};
//! use waveglass::{Limits, mem::Permission};
//!
//! # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/kernels/built/linear.O3.gfx1100.hsaco"))?;
//! let module = HostModule::load(&file, None)?;
//! let (mut a, mut b, mut c) = ([1.5f32; 100], [2.0f32; 100], [0f32; 100]);
//! let mut memory = HostMemory::new();
//! let mut kernarg = Vec::new();
//! for (buffer, permission) in [
//!     (&mut a, Permission::ReadOnly),
//!     (&mut b, Permission::ReadOnly),
//!     (&mut c, Permission::ReadWrite),
//! ] {
//!     let start = buffer.as_mut_ptr().cast::<u8>();
//!     // SAFETY: the buffers outlive `memory`, and are used again after the launch only.
//!     unsafe { memory.register(start, 400, permission, "buffer")? };
//!     kernarg.extend((start as u64).to_le_bytes());
//! }
//! kernarg.extend(100u32.to_le_bytes());
//! let launch = HostLaunch { groups: [1, 1, 1], block: [128, 1, 1], kernarg, dynamic_lds: 0 };
//! let report = module.launch("vector_add", &launch, &memory, &Programs::new(), &Limits::default())?;
//! assert!(report.error.is_none() && report.outcome.fault_count == 0);
//! assert_eq!(c, [3.5; 100]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
mod kernel;
mod memory;
mod process;
mod programs;
mod raw;

pub use kernel::{HostLaunch, HostModule};
pub use memory::HostMemory;
pub use programs::Programs;
pub use raw::{RawDispatch, Rsrc, ScratchPlace};

use crate::{FaultEntry, Location, SourceLine};
use std::time::{Duration, Instant};
use waveglass_exec::{Dispatch, Limits, Outcome, Program, RunError, ScratchArena, Watch, run};
use waveglass_mem::GlobalMemory;

/// What a run on host memory gives.
#[derive(Debug)]
pub struct HostReport {
    /// Counters and memory violations.
    pub outcome: Outcome,
    /// Why the run ended early, if it did.
    pub error: Option<RunError>,
    /// Wall time of the run itself.
    pub time: Duration,
    /// The address from which offsets in the code count: that of the raw code, or the code object's
    /// load address.
    pub load_address: u64,
    /// The kernel that ran; raw code has no name.
    pub kernel: Option<String>,
    /// The source lines of the instructions that met memory violations, one for each of
    /// [`Outcome::faults`], where there is debug information.
    pub fault_lines: Vec<Option<SourceLine>>,
}

impl HostReport {
    /// The memory violations of the instruction with this number in [`Outcome::faults`].
    pub fn fault_entry(&self, index: usize) -> Option<FaultEntry> {
        let site = self.outcome.faults.get(index)?;
        let at = Location {
            offset: site.address.wrapping_sub(self.load_address),
            in_trap_handler: false,
        };
        let kernel = self.kernel.as_deref().unwrap_or_default();
        let source = self.fault_lines.get(index).cloned().flatten();
        Some(FaultEntry::of(site, kernel, at, source))
    }

    /// Runs a dispatch and takes its time.
    fn of_run(
        dispatch: &Dispatch,
        program: &Program,
        space: &GlobalMemory,
        scratch: ScratchArena,
        limits: &Limits,
        load_address: u64,
    ) -> Self {
        let start = Instant::now();
        let watch = Watch::default();
        let (outcome, error) = run(dispatch, program, space, scratch, limits, watch);
        Self {
            outcome,
            error,
            time: start.elapsed(),
            load_address,
            kernel: None,
            fault_lines: Vec::new(),
        }
    }
}
