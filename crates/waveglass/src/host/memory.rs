//! What a program may touch.

use std::sync::Arc;
use waveglass_mem::{GlobalMemory, MapError, Permission};

use super::process;
use crate::LaunchError;

/// Ranges of host memory that programs may access at their host addresses.
///
/// An access outside them is a memory violation. What Waveglass adds for a run comes on top.
#[derive(Clone, Debug, Default)]
pub struct HostMemory {
    /// Sorted by address; they do not overlap.
    ranges: Vec<Range>,
    whole_process: bool,
}

#[derive(Clone, Debug)]
struct Range {
    start: u64,
    size: u64,
    permission: Permission,
    name: Arc<str>,
}

impl HostMemory {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets programs access `size` bytes at `start`, whatever its alignment. `name` is what reports
    /// of memory violations call it.
    ///
    /// # Errors
    ///
    /// [`MapError`]: an empty range, one that does not fit the address space, one that overlaps
    /// another.
    ///
    /// # Safety
    ///
    /// Until it is unregistered (or `self` and its clones are gone) and while a program runs, the
    /// range is readable, and writable with [`Permission::ReadWrite`]; and what the process does
    /// with the bytes meanwhile, it does by atomic accesses.
    pub unsafe fn register(
        &mut self,
        start: *mut u8,
        size: u64,
        permission: Permission,
        name: impl Into<Arc<str>>,
    ) -> Result<(), MapError> {
        let base = start.expose_provenance() as u64;
        if size == 0 {
            return Err(MapError::Empty);
        }
        let overflow = MapError::Overflow { base, size };
        // No object of the host is larger than half the address space; the first page is nobody's.
        let end = base.checked_add(size).filter(|_| size <= i64::MAX as u64);
        let Some(end) = end.filter(|_| base >= FIRST) else {
            return Err(overflow);
        };
        let at = self.ranges.partition_point(|r| r.start < base);
        let before = at.checked_sub(1).map(|i| &self.ranges[i]);
        let overlapped = before
            .filter(|r| r.start + r.size > base)
            .or_else(|| self.ranges.get(at).filter(|r| r.start < end));
        if let Some(r) = overlapped {
            let name = r.name.clone();
            return Err(MapError::Overlap { base, size, name });
        }
        let range = Range {
            start: base,
            size,
            permission,
            name: name.into(),
        };
        self.ranges.insert(at, range);
        Ok(())
    }

    /// Takes the range that starts at `start` away; whether there was one.
    pub fn unregister(&mut self, start: *const u8) -> bool {
        let found = self
            .ranges
            .binary_search_by_key(&(start.addr() as u64), |r| r.start);
        found.map(|i| self.ranges.remove(i)).is_ok()
    }

    /// Lets programs access all memory that the process has when a run starts, as far as the process
    /// itself may: what is mapped later is not seen, and what is not mapped is a violation. Device
    /// memory is left out. Ranges that are registered keep their own permission.
    ///
    /// # Errors
    ///
    /// [`LaunchError::Bad`] on hosts that do not tell what is mapped (all but Linux).
    ///
    /// # Safety
    ///
    /// A program can then overwrite anything, and memory that the process unmaps, or makes
    /// inaccessible, while a program runs that uses it takes the process down.
    pub unsafe fn allow_process(&mut self, allow: bool) -> Result<(), LaunchError> {
        if allow {
            process::mapped()?;
        }
        self.whole_process = allow;
        Ok(())
    }

    /// The address space of a run: `add` maps what the run itself brings, and goes before what the
    /// whole process has.
    pub(super) fn space(
        &self,
        add: impl FnOnce(&mut GlobalMemory) -> Result<(), LaunchError>,
    ) -> Result<GlobalMemory, LaunchError> {
        let mut memory = GlobalMemory::new();
        for r in &self.ranges {
            let start = std::ptr::with_exposed_provenance_mut(r.start as usize);
            // SAFETY: whoever registered the range has vouched for it.
            unsafe { memory.map_foreign(start, r.size, r.permission, r.name.clone()) }?;
        }
        add(&mut memory)?;
        if self.whole_process {
            for m in process::mapped()? {
                // SAFETY: whoever allowed it has vouched for all that is mapped.
                unsafe { map_gaps(&mut memory, m.start, m.end, m.permission, "the process")? };
            }
        }
        Ok(memory)
    }
}

