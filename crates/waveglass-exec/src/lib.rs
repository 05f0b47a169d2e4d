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
//! * `matrix/`: MFMA, WMMA and their kin: one engine over a table of sizes and formats.
//! * `machine.rs`: what a handler sees: wave, LDS, memory, counters.
//! * `trap/`: the trap handler, and how waves enter and leave it; `exceptions/`: which floating-point
//!   exceptions an operation raises.
//! * `native/`: runs of operations that are translated to the host's own instructions.
//! * `order/`: operations in flight, waits, and registers touched too early.
//! * `barrier.rs`: the workgroup's barrier and the named ones.
//! * `dispatch.rs`: launch state by the HSA ABI; `run.rs`: workgroups, barriers, limits.
//!
//! # Adding instructions
//!
//! * **Vector ALU**: an entry of a `valu!` table under `semantics/vector/`, around a function of
//!   `alu/`: `"v_bfe_u32" [] (a: u32, b: u32, c: u32) -> u32 => v_bfe_u32(a, b, c);`. The types say
//!   which modifiers act and how constants widen. `masked!` is for carries and selects,
//!   `compares!` for `v_cmp` and `v_cmpx`; `semantics/table.rs` lists the flags. `, fast a + b`
//!   names a cheaper expression that agrees wherever it gives no NaN.
//!   What rounds gets an entry in `semantics/vector/rounded.rs` as well, for the directed modes.
//! * **Scalar ALU**: a line of `scalar!` in `semantics/salu/`; a name in its `float.rs` for floating
//!   point, which is the vector operation on one value; `steps!` in `control.rs` for what changes
//!   the program counter.
//! * **Memory** and all else: a handler `fn(&mut Machine, &Op) -> Step` and a function that makes
//!   its [`Op`] from a [`program::Compile`], registered under the mnemonic (`semantics/memory/`).
//!
//! What has no entry is refused by name when it is executed, never skipped.
//!
//! # How a vector instruction runs
//!
//! `valu::compile_with` picks one of four paths. `run_registers`: all sources are vector
//! registers, nothing modifies anything, all lanes are on: one call of the kernel. `run_lower_half`: the
//! same where the upper half of the result's register stays. `run_plain`: the
//! same with scalars and constants (laid out over a temporary), masks in or out, and lanes off (the
//! result goes through a temporary and is merged). `run_slow`: neg, abs, halves, SDWA, DPP, omod,
//! clamp, or a MODE other than the default, as passes over temporaries before and after the same
//! kernel (`modified.rs` for the default MODE, in ways that `ways.rs` settles when the instruction is
//! compiled). Kernels never know of any of it. A kernel works a row at a time; positions that it is
//! handed are multiples of a row.
//!
//! MODE: the kernels round to nearest even and keep denormals. Under any other MODE sources and
//! results are flushed around them, a result after it is rounded; in the directed rounding modes
//! the kernels of `semantics/vector/rounded.rs` take their place, which compute in integers
//! (`alu/rounding.rs`) and are some ten times slower; FP16_OVFL limits halves afterwards.
//! Exceptions are worked out beside the kernels, in programs that can tell and nowhere else
//! (`exceptions/`): their ops take the general path, and are much slower, lane by lane.
//!
//! Traps (`trap/`): `s_trap`, an enabled exception, a memory violation and an illegal instruction make a
//! handler's step a jump to the trap handler, which is compiled with the program.
//!
//! VGPR MSBs (gfx1250): code that is reached with MSBs other than zero is compiled once more for
//! each setting, so that ops know their registers; `s_set_vgpr_msb` goes on in that copy.
//!
//! How faithful an instruction is, [`fidelity`] says.

pub mod alu;
pub mod barrier;
pub mod dispatch;
pub mod error;
mod exceptions;
mod faults;
mod fidelity;
pub mod machine;
pub mod matrix;
mod native;
pub mod order;
pub mod program;
pub mod rows;
pub mod run;
pub mod semantics;
pub mod stats;
pub mod trap;
pub mod valu;
pub mod wave;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod testing_program;

pub use dispatch::{Dispatch, MemoryConfig, Packet, Setup};
pub use error::{RunError, Stop, WaveFault};
pub use exceptions::exception_reading;
pub use faults::{FaultSite, FaultSites, MissedRegion};
pub use fidelity::{Fidelity, fidelity};
pub use order::{Hazard, HazardKind, HazardRegister, MemoryOrder};
pub use program::{Code, Op, Options, Program, Registers, Step};
pub use run::{Limits, Outcome, ScratchArena, Trace, Watch, run, scratch_needed};
pub use semantics::refused::REFUSED as REFUSED_MEMORY;
pub use stats::{Family, Stats};
pub use trap::{Exceptions, TrapHandler};
pub use wave::Wave;
