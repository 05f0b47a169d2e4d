//! [`Inst`]: one decoded instruction, a small `Copy` value.

use crate::resolve;
use crate::table::{CANDIDATES, InstDef, LEAVES, OperandDef, ROWS, SLOTS};
use crate::{Field, Operand, OperandKind, OperandType, Target};

/// A decoded instruction.
#[derive(Clone, Copy, Debug)]
pub struct Inst {
    def: &'static InstDef,
    words: [u32; 5],
    target: Target,
    size: u8,
    wave64: bool,
}

/// The bytes are no instruction of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// There are fewer bytes than the instruction needs.
    #[error("the instruction is cut off: it needs {needed} bytes")]
    Truncated {
        /// The size of the instruction that the first bytes announce.
        needed: u8,
    },
    /// No row of the table matches, or an operand's number has no meaning.
    #[error("no such instruction")]
    Invalid,
}

/// Decodes for one target and wave size.
///
/// ```
/// use waveglass_isa::{Decoder, Target};
///
/// let inst = Decoder::new(Target::Gfx900).decode(&[0x01, 0x05, 0x06, 0x02]).unwrap();
/// assert_eq!(inst.mnemonic(), "v_add_f32");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Decoder {
    target: Target,
    wave64: bool,
}

/// Decodes the instruction at the start of `bytes` for the target's usual wave size.
///
/// # Errors
///
/// [`DecodeError`] when the bytes are no instruction of `target`.
pub fn decode(target: Target, bytes: &[u8]) -> Result<Inst, DecodeError> {
    Decoder::new(target).decode(bytes)
}

impl Decoder {
    /// A decoder for the target's usual wave size.
    pub fn new(target: Target) -> Self {
        Self {
            target,
            wave64: target.default_wave_size() == 64,
        }
    }

    /// Decodes for waves of 32 or 64 lanes; other sizes leave the decoder as it is.
    #[must_use]
    pub fn wave_size(mut self, lanes: u32) -> Self {
        match lanes {
            32 => self.wave64 = false,
            64 => self.wave64 = true,
            _ => {}
        }
        self
    }

    /// The target.
    pub fn target(&self) -> Target {
        self.target
    }

    /// Decodes the instruction at the start of `bytes`.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] when the bytes are no instruction of the target.
    #[inline]
    pub fn decode(&self, bytes: &[u8]) -> Result<Inst, DecodeError> {
        let mut words = [0u32; 5];
        let have = if let Some(all) = bytes.first_chunk::<20>() {
            for (w, b) in words.iter_mut().zip(all.chunks_exact(4)) {
                *w = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            }
            20
        } else {
            for (w, b) in words.iter_mut().zip(bytes.chunks_exact(4)) {
                *w = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            }
            bytes.len() & !3
        };
        if have == 0 {
            return Err(DecodeError::Truncated { needed: 4 });
        }
        let (shift, bits, base) = SLOTS[self.target.index()][(words[0] >> 23) as usize];
        let slot = base + (words[0] >> shift & ((1 << bits) - 1));
        let (start, len) = LEAVES[slot as usize];
        let mut error = DecodeError::Invalid;
        for &c in &CANDIDATES[start as usize..start as usize + len as usize] {
            let def = &ROWS[c as usize];
            let mask = &def.shape.mask;
            if words[0] & mask[0] != def.value[0]
                || words[1] & mask[1] != def.value[1]
                || (def.shape.size > 8
                    && (words[2] & mask[2] != def.value[2] || words[3] & mask[3] != def.value[3]))
            {
                continue;
            }
            if def.wave != 0 && (def.wave == 64) != self.wave64 {
                continue;
            }
            match self.finish(def, words, have) {
                Ok(inst) => return Ok(inst),
                Err(e) => {
                    error = e;
                    // The first half of a scaled matrix instruction is an instruction of its
                    // own, but not before the second half.
                    if def.shape.size == 16 {
                        break;
                    }
                }
            }
        }
        Err(error)
    }

    #[inline]
    fn finish(
        &self,
        def: &'static InstDef,
        words: [u32; 5],
        have: usize,
    ) -> Result<Inst, DecodeError> {
        let mut inst = Inst {
            def,
            words,
            target: self.target,
            size: def.shape.size,
            wave64: self.wave64,
        };
        if inst.size as usize > have {
            return Err(DecodeError::Truncated { needed: inst.size });
        }
        // An instruction without operands does not take the numbers that announce DPP and SDWA
        // for an unused source.
        if def.shape.operands.is_empty()
            && def.shape.size == 4
            && matches!(words[0] & 0x1ff, 0xe9 | 0xea | 0xf9 | 0xfa)
            && words[0] >> 25 == 0x3f
        {
            return Err(DecodeError::Invalid);
        }
        let mut literal = 0;
        for o in def.shape.operands {
            match resolve::check(&inst, o) {
                // One literal an instruction: of 32 bits or of 64 (CDNA5 ISA 4.1).
                Ok(bytes) if bytes != 0 && literal != 0 && bytes != literal => {
                    return Err(DecodeError::Invalid);
                }
                Ok(bytes) => literal = literal.max(bytes),
                Err(()) => return Err(DecodeError::Invalid),
            }
        }
        inst.size += literal;
        if inst.size as usize > have {
            return Err(DecodeError::Truncated { needed: inst.size });
        }
        for w in &mut inst.words[inst.size as usize / 4..] {
            *w = 0;
        }
        Ok(inst)
    }
}

