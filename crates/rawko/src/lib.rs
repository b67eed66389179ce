//! A long-term memory for AI coding agents: the library.
//!
//! [`Engine`] puts the two pipes together over a project's store and the
//! person's own. It is handed everything it needs (stores, settings, the
//! time), prints nothing, reads no environment and keeps no global state.
//!
//! ```
//! use rawko::{Channel, Draft, Engine, Now, Whose};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("rawko-doc-{}", std::process::id()));
//! let engine = Engine::create(&folder, None, Now::at("2026-01-23T10:30:00Z".parse()?))?;
//! let draft = Draft::new("Deploy from main", "Releases are cut from main, never from a branch.")
//!     .when("deploy|release")
//!     .by("developer");
//! let saved = engine.add(&draft.entry(engine.now()), Whose::Project, Channel::Person)?;
//! assert_eq!(saved.slug.as_str(), "deploy-from-main");
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(())
//! # }
//! ```

mod admit;
mod ask;
mod audit;
mod check;
mod config;
mod denied;
mod doctor;
mod draft;
mod embedding;
mod engine;
mod export;
mod extract;
mod feedback;
mod given;
mod group;
mod hook;
mod import;
mod inject;
mod layers;
mod ledger;
mod memory_files;
pub mod provider;
mod queue;
mod receipt;
mod replay;
mod rests;
mod review;
mod run;
mod schema;
mod search;
mod sessions;
mod stats;
mod trust;

pub use rawko_core as core;
pub use rawko_core::{
    Admission, Channel, Circumstances, Decision, Entry, EntryId, Fold, Frontmatter, Importance, Kind, Known,
    Memory, Problem, Proposal, Severity, Slug, Standing, Status, TaskContext, Trigger, Trust,
};
pub use rawko_store as store;
pub use rawko_store::{FileProblem, Layout, Place, Rebuilt, Saved, Store, StoreError, Target};

pub use crate::admit::Admitted;
pub use crate::ask::{Asked, Line, MOST_TOLD, Telling, Untold};
pub use crate::audit::{Audit, AuditFinding};
pub use crate::check::{
    Name, SHORT_BODY, check_entry, check_file, check_history, check_merging, check_store,
};
pub use crate::config::{Config, DEFAULTS, Every, Ignored};
pub use crate::denied::Denied;
pub use crate::doctor::{Check, Health, Outcome};
pub use crate::draft::{Draft, stamp, stamp_after};
pub use crate::embedding::{EmbedError, Embedded};
pub use crate::engine::{Engine, Filter, Found, Listing, Now, Whose};
pub use crate::export::{EXPORT_SCHEMA, ExportError, Exported, FileFate};
pub use crate::extract::{EXTRACTOR, Extracted, How, Judged, Retried, Waits};
pub use crate::feedback::{Lift, Tallies, Tally};
pub use crate::hook::{
    Answer, Heard, HostEvent, MOST_CHARACTERS, Moment, Start, TURN, ToolResult, ToolUse, spoken,
};
pub use crate::import::{Became, ImportAccount, ImportOutcome, ImportWish};
pub use crate::inject::{Considered, Injection, MeaningBy, Origin, Wish};
pub use crate::layers::{
    Appended, Cleared, Compacted, Imported, LayerHits, Layers, Learned, LearnedFrom, Ranking, Recalled,
    SumUp, Undone, by_provider,
};
pub use crate::ledger::{Event, Recorded, Warning};
pub use crate::memory_files::{FileCommand, MemoryFiles};
pub use crate::queue::{Concern, Item};
pub use crate::receipt::UNASKED;
pub use crate::replay::{By, PastTask, Replayed};
pub use crate::review::{Action, Done, Undoable};
pub use crate::run::{AGENTS, News, Program, Ran, Seen, Wanted, Worked, Worker, run};
pub use crate::schema::schemas;
pub use crate::search::{SearchHit, SearchResult};
pub use crate::sessions::{END_LEFT, SessionHit, SessionSummary};
pub use crate::stats::{Stats, Weeks};
pub use crate::trust::{Question, Questions};
