//! A constant for each mnemonic.

use crate::Row;
use std::collections::BTreeSet;
use std::fmt::Write as _;

pub(crate) fn write_mnemonics(text: &mut String, rows: &[Row]) {
    let names: BTreeSet<&str> = rows
        .iter()
        .map(|r| r.mnemonic.as_str())
        .filter(|m| !m.contains(' '))
        .collect();
    for name in names {
        writeln!(
            text,
            "/// `{name}`.\npub const {}: Mnemonic = Mnemonic({name:?});",
            name.to_uppercase()
        )
        .expect("strings grow");
    }
}
