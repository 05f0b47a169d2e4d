//! Conversions between 8-bit floats and half and single precision, without a scale (CDNA3 ISA 7.2,
//! RDNA4 ISA 7.7, CDNA5 ISA 7.6).
//!
//! FP8 and BF8 are the FNUZ kind on gfx942 and OCP's elsewhere. On CDNA 5 the clamp bit makes the
//! FP8 of three conversions E5M3, which has no sign.

use crate::alu::convert::v_cvt_sr_pk_f16_f32;
use crate::alu::small_float::*;
use crate::semantics::Registry;
use crate::semantics::table::valu;
use crate::valu::kernel::{F16, Pair, PkF16, Setting};

pub(super) fn register(r: &mut Registry) {
    from_bytes(r);
    to_bytes(r);
}

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

/// `encode` with FP8, or with E5M3 where the clamp bit asks for it.
#[inline(always)]
fn to_fp8(x: f32, m: Setting, encode: impl Fn(SmallFormat, f32) -> u32) -> u32 {
    if m.clamp() && !m.fnuz() && m.major() >= 12 {
        e5m3(x, encode)
    } else {
        encode(fp8(m), x)
    }
}

fn from_bytes(r: &mut Registry) {
    valu! { r;
        "v_cvt_f32_fp8" [selection] (m; a: u32) -> f32 => {
            let format = if m.clamp() && m.major() >= 12 { E5M3 } else { fp8(m) };
            v_cvt_f32_fp8(format, byte(a, m))
        };
        "v_cvt_f32_bf8" [selection] (m; a: u32) -> f32 => v_cvt_f32_fp8(bf8(m), byte(a, m));
        "v_cvt_pk_f32_fp8" [selection] (m; a: u16) -> Pair<f32> => Pair(
            v_cvt_f32_fp8(fp8(m), a as u8),
            v_cvt_f32_fp8(fp8(m), (a >> 8) as u8),
        );
        "v_cvt_pk_f32_bf8" [selection] (m; a: u16) -> Pair<f32> => Pair(
            v_cvt_f32_fp8(bf8(m), a as u8),
            v_cvt_f32_fp8(bf8(m), (a >> 8) as u8),
        );
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
        "v_cvt_pk_fp8_f32" [selection keep] (m; a: f32, b: f32) -> u16 => {
            let code = |x| to_fp8(x, m, |f, x| f.encode(x, m.mode().fp16_ovfl()));
            (code(b) << 8 | code(a)) as u16
        };
        "v_cvt_pk_bf8_f32" [selection keep] (m; a: f32, b: f32) -> u16 =>
            v_cvt_pk_fp8_f32(bf8(m), a, b, m.mode().fp16_ovfl());
        "v_cvt_pk_fp8_f16" [selection keep] (m; a: PkF16) -> u16 =>
            v_cvt_pk_fp8_f16(fp8(m), a.0, m.mode().fp16_ovfl());
        "v_cvt_pk_bf8_f16" [selection keep] (m; a: PkF16) -> u16 =>
            v_cvt_pk_fp8_f16(bf8(m), a.0, m.mode().fp16_ovfl());
        "v_cvt_sr_fp8_f32" [selection acc] (m; a: f32, b: u32, c: u32) -> u32 => insert(
            c,
            to_fp8(a, m, |f, x| f.encode_stochastic(x, b, m.mode().fp16_ovfl())),
            m,
        );
        "v_cvt_sr_bf8_f32" [selection acc] (m; a: f32, b: u32, c: u32) -> u32 =>
            insert(c, v_cvt_sr_fp8_f32(bf8(m), a, b, m.mode().fp16_ovfl()) as u32, m);
        "v_cvt_sr_fp8_f16" [selection acc] (m; a: F16, b: u32, c: u32) -> u32 =>
            insert(c, v_cvt_sr_fp8_f16(fp8(m), a.0, b, m.mode().fp16_ovfl()) as u32, m);
        "v_cvt_sr_bf8_f16" [selection acc] (m; a: F16, b: u32, c: u32) -> u32 =>
            insert(c, v_cvt_sr_fp8_f16(bf8(m), a.0, b, m.mode().fp16_ovfl()) as u32, m);
        "v_cvt_sr_pk_f16_f32" [] (a: f32, b: f32, c: u32) -> u32 => v_cvt_sr_pk_f16_f32(a, b, c);
    }
}
