//! [`Inst`]: one decoded instruction, a small `Copy` value.

use crate::{Field, Operand, OperandType, Target};

bitflags::bitflags! {
    /// Properties of an instruction that hold for all its operands.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct InstFlags: u32 {
        /// Executed by the vector ALU.
        const VALU = 1 << 0;
        /// Executed by the scalar ALU.
        const SALU = 1 << 1;
        /// May read memory.
        const MAY_LOAD = 1 << 2;
        /// May write memory.
        const MAY_STORE = 1 << 3;
        /// Changes the program counter.
        const BRANCH = 1 << 4;
        /// Ends a basic block.
        const TERMINATOR = 1 << 5;
        /// An atomic that returns the value before the operation.
        const ATOMIC_RET = 1 << 6;
        /// An atomic that returns nothing.
        const ATOMIC_NO_RET = 1 << 7;
        /// A transcendental, executed by the transcendental unit.
        const TRANS = 1 << 8;
        /// Two packed operations.
        const PACKED = 1 << 9;
        /// Reads MODE.
        const READS_MODE = 1 << 10;
    }
}

/// Whether an operand is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The instruction reads it.
    Read,
    /// The instruction writes it.
    Write,
}

/// One operand of a row's shape.
#[derive(Debug)]
pub struct OperandDef {
    /// The operand's name.
    pub field: Field,
    /// Read or written.
    pub access: Access,
    /// Width of the value in bits; 0 for modifier fields.
    pub bits: u16,
    /// How constants widen.
    pub ty: OperandType,
}

/// A row of the instruction table: one instruction in one encoding.
#[derive(Debug)]
pub struct InstDef {
    /// The mnemonic without an encoding suffix, as in "v_add_f32".
    pub mnemonic: &'static str,
    /// The encoding's name, as in "ENC_VOP3" or "VOP2_VOP_DPP16".
    pub encoding: &'static str,
    /// The opcode in the encoding's OP field.
    pub opcode: u16,
    /// The operands, destinations first.
    pub operands: &'static [OperandDef],
    /// Properties.
    pub flags: InstFlags,
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug)]
pub struct Inst {
    target: Target,
    size: u8,
    def: &'static InstDef,
    words: [u32; 5],
}

/// The bytes are no instruction of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// There are fewer bytes than the instruction needs.
    #[error("the instruction is cut off: {needed} bytes are needed")]
    Truncated {
        /// The size of the instruction that the first bytes announce.
        needed: u8,
    },
    /// No row of the table matches.
    #[error("no such instruction")]
    Invalid,
}

/// Decodes the instruction at the start of `bytes`.
///
/// # Errors
///
/// [`DecodeError`] when the bytes are no instruction of `target`.
pub fn decode(target: Target, bytes: &[u8]) -> Result<Inst, DecodeError> {
    let _ = (target, bytes);
    Err(DecodeError::Invalid)
}

impl Inst {
    /// The target that it was decoded for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// The size in bytes, literal included.
    pub fn size(&self) -> usize {
        self.size as usize
    }

    /// The row of the table.
    pub fn def(&self) -> &'static InstDef {
        self.def
    }

    /// The mnemonic without an encoding suffix.
    pub fn mnemonic(&self) -> &'static str {
        self.def.mnemonic
    }

    /// The instruction's bytes as little-endian dwords; those past its size are zero.
    pub fn words(&self) -> &[u32; 5] {
        &self.words
    }

    /// The raw bits of a field, assembled from wherever the encoding scatters them;
    /// 0 where the encoding has no such field. Not sign-extended.
    pub fn field(&self, field: Field) -> u64 {
        let _ = field;
        0
    }

    /// The operand, resolved to a register, constant, literal or immediate;
    /// `None` where the instruction has no such operand.
    pub fn operand(&self, field: Field) -> Option<Operand> {
        let _ = field;
        None
    }

    /// The shape's entry for an operand.
    pub fn operand_def(&self, field: Field) -> Option<&'static OperandDef> {
        self.def.operands.iter().find(|o| o.field == field)
    }

    /// The value of a constant operand (inline constant, literal or immediate) as the instruction
    /// reads it, widened to the operand's type and width; `None` for registers.
    pub fn constant(&self, field: Field) -> Option<u64> {
        let _ = field;
        None
    }
}
