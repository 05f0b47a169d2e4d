//! Source modifiers: neg, abs, sign extension, halves, SDWA selects, packed swizzles.

use super::kernel::{Setting, Ty, in_builds};
use super::ways::{Bits, Way};
use crate::alu::mix;
use crate::program::Compile;
use crate::wave::Mode;
use waveglass_isa::{Field, Half, ModStyle, Operand, OperandKind};

/// Which part of a register a source or result is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    #[default]
    Whole,
    /// Byte 0 to 3.
    Byte(u8),
    /// Word 0 or 1.
    Word(u8),
}

impl Part {
    /// An SDWA select: 0-3 bytes, 4-5 words, 6 the dword (Vega ISA 13.3.6, "SDWA").
    pub fn of_sdwa(sel: u64) -> Self {
        match sel {
            0..=3 => Part::Byte(sel as u8),
            4 | 5 => Part::Word(sel as u8 - 4),
            _ => Part::Whole,
        }
    }

    /// The part's lowest bit and its width.
    pub(super) fn place(self) -> (u32, u32) {
        match self {
            Part::Byte(b) => (8 * u32::from(b), 8),
            Part::Word(w) => (16 * u32::from(w), 16),
            Part::Whole => (0, 32),
        }
    }
}

/// What happens to a source between its register and the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceMods {
    neg: bool,
    abs: bool,
    sext: bool,
    part: Part,
    /// Packed operands: (half for the low result, half for the high result, negate low, negate high).
    packed: Option<(bool, bool, bool, bool)>,
    /// `v_fma_mix`: the source is a binary16 half.
    mix_half: bool,
}

fn modifier_field(field: Field, position: usize) -> [Field; 1] {
    [match field {
        Field::Src0X => Field::Src0XModifiers,
        Field::Vsrc1X => Field::Vsrc1XModifiers,
        Field::Vsrc2X => Field::Vsrc2XModifiers,
        Field::Src0Y => Field::Src0YModifiers,
        Field::Vsrc1Y => Field::Vsrc1YModifiers,
        Field::Vsrc2Y => Field::Vsrc2YModifiers,
        Field::Src0 => Field::Src0Modifiers,
        Field::Src1 => Field::Src1Modifiers,
        Field::Src2 => Field::Src2Modifiers,
        _ => match position {
            0 => Field::Src0Modifiers,
            1 => Field::Src1Modifiers,
            _ => Field::Src2Modifiers,
        },
    }]
}

/// The part of its source that shifts `v_alignbit_b32` and its kin: a half by OP_SEL[2] from gfx11 on (RDNA3 ISA
/// 7.2.2, "Opcodes usable with OPSEL"; LLVM's operand is a 16-bit register). Before, OP_SEL[1:0] selects a byte, which
/// LLVM's tables tell and no manual.
fn shift_part(inst: &waveglass_isa::Inst) -> Part {
    let op_sel = Setting::selection(inst) >> 40 & 0xf;
    match inst.target().major() {
        11.. if op_sel & 4 != 0 => Part::Word(1),
        11.. => Part::Whole,
        _ if op_sel & 3 != 0 => Part::Byte(op_sel as u8 & 3),
        _ => Part::Whole,
    }
}

