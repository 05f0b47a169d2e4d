//! From operands as written to an instruction: the first row of the mnemonic that takes them.

use super::constant::{self, Misfit};
use super::diagnostic::Problem;
use super::expression::Expr;
use super::modifier::Mod;
use super::operand::{Line, Literal, Op, Value};
use super::pattern::{Candidate, Form, Group, Pattern, Want};
use super::validate;
use waveglass_isa::{
    EncodeError, Field, IMAGE_BITS, ImmStyle, Inst, InstBits, InstDef, InstFlags, MATRIX_BITS,
    ModStyle, NO_MODS, Operand, OperandDef, OperandKind, OperandType, Reg, RegFile, Target,
};

/// An instruction, and the expression that fills its last dword or its branch offset.
#[derive(Clone, Copy)]
pub(super) struct Matched {
    pub(super) inst: Inst,
    pub(super) fixup: Option<(Fixup, Expr)>,
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
struct Reject {
    /// Later is nearer.
    rank: u32,
    problem: Problem,
}

fn reject(rank: u32, at: usize, message: impl Into<std::borrow::Cow<'static, str>>) -> Reject {
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

/// Finds the row that takes the line.
pub(super) fn find(
    line: &Line,
    group: &Group,
    candidates: &[Candidate],
    forced: Option<Form>,
    on: For,
) -> Result<Matched, Problem> {
    let mut best: Option<Reject> = None;
    let mut any_form = false;
    for c in candidates {
        if forced.is_some_and(|f| f != c.pattern.form) {
            // A form without suffix in the table takes the suffix of its size.
            continue;
        }
        any_form = true;
        if c.def.wave != 0 && c.def.wave as u32 != on.wave_size {
            continue;
        }
        match candidate(line, c, on) {
            Ok(m) => {
                // A pair that breaks the rules of one encoding may keep those of the other.
                if let Err(problem) = validate::pair(line, c, on) {
                    if best.as_ref().is_none_or(|b| b.rank < 1000) {
                        best = Some(Reject {
                            rank: 1000,
                            problem,
                        });
                    }
                    continue;
                }
                // The form is chosen by its operands; what else is wrong is said of it.
                validate::check(line, c, &m.inst, on)?;
                return Ok(m);
            }
            Err(r) => {
                if best.as_ref().is_none_or(|b| r.rank > b.rank) {
                    best = Some(r);
                }
            }
        }
    }
    if let (false, Some(f)) = (any_form, forced) {
        return Err(Problem::at(
            0,
            format!(
                "{} variant of this instruction is not supported on {}",
                &f.suffix()[1..],
                on.target
            ),
        ));
    }
    Err(best.map_or_else(
        || {
            Problem::at(
                0,
                format!(
                    "{} exists for waves of {} lanes only",
                    group.name,
                    96 - on.wave_size
                ),
            )
        },
        |r| r.problem,
    ))
}

#[inline]
fn candidate(line: &Line, c: &Candidate, on: For) -> Result<Matched, Reject> {
    let p = c.pattern;
    let ops = line.ops();
    // VCC that comparisons write may be left out.
    let skip = (p.implied_vcc && ops.len() + 1 == p.wants.len()) as usize;
    let wants = &p.wants[skip..];
    if ops.len() != wants.len() && !(p.optional_last && ops.len() + 1 == wants.len()) {
        return Err(counts(line, wants.len()));
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
    let mut bits = InstBits::new(c.def, on.target, on.wave_size);
    let operands = c.def.shape.operands;
    modifiers(line, c, &mut bits, on)?;
    let mut fixup = None;
    for (n, (op, want)) in ops.iter().zip(wants).enumerate() {
        let rank = 100 + 2 * n as u32;
        let at = op.at as usize;
        match *want {
            Want::Source { operand, mods } => {
                let o = &operands[operand as usize];
                source(
                    op,
                    o,
                    mods.map(|m| &operands[m as usize]),
                    &mut bits,
                    &mut fixup,
                    on,
                )
                .map_err(|mut r| {
                    r.rank += rank;
                    r
                })?;
            }
            Want::Number { operand, style } => {
                number(
                    op,
                    &operands[operand as usize],
                    style,
                    c.def,
                    &mut bits,
                    &mut fixup,
                    on,
                )
                .map_err(|mut r| {
                    r.rank += rank;
                    r
                })?;
            }
            Want::Vcc => {
                let wanted = Reg::new(RegFile::Vcc, 0, (on.wave_size / 32) as u8);
                if op.value != Value::Reg(wanted) {
                    return Err(reject(rank, at, format!("expected {wanted}")));
                }
            }
            Want::Vcc64 => {
                if op.value != Value::Reg(Reg::new(RegFile::Vcc, 0, 2)) {
                    return Err(reject(rank, at, "expected vcc"));
                }
            }
            Want::Off => {
                if op.value != Value::Off {
                    return Err(reject(rank, at, "expected off"));
                }
            }
            Want::M0 => {
                if op.value != Value::Reg(Reg::new(RegFile::M0, 0, 1)) {
                    return Err(reject(rank, at, "expected m0"));
                }
            }
            Want::Addresses(first) => {
                addresses(line, op, first as usize, c.def, &mut bits, rank)?;
            }
        }
    }
    finish(line, c, bits, fixup, on)
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
fn finish(
    line: &Line,
    c: &Candidate,
    mut bits: InstBits,
    fixup: Option<(Fixup, Expr)>,
    on: For,
) -> Result<Matched, Reject> {
    let def = c.def;
    let shape = def.shape;
    if def.mnemonic.starts_with("exp") {
        export(line, c, &mut bits);
    }
    if c.pattern.implied != [0; 4] {
        bits.or_words(c.pattern.implied);
    }
    let inst = bits.finish();
    let fixed = inst
        .words()
        .iter()
        .zip(&shape.mask)
        .zip(&def.value)
        .all(|((w, m), v)| w & m == *v & m);
    let policy = if line.has(Mod::Cpol) {
        line.values[Mod::Cpol as usize]
    } else {
        0
    };
    let returns = def.flags.contains(InstFlags::ATOMIC_RET);
    let silent = def.flags.contains(InstFlags::ATOMIC_NO_RET);
    // The bit that asks for the value before the operation goes with a place for it.
    let unasked = returns != silent && returns != (policy & 1 != 0);
    let flat = def.encoding().contains("FLAT") || def.encoding() == "ENC_VGLOBAL";
    if !fixed || unasked && flat {
        return Err(clobbered(line, def, on.target));
    }
    // Register counts that other fields decide.
    for (op, want) in line.ops().iter().zip(&c.pattern.wants) {
        if let (Want::Source { operand, .. }, Value::Reg(r)) = (want, op.value) {
            let o = &shape.operands[*operand as usize];
            if !(o.bits == IMAGE_BITS || o.bits == MATRIX_BITS) {
                continue;
            }
            let wanted = inst.operand_dwords(o);
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
    Ok(Matched { inst, fixup })
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
        let returns = def.flags.contains(InstFlags::ATOMIC_RET);
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

/// A register or constant.
#[inline]
fn source(
    op: &Op,
    o: &OperandDef,
    mods: Option<&OperandDef>,
    bits: &mut InstBits,
    fixup: &mut Option<(Fixup, Expr)>,
    on: For,
) -> Result<(), Reject> {
    let at = op.at as usize;
    if op.neg || op.abs || op.sext {
        source_modifiers(op, mods, bits)?;
    }
    match op.value {
        Value::Reg(r) => {
            bits.set_operand(o, Operand::Reg(r))
                .map_err(|e| register_problem(e, r, o, at, on))?;
            Ok(())
        }
        Value::Int(_) | Value::Float(_) => {
            let wide =
                on.target.has_gfx1250_insts() && !bits.def().shape.encoding.starts_with("ENC_VOP3");
            let v = constant::choose(op.value, op.literal, o, wide).map_err(|m| misfit(m, at))?;
            // A constant with modifiers of floats is one of floats.
            if matches!(v, Operand::Literal(_))
                && matches!(op.value, Value::Int(_))
                && (op.neg || op.abs)
                && o.ty == OperandType::Float
                && o.bits == 64
            {
                return Err(reject(0, at, "invalid operand for instruction"));
            }
            bits.set_operand(o, v).map_err(|e| constant_problem(e, at))
        }
        Value::Expr(e) => {
            let (kind, v) = match op.literal {
                Literal::Lit64 => (Fixup::Literal64, Operand::Literal64(0)),
                Literal::Any if o.bits == 64 && on.target.has_gfx1250_insts() => {
                    (Fixup::Literal64, Operand::Literal64(0))
                }
                _ => (Fixup::Literal, Operand::Literal(0)),
            };
            bits.set_operand(o, v)
                .map_err(|e| constant_problem(e, at))?;
            *fixup = Some((kind, e));
            Ok(())
        }
        Value::Off => bits
            .set_operand(o, Operand::Off)
            .map_err(|_| reject(0, at, "off is not possible here")),
        Value::List(..) => Err(reject(0, at, "invalid operand for instruction")),
    }
}

fn source_modifiers(op: &Op, mods: Option<&OperandDef>, bits: &mut InstBits) -> Result<(), Reject> {
    let at = op.at as usize;
    let style = match mods.map(|m| m.kind) {
        Some(OperandKind::Mods(style)) => Some(style),
        _ => None,
    };
    let float = matches!(
        style,
        Some(ModStyle::Fp | ModStyle::Fp16 | ModStyle::Packed)
    );
    let integer = matches!(
        style,
        Some(ModStyle::Sext | ModStyle::Int | ModStyle::Int16)
    );
    if (op.neg || op.abs) && !float {
        return Err(reject(
            0,
            at,
            "neg and abs are not possible for this operand",
        ));
    }
    if op.sext && !integer {
        return Err(reject(0, at, "sext is not possible for this operand"));
    }
    if let Some(m) = mods {
        let raw = op.neg as u64 | (op.abs as u64) << 1 | (op.sext as u64) << 4;
        let there: u64 = m
            .spans
            .iter()
            .map(|&(_, at, w)| ((1u64 << w) - 1) << at)
            .sum();
        if raw & !there != 0 {
            return Err(reject(
                0,
                at,
                "this modifier is not possible for this operand",
            ));
        }
        bits.or_raw(m, raw);
    }
    Ok(())
}

fn misfit(m: Misfit, at: usize) -> Reject {
    match m {
        Misfit::TooWide => reject(
            1,
            at,
            "invalid operand: the literal does not fit the operand",
        ),
        Misfit::FloatForInteger => reject(
            1,
            at,
            "invalid operand: a 64-bit integer takes no floating-point literal",
        ),
        Misfit::Float => reject(
            1,
            at,
            "invalid operand: the number overflows or underflows the operand's format",
        ),
    }
}

fn constant_problem(e: EncodeError, at: usize) -> Reject {
    match e {
        EncodeError::Kind => reject(0, at, "invalid operand: a register is needed here"),
        EncodeError::NoLiteral => reject(1, at, "literal operands are not supported"),
        e => reject(1, at, e.to_string()),
    }
}

fn register_problem(e: EncodeError, r: Reg, o: &OperandDef, at: usize, on: For) -> Reject {
    match e {
        EncodeError::Kind => reject(
            0,
            at,
            format!("invalid operand for instruction: {r} is not possible here"),
        ),
        EncodeError::Size { wanted, given } => reject(
            1,
            at,
            format!(
                "invalid operand for instruction: {wanted} registers are needed, {r} is {given}"
            ),
        ),
        EncodeError::Alignment(n) => reject(
            1,
            at,
            if matches!(r.file, RegFile::Vgpr | RegFile::Agpr) {
                format!(
                    "invalid register class: vgpr tuples must be 64 bit aligned on {}",
                    on.target
                )
            } else {
                format!("invalid register alignment: {r} must start at a multiple of {n}")
            },
        ),
        EncodeError::Range
            if matches!(
                o.kind,
                OperandKind::VgprLo | OperandKind::VgprSrcLo | OperandKind::SrcLitLo
            ) =>
        {
            reject(
                1,
                at,
                format!("{r} is out of range: this form takes halves of v0 to v127"),
            )
        }
        EncodeError::NoRegister => reject(
            1,
            at,
            format!("{r} register not available on {}", on.target),
        ),
        e => reject(1, at, e.to_string()),
    }
}

/// A number that goes into a field as it is.
fn number(
    op: &Op,
    o: &OperandDef,
    style: ImmStyle,
    def: &InstDef,
    bits: &mut InstBits,
    fixup: &mut Option<(Fixup, Expr)>,
    on: For,
) -> Result<(), Reject> {
    let at = op.at as usize;
    let width: u32 = o.spans.iter().map(|s| s.2 as u32).sum();
    if op.neg || op.abs || op.sext {
        return Err(reject(0, at, "invalid operand for instruction"));
    }
    let v = match op.value {
        Value::Expr(e) => {
            *fixup = Some(match style {
                ImmStyle::Soppbrtarget => (Fixup::Branch, e),
                ImmStyle::Kimmfp32 | ImmStyle::Kimmfp16 => (Fixup::Literal, e),
                _ if width == 16 => (Fixup::Simm16, e),
                ImmStyle::I32imm if width == 32 => (Fixup::Literal, e),
                _ => return Err(reject(0, at, "expected an absolute expression")),
            });
            return Ok(());
        }
        Value::Int(_) | Value::Float(_)
            if matches!(
                style,
                ImmStyle::Kimmfp16 | ImmStyle::Kimmfp32 | ImmStyle::Kimmfp64
            ) =>
        {
            let (bits_of, operand): (u32, fn(u64) -> Operand) = match style {
                ImmStyle::Kimmfp16 => (16, |v| Operand::Literal(v as u32)),
                ImmStyle::Kimmfp32 => (32, |v| Operand::Literal(v as u32)),
                _ => (64, Operand::Literal64),
            };
            let mut v = constant::field(op.value, bits_of).map_err(|m| misfit(m, at))?;
            if style == ImmStyle::Kimmfp64
                && let Value::Int(i) = op.value
                && op.literal != Literal::Lit64
                && u32::try_from(i).is_ok()
            {
                v = (i as u64) << 32;
            }
            // A source that asks for a literal shares this one.
            bits.share_constant(v)
                .map_err(|e| constant_problem(e, at))?;
            return bits
                .set_operand(o, operand(v))
                .map_err(|e| constant_problem(e, at));
        }
        Value::Int(v) => v,
        Value::Float(_) | Value::Reg(_) | Value::Off | Value::List(..) => {
            return Err(reject(
                0,
                at,
                "invalid operand for instruction: a number is needed here",
            ));
        }
    };
    let raw = match style {
        ImmStyle::Interpattr => {
            bits.set(Field::Attrchan, Operand::Imm(v >> 8))
                .map_err(|_| reject(0, at, "invalid operand for instruction"))?;
            v & 0xff
        }
        ImmStyle::Smemoffset => {
            scalar_offset(v, def, on).map_err(|m| reject(1, at, m))?;
            v
        }
        ImmStyle::Hwreg
        | ImmStyle::Sendmsg
        | ImmStyle::Swaitcnt
        | ImmStyle::Depctr
        | ImmStyle::Sdelayalu => {
            if !(-0x8000..=0xffff).contains(&v) {
                return Err(reject(
                    1,
                    at,
                    "invalid immediate: only 16-bit values are legal",
                ));
            }
            v & 0xffff
        }
        ImmStyle::Gpridxmode if !(0..=15).contains(&v) => {
            return Err(reject(
                1,
                at,
                "invalid immediate: only 4-bit values are legal",
            ));
        }
        ImmStyle::U16imm | ImmStyle::Endpgm if !(0..=0xffff).contains(&v) => {
            return Err(reject(1, at, "expected a 16-bit unsigned value"));
        }
        ImmStyle::S16imm | ImmStyle::Soppbrtarget if !(-0x8000..=0xffff).contains(&v) => {
            return Err(reject(1, at, "expected a 16-bit value"));
        }
        _ => v,
    };
    if width < 64 && raw >> width != 0 && raw >> (width - 1) != -1 {
        return Err(reject(
            1,
            at,
            format!("the value does not fit a field of {width} bits"),
        ));
    }
    bits.set_raw(o, raw as u64);
    Ok(())
}

/// Offsets of scalar memory instructions (Vega ISA 7.2, RDNA1 ISA 7.2, RDNA4 ISA 8.2.1).
fn scalar_offset(v: i64, def: &InstDef, on: For) -> Result<(), String> {
    let buffer = def
        .shape
        .operands
        .iter()
        .any(|o| o.field == Field::Sbase && o.bits == 128);
    let (bits, signed) = match on.target.major() {
        12 if buffer => (23, false),
        12 => (24, true),
        9 | 10 | 11 if buffer => (20, false),
        _ => (21, true),
    };
    let fits = if signed {
        (-(1i64 << (bits - 1))..1 << (bits - 1)).contains(&v)
    } else {
        (0..1 << bits).contains(&v)
    };
    if fits {
        Ok(())
    } else {
        let kind = if signed { "signed" } else { "unsigned" };
        Err(format!("expected a {bits}-bit {kind} offset"))
    }
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

/// Fills the fields of modifiers, given or not.
fn modifiers(line: &Line, c: &Candidate, bits: &mut InstBits, on: For) -> Result<(), Reject> {
    let p: &Pattern = c.pattern;
    let operands = c.def.shape.operands;
    let mut lists = 0u64;
    for &(m, i) in &p.mods {
        let o = &operands[i as usize];
        let style = match o.kind {
            OperandKind::Imm(style) => style,
            _ => continue,
        };
        match m {
            Mod::OpSel | Mod::OpSelHi | Mod::NegLo | Mod::NegHi => {
                lists |= 1 << m as u32;
                continue;
            }
            _ => {}
        }
        let at = line.places[m as usize] as usize;
        let value = match (m, line.value(m)) {
            // Bit 15 of gfx9's image instructions is A16 (Vega ISA 13.6.3).
            (Mod::R128, None) if on.target.is_gfx9() => line.value(Mod::A16),
            (_, v) => v,
        };
        let raw = match value {
            Some(v) => given(v, m, style, o, c.def, on).map_err(|text| reject(20, at, text))?,
            None => match style {
                ImmStyle::Dpprowmask | ImmStyle::Dppbankmask => 15,
                ImmStyle::DstSel | ImmStyle::Src0Sel | ImmStyle::Src1Sel => 6,
                ImmStyle::DstUnused => 2,
                ImmStyle::Format => {
                    let (d, n) = (line.value(Mod::Dfmt), line.value(Mod::Nfmt));
                    (d.unwrap_or(1) | n.unwrap_or(0) << 4) as u64
                }
                ImmStyle::Dpp8fi => 0xe9,
                ImmStyle::DppCtrl | ImmStyle::Dpp8 => {
                    return Err(reject(
                        4,
                        0,
                        "too few operands for instruction: a DPP control is missing",
                    ));
                }
                ImmStyle::Dim => {
                    return Err(reject(4, 0, "dim modifier is required on this GPU"));
                }
                ImmStyle::Blgp => match line.value(Mod::Neg) {
                    Some(v) => (v & 7) as u64,
                    None => 0,
                },
                _ => 0,
            },
        };
        if raw != 0 {
            bits.set_raw(o, raw);
        }
    }
    // LLVM prints the FI of DPP8 in the field of the first source; without a modifier in the
    // template it has its default.
    for o in operands {
        if o.kind == OperandKind::Imm(ImmStyle::Dpp8fi)
            && !p.mods.iter().any(|(m, _)| *m == Mod::Fi)
        {
            bits.set_raw(o, 0xe9);
        }
    }
    if lists != 0 {
        source_lists(line, c, bits, lists)?;
    }
    Ok(())
}

/// op_sel, op_sel_hi, neg_lo and neg_hi.
fn source_lists(line: &Line, c: &Candidate, bits: &mut InstBits, lists: u64) -> Result<(), Reject> {
    let shape = c.def.shape;
    let count = (shape.sources.count as usize).min(3);
    for (m, bit) in [
        (Mod::OpSel, 4),
        (Mod::OpSelHi, 8),
        (Mod::NegLo, 1),
        (Mod::NegHi, 2),
    ] {
        if lists >> m as u32 & 1 == 0 {
            continue;
        }
        let at = line.places[m as usize] as usize;
        let dst = shape.sources.dst && m == Mod::OpSel;
        let value = match line.value(m) {
            Some(v) => {
                let n = (v >> 8) as usize;
                let v = v & 0xff;
                let most = count + dst as usize;
                if n > most && v >> most != 0 {
                    return Err(reject(
                        20,
                        at,
                        format!("invalid {} operand: the instruction has {most}", m.name()),
                    ));
                }
                v
            }
            None if m == Mod::OpSelHi && c.def.flags.contains(InstFlags::PACKED) => 15,
            None => continue,
        };
        for n in 0..count {
            if value >> n & 1 == 0 {
                continue;
            }
            let i = shape.sources.mods[n];
            if i == NO_MODS {
                continue;
            }
            bits.or_raw(&shape.operands[i as usize], bit);
        }
        if dst
            && value >> count & 1 != 0
            && let Some(&i) = shape.sources.mods.iter().find(|i| **i != NO_MODS)
        {
            bits.or_raw(&shape.operands[i as usize], 8);
        }
    }
    Ok(())
}

/// The raw bits of a modifier that is given.
fn given(
    v: i64,
    m: Mod,
    style: ImmStyle,
    o: &OperandDef,
    def: &InstDef,
    on: For,
) -> Result<u64, String> {
    let width: u32 = o.spans.iter().map(|s| s.2 as u32).sum();
    match style {
        ImmStyle::Dpp8fi => return Ok(0xe9 + (v & 1) as u64),
        ImmStyle::Offset => {
            let bits = if width == 24 { 23 } else { width };
            if !(0..1i64 << bits).contains(&v) {
                return Err(format!(
                    "expected a {bits}-bit unsigned offset: 0 to {} are possible",
                    (1i64 << bits) - 1
                ));
            }
        }
        ImmStyle::Swizzle => {
            if !(0..=0xffff).contains(&v) {
                return Err("expected a 16-bit offset".to_owned());
            }
        }
        ImmStyle::FlatOffsetS | ImmStyle::FlatOffsetU => {
            let flat = def.mnemonic.starts_with("flat_") && on.target.major() < 12;
            if flat || style == ImmStyle::FlatOffsetU {
                let bits = width - flat as u32;
                if !(0..1i64 << bits).contains(&v) {
                    return Err(format!("expected a {bits}-bit unsigned offset"));
                }
            } else if !(-(1i64 << (width - 1))..1i64 << (width - 1)).contains(&v) {
                return Err(format!("expected a {width}-bit signed offset"));
            }
        }
        ImmStyle::Smemoffsetmod | ImmStyle::Optsmemoffsetmod => {
            scalar_offset(v, def, on)?;
        }
        ImmStyle::Cpol => {
            let there: i64 = o
                .spans
                .iter()
                .map(|&(_, at, w)| ((1i64 << w) - 1) << at)
                .sum();
            if v & !there != 0 {
                return Err(format!("{} does not take this cache policy", def.mnemonic));
            }
        }
        _ => {
            if width < 63 && !(0..1i64 << width).contains(&v) {
                return Err(format!(
                    "{} is out of range: 0 to {} are possible",
                    m.name(),
                    (1i64 << width) - 1
                ));
            }
        }
    }
    Ok(v as u64)
}
