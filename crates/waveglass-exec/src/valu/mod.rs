//! Vector ALU operations: how a lane kernel becomes an executed instruction.
//!
//! A [`Spec`] names an instruction's kernel and operand types. [`compile`] resolves an
//! instruction's operands and modifiers around it. Sources that are plain registers go to the
//! kernel as they are; everything else (scalars, constants, neg/abs, halves, SDWA, DPP) is first
//! laid out in a temporary register, and results that need clamping, merging or masking come
//! back through one. So the kernels never know of modifiers.

mod dpp;
mod execute;
mod ignored;
#[cfg(test)]
mod ignored_tests;
pub mod kernel;
mod modified;
mod modifiers;
mod observe;
mod result;
#[cfg(test)]
mod rounding_tests;
pub mod scalar;
mod simd;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod way_tests;
mod ways;

pub use dpp::Dpp;
pub(crate) use dpp::permute;
pub(crate) use dpp::{Moves, Row};
pub(crate) use execute::answers_to_mode;
use execute::{
    broadcast, mask_in, merge, merge_register, mode_flushes_input, mode_flushes_output,
    run_lower_half, run_observed, run_plain, run_registers, run_slow, temp, write_mask,
};
pub use kernel::{Builds, Kernel, LaneOp, Ty};
pub use modifiers::{Part, SourceMods};
pub use result::{ClampKind, ResultMods};

use crate::exceptions::Rule;
use crate::program::{Compile, Op, Src, Step};
use crate::rows::ROW_LANES;
use crate::semantics::Directed;
use crate::semantics::refuse;
use crate::wave::{Mode, sreg};
use observe::Observed;
pub(crate) use observe::{run_watched, watch};
use waveglass_isa::{Field, Operand, OperandType, RegFile};
pub(crate) use ways::{Bits, Insertion, Way};

/// Registers of a temporary: the widest operand of a lane kernel has four.
const TEMP_REGISTERS: u32 = 4;

/// What an instruction's mask operands do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaskUse {
    /// Lanes in, lanes out.
    None,
    /// Lanes in, a mask out (`v_cmp_*`).
    Compare,
    /// The same, and EXEC gets the mask too (`v_cmpx_*`; from gfx10 on only EXEC).
    CompareExec,
    /// A carry out (`v_add_co_u32`).
    CarryOut,
    /// A carry in and a carry out (`v_addc_co_u32`).
    CarryInOut,
    /// A mask in (`v_cndmask_b32`).
    Select,
    /// VCC in, whatever the third source is (`v_div_fmas_f32`).
    Vcc,
    /// The kernel gets the truth table of `v_bitop3_b32`.
    TruthTable,
    /// The kernel gets NEG_LO, whose bit says that a source is signed (`v_dot4_i32_iu8`).
    Signed,
    /// The kernel's setting holds OP_SEL and the clamp bit too (conversions of 8-bit floats).
    Selection,
}

/// How the high half of a 16-bit result's register fares on gfx9 (Vega ISA 6.4: most operations
/// write zero there; those added with gfx9's `op_sel` keep it). From gfx10 on it is always kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum High16 {
    /// Written with zeros on gfx9.
    ZeroOnGfx9,
    /// Kept on every target.
    Keep,
    /// The result goes to the high half and the low one is kept (`v_fma_mixhi_f16`).
    Upper,
}

/// An instruction's arithmetic and operand types.
#[derive(Clone, Copy)]
pub struct Spec {
    /// The mnemonic.
    pub name: &'static str,
    /// The kernel.
    pub kernel: Builds,
    /// Source types; `Ty::None` past the last.
    pub sources: [Ty; 3],
    /// The result's type; `Ty::None` for comparisons.
    pub result: Ty,
    /// Mask operands.
    pub mask: MaskUse,
    /// What the clamp bit does.
    pub clamp: ClampKind,
    /// The other half of a 16-bit result.
    pub high: High16,
    /// The third source is the destination's old value (`v_fmac_f32`).
    pub accumulate: bool,
}

/// What a vector op needs beyond its slots.
#[derive(Clone, Debug)]
pub struct ValuInfo {
    /// The name of its [`Spec`].
    name: &'static str,
    /// The clamp bit has put another kernel in the usual one's place.
    saturates: bool,
    sources: [Ty; 3],
    /// A bit for each source that is no register as it is.
    special: u8,
    result: Ty,
    mask: MaskUse,
    mods: [SourceMods; 3],
    /// What the modifiers come to under MODE's defaults.
    ways: [Way; 3],
    dpp: Option<Dpp>,
    out: ResultMods,
    /// The part of its register that the result goes to.
    part: Insertion,
    /// Where a mask is read from.
    mask_in: Src,
    /// Where a mask is written to; `sreg::NULL` for none.
    mask_out: u32,
    /// The kernels of the directed rounding modes, where rounding has an effect.
    directed: Option<Directed>,
    /// FP16_OVFL acts on the result.
    overflows: bool,
    /// Denormals are flushed whatever MODE says, which the usual kernel does by itself.
    flushes: bool,
    /// How exceptions follow from the operands, where anything watches them.
    exceptions: Option<Rule>,
    /// The name of a half of a VOPD pair, which is an op of its own.
    half: Option<&'static str>,
}

