//! What a memory is and which ones matter now: the pure part of rawko.
//!
//! A *memory* is one Markdown file: a thread of *entries*, each a YAML
//! frontmatter block with a body. This crate turns text into entries and back
//! ([`Entry`]), folds a thread into what it says now ([`Memory`]), and decides
//! which memories deserve a place before a task ([`TaskContext`]).
//!
//! Nothing here touches a file, a clock, the network, the environment or a
//! thread: `now` is an argument, and text comes in as text.

mod entry;
mod evidence;
mod slug;
mod task;
mod trust;

pub use crate::entry::{Entry, Frontmatter, Importance, Kind, Status, Trigger};
pub use crate::evidence::{
    Content, Evidence, Finding, Item, Judge, Look, Passage, RepoPath, Report, Tree, Verdict, When, complete,
    hash_of_lines, hash_of_symbol,
};
pub use crate::slug::{Slug, SlugError};
pub use crate::task::TaskContext;
pub use crate::trust::{Channel, Standing, Trust};
