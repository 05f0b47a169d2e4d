//! What each op does that waits are about, worked out once for a program.

use crate::program::{Op, Program, Src, scalar_number, with_msb};
use crate::stats::Family;
use crate::wave::sreg;
use waveglass_isa::{
    Counter, Field, Inst, InstFlags, InstInfo, Operand, Reg, RegFile, Target, UseSource,
};

/// A run of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) vector: bool,
    pub(super) first: u32,
    pub(super) count: u32,
}

impl Span {
    pub(super) fn overlap(self, other: Self) -> Option<u32> {
        let first = self.first.max(other.first);
        let end = (self.first + self.count).min(other.first + other.count);
        (self.vector == other.vector && first < end).then_some(first)
    }
}

/// The type of an operation, within which it returns in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// Vector memory on gfx9, loads later.
    Vector,
    /// Stores where they have a counter of their own.
    Store,
    Sample,
    Bvh,
    Lds,
    Gds,
    /// Direct loads from LDS, with EXPcnt.
    Direct,
    Async,
    Tensor,
    /// In no order.
    None,
}

/// What is known of an op.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    pub(super) reads: Box<[Span]>,
    pub(super) writes: Box<[Span]>,
    /// Whether it may read lanes that EXEC disables.
    pub(super) crosses_lanes: bool,
    /// A memory operation.
    pub(super) memory: Option<Memory>,
    /// A wait.
    pub(super) wait: Option<Wait>,
}

/// A memory operation.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// Its counters, with the type by which it returns in each.
    pub(super) counters: Box<[(Counter, Type)]>,
    /// Whether its effect waits; otherwise only its result is in flight.
    pub(super) deferred: bool,
    /// Which lanes' results it writes.
    pub(super) reach: Reach,
    /// Whether its effect is in the order of vector memory, of LDS.
    pub(super) in_vector_order: bool,
    pub(super) in_lds_order: bool,
    /// Whether its effect is in the order of asynchronous operations on LDS.
    pub(super) in_async_order: bool,
    /// Whether its effect is in the order of tensor moves, which is apart from all others (CDNA 5 ISA 10.11.1).
    pub(super) in_tensor_order: bool,
    /// Whether its effect may pass stores to other bytes.
    pub(super) may_pass_stores: bool,
    /// Whether it writes memory.
    pub(super) stores: bool,
    /// Whether the destination's other bits matter, so that it cannot hold poison.
    pub(super) merges: bool,
    /// Bytes that a lane accesses, where they are at the address that the operands give.
    pub(super) lane_bytes: Option<u32>,
}

/// The lanes whose registers an operation writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Those of EXEC.
    Active,
    /// The quads that have one of them.
    Quads,
    /// All.
    All,
}

impl Reach {
    /// The lanes of a wave of `all`.
    pub(super) fn of(self, exec: u64, all: u64) -> u64 {
        match self {
            Self::Active => exec,
            Self::All => all,
            Self::Quads => {
                let any = (exec | exec >> 1 | exec >> 2 | exec >> 3) & 0x1111_1111_1111_1111;
                (any * 15) & all
            }
        }
    }
}

/// A wait: each counter to at most so many, plus what a scalar register says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wait {
    pub(super) limits: Vec<(Counter, u32)>,
    pub(super) and_sgpr: Option<u32>,
}

/// The effects of all ops of a program.
pub(crate) struct Plan(Vec<Effects>);

impl Plan {
    /// For a program whose AGPRs start at vector register `agpr_base`.
    pub(crate) fn new(program: &Program, agpr_base: u32) -> Self {
        Self(
            program
                .ops()
                .iter()
                .map(|op| Effects::of(op, agpr_base))
                .collect(),
        )
    }

    pub(super) fn of(&self, ip: u32) -> &Effects {
        &self.0[ip as usize]
    }
}

