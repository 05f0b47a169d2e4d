//! Which operations ignore the clamp bit, the output modifier and MODE's denormal fields, where those would act on
//! them.
//!
//! From RDNA 3 on the manuals list them (RDNA3, RDNA3.5, RDNA4 and CDNA5 ISA 7.2.3.1). What stands there without a
//! result that either acts on (moves, bitwise operations, permutes) needs no mention here.
//!
//! CDNA 5's list has "V_MUL/MAD on integers", while its text on V_MAD_I16 and V_MAD_U16 says "supports saturation":
//! of these two the latter is taken.

use waveglass_isa::{Generation, Target};

/// Whether `name` ignores the clamp bit.
pub(super) fn clamp(target: Target, name: &str) -> bool {
    match target.generation() {
        Generation::Rdna3 | Generation::Rdna3_5 => is_float_dot(name),
        Generation::Rdna4 => is_float_dot(name) || is_byte_dot(name) || is_small(name),
        Generation::Cdna5 => {
            is_float_dot(name)
                || is_byte_dot(name)
                || is_small(name)
                || is_integer_product(name)
                || is_brain_function(name)
                || is_packed_conversion(name)
        }
        _ => false,
    }
}

/// Whether `name` ignores OMOD.
pub(super) fn omod(target: Target, name: &str) -> bool {
    match target.generation() {
        Generation::Rdna3 | Generation::Rdna3_5 => is_narrow_dot(name),
        Generation::Rdna4 => is_narrow_dot(name) || is_small(name),
        Generation::Cdna5 => is_small(name) || is_packed_conversion(name) || is_of_integer(name),
        _ => false,
    }
}

/// Whether `name` flushes denormals whatever MODE says, and does not for its own reasons already: "these opcodes
/// flush input and output denorms: FMA_DX9_ZERO_F32, CUBExx_F32" (RDNA4 ISA 7.2.4).
pub(super) fn denormals(target: Target, name: &str) -> bool {
    // The entry of both names has the older one.
    target.generation() == Generation::Rdna4
        && (name.starts_with("v_cube") || matches!(name, "v_fma_legacy_f32" | "v_fma_dx9_zero_f32"))
}

/// "Float DOT instructions".
fn is_float_dot(name: &str) -> bool {
    name.starts_with("v_dot") && ["_f32", "_f16", "_bf16"].iter().any(|t| name.contains(t))
}

/// "DOT2_F16_F16, DOT2_BF16_BF16".
fn is_narrow_dot(name: &str) -> bool {
    matches!(name, "v_dot2_f16_f16" | "v_dot2_bf16_bf16")
}

/// "V_DOT4_I32_IU8, V_DOT4_U32_U8".
fn is_byte_dot(name: &str) -> bool {
    matches!(name, "v_dot4_i32_iu8" | "v_dot4_u32_u8")
}

/// "V_CVT*F32_{BF8,FP8}"; on CDNA 5 "conversions from BF8/FP8 or smaller floats" (7.6), where the bit of some
/// means another format.
fn is_small(name: &str) -> bool {
    name.starts_with("v_cvt") && (name.contains("fp8") || name.contains("bf8"))
}

/// "V_MUL/MAD on integers", "V_MAD_U32", "V_MUL_U64".
fn is_integer_product(name: &str) -> bool {
    let product = ["v_mul_", "v_mad_", "v_pk_mul_", "v_pk_mad_"];
    let integer = [
        "_i16", "_u16", "_i32", "_u32", "_i64", "_u64", "_i24", "_u24",
    ];
    product.iter().any(|p| name.starts_with(p))
        && integer.iter().any(|t| name.contains(t))
        && !matches!(name, "v_mad_i16" | "v_mad_u16")
}

/// "BF16 trans ops".
fn is_brain_function(name: &str) -> bool {
    let functions = [
        "v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_", "v_tanh_",
    ];
    name.ends_with("_bf16") && functions.iter().any(|f| name.starts_with(f))
}

/// "Packed and scaled converts".
fn is_packed_conversion(name: &str) -> bool {
    name.starts_with("v_cvt_pk_") || name.starts_with("v_cvt_sr_pk_")
}

/// "Converts from any integer type".
fn is_of_integer(name: &str) -> bool {
    let from = [
        "_i32", "_u32", "_i16", "_u16", "_i4", "_ubyte0", "_ubyte1", "_ubyte2", "_ubyte3",
    ];
    name.starts_with("v_cvt_") && from.iter().any(|t| name.ends_with(t))
}
