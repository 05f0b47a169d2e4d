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
    /// The notes are silent.
    Unsaid,
}

/// The sentences of the notes.
const OTHER_HALF: &[(&str, OtherHalf)] = &[
    ("write zeros to the other half", OtherHalf::ZeroBefore),
    ("clears the upper half", OtherHalf::Zero),
    (
        "upper half of the destination becomes zero",
        OtherHalf::Zero,
    ),
    ("the other half of the destination is kept", OtherHalf::Kept),
    ("The other half of the destination is kept", OtherHalf::Kept),
    ("keeps the other half", OtherHalf::Kept),
    ("The upper half of the destination is kept", OtherHalf::Kept),
    ("The other half of the register is kept", OtherHalf::Kept),
    (
        "upper ones with OP_SEL[3]; the rest is kept",
        OtherHalf::Kept,
    ),
    ("the half that is not written is kept", OtherHalf::Kept),
    (
        "half of the destination; the other is kept",
        OtherHalf::Kept,
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
            .map_or(OtherHalf::Unsaid, |(_, h)| *h);
        let mut halves = self.halves.borrow_mut();
        halves.insert(mnemonic.to_owned(), half);
        if half == OtherHalf::Unsaid {
            eprintln!("UNSAID {mnemonic}");
        }
        half
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
