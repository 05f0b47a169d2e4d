//! Writing code from a program: mnemonics, registers and numbers as values, no text.

use super::diagnostic::Problem;
use super::expression::Expr;
use super::matcher::{self, Fixup, For, Matched};
use super::mnemonics::Table;
use super::modifier::Mod;
use super::operand::{Line, Value};
use waveglass_isa::{Mnemonic, Reg, RegFile, Target};

/// An operand: a register or a number, with modifiers of a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arg {
    value: ArgValue,
    neg: bool,
    abs: bool,
    sext: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ArgValue {
    Reg(Reg),
    Int(i64),
    Float(f64),
    Off,
    Label(Label),
}

impl Arg {
    /// `off`: no register.
    pub const OFF: Arg = Arg::new(ArgValue::Off);

    const fn new(value: ArgValue) -> Self {
        Self {
            value,
            neg: false,
            abs: false,
            sext: false,
        }
    }

    /// The absolute value of the source.
    #[must_use]
    pub fn abs(mut self) -> Self {
        self.abs = true;
        self
    }

    /// The sign-extended source (SDWA).
    #[must_use]
    pub fn sext(mut self) -> Self {
        self.sext = true;
        self
    }
}

impl std::ops::Neg for Arg {
    type Output = Self;

    /// The negated source.
    fn neg(mut self) -> Self {
        self.neg = !self.neg;
        self
    }
}

impl From<Reg> for Arg {
    fn from(r: Reg) -> Self {
        Arg::new(ArgValue::Reg(r))
    }
}

impl From<i32> for Arg {
    fn from(v: i32) -> Self {
        Arg::new(ArgValue::Int(v as i64))
    }
}

impl From<u32> for Arg {
    fn from(v: u32) -> Self {
        Arg::new(ArgValue::Int(v as i64))
    }
}

impl From<i64> for Arg {
    fn from(v: i64) -> Self {
        Arg::new(ArgValue::Int(v))
    }
}

impl From<f32> for Arg {
    fn from(v: f32) -> Self {
        Arg::new(ArgValue::Float(v as f64))
    }
}

impl From<f64> for Arg {
    fn from(v: f64) -> Self {
        Arg::new(ArgValue::Float(v))
    }
}

impl From<Label> for Arg {
    fn from(l: Label) -> Self {
        Arg::new(ArgValue::Label(l))
    }
}

/// Registers by short names.
pub mod reg {
    use super::{Reg, RegFile};

    /// `vcc`.
    pub const VCC: Reg = Reg::new(RegFile::Vcc, 0, 2);
    /// `vcc_lo`.
    pub const VCC_LO: Reg = Reg::new(RegFile::Vcc, 0, 1);
    /// `exec`.
    pub const EXEC: Reg = Reg::new(RegFile::Exec, 0, 2);
    /// `exec_lo`.
    pub const EXEC_LO: Reg = Reg::new(RegFile::Exec, 0, 1);
    /// `m0`.
    pub const M0: Reg = Reg::new(RegFile::M0, 0, 1);
    /// `null`.
    pub const NULL: Reg = Reg::new(RegFile::Null, 0, 1);

    /// The VGPR `v<index>`.
    pub const fn v(index: u16) -> Reg {
        Reg::new(RegFile::Vgpr, index, 1)
    }

    /// So many VGPRs from `v<index>` on.
    pub const fn vs(index: u16, count: u8) -> Reg {
        Reg::new(RegFile::Vgpr, index, count)
    }

    /// The SGPR `s<index>`.
    pub const fn s(index: u16) -> Reg {
        Reg::new(RegFile::Sgpr, index, 1)
    }

    /// So many SGPRs from `s<index>` on.
    pub const fn ss(index: u16, count: u8) -> Reg {
        Reg::new(RegFile::Sgpr, index, count)
    }

    /// So many AGPRs from `a<index>` on.
    pub const fn acc(index: u16, count: u8) -> Reg {
        Reg::new(RegFile::Agpr, index, count)
    }
}

