//! The mnemonics of each target.
//!
//! A target's names are gathered from the instruction table when it is first assembled for; what
//! stands behind a name is made ready when the name is first met.

use super::candidate::Candidate;
use super::modifier::Access;
use super::pattern::{Form, Want};
use super::special;
use hashbrown::{HashMap, HashSet};
use std::sync::OnceLock;
use waveglass_isa::{ImmStyle, InstDef, InstFlags, Target, rows};

/// A mnemonic of a target.
pub(super) struct Group {
    pub(super) name: &'static str,
    target: Target,
    rows: Vec<&'static InstDef>,
    forms: OnceLock<Forms>,
}

/// The forms of a mnemonic.
pub(super) struct Forms {
    pub(super) name: &'static str,
    /// In the order in which they are tried, those of one suffix side by side.
    all: Box<[Candidate]>,
    /// Where those of each suffix start and end.
    starts: [u8; Form::COUNT + 1],
    /// Operands that have a syntax of their own: position and style.
    pub(super) special: [(u8, ImmStyle); 2],
    pub(super) specials: u8,
    /// Brackets list image addresses.
    pub(super) image: bool,
    pub(super) access: Access,
}

impl Forms {
    /// Those of a suffix; all without one.
    #[inline]
    pub(super) fn of(&self, suffix: Option<Form>) -> &[Candidate] {
        match suffix {
            None => &self.all,
            Some(f) => {
                let (from, to) = (self.starts[f as usize], self.starts[f as usize + 1]);
                &self.all[from as usize..to as usize]
            }
        }
    }

    fn new(group: &Group) -> Self {
        let (name, target) = (group.name, group.target);
        // LLVM takes the shorter encoding of a pair where it can, but for this one.
        let long_first = target.has_gfx1250_insts() && name.starts_with("v_dual_dot2acc_f32_bf16");
        let mut list: Vec<Candidate> = group
            .rows
            .iter()
            .map(|def| Candidate::new(def, target))
            .collect();
        list.sort_by_key(|c| (c.pattern.form, (c.def.encoding() == "VOPD3") != long_first));
        let mut starts = [0; Form::COUNT + 1];
        for (n, start) in starts.iter_mut().enumerate() {
            *start = list.partition_point(|c| (c.pattern.form as usize) < n) as u8;
        }
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
        Self {
            name,
            all: list.into(),
            starts,
            special,
            specials: specials as u8,
            image: name.starts_with("image_") && target.major() >= 10,
            access,
        }
    }
}

/// The mnemonics of a target.
pub(super) struct Table {
    /// The name at each place of the hash, counted from 1, and more bits of its hash.
    slots: Vec<(u32, u32)>,
    mask: usize,
    names: Vec<(&'static str, u32)>,
    /// Names but those of pairs, by length.
    spellings: OnceLock<Vec<&'static str>>,
    groups: Vec<Group>,
}

#[inline]
fn hash(name: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut h = name.len() as u64;
    let mut mix = |v: u64| {
        let wide = ((h ^ v) as u128).wrapping_mul(ODD as u128);
        h = (wide >> 64) as u64 ^ wide as u64;
    };
    let mut rest = name;
    while let Some((chunk, more)) = rest.split_first_chunk::<8>() {
        mix(u64::from_le_bytes(*chunk));
        rest = more;
    }
    match (name.last_chunk::<8>(), rest) {
        (_, []) => {}
        // The last eight bytes, of which some were there before.
        (Some(chunk), _) => mix(u64::from_le_bytes(*chunk)),
        (None, rest) => mix(rest.iter().fold(0, |v, b| v << 8 | *b as u64)),
    }
    h
}

impl Table {
    /// The table of a target, made at the first call.
    pub(super) fn of(target: Target) -> &'static Table {
        static TABLES: [OnceLock<Table>; Target::COUNT] =
            [const { OnceLock::new() }; Target::COUNT];
        TABLES[target.index()].get_or_init(|| Table::build(target))
    }

    fn build(target: Target) -> Table {
        let mut index: HashMap<&'static str, u32> = HashMap::with_capacity(4096);
        let mut groups: Vec<Group> = Vec::with_capacity(4096);
        for def in rows().iter().filter(|r| r.has_target(target)) {
            let n = *index.entry(def.mnemonic).or_insert_with(|| {
                groups.push(Group {
                    name: def.mnemonic,
                    target,
                    rows: Vec::new(),
                    forms: OnceLock::new(),
                });
                groups.len() as u32 - 1
            });
            groups[n as usize].rows.push(def);
        }
        let mut names: Vec<(&'static str, u32)> =
            (0u32..).zip(&groups).map(|(n, g)| (g.name, n)).collect();
        let bit = 1u32 << target.index();
        for (alias, name, targets) in aliases() {
            if targets & bit != 0
                && let Some(&group) = index.get(name)
            {
                names.push((alias, group));
            }
        }
        // The first half of a pair leads to one of its pairs: the operands of all read alike.
        let mut seen = HashSet::new();
        for (n, g) in (0u32..).zip(&groups) {
            if let Some((half, _)) = g.name.split_once(" :: ")
                && seen.insert(half)
            {
                names.push((half, n));
            }
        }
        let size = (names.len() * 2).next_power_of_two();
        let mask = size - 1;
        let mut slots = vec![(0, 0); size];
        for (n, (name, _)) in names.iter().enumerate() {
            let h = hash(name.as_bytes());
            let mut at = h as usize & mask;
            while slots[at].0 != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = (n as u32 + 1, (h >> 32) as u32);
        }
        Table {
            slots,
            mask,
            names,
            spellings: OnceLock::new(),
            groups,
        }
    }

    /// The forms of a mnemonic without suffix.
    #[inline]
    pub(super) fn find(&self, name: &[u8]) -> Option<&Forms> {
        let h = hash(name);
        let mut at = h as usize & self.mask;
        loop {
            let (n, more) = self.slots[at];
            if n == 0 {
                return None;
            }
            if more == (h >> 32) as u32 {
                let (text, group) = &self.names[n as usize - 1];
                if text.as_bytes() == name {
                    let g = &self.groups[*group as usize];
                    return Some(g.forms.get_or_init(|| Forms::new(g)));
                }
            }
            at = (at + 1) & self.mask;
        }
    }

    /// Every mnemonic and alias whose length differs by so much at most.
    pub(super) fn near(&self, length: usize, most: usize) -> &[&'static str] {
        let spellings = self.spellings.get_or_init(|| {
            let mut list: Vec<_> = self.names.iter().map(|n| n.0).collect();
            list.retain(|n| !n.contains("::"));
            list.sort_unstable_by_key(|n| n.len());
            list
        });
        let from = spellings.partition_point(|n| n.len() + most < length);
        let to = spellings.partition_point(|n| n.len() <= length + most);
        &spellings[from..to]
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
