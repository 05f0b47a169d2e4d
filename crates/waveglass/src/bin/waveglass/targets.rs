//! `waveglass targets`.

use std::fmt::Write as _;

use owo_colors::OwoColorize as _;
use waveglass::TargetFacts;
use waveglass::isa::Target;

use crate::cli::TargetsArgs;
use crate::failure::Failure;
use crate::output;

pub(crate) fn main(args: &TargetsArgs) -> Result<(), Failure> {
    let facts: Vec<TargetFacts> = Target::ALL.iter().map(|&t| TargetFacts::of(t)).collect();
    if args.json {
        return output::write_json(&facts);
    }
    let mut text = String::new();
    let head = format!(
        "{:<8} {:<10} {:<6} {:>5} {:>5} {:>5} {:>8}  features",
        "target", "generation", "wave", "VGPRs", "AGPRs", "SGPRs", "LDS"
    );
    let _ = writeln!(text, "{}", head.bold());
    for f in &facts {
        let waves: Vec<String> = f.wave_sizes.iter().map(u32::to_string).collect();
        let mut features = Vec::new();
        if f.xnack {
            features.push("xnack");
        }
        if f.sramecc {
            features.push("sramecc");
        }
        let line = format!(
            "{:<8} {:<10} {:<6} {:>5} {:>5} {:>5} {:>4} KiB  {}",
            f.name,
            f.generation,
            waves.join(","),
            f.vgprs,
            f.agprs,
            f.sgprs,
            f.lds_bytes >> 10,
            features.join(" ")
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    output::write(&text)
}
