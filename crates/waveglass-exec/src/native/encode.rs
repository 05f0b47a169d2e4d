//! Encoding of the host's instructions: AVX-512 on whole vectors of sixteen dwords, the mask registers,
//! and the few of the general registers that fragments need (Intel SDM volume 2, chapter 2).

/// A general register by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gpr(pub(super) u8);

/// `eax`, which everything may change and which holds the result at the end.
pub(super) const EAX: Gpr = Gpr(0);
/// `ecx`, which everything may change.
pub(super) const ECX: Gpr = Gpr(1);
/// The LDS allocation's first byte.
pub(super) const LDS: Gpr = Gpr(2);
/// The wave's scalar registers.
pub(super) const SGPRS: Gpr = Gpr(6);
/// The wave's vector registers; on entry the frame.
pub(super) const VGPRS: Gpr = Gpr(7);
/// SCC.
pub(super) const SCC: Gpr = Gpr(8);
/// `r9d`, which everything may change.
pub(super) const R9: Gpr = Gpr(9);
/// The constants of all fragments.
pub(super) const CONSTS: Gpr = Gpr(10);
/// The frame.
pub(super) const FRAME: Gpr = Gpr(11);

/// An instruction of the EVEX or VEX space: opcode map, prefix (0 none, 1 66, 2 F3, 3 F2), W, opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    map: u8,
    prefix: u8,
    wide: bool,
    opcode: u8,
}

const fn form(map: u8, prefix: u8, wide: bool, opcode: u8) -> Form {
    Form {
        map,
        prefix,
        wide,
        opcode,
    }
}

/// The instructions that fragments are made of, by the mnemonics of the manual.
#[rustfmt::skip]
pub(super) mod forms {
    use super::{Form, form};

    pub(in super::super) const VMOVUPS_LOAD: Form = form(1, 0, false, 0x10);
    pub(in super::super) const VMOVUPS_STORE: Form = form(1, 0, false, 0x11);
    pub(in super::super) const VADDPS: Form = form(1, 0, false, 0x58);
    pub(in super::super) const VMULPS: Form = form(1, 0, false, 0x59);
    pub(in super::super) const VCVTDQ2PS: Form = form(1, 0, false, 0x5b);
    pub(in super::super) const VSUBPS: Form = form(1, 0, false, 0x5c);
    pub(in super::super) const VCMPPS: Form = form(1, 0, false, 0xc2);
    pub(in super::super) const VCVTTPS2DQ: Form = form(1, 2, false, 0x5b);
    pub(in super::super) const VCVTTPS2UDQ: Form = form(1, 0, false, 0x78);
    pub(in super::super) const VCVTUDQ2PS: Form = form(1, 3, false, 0x7a);
    pub(in super::super) const VMOVD_TO_GPR: Form = form(1, 1, false, 0x7e);
    pub(in super::super) const SHIFT_DWORDS: Form = form(1, 1, false, 0x72);
    pub(in super::super) const SHIFT_QWORDS: Form = form(1, 1, true, 0x73);
    pub(in super::super) const VPCMPEQD: Form = form(1, 1, false, 0x76);
    pub(in super::super) const VPUNPCKLDQ: Form = form(1, 1, false, 0x62);
    pub(in super::super) const VPUNPCKHDQ: Form = form(1, 1, false, 0x6a);
    pub(in super::super) const VADDPD: Form = form(1, 1, true, 0x58);
    pub(in super::super) const VMULPD: Form = form(1, 1, true, 0x59);
    pub(in super::super) const VCMPPD: Form = form(1, 1, true, 0xc2);
    pub(in super::super) const VSHUFPS: Form = form(1, 0, false, 0xc6);
    pub(in super::super) const VPANDD: Form = form(1, 1, false, 0xdb);
    pub(in super::super) const VPANDND: Form = form(1, 1, false, 0xdf);
    pub(in super::super) const VPORD: Form = form(1, 1, false, 0xeb);
    pub(in super::super) const VPXORD: Form = form(1, 1, false, 0xef);
    pub(in super::super) const VPMULUDQ: Form = form(1, 1, true, 0xf4);
    pub(in super::super) const VPSUBD: Form = form(1, 1, false, 0xfa);
    pub(in super::super) const VPADDD: Form = form(1, 1, false, 0xfe);
    pub(in super::super) const VPTESTMD: Form = form(2, 1, false, 0x27);
    pub(in super::super) const VPTESTNMD: Form = form(2, 2, false, 0x27);
    pub(in super::super) const VPMINSD: Form = form(2, 1, false, 0x39);
    pub(in super::super) const VPMINUD: Form = form(2, 1, false, 0x3b);
    pub(in super::super) const VPMAXSD: Form = form(2, 1, false, 0x3d);
    pub(in super::super) const VPMAXUD: Form = form(2, 1, false, 0x3f);
    pub(in super::super) const VPMULLD: Form = form(2, 1, false, 0x40);
    pub(in super::super) const VPSRLVD: Form = form(2, 1, false, 0x45);
    pub(in super::super) const VPSRAVD: Form = form(2, 1, false, 0x46);
    pub(in super::super) const VPSLLVD: Form = form(2, 1, false, 0x47);
    pub(in super::super) const VPBROADCASTD: Form = form(2, 1, false, 0x58);
    pub(in super::super) const VPBLENDMD: Form = form(2, 1, false, 0x64);
    pub(in super::super) const VPGATHERDD: Form = form(2, 1, false, 0x90);
    pub(in super::super) const VPSCATTERDD: Form = form(2, 1, false, 0xa0);
    pub(in super::super) const VFMADD231PS: Form = form(2, 1, false, 0xb8);
    pub(in super::super) const VFMADD231PD: Form = form(2, 1, true, 0xb8);
    pub(in super::super) const VRNDSCALEPS: Form = form(3, 1, false, 0x08);
    pub(in super::super) const VRNDSCALEPD: Form = form(3, 1, true, 0x09);
    pub(in super::super) const VPCMPUD: Form = form(3, 1, false, 0x1e);
    pub(in super::super) const VPCMPD: Form = form(3, 1, false, 0x1f);
    pub(in super::super) const VPTERNLOGD: Form = form(3, 1, false, 0x25);
    pub(in super::super) const VRANGEPS: Form = form(3, 1, false, 0x50);
    pub(in super::super) const VRANGEPD: Form = form(3, 1, true, 0x50);

