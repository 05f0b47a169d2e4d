//! One memory instruction on a given state, lane by lane: how its address comes about, what is
//! checked, what happens.
//!
//! [`Scene`] holds the state; [`Scene::access`] explains the instruction on it, executes it there,
//! and says what came of it.

mod buffer;
mod crosslane;
mod flat;
mod lds;
mod scalar;
mod scene;
mod shares;
mod transfer;

pub use scene::Scene;

use crate::exec::machine::{Barrier, Machine};
use crate::exec::program::{Compile, scalar_number};
use crate::exec::wave::sreg;
use crate::exec::{Stats, Step, Stop, Wave, semantics};
use crate::isa::{Decoder, Field, Inst, InstInfo, Operand, Reg, RegFile};
use crate::mem::{Fault, Port};
use serde::Serialize;

/// Why an access cannot be explained.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The instruction accesses no memory that is explained here.
    #[error("{0} is no memory instruction")]
    NotMemory(&'static str),
    /// A memory instruction whose lanes are not shown.
    #[error(
        "{0} cannot be shown lane by lane: only accesses of memory, LDS and scratch and moves between lanes are"
    )]
    NotShown(&'static str),
    /// The executor refuses the instruction.
    #[error("{mnemonic} is not implemented: {why}")]
    Refused {
        /// The mnemonic.
        mnemonic: &'static str,
        /// What is refused about it.
        why: &'static str,
    },
    /// A register, a region or a size that the scene cannot have.
    #[error("{0}")]
    Scene(String),
}

/// What one instruction does.
#[derive(Clone, Debug, Serialize)]
pub struct AccessReport {
    /// The instruction's text.
    pub text: String,
    /// The target's name.
    pub target: &'static str,
    /// How the address comes about, in the manual's terms.
    pub formula: String,
    /// Where that is from.
    pub source: &'static str,
    /// What is the same for all lanes.
    pub shared: Vec<Term>,
    /// Rules that hold for the whole instruction.
    pub notes: Vec<String>,
    /// The lanes; a scalar operation has one.
    pub lanes: Vec<LaneAccess>,
    /// The counters that count it until it is done.
    pub counters: Vec<&'static str>,
    /// Scalar registers that it wrote, and their values.
    pub scalars: Vec<Term>,
    /// Memory violations of what acts for the whole wave; those of lanes stand with the lanes.
    pub violations: Vec<String>,
}

/// A named value in an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Term {
    /// What it is, with the register or field that it comes from.
    pub name: String,
    /// The value; a negative one in two's complement.
    pub value: u64,
}

/// What one lane does.
#[derive(Clone, Debug, Serialize)]
pub struct LaneAccess {
    /// The lane.
    pub lane: u32,
    /// Whether EXEC has it on; the rest is empty where not.
    pub active: bool,
    /// The lane's own terms.
    pub terms: Vec<Term>,
    /// The parts that it accesses: one, or two of an LDS operation with two addresses.
    pub parts: Vec<Part>,
    /// Its registers after the operation, where it returns something.
    pub result: Vec<u32>,
    /// The memory violation, in words.
    pub fault: Option<String>,
}

/// One contiguous access of a lane.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    /// The address that the terms add up to.
    pub sum: u64,
    /// Where it falls.
    pub place: Place,
    /// What was checked.
    pub checks: Vec<Check>,
    /// Bytes accessed.
    pub bytes: u32,
    /// What is there after the operation, where it is memory.
    pub content: Option<Vec<u8>>,
}

/// Where an access falls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "space", rename_all = "snake_case")]
pub enum Place {
    /// Memory.
    Global {
        /// The address.
        address: u64,
        /// The mapped region there.
        region: Option<String>,
    },
    /// The workgroup's LDS.
    Lds {
        /// The byte offset.
        offset: u64,
    },
    /// The global data share.
    Gds {
        /// The byte address.
        address: u64,
    },
    /// The lane's scratch.
    Scratch {
        /// The private offset.
        offset: i64,
        /// Where the swizzle puts it in memory.
        address: u64,
    },
    /// Another lane's register.
    Lane {
        /// The lane.
        lane: u32,
    },
    /// No lane: zero.
    NoLane {
        /// Why.
        why: &'static str,
    },
    /// Nowhere: reads give zero, writes are dropped, no violation.
    Dropped {
        /// Why.
        why: &'static str,
    },
    /// Nowhere: a violation.
    Violation {
        /// Why.
        why: &'static str,
    },
}

