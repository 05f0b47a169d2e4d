//! Memory violations as values.
//!
//! A lane with a bad address reads zero or drops its store, and the other lanes go on (Vega ISA 9.6).
//! What was wrong is a [`Fault`] for each such lane.

use std::fmt;
use std::sync::Arc;

/// The address space that an access was made in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Video and system memory through a 64-bit address.
    Global,
    /// The workgroup's local data share.
    Lds,
    /// The global data share of all waves.
    Gds,
    /// Thread-private memory.
    Scratch,
    /// A flat address that resolved to none of the others.
    Flat,
    /// Memory through a buffer descriptor.
    Buffer,
    /// Memory read by scalar instructions.
    Scalar,
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Global => "global",
            Self::Lds => "LDS",
            Self::Gds => "GDS",
            Self::Scratch => "scratch",
            Self::Flat => "flat",
            Self::Buffer => "buffer",
            Self::Scalar => "scalar",
        })
    }
}

/// What the lane was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// A read.
    Load,
    /// A write.
    Store,
    /// A read and write in one.
    Atomic,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::Atomic => "atomic",
        })
    }
}

/// What was wrong with an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// No memory is mapped at the address.
    Unmapped,
    /// The flat address is in the hole between the two memory segments.
    Hole,
    /// A store or atomic to memory mapped read-only.
    ReadOnly,
    /// The address breaks the alignment that the access or the alignment mode asks for.
    Misaligned,
    /// The LDS address is outside the workgroup's allocation.
    LdsRange,
    /// The scratch offset is outside `[0, scratch size - 1]`.
    ScratchRange,
    /// An instruction that may only touch global memory was given an address in the LDS aperture.
    LdsAperture,
    /// A 64-bit atomic (RDNA 3 ISA 11.1.1: 4-byte elements) or wide monitored load (CDNA 5 ISA 10.10) on
    /// scratch through a flat address.
    ScratchAtomic,
    /// The immediate offset of a scalar buffer access is negative (RDNA 3 ISA 8.1.2).
    NegativeOffset,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unmapped => "address is not mapped",
            Self::Hole => "address is in the hole of the address space",
            Self::ReadOnly => "memory is read-only",
            Self::Misaligned => "address is misaligned",
            Self::LdsRange => "address is outside the LDS allocation",
            Self::ScratchRange => "offset is outside the lane's scratch",
            Self::LdsAperture => "address is in the LDS aperture",
            Self::NegativeOffset => "the immediate offset of a scalar buffer access is negative",
            Self::ScratchAtomic => "64-bit atomic or monitored load on scratch",
        })
    }
}

/// The mapped region nearest to a bad address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// The region's name.
    pub name: Arc<str>,
    /// Its first address.
    pub base: u64,
    /// Its size in bytes.
    pub size: u64,
    /// How far the access is outside, in bytes: negative below the region's base (its first byte is
    /// that far below), positive past its end (its last byte is the n-th byte past the end), zero if
    /// it lies inside.
    pub distance: i128,
}

/// One lane's memory violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What was wrong.
    pub kind: FaultKind,
    /// What the lane was doing.
    pub access: Access,
    /// The space the access was made in.
    pub space: Space,
    /// The lane; 0 for scalar accesses.
    pub lane: u8,
    /// The address: a byte offset in LDS and scratch, else a virtual address.
    pub address: u64,
    /// Bytes that the lane accesses.
    pub size: u32,
    /// The nearest mapped region, where regions are what was missed.
    pub nearest: Option<Nearest>,
    /// The size of the space that bounded the access, where that was what it broke (LDS, scratch).
    pub limit: Option<u64>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} of {} byte{} at {:#x} by lane {}: {}",
            self.space,
            self.access,
            self.size,
            if self.size == 1 { "" } else { "s" },
            self.address,
            self.lane,
            match (self.space, self.kind) {
                (Space::Gds, FaultKind::LdsRange) =>
                    "address is outside GDS or M0's window of it".into(),
                (_, kind) => kind.to_string(),
            }
        )?;
        if let Some(limit) = self.limit {
            write!(f, " ({limit} bytes)")?;
        }
        if let Some(n) = &self.nearest {
            let end = u128::from(n.base) + u128::from(n.size);
            match n.distance {
                0 => write!(f, "; inside {}", n.name)?,
                d if d < 0 => write!(f, "; {} bytes before {}", -d, n.name)?,
                d => write!(f, "; {d} bytes past the end of {}", n.name)?,
            }
            write!(f, " [{:#x}, {end:#x})", n.base)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_reads_as_one_sentence() {
        let fault = Fault {
            kind: FaultKind::Unmapped,
            access: Access::Load,
            space: Space::Global,
            lane: 5,
            address: 0x1100,
            size: 4,
            nearest: Some(Nearest {
                name: "arg 2 'c'".into(),
                base: 0x1000,
                size: 0x100,
                distance: 4,
            }),
            limit: None,
        };
        assert_eq!(
            fault.to_string(),
            "global load of 4 bytes at 0x1100 by lane 5: address is not mapped; \
             4 bytes past the end of arg 2 'c' [0x1000, 0x1100)"
        );
    }
}
