//! Which operations become host instructions, and which.

use super::encode::{Cond, Form, forms};
use crate::program::{Op, Src};
use crate::valu::{Dwords, MaskUse, Simple, Ty};
use crate::wave::sreg;

/// How a vector operation is computed, a vector of sixteen lanes at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Recipe {
    /// The first source.
    Move,
    /// One instruction on the first source; a NaN result is not its business.
    Unary(Form),
    /// A conversion to integers, whose result for what has no integer is this one.
    ToInteger(Form, u32),
    /// Rounding to an integer, by its immediate.
    Round(u8),
    /// All bits of the first source inverted.
    Not,
    /// One instruction on two integers.
    Integer(Form),
    /// The same on the second and the first.
    IntegerReversed(Form),
    /// One instruction on two floats.
    Float(Form),
    /// The same on the second and the first.
    FloatReversed(Form),
    /// The smaller or larger of two or three floats, by the immediate of `vrangeps`.
    Range(u8),
    /// `a * b + c` with one rounding.
    Fma,
    /// A shift of the second source by the first: with a count in each lane, and the opcode
    /// extension of the form with an immediate count.
    Shift(Form, u8),
    /// A shift of the first source by the second, and an instruction on that and the third.
    ShiftThen(Form, u8, Form),
    /// An instruction on the first two sources, and a shift of that by the third.
    ThenShift(Form, Form, u8),
    /// An instruction on the first two sources, and another on that and the third.
    Two(Form, Form),
    /// A function of the bits of three sources, by its truth table (first source 0xf0).
    Bits(u8),
    /// The product of the low 24 bits, signed or not, with the third source added or not.
    Product24 { signed: bool, added: bool },
    /// The upper half of the product.
    ProductHigh,
    /// The product and a third source of 64 bits.
    ProductWide,
    /// A sum with a carry out.
    Add { carry_in: bool },
    /// A difference with a borrow out; of the second source and the first where reversed.
    Subtract { reversed: bool, borrow_in: bool },
    /// The first source or, where the lane's bit is set, the second.
    Select,
    /// A comparison of integers, by its immediate.
    CompareInteger(Form, u8),
    /// A comparison of floats, by its immediate.
    CompareFloat(u8),
    /// A shift of 64 bits by a constant count: to the left, else to the right, with the sign or not.
    ShiftWide { left: bool, signed: bool },
    /// A shift of the first source, 64 bits, by a constant count, and the third added.
    ShiftAddWide,
    /// Two moves.
    MoveWide,
    /// The sum of two numbers of 64 bits.
    AddWide,
    /// An instruction on each of two pairs of floats.
    FloatPair(Form),
    /// [`Recipe::Fma`] on each of three pairs.
    FmaPair,
    /// One instruction on two doubles.
    Double(Form),
    /// [`Recipe::Fma`] of doubles.
    FmaDouble,
    /// [`Recipe::Range`] of two doubles.
    RangeDouble(u8),
    /// [`Recipe::Round`] of a double.
    RoundDouble(u8),
    /// A comparison of doubles, by its immediate.
    CompareDouble(u8),
}

impl Scalar {
    /// Whether only SCC changes.
    pub(super) fn only_compares(&self) -> bool {
        matches!(self.arithmetic, Arithmetic::Compare(_))
    }
}

impl Recipe {
    /// Whether the result is of two registers.
    fn is_wide(self) -> bool {
        use Recipe::*;
        matches!(
            self,
            ProductWide
                | ShiftWide { .. }
                | ShiftAddWide
                | MoveWide
                | AddWide
                | FloatPair(_)
                | FmaPair
                | Double(_)
                | FmaDouble
                | RangeDouble(_)
                | RoundDouble(_)
        )
    }
}

/// A source of a vector operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Source {
    pub(super) src: Src,
    pub(super) dwords: Dwords,
}

/// A vector operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Vector {
    pub(super) recipe: Recipe,
    pub(super) sources: [Source; 3],
    pub(super) d: u32,
    pub(super) mask_in: Src,
    /// Where a mask goes, if anywhere.
    pub(super) mask_out: Option<u8>,
}

/// A load or store of whole dwords in LDS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Share {
    pub(super) stores: bool,
    /// Dwords at each address.
    pub(super) dwords: u32,
    pub(super) address: u32,
    /// One or two of these: an offset, and the first register of the data.
    pub(super) places: [(u32, u32); 2],
    pub(super) two: bool,
}

