//! A kernel's code, decoded once: each instruction becomes an [`Op`] with its handler and operand
//! slots resolved. Waves run ops; nothing is decoded while they do.

mod compile;
#[cfg(test)]
mod range_tests;

pub use compile::{Compile, scalar_number, with_msb};

use crate::error::Stop;
use crate::exceptions;
use crate::machine::Machine;
use crate::matrix::MatrixOp;
use crate::native::{self, Fragments};
use crate::semantics::{self, MemInfo};
use crate::stats::Family;
use crate::trap::{self, Exceptions};
use crate::valu::{Kernel, ValuInfo};
use std::collections::{HashMap, VecDeque};
use waveglass_isa::{DecodeError, Decoder, Field, Inst, InstFlags, Target};

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
    /// The wave lets others run, then executes this op again.
    Retry,
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
    /// The translated fragment that starts with it.
    pub(crate) fragment: u32,
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
    ops: Vec<Op>,
    /// The program's code, and the trap handler's where there is one.
    regions: Vec<Region>,
    /// The ops of code that is reached with VGPR MSBs other than zero: (address, MSBs).
    with_msb: HashMap<(u64, u8), u32>,
    options: Options,
    /// Whether anything can tell which exceptions arithmetic has raised.
    watches_exceptions: bool,
    /// Whether a wave can ask for traps between instructions, and there is a handler to take them.
    steps: bool,
    fragments: Fragments,
}

/// Code in one piece, with the ops that start in it.
struct Region {
    base: u64,
    /// Index of the op at each dword; `u32::MAX` where none starts.
    index: Vec<u32>,
}

impl Region {
    /// The dword at `address`.
    fn dword(&self, address: u64) -> Option<usize> {
        let o = address.checked_sub(self.base)?;
        (o.is_multiple_of(4) && o / 4 < self.index.len() as u64).then_some((o / 4) as usize)
    }
}

/// Code to compile.
#[derive(Clone, Copy, Debug)]
pub struct Code<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Where they lie.
    pub base: u64,
    /// Addresses at which instructions are known to start.
    pub entries: &'a [u64],
}

