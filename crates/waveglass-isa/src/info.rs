//! What an instruction touches: the registers that it reads and writes, named or not, and the
//! counters that it increments.

use crate::table::Implicit;
use crate::{Access, Field, Inst, InstFlags, Operand, OperandKind, Reg, RegFile};

/// Registers and counters that an instruction touches. Computed once, kept by whoever checks.
///
/// ```
/// use waveglass_isa::{InstInfo, RegFile, Target, decode};
///
/// // v_add_co_u32_e32 v1, vcc, v2, v3
/// let inst = decode(Target::Gfx900, &[0x02, 0x07, 0x02, 0x32]).unwrap();
/// let info = InstInfo::new(&inst);
/// assert!(info.writes.iter().any(|u| u.reg.file == RegFile::Vcc));
/// assert!(info.reads.iter().any(|u| u.reg.file == RegFile::Exec));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct InstInfo {
    /// What it reads, in the order of the operands, implicit registers last.
    pub reads: Vec<RegUse>,
    /// What it may write: lanes that EXEC disables keep their values.
    pub writes: Vec<RegUse>,
    /// Whether MODE decides part of the result.
    pub reads_mode: bool,
    /// Whether it changes MODE.
    pub writes_mode: bool,
    /// The counters that it increments.
    pub counters: Vec<Counter>,
}

/// One register or run of registers that an instruction reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegUse {
    /// The registers.
    pub reg: Reg,
    /// How the instruction names them.
    pub source: UseSource,
}

/// How an instruction names a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UseSource {
    /// In an operand.
    Operand(Field),
    /// Not at all.
    Implicit,
}

/// A counter of outstanding operations, by the name that its generation gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Counter {
    /// `vmcnt`: vector memory (loads only from gfx10 on).
    Vm,
    /// `vscnt`: vector memory stores (gfx10, gfx11).
    Vs,
    /// `lgkmcnt`: LDS, GDS, scalar memory, messages (up to gfx11).
    Lgkm,
    /// `expcnt`: exports and LDS direct loads.
    Exp,
    /// `loadcnt` (gfx12).
    Load,
    /// `storecnt` (gfx12).
    Store,
    /// `samplecnt` (RDNA 4).
    Sample,
    /// `bvhcnt` (RDNA 4).
    Bvh,
    /// `dscnt` (gfx12).
    Ds,
    /// `kmcnt`: scalar memory and messages (gfx12).
    Km,
    /// `asynccnt` (CDNA 5).
    Async,
    /// `tensorcnt` (CDNA 5).
    Tensor,
}

impl Counter {
    /// The name in assembly and in the manuals, as in "vmcnt".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vm => "vmcnt",
            Self::Vs => "vscnt",
            Self::Lgkm => "lgkmcnt",
            Self::Exp => "expcnt",
            Self::Load => "loadcnt",
            Self::Store => "storecnt",
            Self::Sample => "samplecnt",
            Self::Bvh => "bvhcnt",
            Self::Ds => "dscnt",
            Self::Km => "kmcnt",
            Self::Async => "asynccnt",
            Self::Tensor => "tensorcnt",
        }
    }
}

impl InstInfo {
    /// Works out what `inst` touches.
    pub fn new(inst: &Inst) -> Self {
        let mut info = Self::default();
        for (o, value) in inst.operands() {
            let Operand::Reg(reg) = value else { continue };
            // Reading NULL gives zero, writing it does nothing. An operand without bits is none.
            if reg.file == RegFile::Null || o.spans.is_empty() {
                continue;
            }
            let entry = RegUse {
                reg,
                source: UseSource::Operand(o.field),
            };
            if matches!(o.access, Access::Read | Access::ReadWrite) {
                info.reads.push(entry);
            }
            if matches!(o.access, Access::Write | Access::ReadWrite) {
                info.writes.push(entry);
            }
        }
        if keeps_unused_bits(inst) {
            let kept: Vec<RegUse> = info
                .writes
                .iter()
                .copied()
                .filter(|w| w.source == UseSource::Operand(Field::Vdst) && !info.reads.contains(w))
                .collect();
            info.reads.extend(kept);
        }
        let def = inst.def();
        implicit(inst, def.reads, &mut info.reads);
        implicit(inst, def.writes, &mut info.writes);
        info.reads_mode = def.reads.contains(Implicit::MODE);
        info.writes_mode = def.writes.contains(Implicit::MODE);
        info.counters = counters(inst, &info.writes);
        info
    }
}

