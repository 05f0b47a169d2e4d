//! From operands as written to an instruction: the first row of the mnemonic that takes them.

use super::candidate::Candidate;
use super::diagnostic::Problem;
use super::expression::Expr;
use super::mnemonics::Forms;
use super::modifier::Mod;
use super::modifier_field::modifiers;
use super::operand::{Line, Op, Value};
use super::operand_field::{number, source};
use super::pattern::{Form, Pattern, Want};
use super::validate;
use waveglass_isa::{
    Field, IMAGE_BITS, InstBits, InstDef, InstFlags, MATRIX_BITS, Operand, Reg, RegFile, Target,
    rows,
};

/// An instruction, and the expression that fills its last dword or its branch offset.
pub(super) struct Matched {
    pub(super) bits: InstBits,
    pub(super) fixup: Option<(Fixup, Expr)>,
}

impl Matched {
    /// Room for an instruction.
    pub(super) fn new(on: For) -> Self {
        Self {
            bits: InstBits::new(&rows()[0], on.target, on.wave_size),
            fixup: None,
        }
    }
}

/// What an expression that is not known yet fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fixup {
    /// The 32-bit literal behind the instruction.
    Literal,
    /// The 64-bit literal behind it.
    Literal64,
    /// SIMM16 as a distance in dwords.
    Branch,
    /// SIMM16 as a number.
    Simm16,
}

/// A candidate that does not take the operands, and how far it got.
pub(super) struct Reject {
    /// Later is nearer.
    pub(super) rank: u32,
    pub(super) problem: Problem,
}

pub(super) fn reject(
    rank: u32,
    at: usize,
    message: impl Into<std::borrow::Cow<'static, str>>,
) -> Reject {
    Reject {
        rank,
        problem: Problem::at(at, message),
    }
}

/// What is assembled for.
#[derive(Clone, Copy)]
pub(super) struct For {
    pub(super) target: Target,
    pub(super) wave_size: u32,
}

/// Finds the row that takes the line, and makes the instruction in `m`.
#[inline]
pub(super) fn find(
    line: &Line,
    forms: &Forms,
    suffix: Option<Form>,
    on: For,
    m: &mut Matched,
) -> Result<(), Problem> {
    for c in forms.of(suffix) {
        let other = c.def.wave != 0 && c.def.wave as u32 != on.wave_size;
        // Most forms that a line is not of are told from it by what is written, not by how.
        if other || !is_plausible(line, &c.pattern) || candidate(line, c, on, m).is_err() {
            continue;
        }
        // A pair that breaks the rules of one encoding may keep those of the other.
        if line.split != 0 && validate::pair(line, c, on).is_err() {
            continue;
        }
        // The form is chosen by its operands; what else is wrong is said of it.
        return validate::check(line, c, &m.bits, on);
    }
    Err(problem(line, forms, suffix, on, m))
}

/// Whether a pattern has as many operands as the line, and takes its modifiers.
#[inline]
fn is_plausible(line: &Line, p: &Pattern) -> bool {
    let most = p.wants.len();
    let skip = most.wrapping_sub(line.count);
    (skip == 0 || skip == p.implied as usize || p.optional_last && skip == 1)
        && (line.split == 0 || line.split == p.split)
        && line.given & !p.accepted == 0
        && p.required & !line.given == 0
}

/// Why no row takes the line: what is wrong with the one that is nearest to it.
#[cold]
fn problem(line: &Line, forms: &Forms, suffix: Option<Form>, on: For, m: &mut Matched) -> Problem {
    let mut best: Option<Reject> = None;
    let candidates = forms.of(suffix);
    for c in candidates {
        if c.def.wave != 0 && c.def.wave as u32 != on.wave_size {
            continue;
        }
        let found = candidate(line, c, on, m).err().or_else(|| {
            let problem = validate::pair(line, c, on).err()?;
            Some(Reject {
                rank: 1000,
                problem,
            })
        });
        if let Some(r) = found
            && best.as_ref().is_none_or(|b| r.rank > b.rank)
        {
            best = Some(r);
        }
    }
    if let (true, Some(f)) = (candidates.is_empty(), suffix) {
        return Problem::at(
            0,
            format!(
                "{} variant of this instruction is not supported on {}",
                &f.suffix()[1..],
                on.target
            ),
        );
    }
    best.map_or_else(
        || {
            Problem::at(
                0,
                format!(
                    "{} exists for waves of {} lanes only",
                    forms.name,
                    96 - on.wave_size
                ),
            )
        },
        |r| r.problem,
    )
}

