//! AMD GPU targets, encodings and the instruction table.
//!
//! Everything that decodes, prints, parses, explains or runs an instruction reads the one table
//! in this crate (`data/`, turned into statics by the build script). Start at [`decode`] or
//! [`Decoder`], which turn bytes into an [`Inst`]; an `Inst` names its row of the table
//! ([`InstDef`]), whose [`Shape`] lists the operands, and hands out the operands' values.
//!
//! This crate knows nothing about assembly syntax beyond the templates that it carries, and
//! nothing about execution.

mod encode;
mod encoding;
mod field;
mod image;
mod info;
mod inst;
mod mnemonic;
mod operand;
mod register_name;
mod resolve;
mod table;
mod target;

pub use encode::{EncodeError, InstBits};
pub use encoding::{Encoding, EncodingField, encoding, layout, row_layout};
pub use field::Field;
pub use info::{Counter, InstInfo, RegUse, UseSource};
pub use inst::{DecodeError, Decoder, Inst, decode};
pub use mnemonic::{Mnemonic, op};
pub use operand::{Half, Operand, OperandType, Reg, RegFile};
pub use table::{
    Access, IMAGE_BITS, ImmStyle, Implicit, InstDef, InstFlags, MASK_BITS, MATRIX_BITS, ModStyle,
    NO_MODS, OperandDef, OperandKind, Piece, Shape, Sources, Whole, rows,
};
pub use target::{Generation, Target, UnknownTarget};
