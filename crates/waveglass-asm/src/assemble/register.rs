//! Register names.

use super::cursor::{Cursor, is_name};
use super::diagnostic::Problem;
use super::symbol::Symbols;
use waveglass_isa::{Half, Reg, RegFile, Target};

/// Reads a register; `Ok(None)` where no register's name is next.
pub(super) fn parse(
    c: &mut Cursor<'_>,
    target: Target,
    s: &mut Symbols,
) -> Result<Option<Reg>, Problem> {
    c.skip();
    let start = c.pos;
    let (file, prefix) = match c.at(0) {
        b'v' => (RegFile::Vgpr, 1),
        b's' => (RegFile::Sgpr, 1),
        b'a' if c.at(1) == b'c' && c.at(2) == b'c' => (RegFile::Agpr, 3),
        b'a' => (RegFile::Agpr, 1),
        b't' if c.src[start..].starts_with(b"ttmp") => (RegFile::Ttmp, 4),
        _ => return Ok(named(c, target)),
    };
    let next = c.at(prefix);
    if next.is_ascii_digit() {
        c.pos += prefix;
        let Some(index) = c.digits() else {
            c.pos = start;
            return Ok(None);
        };
        let half = match (c.at(0), c.at(1)) {
            (b'.', b'l') if !is_name(c.at(2)) => Some(Half::Lo),
            (b'.', b'h') if !is_name(c.at(2)) => Some(Half::Hi),
            (b, _) if !is_name(b) => None,
            _ => {
                c.pos = start;
                return Ok(named(c, target));
            }
        };
        c.pos += 2 * half.is_some() as usize;
        if half.is_some() && file != RegFile::Vgpr {
            return Err(Problem::at(
                start,
                "invalid operand for instruction: only vector registers have halves",
            ));
        }
        return reg(file, index, 1, half, start, target).map(Some);
    }
    if next == b'[' {
        c.pos += prefix + 1;
        let first = range_bound(c, s)?;
        let last = if c.eat(b':') {
            range_bound(c, s)?
        } else {
            first
        };
        if !c.eat(b']') {
            return Err(Problem::at(c.pos, "expected a closing bracket"));
        }
        if last < first {
            return Err(Problem::at(
                start,
                "first register index should not exceed second index",
            ));
        }
        // A range of one may name a half.
        let half = match (c.at(0), c.at(1)) {
            (b'.', b'l') if !is_name(c.at(2)) => Some(Half::Lo),
            (b'.', b'h') if !is_name(c.at(2)) => Some(Half::Hi),
            _ => None,
        };
        let half = half.filter(|_| file == RegFile::Vgpr && first == last);
        c.pos += 2 * half.is_some() as usize;
        return reg(file, first, last - first + 1, half, start, target).map(Some);
    }
    Ok(named(c, target))
}

/// A VGPR or SGPR as compilers write it, `v1` or `s[2:3]`, that every target has; other spellings
/// are left to [`parse`].
#[inline]
pub(super) fn plain(c: &mut Cursor<'_>) -> Option<Reg> {
    let text = c.src.get(c.pos..)?;
    let (file, most) = match text.first()? {
        b'v' => (RegFile::Vgpr, 256),
        b's' => (RegFile::Sgpr, 102),
        _ => return None,
    };
    let (index, dwords, length) = if text.get(1) == Some(&b'[') {
        let (first, n) = few_digits(text, 2)?;
        if text.get(n) != Some(&b':') {
            return None;
        }
        let (last, n) = few_digits(text, n + 1)?;
        if text.get(n) != Some(&b']') || last <= first {
            return None;
        }
        (first, last - first + 1, n + 1)
    } else {
        let (index, n) = few_digits(text, 1)?;
        if text.get(n).is_some_and(|b| is_name(*b)) {
            return None;
        }
        (index, 1, n)
    };
    let aligned = match (file, dwords) {
        (RegFile::Vgpr, _) | (_, 1) => true,
        (_, 2) => index % 2 == 0,
        _ => index % 4 == 0,
    };
    if !aligned || index + dwords > most || !matches!(dwords, 1..=12 | 16 | 32) {
        return None;
    }
    c.pos += length;
    Some(Reg {
        file,
        index: index as u16,
        dwords: dwords as u8,
        half: None,
    })
}

/// A number of at most three digits from `at` on, and where it ends.
#[inline]
fn few_digits(text: &[u8], at: usize) -> Option<(u32, usize)> {
    let mut v = 0;
    let mut n = at;
    while let Some(d) = text
        .get(n)
        .map(|b| b.wrapping_sub(b'0'))
        .filter(|d| *d < 10)
    {
        if n == at + 3 {
            return None;
        }
        v = v * 10 + d as u32;
        n += 1;
    }
    (n > at).then_some((v, n))
}

fn range_bound(c: &mut Cursor<'_>, s: &mut Symbols) -> Result<u32, Problem> {
    c.skip();
    let at = c.pos;
    if let Some(v) = c.digits()
        && matches!(c.peek(), b':' | b']')
    {
        return Ok(v);
    }
    c.pos = at;
    let v = super::expression::constant(c, s)?;
    u32::try_from(v)
        .ok()
        .filter(|v| *v < 65536)
        .ok_or_else(|| Problem::at(at, "invalid register index"))
}

