//! From the number in an operand's field to a register, constant or literal.

use crate::image;
use crate::table::{IMAGE_BITS, MASK_BITS, MATRIX_BITS};
use crate::{
    Access, Field, Half, ImmStyle, Inst, Operand, OperandDef, OperandKind, Reg, RegFile, Target,
};

/// The selector of a 32-bit literal.
const LITERAL: u64 = 255;
/// The selector of a 64-bit literal on CDNA 5.
const LITERAL64: u64 = 254;

/// How many dwords of registers an operand covers.
pub(crate) fn dwords(inst: &Inst, o: &OperandDef) -> u8 {
    match o.bits {
        MASK_BITS => (inst.wave_size() / 32) as u8,
        MATRIX_BITS => matrix_dwords(inst, o),
        IMAGE_BITS => image::dwords(inst, o),
        bits => bits.div_ceil(32).max(1) as u8,
    }
}

/// The registers of matrix A or B: 8-bit elements fill all, 6-bit ones three quarters, 4-bit ones
/// half of them (CDNA4 ISA 7.1.5, matrix formats in CBSZ and BLGP).
fn matrix_dwords(inst: &Inst, o: &OperandDef) -> u8 {
    let (a, b, full) = if inst.target().has_gfx1250_insts() {
        (
            inst.field(Field::MatrixAFmt),
            inst.field(Field::MatrixBFmt),
            16,
        )
    } else {
        (inst.field(Field::Cbsz), inst.field(Field::Blgp), 8)
    };
    // A reserved format stands for an 8-bit one as far as the registers go, on CDNA 5 for both
    // matrices: the manuals do not say, this is what LLVM has.
    if inst.target().has_gfx1250_insts() && (a > 4 || b > 4) {
        return full;
    }
    match if o.field == Field::Src0 { a } else { b } {
        2 | 3 => full / 4 * 3,
        4 => full / 2,
        _ => full,
    }
}

/// Whether the field's number has a meaning, and how many bytes of literal it asks for.
#[inline]
pub(crate) fn check(inst: &Inst, o: &OperandDef) -> Result<u8, ()> {
    match o.kind {
        OperandKind::Vgpr if o.bits <= 32 => Ok(0),
        OperandKind::Mods(_) | OperandKind::VgprLo => Ok(0),
        OperandKind::Imm(style) => match style {
            ImmStyle::DppCtrl
            | ImmStyle::Dpp8fi
            | ImmStyle::DstSel
            | ImmStyle::Src0Sel
            | ImmStyle::Src1Sel
            | ImmStyle::DstUnused => valid_field(inst, style, inst.raw(o)).then_some(0).ok_or(()),
            // Buffer offsets are not negative, though gfx12 gives them signed fields
            // (RDNA4 ISA 9.1 and 8.1.1).
            ImmStyle::Offset if o.spans.first().is_some_and(|s| s.2 == 24) => {
                (inst.raw(o) >> 23 == 0).then_some(0).ok_or(())
            }
            ImmStyle::Smemoffset | ImmStyle::Smemoffsetmod | ImmStyle::Optsmemoffsetmod
                if inst.target().major() >= 12 =>
            {
                let buffer = inst
                    .operand_def(Field::Sbase)
                    .is_some_and(|b| b.bits == 128);
                (!buffer || inst.raw(o) >> 23 == 0).then_some(0).ok_or(())
            }
            _ => Ok(0),
        },
        _ => {
            let raw = inst.raw(o);
            if Inst::takes_literal(o.kind) {
                if raw == LITERAL {
                    // VOP3 takes literals from RDNA 1 on (RDNA1 ISA 6.1).
                    // v_madmk and its kin share theirs (RDNA1 ISA 12.7; RDNA3 ISA 7.6 for pairs).
                    if inst.def().shape.size >= 8 && inst.operand_def(Field::Imm).is_some() {
                        return Ok(0);
                    }
                    if inst.def().shape.size == 8 && inst.target().is_gfx9() {
                        return Err(());
                    }
                    return Ok(4);
                }
                if raw == LITERAL64 && inst.target().has_gfx1250_insts() {
                    // Only the 32-bit formats take one (CDNA5 ISA 4.1); V_FMAMK_F64 and
                    // V_FMAAK_F64 share their constant.
                    return match inst.operand_def(Field::Imm) {
                        Some(imm) if imm.spans.iter().map(|s| s.2).sum::<u8>() == 64 => Ok(0),
                        _ if inst.def().shape.size == 4 => Ok(8),
                        _ => Err(()),
                    };
                }
            }
            resolve_raw(inst, o, raw).map(|_| 0).ok_or(())
        }
    }
}

