//! `waveglass access`.

use std::fmt::Write as _;
use std::str::FromStr;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use owo_colors::OwoColorize as _;
use waveglass::access::{AccessError, AccessReport, LaneAccess, Part, Place, Scene, Term};
use waveglass::asm::LineAssembler;
use waveglass::isa::{Inst, Target};

use crate::cli::{check_wave_size, parse_target, parse_wave_size};
use crate::failure::{FINDING, Failure, REFUSED};
use crate::output;

#[derive(Debug, Args)]
#[command(
    after_help = "Registers (--reg): v2=0,4,8..     lanes 0, 4, 8, 12, ... (the last step goes on)\n                   v2=7           all lanes\n                   v[0:1]=0x1000  64 bits over two registers\n                   s[0:3]=0x1000,0,64,0x27000  one value a register\n                   m0=64  vcc=3  exec is --exec\n\nEach dword of mapped memory, LDS and scratch holds the low half of its own address, so that a\nloaded value says where it is from. The apertures are where `waveglass targets` runs have them;\n`lds:8` and `scratch:8` as values of v[A:B] are flat addresses in them.\n\nExamples:\n  waveglass access 'global_load_dwordx2 v[2:3], v0, s[0:1] offset:16' --target gfx900 \\\n    --reg 's[0:1]=0x10000' --reg v0=0,8.. --map 0x10000:256\n  waveglass access 'flat_load_dword v2, v[0:1]' --target gfx900 --lds 64 --scratch 16 \\\n    --map 0x10000:64 --reg 'v[0:1]=0x10000,lds:8,scratch:4,lds:64' --exec 0xf"
)]
pub(crate) struct AccessArgs {
    /// The instruction, as assembly or as its bytes in hexadecimal.
    pub(crate) instruction: String,
    /// The target.
    #[arg(long, value_parser = parse_target)]
    pub(crate) target: Target,
    /// Lanes of a wave.
    #[arg(long, value_name = "LANES", value_parser = parse_wave_size)]
    pub(crate) wavesize: Option<u32>,
    /// Bytes of LDS of the workgroup.
    #[arg(long, value_name = "BYTES", value_parser = parse_u32, default_value = "0")]
    pub(crate) lds: u32,
    /// Bytes of scratch of each lane.
    #[arg(long, value_name = "BYTES", value_parser = parse_u32, default_value = "0")]
    pub(crate) scratch: u32,
    /// A register's value; zero where none is given, but 0xffffffff in M0.
    #[arg(long = "reg", value_name = "REGISTER=VALUES")]
    pub(crate) registers: Vec<Setting>,
    /// Memory that is mapped, read-only with `:ro`.
    #[arg(long = "map", value_name = "BASE:SIZE[:ro]")]
    pub(crate) maps: Vec<Map>,
    /// Lanes that are on.
    #[arg(long, value_name = "MASK", value_parser = parse_u64)]
    pub(crate) exec: Option<u64>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `REGISTER=VALUES`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    vector: bool,
    first: usize,
    count: usize,
    values: Vec<Value>,
    /// Whether the last difference goes on.
    goes_on: bool,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Number(u64),
    Lds(u64),
    Scratch(u64),
}

/// `BASE:SIZE[:ro]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Map {
    pub(crate) base: u64,
    pub(crate) size: u64,
    pub(crate) read_only: bool,
}

pub(crate) fn parse_u64(s: &str) -> Result<u64, String> {
    let s = s.trim();
    let (digits, radix) = match s.strip_prefix("0x").or_else(|| s.strip_prefix("0X")) {
        Some(hex) => (hex, 16),
        None => (s, 10),
    };
    if let Some(negative) = digits.strip_prefix('-') {
        return u64::from_str_radix(negative, radix)
            .map(|v| v.wrapping_neg())
            .map_err(|_| format!("{s:?} is no number"));
    }
    u64::from_str_radix(&digits.replace('_', ""), radix).map_err(|_| format!("{s:?} is no number"))
}

pub(crate) fn parse_u32(s: &str) -> Result<u32, String> {
    u32::try_from(parse_u64(s)?).map_err(|_| format!("{s} does not fit in 32 bits"))
}

