//! SOP2, SOPC, and the arithmetic of SOPK.

use super::super::Registry;
use super::scalar;
use crate::machine::Machine;
use crate::program::Op;

fn set32(m: &mut Machine<'_>, d: u32, v: u32) {
    m.set_s32(d, v);
    m.wave.scc = v != 0;
}

fn set64(m: &mut Machine<'_>, d: u32, v: u64) {
    m.set_s64(d, v);
    m.wave.scc = v != 0;
}

fn a(m: &Machine<'_>, op: &Op) -> u32 {
    m.s32(op.s[0])
}

fn b(m: &Machine<'_>, op: &Op) -> u32 {
    m.s32(op.s[1])
}

fn wa(m: &Machine<'_>, op: &Op) -> u64 {
    m.s64(op.s[0])
}

fn wb(m: &Machine<'_>, op: &Op) -> u64 {
    m.s64(op.s[1])
}

/// Carry or borrow out of an addition, into SCC.
fn carry(m: &mut Machine<'_>, op: &Op, v: u64) {
    m.set_s32(op.d, v as u32);
    m.wave.scc = v >> 32 & 1 != 0;
}

/// Signed overflow, into SCC.
fn overflow(m: &mut Machine<'_>, op: &Op, (v, o): (i32, bool)) {
    m.set_s32(op.d, v as u32);
    m.wave.scc = o;
}

fn minmax(m: &mut Machine<'_>, op: &Op, first: bool) {
    let v = if first { a(m, op) } else { b(m, op) };
    m.set_s32(op.d, v);
    m.wave.scc = first;
}

/// The field of a bit-field extract: offset in the low bits, width from bit 16.
fn field(v: u64, spec: u32, bits: u32, signed: bool) -> u64 {
    let (offset, width) = (spec & (bits - 1), spec >> 16 & 0x7f);
    if width == 0 {
        return 0;
    }
    let v = if signed && bits == 32 {
        v as u32 as i32 as i64 as u64
    } else {
        v
    };
    let shifted = if signed {
        (v as i64 >> offset) as u64
    } else {
        v >> offset
    };
    if width >= 64 {
        return shifted;
    }
    let shift = 64 - width;
    if signed {
        ((shifted << shift) as i64 >> shift) as u64
    } else {
        shifted << shift >> shift
    }
}

fn shift_add(m: &mut Machine<'_>, op: &Op, shift: u32) {
    let v = ((a(m, op) as u64) << shift) + b(m, op) as u64;
    m.set_s32(op.d, v as u32);
    m.wave.scc = v > u32::MAX as u64;
}

fn pack(m: &mut Machine<'_>, op: &Op, lo_shift: u32, hi_shift: u32) {
    let v = a(m, op) >> lo_shift & 0xffff | (b(m, op) >> hi_shift & 0xffff) << 16;
    m.set_s32(op.d, v);
}

/// Whether the maximum of equal operands counts as the first one, which SCC shows: the manuals
/// write `S0 >= S1` for CDNA 3 to 5, RDNA 3.5 and RDNA 4, and `S0 > S1` for the others.
fn max_takes_first(m: &Machine<'_>) -> bool {
    use waveglass_isa::Generation::*;
    matches!(
        m.wave.target.generation(),
        Cdna3 | Cdna4 | Cdna5 | Rdna3_5 | Rdna4
    )
}

macro_rules! compares {
    ($r:expr; $($name:literal $cmp:expr;)*) => {
        scalar! { $r; $($name => |m, op| { let r = $cmp(m, op); m.wave.scc = r };)* }
    };
}

/// Comparisons of `sdst` with the immediate.
fn k(m: &Machine<'_>, op: &Op) -> (u32, u32) {
    (m.wave.sgpr[op.d as usize & 127], op.imm as u32)
}

fn ks(m: &Machine<'_>, op: &Op) -> (i32, i32) {
    let (x, y) = k(m, op);
    (x as i32, y as i32)
}

fn ku(m: &Machine<'_>, op: &Op) -> (u32, u32) {
    let (x, y) = k(m, op);
    (x, y & 0xffff)
}

