//! Conversions between 8-bit floats and half and single precision, without a scale (CDNA3 ISA 7.2,
//! RDNA4 ISA 7.7, CDNA5 ISA 7.6).
//!
//! FP8 and BF8 are the FNUZ kind on gfx942 and OCP's elsewhere. On CDNA 5 the clamp bit makes the
//! FP8 of three conversions E5M3, which has no sign.

use crate::alu::convert::v_cvt_sr_pk_f16_f32;
use crate::alu::small_float::{self, *};
use crate::semantics::table::valu;
use crate::semantics::{Registry, Semantics};
use crate::valu::kernel::{
    F16, PkF16, Setting, builds, insert_half, map, map_long, map_to_codes, map_to_pairs,
};
use crate::valu::{ClampKind, High16, LaneOp, MaskUse, Spec, Ty};

pub(super) fn register(r: &mut Registry) {
    for spec in [
        &TO_FP8,
        &TO_BF8,
        &TO_FP8_STOCHASTIC,
        &TO_BF8_STOCHASTIC,
        &FROM_FP8,
        &FROM_BF8,
    ] {
        r.insert(spec.name, Semantics::Valu(spec));
    }
    from_bytes(r);
    to_bytes(r);
}

/// Evaluates an expression with the format that a setting asks for, each in a place of its own: a loop
/// for each format makes constants of its numbers.
macro_rules! by_format {
    ($bf8:expr, $m:expr, $f:ident => $body:expr) => {
        match ($bf8, $m.fnuz()) {
            (true, false) => {
                let $f = small_float::BF8;
                $body
            }
            (true, true) => {
                let $f = BF8_FNUZ;
                $body
            }
            (false, true) => {
                let $f = FP8_FNUZ;
                $body
            }
            (false, false) if is_e5m3($m) => {
                let $f = E5M3;
                $body
            }
            (false, false) => {
                let $f = FP8;
                $body
            }
        }
    };
}

/// `encode` with a format; see [`e5m3`].
#[inline(always)]
fn encoded(f: SmallFormat, x: f32, encode: impl Fn(SmallFormat, f32) -> u32) -> u32 {
    if f == E5M3 {
        e5m3(x, encode)
    } else {
        encode(f, x)
    }
}

/// Two singles to FP8, or to BF8.
struct ToBytes<const BF8: bool>;

impl<const BF8: bool> LaneOp for ToBytes<BF8> {
    #[inline(always)]
    fn run<const L: usize>(
        regs: &mut [u32],
        d: usize,
        s: [usize; 3],
        n: usize,
        setting: u64,
    ) -> u64 {
        let m = Setting(setting);
        let saturate = m.mode().fp16_ovfl();
        let upper = m.result_byte() >> 1 != 0;
        let shift = 16 * u32::from(upper);
        match (BF8, m.fnuz()) {
            (true, false) => {
                let format = Nearest::of(small_float::BF8, saturate);
                map_to_codes::<L>(regs, d, s, n, format, upper, |a, b| {
                    v_cvt_pk_fp8_f32(small_float::BF8, a, b, saturate)
                });
            }
            (true, true) => map::<L, _, _, _, _>(regs, d, s, n, |a, b, old: u32| {
                let codes = v_cvt_pk_fp8_f32(BF8_FNUZ, a, b, saturate);
                insert_half(old, codes.into(), shift)
            }),
            (false, true) => map::<L, _, _, _, _>(regs, d, s, n, |a, b, old: u32| {
                let codes = v_cvt_pk_fp8_f32(FP8_FNUZ, a, b, saturate);
                insert_half(old, codes.into(), shift)
            }),
            (false, false) if is_e5m3(m) => {
                map::<L, _, _, _, _>(regs, d, s, n, |a: f32, b: f32, old: u32| {
                    let code = |x| e5m3(x, |f, x| f.encode(x, saturate));
                    insert_half(old, code(b) << 8 | code(a), shift)
                });
            }
            (false, false) => {
                let format = Nearest::of(FP8, saturate);
                map_to_codes::<L>(regs, d, s, n, format, upper, |a, b| {
                    v_cvt_pk_fp8_f32(FP8, a, b, saturate)
                });
            }
        }
        0
    }
}

