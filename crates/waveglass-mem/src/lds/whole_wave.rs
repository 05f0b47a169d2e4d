//! LDS loads and stores whose lanes are all in range: one check, then a copy where the addresses are
//! consecutive, else a move for each lane.

use crate::access::{Bits, Lanes};
use crate::wide::{Host, WaveLoop};

/// Loads `N` dwords for each active lane; gives `false`, with nothing done, if any is out of range.
pub(super) struct Gather<'a, const N: usize> {
    pub(super) memory: &'a [u8],
    pub(super) lanes: Lanes<'a, u32>,
    pub(super) flat: &'a mut [u32],
}

impl<const N: usize> WaveLoop for Gather<'_, N> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.lanes.addresses.len()
    }

    #[inline(always)]
    fn lanes<const W: usize>(self, host: Host) -> bool {
        let (Some(addresses), Some(registers)) = (
            self.lanes.addresses.first_chunk::<W>(),
            self.flat.as_chunks_mut::<W>().0.first_chunk_mut::<N>(),
        ) else {
            return false;
        };
        let memory = self.memory;
        let exec = self.lanes.exec;
        if !self.lanes.is_full() {
            let mut active = [0; W];
            for (lane, (to, &address)) in active.iter_mut().zip(addresses).enumerate() {
                // An address that is surely in range if any is.
                *to = if exec >> lane & 1 != 0 { address } else { 0 };
            }
            if !all_in_range(&active, N * 4, memory.len()) {
                return false;
            }
            for lane in Bits(exec) {
                let data = dwords::<N, W>(memory, &active, lane % W);
                for (register, value) in registers.iter_mut().zip(data) {
                    register[lane % W] = value;
                }
            }
            return true;
        }
        gather(memory, addresses, registers, host)
    }
}

/// Loads `N` dwords for every lane; gives `false`, with nothing done, if any is out of range.
#[inline(always)]
pub(super) fn gather<const N: usize, const W: usize>(
    memory: &[u8],
    addresses: &[u32; W],
    registers: &mut [[u32; W]; N],
    host: Host,
) -> bool {
    #[cfg(target_arch = "x86_64")]
    if host.has_avx512() {
        // SAFETY: the host has AVX-512.
        if !unsafe { in_range_avx512(addresses, N * 4, memory.len()) } {
            return false;
        }
        for (d, register) in registers.iter_mut().enumerate() {
            let rows = addresses.as_chunks().0;
            for (to, at) in register.as_chunks_mut().0.iter_mut().zip(rows) {
                // SAFETY: the host has AVX-512, and `in_range_avx512` has found that `N` dwords lie at
                // every address.
                unsafe { load_row_avx512(memory.as_ptr().add(d * 4), at, to) };
            }
        }
        return true;
    }
    let _ = host;
    if !all_in_range(addresses, N * 4, memory.len()) {
        return false;
    }
    if N == 1 && consecutive(addresses) {
        let bytes = memory[addresses[0] as usize..].as_chunks::<4>().0;
        if let Some(bytes) = bytes.first_chunk::<W>() {
            for (value, bytes) in registers[0].iter_mut().zip(bytes) {
                *value = u32::from_le_bytes(*bytes);
            }
            return true;
        }
    }
    for lane in 0..W {
        let data = dwords::<N, W>(memory, addresses, lane);
        for (register, value) in registers.iter_mut().zip(data) {
            register[lane] = value;
        }
    }
    true
}

/// [`all_in_range`] by comparisons that give a mask.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
fn in_range_avx512<const W: usize>(addresses: &[u32; W], bytes: usize, len: usize) -> bool {
    use std::arch::x86_64::*;
    let Some(last) = len.checked_sub(bytes).and_then(|l| i32::try_from(l).ok()) else {
        return false;
    };
    let (last, mut bad) = (_mm512_set1_epi32(last), 0);
    for row in addresses.as_chunks::<16>().0 {
        // SAFETY: a row holds sixteen dwords.
        let row = unsafe { _mm512_loadu_si512(row.as_ptr().cast()) };
        bad |= _mm512_cmpgt_epu32_mask(row, last);
    }
    bad == 0
}

