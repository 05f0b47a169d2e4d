//! The state of one wave.

use crate::barrier::BarrierState;
use crate::error::WaveFault;
use crate::faults::FaultSites;
use crate::rows::Rows;
use crate::trap::Exceptions;
use waveglass_isa::Target;

pub use crate::rows::ROW_LANES;

/// Positions of scalar registers in [`Wave::sgpr`], by their number as an operand.
pub mod sreg {
    /// `flat_scratch_lo` on gfx9.
    pub const FLAT_SCRATCH_LO: usize = 102;
    /// `xnack_mask_lo` on gfx9.
    pub const XNACK_MASK_LO: usize = 104;
    /// `vcc_lo`.
    pub const VCC_LO: usize = 106;
    /// `vcc_hi`.
    pub const VCC_HI: usize = 107;
    /// `ttmp0`.
    pub const TTMP0: usize = 108;
    /// `m0`, wherever the target's encoding has it.
    pub const M0: usize = 124;
    /// A place that writes to `null` go to and that reads as zero.
    pub const NULL: usize = 125;
    /// `exec_lo`.
    pub const EXEC_LO: usize = 126;
    /// `exec_hi`.
    pub const EXEC_HI: usize = 127;

    /// The name of the register with this number.
    pub fn name(register: usize) -> String {
        match register {
            VCC_LO => "vcc_lo".to_owned(),
            VCC_HI => "vcc_hi".to_owned(),
            TTMP0..M0 => format!("ttmp{}", register - TTMP0),
            M0 => "m0".to_owned(),
            NULL => "null".to_owned(),
            EXEC_LO => "exec_lo".to_owned(),
            EXEC_HI => "exec_hi".to_owned(),
            _ => format!("s{register}"),
        }
    }
}

/// The fields of MODE that change arithmetic (each generation's "MODE register" table).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode(pub u32);

impl Mode {
    /// f32 rounding: 0 to nearest even, 1 up, 2 down, 3 toward zero.
    pub fn round_f32(self) -> u32 {
        self.0 & 3
    }

    /// f16 and f64 rounding.
    pub fn round_f16_f64(self) -> u32 {
        self.0 >> 2 & 3
    }

    /// Whether f32 inputs keep their denormals.
    pub fn denorm_f32_in(self) -> bool {
        self.0 >> 4 & 1 != 0
    }

    /// Whether f32 results keep their denormals.
    pub fn denorm_f32_out(self) -> bool {
        self.0 >> 5 & 1 != 0
    }

    /// Whether f16 and f64 inputs keep their denormals.
    pub fn denorm_f16_f64_in(self) -> bool {
        self.0 >> 6 & 1 != 0
    }

    /// Whether f16 and f64 results keep their denormals.
    pub fn denorm_f16_f64_out(self) -> bool {
        self.0 >> 7 & 1 != 0
    }

    /// DX10_CLAMP: clamp turns NaN into zero (gone on gfx12).
    pub fn dx10_clamp(self) -> bool {
        self.0 >> 8 & 1 != 0
    }

    /// IEEE: signalling NaNs are quieted (gone on gfx12).
    pub fn ieee(self) -> bool {
        self.0 >> 9 & 1 != 0
    }

    /// FP16_OVFL: results that overflow in half precision or an 8-bit float become the largest
    /// number.
    pub fn fp16_ovfl(self) -> bool {
        self.0 >> 23 & 1 != 0
    }

    /// GPR_IDX_EN: M0 moves register numbers of vector operations (gfx9).
    pub fn gpr_index(self) -> bool {
        self.0 & Self::GPR_IDX_EN != 0
    }

    /// The bit of GPR_IDX_EN.
    pub const GPR_IDX_EN: u32 = 1 << 27;

    /// The bit of VSKIP (gfx9): vector instructions are skipped.
    pub const VSKIP: u32 = 1 << 28;

    /// Whether arithmetic is in the mode that the lane kernels are written for: round to nearest
    /// even, all denormals kept, overflows of half precision infinite.
    pub fn is_default(self) -> bool {
        self.0 & 0x80_00ff == 0xf0
    }

    /// The same but for denormals of f32, which are flushed in sources and results.
    pub fn only_flushes_f32(self) -> bool {
        self.0 & 0x80_00ff == 0xc0
    }
}

