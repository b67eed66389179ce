//! Whether a memory is still true of the code.
//!
//! A memory's `evidence` names files and what must stand in them. The
//! [`Judge`] compares that with the working tree as it is now, reached through
//! [`Tree`], and says fresh, moved, changed or gone. Words are compared, never
//! characters, so a formatter makes nothing stale; the tree decides, never
//! history, so a revert makes a memory fresh again. Nothing is run, and other
//! files are looked at only when the named one no longer holds what it held.

mod case;
mod definition;
mod item;
mod judge;
mod lang;
mod search;
mod words;
mod write;

pub use item::{Evidence, Item, Look, RepoPath};
pub use judge::{Finding, Judge, Report, Verdict};
pub use words::Passage;
pub use write::{complete, hash_of_lines, hash_of_symbol};

/// What a file holds, as far as evidence may look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Its text.
    Text(String),
    /// There is no such file.
    Missing,
    /// There is something that is not judged: too large, binary, a link, a device.
    Unjudged,
}

/// When a memory was written, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct When<'a> {
    /// The git id of the commit that was checked out.
    pub commit: Option<&'a str>,
    /// Seconds since 1970: stands in where no commit was recorded.
    pub seconds: Option<i64>,
}

/// The files of a repository, now and when a memory was written.
///
/// Paths are checked before they get here ([`RepoPath`]); an implementation
/// still opens nothing outside its root. Only `read` and `is_blob` are needed
/// while nothing changed; the rest is asked when a file lost what it held.
pub trait Tree {
    /// What the file holds now.
    fn read(&self, path: &RepoPath) -> Content;
    /// Whether the file is the git blob `id`, also where only its line ends differ.
    fn is_blob(&self, path: &RepoPath, id: &str) -> bool;
    /// The files that there are now, in any order.
    fn files(&self) -> Vec<RepoPath>;
    /// The text of a git blob, where it can be had.
    fn blob_text(&self, id: &str) -> Option<String>;
    /// What a file held when a memory was written; `None` where that is not known.
    fn held_then(&self, when: When<'_>, path: &RepoPath) -> Option<Content>;
    /// Whether there was such a file then; `None` where that is not known.
    fn was_there(&self, _when: When<'_>, _path: &RepoPath) -> Option<bool> {
        None
    }
}

#[cfg(test)]
mod tests;
