//! The program as a person uses it: real files, real processes, what comes out.

mod sandbox;
mod tidy;

// One file per command.
mod add;
mod demo;
mod doctor;
mod evidence;
mod export;
mod extract;
mod feedback;
mod help;
mod hook;
mod import;
mod init;
mod inject;
mod kept_out;
mod ledger;
mod lineage;
mod list;
mod mcp;
mod memory;
mod memory_tool;
mod review;
mod session;
mod setup;
mod show;
mod stats;
mod trust;
mod validate;

// One file per promise.
mod any_bytes;
mod compat_matrix;
mod conformance;
mod damage_isolation;
mod degraded;
mod git_merge;
mod hook_always_returns;
mod hook_promises;
mod hostile_repo;
mod instructions;
mod path_jail;
mod provider_wire;
mod roundtrip_bytes;
mod run;
mod slug_portable;
mod soak;
mod tty_inert;
// What the store promises, proved on the program itself.
mod append_only;
mod crash;
mod disk;
mod editor;
mod embedding_wire;
mod encoder;
mod errno;
mod power;
mod rig;
mod session_safety;
mod swarm;
mod trace;
