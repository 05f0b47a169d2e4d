//! How faithfully each instruction is executed.

use crate::{matrix, semantics};
use waveglass_isa::{InstDef, Target};

/// How an instruction's results compare with the hardware's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// Every bit is what the manual defines.
    Exact,
    /// The manual leaves bits to the hardware, or they are not modelled.
    Approximate {
        /// How far from the hardware's results may lie.
        error: &'static str,
    },
    /// Executing it stops the run with its name.
    Refused {
        /// Why.
        reason: &'static str,
    },
}

/// How faithfully `def` is executed on `target`.
///
/// It speaks of the instruction in its usual forms: some operands or settings of one that is
/// executed may still be refused when it runs, and the run says which.
///
/// ```
/// use waveglass_exec::{Fidelity, fidelity};
/// use waveglass_isa::{Target, rows};
///
/// let row = |name| rows().iter().find(|r| r.mnemonic == name).unwrap();
/// assert_eq!(fidelity(Target::Gfx900, row("v_add_f32")), Fidelity::Exact);
/// let rcp = fidelity(Target::Gfx900, row("v_rcp_f32"));
/// assert!(matches!(rcp, Fidelity::Approximate { .. }));
/// let halt = fidelity(Target::Gfx900, row("s_sendmsghalt"));
/// assert!(matches!(halt, Fidelity::Refused { .. }));
/// ```
pub fn fidelity(target: Target, def: &InstDef) -> Fidelity {
    let name = def.mnemonic;
    if !def.has_target(target) {
        return Fidelity::Refused {
            reason: "the target does not have the instruction",
        };
    }
    if let Some((_, reason)) = REFUSED.iter().find(|(n, _)| *n == name) {
        return Fidelity::Refused { reason };
    }
    if !semantics::is_implemented(name) {
        return Fidelity::Refused {
            reason: family_reason(def),
        };
    }
    match error(name)
        .or_else(|| matrix::error(name))
        .or_else(|| dot_error(name))
    {
        Some(error) => Fidelity::Approximate { error },
        None => Fidelity::Exact,
    }
}

/// Instructions that are refused whatever their operands.
pub(crate) const REFUSED: &[(&str, &str)] = &[
    (
        "s_sendmsghalt",
        "the wave halts itself, and nobody would resume it",
    ),
    ("s_alloc_vgpr", "dynamic VGPR allocation is not modelled"),
];

/// Why an instruction without semantics has none.
pub(crate) fn family_reason(def: &InstDef) -> &'static str {
    let (name, encoding) = (def.mnemonic, def.encoding());
    if let Some(why) = semantics::refused::reason(name) {
        why
    } else if name.contains("bvh") {
        "ray tracing is not modelled"
    } else if name.contains("interp") || name.contains("param_load") {
        "interpolation is for graphics and not modelled"
    } else if name.starts_with("exp") {
        "exports are for graphics and not modelled"
    } else if encoding.contains("IMG") || encoding.contains("IMAGE") || encoding.contains("SAMPLE")
    {
        "image operations are not modelled"
    } else {
        "the instruction has no semantics here"
    }
}

/// Where the manuals leave bits open: a mnemonic without its type, types, and how far from the
/// hardware's results ours may lie.
const OPEN: &[(&[&str], &[&str], &str)] = &[
    (
        &[
            "v_exp", "v_log", "v_rcp", "v_rsq", "v_sqrt", "v_sin", "v_cos",
        ],
        &["_f32", "_legacy_f32", "_iflag_f32", "_f16", "_bf16"],
        "1 ULP of the hardware's, which the manuals bound and do not define; here within 0.5001 ULP \
         of the exact value",
    ),
    (
        &["v_tanh"],
        &["_f32", "_f16", "_bf16"],
        "the hardware's cubic approximation is not documented; here the exact function rounded",
    ),
    (
        &["v_rcp", "v_rsq", "v_sqrt"],
        &["_f64"],
        "the hardware gives some 2^29 ULP, for programs to refine; here within 1 ULP",
    ),
];

/// How far from the hardware's results ours may lie, `None` where they are the same.
fn error(name: &'static str) -> Option<&'static str> {
    if let Some((x, y)) = name.split_once(" :: ") {
        let half = |h: &'static str| {
            let single = h.strip_prefix("v_dual_")?;
            OPEN.iter()
                .find_map(|open| of_type(open, &format!("v_{single}")))
        };
        return half(x).or(half(y));
    }
    let vector = match name.strip_prefix("v_s_") {
        Some(rest) => format!("v_{rest}"),
        None => name.to_owned(),
    };
    if let Some(error) = OPEN.iter().find_map(|open| of_type(open, &vector)) {
        return Some(error);
    }
    if name.starts_with("v_cvt_sr_") || name.starts_with("v_cvt_scalef32_sr_") {
        return Some(
            "one place of the result: the manuals' text adds the seed and truncates, their listings \
             differ from it, and of 16-bit results and of scaled ones they do not say which bits of \
             the seed count",
        );
    }
    if name.starts_with("ds_bvh_stack") {
        return Some(
            "the order of the nodes, the state in the address and what popped entries leave in LDS: the \
             manual's listing and AMD's ray tracing library differ; here as in the library",
        );
    }
    if name.contains("load_tr6_b96") {
        return Some(
            "the places of K 4 to 7 and 8 to 11: the manual's figure has lanes read K in an order that no \
             layout of matrices has; here they arrive in the order of K",
        );
    }
    if name.starts_with("v_cvt_scale_pk") {
        return Some(
            "the manual's listing and its tables differ about which lane and byte hold the scale; \
             here the tables are followed",
        );
    }
    match name {
        "s_memtime" | "s_memrealtime" | "s_get_shader_cycles_u64" => {
            Some("the clock counts the wave's instructions, not cycles")
        }
        "s_sendmsg_rtn_b32" | "s_sendmsg_rtn_b64" => {
            Some("the clock counts the wave's instructions, not cycles")
        }
        "s_getreg_b32" => Some(
            "clocks count instructions, what tells a wave's place on a device is zero or its place in \
             the workgroup, and flags do not tell an exception's cycle",
        ),
        _ => None,
    }
}

