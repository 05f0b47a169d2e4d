//! The instructions behind the table's rows: which names are one instruction, and which rows it
//! has in each generation.

use std::sync::OnceLock;

use foldhash::{HashMap, HashMapExt as _};
use waveglass_isa::{Generation, InstDef, Target, rows};

/// The generations, GCN first, then CDNA and RDNA.
pub const GENERATIONS: [Generation; 11] = [
    Generation::Gcn5,
    Generation::Cdna1,
    Generation::Cdna2,
    Generation::Cdna3,
    Generation::Cdna4,
    Generation::Cdna5,
    Generation::Rdna1,
    Generation::Rdna2,
    Generation::Rdna3,
    Generation::Rdna3_5,
    Generation::Rdna4,
];

/// The targets of a generation.
pub fn targets(generation: Generation) -> impl Iterator<Item = Target> {
    Target::ALL
        .iter()
        .copied()
        .filter(move |t| t.generation() == generation)
}

/// One mnemonic with its rows.
#[derive(Debug)]
pub(crate) struct Name {
    /// The mnemonic; for VOPD one half of a pair, as in "v_dual_add_f32".
    pub mnemonic: &'static str,
    /// Other spellings.
    pub aliases: &'static [&'static str],
    /// The rows, those of one encoding together.
    pub rows: Vec<&'static InstDef>,
    /// Bit `t` is set where `Target::ALL[t]` has one of the rows.
    pub targets: u16,
}

impl Name {
    pub(crate) fn has_generation(&self, generation: Generation) -> bool {
        targets(generation).any(|t| self.targets >> t.index() & 1 != 0)
    }
}

/// An instruction: mnemonics of different generations that are the same operation.
#[derive(Debug)]
pub struct Instruction {
    names: Vec<usize>,
}

impl Instruction {
    /// The mnemonic in a generation, `None` where it has no such instruction.
    pub fn name_in(&self, generation: Generation) -> Option<&'static str> {
        self.in_generation(generation).map(|n| n.mnemonic)
    }

    pub(crate) fn in_generation(&self, generation: Generation) -> Option<&'static Name> {
        self.names().find(|n| n.has_generation(generation))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'static Name> {
        self.names.iter().map(|&n| &catalogue().names[n])
    }

    /// The mnemonics on a target: one, or none where it lacks the instruction.
    pub fn names_on(&self, target: Target) -> Vec<&'static str> {
        self.names()
            .filter(|n| n.targets >> target.index() & 1 != 0)
            .map(|n| n.mnemonic)
            .collect()
    }

    /// Every name in any generation, the main spellings first.
    pub fn all_names(&self) -> Vec<&'static str> {
        let mut all: Vec<&'static str> = self.names().map(|n| n.mnemonic).collect();
        for name in self.names() {
            for alias in name.aliases {
                // A suffix that asks for an encoding makes no other name.
                if !all.contains(alias)
                    && !all.contains(&without_suffix(alias))
                    && !is_internal(alias)
                {
                    all.push(alias);
                }
            }
        }
        all
    }

    /// The generations that have it.
    pub fn generations(&self) -> impl Iterator<Item = Generation> + '_ {
        GENERATIONS
            .into_iter()
            .filter(|g| self.in_generation(*g).is_some())
    }
}

/// Every instruction of every target.
#[derive(Debug)]
pub struct Catalogue {
    pub(crate) names: Vec<Name>,
    instructions: Vec<Instruction>,
    /// From any name to the instructions that have it, the one whose mnemonic it is first.
    by_name: HashMap<&'static str, Vec<usize>>,
    by_mnemonic: HashMap<&'static str, usize>,
}

/// The catalogue, made on first use.
pub fn catalogue() -> &'static Catalogue {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    CATALOGUE.get_or_init(Catalogue::new)
}

