//! Where the exceptions of an instruction are a reading.

use super::rule::is_silent;
use crate::fidelity::{Fidelity, fidelity};
use waveglass_isa::{InstDef, InstFlags, Target};

/// How the exceptions of an instruction are read where no manual defines them for it; `None` where the
/// definitions of the seven kinds settle them, or the manual says that it reports none.
///
/// It matters only to programs that read exception flags or let exceptions trap.
///
/// ```
/// use waveglass_exec::exception_reading;
/// use waveglass_isa::{Target, rows};
///
/// let row = |name| rows().iter().find(|r| r.mnemonic == name).unwrap();
/// assert_eq!(exception_reading(Target::Gfx1201, row("v_add_f32")), None);
/// assert!(exception_reading(Target::Gfx1100, row("v_dot2_f32_f16")).is_some());
/// ```
pub fn exception_reading(target: Target, def: &InstDef) -> Option<&'static str> {
    if matches!(fidelity(target, def), Fidelity::Refused { .. }) {
        return None;
    }
    let name = def.mnemonic;
    // Both halves of a pair.
    name.split(" :: ")
        .find_map(|half| of_name(target, def, half))
}

fn of_name(target: Target, def: &InstDef, name: &str) -> Option<&'static str> {
    let op = super::rule::operation(name);
    if is_silent(def, target, op) {
        return None;
    }
    let small = ["fp8", "bf8", "fp6", "bf6", "fp4"];
    let parts = || op.split('_');
    if def.flags.contains(InstFlags::MAI) {
        return op
            .contains("mfma")
            .then_some("each fused multiply-add raises what it raises alone");
    }
    if op.starts_with("dot") && parts().any(|p| matches!(p, "f32" | "f16" | "bf16")) {
        return Some("each product and each sum raises what it raises alone");
    }
    if !op.starts_with("cvt_") {
        let stem = op.rsplit_once('_').map_or(op, |(stem, _)| stem);
        return match stem {
            "mullit" | "cubema" => Some("those of the product that the manual's listing writes"),
            "trig_preop" => {
                Some("a subnormal or signalling operand, and a denormal segment's loss")
            }
            "rcp" | "rsq" | "sqrt" | "log" | "exp" | "sin" | "cos" | "tanh" | "log_legacy"
            | "exp_legacy" => Some("those of the exact function of the operand"),
            _ => None,
        };
    }
    if op.starts_with("cvt_sr_") {
        return Some(
            "those of a conversion of IEEE 754; an overflow is one where the seed takes it there",
        );
    }
    if parts().any(|p| small.contains(&p)) {
        return Some(
            "those of a conversion of IEEE 754: NaN codes are quiet, an infinity that becomes NaN is \
             invalid, and one that becomes the largest number overflows",
        );
    }
    let integers = [
        "cvt_pk_i16_f32",
        "cvt_pk_u16_f32",
        "cvt_pk_u8_f32",
        "cvt_pkaccum_u8_f32",
    ];
    (op.contains("norm_") || integers.contains(&op)).then_some(
        "those of a conversion to an integer: invalid for NaN and out of range, inexact for a loss \
         whatever the clamp bit",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use waveglass_isa::rows;

    #[test]
    fn readings_are_of_what_manuals_leave_open() {
        let reads = |target, name: &str| {
            let def = rows()
                .iter()
                .find(|r| r.mnemonic == name && r.has_target(target))
                .unwrap_or_else(|| panic!("{name}"));
            exception_reading(target, def).is_some()
        };
        for (target, name, expected) in [
            (Target::Gfx900, "v_fma_f32", false),
            (Target::Gfx900, "v_cvt_f16_f32", false),
            (Target::Gfx900, "v_rcp_f32", true),
            (Target::Gfx900, "v_cvt_pknorm_i16_f32", true),
            (Target::Gfx900, "v_cvt_pk_u8_f32", true),
            (Target::Gfx900, "v_cubema_f32", true),
            (Target::Gfx900, "v_cubeid_f32", false),
            (Target::Gfx906, "v_dot4_i32_i8", false),
            (Target::Gfx906, "v_dot2_f32_f16", true),
            (Target::Gfx90a, "v_mfma_f64_4x4x4f64", false),
            (Target::Gfx942, "v_mfma_f64_4x4x4_4b_f64", true),
            (Target::Gfx942, "v_mfma_f32_32x32x8_f16", false),
            (Target::Gfx950, "v_cvt_scalef32_pk_f32_fp4", true),
            (Target::Gfx950, "v_cvt_sr_bf16_f32", true),
            (Target::Gfx1100, "v_wmma_f32_16x16x16_f16", false),
            (Target::Gfx1201, "v_dot4_f32_fp8_bf8", false),
            (Target::Gfx1201, "v_cvt_pk_fp8_f32", true),
            // Scalar code goes by the same texts.
            (Target::Gfx1201, "s_cvt_i32_f32", false),
        ] {
            assert_eq!(reads(target, name), expected, "{target} {name}");
        }
    }
}
