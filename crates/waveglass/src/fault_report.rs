//! What a run reports of its memory violations: one entry for each instruction and kind.

use std::fmt::Write as _;

use serde::Serialize;
use waveglass_exec::{FaultSite, MissedRegion, WaveFault};
use waveglass_mem::{Fault, Nearest, Side};

use crate::{Location, Module, Report, SourceLine, SourceLines};

/// Violations that an entry describes one by one.
const EXAMPLES: usize = 8;

/// The memory violations of one kind that one instruction has met. As JSON its fields keep their names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultEntry {
    /// All of it in words.
    pub what: String,
    /// What was wrong: [`FaultKind::name`](waveglass_mem::FaultKind::name).
    pub kind: &'static str,
    /// `load`, `store` or `atomic`.
    pub access: String,
    /// `global`, `LDS`, `GDS`, `scratch`, `flat`, `buffer` or `scalar`.
    pub space: String,
    /// How many accesses of lanes were violations.
    pub count: u64,
    /// The address of the instruction as it ran.
    pub pc: u64,
    /// Its offset in the code object, or in the trap handler's.
    pub offset: u64,
    /// Whether it is the trap handler's.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_trap_handler: bool,
    /// The instruction.
    pub instruction: String,
    /// Its mnemonic.
    pub mnemonic: &'static str,
    /// The line of its source, where the code object has debug information.
    pub source: Option<SourceLine>,
    /// The kernel that ran.
    pub kernel: String,
    /// The first violation.
    #[serde(flatten)]
    pub first: FaultExample,
    /// All lanes that met it, as ranges: `0-3, 7`.
    pub lanes: String,
    /// The waves that met it.
    pub waves: FaultWaves,
    /// The workgroups that met it.
    pub workgroups: FaultWorkgroups,
    /// The addresses.
    pub addresses: FaultAddresses,
    /// The regions that were missed.
    pub regions: Vec<FaultRegions>,
    /// Violations beside regions that `regions` does not list.
    pub elsewhere: u64,
    /// The first violations one by one.
    pub examples: Vec<FaultExample>,
}

/// One violation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultExample {
    /// The workgroup.
    pub workgroup: [u32; 3],
    /// The wave's position in it.
    pub wave: u32,
    /// The lane; 0 for scalar accesses.
    pub lane: u8,
    /// The address, or the offset in LDS; in scratch a signed offset.
    pub address: i128,
    /// How many bytes the lane accessed there.
    pub bytes: u32,
    /// The nearest region, if there is any.
    pub region: Option<FaultRegion>,
    /// On which side of the region: [`Side::name`].
    pub side: Option<&'static str>,
    /// How far outside: [`Nearest::distance`].
    pub distance: Option<u64>,
}

/// A region of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultRegion {
    /// Its name.
    pub name: String,
    /// Its first address.
    pub base: u64,
    /// Its size in bytes.
    pub size: u64,
}

/// Violations on one side of a region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultRegions {
    /// The region.
    #[serde(flatten)]
    pub region: FaultRegion,
    /// On which side: [`Side::name`].
    pub side: &'static str,
    /// How far outside the nearest of them is: [`Nearest::distance`].
    pub distance: u64,
    /// How far the farthest.
    pub farthest: u64,
    /// How many there are.
    pub count: u64,
}

/// The waves that met a violation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultWaves {
    /// How many, over all workgroups.
    pub count: u64,
    /// Their positions in their workgroups, as ranges.
    pub positions: String,
}

/// The workgroups that met a violation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultWorkgroups {
    /// How many.
    pub count: u64,
    /// The first, in the order of ids.
    pub first: [u32; 3],
    /// The last.
    pub last: [u32; 3],
}

/// The addresses of violations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultAddresses {
    /// The lowest.
    pub lowest: i128,
    /// The highest.
    pub highest: i128,
}

