//! A kernel's code, decoded once: each instruction becomes an [`Op`] with its handler and operand
//! slots resolved. Waves run ops; nothing is decoded while they do.

use crate::error::Stop;
use crate::machine::Machine;
use crate::matrix::MatrixOp;
use crate::semantics::{self, MemInfo};
use crate::stats::Family;
use crate::valu::{Kernel, ValuInfo};
use crate::wave::sreg;
use std::collections::{HashMap, VecDeque};
use waveglass_isa::{
    DecodeError, Decoder, Field, Inst, InstFlags, Operand, OperandDef, Reg, RegFile, Target,
};

/// What a handler says about where to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// With the op after this one.
    Next,
    /// With the op at this index.
    Goto(u32),
    /// With the instruction at this address.
    Jump(u64),
    /// The wave waits at the workgroup's barrier; it goes on with the next op.
    Barrier,
    /// The wave lets others run, then goes on with the next op.
    Yield,
    /// The wave has ended.
    End,
    /// The run stops.
    Stop(Stop),
}

/// Executes one op on one wave.
pub type Handler = fn(&mut Machine<'_>, &Op) -> Step;

/// Where a source comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Src {
    /// There is no such source.
    None,
    /// A vector register, AGPRs counted on after the VGPRs.
    Vgpr(u32),
    /// A scalar register by operand number.
    Sgpr(u8),
    /// A constant, widened to the operand's type.
    Const(u64),
    /// SCC as 0 or 1.
    Scc,
    /// 1 when VCC is zero.
    Vccz,
    /// 1 when EXEC is zero.
    Execz,
    /// The LDS aperture's base (0) or limit (1), the scratch aperture's base (2) or limit (3).
    Aperture(u8),
    /// What M0 points to in LDS, the same for all lanes (Vega ISA 10.3.1).
    LdsDirect,
    /// The base of this wave's scratch (CDNA 5): low or high half first.
    FlatScratchBase(u8),
}

/// A pre-resolved operation.
#[derive(Clone, Debug)]
pub struct Op {
    /// Executes it.
    pub run: Handler,
    /// The lane kernel of a vector operation.
    pub kernel: Kernel,
    /// Where a vector operation's kernel finds its operands: the first lane of the result and of
    /// each source, which is a temporary's where the source is no vector register.
    pub lanes: [u32; 4],
    /// Index of the op that follows in memory.
    pub next: u32,
    /// Index of the op that a run without a trace goes on with: past ops that do nothing.
    pub live: u32,
    /// How many those are.
    pub skipped: u32,
    /// Index of a direct branch's target.
    pub target: u32,
    /// Destination: a vector register's or a scalar register's number.
    pub d: u32,
    /// A second destination (carry out, the pair's other half).
    pub d2: u32,
    /// Sources.
    pub s: [Src; 4],
    /// An immediate.
    pub imm: u64,
    /// What memory operations need beyond this.
    pub mem: MemInfo,
    /// What vector operations need beyond this.
    pub valu: Option<Box<ValuInfo>>,
    /// A matrix operation.
    pub matrix: Option<Box<MatrixOp>>,
    /// Operations that this one is made of: the halves of a VOPD pair, or the plain form of one
    /// that VGPR index mode may reach.
    pub parts: Box<[Op]>,
    /// The instruction that it came from.
    pub inst: Option<Inst>,
    /// Its address.
    pub address: u64,
    /// What it counts as.
    pub family: Family,
    /// The VGPR MSBs that it was compiled for (gfx1250).
    pub msb: u8,
    /// Why executing it stops the run, where it was known when it was compiled.
    pub refused: Option<&'static str>,
}

/// Everything that a kernel can jump to, as ops.
pub struct Program {
    target: Target,
    wave_size: u32,
    base: u64,
    ops: Vec<Op>,
    /// Index of the op at each dword of the code; `u32::MAX` where none starts.
    index: Vec<u32>,
    /// The same for code that is reached with VGPR MSBs other than zero: (dword, MSBs).
    with_msb: HashMap<(u32, u8), u32>,
    /// Whether 16-bit loads are made for SRAM error correction.
    sramecc: bool,
}

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
}

/// How many registers a program is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// VGPRs of a wave.
    pub vgprs: u32,
    /// AGPRs of a wave.
    pub agprs: u32,
}

impl Program {
    /// Compiles `code`, which lies at `base`. `entries` are addresses at which instructions are
    /// known to start (kernels and functions); others are found by following the code.
    ///
    /// The processor runs with SRAM error correction where it has that: see
    /// [`Program::compile_with`].
    pub fn compile(
        target: Target,
        wave_size: u32,
        code: &[u8],
        base: u64,
        entries: &[u64],
        registers: Registers,
    ) -> Self {
        Self::compile_with(target, wave_size, code, base, entries, registers, true)
    }

