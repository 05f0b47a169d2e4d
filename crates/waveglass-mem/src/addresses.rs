//! The addresses of a wave's lanes as its registers hold them.
//!
//! A loop that asks for one address after the other reads the registers themselves. Written to an array
//! by vector stores and read from there lane by lane, the same addresses cost more than the accesses do: each
//! read waits for the store before it.
//!
//! Lanes of one access mostly lie within 4 GiB: a base that they have in common ([`Common`]), and 32 bits for
//! each. All that is asked of the lanes is asked of these 32 bits.

/// Lanes that take part. `FULL` says that all do.
#[derive(Clone, Debug)]
pub struct Active<const FULL: bool, const W: usize> {
    exec: u64,
    /// All bits set for a lane that takes part: what the host's vectors take for a choice.
    masks: [u32; W],
}

impl<const FULL: bool, const W: usize> Active<FULL, W> {
    /// Those in `exec`, which has every lane if `FULL` says so.
    #[inline(always)]
    pub fn new(exec: u64) -> Self {
        let mut masks = [u32::MAX; W];
        if !FULL {
            for (half, masks) in masks.as_chunks_mut::<32>().0.iter_mut().enumerate() {
                let exec = (exec >> (32 * half)) as u32;
                for (lane, mask) in masks.iter_mut().enumerate() {
                    *mask = (exec >> lane & 1).wrapping_neg();
                }
            }
        }
        Self { exec, masks }
    }

    /// EXEC.
    #[inline(always)]
    pub fn exec(&self) -> u64 {
        self.exec
    }

    /// Of an active lane `on`, of others `off`. A choice and no branch, so that many lanes can be chosen for at
    /// once.
    #[inline(always)]
    pub fn choose(&self, lane: usize, on: u32, off: u32) -> u32 {
        if FULL {
            on
        } else {
            on & self.masks[lane] | off & !self.masks[lane]
        }
    }

    /// The lowest of them; of none the first.
    #[inline(always)]
    pub(crate) fn first(&self) -> usize {
        if FULL {
            0
        } else {
            self.exec.trailing_zeros() as usize % W
        }
    }

    /// The highest of them; of none the last.
    #[inline(always)]
    pub(crate) fn last(&self) -> usize {
        if FULL {
            W - 1
        } else {
            (self.exec.leading_zeros().min(63) ^ 63) as usize % W
        }
    }
}

/// What lanes have in common, as one of them has it.
#[derive(Clone, Copy, Debug)]
pub struct Common {
    /// A lane's address is this and its 32 bits, unless it strays.
    pub(crate) base: u64,
    /// The same without the immediate offset, where nobody has looked yet for lanes in apertures and in the
    /// hole between the memory segments.
    pub(crate) unclassified: Option<u64>,
    /// Bits 63:32 of the lane's address, where lanes have such.
    high: u32,
}

/// The addresses that `W` lanes access. Asked twice, each gives the same; sealed, since loops that have checked
/// addresses rely on it.
pub trait LaneAddresses<const W: usize>: Copy + sealed::Sealed {
    /// What lanes have in common if they have it in common with this one.
    fn common(self, lane: usize) -> Common;

    /// The lane's own 32 bits.
    fn low(self, lane: usize) -> u32;

    /// Not zero if the lane's address is not the common base and its 32 bits.
    fn strays(self, lane: usize, common: Common) -> u32;
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
    /// What they are multiplied with: at most 16, the bytes of the largest element.
    pub scale: u8,
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

impl Common {
    #[inline(always)]
    fn unclassified(base: u64, immediate: u64) -> Self {
        Self {
            base: base.wrapping_add(immediate),
            unclassified: Some(base),
            high: (base >> 32) as u32,
        }
    }
}

impl<const W: usize> LaneAddresses<W> for RegisterPairs<'_, W> {
    #[inline(always)]
    fn common(self, lane: usize) -> Common {
        Common::unclassified(u64::from(self.high[lane]) << 32, self.immediate)
    }

    #[inline(always)]
    fn low(self, lane: usize) -> u32 {
        self.low[lane]
    }

    #[inline(always)]
    fn strays(self, lane: usize, common: Common) -> u32 {
        self.high[lane] ^ common.high
    }
}

impl<const W: usize> LaneAddresses<W> for FromBase<'_, W> {
    #[inline(always)]
    fn common(self, _: usize) -> Common {
        Common::unclassified(self.base, self.immediate)
    }

    #[inline(always)]
    fn low(self, lane: usize) -> u32 {
        self.offsets[lane]
    }

    #[inline(always)]
    fn strays(self, _: usize, _: Common) -> u32 {
        0
    }
}

/// What is added to scaled offsets, so that none is negative: those that do not stray are below 2^28, and below
/// 2^32 in bytes.
const BIAS: u32 = 1 << 27;

impl<const W: usize> Scaled<'_, W> {
    #[inline(always)]
    fn scale(self) -> u32 {
        u32::from(self.scale).min(16)
    }
}

impl<const W: usize> LaneAddresses<W> for Scaled<'_, W> {
    #[inline(always)]
    fn common(self, _: usize) -> Common {
        let bias = u64::from(BIAS) * u64::from(self.scale());
        Common::unclassified(self.base.wrapping_sub(bias), self.immediate)
    }

    #[inline(always)]
    fn low(self, lane: usize) -> u32 {
        let biased = self.offsets[lane].wrapping_add(BIAS);
        biased.wrapping_mul(self.scale())
    }

    #[inline(always)]
    fn strays(self, lane: usize, _: Common) -> u32 {
        self.offsets[lane].wrapping_add(BIAS) >> 28
    }
}

impl<const W: usize> LaneAddresses<W> for DwordOfLane {
    #[inline(always)]
    fn common(self, _: usize) -> Common {
        Common::unclassified(self.base, self.immediate)
    }

    #[inline(always)]
    fn low(self, lane: usize) -> u32 {
        4 * lane as u32
    }

    #[inline(always)]
    fn strays(self, _: usize, _: Common) -> u32 {
        0
    }
}

/// Addresses in global memory that are worked out already.
impl<const W: usize> LaneAddresses<W> for &[u64; W] {
    #[inline(always)]
    fn common(self, lane: usize) -> Common {
        let high = self[lane] >> 32;
        Common {
            base: high << 32,
            unclassified: None,
            high: high as u32,
        }
    }

    #[inline(always)]
    fn low(self, lane: usize) -> u32 {
        self[lane] as u32
    }

    #[inline(always)]
    fn strays(self, lane: usize, common: Common) -> u32 {
        (self[lane] >> 32) as u32 ^ common.high
    }
}
