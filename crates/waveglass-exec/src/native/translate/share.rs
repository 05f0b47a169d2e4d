//! Loads and stores in LDS.

use super::super::encode::{CONSTS, Cond, EAX, ECX, FRAME, Jump, LDS, Rm, forms::*};
use super::super::frame;
use super::super::recipe::Share;
use super::{Key, MOMENT, Translator, Write};

impl Translator<'_> {
    /// A load or store in LDS.
    pub(super) fn share(&mut self, s: &Share) {
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
        if self.kind.masked {
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
        if self.kind.masked {
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
}