    /// [`Program::compile`] for a processor with SRAM error correction on or off, which decides what
    /// 16-bit loads do to the other half of their register (CDNA 1 ISA 9.1.6). Code that was built for
    /// one setting (`sramecc+`, `sramecc-`) runs on processors with that setting only.
    pub fn compile_with(
        target: Target,
        wave_size: u32,
        code: &[u8],
        base: u64,
        entries: &[u64],
        registers: Registers,
        sramecc: bool,
    ) -> Self {
        let dwords = code.len() / 4;
        let mut program = Self {
            target,
            wave_size,
            base,
            ops: Vec::with_capacity(dwords * 2 / 3),
            index: vec![u32::MAX; dwords],
            with_msb: HashMap::new(),
            sramecc,
        };
        // Places that are reached with VGPR MSBs other than zero.
        let mut high = Vec::new();
        let decoder = Decoder::new(target).wave_size(wave_size);
        // Sweep from the start, then again from every entry or branch target that the sweep
        // stepped over: data between functions may look like instructions.
        let mut starts: VecDeque<u64> = entries.iter().copied().collect();
        starts.push_back(base);
        while let Some(start) = starts.pop_front() {
            let mut at = match start.checked_sub(base) {
                Some(o) if o % 4 == 0 && (o / 4) < dwords as u64 => o as usize,
                _ => continue,
            };
            while at / 4 < dwords && program.index[at / 4] == u32::MAX {
                program.index[at / 4] = program.ops.len() as u32;
                let address = base + at as u64;
                let (op, size) = program.op_at(&decoder, &code[at..], address, registers, 0);
                if let Some(inst) = &op.inst {
                    if let Some(t) = branch_target(inst, address) {
                        starts.push_back(t);
                    }
                    if let Some(msb) = new_msb(inst) {
                        high.push((address + size as u64, msb));
                    }
                }
                program.ops.push(op);
                at += size;
            }
        }
        while let Some((start, msb)) = high.pop() {
            program.compile_high(&decoder, code, start, msb, registers, &mut high);
        }
        program.link();
        program
    }

    /// The op of the instruction at the start of `code`, and its size.
    fn op_at(
        &self,
        decoder: &Decoder,
        code: &[u8],
        address: u64,
        registers: Registers,
        msb: u8,
    ) -> (Op, usize) {
        match decoder.decode(code) {
            Ok(inst) => {
                let mut op = semantics::compile(&Compile {
                    inst: &inst,
                    address,
                    agpr_base: registers.vgprs,
                    vector_registers: registers.vgprs + registers.agprs,
                    temp_base: registers.vgprs + registers.agprs,
                    rows: self.wave_size / 32,
                    msb,
                    sramecc: self.sramecc,
                });
                op.msb = msb;
                (op, inst.size())
            }
            Err(DecodeError::Invalid | DecodeError::Truncated { .. }) => {
                (Op::new(invalid, address), 4)
            }
        }
    }

    /// Compiles the code that is reached from `start` with VGPR MSBs other than zero, up to where
    /// they change; the places behind that go to `more`.
    fn compile_high(
        &mut self,
        decoder: &Decoder,
        code: &[u8],
        start: u64,
        msb: u8,
        registers: Registers,
        more: &mut Vec<(u64, u8)>,
    ) {
        let mut places = vec![start];
        while let Some(start) = places.pop() {
            let mut address = start;
            while msb != 0
                && let Some(dword) = self.dword(address)
                && !self.with_msb.contains_key(&(dword, msb))
            {
                let at = dword as usize * 4;
                let (op, size) = self.op_at(decoder, &code[at..], address, registers, msb);
                let inst = op.inst;
                self.with_msb.insert((dword, msb), self.ops.len() as u32);
                self.ops.push(op);
                address += size as u64;
                let Some(inst) = inst else { break };
                if let Some(t) = branch_target(&inst, address - size as u64) {
                    places.push(t);
                }
                if let Some(new) = new_msb(&inst) {
                    more.push((address, new));
                    break;
                }
                if inst.def().flags.contains(InstFlags::BARRIER)
                    || matches!(inst.mnemonic(), "s_branch" | "s_endpgm")
                {
                    break;
                }
            }
        }
    }

    /// The dword of the code at `address`.
    fn dword(&self, address: u64) -> Option<u32> {
        let o = address.checked_sub(self.base)?;
        (o % 4 == 0 && o / 4 < self.index.len() as u64).then_some((o / 4) as u32)
    }

    /// The index of the op at `address` for the VGPR MSBs that hold there.
    pub fn find_with(&self, address: u64, msb: u8) -> Option<u32> {
        if msb == 0 {
            return self.find(address);
        }
        self.with_msb.get(&(self.dword(address)?, msb)).copied()
    }

