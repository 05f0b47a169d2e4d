//! Rules of single vector operations.

use super::candidate::{Candidate, Rule, is_half};
use super::diagnostic::Problem;
use super::modifier::Mod;
use super::operand::{Line, Value};
use super::pattern::Want;
use waveglass_isa::{Field, InstBits, RegFile};

/// Rejects what the rule of an operation forbids.
#[cold]
pub(super) fn check(line: &Line, c: &Candidate, bits: &InstBits) -> Result<(), Problem> {
    let at = |n: usize| line.ops().get(n).map_or(0, |o| o.at as usize);
    match c.rule {
        Rule::Nothing => Ok(()),
        Rule::OneScalar => one_scalar(line, c),
        Rule::NoLiteral if bits.has_literal() => {
            let literal = |v: &Value| matches!(v, Value::Int(_) | Value::Float(_) | Value::Expr(_));
            let n = line.ops().iter().position(|o| literal(&o.value));
            Err(Problem::at(
                n.map_or(0, at),
                "invalid operand for instruction: literals are not supported",
            ))
        }
        Rule::NoLiteral => Ok(()),
        Rule::Moves => match line.ops().get(1).map(|o| o.value) {
            Some(Value::Reg(r)) if r.file == RegFile::Vgpr => Ok(()),
            _ => Err(Problem::at(at(1), "source operand must be a VGPR")),
        },
    }
}

/// Operands of 16 bits are written as halves, or all of them as registers for LLVM's older spelling.
pub(super) fn mixed(line: &Line, c: &Candidate) -> Result<(), Problem> {
    let (mut halves, mut whole) = (false, None);
    for (op, want) in line.ops().iter().zip(c.pattern.written(line.count)) {
        if let (Want::Source { operand, .. }, Value::Reg(r)) = (want, op.value)
            && r.file == RegFile::Vgpr
            && is_half(c.def.shape.operands[*operand as usize].kind)
        {
            match r.half {
                Some(_) => halves = true,
                None => whole = whole.or(Some((r, op.at))),
            }
        }
    }
    match whole {
        Some((r, at)) if halves => Err(Problem::at(
            at as usize,
            "invalid operand for instruction: halves and whole registers are mixed",
        )
        .help(format!("{r}.l and {r}.h are the halves of {r}"))),
        _ => Ok(()),
    }
}

/// A scalar source gives one register to both halves, which op_sel does not choose (CDNA5 ISA
/// 7.7.1). LLVM looks away from the registers of trap handlers.
fn one_scalar(line: &Line, c: &Candidate) -> Result<(), Problem> {
    let lo = line.value(Mod::OpSel).unwrap_or(0);
    let hi = line.value(Mod::OpSelHi).unwrap_or(7);
    for (op, want) in line.ops().iter().zip(&c.pattern.wants) {
        let (Want::Source { operand, .. }, Value::Reg(r)) = (want, op.value) else {
            continue;
        };
        let n = match c.def.shape.operands[*operand as usize].field {
            Field::Src0 => 0,
            Field::Src1 => 1,
            Field::Src2 => 2,
            _ => continue,
        };
        if matches!(r.file, RegFile::Vgpr | RegFile::Null | RegFile::Ttmp) {
            continue;
        }
        let wrong = match (lo >> n & 1, hi >> n & 1) {
            (0, 0) => continue,
            (0, _) => Mod::OpSelHi,
            _ => Mod::OpSel,
        };
        let at = match line.has(wrong) {
            true => line.places[wrong as usize],
            false => op.at,
        };
        return Err(Problem::at(at as usize, "invalid op_sel operand").help(format!(
            "{} reads one register of {r} for both halves: op_sel and op_sel_hi of src{n} are 0",
            c.def.mnemonic
        )));
    }
    Ok(())
}