impl SourceMods {
    /// The modifiers of the source in `field`.
    pub fn of(c: &Compile<'_>, position: usize, ty: Ty, field: Field) -> Self {
        let mut m = Self::default();
        let inst = c.inst;
        if position == 2 && matches!(inst.mnemonic(), "v_alignbit_b32" | "v_alignbyte_b32") {
            m.part = shift_part(inst);
        }
        let [modifiers] = modifier_field(field, position);
        let bits = inst.field(modifiers);
        if let Some(o) = inst.operand_def(modifiers)
            && let OperandKind::Mods(style) = o.kind
        {
            let is_float = ty.is_float();
            match style {
                ModStyle::Packed => {
                    if matches!(
                        ty,
                        Ty::PkB16 | Ty::PkF16 | Ty::PkBf16 | Ty::PkF32 | Ty::PkB32
                    ) {
                        let p = (bits & 4 != 0, bits & 8 != 0, bits & 1 != 0, bits & 2 != 0);
                        if p != (false, true, false, false) {
                            m.packed = Some(p);
                        }
                    } else if is_float || ty == Ty::B32 {
                        // Dot products' accumulators and v_fma_mix take neg and abs.
                        m.neg = bits & 1 != 0 && is_float;
                        m.abs = bits & 2 != 0 && is_float;
                    }
                }
                // SEXT is bit 4 of an SDWA source's modifiers, behind neg, abs and OP_SEL.
                ModStyle::Sext => m.sext = bits & 16 != 0,
                ModStyle::Fp | ModStyle::Fp16 => {
                    m.neg = bits & 1 != 0;
                    m.abs = bits & 2 != 0;
                }
                ModStyle::Int | ModStyle::Int16 | ModStyle::Opsel => {}
            }
            if ty.is_mix() {
                m.neg = bits & 1 != 0;
                m.abs = bits & 2 != 0;
                m.mix_half = bits & 8 != 0;
                m.part = if bits & 4 != 0 {
                    Part::Word(1)
                } else {
                    Part::Word(0)
                };
                return m;
            }
            if ty.is_half() && !matches!(style, ModStyle::Packed) && bits & 4 != 0 {
                m.part = Part::Word(1);
            }
        }
        // Halves that the register's own name carries (true16).
        if let Some(Operand::Reg(r)) = inst.operand(field)
            && r.half == Some(Half::Hi)
        {
            m.part = Part::Word(1);
        }
        let sel = match position {
            0 => inst.operand_def(Field::Src0Sel),
            1 => inst.operand_def(Field::Src1Sel),
            _ => None,
        };
        if let Some(o) = sel {
            m.part = Part::of_sdwa(inst.raw(o));
            // SDWA's neg and abs act on the selected part as the operand's type; a 16-bit operand
            // in word 0 is the whole as far as the kernel sees.
            if ty.is_half() && matches!(m.part, Part::Word(0) | Part::Whole) && !m.sext {
                m.part = Part::Whole;
            }
        }
        m
    }

    /// The accumulator of `v_fmac_f16` and its kin: the destination's own half.
    pub fn of_accumulator(c: &Compile<'_>, ty: Ty, dst: Field) -> Self {
        let mut m = Self::default();
        if ty.is_half()
            && let Some(Operand::Reg(r)) = c.inst.operand(dst)
            && r.half == Some(Half::Hi)
        {
            m.part = Part::Word(1);
        }
        // v_fmac in its long form may negate the accumulator.
        if let Some(o) = c.inst.operand_def(Field::Src2Modifiers) {
            let bits = c.inst.raw(o);
            m.neg = bits & 1 != 0 && ty.is_float();
            m.abs = bits & 2 != 0 && ty.is_float();
        }
        m
    }

    /// The upper half of a register.
    pub(super) fn upper_half() -> Self {
        Self {
            part: Part::Word(1),
            ..Self::default()
        }
    }

    /// The half that `v_fma_mix` takes of a register, where it takes one.
    pub(super) fn mixed_half(&self, register: u32) -> Option<u16> {
        let shift = if self.part == Part::Word(1) { 16 } else { 0 };
        self.mix_half.then_some((register >> shift) as u16)
    }

    /// Whether a source of `v_fma_mix` is a half of its register.
    pub(super) fn takes_half(&self) -> bool {
        self.mix_half
    }

    /// Nothing to do.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// What [`apply`](Self::apply) does to a source of a type under MODE's defaults, in one step.
    pub(super) fn way(&self, ty: Ty) -> Way {
        let sign = match ty {
            Ty::PkF16 | Ty::PkBf16 => 0x8000_8000,
            Ty::F16 | Ty::Bf16 | Ty::B16 => 0x8000,
            _ => 0x8000_0000,
        };
        let flip = if self.neg { sign } else { 0 };
        let keep = if self.abs { !sign } else { u32::MAX };
        let upper = self.part == Part::Word(1);
        let bits = |left, right, kept: u32| Bits {
            left,
            right,
            keep: kept & keep,
            flip,
        };
        match (ty, self.packed) {
            (Ty::Mix, _) if self.mix_half => {
                return Way::Widened(Bits {
                    right: if upper { 16 } else { 0 },
                    ..bits(0, 0, u32::MAX)
                });
            }
            // A bfloat16 is the upper half of a single.
            (Ty::MixBf16, _) if self.mix_half => {
                return Way::of(match upper {
                    true => bits(0, 0, 0xffff_0000),
                    false => bits(16, 0, u32::MAX),
                });
            }
            (Ty::Mix | Ty::MixBf16, _) => return Way::of(bits(0, 0, u32::MAX)),
            (Ty::PkF32 | Ty::PkB32, Some((low, high, neg_low, neg_high))) => {
                let flip = |neg| match ty {
                    Ty::PkF32 => u32::from(neg) << 31,
                    _ => 0,
                };
                return Way::Pair {
                    low,
                    high,
                    flip: [flip(neg_low), flip(neg_high)],
                };
            }
            (_, Some((low, high, neg_low, neg_high))) => {
                let negated = match ty {
                    Ty::PkF16 | Ty::PkBf16 => u32::from(neg_low) << 15 | u32::from(neg_high) << 31,
                    _ => 0,
                };
                return Way::Halves {
                    low: if low { 16 } else { 0 },
                    high: if high { 16 } else { 0 },
                    keep,
                    flip: negated & keep ^ flip,
                };
            }
            (Ty::F64 | Ty::B64, None) => return Way::double(keep, flip),
            _ => {}
        }
        // What is extended with its sign comes so from the shift, what with zeros is cut off.
        let (left, width) = match self.part {
            Part::Whole => return Way::of(bits(0, 0, u32::MAX)),
            Part::Byte(b) => (24 - 8 * u32::from(b), 8),
            Part::Word(w) => (16 - 16 * u32::from(w), 16),
        };
        let kept = if self.sext {
            u32::MAX
        } else {
            (1 << width) - 1
        };
        Way::of(bits(left, 32 - width, kept))
    }

