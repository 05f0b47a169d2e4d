//! Operands with a syntax of their own: messages, hardware registers, wait counts, delays,
//! export targets, interpolation attributes, swizzles.

use super::cursor::Cursor;
use super::diagnostic::Problem;
use super::expression;
use super::operand::Value;
use super::symbol::Symbols;
use super::wait::{delays, dependencies, wait_counts};
use crate::print::message::{
    GS_OPERATIONS, MESSAGES_GFX9, SYSTEM_OPERATIONS, hardware_register, message_gfx11,
};
use waveglass_isa::{ImmStyle, Target};

type Result<T> = std::result::Result<T, Problem>;

/// Whether operands of a style are read here.
pub(super) fn takes(style: ImmStyle) -> bool {
    matches!(
        style,
        ImmStyle::Sendmsg
            | ImmStyle::Hwreg
            | ImmStyle::Swaitcnt
            | ImmStyle::Depctr
            | ImmStyle::Sdelayalu
            | ImmStyle::Gpridxmode
            | ImmStyle::Interpslot
            | ImmStyle::Interpattr
            | ImmStyle::ExpTgt
            | ImmStyle::Versionimm
    )
}

/// Reads an operand of a style; `None` where the general syntax holds.
pub(super) fn read(
    c: &mut Cursor<'_>,
    s: &mut Symbols,
    target: Target,
    style: ImmStyle,
) -> Result<Option<Value>> {
    let name = c.peek_name();
    let called = {
        let mut ahead = *c;
        ahead.pos += name.len();
        ahead.peek() == b'('
    };
    let v = match style {
        ImmStyle::Sendmsg if name == b"sendmsg" && called => message(c, s, target)?,
        ImmStyle::Hwreg if name == b"hwreg" && called => hwreg(c, s, target)?,
        ImmStyle::Swaitcnt if called && !expression::is_function(name) => {
            wait_counts(c, s, target)?
        }
        ImmStyle::Depctr if called => dependencies(c, s, target)?,
        ImmStyle::Sdelayalu if called => delays(c)?,
        ImmStyle::Gpridxmode if name == b"gpr_idx" && called => index_mode(c)?,
        ImmStyle::Versionimm if name.starts_with(b"UC_VERSION") || c.peek() == b'(' => {
            version(c, s)?
        }
        ImmStyle::Interpslot => match name {
            b"p10" => word(c, name, 0),
            b"p20" => word(c, name, 1),
            b"p0" => word(c, name, 2),
            _ => {
                return Err(Problem::at(c.pos, "invalid interpolation slot")
                    .help("p10, p20 or p0 is possible"));
            }
        },
        ImmStyle::Interpattr => attribute(c)?,
        ImmStyle::ExpTgt => export(c, target)?,
        _ => return Ok(None),
    };
    Ok(Some(Value::Int(v)))
}

fn word(c: &mut Cursor<'_>, name: &[u8], v: i64) -> i64 {
    c.pos += name.len();
    v
}

pub(super) fn expect(c: &mut Cursor<'_>, b: u8, what: &'static str) -> Result<()> {
    if c.eat(b) {
        Ok(())
    } else {
        Err(Problem::at(c.pos, what))
    }
}

pub(super) fn field(
    c: &mut Cursor<'_>,
    s: &mut Symbols,
    least: i64,
    most: i64,
    what: &'static str,
) -> Result<i64> {
    c.skip();
    let at = c.pos;
    let v = expression::constant(c, s)?;
    if (least..=most).contains(&v) {
        Ok(v)
    } else {
        Err(Problem::at(
            at,
            format!("{what}: {least} to {most} is possible"),
        ))
    }
}

