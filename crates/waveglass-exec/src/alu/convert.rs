//! convert.