impl Spec {
    /// The kernels of the directed rounding modes.
    fn directed(&self) -> Option<Directed> {
        crate::semantics::directed(self.name)
    }

    /// Whether FP16_OVFL acts on the result. The quotient's special cases are no overflows.
    fn overflows(&self, target: waveglass_isa::Target) -> bool {
        match self.result {
            Ty::F16 | Ty::PkF16 => !self.name.starts_with("v_div_fixup"),
            // "PK_{FMA, ADD, MUL}_BF16 use FP16_OVFL", and it "applies when the destination is FP16 or BF16" of a
            // conversion (CDNA5 ISA 7.7, 7.6).
            Ty::PkBf16 => {
                target.has_gfx1250_insts()
                    && ["v_pk_fma_", "v_pk_add_", "v_pk_mul_", "v_cvt_"]
                        .iter()
                        .any(|p| self.name.starts_with(p))
            }
            _ => false,
        }
    }
}

/// An op as MODE's defaults have it, with all that its modifiers do settled: what a translation needs to
/// know.
#[derive(Clone, Debug)]
pub(crate) struct Simple {
    /// The name of its [`Spec`].
    pub(crate) name: &'static str,
    /// Source types.
    pub(crate) sources: [Ty; 3],
    /// How the sources get from their registers to the operation.
    pub(crate) ways: [Way; 3],
    /// Which sources are singles, whose denormals MODE may flush.
    pub(crate) singles: [bool; 3],
    /// Where the first source's lanes come from, if not from their own.
    pub(crate) moves: Option<Moves>,
    /// The result's type.
    pub(crate) result: Ty,
    /// What the output modifier multiplies the result by.
    pub(crate) factor: Option<f32>,
    /// The output modifier acts whatever MODE says; else not where denormals are kept.
    pub(crate) always_scales: bool,
    /// The clamp bit is set.
    pub(crate) clamp: bool,
    /// The part of its register that the result goes to.
    pub(crate) part: Insertion,
    /// Mask operands.
    pub(crate) mask: MaskUse,
    /// Where a mask is read from.
    pub(crate) mask_in: Src,
    /// Where a mask is written to.
    pub(crate) mask_out: u32,
}

impl ValuInfo {
    /// The op of this information as one that is [`Simple`], if it is.
    pub(crate) fn simple(&self, op: &Op) -> Option<Simple> {
        if self.saturates {
            return None;
        }
        Some(Simple {
            name: self.name,
            sources: self.sources,
            ways: self.ways,
            singles: std::array::from_fn(|i| match self.sources[i] {
                Ty::F32 | Ty::PkF32 => true,
                Ty::Mix | Ty::MixBf16 => !self.mods[i].takes_half(),
                _ => false,
            }),
            moves: match &self.dpp {
                Some(dpp) => Some(dpp.moves()?),
                None => None,
            },
            result: self.result,
            factor: self.out.factor(),
            always_scales: kernel::Setting(op.imm).major() >= 12,
            clamp: self.out.clamps(),
            part: self.part,
            mask: self.mask,
            mask_in: self.mask_in,
            mask_out: self.mask_out,
        })
    }

    /// Says that the op is a half of a VOPD pair.
    pub(crate) fn name_half(&mut self, name: &'static str) {
        self.half = Some(name);
    }

    /// Reads the upper half of the first source's register.
    pub(crate) fn take_upper_half(&mut self) {
        self.mods[0] = SourceMods::upper_half();
        self.ways[0] = self.mods[0].way(self.sources[0]);
        self.special |= 1;
    }

    /// The kernel under a MODE: `nearest`, or that of the rounding mode which holds for the result.
    fn kernel(&self, nearest: Kernel, mode: Mode) -> Kernel {
        let round = match self.result {
            Ty::F32 | Ty::PkF32 => mode.round_f32(),
            _ => mode.round_f16_f64(),
        };
        match (round as usize, &self.directed) {
            (0, _) | (_, None) => nearest,
            (r, Some(kernels)) => kernels[r - 1],
        }
    }

    /// Registers that a source covers.
    pub fn source_dwords(&self, i: usize) -> u32 {
        self.sources.get(i).map_or(0, |t| t.dwords())
    }

