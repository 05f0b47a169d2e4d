//! Named modifiers: `offset:16`, `glc`, `quad_perm:[0,1,2,3]` and their kin, in any order.

use super::cursor::Cursor;
use super::diagnostic::Problem;
use super::modifier_value::valued;
use super::operand::{Line, Reading};
use super::symbol::Symbols;
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
pub(super) fn add_policy(line: &mut Line, named: i64, bits: i64, at: usize) -> Result<(), Problem> {
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