/// A modifier of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modifier {
    /// An offset in bytes.
    Offset(i64),
    /// The first offset of a DS instruction with two.
    Offset0(u8),
    /// The second offset.
    Offset1(u8),
    /// The cache policy's bits: GLC (SC0) 0, SLC (NT) 1, DLC 2, SCC (SC1) 4; from gfx12 on the
    /// temporal hint in 2:0, the scope in 4:3, NV 5, the scaled offset 11.
    CachePolicy(u16),
    /// The VGPR holds an offset.
    Offen,
    /// The VGPR holds an index.
    Idxen,
    /// To LDS.
    Lds,
    /// Global data share.
    Gds,
    /// Texture fail enable.
    Tfe,
    /// The result is clamped.
    Clamp,
    /// The output modifier: 1 for `mul:2`, 2 for `mul:4`, 3 for `div:2`.
    Omod(u8),
    /// Halves that sources read, a bit each, and the result's behind them.
    OpSel(u8),
    /// Halves for the high results of packed instructions.
    OpSelHi(u8),
    /// Negation for the low results.
    NegLo(u8),
    /// Negation for the high results.
    NegHi(u8),
    /// DPP_CTRL as the encoding has it, as in 0x111 for `row_shr:1`.
    Dpp(u16),
    /// Lanes of DPP8, three bits each.
    Dpp8(u32),
    /// Rows that DPP writes.
    RowMask(u8),
    /// Banks that DPP writes.
    BankMask(u8),
    /// Lanes without a source read zero.
    BoundCtrl,
    /// Inactive lanes are read.
    Fi,
    /// Components of an image access.
    Dmask(u8),
    /// The dimension of an image, by its number.
    Dim(u8),
    /// Texels of 16 bits.
    D16,
    /// Addresses of 16 bits.
    A16,
    /// Coordinates are not normalised.
    Unorm,
    /// The format of a typed buffer access, by its number.
    Format(u8),
    /// CBSZ.
    Cbsz(u8),
    /// ABID.
    Abid(u8),
    /// BLGP.
    Blgp(u8),
    /// The truth table of V_BITOP3.
    Bitop3(u8),
    /// The part of the result that SDWA writes, by its number.
    DstSel(u8),
    /// The part of the first source that SDWA reads.
    Src0Sel(u8),
    /// The part of the second source.
    Src1Sel(u8),
}

impl Modifier {
    fn parts(self) -> (Mod, i64) {
        use Modifier as M;
        // Lists carry how many they are, here as many as there may be.
        let list = |v: u8| v as i64 | 4 << 8;
        match self {
            M::Offset(v) => (Mod::Offset, v),
            M::Offset0(v) => (Mod::Offset0, v as i64),
            M::Offset1(v) => (Mod::Offset1, v as i64),
            M::CachePolicy(v) => (Mod::Cpol, v as i64),
            M::Offen => (Mod::Offen, 1),
            M::Idxen => (Mod::Idxen, 1),
            M::Lds => (Mod::Lds, 1),
            M::Gds => (Mod::Gds, 1),
            M::Tfe => (Mod::Tfe, 1),
            M::Clamp => (Mod::Clamp, 1),
            M::Omod(v) => (Mod::Omod, v as i64),
            M::OpSel(v) => (Mod::OpSel, list(v)),
            M::OpSelHi(v) => (Mod::OpSelHi, list(v)),
            M::NegLo(v) => (Mod::NegLo, list(v)),
            M::NegHi(v) => (Mod::NegHi, list(v)),
            M::Dpp(v) => (Mod::DppCtrl, v as i64),
            M::Dpp8(v) => (Mod::Dpp8, v as i64),
            M::RowMask(v) => (Mod::RowMask, v as i64),
            M::BankMask(v) => (Mod::BankMask, v as i64),
            M::BoundCtrl => (Mod::BoundCtrl, 1),
            M::Fi => (Mod::Fi, 1),
            M::Dmask(v) => (Mod::Dmask, v as i64),
            M::Dim(v) => (Mod::Dim, v as i64),
            M::D16 => (Mod::D16, 1),
            M::A16 => (Mod::A16, 1),
            M::Unorm => (Mod::Unorm, 1),
            M::Format(v) => (Mod::Format, v as i64),
            M::Cbsz(v) => (Mod::Cbsz, v as i64),
            M::Abid(v) => (Mod::Abid, v as i64),
            M::Blgp(v) => (Mod::Blgp, v as i64),
            M::Bitop3(v) => (Mod::Bitop3, v as i64),
            M::DstSel(v) => (Mod::DstSel, v as i64),
            M::Src0Sel(v) => (Mod::Src0Sel, v as i64),
            M::Src1Sel(v) => (Mod::Src1Sel, v as i64),
        }
    }
}

/// A place in code under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(u32);

/// Why an instruction cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// The target has no such instruction.
    #[error("{target} has no {mnemonic}")]
    NoInstruction {
        /// The target.
        target: Target,
        /// The mnemonic.
        mnemonic: &'static str,
    },
    /// No form of the instruction takes the operands.
    #[error("{mnemonic}: {message}")]
    Operands {
        /// The mnemonic.
        mnemonic: &'static str,
        /// What is wrong.
        message: String,
    },
    /// A label that was never bound.
    #[error("a branch to a label that is bound nowhere")]
    Unbound,
    /// A label that is too far away for a branch.
    #[error("branch size exceeds simm16")]
    TooFar,
}

