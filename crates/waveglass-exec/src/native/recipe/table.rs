//! The recipes of vector operations by name.

use super::super::encode::{LEFT, MAXIMUM, MINIMUM, RIGHT, SIGN, forms};
use super::steps;
use super::vector::{Extend, Recipe};
use crate::valu::kernel::Setting;

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
    let (condition, ty) = name
        .strip_prefix("v_cmp_")
        .or_else(|| name.strip_prefix("v_cmpx_"))?
        .rsplit_once('_')?;
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
pub(super) fn recipe(name: &str) -> Option<Recipe> {
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
        | "v_minimum3_f32" => Range(MINIMUM),
        "v_max_f32" | "v_max3_f32" | "v_max_num_f32" | "v_max3_num_f32" | "v_maximum_f32"
        | "v_maximum3_f32" => Range(MAXIMUM),
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
        "v_lshlrev_b32" => Shift(VPSLLVD, LEFT),
        "v_lshrrev_b32" => Shift(VPSRLVD, RIGHT),
        "v_ashrrev_i32" => Shift(VPSRAVD, SIGN),
        "v_lshl_add_u32" => ShiftThen(VPSLLVD, LEFT, VPADDD),
        "v_lshl_or_b32" => ShiftThen(VPSLLVD, LEFT, VPORD),
        "v_add_lshl_u32" => ThenShift(VPADDD, VPSLLVD, LEFT),
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
        "v_perm_b32" => Steps(steps::PERMUTE),
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
        "v_min_f64" => RangeDouble(MINIMUM),
        "v_max_f64" => RangeDouble(MAXIMUM),
        "v_rndne_f64" => RoundDouble(8),
        "v_floor_f64" => RoundDouble(9),
        "v_ceil_f64" => RoundDouble(10),
        "v_trunc_f64" => RoundDouble(11),
        _ => return comparison(name),
    })
}

/// How the operations on halves are computed as those on dwords or singles that they are named after:
/// what becomes of their sources, and whether a half is made of the result.
pub(super) fn of_halves(name: &str) -> Option<(Recipe, Extend, bool)> {
    use Recipe::*;
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
    if let Some(recipe) = as_halves(name) {
        return super::super::has_fp16().then_some((recipe, Extend::No, false));
    }
    let (stem, ty) = name.rsplit_once('_')?;
    let dword = |ty: &str| recipe(&format!("{stem}_{ty}"));
    let compares = stem.starts_with("v_cmp");
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

/// The recipes of operations on halves as such, which not every host has.
fn as_halves(name: &str) -> Option<Recipe> {
    use Recipe::*;
    use forms::*;
    Some(match name {
        "v_add_f16" | "v_pk_add_f16" => Half(VADDPH),
        "v_sub_f16" => Half(VSUBPH),
        "v_subrev_f16" => HalfReversed(VSUBPH),
        "v_mul_f16" | "v_pk_mul_f16" => Half(VMULPH),
        "v_fma_f16" | "v_fmac_f16" | "v_pk_fma_f16" | "v_pk_fmac_f16" => FmaHalf,
        "v_rndne_f16" => RoundHalf(8),
        "v_floor_f16" => RoundHalf(9),
        "v_ceil_f16" => RoundHalf(10),
        "v_trunc_f16" => RoundHalf(11),
        _ => return None,
    })
}

/// Dot products of halves, whose order is the target's.
pub(super) fn dot(name: &str, target: Setting) -> Option<Recipe> {
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