    /// Resolves where each op goes on.
    fn link(&mut self) {
        for i in 0..self.ops.len() {
            let (address, size, target, msb, after) = {
                let op = &self.ops[i];
                let size = op.inst.map_or(4, |x| x.size() as u64);
                (
                    op.address,
                    size,
                    op.inst.and_then(|x| branch_target(&x, op.address)),
                    op.msb,
                    op.inst.and_then(|x| new_msb(&x)).unwrap_or(op.msb),
                )
            };
            self.ops[i].next = self.find_with(address + size, after).unwrap_or(u32::MAX);
            if let Some(t) = target {
                self.ops[i].target = self.find_with(t, msb).unwrap_or(u32::MAX);
            }
        }
        semantics::mark_indexed(&mut self.ops);
        self.skip_idle();
    }

    /// Finds out which op each goes on with where ops that do nothing are passed over.
    fn skip_idle(&mut self) {
        let idle: Vec<bool> = self.ops.iter().map(Op::is_idle).collect();
        for i in 0..self.ops.len() {
            let (mut live, mut skipped) = (self.ops[i].next, 0);
            // A run of them is short; the bound keeps a wave's turn from growing without end.
            while skipped < 16
                && idle.get(live as usize) == Some(&true)
                && self.ops[live as usize].next != u32::MAX
            {
                live = self.ops[live as usize].next;
                skipped += 1;
            }
            (self.ops[i].live, self.ops[i].skipped) = (live, skipped);
        }
    }

    /// The index of the op at `address`.
    pub fn find(&self, address: u64) -> Option<u32> {
        let o = address.checked_sub(self.base)?;
        if o % 4 != 0 {
            return None;
        }
        self.index
            .get((o / 4) as usize)
            .copied()
            .filter(|&i| i != u32::MAX)
    }

    /// The address that follows the instruction at `address`.
    pub fn end_after(&self, address: u64) -> u64 {
        let size = self
            .find(address)
            .and_then(|i| self.ops[i as usize].inst)
            .map_or(4, |i| i.size() as u64);
        address + size
    }

    /// The ops.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The target.
    pub fn target(&self) -> Target {
        self.target
    }

    /// Lanes in a wave.
    pub fn wave_size(&self) -> u32 {
        self.wave_size
    }

    /// The address of the first byte of code.
    pub fn base(&self) -> u64 {
        self.base
    }
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

/// The VGPR MSBs that an instruction sets.
fn new_msb(inst: &Inst) -> Option<u8> {
    (inst.mnemonic() == "s_set_vgpr_msb").then(|| inst.field(Field::Simm16) as u8)
}

/// Where a direct branch or call goes.
pub fn branch_target(inst: &Inst, address: u64) -> Option<u64> {
    let m = inst.mnemonic();
    if !(m.starts_with("s_branch")
        || m.starts_with("s_cbranch")
        || m == "s_call_b64"
        || m == "s_call_i64"
        || m.starts_with("s_subvector_loop"))
    {
        return None;
    }
    // A signed count of dwords from the instruction that follows ("s_branch").
    let offset = inst.field(Field::Simm16) as u16 as i16 as i64;
    Some(address.wrapping_add(4).wrapping_add((offset * 4) as u64))
}

fn invalid(m: &mut Machine<'_>, op: &Op) -> Step {
    let _ = m;
    Step::Stop(Stop::Invalid {
        address: op.address,
    })
}

impl Op {
    /// An op without operands.
    pub fn new(run: Handler, address: u64) -> Self {
        Self {
            run,
            kernel: crate::valu::no_kernel(),
            lanes: [0; 4],
            next: u32::MAX,
            live: u32::MAX,
            skipped: 0,
            target: u32::MAX,
            d: 0,
            d2: 0,
            s: [Src::None; 4],
            imm: 0,
            mem: MemInfo::default(),
            valu: None,
            matrix: None,
            parts: Box::default(),
            inst: None,
            address,
            family: Family::Other,
            msb: 0,
            refused: None,
        }
    }

    /// Whether it does nothing when operations complete at once: waits, delays and hints.
    fn is_idle(&self) -> bool {
        self.family == Family::Salu
            && self.refused.is_none()
            && (self.mnemonic().starts_with("s_wait")
                || matches!(self.mnemonic(), "s_nop" | "s_delay_alu" | "s_clause"))
    }

    /// The instruction; ops that stand for invalid bytes have none.
    pub fn mnemonic(&self) -> &'static str {
        self.inst.map_or("(invalid)", |i| i.mnemonic())
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
        } else if self.inst.mnemonic().contains(" :: ") {
            i % 4
        } else {
            0
        }
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