/// Loads a dword for each of sixteen lanes: in one piece where the addresses are consecutive, once where
/// they are all the same, as in the rows and columns of a tile, else by the host's gather. (Registers
/// that are written lane by lane and read whole stall the host.)
///
/// # Safety
/// Four bytes must be readable at each address past `memory`, and no address may have its highest bit
/// set.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load_row_avx512(memory: *const u8, at: &[u32; 16], to: &mut [u32; 16]) {
    use std::arch::x86_64::*;
    let steps = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60);
    // SAFETY: the arrays hold sixteen dwords, and the caller vouches for the addresses.
    unsafe {
        let addresses = _mm512_loadu_si512(at.as_ptr().cast());
        let first = _mm512_broadcastd_epi32(_mm512_castsi512_si128(addresses));
        let consecutive = _mm512_add_epi32(first, steps);
        let row = if _mm512_cmpeq_epi32_mask(addresses, consecutive) == u16::MAX {
            _mm512_loadu_si512(memory.add(at[0] as usize).cast())
        } else if _mm512_cmpeq_epi32_mask(addresses, first) == u16::MAX {
            _mm512_set1_epi32(memory.add(at[0] as usize).cast::<i32>().read_unaligned())
        } else {
            _mm512_i32gather_epi32::<1>(addresses, memory.cast())
        };
        _mm512_storeu_si512(to.as_mut_ptr().cast(), row);
    }
}

/// One lane's dwords, for which [`all_in_range`] has been asked.
#[inline(always)]
fn dwords<const N: usize, const W: usize>(
    memory: &[u8],
    checked: &[u32; W],
    lane: usize,
) -> [u32; N] {
    let at = checked[lane] as usize;
    let mut data = [0; N];
    for (d, to) in data.iter_mut().enumerate() {
        // SAFETY: `all_in_range` has found `at + N * 4 <= memory.len()` for every lane.
        let bytes = unsafe { memory.as_ptr().add(at + d * 4).cast::<[u8; 4]>().read() };
        *to = u32::from_le_bytes(bytes);
    }
    data
}

/// Stores `N` dwords for each lane of a full wave, the lowest first; gives `false`, with nothing done,
/// if any is out of range.
pub(super) struct Scatter<'a, const N: usize> {
    pub(super) memory: &'a mut [u8],
    pub(super) lanes: Lanes<'a, u32>,
    pub(super) flat: &'a [u32],
}

impl<const N: usize> WaveLoop for Scatter<'_, N> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.lanes.addresses.len()
    }

    #[inline(always)]
    fn lanes<const W: usize>(self, _: Host) -> bool {
        let (Some(addresses), Some(registers)) = (
            self.lanes.addresses.first_chunk::<W>(),
            self.flat.as_chunks::<W>().0.first_chunk::<N>(),
        ) else {
            return false;
        };
        scatter(self.memory, addresses, registers)
    }
}

/// Stores `N` dwords for every lane, the lowest first; gives `false`, with nothing done, if any is out
/// of range.
#[inline(always)]
pub(super) fn scatter<const N: usize, const W: usize>(
    memory: &mut [u8],
    addresses: &[u32; W],
    registers: &[[u32; W]; N],
) -> bool {
    if !all_in_range(addresses, N * 4, memory.len()) {
        return false;
    }
    if N == 1 && consecutive(addresses) {
        let bytes = memory[addresses[0] as usize..].as_chunks_mut::<4>().0;
        if let Some(bytes) = bytes.first_chunk_mut::<W>() {
            for (bytes, value) in bytes.iter_mut().zip(&registers[0]) {
                *bytes = value.to_le_bytes();
            }
            return true;
        }
    }
    let start = memory.as_mut_ptr();
    for (lane, &address) in addresses.iter().enumerate() {
        for (d, register) in registers.iter().enumerate() {
            let bytes = register[lane].to_le_bytes();
            // SAFETY: `all_in_range` has found `address + N * 4 <= memory.len()` for every lane.
            unsafe {
                start
                    .add(address as usize + d * 4)
                    .cast::<[u8; 4]>()
                    .write(bytes)
            };
        }
    }
    true
}

/// Whether `bytes` bytes at every address lie in the first `len` bytes.
#[inline(always)]
fn all_in_range<const W: usize>(addresses: &[u32; W], bytes: usize, len: usize) -> bool {
    let Some(last) = len.checked_sub(bytes).and_then(|l| i32::try_from(l).ok()) else {
        return false;
    };
    // The sign of `last - address` or of `address` itself shows an address past the last start.
    let mut bad = 0;
    for &address in addresses {
        bad |= (last as u32).wrapping_sub(address) | address;
    }
    bad >> 31 == 0
}

/// Whether each address is 4 past the one before.
#[inline(always)]
fn consecutive<const W: usize>(addresses: &[u32; W]) -> bool {
    let mut differing = 0;
    for (lane, &address) in addresses.iter().enumerate() {
        differing |= address ^ addresses[0].wrapping_add(lane as u32 * 4);
    }
    differing == 0
}

#[cfg(test)]
#[path = "whole_wave_tests.rs"]
mod tests;
