//! Lanes whose accesses lie one after the other in a region: bulk moves between memory, lane after lane, and
//! registers.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

#[cfg(target_arch = "x86_64")]
use super::line;
use super::region::Region;
use crate::access::Bits;
use crate::addresses::Active;
use crate::wide::Host;

/// Loads `N` dwords a lane; lane 0's, which may be off and then outside, are at the address `first`.
#[inline(always)]
pub(super) fn load<const N: usize, const W: usize, const FULL: bool>(
    region: &Region,
    first: u64,
    active: &Active<FULL, W>,
    registers: &mut [[u32; W]; N],
    host: Host,
) {
    // Of memory that is the host's own, only what the wave accesses may be read.
    if FULL || region.is_owned() && region.holds(first, (4 * N * W) as u64) {
        copy_out(region, region.offset(first), active, registers, host);
        return;
    }
    for lane in Bits(active.exec()) {
        let offset = region.offset(first.wrapping_add((4 * N * lane) as u64));
        let data = region.load_dwords::<N>(offset);
        for (register, value) in registers.iter_mut().zip(data) {
            register[lane % W] = value;
        }
    }
}

/// [`load`]'s counterpart.
#[inline(always)]
pub(super) fn store<const N: usize, const W: usize, const FULL: bool>(
    region: &Region,
    first: u64,
    active: &Active<FULL, W>,
    registers: &[[u32; W]; N],
    host: Host,
) {
    if FULL {
        copy_in(region, region.offset(first), registers, host);
        return;
    }
    if N == 1 {
        // SAFETY: active lanes' dwords are in the region.
        unsafe { some_dwords(region, first, active.exec(), &registers[0], host) };
        return;
    }
    for lane in Bits(active.exec()) {
        let offset = region.offset(first.wrapping_add((4 * N * lane) as u64));
        let data = std::array::from_fn(|d| registers[d][lane % W]);
        region.store_dwords::<N>(offset, data);
    }
}

/// Copies `W` lanes of `N` dwords each, from `offset` on, to registers.
#[inline(always)]
fn copy_out<const N: usize, const W: usize, const FULL: bool>(
    region: &Region,
    offset: usize,
    active: &Active<FULL, W>,
    registers: &mut [[u32; W]; N],
    host: Host,
) {
    #[cfg(target_arch = "x86_64")]
    if host.has_avx() && offset.is_multiple_of(16) {
        let words = &region.words()[offset / 8..][..W * N / 2];
        // SAFETY: the host has AVX; the words are whole 16-byte lines from an aligned one on, since
        // a region's memory is aligned to them.
        unsafe { lines_to_registers(words, active, registers) };
        return;
    }
    let _ = host;
    if offset.is_multiple_of(8) {
        let words = &region.words()[offset / 8..][..W * N / 2];
        words_to_registers(words, active, registers);
        return;
    }
    let dwords = &region.dwords()[offset / 4..][..W * N];
    for (lane, data) in dwords.as_chunks::<N>().0.iter().enumerate().take(W) {
        for (register, dword) in registers.iter_mut().zip(data) {
            put(active, lane, register, dword.load(Relaxed));
        }
    }
}

/// Sets a lane of a register, if it is on.
#[inline(always)]
fn put<const FULL: bool, const W: usize>(
    active: &Active<FULL, W>,
    lane: usize,
    register: &mut [u32; W],
    value: u32,
) {
    register[lane] = active.choose(lane, value, register[lane]);
}

/// Stores the dwords of the lanes in `exec` one after the other, as if lane 0's were at the address `first`:
/// in lines where four lanes are on.
///
/// # Safety
/// The dwords of the lanes in `exec` lie in the region, aligned to 4.
#[inline(always)]
unsafe fn some_dwords<const W: usize>(
    region: &Region,
    first: u64,
    exec: u64,
    register: &[u32; W],
    host: Host,
) {
    let memory = region.memory_from(first);
    let mut rest = exec;
    #[cfg(target_arch = "x86_64")]
    if host.has_avx() && region.offset(first).is_multiple_of(16) {
        let fours = exec & exec >> 1 & exec >> 2 & exec >> 3 & 0x1111_1111_1111_1111;
        for lane in Bits(fours) {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| register[(lane + k) % W]);
            // SAFETY: the four lanes are on, and so inside the region; they are a line of its memory.
            unsafe {
                line::store(memory.line(4 * lane as u32), line::vector([a, b, c, d]));
            }
        }
        rest &= !(fours * 15);
    }
    let _ = host;
    for lane in Bits(rest) {
        // SAFETY: the lane is on.
        unsafe { memory.dword(4 * lane as u32) }.store(register[lane % W], Relaxed);
    }
}

/// Copies registers to `W` lanes of `N` dwords each, from `offset` on.
#[inline(always)]
fn copy_in<const N: usize, const W: usize>(
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
fn words_to_registers<const N: usize, const W: usize, const FULL: bool>(
    words: &[AtomicU64],
    active: &Active<FULL, W>,
    registers: &mut [[u32; W]; N],
) {
    for (pair, words) in words.as_chunks::<N>().0.iter().take(W / 2).enumerate() {
        for (k, word) in words.iter().enumerate() {
            let word = word.load(Relaxed);
            let (low, high) = (2 * k, 2 * k + 1);
            let lanes = [low, high].map(|dword| 2 * pair + dword / N);
            put(active, lanes[0], &mut registers[low % N], word as u32);
            put(
                active,
                lanes[1],
                &mut registers[high % N],
                (word >> 32) as u32,
            );
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
unsafe fn lines_to_registers<const N: usize, const W: usize, const FULL: bool>(
    words: &[AtomicU64],
    active: &Active<FULL, W>,
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
            for lane in 0..4 {
                let at = lane * N + d;
                put(active, 4 * four + lane, register, lanes[at / 4][at % 4]);
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
