//! What maintainers run.
fn main() {}
