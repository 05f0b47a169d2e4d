//! Shapes as patterns of operands and modifiers.

use super::modifier::Mod;
use waveglass_isa::{IMAGE_BITS, ImmStyle, InstDef, MATRIX_BITS, OperandKind, Piece, Target};

/// One positional operand of a pattern.
#[derive(Clone, Copy, Debug)]
pub(super) enum Want {
    /// A register or constant, with the position of its modifiers' field.
    Source {
        operand: u8,
        mods: Option<u8>,
    },
    /// A number that goes into a field as it is.
    Number {
        operand: u8,
        style: ImmStyle,
    },
    /// VCC as wide as a wave.
    Vcc,
    /// All of VCC.
    Vcc64,
    Off,
    M0,
    /// Image addresses from this operand on.
    Addresses(u8),
}

impl Want {
    fn is_vcc(&self) -> bool {
        matches!(self, Want::Vcc | Want::Vcc64)
    }
}

impl Pattern {
    /// The operands that are written when there are `count` of them.
    #[inline]
    pub(super) fn written(&self, count: usize) -> impl Iterator<Item = &Want> {
        let short = self.implied > 0 && count + self.implied as usize == self.wants.len();
        self.wants.iter().filter(move |w| !(short && w.is_vcc()))
    }
}

/// An instruction's operands as written.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) wants: Vec<Want>,
    /// Operands before `::`.
    pub(super) split: usize,
    /// Modifiers and the operands that they fill.
    pub(super) mods: Vec<(Mod, u8)>,
    /// Where each modifier stands: its rank among the modifiers and the operands before it.
    pub(super) ranks: [(u8, u8); 64],
    /// Modifiers that may stand.
    pub(super) accepted: u64,
    /// Words that must stand.
    pub(super) required: u64,
    /// Operands that are VCC and may be left out, all of them or none.
    pub(super) implied: u8,
    /// The last operand may be left out.
    pub(super) optional_last: bool,
    /// Bits to set where no operand or fixed bit covers them.
    pub(super) implied_bits: [u32; 4],
    pub(super) form: Form,
    /// An export, whose enable mask follows from its operands.
    pub(super) export: bool,
    /// Some register counts follow from other fields.
    pub(super) sized: bool,
}

/// The form that a mnemonic's suffix asks for, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    E32,
    E64,
    Sdwa,
    Dpp,
    E64Dpp,
}

impl Form {
    pub(super) const COUNT: usize = 5;

    pub(super) fn suffix(self) -> &'static str {
        match self {
            Form::E32 => "_e32",
            Form::E64 => "_e64",
            Form::Sdwa => "_sdwa",
            Form::Dpp => "_dpp",
            Form::E64Dpp => "_e64_dpp",
        }
    }

    /// Cuts the suffix off a mnemonic.
    pub(super) fn split(name: &[u8]) -> (&[u8], Option<Form>) {
        if let Some(base) = name.strip_suffix(b"_e64_dpp") {
            return (base, Some(Form::E64Dpp));
        }
        let Some((base, last)) = name.split_last_chunk::<4>() else {
            return (name, None);
        };
        match last {
            b"_e32" => (base, Some(Form::E32)),
            b"_e64" => (base, Some(Form::E64)),
            b"_dpp" => (base, Some(Form::Dpp)),
            b"sdwa" if base.last() == Some(&b'_') => (&base[..base.len() - 1], Some(Form::Sdwa)),
            _ => (name, None),
        }
    }
}

/// The form of a row. What moves lanes to and from scalar registers has the encoding of VOP3 but no
/// shorter form, and LLVM counts it among those; interpolation it counts among the longer ones.
fn form(def: &InstDef) -> Form {
    let shape = def.shape;
    let dpp = shape.encoding.contains("DPP");
    if matches!(def.mnemonic, "v_readlane_b32" | "v_writelane_b32") {
        Form::E32
    } else if shape.encoding == "ENC_VINTERP" {
        Form::E64
    } else if shape.encoding.contains("SDWA") {
        Form::Sdwa
    } else if shape.encoding.starts_with("VOP3") && dpp {
        Form::E64Dpp
    } else if dpp {
        Form::Dpp
    } else if shape.encoding.starts_with("ENC_VOP3") || shape.encoding.starts_with("VOP3") {
        Form::E64
    } else {
        Form::E32
    }
}

