//! SOP1 and the one-source operations of SOPK.

use super::super::Registry;
use super::scalar;
use crate::machine::Machine;
use crate::wave::sreg;

/// EXEC is saved to `sdst`, replaced, and SCC says whether anything is left.
fn saveexec(m: &mut Machine<'_>, op: &crate::program::Op, f: impl Fn(u64, u64) -> u64, wide: bool) {
    let old = if wide {
        m.wave.s64(sreg::EXEC_LO)
    } else {
        m.wave.sgpr[sreg::EXEC_LO] as u64
    };
    let s = if wide {
        m.s64(op.s[0])
    } else {
        m.s32(op.s[0]) as u64
    };
    let new = if wide {
        f(s, old)
    } else {
        f(s, old) & 0xffff_ffff
    };
    set_wide(m, op.d, old, wide);
    set_wide(m, sreg::EXEC_LO as u32, new, wide);
    m.wave.scc = new != 0;
}

/// EXEC is replaced, `sdst` gets the new value.
fn wrexec(m: &mut Machine<'_>, op: &crate::program::Op, f: impl Fn(u64, u64) -> u64, wide: bool) {
    let old = if wide {
        m.wave.s64(sreg::EXEC_LO)
    } else {
        m.wave.sgpr[sreg::EXEC_LO] as u64
    };
    let s = if wide {
        m.s64(op.s[0])
    } else {
        m.s32(op.s[0]) as u64
    };
    let new = if wide {
        f(s, old)
    } else {
        f(s, old) & 0xffff_ffff
    };
    set_wide(m, sreg::EXEC_LO as u32, new, wide);
    set_wide(m, op.d, new, wide);
    m.wave.scc = new != 0;
}

fn set_wide(m: &mut Machine<'_>, d: u32, v: u64, wide: bool) {
    if wide {
        m.set_s64(d, v)
    } else {
        m.set_s32(d, v as u32)
    }
}

macro_rules! exec_family {
    ($r:expr, $via:ident; $($b32:literal $b64:literal => $f:expr;)*) => {
        scalar! { $r; $(
            $b32 => |m, op| $via(m, op, $f, false);
            $b64 => |m, op| $via(m, op, $f, true);
        )* }
    };
}

fn set32(m: &mut Machine<'_>, d: u32, v: u32) {
    m.set_s32(d, v);
    m.wave.scc = v != 0;
}

fn set64(m: &mut Machine<'_>, d: u32, v: u64) {
    m.set_s64(d, v);
    m.wave.scc = v != 0;
}

/// Each group of four bits becomes one where any of them is set.
fn whole_quads(v: u64) -> u64 {
    let any = quad_any(v);
    any * 15
}

fn quad_any(v: u64) -> u64 {
    (v | v >> 1 | v >> 2 | v >> 3) & 0x1111_1111_1111_1111
}

fn quadmask(v: u64) -> u64 {
    let any = quad_any(v);
    (0..16).fold(0, |r, i| r | (any >> (4 * i) & 1) << i)
}

/// Copies of the sign bit counted from the top, less one; all alike gives -1 (`S_FLBIT_I32`).
fn leading_sign(v: i64, bits: u32) -> u32 {
    let top = if v < 0 { !v } else { v } as u64;
    if top == 0 {
        u32::MAX
    } else {
        top.leading_zeros() - (64 - bits)
    }
}

fn replicate(v: u32) -> u64 {
    (0..32).fold(0, |r, i| r | ((v as u64 >> i & 1) * 3) << (2 * i))
}

