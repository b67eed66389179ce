//! The `rawko` program.
fn main() {}