impl Catalogue {
    fn new() -> Self {
        let mut names: Vec<Name> = Vec::with_capacity(4096);
        let mut at: HashMap<&'static str, usize> = HashMap::with_capacity(4096);
        let mut last = ("", usize::MAX);
        for row in rows() {
            // Pairs alone are cut: a search in every name would take milliseconds.
            let halves = if row.encoding().starts_with("VOPD") {
                row.mnemonic.split_once(" :: ")
            } else {
                None
            };
            let (first, second) = match halves {
                Some((x, y)) => (x, Some(y)),
                None => (row.mnemonic, None),
            };
            for half in std::iter::once(first).chain(second) {
                let n = if last.0 == half {
                    last.1
                } else {
                    *at.entry(half).or_insert_with(|| {
                        names.push(Name {
                            mnemonic: half,
                            aliases: if half.len() == row.mnemonic.len() {
                                row.aliases()
                            } else {
                                &[]
                            },
                            rows: Vec::new(),
                            targets: 0,
                        });
                        names.len() - 1
                    })
                };
                last = (half, n);
                if names[n].rows.last().is_none_or(|r| !std::ptr::eq(*r, row)) {
                    names[n].rows.push(row);
                }
                names[n].targets |= row.targets;
            }
        }
        for n in &mut names {
            // Of a VOPD half's many pairs the one with a plain move comes first.
            let pair = n
                .rows
                .first()
                .is_some_and(|r| r.encoding().starts_with("VOPD"));
            if n.rows
                .windows(2)
                .any(|w| w[0].encoding() != w[1].encoding())
                || pair
            {
                // Rows of one encoding mostly stand together, and pairs are many.
                let mut last = ("", 0);
                n.rows.sort_by_cached_key(|r| {
                    let encoding = r.encoding();
                    if last.0 != encoding {
                        last = (encoding, rank(encoding));
                    }
                    let (x, y) = ("v_dual_mov_b32 :: ", " :: v_dual_mov_b32");
                    let plain = r.mnemonic.starts_with(x) || r.mnemonic.ends_with(y);
                    (last.1, encoding, pair && !plain)
                });
            }
        }
        let mut parent: Vec<usize> = (0..names.len()).collect();
        fn root(parent: &mut [usize], mut n: usize) -> usize {
            while parent[n] != n {
                parent[n] = parent[parent[n]];
                n = parent[n];
            }
            n
        }
        // The names that are one: aliases of the table, and those that only the assembler has.
        let of_table = names
            .iter()
            .flat_map(|n| n.aliases.iter().map(|a| (*a, n.mnemonic)));
        let of_assembler = waveglass_asm::aliases().map(|(alias, name, _)| (alias, name));
        let pairs: Vec<(&str, &str)> = of_table.chain(of_assembler).collect();
        let mut held: Vec<u16> = names.iter().map(|n| n.targets).collect();
        for (alias, name) in pairs {
            if let (Some(&a), Some(&b)) = (at.get(alias), at.get(name)) {
                let (a, b) = (root(&mut parent, a), root(&mut parent, b));
                // A target has one name for an instruction.
                if a != b && held[a] & held[b] == 0 {
                    let (low, high) = (a.min(b), a.max(b));
                    parent[high] = low;
                    held[low] |= held[high];
                }
            }
        }
        let mut instructions: Vec<Instruction> = Vec::new();
        let mut of_root: HashMap<usize, usize> = HashMap::new();
        for n in 0..names.len() {
            let r = root(&mut parent, n);
            let i = *of_root.entry(r).or_insert_with(|| {
                instructions.push(Instruction { names: Vec::new() });
                instructions.len() - 1
            });
            instructions[i].names.push(n);
        }
        let mut by_name: HashMap<&'static str, Vec<usize>> = HashMap::with_capacity(8192);
        for mains in [true, false] {
            for (i, instruction) in instructions.iter().enumerate() {
                for &n in &instruction.names {
                    let own = [names[n].mnemonic];
                    let spellings = if mains { &own[..] } else { names[n].aliases };
                    for s in spellings {
                        let list = by_name.entry(s).or_default();
                        if !list.contains(&i) {
                            list.push(i);
                        }
                    }
                }
            }
        }
        Self {
            names,
            instructions,
            by_name,
            by_mnemonic: at,
        }
    }

    /// Every instruction, in the order of the table.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// The instructions of that name, case ignored, the one whose main spelling it is first.
    pub fn find(&self, name: &str) -> Vec<&Instruction> {
        let lower = name.trim().to_ascii_lowercase();
        let plain = without_suffix(&lower);
        self.by_name
            .get(lower.as_str())
            .or_else(|| self.by_name.get(plain))
            .map(|list| list.iter().map(|&i| &self.instructions[i]).collect())
            .unwrap_or_default()
    }

    /// The entry of a mnemonic.
    pub(crate) fn named(&self, mnemonic: &str) -> Option<&Name> {
        self.by_mnemonic.get(mnemonic).map(|&n| &self.names[n])
    }

