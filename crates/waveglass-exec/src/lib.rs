//! Placeholder for the crate's first commit.

pub mod alu;
