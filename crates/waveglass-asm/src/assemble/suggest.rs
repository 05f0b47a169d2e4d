//! What may be meant by a mnemonic that the target does not have.

use super::diagnostic::Problem;
use super::mnemonics::{Table, aliases};
use super::pattern::Form;
use std::collections::HashMap;
use std::sync::OnceLock;
use waveglass_isa::{Target, rows};

/// The finding for an unknown mnemonic.
pub(super) fn unknown(name: &[u8], at: usize, target: Target) -> Problem {
    let text = String::from_utf8_lossy(name).to_lowercase();
    let base = String::from_utf8_lossy(Form::split(text.as_bytes()).0).into_owned();
    if let Some(p) = elsewhere(&base, at, target) {
        return p;
    }
    let p = Problem::at(at, "invalid instruction");
    match nearest(&base, target) {
        Some(near) => p.help(format!("did you mean {near}?")),
        None => p,
    }
}

/// The targets that have a name, and the names that mean the same elsewhere.
#[derive(Default)]
struct Elsewhere {
    targets: u32,
    twins: Vec<&'static str>,
}

/// Every mnemonic, first half of a pair and alias of any target.
fn everywhere() -> &'static HashMap<&'static str, Elsewhere> {
    static NAMES: OnceLock<HashMap<&'static str, Elsewhere>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut names: HashMap<&'static str, Elsewhere> = HashMap::new();
        for r in rows() {
            names.entry(r.mnemonic).or_default().targets |= r.targets as u32;
            if let Some((half, _)) = r.mnemonic.split_once(" :: ") {
                names.entry(half).or_default().targets |= r.targets as u32;
            }
        }
        for (alias, name, on) in aliases() {
            let e = names.entry(alias).or_default();
            e.targets |= on;
            e.twins.push(name);
            names.entry(name).or_default().twins.push(alias);
        }
        names
    })
}

/// An instruction of other targets is named as such, with what stands for it here.
fn elsewhere(base: &str, at: usize, target: Target) -> Option<Problem> {
    let found = everywhere().get(base).filter(|e| e.targets != 0)?;
    let here = Table::of(target);
    let twin = found
        .twins
        .iter()
        .find(|n| here.find(n.as_bytes()).is_some());
    let list: Vec<&str> = Target::ALL
        .iter()
        .filter(|t| found.targets >> t.index() & 1 != 0)
        .map(|t| t.name())
        .collect();
    let p = Problem::at(at, format!("instruction not supported on {target}"));
    let exists = format!("{base} exists on {}", list.join(", "));
    Some(p.help(match twin {
        Some(t) => format!("{exists}; {target} has {t}"),
        None => exists,
    }))
}

/// The closest name of the target, if one is close.
fn nearest(base: &str, target: Target) -> Option<&'static str> {
    let pattern = Spelling::new(base.as_bytes())?;
    let most = (base.len() / 4).clamp(1, 4);
    Table::of(target)
        .near(base.len(), most)
        .iter()
        .map(|&n| (pattern.distance(n.as_bytes()), n))
        .filter(|(d, _)| *d <= most)
        // Among equally near ones, letters in another order are likelier than other letters.
        .min_by_key(|(d, n)| (*d, letters(n) != letters(base), *n))
        .map(|(_, n)| n)
}

fn letters(name: &str) -> Vec<u8> {
    let mut letters = name.as_bytes().to_vec();
    letters.sort_unstable();
    letters
}

/// A name whose distance to others is asked: for each byte, the places where it stands.
struct Spelling {
    places: [u64; 256],
    length: usize,
}

impl Spelling {
    /// `None` for names longer than any mnemonic.
    fn new(name: &[u8]) -> Option<Self> {
        if name.is_empty() || name.len() > 64 {
            return None;
        }
        let mut places = [0; 256];
        for (n, b) in name.iter().enumerate() {
            places[*b as usize] |= 1 << n;
        }
        Some(Self {
            places,
            length: name.len(),
        })
    }

    /// The number of edits to another name: the columns of the usual table as bits, one for a
    /// step up and one for a step down (Myers 1999).
    fn distance(&self, other: &[u8]) -> usize {
        let last = 1u64 << (self.length - 1);
        let (mut up, mut down) = (u64::MAX, 0u64);
        let mut distance = self.length;
        for b in other {
            let same = self.places[*b as usize];
            let diagonal = ((same & up).wrapping_add(up) ^ up) | same | down;
            let right_up = down | !(diagonal | up);
            let right_down = up & diagonal;
            distance += usize::from(right_up & last != 0);
            distance -= usize::from(right_down & last != 0);
            let right_up = right_up << 1 | 1;
            up = right_down << 1 | !(diagonal | right_up);
            down = right_up & diagonal;
        }
        distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The textbook's table.
    fn plain(a: &[u8], b: &[u8]) -> usize {
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut corner = row[0];
            row[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let change = corner + (x != y) as usize;
                corner = row[j + 1];
                row[j + 1] = change.min(row[j] + 1).min(corner + 1);
            }
        }
        row[b.len()]
    }

    #[test]
    fn distances_are_those_of_the_plain_table() {
        let names = [
            "v_add_f32",
            "v_add_u32",
            "v_addc_co_u32",
            "s_add_u32",
            "v_mfma_scale_f32_32x32x64_f8f6f4",
            "s",
            "v_cvt_scalef32_pk_f32_fp4",
            "buffer_load_format_d16_xyzw",
        ];
        for a in names {
            let s = Spelling::new(a.as_bytes()).unwrap();
            for b in names {
                assert_eq!(s.distance(b.as_bytes()), plain(a.as_bytes(), b.as_bytes()));
            }
        }
        let long = [b'a'; 64];
        assert_eq!(Spelling::new(&long).unwrap().distance(b"aab"), 62);
    }
}
