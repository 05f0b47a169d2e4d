//! From a request to a report: load, bind the arguments, run.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Mutex;

use anyhow::{Context, anyhow, bail};
use waveglass::asm::{PrintOptions, print};
use waveglass::exec::program::Src;
use waveglass::exec::wave::sreg;
use waveglass::exec::{Op, Wave};
use waveglass::object::{CodeObject, Error, File, Kernel, ValueKind};
use waveglass::{Arg, FidelityWatch, Limits, Module, Report, RunError, SourceLines};

use super::args::{NamedValue, RunRequest, Which};
use super::array::Array;
use super::progress;
use super::report::{CodePlace, HazardRow, Lines, RunReport, Statistics, TrapRow};
use super::trap_handler;
use crate::failure::{BAD_INPUT, FINDING, Failure, LIMIT, REFUSED};

/// A kernel argument, ready to be laid out in the kernarg segment.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) name: Option<String>,
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

/// Runs the request. A run that ends early still gives its report, with the failure.
pub(crate) fn execute(run: RunRequest) -> Result<(RunReport, Option<Failure>), Failure> {
    let file = run.file.display().to_string();
    let data =
        crate::output::read_bounded(&run.file).with_context(|| format!("{file}: cannot read"))?;
    let (module, kernel) = load(&run, &data).with_context(|| file.clone())?;
    let name = kernel
        .as_ref()
        .map_or("raw", |k| k.name.as_str())
        .to_owned();
    let what = format!("{file}: kernel {name}");
    let mut bound = match &kernel {
        Some(k) => bind(k, &run.args),
        None => bind_raw(&run.args),
    }
    .with_context(|| what.clone())?;
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
    let watch = run.fidelity.then(FidelityWatch::new);
    let mut report =
        launch(&run, &module, &name, &mut bound, watch.as_ref()).with_context(|| what.clone())?;
    let mut contents = std::mem::take(&mut report.buffers).into_iter();
    for b in &mut bound {
        if let Content::Buffer(a) = &mut b.content
            && let Some(bytes) = contents.next()
        {
            a.bytes = bytes;
        }
    }
    for (o, &i) in run.outs.iter().zip(&outs) {
        if let Content::Buffer(a) = &bound[i].content {
            a.write(&o.file)?;
        }
    }
    let mut printed: Vec<(String, Vec<String>)> = run
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
    if let Some(value) = &run.trap_memory
        && let Some(mut memory) = Array::of(value)?
    {
        memory.bytes = std::mem::take(&mut report.trap_memory);
        printed.push(("trap memory".to_owned(), memory.elements(16)));
    }
    let lines = module.object().and_then(SourceLines::of);
    let line = |offset| lines.as_ref()?.find(offset);
    let failure = failure(&report, &what, &line);
    Ok((
        RunReport {
            kernel: name.clone(),
            target: module.target().name().to_owned(),
            printed,
            faults: report.fault_entries(&module, &name),
            fault_count: report.outcome.fault_count,
            hazards: HazardRow::all(&report, &line),
            hazard_count: report.outcome.hazard_count,
            error: report.error.as_ref().map(ToString::to_string),
            trap: TrapRow::of(&report, &line),
            statistics: run.stats.then(|| Statistics::of(&report)),
            fidelity: watch.map(|w| w.report().relative_to(report.load_address)),
        },
        failure,
    ))
}

