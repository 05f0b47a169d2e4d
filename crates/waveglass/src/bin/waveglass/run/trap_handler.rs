//! `--trap-handler`: from a file to a handler.

use std::path::Path;

use anyhow::{Context, anyhow, bail};
use waveglass::asm::{AssembleOptions, assemble};
use waveglass::isa::{DecodeError, Decoder, Target};
use waveglass::{Module, TrapHandler, link_code_object};

use super::args::RunRequest;
use super::array::Array;

/// Reads the handler for a target, with the memory that the request gives it.
pub(super) fn load(path: &Path, run: &RunRequest, target: Target) -> anyhow::Result<TrapHandler> {
    let name = path.display().to_string();
    let handler = read(path, run, target).with_context(|| format!("--trap-handler {name}"))?;
    let Some(value) = &run.trap_memory else {
        return Ok(handler);
    };
    match Array::of(value).context("--trap-memory")? {
        Some(array) => Ok(handler.memory(array.bytes)),
        None => bail!("--trap-memory is a buffer, as in zeros:u32:64"),
    }
}

fn read(path: &Path, run: &RunRequest, target: Target) -> anyhow::Result<TrapHandler> {
    let data = std::fs::read(path).context("cannot read")?;
    if data.is_empty() {
        bail!("the file is empty: wanted is assembler source (.s), a code object, or raw code");
    }
    let source = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("s"));
    if !source {
        let module = Module::load(&data, Some(target.name()))?;
        if module.object().is_none() {
            whole(&data, target)?;
        }
        return Ok(TrapHandler::new(module)?);
    }
    let text = String::from_utf8(data).map_err(|e| anyhow!("it is not UTF-8: {e}"))?;
    let options = AssembleOptions {
        wave_size: run.wavesize,
        ..AssembleOptions::default()
    };
    let assembled = assemble(&text, target, &options).map_err(|d| {
        anyhow!(
            "it does not assemble:\n{}",
            d.render(&path.display().to_string())
        )
    })?;
    let object = link_code_object(&assembled)?;
    match Module::load(&object, Some(target.name())).and_then(TrapHandler::new) {
        Ok(handler) => Ok(handler),
        // Source without symbols starts at its first instruction.
        Err(_) => {
            let text = assembled.sections.into_iter().find(|s| s.name == ".text");
            let code = text.map(|s| s.data).filter(|d| !d.is_empty());
            let code = code.ok_or_else(|| anyhow!("it has no code"))?;
            Ok(TrapHandler::new(Module::raw(code, target.name())?)?)
        }
    }
}

/// Raw code has to end where an instruction does.
fn whole(code: &[u8], target: Target) -> anyhow::Result<()> {
    let decoder = Decoder::new(target).wave_size(target.default_wave_size());
    let mut at = 0;
    while at < code.len() {
        at += match decoder.decode(&code[at..]) {
            Ok(inst) => inst.size(),
            Err(DecodeError::Truncated { needed }) => bail!(
                "the instruction at offset {at:#x} is cut: it needs {needed} bytes, and {} are left",
                code.len() - at
            ),
            // Data, perhaps: nothing is wrong before a wave comes there.
            Err(DecodeError::Invalid) => 4,
        };
    }
    Ok(())
}
