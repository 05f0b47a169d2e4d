//! What happens to a result between the kernel and its register: output modifier, clamp, the half
//! or part that it goes to.

use super::kernel::Ty;
use super::modifiers::Part;
use super::ways::Insertion;
use super::{High16, Spec, ValuInfo, ignored};
use crate::alu::float::{Round, narrow_f16, widen_f16};
use crate::alu::modifiers;
use crate::alu::rounding::{self, Half as HalfBits};
use crate::program::Compile;
use crate::wave::Wave;
use waveglass_isa::{Field, Half, Operand};

/// What the clamp bit does to a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClampKind {
    /// Floats go into [0, 1]; the bit has no effect on other types.
    Float,
    /// The kernel of an integer operation is replaced by a saturating one.
    Saturating(super::Builds),
}

/// What an SDWA result does with the rest of its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unused {
    Zero,
    SignExtend,
    Preserve,
}

impl Unused {
    /// The kind of a DST_UNUSED field.
    fn of(bits: u8) -> Self {
        match bits {
            1 => Unused::SignExtend,
            2 => Unused::Preserve,
            _ => Unused::Zero,
        }
    }
}

/// How a result reaches its register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResultMods {
    omod: u8,
    clamp: bool,
    /// A 16-bit result goes into this word, and the other is kept.
    word: Option<u8>,
    sdwa: Option<(PartBits, u8)>,
}

/// `Part` without its default, so that a whole dword in SDWA form differs from none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PartBits(Part);

impl ResultMods {
    /// The result modifiers of an instruction.
    pub fn of(c: &Compile<'_>, spec: &Spec, dst: Field) -> Self {
        let inst = c.inst;
        let mut m = Self {
            clamp: inst.field(Field::Clamp) != 0 && !ignored::clamp(inst.target(), spec.name),
            ..Self::default()
        };
        if !ignored::omod(inst.target(), spec.name) {
            m.omod = inst.field(Field::Omod) as u8;
        }
        if let Some(o) = inst.operand_def(Field::DstSel) {
            let part = Part::of_sdwa(inst.raw(o));
            let unused = inst.field(Field::DstUnused) as u8;
            // A whole dword leaves nothing unused.
            if part != Part::Whole {
                m.sdwa = Some((PartBits(part), unused));
            }
            return m;
        }
        if spec.result.is_half() {
            let hi = match inst.operand(dst) {
                Some(Operand::Reg(r)) if r.half.is_some() => r.half == Some(Half::Hi),
                // `op_sel` of the result is bit 3 of the first source's modifiers; packed
                // instructions use that bit otherwise.
                _ => {
                    let encoding = inst.def().encoding();
                    spec.high == High16::Upper
                        || (matches!(encoding, "ENC_VOP3" | "VOP3_VOP_DPP16" | "VOP3_VOP_DPP8")
                            && inst.field(Field::Src0Modifiers) & 8 != 0)
                }
            };
            let keeps = inst.target().major() >= 10 || spec.high != High16::ZeroOnGfx9 || hi;
            if keeps {
                m.word = Some(hi as u8);
            }
        }
        m
    }

    /// The kernel's result goes to the register as it is.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// The factor of the output modifier.
    pub(super) fn factor(&self) -> Option<f32> {
        match self.omod {
            1 => Some(2.0),
            2 => Some(4.0),
            3 => Some(0.5),
            _ => None,
        }
    }

    /// Whether the clamp bit acts on a float.
    pub(super) fn clamps(&self) -> bool {
        self.clamp
    }

    /// The kernel's result goes to the lower half of the register as it is, and the upper stays.
    pub fn is_lower_half(&self) -> bool {
        let lower = Self {
            word: Some(0),
            ..Self::default()
        };
        *self == lower
    }

    /// Whether an output modifier is given that multiplies the result of a type.
    pub(super) fn multiplies(&self, wave: &Wave, ty: Ty) -> bool {
        self.omod != 0 && omod_applies(wave, ty)
    }

