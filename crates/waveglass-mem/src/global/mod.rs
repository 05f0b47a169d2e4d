//! Global memory: the 64-bit GPU virtual address space and the regions mapped in it.
//!
//! `region` holds the bytes, `foreign` maps memory of the host's own, `wave` the accesses of a wave,
//! `whole_wave` the fast ones among them (`consecutive`, `spread`, `tile`, `small` are how their lanes may lie),
//! `wave_atomic` atomics, `line` the widest moves of the host.

mod consecutive;
mod foreign;
#[cfg(target_arch = "x86_64")]
mod line;
mod one_region;
mod region;
mod small;
mod spread;
#[cfg(target_arch = "x86_64")]
mod tile;
mod wave;
mod wave_atomic;
mod whole_wave;

use std::fmt;
use std::sync::Arc;

use crate::access::Port;
use crate::fault::{Access, Fault, FaultKind, Nearest, Side, Space};
use region::Region;

pub use wave_atomic::Atomic;
pub(crate) use wave_atomic::{lane_value, set_lane_value};

/// What the program may do with a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Permission {
    /// Loads only: a store or atomic is a violation.
    ReadOnly,
    /// Loads, stores and atomics.
    ReadWrite,
}

/// Why a region could not be mapped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    /// The base is not a multiple of 16.
    #[error("region base {base:#x} is not a multiple of 16")]
    Misaligned {
        /// The base asked for.
        base: u64,
    },
    /// The size is zero.
    #[error("region is empty")]
    Empty,
    /// The region would run past the end of the address space.
    #[error("region of {size} bytes at {base:#x} runs past the end of the address space")]
    Overflow {
        /// The base asked for.
        base: u64,
        /// The size asked for.
        size: u64,
    },
    /// The region overlaps one already mapped.
    #[error("region of {size} bytes at {base:#x} overlaps {name}")]
    Overlap {
        /// The base asked for.
        base: u64,
        /// The size asked for.
        size: u64,
        /// The name of the region it overlaps.
        name: Arc<str>,
    },
    /// The host has not enough memory.
    #[error("no host memory for a region of {size} bytes")]
    OutOfMemory {
        /// The size asked for.
        size: u64,
    },
}

/// The region that an access last hit: where the next lookup starts. Any value is valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionHint(usize);

/// What is mapped where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionInfo {
    /// The region's name.
    pub name: Arc<str>,
    /// Its first address.
    pub base: u64,
    /// Its size in bytes.
    pub size: u64,
    /// What the program may do with it.
    pub permission: Permission,
}

/// The 64-bit address space: regions at GPU virtual addresses, each owning its bytes unless it
/// was mapped by [`GlobalMemory::map_foreign`].
///
/// Mapping needs `&mut self`; all accesses take `&self` and may come from many threads at once, racing
/// as they would on a GPU.
#[derive(Default)]
pub struct GlobalMemory {
    /// Sorted by base; regions do not overlap.
    regions: Vec<Region>,
}

impl fmt::Debug for GlobalMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.regions()).finish()
    }
}

impl GlobalMemory {
    /// An address space with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Maps `size` bytes of zeros at `base`, which must be a multiple of 16 (hardware maps pages of
    /// 4 KiB at least).
    ///
    /// # Errors
    /// See [`MapError`].
    pub fn map_zeroed(
        &mut self,
        base: u64,
        size: u64,
        permission: Permission,
        name: impl Into<Arc<str>>,
    ) -> Result<(), MapError> {
        let at = self.place(base, size)?;
        let region = Region::zeroed(base, size, permission, name.into())?;
        self.regions.insert(at, region);
        Ok(())
    }

    /// Maps a copy of `bytes` at `base`, which must be a multiple of 16.
    ///
    /// # Errors
    /// See [`MapError`].
    pub fn map_bytes(
        &mut self,
        base: u64,
        bytes: &[u8],
        permission: Permission,
        name: impl Into<Arc<str>>,
    ) -> Result<(), MapError> {
        let at = self.place(base, bytes.len() as u64)?;
        let region = Region::copied(base, bytes, permission, name.into())?;
        self.regions.insert(at, region);
        Ok(())
    }