/// SDWA with `dst_unused:UNUSED_PRESERVE` (2) keeps the bits of the destination that it does not
/// select (Vega ISA 6.6.1).
fn keeps_unused_bits(inst: &Inst) -> bool {
    inst.field(Field::DstUnused) == 2
        && inst
            .operand_def(Field::DstUnused)
            .is_some_and(|o| matches!(o.kind, OperandKind::Imm(_)))
}

fn implicit(inst: &Inst, set: Implicit, uses: &mut Vec<RegUse>) {
    let lanes = (inst.wave_size() / 32) as u8;
    for (flag, file, dwords) in [
        (Implicit::EXEC, RegFile::Exec, lanes),
        (Implicit::VCC, RegFile::Vcc, lanes),
        (Implicit::SCC, RegFile::Scc, 1),
        (Implicit::M0, RegFile::M0, 1),
        (Implicit::FLAT_SCR, RegFile::FlatScratch, 2),
    ] {
        if set.contains(flag) {
            let entry = RegUse {
                reg: Reg::new(file, 0, dwords),
                source: UseSource::Implicit,
            };
            uses.push(entry);
        }
    }
}

/// The counters by generation: the manuals' sections on data dependency resolution ("Manually
/// Inserted Wait States", "S_WAITCNT"; RDNA4 ISA 5.7).
fn counters(inst: &Inst, writes: &[RegUse]) -> Vec<Counter> {
    let (flags, target) = (inst.def().flags, inst.target());
    let encoding = inst.def().encoding();
    let name = inst.mnemonic();
    let gfx12 = target.major() >= 12;
    let mut out = Vec::new();
    if flags.contains(InstFlags::VMCNT) {
        // Without a result to wait for, from gfx10 on, an operation counts as a store.
        let atomic = flags.intersects(InstFlags::ATOMIC_RET | InstFlags::ATOMIC_NO_RET);
        let store = atomic && !returns(inst, writes)
            || flags.contains(InstFlags::STORE) && !flags.contains(InstFlags::LOAD)
            // Write-backs are tracked as stores are (RDNA 4 ISA 5.7.1.2, CDNA 5 ISA 5.7.1.2).
            || matches!(name, "global_wb" | "global_wbinv");
        out.push(match (target.major(), store) {
            (..=9, _) | (10 | 11, false) => Counter::Vm,
            (10 | 11, true) => Counter::Vs,
            (_, true) => Counter::Store,
            // image_msaa_load is of this encoding too, and counts with it.
            (_, false) if encoding == "ENC_VSAMPLE" => Counter::Sample,
            (_, false) if name.starts_with("image_bvh") => Counter::Bvh,
            _ => Counter::Load,
        });
    }
    let message = name.starts_with("s_sendmsg");
    // These use vmcnt alone (Vega ISA 4.4, 9.4 and 9.5), also where they load into LDS; LLVM's flags
    // count some of them in lgkmcnt.
    let memory_only = ["GLBL", "GLOBAL", "SCRATCH", "BUF", "BUFFER"]
        .iter()
        .any(|s| encoding.ends_with(s));
    if flags.contains(InstFlags::LGKMCNT) && !memory_only || message {
        out.push(match gfx12 {
            false => Counter::Lgkm,
            true if message || encoding == "ENC_SMEM" || encoding.starts_with("ENC_SOP") => {
                Counter::Km
            }
            true => Counter::Ds,
        });
    }
    // Exports and GDS alone (Vega ISA 4.4); LLVM's flags have buffer and image operations there too,
    // whose data hardware reads in time since gfx7.
    if flags.contains(InstFlags::EXPCNT) && !flags.contains(InstFlags::VMCNT) {
        out.push(Counter::Exp);
    }
    for (flag, counter) in [
        (InstFlags::ASYNCCNT, Counter::Async),
        (InstFlags::TENSORCNT, Counter::Tensor),
    ] {
        if flags.contains(flag) {
            out.push(counter);
        }
    }
    // CDNA 5 ISA 11.2.2: "uses ASYNCcnt to track its completion", and no other.
    if name.starts_with("ds_atomic_async") {
        out.retain(|c| *c != Counter::Ds);
    }
    out
}

