//! Runs question sets through rawko.
fn main() {}
