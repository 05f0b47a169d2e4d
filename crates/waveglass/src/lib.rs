//! The library a user adds to Cargo.toml.
