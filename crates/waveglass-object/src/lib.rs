//! Placeholder for the crate's first commit.