impl Effects {
    pub(super) fn of(op: &Op, agpr_base: u32) -> Self {
        let Some(inst) = &op.inst else {
            return Self::default();
        };
        let info = InstInfo::new(inst);
        let spans = |uses: &[waveglass_isa::RegUse]| {
            uses.iter()
                .filter_map(|u| {
                    let reg = match u.source {
                        UseSource::Operand(field) => with_msb(inst, op.msb, u.reg, field),
                        UseSource::Implicit => u.reg,
                    };
                    span(reg, agpr_base)
                })
                .collect::<Box<[Span]>>()
        };
        let reads = spans(&info.reads);
        let writes = spans(&info.writes);
        let memory = memory(op, inst, &info, &writes);
        Self {
            crosses_lanes: crosses_lanes(inst),
            wait: wait(inst),
            memory,
            reads,
            writes,
        }
    }
}

fn span(reg: Reg, agpr_base: u32) -> Option<Span> {
    let (vector, first) = match reg.file {
        RegFile::Vgpr => (true, u32::from(reg.index)),
        RegFile::Agpr => (true, agpr_base + u32::from(reg.index)),
        RegFile::Sgpr
        | RegFile::Ttmp
        | RegFile::Vcc
        | RegFile::Exec
        | RegFile::FlatScratch
        | RegFile::XnackMask
        | RegFile::M0 => (false, scalar_number(reg)),
        RegFile::Vccz => (false, sreg::VCC_LO as u32),
        RegFile::Execz => (false, sreg::EXEC_LO as u32),
        _ => return None,
    };
    Some(Span {
        vector,
        first,
        count: u32::from(reg.dwords).max(1),
    })
}

fn crosses_lanes(inst: &Inst) -> bool {
    let name = inst.mnemonic();
    inst.def()
        .flags
        .intersects(InstFlags::MAI | InstFlags::WMMA | InstFlags::SWMMAC)
        || inst.def().encoding().contains("DPP")
        || ["v_readlane", "v_permlane"]
            .iter()
            .any(|p| name.starts_with(p))
}

fn memory(op: &Op, inst: &Inst, info: &InstInfo, writes: &[Span]) -> Option<Memory> {
    let target = inst.target();
    let encoding = inst.def().encoding();
    let name = inst.mnemonic();
    // Flat: of the encodings FLAT and VFLAT the operations that are neither global nor scratch.
    let flat = name.starts_with("flat_");
    let lds = matches!(encoding, "ENC_DS" | "ENC_VDS");
    // Direct loads are what EXPcnt counts in compute (RDNA 3 ISA 12.2.1, 12.4, RDNA 4 ISA 5.7.1, 12.4).
    let direct = matches!(encoding, "ENC_LDSDIR" | "ENC_VDSDIR");
    let gds = lds && inst.field(Field::Gds) != 0 && inst.operand_def(Field::Gds).is_some()
        || waits_in_gds(name)
        || name.contains("_gs_reg_");
    let counters: Box<[(Counter, Type)]> = info
        .counters
        .iter()
        .filter_map(|&c| {
            let kind = match c {
                Counter::Exp if direct => Type::Direct,
                Counter::Exp => return None,
                // CDNA 5 ISA 11.2.2: it is ASYNCcnt that tracks it.
                Counter::Ds if name.starts_with("ds_atomic_async") => return None,
                Counter::Lgkm | Counter::Ds if flat => Type::Lds,
                Counter::Lgkm | Counter::Ds if lds && gds => Type::Gds,
                Counter::Lgkm | Counter::Ds if lds => Type::Lds,
                Counter::Lgkm | Counter::Km | Counter::Ds => Type::None,
                Counter::Vs | Counter::Store => Type::Store,
                Counter::Vm | Counter::Load if encoding.contains("SAMPLE") => Type::Sample,
                Counter::Vm | Counter::Load => Type::Vector,
                Counter::Sample => Type::Sample,
                Counter::Bvh => Type::Bvh,
                Counter::Async => Type::Async,
                Counter::Tensor => Type::Tensor,
            };
            let kind = if flat && target.is_gfx9() {
                Type::None
            } else {
                kind
            };
            Some((c, kind))
        })
        .collect();
    if counters.is_empty() || name.starts_with("s_sendmsg") && writes.is_empty() {
        return None;
    }
    let flags = inst.def().flags;
    let scalar = encoding == "ENC_SMEM";
    let returns_only =
        !flags.intersects(InstFlags::STORE | InstFlags::ATOMIC_NO_RET | InstFlags::ATOMIC_RET);
    let global = name.starts_with("global_") || flat;
    let tensor = info.counters.contains(&Counter::Tensor);
    Some(Memory {
        // A wave waits for others when it issues the instruction, not when it waits for it.
        deferred: (direct || matches!(op.family, Family::Smem | Family::Lds | Family::Vmem))
            && !waits_in_gds(name),
        // "uses EXEC per quad" (RDNA 3 ISA 12.4); "the EXEC mask is ignored" (CDNA 5 ISA 11.2.4).
        reach: match name {
            _ if direct => Reach::Quads,
            _ if name.starts_with("ds_load_tr") => Reach::All,
            _ => Reach::Active,
        },
        in_vector_order: op.family == Family::Vmem && !tensor,
        in_lds_order: lds || flat || direct,
        in_tensor_order: tensor,
        // CDNA 5 ISA 11.2.2: an asynchronous arrival stays behind the loads before it.
        in_async_order: info.counters.contains(&Counter::Async),
        may_pass_stores: returns_only && !target.is_gfx9() && !scalar,
        stores: !returns_only,
        // A source that is the destination too is kept with the operation.
        merges: op.mem.half != crate::semantics::Half::Whole,
        lane_bytes: (global
            && !name.contains("lds")
            && !name.contains("_tr")
            && !name.contains("block"))
        .then(|| access_bytes(op, name)),
        counters,
    })
}

