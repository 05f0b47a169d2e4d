//! The addresses of a wave's lanes as its registers hold them.
//!
//! A loop that asks for one address after the other reads the registers themselves. Written to an array
//! by vector stores and read from there lane by lane, the same addresses cost more than the accesses do: each
//! read waits for the store before it.
//!
//! Lanes of one access mostly lie within 4 GiB: a base that they have in common, and 32 bits for each.
//! [`LaneAddresses::common`] finds the base, and all that is asked of the lanes then is asked of 32 bits.

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

/// Whether values of the active lanes are all the same, and that value.
#[inline(always)]
fn alike<const FULL: bool, const W: usize>(
    active: &Active<FULL, W>,
    value: impl Fn(usize) -> u32,
) -> Option<u32> {
    // By what any and what all have set: compared with the first lane's, the vectorizer leaves that lane out,
    // and is left with an odd number of them.
    let (mut any, mut all) = (0, u32::MAX);
    for lane in 0..W {
        any |= active.choose(lane, value(lane), 0);
        all &= active.choose(lane, value(lane), u32::MAX);
    }
    (any == all).then_some(any)
}

/// What lanes have in common.
#[derive(Clone, Copy, Debug)]
pub struct Common {
    /// A lane's address is this and its 32 bits.
    pub(crate) base: u64,
    /// The same without the immediate offset, where nobody has looked yet for lanes in apertures and in the
    /// hole between the memory segments.
    pub(crate) unclassified: Option<u64>,
}

/// The addresses that `W` lanes access. Asked twice, each gives the same; sealed, since loops that have checked
/// addresses rely on it.
pub trait LaneAddresses<const W: usize>: Copy + sealed::Sealed {
    /// What the active lanes have in common, if they lie within 4 GiB.
    fn common<const FULL: bool>(self, active: &Active<FULL, W>) -> Option<Common>;

    /// The lane's own 32 bits.
    fn low(self, lane: usize) -> u32;
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
    /// What they are multiplied with: 1 to 16.
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

impl Common {
    #[inline(always)]
    fn unclassified(base: u64, immediate: u64) -> Self {
        Self {
            base: base.wrapping_add(immediate),
            unclassified: Some(base),
        }
    }
}

impl<const W: usize> LaneAddresses<W> for RegisterPairs<'_, W> {
    #[inline(always)]
    fn common<const FULL: bool>(self, active: &Active<FULL, W>) -> Option<Common> {
        let high = alike(active, |lane| self.high[lane])?;
        let base = u64::from(high) << 32;
        Some(Common::unclassified(base, self.immediate))
    }

    #[inline(always)]
    fn low(self, lane: usize) -> u32 {
        self.low[lane]
    }
}

impl<const W: usize> LaneAddresses<W> for FromBase<'_, W> {
    #[inline(always)]
    fn common<const FULL: bool>(self, _: &Active<FULL, W>) -> Option<Common> {
        Some(Common::unclassified(self.base, self.immediate))
    }

    #[inline(always)]
    fn low(self, lane: usize) -> u32 {
        self.offsets[lane]
    }
}

/// What is added to scaled offsets, so that none is negative: those that are left are below 2^28, and below
/// 2^32 in bytes.
const BIAS: u32 = 1 << 27;

impl<const W: usize> LaneAddresses<W> for Scaled<'_, W> {
    #[inline(always)]
    fn common<const FULL: bool>(self, active: &Active<FULL, W>) -> Option<Common> {
        let mut high = 0;
        for (lane, &offset) in self.offsets.iter().enumerate() {
            let biased = offset.wrapping_add(BIAS);
            high |= active.choose(lane, biased >> 28, 0);
        }
        if high != 0 || !(1..=16).contains(&self.scale) {
            return None;
        }
        let base = self.base.wrapping_sub(u64::from(BIAS) * self.scale as u64);
        Some(Common::unclassified(base, self.immediate))
    }

    #[inline(always)]
    fn low(self, lane: usize) -> u32 {
        let biased = self.offsets[lane].wrapping_add(BIAS);
        biased.wrapping_mul(self.scale as u32)
    }
}

impl<const W: usize> LaneAddresses<W> for DwordOfLane {
    #[inline(always)]
    fn common<const FULL: bool>(self, _: &Active<FULL, W>) -> Option<Common> {
        Some(Common::unclassified(self.base, self.immediate))
    }

    #[inline(always)]
    fn low(self, lane: usize) -> u32 {
        4 * lane as u32
    }
}

/// Addresses in global memory that are worked out already.
impl<const W: usize> LaneAddresses<W> for &[u64; W] {
    #[inline(always)]
    fn common<const FULL: bool>(self, active: &Active<FULL, W>) -> Option<Common> {
        let high = alike(active, |lane| (self[lane] >> 32) as u32)?;
        Some(Common {
            base: u64::from(high) << 32,
            unclassified: None,
        })
    }

    #[inline(always)]
    fn low(self, lane: usize) -> u32 {
        self[lane] as u32
    }
}
