//! Operands and modifiers of one instruction, as written.

use super::cursor::Cursor;
use super::diagnostic::Problem;
use super::expression::{self, Expr};
use super::modifier::{self, Mod};
use super::register;
use super::special;
use super::symbol::Symbols;
use waveglass_isa::{ImmStyle, Reg, Target};

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Reg(Reg),
    Int(i64),
    /// A number with a fraction, and whether a minus sign stands before it.
    Float(f64),
    /// An expression that depends on symbols.
    Expr(Expr),
    Off,
    /// The addresses of an image instruction: so many registers from here in `Line::list`.
    List(u8, u8),
}

/// A literal that is asked for by `lit()` or `lit64()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    Any,
    Lit32,
    Lit64,
}

/// One positional operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Op {
    pub(super) value: Value,
    pub(super) neg: bool,
    pub(super) abs: bool,
    pub(super) sext: bool,
    /// Two minus signs, which an operand with a sign bit does not take.
    pub(super) doubled: bool,
    pub(super) literal: Literal,
    pub(super) at: u32,
}

const NO_OP: Op = Op {
    value: Value::Off,
    neg: false,
    abs: false,
    sext: false,
    doubled: false,
    literal: Literal::Any,
    at: 0,
};

/// The most operands of an instruction.
pub(super) const OPERANDS: usize = 24;

/// More modifiers than any instruction has.
const ORDER: usize = 32;

/// An instruction as written, kept from line to line so that nothing is allocated.
pub(super) struct Line {
    pub(super) ops: [Op; OPERANDS],
    pub(super) count: usize,
    /// Operands before `::`, 0 where there is none.
    pub(super) split: usize,
    pub(super) list: [Reg; OPERANDS],
    pub(super) listed: usize,
    /// The modifiers given.
    pub(super) given: u64,
    pub(super) values: [i64; 64],
    pub(super) places: [u32; 64],
    /// The modifiers in their order, each with the number of operands before it.
    pub(super) order: [(Mod, u8); ORDER],
    pub(super) ordered: usize,
    /// Bits of the cache policy that a word has named.
    pub(super) policy_named: i64,
    /// A comma stands before what is next.
    comma: bool,
    /// A comma stands between words of the cache policy.
    pub(super) policy_split: bool,
}

impl Line {
    pub(super) fn new() -> Self {
        Self {
            ops: [NO_OP; OPERANDS],
            count: 0,
            split: 0,
            list: [Reg::new(waveglass_isa::RegFile::Vgpr, 0, 1); OPERANDS],
            listed: 0,
            given: 0,
            values: [0; 64],
            places: [0; 64],
            order: [(Mod::Offset, 0); ORDER],
            ordered: 0,
            policy_named: 0,
            comma: false,
            policy_split: false,
        }
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.split = 0;
        self.listed = 0;
        self.given = 0;
        self.ordered = 0;
        self.policy_named = 0;
        self.comma = false;
        self.policy_split = false;
    }

    /// Keeps the place of a modifier among operands and modifiers.
    #[inline]
    pub(super) fn mark(&mut self, m: Mod) {
        if let Some(slot) = self.order.get_mut(self.ordered) {
            *slot = (m, self.count as u8);
            self.ordered += 1;
            let before = self.order[self.ordered.max(2) - 2].0;
            self.policy_split |=
                self.comma && self.ordered > 1 && m == Mod::Cpol && before == Mod::Cpol;
        }
    }

    #[inline]
    pub(super) fn has(&self, m: Mod) -> bool {
        self.given >> m as u32 & 1 != 0
    }

    pub(super) fn value(&self, m: Mod) -> Option<i64> {
        self.has(m).then(|| self.values[m as usize])
    }

    pub(super) fn ops(&self) -> &[Op] {
        &self.ops[..self.count]
    }

    /// Appends an operand that was not read from text.
    pub(super) fn add(
        &mut self,
        value: Value,
        neg: bool,
        abs: bool,
        sext: bool,
    ) -> Result<(), Problem> {
        self.push(Op {
            value,
            neg,
            abs,
            sext,
            ..NO_OP
        })
    }

    fn push(&mut self, op: Op) -> Result<(), Problem> {
        match self.ops.get_mut(self.count) {
            Some(o) => {
                *o = op;
                self.count += 1;
                Ok(())
            }
            None => Err(Problem::at(
                op.at as usize,
                "too many operands for instruction",
            )),
        }
    }
}

/// What the reader of operands has to know of the instruction.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub(super) target: Target,
    /// Operands that have a syntax of their own: position and style.
    pub(super) special: [(u8, ImmStyle); 2],
    pub(super) specials: u8,
    /// Brackets list image addresses.
    pub(super) image: bool,
    pub(super) load: modifier::Access,
    pub(super) name: &'static str,
}

