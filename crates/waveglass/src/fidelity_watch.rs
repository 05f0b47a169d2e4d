//! Which instructions a run executed and how exactly, and where approximate results went.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use waveglass_exec::{Fidelity, Op, Wave, fidelity};
use waveglass_isa::{Field, Inst, InstFlags, InstInfo, Reg, RegFile, UseSource};

/// Watches a run: a closure that calls [`FidelityWatch::see`] is its trace.
///
/// Registers are followed whole: one that took a value from an approximate instruction, or from
/// one that read such a register, counts as approximate until all lanes get another value. Values
/// are not followed through memory: what is loaded counts as exact, and the report says that an
/// approximate one was stored.
#[derive(Debug, Default)]
pub struct FidelityWatch {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    facts: HashMap<u64, Arc<Facts>>,
    waves: HashMap<([u32; 3], u32), HashSet<Cell>>,
    executed: BTreeMap<&'static str, (Status, u64)>,
    reached: [Option<Place>; 3],
}

/// A register, or one half of a pair: the file and the number.
type Cell = (RegFile, u16);

/// What the watch needs of an instruction, worked out once.
#[derive(Debug)]
struct Facts {
    name: &'static str,
    status: Status,
    address: u64,
    reads: Vec<Cell>,
    addresses: Vec<Cell>,
    stored: Vec<Cell>,
    writes: Vec<(Cell, bool)>,
    decides: bool,
    ends: bool,
}

/// How exactly an instruction is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "status", content = "detail", rename_all = "lowercase")]
pub enum Status {
    /// Every bit is what the manual defines.
    Exact,
    /// With this error.
    Approximate(&'static str),
    /// Not at all, for this reason.
    Refused(&'static str),
}

/// Where an approximate value got to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The instruction.
    pub mnemonic: &'static str,
    /// Its address.
    pub address: u64,
}

/// An instruction that a run executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Executed {
    /// The mnemonic.
    pub name: &'static str,
    /// How exactly it is executed.
    #[serde(flatten)]
    pub status: Status,
    /// How many waves' instructions.
    pub count: u64,
}

/// What a [`FidelityWatch`] saw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FidelityReport {
    /// The instructions by name.
    pub executed: Vec<Executed>,
    /// The first branch, or choice of active lanes, that an approximate value decided.
    pub control_flow: Option<Place>,
    /// The first address that an approximate value went into.
    pub address: Option<Place>,
    /// The first approximate value that was stored.
    pub stored: Option<Place>,
}

impl FidelityWatch {
    /// A watch that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sees an instruction before it is executed.
    pub fn see(&self, wave: &Wave, op: &Op) {
        let Some(inst) = &op.inst else { return };
        let mut guard = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *guard;
        let facts = Arc::clone(
            state
                .facts
                .entry(op.address)
                .or_insert_with(|| Arc::new(Facts::new(inst, op.address))),
        );
        state
            .executed
            .entry(facts.name)
            .or_insert((facts.status, 0))
            .1 += 1;
        let key = (wave.group, wave.id_in_group);
        if facts.ends {
            state.waves.remove(&key);
            return;
        }
        let doubtful = state.waves.entry(key).or_default();
        let any =
            |cells: &[Cell]| !doubtful.is_empty() && cells.iter().any(|c| doubtful.contains(c));
        let from_read = any(&facts.reads);
        let (to_address, to_memory) = (any(&facts.addresses), any(&facts.stored));
        let approximate = matches!(facts.status, Status::Approximate(_));
        let taints = approximate || from_read;
        for (reached, now) in state.reached.iter_mut().zip([
            facts.decides && from_read || taints && facts.writes_exec(),
            to_address,
            to_memory,
        ]) {
            if now && reached.is_none() {
                *reached = Some(Place {
                    mnemonic: facts.name,
                    address: facts.address,
                });
            }
        }
        let all_lanes = wave.exec() == wave.full_mask();
        for &(cell, vector) in &facts.writes {
            if taints {
                doubtful.insert(cell);
            } else if all_lanes || !vector {
                doubtful.remove(&cell);
            }
        }
    }

    /// What it saw.
    pub fn report(&self) -> FidelityReport {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let [control_flow, address, stored] = state.reached.clone();
        FidelityReport {
            executed: state
                .executed
                .iter()
                .map(|(name, &(status, count))| Executed {
                    name,
                    status,
                    count,
                })
                .collect(),
            control_flow,
            address,
            stored,
        }
    }
}

impl FidelityReport {
    /// The same with addresses counted from `base`, such as the code object's in memory.
    pub fn relative_to(mut self, base: u64) -> Self {
        for place in [&mut self.control_flow, &mut self.address, &mut self.stored]
            .into_iter()
            .flatten()
        {
            place.address = place.address.wrapping_sub(base);
        }
        self
    }
}