fn candidate(line: &Line, c: &Candidate, on: For, m: &mut Matched) -> Result<(), Reject> {
    let p = &c.pattern;
    let ops = line.ops();
    let most = p.wants.len();
    let skip = most.saturating_sub(ops.len());
    if skip != 0 && skip != p.implied as usize && !(p.optional_last && skip == 1)
        || ops.len() > most
    {
        return Err(counts(line, most));
    }
    if line.split != 0 && line.split != p.split {
        return Err(reject(1, 0, "wrong number of operands before '::'"));
    }
    let wrong = line.given & !p.accepted;
    if wrong != 0 {
        return Err(unwanted(line, wrong, c.def, on.target));
    }
    if p.required & !line.given != 0 {
        let m = Mod::of(p.required & !line.given).next();
        return Err(reject(
            3,
            0,
            format!("{} is missing", m.map_or("a modifier", Mod::name)),
        ));
    }
    if line.ordered > 0 {
        in_order(line, p, skip)?;
    }
    let Matched { bits, fixup } = m;
    *bits = InstBits::new(c.def, on.target, on.wave_size);
    *fixup = None;
    let operands = c.def.shape.operands;
    match c.plain {
        Some(plain) if line.given == 0 => bits.or_words(plain),
        _ => modifiers(line, c, bits, on)?,
    }
    for (n, (op, want)) in ops.iter().zip(p.written(ops.len())).enumerate() {
        let rank = 100 + 2 * n as u32;
        let at = op.at as usize;
        match *want {
            Want::Source { operand, mods } => {
                let o = &operands[operand as usize];
                source(op, o, mods.map(|m| &operands[m as usize]), bits, fixup, on).map_err(
                    |mut r| {
                        r.rank += rank;
                        r
                    },
                )?;
            }
            Want::Number { operand, style } => {
                number(
                    op,
                    &operands[operand as usize],
                    style,
                    c.def,
                    bits,
                    fixup,
                    on,
                )
                .map_err(|mut r| {
                    r.rank += rank;
                    r
                })?;
            }
            Want::Vcc => {
                let wanted = Reg::new(RegFile::Vcc, 0, (on.wave_size / 32) as u8);
                if op.value != Value::Reg(wanted) || signed(op) {
                    return Err(reject(rank, at, format!("expected {wanted}")));
                }
            }
            Want::Vcc64 => {
                if op.value != Value::Reg(Reg::new(RegFile::Vcc, 0, 2)) || signed(op) {
                    return Err(reject(rank, at, "expected vcc"));
                }
            }
            Want::Off => {
                if op.value != Value::Off || signed(op) {
                    return Err(reject(rank, at, "expected off"));
                }
            }
            Want::M0 => {
                if op.value != Value::Reg(Reg::new(RegFile::M0, 0, 1)) || signed(op) {
                    return Err(reject(rank, at, "expected m0"));
                }
            }
            Want::Addresses(first) => {
                addresses(line, op, first as usize, c.def, bits, rank)?;
            }
        }
    }
    finish(line, c, bits, on)
}

fn signed(op: &Op) -> bool {
    op.neg || op.abs || op.sext
}

/// Modifiers stand behind their operands, in the order in which they are printed.
fn in_order(line: &Line, p: &Pattern, skipped: usize) -> Result<(), Reject> {
    if line.policy_split {
        let at = line.places[Mod::Cpol as usize] as usize;
        return Err(reject(5, at, "no commas stand within a cache policy"));
    }
    let mut last = (0, Mod::Offset);
    for &(m, operands) in &line.order[..line.ordered] {
        let (rank, before) = p.ranks[m as usize];
        let at = line.places[m as usize] as usize;
        if (operands as usize) < line.count && operands as usize + skipped < before as usize {
            return Err(reject(
                5,
                at,
                format!("{} stands behind the operands", m.name()),
            ));
        }
        if rank < last.0 {
            return Err(reject(
                5,
                at,
                format!("{} stands before {}", m.name(), last.1.name()),
            ));
        }
        last = (rank, m);
    }
    Ok(())
}

fn counts(line: &Line, wanted: usize) -> Reject {
    if line.count > wanted {
        reject(
            2,
            line.ops[wanted].at as usize,
            "too many operands for instruction",
        )
    } else {
        reject(2, 0, "too few operands for instruction")
    }
}

fn unwanted(line: &Line, wrong: u64, def: &InstDef, target: Target) -> Reject {
    let m = Mod::of(wrong).min_by_key(|m| line.places[*m as usize]);
    match m {
        Some(m) => reject(
            10,
            line.places[m as usize] as usize,
            format!("{} does not take {} on {target}", def.mnemonic, m.name()),
        ),
        None => reject(10, 0, "not a valid operand."),
    }
}

/// Checks that hold for the whole instruction.
fn finish(line: &Line, c: &Candidate, bits: &mut InstBits, on: For) -> Result<(), Reject> {
    let def = c.def;
    let shape = def.shape;
    if c.pattern.export {
        export(line, c, bits);
    }
    if c.pattern.implied_bits != [0; 4] {
        bits.or_words(c.pattern.implied_bits);
    }
    let fixed = bits
        .words()
        .iter()
        .zip(&shape.mask)
        .zip(&def.value)
        .all(|((w, m), v)| w & m == *v & m);
    if !fixed || c.flat_atomic && !returns_as_asked(line, def, on.target) {
        return Err(clobbered(line, def, on.target));
    }
    // Register counts that other fields decide.
    let sized = if c.pattern.sized { line.ops() } else { &[] };
    for (op, want) in sized.iter().zip(&c.pattern.wants) {
        if let (Want::Source { operand, .. }, Value::Reg(r)) = (want, op.value) {
            let o = &shape.operands[*operand as usize];
            if !(o.bits == IMAGE_BITS || o.bits == MATRIX_BITS) {
                continue;
            }
            let wanted = bits.finish().operand_dwords(o);
            if r.dwords != wanted {
                let what = if o.bits == MATRIX_BITS {
                    "wrong register tuple size for the matrix format"
                } else if matches!(o.field, Field::Vdata | Field::VdataIn | Field::Vdst) {
                    "image data size does not match dmask, d16 and tfe"
                } else {
                    "image address size does not match dim and a16"
                };
                return Err(reject(
                    90,
                    op.at as usize,
                    format!(
                        "{what}: {wanted} registers are needed, {} are given",
                        r.dwords
                    ),
                ));
            }
        }
    }
    Ok(())
}