/// `sendmsg(MSG, OP, STREAM)` (Vega ISA 12.5.1, RDNA3 ISA 5.3).
fn message(c: &mut Cursor<'_>, s: &mut Symbols, target: Target) -> Result<i64> {
    c.pos += b"sendmsg".len();
    expect(c, b'(', "expected a left parenthesis")?;
    c.skip();
    let at = c.pos;
    let name = c.peek_name();
    let gfx11 = target.major() >= 11;
    let find = |name: &[u8]| -> Option<i64> {
        if gfx11 {
            return (0..=255)
                .find(|&id| {
                    let n = message_gfx11(target, id);
                    !n.is_empty() && n.as_bytes() == name
                })
                .map(|id| id as i64);
        }
        if name == b"MSG_SYSMSG" {
            return Some(15);
        }
        let n = MESSAGES_GFX9.iter().position(|n| n.as_bytes() == name)?;
        (n > 0 && (n < 11 || !target.is_gfx9())).then_some(n as i64)
    };
    let symbolic = !name.is_empty() && name.starts_with(b"MSG_");
    let id = if symbolic {
        c.pos += name.len();
        find(name).ok_or_else(|| {
            Problem::at(
                at,
                format!("specified message id is not supported on {target}"),
            )
        })?
    } else {
        field(c, s, 0, if gfx11 { 255 } else { 15 }, "invalid message id")?
    };
    let (mut operation, mut stream) = (0, 0);
    let mut operations = 0;
    if c.eat(b',') {
        operations = 1;
        c.skip();
        let at = c.pos;
        let name = c.peek_name();
        let list: &[&str] = match id {
            2 | 3 if !gfx11 => &GS_OPERATIONS,
            15 if !gfx11 => &SYSTEM_OPERATIONS,
            _ => &[],
        };
        if symbolic && list.is_empty() {
            return Err(Problem::at(at, "message does not support operations"));
        }
        operation = match list
            .iter()
            .position(|n| !n.is_empty() && n.as_bytes() == name)
        {
            Some(n) => {
                c.pos += name.len();
                n as i64
            }
            None if name.starts_with(b"GS_OP") || name.starts_with(b"SYSMSG_OP") => {
                return Err(Problem::at(at, "invalid operation id"));
            }
            None => field(c, s, 0, 7, "invalid operation id")?,
        };
        if symbolic {
            let known = list.get(operation as usize).is_some_and(|n| !n.is_empty());
            if !known || id == 2 && operation == 0 {
                return Err(Problem::at(at, "invalid operation id"));
            }
        }
        if c.eat(b',') {
            operations = 2;
            c.skip();
            let at = c.pos;
            let with_stream = matches!(id, 2 | 3) && operation != 0 && !gfx11;
            if symbolic && !with_stream {
                return Err(Problem::at(
                    at,
                    "message operation does not support streams",
                ));
            }
            stream = field(c, s, 0, 3, "invalid message stream id")?;
        }
    }
    if symbolic && operations == 0 && !gfx11 && matches!(id, 2 | 3 | 15) {
        return Err(Problem::at(c.pos, "missing message operation"));
    }
    expect(c, b')', "expected a closing parenthesis")?;
    Ok(id | operation << 4 | stream << 8)
}

/// `hwreg(NAME, OFFSET, WIDTH)`.
fn hwreg(c: &mut Cursor<'_>, s: &mut Symbols, target: Target) -> Result<i64> {
    c.pos += b"hwreg".len();
    expect(c, b'(', "expected a left parenthesis")?;
    c.skip();
    let at = c.pos;
    let name = c.peek_name();
    let id = if let Some(short) = name.strip_prefix(b"HW_REG_") {
        c.pos += name.len();
        let short = match short {
            b"HW_ID" if target.major() == 10 => b"HW_ID1",
            other => other,
        };
        (0..64)
            .find(|&id| {
                let n = hardware_register(target, id);
                !n.is_empty() && n.as_bytes() == short
            })
            .map(|id| id as i64)
            .ok_or_else(|| {
                Problem::at(
                    at,
                    format!("specified hardware register is not supported on {target}"),
                )
            })?
    } else {
        field(c, s, 0, 63, "invalid hardware register")?
    };
    let (mut first, mut width) = (0, 32);
    if c.eat(b',') {
        first = field(c, s, 0, 31, "invalid bit offset")?;
        expect(c, b',', "expected a comma")?;
        width = field(c, s, 1, 32, "invalid bitfield width")?;
    }
    expect(c, b')', "expected a closing parenthesis")?;
    Ok(id | first << 6 | (width - 1) << 11)
}

