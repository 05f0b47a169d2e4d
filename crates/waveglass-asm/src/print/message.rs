//! Immediates of scalar instructions: messages, hardware registers, wait counts, delays.

use super::Printer;
use waveglass_isa::Target;

/// Message names by number before gfx11 (Vega ISA 12.5, S_SENDMSG).
pub(crate) const MESSAGES_GFX9: [&str; 12] = [
    "",
    "MSG_INTERRUPT",
    "MSG_GS",
    "MSG_GS_DONE",
    "MSG_SAVEWAVE",
    "MSG_STALL_WAVE_GEN",
    "MSG_HALT_WAVES",
    "MSG_ORDERED_PS_DONE",
    "MSG_EARLY_PRIM_DEALLOC",
    "MSG_GS_ALLOC_REQ",
    "MSG_GET_DOORBELL",
    "MSG_GET_DDID",
];

/// Operations of the geometry messages.
pub(crate) const GS_OPERATIONS: [&str; 4] =
    ["GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"];

/// Operations of the system message.
pub(crate) const SYSTEM_OPERATIONS: [&str; 5] = [
    "",
    "SYSMSG_OP_ECC_ERR_INTERRUPT",
    "SYSMSG_OP_REG_RD",
    "",
    "SYSMSG_OP_TTRACE_PC",
];

/// Messages that return a value, from number 128 (RDNA4 ISA 5.4).
const RETURNING: [&str; 9] = [
    "MSG_RTN_GET_DOORBELL",
    "MSG_RTN_GET_DDID",
    "MSG_RTN_GET_TMA",
    "MSG_RTN_GET_REALTIME",
    "MSG_RTN_SAVE_WAVE",
    "MSG_RTN_GET_TBA",
    "MSG_RTN_GET_TBA_TO_PC",
    "MSG_RTN_GET_SE_AID_ID",
    "MSG_RTN_GET_CLUSTER_BARRIER_STATE",
];

/// The message's name on gfx11 and later; empty where there is none.
pub(crate) fn message_gfx11(target: Target, id: u64) -> &'static str {
    let gfx12 = target.major() >= 12;
    match id {
        1 => "MSG_INTERRUPT",
        2 => "MSG_HS_TESSFACTOR",
        3 => "MSG_DEALLOC_VGPRS",
        5 if !gfx12 => "MSG_STALL_WAVE_GEN",
        6 if !gfx12 => "MSG_HALT_WAVES",
        9 => "MSG_GS_ALLOC_REQ",
        10 if target.has_gfx1250_insts() => "MSG_SAVEWAVE_HAS_TDM",
        135 if !gfx12 => "",
        136 if !target.has_gfx1250_insts() => "",
        128..=136 => RETURNING[(id - 128) as usize],
        _ => "",
    }
}

/// Hardware registers of gfx9 to gfx11 that every one of them has, by number.
const REGISTERS: [&str; 16] = [
    "",
    "MODE",
    "STATUS",
    "TRAPSTS",
    "",
    "GPR_ALLOC",
    "LDS_ALLOC",
    "IB_STS",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "SH_MEM_BASES",
];

/// Hardware registers of gfx12 (RDNA4 ISA 3.4, CDNA5 ISA 3.4), by number.
const REGISTERS_GFX12: [&str; 35] = [
    "",
    "WAVE_MODE",
    "WAVE_STATUS",
    "",
    "WAVE_STATE_PRIV",
    "WAVE_GPR_ALLOC",
    "WAVE_LDS_ALLOC",
    "IB_STS",
    "",
    "",
    "PERF_SNAPSHOT_DATA",
    "PERF_SNAPSHOT_PC_LO",
    "PERF_SNAPSHOT_PC_HI",
    "",
    "",
    "PERF_SNAPSHOT_DATA1",
    "PERF_SNAPSHOT_DATA2",
    "WAVE_EXCP_FLAG_PRIV",
    "WAVE_EXCP_FLAG_USER",
    "WAVE_TRAP_CTRL",
    "WAVE_SCRATCH_BASE_LO",
    "WAVE_SCRATCH_BASE_HI",
    "",
    "WAVE_HW_ID1",
    "WAVE_HW_ID2",
    "",
    "WAVE_SCHED_MODE",
    "",
    "IB_STS2",
    "SHADER_CYCLES_LO",
    "SHADER_CYCLES_HI",
    "WAVE_DVGPR_ALLOC_LO",
    "WAVE_DVGPR_ALLOC_HI",
    "XNACK_STATE_PRIV",
    "XNACK_MASK",
];

