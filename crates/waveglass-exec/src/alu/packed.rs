//! packed.
