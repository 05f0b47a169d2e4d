//! What a handler works on: one wave, its workgroup's LDS and the memory.

pub use crate::barrier::Barrier;
use crate::dispatch::{apertures, memory_generation};
use crate::error::{Stop, WaveFault};
use crate::program::{Op, Src, Step};
use crate::stats::Stats;
use crate::trap::Traps;
use crate::wave::{Wave, sreg};
use std::sync::Arc;
use std::time::Instant;
use waveglass_isa::Target;
use waveglass_mem::{Apertures, Gds, GlobalMemory, Lds, Port, Space};

/// One wave on its way through a program.
pub struct Machine<'a> {
    /// The wave.
    pub wave: &'a mut Wave,
    /// The workgroup's LDS.
    pub lds: &'a mut Lds,
    /// The workgroup's barriers.
    pub barrier: &'a mut Barrier,
    /// Global memory.
    pub memory: &'a GlobalMemory,
    /// The wave's view of memory: rules, faults, region hints.
    pub port: &'a mut Port,
    /// What the dispatch fixes for all waves.
    pub env: &'a Env,
    /// Counters.
    pub stats: &'a mut Stats,
}

/// What a dispatch fixes for all its waves.
#[derive(Clone, Debug)]
pub struct Env {
    /// Where the LDS and scratch apertures lie; each wave has its own copy of the address mode:
    /// see [`Machine::apertures`].
    pub apertures: Apertures,
    /// LDS bytes of a workgroup.
    pub lds_size: u32,
    /// Waves in a full workgroup.
    pub waves_per_group: u32,
    /// Whether a memory violation ends the run.
    pub stop_on_fault: bool,
    /// Memory violations of each instruction that one wave keeps with their details.
    pub fault_limit: usize,
    /// The device's global data share and global wave sync.
    pub gds: Arc<Gds>,
    /// What happens at traps.
    pub traps: Traps,
    /// When the run's time is up, for instructions whose work has no bound.
    pub deadline: Option<Instant>,
    /// Whether waves have ordered ids ([`Setup::ordered_append`](crate::Setup::ordered_append)).
    pub ordered_append: bool,
}

impl Env {
    /// That of a wave alone in its workgroup, with `lds_size` bytes of LDS; its target's settings are the
    /// usual ones.
    pub fn alone(target: Target, lds_size: u32) -> Self {
        Self {
            apertures: apertures(target),
            lds_size,
            waves_per_group: 1,
            stop_on_fault: false,
            fault_limit: 64,
            gds: Arc::new(Gds::new(memory_generation(target))),
            traps: Traps::default(),
            deadline: None,
            ordered_append: false,
        }
    }
}

