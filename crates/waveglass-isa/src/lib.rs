//! AMD GPU targets, encodings and the instruction table.
//!
//! Everything that decodes, prints, parses, explains or runs an instruction reads the one table
//! in this crate. Start at [`decode`], which turns bytes into an [`Inst`]; an `Inst` names its
//! row of the table ([`InstDef`]) and hands out its operands.
//!
//! This crate knows nothing about assembly syntax and nothing about execution.

mod field;
mod inst;
mod operand;
mod target;

pub use field::Field;
pub use inst::{Access, DecodeError, Inst, InstDef, InstFlags, OperandDef, decode};
pub use operand::{Half, Operand, OperandType, Reg, RegFile};
pub use target::{Generation, Target, UnknownTarget};