pub(super) fn register(r: &mut Registry) {
    scalar! { r;
        "s_add_u32" => |m, op| { let v = a(m, op) as u64 + b(m, op) as u64; carry(m, op, v) };
        "s_add_co_u32" => |m, op| { let v = a(m, op) as u64 + b(m, op) as u64; carry(m, op, v) };
        "s_sub_u32" => |m, op| { let v = (a(m, op) as u64).wrapping_sub(b(m, op) as u64); carry(m, op, v) };
        "s_sub_co_u32" => |m, op| { let v = (a(m, op) as u64).wrapping_sub(b(m, op) as u64); carry(m, op, v) };
        "s_add_i32" => |m, op| { let v = (a(m, op) as i32).overflowing_add(b(m, op) as i32); overflow(m, op, v) };
        "s_add_co_i32" => |m, op| { let v = (a(m, op) as i32).overflowing_add(b(m, op) as i32); overflow(m, op, v) };
        "s_sub_i32" => |m, op| { let v = (a(m, op) as i32).overflowing_sub(b(m, op) as i32); overflow(m, op, v) };
        "s_sub_co_i32" => |m, op| { let v = (a(m, op) as i32).overflowing_sub(b(m, op) as i32); overflow(m, op, v) };
        "s_addc_u32" => |m, op| { let v = a(m, op) as u64 + b(m, op) as u64 + m.wave.scc as u64; carry(m, op, v) };
        "s_add_co_ci_u32" => |m, op| { let v = a(m, op) as u64 + b(m, op) as u64 + m.wave.scc as u64; carry(m, op, v) };
        "s_subb_u32" => |m, op| { let v = (a(m, op) as u64).wrapping_sub(b(m, op) as u64 + m.wave.scc as u64); carry(m, op, v) };
        "s_sub_co_ci_u32" => |m, op| { let v = (a(m, op) as u64).wrapping_sub(b(m, op) as u64 + m.wave.scc as u64); carry(m, op, v) };
        "s_add_nc_u64" => |m, op| { let v = wa(m, op).wrapping_add(wb(m, op)); m.set_s64(op.d, v) };
        "s_sub_nc_u64" => |m, op| { let v = wa(m, op).wrapping_sub(wb(m, op)); m.set_s64(op.d, v) };
        "s_mul_u64" => |m, op| { let v = wa(m, op).wrapping_mul(wb(m, op)); m.set_s64(op.d, v) };
        "s_min_i32" => |m, op| { let c = (a(m, op) as i32) < b(m, op) as i32; minmax(m, op, c) };
        "s_min_u32" => |m, op| { let c = a(m, op) < b(m, op); minmax(m, op, c) };
        "s_max_i32" => |m, op| { let (x, y) = (a(m, op) as i32, b(m, op) as i32); let c = x > y || x == y && max_takes_first(m); minmax(m, op, c) };
        "s_max_u32" => |m, op| { let (x, y) = (a(m, op), b(m, op)); let c = x > y || x == y && max_takes_first(m); minmax(m, op, c) };
        "s_cselect_b32" => |m, op| { let v = if m.wave.scc { a(m, op) } else { b(m, op) }; m.set_s32(op.d, v) };
        "s_cselect_b64" => |m, op| { let v = if m.wave.scc { wa(m, op) } else { wb(m, op) }; m.set_s64(op.d, v) };
        "s_and_b32" => |m, op| { let v = a(m, op) & b(m, op); set32(m, op.d, v) };
        "s_and_b64" => |m, op| { let v = wa(m, op) & wb(m, op); set64(m, op.d, v) };
        "s_or_b32" => |m, op| { let v = a(m, op) | b(m, op); set32(m, op.d, v) };
        "s_or_b64" => |m, op| { let v = wa(m, op) | wb(m, op); set64(m, op.d, v) };
        "s_xor_b32" => |m, op| { let v = a(m, op) ^ b(m, op); set32(m, op.d, v) };
        "s_xor_b64" => |m, op| { let v = wa(m, op) ^ wb(m, op); set64(m, op.d, v) };
        "s_andn2_b32" => |m, op| { let v = a(m, op) & !b(m, op); set32(m, op.d, v) };
        "s_andn2_b64" => |m, op| { let v = wa(m, op) & !wb(m, op); set64(m, op.d, v) };
        "s_and_not1_b32" => |m, op| { let v = a(m, op) & !b(m, op); set32(m, op.d, v) };
        "s_and_not1_b64" => |m, op| { let v = wa(m, op) & !wb(m, op); set64(m, op.d, v) };
        "s_orn2_b32" => |m, op| { let v = a(m, op) | !b(m, op); set32(m, op.d, v) };
        "s_orn2_b64" => |m, op| { let v = wa(m, op) | !wb(m, op); set64(m, op.d, v) };
        "s_or_not1_b32" => |m, op| { let v = a(m, op) | !b(m, op); set32(m, op.d, v) };
        "s_or_not1_b64" => |m, op| { let v = wa(m, op) | !wb(m, op); set64(m, op.d, v) };
        "s_nand_b32" => |m, op| { let v = !(a(m, op) & b(m, op)); set32(m, op.d, v) };
        "s_nand_b64" => |m, op| { let v = !(wa(m, op) & wb(m, op)); set64(m, op.d, v) };
        "s_nor_b32" => |m, op| { let v = !(a(m, op) | b(m, op)); set32(m, op.d, v) };
        "s_nor_b64" => |m, op| { let v = !(wa(m, op) | wb(m, op)); set64(m, op.d, v) };
        "s_xnor_b32" => |m, op| { let v = !(a(m, op) ^ b(m, op)); set32(m, op.d, v) };
        "s_xnor_b64" => |m, op| { let v = !(wa(m, op) ^ wb(m, op)); set64(m, op.d, v) };
        "s_lshl_b32" => |m, op| { let v = a(m, op) << (b(m, op) & 31); set32(m, op.d, v) };
        "s_lshl_b64" => |m, op| { let v = wa(m, op) << (b(m, op) & 63); set64(m, op.d, v) };
        "s_lshr_b32" => |m, op| { let v = a(m, op) >> (b(m, op) & 31); set32(m, op.d, v) };
        "s_lshr_b64" => |m, op| { let v = wa(m, op) >> (b(m, op) & 63); set64(m, op.d, v) };
        "s_ashr_i32" => |m, op| { let v = (a(m, op) as i32 >> (b(m, op) & 31)) as u32; set32(m, op.d, v) };
        "s_ashr_i64" => |m, op| { let v = (wa(m, op) as i64 >> (b(m, op) & 63)) as u64; set64(m, op.d, v) };
        "s_bfm_b32" => |m, op| { let v = ((1u32 << (a(m, op) & 31)) - 1) << (b(m, op) & 31); m.set_s32(op.d, v) };
        "s_bfm_b64" => |m, op| { let v = ((1u64 << (a(m, op) & 63)) - 1) << (b(m, op) & 63); m.set_s64(op.d, v) };
        "s_mul_i32" => |m, op| { let v = a(m, op).wrapping_mul(b(m, op)); m.set_s32(op.d, v) };
        "s_mul_hi_u32" => |m, op| { let v = ((a(m, op) as u64 * b(m, op) as u64) >> 32) as u32; m.set_s32(op.d, v) };
        "s_mul_hi_i32" => |m, op| { let v = ((a(m, op) as i32 as i64 * b(m, op) as i32 as i64) >> 32) as u32; m.set_s32(op.d, v) };
        "s_bfe_u32" => |m, op| { let v = field(a(m, op) as u64, b(m, op), 32, false) as u32; set32(m, op.d, v) };
        "s_bfe_i32" => |m, op| { let v = field(a(m, op) as u64, b(m, op), 32, true) as u32; set32(m, op.d, v) };
        "s_bfe_u64" => |m, op| { let v = field(wa(m, op), b(m, op), 64, false); set64(m, op.d, v) };
        "s_bfe_i64" => |m, op| { let v = field(wa(m, op), b(m, op), 64, true); set64(m, op.d, v) };
        "s_absdiff_i32" => |m, op| { let v = (a(m, op) as i32).wrapping_sub(b(m, op) as i32).wrapping_abs() as u32; set32(m, op.d, v) };
        "s_lshl1_add_u32" => |m, op| shift_add(m, op, 1);
        "s_lshl2_add_u32" => |m, op| shift_add(m, op, 2);
        "s_lshl3_add_u32" => |m, op| shift_add(m, op, 3);
        "s_lshl4_add_u32" => |m, op| shift_add(m, op, 4);
        "s_pack_ll_b32_b16" => |m, op| pack(m, op, 0, 0);
        "s_pack_lh_b32_b16" => |m, op| pack(m, op, 0, 16);
        "s_pack_hh_b32_b16" => |m, op| pack(m, op, 16, 16);
        "s_pack_hl_b32_b16" => |m, op| pack(m, op, 16, 0);
        "s_addk_i32" => |m, op| { let (x, y) = ks(m, op); overflow(m, op, x.overflowing_add(y)) };
        "s_addk_co_i32" => |m, op| { let (x, y) = ks(m, op); overflow(m, op, x.overflowing_add(y)) };
        "s_mulk_i32" => |m, op| { let (x, y) = ks(m, op); m.set_s32(op.d, x.wrapping_mul(y) as u32) };
    }
    compares! { r;
        "s_cmp_eq_i32" |m: &Machine<'_>, op: &Op| a(m, op) == b(m, op);
        "s_cmp_lg_i32" |m: &Machine<'_>, op: &Op| a(m, op) != b(m, op);
        "s_cmp_gt_i32" |m: &Machine<'_>, op: &Op| a(m, op) as i32 > b(m, op) as i32;
        "s_cmp_ge_i32" |m: &Machine<'_>, op: &Op| a(m, op) as i32 >= b(m, op) as i32;
        "s_cmp_lt_i32" |m: &Machine<'_>, op: &Op| (a(m, op) as i32) < b(m, op) as i32;
        "s_cmp_le_i32" |m: &Machine<'_>, op: &Op| a(m, op) as i32 <= b(m, op) as i32;
        "s_cmp_eq_u32" |m: &Machine<'_>, op: &Op| a(m, op) == b(m, op);
        "s_cmp_lg_u32" |m: &Machine<'_>, op: &Op| a(m, op) != b(m, op);
        "s_cmp_gt_u32" |m: &Machine<'_>, op: &Op| a(m, op) > b(m, op);
        "s_cmp_ge_u32" |m: &Machine<'_>, op: &Op| a(m, op) >= b(m, op);
        "s_cmp_lt_u32" |m: &Machine<'_>, op: &Op| a(m, op) < b(m, op);
        "s_cmp_le_u32" |m: &Machine<'_>, op: &Op| a(m, op) <= b(m, op);
        "s_cmp_eq_u64" |m: &Machine<'_>, op: &Op| wa(m, op) == wb(m, op);
        "s_cmp_lg_u64" |m: &Machine<'_>, op: &Op| wa(m, op) != wb(m, op);
        "s_bitcmp0_b32" |m: &Machine<'_>, op: &Op| a(m, op) >> (b(m, op) & 31) & 1 == 0;
        "s_bitcmp1_b32" |m: &Machine<'_>, op: &Op| a(m, op) >> (b(m, op) & 31) & 1 == 1;
        "s_bitcmp0_b64" |m: &Machine<'_>, op: &Op| wa(m, op) >> (b(m, op) & 63) & 1 == 0;
        "s_bitcmp1_b64" |m: &Machine<'_>, op: &Op| wa(m, op) >> (b(m, op) & 63) & 1 == 1;
        "s_cmpk_eq_i32" |m: &Machine<'_>, op: &Op| { let (x, y) = ks(m, op); x == y };
        "s_cmpk_lg_i32" |m: &Machine<'_>, op: &Op| { let (x, y) = ks(m, op); x != y };
        "s_cmpk_gt_i32" |m: &Machine<'_>, op: &Op| { let (x, y) = ks(m, op); x > y };
        "s_cmpk_ge_i32" |m: &Machine<'_>, op: &Op| { let (x, y) = ks(m, op); x >= y };
        "s_cmpk_lt_i32" |m: &Machine<'_>, op: &Op| { let (x, y) = ks(m, op); x < y };
        "s_cmpk_le_i32" |m: &Machine<'_>, op: &Op| { let (x, y) = ks(m, op); x <= y };
        "s_cmpk_eq_u32" |m: &Machine<'_>, op: &Op| { let (x, y) = ku(m, op); x == y };
        "s_cmpk_lg_u32" |m: &Machine<'_>, op: &Op| { let (x, y) = ku(m, op); x != y };
        "s_cmpk_gt_u32" |m: &Machine<'_>, op: &Op| { let (x, y) = ku(m, op); x > y };
        "s_cmpk_ge_u32" |m: &Machine<'_>, op: &Op| { let (x, y) = ku(m, op); x >= y };
        "s_cmpk_lt_u32" |m: &Machine<'_>, op: &Op| { let (x, y) = ku(m, op); x < y };
        "s_cmpk_le_u32" |m: &Machine<'_>, op: &Op| { let (x, y) = ku(m, op); x <= y };
    }
}
