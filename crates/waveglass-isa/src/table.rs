//! The static table that the build script makes from `data/`, and the types of its entries.

use crate::{Field, OperandType, Target};

bitflags::bitflags! {
    /// Properties of an instruction that hold for all its operands.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct InstFlags: u32 {
        /// Executed by the vector ALU.
        const VALU = 1 << 0;
        /// Executed by the scalar ALU.
        const SALU = 1 << 1;
        /// May read memory.
        const LOAD = 1 << 2;
        /// May write memory.
        const STORE = 1 << 3;
        /// Changes the program counter.
        const BRANCH = 1 << 4;
        /// Calls.
        const CALL = 1 << 5;
        /// Returns.
        const RETURN = 1 << 6;
        /// Ends a basic block.
        const TERMINATOR = 1 << 7;
        /// Nothing after it in the block executes.
        const BARRIER = 1 << 8;
        /// An atomic that returns the value before the operation.
        const ATOMIC_RET = 1 << 9;
        /// An atomic that returns nothing.
        const ATOMIC_NO_RET = 1 << 10;
        /// A floating-point atomic.
        const FP_ATOMIC = 1 << 11;
        /// Executed by the transcendental unit.
        const TRANS = 1 << 12;
        /// Two packed operations.
        const PACKED = 1 << 13;
        /// A matrix instruction of CDNA (MFMA and its kin).
        const MAI = 1 << 14;
        /// A dot product.
        const DOT = 1 << 15;
        /// A wave matrix instruction (WMMA).
        const WMMA = 1 << 16;
        /// A sparse wave matrix instruction (SWMMAC).
        const SWMMAC = 1 << 17;
        /// Rounds by the f16/f64 field of MODE.
        const FP_DP_ROUNDING = 1 << 18;
        /// Gathers four texels.
        const GATHER4 = 1 << 19;
        /// Global wave sync.
        const GWS = 1 << 20;
        /// Increments the vector memory counter.
        const VMCNT = 1 << 21;
        /// Increments the LDS, GDS, constant and message counter.
        const LGKMCNT = 1 << 22;
        /// Increments the export counter.
        const EXPCNT = 1 << 23;
        /// Increments the asynchronous counter (CDNA 5).
        const ASYNCCNT = 1 << 24;
        /// Increments the tensor counter (CDNA 5).
        const TENSORCNT = 1 << 25;
    }
}

bitflags::bitflags! {
    /// Registers that an instruction reads or writes without naming them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Implicit: u16 {
        /// EXEC.
        const EXEC = 1 << 0;
        /// MODE.
        const MODE = 1 << 1;
        /// VCC.
        const VCC = 1 << 2;
        /// SCC.
        const SCC = 1 << 3;
        /// M0.
        const M0 = 1 << 4;
        /// FLAT_SCRATCH.
        const FLAT_SCR = 1 << 5;
        /// The asynchronous counter.
        const ASYNCCNT = 1 << 6;
        /// The tensor counter.
        const TENSORCNT = 1 << 7;
    }
}

/// Whether an operand is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The instruction reads it.
    Read,
    /// The instruction writes it.
    Write,
    /// The instruction reads it, then writes it.
    ReadWrite,
}

