//! What a memory is and which ones matter now: the pure part of rawko.
//!
//! A *memory* is one Markdown file: a thread of *entries*, each a YAML
//! frontmatter block with a body. This crate turns text into entries and back
//! ([`parse`], [`Entry::to_text`]), folds a thread into what it says now
//! ([`Memory`]), and decides which memories deserve a place before a task
//! ([`TaskContext`]).
//!
//! Nothing here touches a file, a clock, the network, the environment or a
//! thread of the machine: `now` is an argument, and text comes in as text.

mod entry;
mod fence;
mod frontmatter;
mod hidden;
mod memory;
mod problem;
mod slug;
mod task;
mod teach;
mod thread;
mod trust;
mod yaml;

pub use crate::entry::{Entry, EntryId, Frontmatter, Importance, Kind, Status, Trigger};
pub use crate::hidden::{hidden, invisible};
pub use crate::memory::{Fold, Known, Memory};
pub use crate::problem::{Problem, Severity};
pub use crate::slug::{Slug, SlugError};
pub use crate::task::TaskContext;
pub use crate::thread::{Found, SEPARATOR, Thread, parse};
pub use crate::trust::{Channel, Standing, Trust};
