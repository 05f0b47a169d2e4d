//! Which exceptions an operation can raise, by its name.

use super::sums::Dot;
use crate::alu::float::Round;
use crate::alu::small_float::{BF8, BF8_FNUZ, E5M3, FP8, FP8_FNUZ, SmallFormat};
use crate::valu::Ty;
use crate::valu::kernel::Setting;
use waveglass_isa::{Inst, InstDef, InstFlags, Target};

/// How an operation's exceptions follow from its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Signalling NaNs and subnormal operands alone: minimum, maximum, rounding to an integer, exponent
    /// and significand, widening conversions.
    Operands,
    /// A comparison; any NaN is invalid where its clamp bit asks.
    Compare {
        /// The clamp bit.
        signals: bool,
    },
    /// `a + b`, `a - b`, `b - a`.
    Sum {
        /// Which operand is subtracted.
        minus: [bool; 2],
    },
    /// `a * b`, with anything times zero being zero where that is so.
    Product {
        /// The rule of DirectX 9.
        zero_wins: bool,
    },
    /// `a * b + c`, rounded once.
    Fused {
        /// Anything times zero is zero.
        zero_wins: bool,
    },
    /// `a * b + c`, with the product rounded before the sum.
    Unfused {
        /// Anything times zero is zero.
        zero_wins: bool,
        /// The middle and the operands are flushed whatever MODE says.
        flushes: bool,
    },
    /// The fused or unfused form whose single-precision sum is rounded to a half once more.
    Mixed {
        /// Rounded once in single precision.
        fused: bool,
    },
    /// `a * 2^b`.
    Scale,
    /// `a` less its floor.
    Fraction,
    /// A conversion to the result's format.
    Narrow {
        /// The format.
        to: Ty,
        /// How it rounds whatever MODE says.
        fixed: Option<Round>,
    },
    /// A conversion of an integer.
    FromInteger {
        /// Of so many bits.
        bits: u32,
        /// With a sign.
        signed: bool,
    },
    /// A conversion to an integer.
    ToInteger {
        /// Of so many bits.
        bits: u32,
        /// With a sign.
        signed: bool,
        /// How it rounds.
        rounding: ToInteger,
        /// Whether a loss is inexact: the clamp bit.
        inexact: bool,
    },
    /// The number of each of some bytes.
    Decode {
        /// Their format.
        from: SmallFormat,
        /// The first byte.
        first: u32,
        /// How many.
        count: u32,
    },
    /// A conversion to a float of at most eight bits.
    Encode {
        /// The format.
        to: SmallFormat,
        /// Rounded by the seed in the second operand.
        stochastic: bool,
    },
    /// Singles to halves or bfloat16 by the seed behind them.
    Stochastic {
        /// To bfloat16.
        brain: bool,
    },
    /// `a` in units of `1 / scale`, an integer.
    Normalized {
        /// The units in 1.
        scale: u32,
        /// From -1 on.
        signed: bool,
    },
    /// A dot product.
    Dot(Dot),
    /// `a * b` for lighting, unless `b` or `c` rule it out.
    Lighting,
    /// Twice the operand of the largest magnitude.
    CubeAxis,
    /// A segment of `2 / π` by the exponent of `a`.
    TrigSegment,
    /// `1 / a`.
    Reciprocal,
    /// `1 / a` for integer division: division by zero alone, of integers.
    IntegerReciprocal,
    /// `1 / √a`.
    ReciprocalRoot,
    /// `√a`.
    Root,
    /// `log2 a`.
    Logarithm,
    /// `2^a`.
    Exponential,
    /// Sine or cosine of an angle in turns.
    Circular,
    /// The hyperbolic tangent.
    Tangent,
    /// The last step of a division: quotient, denominator, numerator.
    DivideFixup,
    /// `(a * b + c)` times a power of two where VCC says.
    DivideFused,
}

/// How a conversion to an integer rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToInteger {
    /// Toward zero.
    Truncate,
    /// Down.
    Floor,
    /// To the nearest, halves up.
    HalfUp,
}

/// What is known of an instruction's exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It raises none.
    Silent,
    /// It raises them by a rule.
    Raises(Rule),
    /// Its handler works them out.
    Told,
    /// The manuals do not say enough.
    Unknown,
}

