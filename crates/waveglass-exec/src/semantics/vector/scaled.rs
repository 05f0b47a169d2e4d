//! Conversions between floats of 4, 6 and 8 bits and half, bfloat16 and single precision with a
//! power of two as scale (CDNA4 ISA 7.3, CDNA5 ISA 7.6.3): `v_cvt_scalef32_…` and `v_cvt_scale_…`.
//!
//! There are some hundred of them, and their names say all that they do, so the names are read:
//! `v_cvt_scalef32_sr_pk32_fp6_bf16` makes 32 FP6 codes of 32 bfloat16 with stochastic rounding.

use crate::alu::float::{flush_f32, narrow_bf16, narrow_f16, quiet_f32, widen_bf16, widen_f16};
use crate::alu::int32::v_prng_b32;
use crate::alu::small_float::{
    BF6, BF8, FP4, FP6, FP8, SmallFormat, scale_from_f32, scale_from_f32_sr, scale_to_f32, unscaled,
};
use crate::exceptions::{self, Encoding, Number, TOLD, decoded};
use crate::machine::Machine;
use crate::program::{Compile, Op, Src, Step};
use crate::semantics::{NEXT, Registry, Semantics, refuse};
use crate::valu::Ty;
use crate::valu::kernel::Setting;
use std::sync::OnceLock;
use waveglass_isa::Field;

/// The wide side of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wide {
    F32,
    F16,
    Bf16,
}

impl Wide {
    fn ty(self) -> Ty {
        match self {
            Self::F32 => Ty::F32,
            Self::F16 => Ty::F16,
            Self::Bf16 => Ty::Bf16,
        }
    }
}

/// What a mnemonic says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Conversion {
    small: SmallFormat,
    /// Bits of a code.
    bits: u32,
    wide: Wide,
    /// Values converted.
    count: usize,
    to_small: bool,
    stochastic: bool,
    /// Two sources of 16 values, whose codes alternate (`2xpk16`).
    interleaved: bool,
    /// The scale is a byte that SCALE_SEL picks, not a float's exponent.
    scale_byte: bool,
}

impl Conversion {
    fn of_name(name: &str) -> Option<Self> {
        let rest = name.strip_prefix("v_cvt_scale")?;
        let (scale_byte, rest) = match rest.strip_prefix("f32_") {
            Some(rest) => (false, rest),
            None => (true, rest.strip_prefix('_')?),
        };
        let (stochastic, rest) = match rest.strip_prefix("sr_") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let packs = [
            ("2xpk16_", 32),
            ("pk32_", 32),
            ("pk16_", 16),
            ("pk8_", 8),
            ("pk_", 2),
        ];
        let (count, rest) = packs
            .iter()
            .find_map(|(p, n)| Some((*n, rest.strip_prefix(p)?)))
            .unwrap_or((1, rest));
        let (to, from) = rest.split_once('_')?;
        let small = |n| {
            Some(match n {
                "fp8" => (FP8, 8),
                "bf8" => (BF8, 8),
                "fp6" => (FP6, 6),
                "bf6" => (BF6, 6),
                "fp4" => (FP4, 4),
                _ => return None,
            })
        };
        let wide = |n| {
            Some(match n {
                "f32" => Wide::F32,
                "f16" => Wide::F16,
                "bf16" => Wide::Bf16,
                _ => return None,
            })
        };
        let (to_small, (small, bits), wide) = match small(to) {
            Some(s) => (true, s, wide(from)?),
            None => (false, small(from)?, wide(to)?),
        };
        Some(Self {
            small,
            bits,
            wide,
            count,
            to_small,
            stochastic,
            interleaved: name.contains("2xpk16"),
            scale_byte,
        })
    }

    /// Two single-precision values come from two operands.
    fn two_operands(&self) -> bool {
        self.interleaved
            || self.to_small && self.count == 2 && self.wide == Wide::F32 && !self.stochastic
    }

    /// The operand that holds the scale.
    fn scale_operand(&self) -> usize {
        if self.two_operands() || self.stochastic {
            2
        } else {
            1
        }
    }
}