    /// Whether the result is multiplied or clamped under MODE's defaults, which keep denormals.
    pub(super) fn scales(&self, wave: &Wave, ty: Ty) -> bool {
        self.clamp || self.multiplies(wave, ty)
    }

    /// Multiplies and clamps the lanes at `d`.
    #[inline(always)]
    pub(super) fn scale(&self, wave: &mut Wave, d: usize, ty: Ty) {
        let n = wave.lanes();
        let multiplies = self.multiplies(wave, ty);
        let nan_to_zero = wave.mode.dx10_clamp() || wave.target.major() >= 12;
        let round = Round::from_bits(match ty {
            Ty::F32 => wave.mode.round_f32(),
            _ => wave.mode.round_f16_f64(),
        });
        let regs = &mut wave.lanes_flat()[d..d + 2 * n];
        if multiplies {
            omod(regs, n, ty, self.omod, round);
        }
        if self.clamp {
            clamp(regs, n, ty, nan_to_zero);
        }
    }

    /// The part of its register that the result goes to, whatever is done to it before.
    pub(super) fn insertion(&self) -> Insertion {
        if let Some(word) = self.word {
            let shift = 16 * u32::from(word);
            return Insertion::of(16, shift, 0xffff << shift, false);
        }
        let Some((PartBits(part), unused)) = self.sdwa else {
            return Insertion::WHOLE;
        };
        let (shift, width) = part.place();
        let ones = u32::MAX >> (32 - width);
        match Unused::of(unused) {
            Unused::Zero => Insertion::of(width, shift, u32::MAX, false),
            Unused::SignExtend => Insertion::of(width, shift, u32::MAX, true),
            Unused::Preserve => Insertion::of(width, shift, ones << shift, false),
        }
    }

    /// Acts on the lanes at `d`, whose register's old lanes are at `old`.
    #[inline(always)]
    pub fn apply(&self, wave: &mut Wave, d: usize, old: usize, ty: Ty) {
        if self.is_plain() {
            return;
        }
        let n = wave.lanes();
        self.scale(wave, d, ty);
        let regs = wave.lanes_flat();
        if let Some(w) = self.word {
            for i in 0..n {
                let v = regs[d + i] & 0xffff;
                let o = regs[old + i];
                regs[d + i] = if w == 0 {
                    o & 0xffff_0000 | v
                } else {
                    o & 0xffff | v << 16
                };
            }
        }
        if let Some((PartBits(part), unused)) = self.sdwa {
            let (shift, width) = part.place();
            let unused = Unused::of(unused);
            let ones = u32::MAX >> (32 - width);
            for i in 0..n {
                let v = regs[d + i] & ones;
                regs[d + i] = match unused {
                    Unused::Zero => v << shift,
                    Unused::SignExtend => {
                        (((v << (32 - width)) as i32 >> (32 - width)) as u32) << shift
                    }
                    Unused::Preserve => regs[old + i] & !(ones << shift) | v << shift,
                };
            }
        }
    }
}

/// Under FP16_OVFL a half that has overflowed becomes the largest number, "while still preserving
/// true INF values" (MODE, every manual): those that come of an infinite source, or of a zero one
/// in an operation with one source (division by zero).
pub(super) fn limit_overflow(wave: &mut Wave, info: &ValuInfo, d: usize, s: [usize; 3]) {
    if !info.overflows || !wave.mode.fp16_ovfl() {
        return;
    }
    let n = wave.lanes();
    let halves = match info.result {
        Ty::PkF16 | Ty::PkBf16 => 2,
        _ => 1,
    };
    let infinite = if info.result == Ty::PkBf16 {
        0x7f80
    } else {
        0x7c00
    };
    let alone = info.sources[1] == Ty::None;
    let regs = wave.lanes_flat();
    for i in 0..n {
        for half in 0..halves {
            let shift = 16 * half;
            if regs[d + i] >> shift & 0x7fff != infinite {
                continue;
            }
            let is_true = (0..3).any(|k| {
                let v = regs[s[k] + i];
                let (magnitude, infinity) = match info.sources[k] {
                    Ty::None => return false,
                    // A pair made of two operands: each half comes of its own.
                    Ty::F32 if halves == 2 && k != half => return false,
                    Ty::F32 | Ty::Mix => (v & 0x7fff_ffff, 0x7f80_0000),
                    Ty::F16 | Ty::PkF16 => (v >> shift & 0x7fff, 0x7c00),
                    Ty::PkBf16 => (v >> shift & 0x7fff, 0x7f80),
                    _ => return false,
                };
                magnitude == infinity || alone && magnitude == 0
            });
            if !is_true {
                regs[d + i] -= 1 << shift;
            }
        }
    }
}