/// Whether GDS lets the wave wait for others: global wave sync and ordered counts.
fn waits_in_gds(name: &str) -> bool {
    name.starts_with("ds_gws") || name == "ds_ordered_count"
}

/// Bytes from a lane's address that an operation may touch.
fn access_bytes(op: &Op, name: &str) -> u32 {
    if name.contains("atomic") {
        8
    } else {
        op.mem.element.bytes()
    }
}

/// What a wait instruction says, by its fields in each generation (Vega ISA 12.5, RDNA 1 ISA 12.5,
/// RDNA 3 ISA 16.5, RDNA 4 ISA 16.5, "SOPP Instructions").
fn wait(inst: &Inst) -> Option<Wait> {
    let imm = inst.field(Field::Simm16) as u32;
    let target = inst.target();
    let limits = match inst.mnemonic() {
        "s_waitcnt" => waitcnt_fields(target, imm),
        "s_waitcnt_vscnt" => vec![(Counter::Vs, imm & 63)],
        "s_waitcnt_vmcnt" => vec![(Counter::Vm, imm & 63)],
        "s_waitcnt_expcnt" => vec![(Counter::Exp, imm & 7)],
        "s_wait_expcnt" => vec![(Counter::Exp, imm & 7)],
        "s_waitcnt_lgkmcnt" => vec![(Counter::Lgkm, imm & 63)],
        "s_wait_loadcnt" => vec![(Counter::Load, imm & 63)],
        "s_wait_storecnt" => vec![(Counter::Store, imm & 63)],
        "s_wait_samplecnt" => vec![(Counter::Sample, imm & 63)],
        "s_wait_bvhcnt" => vec![(Counter::Bvh, imm & 7)],
        "s_wait_dscnt" => vec![(Counter::Ds, imm & 63)],
        "s_wait_kmcnt" => vec![(Counter::Km, imm & 31)],
        "s_wait_asynccnt" => vec![(Counter::Async, imm & 63)],
        "s_wait_tensorcnt" => vec![(Counter::Tensor, imm & 63)],
        "s_wait_loadcnt_dscnt" => vec![(Counter::Load, imm >> 8 & 63), (Counter::Ds, imm & 63)],
        "s_wait_storecnt_dscnt" => vec![(Counter::Store, imm >> 8 & 63), (Counter::Ds, imm & 63)],
        "s_wait_idle" => ALL.iter().map(|&c| (c, 0)).collect(),
        _ => return None,
    };
    // RDNA's own instructions add a scalar register to the immediate.
    let and_sgpr = match inst.operand(Field::Sdst) {
        Some(Operand::Reg(r)) if r.file != RegFile::Null => Some(scalar_number(r)),
        _ => None,
    };
    Some(Wait { limits, and_sgpr })
}

