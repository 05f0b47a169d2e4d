//! `waveglass asm`.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use serde::Serialize;
use waveglass::asm::{
    AssembleOptions, Assembled, Diagnostic, Diagnostics, FileLoader, LineAssembler, Severity,
    assemble,
};
use waveglass::isa::{Decoder, Target};
use waveglass::link_code_object;

use crate::cli::{AsmArgs, check_wave_size};
use crate::failure::Failure;
use crate::output;

pub(crate) fn main(args: &AsmArgs) -> Result<(), Failure> {
    let data = output::read(&args.file)?;
    let name = match args.file.to_str() {
        Some("-") | None => "<stdin>".to_owned(),
        Some(name) => name.to_owned(),
    };
    let source = String::from_utf8(data).map_err(|e| anyhow!("{name} is not UTF-8: {e}"))?;
    let target = match args.target.or_else(|| named_target(&source)) {
        Some(t) => t,
        None => {
            return Err(anyhow!("{name} names no target: give --target or .amdgcn_target").into());
        }
    };
    check_wave_size(target, args.wavesize)?;
    if args.each_line {
        return each_line(target, args.wavesize, &source);
    }
    let options = AssembleOptions {
        wave_size: args.wavesize,
        files: Some(loader(&args.include)),
        ..AssembleOptions::default()
    };
    let assembled = match assemble(&source, target, &options) {
        Ok(a) => a,
        Err(d) => {
            findings(args, &name, &d)?;
            let errors = d
                .list
                .iter()
                .filter(|d| d.severity == Severity::Error)
                .count();
            let s = if errors == 1 { "" } else { "s" };
            return Err(anyhow!("{name} does not assemble: {errors} error{s}").into());
        }
    };
    findings(args, &name, &assembled.warnings)?;
    if args.hex {
        output::write_plain(&hex(&assembled, args.wavesize))?;
    }
    if let Some(path) = &args.output {
        let object = link_code_object(&assembled).with_context(|| name.clone())?;
        std::fs::write(path, object).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// Reads the files that a source names, from the working directory and those of `-I`.
fn loader(folders: &[PathBuf]) -> FileLoader {
    let folders = folders.to_vec();
    FileLoader(Arc::new(move |name| {
        let candidates =
            std::iter::once(PathBuf::from(name)).chain(folders.iter().map(|f| f.join(name)));
        let mut problem = None;
        for path in candidates {
            // A pipe would wait for ever, a device may have no end.
            if std::fs::metadata(&path).is_ok_and(|m| !m.is_file()) {
                problem = Some(format!("{}: it is no regular file", path.display()));
                continue;
            }
            match crate::output::read_bounded(&path) {
                Ok(bytes) => return Ok(bytes),
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                Err(e) => problem = Some(format!("{}: {e}", path.display())),
            }
        }
        Err(problem.unwrap_or_else(|| "no such file".to_owned()))
    }))
}

/// The target that the source itself names.
fn named_target(source: &str) -> Option<Target> {
    source
        .lines()
        .find_map(|l| l.trim().strip_prefix(".amdgcn_target"))
        .and_then(|rest| rest.trim().trim_matches('"').splitn(5, '-').nth(4))
        .and_then(|id| id.split(':').next())
        .and_then(|gfx| gfx.parse().ok())
}

#[derive(Serialize)]
struct Finding<'a> {
    severity: &'static str,
    message: &'a str,
    help: Option<&'a str>,
    line: u32,
    column: u32,
}

/// Shows findings: text on the standard error, JSON on the standard output.
fn findings(args: &AsmArgs, name: &str, d: &Diagnostics) -> Result<(), Failure> {
    if args.json {
        let list: Vec<Finding<'_>> = d.list.iter().map(finding).collect();
        return output::write_json(&list);
    }
    anstream::eprint!("{}", d.render(name));
    Ok(())
}

fn finding(d: &Diagnostic) -> Finding<'_> {
    Finding {
        severity: match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        message: &d.message,
        help: d.help.as_deref(),
        line: d.line,
        column: d.column,
    }
}

/// The bytes of each instruction of the code sections, a line for each.
fn hex(a: &Assembled, wave_size: Option<u32>) -> String {
    let mut decoder = Decoder::new(a.target);
    if let Some(lanes) = wave_size {
        decoder = decoder.wave_size(lanes);
    }
    let mut out = String::new();
    for section in a.sections.iter().filter(|s| s.flags & 4 != 0) {
        let mut code = &section.data[..];
        while !code.is_empty() {
            let size = decoder.decode(code).map_or(4, |i| i.size()).min(code.len());
            push_hex(&mut out, &code[..size]);
            out.push('\n');
            code = &code[size..];
        }
    }
    out
}

fn push_hex(out: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for b in bytes {
        out.push(DIGITS[usize::from(b >> 4)].into());
        out.push(DIGITS[usize::from(b & 15)].into());
    }
}

fn each_line(target: Target, wave_size: Option<u32>, source: &str) -> Result<(), Failure> {
    let lanes = wave_size.unwrap_or(target.default_wave_size());
    let mut asm = LineAssembler::new(target, lanes);
    let mut out = String::new();
    for line in source.lines() {
        match asm.assemble(line) {
            Ok(inst) => {
                for w in &inst.words()[..inst.size() / 4] {
                    push_hex(&mut out, &w.to_le_bytes());
                }
            }
            Err(d) => {
                out.push_str("error: ");
                out.push_str(&d.message);
                if let Some(help) = &d.help {
                    out.push_str("; ");
                    out.push_str(help);
                }
            }
        }
        out.push('\n');
    }
    output::write_plain(&out)
}
