//! The addresses of a wave's lanes as its registers hold them.
//!
//! A loop that asks for one address after the other reads the registers themselves. Written to an array
//! by vector stores and read from there lane by lane, the same addresses cost more than the accesses do: each
//! read waits for the store before it.

/// The addresses that `W` lanes access; asked twice, each gives the same. Sealed, since loops that have checked
/// addresses rely on it.
pub trait LaneAddresses<const W: usize>: Copy + sealed::Sealed {
    /// The address before the immediate offset.
    fn base(self, lane: usize) -> u64;

    /// The immediate offset, which all lanes have in common.
    fn immediate(self) -> u64;

    /// Whether nobody has looked yet for lanes in apertures and in the hole between the memory segments.
    const UNCLASSIFIED: bool;

    /// The address that a lane accesses.
    #[inline(always)]
    fn address(self, lane: usize) -> u64 {
        self.base(lane).wrapping_add(self.immediate())
    }
}

mod sealed {
    pub trait Sealed {}
}

/// Addresses in pairs of registers.
#[derive(Clone, Copy, Debug)]
pub struct RegisterPairs<'a, const W: usize> {
    /// Bits 31:0.
    pub low: &'a [u32; W],
    /// Bits 63:32.
    pub high: &'a [u32; W],
    /// The immediate offset.
    pub immediate: u64,
}

/// A scalar base, and an offset in unsigned bytes for each lane.
#[derive(Clone, Copy, Debug)]
pub struct FromBase<'a, const W: usize> {
    /// The base.
    pub base: u64,
    /// The lanes' offsets.
    pub offsets: &'a [u32; W],
    /// The immediate offset.
    pub immediate: u64,
}

/// A scalar base, and a signed offset in units of `scale` bytes for each lane.
#[derive(Clone, Copy, Debug)]
pub struct Scaled<'a, const W: usize> {
    /// The base.
    pub base: u64,
    /// The lanes' offsets.
    pub offsets: &'a [u32; W],
    /// What they are multiplied with.
    pub scale: i64,
    /// The immediate offset.
    pub immediate: u64,
}

/// One dword after the other (ADDTID).
#[derive(Clone, Copy, Debug)]
pub struct DwordOfLane {
    /// The address of lane 0, before the immediate.
    pub base: u64,
    /// The immediate offset.
    pub immediate: u64,
}

impl<const W: usize> sealed::Sealed for RegisterPairs<'_, W> {}
impl<const W: usize> sealed::Sealed for FromBase<'_, W> {}
impl<const W: usize> sealed::Sealed for Scaled<'_, W> {}
impl sealed::Sealed for DwordOfLane {}
impl<const W: usize> sealed::Sealed for &[u64; W] {}

impl<const W: usize> LaneAddresses<W> for RegisterPairs<'_, W> {
    const UNCLASSIFIED: bool = true;

    #[inline(always)]
    fn base(self, lane: usize) -> u64 {
        u64::from(self.low[lane]) | u64::from(self.high[lane]) << 32
    }

    #[inline(always)]
    fn immediate(self) -> u64 {
        self.immediate
    }
}

impl<const W: usize> LaneAddresses<W> for FromBase<'_, W> {
    const UNCLASSIFIED: bool = true;

    #[inline(always)]
    fn base(self, lane: usize) -> u64 {
        self.base.wrapping_add(self.offsets[lane].into())
    }

    #[inline(always)]
    fn immediate(self) -> u64 {
        self.immediate
    }
}

impl<const W: usize> LaneAddresses<W> for Scaled<'_, W> {
    const UNCLASSIFIED: bool = true;

    #[inline(always)]
    fn base(self, lane: usize) -> u64 {
        let bytes = i64::from(self.offsets[lane] as i32).wrapping_mul(self.scale);
        self.base.wrapping_add(bytes as u64)
    }

    #[inline(always)]
    fn immediate(self) -> u64 {
        self.immediate
    }
}

impl<const W: usize> LaneAddresses<W> for DwordOfLane {
    const UNCLASSIFIED: bool = true;

    #[inline(always)]
    fn base(self, lane: usize) -> u64 {
        self.base.wrapping_add(4 * lane as u64)
    }

    #[inline(always)]
    fn immediate(self) -> u64 {
        self.immediate
    }
}

/// Addresses in global memory that are worked out already.
impl<const W: usize> LaneAddresses<W> for &[u64; W] {
    const UNCLASSIFIED: bool = false;

    #[inline(always)]
    fn base(self, lane: usize) -> u64 {
        self[lane]
    }

    #[inline(always)]
    fn immediate(self) -> u64 {
        0
    }
}