    /// Maps `bytes` at `base`, which must be a multiple of 16, without a copy of them where the
    /// allocator has aligned them to 16. [`GlobalMemory::take`] gives them back.
    ///
    /// # Errors
    /// See [`MapError`].
    pub fn map_vec(
        &mut self,
        base: u64,
        bytes: Vec<u8>,
        permission: Permission,
        name: impl Into<Arc<str>>,
    ) -> Result<(), MapError> {
        let at = self.place(base, bytes.len() as u64)?;
        let region = Region::owning(base, bytes, permission, name.into())?;
        self.regions.insert(at, region);
        Ok(())
    }

    /// Unmaps the region that starts at `base` and gives its bytes.
    ///
    /// ```
    /// use waveglass_mem::{GlobalMemory, Permission};
    /// let mut memory = GlobalMemory::new();
    /// memory.map_vec(0x1000, vec![1, 2, 3], Permission::ReadWrite, "buffer")?;
    /// memory.write(0x1001, &[7]);
    /// assert_eq!(memory.take(0x1000), Some(vec![1, 7, 3]));
    /// assert_eq!(memory.take(0x1000), None);
    /// # Ok::<(), waveglass_mem::MapError>(())
    /// ```
    pub fn take(&mut self, base: u64) -> Option<Vec<u8>> {
        let found = self.regions.binary_search_by_key(&base, |r| r.base);
        found.ok().map(|at| self.regions.remove(at).into_bytes())
    }

    /// Unmaps the region that starts at `base`; whether there was one.
    pub fn unmap(&mut self, base: u64) -> bool {
        let found = self.regions.binary_search_by_key(&base, |r| r.base);
        found.map(|at| self.regions.remove(at)).is_ok()
    }

