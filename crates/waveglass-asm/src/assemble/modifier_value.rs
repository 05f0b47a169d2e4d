//! Modifiers with a value: `offset:16`, `quad_perm:[0,1,2,3]`, `th:TH_LOAD_NT` and their kin.

use super::cursor::Cursor;
use super::diagnostic::Problem;
use super::modifier::{Access, Mod, add_policy};
use super::operand::{Line, Reading};
use super::symbol::Symbols;
use super::{expression, format, special};
use crate::print::memory::DIMENSIONS;
use waveglass_isa::Target;

fn bits(c: &mut Cursor<'_>, most: usize, limit: i64, s: &mut Symbols) -> Result<i64, Problem> {
    let at = c.pos;
    if !c.eat(b'[') {
        return Err(Problem::at(c.pos, "expected a left square bracket"));
    }
    let width = 64 - (limit as u64).leading_zeros();
    let (mut v, mut n) = (0, 0);
    loop {
        c.skip();
        let here = c.pos;
        let x = expression::constant(c, s)?;
        if !(0..=limit).contains(&x) {
            return Err(Problem::at(
                here,
                format!("invalid value: 0 to {limit} are possible"),
            ));
        }
        if n == most {
            return Err(Problem::at(here, "expected a closing square bracket"));
        }
        v |= x << (n as u32 * width);
        n += 1;
        if !c.list_goes_on()? {
            break;
        }
    }
    if limit > 1 && n != most {
        return Err(Problem::at(at, format!("expected {most} numbers")));
    }
    // How many there were matters where the list is as long as the instruction has sources.
    Ok(if limit == 1 { v | (n as i64) << 8 } else { v })
}

fn word<'a>(c: &mut Cursor<'a>) -> &'a [u8] {
    c.skip();
    let rest = &c.src[c.pos..];
    let n = rest
        .iter()
        .position(|&b| !(b.is_ascii_alphanumeric() || b == b'_'))
        .unwrap_or(rest.len());
    c.pos += n;
    &rest[..n]
}

/// A number, or one of names that stand for their position.
fn named(
    c: &mut Cursor<'_>,
    s: &mut Symbols,
    prefix: &str,
    names: &[&str],
    what: &str,
) -> Result<i64, Problem> {
    c.skip();
    let at = c.pos;
    if c.at(0).is_ascii_digit() {
        let v = expression::constant(c, s)?;
        // Where names stand for all values, so do their numbers.
        return if (0..names.len() as i64).contains(&v) {
            Ok(v)
        } else {
            Err(Problem::at(at, format!("invalid {what} value")))
        };
    }
    let w = word(c);
    w.strip_prefix(prefix.as_bytes())
        .and_then(|w| names.iter().position(|n| n.as_bytes() == w))
        .map(|n| n as i64)
        .ok_or_else(|| {
            Problem::at(at, format!("invalid {what} value")).help(format!(
                "one of {prefix}{}",
                names.join(&format!(", {prefix}"))
            ))
        })
}

const SELECT: &[&str] = &[
    "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD",
];