/// The hardware register's name without `HW_REG_`; empty where there is none.
pub(crate) fn hardware_register(target: Target, id: u64) -> &'static str {
    let major = target.major();
    if major >= 12 {
        return match id {
            28 | 33 | 34 if !target.has_gfx1250_insts() => "",
            _ => REGISTERS_GFX12.get(id as usize).copied().unwrap_or(""),
        };
    }
    let name = REGISTERS.get(id as usize).copied().unwrap_or("");
    if !name.is_empty() {
        return name;
    }
    let snapshots = matches!(target, Target::Gfx942 | Target::Gfx950);
    match (id, major) {
        (4, 9) => "HW_ID",
        (16, 9 | 10) => "TBA_LO",
        (17, 9 | 10) => "TBA_HI",
        (18, 9 | 10) => "TMA_LO",
        (19, 9 | 10) => "TMA_HI",
        (18, 11) => "PERF_SNAPSHOT_PC_LO",
        (19, 11) => "PERF_SNAPSHOT_PC_HI",
        (20, 10 | 11) => "FLAT_SCR_LO",
        (21, 10 | 11) => "FLAT_SCR_HI",
        (22, 10) if target == Target::Gfx1010 => "XNACK_MASK",
        (23, 10 | 11) => "HW_ID1",
        (24, 10 | 11) => "HW_ID2",
        (25, 10) => "POPS_PACKER",
        (27, 11) => "PERF_SNAPSHOT_DATA",
        (29, 10 | 11) if target != Target::Gfx1010 => "SHADER_CYCLES",
        (20, 9) if snapshots => "XCC_ID",
        (21, 9) if snapshots => "SQ_PERF_SNAPSHOT_DATA",
        (22, 9) if snapshots => "SQ_PERF_SNAPSHOT_DATA1",
        (23, 9) if snapshots => "SQ_PERF_SNAPSHOT_PC_LO",
        (24, 9) if snapshots => "SQ_PERF_SNAPSHOT_PC_HI",
        _ => "",
    }
}

/// Counters of S_WAITCNT_DEPCTR: name, first bit, most.
pub(crate) const DEPENDENCY_FIELDS: [(&str, u32, u64); 7] = [
    ("depctr_hold_cnt(", 7, 1),
    ("depctr_sa_sdst(", 0, 1),
    ("depctr_va_vdst(", 12, 15),
    ("depctr_va_sdst(", 9, 7),
    ("depctr_va_ssrc(", 8, 1),
    ("depctr_va_vcc(", 1, 1),
    ("depctr_vm_vsrc(", 2, 7),
];

/// What S_DELAY_ALU waits for.
pub(crate) const DELAYS: [&str; 12] = [
    "NO_DEP",
    "VALU_DEP_1",
    "VALU_DEP_2",
    "VALU_DEP_3",
    "VALU_DEP_4",
    "TRANS32_DEP_1",
    "TRANS32_DEP_2",
    "TRANS32_DEP_3",
    "FMA_ACCUM_CYCLE_1",
    "SALU_CYCLE_1",
    "SALU_CYCLE_2",
    "SALU_CYCLE_3",
];

/// How many instructions S_DELAY_ALU skips.
pub(crate) const DELAY_SKIPS: [&str; 6] = ["SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"];

