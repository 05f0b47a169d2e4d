//! One memory instruction on a given state, lane by lane: how its address comes about, what is
//! checked, what happens.
//!
//! [`Scene`] holds the state; [`Scene::access`] explains the instruction on it, executes it there,
//! and says what came of it.

mod buffer;
mod crosslane;
mod executed;
mod flat;
mod lds;
mod place;
mod report;
mod scalar;
mod scene;
mod shares;
mod transfer;

pub use report::{AccessReport, Check, LaneAccess, Part, Place, Term};
pub use scene::{Scene, SceneConfig};

use crate::exec::machine::{Barrier, Machine};
use crate::exec::program::{Compile, Src};
use crate::exec::wave::sreg;
use crate::exec::{Stats, Step, Stop, Wave, semantics};
use crate::isa::{Decoder, Field, ImmStyle, Inst, InstInfo, Operand, OperandKind, Reg, RegFile};
use crate::mem::Port;
use executed::Executed;

/// Why an access cannot be explained.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The instruction accesses no memory that is explained here.
    #[error("{0} is no memory instruction; `waveglass explain` says what it does")]
    NotMemory(&'static str),
    /// An instruction for caches: no register and no byte of memory changes by it.
    #[error(
        "{mnemonic} {does}: it reads no byte into a register and changes none, so there is no access to show; \
         `waveglass explain` says what it does"
    )]
    Cache {
        /// The mnemonic.
        mnemonic: &'static str,
        /// What it does, in a clause.
        does: &'static str,
    },
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
    compile: &'a Compile<'a>,
    scene: &'a Scene,
    /// Bytes that a lane accesses at an address.
    bytes: u32,
    /// Added to the immediate offset: the distance of a register of a block.
    extra: i64,
    kind: Kind,
}

/// What a lane does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Load,
    Store,
    Atomic,
    /// A load with the alignment of an atomic (CDNA 5 ISA 10.10).
    Monitor,
}

impl Kind {
    fn of(name: &str) -> Self {
        if name.contains("atomic") || name.starts_with("ds_") && !is_plain_ds(name) {
            Self::Atomic
        } else if name.contains("monitor") {
            Self::Monitor
        } else if name.contains("store") || name.contains("write") {
            Self::Store
        } else {
            Self::Load
        }
    }

    /// The same with the reason that a buffer's range is.
    fn out_of_range(self) -> &'static str {
        match self {
            Self::Load | Self::Monitor => "out of the buffer's range: zero is read",
            Self::Store => "out of the buffer's range: the write is dropped",
            Self::Atomic => "out of the buffer's range: nothing changes, and zero is returned",
        }
    }

    /// What becomes of an access that touches nothing, and is no violation.
    fn dropped(self) -> &'static str {
        match self {
            Self::Load | Self::Monitor => "reads zero",
            Self::Store => "is dropped",
            Self::Atomic => "changes nothing and returns zero",
        }
    }
}

impl Scene {
    /// Explains `inst` on this state and executes it.
    ///
    /// # Errors
    ///
    /// [`AccessError`]: no memory instruction, or one that is refused.
    pub fn access(&mut self, inst: &Inst) -> Result<AccessReport, AccessError> {
        let wave = &self.wave;
        let compile = Compile {
            inst,
            address: 0,
            agpr_base: wave.agpr_base as u32,
            vector_registers: wave.temp_base as u32,
            temp_base: wave.temp_base as u32,
            rows: wave.rows as u32,
            msb: 0,
            sramecc: true,
            sgprs: 128,
        };
        let op = semantics::compile(&compile);
        let name = inst.mnemonic();
        let kind = Kind::of(name);
        let bytes = match op.mem.width {
            _ if kind != Kind::Atomic => op.mem.element.bytes(),
            crate::mem::AtomicWidth::B64 => 8,
            _ if name.contains("barrier_arrive") => 8,
            _ => 4,
        };
        let subject = Subject {
            inst,
            compile: &compile,
            scene: self,
            bytes,
            extra: 0,
            kind,
        };
        let mut explanation = subject.explain()?;
        let block = subject.block();
        let window = subject.gds_window().map_or(0, |w| w.base);
        let before = self.wave.clone();
        if name == "ds_ordered_count" {
            self.give_turn();
        }
        let executed = self.execute(&op)?;
        if executed.waits {
            explanation
                .notes
                .push("the wave waits here, and asks again until it may go on".to_owned());
        }
        if executed.touched.is_empty() && executed.faults.is_empty() {
            self.undone(inst, &mut explanation);
        }
        let contradictions = self.compare(name, &mut explanation, &executed, window);
        let mut report = self.report(inst, explanation, block.as_deref(), &before, &executed);
        report.contradictions = contradictions;
        Ok(report)
    }

    /// Says of an instruction that did nothing that its registers are none of the wave's, where that is so.
    fn undone(&self, inst: &Inst, explanation: &mut Explanation) {
        let wave = &self.wave;
        let past = InstInfo::new(inst).writes.iter().any(|w| {
            let end = usize::from(w.reg.index) + usize::from(w.reg.dwords);
            match w.reg.file {
                RegFile::Vgpr => end > wave.vgpr_count,
                RegFile::Agpr => end > wave.agpr_count,
                _ => false,
            }
        });
        if past {
            explanation.notes.push(format!(
                "its destination runs past the {} VGPRs that the wave is allocated: the instruction does nothing (Vega ISA \
                 3.6.1, RDNA 3 ISA 3.3.2.2)",
                wave.vgpr_count
            ));
            explanation.lanes.iter_mut().for_each(|l| l.parts.clear());
        }
    }