/// The bit that asks for the value before the operation goes with a place for it; the hint of
/// later targets may be without one.
fn returns_as_asked(line: &Line, def: &InstDef, target: Target) -> bool {
    let returns = def.shape.operands.iter().any(|o| o.field == Field::Vdst);
    let asked = line.value(Mod::Cpol).is_some_and(|policy| policy & 1 != 0);
    match asked {
        true => returns || target.major() >= 12,
        false => !returns,
    }
}

fn clobbered(line: &Line, def: &InstDef, target: Target) -> Reject {
    let at = line
        .value(Mod::Cpol)
        .map_or(0, |_| line.places[Mod::Cpol as usize]) as usize;
    if def
        .flags
        .intersects(InstFlags::ATOMIC_RET | InstFlags::ATOMIC_NO_RET)
    {
        let word = if target.has_gfx940_insts() {
            "sc0"
        } else if target.major() >= 12 {
            "th:TH_ATOMIC_RETURN"
        } else {
            "glc"
        };
        let returns = def.shape.operands.iter().any(|o| o.field == Field::Vdst);
        return reject(
            80,
            at,
            if returns {
                format!("instruction must use {word}")
            } else {
                format!("instruction must not use {word}")
            },
        );
    }
    reject(80, at, "the operands do not fit this instruction")
}

fn addresses(
    line: &Line,
    op: &Op,
    first: usize,
    def: &'static InstDef,
    bits: &mut InstBits,
    rank: u32,
) -> Result<(), Reject> {
    let at = op.at as usize;
    let single;
    let list: &[Reg] = match op.value {
        _ if signed(op) => return Err(reject(rank, at, "expected image addresses")),
        Value::List(start, n) => &line.list[start as usize..start as usize + n as usize],
        Value::Reg(r) => {
            single = [r];
            &single
        }
        _ => return Err(reject(rank, at, "expected image addresses")),
    };
    for (n, r) in list.iter().enumerate() {
        let Some(o) = def
            .shape
            .operands
            .get(first + n)
            .filter(|o| o.field >= Field::Vaddr0 && o.field.name().starts_with("vaddr"))
        else {
            return Err(reject(
                rank,
                at,
                "image address size does not match dim and a16",
            ));
        };
        bits.set_operand(o, Operand::Reg(*r))
            .map_err(|_| reject(rank, at, "invalid operand for instruction"))?;
    }
    let inst = bits.finish();
    // Ray intersections have addresses of fixed sizes.
    let listed = match inst.listed_addresses() as usize {
        0 => def
            .shape
            .operands
            .iter()
            .filter(|o| o.field.name().starts_with("vaddr"))
            .count(),
        n => n,
    };
    let sizes = list.iter().enumerate().all(|(n, r)| {
        def.shape
            .operands
            .get(first + n)
            .is_some_and(|o| inst.operand_dwords(o) == r.dwords)
    });
    if listed != list.len() || !sizes {
        return Err(reject(
            rank + 1,
            at,
            "image address size does not match dim and a16",
        ));
    }
    Ok(())
}

/// EN and the sources of compressed exports (RDNA1 ISA 11.2).
fn export(line: &Line, c: &Candidate, bits: &mut InstBits) {
    let compressed = line.value(Mod::Compr) == Some(1);
    let sources = [Field::Src0, Field::Src1, Field::Src2, Field::Src3];
    let mut en = 0;
    let mut regs = [None; 4];
    for (op, want) in line.ops().iter().zip(&c.pattern.wants) {
        if let (Want::Source { operand, .. }, Value::Reg(r)) = (want, op.value) {
            let field = c.def.shape.operands[*operand as usize].field;
            if let Some(n) = sources.iter().position(|f| *f == field) {
                regs[n] = Some(r.index);
            }
        }
    }
    let raw = |bits: &mut InstBits, field: Field, v: u64| {
        if let Some(o) = c.def.shape.operands.iter().find(|o| o.field == field) {
            bits.set_raw(o, v);
        }
    };
    if compressed {
        regs[1] = regs[2];
        regs[2] = None;
        regs[3] = None;
    }
    for (n, (r, field)) in regs.iter().zip(sources).enumerate() {
        raw(bits, field, r.unwrap_or(0) as u64);
        if r.is_some() {
            en |= if compressed { 3 << (2 * n) } else { 1 << n };
        }
    }
    raw(bits, Field::En, en & 15);
}