/// The failure that a run's end stands for.
fn failure(report: &Report, what: &str, lines: Lines<'_>) -> Option<Failure> {
    if let Some(e) = &report.error {
        let status = match e {
            RunError::Refused { .. } | RunError::Invalid { .. } => REFUSED,
            RunError::StepLimit(_) | RunError::Timeout(_) => LIMIT,
            RunError::Launch(_) => BAD_INPUT,
            RunError::Trap { .. } | RunError::Exception { .. } => FINDING,
            RunError::Fault
            | RunError::BadJump { .. }
            | RunError::Deadlock { .. }
            | RunError::SyncDeadlock { .. } => FINDING,
        };
        let offset = match e {
            RunError::Refused { address, .. }
            | RunError::Invalid { address, .. }
            | RunError::Exception { address, .. }
            | RunError::SyncDeadlock { address, .. }
            | RunError::Trap { address, .. } => {
                let place = CodePlace::of(report, lines, *address);
                let of = match place.in_trap_handler {
                    true => "trap handler",
                    false => "code object",
                };
                let line = place.source.map_or(String::new(), |l| format!(", {l}"));
                format!(" (offset {:#x} in the {of}{line})", place.offset)
            }
            _ => String::new(),
        };
        return Some(Failure::new(status, anyhow!("{what}: {e}{offset}")));
    }
    let findings: Vec<String> = [
        (
            report.outcome.fault_count,
            "memory violation",
            "memory violations",
        ),
        (
            report.outcome.hazard_count,
            "use of a register in flight",
            "uses of registers in flight",
        ),
    ]
    .iter()
    .filter(|(n, ..)| *n > 0)
    .map(|(n, one, many)| format!("{n} {}", if *n == 1 { one } else { many }))
    .collect();
    (!findings.is_empty())
        .then(|| Failure::new(FINDING, anyhow!("{what}: {}", findings.join(", "))))
}

/// Starts the executor.
fn launch(
    run: &RunRequest,
    module: &Module,
    kernel: &str,
    bound: &mut [Bound],
    watch: Option<&FidelityWatch>,
) -> anyhow::Result<Report> {
    let trace = match &run.trace {
        Some(path) => {
            let file = std::fs::File::create(path)
                .with_context(|| format!("{}: cannot write the trace", path.display()))?;
            Some(Mutex::new((std::io::BufWriter::new(file), None)))
        }
        None => None,
    };
    let see = |wave: &Wave, op: &Op| {
        if let Some(w) = watch {
            w.see(wave, op);
        }
        let Some(trace) = &trace else { return };
        let mut line = String::new();
        if let Some(inst) = &op.inst {
            print(inst, &PrintOptions::default(), &mut line);
        }
        let lane = wave.exec().trailing_zeros().min(63) as usize;
        for source in op.s {
            match source {
                Src::Vgpr(r) => {
                    let _ = write!(line, "  v{r}[{lane}]={:#x}", wave.lane(r as usize, lane));
                }
                Src::Sgpr(i) => {
                    let i = usize::from(i) & 127;
                    let _ = write!(line, "  {}={:#x}", sreg::name(i), wave.sgpr[i]);
                }
                _ => {}
            }
        }
        let [x, y, z] = wave.group;
        let (out, failed) = &mut *trace
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        // A trace that cannot be written any more does not end the run; its end reports that.
        let written = writeln!(
            out,
            "group {x},{y},{z} wave {} exec {:016x} pc {:#x}: {line}",
            wave.id_in_group,
            wave.exec(),
            op.address
        );
        if let Err(e) = written {
            failed.get_or_insert(e);
        }
    };
    let mut limits = Limits {
        timeout: run.timeout,
        order: run.memory_order,
        translate: !run.interpret,
        ..Limits::default()
    };
    if let Some(n) = run.max_steps {
        limits.steps = n;
    }
    if let Some(n) = run.threads {
        limits.threads = usize::from(n).max(1);
    }
    let mut launch = module
        .launch(Some(kernel))?
        .block(run.block)
        .grid(run.grid)
        .limits(limits)
        .trap_on(run.trap_on)
        .memory_config(run.memory_config)
        .ordered_append(run.ordered_append);
    if let Some(path) = &run.trap_handler {
        launch = launch.trap_handler(trap_handler::load(path, run, module.target())?);
    }
    for b in bound {
        launch = launch.arg(match &mut b.content {
            // Large buffers exist once: the launch has the bytes until it gives them back.
            Content::Buffer(a) => Arg::Buffer(std::mem::take(&mut a.bytes)),
            Content::Scalar(bytes) => Arg::Value(bytes.clone()),
        });
    }
    if run.trace.is_some() || watch.is_some() {
        launch = launch.trace(&see);
    }
    let groups = run
        .grid
        .iter()
        .fold(1u64, |n, &g| n.saturating_mul(g.into()));
    let report = progress::shown(groups, |done| launch.progress(done).run())?;
    if let (Some(trace), Some(path)) = (trace, &run.trace) {
        let (mut out, failed) = trace
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        failed
            .map_or_else(|| out.flush(), Err)
            .with_context(|| format!("{}: cannot write the trace", path.display()))?;
    }
    Ok(report)
}

