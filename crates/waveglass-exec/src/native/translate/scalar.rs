//! Scalar arithmetic, single lanes, branches and EXEC.

use super::super::encode::{Cond, EAX, ECX, Gpr, Jump, R9, Rm, SCC, SGPRS, VGPRS};
use super::super::recipe::{Arithmetic, Lane, Scalar, When};
use super::{Key, LANES, Translator};
use crate::program::Src;
use crate::wave::sreg;

impl Translator<'_> {
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
            Lane::First if !self.kind.masked => return Some(0),
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

    pub(super) fn read_lane(&mut self, d: u8, from: u32, lane: Lane) {
        let place = self.lane_place(from, lane);
        self.code.general(&[0x8b], EAX.0, place, false);
        let to = Rm::Mem(SGPRS, 4 * i32::from(d));
        self.code.general(&[0x89], EAX.0, to, false);
        self.forget_scalars(d, 1);
    }

    pub(super) fn write_lane(&mut self, d: u32, from: Src, lane: Src) {
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
    pub(super) fn branch(&mut self, when: When) -> Option<Jump> {
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

    pub(super) fn scalar(&mut self, s: &Scalar) {
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