impl FromStr for Map {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let mut parts = s.split(':');
        let base = parse_u64(parts.next().unwrap_or_default())?;
        let size = parse_u64(parts.next().ok_or("BASE:SIZE[:ro], as in 0x10000:256")?)?;
        let read_only = match parts.next() {
            None | Some("rw") => false,
            Some("ro") => true,
            Some(other) => return Err(format!("{other:?} is neither ro nor rw")),
        };
        if size == 0 {
            return Err("a region has at least one byte".to_owned());
        }
        Ok(Self {
            base,
            size,
            read_only,
        })
    }
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, values) = text
            .split_once('=')
            .ok_or("REGISTER=VALUES, as in v2=0,4.. or s[0:1]=0x1000")?;
        let (vector, first, count) = register(name.trim())?;
        let (list, goes_on) = match values.strip_suffix("..") {
            Some(list) => (list.trim_end_matches(','), true),
            None => (values, false),
        };
        let values: Vec<Value> = list.split(',').map(value).collect::<Result<_, _>>()?;
        if goes_on && values.len() < 2 {
            return Err("`..` needs two values before it, whose difference goes on".to_owned());
        }
        Ok(Self {
            vector,
            first,
            count,
            values,
            goes_on,
            text: text.to_owned(),
        })
    }
}

fn value(s: &str) -> Result<Value, String> {
    let s = s.trim();
    if let Some(offset) = s.strip_prefix("lds:") {
        return parse_u64(offset).map(Value::Lds);
    }
    if let Some(offset) = s.strip_prefix("scratch:") {
        return parse_u64(offset).map(Value::Scratch);
    }
    if s.contains('.') && !s.starts_with("0x") {
        let f: f32 = s.parse().map_err(|_| format!("{s:?} is no number"))?;
        return Ok(Value::Number(f.to_bits().into()));
    }
    parse_u64(s).map(Value::Number)
}

/// A register's file, first number and count.
fn register(name: &str) -> Result<(bool, usize, usize), String> {
    let special = match name {
        "m0" => Some((124, 1)),
        "vcc" => Some((106, 2)),
        "vcc_lo" => Some((106, 1)),
        "vcc_hi" => Some((107, 1)),
        "flat_scratch" => Some((102, 2)),
        "exec" => return Err("EXEC is set by --exec".to_owned()),
        _ => None,
    };
    if let Some((first, count)) = special {
        return Ok((false, first, count));
    }
    let bad = || format!("{name:?} is no register; v2, v[0:1], s4, s[0:3], m0, vcc");
    let vector = match name.chars().next() {
        Some('v') => true,
        Some('s') => false,
        _ => return Err(bad()),
    };
    let rest = &name[1..];
    let (first, last) = match rest.strip_prefix('[').and_then(|r| r.strip_suffix(']')) {
        Some(range) => {
            let (a, b) = range.split_once(':').ok_or_else(bad)?;
            (
                a.trim().parse().map_err(|_| bad())?,
                b.trim().parse().map_err(|_| bad())?,
            )
        }
        None => {
            let i: usize = rest.parse().map_err(|_| bad())?;
            (i, i)
        }
    };
    let most = if vector { 255 } else { 105 };
    if first > last || last > most {
        return Err(format!(
            "{name}: the registers are 0 to {most}, the lower first"
        ));
    }
    Ok((vector, first, last - first + 1))
}

impl Setting {
    fn apply(&self, scene: &mut Scene) -> anyhow::Result<()> {
        let (lds, scratch) = scene.apertures();
        let number = |v: Value| match v {
            Value::Number(n) => n,
            Value::Lds(o) => lds.wrapping_add(o),
            Value::Scratch(o) => scratch.wrapping_add(o),
        };
        let values: Vec<u64> = self.values.iter().map(|v| number(*v)).collect();
        let too_wide =
            |v: u64| self.count == 1 && v > u64::from(u32::MAX) && (v as i64) < -(1 << 31);
        if let Some(v) = values.iter().find(|v| too_wide(**v)) {
            bail!("--reg {}: {v:#x} does not fit in 32 bits", self.text);
        }
        let wave = scene.wave_mut();
        if !self.vector {
            return self.scalar(wave, &values);
        }
        let lanes = wave.lanes();
        if values.len() > lanes {
            bail!(
                "--reg {}: {} values for {lanes} lanes",
                self.text,
                values.len()
            );
        }
        for lane in 0..lanes {
            let value = match values.get(lane) {
                Some(v) => *v,
                None if values.len() == 1 => values[0],
                None if self.goes_on => {
                    let n = values.len();
                    let step = values[n - 1].wrapping_sub(values[n - 2]);
                    values[n - 1].wrapping_add(step.wrapping_mul((lane - n + 1) as u64))
                }
                None => 0,
            };
            for r in 0..self.count.min(2) {
                wave.set_lane(self.first + r, lane, (value >> (32 * r)) as u32);
            }
        }
        Ok(())
    }

