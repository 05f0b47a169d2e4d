//! SOP2, SOPC, and the arithmetic of SOPK.

use super::super::Registry;
use super::{FLOAT_MODE, float, scalar};
use crate::machine::Machine;
use crate::program::{Op, Src};
use crate::semantics::salu::usual;
use half::f16;
use waveglass_isa::Field;

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

fn f(m: &Machine<'_>, s: Src) -> f32 {
    f32::from_bits(m.s32(s))
}

fn h(m: &Machine<'_>, s: Src) -> f32 {
    f16::from_bits(m.s32(s) as u16).to_f32()
}

/// A binary16 source as binary32 that is still signalling where it was.
fn wide(m: &Machine<'_>, s: Src) -> f32 {
    let bits = m.s32(s) as u16;
    if bits & 0x7c00 == 0x7c00 {
        let bits = bits as u32;
        return f32::from_bits((bits & 0x8000) << 16 | 0x7f80_0000 | (bits & 0x3ff) << 13);
    }
    h(m, s)
}

fn set_f(m: &mut Machine<'_>, op: &Op, v: f32) {
    m.set_s32(op.d, v.to_bits());
}

fn set_h(m: &mut Machine<'_>, op: &Op, v: f32) {
    m.set_s32(op.d, f16::from_f32(v).to_bits() as u32);
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

fn f32_signals(x: f32) -> bool {
    x.is_nan() && x.to_bits() & 0x0040_0000 == 0
}

/// Minimum and maximum of RDNA 3.5: with MODE.IEEE a signalling NaN wins, quieted
/// ("S_MIN_F32").
fn ieee(
    m: &Machine<'_>,
    x: f32,
    y: f32,
    signals: impl Fn(f32) -> bool,
    f: impl Fn(f32, f32) -> f32,
) -> f32 {
    if m.wave.mode.ieee() && (signals(x) || signals(y)) {
        return quiet(if signals(x) { x } else { y });
    }
    f(x, y)
}

/// The number rather than the NaN where one operand is NaN; -0 below +0.
fn min_num(x: f32, y: f32) -> f32 {
    if x.is_nan() {
        return if y.is_nan() { quiet(x) } else { y };
    }
    if y.is_nan() || x < y || (x == y && x.is_sign_negative()) {
        x
    } else {
        y
    }
}

fn max_num(x: f32, y: f32) -> f32 {
    if x.is_nan() {
        return if y.is_nan() { quiet(x) } else { y };
    }
    if y.is_nan() || x > y || (x == y && x.is_sign_positive()) {
        x
    } else {
        y
    }
}

/// NaN where either operand is NaN.
fn minimum(x: f32, y: f32) -> f32 {
    if x.is_nan() {
        quiet(x)
    } else if y.is_nan() {
        quiet(y)
    } else {
        min_num(x, y)
    }
}

fn maximum(x: f32, y: f32) -> f32 {
    if x.is_nan() {
        quiet(x)
    } else if y.is_nan() {
        quiet(y)
    } else {
        max_num(x, y)
    }
}

fn quiet(x: f32) -> f32 {
    f32::from_bits(x.to_bits() | 0x0040_0000)
}

macro_rules! compares {
    ($r:expr; $($name:literal $cmp:expr;)*) => {
        scalar! { $r; $($name => |m, op| { let r = $cmp(m, op); m.wave.scc = r };)* }
    };
}

macro_rules! float_compares {
    ($r:expr; $($f32:literal $f16:literal $cmp:expr;)*) => {
        float! { $r; $(
            $f32 => |m, op| { let r = $cmp(f(m, op.s[0]), f(m, op.s[1])); m.wave.scc = r };
            $f16 => |m, op| { let r = $cmp(h(m, op.s[0]), h(m, op.s[1])); m.wave.scc = r };
        )* }
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
    float! { r;
        "s_add_f32" => |m, op| { let v = f(m, op.s[0]) + f(m, op.s[1]); set_f(m, op, v) };
        "s_sub_f32" => |m, op| { let v = f(m, op.s[0]) - f(m, op.s[1]); set_f(m, op, v) };
        "s_mul_f32" => |m, op| { let v = f(m, op.s[0]) * f(m, op.s[1]); set_f(m, op, v) };
        "s_fmac_f32" => |m, op| { let d = f32::from_bits(m.wave.sgpr[op.d as usize & 127]); let v = f(m, op.s[0]).mul_add(f(m, op.s[1]), d); set_f(m, op, v) };
        "s_min_f32" => |m, op| { let v = ieee(m, f(m, op.s[0]), f(m, op.s[1]), f32_signals, min_num); set_f(m, op, v) };
        "s_max_f32" => |m, op| { let v = ieee(m, f(m, op.s[0]), f(m, op.s[1]), f32_signals, max_num); set_f(m, op, v) };
        "s_min_num_f32" => |m, op| { let v = min_num(f(m, op.s[0]), f(m, op.s[1])); set_f(m, op, v) };
        "s_max_num_f32" => |m, op| { let v = max_num(f(m, op.s[0]), f(m, op.s[1])); set_f(m, op, v) };
        "s_minimum_f32" => |m, op| { let v = minimum(f(m, op.s[0]), f(m, op.s[1])); set_f(m, op, v) };
        "s_maximum_f32" => |m, op| { let v = maximum(f(m, op.s[0]), f(m, op.s[1])); set_f(m, op, v) };
        "s_add_f16" => |m, op| { let v = h(m, op.s[0]) + h(m, op.s[1]); set_h(m, op, v) };
        "s_sub_f16" => |m, op| { let v = h(m, op.s[0]) - h(m, op.s[1]); set_h(m, op, v) };
        "s_mul_f16" => |m, op| { let v = h(m, op.s[0]) * h(m, op.s[1]); set_h(m, op, v) };
        "s_min_f16" => |m, op| { let v = ieee(m, wide(m, op.s[0]), wide(m, op.s[1]), f32_signals, min_num); set_h(m, op, v) };
        "s_max_f16" => |m, op| { let v = ieee(m, wide(m, op.s[0]), wide(m, op.s[1]), f32_signals, max_num); set_h(m, op, v) };
        "s_min_num_f16" => |m, op| { let v = min_num(h(m, op.s[0]), h(m, op.s[1])); set_h(m, op, v) };
        "s_max_num_f16" => |m, op| { let v = max_num(h(m, op.s[0]), h(m, op.s[1])); set_h(m, op, v) };
        "s_minimum_f16" => |m, op| { let v = minimum(h(m, op.s[0]), h(m, op.s[1])); set_h(m, op, v) };
        "s_maximum_f16" => |m, op| { let v = maximum(h(m, op.s[0]), h(m, op.s[1])); set_h(m, op, v) };
    }
    // K stands between the sources of fmamk and after those of fmaak.
    r.insert(
        "s_fmamk_f32",
        super::Semantics::Custom(|c| {
            let mut op = usual(c, |m, op| {
                if !m.wave.mode.is_default() {
                    return m.refuse(op, FLOAT_MODE);
                }
                let v = f(m, op.s[0]).mul_add(f(m, op.s[2]), f(m, op.s[1]));
                set_f(m, op, v);
                super::super::NEXT
            });
            op.s[2] = c.src(Field::Imm);
            op
        }),
    );
    r.insert(
        "s_fmaak_f32",
        super::Semantics::Custom(|c| {
            let mut op = usual(c, |m, op| {
                if !m.wave.mode.is_default() {
                    return m.refuse(op, FLOAT_MODE);
                }
                let v = f(m, op.s[0]).mul_add(f(m, op.s[1]), f(m, op.s[2]));
                set_f(m, op, v);
                super::super::NEXT
            });
            op.s[2] = c.src(Field::Imm);
            op
        }),
    );
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
    float_compares! { r;
        "s_cmp_lt_f32" "s_cmp_lt_f16" |x: f32, y: f32| x < y;
        "s_cmp_eq_f32" "s_cmp_eq_f16" |x: f32, y: f32| x == y;
        "s_cmp_le_f32" "s_cmp_le_f16" |x: f32, y: f32| x <= y;
        "s_cmp_gt_f32" "s_cmp_gt_f16" |x: f32, y: f32| x > y;
        "s_cmp_lg_f32" "s_cmp_lg_f16" |x: f32, y: f32| x < y || x > y;
        "s_cmp_ge_f32" "s_cmp_ge_f16" |x: f32, y: f32| x >= y;
        "s_cmp_o_f32" "s_cmp_o_f16" |x: f32, y: f32| !(x.is_nan() || y.is_nan());
        "s_cmp_u_f32" "s_cmp_u_f16" |x: f32, y: f32| x.is_nan() || y.is_nan();
        "s_cmp_nge_f32" "s_cmp_nge_f16" |x: f32, y: f32| !(x >= y);
        "s_cmp_nlg_f32" "s_cmp_nlg_f16" |x: f32, y: f32| !(x < y || x > y);
        "s_cmp_ngt_f32" "s_cmp_ngt_f16" |x: f32, y: f32| !(x > y);
        "s_cmp_nle_f32" "s_cmp_nle_f16" |x: f32, y: f32| !(x <= y);
        "s_cmp_neq_f32" "s_cmp_neq_f16" |x: f32, y: f32| x != y;
        "s_cmp_nlt_f32" "s_cmp_nlt_f16" |x: f32, y: f32| !(x < y);
    }
}
