//! Named modifiers: `offset:16`, `glc`, `quad_perm:[0,1,2,3]` and their kin, in any order.

use super::cursor::Cursor;
use super::diagnostic::Problem;
use super::operand::{Line, Reading};
use super::symbol::Symbols;
use super::{expression, format, special};
use waveglass_isa::{Generation, ImmStyle, Target};

macro_rules! modifiers {
    ($($variant:ident $name:literal,)*) => {
        /// A modifier's place in [`Line::values`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Mod { $($variant,)* }

        impl Mod {
            /// The name in messages.
            pub(super) fn name(self) -> &'static str {
                match self { $(Mod::$variant => $name,)* }
            }

            /// The modifiers whose bit is set.
            pub(super) fn of(bits: u64) -> impl Iterator<Item = Mod> {
                [$(Mod::$variant,)*].into_iter().filter(move |m| bits >> *m as u32 & 1 != 0)
            }
        }
    };
}

modifiers! {
    Offset "offset", Offset0 "offset0", Offset1 "offset1", Gds "gds", Cpol "cache policy",
    Tfe "tfe", Lwe "lwe", Da "da", D16 "d16", A16 "a16", R128 "r128", Unorm "unorm",
    Dmask "dmask", Dim "dim", Format "format", Offen "offen", Idxen "idxen", Addr64 "addr64",
    Lds "lds", Clamp "clamp", Omod "mul or div", OpSel "op_sel", OpSelHi "op_sel_hi",
    NegLo "neg_lo", NegHi "neg_hi", Cbsz "cbsz", Abid "abid", Blgp "blgp", ByteSel "byte_sel",
    ScaleSel "scale_sel", IndexKey "index_key", WaitExp "wait_exp", WaitVdst "wait_vdst",
    WaitVaVdst "wait_va_vdst", WaitVmVsrc "wait_vm_vsrc", Bitop3 "bitop3",
    MatrixAFmt "matrix_a_fmt", MatrixBFmt "matrix_b_fmt", MatrixAScale "matrix_a_scale",
    MatrixBScale "matrix_b_scale", MatrixAScaleFmt "matrix_a_scale_fmt",
    MatrixBScaleFmt "matrix_b_scale_fmt", MatrixAReuse "matrix_a_reuse",
    MatrixBReuse "matrix_b_reuse", DstSel "dst_sel", DstUnused "dst_unused",
    Src0Sel "src0_sel", Src1Sel "src1_sel", DppCtrl "a dpp control", Dpp8 "dpp8",
    RowMask "row_mask", BankMask "bank_mask", BoundCtrl "bound_ctrl", Fi "fi", High "high",
    Compr "compr", Vm "vm", Done "done", RowEn "row_en", Dfmt "dfmt", Nfmt "nfmt", Neg "neg",
}

