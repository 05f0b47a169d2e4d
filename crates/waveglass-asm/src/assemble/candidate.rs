//! A row of the instruction table as one of a mnemonic's forms, with what is known of it before a
//! line is read.

use super::matcher::For;
use super::modifier::Mod;
use super::modifier_field::modifiers;
use super::operand::Line;
use super::pattern::{self, Form, Pattern};
use waveglass_isa::{Field, ImmStyle, Implicit, InstBits, InstDef, InstFlags, OperandKind, Target};

/// One row under a mnemonic.
pub(super) struct Candidate {
    pub(super) def: &'static InstDef,
    pub(super) pattern: Pattern,
    pub(super) check: Check,
    /// The instruction's bits without operands and modifiers; `None` where a modifier must be
    /// written.
    pub(super) plain: Option<[u32; 4]>,
    /// A memory operation through FLAT addresses that changes what it reads: the bit of the cache
    /// policy that asks for the value goes with a place for it.
    pub(super) flat_atomic: bool,
    /// The field of an immediate operand that a template does not name.
    pub(super) hidden_fi: bool,
    pub(super) bus: Bus,
    pub(super) rule: Rule,
    /// Several operands are halves of registers.
    pub(super) halves: bool,
}

/// What is checked of an instruction when its operands are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    Nothing,
    Vector,
    /// A store of buffers, which has no use for TFE.
    Store,
    Image,
    /// Tensor moves, whose descriptors have one size.
    Tensor,
    /// Global wave sync of CDNA 2 and later.
    EvenRegister,
    /// S_WAITCNT_VSCNT and its kin.
    NullFirst,
    Barrier,
    NoLiteral,
}

/// A rule that few vector operations have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    Nothing,
    /// Packed binary32 of CDNA 5, which reads one register of a scalar source.
    OneScalar,
    /// Its sources are registers and inline constants.
    NoLiteral,
    /// What it moves is in a VGPR.
    Moves,
}

/// What a vector instruction may read of scalar values.
#[derive(Clone, Copy)]
pub(super) struct Bus {
    /// At most so many; `usize::MAX` where nothing is counted.
    pub(super) limit: usize,
    /// VCC is read without being named.
    pub(super) vcc: bool,
    /// There is a constant in the encoding.
    pub(super) constant: bool,
    /// The lane select of V_WRITELANE in M0 is no operand of the vector ALU.
    pub(super) lane_select: bool,
}

impl Candidate {
    pub(super) fn new(def: &'static InstDef, target: Target) -> Self {
        let pattern = pattern::compile(def);
        let operands = def.shape.operands;
        let encoding = def.encoding();
        let hidden_fi = !pattern.mods.iter().any(|(m, _)| *m == Mod::Fi)
            && operands
                .iter()
                .any(|o| o.kind == OperandKind::Imm(ImmStyle::Dpp8fi));
        let flat_atomic = def
            .flags
            .intersects(InstFlags::ATOMIC_RET | InstFlags::ATOMIC_NO_RET)
            && (encoding.contains("FLAT") || encoding == "ENC_VGLOBAL");
        let mut c = Self {
            def,
            check: check(def, target),
            plain: None,
            flat_atomic,
            hidden_fi,
            bus: bus(def, pattern.form, target),
            rule: rule(def, pattern.form, target),
            halves: operands.iter().filter(|o| is_half(o.kind)).count() > 1,
            pattern,
        };
        c.plain = c.without_modifiers(target);
        c
    }

    /// The bits of the row and of the defaults of modifiers; they do not depend on the wave size.
    fn without_modifiers(&self, target: Target) -> Option<[u32; 4]> {
        let on = For {
            target,
            wave_size: target.default_wave_size(),
        };
        let mut bits = InstBits::new(self.def, target, on.wave_size);
        modifiers(&Line::new(), self, &mut bits, on).ok()?;
        let words = *bits.finish().words().first_chunk()?;
        let kept = self.def.value.iter().zip(words).all(|(v, w)| w & v == *v);
        kept.then_some(words)
    }
}

fn check(def: &InstDef, target: Target) -> Check {
    let name = def.mnemonic;
    match name.as_bytes()[0] {
        b'v' => Check::Vector,
        b't' if name.starts_with("tensor_") => Check::Tensor,
        b'b' | b't'
            if def.flags.contains(InstFlags::STORE) && !def.flags.contains(InstFlags::LOAD) =>
        {
            Check::Store
        }
        b'i' => Check::Image,
        b'd' if name.starts_with("ds_gws") && target.has_gfx90a_insts() => Check::EvenRegister,
        b's' if name.starts_with("s_waitcnt_") && target.major() >= 11 => Check::NullFirst,
        b's' if name.contains("barrier") => Check::Barrier,
        b's' if name == "s_cbranch_g_fork" => Check::NoLiteral,
        _ => Check::Nothing,
    }
}

/// Whether a register in an operand of this kind is a half.
pub(super) fn is_half(kind: OperandKind) -> bool {
    use OperandKind::{SrcHalf, SrcLitHalf, SrcLitLo, VgprHalf, VgprLo, VgprSrcHalf, VgprSrcLo};
    matches!(
        kind,
        VgprLo | VgprHalf | VgprSrcHalf | VgprSrcLo | SrcLitHalf | SrcLitLo | SrcHalf
    )
}

fn rule(def: &InstDef, form: Form, target: Target) -> Rule {
    match def.mnemonic {
        "v_pk_add_f32" | "v_pk_mul_f32" | "v_pk_fma_f32" if target.has_gfx1250_insts() => {
            Rule::OneScalar
        }
        "v_wmma_ld_scale_paired_b32" | "v_wmma_ld_scale16_paired_b64" => Rule::NoLiteral,
        name if name.starts_with("v_movrels") && form == Form::Sdwa => Rule::Moves,
        _ => Rule::Nothing,
    }
}

fn bus(def: &InstDef, form: Form, target: Target) -> Bus {
    let operands = def.shape.operands;
    Bus {
        limit: match def.encoding().contains("VOP") {
            true => bus_limit(def.mnemonic, form, target),
            false => usize::MAX,
        },
        vcc: def.reads.contains(Implicit::VCC),
        constant: operands
            .iter()
            .any(|o| o.field == Field::Imm || o.field == Field::ImmX),
        lane_select: def.mnemonic == "v_writelane_b32",
    }
}

/// How many scalar values an instruction may read (Vega ISA 6.2.1, RDNA1 ISA 6.2.1).
fn bus_limit(name: &str, form: Form, target: Target) -> usize {
    if target.major() < 10 {
        return 1;
    }
    let shift64 = !target.has_gfx1250_insts()
        && matches!(name, "v_lshlrev_b64" | "v_lshrrev_b64" | "v_ashrrev_i64")
        && matches!(form, Form::E64);
    if shift64 { 1 } else { 2 }
}
