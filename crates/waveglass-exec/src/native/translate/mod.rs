//! From an operation to the host's instructions.
//!
//! A vector register of a wave is two or four vectors of the host's. Results are written to the wave's
//! registers at once and stay in the host's as well, for as long as there is room, so that what reads
//! them next need not load them. What an operation cannot do itself (a NaN result, whose bits follow
//! rules of their own; an address out of range) it finds out before it writes anything: the fragment
//! then ends in front of it.

mod finish;
mod reach;
mod scalar;
mod share;
mod source;
mod steps;
mod vector;
mod wide;

use super::encode::{
    CONSTS, Cond, EAX, Encoder, FRAME, Form, Jump, LDS, Rm, SCC, SGPRS, VGPRS, forms::*,
};
use super::frame;
use super::recipe::{Vector, Work};
use crate::wave::sreg;
use reach::Reach;
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
    /// Sixteen constants of the pool.
    Consts(i32),
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: Option<Key>,
    used: u32,
    pinned: bool,
}

/// The constants that fragments read from memory: single dwords and sixteen at a time, behind the
/// offsets of sixteen consecutive dwords.
#[derive(Debug)]
pub(super) struct Pool {
    pub(super) dwords: Vec<u32>,
    places: HashMap<u32, i32>,
    rows: HashMap<[u32; LANES], i32>,
}

impl Pool {
    pub(super) fn new() -> Self {
        Self {
            dwords: (0..LANES as u32).map(|lane| 4 * lane).collect(),
            places: HashMap::new(),
            rows: HashMap::new(),
        }
    }

    fn place(&mut self, v: u32) -> i32 {
        *self.places.entry(v).or_insert_with(|| {
            self.dwords.push(v);
            4 * (self.dwords.len() as i32 - 1)
        })
    }

    fn place_row(&mut self, row: [u32; LANES]) -> i32 {
        *self.rows.entry(row).or_insert_with(|| {
            self.dwords.extend(row);
            4 * (self.dwords.len() - LANES) as i32
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
    kind: Kind,
    slots: [Slot; REGISTERS],
    clock: u32,
    /// How many conditions for giving up have been worked out into mask register 1.
    flags: u32,
    /// Jumps out of the fragment, with the number of the operation that they give up.
    exits: Vec<(Jump, u32)>,
    at: u32,
    /// Registers with sources that were changed.
    changed: Vec<u8>,
    /// Where the lanes of the operation's first source come from.
    reach: Option<Reach>,
    /// An operation has wanted more registers than there are, or is not for such waves.
    refused: bool,
}

/// What waves a translation is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    /// Lanes may be off, as EXEC says.
    pub(super) masked: bool,
    /// MODE flushes denormals of singles.
    pub(super) flushes: bool,
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
        kind: Kind,
    ) -> Self {
        Self {
            code,
            pool,
            chunks: wave_lanes / LANES,
            kind,
            slots: [Slot::default(); REGISTERS],
            clock: 0,
            flags: 0,
            exits: Vec::new(),
            at: 0,
            changed: Vec::new(),
            reach: None,
            refused: false,
        }
    }

    /// Writes a fragment, which gives how many of its operations it has done; `false` where there is none
    /// for such waves.
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
        let vectors = works.iter().any(Work::is_vector);
        let mut taken = None;
        for work in works {
            match work {
                Work::Vector(v) => {
                    let writes = self.vector(v, true);
                    self.give_up_if_flagged();
                    self.commit(v, &writes);
                }
                Work::Both(both) => {
                    let [x, y] = &**both;
                    let first = self.vector(x, false);
                    let second = self.vector(y, false);
                    self.give_up_if_flagged();
                    self.commit(x, &first);
                    self.commit(y, &second);
                }
                Work::Permlane(p) => self.permlane(p),
                Work::Share(s) => self.share(s),
                Work::Scalar(s) => self.scalar(s),
                Work::ReadLane { d, from, lane } => self.read_lane(*d, *from, *lane),
                Work::WriteLane { d, from, lane } => self.write_lane(*d, *from, *lane),
                Work::Branch(when) => taken = Some(self.branch(*when)),
            }
            for slot in &mut self.slots {
                slot.pinned = false;
            }
            self.reach = None;
            self.at += 1;
        }
        if let Some(not_taken) = taken {
            self.code.constant(EAX, self.at | TAKEN);
            self.code.ret(vectors);
            if let Some(jump) = not_taken {
                self.code.land(jump);
            }
        }
        self.code.constant(EAX, self.at);
        self.code.ret(vectors);
        let mut exits = std::mem::take(&mut self.exits).into_iter().peekable();
        while let Some((jump, at)) = exits.next() {
            self.code.land(jump);
            while let Some((other, _)) = exits.next_if(|&(_, next)| next == at) {
                self.code.land(other);
            }
            self.code.constant(EAX, at);
            self.code.ret(vectors);
        }
        !self.refused
    }

