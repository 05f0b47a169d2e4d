//! Expressions over numbers and symbols, with the operators and precedences of GNU syntax.

use super::cursor::Cursor;
use super::diagnostic::Problem;
use super::symbol::{SymbolId, Symbols};

/// An expression: a number, or a node whose value depends on symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expr {
    Const(i64),
    Node(u32),
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Symbol(SymbolId, Variant),
    /// A place: section and offset.
    Place(u32, u64),
    Unary(u8, Expr),
    Binary(Operator, Expr, Expr),
    Function(Function, Vec<Expr>),
}

/// What is asked of a symbol: the suffix behind `@`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    None,
    Rel32Lo,
    Rel32Hi,
    GotPcRel32Lo,
    GotPcRel32Hi,
    Abs32Lo,
    Abs32Hi,
    Rel64,
    Abs64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    LogicalOr,
    LogicalAnd,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Or,
    Xor,
    And,
    OrNot,
    Multiply,
    Divide,
    Modulo,
    ShiftLeft,
    ShiftRight,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Max,
    Or,
    ExtraSgprs,
    TotalVgprs,
    AlignTo,
    Occupancy,
    InstPrefSize,
}

const DEPTH: u32 = 200;

/// Reads an expression.
pub(super) fn parse(c: &mut Cursor<'_>, s: &mut Symbols) -> Result<Expr, Problem> {
    c.skip();
    if let Some(v) = plain(c) {
        return Ok(Expr::Const(v));
    }
    binary(c, s, 1, 0)
}

/// A number in decimal or hexadecimal digits with nothing behind it in its operand; other
/// expressions are left to [`parse`].
#[inline]
pub(super) fn plain(c: &mut Cursor<'_>) -> Option<i64> {
    let text = c.src.get(c.pos..)?;
    let (negative, from) = match text.first()? {
        b'-' => (true, 1),
        b'0'..=b'9' => (false, 0),
        _ => return None,
    };
    let mut n = from;
    let mut v = 0u64;
    if text.get(from) == Some(&b'0') && matches!(text.get(from + 1), Some(b'x' | b'X')) {
        n += 2;
        while let Some(d) = text.get(n).and_then(|b| (*b as char).to_digit(16)) {
            v = v << 4 | d as u64;
            n += 1;
        }
        if n == from + 2 || n > from + 2 + 15 {
            return None;
        }
    } else {
        while let Some(d) = text
            .get(n)
            .map(|b| b.wrapping_sub(b'0'))
            .filter(|d| *d < 10)
        {
            v = v.wrapping_mul(10).wrapping_add(d as u64);
            n += 1;
        }
        // A zero in front makes the number octal.
        let octal = n > from + 1 && text[from] == b'0';
        if n == from || n > from + 18 || octal {
            return None;
        }
    }
    // A word that follows is no operator.
    let ends = match text[n..] {
        [] | [b'\r'] | [b',', ..] => true,
        [b' ', next, ..] => next.is_ascii_lowercase(),
        _ => false,
    };
    if !ends {
        return None;
    }
    c.pos += n;
    Some(if negative { -(v as i64) } else { v as i64 })
}

/// Reads an expression whose value is known here.
pub(super) fn constant(c: &mut Cursor<'_>, s: &mut Symbols) -> Result<i64, Problem> {
    let at = {
        c.skip();
        c.pos
    };
    let e = parse(c, s)?;
    s.constant(e)
        .ok_or_else(|| Problem::at(at, "expected absolute expression"))
}

fn operator(c: &mut Cursor<'_>) -> Option<(Operator, u8, usize)> {
    use Operator::*;
    Some(match (c.peek(), c.at(1)) {
        (b'|', b'|') => (LogicalOr, 1, 2),
        (b'&', b'&') => (LogicalAnd, 2, 2),
        (b'=', b'=') => (Equal, 3, 2),
        (b'!', b'=') | (b'<', b'>') => (NotEqual, 3, 2),
        (b'<', b'<') => (ShiftLeft, 6, 2),
        (b'>', b'>') => (ShiftRight, 6, 2),
        (b'<', b'=') => (LessEqual, 3, 2),
        (b'>', b'=') => (GreaterEqual, 3, 2),
        (b'<', _) => (Less, 3, 1),
        (b'>', _) => (Greater, 3, 1),
        (b'+', _) => (Add, 4, 1),
        (b'-', _) => (Subtract, 4, 1),
        (b'|', _) => (Or, 5, 1),
        (b'^', _) => (Xor, 5, 1),
        (b'&', _) => (And, 5, 1),
        (b'!', _) => (OrNot, 5, 1),
        (b'*', _) => (Multiply, 6, 1),
        (b'/', _) => (Divide, 6, 1),
        (b'%', _) => (Modulo, 6, 1),
        _ => return None,
    })
}