pub(super) fn register(r: &mut Registry) {
    scalar! { r;
        "s_mov_b32" => |m, op| { let v = m.s32(op.s[0]); m.set_s32(op.d, v) };
        "s_mov_b64" => |m, op| { let v = m.s64(op.s[0]); m.set_s64(op.d, v) };
        "s_cmov_b32" => |m, op| if m.wave.scc { let v = m.s32(op.s[0]); m.set_s32(op.d, v) };
        "s_cmov_b64" => |m, op| if m.wave.scc { let v = m.s64(op.s[0]); m.set_s64(op.d, v) };
        "s_not_b32" => |m, op| { let v = !m.s32(op.s[0]); set32(m, op.d, v) };
        "s_not_b64" => |m, op| { let v = !m.s64(op.s[0]); set64(m, op.d, v) };
        "s_wqm_b32" => |m, op| { let v = whole_quads(m.s32(op.s[0]) as u64) as u32; set32(m, op.d, v) };
        "s_wqm_b64" => |m, op| { let v = whole_quads(m.s64(op.s[0])); set64(m, op.d, v) };
        "s_brev_b32" => |m, op| { let v = m.s32(op.s[0]).reverse_bits(); m.set_s32(op.d, v) };
        "s_brev_b64" => |m, op| { let v = m.s64(op.s[0]).reverse_bits(); m.set_s64(op.d, v) };
        "s_bcnt0_i32_b32" => |m, op| { let v = m.s32(op.s[0]).count_zeros(); set32(m, op.d, v) };
        "s_bcnt0_i32_b64" => |m, op| { let v = m.s64(op.s[0]).count_zeros(); set32(m, op.d, v) };
        "s_bcnt1_i32_b32" => |m, op| { let v = m.s32(op.s[0]).count_ones(); set32(m, op.d, v) };
        "s_bcnt1_i32_b64" => |m, op| { let v = m.s64(op.s[0]).count_ones(); set32(m, op.d, v) };
        "s_ff0_i32_b32" => |m, op| { let v = first_one(!m.s32(op.s[0]) as u64); m.set_s32(op.d, v) };
        "s_ff0_i32_b64" => |m, op| { let v = first_one(!m.s64(op.s[0])); m.set_s32(op.d, v) };
        "s_ff1_i32_b32" => |m, op| { let v = first_one(m.s32(op.s[0]) as u64); m.set_s32(op.d, v) };
        "s_ff1_i32_b64" => |m, op| { let v = first_one(m.s64(op.s[0])); m.set_s32(op.d, v) };
        "s_ctz_i32_b32" => |m, op| { let v = first_one(m.s32(op.s[0]) as u64); m.set_s32(op.d, v) };
        "s_ctz_i32_b64" => |m, op| { let v = first_one(m.s64(op.s[0])); m.set_s32(op.d, v) };
        "s_flbit_i32_b32" => |m, op| { let v = leading_zeros(m.s32(op.s[0]) as u64, 32); m.set_s32(op.d, v) };
        "s_flbit_i32_b64" => |m, op| { let v = leading_zeros(m.s64(op.s[0]), 64); m.set_s32(op.d, v) };
        "s_clz_i32_u32" => |m, op| { let v = leading_zeros(m.s32(op.s[0]) as u64, 32); m.set_s32(op.d, v) };
        "s_clz_i32_u64" => |m, op| { let v = leading_zeros(m.s64(op.s[0]), 64); m.set_s32(op.d, v) };
        "s_flbit_i32" => |m, op| { let v = leading_sign(m.s32(op.s[0]) as i32 as i64, 32); m.set_s32(op.d, v) };
        "s_flbit_i32_i64" => |m, op| { let v = leading_sign(m.s64(op.s[0]) as i64, 64); m.set_s32(op.d, v) };
        "s_cls_i32" => |m, op| { let v = leading_sign(m.s32(op.s[0]) as i32 as i64, 32); m.set_s32(op.d, v) };
        "s_cls_i32_i64" => |m, op| { let v = leading_sign(m.s64(op.s[0]) as i64, 64); m.set_s32(op.d, v) };
        "s_sext_i32_i8" => |m, op| { let v = m.s32(op.s[0]) as i8 as i32 as u32; m.set_s32(op.d, v) };
        "s_sext_i32_i16" => |m, op| { let v = m.s32(op.s[0]) as i16 as i32 as u32; m.set_s32(op.d, v) };
        "s_bitset0_b32" => |m, op| { let v = m.wave.sgpr[op.d as usize & 127] & !(1 << (m.s32(op.s[0]) & 31)); m.set_s32(op.d, v) };
        "s_bitset0_b64" => |m, op| { let v = m.wave.s64(op.d as usize) & !(1 << (m.s32(op.s[0]) & 63)); m.set_s64(op.d, v) };
        "s_bitset1_b32" => |m, op| { let v = m.wave.sgpr[op.d as usize & 127] | 1 << (m.s32(op.s[0]) & 31); m.set_s32(op.d, v) };
        "s_bitset1_b64" => |m, op| { let v = m.wave.s64(op.d as usize) | 1 << (m.s32(op.s[0]) & 63); m.set_s64(op.d, v) };
        "s_quadmask_b32" => |m, op| { let v = quadmask(m.s32(op.s[0]) as u64) as u32; set32(m, op.d, v) };
        "s_quadmask_b64" => |m, op| { let v = quadmask(m.s64(op.s[0])); set64(m, op.d, v) };
        "s_abs_i32" => |m, op| { let v = (m.s32(op.s[0]) as i32).wrapping_abs() as u32; set32(m, op.d, v) };
        "s_bitreplicate_b64_b32" => |m, op| { let v = replicate(m.s32(op.s[0])); m.set_s64(op.d, v) };
        "s_movk_i32" => |m, op| m.set_s32(op.d, op.imm as u32);
        "s_cmovk_i32" => |m, op| if m.wave.scc { m.set_s32(op.d, op.imm as u32) };
        "s_movrels_b32" => |m, op| { let v = relative(m, op.s[0], 1) as u32; m.set_s32(op.d, v) };
        "s_movrels_b64" => |m, op| { let v = relative(m, op.s[0], 2); m.set_s64(op.d, v) };
        "s_movreld_b32" => |m, op| { let v = m.s32(op.s[0]); if let Some(d) = indexed(m, op.d, m.m0(), 1) { m.set_s32(d, v) } };
        // The two offsets stand in M0 bits 9:0 and 25:16 ("S_MOVRELSD_2_B32").
        "s_movrelsd_2_b32" => |m, op| {
            let v = at_offset(m, op.s[0], m.m0() & 0x3ff, 1) as u32;
            if let Some(d) = indexed(m, op.d, m.m0() >> 16 & 0x3ff, 1) { m.set_s32(d, v) }
        };
        "s_movreld_b64" => |m, op| { let v = m.s64(op.s[0]); if let Some(d) = indexed(m, op.d, m.m0(), 2) { m.set_s64(d, v) } };
    }
    exec_family! { r, saveexec;
        "s_and_saveexec_b32" "s_and_saveexec_b64" => |s, e| s & e;
        "s_or_saveexec_b32" "s_or_saveexec_b64" => |s, e| s | e;
        "s_xor_saveexec_b32" "s_xor_saveexec_b64" => |s, e| s ^ e;
        "s_andn2_saveexec_b32" "s_andn2_saveexec_b64" => |s, e| s & !e;
        "s_and_not1_saveexec_b32" "s_and_not1_saveexec_b64" => |s, e| s & !e;
        "s_orn2_saveexec_b32" "s_orn2_saveexec_b64" => |s, e| s | !e;
        "s_or_not1_saveexec_b32" "s_or_not1_saveexec_b64" => |s, e| s | !e;
        "s_nand_saveexec_b32" "s_nand_saveexec_b64" => |s, e| !(s & e);
        "s_nor_saveexec_b32" "s_nor_saveexec_b64" => |s, e| !(s | e);
        "s_xnor_saveexec_b32" "s_xnor_saveexec_b64" => |s, e| !(s ^ e);
        "s_andn1_saveexec_b32" "s_andn1_saveexec_b64" => |s, e| !s & e;
        "s_and_not0_saveexec_b32" "s_and_not0_saveexec_b64" => |s, e| !s & e;
        "s_orn1_saveexec_b32" "s_orn1_saveexec_b64" => |s, e| !s | e;
        "s_or_not0_saveexec_b32" "s_or_not0_saveexec_b64" => |s, e| !s | e;
    }
    exec_family! { r, wrexec;
        "s_andn1_wrexec_b32" "s_andn1_wrexec_b64" => |s, e| !s & e;
        "s_and_not0_wrexec_b32" "s_and_not0_wrexec_b64" => |s, e| !s & e;
        "s_andn2_wrexec_b32" "s_andn2_wrexec_b64" => |s, e| s & !e;
        "s_and_not1_wrexec_b32" "s_and_not1_wrexec_b64" => |s, e| s & !e;
    }
}