impl Mod {
    /// The modifier that fills a field of a style; `None` for positional operands.
    pub(super) fn of_style(style: ImmStyle) -> Option<Mod> {
        use ImmStyle as S;
        Some(match style {
            S::Offset | S::FlatOffsetS | S::FlatOffsetU | S::Swizzle => Mod::Offset,
            S::Smemoffsetmod | S::Optsmemoffsetmod => Mod::Offset,
            S::Offset0 => Mod::Offset0,
            S::Offset1 => Mod::Offset1,
            S::Gds => Mod::Gds,
            S::Cpol => Mod::Cpol,
            S::Tfe => Mod::Tfe,
            S::Lwe => Mod::Lwe,
            S::Da => Mod::Da,
            S::D16 => Mod::D16,
            S::A16 => Mod::A16,
            S::R128a16 => Mod::R128,
            S::Unorm => Mod::Unorm,
            S::Dmask => Mod::Dmask,
            S::Dim => Mod::Dim,
            S::Format => Mod::Format,
            S::Clamp => Mod::Clamp,
            S::Omod => Mod::Omod,
            S::OpSel => Mod::OpSel,
            S::OpSelHi => Mod::OpSelHi,
            S::NegLo => Mod::NegLo,
            S::NegHi => Mod::NegHi,
            S::Cbsz => Mod::Cbsz,
            S::Abid => Mod::Abid,
            S::Blgp => Mod::Blgp,
            S::Bytesel => Mod::ByteSel,
            S::Scalesel => Mod::ScaleSel,
            S::Indexkey8bit | S::Indexkey16bit | S::Indexkey32bit => Mod::IndexKey,
            S::Waitexp => Mod::WaitExp,
            S::Waitvdst => Mod::WaitVdst,
            S::Waitvavdst => Mod::WaitVaVdst,
            S::Waitvmvsrc => Mod::WaitVmVsrc,
            S::Bitop3 => Mod::Bitop3,
            S::Matrixafmt => Mod::MatrixAFmt,
            S::Matrixbfmt => Mod::MatrixBFmt,
            S::Matrixascale => Mod::MatrixAScale,
            S::Matrixbscale => Mod::MatrixBScale,
            S::Matrixascalefmt => Mod::MatrixAScaleFmt,
            S::Matrixbscalefmt => Mod::MatrixBScaleFmt,
            S::Matrixareuse => Mod::MatrixAReuse,
            S::Matrixbreuse => Mod::MatrixBReuse,
            S::DstSel => Mod::DstSel,
            S::DstUnused => Mod::DstUnused,
            S::Src0Sel => Mod::Src0Sel,
            S::Src1Sel => Mod::Src1Sel,
            S::DppCtrl => Mod::DppCtrl,
            S::Dpp8 => Mod::Dpp8,
            S::Dpprowmask => Mod::RowMask,
            S::Dppbankmask => Mod::BankMask,
            S::Dppboundctrl => Mod::BoundCtrl,
            S::Dpp16fi | S::Dpp8fi => Mod::Fi,
            S::Highmod => Mod::High,
            S::ExpCompr => Mod::Compr,
            S::ExpVm => Mod::Vm,
            _ => return None,
        })
    }

    /// The modifier of a word that a template fixes.
    pub(super) fn of_word(word: &str) -> Option<Mod> {
        Some(match word {
            "offen" => Mod::Offen,
            "idxen" => Mod::Idxen,
            "addr64" => Mod::Addr64,
            "lds" => Mod::Lds,
            "tfe" => Mod::Tfe,
            "gds" => Mod::Gds,
            "done" => Mod::Done,
            "row_en" => Mod::RowEn,
            _ => return None,
        })
    }
}

/// What an instruction does with memory, by which its temporal hints are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Load,
    Store,
    Atomic,
    Any,
}

fn set(line: &mut Line, m: Mod, v: i64, at: usize) -> Result<(), Problem> {
    if line.has(m) {
        return Err(Problem::at(at, format!("{} is given twice", m.name())));
    }
    line.given |= 1 << m as u32;
    line.values[m as usize] = v;
    line.places[m as usize] = at as u32;
    line.mark(m);
    Ok(())
}

/// Reads a modifier called `name`, which is next; `Ok(false)` where that is no modifier.
pub(super) fn read(
    c: &mut Cursor<'_>,
    line: &mut Line,
    s: &mut Symbols,
    how: &Reading,
    name: &[u8],
) -> Result<bool, Problem> {
    let at = c.pos;
    let mut ahead = *c;
    ahead.pos += name.len();
    if ahead.peek() == b':' && ahead.at(1) != b':' {
        ahead.pos += 1;
        if let Some((m, v)) = valued(&mut ahead, line, s, how, name, at)? {
            *c = ahead;
            if m == Mod::Cpol {
                return Ok(true);
            }
            set(line, m, v, at)?;
            return Ok(true);
        }
        return Ok(false);
    }
    if let Some(m) = flag(name) {
        c.pos += name.len();
        set(line, m, 1, at)?;
        return Ok(true);
    }
    if cache_flag(line, how, name, at)? {
        c.pos += name.len();
        return Ok(true);
    }
    match name {
        b"row_mirror" => set(line, Mod::DppCtrl, 0x140, at)?,
        b"row_half_mirror" => set(line, Mod::DppCtrl, 0x141, at)?,
        _ => {
            if let Some(rest) = name.strip_prefix(b"no")
                && let Some(m) = flag(rest)
            {
                c.pos += name.len();
                set(line, m, 0, at)?;
                return Ok(true);
            }
            return Ok(false);
        }
    }
    c.pos += name.len();
    Ok(true)
}