/// A single to FP8, or to BF8, with stochastic rounding, into the byte that OP_SEL names.
struct ToByteStochastic<const BF8: bool>;

impl<const BF8: bool> LaneOp for ToByteStochastic<BF8> {
    #[inline(always)]
    fn run<const L: usize>(
        regs: &mut [u32],
        d: usize,
        s: [usize; 3],
        n: usize,
        setting: u64,
    ) -> u64 {
        let m = Setting(setting);
        let saturate = m.mode().fp16_ovfl();
        by_format!(BF8, m, format => {
            map_long::<L, _, _, _, _>(regs, d, s, n, |a: f32, b: u32, c: u32| {
                let encode = |f: SmallFormat, x| f.encode_stochastic(x, b, saturate);
                insert(c, encoded(format, a, encode), m)
            });
        });
        0
    }
}

/// Two bytes of FP8, or of BF8, to singles. The clamp bit does nothing here.
struct FromBytes<const BF8: bool>;

impl<const BF8: bool> LaneOp for FromBytes<BF8> {
    #[inline(always)]
    fn run<const L: usize>(
        regs: &mut [u32],
        d: usize,
        s: [usize; 3],
        n: usize,
        setting: u64,
    ) -> u64 {
        match (BF8, Setting(setting).fnuz()) {
            (true, false) => from_pairs::<L>(regs, d, s, n, |x| small_float::BF8.decode(x)),
            (true, true) => from_pairs::<L>(regs, d, s, n, |x| BF8_FNUZ.decode(x)),
            (false, false) => from_pairs::<L>(regs, d, s, n, |x| FP8.decode(x)),
            (false, true) => from_pairs::<L>(regs, d, s, n, |x| FP8_FNUZ.decode(x)),
        }
        0
    }
}

/// Decodes the two low bytes of each lane into two registers.
#[inline(always)]
fn from_pairs<const L: usize>(
    regs: &mut [u32],
    d: usize,
    s: [usize; 3],
    n: usize,
    decode: impl Fn(u32) -> f32,
) {
    map_to_pairs::<L>(regs, d, s, n, |x| {
        [decode(x & 0xff), decode(x >> 8 & 0xff)].map(f32::to_bits)
    });
}

/// `v_cvt_pk_fp8_f32`; the others differ in what stands beside it.
static TO_FP8: Spec = Spec {
    name: "v_cvt_pk_fp8_f32",
    kernel: builds::<ToBytes<false>>(),
    // The half of the register that stays is a source: that way the kernel writes the register.
    sources: [Ty::F32, Ty::F32, Ty::B32],
    result: Ty::B32,
    mask: MaskUse::Selection,
    clamp: ClampKind::Float,
    high: High16::ZeroOnGfx9,
    accumulate: true,
};

static TO_BF8: Spec = Spec {
    name: "v_cvt_pk_bf8_f32",
    kernel: builds::<ToBytes<true>>(),
    ..TO_FP8
};

static TO_FP8_STOCHASTIC: Spec = Spec {
    name: "v_cvt_sr_fp8_f32",
    kernel: builds::<ToByteStochastic<false>>(),
    sources: [Ty::F32, Ty::B32, Ty::B32],
    ..TO_FP8
};

static TO_BF8_STOCHASTIC: Spec = Spec {
    name: "v_cvt_sr_bf8_f32",
    kernel: builds::<ToByteStochastic<true>>(),
    ..TO_FP8_STOCHASTIC
};

static FROM_FP8: Spec = Spec {
    name: "v_cvt_pk_f32_fp8",
    kernel: builds::<FromBytes<false>>(),
    sources: [Ty::B16, Ty::None, Ty::None],
    result: Ty::PkF32,
    accumulate: false,
    ..TO_FP8
};

