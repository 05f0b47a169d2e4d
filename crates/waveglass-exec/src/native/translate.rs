//! From an operation to the host's instructions.
//!
//! A vector register of a wave is two or four vectors of the host's. Results are written to the wave's
//! registers at once and stay in the host's as well, for as long as there is room, so that what reads
//! them next need not load them. What an operation cannot do itself (a NaN result, whose bits follow
//! rules of their own; an address out of range) it finds out before it writes anything: the fragment
//! then ends in front of it.

use super::encode::{
    CONSTS, Cond, EAX, ECX, Encoder, FRAME, Form, Gpr, Jump, LDS, R9, Rm, SCC, SGPRS, VGPRS, forms::*,
};
use super::frame;
use super::recipe::{Arithmetic, Lane, Recipe, Scalar, Share, Source, Vector, When, Work};
use crate::program::Src;
use crate::wave::sreg;
use std::collections::HashMap;

/// Lanes of a host vector.
const LANES: usize = 16;
/// Host vector registers.
const REGISTERS: usize = 32;

/// What a host register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    /// Sixteen lanes of a vector register.
    Vector(u32, usize),
    /// A scalar register, in every lane.
    Scalar(u8),
    /// A constant, in every lane.
    Const(u32),
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: Option<Key>,
    used: u32,
    pinned: bool,
}

/// The constants that fragments read from memory: single dwords, behind the offsets of sixteen
/// consecutive dwords.
#[derive(Debug)]
pub(super) struct Pool {
    pub(super) dwords: Vec<u32>,
    places: HashMap<u32, i32>,
}

impl Pool {
    pub(super) fn new() -> Self {
        Self {
            dwords: (0..LANES as u32).map(|lane| 4 * lane).collect(),
            places: HashMap::new(),
        }
    }

    fn place(&mut self, v: u32) -> i32 {
        *self.places.entry(v).or_insert_with(|| {
            self.dwords.push(v);
            4 * (self.dwords.len() as i32 - 1)
        })
    }
}

/// A place in a vector register of the wave that is to be written.
struct Write {
    register: u32,
    chunk: usize,
    from: u8,
}

/// Writes one fragment.
pub(super) struct Translator<'a> {
    code: &'a mut Encoder,
    pool: &'a mut Pool,
    /// Host vectors in a vector register.
    chunks: usize,
    /// Lanes may be off, as EXEC says.
    masked: bool,
    slots: [Slot; REGISTERS],
    clock: u32,
    /// How many conditions for giving up have been worked out into mask register 1.
    flags: u32,
    /// Jumps out of the fragment, with the number of the operation that they give up.
    exits: Vec<(Jump, u32)>,
    at: u32,
    /// Registers with sources whose signs were changed.
    changed: Vec<u8>,
    /// An operation has wanted more registers than there are.
    exhausted: bool,
}

/// What the number of operations has with it where the branch at the end was taken.
pub(super) const TAKEN: u32 = 1 << 31;

/// The mask register in which lanes are collected that make an operation give up.
const FLAGGED: u8 = 1;
/// One for a moment's use.
const MOMENT: u8 = 2;
/// One for a mask that comes in.
const MASK_IN: u8 = 3;
/// The first of those in which a mask that goes out is collected, one for each host vector.
const MASK_OUT: u8 = 4;

impl<'a> Translator<'a> {
    pub(super) fn new(
        code: &'a mut Encoder,
        pool: &'a mut Pool,
        wave_lanes: usize,
        masked: bool,
    ) -> Self {
        Self {
            code,
            pool,
            chunks: wave_lanes / LANES,
            masked,
            slots: [Slot::default(); REGISTERS],
            clock: 0,
            flags: 0,
            exits: Vec::new(),
            at: 0,
            changed: Vec::new(),
            exhausted: false,
        }
    }

