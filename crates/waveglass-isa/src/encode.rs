//! Encoding: the other way through the table that [`decode`](crate::decode) reads.
//!
//! [`InstBits`] starts from a row's fixed bits; operands are put into the fields of the row's
//! shape, and [`InstBits::finish`] gives the [`Inst`] that the bytes decode to.

use crate::table::{MASK_BITS, MATRIX_BITS};
use crate::{
    Access, Field, Half, ImmStyle, Inst, InstDef, Operand, OperandDef, OperandKind, Reg, RegFile,
    Target,
};

/// Why an operand cannot stand in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// The field takes other operands.
    #[error("invalid operand")]
    Kind,
    /// The operand has another number of registers than the field asks for.
    #[error("the operand has {given} registers, {wanted} are needed")]
    Size {
        /// How many registers the field asks for.
        wanted: u8,
        /// How many the operand has.
        given: u8,
    },
    /// A register tuple that must start at a multiple of a number does not.
    #[error("the register tuple must start at a multiple of {0}")]
    Alignment(u8),
    /// The register number is past what the field holds.
    #[error("the register's number is out of range")]
    Range,
    /// The target has no such register.
    #[error("the target has no such register")]
    NoRegister,
    /// The instruction has a literal already, with another value.
    #[error("only one unique literal operand is allowed")]
    SecondLiteral,
    /// The form has no room for a literal.
    #[error("literal operands are not supported")]
    NoLiteral,
    /// The value does not fit the field.
    #[error("the value does not fit a field of {0} bits")]
    Width(u8),
}

/// An instruction under construction.
///
/// ```
/// use waveglass_isa::{Field, InstBits, Operand, Reg, RegFile, Target, rows};
///
/// let def = rows()
///     .iter()
///     .find(|r| r.mnemonic == "s_mov_b32" && r.has_target(Target::Gfx900))
///     .unwrap();
/// let mut bits = InstBits::new(def, Target::Gfx900, 64);
/// bits.set(Field::Sdst, Operand::Reg(Reg::new(RegFile::Sgpr, 3, 1))).unwrap();
/// bits.set(Field::Src0, Operand::InlineInt(5)).unwrap();
/// assert_eq!(bits.finish().words()[0], 0xbe83_0085);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct InstBits {
    def: &'static InstDef,
    words: [u32; 5],
    target: Target,
    wave64: bool,
    literal: Option<u64>,
    literal_bytes: u8,
}

impl InstBits {
    /// The row's fixed bits, all fields zero.
    #[inline]
    pub fn new(def: &'static InstDef, target: Target, wave_size: u32) -> Self {
        let [a, b, c, d] = def.value;
        Self {
            def,
            words: [a, b, c, d, 0],
            target,
            wave64: wave_size == 64,
            literal: None,
            literal_bytes: 0,
        }
    }

