//! Loads and stores of a full wave whose lanes all lie in one region: one check, then a copy where the
//! addresses are consecutive, else a move for each lane.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

#[cfg(target_arch = "x86_64")]
use super::line;
use super::region::Region;
use super::{GlobalMemory, Permission, RegionHint};
use crate::access::{Bits, Lanes, Port};
use crate::rules::AlignmentMode;
use crate::wide::{Host, WaveLoop};

impl GlobalMemory {
    /// Loads `N` dwords for every lane of a full wave whose lanes all lie in one region; gives `false`,
    /// with nothing done, if they do not, or if the alignment mode wants a closer look.
    /// [`GlobalMemory::load`] then does.
    ///
    /// For handlers that are themselves [`LaneLoop`](crate::wide::LaneLoop)s, into which it is inlined.
    #[inline(always)]
    pub fn load_whole<const N: usize, const W: usize>(
        &self,
        addresses: &[u64; W],
        registers: &mut [[u32; W]; N],
        port: &mut Port,
        host: Host,
    ) -> bool {
        if port.trace.is_some() {
            return false;
        }
        match placed::<N, W>(self, addresses, port.rules.alignment, &mut port.hint, false) {
            Placed::Consecutive(region, offset) => copy_out(region, offset, registers, host),
            Placed::Spread(region) => gather(region, addresses, registers, host),
            Placed::Unknown => return false,
        }
        true
    }

    /// [`GlobalMemory::load_whole`]'s counterpart.
    #[inline(always)]
    pub fn store_whole<const N: usize, const W: usize>(
        &self,
        addresses: &[u64; W],
        registers: &[[u32; W]; N],
        port: &mut Port,
        host: Host,
    ) -> bool {
        if port.trace.is_some() {
            return false;
        }
        match placed::<N, W>(
            self,
            addresses,
            port.rules.alignment,
            &mut port.store_hint,
            true,
        ) {
            Placed::Consecutive(region, offset) => copy_in(region, offset, registers, host),
            Placed::Spread(region) => scatter(region, addresses, registers, host),
            Placed::Unknown => return false,
        }
        true
    }
}

/// Loads `N` dwords a lane into `flat`, register after register; gives whether it could.
pub(super) struct Load<'a, const N: usize> {
    pub(super) memory: &'a GlobalMemory,
    pub(super) lanes: Lanes<'a, u64>,
    pub(super) flat: &'a mut [u32],
    pub(super) port: &'a mut Port,
}

impl<const N: usize> WaveLoop for Load<'_, N> {
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
        self.memory
            .load_whole(addresses, registers, self.port, host)
    }
}

/// Stores `N` dwords a lane from `flat`, register after register; gives whether it could.
pub(super) struct Store<'a, const N: usize> {
    pub(super) memory: &'a GlobalMemory,
    pub(super) lanes: Lanes<'a, u64>,
    pub(super) flat: &'a [u32],
    pub(super) port: &'a mut Port,
}

impl<const N: usize> WaveLoop for Store<'_, N> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.lanes.addresses.len()
    }

    #[inline(always)]
    fn lanes<const W: usize>(self, host: Host) -> bool {
        let (Some(addresses), Some(registers)) = (
            self.lanes.addresses.first_chunk::<W>(),
            self.flat.as_chunks::<W>().0.first_chunk::<N>(),
        ) else {
            return false;
        };
        self.memory
            .store_whole(addresses, registers, self.port, host)
    }
}

/// Hands each active lane's offset in the one region that wholly holds all their accesses of `bytes`
/// bytes, of any alignment, to `each`, the lowest lane first; gives `false`, with nothing done, where there
/// is no such region.
pub(super) struct OneRegion<'a, F> {
    pub(super) memory: &'a GlobalMemory,
    pub(super) lanes: Lanes<'a, u64>,
    pub(super) bytes: u64,
    pub(super) hint: &'a mut RegionHint,
    pub(super) writes: bool,
    pub(super) each: F,
}

impl<F: FnMut(&Region, usize, usize)> WaveLoop for OneRegion<'_, F> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.lanes.addresses.len()
    }

    #[inline(always)]
    fn lanes<const W: usize>(mut self, _: Host) -> bool {
        let (exec, bytes) = (self.lanes.exec, self.bytes);
        let Some(addresses) = self.lanes.addresses.first_chunk::<W>() else {
            return false;
        };
        let first = addresses[exec.trailing_zeros() as usize % W];
        let Some(region) = self.memory.find(first, bytes, self.hint) else {
            return false;
        };
        if self.writes && region.permission != Permission::ReadWrite {
            return false;
        }
        let Some(last) = region.size.checked_sub(bytes) else {
            return false;
        };
        // As in `holds`; an inactive lane counts as the region's first byte.
        let mut past = 0;
        for (lane, &address) in addresses.iter().enumerate() {
            let on = 0u64.wrapping_sub(exec >> lane & 1);
            let offset = address.wrapping_sub(region.base) & on;
            past |= last.wrapping_sub(offset) | offset;
        }
        if past >> 63 != 0 {
            return false;
        }
        if self.lanes.is_full() {
            for (lane, &address) in addresses.iter().enumerate() {
                (self.each)(region, region.offset(address), lane);
            }
        } else {
            for lane in Bits(exec) {
                let lane = lane % W;
                (self.each)(region, region.offset(addresses[lane]), lane);
            }
        }
        true
    }
}