/// One wave: its registers and where it stands.
#[derive(Clone, Debug)]
pub struct Wave {
    /// The target whose rules hold.
    pub target: Target,
    /// Rows a vector register: 1 for wave32, 2 for wave64.
    pub rows: usize,
    /// Vector registers, accumulation registers and the executor's temporaries, row after row.
    pub vgpr: Rows,
    /// How many vector registers the wave was given (AGPRs not counted).
    pub vgpr_count: usize,
    /// The register number at which AGPR 0 lies in `vgpr`.
    pub agpr_base: usize,
    /// How many AGPRs there are.
    pub agpr_count: usize,
    /// The register number of the first temporary.
    pub temp_base: usize,
    /// Scalar registers by operand number; see [`sreg`]. EXEC and M0 live here too.
    pub sgpr: [u32; 128],
    /// SCC.
    pub scc: bool,
    /// MODE.
    pub mode: Mode,
    /// TRAPSTS up to gfx11, EXCP_FLAG_PRIV from gfx12 on.
    pub trapsts: u32,
    /// EXCP_FLAG_USER (gfx12): the exceptions of arithmetic, which TRAPSTS has on older targets.
    pub excp_flag_user: u32,
    /// TRAP_CTRL (gfx12): which exceptions trap, which MODE says on older targets.
    pub trap_ctrl: u32,
    /// Where the first memory violation came from (EXCP_FLAG_PRIV bits 31:30 of gfx12): 1 scalar memory,
    /// 2 LDS, 3 vector memory.
    pub first_violation: u32,
    /// STATUS.PRIV: the wave is in the trap handler.
    pub privileged: bool,
    /// STATUS.HALT, which acts once the wave leaves the trap handler.
    pub halt: bool,
    /// What the trap handler has put into bits of STATUS that nothing else changes, at their places: the
    /// system's priority, COND_DBG_USER and COND_DBG_SYS (up to gfx11).
    pub status: u32,
    /// Exceptions that the operation which runs has raised.
    pub(crate) raising: Exceptions,
    /// A memory violation that is to trap before the next instruction.
    pub(crate) trap_pending: bool,
    /// The instruction that has ended last traps by itself: the wave goes step by step.
    pub(crate) stepped: bool,
    /// Where scratch memory of this wave starts (a global address).
    pub scratch_base: u64,
    /// Scratch bytes a lane.
    pub scratch_size: u32,
    /// The wave's own copy of the address mode, PTR32: flat addresses have 32 bits (Vega ISA 9.3).
    pub ptr32: bool,
    /// The priority that the program set (`s_setprio`).
    pub priority: u8,
    /// Position in the workgroup.
    pub id_in_group: u32,
    /// The workgroup's id.
    pub group: [u32; 3],
    /// The wave's number in the order of the launch, where waves have ordered ids.
    pub ordered_id: u64,
    /// The next operation.
    pub ip: u32,
    /// Instructions executed.
    pub steps: u64,
    /// Where the wave stands with its workgroup's barriers.
    pub barriers: BarrierState,
    /// Memory violations that were not collected yet, the first of each instruction.
    pub faults: Vec<WaveFault>,
    /// All of them, by instruction.
    pub fault_sites: FaultSites,
    /// How many there were since they were counted last.
    pub fault_count: u64,
    /// The VGPR MSBs of gfx1250, as `s_set_vgpr_msb` has them.
    pub vgpr_msb: u8,
}

/// Temporaries kept behind the registers: five operands of up to 32 dwords each would be needed
/// by matrix operations alone; vector operations use four of two dwords.
pub const TEMPS: usize = 16;

impl Wave {
    /// A wave with all registers zero.
    pub fn new(target: Target, wave_size: u32, vgprs: usize, agprs: usize) -> Self {
        let rows = (wave_size as usize / ROW_LANES).max(1);
        let agpr_base = vgprs;
        let temp_base = vgprs + agprs;
        Self {
            target,
            rows,
            vgpr: Rows::new((temp_base + TEMPS) * rows),
            vgpr_count: vgprs,
            agpr_base,
            agpr_count: agprs,
            temp_base,
            sgpr: [0; 128],
            scc: false,
            mode: Mode(0xf0),
            trapsts: 0,
            excp_flag_user: 0,
            trap_ctrl: 0,
            first_violation: 0,
            privileged: false,
            halt: false,
            status: 0,
            raising: Exceptions::NONE,
            trap_pending: false,
            stepped: false,
            scratch_base: 0,
            scratch_size: 0,
            ptr32: false,
            priority: 0,
            id_in_group: 0,
            group: [0; 3],
            ordered_id: 0,
            ip: 0,
            steps: 0,
            barriers: BarrierState::default(),
            faults: Vec::new(),
            fault_sites: FaultSites::default(),
            fault_count: 0,
            vgpr_msb: 0,
        }
    }

