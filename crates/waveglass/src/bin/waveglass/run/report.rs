//! What `waveglass run` says after a run.

use std::fmt::Write as _;

use serde::Serialize;
use waveglass::exec::Family;
use waveglass::{
    Exceptions, FaultEntry, FidelityReport, Place, Report, RunError, SourceLine, Status,
};

/// What a run gives.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RunReport {
    pub(crate) kernel: String,
    pub(crate) target: String,
    /// The buffers asked for, by name or place.
    pub(crate) printed: Vec<(String, Vec<String>)>,
    /// The memory violations by instruction.
    pub(crate) faults: Vec<FaultEntry>,
    /// How many there were.
    pub(crate) fault_count: u64,
    /// Registers used before a wait for them, the first of them.
    pub(crate) hazards: Vec<HazardRow>,
    /// How many such uses there were.
    pub(crate) hazard_count: u64,
    /// The trap or exception that ended the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trap: Option<TrapRow>,
    /// Why the run ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) statistics: Option<Statistics>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fidelity: Option<FidelityReport>,
}

/// A place in the code.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CodePlace {
    /// Offset in the code object, or in the trap handler's.
    pub(crate) offset: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) in_trap_handler: bool,
    /// The line of the source, where the code object has debug information.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<SourceLine>,
}

impl CodePlace {
    pub(crate) fn of(report: &Report, lines: Lines<'_>, address: u64) -> Self {
        let at = report.location(address);
        Self {
            offset: at.offset,
            in_trap_handler: at.in_trap_handler,
            source: match at.in_trap_handler {
                true => None,
                false => lines(at.offset),
            },
        }
    }

    /// The offset, and the source line after a comma.
    pub(crate) fn text(&self) -> String {
        let of = match self.in_trap_handler {
            true => " of the trap handler",
            false => "",
        };
        let source = self.source.as_ref();
        let line = source.map_or(String::new(), |s| format!(", {s}"));
        format!("{:#x}{of}{line}", self.offset)
    }
}

/// The source lines of the code object that runs.
pub(crate) type Lines<'a> = &'a dyn Fn(u64) -> Option<SourceLine>;

/// A trap that no handler took.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TrapRow {
    /// The id of an `s_trap`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<u8>,
    /// The kinds of an exception.
    pub(crate) exceptions: Vec<&'static str>,
    #[serde(flatten)]
    pub(crate) place: CodePlace,
}

impl TrapRow {
    pub(crate) fn of(report: &Report, lines: Lines<'_>) -> Option<Self> {
        let (id, kinds, address) = match report.error.as_ref()? {
            RunError::Trap { address, id } => (Some(*id), Exceptions::NONE, *address),
            RunError::Exception { address, kinds } => (None, *kinds, *address),
            _ => return None,
        };
        Some(Self {
            id,
            exceptions: Exceptions::NAMES
                .iter()
                .filter(|(e, _)| !kinds.and(*e).is_empty())
                .map(|(_, name)| *name)
                .collect(),
            place: CodePlace::of(report, lines, address),
        })
    }
}

/// A register used before a wait for it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct HazardRow {
    pub(crate) what: String,
    pub(crate) register: String,
    pub(crate) mnemonic: String,
    #[serde(flatten)]
    pub(crate) place: CodePlace,
    pub(crate) producer: String,
    pub(crate) producer_offset: u64,
    pub(crate) counters: Vec<&'static str>,
    pub(crate) group: [u32; 3],
    pub(crate) wave: u32,
}

impl HazardRow {
    pub(crate) fn all(report: &Report, lines: Lines<'_>) -> Vec<Self> {
        let offset = |address: u64| report.location(address).offset;
        report
            .outcome
            .hazards
            .iter()
            .map(|h| Self {
                what: h.explain(offset(h.producer)),
                register: h.register_name(),
                mnemonic: h.mnemonic.to_owned(),
                place: CodePlace::of(report, lines, h.address),
                producer: h.producer_mnemonic.to_owned(),
                producer_offset: offset(h.producer),
                counters: h.counters.iter().map(|c| c.name()).collect(),
                group: h.group,
                wave: h.wave,
            })
            .collect()
    }
}