/// Reads operands and modifiers up to the end or to `::`.
pub(super) fn read(
    c: &mut Cursor<'_>,
    line: &mut Line,
    s: &mut Symbols,
    how: &Reading,
) -> Result<(), Problem> {
    loop {
        if c.is_end() {
            return Ok(());
        }
        let b = c.at(0);
        if b == b':' && c.at(1) == b':' {
            return Ok(());
        }
        one(c, line, s, how)?;
        line.comma = c.eat(b',');
        if line.comma && c.is_end() {
            return Ok(());
        }
    }
}

fn one(c: &mut Cursor<'_>, line: &mut Line, s: &mut Symbols, how: &Reading) -> Result<(), Problem> {
    let at = c.pos;
    for &(position, style) in &how.special[..how.specials as usize] {
        if position as usize == line.count
            && let Some(v) = special::read(c, s, how.target, style)?
        {
            return line.push(Op {
                value: v,
                at: at as u32,
                ..NO_OP
            });
        }
    }
    let b = c.at(0);
    // Most operands are registers and numbers.
    if let Some(r) = register::plain(c) {
        return line.push(Op {
            value: Value::Reg(r),
            at: at as u32,
            ..NO_OP
        });
    }
    if let Some(v) = expression::plain(c) {
        return line.push(Op {
            value: Value::Int(v),
            at: at as u32,
            ..NO_OP
        });
    }
    if matches!(b, b'v' | b's')
        && !(how.target == Target::Gfx90a && is_policy(c, how))
        && let Some(r) = register::parse(c, how.target, s)?
    {
        return line.push(Op {
            value: Value::Reg(r),
            at: at as u32,
            ..NO_OP
        });
    }
    if b.is_ascii_alphabetic() || b == b'_' {
        let name = c.peek_name();
        if name == b"off" {
            c.pos += 3;
            return line.push(Op {
                value: Value::Off,
                at: at as u32,
                ..NO_OP
            });
        }
        // `a16` is a register but for image instructions, whose data may be in it.
        let register = name == b"a16" && !(how.name.starts_with("image_") && line.count > 0);
        if !register && modifier::read(c, line, s, how, name)? {
            return Ok(());
        }
    }
    let mut op = Op {
        at: at as u32,
        ..NO_OP
    };
    value(c, line, s, how, &mut op, Around::Nothing)?;
    line.push(op)
}

/// `scc` is a cache policy bit in memory instructions of CDNA 2, elsewhere a register.
fn is_policy(c: &mut Cursor<'_>, how: &Reading) -> bool {
    c.peek_name() == b"scc" && !matches!(how.name.as_bytes(), [b's' | b'v', b'_', ..])
}

/// What stands around a value: a sign stands outside bars, and a register has no sign inside
/// either.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Around {
    Nothing,
    Sign,
    Bars,
}

