//! Shapes as patterns of operands and modifiers, and the mnemonics of each target.
//!
//! Both are made from the instruction table when a target is first assembled for.

use super::modifier::{Access, Mod};
use super::special;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;
use waveglass_isa::{
    IMAGE_BITS, ImmStyle, InstDef, InstFlags, MATRIX_BITS, OperandKind, Piece, Shape, Target, rows,
};

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

fn form(shape: &Shape) -> Form {
    let dpp = shape.encoding.contains("DPP");
    if shape.encoding.contains("SDWA") {
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

fn compile(def: &InstDef) -> Pattern {
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
        form: form(shape),
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
                    None => {
                        // A scalar load without an offset reads at its base.
                        p.optional_last |= matches!(style, ImmStyle::Endpgm | ImmStyle::Smemoffset);
                        p.wants.push(Want::Number { operand: i, style });
                    }
                },
                OperandKind::Mods(_) => {}
                _ => p.wants.push(Want::Source {
                    operand: i,
                    mods: None,
                }),
            },
        }
    }
    p.accepted |= p.required;
    if p.ranks[Mod::A16 as usize].0 == 0 {
        p.ranks[Mod::A16 as usize] = p.ranks[Mod::R128 as usize];
    }
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

/// One row under a mnemonic.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) def: &'static InstDef,
    pub(super) pattern: &'static Pattern,
}

/// A mnemonic of a target.
pub(super) struct Group {
    pub(super) name: &'static str,
    first: u32,
    count: u32,
    pub(super) special: [(u8, ImmStyle); 2],
    pub(super) specials: u8,
    pub(super) image: bool,
    pub(super) access: Access,
}

/// The mnemonics of a target.
pub(super) struct Table {
    slots: Vec<u32>,
    mask: usize,
    names: Vec<(&'static str, u32)>,
    /// Names but those of pairs, by length.
    spellings: Vec<&'static str>,
    groups: Vec<Group>,
    candidates: Vec<Candidate>,
}

#[inline]
fn hash(name: &[u8]) -> usize {
    let mut h = 0xcbf2_9ce4_8422_2325u64;
    let mut chunks = name.chunks_exact(8);
    for c in &mut chunks {
        let v = u64::from_le_bytes([c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]]);
        h = (h ^ v).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    let mut v = name.len() as u64;
    for &b in chunks.remainder() {
        v = v << 8 | b as u64;
    }
    h = (h ^ v).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (h >> 32) as usize ^ h as usize
}

impl Table {
    /// The table of a target, made at the first call.
    pub(super) fn of(target: Target) -> &'static Table {
        static TABLES: [OnceLock<Table>; Target::COUNT] =
            [const { OnceLock::new() }; Target::COUNT];
        TABLES[target.index()].get_or_init(|| Table::build(target))
    }

