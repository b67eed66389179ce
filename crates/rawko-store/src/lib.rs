//! Where rawko's memories live on this machine: plain files that lose nothing.
//!
//! [`Store`] says what is promised; [`FileStore`] keeps it in a `.rawko` folder.
//! Blocking, safe among processes, no daemon. There is no policy here: what is
//! worth keeping and what reaches an agent is decided elsewhere.

mod approvals;
mod atomic;
pub mod contract;
mod derived;
mod episodes;
mod episodes_archive;
mod episodes_index;
mod episodes_working;
mod error;
mod evidence;
mod files;
mod git;
mod given;
mod health;
mod index;
mod layout;
mod ledger;
mod ledger_calls;
mod ledger_tree;
mod lines;
mod lock;
mod log;
mod moving;
mod pending;
mod plain;
mod sessions;
mod spool;
mod vectors;
mod walk;
mod worded;

use std::path::PathBuf;

use rawko_core::{Channel, Entry, EntryId, Memory, Problem, Severity, Slug};

pub use crate::approvals::{Approvals, file_id, standing_of, standing_word};
pub use crate::atomic::{create_new, replace};
pub use crate::derived::{derive_signed, derived_signed};
pub use crate::episodes::{Episodes, Looked, Sought};
pub use crate::episodes_archive::{Archive, Taken};
pub use crate::episodes_working::WorkingFile;
pub use crate::error::StoreError;
pub use crate::evidence::WorkTree;
pub use crate::files::{FileStore, shown};
pub use crate::git::{GIT_ADVICE, Merging};
pub use crate::given::{Given, LASTING};
pub use crate::health::Probe;
pub use crate::index::{Called, Candidate, Check, Index, Likeness, Rebuilt, Sentences, State, Words};
pub use crate::layout::{FOLDER, FORMAT, Layout};
pub use crate::ledger::{Kept, Ledger, Told};
pub use crate::ledger_calls::Calls;
pub use crate::ledger_tree::{MoveTree, Package};
pub use crate::log::{UsageLog, Wanted};
pub use crate::pending::{PendingRuns, Turn};
pub use crate::sessions::{Archived, RunHold, SessionError, SessionFile, Sessions, Updated};
pub use crate::vectors::{TextKey, Vectors};
pub use crate::walk::{not_utf8, read_export, read_file, unreadable};

/// A place that keeps memories. What it promises is in [`contract`].
pub trait Store {
    /// Saves an entry: when this returns `Ok`, it survives whatever comes.
    ///
    /// The same text for the same memory twice is one entry.
    fn append(&self, entry: &Entry, target: &Target, channel: Channel) -> Result<Saved, StoreError>;

    /// One memory with all its entries.
    fn read(&self, slug: &Slug) -> Result<Memory, StoreError>;

    /// All memories, by slug, and what is wrong with the files of others.
    fn read_all(&self) -> Result<Reading, StoreError>;
}

/// Which memory an entry belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The one that has the entry's title, or a new one.
    Title,
    /// This one, which must exist.
    Memory(Slug),
    /// This one, which is made where it does not exist.
    Name(Slug),
}

/// What became of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The memory it belongs to.
    pub slug: Slug,
    /// Names its text.
    pub id: EntryId,
    /// Where it is now.
    pub place: Place,
    /// Whether the memory is new with it.
    pub is_new: bool,
}

/// Where a saved entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In its memory's file.
    File,
    /// Safe in the spool, and read as part of its memory; moved on by whoever comes next.
    Spool,
    /// It was there already.
    Already,
}

/// What reading a whole store gives.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The memories that have a good entry, by slug.
    pub memories: Vec<Memory>,
    /// What is wrong, also in files that yield no memory.
    pub problems: Vec<FileProblem>,
}

/// A problem with the file it is in.
#[derive(Clone, Debug, PartialEq)]
pub struct FileProblem {
    /// The memory, where the file's name makes one.
    pub slug: Option<Slug>,
    /// The file.
    pub path: PathBuf,
    /// What is wrong and what to do.
    pub problem: Problem,
}

impl FileProblem {
    /// Whether it is about something among the memories that is not read at all.
    pub fn is_skipped(&self) -> bool {
        self.slug.is_none() && self.problem.severity == Severity::Warning
    }
}