/// A register or number with what stands around it.
fn value(
    c: &mut Cursor<'_>,
    line: &mut Line,
    s: &mut Symbols,
    how: &Reading,
    op: &mut Op,
    around: Around,
) -> Result<(), Problem> {
    let at = {
        c.skip();
        c.pos
    };
    match c.at(0) {
        b'[' => {
            c.pos += 1;
            let first = line.listed;
            loop {
                let Some(r) = register::parse(c, how.target, s)? else {
                    return Err(Problem::at(c.pos, "expected a register"));
                };
                let Some(slot) = line.list.get_mut(line.listed) else {
                    return Err(Problem::at(c.pos, "too many registers in a list"));
                };
                *slot = r;
                line.listed += 1;
                if !c.list_goes_on()? {
                    break;
                }
            }
            let n = line.listed - first;
            op.value = if how.image {
                Value::List(first as u8, n as u8)
            } else {
                Value::Reg(register::join(&line.list[first..line.listed], at)?)
            };
            Ok(())
        }
        b'|' => {
            if around == Around::Bars {
                return Err(Problem::at(at, "expected register or immediate"));
            }
            c.pos += 1;
            op.abs = true;
            let bars = std::mem::replace(&mut s.in_bars, true);
            let r = value(c, line, s, how, op, Around::Bars);
            s.in_bars = bars;
            r?;
            if !c.eat(b'|') {
                return Err(Problem::at(c.pos, "expected vertical bar"));
            }
            Ok(())
        }
        b'-' => {
            let mut ahead = *c;
            ahead.pos += 1;
            match ahead.peek() {
                b'|' if around == Around::Nothing => {
                    *c = ahead;
                    op.neg = true;
                    value(c, line, s, how, op, Around::Sign)
                }
                b'0'..=b'9' | b'.' if is_float(&ahead) => {
                    *c = ahead;
                    op.value = Value::Float(-float(c)?);
                    Ok(())
                }
                b'-' if around == Around::Nothing => {
                    op.doubled = true;
                    number(c, s, op)
                }
                _ => {
                    if around != Around::Nothing {
                        return negative(c, s, how, op);
                    }
                    if let Some(r) = register::parse(&mut ahead, how.target, s)? {
                        *c = ahead;
                        op.neg = true;
                        op.value = Value::Reg(r);
                        return Ok(());
                    }
                    if let name @ (b"abs" | b"neg") = ahead.peek_name()
                        && ahead.src.get(ahead.pos + name.len()) == Some(&b'(')
                    {
                        *c = ahead;
                        if name == b"neg" {
                            return Err(Problem::at(at, "expected register or immediate"));
                        }
                        op.neg = true;
                        return value(c, line, s, how, op, Around::Sign);
                    }
                    number(c, s, op)
                }
            }
        }
        b'0'..=b'9' | b'.' if is_float(c) => {
            op.value = Value::Float(float(c)?);
            Ok(())
        }
        _ => {
            if let Some(r) = register::parse(c, how.target, s)? {
                op.value = Value::Reg(r);
                return Ok(());
            }
            let name = c.peek_name();
            let wrapper = match name {
                b"neg" | b"abs" | b"sext" | b"lit" | b"lit64" => {
                    c.src.get(c.pos + name.len()) == Some(&b'(')
                }
                _ => false,
            };
            if !wrapper {
                return number(c, s, op);
            }
            c.pos += name.len() + 1;
            match name {
                b"neg" if around == Around::Nothing => op.neg = true,
                b"abs" if around < Around::Bars => op.abs = true,
                b"sext" if around == Around::Nothing => op.sext = true,
                b"lit" if op.literal == Literal::Any => op.literal = Literal::Lit32,
                b"lit64" if op.literal == Literal::Any => {
                    if !how.target.has_gfx1250_insts() {
                        return Err(Problem::at(
                            at,
                            format!("{} has no 64-bit literals", how.target),
                        ));
                    }
                    op.literal = Literal::Lit64;
                }
                _ => return Err(Problem::at(at, "expected register or immediate")),
            }
            let bars = std::mem::take(&mut s.in_bars);
            let inner = match name {
                b"neg" => Around::Sign,
                _ => Around::Bars,
            };
            let r = value(c, line, s, how, op, inner);
            s.in_bars = bars;
            r?;
            if !c.eat(b')') {
                return Err(Problem::at(c.pos, "expected closing parentheses"));
            }
            Ok(())
        }
    }
}

/// A minus sign inside a sign or bars belongs to a number.
fn negative(
    c: &mut Cursor<'_>,
    s: &mut Symbols,
    how: &Reading,
    op: &mut Op,
) -> Result<(), Problem> {
    let at = c.pos;
    let mut ahead = *c;
    ahead.pos += 1;
    if ahead.peek() == b'|'
        || register::parse(&mut ahead, how.target, s)?.is_some()
        || matches!(ahead.peek_name(), b"abs" | b"neg" | b"sext")
    {
        return Err(Problem::at(
            at,
            "failed parsing operand: the sign stands outside",
        ));
    }
    number(c, s, op)
}

/// An integer, or an expression.
fn number(c: &mut Cursor<'_>, s: &mut Symbols, op: &mut Op) -> Result<(), Problem> {
    op.value = match expression::parse(c, s)? {
        Expr::Const(v) => Value::Int(v),
        e => Value::Expr(e),
    };
    Ok(())
}

/// Whether the number that is next has a fraction or an exponent.
fn is_float(c: &Cursor<'_>) -> bool {
    let rest = &c.src[c.pos..];
    if rest.first() == Some(&b'.') {
        return rest.get(1).is_some_and(u8::is_ascii_digit);
    }
    let n = rest
        .iter()
        .position(|b| !b.is_ascii_digit())
        .unwrap_or(rest.len());
    match rest.get(n) {
        Some(b'.') => true,
        Some(b'e' | b'E') => match rest.get(n + 1) {
            Some(b'+' | b'-') => rest.get(n + 2).is_some_and(u8::is_ascii_digit),
            Some(b) => b.is_ascii_digit(),
            None => false,
        },
        _ => false,
    }
}

fn float(c: &mut Cursor<'_>) -> Result<f64, Problem> {
    let rest = &c.src[c.pos..];
    let mut n = 0;
    while let Some(&b) = rest.get(n) {
        let exponent_sign = n > 0 && matches!(rest[n - 1], b'e' | b'E');
        match b {
            b'0'..=b'9' | b'.' | b'e' | b'E' => n += 1,
            b'+' | b'-' if exponent_sign => n += 1,
            _ => break,
        }
    }
    std::str::from_utf8(&rest[..n])
        .ok()
        .and_then(|t| t.parse().ok())
        .inspect(|_| c.pos += n)
        .ok_or_else(|| Problem::at(c.pos, "invalid floating-point number"))
}