fn first_one(v: u64) -> u32 {
    if v == 0 { u32::MAX } else { v.trailing_zeros() }
}

fn leading_zeros(v: u64, bits: u32) -> u32 {
    if v == 0 {
        u32::MAX
    } else {
        v.leading_zeros() - (64 - bits)
    }
}

/// The scalar register M0 places after `s`.
fn relative(m: &Machine<'_>, s: crate::program::Src, dwords: u32) -> u64 {
    at_offset(m, s, m.m0(), dwords)
}

/// The scalar register some places after one, `None` outside the range of that: SGPRs with VCC (gfx9:
/// without), or trap temporaries (RDNA1 ISA 3.6.1, RDNA3 ISA 3.3.1.4).
fn indexed(m: &Machine<'_>, base: u32, offset: u32, dwords: u32) -> Option<u32> {
    let sgprs = if m.wave.target.is_gfx9() { 106 } else { 108 };
    let ttmp = sreg::TTMP0 as u32;
    let range = match base {
        b if b >= ttmp => ttmp..ttmp + 16,
        _ => 0..sgprs,
    };
    let at = base.checked_add(offset)?;
    (range.contains(&at) && range.contains(&(at + dwords - 1))).then_some(at)
}

/// The scalar register some places after `s`; out of range SGPR 0 is read.
fn at_offset(m: &Machine<'_>, s: crate::program::Src, offset: u32, dwords: u32) -> u64 {
    let crate::program::Src::Sgpr(base) = s else {
        return m.s64(s);
    };
    let i = indexed(m, base.into(), offset, dwords).unwrap_or(0);
    m.wave.s64(i as usize)
}