    /// Writes a fragment, which gives how many of its operations it has done; `false` where it would
    /// need more registers than there are.
    pub(super) fn fragment(mut self, works: &[Work]) -> bool {
        // The frame comes in the register that then has the vector registers' address.
        self.code.general(&[0x8b], FRAME.0, Rm::Reg(VGPRS.0), true);
        for (to, from) in [
            (VGPRS, frame::VGPRS),
            (SGPRS, frame::SGPRS),
            (SCC, frame::SCC),
            (LDS, frame::LDS),
            (CONSTS, frame::CONSTS),
        ] {
            self.code
                .general(&[0x8b], to.0, Rm::Mem(FRAME, from as i32), true);
        }
        let mut taken = None;
        for work in works {
            match work {
                Work::Vector(v) => {
                    let writes = self.vector(v, true);
                    self.give_up_if_flagged();
                    self.commit(v, &writes);
                }
                Work::Both([x, y]) => {
                    let first = self.vector(x, false);
                    let second = self.vector(y, false);
                    self.give_up_if_flagged();
                    self.commit(x, &first);
                    self.commit(y, &second);
                }
                Work::Share(s) => self.share(s),
                Work::Scalar(s) => self.scalar(s),
                Work::ReadLane { d, from, lane } => self.read_lane(*d, *from, *lane),
                Work::WriteLane { d, from, lane } => self.write_lane(*d, *from, *lane),
                Work::Branch(when) => taken = Some(self.branch(*when)),
            }
            for slot in &mut self.slots {
                slot.pinned = false;
            }
            self.at += 1;
        }
        if let Some(not_taken) = taken {
            self.code.constant(EAX, self.at | TAKEN);
            self.code.ret();
            if let Some(jump) = not_taken {
                self.code.land(jump);
            }
        }
        self.code.constant(EAX, self.at);
        self.code.ret();
        let mut exits = std::mem::take(&mut self.exits).into_iter().peekable();
        while let Some((jump, at)) = exits.next() {
            self.code.land(jump);
            while let Some((other, _)) = exits.next_if(|&(_, next)| next == at) {
                self.code.land(other);
            }
            self.code.constant(EAX, at);
            self.code.ret();
        }
        !self.exhausted
    }

    /// A host register whose content may be lost; it is kept until the operation is over.
    fn fresh(&mut self) -> u8 {
        let free = (0..REGISTERS)
            .filter(|&z| !self.slots[z].pinned)
            .min_by_key(|&z| self.slots[z].used);
        self.exhausted |= free.is_none();
        let z = free.unwrap_or(0);
        self.clock += 1;
        self.slots[z] = Slot {
            key: None,
            used: self.clock,
            pinned: true,
        };
        z as u8
    }

    /// Lets go of a register that [`Translator::fresh`] gave.
    fn release(&mut self, z: u8) {
        self.slots[z as usize].pinned = false;
        if self.slots[z as usize].key.is_none() {
            self.slots[z as usize].used = 0;
        }
    }

    /// A register that holds something, loaded if need be.
    fn get(&mut self, key: Key) -> u8 {
        self.clock += 1;
        if let Some(z) = self.slots.iter().position(|s| s.key == Some(key)) {
            self.slots[z].used = self.clock;
            return z as u8;
        }
        let z = self.fresh();
        match key {
            Key::Vector(r, chunk) => {
                let at = self.vgpr(r, chunk);
                self.code.vector(VMOVUPS_LOAD, z, 0, at, 0);
            }
            Key::Scalar(s) => {
                let at = Rm::Mem(SGPRS, 4 * i32::from(s));
                self.code.vector(VPBROADCASTD, z, 0, at, 0);
            }
            Key::Const(v) => {
                let at = Rm::Mem(CONSTS, self.pool.place(v));
                self.code.vector(VPBROADCASTD, z, 0, at, 0);
            }
        }
        self.slots[z as usize].key = Some(key);
        self.slots[z as usize].pinned = false;
        z
    }

    fn vgpr(&self, register: u32, chunk: usize) -> Rm {
        let at = (register as usize * self.chunks + chunk) * LANES * 4;
        Rm::Mem(VGPRS, at as i32)
    }

    fn each(&mut self, v: u32) -> Rm {
        Rm::Each(CONSTS, self.pool.place(v))
    }

