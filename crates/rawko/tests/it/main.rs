//! The two pipes together, over real stores in scratch folders.

mod admission;
mod clock;
mod denied;
mod fixtures;
mod given;
mod layers;
mod poison;
mod reach;
mod review;
mod rig;
mod shapes;
mod sketches;
