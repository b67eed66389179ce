//! Filled in below.

mod evidence;

pub use crate::evidence::WorkTree;