/// Whether an atomic operation on memory returns the value before: it has a register for it. The rows of image
/// atomics are the same with and without, and GLC (SC0, bit 0 of TH) says it.
fn returns(inst: &Inst, writes: &[RegUse]) -> bool {
    inst.field(Field::Cpol) & 1 != 0
        || writes
            .iter()
            .any(|w| matches!(w.reg.file, RegFile::Vgpr | RegFile::Agpr))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Decoder, Target};

    fn info(target: Target, words: &[u32]) -> InstInfo {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        InstInfo::new(&Decoder::new(target).decode(&bytes).unwrap())
    }

    fn files(uses: &[RegUse]) -> Vec<(RegFile, u16, u8)> {
        uses.iter()
            .map(|u| (u.reg.file, u.reg.index, u.reg.dwords))
            .collect()
    }

    #[test]
    fn a_carry_add_reads_and_writes_vcc_of_the_wave_width() {
        // v_addc_co_u32_e32 v1, vcc, v2, v3, vcc
        let i = info(Target::Gfx900, &[0x3802_0702]);
        assert_eq!(
            files(&i.writes),
            [(RegFile::Vgpr, 1, 1), (RegFile::Vcc, 0, 2)]
        );
        assert!(files(&i.reads).contains(&(RegFile::Vcc, 0, 2)));
        assert!(files(&i.reads).contains(&(RegFile::Exec, 0, 2)));
        // v_add_co_ci_u32_e32 v1, vcc_lo, v2, v3, vcc_lo
        let i = info(Target::Gfx1100, &[0x4002_0702]);
        assert_eq!(
            files(&i.writes),
            [(RegFile::Vgpr, 1, 1), (RegFile::Vcc, 0, 1)]
        );
    }

    #[test]
    fn a_multiply_accumulate_reads_its_destination() {
        // v_mac_f32_e32 v1, v2, v3
        let i = info(Target::Gfx900, &[0x2c02_0702]);
        assert!(files(&i.reads).contains(&(RegFile::Vgpr, 1, 1)));
        assert!(i.reads_mode);
    }

    #[test]
    fn sdwa_that_preserves_unused_bits_reads_its_destination() {
        // v_add_f32_sdwa v5, v2, v3 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE/PAD
        let keep = info(Target::Gfx900, &[0x020a_06f9, 0x0606_1502]);
        let pad = info(Target::Gfx900, &[0x020a_06f9, 0x0606_0502]);
        assert!(files(&keep.reads).contains(&(RegFile::Vgpr, 5, 1)));
        assert!(!files(&pad.reads).contains(&(RegFile::Vgpr, 5, 1)));
    }

    #[test]
    fn the_counters_have_their_generation_s_names() {
        // flat_load_dword v1, v[2:3]; flat_store_dword v[2:3], v1
        let gfx9 = |w| info(Target::Gfx900, w).counters;
        assert_eq!(
            gfx9(&[0xdc50_0000, 0x0100_0002]),
            [Counter::Vm, Counter::Lgkm]
        );
        assert_eq!(
            gfx9(&[0xdc70_0000, 0x0000_0102]),
            [Counter::Vm, Counter::Lgkm]
        );
        // flat_store_b32 v[2:3], v1
        assert_eq!(
            info(Target::Gfx1100, &[0xdc68_0000, 0x007c_0102]).counters,
            [Counter::Vs, Counter::Lgkm]
        );
        assert_eq!(
            info(Target::Gfx1201, &[0xec06_807c, 0x0080_0000, 0x0000_0002]).counters,
            [Counter::Store, Counter::Ds]
        );
        // global_load_dword v1, v[2:3], off
        assert_eq!(gfx9(&[0xdc50_8000, 0x017f_0002]), [Counter::Vm]);
        // s_load_b32 s4, s[2:3], 0x0
        assert_eq!(
            info(Target::Gfx1201, &[0xf400_0101, 0xf800_0000]).counters,
            [Counter::Km]
        );
    }
}
