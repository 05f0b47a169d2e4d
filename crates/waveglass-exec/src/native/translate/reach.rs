//! Lanes that read other lanes.

use super::super::encode::{EAX, Rm, ZEROING, forms::*};
use super::super::recipe::Permlane;
use super::{Key, LANES, MASK_IN, MOMENT, Translator, Write};
use crate::program::Src;
use crate::valu::{Moves, Row};

/// Where an operation's lanes come from.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    rows: Vec<Row>,
    /// The register that says which lane each reads, where that is not known before.
    index: Option<u8>,
    bound_ctrl: bool,
    fetch_inactive: bool,
}

impl Reach {
    pub(super) fn of(moves: &Moves) -> Self {
        Self {
            rows: moves.rows.clone(),
            index: None,
            bound_ctrl: moves.bound_ctrl,
            fetch_inactive: moves.fetch_inactive,
        }
    }
}

impl Translator<'_> {
    /// The lanes that an operation with a reach writes, as [`Translator::exec`] gives them.
    pub(super) fn reached(&mut self, chunk: usize) -> u8 {
        let Some(reach) = self.reach.clone() else {
            return 0;
        };
        let row = &reach.rows[chunk];
        if reach.bound_ctrl {
            return self.lanes_among(row.enabled, chunk, None);
        }
        let dynamic = (self.kind.masked && !reach.fetch_inactive).then_some(&reach);
        self.lanes_among(row.enabled & row.valid, chunk, dynamic)
    }

    /// Lanes of a host vector that are on and among some, and whose sources are on where a reach is
    /// given.
    fn lanes_among(&mut self, lanes: u16, chunk: usize, sources_of: Option<&Reach>) -> u8 {
        if lanes == u16::MAX && !self.kind.masked {
            return 0;
        }
        if let Some(reach) = sources_of {
            self.valid(reach, chunk);
            if lanes != u16::MAX {
                self.mask_of(MOMENT, lanes);
                self.and_moment();
            }
        } else {
            self.mask_of(MASK_IN, lanes);
        }
        if self.kind.masked {
            let at = self.exec_place(chunk);
            self.code.mask(KMOVW_LOAD, MOMENT, 0, at, false);
            self.and_moment();
        }
        MASK_IN
    }

    fn and_moment(&mut self) {
        self.code
            .mask(KANDW, MASK_IN, MASK_IN, Rm::Reg(MOMENT), true);
    }

    fn mask_of(&mut self, k: u8, lanes: u16) {
        self.code.constant(EAX, lanes.into());
        self.code.mask(KMOVW_OF_GPR, k, 0, Rm::Reg(EAX.0), false);
    }

    /// The lanes of a host vector whose sources are there and, in waves with lanes off, are on, in
    /// [`MASK_IN`].
    fn valid(&mut self, reach: &Reach, chunk: usize) {
        let row = &reach.rows[chunk];
        if !self.kind.masked || reach.fetch_inactive {
            return self.mask_of(MASK_IN, row.valid);
        }
        let ones: Vec<u8> = row
            .from
            .iter()
            .map(|&from| {
                let at = self.exec_place(from);
                self.code.mask(KMOVW_LOAD, MOMENT, 0, at, false);
                let z = self.fresh();
                self.code.vector(VPMOVM2D, z, 0, Rm::Reg(MOMENT), 0);
                z
            })
            .collect();
        let to = self.permuted(reach, row, &ones, 0);
        self.code.vector(VPMOVD2M, MASK_IN, 0, Rm::Reg(to), 0);
        self.release(to);
        for z in ones {
            self.release(z);
        }
        if row.valid != u16::MAX {
            self.mask_of(MOMENT, row.valid);
            self.and_moment();
        }
    }

    /// Lanes of one or two registers, by a row's index.
    fn permuted(&mut self, reach: &Reach, row: &Row, from: &[u8], k: u8) -> u8 {
        let index = match reach.index {
            Some(index) => index,
            None => self.row(row.index),
        };
        let pinned = std::mem::replace(&mut self.slots[index as usize].pinned, true);
        let to = self.fresh();
        match *from {
            [] => self.code.vector(VPXORD, to, to, Rm::Reg(to), 0),
            [x] => self.code.vector(VPERMD, to, index, Rm::Reg(x), k),
            [x, y, ..] => {
                self.code.vector(VMOVUPS_LOAD, to, 0, Rm::Reg(index), 0);
                self.code.vector(VPERMI2D, to, x, Rm::Reg(y), k);
            }
        }
        self.slots[index as usize].pinned = pinned;
        to
    }

    /// The lanes of a register where they are read; those without a source are zero where they are
    /// written.
    pub(super) fn moved(&mut self, register: u32, chunk: usize) -> u8 {
        let Some(reach) = self.reach.clone() else {
            return self.get(Key::Vector(register, chunk));
        };
        let row = &reach.rows[chunk];
        let from: Vec<u8> = row
            .from
            .iter()
            .map(|&c| {
                let z = self.get(Key::Vector(register, c));
                self.slots[z as usize].pinned = true;
                z
            })
            .collect();
        let zeros = row.valid != u16::MAX || self.kind.masked && !reach.fetch_inactive;
        let mut k = 0;
        if reach.bound_ctrl && zeros {
            self.valid(&reach, chunk);
            k = MASK_IN | ZEROING;
        }
        self.permuted(&reach, row, &from, k)
    }

    /// A choice of lanes by the nibbles of two scalars.
    pub(super) fn permlane(&mut self, p: &Permlane) {
        let selects = p.selects.map(|s| {
            let z = match s {
                Src::Sgpr(r) => self.get(Key::Scalar(r)),
                Src::Const(v) => self.get(Key::Const(v as u32)),
                _ => self.get(Key::Const(0)),
            };
            self.slots[z as usize].pinned = true;
            z
        });
        let shifts = self.row(std::array::from_fn(|lane| 4 * (lane as u32 % 8)));
        self.slots[shifts as usize].pinned = true;
        let index = self.fresh();
        self.mask_of(MOMENT, 0xff00);
        let upper = Rm::Reg(selects[1]);
        self.code
            .vector(VPBLENDMD, index, selects[0], upper, MOMENT);
        self.code.vector(VPSRLVD, index, index, Rm::Reg(shifts), 0);
        let nibble = self.each(15);
        self.code.vector(VPANDD, index, index, nibble, 0);
        let rows = (0..self.chunks).map(|chunk| Row {
            from: vec![chunk ^ usize::from(p.crossed)],
            index: [0; LANES],
            valid: u16::MAX,
            enabled: u16::MAX,
        });
        self.reach = Some(Reach {
            rows: rows.collect(),
            index: Some(index),
            bound_ctrl: p.bound_ctrl,
            fetch_inactive: p.fetch_inactive,
        });
        let writes: Vec<Write> = (0..self.chunks)
            .map(|chunk| Write {
                register: p.d,
                chunk,
                from: self.moved(p.from, chunk),
            })
            .collect();
        self.write(&writes);
    }
}
