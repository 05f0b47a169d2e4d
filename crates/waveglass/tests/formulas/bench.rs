//! One wave and all that an instruction may need around it.

use waveglass::exec::dispatch::rules;
use waveglass::exec::machine::{Barrier, Env, Machine};
use waveglass::exec::program::Compile;
use waveglass::exec::{Op, Stats, Step, Stop, Wave, semantics};
use waveglass::isa::{Inst, Target};
use waveglass::mem::{GlobalMemory, Lds, Permission, Port};

/// Registers of the wave: enough for the largest conversion.
const REGISTERS: usize = 128;
/// Where memory lies.
pub(crate) const MEMORY: u64 = 0x10_0000;
/// Bytes of memory, and of LDS.
pub(crate) const BYTES: usize = 4096;

/// A wave with memory and LDS.
pub(crate) struct Bench {
    pub(crate) wave: Wave,
    pub(crate) lds: Lds,
    pub(crate) memory: GlobalMemory,
    env: Env,
    stats: Stats,
    barrier: Barrier,
}

impl Bench {
    pub(crate) fn new(target: Target, lanes: u32) -> Self {
        let accumulators = target.is_gfx9() && target >= Target::Gfx908;
        let agprs = if accumulators { REGISTERS } else { 0 };
        let mut memory = GlobalMemory::new();
        memory
            .map_zeroed(MEMORY, BYTES as u64, Permission::ReadWrite, "memory")
            .expect("the address space is empty");
        Self {
            wave: Wave::new(target, lanes, REGISTERS, agprs),
            lds: Lds::new(BYTES as u32),
            memory,
            env: Env::alone(target, BYTES as u32),
            stats: Stats::default(),
            barrier: Barrier::new(1),
        }
    }

    /// The executor's operation for an instruction.
    pub(crate) fn compile(&self, inst: &Inst) -> Op {
        let registers = self.wave.temp_base as u32;
        semantics::compile(&Compile {
            inst,
            address: 0x100,
            agpr_base: self.wave.agpr_base as u32,
            vector_registers: registers,
            temp_base: registers,
            rows: self.wave.rows as u32,
            msb: 0,
            sramecc: false,
            sgprs: 128,
        })
    }

    /// Executes it; the reason where the executor refuses.
    pub(crate) fn run(&mut self, op: &Op) -> Result<(), &'static str> {
        let mut port = Port::new(rules(self.wave.target));
        let step = (op.run)(
            &mut Machine {
                wave: &mut self.wave,
                lds: &mut self.lds,
                barrier: &mut self.barrier,
                memory: &self.memory,
                port: &mut port,
                env: &self.env,
                stats: &mut self.stats,
            },
            op,
        );
        match step {
            Step::Stop(Stop::Refused { why, .. }) => Err(why),
            _ => Ok(()),
        }
    }
}
