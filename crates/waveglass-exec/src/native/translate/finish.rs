//! What becomes of results on their way to their registers.

use super::super::encode::{LEFT, MAXIMUM, MINIMUM, Rm, forms::*};
use super::super::recipe::Finish;
use super::{Key, MOMENT, Translator, Write};
use crate::valu::Insertion;

const ONE: u32 = 0x3f80_0000;
/// Twice, as halves.
const ONES: u32 = 0x3c00_3c00;

impl Translator<'_> {
    /// Makes of a result what goes to its register.
    pub(super) fn finish(&mut self, f: &Finish, w: &Write) {
        let z = w.from;
        let singles = f.halves == 0 || f.narrow;
        if let Some(factor) = f.factor {
            let factor = self.each(factor.to_bits());
            self.code.vector(VMULPS, z, z, factor, 0);
            // Denormals and zeros of either sign become +0.
            let exponent = self.each(0x7f80_0000);
            self.code.vector(VPTESTNMD, MOMENT, z, exponent, 0);
            self.code.vector(VPXORD, z, z, Rm::Reg(z), MOMENT);
        }
        if f.clamp && singles {
            for (bound, which) in [(0, MAXIMUM), (ONE, MINIMUM)] {
                let bound = self.each(bound);
                self.code.vector_imm(VRANGEPS, z, z, bound, 0, which);
            }
        }
        if f.narrow {
            self.narrow(z, z, 0);
        }
        if f.clamp && !singles {
            // As integers, those with the sign are below zero.
            for (bound, instruction) in [(0, VPMAXSW), (ONES, VPMINSW)] {
                let bound = self.get(Key::Const(bound));
                self.code.vector(instruction, z, z, Rm::Reg(bound), 0);
            }
        }
        let Insertion { bits, shift, field } = f.part;
        if f.part == Insertion::WHOLE {
            if f.halves == 1 && !f.narrow {
                let low = self.each(0xffff);
                self.code.vector(VPANDD, z, z, low, 0);
            }
            return;
        }
        // Bits beside the field go nowhere.
        if field == u32::MAX {
            self.change(z, z, bits);
        }
        if shift != 0 {
            self.shift(z, LEFT, z, shift);
        }
        if field != u32::MAX {
            let old = self.get(Key::Vector(w.register, w.chunk));
            let field = self.each(field);
            // The result where the field's bits are set, else what was there.
            self.code.vector_imm(VPTERNLOGD, z, old, field, 0, 0xe4);
        }
    }
}
