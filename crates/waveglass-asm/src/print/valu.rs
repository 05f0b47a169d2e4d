//! Modifiers of vector ALU instructions.

use super::Printer;
use waveglass_isa::{ImmStyle, InstFlags, NO_MODS};

/// Bits of a source's modifiers, as the table gathers them.
const NEG: u64 = 1;
const NEG_HI: u64 = 2;
const OP_SEL_0: u64 = 4;
const OP_SEL_1: u64 = 8;

/// op_sel, op_sel_hi, neg_lo and neg_hi list one bit a source, and are left out where all have
/// their default.
pub(super) fn packed(p: &mut Printer<'_>, style: ImmStyle) {
    let (name, mask) = match style {
        ImmStyle::OpSel => (" op_sel:[", OP_SEL_0),
        ImmStyle::OpSelHi => (" op_sel_hi:[", OP_SEL_1),
        ImmStyle::NegLo => (" neg_lo:[", NEG),
        _ => (" neg_hi:[", NEG_HI),
    };
    let def = p.inst.def();
    if mask == OP_SEL_0 && !p.options.true16 && !def.shape.whole.op_sel {
        return;
    }
    let sources = &def.shape.sources;
    let operands = def.operands();
    let count = (sources.count as usize).min(3);
    let mut bits = [0u64; 3];
    for (b, &m) in bits.iter_mut().zip(&sources.mods[..count]) {
        *b = if m == NO_MODS {
            0
        } else {
            p.inst.raw(&operands[m as usize])
        };
    }
    let dst = sources.dst && mask == OP_SEL_0;
    let default = if mask == OP_SEL_1 && def.flags.contains(InstFlags::PACKED) {
        mask
    } else {
        0
    };
    let dst_half = dst && bits[0] & OP_SEL_1 != 0;
    if !dst_half && bits[..count].iter().all(|b| b & mask == default) {
        return;
    }
    p.out.push_str(name);
    for (n, b) in bits[..count].iter().enumerate() {
        if n > 0 {
            p.out.push(',');
        }
        p.out.push(if b & mask != 0 { '1' } else { '0' });
    }
    if dst {
        p.out.push_str(if dst_half { ",1" } else { ",0" });
    }
    p.out.push(']');
}

/// A number after its name, left out where it is zero.
pub(super) fn named(p: &mut Printer<'_>, name: &str, v: u64) {
    if v != 0 {
        p.out.push_str(name);
        p.decimal(v);
    }
}

/// A number after its name.
pub(super) fn always(p: &mut Printer<'_>, name: &str, v: u64) {
    p.out.push_str(name);
    p.decimal(v);
}

/// BLGP: f64 matrix instructions of CDNA 3 and 4 negate their operands with it
/// (CDNA3 ISA 7.1.5.3).
pub(super) fn blgp(p: &mut Printer<'_>, v: u64) {
    if v == 0 {
        return;
    }
    let inst = p.inst;
    if inst.target().has_gfx940_insts() && inst.mnemonic().starts_with("v_mfma_f64") {
        p.out.push_str(" neg:[");
        for n in 0..3 {
            if n > 0 {
                p.out.push(',');
            }
            p.decimal(v >> n & 1);
        }
        p.out.push(']');
    } else {
        named(p, " blgp:", v);
    }
}

/// The formats, scales and scale formats of CDNA 5 matrix operands.
pub(super) fn matrix(p: &mut Printer<'_>, style: ImmStyle, v: u64) {
    const FORMATS: &[&str] = &[
        "MATRIX_FMT_FP8",
        "MATRIX_FMT_BF8",
        "MATRIX_FMT_FP6",
        "MATRIX_FMT_BF6",
        "MATRIX_FMT_FP4",
    ];
    const SCALES: &[&str] = &["MATRIX_SCALE_ROW0", "MATRIX_SCALE_ROW1"];
    const SCALE_FORMATS: &[&str] = &[
        "MATRIX_SCALE_FMT_E8",
        "MATRIX_SCALE_FMT_E5M3",
        "MATRIX_SCALE_FMT_E4M3",
    ];
    if v == 0 {
        return;
    }
    let (name, values) = match style {
        ImmStyle::Matrixafmt => (" matrix_a_fmt:", FORMATS),
        ImmStyle::Matrixbfmt => (" matrix_b_fmt:", FORMATS),
        ImmStyle::Matrixascale => (" matrix_a_scale:", SCALES),
        ImmStyle::Matrixbscale => (" matrix_b_scale:", SCALES),
        ImmStyle::Matrixascalefmt => (" matrix_a_scale_fmt:", SCALE_FORMATS),
        _ => (" matrix_b_scale_fmt:", SCALE_FORMATS),
    };
    p.out.push_str(name);
    match values.get(v as usize) {
        Some(text) => p.out.push_str(text),
        None => p.decimal(v),
    }
}

/// SDWA selections; the decoder rejects the reserved ones.
pub(super) fn selection(p: &mut Printer<'_>, style: ImmStyle, v: u64) {
    const SEL: [&str; 8] = [
        "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD", "",
    ];
    const UNUSED: [&str; 4] = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", ""];
    let (name, value) = match style {
        ImmStyle::DstSel => ("dst_sel:", SEL[(v & 7) as usize]),
        ImmStyle::Src0Sel => ("src0_sel:", SEL[(v & 7) as usize]),
        ImmStyle::Src1Sel => ("src1_sel:", SEL[(v & 7) as usize]),
        _ => ("dst_unused:", UNUSED[(v & 3) as usize]),
    };
    p.out.push_str(name);
    p.out.push_str(value);
}

/// Parameter, attribute and channel of interpolation.
pub(super) fn interpolation(p: &mut Printer<'_>, style: ImmStyle, v: u64) {
    match style {
        ImmStyle::Interpslot => match v {
            0 => p.out.push_str("p10"),
            1 => p.out.push_str("p20"),
            2 => p.out.push_str("p0"),
            _ => {
                p.out.push_str("invalid_param_");
                p.decimal(v);
            }
        },
        ImmStyle::Interpattr => {
            p.out.push_str("attr");
            p.decimal(v);
        }
        _ => p.out.push_str([".x", ".y", ".z", ".w"][(v & 3) as usize]),
    }
}
