//! The formulas of the descriptions, read once.

use crate::parser::{Formula, parse};
use std::cell::RefCell;
use std::collections::HashMap;
use waveglass::reference::description;

/// What an instruction with a 16-bit result does to the other half of the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherHalf {
    Kept,
    Zero,
    /// Zero on GCN 5 and CDNA 1 to 4, kept by the others.
    ZeroBefore,
    /// Zero on CDNA 5; on others with SRAM error correction, which is off here.
    ZeroOnCdna5,
}

/// The sentences of the notes; without one of them the other half of a vector register is kept (`data/vocabulary/notation.txt`
/// on the name D).
const OTHER_HALF: &[(&str, OtherHalf)] = &[
    ("write zeros to the other half", OtherHalf::ZeroBefore),
    ("always on CDNA 5, the other half", OtherHalf::ZeroOnCdna5),
    ("clears the upper half", OtherHalf::Zero),
    (
        "upper half of the destination becomes zero",
        OtherHalf::Zero,
    ),
];

/// Formulas by mnemonic.
#[derive(Default)]
pub(crate) struct Library {
    halves: RefCell<HashMap<String, OtherHalf>>,
    read: RefCell<HashMap<String, Result<Formula, String>>>,
}

impl Library {
    /// What the notes of a mnemonic say of the other half.
    pub(crate) fn other_half(&self, mnemonic: &str) -> OtherHalf {
        if let Some(h) = self.halves.borrow().get(mnemonic) {
            return *h;
        }
        let text = description(mnemonic)
            .map(|d| format!("{} {} {}", d.summary, d.prose, d.notes.join(" ")))
            .unwrap_or_default();
        let half = OTHER_HALF
            .iter()
            .find(|(sentence, _)| text.contains(sentence))
            .map_or(OtherHalf::Kept, |(_, h)| *h);
        let mut halves = self.halves.borrow_mut();
        halves.insert(mnemonic.to_owned(), half);
        half
    }

    /// Puts another formula in the place of a mnemonic's.
    pub(crate) fn replace(&self, mnemonic: &str, lines: &[String]) -> Result<(), String> {
        let formula = parse(lines)?;
        let mut read = self.read.borrow_mut();
        read.insert(mnemonic.to_owned(), Ok(formula));
        Ok(())
    }

    /// The formula of a mnemonic, or why there is none.
    pub(crate) fn formula(&self, mnemonic: &str) -> Result<Formula, String> {
        if let Some(f) = self.read.borrow().get(mnemonic) {
            return f.clone();
        }
        let formula = match description(mnemonic) {
            None => Err(format!("function {mnemonic}")),
            Some(d) if d.formula.is_empty() => Err("no formula".to_owned()),
            Some(d) => parse(&d.formula).map_err(|_| "notation that is not read here".to_owned()),
        };
        let mut read = self.read.borrow_mut();
        read.insert(mnemonic.to_owned(), formula.clone());
        formula
    }
}
