//! The setting of a wave.

use waveglass_isa::{Field, Inst, Target};

/// What a kernel may ask about its wave: MODE and the target's generation. It comes as the `mask`
/// of operations that take no mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting(pub u64);

impl Setting {
    /// Packs the setting of a wave.
    pub fn of(wave: &crate::wave::Wave) -> Self {
        Self(Self::of_target(wave.target) | u64::from(wave.mode.0))
    }

    /// The part that only the target makes, above MODE's 32 bits.
    pub fn of_target(target: Target) -> u64 {
        let cdna = target.is_gfx9() && target.has_gfx90a_insts();
        let rdna3 = target.generation() == waveglass_isa::Generation::Rdna3;
        let rdna4 = target.generation() == waveglass_isa::Generation::Rdna4;
        u64::from(target.major()) << 32
            | u64::from(cdna) << 46
            | u64::from(rdna3) << 47
            | u64::from(rdna4) << 48
    }

    /// What an instruction of `MaskUse::Selection` adds: OP_SEL in bits 43:40, in 44 the clamp bit of CDNA 5,
    /// where it means E5M3 (CDNA5 ISA 7.6.3), and in 45 whether its 8-bit floats are the FNUZ kind. A byte select of its own stands in
    /// both halves of OP_SEL.
    pub fn selection(inst: &Inst) -> u64 {
        let op_sel = if inst.operand_def(Field::ByteSel).is_some() {
            let byte = inst.field(Field::ByteSel) & 3;
            byte | byte << 2
        } else {
            let bit = |f, n: u64| inst.field(f) >> n & 1;
            bit(Field::Src0Modifiers, 2)
                | bit(Field::Src1Modifiers, 2) << 1
                | bit(Field::Src2Modifiers, 2) << 2
                | bit(Field::Src0Modifiers, 3) << 3
        };
        let fnuz = inst.target() == Target::Gfx942;
        let e5m3 = inst.field(Field::Clamp) & u64::from(inst.target().has_gfx1250_insts());
        op_sel << 40 | e5m3 << 44 | (fnuz as u64) << 45
    }

    /// The byte that OP_SEL bits 1:0 name of a source.
    #[inline(always)]
    pub fn source_byte(self) -> u64 {
        self.0 >> 40 & 3
    }

    /// The byte that OP_SEL bits 3:2 name of the result.
    #[inline(always)]
    pub fn result_byte(self) -> u64 {
        self.0 >> 42 & 3
    }

    /// The clamp bit of an instruction that makes its own use of it.
    #[inline(always)]
    pub fn clamp(self) -> bool {
        self.0 >> 44 & 1 != 0
    }

    /// Whether 8-bit floats have no infinities and no minus zero (gfx942).
    #[inline(always)]
    pub fn fnuz(self) -> bool {
        self.0 >> 45 & 1 != 0
    }

    /// The target's major version.
    #[inline(always)]
    pub fn major(self) -> u64 {
        self.0 >> 32 & 0xff
    }

    /// Whether float dot products flush denormals whatever MODE says (CDNA2 ISA 6.4: "They always
    /// flush input and output denorms"; CDNA3 and CDNA4 alike).
    #[inline(always)]
    pub fn flushes_dot(self) -> bool {
        self.0 >> 46 & 1 != 0
    }

    /// Whether cube map operations and `v_fma_dx9_zero_f32` "flush input and output denorms" whatever MODE says
    /// (RDNA4 ISA 7.2.4; the other manuals do not).
    #[inline(always)]
    pub fn flushes_graphics(self) -> bool {
        self.0 >> 48 & 1 != 0
    }

    /// Whether 16-bit dot products add the third source last: on RDNA 3 alone; RDNA 3.5 and 4 begin
    /// with it (V_DOT2_F16_F16 in RDNA3 ISA 16.12, RDNA3.5 and RDNA4 ISA).
    #[inline(always)]
    pub fn adds_last(self) -> bool {
        self.0 >> 47 & 1 != 0
    }

    /// MODE.
    #[inline(always)]
    pub fn mode(self) -> crate::wave::Mode {
        crate::wave::Mode(self.0 as u32)
    }

    /// Whether signalling NaN sources of minimum and maximum are returned quieted.
    #[inline(always)]
    pub fn ieee(self) -> bool {
        self.mode().ieee()
    }
}
