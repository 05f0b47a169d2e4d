//! From an instruction's operands to an op's slots.

use super::{Handler, Op, Src};
use crate::stats::Family;
use crate::wave::{TEMPS, sreg};
use waveglass_isa::{Access, Field, Inst, InstFlags, Operand, OperandDef, Reg, RegFile};

/// What compiling an instruction needs to know.
pub struct Compile<'a> {
    /// The instruction.
    pub inst: &'a Inst,
    /// Its address.
    pub address: u64,
    /// Number of the first AGPR in the wave's vector registers.
    pub agpr_base: u32,
    /// How many vector registers there are, AGPRs included.
    pub vector_registers: u32,
    /// Number of the first temporary vector register.
    pub temp_base: u32,
    /// Rows a vector register.
    pub rows: u32,
    /// The VGPR MSBs that hold: two bits each for the first, second and third source and the
    /// destination, as `s_set_vgpr_msb` has them (gfx1250).
    pub msb: u8,
    /// Whether the processor runs with SRAM error correction, where it has that.
    pub sramecc: bool,
    /// SGPRs of a wave.
    pub sgprs: u32,
}

/// A run of source registers that is read from a copy of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gathered {
    /// Its first register.
    pub first: u32,
    /// How many it has.
    pub count: u32,
    /// The first register of the copy.
    pub copy: u32,
}

fn family(inst: &Inst) -> Family {
    let flags = inst.def().flags;
    match inst.def().encoding() {
        _ if flags.intersects(InstFlags::MAI | InstFlags::WMMA | InstFlags::SWMMAC) => {
            Family::Matrix
        }
        _ if flags.contains(InstFlags::BRANCH) => Family::Branch,
        "ENC_SMEM" => Family::Smem,
        "ENC_DS" | "ENC_VDS" => Family::Lds,
        e if e.starts_with("ENC_SOP") => Family::Salu,
        e if e.contains("VOP") => Family::Valu,
        e if e.contains("FLAT")
            || e.contains("BUF")
            || matches!(
                e,
                "ENC_VGLOBAL" | "ENC_VSCRATCH" | "ENC_MIMG" | "ENC_VIMAGE" | "ENC_VSAMPLE"
            ) =>
        {
            Family::Vmem
        }
        _ => Family::Other,
    }
}

/// A register of an operand with the VGPR MSBs that hold (CDNA5 ISA 3.3.2.3).
pub fn with_msb(inst: &Inst, msb: u8, r: Reg, field: Field) -> Reg {
    use Field::*;
    // V_WMMA_LD_SCALE ignores them.
    if msb == 0
        || r.file != RegFile::Vgpr
        || inst.mnemonic().contains("ld_scale")
        || matches!(field, Field::ScaleSrc0 | Field::ScaleSrc1)
    {
        return r;
    }
    let slot = match field {
        Src0 | Src0X | Src0Y | Addr | Vaddr => 0,
        Data0 | Vsrc1X | Vsrc1Y => 1,
        // The product's addend stands in the second source's field but is the third source.
        Src1 if inst.mnemonic().contains("fmamk") => 2,
        Src1 => 1,
        // The data of a store are a source, except in buffer operations.
        Vdata if !inst.def().encoding().contains("BUF") => 1,
        Src2 | Vsrc2X | Vsrc2Y | Data1 => 2,
        _ => 3,
    };
    Reg {
        index: r.index + ((msb >> (2 * slot) & 3) as u16) * 256,
        ..r
    }
}