    /// Names that a misspelt one may have meant, the nearest first.
    pub fn near(&self, name: &str) -> Vec<&'static str> {
        let lower = name.trim().to_ascii_lowercase();
        let mut near: Vec<(usize, &'static str)> = self
            .by_name
            .keys()
            .filter_map(|k| {
                let most = 1 + lower.len() / 6;
                let d = if k.len() > lower.len() && lower.len() >= 4 && k.starts_with(&lower) {
                    1
                } else {
                    distance(lower.as_bytes(), k.as_bytes(), most)?
                };
                Some((d, *k))
            })
            .collect();
        near.sort_unstable();
        near.truncate(5);
        near.into_iter().map(|(_, k)| k).collect()
    }
}

/// Whether a spelling is LLVM's own name for a record, which its assembler does not take.
fn is_internal(name: &str) -> bool {
    ["_op_sel", "_pseudo", "_fake16", "_t16"]
        .iter()
        .any(|s| name.ends_with(s))
        || name
            .rsplit_once("_gfx")
            .is_some_and(|(_, n)| n.bytes().all(|b| b.is_ascii_digit()))
}

/// The name without the suffix that asks for an encoding.
fn without_suffix(name: &str) -> &str {
    ["_e64_dpp", "_e32", "_e64", "_dpp", "_sdwa"]
        .iter()
        .find_map(|s| name.strip_suffix(s))
        .unwrap_or(name)
}

/// The edit distance of two names, transposed letters counting once; `None` above `most`.
fn distance(a: &[u8], b: &[u8], most: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut two_ago: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut now = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let mut d = (last[j] + usize::from(x != y))
                .min(last[j + 1] + 1)
                .min(now[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                d = d.min(two_ago[j - 1] + 1);
            }
            now.push(d);
        }
        if now.iter().min().is_some_and(|&m| m > most) {
            return None;
        }
        two_ago = std::mem::replace(&mut last, now);
    }
    last.last().copied().filter(|&d| d <= most)
}

/// Where an encoding stands among those of an instruction: the plain ones first, then the forms
/// with more operands, then those with further dwords.
fn rank(encoding: &str) -> u32 {
    match encoding {
        "ENC_VOP3" | "VOP3_SDST_ENC" => 1,
        "VOP2_INST_LITERAL" => 2,
        "VOPD3" => 1,
        e if e.contains("_SDWA") => 3,
        e if e.starts_with("VOP3") && e.contains("_DPP16") => 6,
        e if e.starts_with("VOP3") && e.contains("_DPP8") => 7,
        e if e.ends_with("_DPP8") => 5,
        e if e.contains("_DPP") => 4,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_names_are_one_instruction() {
        let found = catalogue().find("BUFFER_LOAD_USHORT");
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].name_in(Generation::Cdna4),
            Some("buffer_load_ushort")
        );
        assert_eq!(found[0].name_in(Generation::Rdna3), Some("buffer_load_u16"));
        assert_eq!(found[0].generations().count(), 11);
    }

    #[test]
    fn an_instruction_has_one_name_a_generation() {
        for i in catalogue().instructions() {
            for g in GENERATIONS {
                let names: Vec<_> = i
                    .names()
                    .filter(|n| n.has_generation(g))
                    .map(|n| n.mnemonic)
                    .collect();
                assert!(names.len() <= 1, "{g}: {names:?}");
            }
        }
    }

    #[test]
    fn suffixes_and_misspellings_are_understood() {
        assert_eq!(
            catalogue().find("v_add_f32_e64")[0].all_names()[0],
            "v_add_f32"
        );
        assert!(catalogue().find("v_ad_f32").is_empty());
        assert!(catalogue().near("v_ad_f32").contains(&"v_add_f32"));
        assert!(
            catalogue()
                .near("bufer_load_u16")
                .contains(&"buffer_load_u16")
        );
        assert!(catalogue().near("").len() <= 5);
    }

    #[test]
    fn halves_of_pairs_stand_alone() {
        let dual = catalogue().find("v_dual_add_f32");
        assert_eq!(dual.len(), 1);
        let on: Vec<_> = dual[0].generations().collect();
        assert_eq!(
            on,
            [
                Generation::Cdna5,
                Generation::Rdna3,
                Generation::Rdna3_5,
                Generation::Rdna4
            ]
        );
    }
}