    /// Makes the wave what [`Wave::new`] gave, but for what temporaries hold: every operation writes
    /// those that it reads.
    pub(crate) fn restart(&mut self) {
        // Named one by one, so that a field that is added cannot be forgotten here.
        let Self {
            target: _,
            rows,
            vgpr,
            vgpr_count: _,
            agpr_base: _,
            agpr_count: _,
            temp_base,
            sgpr,
            scc,
            mode,
            trapsts,
            excp_flag_user,
            trap_ctrl,
            first_violation,
            privileged,
            halt,
            status,
            raising,
            trap_pending,
            stepped,
            scratch_base,
            scratch_size,
            ptr32,
            id_in_group,
            group,
            ordered_id,
            ip,
            steps,
            priority,
            barriers,
            faults,
            fault_sites,
            fault_count,
            vgpr_msb,
        } = self;
        vgpr[..*temp_base * *rows].fill([0; ROW_LANES]);
        *sgpr = [0; 128];
        *scc = false;
        *mode = Mode(0xf0);
        (*scratch_base, *scratch_size, *ptr32) = (0, 0, false);
        (*id_in_group, *group, *ordered_id) = (0, [0; 3], 0);
        (*ip, *steps, *priority) = (0, 0, 0);
        *barriers = BarrierState::default();
        (*trapsts, *fault_count, *vgpr_msb) = (0, 0, 0);
        (*excp_flag_user, *trap_ctrl, *first_violation) = (0, 0, 0);
        (*privileged, *halt, *status) = (false, false, 0);
        (*trap_pending, *stepped) = (false, false);
        *raising = Exceptions::NONE;
        faults.clear();
        fault_sites.clear();
    }

    /// Lanes in the wave.
    #[inline]
    pub fn lanes(&self) -> usize {
        self.rows * ROW_LANES
    }

    /// All lanes' bits set.
    #[inline]
    pub fn full_mask(&self) -> u64 {
        if self.rows == 2 {
            u64::MAX
        } else {
            u32::MAX as u64
        }
    }

    /// EXEC.
    #[inline]
    pub fn exec(&self) -> u64 {
        self.mask(sreg::EXEC_LO)
    }

    /// Whether every lane is on.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.sgpr[sreg::EXEC_LO] == u32::MAX
            && (self.rows == 1 || self.sgpr[sreg::EXEC_HI] == u32::MAX)
    }

    /// Sets EXEC; a wave32 keeps the high half.
    #[inline]
    pub fn set_exec(&mut self, v: u64) {
        self.set_mask(sreg::EXEC_LO, v);
    }

    /// VCC.
    #[inline]
    pub fn vcc(&self) -> u64 {
        self.mask(sreg::VCC_LO)
    }

    /// A lane mask in scalar registers: one register of a wave32, two of a wave64.
    #[inline]
    pub fn mask(&self, index: usize) -> u64 {
        let lo = self.sgpr[index & 127] as u64;
        if self.rows == 2 {
            lo | (self.sgpr[(index + 1) & 127] as u64) << 32
        } else {
            lo
        }
    }

    /// Writes a lane mask.
    #[inline]
    pub fn set_mask(&mut self, index: usize, v: u64) {
        if index == sreg::NULL {
            return;
        }
        self.sgpr[index & 127] = v as u32;
        if self.rows == 2 {
            self.sgpr[(index + 1) & 127] = (v >> 32) as u32;
        }
    }

    /// A 64-bit scalar register pair.
    #[inline]
    pub fn s64(&self, index: usize) -> u64 {
        if index == sreg::NULL {
            return 0;
        }
        self.sgpr[index & 127] as u64 | (self.sgpr[(index + 1) & 127] as u64) << 32
    }

    /// Writes a 64-bit scalar register pair.
    #[inline]
    pub fn set_s64(&mut self, index: usize, v: u64) {
        if index == sreg::NULL {
            return;
        }
        self.sgpr[index & 127] = v as u32;
        self.sgpr[(index + 1) & 127] = (v >> 32) as u32;
    }

    /// Writes a scalar register.
    #[inline]
    pub fn set_s32(&mut self, index: usize, v: u32) {
        if index != sreg::NULL {
            self.sgpr[index & 127] = v;
        }
    }

    /// The registers as one run of lanes: register `r` starts at `r * lanes()`.
    #[inline]
    pub fn lanes_flat(&mut self) -> &mut [u32] {
        self.vgpr.as_flattened_mut()
    }

    /// One lane of a register.
    pub fn lane(&self, register: usize, lane: usize) -> u32 {
        self.vgpr
            .get(register * self.rows + lane / ROW_LANES)
            .map_or(0, |row| row[lane % ROW_LANES])
    }

    /// Writes one lane of a register.
    pub fn set_lane(&mut self, register: usize, lane: usize, v: u32) {
        if let Some(row) = self.vgpr.get_mut(register * self.rows + lane / ROW_LANES) {
            row[lane % ROW_LANES] = v;
        }
    }
}