impl Report {
    /// The memory violations of the run of `kernel`, one entry for each instruction and kind, the first to
    /// be met first.
    ///
    /// ```
    /// use waveglass::{Arg, Module, asm, isa::Target};
    ///
    /// // Raw code: s[0:1] points to the arguments, v0 is the work-item.
    /// let code = asm::assemble(
    ///     "s_load_dwordx2 s[0:1], s[0:1], 0x0
    ///      s_waitcnt lgkmcnt(0)
    ///      v_lshlrev_b32 v1, 2, v0
    ///      global_load_dword v2, v1, s[0:1]
    ///      s_endpgm",
    ///     Target::Gfx900,
    ///     &Default::default(),
    /// )
    /// .unwrap();
    /// let text = code.section(".text").unwrap().data.clone();
    /// let module = Module::raw(text, "gfx900")?;
    /// let launch = module.launch(None)?.block([64, 1, 1]);
    /// let report = launch.arg(Arg::Buffer(vec![0; 60 * 4])).run()?;
    /// let faults = report.fault_entries(&module, "raw");
    /// assert_eq!((faults.len(), faults[0].count), (1, 4));
    /// assert_eq!((faults[0].kind, faults[0].lanes.as_str()), ("unmapped", "60-63"));
    /// assert_eq!((faults[0].first.side, faults[0].first.distance), (Some("after"), Some(0)));
    /// # Ok::<(), waveglass::LaunchError>(())
    /// ```
    pub fn fault_entries(&self, module: &Module, kernel: &str) -> Vec<FaultEntry> {
        if self.outcome.faults.is_empty() {
            return Vec::new();
        }
        let lines = module.object().and_then(SourceLines::of);
        let entry = |site: &FaultSite| {
            let at = self.location(site.address);
            let source = lines
                .as_ref()
                .filter(|_| !at.in_trap_handler)
                .and_then(|l| l.find(at.offset));
            FaultEntry::of(site, kernel, at, source)
        };
        self.outcome.faults.iter().map(entry).collect()
    }
}

impl FaultEntry {
    /// The entry of a site, whose instruction stands at this place of the code and of the source.
    pub fn of(site: &FaultSite, kernel: &str, at: Location, source: Option<SourceLine>) -> Self {
        let examples: Vec<FaultExample> = site
            .details
            .iter()
            .take(EXAMPLES)
            .map(FaultExample::of)
            .collect();
        let [lowest, highest] = site.addresses.map(|address| match site.details.first() {
            Some(f) => signed(&f.fault, address),
            None => address.into(),
        });
        let mut entry = Self {
            what: String::new(),
            kind: site.kind.name(),
            access: site.access.to_string(),
            space: site.space.to_string(),
            count: site.count,
            pc: site.address,
            offset: at.offset,
            in_trap_handler: at.in_trap_handler,
            instruction: instruction(site),
            mnemonic: site.mnemonic,
            source,
            kernel: kernel.to_owned(),
            first: examples.first().cloned().unwrap_or_else(|| FaultExample {
                workgroup: site.groups[0],
                wave: site.waves.trailing_zeros(),
                lane: site.lanes.trailing_zeros() as u8,
                address: lowest,
                bytes: 0,
                region: None,
                side: None,
                distance: None,
            }),
            lanes: ranges(site.lanes),
            waves: FaultWaves {
                count: site.wave_count,
                positions: ranges(site.waves),
            },
            workgroups: FaultWorkgroups {
                count: site.group_count,
                first: site.groups[0],
                last: site.groups[1],
            },
            addresses: FaultAddresses { lowest, highest },
            regions: site.regions.iter().map(FaultRegions::of).collect(),
            elsewhere: site.elsewhere,
            examples,
        };
        entry.what = entry.words(site);
        entry
    }

    fn words(&self, site: &FaultSite) -> String {
        let mut out = String::new();
        let detail = site.details.first().map(|f| &f.fault);
        let bytes = match self.first.bytes {
            0 => String::new(),
            1 => " of 1 byte".to_owned(),
            n => format!(" of {n} bytes"),
        };
        let reason = detail.map_or_else(|| site.kind.to_string(), Fault::reason);
        let _ = write!(out, "{} {}{bytes}: {reason}", self.space, self.access);
        if let Some(limit) = detail.and_then(|f| f.limit) {
            let _ = write!(out, " ({limit} bytes)");
        }
        let of = match self.in_trap_handler {
            true => " of the trap handler",
            false => "",
        };
        let source = self
            .source
            .as_ref()
            .map_or(String::new(), |s| format!("{s}, "));
        let kernel = match self.kernel.as_str() {
            "" => String::new(),
            name => format!("kernel {name}, "),
        };
        let _ = write!(
            out,
            "\n  {} ({source}{kernel}offset {:#x}{of})",
            self.instruction, self.offset
        );
        let _ = write!(out, "\n  {}", self.who());
        let FaultAddresses { lowest, highest } = self.addresses;
        let _ = match lowest == highest {
            true => write!(out, "\n  at {}", hex(lowest)),
            false => write!(out, "\n  at {} to {}", hex(lowest), hex(highest)),
        };
        for (i, region) in site.regions.iter().enumerate() {
            let lead = if i == 0 { ": " } else { "\n    " };
            let count = match site.regions.len() {
                1 if self.elsewhere == 0 => String::new(),
                _ => format!("{} times ", region.count),
            };
            let _ = write!(out, "{lead}{count}{}", beside(region));
        }
        if self.elsewhere > 0 {
            let _ = write!(out, "\n    {} times beside other regions", self.elsewhere);
        }
        if self.count > 1 {
            let f = &self.first;
            let _ = write!(
                out,
                "\n  first by lane {} of wave {} of workgroup {} at {}",
                f.lane,
                f.wave,
                group(f.workgroup),
                hex(f.address)
            );
        }
        out
    }

