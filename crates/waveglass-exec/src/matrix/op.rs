//! From a decoded matrix instruction to a [`MatrixOp`]: layout, formats, modifiers.

use super::arrange::{output, plan};
use super::format::{Format, Reading};
use super::layout::{Output, Plan};
use super::scale::{Scale, ScaleFormat, ScaleSource};
use super::table::{Element, Family, Result as Cells, Row};
use crate::program::{Compile, Src};
use std::sync::Arc;
use waveglass_isa::{Field, Operand, OperandType, Target};

/// When denormals are read or written as zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flush {
    /// Never.
    #[default]
    Never,
    /// Always.
    Always,
    /// As MODE says for f32.
    Mode,
}

/// How an element of C or D lies in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// 32 bits a register.
    B32,
    /// A register pair.
    F64,
    /// Binary16, two in a register.
    F16,
    /// bfloat16, two in a register.
    Bf16,
    /// Binary16 in one half of a register (gfx11).
    F16Half,
    /// bfloat16 in one half of a register (gfx11).
    Bf16Half,
}

impl Cell {
    /// Registers that so many items of a lane cover.
    pub const fn registers(self, items: usize) -> usize {
        match self {
            Self::B32 | Self::F16Half | Self::Bf16Half => items,
            Self::F64 => 2 * items,
            Self::F16 | Self::Bf16 => items.div_ceil(2),
        }
    }
}

/// What is accumulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    /// Binary32.
    F32,
    /// Binary64.
    F64,
    /// 32-bit integers.
    I32,
}

/// A or B.
#[derive(Clone, Debug)]
pub struct MatrixSource {
    /// Its elements.
    pub format: Format,
    /// The first lane of its first register in the wave's file.
    pub at: usize,
    /// Bits that NEG flips.
    pub flip: u32,
    /// The lane that each lane's items are read from instead (CBSZ with ABID, BLGP).
    pub lanes_from: Option<Box<[u8; 64]>>,
}

impl MatrixSource {
    /// How elements are read.
    pub fn reading(&self, flush: bool) -> Reading {
        Reading {
            flip: self.flip,
            flush,
        }
    }
}

/// C.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Addend {
    /// In registers, from this lane of the file on.
    At(usize),
    /// A constant, as bits of an element.
    Const(u64),
}

/// The sparse indices of a lane: one register, or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index {
    /// The first lane of the register.
    pub at: usize,
    /// Bits below the set that counts.
    pub shift: u32,
}

/// A matrix instruction, ready to run.
#[derive(Clone, Debug)]
pub struct MatrixOp {
    /// Where elements lie.
    pub plan: Arc<Plan>,
    /// A.
    pub a: MatrixSource,
    /// B.
    pub b: MatrixSource,
    /// C.
    pub c: Addend,
    /// How C's elements lie.
    pub c_cell: Cell,
    /// C is taken without its sign, before `c_neg`.
    pub c_abs: bool,
    /// C is negated.
    pub c_neg: bool,
    /// The first lane of D.
    pub d: usize,
    /// How D's elements lie.
    pub d_cell: Cell,
    /// The half of the register that C and D lie in, for the `Half` cells: 0 or 16 bits up.
    pub half: u32,
    /// What is accumulated.
    pub sum: Sum,
    /// The sparse indices.
    pub index: Option<Index>,
    /// Block scales.
    pub scale: Option<Box<Scale>>,
    /// Denormals of A and B.
    pub flush_ab: Flush,
    /// Denormals of C and of the result.
    pub flush_cd: Flush,
    /// The clamp bit: integers saturate.
    pub clamp: bool,
    /// MODE.FP16_OVFL makes f32 and i32 results saturate.
    pub ovfl: bool,
    /// MODE.FP16_OVFL makes f16 and bfloat16 results saturate.
    pub ovfl_halves: bool,
    /// The exceptions of its steps are worked out.
    pub told: bool,
}

