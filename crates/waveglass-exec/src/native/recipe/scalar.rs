//! Scalar arithmetic, branches, and single lanes of vector registers.

use super::super::encode::Cond;
use super::{Permlane, Work, readable};
use crate::program::{Op, Src};
use crate::semantics::{BOUND_CTRL, FETCH_INACTIVE};
use crate::valu::Ty;
use crate::wave::sreg;

/// How a scalar operation is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum Arithmetic {
    Move,
    /// An instruction on a register and an operand, and what SCC gets.
    Two(u8, Option<Cond>),
    /// `a & ~b`.
    AndNot,
    /// An addition or subtraction that takes SCC in and gives a carry.
    WithCarry(u8),
    Multiply,
    /// A shift by its opcode extension.
    Shift(u8),
    /// A comparison: only SCC changes.
    Compare(Cond),
    /// One of two by SCC.
    Select,
    /// EXEC becomes what an instruction makes of it and the source, the second one inverted first or
    /// not; the old one is kept.
    SaveExec(u8, bool),
}

/// A scalar operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct Scalar {
    pub(in super::super) arithmetic: Arithmetic,
    pub(in super::super) wide: bool,
    pub(in super::super) a: Src,
    pub(in super::super) b: Src,
    pub(in super::super) d: u8,
}

/// A lane of a vector register by its number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum Lane {
    /// The first that is on; lane 0 where none is.
    First,
    /// This one, modulo the wave's size.
    Numbered(Src),
}

/// When a branch is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum When {
    Always,
    /// SCC is this.
    Scc(bool),
    /// A mask is zero, or is not.
    Mask(u8, bool),
}

impl Scalar {
    /// Whether only SCC changes.
    pub(in super::super) fn only_compares(&self) -> bool {
        matches!(self.arithmetic, Arithmetic::Compare(_))
    }
}

pub(super) fn lane(name: &str, op: &Op) -> Option<Work> {
    let usual = |s: Src| matches!(s, Src::Sgpr(_) | Src::Const(_));
    let lane = match name {
        "v_readfirstlane_b32" => Lane::First,
        "v_readlane_b32" if usual(op.s[1]) => Lane::Numbered(op.s[1]),
        "v_writelane_b32" if usual(op.s[0]) && usual(op.s[1]) => {
            // An op without slots writes nothing.
            return (op.s[0] != Src::None).then_some(Work::WriteLane {
                d: op.d,
                from: op.s[0],
                lane: op.s[1],
            });
        }
        _ => return None,
    };
    let Src::Vgpr(from) = op.s[0] else {
        return None;
    };
    let d = op.d as u8;
    (usize::from(d) < sreg::TTMP0).then_some(Work::ReadLane { d, from, lane })
}

pub(super) fn permlane(name: &str, op: &Op) -> Option<Work> {
    let crossed = match name {
        "v_permlane16_b32" => false,
        "v_permlanex16_b32" => true,
        _ => return None,
    };
    let usual = |s: Src| matches!(s, Src::Sgpr(_) | Src::Const(_));
    let Src::Vgpr(from) = op.s[0] else {
        return None;
    };
    (usual(op.s[1]) && usual(op.s[2])).then_some(Work::Permlane(Permlane {
        from,
        d: op.d,
        selects: [op.s[1], op.s[2]],
        crossed,
        fetch_inactive: op.imm & FETCH_INACTIVE != 0,
        bound_ctrl: op.imm & BOUND_CTRL != 0,
    }))
}

pub(super) fn branch(name: &str, op: &Op) -> Option<Work> {
    let when = match name {
        "s_branch" => When::Always,
        "s_cbranch_scc0" => When::Scc(false),
        "s_cbranch_scc1" => When::Scc(true),
        "s_cbranch_vccz" => When::Mask(sreg::VCC_LO as u8, true),
        "s_cbranch_vccnz" => When::Mask(sreg::VCC_LO as u8, false),
        "s_cbranch_execz" => When::Mask(sreg::EXEC_LO as u8, true),
        "s_cbranch_execnz" => When::Mask(sreg::EXEC_LO as u8, false),
        _ => return None,
    };
    // One to nowhere is the handler's.
    (op.target != u32::MAX).then_some(Work::Branch(when))
}