    /// Which lanes, waves and workgroups.
    fn who(&self) -> String {
        let many = |text: &str| text.contains(['-', ',']);
        let lanes = match many(&self.lanes) {
            true => format!("lanes {}", self.lanes),
            false => format!("lane {}", self.lanes),
        };
        let waves = match many(&self.waves.positions) {
            true => format!("waves {}", self.waves.positions),
            false => format!("wave {}", self.waves.positions),
        };
        let w = &self.workgroups;
        let groups = match w.count {
            1 => format!("workgroup {}", group(w.first)),
            n => format!(
                "{n} workgroups from {} to {}",
                group(w.first),
                group(w.last)
            ),
        };
        let times = match self.count {
            1 => "once".to_owned(),
            n => format!("{n} times"),
        };
        let of = match self.waves.count {
            1 => String::new(),
            n => format!(" ({n} waves)"),
        };
        format!("{times}, by {lanes} of {waves} of {groups}{of}")
    }
}

impl FaultExample {
    fn of(f: &WaveFault) -> Self {
        let region = f.fault.region();
        Self {
            workgroup: f.group,
            wave: f.wave,
            lane: f.fault.lane,
            address: signed(&f.fault, f.fault.address),
            bytes: f.fault.size,
            side: region.as_ref().map(|r| r.side.name()),
            distance: region.as_ref().map(|r| r.distance),
            region: region.as_ref().map(FaultRegion::of),
        }
    }
}

impl FaultRegion {
    fn of(r: &Nearest) -> Self {
        Self {
            name: r.name.to_string(),
            base: r.base,
            size: r.size,
        }
    }
}

impl FaultRegions {
    fn of(r: &MissedRegion) -> Self {
        Self {
            region: FaultRegion::of(&r.nearest),
            side: r.nearest.side.name(),
            distance: r.nearest.distance,
            farthest: r.farthest,
            count: r.count,
        }
    }
}

/// Where accesses lie beside a region.
fn beside(r: &MissedRegion) -> String {
    let n = &r.nearest;
    let (near, far) = (n.distance, r.farthest);
    if far == near {
        return n.to_string();
    }
    let end = u128::from(n.base) + u128::from(n.size);
    let region = format!("{} [{:#x}, {end:#x})", n.name, n.base);
    match n.side {
        Side::Before => format!("{near} to {far} bytes before {region}"),
        Side::After if near == 0 => {
            format!("from right behind the end of {region} to {far} bytes behind it")
        }
        Side::After => format!("{near} to {far} bytes behind the end of {region}"),
        Side::AcrossStart => format!("{near} to {far} of its bytes are before {region}"),
        Side::AcrossEnd => format!("{near} to {far} of its bytes are behind the end of {region}"),
        Side::Inside => n.to_string(),
    }
}

/// An address of the fault's space as a number.
fn signed(fault: &Fault, address: u64) -> i128 {
    Fault {
        address,
        nearest: None,
        ..fault.clone()
    }
    .signed_address()
}

/// A number with its sign.
pub(crate) fn hex(address: i128) -> String {
    let sign = if address < 0 { "-" } else { "" };
    format!("{sign}{:#x}", address.unsigned_abs())
}

fn group([x, y, z]: [u32; 3]) -> String {
    format!("{x},{y},{z}")
}

fn instruction(site: &FaultSite) -> String {
    let Some(inst) = &site.inst else {
        return site.mnemonic.to_owned();
    };
    let mut text = String::new();
    waveglass_asm::print(inst, &waveglass_asm::PrintOptions::default(), &mut text);
    text
}

/// The set bits as ranges: `0-3, 7`.
fn ranges(mask: u64) -> String {
    let mut out = String::new();
    let mut n = 0;
    while n < 64 {
        if mask >> n & 1 == 0 {
            n += 1;
            continue;
        }
        let run = (mask >> n).trailing_ones();
        let lead = if out.is_empty() { "" } else { ", " };
        let _ = match run {
            1 => write!(out, "{lead}{n}"),
            _ => write!(out, "{lead}{n}-{}", n + run - 1),
        };
        n += run;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_written_as_ranges() {
        assert_eq!(ranges(0), "");
        assert_eq!(ranges(1), "0");
        assert_eq!(ranges(0b1000_1011), "0-1, 3, 7");
        assert_eq!(ranges(u64::MAX), "0-63");
        assert_eq!(ranges(1 << 63 | 1), "0, 63");
    }
}
