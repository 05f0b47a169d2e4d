//! Memory of our own that programs see at its host address.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use waveglass_mem::{GlobalMemory, MapError, Permission};

/// Zeroed memory at an address that does not change.
#[derive(Debug)]
pub(super) struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a block owns its memory, and hands out its bytes by `&mut self` or to an address space,
// whose accesses are atomic.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and freed once.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

impl Block {
    /// `size` bytes of zeros, aligned to `align`, a power of two. Large ones cost no memory until
    /// they are touched.
    pub(super) fn zeroed(size: u64, align: usize) -> Result<Self, MapError> {
        let fail = MapError::OutOfMemory { size };
        let layout = usize::try_from(size)
            .ok()
            .and_then(|s| Layout::from_size_align(s.max(1), align).ok());
        let Some(layout) = layout else {
            return Err(fail);
        };
        // SAFETY: the layout's size is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or(fail)?;
        Ok(Self { start, layout })
    }

    /// A copy of `bytes`.
    pub(super) fn of(bytes: &[u8], align: usize) -> Result<Self, MapError> {
        let mut block = Self::zeroed(bytes.len() as u64, align)?;
        block.bytes_mut()[..bytes.len()].copy_from_slice(bytes);
        Ok(block)
    }

    /// The bytes, while no address space has them.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: so many initialised bytes, which nobody else can reach while `self` is borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()) }
    }

    /// Its address, for the host and for programs.
    pub(super) fn address(&self) -> u64 {
        self.start.as_ptr().expose_provenance() as u64
    }

    /// Its size in bytes.
    pub(super) fn size(&self) -> u64 {
        self.layout.size() as u64
    }

    /// Maps `size` bytes from `offset` on.
    ///
    /// # Safety
    /// The block outlives the address space.
    pub(super) unsafe fn map_part(
        &self,
        memory: &mut GlobalMemory,
        offset: u64,
        size: u64,
        permission: Permission,
        name: &str,
    ) -> Result<(), MapError> {
        debug_assert!(offset + size <= self.size());
        let start = self.start.as_ptr().wrapping_add(offset as usize);
        // SAFETY: part of the block, which the caller keeps, and which nobody else writes.
        unsafe { memory.map_foreign(start, size, permission, name) }
    }

    /// Maps all of it.
    ///
    /// # Safety
    /// As for [`Block::map_part`].
    pub(super) unsafe fn map(
        &self,
        memory: &mut GlobalMemory,
        permission: Permission,
        name: &str,
    ) -> Result<(), MapError> {
        // SAFETY: as the caller says.
        unsafe { self.map_part(memory, 0, self.size(), permission, name) }
    }
}
