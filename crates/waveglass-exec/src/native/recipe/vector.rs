//! Recipes of vector arithmetic.

use super::super::encode::{Form, forms};
use super::readable;
use super::steps::{self, Step};
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
    pub(in super::super) finish: Finish,
    /// Where the first source's lanes come from.
    pub(in super::super) moves: Option<Moves>,
}

/// The immediates of float comparisons (Intel SDM, "VCMPPS": quiet on all NaN).
fn float_condition(name: &str) -> Option<u8> {
    Some(match name {
        "eq" => 0x00,
        "lt" => 0x11,
        "le" => 0x12,
        "u" => 0x03,
        "neq" => 0x04,
        "nlt" => 0x15,
        "nle" => 0x16,
        "o" => 0x07,
        "nlg" => 0x08,
        "nge" => 0x19,
        "ngt" => 0x1a,
        "lg" => 0x0c,
        "ge" => 0x1d,
        "gt" => 0x1e,
        _ => return None,
    })
}

/// The immediates of integer comparisons.
fn integer_condition(name: &str) -> Option<u8> {
    Some(match name {
        "eq" => 0,
        "lt" => 1,
        "le" => 2,
        "ne" => 4,
        "ge" => 5,
        "gt" => 6,
        _ => return None,
    })
}

fn comparison(name: &str) -> Option<Recipe> {
    let (condition, ty) = name.strip_prefix("v_cmp_")?.rsplit_once('_')?;
    Some(match ty {
        "f32" => Recipe::CompareFloat(float_condition(condition)?),
        "f64" => Recipe::CompareLong(forms::VCMPPD, float_condition(condition)?),
        "i32" => Recipe::CompareInteger(forms::VPCMPD, integer_condition(condition)?),
        "u32" => Recipe::CompareInteger(forms::VPCMPUD, integer_condition(condition)?),
        "i64" => Recipe::CompareLong(forms::VPCMPQ, integer_condition(condition)?),
        "u64" => Recipe::CompareLong(forms::VPCMPUQ, integer_condition(condition)?),
        _ => return None,
    })
}

