//! Execution of AMD GPU machine code on the CPU.
//!
//! A kernel's code is compiled once into a [`Program`] of pre-resolved [`Op`]s, and waves run
//! that program. Where to find things:
//!
//! * `wave.rs`: the registers of a wave. A vector register is one row of 32 lanes (wave32) or
//!   two (wave64); AGPRs and the executor's temporaries follow the VGPRs in the same file.
//! * `rows.rs`: the storage of vector registers, aligned for the host's vector units.
//! * `program.rs`: from instructions to ops, operand slots, branch targets.
//! * `semantics/`: what each instruction does, a family to a file, in the manual's order.
//! * `valu/`: how a lane kernel becomes an executed vector instruction: broadcast of scalars,
//!   neg/abs, halves, SDWA, DPP on the way in; omod, clamp, merging and EXEC on the way out.
//! * `machine.rs`: what a handler sees: wave, LDS, memory, counters.
//! * `dispatch.rs`: launch state by the HSA ABI; `run.rs`: workgroups, barriers, limits.
//!
//! To add a vector instruction, add an entry to a `valu!` table of `semantics/`; to add another,
//! write a handler `fn(&mut Machine, &Op) -> Step` and register it under its mnemonic. What has no
//! entry is refused by name when it is executed, never skipped.

pub mod alu;
pub mod dispatch;
pub mod error;
pub mod machine;
pub mod program;
pub mod rows;
pub mod run;
pub mod semantics;
pub mod stats;
pub mod valu;
pub mod wave;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod testing_program;

pub use dispatch::{Dispatch, Packet, Setup};
pub use error::{RunError, Stop, WaveFault};
pub use program::{Op, Program, Registers, Step};
pub use run::{Limits, Outcome, ScratchArena, Trace, run, scratch_needed};
pub use stats::{Family, Stats};
pub use wave::Wave;