/// Reasons to refuse, as the executor words them.
pub mod why {
    /// A field has a value that the manual reserves or calls undefined.
    pub const RESERVED: &str = "a reserved value of a matrix modifier";
    /// Registers past the wave's.
    pub const REGISTERS: &str = "matrix registers past the wave's";
    /// An operand that the instruction does not take.
    pub const OPERAND: &str = "an operand is missing";
}

/// What compiling gives.
pub enum Compiled {
    /// The operation.
    Op(Box<MatrixOp>),
    /// D lies past the wave's registers: nothing is written.
    Nothing,
    /// It is refused.
    Refused(&'static str),
}

impl Compiled {
    fn refused(why: &'static str) -> Self {
        Self::Refused(why)
    }
}

macro_rules! need {
    ($cond:expr, $why:expr) => {
        if !$cond {
            return Compiled::refused($why);
        }
    };
}

/// Resolves an instruction.
pub fn compile(c: &Compile<'_>, row: &'static Row) -> Compiled {
    let target = c.inst.target();
    let lanes = c.rows as usize * 32;
    let has_gfx1250 = target.has_gfx1250_insts();
    let mods = [
        c.inst.field(Field::Src0Modifiers),
        c.inst.field(Field::Src1Modifiers),
        c.inst.field(Field::Src2Modifiers),
    ];
    let mfma = matches!(row.family, Family::Mfma | Family::Smfmac);
    need!(lanes == 64 || !mfma, why::RESERVED);
    need!(lanes == 32 || !has_gfx1250, why::RESERVED);
    let (cbsz, abid, blgp) = (
        c.inst.field(Field::Cbsz),
        c.inst.field(Field::Abid),
        c.inst.field(Field::Blgp),
    );

    let (a_select, b_select) = if has_gfx1250 {
        (
            c.inst.field(Field::MatrixAFmt),
            c.inst.field(Field::MatrixBFmt),
        )
    } else {
        (cbsz, blgp)
    };
    let signed = |m: u64| !mfma && m & 1 != 0;
    let (Some(a), Some(b)) = (
        format(row.a, target, signed(mods[0]), a_select),
        format(row.b, target, signed(mods[1]), b_select),
    ) else {
        return Compiled::refused(why::RESERVED);
    };
    let plan = plan(row, target, lanes, a, b);

    // Registers. Everything must lie inside the wave's: a source that does not starts at v0.
    let fits = |at: u32, registers: usize| at as usize + registers <= c.vector_registers as usize;
    let source = |field: Field, registers: usize| match c.src(field) {
        Src::Vgpr(r) if fits(r, registers) => Ok(r as usize * lanes),
        Src::Vgpr(_) => Err(why::REGISTERS),
        _ => Err(why::OPERAND),
    };
    let a_at = source(Field::Src0, a.registers(plan.a_items));
    let b_at = source(Field::Src1, b.registers(plan.b_items));
    let (a_at, b_at) = match (a_at, b_at) {
        (Ok(a), Ok(b)) => (a, b),
        (Err(e), _) | (_, Err(e)) => return Compiled::refused(e),
    };
    let alternating = matches!(output(row, target), Output::Alternating);
    let (c_cell, d_cell, sum) = cells(row.result, alternating);
    let Some(d) = c.vector_dst(Field::Vdst) else {
        return Compiled::Nothing;
    };
    need!(fits(d, d_cell.registers(plan.d_items)), why::REGISTERS);
    let d = d as usize * lanes;

    let sparse = matches!(row.family, Family::Smfmac | Family::Swmmac);
    let addend = if sparse {
        need!(
            d / lanes + c_cell.registers(plan.d_items) <= c.vector_registers as usize,
            why::REGISTERS
        );
        Addend::At(d)
    } else {
        match c.src(Field::Src2) {
            Src::Vgpr(r) if fits(r, c_cell.registers(plan.d_items)) => {
                Addend::At(r as usize * lanes)
            }
            Src::Vgpr(_) => return Compiled::refused(why::REGISTERS),
            _ => match constant(c, row.result) {
                Some(x) => Addend::Const(x),
                None => return Compiled::refused(why::OPERAND),
            },
        }
    };

    let mut op = MatrixOp {
        a: MatrixSource {
            format: a,
            at: a_at,
            flip: 0,
            lanes_from: None,
        },
        b: MatrixSource {
            format: b,
            at: b_at,
            flip: 0,
            lanes_from: None,
        },
        c: addend,
        c_cell,
        c_abs: false,
        c_neg: false,
        d,
        d_cell,
        half: 0,
        sum,
        index: None,
        scale: None,
        flush_ab: Flush::Never,
        flush_cd: Flush::Never,
        clamp: c.inst.field(Field::Clamp) != 0,
        ovfl: false,
        ovfl_halves: false,
        told: false,
        plan,
    };
    if sparse {
        let bits = 2 * op.plan.a_items;
        let set = if mfma {
            // CDNA4 ISA 7.5: ABID selects the set where CBSZ is 0.
            let sets = (32 / bits).max(1) as u64;
            if cbsz & 3 == 0 { abid & (sets - 1) } else { 0 }
        } else {
            c.inst.field(Field::IndexKey8bit)
                | c.inst.field(Field::IndexKey16bit)
                | c.inst.field(Field::IndexKey32bit)
        };
        let field = if mfma { Field::Idx } else { Field::Src2 };
        let at = match source(field, bits.div_ceil(32)) {
            Ok(at) => at,
            Err(e) => return Compiled::refused(e),
        };
        let shift = set as usize * bits;
        need!(set == 0 || shift + bits <= 32, why::RESERVED);
        op.index = Some(Index {
            at,
            shift: shift as u32,
        });
    }
    if mfma {
        if let Err(e) = cdna(&mut op, row, target, cbsz, abid, blgp) {
            return Compiled::refused(e);
        }
    } else if let Err(e) = rdna(&mut op, row, target, mods) {
        return Compiled::refused(e);
    }
    if row.scale != 0 {
        match scale(c, &op, row) {
            Ok(s) => op.scale = Some(Box::new(s)),
            Err(e) => return Compiled::refused(e),
        }
    }
    Compiled::Op(Box::new(op))
}

/// MFMA and SMFMAC: broadcasts, f64's negation, denormals, overflow.
fn cdna(
    op: &mut MatrixOp,
    row: &Row,
    target: Target,
    cbsz: u64,
    abid: u64,
    blgp: u64,
) -> Result<(), &'static str> {
    let reserved = |ok: bool| ok.then_some(()).ok_or(why::RESERVED);
    let cdna3 = matches!(target, Target::Gfx942 | Target::Gfx950);
    if row.family == Family::Smfmac || row.a == Element::Any {
        // CBSZ and ABID choose indices, or CBSZ and BLGP formats; nothing is broadcast.
    } else if row.a == Element::F64 {
        // CDNA3 ISA 7.1.5.3: BLGP negates; CBSZ and ABID are ignored. The CDNA2 manual does not
        // say what any of them does here.
        reserved(cdna3 || (blgp == 0 && cbsz == 0))?;
        op.a.flip = ((blgp & 1) as u32) << 31;
        op.b.flip = ((blgp >> 1 & 1) as u32) << 31;
        op.c_neg = blgp & 4 != 0;
    } else {
        // CDNA3 ISA 7.1.5.1: more broadcast blocks than the instruction has are undefined.
        reserved(1 << cbsz <= row.blocks && abid < 1 << cbsz)?;
        if cbsz != 0 {
            let size = 64 >> cbsz;
            op.a.lanes_from = Some(lanes(|l| l % size + size * abid as usize));
        }
        op.b.lanes_from = match blgp {
            0 => None,
            1 => Some(lanes(|l| l % 32)),
            2 => Some(lanes(|l| l % 32 + 32)),
            3 => Some(lanes(|l| (l + 16) % 64)),
            _ => Some(lanes(|l| l % 16 + 16 * (blgp as usize - 4))),
        };
    }
    // CDNA2 ISA table 25: F16 and BF16 flush denormals in and out, F32 by MODE. CDNA3 ISA 7.3: F32
    // inputs by MODE, everything else is kept. The CDNA1 manual does not say; it is as CDNA3's.
    (op.flush_ab, op.flush_cd) = match (target, row.a) {
        (Target::Gfx90a, Element::F16 | Element::Bf16) => (Flush::Always, Flush::Always),
        (Target::Gfx90a, Element::F32) => (Flush::Mode, Flush::Mode),
        (_, Element::F32) => (Flush::Mode, Flush::Never),
        _ => (Flush::Never, Flush::Never),
    };
    op.ovfl = cdna3;
    Ok(())
}