pub(super) fn valued(
    c: &mut Cursor<'_>,
    line: &mut Line,
    s: &mut Symbols,
    how: &Reading,
    name: &[u8],
    at: usize,
) -> Result<Option<(Mod, i64)>, Problem> {
    let t = how.target;
    let ranged = |c: &mut Cursor<'_>, s: &mut Symbols, max: i64| {
        c.skip();
        let here = c.pos;
        let v = expression::constant(c, s)?;
        if (0..=max).contains(&v) {
            Ok(v)
        } else {
            Err(Problem::at(
                here,
                format!(
                    "{} is out of range: 0 to {max} are possible",
                    String::from_utf8_lossy(name)
                ),
            ))
        }
    };
    let r = match name {
        b"offset" => {
            if let Some(v) = special::swizzle(c, s)? {
                (Mod::Offset, v)
            } else {
                (Mod::Offset, expression::constant(c, s)?)
            }
        }
        b"offset0" => (Mod::Offset0, ranged(c, s, 255)?),
        b"offset1" => (Mod::Offset1, ranged(c, s, 255)?),
        b"mul" => {
            let here = c.pos;
            match expression::constant(c, s)? {
                1 => (Mod::Omod, 0),
                2 => (Mod::Omod, 1),
                4 => (Mod::Omod, 2),
                _ => {
                    return Err(Problem::at(
                        here,
                        "invalid mul value: 1, 2 or 4 is possible",
                    ));
                }
            }
        }
        b"div" => {
            let here = c.pos;
            match expression::constant(c, s)? {
                1 => (Mod::Omod, 0),
                2 => (Mod::Omod, 3),
                _ => return Err(Problem::at(here, "invalid div value: 1 or 2 is possible")),
            }
        }
        b"op_sel" => (Mod::OpSel, bits(c, 4, 1, s)?),
        b"op_sel_hi" => (Mod::OpSelHi, bits(c, 4, 1, s)?),
        b"neg_lo" => (Mod::NegLo, bits(c, 4, 1, s)?),
        b"neg_hi" => (Mod::NegHi, bits(c, 4, 1, s)?),
        b"neg" => (Mod::Neg, bits(c, 4, 1, s)?),
        b"cbsz" => (Mod::Cbsz, ranged(c, s, 7)?),
        b"abid" => (Mod::Abid, ranged(c, s, 15)?),
        b"blgp" => (Mod::Blgp, ranged(c, s, 7)?),
        b"byte_sel" => (Mod::ByteSel, ranged(c, s, 3)?),
        b"scale_sel" => (Mod::ScaleSel, ranged(c, s, 15)?),
        b"index_key" => (Mod::IndexKey, ranged(c, s, 3)?),
        b"wait_exp" => (Mod::WaitExp, ranged(c, s, 7)?),
        b"wait_vdst" => (Mod::WaitVdst, ranged(c, s, 15)?),
        b"wait_va_vdst" => (Mod::WaitVaVdst, ranged(c, s, 15)?),
        b"wait_vm_vsrc" => (Mod::WaitVmVsrc, ranged(c, s, 1)?),
        b"bitop3" => (Mod::Bitop3, ranged(c, s, 255)?),
        b"matrix_a_fmt" | b"matrix_b_fmt" => {
            let v = named(
                c,
                s,
                "MATRIX_FMT_",
                &["FP8", "BF8", "FP6", "BF6", "FP4"],
                "matrix format",
            )?;
            let m = if name == b"matrix_a_fmt" {
                Mod::MatrixAFmt
            } else {
                Mod::MatrixBFmt
            };
            (m, v)
        }
        b"matrix_a_scale" | b"matrix_b_scale" => {
            let v = named(c, s, "MATRIX_SCALE_", &["ROW0", "ROW1"], "matrix scale")?;
            let m = if name == b"matrix_a_scale" {
                Mod::MatrixAScale
            } else {
                Mod::MatrixBScale
            };
            (m, v)
        }
        b"matrix_a_scale_fmt" | b"matrix_b_scale_fmt" => {
            let v = named(
                c,
                s,
                "MATRIX_SCALE_FMT_",
                &["E8", "E5M3", "E4M3"],
                "matrix scale format",
            )?;
            let m = if name == b"matrix_a_scale_fmt" {
                Mod::MatrixAScaleFmt
            } else {
                Mod::MatrixBScaleFmt
            };
            (m, v)
        }
        b"dst_sel" => (Mod::DstSel, named(c, s, "", SELECT, "dst_sel")?),
        b"src0_sel" => (Mod::Src0Sel, named(c, s, "", SELECT, "src0_sel")?),
        b"src1_sel" => (Mod::Src1Sel, named(c, s, "", SELECT, "src1_sel")?),
        b"dst_unused" => (
            Mod::DstUnused,
            named(c, s, "UNUSED_", &["PAD", "SEXT", "PRESERVE"], "dst_unused")?,
        ),
        b"dpp8" => {
            if t.is_gfx9() {
                return Err(Problem::at(at, format!("dpp8 is not supported on {t}")));
            }
            (Mod::Dpp8, bits(c, 8, 7, s)?)
        }
        b"row_mask" => (Mod::RowMask, ranged(c, s, 15)?),
        b"bank_mask" => (Mod::BankMask, ranged(c, s, 15)?),
        // Before RDNA 3, zero is the older spelling of the same bit.
        b"bound_ctrl" => {
            let v = ranged(c, s, 1)?;
            (Mod::BoundCtrl, if t.major() < 11 { 1 } else { v })
        }
        b"fi" => (Mod::Fi, ranged(c, s, 1)?),
        b"dmask" => (Mod::Dmask, ranged(c, s, 15)?),
        b"dim" => {
            if t.is_gfx9() {
                return Err(Problem::at(at, format!("dim is not supported on {t}")));
            }
            c.skip();
            let here = c.pos;
            let w = word(c);
            let w = w.strip_prefix(b"SQ_RSRC_IMG_").unwrap_or(w);
            let v = DIMENSIONS.iter().position(|d| d.as_bytes() == w);
            let v = v.ok_or_else(|| Problem::at(here, "invalid dim value"))?;
            (Mod::Dim, v as i64)
        }
        b"format" => (Mod::Format, format::read(c, s, t)?),
        b"dfmt" if t.is_gfx9() => (Mod::Dfmt, ranged(c, s, 15)?),
        b"nfmt" if t.is_gfx9() => (Mod::Nfmt, ranged(c, s, 7)?),
        b"th" => {
            hint(c, line, s, how)?;
            (Mod::Cpol, 0)
        }
        b"scope" => {
            if t.major() < 12 {
                return Err(Problem::at(at, format!("scope is not supported on {t}")));
            }
            let v = named(c, s, "SCOPE_", &["CU", "SE", "DEV", "SYS"], "scope")?;
            if !(0..=3).contains(&v) {
                return Err(Problem::at(at, "invalid scope value"));
            }
            add_policy(line, 3 << 3, v << 3, at)?;
            (Mod::Cpol, 0)
        }
        _ => return dpp(c, s, t, name, at),
    };
    Ok(Some(r))
}

