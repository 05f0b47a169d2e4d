//! `waveglass dis`.

use std::fmt::Write as _;

use anyhow::{Context, anyhow};
use owo_colors::OwoColorize as _;
use waveglass::asm::print_bytes;
use waveglass::object::{Error, File};
use waveglass::{Listing, ListingOptions};

use crate::cli::{DisArgs, check_wave_size};
use crate::failure::Failure;
use crate::output;

pub(crate) fn main(args: &DisArgs) -> Result<(), Failure> {
    if let Some(target) = args.target {
        check_wave_size(target, args.wavesize)?;
    }
    let data = output::read(&args.file)?;
    if args.hex {
        return hex(args, &data);
    }
    if args.asm {
        return source(args, &data);
    }
    let options = ListingOptions {
        wave_size: args.wavesize,
        print: args.true16.print_options(),
    };
    let listings =
        listings(args, &data, &options).with_context(|| args.file.display().to_string())?;
    if args.json {
        return output::write_json(&listings);
    }
    let mut out = String::new();
    for l in &listings {
        text(&mut out, l);
    }
    output::write(&out)
}

/// `--asm`: a source that assembles to the same code object.
fn source(args: &DisArgs, data: &[u8]) -> Result<(), Failure> {
    let name = || args.file.display().to_string();
    let text = match File::parse(data).with_context(name)? {
        File::CodeObject(_) => waveglass::source_of(data).with_context(name)?,
        File::Bundle(bundle) => {
            let target = args
                .target
                .ok_or_else(|| anyhow!("{} holds several targets: give --target", name()))?;
            let entry = bundle
                .find(target.name())
                .next()
                .ok_or_else(|| anyhow!("{} has no code for {target}", name()))?;
            waveglass::source_of(bundle.data(entry)).with_context(name)?
        }
        _ => return Err(anyhow!("{} is no code object", name()).into()),
    };
    output::write(&text)
}

fn listings(args: &DisArgs, data: &[u8], options: &ListingOptions) -> anyhow::Result<Vec<Listing>> {
    let file = match (File::parse(data), args.target) {
        (Ok(file), _) => file,
        // Anything that is no container is raw code, where a target says of what.
        (Err(Error::UnknownFormat { .. }), Some(target)) => {
            if args.kernel.is_some() {
                return Err(anyhow!("raw code has no kernel names; leave --kernel out"));
            }
            return Ok(vec![Listing::of_code(target, data, options)]);
        }
        (Err(e @ Error::UnknownFormat { .. }), None) => {
            return Err(anyhow!("{e} with --target"));
        }
        (Err(e), _) => return Err(e.into()),
    };
    let objects = file.code_objects(args.target.map(|t| t.name()))?;
    let mut out = Vec::new();
    for object in &objects {
        if let Ok(target) = object.target().gfx.parse() {
            check_wave_size(target, args.wavesize)?;
        }
        out.push(Listing::of_object(object, args.kernel.as_deref(), options)?);
    }
    Ok(out)
}

/// A line of text for each line of hexadecimal bytes.
fn hex(args: &DisArgs, data: &[u8]) -> Result<(), Failure> {
    let target = args.target.ok_or_else(|| anyhow!("--hex needs --target"))?;
    let lanes = args.wavesize.unwrap_or(target.default_wave_size());
    let options = args.true16.print_options();
    let lines: Vec<String> = String::from_utf8_lossy(data)
        .lines()
        .map(|line| {
            output::parse_hex(line)
                .ok()
                .and_then(|bytes| {
                    let (text, size) = print_bytes(target, lanes, &bytes, &options)?;
                    // Bytes left over make a line no instruction.
                    (size == bytes.len()).then(|| text.trim().to_owned())
                })
                .unwrap_or_else(|| "invalid".to_owned())
        })
        .collect();
    if args.json {
        return output::write_json(&lines);
    }
    let mut out = String::with_capacity(lines.len() * 40);
    for line in lines {
        out.push_str(&line);
        out.push('\n');
    }
    output::write(&out)
}

fn text(out: &mut String, listing: &Listing) {
    let mut comment = String::new();
    let _ = writeln!(out, "// {}", listing.target);
    for f in &listing.functions {
        if !f.name.is_empty() {
            let kind = if f.kernel { "kernel" } else { "function" };
            let _ = writeln!(
                out,
                "\n{} // {kind}, wave{}",
                format_args!("{:016x} <{}>:", f.address, f.name).bold(),
                f.wave_size
            );
        }
        for line in &f.lines {
            if let Some(label) = &line.label {
                let _ = writeln!(out, "{}", format_args!("{label}:").cyan());
            }
            out.push_str("  ");
            out.push_str(&line.text);
            let column = 58usize.saturating_sub(line.text.chars().count());
            out.extend(std::iter::repeat_n(' ', column + 1));
            comment.clear();
            let _ = write!(comment, "// {:06X}:", line.address);
            for dword in &line.bytes {
                comment.push(' ');
                comment.push_str(dword);
            }
            let _ = writeln!(out, "{}", comment.dimmed());
        }
    }
}
