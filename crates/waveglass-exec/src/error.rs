//! Why a run stops.

use crate::trap::Exceptions;
use waveglass_mem::Fault;

/// Why one wave stopped the run; what is needed to explain it travels beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The instruction is not implemented.
    Refused {
        /// Where it is.
        address: u64,
        /// What about it is refused.
        why: &'static str,
    },
    /// The bytes are no instruction.
    Invalid {
        /// Where they are.
        address: u64,
    },
    /// Control went to an address without code.
    BadJump {
        /// The instruction that went there.
        from: u64,
        /// Where it went.
        to: u64,
    },
    /// A memory violation, where the run is to stop at one.
    Fault,
    /// The time limit is reached within an instruction.
    Deadline,
    /// A trap without a handler.
    Trap {
        /// The instruction.
        address: u64,
        /// The trap's number.
        id: u8,
    },
    /// An exception that is to trap, and there is no handler.
    Exception {
        /// The instruction.
        address: u64,
        /// Which exceptions.
        kinds: Exceptions,
    },
}

/// Why a dispatch did not finish.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An instruction that Waveglass does not implement.
    #[error("{mnemonic} at {address:#x} is not implemented: {why} (bytes {bytes})")]
    Refused {
        /// The mnemonic.
        mnemonic: &'static str,
        /// The instruction's bytes, in hex.
        bytes: String,
        /// Its address.
        address: u64,
        /// What is not implemented about it.
        why: &'static str,
    },
    /// The bytes at the program counter are no instruction.
    #[error("the bytes at {address:#x} are no instruction of {target}")]
    Invalid {
        /// The address.
        address: u64,
        /// The target's name.
        target: &'static str,
    },
    /// Control went where there is no code.
    #[error(
        "after {from:#x} the program goes on at {to:#x}, where no instruction of the kernel starts"
    )]
    BadJump {
        /// The jump.
        from: u64,
        /// Where it went.
        to: u64,
    },
    /// `s_trap` without a trap handler.
    #[error("s_trap {id} at {address:#x}, and there is no trap handler")]
    Trap {
        /// The instruction.
        address: u64,
        /// The trap's number.
        id: u8,
    },
    /// An exception that EXCP_EN or TRAP_CTRL has trap, without a trap handler.
    #[error("exception at {address:#x}: {kinds}; it is enabled, and there is no trap handler")]
    Exception {
        /// The instruction.
        address: u64,
        /// Which exceptions.
        kinds: Exceptions,
    },
    /// A memory violation, where the run is to stop at one.
    #[error("a memory violation")]
    Fault,
    /// The step limit is reached.
    #[error("the limit of {0} instructions is reached")]
    StepLimit(u64),
    /// The time limit is reached.
    #[error("the time limit of {0:?} is reached")]
    Timeout(std::time::Duration),
    /// Every wave waits and none can go on.
    #[error("all waves of workgroup {group:?} wait at a barrier that cannot be reached by all")]
    Deadlock {
        /// The workgroup.
        group: [u32; 3],
    },
    /// Every wave in flight waits for others that never come: at global wave sync, or for its turn.
    #[error(
        "{mnemonic} at {address:#x} of workgroup {group:?} waits for waves that never come: no wave in flight can go on"
    )]
    SyncDeadlock {
        /// The workgroup.
        group: [u32; 3],
        /// The instruction that it waits at.
        mnemonic: &'static str,
        /// Its address.
        address: u64,
    },
    /// The launch itself is wrong.
    #[error("{0}")]
    Launch(String),
}

/// A fault with the wave that met it.
#[derive(Clone, Debug)]
pub struct WaveFault {
    /// What happened.
    pub fault: Fault,
    /// The instruction's address.
    pub address: u64,
    /// The instruction's mnemonic.
    pub mnemonic: &'static str,
    /// The workgroup.
    pub group: [u32; 3],
    /// The wave's position in the workgroup.
    pub wave: u32,
}
