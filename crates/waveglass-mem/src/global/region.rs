//! One mapped region and its bytes.
//!
//! Waves on several host threads access a region at once, and racing programs are as legal to run here
//! as on a GPU. All access to the bytes therefore goes through relaxed atomics of the access's own
//! width, which cost what plain moves cost, or through single vector moves that the compiler cannot
//! see into (`line`). Races between accesses of one width are defined by Rust's memory model. Races
//! between accesses of different widths to the same bytes are not covered by its letter; each access is
//! still one load or store that the compiler can neither assume away nor split, and the hosts in
//! question (x86-64, AArch64) define the outcome.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

use super::{MapError, Permission};

/// What host memory is aligned to and padded to: natural alignment of a GPU address is then natural
/// alignment of the host's, up to a whole line.
pub(super) const LINE: usize = 16;

/// A mapped region. `base` is a multiple of 16 unless the memory is the host's (`foreign`).
pub(super) struct Region {
    pub(super) base: u64,
    pub(super) size: u64,
    pub(super) permission: Permission,
    pub(super) name: Arc<str>,
    /// The byte at [`Region::origin`], aligned to a line.
    pub(super) start: NonNull<AtomicU64>,
    /// 64-bit words of initialised memory at `start`: whole lines, the last of which may reach past
    /// the region's end.
    pub(super) words: usize,
    /// With what `start` was allocated; memory that belongs to someone else has none.
    pub(super) layout: Option<Layout>,
}

/// A region's memory as seen from an address, which need not be in the region. Held by value, so that loops
/// which write elsewhere need not look it up again for each lane.
#[derive(Clone, Copy)]
pub(super) struct Memory<'a> {
    at: *const AtomicU8,
    region: PhantomData<&'a Region>,
}

impl<'a> Memory<'a> {
    /// The byte so far on, without a check.
    ///
    /// # Safety
    /// The byte lies in the region.
    #[inline(always)]
    pub(super) unsafe fn byte(self, ahead: u32) -> &'a AtomicU8 {
        // SAFETY: the caller vouches for it; the region lives as long as `'a`.
        unsafe { &*self.at.wrapping_add(ahead as usize) }
    }

    /// The short so far on, without a check.
    ///
    /// # Safety
    /// The short lies in the region, at an even address.
    #[inline(always)]
    pub(super) unsafe fn short(self, ahead: u32) -> &'a AtomicU16 {
        // SAFETY: as above; a region's memory is as aligned as its addresses.
        unsafe { &*self.at.wrapping_add(ahead as usize).cast() }
    }

    /// The dword so far on, without a check.
    ///
    /// # Safety
    /// The dword lies in the region, at a multiple of 4.
    #[inline(always)]
    pub(super) unsafe fn dword(self, ahead: u32) -> &'a AtomicU32 {
        // SAFETY: as above.
        unsafe { &*self.at.wrapping_add(ahead as usize).cast() }
    }

    /// The 64-bit word so far on, without a check.
    ///
    /// # Safety
    /// The word lies in the region, at a multiple of 8.
    #[inline(always)]
    pub(super) unsafe fn word(self, ahead: u32) -> &'a AtomicU64 {
        // SAFETY: as above.
        unsafe { &*self.at.wrapping_add(ahead as usize).cast() }
    }

    /// Where the line so far on is: to be moved only if it lies in the region, at a multiple of 16.
    #[inline(always)]
    pub(super) fn line(self, ahead: u32) -> *const AtomicU64 {
        self.at.wrapping_add(ahead as usize).cast()
    }

    /// What is seen `bytes` further on.
    #[inline(always)]
    pub(super) fn ahead(self, bytes: usize) -> Self {
        Self {
            at: self.at.wrapping_add(bytes),
            ..self
        }
    }
}

// SAFETY: a region owns its memory, or whoever mapped it has vouched for it (`map_foreign`), and
// through `&Region` the memory is reached by atomic accesses alone (the module's documentation says
// what "atomic" covers).
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Drop for Region {
    fn drop(&mut self) {
        if let Some(layout) = self.layout {
            // SAFETY: `start` was allocated by the global allocator with `layout`, and is freed once.
            unsafe { dealloc(self.start.as_ptr().cast(), layout) };
        }
    }
}

impl Region {
    /// A region of zeros; large ones cost no host memory until touched.
    pub(super) fn zeroed(
        base: u64,
        size: u64,
        permission: Permission,
        name: Arc<str>,
    ) -> Result<Self, MapError> {
        let out_of_memory = || MapError::OutOfMemory { size };
        let bytes = usize::try_from(size).map_err(|_| out_of_memory())?;
        let bytes = bytes
            .checked_next_multiple_of(LINE)
            .ok_or_else(out_of_memory)?;
        let layout = Layout::from_size_align(bytes, LINE).map_err(|_| out_of_memory())?;
        if bytes == 0 {
            return Err(MapError::Empty);
        }
        // SAFETY: the layout's size is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(out_of_memory)?;
        Ok(Self {
            base,
            size,
            permission,
            name,
            start: start.cast(),
            words: bytes / 8,
            layout: Some(layout),
        })
    }

