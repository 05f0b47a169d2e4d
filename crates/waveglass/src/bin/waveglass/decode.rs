//! `waveglass decode`.

use std::fmt::Write as _;

use anyhow::anyhow;
use owo_colors::OwoColorize as _;
use waveglass::Card;
use waveglass::isa::Decoder;

use crate::cli::{DecodeArgs, check_wave_size};
use crate::failure::Failure;
use crate::output;

pub(crate) fn main(args: &DecodeArgs) -> Result<(), Failure> {
    check_wave_size(args.target, args.wavesize)?;
    let bytes = output::parse_hex(&args.hex.join(" ")).map_err(|e| anyhow!("HEX: {e}"))?;
    let lanes = args.wavesize.unwrap_or(args.target.default_wave_size());
    let inst = Decoder::new(args.target)
        .wave_size(lanes)
        .decode(&bytes)
        .map_err(|e| {
            anyhow!("offset 0x0: {e} of {}; bytes stand in the order of memory, low byte of the first dword first", args.target)
        })?;
    if inst.size() < bytes.len() {
        return Err(anyhow!(
            "offset {:#x}: {} bytes follow the instruction; give one instruction, or use `waveglass dis --hex`",
            inst.size(),
            bytes.len() - inst.size()
        )
        .into());
    }
    let card = Card::new(&inst);
    if args.json {
        return output::write_json(&card);
    }
    output::write(&text(&card))
}

fn text(card: &Card) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}", card.text.bold());
    let _ = writeln!(
        out,
        "{} on {}, wave{}, {} bytes: {}",
        card.encodings.join(" + "),
        card.target,
        card.wave_size,
        card.words.len() * 4,
        card.words.join(" ")
    );
    if !card.aliases.is_empty() {
        let _ = writeln!(out, "also spelt {}", card.aliases.join(", "));
    }
    let _ = writeln!(out, "\n{}", "Fields".bold());
    let widest = card.fields.iter().map(|f| f.name.len()).max().unwrap_or(0);
    for f in &card.fields {
        let bits = if f.hi == f.lo {
            f.lo.to_string()
        } else {
            format!("{}:{}", f.hi, f.lo)
        };
        let value = format!("{:#x}", f.value);
        let _ = writeln!(
            out,
            "  {:<widest$}  {bits:>7}  {value:>10}  {}",
            f.name, f.meaning
        );
    }
    if !card.operands.is_empty() {
        let _ = writeln!(out, "\n{}", "Operands".bold());
        let widest = card
            .operands
            .iter()
            .map(|o| o.name.len())
            .max()
            .unwrap_or(0);
        for o in &card.operands {
            let _ = writeln!(
                out,
                "  {:<widest$}  {:<14}  {:<9}  {:>4} bits  {}",
                o.name, o.access, o.ty, o.bits, o.value
            );
        }
    }
    let _ = writeln!(out);
    let mut list = |what: &str, names: &[String], implicit: &[String]| {
        let shown: Vec<String> = names
            .iter()
            .map(|n| match implicit.contains(n) {
                true => format!("{n} (implicit)"),
                false => n.clone(),
            })
            .collect();
        let shown = match shown.is_empty() {
            true => "nothing".to_owned(),
            false => shown.join(", "),
        };
        let _ = writeln!(out, "{} {shown}", what.bold());
    };
    list("Reads ", &card.reads, &card.implicit_reads);
    list("Writes", &card.writes, &card.implicit_writes);
    if !card.counters.is_empty() {
        let _ = writeln!(out, "{} {}", "Counts".bold(), card.counters.join(", "));
    }
    out
}
