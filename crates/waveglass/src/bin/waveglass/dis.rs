//! `waveglass dis`.

use std::borrow::Cow;
use std::io::Write as _;

use anyhow::{Context, anyhow};
use waveglass::asm::print_bytes;
use waveglass::isa::Target;
use waveglass::object::{CodeObject, Error, File};
use waveglass::{Disassembly, FunctionCode, ListingOptions};

use crate::cli::{DisArgs, check_wave_size};
use crate::failure::Failure;
use crate::output::{self, Paint, Text};

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
    let name = || args.file.display().to_string();
    let contents = contents(args, &data).with_context(name)?;
    let listings = contents.listings(args, &options).with_context(name)?;
    if args.json {
        return output::write_json(&listings);
    }
    let mut out = Text::new();
    for l in &listings {
        text(&mut out, l)?;
    }
    out.flush()
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
    output::write_plain(&text)
}

/// What there is to disassemble.
enum Contents<'a> {
    Raw(Target, &'a [u8]),
    Objects(Vec<CodeObject>),
}

fn contents<'a>(args: &DisArgs, data: &'a [u8]) -> anyhow::Result<Contents<'a>> {
    match (File::parse(data), args.target) {
        (Ok(file), target) => {
            let objects = file.code_objects(target.map(|t| t.name()))?;
            Ok(Contents::Objects(objects))
        }
        // Anything that is no container is raw code, where a target says of what.
        (Err(Error::UnknownFormat { .. }), Some(target)) => {
            if args.kernel.is_some() {
                return Err(anyhow!("raw code has no kernel names; leave --kernel out"));
            }
            Ok(Contents::Raw(target, data))
        }
        (Err(e @ Error::UnknownFormat { .. }), None) => Err(anyhow!("{e} with --target")),
        (Err(e), _) => Err(e.into()),
    }
}

impl Contents<'_> {
    /// All that can fail comes before the first line is written.
    fn listings(
        &self,
        args: &DisArgs,
        options: &ListingOptions,
    ) -> anyhow::Result<Vec<Disassembly<'_>>> {
        let objects = match self {
            Self::Raw(target, code) => {
                return Ok(vec![Disassembly::of_code(*target, code, options)]);
            }
            Self::Objects(objects) => objects,
        };
        let mut out = Vec::new();
        for object in objects {
            if let Ok(target) = object.target().gfx.parse() {
                check_wave_size(target, args.wavesize)?;
            }
            out.push(Disassembly::of_object(
                object,
                args.kernel.as_deref(),
                options,
            )?);
        }
        Ok(out)
    }
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
    output::write_plain(&out)
}

fn text(out: &mut Text, listing: &Disassembly<'_>) -> Result<(), Failure> {
    let _ = writeln!(out.buffer, "// {}", listing.target());
    for f in listing.functions() {
        function(out, &f)?;
    }
    Ok(())
}

/// What brings a text to the column of its bytes, less the text's width; one space at least.
const SPACES: &[u8; 59] = b"                                                           ";

fn function(out: &mut Text, f: &FunctionCode<'_>) -> Result<(), Failure> {
    let paint = |style| out.paint(style);
    let (bold, cyan, dim) = (paint(Paint::Bold), paint(Paint::Cyan), paint(Paint::Dim));
    if !f.name.is_empty() {
        let kind = if f.kernel { "kernel" } else { "function" };
        let _ = writeln!(
            out.buffer,
            "\n{}{:016x} <{}>:{} // {kind}, wave{}",
            bold[0],
            f.address,
            printable(f.name),
            bold[1],
            f.wave_size
        );
    }
    let mut lines = f.lines();
    while let Some(line) = lines.next_line() {
        let o = &mut out.buffer;
        if let Some(label) = line.label {
            let _ = writeln!(o, "{}{label}:{}", cyan[0], cyan[1]);
        }
        let text = printable(line.text);
        o.extend_from_slice(b"  ");
        o.extend_from_slice(text.as_bytes());
        let width = match text.is_ascii() {
            true => text.len(),
            false => text.chars().count(),
        };
        o.extend_from_slice(&SPACES[width.min(SPACES.len() - 1)..]);
        o.extend_from_slice(dim[0].as_bytes());
        o.extend_from_slice(b"// ");
        output::push_hex(o, line.address, 6);
        o.push(b':');
        for hex in line.hex() {
            o.push(b' ');
            o.extend_from_slice(hex.as_bytes());
        }
        o.extend_from_slice(dim[1].as_bytes());
        o.push(b'\n');
        out.pass()?;
    }
    Ok(())
}

/// A file's names may hold what a terminal obeys.
fn printable(text: &str) -> Cow<'_, str> {
    let plain = |b: u8| (b' '..0x7f).contains(&b);
    // Without an early end the compiler looks at many bytes at once.
    match text.bytes().fold(true, |all, b| all & plain(b)) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(anstream::adapter::strip_str(text).to_string()),
    }
}