/// Float dot products in their other spellings: the manuals write sums and do not say where they
/// round.
fn dot_error(mnemonic: &str) -> Option<&'static str> {
    // "v_dot2c_f32_bf16", "v_dual_dot2acc_f32_f16 :: v_dual_mov_b32".
    let dot = mnemonic.find("dot")?;
    let name = &mnemonic[dot..];
    ["_f32_", "_f16_", "_bf16_"]
        .iter()
        .any(|f| name.split(' ').next().is_some_and(|n| n.contains(f)))
        .then_some("one rounding a sum: hardware may round less often, or in another order")
}

fn of_type(
    (stems, types, error): &(&[&str], &[&str], &'static str),
    name: &str,
) -> Option<&'static str> {
    stems
        .iter()
        .any(|stem| {
            name.strip_prefix(stem)
                .is_some_and(|rest| types.contains(&rest))
        })
        .then_some(*error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Bench;
    use std::collections::BTreeMap;
    use waveglass_isa::{Decoder, InstFlags, rows};

    /// Instructions of a row with bits that the row leaves open at random.
    fn samples(target: Target, def: &InstDef, count: usize) -> Vec<waveglass_isa::Inst> {
        let lanes = match def.wave {
            0 => target.default_wave_size(),
            w => w.into(),
        };
        let decoder = Decoder::new(target).wave_size(lanes);
        let mut state = 0x9e37_79b9_7f4a_7c15u64 ^ (def.index() as u64) << 20;
        let mut next = || crate::testing::xorshift(&mut state) as u32;
        let mut found = Vec::new();
        for attempt in 0..400 {
            let mut bytes = [0; 20];
            for k in 0..5 {
                let (mask, value) = match k {
                    0..4 => (def.shape.mask[k], def.value[k]),
                    _ => (0, 0),
                };
                // Few registers are valid everywhere, so half of the attempts keep to low numbers.
                let open = match attempt % 2 {
                    0 => next() & next() & next(),
                    _ => next(),
                };
                let word = open & !mask | value;
                bytes[4 * k..4 * k + 4].copy_from_slice(&word.to_le_bytes());
            }
            if let Ok(inst) = decoder.decode(&bytes)
                && std::ptr::eq(inst.def(), def)
            {
                found.push(inst);
                if found.len() == count {
                    break;
                }
            }
        }
        found
    }

    #[test]
    fn what_is_not_refused_has_semantics_in_every_form() {
        let mut refused = BTreeMap::<(&str, &str, &str), usize>::new();
        for &target in Target::ALL {
            for def in rows().iter().filter(|r| r.has_target(target)) {
                if matches!(fidelity(target, def), Fidelity::Refused { .. }) {
                    continue;
                }
                for inst in samples(target, def, 4) {
                    let mut b = Bench::new(target, inst.wave_size());
                    let op = b.compile(&inst);
                    if let Some(why) = op.refused {
                        *refused
                            .entry((def.mnemonic, def.encoding(), why))
                            .or_default() += 1;
                        continue;
                    }
                    b.run_op(&op);
                }
            }
        }
        // Operands and settings that are refused whatever else the instruction does.
        const SOME_OPERANDS: &[&str] = &[
            "a scale selection that the manual describes in two ways",
            "a barrier that is named by neither a constant nor M0",
            "a wait for the cluster's barrier, and there is no cluster",
            "the message has an effect that is not modelled",
            "the hardware register is not modelled",
            "a return from the trap handler outside of it",
            "the wave halts itself, and nobody would resume it",
        ];
        // Memory and matrix operations have tests of their own.
        refused.retain(|(name, encoding, why), _| {
            let alu = encoding.contains("SOP") || encoding.contains("VOP");
            let matrix = name.contains("mfma") || name.contains("wmm") || name.contains("smfmac");
            alu && !matrix && !SOME_OPERANDS.contains(why)
        });
        assert!(refused.is_empty(), "{refused:#?}");
    }

    #[test]
    fn almost_all_that_is_no_image_and_no_memory_operation_is_executed() {
        for &target in Target::ALL {
            let (mut all, mut executed) = (0, 0);
            for def in rows().iter().filter(|r| r.has_target(target)) {
                let e = def.encoding();
                let alu = e.contains("SOP") || e.contains("VOP") && !e.contains("VINTERP");
                let matrix = InstFlags::MAI | InstFlags::WMMA | InstFlags::SWMMAC;
                if !alu
                    || def.flags.intersects(matrix)
                    || def.mnemonic.contains("interp")
                    || def.mnemonic.contains("wmma")
                {
                    continue;
                }
                all += 1;
                executed += !matches!(fidelity(target, def), Fidelity::Refused { .. }) as usize;
            }
            assert!(
                executed * 1000 >= all * 997,
                "{target}: {executed} of {all}"
            );
        }
    }
}