    /// The row.
    pub fn def(&self) -> &'static InstDef {
        self.def
    }

    /// The instruction's dwords so far, the literal among them.
    #[inline]
    pub fn words(&self) -> &[u32; 5] {
        &self.words
    }

    /// How many bytes the instruction has so far.
    #[inline]
    pub fn size(&self) -> usize {
        (self.def.shape.size + self.literal_bytes) as usize
    }

    /// Whether a literal stands behind the instruction.
    #[inline]
    pub fn has_literal(&self) -> bool {
        self.literal_bytes != 0
    }

    /// The literal that follows, if one does.
    pub fn literal(&self) -> Option<u64> {
        self.literal
    }

    /// Sets the raw bits of a field, wherever the encoding scatters them.
    #[inline]
    pub fn set_raw(&mut self, o: &OperandDef, raw: u64) {
        for &(lo, at, width) in o.spans {
            let (lo, width) = (lo as u32, width as u32);
            let ones = u64::MAX >> (64 - width.clamp(1, 64));
            let value = (raw >> at) & ones;
            let word = (lo / 32) as usize;
            let shift = lo % 32;
            // Most fields lie within one dword.
            if shift + width <= 32 {
                let ones = ones as u32;
                if let Some(w) = self.words.get_mut(word) {
                    *w = *w & !(ones << shift) | (value as u32) << shift;
                }
                continue;
            }
            let keep = !((ones as u128) << shift);
            let put = (value as u128) << shift;
            for i in 0..3 {
                if let Some(w) = self.words.get_mut(word + i) {
                    *w = *w & (keep >> (32 * i)) as u32 | (put >> (32 * i)) as u32;
                }
                if shift + width <= 32 * (i as u32 + 1) {
                    break;
                }
            }
        }
    }

    /// Sets bits of a field that already has others.
    #[inline]
    pub fn or_raw(&mut self, o: &OperandDef, raw: u64) {
        let all = self.raw(o) | raw;
        self.set_raw(o, all);
    }

    /// The raw bits of a field.
    pub fn raw(&self, o: &OperandDef) -> u64 {
        self.inst().raw(o)
    }

    /// Puts an operand into the field of that name; nothing where the row has no such field.
    ///
    /// # Errors
    ///
    /// [`EncodeError`] where the field cannot hold the operand.
    pub fn set(&mut self, field: Field, v: Operand) -> Result<(), EncodeError> {
        match self.def.shape.operands.iter().find(|o| o.field == field) {
            Some(o) => self.set_operand(o, v),
            None => Err(EncodeError::Kind),
        }
    }

    /// Puts an operand into a field of the row's shape.
    ///
    /// # Errors
    ///
    /// [`EncodeError`] where the field cannot hold the operand.
    #[inline]
    pub fn set_operand(&mut self, o: &OperandDef, v: Operand) -> Result<(), EncodeError> {
        match v {
            Operand::Reg(r) => {
                let raw = self.register(o, r)?;
                if r.half == Some(Half::Hi) {
                    self.name_half(o);
                }
                self.set_raw(o, raw);
            }
            Operand::InlineInt(i) => {
                let raw = match i {
                    0..=64 => 128 + i as u64,
                    -16..=-1 => (192 - i as i64) as u64,
                    _ => return Err(EncodeError::Kind),
                };
                self.set_constant(o, raw)?;
            }
            Operand::InlineFloat(s) => self.set_constant(o, s as u64)?,
            Operand::Literal(l) => match o.kind {
                OperandKind::Imm(ImmStyle::Kimmfp16 | ImmStyle::Kimmfp32) => {
                    self.set_raw(o, l as u64);
                }
                OperandKind::Imm(_) => return Err(EncodeError::Kind),
                _ => {
                    self.set_literal(l as u64, 4)?;
                    self.set_literal_selector(o, 255)?;
                }
            },
            Operand::Literal64(l) => match o.kind {
                OperandKind::Imm(ImmStyle::Kimmfp64) => self.set_raw(o, l),
                OperandKind::Imm(_) => return Err(EncodeError::Kind),
                _ => {
                    self.set_literal(l, 8)?;
                    self.set_literal_selector(o, 254)?;
                }
            },
            Operand::Imm(i) => {
                let width: u32 = o.spans.iter().map(|s| s.2 as u32).sum();
                if width < 64 && i >> width != 0 && i >> (width.max(1) - 1) != -1 {
                    return Err(EncodeError::Width(width as u8));
                }
                self.set_raw(o, i as u64);
            }
            Operand::Off => {
                if o.kind != OperandKind::VgprExport {
                    return Err(EncodeError::Kind);
                }
            }
        }
        Ok(())
    }

    /// Sets bits that no field covers.
    pub fn or_words(&mut self, bits: [u32; 4]) {
        for (w, b) in self.words.iter_mut().zip(bits) {
            *w |= b;
        }
    }

    /// Announces the constant inside the instruction (v_madmk and its kin) that a source which
    /// asks for a literal shares.
    ///
    /// # Errors
    ///
    /// [`EncodeError::SecondLiteral`] where a source has another literal.
    pub fn share_constant(&mut self, v: u64) -> Result<(), EncodeError> {
        match self.literal {
            Some(have) if have != v => Err(EncodeError::SecondLiteral),
            _ => {
                self.literal = Some(v);
                Ok(())
            }
        }
    }

    fn set_literal(&mut self, l: u64, bytes: u8) -> Result<(), EncodeError> {
        let size = self.def.shape.size;
        // v_madmk and its kin have one literal, which a source may share (RDNA3 ISA 7.2.2.3).
        if size >= 8
            && let Some(imm) = self
                .def
                .shape
                .operands
                .iter()
                .find(|o| o.field == Field::Imm)
        {
            if self.literal.is_some_and(|have| have != l) {
                return Err(EncodeError::SecondLiteral);
            }
            self.literal = Some(l);
            self.set_raw(imm, l);
            return Ok(());
        }
        let none = match size {
            // VOP3 takes literals from RDNA 1 on, of 32 bits (RDNA1 ISA 6.2.1, CDNA5 ISA 4.1).
            8 => self.target.is_gfx9() || bytes == 8 && self.def.shape.encoding.contains("VOP3"),
            n => n > 12,
        };
        if none {
            return Err(EncodeError::NoLiteral);
        }
        match self.literal {
            Some(have) if have != l || bytes != self.literal_bytes => {
                return Err(EncodeError::SecondLiteral);
            }
            _ => {}
        }
        self.literal = Some(l);
        self.literal_bytes = bytes;
        let at = size as usize / 4;
        if let Some(w) = self.words.get_mut(at) {
            *w = l as u32;
        }
        if bytes == 8
            && let Some(w) = self.words.get_mut(at + 1)
        {
            *w = (l >> 32) as u32;
        }
        Ok(())
    }

    fn set_literal_selector(&mut self, o: &OperandDef, raw: u64) -> Result<(), EncodeError> {
        if !Inst::takes_literal(o.kind) || raw == 254 && !self.target.has_gfx1250_insts() {
            return Err(EncodeError::NoLiteral);
        }
        self.set_raw(o, raw);
        Ok(())
    }

    fn set_constant(&mut self, o: &OperandDef, raw: u64) -> Result<(), EncodeError> {
        use OperandKind::*;
        match o.kind {
            ScalarSrcLit | ScalarSrc | ScalarSrcLds | SrcLit | Src | SrcLitHalf | SrcLitLo
            | SrcHalf | VgprOrInline | AgprOrInline => self.set_raw(o, raw),
            SdwaSrc => {
                self.set_raw(o, raw | 256);
            }
            _ => return Err(EncodeError::Kind),
        }
        Ok(())
    }

    /// Sets the op_sel bit that names the high half.
    fn name_half(&mut self, o: &OperandDef) {
        let (field, bit) = match o.kind {
            OperandKind::VgprHalf
            | OperandKind::VgprSrcHalf
            | OperandKind::SrcLitHalf
            | OperandKind::SrcHalf => match o.field {
                Field::Src0 => (Field::Src0Modifiers, 4),
                Field::Src1 => (Field::Src1Modifiers, 4),
                Field::Src2 => (Field::Src2Modifiers, 4),
                _ => (Field::Src0Modifiers, 8),
            },
            _ => return,
        };
        if let Some(m) = self.def.shape.operands.iter().find(|m| m.field == field) {
            self.or_raw(m, bit);
        }
    }

    /// How many registers the field asks for, by the fields set so far.
    pub fn dwords(&self, o: &OperandDef) -> u8 {
        match o.bits {
            MASK_BITS => 1 + self.wave64 as u8,
            bits if bits < MATRIX_BITS => bits.div_ceil(32).max(1) as u8,
            _ => self.inst().operand_dwords(o),
        }
    }

    /// The number that stands for a register in a field.
    #[inline]
    fn register(&self, o: &OperandDef, r: Reg) -> Result<u64, EncodeError> {
        use OperandKind::*;
        // Image and matrix operands are measured when all fields are known.
        let wanted = if o.bits == crate::IMAGE_BITS || o.bits == MATRIX_BITS {
            r.dwords
        } else {
            self.dwords(o)
        };
        let index = r.index as u64;
        let vector = matches!(r.file, RegFile::Vgpr | RegFile::Agpr);
        if vector {
            if r.dwords != wanted {
                return Err(EncodeError::Size {
                    wanted,
                    given: r.dwords,
                });
            }
            let last = index + r.dwords as u64;
            if index > 255 || last > 256 && !self.target.has_gfx1250_insts() {
                return Err(EncodeError::Range);
            }
            if wanted > 1
                && index & 1 != 0
                && self.target.has_aligned_vgprs()
                && !matches!(o.kind, VgprUnaligned | VgprOrAgprUnaligned)
            {
                return Err(EncodeError::Alignment(2));
            }
        }
        let vgpr = r.file == RegFile::Vgpr;
        let agpr = r.file == RegFile::Agpr;
        let low = || {
            if index < 128 {
                Ok(index | ((r.half == Some(Half::Hi)) as u64) << 7)
            } else {
                Err(EncodeError::Range)
            }
        };
        let takes_half = matches!(
            o.kind,
            VgprLo | VgprHalf | VgprSrcHalf | VgprSrcLo | SrcLitHalf | SrcLitLo | SrcHalf
        );
        if r.half.is_some() && !takes_half {
            return Err(EncodeError::Kind);
        }
        match o.kind {
            Vgpr | VgprUnaligned | VgprHalf | VgprExport if vgpr => Ok(index),
            VgprLo if vgpr => low(),
            VgprOrAgpr | VgprOrAgprUnaligned if vgpr => Ok(index),
            VgprOrAgpr | VgprOrAgprUnaligned if agpr => Ok(index | 0x200),
            Agpr if agpr => Ok(index),
            VgprOrAgprSrc if vgpr => Ok(index | 0x100),
            VgprOrAgprSrc if agpr => Ok(index | 0x300),
            AgprSrc | AgprOrInline if agpr => Ok(index | 0x100),
            VgprSrc | VgprSrcHalf | SrcLitHalf | SrcHalf | SrcLit | Src | VgprSrcLds
            | VgprOrInline
                if vgpr =>
            {
                Ok(index | 0x100)
            }
            VgprSrcLo | SrcLitLo if vgpr => Ok(low()? | 0x100),
            SdwaSrc if vgpr => Ok(index),
            _ if vector => Err(EncodeError::Kind),
            SdwaDst => match self.scalar(o, r, wanted)? {
                106 => Ok(0),
                n => Ok(n | 0x80),
            },
            Scalar => {
                if !register_fits(o, r, wanted) || r.file == RegFile::FlatScratchBase {
                    return Err(EncodeError::Kind);
                }
                self.scalar(o, r, wanted)
            }
            ScalarExcept {
                m0,
                exec,
                exec_hi,
                null,
            } => {
                let no = match r.file {
                    RegFile::M0 => m0,
                    RegFile::Exec => exec || exec_hi && r.index == 1,
                    RegFile::Null => null,
                    _ => !register_fits(o, r, wanted),
                };
                if no {
                    return Err(EncodeError::Kind);
                }
                self.scalar(o, r, wanted)
            }
            SdwaSrc => Ok(self.scalar(o, r, wanted)? | 256),
            VgprSrcLds if r.file == RegFile::LdsDirect => self.scalar(o, r, wanted),
            ScalarSrc | ScalarSrcLit if r.file == RegFile::LdsDirect => Err(EncodeError::Kind),
            ScalarSrcLit | ScalarSrc | ScalarSrcLds | SrcLit | Src | SrcLitHalf | SrcLitLo
            | SrcHalf => self.scalar(o, r, wanted),
            _ => Err(EncodeError::Kind),
        }
    }

    /// The selector of a scalar register.
    fn scalar(&self, o: &OperandDef, r: Reg, wanted: u8) -> Result<u64, EncodeError> {
        use RegFile::*;
        let target = self.target;
        let gfx9 = target.is_gfx9();
        let gfx11 = target.major() >= 11;
        // A 32-bit name where 64 bits are read, and the other way round, is another operand;
        // special sources have one name for both.
        let exact = |code: u64| {
            if r.dwords == wanted {
                Ok(code)
            } else {
                Err(EncodeError::Size {
                    wanted,
                    given: r.dwords,
                })
            }
        };
        let any = |code: u64| {
            if wanted <= 2 {
                Ok(code)
            } else {
                Err(EncodeError::Kind)
            }
        };
        let pair = |first: u64| {
            if r.dwords == 2 && r.index != 0 {
                return Err(EncodeError::Kind);
            }
            exact(first + r.index as u64)
        };
        let numbered = |first: u64, count: u64| {
            let code = exact(first + r.index as u64)?;
            let n = r.dwords as u64;
            if r.index as u64 + n > count {
                return Err(EncodeError::Range);
            }
            let align = match n {
                1 => 1,
                2 => 2,
                _ => 4,
            };
            if !(r.index as u64).is_multiple_of(align) {
                return Err(EncodeError::Alignment(align as u8));
            }
            Ok(code)
        };
        let null = |code: u64| match wanted {
            _ if gfx9 => Err(EncodeError::NoRegister),
            // Descriptors are not null; data of scalar memory instructions of any size may be.
            _ if wanted > 2
                && (self.def.shape.encoding != "ENC_SMEM" || o.field == Field::Sbase) =>
            {
                Err(EncodeError::Kind)
            }
            _ => Ok(code),
        };
        match r.file {
            Sgpr => numbered(0, if target.major() >= 10 { 106 } else { 102 }),
            Ttmp => numbered(108, 16),
            Vcc => pair(106),
            Exec => pair(126),
            FlatScratch if gfx9 => pair(102),
            XnackMask if gfx9 => pair(104),
            FlatScratchBase if target.has_gfx1250_insts() => match (r.dwords, wanted) {
                (1, 2) if r.index == 0 => Ok(230),
                _ => pair(230),
            },
            M0 if wanted == 1 => Ok(if gfx11 { 125 } else { 124 }),
            M0 => Err(EncodeError::Size { wanted, given: 1 }),
            Null => null(if gfx11 { 124 } else { 125 }),
            SharedBase => any(235),
            SharedLimit => any(236),
            PrivateBase => any(237),
            PrivateLimit => any(238),
            PopsExitingWaveId if target.major() < 11 => any(239),
            Vccz if target.major() < 11 => any(251),
            Execz if target.major() < 11 => any(252),
            Scc => any(253),
            LdsDirect if target.major() <= 10 => {
                if wanted == 1
                    && !matches!(o.kind, OperandKind::ScalarSrcLit | OperandKind::ScalarSrc)
                {
                    Ok(254)
                } else {
                    Err(EncodeError::Kind)
                }
            }
            Vgpr | Agpr => Err(EncodeError::Kind),
            _ => Err(EncodeError::NoRegister),
        }
    }

    fn inst(&self) -> Inst {
        Inst::from_parts(
            self.def,
            self.words,
            self.target,
            self.def.shape.size + self.literal_bytes,
            self.wave64,
        )
    }

    /// The instruction.
    #[inline]
    pub fn finish(&self) -> Inst {
        self.inst()
    }
}

/// Whether a field for registers takes what only sources of the ALUs read: where it is read, the
/// bits of the status register of 32 bits; never an aperture or a value from LDS.
fn register_fits(o: &OperandDef, r: Reg, wanted: u8) -> bool {
    let read = o.access == Access::Read;
    match r.file {
        RegFile::LdsDirect => false,
        RegFile::FlatScratchBase => read,
        // Behind a memory instruction this is a cache policy.
        RegFile::Scc => false,
        RegFile::SharedBase
        | RegFile::SharedLimit
        | RegFile::PrivateBase
        | RegFile::PrivateLimit => false,
        _ => !is_source_only(r) || read && wanted == 1,
    }
}

fn is_source_only(r: Reg) -> bool {
    matches!(
        r.file,
        RegFile::Scc
            | RegFile::Vccz
            | RegFile::Execz
            | RegFile::SharedBase
            | RegFile::SharedLimit
            | RegFile::PrivateBase
            | RegFile::PrivateLimit
            | RegFile::PopsExitingWaveId
            | RegFile::FlatScratchBase
    )
}