pub(super) fn scalar(name: &str, op: &Op) -> Option<Scalar> {
    use Arithmetic::*;
    let signed = |name: &str| {
        Some(match name {
            "eq" => Cond::Zero,
            "lg" => Cond::NotZero,
            "gt" => Cond::Greater,
            "ge" => Cond::GreaterOrEqual,
            "lt" => Cond::Less,
            "le" => Cond::LessOrEqual,
            _ => return None,
        })
    };
    let unsigned = |name: &str| {
        Some(match name {
            "gt" => Cond::Above,
            "ge" => Cond::NoCarry,
            "lt" => Cond::Carry,
            "le" => Cond::BelowOrEqual,
            other => return signed(other),
        })
    };
    let (mut a, mut b) = (op.s[0], op.s[1]);
    let mut wide = name.ends_with("64");
    let arithmetic = match name {
        "s_mov_b32" | "s_mov_b64" => Move,
        "s_add_u32" | "s_add_co_u32" => Two(0x03, Some(Cond::Carry)),
        "s_sub_u32" | "s_sub_co_u32" => Two(0x2b, Some(Cond::Carry)),
        "s_add_i32" | "s_add_co_i32" => Two(0x03, Some(Cond::Overflow)),
        "s_sub_i32" | "s_sub_co_i32" => Two(0x2b, Some(Cond::Overflow)),
        "s_addc_u32" | "s_add_co_ci_u32" => WithCarry(0x13),
        "s_subb_u32" | "s_sub_co_ci_u32" => WithCarry(0x1b),
        "s_add_nc_u64" => Two(0x03, None),
        "s_sub_nc_u64" => Two(0x2b, None),
        "s_and_b32" | "s_and_b64" => Two(0x23, Some(Cond::NotZero)),
        "s_or_b32" | "s_or_b64" => Two(0x0b, Some(Cond::NotZero)),
        "s_xor_b32" | "s_xor_b64" => Two(0x33, Some(Cond::NotZero)),
        "s_andn2_b32" | "s_andn2_b64" | "s_and_not1_b32" | "s_and_not1_b64" => AndNot,
        "s_mul_i32" => Multiply,
        "s_lshl_b32" | "s_lshl_b64" => Shift(4),
        "s_lshr_b32" | "s_lshr_b64" => Shift(5),
        "s_ashr_i32" | "s_ashr_i64" => Shift(7),
        "s_cselect_b32" | "s_cselect_b64" => Select,
        "s_and_saveexec_b32" | "s_and_saveexec_b64" => SaveExec(0x23, false),
        "s_or_saveexec_b32" | "s_or_saveexec_b64" => SaveExec(0x0b, false),
        "s_xor_saveexec_b32" | "s_xor_saveexec_b64" => SaveExec(0x33, false),
        "s_andn2_saveexec_b64" | "s_and_not1_saveexec_b32" | "s_and_not1_saveexec_b64" => {
            SaveExec(0x23, true)
        }
        "s_cmp_eq_u64" => Compare(Cond::Zero),
        "s_cmp_lg_u64" => Compare(Cond::NotZero),
        "s_addk_i32" | "s_addk_co_i32" => {
            (a, b) = (Src::Sgpr(op.d as u8), Src::Const(op.imm as u32 as u64));
            Two(0x03, Some(Cond::Overflow))
        }
        _ => {
            let (first, rest) = name.strip_prefix("s_cmp")?.split_once('_')?;
            let (condition, ty) = rest.split_once('_')?;
            let condition = match ty {
                "i32" => signed(condition)?,
                "u32" => unsigned(condition)?,
                _ => return None,
            };
            match first {
                "" => {}
                "k" => {
                    let imm = match ty {
                        "i32" => op.imm as u32,
                        _ => op.imm as u32 & 0xffff,
                    };
                    (a, b) = (Src::Sgpr(op.d as u8), Src::Const(imm.into()));
                }
                _ => return None,
            }
            wide = false;
            Compare(condition)
        }
    };
    let ty = if wide { Ty::B64 } else { Ty::B32 };
    let counts = matches!(arithmetic, Shift(_));
    if !readable(a, ty) || !readable(b, if counts { Ty::B32 } else { ty }) {
        return None;
    }
    let scalars = |s| !matches!(s, Src::Vgpr(_));
    let d = op.d as usize;
    // M0 and trap temporaries are the handlers'.
    let usual = match arithmetic {
        Compare(_) => true,
        Move | Two(..) | AndNot if d >= sreg::EXEC_LO => d + (wide as usize) <= sreg::EXEC_HI,
        _ => d + (wide as usize) < sreg::TTMP0,
    };
    (scalars(a) && scalars(b) && usual).then_some(Scalar {
        arithmetic,
        wide,
        a,
        b,
        d: op.d as u8,
    })
}