    pub(in super::super) const VDIVPS: Form = form(1, 0, false, 0x5e);
    pub(in super::super) const VSQRTPS: Form = form(1, 0, false, 0x51);
    pub(in super::super) const VPADDW: Form = form(1, 1, false, 0xfd);
    pub(in super::super) const VPSUBW: Form = form(1, 1, false, 0xf9);
    pub(in super::super) const VPMULLW: Form = form(1, 1, false, 0xd5);
    pub(in super::super) const VPMINSW: Form = form(1, 1, false, 0xea);
    pub(in super::super) const VPMAXSW: Form = form(1, 1, false, 0xee);
    pub(in super::super) const VPMINUW: Form = form(2, 1, false, 0x3a);
    pub(in super::super) const VPMAXUW: Form = form(2, 1, false, 0x3e);
    pub(in super::super) const VPSLLVW: Form = form(2, 1, true, 0x12);
    pub(in super::super) const VPSRLVW: Form = form(2, 1, true, 0x10);
    pub(in super::super) const VPSRAVW: Form = form(2, 1, true, 0x11);
    pub(in super::super) const VPSLLVQ: Form = form(2, 1, true, 0x47);
    pub(in super::super) const VPSRLVQ: Form = form(2, 1, true, 0x45);
    pub(in super::super) const VPSRAVQ: Form = form(2, 1, true, 0x46);
    pub(in super::super) const VPTESTMB: Form = form(2, 1, false, 0x26);
    pub(in super::super) const VPBLENDMB: Form = form(2, 1, false, 0x66);
    pub(in super::super) const VPSHUFB: Form = form(2, 1, false, 0x00);
    pub(in super::super) const VCVTPH2PS: Form = form(2, 1, false, 0x13);
    pub(in super::super) const VPMOVZXWD: Form = form(2, 1, false, 0x33);
    pub(in super::super) const VPMOVDW: Form = form(2, 2, false, 0x33);
    pub(in super::super) const VSCALEFPS: Form = form(2, 1, false, 0x2c);
    pub(in super::super) const VPERMD: Form = form(2, 1, false, 0x36);
    pub(in super::super) const VPMOVM2D: Form = form(2, 2, false, 0x38);
    pub(in super::super) const VPMOVD2M: Form = form(2, 2, false, 0x39);
    pub(in super::super) const VPERMI2D: Form = form(2, 1, false, 0x76);
    pub(in super::super) const VCVTPS2PH: Form = form(3, 1, false, 0x1d);
    pub(in super::super) const VPCMPUQ: Form = form(3, 1, true, 0x1e);
    pub(in super::super) const VPCMPQ: Form = form(3, 1, true, 0x1f);