/// No host maps what lies below: a null pointer with an offset is no pointer.
const FIRST: u64 = 0x1000;

/// Maps what is not mapped yet of `[start, end)`.
///
/// # Safety
/// As for [`GlobalMemory::map_foreign`], for all of it.
pub(super) unsafe fn map_gaps(
    memory: &mut GlobalMemory,
    start: u64,
    end: u64,
    permission: Permission,
    name: &str,
) -> Result<(), MapError> {
    let mut at = start;
    let taken: Vec<(u64, u64)> = memory
        .regions()
        .map(|r| (r.base, r.base.saturating_add(r.size)))
        .filter(|&(from, to)| from < end && to > start)
        .collect();
    for (from, to) in taken.into_iter().chain([(end, end)]) {
        if from > at {
            let pointer = std::ptr::with_exposed_provenance_mut(at as usize);
            // SAFETY: as the caller says.
            unsafe { memory.map_foreign(pointer, from - at, permission, name) }?;
        }
        at = at.max(to);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_empty_and_null_ranges_are_refused() {
        let mut bytes = [0u8; 64];
        let start = bytes.as_mut_ptr();
        let mut memory = HostMemory::new();
        let mut register = |start: *mut u8, size| {
            // SAFETY: no program runs.
            unsafe { memory.register(start, size, Permission::ReadWrite, "x") }
        };
        assert_eq!(register(start.wrapping_add(8), 8), Ok(()));
        assert_eq!(register(start, 0), Err(MapError::Empty));
        assert_eq!(register(start, 8), Ok(()));
        for (offset, size) in [(0, 1), (7, 1), (8, 8), (15, 4), (4, 40)] {
            let error = register(start.wrapping_add(offset), size);
            assert!(matches!(error, Err(MapError::Overlap { .. })), "{offset}");
        }
        assert_eq!(register(start.wrapping_add(16), 8), Ok(()));
        for (start, size) in [
            (std::ptr::null_mut(), 8),
            (start, u64::MAX),
            (start, 1 << 63),
        ] {
            let error = register(start, size);
            assert!(matches!(error, Err(MapError::Overflow { .. })), "{size}");
        }
        assert!(memory.unregister(start.wrapping_add(8)));
        assert!(!memory.unregister(start.wrapping_add(8)));
    }

    #[test]
    fn what_a_run_brings_and_what_is_registered_go_before_the_rest_of_the_process() {
        if !cfg!(target_os = "linux") {
            return;
        }
        let mut bytes = vec![0u8; 4096];
        let start = bytes.as_mut_ptr();
        let address = start as u64;
        let mut memory = HostMemory::new();
        // SAFETY: nothing runs.
        unsafe {
            memory
                .register(start.wrapping_add(100), 50, Permission::ReadOnly, "mine")
                .unwrap();
            memory.allow_process(true).unwrap();
        }
        let space = memory
            .space(|m| {
                // SAFETY: as above.
                Ok(unsafe {
                    m.map_foreign(start.wrapping_add(200), 3, Permission::ReadOnly, "run")
                }?)
            })
            .unwrap();
        let name = |at: u64| space.region_at(address + at).unwrap().name.to_string();
        assert_eq!(name(0), "the process");
        assert_eq!(name(99), "the process");
        assert_eq!(name(100), "mine");
        assert_eq!(name(149), "mine");
        assert_eq!(name(150), "the process");
        assert_eq!(name(200), "run");
        assert_eq!(name(203), "the process");
        let code = overlapping_empty_and_null_ranges_are_refused as fn() as usize as u64;
        assert_eq!(
            space.region_at(code).unwrap().permission,
            Permission::ReadOnly
        );
        assert_eq!(space.region_at(0x10), None);
    }
}
