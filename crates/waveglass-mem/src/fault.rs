//! Memory violations as values.
//!
//! A lane with a bad address reads zero or drops its store, and the other lanes go on (Vega ISA 9.6).
//! What was wrong is a [`Fault`] for each such lane.

use std::fmt;
use std::sync::Arc;

/// The address space that an access was made in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// The LDS address is inside the workgroup's allocation, and past the limit in M0 that
    /// [`Rules::m0_bounds_lds`](crate::Rules::m0_bounds_lds) asks for (Vega ISA 9.6).
    M0Range,
}

impl FaultKind {
    /// A short name that data carry: `unmapped`, `lds-range`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unmapped => "unmapped",
            Self::Hole => "hole",
            Self::ReadOnly => "read-only",
            Self::Misaligned => "misaligned",
            Self::LdsRange => "lds-range",
            Self::ScratchRange => "scratch-range",
            Self::LdsAperture => "lds-aperture",
            Self::ScratchAtomic => "scratch-atomic",
            Self::NegativeOffset => "negative-offset",
            Self::M0Range => "m0-range",
        }
    }
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
            Self::M0Range => "address is past the LDS limit in M0",
        })
    }
}

/// On which side of a region an access lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Wholly before the region.
    Before,
    /// Begins before the region and reaches into it, or over all of it.
    AcrossStart,
    /// Within the region, which does not allow the access for another reason.
    Inside,
    /// Begins within the region and reaches past its end.
    AcrossEnd,
    /// Wholly past the end of the region.
    After,
}

impl Side {
    /// The name that data carry: `before`, `across-start`, `inside`, `across-end`, `after`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::AcrossStart => "across-start",
            Self::Inside => "inside",
            Self::AcrossEnd => "across-end",
            Self::After => "after",
        }
    }
}

/// A region of memory beside which a bad access lies, and how far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// The region's name.
    pub name: Arc<str>,
    /// Its first address.
    pub base: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Where the access lies.
    pub side: Side,
    /// How far it is outside, in bytes. [`Before`](Side::Before) and [`AcrossStart`](Side::AcrossStart): how
    /// far its first byte lies below the base, at least 1. [`After`](Side::After): how far its first byte
    /// lies from the end, the first address behind the region: 0 right behind it.
    /// [`AcrossEnd`](Side::AcrossEnd): how many of its bytes are past the end, at least 1.
    /// [`Inside`](Side::Inside): 0.
    pub distance: u64,
}

impl Nearest {
    /// A region beside an access of `bytes` bytes at `address`.
    ///
    /// ```
    /// use waveglass_mem::{Nearest, Side};
    /// let near = |address| {
    ///     let n = Nearest::of("a".into(), 0x1000, 0x100, address, 4);
    ///     (n.side, n.distance)
    /// };
    /// assert_eq!(near(0x1100), (Side::After, 0)); // right behind the end
    /// assert_eq!(near(0x10fe), (Side::AcrossEnd, 2)); // its last two bytes are outside
    /// assert_eq!(near(0xffc), (Side::Before, 4));
    /// ```
    pub fn of(name: Arc<str>, base: u64, size: u64, address: u64, bytes: u32) -> Self {
        let signed = i128::from(address);
        Self::beside(name, base, size, signed, bytes)
    }

    fn beside(name: Arc<str>, base: u64, size: u64, address: i128, bytes: u32) -> Self {
        let start = i128::from(base);
        let end = start + i128::from(size);
        let past = address + i128::from(bytes);
        let (side, distance) = if address < start {
            match past > start {
                true => (Side::AcrossStart, start - address),
                false => (Side::Before, start - address),
            }
        } else if address >= end {
            (Side::After, address - end)
        } else if past > end {
            (Side::AcrossEnd, past - end)
        } else {
            (Side::Inside, 0)
        };
        Self {
            name,
            base,
            size,
            side,
            distance: u64::try_from(distance).unwrap_or(u64::MAX),
        }
    }

    /// Its name and its addresses.
    fn region(&self) -> String {
        let end = u128::from(self.base) + u128::from(self.size);
        format!("{} [{:#x}, {end:#x})", self.name, self.base)
    }
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let region = self.region();
        let n = self.distance;
        let bytes = if n == 1 { "byte" } else { "bytes" };
        match self.side {
            Side::Before => write!(f, "it starts {n} {bytes} before {region}"),
            Side::AcrossStart if n == 1 => write!(f, "its first byte is before {region}"),
            Side::AcrossStart => write!(f, "its first {n} bytes are before {region}"),
            Side::Inside => write!(f, "inside {region}"),
            Side::AcrossEnd if n == 1 => write!(f, "its last byte is behind the end of {region}"),
            Side::AcrossEnd => write!(f, "its last {n} bytes are behind the end of {region}"),
            Side::After if n == 0 => write!(f, "it starts right behind the end of {region}"),
            Side::After => write!(f, "it starts {n} {bytes} behind the end of {region}"),
        }
    }
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