/// What compiling depends on beyond the code and its registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Whether the processor runs with SRAM error correction, where it has that: it decides what
    /// 16-bit loads do to the other half of their register (CDNA 1 ISA 9.1.6).
    pub sramecc: bool,
    /// Exceptions that trap from the start.
    pub exceptions: Exceptions,
    /// SGPRs of a wave: those past them are out of range (gfx9; later targets give every wave all).
    pub sgprs: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            sramecc: true,
            exceptions: Exceptions::NONE,
            sgprs: 128,
        }
    }
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
        let code = Code {
            bytes: code,
            base,
            entries,
        };
        let options = Options {
            sramecc,
            ..Options::default()
        };
        Self::build(target, wave_size, code, None, registers, options)
    }

    /// Compiles a program, and a trap handler with it where there is one.
    pub fn build(
        target: Target,
        wave_size: u32,
        code: Code<'_>,
        handler: Option<Code<'_>>,
        registers: Registers,
        options: Options,
    ) -> Self {
        let mut program = Self {
            target,
            wave_size,
            ops: Vec::with_capacity(code.bytes.len() / 6),
            regions: Vec::new(),
            with_msb: HashMap::new(),
            options,
            watches_exceptions: false,
            steps: false,
            fragments: Fragments::default(),
        };
        let decoder = Decoder::new(target).wave_size(wave_size);
        let mut used_msb = Vec::new();
        for code in [Some(code), handler].into_iter().flatten() {
            program.add(&decoder, code, registers, &mut used_msb);
        }
        if let Some(handler) = handler {
            // A wave enters the handler with the VGPR MSBs that it has.
            let mut high: Vec<(u64, u8)> = used_msb.iter().map(|&m| (handler.base, m)).collect();
            while let Some((start, msb)) = high.pop() {
                program.compile_high(&decoder, handler, start, msb, registers, &mut high);
            }
        }
        program.steps = handler.is_some() && program.ops.iter().any(semantics::asks_steps);
        let entries = [Some(code), handler].into_iter().flatten();
        let entries: Vec<u64> = entries.flat_map(|c| c.entries).copied().collect();
        program.link(&entries);
        program
    }

    /// Compiles one piece of code; VGPR MSBs that it sets go to `used_msb`.
    fn add(
        &mut self,
        decoder: &Decoder,
        code: Code<'_>,
        registers: Registers,
        used_msb: &mut Vec<u8>,
    ) {
        let Code {
            bytes,
            base,
            entries,
        } = code;
        let dwords = bytes.len() / 4;
        let at_region = self.regions.len();
        self.regions.push(Region {
            base,
            index: vec![u32::MAX; dwords],
        });
        // Places that are reached with VGPR MSBs other than zero.
        let mut high = Vec::new();
        // Sweep from the start, then again from every entry or branch target that the sweep
        // stepped over: data between functions may look like instructions.
        let mut starts: VecDeque<u64> = entries.iter().copied().collect();
        starts.push_back(base);
        while let Some(start) = starts.pop_front() {
            let mut at = match start.checked_sub(base) {
                Some(o) if o % 4 == 0 && (o / 4) < dwords as u64 => o as usize,
                _ => continue,
            };
            while at / 4 < dwords && self.regions[at_region].index[at / 4] == u32::MAX {
                self.regions[at_region].index[at / 4] = self.ops.len() as u32;
                let address = base + at as u64;
                let (op, size) = self.op_at(decoder, &bytes[at..], address, registers, 0);
                if let Some(inst) = &op.inst {
                    if let Some(t) = branch_target(inst, address) {
                        starts.push_back(t);
                    }
                    if let Some(msb) = new_msb(inst) {
                        high.push((address + size as u64, msb));
                        if msb != 0 && !used_msb.contains(&msb) {
                            used_msb.push(msb);
                        }
                    }
                }
                self.ops.push(op);
                at += size;
            }
        }
        while let Some((start, msb)) = high.pop() {
            self.compile_high(decoder, code, start, msb, registers, &mut high);
        }
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
        let decoded = decoder
            .decode(code)
            .map(|inst| (inst, None))
            .or_else(|why| {
                semantics::negative_buffer_offset(decoder, self.target, code)
                    .map(|(inst, offset)| (inst, Some(offset)))
                    .ok_or(why)
            });
        match decoded {
            Ok((inst, offset)) => {
                let mut op = semantics::compile(&Compile {
                    inst: &inst,
                    address,
                    agpr_base: registers.vgprs,
                    vector_registers: registers.vgprs + registers.agprs,
                    temp_base: registers.vgprs + registers.agprs,
                    rows: self.wave_size / 32,
                    msb,
                    sramecc: self.options.sramecc,
                    sgprs: self.options.sgprs,
                });
                op.msb = msb;
                op.mem.offset = offset.unwrap_or(op.mem.offset);
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
        code: Code<'_>,
        start: u64,
        msb: u8,
        registers: Registers,
        more: &mut Vec<(u64, u8)>,
    ) {
        let mut places = vec![start];
        while let Some(start) = places.pop() {
            let mut address = start;
            while msb != 0
                && let Some(at) = address.checked_sub(code.base)
                && at.is_multiple_of(4)
                && at + 4 <= code.bytes.len() as u64
                && !self.with_msb.contains_key(&(address, msb))
            {
                let bytes = &code.bytes[at as usize..];
                let (op, size) = self.op_at(decoder, bytes, address, registers, msb);
                let inst = op.inst;
                self.with_msb.insert((address, msb), self.ops.len() as u32);
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

    /// The index of the op at `address` for the VGPR MSBs that hold there.
    pub fn find_with(&self, address: u64, msb: u8) -> Option<u32> {
        if msb == 0 {
            return self.find(address);
        }
        self.with_msb.get(&(address, msb)).copied()
    }

    /// Resolves where each op goes on.
    fn link(&mut self, entries: &[u64]) {
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
        let plain: Vec<Handler> = self.ops.iter().map(|op| op.run).collect();
        semantics::mark_indexed(&mut self.ops);
        semantics::mark_skipped(&mut self.ops);
        self.watches_exceptions = !self
            .options
            .exceptions
            .and(Exceptions::ARITHMETIC)
            .is_empty()
            || self.ops.iter().any(semantics::tells_exceptions);
        if self.watches_exceptions {
            exceptions::watch(&mut self.ops);
        }
        trap::guard_temporaries(&mut self.ops, self.target);
        self.skip_idle();
        let mut targets: Vec<u32> = entries.iter().filter_map(|&a| self.find(a)).collect();
        for op in &self.ops {
            let branches = op
                .inst
                .is_some_and(|i| branch_target(&i, op.address).is_some());
            targets.extend(branches.then_some(op.target));
        }
        self.fragments = native::find(&mut self.ops, &plain, &targets);
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
        self.regions
            .iter()
            .find_map(|r| Some(r.index[r.dword(address)?]))
            .filter(|&i| i != u32::MAX)
    }

    /// Whether the flags of floating-point exceptions are kept: the program or the trap handler reads
    /// them, or lets exceptions trap. Where nothing can tell, arithmetic does not work them out.
    pub fn watches_exceptions(&self) -> bool {
        self.watches_exceptions
    }

    /// Whether waves may trap between instructions, so that each is to be looked at.
    pub(crate) fn steps(&self) -> bool {
        self.steps
    }

    /// The address that follows the instruction at `address`.
    pub fn end_after(&self, address: u64) -> u64 {
        let size = self
            .find(address)
            .and_then(|i| self.ops[i as usize].inst)
            .map_or(4, |i| i.size() as u64);
        address + size
    }

    /// Runs of ops as the host's own instructions.
    pub(crate) fn fragments(&self) -> &Fragments {
        &self.fragments
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
        self.regions.first().map_or(0, |r| r.base)
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
    m.illegal_instruction(op)
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
            fragment: native::NONE,
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