    /// A region with a copy of these bytes.
    pub(super) fn copied(
        base: u64,
        bytes: &[u8],
        permission: Permission,
        name: Arc<str>,
    ) -> Result<Self, MapError> {
        let region = Self::zeroed(base, bytes.len() as u64, permission, name)?;
        // SAFETY: the region has at least `bytes.len()` bytes, which nobody else can reach yet.
        unsafe {
            let to = region.start.as_ptr().cast::<u8>();
            to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        Ok(region)
    }

    /// A region that takes these bytes over, without a copy where the allocator gave them the
    /// alignment that a region needs.
    pub(super) fn owning(
        base: u64,
        mut bytes: Vec<u8>,
        permission: Permission,
        name: Arc<str>,
    ) -> Result<Self, MapError> {
        let size = bytes.len() as u64;
        let padded = bytes.len().next_multiple_of(LINE);
        if bytes.try_reserve_exact(padded - bytes.len()).is_err() {
            return Err(MapError::OutOfMemory { size });
        }
        let aligned = (bytes.as_ptr() as usize).is_multiple_of(LINE);
        let Ok(layout) = Layout::array::<u8>(bytes.capacity()) else {
            return Err(MapError::OutOfMemory { size });
        };
        if size == 0 || !aligned {
            return Self::copied(base, &bytes, permission, name);
        }
        bytes.resize(padded, 0);
        let mut bytes = ManuallyDrop::new(bytes);
        let Some(start) = NonNull::new(bytes.as_mut_ptr()) else {
            return Err(MapError::OutOfMemory { size });
        };
        Ok(Self {
            base,
            size,
            permission,
            name,
            start: start.cast(),
            words: padded / 8,
            layout: Some(layout),
        })
    }

    /// The region's bytes, without a copy if they were a vector before.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        let size = self.size as usize;
        let capacity = match self.layout {
            Some(layout) if layout.align() == 1 => layout.size(),
            _ => {
                let mut out = vec![0; size];
                self.copy_out(self.offset(self.base), &mut out);
                return out;
            }
        };
        let region = ManuallyDrop::new(self);
        // SAFETY: an alignment of 1 says that the memory is a vector's that `owning` has taken over,
        // with this capacity and all words initialised. The name, which is also owned, is dropped
        // below; nothing else is, and `region` is not used again.
        unsafe {
            let start = region.start.as_ptr().cast::<u8>();
            let mut bytes = Vec::from_raw_parts(start, region.words * 8, capacity);
            bytes.truncate(size);
            drop(std::ptr::read(&region.name));
            bytes
        }
    }

    /// The address that `start` stands for: `base`, or the start of its line.
    #[inline(always)]
    pub(super) fn origin(&self) -> u64 {
        self.base & !(LINE as u64 - 1)
    }

    /// Whether all of `[address, address + size)` is in the region.
    #[inline(always)]
    pub(super) fn holds(&self, address: u64, size: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.size && size <= self.size - offset
    }

    /// Where in the region's memory an address of the region is.
    #[inline(always)]
    pub(super) fn offset(&self, address: u64) -> usize {
        address.wrapping_sub(self.origin()) as usize
    }

    /// The bytes as 64-bit words; the last may reach past the region's end.
    #[inline(always)]
    pub(super) fn words(&self) -> &[AtomicU64] {
        // SAFETY: `start` has so many initialised words, aligned to a line, which live as long as the
        // region and are reached by atomic accesses alone. Of foreign memory the lines at the ends may
        // lie partly outside what was handed over; nothing there is read or written.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.words) }
    }

    /// The bytes as dwords.
    #[inline(always)]
    pub(super) fn dwords(&self) -> &[AtomicU32] {
        // SAFETY: as for `words`; an AtomicU32 needs less alignment and has no invalid values.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().cast(), self.words * 2) }
    }

    /// The bytes as 16-bit values.
    #[inline(always)]
    fn shorts(&self) -> &[AtomicU16] {
        // SAFETY: as for `dwords`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().cast(), self.words * 4) }
    }

    /// The bytes.
    #[inline(always)]
    pub(super) fn bytes(&self) -> &[AtomicU8] {
        // SAFETY: as for `dwords`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().cast(), self.words * 8) }
    }

    /// Whether its memory is its own, so that the lines at its ends may be read whole.
    #[inline(always)]
    pub(super) fn is_owned(&self) -> bool {
        self.layout.is_some()
    }

