//! The state on which an access is shown: as the reader gives it, or one that makes sense for the
//! instruction.

use anyhow::{Context, anyhow, bail};
use waveglass::access::{Scene, SceneConfig};
use waveglass::isa::{Inst, Target};
use waveglass::{Card, OperandRow, set_descriptor_field};

use crate::access::{self, Map, Setting, parse_u32, parse_u64};

/// The most memory that is mapped for a reader, in bytes.
const MAPPED: u64 = 16 << 20;
/// The most scratch of a lane.
const SCRATCH: u32 = 64 << 10;
/// The most settings of registers, or regions.
const LINES: usize = 64;
/// Where the memory lies that is mapped without being asked for.
const BASE: u64 = 0x10000;
/// How many bytes that memory has.
const SIZE: u64 = 4096;

/// Registers and memory, as text to be changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    pub(super) registers: String,
    pub(super) maps: String,
    pub(super) lds: String,
    pub(super) scratch: String,
    pub(super) exec: String,
}

fn each<'a>(text: &'a str, what: &'a str) -> anyhow::Result<Vec<&'a str>> {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    if lines.len() > LINES {
        bail!("{what}: at most {LINES} lines");
    }
    Ok(lines)
}

impl State {
    /// The scene that the text describes.
    pub(super) fn scene(&self, inst: &Inst) -> anyhow::Result<Scene> {
        let number = |text: &str, what: &str| match text.trim() {
            "" => Ok(0),
            t => parse_u32(t).map_err(|e| anyhow!("{what}: {e}")),
        };
        let lds = number(&self.lds, "LDS")?;
        let scratch = number(&self.scratch, "scratch")?;
        if scratch > SCRATCH {
            bail!("scratch: at most {SCRATCH} bytes a lane");
        }
        let exec = match self.exec.trim() {
            "" => None,
            t => Some(parse_u64(t).map_err(|e| anyhow!("EXEC: {e}"))?),
        };
        let maps = each(&self.maps, "memory")?
            .into_iter()
            .map(|l| l.parse().map_err(|e| anyhow!("{l}: {e}")))
            .collect::<anyhow::Result<Vec<Map>>>()?;
        // What a page asks for reads no file of the host's.
        if maps.iter().any(Map::is_file) {
            bail!("memory: files cannot be given here; write BASE:SIZE=DWORD,DWORD");
        }
        let all = maps.iter().try_fold(0u64, |a, m| a.checked_add(m.size));
        if all.is_none_or(|a| a > MAPPED) {
            bail!("memory: at most {MAPPED} bytes");
        }
        let registers = each(&self.registers, "registers")?
            .into_iter()
            .map(|l| l.parse().map_err(|e| anyhow!("{l}: {e}")))
            .collect::<anyhow::Result<Vec<Setting>>>()?;
        access::scene(
            inst.target(),
            inst.wave_size(),
            (lds, scratch),
            &SceneConfig::default(),
            &maps,
            &registers,
            exec,
        )
        .context("the state")
    }

    /// A state in which the instruction reaches memory: its registers hold addresses in steps of
    /// what a lane accesses.
    pub(super) fn sensible(inst: &Inst, card: &Card) -> Self {
        let name = inst.mnemonic();
        let mut state = Self::default();
        let mut lines: Vec<String> = Vec::new();
        let target = inst.target();
        let operand = |name: &str| card.operands.iter().find(|o| o.name == name);
        let register = |name: &str| operand(name).and_then(register_of);
        let step = step(card);
        if name.starts_with("ds_") {
            state.lds = "4096".to_owned();
            if let Some(r) = register("addr") {
                lines.push(format!("{r}=0,{step}.."));
            }
        } else if name.starts_with("buffer_") || name.starts_with("tbuffer_") {
            state.maps = format!("{BASE:#x}:{SIZE}");
            buffer(&mut lines, card, target, step);
        } else if name.starts_with("s_") {
            state.maps = format!("{BASE:#x}:{SIZE}");
            match register("sbase") {
                Some(r) if name.contains("buffer") => lines.push(descriptor(r, target, 0)),
                Some(r) => lines.push(format!("{r}={BASE:#x}")),
                None => {}
            }
        } else if name.starts_with("scratch_") {
            state.scratch = "1024".to_owned();
            if let Some(r) = register("vaddr") {
                lines.push(format!("{r}=0,{step}.."));
            }
        } else {
            state.maps = format!("{BASE:#x}:{SIZE}");
            match (register("vaddr"), register("saddr")) {
                (Some(v), Some(s)) => {
                    lines.push(format!("{v}=0,{step}.."));
                    lines.push(format!("{s}={BASE:#x}"));
                }
                (Some(v), None) => {
                    lines.push(format!("{v}={BASE:#x},{:#x}..", BASE + u64::from(step)));
                }
                _ => {}
            }
        }
        for o in &card.operands {
            let is_data = matches!(o.name, "vdata" | "data" | "data0" | "sdata" | "vsrc");
            let vector = register_of(o).filter(|r| r.starts_with('v'));
            if is_data
                && o.access != "write"
                && let Some(r) = vector
            {
                lines.push(format!("{}=1,2..", first(r)));
            }
        }
        state.registers = lines.join("\n");
        state
    }
}

