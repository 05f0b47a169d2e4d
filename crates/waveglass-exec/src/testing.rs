//! Single instructions on a wave, for tests: real bytes in, registers and memory out.

use crate::dispatch::memory_generation;
use crate::machine::{Barrier, Env, Machine};
use crate::program::{Compile, Op, Step};
use crate::semantics;
use crate::stats::Stats;
use crate::wave::Wave;
use waveglass_isa::{Decoder, Inst, Target};
use waveglass_mem::{GlobalMemory, Lds, Permission, Port, Rules};

/// Where the memory of a [`Bench`] lies.
pub(crate) const MEMORY: u64 = 0x1_0000;
/// How many bytes it has.
pub(crate) const MEMORY_SIZE: u64 = 0x4000;

/// The next of numbers without a pattern that matters (Marsaglia's xorshift).
pub(crate) fn xorshift(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// A wave with memory, LDS and counters around it.
pub(crate) struct Bench {
    pub(crate) wave: Wave,
    pub(crate) lds: Lds,
    pub(crate) memory: GlobalMemory,
    pub(crate) port: Port,
    pub(crate) env: Env,
    pub(crate) stats: Stats,
    pub(crate) barrier: Barrier,
    /// Whether SRAM error correction is on.
    pub(crate) sramecc: bool,
}

impl Bench {
    /// A wave of `lanes` lanes with all of them active, 64 VGPRs, and 64 AGPRs where the target
    /// has them; 16 KiB of memory at [`MEMORY`], 4 KiB of LDS.
    pub(crate) fn new(target: Target, lanes: u32) -> Self {
        let agprs = if target.is_gfx9() { 64 } else { 0 };
        let mut wave = Wave::new(target, lanes, 64, agprs);
        wave.set_exec(wave.full_mask());
        let mut memory = GlobalMemory::new();
        memory
            .map_zeroed(MEMORY, MEMORY_SIZE, Permission::ReadWrite, "memory")
            .expect("the address space is empty");
        Self {
            wave,
            lds: Lds::new(4096),
            memory,
            port: Port::new(Rules::new(memory_generation(target))),
            env: Env::alone(target, 4096),
            stats: Stats::default(),
            sramecc: true,
            barrier: Barrier::new(1),
        }
    }

    /// Executes one instruction, given as hex.
    pub(crate) fn run(&mut self, hex: &str) -> Step {
        let bytes: Vec<u8> = (0..hex.len() / 2)
            .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex digits"))
            .collect();
        let inst = Decoder::new(self.wave.target)
            .wave_size(self.wave.lanes() as u32)
            .decode(&bytes)
            .unwrap_or_else(|e| panic!("{hex}: {e}"));
        note(&inst);
        let op = self.compile(&inst);
        self.run_op(&op)
    }

    /// The op of an instruction for this wave.
    pub(crate) fn compile(&self, inst: &Inst) -> Op {
        let registers = self.wave.temp_base as u32;
        semantics::compile(&Compile {
            inst,
            address: 0x100,
            agpr_base: self.wave.agpr_base as u32,
            vector_registers: registers,
            temp_base: registers,
            rows: self.wave.rows as u32,
            msb: self.wave.vgpr_msb,
            sramecc: self.sramecc,
            sgprs: 128,
        })
    }

    /// Executes an op.
    pub(crate) fn run_op(&mut self, op: &Op) -> Step {
        let mut machine = Machine {
            wave: &mut self.wave,
            lds: &mut self.lds,
            barrier: &mut self.barrier,
            memory: &self.memory,
            port: &mut self.port,
            env: &self.env,
            stats: &mut self.stats,
        };
        (op.run)(&mut machine, op)
    }

    /// Executes instructions that all go on with the next.
    pub(crate) fn run_all(&mut self, code: &[&str]) {
        for hex in code {
            assert_eq!(self.run(hex), Step::Next, "{hex}");
        }
    }

    /// Sets every lane of a register.
    pub(crate) fn set(&mut self, register: usize, f: impl Fn(usize) -> u32) {
        for lane in 0..self.wave.lanes() {
            self.wave.set_lane(register, lane, f(lane));
        }
    }

    /// Sets a register pair to addresses in [`MEMORY`].
    pub(crate) fn set_address(&mut self, register: usize, f: impl Fn(usize) -> u64) {
        self.set(register, |l| (MEMORY + f(l)) as u32);
        self.set(register + 1, |l| ((MEMORY + f(l)) >> 32) as u32);
    }

    /// A lane of a register.
    pub(crate) fn get(&self, register: usize, lane: usize) -> u32 {
        self.wave.lane(register, lane)
    }

    /// Writes a dword of memory, `offset` bytes from its start.
    pub(crate) fn poke(&mut self, offset: u64, v: u32) {
        assert!(self.memory.write(MEMORY + offset, &v.to_le_bytes()));
    }

    /// Reads a dword of memory.
    pub(crate) fn peek(&self, offset: u64) -> u32 {
        let mut bytes = [0; 4];
        assert!(self.memory.read(MEMORY + offset, &mut bytes));
        u32::from_le_bytes(bytes)
    }

    /// Writes a dword of LDS.
    pub(crate) fn poke_lds(&mut self, offset: usize, v: u32) {
        self.lds.bytes_mut()[offset..offset + 4].copy_from_slice(&v.to_le_bytes());
    }

    /// Reads a dword of LDS.
    pub(crate) fn peek_lds(&self, offset: usize) -> u32 {
        let b = &self.lds.bytes()[offset..offset + 4];
        u32::from_le_bytes([b[0], b[1], b[2], b[3]])
    }
}

/// Notes what a test executes, in a file of the folder that `WAVEGLASS_EVIDENCE` names:
/// `cargo xtask evidence` makes the evidence of the fidelity table of it.
pub(crate) fn note(inst: &Inst) {
    use std::collections::HashSet;
    use std::io::Write as _;
    use std::sync::{LazyLock, Mutex};
    type Notes = Mutex<(HashSet<(Target, &'static str)>, std::fs::File)>;
    static NOTES: LazyLock<Option<Notes>> = LazyLock::new(|| {
        let folder = std::env::var_os("WAVEGLASS_EVIDENCE")?;
        let name = format!("exec-{}", std::process::id());
        let file = std::fs::File::create(std::path::Path::new(&folder).join(name));
        Some(Mutex::new((HashSet::new(), file.expect("a folder"))))
    });
    let Some(notes) = &*NOTES else { return };
    let (seen, file) = &mut *notes.lock().unwrap_or_else(|e| e.into_inner());
    if seen.insert((inst.target(), inst.mnemonic())) {
        writeln!(file, "{} {}", inst.target(), inst.mnemonic()).expect("room for notes");
    }
}
