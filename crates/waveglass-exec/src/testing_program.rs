//! A wave that runs a few instructions on its own, for the tests of this crate.

use crate::error::Stop;
use crate::machine::{Barrier, Env, Machine};
use crate::program::{Code, Options, Program, Registers, Step};
use crate::stats::Stats;
use crate::trap::{TrapHandler, Traps, steps};
use crate::wave::Wave;
use waveglass_isa::Target;
use waveglass_mem::{GlobalMemory, Lds, Port};

/// VGPRs of a test's wave.
pub(crate) const VGPRS: u32 = 8;
/// Where a test's code lies.
pub(crate) const BASE: u64 = 0x1000;

/// Runs `code` from its start to its end on a wave of [`VGPRS`] registers that `setup` has filled;
/// every lane is on before that.
pub(crate) fn run(
    target: Target,
    wave_size: u32,
    code: &[u8],
    setup: impl FnOnce(&mut Wave),
) -> Result<Wave, Stop> {
    run_with(target, wave_size, code, VGPRS, setup)
}

/// The same with this many registers.
pub(crate) fn run_with(
    target: Target,
    wave_size: u32,
    code: &[u8],
    vgprs: u32,
    setup: impl FnOnce(&mut Wave),
) -> Result<Wave, Stop> {
    let case = Case {
        target,
        wave_size,
        code,
        handler: &[],
        vgprs,
        options: Options::default(),
        stop_on_fault: true,
    };
    case.run(setup)
}

/// Where a test's trap handler lies, and its memory.
pub(crate) const HANDLER: TrapHandler = TrapHandler {
    tba: 0x1234_5678_9000,
    tma: 0x4_0000_8000,
};

/// A program with all that it runs under.
pub(crate) struct Case<'a> {
    pub(crate) target: Target,
    pub(crate) wave_size: u32,
    pub(crate) code: &'a [u8],
    /// The trap handler's code; there is none where this is empty.
    pub(crate) handler: &'a [u8],
    pub(crate) vgprs: u32,
    pub(crate) options: Options,
    pub(crate) stop_on_fault: bool,
}

impl<'a> Case<'a> {
    /// A program with a trap handler.
    pub(crate) fn with_handler(target: Target, code: &'a [u8], handler: &'a [u8]) -> Self {
        Self {
            target,
            wave_size: target.default_wave_size(),
            code,
            handler,
            vgprs: VGPRS,
            options: Options::default(),
            stop_on_fault: false,
        }
    }

    /// Runs it from its start to its end; `setup` fills the wave.
    pub(crate) fn run(&self, setup: impl FnOnce(&mut Wave)) -> Result<Wave, Stop> {
        let (target, wave_size, vgprs) = (self.target, self.wave_size, self.vgprs);
        let code = |bytes, base| Code {
            bytes,
            base,
            entries: &[],
        };
        let handler = (!self.handler.is_empty()).then_some(HANDLER);
        let program = Program::build(
            target,
            wave_size,
            code(self.code, BASE),
            handler.map(|h| code(self.handler, h.tba)),
            Registers { vgprs, agprs: 0 },
            self.options,
        );
        let mut wave = Wave::new(target, wave_size, vgprs as usize, 0);
        wave.set_exec(wave.full_mask());
        setup(&mut wave);
        let env = Env {
            stop_on_fault: self.stop_on_fault,
            fault_limit: 1,
            traps: Traps {
                handler,
                ..Traps::default()
            },
            ..Env::alone(target, 0)
        };
        let mut lds = Lds::new(0);
        let mut barrier = Barrier::new(1);
        let memory = GlobalMemory::new();
        let mut port = Port::new(crate::dispatch::rules(target));
        let mut stats = Stats::default();
        let mut ip = 0;
        for _ in 0..1000 {
            let Some(op) = program.ops().get(ip as usize) else {
                break;
            };
            if let Some(inst) = &op.inst {
                crate::testing::note(inst);
            }
            let mut m = Machine {
                wave: &mut wave,
                lds: &mut lds,
                barrier: &mut barrier,
                memory: &memory,
                port: &mut port,
                env: &env,
                stats: &mut stats,
            };
            let step = match steps::before(&mut m, op) {
                Some(entry) => entry,
                None => {
                    let privileged = m.wave.privileged;
                    let step = (op.run)(&mut m, op);
                    steps::after(&mut m, op, privileged, step);
                    step
                }
            };
            match step {
                Step::Goto(i) => ip = i,
                Step::Jump(to) => match program.find_with(to, m.wave.vgpr_msb) {
                    Some(i) => ip = i,
                    None => break,
                },
                Step::Stop(why) => return Err(why),
                Step::End => break,
                Step::Next | Step::Barrier | Step::Yield => ip = op.next,
                Step::Retry => {}
            }
        }
        Ok(wave)
    }
}

/// Fills a register with a value a lane.
pub(crate) fn fill(wave: &mut Wave, register: usize, f: impl Fn(usize) -> u32) {
    for lane in 0..wave.lanes() {
        wave.set_lane(register, lane, f(lane));
    }
}

/// A register's lanes.
pub(crate) fn lanes(wave: &Wave, register: usize) -> Vec<u32> {
    (0..wave.lanes())
        .map(|lane| wave.lane(register, lane))
        .collect()
}
