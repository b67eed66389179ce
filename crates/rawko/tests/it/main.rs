//! The two pipes together, over real stores in scratch folders.

mod admission;
mod layers;
mod poison;
mod review;
mod rig;
