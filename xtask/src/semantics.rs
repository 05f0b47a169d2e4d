//! Which instructions of the tables are executed, and which are refused.

use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use waveglass_exec::{Fidelity, fidelity};
use waveglass_isa::{InstDef, InstFlags, Target, rows};

/// The family that an instruction is counted under.
fn family(def: &InstDef) -> &'static str {
    let name = def.mnemonic;
    let encoding = def.encoding();
    if def
        .flags
        .intersects(InstFlags::MAI | InstFlags::WMMA | InstFlags::SWMMAC)
        || name.contains("wmma")
        || name.contains("mfma")
    {
        return "matrix";
    }
    if name.contains("_dot") {
        return "dot";
    }
    if name.contains("interp") || name.contains("parm_load") || name.contains("_param_") {
        return "interpolation";
    }
    if name.starts_with("exp") || name.contains("export") {
        return "export";
    }
    if name.contains("bvh") {
        return "ray tracing";
    }
    match encoding {
        e if e.contains("IMG") || e.contains("IMAGE") || e.contains("SAMPLE") => "image",
        e if e.contains("SOPP") => "SOPP",
        e if e.contains("SOPK") => "SOPK",
        e if e.contains("SOPC") => "SOPC",
        e if e.contains("SOP1") => "SOP1",
        e if e.contains("SOP2") => "SOP2",
        e if e.contains("VOPD") => "VOPD",
        e if e.contains("VOP3P") => "VOP3P",
        _ if name.starts_with("v_cmp") => "VOPC",
        e if e.contains("VOP1") => "VOP1",
        e if e.contains("VOP2") => "VOP2",
        e if e.contains("VOP3") => "VOP3",
        e if e.contains("VOP") => "VOP",
        _ => "memory",
    }
}

/// Families that are refused by design.
const OUTSIDE: &[&str] = &["image", "export", "interpolation", "ray tracing"];

/// Prints a line a family and target: how many instructions are exact, approximate and refused, and
/// the names of those refused.
pub(crate) fn run(targets: &[Target], names: bool) -> Result<()> {
    println!("target    family          exact  approx  refused");
    for &target in targets {
        let mut seen = BTreeSet::new();
        let mut counts = BTreeMap::<&str, ([usize; 3], BTreeSet<&str>)>::new();
        for def in rows().iter().filter(|r| r.has_target(target)) {
            let outcome = fidelity(target, def);
            let i = match outcome {
                Fidelity::Exact => 0,
                Fidelity::Approximate { .. } => 1,
                Fidelity::Refused { .. } => 2,
            };
            if !seen.insert((def.mnemonic, i)) {
                continue;
            }
            let entry = counts.entry(family(def)).or_default();
            entry.0[i] += 1;
            if i == 2 {
                entry.1.insert(def.mnemonic);
            }
        }
        let mut inside = [0; 3];
        for (family, ([exact, approximate, refused], missing)) in &counts {
            println!(
                "{:9} {family:14} {exact:6}  {approximate:6}  {refused:7}",
                target.name()
            );
            if names {
                for name in missing {
                    println!("    {name}");
                }
            }
            if !OUTSIDE.contains(family) {
                inside[0] += exact;
                inside[1] += approximate;
                inside[2] += refused;
            }
        }
        let [exact, approximate, refused] = inside;
        let all = exact + approximate + refused;
        println!(
            "{:9} {:14} {exact:6}  {approximate:6}  {refused:7}  {:.2} % executed",
            target.name(),
            "all but image…",
            100.0 * (exact + approximate) as f64 / all.max(1) as f64
        );
    }
    Ok(())
}