impl Facts {
    fn new(inst: &Inst, address: u64) -> Self {
        let def = inst.def();
        let info = InstInfo::new(inst);
        let status = match fidelity(inst.target(), def) {
            Fidelity::Exact => Status::Exact,
            Fidelity::Approximate { error } => Status::Approximate(error),
            Fidelity::Refused { reason } => Status::Refused(reason),
        };
        let memory = def.flags.intersects(
            InstFlags::LOAD | InstFlags::STORE | InstFlags::ATOMIC_RET | InstFlags::ATOMIC_NO_RET,
        );
        let mut facts = Self {
            name: inst.mnemonic(),
            status,
            address,
            reads: Vec::new(),
            addresses: Vec::new(),
            stored: Vec::new(),
            writes: Vec::new(),
            decides: def.flags.contains(InstFlags::BRANCH),
            ends: inst.mnemonic().starts_with("s_endpgm"),
        };
        for u in &info.reads {
            let list = match u.source {
                // Which lanes are active says nothing of a value.
                UseSource::Implicit if u.reg.file == RegFile::Exec && !facts.decides => continue,
                UseSource::Operand(f) if memory && is_data(f) => &mut facts.stored,
                _ if memory => &mut facts.addresses,
                _ => &mut facts.reads,
            };
            push(list, u.reg);
        }
        // Data that an atomic puts aside and gives back are loaded: not followed.
        for u in &info.writes {
            let vector = matches!(u.reg.file, RegFile::Vgpr | RegFile::Agpr);
            for cell in cells(u.reg) {
                facts.writes.push((cell, vector));
            }
        }
        facts
    }

    fn writes_exec(&self) -> bool {
        self.writes
            .iter()
            .any(|((file, _), _)| *file == RegFile::Exec)
    }
}

/// Whether a field of a memory instruction names data rather than an address.
fn is_data(field: Field) -> bool {
    matches!(
        field,
        Field::Vdata | Field::Data0 | Field::Data1 | Field::Sdata
    )
}

fn cells(reg: Reg) -> impl Iterator<Item = Cell> {
    (0..reg.dwords.max(1) as u16).map(move |i| (reg.file, reg.index + i))
}

fn push(list: &mut Vec<Cell>, reg: Reg) {
    list.extend(cells(reg));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arg, Limits, Module};

    /// Runs gfx900 code of one wave and gives the report.
    fn watch(source: &str) -> FidelityReport {
        let mut assembler = waveglass_asm::LineAssembler::new(waveglass_isa::Target::Gfx900, 64);
        let code: Vec<u8> = source
            .lines()
            .flat_map(|line| {
                let inst = assembler.assemble(line).expect("a good line");
                let size = inst.size();
                inst.words()
                    .iter()
                    .flat_map(|w| w.to_le_bytes())
                    .take(size)
                    .collect::<Vec<u8>>()
            })
            .collect();
        let module = Module::raw(code, "gfx900").expect("raw code");
        let watch = FidelityWatch::new();
        let see = |wave: &Wave, op: &Op| watch.see(wave, op);
        let report = module
            .launch(None)
            .expect("it starts at its first byte")
            .block([64, 1, 1])
            .grid([1, 1, 1])
            .limits(Limits::default())
            .arg(Arg::Buffer(vec![0; 4096]))
            .trace(&see)
            .run()
            .expect("a run");
        assert!(report.error.is_none(), "{:?}", report.error);
        watch.report()
    }

    #[test]
    fn what_is_executed_is_counted_with_its_status() {
        let r = watch("v_mov_b32 v1, 2.0\nv_rcp_f32 v2, v1\nv_rcp_f32 v3, v1\ns_endpgm");
        let of = |n| r.executed.iter().find(|e| e.name == n).expect("executed");
        assert_eq!(
            (of("v_mov_b32").status, of("v_mov_b32").count),
            (Status::Exact, 1)
        );
        assert_eq!(of("v_rcp_f32").count, 2);
        assert!(matches!(of("v_rcp_f32").status, Status::Approximate(_)));
        assert_eq!((r.control_flow, r.address, r.stored), (None, None, None));
    }

    #[test]
    fn an_approximate_value_is_followed_to_a_branch() {
        let r = watch(
            "v_mov_b32 v1, 2.0\nv_rcp_f32 v2, v1\nv_add_f32 v3, v2, v1\n\
             v_cmp_lt_f32 vcc, v3, v1\ns_cbranch_vccz 0\ns_endpgm",
        );
        assert_eq!(r.control_flow.expect("a branch").mnemonic, "s_cbranch_vccz");
        assert_eq!(r.address, None);
    }

    #[test]
    fn an_exact_value_for_all_lanes_ends_it() {
        let r = watch(
            "v_mov_b32 v1, 2.0\nv_rcp_f32 v2, v1\nv_mov_b32 v2, v1\n\
             v_cmp_lt_f32 vcc, v2, v1\ns_cbranch_vccz 0\ns_endpgm",
        );
        assert_eq!(r.control_flow, None);
    }

    #[test]
    fn addresses_and_stored_values_are_told_apart() {
        let address = watch(
            "v_mov_b32 v1, 2.0\nv_rcp_f32 v2, v1\nv_cvt_u32_f32 v3, v2\n\
             ds_write_b32 v3, v1\ns_endpgm",
        );
        assert_eq!(
            address.address.expect("an address").mnemonic,
            "ds_write_b32"
        );
        assert_eq!(address.stored, None);
        let stored = watch(
            "v_mov_b32 v1, 2.0\nv_rcp_f32 v2, v1\nv_mov_b32 v3, 0\nds_write_b32 v3, v2\ns_endpgm",
        );
        assert_eq!(stored.address, None);
        assert_eq!(stored.stored.expect("a store").mnemonic, "ds_write_b32");
    }
}