    /// Acts on the lanes of a temporary that holds the source.
    #[inline(always)]
    pub fn apply(&self, regs: &mut [u32], n: usize, ty: Ty, mode: Mode) {
        if ty.is_mix() {
            let upper = self.part == Part::Word(1);
            // A half answers to its own type's field of MODE before it is widened.
            let (half, flush) = match (self.mix_half, ty) {
                (true, Ty::Mix) => (Ty::PkF16, !mode.denorm_f16_f64_in()),
                (true, _) => (Ty::PkBf16, !mode.denorm_f16_f64_in()),
                (false, _) => (Ty::F32, !mode.denorm_f32_in()),
            };
            if flush {
                flush_denormals(regs, n, half);
            }
            for x in &mut regs[..n] {
                *x = match ty {
                    Ty::Mix => mix::mix_source_f16(*x, self.mix_half, upper),
                    _ => mix::mix_source_bf16(*x, self.mix_half, upper),
                }
                .to_bits();
            }
            sign(&mut regs[..n], 0x8000_0000, self.neg, self.abs);
            return;
        }
        match self.part {
            Part::Whole => {}
            Part::Byte(b) => {
                for x in &mut regs[..n] {
                    let v = (*x >> (8 * b)) as u8;
                    *x = if self.sext {
                        v as i8 as i32 as u32
                    } else {
                        v as u32
                    };
                }
            }
            Part::Word(w) => {
                for x in &mut regs[..n] {
                    let v = (*x >> (16 * w)) as u16;
                    *x = if self.sext {
                        v as i16 as i32 as u32
                    } else {
                        v as u32
                    };
                }
            }
        }
        if let Some((lo, hi, neg_lo, neg_hi)) = self.packed {
            swizzle(regs, n, ty, lo, hi, neg_lo, neg_hi);
        }
        match ty {
            Ty::F64 | Ty::B64 => sign(&mut regs[n..2 * n], 0x8000_0000, self.neg, self.abs),
            // One modifier for both halves, where the instruction is not of VOP3P.
            Ty::PkF16 | Ty::PkBf16 => sign(&mut regs[..n], 0x8000_8000, self.neg, self.abs),
            Ty::F16 | Ty::Bf16 | Ty::B16 => sign(&mut regs[..n], 0x8000, self.neg, self.abs),
            _ => sign(&mut regs[..n], 0x8000_0000, self.neg, self.abs),
        }
    }
}

#[inline(always)]
fn sign(regs: &mut [u32], bit: u32, neg: bool, abs: bool) {
    if abs {
        regs.iter_mut().for_each(|x| *x &= !bit);
    }
    if neg {
        regs.iter_mut().for_each(|x| *x ^= bit);
    }
}

/// Rearranges and negates the two values of a packed operand.
#[inline(always)]
fn swizzle(regs: &mut [u32], n: usize, ty: Ty, lo: bool, hi: bool, neg_lo: bool, neg_hi: bool) {
    if matches!(ty, Ty::PkF32 | Ty::PkB32) {
        for i in 0..n {
            let (a, b) = (regs[i], regs[n + i]);
            let (mut x, mut y) = (if lo { b } else { a }, if hi { b } else { a });
            if ty == Ty::PkF32 {
                x ^= (neg_lo as u32) << 31;
                y ^= (neg_hi as u32) << 31;
            }
            regs[i] = x;
            regs[n + i] = y;
        }
        return;
    }
    let float = matches!(ty, Ty::PkF16 | Ty::PkBf16);
    let flip = if float {
        (neg_lo as u32) << 15 | (neg_hi as u32) << 31
    } else {
        0
    };
    for x in &mut regs[..n] {
        let (a, b) = (*x & 0xffff, *x >> 16);
        *x = (if lo { b } else { a } | if hi { b } else { a } << 16) ^ flip;
    }
}