    fn scalar(&self, wave: &mut waveglass::exec::Wave, values: &[u64]) -> anyhow::Result<()> {
        if self.goes_on {
            bail!(
                "--reg {}: `..` is for the lanes of vector registers",
                self.text
            );
        }
        for r in 0..self.count {
            let value = match values {
                [one] => one.checked_shr(32 * r as u32).unwrap_or(0),
                many if many.len() == self.count => many[r],
                many => bail!(
                    "--reg {}: {} values for {} registers; give one, or one for each",
                    self.text,
                    many.len(),
                    self.count
                ),
            };
            wave.sgpr[self.first + r] = value as u32;
        }
        Ok(())
    }
}

/// The instruction that a text or hexadecimal bytes stand for.
pub(crate) fn instruction(text: &str, target: Target, lanes: u32) -> anyhow::Result<Inst> {
    let Ok(bytes) = output::parse_hex(text) else {
        return LineAssembler::new(target, lanes)
            .assemble(text)
            .map_err(|d| {
                let help = d.help.map_or(String::new(), |h| format!("; {h}"));
                anyhow!("INSTRUCTION: column {}: {}{help}", d.column, d.message)
            });
    };
    let inst = waveglass::access::instruction(target, lanes, &bytes)
        .map_err(|e| anyhow!("INSTRUCTION: {e} of {target}"))?;
    if inst.size() < bytes.len() {
        bail!("INSTRUCTION: {} bytes follow it", bytes.len() - inst.size());
    }
    Ok(inst)
}

/// The scene with memory and registers as given; `lds_scratch` are their sizes in bytes.
pub(crate) fn scene(
    target: Target,
    lanes: u32,
    lds_scratch: (u32, u32),
    maps: &[Map],
    registers: &[Setting],
    exec: Option<u64>,
) -> anyhow::Result<Scene> {
    let mut scene = Scene::new(target, lanes, lds_scratch.0, lds_scratch.1)
        .map_err(|e| anyhow!(e))
        .context("--lds, --scratch")?;
    for m in maps {
        let name = format!("{:#x}:{}", m.base, m.size);
        scene
            .map(m.base, m.size, !m.read_only, &name)
            .with_context(|| format!("--map {name}"))?;
    }
    for r in registers {
        r.apply(&mut scene)?;
    }
    if let Some(exec) = exec {
        let full = scene.wave().full_mask();
        if exec & !full != 0 {
            bail!("--exec {exec:#x}: the wave has {lanes} lanes");
        }
        scene.wave_mut().set_exec(exec);
    }
    Ok(scene)
}

pub(crate) fn main(args: &AccessArgs) -> Result<(), Failure> {
    check_wave_size(args.target, args.wavesize)?;
    let lanes = args.wavesize.unwrap_or(args.target.default_wave_size());
    let inst = instruction(&args.instruction, args.target, lanes)?;
    let mut scene = scene(
        args.target,
        lanes,
        (args.lds, args.scratch),
        &args.maps,
        &args.registers,
        args.exec,
    )?;
    let report = scene.access(&inst).map_err(|e| match e {
        AccessError::Refused { .. } => Failure::new(REFUSED, anyhow!(e)),
        _ => Failure::from(anyhow!(e)),
    })?;
    if args.json {
        output::write_json(&report)?;
    } else {
        output::write(&text(&report))?;
    }
    let faults = report.lanes.iter().filter(|l| l.fault.is_some()).count();
    if !report.violations.is_empty() {
        return Err(Failure::new(
            FINDING,
            anyhow!("a memory violation by the whole wave"),
        ));
    }
    if faults > 0 {
        let s = if faults == 1 { "" } else { "s" };
        return Err(Failure::new(
            FINDING,
            anyhow!("a memory violation by {faults} lane{s}"),
        ));
    }
    Ok(())
}