/// A condition that hardware tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The condition with its operands.
    pub text: String,
    /// Whether it held.
    pub holds: bool,
}

impl Part {
    /// Whether the other part begins where this one ends, with the same outcome.
    fn goes_on_in(&self, next: &Self) -> bool {
        let same = match (&self.place, &next.place) {
            (Place::Global { region: a, .. }, Place::Global { region: b, .. }) => a == b,
            (Place::Scratch { .. }, Place::Scratch { .. })
            | (Place::Lds { .. }, Place::Lds { .. })
            | (Place::Gds { .. }, Place::Gds { .. }) => true,
            (a, b) => a == b,
        };
        same && next.sum == self.sum.wrapping_add(self.bytes.into())
    }

    fn join(&mut self, next: Self) {
        self.bytes += next.bytes;
        for check in next.checks {
            if !self.checks.contains(&check) {
                self.checks.push(check);
            }
        }
    }
}

impl Check {
    fn new(holds: bool, text: String) -> Self {
        Self { text, holds }
    }
}

/// A form of the explanation before the instruction runs.
struct Explanation {
    formula: String,
    source: &'static str,
    shared: Vec<Term>,
    notes: Vec<String>,
    lanes: Vec<LaneAccess>,
}

/// What explanations are made from.
struct Subject<'a> {
    inst: &'a Inst,
    scene: &'a Scene,
    /// Bytes that a lane accesses at an address.
    bytes: u32,
    /// Added to the immediate offset: the distance of a register of a block.
    extra: i64,
}

impl Scene {
    /// Explains `inst` on this state and executes it.
    ///
    /// # Errors
    ///
    /// [`AccessError`]: no memory instruction, or one that is refused.
    pub fn access(&mut self, inst: &Inst) -> Result<AccessReport, AccessError> {
        let wave = &self.wave;
        let op = semantics::compile(&Compile {
            inst,
            address: 0,
            agpr_base: wave.agpr_base as u32,
            vector_registers: wave.temp_base as u32,
            temp_base: wave.temp_base as u32,
            rows: wave.rows as u32,
            msb: 0,
            sramecc: true,
            sgprs: 128,
        });
        let name = inst.mnemonic();
        let atomic = name.contains("atomic") && !name.contains("lds")
            || name.starts_with("ds_") && !is_plain_ds(name);
        let bytes = match op.mem.width {
            _ if !atomic => op.mem.element.bytes(),
            crate::mem::AtomicWidth::B64 => 8,
            _ => 4,
        };
        let subject = Subject {
            inst,
            scene: self,
            bytes,
            extra: 0,
        };
        let mut explanation = subject.explain()?;
        let block = subject.block();
        let before = self.wave.clone();
        if name == "ds_ordered_count" {
            self.give_turn();
        }
        let (faults, waits) = self.execute(&op)?;
        if waits {
            explanation
                .notes
                .push("the wave waits here, and asks again until it may go on".to_owned());
        }
        Ok(self.report(inst, explanation, block.as_deref(), &before, &faults))
    }

    /// The violations, and whether the wave waits at the instruction.
    fn execute(&mut self, op: &crate::exec::Op) -> Result<(Vec<Fault>, bool), AccessError> {
        let mut stats = Stats::default();
        let mut barrier = Barrier::new(1);
        let mut port = Port::new(self.rules);
        let step = (op.run)(
            &mut Machine {
                wave: &mut self.wave,
                lds: &mut self.lds,
                barrier: &mut barrier,
                memory: &self.memory,
                port: &mut port,
                env: &self.env,
                stats: &mut stats,
            },
            op,
        );
        if let Step::Stop(Stop::Refused { why, .. }) = step {
            return Err(AccessError::Refused {
                mnemonic: op.mnemonic(),
                why,
            });
        }
        let faults = std::mem::take(&mut self.wave.faults);
        let faults = faults.into_iter().map(|f| f.fault).collect();
        Ok((faults, step == Step::Retry))
    }