fn binary(c: &mut Cursor<'_>, s: &mut Symbols, lowest: u8, depth: u32) -> Result<Expr, Problem> {
    let mut left = unary(c, s, depth)?;
    while let Some((op, precedence, length)) = operator(c) {
        if precedence < lowest {
            break;
        }
        // A closing bar of |…| is no operator.
        if op == Operator::Or && s.in_bars {
            break;
        }
        let at = c.pos;
        c.pos += length;
        let right = binary(c, s, precedence + 1, depth + 1)?;
        left = match (left, right) {
            (Expr::Const(a), Expr::Const(b)) => {
                Expr::Const(apply(op, a, b).ok_or_else(|| Problem::at(at, "division by zero"))?)
            }
            _ => s.node(Node::Binary(op, left, right)),
        };
    }
    Ok(left)
}

/// The value of an operation; comparisons give all ones for true.
pub(super) fn apply(op: Operator, a: i64, b: i64) -> Option<i64> {
    use Operator::*;
    let truth = |t: bool| -(t as i64);
    Some(match op {
        LogicalOr => (a != 0 || b != 0) as i64,
        LogicalAnd => (a != 0 && b != 0) as i64,
        Equal => truth(a == b),
        NotEqual => truth(a != b),
        Less => truth(a < b),
        LessEqual => truth(a <= b),
        Greater => truth(a > b),
        GreaterEqual => truth(a >= b),
        Add => a.wrapping_add(b),
        Subtract => a.wrapping_sub(b),
        Or => a | b,
        Xor => a ^ b,
        And => a & b,
        OrNot => a | !b,
        Multiply => a.wrapping_mul(b),
        Divide => (b != 0).then(|| a.wrapping_div(b))?,
        Modulo => (b != 0).then(|| a.wrapping_rem(b))?,
        ShiftLeft => u32::try_from(b)
            .ok()
            .and_then(|n| (a as u64).checked_shl(n))
            .unwrap_or(0) as i64,
        ShiftRight => u32::try_from(b)
            .ok()
            .and_then(|n| (a as u64).checked_shr(n))
            .unwrap_or(0) as i64,
    })
}

fn unary(c: &mut Cursor<'_>, s: &mut Symbols, depth: u32) -> Result<Expr, Problem> {
    if depth > DEPTH {
        return Err(Problem::at(c.pos, "the expression is nested too deeply"));
    }
    let b = c.peek();
    let at = c.pos;
    match b {
        b'-' | b'~' | b'!' | b'+' => {
            c.pos += 1;
            let e = unary(c, s, depth + 1)?;
            Ok(match (b, e) {
                (b'+', _) => e,
                (_, Expr::Const(v)) => Expr::Const(negate(b, v)),
                _ => s.node(Node::Unary(b, e)),
            })
        }
        b'(' => {
            c.pos += 1;
            let bars = std::mem::take(&mut s.in_bars);
            let e = binary(c, s, 1, depth + 1);
            s.in_bars = bars;
            let e = e?;
            if !c.eat(b')') {
                return Err(Problem::at(c.pos, "expected ')' in parentheses expression"));
            }
            Ok(e)
        }
        b'0'..=b'9' => number(c, s),
        b'\'' => {
            let v = match (c.at(1), c.at(2), c.at(3)) {
                (b'\\', e, b'\'') => {
                    c.pos += 4;
                    match e {
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        b'0' => 0,
                        e => e,
                    }
                }
                (v, b'\'', _) if v != 0 => {
                    c.pos += 3;
                    v
                }
                _ => return Err(Problem::at(at, "unterminated character")),
            };
            Ok(Expr::Const(v as i64))
        }
        b'"' => {
            let end = c.src[at + 1..].iter().position(|&b| b == b'"');
            let Some(end) = end else {
                return Err(Problem::at(at, "unterminated string constant"));
            };
            let name = &c.src[at + 1..at + 1 + end];
            c.pos += end + 2;
            Ok(s.reference(name, Variant::None))
        }
        _ => {
            let name = c.name();
            if name.is_empty() {
                return Err(Problem::at(at, "unknown token in expression"));
            }
            if name == b"." {
                return Ok(s.here());
            }
            if c.peek() == b'('
                && let Some(f) = function(name)
            {
                return call(c, s, f, depth);
            }
            let (name, variant) = match name.iter().position(|&b| b == b'@') {
                None => (name, Variant::None),
                Some(n) => match variant(&name[n + 1..]) {
                    Some(v) => (&name[..n], v),
                    None => return Err(Problem::at(at + n, "invalid variant")),
                },
            };
            Ok(s.reference(name, variant))
        }
    }
}

