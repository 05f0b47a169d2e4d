//! Vector arithmetic.

use super::super::encode::{EAX, Form, LEFT, Rm, SGPRS, SIGN, ZEROING, forms::*};
use super::super::recipe::{Extend, Recipe, Source, Vector};
use super::reach::Reach;
use super::{MASK_IN, MASK_OUT, MOMENT, Translator, Write};
use crate::program::Src;
use crate::valu::Way;

impl Translator<'_> {
    /// The lanes' bits of a mask source, in [`MASK_IN`].
    fn mask_in(&mut self, src: Src, chunk: usize) {
        match src {
            Src::Sgpr(s) => {
                let at = Rm::Mem(SGPRS, 4 * i32::from(s) + 2 * chunk as i32);
                self.code.mask(KMOVW_LOAD, MASK_IN, 0, at, false);
            }
            other => {
                let v = match other {
                    Src::Const(v) => v,
                    _ => 0,
                };
                self.code.constant(EAX, (v >> (16 * chunk)) as u32 & 0xffff);
                self.code
                    .mask(KMOVW_OF_GPR, MASK_IN, 0, Rm::Reg(EAX.0), false);
            }
        }
    }

    /// Computes a vector operation. The accumulator of a sum may be overwritten in its place where
    /// nothing else of the same instruction reads it.
    pub(super) fn vector(&mut self, v: &Vector, alone: bool) -> Vec<Write> {
        self.reach = v.moves.as_ref().map(Reach::of);
        let mut writes: Vec<Write> = Vec::new();
        for chunk in 0..self.chunks {
            let results = self.lanes(v, chunk, alone);
            while let Some(z) = self.changed.pop() {
                self.release(z);
            }
            for (dword, from) in results.into_iter().flatten().enumerate() {
                writes.push(Write {
                    register: v.d + dword as u32,
                    chunk,
                    from,
                });
            }
        }
        let widened = v.recipe == Recipe::Move && v.sources[0].extend == Extend::Single;
        if v.recipe.leaves_nan() || v.finish.narrow || widened {
            // Two at once where all lanes count.
            let all = !self.kind.masked && self.reach.is_none();
            for pair in writes.chunks(if all { 2 } else { 1 }) {
                let (a, b) = (&pair[0], pair.last().unwrap_or(&pair[0]));
                self.flag_nan(a.from, b.from, a.chunk);
            }
        }
        self.refused |= self.kind.flushes && v.finish.may_scale;
        if self.kind.flushes && v.finish.single {
            for w in &writes {
                self.flush(w.from);
            }
        }
        if !v.finish.is_none() {
            for w in &writes {
                self.finish(&v.finish, w);
            }
        }
        writes
    }

    /// A shift of a register by a constant, to the left or right by the opcode's extension.
    pub(super) fn shift(&mut self, to: u8, extension: u8, from: u8, count: u32) {
        self.code
            .vector_imm(SHIFT_DWORDS, extension, to, Rm::Reg(from), 0, count as u8);
    }

    /// A shift by a source's low five bits.
    fn shift_by(
        &mut self,
        to: u8,
        (each, extension): (Form, u8),
        from: u8,
        s: Source,
        chunk: usize,
    ) {
        if let Src::Const(count) = s.src {
            return self.shift(to, extension, from, count as u32 & 31);
        }
        let count = self.source(s, 0, chunk);
        let masked = self.fresh();
        let bits = self.each(31);
        self.code.vector(VPANDD, masked, count, bits, 0);
        self.code.vector(each, to, from, Rm::Reg(masked), 0);
        self.release(masked);
    }

    /// The upper halves of products of unsigned dwords.
    pub(super) fn product_high(&mut self, a: u8, b: u8) -> u8 {
        let (even, odd, a_odd, b_odd) = (self.fresh(), self.fresh(), self.fresh(), self.fresh());
        let odd_lanes = |t: &mut Self, to: u8, from: u8| {
            t.code.vector_imm(SHIFT_QWORDS, 2, to, Rm::Reg(from), 0, 32);
        };
        self.code.vector(VPMULUDQ, even, a, Rm::Reg(b), 0);
        odd_lanes(self, a_odd, a);
        odd_lanes(self, b_odd, b);
        self.code.vector(VPMULUDQ, odd, a_odd, Rm::Reg(b_odd), 0);
        odd_lanes(self, even, even);
        self.code.constant(EAX, 0xaaaa);
        self.code
            .mask(KMOVW_OF_GPR, MOMENT, 0, Rm::Reg(EAX.0), false);
        self.code
            .vector(VPBLENDMD, even, even, Rm::Reg(odd), MOMENT);
        for z in [odd, a_odd, b_odd] {
            self.release(z);
        }
        even
    }

    /// The result of an operation for sixteen lanes: no register, one or two.
    fn lanes(&mut self, v: &Vector, chunk: usize, alone: bool) -> [Option<u8>; 2] {
        let [a, b, c] = v.sources;
        match v.recipe {
            Recipe::Move => {
                let x = self.source(a, 0, chunk);
                let d = self.fresh();
                self.code.vector(VMOVUPS_LOAD, d, 0, Rm::Reg(x), 0);
                [Some(d), None]
            }
            Recipe::Unary(f) => {
                let x = self.source(a, 0, chunk);
                let d = self.fresh();
                self.code.vector(f, d, 0, Rm::Reg(x), 0);
                [Some(d), None]
            }
            Recipe::ToInteger(f, indefinite) => {
                let x = self.source(a, 0, chunk);
                let d = self.fresh();
                self.code.vector(f, d, 0, Rm::Reg(x), 0);
                let indefinite = self.each(indefinite);
                self.flag(VPCMPEQD, d, indefinite, None, chunk);
                [Some(d), None]
            }
            Recipe::Round(how) => {
                let x = self.source(a, 0, chunk);
                let d = self.fresh();
                self.code.vector_imm(VRNDSCALEPS, d, 0, Rm::Reg(x), 0, how);
                [Some(d), None]
            }
            Recipe::Not => {
                let x = self.source(a, 0, chunk);
                let d = self.fresh();
                self.code.vector_imm(VPTERNLOGD, d, x, Rm::Reg(x), 0, 0x55);
                [Some(d), None]
            }
            Recipe::Integer(f) | Recipe::Float(f) => self.one(f, a, b, 0, chunk),
            Recipe::IntegerReversed(f) | Recipe::FloatReversed(f) => self.one(f, b, a, 0, chunk),
            Recipe::FloatPair(f) => {
                let [low, _] = self.one(f, a, b, 0, chunk);
                let [high, _] = self.one(f, a, b, 1, chunk);
                [low, high]
            }
            Recipe::Range(which) => {
                let (x, y) = (self.source(a, 0, chunk), self.source(b, 0, chunk));
                let d = self.fresh();
                self.flag_nan(x, y, chunk);
                self.code.vector_imm(VRANGEPS, d, x, Rm::Reg(y), 0, which);
                if c.src != Src::None {
                    let z = self.source(c, 0, chunk);
                    self.flag_nan(z, z, chunk);
                    self.code.vector_imm(VRANGEPS, d, d, Rm::Reg(z), 0, which);
                }
                [Some(d), None]
            }
            Recipe::Fma => {
                let in_place = alone
                    && c.src == Src::Vgpr(v.d)
                    && c.way == Way::Plain
                    && v.finish.is_none()
                    && v.moves.is_none()
                    && !self.kind.flushes;
                [Some(self.fma(v, 0, chunk, in_place)), None]
            }
            Recipe::FmaPair => {
                let low = self.fma(v, 0, chunk, false);
                [Some(low), Some(self.fma(v, 1, chunk, false))]
            }
            Recipe::Shift(each, extension) => {
                let x = self.source(b, 0, chunk);
                let d = self.fresh();
                self.shift_by(d, (each, extension), x, a, chunk);
                [Some(d), None]
            }
            Recipe::ShiftThen(each, extension, f) => {
                let x = self.source(a, 0, chunk);
                let d = self.fresh();
                self.shift_by(d, (each, extension), x, b, chunk);
                let y = self.source(c, 0, chunk);
                self.code.vector(f, d, d, Rm::Reg(y), 0);
                [Some(d), None]
            }
            Recipe::ThenShift(f, each, extension) => {
                let [d, _] = self.one(f, a, b, 0, chunk);
                let d = d.unwrap_or(0);
                self.shift_by(d, (each, extension), d, c, chunk);
                [Some(d), None]
            }
            Recipe::Two(first, second) => {
                let [d, _] = self.one(first, a, b, 0, chunk);
                let d = d.unwrap_or(0);
                let z = self.source(c, 0, chunk);
                self.code.vector(second, d, d, Rm::Reg(z), 0);
                [Some(d), None]
            }
            Recipe::Bits(table) => {
                let x = self.source(a, 0, chunk);
                let d = self.fresh();
                self.code.vector(VMOVUPS_LOAD, d, 0, Rm::Reg(x), 0);
                let (y, z) = (self.source(b, 0, chunk), self.source(c, 0, chunk));
                self.code.vector_imm(VPTERNLOGD, d, y, Rm::Reg(z), 0, table);
                [Some(d), None]
            }
            Recipe::Product24 { signed, added } => {
                let (x, y) = (self.source(a, 0, chunk), self.source(b, 0, chunk));
                let (d, other) = (self.fresh(), self.fresh());
                for (to, from) in [(d, x), (other, y)] {
                    if signed {
                        self.shift(to, LEFT, from, 8);
                        self.shift(to, SIGN, to, 8);
                    } else {
                        let low = self.each(0xff_ffff);
                        self.code.vector(VPANDD, to, from, low, 0);
                    }
                }
                self.code.vector(VPMULLD, d, d, Rm::Reg(other), 0);
                self.release(other);
                if added {
                    let z = self.source(c, 0, chunk);
                    self.code.vector(VPADDD, d, d, Rm::Reg(z), 0);
                }
                [Some(d), None]
            }
            Recipe::ProductHigh => {
                let (x, y) = (self.source(a, 0, chunk), self.source(b, 0, chunk));
                [Some(self.product_high(x, y)), None]
            }
            Recipe::ProductWide => self.product_wide(v, chunk),
            Recipe::Add { carry_in } => self.add(v, carry_in, chunk),
            Recipe::Subtract {
                reversed,
                borrow_in,
            } => self.subtract(v, reversed, borrow_in, chunk),
            Recipe::Select => {
                let (x, y) = (self.source(a, 0, chunk), self.source(b, 0, chunk));
                let d = self.fresh();
                self.mask_in(v.mask_in, chunk);
                self.code.vector(VPBLENDMD, d, x, Rm::Reg(y), MASK_IN);
                [Some(d), None]
            }
            Recipe::CompareInteger(f, condition) => self.compare(f, condition, a, b, chunk),
            Recipe::Double(f) => {
                let (x, y) = (self.doubles(a, chunk), self.doubles(b, chunk));
                for i in 0..2 {
                    self.code.vector(f, x[i], x[i], Rm::Reg(y[i]), 0);
                    self.release(y[i]);
                }
                self.halves(x, chunk)
            }
            Recipe::FmaDouble => self.fma_doubles(v, chunk),
            Recipe::RangeDouble(which) => {
                let (x, y) = (self.doubles(a, chunk), self.doubles(b, chunk));
                for i in 0..2 {
                    // A number wins over a NaN. The bits are in another order than EXEC's, so lanes
                    // that are off count, too.
                    self.flag_unmasked(VCMPPD, x[i], Rm::Reg(y[i]), 3);
                    self.code
                        .vector_imm(VRANGEPD, x[i], x[i], Rm::Reg(y[i]), 0, which);
                    self.release(y[i]);
                }
                self.halves(x, chunk)
            }
            Recipe::RoundDouble(how) => {
                let x = self.doubles(a, chunk);
                for z in x {
                    self.code.vector_imm(VRNDSCALEPD, z, 0, Rm::Reg(z), 0, how);
                }
                self.halves(x, chunk)
            }
            Recipe::CompareLong(f, condition) => self.compare_long(f, condition, a, b, chunk),
            Recipe::ShiftLong(f) => self.shift_long(f, a, b, chunk),
            Recipe::MovePair => [a, b].map(|s| {
                let x = self.source(s, 0, chunk);
                let d = self.fresh();
                self.code.vector(VMOVUPS_LOAD, d, 0, Rm::Reg(x), 0);
                Some(d)
            }),
            Recipe::Half(f) => self.half(v, chunk, |t, d, [x, y, _]| {
                t.code.vector(f, d, x, Rm::Reg(y), 0);
            }),
            Recipe::HalfReversed(f) => self.half(v, chunk, |t, d, [x, y, _]| {
                t.code.vector(f, d, y, Rm::Reg(x), 0);
            }),
            Recipe::FmaHalf => self.half(v, chunk, |t, d, [x, y, z]| {
                t.code.vector(VMOVUPS_LOAD, d, 0, Rm::Reg(z), 0);
                t.code.vector(VFMADD231PH, d, x, Rm::Reg(y), 0);
            }),
            Recipe::RoundHalf(how) => self.half(v, chunk, |t, d, [x, ..]| {
                t.code.vector_imm(VRNDSCALEPH, d, 0, Rm::Reg(x), 0, how);
            }),
            Recipe::PackHalves(how) => {
                let (x, y) = (self.source(a, 0, chunk), self.source(b, 0, chunk));
                self.flag_nan(x, y, chunk);
                let (low, high) = (self.fresh(), self.fresh());
                self.narrow(low, x, how);
                self.narrow(high, y, how);
                self.shift(high, LEFT, high, 16);
                self.code.vector(VPORD, low, low, Rm::Reg(high), 0);
                self.release(high);
                [Some(low), None]
            }
            Recipe::Steps(steps) => self.steps(steps, &v.sources, false, chunk),
            Recipe::StepsWide(steps) => self.steps(steps, &v.sources, true, chunk),
            Recipe::Unscaled { steps, wide } => {
                let k = MASK_OUT + chunk as u8;
                self.code.mask(KXORW, k, k, Rm::Reg(k), true);
                self.steps(steps, &v.sources, wide, chunk)
            }
            Recipe::FmaUnscaled => {
                self.flag_mask(v.mask_in, chunk);
                [Some(self.fma(v, 0, chunk, false)), None]
            }
            Recipe::FmaDoubleUnscaled => {
                self.flag_mask(v.mask_in, chunk);
                self.fma_doubles(v, chunk)
            }
            Recipe::CompareFloat(condition) => self.compare(VCMPPS, condition, a, b, chunk),
            Recipe::ShiftWide { left, signed } => {
                let count = match a.src {
                    Src::Const(count) => count as u32 & 63,
                    _ => 0,
                };
                let x = [self.source(b, 0, chunk), self.source(b, 1, chunk)];
                self.shift_wide(x, count, left, signed).map(Some)
            }
            Recipe::ShiftAddWide => {
                // A count above four shifts nothing.
                let count = match b.src {
                    Src::Const(count) if count & 7 <= 4 => count as u32 & 7,
                    _ => 0,
                };
                let x = [self.source(a, 0, chunk), self.source(a, 1, chunk)];
                let shifted = self.shift_wide(x, count, true, false);
                let z = [self.source(c, 0, chunk), self.source(c, 1, chunk)];
                let sum = self.add_wide(shifted, z);
                for z in shifted {
                    self.release(z);
                }
                sum.map(Some)
            }
            Recipe::MoveWide => {
                let x = [self.source(a, 0, chunk), self.source(a, 1, chunk)];
                self.shift_wide(x, 0, true, false).map(Some)
            }
            Recipe::AddWide => {
                let x = [self.source(a, 0, chunk), self.source(a, 1, chunk)];
                let y = [self.source(b, 0, chunk), self.source(b, 1, chunk)];
                self.add_wide(x, y).map(Some)
            }
        }
    }

    /// An operation on halves as such, which gives up where it gives a NaN.
    fn half(
        &mut self,
        v: &Vector,
        chunk: usize,
        compute: impl FnOnce(&mut Self, u8, [u8; 3]),
    ) -> [Option<u8>; 2] {
        let s = v.sources.map(|s| self.source(s, 0, chunk));
        let d = self.fresh();
        compute(self, d, s);
        if v.finish.halves == 1 {
            let low = self.each(0xffff);
            self.code.vector(VPANDD, d, d, low, 0);
        }
        let exec = self.exec(chunk);
        if exec == 0 {
            self.flag_where(VCMPPH, d, Rm::Reg(d), Some(3), 0);
        } else {
            // The comparison has a bit a half, EXEC one a lane.
            let on = self.fresh();
            self.code
                .vector(VMOVUPS_LOAD, on, 0, Rm::Reg(d), exec | ZEROING);
            self.flag_where(VCMPPH, on, Rm::Reg(on), Some(3), 0);
            self.release(on);
        }
        [Some(d), None]
    }

    /// Makes the operation give up where a lane that is on has its bit set.
    fn flag_mask(&mut self, mask: Src, chunk: usize) {
        let exec = self.exec(chunk);
        let ones = self.fresh();
        self.code
            .vector_imm(VPTERNLOGD, ones, ones, Rm::Reg(ones), 0, 0xff);
        if exec != 0 {
            self.code
                .vector(VMOVUPS_LOAD, ones, 0, Rm::Reg(ones), exec | ZEROING);
        }
        self.mask_in(mask, chunk);
        self.flag_where(VPTESTMD, ones, Rm::Reg(ones), None, MASK_IN);
        self.release(ones);
    }

    /// One instruction on a dword of two sources.
    fn one(&mut self, f: Form, a: Source, b: Source, dword: u32, chunk: usize) -> [Option<u8>; 2] {
        let (x, y) = (self.source(a, dword, chunk), self.source(b, dword, chunk));
        let d = self.fresh();
        self.code.vector(f, d, x, Rm::Reg(y), 0);
        [Some(d), None]
    }

    fn fma(&mut self, v: &Vector, dword: u32, chunk: usize, in_place: bool) -> u8 {
        let [a, b, c] = v.sources;
        let (x, y) = (self.source(a, dword, chunk), self.source(b, dword, chunk));
        let z = self.source(c, dword, chunk);
        // A factor that is the accumulator as well is read before it is written, too.
        let d = if in_place {
            self.slots[z as usize].pinned = true;
            z
        } else {
            let d = self.fresh();
            self.code.vector(VMOVUPS_LOAD, d, 0, Rm::Reg(z), 0);
            d
        };
        let exec = if in_place { self.exec(chunk) } else { 0 };
        self.code.vector(VFMADD231PS, d, x, Rm::Reg(y), exec);
        d
    }

    fn compare(
        &mut self,
        f: Form,
        condition: u8,
        a: Source,
        b: Source,
        chunk: usize,
    ) -> [Option<u8>; 2] {
        let (x, y) = (self.source(a, 0, chunk), self.source(b, 0, chunk));
        let k = MASK_OUT + chunk as u8;
        self.code.vector_imm(f, k, x, Rm::Reg(y), 0, condition);
        [None, None]
    }

    fn add(&mut self, v: &Vector, carry_in: bool, chunk: usize) -> [Option<u8>; 2] {
        let [a, b, _] = v.sources;
        let (x, y) = (self.source(a, 0, chunk), self.source(b, 0, chunk));
        let (d, k) = (self.fresh(), MASK_OUT + chunk as u8);
        self.code.vector(VPADDD, d, x, Rm::Reg(y), 0);
        self.code.vector_imm(VPCMPUD, k, d, Rm::Reg(x), 0, 1);
        if carry_in {
            self.mask_in(v.mask_in, chunk);
            let one = self.each(1);
            self.code.vector(VPADDD, d, d, one, MASK_IN);
            // One more has wrapped where it has given zero.
            let zero = self.each(0);
            self.code.vector_imm(VPCMPUD, MOMENT, d, zero, MASK_IN, 0);
            self.code.mask(KORD, k, k, Rm::Reg(MOMENT), true);
        }
        [Some(d), None]
    }

    fn subtract(
        &mut self,
        v: &Vector,
        reversed: bool,
        borrow_in: bool,
        chunk: usize,
    ) -> [Option<u8>; 2] {
        let [mut a, mut b, _] = v.sources;
        if reversed {
            (a, b) = (b, a);
        }
        let (x, y) = (self.source(a, 0, chunk), self.source(b, 0, chunk));
        let (d, k) = (self.fresh(), MASK_OUT + chunk as u8);
        self.code.vector_imm(VPCMPUD, k, x, Rm::Reg(y), 0, 1);
        self.code.vector(VPSUBD, d, x, Rm::Reg(y), 0);
        if borrow_in {
            self.mask_in(v.mask_in, chunk);
            let zero = self.each(0);
            self.code.vector_imm(VPCMPUD, MOMENT, d, zero, MASK_IN, 0);
            self.code.mask(KORD, k, k, Rm::Reg(MOMENT), true);
            let one = self.each(1);
            self.code.vector(VPSUBD, d, d, one, MASK_IN);
        }
        [Some(d), None]
    }
}