/// The prefixes and types that a mnemonic is made of, less which what it does is left.
pub(super) fn operation(name: &str) -> &str {
    let name = name
        .strip_prefix("v_s_")
        .or(name.strip_prefix("v_dual_"))
        .or(name.strip_prefix("v_"))
        .or(name.strip_prefix("s_"))
        .unwrap_or(name);
    name.strip_prefix("pk_").unwrap_or(name)
}

/// What an instruction, or a half of a VOPD pair called `name`, raises. `float` says whether its
/// operands or its result are floating point.
pub(crate) fn verdict(
    inst: &Inst,
    name: &str,
    sources: [Ty; 3],
    result: Ty,
    clamp: bool,
) -> Verdict {
    let target = inst.target();
    let float = sources.iter().chain([&result]).any(|t| t.is_float());
    let op = operation(name);
    let stem = op
        .strip_suffix("_f32")
        .or(op.strip_suffix("_f64"))
        .or(op.strip_suffix("_f16"))
        .or(op.strip_suffix("_bf16"))
        .unwrap_or(op);
    // "does not report arithmetic exceptions" (CDNA5 ISA 7.7, PK_*_BF16).
    if matches!(sources[0], Ty::PkBf16) && name.starts_with("v_pk_") {
        return Verdict::Silent;
    }
    let rule = match stem {
        "add" => sum(false, false),
        "sub" => sum(false, true),
        "subrev" => sum(true, false),
        "mul" => Rule::Product { zero_wins: false },
        "mul_legacy" | "mul_dx9_zero" => Rule::Product { zero_wins: true },
        "fma" | "fmac" | "fmamk" | "fmaak" => Rule::Fused { zero_wins: false },
        // Of 16 bits "legacy" speaks of the other half of the register.
        "fma_legacy" if result == Ty::F16 => Rule::Fused { zero_wins: false },
        "fma_legacy" | "fmac_legacy" | "fma_dx9_zero" | "fmac_dx9_zero" => {
            Rule::Fused { zero_wins: true }
        }
        "mad" | "mac" | "madmk" | "madak" => unfused(false, result),
        "mad_legacy" | "mac_legacy" => unfused(result != Ty::F16, result),
        "fma_mix" => Rule::Fused { zero_wins: false },
        "mad_mix" => unfused(false, result),
        "fma_mixlo" | "fma_mixhi" => Rule::Mixed { fused: true },
        "mad_mixlo" | "mad_mixhi" => Rule::Mixed { fused: false },
        "ldexp" => Rule::Scale,
        "fract" => Rule::Fraction,
        "rcp" => Rule::Reciprocal,
        "rcp_iflag" => Rule::IntegerReciprocal,
        "rsq" => Rule::ReciprocalRoot,
        "sqrt" => Rule::Root,
        "log" | "log_legacy" => Rule::Logarithm,
        "exp" | "exp_legacy" => Rule::Exponential,
        "sin" | "cos" => Rule::Circular,
        "tanh" => Rule::Tangent,
        "div_fixup" | "div_fixup_legacy" => Rule::DivideFixup,
        "div_fmas" => Rule::DivideFused,
        "trunc" | "ceil" | "floor" | "rndne" => Rule::Operands,
        "frexp_mant" | "cubeid" | "cubesc" | "cubetc" => Rule::Operands,
        _ => match op {
            "fma_mix_f32_bf16" => Rule::Fused { zero_wins: false },
            "frexp_exp_i16_f16" | "frexp_exp_i32_f32" | "frexp_exp_i32_f64" => Rule::Operands,
            "cvt_f32_f16" | "cvt_hi_f32_f16" | "cvt_f32_bf16" | "cvt_f64_f32" => Rule::Operands,
            "cvt_f16_f32" => narrow(Ty::F16, None),
            "cvt_pk_f16_f32" => narrow(Ty::F16, Some(Round::NearestEven)),
            "cvt_f32_f64" => narrow(Ty::F32, None),
            "cvt_pk_bf16_f32" => narrow(Ty::Bf16, Some(Round::NearestEven)),
            "cvt_pkrtz_f16_f32" | "cvt_pk_rtz_f16_f32" => narrow(Ty::F16, Some(Round::TowardZero)),
            "cvt_f32_i32" => from(32, true),
            "cvt_f32_u32" => from(32, false),
            "cvt_f16_i16" => from(16, true),
            "cvt_f16_u16" => from(16, false),
            // Every 32-bit integer is a double, and every byte a single.
            "cvt_f64_i32" | "cvt_f64_u32" | "cvt_f32_ubyte0" | "cvt_f32_ubyte1"
            | "cvt_f32_ubyte2" | "cvt_f32_ubyte3" | "cvt_off_f32_i4" => return Verdict::Silent,
            "cvt_pk_i16_f32" => to(16, true, ToInteger::Truncate, true),
            "cvt_pk_u16_f32" => to(16, false, ToInteger::Truncate, true),
            "cvt_pk_u8_f32" | "cvt_pkaccum_u8_f32" => to(8, false, ToInteger::Truncate, true),
            "cvt_norm_i16_f16"
            | "cvt_pknorm_i16_f32"
            | "cvt_pknorm_i16_f16"
            | "cvt_pk_norm_i16_f32"
            | "cvt_pk_norm_i16_f16" => normalized(0x7fff, true),
            "cvt_norm_u16_f16"
            | "cvt_pknorm_u16_f32"
            | "cvt_pknorm_u16_f16"
            | "cvt_pk_norm_u16_f32"
            | "cvt_pk_norm_u16_f16" => normalized(0xffff, false),
            "cvt_sr_f16_f32" | "cvt_sr_pk_f16_f32" => Rule::Stochastic { brain: false },
            "cvt_sr_bf16_f32" | "cvt_sr_pk_bf16_f32" => Rule::Stochastic { brain: true },
            "mullit_f32" => Rule::Lighting,
            "cubema_f32" => Rule::CubeAxis,
            "trig_preop_f64" => Rule::TrigSegment,
            "cvt_i32_f32" | "cvt_i32_f64" => to(32, true, ToInteger::Truncate, clamp),
            "cvt_u32_f32" | "cvt_u32_f64" => to(32, false, ToInteger::Truncate, clamp),
            "cvt_i16_f16" => to(16, true, ToInteger::Truncate, clamp),
            "cvt_u16_f16" => to(16, false, ToInteger::Truncate, clamp),
            "cvt_flr_i32_f32" | "cvt_floor_i32_f32" => to(32, true, ToInteger::Floor, clamp),
            "cvt_rpi_i32_f32" | "cvt_nearest_i32_f32" => to(32, true, ToInteger::HalfUp, clamp),
            // What it scales by is exact; the division's exceptions are those of V_DIV_FIXUP ("Generate
            // any invalid, denormal and divide-by-zero exceptions that are a result of the division").
            "div_scale_f32" | "div_scale_f64" => return Verdict::Silent,
            // Values are moved, or asked for their class, which IEEE 754 lets signal nothing.
            "pack_b32_f16" => return Verdict::Silent,
            _ if op.starts_with("cmp_class") || op.starts_with("cmpx_class") => {
                return Verdict::Silent;
            }
            _ if float && (op.starts_with("cmp_") || op.starts_with("cmpx_")) => {
                Rule::Compare { signals: clamp }
            }
            _ if float && is_min_max(stem) => Rule::Operands,
            _ if is_silent(inst.def(), target, op) => return Verdict::Silent,
            _ if op.starts_with("cvt_scale") || inst.def().flags.contains(InstFlags::MAI) => {
                return Verdict::Told;
            }
            _ if op.starts_with("dot") && float => Rule::Dot(dot(inst, op)),
            _ if let Some(rule) = small(inst, op) => rule,
            _ if float || is_float_by_name(op) => return Verdict::Unknown,
            _ => return Verdict::Silent,
        },
    };
    Verdict::Raises(rule)
}

