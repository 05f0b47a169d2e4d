//! division.