/// How the lanes' accesses lie.
enum Placed<'a> {
    /// One after the other, dword-aligned, in this region from this offset on.
    Consecutive(&'a Region, usize),
    /// Each wholly in this region, and aligned so that no access that hardware makes at once tears:
    /// to 8 bytes where the size is a multiple of that, else to 4.
    Spread(&'a Region),
    /// Otherwise, or nothing is known.
    Unknown,
}

/// Finds out how accesses of `N` dwords lie.
#[inline(always)]
fn placed<'a, const N: usize, const W: usize>(
    memory: &'a GlobalMemory,
    addresses: &[u64; W],
    mode: AlignmentMode,
    hint: &mut RegionHint,
    writes: bool,
) -> Placed<'a> {
    let bytes = 4 * N as u64;
    let first = addresses[0];
    let lane_of = |lane: usize| first.wrapping_add(lane as u64 * bytes);
    // The last lane tells most scattered accesses apart, without a look at the others.
    let mut differing = first & 3 | addresses[W - 1] ^ lane_of(W - 1);
    if differing == 0 {
        for (lane, &address) in addresses.iter().enumerate() {
            differing |= address ^ lane_of(lane);
        }
    }
    let allowed = |r: &Region| !writes || r.permission == Permission::ReadWrite;
    if differing == 0 {
        // Every lane is as aligned as the first: where a mode wants more than a dword, the step is a
        // multiple of it.
        if mode != AlignmentMode::Unaligned && mode.align(first, bytes as u32) != Some(first) {
            return Placed::Unknown;
        }
        return match memory.find(first, bytes * W as u64, hint) {
            Some(region) if allowed(region) => Placed::Consecutive(region, region.offset(first)),
            _ => Placed::Unknown,
        };
    }
    if mode != AlignmentMode::Unaligned {
        return Placed::Unknown;
    }
    // The first lane says which region it may be.
    match memory.find(first, bytes, hint) {
        Some(region) if allowed(region) && holds(region, addresses, bytes) => {
            Placed::Spread(region)
        }
        _ => Placed::Unknown,
    }
}

/// Whether a region holds `bytes` bytes at every address, aligned as [`Placed::Spread`] says.
#[inline(always)]
fn holds<const W: usize>(region: &Region, addresses: &[u64; W], bytes: u64) -> bool {
    let Some(last) = region.size.checked_sub(bytes) else {
        return false;
    };
    // The sign of `last - offset` or of `offset` itself shows an offset past the last start. Sizes
    // are below 2^63: the host has allocated them.
    let (mut past, mut low) = (0, 0);
    for &address in addresses {
        let offset = address.wrapping_sub(region.base);
        past |= last.wrapping_sub(offset) | offset;
        low |= address;
    }
    let grain = if bytes.is_multiple_of(8) { 8 } else { 4 };
    past >> 63 == 0 && low & (grain - 1) == 0
}

/// Lanes of a row in a tile: what lies in one piece of a scattered access, as rows of matrices do, is
/// moved in lines.
#[cfg(target_arch = "x86_64")]
const TILE: usize = 16;

/// Whether the first sixteen lanes may be a row: the last of them tells most other accesses apart.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn may_be_rows<const W: usize>(addresses: &[u64; W]) -> bool {
    addresses[TILE - 1] == addresses[0].wrapping_add(4 * (TILE as u64 - 1))
}

/// Whether each sixteen dwords lie one after the other in whole lines.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn are_rows<const W: usize>(region: &Region, addresses: &[u64; W]) -> bool {
    let mut differing = 0;
    for row in addresses.as_chunks::<TILE>().0 {
        let first = row[0];
        differing |= region.offset(first) as u64 & 15;
        for (lane, &address) in row.iter().enumerate() {
            differing |= address ^ first.wrapping_add(4 * lane as u64);
        }
    }
    differing == 0
}