/// How a scalar operation is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Arithmetic {
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
pub(super) struct Scalar {
    pub(super) arithmetic: Arithmetic,
    pub(super) wide: bool,
    pub(super) a: Src,
    pub(super) b: Src,
    pub(super) d: u8,
}

/// A lane of a vector register by its number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Lane {
    /// The first that is on; lane 0 where none is.
    First,
    /// This one, modulo the wave's size.
    Numbered(Src),
}

/// When a branch is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum When {
    Always,
    /// SCC is this.
    Scc(bool),
    /// A mask is zero, or is not.
    Mask(u8, bool),
}

/// An operation that has a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Work {
    Vector(Vector),
    /// Two that read their sources before either writes.
    Both([Vector; 2]),
    Share(Share),
    Scalar(Scalar),
    /// A lane of a vector register, to a scalar one.
    ReadLane {
        d: u8,
        from: u32,
        lane: Lane,
    },
    /// A scalar, to a lane of a vector register.
    WriteLane {
        d: u32,
        from: Src,
        lane: Src,
    },
    /// A branch, with which a fragment ends.
    Branch(When),
}

impl Work {
    /// Whether a fragment ends with it: it branches, or changes EXEC.
    pub(super) fn ends(&self) -> bool {
        match self {
            Work::Branch(_) => true,
            Work::Scalar(s) => {
                let saves = matches!(s.arithmetic, Arithmetic::SaveExec(..));
                saves || !s.only_compares() && usize::from(s.d) >= sreg::EXEC_LO
            }
            _ => false,
        }
    }

    /// What an op does, if it has a translation.
    pub(super) fn of(op: &Op) -> Option<Self> {
        if op.refused.is_some() {
            return None;
        }
        if let [x, y] = &*op.parts {
            if !op.mnemonic().contains(" :: ") {
                return None;
            }
            let (x, y) = (vector(x)?, vector(y)?);
            let single = !x.recipe.is_wide() && !y.recipe.is_wide();
            return (single && x.d != y.d).then_some(Work::Both([x, y]));
        }
        if op.valu.is_some() {
            return vector(op).map(Work::Vector);
        }
        let name = op.mnemonic();
        if name.starts_with("ds_") {
            return share(name, op).map(Work::Share);
        }
        lane(name, op)
            .or_else(|| branch(name, op))
            .or_else(|| scalar(name, op).map(Work::Scalar))
    }

    /// Whether it works in the host's vector registers.
    pub(super) fn is_vector(&self) -> bool {
        matches!(self, Work::Vector(_) | Work::Both(_) | Work::Share(_))
    }

    /// How many vector instructions it counts as: those of a pair count each.
    pub(super) fn lane_instructions(&self) -> u64 {
        match self {
            Work::Vector(_) | Work::Share(_) => 1,
            Work::Both(_) => 2,
            _ => 0,
        }
    }

    /// Bytes of LDS that a lane loads and stores.
    pub(super) fn share_bytes(&self) -> (u64, u64) {
        match self {
            Work::Share(s) => {
                let bytes = 4 * u64::from(s.dwords) * (1 + u64::from(s.two));
                if s.stores { (0, bytes) } else { (bytes, 0) }
            }
            _ => (0, 0),
        }
    }
}

/// The immediates of float comparisons (Intel SDM, "VCMPPS": quiet on all NaN).
fn float_condition(name: &str) -> Option<u8> {
    Some(match name {
        "eq" => 0x00,
        "lt" => 0x11,
        "le" => 0x12,
        "u" => 0x03,
        "neq" => 0x04,
        "nlt" => 0x15,
        "nle" => 0x16,
        "o" => 0x07,
        "nlg" => 0x08,
        "nge" => 0x19,
        "ngt" => 0x1a,
        "lg" => 0x0c,
        "ge" => 0x1d,
        "gt" => 0x1e,
        _ => return None,
    })
}

/// The immediates of integer comparisons.
fn integer_condition(name: &str) -> Option<u8> {
    Some(match name {
        "eq" => 0,
        "lt" => 1,
        "le" => 2,
        "ne" => 4,
        "ge" => 5,
        "gt" => 6,
        _ => return None,
    })
}

fn comparison(name: &str) -> Option<Recipe> {
    let (condition, ty) = name.strip_prefix("v_cmp_")?.rsplit_once('_')?;
    Some(match ty {
        "f32" => Recipe::CompareFloat(float_condition(condition)?),
        "f64" => Recipe::CompareDouble(float_condition(condition)?),
        "i32" => Recipe::CompareInteger(forms::VPCMPD, integer_condition(condition)?),
        "u32" => Recipe::CompareInteger(forms::VPCMPUD, integer_condition(condition)?),
        _ => return None,
    })
}