/// The module and, unless the file is raw code, the kernel.
fn load(run: &RunRequest, data: &[u8]) -> anyhow::Result<(Module, Option<Kernel>)> {
    let file = match File::parse(data) {
        Err(e @ Error::UnknownFormat { .. }) => {
            let Some(target) = run.target else {
                bail!("{e} with --target");
            };
            if data.is_empty() {
                bail!("the file is empty");
            }
            if let Some(name) = &run.kernel {
                bail!("--kernel {name}: raw code has no kernels; it starts at its first byte");
            }
            let mut module = Module::raw(data.to_vec(), target.name())?;
            if let Some(lanes) = run.wavesize {
                module = module.with_wave_size(lanes)?;
            }
            return Ok((module, None));
        }
        other => other?,
    };
    if run.wavesize.is_some() {
        bail!("--wavesize is for raw code; a code object says which waves it is for");
    }
    let object = file
        .code_objects(run.target.map(|t| t.name()))
        .context("choose one with --target")?
        .into_iter()
        .next()
        .ok_or_else(|| anyhow!("no code object; `waveglass dis` shows what the file has"))?;
    let kernel = kernel_of(run, &object)?.clone();
    Ok((Module::from_object(object)?, Some(kernel)))
}

fn kernel_of<'a>(run: &RunRequest, object: &'a CodeObject) -> anyhow::Result<&'a Kernel> {
    let names: Vec<&str> = object.kernels().iter().map(|k| k.name.as_str()).collect();
    match (&run.kernel, object.kernels()) {
        (Some(name), _) => object
            .kernel(name)
            .ok_or_else(|| anyhow!("no kernel {name}; the file has: {}", names.join(", "))),
        (None, [only]) => Ok(only),
        (None, []) => bail!("the file has no kernel"),
        (None, _) => bail!("choose one with --kernel: {}", names.join(", ")),
    }
}

/// The arguments of raw code: one after the other, scalars of four bytes unless they say.
fn bind_raw(values: &[NamedValue]) -> anyhow::Result<Vec<Bound>> {
    values
        .iter()
        .map(|v| {
            let content = match (Array::of(&v.value)?, v.value.scalar(4)) {
                (Some(array), _) => Content::Buffer(array),
                (None, Some(bytes)) => Content::Scalar(bytes.map_err(|e| anyhow!("--arg: {e}"))?),
                (None, None) => bail!("--arg: no value"),
            };
            Ok(Bound {
                name: v.name.clone(),
                content,
            })
        })
        .collect()
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
                .ok_or_else(|| {
                    let names: Vec<&str> =
                        explicit.iter().filter_map(|a| a.name.as_deref()).collect();
                    if names.is_empty() {
                        anyhow!(
                            "--arg {name}: the file has no names of arguments; give them in order"
                        )
                    } else {
                        anyhow!("--arg {name}: the arguments are {}", names.join(", "))
                    }
                })?,
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
        Some(i) => bail!("argument {i} is a scalar; only buffers change"),
        None => match which {
            Some(which) => bail!("no argument {which}; {} are given", bound.len()),
            None => bail!("no argument is a buffer"),
        },
    }
}