const ALL: [Counter; 12] = [
    Counter::Exp,
    Counter::Vm,
    Counter::Vs,
    Counter::Lgkm,
    Counter::Load,
    Counter::Store,
    Counter::Sample,
    Counter::Bvh,
    Counter::Ds,
    Counter::Km,
    Counter::Async,
    Counter::Tensor,
];

fn waitcnt_fields(target: Target, imm: u32) -> Vec<(Counter, u32)> {
    let (vm, exp, lgkm) = match target.major() {
        9 => (imm & 15 | (imm >> 14 & 3) << 4, imm >> 4, imm >> 8 & 15),
        10 => (imm & 15 | (imm >> 14 & 3) << 4, imm >> 4, imm >> 8 & 63),
        _ => (imm >> 10 & 63, imm, imm >> 4 & 63),
    };
    vec![
        (Counter::Vm, vm),
        (Counter::Lgkm, lgkm),
        (Counter::Exp, exp & 7),
    ]
}

impl Memory {
    /// Whether only waits for zero release it.
    pub(super) fn is_unordered(&self) -> bool {
        self.counters.iter().any(|(_, t)| *t == Type::None)
    }

    /// Whether it returns after `earlier` for certain.
    pub(super) fn returns_after(&self, earlier: &Self) -> bool {
        !self.is_unordered()
            && self.counters.len() == earlier.counters.len()
            && self.counters.iter().all(|c| earlier.counters.contains(c))
    }
}

/// The bytes that the active lanes of a global operation touch; `None` where that is not plain.
pub(super) fn footprint(
    m: &crate::machine::Machine<'_>,
    op: &Op,
    memory: &Memory,
) -> Option<Vec<(u64, u64)>> {
    let bytes = u64::from(memory.lane_bytes?);
    let exec = m.wave.exec();
    let offset = op.mem.offset as u64;
    let base = match op.s[1] {
        Src::None => None,
        s => Some(m.s64(s)),
    };
    let first = match op.s[0] {
        // A copy among the temporaries is made when the operation runs.
        Src::Vgpr(first) if (first as usize) < m.wave.temp_base => first,
        _ => return None,
    };
    let mut out = Vec::new();
    for lane in (0..m.wave.lanes()).filter(|l| exec >> l & 1 != 0) {
        let low = u64::from(m.wave.lane(first as usize, lane));
        let address = match base {
            Some(base) if op.mem.scale != 0 => {
                base.wrapping_add((low as u32 as i32 as i64 * op.mem.scale) as u64)
            }
            Some(base) => base.wrapping_add(low),
            None => low | u64::from(m.wave.lane(first as usize + 1, lane)) << 32,
        }
        .wrapping_add(offset);
        // An aperture, or an address near the end: not plain.
        if address >> 46 != 0 {
            return None;
        }
        out.push((address, address + bytes));
    }
    Some(out)
}

/// Whether two footprints may share a byte.
pub(super) fn may_overlap(a: Option<&[(u64, u64)]>, b: Option<&[(u64, u64)]>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.iter().any(|x| b.iter().any(|y| x.0 < y.1 && y.0 < x.1)),
        _ => true,
    }
}
