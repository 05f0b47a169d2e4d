//! Operands as they come out of an instruction: registers, inline constants, literals, immediates.

/// What a register number counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegFile {
    /// Vector registers `v0…`.
    Vgpr,
    /// Accumulation registers `a0…` (CDNA 1 to 4).
    Agpr,
    /// Scalar registers `s0…`.
    Sgpr,
    /// Trap handler scalar registers `ttmp0…`.
    Ttmp,
    /// `vcc`: index 0 is `vcc_lo`, 1 is `vcc_hi`.
    Vcc,
    /// `exec`: index 0 is `exec_lo`, 1 is `exec_hi`.
    Exec,
    /// `flat_scratch` as an SGPR pair (gfx9).
    FlatScratch,
    /// `xnack_mask` (gfx9).
    XnackMask,
    /// `m0`.
    M0,
    /// `null`: reads zero, writes are dropped (gfx10 and later).
    Null,
    /// `scc` as a source: 0 or 1.
    Scc,
    /// `vccz` as a source: 1 when VCC is zero.
    Vccz,
    /// `execz` as a source: 1 when EXEC is zero.
    Execz,
    /// `src_shared_base`: the LDS aperture's first address, 64 bits.
    SharedBase,
    /// `src_shared_limit`.
    SharedLimit,
    /// `src_private_base`: the scratch aperture's first address, 64 bits.
    PrivateBase,
    /// `src_private_limit`.
    PrivateLimit,
    /// `src_flat_scratch_base_lo`/`_hi` (CDNA 5).
    FlatScratchBase,
    /// `src_pops_exiting_wave_id`.
    PopsExitingWaveId,
    /// `src_lds_direct`: a broadcast from LDS at M0 (gfx9, gfx10).
    LdsDirect,
}

/// Which half of a 32-bit register a 16-bit operand names (gfx11 and later).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Half {
    /// Bits 15:0.
    Lo,
    /// Bits 31:16.
    Hi,
}

/// One register or a run of consecutive ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg {
    /// The file that `index` counts in.
    pub file: RegFile,
    /// The first register.
    pub index: u16,
    /// How many consecutive 32-bit registers.
    pub dwords: u8,
    /// The half, for 16-bit operands of true16 instructions.
    pub half: Option<Half>,
}

impl Reg {
    /// A run of `dwords` registers from `index`.
    pub const fn new(file: RegFile, index: u16, dwords: u8) -> Self {
        Self {
            file,
            index,
            dwords,
            half: None,
        }
    }
}

/// The type that an operand is read or written as. It decides how constants widen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperandType {
    /// Bits without an interpretation, of the operand's width.
    Bits,
    /// Integers (sign makes no difference to how constants widen).
    Int,
    /// IEEE binary16, binary32 or binary64, by the operand's width.
    Float,
    /// bfloat16.
    Bf16,
    /// Two packed 16-bit integers.
    PackedInt16,
    /// Two packed IEEE binary16.
    PackedF16,
    /// Two packed IEEE binary16, where a constant stands for both.
    PackedF16Splat,
    /// Two packed IEEE binary16 that take no inline constants.
    PackedF16NoInline,
    /// Two packed bfloat16.
    PackedBf16,
    /// Two packed IEEE binary32.
    PackedF32,
    /// Two packed 32-bit integers.
    PackedInt32,
}

/// An operand of a decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand {
    /// A register or run of registers.
    Reg(Reg),
    /// An inline integer constant, -16 to 64.
    InlineInt(i8),
    /// An inline floating-point constant by its selector: 240 (0.5), 241 (-0.5), 242 (1.0),
    /// 243 (-1.0), 244 (2.0), 245 (-2.0), 246 (4.0), 247 (-4.0), 248 (1/(2*pi)).
    InlineFloat(u8),
    /// A 32-bit literal that follows the instruction (or sits in it, for `v_madmk` and its kin).
    Literal(u32),
    /// A 64-bit literal (CDNA 5).
    Literal64(u64),
    /// An immediate field, sign-extended where the field is signed.
    Imm(i64),
    /// The operand is absent: `off`.
    Off,
}

impl Operand {
    /// The bits of an inline floating-point constant as `ty` of `bits` bits reads it.
    ///
    /// 1/(2*pi) is 0x3118 in binary16, 0x3e22 in bfloat16, 0x3e22f983 in binary32 and
    /// 0x3fc45f306dc9c882 in binary64 (Vega ISA 6.2.2, table of instruction operands).
    pub const fn inline_float_bits(selector: u8, ty: OperandType, bits: u32) -> u64 {
        let i = (selector - 240) as usize;
        const F16: [u16; 9] = [
            0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
        ];
        const BF16: [u16; 9] = [
            0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x4080, 0xc080, 0x3e22,
        ];
        const F32: [u32; 9] = [
            0x3f00_0000,
            0xbf00_0000,
            0x3f80_0000,
            0xbf80_0000,
            0x4000_0000,
            0xc000_0000,
            0x4080_0000,
            0xc080_0000,
            0x3e22_f983,
        ];
        const F64: [u64; 9] = [
            0x3fe0_0000_0000_0000,
            0xbfe0_0000_0000_0000,
            0x3ff0_0000_0000_0000,
            0xbff0_0000_0000_0000,
            0x4000_0000_0000_0000,
            0xc000_0000_0000_0000,
            0x4010_0000_0000_0000,
            0xc010_0000_0000_0000,
            0x3fc4_5f30_6dc9_c882,
        ];
        match (ty, bits) {
            (OperandType::Bf16 | OperandType::PackedBf16, _) => BF16[i] as u64,
            (
                OperandType::PackedF16
                | OperandType::PackedF16Splat
                | OperandType::PackedF16NoInline,
                _,
            ) => F16[i] as u64,
            (OperandType::Float, 16) => F16[i] as u64,
            (OperandType::Float | OperandType::Int | OperandType::Bits, 64) => F64[i],
            (OperandType::Int | OperandType::Bits, 16) => F16[i] as u64,
            _ => F32[i] as u64,
        }
    }
}