/// What was executed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Statistics {
    pub(crate) seconds: f64,
    pub(crate) groups: u64,
    pub(crate) waves: u64,
    pub(crate) instructions: u64,
    pub(crate) by_family: Vec<(String, u64)>,
    pub(crate) lane_operations: u64,
    pub(crate) bytes_read: Bytes,
    pub(crate) bytes_written: Bytes,
}

/// Bytes by address space.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Bytes {
    pub(crate) global: u64,
    pub(crate) lds: u64,
    pub(crate) scratch: u64,
}

impl Statistics {
    pub(crate) fn of(report: &Report) -> Self {
        let s = &report.outcome.stats;
        let bytes = |b: waveglass::exec::stats::SpaceBytes| Bytes {
            global: b.global,
            lds: b.lds,
            scratch: b.scratch,
        };
        Self {
            seconds: report.time.as_secs_f64(),
            groups: s.groups,
            waves: s.waves,
            instructions: s.instructions,
            by_family: Family::ALL
                .iter()
                .map(|(f, name)| ((*name).to_owned(), s.by_family[*f as usize]))
                .filter(|(_, n)| *n > 0)
                .collect(),
            lane_operations: s.lane_operations,
            bytes_read: bytes(s.read),
            bytes_written: bytes(s.written),
        }
    }

    pub(crate) fn text(&self, out: &mut String) {
        let _ = writeln!(
            out,
            "{} workgroups, {} waves, {} instructions in {:.3} ms ({:.1} million a second)",
            self.groups,
            self.waves,
            self.instructions,
            self.seconds * 1e3,
            self.instructions as f64 / self.seconds.max(1e-9) / 1e6
        );
        for (name, n) in &self.by_family {
            let _ = writeln!(out, "  {name:<14} {n:>14}");
        }
        let _ = writeln!(
            out,
            "  {:<14} {:>14}",
            "lane operations", self.lane_operations
        );
        for (name, b) in [
            ("bytes read", self.bytes_read),
            ("bytes written", self.bytes_written),
        ] {
            let _ = writeln!(
                out,
                "  {name:<14} {:>14} global, {} LDS, {} scratch",
                b.global, b.lds, b.scratch
            );
        }
    }
}

impl RunReport {
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        for (name, elements) in &self.printed {
            let _ = writeln!(out, "{name}: {}", elements.join(" "));
        }
        for f in &self.faults {
            let _ = writeln!(out, "memory violation: {}", f.what);
        }
        for h in &self.hazards {
            let [x, y, z] = h.group;
            let _ = writeln!(
                out,
                "register in flight: {} (offset {}, workgroup {x},{y},{z}, wave {})",
                h.what,
                h.place.text(),
                h.wave
            );
        }
        let more = self.hazard_count.saturating_sub(self.hazards.len() as u64);
        if more > 0 && !self.hazards.is_empty() {
            let _ = writeln!(out, "and {more} more, repetitions included");
        }
        if let Some(s) = &self.statistics {
            s.text(&mut out);
        }
        if let Some(f) = &self.fidelity {
            fidelity_text(f, &mut out);
        }
        out
    }
}

/// The instructions executed, and where approximate results went; offsets count in the code object.
fn fidelity_text(f: &FidelityReport, out: &mut String) {
    let count =
        |wanted: fn(&Status) -> bool| f.executed.iter().filter(|e| wanted(&e.status)).count();
    let _ = writeln!(
        out,
        "executed {} different instructions: {} exact, {} approximate",
        f.executed.len(),
        count(|s| *s == Status::Exact),
        count(|s| matches!(s, Status::Approximate(_)))
    );
    for e in &f.executed {
        let status = match e.status {
            Status::Exact => "exact".to_owned(),
            Status::Approximate(d) => format!("approximate: {d}"),
            Status::Refused(d) => format!("refused: {d}"),
        };
        let _ = writeln!(out, "  {:<28} {:>12}  {status}", e.name, e.count);
    }
    for (what, place) in [
        ("control flow", &f.control_flow),
        ("an address", &f.address),
        ("a stored value", &f.stored),
    ] {
        let _ = match place {
            Some(Place { mnemonic, address }) => writeln!(
                out,
                "an approximate result reached {what}: {mnemonic} at offset {address:#x}"
            ),
            None => writeln!(out, "no approximate result reached {what}"),
        };
    }
}