static FROM_BF8: Spec = Spec {
    name: "v_cvt_pk_f32_bf8",
    kernel: builds::<FromBytes<true>>(),
    ..FROM_FP8
};

/// FP8 as the wave's target and the clamp bit have it.
#[inline(always)]
fn fp8(m: Setting) -> SmallFormat {
    if m.fnuz() { FP8_FNUZ } else { FP8 }
}

/// BF8 as the wave's target has it.
#[inline(always)]
fn bf8(m: Setting) -> SmallFormat {
    if m.fnuz() { BF8_FNUZ } else { BF8 }
}

/// The byte of a source that OP_SEL[1:0] names.
#[inline(always)]
fn byte(a: u32, m: Setting) -> u8 {
    (a >> (8 * m.source_byte())) as u8
}

/// Puts a byte where OP_SEL[3:2] says and keeps the others.
#[inline(always)]
fn insert(old: u32, value: u32, m: Setting) -> u32 {
    let shift = 8 * m.result_byte();
    old & !(0xff << shift) | (value & 0xff) << shift
}

/// Whether the clamp bit makes E5M3 of FP8.
#[inline(always)]
fn is_e5m3(m: Setting) -> bool {
    m.clamp() && !m.fnuz()
}

fn from_bytes(r: &mut Registry) {
    valu! { r;
        "v_cvt_f32_fp8" [selection] (m; a: u32) -> f32 => {
            let format = if is_e5m3(m) { E5M3 } else { fp8(m) };
            v_cvt_f32_fp8(format, byte(a, m))
        };
        "v_cvt_f32_bf8" [selection] (m; a: u32) -> f32 => v_cvt_f32_fp8(bf8(m), byte(a, m));
        "v_cvt_f16_fp8" [selection] (m; a: u32) -> F16 => F16(v_cvt_f16_fp8(fp8(m), byte(a, m)));
        "v_cvt_f16_bf8" [selection] (m; a: u32) -> F16 => F16(v_cvt_f16_fp8(bf8(m), byte(a, m)));
        "v_cvt_pk_f16_fp8" [selection] (m; a: u16) -> PkF16 => PkF16(
            v_cvt_f16_fp8(fp8(m), a as u8) as u32 | (v_cvt_f16_fp8(fp8(m), (a >> 8) as u8) as u32) << 16,
        );
        "v_cvt_pk_f16_bf8" [selection] (m; a: u16) -> PkF16 => PkF16(
            v_cvt_f16_fp8(bf8(m), a as u8) as u32 | (v_cvt_f16_fp8(bf8(m), (a >> 8) as u8) as u32) << 16,
        );
    }
}

fn to_bytes(r: &mut Registry) {
    valu! { r;
        "v_cvt_pk_fp8_f16" [selection keep] (m; a: PkF16) -> u16 =>
            v_cvt_pk_fp8_f16(fp8(m), a.0, m.mode().fp16_ovfl());
        "v_cvt_pk_bf8_f16" [selection keep] (m; a: PkF16) -> u16 =>
            v_cvt_pk_fp8_f16(bf8(m), a.0, m.mode().fp16_ovfl());
        "v_cvt_sr_fp8_f16" [selection acc] (m; a: F16, b: u32, c: u32) -> u32 =>
            insert(c, v_cvt_sr_fp8_f16(fp8(m), a.0, b, m.mode().fp16_ovfl()) as u32, m);
        "v_cvt_sr_bf8_f16" [selection acc] (m; a: F16, b: u32, c: u32) -> u32 =>
            insert(c, v_cvt_sr_fp8_f16(bf8(m), a.0, b, m.mode().fp16_ovfl()) as u32, m);
        "v_cvt_sr_pk_f16_f32" [] (a: f32, b: f32, c: u32) -> PkF16 => PkF16(v_cvt_sr_pk_f16_f32(a, b, c));
    }
}