/// The recipe of an operation by the name of its [`Spec`](crate::valu::Spec).
fn recipe(name: &str) -> Option<Recipe> {
    use Recipe::*;
    use forms::*;
    Some(match name {
        "v_mov_b32" => Move,
        "v_not_b32" => Not,
        "v_cvt_f32_ubyte0" => Steps(steps::BYTE_0),
        "v_cvt_f32_ubyte1" => Steps(steps::BYTE_1),
        "v_cvt_f32_ubyte2" => Steps(steps::BYTE_2),
        "v_cvt_f32_ubyte3" => Steps(steps::BYTE_3),
        "v_cvt_pk_rtz_f16_f32" => PackHalves(3),
        "v_cvt_f32_i32" => Unary(VCVTDQ2PS),
        "v_cvt_f32_u32" => Unary(VCVTUDQ2PS),
        "v_cvt_i32_f32" => ToInteger(VCVTTPS2DQ, 0x8000_0000),
        "v_cvt_u32_f32" => ToInteger(VCVTTPS2UDQ, 0xffff_ffff),
        "v_rndne_f32" => Round(8),
        "v_floor_f32" => Round(9),
        "v_ceil_f32" => Round(10),
        "v_trunc_f32" => Round(11),
        "v_add_u32" | "v_add_i32" => Integer(VPADDD),
        "v_sub_u32" | "v_sub_i32" => Integer(VPSUBD),
        "v_subrev_u32" => IntegerReversed(VPSUBD),
        "v_and_b32" => Integer(VPANDD),
        "v_or_b32" => Integer(VPORD),
        "v_xor_b32" => Integer(VPXORD),
        "v_mul_lo_u32" => Integer(VPMULLD),
        "v_min_i32" => Integer(VPMINSD),
        "v_min_u32" => Integer(VPMINUD),
        "v_max_i32" => Integer(VPMAXSD),
        "v_max_u32" => Integer(VPMAXUD),
        "v_add_f32" => Float(VADDPS),
        "v_sub_f32" => Float(VSUBPS),
        "v_subrev_f32" => FloatReversed(VSUBPS),
        "v_mul_f32" => Float(VMULPS),
        "v_min_f32" | "v_min3_f32" | "v_min_num_f32" | "v_min3_num_f32" | "v_minimum_f32"
        | "v_minimum3_f32" => Range(4),
        "v_max_f32" | "v_max3_f32" | "v_max_num_f32" | "v_max3_num_f32" | "v_maximum_f32"
        | "v_maximum3_f32" => Range(5),
        "v_med3_f32" | "v_med3_num_f32" => Steps(steps::MEDIAN),
        "v_maxmin_f32" | "v_maxmin_num_f32" | "v_maximumminimum_f32" => {
            Steps(steps::MAXIMUM_MINIMUM)
        }
        "v_minmax_f32" | "v_minmax_num_f32" | "v_minimummaximum_f32" => {
            Steps(steps::MINIMUM_MAXIMUM)
        }
        "v_fma_f32" | "v_fmac_f32" | "v_fma_mix_f32" | "v_fma_mix_f32_bf16" => Fma,
        "v_mad_f32" | "v_mac_f32" | "v_mad_mix_f32" => Steps(steps::MULTIPLY_ADD),
        "v_fract_f32" => Steps(steps::FRACTION),
        "v_ldexp_f32" => Steps(steps::SCALE),
        "v_div_scale_f32" => Unscaled {
            steps: steps::UNSCALED,
            wide: false,
        },
        "v_div_scale_f64" => Unscaled {
            steps: steps::UNSCALED_DOUBLE,
            wide: true,
        },
        "v_div_fmas_f32" => FmaUnscaled,
        "v_div_fmas_f64" => FmaDoubleUnscaled,
        "v_div_fixup_f32" => Steps(steps::ORDINARY_QUOTIENT),
        "v_div_fixup_f64" => StepsWide(steps::ORDINARY_QUOTIENT_DOUBLE),
        "v_rcp_f32" => Steps(steps::RECIPROCAL),
        "v_sqrt_f32" => Steps(steps::ROOT),
        "v_lshlrev_b32" => Shift(VPSLLVD, 6),
        "v_lshrrev_b32" => Shift(VPSRLVD, 2),
        "v_ashrrev_i32" => Shift(VPSRAVD, 4),
        "v_lshl_add_u32" => ShiftThen(VPSLLVD, 6, VPADDD),
        "v_lshl_or_b32" => ShiftThen(VPSLLVD, 6, VPORD),
        "v_add_lshl_u32" => ThenShift(VPADDD, VPSLLVD, 6),
        "v_add3_u32" => Two(VPADDD, VPADDD),
        "v_and_or_b32" => Two(VPANDD, VPORD),
        "v_xad_u32" => Two(VPXORD, VPADDD),
        "v_or3_b32" => Bits(0xfe),
        "v_xor3_b32" | "v_bitop3_b32" => Bits(0x96),
        "v_xnor_b32" => Steps(steps::XNOR),
        "v_bfe_u32" => Steps(steps::FIELD),
        "v_bfe_i32" => Steps(steps::FIELD_SIGNED),
        "v_bfm_b32" => Steps(steps::FIELD_MASK),
        "v_alignbit_b32" => Steps(steps::ALIGN_BITS),
        "v_alignbyte_b32" => Steps(steps::ALIGN_BYTES),
        "v_sad_u32" => Steps(steps::DIFFERENCE),
        "v_mad_u32" => Two(VPMULLD, VPADDD),
        "v_min3_i32" => Two(VPMINSD, VPMINSD),
        "v_min3_u32" => Two(VPMINUD, VPMINUD),
        "v_max3_i32" => Two(VPMAXSD, VPMAXSD),
        "v_max3_u32" => Two(VPMAXUD, VPMAXUD),
        "v_maxmin_i32" => Two(VPMAXSD, VPMINSD),
        "v_maxmin_u32" => Two(VPMAXUD, VPMINUD),
        "v_minmax_i32" => Two(VPMINSD, VPMAXSD),
        "v_minmax_u32" => Two(VPMINUD, VPMAXUD),
        "v_med3_i32" => Steps(steps::MEDIAN_SIGNED),
        "v_med3_u32" => Steps(steps::MEDIAN_UNSIGNED),
        "v_pk_add_u16" | "v_pk_add_i16" => Integer(VPADDW),
        "v_pk_sub_u16" | "v_pk_sub_i16" => Integer(VPSUBW),
        "v_pk_mul_lo_u16" => Integer(VPMULLW),
        "v_pk_min_i16" => Integer(VPMINSW),
        "v_pk_min_u16" => Integer(VPMINUW),
        "v_pk_max_i16" => Integer(VPMAXSW),
        "v_pk_max_u16" => Integer(VPMAXUW),
        "v_pk_mad_u16" | "v_pk_mad_i16" => Two(VPMULLW, VPADDW),
        "v_pk_lshlrev_b16" => Steps(steps::SHIFT_LEFT_PAIR),
        "v_pk_lshrrev_b16" => Steps(steps::SHIFT_RIGHT_PAIR),
        "v_pk_ashrrev_i16" => Steps(steps::SHIFT_SIGN_PAIR),
        "v_bfi_b32" => Bits(0xca),
        "v_mul_u32_u24" => Product24 {
            signed: false,
            added: false,
        },
        "v_mul_i32_i24" => Product24 {
            signed: true,
            added: false,
        },
        "v_mad_u32_u24" => Product24 {
            signed: false,
            added: true,
        },
        "v_mad_i32_i24" => Product24 {
            signed: true,
            added: true,
        },
        "v_mul_hi_u32" => ProductHigh,
        "v_mad_u64_u32" => ProductWide,
        "v_add_co_u32" => Add { carry_in: false },
        "v_addc_co_u32" => Add { carry_in: true },
        "v_sub_co_u32" => Subtract {
            reversed: false,
            borrow_in: false,
        },
        "v_subrev_co_u32" => Subtract {
            reversed: true,
            borrow_in: false,
        },
        "v_subb_co_u32" => Subtract {
            reversed: false,
            borrow_in: true,
        },
        "v_subbrev_co_u32" => Subtract {
            reversed: true,
            borrow_in: true,
        },
        "v_cndmask_b32" => Select,
        "v_lshlrev_b64" => ShiftWide {
            left: true,
            signed: false,
        },
        "v_lshrrev_b64" => ShiftWide {
            left: false,
            signed: false,
        },
        "v_ashrrev_i64" => ShiftWide {
            left: false,
            signed: true,
        },
        "v_lshl_add_u64" => ShiftAddWide,
        "v_mov_b64" => MoveWide,
        "v_pk_mov_b32" => MovePair,
        "v_add_nc_u64" => AddWide,
        "v_pk_add_f32" => FloatPair(VADDPS),
        "v_pk_mul_f32" => FloatPair(VMULPS),
        "v_pk_fma_f32" => FmaPair,
        "v_add_f64" => Double(VADDPD),
        "v_mul_f64" => Double(VMULPD),
        "v_fma_f64" | "v_fmac_f64" => FmaDouble,
        "v_min_f64" => RangeDouble(4),
        "v_max_f64" => RangeDouble(5),
        "v_rndne_f64" => RoundDouble(8),
        "v_floor_f64" => RoundDouble(9),
        "v_ceil_f64" => RoundDouble(10),
        "v_trunc_f64" => RoundDouble(11),
        _ => return comparison(name),
    })
}

