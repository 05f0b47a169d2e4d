//! The AMD GPU memory model: address spaces, apertures, LDS, scratch, buffer descriptors, range
//! checks, atomics and faults, with each generation's rules.
//!
//! The crate knows nothing of instructions or waves. Its callers hand it lane addresses, EXEC and
//! register rows, and get data moved and [`Fault`]s recorded.
//!
//! Where to start: [`GlobalMemory`] (the 64-bit address space), [`Lds`], [`ScratchWindow`] (the
//! swizzle of private memory), [`Flat`] (one address for all three), [`buffer`] (V#), [`TensorDescriptor`]
//! (D#), [`AtomicOp`].
//! [`Rules`] says which generation's rules apply; a [`Port`] is one wave's view of it all.
//!
//! ```
//! use waveglass_mem::{Element, Generation, GlobalMemory, Lanes, Permission, Port, Rules};
//!
//! let mut memory = GlobalMemory::new();
//! memory.map_bytes(0x1_0000, &7u32.to_le_bytes(), Permission::ReadWrite, "arg 0 'a'")?;
//! let mut port = Port::new(Rules::new(Generation::Gcn5));
//! let mut v0 = [[0xffff_ffff; 32]; 1];
//! // Lane 0 reads the buffer, lane 1 is past its end: it reads zero and faults.
//! let mut addresses = [0x1_0000; 32];
//! addresses[1] = 0x1_0004;
//! memory.load(Lanes::new(&addresses, 0b11), Element::B32, &mut v0, &mut port);
//! assert_eq!(v0[0][..3], [7, 0, 0xffff_ffff]);
//! assert_eq!(port.faults.len(), 1);
//! # Ok::<(), waveglass_mem::MapError>(())
//! ```

// Memory images are little-endian, and host atomics act on them in place.
#[cfg(target_endian = "big")]
compile_error!("waveglass-mem needs a little-endian host");
#[cfg(not(target_has_atomic = "64"))]
compile_error!("waveglass-mem needs a host with 64-bit atomics");

mod access;
mod addresses;
mod atomic;
pub mod buffer;
mod fault;
mod flat;
mod gds;
mod global;
mod lds;
mod rules;
mod scratch;
mod tensor;
pub mod wide;

pub use access::{Element, Lanes, PerLane, Port, ROW_LANES, Row};
pub use addresses::{Active, Common, DwordOfLane, FromBase, LaneAddresses, RegisterPairs, Scaled};
pub use atomic::{AtomicOp, AtomicRules, AtomicWidth};
pub use fault::{Access, Fault, FaultKind, Nearest, Side, Space};
pub use flat::{Apertures, Flat, FlatLanes, Target as FlatTarget, Target, reject_non_global};
pub use gds::{Gds, Sync, WaveId};
pub use global::{Atomic, GlobalMemory, MapError, Permission, RegionHint, RegionInfo};
pub use lds::{Lds, lds_addtid, lds_align, lds_pair};
pub use rules::{AlignmentMode, Generation, LdsRange, MinMaxRule, Rules};
pub use scratch::{ScratchWindow, scratch_swizzle};
pub use tensor::{TensorBytes, TensorDescriptor, TensorGroups, TensorIteration, TensorPadding};

pub use access::Touch;