    /// Runs it, and says what was touched.
    fn execute(&mut self, op: &crate::exec::Op) -> Result<Executed, AccessError> {
        let mut stats = Stats::default();
        let mut barrier = Barrier::new(1);
        let mut port = Port::new(self.rules);
        port.trace = Some(Vec::new());
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
        Ok(Executed {
            faults: faults.into_iter().map(|f| f.fault).collect(),
            touched: port.trace.unwrap_or_default(),
            waits: step == Step::Retry,
        })
    }

    fn report(
        &self,
        inst: &Inst,
        mut explanation: Explanation,
        block: Option<&[u32]>,
        before: &Wave,
        executed: &Executed,
    ) -> AccessReport {
        let faults = &executed.faults;
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
            scalar: inst.mnemonic().starts_with("s_"),
            lanes: explanation.lanes,
            counters: info.counters.iter().map(|c| c.name()).collect(),
            scalars,
            violations,
            contradictions: Vec::new(),
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

/// What an instruction for caches does; `None` for others.
fn cache_operation(name: &str) -> Option<&'static str> {
    let has = |words: &[&str]| words.iter().any(|w| name.contains(w));
    if name.contains("prefetch") {
        return Some(
            "asks for data or code to be in a cache early, and a bad address is no violation",
        );
    }
    let caches = [
        "s_dcache",
        "s_gl1",
        "s_icache",
        "buffer_gl",
        "buffer_inv",
        "buffer_wb",
    ];
    let global = ["global_inv", "global_wb"];
    if !name.starts_with("s_atomic") && (has(&caches) || has(&global)) {
        return Some("writes caches back, or makes them forget what they hold");
    }
    None
}

/// Whether a DS instruction's bytes are those of a load or store element.
fn is_plain_ds(name: &str) -> bool {
    ["read", "write", "load", "store"]
        .iter()
        .any(|w| name.contains(w))
        && !name.contains("cmpst")
        && !name.contains("xchg")
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
        if let Some(does) = cache_operation(name) {
            Err(AccessError::Cache {
                mnemonic: name,
                does,
            })
        } else if name.ends_with("_direct_load") {
            Ok(self.direct())
        } else if has(Field::Vaddr) && starts(&["flat_load", "flat_store", "flat_atomic"]) {
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

    /// The lanes that act: those of EXEC, but all in CDNA 5's transposing loads from LDS, which do nothing where
    /// it is zero (CDNA 5 ISA 11.2.4).
    fn exec(&self) -> u64 {
        let wave = self.wave();
        let ignores = self.transposes()
            && self.inst.mnemonic().starts_with("ds_")
            && self.inst.target().has_gfx1250_insts();
        match wave.exec() {
            0 => 0,
            _ if ignores => wave.full_mask(),
            exec => exec,
        }
    }

    fn register(&self, field: Field) -> Option<Reg> {
        match self.inst.operand(field)? {
            Operand::Reg(r) if r.file != RegFile::Null => Some(r),
            _ => None,
        }
    }

    /// The immediate of a field, and its term.
    fn immediate(&self, field: Field, name: &str) -> (i64, Term) {
        // Bits that the instruction's form does not use are no offset.
        let used = self
            .inst
            .operand_def(field)
            .is_some_and(|o| !matches!(o.kind, OperandKind::Imm(ImmStyle::Raw)));
        let value = match self.inst.operand(field) {
            Some(Operand::Imm(i)) if used => semantics::flat_offset(self.inst, i),
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
                let value = self.value_of(self.compile.src(field));
                let value = match r.dwords {
                    1 => u64::from(value as u32),
                    _ => value,
                };
                (value, format!("{name} {}", register_name(r)))
            }
            _ => (self.inst.constant(field)?, name.to_owned()),
        };
        Some((value, Term { name, value }))
    }

    /// A scalar source's value.
    fn value_of(&self, source: Src) -> u64 {
        let (wave, apertures) = (self.wave(), self.scene.apertures_of_wave());
        match source {
            Src::None | Src::LdsDirect | Src::Vgpr(_) => 0,
            Src::Sgpr(i) => wave.s64(usize::from(i)),
            Src::Const(c) => c,
            Src::Scc => wave.scc.into(),
            Src::Vccz => (wave.vcc() == 0).into(),
            Src::Execz => (wave.exec() == 0).into(),
            Src::Aperture(0) => apertures.shared_base(),
            Src::Aperture(1) => apertures.shared_limit(),
            Src::Aperture(2) => apertures.private_base(),
            Src::Aperture(_) => apertures.private_limit(),
            Src::FlatScratchBase(half) => {
                apertures.flat_scratch_base(wave.scratch_base) >> (32 * u32::from(half))
            }
        }
    }

    /// One lane's dword of a vector operand.
    fn vector(&self, reg: Reg, dword: u32, lane: u32) -> u32 {
        let r = self.scene.register(reg) + dword as usize;
        let r = if r < self.scene.registers() { r } else { 0 };
        self.wave().lane(r, lane as usize)
    }

    /// Each lane of the wave: `explain` for the active ones.
    fn lanes(&self, explain: impl Fn(u32) -> (Vec<Term>, Vec<Part>)) -> Vec<LaneAccess> {
        let exec = self.exec();
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
        RegFile::Null => return "null".to_owned(),
        RegFile::SharedBase => return "src_shared_base".to_owned(),
        RegFile::SharedLimit => return "src_shared_limit".to_owned(),
        RegFile::PrivateBase => return "src_private_base".to_owned(),
        RegFile::PrivateLimit => return "src_private_limit".to_owned(),
        other => return format!("src_{}", format!("{other:?}").to_lowercase()),
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