fn sum(first: bool, second: bool) -> Rule {
    Rule::Sum {
        minus: [first, second],
    }
}

fn unfused(zero_wins: bool, result: Ty) -> Rule {
    Rule::Unfused {
        zero_wins,
        flushes: result == Ty::F32,
    }
}

fn narrow(to: Ty, fixed: Option<Round>) -> Rule {
    Rule::Narrow { to, fixed }
}

fn from(bits: u32, signed: bool) -> Rule {
    Rule::FromInteger { bits, signed }
}

fn to(bits: u32, signed: bool, rounding: ToInteger, inexact: bool) -> Rule {
    Rule::ToInteger {
        bits,
        signed,
        rounding,
        inexact,
    }
}

fn normalized(scale: u32, signed: bool) -> Rule {
    Rule::Normalized { scale, signed }
}

/// How a dot product of halves or bfloat16 goes on.
fn dot(inst: &Inst, op: &str) -> Dot {
    let setting = Setting(Setting::of_target(inst.target()));
    let accumulates = op.starts_with("dot2c") || op.starts_with("dot2acc");
    let (last, flushes) = match op {
        "dot2_f16_f16" => (setting.adds_last(), false),
        "dot2_bf16_bf16" => (setting.adds_last(), true),
        "dot2_f32_f16" => (setting.major() >= 11, setting.flushes_dot()),
        _ => (!accumulates, setting.flushes_dot()),
    };
    Dot { last, flushes }
}