    fn report(
        &self,
        inst: &Inst,
        mut explanation: Explanation,
        block: Option<&[u32]>,
        before: &Wave,
        faults: &[Fault],
    ) -> AccessReport {
        let info = InstInfo::new(inst);
        let written = |file: RegFile| info.writes.iter().filter(move |w| w.reg.file == file);
        for lane in explanation.lanes.iter_mut().filter(|l| l.active) {
            for w in written(RegFile::Vgpr).chain(written(RegFile::Agpr)) {
                let first = self.register(w.reg);
                let count = usize::from(w.reg.dwords);
                let all: Vec<usize> = match block {
                    Some(registers) => registers.iter().map(|n| first + *n as usize).collect(),
                    None => (first..first + count).collect(),
                };
                for r in all.into_iter().filter(|r| *r < self.registers()) {
                    lane.result.push(self.wave.lane(r, lane.lane as usize));
                }
            }
            let fault = faults.iter().find(|f| u32::from(f.lane) == lane.lane);
            lane.fault = fault.map(ToString::to_string);
            let in_memory = |p: &&mut Part| !matches!(p.place, Place::Lane { .. });
            for part in lane.parts.iter_mut().filter(in_memory) {
                part.content = self.content(&part.place, part.bytes, lane.lane);
            }
        }
        // What acts for the whole wave has no lane to show its violations at.
        let whole = explanation.lanes.is_empty();
        let violations: Vec<String> = faults
            .iter()
            .filter(|_| whole)
            .map(ToString::to_string)
            .collect();
        let scalars = (0..128)
            .filter(|&i| self.wave.sgpr[i] != before.sgpr[i])
            .map(|i| Term {
                name: sreg::name(i),
                value: u64::from(self.wave.sgpr[i]),
            })
            .collect();
        let mut text = String::new();
        waveglass_asm::print(inst, &waveglass_asm::PrintOptions::default(), &mut text);
        AccessReport {
            text,
            target: inst.target().name(),
            formula: explanation.formula,
            source: explanation.source,
            shared: explanation.shared,
            notes: explanation.notes,
            lanes: explanation.lanes,
            counters: info.counters.iter().map(|c| c.name()).collect(),
            scalars,
            violations,
        }
    }

    /// The bytes at a place.
    fn content(&self, place: &Place, bytes: u32, lane: u32) -> Option<Vec<u8>> {
        let mut out = vec![0; bytes as usize];
        match *place {
            Place::Global { address, .. } => self.memory.read(address, &mut out).then_some(out),
            Place::Lds { offset } => {
                let end = (offset as usize).checked_add(out.len())?;
                self.lds
                    .bytes()
                    .get(offset as usize..end)
                    .map(<[u8]>::to_vec)
            }
            Place::Gds { address } => self.env.gds.read(address, &mut out).then_some(out),
            Place::Scratch { offset, .. } => {
                for (i, b) in out.iter_mut().enumerate() {
                    let at = offset.checked_add(i as i64)?;
                    let address = self.window().address(u64::try_from(at).ok()?, lane);
                    if !self.memory.read(address, std::slice::from_mut(b)) {
                        return None;
                    }
                }
                Some(out)
            }
            Place::Lane { .. }
            | Place::NoLane { .. }
            | Place::Dropped { .. }
            | Place::Violation { .. } => None,
        }
    }
}

/// Whether a DS instruction's bytes are those of a load or store element.
fn is_plain_ds(name: &str) -> bool {
    ["read", "write", "load", "store"]
        .iter()
        .any(|w| name.contains(w))
        && !name.contains("cmpst")
}

