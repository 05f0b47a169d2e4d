//! dot.
