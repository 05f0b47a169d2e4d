//! `waveglass descriptor`.

use std::fmt::Write as _;

use anyhow::anyhow;
use clap::Args;
use owo_colors::OwoColorize as _;
use waveglass::isa::Target;
use waveglass::{DescriptorCard, set_descriptor_field};

use crate::cli::parse_target;
use crate::failure::Failure;
use crate::output;

/// Arguments of `waveglass descriptor`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  waveglass descriptor 0x10000 0x00100000 64 0x00027fac --target gfx90a\n  waveglass descriptor --target gfx1100 --field base=0x10000 --field num_records=256 --field format=32_FLOAT --field oob_select=3"
)]
pub(crate) struct DescriptorArgs {
    /// The four dwords, the first first; left out they are zero.
    #[arg(value_name = "WORD", num_args = 0..=4, value_parser = parse_word)]
    words: Vec<u32>,
    /// The target.
    #[arg(long, value_parser = parse_target)]
    target: Target,
    /// Set a field, as in `base=0x10000`; a format and selects may be named: `format=16_FLOAT`,
    /// `dst_sel_w=1`.
    #[arg(long, value_name = "NAME=VALUE")]
    field: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

fn parse_word(text: &str) -> Result<u32, String> {
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => text.parse(),
    }
    .map_err(|e| match e.kind() {
        std::num::IntErrorKind::PosOverflow => {
            format!("{text} does not fit in 32 bits; a V# is four words")
        }
        _ => format!("{text:?} is no number, decimal or with 0x"),
    })
}

pub(crate) fn main(args: &DescriptorArgs) -> Result<(), Failure> {
    let mut words = match args.words.as_slice() {
        [] if args.field.is_empty() => {
            return Err(anyhow!("give the four words, or fields with --field NAME=VALUE").into());
        }
        [] => [0; 4],
        [a, b, c, d] => [*a, *b, *c, *d],
        some => {
            return Err(anyhow!("a V# has four words; {} given", some.len()).into());
        }
    };
    let mut given: Vec<&str> = Vec::new();
    for field in &args.field {
        let name = field.split('=').next().unwrap_or_default().trim();
        // On gfx9 a format's name stands for two fields.
        let same = |a: &str, b: &str| {
            a == b || a == "format" && ["data_format", "num_format"].contains(&b)
        };
        if let Some(before) = given.iter().find(|g| same(g, name) || same(name, g)) {
            return Err(anyhow!(
                "--field {field}: {} is given already, as {before}; give it once",
                if *before == name {
                    "the field"
                } else {
                    "what it sets"
                }
            )
            .into());
        }
        given.push(name);
        let (name, value) = field
            .split_once('=')
            .ok_or_else(|| anyhow!("--field {field}: write NAME=VALUE"))?;
        words = set_descriptor_field(words, args.target, name.trim(), value.trim())
            .map_err(|e| anyhow!("--field {field}: {e}"))?;
    }
    let card = DescriptorCard::new(words, args.target);
    if args.json {
        return output::write_json(&card);
    }
    output::write(&text(&card))
}

fn text(card: &DescriptorCard) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}", card.summary.bold());
    let _ = writeln!(
        out,
        "V# of {} ({}): {}",
        card.generation,
        card.target,
        card.words.join(" ")
    );
    let _ = writeln!(out, "\n{}", "Fields".bold());
    let widest = card.fields.iter().map(|f| f.name.len()).max().unwrap_or(0);
    for f in &card.fields {
        let bits = if f.high == f.low {
            f.low.to_string()
        } else {
            format!("{}:{}", f.high, f.low)
        };
        let value = format!("{:#x}", f.value);
        let _ = writeln!(
            out,
            "  {:<widest$}  {bits:>7}  {value:>14}  {}",
            f.name, f.meaning
        );
    }
    for (head, lines) in [
        ("Addresses", &card.address),
        ("Checks", &card.checks),
        ("Typed accesses", &card.typed),
        ("Notes", &card.notes),
    ] {
        if lines.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n{}", head.bold());
        for line in lines {
            let _ = writeln!(out, "  {line}");
        }
    }
    out
}