/// Controls of data-parallel primitives (Vega ISA 13.3.9, RDNA1 ISA 13.3.9).
fn dpp(
    c: &mut Cursor<'_>,
    s: &mut Symbols,
    t: Target,
    name: &[u8],
    at: usize,
) -> Result<Option<(Mod, i64)>, Problem> {
    let gfx9 = t.is_gfx9();
    let (base, least, most, there) = match name {
        b"quad_perm" => return Ok(Some((Mod::DppCtrl, bits(c, 4, 3, s)?))),
        b"row_shl" => (0x100, 1, 15, true),
        b"row_shr" => (0x110, 1, 15, true),
        b"row_ror" => (0x120, 1, 15, true),
        b"wave_shl" => (0x12f, 1, 1, gfx9),
        b"wave_rol" => (0x133, 1, 1, gfx9),
        b"wave_shr" => (0x137, 1, 1, gfx9),
        b"wave_ror" => (0x13b, 1, 1, gfx9),
        b"row_bcast" => (0x142, 15, 31, gfx9),
        b"row_newbcast" => (0x150, 0, 15, t.has_gfx90a_insts()),
        b"row_share" => (0x150, 0, 15, !gfx9),
        b"row_xmask" => (0x160, 0, 15, !gfx9),
        _ => return Ok(None),
    };
    let text = || String::from_utf8_lossy(name).into_owned();
    if !there {
        return Err(Problem::at(
            at,
            format!("{} is not supported on {t}", text()),
        ));
    }
    c.skip();
    let here = c.pos;
    let v = expression::constant(c, s)?;
    let v = match (name, v) {
        (b"row_bcast", 15) => 0x142,
        (b"row_bcast", 31) => 0x143,
        (b"row_bcast", _) => return Err(Problem::at(here, "row_bcast takes 15 or 31")),
        (_, v) if (least..=most).contains(&v) => base + v,
        _ => {
            return Err(Problem::at(
                here,
                format!("invalid {} value: {least} to {most} are possible", text()),
            ));
        }
    };
    Ok(Some((Mod::DppCtrl, v)))
}

/// In `Line::policy_named`: a temporal hint is given.
pub(super) const TH: i64 = 1 << 15;
/// It is given as a number.
pub(super) const TH_NUMBER: i64 = 1 << 16;
/// It is called BYPASS.
pub(super) const TH_BYPASS: i64 = 1 << 17;

/// Temporal hints (RDNA4 ISA 4.1.1).
fn hint(
    c: &mut Cursor<'_>,
    line: &mut Line,
    s: &mut Symbols,
    how: &Reading,
) -> Result<(), Problem> {
    c.skip();
    let at = c.pos;
    if how.target.major() < 12 {
        return Err(Problem::at(
            at,
            format!("th is not supported on {}", how.target),
        ));
    }
    // Values without a name are printed as hexadecimal numbers.
    let mut named = TH;
    let v = if c.at(0) == b'0' && c.at(1) == b'x' {
        named |= TH_NUMBER;
        expression::constant(c, s)?
    } else {
        let w = word(c);
        let (access, rest) = [
            (Access::Load, &b"TH_LOAD_"[..]),
            (Access::Store, b"TH_STORE_"),
            (Access::Atomic, b"TH_ATOMIC_"),
        ]
        .into_iter()
        .find_map(|(a, p)| Some((a, w.strip_prefix(p)?)))
        .unwrap_or((Access::Any, w));
        let store = access == Access::Store;
        let load = access == Access::Load;
        if rest == b"BYPASS" {
            named |= TH_BYPASS;
        }
        let v = match (access, rest) {
            (Access::Any, b"TH_DEFAULT") => Some(0),
            (Access::Any, _) => None,
            (Access::Atomic, r) => match r {
                b"RT" => Some(0),
                b"RETURN" | b"RT_RETURN" => Some(1),
                b"NT" => Some(2),
                b"NT_RETURN" => Some(3),
                b"CASCADE_RT" => Some(4),
                b"CASCADE_NT" => Some(6),
                _ if r.starts_with(b"0x") => std::str::from_utf8(&r[2..])
                    .ok()
                    .and_then(|h| i64::from_str_radix(h, 16).ok()),
                _ => None,
            },
            (_, b"RT") => Some(0),
            (_, b"NT") => Some(1),
            (_, b"HT") => Some(2),
            (_, b"LU") if load => Some(3),
            (_, b"WB") if store => Some(3),
            (_, b"BYPASS") => Some(3),
            (_, b"NT_RT") => Some(4),
            (_, b"RT_NT") => Some(5),
            (_, b"NT_HT") => Some(6),
            (_, b"NT_WB") if store => Some(7),
            _ => None,
        };
        let v = v.ok_or_else(|| Problem::at(at, "invalid th value"))?;
        if access != Access::Any && how.load != Access::Any && access != how.load {
            let what = match how.load {
                Access::Atomic => "atomic",
                Access::Store => "store",
                _ => "load",
            };
            return Err(Problem::at(
                at,
                format!("invalid th value for {what} instructions"),
            ));
        }
        v
    };
    if !(0..=7).contains(&v) {
        return Err(Problem::at(at, "invalid th value"));
    }
    add_policy(line, named, v, at)
}