pub(super) fn negate(op: u8, v: i64) -> i64 {
    match op {
        b'-' => v.wrapping_neg(),
        b'~' => !v,
        _ => (v == 0) as i64,
    }
}

fn variant(name: &[u8]) -> Option<Variant> {
    Some(match name {
        b"rel32@lo" | b"rel32" => Variant::Rel32Lo,
        b"rel32@hi" => Variant::Rel32Hi,
        b"gotpcrel32@lo" | b"gotpcrel" => Variant::GotPcRel32Lo,
        b"gotpcrel32@hi" => Variant::GotPcRel32Hi,
        b"abs32@lo" => Variant::Abs32Lo,
        b"abs32@hi" => Variant::Abs32Hi,
        b"rel64" => Variant::Rel64,
        b"abs64" => Variant::Abs64,
        _ => return None,
    })
}

/// Whether a name in front of a parenthesis is a function of expressions.
pub(super) fn is_function(name: &[u8]) -> bool {
    function(name).is_some()
}

fn function(name: &[u8]) -> Option<Function> {
    Some(match name {
        b"max" => Function::Max,
        b"or" => Function::Or,
        b"extrasgprs" => Function::ExtraSgprs,
        b"totalnumvgprs" => Function::TotalVgprs,
        b"alignto" => Function::AlignTo,
        b"occupancy" => Function::Occupancy,
        b"instprefsize" => Function::InstPrefSize,
        _ => return None,
    })
}

fn call(c: &mut Cursor<'_>, s: &mut Symbols, f: Function, depth: u32) -> Result<Expr, Problem> {
    let at = c.pos;
    c.pos += 1;
    let bars = std::mem::take(&mut s.in_bars);
    let mut list = Vec::new();
    loop {
        list.push(binary(c, s, 1, depth + 1)?);
        if c.eat(b',') {
            continue;
        }
        if c.eat(b')') {
            break;
        }
        return Err(Problem::at(c.pos, "expected ',' or ')'"));
    }
    s.in_bars = bars;
    let wanted = match f {
        Function::ExtraSgprs => Some(3),
        Function::TotalVgprs | Function::AlignTo => Some(2),
        Function::Occupancy => Some(7),
        Function::InstPrefSize => Some(1),
        _ => None,
    };
    if wanted.is_some_and(|n| n != list.len()) {
        return Err(Problem::at(at, "wrong number of arguments"));
    }
    Ok(s.node(Node::Function(f, list)))
}

fn number(c: &mut Cursor<'_>, s: &mut Symbols) -> Result<Expr, Problem> {
    let at = c.pos;
    let rest = &c.src[at..];
    let (radix, from) = match (rest[0], rest.get(1).map(u8::to_ascii_lowercase)) {
        (b'0', Some(b'x')) => (16, 2),
        (b'0', Some(b'b')) if rest.get(2).is_some_and(|b| matches!(b, b'0' | b'1')) => (2, 2),
        (b'0', Some(b'0'..=b'9')) => (8, 1),
        _ => (10, 0),
    };
    let mut v: u64 = 0;
    let mut n = from;
    while let Some(d) = rest.get(n).and_then(|&b| (b as char).to_digit(radix)) {
        v = v
            .checked_mul(radix as u64)
            .and_then(|v| v.checked_add(d as u64))
            .ok_or_else(|| Problem::at(at, "the number is too large"))?;
        n += 1;
    }
    if n == from && radix != 8 {
        return Err(Problem::at(at, "invalid number"));
    }
    let next = rest.get(n).copied().unwrap_or(0);
    let after = rest.get(n + 1).copied().unwrap_or(0);
    if matches!(next, b'b' | b'f') && radix != 16 && !super::cursor::is_name(after) {
        c.pos += n + 1;
        return s
            .local_reference(v, next == b'f')
            .ok_or_else(|| Problem::at(at, "directional label undefined"));
    }
    if next == b'.' && after.is_ascii_digit() {
        return Err(Problem::at(
            at,
            "invalid number: a fraction is not possible here",
        ));
    }
    c.pos += n;
    Ok(Expr::Const(v as i64))
}