impl Fault {
    /// The region that the access missed: the nearest one, or the LDS or scratch whose size bounds it.
    pub fn region(&self) -> Option<Nearest> {
        if let Some(nearest) = &self.nearest {
            return Some(nearest.clone());
        }
        let name = match (self.space, self.kind) {
            (_, FaultKind::M0Range) => "M0's part of the LDS",
            (Space::Gds, _) => "GDS or M0's window of it",
            (Space::Scratch, _) => "the lane's scratch",
            _ => "the workgroup's LDS",
        };
        let address = self.signed_address();
        Some(Nearest::beside(
            name.into(),
            0,
            self.limit?,
            address,
            self.size,
        ))
    }

    /// The address as a number; an offset outside scratch is a signed one.
    pub fn signed_address(&self) -> i128 {
        match (self.space, self.kind) {
            (Space::Scratch, FaultKind::ScratchRange | FaultKind::Misaligned) => {
                i128::from(self.address as i64)
            }
            _ => i128::from(self.address),
        }
    }

    /// What was wrong, as a clause.
    pub fn reason(&self) -> String {
        match (self.space, self.kind) {
            (Space::Gds, FaultKind::LdsRange) => {
                "address is outside GDS or M0's window of it".into()
            }
            (_, kind) => kind.to_string(),
        }
    }

    /// The address in hexadecimal; a negative offset in scratch as one.
    pub fn address_text(&self) -> String {
        match self.signed_address() {
            a if a < 0 => format!("-{:#x}", -a),
            a => format!("{a:#x}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} of {} byte{} at {} by lane {}: {}",
            self.space,
            self.access,
            self.size,
            if self.size == 1 { "" } else { "s" },
            self.address_text(),
            self.lane,
            self.reason()
        )?;
        if let Some(limit) = self.limit {
            write!(f, " ({limit} bytes)")?;
        }
        match self.region() {
            Some(region) => write!(f, "; {region}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unmapped(address: u64) -> Fault {
        let arg = || Nearest::of("arg 2 'c'".into(), 0x1000, 0x100, address, 4);
        Fault {
            kind: FaultKind::Unmapped,
            access: Access::Load,
            space: Space::Global,
            lane: 5,
            address,
            size: 4,
            nearest: Some(arg()),
            limit: None,
        }
    }

    #[test]
    fn a_fault_reads_as_one_sentence() {
        assert_eq!(
            unmapped(0x1100).to_string(),
            "global load of 4 bytes at 0x1100 by lane 5: address is not mapped; \
             it starts right behind the end of arg 2 'c' [0x1000, 0x1100)"
        );
        let lds = Fault {
            kind: FaultKind::LdsRange,
            space: Space::Lds,
            nearest: None,
            limit: Some(64),
            ..unmapped(62)
        };
        assert_eq!(
            lds.to_string(),
            "LDS load of 4 bytes at 0x3e by lane 5: address is outside the LDS allocation (64 bytes); \
             its last 2 bytes are behind the end of the workgroup's LDS [0x0, 0x40)"
        );
    }

    #[test]
    fn the_distance_says_how_far_outside_an_access_is_and_where() {
        for (address, want) in [
            (0xf00, "it starts 256 bytes before"),
            (0xffc, "it starts 4 bytes before"),
            (0xffd, "its first 3 bytes are before"),
            (0xfff, "its first byte is before"),
            (0x1000, "inside"),
            (0x10fc, "inside"),
            (0x10fd, "its last byte is behind the end of"),
            (0x10ff, "its last 3 bytes are behind the end of"),
            (0x1100, "it starts right behind the end of"),
            (0x1101, "it starts 1 byte behind the end of"),
            (0x1200, "it starts 256 bytes behind the end of"),
        ] {
            let text = unmapped(address).to_string();
            let end = format!("; {want} arg 2 'c' [0x1000, 0x1100)");
            assert!(text.ends_with(&end), "{text}");
        }
    }

    #[test]
    fn distances_hold_at_both_ends_of_the_address_space() {
        let near = |base, size, address| {
            let n = Nearest::of("r".into(), base, size, address, 16);
            (n.side, n.distance)
        };
        assert_eq!(near(u64::MAX, 1, 0), (Side::Before, u64::MAX));
        assert_eq!(near(0, 1, u64::MAX), (Side::After, u64::MAX - 1));
        assert_eq!(near(u64::MAX - 15, 16, u64::MAX), (Side::AcrossEnd, 15));
        assert_eq!(near(8, 1, 0), (Side::AcrossStart, 8));
    }

    #[test]
    fn offsets_below_scratch_are_negative() {
        let fault = Fault {
            kind: FaultKind::ScratchRange,
            space: Space::Scratch,
            nearest: None,
            limit: Some(16),
            ..unmapped(-8i64 as u64)
        };
        assert_eq!(
            fault.to_string(),
            "scratch load of 4 bytes at -0x8 by lane 5: offset is outside the lane's scratch (16 bytes); \
             it starts 8 bytes before the lane's scratch [0x0, 0x10)"
        );
    }
}