    pub(in super::super) const VADDPH: Form = form(5, 0, false, 0x58);
    pub(in super::super) const VMULPH: Form = form(5, 0, false, 0x59);
    pub(in super::super) const VSUBPH: Form = form(5, 0, false, 0x5c);
    pub(in super::super) const VFMADD231PH: Form = form(6, 1, false, 0xb8);
    pub(in super::super) const VRNDSCALEPH: Form = form(3, 0, false, 0x08);
    pub(in super::super) const VCMPPH: Form = form(3, 0, false, 0xc2);

    pub(in super::super) const KANDW: Form = form(1, 0, false, 0x41);
    pub(in super::super) const KORW: Form = form(1, 0, false, 0x45);
    pub(in super::super) const KORTESTW: Form = form(1, 0, false, 0x98);
    pub(in super::super) const KORD: Form = form(1, 1, true, 0x45);
    pub(in super::super) const KMOVW_TO_GPR: Form = form(1, 0, false, 0x93);
    pub(in super::super) const PDEP: Form = form(2, 3, false, 0xf5);
    pub(in super::super) const KXORW: Form = form(1, 0, false, 0x47);
    pub(in super::super) const KXNORW: Form = form(1, 0, false, 0x46);
    pub(in super::super) const KUNPCKWD: Form = form(1, 0, false, 0x4b);
    pub(in super::super) const KUNPCKDQ: Form = form(1, 0, true, 0x4b);
    pub(in super::super) const KMOVW_LOAD: Form = form(1, 0, false, 0x90);
    pub(in super::super) const KMOVD_STORE: Form = form(1, 1, true, 0x91);
    pub(in super::super) const KMOVQ_STORE: Form = form(1, 0, true, 0x91);
    pub(in super::super) const KMOVW_OF_GPR: Form = form(1, 0, false, 0x92);
    pub(in super::super) const KORTESTD: Form = form(1, 1, true, 0x98);
}

/// The operand that may lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rm {
    /// A register.
    Reg(u8),
    /// Memory at a base and a displacement.
    Mem(Gpr, i32),
    /// The dword there, for every lane.
    Each(Gpr, i32),
    /// Memory at the sum of two registers and a displacement.
    Sum(Gpr, Gpr, i32),
    /// Memory at a base and a displacement plus the dword in each lane of a vector register.
    Lanes(Gpr, u8, i32),
}

/// Opcode extensions of shifts by a constant: to the right with zeros or with the sign, to the left.
pub(super) const RIGHT: u8 = 2;
pub(super) const SIGN: u8 = 4;
pub(super) const LEFT: u8 = 6;

/// Immediates of `vrangeps` and `vrangepd` (Intel SDM, "VRANGEPS": the sign of the result that is chosen).
pub(super) const MINIMUM: u8 = 4;
pub(super) const MAXIMUM: u8 = 5;

/// What a mask register has with it where lanes that it leaves out become zero.
pub(super) const ZEROING: u8 = 0x80;

/// Where the target of a jump is to be filled in.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub(super) struct Jump(usize);

/// Conditions of jumps and of bytes that are set, as the low bits of their opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Cond {
    Overflow = 0,
    Carry = 2,
    NoCarry = 3,
    Zero = 4,
    NotZero = 5,
    BelowOrEqual = 6,
    Above = 7,
    Less = 12,
    GreaterOrEqual = 13,
    LessOrEqual = 14,
    Greater = 15,
}

/// Machine code under construction.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    pub(super) bytes: Vec<u8>,
}

impl Encoder {
    /// Instructions on vectors of 512 bits; `k` masks the lanes (0 for all), with [`ZEROING`] or without.
    pub(super) fn vector(&mut self, f: Form, reg: u8, second: u8, rm: Rm, k: u8) {
        self.evex(f, reg, second, rm, k, 2);
    }

    /// The same with an immediate byte.
    pub(super) fn vector_imm(&mut self, f: Form, reg: u8, second: u8, rm: Rm, k: u8, imm: u8) {
        self.vector(f, reg, second, rm, k);
        self.bytes.push(imm);
    }

    /// The lowest dword of a vector register, to a general one.
    pub(super) fn lowest_lane(&mut self, to: Gpr, from: u8) {
        self.evex(forms::VMOVD_TO_GPR, from, 0, Rm::Reg(to.0), 0, 0);
    }