/// Writes instructions one after another. Operands choose the encoding as they do in text.
///
/// ```
/// use waveglass_asm::{Arg, CodeBuilder, Modifier, reg};
/// use waveglass_isa::{Target, op};
///
/// let mut b = CodeBuilder::new(Target::Gfx90a, 64);
/// let top = b.label();
/// b.bind(top);
/// b.inst(op::V_ADD_F32, &[reg::v(0).into(), 1.0.into(), reg::v(1).into()], &[])?;
/// b.inst(
///     op::GLOBAL_STORE_DWORD,
///     &[reg::vs(2, 2).into(), reg::v(0).into(), Arg::OFF],
///     &[Modifier::Offset(16)],
/// )?;
/// b.inst(op::S_BRANCH, &[top.into()], &[])?;
/// assert_eq!(b.finish()?.len(), 4 + 8 + 4);
/// # Ok::<(), waveglass_asm::BuildError>(())
/// ```
pub struct CodeBuilder {
    on: For,
    table: &'static Table,
    line: Line,
    code: Vec<u8>,
    labels: Vec<Option<u64>>,
    branches: Vec<(u64, Label)>,
}

impl CodeBuilder {
    /// Code for a target and a wave size of 32 or 64.
    pub fn new(target: Target, wave_size: u32) -> Self {
        Self {
            on: For { target, wave_size },
            table: Table::of(target),
            line: Line::new(),
            code: Vec::new(),
            labels: Vec::new(),
            branches: Vec::new(),
        }
    }

    /// A label that is bound later, or before the branches to it.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    /// Puts a label here.
    pub fn bind(&mut self, label: Label) {
        let at = self.code.len() as u64;
        if let Some(l) = self.labels.get_mut(label.0 as usize) {
            *l = Some(at);
        }
    }

    /// How many bytes there are so far.
    pub fn offset(&self) -> u64 {
        self.code.len() as u64
    }

    /// Appends an instruction.
    ///
    /// # Errors
    ///
    /// [`BuildError`] where the target has no such instruction or it does not take the operands.
    pub fn inst(
        &mut self,
        mnemonic: Mnemonic,
        operands: &[Arg],
        modifiers: &[Modifier],
    ) -> Result<(), BuildError> {
        let name = mnemonic.name();
        let forms = self
            .table
            .find(name.as_bytes())
            .ok_or(BuildError::NoInstruction {
                target: self.on.target,
                mnemonic: name,
            })?;
        let wrong = |p: Problem| BuildError::Operands {
            mnemonic: name,
            message: p.message.into_owned(),
        };
        self.line.clear();
        let mut label = None;
        for a in operands {
            let value = match a.value {
                ArgValue::Reg(r) => Value::Reg(r),
                ArgValue::Int(v) => Value::Int(v),
                ArgValue::Float(v) => Value::Float(v),
                ArgValue::Off => Value::Off,
                ArgValue::Label(l) => {
                    label = Some(l);
                    Value::Expr(Expr::Node(0))
                }
            };
            self.line.add(value, a.neg, a.abs, a.sext).map_err(wrong)?;
        }
        for m in modifiers {
            let (m, v) = m.parts();
            self.line.given |= 1 << m as u32;
            self.line.values[m as usize] = v;
            self.line.places[m as usize] = 0;
        }
        let mut m = Matched::new(self.on);
        matcher::find(&self.line, forms, None, self.on, &mut m).map_err(wrong)?;
        match (m.fixup, label) {
            (Some((Fixup::Branch, _)), Some(l)) => {
                self.branches.push((self.code.len() as u64, l));
            }
            (Some(_), _) => return Err(wrong(Problem::at(0, "a label is not possible here"))),
            _ => {}
        }
        for w in &m.bits.words()[..m.bits.size() / 4] {
            self.code.extend_from_slice(&w.to_le_bytes());
        }
        Ok(())
    }

    /// The code, with branches to their labels.
    ///
    /// # Errors
    ///
    /// [`BuildError::Unbound`] and [`BuildError::TooFar`].
    pub fn finish(mut self) -> Result<Vec<u8>, BuildError> {
        for (at, label) in self.branches {
            let to = self
                .labels
                .get(label.0 as usize)
                .copied()
                .flatten()
                .ok_or(BuildError::Unbound)?;
            let dwords = (to as i64 - at as i64 - 4) / 4;
            let short = i16::try_from(dwords).map_err(|_| BuildError::TooFar)?;
            let at = at as usize;
            self.code[at..at + 2].copy_from_slice(&short.to_le_bytes());
        }
        Ok(self.code)
    }
}
