//! Vector operations: their recipes, sources and results.

use super::super::encode::{Form, forms};
use super::readable;
use super::steps::{self, Step};
use super::table::{dot, of_halves, recipe};
use crate::program::{Op, Src};
use crate::valu::kernel::Setting;
use crate::valu::{Insertion, MaskUse, Moves, Simple, Ty, Way};
use crate::wave::sreg;

/// How a vector operation is computed, a vector of sixteen lanes at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum Recipe {
    /// The first source.
    Move,
    /// One instruction on the first source; a NaN result is not its business.
    Unary(Form),
    /// A conversion to integers, whose result for what has no integer is this one.
    ToInteger(Form, u32),
    /// Rounding to an integer, by its immediate.
    Round(u8),
    /// All bits of the first source inverted.
    Not,
    /// One instruction on two integers.
    Integer(Form),
    /// The same on the second and the first.
    IntegerReversed(Form),
    /// One instruction on two floats.
    Float(Form),
    /// The same on the second and the first.
    FloatReversed(Form),
    /// The smaller or larger of two or three floats, by the immediate of `vrangeps`.
    Range(u8),
    /// `a * b + c` with one rounding.
    Fma,
    /// A shift of the second source by the first: with a count in each lane, and the opcode
    /// extension of the form with an immediate count.
    Shift(Form, u8),
    /// A shift of the first source by the second, and an instruction on that and the third.
    ShiftThen(Form, u8, Form),
    /// An instruction on the first two sources, and a shift of that by the third.
    ThenShift(Form, Form, u8),
    /// An instruction on the first two sources, and another on that and the third.
    Two(Form, Form),
    /// A function of the bits of three sources, by its truth table (first source 0xf0).
    Bits(u8),
    /// The product of the low 24 bits, signed or not, with the third source added or not.
    Product24 { signed: bool, added: bool },
    /// The upper half of the product.
    ProductHigh,
    /// The product and a third source of 64 bits.
    ProductWide,
    /// A sum with a carry out.
    Add { carry_in: bool },
    /// A difference with a borrow out; of the second source and the first where reversed.
    Subtract { reversed: bool, borrow_in: bool },
    /// The first source or, where the lane's bit is set, the second.
    Select,
    /// A comparison of integers, by its immediate.
    CompareInteger(Form, u8),
    /// A comparison of floats, by its immediate.
    CompareFloat(u8),
    /// A shift of 64 bits by a constant count: to the left, else to the right, with the sign or not.
    ShiftWide { left: bool, signed: bool },
    /// A shift of the first source, 64 bits, by a constant count, and the third added.
    ShiftAddWide,
    /// Two moves.
    MoveWide,
    /// The sum of two numbers of 64 bits.
    AddWide,
    /// An instruction on each of two pairs of floats.
    FloatPair(Form),
    /// [`Recipe::Fma`] on each of three pairs.
    FmaPair,
    /// One instruction on two doubles.
    Double(Form),
    /// [`Recipe::Fma`] of doubles.
    FmaDouble,
    /// [`Recipe::Range`] of two doubles.
    RangeDouble(u8),
    /// [`Recipe::Round`] of a double.
    RoundDouble(u8),
    /// A comparison of doubles or of 64-bit integers, by its immediate.
    CompareLong(Form, u8),
    /// A shift of the second source, 64 bits, by a count in each lane.
    ShiftLong(Form),
    /// The first dwords of two sources.
    MovePair,
    /// One instruction on two halves, or two pairs of halves.
    Half(Form),
    /// The same on the second and the first.
    HalfReversed(Form),
    /// [`Recipe::Fma`] of halves.
    FmaHalf,
    /// [`Recipe::Round`] of halves.
    RoundHalf(u8),
    /// Two singles as halves, rounded by the immediate of `vcvtps2ph`.
    PackHalves(u8),
    /// These steps.
    Steps(&'static [Step]),
    /// Steps with a result of two registers.
    StepsWide(&'static [Step]),
    /// The division's scaling where it scales nothing: no lane's bit is set in the mask.
    Unscaled { steps: &'static [Step], wide: bool },
    /// [`Recipe::Fma`] where no lane's bit is set in a mask.
    FmaUnscaled,
    /// The same of doubles.
    FmaDoubleUnscaled,
}

impl Recipe {
    /// Whether a result that is a NaN makes the operation give up.
    pub(in super::super) fn leaves_nan(&self) -> bool {
        use Recipe::*;
        match self {
            Float(_) | FloatReversed(_) | Fma | FloatPair(_) | FmaPair | Round(_) | FmaUnscaled => {
                true
            }
            Steps(steps) => steps::may_give_nan(steps),
            _ => false,
        }
    }

    /// Whether the result is of two registers.
    pub(super) fn is_wide(self) -> bool {
        use Recipe::*;
        matches!(
            self,
            ProductWide
                | ShiftWide { .. }
                | ShiftAddWide
                | MoveWide
                | AddWide
                | FloatPair(_)
                | FmaPair
                | Double(_)
                | FmaDouble
                | RangeDouble(_)
                | RoundDouble(_)
                | ShiftLong(_)
                | MovePair
                | StepsWide(_)
                | Unscaled { wide: true, .. }
                | FmaDoubleUnscaled
        )
    }
}

/// What becomes of the low half of a source before it is used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum Extend {
    /// It stays with what is above it.
    No,
    /// Zeros above it.
    Zeros,
    /// Its sign above it.
    Sign,
    /// It becomes a single.
    Single,
}

/// A source of a vector operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct Source {
    pub(in super::super) src: Src,
    pub(in super::super) way: Way,
    pub(in super::super) extend: Extend,
    /// It is read from other lanes, as [`Vector::moves`] says.
    pub(in super::super) moves: bool,
    /// It is a single, or two.
    pub(in super::super) single: bool,
}