    /// A dword of a source for a host vector's lanes.
    fn source(&mut self, s: Source, dword: u32, chunk: usize) -> u8 {
        let (neg, abs) = (s.dwords.neg[dword as usize], s.dwords.abs);
        let dword = s.dwords.of[dword as usize];
        let z = match s.src {
            Src::Vgpr(r) => self.get(Key::Vector(r + dword, chunk)),
            Src::Sgpr(r) => self.get(Key::Scalar(r + dword as u8)),
            Src::Const(v) => self.get(Key::Const((v >> (32 * dword)) as u32)),
            _ => self.get(Key::Const(0)),
        };
        if !neg && !abs {
            return z;
        }
        let to = self.fresh();
        let mut from = z;
        if abs {
            let mask = self.each(0x7fff_ffff);
            self.code.vector(VPANDD, to, from, mask, 0);
            from = to;
        }
        if neg {
            let sign = self.each(0x8000_0000);
            self.code.vector(VPXORD, to, from, sign, 0);
        }
        self.changed.push(to);
        to
    }

    /// The mask register with the lanes of a host vector that are on; 0 where all are.
    fn exec(&mut self, chunk: usize) -> u8 {
        if !self.masked {
            return 0;
        }
        let at = Rm::Mem(SGPRS, 4 * sreg::EXEC_LO as i32 + 2 * chunk as i32);
        self.code.mask(KMOVW_LOAD, MASK_IN, 0, at, false);
        MASK_IN
    }

    /// Makes the operation give up where a comparison holds in a lane that is on.
    fn flag(&mut self, f: Form, second: u8, rm: Rm, imm: Option<u8>, chunk: usize) {
        let k = if self.flags == 0 { FLAGGED } else { MOMENT };
        let exec = self.exec(chunk);
        self.code.vector(f, k, second, rm, exec);
        self.code.bytes.extend(imm);
        if self.flags != 0 {
            self.code
                .mask(KORW, FLAGGED, FLAGGED, Rm::Reg(MOMENT), true);
        }
        self.flags += 1;
    }

    /// Makes the operation give up where either is a NaN.
    fn flag_nan(&mut self, a: u8, b: u8, chunk: usize) {
        self.flag(VCMPPS, a, Rm::Reg(b), Some(3), chunk);
    }

    fn give_up_if_flagged(&mut self) {
        if std::mem::take(&mut self.flags) != 0 {
            self.code
                .mask(KORTESTW, FLAGGED, 0, Rm::Reg(FLAGGED), false);
            self.exits.push((self.code.jump_if(Cond::NotZero), self.at));
        }
    }

    /// Writes results to the wave's registers, in the lanes that are on.
    fn write(&mut self, writes: &[Write]) {
        for w in writes {
            let key = Key::Vector(w.register, w.chunk);
            let mut from = w.from;
            if self.masked && self.slots[from as usize].key != Some(key) {
                let old = self.get(key);
                let exec = self.exec(w.chunk);
                self.code.vector(VMOVUPS_LOAD, old, 0, Rm::Reg(from), exec);
                self.release(from);
                from = old;
            }
            let at = self.vgpr(w.register, w.chunk);
            self.code.vector(VMOVUPS_STORE, from, 0, at, 0);
            for slot in &mut self.slots {
                if slot.key == Some(key) {
                    slot.key = None;
                }
            }
            self.slots[from as usize].key = Some(key);
        }
    }

    /// Writes a vector operation's results, and its mask, in which lanes that are off are zero.
    fn commit(&mut self, v: &Vector, writes: &[Write]) {
        self.write(writes);
        let Some(d) = v.mask_out else { return };
        let at = Rm::Mem(SGPRS, 4 * i32::from(d));
        if self.masked {
            for chunk in 0..self.chunks {
                let (k, exec) = (MASK_OUT + chunk as u8, self.exec(chunk));
                self.code.mask(KANDW, k, k, Rm::Reg(exec), true);
            }
        }
        let pair = |code: &mut Encoder, k: u8| {
            code.mask(KUNPCKWD, k, k + 1, Rm::Reg(k), true);
        };
        pair(self.code, MASK_OUT);
        if self.chunks == 4 {
            pair(self.code, MASK_OUT + 2);
            let high = Rm::Reg(MASK_OUT);
            self.code.mask(KUNPCKDQ, MASK_OUT, MASK_OUT + 2, high, true);
            self.code.mask(KMOVQ_STORE, MASK_OUT, 0, at, false);
        } else {
            self.code.mask(KMOVD_STORE, MASK_OUT, 0, at, false);
        }
        self.forget_scalars(d, self.chunks as u8 / 2);
    }