    /// Registers that the result covers.
    pub fn result_dwords(&self) -> usize {
        self.result.dwords() as usize
    }
}

/// A kernel for ops that have none.
pub fn no_kernel() -> Kernel {
    struct Nothing;
    impl LaneOp for Nothing {
        fn run<const L: usize>(_: &mut [u32], _: usize, _: [usize; 3], _: usize, _: u64) -> u64 {
            0
        }
    }
    kernel::builds::<Nothing>()[0]
}

/// The fields that hold an instruction's sources, in order.
fn source_fields(c: &Compile<'_>, spec: &Spec) -> [Option<Field>; 3] {
    let has = |f: Field| c.inst.operand_def(f).is_some().then_some(f);
    // v_fmamk: d = s0 * K + s1. v_fmaak: d = s0 * s1 + K. K sits in the literal's place.
    if has(Field::Imm).is_some() {
        let m = c.inst.mnemonic();
        if m.contains("mk_") {
            return [Some(Field::Src0), Some(Field::Imm), Some(Field::Src1)];
        }
        return [Some(Field::Src0), Some(Field::Src1), Some(Field::Imm)];
    }
    let mut fields = [has(Field::Src0), has(Field::Src1), has(Field::Src2)];
    if spec.accumulate {
        fields[2] = None;
    }
    fields
}

/// Compiles a vector instruction around its spec.
pub fn compile(c: &Compile<'_>, spec: &Spec) -> Op {
    let fields = source_fields(c, spec);
    compile_with(c, spec, fields, Field::Vdst)
}

/// Compiles with the operands in the given fields (a half of a VOPD pair has names of its own).
pub fn compile_with(c: &Compile<'_>, spec: &Spec, fields: [Option<Field>; 3], dst: Field) -> Op {
    let mut op = c.op(modified::run_modified);
    op.kernel = spec.kernel[kernel::level()];
    let mut info = ValuInfo {
        name: spec.name,
        saturates: false,
        sources: spec.sources,
        special: 0,
        result: spec.result,
        mask: spec.mask,
        mods: [SourceMods::default(); 3],
        ways: [Way::Plain; 3],
        dpp: None,
        out: ResultMods::default(),
        part: Insertion::WHOLE,
        mask_in: Src::None,
        mask_out: sreg::NULL as u32,
        directed: spec.directed(),
        overflows: spec.overflows(c.inst.target()),
        flushes: ignored::denormals(c.inst.target(), spec.name),
        exceptions: None,
        half: None,
    };
    for (i, field) in fields.into_iter().enumerate() {
        if spec.sources[i] == Ty::None {
            continue;
        }
        let Some(field) = field else {
            if i == 2 && spec.accumulate {
                op.s[i] = c.vector_dst(dst).map_or(Src::Const(0), Src::Vgpr);
                info.mods[i] = SourceMods::of_accumulator(c, spec.sources[i], dst);
                continue;
            }
            return refuse(c, "an operand is missing");
        };
        op.s[i] = match spec.sources[i].is_mix() {
            true => mix_source(c, i, field),
            false => c.src(field),
        };
        info.mods[i] = SourceMods::of(c, i, spec.sources[i], field);
    }
    if spec.result != Ty::None
        && matches!(
            spec.mask,
            MaskUse::None
                | MaskUse::CarryOut
                | MaskUse::CarryInOut
                | MaskUse::Select
                | MaskUse::Vcc
                | MaskUse::TruthTable
                | MaskUse::Signed
                | MaskUse::Selection
        )
    {
        match c.inst.operand(dst) {
            Some(Operand::Reg(r)) if matches!(r.file, RegFile::Vgpr | RegFile::Agpr) => {
                match c.vector_dst(dst) {
                    Some(d) => op.d = d,
                    // Past the allocation: nothing is written.
                    None => return c.op(|_, _| Step::Next),
                }
            }
            _ => return refuse(c, "the destination is no vector register"),
        }
    }
    info.dpp = match Dpp::of(c) {
        Ok(d) => d,
        Err(why) => return refuse(c, why),
    };
    info.out = ResultMods::of(c, spec, dst);
    info.part = info.out.insertion();
    if let ClampKind::Saturating(builds) = spec.clamp
        && c.inst.field(Field::Clamp) != 0
        && !ignored::clamp(c.inst.target(), spec.name)
    {
        op.kernel = builds[kernel::level()];
        info.saturates = true;
    }
    match spec.mask {
        MaskUse::None | MaskUse::Selection => {}
        MaskUse::Compare | MaskUse::CompareExec => {
            info.mask_out = mask_destination(c, spec.mask);
        }
        MaskUse::CarryOut => info.mask_out = carry_out(c),
        MaskUse::CarryInOut => {
            info.mask_in = mask_source(c, dst);
            info.mask_out = carry_out(c);
        }
        MaskUse::Select => info.mask_in = mask_source(c, dst),
        MaskUse::Vcc => info.mask_in = Src::Sgpr(sreg::VCC_LO as u8),
        MaskUse::Signed => info.mask_in = Src::Const(signed_sources(c)),
        MaskUse::TruthTable => info.mask_in = Src::Const(c.inst.field(Field::Bitop3) & 0xff),
    }
    let n = c.rows * ROW_LANES as u32;
    for i in 0..3 {
        op.lanes[i + 1] = (c.temp_base + TEMP_REGISTERS * i as u32) * n;
    }
    place(&mut op, n);
    let unmodified = info.dpp.is_none()
        && info.mods.iter().all(|m| m.is_none())
        && spec.result.dwords() <= 2
        && !spec.sources.iter().any(|t| t.is_mix());
    if unmodified {
        let registers = op.s.iter().all(|s| matches!(s, Src::Vgpr(_) | Src::None))
            && matches!(spec.mask, MaskUse::None | MaskUse::Selection);
        if info.out.is_plain() {
            op.run = if registers { run_registers } else { run_plain };
        } else if registers && info.out.is_lower_half() {
            op.run = run_lower_half;
        }
    }
    let floats = spec
        .sources
        .iter()
        .chain([&spec.result])
        .any(|t| t.is_float());
    op.imm = u64::from(floats) | kernel::Setting::of_target(c.inst.target());
    if spec.mask == MaskUse::Selection {
        op.imm |= kernel::Setting::selection(c.inst);
    }
    for i in 0..3 {
        info.ways[i] = info.mods[i].way(spec.sources[i]);
        let register = matches!(op.s[i], Src::Vgpr(_)) && info.ways[i] == Way::Plain;
        let moved = i == 0 && info.dpp.is_some();
        if op.s[i] != Src::None && (!register || moved) {
            info.special |= 1 << i;
        }
    }
    op.valu = Some(Box::new(info));
    op
}