    /// Its memory as seen from `address`.
    #[inline(always)]
    pub(super) fn memory_from(&self, address: u64) -> Memory<'_> {
        let start = self.start.as_ptr().cast_const().cast::<AtomicU8>();
        Memory {
            at: start.wrapping_add(self.offset(address)),
            region: PhantomData,
        }
    }

    /// Reads a dword at any alignment. An unaligned one may tear.
    #[inline]
    pub(super) fn load_dword(&self, offset: usize) -> u32 {
        let dwords = self.dwords();
        let shift = offset % 4 * 8;
        if shift == 0 {
            return dwords[offset / 4].load(Relaxed);
        }
        if self.layout.is_none() {
            // The dwords at the ends of foreign memory may not be read whole.
            return self.bytes()[offset..][..4]
                .iter()
                .rev()
                .fold(0, |v, b| v << 8 | u32::from(b.load(Relaxed)));
        }
        let low = dwords[offset / 4].load(Relaxed);
        let high = dwords[offset / 4 + 1].load(Relaxed);
        ((u64::from(high) << 32 | u64::from(low)) >> shift) as u32
    }

    /// Writes a dword at any alignment. An unaligned one may tear.
    #[inline]
    pub(super) fn store_dword(&self, offset: usize, value: u32) {
        if offset.is_multiple_of(4) {
            self.dwords()[offset / 4].store(value, Relaxed);
        } else {
            for (cell, byte) in self.bytes()[offset..][..4].iter().zip(value.to_le_bytes()) {
                cell.store(byte, Relaxed);
            }
        }
    }

    /// Reads 1, 2 or 4 bytes, zero-extended.
    #[inline]
    pub(super) fn load_small(&self, offset: usize, bytes: u32) -> u32 {
        match bytes {
            1 => u32::from(self.bytes()[offset].load(Relaxed)),
            2 if offset.is_multiple_of(2) => u32::from(self.shorts()[offset / 2].load(Relaxed)),
            2 => {
                let low = self.bytes()[offset].load(Relaxed);
                let high = self.bytes()[offset + 1].load(Relaxed);
                u32::from(u16::from_le_bytes([low, high]))
            }
            _ => self.load_dword(offset),
        }
    }

    /// Writes the low 1, 2 or 4 bytes of `value`.
    #[inline]
    pub(super) fn store_small(&self, offset: usize, bytes: u32, value: u32) {
        match bytes {
            1 => self.bytes()[offset].store(value as u8, Relaxed),
            2 if offset.is_multiple_of(2) => self.shorts()[offset / 2].store(value as u16, Relaxed),
            2 => {
                self.bytes()[offset].store(value as u8, Relaxed);
                self.bytes()[offset + 1].store((value >> 8) as u8, Relaxed);
            }
            _ => self.store_dword(offset, value),
        }
    }

    /// Reads `N` consecutive dwords. Naturally aligned pairs do not tear.
    #[inline]
    pub(super) fn load_dwords<const N: usize>(&self, offset: usize) -> [u32; N] {
        let mut out = [0; N];
        if N.is_multiple_of(2) && offset.is_multiple_of(8) {
            for (pair, word) in out.chunks_exact_mut(2).zip(&self.words()[offset / 8..]) {
                let word = word.load(Relaxed);
                pair[0] = word as u32;
                pair[1] = (word >> 32) as u32;
            }
        } else {
            for (d, value) in out.iter_mut().enumerate() {
                *value = self.load_dword(offset + d * 4);
            }
        }
        out
    }

    /// Writes `N` consecutive dwords. Naturally aligned pairs do not tear.
    #[inline]
    pub(super) fn store_dwords<const N: usize>(&self, offset: usize, values: [u32; N]) {
        if N.is_multiple_of(2) && offset.is_multiple_of(8) {
            for (pair, word) in values.chunks_exact(2).zip(&self.words()[offset / 8..]) {
                word.store(u64::from(pair[0]) | u64::from(pair[1]) << 32, Relaxed);
            }
        } else {
            for (d, value) in values.into_iter().enumerate() {
                self.store_dword(offset + d * 4, value);
            }
        }
    }

    /// Copies bytes out, starting at `offset`, word by word where they line up.
    pub(super) fn copy_out(&self, offset: usize, out: &mut [u8]) {
        let head = out.len().min(offset.wrapping_neg() % 8);
        let (first, rest) = out.split_at_mut(head);
        let bytes = self.bytes();
        for (i, byte) in first.iter_mut().enumerate() {
            *byte = bytes[offset + i].load(Relaxed);
        }
        let start = offset + head;
        let mut words = rest.chunks_exact_mut(8);
        let mut at = start / 8;
        for chunk in &mut words {
            chunk.copy_from_slice(&self.words()[at].load(Relaxed).to_le_bytes());
            at += 1;
        }
        for (i, byte) in words.into_remainder().iter_mut().enumerate() {
            *byte = bytes[at * 8 + i].load(Relaxed);
        }
    }

    /// Copies bytes in, starting at `offset`, word by word where they line up.
    pub(super) fn copy_in(&self, offset: usize, data: &[u8]) {
        let head = data.len().min(offset.wrapping_neg() % 8);
        let (first, rest) = data.split_at(head);
        let bytes = self.bytes();
        for (i, byte) in first.iter().enumerate() {
            bytes[offset + i].store(*byte, Relaxed);
        }
        let words = rest.chunks_exact(8);
        let tail = words.remainder();
        let mut at = (offset + head) / 8;
        for chunk in words {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.words()[at].store(u64::from_le_bytes(word), Relaxed);
            at += 1;
        }
        for (i, byte) in tail.iter().enumerate() {
            bytes[at * 8 + i].store(*byte, Relaxed);
        }
    }
}