impl Subject<'_> {
    fn explain(&self) -> Result<Explanation, AccessError> {
        let name = self.inst.mnemonic();
        if name.starts_with("ds_gws") {
            return Ok(self.gws());
        }
        if name == "ds_ordered_count" {
            return Ok(self.ordered_count());
        }
        if name.starts_with("tensor_") && self.inst.operand_def(Field::Vaddr0).is_some() {
            return self.tensor();
        }
        if self.gds_window().is_some() {
            return Ok(self.in_gds(self.of_memory(name)?));
        }
        if let Some(registers) = self.block() {
            return Ok(self.blocks(&registers));
        }
        let explanation = self.of_memory(name)?;
        Ok(if self.goes_through_lds() {
            self.with_lds(explanation)
        } else if self.transposes() {
            self.transposing(explanation)
        } else {
            explanation
        })
    }

    /// The explanation of an access of memory, LDS or scratch, or of a move between lanes.
    fn of_memory(&self, name: &'static str) -> Result<Explanation, AccessError> {
        let starts = |prefixes: &[&str]| prefixes.iter().any(|p| name.starts_with(p));
        let has = |field| self.inst.operand_def(field).is_some();
        let global = [
            "global_load_",
            "global_store_",
            "global_atomic_",
            "cluster_load_",
        ];
        if has(Field::Vaddr) && starts(&["flat_load", "flat_store", "flat_atomic"]) {
            Ok(self.flat())
        } else if starts(&global) {
            Ok(self.global())
        } else if starts(&["scratch_load_", "scratch_store_"]) {
            Ok(self.scratch())
        } else if starts(&["buffer_", "tbuffer_"]) && has(Field::Srsrc) {
            Ok(self.buffer())
        } else if name == "ds_swizzle_b32" {
            Ok(self.swizzle())
        } else if starts(&["ds_permute", "ds_bpermute"]) {
            Ok(self.permute())
        } else if starts(&["ds_append", "ds_consume"]) {
            Ok(self.append())
        } else if starts(&["ds_"]) && name.contains("addtid") {
            Ok(self.addtid())
        } else if starts(&["ds_"]) && name.contains("src2") {
            Ok(self.src2())
        } else if starts(&["ds_condxchg"]) {
            Ok(self.conditional_exchange())
        } else if starts(&["ds_bvh_stack"]) {
            Ok(self.bvh_stack())
        } else if starts(&["ds_add_gs_reg", "ds_sub_gs_reg"]) {
            Ok(self.gs_register())
        } else if starts(&["ds_"]) && has(Field::Addr) {
            Ok(self.lds())
        } else if starts(&["s_"]) && has(Field::Sbase) {
            self.scalar()
        } else if InstInfo::new(self.inst).counters.is_empty() {
            Err(AccessError::NotMemory(name))
        } else {
            Err(AccessError::NotShown(name))
        }
    }

    fn wave(&self) -> &Wave {
        &self.scene.wave
    }

    fn register(&self, field: Field) -> Option<Reg> {
        match self.inst.operand(field)? {
            Operand::Reg(r) if r.file != RegFile::Null => Some(r),
            _ => None,
        }
    }

    /// The immediate of a field, and its term.
    fn immediate(&self, field: Field, name: &str) -> (i64, Term) {
        let value = match self.inst.operand(field) {
            Some(Operand::Imm(i)) => semantics::flat_offset(self.inst, i),
            _ => 0,
        };
        let term = Term {
            name: name.to_owned(),
            value: value as u64,
        };
        (value + self.extra, term)
    }

    /// A scalar operand as 32 or 64 bits, and its term.
    fn scalar_operand(&self, field: Field, name: &str) -> Option<(u64, Term)> {
        let (value, name) = match self.inst.operand(field)? {
            Operand::Reg(r) if r.file == RegFile::Null => return None,
            Operand::Reg(r) => {
                let i = scalar_number(r) as usize;
                let w = self.wave();
                let value = match r.dwords {
                    1 => u64::from(w.sgpr[i & 127]),
                    _ => w.s64(i),
                };
                (value, format!("{name} {}", register_name(r)))
            }
            _ => (self.inst.constant(field)?, name.to_owned()),
        };
        Some((value, Term { name, value }))
    }

    /// One lane's dword of a vector operand.
    fn vector(&self, reg: Reg, dword: u32, lane: u32) -> u32 {
        let r = self.scene.register(reg) + dword as usize;
        let r = if r < self.scene.registers() { r } else { 0 };
        self.wave().lane(r, lane as usize)
    }

    /// Each lane of the wave: `explain` for the active ones.
    fn lanes(&self, explain: impl Fn(u32) -> (Vec<Term>, Vec<Part>)) -> Vec<LaneAccess> {
        let exec = self.wave().exec();
        (0..self.wave().lanes() as u32)
            .map(|lane| {
                let active = exec >> lane & 1 != 0;
                let (terms, parts) = if active {
                    explain(lane)
                } else {
                    Default::default()
                };
                LaneAccess {
                    lane,
                    active,
                    terms,
                    parts,
                    result: Vec::new(),
                    fault: None,
                }
            })
            .collect()
    }

    /// An access whose dwords are checked alone: one part if all of it is fine, else dword by dword.
    fn dword_by_dword(&self, part: impl Fn(&Subject<'_>, u64) -> Part) -> Vec<Part> {
        let whole = part(self, 0);
        let fine = !matches!(whole.place, Place::Violation { .. } | Place::Dropped { .. });
        if fine || self.bytes <= 4 {
            return vec![whole];
        }
        let mut parts: Vec<Part> = Vec::new();
        for at in (0..self.bytes).step_by(4) {
            let subject = Subject {
                inst: self.inst,
                scene: self.scene,
                bytes: 4,
                extra: self.extra,
            };
            let next = part(&subject, at.into());
            match parts.last_mut() {
                Some(last) if last.goes_on_in(&next) => last.join(next),
                _ => parts.push(next),
            }
        }
        parts
    }

    /// The check that an atomic or monitored load is aligned to its size (RDNA 3 ISA 3.3.4.1, CDNA 5 ISA
    /// 10.10); `None` where nothing is asked for.
    fn alignment(&self, at: u64) -> Option<Check> {
        self.is_aligned().then(|| {
            Check::new(
                at.is_multiple_of(self.bytes.into()),
                format!("{at:#x} is a multiple of {}", self.bytes),
            )
        })
    }

    /// Whether accesses must be aligned to their size.
    fn is_aligned(&self) -> bool {
        let name = self.inst.mnemonic();
        name.contains("atomic")
            || name.contains("monitor")
            || name.starts_with("ds_") && !is_plain_ds(name)
    }

    /// A global access with the check that memory is there.
    fn global_part(&self, sum: u64, mut checks: Vec<Check>) -> Part {
        let memory = &self.scene.memory;
        let region = memory.region_at(sum);
        let end = u128::from(sum) + u128::from(self.bytes);
        let inside = region
            .as_ref()
            .is_some_and(|r| end <= u128::from(r.base) + u128::from(r.size));
        checks.push(match &region {
            Some(r) => Check::new(
                inside,
                format!(
                    "{sum:#x} + {} <= {:#x}, the end of {}",
                    self.bytes,
                    u128::from(r.base) + u128::from(r.size),
                    r.name
                ),
            ),
            None => Check::new(false, format!("a region is mapped at {sum:#x}")),
        });
        let alignment = self.alignment(sum);
        let aligned = alignment.as_ref().is_none_or(|c| c.holds);
        checks.extend(alignment);
        let place = if !aligned {
            Place::Violation {
                why: "an atomic or monitored load must be aligned to its size",
            }
        } else if inside {
            Place::Global {
                address: sum,
                region: region.map(|r| r.name.to_string()),
            }
        } else {
            Place::Violation {
                why: "no memory is mapped there",
            }
        };
        Part {
            sum,
            place,
            checks,
            bytes: self.bytes,
            content: None,
        }
    }
}

/// A register's name, as in `s[0:1]`.
fn register_name(r: Reg) -> String {
    let (letter, i) = match r.file {
        RegFile::Vgpr => ("v", r.index),
        RegFile::Agpr => ("a", r.index),
        RegFile::Sgpr => ("s", r.index),
        RegFile::Ttmp => ("ttmp", r.index),
        RegFile::Vcc => return "vcc".to_owned(),
        RegFile::Exec => return "exec".to_owned(),
        RegFile::M0 => return "m0".to_owned(),
        RegFile::FlatScratch => return "flat_scratch".to_owned(),
        other => return format!("{other:?}"),
    };
    match r.dwords {
        0 | 1 => format!("{letter}{i}"),
        n => format!("{letter}[{i}:{}]", i + u16::from(n) - 1),
    }
}

/// Decodes the first instruction of `bytes` for [`Scene::access`].
///
/// # Errors
///
/// The bytes are no instruction of the target.
pub fn instruction(
    target: crate::isa::Target,
    wave_size: u32,
    bytes: &[u8],
) -> Result<Inst, crate::isa::DecodeError> {
    Decoder::new(target).wave_size(wave_size).decode(bytes)
}