in_builds! {
    /// Turns denormals into zeros of the same sign.
    pub(super) fn flush_denormals(regs: &mut [u32], n: usize, ty: Ty) {
        match ty {
            Ty::F32 => regs[..n].iter_mut().for_each(flush_f32),
            Ty::PkF32 => regs[..2 * n].iter_mut().for_each(flush_f32),
            Ty::F16 => {
                for x in &mut regs[..n] {
                    *x = flush_f16(*x);
                }
            }
            Ty::PkF16 => {
                for x in &mut regs[..n] {
                    *x = flush_f16(*x & 0xffff) | flush_f16(*x >> 16) << 16;
                }
            }
            Ty::Bf16 => {
                for x in &mut regs[..n] {
                    *x = flush_bf16(*x);
                }
            }
            Ty::PkBf16 => {
                for x in &mut regs[..n] {
                    *x = flush_bf16(*x & 0xffff) | flush_bf16(*x >> 16) << 16;
                }
            }
            Ty::F64 => {
                let (low, high) = regs[..2 * n].split_at_mut(n);
                for (low, high) in low.iter_mut().zip(high) {
                    let denormal = *high & 0x7ff0_0000 == 0;
                    *low &= if denormal { 0 } else { u32::MAX };
                    *high &= if denormal { 0x8000_0000 } else { u32::MAX };
                }
            }
            _ => {}
        }
    }
}

#[inline(always)]
fn flush_f32(x: &mut u32) {
    *x &= if *x & 0x7f80_0000 == 0 {
        0x8000_0000
    } else {
        u32::MAX
    };
}

#[inline(always)]
fn flush_f16(x: u32) -> u32 {
    if x & 0x7c00 == 0 { x & 0xffff_8000 } else { x }
}

#[inline(always)]
fn flush_bf16(x: u32) -> u32 {
    if x & 0x7f80 == 0 { x & 0xffff_8000 } else { x }
}

#[cfg(test)]
impl SourceMods {
    /// The modifiers that an instruction may give a source of a type.
    pub(super) fn all(ty: Ty) -> Vec<Self> {
        let mut all = Vec::new();
        let packed = matches!(
            ty,
            Ty::PkB16 | Ty::PkF16 | Ty::PkBf16 | Ty::PkF32 | Ty::PkB32
        );
        let parts = match ty.dwords() {
            1 if !packed => vec![
                Part::Whole,
                Part::Byte(0),
                Part::Byte(1),
                Part::Byte(2),
                Part::Byte(3),
                Part::Word(0),
                Part::Word(1),
            ],
            _ => vec![Part::Whole],
        };
        for part in parts {
            for bits in 0..8 {
                let [neg, abs, third] = [1, 2, 4].map(|bit| bits & bit != 0);
                let mods = Self {
                    neg,
                    abs,
                    part,
                    ..Self::default()
                };
                all.push(match ty.is_mix() {
                    // Parts of these are halves.
                    true if !matches!(part, Part::Word(_)) => continue,
                    true => Self {
                        mix_half: third,
                        ..mods
                    },
                    false => Self {
                        sext: third,
                        ..mods
                    },
                });
            }
        }
        if packed {
            for bits in 0..16 {
                let [a, b, c, d] = [1, 2, 4, 8].map(|bit| bits & bit != 0);
                all.push(Self {
                    packed: Some((a, b, c, d)),
                    ..Self::default()
                });
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Bench;
    use waveglass_isa::Target;

    #[test]
    fn sdwa_selects_extends_and_preserves() {
        let mut b = Bench::new(Target::Gfx900, 64);
        b.set(0, |_| 0x1111_2222);
        b.set(1, |_| 0x0300_8000);
        b.set(2, |_| 0x0040_0000);
        // v_add_u32_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3
        // src1_sel:WORD_1
        b.run_all(&["f904006801150305"]);
        assert_eq!(b.get(0, 0), 0x0043_2222);
        b.set(2, |_| 0);
        // v_cmp_lt_i32_sdwa s[4:5], sext(v1), v2 src0_sel:BYTE_1 src1_sel:DWORD: -128 < 0
        b.run_all(&["f904827d01840906"]);
        assert_eq!((b.wave.sgpr[4], b.wave.sgpr[5]), (u32::MAX, u32::MAX));
    }
}
