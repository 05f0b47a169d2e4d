//! An error with the exit status that it ends in.

use std::io;

/// Bad input or usage.
pub(crate) const BAD_INPUT: u8 = 1;
/// A memory violation or a finding.
pub(crate) const FINDING: u8 = 2;
/// An instruction, or a whole task, that is refused.
pub(crate) const REFUSED: u8 = 3;
/// A limit was reached.
pub(crate) const LIMIT: u8 = 4;

/// Why the command ends without success.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: u8,
    pub(crate) error: anyhow::Error,
}

impl Failure {
    pub(crate) fn new(status: u8, error: impl Into<anyhow::Error>) -> Self {
        Self {
            status,
            error: error.into(),
        }
    }

    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.error
            .downcast_ref::<io::Error>()
            .is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::new(BAD_INPUT, error)
    }
}
