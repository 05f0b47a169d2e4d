//! Mnemonics as constants, for programs that write code directly.

use std::fmt;

/// An instruction by its name, whatever its encoding.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mnemonic(&'static str);

impl Mnemonic {
    /// The name without an encoding suffix.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Debug for Mnemonic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Display for Mnemonic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// One constant for each mnemonic of any target, but for the halves of VOPD pairs.
pub mod op {
    use super::Mnemonic;

    include!(concat!(env!("OUT_DIR"), "/mnemonics.rs"));
}