    fn forget_scalars(&mut self, d: u8, count: u8) {
        for slot in &mut self.slots {
            if matches!(slot.key, Some(Key::Scalar(s)) if (d..d + count).contains(&s)) {
                slot.key = None;
            }
        }
    }

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
    fn vector(&mut self, v: &Vector, alone: bool) -> Vec<Write> {
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
        let floats = matches!(
            v.recipe,
            Recipe::Float(_)
                | Recipe::FloatReversed(_)
                | Recipe::Fma
                | Recipe::FloatPair(_)
                | Recipe::FmaPair
                | Recipe::Round(_)
        );
        if floats {
            // Two at once where all lanes count.
            for pair in writes.chunks(if self.masked { 1 } else { 2 }) {
                let (a, b) = (&pair[0], pair.last().unwrap_or(&pair[0]));
                self.flag_nan(a.from, b.from, a.chunk);
            }
        }
        writes
    }

    /// A shift of a register by a constant, to the left or right by the opcode's extension.
    fn shift(&mut self, to: u8, extension: u8, from: u8, count: u32) {
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
    fn product_high(&mut self, a: u8, b: u8) -> u8 {
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

    /// `low + a.low` and `high + a.high` with the carry between them.
    fn add_wide(&mut self, a: [u8; 2], b: [u8; 2]) -> [u8; 2] {
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
    fn shift_wide(
        &mut self,
        [low, high]: [u8; 2],
        count: u32,
        left: bool,
        signed: bool,
    ) -> [u8; 2] {
        // Extensions of the immediate shifts: left, right, right with the sign.
        let (to_left, to_right) = (6, 2);
        let last = if signed { 4 } else { to_right };
        let (to, other) = (self.fresh(), self.fresh());
        // From the half that loses bits to the one that takes them.
        let (from, into, out, back) = match left {
            true => (low, high, to_left, to_right),
            false => (high, low, to_right, to_left),
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
                let signs = c.dwords.neg[0] || c.dwords.abs;
                let in_place = alone && c.src == Src::Vgpr(v.d) && !signs;
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
                        self.shift(to, 6, from, 8);
                        self.shift(to, 4, to, 8);
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
            self.code.mask(KORW, k, k, Rm::Reg(MOMENT), true);
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
            self.code.mask(KORW, k, k, Rm::Reg(MOMENT), true);
            let one = self.each(1);
            self.code.vector(VPSUBD, d, d, one, MASK_IN);
        }
        [Some(d), None]
    }

    fn product_wide(&mut self, v: &Vector, chunk: usize) -> [Option<u8>; 2] {
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
        self.code.mask(KORW, k, k, Rm::Reg(MOMENT), true);
        self.release(low);
        self.release(high);
        sum.map(Some)
    }

    /// A load or store in LDS.
    fn share(&mut self, s: &Share) {
        let places = &s.places[..1 + s.two as usize];
        let last = Rm::Each(FRAME, frame::last(s.dwords) as i32);
        let addresses: Vec<u8> = (0..self.chunks)
            .map(|chunk| {
                let z = self.get(Key::Vector(s.address, chunk));
                self.slots[z as usize].pinned = true;
                z
            })
            .collect();
        for &(offset, _) in places {
            for (chunk, &address) in addresses.iter().enumerate() {
                let at = self.at_offset(address, offset);
                // Above the last place at which all of the data fits.
                self.flag(VPCMPUD, at, last, Some(6), chunk);
                if at != address {
                    self.release(at);
                }
            }
        }
        self.give_up_if_flagged();
        if s.stores {
            for &(offset, data) in places {
                for (chunk, &address) in addresses.iter().enumerate() {
                    let z = self.get(Key::Vector(data, chunk));
                    self.slots[z as usize].pinned = true;
                    self.store(address, offset, z, chunk);
                }
            }
            return;
        }
        let mut writes = Vec::new();
        for (chunk, &address) in addresses.iter().enumerate() {
            let mut wanted = Vec::new();
            for &(offset, data) in places {
                for dword in 0..s.dwords {
                    let to = self.fresh();
                    wanted.push((offset, 4 * dword as i32, to));
                    writes.push(Write {
                        register: data + dword,
                        chunk,
                        from: to,
                    });
                }
            }
            self.load(address, &wanted, chunk);
        }
        self.write(&writes);
    }

    /// The addresses plus an offset, in 32 bits; the addresses themselves where it is zero.
    fn at_offset(&mut self, address: u8, offset: u32) -> u8 {
        if offset == 0 {
            return address;
        }
        let z = self.fresh();
        let offset = self.each(offset);
        self.code.vector(VPADDD, z, address, offset, 0);
        z
    }

    /// Finds out whether sixteen addresses are consecutive dwords, after which the jump is taken; the
    /// first of them is in `eax`.
    fn if_consecutive(&mut self, address: u8) -> (u8, Jump) {
        let (first, steps) = (self.fresh(), self.fresh());
        self.code.lowest_lane(EAX, address);
        self.code
            .vector(VPBROADCASTD, first, 0, Rm::Reg(address), 0);
        self.code
            .vector(VPADDD, steps, first, Rm::Mem(CONSTS, 0), 0);
        self.code
            .vector(VPCMPEQD, MOMENT, address, Rm::Reg(steps), 0);
        self.code.mask(KORTESTW, MOMENT, 0, Rm::Reg(MOMENT), false);
        let jump = self.code.jump_if(Cond::Carry);
        self.release(steps);
        (first, jump)
    }

    /// `ecx = eax + offset`: the address of the first lane.
    fn first_address(&mut self, offset: u32) {
        self.code
            .general(&[0x8d], ECX.0, Rm::Mem(EAX, offset as i32), false);
    }

    /// The lanes that are on, in [`MOMENT`], which gathers and scatters use up.
    fn lanes_on(&mut self, chunk: usize) {
        match self.exec(chunk) {
            0 => self
                .code
                .mask(KXNORW, MOMENT, MOMENT, Rm::Reg(MOMENT), true),
            exec => self.code.mask(KORW, MOMENT, exec, Rm::Reg(exec), true),
        }
    }

    fn gather(&mut self, address: u8, wanted: &[(u32, i32, u8)], chunk: usize) {
        for &(offset, dword, to) in wanted {
            let at = self.at_offset(address, offset);
            self.lanes_on(chunk);
            self.code.vector(VPXORD, to, to, Rm::Reg(to), 0);
            self.code
                .vector(VPGATHERDD, to, 0, Rm::Lanes(LDS, at, dword), MOMENT);
            if at != address {
                self.release(at);
            }
        }
    }

    fn scatter(&mut self, address: u8, offset: u32, z: u8, chunk: usize) {
        let at = self.at_offset(address, offset);
        self.lanes_on(chunk);
        // The highest lane that writes a dword leaves its value, as the host's scatter has it.
        self.code
            .vector(VPSCATTERDD, z, 0, Rm::Lanes(LDS, at, 0), MOMENT);
        if at != address {
            self.release(at);
        }
    }

    /// Loads dwords at offsets from the same addresses: those of a row in one piece, the same for all
    /// lanes once, as in the rows and columns of a tile, others by the host's gather.
    /// Where lanes may be off, those that are on by the gather.
    fn load(&mut self, address: u8, wanted: &[(u32, i32, u8)], chunk: usize) {
        if self.masked {
            return self.gather(address, wanted, chunk);
        }
        let (first, consecutive) = self.if_consecutive(address);
        self.code
            .vector(VPCMPEQD, MOMENT, address, Rm::Reg(first), 0);
        self.code.mask(KORTESTW, MOMENT, 0, Rm::Reg(MOMENT), false);
        let same = self.code.jump_if(Cond::Carry);
        self.release(first);
        self.gather(address, wanted, chunk);
        let mut ends = vec![self.code.jump()];
        for (case, f) in [(same, VPBROADCASTD), (consecutive, VMOVUPS_LOAD)] {
            self.code.land(case);
            for &(offset, dword, to) in wanted {
                self.first_address(offset);
                self.code.vector(f, to, 0, Rm::Sum(LDS, ECX, dword), 0);
            }
            ends.push(self.code.jump());
        }
        for end in ends {
            self.code.land(end);
        }
    }

    fn store(&mut self, address: u8, offset: u32, z: u8, chunk: usize) {
        if self.masked {
            return self.scatter(address, offset, z, chunk);
        }
        let (first, consecutive) = self.if_consecutive(address);
        self.release(first);
        self.scatter(address, offset, z, chunk);
        let end = self.code.jump();
        self.code.land(consecutive);
        self.first_address(offset);
        self.code
            .vector(VMOVUPS_STORE, z, 0, Rm::Sum(LDS, ECX, 0), 0);
        self.code.land(end);
    }

    /// Puts a scalar source into a general register; flags stay as they are.
    fn scalar_source(&mut self, to: Gpr, src: Src, wide: bool) {
        match src {
            Src::Sgpr(s) => {
                let at = Rm::Mem(SGPRS, 4 * i32::from(s));
                self.code.general(&[0x8b], to.0, at, wide);
            }
            other => {
                let v = match other {
                    Src::Const(v) => v,
                    _ => 0,
                };
                if wide {
                    self.code.bytes.extend([0x48, 0xb8 | to.0]);
                    self.code.bytes.extend(v.to_le_bytes());
                } else {
                    self.code.constant(to, v as u32);
                }
            }
        }
    }

    /// `ecx` becomes a lane's offset in a register, if that is not known yet; gives what is.
    fn lane_offset(&mut self, lane: Lane) -> Option<i32> {
        let lanes = (self.chunks * LANES) as u32;
        match lane {
            Lane::Numbered(Src::Const(v)) => return Some((v as u32 % lanes * 4) as i32),
            Lane::First if !self.masked => return Some(0),
            Lane::Numbered(src) => {
                self.scalar_source(ECX, src, false);
                // and ecx, lanes - 1
                self.code.general(&[0x81], 4, Rm::Reg(ECX.0), false);
                self.code.bytes.extend((lanes - 1).to_le_bytes());
            }
            Lane::First => {
                let wide = self.chunks == 4;
                self.scalar_source(ECX, Src::Sgpr(sreg::EXEC_LO as u8), wide);
                // Carry says that there is none.
                self.code.constant(EAX, 0);
                self.code.bytes.push(0xf3);
                self.code
                    .general(&[0x0f, 0xbc], ECX.0, Rm::Reg(ECX.0), wide);
                self.code.general(
                    &[0x0f, 0x40 | Cond::Carry as u8],
                    ECX.0,
                    Rm::Reg(EAX.0),
                    false,
                );
            }
        }
        // shl ecx, 2
        self.code.general(&[0xc1], 4, Rm::Reg(ECX.0), false);
        self.code.bytes.push(2);
        None
    }

    fn lane_place(&mut self, register: u32, lane: Lane) -> Rm {
        let at = (register as usize * self.chunks * LANES * 4) as i32;
        match self.lane_offset(lane) {
            Some(offset) => Rm::Mem(VGPRS, at + offset),
            None => Rm::Sum(VGPRS, ECX, at),
        }
    }

    fn read_lane(&mut self, d: u8, from: u32, lane: Lane) {
        let place = self.lane_place(from, lane);
        self.code.general(&[0x8b], EAX.0, place, false);
        let to = Rm::Mem(SGPRS, 4 * i32::from(d));
        self.code.general(&[0x89], EAX.0, to, false);
        self.forget_scalars(d, 1);
    }

    fn write_lane(&mut self, d: u32, from: Src, lane: Src) {
        let place = self.lane_place(d, Lane::Numbered(lane));
        self.scalar_source(EAX, from, false);
        self.code.general(&[0x89], EAX.0, place, false);
        for slot in &mut self.slots {
            if matches!(slot.key, Some(Key::Vector(r, _)) if r == d) {
                slot.key = None;
            }
        }
    }

    /// Gives the jump that is taken where the branch is not.
    fn branch(&mut self, when: When) -> Option<Jump> {
        let (place, wide, taken_if_zero) = match when {
            When::Always => return None,
            When::Scc(value) => (Rm::Mem(SCC, 0), None, !value),
            When::Mask(s, zero) => {
                let wide = self.chunks == 4;
                (Rm::Mem(SGPRS, 4 * i32::from(s)), Some(wide), zero)
            }
        };
        // cmp byte, or dword or qword, with zero
        match wide {
            None => self.code.general(&[0x80], 7, place, false),
            Some(wide) => self.code.general(&[0x83], 7, place, wide),
        }
        self.code.bytes.push(0);
        Some(self.code.jump_if(match taken_if_zero {
            true => Cond::NotZero,
            false => Cond::Zero,
        }))
    }

    fn save_exec(&mut self, s: &Scalar, opcode: u8, inverted: bool) {
        let (wide, exec) = (s.wide, Rm::Mem(SGPRS, 4 * sreg::EXEC_LO as i32));
        self.code.general(&[0x8b], ECX.0, exec, wide);
        self.code.general(&[0x8b], R9.0, exec, wide);
        if inverted {
            self.code.general(&[0xf7], 2, Rm::Reg(R9.0), wide);
        }
        self.code.general(&[opcode], EAX.0, Rm::Reg(R9.0), wide);
        self.code.set_byte(Cond::NotZero, Rm::Mem(SCC, 0));
        let old = Rm::Mem(SGPRS, 4 * i32::from(s.d));
        self.code.general(&[0x89], ECX.0, old, wide);
        self.code.general(&[0x89], EAX.0, exec, wide);
    }

    fn scalar(&mut self, s: &Scalar) {
        let wide = s.wide;
        self.scalar_source(EAX, s.a, wide);
        let scc = Rm::Mem(SCC, 0);
        let (a, b) = (Rm::Reg(EAX.0), Rm::Reg(ECX.0));
        match s.arithmetic {
            Arithmetic::Move => {}
            Arithmetic::SaveExec(opcode, inverted) => {
                return self.save_exec(s, opcode, inverted);
            }
            Arithmetic::Two(opcode, condition) => {
                self.scalar_source(ECX, s.b, wide);
                self.code.general(&[opcode], EAX.0, b, wide);
                if let Some(condition) = condition {
                    self.code.set_byte(condition, scc);
                }
            }
            Arithmetic::AndNot => {
                self.scalar_source(ECX, s.b, wide);
                self.code.general(&[0xf7], 2, b, wide);
                self.code.general(&[0x23], EAX.0, b, wide);
                self.code.set_byte(Cond::NotZero, scc);
            }
            Arithmetic::WithCarry(opcode) => {
                // The negation of what is not zero carries.
                self.code.general(&[0x0f, 0xb6], ECX.0, scc, false);
                self.code.general(&[0xf7], 3, b, false);
                self.scalar_source(ECX, s.b, wide);
                self.code.general(&[opcode], EAX.0, b, wide);
                self.code.set_byte(Cond::Carry, scc);
            }
            Arithmetic::Multiply => {
                self.scalar_source(ECX, s.b, wide);
                self.code.general(&[0x0f, 0xaf], EAX.0, b, wide);
            }
            Arithmetic::Shift(extension) => {
                // Counts are taken modulo the width, by the host as well.
                self.scalar_source(ECX, s.b, false);
                self.code.general(&[0xd3], extension, a, wide);
                self.code.general(&[0x85], EAX.0, a, wide);
                self.code.set_byte(Cond::NotZero, scc);
            }
            Arithmetic::Compare(condition) => {
                self.scalar_source(ECX, s.b, wide);
                self.code.general(&[0x3b], EAX.0, b, wide);
                self.code.set_byte(condition, scc);
                return;
            }
            Arithmetic::Select => {
                self.code.general(&[0x80], 7, scc, false);
                self.code.bytes.push(0);
                self.scalar_source(ECX, s.b, wide);
                self.code
                    .general(&[0x0f, 0x40 | Cond::Zero as u8], EAX.0, b, wide);
            }
        }
        let to = Rm::Mem(SGPRS, 4 * i32::from(s.d));
        self.code.general(&[0x89], EAX.0, to, wide);
        self.forget_scalars(s.d, 1 + wide as u8);
    }
}