/// WMMA and SWMMAC: negation, halves, clamp.
fn rdna(op: &mut MatrixOp, row: &Row, target: Target, mods: [u64; 3]) -> Result<(), &'static str> {
    let integers = op.sum == Sum::I32;
    if !integers {
        // Bit 0 of each is NEG, bit 1 NEG_HI. They act on the halves of A and B, and on C as
        // negation and absolute value (RDNA3 ISA 7.9).
        let flip = |m: u64| ((m & 1) as u32) << 15 | ((m >> 1 & 1) as u32) << 31;
        let halves = op.a.format.bits() == 16;
        // CDNA5 ISA 7.12: NEG of A and B must be zero.
        let allowed = halves && !target.has_gfx1250_insts();
        if !allowed && (mods[0] | mods[1]) & 3 != 0 {
            return Err(why::RESERVED);
        }
        op.a.flip = flip(mods[0]);
        op.b.flip = flip(mods[1]);
        if row.family == Family::Wmma {
            op.c_neg = mods[2] & 1 != 0;
            op.c_abs = mods[2] & 2 != 0;
        }
        if op.clamp {
            return Err(why::RESERVED);
        }
    }
    if matches!(op.d_cell, Cell::F16Half | Cell::Bf16Half) {
        op.half = if mods[2] & 4 != 0 { 16 } else { 0 };
    }
    // CDNA5 ISA 7.12: FP16_OVFL saturates IU8 and 16-bit results. Elsewhere its general meaning holds:
    // overflowed f16 results.
    op.ovfl = target.has_gfx1250_insts() && integers;
    op.ovfl_halves = target.has_gfx1250_insts() || row.result == Cells::F16;
    Ok(())
}