/// The recipe of an operation by the name of its [`Spec`](crate::valu::Spec).
fn recipe(name: &str) -> Option<Recipe> {
    use Recipe::*;
    use forms::*;
    Some(match name {
        "v_mov_b32" => Move,
        "v_not_b32" => Not,
        "v_cvt_f32_i32" => Unary(VCVTDQ2PS),
        "v_cvt_f32_u32" => Unary(VCVTUDQ2PS),
        "v_cvt_i32_f32" => ToInteger(VCVTTPS2DQ, 0x8000_0000),
        "v_cvt_u32_f32" => ToInteger(VCVTTPS2UDQ, 0xffff_ffff),
        "v_rndne_f32" => Round(8),
        "v_floor_f32" => Round(9),
        "v_ceil_f32" => Round(10),
        "v_trunc_f32" => Round(11),
        "v_add_u32" | "v_add_i32" => Integer(VPADDD),
        "v_sub_u32" | "v_sub_i32" => Integer(VPSUBD),
        "v_subrev_u32" => IntegerReversed(VPSUBD),
        "v_and_b32" => Integer(VPANDD),
        "v_or_b32" => Integer(VPORD),
        "v_xor_b32" => Integer(VPXORD),
        "v_mul_lo_u32" => Integer(VPMULLD),
        "v_min_i32" => Integer(VPMINSD),
        "v_min_u32" => Integer(VPMINUD),
        "v_max_i32" => Integer(VPMAXSD),
        "v_max_u32" => Integer(VPMAXUD),
        "v_add_f32" => Float(VADDPS),
        "v_sub_f32" => Float(VSUBPS),
        "v_subrev_f32" => FloatReversed(VSUBPS),
        "v_mul_f32" => Float(VMULPS),
        "v_min_f32" | "v_min3_f32" => Range(4),
        "v_max_f32" | "v_max3_f32" => Range(5),
        "v_fma_f32" | "v_fmac_f32" => Fma,
        "v_lshlrev_b32" => Shift(VPSLLVD, 6),
        "v_lshrrev_b32" => Shift(VPSRLVD, 2),
        "v_ashrrev_i32" => Shift(VPSRAVD, 4),
        "v_lshl_add_u32" => ShiftThen(VPSLLVD, 6, VPADDD),
        "v_lshl_or_b32" => ShiftThen(VPSLLVD, 6, VPORD),
        "v_add_lshl_u32" => ThenShift(VPADDD, VPSLLVD, 6),
        "v_add3_u32" => Two(VPADDD, VPADDD),
        "v_and_or_b32" => Two(VPANDD, VPORD),
        "v_xad_u32" => Two(VPXORD, VPADDD),
        "v_or3_b32" => Bits(0xfe),
        "v_xor3_b32" => Bits(0x96),
        "v_bfi_b32" => Bits(0xca),
        "v_mul_u32_u24" => Product24 {
            signed: false,
            added: false,
        },
        "v_mul_i32_i24" => Product24 {
            signed: true,
            added: false,
        },
        "v_mad_u32_u24" => Product24 {
            signed: false,
            added: true,
        },
        "v_mad_i32_i24" => Product24 {
            signed: true,
            added: true,
        },
        "v_mul_hi_u32" => ProductHigh,
        "v_mad_u64_u32" => ProductWide,
        "v_add_co_u32" => Add { carry_in: false },
        "v_addc_co_u32" => Add { carry_in: true },
        "v_sub_co_u32" => Subtract {
            reversed: false,
            borrow_in: false,
        },
        "v_subrev_co_u32" => Subtract {
            reversed: true,
            borrow_in: false,
        },
        "v_subb_co_u32" => Subtract {
            reversed: false,
            borrow_in: true,
        },
        "v_subbrev_co_u32" => Subtract {
            reversed: true,
            borrow_in: true,
        },
        "v_cndmask_b32" => Select,
        "v_lshlrev_b64" => ShiftWide {
            left: true,
            signed: false,
        },
        "v_lshrrev_b64" => ShiftWide {
            left: false,
            signed: false,
        },
        "v_ashrrev_i64" => ShiftWide {
            left: false,
            signed: true,
        },
        "v_lshl_add_u64" => ShiftAddWide,
        "v_mov_b64" => MoveWide,
        "v_add_nc_u64" => AddWide,
        "v_pk_add_f32" => FloatPair(VADDPS),
        "v_pk_mul_f32" => FloatPair(VMULPS),
        "v_pk_fma_f32" => FmaPair,
        "v_add_f64" => Double(VADDPD),
        "v_mul_f64" => Double(VMULPD),
        "v_fma_f64" | "v_fmac_f64" => FmaDouble,
        "v_min_f64" => RangeDouble(4),
        "v_max_f64" => RangeDouble(5),
        "v_rndne_f64" => RoundDouble(8),
        "v_floor_f64" => RoundDouble(9),
        "v_ceil_f64" => RoundDouble(10),
        "v_trunc_f64" => RoundDouble(11),
        _ => return comparison(name),
    })
}