/// A conversion between an 8-bit float and a wider one.
fn small(inst: &Inst, op: &str) -> Option<Rule> {
    let setting = Setting(Setting::of_target(inst.target()) | Setting::selection(inst));
    let format = |name: &str, wide: &str| match (name, setting.fnuz()) {
        ("bf8", false) => Some(BF8),
        ("bf8", true) => Some(BF8_FNUZ),
        // The clamp bit has conversions of singles make E5M3.
        ("fp8", false) if setting.clamp() && wide == "f32" => Some(E5M3),
        ("fp8", false) => Some(FP8),
        ("fp8", true) => Some(FP8_FNUZ),
        _ => None,
    };
    let rest = op.strip_prefix("cvt_")?;
    let (stochastic, rest) = match rest.strip_prefix("sr_") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let (packed, rest) = match rest.strip_prefix("pk_") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let (to, from) = rest.split_once('_')?;
    if let Some(to) = format(to, from) {
        return Some(Rule::Encode { to, stochastic });
    }
    let (first, count) = match packed {
        true => (0, 2),
        false => (setting.source_byte() as u32, 1),
    };
    // The clamp bit does nothing to pairs of singles.
    let from = match packed {
        true => format(from, "")?,
        false => format(from, to)?,
    };
    Some(Rule::Decode { from, first, count })
}

fn is_min_max(stem: &str) -> bool {
    let stem = stem.strip_suffix("_num").unwrap_or(stem);
    matches!(
        stem,
        "min"
            | "max"
            | "min3"
            | "max3"
            | "med3"
            | "minmax"
            | "maxmin"
            | "minimum"
            | "maximum"
            | "minimum3"
            | "maximum3"
            | "minimummaximum"
            | "maximumminimum"
    )
}

/// Operations on floating point of which the manuals say that they report nothing.
pub(super) fn is_silent(def: &InstDef, target: Target, op: &str) -> bool {
    let flags = def.flags;
    // "WMMA does not generate any ALU exceptions" (RDNA3 ISA 7.9; RDNA4 ISA 7.7, CDNA5 ISA 7.12).
    if flags.intersects(InstFlags::WMMA | InstFlags::SWMMAC) {
        return true;
    }
    // "The matrix core unit does not support arithmetic exceptions, except for DGEMM" (CDNA3 and CDNA4 ISA
    // 7.3), and on CDNA 2, which has DGEMM too, "does not support arithmetic exceptions" (CDNA2 ISA 7.1).
    if flags.contains(InstFlags::MAI) {
        return !(op.contains("f64") && target.has_gfx940_insts());
    }
    // "Exceptions are not reported" (RDNA4 ISA 7.7, DOT4_F32_{FP8,BF8}).
    target.major() >= 12 && op.starts_with("dot4_f32_")
}

/// Whether an operation without typed operands works on floating point.
fn is_float_by_name(op: &str) -> bool {
    [
        "f16", "f32", "f64", "bf16", "fp8", "bf8", "fp6", "bf6", "fp4",
    ]
    .iter()
    .any(|t| op.split('_').any(|part| part == *t))
}
