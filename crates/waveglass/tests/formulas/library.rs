//! The formulas of the descriptions, read once.

use crate::parser::{Formula, parse};
use std::cell::RefCell;
use std::collections::HashMap;
use waveglass::reference::description;

/// Formulas by mnemonic.
#[derive(Default)]
pub(crate) struct Library {
    read: RefCell<HashMap<String, Result<Formula, String>>>,
}

impl Library {
    /// The formula of a mnemonic, or why there is none.
    pub(crate) fn formula(&self, mnemonic: &str) -> Result<Formula, String> {
        if let Some(f) = self.read.borrow().get(mnemonic) {
            return f.clone();
        }
        let formula = match description(mnemonic) {
            None => Err(format!("function {mnemonic}")),
            Some(d) if d.formula.is_empty() => Err("no formula".to_owned()),
            Some(d) => parse(&d.formula),
        };
        let mut read = self.read.borrow_mut();
        read.insert(mnemonic.to_owned(), formula.clone());
        formula
    }
}
