//! Registers that a formula writes.

use crate::float::Format;
use crate::subject::Slot;
use crate::value::ones;
use waveglass::exec::Wave;

/// The most bits of an operand: 32 registers.
const WORDS: usize = 32;

/// A register tuple that a formula writes.
#[derive(Clone, Debug)]
pub(crate) struct Dest {
    pub(crate) words: [u32; WORDS],
    /// The bits that were assigned.
    pub(crate) assigned: [u32; WORDS],
    /// The floats that were assigned: first bit, format, and whether it is a NaN.
    pub(crate) floats: Vec<(u32, Format, bool)>,
    pub(crate) width: u32,
}

impl Dest {
    pub(crate) fn new(slot: Option<&Slot>, wave: &Wave, lane: usize) -> Self {
        let mut words = [0; WORDS];
        if let Some(s) = slot {
            for (k, w) in words.iter_mut().enumerate().take(s.dwords()) {
                *w = s.dword(wave, lane, k);
            }
            if s.low == 16 {
                words[0] >>= 16;
            }
        }
        Self {
            words,
            assigned: [0; WORDS],
            floats: Vec::new(),
            width: slot.map_or(64, |s| s.bits),
        }
    }

    pub(crate) fn get(&self, low: u32, width: u32) -> u128 {
        gather(low, width, |k| self.words.get(k).copied().unwrap_or(0))
    }

    pub(crate) fn set(&mut self, low: u32, width: u32, bits: u128) {
        for i in (0..width).take_while(|i| low + i < self.width.max(32)) {
            let (k, bit) = ((low + i) as usize / 32, 1 << ((low + i) % 32));
            if k >= WORDS {
                return;
            }
            self.assigned[k] |= bit;
            if bits.checked_shr(i).unwrap_or(0) & 1 == 1 {
                self.words[k] |= bit;
            } else {
                self.words[k] &= !bit;
            }
        }
    }
}

/// Bits of a run of dwords.
pub(crate) fn gather(low: u32, width: u32, dword: impl Fn(usize) -> u32) -> u128 {
    let width = width.min(128);
    let first = low / 32;
    let count = (low % 32 + width).div_ceil(32);
    let mut bits = 0u128;
    for k in 0..count.min(4) {
        bits |= u128::from(dword((first + k) as usize)) << (32 * k);
    }
    bits >>= low % 32;
    if count == 5 {
        bits |= u128::from(dword(first as usize + 4)) << (128 - low % 32);
    }
    bits & ones(width)
}