impl Machine<'_> {
    /// Where the apertures lie in the wave's address mode.
    #[inline(always)]
    pub fn apertures(&self) -> Apertures {
        Apertures {
            ptr32: self.wave.ptr32,
            ..self.env.apertures
        }
    }

    /// The low 32 bits of a scalar source.
    #[inline]
    pub fn s32(&self, s: Src) -> u32 {
        match s {
            Src::Sgpr(i) => self.wave.sgpr[i as usize & 127],
            other => self.s64(other) as u32,
        }
    }

    /// A scalar source as 64 bits.
    pub fn s64(&self, s: Src) -> u64 {
        match s {
            Src::None => 0,
            Src::Sgpr(i) => self.wave.s64(i as usize),
            Src::Const(c) => c,
            Src::Scc => self.wave.scc as u64,
            Src::Vccz => (self.wave.vcc() == 0) as u64,
            Src::Execz => (self.wave.exec() == 0) as u64,
            Src::Aperture(0) => self.apertures().shared_base(),
            Src::Aperture(1) => self.apertures().shared_limit(),
            Src::Aperture(2) => self.apertures().private_base(),
            Src::Aperture(_) => self.apertures().private_limit(),
            Src::FlatScratchBase(half) => {
                self.apertures().flat_scratch_base(self.wave.scratch_base) >> (32 * half as u32)
            }
            Src::LdsDirect => self.lds_direct() as u64,
            // A vector register as a scalar source: the first active lane (SMEM and SALU have
            // none; v_readfirstlane has a handler of its own).
            Src::Vgpr(r) => self.wave.lane(r as usize, self.first_lane()) as u64,
        }
    }

    /// The value in LDS that M0 points to: its address in bits 15:0, its type in 18:16 (Vega ISA
    /// 10.3.1). Past the workgroup's LDS there are zeros.
    pub(crate) fn lds_direct(&self) -> u32 {
        let (m0, bytes) = (self.m0(), self.lds.bytes());
        let byte = |k: usize| {
            let at = (m0 & 0xffff) as usize + k;
            bytes.get(at).copied().unwrap_or(0)
        };
        let short = u16::from_le_bytes([byte(0), byte(1)]);
        match m0 >> 16 & 7 {
            0 => byte(0) as u32,
            1 => short as u32,
            4 => byte(0) as i8 as i32 as u32,
            5 => short as i16 as i32 as u32,
            _ => short as u32 | (u16::from_le_bytes([byte(2), byte(3)]) as u32) << 16,
        }
    }

    /// A lane mask source: as wide as the wave.
    pub fn mask(&self, s: Src) -> u64 {
        match s {
            Src::Sgpr(i) => self.wave.mask(i as usize),
            other => self.s64(other) & self.wave.full_mask(),
        }
    }

    /// The first active lane, 0 when there is none (as `v_readfirstlane_b32` takes it).
    pub fn first_lane(&self) -> usize {
        match self.wave.exec() {
            0 => 0,
            e => e.trailing_zeros() as usize,
        }
    }

    /// Writes a 32-bit scalar result.
    #[inline]
    pub fn set_s32(&mut self, d: u32, v: u32) {
        self.wave.set_s32(d as usize, v);
    }

    /// Writes a 64-bit scalar result.
    #[inline]
    pub fn set_s64(&mut self, d: u32, v: u64) {
        self.wave.set_s64(d as usize, v);
    }

    /// M0.
    pub fn m0(&self) -> u32 {
        self.wave.sgpr[sreg::M0]
    }

    /// A clock: the instructions that this wave has executed, this one included.
    ///
    /// [`Wave::steps`] is brought up to date only when a wave's turn ends; what was executed since
    /// is the difference between the counters by family and the total, which is brought up to date
    /// at the same time.
    pub fn clock(&self) -> u64 {
        let executed: u64 = self.stats.by_family.iter().sum();
        self.wave.steps + executed.wrapping_sub(self.stats.instructions)
    }

    /// Ends an access that has met faults: they are kept with the instruction, MEM_VIOL is set,
    /// and the run stops if it is to stop at one, or the wave traps.
    #[cold]
    #[inline(never)]
    pub fn violation(&mut self, op: &Op) -> Step {
        let clock = self.clock();
        let w = &mut *self.wave;
        // MEM_VIOL: TRAPSTS bit 8 (Vega ISA 3.10.1, RDNA 3 ISA 3.4.9), EXCP_FLAG_PRIV bit 4 from gfx12
        // on (RDNA 4 ISA 3.4.10).
        let bit = if w.target.major() >= 12 { 4 } else { 8 };
        // "Memory violations are not reported for instruction or scalar-data accesses" (Vega, CDNA 3, RDNA 1
        // and RDNA 2 ISA 3.11): the program does not learn of them, whoever runs it does.
        let scalar = self.port.faults.iter().all(|f| f.space == Space::Scalar);
        let told = w.target.major() > 10 || !scalar;
        if told && w.trapsts >> bit & 1 == 0 {
            w.first_violation = match self.port.faults.first().map(|f| f.space) {
                Some(Space::Scalar) => 1,
                Some(Space::Lds) => 2,
                _ => 3,
            };
        }
        w.trapsts |= u32::from(told) << bit;
        for fault in self.port.faults.drain(..) {
            w.fault_count += 1;
            let before = w
                .fault_sites
                .record(op, w.group, w.id_in_group, clock, &fault);
            if before < self.env.fault_limit as u64 {
                w.faults.push(WaveFault {
                    fault,
                    address: op.address,
                    mnemonic: op.mnemonic(),
                    group: w.group,
                    wave: w.id_in_group,
                });
            }
        }
        if self.env.stop_on_fault {
            Step::Stop(Stop::Fault)
        } else if told {
            self.memory_trap(op)
        } else {
            Step::Next
        }
    }

    /// Stops: this op is not implemented.
    pub fn refuse(&self, op: &Op, why: &'static str) -> Step {
        Step::Stop(Stop::Refused {
            address: op.address,
            why,
        })
    }
}