impl Compile<'_> {
    /// An op for this instruction.
    pub fn op(&self, run: Handler) -> Op {
        let mut op = Op::new(run, self.address);
        op.inst = Some(*self.inst);
        op.family = family(self.inst);
        op
    }

    /// The source in `field`.
    pub fn src(&self, field: Field) -> Src {
        match self.inst.operand_def(field) {
            Some(o) => self.src_of(o),
            None => Src::None,
        }
    }

    /// The source of a shape's entry.
    pub fn src_of(&self, o: &OperandDef) -> Src {
        match self.inst.resolve(o) {
            Some(Operand::Reg(r)) => self.src_reg(with_msb(self.inst, self.msb, r, o.field)),
            Some(_) => self.inst.constant(o.field).map_or(Src::None, Src::Const),
            None => Src::None,
        }
    }

    fn src_reg(&self, r: Reg) -> Src {
        match r.file {
            RegFile::Vgpr | RegFile::Agpr => Src::Vgpr(self.vector(r)),
            RegFile::Null => Src::Const(0),
            RegFile::Scc => Src::Scc,
            RegFile::Vccz => Src::Vccz,
            RegFile::Execz => Src::Execz,
            RegFile::SharedBase => Src::Aperture(0),
            RegFile::SharedLimit => Src::Aperture(1),
            RegFile::PrivateBase => Src::Aperture(2),
            RegFile::PrivateLimit => Src::Aperture(3),
            RegFile::FlatScratchBase => Src::FlatScratchBase(r.index as u8),
            RegFile::LdsDirect => Src::LdsDirect,
            // POPS exists for graphics; compute waves read zero.
            RegFile::PopsExitingWaveId => Src::Const(0),
            // "Source out-of-range: returns the value of SGPR0" (Vega ISA 3.6.1).
            RegFile::Sgpr if r.index as u32 + r.dwords as u32 > self.sgprs => Src::Sgpr(0),
            _ => Src::Sgpr(scalar_number(r) as u8),
        }
    }

    /// The number of a vector register in the wave's file. A source past the allocation reads
    /// VGPR 0 (Vega ISA 3.6.3, "Out-of-Range behavior"), and in a VOPD pair the register of its
    /// number modulo 4 (RDNA3 ISA 3.3.2.2).
    pub fn vector(&self, r: Reg) -> u32 {
        let i = match r.file {
            RegFile::Agpr => self.agpr_base + r.index as u32,
            _ => r.index as u32,
        };
        if i + r.dwords as u32 <= self.vector_registers {
            i
        } else if let Some(run) = self
            .runs_past_allocation()
            .iter()
            .find(|run| (run.first, run.count) == (i, r.dwords.into()))
        {
            run.copy
        } else if self.inst.mnemonic().contains(" :: ") {
            i % 4
        } else {
            0
        }
    }

    /// The sources of a memory instruction that are more than one register and reach past the allocation. Each
    /// register past it is VGPR 0 (RDNA3 ISA 3.3.2.2); the run is read from its copy in the temporaries.
    pub fn runs_past_allocation(&self) -> Vec<Gathered> {
        let mut runs: Vec<Gathered> = Vec::new();
        let memory = matches!(family(self.inst), Family::Vmem | Family::Lds);
        // Blocks of registers look at each by themselves.
        if !memory || self.inst.mnemonic().ends_with("_block") {
            return runs;
        }
        let mut copy = self.temp_base;
        for (o, value) in self.inst.operands() {
            let Operand::Reg(r) = value else { continue };
            let vector = matches!(r.file, RegFile::Vgpr | RegFile::Agpr);
            if !vector || o.access == Access::Write || r.dwords < 2 {
                continue;
            }
            let r = with_msb(self.inst, self.msb, r, o.field);
            let first = match r.file {
                RegFile::Agpr => self.agpr_base + u32::from(r.index),
                _ => r.index.into(),
            };
            let count = u32::from(r.dwords);
            let known = |run: &Gathered| (run.first, run.count) == (first, count);
            let room = copy + count <= self.temp_base + TEMPS as u32;
            if first + count > self.vector_registers && room && !runs.iter().any(known) {
                runs.push(Gathered { first, count, copy });
                copy += count;
            }
        }
        runs
    }

    /// The vector destination in `field`; `None` past the allocation, where nothing is written.
    pub fn vector_dst(&self, field: Field) -> Option<u32> {
        match self.inst.operand(field)? {
            Operand::Reg(r) if matches!(r.file, RegFile::Vgpr | RegFile::Agpr) => {
                let r = with_msb(self.inst, self.msb, r, field);
                let i = match r.file {
                    RegFile::Agpr => self.agpr_base + r.index as u32,
                    _ => r.index as u32,
                };
                (i + r.dwords as u32 <= self.vector_registers).then_some(i)
            }
            _ => None,
        }
    }

    /// The scalar destination in `field`.
    pub fn scalar_dst(&self, field: Field) -> u32 {
        match self.inst.operand(field) {
            // "Destination out-of-range: instruction writes no SGPR result" (Vega ISA 3.6.1).
            Some(Operand::Reg(r))
                if r.file == RegFile::Sgpr && r.index as u32 + r.dwords as u32 > self.sgprs =>
            {
                sreg::NULL as u32
            }
            Some(Operand::Reg(r)) => scalar_number(r),
            _ => sreg::NULL as u32,
        }
    }
}

/// The place of a scalar register in the wave's file.
pub fn scalar_number(r: Reg) -> u32 {
    let i = r.index as u32;
    match r.file {
        RegFile::Sgpr => i,
        RegFile::Ttmp => sreg::TTMP0 as u32 + i,
        RegFile::Vcc => sreg::VCC_LO as u32 + i,
        RegFile::Exec => sreg::EXEC_LO as u32 + i,
        RegFile::FlatScratch => sreg::FLAT_SCRATCH_LO as u32 + i,
        RegFile::XnackMask => sreg::XNACK_MASK_LO as u32 + i,
        RegFile::M0 => sreg::M0 as u32,
        _ => sreg::NULL as u32,
    }
}