/// Every conversion of the tables.
fn conversions() -> &'static [(&'static str, Conversion)] {
    static ALL: OnceLock<Vec<(&'static str, Conversion)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all: Vec<_> = waveglass_isa::rows()
            .iter()
            .filter_map(|r| Some((r.mnemonic, Conversion::of_name(r.mnemonic)?)))
            .collect();
        all.sort_by_key(|(name, _)| *name);
        all.dedup_by_key(|(name, _)| *name);
        all
    })
}

pub(super) fn register(r: &mut Registry) {
    for (name, _) in conversions() {
        r.insert(name, Semantics::Custom(compile));
    }
}

/// `imm`: the conversion's number, from bit 8 on OP_SEL, in bits 16 and 17 neg and abs of the first
/// source, in 18 and 19 of the second, and SCALE_SEL from 20 on.
fn compile(c: &Compile<'_>) -> Op {
    let name = c.inst.mnemonic();
    let Some(number) = conversions().iter().position(|(n, _)| *n == name) else {
        return refuse(c, "the instruction has no semantics here");
    };
    // Bits 2:1 name the byte of 8-bit sources, bit 1 a pair of bytes of the others. What the others
    // mean (blocks of 16, scales from the upper half of the wave) the manual's listing, its tables
    // and LLVM's uses of the instructions tell differently.
    let scale_sel = c.inst.field(Field::ScaleSel);
    let agreed = match conversions()[number].1.bits {
        8 => 0b0110,
        _ => 0b0010,
    };
    if scale_sel & !agreed != 0 {
        return refuse(c, SCALE_SEL);
    }
    let Some(d) = c.vector_dst(Field::Vdst) else {
        // Past the allocation: nothing is written.
        return c.op(|_, _| Step::Next);
    };
    let mut op = c.op(run);
    op.d = d;
    for (i, f) in [Field::Src0, Field::Src1, Field::Src2]
        .into_iter()
        .enumerate()
    {
        op.s[i] = c.src(f);
    }
    let sign = |f| c.inst.field(f) & 3;
    op.imm = number as u64
        | (Setting::selection(c.inst) >> 40 & 0xf) << 8
        | sign(Field::Src0Modifiers) << 16
        | sign(Field::Src1Modifiers) << 18
        | scale_sel << 20;
    op
}

/// Why a scale selection is refused.
const SCALE_SEL: &str = "a scale selection that the manual describes in two ways";

fn run(m: &mut Machine<'_>, op: &Op) -> Step {
    let Some((_, conversion)) = conversions().get(op.imm as usize & 0xff) else {
        return NEXT;
    };
    let exec = m.wave.exec();
    m.stats.lane_operations += exec.count_ones() as u64 * conversion.count as u64;
    let lanes = m.wave.lanes();
    // With a scale byte, lanes read the scales of other lanes, which are there before any result.
    let scales: Vec<u8> = (0..lanes)
        .map(|lane| scale(m, op, conversion, lane))
        .collect();
    for (lane, &scale) in scales.iter().enumerate() {
        if exec >> lane & 1 == 0 {
            continue;
        }
        if conversion.to_small {
            to_small(m, op, conversion, lane, scale);
        } else {
            from_small(m, op, conversion, lane, scale);
        }
    }
    NEXT
}

/// Dword `k` of a source in a lane.
fn dword(m: &Machine<'_>, s: Src, k: usize, lane: usize) -> u32 {
    match s {
        Src::Vgpr(r) => m.wave.lane(r as usize + k, lane),
        s if k == 0 => m.s32(s),
        _ => 0,
    }
}

/// The scale's biased exponent: bits 30:23 of a float; of scale bytes, one of the lane's fellow in
/// the lower half of the wave (CDNA5 ISA tables 36 and 37, blocks of 32). Of the pair that FP4 and
/// FP6 name, the upper lanes take the second byte.
fn scale(m: &Machine<'_>, op: &Op, c: &Conversion, lane: usize) -> u8 {
    let s = op.s[c.scale_operand()];
    if !c.scale_byte {
        return (dword(m, s, 0, lane) >> 23) as u8;
    }
    let scale_sel = (op.imm >> 20) as u32;
    let byte = match c.bits {
        8 => scale_sel >> 1,
        _ => (scale_sel & 2) + (lane % 32 >= 16) as u32,
    };
    (dword(m, s, 0, lane & !16) >> (8 * byte)) as u8
}

