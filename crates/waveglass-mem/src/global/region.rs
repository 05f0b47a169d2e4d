//! One mapped region and its bytes.
//!
//! Waves on several host threads access a region at once, and racing programs are as legal to run here
//! as on a GPU. All access to the bytes therefore goes through relaxed atomics of the access's own
//! width, which cost what plain moves cost. Races between accesses of one width are defined by Rust's
//! memory model. Races between accesses of different widths to the same bytes are not covered by its
//! letter; each access is still one atomic load or store that the compiler can neither assume away nor
//! split, and the hosts in question (x86-64, AArch64) define the outcome.

use std::alloc::{Layout, alloc_zeroed};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

use super::{MapError, Permission};

/// A mapped region. `base` is a multiple of 16, so that natural alignment of a GPU address is natural
/// alignment of the host's (up to the 8 bytes that the widest atomic needs).
pub(super) struct Region {
    pub(super) base: u64,
    pub(super) size: u64,
    pub(super) permission: Permission,
    pub(super) name: Arc<str>,
    words: Box<[AtomicU64]>,
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
        let words = usize::try_from(size.div_ceil(8)).map_err(|_| out_of_memory())?;
        let layout = Layout::array::<AtomicU64>(words).map_err(|_| out_of_memory())?;
        if layout.size() == 0 {
            return Err(MapError::Empty);
        }
        // SAFETY: the layout's size is not zero.
        let pointer = unsafe { alloc_zeroed(layout) }.cast::<AtomicU64>();
        if pointer.is_null() {
            return Err(out_of_memory());
        }
        // SAFETY: the global allocator gave `words` AtomicU64s' worth of memory in their layout, and
        // zero bytes are valid values of them.
        let words = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(pointer, words)) };
        Ok(Self {
            base,
            size,
            permission,
            name,
            words,
        })
    }

    /// The bytes as 64-bit words; the last may reach past the region's end.
    #[inline]
    pub(super) fn words(&self) -> &[AtomicU64] {
        &self.words
    }

    /// The bytes as dwords.
    #[inline]
    pub(super) fn dwords(&self) -> &[AtomicU32] {
        // SAFETY: the slice covers the same memory, an AtomicU32 needs less alignment, has no invalid
        // values, and interior mutability covers both views.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.words.len() * 2) }
    }

    /// The bytes as 16-bit values.
    #[inline]
    fn shorts(&self) -> &[AtomicU16] {
        // SAFETY: as for `dwords`.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.words.len() * 4) }
    }

    /// The bytes.
    #[inline]
    pub(super) fn bytes(&self) -> &[AtomicU8] {
        // SAFETY: as for `dwords`.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.words.len() * 8) }
    }

    /// Reads a dword at any alignment. An unaligned one may tear.
    #[inline]
    pub(super) fn load_dword(&self, offset: usize) -> u32 {
        let dwords = self.dwords();
        let low = dwords[offset / 4].load(Relaxed);
        let shift = offset % 4 * 8;
        if shift == 0 {
            return low;
        }
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
            for (pair, word) in out.chunks_exact_mut(2).zip(&self.words[offset / 8..]) {
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
            for (pair, word) in values.chunks_exact(2).zip(&self.words[offset / 8..]) {
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
            chunk.copy_from_slice(&self.words[at].load(Relaxed).to_le_bytes());
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
            self.words[at].store(u64::from_le_bytes(word), Relaxed);
            at += 1;
        }
        for (i, byte) in tail.iter().enumerate() {
            bytes[at * 8 + i].store(*byte, Relaxed);
        }
    }
}
