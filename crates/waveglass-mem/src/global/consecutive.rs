//! Lanes whose accesses lie one after the other in a region: bulk moves between memory, lane after lane, and
//! registers.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

#[cfg(target_arch = "x86_64")]
use super::line;
use super::region::Region;
use crate::wide::Host;

/// Copies `W` lanes of `N` dwords each, from `offset` on, to registers.
#[inline(always)]
pub(super) fn copy_out<const N: usize, const W: usize>(
    region: &Region,
    offset: usize,
    registers: &mut [[u32; W]; N],
    host: Host,
) {
    #[cfg(target_arch = "x86_64")]
    if host.has_avx() && offset.is_multiple_of(16) {
        let words = &region.words()[offset / 8..][..W * N / 2];
        // SAFETY: the host has AVX; the words are whole 16-byte lines from an aligned one on, since
        // a region's memory is aligned to them.
        unsafe { lines_to_registers(words, registers) };
        return;
    }
    let _ = host;
    if offset.is_multiple_of(8) {
        let words = &region.words()[offset / 8..][..W * N / 2];
        words_to_registers(words, registers);
        return;
    }
    let dwords = &region.dwords()[offset / 4..][..W * N];
    for (lane, data) in dwords.as_chunks::<N>().0.iter().enumerate().take(W) {
        for (register, dword) in registers.iter_mut().zip(data) {
            register[lane] = dword.load(Relaxed);
        }
    }
}

/// Copies registers to `W` lanes of `N` dwords each, from `offset` on.
#[inline(always)]
pub(super) fn copy_in<const N: usize, const W: usize>(
    region: &Region,
    offset: usize,
    registers: &[[u32; W]; N],
    host: Host,
) {
    #[cfg(target_arch = "x86_64")]
    if host.has_avx() && offset.is_multiple_of(16) {
        let words = &region.words()[offset / 8..][..W * N / 2];
        // SAFETY: as in `copy_out`.
        unsafe { registers_to_lines(registers, words) };
        return;
    }
    let _ = host;
    if offset.is_multiple_of(8) {
        let words = &region.words()[offset / 8..][..W * N / 2];
        registers_to_words(registers, words);
        return;
    }
    let dwords = &region.dwords()[offset / 4..][..W * N];
    for (lane, data) in dwords.as_chunks::<N>().0.iter().enumerate().take(W) {
        for (register, dword) in registers.iter().zip(data) {
            dword.store(register[lane], Relaxed);
        }
    }
}

/// [`copy_out`], two lanes (`N` words) at a time.
#[inline(always)]
fn words_to_registers<const N: usize, const W: usize>(
    words: &[AtomicU64],
    registers: &mut [[u32; W]; N],
) {
    for (pair, words) in words.as_chunks::<N>().0.iter().take(W / 2).enumerate() {
        for (k, word) in words.iter().enumerate() {
            let word = word.load(Relaxed);
            let (low, high) = (2 * k, 2 * k + 1);
            registers[low % N][2 * pair + low / N] = word as u32;
            registers[high % N][2 * pair + high / N] = (word >> 32) as u32;
        }
    }
}

/// [`copy_in`], two lanes (`N` words) at a time.
#[inline(always)]
fn registers_to_words<const N: usize, const W: usize>(
    registers: &[[u32; W]; N],
    words: &[AtomicU64],
) {
    for (pair, words) in words.as_chunks::<N>().0.iter().take(W / 2).enumerate() {
        for (k, word) in words.iter().enumerate() {
            let (low, high) = (2 * k, 2 * k + 1);
            let low = registers[low % N][2 * pair + low / N];
            let high = registers[high % N][2 * pair + high / N];
            word.store(u64::from(low) | u64::from(high) << 32, Relaxed);
        }
    }
}

/// [`copy_out`], four lanes (`N` lines) at a time.
///
/// # Safety
/// The CPU has AVX, and `words` are whole lines, aligned to 16 bytes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn lines_to_registers<const N: usize, const W: usize>(
    words: &[AtomicU64],
    registers: &mut [[u32; W]; N],
) {
    for (four, lines) in words
        .as_chunks::<2>()
        .0
        .chunks_exact(N)
        .take(W / 4)
        .enumerate()
    {
        let mut lanes = [[0; 4]; N];
        for (lane, from) in lanes.iter_mut().zip(lines) {
            // SAFETY: a chunk is an aligned line.
            *lane = line::dwords(unsafe { line::load(from.as_ptr()) });
        }
        for (d, register) in registers.iter_mut().enumerate() {
            let to = &mut register[4 * four..][..4];
            for (lane, to) in to.iter_mut().enumerate() {
                let at = lane * N + d;
                *to = lanes[at / 4][at % 4];
            }
        }
    }
}

/// [`copy_in`], four lanes (`N` lines) at a time.
///
/// # Safety
/// As for [`lines_to_registers`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn registers_to_lines<const N: usize, const W: usize>(
    registers: &[[u32; W]; N],
    words: &[AtomicU64],
) {
    for (four, lines) in words
        .as_chunks::<2>()
        .0
        .chunks_exact(N)
        .take(W / 4)
        .enumerate()
    {
        for (k, to) in lines.iter().enumerate() {
            // A loop and no `from_fn`, whose closure the compiler may leave a call.
            let mut value = [0; 4];
            for (i, v) in value.iter_mut().enumerate() {
                let at = k * 4 + i;
                *v = registers[at % N][4 * four + at / N];
            }
            // SAFETY: a chunk is an aligned line.
            unsafe { line::store(to.as_ptr(), line::vector(value)) };
        }
    }
}