/// Whether a source is one that translated code reads: a register or a constant.
fn readable(src: Src, ty: Ty) -> bool {
    match src {
        Src::None | Src::Vgpr(_) | Src::Const(_) => true,
        // A pair that starts at NULL is no pair of registers.
        Src::Sgpr(i) => ty.dwords() == 1 || usize::from(i) != sreg::NULL && i < 127,
        _ => false,
    }
}

fn vector(op: &Op) -> Option<Vector> {
    let simple: Simple = op.valu.as_deref()?.simple()?;
    let recipe = recipe(simple.name)?;
    let mut sources = simple.dwords.map(|dwords| Source {
        src: Src::None,
        dwords,
    });
    for (i, to) in sources.iter_mut().enumerate() {
        let ty = simple.sources[i];
        if ty == Ty::None {
            continue;
        }
        if !readable(op.s[i], ty) {
            return None;
        }
        to.src = op.s[i];
    }
    // Counts of 64-bit shifts are known when they are translated.
    let count = match recipe {
        Recipe::ShiftWide { .. } => Some(op.s[0]),
        Recipe::ShiftAddWide => Some(op.s[1]),
        _ => None,
    };
    if count.is_some_and(|c| !matches!(c, Src::Const(_))) {
        return None;
    }
    let mask_out = match simple.mask {
        MaskUse::None | MaskUse::Select => None,
        MaskUse::Compare | MaskUse::CarryOut | MaskUse::CarryInOut => {
            match simple.mask_out as usize {
                sreg::NULL => None,
                d if d < sreg::TTMP0 => Some(d as u8),
                _ => return None,
            }
        }
        _ => return None,
    };
    let takes_mask = matches!(simple.mask, MaskUse::Select | MaskUse::CarryInOut);
    let mask_in = if takes_mask {
        simple.mask_in
    } else {
        Src::None
    };
    if !matches!(mask_in, Src::None | Src::Const(_)) && !readable(mask_in, Ty::B64) {
        return None;
    }
    Some(Vector {
        recipe,
        sources,
        d: op.d,
        mask_in,
        mask_out,
    })
}

fn share(name: &str, op: &Op) -> Option<Share> {
    let (stores, two, dwords) = match name {
        "ds_read_b32" | "ds_load_b32" => (false, false, 1),
        "ds_read_b64" | "ds_load_b64" => (false, false, 2),
        "ds_read_b96" | "ds_load_b96" => (false, false, 3),
        "ds_read_b128" | "ds_load_b128" => (false, false, 4),
        "ds_read2_b32" | "ds_load_2addr_b32" => (false, true, 1),
        "ds_read2st64_b32" | "ds_load_2addr_stride64_b32" => (false, true, 1),
        "ds_read2_b64" | "ds_load_2addr_b64" => (false, true, 2),
        "ds_read2st64_b64" | "ds_load_2addr_stride64_b64" => (false, true, 2),
        // Lanes of a wider store that overlap are ordered whole, not dword by dword.
        "ds_write_b32" | "ds_store_b32" => (true, false, 1),
        "ds_write2_b32" | "ds_store_2addr_b32" => (true, true, 1),
        "ds_write2st64_b32" | "ds_store_2addr_stride64_b32" => (true, true, 1),
        _ => return None,
    };
    if op.mem.in_lds.is_some() {
        return None;
    }
    let offsets = [op.mem.offset as u32, op.mem.offset1 as u32];
    let data = match (stores, two) {
        (true, true) => [op.d, op.d2],
        (true, false) => [op.d2, 0],
        (false, _) => [op.d, op.d + dwords],
    };
    Some(Share {
        stores,
        dwords,
        address: op.target,
        places: [(offsets[0], data[0]), (offsets[1], data[1])],
        two,
    })
}

fn lane(name: &str, op: &Op) -> Option<Work> {
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

fn branch(name: &str, op: &Op) -> Option<Work> {
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

fn scalar(name: &str, op: &Op) -> Option<Scalar> {
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