fn flag(name: &[u8]) -> Option<Mod> {
    Some(match name {
        b"gds" => Mod::Gds,
        b"tfe" => Mod::Tfe,
        b"lwe" => Mod::Lwe,
        b"da" => Mod::Da,
        b"d16" => Mod::D16,
        b"a16" => Mod::A16,
        b"r128" => Mod::R128,
        b"unorm" => Mod::Unorm,
        b"offen" => Mod::Offen,
        b"idxen" => Mod::Idxen,
        b"addr64" => Mod::Addr64,
        b"lds" => Mod::Lds,
        b"clamp" => Mod::Clamp,
        b"high" => Mod::High,
        b"compr" => Mod::Compr,
        b"vm" => Mod::Vm,
        b"done" => Mod::Done,
        b"row_en" => Mod::RowEn,
        b"matrix_a_reuse" => Mod::MatrixAReuse,
        b"matrix_b_reuse" => Mod::MatrixBReuse,
        _ => return None,
    })
}

/// The bits of the cache policy by name.
fn cache_flag(line: &mut Line, how: &Reading, name: &[u8], at: usize) -> Result<bool, Problem> {
    let t = how.target;
    let gfx940 = t.has_gfx940_insts();
    let scalar = how.name.starts_with("s_");
    let (bit, fits, instead) = match name {
        b"glc" => (0, t.major() < 12 && (!gfx940 || scalar), "sc0"),
        b"sc0" => (0, gfx940 && !scalar, "glc"),
        b"slc" => (1, t.major() < 12 && !gfx940, "nt"),
        b"nt" => (1, gfx940, "slc"),
        b"dlc" => (2, matches!(t.major(), 10 | 11), ""),
        b"scc" => (4, t == Target::Gfx90a, "sc1"),
        b"sc1" => (4, gfx940, "scc"),
        b"nv" => (5, t.has_gfx1250_insts(), ""),
        b"scale_offset" => (11, t.has_gfx1250_insts(), ""),
        _ => {
            let known = matches!(name, b"noglc" | b"noslc" | b"nodlc" | b"noscc");
            if known {
                line.mark(Mod::Cpol);
            }
            return Ok(known);
        }
    };
    if !fits {
        let text = String::from_utf8_lossy(name);
        let p = Problem::at(at, format!("{text} is not supported on {t}"));
        let help = match t.generation() {
            g if t.major() >= 12 && !matches!(name, b"nv" | b"scale_offset") => {
                format!("{t} ({g}) names cache policies by th: and scope:")
            }
            Generation::Cdna3 | Generation::Cdna4 if !instead.is_empty() => {
                format!("{t} calls it {instead}")
            }
            _ => return Err(p),
        };
        return Err(p.help(help));
    }
    add_policy(line, 1 << bit, 1 << bit, at)?;
    Ok(true)
}

/// Adds to the cache policy. What was named before stands above its bits.
fn add_policy(line: &mut Line, named: i64, bits: i64, at: usize) -> Result<(), Problem> {
    let policy = &mut line.values[Mod::Cpol as usize];
    if line.given >> Mod::Cpol as u32 & 1 == 0 {
        line.given |= 1 << Mod::Cpol as u32;
        *policy = 0;
        line.places[Mod::Cpol as usize] = at as u32;
    }
    if line.policy_named & named != 0 {
        return Err(Problem::at(at, "duplicate cache policy modifier"));
    }
    line.policy_named |= named;
    *policy |= bits;
    line.mark(Mod::Cpol);
    Ok(())
}

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
        if c.eat(b',') {
            continue;
        }
        if c.eat(b']') {
            break;
        }
        return Err(Problem::at(
            c.pos,
            "expected a comma or a closing square bracket",
        ));
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

fn valued(
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
        // Zero is the older spelling of the same bit.
        b"bound_ctrl" => {
            ranged(c, s, 1)?;
            (Mod::BoundCtrl, 1)
        }
        b"fi" => (Mod::Fi, ranged(c, s, 1)?),
        b"dmask" => (Mod::Dmask, ranged(c, s, 15)?),
        b"dim" => {
            if t.is_gfx9() {
                return Err(Problem::at(at, format!("dim is not supported on {t}")));
            }
            const DIMENSIONS: &[&str] = &[
                "1D",
                "2D",
                "3D",
                "CUBE",
                "1D_ARRAY",
                "2D_ARRAY",
                "2D_MSAA",
                "2D_MSAA_ARRAY",
            ];
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

/// Controls of data-parallel primitives (Vega ISA 13.3.9, RDNA1 ISA 13.3.8).
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

/// Temporal hints (RDNA4 ISA 10.1.4).
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