/// A source of `v_fma_mix`: a constant is as wide as OP_SEL_HI makes the source.
fn mix_source(c: &Compile<'_>, i: usize, field: Field) -> Src {
    let mods = [
        Field::Src0Modifiers,
        Field::Src1Modifiers,
        Field::Src2Modifiers,
    ];
    let half = c.inst.field(mods[i]) & 8 != 0;
    match c.inst.operand(field) {
        Some(Operand::InlineInt(v)) if !half => Src::Const(v as i32 as u32 as u64),
        Some(Operand::InlineFloat(selector)) if !half => {
            Src::Const(Operand::inline_float_bits(selector, OperandType::Float, 32))
        }
        Some(Operand::Literal(v)) => Src::Const(v as u64),
        _ => c.src(field),
    }
}

/// Works out where the kernel finds the vector registers that an op names, in a wave of `n` lanes.
pub(crate) fn place(op: &mut Op, n: u32) {
    op.lanes[0] = op.d * n;
    for i in 0..3 {
        if let Src::Vgpr(r) = op.s[i] {
            op.lanes[i + 1] = r * n;
        }
    }
}

/// Where a comparison's mask goes: `sdst`, VCC in the short forms, EXEC for `v_cmpx` from gfx10.
fn mask_destination(c: &Compile<'_>, mask: MaskUse) -> u32 {
    let gfx10 = c.inst.target().major() >= 10;
    if mask == MaskUse::CompareExec && gfx10 {
        return sreg::NULL as u32;
    }
    for f in [Field::Sdst, Field::Vdst] {
        if let Some(Operand::Reg(r)) = c.inst.operand(f) {
            return crate::program::scalar_number(r);
        }
    }
    sreg::VCC_LO as u32
}

fn carry_out(c: &Compile<'_>) -> u32 {
    match c.inst.operand(Field::Sdst) {
        Some(Operand::Reg(r)) => crate::program::scalar_number(r),
        _ => sreg::VCC_LO as u32,
    }
}

/// NEG_LO of the two factors: bit 0 of each source's modifiers.
fn signed_sources(c: &Compile<'_>) -> u64 {
    let bit = |f| c.inst.field(f) & 1;
    bit(Field::Src0Modifiers) | bit(Field::Src1Modifiers) << 1
}

/// A mask source: the third operand of the long forms, else VCC.
fn mask_source(c: &Compile<'_>, dst: Field) -> Src {
    let field = match dst {
        Field::VdstX => Field::Vsrc2X,
        Field::VdstY => Field::Vsrc2Y,
        _ => Field::Src2,
    };
    match c.inst.operand_def(field) {
        Some(o) => c.src_of(o),
        None => Src::Sgpr(sreg::VCC_LO as u8),
    }
}
