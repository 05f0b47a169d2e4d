//! From a request to a report: load, bind the arguments, run.

use std::fmt::Write as _;

use anyhow::{Context, anyhow, bail};
use serde::Serialize;
use waveglass::object::{CodeObject, Error, File, Kernel, ValueKind};

use super::args::{NamedValue, RunRequest, Which};
use super::array::Array;
use crate::failure::{FINDING, Failure, LIMIT, REFUSED};

/// A kernel argument, ready to be laid out in the kernarg segment.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) name: Option<String>,
    /// Offset in the kernarg segment.
    pub(crate) offset: u32,
    pub(crate) content: Content,
}

/// What a bound argument is.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// Memory of its own, whose address the kernel gets.
    Buffer(Array),
    /// Bytes that stand in the kernarg segment.
    Scalar(Vec<u8>),
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(dead_code, reason = "the executor gives the others")]
pub(crate) enum RunEnd {
    /// A memory violation, or a finding of a checker.
    Finding,
    /// An instruction or a feature that is refused.
    Refused,
    /// Steps, time or memory.
    Limit,
}

impl RunEnd {
    fn status(self) -> u8 {
        match self {
            Self::Finding => FINDING,
            Self::Refused => REFUSED,
            Self::Limit => LIMIT,
        }
    }
}

/// What a run gives.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RunReport {
    pub(crate) kernel: String,
    pub(crate) target: String,
    /// The buffers asked for, by name or place.
    pub(crate) printed: Vec<(String, Vec<String>)>,
}

impl RunReport {
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        for (name, elements) in &self.printed {
            let _ = writeln!(out, "{name}: {}", elements.join(" "));
        }
        out
    }
}

/// Runs the request: the one place where the executor is called.
pub(crate) fn execute(run: RunRequest) -> Result<RunReport, Failure> {
    let file = run.file.display().to_string();
    let (object, kernel) = load(&run).with_context(|| file.clone())?;
    let what = format!("{file}: kernel {}", kernel.name);
    let mut bound = bind(&kernel, &run.args).with_context(|| what.clone())?;
    let outs: Vec<usize> = run
        .outs
        .iter()
        .map(|o| pick(&bound, o.which.as_ref()).context("--out"))
        .collect::<anyhow::Result<_>>()?;
    let prints: Vec<usize> = run
        .prints
        .iter()
        .map(|p| pick(&bound, Some(&p.which)).context("--print"))
        .collect::<anyhow::Result<_>>()?;
    launch(&run, &object, &kernel, &mut bound)
        .map_err(|(end, why)| Failure::new(end.status(), anyhow!("{what}: {why}")))?;
    for (o, &i) in run.outs.iter().zip(&outs) {
        if let Content::Buffer(a) = &bound[i].content {
            a.write(&o.file)?;
        }
    }
    let printed = run
        .prints
        .iter()
        .zip(&prints)
        .filter_map(|(p, &i)| match &bound[i].content {
            Content::Buffer(a) => Some((
                bound[i].name.clone().unwrap_or_else(|| i.to_string()),
                a.elements(p.count.unwrap_or(16)),
            )),
            Content::Scalar(_) => None,
        })
        .collect();
    Ok(RunReport {
        kernel: kernel.name.clone(),
        target: object.target().to_string(),
        printed,
    })
}

/// Runs `kernel` and leaves the buffers' final content in `bound`.
fn launch(
    run: &RunRequest,
    object: &CodeObject,
    _kernel: &Kernel,
    bound: &mut [Bound],
) -> Result<(), (RunEnd, String)> {
    let by_value: usize = bound
        .iter()
        .map(|b| match &b.content {
            Content::Scalar(bytes) => bytes.len(),
            Content::Buffer(_) => 0,
        })
        .sum();
    let buffers = bound
        .iter()
        .filter(|b| matches!(b.content, Content::Buffer(_)));
    Err((
        RunEnd::Refused,
        format!(
            "this build has no executor for {}; the launch is complete (grid {:?}, block {:?}, {} arguments up to offset {}, {} of them buffers, {by_value} bytes by value, stats {}, trace {:?}, {:?} steps, {:?}, {:?} threads, wave {:?})",
            object.target(),
            run.grid,
            run.block,
            bound.len(),
            bound.iter().map(|b| b.offset).max().unwrap_or(0),
            buffers.count(),
            run.stats,
            run.trace,
            run.max_steps,
            run.timeout,
            run.threads,
            run.wavesize,
        ),
    ))
}