/// What the number in an operand's field means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandKind {
    /// A VGPR.
    Vgpr,
    /// A component of an export: a VGPR that the enable mask and COMPR choose.
    VgprExport,
    /// A VGPR tuple that may start at an odd register even on targets with aligned tuples.
    VgprUnaligned,
    /// A half of `v0`-`v127`: bit 7 of the field names the half.
    VgprLo,
    /// A VGPR whose half `op_sel` names.
    VgprHalf,
    /// A VGPR, or an AGPR where the ninth bit (ACC) is set.
    VgprOrAgpr,
    /// The same for a tuple that may start at an odd register even on targets with aligned tuples.
    VgprOrAgprUnaligned,
    /// The same in the source of a matrix instruction.
    VgprOrAgprSrc,
    /// An AGPR.
    Agpr,
    /// An AGPR in a source field.
    AgprSrc,
    /// A VGPR in a source field (256 and up).
    VgprSrc,
    /// A VGPR in a source field whose half `op_sel` names.
    VgprSrcHalf,
    /// A half of `v0`-`v127` in a source field.
    VgprSrcLo,
    /// A scalar register: SGPR, VCC, TTMP, M0, EXEC, NULL and the like.
    Scalar,
    /// A scalar register but for some.
    ScalarExcept {
        /// M0 is not taken.
        m0: bool,
        /// EXEC and its halves are not taken.
        exec: bool,
        /// EXEC_HI is not taken.
        exec_hi: bool,
        /// NULL is not taken.
        null: bool,
    },
    /// The result of an SDWA comparison: VCC, or a scalar register where bit 7 is set.
    SdwaDst,
    /// A scalar register, an inline constant or a literal.
    ScalarSrcLit,
    /// A scalar register or an inline constant.
    ScalarSrc,
    /// The same, or the LDS direct read.
    ScalarSrcLds,
    /// A VGPR, scalar register, inline constant or literal.
    SrcLit,
    /// A VGPR, scalar register or inline constant.
    Src,
    /// As `SrcLit`, and `op_sel` names the half of a VGPR.
    SrcLitHalf,
    /// As `SrcLit`, with halves of `v0`-`v127` by bit 7.
    SrcLitLo,
    /// As `Src`, and `op_sel` names the half of a VGPR.
    SrcHalf,
    /// A VGPR or the LDS direct read.
    VgprSrcLds,
    /// A VGPR or an inline constant.
    VgprOrInline,
    /// An AGPR or an inline constant.
    AgprOrInline,
    /// The source of an SDWA form: a VGPR, or a scalar source where bit 8 is set.
    SdwaSrc,
    /// Source modifiers.
    Mods(ModStyle),
    /// Another field.
    Imm(ImmStyle),
}

/// Which modifiers a source takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ModStyle {
    Fp,
    Fp16,
    Int,
    Int16,
    Opsel,
    Packed,
    Sext,
}

/// What an immediate field means, which decides how it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ImmStyle {
    A16,
    Abid,
    Bitop3,
    Blgp,
    Bytesel,
    Cbsz,
    Clamp,
    Cpol,
    D16,
    Da,
    Depctr,
    Dim,
    Dmask,
    Dpp16fi,
    Dpp8,
    Dpp8fi,
    DppCtrl,
    Dppbankmask,
    Dppboundctrl,
    Dpprowmask,
    DstSel,
    DstUnused,
    Endpgm,
    ExpCompr,
    ExpTgt,
    ExpVm,
    FlatOffsetS,
    FlatOffsetU,
    Format,
    Gds,
    Gpridxmode,
    Highmod,
    Hwreg,
    I16imm,
    I32imm,
    I8imm,
    Indexkey16bit,
    Indexkey32bit,
    Indexkey8bit,
    Interpattr,
    Interpattrchan,
    Interpslot,
    Kimmfp16,
    Kimmfp32,
    Kimmfp64,
    Lwe,
    Matrixafmt,
    Matrixareuse,
    Matrixascale,
    Matrixascalefmt,
    Matrixbfmt,
    Matrixbreuse,
    Matrixbscale,
    Matrixbscalefmt,
    NegHi,
    NegLo,
    Offset,
    Offset0,
    Offset1,
    Omod,
    OpSel,
    OpSelHi,
    Optsmemoffsetmod,
    R128a16,
    Raw,
    S16imm,
    Scalesel,
    Sdelayalu,
    Sendmsg,
    Smemoffset,
    Smemoffsetmod,
    Soppbrtarget,
    Splitbarrier,
    Src0Sel,
    Src1Sel,
    Swaitcnt,
    Swizzle,
    Tfe,
    U16imm,
    Unorm,
    Versionimm,
    Waitexp,
    Waitvavdst,
    Waitvdst,
    Waitvmvsrc,
}

/// One operand of a shape.
#[derive(Debug, PartialEq)]
pub struct OperandDef {
    /// The operand's name.
    pub field: Field,
    /// Read or written.
    pub access: Access,
    /// What the field's number means.
    pub kind: OperandKind,
    /// Width of the value in bits, 0 for modifier fields, [`MASK_BITS`] for a lane mask,
    /// [`IMAGE_BITS`] where other fields decide.
    pub bits: u16,
    /// How constants widen.
    pub ty: OperandType,
    /// Where its bits lie: (lowest bit in the instruction, lowest bit in the operand, width).
    pub spans: &'static [(u8, u8, u8)],
}

/// An operand as wide as a wave: one bit a lane.
pub const MASK_BITS: u16 = 0xffff;

/// An image operand whose register count follows from dmask, dim and the like.
pub const IMAGE_BITS: u16 = 0xfffe;

/// A matrix operand whose register count follows from its format (CBSZ and BLGP on CDNA 4,
/// MATRIX_A_FMT and MATRIX_B_FMT on CDNA 5).
pub const MATRIX_BITS: u16 = 0xfffd;