/// Loads rows of a tile that lie as [`Placed::Spread`] says; gives `false`, with nothing done, if any
/// sixteen lanes are none. Not inlined: what is scattered otherwise is slower with it in its midst.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2")]
fn load_rows<const W: usize>(
    region: &Region,
    addresses: &[u64; W],
    register: &mut [u32; W],
) -> bool {
    if !are_rows(region, addresses) {
        return false;
    }
    let words = region.words();
    for (row, addresses) in register
        .as_chunks_mut::<TILE>()
        .0
        .iter_mut()
        .zip(addresses.as_chunks::<TILE>().0)
    {
        let line = region.offset(addresses[0]) / 8;
        for (four, to) in row.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            // SAFETY: this build has AVX; `are_rows` gives whole lines that `holds` has found inside the
            // region, whose memory is aligned to them.
            *to = dwords(unsafe { line::load(words[line + 2 * four..].as_ptr()) });
        }
    }
    true
}

/// [`load_rows`]'s counterpart.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2")]
fn store_rows<const W: usize>(region: &Region, addresses: &[u64; W], register: &[u32; W]) -> bool {
    if !are_rows(region, addresses) {
        return false;
    }
    let words = region.words();
    for (row, addresses) in register
        .as_chunks::<TILE>()
        .0
        .iter()
        .zip(addresses.as_chunks::<TILE>().0)
    {
        let line = region.offset(addresses[0]) / 8;
        for (four, from) in row.as_chunks::<4>().0.iter().enumerate() {
            // SAFETY: as in `load_rows`.
            unsafe { line::store(words[line + 2 * four..].as_ptr(), vector(*from)) };
        }
    }
    true
}

/// Loads lanes that lie as [`Placed::Spread`] says.
#[inline(always)]
fn gather<const N: usize, const W: usize>(
    region: &Region,
    addresses: &[u64; W],
    registers: &mut [[u32; W]; N],
    host: Host,
) {
    #[cfg(target_arch = "x86_64")]
    if N == 1 && host.has_avx() && may_be_rows(addresses) {
        // A copy, so that the addresses themselves may stay in the host's registers.
        let addresses = *addresses;
        // SAFETY: builds with AVX have AVX2.
        if unsafe { load_rows(region, &addresses, &mut registers[0]) } {
            return;
        }
    }
    let _ = host;
    let memory = region.memory();
    for (lane, &address) in addresses.iter().enumerate() {
        let offset = memory.offset(address);
        if N.is_multiple_of(2) {
            for k in 0..N / 2 {
                // SAFETY: `holds` has found the lane's `N` dwords inside the region, aligned to 8.
                let word = unsafe { memory.word_at(offset + 8 * k) }.load(Relaxed);
                registers[2 * k][lane] = word as u32;
                registers[2 * k + 1][lane] = (word >> 32) as u32;
            }
        } else {
            for (d, register) in registers.iter_mut().enumerate() {
                // SAFETY: `holds` has found the lane's `N` dwords inside the region, aligned to 4.
                register[lane] = unsafe { memory.dword_at(offset + 4 * d) }.load(Relaxed);
            }
        }
    }
}

/// Stores lanes that lie as [`Placed::Spread`] says, the lowest first.
#[inline(always)]
fn scatter<const N: usize, const W: usize>(
    region: &Region,
    addresses: &[u64; W],
    registers: &[[u32; W]; N],
    host: Host,
) {
    #[cfg(target_arch = "x86_64")]
    if N == 1 && host.has_avx() && may_be_rows(addresses) {
        // As in `gather`.
        let addresses = *addresses;
        // SAFETY: builds with AVX have AVX2.
        if unsafe { store_rows(region, &addresses, &registers[0]) } {
            return;
        }
    }
    let _ = host;
    let memory = region.memory();
    for (lane, &address) in addresses.iter().enumerate() {
        let offset = memory.offset(address);
        if N.is_multiple_of(2) {
            for k in 0..N / 2 {
                let (low, high) = (registers[2 * k][lane], registers[2 * k + 1][lane]);
                let word = u64::from(low) | u64::from(high) << 32;
                // SAFETY: as in `gather`.
                unsafe { memory.word_at(offset + 8 * k) }.store(word, Relaxed);
            }
        } else {
            for (d, register) in registers.iter().enumerate() {
                // SAFETY: as in `gather`.
                unsafe { memory.dword_at(offset + 4 * d) }.store(register[lane], Relaxed);
            }
        }
    }
}

/// Copies `W` lanes of `N` dwords each, from `offset` on, to registers.
#[inline(always)]
fn copy_out<const N: usize, const W: usize>(
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
            *lane = dwords(unsafe { line::load(from.as_ptr()) });
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
            unsafe { line::store(to.as_ptr(), vector(value)) };
        }
    }
}

/// The dwords of a vector register.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn dwords(v: std::arch::x86_64::__m128i) -> [u32; 4] {
    // SAFETY: both are 16 bytes without invalid values.
    unsafe { std::mem::transmute(v) }
}

/// A vector register of these dwords.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn vector(v: [u32; 4]) -> std::arch::x86_64::__m128i {
    // SAFETY: as for `dwords`.
    unsafe { std::mem::transmute(v) }
}

#[cfg(test)]
#[path = "whole_wave_tests.rs"]
mod tests;