/// How the operations on halves are computed as those on dwords or singles that they are named after:
/// what becomes of their sources, and whether a half is made of the result.
fn of_halves(name: &str) -> Option<(Recipe, Extend, bool)> {
    use Recipe::*;
    use forms::*;
    let plain = |recipe| Some((recipe, Extend::No, false));
    match name {
        "v_cvt_f32_f16" => return Some((Move, Extend::Single, false)),
        "v_cvt_f16_f32" => return Some((Move, Extend::No, true)),
        "v_fma_mixlo_f16" | "v_fma_mixhi_f16" => return Some((Fma, Extend::No, true)),
        "v_mad_mixlo_f16" | "v_mad_mixhi_f16" => {
            return Some((Steps(steps::MULTIPLY_ADD), Extend::No, true));
        }
        "v_lshlrev_b16" => return plain(Steps(steps::SHIFT_LEFT_HALF)),
        "v_lshrrev_b16" => return Some((Steps(steps::SHIFT_RIGHT_HALF), Extend::Zeros, false)),
        "v_ashrrev_i16" => return Some((Steps(steps::SHIFT_SIGN_HALF), Extend::Sign, false)),
        _ => {}
    }
    let fp16 = match name {
        "v_add_f16" | "v_pk_add_f16" => Half(VADDPH),
        "v_sub_f16" => Half(VSUBPH),
        "v_subrev_f16" => HalfReversed(VSUBPH),
        "v_mul_f16" | "v_pk_mul_f16" => Half(VMULPH),
        "v_fma_f16" | "v_fmac_f16" | "v_pk_fma_f16" | "v_pk_fmac_f16" => FmaHalf,
        "v_rndne_f16" => RoundHalf(8),
        "v_floor_f16" => RoundHalf(9),
        "v_ceil_f16" => RoundHalf(10),
        "v_trunc_f16" => RoundHalf(11),
        _ => Not,
    };
    if fp16 != Not {
        return super::super::has_fp16().then_some((fp16, Extend::No, false));
    }
    let (stem, ty) = name.rsplit_once('_')?;
    let dword = |ty: &str| recipe(&format!("{stem}_{ty}"));
    let compares = stem.starts_with("v_cmp_");
    match ty {
        "f16" if compares => Some((dword("f32")?, Extend::Single, false)),
        // Numbers stay what they are.
        "f16" if minimum_or_maximum(stem) => Some((dword("f32")?, Extend::Single, true)),
        "b16" => plain(match dword("b32")? {
            r @ (Move | Not | Integer(_) | Select) => r,
            _ => return None,
        }),
        "u16" | "i16" => {
            let (extend, dword) = match ty {
                "u16" => (Extend::Zeros, dword("u32")?),
                _ => (Extend::Sign, dword("i32").or_else(|| dword("u32"))?),
            };
            match dword {
                CompareInteger(..) | Integer(_) | IntegerReversed(_) | Two(..) => {
                    Some((dword, extend, false))
                }
                Steps(s) if std::ptr::eq(s, steps::MEDIAN_SIGNED) => Some((dword, extend, false)),
                Steps(s) if std::ptr::eq(s, steps::MEDIAN_UNSIGNED) => Some((dword, extend, false)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Dot products of halves, whose order is the target's.
fn dot(name: &str, target: Setting) -> Option<Recipe> {
    let last = match name {
        "v_dot2_f32_f16" => target.major() >= 11,
        "v_dot2c_f32_f16" | "v_dot2acc_f32_f16" => false,
        _ => return None,
    };
    let steps = match last {
        true => steps::DOT_ADDEND_LAST,
        false => steps::DOT_ADDEND_FIRST,
    };
    (!target.flushes_dot()).then_some(Recipe::Steps(steps))
}

fn minimum_or_maximum(stem: &str) -> bool {
    ["v_min", "v_max", "v_med"]
        .iter()
        .any(|s| stem.starts_with(s))
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
        MaskUse::Compare | MaskUse::CarryOut | MaskUse::CarryInOut => {
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