/// `gpr_idx(SRC0,DST)`.
fn index_mode(c: &mut Cursor<'_>) -> Result<i64> {
    c.pos += b"gpr_idx".len();
    expect(c, b'(', "expected a left parenthesis")?;
    let mut v = 0;
    if c.eat(b')') {
        return Ok(0);
    }
    loop {
        c.skip();
        let at = c.pos;
        let bit = match c.name() {
            b"SRC0" => 1,
            b"SRC1" => 2,
            b"SRC2" => 4,
            b"DST" => 8,
            _ => return Err(Problem::at(at, "expected a VGPR index mode")),
        };
        if v & bit != 0 {
            return Err(Problem::at(at, "duplicate VGPR index mode"));
        }
        v |= bit;
        if c.eat(b')') {
            return Ok(v);
        }
        expect(c, b',', "expected a comma or a closing parenthesis")?;
    }
}

/// The operand of S_VERSION: names joined by `|`.
fn version(c: &mut Cursor<'_>, s: &mut Symbols) -> Result<i64> {
    let mut v = 0;
    let mut open = 0;
    loop {
        while c.eat(b'(') {
            open += 1;
        }
        let at = c.pos;
        let name = c.peek_name();
        v |= match name {
            b"UC_VERSION_GFX7" => word(c, name, 0),
            b"UC_VERSION_GFX10" => word(c, name, 4),
            b"UC_VERSION_GFX11" => word(c, name, 6),
            b"UC_VERSION_GFX12" => word(c, name, 9),
            b"UC_VERSION_W64_BIT" => word(c, name, 0x2000),
            b"UC_VERSION_W32_BIT" => word(c, name, 0x4000),
            b"UC_VERSION_MDP_BIT" => word(c, name, 0x8000),
            b"" => {
                c.skip();
                let mut digits = *c;
                match digits.digits() {
                    Some(n) => {
                        *c = digits;
                        n as i64
                    }
                    None => return Err(Problem::at(at, "expected a version")),
                }
            }
            _ => return Err(Problem::at(at, "unknown version name")),
        };
        while open > 0 && c.eat(b')') {
            open -= 1;
        }
        if !c.eat(b'|') {
            break;
        }
    }
    let _ = s;
    if open > 0 {
        return Err(Problem::at(c.pos, "expected a closing parenthesis"));
    }
    Ok(v)
}

/// `attr3.x`: the attribute, and the channel above its six bits.
fn attribute(c: &mut Cursor<'_>) -> Result<i64> {
    c.skip();
    let at = c.pos;
    let name = c.name();
    let bad = || Problem::at(at, "invalid interpolation attribute");
    let rest = name.strip_prefix(b"attr").ok_or_else(bad)?;
    let (number, channel) = rest.split_at(rest.len().saturating_sub(2));
    let channel = match channel {
        b".x" => 0,
        b".y" => 1,
        b".z" => 2,
        b".w" => 3,
        _ => {
            return Err(Problem::at(
                at,
                "invalid or missing interpolation attribute channel",
            ));
        }
    };
    let n: i64 = std::str::from_utf8(number)
        .ok()
        .and_then(|n| n.parse().ok())
        .ok_or_else(|| Problem::at(at, "invalid or missing interpolation attribute number"))?;
    if !(0..=32).contains(&n) {
        return Err(Problem::at(
            at,
            "out of bounds interpolation attribute number",
        ));
    }
    Ok(n | channel << 8)
}