impl Printer<'_> {
    /// `sendmsg(…)`.
    pub(super) fn message(&mut self, imm: u64) {
        let target = self.inst.target();
        if target.major() >= 11 {
            let name = message_gfx11(target, imm & 0xff);
            if !name.is_empty() {
                self.out.push_str("sendmsg(");
                self.out.push_str(name);
                self.out.push(')');
            } else if imm < 256 {
                self.numbered_message(imm, 0, 0);
            } else {
                self.integer(imm as i64);
            }
            return;
        }
        let (id, operation, stream) = (imm & 15, imm >> 4 & 7, imm >> 8 & 3);
        let name = match id {
            15 => "MSG_SYSMSG",
            11 if target.is_gfx9() => "",
            _ => MESSAGES_GFX9.get(id as usize).copied().unwrap_or(""),
        };
        let operation_name = match id {
            15 => SYSTEM_OPERATIONS.get(operation as usize).copied(),
            3 => GS_OPERATIONS.get(operation as usize).copied(),
            2 if operation != 0 => GS_OPERATIONS.get(operation as usize).copied(),
            2 => None,
            _ => None,
        };
        let takes_stream = matches!(id, 2 | 3) && operation != 0;
        let takes_operation = matches!(id, 2 | 3 | 15);
        let valid = !name.is_empty()
            && (stream == 0 || takes_stream)
            && if takes_operation {
                operation_name.is_some_and(|n| !n.is_empty())
            } else {
                operation == 0
            };
        if valid {
            self.out.push_str("sendmsg(");
            self.out.push_str(name);
            if let Some(o) = operation_name {
                self.out.push_str(", ");
                self.out.push_str(o);
            }
            if takes_stream {
                self.out.push_str(", ");
                self.integer(stream as i64);
            }
            self.out.push(')');
        } else if imm == id | operation << 4 | stream << 8 {
            self.numbered_message(id, operation, stream);
        } else {
            self.integer(imm as i64);
        }
    }

    fn numbered_message(&mut self, id: u64, operation: u64, stream: u64) {
        self.out.push_str("sendmsg(");
        self.integer(id as i64);
        self.out.push_str(", ");
        self.integer(operation as i64);
        self.out.push_str(", ");
        self.integer(stream as i64);
        self.out.push(')');
    }

    /// `hwreg(…)`: register, first bit and width.
    pub(super) fn hardware_register(&mut self, imm: u64) {
        let (id, first, width) = (imm & 63, imm >> 6 & 31, (imm >> 11 & 31) + 1);
        self.out.push_str("hwreg(");
        let name = hardware_register(self.inst.target(), id);
        if name.is_empty() {
            self.integer(id as i64);
        } else {
            self.out.push_str("HW_REG_");
            self.out.push_str(name);
        }
        if first != 0 || width != 32 {
            self.out.push_str(", ");
            self.integer(first as i64);
            self.out.push_str(", ");
            self.integer(width as i64);
        }
        self.out.push(')');
    }

    /// The counters of S_WAITCNT; those at their maximum wait for nothing and are left out,
    /// unless all are.
    pub(super) fn wait_counts(&mut self, imm: u64) {
        let (vm, exp, lgkm, lgkm_max) = match self.inst.target().major() {
            9 => (imm & 15 | imm >> 14 << 4, imm >> 4 & 7, imm >> 8 & 15, 15),
            10 => (imm & 15 | imm >> 14 << 4, imm >> 4 & 7, imm >> 8 & 63, 63),
            _ => (imm >> 10 & 63, imm & 7, imm >> 4 & 63, 63),
        };
        let all = vm == 63 && exp == 7 && lgkm == lgkm_max;
        let mut between = false;
        for (name, value, max) in [
            ("vmcnt(", vm, 63),
            ("expcnt(", exp, 7),
            ("lgkmcnt(", lgkm, lgkm_max),
        ] {
            if value != max || all {
                self.counter(name, value, &mut between);
            }
        }
    }

    fn counter(&mut self, name: &str, value: u64, between: &mut bool) {
        if *between {
            self.out.push(' ');
        }
        *between = true;
        self.out.push_str(name);
        self.integer(value as i64);
        self.out.push(')');
    }

    /// The counters of S_WAITCNT_DEPCTR and S_WAIT_ALU.
    pub(super) fn dependency_counters(&mut self, imm: u64) {
        const FIELDS: [(&str, u32, u64); 7] = DEPENDENCY_FIELDS;
        let fields = if self.inst.target() == Target::Gfx1010 {
            &FIELDS[1..]
        } else {
            &FIELDS[..]
        };
        let used = fields
            .iter()
            .fold(0, |all, &(_, shift, max)| all | max << shift);
        if imm & !used != 0 {
            return self.hex(imm);
        }
        let all = imm == used;
        let mut between = false;
        for &(name, shift, max) in fields {
            let value = imm >> shift & max;
            if value != max || all {
                self.counter(name, value, &mut between);
            }
        }
    }

    /// The parts of S_DELAY_ALU.
    pub(super) fn delays(&mut self, imm: u64) {
        let mut any = false;
        for (part, names, value, unknown) in [
            (
                "instid0(",
                &DELAYS[..],
                imm & 15,
                "/* invalid instid value */",
            ),
            (
                "instskip(",
                &DELAY_SKIPS[..],
                imm >> 4 & 7,
                "/* invalid instskip value */",
            ),
            (
                "instid1(",
                &DELAYS[..],
                imm >> 7 & 15,
                "/* invalid instid value */",
            ),
        ] {
            if value == 0 {
                continue;
            }
            if any {
                self.out.push_str(" | ");
            }
            any = true;
            self.out.push_str(part);
            self.out
                .push_str(names.get(value as usize).copied().unwrap_or(unknown));
            self.out.push(')');
        }
        if !any {
            self.out.push('0');
        }
    }

    /// The mode of S_SET_GPR_IDX_ON and S_SET_GPR_IDX_MODE.
    pub(super) fn index_mode(&mut self, imm: u64) {
        const MODES: [&str; 4] = ["SRC0", "SRC1", "SRC2", "DST"];
        if imm > 15 {
            return self.hex(imm);
        }
        self.out.push_str("gpr_idx(");
        let mut any = false;
        for (n, mode) in MODES.iter().enumerate() {
            if imm >> n & 1 != 0 {
                if any {
                    self.out.push(',');
                }
                any = true;
                self.out.push_str(mode);
            }
        }
        self.out.push(')');
    }

    /// The operand of S_VERSION: a generation and flags (RDNA1 ISA 12.2, S_VERSION).
    pub(super) fn version(&mut self, imm: u64) {
        const FLAGS: [&str; 3] = [
            "|UC_VERSION_W64_BIT",
            "|UC_VERSION_W32_BIT",
            "|UC_VERSION_MDP_BIT",
        ];
        if imm & 0x1f00 != 0 {
            return self.small_or_hex(imm);
        }
        let flags = imm >> 13;
        for _ in 1..flags.count_ones() {
            self.out.push('(');
        }
        match imm & 0xff {
            0 => self.out.push_str("UC_VERSION_GFX7"),
            4 => self.out.push_str("UC_VERSION_GFX10"),
            6 => self.out.push_str("UC_VERSION_GFX11"),
            9 => self.out.push_str("UC_VERSION_GFX12"),
            v => self.integer(v as i64),
        }
        let mut left = flags.count_ones();
        for (n, flag) in FLAGS.iter().enumerate() {
            if flags >> n & 1 != 0 {
                self.out.push_str(flag);
                left -= 1;
                if left > 0 {
                    self.out.push(')');
                }
            }
        }
    }

    /// The target of an export, with the space before it.
    pub(super) fn export_target(&mut self, id: u64) {
        let target = self.inst.target();
        let gfx10 = target.major() >= 10;
        let gfx11 = target.major() >= 11;
        let (name, index) = match id {
            0..8 => (" mrt", Some(id)),
            8 => (" mrtz", None),
            9 if !gfx11 => (" null", None),
            12..16 => (" pos", Some(id - 12)),
            16 if gfx10 => (" pos", Some(4)),
            20 if gfx10 => (" prim", None),
            21 | 22 if gfx11 => (" dual_src_blend", Some(id - 21)),
            32..64 if !gfx11 => (" param", Some(id - 32)),
            _ => (" invalid_target_", Some(id)),
        };
        self.out.push_str(name);
        if let Some(index) = index {
            self.integer(index as i64);
        }
    }
}