    fn evex(&mut self, f: Form, reg: u8, second: u8, rm: Rm, k: u8, length: u8) {
        // The bits that extend register numbers are stored inverted.
        let (b, x, second_high, each) = match rm {
            Rm::Reg(r) => (r >> 3, r >> 4, second >> 4, 0),
            Rm::Mem(base, _) => (base.0 >> 3, 0, second >> 4, 0),
            Rm::Each(base, _) => (base.0 >> 3, 0, second >> 4, 1),
            Rm::Sum(base, index, _) => (base.0 >> 3, index.0 >> 3, second >> 4, 0),
            Rm::Lanes(base, index, _) => (base.0 >> 3, index >> 3, index >> 4, 0),
        };
        let inverted = |bit: u8, at: u8| (!bit & 1) << at;
        let first = inverted(reg >> 3, 7) | inverted(x, 6) | inverted(b, 5) | inverted(reg >> 4, 4);
        self.bytes.extend([
            0x62,
            first | f.map,
            (f.wide as u8) << 7 | (!second & 15) << 3 | 4 | f.prefix,
            length << 5 | each << 4 | inverted(second_high, 3) | k,
            f.opcode,
        ]);
        self.rm(reg, rm);
    }

    /// Instructions of the VEX space, on mask registers but for `pdep`; `l` is the vector length bit, set
    /// where there are three operands.
    pub(super) fn mask(&mut self, f: Form, reg: u8, second: u8, rm: Rm, l: bool) {
        let b = match rm {
            Rm::Reg(r) => r >> 3,
            Rm::Mem(base, _) => base.0 >> 3,
            _ => 0,
        };
        self.bytes.extend([
            0xc4,
            0x80 | 0x40 | (!b & 1) << 5 | f.map,
            (f.wide as u8) << 7 | (!second & 15) << 3 | (l as u8) << 2 | f.prefix,
            f.opcode,
        ]);
        self.rm(reg, rm);
    }

    /// An instruction on general registers of 32 bits (64 where `wide`).
    pub(super) fn general(&mut self, opcode: &[u8], reg: u8, rm: Rm, wide: bool) {
        let b = match rm {
            Rm::Reg(r) => r >> 3,
            Rm::Mem(base, _) => base.0 >> 3,
            _ => 0,
        };
        let rex = 0x40 | (wide as u8) << 3 | (reg >> 3 & 1) << 2 | b & 1;
        if rex != 0x40 {
            self.bytes.push(rex);
        }
        self.bytes.extend(opcode);
        self.rm(reg, rm);
    }

    /// The ModRM byte and what follows it. Displacements are always written in full: fragments are
    /// short, and the short form counts in units of its own.
    fn rm(&mut self, reg: u8, rm: Rm) {
        let reg = (reg & 7) << 3;
        match rm {
            Rm::Reg(r) => self.bytes.push(0xc0 | reg | r & 7),
            Rm::Mem(base, at) | Rm::Each(base, at) => {
                self.bytes.push(0x80 | reg | base.0 & 7);
                self.bytes.extend(at.to_le_bytes());
            }
            Rm::Sum(base, index, at) => {
                self.sib(reg, base, index.0);
                self.bytes.extend(at.to_le_bytes());
            }
            Rm::Lanes(base, index, at) => {
                self.sib(reg, base, index);
                self.bytes.extend(at.to_le_bytes());
            }
        }
    }

    fn sib(&mut self, reg: u8, base: Gpr, index: u8) {
        self.bytes
            .extend([0x80 | reg | 4, (index & 7) << 3 | base.0 & 7]);
    }

    /// Puts a constant into a general register.
    pub(super) fn constant(&mut self, to: Gpr, v: u32) {
        self.bytes.extend((to.0 >= 8).then_some(0x41));
        self.bytes.push(0xb8 | to.0 & 7);
        self.bytes.extend(v.to_le_bytes());
    }

    /// The low byte at `rm` becomes 1 where the condition holds, else 0.
    pub(super) fn set_byte(&mut self, cond: Cond, rm: Rm) {
        self.general(&[0x0f, 0x90 | cond as u8], 0, rm, false);
    }

    /// A jump that is taken where the condition holds, to a place that comes later.
    pub(super) fn jump_if(&mut self, cond: Cond) -> Jump {
        self.bytes.extend([0x0f, 0x80 | cond as u8, 0, 0, 0, 0]);
        Jump(self.bytes.len())
    }

    /// A jump to a place that comes later.
    pub(super) fn jump(&mut self) -> Jump {
        self.bytes.extend([0xe9, 0, 0, 0, 0]);
        Jump(self.bytes.len())
    }

    /// Lets a jump end here.
    pub(super) fn land(&mut self, jump: Jump) {
        let distance = (self.bytes.len() - jump.0) as u32;
        self.bytes[jump.0 - 4..jump.0].copy_from_slice(&distance.to_le_bytes());
    }

    /// Returns; where vector registers were used, with their upper halves clean for code that knows none.
    pub(super) fn ret(&mut self, vectors: bool) {
        if vectors {
            self.bytes.extend([0xc5, 0xf8, 0x77]);
        }
        self.bytes.push(0xc3);
    }
}
