//! Sources of vector operations.

use super::super::encode::{LEFT, RIGHT, Rm, SIGN, forms::*};
use super::super::recipe::{Extend, Source};
use super::{Key, Translator};
use crate::alu::{float, mix};
use crate::program::Src;
use crate::valu::{Bits, Way};

impl Translator<'_> {
    /// A dword of a source for a host vector's lanes.
    pub(super) fn source(&mut self, s: Source, dword: u32, chunk: usize) -> u8 {
        let flushes = self.kind.flushes && s.single;
        if let Src::Const(v) = s.src {
            let mut v = constant(s, [v as u32, (v >> 32) as u32], dword as usize);
            if flushes {
                v = float::flush_f32(f32::from_bits(v)).to_bits();
            }
            return self.get(Key::Const(v));
        }
        let z = self.changed_source(s, dword, chunk);
        if !flushes {
            return z;
        }
        let to = match self.changed.last() {
            Some(&last) if last == z => z,
            _ => {
                let to = self.changing();
                self.code.vector(VMOVUPS_LOAD, to, 0, Rm::Reg(z), 0);
                to
            }
        };
        self.flush(to);
        to
    }

    /// A dword of a source that is no constant, denormals and all.
    fn changed_source(&mut self, s: Source, dword: u32, chunk: usize) -> u8 {
        let (of, bits) = match s.way {
            Way::Bits(bits) if dword == 0 => (0, Some(bits)),
            Way::Double(bits) if dword == 1 => (1, Some(bits)),
            Way::Pair { low, high, flip } => {
                let bits = Bits {
                    flip: flip[dword as usize],
                    ..Bits::NOTHING
                };
                (u32::from([low, high][dword as usize]), Some(bits))
            }
            _ => (dword, None),
        };
        let z = self.dword(s, of, chunk);
        match (s.way, bits) {
            (_, Some(bits)) => self.bits(z, bits, s.extend),
            (
                Way::Halves {
                    low,
                    high,
                    keep,
                    flip,
                },
                _,
            ) => {
                let z = self.swizzle(z, [low, high]);
                let bits = Bits {
                    keep,
                    flip,
                    ..Bits::NOTHING
                };
                self.bits(z, bits, s.extend)
            }
            (Way::Widened(bits), _) => {
                let right = Bits {
                    keep: u32::MAX,
                    flip: 0,
                    ..bits
                };
                let z = self.bits(z, right, Extend::Single);
                let signs = Bits {
                    left: 0,
                    right: 0,
                    ..bits
                };
                self.bits(z, signs, Extend::No)
            }
            _ => self.bits(z, Bits::NOTHING, s.extend),
        }
    }

    /// A dword as it is in its register.
    fn dword(&mut self, s: Source, dword: u32, chunk: usize) -> u8 {
        match s.src {
            Src::Vgpr(r) if s.moves => {
                let z = self.moved(r + dword, chunk);
                self.changed.push(z);
                z
            }
            Src::Vgpr(r) => self.get(Key::Vector(r + dword, chunk)),
            Src::Sgpr(r) => self.get(Key::Scalar(r + dword as u8)),
            _ => self.get(Key::Const(0)),
        }
    }

    /// A register for a source that is changed.
    fn changing(&mut self) -> u8 {
        let z = self.fresh();
        self.changed.push(z);
        z
    }

    /// The halves of a dword by the shifts that bring them down.
    fn swizzle(&mut self, from: u8, shifts: [u32; 2]) -> u8 {
        let dwords: [u32; 16] = std::array::from_fn(|lane| {
            // Bytes of the quarter of a vector that the lane lies in.
            let half = |shift: u32| {
                let byte = 4 * (lane as u32 % 4) + shift / 8;
                byte | (byte + 1) << 8
            };
            half(shifts[0]) | half(shifts[1]) << 16
        });
        let index = self.row(dwords);
        self.slots[index as usize].pinned = true;
        let to = self.changing();
        self.code.vector(VPSHUFB, to, from, Rm::Reg(index), 0);
        self.slots[index as usize].pinned = false;
        to
    }

    /// A dword with its bits changed, and its low half extended after that.
    fn bits(&mut self, z: u8, bits: Bits, extend: Extend) -> u8 {
        if bits == Bits::NOTHING && extend == Extend::No {
            return z;
        }
        let to = self.changing();
        let mut from = self.change(to, z, bits);
        match extend {
            Extend::No => {}
            Extend::Zeros => {
                let low = self.each(0xffff);
                self.code.vector(VPANDD, to, from, low, 0);
                from = to;
            }
            Extend::Sign => {
                self.shift(to, LEFT, from, 16);
                self.shift(to, SIGN, to, 16);
                from = to;
            }
            Extend::Single => {
                self.code.vector(VPMOVDW, from, 0, Rm::Reg(to), 0);
                self.code.vector(VCVTPH2PS, to, 0, Rm::Reg(to), 0);
                from = to;
            }
        }
        from
    }

    /// Changes bits on their way from a register to another; gives the one that they are in, which is the first
    /// where there is nothing to change.
    pub(super) fn change(&mut self, to: u8, mut from: u8, bits: Bits) -> u8 {
        let Bits {
            left, right, flip, ..
        } = bits;
        let mut keep = bits.keep;
        // The sign goes nowhere, or there is nothing to be cut off.
        let logical = right >= left && keep.leading_zeros() >= right;
        if logical && right > left {
            self.shift(to, RIGHT, from, right - left);
            from = to;
            if keep == u32::MAX >> (right - left) {
                keep = u32::MAX;
            }
        } else if !logical {
            for (extension, count) in [(LEFT, left), (SIGN, right)] {
                if count != 0 {
                    self.shift(to, extension, from, count);
                    from = to;
                }
            }
        }
        for (f, operand, none) in [(VPANDD, keep, u32::MAX), (VPXORD, flip, 0)] {
            if operand != none {
                let operand = self.each(operand);
                self.code.vector(f, to, from, operand, 0);
                from = to;
            }
        }
        from
    }

    /// The lower or upper halves of dwords as singles.
    pub(super) fn half_as_single(&mut self, z: u8, upper: bool) -> u8 {
        let bits = Bits {
            right: if upper { 16 } else { 0 },
            ..Bits::NOTHING
        };
        self.bits(z, bits, Extend::Single)
    }

    /// Halves of singles, rounded by the immediate, with zeros above them.
    pub(super) fn narrow(&mut self, to: u8, from: u8, how: u8) {
        self.code
            .vector_imm(VCVTPS2PH, from, 0, Rm::Reg(to), 0, how);
        self.code.vector(VPMOVZXWD, to, 0, Rm::Reg(to), 0);
    }
}

/// A dword of a constant source.
fn constant(s: Source, v: [u32; 2], dword: usize) -> u32 {
    let signs = |bits: Bits| Bits {
        left: 0,
        right: 0,
        ..bits
    };
    let single = |half: u32| mix::mix_source_f16(half, true, false).to_bits();
    let x = match s.way {
        Way::Bits(bits) if dword == 0 => bits.of(v[0]),
        Way::Double(bits) if dword == 1 => bits.of(v[1]),
        Way::Pair { low, high, flip } => v[usize::from([low, high][dword])] ^ flip[dword],
        Way::Halves {
            low,
            high,
            keep,
            flip,
        } => (v[0] >> low & 0xffff | v[0] >> high << 16) & keep ^ flip,
        Way::Widened(bits) => signs(bits).of(single(v[0] >> bits.right)),
        _ => v[dword],
    };
    match s.extend {
        Extend::No => x,
        Extend::Zeros => x & 0xffff,
        Extend::Sign => x as i16 as u32,
        Extend::Single => single(x),
    }
}
