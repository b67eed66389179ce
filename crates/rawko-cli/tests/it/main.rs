//! The program's promises, proved on the program itself.

mod append_only;
mod crash;
mod disk;
mod editor;
mod errno;
mod power;
mod rig;
mod swarm;
mod trace;