fn lanes(f: impl Fn(usize) -> usize) -> Box<[u8; 64]> {
    let mut map = Box::new([0u8; 64]);
    for (l, to) in map.iter_mut().enumerate() {
        *to = f(l) as u8 % 64;
    }
    map
}

fn format(e: Element, target: Target, signed: bool, select: u64) -> Option<Format> {
    let fnuz = target == Target::Gfx942;
    Some(match e {
        Element::F32 => Format::F32,
        Element::Xf32 => Format::Xf32,
        Element::F64 => Format::F64,
        Element::F16 => Format::F16,
        Element::Bf16 => Format::Bf16,
        Element::I8 => Format::I8,
        Element::Iu8 if signed => Format::I8,
        Element::Iu8 => Format::U8,
        Element::Iu4 if signed => Format::I4,
        Element::Iu4 => Format::U4,
        Element::Fp8 if fnuz => Format::Fp8Fnuz,
        Element::Fp8 => Format::Fp8,
        Element::Bf8 if fnuz => Format::Bf8Fnuz,
        Element::Bf8 => Format::Bf8,
        Element::Fp4 => Format::Fp4,
        Element::Any => return Format::selected(select),
    })
}

fn cells(result: Cells, alternating: bool) -> (Cell, Cell, Sum) {
    let one = |cell, sum| (cell, cell, sum);
    match result {
        Cells::F32 => one(Cell::B32, Sum::F32),
        Cells::I32 => one(Cell::B32, Sum::I32),
        Cells::F64 => one(Cell::F64, Sum::F64),
        Cells::F16 if alternating => one(Cell::F16Half, Sum::F32),
        Cells::F16 => one(Cell::F16, Sum::F32),
        Cells::Bf16 if alternating => one(Cell::Bf16Half, Sum::F32),
        Cells::Bf16 => one(Cell::Bf16, Sum::F32),
        Cells::Bf16F32 => (Cell::B32, Cell::Bf16, Sum::F32),
    }
}