/// What a result becomes on its way to its register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct Finish {
    /// It is a single, of which a half is made.
    pub(in super::super) narrow: bool,
    /// It is a single, or two.
    pub(in super::super) single: bool,
    /// It is multiplied by this.
    pub(in super::super) factor: Option<f32>,
    /// It may be multiplied where denormals are flushed.
    pub(in super::super) may_scale: bool,
    /// It goes into [0, 1].
    pub(in super::super) clamp: bool,
    /// It is one half or two.
    pub(in super::super) halves: u32,
    /// The part of the register that it goes to.
    pub(in super::super) part: Insertion,
}

impl Finish {
    /// There is nothing to do.
    pub(in super::super) fn is_none(&self) -> bool {
        !self.narrow
            && self.factor.is_none()
            && !self.clamp
            && self.halves != 1
            && self.part == Insertion::WHOLE
    }
}

/// A vector operation.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Vector {
    pub(in super::super) recipe: Recipe,
    pub(in super::super) sources: [Source; 3],
    pub(in super::super) d: u32,
    pub(in super::super) mask_in: Src,
    /// Where a mask goes, if anywhere.
    pub(in super::super) mask_out: Option<u8>,
    /// EXEC gets the mask as well.
    pub(in super::super) changes_exec: bool,
    pub(in super::super) finish: Finish,
    /// Where the first source's lanes come from.
    pub(in super::super) moves: Option<Moves>,
}

pub(super) fn vector(op: &Op) -> Option<Vector> {
    let simple: Simple = op.valu.as_deref()?.simple(op)?;
    let recipe = recipe(simple.name).or_else(|| dot(simple.name, Setting(op.imm)));
    let (mut recipe, extend, narrow) = match recipe {
        Some(recipe) => (recipe, Extend::No, false),
        None => of_halves(simple.name)?,
    };
    let mut sources = simple.ways.map(|way| Source {
        src: Src::None,
        way,
        extend: Extend::No,
        moves: false,
        single: false,
    });
    for (i, to) in sources.iter_mut().enumerate() {
        let ty = simple.sources[i];
        if ty == Ty::None {
            continue;
        }
        if !readable(op.s[i], ty) {
            return None;
        }
        to.src = op.s[i];
        to.extend = extend;
        to.single = simple.singles[i];
    }
    sources[0].moves = simple.moves.is_some();
    // Counts of 64-bit shifts are best known when they are translated.
    let constant = |i: usize| matches!(op.s[i], Src::Const(_));
    match recipe {
        Recipe::ShiftAddWide if !constant(1) => return None,
        Recipe::ShiftWide { left, signed } if !constant(0) => {
            recipe = Recipe::ShiftLong(match (left, signed) {
                (true, _) => forms::VPSLLVQ,
                (false, false) => forms::VPSRLVQ,
                (false, true) => forms::VPSRAVQ,
            });
        }
        _ => {}
    }
    let mask_out = match simple.mask {
        MaskUse::None | MaskUse::Select | MaskUse::TruthTable | MaskUse::Vcc => None,
        MaskUse::Compare | MaskUse::CompareExec | MaskUse::CarryOut | MaskUse::CarryInOut => {
            match simple.mask_out as usize {
                sreg::NULL => None,
                d if d < sreg::TTMP0 => Some(d as u8),
                _ => return None,
            }
        }
        _ => return None,
    };
    if let (MaskUse::TruthTable, Src::Const(table)) = (simple.mask, simple.mask_in) {
        recipe = Recipe::Bits(table as u8);
    }
    let takes_mask = matches!(
        simple.mask,
        MaskUse::Select | MaskUse::CarryInOut | MaskUse::Vcc
    );
    let mask_in = if takes_mask {
        simple.mask_in
    } else {
        Src::None
    };
    if !matches!(mask_in, Src::None | Src::Const(_)) && !readable(mask_in, Ty::B64) {
        return None;
    }
    let singles = matches!(simple.result, Ty::F32 | Ty::PkF32) || narrow;
    let halves = match simple.result {
        Ty::PkF16 | Ty::PkB16 => 2,
        ty if ty.is_half() => 1,
        _ => 0,
    };
    let of_halves = matches!(simple.result, Ty::F16 | Ty::PkF16);
    // Doubles and bfloat16 are the handlers'.
    if simple.clamp && simple.result.is_float() && !singles && !of_halves
        || simple.factor.is_some() && simple.always_scales && simple.result != Ty::F32
    {
        return None;
    }
    Some(Vector {
        recipe,
        sources,
        d: op.d,
        mask_in,
        mask_out,
        changes_exec: simple.mask == MaskUse::CompareExec,
        finish: Finish {
            narrow,
            single: matches!(simple.result, Ty::F32 | Ty::PkF32),
            factor: simple.factor.filter(|_| simple.always_scales),
            may_scale: simple.factor.is_some() && !simple.always_scales,
            clamp: simple.clamp && simple.result.is_float(),
            halves,
            part: simple.part,
        },
        moves: simple.moves,
    })
}
