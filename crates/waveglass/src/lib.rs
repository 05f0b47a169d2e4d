//! Runs, checks and explains AMD GPU machine code on any CPU.
//!
//! [`Module::load`] reads a code object or fat binary, [`Module::launch`] starts a launch.
//! The crates underneath are re-exported for tools that need a decoder, the memory model or the
//! executor alone.

pub use waveglass_asm as asm;
pub use waveglass_exec as exec;
pub use waveglass_isa as isa;
pub use waveglass_mem as mem;
pub use waveglass_object as object;

mod launch;

pub use launch::{Arg, Launch, LaunchError, Module, Report};
pub use waveglass_exec::{Limits, RunError};