/// "If output denormals are enabled, then output modifiers are ignored" and "if the IEEE mode bit is
/// set to 1" (Vega ISA 6.2.2); "OMOD is allowed regardless of MODE.denorm setting" (RDNA4 ISA, "Output
/// modifiers").
fn omod_applies(wave: &Wave, ty: Ty) -> bool {
    wave.target.major() >= 12
        || !wave.mode.ieee()
            && match ty {
                Ty::F32 => !wave.mode.denorm_f32_out(),
                _ => !wave.mode.denorm_f16_f64_out(),
            }
}

/// Scales by 2, 4 or 1/2, rounded as the result was. Denormals and -0 become +0 ("-0 is flushed to
/// +0", Vega ISA 6.2.2).
#[inline(always)]
fn omod(regs: &mut [u32], n: usize, ty: Ty, omod: u8, round: Round) {
    let (exponent, factor) = match omod {
        1 => (1, 2.0),
        2 => (2, 4.0),
        _ => (-1, 0.5),
    };
    // The usual mode has loops of its own, of which the compiler makes vector instructions.
    if round == Round::NearestEven {
        omod_nearest(regs, n, ty, factor);
        return;
    }
    match ty {
        Ty::F32 => {
            for x in &mut regs[..n] {
                let v = f32::from_bits(*x);
                let v = match v.is_finite() {
                    true => rounding::ldexp(v, exponent, round),
                    false => v,
                };
                *x = flushed_f32(v);
            }
        }
        Ty::F16 => {
            for x in &mut regs[..n] {
                let v = HalfBits(*x as u16);
                let v = match v.0 & 0x7c00 == 0x7c00 {
                    true => v,
                    false => rounding::ldexp(v, exponent, round),
                };
                *x = flushed_f16(v.0);
            }
        }
        Ty::F64 => {
            for i in 0..n {
                let x = f64::from_bits(regs[i] as u64 | (regs[n + i] as u64) << 32);
                let v = match x.is_finite() {
                    true => rounding::ldexp(x, exponent, round),
                    false => x,
                };
                let v = flushed_f64(v);
                regs[i] = v as u32;
                regs[n + i] = (v >> 32) as u32;
            }
        }
        _ => {}
    }
}

/// [`omod`] rounded to nearest even.
#[inline(always)]
fn omod_nearest(regs: &mut [u32], n: usize, ty: Ty, factor: f32) {
    match ty {
        Ty::F32 => {
            for x in &mut regs[..n] {
                *x = flushed_f32(f32::from_bits(*x) * factor);
            }
        }
        Ty::F16 => {
            for x in &mut regs[..n] {
                let v = *x as u16;
                let scaled = narrow_f16(widen_f16(v) * factor);
                *x = flushed_f16(if v & 0x7c00 == 0x7c00 { v } else { scaled });
            }
        }
        Ty::F64 => {
            for i in 0..n {
                let x = f64::from_bits(regs[i] as u64 | (regs[n + i] as u64) << 32);
                let v = flushed_f64(x * f64::from(factor));
                regs[i] = v as u32;
                regs[n + i] = (v >> 32) as u32;
            }
        }
        _ => {}
    }
}