/// What a lane accesses, in bytes: as much as the data's registers hold.
fn step(card: &Card) -> u32 {
    card.operands
        .iter()
        .filter(|o| {
            matches!(
                o.name,
                "vdst" | "vdata" | "data" | "data0" | "vsrc" | "sdst" | "sdata"
            )
        })
        .map(|o| (o.bits / 8).clamp(4, 16))
        .max()
        .unwrap_or(4)
}

/// The registers that an operand names, as in "v[2:3]" of "VGPRs v[2:3]".
fn register_of(o: &OperandRow) -> Option<&str> {
    let name = o.value.rsplit(' ').next()?;
    format!("{name}=0").parse::<Setting>().ok()?;
    Some(name)
}

/// The first register of a range: v2 of v[2:3].
fn first(register: &str) -> String {
    match register
        .split_once('[')
        .and_then(|(file, r)| Some((file, r.split_once(':')?.0)))
    {
        Some((file, n)) => format!("{file}{n}"),
        None => register.to_owned(),
    }
}

/// The register after the first of a pair: v3 of v[2:3].
fn second(register: &str) -> Option<String> {
    let (file, range) = register.split_once('[')?;
    let n: u32 = range.split_once(':')?.0.parse().ok()?;
    Some(format!("{file}{}", n + 1))
}

fn buffer(lines: &mut Vec<String>, card: &Card, target: Target, step: u32) {
    let is_set = |name: &str| card.fields.iter().any(|f| f.name == name && f.value != 0);
    let (index, offset) = (is_set("IDXEN"), is_set("OFFEN"));
    let of = |name: &str| -> Option<&OperandRow> { card.operands.iter().find(|o| o.name == name) };
    if let Some(v) = of("vaddr").and_then(register_of) {
        match (index, offset) {
            (true, true) => {
                lines.push(format!("{}=0,1..", first(v)));
                lines.extend(second(v).map(|v| format!("{v}=0")));
            }
            (true, false) => lines.push(format!("{}=0,1..", first(v))),
            _ => lines.push(format!("{}=0,{step}..", first(v))),
        }
    }
    if let Some(s) = of("srsrc").and_then(register_of) {
        lines.push(descriptor(s, target, if index { step } else { 0 }));
    }
}

/// A descriptor of the mapped memory, as a setting of the registers that hold it.
fn descriptor(registers: &str, target: Target, stride: u32) -> String {
    let records = match stride {
        0 => SIZE,
        s => SIZE / u64::from(s),
    };
    let fields = [
        ("base", BASE.to_string()),
        ("stride", stride.to_string()),
        ("num_records", records.to_string()),
        ("dst_sel_x", "R".to_owned()),
        ("dst_sel_y", "G".to_owned()),
        ("dst_sel_z", "B".to_owned()),
        ("dst_sel_w", "A".to_owned()),
        ("format", "32_FLOAT".to_owned()),
        // Raw buffers of RDNA are checked by their offset alone.
        ("oob_select", if stride == 0 { "3" } else { "0" }.to_owned()),
    ];
    let words = fields.iter().fold([0; 4], |words, (name, value)| {
        // A generation without the field has its meaning fixed.
        set_descriptor_field(words, target, name, value).unwrap_or(words)
    });
    let words: Vec<String> = words.iter().map(|w| format!("{w:#x}")).collect();
    format!("{registers}={}", words.join(","))
}