    fn build(target: Target) -> Table {
        let mut by_name: HashMap<&'static str, Vec<&'static InstDef>> = HashMap::new();
        let mut order = Vec::new();
        for def in rows().iter().filter(|r| r.has_target(target)) {
            let list = by_name.entry(def.mnemonic).or_default();
            if list.is_empty() {
                order.push(def.mnemonic);
            }
            list.push(def);
        }
        let mut table = Table {
            slots: Vec::new(),
            mask: 0,
            names: Vec::new(),
            spellings: Vec::new(),
            groups: Vec::new(),
            candidates: Vec::new(),
        };
        for name in order {
            let mut list: Vec<Candidate> = by_name[name]
                .iter()
                .map(|def| Candidate {
                    def,
                    pattern: pattern(def),
                })
                .collect();
            // LLVM takes the shorter encoding of a pair where it can, but for this one.
            let long_first =
                target.has_gfx1250_insts() && name.starts_with("v_dual_dot2acc_f32_bf16");
            list.sort_by_key(|c| (c.pattern.form, (c.def.encoding() == "VOPD3") != long_first));
            let mut special = [(0, ImmStyle::Raw); 2];
            let mut specials = 0;
            for c in &list {
                for (n, w) in c.pattern.wants.iter().enumerate() {
                    if let Want::Number { style, .. } = w
                        && special::takes(*style)
                        && !special[..specials].contains(&(n as u8, *style))
                        && specials < 2
                    {
                        special[specials] = (n as u8, *style);
                        specials += 1;
                    }
                }
            }
            let flags = list[0].def.flags;
            let access = if flags.intersects(InstFlags::ATOMIC_RET | InstFlags::ATOMIC_NO_RET) {
                Access::Atomic
            } else if flags.contains(InstFlags::STORE)
                && (!flags.contains(InstFlags::LOAD) || name.contains("store"))
            {
                Access::Store
            } else if flags.contains(InstFlags::LOAD) {
                Access::Load
            } else {
                Access::Any
            };
            let index = table.groups.len() as u32;
            table.names.push((name, index));
            table.groups.push(Group {
                name,
                first: table.candidates.len() as u32,
                count: list.len() as u32,
                special,
                specials: specials as u8,
                image: name.starts_with("image_") && target.major() >= 10,
                access,
            });
            table.candidates.append(&mut list);
        }
        table.add_aliases(target);
        table.add_halves();
        table.spellings = table.names.iter().map(|n| n.0).collect();
        table.spellings.retain(|n| !n.contains("::"));
        table.spellings.sort_unstable_by_key(|n| n.len());
        let size = (table.names.len() * 2).next_power_of_two();
        table.mask = size - 1;
        table.slots = vec![0; size];
        for (n, (name, _)) in table.names.iter().enumerate() {
            let mut at = hash(name.as_bytes()) & table.mask;
            while table.slots[at] != 0 {
                at = (at + 1) & table.mask;
            }
            table.slots[at] = n as u32 + 1;
        }
        table
    }

    fn add_aliases(&mut self, target: Target) {
        let index: HashMap<&str, u32> = self
            .groups
            .iter()
            .enumerate()
            .map(|(i, g)| (g.name, i as u32))
            .collect();
        let bit = 1u32 << target.index();
        for (alias, name, targets) in aliases() {
            if targets & bit != 0
                && let Some(&group) = index.get(name)
            {
                self.names.push((alias, group));
            }
        }
    }

    /// The first half of a pair leads to one of its pairs: the operands of all read alike.
    fn add_halves(&mut self) {
        let mut seen = HashSet::new();
        for (n, g) in self.groups.iter().enumerate() {
            if let Some((half, _)) = g.name.split_once(" :: ")
                && seen.insert(half)
            {
                self.names.push((half, n as u32));
            }
        }
    }

    /// The group of a mnemonic without suffix.
    #[inline]
    pub(super) fn find(&self, name: &[u8]) -> Option<&Group> {
        let mut at = hash(name) & self.mask;
        loop {
            let n = self.slots[at];
            if n == 0 {
                return None;
            }
            let (text, group) = &self.names[n as usize - 1];
            if text.as_bytes() == name {
                return Some(&self.groups[*group as usize]);
            }
            at = (at + 1) & self.mask;
        }
    }

    #[inline]
    pub(super) fn candidates(&self, g: &Group) -> &[Candidate] {
        &self.candidates[g.first as usize..(g.first + g.count) as usize]
    }

    /// Every mnemonic and alias whose length differs by so much at most.
    pub(super) fn near(&self, length: usize, most: usize) -> &[&'static str] {
        let from = self.spellings.partition_point(|n| n.len() + most < length);
        let to = self.spellings.partition_point(|n| n.len() <= length + most);
        &self.spellings[from..to]
    }
}

/// Spellings of mnemonics that the assembler takes beside those of the instruction table: the spelling,
/// the mnemonic, and the targets as bits (bit `n` stands for `Target::ALL[n]`).
pub fn aliases() -> impl Iterator<Item = (&'static str, &'static str, u32)> {
    include_str!("../../data/aliases.txt")
        .lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| {
            let mut w = l.split(' ');
            let (alias, name, targets) = (w.next()?, w.next()?, w.next()?);
            Some((alias, name, u32::from_str_radix(targets, 16).ok()?))
        })
}

fn pattern(def: &'static InstDef) -> &'static Pattern {
    static PATTERNS: OnceLock<Vec<OnceLock<Pattern>>> = OnceLock::new();
    let all = PATTERNS.get_or_init(|| rows().iter().map(|_| OnceLock::new()).collect());
    all[def.index()].get_or_init(|| compile(def))
}
