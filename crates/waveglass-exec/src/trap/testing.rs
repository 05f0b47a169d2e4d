//! Small programs and a handler for the tests of traps.

use waveglass_isa::Target::{self, *};

/// One target of each generation.
pub(super) const ALL: [Target; 10] = [
    Gfx900, Gfx908, Gfx90a, Gfx942, Gfx950, Gfx1010, Gfx1030, Gfx1100, Gfx1201, Gfx1250,
];
/// Operand number of TTMP0.
pub(super) const TTMP: u32 = 108;
/// Hardware registers.
pub(super) const MODE: u32 = 1;
pub(super) const STATUS: u32 = 2;
pub(super) const TRAPSTS: u32 = 3;

/// Instructions of a target, by the opcodes that each generation gives them.
pub(super) struct Asm {
    target: Target,
    pub(super) code: Vec<u8>,
}

impl Asm {
    pub(super) fn new(target: Target) -> Self {
        Self {
            target,
            code: Vec::new(),
        }
    }

    pub(super) fn word(mut self, w: u32) -> Self {
        self.code.extend(w.to_le_bytes());
        self
    }

    /// Which of the opcodes of gfx9, gfx10, and gfx11 and later.
    pub(super) fn pick(&self, opcodes: [u32; 3]) -> u32 {
        opcodes[(self.target.major() as usize - 9).min(2)]
    }

    pub(super) fn sop1(self, opcodes: [u32; 3], d: u32, s: u32) -> Self {
        let op = self.pick(opcodes);
        self.word(0xbe80_0000 | d << 16 | op << 8 | s)
    }

    pub(super) fn sop2(self, opcodes: [u32; 3], d: u32, a: u32, b: u32) -> Self {
        let op = self.pick(opcodes);
        self.word(0x8000_0000 | op << 23 | d << 16 | b << 8 | a)
    }

    pub(super) fn sopp(self, opcodes: [u32; 3], imm: u32) -> Self {
        let op = self.pick(opcodes);
        self.word(0xbf80_0000 | op << 16 | imm)
    }

    pub(super) fn mov(self, d: u32, s: u32) -> Self {
        self.sop1([0, 3, 0], d, s)
    }

    /// A small constant.
    pub(super) fn mov_imm(self, d: u32, v: u32) -> Self {
        self.mov(d, 128 + v)
    }

    /// `s[d:d+1] &= PC[47:0]`: the upper half keeps its lower 16 bits.
    pub(super) fn mask_pc(self, d: u32) -> Self {
        self.sop2([0xc, 0xe, 0x16], d + 1, d + 1, 255).word(0xffff)
    }

    pub(super) fn add(self, d: u32, v: u32) -> Self {
        self.sop2([0, 0, 0], d, d, 128 + v)
    }

    pub(super) fn trap(self, id: u32) -> Self {
        self.sopp([18, 18, 16], id)
    }

    pub(super) fn halt(self, on: u32) -> Self {
        self.sopp([13, 13, 2], on)
    }

    pub(super) fn rfe(self, s: u32) -> Self {
        self.sop1([31, 34, 74], 0, s)
    }

    pub(super) fn end(self) -> Vec<u8> {
        self.sopp([1, 1, 48], 0).code
    }

    pub(super) fn getreg(self, d: u32, id: u32, offset: u32, width: u32) -> Self {
        let op = self.pick([0x11, 0x12, 0x11]);
        let imm = id | offset << 6 | (width - 1) << 11;
        self.word(0xb000_0000 | op << 23 | d << 16 | imm)
    }

    pub(super) fn setreg(self, id: u32, offset: u32, width: u32, v: u32) -> Self {
        let op = self.pick([0x14, 0x15, 0x13]);
        let imm = id | offset << 6 | (width - 1) << 11;
        self.word(0xb000_0000 | op << 23 | imm).word(v)
    }

    /// `v_add_f32 v0, v1, v2`.
    pub(super) fn add_f32(self) -> Self {
        let op = self.pick([1, 3, 3]);
        self.word(op << 25 | 2 << 9 | 257)
    }

    /// Loads a dword from `v[2:3]`.
    pub(super) fn load(self) -> Self {
        match self.target.major() {
            9 => self.word(0xdc50_8000).word(0x007f_0002),
            10 => self.word(0xdc30_8000).word(0x007d_0002),
            11 => self.word(0xdc52_0000).word(0x007c_0002),
            _ => self.word(0xee05_007c).word(0).word(2),
        }
    }

    pub(super) fn size(&self) -> u64 {
        self.code.len() as u64
    }
}

/// A handler that copies TTMP0 and TTMP1 to s[8:9] and STATUS to s10, counts in s11, and goes on
/// `skip` bytes behind the saved PC.
pub(super) fn handler(target: Target, skip: u32) -> Vec<u8> {
    Asm::new(target)
        .mov(8, TTMP)
        .mov(9, TTMP + 1)
        .getreg(10, STATUS, 0, 32)
        .add(11, 1)
        .add(TTMP, skip)
        .mask_pc(TTMP)
        .rfe(TTMP)
        .code
}

/// TTMP1 and TTMP0 for a PC, PC_REWIND in dwords and a trap id.
pub(super) fn saved(target: Target, pc: u64, rewind: u64, id: u64) -> u64 {
    match target.major() {
        9 | 10 => pc | id << 48 | rewind << 57,
        11 => pc | id << 48,
        _ => pc | id << 60,
    }
}