/// The target of an export (Vega ISA 11.2, RDNA1 ISA 11.2, RDNA3 ISA 14.1 and 14.2).
fn export(c: &mut Cursor<'_>, target: Target) -> Result<i64> {
    c.skip();
    let at = c.pos;
    let name = c.name();
    let gfx10 = target.major() >= 10;
    let gfx11 = target.major() >= 11;
    let number = |prefix: &[u8], most: i64| -> Option<i64> {
        let rest = name.strip_prefix(prefix)?;
        if rest.len() > 1 && rest[0] == b'0' {
            return None;
        }
        let n: i64 = std::str::from_utf8(rest).ok()?.parse().ok()?;
        (0..=most).contains(&n).then_some(n)
    };
    let v = match name {
        b"null" if !gfx11 => Some(9),
        b"mrtz" => Some(8),
        b"prim" if gfx10 => Some(20),
        _ => None,
    };
    v.or_else(|| number(b"mrt", 7))
        .or_else(|| number(b"pos", 3 + gfx10 as i64).map(|n| n + 12))
        .or_else(|| {
            number(b"dual_src_blend", 1)
                .filter(|_| gfx11)
                .map(|n| n + 21)
        })
        .or_else(|| number(b"param", 31).filter(|_| !gfx11).map(|n| n + 32))
        .ok_or_else(|| {
            Problem::at(
                at,
                format!("exp target is not supported on {target} or does not exist"),
            )
        })
}

/// `swizzle(…)`, the pattern of DS_SWIZZLE_B32; `None` where the word is not next.
pub(super) fn swizzle(c: &mut Cursor<'_>, s: &mut Symbols) -> Result<Option<i64>> {
    let name = c.peek_name();
    if name != b"swizzle" {
        return Ok(None);
    }
    c.pos += name.len();
    expect(c, b'(', "expected a left parenthesis")?;
    c.skip();
    let at = c.pos;
    let kind = c.name();
    let mut next = |c: &mut Cursor<'_>, least: i64, most: i64, what: &'static str| {
        expect(c, b',', "expected a comma")?;
        field(c, s, least, most, what)
    };
    let power = |c: &Cursor<'_>, v: i64| {
        if (v as u64).is_power_of_two() {
            Ok(v)
        } else {
            Err(Problem::at(c.pos, "group size must be a power of two"))
        }
    };
    let v = match kind {
        b"QUAD_PERM" => {
            let mut v = 0x8000;
            for lane in 0..4 {
                v |= next(c, 0, 3, "expected a 2-bit lane id")? << (2 * lane);
            }
            v
        }
        b"BITMASK_PERM" => {
            expect(c, b',', "expected a comma")?;
            expect(c, b'"', "expected a 5-character mask")?;
            let mask = c.src.get(c.pos..c.pos + 6);
            let Some([bits @ .., b'"']) = mask else {
                return Err(Problem::at(c.pos, "expected a 5-character mask"));
            };
            let (mut and, mut or, mut xor) = (0, 0, 0);
            for (n, b) in bits.iter().enumerate() {
                let bit = 1 << (4 - n);
                match b {
                    b'0' => {}
                    b'1' => or |= bit,
                    b'p' => and |= bit,
                    b'i' => {
                        and |= bit;
                        xor |= bit;
                    }
                    _ => return Err(Problem::at(c.pos + n, "invalid mask")),
                }
            }
            c.pos += 6;
            and | or << 5 | xor << 10
        }
        b"BROADCAST" => {
            let group = next(c, 2, 32, "group size must be in the interval [2,32]")?;
            let group = power(c, group)?;
            let lane = next(
                c,
                0,
                group - 1,
                "lane id must be in the interval [0,group size - 1]",
            )?;
            (32 - group) | lane << 5
        }
        b"SWAP" => {
            let group = next(c, 1, 16, "group size must be in the interval [1,16]")?;
            31 | power(c, group)? << 10
        }
        b"REVERSE" => {
            let group = next(c, 2, 32, "group size must be in the interval [2,32]")?;
            31 | (power(c, group)? - 1) << 10
        }
        b"FFT" => 0xe000 | next(c, 0, 31, "FFT swizzle must be in the interval [0,31]")?,
        b"ROTATE" => {
            let direction = next(c, 0, 1, "direction must be 0 (left) or 1 (right)")?;
            let size = next(
                c,
                0,
                31,
                "number of threads to rotate must be in the interval [0,31]",
            )?;
            0xc000 | direction << 10 | size << 5
        }
        _ => return Err(Problem::at(at, "expected a swizzle mode")),
    };
    expect(c, b')', "expected a closing parentheses")?;
    Ok(Some(v))
}
