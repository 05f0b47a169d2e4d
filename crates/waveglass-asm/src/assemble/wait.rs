//! Counters and dependencies that an instruction waits for, by name.

use super::cursor::Cursor;
use super::diagnostic::Problem;
use super::expression;
use super::special::{expect, field};
use super::symbol::Symbols;
use crate::print::message::{DELAY_SKIPS, DELAYS, DEPENDENCY_FIELDS};
use waveglass_isa::Target;

type Result<T> = std::result::Result<T, Problem>;

/// Positions of the counters of S_WAITCNT: pairs of first bit and width, low part first.
fn counter_fields(target: Target) -> [(&'static str, &'static [(u32, u32)]); 3] {
    match target.major() {
        9 => [
            ("vmcnt", &[(0, 4), (14, 2)]),
            ("expcnt", &[(4, 3)]),
            ("lgkmcnt", &[(8, 4)]),
        ],
        10 => [
            ("vmcnt", &[(0, 4), (14, 2)]),
            ("expcnt", &[(4, 3)]),
            ("lgkmcnt", &[(8, 6)]),
        ],
        _ => [
            ("vmcnt", &[(10, 6)]),
            ("expcnt", &[(0, 3)]),
            ("lgkmcnt", &[(4, 6)]),
        ],
    }
}

/// `vmcnt(0) & expcnt(1) lgkmcnt(2)`: counters that are not named wait for nothing.
pub(super) fn wait_counts(c: &mut Cursor<'_>, s: &mut Symbols, target: Target) -> Result<i64> {
    let fields = counter_fields(target);
    let mut v: i64 = 0;
    for (_, parts) in &fields {
        for &(first, width) in *parts {
            v |= ((1 << width) - 1) << first;
        }
    }
    loop {
        c.skip();
        let at = c.pos;
        let name = c.name();
        let (plain, saturate) = match name.strip_suffix(b"_sat") {
            Some(n) => (n, true),
            None => (name, false),
        };
        let Some((_, parts)) = fields.iter().find(|f| f.0.as_bytes() == plain) else {
            return Err(Problem::at(
                at,
                format!("invalid counter name {}", String::from_utf8_lossy(name)),
            ));
        };
        expect(c, b'(', "expected a left parenthesis")?;
        c.skip();
        let at = c.pos;
        let n = expression::constant(c, s)?;
        expect(c, b')', "expected a closing parenthesis")?;
        let width: u32 = parts.iter().map(|p| p.1).sum();
        let most = (1i64 << width) - 1;
        let n = if (0..=most).contains(&n) {
            n
        } else if saturate {
            most
        } else {
            return Err(Problem::at(
                at,
                format!(
                    "too large value for {}: it counts to {most}",
                    String::from_utf8_lossy(plain)
                ),
            ));
        };
        let mut used = 0;
        for &(first, width) in *parts {
            let ones = (1i64 << width) - 1;
            v = v & !(ones << first) | (n >> used & ones) << first;
            used += width;
        }
        if !another(c)? {
            return Ok(v);
        }
    }
}

/// Whether another part follows, after `&`, a comma or nothing at all.
fn another(c: &mut Cursor<'_>) -> Result<bool> {
    let joined = c.eat(b'&') || c.eat(b',');
    if c.peek_name().is_empty() {
        if joined {
            return Err(Problem::at(c.pos, "expected a counter name"));
        }
        return Ok(false);
    }
    Ok(true)
}

/// `depctr_va_vdst(0) depctr_sa_sdst(0)`.
pub(super) fn dependencies(c: &mut Cursor<'_>, s: &mut Symbols, target: Target) -> Result<i64> {
    let fields = if target == Target::Gfx1010 {
        &DEPENDENCY_FIELDS[1..]
    } else {
        &DEPENDENCY_FIELDS[..]
    };
    let mut v = fields.iter().fold(0, |a, f| a | (f.2 << f.1) as i64);
    let mut seen = 0;
    loop {
        c.skip();
        let at = c.pos;
        let name = c.name();
        let found = fields
            .iter()
            .find(|f| f.0.strip_suffix('(').is_some_and(|n| n.as_bytes() == name));
        let Some(&(_, first, most)) = found else {
            return Err(Problem::at(
                at,
                format!("invalid counter name {}", String::from_utf8_lossy(name)),
            ));
        };
        if seen >> first & 1 != 0 {
            return Err(Problem::at(at, "duplicate counter name"));
        }
        seen |= 1u32 << first;
        expect(c, b'(', "expected a left parenthesis")?;
        let n = field(c, s, 0, most as i64, "invalid value")?;
        expect(c, b')', "expected a closing parenthesis")?;
        v = v & !((most as i64) << first) | n << first;
        if !another(c)? {
            return Ok(v);
        }
    }
}

/// `instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_2)`.
pub(super) fn delays(c: &mut Cursor<'_>) -> Result<i64> {
    let mut v = 0;
    loop {
        c.skip();
        let at = c.pos;
        let (names, shift): (&[&str], u32) = match c.name() {
            b"instid0" => (&DELAYS, 0),
            b"instskip" => (&DELAY_SKIPS, 4),
            b"instid1" => (&DELAYS, 7),
            other => {
                return Err(Problem::at(
                    at,
                    format!("invalid field name {}", String::from_utf8_lossy(other)),
                ));
            }
        };
        expect(c, b'(', "expected a left parenthesis")?;
        c.skip();
        let at = c.pos;
        let name = c.name();
        let n = names
            .iter()
            .position(|n| n.as_bytes() == name)
            .ok_or_else(|| Problem::at(at, "invalid value name"))?;
        expect(c, b')', "expected a closing parenthesis")?;
        v |= (n as i64) << shift;
        if !c.eat(b'|') {
            return Ok(v);
        }
    }
}