/// Whether a modifier field holds a value that the target has.
fn valid_field(inst: &Inst, style: ImmStyle, raw: u64) -> bool {
    match style {
        // The field is the first source's, whose number chooses DPP8 without and with FI.
        ImmStyle::Dpp8fi => matches!(raw, 0xe9 | 0xea),
        ImmStyle::DppCtrl => valid_dpp_ctrl(inst, raw),
        ImmStyle::DstUnused => raw != 3,
        _ => raw != 7,
    }
}

/// Vega ISA 13.3.9, RDNA1 ISA 13.3.9 and CDNA2 ISA 13.3.9 (field DPP_CTRL).
fn valid_dpp_ctrl(inst: &Inst, v: u64) -> bool {
    let target = inst.target();
    let gfx9 = target.is_gfx9();
    let known = match v {
        0..=0xff | 0x101..=0x10f | 0x111..=0x11f | 0x121..=0x12f | 0x140 | 0x141 => true,
        0x130 | 0x134 | 0x138 | 0x13c | 0x142 | 0x143 => gfx9,
        0x150..=0x15f => !gfx9 || target.has_gfx90a_insts(),
        0x160..=0x16f => !gfx9,
        _ => false,
    };
    // Operations of the double-precision ALU move by row_newbcast (row_share on gfx1251) only:
    // those with 64-bit operands, and on gfx1251 the 32-bit multiplies.
    let wide = || {
        (target.has_gfx90a_insts() || target == Target::Gfx1251)
            && inst.def().operands().iter().any(|o| o.bits == 64)
            || target == Target::Gfx1251
                && matches!(
                    inst.mnemonic(),
                    "v_mul_lo_u32" | "v_mul_hi_u32" | "v_mul_hi_i32" | "v_mad_u32"
                )
    };
    known && (matches!(v, 0x150..=0x15f) || !wide())
}

pub(crate) fn resolve(inst: &Inst, o: &OperandDef) -> Option<Operand> {
    resolve_raw(inst, o, inst.raw(o))
}