    /// A host register whose content may be lost; it is kept until the operation is over.
    fn fresh(&mut self) -> u8 {
        let free = (0..REGISTERS)
            .filter(|&z| !self.slots[z].pinned)
            .min_by_key(|&z| self.slots[z].used);
        self.refused |= free.is_none();
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
            Key::Consts(at) => {
                self.code.vector(VMOVUPS_LOAD, z, 0, Rm::Mem(CONSTS, at), 0);
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

    /// A register that holds sixteen constants.
    fn row(&mut self, row: [u32; LANES]) -> u8 {
        let at = self.pool.place_row(row);
        self.get(Key::Consts(at))
    }

    /// Makes zeros of singles that are denormal, with their sign.
    fn flush(&mut self, z: u8) {
        let exponent = self.each(0x7f80_0000);
        self.code.vector(VPTESTNMD, MOMENT, z, exponent, 0);
        let sign = self.each(0x8000_0000);
        self.code.vector(VPANDD, z, z, sign, MOMENT);
    }

    /// The mask register with the lanes of a host vector that the operation writes; 0 where it is all of
    /// them.
    fn exec(&mut self, chunk: usize) -> u8 {
        if self.reach.is_some() {
            return self.reached(chunk);
        }
        if !self.kind.masked {
            return 0;
        }
        let at = self.exec_place(chunk);
        self.code.mask(KMOVW_LOAD, MASK_IN, 0, at, false);
        MASK_IN
    }

    /// EXEC's bits for a host vector.
    fn exec_place(&self, chunk: usize) -> Rm {
        Rm::Mem(SGPRS, 4 * sreg::EXEC_LO as i32 + 2 * chunk as i32)
    }

    /// Makes the operation give up where a comparison holds in a lane that is on.
    fn flag(&mut self, f: Form, second: u8, rm: Rm, imm: Option<u8>, chunk: usize) {
        let exec = self.exec(chunk);
        self.flag_where(f, second, rm, imm, exec);
    }

    /// The same in any lane.
    fn flag_unmasked(&mut self, f: Form, second: u8, rm: Rm, imm: u8) {
        self.flag_where(f, second, rm, Some(imm), 0);
    }

    fn flag_where(&mut self, f: Form, second: u8, rm: Rm, imm: Option<u8>, lanes: u8) {
        let k = if self.flags == 0 { FLAGGED } else { MOMENT };
        self.code.vector(f, k, second, rm, lanes);
        self.code.bytes.extend(imm);
        if self.flags != 0 {
            self.code
                .mask(KORD, FLAGGED, FLAGGED, Rm::Reg(MOMENT), true);
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
                .mask(KORTESTD, FLAGGED, 0, Rm::Reg(FLAGGED), false);
            self.exits.push((self.code.jump_if(Cond::NotZero), self.at));
        }
    }

    /// Writes results to the wave's registers, in the lanes that are on.
    fn write(&mut self, writes: &[Write]) {
        for w in writes {
            let key = Key::Vector(w.register, w.chunk);
            let mut from = w.from;
            if self.slots[from as usize].key != Some(key) {
                let exec = self.exec(w.chunk);
                if exec != 0 {
                    let old = self.get(key);
                    self.code.vector(VMOVUPS_LOAD, old, 0, Rm::Reg(from), exec);
                    self.release(from);
                    from = old;
                }
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
        let to = [v.mask_out, v.changes_exec.then_some(sreg::EXEC_LO as u8)];
        if to == [None; 2] {
            return;
        }
        for chunk in 0..self.chunks {
            let (k, exec) = (MASK_OUT + chunk as u8, self.exec(chunk));
            if exec != 0 {
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
        }
        let store = match self.chunks {
            4 => KMOVQ_STORE,
            _ => KMOVD_STORE,
        };
        for d in to.into_iter().flatten() {
            let at = Rm::Mem(SGPRS, 4 * i32::from(d));
            self.code.mask(store, MASK_OUT, 0, at, false);
            self.forget_scalars(d, self.chunks as u8 / 2);
        }
    }

    fn forget_scalars(&mut self, d: u8, count: u8) {
        for slot in &mut self.slots {
            if matches!(slot.key, Some(Key::Scalar(s)) if (d..d + count).contains(&s)) {
                slot.key = None;
            }
        }
    }
}