/// C as an inline constant. Integers are bits; floats are of C's format, binary32 for i32 (CDNA1
/// ISA 7.1: "always interpreted as FP32").
fn constant(c: &Compile<'_>, result: Cells) -> Option<u64> {
    Some(match c.inst.operand(Field::Src2)? {
        Operand::InlineInt(i) if result == Cells::F64 => i as i64 as u64,
        Operand::InlineInt(i) => i as i32 as u32 as u64,
        Operand::InlineFloat(f) => {
            let (ty, bits) = match result {
                Cells::F64 => (OperandType::Float, 64),
                Cells::F16 => (OperandType::Float, 16),
                Cells::Bf16 => (OperandType::Bf16, 16),
                _ => (OperandType::Float, 32),
            };
            Operand::inline_float_bits(f, ty, bits)
        }
        _ => return None,
    })
}

fn scale(c: &Compile<'_>, op: &MatrixOp, row: &Row) -> Result<Scale, &'static str> {
    let lanes = op.plan.lanes;
    let wmma = row.family == Family::Wmma;
    let source = |field: Field, dwords: u32, offset: usize, format: u64| {
        let format = match format {
            0 => ScaleFormat::E8m0,
            1 => ScaleFormat::E5m3,
            2 => ScaleFormat::E4m3,
            _ => return Err(why::RESERVED),
        };
        let src = c.src(field);
        if let Src::Vgpr(r) = src {
            if r + dwords > c.vector_registers {
                return Err(why::REGISTERS);
            }
        } else if !wmma {
            return Err(why::OPERAND);
        }
        match src {
            Src::Vgpr(_) | Src::Sgpr(_) | Src::Const(0) => Ok(ScaleSource {
                src,
                offset,
                format,
            }),
            _ => Err(why::RESERVED),
        }
    };
    if wmma {
        let dwords = if row.scale == 16 { 2 } else { 1 };
        // Sixteen rows lie in either half of the lanes; 32 rows in all of them.
        let half = |field: Field, rows: usize| {
            if rows == 16 {
                16 * c.inst.field(field) as usize
            } else {
                0
            }
        };
        Ok(Scale {
            block: row.scale,
            by_lane: false,
            lanes,
            a: source(
                Field::ScaleSrc0,
                dwords,
                half(Field::MatrixAScale, row.size[0]),
                c.inst.field(Field::MatrixAScaleFmt),
            )?,
            b: source(
                Field::ScaleSrc1,
                dwords,
                half(Field::MatrixBScale, row.size[1]),
                c.inst.field(Field::MatrixBScaleFmt),
            )?,
        })
    } else {
        // {OP_SEL_HI, OP_SEL} chooses the byte (CDNA4 ISA 7.2.1).
        let byte = |field: Field| (c.inst.field(field) >> 2 & 3) as usize;
        Ok(Scale {
            block: row.scale,
            by_lane: true,
            lanes,
            a: source(Field::ScaleSrc0, 1, byte(Field::Src0Modifiers), 0)?,
            b: source(Field::ScaleSrc1, 1, byte(Field::Src1Modifiers), 0)?,
        })
    }
}