impl Inst {
    pub(crate) fn from_parts(
        def: &'static InstDef,
        words: [u32; 5],
        target: Target,
        size: u8,
        wave64: bool,
    ) -> Self {
        Self {
            def,
            words,
            target,
            size,
            wave64,
        }
    }

    /// The target that it was decoded for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// 32 or 64: the wave size that it was decoded for.
    pub fn wave_size(&self) -> u32 {
        if self.wave64 { 64 } else { 32 }
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

    /// The `width` bits (at most 64) from bit `lo` of the instruction.
    #[inline]
    pub fn bits(&self, lo: u32, width: u32) -> u64 {
        let w = (lo / 32) as usize;
        let at = |i: usize| self.words.get(i).copied().unwrap_or(0) as u128;
        let v = (at(w) | at(w + 1) << 32 | at(w + 2) << 64) >> (lo % 32);
        (v as u64) & (u64::MAX >> (64 - width.min(64)))
    }

    /// The raw bits of an operand's field, gathered from wherever the encoding scatters them.
    #[inline]
    pub fn raw(&self, o: &OperandDef) -> u64 {
        let mut v = 0;
        for &(lo, at, width) in o.spans {
            v |= self.bits(lo as u32, width as u32) << at;
        }
        v
    }

    /// The raw bits of a field; 0 where the encoding has no such field. Not sign-extended.
    pub fn field(&self, field: Field) -> u64 {
        self.operand_def(field).map_or(0, |o| self.raw(o))
    }

    /// The operand, resolved to a register, constant, literal or immediate;
    /// `None` where the instruction has no such operand.
    pub fn operand(&self, field: Field) -> Option<Operand> {
        self.operand_def(field).and_then(|o| self.resolve(o))
    }

    /// The operand of an entry of the shape; `None` only for an entry of another shape.
    pub fn resolve(&self, o: &OperandDef) -> Option<Operand> {
        resolve::resolve(self, o)
    }

    /// The operands of the shape with their values, destinations first.
    pub fn operands(&self) -> impl Iterator<Item = (&'static OperandDef, Operand)> + '_ {
        self.def
            .shape
            .operands
            .iter()
            .filter_map(|o| Some((o, self.resolve(o)?)))
    }

    /// The shape's entry for an operand.
    #[inline]
    pub fn operand_def(&self, field: Field) -> Option<&'static OperandDef> {
        self.def.shape.operands.iter().find(|o| o.field == field)
    }

    /// The literal dwords that follow the instruction, if any.
    pub fn literal_words(&self) -> &[u32] {
        &self.words[self.def.shape.size as usize / 4..self.size as usize / 4]
    }

    /// The value of a constant operand (inline constant, literal or immediate) as the instruction
    /// reads it, widened to the operand's type and width; `None` for registers.
    pub fn constant(&self, field: Field) -> Option<u64> {
        let o = self.operand_def(field)?;
        Some(match self.resolve(o)? {
            Operand::InlineInt(i) => match o.ty {
                OperandType::PackedF16 | OperandType::PackedBf16 | OperandType::PackedInt16 => {
                    i as i32 as u32 as u64
                }
                _ if o.bits == 16 => i as i16 as u16 as u64,
                _ if o.bits == 64 => i as i64 as u64,
                _ => i as i32 as u32 as u64,
            },
            Operand::InlineFloat(f) => Operand::inline_float_bits(f, o.ty, o.bits as u32),
            Operand::Literal(l) => match (o.ty, o.bits) {
                (OperandType::Float, 64) => (l as u64) << 32,
                // Sign-extended in signed 64-bit integer operations, zero-extended in unsigned
                // and bitwise ones (RDNA3 ISA 4.1, "literal constant").
                (OperandType::Int, 64) if self.def.mnemonic.contains("_i64") => {
                    l as i32 as i64 as u64
                }
                _ => l as u64,
            },
            Operand::Literal64(l) => l,
            Operand::Imm(i) => i as u64,
            Operand::Reg(_) | Operand::Off => return None,
        })
    }

    /// The number of dwords that an operand covers.
    pub fn operand_dwords(&self, o: &OperandDef) -> u8 {
        resolve::dwords(self, o)
    }

    /// How many places of an image instruction's address list hold addresses.
    pub fn listed_addresses(&self) -> u8 {
        crate::image::listed(self)
    }

    /// The registers of data and of addresses that an image instruction's fields ask for,
    /// whether or not there is a form with so many; `None` for other instructions. Before gfx10
    /// the addresses do not follow from the fields.
    pub fn image_demand(&self) -> Option<(u8, Option<u8>)> {
        crate::image::demand(self)
    }

    /// Whether an operand's kind takes a literal.
    pub(crate) fn takes_literal(kind: OperandKind) -> bool {
        matches!(
            kind,
            OperandKind::SrcLit
                | OperandKind::SrcLitHalf
                | OperandKind::SrcLitLo
                | OperandKind::ScalarSrcLit
                | OperandKind::ScalarSrcLds
        )
    }
}
