//! `format:[…]` of typed buffer instructions.

use super::cursor::Cursor;
use super::diagnostic::Problem;
use super::expression;
use super::symbol::Symbols;
use crate::print::format::{DATA, NUMBER, UNIFIED_GFX10, UNIFIED_GFX11};
use waveglass_isa::Target;

/// Reads a format, by number or by names.
pub(super) fn read(c: &mut Cursor<'_>, s: &mut Symbols, target: Target) -> Result<i64, Problem> {
    c.skip();
    let at = c.pos;
    if !c.eat(b'[') {
        let v = expression::constant(c, s)?;
        return if (0..=127).contains(&v) {
            Ok(v)
        } else {
            Err(Problem::at(at, "out of range format"))
        };
    }
    let unified = if target.major() == 10 {
        UNIFIED_GFX10
    } else {
        UNIFIED_GFX11
    };
    let (mut data, mut number) = (None, None);
    loop {
        c.skip();
        let here = c.pos;
        let name = c.name();
        let find = |list: &[&str], prefix: &[u8]| {
            let rest = name.strip_prefix(prefix)?;
            list.iter().position(|n| n.as_bytes() == rest)
        };
        if let Some(n) = find(unified, b"BUF_FMT_")
            && !target.is_gfx9()
        {
            if !c.eat(b']') {
                return Err(Problem::at(c.pos, "expected a closing square bracket"));
            }
            return Ok(n as i64);
        }
        if let Some(n) = find(&DATA, b"BUF_DATA_FORMAT_") {
            if data.replace(n).is_some() {
                return Err(Problem::at(here, "duplicate data format"));
            }
        } else if let Some(n) = find(&NUMBER, b"BUF_NUM_FORMAT_") {
            if number.replace(n).is_some() {
                return Err(Problem::at(here, "duplicate numeric format"));
            }
        } else {
            return Err(Problem::at(here, "unsupported format"));
        }
        if c.eat(b',') {
            continue;
        }
        if c.eat(b']') {
            break;
        }
        return Err(Problem::at(c.pos, "expected a closing square bracket"));
    }
    let (data, number) = (data.unwrap_or(1), number.unwrap_or(0));
    if target.is_gfx9() {
        return Ok((data | number << 4) as i64);
    }
    if (data, number) == (0, 0) {
        return Ok(0);
    }
    let name = format!("{}_{}", DATA[data], NUMBER[number]);
    unified
        .iter()
        .position(|n| **n == name)
        .map(|n| n as i64)
        .ok_or_else(|| Problem::at(at, "unsupported format: no unified format is this pair"))
}