fn load(run: &RunRequest) -> anyhow::Result<(CodeObject, Kernel)> {
    let data = std::fs::read(&run.file).context("cannot read")?;
    let file = match File::parse(&data) {
        Err(e @ Error::UnknownFormat { .. }) => {
            bail!("{e}; `run` takes code objects, whose metadata says how to launch")
        }
        other => other?,
    };
    let object = file
        .code_objects(run.target.map(|t| t.name()))
        .context("choose one with --target")?
        .into_iter()
        .next()
        .ok_or_else(|| anyhow!("no code object; `waveglass dis` shows what the file has"))?;
    let names: Vec<&str> = object.kernels().iter().map(|k| k.name.as_str()).collect();
    let kernel = match (&run.kernel, object.kernels()) {
        (Some(name), _) => object
            .kernel(name)
            .ok_or_else(|| anyhow!("no kernel {name}; the file has: {}", names.join(", ")))?,
        (None, [only]) => only,
        (None, []) => bail!("the file has no kernel"),
        (None, _) => bail!("choose one with --kernel: {}", names.join(", ")),
    };
    let kernel = kernel.clone();
    Ok((object, kernel))
}

/// Gives each explicit argument of the kernel its value.
fn bind(kernel: &Kernel, values: &[NamedValue]) -> anyhow::Result<Vec<Bound>> {
    let metadata = kernel
        .metadata
        .as_ref()
        .ok_or_else(|| anyhow!("no metadata, so its arguments are unknown"))?;
    let explicit: Vec<_> = metadata
        .args
        .iter()
        .filter(|a| !a.kind.is_hidden())
        .collect();
    let mut slots: Vec<Option<&NamedValue>> = vec![None; explicit.len()];
    let mut next = 0;
    for v in values {
        let i = match &v.name {
            Some(name) => explicit
                .iter()
                .position(|a| a.name.as_deref() == Some(name))
                .ok_or_else(|| anyhow!("--arg {name}: no argument has that name"))?,
            None => {
                while slots.get(next).is_some_and(Option::is_some) {
                    next += 1;
                }
                next
            }
        };
        let slot = slots.get_mut(i).ok_or_else(|| {
            anyhow!(
                "{} arguments are too many; it takes {}",
                values.len(),
                explicit.len()
            )
        })?;
        if slot.replace(v).is_some() {
            bail!(
                "--arg {}: given twice",
                v.name.as_deref().unwrap_or_default()
            );
        }
    }
    let mut bound = Vec::new();
    for (i, (a, v)) in explicit.iter().zip(slots).enumerate() {
        let name = a.name.clone().unwrap_or_else(|| i.to_string());
        let v = v.ok_or_else(|| {
            anyhow!(
                "argument {i} ({name}, {}, {} bytes) has no --arg",
                a.kind.name(),
                a.size
            )
        })?;
        let wants_buffer = a.kind == ValueKind::GlobalBuffer;
        let content = match (Array::of(&v.value)?, v.value.scalar(a.size)) {
            (Some(array), _) if wants_buffer => Content::Buffer(array),
            // A structure by value.
            (Some(array), _) if array.bytes.len() == a.size as usize => {
                Content::Scalar(array.bytes)
            }
            (Some(array), _) => bail!(
                "--arg {name}: {} bytes for an argument of {} bytes by value",
                array.bytes.len(),
                a.size
            ),
            (None, Some(bytes)) => {
                Content::Scalar(bytes.map_err(|e| anyhow!("--arg {name}: {e}"))?)
            }
            (None, None) => bail!("--arg {name}: no value"),
        };
        bound.push(Bound {
            name: a.name.clone(),
            offset: a.offset,
            content,
        });
    }
    Ok(bound)
}

/// The buffer that an option names; the last one where it names none.
fn pick(bound: &[Bound], which: Option<&Which>) -> anyhow::Result<usize> {
    let is_buffer = |b: &Bound| matches!(b.content, Content::Buffer(_));
    let i = match which {
        None => bound.iter().rposition(is_buffer),
        Some(Which::Index(i)) => Some(*i).filter(|i| *i < bound.len()),
        Some(Which::Name(n)) => bound.iter().position(|b| b.name.as_deref() == Some(n)),
    };
    match i {
        Some(i) if is_buffer(&bound[i]) => Ok(i),
        Some(_) => bail!("{which:?} is a scalar; only buffers change"),
        None => bail!(
            "no buffer argument {which:?}; the kernel takes {}",
            bound.len()
        ),
    }
}