fn resolve_raw(inst: &Inst, o: &OperandDef, raw: u64) -> Option<Operand> {
    let vgpr = |index: u64| vector(inst, o, RegFile::Vgpr, index);
    let agpr = |index: u64| vector(inst, o, RegFile::Agpr, index);
    let half = |index: u64, hi: bool| {
        Some(Operand::Reg(Reg {
            file: RegFile::Vgpr,
            index: index as u16,
            dwords: 1,
            half: Some(if hi { Half::Hi } else { Half::Lo }),
        }))
    };
    match o.kind {
        OperandKind::Vgpr => {
            // VOPD's second destination has the other parity than its first (RDNA3 ISA 7.6).
            if o.field == Field::VdstY && o.spans.first().is_some_and(|s| s.1 == 1) {
                return vgpr(raw | (!inst.field(Field::VdstX) & 1));
            }
            vgpr(raw)
        }
        OperandKind::VgprUnaligned => vgpr(raw),
        OperandKind::VgprExport => export(inst, o),
        OperandKind::VgprLo => half(raw & 0x7f, raw & 0x80 != 0),
        OperandKind::VgprHalf => half(raw & 0xff, op_sel(inst, o)),
        OperandKind::VgprOrAgpr | OperandKind::VgprOrAgprUnaligned => {
            if raw & 0x200 != 0 {
                agpr(raw & 0xff)
            } else {
                vgpr(raw & 0xff)
            }
        }
        OperandKind::Agpr => agpr(raw & 0xff),
        OperandKind::VgprOrAgprSrc => match raw {
            0x300.. => agpr(raw & 0xff),
            0x100..=0x1ff => vgpr(raw & 0xff),
            _ => None,
        },
        OperandKind::AgprSrc => (raw >= 256).then(|| agpr(raw & 0xff))?,
        OperandKind::VgprSrc => (raw >= 256).then(|| vgpr(raw & 0xff))?,
        OperandKind::VgprSrcHalf => (raw >= 256).then(|| half(raw & 0xff, op_sel(inst, o)))?,
        OperandKind::VgprSrcLo => (raw >= 256).then(|| half(raw & 0x7f, raw & 0x80 != 0))?,
        OperandKind::AgprOrInline if raw >= 256 => agpr(raw & 0xff),
        OperandKind::SrcLitHalf | OperandKind::SrcHalf if raw >= 256 => {
            half(raw & 0xff, op_sel(inst, o))
        }
        OperandKind::SrcLitLo if raw >= 256 => half(raw & 0x7f, raw & 0x80 != 0),
        OperandKind::SrcLit
        | OperandKind::Src
        | OperandKind::VgprSrcLds
        | OperandKind::VgprOrInline
            if raw >= 256 =>
        {
            vgpr(raw & 0xff)
        }
        OperandKind::SdwaSrc if raw < 256 => vgpr(raw),
        OperandKind::SdwaDst if raw & 0x80 == 0 => {
            Some(Operand::Reg(Reg::new(RegFile::Vcc, 0, dwords(inst, o))))
        }
        OperandKind::SdwaDst => scalar(inst, o, raw & 0x7f),
        // LDS_DIRECT is a source only.
        OperandKind::Scalar => scalar(inst, o, raw).filter(|x| {
            matches!(x, Operand::Reg(r)
                if r.file != RegFile::LdsDirect || o.access == Access::Read)
        }),
        OperandKind::ScalarExcept {
            m0,
            exec,
            exec_hi,
            null,
        } => scalar(inst, o, raw).filter(|x| match x {
            Operand::Reg(r) => match r.file {
                RegFile::M0 => !m0,
                RegFile::Exec => !(exec || exec_hi && r.index == 1),
                RegFile::Null => !null,
                RegFile::LdsDirect => o.access == Access::Read,
                _ => true,
            },
            _ => false,
        }),
        OperandKind::Mods(_) => Some(Operand::Imm(raw as i64)),
        OperandKind::Imm(style) => Some(immediate(o, style, raw)),
        OperandKind::VgprSrcLds => scalar(inst, o, raw)
            .filter(|x| matches!(x, Operand::Reg(r) if r.file == RegFile::LdsDirect)),
        OperandKind::VgprOrInline | OperandKind::AgprOrInline => {
            scalar(inst, o, raw).filter(|x| !matches!(x, Operand::Reg(_)))
        }
        OperandKind::ScalarSrc | OperandKind::ScalarSrcLit => scalar(inst, o, raw & 0xff)
            .filter(|x| !matches!(x, Operand::Reg(r) if r.file == RegFile::LdsDirect)),
        _ => scalar(inst, o, raw & 0xff),
    }
}

/// A component of an export: absent where EN has no bit for it. Compressed exports take two
/// components from each of the first two sources (RDNA1 ISA 11.1).
fn export(inst: &Inst, o: &OperandDef) -> Option<Operand> {
    const SOURCES: [Field; 4] = [Field::Src0, Field::Src1, Field::Src2, Field::Src3];
    let n = SOURCES.iter().position(|&f| f == o.field)?;
    if inst.field(Field::En) >> n & 1 == 0 {
        return Some(Operand::Off);
    }
    let index = if inst.field(Field::Compr) != 0 {
        inst.field(SOURCES[n / 2])
    } else {
        inst.raw(o)
    };
    vector(inst, o, RegFile::Vgpr, index)
}

/// The half that `op_sel` names: bit 2 of a source's own modifiers, bit 3 of the first source's
/// for the result.
fn op_sel(inst: &Inst, o: &OperandDef) -> bool {
    let (field, bit) = match o.field {
        Field::Src1 => (Field::Src1Modifiers, 2),
        Field::Src2 => (Field::Src2Modifiers, 2),
        Field::Src0 => (Field::Src0Modifiers, 2),
        _ => (Field::Src0Modifiers, 3),
    };
    inst.field(field) >> bit & 1 != 0
}

fn vector(inst: &Inst, o: &OperandDef, file: RegFile, index: u64) -> Option<Operand> {
    let n = dwords(inst, o);
    // Tuples start at an even register where the target asks for it.
    if n > 1
        && index & 1 != 0
        && inst.target().has_aligned_vgprs()
        && !matches!(
            o.kind,
            OperandKind::VgprUnaligned | OperandKind::VgprOrAgprUnaligned
        )
    {
        return None;
    }
    if file == RegFile::Agpr && index + n as u64 > 256 {
        return None;
    }
    // A tuple may run past the last register: what it then reads is the manual's out-of-range
    // rule, and the instruction stays one (Vega ISA 3.6.1).
    Some(Operand::Reg(Reg::new(file, index as u16, n)))
}