fn reg(
    file: RegFile,
    index: u32,
    dwords: u32,
    half: Option<Half>,
    at: usize,
    target: Target,
) -> Result<Reg, Problem> {
    let max = match file {
        RegFile::Vgpr => 256,
        RegFile::Agpr => 256,
        RegFile::Ttmp => 16,
        _ if target.major() >= 10 => 106,
        _ => 102,
    };
    if file == RegFile::Agpr && target.major() != 9 {
        return Err(Problem::at(
            at,
            format!("{target} has no accumulation registers"),
        ));
    }
    if !matches!(dwords, 1..=12 | 16 | 32) {
        return Err(Problem::at(at, "invalid or unsupported register size"));
    }
    // CDNA 5 has 1024 VGPRs, of which a field names the first 256 as starts of tuples.
    let tuple_past = file == RegFile::Vgpr && target.has_gfx1250_insts() && index < max;
    if index + dwords > max && !(tuple_past && dwords > 1) {
        let name = match file {
            RegFile::Vgpr => "v",
            RegFile::Agpr => "a",
            RegFile::Ttmp => "ttmp",
            _ => "s",
        };
        let last = index + dwords - 1;
        return Err(Problem::at(
            at,
            format!(
                "register index is out of range: {name}{last} is past {name}{}",
                max - 1
            ),
        ));
    }
    if matches!(file, RegFile::Sgpr | RegFile::Ttmp) {
        let align = match dwords {
            1 => 1,
            2 => 2,
            _ => 4,
        };
        if !index.is_multiple_of(align) {
            return Err(Problem::at(
                at,
                format!(
                    "invalid register alignment: a tuple of {dwords} starts at a multiple of {align}"
                ),
            ));
        }
    }
    Ok(Reg {
        file,
        index: index as u16,
        dwords: dwords as u8,
        half,
    })
}

/// The register of a name that has no number.
fn named(c: &mut Cursor<'_>, target: Target) -> Option<Reg> {
    let name = c.peek_name();
    let r = special(name, target)?;
    c.pos += name.len();
    Some(r)
}

fn special(name: &[u8], target: Target) -> Option<Reg> {
    use RegFile::*;
    let (file, index, dwords) = match name {
        b"vcc" => (Vcc, 0, 2),
        b"vcc_lo" => (Vcc, 0, 1),
        b"vcc_hi" => (Vcc, 1, 1),
        b"exec" => (Exec, 0, 2),
        b"exec_lo" => (Exec, 0, 1),
        b"exec_hi" => (Exec, 1, 1),
        b"m0" => (M0, 0, 1),
        b"null" if !target.is_gfx9() => (Null, 0, 1),
        b"scc" | b"src_scc" => (Scc, 0, 1),
        b"vccz" | b"src_vccz" => (Vccz, 0, 1),
        b"execz" | b"src_execz" => (Execz, 0, 1),
        b"flat_scratch" => (FlatScratch, 0, 2),
        b"flat_scratch_lo" => (FlatScratch, 0, 1),
        b"flat_scratch_hi" => (FlatScratch, 1, 1),
        b"xnack_mask" => (XnackMask, 0, 2),
        b"xnack_mask_lo" => (XnackMask, 0, 1),
        b"xnack_mask_hi" => (XnackMask, 1, 1),
        b"src_shared_base" | b"shared_base" => (SharedBase, 0, 1),
        b"src_shared_limit" | b"shared_limit" => (SharedLimit, 0, 1),
        b"src_private_base" | b"private_base" => (PrivateBase, 0, 1),
        b"src_private_limit" | b"private_limit" => (PrivateLimit, 0, 1),
        b"src_flat_scratch_base_lo" | b"flat_scratch_base_lo" => (FlatScratchBase, 0, 1),
        b"src_flat_scratch_base_hi" | b"flat_scratch_base_hi" => (FlatScratchBase, 1, 1),
        b"src_pops_exiting_wave_id" | b"pops_exiting_wave_id" => (PopsExitingWaveId, 0, 1),
        b"src_lds_direct" | b"lds_direct" => (LdsDirect, 0, 1),
        _ => return None,
    };
    Some(Reg::new(file, index, dwords))
}

/// Joins registers listed in brackets, as in `[s0,s1]`, to one tuple.
pub(super) fn join(list: &[Reg], at: usize) -> Result<Reg, Problem> {
    let mut all = list[0];
    for r in &list[1..] {
        let follows = r.file == all.file && r.index == all.index + all.dwords as u16;
        if !follows || r.dwords != 1 || all.half.is_some() || r.half.is_some() {
            return Err(Problem::at(
                at,
                "registers in a list must have consecutive indices",
            ));
        }
        all.dwords += 1;
    }
    if matches!(all.file, RegFile::Sgpr | RegFile::Ttmp) && all.dwords > 1 {
        let align = if all.dwords == 2 { 2 } else { 4 };
        if !all.index.is_multiple_of(align) {
            return Err(Problem::at(at, "invalid register alignment"));
        }
    }
    Ok(all)
}