    /// The mapped regions, by address.
    pub fn regions(&self) -> impl Iterator<Item = RegionInfo> + '_ {
        self.regions.iter().map(|r| RegionInfo {
            name: r.name.clone(),
            base: r.base,
            size: r.size,
            permission: r.permission,
        })
    }

    /// The region that holds `address`.
    pub fn region_at(&self, address: u64) -> Option<RegionInfo> {
        let mut hint = RegionHint::default();
        let r = self.find(address, 1, &mut hint)?;
        Some(RegionInfo {
            name: r.name.clone(),
            base: r.base,
            size: r.size,
            permission: r.permission,
        })
    }

    /// Reads bytes as the host: `false`, and `out` untouched, if they do not lie in one region.
    pub fn read(&self, address: u64, out: &mut [u8]) -> bool {
        let mut hint = RegionHint::default();
        match self.find(address, out.len() as u64, &mut hint) {
            Some(region) => region.copy_out(region.offset(address), out),
            None => return false,
        }
        true
    }

    /// Writes bytes as the host, read-only regions included: `false`, and nothing written, if they do
    /// not lie in one region.
    pub fn write(&self, address: u64, data: &[u8]) -> bool {
        let mut hint = RegionHint::default();
        match self.find(address, data.len() as u64, &mut hint) {
            Some(region) => region.copy_in(region.offset(address), data),
            None => return false,
        }
        true
    }

    /// Reads bytes for a program: `false`, and `out` untouched, if they do not lie in one region.
    pub(crate) fn load_bytes(&self, address: u64, out: &mut [u8], port: &mut Port) -> bool {
        match self.find(address, out.len() as u64, &mut port.hint) {
            Some(region) => region.copy_out(region.offset(address), out),
            None => return out.is_empty(),
        }
        port.touch(Access::Load, Space::Global, 0, address, out.len() as u32);
        true
    }

    /// Writes bytes for a program: `false`, and nothing written, if they do not lie in one region that it may
    /// write.
    pub(crate) fn store_bytes(&self, address: u64, data: &[u8], port: &mut Port) -> bool {
        match self.find(address, data.len() as u64, &mut port.store_hint) {
            Some(region) if region.permission == Permission::ReadWrite => {
                region.copy_in(region.offset(address), data);
            }
            _ => return data.is_empty(),
        }
        port.touch(Access::Store, Space::Global, 0, address, data.len() as u32);
        true
    }

    /// Orders this thread's accesses before those that follow, as far as other threads see them.
    ///
    /// For the points at which the program makes its accesses visible or waits for them (waits on
    /// memory counters, cache write-back and invalidation, barriers).
    pub fn fence() {
        std::sync::atomic::fence(std::sync::atomic::Ordering::AcqRel);
    }

    fn place(&self, base: u64, size: u64) -> Result<usize, MapError> {
        if !base.is_multiple_of(16) {
            return Err(MapError::Misaligned { base });
        }
        self.place_unaligned(base, size)
    }

    fn place_unaligned(&self, base: u64, size: u64) -> Result<usize, MapError> {
        if size == 0 {
            return Err(MapError::Empty);
        }
        // By last bytes, since the end of a region may be 2^64.
        let last = base
            .checked_add(size - 1)
            .ok_or(MapError::Overflow { base, size })?;
        let at = self.regions.partition_point(|r| r.base < base);
        let before = at.checked_sub(1).and_then(|i| self.regions.get(i));
        let overlaps = before
            .filter(|r| r.base + (r.size - 1) >= base)
            .or_else(|| self.regions.get(at).filter(|r| r.base <= last));
        match overlaps {
            Some(r) => Err(MapError::Overlap {
                base,
                size,
                name: r.name.clone(),
            }),
            None => Ok(at),
        }
    }

    /// The region that holds all of `[address, address + size)`.
    #[inline(always)]
    fn find(&self, address: u64, size: u64, hint: &mut RegionHint) -> Option<&Region> {
        match self.regions.get(hint.0) {
            Some(region) if region.holds(address, size) => Some(region),
            _ => self.search(address, size, hint),
        }
    }

    /// [`Self::find`] where the hint is of another region.
    fn search(&self, address: u64, size: u64, hint: &mut RegionHint) -> Option<&Region> {
        let at = self.regions.partition_point(|r| r.base <= address);
        let at = at.checked_sub(1)?;
        let region = self.regions.get(at).filter(|r| r.holds(address, size))?;
        hint.0 = at;
        Some(region)
    }

    /// Records why a lane's access at `address` found no region that allows it.
    #[cold]
    pub(crate) fn miss(
        &self,
        access: Access,
        space: Space,
        lane: usize,
        address: u64,
        size: u32,
        port: &mut Port,
    ) {
        let nearest = self.nearest(address, size);
        let kind = match access != Access::Load && self.meets_read_only(address, size) {
            true => FaultKind::ReadOnly,
            false => FaultKind::Unmapped,
        };
        port.faults.push(Fault {
            kind,
            access,
            space,
            lane: lane as u8,
            address,
            size,
            nearest,
            limit: None,
        });
    }

    /// Whether an access lies in regions that meet, of which one is not to be written.
    fn meets_read_only(&self, address: u64, size: u32) -> bool {
        let end = u128::from(address) + u128::from(size);
        let (mut at, mut read_only) = (u128::from(address), false);
        while at < end {
            let region = u64::try_from(at).ok();
            let region = region.and_then(|at| self.find(at, 1, &mut RegionHint::default()));
            let Some(region) = region else {
                return false;
            };
            read_only |= region.permission == Permission::ReadOnly;
            at = u128::from(region.base) + u128::from(region.size);
        }
        read_only
    }

    /// Records a misaligned lane.
    #[cold]
    fn misaligned(
        &self,
        access: Access,
        space: Space,
        lane: usize,
        address: u64,
        size: u32,
        port: &mut Port,
    ) {
        port.faults.push(Fault {
            kind: FaultKind::Misaligned,
            access,
            space,
            lane: lane as u8,
            address,
            size,
            nearest: self.nearest(address, size),
            limit: None,
        });
    }

    /// The region nearest to `[address, address + size)`.
    fn nearest(&self, address: u64, size: u32) -> Option<Nearest> {
        let at = self.regions.partition_point(|r| r.base <= address);
        let below = at.checked_sub(1).and_then(|i| self.regions.get(i));
        let above = self.regions.get(at);
        [below, above]
            .into_iter()
            .flatten()
            .map(|r| Nearest::of(r.name.clone(), r.base, r.size, address, size))
            .min_by_key(|n| match n.side {
                Side::After => n.distance.saturating_add(size.into()),
                _ => n.distance,
            })
    }
}

#[cfg(test)]
mod tests;