fn scalar(inst: &Inst, o: &OperandDef, code: u64) -> Option<Operand> {
    let n = dwords(inst, o);
    let target = inst.target();
    let last_sgpr = if target.major() >= 10 { 105 } else { 101 };
    // Tuples start at a multiple of their size, at most four.
    let align = |i: u64| match n {
        1 => i,
        2 => i & !1,
        _ => i & !3,
    };
    match code {
        c if c <= last_sgpr => {
            let i = align(c);
            (i + n as u64 <= 106).then(|| Operand::Reg(Reg::new(RegFile::Sgpr, i as u16, n)))
        }
        108..=123 => {
            let i = align(code - 108);
            (i + n as u64 <= 16).then(|| Operand::Reg(Reg::new(RegFile::Ttmp, i as u16, n)))
        }
        128..=192 => Some(Operand::InlineInt((code - 128) as i8)),
        193..=208 => Some(Operand::InlineInt((192 - code as i64) as i8)),
        240..=248 => Some(Operand::InlineFloat(code as u8)),
        LITERAL64 if target.has_gfx1250_insts() && Inst::takes_literal(o.kind) => {
            Some(Operand::Literal64(match inst.literal_words() {
                [lo, hi] => *lo as u64 | (*hi as u64) << 32,
                // Not yet known while the instruction is being checked, or shared.
                _ => inst.field(Field::Imm),
            }))
        }
        LITERAL if Inst::takes_literal(o.kind) => {
            Some(Operand::Literal(match inst.literal_words().first() {
                Some(l) => *l,
                None => inst.field(Field::Imm) as u32,
            }))
        }
        _ => special(target, o.kind, code, n).map(Operand::Reg),
    }
}

fn special(target: Target, kind: OperandKind, code: u64, n: u8) -> Option<Reg> {
    use RegFile::*;
    let gfx9 = target.is_gfx9();
    let gfx11 = target.major() >= 11;
    // 32-bit names of the halves; a 64-bit operand starts at an even half.
    let half = |file, first: u64| {
        let index = (code - first) as u16;
        match n {
            1 => Some(Reg::new(file, index, 1)),
            2 if index == 0 => Some(Reg::new(file, 0, 2)),
            _ => None,
        }
    };
    let one = |file| (n <= 2).then(|| Reg::new(file, 0, n));
    match code {
        102 | 103 if gfx9 => half(FlatScratch, 102),
        104 | 105 if gfx9 => half(XnackMask, 104),
        106 | 107 => half(Vcc, 106),
        124 if gfx11 => Some(Reg::new(Null, 0, n)),
        125 if !gfx11 && !gfx9 => Some(Reg::new(Null, 0, n)),
        124 | 125 if (code == 125) == gfx11 && n == 1 => Some(Reg::new(M0, 0, 1)),
        126 | 127 => half(Exec, 126),
        230 | 231 if target.has_gfx1250_insts() => half(FlatScratchBase, 230),
        235 => one(SharedBase),
        236 => one(SharedLimit),
        237 => one(PrivateBase),
        238 => one(PrivateLimit),
        239 => one(PopsExitingWaveId),
        251 => one(Vccz),
        252 => one(Execz),
        253 => one(Scc),
        254 if n == 1
 && target.major() <= 10
 // The scalar ALU has no way to LDS: LDS_DIRECT is for vector operands.
 && !matches!(kind, OperandKind::ScalarSrcLit | OperandKind::ScalarSrc) =>
        {
            Some(Reg::new(LdsDirect, 0, 1))
        }
        _ => None,
    }
}

fn immediate(o: &OperandDef, style: ImmStyle, raw: u64) -> Operand {
    let width: u32 = o.spans.iter().map(|s| s.2 as u32).sum();
    let signed = match style {
        ImmStyle::FlatOffsetS | ImmStyle::S16imm | ImmStyle::Soppbrtarget => true,
        ImmStyle::Offset => width == 24,
        // On gfx9, buffer loads take 20 unsigned bits; the sign bit of the others is the 21st.
        ImmStyle::Smemoffset | ImmStyle::Smemoffsetmod | ImmStyle::Optsmemoffsetmod => true,
        ImmStyle::Kimmfp16 | ImmStyle::Kimmfp32 => return Operand::Literal(raw as u32),
        ImmStyle::Kimmfp64 => return Operand::Literal64(raw),
        _ => false,
    };
    if signed && width > 0 && width < 64 {
        let shift = 64 - width;
        Operand::Imm(((raw << shift) as i64) >> shift)
    } else {
        Operand::Imm(raw as i64)
    }
}