/// A piece of an assembly template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text as it stands.
    Text(&'static str),
    /// The operand at this position of the shape.
    Operand(u8),
    /// A source with its modifiers around it.
    Modified {
        /// Position of the modifiers.
        mods: u8,
        /// Position of the source.
        source: u8,
    },
    /// VCC, or its low half in wave32, which the instruction reads or writes without a field.
    Vcc,
    /// The list of an image instruction's addresses, from the operand at this position on.
    Addresses(u8),
    /// The mnemonic of a VOPD pair's second half.
    SecondName,
}

/// The register counts that an image instruction has forms for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ImageSizes {
    /// Bit `n`: `n` registers of data.
    pub data: u32,
    /// Bit `n`: `n` registers of addresses.
    pub addresses: u32,
    /// The form's registers of data where the fields ask for a count without a form.
    pub own_data: u8,
    /// The same for addresses.
    pub own_addresses: u8,
    /// Whether each address has a field of its own (NSA).
    pub list: bool,
}

/// Which sources op_sel, op_sel_hi, neg_lo and neg_hi list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sources {
    /// How many of src0, src1 and src2.
    pub count: u8,
    /// The positions of their modifiers, [`NO_MODS`] for a source without.
    pub mods: [u8; 3],
    /// Whether op_sel lists the destination too.
    pub dst: bool,
}

/// A source without modifiers in [`Sources`].
pub const NO_MODS: u8 = 0xff;

/// How a form differs where no halves of registers are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole {
    /// Bits that are zero there: all of them where there is no such form.
    pub zeros: [u32; 4],
    /// Whether op_sel is shown.
    pub op_sel: bool,
}

/// What a form of an instruction looks like apart from its name and opcode.
#[derive(Debug, PartialEq)]
pub struct Shape {
    /// The encoding's name, as in "ENC_VOP3" or "VOP2_VOP_DPP16".
    pub encoding: &'static str,
    /// The size in bytes without a literal that a source asks for.
    pub size: u8,
    /// The bits that a row fixes.
    pub mask: [u32; 4],
    /// The assembly template; `$name` stands for an operand.
    pub template: &'static str,
    /// The template cut at its operands.
    pub pieces: &'static [Piece],
    pub(crate) image: Option<ImageSizes>,
    /// What the packed modifiers list.
    pub sources: Sources,
    /// The form without halves of registers.
    pub whole: Whole,
    /// The operands, destinations first.
    pub operands: &'static [OperandDef],
}

/// A row of the instruction table: one instruction in one encoding.
#[derive(Debug)]
pub struct InstDef {
    /// The mnemonic without an encoding suffix, as in "v_add_f32". The two halves of a VOPD pair
    /// stand with " :: " between them.
    pub mnemonic: &'static str,
    pub(crate) alias: u16,
    /// The shape.
    pub shape: &'static Shape,
    /// The values of the bits in the shape's mask.
    pub value: [u32; 4],
    /// The opcode in the encoding's OP field.
    pub opcode: u16,
    /// Bit `t` is set where `Target::ALL[t]` has this row.
    pub targets: u16,
    /// Properties.
    pub flags: InstFlags,
    /// Registers read without being named.
    pub reads: Implicit,
    /// Registers written without being named.
    pub writes: Implicit,
    pub(crate) image: u8,
    /// 32 or 64 where the row holds for one wave size only, else 0.
    pub wave: u8,
}

impl InstDef {
    /// The encoding's name, as in "ENC_VOP3" or "VOP2_VOP_DPP16".
    pub fn encoding(&self) -> &'static str {
        self.shape.encoding
    }

    /// The operands, destinations first.
    pub fn operands(&self) -> &'static [OperandDef] {
        self.shape.operands
    }

    /// Other spellings of the mnemonic.
    pub fn aliases(&self) -> &'static [&'static str] {
        ALIASES[self.alias as usize]
    }

    /// Whether `target` has this row.
    pub fn has_target(&self, target: Target) -> bool {
        self.targets >> target.index() & 1 != 0
    }

    /// The position in [`rows`].
    pub fn index(&self) -> usize {
        (std::ptr::from_ref(self) as usize - ROWS.as_ptr() as usize) / size_of::<InstDef>()
    }
}

/// Every row of the table, every target's.
pub fn rows() -> &'static [InstDef] {
    &ROWS
}

include!(concat!(env!("OUT_DIR"), "/tables.rs"));