/// The bits of a number, of +0 where it is a denormal or a zero.
#[inline(always)]
fn flushed_f32(v: f32) -> u32 {
    let bits = v.to_bits();
    if bits & 0x7f80_0000 == 0 { 0 } else { bits }
}

/// As [`flushed_f32`], in half precision.
#[inline(always)]
fn flushed_f16(bits: u16) -> u32 {
    let bits = u32::from(bits);
    if bits & 0x7c00 == 0 { 0 } else { bits }
}

/// As [`flushed_f32`], in double precision.
#[inline(always)]
fn flushed_f64(v: f64) -> u64 {
    let bits = v.to_bits();
    if bits & 0x7ff0_0000_0000_0000 == 0 {
        0
    } else {
        bits
    }
}

/// Into [0, 1]. NaN becomes zero under DX10_CLAMP, else it stays.
#[inline(always)]
fn clamp(regs: &mut [u32], n: usize, ty: Ty, nan_to_zero: bool) {
    let one = |x: u32| modifiers::clamp_f32(f32::from_bits(x), nan_to_zero).to_bits();
    match ty {
        Ty::F32 => {
            for x in &mut regs[..n] {
                *x = one(*x);
            }
        }
        Ty::PkF32 => {
            for x in &mut regs[..2 * n] {
                *x = one(*x);
            }
        }
        Ty::F16 => {
            for x in &mut regs[..n] {
                *x = modifiers::clamp_f16(*x as u16, nan_to_zero) as u32;
            }
        }
        Ty::Bf16 => {
            for x in &mut regs[..n] {
                *x = modifiers::clamp_bf16(*x as u16, nan_to_zero) as u32;
            }
        }
        Ty::PkBf16 => {
            for x in &mut regs[..n] {
                let f = |h: u32| modifiers::clamp_bf16(h as u16, nan_to_zero);
                *x = f(*x) as u32 | (f(*x >> 16) as u32) << 16;
            }
        }
        Ty::PkF16 => {
            for x in &mut regs[..n] {
                let f = |h: u32| modifiers::clamp_f16(h as u16, nan_to_zero);
                *x = f(*x) as u32 | (f(*x >> 16) as u32) << 16;
            }
        }
        Ty::F64 => {
            for i in 0..n {
                let x = f64::from_bits(regs[i] as u64 | (regs[n + i] as u64) << 32);
                let v = modifiers::clamp_f64(x, nan_to_zero);
                regs[i] = v.to_bits() as u32;
                regs[n + i] = (v.to_bits() >> 32) as u32;
            }
        }
        _ => {}
    }
}

#[cfg(test)]
impl ResultMods {
    /// All parts of a register that a result may go to.
    pub(super) fn all_parts() -> Vec<Self> {
        let mut all = vec![Self::default()];
        for word in [0, 1] {
            all.push(Self {
                word: Some(word),
                ..Self::default()
            });
        }
        for selector in 0..6 {
            for unused in 0..4 {
                all.push(Self {
                    sdwa: Some((PartBits(Part::of_sdwa(selector)), unused)),
                    ..Self::default()
                });
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_multiplied_to_nearest_even_as_in_integers() {
        for (field, exponent, factor) in [(1, 1, 2.0), (2, 2, 4.0), (3, -1, 0.5)] {
            for bits in 0..=u16::MAX {
                let mut regs = [u32::from(bits)];
                omod(&mut regs, 1, Ty::F16, field, Round::NearestEven);
                let expected = match bits & 0x7c00 == 0x7c00 {
                    true => bits,
                    false => rounding::ldexp(HalfBits(bits), exponent, Round::NearestEven).0,
                };
                let expected = if expected & 0x7c00 == 0 { 0 } else { expected };
                assert_eq!(regs[0], u32::from(expected), "{bits:#x} * {factor}");
            }
        }
    }
}