/// The terms of an address with their values.
pub(crate) fn terms(list: &[Term]) -> String {
    let each: Vec<String> = list
        .iter()
        .map(|t| {
            format!(
                "{} = {}",
                t.name,
                signed_hex(t.value, t.name.ends_with(']'))
            )
        })
        .collect();
    each.join(", ")
}

/// Small negative numbers with their sign, unless they are addresses.
fn signed_hex(v: u64, is_address: bool) -> String {
    match v as i64 {
        n @ -0xffff_ffff..=-1 if !is_address => format!("-{:#x}", n.unsigned_abs()),
        _ => format!("{v:#x}"),
    }
}

fn text(report: &AccessReport) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}  ({})", report.text.bold(), report.target);
    let _ = writeln!(out, "{}  [{}]", report.formula, report.source);
    if !report.shared.is_empty() {
        let _ = writeln!(out, "{}", terms(&report.shared));
    }
    for note in &report.notes {
        let _ = writeln!(out, "{note}");
    }
    for violation in &report.violations {
        let _ = writeln!(out, "{} {violation}", "violation:".red());
    }
    let counters = match report.counters.as_slice() {
        [] => "none".to_owned(),
        some => some.join(" and "),
    };
    let _ = writeln!(out, "counters: {counters}\n");
    let mut off: Vec<u32> = Vec::new();
    for lane in &report.lanes {
        if !lane.active {
            off.push(lane.lane);
            continue;
        }
        lane_text(lane, &mut out);
    }
    if !off.is_empty() {
        let _ = writeln!(out, "off by EXEC: {}", ranges(&off));
    }
    if !report.scalars.is_empty() {
        let _ = writeln!(out, "written: {}", terms(&report.scalars));
    }
    out
}

/// Numbers in order, runs shortened: `0-3, 7`.
fn ranges(numbers: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &n in numbers {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == n => *end = n,
            _ => runs.push((n, n)),
        }
    }
    let each: Vec<String> = runs
        .iter()
        .map(|(a, b)| {
            if a == b {
                a.to_string()
            } else {
                format!("{a}-{b}")
            }
        })
        .collect();
    each.join(", ")
}

fn lane_text(lane: &LaneAccess, out: &mut String) {
    let mut head = format!("lane {:<3}", lane.lane);
    if !lane.terms.is_empty() {
        let _ = write!(head, "{}", terms(&lane.terms));
    }
    let _ = writeln!(out, "{}", head.trim_end());
    for part in &lane.parts {
        part_text(part, out);
    }
    if !lane.result.is_empty() {
        let values: Vec<String> = lane.result.iter().map(|v| format!("{v:#010x}")).collect();
        let _ = writeln!(out, "    result {}", values.join(" "));
    }
    if let Some(fault) = &lane.fault {
        let _ = writeln!(out, "    {} {fault}", "violation:".red().bold());
    }
}

fn part_text(part: &Part, out: &mut String) {
    let place = match &part.place {
        Place::Global { address, region } => format!(
            "global {address:#x}{}",
            region
                .as_ref()
                .map_or(String::new(), |r| format!(" in {r}"))
        ),
        Place::Lds { offset } => format!("LDS {offset:#x}"),
        Place::Gds { address } => format!("GDS {address:#x}"),
        Place::Scratch { offset, address } => {
            format!("scratch {offset:#x}, in memory at {address:#x}")
        }
        Place::Lane { lane } => {
            let value: Vec<String> = part
                .content
                .iter()
                .flatten()
                .rev()
                .map(|b| format!("{b:02x}"))
                .collect();
            let _ = writeln!(
                out,
                "    {} bytes of lane {lane}: 0x{}",
                part.bytes,
                value.concat()
            );
            return;
        }
        Place::NoLane { why } => {
            let _ = writeln!(out, "    nothing: {why}");
            return;
        }
        Place::Dropped { why } => format!("nothing: {why}"),
        Place::Violation { why } => format!("nothing: {why}"),
    };
    let _ = writeln!(
        out,
        "    {} byte{} at {:#x}: {place}",
        part.bytes,
        if part.bytes == 1 { "" } else { "s" },
        part.sum
    );
    for check in &part.checks {
        let word = if check.holds { "yes" } else { "no " };
        let _ = writeln!(out, "      {word} {}", check.text);
    }
    if let Some(content) = &part.content {
        let bytes: Vec<String> = content.iter().map(|b| format!("{b:02x}")).collect();
        let _ = writeln!(out, "      then holds {}", bytes.join(" "));
    }
}
