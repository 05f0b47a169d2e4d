//! Branches, calls, barriers, waits and the other control operations of SOP1, SOPK and SOPP.

use super::super::{NEXT, Registry, Semantics};
use super::{scalar, usual};
use crate::error::Stop;
use crate::program::{Op, Step};
use waveglass_isa::Field;

/// Operations that change nothing which a program can observe here: the plain run completes every
/// memory operation at once, so waits are over when they begin; hints and counters for tools have
/// no effect on results.
const NO_EFFECT: &[&str] = &[
    "s_nop",
    "s_waitcnt",
    "s_waitcnt_vscnt",
    "s_waitcnt_vmcnt",
    "s_waitcnt_expcnt",
    "s_waitcnt_lgkmcnt",
    "s_waitcnt_depctr",
    "s_wait_alu",
    "s_wait_asynccnt",
    "s_wait_bvhcnt",
    "s_wait_dscnt",
    "s_wait_expcnt",
    "s_wait_idle",
    "s_wait_kmcnt",
    "s_wait_loadcnt",
    "s_wait_loadcnt_dscnt",
    "s_wait_samplecnt",
    "s_wait_storecnt",
    "s_wait_storecnt_dscnt",
    "s_wait_tensorcnt",
    "s_wait_xcnt",
    "s_wait_event",
    "s_delay_alu",
    "s_clause",
    "s_inst_prefetch",
    "s_set_inst_prefetch_distance",
    "s_setprio_inc_wg",
    "s_icache_inv",
    "s_ttracedata",
    "s_ttracedata_imm",
    "s_incperflevel",
    "s_decperflevel",
    "s_wakeup",
    "s_wakeup_barrier",
    "s_version",
];

/// STATUS.COND_DBG_USER and STATUS.COND_DBG_SYS.
const USER: u32 = 1 << 20;
const SYSTEM: u32 = 1 << 21;

fn branch_if(op: &Op, taken: bool) -> Step {
    if taken { branch(op) } else { NEXT }
}

pub(super) fn branch(op: &Op) -> Step {
    if op.target == u32::MAX {
        let offset = op
            .inst
            .map_or(0, |i| i.field(Field::Simm16) as u16 as i16 as i64 * 4);
        let to = op.address.wrapping_add(4).wrapping_add(offset as u64);
        return Step::Stop(Stop::BadJump {
            from: op.address,
            to,
        });
    }
    Step::Goto(op.target)
}

pub(super) fn return_address(op: &Op) -> u64 {
    op.address + op.inst.map_or(4, |i| i.size() as u64)
}

macro_rules! steps {
    ($r:expr; $($name:literal => |$m:ident, $op:ident| $body:expr;)*) => {$(
        $r.insert($name, Semantics::Custom(|c| usual(c, |$m, $op| $body)));
    )*};
}

pub(super) fn register(r: &mut Registry) {
    for name in NO_EFFECT {
        r.insert(name, Semantics::Custom(|c| c.op(|_, _| NEXT)));
    }
    steps! { r;
        "s_branch" => |_m, op| branch(op);
        "s_cbranch_scc0" => |m, op| branch_if(op, !m.wave.scc);
        "s_cbranch_scc1" => |m, op| branch_if(op, m.wave.scc);
        "s_cbranch_vccz" => |m, op| branch_if(op, m.wave.vcc() == 0);
        "s_cbranch_vccnz" => |m, op| branch_if(op, m.wave.vcc() != 0);
        "s_cbranch_execz" => |m, op| branch_if(op, m.wave.exec() == 0);
        "s_cbranch_execnz" => |m, op| branch_if(op, m.wave.exec() != 0);
        // COND_DBG_USER and COND_DBG_SYS of STATUS, which only a trap handler sets here.
        "s_cbranch_cdbguser" => |m, op| branch_if(op, m.wave.status & USER != 0);
        "s_cbranch_cdbgsys" => |m, op| branch_if(op, m.wave.status & SYSTEM != 0);
        "s_cbranch_cdbgsys_or_user" => |m, op| branch_if(op, m.wave.status & (SYSTEM | USER) != 0);
        "s_cbranch_cdbgsys_and_user" => |m, op| branch_if(op, m.wave.status & SYSTEM != 0 && m.wave.status & USER != 0);
        "s_setpc_b64" => |m, op| Step::Jump(m.s64(op.s[0]));
        "s_set_pc_i64" => |m, op| Step::Jump(m.s64(op.s[0]));
        "s_swappc_b64" => |m, op| { let to = m.s64(op.s[0]); m.set_s64(op.d, return_address(op)); Step::Jump(to) };
        "s_swap_pc_i64" => |m, op| { let to = m.s64(op.s[0]); m.set_s64(op.d, return_address(op)); Step::Jump(to) };
        "s_add_pc_i64" => |m, op| Step::Jump(return_address(op).wrapping_add(m.s64(op.s[0])));
        "s_call_b64" => |m, op| { m.set_s64(op.d, return_address(op)); branch(op) };
        "s_call_i64" => |m, op| { m.set_s64(op.d, return_address(op)); branch(op) };
        "s_endpgm" => |_m, _op| Step::End;
        "s_endpgm_saved" => |_m, _op| Step::End;
        "s_endpgm_ordered_ps_done" => |_m, _op| Step::End;
        "s_code_end" => |_m, op| Step::Stop(Stop::Invalid { address: op.address });
        "s_trap" => |m, op| m.s_trap(op);
        "s_rfe_b64" => |m, op| m.return_from_trap(op);
        "s_rfe_i64" => |m, op| m.return_from_trap(op);
        // "The second argument is ignored" (Vega ISA 12.1, S_RFE_RESTORE_B64).
        "s_rfe_restore_b64" => |m, op| m.return_from_trap(op);
        "s_sleep" => |_m, _op| Step::Yield;
        "s_sleep_var" => |_m, _op| Step::Yield;
        "s_monitor_sleep" => |_m, _op| Step::Yield;
    }
    scalar! { r;
        "s_getpc_b64" => |m, op| m.set_s64(op.d, return_address(op));
        "s_get_pc_i64" => |m, op| m.set_s64(op.d, return_address(op));
        "s_denorm_mode" => |m, op| m.wave.mode.0 = m.wave.mode.0 & !0xf0 | (op.imm as u32 & 0xf) << 4;
        "s_setprio" => |m, op| m.wave.priority = op.imm as u8 & 3;
        "s_get_shader_cycles_u64" => |m, op| { let v = m.clock(); m.set_s64(op.d, v) };
        "s_round_mode" => |m, op| m.wave.mode.0 = m.wave.mode.0 & !0xf | op.imm as u32 & 0xf;
    }
    // The ops behind it are those that were compiled for its MSBs; MODE bits 19:12 show them as
    // {src2, src1, src0, dst} (CDNA5 ISA 3.4.3).
    r.insert(
        "s_set_vgpr_msb",
        Semantics::Custom(|c| {
            usual(c, |m, op| {
                let msb = op.imm as u8;
                m.wave.vgpr_msb = msb;
                let shown = msb.rotate_left(2) as u32;
                m.wave.mode.0 = m.wave.mode.0 & !(0xff << 12) | shown << 12;
                NEXT
            })
        }),
    );
}
