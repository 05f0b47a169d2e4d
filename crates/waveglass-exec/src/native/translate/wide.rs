//! Values of 64 bits.

use super::super::encode::{EAX, ECX, Form, LEFT, R9, RIGHT, Rm, SIGN, forms::*};
use super::super::recipe::{Source, Vector};
use super::{MASK_OUT, MOMENT, Translator};

impl Translator<'_> {
    /// `low + a.low` and `high + a.high` with the carry between them.
    pub(super) fn add_wide(&mut self, a: [u8; 2], b: [u8; 2]) -> [u8; 2] {
        let (low, high) = (self.fresh(), self.fresh());
        self.code.vector(VPADDD, low, a[0], Rm::Reg(b[0]), 0);
        self.code
            .vector_imm(VPCMPUD, MOMENT, low, Rm::Reg(a[0]), 0, 1);
        self.code.vector(VPADDD, high, a[1], Rm::Reg(b[1]), 0);
        let one = self.each(1);
        self.code.vector(VPADDD, high, high, one, MOMENT);
        [low, high]
    }

    /// A shift of 64 bits by a constant count below 64.
    pub(super) fn shift_wide(
        &mut self,
        [low, high]: [u8; 2],
        count: u32,
        left: bool,
        signed: bool,
    ) -> [u8; 2] {
        let last = if signed { SIGN } else { RIGHT };
        let (to, other) = (self.fresh(), self.fresh());
        // From the half that loses bits to the one that takes them.
        let (from, into, out, back) = match left {
            true => (low, high, LEFT, RIGHT),
            false => (high, low, RIGHT, LEFT),
        };
        if count >= 32 {
            let shift = if left { out } else { last };
            self.shift(to, shift, from, count - 32);
            match (left, signed) {
                (false, true) => self.shift(other, last, from, 31),
                _ => self.code.vector(VPXORD, other, other, Rm::Reg(other), 0),
            }
        } else if count == 0 {
            self.code.vector(VMOVUPS_LOAD, to, 0, Rm::Reg(into), 0);
            self.code.vector(VMOVUPS_LOAD, other, 0, Rm::Reg(from), 0);
        } else {
            self.shift(to, out, into, count);
            self.shift(other, back, from, 32 - count);
            self.code.vector(VPORD, to, to, Rm::Reg(other), 0);
            let shift = if left { out } else { last };
            self.shift(other, shift, from, count);
        }
        if left { [other, to] } else { [to, other] }
    }

    /// Sixteen doubles of a source: those of lanes 0, 1, 4, 5 and so on, and those of 2, 3, 6, 7 and so on,
    /// which is how the host puts two registers' dwords together.
    pub(super) fn doubles(&mut self, s: Source, chunk: usize) -> [u8; 2] {
        let (low, high) = (self.source(s, 0, chunk), self.source(s, 1, chunk));
        [VPUNPCKLDQ, VPUNPCKHDQ].map(|f| {
            let z = self.fresh();
            self.code.vector(f, z, low, Rm::Reg(high), 0);
            z
        })
    }

    /// The dwords of sixteen doubles that [`Translator::doubles`] has ordered, in registers of their own
    /// again. The operation gives up where any is infinite or a NaN.
    pub(super) fn halves(&mut self, doubles: [u8; 2], chunk: usize) -> [Option<u8>; 2] {
        let [low, high] = self.apart(doubles);
        // Bits of the exponent that are clear.
        let (x, exponent) = (self.fresh(), self.each(0x7ff0_0000));
        self.code.vector(VPANDND, x, high, exponent, 0);
        self.flag(VPTESTNMD, x, Rm::Reg(x), None, chunk);
        self.release(x);
        [Some(low), Some(high)]
    }

    /// The dwords of sixteen doubles that [`Translator::doubles`] has ordered.
    pub(super) fn apart(&mut self, [x, y]: [u8; 2]) -> [u8; 2] {
        let (low, high) = (self.fresh(), self.fresh());
        self.code.vector_imm(VSHUFPS, low, x, Rm::Reg(y), 0, 0x88);
        self.code.vector_imm(VSHUFPS, high, x, Rm::Reg(y), 0, 0xdd);
        self.release(x);
        self.release(y);
        [low, high]
    }

    /// A shift of 64 bits by the low six bits of a dword.
    pub(super) fn shift_long(
        &mut self,
        f: Form,
        count: Source,
        s: Source,
        chunk: usize,
    ) -> [Option<u8>; 2] {
        let x = self.doubles(s, chunk);
        let count = self.source(count, 0, chunk);
        let (low, zero) = (self.fresh(), self.fresh());
        let bits = self.each(63);
        self.code.vector(VPANDD, low, count, bits, 0);
        self.code.vector(VPXORD, zero, zero, Rm::Reg(zero), 0);
        for (z, unpack) in x.into_iter().zip([VPUNPCKLDQ, VPUNPCKHDQ]) {
            let counts = self.fresh();
            self.code.vector(unpack, counts, low, Rm::Reg(zero), 0);
            self.code.vector(f, z, z, Rm::Reg(counts), 0);
            self.release(counts);
        }
        self.release(low);
        self.release(zero);
        self.apart(x).map(Some)
    }

    pub(super) fn fma_doubles(&mut self, v: &Vector, chunk: usize) -> [Option<u8>; 2] {
        let [x, y, z] = v.sources.map(|s| self.doubles(s, chunk));
        for i in 0..2 {
            self.code.vector(VFMADD231PD, z[i], x[i], Rm::Reg(y[i]), 0);
            self.release(x[i]);
            self.release(y[i]);
        }
        self.halves(z, chunk)
    }

    pub(super) fn compare_long(
        &mut self,
        f: Form,
        condition: u8,
        a: Source,
        b: Source,
        chunk: usize,
    ) -> [Option<u8>; 2] {
        let (x, y) = (self.doubles(a, chunk), self.doubles(b, chunk));
        let k = MASK_OUT + chunk as u8;
        // The bits go where `doubles` has taken their lanes from.
        for (i, (to, lanes)) in [(EAX, 0x3333), (ECX, 0xcccc)].into_iter().enumerate() {
            self.code
                .vector_imm(f, k, x[i], Rm::Reg(y[i]), 0, condition);
            self.code.mask(KMOVW_TO_GPR, to.0, 0, Rm::Reg(k), false);
            self.code.constant(R9, lanes);
            self.code.mask(PDEP, to.0, to.0, Rm::Reg(R9.0), false);
            self.release(x[i]);
            self.release(y[i]);
        }
        self.code.general(&[0x0b], EAX.0, Rm::Reg(ECX.0), false);
        self.code.mask(KMOVW_OF_GPR, k, 0, Rm::Reg(EAX.0), false);
        [None, None]
    }

    pub(super) fn product_wide(&mut self, v: &Vector, chunk: usize) -> [Option<u8>; 2] {
        let [a, b, c] = v.sources;
        let (x, y) = (self.source(a, 0, chunk), self.source(b, 0, chunk));
        let low = self.fresh();
        self.code.vector(VPMULLD, low, x, Rm::Reg(y), 0);
        let high = self.product_high(x, y);
        let z = [self.source(c, 0, chunk), self.source(c, 1, chunk)];
        let sum = self.add_wide([low, high], z);
        // The sum has wrapped where its upper half is below the addend's, or is the same with a lower
        // half below.
        let k = MASK_OUT + chunk as u8;
        self.code
            .vector_imm(VPCMPUD, MOMENT, sum[1], Rm::Reg(z[1]), 0, 0);
        self.code
            .vector_imm(VPCMPUD, MOMENT, sum[0], Rm::Reg(z[0]), MOMENT, 1);
        self.code
            .vector_imm(VPCMPUD, k, sum[1], Rm::Reg(z[1]), 0, 1);
        self.code.mask(KORD, k, k, Rm::Reg(MOMENT), true);
        self.release(low);
        self.release(high);
        sum.map(Some)
    }
}