/// `v` as single precision, with neg and abs.
fn widen(wide: Wide, v: u32, sign: u64) -> f32 {
    let x = match wide {
        Wide::F32 => f32::from_bits(v),
        Wide::F16 => widen_f16(v as u16),
        Wide::Bf16 => widen_bf16(v as u16),
    };
    let x = if sign & 2 != 0 { x.abs() } else { x };
    if sign & 1 != 0 { -x } else { x }
}

fn to_small(m: &mut Machine<'_>, op: &Op, c: &Conversion, lane: usize, scale: u8) {
    let op_sel = op.imm >> 8 & 0xf;
    let flush = c.wide == Wide::F32 && !m.wave.mode.denorm_f32_in();
    // CDNA 5 makes NaN of infinities here; only BF8 without FP16_OVFL has an infinity to give
    // (CDNA5 ISA 7.6.2).
    let infinity_is_nan = m.wave.target.has_gfx1250_insts()
        && c.bits == 8
        && (c.small == FP8 || m.wave.mode.fp16_ovfl());
    let mut seed = dword(m, op.s[1], 0, lane);
    let gfx1250 = m.wave.target.has_gfx1250_insts();
    let saturate = m.wave.mode.fp16_ovfl();
    let mut out = [0u32; 8];
    for i in 0..c.count {
        let (operand, index) = match c.two_operands() {
            true if c.interleaved => (i % 2, i / 2),
            true => (i, 0),
            false => (0, i),
        };
        let sign = op.imm >> (16 + 2 * operand) & 3;
        let v = match c.wide {
            Wide::F32 => dword(m, op.s[operand], index, lane),
            // A lone half lies where OP_SEL[0] says.
            _ if c.count == 1 => dword(m, op.s[operand], 0, lane) >> (16 * (op_sel & 1)),
            _ => dword(m, op.s[operand], index / 2, lane) >> (16 * (index % 2)),
        };
        let x = widen(c.wide, v, sign);
        let x = if flush { flush_f32(x) } else { x };
        let given = x;
        let x = if x.is_infinite() && infinity_is_nan {
            f32::NAN.copysign(x)
        } else {
            x
        };
        // CDNA 5 takes 16 bits of the seed for each value and moves on after two.
        let bits = match gfx1250 {
            true => seed >> (16 * (i % 2)) << 16,
            false => seed,
        };
        if op.imm & TOLD != 0 {
            m.wave.raising |= Number::of(v.into(), c.wide.ty(), false).operand();
            let moved = c
                .stochastic
                .then(|| c.small.moved(unscaled(given, scale), bits));
            // A scale that is NaN makes NaN of everything, quietly.
            m.wave.raising |= Encoding {
                format: c.small,
                scale: i32::from(scale) - 127,
                saturates: saturate,
                infinity_is_nan,
            }
            .of(if scale == 255 { f64::NAN } else { given.into() }, moved);
        }
        let code = if c.stochastic {
            if !gfx1250 || i % 2 == 1 {
                seed = v_prng_b32(seed);
            }
            scale_from_f32_sr(c.small, x, bits, scale, saturate)
        } else {
            scale_from_f32(c.small, x, scale, saturate)
        };
        put(&mut out, i as u32 * c.bits, c.bits, code);
    }
    let d = op.d as usize;
    let width = c.count as u32 * c.bits;
    if width < 32 {
        // A word or a byte of the register; the others are kept.
        let shift = match width {
            16 => 16 * (op_sel >> 3) as u32,
            _ => 8 * (op_sel >> 2) as u32,
        };
        let ones = (1 << width) - 1;
        let old = m.wave.lane(d, lane);
        let v = old & !(ones << shift) | (out[0] & ones) << shift;
        m.wave.set_lane(d, lane, v);
        return;
    }
    for (k, v) in out.iter().enumerate().take(width as usize / 32) {
        m.wave.set_lane(d + k, lane, *v);
    }
}