pub(super) fn compile(def: &InstDef) -> Pattern {
    let shape = def.shape;
    let mut p = Pattern {
        wants: Vec::new(),
        split: 0,
        mods: Vec::new(),
        ranks: [(0, 0); 64],
        accepted: 0,
        required: 0,
        implied: 0,
        optional_last: false,
        implied_bits: [0; 4],
        form: form(def),
        export: def.mnemonic.starts_with("exp"),
        sized: shape
            .operands
            .iter()
            .any(|o| o.bits == IMAGE_BITS || o.bits == MATRIX_BITS),
    };
    // Within the brackets of an address list only the first operand is a want.
    let mut listing = false;
    let mut rank = 0;
    let mut stands = |p: &mut Pattern, list: &[Mod]| {
        rank += 1;
        for m in list {
            let place = &mut p.ranks[*m as usize];
            if place.0 == 0 {
                *place = (rank, p.wants.len() as u8);
            }
        }
    };
    for piece in shape.pieces {
        match *piece {
            Piece::Operand(i) if listing => {
                if !matches!(p.wants.last(), Some(Want::Addresses(_))) {
                    p.wants.push(Want::Addresses(i));
                }
            }
            Piece::Text(text) => {
                listing = text.contains('[') || listing && !text.contains(']');
                let text = text
                    .strip_prefix(if p.wants.is_empty() {
                        p.form.suffix()
                    } else {
                        "\u{0}"
                    })
                    .unwrap_or(text);
                for word in text.split([' ', ',']).filter(|w| !w.is_empty()) {
                    match word {
                        "off" => p.wants.push(Want::Off),
                        "vcc" => p.wants.push(Want::Vcc64),
                        "m0" => p.wants.push(Want::M0),
                        "::" => p.split = p.wants.len(),
                        _ => {
                            if let Some(m) = Mod::of_word(word) {
                                p.required |= 1 << m as u32;
                                stands(&mut p, &[m]);
                            }
                        }
                    }
                }
            }
            Piece::SecondName => {}
            Piece::Vcc => p.wants.push(Want::Vcc),
            Piece::Addresses(first) => p.wants.push(Want::Addresses(first)),
            Piece::Modified { mods, source } => p.wants.push(Want::Source {
                operand: source,
                mods: Some(mods),
            }),
            Piece::Operand(i) => match shape.operands[i as usize].kind {
                OperandKind::Imm(style) => match Mod::of_style(style) {
                    Some(m) => {
                        p.mods.push((m, i));
                        p.accepted |= 1 << m as u32;
                        stands(
                            &mut p,
                            match m {
                                Mod::Blgp => &[Mod::Blgp, Mod::Neg],
                                Mod::Format => &[Mod::Format, Mod::Dfmt, Mod::Nfmt],
                                ref one => std::slice::from_ref(one),
                            },
                        );
                        match m {
                            Mod::R128 => p.accepted |= 1 << Mod::A16 as u32,
                            Mod::Blgp => p.accepted |= 1 << Mod::Neg as u32,
                            Mod::Format => {
                                p.accepted |= 1 << Mod::Dfmt as u32 | 1 << Mod::Nfmt as u32;
                            }
                            _ => {}
                        }
                    }
                    // The channel is part of the attribute's name.
                    None if style == ImmStyle::Interpattrchan => {}
                    None => p.wants.push(Want::Number { operand: i, style }),
                },
                OperandKind::Mods(_) => {}
                _ => p.wants.push(Want::Source {
                    operand: i,
                    mods: None,
                }),
            },
        }
    }
    // Forms of ray intersections with short addresses are told from the others by the word.
    let short = |(m, i): &(Mod, u8)| {
        let o = &shape.operands[*i as usize];
        *m == Mod::A16
            && o.spans
                .iter()
                .any(|&(bit, _, _)| is_fixed_one(def, bit as usize))
    };
    if p.mods.iter().any(short) {
        p.required |= 1 << Mod::A16 as u32;
    }
    p.accepted |= p.required;
    if p.ranks[Mod::A16 as usize].0 == 0 {
        p.ranks[Mod::A16 as usize] = p.ranks[Mod::R128 as usize];
    }
    // A scalar load without an offset reads at its base.
    p.optional_last = matches!(
        p.wants.last(),
        Some(Want::Number {
            style: ImmStyle::Endpgm | ImmStyle::Smemoffset,
            ..
        })
    );
    let count = p.wants.iter().filter(|w| w.is_vcc()).count() as u8;
    let first = p.wants.first().is_some_and(Want::is_vcc);
    let gfx9 = def.is_gfx9();
    p.implied = match p.form {
        _ if first => 1,
        Form::E32 if !gfx9 || count == 1 => count,
        Form::Dpp | Form::Sdwa if !gfx9 => count,
        _ => 0,
    };
    // Modifiers without a name in the template keep their defaults.
    implied(def, &mut p);
    p
}

/// Whether the row fixes a bit to one.
fn is_fixed_one(def: &InstDef, bit: usize) -> bool {
    def.shape.mask[bit / 32] & def.value[bit / 32] & 1 << (bit % 32) != 0
}

/// Bits that LLVM sets though no operand asks for them.
fn implied(def: &InstDef, p: &mut Pattern) {
    let shape = def.shape;
    let mut set = |bit: usize| {
        let fixed = shape.mask[bit / 32] >> (bit % 32) & 1 != 0;
        let named = shape.operands.iter().enumerate().any(|(i, o)| {
            let here = o
                .spans
                .iter()
                .any(|&(lo, _, w)| (lo as usize..lo as usize + w as usize).contains(&bit));
            let hidden = matches!(o.kind, OperandKind::Mods(_))
                && !shape.sources.mods[..(shape.sources.count as usize).min(3)]
                    .contains(&(i as u8));
            here && !hidden
        });
        if !fixed && !named {
            p.implied_bits[bit / 32] |= 1 << (bit % 32);
        }
    };
    // Sources that a packed instruction does not have read both halves.
    if shape.encoding.contains("VOP3P") && !shape.encoding.contains("PX2") {
        for bit in [14, 59, 60] {
            set(bit);
        }
    }
    // Comparisons that write EXEC alone name it in the field of the scalar destination.
    if shape.encoding.contains("VOP3") && def.mnemonic.starts_with("v_cmpx") && !def.is_gfx9() {
        for bit in 1..7 {
            set(bit);
        }
    }
}

trait OnGfx9 {
    fn is_gfx9(&self) -> bool;
}

impl OnGfx9 for InstDef {
    fn is_gfx9(&self) -> bool {
        self.has_target(Target::Gfx900)
            || self.has_target(Target::Gfx942)
            || self.has_target(Target::Gfx90a)
    }
}
