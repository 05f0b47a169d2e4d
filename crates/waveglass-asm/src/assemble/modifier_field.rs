//! Modifiers into fields, given or not.

use super::candidate::Candidate;
use super::matcher::{For, Reject, reject};
use super::modifier::Mod;
use super::operand::Line;
use super::operand_field::scalar_offset;
use super::pattern::Pattern;
use waveglass_isa::{ImmStyle, InstBits, InstDef, InstFlags, NO_MODS, OperandDef, OperandKind};

/// Fills the fields of modifiers, given or not.
pub(super) fn modifiers(
    line: &Line,
    c: &Candidate,
    bits: &mut InstBits,
    on: For,
) -> Result<(), Reject> {
    let p: &Pattern = &c.pattern;
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
            // Bit 15 of gfx9's image instructions is A16 (Vega ISA 13.7.1).
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
    if c.hidden_fi {
        let fi = OperandKind::Imm(ImmStyle::Dpp8fi);
        for o in operands.iter().filter(|o| o.kind == fi) {
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
                if matches!(m, Mod::NegLo | Mod::NegHi) {
                    return Err(reject(
                        20,
                        at,
                        format!("invalid {} operand: src{n} has no sign to change", m.name()),
                    ));
                }
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
                    return Err(format!(
                        "expected a {bits}-bit unsigned offset: 0 to {} are possible",
                        (1i64 << bits) - 1
                    ));
                }
            } else if !(-(1i64 << (width - 1))..1i64 << (width - 1)).contains(&v) {
                let most = 1i64 << (width - 1);
                return Err(format!(
                    "expected a {width}-bit signed offset: {} to {} are possible",
                    -most,
                    most - 1
                ));
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