/// Puts `width` bits at a position of a run of dwords.
fn put(out: &mut [u32; 8], at: u32, width: u32, v: u32) {
    let (k, shift) = (at as usize / 32, at % 32);
    let v = ((v & ((1 << width) - 1)) as u64) << shift;
    out[k] |= v as u32;
    if v >> 32 != 0 {
        out[k + 1] |= (v >> 32) as u32;
    }
}

fn from_small(m: &mut Machine<'_>, op: &Op, c: &Conversion, lane: usize, scale: u8) {
    let op_sel = (op.imm >> 8 & 0xf) as u32;
    let dwords = (c.count as u32 * c.bits).div_ceil(32) as usize;
    let mut source = [0u32; 8];
    for (k, v) in source.iter_mut().enumerate().take(dwords) {
        *v = dword(m, op.s[0], k, lane);
    }
    // Fewer than four bytes come from the word or byte that OP_SEL names.
    let start = match c.count as u32 * c.bits {
        16 => 16 * (op_sel & 1),
        8 => 8 * (op_sel & 3),
        _ => 0,
    };
    let mut out = [0u32; 32];
    let gfx1250 = m.wave.target.has_gfx1250_insts();
    let saturates = m.wave.mode.fp16_ovfl();
    for i in 0..c.count {
        let at = start + i as u32 * c.bits;
        let (k, shift) = (at as usize / 32, at % 32);
        let high = source.get(k + 1).copied().unwrap_or(0);
        let pair = source[k] as u64 | (high as u64) << 32;
        let code = (pair >> shift) as u32 & ((1 << c.bits) - 1);
        let x = scale_to_f32(c.small, code, scale);
        if op.imm & TOLD != 0 {
            m.wave.raising |= decoded(c.small, code);
            let value = c.small.decode(code);
            if scale != 255 && value.is_finite() {
                let flush = c.wide == Wide::F32 && !m.wave.mode.denorm_f32_out();
                m.wave.raising |=
                    exceptions::scaled(value.into(), i32::from(scale) - 127, c.wide.ty(), flush);
            }
        }
        let overflows = x.is_finite() || scale != 255 && c.small.decode(code).is_finite();
        let limit = |bits: u32, infinity: u32| match bits & 0x7fff == infinity && overflows {
            true => bits - 1,
            false => bits,
        };
        match c.wide {
            Wide::F32 if !m.wave.mode.denorm_f32_out() => out[i] = flush_f32(x).to_bits(),
            Wide::F32 => out[i] = x.to_bits(),
            Wide::F16 => {
                let half = narrow_f16(x).into();
                let half = if saturates { limit(half, 0x7c00) } else { half };
                out[i / 2] |= half << (16 * (i % 2));
            }
            Wide::Bf16 => {
                let half = narrow_bf16(quiet_nan(x)).into();
                // "FP16_OVFL applies when the destination is FP16 or BF16" (CDNA5 ISA 7.6).
                let half = match saturates && gfx1250 {
                    true => limit(half, 0x7f80),
                    false => half,
                };
                out[i / 2] |= half << (16 * (i % 2));
            }
        }
    }
    let d = op.d as usize;
    if c.count == 1 && c.wide != Wide::F32 {
        let shift = 16 * (op_sel >> 3);
        let old = m.wave.lane(d, lane);
        m.wave
            .set_lane(d, lane, old & !(0xffff << shift) | out[0] << shift);
        return;
    }
    let width = match c.wide {
        Wide::F32 => c.count,
        _ => c.count.div_ceil(2),
    };
    for (k, v) in out.iter().enumerate().take(width) {
        m.wave.set_lane(d + k, lane, *v);
    }
}

fn quiet_nan(x: f32) -> f32 {
    if x.is_nan() { quiet_f32(x) } else { x }
}
