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
mod slug;
mod stem;
mod task;
mod trigger;
mod trust;

pub use crate::entry::{Entry, Frontmatter, Importance, Kind, Status, Trigger};
pub use crate::slug::{Slug, SlugError};
pub use crate::stem::stem;
pub use crate::task::TaskContext;
pub use crate::trigger::{
    Compiled, Form, Literals, Match, OTHER_BYTES, Place, Rarity, TASK_BYTES, TaskText, USEFUL, Work, breadth,
    compile, compile_within, examples, literals, problem,
};
pub use crate::trust::{Channel, Standing, Trust};
